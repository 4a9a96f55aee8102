/* paje index: saves checkpoints of a trace beside it, from which any part of it can be replayed. */
#include "command.h"
#include "replay/chunks.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { EVENTS = PAJE_LONG_ONLY, BUDGET };

enum { FOLLOW_MILLISECONDS = 200, LEAST_BUDGET = 64 << 20 };
enum { ARENAS = 16 }; /* size of an index without --budget, in arenas */

static struct {
    pajesim_index_options apart;
    size_t budget; /* 0: unlimited */
    int follow;
} options;

static volatile sig_atomic_t interrupted;

static void interrupt(int number)
{
    (void)number;
    interrupted = 1;
}

static int has_implicit; /* values */

static int new_value(pajesim *sim, const pajesim_value_info *value)
{
    (void)sim;
    has_implicit |= value->implicit;
    return PAJESIM_GO_ON;
}

static const char *option(int key, const char *argument, paje_settings *settings)
{
    switch (key) {
    case 'j': return paje_parse_processes(argument, &settings->processes);
    case EVENTS: return paje_parse_count(argument, &options.apart.events) ? NULL : "no number of events";
    case BUDGET: return paje_parse_size(argument, &options.budget) ? NULL : "no size";
    default: options.follow = 1; return NULL;
    }
}

static void grow_index(paje_index_file *it)
{
    unsigned long long needed = pajesim_index_capacity_needed(&it->index);
    if (options.budget)
        stream_fail("an index of %zu bytes is too small, %llu are needed; see --budget", it->size, needed);
    if (!paje_grow_index(it, needed))
        stream_fail("an index would take %llu bytes, as so much is open in the trace, and 4 GiB are the most", needed);
}

/* Refuses a trace that includes other files, also one that cannot be read. */
static void expect_one_file(const paje_run *run)
{
    if (run->source->includer || run->source->included || run->file_errors)
        stream_fail("%s includes other files; a trace of several files cannot be indexed",
                    (run->source->includer ? run->source->includer : run->source)->name);
}

/* Takes a checkpoint if one is due. */
static void step(paje_run *run, void *index)
{
    paje_index_file *it = index;
    expect_one_file(run);
    if (!options.budget && it->size / ARENAS < pajesim_used(&run->sim))
        paje_grow_index(it, ARENAS * (uint64_t)pajesim_used(&run->sim));
    if (pajesim_index_step(&it->index, &run->sim) == PAJESIM_FULL && (options.budget || it->size < INDEX_MOST))
        grow_index(it); /* else this checkpoint is left out */
}

/* Replays the trace to its present end and takes checkpoints. */
static void replay(paje_run *run, paje_index_file *it)
{
    /* Feed small pieces if checkpoints are close to each other. */
    size_t most = options.apart.events && options.apart.events < 4096 ? 16 * (size_t)options.apart.events : SIZE_MAX;
    while (!interrupted && paje_feed_run(run, most)) {
        step(run, it);
        if (run->source->at == run->source->size)
            paje_show_run(run);
    }
}

/* Refuses a trace that was cut or replaced: what is added to it then does not continue what was read. */
static void expect_longer(const paje_source *source)
{
    struct stat status;
    if (fstat(source->file, &status) == 0 && (uint64_t)status.st_size < source->consumed)
        stream_fail("%s: it became shorter while it was followed", source->name);
    if (paje_is_replaced(source->name, source->file))
        stream_fail("%s: it was replaced while it was followed: index the new file", source->name);
}

/* Until it is interrupted: replays what is added to the trace, and saves the index each time. */
static void follow(paje_run *run, paje_index_file *it)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = interrupt;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    uint64_t saved = UINT64_MAX;
    for (replay(run, it); !interrupted; replay(run, it)) {
        expect_longer(run->source);
        uint64_t bytes = pajesim_count(&run->sim)->bytes;
        if (bytes != saved) {
            while (pajesim_index_checkpoint_now(&it->index, &run->sim) == PAJESIM_FULL)
                grow_index(it);
            it->had_errors = pajesim_count(&run->sim)->errors > 0;
            it->has_implicit |= has_implicit;
            paje_save_index(it, run->settings, run->source->file);
            saved = bytes;
        }
        poll(NULL, 0, FOLLOW_MILLISECONDS);
    }
}

static void finish(paje_run *run, paje_index_file *it)
{
    for (;;) {
        pajesim_status status = pajesim_index_finish(&it->index, &run->sim);
        if (status != PAJESIM_FULL && status != PAJESIM_PAUSED)
            break;
        if (status == PAJESIM_FULL && pajesim_capacity_needed(&run->sim) > run->capacity)
            paje_grow_run(run);
        else if (status == PAJESIM_FULL)
            grow_index(it);
    }
    if (!pajesim_index_complete(&it->index))
        stream_fail("%s: the index could not be completed", run->source->name);
    it->had_errors = pajesim_count(&run->sim)->errors > 0;
    it->has_implicit |= has_implicit;
}

static int run_index(const paje_settings *settings, char **names, int count)
{
    static paje_run run;
    static paje_index_file it;
    const char *why;
    struct stat status;
    if (count == 0 || strcmp(names[0], "-") == 0)
        paje_usage(settings->command, "it takes a file, not standard input");
    if (stat(names[0], &status) == 0 && !S_ISREG(status.st_mode))
        stream_fail("%s: %s", names[0], S_ISDIR(status.st_mode) ? strerror(EISDIR) : "it is no regular file");
    if (paje_is_compressed(names[0]))
        stream_fail("%s: it is compressed, and an index leads to places in the trace: decompress it before", names[0]);
    size_t budget = options.budget ? options.budget : LEAST_BUDGET;
    paje_index_state state = paje_load_index(&it, settings, names[0], budget, &options.apart, &why);
    if (state == PAJE_INDEX_PART && paje_is_last_stretch_stale(settings, names[0], &it.index)) {
        state = PAJE_INDEX_ABSENT;
        why = "the trace was changed since";
    }
    if (state != PAJE_INDEX_PART) { /* also if it is complete: the options may differ */
        it.has_implicit = 0;
        if (pajesim_index_init(&it.index, it.memory, it.size, &options.apart) != PAJESIM_OK)
            grow_index(&it);
        paje_open_run(&run, settings, names[0]);
        while (pajesim_index_begin(&it.index, &run.sim) != PAJESIM_OK)
            grow_index(&it);
        run.callbacks.new_value = NULL; /* a chunk with an implicit value that is new is fed whole */
        int pays = !options.apart.events && paje_chunks_pay(&run, settings->processes);
        run.callbacks.new_value = new_value;
        if (pays)
            paje_feed_chunks(&run, settings->processes, step, &it);
    } else {
        paje_resume_run(&run, settings, names[0], &it.index);
    }
    uint64_t before = state == PAJE_INDEX_PART ? pajesim_count(&run.sim)->bytes : 0;
    if (options.follow)
        follow(&run, &it);
    else
        replay(&run, &it);
    interrupted = 0;
    if (run.source->is_no_trace) { /* nothing of it was read, which what is added later would not tell */
        stream_end_progress();
        paje_release_index(&it);
        return paje_close_run(&run);
    }
    finish(&run, &it);
    stream_end_progress();
    paje_expect_unwritten(run.source);
    size_t size = paje_save_index(&it, settings, run.source->file);
    run.seconds = clock_seconds() - run.began;
    const pajesim_counts *counts = pajesim_count(&run.sim);
    text_put_printable(&stream_output, text_of(it.name));
    text_printf(&stream_output, ": %s%lu checkpoints, %zu bytes; %llu events, %.3f s, %.1f MB/s",
                state == PAJE_INDEX_PART ? "added to; " : why || state == PAJE_INDEX_WHOLE ? "made anew; " : "",
                (unsigned long)pajesim_index_count(&it.index), size, (unsigned long long)counts->events, run.seconds,
                run.seconds > 0 ? 1e-6 * (double)(counts->bytes - before) / run.seconds : 0.0);
    stream_end_line();
    stream_flush();
    paje_release_index(&it);
    return paje_close_run(&run);
}

static const paje_option option_table[] = {
    {EVENTS, "events", "N", "a checkpoint every N events; default: every 4M of the trace, or 24 arenas"},
    {BUDGET, "budget", "SIZE",
     "of the index; when it is full, every other checkpoint goes; default: 64M, or 16 arenas"},
    {'j', "jobs", "N", "N processes share the work, if the trace is a large file, without --events"},
    {'F', "follow", NULL, "wait for more lines at the end of the file, until interrupted"},
    {0, NULL, NULL, NULL},
};

const paje_command command_index = {
    .name = "index",
    .summary = "Writes FILE.pajeidx: checkpoints of a trace, from which any part of it can be replayed",
    .details = "at, view, what has -j, and dump, csv, profile, histogram, matrix, slices, diff, svg, html and\n"
               "platform with -s or -e use it.\n"
               "It belongs to this file: when the file has changed, the index is no longer used; when the file has\n"
               "grown, `paje index` adds the new part.  Of what was there before, 64 blocks of 4 KB, spread over all\n"
               "of it, are compared, and whatever is read again: if that has changed, there is an error.  A change\n"
               "elsewhere, in a file of the same date, is not noticed as long as nothing reads it: remove the index\n"
               "then.  What uses it ends with status 1 also for errors that only this command has read and printed.\n"
               "Of a trace in a folder where nothing may be written, index a symbolic link to it in one of your own,\n"
               "and give the link to other commands.",
    .traces = 1,
    .trials = "FILE\n--events=20 FILE",
    .unfiltered = "an index is that of the whole trace; filter when you look into it, as with `paje dump -s`",
    .operands = "FILE",
    .options = option_table,
    .option = option,
    .callbacks = {.new_value = new_value},
    .run = run_index,
};
