/* paje merge: one trace of many, in the order of time. */
#include "merge.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

extern const paje_plugin paje_merge;

enum { OFFSET = PAJE_LONG_ONLY, ALIGN, APART };

static struct {
    const char *output; /* NULL: standard output */
    const char **offsets; /* NAME=SECONDS, or NUMBER=SECONDS */
    size_t offset_count;
} options;

merge_input *merge_inputs;
uint32_t merge_input_count;
enum merge_pass merge_pass;
int merge_apart, merge_aligns;

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
    double worst;
    while (merge_correct_clocks(&worst))
        merge_take_all(settings);
    merge_try_waiting(settings, worst);
    for (uint32_t i = 0; i < merge_input_count; i++)
        merge_tell_correction(&merge_inputs[i]);
    merge_begin_at_zero();
}

/* ---- files */

static void check_files(void)
{
    struct stat output, status;
    int is_there = options.output && stat(options.output, &output) == 0 && S_ISREG(output.st_mode);
    for (uint32_t i = 0; i < merge_input_count; i++) {
        const char *name = merge_inputs[i].name;
        if (strcmp(name, "-") == 0 ? fstat(STDIN_FILENO, &status) < 0 : stat(name, &status) < 0)
            continue;
        if (is_there && status.st_dev == output.st_dev && status.st_ino == output.st_ino)
            paje_usage(&paje_merge, "`%s` is to be read and written", name);
        if (merge_apart && S_ISREG(status.st_mode))
            continue;
        merge_key key = merge_make_key(MERGE_SAME_FILE, (uint64_t)status.st_dev, (uint64_t)status.st_ino, 0,
                                       (pajesim_text){"", 0});
        const merge_entry *same = merge_find(key);
        if (same)
            paje_usage(&paje_merge, "`%s` is the same file as `%s`%s", name, ((merge_input *)same->thing)->name,
                       S_ISREG(status.st_mode) ? "; with --apart it may be" : "");
        merge_add(key, &merge_inputs[i], 0);
    }
}

/* A file without a name that holds what is left in this one. */
static int copy_of(int file, const char *name)
{
    const char *folder = getenv("TMPDIR");
    paje_buffer path = {0}, copied = {0};
    char bytes[1 << 14];
    ssize_t size;
    paje_addf(&path, "%s/paje-merge-XXXXXX", folder && *folder ? folder : "/tmp");
    paje_add(&path, "", 1);
    int copy = mkstemp(path.bytes);
    if (copy < 0)
        paje_fail("%s: a copy of `%s` is needed: %s; see TMPDIR", path.bytes, name, strerror(errno));
    unlink(path.bytes);
    while ((size = read(file, bytes, sizeof bytes)) != 0)
        if (size > 0) {
            paje_add(&copied, bytes, (size_t)size);
            paje_write(copy, path.bytes, &copied);
        } else if (errno != EINTR) {
            paje_fail("%s: %s", name, strerror(errno));
        }
    paje_release(&path);
    paje_release(&copied);
    return copy;
}

/* All files are read several times: what can be read only once, such as a pipe, is copied before. */
static void copy_if_needed(merge_input *input)
{
    int is_standard = strcmp(input->name, "-") == 0, file = STDIN_FILENO;
    struct stat status;
    if (!is_standard && stat(input->name, &status) == 0 && S_ISREG(status.st_mode))
        return;
    if ((!is_standard && (file = open(input->name, O_RDONLY | O_NOCTTY)) < 0) || fstat(file, &status) < 0)
        paje_fail("%s: %s", is_standard ? "standard input" : input->name, strerror(errno));
    if (!S_ISREG(status.st_mode)) {
        int copy = copy_of(file, input->name);
        if (!is_standard)
            close(file);
        file = copy;
    }
    paje_buffer path = {0};
    paje_addf(&path, "/dev/fd/%d", file);
    paje_add(&path, "", 1);
    input->path = path.bytes;
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
    merge_input_count = (uint32_t)count;
    merge_inputs = paje_room(NULL, (size_t)count * sizeof *merge_inputs);
    memset(merge_inputs, 0, (size_t)count * sizeof *merge_inputs);
    for (uint32_t i = 0; i < merge_input_count; i++) {
        merge_inputs[i].name = names[i];
        merge_inputs[i].index = i;
        merge_inputs[i].least = HUGE_VAL;
    }
    for (size_t i = 0; i < options.offset_count; i++)
        set_offset(options.offsets[i]);
    check_files();
    for (uint32_t i = 0; i < merge_input_count; i++)
        copy_if_needed(&merge_inputs[i]);
    merge_begin_inputs();

    paje_settings quiet = *settings;
    quiet.stats = 0;
    merge_take_all(&quiet);
    merge_pass = MERGE_LOOK;
    if (merge_aligns)
        align(&quiet);
    open_output();
    merge_pass = MERGE_WRITE;
    int status = merge_take_all(settings);
    if (merge_aligns)
        merge_tell_messages();
    if (settings->stats)
        paje_message("at most %zu links in flight", merge_most_links_in_flight);

    merge_free_clocks();
    merge_free_order();
    merge_free_writing();
    merge_forget();
    for (uint32_t i = 0; i < merge_input_count; i++)
        free(merge_inputs[i].path);
    free(merge_inputs);
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
    case ALIGN: merge_aligns = 1; break;
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
    .details = "The lines of a file keep their order; definitions of types and values come first, comment lines get\n"
               "the name of their file.  Types of the same kind, name and parent are one, whatever their identifiers,\n"
               "and so are values of the same type and name, and containers of the same identifier, name, type and\n"
               "parent: such a container is created once, and destroyed when the last file destroys it.\n"
               "Links keep their keys and may start in one file and end in another; keys that several files use for\n"
               "links of their own get the number of the file behind them.\n"
               "--align leaves clocks as they are that are right.  What cannot be satisfied is listed on standard\n"
               "error, and violated as little as possible.\n"
               "The files are read twice, with --align more often; pipes are copied to $TMPDIR before.",
    .traces = PAJE_ANY,
    .parse_only = 1,
    .options = option_table,
    .option = option,
    .callbacks = {.definition = merge_on_definition, .line = merge_on_line, .problem = merge_on_problem},
    .run = run,
    .result_help = " (those lines are left out)",
};
