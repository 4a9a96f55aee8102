/* What a state is: communication, waiting, a phase; and what a call waits for, by its name. */
#include "efficiency.h"

#include <ctype.h>
#include <string.h>

static array_of(state_class) classes; /* by the numbers of active_class_of() */

typedef struct call {
    const char *name; /* without a prefix such as MPI_, in lower case; a * at its end stands for anything */
    call_kind kind;
} call;

static const call calls[] = {
    {"barrier", CALL_ALL}, {"allreduce", CALL_ALL}, {"allgather*", CALL_ALL}, {"alltoall*", CALL_ALL},
    {"reduce_scatter*", CALL_ALL}, {"bcast", CALL_FROM_ROOT}, {"scatter*", CALL_FROM_ROOT}, {"reduce", CALL_TO_ROOT},
    {"gather*", CALL_TO_ROOT}, {"scan", CALL_SCAN}, {"exscan", CALL_SCAN}, {"recv", CALL_RECEIVES},
    {"sendrecv*", CALL_RECEIVES}, {"mrecv", CALL_RECEIVES}, {"wait*", CALL_RECEIVES}, {"probe", CALL_RECEIVES},
    {"mprobe", CALL_RECEIVES}, {"init*", CALL_UNTOLD}, {"finalize", CALL_UNTOLD}, {"comm_*", CALL_UNTOLD},
    {"cart_*", CALL_UNTOLD}, {"graph_create", CALL_UNTOLD}, {"dist_graph_*", CALL_UNTOLD},
    {"intercomm_*", CALL_UNTOLD}, {"win_*", CALL_UNTOLD}, {"file_*", CALL_UNTOLD}, {"neighbor_*", CALL_UNTOLD},
};

static const call *find_call(const char *name, size_t size)
{
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        size_t length = strlen(calls[i].name), is_open = calls[i].name[length - 1] == '*';
        length -= is_open;
        if (size >= length && (is_open || size == length) && memcmp(name, calls[i].name, length) == 0)
            return &calls[i];
    }
    return NULL;
}

/* The name in lower case without what other tracers put in front of it. */
static size_t plain_name(pajesim_text value, char *name, size_t most)
{
    static const char *const prefixes[] = {"mpi_", "pmpi_", "action_"};
    size_t size = value.size < most ? value.size : most;
    for (size_t i = 0; i < size; i++)
        name[i] = (char)tolower((unsigned char)value.bytes[i]);
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        size_t length = strlen(prefixes[i]);
        if (size > length && memcmp(name, prefixes[i], length) == 0) {
            memmove(name, name + length, size -= length);
            break;
        }
    }
    return size;
}

static int is_chosen(pajesim *sim, const active_globs *globs, const pajesim_entity *state)
{
    for (size_t i = 0; i < globs->count; i++) {
        const char *glob = globs->items[i];
        if (paje_matches(glob, state->value_name) || paje_matches(glob, pajesim_alias(sim, state->value)) ||
            paje_matches(glob, pajesim_name(sim, state->type)) || paje_matches(glob, pajesim_alias(sim, state->type)))
            return 1;
    }
    return 0;
}

static void classify(pajesim *sim, const pajesim_entity *state, size_t number, state_class *class)
{
    char name[64];
    size_t size = plain_name(state->value_name, name, sizeof name);
    class->is_known = 1;
    class->communicates = is_chosen(sim, &efficiency.calls, state);
    class->waits = !class->communicates && is_chosen(sim, &efficiency.waits, state);
    if (is_chosen(sim, &efficiency.phases, state)) {
        if (efficiency.sections.count < efficiency.section_count)
            array_push(&efficiency.sections)->class = number;
        else
            efficiency.sections.items[efficiency.section_count - 1].class = ACTIVE_NONE; /* of several values */
        class->phase = efficiency.sections.count - 1;
    }
    if (!class->communicates)
        return;
    const call *it = find_call(name, size);
    class->kind = it ? it->kind : CALL_PLAIN;
    class->begins = it && strncmp(it->name, "init", 4) == 0;
    class->ends = it && strcmp(it->name, "finalize") == 0;
}

const state_class *efficiency_class_of(pajesim *sim, const pajesim_entity *state)
{
    size_t number = active_class_of(sim, state);
    state_class *class = array_at(&classes, number);
    if (!class->is_known)
        classify(sim, state, number, class);
    return class;
}
