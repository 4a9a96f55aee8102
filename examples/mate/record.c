#include "record.h"

#include "feed.h"

#include <stdio.h>
#include <string.h>

static const pajewrite_type master_type = {1}, worker_type = {2}, analyser_type = {3}, master_points = {4},
                            worker_points = {5}, decisions = {6}, iterations = {7}, tasks = {8}, workers_now = {9},
                            load_now = {10}, task_messages = {11}, replies = {12},
                            wanted_now = {13}, tuned = {14}, ranges = {15}, lost = {16};
static const pajewrite_value is_working = {APPLICATION_EVENTS + 1}, is_iterating = {APPLICATION_EVENTS + 2},
                             task = {APPLICATION_EVENTS + 3}, reply = {APPLICATION_EVENTS + 4};
enum { INTRUSION_MASTER = APPLICATION_EVENTS + 5, INTRUSION_WORKER, FIRST_NAME };
static const pajewrite_container master = {1}, analyser = {2};

static pajewrite_container container_of(int actor)
{
    return actor < 0 ? master : PAJEWRITE_CONTAINER((uint32_t)actor + 3);
}

static const char *const names[APPLICATION_EVENTS] = {"IterationStarts", "IterationFinishes", "MSendsTaskW",
                                                      "WStartsTask", "WFinishesTask", "WRepliesM",
                                                      "WEndsIteration"};

static int is_of_worker(application_event event)
{
    return event == APPLICATION_WORKER_STARTS || event == APPLICATION_WORKER_FINISHES ||
           event == APPLICATION_WORKER_ENDS;
}

static void define(pajewrite *w)
{
    uint32_t i;
    pajewrite_define_container_type(w, master_type, PAJEWRITE_ROOT_TYPE, "Master");
    pajewrite_define_container_type(w, worker_type, PAJEWRITE_ROOT_TYPE, "Worker");
    pajewrite_define_container_type(w, analyser_type, PAJEWRITE_ROOT_TYPE, "Analyser");
    pajewrite_define_event_type(w, master_points, master_type, "Measure point of the master");
    pajewrite_define_event_type(w, worker_points, worker_type, "Measure point of workers");
    pajewrite_define_event_type(w, decisions, analyser_type, RECORD_DECISION);
    pajewrite_define_event_type(w, ranges, analyser_type, RECORD_RANGE);
    pajewrite_define_event_type(w, lost, analyser_type, RECORD_LOST);
    pajewrite_define_state_type(w, iterations, master_type, "Iteration");
    pajewrite_define_state_type(w, tasks, worker_type, "Task");
    pajewrite_define_variable_type(w, workers_now, master_type, "Workers", "0.8 0.2 0.2");
    pajewrite_define_variable_type(w, load_now, master_type, "Load", "0.3 0.3 0.8");
    pajewrite_define_variable_type(w, wanted_now, analyser_type, "Nopt", "0.4 0.6 0.3");
    pajewrite_define_link_type(w, task_messages, PAJEWRITE_ROOT_TYPE, master_type, worker_type, "Task message");
    pajewrite_define_link_type(w, replies, PAJEWRITE_ROOT_TYPE, worker_type, master_type, "Reply");
    for (i = 0; i < APPLICATION_EVENTS; i++)
        pajewrite_define_value(w, PAJEWRITE_VALUE(i + 1),
                               is_of_worker((application_event)i) ? worker_points : master_points, names[i], NULL);
    pajewrite_define_value(w, PAJEWRITE_VALUE(INTRUSION_MASTER), master_points, FEED_INTRUSION, NULL);
    pajewrite_define_value(w, PAJEWRITE_VALUE(INTRUSION_WORKER), worker_points, FEED_INTRUSION, NULL);
    pajewrite_define_event_type(w, tuned, master_type, RECORD_TUNED);
    pajewrite_define_value(w, is_iterating, iterations, "iteration", "0.6 0.75 0.9");
    pajewrite_define_value(w, is_working, tasks, "task", "0.3 0.7 0.4");
    pajewrite_define_value(w, task, task_messages, "task", "0.5 0.5 0.5");
    pajewrite_define_value(w, reply, replies, "reply", "0.8 0.6 0.2");
}

static pajewrite_status begin(recorder *it, int actor, const pajewrite_config *config)
{
    char name[32];
    int i;
    it->origin = config->origin;
    pajewrite_init(&it->writer, it->buffer, sizeof it->buffer, config);
    pajewrite_header(&it->writer);
    define(&it->writer);
    it->with_iteration = pajewrite_define_variant(&it->writer, PAJEWRITE_NEW_EVENT, "Iteration int");
    it->with_actors = pajewrite_define_variant(&it->writer, PAJEWRITE_NEW_EVENT, "Iteration int, Actors int");
    it->with_worker = pajewrite_define_variant(&it->writer, PAJEWRITE_NEW_EVENT,
                                               "Iteration int, Worker int, Bytes int");
    it->with_spread =
        pajewrite_define_variant(&it->writer, PAJEWRITE_NEW_EVENT, "Iteration int, Actors int, Spread int");
    it->with_tasks = pajewrite_define_variant(&it->writer, PAJEWRITE_NEW_EVENT, "Iteration int, Tasks int");
    it->intrusion = pajewrite_define_variant(&it->writer, PAJEWRITE_NEW_EVENT, FEED_INTRUSION_FIELDS);
    it->decision = pajewrite_define_variant(&it->writer, PAJEWRITE_NEW_EVENT, "Iteration int, From int, To int");
    if (actor == -1 || actor == RECORD_ALL)
        pajewrite_create_container_at(&it->writer, it->origin, master, master_type, PAJEWRITE_ROOT, "master");
    if (actor == RECORD_ALL || actor == RECORD_ANALYSER)
        pajewrite_create_container_at(&it->writer, it->origin, analyser, analyser_type, PAJEWRITE_ROOT, "analyser");
    for (i = actor == RECORD_ALL ? 0 : actor; actor != -1 && actor != RECORD_ANALYSER && i < APPLICATION_WORKERS; i++) {
        snprintf(name, sizeof name, "worker %d", i);
        pajewrite_create_container_at(&it->writer, it->origin, container_of(i), worker_type, PAJEWRITE_ROOT, name);
        if (i == actor)
            break;
    }
    return pajewrite_get_status(&it->writer);
}

pajewrite_status record_begin(recorder *it, int actor, uint64_t origin, record_sink *sink, void *data)
{
    pajewrite_config config = PAJEWRITE_CONFIG;
    memset(it, 0, sizeof *it);
    config.origin = origin;
    config.sink = sink;
    config.sink_data = data;
    return begin(it, actor, &config);
}

pajewrite_status record_offer(recorder *it, int actor, uint64_t origin, pajewrite_offer offer)
{
    pajewrite_config config = PAJEWRITE_CONFIG;
    memset(it, 0, sizeof *it);
    config.offer = offer;
    config.origin = origin;
    config.when_full = PAJEWRITE_DROP;
    config.table = it->table;
    config.table_entries = RECORD_TABLE;
    config.definitions_size = RECORD_BUFFER / 4;
    return begin(it, actor, &config);
}

static void write_point(recorder *it, const application_moment *at, pajewrite_variant variant, const int64_t *fields,
                        uint32_t count)
{
    const pajewrite_event event = {.kind = PAJEWRITE_NEW_EVENT, .time = (uint64_t)at->time,
                                   .container = container_of(at->actor),
                                   .type = is_of_worker(at->event) ? worker_points : master_points,
                                   .value = {(uint32_t)at->event + 1}};
    pajewrite_write_ints(&it->writer, &event, variant, fields, count);
}

/* The state or the end of a link that shows the moment in a picture. */
static void write_picture(recorder *it, const application_moment *at)
{
    pajewrite *w = &it->writer;
    const uint64_t time = (uint64_t)at->time;
    const uint64_t key = (uint64_t)at->iteration << 20 | (uint64_t)at->message;
    const pajewrite_container container = container_of(at->actor);
    switch (at->event) {
    case APPLICATION_STARTS: pajewrite_push_state_at(w, time, container, iterations, is_iterating); break;
    case APPLICATION_FINISHES: pajewrite_pop_state_at(w, time, container, iterations); break;
    case APPLICATION_SENDS:
        pajewrite_start_link_at(w, at->from ? (uint64_t)at->from : time, PAJEWRITE_ROOT, task_messages, task, container,
                                key);
        break;
    case APPLICATION_WORKER_STARTS:
        pajewrite_end_link_at(w, time, PAJEWRITE_ROOT, task_messages, task, container, key);
        pajewrite_push_state_at(w, time, container, tasks, is_working);
        break;
    case APPLICATION_WORKER_FINISHES:
        pajewrite_pop_state_at(w, time, container, tasks);
        pajewrite_start_link_at(w, time, PAJEWRITE_ROOT, replies, reply, container, key);
        break;
    case APPLICATION_REPLIES: pajewrite_end_link_at(w, time, PAJEWRITE_ROOT, replies, reply, container, key); break;
    case APPLICATION_WORKER_ENDS:
    case APPLICATION_EVENTS: break;
    }
}

void record_moment(recorder *it, const application_moment *at)
{
    const int64_t fields[] = {at->iteration, at->workers}, message[] = {at->iteration, at->worker, at->bytes};
    const int64_t tasks_of[] = {at->iteration, at->tasks}, start[] = {at->iteration, at->workers, at->spread};
    if (at->event == APPLICATION_SENDS) /* the link begins before the message is sent */
        write_picture(it, at);
    switch (at->event) {
    case APPLICATION_STARTS: write_point(it, at, it->with_spread, start, 3); break;
    case APPLICATION_WORKER_ENDS:
    case APPLICATION_WORKER_FINISHES: write_point(it, at, it->with_actors, fields, 2); break;
    case APPLICATION_SENDS:
    case APPLICATION_REPLIES: write_point(it, at, it->with_worker, message, 3); break;
    case APPLICATION_WORKER_STARTS: write_point(it, at, it->with_tasks, tasks_of, 2); break;
    case APPLICATION_FINISHES:
        if (!at->is_disturbed)
            write_point(it, at, it->with_iteration, fields, 1);
        break;
    case APPLICATION_EVENTS: break;
    }
    if (at->event != APPLICATION_SENDS)
        write_picture(it, at);
}

/* The value of that name of a type of the analyser, which is defined when it is used first. */
static pajewrite_value value_of(recorder *it, pajewrite_type type, const char *name)
{
    uint32_t i = 0;
    while (i < it->names && (it->name_types[i].alias != type.alias || strcmp(it->name_texts[i], name) != 0))
        i++;
    if (i == RECORD_NAMES)
        i--;
    if (i == it->names) {
        it->name_texts[i] = name;
        it->name_types[i] = type;
        it->names++;
        pajewrite_define_value(&it->writer, PAJEWRITE_VALUE(FIRST_NAME + i), type, name, "0.8 0.2 0.2");
    }
    return PAJEWRITE_VALUE(FIRST_NAME + i);
}

static void write_named(recorder *it, int64_t time, pajewrite_type type, const char *name, int64_t iteration,
                        int64_t from, int64_t to)
{
    const int64_t fields[] = {iteration, from, to};
    const pajewrite_event event = {.kind = PAJEWRITE_NEW_EVENT, .time = (uint64_t)time, .container = analyser,
                                   .type = type, .value = value_of(it, type, name)};
    pajewrite_write_ints(&it->writer, &event, it->decision, fields, 3);
}

void record_decision(recorder *it, int64_t time, const char *knob, int64_t iteration, int64_t from, int64_t to)
{
    write_named(it, time, decisions, knob, iteration, from, to);
}

void record_range(recorder *it, int64_t time, const char *knob, int64_t low, int64_t high)
{
    write_named(it, time, ranges, knob, 0, low, high);
}

void record_lost(recorder *it, int64_t time, const char *name, int64_t first, int64_t last)
{
    write_named(it, time, lost, name, first, first, last);
}

void record_wanted(recorder *it, int64_t time, double wanted)
{
    pajewrite_set_variable_double_at(&it->writer, (uint64_t)time, analyser, wanted_now, wanted);
}

void record_setting(recorder *it, int64_t time, int64_t workers, int64_t load)
{
    pajewrite_set_variable_at(&it->writer, (uint64_t)time, master, workers_now, workers);
    pajewrite_set_variable_at(&it->writer, (uint64_t)time, master, load_now, load);
}

void record_intrusion(recorder *it, int actor, uint64_t time, int64_t setup, int64_t monitoring, int64_t tuning)
{
    const int64_t fields[] = {1, (int64_t)pajewrite_count(&it->writer).written, setup, monitoring, tuning};
    const pajewrite_event event = {.kind = PAJEWRITE_NEW_EVENT, .time = time, .container = container_of(actor),
                                   .type = actor < 0 ? master_points : worker_points,
                                   .value = PAJEWRITE_VALUE(actor < 0 ? INTRUSION_MASTER : INTRUSION_WORKER)};
    pajewrite_write_ints(&it->writer, &event, it->intrusion, fields, 5);
}

void record_tell(const pajewrite *w, const char *whose)
{
    const pajewrite_status status = pajewrite_get_status(w);
    const pajewrite_counts counts = pajewrite_count(w);
    if (status == PAJEWRITE_OK || status == PAJEWRITE_E_SINK) /* who reads it has gone, as anybody may */
        return;
    fprintf(stderr, "%s: its trace is wrong: %s; %llu calls were refused, %llu events dropped; %s\n", whose,
            pajewrite_problem(w), (unsigned long long)counts.refused, (unsigned long long)counts.dropped,
            status == PAJEWRITE_E_TABLE_FULL ? "make RECORD_TABLE or SELF_TABLE larger"
                                             : "`paje validate` shows the lines");
}

pajewrite_type record_tuned_type(void)
{
    return tuned;
}

pajewrite_container record_container(int actor)
{
    return container_of(actor);
}

void record_flush(recorder *it)
{
    pajewrite_flush(&it->writer);
}

pajewrite_status record_end(recorder *it)
{
    return pajewrite_finish(&it->writer);
}
