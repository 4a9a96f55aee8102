/* Documents for people and for other programs. */
#include "mirctl.h"

#include <stdio.h>
#include <string.h>

/* Whether a control character of two bytes, U+0080 to U+009F, is there: those control terminals, too. */
static int is_long_control(document_text text, size_t at)
{
    return (unsigned char)text.bytes[at] == 0xc2 && at + 1 < text.size && (text.bytes[at + 1] & 0xe0) == 0x80;
}

static void put_escaped(document_text text, int is_json)
{
    for (size_t i = 0; i < text.size; i++) {
        const unsigned char c = (unsigned char)text.bytes[i];
        if (is_json && (c == '"' || c == '\\'))
            printf("\\%c", c);
        else if (c < 32 || c == 127)
            printf(is_json ? "\\u%04x" : "?", c);
        else if (!is_json && (c == '<' || c == '>' || c == '&' || c == '"'))
            printf("&%s;", c == '<' ? "lt" : c == '>' ? "gt" : c == '&' ? "amp" : "quot");
        else if (is_long_control(text, i))
            printf(is_json ? "\\u%04x" : "&#x%x;", (unsigned)(unsigned char)text.bytes[++i]);
        else
            putchar(c);
    }
}

static void put_element(const document *it, uint32_t number)
{
    const document_element *element = &it->element[number];
    printf("<%.*s", (int)element->name.size, element->name.bytes);
    for (uint32_t i = 0; i < element->attribute_count; i++) {
        const document_attribute *attribute = &it->attributes[element->attributes + i];
        printf(" %.*s=\"", (int)attribute->name.size, attribute->name.bytes);
        put_escaped(attribute->value, 0);
        putchar('"');
    }
    if (!element->first && !element->text.size) {
        printf("/>");
        return;
    }
    putchar('>');
    put_escaped(element->text, 0);
    for (uint32_t child = element->first; child; child = it->element[child].next)
        put_element(it, child);
    printf("</%.*s>", (int)element->name.size, element->name.bytes);
}

void show_raw(const document *it)
{
    put_element(it, 1);
    putchar('\n');
}

/* ---- measurements ---- */

static const char *const ids[] = {"siteId", "nodeId", "communicatorId", "processId", "threadId"};
static const char *const id_names[] = {"site", "node", "communicator", "process", "thread"};

/* One value with what it is of. */
typedef struct line {
    document_text id[LEVELS];
    document_text value;
    const char *metric, *function;
    const char *unit;
} line;

static document_text inherited(const document *it, uint32_t element, const char *name)
{
    document_text found = {NULL, 0};
    for (; element && !found.bytes; element = it->element[element].parent)
        found = document_value(it, element, name);
    return found;
}

/* Whether a text is a number of JSON, which OpenMetrics reads as well. */
static int is_number(document_text text)
{
    static const char digits[] = "0123456789";
    char copy[64];
    const char *at = copy;
    size_t size;
    if (!text.size || text.size >= sizeof copy || memchr(text.bytes, 0, text.size))
        return 0;
    memcpy(copy, text.bytes, text.size);
    copy[text.size] = 0;
    at += *at == '-';
    size = strspn(at, digits);
    if (!size || (*at == '0' && size > 1))
        return 0;
    at += size;
    if (*at == '.') {
        size = strspn(at + 1, digits);
        if (!size)
            return 0;
        at += 1 + size;
    }
    return !*at;
}

/* A program may reply anything in place of a number. */
static void put_value(document_text value, format how)
{
    if (is_number(value) || how == FORMAT_TABLE) {
        put_escaped(value, 1);
    } else if (how == FORMAT_OPENMETRICS) {
        printf("NaN");
    } else {
        putchar('"');
        put_escaped(value, 1);
        putchar('"');
    }
}

static void put_line(const line *at, format how, const question *asked, int is_first)
{
    static const char *const suffixes[] = {"average", "maximum", "minimum", "sum", "variance"};
    const int is_variance = at->function && strcmp(at->function, request_functions[FUNCTION_VARIANCE]) == 0;
    const char *suffix = "last", *square = is_variance ? "^2" : "";
    for (int i = 0; i < REQUEST_FUNCTIONS; i++)
        if (at->function && strcmp(at->function, request_functions[i]) == 0)
            suffix = suffixes[i];
    if (how == FORMAT_JSON) {
        printf("%s{\"metric\": \"%s\", \"function\": \"%s\"", is_first ? "" : ", ", at->metric, suffix);
        if (asked->region) {
            printf(", \"region\": \"");
            put_escaped((document_text){asked->region, strlen(asked->region)}, 1);
            putchar('"');
        }
    } else if (how == FORMAT_OPENMETRICS) {
        printf("mir_");
        for (const char *p = at->metric; *p; p++)
            putchar(*p >= 'A' && *p <= 'Z' ? *p + 32 : *p);
        printf("_%s{unit=\"%s%s\"", suffix, at->unit, square);
        if (asked->region) {
            printf(",region=\"");
            put_escaped((document_text){asked->region, strlen(asked->region)}, 1);
            putchar('"');
        }
    } else {
        printf("%-20.40s %-20s %-9s", asked->region ? asked->region : "-", at->metric, suffix);
    }
    for (int i = 0; i < LEVELS; i++)
        if (at->id[i].bytes && how != FORMAT_TABLE) {
            printf(how == FORMAT_JSON ? ", \"%s\": \"" : ",%s=\"", id_names[i]);
            put_escaped(at->id[i], 1);
            putchar('"');
        }
    if (how == FORMAT_JSON)
        printf(", \"unit\": \"%s%s\", \"value\": ", at->unit, square);
    else if (how == FORMAT_OPENMETRICS)
        printf("} ");
    else
        printf(" %*s", at->value.size < 20 ? 20 - (int)at->value.size : 0, "");
    put_value(at->value, how);
    if (how == FORMAT_JSON)
        putchar('}');
    else if (how == FORMAT_OPENMETRICS)
        putchar('\n');
    else
        printf(" %s%s", at->unit, square);
    for (int i = 0; i < LEVELS; i++)
        if (at->id[i].bytes && how == FORMAT_TABLE) {
            printf("  %s ", id_names[i]);
            put_escaped(at->id[i], 1);
        }
    if (how == FORMAT_TABLE)
        putchar('\n');
}

static void show_measurement(const document *it, format how, const question *asked)
{
    uint32_t values = 0;
    if (how == FORMAT_JSON)
        putchar('[');
    for (uint32_t i = 1; i <= it->elements; i++) {
        const document_text value = document_value(it, i, "value");
        const uint32_t functions = asked->functions ? asked->functions : 1,
                       metric = values / functions % asked->metrics;
        line at;
        int known;
        if (!value.bytes)
            continue;
        memset(&at, 0, sizeof at);
        for (int level = 0; level < LEVELS; level++)
            at.id[level] = inherited(it, i, ids[level]);
        at.value = value;
        at.metric = asked->metric[metric];
        known = metric_find(at.metric);
        at.unit = known >= 0 ? metrics[known].unit : "";
        at.function = asked->functions ? request_functions[asked->function[values % functions]] : NULL;
        put_line(&at, how, asked, values == 0);
        values++;
    }
    if (how == FORMAT_JSON)
        printf("]\n");
    if (!values && how == FORMAT_TABLE)
        printf("%-20.40s nothing has been measured yet\n", asked->region ? asked->region : "-");
}

/* ---- others ---- */

static void show_tree(const document *it, uint32_t element, int depth)
{
    printf("%*s%.*s", 2 * depth, "", (int)it->element[element].name.size, it->element[element].name.bytes);
    for (uint32_t i = 0; i < it->element[element].attribute_count; i++) {
        const document_attribute *attribute = &it->attributes[it->element[element].attributes + i];
        printf("  %.*s ", (int)attribute->name.size, attribute->name.bytes);
        put_escaped(attribute->value, 1);
    }
    if (it->element[element].text.size) {
        printf("  ");
        put_escaped(it->element[element].text, 1);
    }
    putchar('\n');
    for (uint32_t child = it->element[element].first; child; child = it->element[child].next)
        show_tree(it, child, depth + 1);
}

/* An object of an element: its name, its attributes and text, and what is in it. */
static void put_object(const document *it, uint32_t number)
{
    const document_element *element = &it->element[number];
    printf("{\"element\": \"%.*s\"", (int)element->name.size, element->name.bytes);
    for (uint32_t i = 0; i < element->attribute_count; i++) {
        const document_attribute *attribute = &it->attributes[element->attributes + i];
        printf(", \"%.*s\": \"", (int)attribute->name.size, attribute->name.bytes);
        put_escaped(attribute->value, 1);
        putchar('"');
    }
    if (element->text.size) {
        printf(", \"text\": \"");
        put_escaped(element->text, 1);
        putchar('"');
    }
    for (uint32_t child = element->first; child; child = it->element[child].next) {
        printf(child == element->first ? ", \"in\": [" : ", ");
        put_object(it, child);
    }
    printf(element->first ? "]}" : "}");
}

void show_document(const document *it, format how, const question *asked)
{
    if (how == FORMAT_XML) {
        show_raw(it);
    } else if (document_is(it->element[1].name, "measurement") && asked->metrics) {
        show_measurement(it, how, asked);
    } else if (how == FORMAT_JSON) {
        put_object(it, 1);
        putchar('\n');
    } else {
        show_tree(it, 1, 0);
    }
    fflush(stdout);
}
