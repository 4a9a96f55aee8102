/* What a line means, and how it is written in the merged trace, with the identifiers that things have there. */
#include "merge.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

enum { MIN_DECIMALS = 9 };

void merge_write_definitions(merge *m)
{
    text_append(&stream_output, text_view(&m->definitions.header));
    text_append(&stream_output, text_view(&m->output.types));
    stream_flush();
}

/* ---- words */

/* Appends a word that needs no quotes, or has them, and MERGE_SLACK behind it. */
static void put_written(text_buffer *output, pajesim_text word)
{
    char *to = text_reserve(output, 1 + word.size + MERGE_SLACK);
    *to++ = ' ';
    if (word.size <= MERGE_SLACK)
        memcpy(to, word.bytes, MERGE_SLACK);
    else
        memcpy(to, word.bytes, word.size);
    output->size += 1 + word.size;
}

static void put_word(const merge *m, text_buffer *output, pajesim_text word)
{
    text_putc(output, ' ');
    merge_put_word(output, word, m->is_strict);
}

/* ---- times */

/* Writes a time, by decimals from `text`, as it is in the input, if the clock is not corrected.  What is infinite then
 * becomes the greatest number. */
static void put_time(merge *m, const merge_input *input, pajesim_time time, pajesim_text text)
{
    static text_buffer sum;
    size_t decimals = m->output.decimals > MIN_DECIMALS ? m->output.decimals : MIN_DECIMALS;
    int is_unchanged = merge_is_unchanged(m, input);
    if (is_unchanged && !input->clock.given)
        put_written(&stream_output, text);
    else if (is_unchanged && merge_put_given(&sum, input, text, decimals))
        put_word(m, &stream_output, text_view(&sum));
    else
        text_printf(&stream_output, " %.*f", (int)decimals,
                    fmin(fmax(merge_correct(m, input, time), -DBL_MAX), DBL_MAX) + 0.0); /* no -0 */
}

/* ---- comments */

/* Corrects the times in a comment that pajewrite.h writes where it drops events: `dropped 12 events from 1.5 to 1.7`.
 * Returns 0 if it is another comment. */
static int put_gap(merge *m, const merge_input *input, pajesim_text text)
{
    char copy[128], first[40], last[40];
    unsigned long long count;
    double from, to;
    int size = -1;
    if (text.size >= sizeof copy)
        return 0;
    memcpy(copy, text.bytes, text.size);
    copy[text.size] = 0;
    if (sscanf(copy, "dropped %llu events from %39s to %39s%n", &count, first, last, &size) != 3 ||
        size != (int)text.size || !paje_parse_number(first, &from) || !paje_parse_number(last, &to))
        return 0;
    text_printf(&stream_output, "dropped %llu events from", count);
    put_time(m, input, merge_read_time(input, text_of(first), from), text_of(first));
    text_puts(&stream_output, " to");
    put_time(m, input, merge_read_time(input, text_of(last), to), text_of(last));
    return 1;
}

void merge_write_comment(merge *m, const merge_input *input, const merge_line *line)
{
    pajesim_text text = merge_word(input, line, 0);
    text_puts(&stream_output, "# ");
    text_put_printable(&stream_output, text_of(line->file));
    text_puts(&stream_output, ": ");
    if (!put_gap(m, input, text))
        text_put_printable(&stream_output, text);
    stream_end_line();
}

/* ---- a line */

/* A line, and its fields in the merged trace. */
typedef struct translation {
    merge *m;
    merge_input *input;
    const merge_line *line;
    uint32_t changed; /* fields that are not as in the input, bits by role, ... */
    pajesim_text fields[PAJESIM_ROLE_COUNT]; /* ... with quotes if they need them */
    char number[20 + MERGE_SLACK];           /* a buffer for the identifier of a container */
    enum merge_pass pass;                    /* the pass that writes it */
} translation;

static void change_field(translation *it, pajesim_role role, pajesim_text field)
{
    it->changed |= 1u << role;
    it->fields[role] = field;
}

static void write_line(const translation *it)
{
    const merge_line *line = it->line;
    const merge_definition *definition = line->definition;
    if (it->m->pass != it->pass || it->m->share.is_outside)
        return;
    text_buffer *output = it->pass == MERGE_SURVEY ? &it->m->output.types : &stream_output;
    text_put(output, definition->digits, definition->digit_count);
    for (uint32_t i = 0; i < definition->field_count; i++) {
        pajesim_role role = (pajesim_role)definition->roles[i];
        if (it->changed >> role & 1)
            put_written(output, it->fields[role]);
        else if (role == PAJESIM_TIME && it->pass == MERGE_WRITE)
            put_time(it->m, it->input, line->time, merge_word(it->input, line, i));
        else if (merge_is_container_file(definition->event, role))
            continue;
        else if (line->is_plain)
            put_written(output, merge_word(it->input, line, i));
        else
            put_word(it->m, output, merge_word(it->input, line, i));
    }
    if (definition->adds_alias)
        put_written(output, it->fields[PAJESIM_ALIAS]);
    if (output == &stream_output)
        stream_end_line();
    else
        text_putc(output, '\n');
}

static pajesim_text container_alias(const merge_container *container)
{
    return (pajesim_text){container->digits, container->digit_count};
}

static pajesim_text input_field(const translation *it, pajesim_role role)
{
    return merge_field(it->input, it->line, role);
}

/* Returns the identifier of the type, value or container that a line defines. */
static pajesim_text input_alias(const translation *it)
{
    pajesim_text alias = input_field(it, PAJESIM_ALIAS);
    return alias.size ? alias : input_field(it, PAJESIM_NAME);
}

static int reject(const translation *it, pajesim_code code, pajesim_text bytes)
{
    return merge_reject(it->input, it->line, code, bytes);
}

/* Rejects the line and returns NULL if there is no such type. */
static merge_type *translate_type(translation *it, pajesim_role role)
{
    merge_type *type = merge_know_type(it->m, it->input, input_field(it, role));
    if (type)
        change_field(it, role, type->alias);
    else
        reject(it, PAJESIM_E_TYPE_UNKNOWN, input_field(it, role));
    return type;
}

/* Rejects it also if it is no type of containers, as only these have types and containers in them. */
static merge_type *translate_container_type(translation *it, pajesim_role role)
{
    merge_type *type = translate_type(it, role);
    if (!type || type->kind == PAJESIM_CONTAINER)
        return type;
    reject(it, PAJESIM_E_TYPE_NOT_CONTAINER, input_field(it, role));
    return NULL;
}

/* Rejects the line and returns NULL if there is no such container. */
static merge_container *translate_container(translation *it, pajesim_role role, const merge_type *parent_type)
{
    merge_container *container = merge_know_container(it->m, it->input, input_field(it, role), parent_type);
    if (container)
        change_field(it, role, container_alias(container));
    else
        reject(it, PAJESIM_E_CONTAINER_UNKNOWN, input_field(it, role));
    return container;
}

/* Whether a line is about a container that was destroyed; rejects it then.  Raw files may have such lines by their
 * clocks, which the reader of the merged trace reports. */
static int is_late(const translation *it, const merge_container *container, pajesim_role role)
{
    return !container->is_alive && !it->input->is_raw &&
           reject(it, PAJESIM_E_CONTAINER_DESTROYED, input_field(it, role));
}

/* ---- definitions of types and values */

static void define_type(translation *it, pajesim_kind kind)
{
    merge_type *parent = translate_container_type(it, PAJESIM_TYPE), *start = NULL, *end = NULL;
    if (!parent)
        return;
    if (kind == PAJESIM_LINK) {
        start = translate_container_type(it, PAJESIM_START_CONTAINER_TYPE);
        end = start ? translate_container_type(it, PAJESIM_END_CONTAINER_TYPE) : NULL;
        if (!end)
            return;
    }
    int is_new;
    pajesim_text name = input_field(it, PAJESIM_NAME), alias = input_alias(it);
    if (alias.size == 1 && alias.bytes[0] == '0') {
        reject(it, PAJESIM_E_TYPE_RESERVED, alias);
        return;
    }
    const merge_type *type = merge_define_type(it->m, it->input, kind, parent, start, end, name, alias, &is_new);
    if (!type) {
        type = merge_find_type(it->m, it->input, alias);
        reject(it, type->kind == kind && type->parent == parent ? PAJESIM_E_TYPE_AGAIN : PAJESIM_E_TYPE_TWICE, alias);
    } else if (is_new) {
        change_field(it, PAJESIM_ALIAS, type->alias);
        write_line(it);
    }
}

static void define_value(translation *it)
{
    const merge_type *type = translate_type(it, PAJESIM_TYPE);
    if (!type)
        return;
    if (type->kind == PAJESIM_CONTAINER || type->kind == PAJESIM_VARIABLE) {
        reject(it, PAJESIM_E_VALUE_TYPE, input_field(it, PAJESIM_TYPE));
        return;
    }
    pajesim_text name = input_field(it, PAJESIM_NAME), alias = input_alias(it), written = {NULL, 0};
    if (!merge_define_value(it->m, it->input, type, name, alias, &written)) {
        reject(it, PAJESIM_E_VALUE_TWICE, alias);
    } else if (written.bytes) {
        change_field(it, PAJESIM_ALIAS, written);
        write_line(it);
    }
}

/* Writes the definition of a value that no input defines, with a definition of that event which an input has. */
static void write_value(const translation *it, const merge_type *type, pajesim_text alias)
{
    const merge_definitions *definitions = &it->m->definitions;
    const merge_definition *least = NULL;
    for (size_t i = 0; i < definitions->items.count; i++) {
        const merge_definition *other = definitions->items.items[i];
        if (other->event == PAJESIM_DEFINE_ENTITY_VALUE && (!least || other->field_count < least->field_count))
            least = other;
    }
    text_put(&stream_output, least->digits, least->digit_count);
    for (uint32_t i = 1; i <= least->field_count; i++)
        if (least->positions[PAJESIM_TYPE] == i)
            put_written(&stream_output, type->alias);
        else if (least->positions[PAJESIM_ALIAS] == i)
            put_written(&stream_output, alias);
        else if (least->positions[PAJESIM_NAME] == i)
            put_word(it->m, &stream_output, input_field(it, PAJESIM_VALUE));
        else
            text_puts(&stream_output, least->positions[PAJESIM_COLOR] == i ? " \"0.5 0.5 0.5\"" : " \"\"");
    if (least->adds_alias)
        put_written(&stream_output, alias);
    stream_end_line();
}

static void translate_value(translation *it, const merge_type *type)
{
    int is_new;
    pajesim_text value = merge_know_value(it->m, it->input, type, input_field(it, PAJESIM_VALUE), &is_new);
    if (value.bytes)
        change_field(it, PAJESIM_VALUE, value);
    if (is_new) {
        merge_go_on_alone(it->m); /* the others do not know that value */
        write_value(it, type, value);
    }
}

/* ---- containers */

static void create_container(translation *it)
{
    merge_type *type = translate_container_type(it, PAJESIM_TYPE);
    merge_container *parent = type ? translate_container(it, PAJESIM_CONTAINER_FIELD, type->parent) : NULL;
    if (!parent)
        return;
    int is_new;
    const merge_container *container = merge_create_container(
        it->m, it->input, parent, type, input_field(it, PAJESIM_NAME), input_alias(it), &is_new);
    if (!container) {
        reject(it, PAJESIM_E_CONTAINER_TWICE, input_alias(it));
    } else if (is_new) {
        change_field(it, PAJESIM_CONTAINER_FIELD, container_alias(container->parent));
        change_field(it, PAJESIM_ALIAS, container_alias(container));
        write_line(it);
    }
}

static void destroy_container(translation *it)
{
    merge_type *type = translate_container_type(it, PAJESIM_TYPE);
    merge_container *container = type ? translate_container(it, PAJESIM_NAME, type->parent) : NULL;
    if (!container)
        return;
    if (container->number == 0) {
        reject(it, PAJESIM_E_ROOT_DESTROYED, merge_no_text);
        return;
    }
    if (is_late(it, container, PAJESIM_NAME))
        return;
    if (type != container->type && reject(it, PAJESIM_E_CONTAINER_NOT_TYPE, input_field(it, PAJESIM_NAME)))
        return;
    merge_destroy_container(it->m, it->input, container);
    for (size_t i = 0; i < it->m->containers.destroyed.count; i++) {
        const merge_destroyed *destroyed = &it->m->containers.destroyed.items[i];
        change_field(it, PAJESIM_NAME, merge_digits(it->number, destroyed->number));
        change_field(it, PAJESIM_TYPE, destroyed->type->alias);
        write_line(it);
    }
}

/* ---- states, variables, events and links */

static pajesim_kind kind_of(pajesim_event event)
{
    return event <= PAJESIM_RESET_STATE    ? PAJESIM_STATE
           : event == PAJESIM_NEW_EVENT    ? PAJESIM_EVENT
           : event <= PAJESIM_SUB_VARIABLE ? PAJESIM_VARIABLE
                                           : PAJESIM_LINK;
}

/* Returns 0 if the line has to wait. */
static int translate_event(translation *it)
{
    const merge_definition *definition = it->line->definition;
    const merge_type *type = translate_type(it, PAJESIM_TYPE);
    merge_container *container = type ? translate_container(it, PAJESIM_CONTAINER_FIELD, type->parent) : NULL;
    if (!container)
        return 1;
    if (type->kind != kind_of(definition->event)) {
        reject(it, PAJESIM_E_TYPE_KIND, input_field(it, PAJESIM_TYPE));
        return 1;
    }
    if (is_late(it, container, PAJESIM_CONTAINER_FIELD))
        return 1;
    if (container->is_alive && type->parent != container->type) {
        reject(it, PAJESIM_E_TYPE_MISMATCH, input_field(it, PAJESIM_TYPE));
        return 1;
    }
    int is_start = definition->event == PAJESIM_START_LINK, is_end = definition->event == PAJESIM_END_LINK;
    if (is_end && it->input->is_raw &&
        !merge_know_container(it->m, it->input, input_field(it, PAJESIM_END_CONTAINER), NULL))
        return 1; /* an access to a process that was killed meanwhile: its start is unpaired */
    if ((is_start || is_end) &&
        !translate_container(it, is_start ? PAJESIM_START_CONTAINER : PAJESIM_END_CONTAINER, NULL))
        return 1;
    if (it->m->pass == MERGE_WRITE && definition->positions[PAJESIM_VALUE] && type->kind != PAJESIM_VARIABLE)
        translate_value(it, type);
    if (is_start || is_end) {
        if (merge_is_unpaired(it->m, it->input))
            return 1;
        pajesim_text key = {NULL, 0};
        if (!merge_add_link(it->m, it->input, type, container, is_start, input_field(it, PAJESIM_KEY),
                            merge_correct(it->m, it->input, it->line->time), &key))
            return 0;
        if (key.bytes)
            change_field(it, PAJESIM_KEY, key);
    }
    int ends_last = type->kind == PAJESIM_STATE || definition->event == PAJESIM_SET_VARIABLE; /* adding makes a sum */
    if (container->is_alive && ends_last && it->m->pass == MERGE_WRITE)
        merge_note_write(it->m, it->input, container, type);
    if (it->m->aligns && it->m->pass != MERGE_SURVEY && type->kind == PAJESIM_STATE)
        merge_add_state(it->m, it->input, it->line, type, (size_t)container->number);
    write_line(it);
    return 1;
}

int merge_process_line(merge *m, merge_input *input, const merge_line *line)
{
    static const pajesim_kind kinds[] = {
        [PAJESIM_DEFINE_CONTAINER_TYPE] = PAJESIM_CONTAINER, [PAJESIM_DEFINE_STATE_TYPE] = PAJESIM_STATE,
        [PAJESIM_DEFINE_EVENT_TYPE] = PAJESIM_EVENT,         [PAJESIM_DEFINE_VARIABLE_TYPE] = PAJESIM_VARIABLE,
        [PAJESIM_DEFINE_LINK_TYPE] = PAJESIM_LINK,
    };
    pajesim_event event = line->definition->event;
    int is_definition = event <= PAJESIM_DEFINE_ENTITY_VALUE;
    if (is_definition && m->pass != MERGE_SURVEY)
        return 1;
    translation it;
    it.changed = 0;
    it.m = m;
    it.input = input;
    it.line = line;
    it.pass = is_definition ? MERGE_SURVEY : MERGE_WRITE;
    if (!is_definition && m->pass == MERGE_SURVEY)
        merge_note_decimals(m, merge_field(input, line, PAJESIM_TIME));
    if (event == PAJESIM_DEFINE_ENTITY_VALUE)
        define_value(&it);
    else if (is_definition)
        define_type(&it, kinds[event]);
    else if (event == PAJESIM_CREATE_CONTAINER)
        create_container(&it);
    else if (event == PAJESIM_DESTROY_CONTAINER)
        destroy_container(&it);
    else if (event != PAJESIM_TRACE_FILE && !m->share.is_outside) /* the lines of that file come next */
        return translate_event(&it);
    return 1;
}
