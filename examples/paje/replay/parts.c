/* Divides a trace into parts, so that several processes can share the work.  With an index each part is replayed on its
 * own, from a checkpoint, and a range of time takes only some of them.  Without an index the state is
 * handed from part to part (replay/relay.h).  Output comes in the order of the parts, so it is that of one replay. */
#define _GNU_SOURCE /* F_SETPIPE_SZ */
#include "replay/parts.h"
#include "base/process.h"
#include "base/stream.h"
#include "replay/index.h"
#include "replay/relay.h"
#include "replay/run.h"
#include "replay/table.h"
#include "replay/turn.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILES_EACH 4 /* descriptors of this process for each that shares the work: a pipe, and a socket pair */
#define LEAST_SHARED (1u << 18) /* bytes of a trace; a smaller one is replayed before the processes have started */
#define TOLD_BYTES (1 << 20) /* that a process hands over before the parent takes them; what Linux allows everyone */
#define MOST_BYTES (4u << 20) /* of a part; its output is kept in memory until the parts before are written */

typedef struct part {
    uint32_t checkpoint, end;
} part;

/* What is replayed of a trace. */
typedef struct range {
    double from, to;
    void (*before_rest)(void);
    int is_chosen; /* see paje_replay_chosen() */
    int trace;
} range;

/* A replay and its parts. */
typedef struct job {
    const paje_settings *settings; /* of one process */
    paje_settings own;             /* of several */
    const char *name;
    uint64_t most; /* bytes after which a part ends at the next checkpoint */
    paje_relay *relay;          /* without an index */
    const pajesim_index *index; /* NULL: none, and the members below are not set */
    range of;
    uint32_t last;  /* the checkpoint where the range ends */
    int ends;       /* 1: the range ends with the trace */
    part *parts;
    size_t count;
    uint64_t bytes; /* of all parts, about */
} job;

static uint64_t most_of(uint64_t bytes, int processes)
{
    uint64_t most = bytes / ((uint64_t)processes * 8) + 1;
    return most < MOST_BYTES ? most : MOST_BYTES;
}

/* ---- with an index */

static pajesim_checkpoint checkpoint_of(const job *it, uint32_t number)
{
    pajesim_checkpoint checkpoint = {0};
    pajesim_index_checkpoint(it->index, number, &checkpoint);
    return checkpoint;
}

/* Where nothing timed lies between two checkpoints, the first one may come after the last. */
static void plan(job *it, int processes)
{
    uint32_t latest = pajesim_index_count(it->index) - 1, first = pajesim_index_before(it->index, it->of.from), number;
    pajesim_checkpoint end = checkpoint_of(it, latest);
    it->last = pajesim_index_after(it->index, it->of.to);
    it->ends = checkpoint_of(it, it->last).offset == end.offset || !(it->of.to < end.greatest);
    if (it->ends) /* all that is open ends at the end of the trace, after its last line, which may lack its newline */
        it->last = latest;
    first = first < it->last ? first : it->last;
    uint64_t begin = checkpoint_of(it, first).offset, bytes = checkpoint_of(it, it->last).offset - begin;
    it->bytes = bytes;
    it->most = processes > 1 ? most_of(bytes, processes) : UINT64_MAX;
    it->parts = memory_alloc((it->last - first + 1), sizeof *it->parts);
    it->parts[0].checkpoint = first;
    for (number = first + 1; number < it->last; number++) {
        uint64_t offset = checkpoint_of(it, number).offset;
        if (offset - begin < it->most)
            continue;
        it->parts[it->count++].end = number;
        it->parts[it->count].checkpoint = number;
        begin = offset;
    }
    it->parts[it->count++].end = it->last;
}

/* Calls `visit` for all types that the trace has defined by then; returns the sum of what it returns. */
static size_t visit_types(const job *it, uint32_t checkpoint,
                          size_t (*visit)(const job *it, const pajesim *sim, pajesim_ref type))
{
    static paje_run run;
    size_t sum = 0;
    paje_open_run_at(&run, it->settings, it->name, it->index, checkpoint);
    for (pajesim_ref type = pajesim_root_type(&run.sim), next; type; type = next) {
        sum += visit(it, &run.sim, type);
        next = pajesim_first_child(&run.sim, type);
        for (; type && !next; type = pajesim_parent(&run.sim, type))
            next = pajesim_next_sibling(&run.sim, type);
    }
    free(run.arena);
    paje_close_source(run.source);
    return sum;
}

static size_t one(const job *it, const pajesim *sim, pajesim_ref type)
{
    (void)it;
    (void)sim;
    (void)type;
    return 1;
}

static size_t is_counted_variable(const job *it, const pajesim *sim, pajesim_ref type)
{
    return pajesim_kind_of(sim, type) == PAJESIM_VARIABLE &&
           (text_is_equal(pajesim_name(sim, type), text_of(it->settings->variable)) ||
            text_is_equal(pajesim_alias(sim, type), text_of(it->settings->variable)));
}

/* Whether what lies behind the range has to be replayed as well: types are defined there, or a variable counts, which
 * the index does not tell at the ends of links. */
static int needs_rest(const job *it)
{
    return visit_types(it, it->last, one) < visit_types(it, pajesim_index_count(it->index) - 1, one) ||
           (it->settings->variable && visit_types(it, it->last, is_counted_variable) > 0);
}

/* Ends the program if what was replayed, up to a checkpoint, is not what the index was made of. */
static void expect_unchanged(const job *it, const paje_run *run, uint32_t begin, uint32_t end)
{
    if (pajesim_index_check(it->index, end, &run->sim) == PAJESIM_OK)
        return;
    stream_flush();
    stream_fail("%s: it was changed between bytes %llu and %llu since its index was made, so what is shown of it is "
                "not right; `paje index` renews the index", it->name,
                (unsigned long long)checkpoint_of(it, begin).offset, (unsigned long long)checkpoint_of(it, end).offset);
}

/* Shows what is open at the checkpoint where the range ends. */
static void close_open(const job *it, paje_run *run)
{
    pajesim_status status;
    paje_free_choice(&run->choice); /* refs that were used before may be used again */
    double from = it->of.is_chosen ? -HUGE_VAL : it->of.from, to = it->of.is_chosen ? HUGE_VAL : it->of.to;
    while ((status = pajesim_index_close_open(it->index, it->last, &run->sim, from, to)) == PAJESIM_FULL)
        paje_grow_run(run);
    if (status != PAJESIM_OK && status != PAJESIM_STOPPED)
        stream_fail("%s: its index is of another trace; `paje index` renews it", it->name);
}

/* Says so if nothing was shown. */
static void report(const job *it)
{
    stream_flush();
    if (!paje_is_nothing_shown(it->settings))
        return;
    pajesim_counts counts =
        it->index ? paje_indexed_counts(it->settings, it->name, it->index) : paje_shared_counts();
    paje_report_nothing(it->settings, it->name, &counts);
}

/* Returns the exit status of the trace up to the end of the part.  `turn`: NULL if there are no other processes. */
static int replay_part(const job *it, size_t number, paje_turn *turn)
{
    static paje_run run;
    const part *now = &it->parts[number];
    uint64_t at, end = checkpoint_of(it, now->end).offset;
    int going = 1;
    paje_open_run_at(&run, turn ? &it->own : it->settings, it->name, it->index, now->checkpoint);
    run.index = it->index;
    paje_start_run(&run, it->of.trace);
    if (it->count > 1) /* then the parent shows it */
        run.progress.is_shown = 0;
    if (end < run.progress.total)
        run.progress.total = end;
    while (going && (at = pajesim_count(&run.sim)->bytes) < end) {
        going = paje_feed_run(&run, end - at < SIZE_MAX ? (size_t)(end - at) : SIZE_MAX);
        if (run.source->at == run.source->size)
            paje_show_run(&run);
    }
    stream_end_progress();
    if (pajesim_feed(&run.sim, "", 0, NULL) != PAJESIM_STOPPED)
        expect_unchanged(it, &run, now->checkpoint, now->end);
    if (number + 1 == it->count) {
        if (it->of.before_rest)
            it->of.before_rest();
        if (turn && !it->ends)
            paje_keep_simulation(&run);
        if (it->ends)
            paje_finish_run(&run);
        else
            close_open(it, &run);
    }
    paje_write_part(&run, turn, number, number + 1 == it->count);
    if (!turn)
        report(it);
    return paje_close_run(&run);
}

/* ---- processes: each replays its share of the parts, and writes their output in turn */

static int work_with_index(const job *it, paje_turn *turn, size_t own, size_t processes)
{
    int status = EXIT_OK;
    for (size_t number = own; number < it->count && !turn->is_over; number += processes)
        status = replay_part(it, number, turn);
    return status;
}

static int work_without(const job *it, paje_turn *turn, size_t own, size_t processes)
{
    paje_relay *relay = it->relay;
    paje_run *run = relay->run;
    int going = 1;
    paje_enter_relay(relay, own);
    run->progress.is_shown = 0; /* the parent shows it */
    if (own == 0 || !run->settings->before)
        paje_start_run(run, 0);
    else /* it began with the relay, and has noted what comes before its first part */
        paje_filter_run(run);
    const paje_callbacks callbacks = {run->callbacks, run->filtered};
    for (size_t number = own; going && number < relay->count && !turn->is_over; number += processes) {
        paje_begin_part(number);
        paje_change_callbacks(run, run->settings->before);
        paje_relay_to(relay, number);
        paje_put_back_callbacks(run, &callbacks);
        going = paje_relay_feed(relay, number);
        if (!going) {
            paje_finish_run(run);
            paje_set_shared_counts(pajesim_count(&run->sim));
        }
        paje_write_part(run, turn, number, !going);
    }
    return paje_close_run(run);
}

/* Pipes between the processes; `told`: to the parent; `printed`: from it. */
typedef struct pipes {
    paje_ring turns;
    int told[2], printed[2];
    int shows_progress; /* the parent does */
} pipes;

static pipes open_pipes(const job *it, size_t processes, uint64_t bytes)
{
    pipes all = {paje_open_ring(processes), {-1, -1}, {-1, -1}, 0};
    if (pipe(all.told) < 0 || pipe(all.printed) < 0)
        stream_fail("no pipe to the first process: %s", strerror(errno));
#ifdef F_SETPIPE_SZ
    (void)fcntl(all.told[1], F_SETPIPE_SZ, TOLD_BYTES); /* else it is smaller, and they wait for each other more */
#endif
    /* On a terminal it would come between the output of the processes. */
    all.shows_progress = paje_begin_progress("", 0, bytes).is_shown && (it->settings->table || !isatty(STDOUT_FILENO));
    return all;
}

/* What each of the processes does. */
static int work(const job *it, const pipes *all, size_t own, size_t processes)
{
    paje_turn turn = paje_enter_ring(all->turns, own, processes);
    stream_output_limit = SIZE_MAX;
    close(all->told[0]);
    close(all->printed[1]);
    if (all->shows_progress)
        stream_share_progress();
    turn.parent = all->told[1];
    turn.printed = all->printed[0];
    return it->index ? work_with_index(it, &turn, own, processes) : work_without(it, &turn, own, processes);
}

/* Prints a table, or what comes behind the output.  Returns the exit status. */
static int end_parts(const job *it, paje_parts *parts, paje_joined joined, int status)
{
    if (joined == PAJE_NOT_JOINED)
        return paje_replay_alone(parts->run);
    if (status >= EXIT_FAILED)
        return status;
    if (joined == PAJE_JOINED_SOME)
        stream_fail("%s: its last part was not replayed", it->name); /* unreached */
    if (it->relay)
        paje_expect_unwritten(it->relay->run->source);
    if (it->settings->table)
        paje_end_table(parts);
    report(it);
    paje_close_run(parts->run);
    return status;
}

/* `bytes`: of all `count` parts; `run`: of this process, which takes what the others hand over. */
static int share(const job *it, paje_run *run, size_t processes, uint64_t bytes, size_t count)
{
    pid_t *workers = memory_alloc(processes, sizeof *workers);
    stream_flush();
    paje_share_filter();
    paje_begin_parts(run, it->settings, it->name);
    pipes all = open_pipes(it, processes, bytes);
    for (size_t i = 0; i < processes; i++) {
        if ((workers[i] = fork()) < 0)
            stream_fail("no process for a part: %s", strerror(errno));
        if (workers[i] == 0)
            _exit(work(it, &all, i, processes));
    }
    paje_leave_ring(all.turns, processes);
    if (it->relay)
        paje_leave_relay(it->relay);
    close(all.told[1]);
    close(all.printed[0]);
    paje_parts parts = {run, all.told[0], all.printed[1], bytes, count, all.shows_progress, {0}};
    paje_joined joined = paje_join_parts(&parts);
    close(all.told[0]);
    close(all.printed[1]);
    int status = end_parts(it, &parts, joined, paje_wait_for_workers(workers, processes));
    text_free(&parts.messages);
    free(workers);
    return status;
}

static int replay_parts(const paje_settings *settings, const char *name, const paje_index_file *it, const range *of,
                        int processes)
{
    job whole = {.settings = settings, .name = name, .index = &it->index, .of = *of};
    static paje_run joined;
    int status = it->had_errors ? EXIT_ERRORS : EXIT_OK, other;
    plan(&whole, processes);
    if (of->is_chosen && !whole.ends && needs_rest(&whole)) {
        other = paje_replay(settings, name, of->trace);
    } else if (processes > 1 && whole.count > 1) {
        whole.own = paje_settings_of_parts(settings);
        other = share(&whole, &joined, (size_t)processes < whole.count ? (size_t)processes : whole.count, whole.bytes,
                      whole.count);
    } else {
        other = replay_part(&whole, 0, NULL);
    }
    free(whole.parts);
    return other > status ? other : status;
}

/* Replays a whole file of `size` bytes. */
static int replay_shared(const paje_settings *settings, const char *name, uint64_t size, int processes)
{
    static paje_run run, joined;
    static paje_relay relay;
    job whole = {.settings = settings, .name = name, .relay = &relay};
    processes = processes < RELAY_MOST ? processes : RELAY_MOST;
    if (size < LEAST_SHARED || processes <= 1)
        return paje_replay(settings, name, 0);
    processes -= settings->table && settings->table->parent_works;
    whole.own = paje_settings_of_parts(settings);
    paje_open_run(&run, &whole.own, name);
    if (paje_begin_relay(&relay, &run, (size_t)processes, most_of(size, processes))) {
        return share(&whole, &joined, (size_t)processes, size, relay.count);
    }
    paje_close_run(&run);
    return paje_replay(settings, name, 0);
}

static int replay_range(const paje_settings *settings, const char *name, const range *of, int processes)
{
    static paje_index_file it;
    const char *why = NULL;
    if (settings->follow || settings->stats || strcmp(name, "-") == 0)
        return paje_replay(settings, name, of->trace);
    paje_index_state state = PAJE_INDEX_ABSENT; /* with which the lines before a part would not be seen */
    if (!settings->before)
        state = paje_load_index(&it, settings, name, 0, NULL, &why);
    paje_refuse_index(&it, state == PAJE_INDEX_PART ? "the trace has grown since" : why);
    processes = processes > 1 ? (int)process_fitting((size_t)processes, FILES_EACH) : processes;
    struct stat file;
    int status;
    if (state == PAJE_INDEX_WHOLE) {
        status = replay_parts(settings, name, &it, of, processes);
    } else if (processes > 1 && stat(name, &file) == 0 && S_ISREG(file.st_mode) && !paje_is_compressed(name)) {
        status = replay_shared(settings, name, (uint64_t)file.st_size, processes);
    } else {
        paje_release_index(&it);
        return paje_replay(settings, name, of->trace);
    }
    paje_release_index(&it);
    return status;
}

int paje_replay_range(const paje_settings *settings, const char *name, double from, double to, int processes,
                      void (*before_rest)(void))
{
    const range all = {from, to, before_rest, 0, 0};
    return replay_range(settings, name, &all, processes);
}

int paje_replay_chosen(const paje_settings *settings, const char *name, int trace)
{
    const paje_filter *filter = &settings->filter;
    const int has_range = filter->has_start || filter->has_end;
    if (!has_range && settings->processes <= 1)
        return paje_replay(settings, name, trace);
    paje_settings own = *settings;
    if (settings->before && has_range) { /* only a process that sees all lines knows which entity is the first in it */
        own.before = NULL;
        own.processes = 1;
    }
    const range chosen = {filter->has_start ? filter->start : -HUGE_VAL, filter->has_end ? filter->end : HUGE_VAL, NULL,
                          1, trace};
    return replay_range(&own, name, &chosen, own.processes);
}
