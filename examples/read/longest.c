/* Prints the ten longest states, including the time of states nested in them.  usage: longest <TRACE */
#include <stdio.h>
#include <string.h>
#define PAJESIM_IMPLEMENTATION
#include "pajesim.h"

enum { KEPT = 10, NAME = 40 };

typedef struct {
    double start, duration;
    char container[NAME], value[NAME]; /* copies: the views that callbacks get are valid only during the call */
} state;

static state longest[KEPT];
static int count;

static void copy_name(char *to, pajesim_text name)
{
    size_t size = name.size < NAME ? name.size : NAME - 1;
    memcpy(to, name.bytes, size);
    to[size] = '\0';
}

static int closed(pajesim *sim, const pajesim_entity *entity)
{
    double duration = entity->end - entity->start;
    int at;

    if (entity->kind != PAJESIM_STATE || (count == KEPT && duration <= longest[KEPT - 1].duration))
        return PAJESIM_GO_ON;
    count += count < KEPT;
    for (at = count - 1; at > 0 && longest[at - 1].duration < duration; at--)
        longest[at] = longest[at - 1];
    longest[at].start = entity->start;
    longest[at].duration = duration;
    copy_name(longest[at].container, pajesim_name(sim, entity->container));
    copy_name(longest[at].value, entity->value_name);
    return PAJESIM_GO_ON;
}

int main(void)
{
    static uint64_t arena[8 << 17]; /* 8 MiB: all the memory that the simulation uses */
    static char bytes[65536];
    pajesim_callbacks callbacks = {.closed = closed};
    pajesim_status status;
    pajesim sim;
    size_t size;
    int i;

    status = pajesim_init(&sim, arena, sizeof arena, NULL, &callbacks, NULL);
    while (status == PAJESIM_OK && (size = fread(bytes, 1, sizeof bytes, stdin)) > 0)
        status = pajesim_feed(&sim, bytes, size, NULL);
    if (status == PAJESIM_OK)
        status = pajesim_finish(&sim);
    for (i = 0; i < count; i++)
        printf("%12.6f from %12.6f  %s: %s\n", longest[i].duration, longest[i].start, longest[i].container,
               longest[i].value);
    if (status != PAJESIM_OK)
        fprintf(stderr, "longest: status %d, last problem: %s\n", (int)status, pajesim_last_problem(&sim).text);
    return status != PAJESIM_OK;
}
