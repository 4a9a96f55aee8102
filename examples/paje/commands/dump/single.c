/* Variables as pj_dump computes them: the numbers of the trace are rounded to single precision, sums are not. */
#include "dump.h"

#include <stdlib.h>

typedef struct kept_number {
    double number;
    size_t next; /* of the same container, + 1; 0: none */
} kept_number;

static hash_map keys; /* container and type */
static array_of(kept_number) variables;
static hash_map containers;      /* that have some */
static array_of(size_t) firsts; /* of each: its first variable, + 1 */
static pajesim_event event; /* of the current line, and its number */
static double number;

static double *number_of(const pajesim_entity *of)
{
    const pajesim_ref key[2] = {of->container, of->type};
    size_t known = keys.used, at = map_add(&keys, key, sizeof key);
    kept_number *it = array_at(&variables, at);
    if (keys.used > known) {
        size_t *first = array_at(&firsts, map_add(&containers, &of->container, sizeof of->container));
        *it = (kept_number){0, *first};
        *first = at + 1;
    }
    return &it->number;
}

void dump_single_line(const pajesim *sim, const pajesim_line *line)
{
    static text_buffer copy;
    event = line->event;
    if (event != PAJESIM_SET_VARIABLE && event != PAJESIM_ADD_VARIABLE && event != PAJESIM_SUB_VARIABLE)
        return;
    text_clear(&copy);
    text_append(&copy, pajesim_line_role(sim, line, PAJESIM_VALUE));
    number = (double)strtof(text_string(&copy), NULL);
}

void dump_single_changed(const pajesim_entity *variable)
{
    double *it = number_of(variable);
    *it = event == PAJESIM_SET_VARIABLE ? number : event == PAJESIM_ADD_VARIABLE ? *it + number : *it - number;
}

double dump_single(const pajesim_entity *variable)
{
    return *number_of(variable);
}

/* Another container may have its ref, and variables that are added to without being set. */
void dump_single_forget(pajesim_ref container)
{
    size_t at = map_find(&containers, &container, sizeof container);
    if (at == MAP_NONE)
        return;
    for (size_t next = firsts.items[at]; next; next = variables.items[next - 1].next)
        map_remove(&keys, next - 1);
    firsts.items[at] = 0;
    map_remove(&containers, at);
}
