/* The options of a command and its help, made from the same tables. */
#include "base/similar.h"
#include "command.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_OPTIONS 64

enum { STRICT = 256, LENIENT, LIMIT, ARENA, FILES, STATS, HELP, CONTAINER, TYPE, UNIT, PART };

static const paje_option common[] = {
    {STRICT, "strict", NULL, "refuse what the specification refuses"},
    {LENIENT, "lenient", NULL, "repair what can be repaired, and warn"},
    {'n', "no-strict", NULL, "accept old field names (EntityType, SourceContainer, ...) also when strict"},
    {'z', "ignore-incomplete-links", NULL, "links without a second end are not errors"},
    {LIMIT, "limit", "N", "print N errors of each trace, then how many more there are; 0: all; default: 100"},
    {ARENA, "arena", "SIZE", "limit of the memory of the simulation, such as 64K, 16M, 2G; default: none"},
    {FILES, "files", "FOLDER", "included files may also be below FOLDER; default: only below the folder of the trace"},
    {STATS, "stats", NULL, "print memory, lines and time used on standard error at the end"},
    {HELP, "help", NULL, "print this help"},
    {0, NULL, NULL, NULL},
};
static const paje_option *const help = &common[sizeof common / sizeof *common - 2];

static const struct {
    unsigned filter;
    paje_option option;
} filters[] = {
    {PAJE_TIME_FILTER, {'s', "start", "TIME", "only entities that end at TIME or later"}},
    {PAJE_TIME_FILTER, {'e', "end", "TIME", "only entities that start at TIME or before"}},
    {PAJE_NAME_FILTER,
     {CONTAINER, "container", "GLOB", "only containers of that name or alias, what is in them, and their links"}},
    {PAJE_NAME_FILTER, {TYPE, "type", "GLOB", "only entities of types of that name or alias"}},
    {PAJE_UNIT, {UNIT, "unit", "UNIT", "of the trace's times: s, ms, us or ns"}},
    {PAJE_PARTS, {PART, "part", "K/N", "only part K of N; all N parts together are the whole, each entity once"}},
};
enum { FILTER_COUNT = sizeof filters / sizeof *filters };

void paje_usage(const paje_command *command, const char *format, ...)
{
    text_buffer line = {0};
    va_list arguments;
    va_start(arguments, format);
    text_vprintf(&line, format, arguments);
    va_end(arguments);
    const char *name = command ? command->name : "", *colon = command ? ": " : "", *blank = command ? " " : "";
    if (command && command->alias && strcmp(program_name, command->alias->name) == 0)
        name = colon = blank = ""; /* the program has the name of the command */
    stream_message("%s%s%.*s (see `%s %s%s--help`)", name, colon, (int)line.size, line.bytes, program_name, name,
                   blank);
    exit(EXIT_USAGE);
}

int paje_parse_number(const char *argument, double *number)
{
    return pajesim_number(argument, strlen(argument), number);
}

int paje_parse_count(const char *argument, uint64_t *count)
{
    char *end;
    if (argument[0] < '0' || argument[0] > '9')
        return 0;
    errno = 0;
    *count = strtoull(argument, &end, 10);
    return *end == '\0' && *count > 0 && errno == 0;
}

int paje_parse_choice(const char *argument, const char *const *names, int *choice)
{
    for (*choice = 0; names[*choice]; ++*choice)
        if (strcmp(names[*choice], argument) == 0)
            return 1;
    return 0;
}

/* Parses K/N, K from 1 to N.  Returns 0 if it is none. */
static int parse_part(const char *argument, paje_settings *settings)
{
    enum { MOST_PARTS = 1000000 };
    char *end;
    const char *slash = strchr(argument, '/');
    if (!slash || argument[0] < '0' || argument[0] > '9' || !paje_parse_count(slash + 1, &settings->parts))
        return 0;
    errno = 0;
    settings->part = strtoull(argument, &end, 10);
    return end == slash && errno == 0 && settings->part > 0 && settings->part <= settings->parts &&
           settings->parts <= MOST_PARTS;
}

const char *paje_parse_processes(const char *argument, int *processes)
{
    enum { MOST = 1024 };
    uint64_t count;
    if (!paje_parse_count(argument, &count) || count > MOST)
        return "no number of processes";
    *processes = (int)count;
    return NULL;
}

int paje_parse_size(const char *argument, size_t *size)
{
    static const char units[] = "KMG";
    char *end;
    if (argument[0] < '0' || argument[0] > '9')
        return 0;
    unsigned long long number = strtoull(argument, &end, 10);
    const char *unit = *end ? strchr(units, *end >= 'a' && *end <= 'z' ? *end - 'a' + 'A' : *end) : NULL;
    unsigned shift = unit ? 10 * (unsigned)(unit - units + 1) : 0;
    if (end[unit != NULL] != '\0' || number == 0 || number > (SIZE_MAX >> shift))
        return 0;
    *size = (size_t)number << shift;
    return 1;
}

/* ---- help */

static void print_option(const paje_option *option)
{
    char left[64];
    size_t size = 0;
    if (option->key < STRICT)
        size += (size_t)snprintf(left, sizeof left, "-%c, ", option->key);
    else
        size += (size_t)snprintf(left, sizeof left, "    ");
    snprintf(left + size, sizeof left - size, "--%s%s%s", option->name,
             option->argument && !paje_argument_is_optional(option) ? "=" : "",
             option->argument ? option->argument : "");
    text_printf(&stream_output, "  %-31s %s\n", left, option->help);
}

static void print_options(const paje_option *options)
{
    for (; options->help; options++)
        print_option(options);
}

static void print_filters(unsigned taken)
{
    text_puts(&stream_output, "\nOptions that choose entities:\n");
    for (size_t i = 0; i < FILTER_COUNT; i++)
        if (taken & filters[i].filter)
            print_option(&filters[i].option);
    if (taken & PAJE_PARTS)
        text_puts(&stream_output,
                  "A part is an Nth of the bytes of the trace, with what its lines complete; the last one also has\n"
                  "what is open at the end.  With an index, what comes before a part need not be replayed.\n");
    if (taken & PAJE_TIME_FILTER)
        text_printf(&stream_output, "Entities are chosen whole, not cut; TIME is in the unit of the trace.  %s\n",
                    taken & PAJE_FROM_INDEX ? "With an index only\nthe lines of that range are read."
                                            : "All of the trace\nis read, as that depends on what came before.");
    if (taken & PAJE_NAME_FILTER)
        text_puts(&stream_output, "--container and --type may be repeated: one of the GLOBs must match.  In a GLOB, *\n"
                                  "is any text, ? any character, [a-z] one of these.  All is in the root, 0: write\n"
                                  "[0] for a container of that name.\n");
    if ((taken & PAJE_UNIT) && !(taken & PAJE_KEEPS_UNIT))
        text_puts(&stream_output, "With --unit times are printed in seconds, else as they are in the trace.\n");
    else if (taken & PAJE_UNIT)
        text_puts(&stream_output,
                  "Without --unit, the unit is what the trace tells: a comment with the word `unit`, types of StarPU,\n"
                  "Batsim or SimGrid, times since 1970; else seconds.  A message says so unless it is seconds.\n");
}

static unsigned filters_of(const paje_settings *settings)
{
    return settings->alias ? settings->alias->filters : settings->command->filters;
}

static const paje_option *options_of(const paje_settings *settings)
{
    return settings->alias ? settings->alias->options : settings->command->options;
}

const char *paje_operands(const paje_command *command)
{
    return command->operands            ? command->operands
           : command->traces == 2        ? "A B"
           : command->traces == PAJE_ANY ? "FILE..."
                                         : "[FILE]";
}

const paje_option *paje_option_at(const paje_command *command, size_t index)
{
    for (const paje_option *option = command->options; option && option->help; option++)
        if (index-- == 0)
            return option;
    for (size_t i = 0; i < FILTER_COUNT; i++)
        if ((command->filters & filters[i].filter) && index-- == 0)
            return &filters[i].option;
    if (command->is_runner) /* it replays nothing */
        return index == 0 ? help : NULL;
    return index < sizeof common / sizeof *common - 1 ? &common[index] : NULL;
}

int paje_is_common(const paje_option *option)
{
    return option >= common && option < common + sizeof common / sizeof *common;
}

static void print_help(const paje_settings *settings)
{
    const paje_command *command = settings->command;
    text_printf(&stream_output, "Usage: %s%s [OPTIONS] %s\n%s.\n", settings->alias ? "" : "paje ",
                settings->alias ? settings->alias->name : command->name,
                paje_operands(command), command->summary);
    if (command->details)
        text_printf(&stream_output, "\n%s\n", command->details);
    if (options_of(settings)) {
        text_puts(&stream_output, "\nOptions:\n");
        print_options(options_of(settings));
    }
    if (filters_of(settings) & PAJE_FILTERS)
        print_filters(filters_of(settings));
    else if (command->unfiltered && !settings->alias)
        text_printf(&stream_output, "\nIt takes no filters (-s, -e, --container, --type): %s.\n", command->unfiltered);
    if (command->is_runner) {
        text_puts(&stream_output, "\nExit status: the command's; 2 usage; 126, 127 it cannot be run.\n");
        stream_flush();
        return;
    }
    text_printf(&stream_output, "\nOptions of every command (%s is the default here):\n",
                settings->simulation.strict ? "--strict" : "--lenient");
    print_options(common);
    text_printf(&stream_output, "\n%sExit status: 0 success (perhaps with warnings), 1 the trace has errors%s,\n"
                                "2 usage, 3 input, output or memory failed, 141 the reader of the output has gone.\n"
                                "On a terminal, bytes that could control it are printed as \\xNN.\n",
                command->operands ? "" : "A file that is absent or - is standard input.\n",
                command->result_help ? command->result_help : "");
    stream_flush();
}

/* ---- parsing */

/* Copies options into the table and the string that getopt_long takes. */
static void add_option(const paje_option *it, struct option *longs, size_t *count, text_buffer *shorts)
{
    if (*count == MOST_OPTIONS - 1)
        return;
    longs[(*count)++] = (struct option){it->name, paje_argument_is_optional(it) ? optional_argument :
                                       it->argument ? required_argument : no_argument, NULL, it->key};
    if (it->key < STRICT)
        text_printf(shorts, "%c%s", it->key, it->argument ? ":" : "");
}

static void add_options(const paje_option *options, struct option *longs, size_t *count, text_buffer *shorts)
{
    for (; options && options->help; options++)
        add_option(options, longs, count, shorts);
}

/* Filters that a command refuses are parsed as well, so that the message can say why. */
static int knows_filter(const paje_settings *settings, size_t filter)
{
    return (filters_of(settings) & filters[filter].filter) || (settings->command->unfiltered && !settings->alias);
}

/* Sets a filter.  Returns 0 if the key is not that of a filter. */
static int set_filter(int key, const char *argument, paje_settings *settings)
{
    const paje_command *command = settings->command;
    paje_filter *filter = &settings->filter;
    size_t i = 0;
    while (i < FILTER_COUNT && filters[i].option.key != key)
        i++;
    if (i == FILTER_COUNT || !knows_filter(settings, i))
        return 0;
    if (!(filters_of(settings) & filters[i].filter))
        paje_usage(command, "there is no --%s here: %s", filters[i].option.name, command->unfiltered);
    if ((key == 's' && !paje_parse_number(argument, &filter->start)) ||
        (key == 'e' && !paje_parse_number(argument, &filter->end)))
        paje_usage(command, "`%s`: no number", argument);
    switch (key) {
    case 's': filter->has_start = 1; break;
    case 'e': filter->has_end = 1; break;
    case CONTAINER: *array_push(&filter->containers) = argument; break;
    case TYPE: *array_push(&filter->types) = argument; break;
    case PART:
        if (!parse_part(argument, settings))
            paje_usage(command, "`%s`: no part: K/N, such as 3/64; K is from 1 to N, N at most 1000000", argument);
        break;
    default:
        filter->unit = unit_named(text_of(argument));
        if (!filter->unit)
            paje_usage(command, "`%s`: no unit: s, ms, us or ns", argument);
    }
    return 1;
}

static void set_common(int key, const char *argument, paje_settings *settings)
{
    switch (key) {
    case STRICT: settings->simulation.strict = 1; break;
    case LENIENT: settings->simulation.strict = 0; break;
    case 'n': settings->simulation.old_names = 1; break;
    case 'z': settings->simulation.ignore_links = 1; break;
    case STATS: settings->stats = 1; break;
    case FILES: settings->files = argument; break;
    case LIMIT:
        if (strcmp(argument, "0") != 0 && !paje_parse_count(argument, &settings->limit))
            paje_usage(settings->command, "`%s` is no number of errors", argument);
        if (strcmp(argument, "0") == 0)
            settings->limit = 0;
        break;
    case ARENA:
        if (!paje_parse_size(argument, &settings->arena))
            paje_usage(settings->command, "`%s` is no size", argument);
        break;
    default: print_help(settings); exit(EXIT_OK);
    }
}

static int is_common(int key)
{
    const paje_option *option = common;
    while (option->help && option->key != key)
        option++;
    return option->help != NULL;
}

/* Says that there is no such option, and which one is spelled alike. */
static NO_RETURN void refuse_option(const paje_command *command, const char *word, const struct option *longs)
{
    char name[64];
    size_t size = strncmp(word, "--", 2) == 0 ? strcspn(word + 2, "=") : 0;
    similar_name alike = {name, NULL, 0};
    snprintf(name, sizeof name, "%.*s", (int)(size < sizeof name ? size : 0), word + (size ? 2 : 0));
    for (; longs->name; longs++)
        similar_offer(&alike, longs->name);
    if (alike.name)
        paje_usage(command, "there is no such option as `%s`; did you mean `--%s`?", word, alike.name);
    paje_usage(command, "there is no such option as `%s`", word);
}

/* getopt_long gives the key of an option that exists also where `=ARGUMENT` stands behind one that has none. */
static void refuse_argument(const paje_command *command, const struct option *longs)
{
    for (; longs->name; longs++)
        if (longs->val == optopt)
            paje_usage(command, "option `--%s` takes no argument", longs->name);
}

int paje_parse_options(int argc, char **argv, paje_settings *settings)
{
    const paje_command *command = settings->command;
    struct option longs[MOST_OPTIONS] = {{NULL, 0, NULL, 0}};
    size_t count = 0;
    text_buffer shorts = {0};
    text_puts(&shorts, command->is_runner ? "+:" : ":"); /* : suppresses the messages of getopt_long */
    add_options(command->is_runner ? help : common, longs, &count, &shorts);
    add_options(options_of(settings), longs, &count, &shorts);
    for (size_t i = 0; i < FILTER_COUNT; i++)
        if (knows_filter(settings, i))
            add_option(&filters[i].option, longs, &count, &shorts);
    settings->filter.sees_all = (command->filters & PAJE_SEES_ALL) != 0;
    settings->filter.keeps_unit = (command->filters & PAJE_KEEPS_UNIT) != 0;

    settings->limit = PAJE_LIMIT;
    settings->simulation.strict = command->strict;
    settings->simulation.parse_only = command->parse_only;
    if (settings->alias)
        settings->alias->begin(settings);
    for (;;) {
        int at = optind ? optind : 1;
        int key = getopt_long(argc, argv, text_string(&shorts), longs, NULL);
        if (key == -1)
            break;
        if (key == ':')
            paje_usage(command, "option `%s` needs an argument", argv[optind - 1]);
        if (key == '?' && optopt == '?')
            key = HELP; /* -? */
        if (key == '?' && optopt > 0)
            refuse_argument(command, longs);
        if (key == '?' && optopt > 0 && optopt < STRICT)
            paje_usage(command, "there is no option `-%c`%s", optopt,
                       (optopt >= '0' && optopt <= '9') || optopt == '.' ? "; a number below 0 comes behind `--`" : "");
        if (key == '?')
            refuse_option(command, argv[optind > at ? optind - 1 : at], longs);
        if (is_common(key)) {
            set_common(key, optarg, settings);
        } else if (!set_filter(key, optarg, settings)) {
            const char *wrong = command->option(key, optarg, settings);
            if (wrong)
                paje_usage(command, "`%s`: %s", optarg, wrong);
        }
    }
    text_free(&shorts);
    const paje_filter *filter = &settings->filter;
    if (filter->has_start && filter->has_end && filter->end < filter->start)
        paje_usage(command, "the end, -e, is before the start, -s");
    return optind;
}
