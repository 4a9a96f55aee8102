/* What is drawn of a row: pieces that are wider than a column as they are, narrower ones as what they come to in each
 * column.  Sums of colours, weighted with time, make the corrections of nested states (see lane.h) cancel out. */
#include "reader/web.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What a column has of the pieces that are narrower, or of bins. */
typedef struct column {
    double time, red, green, blue;
    double least, most, sum; /* of variables */
    uint32_t value, count;
} column;

static column *sums;
static uint32_t sum_count, first_used, end_used;

static void begin_sums(uint32_t columns)
{
    if (columns > sum_count) {
        sums = memory_resize(sums, columns, sizeof *sums);
        memset(sums, 0, columns * sizeof *sums);
        sum_count = columns;
    }
    first_used = UINT32_MAX;
    end_used = 0;
}

/* ---- colours */

/* From blue (short) by green to red (long), by the logarithm of the duration. */
static uint32_t color_of_duration(double share)
{
    static const uint32_t scale[] = {0x3b4cc0, 0x4e8fd0, 0x57b8a5, 0xa8c957, 0xf0b441, 0xe8743b, 0xb40426};
    enum { LAST = sizeof scale / sizeof *scale - 1 };
    double place = fmin(fmax(share, 0), 1) * LAST;
    int step = place >= LAST ? LAST - 1 : (int)place;
    uint32_t color = 0;
    for (int shift = 16; shift >= 0; shift -= 8) {
        double low = scale[step] >> shift & 0xff, high = scale[step + 1] >> shift & 0xff;
        color |= (uint32_t)(low + (high - low) * (place - step) + 0.5) << shift;
    }
    return color;
}

static uint32_t fade(uint32_t color, uint32_t paper)
{
    uint32_t faded = 0;
    for (int shift = 16; shift >= 0; shift -= 8)
        faded |= ((color >> shift & 0xff) + 5 * (paper >> shift & 0xff)) / 6 << shift;
    return faded;
}

/* Gives the values of a type colours of their own if the trace gives several of them the same one. */
void web_color_values(void)
{
    static size_t known;
    static color_palette palette;
    view_tree *tree = web_input.tree;
    if (known == tree->values.count)
        return;
    for (uint32_t type = 0; type < tree->types.count; type++) {
        uint32_t first = UINT32_MAX, count = 0, differ = 0;
        for (size_t i = 1; i < tree->values.count; i++) {
            const view_value *value = &tree->values.items[i];
            if (value->type != type)
                continue;
            differ |= count++ > 0 && value->color != first;
            first = value->color;
        }
        for (size_t i = 1; i < tree->values.count && count > 1 && !differ; i++)
            if (tree->values.items[i].type == type)
                tree->values.items[i].color = palette_for_name(&palette, tree->values.items[i].name);
    }
    known = tree->values.count;
}

uint32_t web_color_of(const web_view *view, uint32_t value, double duration)
{
    const view_tree *tree = web_input.tree;
    static const double decades = 7;
    uint32_t color = tree->values.items[value].color;
    if (view->colors == WEB_BY_TYPE) {
        static color_palette types; /* gives each name its colour */
        static array_of(uint32_t) known;
        uint32_t type = tree->values.items[value].type;
        while (known.count <= type)
            *array_push(&known) = palette_for_name(&types, tree->types.items[known.count - 1].name);
        color = known.items[type];
    } else if (view->colors == WEB_BY_DURATION) {
        color = color_of_duration(1 + log10(fmax(duration, 1e-300) / view->longest) / decades);
    }
    return view->marked && !view->marked[value] ? fade(color, view->paper) : color;
}

/* ---- sums */

static void add_color(column *to, uint32_t color, double time)
{
    to->time += time;
    to->red += time * (color >> 16);
    to->green += time * (color >> 8 & 0xff);
    to->blue += time * (color & 0xff);
}

static void add_share(const web_view *view, column *to, pajesim_kind kind, const lane_piece *piece, uint32_t color,
                      double share)
{
    if (kind == PAJESIM_VARIABLE) {
        int is_first = to->count++ == 0;
        to->least = is_first ? piece->least : fmin(to->least, piece->least);
        to->most = is_first ? piece->most : fmax(to->most, piece->most);
        to->time += piece->time * share;
        to->sum += piece->sum * share;
        return;
    }
    /* A state that takes no time is drawn if there is no other one. */
    double time = kind == PAJESIM_EVENT          ? piece->count
                  : piece->end > piece->start ? piece->time * share
                                              : 1e-6 * view->width;
    to->value = to->count == 0 || to->value == piece->value ? piece->value : WEB_MIXED;
    to->count += kind == PAJESIM_EVENT ? piece->count : 1;
    add_color(to, color, time);
}

/* Adds a piece to each column that it covers. */
static void add_sums(const web_view *view, pajesim_kind kind, const lane_piece *piece)
{
    double length = piece->end - piece->start;
    double first = (piece->start - view->from) / view->width, last = (piece->end - view->from) / view->width;
    if (!(last >= 0 && first < view->columns) || (!(last > 0) && length > 0))
        return;
    uint32_t color = kind == PAJESIM_VARIABLE ? 0 : web_color_of(view, piece->value, fabs(piece->time) /
                                                                 (piece->count ? piece->count : 1));
    uint32_t begin = first > 0 ? (uint32_t)first : 0;
    uint32_t end = last < view->columns ? (uint32_t)ceil(last) : view->columns;
    if (kind == PAJESIM_EVENT || end <= begin)
        end = begin + 1;
    for (uint32_t i = begin; i < end; i++) {
        double from = fmax(piece->start, view->from + i * view->width);
        double until = fmin(piece->end, view->from + (i + 1) * view->width);
        add_share(view, &sums[i], kind, piece, color, length > 0 ? fmax(0, until - from) / length : 1);
    }
    first_used = begin < first_used ? begin : first_used;
    end_used = end > end_used ? end : end_used;
}

/* ---- items */

static const double far = 1e6; /* columns: a float still tells these apart there */
static web_words far_items;    /* those that reach farther: place in the picture, start and end (double) */

static void put(web_words *to, double begin, double end, uint32_t third, uint32_t fourth, uint32_t fifth)
{
    float places[] = {(float)fmax(begin, -far), (float)fmin(end, far)};
    array_reserve(to, WEB_ITEM);
    memcpy(to->items + to->count, places, sizeof places);
    to->items[to->count + 2] = third;
    to->items[to->count + 3] = fourth;
    to->items[to->count + 4] = fifth;
    to->count += WEB_ITEM;
}

/* Notes the times of the item that comes next. */
static void note_far(const web_words *to, const lane_piece *piece)
{
    const double times[] = {piece->start, piece->end};
    *array_push(&far_items) = (uint32_t)to->count;
    array_reserve(&far_items, 4);
    memcpy(far_items.items + far_items.count, times, sizeof times);
    far_items.count += 4;
}

void web_add_far_items(web_words *to)
{
    *array_push(to) = (uint32_t)(far_items.count / WEB_FAR);
    for (size_t i = 0; i < far_items.count; i++)
        *array_push(to) = far_items.items[i];
    array_clear(&far_items);
}

static uint32_t float_bits(double number)
{
    float narrow = (float)number;
    uint32_t bits;
    memcpy(&bits, &narrow, sizeof bits);
    return bits;
}

static uint32_t part_of_color(double sum, double time)
{
    return (uint32_t)fmin(fmax(sum / time + 0.5, 0), 255);
}

/* Appends what the columns have; equal neighbours are one item.  `whole`: the time of a full column. */
static void put_sums(web_words *to, pajesim_kind kind, uint32_t depth, double whole)
{
    size_t before = SIZE_MAX; /* the item of the column before */
    for (uint32_t i = first_used; i < end_used; i++) {
        column it = sums[i];
        memset(&sums[i], 0, sizeof sums[i]);
        if (it.count == 0 || !(it.time > 0 || kind == PAJESIM_VARIABLE)) {
            before = SIZE_MAX;
            continue;
        }
        if (kind == PAJESIM_VARIABLE) {
            put(to, i, i + 1, float_bits(it.least), float_bits(it.most),
                float_bits(it.time > 0 ? it.sum / it.time : (it.least + it.most) / 2));
            continue;
        }
        double share = kind == PAJESIM_EVENT ? 1 : fmin(1, it.time / whole);
        uint32_t alpha = (uint32_t)fmax(64, 255 * share + 0.5);
        uint32_t color = part_of_color(it.red, it.time) << 16 | part_of_color(it.green, it.time) << 8 |
                         part_of_color(it.blue, it.time) | alpha << 24;
        uint32_t *last = before < SIZE_MAX ? to->items + before : NULL;
        if (last && last[2] == color && last[3] == it.value && kind != PAJESIM_EVENT) {
            last[1] = float_bits(i + 1);
            continue;
        }
        before = to->count;
        put(to, i, i + 1, color, it.value, kind == PAJESIM_EVENT ? it.count : depth | WEB_SUM);
    }
    first_used = UINT32_MAX;
    end_used = 0;
}

/* Whether a piece is drawn as it is. */
static int is_wide(const web_view *view, const lane_piece *piece)
{
    return piece->exact && piece->time >= 0 && piece->end - piece->start > view->width;
}

static void add_piece(const web_view *view, pajesim_kind kind, uint32_t depth, const lane_piece *piece, web_words *to)
{
    if (!is_wide(view, piece)) {
        add_sums(view, kind, piece);
        return;
    }
    double begin = (piece->start - view->from) / view->width, end = (piece->end - view->from) / view->width;
    if (!(end >= 0 && begin <= view->columns))
        return;
    if (begin < -far || end > far)
        note_far(to, piece);
    if (kind == PAJESIM_VARIABLE)
        put(to, begin, end, float_bits(piece->least), float_bits(piece->most), float_bits(piece->most));
    else
        put(to, begin, end, web_color_of(view, piece->value, piece->time) | 0xff000000, piece->value, depth);
}

/* One lane, of states of a depth, a variable or events. */
static void add_lane(const web_view *view, uint32_t node, const view_band *band, const timeline_lane *lane,
                     uint32_t depth, web_words *to)
{
    lane_piece piece;
    for (size_t i = 0; lane && i < lane->pieces.count; i++) {
        piece = view_as_drawn(view->store, &lane->pieces.items[i]);
        if (piece.end >= view->from && piece.start <= view->to)
            add_piece(view, band->kind, depth, &piece, to);
    }
    if (view_open_piece(view->store, node, band, depth, &piece))
        add_piece(view, band->kind, depth, &piece, to);
    put_sums(to, band->kind, depth, view->width);
}

/* Adds the innermost states of a band to the sums. */
static void add_innermost(const web_view *view, uint32_t node, const view_band *band)
{
    lane_piece piece, outer;
    for (const timeline_lane *lane = band->lanes[view->store->which]; lane; lane = lane->next)
        for (size_t i = 0; i < lane->pieces.count && (lane->depth == 0 || lane->depth == LANE_NESTED); i++) {
            piece = view_as_drawn(view->store, &lane->pieces.items[i]);
            add_sums(view, band->kind, &piece);
        }
    uint32_t open = view_open_depth(view->store, node, band);
    for (uint32_t i = 0; i < open; i++) {
        if (!view_open_piece(view->store, node, band, i, &piece))
            continue;
        add_sums(view, band->kind, &piece);
        if (i > 0 && view_open_piece(view->store, node, band, i - 1, &outer)) {
            piece.value = outer.value;
            piece.time = -piece.time;
            piece.count = 0;
            add_sums(view, band->kind, &piece);
        }
    }
}

static const timeline_lane *lane_at(const view_band *band, int which, uint32_t depth)
{
    const timeline_lane *lane = band->lanes[which];
    while (lane && lane->depth != depth)
        lane = lane->next;
    return lane;
}

/* Whether only sums are known of nested states: see store.c. */
static int is_summed_up(const web_view *view, const view_band *band)
{
    return view->store->bin > 0 && lane_at(band, view->store->which, LANE_NESTED) != NULL && band->depth > 0;
}

static void add_states(const web_view *view, uint32_t node, const view_band *band, int is_flat, web_words *to,
                       uint32_t *header)
{
    int which = view->store->which;
    if (band->depth == 0 && view->store->bin > 0) { /* what is not in bins is still one entity each */
        lane_piece piece;
        for (const timeline_lane *lane = band->lanes[which]; lane; lane = lane->next)
            for (size_t i = 0; i < lane->pieces.count; i++) {
                piece = view_as_drawn(view->store, &lane->pieces.items[i]);
                if (piece.end >= view->from && piece.start <= view->to)
                    add_piece(view, band->kind, 0, &piece, to);
            }
        if (view_open_piece(view->store, node, band, 0, &piece))
            add_piece(view, band->kind, 0, &piece, to);
        put_sums(to, PAJESIM_STATE, 0, view->width);
    } else if (is_summed_up(view, band)) {
        add_innermost(view, node, band);
        put_sums(to, PAJESIM_STATE, 0, view->width);
        header[3] = 1;
    } else {
        uint32_t depths = band->depth < LANE_DEPTHS ? band->depth + 1 : LANE_DEPTHS;
        for (uint32_t depth = 0; depth < depths; depth++)
            add_lane(view, node, band, lane_at(band, which, depth), depth, to);
        header[2] = is_flat ? 1 : depths;
    }
}

/* All states of the containers below a node. */
static void add_below(const web_view *view, uint32_t root, web_words *to)
{
    const view_tree *tree = web_input.tree;
    uint32_t node = root, bands = 0;
    do {
        for (const view_band *band = tree->nodes.items[node].bands; band; band = band->next)
            if (band->kind == PAJESIM_STATE) {
                add_innermost(view, node, band);
                bands++;
            }
        if (tree->nodes.items[node].first) {
            node = tree->nodes.items[node].first;
            continue;
        }
        while (node != root && !tree->nodes.items[node].next)
            node = tree->nodes.items[node].parent;
        node = node == root ? root : tree->nodes.items[node].next;
    } while (node != root);
    put_sums(to, PAJESIM_STATE, 0, view->width * (bands ? bands : 1));
}

void web_add_row(const web_view *view, uint32_t mode, uint32_t place, web_words *to)
{
    view_tree *tree = web_input.tree;
    uint32_t header[WEB_HEADER] = {0, PAJESIM_STATE, 1, 0};
    size_t begin = to->count;
    for (int i = 0; i < WEB_HEADER; i++)
        *array_push(to) = 0;
    begin_sums(view->columns);
    if (mode == WEB_BELOW && place < tree->nodes.count) {
        header[3] = 1;
        add_below(view, place, to);
    } else if (mode != WEB_BELOW && place < tree->bands.count) {
        const view_band *band = tree->bands.items[place];
        uint32_t node = web_band_node(tree, place);
        header[1] = band->kind;
        if (band->kind == PAJESIM_STATE)
            add_states(view, node, band, mode == WEB_FLAT, to, header);
        else
            add_lane(view, node, band, lane_at(band, view->store->which, 0), 0, to);
    }
    header[0] = (uint32_t)((to->count - begin - WEB_HEADER) / WEB_ITEM);
    memcpy(to->items + begin, header, sizeof header);
}
