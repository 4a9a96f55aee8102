/* Requests: the rules of their documents, and reading them. */
#include "request.h"

#include <stdio.h>
#include <string.h>

const char *const request_levels[LEVELS] = {"site", "node", "communicator", "process", "thread"};
const char *const request_functions[REQUEST_FUNCTIONS] = {"AVERAGE", "MAXIMUM", "MINIMUM", "SUM", "VARIANCE"};

#define ENTITIES "site* node* communicator* process* thread*"

/* The DTD.  Elements in it, in this order, each once, or ? at most once, * any number, + at least one (with ~ in front:
 * in any order); attributes, ! for one that is required, and behind a : what it may be: b true or false, n an integer
 * from 0 on, d one from -1 on, both at most REQUEST_MOST, i any integer, f a function, a an action. */
static const struct rule {
    const char *name, *content, *attributes;
    request_kind kind; /* of a document's root */
} rules[] = {
    {"sirreq", "resource+", "", REQUEST_SIR},
    {"resource", "", "in! out", REQUEST_NONE},
    {"snapshotreq", "", "named:b stack:n", REQUEST_SNAPSHOT},
    {"instrreq", "codeRegion? metric* event* measuring? " ENTITIES, "activated:b activate:b flush:b own:b",
     REQUEST_INSTRUMENT},
    {"codeRegion", "", "from to", REQUEST_NONE},
    {"metric", "", "name!", REQUEST_NONE},
    {"event", "", "", REQUEST_NONE},
    {"measuring", "aggregate*", "delivery:d destination interval:n duration:n", REQUEST_NONE},
    {"aggregate", "", "function:f", REQUEST_NONE},
    {"site", "node* communicator* process* thread*", "id! name", REQUEST_NONE},
    {"node", "communicator* process* thread*", "id! name", REQUEST_NONE},
    {"communicator", "process*", "id! name", REQUEST_NONE},
    {"process", "thread*", "id! name", REQUEST_NONE},
    {"thread", "", "id! name master:b", REQUEST_NONE},
    {"ctrlreq", "probe+ action? metric* measuring? " ENTITIES, "flush:b action:a", REQUEST_CONTROL},
    {"probe", "", "id!", REQUEST_NONE},
    {"action", "", "type!:a", REQUEST_NONE},
    {"tunereq", "~load* set* replace* insert* remove* call* param* categories*", "id! at place expires:n",
     REQUEST_TUNE},
    {"set", "", "name! value!:i", REQUEST_NONE},
    {"load", "", "file!", REQUEST_NONE},
    {"replace", "", "name! with!", REQUEST_NONE},
    {"insert", "", "name! call!", REQUEST_NONE},
    {"remove", "", "name! call!", REQUEST_NONE},
    {"call", "", "name!", REQUEST_NONE},
    {"param", "", "name! index!:n value!:i", REQUEST_NONE},
    {"categories", "", "on:n off:n", REQUEST_NONE},
    {"tracereq", "", "thread", REQUEST_TRACE},
    {"catalogreq", "", "", REQUEST_CATALOG},
    {"ping", "", "id time", REQUEST_PING},
};
enum { RULES = sizeof rules / sizeof *rules };

static const struct rule *find_rule(document_text name)
{
    for (size_t i = 0; i < RULES; i++)
        if (document_is(name, rules[i].name))
            return &rules[i];
    return NULL;
}

int request_is_known(document_text name)
{
    const struct rule *rule = find_rule(name);
    return rule && rule->kind;
}

/* Finds a word in a list of words that are separated by blanks, each with marks behind it.  NULL: it is not there. */
static const char *find_word(const char *list, document_text word)
{
    for (const char *p = list + (*list == '~'); *p;) {
        const size_t size = strcspn(p, " !:?*+");
        if (size == word.size && memcmp(p, word.bytes, size) == 0)
            return p;
        p += strcspn(p, " ");
        p += *p == ' ';
    }
    return NULL;
}

/* The longest time in milliseconds, 31 years: some of these can be added as nanoseconds of 64 bits. */
#define REQUEST_MOST INT64_C(1000000000000)

static int is_integer(document_text text, int64_t least, int64_t most)
{
    size_t i = text.size && text.bytes[0] == '-';
    if (i == text.size || text.size - i > 18)
        return 0;
    for (size_t k = i; k < text.size; k++)
        if (text.bytes[k] < '0' || text.bytes[k] > '9')
            return 0;
    return request_integer(text) >= least && request_integer(text) <= most;
}

int64_t request_integer(document_text text)
{
    int64_t number = 0;
    for (size_t i = 0; i < text.size; i++)
        if (text.bytes[i] != '-')
            number = number * 10 + (text.bytes[i] - '0');
    return text.size && text.bytes[0] == '-' ? -number : number;
}

static int is_boolean(document_text text)
{
    return document_is(text, "true") || document_is(text, "false");
}

static request_action read_action(document_text text)
{
    static const char *const names[] = {"VALUE", "ACTIVATE", "DEACTIVATE", "RESET", "REMOVE"};
    for (int i = 0; i < 5; i++)
        if (document_is(text, names[i]))
            return (request_action)(i + 1);
    return ACTION_NONE;
}

static int read_function(document_text text)
{
    for (int i = 0; i < REQUEST_FUNCTIONS; i++)
        if (document_is(text, request_functions[i]))
            return i;
    return -1;
}

#define SHORT(text) (int)((text).size < 40 ? (text).size : 40), (text).bytes

static int check_attribute(document *it, const struct rule *rule, const document_attribute *attribute)
{
    const char *word = find_word(rule->attributes, attribute->name), *expected = NULL;
    const size_t most = strcmp(rule->name, "codeRegion") == 0 ? REQUEST_REGION : REQUEST_NAME;
    document_text value = attribute->value;
    if (!word) {
        document_refuse(it, attribute->line, attribute->column, "<%s> has no attribute %.*s", rule->name,
                        SHORT(attribute->name));
        return 0;
    }
    word += strcspn(word, " :");
    switch (*word == ':' ? word[1] : 0) {
    case 'b':
        expected = is_boolean(value) ? NULL : "true or false";
        break;
    case 'n':
        expected = is_integer(value, 0, REQUEST_MOST) ? NULL : "an integer from 0 to 1000000000000";
        break;
    case 'd':
        expected = is_integer(value, -1, REQUEST_MOST) ? NULL : "an integer from -1 to 1000000000000";
        break;
    case 'i':
        expected = is_integer(value, INT64_MIN, INT64_MAX) ? NULL : "an integer";
        break;
    case 'f':
        expected = read_function(value) >= 0 ? NULL : "AVERAGE, MAXIMUM, MINIMUM, SUM or VARIANCE";
        break;
    case 'a':
        expected = read_action(value) ? NULL : "VALUE, ACTIVATE, DEACTIVATE, RESET or REMOVE";
        break;
    default:
        break;
    }
    if (expected)
        document_refuse(it, attribute->line, attribute->column, "%.*s=\"%.*s\": this is not %s", SHORT(attribute->name),
                        SHORT(value), expected);
    else if (value.size >= most && !document_is(attribute->name, "destination") && *rule->name != 'r' &&
             !document_is(attribute->name, "file"))
        document_refuse(it, attribute->line, attribute->column, "%.*s has more than %zu bytes",
                        SHORT(attribute->name), most - 1);
    return it->status != DOCUMENT_BAD;
}

/* Whether an element, and what is in it, keeps its rule. */
static int check_element(document *it, uint32_t number)
{
    const document_element *element = &it->element[number];
    const struct rule *rule = find_rule(element->name);
    const char *at;
    if (!rule) {
        document_refuse(it, element->line, element->column, "<%.*s> is not known here", SHORT(element->name));
        return 0;
    }
    if (element->text.size) {
        document_refuse(it, element->line, element->column, "<%s> has no text", rule->name);
        return 0;
    }
    for (uint32_t i = 0; i < element->attribute_count; i++)
        if (!check_attribute(it, rule, &it->attributes[element->attributes + i]))
            return 0;
    for (at = rule->attributes; *at; at += *at == ' ') {
        const size_t size = strcspn(at, " !:");
        char name[16];
        snprintf(name, sizeof name, "%.*s", (int)size, at);
        if (at[size] == '!' && !document_value(it, number, name).bytes) {
            document_refuse(it, element->line, element->column, "<%s> needs the attribute %s", rule->name, name);
            return 0;
        }
        at += strcspn(at, " ");
    }
    at = rule->content;
    for (uint32_t child = element->first; child; child = it->element[child].next) {
        const document_element *inner = &it->element[child];
        const char *found = find_word(rule->content, inner->name);
        if (!found) {
            document_refuse(it, inner->line, inner->column, "<%.*s> does not belong in <%s>", SHORT(inner->name),
                            rule->name);
            return 0;
        }
        if (*rule->content != '~' && found < at) {
            document_refuse(it, inner->line, inner->column, "<%.*s> stands too late or twice in <%s>",
                            SHORT(inner->name), rule->name);
            return 0;
        }
        at = found;
        if (found[inner->name.size] == '?')
            at++; /* it is not found again */
        if (!check_element(it, child))
            return 0;
    }
    at = strchr(rule->content, '+');
    if (at && !element->first) {
        document_refuse(it, element->line, element->column, "<%s> needs %.*s", rule->name,
                        (int)strcspn(rule->content, "+"), rule->content);
        return 0;
    }
    return 1;
}

void request_copy(char *to, size_t size, document_text from)
{
    snprintf(to, size, "%.*s", (int)from.size, from.bytes ? from.bytes : "");
}

static int is_true(const document *it, uint32_t element, const char *name)
{
    document_text value = document_value(it, element, name);
    return value.bytes && document_is(value, "true");
}

static int read_measuring(document *it, uint32_t element, request *to)
{
    static const char *const names[] = {"interval", "delivery", "duration"};
    int64_t *const places[] = {&to->measuring.interval, &to->measuring.delivery, &to->measuring.duration};
    document_text value = document_value(it, element, "destination");
    if (!it->element[element].attribute_count && !it->element[element].first) {
        document_refuse(it, it->element[element].line, it->element[element].column,
                        "<measuring> needs an attribute or an aggregate");
        return 0;
    }
    to->has_measuring = 1;
    if (value.bytes) {
        to->given |= 8;
        if (value.size >= sizeof to->measuring.destination) {
            document_refuse(it, it->element[element].line, it->element[element].column, "the destination is too long");
            return 0;
        }
        request_copy(to->measuring.destination, sizeof to->measuring.destination, value);
    }
    for (int i = 0; i < 3; i++) {
        value = document_value(it, element, names[i]);
        if (value.bytes) {
            to->given |= 1u << i;
            *places[i] = request_integer(value);
        }
    }
    for (uint32_t child = it->element[element].first; child; child = it->element[child].next) {
        value = document_value(it, child, "function");
        to->given |= 16;
        for (uint32_t i = 0; value.bytes && i < to->measuring.function_count; i++)
            if (to->measuring.functions[i] == read_function(value)) {
                document_refuse(it, it->element[child].line, it->element[child].column, "%.*s is given twice",
                                SHORT(value));
                return 0;
            }
        if (value.bytes)
            to->measuring.functions[to->measuring.function_count++] = (uint8_t)read_function(value);
    }
    return 1;
}

/* Adds the paths to all innermost elements of an entity. */
static int read_paths(document *it, uint32_t element, request *to, const request_path *outer)
{
    request_path path = *outer;
    for (int level = 0; level < LEVELS; level++)
        if (document_is(it->element[element].name, request_levels[level]))
            request_copy(path.id[level], REQUEST_NAME, document_value(it, element, "id"));
    for (uint32_t child = it->element[element].first; child; child = it->element[child].next)
        if (!read_paths(it, child, to, &path))
            return 0;
    if (it->element[element].first)
        return 1;
    if (to->path_count == REQUEST_PATHS) {
        document_refuse(it, it->element[element].line, it->element[element].column, "more than %d entities",
                        REQUEST_PATHS);
        return 0;
    }
    to->paths[to->path_count++] = path;
    return 1;
}

static int read_child(document *it, uint32_t child, request *to)
{
    static const request_path none;
    document_text name = it->element[child].name, value;
    if (document_is(name, "codeRegion")) {
        to->has_region = 1;
        request_copy(to->from, sizeof to->from, document_value(it, child, "from"));
        request_copy(to->to, sizeof to->to, document_value(it, child, "to"));
        if (!to->from[0] && !to->to[0]) {
            document_refuse(it, it->element[child].line, it->element[child].column, "<codeRegion> needs from or to");
            return 0;
        }
    } else if (document_is(name, "metric")) {
        if (to->metric_count == REQUEST_METRICS) {
            document_refuse(it, it->element[child].line, it->element[child].column, "more than %d metrics",
                            REQUEST_METRICS);
            return 0;
        }
        request_copy(to->metrics[to->metric_count++], REQUEST_NAME, document_value(it, child, "name"));
    } else if (document_is(name, "event")) {
        to->has_event = 1;
    } else if (document_is(name, "measuring")) {
        return read_measuring(it, child, to);
    } else if (document_is(name, "action")) {
        value = document_value(it, child, "type");
        if (to->action && to->action != read_action(value)) {
            document_refuse(it, it->element[child].line, it->element[child].column,
                            "there is another action as attribute");
            return 0;
        }
        to->action = read_action(value);
    } else if (!document_is(name, "probe")) {
        return read_paths(it, child, to, &none);
    }
    return 1;
}

int request_read(document *it, request *to)
{
    const document_element *root = &it->element[1];
    const struct rule *rule = find_rule(root->name);
    document_text value;
    memset(to, 0, sizeof *to);
    if (!rule || !rule->kind) {
        document_refuse(it, root->line, root->column, "<%.*s> is no request", SHORT(root->name));
        return 0;
    }
    if (!check_element(it, 1))
        return 0;
    to->kind = rule->kind;
    to->line = root->line;
    to->column = root->column;
    value = document_value(it, 1, "flush");
    to->flush = value.bytes ? document_is(value, "true") : -1;
    to->is_activated = is_true(it, 1, "activated") || is_true(it, 1, "activate");
    to->is_own = is_true(it, 1, "own");
    to->named = is_true(it, 1, "named");
    value = document_value(it, 1, "stack");
    if (value.bytes)
        to->stack = request_integer(value) > 1024 ? 1024 : (uint32_t)request_integer(value);
    value = document_value(it, 1, "action");
    if (value.bytes)
        to->action = read_action(value);
    if (to->kind != REQUEST_INSTRUMENT && to->kind != REQUEST_CONTROL)
        return 1;
    for (uint32_t child = root->first; child; child = it->element[child].next)
        if (!read_child(it, child, to))
            return 0;
    if (to->kind == REQUEST_CONTROL && !to->action) {
        document_refuse(it, root->line, root->column, "<ctrlreq> needs an action");
    } else if (to->kind == REQUEST_INSTRUMENT && !to->metric_count && !to->has_event &&
               (!to->has_measuring || to->has_region || to->path_count)) {
        document_refuse(it, root->line, root->column, "<instrreq> needs a metric or an event");
    } else if (to->kind == REQUEST_CONTROL && !document_is(it->element[root->first].name, "probe")) {
        document_refuse(it, root->line, root->column, "<ctrlreq> needs a probe");
    }
    return it->status != DOCUMENT_BAD;
}
