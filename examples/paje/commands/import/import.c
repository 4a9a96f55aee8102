/* paje import: traces of Paraver and OTF2, as Pajé. */
#include "import.h"

#include <errno.h>
#include <stdlib.h>

enum { CPUS = PAJE_LONG_ONLY, STACK };

static struct {
    const char *output; /* NULL: standard output */
    prv_options prv;
} options;

static output_file file;

static void write_file(text_buffer *output)
{
    output_write(&file, output);
}

/* The format of a trace, by its first bytes. */
typedef enum format { PARAVER, OTF2, PAJE, NONE, EMPTY } format;

static int begins_with(pajesim_text text, const char *word, size_t size)
{
    return text.size >= size && memcmp(text.bytes, word, size) == 0;
}

static format find_format(pajesim_text first, int is_trace)
{
    static const char otf2[] = "\3BOTF2";
    if (first.size == 0)
        return EMPTY;
    if (begins_with(first, "#Paraver", 8) || begins_with(first, "#PARAVER", 8) || begins_with(first, "new format", 10))
        return PARAVER;
    if (begins_with(first, otf2, sizeof otf2 - 1))
        return OTF2;
    return is_trace ? PAJE : NONE;
}

/* A trace that is Pajé already. */
static void copy(input_lines *lines)
{
    pajesim_text bytes;
    while ((bytes = lines_peek(lines)).size > 0) {
        text_append(&stream_output, bytes);
        lines->at = lines->size;
        stream_flush();
    }
}

static int run(const paje_settings *settings, char **names, int count)
{
    const char *name = count > 0 ? names[0] : "-";
    paje_source *source = paje_open_trace(name, 0);
    input_lines *lines = memory_alloc(1, sizeof *lines);
    lines_limit = settings->limit;
    lines_begin(lines, source->name, source, -1);
    if (options.output) {
        output_open(&file, options.output, OUTPUT_WHOLE);
        stream_divert = write_file;
    }
    source->is_any = 1;
    pajesim_text first = lines_peek(lines);
    switch (find_format(first, !source->is_no_trace)) {
    case PARAVER:
        if (strcmp(name, "-") != 0)
            labels_read(name);
        prv_import(lines, &options.prv);
        break;
    case OTF2: otf2_import(source); break;
    case PAJE: copy(lines); break;
    case EMPTY:
    case NONE:
        lines->number = 1;
        lines_report(lines, first.bytes, first.bytes, 0,
                     "this is no trace of Paraver (#Paraver), nor the anchor file of an OTF2 archive (.otf2)");
        break;
    }
    stream_flush();
    stream_divert = NULL;
    if (options.output)
        output_close(&file, 1);
    uint64_t errors = lines_errors(source->name);
    lines_end(lines);
    free(lines);
    paje_close_source(source);
    return errors ? EXIT_ERRORS : EXIT_OK;
}

static const char *option(int key, const char *argument, paje_settings *settings)
{
    (void)settings;
    uint64_t number;
    switch (key) {
    case 'o': options.output = argument; return NULL;
    case CPUS: options.prv.has_cpus = 1; return NULL;
    default:
        if (!paje_parse_count(argument, &number))
            return "no number of an event type";
        *array_push(&options.prv.stacks) = number;
        return NULL;
    }
}

static const paje_option option_table[] = {
    {'o', "output", "FILE", "the trace; default: standard output"},
    {CPUS, "cpus", NULL, "Paraver: a variable says on which CPU a thread is"},
    {STACK, "stack", "TYPE", "Paraver: values of this event type are nested: 0 ends the last; may be repeated"},
    {0, NULL, NULL, NULL},
};

const paje_command command_import = {
    .name = "import",
    .summary = "Prints a trace of Paraver (.prv) or OTF2 (.otf2) as Paj\xc3\xa9",
    .details = "Paraver: names are those of .pcf and .row beside the .prv.  Applications, tasks and threads are\n"
               "containers; state records are the states of type State.  An event type whose values have names is a\n"
               "type of states, which 0 ends; of events, if 0 has no name; else it is a variable.  Values of user\n"
               "functions (60000019), and of states that `paje paraver` wrote, are nested.  Communications are links\n"
               "from the physical send to the physical receive, with Size, Tag, LogicalSend and LogicalReceive.\n\n"
               "OTF2: the anchor file is given, and `otf2-print` (Debian: otf2-tools) reads the archive.  Regions are\n"
               "states, MPI messages are links, metrics are variables, in their unit and of their scope.  Messages of\n"
               "one sender, receiver, communicator and tag are received in the order in which receives complete.\n\n"
               "Bad lines are reported and left out.  Times are exact: seconds, with the decimals of the trace (OTF2:\n"
               "9).  A trace that is Paj\xc3\xa9 already is printed as it is.",
    .traces = 1,
    .trials = "FILE",
    .options = option_table,
    .option = option,
    .run = run,
};
