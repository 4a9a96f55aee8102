/* The sums of both traces. */
#include "diff.h"

#include <math.h>

enum { MOST_CONTAINERS = 200000, MOST_CLASSES = 65536, MOST_ROWS = 1000000 };

diff_rows_array diff_rows;
diff_containers_array diff_containers;
diff_trace diff_traces[2];

static hash_map container_names, class_names, row_numbers;
static int side; /* the trace that is read */
static double start, end; /* of the range that counts */
static const time_unit *told_unit;

/* ---- containers: their words are their numbers, plus 1 */

static size_t container_of(pajesim *sim, pajesim_ref container)
{
    static text_buffer key;
    pajesim_user_word *word = pajesim_user_data(sim, container);
    if (*word)
        return (size_t)*word - 1;
    text_clear(&key);
    paje_put_path(&key, sim, container);
    text_putc(&key, '\0');
    text_append(&key, pajesim_alias(sim, container));
    size_t number = map_find(&container_names, key.bytes, key.size);
    if (number == MAP_NONE && container_names.used < MOST_CONTAINERS)
        number = map_add(&container_names, key.bytes, key.size);
    else if (number == MAP_NONE)
        number = map_add(&container_names, "(others)", sizeof "(others)");
    (void)array_at(&diff_containers, number);
    *word = number + 1;
    return number;
}

static size_t path_size(pajesim_text key)
{
    return (size_t)((const char *)memchr(key.bytes, '\0', key.size) - key.bytes);
}

pajesim_text diff_path(size_t container)
{
    pajesim_text key = map_key(&container_names, container);
    return (pajesim_text){key.bytes, path_size(key)};
}

pajesim_text diff_alias(size_t container)
{
    pajesim_text key = map_key(&container_names, container);
    size_t size = path_size(key) + 1;
    return (pajesim_text){key.bytes + size, key.size - size};
}

/* ---- classes: a kind, the name of a type, and of a value; the words of values are their classes, plus 1 */

static size_t find_class(pajesim_kind kind, pajesim_text type, pajesim_text value)
{
    static text_buffer key;
    uint32_t size = (uint32_t)type.size;
    text_clear(&key);
    text_putc(&key, (char)kind);
    text_put(&key, (const char *)&size, sizeof size);
    text_append(&key, type);
    text_append(&key, value);
    size_t number = map_find(&class_names, key.bytes, key.size);
    if (number != MAP_NONE)
        return number;
    if (class_names.used >= MOST_CLASSES && !text_is_equal(value, text_of("(others)")))
        return find_class(kind, type, text_of("(others)"));
    return map_add(&class_names, key.bytes, key.size);
}

static size_t class_of(pajesim *sim, const pajesim_entity *entity)
{
    pajesim_user_word *word = entity->value ? pajesim_user_data(sim, entity->value) : NULL;
    if (word && *word)
        return (size_t)*word - 1;
    size_t class = find_class(entity->kind, pajesim_name(sim, entity->type), entity->value_name);
    if (word)
        *word = class + 1;
    return class;
}

static uint32_t type_size(pajesim_text key)
{
    uint32_t size;
    memcpy(&size, key.bytes + 1, sizeof size);
    return size;
}

pajesim_kind diff_kind(size_t class)
{
    return (pajesim_kind)map_key(&class_names, class).bytes[0];
}

pajesim_text diff_type(size_t class)
{
    pajesim_text key = map_key(&class_names, class);
    return (pajesim_text){key.bytes + 1 + sizeof(uint32_t), type_size(key)};
}

pajesim_text diff_value(size_t class)
{
    pajesim_text key = map_key(&class_names, class);
    size_t size = 1 + sizeof(uint32_t) + type_size(key);
    return (pajesim_text){key.bytes + size, key.size - size};
}

/* ---- rows */

diff_row *diff_row_of(diff_rows_array *rows, hash_map *numbers, size_t container, size_t class)
{
    size_t key[] = {container, class}, known = numbers->used, number = map_add(numbers, key, sizeof key);
    diff_row *row = array_at(rows, number);
    if (numbers->used > known) {
        row->container = container;
        row->class = class;
    }
    return row;
}

/* The side of the trace that is read.  Beyond MOST_ROWS, values of a type have one row for each container. */
static diff_side *side_of(pajesim *sim, const pajesim_entity *entity)
{
    size_t container = container_of(sim, entity->container), class = class_of(sim, entity);
    size_t key[] = {container, class};
    if (diff_rows.count >= MOST_ROWS && map_find(&row_numbers, key, sizeof key) == MAP_NONE)
        class = find_class(entity->kind, pajesim_name(sim, entity->type), text_of("(others)"));
    diff_containers.items[container].is_in[side] = 1;
    return &diff_row_of(&diff_rows, &row_numbers, container, class)->of[side];
}

void diff_closed(pajesim *sim, const pajesim_entity *entity)
{
    pajesim_entity below;
    double from = fmax(entity->start, start), to = fmin(entity->end, end), time = fmax(to - from, 0);
    if (!paje_shows(sim, entity))
        return;
    diff_traces[side].counts[entity->kind]++;
    if (entity->kind == PAJESIM_CONTAINER) {
        const size_t number = container_of(sim, entity->container);
        diff_containers.items[number].is_in[side] = 1;
        return;
    }
    diff_side *it = side_of(sim, entity);
    it->count++;
    if (entity->kind == PAJESIM_LINK)
        time = to - from; /* negative if it ends before it starts */
    sum_add(&it->time, entity->kind == PAJESIM_VARIABLE ? time * entity->number : time);
    if (entity->kind == PAJESIM_STATE && entity->imbrication > 0 &&
        pajesim_open_entity(sim, entity->container, entity->type, entity->imbrication - 1, &below)) {
        from = fmax(from, paje_in_seconds(((const paje_run *)pajesim_data(sim))->settings, below.start));
        sum_add(&side_of(sim, &below)->time, -fmax(to - from, 0)); /* less than `time` if times are not in order */
    }
}

/* ---- traces */

void diff_begin(paje_run *run, int trace)
{
    side = trace;
    start = paje_filter_start(run->settings);
    end = paje_filter_end(run->settings);
    text_puts(&diff_traces[trace].name, run->source->name);
}

void diff_end(paje_run *run, int trace)
{
    const pajesim_counts counts = paje_whole_counts(run);
    diff_traces[trace].first = paje_in_seconds(run->settings, counts.first);
    diff_traces[trace].last = paje_in_seconds(run->settings, counts.last);
    paje_suggest_unit(run);
    paje_compare_unit(run, &told_unit);
}
