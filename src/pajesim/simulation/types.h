/* Types: the lines that define them (section "Identity"). */
#pragma once

#include "naming.h"

#if PAJESIM_CHECKS
/* Whether `type` is `ancestor` or below it.  Each type has a jump pointer (Myers 1983): across two jumps of its parent
 * if these are equally long, else to its parent.  So the search takes O(log depth) steps. */
static int pajesim__is_within(const pajesim *sim, pajesim_ref type, pajesim_ref ancestor)
{
    uint32_t depth = PAJESIM__TYPE_AT(sim, ancestor)->depth;
    while (PAJESIM__TYPE_AT(sim, type)->depth > depth) {
        pajesim_ref jump = PAJESIM__TYPE_AT(sim, type)->jump;
        type = PAJESIM__TYPE_AT(sim, jump)->depth < depth ? PAJESIM__RECORD(sim, type)->parent : jump;
    }
    return type == ancestor;
}

static void pajesim__init_jump(const pajesim *sim, pajesim__type *type, pajesim_ref parent)
{
    const pajesim__type *above = PAJESIM__TYPE_AT(sim, parent), *far = PAJESIM__TYPE_AT(sim, above->jump);
    type->depth = above->depth + 1;
    type->jump = above->depth - far->depth == far->depth - PAJESIM__TYPE_AT(sim, far->jump)->depth ? far->jump : parent;
}
#else
#define pajesim__is_within(sim, type, ancestor) 1
#define pajesim__init_jump(sim, type, parent) ((void)0)
#endif

static int pajesim__defined_alike(const pajesim *sim, const pajesim__line *line, const pajesim__naming *names,
                                  pajesim_ref type, pajesim_kind kind, pajesim_ref parent)
{
    pajesim_text name = pajesim_name(sim, type);
    uint32_t word = names->name_word ? names->name_word : names->id_word;
    return PAJESIM__RECORD(sim, type)->kind == kind && PAJESIM__RECORD(sim, type)->parent == parent &&
           name.size == PAJESIM__SIZE(line, word) && memcmp(name.bytes, PAJESIM__WORD(line, word), name.size) == 0;
}

/* Gives the type of entities on containers of a type its slot. */
static void pajesim__assign_slot(pajesim *sim, pajesim_ref parent, pajesim_ref ref)
{
#if PAJESIM_REFERENCE != 16
    pajesim_ref last = PAJESIM__TYPE_AT(sim, ref)->tree.previous;
    while (last && PAJESIM__RECORD(sim, last)->kind == PAJESIM_CONTAINER)
        last = PAJESIM__TYPE_AT(sim, last)->tree.previous;
    PAJESIM__TYPE_AT(sim, last ? last : parent)->next_entity = ref;
#endif
    PAJESIM__TYPE_AT(sim, ref)->slot = PAJESIM__TYPE_AT(sim, parent)->of.slots++;
}

static void pajesim__call_new_type(pajesim *sim, pajesim_ref ref)
{
    const pajesim__type *type = PAJESIM__TYPE_AT(sim, ref);
    pajesim_type_info info;
    if (!sim->callbacks->new_type)
        return;
    info.ref = ref;
    info.kind = (pajesim_kind)type->record.kind;
    info.parent = type->record.parent;
    info.start_type = type->of.link.start_type;
    info.end_type = type->of.link.end_type;
    info.name = pajesim_name(sim, ref);
    info.alias = pajesim_alias(sim, ref);
    info.color = pajesim_color(sim, ref);
    PAJESIM__CALL(sim, new_type, &info);
}

static pajesim__outcome pajesim__define_type(pajesim *sim, pajesim__line *line, const pajesim__definition *definition)
{
    pajesim__state *state = PAJESIM__STATE(sim);
    pajesim_kind kind = (pajesim_kind)definition->kind;
    pajesim__naming names = pajesim__read_naming(sim, line, definition);
    pajesim_ref parent, start = 0, end = 0, ref;
    pajesim__type *type;

    parent = pajesim__container_type_at(sim, line, PAJESIM__FIELD(definition, PAJESIM_TYPE));
    if (!parent)
        return PAJESIM__REFUSED;
    if (kind == PAJESIM_LINK) {
        start = pajesim__container_type_at(sim, line, PAJESIM__FIELD(definition, PAJESIM_START_CONTAINER_TYPE));
        end = start ? pajesim__container_type_at(sim, line, PAJESIM__FIELD(definition, PAJESIM_END_CONTAINER_TYPE)) : 0;
        if (!end)
            return PAJESIM__REFUSED;
        if (PAJESIM_CHECKS && (!pajesim__is_within(sim, start, parent) || !pajesim__is_within(sim, end, parent)) &&
            pajesim__diagnose(sim, line, PAJESIM_E_TYPE_ANCESTOR, PAJESIM__FIELD(definition, PAJESIM_TYPE)))
            return PAJESIM__REFUSED;
    }
    if (pajesim__word_is(line, names.id_word, PAJESIM__LITERAL("0")) ||
        (PAJESIM__IS_STRICT(state) && kind == PAJESIM_CONTAINER &&
         pajesim__word_is(line, PAJESIM__FIELD(definition, PAJESIM_NAME), PAJESIM__LITERAL("0")))) {
        pajesim__diagnose(sim, line, PAJESIM_E_TYPE_RESERVED, names.id_word);
        return PAJESIM__REFUSED;
    }
    if (!pajesim__color_at(sim, line, names.color_word))
        return PAJESIM__REFUSED;
    ref = pajesim__table_find(sim, &state->types, &names.id, 0, 0);
    if (ref) {
        int alike = pajesim__defined_alike(sim, line, &names, ref, kind, parent);
        if (PAJESIM_CHECKS && kind == PAJESIM_LINK)
            alike &= PAJESIM__TYPE_AT(sim, ref)->of.link.start_type == start &&
                     PAJESIM__TYPE_AT(sim, ref)->of.link.end_type == end;
        if (pajesim__diagnose(sim, line, alike ? PAJESIM_E_TYPE_AGAIN : PAJESIM_E_TYPE_TWICE, names.id_word))
            return PAJESIM__REFUSED;
        return pajesim__ready(sim, line, definition) ? PAJESIM__DONE : (pajesim__outcome)line->outcome;
    }
    ref = PAJESIM__RECORD_IN(pajesim__alloc(sim, sizeof *type));
    pajesim__reserve_naming(sim, &names, line, &state->types, 0);
    if (!pajesim__ready(sim, line, definition))
        return (pajesim__outcome)line->outcome;

    type = PAJESIM__TYPE_AT(sim, ref);
    memset(type, 0, sizeof *type);
    type->record.tag = PAJESIM__TYPE;
    type->record.kind = (uint8_t)kind;
    type->of.link.start_type = start;
    type->of.link.end_type = end;
    pajesim__init_jump(sim, type, parent);
    pajesim__store_naming(sim, &names, line, &state->types, ref, 0);
    pajesim__tree_append(sim, parent, ref);
    if (kind != PAJESIM_CONTAINER)
        pajesim__assign_slot(sim, parent, ref);
    pajesim__call_new_type(sim, ref);
    return PAJESIM__DONE;
}
