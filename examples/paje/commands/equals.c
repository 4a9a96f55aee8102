/* paje equals: compares the entities of two traces as multisets of lines.  Those of the first trace are counted, those
 * of the second are subtracted. */
#include "command.h"

static struct {
    int precision, no_user_fields;
} options = {.precision = PAJE_EXACT};

static hash_map lines;
static array_of(uint64_t) counts; /* of each line: count in the first trace minus count in the second */
static uint64_t entities[2];
static text_buffer line, only_in_second;
static int second;
static text_buffer names[2];

static void count_line(void)
{
    ++*array_at(&counts, map_add(&lines, line.bytes, line.size));
}

static void subtract_line(void)
{
    size_t at = map_find(&lines, line.bytes, line.size);
    if (at != MAP_NONE && counts.items[at] > 0)
        counts.items[at]--;
    else if (only_in_second.size == 0)
        text_put(&only_in_second, line.bytes, line.size);
}

static int closed(pajesim *sim, const pajesim_entity *entity)
{
    line.size = 0;
    paje_format_entity(&line, sim, entity, options.precision);
    if (!options.no_user_fields)
        paje_format_user_fields(&line, sim, entity);
    entities[second]++;
    if (second)
        subtract_line();
    else
        count_line();
    return PAJESIM_GO_ON;
}

static void begin(paje_run *run, int trace)
{
    second = trace;
    text_printf(&names[trace], "%s", run->source->name);
}

static void print_difference(int trace, pajesim_text text)
{
    text_puts(&stream_output, "only in ");
    text_put_printable(&stream_output, text_view(&names[trace]));
    text_puts(&stream_output, ": ");
    text_put_printable(&stream_output, text);
    stream_end_line();
}

static int result(int status)
{
    size_t first = 0;
    while (first < lines.count && counts.items[first] == 0)
        first++;
    if (first < lines.count)
        print_difference(0, map_key(&lines, first));
    if (only_in_second.size > 0)
        print_difference(1, (pajesim_text){only_in_second.bytes, only_in_second.size});
    if (first < lines.count || only_in_second.size > 0) {
        text_printf(&stream_output, "different: %llu and %llu entities\n", (unsigned long long)entities[0],
                    (unsigned long long)entities[1]);
        return EXIT_ERRORS;
    }
    text_printf(&stream_output, "equal: %llu entities%s\n", (unsigned long long)entities[0],
                status == EXIT_ERRORS ? ", but there are errors" : "");
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
    {'l', "float-precision", "N", "compare times and values to N decimals; default: exactly"},
    {'U', "no-user-defined", NULL, "do not compare user fields"},
    {0, NULL, NULL, NULL},
};

const paje_command command_equals = {
    .name = "equals",
    .summary = "Compares the entities of two traces, in any order",
    .details = "Entities are compared by names: aliases, colours and definitions may differ.\n"
               "Where the traces differ, the first entity that only A has and the first that only B has are printed.\n"
               "The entities of A are kept in memory.",
    .traces = 2,
    .trials = "FILE FILE\n-l 3 -U --container p* -s 1 FILE FILE",
    .filters = PAJE_TIME_FILTER | PAJE_NAME_FILTER,
    .unfiltered = "the times of both traces are compared as they stand there",
    .options = option_table,
    .option = option,
    .callbacks = {.closed = closed},
    .begin = begin,
    .result = result,
    .result_help = " or they differ",
};
