/* What a state is: communication, waiting, a phase. */
#include "efficiency.h"

static array_of(state_class) classes; /* by the numbers of active_class_of() */

static int is_chosen(pajesim *sim, active_globs *globs, const pajesim_entity *state)
{
    return active_chooses(sim, globs, state->type, state->value_name, pajesim_alias(sim, state->value));
}

/* The globs do not count as used: filters do not choose that state. */
static int is_call_of_others(pajesim *sim, const pajesim_entity *state)
{
    active_globs globs = {0};
    for (size_t i = 0; i < efficiency.calls.count; i++)
        *array_push(&globs) = efficiency.calls.items[i];
    int is_call = is_chosen(sim, &globs, state);
    array_free(&globs);
    return is_call;
}

int efficiency_is_call(pajesim *sim, const pajesim_entity *state)
{
    enum { UNKNOWN, NO_CALL, CALL };
    static array_of(unsigned char) known; /* by the numbers of active_class_of() */
    size_t number = active_class_of(sim, state);
    unsigned char *it = array_at(&known, number);
    if (*it == UNKNOWN)
        *it = is_call_of_others(sim, state) ? CALL : NO_CALL;
    return *it == CALL;
}

static void classify(pajesim *sim, const pajesim_entity *state, size_t number, state_class *class)
{
    class->is_known = 1;
    class->communicates = is_chosen(sim, &efficiency.calls, state);
    class->waits = is_chosen(sim, &efficiency.waits, state) && !class->communicates;
    if (is_chosen(sim, &efficiency.phases, state)) {
        if (efficiency.sections.count < efficiency.section_count)
            array_push(&efficiency.sections)->class = number;
        else
            efficiency.sections.items[efficiency.section_count - 1].class = ACTIVE_NONE; /* of several values */
        class->phase = efficiency.sections.count - 1;
    }
    class->call = class->communicates ? paje_call_of(state->value_name) : CALL_PLAIN;
}

const state_class *efficiency_class_of(pajesim *sim, const pajesim_entity *state)
{
    size_t number = active_class_of(sim, state);
    state_class *class = array_at(&classes, number);
    if (!class->is_known)
        classify(sim, state, number, class);
    return class;
}
