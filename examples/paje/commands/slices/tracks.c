/* What happens in each slice of time: a track for each row and class. */
#include "slices.h"
#include "commands/profile/profile.h"

#include <math.h>

enum {
    MOST_VALUES = 64,       /* of a type that have a class of their own */
    MOST_SLICES = 1 << 20   /* of all tracks: beyond that, rows are grouped */
};

static size_t most_slices = MOST_SLICES; /* or more, where rows have so different classes that groups are not smaller */

static hash_map known; /* keys: row and class; numbers: tracks */

slices_data slices = {.rows = {.depth = CHART_MOST_DEPTH, .most = 1 << 16, .regroup = slices_regroup}};

/* ---- tracks */

static size_t track_key(unsigned char *key, uint32_t at_row, size_t number)
{
    memcpy(key, &at_row, sizeof at_row);
    memcpy(key + sizeof at_row, &number, sizeof number);
    return sizeof at_row + sizeof number;
}

static slices_track *track_of(uint32_t at_row, size_t number)
{
    unsigned char key[sizeof at_row + sizeof number];
    size_t at = map_add(&known, key, track_key(key, at_row, number));
    if (at == slices.tracks.count)
        *array_push(&slices.tracks) =
            (slices_track){at_row, number, memory_alloc_zero(slices.grid.most, sizeof(slice))};
    return &slices.tracks.items[at];
}

static void add_slice(slice *to, const slice *from)
{
    to->count += from->count;
    sum_add_sum(&to->time, &from->time);
    sum_add_sum(&to->integral, &from->integral);
}

void slices_regroup(const uint32_t *to, size_t count)
{
    slices_tracks before = slices.tracks;
    (void)count;
    memset(&slices.tracks, 0, sizeof slices.tracks);
    map_free(&known);
    for (size_t t = 0; t < before.count; t++) {
        slices_track *track = track_of(to[before.items[t].row], before.items[t].class);
        for (size_t i = 0; i < slices.grid.most; i++)
            add_slice(&track->slices[i], &before.items[t].slices[i]);
        free(before.items[t].slices);
    }
    array_free(&before);
}

/* Moves what is in slices to where it belongs by now. */
static void move_slices(const time_grid *before)
{
    for (size_t t = 0; t < slices.tracks.count; t++) {
        slice *old = slices.tracks.items[t].slices, *new = memory_alloc_zero(slices.grid.most, sizeof *new);
        for (size_t i = 0; i < slices.grid.most; i++) {
            int64_t target = grid_target(&slices.grid, before, i);
            if (target >= 0)
                add_slice(&new[target], &old[i]);
        }
        free(old);
        slices.tracks.items[t].slices = new;
    }
}

static void reach(double time)
{
    time_grid before = slices.grid;
    if (grid_reach(&slices.grid, time))
        move_slices(&before);
}

/* Adds a time, and its product with a number, without rounding: so it makes no difference where an entity was cut while
 * slices were narrower. */
static void add_time(slice *to, double time, double number)
{
    double product = time * number;
    sum_add(&to->time, time);
    if (number < 0 || number > 0) {
        sum_add(&to->integral, product);
        sum_add(&to->integral, fma(time, number, -product));
    }
}

/* `sign` is -1 to subtract the time of a state from that of the state below it. */
static void add_part(const slices_track *track, const interval *part, int sign)
{
    const time_grid *grid = &slices.grid;
    int64_t i = grid_slice(grid, part->start), last = grid_slice(grid, part->end);
    if (sign > 0)
        track->slices[i].count++;
    for (; i <= last; i++) {
        double start = fmax(grid_edge(grid, i), part->start), end = fmin(grid_edge(grid, i + 1), part->end);
        if (end > start) {
            add_time(&track->slices[i], sign * end, part->number);
            add_time(&track->slices[i], -sign * start, part->number);
        }
    }
}

/* ---- classes */

static slices_class *class_at(size_t number)
{
    return array_at(&slices.classes, number);
}

/* The class of a type as a whole. */
static slices_class *class_of_type(size_t type, size_t *number)
{
    *number = profile_class(type, text_of(""), 1);
    slices_class *it = class_at(*number);
    it->type = type;
    it->type_class = *number;
    it->kind = profile_types.items[type].kind;
    return it;
}

/* Prepares a class.  Values that are beyond MOST_VALUES have the class of their type. */
static size_t show_class(size_t number, int has_limit)
{
    size_t type = profile_class_type_number(number), whole, parent;
    if (class_at(number)->shown_as)
        return class_at(number)->shown_as - 1;
    class_of_type(profile_types.items[type].above, &parent);
    slices_class *of_type = class_of_type(type, &whole);
    int is_own = number == whole || of_type->values++ < MOST_VALUES || !has_limit;
    slices_class *it = class_at(number);
    it->kind = class_at(whole)->kind;
    it->type = type;
    it->container_class = parent;
    it->type_class = whole;
    class_at(whole)->container_class = parent;
    it->shown_as = (is_own ? number : whole) + 1;
    return it->shown_as - 1;
}

static size_t class_of(pajesim *sim, const pajesim_entity *entity)
{
    const paje_run *run = pajesim_data(sim);
    size_t number = profile_class_of(sim, entity);
    if (class_at(number)->shown_as)
        return class_at(number)->shown_as - 1;
    size_t shown = show_class(number, !run->settings->is_part);
    slices_class *it = class_at(number);
    it->has_color = palette_from_trace(&slices.palette, pajesim_color(sim, entity->value), entity->kind, &it->color);
    return shown;
}

/* ---- the callback */

/* Links and events count if --type chooses them: they may be on containers that have nothing else. */
static int is_counted(const pajesim *sim, const pajesim_entity *entity)
{
    const paje_run *run = pajesim_data(sim);
    int is_default = entity->kind == PAJESIM_STATE || entity->kind == PAJESIM_VARIABLE;
    return (is_default || run->settings->filter.types.count > 0) && paje_shows(sim, entity);
}

/* Whether --value chooses it.  What it leaves out has no class, as it would be one of MOST_VALUES. */
static int has_chosen_value(const pajesim_entity *entity)
{
    return !slices.value || paje_matches(slices.value, entity->value_name);
}

/* Whether containers of a type can have states that are shown: then their lifetimes count. */
static int is_borne(const pajesim *sim, pajesim_ref type)
{
    for (pajesim_ref at = pajesim_first_child(sim, type); at; at = pajesim_next_sibling(sim, at))
        if (pajesim_kind_of(sim, at) == PAJESIM_STATE && paje_shows_type(sim, at))
            return 1;
    return 0;
}

static void add_container(pajesim *sim, const pajesim_entity *container)
{
    const paje_run *run = pajesim_data(sim);
    pajesim_entity it = *container;
    interval part;
    size_t number;
    if (!is_borne(sim, container->type) || !paje_shows_container(sim, container->container))
        return;
    if (container->container == pajesim_root(sim))
        it.start = paje_in_seconds(run->settings, pajesim_count(sim)->first); /* not 0: where the trace begins */
    if (!interval_clip(&it, &slices.range, &part))
        return;
    class_of_type(profile_type_number(sim, container->type), &number);
    reach(part.start);
    reach(part.end);
    add_part(track_of(chart_row_of(&slices.rows, sim, container->container), number), &part, 1);
}

static int has_too_many(void)
{
    return slices.tracks.count * slices.grid.most > most_slices && slices.rows.items.count > 1;
}

static void group_rows(pajesim *sim)
{
    chart_group_rows(&slices.rows, sim, slices.rows.items.count / 2);
    if (slices.tracks.count * slices.grid.most > most_slices / 8 * 7)
        most_slices = 2 * slices.tracks.count * slices.grid.most;
}

int slices_closed(pajesim *sim, const pajesim_entity *entity)
{
    pajesim_entity below;
    interval part;
    if (entity->kind == PAJESIM_CONTAINER) {
        add_container(sim, entity);
    } else if (is_counted(sim, entity) && interval_clip(entity, &slices.range, &part)) {
        uint32_t at_row = chart_row_of(&slices.rows, sim, entity->container);
        reach(part.start);
        reach(part.end);
        if (has_chosen_value(entity))
            add_part(track_of(at_row, class_of(sim, entity)), &part, 1);
        if (entity->kind == PAJESIM_STATE && entity->imbrication > 0 &&
            pajesim_open_entity(sim, entity->container, entity->type, entity->imbrication - 1, &below) &&
            has_chosen_value(&below))
            add_part(track_of(at_row, class_of(sim, &below)), &part, -1);
    }
    if (has_too_many())
        group_rows(sim);
    return PAJESIM_GO_ON;
}

/* ---- what processes hand over */

static time_grid empty_grid;

void slices_begin(void)
{
    grid_begin(&slices.grid);
    empty_grid = slices.grid;
}

static int is_used(const slice *it)
{
    static const slice none;
    return memcmp(it, &none, sizeof none) != 0;
}

static void save_track(const slices_track *track, text_buffer *to)
{
    size_t used = 0;
    for (size_t i = 0; i < slices.grid.most; i++)
        used += (size_t)is_used(&track->slices[i]);
    paje_put_number(to, track->row);
    paje_put_number(to, track->class);
    paje_put_number(to, used);
    for (size_t i = 0; i < slices.grid.most; i++)
        if (is_used(&track->slices[i])) {
            paje_put_number(to, i);
            text_put(to, (const char *)&track->slices[i], sizeof track->slices[i]);
        }
    free(track->slices);
}

void slices_save(paje_run *run, text_buffer *to)
{
    (void)run;
    profile_save_classes(to);
    paje_put_number(to, slices.classes.count);
    text_put(to, (const char *)slices.classes.items, slices.classes.count * sizeof *slices.classes.items);
    chart_save_rows(&slices.rows, to);
    text_put(to, (const char *)&slices.grid, sizeof slices.grid);
    paje_put_number(to, slices.tracks.count);
    for (size_t t = 0; t < slices.tracks.count; t++)
        save_track(&slices.tracks.items[t], to);
    array_clear(&slices.tracks);
    array_clear(&slices.classes);
    map_clear(&known);
    slices.grid = empty_grid;
}

/* Adds a class that a process has seen. */
static void join_class(paje_parcel *from, size_t number)
{
    slices_class it;
    paje_take(from, &it, sizeof it);
    if (it.kind == PAJESIM_CONTAINER)
        class_of_type(profile_class_type_number(number), &number);
    if (!it.shown_as || class_at(number)->shown_as)
        return;
    show_class(number, 1);
    class_at(number)->has_color = it.has_color;
    class_at(number)->color = it.color;
}

static void join_track(paje_parcel *from, const size_t *classes, const uint32_t *rows, const time_grid *grid)
{
    uint32_t at_row = rows[paje_take_number(from)];
    size_t number = classes[paje_take_number(from)];
    slice one;
    if (class_at(number)->shown_as)
        number = class_at(number)->shown_as - 1;
    slices_track *track = track_of(at_row, number);
    for (uint64_t left = paje_take_number(from); left > 0; left--) {
        size_t i = (size_t)paje_take_number(from);
        paje_take(from, &one, sizeof one);
        int64_t target = slices.grid.is_fixed ? (int64_t)i : grid_target(&slices.grid, grid, i);
        if (target >= 0)
            add_slice(&track->slices[target], &one);
    }
}

int slices_join(paje_parcel *from)
{
    time_grid grid, before = slices.grid;
    const size_t *classes = profile_join_classes(from);
    uint64_t count = paje_take_number(from);
    for (uint64_t i = 0; i < count; i++)
        join_class(from, classes[i]);
    const uint32_t *rows = chart_join_rows(&slices.rows, from);
    if (!rows)
        return 0;
    paje_take(from, &grid, sizeof grid);
    if (grid_cover(&slices.grid, &grid))
        move_slices(&before);
    for (uint64_t left = paje_take_number(from); left > 0; left--)
        join_track(from, classes, rows, &grid);
    return !has_too_many();
}

/* ---- what was collected */

const slice *slices_find(uint32_t at_row, size_t number, size_t i)
{
    unsigned char key[sizeof at_row + sizeof number];
    size_t at = map_find(&known, key, track_key(key, at_row, number));
    return at == MAP_NONE ? NULL : &slices.tracks.items[at].slices[i];
}

double slices_measure(uint32_t at_row, size_t number, size_t i)
{
    const slice *it = slices_find(at_row, number, i);
    const slice *life = slices_find(at_row, slices.classes.items[number].container_class, i);
    switch (slices.classes.items[number].kind) {
    case PAJESIM_STATE:
        return life && sum_of(&life->time) > 0 ? (it ? sum_of(&it->time) : 0) / sum_of(&life->time) : (double)NAN;
    case PAJESIM_VARIABLE:
        return it && sum_of(&it->time) > 0 ? sum_of(&it->integral) / sum_of(&it->time) : (double)NAN;
    default:
        return it ? (double)it->count : (double)NAN;
    }
}

pajesim_text slices_type(size_t number)
{
    return profile_class_type(number)->name;
}

pajesim_text slices_value(size_t number)
{
    pajesim_text value = profile_class_value(number);
    int has_more = slices.classes.items[number].values > MOST_VALUES;
    return has_more && value.size == 0 ? text_of("(other values)") : value;
}

double slices_edge(size_t i)
{
    return grid_edge(&slices.grid, (int64_t)i);
}

typedef struct ranked {
    size_t class;
    int rank;
    double type_weight, weight;
    size_t type;
} ranked;

static int compare(const void *left, const void *right)
{
    const ranked *a = left, *b = right;
    if (a->rank != b->rank)
        return a->rank - b->rank;
    if (a->type_weight < b->type_weight || a->type_weight > b->type_weight)
        return a->type_weight > b->type_weight ? -1 : 1;
    if (a->type != b->type)
        return a->type < b->type ? -1 : 1;
    if (a->weight < b->weight || a->weight > b->weight)
        return a->weight > b->weight ? -1 : 1;
    return (a->class > b->class) - (a->class < b->class);
}

void slices_finish(size_t most_rows)
{
    static const int ranks[] = {[PAJESIM_STATE] = 0, [PAJESIM_VARIABLE] = 1, [PAJESIM_LINK] = 2, [PAJESIM_EVENT] = 3,
                                [PAJESIM_CONTAINER] = 4};
    array_of(ranked) order = {0};
    chart_group_rows(&slices.rows, NULL, most_rows);
    chart_label_rows(&slices.rows);
    slices.count = grid_used(&slices.grid);
    double *weights = memory_alloc_zero(slices.classes.count, sizeof *weights); /* of types */
    unsigned char *has_track = memory_alloc_zero(slices.classes.count, sizeof *has_track);
    for (size_t t = 0; t < slices.tracks.count; t++) {
        const slices_track *track = &slices.tracks.items[t];
        slices_class *of = &slices.classes.items[track->class];
        has_track[track->class] = 1;
        for (size_t i = 0; i < slices.grid.most; i++)
            of->weight += of->kind == PAJESIM_STATE || of->kind == PAJESIM_VARIABLE
                              ? sum_of(&track->slices[i].time) : (double)track->slices[i].count;
    }
    for (size_t i = 0; i < slices.classes.count; i++)
        weights[slices.classes.items[i].type_class] += slices.classes.items[i].weight;
    for (size_t i = 0; i < slices.classes.count; i++)
        if (has_track[i] && slices.classes.items[i].kind != PAJESIM_CONTAINER) {
            const slices_class *it = &slices.classes.items[i];
            *array_push(&order) = (ranked){i, ranks[it->kind], weights[it->type_class], it->weight, it->type};
        }
    if (order.count > 0)
        qsort(order.items, order.count, sizeof *order.items, compare);
    for (size_t i = 0; i < order.count; i++)
        *array_push(&slices.order) = order.items[i].class;
    array_free(&order);
    free(has_track);
    free(weights);
}
