/* Collects what a diagram shows: hears the simulation, keeps types, values and links, and sees to it that no part grows
 * with the trace. */
#include "diagram.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_MAX_BYTES = 200, FIRST_BINS = 4096, MOST_BINS = 16384, LEAST_LINK_BINS = 128 };

#define MOST_NUMBER 1e150 /* so that products are finite */
#define LEAST_BIN 1e-12 /* seconds */
#define GREY 0xb8b8b8
#define DARK 0x333333

diagram_data diagram = {.first = HUGE_VAL, .last = -HUGE_VAL, .bin_values = DIAGRAM_BIN_VALUES, .seconds = 1, .link_stride = 1};

static paje_set chosen_containers, chosen_types, value_names; /* empty: all; type and name of each value */
static size_t next_fold;

/* ---- options */

const char *diagram_option(int key, const char *argument)
{
    double *time = key == 's' ? &diagram.first : &diagram.last, per_second;
    const char *wrong;
    switch (key) {
    case DIAGRAM_CONTAINER: paje_set_add(&chosen_containers, argument, strlen(argument)); return NULL;
    case DIAGRAM_TYPE: paje_set_add(&chosen_types, argument, strlen(argument)); return NULL;
    case DIAGRAM_UNIT:
        wrong = paje_parse_unit(argument, &per_second);
        diagram.seconds = 1 / per_second;
        return wrong;
    case DIAGRAM_COLORS:
        diagram.own_colors = strcmp(argument, "own") == 0;
        return diagram.own_colors || strcmp(argument, "trace") == 0 ? NULL : "neither trace nor own";
    default:
        *(key == 's' ? &diagram.from_start : &diagram.to_end) = 1;
        return paje_parse_number(argument, time) && fabs(*time) < MOST_NUMBER ? NULL : "no number";
    }
}

/* ---- names */

pajesim_text diagram_copy(pajesim_text text)
{
    size_t size = text.size;
    if (size > NAME_MAX_BYTES)
        for (size_t at = size = 0; at <= NAME_MAX_BYTES - 3;) {
            size_t character = paje_character(text.bytes + at, text.size - at);
            size = at;
            at += character ? character : 1;
        }
    paje_buffer copy = {0};
    paje_add(&copy, text.bytes, size);
    paje_add(&copy, "...", size < text.size ? 3 : 0);
    return (pajesim_text){paje_room(copy.bytes, copy.size), copy.size};
}

/* ---- types and values: index 0 of types is the root's, and that of container types beyond the limit */

static uint32_t add_type(pajesim_text name, pajesim_kind kind, uint32_t color)
{
    diagram.types = paje_room(diagram.types, (diagram.type_count + 1) * sizeof *diagram.types);
    diagram.types[diagram.type_count] = (diagram_type){
        .name = diagram_copy(name), .kind = kind, .color = color, .least = 0, .most = 0};
    return (uint32_t)diagram.type_count++;
}

/* The names of a container type and of the nearest ones that it is in: Process/Thread. */
static pajesim_text type_path(const pajesim *sim, pajesim_ref type)
{
    pajesim_ref path[4];
    int count = 0;
    paje_buffer names = {0};
    do {
        path[count++] = type;
        type = pajesim_parent(sim, type);
    } while (type && type != pajesim_root_type(sim) && count < 4);
    while (count-- > 0) {
        paje_add_text(&names, pajesim_name(sim, path[count]));
        paje_add(&names, "/", count > 0);
    }
    pajesim_text copy = diagram_copy(paje_text(&names));
    paje_release(&names);
    return copy;
}

int diagram_new_type(pajesim *sim, const pajesim_type_info *type)
{
    static size_t drawn, container_types;
    uint32_t color = type->kind == PAJESIM_LINK ? DARK : GREY;
    if (type->kind == PAJESIM_CONTAINER) {
        if (container_types++ < DIAGRAM_TYPES - 1)
            *pajesim_word(sim, type->ref) = add_type(type->name, type->kind, color);
        return PAJESIM_GO_ON;
    }
    if (chosen_types.count && !paje_set_names(&chosen_types, sim, type->ref))
        return PAJESIM_GO_ON;
    if (drawn++ >= DIAGRAM_TYPES) {
        diagram.left_out_types++;
        return PAJESIM_GO_ON;
    }
    if (!diagram_own_color(type->color, type->kind, &color) &&
        (type->kind == PAJESIM_VARIABLE || type->kind == PAJESIM_EVENT))
        color = diagram_palette_color(type->name);
    uint32_t added = add_type(type->name, type->kind, color);
    diagram.types[added].of = type_path(sim, type->parent);
    *pajesim_word(sim, type->ref) = added;
    return PAJESIM_GO_ON;
}

static uint32_t add_value(uint32_t type, pajesim_text name, pajesim_text color)
{
    static paje_buffer key;
    key.size = 0;
    paje_add(&key, (const char *)&type, sizeof type);
    paje_add(&key, name.bytes, name.size < NAME_MAX_BYTES ? name.size : NAME_MAX_BYTES);
    size_t known = paje_set_find(&value_names, key.bytes, key.size);
    if (known != PAJE_NONE)
        return (uint32_t)known;
    if (diagram.value_count == DIAGRAM_VALUES)
        return DIAGRAM_OTHER_VALUES;
    if (!diagram.values)
        diagram.values = paje_room(NULL, DIAGRAM_VALUES * sizeof *diagram.values);
    diagram_value *it = &diagram.values[paje_set_add(&value_names, key.bytes, key.size)];
    *it = (diagram_value){.name = diagram_copy(name), .type = type, .color = diagram.types[type].color};
    it->own_color = diagram_own_color(color, diagram.types[type].kind, &it->color);
    return (uint32_t)diagram.value_count++;
}

int diagram_new_value(pajesim *sim, const pajesim_value_info *value)
{
    uint32_t type = (uint32_t)*pajesim_word(sim, value->type);
    if (type)
        *pajesim_word(sim, value->ref) = add_value(type, value->name, value->color) + 1;
    return PAJESIM_GO_ON;
}

static uint32_t value_of(pajesim *sim, uint32_t type, const pajesim_entity *entity)
{
    uint64_t known = entity->value ? *pajesim_word(sim, entity->value) : 0;
    return known ? (uint32_t)known - 1 : add_value(type, entity->value_name, (pajesim_text){"", 0});
}

/* ---- the time that is drawn, and bins of it */

/* Answers 0 for what is no time to reckon with. */
static int see(double start, double end)
{
    if (!(fabs(start) < MOST_NUMBER && fabs(end) < MOST_NUMBER)) {
        diagram.odd_times++;
        return 0;
    }
    if (!diagram.from_start && !(diagram.to_end && start > diagram.last))
        diagram.first = fmin(diagram.first, start);
    if (!diagram.to_end && !(diagram.from_start && end < diagram.first))
        diagram.last = fmax(diagram.last, end);
    return end >= diagram.first && start <= diagram.last;
}

/* The power of two that is a good first width of bins. */
static double first_bin(double bins)
{
    int exponent;
    double least = fmax(fabs(diagram.first), fabs(diagram.last)) * DBL_EPSILON * 4;
    frexp(fmax(fmax((diagram.last - diagram.first) / bins, least), LEAST_BIN / diagram.seconds), &exponent);
    return ldexp(1, exponent - 1);
}

/* Answers 0 if the bins must be wider, for which it need not come to an end. */
static int fold_all(void)
{
    diagram.pieces = 0;
    for (uint32_t i = 0; i < diagram.node_count; i++) {
        const diagram_node *node = &diagram.nodes[i];
        for (diagram_lane *lane = node->lanes; lane; lane = lane->next) {
            if (!diagram_fold_lane(lane, diagram.bin, diagram_is_shared(node)))
                return 0;
            diagram.pieces += lane->count;
            if (diagram.pieces > diagram.most_pieces && diagram.bin < diagram.last - diagram.first)
                return 0;
        }
    }
    return diagram.pieces <= diagram.most_pieces / 4 * 3 || !(diagram.bin < diagram.last - diagram.first);
}

static void limit_pieces(void)
{
    if (diagram.pieces <= next_fold)
        return;
    if (!(diagram.bin > 0))
        diagram.bin = first_bin(FIRST_BINS);
    while ((diagram.last - diagram.first) / diagram.bin > MOST_BINS)
        diagram.bin *= 2;
    while (!fold_all())
        diagram.bin *= 2;
    next_fold = diagram.pieces + diagram.most_pieces / 4;
}

/* ---- links */

static double bin_of(double time)
{
    return floor(time / diagram.link_bin);
}

static int compare_numbers(double a, double b)
{
    return (a > b) - (a < b);
}

static int compare_links(const void *left, const void *right)
{
    const diagram_link *a = left, *b = right;
    int order = (a->from > b->from) - (a->from < b->from);
    if (!order)
        order = (a->to > b->to) - (a->to < b->to);
    if (!order)
        order = (a->type > b->type) - (a->type < b->type);
    if (!order)
        order = compare_numbers(bin_of(a->start), bin_of(b->start));
    return order ? order : compare_numbers(bin_of(a->end), bin_of(b->end));
}

static void locate_links(void)
{
    for (size_t i = 0; i < diagram.link_count; i++) {
        diagram.links[i].from = diagram_node_of(diagram.links[i].from);
        diagram.links[i].to = diagram_node_of(diagram.links[i].to);
    }
}

/* Those between the same nodes in the same bins become one, in their middle. */
static void fold_links(void)
{
    size_t count = 0;
    qsort(diagram.links, diagram.link_count, sizeof *diagram.links, compare_links);
    for (size_t i = 0; i < diagram.link_count; i++) {
        const diagram_link *link = &diagram.links[i];
        diagram_link *last = &diagram.links[count - (count > 0)];
        if (count == 0 || compare_links(last, link) != 0) {
            diagram.links[count++] = *link;
            continue;
        }
        double sum = (double)last->count + link->count, share = link->count / sum;
        last->start += (link->start - last->start) * share;
        last->end += (link->end - last->end) * share;
        last->value = last->value == link->value ? last->value : DIAGRAM_OTHER_VALUES;
        last->count = sum < UINT32_MAX ? (uint32_t)sum : UINT32_MAX;
    }
    diagram.link_count = count;
}

static void limit_links(void)
{
    double span = diagram.last - diagram.first;
    locate_links();
    if (!(diagram.link_bin > 0))
        diagram.link_bin = first_bin(FIRST_BINS);
    fold_links();
    while (diagram.link_count > diagram.most_links / 2 && diagram.link_bin < span / LEAST_LINK_BINS) {
        diagram.link_bin *= 2;
        fold_links();
    }
    if (diagram.link_count > diagram.most_links / 2) { /* every other one has to do */
        for (size_t i = 0; i < diagram.link_count / 2; i++)
            diagram.links[i] = diagram.links[2 * i];
        diagram.link_count /= 2;
        diagram.link_stride *= 2;
    }
}

static void add_link(pajesim *sim, const pajesim_entity *entity, uint32_t type)
{
    uint32_t from = (uint32_t)*pajesim_word(sim, entity->start_container);
    uint32_t to = (uint32_t)*pajesim_word(sim, entity->end_container);
    if (!from || !to || !see(entity->start, entity->end) || diagram.types[type].count++ % diagram.link_stride)
        return;
    if (!diagram.links)
        diagram.links = paje_room(NULL, diagram.most_links * sizeof *diagram.links);
    if (diagram.link_count == diagram.most_links)
        limit_links();
    diagram.links[diagram.link_count++] = (diagram_link){
        entity->start, entity->end, type, value_of(sim, type, entity), diagram_node_of(from - 1),
        diagram_node_of(to - 1), 1};
    if (entity->end > entity->start || entity->end < entity->start)
        diagram.nodes[diagram_node_of(from - 1)].is_linked = diagram.nodes[diagram_node_of(to - 1)].is_linked = 1;
}

/* ---- what the simulation tells */

void diagram_begin(paje_run *run)
{
    if (diagram.from_start && diagram.to_end && !(diagram.last > diagram.first))
        paje_usage(run->settings->plugin, "the end, -e, is not after the start, -s");
    pajesim_ref root = pajesim_root(&run->sim);
    next_fold = diagram.most_pieces;
    add_type(pajesim_name(&run->sim, pajesim_root_type(&run->sim)), PAJESIM_CONTAINER, GREY);
    add_value(0, (pajesim_text){"other values", 12}, (pajesim_text){"", 0});
    diagram_add_container(0, 0, pajesim_name(&run->sim, root), 0);
    if (chosen_containers.count == 0)
        *pajesim_word(&run->sim, root) = 1;
}

int diagram_container_created(pajesim *sim, const pajesim_entity *container)
{
    pajesim_ref ref = container->container;
    uint64_t parent = *pajesim_word(sim, pajesim_parent(sim, ref));
    if (!parent && !paje_set_names(&chosen_containers, sim, ref))
        return PAJESIM_GO_ON;
    see(container->start, container->start);
    uint32_t type = (uint32_t)*pajesim_word(sim, container->type);
    uint32_t node = diagram_add_container(parent ? (uint32_t)parent - 1 : 0, type, pajesim_name(sim, ref),
                                          container->start);
    *pajesim_word(sim, ref) = node + 1;
    diagram_limit_nodes();
    return PAJESIM_GO_ON;
}

static void add_piece(uint32_t node, pajesim_kind kind, uint32_t type, uint32_t depth, const diagram_piece *piece)
{
    diagram_add_piece(diagram_lane_of(node, kind, type, depth), piece, diagram.bin,
                      diagram_is_shared(&diagram.nodes[node]));
}

static void add_state(pajesim *sim, const pajesim_entity *state, uint32_t node, uint32_t type, diagram_piece piece)
{
    int is_shared = diagram_is_shared(&diagram.nodes[node]);
    uint32_t depth = state->imbrication, flat = is_shared ? 0 : DIAGRAM_DEPTHS;
    pajesim_entity outer;
    if (depth == 0 || is_shared)
        add_piece(node, PAJESIM_STATE, type, 0, &piece);
    else if (depth < DIAGRAM_DEPTHS)
        add_piece(node, PAJESIM_STATE, type, depth, &piece);
    else
        diagram.deep_states++;
    if (depth == 0)
        return;
    if (!is_shared)
        add_piece(node, PAJESIM_STATE, type, flat, &piece);
    if (pajesim_open_entity(sim, state->container, state->type, depth - 1, &outer)) {
        piece.value = value_of(sim, type, &outer);
        piece.time = -piece.time;
        piece.count = 0;
        add_piece(node, PAJESIM_STATE, type, flat, &piece);
    }
}

int diagram_closed(pajesim *sim, const pajesim_entity *entity)
{
    uint32_t type = (uint32_t)*pajesim_word(sim, entity->type);
    if (entity->kind == PAJESIM_LINK) {
        if (type)
            add_link(sim, entity, type);
        return PAJESIM_GO_ON;
    }
    uint64_t word = *pajesim_word(sim, entity->container);
    if (!word)
        return PAJESIM_GO_ON;
    uint32_t node = diagram_node_of((uint32_t)word - 1);
    if (entity->kind == PAJESIM_CONTAINER) {
        if (node > 0 && see(entity->start, entity->end))
            diagram.nodes[node].end = fmax(diagram.nodes[node].end, entity->end);
        return PAJESIM_GO_ON;
    }
    if (!type || !see(entity->start, entity->end))
        return PAJESIM_GO_ON;
    if (diagram.states_only && entity->kind != PAJESIM_STATE) {
        diagram.dropped++;
        return PAJESIM_GO_ON;
    }
    diagram_piece piece = {.start = entity->start, .end = fmax(entity->start, entity->end), .count = 1, .exact = 1};
    piece.time = piece.end - piece.start;
    if (entity->kind == PAJESIM_VARIABLE && !(fabs(entity->number) < MOST_NUMBER))
        return PAJESIM_GO_ON;
    diagram.types[type].count++;
    if (entity->kind == PAJESIM_VARIABLE) {
        piece.least = piece.most = entity->number;
        piece.sum = entity->number * piece.time;
        add_piece(node, PAJESIM_VARIABLE, type, 0, &piece);
    } else {
        piece.value = value_of(sim, type, entity);
        if (entity->kind == PAJESIM_EVENT)
            add_piece(node, PAJESIM_EVENT, 0, 0, &piece);
        else
            add_state(sim, entity, node, type, piece);
    }
    diagram_limit_nodes();
    limit_pieces();
    return PAJESIM_GO_ON;
}

static void scale_variable(const diagram_lane *lane)
{
    diagram_type *type = &diagram.types[lane->type];
    for (size_t i = 0; i < lane->count; i++) {
        type->least = fmin(type->least, lane->pieces[i].least);
        type->most = fmax(type->most, lane->pieces[i].most);
    }
}

static void weigh(const diagram_lane *lane)
{
    for (size_t i = 0; i < lane->count; i++) {
        const diagram_piece *piece = &lane->pieces[i];
        if (piece->end >= diagram.first && piece->start <= diagram.last)
            diagram.values[piece->value].weight += lane->kind == PAJESIM_STATE ? piece->time : piece->count;
    }
}

/* ---- what has something to show */

/* A variable that is always 0 has not. */
static int is_flat(const diagram_lane *lane)
{
    const diagram_type *type = &diagram.types[lane->type];
    return lane->kind == PAJESIM_VARIABLE && !(type->most > type->least);
}

static void drop_flat_variables(diagram_node *node)
{
    for (diagram_lane **at = &node->lanes, *lane; (lane = *at) != NULL;) {
        if (!is_flat(lane)) {
            at = &lane->next;
            continue;
        }
        *at = lane->next;
        free(lane->pieces);
        free(lane);
        diagram.flat_variables++;
    }
}

/* Answers whether there is anything.  It goes as deep as DIAGRAM_LEVELS. */
static int find_shown(uint32_t at, int is_all)
{
    diagram_node *node = &diagram.nodes[at];
    int children = 0;
    for (uint32_t child = node->first; child; child = diagram.nodes[child].next)
        children += find_shown(child, is_all);
    node->is_shown = is_all || node->lanes || node->is_linked || children > 0;
    node->is_prefix = at > 0 && !node->lanes && !node->is_linked && children == 1;
    return node->is_shown;
}

/* Links that take no time make nobody shown. */
static void drop_bare_links(void)
{
    size_t shown = 0;
    for (size_t i = 0; i < diagram.link_count; i++) {
        const diagram_link *link = &diagram.links[i];
        if (diagram.nodes[link->from].is_shown && diagram.nodes[link->to].is_shown)
            diagram.links[shown++] = *link;
        else
            diagram.bare_links += link->count;
    }
    diagram.link_count = shown;
}

static void choose_shown(void)
{
    for (uint32_t i = 0; i < diagram.node_count; i++)
        drop_flat_variables(&diagram.nodes[i]);
    if (!find_shown(0, 0)) /* show them all rather than none */
        find_shown(0, 1);
    for (uint32_t i = 1; i < diagram.node_count; i++)
        if (diagram.nodes[i].joined == i && !diagram.nodes[i].is_shown)
            diagram.bare_containers += diagram.nodes[i].members;
    drop_bare_links();
}

/* ---- the end */

/* States without a colour get one; and so do all values of a type that have the same, which tells nothing. */
static void find_colors(uint32_t type)
{
    uint32_t used = 0, alike = 0, color = 0;
    for (uint32_t i = 1; i < diagram.value_count; i++) {
        const diagram_value *it = &diagram.values[i];
        if (it->type != type || !(it->weight > 0))
            continue;
        color = used++ ? color : it->color;
        alike += it->own_color && it->color == color;
    }
    for (uint32_t i = 1; i < diagram.value_count; i++) {
        diagram_value *it = &diagram.values[i];
        if (it->type != type || (it->own_color && !(used > 1 && used == alike)))
            continue;
        it->own_color = 0;
        it->color = diagram.types[type].kind == PAJESIM_STATE ? diagram_palette_color(it->name)
                                                              : diagram.types[type].color;
    }
}

void diagram_finish(void)
{
    if (diagram.first > diagram.last) /* there is nothing at all */
        diagram.first = diagram.from_start ? diagram.first : diagram.to_end ? diagram.last - 1 : 0;
    if (!(diagram.last > diagram.first))
        diagram.last = diagram.first + fmax(1, fabs(diagram.first) * DBL_EPSILON * 4);
    locate_links();
    if (diagram.link_bin > 0)
        fold_links();
    next_fold = diagram.bin > 0 ? 0 : SIZE_MAX; /* so that the last part is as the others are */
    limit_pieces();
    diagram_order_nodes();
    for (uint32_t i = 0; i < diagram.node_count; i++) {
        const diagram_node *node = &diagram.nodes[i];
        if (i > 0 && node->joined == i && node->members > diagram.most_members)
            diagram.most_members = node->members;
        for (diagram_lane *lane = node->lanes; lane; lane = lane->next) {
            diagram_sort_lane(lane);
            if (lane->kind == PAJESIM_VARIABLE)
                scale_variable(lane);
            else if (lane->depth < DIAGRAM_DEPTHS)
                weigh(lane);
        }
    }
    choose_shown();
    for (size_t i = 0; i < diagram.link_count; i++)
        diagram.values[diagram.links[i].value].weight += diagram.links[i].count;
    for (uint32_t i = 1; i < diagram.type_count; i++)
        find_colors(i);
}

static void add_own_name(paje_buffer *buffer, const diagram_node *node)
{
    paje_add_text(buffer, node->name);
    if (node->last_name.size != node->name.size ||
        memcmp(node->last_name.bytes, node->name.bytes, node->name.size) != 0) {
        paje_add(buffer, " \xe2\x80\xa6 ", 5);
        paje_add_text(buffer, node->last_name);
    }
    if (diagram_is_shared(node))
        paje_addf(buffer, " (%lu)", (unsigned long)node->members);
}

void diagram_add_name(paje_buffer *buffer, uint32_t node)
{
    uint32_t above[DIAGRAM_LEVELS], count = 0;
    for (uint32_t it = node; it && (it == node || diagram.nodes[it].is_prefix); it = diagram.nodes[it].parent)
        above[count++] = it;
    for (uint32_t i = count; i-- > 0;) {
        const diagram_node *it = &diagram.nodes[above[i]];
        if (i + 1 < count)
            paje_addf(buffer, " / ");
        if (i + 1 == count || !diagram_is_shared(it)) {
            add_own_name(buffer, it);
        } else { /* whose they are says enough */
            paje_addf(buffer, "%lu ", (unsigned long)it->members);
            paje_add_text(buffer, diagram.types[it->type].name);
        }
    }
}

diagram_unit diagram_unit_of(double span)
{
    static const diagram_unit units[] = {{"ns", 1e-9}, {"\xc2\xb5s", 1e-6}, {"ms", 1e-3}, {"s", 1},
                                         {"h", 3600},  {"d", 86400}};
    static const double least[] = {0, 1e-6, 1e-3, 1, 3 * 3600, 3 * 86400};
    size_t best = 0;
    for (size_t i = 1; i < sizeof units / sizeof *units; i++)
        if (span * diagram.seconds >= least[i])
            best = i;
    return (diagram_unit){units[best].name, units[best].size / diagram.seconds};
}

static void add_duration(paje_buffer *buffer, double duration)
{
    diagram_unit unit = diagram_unit_of(duration);
    paje_addf(buffer, "%.3g %s", duration / unit.size, unit.name);
}

void diagram_add_notes(paje_buffer *notes)
{
    const struct {
        uint64_t count;
        const char *text;
    } left_out[] = {
        {diagram.flat_variables, "variables that are 0 throughout"},
        {diagram.bare_containers, "containers with nothing to show"},
        {diagram.bare_links, "links between such containers, that take no time"},
        {diagram.deep_states, "states nested more than 8 deep"},
        {diagram.left_out_types, "types beyond the first 128"},
        {diagram.odd_times, "entities at times beyond 1e150"},
    };
    int is_first = 1;
    if (diagram.most_members > 1)
        paje_addf(notes, "%llu containers: up to %lu of them share a row.\n", (unsigned long long)diagram.containers,
                  (unsigned long)diagram.most_members);
    if (diagram.bin > 0) {
        paje_addf(notes, "What is shorter than ");
        add_duration(notes, diagram.bin);
        paje_addf(notes, " is summed up in bins of that width.\n");
    }
    if (diagram.link_bin > 1e-6 * (diagram.last - diagram.first)) {
        paje_addf(notes, "Links between the same rows are one where both of their ends are within ");
        add_duration(notes, diagram.link_bin);
        paje_addf(notes, ".\n");
    } else if (diagram.link_bin > 0) {
        paje_addf(notes, "Links between the same rows at the same times are one.\n");
    }
    if (diagram.dropped)
        paje_addf(notes, "Left out, for want of room: events and variables; --type draws those of a type alone.\n");
    if (diagram.link_stride > 1)
        paje_addf(notes, "One link in %lu is drawn.\n", (unsigned long)diagram.link_stride);
    if (diagram.deep_containers)
        paje_addf(notes, "Containers more than %d deep in the tree are parts of what they are in.\n", DIAGRAM_LEVELS);
    for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++) {
        if (!left_out[i].count)
            continue;
        paje_addf(notes, "%s%s (%llu)", is_first ? "Left out: " : "; ", left_out[i].text,
                  (unsigned long long)left_out[i].count);
        is_first = 0;
    }
    paje_addf(notes, is_first ? "" : ".\n");
}
