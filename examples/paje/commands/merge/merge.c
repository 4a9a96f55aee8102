/* paje merge: one trace of many, in the order of time. */
#include "merge.h"

#include <math.h>
#include <stdlib.h>

extern const paje_command command_merge;

enum { OFFSET = PAJE_LONG_ONLY, ALIGN, APART };

static struct {
    const char *output;            /* NULL: standard output */
    array_of(const char *) offsets; /* NAME=TIME or NUMBER=TIME */
    int aligns, keeps_apart;
    uint64_t processes;
} options = {.processes = 1};

static const char *option(int key, const char *argument, paje_settings *settings)
{
    (void)settings;
    double seconds;
    const char *equals;
    switch (key) {
    case 'o': options.output = strcmp(argument, "-") == 0 ? NULL : argument; break;
    case ALIGN: options.aligns = 1; break;
    case 'j':
        if (!paje_parse_count(argument, &options.processes))
            return "it is no number of processes";
        break;
    case APART: options.keeps_apart = 1; break;
    default:
        equals = strrchr(argument, '=');
        if (!equals || !paje_parse_number(equals + 1, &seconds) || !(fabs(seconds) < HUGE_VAL))
            return "it is not FILE=TIME";
        *array_push(&options.offsets) = argument;
    }
    return NULL;
}

static void set_offset(merge *m, const char *argument)
{
    size_t size = (size_t)(strrchr(argument, '=') - argument);
    int is_found = 0;
    for (uint32_t i = 0; i < m->input_count; i++) /* with --apart a file may be there twice */
        if (strlen(m->inputs[i].name) == size && memcmp(m->inputs[i].name, argument, size) == 0) {
            m->inputs[i].clock.given = argument + size + 1;
            is_found = 1;
        }
    char *end;
    unsigned long number = strtoul(argument, &end, 10);
    if (!is_found && argument[0] >= '0' && argument[0] <= '9' && end == argument + size && number >= 1 &&
        number <= m->input_count) {
        m->inputs[number - 1].clock.given = argument + size + 1;
        is_found = 1;
    }
    if (!is_found)
        paje_usage(&command_merge, "`%s`: there is no such file", argument);
    merge_note_decimals(m, text_of(argument + size + 1));
}

static void begin(merge *m, const paje_settings *settings, char **names, uint32_t count)
{
    m->is_strict = settings->simulation.strict != 0;
    m->command = &command_merge;
    m->aligns = options.aligns;
    m->shows_stats = settings->stats;
    m->keeps_apart = options.keeps_apart;
    m->input_count = count;
    m->inputs = memory_alloc_zero(count, sizeof *m->inputs);
    for (uint32_t i = 0; i < count; i++) {
        m->inputs[i].merge = m;
        m->inputs[i].name = names[i];
        m->inputs[i].index = i;
        m->inputs[i].is_raw = merge_is_raw(names[i], &m->inputs[i].raw);
        m->inputs[i].least = HUGE_VAL;
        m->inputs[i].copy.lines = -1;
    }
    for (size_t i = 0; i < options.offsets.count; i++)
        set_offset(m, options.offsets.items[i]);
    merge_check_files(m);
    if (options.output)
        merge_open_output(options.output); /* before the work, in case that it cannot be written */
    merge_limit_inputs(m);
    merge_copy_pipes(m);
    merge_sort_inputs(m, options.processes);
    merge_begin_types(m);
}

static void end(merge *m)
{
    array_free(&options.offsets);
    text_free(&m->output.types);
    merge_free_queue(m);
    merge_free_alignment(m);
    merge_free_solver(m);
    merge_free_links(m);
    merge_free_unpaired(m);
    merge_free_messages(m);
    merge_free_collectives();
    merge_free_waits(m);
    merge_free_containers(m);
    merge_free_mixed(m);
    merge_free_scopes(m);
    merge_free_types(m);
    merge_free_definitions(m);
    merge_free_share(m);
    merge_free_clocks(m);
    merge_free_inputs(m);
    text_free(&m->key);
}

static int run(const paje_settings *settings, char **names, int count)
{
    static char standard_input[] = "-", *no_names[] = {standard_input};
    merge m;
    memset(&m, 0, sizeof m);
    names = merge_list_files(count ? names : no_names, count ? count : 1, options.output, &count);
    begin(&m, settings, names, (uint32_t)count);

    paje_settings last = *settings, quiet;
    last.plain_files = 1;
    if (m.is_strict) { /* inputs are simulated: lines that are refused are left out, but links may end in another one */
        last.simulation.parse_only = 0;
        last.simulation.ignore_links = 1;
    }
    quiet = last;
    quiet.stats = 0;
    m.pass = MERGE_SURVEY;
    merge_begin_share(&m, options.processes);
    merge_run_pass(&m, &quiet);
    if (options.output)
        merge_check_output();
    m.pass = MERGE_MEASURE;
    int is_new = merge_look_again(&m, &quiet, 0);
    if (m.aligns) {
        if (is_new)
            merge_run_pass(&m, &quiet); /* for the messages */
        merge_align(&m, &quiet);
        merge_look_again(&m, &quiet, 1);
    }
    merge_report_scopes(&m);
    m.pass = MERGE_WRITE;
    int status = merge_share_pass(&m, &last, options.processes);
    if (status >= EXIT_FAILED)
        exit(status); /* one of the processes has said why: the output is not whole, and is removed */
    if (options.output)
        merge_close_output();
    if (m.aligns)
        merge_report_messages(&m);
    merge_report_mixed(&m);
    merge_report_unpaired(&m);
    if (settings->stats)
        stream_message("at most %zu links in flight", m.links.most_in_flight);
    end(&m);
    for (int i = 0; i < count; i++)
        free(names[i]);
    free(names);
    return status;
}

static const paje_option option_table[] = {
    {'o', "output", "OUT",
     "write the merged trace to OUT, which appears when it is whole; default: standard output, -"},
    {OFFSET, "offset", "FILE=TIME", "add TIME to all times of FILE, or of the file of that number, from 1"},
    {ALIGN, "align", NULL, "correct clocks, by offsets and drift, so that no link ends before it starts"},
    {'j', "jobs", "N", "sort and write by N processes; the output is the same"},
    {APART, "apart", NULL, "do not merge containers of different files"},
    {0, NULL, NULL, NULL},
};

const paje_command command_merge = {
    .name = "merge",
    .summary = "Makes one trace of many, such as one of each rank, in the order of time",
    .details = "A folder stands for the traces in it; in that of `paje trace --keep` processes that were killed end\n"
               "with their last lines, functions get their names, and messages with one end are counted and left\n"
               "out.\n\n"
               "The lines of a file keep their order, unless time goes back on a container and type, as where threads\n"
               "share a file: then they are sorted by time.  Definitions of types and values come first.  Comment\n"
               "lines are kept, with the name of their file.  Types of the same kind, name and parent are merged into\n"
               "one, whatever their identifiers, and so are values of the same type and name, and containers of the\n"
               "same identifier, name, type and parent: such a container is created once, and destroyed when the last\n"
               "file destroys it.  Links keep their keys and may start in one file and end in another; keys that\n"
               "several files use for links of their own get the number of the file appended.  Links from file to\n"
               "file that have one key at the same time cannot be told apart: a message counts them.  Where several\n"
               "files write states of one container, or of the root, or set its variables, these are mixed as they\n"
               "come, and a message names it.  What a file leaves open, as one that was cut, goes on to the end of\n"
               "the merged trace.\n"
               "Times are not converted: a message says if comments of the files name different units.\n"
               "--align goes by links and, in traces of `paje trace`, by collective operations: who ends a barrier\n"
               "does so after the last one has begun it.  It does not change clocks that are right.  It prints on\n"
               "standard error which messages still arrive before they are sent, and by how much; that is as little\n"
               "as possible.  A file has one clock: messages within it correct nothing.\n"
               "--strict leaves out what validate --strict refuses in a file, but links may end in another file.\n"
               "Without it nothing is replayed: a pop of no state, and a key of a link that is in use, stay.\n"
               "The files are read twice, a third time where many links go from file to file and keys collide, and\n"
               "more often with --align; pipes, and files that are sorted, are copied to $TMPDIR first.  With -j\n"
               "several processes write, too, but not with --align or --strict, from pipes, or behind a line that is\n"
               "left out.",
    .traces = PAJE_ANY,
    .trials = "-o OUT --apart FILE FILE\n--apart FILE\n--align --apart FILE FILE",
    .unfiltered = "traces are merged as a whole; filter when you look into the result",
    .parse_only = 1,
    .options = option_table,
    .option = option,
    .callbacks = {.definition = merge_on_definition, .line = merge_on_line, .problem = merge_on_problem},
    .run = run,
    .result_help = " (those lines are left out)",
};
