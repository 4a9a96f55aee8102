/* Prints the longest wait for a message, and for each state the time spent waiting.  usage: wait <TRACE
 * A container waits from the start of its state until a message arrives that was sent after the state started. */
#include <stdio.h>
#include <string.h>
#define PAJESIM_IMPLEMENTATION
#include "pajesim.h"

enum { NAME = 40, MOST = 64 };
static struct {
    double since, sent, until;
    char receiver[NAME], state[NAME], sender[NAME];
} worst;
static struct {
    char state[NAME];
    double time;
    unsigned long messages;
} states[MOST];

static void copy_name(char *to, pajesim_text name)
{
    size_t size = name.size < NAME ? name.size : NAME - 1;
    memcpy(to, name.bytes, size);
    to[size] = '\0';
}

static void waited(pajesim *sim, const pajesim_entity *state, const pajesim_entity *link)
{
    char name[NAME];
    int i = 0;
    copy_name(name, state->value_name);
    while (i < MOST - 1 && states[i].messages && strcmp(states[i].state, name) != 0)
        i++;
    memcpy(states[i].state, i < MOST - 1 ? name : "others", i < MOST - 1 ? NAME : 7);
    states[i].messages++;
    states[i].time += link->end - state->start;
    if (link->end - state->start <= worst.until - worst.since)
        return;
    worst.since = state->start;
    worst.sent = link->start;
    worst.until = link->end;
    memcpy(worst.state, name, NAME);
    copy_name(worst.receiver, pajesim_name(sim, link->end_container));
    copy_name(worst.sender, pajesim_name(sim, link->start_container));
}

static int completed(pajesim *sim, const pajesim_entity *link)
{
    pajesim_ref type = pajesim_first_child(sim, pajesim_type_of(sim, link->end_container));
    pajesim_entity top;
    for (; type; type = pajesim_next_sibling(sim, type)) {
        uint32_t depth = pajesim_depth(sim, link->end_container, type);
        if (pajesim_kind_of(sim, type) == PAJESIM_STATE && depth &&
            pajesim_open_entity(sim, link->end_container, type, depth - 1, &top) && top.start < link->start)
            waited(sim, &top, link);
    }
    return PAJESIM_GO_ON;
}

int main(void)
{
    static uint64_t arena[8 << 17]; /* 8 MiB: all the memory that the simulation uses */
    static char bytes[65536];
    pajesim_callbacks callbacks = {.link_completed = completed};
    pajesim sim;
    size_t size;
    pajesim_status status = pajesim_init(&sim, arena, sizeof arena, NULL, &callbacks, NULL);
    while (status == PAJESIM_OK && (size = fread(bytes, 1, sizeof bytes, stdin)) > 0)
        status = pajesim_feed(&sim, bytes, size, NULL);
    for (int i = 0; i < MOST && states[i].messages; i++)
        printf("%12.6f in %s, for %lu messages\n", states[i].time, states[i].state, states[i].messages);
    if (states[0].messages)
        printf("longest: %s waited %g from %g in %s, for a message that %s sent at %g\n", worst.receiver,
               worst.until - worst.since, worst.since, worst.state, worst.sender, worst.sent);
    else
        puts("no container waited for a message");
    if (status != PAJESIM_OK || (status = pajesim_finish(&sim)) != PAJESIM_OK)
        fprintf(stderr, "wait: status %d, last problem: %s\n", (int)status, pajesim_last_problem(&sim).text);
    return status != PAJESIM_OK;
}
