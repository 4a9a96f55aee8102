/* Counts the entities of each type.  usage: count <TRACE */
#include <stdio.h>
#define PAJESIM_IMPLEMENTATION
#include "pajesim.h"

static int closed(pajesim *sim, const pajesim_entity *entity)
{
    ++*pajesim_user_data(sim, entity->type); /* every type has a 64-bit word for data of the caller */
    return PAJESIM_GO_ON;
}

static void print(pajesim *sim, pajesim_ref type)
{
    pajesim_text name = pajesim_name(sim, type);
    printf("%8llu %-9s %.*s\n", (unsigned long long)*pajesim_user_data(sim, type),
           pajesim_kind_name(pajesim_kind_of(sim, type)), (int)name.size, name.bytes);
    for (type = pajesim_first_child(sim, type); type; type = pajesim_next_sibling(sim, type))
        print(sim, type);
}

int main(void)
{
    static uint64_t arena[8 << 17]; /* 8 MiB: all the memory that the simulation uses */
    static char bytes[65536];
    pajesim_callbacks callbacks = {.closed = closed};
    pajesim_status status;
    pajesim sim;
    size_t size;

    if ((status = pajesim_init(&sim, arena, sizeof arena, NULL, &callbacks, NULL)) != PAJESIM_OK)
        return 1;
    while (status == PAJESIM_OK && (size = fread(bytes, 1, sizeof bytes, stdin)) > 0)
        status = pajesim_feed(&sim, bytes, size, NULL);
    if (status == PAJESIM_OK)
        status = pajesim_finish(&sim);
    print(&sim, pajesim_root_type(&sim));
    if (status != PAJESIM_OK)
        fprintf(stderr, "count: status %d, last problem: %s\n", (int)status, pajesim_last_problem(&sim).text);
    return status != PAJESIM_OK;
}
