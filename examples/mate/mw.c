#define _GNU_SOURCE
#include "mw.h"

#include "base/memory.h"
#include "live/live.h"
#include "record.h"
#include "transport.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE, ITERATION_OVER, PROGRAM_OVER };
enum { MOST_GONE = 20 }; /* workers that go one after the other with the same piece */

/* What goes before the bytes of a message. */
typedef struct mw_head {
    int64_t kind, workers, message, is_last; /* is_last: of its worker in this iteration */
    mw_piece piece;
} mw_head;

static live l;
static recorder record;
static int64_t setup, monitoring, tuning; /* ns that tracing has cost */

static int64_t now(void)
{
    return (int64_t)pajewrite_monotonic(NULL);
}

/* ---- tracing, of master and workers */

static uint64_t origin_of_times(void)
{
    const char *text = getenv("MATE_ORIGIN");
    return text ? strtoull(text, NULL, 10) : 0;
}

/* Begins.  The knobs of the master are registered before its thread begins, as tuners look for them then. */
static void begin_tracing(int itself, const mw_program *program, int64_t *workers, int64_t *spread)
{
    const int64_t begin = now();
    live_config config = {.where = getenv("PAJE_LIVE")};
    static char name[32]; /* live_init keeps it */
    snprintf(name, sizeof name, itself < 0 ? "master" : "worker %d", itself);
    if (config.where && *config.where) {
        if (record_offer(&record, itself, origin_of_times(), live_offer) != PAJEWRITE_OK)
            fprintf(stderr, "%s: no trace: %s\n", name, pajewrite_problem(&record.writer));
        config.writer = &record.writer;
        config.tuned = record_tuned_type();
        config.origin = origin_of_times();
        config.process = config.process_name = name;
    } else {
        memset(&record, 0, sizeof record); /* a context of zeros is off */
    }
    if (!live_init(&l, &config))
        fprintf(stderr, "%s: %s; going on without\n", name, l.problem);
    if (program) {
        live_knob(&l, "NOptWorkers", workers, LIVE_RANGE(1, program->most, 1), "iteration");
        live_knob(&l, "Spread", spread, LIVE_RANGE(0, 10000000, 1), "iteration");
    }
    live_thread_begin(&l, config.writer, record_container(itself), name);
    setup = now() - begin;
}

static void happened(const application_moment *moment)
{
    if (!l.agent)
        return;
    record_moment(&record, moment);
    monitoring += now() - moment->time;
}

static void send_trace(void)
{
    int64_t begin;
    if (!l.agent)
        return;
    begin = now();
    record_flush(&record);
    monitoring += now() - begin;
}

static void look_for_changes(void)
{
    int64_t begin;
    if (!__atomic_load_n(&l.pending, __ATOMIC_RELAXED))
        return;
    begin = now();
    live_point(&l, "iteration");
    tuning += now() - begin;
}

static void end_tracing(int itself)
{
    if (l.agent) {
        record_intrusion(&record, itself, (uint64_t)now(), setup, monitoring, tuning);
        record_end(&record);
        record_tell(&record.writer, l.config.process_name);
    }
    live_end(&l);
}

/* ---- a worker */

static int work(const mw_program *it, int itself)
{
    application_moment at = {.actor = itself, .worker = itself};
    void *results = memory_alloc((size_t)it->items, it->result_size);
    int from = TRANSPORT_MASTER;
    mw_head head;
    const void *input;
    size_t size;
    begin_tracing(itself, NULL, NULL, NULL);
    while (transport_receive(&from, &head, sizeof head, &input, &size) && head.kind != PROGRAM_OVER) {
        look_for_changes();
        at.iteration = head.piece.iteration;
        at.workers = head.workers;
        at.message = head.message;
        at.tasks = head.piece.count;
        if (head.kind == PIECE) {
            at.event = APPLICATION_WORKER_STARTS;
            at.time = now();
            happened(&at);
            it->compute(it->data, &head.piece, input, size, results);
            at.event = APPLICATION_WORKER_FINISHES;
            at.time = now();
            happened(&at);
        }
        if (head.is_last) {
            at.event = APPLICATION_WORKER_ENDS;
            at.time = now();
            happened(&at);
        }
        if (head.kind == PIECE &&
            !transport_send(from, &head, sizeof head, results, (size_t)head.piece.count * it->result_size))
            break;
        send_trace();
    }
    end_tracing(itself);
    free(results);
    transport_end();
    return 0;
}

/* ---- the master */

typedef struct master {
    const mw_program *of;
    mw_report *report;
    int64_t workers, spread;      /* the knobs */
    int64_t iteration, now_workers, now_spread;
    int64_t *chunks;              /* sizes of pieces */
    int chunk_count, next;        /* next: piece to be dealt */
    int64_t first;                /* its first item */
    mw_head pending[APPLICATION_WORKERS]; /* what each worker has, if is_pending */
    int is_pending[APPLICATION_WORKERS];
    int gone[APPLICATION_WORKERS]; /* how often a worker has gone with that */
    int is_disturbed;             /* a worker had gone in this iteration */
    int is_worker;                /* this process became a worker that was begun again */
} master;

/* Divides an iteration: equal pieces, or batches of smaller ones. */
static void divide(master *it)
{
    const int64_t items = it->of->items, workers = it->now_workers;
    int64_t i;
    it->chunk_count = (int)workers;
    if (it->now_spread == 0)
        for (i = 0; i < workers; i++)
            it->chunks[i] = items * (i + 1) / workers - items * i / workers;
    else
        it->chunk_count = application_chunks(items, (int)workers, it->now_spread, it->chunks, (int)items);
    it->next = 0;
    it->first = 0;
}

static void spin(int64_t until)
{
    while (now() < until)
        ;
}

/* Begins a worker again that has gone.  Returns 0 if that cannot be done, or in that worker. */
static int begin_again(master *it, int worker)
{
    int itself;
    if (it->is_pending[worker] && ++it->gone[worker] == MOST_GONE) {
        fprintf(stderr, "worker %d: it has ended %d times while it had the same piece of iteration %lld; giving up\n",
                worker, MOST_GONE, (long long)it->iteration);
        return 0;
    }
    itself = transport_again(worker);
    if (itself == TRANSPORT_MASTER) {
        it->report->begun_again++;
        it->is_disturbed = 1;
        return 1;
    }
    if (itself >= 0) {
        it->is_worker = 1;
        work(it->of, itself);
    }
    return 0;
}

/* Sends a message, with the input of its piece. */
static int send_piece(master *it, int worker, const mw_head *head)
{
    const mw_program *of = it->of;
    application_moment at = {.actor = -1, .event = APPLICATION_SENDS, .worker = worker};
    size_t size = 0;
    const void *input = head->kind == PIECE ? of->partition(of->data, &head->piece, &size) : NULL;
    at.from = now();
    spin(head->kind == PIECE ? at.from + of->latency : 0);
    while (!transport_send(worker, head, sizeof *head, input, size))
        if (!begin_again(it, worker))
            return 0;
    at.time = now();
    at.iteration = head->piece.iteration;
    at.workers = head->workers;
    at.message = head->message;
    at.bytes = (int64_t)size;
    if (head->kind == PIECE)
        happened(&at);
    return 1;
}

/* Deals the next piece to a worker.  Returns 0 if it has gone and cannot be begun again. */
static int deal(master *it, int worker)
{
    mw_head *head = &it->pending[worker];
    const int is_equal = it->now_spread == 0;
    *head = (mw_head){PIECE, it->now_workers, it->next, is_equal,
                      {it->iteration, it->first, it->chunks[it->next], worker}};
    it->is_pending[worker] = 1;
    it->first += it->chunks[it->next++];
    it->report->sent++;
    return send_piece(it, worker, head);
}

static int end_worker(master *it, int worker)
{
    const mw_head over = {ITERATION_OVER, it->now_workers, 0, 1, {it->iteration, 0, 0, worker}};
    return it->now_spread == 0 || send_piece(it, worker, &over);
}

/* Takes a reply.  Returns 0 if a worker has gone and cannot be begun again. */
static int take(master *it)
{
    application_moment at = {.actor = -1, .event = APPLICATION_REPLIES, .iteration = it->iteration,
                             .workers = it->now_workers};
    int from = TRANSPORT_ANY;
    mw_head head;
    const void *results;
    size_t size;
    if (!transport_receive(&from, &head, sizeof head, &results, &size)) {
        if (!begin_again(it, from))
            return 0;
        return !it->is_pending[from] || send_piece(it, from, &it->pending[from]);
    }
    at.time = now();
    at.worker = from;
    at.message = head.message;
    at.bytes = (int64_t)size;
    happened(&at);
    it->of->take(it->of->data, &head.piece, results);
    it->report->received++;
    it->is_pending[from] = 0;
    it->gone[from] = 0;
    return it->next < it->chunk_count ? deal(it, from) : end_worker(it, from);
}

static int iterate(master *it)
{
    application_moment at = {.actor = -1, .event = APPLICATION_STARTS, .iteration = it->iteration};
    const uint64_t before = it->report->received;
    int64_t workers, load, i;
    look_for_changes();
    it->now_workers = it->workers; /* one value for the whole iteration (section 3.2.1 of the thesis) */
    it->now_spread = it->spread;
    it->is_disturbed = 0;
    divide(it);
    workers = it->chunk_count < it->now_workers ? it->chunk_count : it->now_workers;
    at.workers = it->now_workers;
    at.spread = it->now_spread;
    at.time = now();
    load = it->of->load ? it->of->load(it->of->data, it->iteration) : 1;
    if (l.agent)
        record_setting(&record, at.time, it->now_workers, load);
    happened(&at);
    for (i = 0; i < it->now_workers; i++)
        if (i < workers ? !deal(it, (int)i) : !end_worker(it, (int)i))
            return 0;
    while (it->report->received - before < (uint64_t)it->chunk_count)
        if (!take(it))
            return 0;
    it->of->finish(it->of->data, it->iteration);
    at.event = APPLICATION_FINISHES;
    at.time = now();
    at.is_disturbed = it->is_disturbed;
    happened(&at);
    send_trace();
    return 1;
}

static int lead(const mw_program *program, mw_report *report)
{
    static master it;
    const mw_head over = {.kind = PROGRAM_OVER};
    const int64_t begin = now();
    int i, is_done = 1;
    it = (master){.of = program, .report = report, .workers = program->workers, .spread = program->spread};
    it.chunks = (int64_t *)memory_alloc((size_t)program->items + APPLICATION_WORKERS, sizeof *it.chunks);
    begin_tracing(TRANSPORT_MASTER, program, &it.workers, &it.spread);
    for (; it.iteration < program->iterations && is_done; it.iteration++)
        is_done = iterate(&it);
    free(it.chunks);
    if (it.is_worker)
        return 0;
    report->time = now() - begin;
    report->workers = it.now_workers;
    for (i = 0; i < program->most; i++)
        (void)transport_send(i, &over, sizeof over, NULL, 0);
    end_tracing(TRANSPORT_MASTER);
    transport_end();
    return is_done ? 1 : -1;
}

int mw_run(const mw_program *program, int *argc, char ***argv, mw_report *report)
{
    const int itself = transport_begin(program->most, argc, argv);
    memset(report, 0, sizeof *report);
    if (itself == TRANSPORT_FAILED)
        return -1;
    return itself == TRANSPORT_MASTER ? lead(program, report) : work(program, itself);
}
