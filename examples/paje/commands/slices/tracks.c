/* What happens in each slice of time: a track for each row and class. */
#include "slices.h"
#include "commands/profile/profile.h"

#include <math.h>

enum {
    MOST_VALUES = 64,       /* of a type that have a class of their own */
    MOST_SLICES = 1 << 20   /* of all tracks: beyond that, rows are grouped */
};

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

static void reach(double time)
{
    time_grid before = slices.grid;
    if (!grid_reach(&slices.grid, time))
        return;
    for (size_t t = 0; t < slices.tracks.count; t++) {
        slice *old = slices.tracks.items[t].slices, *new = memory_alloc_zero(slices.grid.most, sizeof *new);
        for (size_t i = 0; i < slices.grid.most; i++) {
            int64_t target = grid_target(&slices.grid, &before, i);
            if (target >= 0)
                add_slice(&new[target], &old[i]);
        }
        free(old);
        slices.tracks.items[t].slices = new;
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
        sum_add(&track->slices[i].time, sign * fmax(end - start, 0));
        sum_add(&track->slices[i].integral, fmax(end - start, 0) * part->number);
    }
}

/* ---- classes */

static slices_class *class_at(size_t number)
{
    return array_at(&slices.classes, number);
}

static slices_class *class_of_type(pajesim *sim, pajesim_ref type, size_t *number)
{
    *number = profile_class(sim, type, (pajesim_text){"", 0}, 1);
    slices_class *it = class_at(*number);
    it->type = type;
    it->type_class = *number;
    it->kind = pajesim_kind_of(sim, type);
    return it;
}

/* The lifetimes of containers count that can have states. */
int slices_new_type(pajesim *sim, const pajesim_type_info *type)
{
    size_t number;
    if (type->kind == PAJESIM_STATE && paje_shows_type(sim, type->ref))
        class_of_type(sim, type->parent, &number)->is_borne = 1;
    return PAJESIM_GO_ON;
}

/* The class of an entity; values that --value does not choose, and those beyond MOST_VALUES, have the class of their
 * type. */
static size_t class_of(pajesim *sim, const pajesim_entity *entity)
{
    size_t number = profile_class_of(sim, entity), type;
    if (class_at(number)->shown_as)
        return class_at(number)->shown_as - 1;
    size_t parent;
    class_of_type(sim, pajesim_parent(sim, entity->type), &parent);
    slices_class *whole = class_of_type(sim, entity->type, &type);
    int is_own = number == type || whole->values++ < MOST_VALUES;
    slices_class *it = class_at(number);
    it->kind = entity->kind;
    it->type = entity->type;
    it->container_class = parent;
    it->type_class = type;
    class_at(type)->container_class = parent;
    it->shown_as = (is_own ? number : type) + 1;
    it->has_color = palette_from_trace(&slices.palette, pajesim_color(sim, entity->value), entity->kind, &it->color);
    return it->shown_as - 1;
}

/* ---- the callback */

/* Links and events count if --type chooses them: they may be on containers that have nothing else. */
static int is_counted(const pajesim *sim, const pajesim_entity *entity)
{
    const paje_run *run = pajesim_data(sim);
    int is_default = entity->kind == PAJESIM_STATE || entity->kind == PAJESIM_VARIABLE;
    return (is_default || run->settings->filter.types.count > 0) && paje_shows(sim, entity);
}

static void add_container(pajesim *sim, const pajesim_entity *container)
{
    const paje_run *run = pajesim_data(sim);
    pajesim_entity it = *container;
    interval part;
    size_t number;
    if (!class_of_type(sim, container->type, &number)->is_borne || !paje_shows_container(sim, container->container))
        return;
    if (container->container == pajesim_root(sim))
        it.start = paje_in_seconds(run->settings, pajesim_count(sim)->first); /* not 0: where the trace begins */
    if (!interval_clip(&it, &slices.range, &part))
        return;
    reach(part.start);
    reach(part.end);
    add_part(track_of(chart_row_of(&slices.rows, sim, container->container), number), &part, 1);
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
        add_part(track_of(at_row, class_of(sim, entity)), &part, 1);
        if (entity->kind == PAJESIM_STATE && entity->imbrication > 0 &&
            pajesim_open_entity(sim, entity->container, entity->type, entity->imbrication - 1, &below))
            add_part(track_of(at_row, class_of(sim, &below)), &part, -1);
    }
    if (slices.tracks.count * slices.grid.most > MOST_SLICES && slices.rows.items.count > 1)
        chart_group_rows(&slices.rows, sim, slices.rows.items.count / 2);
    return PAJESIM_GO_ON;
}

/* ---- what was collected */

const slice *slices_find(uint32_t at_row, size_t number, size_t i)
{
    unsigned char key[sizeof at_row + sizeof number];
    size_t at = map_find(&known, key, track_key(key, at_row, number));
    return at == MAP_NONE ? NULL : &slices.tracks.items[at].slices[slices.first + i];
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

pajesim_text slices_value(size_t number)
{
    pajesim_text value = profile_class_value(number);
    int has_more = slices.classes.items[number].values > MOST_VALUES;
    return has_more && value.size == 0 ? text_of("(other values)") : value;
}

double slices_edge(size_t i)
{
    return grid_edge(&slices.grid, (int64_t)(slices.first + i));
}

typedef struct ranked {
    size_t class;
    int rank;
    double type_weight, weight;
    pajesim_ref type;
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

static int is_chosen(size_t number)
{
    return slices.classes.items[number].kind != PAJESIM_CONTAINER &&
           (!slices.value || paje_matches(slices.value, slices_value(number)));
}

void slices_finish(pajesim *sim, size_t most_rows)
{
    static const int ranks[] = {[PAJESIM_STATE] = 0, [PAJESIM_VARIABLE] = 1, [PAJESIM_LINK] = 2, [PAJESIM_EVENT] = 3,
                                [PAJESIM_CONTAINER] = 4};
    array_of(ranked) order = {0};
    (void)sim;
    chart_group_rows(&slices.rows, NULL, most_rows);
    chart_label_rows(&slices.rows);
    slices.first = grid_used(&slices.grid, &slices.count);
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
        if (has_track[i] && is_chosen(i)) {
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
