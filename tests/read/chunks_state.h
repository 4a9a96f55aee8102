/* Everything that can be seen of a simulation, as a text, for chunks.c. */
#ifndef TESTS_CHUNKS_STATE_H
#define TESTS_CHUNKS_STATE_H

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { TEXT = 1 << 22 };

static size_t text_size;

static void put(char *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (text_size < TEXT - 1)
        text_size += (size_t)vsnprintf(text + text_size, TEXT - text_size, format, arguments);
    va_end(arguments);
}

static void put_text(char *text, const char *name, pajesim_text it)
{
    put(text, " %s=%.*s", name, (int)it.size, it.bytes);
}

static void put_fields(char *text, pajesim *sim, pajesim__offset fields)
{
    pajesim_fields view;
    pajesim_field field;
    uint32_t i;
    memset(&view, 0, sizeof view);
    pajesim__view_kept_fields(sim, fields, &view);
    for (i = 0; view.count && pajesim_user_field(sim, &view, i, &field); i++) {
        put_text(text, "field", field.name);
        put_text(text, "is", field.text);
    }
}

static void put_value(char *text, const pajesim *sim, pajesim_ref value)
{
    put_text(text, "value", pajesim_alias(sim, value));
    put_text(text, "named", pajesim_name(sim, value));
    if (value && PAJESIM__RECORD(sim, value)->flags & PAJESIM__IMPLICIT)
        put(text, " implicit %lu %d", (unsigned long)PAJESIM__VALUE_AT(sim, value)->refs,
            PAJESIM__RECORD(sim, value)->flags & PAJESIM__QUEUED);
}

static void put_container(char *text, pajesim *sim, pajesim_ref ref)
{
    const pajesim__container *container = PAJESIM__CONTAINER_AT(sim, ref);
    pajesim__offset at;
    pajesim_ref type = 0;
    put(text, "container %.17g %u", (double)container->start, (unsigned)container->serial);
    put_text(text, "alias", pajesim_alias(sim, ref));
    put_text(text, "in", pajesim_alias(sim, container->record.parent));
    put_fields(text, sim, container->fields);
    while ((type = pajesim__next_slot_type(sim, container, type)) != 0) {
        const pajesim__slot *slot = pajesim__find_slot(sim, container, type);
        uint32_t i, depth = pajesim_depth(sim, ref, type);
        if (slot->last > PAJESIM__TIME_LEAST)
            put(text, "\n  type %.*s %.17g %u", (int)pajesim_alias(sim, type).size, pajesim_alias(sim, type).bytes,
                (double)slot->last, (unsigned)depth);
        for (i = 0; i < depth && PAJESIM__RECORD(sim, type)->kind == PAJESIM_STATE; i++) {
            const pajesim__frame *frame = PAJESIM__AT(sim, pajesim__frame, slot->open.stack.frames) + i;
            put(text, "\n    %.17g", (double)frame->start);
            put_value(text, sim, frame->value);
            put_fields(text, sim, frame->fields);
        }
        if (depth && PAJESIM__RECORD(sim, type)->kind == PAJESIM_VARIABLE) {
            put(text, " from %.17g: %.17g", (double)slot->start, (double)slot->open.variable.number);
            put_fields(text, sim, slot->open.variable.fields);
        }
    }
    for (at = container->links; at; at = PAJESIM__AT(sim, pajesim__link, at)->next) {
        const pajesim__link *link = PAJESIM__AT(sim, pajesim__link, at);
        put(text, "\n  link %.17g %lu", (double)link->time, (unsigned long)link->started);
        put_text(text, "key", pajesim__id_text(sim, &link->id));
        put_text(text, "type", pajesim_alias(sim, link->id.subscope));
        put_text(text, "at", pajesim_alias(sim, link->end_point));
        put_text(text, "value", pajesim__link_value(sim, link));
        put_fields(text, sim, link->fields);
    }
    put(text, "\n");
}

static void put_types(char *text, const pajesim *sim)
{
    pajesim_ref type = pajesim_root_type(sim);
    while (type) {
        put_text(text, "type", pajesim_alias(sim, type));
        put_text(text, "name", pajesim_name(sim, type));
        if (pajesim_first_child(sim, type)) {
            type = pajesim_first_child(sim, type);
            continue;
        }
        while (type && !pajesim_next_sibling(sim, type))
            type = pajesim_parent(sim, type);
        type = type ? pajesim_next_sibling(sim, type) : 0;
    }
    put(text, "\n");
}

static void describe(char *text, pajesim *sim)
{
    const pajesim__state *state = PAJESIM__CONST_STATE(sim);
    const pajesim_counts *counts = pajesim_count(sim);
    pajesim_ref ref;
    uint32_t i;
    text_size = 0;
    put(text, "line %lu lines %lu bytes %lu events %lu skipped %lu warnings %lu errors %lu digest %lx\n",
        (unsigned long)state->line, (unsigned long)counts->lines, (unsigned long)counts->bytes,
        (unsigned long)counts->events, (unsigned long)counts->skipped, (unsigned long)counts->warnings,
        (unsigned long)counts->errors, (unsigned long)pajesim__digest_of(state));
    put(text, "containers %lu states %lu variables %lu links %lu punctual %lu from %.17g to %.17g\n",
        (unsigned long)counts->containers, (unsigned long)counts->states, (unsigned long)counts->variables,
        (unsigned long)counts->links, (unsigned long)counts->punctual, (double)counts->first, (double)counts->last);
    for (i = 0; i < PAJESIM_EVENT_COUNT; i++)
        put(text, " %lu", (unsigned long)counts->by_event[i]);
    put(text, "\nproblem %d %lu %u %.64s\n", state->problem.code, (unsigned long)state->problem.line,
        (unsigned)state->problem.column, state->problem.bytes);
    put(text, "closed %lx\n", (unsigned long)*(uint64_t *)pajesim_data(sim));
    put(text, "defining %d skipping %d stage %d carry %u, keys %lu\n", state->defining != 0, state->skip_definition,
        state->stage, (unsigned)state->carry_size, (unsigned long)state->used_ids.count);
    put_types(text, sim);
    put(text, "destroyed %lu:", (unsigned long)state->destroyed.count);
    for (ref = state->destroyed.first; ref; ref = PAJESIM__CONTAINER_AT(sim, ref)->aux.next)
        put_text(text, "", pajesim_alias(sim, ref));
    put(text, "\nunused %lu:", (unsigned long)state->unused_values.count);
    for (ref = state->unused_values.first; ref; ref = PAJESIM__VALUE_AT(sim, ref)->next)
        put_value(text, sim, ref);
    put(text, "\n");
    for (ref = state->root; ref; ref = pajesim__next_container(sim, ref))
        put_container(text, sim, ref);
}

#endif
