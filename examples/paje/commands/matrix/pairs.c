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

void matrix_regroup(const uint32_t *to, size_t count)
{
    matrix_pairs before = matrix.pairs;
    (void)count;
    memset(&matrix.pairs, 0, sizeof matrix.pairs);
    map_free(&known);
    for (size_t i = 0; i < before.count; i++) {
        const matrix_pair *old = &before.items[i];
        matrix_pair *pair = pair_of(to[old->from], to[old->to]);
        pair->least = pair->count == 0 ? old->least : fmin(pair->least, old->least);
        pair->most = pair->count == 0 ? old->most : fmax(pair->most, old->most);
        pair->count += old->count;
        sum_add_sum(&pair->time, &old->time);
        sum_add_sum(&pair->bytes, &old->bytes);
    }
    array_free(&before);
}

/* The word of a container type holds the type of the variable that --bytes names. */
int matrix_new_type(pajesim *sim, const pajesim_type_info *type)
{
    if (type->kind == PAJESIM_VARIABLE && matrix.field &&
        (text_is_equal(type->name, text_of(matrix.field)) || text_is_equal(type->alias, text_of(matrix.field))))
        *pajesim_user_data(sim, type->parent) = type->ref;
    return PAJESIM_GO_ON;
}

/* Finds the value that the variable has now on a container. */
static int find_variable(pajesim *sim, pajesim_ref container, double *bytes)
{
    pajesim_entity segment;
    pajesim_ref type = (pajesim_ref)*pajesim_user_data(sim, pajesim_type_of(sim, container));
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

int matrix_closed(pajesim *sim, const pajesim_entity *link)
{
    uint32_t from, to;
    uint64_t generation;
    double bytes = 0, time = link->end - link->start;
    if (link->kind != PAJESIM_LINK || !link->start_container || !link->end_container || !paje_shows(sim, link))
        return PAJESIM_GO_ON;
    do { /* a new row may make one of others */
        generation = matrix.rows.generation;
        from = chart_row_of(&matrix.rows, sim, link->start_container);
        to = chart_row_of(&matrix.rows, sim, link->end_container);
    } while (generation != matrix.rows.generation);
    matrix_pair *pair = pair_of(from, to);
    pair->least = pair->count == 0 ? time : fmin(pair->least, time);
    pair->most = pair->count == 0 ? time : fmax(pair->most, time);
    pair->count++;
    sum_add(&pair->time, time);
    matrix.links++;
    matrix.backwards += time < 0;
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
