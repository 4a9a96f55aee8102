/* paje equals: compares the entities of two traces as multisets of lines.  Those of the first trace are counted, those
 * of the second are subtracted; of those that only the second has, the first few are kept. */
#include "command.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>

/* Times of one of the traces. */
typedef struct range {
    double start, end, stop;
} range;

static struct {
    int precision, no_user_fields, no_times, ignores_case, quiet;
    uint64_t most_shown; /* of the entities that only one trace has */
    range ranges[2];
} options = {.precision = PAJE_EXACT, .most_shown = 10,
             .ranges = {{-HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, HUGE_VAL, HUGE_VAL}}};

static int is_pj_equals; /* called by that name */

static hash_map lines;
static array_of(uint64_t) counts; /* of each line: count in the first trace minus count in the second */
static uint64_t entities[2];
static text_buffer line;
static uint64_t only_in_second; /* how many entities */
static array_of(text_buffer) first_in_second; /* the first of them, as lines */
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
    else if (only_in_second++ < options.most_shown)
        text_put(array_push(&first_in_second), line.bytes, line.size);
}

/* Names are in quotes where a comma would make two lines of different entities the same. */
static void put_name(pajesim_text name)
{
    text_puts(&line, ", ");
    text_put_csv(&line, name);
}

/* Its path: threads of different processes may have one name. */
static void put_container(const pajesim *sim, pajesim_ref container)
{
    static text_buffer path;
    text_clear(&path);
    paje_put_path(&path, sim, container);
    put_name(text_view(&path));
}

/* Returns what is left of a number with the decimals that are compared, never a negative zero. */
static double rounded(double number)
{
    static text_buffer text;
    if (options.precision == PAJE_EXACT)
        return number + 0.0;
    text_clear(&text);
    text_printf(&text, "%.*f", options.precision, number);
    text_putc(&text, '\0');
    return strtod(text.bytes, NULL) + 0.0;
}

static void put_number(double number)
{
    paje_format_number(&line, rounded(number), options.precision);
}

static void put_entity(const pajesim *sim, const pajesim_entity *entity)
{
    text_puts(&line, pajesim_kind_name(entity->kind));
    put_container(sim, entity->container);
    put_name(pajesim_name(sim, entity->type));
    if (!options.no_times) {
        put_number(entity->start);
        if (entity->kind != PAJESIM_EVENT) {
            put_number(entity->end);
            /* The difference of the rounded times: times that are equal may have durations that round otherwise. */
            put_number(rounded(entity->end) - rounded(entity->start));
        }
        if (entity->kind == PAJESIM_STATE)
            put_number(entity->imbrication);
    }
    if (entity->kind == PAJESIM_VARIABLE && !is_pj_equals)
        put_number(entity->number);
    else if (entity->kind != PAJESIM_CONTAINER)
        put_name(entity->value_name);
    if (entity->kind == PAJESIM_LINK && !options.no_times) {
        put_container(sim, entity->start_container);
        put_container(sim, entity->end_container);
        put_name(entity->key);
    }
}

static void put_fields(const pajesim *sim, const pajesim_fields *fields)
{
    pajesim_field field;
    text_puts(&line, ", {");
    for (uint32_t i = 0; pajesim_user_field(sim, fields, i, &field); i++) {
        text_puts(&line, i ? ", " : "");
        text_put_csv(&line, field.name);
        text_putc(&line, '=');
        text_put_csv(&line, field.text);
    }
    text_putc(&line, '}');
}

static int is_in_range(const pajesim_entity *entity)
{
    const range *it = &options.ranges[second];
    return entity->start <= it->end && entity->end >= it->start;
}

static int closed(pajesim *sim, const pajesim_entity *entity)
{
    if (!is_in_range(entity))
        return PAJESIM_GO_ON;
    line.size = 0;
    put_entity(sim, entity);
    if (!options.no_user_fields && entity->opening.count + entity->closing.count) {
        put_fields(sim, &entity->opening);
        put_fields(sim, &entity->closing);
    }
    for (size_t i = 0; i < line.size && options.ignores_case; i++)
        line.bytes[i] = (char)tolower((unsigned char)line.bytes[i]);
    entities[second]++;
    if (second)
        subtract_line();
    else
        count_line();
    return PAJESIM_GO_ON;
}

/* -a, -o of pj_equals */
static int line_read(pajesim *sim, const pajesim_line *it)
{
    (void)sim;
    int timed = it->event >= PAJESIM_CREATE_CONTAINER && it->event != PAJESIM_TRACE_FILE;
    return timed && it->time > options.ranges[second].stop ? PAJESIM_STOP : PAJESIM_GO_ON;
}

static void begin(paje_run *run, int trace)
{
    second = trace;
    text_printf(&names[trace], "%s", run->source->name);
    if (!is_pj_equals)
        run->callbacks.line = NULL;
}

static void print_difference(int trace, pajesim_text text)
{
    text_puts(&stream_output, "only in ");
    text_put_printable(&stream_output, text_view(&names[trace]));
    text_puts(&stream_output, ": ");
    text_put_printable(&stream_output, text);
    stream_end_line();
}

/* Prints the first entities that only one trace has, then how many there are.  `only_in_first` of them are in A. */
static void print_differences(uint64_t only_in_first)
{
    uint64_t shown = 0;
    for (size_t i = 0; i < lines.count && shown < options.most_shown; i++)
        for (uint64_t k = 0; k < counts.items[i] && shown < options.most_shown; k++, shown++)
            print_difference(0, map_key(&lines, i));
    for (size_t i = 0; i < first_in_second.count; i++)
        print_difference(1, text_view(&first_in_second.items[i]));
    text_printf(&stream_output, "different: %llu of %llu entities are only in A, %llu of %llu only in B\n",
                (unsigned long long)only_in_first, (unsigned long long)entities[0],
                (unsigned long long)only_in_second, (unsigned long long)entities[1]);
}

static int result(int status)
{
    uint64_t only_in_first = 0;
    for (size_t i = 0; i < lines.count; i++)
        only_in_first += counts.items[i];
    int is_equal = only_in_first == 0 && only_in_second == 0;
    if (is_pj_equals) {
        if (status == EXIT_ERRORS && !paje_pajeng_errors)
            status = EXIT_OK;
        if (!options.quiet && status != EXIT_ERRORS)
            text_puts(&stream_output, is_equal ? "1\n" : "0\n");
        return options.quiet && status != EXIT_ERRORS ? is_equal : status;
    }
    if (!is_equal) {
        if (!options.quiet)
            print_differences(only_in_first);
        return EXIT_ERRORS;
    }
    if (!options.quiet)
        text_printf(&stream_output, "equal: %llu entities%s\n", (unsigned long long)entities[0],
                    status == EXIT_ERRORS ? ", but there are errors" : "");
    return status;
}

enum { NO_TIMES = PAJE_LONG_ONLY, DIFFERENCES };

/* Options of pj_equals that are times. */
static double *time_of(int key)
{
    switch (key) {
    case 's': return &options.ranges[0].start;
    case 'e': return &options.ranges[0].end;
    case 'a': return &options.ranges[0].stop;
    case 't': return &options.ranges[1].start;
    case 'd': return &options.ranges[1].end;
    default: return &options.ranges[1].stop;
    }
}

static const char *option(int key, const char *argument, paje_settings *settings)
{
    double number;
    switch (key) {
    case 'l':
        if (!paje_parse_number(argument, &number) || !(number >= 0 && number <= 1000))
            return "no number of decimals";
        options.precision = (int)number;
        break;
    case 'U': options.no_user_fields = 1; break;
    case NO_TIMES: options.no_times = 1; break;
    case DIFFERENCES:
        if (!paje_parse_number(argument, &number) || !(number >= 0 && number <= 1e9) || number != floor(number))
            return "no whole number";
        options.most_shown = (uint64_t)number;
        break;
    case 'i': options.ignores_case = 1; break;
    case 'q': options.quiet = 1; break;
    case 'f': break; /* there is one reader only */
    case 'v': paje_print_version(); stream_flush(); exit(EXIT_OK);
    default:
        if (!paje_parse_number(argument, time_of(key)))
            return "no number";
        if (key == 'a' || key == 'o')
            settings->simulation.ignore_links = 1; /* their other ends may come after the stop */
    }
    return NULL;
}

static const paje_option option_table[] = {
    {'l', "float-precision", "N", "compare times and values to N decimals; default: exactly"},
    {'U', "no-user-defined", NULL, "do not compare user fields"},
    {NO_TIMES, "no-times", NULL, "compare kind, container, type and value only"},
    {'i', "icase", NULL, "ignore the case of ASCII letters"},
    {DIFFERENCES, "differences", "N", "of each trace print the first N that only it has; default: 10"},
    {'q', "quiet", NULL, "print nothing: only the exit status tells"},
    {0, NULL, NULL, NULL},
};

static const paje_option pj_equals_table[] = {
    {'s', "start1", "TIME", "of the first trace only entities that end at TIME or later"},
    {'e', "end1", "TIME", "of the first trace only entities that start at TIME or before"},
    {'a', "stop-at1", "TIME", "stop the first trace before the first line later than TIME"},
    {'t', "start2", "TIME", "as -s, of the second trace"},
    {'d', "end2", "TIME", "as -e, of the second trace"},
    {'o', "stop-at2", "TIME", "as -a, of the second trace"},
    {'i', "icase", NULL, "ignore the case of ASCII letters"},
    {'q', "quiet", NULL, "print nothing; the exit status is 1 if they are equal, 0 if not"},
    {'f', "flex", NULL, "as without: there is only one reader here"},
    {'v', "version", NULL, "print the versions of the tool and of its header"},
    {0, NULL, NULL, NULL},
};

static void begin_pj_equals(paje_settings *settings)
{
    is_pj_equals = options.no_times = options.no_user_fields = 1;
    settings->simulation.remembered = PAJE_PAJENG_REMEMBERED;
    settings->callbacks.problem = paje_show_problem_of_pajeng;
}

static const paje_alias pj_equals = {.name = "pj_equals", .options = pj_equals_table, .begin = begin_pj_equals};

const paje_command command_equals = {
    .name = "equals",
    .alias = &pj_equals,
    .summary = "Compares the entities of two traces, in any order",
    .details = "Entities are compared by the paths of their containers and by names, not by aliases or colours,\n"
               "with the user fields of the lines that begin and end them: {Mark=one}, {Reason=done}.\n"
               "Where the traces differ, the first entities that only A has and the first that only B has are\n"
               "printed, then how many there are.\n"
               "The entities of A are kept in memory.  Called as pj_equals, through a symbolic link, it prints 1 if\n"
               "the traces are equal without times and user fields, else 0.",
    .traces = 2,
    .trials = "FILE FILE\n-l 3 -U --container p* -s 1 FILE FILE\n--no-times -i FILE FILE",
    .filters = PAJE_TIME_FILTER | PAJE_NAME_FILTER,
    .unfiltered = "the times of both traces are compared as they stand there",
    .options = option_table,
    .option = option,
    .callbacks = {.line = line_read, .closed = closed},
    .begin = begin,
    .result = result,
    .result_help = " or they differ",
};
