/* Options of a command, and its help, from the same tables. */
#include "paje.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_OPTIONS 64

enum { STRICT = 256, LENIENT, ARENA, FILES, STATS, HELP };

static const paje_option common[] = {
    {STRICT, "strict", NULL, "refuse what the specification refuses"},
    {LENIENT, "lenient", NULL, "repair what can be repaired, and warn"},
    {'n', "no-strict", NULL, "old field names (EntityType, SourceContainer, ...) are right, also when strict"},
    {'z', "ignore-incomplete-links", NULL, "links that never get their other end are no errors"},
    {ARENA, "arena", "SIZE", "limit of the simulation's memory, such as 64K, 16M, 2G; default: none"},
    {FILES, "files", "FOLDER", "included files may be below FOLDER, too; default: below the trace's only"},
    {STATS, "stats", NULL, "say at the end what was used, on standard error"},
    {HELP, "help", NULL, "print this help"},
    {0, NULL, NULL, NULL},
};

void paje_usage(const paje_plugin *plugin, const char *format, ...)
{
    paje_buffer line = {0};
    va_list arguments;
    va_start(arguments, format);
    paje_add_formatted(&line, format, arguments);
    va_end(arguments);
    const char *name = plugin ? plugin->name : "", *colon = plugin ? ": " : "", *blank = plugin ? " " : "";
    paje_message("%s%s%.*s (see `paje %s%s--help`)", name, colon, (int)line.size, line.bytes, name, blank);
    exit(PAJE_USAGE);
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

const char *paje_parse_unit(const char *argument, double *per_second)
{
    static const char *const units[] = {"s", "ms", "us", "ns"};
    *per_second = 1;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++, *per_second *= 1000)
        if (strcmp(argument, units[i]) == 0)
            return NULL;
    return "no unit: s, ms, us or ns";
}

static void print_options(const paje_option *options)
{
    for (; options->help; options++) {
        char left[64];
        size_t size = 0;
        if (options->key < STRICT)
            size += (size_t)snprintf(left, sizeof left, "-%c, ", options->key);
        else
            size += (size_t)snprintf(left, sizeof left, "    ");
        snprintf(left + size, sizeof left - size, "--%s%s%s", options->name, options->argument ? "=" : "",
                 options->argument ? options->argument : "");
        paje_addf(&paje_output, "  %-31s %s\n", left, options->help);
    }
}

static void print_help(const paje_plugin *plugin)
{
    const char *traces = plugin->traces == 2 ? "A B" : plugin->traces == PAJE_ANY ? "FILE..." : "[FILE]";
    paje_addf(&paje_output, "Usage: paje %s [OPTIONS] %s\n%s.\n", plugin->name,
              plugin->operands ? plugin->operands : traces, plugin->summary);
    if (plugin->details)
        paje_addf(&paje_output, "\n%s\n", plugin->details);
    if (plugin->options) {
        paje_addf(&paje_output, "\nOptions:\n");
        print_options(plugin->options);
    }
    paje_addf(&paje_output, "\nOptions of every command (%s is the default here):\n",
              plugin->strict ? "--strict" : "--lenient");
    print_options(common);
    paje_addf(&paje_output, "\n%sExit status: 0 well (warnings included), 1 the trace has errors%s, 2 usage,\n"
                            "3 input, output or memory failed.\n",
              plugin->operands ? "" : "A file that is absent or - is standard input.\n",
              plugin->result_help ? plugin->result_help : "");
    paje_flush();
}

/* Copies a table into what getopt_long wants. */
static void add_options(const paje_option *options, struct option *longs, size_t *count, paje_buffer *shorts)
{
    for (; options && options->help && *count < MOST_OPTIONS - 1; options++) {
        struct option option = {options->name, options->argument ? required_argument : no_argument, NULL, options->key};
        longs[(*count)++] = option;
        if (options->key < STRICT)
            paje_addf(shorts, "%c%s", options->key, options->argument ? ":" : "");
    }
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
    case ARENA:
        if (!paje_parse_size(argument, &settings->arena))
            paje_usage(settings->plugin, "`%s` is no size", argument);
        break;
    default: print_help(settings->plugin); exit(PAJE_WELL);
    }
}

static int is_common(int key)
{
    const paje_option *option = common;
    while (option->help && option->key != key)
        option++;
    return option->help != NULL;
}

int paje_parse_options(int argc, char **argv, paje_settings *settings)
{
    const paje_plugin *plugin = settings->plugin;
    struct option longs[MOST_OPTIONS] = {{NULL, 0, NULL, 0}};
    size_t count = 0;
    paje_buffer shorts = {0};
    paje_add(&shorts, ":", 1); /* getopt_long leaves the messages to us */
    add_options(common, longs, &count, &shorts);
    add_options(plugin->options, longs, &count, &shorts);
    paje_add(&shorts, "", 1);

    settings->simulation.strict = plugin->strict;
    settings->simulation.parse_only = plugin->parse_only;
    for (;;) {
        int at = optind ? optind : 1;
        int key = getopt_long(argc, argv, shorts.bytes, longs, NULL);
        if (key == -1)
            break;
        if (key == ':')
            paje_usage(plugin, "option `%s` needs an argument", argv[optind - 1]);
        if (key == '?' && optopt > 0 && optopt < STRICT)
            paje_usage(plugin, "there is no option `-%c`", optopt);
        if (key == '?')
            paje_usage(plugin, "there is no such option as `%s`", argv[optind > at ? optind - 1 : at]);
        if (is_common(key)) {
            set_common(key, optarg, settings);
        } else {
            const char *wrong = plugin->option(key, optarg, settings);
            if (wrong)
                paje_usage(plugin, "`%s`: %s", optarg, wrong);
        }
    }
    paje_release(&shorts);
    return optind;
}
