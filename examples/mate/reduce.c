#include "reduce.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_NUMBERS = TUNLET_PARTS + 3 };

static const pajewrite_type collector_type = {1}, actor_type = {2}, parts = {3}, actor_parts = {4};
static const pajewrite_value part_value = {1}, actor_part_value = {2}, ready_value = {3}, intrusion_value = {4};

static pajewrite_variant define(reduction *it, const char *first, int is_array)
{
    char fields[2048];
    size_t size = (size_t)snprintf(fields, sizeof fields, "%s", first), i;
    for (i = 0; i < it->of->part_count; i++)
        if (it->of->parts[i].is_array == is_array && size < sizeof fields - 1)
            size += (size_t)snprintf(fields + size, sizeof fields - size, ", %s int", it->of->parts[i].name);
    return pajewrite_define_variant(&it->writer, PAJEWRITE_NEW_EVENT, fields);
}

pajewrite_status reduce_begin(reduction *it, const tunlet *of, const char *name,
                              pajewrite_status (*sink)(void *data, const char *bytes, size_t size), void *data)
{
    pajewrite_config config = PAJEWRITE_CONFIG;
    char value[256];
    memset(it, 0, sizeof *it);
    it->of = of;
    it->collector = PAJEWRITE_CONTAINER(TUNLET_ACTORS + 1);
    config.sink = sink;
    config.sink_data = data;
    pajewrite_init(&it->writer, it->buffer, sizeof it->buffer, &config);
    pajewrite_header(&it->writer);
    pajewrite_define_container_type(&it->writer, collector_type, PAJEWRITE_ROOT_TYPE, FEED_COLLECTOR);
    pajewrite_define_container_type(&it->writer, actor_type, PAJEWRITE_ROOT_TYPE, of->actor);
    pajewrite_define_event_type(&it->writer, parts, collector_type, "Parts");
    pajewrite_define_event_type(&it->writer, actor_parts, actor_type, "Parts of actors");
    snprintf(value, sizeof value, FEED_PART " %s", of->name);
    pajewrite_define_value(&it->writer, part_value, parts, value, NULL);
    snprintf(value, sizeof value, FEED_ACTOR_PART " %s", of->name);
    pajewrite_define_value(&it->writer, actor_part_value, actor_parts, value, NULL);
    snprintf(value, sizeof value, FEED_READY " %s", of->name);
    pajewrite_define_value(&it->writer, ready_value, parts, value, NULL);
    pajewrite_define_value(&it->writer, intrusion_value, parts, FEED_INTRUSION, NULL);
    it->intrusion = pajewrite_define_variant(&it->writer, PAJEWRITE_NEW_EVENT, FEED_INTRUSION_FIELDS);
    it->part = define(it, "Iteration int, Actors int, Done int", 0);
    it->actor_part = define(it, "Iteration int", 1);
    pajewrite_create_container_at(&it->writer, 0, it->collector, collector_type, PAJEWRITE_ROOT, name);
    return pajewrite_get_status(&it->writer);
}

static void write_numbers(reduction *it, pajewrite_container container, pajewrite_type type, pajewrite_value value,
                          pajewrite_variant variant, const int64_t *numbers, uint32_t count)
{
    const pajewrite_event event = {.kind = PAJEWRITE_NEW_EVENT, .time = it->time, .container = container,
                                   .type = type, .value = value};
    pajewrite_write_ints(&it->writer, &event, variant, numbers, count);
}

/* Appends the parts of one kind: the element `at` of arrays. */
static uint32_t put_parts(const reduction *it, const gather_iteration *from, int is_array, size_t at, int64_t *numbers,
                          uint32_t count)
{
    size_t i;
    for (i = 0; i < it->of->part_count && count < MOST_NUMBERS; i++) {
        const tunlet_part *part = &it->of->parts[i];
        if (part->is_array == is_array)
            numbers[count++] = ((const int64_t *)(const void *)((const char *)from->state + part->offset))[at];
    }
    return count;
}

/* Introduces the actors that are new. */
static void introduce(reduction *it, const uint8_t *covered)
{
    uint32_t actor;
    char name[32];
    for (actor = 0; actor < TUNLET_ACTORS; actor++)
        if (covered[actor] && !it->introduced[actor]) {
            it->introduced[actor] = 1;
            snprintf(name, sizeof name, "%.16s %u", it->of->actor, (unsigned)actor);
            pajewrite_create_container_at(&it->writer, it->time, PAJEWRITE_CONTAINER(actor + 1), actor_type,
                                          PAJEWRITE_ROOT, name);
        }
    if (!it->is_ready)
        pajewrite_new_event_at(&it->writer, it->time, it->collector, parts, ready_value);
    it->is_ready = 1;
}

void reduce_iteration(reduction *it, const gather_iteration *complete, const uint8_t *covered)
{
    int64_t numbers[MOST_NUMBERS];
    uint32_t actor, count;
    it->time = (uint64_t)complete->last > it->time ? (uint64_t)complete->last : it->time;
    introduce(it, covered);
    for (actor = 0; actor < TUNLET_ACTORS && actor < complete->actors; actor++) {
        numbers[0] = complete->number;
        count = put_parts(it, complete, 1, actor, numbers, 1);
        if (count > 1 && covered[actor])
            write_numbers(it, PAJEWRITE_CONTAINER(actor + 1), actor_parts, actor_part_value, it->actor_part, numbers,
                          count);
    }
    numbers[0] = complete->number;
    numbers[1] = complete->actors;
    numbers[2] = complete->done;
    count = put_parts(it, complete, 0, 0, numbers, 3);
    write_numbers(it, it->collector, parts, part_value, it->part, numbers, count);
    pajewrite_flush(&it->writer);
}

void reduce_intrusion(reduction *it, const feed_intrusion *of)
{
    const int64_t numbers[] = {of->tasks, of->events, of->setup, of->monitoring, of->tuning};
    write_numbers(it, it->collector, parts, intrusion_value, it->intrusion, numbers, 5);
}

pajewrite_status reduce_end(reduction *it)
{
    return pajewrite_finish(&it->writer);
}

int reduce_needed(double workers, double each, double cost, double duration, double busy, int64_t *layers)
{
    const double fits = duration * busy / cost; /* events of an iteration, of one process */
    double sources = workers;
    int count = 0;
    while (sources * each > fits && count < REDUCE_LAYERS) {
        const double below = sources;
        sources = ceil(sources * each / fits);
        if (sources >= below)
            return 0;
        layers[count++] = (int64_t)sources;
        each = 2; /* lines of a collector */
    }
    return count;
}
