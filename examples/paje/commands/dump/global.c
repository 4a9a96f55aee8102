/* -p: a line for each interval between two times of the trace, with the values of one type in all containers.  As in
 * pj_dump, a value is shown from the interval after the one that it begins with, and until another one follows; the
 * first one is shown at once. */
#include "dump.h"

#include <stdlib.h>

/* The values of a container and type; NULL: none yet. */
typedef struct sequence {
    char *first, *earlier, *latest;
    pajesim_time since; /* `latest` */
    int is_first;       /* `latest` is the first one */
} sequence;

static const char *shown_type;
static int decimals, is_filtered;
static hash_map numbers;
static array_of(sequence) sequences;
static array_of(unsigned char) has_values; /* of each container */
static double last;

void dump_set_global(const char *type, int precision, int has_filters)
{
    shown_type = type;
    decimals = precision;
    is_filtered = has_filters;
}

static void put_values(const pajesim *sim, size_t container)
{
    const dump_container *it = dump_container_at(container);
    size_t count;
    const pajesim_ref *types = dump_types_of(sim, it->type, &count);
    for (size_t i = 0; i < count; i++) {
        size_t key[2] = {container, types[i]}, number = map_find(&numbers, key, sizeof key);
        if (number == MAP_NONE)
            continue;
        const sequence *values = &sequences.items[number];
        const char *value = values->since < last ? values->latest : values->earlier ? values->earlier : values->first;
        text_printf(&stream_output, ",%s/%s/%s", it->name, shown_type, value);
    }
}

static void put_interval(const pajesim *sim, double time)
{
    size_t count;
    text_printf(&stream_output, "%.*f,%.*f,%.*f", decimals, last, decimals, time, decimals, time - last);
    const size_t *order = dump_containers(sim, DUMP_BY_TYPE, &count);
    for (size_t i = 0; i < count && sequences.count; i++)
        if (order[i] < has_values.count && has_values.items[order[i]])
            put_values(sim, order[i]);
    stream_end_line();
}

void dump_global_time(const pajesim *sim, pajesim_time at)
{
    const paje_settings *settings = ((const paje_run *)pajesim_data(sim))->settings;
    const double time = paje_in_seconds(settings, at); /* as the times of values are */
    if (time <= last)
        return;
    if (!is_filtered || paje_shows_time(settings, last, time))
        put_interval(sim, time);
    last = time;
}

static void set(char **place, pajesim_text text)
{
    free(*place);
    *place = dump_copy(text);
}

/* `is_variable`: a value of the same time replaces the latest one. */
static void add(const pajesim *sim, const pajesim_entity *entity, pajesim_text value, int is_variable)
{
    if (!text_is_equal(pajesim_name(sim, entity->type), text_of(shown_type)) ||
        (is_filtered && !paje_shows_at_any_time(sim, entity)))
        return;
    size_t key[2] = {dump_index_of(entity->container), entity->type};
    *array_at(&has_values, key[0]) = 1;
    sequence *it = array_at(&sequences, map_add(&numbers, key, sizeof key));
    it->is_first = !it->first || (it->is_first && is_variable && !(it->since < entity->start));
    if (it->is_first)
        set(&it->first, value);
    if (it->latest && it->since < entity->start) {
        free(it->earlier);
        it->earlier = it->latest;
        it->latest = NULL;
    }
    set(&it->latest, value);
    it->since = entity->start;
}

void dump_global_entity(const pajesim *sim, const pajesim_entity *entity)
{
    add(sim, entity, entity->value_name, 0);
}

void dump_global_number(const pajesim *sim, const pajesim_entity *variable, double number)
{
    static text_buffer text;
    text_clear(&text);
    text_printf(&text, "%.*f", decimals, number);
    add(sim, variable, text_view(&text), 1);
}
