/* paje merge: one trace of many, in the order of time. */
#include "merge.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

extern const paje_plugin paje_merge;

enum { OFFSET = PAJE_LONG_ONLY, ALIGN, APART };

static struct {
    const char *output; /* NULL: standard output */
    int align;
    const char **offsets; /* NAME=SECONDS, or NUMBER=SECONDS */
    size_t offset_count;
} options;

merge_input *merge_inputs;
uint32_t merge_input_count;
int merge_writing, merge_apart;

/* ---- taking lines in the order of time */

/* A heap of inputs: the one whose next line is the first to be taken is at the top. */
static struct {
    double time; /* greatest of the input until now, its next line included: so its lines keep their order */
    merge_input *input;
} *heap, kept;
static size_t heap_count;

static int is_before(size_t a, size_t b)
{
    if (heap[a].time < heap[b].time || heap[a].time > heap[b].time)
        return heap[a].time < heap[b].time;
    return heap[a].input->index < heap[b].input->index;
}

static void sink(size_t at)
{
    for (size_t child; (child = 2 * at + 1) < heap_count; at = child) {
        if (child + 1 < heap_count && is_before(child + 1, child))
            child++;
        if (!is_before(child, at))
            break;
        kept = heap[at];
        heap[at] = heap[child];
        heap[child] = kept;
    }
}

/* What the next line does to the input's place in the order.  In the first look for offsets nothing is known of how the
 * clocks stand: there, time goes from the first event of each. */
static double place(merge_input *input, const merge_line *line, int first_look)
{
    pajesim_event event = line->definition->event;
    if (event >= PAJESIM_CREATE_CONTAINER && line->definition->at[PAJESIM_TIME]) {
        double time = merge_correct(input, line->time);
        input->least = merge_least(input->least, line->time);
        if (!input->timed && event != PAJESIM_CREATE_CONTAINER) { /* these are often said to be created at 0 */
            input->timed = 1;
            input->first = time;
        }
        input->latest = merge_greatest(input->latest, time);
    }
    if (!first_look)
        return input->latest;
    return input->timed ? input->latest - input->first : -INFINITY;
}

/* Takes all lines of all inputs once.  Answers an exit status. */
static int take_all(const paje_settings *settings, int first_look)
{
    merge_begin_names();
    merge_begin_links();
    merge_begin_writing();
    merge_begin_clocks();
    heap_count = 0;
    for (uint32_t i = 0; i < merge_input_count; i++) {
        merge_input *input = &merge_inputs[i];
        merge_open_input(input, settings);
        const merge_line *line = merge_next_line(input);
        if (line) {
            heap[heap_count].time = place(input, line, first_look);
            heap[heap_count++].input = input;
        }
    }
    for (size_t i = heap_count; i-- > 0;)
        sink(i);
    while (heap_count > 0) {
        merge_input *input = heap[0].input;
        merge_take_line(input, &input->lines[input->next]);
        input->next++;
        const merge_line *line = merge_next_line(input);
        if (line)
            heap[0].time = place(input, line, first_look);
        else
            heap[0] = heap[--heap_count];
        sink(0);
    }
    int status = PAJE_WELL;
    paje_flush();
    for (uint32_t i = 0; i < merge_input_count; i++) {
        int one = merge_close_input(&merge_inputs[i]);
        status = one > status ? one : status;
    }
    return status;
}

/* ---- clocks */

static void set_offset(const char *option)
{
    size_t size = (size_t)(strrchr(option, '=') - option);
    double seconds;
    paje_parse_number(option + size + 1, &seconds);
    merge_input *found = NULL;
    for (uint32_t i = 0; i < merge_input_count; i++)
        if (strlen(merge_inputs[i].name) == size && memcmp(merge_inputs[i].name, option, size) == 0)
            found = &merge_inputs[i];
    char *end;
    unsigned long number = strtoul(option, &end, 10);
    if (!found && end == option + size && number >= 1 && number <= merge_input_count)
        found = &merge_inputs[number - 1];
    if (!found)
        paje_usage(&paje_merge, "`%s`: there is no such file", option);
    found->clock.offset = seconds;
}

static void align(const paje_settings *settings)
{
    paje_settings quiet = *settings;
    quiet.stats = 0;
    int looks = 0;
    do
        take_all(&quiet, looks++ == 0);
    while (merge_correct_clocks());
    for (uint32_t i = 0; i < merge_input_count; i++)
        merge_tell_correction(&merge_inputs[i]);
    merge_begin_at_zero();
}

/* ---- files */

static void check_files(void)
{
    struct stat output, status;
    int is_there = options.output && stat(options.output, &output) == 0 && S_ISREG(output.st_mode);
    uint32_t standard = 0;
    for (uint32_t i = 0; i < merge_input_count; i++) {
        const char *name = merge_inputs[i].name;
        int known = strcmp(name, "-") != 0 ? stat(name, &status) == 0 : 0;
        standard += strcmp(name, "-") == 0;
        if (options.align && !(known && S_ISREG(status.st_mode)) && (known || strcmp(name, "-") == 0))
            paje_usage(&paje_merge, "--align reads each file more than once: `%s` is none that can be", name);
        if (is_there && known && status.st_dev == output.st_dev && status.st_ino == output.st_ino)
            paje_usage(&paje_merge, "`%s` is to be read and written", name);
    }
    if (standard > 1)
        paje_usage(&paje_merge, "`-`: standard input can be read only once");
}

static void open_output(void)
{
    if (!options.output)
        return;
    int file = open(options.output, O_WRONLY | O_CREAT | O_TRUNC | O_NOCTTY, 0666);
    if (file < 0 || dup2(file, STDOUT_FILENO) < 0)
        paje_fail("%s: %s", options.output, strerror(errno));
    close(file);
}

static int run(const paje_settings *settings, char **names, int count)
{
    static char standard[] = "-", *only[] = {standard};
    if (count == 0) {
        names = only;
        count = 1;
    }
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) == 0) { /* all are open at once */
        files.rlim_cur = files.rlim_max;
        setrlimit(RLIMIT_NOFILE, &files);
    }
    merge_input_count = (uint32_t)count;
    merge_inputs = paje_room(NULL, (size_t)count * sizeof *merge_inputs);
    memset(merge_inputs, 0, (size_t)count * sizeof *merge_inputs);
    heap = paje_room(NULL, (size_t)count * sizeof *heap);
    for (uint32_t i = 0; i < merge_input_count; i++) {
        merge_inputs[i].name = names[i];
        merge_inputs[i].index = i;
        merge_inputs[i].least = HUGE_VAL;
    }
    for (size_t i = 0; i < options.offset_count; i++)
        set_offset(options.offsets[i]);
    check_files();
    if (options.align)
        align(settings);
    open_output();
    merge_writing = 1;
    int status = take_all(settings, 0);
    if (settings->stats)
        paje_message("at most %zu links in flight", merge_most_links_in_flight);
    merge_begin_names();
    merge_free_clocks();
    free(merge_inputs);
    free(heap);
    free(options.offsets);
    return status;
}

static const char *option(int key, const char *argument, paje_settings *settings)
{
    (void)settings;
    double seconds;
    const char *equals;
    switch (key) {
    case 'o': options.output = strcmp(argument, "-") == 0 ? NULL : argument; break;
    case ALIGN: options.align = 1; break;
    case APART: merge_apart = 1; break;
    default:
        equals = strrchr(argument, '=');
        if (!equals || !paje_parse_number(equals + 1, &seconds))
            return "it is not FILE=SECONDS";
        options.offsets = paje_room(options.offsets, (options.offset_count + 1) * sizeof *options.offsets);
        options.offsets[options.offset_count++] = argument;
    }
    return NULL;
}

static const paje_option option_table[] = {
    {'o', "output", "OUT", "where the merged trace goes; standard output if it is absent or -"},
    {OFFSET, "offset", "FILE=TIME", "add TIME to all times of FILE, or of the file of that number, from 1"},
    {ALIGN, "align", NULL, "find offsets, and drift, so that no link ends before it starts"},
    {APART, "apart", NULL, "containers of several files are never the same"},
    {0, NULL, NULL, NULL},
};

const paje_plugin paje_merge = {
    .name = "merge",
    .summary = "Makes one trace of many, such as one of each rank, in the order of time",
    .details = "The lines of a file keep their order.  Types of the same kind, name and parent are one, whatever\n"
               "their identifiers, and so are values of the same type and name, and containers of the same identifier,\n"
               "name, type and parent: such a container is created once, and destroyed when the last file destroys it.\n"
               "Links keep their keys and may start in one file and end in another; keys that several files use for\n"
               "links of their own get the number of the file behind them.\n"
               "--align reads the files several times; clocks that are right as they are stay so.  What cannot be\n"
               "satisfied is listed on standard error, and violated as little as possible.",
    .traces = PAJE_ANY,
    .parse_only = 1,
    .options = option_table,
    .option = option,
    .callbacks = {.definition = merge_on_definition, .line = merge_on_line, .problem = merge_on_problem},
    .run = run,
    .result_help = " (those lines are left out)",
};
