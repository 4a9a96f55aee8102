/* A treemap: each container is as large as a variable of it, or as the time that it spends in states of a type, which
 * have their shares of its area.  Siblings are laid out by the squarified algorithm of Bruls, Huizing and van Wijk
 * (2000). */
#include "platform.h"
#include "base/encode.h"
#include "base/unit.h"

#include <math.h>

enum { NAME_LINE = 12, PAD = 2, LEAST_SIDE = 8 };

typedef struct area {
    double x, y, width, height;
} area;

/* What of a node is laid out: a child with all below it, or what is of the node itself. */
typedef struct cell {
    uint32_t node;
    int is_own;
    double weight;
    area at;
} cell;

typedef struct treemap {
    platform_picture *picture;
    pajesim_text name; /* of the variable or the type of states: there may be several of this name */
    pajesim_kind kind;
    double *own, *all; /* of each node; all: with those below */
    double *times;     /* of each value, while a cell is drawn */
    double *sums;      /* of each value, in all of the picture */
} treemap;

/* ---- weights */

static int is_of_map(const treemap *map, const timeline_lane *lane)
{
    return lane->kind == map->kind && text_is_equal(type_at(&map->picture->svg.tl, lane->type)->name, map->name);
}

/* Adds the time of innermost states, of each value, to `times`.  Returns their sum. */
static double add_times(const treemap *map, const timeline_node *node, double *times)
{
    const timeline *tl = &map->picture->svg.tl;
    double sum = 0;
    for (const timeline_lane *lane = node->lanes; lane; lane = lane->next) {
        if (!is_of_map(map, lane) || (lane->depth != 0 && lane->depth != LANE_NESTED))
            continue;
        for (size_t i = 0; i < lane->pieces.count; i++) {
            const lane_piece *piece = &lane->pieces.items[i];
            double length = timeline_length(tl, piece);
            double inner = fmin(piece->end, tl->last) - fmax(piece->start, tl->first);
            if (!(inner > 0 && length > 0))
                continue;
            times[piece->value] += piece->time * inner / length;
            sum += piece->time * inner / length;
        }
    }
    return sum;
}

/* Adds that of a node and all below it, as add_times() does.  The recursion is at most TIMELINE_LEVELS deep. */
static double add_all_times(const treemap *map, uint32_t node, double *times)
{
    const timeline *tl = &map->picture->svg.tl;
    double sum = add_times(map, node_at(tl, node), times);
    for (uint32_t child = node_at(tl, node)->first; child; child = node_at(tl, child)->next)
        sum += add_all_times(map, child, times);
    return sum;
}

static void find_weights(treemap *map)
{
    const timeline *tl = &map->picture->svg.tl;
    for (uint32_t i = 0; i < tl->nodes.count; i++) {
        const timeline_node *node = node_at(tl, i);
        if (node->merged_into != i)
            continue;
        double own = map->kind == PAJESIM_STATE ? add_times(map, node, map->sums) : 0;
        for (const timeline_lane *lane = node->lanes; lane && map->kind == PAJESIM_VARIABLE; lane = lane->next)
            own += is_of_map(map, lane) ? fmax(platform_mean(tl, node, lane->type), 0) : 0;
        map->own[i] = fmax(own, 0);
    }
    for (uint32_t i = 0; i < tl->nodes.count; i++)
        for (uint32_t at = i; node_at(tl, i)->merged_into == i; at = node_at(tl, at)->parent) {
            map->all[at] += map->own[i];
            if (at == 0)
                break;
        }
}

/* ---- layout */

static int compare_cells(const void *left, const void *right)
{
    const cell *a = left, *b = right;
    if (a->weight < b->weight || a->weight > b->weight)
        return a->weight > b->weight ? -1 : 1;
    return (a->node > b->node) - (a->node < b->node);
}

/* The worst ratio of sides in a row of areas of this sum, least and most, along a side. */
static double worst(double sum, double least, double most, double side)
{
    double square = sum * sum, length = side * side;
    return fmax(length * most / square, square / (length * least));
}

/* Lays out cells, heaviest first, in rows along the shorter side of what is left. */
static void squarify(cell *cells, size_t count, area room)
{
    double weight = 0;
    for (size_t i = 0; i < count; i++)
        weight += cells[i].weight;
    double scale = room.width * room.height / fmax(weight, 1e-300);
    for (size_t first = 0; first < count;) {
        double side = fmin(room.width, room.height), sum = 0;
        size_t end = first;
        for (; end < count; end++) {
            double own = cells[end].weight * scale;
            if (end > first && worst(sum + own, own, cells[first].weight * scale, side) >
                                   worst(sum, cells[end - 1].weight * scale, cells[first].weight * scale, side))
                break;
            sum += own;
        }
        double thick = side > 0 ? sum / side : 0, at = 0;
        int is_lying = room.width < room.height; /* the row lies along the top */
        for (; first < end; first++) {
            double length = thick > 0 ? cells[first].weight * scale / thick : 0;
            cells[first].at = is_lying ? (area){room.x + at, room.y, length, thick}
                                       : (area){room.x, room.y + at, thick, length};
            at += length;
        }
        if (is_lying) {
            room.y += thick;
            room.height = fmax(room.height - thick, 0);
        } else {
            room.x += thick;
            room.width = fmax(room.width - thick, 0);
        }
    }
}

/* ---- drawing */

static void put_weight(text_buffer *text, const treemap *map, double weight)
{
    const timeline *tl = &map->picture->svg.tl;
    if (map->kind == PAJESIM_STATE)
        text_put_duration(text, weight * tl->seconds, 4);
    else
        text_put_short(text, weight);
}

static void add_title(const treemap *map, uint32_t node, double weight)
{
    text_buffer text = {0};
    timeline_put_name(&text, &map->picture->svg.tl, node);
    text_puts(&text, ": ");
    put_weight(&text, map, weight);
    text_puts(map->picture->svg.out, "<title>");
    text_put_xml(map->picture->svg.out, text_view(&text));
    text_puts(map->picture->svg.out, "</title>");
    text_free(&text);
}

static void draw_box(svg_picture *svg, area at, uint32_t color, const char *attributes)
{
    svg_add(svg, "<rect x=\"~\" y=\"~\" width=\"~\" height=\"~\"", at.x, at.y, at.width, at.height);
    svg_add_color(svg, "fill", color);
    text_puts(svg->out, attributes);
}

static void draw_name(svg_picture *svg, area at, uint32_t node, const char *attributes)
{
    text_buffer name = {0};
    timeline_put_name(&name, &svg->tl, node);
    if (at.height >= NAME_LINE && at.width >= fmin(36, svg_text_width(text_view(&name), SVG_TINY) + 4)) {
        svg_add(svg, "<text x=\"~\" y=\"~\" font-size=\"~\"", at.x + 3, at.y + SVG_TINY + 0.5, (double)SVG_TINY);
        text_puts(svg->out, attributes);
        text_putc(svg->out, '>');
        svg_add_text_within(svg, text_view(&name), SVG_TINY, at.width - 5, 1);
        text_puts(svg->out, "</text>\n");
    }
    text_free(&name);
}

/* Draws a container of its own, or one that stands for all in it: the states as strips, or one colour. */
static void draw_leaf(treemap *map, const cell *it)
{
    svg_picture *svg = &map->picture->svg;
    const timeline *tl = &svg->tl;
    const timeline_node *node = node_at(tl, it->node);
    text_puts(svg->out, "<g>");
    add_title(map, it->node, it->weight);
    if (map->kind == PAJESIM_STATE) {
        memset(map->times, 0, tl->values.count * sizeof *map->times);
        double y = it->at.y + it->at.height;
        double sum = it->is_own ? add_times(map, node, map->times) : add_all_times(map, it->node, map->times);
        for (uint32_t value = 0; value < tl->values.count; value++) {
            double height = fmax(map->times[value], 0) / fmax(sum, 1e-300) * it->at.height;
            if (!(height > 0.01))
                continue;
            y -= height;
            draw_box(svg, (area){it->at.x, y, it->at.width, height}, value_at(tl, value)->color, "/>");
        }
        draw_box(svg, it->at, 0xffffff, " fill-opacity=\"0\" stroke=\"#fff\"/>");
    } else {
        draw_box(svg, it->at, map->picture->colors[node->type], " fill-opacity=\".75\" stroke=\"#fff\"/>");
    }
    draw_name(svg, it->at, it->node, " stroke=\"#fff\" stroke-width=\"2\" paint-order=\"stroke\"");
    text_puts(svg->out, "</g>");
    text_putc(svg->out, '\n');
}

/* Draws a container with those below it.  The recursion is at most TIMELINE_LEVELS deep. */
static void draw_cell(treemap *map, const cell *it)
{
    svg_picture *svg = &map->picture->svg;
    const timeline *tl = &svg->tl;
    array_of(cell) cells = {0};
    area room = it->at;
    for (uint32_t child = node_at(tl, it->node)->first; child; child = node_at(tl, child)->next)
        if (map->all[child] > 0)
            *array_push(&cells) = (cell){.node = child, .weight = map->all[child]};
    if (it->is_own || cells.count == 0 || node_at(tl, it->node)->level >= map->picture->depth ||
        fmin(room.width, room.height) < LEAST_SIDE) {
        draw_leaf(map, it);
        array_free(&cells);
        return;
    }
    if (map->own[it->node] > 0)
        *array_push(&cells) = (cell){.node = it->node, .is_own = 1, .weight = map->own[it->node]};
    if (it->node != map->picture->top && !node_at(tl, it->node)->is_prefix) {
        text_puts(svg->out, "<g>");
        add_title(map, it->node, it->weight);
        draw_box(svg, room, 0xeceef1, " stroke=\"#999\"/>");
        draw_name(svg, room, it->node, " font-weight=\"bold\"");
        text_puts(svg->out, "</g>\n");
        double name = room.height >= 3 * NAME_LINE ? NAME_LINE : PAD;
        room = (area){room.x + PAD, room.y + name, fmax(room.width - 2 * PAD, 1), fmax(room.height - name - PAD, 1)};
    }
    qsort(cells.items, cells.count, sizeof *cells.items, compare_cells);
    squarify(cells.items, cells.count, room);
    for (size_t i = 0; i < cells.count; i++)
        draw_cell(map, &cells.items[i]);
    array_free(&cells);
}

static double draw_values(const treemap *map, double y)
{
    svg_picture *svg = &map->picture->svg;
    const timeline *tl = &svg->tl;
    double x = 8, sum = 0;
    for (uint32_t i = 0; i < tl->values.count; i++)
        sum += fmax(map->sums[i], 0);
    for (uint32_t i = 0; i < tl->values.count; i++) {
        text_buffer text = {0};
        if (!(map->sums[i] > 1e-3 * sum))
            continue;
        text_append(&text, value_at(tl, i)->name);
        text_printf(&text, " %.1f %%", 100 * (map->sums[i] / sum));
        double width = svg_text_width(text_view(&text), SVG_TEXT) + 30;
        if (x > 8 && x + width > svg->width) {
            x = 8;
            y += SVG_LINE + 1;
        }
        draw_box(svg, (area){x, y - 8.5, 10, 10}, value_at(tl, i)->color, " stroke=\"#000\" stroke-opacity=\".25\"/>");
        svg_draw_text(svg, x + 14, y, svg->width, text_view(&text), SVG_TEXT, "");
        x += width;
        text_free(&text);
    }
    return y + SVG_LINE + 1;
}

/* Says what the areas are; returns where the legend ends. */
static double draw_legend(const treemap *map, double y)
{
    svg_picture *svg = &map->picture->svg;
    const timeline *tl = &svg->tl;
    text_buffer text = {0};
    if (map->kind == PAJESIM_STATE)
        y = draw_values(map, y + SVG_LINE + 2);
    else
        y += SVG_LINE + 2;
    text_puts(&text, "Area: ");
    text_append(&text, map->name);
    text_puts(&text, map->kind == PAJESIM_STATE ? ", time of all states; in sum " : ", mean; in sum ");
    put_weight(&text, map, map->all[0]);
    if (tl->changes > 0) {
        text_puts(&text, " over ");
        text_put_duration(&text, (tl->last - tl->first) * tl->seconds, 4);
    }
    svg_draw_text(svg, 8, y, svg->width - 16, text_view(&text), SVG_SMALL, SVG_GREY);
    text_free(&text);
    return y;
}

static treemap map;

int platform_find_areas(platform_picture *picture)
{
    const timeline *tl = &picture->svg.tl;
    map.picture = picture;
    for (uint32_t i = 1; i < tl->types.count && !map.name.size; i++) {
        map.kind = type_at(tl, i)->kind;
        if ((map.kind == PAJESIM_VARIABLE || map.kind == PAJESIM_STATE) &&
            text_is_equal(type_at(tl, i)->name, text_of(picture->area_name)))
            map.name = type_at(tl, i)->name;
    }
    if (!map.name.size)
        return 0;
    map.own = memory_alloc_zero(tl->nodes.count, sizeof *map.own);
    map.all = memory_alloc_zero(tl->nodes.count, sizeof *map.all);
    map.times = memory_alloc_zero(tl->values.count, sizeof *map.times);
    map.sums = memory_alloc_zero(tl->values.count, sizeof *map.sums);
    find_weights(&map);
    for (uint32_t i = 0; i < tl->nodes.count; i++) {
        picture->items[i].is_shown = map.all[i] > 0;
        picture->items[i].is_leaf = map.own[i] > 0 || node_at(tl, i)->level >= picture->depth;
    }
    return 1;
}

double platform_draw_treemap(platform_picture *picture, double top)
{
    cell all = {picture->top, 0, map.all[picture->top], {8, top + 6, picture->svg.width - 16.0, picture->svg.height}};
    if (all.weight > 0)
        draw_cell(&map, &all);
    top = draw_legend(&map, top + picture->svg.height + 6);
    free(map.own);
    free(map.all);
    free(map.times);
    free(map.sums);
    return top;
}
