/* Calls of MPI in a trace. */
#include "replay/collective.h"

#include <ctype.h>
#include <string.h>

typedef struct named_call {
    const char *name; /* without a prefix such as MPI_, in lower case; a * at its end stands for anything */
    paje_call call;
} named_call;

static const named_call calls[] = {
    {"barrier", CALL_ALL}, {"allreduce", CALL_ALL}, {"allgather*", CALL_ALL}, {"alltoall*", CALL_ALL},
    {"reduce_scatter*", CALL_ALL}, {"bcast", CALL_FROM_ROOT}, {"scatter*", CALL_FROM_ROOT}, {"reduce", CALL_TO_ROOT},
    {"gather*", CALL_TO_ROOT}, {"scan", CALL_SCAN}, {"exscan", CALL_SCAN}, {"recv", CALL_RECEIVES},
    {"sendrecv*", CALL_RECEIVES}, {"mrecv", CALL_RECEIVES}, {"wait*", CALL_RECEIVES}, {"probe", CALL_RECEIVES},
    {"mprobe", CALL_RECEIVES}, {"init*", CALL_BEGINS}, {"finalize", CALL_ENDS}, {"comm_*", CALL_UNTOLD},
    {"cart_*", CALL_UNTOLD}, {"graph_create", CALL_UNTOLD}, {"dist_graph_*", CALL_UNTOLD},
    {"intercomm_*", CALL_UNTOLD}, {"win_*", CALL_UNTOLD}, {"file_*", CALL_UNTOLD}, {"neighbor_*", CALL_UNTOLD},
};

static int is_call(const named_call *it, const char *name, size_t size)
{
    size_t length = strlen(it->name);
    int is_open = it->name[length - 1] == '*';
    length -= is_open != 0;
    return size >= length && (is_open || size == length) && memcmp(name, it->name, length) == 0;
}

enum { NAME = 64 };

/* Writes the name of a call without its prefix, in lower case, and returns its size. */
static size_t strip(pajesim_text value, char *name)
{
    static const char *const prefixes[] = {"mpi_", "pmpi_", "action_"};
    size_t size = value.size < NAME ? value.size : NAME, skip = 0;
    for (size_t i = 0; i < size; i++)
        name[i] = (char)tolower((unsigned char)value.bytes[i]);
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes && !skip; i++)
        if (size > strlen(prefixes[i]) && memcmp(name, prefixes[i], strlen(prefixes[i])) == 0)
            skip = strlen(prefixes[i]);
    memmove(name, name + skip, size - skip);
    return size - skip;
}

paje_call paje_call_of(pajesim_text value)
{
    char name[NAME];
    size_t size = strip(value, name);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (is_call(&calls[i], name, size))
            return calls[i].call;
    return CALL_PLAIN;
}

static int is_either(pajesim_text value, const char *one, const char *other)
{
    char name[NAME];
    size_t size = strip(value, name);
    return (size == strlen(one) && memcmp(name, one, size) == 0) ||
           (size == strlen(other) && memcmp(name, other, size) == 0);
}

int paje_is_probe(pajesim_text value)
{
    return is_either(value, "probe", "mprobe");
}

int paje_receives_probed(pajesim_text value)
{
    return is_either(value, "recv", "mrecv");
}

int paje_is_of_window(pajesim_text value)
{
    char name[NAME];
    return strip(value, name) > 4 && memcmp(name, "win_", 4) == 0;
}

static int find_number(const pajesim *sim, const pajesim_entity *state, const char *name, int64_t *number)
{
    pajesim_field field;
    return pajesim_user_field_named(sim, &state->opening, name, &field) &&
           pajesim_fixed(field.text.bytes, field.text.size, 0, number);
}

int paje_find_collective(const pajesim *sim, const pajesim_entity *state, paje_collective *it)
{
    pajesim_field communicator;
    if (!pajesim_user_field_named(sim, &state->opening, "Communicator", &communicator))
        return 0;
    it->communicator = communicator.text;
    return find_number(sim, state, "Instance", &it->instance) && find_number(sim, state, "Rank", &it->rank) &&
           find_number(sim, state, "Root", &it->root) && find_number(sim, state, "Size", &it->size);
}
