/* Prints a matrix of links: how many lead from each container (row) to each other (column).  usage: matrix <TRACE */
#include <stdio.h>
#include <string.h>
#define PAJESIM_IMPLEMENTATION
#include "pajesim.h"

enum { MOST = 512, NAME = 24 };

static unsigned long links[MOST][MOST];
static char names[MOST][NAME];
static unsigned count;

/* Returns the row and column of a container, which its word keeps (plus 1).  Containers beyond MOST share the last
 * one. */
static unsigned index_of(pajesim *sim, pajesim_ref container)
{
    uint64_t *word = pajesim_user_data(sim, container);
    pajesim_text name = pajesim_name(sim, container);

    if (!*word && count < MOST) {
        *word = ++count;
        if (count == MOST)
            strcpy(names[MOST - 1], "others");
        else
            memcpy(names[count - 1], name.bytes, name.size < NAME ? name.size : NAME - 1);
    }
    return *word ? (unsigned)*word - 1 : MOST - 1;
}

static int completed(pajesim *sim, const pajesim_entity *link)
{
    unsigned from = index_of(sim, link->start_container), to = index_of(sim, link->end_container);
    links[from][to]++;
    return PAJESIM_GO_ON;
}

static void print(void)
{
    unsigned from, to;
    printf("%*s", NAME, "");
    for (to = 0; to < count; to++)
        printf(" %7u", to);
    for (from = 0; from < count; from++) {
        printf("\n%3u %-*s", from, NAME - 4, names[from]);
        for (to = 0; to < count; to++)
            printf(" %7lu", links[from][to]);
    }
    printf("\n");
}

int main(void)
{
    static uint64_t arena[8 << 17]; /* 8 MiB: all the memory that the simulation uses */
    static char bytes[65536];
    pajesim_callbacks callbacks = {.link_completed = completed};
    pajesim_status status;
    pajesim sim;
    size_t size;

    status = pajesim_init(&sim, arena, sizeof arena, NULL, &callbacks, NULL);
    while (status == PAJESIM_OK && (size = fread(bytes, 1, sizeof bytes, stdin)) > 0)
        status = pajesim_feed(&sim, bytes, size, NULL);
    if (status == PAJESIM_OK)
        status = pajesim_finish(&sim);
    print();
    if (status != PAJESIM_OK)
        fprintf(stderr, "matrix: status %d, last problem: %s\n", (int)status, pajesim_last_problem(&sim).text);
    return status != PAJESIM_OK;
}
