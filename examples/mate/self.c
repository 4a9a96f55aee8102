#define _GNU_SOURCE
#include "self.h"

#include "record.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const pajewrite_type program_type = {1}, actor_type = {2}, program_points = {3}, actor_points = {4},
                            work = {5}, decisions = {6}, knob_values = {7}, tuned = {8}, ranges = {9};
static const pajewrite_value working = {TUNLET_EVENTS + 1};
enum { FIRST_KNOB = TUNLET_EVENTS + 2, FIRST_RANGE = FIRST_KNOB + SELF_KNOBS, INTRUSION = FIRST_RANGE + SELF_KNOBS };
static const pajewrite_container program = {1};

int64_t self_now(void)
{
    return (int64_t)pajewrite_monotonic(NULL);
}

static pajewrite_container container_of(int actor)
{
    return actor < 0 ? program : PAJEWRITE_CONTAINER((uint32_t)actor + 2);
}

/* ---- where the trace goes */

static pajewrite_status sink(void *data, const char *bytes, size_t size)
{
    self *it = (self *)data;
    reader_bytes(&it->feed.reader, bytes, size);
    while (it->file >= 0 && size > 0) {
        const ssize_t done = write(it->file, bytes, size);
        if (done < 0 && errno != EINTR) {
            fprintf(stderr, "%s: %s; the trace is not kept\n", it->config.output, strerror(errno));
            close(it->file);
            it->file = -1;
        } else if (done > 0) {
            bytes += done;
            size -= (size_t)done;
        }
    }
    return PAJEWRITE_OK;
}

/* Notes a decision; the writer is delivering what led to it, so self_point writes it. */
static void decided(void *data, const decision *made)
{
    self *it = (self *)data;
    uint32_t i;
    for (i = 0; i < it->knob_count; i++)
        if (strcmp(it->knobs[i].name, made->knob) == 0) {
            it->knobs[i].wanted = made->to;
            it->knobs[i].from = made->from;
            it->knobs[i].iteration = made->iteration;
            it->turned[it->turned_count++ % SELF_KNOBS] = i; /* each knob once: it is turned before it is asked for */
            it->decisions++;
        }
}

/* ---- the trace */

static void define(self *it)
{
    pajewrite *w = &it->writer;
    const tunlet *of = it->config.tunlets[0];
    char name[64];
    size_t i, k;
    int actor;
    pajewrite_header(w);
    pajewrite_define_container_type(w, program_type, PAJEWRITE_ROOT_TYPE, "Program");
    pajewrite_define_container_type(w, actor_type, PAJEWRITE_ROOT_TYPE, of->actor);
    pajewrite_define_event_type(w, program_points, program_type, "Measure point of the program");
    pajewrite_define_event_type(w, actor_points, actor_type, "Measure point of actors");
    pajewrite_define_event_type(w, decisions, program_type, RECORD_DECISION);
    pajewrite_define_event_type(w, ranges, program_type, RECORD_RANGE);
    pajewrite_define_event_type(w, tuned, program_type, RECORD_TUNED);
    pajewrite_define_state_type(w, work, actor_type, "Work");
    pajewrite_define_variable_type(w, knob_values, program_type, "Knob", "0.8 0.2 0.2");
    pajewrite_define_value(w, working, work, "working", "0.3 0.7 0.4");
    it->decision = pajewrite_define_variant(w, PAJEWRITE_NEW_EVENT, "Iteration int, From int, To int");
    for (i = 0; i < of->event_count; i++) {
        char fields[512] = "Iteration int, Actors int";
        const tunlet_role role = of->events[i].role;
        for (k = 0; k < TUNLET_FIELDS && of->events[i].fields[k]; k++)
            snprintf(fields + strlen(fields), sizeof fields - strlen(fields), ", %s int", of->events[i].fields[k]);
        it->variants[i] = pajewrite_define_variant(w, PAJEWRITE_NEW_EVENT, fields);
        pajewrite_define_value(w, PAJEWRITE_VALUE((uint32_t)i + 1),
                               role == TUNLET_BEGIN || role == TUNLET_END ? program_points : actor_points,
                               of->events[i].name, NULL);
    }
    it->intrusion = pajewrite_define_variant(w, PAJEWRITE_NEW_EVENT, FEED_INTRUSION_FIELDS);
    pajewrite_define_value(w, PAJEWRITE_VALUE(INTRUSION), program_points, FEED_INTRUSION, NULL);
    pajewrite_create_container_at(w, it->writer.config.origin, program, program_type, PAJEWRITE_ROOT, "program");
    for (actor = 0; actor < it->config.actors; actor++) {
        snprintf(name, sizeof name, "%.40s %d", of->actor, actor);
        pajewrite_create_container_at(w, it->writer.config.origin, container_of(actor), actor_type, PAJEWRITE_ROOT,
                                      name);
    }
}

static void begin_here(self *it, pajewrite_config *config)
{
    const char *why = analyse_begin(&it->analysis, it->config.tunlets, it->config.count, it->config.persistence,
                                    decided, it);
    if (why) {
        fprintf(stderr, "%s\n", why);
        exit(2);
    }
    if (it->config.output) {
        it->file = open(it->config.output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
        if (it->file < 0) {
            fprintf(stderr, "%s: %s\n", it->config.output, strerror(errno));
            exit(3);
        }
    }
    feed_begin(&it->feed, it->analysis.gathered, it->analysis.count);
    config->sink = sink;
    config->sink_data = it;
}

void self_begin(self *it, const self_config *config)
{
    const char *where = getenv("PAJE_LIVE"), *origin = getenv("MATE_ORIGIN");
    pajewrite_config writing = PAJEWRITE_CONFIG;
    live_config living = {.where = where, .writer = &it->writer, .tuned = tuned, .process = "program",
                          .process_name = "program"};
    memset(it, 0, sizeof *it);
    it->config = *config;
    it->file = -1;
    if (config->is_off)
        return; /* a context of zeros is off */
    it->cost.tasks = 1;
    it->cost.setup = -self_now();
    writing.origin = origin ? strtoull(origin, NULL, 10) : (uint64_t)self_now();
    it->is_live = where && *where;
    if (it->is_live) {
        writing.offer = live_offer;
        writing.when_full = PAJEWRITE_DROP;
        writing.table = it->table;
        writing.table_entries = SELF_TABLE;
        writing.definitions_size = SELF_BUFFER / 4;
    } else {
        begin_here(it, &writing);
    }
    pajewrite_init(&it->writer, it->buffer, sizeof it->buffer, &writing);
    define(it);
    living.origin = writing.origin;
    if (it->is_live && !live_init(&it->live, &living))
        fprintf(stderr, "%s; going on without\n", it->live.problem);
}

/* Adds a knob or a slot.  Returns its index; -1 if there is no room, or nothing is tuned. */
static int add(self *it, const char *name, int64_t low, int64_t high)
{
    if (it->knob_count == SELF_KNOBS || it->config.is_off)
        return -1;
    it->knobs[it->knob_count].name = name;
    pajewrite_define_value(&it->writer, PAJEWRITE_VALUE(FIRST_KNOB + it->knob_count), decisions, name, "0.8 0.2 0.2");
    if (!it->is_live) {
        const int64_t fields[] = {0, low, high};
        const pajewrite_event event = {.kind = PAJEWRITE_NEW_EVENT, .time = (uint64_t)self_now(), .container = program,
                                       .type = ranges, .value = PAJEWRITE_VALUE(FIRST_RANGE + it->knob_count)};
        analyse_limit(&it->analysis, name, low, high);
        pajewrite_define_value(&it->writer, event.value, ranges, name, NULL);
        pajewrite_write_ints(&it->writer, &event, it->decision, fields, 3);
    }
    return (int)it->knob_count++;
}

void self_knob(self *it, const char *name, int64_t *word, int64_t low, int64_t high)
{
    const int number = add(it, name, low, high);
    if (number < 0)
        return;
    it->knobs[number].word = word;
    if (it->is_live)
        live_knob(&it->live, name, word, LIVE_RANGE(low, high, 1), "iteration");
}

void self_slot(self *it, const char *name, live_function *place, const live_choice *choices, size_t count)
{
    const int number = add(it, name, 0, (int64_t)count - 1);
    size_t i;
    if (number < 0)
        return;
    it->knobs[number].place = place;
    for (i = 0; i < count && i < LIVE_CHOICES_MAX; i++)
        it->knobs[number].choices[i] = choices[i].function;
    if (it->is_live)
        live_slot(&it->live, name, place, choices, count, "iteration");
}

void self_ready(self *it)
{
    if (it->is_live)
        live_thread_begin(&it->live, &it->writer, program, "program");
    if (!it->config.is_off)
        it->cost.setup += self_now();
}

/* Does what was decided here. */
static void turn(self *it)
{
    uint32_t k;
    for (k = 0; k < it->turned_count && k < SELF_KNOBS; k++) {
        const uint32_t i = it->turned[k];
        const int64_t fields[] = {it->knobs[i].iteration, it->knobs[i].from, it->knobs[i].wanted};
        const pajewrite_event event = {.kind = PAJEWRITE_NEW_EVENT, .time = (uint64_t)self_now(), .container = program,
                                       .type = decisions, .value = PAJEWRITE_VALUE(FIRST_KNOB + i)};
        if (it->knobs[i].word)
            *it->knobs[i].word = it->knobs[i].wanted;
        else
            *it->knobs[i].place = it->knobs[i].choices[it->knobs[i].wanted];
        pajewrite_write_ints(&it->writer, &event, it->decision, fields, 3);
        pajewrite_set_variable_at(&it->writer, event.time, program, knob_values, it->knobs[i].wanted);
    }
    it->turned_count = 0;
}

void self_point(self *it)
{
    int64_t begin, between;
    if (it->config.is_off)
        return;
    begin = self_now();
    pajewrite_flush(&it->writer); /* here, tunlets run */
    between = self_now();
    if (it->is_live)
        live_point(&it->live, "iteration");
    else
        turn(it);
    it->cost.monitoring += between - begin;
    it->cost.tuning += self_now() - between;
}

void self_event(self *it, uint32_t event, int actor, int64_t time, int64_t iteration, int64_t actors,
                const int64_t *fields)
{
    const tunlet_event *of = &it->config.tunlets[0]->events[event];
    int64_t numbers[TUNLET_FIELDS + 2] = {iteration, actors};
    const pajewrite_event written = {.kind = PAJEWRITE_NEW_EVENT, .time = (uint64_t)time,
                                     .container = container_of(actor),
                                     .type = actor < 0 ? program_points : actor_points,
                                     .value = PAJEWRITE_VALUE(event + 1)};
    uint32_t count = 2;
    int64_t begin;
    if (it->config.is_off)
        return;
    begin = self_now();
    for (; count < TUNLET_FIELDS + 2 && of->fields[count - 2]; count++)
        numbers[count] = fields[count - 2];
    pajewrite_write_ints(&it->writer, &written, it->variants[event], numbers, count);
    it->cost.monitoring += self_now() - begin;
}

void self_state(self *it, int actor, int64_t begin, int64_t end)
{
    int64_t before;
    if (it->config.is_off)
        return;
    before = self_now();
    pajewrite_push_state_at(&it->writer, (uint64_t)begin, container_of(actor), work, working);
    pajewrite_pop_state_at(&it->writer, (uint64_t)end, container_of(actor), work);
    it->cost.monitoring += self_now() - before;
}

static void write_cost(self *it)
{
    feed_intrusion *of = &it->cost;
    const pajewrite_event written = {.kind = PAJEWRITE_NEW_EVENT, .time = (uint64_t)self_now(), .container = program,
                                     .type = program_points, .value = PAJEWRITE_VALUE(INTRUSION)};
    of->events = (int64_t)pajewrite_count(&it->writer).written;
    {
        const int64_t fields[] = {of->tasks, of->events, of->setup, of->monitoring, of->tuning};
        pajewrite_write_ints(&it->writer, &written, it->intrusion, fields, 5);
    }
}

void self_print(const self_sum *sum)
{
    const feed_intrusion *of = &sum->cost;
    if (of->tasks > 0)
        fprintf(stderr, "intrusion: %lld events; preparing %.3f ms, events and tunlets %.3f ms, tuning %.3f ms\n",
                (long long)of->events, (double)of->setup / 1e6, (double)of->monitoring / 1e6, (double)of->tuning / 1e6);
}

static void end(self *it)
{
    write_cost(it);
    pajewrite_finish(&it->writer);
    record_tell(&it->writer, "program");
    if (it->is_live) {
        live_end(&it->live);
        return;
    }
    feed_end(&it->feed);
    analyse_end(&it->analysis);
    if (it->file >= 0 && close(it->file) != 0)
        fprintf(stderr, "%s: %s\n", it->config.output, strerror(errno));
}

self_sum self_end(self *it)
{
    if (!it->config.is_off)
        end(it);
    return (self_sum){it->decisions, it->cost};
}
