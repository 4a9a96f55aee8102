/* paje diff: two runs beside each other. */
#include "diff.h"

#include <string.h>

enum { FORMAT = PAJE_LONG_ONLY, TOP, SVG, TITLE };

diff_settings diff_options = {.top = 20};

static int closed(pajesim *sim, const pajesim_entity *entity)
{
    diff_closed(sim, entity);
    return PAJESIM_GO_ON;
}

static int result(int status)
{
    if (!diff_options.is_picture) {
        diff_match();
        diff_print();
    }
    return status;
}

static const char *option(int key, const char *argument, paje_settings *settings)
{
    uint64_t count = 0;
    switch (key) {
    case FORMAT:
        diff_options.has_format = 1;
        diff_options.is_csv = strcmp(argument, "csv") == 0;
        return diff_options.is_csv || strcmp(argument, "table") == 0 ? NULL : "no format: table or csv";
    case TOP:
        if (strcmp(argument, "0") != 0 && !paje_parse_count(argument, &count))
            return "no whole number";
        diff_options.top = (size_t)count;
        return NULL;
    case TITLE:
        diff_options.title = argument;
        return NULL;
    default:
        if (key == 'o')
            diff_options.output = argument;
        diff_options.is_picture = 1;
        diff_draw(settings);
        return NULL;
    }
}

static const paje_option option_table[] = {
    {FORMAT, "format", "FORMAT", "table or csv; default: table"},
    {TOP, "top", "N", "rows of each table; 0: all; default: 20"},
    {SVG, "svg", NULL, "draw both on one axis of time instead"},
    {'o', "output", "FILE", "draw, into this file: PDF or PNG if it ends so (needs rsvg-convert), else SVG"},
    {TITLE, "title", "TEXT", "a line above the picture"},
    {0, NULL, NULL, NULL},
};

const paje_command command_diff = {
    .name = "diff",
    .summary = "Compares two runs: times by state and container, what only one has, both in one picture",
    .details = "The first trace is A, the second B.  Tables have the time of each value of states and links, in both,\n"
               "and the difference B - A, by which they are sorted: over all containers, then by container.  Time in\n"
               "a state is without that in states above it; a - stands for what a trace does not have at all.  CSV\n"
               "also has events, and variables with their integrals in place of times.\n\n"
               "Types and values are matched by their names, containers by their paths; where several containers of a\n"
               "trace have one path, by path and alias.  `paje equals` compares entity by entity.\n\n"
               "The picture is that of `paje svg`, with both traces from their first event on, or, with -s or -e, at\n"
               "their own times.  With -s and -e, times are those of the part of an entity that lies between them.",
    .traces = 2,
    .trials = "FILE FILE\n-s 1 -e 4 --unit us -o OUT FILE FILE",
    .filters = PAJE_FILTERS | PAJE_SEES_ALL | PAJE_FROM_INDEX,
    .options = option_table,
    .option = option,
    .callbacks = {.closed = closed},
    .begin = diff_begin,
    .end = diff_end,
    .result = result,
};
