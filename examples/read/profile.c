/* Prints how each container spent its time: a bar of the states that were on top of its stack.  usage: profile <TRACE
 *
 * The arena starts as small as possible and grows when pajesim_feed asks for more. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define PAJESIM_IMPLEMENTATION
#include "pajesim.h"

enum { COLUMNS = 26, NAME = 24, WIDTH = 60 };

typedef struct {
    char name[NAME];
    double time[COLUMNS];
} row;

typedef struct {
    row *rows;
    size_t count;
    char values[COLUMNS][NAME];
    size_t columns;
} profile;

static void copy_name(char *to, pajesim_text name)
{
    size_t size = name.size < NAME ? name.size : NAME - 1;
    memcpy(to, name.bytes, size);
    to[size] = '\0';
}

/* Returns the column of a state's value: looked up by name once, then kept in the value's word (plus 1).  Values beyond
 * COLUMNS share the last column. */
static size_t column(pajesim *sim, const pajesim_entity *state)
{
    profile *p = pajesim_data(sim);
    uint64_t *word = pajesim_user_data(sim, state->value);
    char name[NAME];
    size_t i;

    if (*word)
        return (size_t)*word - 1;
    copy_name(name, state->value_name);
    for (i = 0; i < p->columns && strcmp(p->values[i], name) != 0; i++)
        ;
    if (i >= COLUMNS - 1)
        copy_name(p->values[i = COLUMNS - 1], (pajesim_text){"others", 6});
    else if (i == p->columns)
        copy_name(p->values[p->columns++], state->value_name);
    *word = i + 1;
    return i;
}

static int created(pajesim *sim, const pajesim_entity *container)
{
    profile *p = pajesim_data(sim);
    if ((p->count & (p->count - 1)) == 0) {
        row *rows = realloc(p->rows, (p->count ? 2 * p->count : 1) * sizeof *rows);
        if (!rows)
            return PAJESIM_STOP;
        p->rows = rows;
    }
    memset(p->rows + p->count, 0, sizeof *p->rows);
    copy_name(p->rows[p->count].name, pajesim_name(sim, container->container));
    *pajesim_user_data(sim, container->container) = ++p->count;
    return PAJESIM_GO_ON;
}

/* Adds the exclusive time of a state: its duration, without that of the states stacked on it. */
static int closed(pajesim *sim, const pajesim_entity *entity)
{
    profile *p = pajesim_data(sim);
    uint64_t place;
    row *r;
    pajesim_entity below;

    if (entity->kind != PAJESIM_STATE || !(place = *pajesim_user_data(sim, entity->container)))
        return PAJESIM_GO_ON;
    r = p->rows + place - 1;
    r->time[column(sim, entity)] += entity->end - entity->start;
    if (entity->imbrication &&
        pajesim_open_entity(sim, entity->container, entity->type, entity->imbrication - 1, &below))
        r->time[column(sim, &below)] -= entity->end - entity->start;
    return PAJESIM_GO_ON;
}

static void print(const profile *p)
{
    double sum[COLUMNS] = {0}, all = 0;
    size_t i, c;
    for (i = 0; i < p->count; i++) {
        double total = 0, passed = 0;
        int drawn = 0;
        for (c = 0; c < COLUMNS; c++)
            total += p->rows[i].time[c];
        if (total <= 0)
            continue;
        printf("%-*s ", NAME - 1, p->rows[i].name);
        for (c = 0; c < COLUMNS; c++) {
            passed += p->rows[i].time[c];
            for (; drawn + 0.5 < passed / total * WIDTH; drawn++)
                putchar('A' + (int)c);
            sum[c] += p->rows[i].time[c];
        }
        putchar('\n');
        all += total;
    }
    putchar('\n');
    for (c = 0; c < COLUMNS; c++)
        if (*p->values[c])
            printf("%c %5.1f%%  %s\n", 'A' + (int)c, all > 0 ? 100 * sum[c] / all : 0.0, p->values[c]);
}

/* Moves the simulation to a larger arena: the line that did not fit has had no effect, and is read again. */
static pajesim_status grow(pajesim *sim, void **arena)
{
    size_t capacity = 2 * (size_t)pajesim_capacity_needed(sim);
    void *larger = malloc(capacity);
    pajesim_status status;
    if (!larger)
        return PAJESIM_MISUSE;
    status = pajesim_move(sim, larger, capacity);
    free(*arena);
    *arena = larger;
    return status;
}

static pajesim_status replay(pajesim *sim, void **arena, FILE *file)
{
    static char bytes[1 << 16];
    size_t size, done, taken;
    pajesim_status status = PAJESIM_OK;

    while (status == PAJESIM_OK && (size = fread(bytes, 1, sizeof bytes, file)) > 0)
        for (done = 0; status == PAJESIM_OK && done < size; done += taken) {
            status = pajesim_feed(sim, bytes + done, size - done, &taken);
            if (status == PAJESIM_OPEN) /* the trace includes a file: skip it */
                status = pajesim_end_file(sim);
            if (status == PAJESIM_FULL)
                status = grow(sim, arena);
        }
    while (status == PAJESIM_OK && (status = pajesim_finish(sim)) == PAJESIM_FULL)
        status = grow(sim, arena);
    return status;
}

int main(void)
{
    static profile p;
    const pajesim_callbacks callbacks = {.container_created = created, .closed = closed};
    size_t capacity = pajesim_arena_min(NULL);
    void *arena = malloc(capacity);
    pajesim_status status = PAJESIM_MISUSE;
    pajesim sim;

    if (arena && pajesim_init(&sim, arena, capacity, NULL, &callbacks, &p) == PAJESIM_OK)
        status = replay(&sim, &arena, stdin);
    print(&p);
    if (status != PAJESIM_OK)
        fputs(status == PAJESIM_INVALID ? "profile: the trace has errors\n" : "profile: out of memory\n", stderr);
    free(p.rows);
    free(arena);
    return status != PAJESIM_OK;
}
