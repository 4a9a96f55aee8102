/* The contents of a trace, one line for each closed entity, and how those of two traces are compared.  Include it after
 * pajewrite.h and pajesim.h. */
#ifndef TESTS_FLIGHT_STORY_H
#define TESTS_FLIGHT_STORY_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the result of a case */

static int failed_cases;
static char why[1024];

static void fail(const char *text, uint64_t number)
{
    if (!why[0])
        snprintf(why, sizeof why, "%s (%llu)", text, (unsigned long long)number);
}

static void end_case(const char *name)
{
    printf(why[0] ? "FAIL flight/%s: %s\n" : "PASS flight/%s\n", name, why);
    failed_cases += why[0] != 0;
    why[0] = 0;
}

/* ---- the contents of a trace */

typedef struct bytes {
    char *at;
    size_t size, room;
} bytes;

static pajewrite_status to_bytes(void *data, const char *text, size_t size)
{
    bytes *b = (bytes *)data;
    if (b->size + size + 1 > b->room) {
        b->room = 2 * (b->size + size + 1);
        b->at = (char *)realloc(b->at, b->room);
        if (!b->at)
            abort();
    }
    memcpy(b->at + b->size, text, size);
    b->size += size;
    b->at[b->size] = 0;
    return PAJEWRITE_OK;
}

typedef struct story {
    bytes text;
    double cut;
    int problems;
    char problem[256];
} story;

static int on_problem(pajesim *sim, const pajesim_problem *problem)
{
    story *s = (story *)pajesim_data(sim);
    if (problem->code == PAJESIM_E_LINK_BACKWARD) /* such calls are made now and then */
        return PAJESIM_GO_ON;
    if (!s->problems++)
        snprintf(s->problem, sizeof s->problem, "line %llu: %s: %.*s", (unsigned long long)problem->line,
                 problem->text, (int)problem->bytes.size, problem->bytes.bytes);
    return PAJESIM_GO_ON;
}

/* Entities that ended after the cut; links only if they began after it, too. */
static int on_closed(pajesim *sim, const pajesim_entity *e)
{
    story *s = (story *)pajesim_data(sim);
    pajesim_text container = pajesim_alias(sim, e->container), type = pajesim_alias(sim, e->type);
    char line[512];
    int size;
    if (e->end <= s->cut || (e->kind == PAJESIM_LINK && e->start <= s->cut))
        return PAJESIM_GO_ON;
    size = snprintf(line, sizeof line, "%d %.*s %.*s %.*s %.*s %.9f %.9f %u %.17g\n", (int)e->kind,
                    (int)container.size, container.bytes, (int)type.size, type.bytes, (int)e->value_name.size,
                    e->value_name.bytes, (int)e->key.size, e->key.bytes, e->start, e->end, (unsigned)e->imbrication,
                    e->number);
    to_bytes(&s->text, line, (size_t)size);
    return PAJESIM_GO_ON;
}

static void tell(story *s, const bytes *trace, double cut, double end)
{
    static char *arena;
    static const size_t capacity = 16 << 20;
    pajesim_options options = {0};
    pajesim_callbacks callbacks = {0};
    static pajesim sim;
    if (!arena)
        arena = (char *)malloc(capacity);
    options.strict = 1;
    callbacks.problem = on_problem;
    callbacks.closed = on_closed;
    s->text.size = 0;
    s->problems = 0;
    s->cut = cut;
    to_bytes(&s->text, "", 0);
    if (pajesim_init(&sim, arena, capacity, &options, &callbacks, s) != PAJESIM_OK ||
        pajesim_feed(&sim, trace->at, trace->size, NULL) != PAJESIM_OK)
        fail("trace is not taken", trace->size);
    pajesim_finish_at(&sim, end);
}

static int compare_lines(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

/* Sorts the lines: entities that end together may come in any order. */
static char **lines_of(bytes *text, size_t *count)
{
    char **lines = (char **)malloc((text->size / 8 + 2) * sizeof *lines), *p;
    *count = 0;
    for (p = strtok(text->at, "\n"); p; p = strtok(NULL, "\n"))
        lines[(*count)++] = p;
    qsort(lines, *count, sizeof *lines, compare_lines);
    return lines;
}

static void same_story(story *all, story *dump)
{
    size_t m, n, i;
    char **a = lines_of(&all->text, &m), **b = lines_of(&dump->text, &n);
    for (i = 0; i < m && i < n && strcmp(a[i], b[i]) == 0; i++)
        ;
    if ((i < m || i < n) && !why[0])
        snprintf(why, sizeof why, "entity %zu of %zu, %zu: '%s' became '%s'", i, m, n, i < m ? a[i] : "",
                 i < n ? b[i] : "");
    free(a);
    free(b);
}

#endif
