/* paje equals: whether two traces hold the same entities.  The lines of the first are kept, those of the second are
 * struck off as they come. */
#include "paje.h"

static struct {
    int precision, no_user_fields;
} options = {.precision = PAJE_EXACT};

static paje_set lines;
static uint64_t *counts; /* how often the first trace has each line, less how often the second has it */
static uint64_t entities[2];
static paje_buffer line, only_in_second;
static int second;
static paje_buffer names[2];

static void count_line(void)
{
    size_t room = lines.room, known = lines.count, at = paje_set_add(&lines, line.bytes, line.size);
    if (lines.room != room)
        counts = paje_room(counts, lines.room * sizeof *counts);
    counts[at] = at < known ? counts[at] + 1 : 1;
}

static void strike_line(void)
{
    size_t at = paje_set_find(&lines, line.bytes, line.size);
    if (at != PAJE_NONE && counts[at] > 0)
        counts[at]--;
    else if (only_in_second.size == 0)
        paje_add(&only_in_second, line.bytes, line.size);
}

static int closed(pajesim *sim, const pajesim_entity *entity)
{
    line.size = 0;
    paje_format_entity(&line, sim, entity, options.precision);
    if (!options.no_user_fields)
        paje_format_user_fields(&line, sim, entity);
    entities[second]++;
    if (second)
        strike_line();
    else
        count_line();
    return PAJESIM_GO_ON;
}

static void begin(paje_run *run, int trace)
{
    second = trace;
    paje_addf(&names[trace], "%s", run->source->name);
}

static void print_difference(int trace, pajesim_text text)
{
    paje_addf(&paje_output, "only in %.*s: ", (int)names[trace].size, names[trace].bytes);
    paje_add_text(&paje_output, text);
    paje_end_line();
}

static int result(int status)
{
    size_t first = 0;
    while (first < lines.count && counts[first] == 0)
        first++;
    if (first < lines.count)
        print_difference(0, paje_set_entry(&lines, first));
    if (only_in_second.size > 0)
        print_difference(1, (pajesim_text){only_in_second.bytes, only_in_second.size});
    if (first < lines.count || only_in_second.size > 0) {
        paje_addf(&paje_output, "different: %llu and %llu entities\n", (unsigned long long)entities[0],
                  (unsigned long long)entities[1]);
        return PAJE_ERRORS;
    }
    paje_addf(&paje_output, "equal: %llu entities%s\n", (unsigned long long)entities[0],
              status == PAJE_ERRORS ? ", but there are errors" : "");
    return status;
}

static const char *option(int key, const char *argument, paje_settings *settings)
{
    (void)settings;
    double number;
    if (key != 'l') {
        options.no_user_fields = 1;
        return NULL;
    }
    if (!paje_parse_number(argument, &number) || !(number >= 0 && number <= 1000))
        return "no number of decimals";
    options.precision = (int)number;
    return NULL;
}

static const paje_option option_table[] = {
    {'l', "float-precision", "N", "compare times and values to so many decimals; default: exactly"},
    {'U', "no-user-defined", NULL, "do not compare user fields"},
    {0, NULL, NULL, NULL},
};

const paje_plugin paje_equals = {
    .name = "equals",
    .summary = "Tells whether two traces hold the same entities, in whatever order, and where not",
    .details = "What is called alike is the same: aliases, colours and definitions are not compared.\n"
               "Where the traces differ, the first entity that only A has and the first that only B has are printed.\n"
               "The entities of A are kept in memory.",
    .traces = 2,
    .options = option_table,
    .option = option,
    .callbacks = {.closed = closed},
    .begin = begin,
    .result = result,
    .result_help = " or they differ",
};
