/* Names: those of .pcf and .row, and what the trace that is written has defined of them. */
#include "import.h"
#include "timeline/color.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

enum { MOST_DECIMALS = 18 };

typedef struct name {
    size_t at, size; /* in `names` */
} name;

/* An EVENT_TYPE section: event types that share values. */
typedef struct section {
    uint32_t decimals;
    int has_values, has_zero;
} section;

typedef struct label {
    name name;
    uint32_t section;
} label;

static text_buffer names;
static hash_map labels; /* by event type */
static array_of(label) label_list;
static array_of(section) sections;
static hash_map value_labels; /* section and value */
static array_of(name) value_names;
static hash_map state_labels;
static array_of(name) state_names;
static hash_map state_colors;
static array_of(uint32_t) colors;
static array_of(name) rows[PRV_LEVELS];

static hash_map types; /* that are defined, by event type */
static array_of(prv_type) type_list;
static hash_map values; /* that are defined: type and value */
static hash_map states;
static array_of(uint32_t) value_aliases, state_aliases;
static uint32_t last_state_alias;

/* Section and number, for each value whose name is that number: no other value may have it as its identifier.  States
 * have section -1. */
static hash_map numerals;

static name keep(pajesim_text text)
{
    name it = {names.size, text.size};
    text_append(&names, text);
    return it;
}

static pajesim_text text_at(name it)
{
    return (pajesim_text){names.bytes ? names.bytes + it.at : "", it.size};
}

/* ---- .pcf */

static int is_blank(char byte)
{
    return byte == ' ' || byte == '\t';
}

static pajesim_text trim(pajesim_text text)
{
    while (text.size > 0 && is_blank(text.bytes[0]))
        text = (pajesim_text){text.bytes + 1, text.size - 1};
    while (text.size > 0 && is_blank(text.bytes[text.size - 1]))
        text.size--;
    return text;
}

/* Takes a number off the front of a text.  Returns 0 if there is none. */
static int take_number(pajesim_text *text, int64_t *number)
{
    const char *at = text->bytes, *end = text->bytes + text->size;
    if (!prv_read_number(&at, end, number) || (at < end && !is_blank(*at)))
        return 0;
    *text = trim((pajesim_text){at, (size_t)(end - at)});
    return 1;
}

static int begins_with(pajesim_text text, const char *word)
{
    size_t size = strlen(word);
    return text.size >= size && memcmp(text.bytes, word, size) == 0;
}

static void note_numeral(int64_t section_number, pajesim_text text)
{
    const char *at = text.bytes, *end = text.bytes + text.size;
    int64_t key[] = {section_number, 0};
    if (text.size > 0 && prv_read_number(&at, end, &key[1]) && at == end)
        map_add(&numerals, key, sizeof key);
}

static void add_state(pajesim_text line)
{
    int64_t number;
    if (!take_number(&line, &number))
        return;
    *array_at(&state_names, map_add(&state_labels, &number, sizeof number)) = keep(line);
    note_numeral(-1, line);
}

/* `3 {255,0,174}` */
static void add_color(pajesim_text line)
{
    int64_t number, part;
    uint32_t color = 0;
    if (!take_number(&line, &number) || !begins_with(line, "{"))
        return;
    const char *at = line.bytes + 1, *end = line.bytes + line.size;
    for (int i = 0; i < 3; i++, at++) {
        while (at < end && is_blank(*at))
            at++;
        if (!prv_read_number(&at, end, &part) || part < 0 || part > 255 || at == end)
            return;
        color = color << 8 | (uint32_t)part;
    }
    *array_at(&colors, map_add(&state_colors, &number, sizeof number)) = color;
}

static void add_event_line(pajesim_text line)
{
    section *in = &sections.items[sections.count - 1];
    int64_t number, color;
    if (text_is_equal(line, text_of("VALUES"))) {
        in->has_values = 1;
    } else if (begins_with(line, "PRECISION")) {
        pajesim_text rest = trim((pajesim_text){line.bytes + 9, line.size - 9});
        if (take_number(&rest, &number) && number > 0 && number <= MOST_DECIMALS)
            in->decimals = (uint32_t)number;
    } else if (in->has_values) {
        if (!take_number(&line, &number))
            return;
        const int64_t key[] = {(int64_t)sections.count - 1, number};
        *array_at(&value_names, map_add(&value_labels, key, sizeof key)) = keep(line);
        in->has_zero |= number == 0;
        note_numeral(key[0], line);
    } else if (take_number(&line, &color) && take_number(&line, &number)) {
        *array_at(&label_list, map_add(&labels, &number, sizeof number)) =
            (label){keep(line), (uint32_t)sections.count - 1};
    }
}

static void read_pcf(input_lines *lines)
{
    static const char *const sections_known[] = {"EVENT_TYPE", "STATES", "STATES_COLOR", "DEFAULT_OPTIONS",
                                                 "DEFAULT_SEMANTIC", "GRADIENT_COLOR", "GRADIENT_NAMES"};
    enum { EVENTS, STATES, COLORS, OTHER } in = OTHER;
    pajesim_text line;
    while (lines_next(lines, &line)) {
        line = trim(line);
        if (line.size == 0 || line.bytes[0] == '#')
            continue;
        int found = -1;
        for (int i = 0; i < (int)(sizeof sections_known / sizeof *sections_known); i++)
            if (text_is_equal(line, text_of(sections_known[i])))
                found = i;
        if (found == EVENTS)
            *array_push(&sections) = (section){0, 0, 0};
        if (found >= 0)
            in = found == EVENTS ? EVENTS : found == STATES ? STATES : found == COLORS ? COLORS : OTHER;
        else if (in == EVENTS)
            add_event_line(line);
        else if (in == STATES)
            add_state(line);
        else if (in == COLORS)
            add_color(line);
    }
}

/* ---- .row */

static void read_row(input_lines *lines)
{
    static const char *const levels[] = {"NODE", "APPL", "TASK", "THREAD"};
    pajesim_text line;
    int level = -1;
    int64_t left = 0;
    while (lines_next(lines, &line)) {
        if (left > 0) {
            left--;
            if (level >= 0)
                *array_push(&rows[level]) = keep(line);
            continue;
        }
        if (!begins_with(line, "LEVEL"))
            continue;
        pajesim_text rest = trim((pajesim_text){line.bytes + 5, line.size - 5});
        level = -1;
        for (int i = 0; i < PRV_LEVELS; i++)
            if (begins_with(rest, levels[i]))
                level = i;
        size_t word = 0;
        while (word < rest.size && !is_blank(rest.bytes[word]))
            word++;
        rest = trim((pajesim_text){rest.bytes + word, rest.size - word});
        if (begins_with(rest, "SIZE"))
            rest = trim((pajesim_text){rest.bytes + 4, rest.size - 4});
        if (!take_number(&rest, &left))
            left = 0;
    }
}

pajesim_text labels_row(prv_level level, size_t number)
{
    return number < rows[level].count ? text_at(rows[level].items[number]) : text_of("");
}

/* Reads a file that has the name of the .prv with another ending. */
static void read_beside(const char *prv, const char *ending, void (*read)(input_lines *lines), const char *without)
{
    static const char *const endings[] = {".prv", ".prv.gz", ".prv.xz", ".prv.zst"};
    text_buffer path = {0};
    input_lines *lines = memory_alloc(1, sizeof *lines);
    size_t size = strlen(prv);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t length = strlen(endings[i]);
        if (size > length && strcmp(prv + size - length, endings[i]) == 0) {
            size -= length;
            break;
        }
    }
    text_put(&path, prv, size);
    text_puts(&path, ending);
    if (lines_open(lines, text_string(&path))) {
        read(lines);
        lines_end(lines);
    } else if (errno == ENOENT) {
        stream_message("%s: %s; %s", path.bytes, strerror(errno), without);
    } else {
        stream_fail("%s: %s", path.bytes, strerror(errno));
    }
    free(lines);
    text_free(&path);
}

void labels_read(const char *prv)
{
    read_beside(prv, ".pcf", read_pcf, "events are variables, and states have numbers for names");
    read_beside(prv, ".row", read_row, "rows have numbers for names");
}

/* ---- definitions, when something is used first */

/* Values that are nested: user functions of Extrae, and states that `paje paraver` writes. */
static int is_stack(uint64_t number, const prv_options *options)
{
    for (size_t i = 0; i < options->stacks.count; i++)
        if (options->stacks.items[i] == number)
            return 1;
    return number == 60000019 || (number > 900000000 && number <= 910000000);
}

uint32_t labels_find_type(uint64_t number, const prv_options *options)
{
    size_t used = types.used, index = map_add(&types, &number, sizeof number);
    prv_type *it = array_at(&type_list, index);
    if (types.used == used)
        return (uint32_t)index;
    size_t known = map_find(&labels, &number, sizeof number);
    text_buffer text = {0};
    const section *in = known != MAP_NONE ? &sections.items[label_list.items[known].section] : NULL;
    if (known != MAP_NONE && label_list.items[known].name.size > 0)
        text_append(&text, text_at(label_list.items[known].name));
    else
        text_printf(&text, "Event %llu", (unsigned long long)number);
    it->number = number;
    it->scale = in ? pow(10, in->decimals) : 1;
    it->kind = is_stack(number, options) ? PRV_STACK
               : !in || !in->has_values  ? PRV_VARIABLE
               : in->has_zero            ? PRV_STATE
                                         : PRV_EVENT;
    if (index >= PAJEWRITE_TYPE_MAX - PRV_FIRST_TYPE)
        stream_fail("more than %u event types", PAJEWRITE_TYPE_MAX - PRV_FIRST_TYPE);
    it->type = PAJEWRITE_TYPE(PRV_FIRST_TYPE + index);
    const char *copy = write_name(text_view(&text));
    if (it->kind == PRV_VARIABLE)
        pajewrite_define_variable_type(&writer, it->type, PAJEWRITE_TYPE(PRV_THREAD_TYPE), copy, NULL);
    else if (it->kind == PRV_EVENT)
        pajewrite_define_event_type(&writer, it->type, PAJEWRITE_TYPE(PRV_THREAD_TYPE), copy);
    else
        pajewrite_define_state_type(&writer, it->type, PAJEWRITE_TYPE(PRV_THREAD_TYPE), copy);
    text_free(&text);
    return (uint32_t)index;
}

prv_type *labels_type_at(uint32_t index)
{
    return &type_list.items[index];
}

/* Defines a value with the name that a list has for it, or its number; with its colour, or one for its name. */
static void define_value(pajewrite_value value, pajewrite_type type, size_t known, const name *list, int64_t number,
                         const uint32_t *color)
{
    text_buffer text = {0};
    if (known != MAP_NONE && list[known].size > 0)
        text_append(&text, text_at(list[known]));
    else
        text_printf(&text, "value %lld", (long long)number);
    write_value(value, type, text_view(&text), color);
    text_free(&text);
}

/* Returns an identifier that is no value's name. */
static uint32_t next_alias(int64_t section_number, uint32_t *last)
{
    int64_t key[] = {section_number, 0};
    do
        key[1] = ++*last;
    while (map_find(&numerals, key, sizeof key) != MAP_NONE);
    return *last;
}

pajewrite_value labels_find_value(uint32_t index, int64_t number)
{
    const int64_t key[] = {index, number};
    size_t used = values.used, found = map_add(&values, key, sizeof key);
    uint32_t *alias = array_at(&value_aliases, found);
    if (values.used > used) {
        prv_type *type = &type_list.items[index];
        size_t known = map_find(&labels, &type->number, sizeof type->number);
        int64_t section_number = known != MAP_NONE ? (int64_t)label_list.items[known].section : -2;
        const int64_t label_key[] = {section_number, number};
        *alias = next_alias(section_number, &type->values);
        define_value(PAJEWRITE_VALUE(*alias), type->type, map_find(&value_labels, label_key, sizeof label_key),
                     value_names.items, number, NULL);
    }
    return PAJEWRITE_VALUE(*alias);
}

pajewrite_value labels_find_state(int64_t number)
{
    size_t used = states.used, found = map_add(&states, &number, sizeof number);
    uint32_t *alias = array_at(&state_aliases, found);
    if (states.used > used) {
        size_t known = map_find(&state_colors, &number, sizeof number);
        *alias = next_alias(-1, &last_state_alias);
        define_value(PAJEWRITE_VALUE(*alias), PAJEWRITE_TYPE(PRV_STATE_TYPE),
                     map_find(&state_labels, &number, sizeof number), state_names.items, number,
                     known != MAP_NONE ? &colors.items[known] : NULL);
    }
    return PAJEWRITE_VALUE(*alias);
}
