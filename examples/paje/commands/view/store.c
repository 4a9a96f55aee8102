/* The entities of a range of time: as they are, until there are too many, then in bins of time if they are short.  Open
 * entities are not kept, but taken from the simulation when they are drawn. */
#include "view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_BINS = 4096, BIN_VALUES = 8 };
static const double most_time = 1e150; /* products with it are finite */
static const double no_end = 1e200;    /* of entities without one */

void view_begin_store(view_store *store, view_tree *tree, int which, size_t most_pieces, size_t most_links)
{
    *store = (view_store){.which = which, .tree = tree, .most_pieces = most_pieces, .most_links = most_links};
    store->links = memory_alloc(most_links, sizeof *store->links);
    view_empty_store(store, -HUGE_VAL, HUGE_VAL);
}

void view_empty_store(view_store *store, double from, double to)
{
    view_tree *tree = store->tree;
    for (size_t i = 0; i < tree->nodes.count; i++) {
        tree->nodes.items[i].is_alive[store->which] = 0;
        tree->nodes.items[i].refs[store->which] = 0; /* so that the next line on it says that it is alive */
        for (view_band *band = tree->nodes.items[i].bands; band; band = band->next)
            while (band->lanes[store->which]) {
                timeline_lane *lane = band->lanes[store->which];
                band->lanes[store->which] = lane->next;
                lane_free(lane);
            }
    }
    store->from = from;
    store->to = to;
    store->first = HUGE_VAL;
    store->last = store->front = -HUGE_VAL;
    store->bin = 0;
    store->pieces = store->link_count = 0;
    store->links_left_out = store->links_seen = 0;
    store->link_stride = 1;
    store->next_fold = store->most_pieces;
}

static timeline_lane *lane_of(view_band *band, int which, uint32_t depth)
{
    timeline_lane **at = &band->lanes[which];
    while (*at && (*at)->depth < depth)
        at = &(*at)->next;
    if (!*at || (*at)->depth > depth)
        *at = lane_new(band->kind, band->type, depth, *at);
    return *at;
}

static lane_bins bins_of(const view_store *store)
{
    return (lane_bins){store->bin, -HUGE_VAL, HUGE_VAL, BIN_VALUES, store->most_pieces, 0};
}

static void add_piece(view_store *store, view_band *band, uint32_t depth, const lane_piece *piece)
{
    timeline_lane *lane = lane_of(band, store->which, depth);
    store->pieces -= lane->pieces.capacity;
    lane_bins bins = bins_of(store);
    lane_add(lane, piece, &bins, 0);
    store->pieces += lane->pieces.capacity;
}

/* ---- too many pieces */

/* Merges the depths of states: bins know innermost states only. */
static void flatten(view_store *store, view_band *band)
{
    for (timeline_lane **at = &band->lanes[store->which], *lane; (lane = *at) != NULL;) {
        if (lane->depth == LANE_NESTED) {
            at = &lane->next;
            continue;
        }
        if (lane->depth == 0)
            lane_join(lane_of(band, store->which, LANE_NESTED), lane);
        *at = lane->next;
        lane_free(lane);
    }
}

static void flatten_all(view_store *store)
{
    view_tree *tree = store->tree;
    for (size_t i = 0; i < tree->nodes.count; i++)
        for (view_band *band = tree->nodes.items[i].bands; band; band = band->next)
            if (band->kind == PAJESIM_STATE)
                flatten(store, band);
}

/* Returns 0 if the bins must be wider. */
static int fold_all(view_store *store)
{
    view_tree *tree = store->tree;
    lane_bins bins = bins_of(store);
    store->pieces = 0;
    for (size_t i = 0; i < tree->nodes.count; i++)
        for (view_band *band = tree->nodes.items[i].bands; band; band = band->next)
            for (timeline_lane *lane = band->lanes[store->which]; lane; lane = lane->next) {
                if (!lane_fold(lane, &bins, 0))
                    return 0;
                store->pieces += lane->pieces.capacity;
            }
    return store->pieces <= store->most_pieces / 2;
}

static void limit_pieces(view_store *store)
{
    if (store->pieces <= store->next_fold)
        return;
    double span = store->last - store->first;
    if (!(store->bin > 0)) {
        store->bin = lane_bin_width(store->first, store->last, FIRST_BINS, 0);
        flatten_all(store);
    }
    while (!fold_all(store) && store->bin < span)
        store->bin *= 2;
    store->next_fold = store->pieces + store->most_pieces / 2;
}

/* ---- adding entities */

static void add_link(view_store *store, pajesim *sim, const pajesim_entity *link)
{
    view_tree *tree = store->tree;
    uint32_t from = view_node_of(tree, sim, store->which, link->start_container);
    uint32_t to = view_node_of(tree, sim, store->which, link->end_container);
    if (from == VIEW_NO_NODE || to == VIEW_NO_NODE)
        return;
    if (store->links_seen++ % store->link_stride != 0) {
        store->links_left_out++;
        return;
    }
    if (store->link_count == store->most_links) { /* drop every other one, also of those that come */
        for (size_t i = 0; i < store->most_links / 2; i++)
            store->links[i] = store->links[2 * i];
        store->links_left_out += store->link_count - store->most_links / 2;
        store->link_count = store->most_links / 2;
        store->link_stride *= 2;
    }
    store->links[store->link_count++] =
        (view_link){link->start, link->end, view_type_of(tree, sim, store->which, link->type),
                    view_value_of(tree, sim, store->which, link), from, to};
}

static void add_state(view_store *store, pajesim *sim, const pajesim_entity *state, view_band *band,
                       lane_piece piece)
{
    view_tree *tree = store->tree;
    pajesim_entity outer;
    uint32_t depth = state->imbrication;
    band->depth = depth > band->depth ? depth : band->depth;
    int is_flat = store->bin > 0;
    if (depth < LANE_DEPTHS && !is_flat)
        add_piece(store, band, depth, &piece);
    if (depth > 0 || is_flat)
        add_piece(store, band, LANE_NESTED, &piece);
    if (depth == 0)
        return;
    if (pajesim_open_entity(sim, state->container, state->type, depth - 1, &outer)) {
        piece.value = view_value_of(tree, sim, store->which, &outer);
        piece.time = -piece.time;
        piece.count = 0;
        add_piece(store, band, LANE_NESTED, &piece);
    }
}

void view_note_number(view_tree *tree, const view_band *band, double number)
{
    view_type *type = &tree->types.items[band->type];
    if (!(fabs(number) < most_time))
        return;
    type->least = fmin(type->least, number);
    type->most = fmax(type->most, number);
}

static void add_variable(view_store *store, const pajesim_entity *segment, view_band *band, lane_piece piece)
{
    piece.least = piece.most = segment->number;
    piece.sum = segment->number * piece.time;
    view_note_number(store->tree, band, segment->number);
    add_piece(store, band, 0, &piece);
}

void view_store_add(view_store *store, pajesim *sim, const pajesim_entity *entity)
{
    view_tree *tree = store->tree;
    int which = store->which;
    uint32_t node = view_node_of(tree, sim, which, entity->container);
    if (node == VIEW_NO_NODE)
        return;
    double end = entity->open ? no_end : entity->end;
    if (!(fabs(entity->start) < most_time && (entity->open || fabs(end) < most_time)))
        return;
    if (entity->kind == PAJESIM_CONTAINER && !entity->open) {
        tree->nodes.items[node].is_alive[which] = 0;
        tree->nodes.items[node].end = end;
    }
    if (entity->kind == PAJESIM_CONTAINER || end < store->from || entity->start > store->to)
        return;
    if (entity->kind == PAJESIM_VARIABLE && !(fabs(entity->number) < most_time))
        return;
    store->first = fmin(store->first, entity->start);
    store->last = fmax(store->last, entity->open ? entity->start : end);
    if (entity->kind == PAJESIM_LINK) {
        add_link(store, sim, entity);
        return;
    }
    lane_piece piece = {.start = entity->start, .end = fmax(entity->start, end), .count = 1, .exact = 1};
    uint32_t type = view_type_of(tree, sim, which, entity->type);
    view_band *band = view_band_of(tree, node, entity->kind, entity->kind == PAJESIM_EVENT ? 0 : type);
    piece.time = piece.end - piece.start;
    if (entity->kind == PAJESIM_VARIABLE) {
        add_variable(store, entity, band, piece);
    } else {
        piece.value = view_value_of(tree, sim, which, entity);
        if (entity->kind == PAJESIM_STATE)
            add_state(store, sim, entity, band, piece);
        else
            add_piece(store, band, 0, &piece);
    }
    limit_pieces(store);
}

/* ---- open entities */

int view_open_piece(const view_store *store, uint32_t node, const view_band *band, uint32_t depth, lane_piece *piece)
{
    view_tree *tree = store->tree;
    pajesim_entity entity;
    const view_node *it = &tree->nodes.items[node];
    pajesim_ref type = tree->types.items[band->type].refs[store->which];
    if (!store->sim || !it->is_alive[store->which] || !type || band->kind == PAJESIM_EVENT ||
        !pajesim_open_entity(store->sim, it->refs[store->which], type, depth, &entity))
        return 0;
    *piece = (lane_piece){.start = entity.start, .end = fmax(entity.start, store->front), .count = 1, .exact = 1};
    piece->time = piece->end - piece->start;
    if (band->kind == PAJESIM_VARIABLE) {
        piece->least = piece->most = entity.number;
        piece->sum = entity.number * piece->time;
    } else {
        /* This changes nothing but the words of values and types. */
        piece->value = view_value_of(tree, (pajesim *)(uintptr_t)store->sim, store->which, &entity);
    }
    return 1;
}

uint32_t view_open_depth(const view_store *store, uint32_t node, const view_band *band)
{
    view_tree *tree = store->tree;
    const view_node *it = &tree->nodes.items[node];
    pajesim_ref type = tree->types.items[band->type].refs[store->which];
    if (!store->sim || !it->is_alive[store->which] || !type || band->kind == PAJESIM_EVENT)
        return 0;
    return pajesim_depth(store->sim, it->refs[store->which], type);
}

lane_piece view_as_drawn(const view_store *store, const lane_piece *piece)
{
    lane_piece seen = *piece;
    if (piece->end >= no_end) {
        seen.end = fmax(piece->start, store->front);
        seen.time = piece->time < 0 ? seen.start - seen.end : seen.end - seen.start;
        seen.sum = seen.time * seen.most;
    }
    return seen;
}

/* ---- columns */

typedef struct columns {
    double start, width;
    int count;
    view_column *columns;
} columns;

/* The places of shares behind the first few of their columns. */
static hash_map share_keys; /* keys: a column and a value */
static array_of(size_t) share_places;

static view_share *share_of(view_column *column, uint32_t value)
{
    enum { FEW = 16 };
    size_t count = column->shares.count;
    for (size_t i = 0; i < count && i < FEW; i++)
        if (column->shares.items[i].value == value)
            return &column->shares.items[i];
    if (count >= FEW) {
        const uint64_t key[] = {(uintptr_t)column, value};
        size_t known = share_keys.used, *place = array_at(&share_places, map_add(&share_keys, key, sizeof key));
        if (share_keys.used == known)
            return &column->shares.items[*place];
        *place = count;
    }
    view_share *new = array_push(&column->shares);
    new->value = value;
    return new;
}

void view_free_columns(view_column *out, int count)
{
    for (int i = 0; i < count; i++)
        array_free(&out[i].shares);
    if (share_keys.used > 0)
        map_clear(&share_keys);
}

static void add_part(const columns *to, view_column *column, pajesim_kind kind, const lane_piece *piece,
                     double share)
{
    double time = piece->time * share;
    if (kind == PAJESIM_EVENT)
        share_of(column, piece->value)->time += (double)piece->count;
    if (kind == PAJESIM_STATE) /* a state that takes no time is drawn if there is no other one */
        share_of(column, piece->value)->time += piece->end > piece->start ? time : 1e-6 * to->width;
    if (kind == PAJESIM_VARIABLE) {
        int is_first = column->segments++ == 0;
        column->time += time;
        column->sum += piece->sum * share;
        column->least = is_first ? piece->least : fmin(column->least, piece->least);
        column->most = is_first ? piece->most : fmax(column->most, piece->most);
    }
}

static void add_to_columns(const columns *to, pajesim_kind kind, const lane_piece *piece)
{
    double length = piece->end - piece->start, first = (piece->start - to->start) / to->width;
    double last = (piece->end - to->start) / to->width;
    if (!(last >= 0 && first <= view_last_column(to->count)) || (!(last > 0 && first < to->count) && length > 0))
        return;
    int begin = first > 0 ? (int)fmin(first, to->count - 1) : 0, end = last < to->count ? (int)ceil(last) : to->count;
    if (kind == PAJESIM_EVENT || end <= begin)
        end = begin + 1;
    if (first >= 0)
        to->columns[begin].count += piece->count;
    for (int i = begin; i < end && i < to->count; i++) {
        double from = fmax(piece->start, to->start + i * to->width);
        double until = fmin(piece->end, to->start + (i + 1) * to->width);
        add_part(to, &to->columns[i], kind, piece, length > 0 ? fmax(0, until - from) / length : 1);
    }
}

void view_add_columns(const view_store *store, uint32_t node, const view_band *band, int depth, double start,
                      double width, int count, view_column *out)
{
    columns to = {start, width, count, out};
    lane_piece piece, outer;
    for (const timeline_lane *lane = band->lanes[store->which]; lane; lane = lane->next) {
        int wanted = depth == VIEW_INNERMOST ? lane->depth == 0 || lane->depth == LANE_NESTED
                                             : lane->depth == (uint32_t)depth;
        for (size_t i = 0; i < lane->pieces.count && wanted; i++) {
            piece = view_as_drawn(store, &lane->pieces.items[i]);
            add_to_columns(&to, band->kind, &piece);
        }
    }
    uint32_t open = view_open_depth(store, node, band);
    for (uint32_t i = 0; i < open; i++) {
        if ((depth != VIEW_INNERMOST && i != (uint32_t)depth) || !view_open_piece(store, node, band, i, &piece))
            continue;
        add_to_columns(&to, band->kind, &piece);
        if (depth == VIEW_INNERMOST && i > 0 && view_open_piece(store, node, band, i - 1, &outer)) {
            piece.value = outer.value;
            piece.time = -piece.time;
            piece.count = 0;
            add_to_columns(&to, band->kind, &piece);
        }
    }
}

size_t view_main_value(const view_column *column)
{
    size_t best = MAP_NONE;
    double most = 0;
    for (size_t i = 0; i < column->shares.count; i++) {
        const view_share *share = &column->shares.items[i];
        int is_better = share->time > most && share->value != OTHER_VALUES;
        if (is_better || (share->time > 0 && best == MAP_NONE)) {
            most = share->value != OTHER_VALUES ? share->time : 0;
            best = share->value;
        }
    }
    return best;
}

/* ---- single entities */

static view_span span_of(const view_store *store, const lane_piece *piece, int is_open)
{
    lane_piece seen = view_as_drawn(store, piece);
    return (view_span){.start = seen.start, .end = seen.end, .value = seen.value,
                       .is_open = is_open || piece->end >= no_end, .is_exact = seen.exact,
                       .number = seen.time > 0 && !seen.exact ? seen.sum / seen.time : seen.most};
}

int view_span_at(const view_store *store, uint32_t node, const view_band *band, uint32_t depth, double time,
                 view_span *span)
{
    const lane_piece *best = NULL;
    lane_piece open;
    for (const timeline_lane *lane = band->lanes[store->which]; lane; lane = lane->next)
        for (size_t i = 0; i < lane->pieces.count && lane->depth == depth; i++) {
            const lane_piece *piece = &lane->pieces.items[i];
            int covers = piece->start <= time && (time < piece->end || !(piece->end > piece->start));
            if (covers && (piece->end > piece->start || piece->start >= time) && (!best || piece->time > best->time))
                best = piece;
        }
    if (best)
        *span = span_of(store, best, 0);
    else if (view_open_piece(store, node, band, depth, &open) && open.start <= time && time <= open.end)
        *span = span_of(store, &open, 1);
    else
        return 0;
    return 1;
}

/* A search for the nearest span, and the best one so far. */
typedef struct span_search {
    const char *values;
    int back, within, found;
    double time;
    view_span *best;
} span_search;

static void consider(span_search *it, const view_store *store, const lane_piece *piece, int is_open)
{
    /* One value of a bin, or any of those that have no place of their own, which the trace tells. */
    int is_unknown = it->values && piece->value == OTHER_VALUES && (!piece->exact || it->within);
    int is_bin = (!piece->exact || is_unknown) && it->within;
    double at = piece->start;
    if (piece->count == 0 || (it->values && !it->values[piece->value] && !is_unknown))
        return;
    if (is_bin && it->back) /* behind its start in any case, as matches start before that */
        at = fmin(fmax(piece->end, nextafter(piece->start, HUGE_VAL)), it->time);
    if (is_bin && !it->back)
        at = fmax(piece->start, it->time);
    int is_there = it->back ? piece->start < it->time : is_bin ? piece->end > it->time : at > it->time;
    if (!is_there || (it->found && (it->back ? at <= it->best->at : at >= it->best->at)))
        return;
    *it->best = span_of(store, piece, is_open);
    it->best->is_exact = it->best->is_exact && !is_unknown;
    it->best->at = at;
    it->found = 1;
}

int view_span_beside(const view_store *store, uint32_t node, const view_band *band, const char *values, int back,
                     int within, double time, view_span *span)
{
    span_search it = {.values = values, .back = back, .within = within, .time = time, .best = span};
    lane_piece open;
    for (const timeline_lane *lane = band->lanes[store->which]; lane; lane = lane->next)
        for (size_t i = 0; i < lane->pieces.count; i++)
            consider(&it, store, &lane->pieces.items[i], 0);
    uint32_t depth = view_open_depth(store, node, band);
    for (uint32_t i = 0; i < depth; i++)
        if (view_open_piece(store, node, band, i, &open))
            consider(&it, store, &open, 1);
    return it.found;
}
