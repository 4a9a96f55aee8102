/* The merged trace: its definitions, and each line with the identifiers that things have there. */
#include "merge.h"

#include <string.h>

#define MOST_DECIMALS 15

static size_t decimals = 9; /* of corrected times: the same for all, so that rounding does not change their order */
static uint32_t definition_count;
static paje_buffer header, definitions; /* of types and values: what the survey found, to begin the merged trace with */
static const pajesim_text nothing = {"", 0};

void merge_begin_writing(void)
{
    if (merge_pass != MERGE_WRITE)
        return;
    paje_add_text(&paje_output, paje_text(&header));
    paje_add_text(&paje_output, paje_text(&definitions));
    paje_flush();
}

void merge_free_writing(void)
{
    paje_release(&header);
    paje_release(&definitions);
    definition_count = 0;
}

/* ---- definitions */

static const char *const field_types[] = {"date", "double", "float", "int", "hex", "string", "color"};

static int takes_alias(pajesim_event event)
{
    return event >= PAJESIM_DEFINE_CONTAINER_TYPE && event <= PAJESIM_CREATE_CONTAINER;
}

/* A container's file is merged, so the merged trace shall not name it. */
static int is_file_of_container(pajesim_event event, pajesim_role role)
{
    return event == PAJESIM_CREATE_CONTAINER && role == PAJESIM_FILENAME;
}

/* `text` is what stands behind the number. */
static const merge_definition *define(const merge_definition *definition, pajesim_text text)
{
    uint64_t file = definition->at[PAJESIM_FILENAME]; /* the only field that the text may lack */
    merge_key key = merge_make_key(MERGE_DEFINITION, (uint64_t)definition->event, file, 0, text);
    merge_entry *entry = merge_find(key);
    if (entry)
        return entry->thing;
    merge_definition *defined = paje_room(NULL, sizeof *defined);
    *defined = *definition;
    defined->number = ++definition_count;
    merge_add(key, defined, 1);
    if (definition->event != PAJESIM_TRACE_FILE) {
        paje_addf(&header, "%%EventDef %s %lu\n", pajesim_event_name(definition->event),
                  (unsigned long)defined->number);
        paje_add_text(&header, text);
        paje_addf(&header, "%%EndEventDef\n");
    }
    return defined;
}

const merge_definition *merge_define(const pajesim *sim, const pajesim_definition *definition)
{
    merge_definition it;
    memset(&it, 0, sizeof it);
    it.event = definition->event;
    it.count = definition->fields;
    paje_buffer text = {0};
    pajesim_field field;
    for (uint32_t i = 0; pajesim_definition_field(sim, definition->ref, i, &field); i++) {
        if (!is_file_of_container(it.event, field.role))
            paje_addf(&text, "%%  %.*s %s\n", (int)field.name.size, field.name.bytes, field_types[field.type]);
        if (field.role != PAJESIM_USER_FIELD)
            it.at[field.role] = (uint8_t)(i + 1);
    }
    it.aliased = takes_alias(it.event) && !it.at[PAJESIM_ALIAS];
    if (it.aliased)
        paje_addf(&text, "%%  Alias string\n");
    const merge_definition *defined = define(&it, paje_text(&text));
    paje_release(&text);
    return defined;
}

/* ---- words */

/* Digits of a number, from the end of `room` backwards. */
static pajesim_text digits(char room[24], uint64_t number)
{
    char *at = room + 24;
    do
        *--at = (char)('0' + number % 10);
    while (number /= 10);
    return (pajesim_text){at, (size_t)(room + 24 - at)};
}

static void add_word(paje_buffer *output, pajesim_text text)
{
    static const unsigned char special[256] = {[0] = 1,   [' '] = 1, ['\t'] = 1, ['\r'] = 1, ['#'] = 1,
                                               ['%'] = 1, [','] = 1, ['='] = 1,  ['\''] = 1};
    int quoted = text.size == 0;
    for (size_t i = 0; i < text.size; i++)
        quoted |= special[(unsigned char)text.bytes[i]];
    paje_add(output, " \"", quoted ? 2 : 1);
    size_t begin = output->size;
    paje_add_text(output, text);
    if (!quoted)
        return;
    for (size_t i = begin; i < output->size; i++)
        if (output->bytes[i] == '"') /* it came in single quotes; the format has no way to write it */
            output->bytes[i] = '\'';
    paje_add(output, "\"", 1);
}

void merge_note_decimals(pajesim_text time)
{
    const char *point = memchr(time.bytes, '.', time.size);
    size_t count = 0;
    while (point && point + count + 1 < time.bytes + time.size && point[count + 1] >= '0' && point[count + 1] <= '9')
        count++;
    decimals = count > MOST_DECIMALS ? MOST_DECIMALS : count > decimals ? count : decimals;
}

void merge_add_time(const merge_input *input, pajesim_time time, pajesim_text text)
{
    if (merge_is_right(input))
        add_word(&paje_output, text);
    else
        paje_addf(&paje_output, " %.*f", (int)decimals, merge_correct(input, time) + 0.0);
}

/* ---- a line: what it says in the merged trace */

typedef struct words {
    merge_input *input;
    const merge_line *line;
    pajesim_text by_role[PAJESIM_ROLE_COUNT]; /* no bytes: as the input has it */
    char numbers[2][24];
    enum merge_pass pass; /* in which it is written */
} words;

static void write_line(const words *it)
{
    const merge_line *line = it->line;
    if (merge_pass != it->pass)
        return;
    paje_buffer *output = it->pass == MERGE_SURVEY ? &definitions : &paje_output;
    char number[24];
    paje_add_text(output, digits(number, line->definition->number));
    pajesim_role roles[PAJESIM_WORDS] = {PAJESIM_USER_FIELD};
    for (int role = 1; role < PAJESIM_ROLE_COUNT; role++)
        if (line->definition->at[role])
            roles[line->definition->at[role] - 1] = (pajesim_role)role;
    for (uint32_t i = 0; i < line->definition->count; i++) {
        pajesim_text text = merge_word(it->input, line, i);
        if (roles[i] == PAJESIM_TIME && it->pass == MERGE_WRITE)
            merge_add_time(it->input, line->time, text);
        else if (!is_file_of_container(line->definition->event, roles[i]))
            add_word(output, roles[i] && it->by_role[roles[i]].bytes ? it->by_role[roles[i]] : text);
    }
    if (line->definition->aliased)
        add_word(output, it->by_role[PAJESIM_ALIAS]);
    if (output == &paje_output)
        paje_end_line();
    else
        paje_add(output, "\n", 1);
}

static pajesim_text container_alias(words *it, int slot, const merge_container *container)
{
    return digits(it->numbers[slot], container->number);
}

static pajesim_text said(const words *it, pajesim_role role)
{
    return merge_role(it->input, it->line, role);
}

/* The identifier of what a line defines. */
static pajesim_text said_alias(const words *it)
{
    pajesim_text alias = said(it, PAJESIM_ALIAS);
    return alias.size ? alias : said(it, PAJESIM_NAME);
}

/* NULL, and the line is refused, if there is none. */
static merge_type *type_in(words *it, pajesim_role role)
{
    merge_type *type = merge_find_type(it->input, said(it, role));
    if (type)
        it->by_role[role] = type->alias;
    else
        merge_refuse(it->input, it->line, PAJESIM_E_TYPE_UNKNOWN, said(it, role));
    return type;
}

static merge_container *container_in(words *it, pajesim_role role, int slot, const merge_type *parent_type)
{
    merge_container *container = merge_find_container(it->input, said(it, role), parent_type);
    if (container)
        it->by_role[role] = container_alias(it, slot, container);
    else
        merge_refuse(it->input, it->line, PAJESIM_E_CONTAINER_UNKNOWN, said(it, role));
    return container;
}

static void take_type(words *it, pajesim_kind kind)
{
    merge_type *parent = type_in(it, PAJESIM_TYPE), *start = NULL, *end = NULL;
    if (!parent)
        return;
    if (kind == PAJESIM_LINK) {
        start = type_in(it, PAJESIM_START_CONTAINER_TYPE);
        end = start ? type_in(it, PAJESIM_END_CONTAINER_TYPE) : NULL;
        if (!end)
            return;
    }
    int made;
    pajesim_text alias = said_alias(it);
    if (alias.size == 1 && alias.bytes[0] == '0') {
        merge_refuse(it->input, it->line, PAJESIM_E_TYPE_RESERVED, alias);
        return;
    }
    const merge_type *type =
        merge_define_type(it->input, kind, parent, start, end, said(it, PAJESIM_NAME), alias, &made);
    if (!type) {
        type = merge_find_type(it->input, alias);
        merge_refuse(it->input, it->line,
                     type->kind == kind && type->parent == parent ? PAJESIM_E_TYPE_AGAIN : PAJESIM_E_TYPE_TWICE, alias);
    } else if (made) {
        it->by_role[PAJESIM_ALIAS] = type->alias;
        write_line(it);
    }
}

static void take_value(words *it)
{
    const merge_type *type = type_in(it, PAJESIM_TYPE);
    if (!type)
        return;
    int made;
    pajesim_text alias = merge_define_value(it->input, type, said(it, PAJESIM_NAME), said_alias(it), &made);
    if (!alias.bytes) {
        merge_refuse(it->input, it->line, PAJESIM_E_VALUE_TWICE, said_alias(it));
    } else if (made) {
        it->by_role[PAJESIM_ALIAS] = alias;
        write_line(it);
    }
}

static void create_container(words *it)
{
    merge_type *type = type_in(it, PAJESIM_TYPE);
    merge_container *parent = type ? container_in(it, PAJESIM_CONTAINER_FIELD, 0, type->parent) : NULL;
    if (!parent)
        return;
    int made;
    merge_container *container = merge_create_container(it->input, parent, type, said(it, PAJESIM_NAME),
                                                        said_alias(it), &made);
    if (!container) {
        merge_refuse(it->input, it->line, PAJESIM_E_CONTAINER_TWICE, said_alias(it));
        return;
    }
    if (!made)
        return;
    it->by_role[PAJESIM_CONTAINER_FIELD] = container_alias(it, 0, container->parent);
    it->by_role[PAJESIM_ALIAS] = container_alias(it, 1, container);
    write_line(it);
}

static void write_destroy(merge_container *container, void *data)
{
    words *it = data;
    it->by_role[PAJESIM_NAME] = container_alias(it, 0, container);
    it->by_role[PAJESIM_TYPE] = container->type->alias;
    write_line(it);
}

static void destroy_container(words *it)
{
    merge_type *type = type_in(it, PAJESIM_TYPE);
    merge_container *container = type ? container_in(it, PAJESIM_NAME, 0, type->parent) : NULL;
    if (!container)
        return;
    if (container->number == 0)
        merge_refuse(it->input, it->line, PAJESIM_E_ROOT_DESTROYED, nothing);
    else if (type == container->type ||
             !merge_refuse(it->input, it->line, PAJESIM_E_CONTAINER_NOT_TYPE, said(it, PAJESIM_NAME)))
        merge_destroy_container(it->input, container, write_destroy, it);
}

/* What happens to a container that exists: states, variables, events and links.  Answers 0 if it has to wait. */
static int take_event(words *it)
{
    const merge_definition *definition = it->line->definition;
    const merge_type *type = type_in(it, PAJESIM_TYPE);
    merge_container *container = type ? container_in(it, PAJESIM_CONTAINER_FIELD, 0, type->parent) : NULL;
    if (!container)
        return 1;
    int start = definition->event == PAJESIM_START_LINK, end = definition->event == PAJESIM_END_LINK;
    if ((start || end) &&
        !container_in(it, start ? PAJESIM_START_CONTAINER : PAJESIM_END_CONTAINER, 1, NULL))
        return 1;
    if (definition->at[PAJESIM_VALUE] && type->kind != PAJESIM_VARIABLE)
        it->by_role[PAJESIM_VALUE] = merge_find_value(it->input, type, said(it, PAJESIM_VALUE));
    if (start || end) {
        pajesim_text key = merge_link_key(it->input, type, container, start, said(it, PAJESIM_KEY),
                                          merge_correct(it->input, it->line->time));
        if (!key.bytes)
            return 0;
        it->by_role[PAJESIM_KEY] = key;
    }
    write_line(it);
    return 1;
}

int merge_take_line(merge_input *input, const merge_line *line)
{
    static const pajesim_kind kinds[] = {
        [PAJESIM_DEFINE_CONTAINER_TYPE] = PAJESIM_CONTAINER, [PAJESIM_DEFINE_STATE_TYPE] = PAJESIM_STATE,
        [PAJESIM_DEFINE_EVENT_TYPE] = PAJESIM_EVENT,         [PAJESIM_DEFINE_VARIABLE_TYPE] = PAJESIM_VARIABLE,
        [PAJESIM_DEFINE_LINK_TYPE] = PAJESIM_LINK,
    };
    words it;
    memset(&it, 0, sizeof it);
    it.input = input;
    it.line = line;
    it.pass = MERGE_WRITE;
    pajesim_event event = line->definition->event;
    if (event <= PAJESIM_DEFINE_ENTITY_VALUE) {
        it.pass = MERGE_SURVEY;
        if (merge_pass == MERGE_SURVEY && event == PAJESIM_DEFINE_ENTITY_VALUE)
            take_value(&it);
        else if (merge_pass == MERGE_SURVEY)
            take_type(&it, kinds[event]);
    } else if (event == PAJESIM_CREATE_CONTAINER) {
        create_container(&it);
    } else if (event == PAJESIM_DESTROY_CONTAINER) {
        destroy_container(&it);
    } else if (event != PAJESIM_TRACE_FILE) { /* the lines of that file come next */
        return take_event(&it);
    }
    return 1;
}
