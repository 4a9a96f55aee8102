/* Variables as pj_dump computes them: the numbers of the trace are rounded to single precision, sums are not. */
#include "dump.h"

#include <stdlib.h>

static hash_map variables; /* container and type */
static array_of(double) numbers;
static pajesim_event event; /* of the current line, and its number */
static double number;

static double *number_of(const pajesim_entity *variable)
{
    pajesim_ref key[2] = {variable->container, variable->type};
    return array_at(&numbers, map_add(&variables, key, sizeof key));
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
