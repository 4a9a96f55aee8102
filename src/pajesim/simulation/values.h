/* Values: those that the trace defines, and implicit ones, which a state creates by naming them (section
 * "Identity"). */
#pragma once

#include "naming.h"

static void pajesim__call_new_value(pajesim *sim, pajesim_ref ref)
{
    pajesim_value_info info;
    if (!sim->callbacks->new_value)
        return;
    info.ref = ref;
    info.type = PAJESIM__RECORD(sim, ref)->parent;
    info.implicit = (PAJESIM__RECORD(sim, ref)->flags & PAJESIM__IMPLICIT) != 0;
    info.name = pajesim_name(sim, ref);
    info.alias = pajesim_alias(sim, ref);
    info.color = pajesim_color(sim, ref);
    PAJESIM__CALL(sim, new_value, &info);
}

static void pajesim__init_value(pajesim *sim, pajesim_ref ref, pajesim_ref type, uint8_t flags)
{
    pajesim__value *value = PAJESIM__VALUE_AT(sim, ref);
    memset(value, 0, sizeof *value);
    value->record.tag = PAJESIM__VALUE;
    value->record.kind = PAJESIM__RECORD(sim, type)->kind;
    value->record.parent = type;
    value->record.flags = flags;
}

static pajesim__outcome pajesim__define_value(pajesim *sim, pajesim__line *line, const pajesim__definition *definition)
{
    pajesim__state *state = PAJESIM__STATE(sim);
    uint32_t type_word = PAJESIM__FIELD(definition, PAJESIM_TYPE);
    pajesim__naming names = pajesim__read_naming(sim, line, definition);
    pajesim_ref type = pajesim__type_at(sim, line, type_word), ref;
    int late;

    if (!type)
        return PAJESIM__REFUSED;
    if (PAJESIM__RECORD(sim, type)->kind == PAJESIM_CONTAINER || PAJESIM__RECORD(sim, type)->kind == PAJESIM_VARIABLE) {
        pajesim__diagnose(sim, line, PAJESIM_E_VALUE_TYPE, type_word);
        return PAJESIM__REFUSED;
    }
    if (!pajesim__color_at(sim, line, names.color_word))
        return PAJESIM__REFUSED;
    ref = pajesim__table_find(sim, &state->values, &names.id, type, 0);
    late = ref && (PAJESIM__RECORD(sim, ref)->flags & PAJESIM__IMPLICIT);
    if (ref && pajesim__diagnose(sim, line, late ? PAJESIM_E_VALUE_LATE : PAJESIM_E_VALUE_TWICE, names.id_word))
        return PAJESIM__REFUSED;
    if (ref && !late)
        return pajesim__ready(sim, line, definition) ? PAJESIM__DONE : (pajesim__outcome)line->outcome;
    if (PAJESIM_CHECKS && names.name_word) {
        pajesim__key name = pajesim__key_at(line, names.name_word);
        if (pajesim__table_find(sim, &state->values, &name, type, 0) &&
            pajesim__diagnose(sim, line, PAJESIM_E_VALUE_NAME, names.name_word))
            return PAJESIM__REFUSED;
    }
    if (late) { /* the identifier exists; name and colour are new */
        pajesim__reserve_display_name(sim, &names, line);
        if (!pajesim__ready(sim, line, definition))
            return (pajesim__outcome)line->outcome;
        PAJESIM__RECORD(sim, ref)->flags &= (uint8_t)~PAJESIM__IMPLICIT;
        pajesim__store_display_name(sim, &names, line, ref);
    } else {
        ref = PAJESIM__RECORD_IN(pajesim__alloc(sim, sizeof(pajesim__value)));
        pajesim__reserve_naming(sim, &names, line, &state->values, type);
        if (!pajesim__ready(sim, line, definition))
            return (pajesim__outcome)line->outcome;
        pajesim__init_value(sim, ref, type, 0);
        pajesim__store_naming(sim, &names, line, &state->values, ref, type);
        pajesim__uncache(sim, &PAJESIM__RECORD(sim, ref)->id, PAJESIM__VALUES_SCOPE(type));
    }
    pajesim__call_new_value(sim, ref);
    return PAJESIM__DONE;
}

/* Reserves an implicit value, for a state that names a value which is not defined. */
PAJESIM__COLD pajesim_ref pajesim__reserve_implicit_value(pajesim *sim, pajesim__line *line, uint32_t word,
                                                          pajesim_ref type)
{
    pajesim__key id = pajesim__key_at(line, word);
    line->new_value.value = PAJESIM__RECORD_IN(pajesim__alloc(sim, sizeof(pajesim__value)));
    line->new_value.id_bytes = pajesim__alloc_id(sim, &id);
    line->new_value.entry = pajesim__table_reserve(sim, &PAJESIM__STATE(sim)->values, pajesim__hash(&id, type, 0));
    return line->new_value.value;
}

PAJESIM__COLD void pajesim__create_implicit_value(pajesim *sim, const pajesim__line *line, uint32_t word,
                                                  pajesim_ref type)
{
    pajesim_ref ref = line->new_value.value;
    pajesim__key id = pajesim__key_at(line, word);
    pajesim__init_value(sim, ref, type, PAJESIM__IMPLICIT);
    pajesim__init_id(sim, &PAJESIM__RECORD(sim, ref)->id, &id, line->new_value.id_bytes, type, 0);
    pajesim__table_insert(sim, &PAJESIM__STATE(sim)->values, &line->new_value.entry, ref);
    pajesim__uncache(sim, &PAJESIM__RECORD(sim, ref)->id, PAJESIM__VALUES_SCOPE(type));
    pajesim__call_new_value(sim, ref);
}
