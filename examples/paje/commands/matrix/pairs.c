/* Links between each two rows. */
#include "matrix.h"

#include <math.h>

enum { MOST_PAIRS = 1 << 18 };

static hash_map known; /* keys: rows from and to */

matrix_data matrix = {.rows = {.depth = CHART_MOST_DEPTH, .most = 1 << 16, .regroup = matrix_regroup}};
const char *const matrix_measures[] = {"count", "bytes", "time", "mean", NULL};

static matrix_pair *pair_of(uint32_t from, uint32_t to)
{
    const uint32_t key[] = {from, to};
    size_t at = map_add(&known, key, sizeof key);
    if (at == matrix.pairs.count) {
        matrix_pair *new = array_push(&matrix.pairs);
        new->from = from;
        new->to = to;
    }
    return &matrix.pairs.items[at];
}

static void add_pair(matrix_pair *to, const matrix_pair *pair)
{
    to->least = to->count == 0 ? pair->least : fmin(to->least, pair->least);
    to->most = to->count == 0 ? pair->most : fmax(to->most, pair->most);
    to->count += pair->count;
    sum_add_sum(&to->time, &pair->time);
    sum_add_sum(&to->bytes, &pair->bytes);
}

void matrix_regroup(const uint32_t *to, size_t count)
{
    matrix_pairs before = matrix.pairs;
    (void)count;
    memset(&matrix.pairs, 0, sizeof matrix.pairs);
    map_free(&known);
    for (size_t i = 0; i < before.count; i++)
        add_pair(pair_of(to[before.items[i].from], to[before.items[i].to]), &before.items[i]);
    array_free(&before);
}

static int is_field(pajesim_text name)
{
    return text_is_equal(name, text_of(matrix.field));
}

/* The type of the variable that --bytes names, on containers of a type; 0: there is none. */
static pajesim_ref variable_type(const pajesim *sim, pajesim_ref container_type)
{
    pajesim_ref found = 0;
    for (pajesim_ref at = pajesim_first_child(sim, container_type); at; at = pajesim_next_sibling(sim, at))
        if (pajesim_kind_of(sim, at) == PAJESIM_VARIABLE &&
            (is_field(pajesim_name(sim, at)) || is_field(pajesim_alias(sim, at))))
            found = at;
    return found;
}

/* Finds the value that the variable has now on a container. */
static int find_variable(const pajesim *sim, pajesim_ref container, double *bytes)
{
    pajesim_entity segment;
    pajesim_ref type = variable_type(sim, pajesim_type_of(sim, container));
    if (!type || !pajesim_open_entity(sim, container, type, 0, &segment))
        return 0;
    *bytes = segment.number;
    return 1;
}

static int find_bytes(pajesim *sim, const pajesim_entity *link, double *bytes)
{
    pajesim_field field;
    if (pajesim_user_field_named(sim, &link->opening, matrix.field, &field) ||
        pajesim_user_field_named(sim, &link->closing, matrix.field, &field))
        return pajesim_number(field.text.bytes, field.text.size, bytes);
    if (strcmp(matrix.field, "Value") == 0)
        return pajesim_number(link->value_name.bytes, link->value_name.size, bytes);
    return find_variable(sim, link->start_container, bytes) || find_variable(sim, link->end_container, bytes);
}

/* Whether a link is rather a line of the network, as SimGrid writes them: as timeline_is_line(). */
static int is_line(const pajesim *sim, const pajesim_entity *link)
{
    const paje_run *run = pajesim_data(sim);
    double from = paje_in_seconds(run->settings, pajesim_start_of(sim, link->start_container));
    double to = paje_in_seconds(run->settings, pajesim_start_of(sim, link->end_container));
    return !(link->end > link->start) && !(link->end < link->start) && !(link->start > fmin(from, to));
}

int matrix_closed(pajesim *sim, const pajesim_entity *link)
{
    uint32_t from, to;
    uint32_t groupings;
    double bytes = 0, time = link->end - link->start;
    if (link->kind != PAJESIM_LINK || !link->start_container || !link->end_container || !paje_shows(sim, link))
        return PAJESIM_GO_ON;
    do { /* a new row may make one of others */
        groupings = matrix.rows.groupings;
        from = chart_row_of(&matrix.rows, sim, link->start_container);
        to = chart_row_of(&matrix.rows, sim, link->end_container);
    } while (groupings != matrix.rows.groupings);
    matrix_pair *pair = pair_of(from, to);
    pair->least = pair->count == 0 ? time : fmin(pair->least, time);
    pair->most = pair->count == 0 ? time : fmax(pair->most, time);
    pair->count++;
    sum_add(&pair->time, time);
    matrix.links++;
    matrix.backwards += time < 0;
    if (is_line(sim, link))
        matrix.lines++;
    if (matrix.field) {
        if (find_bytes(sim, link, &bytes))
            sum_add(&pair->bytes, bytes);
        else
            matrix.without_bytes++;
    }
    if (matrix.pairs.count > MOST_PAIRS)
        chart_group_rows(&matrix.rows, sim, matrix.rows.items.count / 2);
    return PAJESIM_GO_ON;
}

/* ---- what processes hand over */

void matrix_save(paje_run *run, text_buffer *to)
{
    const uint64_t counts[] = {matrix.links, matrix.without_bytes, matrix.backwards, matrix.lines,
                               matrix.pairs.count};
    (void)run;
    chart_save_rows(&matrix.rows, to);
    text_put(to, (const char *)counts, sizeof counts);
    text_put(to, (const char *)matrix.pairs.items, matrix.pairs.count * sizeof *matrix.pairs.items);
    matrix.links = matrix.without_bytes = matrix.backwards = matrix.lines = 0;
    array_clear(&matrix.pairs);
    map_clear(&known);
}

int matrix_join(paje_parcel *from)
{
    uint64_t counts[5];
    matrix_pair pair;
    const uint32_t *rows = chart_join_rows(&matrix.rows, from);
    if (!rows)
        return 0;
    paje_take(from, counts, sizeof counts);
    matrix.links += counts[0];
    matrix.without_bytes += counts[1];
    matrix.backwards += counts[2];
    matrix.lines += counts[3];
    for (uint64_t i = 0; i < counts[4]; i++) {
        paje_take(from, &pair, sizeof pair);
        add_pair(pair_of(rows[pair.from], rows[pair.to]), &pair);
    }
    return matrix.pairs.count <= MOST_PAIRS;
}

double matrix_value(const matrix_pair *pair)
{
    switch (matrix.measure) {
    case MATRIX_BYTES: return sum_of(&pair->bytes);
    case MATRIX_TIME: return sum_of(&pair->time);
    case MATRIX_MEAN: return pair->count ? sum_of(&pair->time) / (double)pair->count : 0;
    default: return (double)pair->count;
    }
}

static int compare(const void *left, const void *right)
{
    const matrix_pair *a = left, *b = right;
    double one = matrix_value(a), other = matrix_value(b);
    if (one < other || one > other)
        return one > other ? -1 : 1;
    return a->from != b->from ? (a->from > b->from) - (a->from < b->from) : (a->to > b->to) - (a->to < b->to);
}

void matrix_sort_pairs(void)
{
    if (matrix.pairs.count > 0)
        qsort(matrix.pairs.items, matrix.pairs.count, sizeof *matrix.pairs.items, compare);
}
