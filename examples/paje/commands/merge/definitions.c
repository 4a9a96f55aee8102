/* Event definitions of the merged trace: one for all inputs that define the same event with the same fields. */
#include "merge.h"

#include <stdlib.h>

static const char *const field_types[] = {"date", "double", "float", "int", "hex", "string", "color"};

static void note_collective(merge_definition *definition, pajesim_text field, uint32_t position)
{
    static const char *const names[MERGE_COLLECTIVE_FIELDS] = {"Communicator", "Instance", "Rank", "Root", "Size"};
    for (int i = 0; i < MERGE_COLLECTIVE_FIELDS; i++)
        if (text_is_equal(field, text_of(names[i])))
            definition->collective[i] = (uint8_t)position;
}

static int has_alias(pajesim_event event)
{
    return event >= PAJESIM_DEFINE_CONTAINER_TYPE && event <= PAJESIM_CREATE_CONTAINER;
}

/* Returns the definition of the merged trace that is like this one; `fields` is the text below its first line. */
static const merge_definition *find_or_add(merge *m, const merge_definition *like, pajesim_text fields)
{
    merge_definitions *definitions = &m->definitions;
    /* Where the text of the fields is not that of the input: one may be missing in it, or be added to it. */
    uint64_t other = merge_two(like->positions[PAJESIM_FILENAME], (uint32_t)like->adds_alias);
    size_t number = merge_add(m, &definitions->keys, (uint64_t)like->event, other, fields);
    if (number < definitions->items.count)
        return definitions->items.items[number];
    merge_definition *definition = memory_alloc(1, sizeof *definition);
    *definition = *like;
    definition->number = (uint32_t)number + 1;
    definition->digit_count = (uint8_t)merge_digits(definition->digits, definition->number).size;
    for (int role = 1; role < PAJESIM_ROLE_COUNT; role++)
        if (definition->positions[role])
            definition->roles[definition->positions[role] - 1] = (uint8_t)role;
    *array_push(&definitions->items) = definition;
    if (definition->event != PAJESIM_TRACE_FILE) {
        text_printf(&definitions->header, "%%EventDef %s %lu\n", pajesim_event_name(definition->event),
                    (unsigned long)definition->number);
        text_append(&definitions->header, fields);
        text_puts(&definitions->header, "%EndEventDef\n");
    }
    return definition;
}

void merge_add_definition(merge *m, uint32_t input, const pajesim *sim, const pajesim_definition *definition)
{
    merge_definition like;
    memset(&like, 0, sizeof like);
    like.event = definition->event;
    like.field_count = definition->fields;
    text_buffer fields = {0};
    pajesim_field field;
    for (uint32_t i = 0; pajesim_definition_field(sim, definition->ref, i, &field); i++) {
        if (!merge_is_container_file(like.event, field.role)) {
            text_puts(&fields, MERGE_FIELD);
            merge_put_word(&fields, field.name, m->is_strict);
            text_printf(&fields, " %s\n", field_types[field.type]);
        }
        if (field.role != PAJESIM_USER_FIELD)
            like.positions[field.role] = (uint8_t)(i + 1);
        else
            note_collective(&like, field.name, i + 1);
    }
    like.adds_alias = has_alias(like.event) && !like.positions[PAJESIM_ALIAS];
    if (like.adds_alias)
        text_puts(&fields, MERGE_FIELD "Alias string\n");
    /* A ref may be in use already: those of an included file are used again after its end. */
    size_t ref = merge_add(m, &m->definitions.refs, input, definition->ref, merge_no_text);
    *array_at(&m->definitions.by_ref, ref) = find_or_add(m, &like, text_view(&fields));
    text_free(&fields);
}

const merge_definition *merge_find_definition(merge *m, uint32_t input, pajesim_ref ref)
{
    return m->definitions.by_ref.items[merge_find(m, &m->definitions.refs, input, ref, merge_no_text)];
}

void merge_free_definitions(merge *m)
{
    merge_definitions *definitions = &m->definitions;
    for (size_t i = 0; i < definitions->items.count; i++)
        free(definitions->items.items[i]);
    array_free(&definitions->items);
    array_free(&definitions->by_ref);
    map_free(&definitions->keys);
    map_free(&definitions->refs);
    text_free(&definitions->header);
}
