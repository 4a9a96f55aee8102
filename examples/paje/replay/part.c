/* A part of a replay: the bytes of the trace from K - 1 Nths on to K Nths.  An index does not move these bounds: where
 * some processes find one and others do not, they have all entities together, each once. */
#include "replay/part.h"
#include "base/clock.h"
#include "base/stream.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int paje_is_first_part(const paje_settings *settings)
{
    return settings->part <= 1;
}

int paje_is_last_part(const paje_settings *settings)
{
    return settings->part == settings->parts;
}

void paje_put_part(text_buffer *name, uint64_t part, uint64_t parts)
{
    int digits = 1;
    for (uint64_t left = parts; left >= 10; left /= 10)
        digits++;
    if (parts)
        text_printf(name, ".%0*llu-of-%llu", digits, (unsigned long long)part, (unsigned long long)parts);
}

/* ---- bounds */

/* Returns the size of what a compressed file holds. */
static uint64_t size_within(const char *name)
{
    uint64_t size = 0;
    paje_source *source = paje_open_trace(name, 0);
    while (paje_read_source(source))
        size += source->size;
    paje_close_source(source);
    return size;
}

static uint64_t size_of(const char *name)
{
    struct stat status;
    int is_standard = strcmp(name, "-") == 0;
    if (is_standard || (stat(name, &status) == 0 && !S_ISREG(status.st_mode))) {
        stream_message("%s: --part needs a file, whose size tells where parts begin; this is none",
                       is_standard ? "standard input" : name);
        exit(EXIT_USAGE);
    }
    if (paje_is_compressed(name))
        return size_within(name);
    if (stat(name, &status) < 0)
        stream_fail("%s: %s", name, strerror(errno));
    return (uint64_t)status.st_size;
}

/* The first part is never empty: an error at the beginning is reported there. */
static uint64_t bound_of(uint64_t size, uint64_t part, uint64_t parts)
{
    if (part == 0)
        return 0;
    if (part == parts)
        return UINT64_MAX;
    uint64_t bound = size / parts * part + size % parts * part / parts;
    return bound == 0 && size > 0 ? 1 : bound;
}

/* ---- replay */

/* Feeds the trace up to a bound; of what is in stream_output then, keeps `most` bytes.  Returns 0 if a callback stopped
 * it. */
static int feed_to(paje_run *run, uint64_t bound, size_t most)
{
    uint64_t at;
    int going = !run->source->is_no_trace;
    while (going && (at = pajesim_count(&run->sim)->bytes) < bound) {
        going = paje_feed_run(run, bound - at < SIZE_MAX ? (size_t)(bound - at) : SIZE_MAX);
        if (stream_output.size > most)
            stream_output.size = most;
        if (run->source->at == run->source->size)
            paje_show_run(run);
    }
    if (!going && pajesim_feed(&run->sim, "", 0, NULL) == PAJESIM_STOPPED)
        return 0;
    if (!going && bound < UINT64_MAX && !run->source->is_no_trace)
        stream_fail("%s: it became shorter while it was read", run->source->name);
    return 1;
}

/* Feeds the lines before the part. */
static int feed_before(paje_run *run, uint64_t bound, const pajesim_callbacks *before)
{
    paje_callbacks callbacks = {run->callbacks, run->filtered};
    size_t limit = stream_output_limit;
    if (before != &run->settings->callbacks)
        paje_change_callbacks(run, before);
    run->callbacks.problem = NULL; /* it is reported where its own part is replayed */
    stream_output_limit = SIZE_MAX;
    int going = feed_to(run, bound, stream_output.size);
    stream_output_limit = limit;
    paje_put_back_callbacks(run, &callbacks);
    return going;
}

/* If there is an index, reads on to the next checkpoint, and ends the program if what was replayed is not what the
 * index was made of. */
static void expect_unchanged(paje_run *run, const paje_index_file *file)
{
    static const pajesim_callbacks none;
    const pajesim_callbacks callbacks = run->callbacks;
    const pajesim_index *index = &file->index;
    pajesim_checkpoint next = {0};
    if (!file->memory)
        return;
    uint64_t at = pajesim_count(&run->sim)->bytes;
    uint32_t number = pajesim_index_at(index, at);
    pajesim_index_checkpoint(index, number, &next);
    if (next.offset < at)
        pajesim_index_checkpoint(index, ++number, &next);
    run->callbacks = none;
    feed_to(run, next.offset, SIZE_MAX);
    run->callbacks = callbacks;
    if (pajesim_index_check(index, number, &run->sim) != PAJESIM_OK)
        stream_fail("%s: it was changed before byte %llu since its index was made, so what is shown of this part is "
                    "not right; `paje index` renews the index", run->source->name, (unsigned long long)next.offset);
}

/* Opens the trace at its beginning, or at the last checkpoint before `offset`. */
static void open_run(paje_run *run, const paje_settings *settings, const char *name, uint64_t offset,
                     paje_index_file *file)
{
    const char *why = NULL;
    paje_index_state state = offset ? paje_load_index(file, settings, name, 0, NULL, &why) : PAJE_INDEX_ABSENT;
    if (offset)
        paje_refuse_index(file, state == PAJE_INDEX_PART ? "the trace has grown since" : why);
    if (state != PAJE_INDEX_WHOLE)
        paje_release_index(file);
    if (state == PAJE_INDEX_WHOLE)
        paje_open_run_at(run, settings, name, &file->index, pajesim_index_at(&file->index, offset));
    else
        paje_open_run(run, settings, name);
}

/* Ends the program if the trace has not the size by which its parts were divided: it is written, or was replaced. */
static void expect_size(const paje_run *run, uint64_t size)
{
    const paje_source *source = run->source;
    struct stat status;
    while (source->includer)
        source = source->includer;
    if (!source->length || fstat(source->file, &status) < 0) /* it is compressed, or empty */
        return;
    if ((uint64_t)status.st_size != size) {
        stream_flush();
        stream_fail("%s: its size changes, so that its parts do not fit together", source->name);
    }
    paje_expect_unwritten(source);
}

static uint64_t errors_of(const paje_run *run)
{
    return pajesim_count(&run->sim)->errors + run->file_errors;
}

int paje_replay_part(const paje_settings *settings, const char *name, const pajesim_callbacks *before,
                     int (*skips)(paje_run *run, const paje_index_file *file))
{
    static paje_run run;
    static paje_index_file file;
    uint64_t size = size_of(name), begin = bound_of(size, settings->part - 1, settings->parts);
    open_run(&run, settings, name, before && !skips ? 0 : begin, &file);
    if (file.memory && skips && !skips(&run, &file)) {
        paje_close_run(&run);
        paje_release_index(&file);
        paje_open_run(&run, settings, name);
    }
    expect_size(&run, size);
    paje_start_run(&run, 0);
    const int has_begun = feed_before(&run, begin, before);
    const uint64_t errors = errors_of(&run); /* those before the part are reported with others */
    if (has_begun) {
        int going = feed_to(&run, bound_of(size, settings->part, settings->parts), SIZE_MAX);
        if (paje_is_last_part(settings))
            expect_unchanged(&run, &file);
        if (!going || paje_is_last_part(settings))
            paje_finish_run(&run);
    }
    int had_errors = errors_of(&run) > errors;
    const pajesim_counts counts = *pajesim_count(&run.sim);
    run.counts = &counts;
    if (!paje_is_last_part(settings))
        expect_unchanged(&run, &file);
    stream_end_progress();
    expect_size(&run, size);
    run.seconds = clock_seconds() - run.began;
    if (settings->end)
        settings->end(&run, 0);
    stream_flush();
    if (size == 0)
        paje_report_nothing(settings, name, &counts);
    paje_close_run(&run);
    paje_release_index(&file);
    return had_errors ? EXIT_ERRORS : EXIT_OK;
}
