/* Replays a trace: reads it, grows the arena, opens included files. */
#include "replay/run.h"
#include "base/clock.h"
#include "base/stream.h"
#include "replay/arena.h"
#include "replay/chunks.h"
#include "replay/path.h"
#include "replay/problem.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FIRST_ARENA (1u << 16)

/* Returns a new capacity: at least `needed`, half as much again as before if the limit permits. */
static size_t new_capacity(const paje_run *run, uint64_t needed)
{
    uint64_t capacity = run->capacity ? run->capacity + (uint64_t)run->capacity / 2 : FIRST_ARENA;
    if (capacity < needed)
        capacity = needed;
    if (run->settings->arena && capacity > run->settings->arena)
        capacity = run->settings->arena;
    if (needed > capacity) {
        stream_flush();
        stream_fail("%s:%llu: an arena of %zu bytes is too small, %llu are needed; see --arena", run->source->name,
                    (unsigned long long)(run->arena ? pajesim_line_number(&run->sim) : 1), run->settings->arena,
                    (unsigned long long)needed);
    }
    if (capacity > SIZE_MAX)
        stream_fail("no memory for an arena of %llu bytes", (unsigned long long)capacity);
    return (size_t)capacity;
}

void paje_grow_run(paje_run *run)
{
    size_t capacity = new_capacity(run, pajesim_capacity_needed(&run->sim));
    unsigned char *arena = paje_arena(capacity);
    if (pajesim_move(&run->sim, arena, capacity) != PAJESIM_OK)
        stream_fail("the arena cannot be moved");
    free(run->arena);
    run->arena = arena;
    run->capacity = capacity;
    run->moves++;
}

static void report(paje_run *run, pajesim_code code, uint64_t line, const char *text, pajesim_text bytes)
{
    pajesim_problem problem;
    memset(&problem, 0, sizeof problem);
    problem.code = code;
    problem.severity = PAJESIM_ERROR;
    problem.text = text;
    problem.line = line;
    problem.bytes = bytes;
    run->file_errors++;
    if (run->callbacks.problem) /* in a part of another process it is switched off */
        run->callbacks.problem(&run->sim, &problem);
}

/* Reports that the previous line includes a file that cannot be read. */
static void refuse_file(paje_run *run, pajesim_text name, const char *why)
{
    text_buffer text = {0};
    text_printf(&text, "included file is left out: %s", why);
    report(run, PAJESIM_E_NONE, pajesim_line_number(&run->sim) - 1, text_string(&text), name);
    text_free(&text);
}

/* Reports that the trace is none, and what it is instead. */
static void refuse_trace(paje_run *run)
{
    const char *format = run->source->format;
    text_buffer text = {0};
    if (format)
        text_printf(&text, "this is a trace of %s: `paje import` makes one of Paj\xc3\xa9 of it", format);
    else
        text_puts(&text, "this is no trace: it has no event definitions (%EventDef)");
    report(run, PAJESIM_E_EVENT_UNKNOWN, 1, text_string(&text), text_of(""));
    text_free(&text);
}

static pajesim_status open_file(paje_run *run)
{
    const char *refused;
    paje_source *source = paje_open_included(run->source, pajesim_file(&run->sim), run->settings->files,
                                             run->settings->plain_files, &refused);
    if (source) {
        run->source = source;
        return PAJESIM_OK;
    }
    text_buffer name = {0};
    text_append(&name, pajesim_file(&run->sim));
    pajesim_status status = pajesim_end_file(&run->sim);
    refuse_file(run, (pajesim_text){name.bytes, name.size}, refused);
    text_free(&name);
    return status;
}

static void leave_file(paje_run *run)
{
    paje_source *source = run->source;
    run->source = source->includer;
    paje_close_source(source);
}

void paje_show_run(paje_run *run)
{
    const paje_source *trace = run->source;
    while (trace->includer)
        trace = trace->includer;
    paje_show_progress(&run->progress, trace->consumed);
}

int paje_feed_run(paje_run *run, size_t most)
{
    paje_source *source = run->source;
    pajesim_status status = PAJESIM_OK;
    if (source->is_no_trace && !source->is_any) /* which is reported when its beginning was read */
        return 0;
    if (source->at < source->size) {
        size_t size = source->size - source->at, taken;
        paje_read_new_comments(run);
        status = pajesim_feed(&run->sim, source->bytes + source->at, size < most ? size : most, &taken);
        source->at += taken;
    } else if (!paje_read_source(source)) {
        if (source->is_no_trace)
            refuse_trace(run);
        if (!source->includer)
            return 0;
        status = pajesim_end_file(&run->sim);
        if (status == PAJESIM_OK)
            leave_file(run);
    }
    if (status == PAJESIM_OPEN)
        status = open_file(run);
    if (status == PAJESIM_FULL)
        paje_grow_run(run);
    return status != PAJESIM_STOPPED;
}

uint64_t paje_run_offset(const paje_run *run)
{
    const paje_source *trace = run->source;
    while (trace->includer)
        trace = trace->includer;
    return trace->consumed - (trace->size - trace->at);
}

int paje_feed_run_to(paje_run *run, uint64_t offset)
{
    uint64_t at;
    while ((at = paje_run_offset(run)) < offset || run->source->includer) {
        size_t most = run->source->includer || offset - at > SIZE_MAX ? SIZE_MAX : (size_t)(offset - at);
        if (!paje_feed_run(run, most))
            return 0;
    }
    return 1;
}

/* Feeds the trace until its end, or until a callback stops it. */
static void feed(paje_run *run)
{
    uint64_t left;
    while ((left = run->source->includer ? UINT64_MAX : run->most - paje_run_offset(run)) > 0 &&
           paje_feed_run(run, left < SIZE_MAX ? (size_t)left : SIZE_MAX))
        if (run->source->at == run->source->size)
            paje_show_run(run);
}

void paje_finish_run(paje_run *run)
{
    const paje_settings *settings = run->settings;
    while (run->source->includer) /* of a replay that was stopped */
        leave_file(run);
    for (;;) {
        pajesim_status status = settings->stops ? pajesim_finish_at(&run->sim, settings->stop_time)
                                                : pajesim_finish(&run->sim);
        if (status == PAJESIM_OPEN) { /* the last line, which has no line end, includes a file */
            open_file(run);
            feed(run);
        } else if (status == PAJESIM_FULL) {
            paje_grow_run(run);
        } else {
            return;
        }
    }
}

static void show_stats(const paje_run *run)
{
    const pajesim_counts *counts = pajesim_count(&run->sim);
    stream_message("%s: %zu bytes of the arena used, of %zu; moved %u times; %llu lines, %llu bytes in %.3f s",
                   run->source->name, pajesim_used(&run->sim), run->capacity, run->moves,
                   (unsigned long long)counts->lines, (unsigned long long)counts->bytes, run->seconds);
}

static paje_pass first_pass;

paje_pass paje_pass_of(const paje_run *run)
{
    const paje_source *source = run->source;
    return (paje_pass){source->device, source->inode, source->length, source->date, paje_run_offset(run)};
}

void paje_note_first_pass(const paje_run *run)
{
    first_pass = paje_pass_of(run);
}

void paje_check_pass(const paje_pass *pass, const paje_source *source)
{
    const int is_other = source->device != pass->device || source->inode != pass->inode;
    if (is_other || source->length < pass->length || (pass->length && source->length < pass->bytes) ||
        (source->date != pass->date && source->length == pass->length)) {
        stream_flush();
        stream_fail("%s: it was %s while it was read", source->name, is_other ? "replaced" : "changed");
    }
}

static void begin_run(paje_run *run, const paje_settings *settings, const char *name)
{
    memset(run, 0, sizeof *run);
    paje_begin_paths();
    run->settings = settings;
    run->callbacks = settings->callbacks;
    if (!run->callbacks.problem)
        run->callbacks.problem = paje_show_problem;
    run->source = paje_open_trace(name, settings->follow);
    run->most = first_pass.bytes ? first_pass.bytes : UINT64_MAX;
    if (first_pass.bytes)
        paje_check_pass(&first_pass, run->source);
    run->began = clock_seconds();
    run->progress = paje_begin_progress("", 0, run->source->length);
    if (settings->follow) /* it waits for what is added, without end */
        run->progress.is_shown = 0;
}

void paje_open_run(paje_run *run, const paje_settings *settings, const char *name)
{
    begin_run(run, settings, name);
    run->capacity = new_capacity(run, pajesim_arena_min(&settings->simulation));
    run->arena = paje_arena(run->capacity);
    if (pajesim_init(&run->sim, run->arena, run->capacity, &settings->simulation, &run->callbacks, run) != PAJESIM_OK)
        stream_fail("the simulation cannot begin");
}

void paje_seek_run(paje_run *run, uint64_t offset)
{
    if (lseek(run->source->file, (off_t)offset, SEEK_SET) < 0)
        stream_fail("%s: %s", run->source->name, strerror(errno));
    run->source->consumed = offset;
    run->source->at = run->source->size = 0;
    run->comments_read = UINT64_MAX;
    run->source->is_judged = 1; /* what is there is not its beginning */
}

/* Begins at a place behind the beginning, whose comments are read all the same. */
static void begin_at(paje_run *run, uint64_t offset)
{
    ssize_t size = pread(run->source->file, run->source->bytes, PAJE_SOURCE_BYTES, 0);
    paje_read_comments(run, run->source->bytes, size > 0 ? (size_t)size : 0);
    paje_seek_run(run, offset);
    run->progress.first = offset;
}

void paje_open_run_at(paje_run *run, const paje_settings *settings, const char *name, const pajesim_index *index,
                      uint32_t checkpoint)
{
    pajesim_checkpoint at = {0};
    begin_run(run, settings, name);
    pajesim_index_checkpoint(index, checkpoint, &at);
    run->capacity = new_capacity(run, at.arena);
    run->arena = paje_arena(run->capacity);
    if (pajesim_index_restore(index, checkpoint, &run->sim, run->arena, run->capacity, &run->callbacks, run) !=
        PAJESIM_OK)
        stream_fail("%s: its index is damaged", name);
    begin_at(run, at.offset);
}

int paje_is_last_stretch_stale(const paje_settings *settings, const char *name, const pajesim_index *index)
{
    static const pajesim_callbacks none;
    paje_run run;
    pajesim_checkpoint last = {0}, at = {0};
    uint64_t bytes;
    uint32_t number = pajesim_index_count(index);
    pajesim_index_checkpoint(index, number - 1, &last);
    do /* two checkpoints may be at the end */
        pajesim_index_checkpoint(index, --number, &at);
    while (number > 0 && at.offset == last.offset);
    paje_open_run_at(&run, settings, name, index, number);
    run.callbacks = none;
    while ((bytes = pajesim_count(&run.sim)->bytes) < last.offset &&
           paje_feed_run(&run, last.offset - bytes < SIZE_MAX ? (size_t)(last.offset - bytes) : SIZE_MAX)) {
    }
    int is_stale = pajesim_index_check(index, pajesim_index_count(index) - 1, &run.sim) != PAJESIM_OK;
    free(run.arena);
    paje_close_source(run.source);
    return is_stale;
}

void paje_resume_run(paje_run *run, const paje_settings *settings, const char *name, pajesim_index *index)
{
    pajesim_checkpoint last = {0};
    begin_run(run, settings, name);
    pajesim_index_checkpoint(index, pajesim_index_count(index) - 1, &last);
    run->capacity = new_capacity(run, last.arena);
    run->arena = paje_arena(run->capacity);
    if (pajesim_index_resume(index, &run->sim, run->arena, run->capacity, &run->callbacks, run) != PAJESIM_OK)
        stream_fail("%s: its index is damaged, or its budget too small", name);
    begin_at(run, pajesim_count(&run->sim)->bytes);
}

pajesim_counts paje_whole_counts(const paje_run *run)
{
    return run->index ? paje_indexed_counts(run->settings, run->source->name, run->index) : *pajesim_count(&run->sim);
}

pajesim_counts paje_indexed_counts(const paje_settings *settings, const char *name, const pajesim_index *index)
{
    static const pajesim_callbacks none;
    paje_run last;
    paje_open_run_at(&last, settings, name, index, pajesim_index_count(index) - 1);
    last.callbacks = none;
    paje_finish_run(&last);
    pajesim_counts counts = *pajesim_count(&last.sim);
    free(last.arena);
    paje_close_source(last.source);
    return counts;
}

void paje_start_run(paje_run *run, int trace)
{
    run->trace = trace;
    if (run->settings->begin)
        run->settings->begin(run, trace);
    paje_filter_run(run);
}

paje_callbacks paje_change_callbacks(paje_run *run, const pajesim_callbacks *callbacks)
{
    static const pajesim_callbacks none;
    paje_callbacks before = {run->callbacks, run->filtered};
    run->callbacks = callbacks ? *callbacks : none;
    paje_filter_run(run);
    return before;
}

void paje_put_back_callbacks(paje_run *run, const paje_callbacks *callbacks)
{
    run->callbacks = callbacks->called;
    run->filtered = callbacks->filtered;
}

int paje_close_run(paje_run *run)
{
    paje_show_omitted(run);
    if (run->settings->stats)
        show_stats(run);
    int errors = pajesim_count(&run->sim)->errors > 0 || run->file_errors > 0;
    paje_free_choice(&run->choice);
    text_free(&run->comment);
    free(run->arena);
    paje_close_source(run->source);
    return errors ? EXIT_ERRORS : EXIT_OK;
}

int paje_is_file(const char *name)
{
    struct stat status;
    return strcmp(name, "-") != 0 && (stat(name, &status) != 0 || S_ISREG(status.st_mode));
}

static int ignore_problem(pajesim *sim, const pajesim_problem *problem)
{
    (void)sim;
    (void)problem;
    return PAJESIM_GO_ON;
}

void paje_look_ahead(const paje_settings *settings, const char *name, const pajesim_callbacks *callbacks)
{
    paje_run run;
    paje_settings own = *settings;
    own.callbacks = *callbacks;
    own.callbacks.problem = ignore_problem;
    own.begin = NULL;
    own.stats = 0;
    paje_open_run(&run, &own, name);
    paje_start_run(&run, 0);
    feed(&run);
    paje_finish_run(&run);
    paje_note_first_pass(&run);
    paje_close_run(&run);
}

int paje_replay(const paje_settings *settings, const char *name, int trace)
{
    paje_run run;
    paje_open_run(&run, settings, name);
    paje_start_run(&run, trace);
    if (paje_chunks_pay(&run, settings->processes))
        paje_feed_chunks(&run, settings->processes, NULL, NULL);
    feed(&run);
    paje_finish_run(&run);
    stream_end_progress();
    run.seconds = clock_seconds() - run.began;
    if (settings->end)
        settings->end(&run, trace);
    stream_flush();
    if (!run.source->is_no_trace)
        paje_report_nothing(settings, run.source->name, pajesim_count(&run.sim));
    return paje_close_run(&run);
}
