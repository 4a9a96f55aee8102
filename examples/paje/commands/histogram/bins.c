/* Durations in fine bins. */
#include "histogram.h"

#include <float.h>
#include <math.h>

enum { MOST_HISTOGRAMS = 256 };

histograms_array histograms;
histogram_key histogram_by;
const char *histogram_value;

static hash_map types; /* see paje_add_type() */
static hash_map known; /* keys: the number of a type, then the value or the path and alias of the container */
static hash_map paths; /* keys: the number of a type, then the path of a container */
static array_of(size_t) firsts; /* of a path: the first histogram */

/* ---- fine bins */

static int64_t exponent_of(int64_t bin)
{
    return bin >= 0 ? bin / FINE : -((FINE - 1 - bin) / FINE);
}

double histogram_edge(int64_t bin)
{
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const int64_t most = sizeof powers / sizeof *powers - 1;
    int64_t exponent = exponent_of(bin) - 2, digits = 100 + bin - (exponent + 2) * FINE;
    if (exponent >= 0)
        return fmin((double)digits * (exponent <= most ? powers[exponent] : pow(10, (double)exponent)), DBL_MAX);
    if (-exponent <= most)
        return (double)digits / powers[-exponent]; /* correctly rounded, as both are exact */
    return exponent < -300 ? (double)digits * 1e-300 / pow(10, (double)-exponent - 300)
                           : (double)digits / pow(10, (double)-exponent);
}

static int64_t bin_of(double number)
{
    double exponent = floor(log10(number));
    double digits = exponent < -300 ? 100 : floor(number / pow(10, exponent - 2)); /* off by one at most */
    int64_t bin = (int64_t)exponent * FINE + (int64_t)fmin(fmax(digits, 100), 999) - 100;
    while (histogram_edge(bin + 1) <= number && bin < INT64_C(308) * FINE + FINE - 1)
        bin++;
    while (histogram_edge(bin) > number)
        bin--;
    return bin;
}

static fine_bin *fine_at(histogram *it, int64_t bin)
{
    int64_t exponent = exponent_of(bin);
    fine_bin **decade = &it->decades[exponent - LEAST_EXPONENT];
    if (!*decade)
        *decade = memory_alloc_zero(FINE, sizeof **decade);
    return &(*decade)[bin - exponent * FINE];
}

const fine_bin *histogram_fine(const histogram *it, int64_t bin)
{
    static const fine_bin none;
    int64_t exponent = exponent_of(bin);
    const fine_bin *decade = exponent < MOST_EXPONENT ? it->decades[exponent - LEAST_EXPONENT] : NULL;
    return decade ? &decade[bin - exponent * FINE] : &none;
}

/* ---- histograms */

/* Returns the number of a type, plus 1, and notes it there and at those that it is in, of which there may be many. */
static uint32_t type_number(pajesim *sim, pajesim_ref type)
{
    static array_of(pajesim_ref) path;
    pajesim_ref at = type;
    array_clear(&path);
    for (; at && !paje_noted(sim, at); at = pajesim_parent(sim, at))
        *array_push(&path) = at;
    size_t number = at ? paje_noted(sim, at) - 1 : MAP_NONE;
    while (path.count > 0) {
        at = path.items[--path.count];
        number = paje_add_type(&types, number, pajesim_alias(sim, at), pajesim_name(sim, at));
        paje_note(sim, at, (uint32_t)number + 1);
    }
    return (uint32_t)number + 1;
}

static pajesim_text copy_of(pajesim_text text)
{
    text_buffer copy = {0};
    text_append(&copy, text);
    return text_view(&copy);
}

/* Notes of a new histogram whether another container of its type has its path. */
static void find_twin(size_t number)
{
    static text_buffer key;
    histogram *it = &histograms.items[number];
    text_clear(&key);
    text_put(&key, (const char *)&it->type_number, sizeof it->type_number);
    text_append(&key, it->value);
    size_t path = map_add(&paths, key.bytes, key.size);
    if (path == firsts.count)
        *array_push(&firsts) = number;
    else
        it->has_twin = histograms.items[firsts.items[path]].has_twin = 1;
}

/* Returns the number of a histogram.  `of`: of which kind and type it is; its value and alias are set here. */
static size_t find_histogram(const histogram *of, uint32_t type, pajesim_text value, pajesim_text alias, int is_part)
{
    static text_buffer key;
    text_clear(&key);
    text_put(&key, (const char *)&type, sizeof type);
    if (histogram_by != HISTOGRAM_TYPE)
        text_putc(&key, ':');
    text_append(&key, value);
    if (histogram_by == HISTOGRAM_CONTAINER) {
        text_putc(&key, '\0');
        text_append(&key, alias);
    }
    size_t at = map_find(&known, key.bytes, key.size);
    if (at == MAP_NONE && histogram_by != HISTOGRAM_TYPE && known.used >= MOST_HISTOGRAMS && !is_part) {
        key.size = sizeof type; /* the rest of a type */
        value = text_of(histogram_by == HISTOGRAM_VALUE ? "(other values)" : "(other containers)");
        alias = text_of("");
    }
    at = map_add(&known, key.bytes, key.size);
    if (at == histograms.count) {
        histogram *new = array_push(&histograms);
        *new = (histogram){.kind = of->kind, .type = copy_of(of->type), .value = copy_of(value),
                           .alias = copy_of(alias), .type_number = type, .lowest = INT64_MAX, .highest = INT64_MIN};
        if (histogram_by == HISTOGRAM_CONTAINER)
            find_twin(at);
    }
    return at;
}

/* The number, plus 1, is noted at the type, in place of its own, or at the value; a container has one for each type. */
static histogram *histogram_of(pajesim *sim, const pajesim_entity *entity)
{
    static text_buffer path;
    const paje_run *run = pajesim_data(sim);
    pajesim_ref at = histogram_by == HISTOGRAM_TYPE    ? entity->type
                     : histogram_by == HISTOGRAM_VALUE ? entity->value
                                                       : 0;
    uint32_t number = at ? paje_noted(sim, at) : 0;
    if (number)
        return &histograms.items[number - 1];
    histogram of = {.kind = entity->kind, .type = pajesim_name(sim, entity->type)};
    pajesim_ref container = entity->kind == PAJESIM_LINK ? entity->start_container : entity->container;
    pajesim_text alias = text_of("");
    text_clear(&path);
    if (histogram_by == HISTOGRAM_CONTAINER) {
        paje_put_path(&path, sim, container);
        alias = pajesim_alias(sim, container);
    } else if (histogram_by == HISTOGRAM_VALUE) {
        text_append(&path, entity->value_name);
    }
    number = (uint32_t)find_histogram(&of, type_number(sim, entity->type), text_view(&path), alias,
                                      run->settings->is_part);
    if (at)
        paje_note(sim, at, number + 1);
    return &histograms.items[number];
}

/* A difference of times has the rounding errors of both: one that is so near to an edge belongs to the bin that begins
 * there. */
static double without_rounding(const pajesim_entity *entity, double time)
{
    double error = 3 * DBL_EPSILON * fmax(fabs(entity->start), fabs(entity->end));
    return time + fmin(error, 0.002 * time);
}

static int is_chosen(const pajesim_entity *entity)
{
    return (entity->kind == PAJESIM_STATE || entity->kind == PAJESIM_LINK) &&
           (!histogram_value || paje_matches(histogram_value, entity->value_name));
}

int histogram_closed(pajesim *sim, const pajesim_entity *entity)
{
    double time = entity->end - entity->start;
    if (!is_chosen(entity) || !(fabs(time) <= DBL_MAX))
        return PAJESIM_GO_ON;
    histogram *it = histogram_of(sim, entity);
    it->least = it->count == 0 ? time : fmin(it->least, time);
    it->most = it->count == 0 ? time : fmax(it->most, time);
    it->count++;
    sum_add(&it->time, time);
    if (time < 0) {
        it->negative++;
        sum_add(&it->negative_time, time);
    } else if (!(time > 0)) {
        it->zeros++;
    } else {
        int64_t bin = bin_of(fmin(without_rounding(entity, time), DBL_MAX));
        fine_bin *fine = fine_at(it, bin);
        fine->count++;
        sum_add(&fine->time, time);
        it->lowest = bin < it->lowest ? bin : it->lowest;
        it->highest = bin > it->highest ? bin : it->highest;
    }
    return PAJESIM_GO_ON;
}

/* ---- what processes hand over */

static void add_fine(fine_bin *to, const fine_bin *from)
{
    to->count += from->count;
    sum_add_sum(&to->time, &from->time);
}

static void save_one(const histogram *it, text_buffer *to)
{
    paje_put_number(to, 1); /* one more */
    paje_put_text(to, it->type);
    paje_put_text(to, it->value);
    paje_put_text(to, it->alias);
    text_put(to, (const char *)it, sizeof *it);
    uint64_t used = 0;
    for (int64_t bin = it->lowest; bin <= it->highest; bin++)
        used += histogram_fine(it, bin)->count > 0;
    paje_put_number(to, used);
    for (int64_t bin = it->lowest; bin <= it->highest; bin++)
        if (histogram_fine(it, bin)->count > 0) {
            paje_put_number(to, (uint64_t)bin);
            text_put(to, (const char *)histogram_fine(it, bin), sizeof(fine_bin));
        }
}

static void free_name(pajesim_text name)
{
    if (name.size > 0)
        free((void *)(uintptr_t)name.bytes);
}

void histogram_save(paje_run *run, text_buffer *to)
{
    (void)run;
    paje_save_types(&types, to);
    for (size_t i = 0; i < histograms.count; i++) {
        histogram *it = &histograms.items[i];
        save_one(it, to);
        for (size_t k = 0; k < sizeof it->decades / sizeof *it->decades; k++)
            free(it->decades[k]);
        free_name(it->type);
        free_name(it->value);
        free_name(it->alias);
    }
    paje_put_number(to, 0);
    array_clear(&histograms);
    array_clear(&firsts);
    map_clear(&known);
    map_clear(&paths);
    map_clear(&types);
}

static void join_one(paje_parcel *from, const size_t *numbers)
{
    histogram it;
    fine_bin fine;
    pajesim_text type = paje_take_text(from), value = paje_take_text(from), alias = paje_take_text(from);
    paje_take(from, &it, sizeof it);
    it.type = type;
    size_t at = find_histogram(&it, (uint32_t)numbers[it.type_number - 1] + 1, value, alias, 0);
    histogram *to = &histograms.items[at];
    to->least = to->count == 0 ? it.least : fmin(to->least, it.least);
    to->most = to->count == 0 ? it.most : fmax(to->most, it.most);
    to->count += it.count;
    to->zeros += it.zeros;
    to->negative += it.negative;
    sum_add_sum(&to->time, &it.time);
    sum_add_sum(&to->negative_time, &it.negative_time);
    to->lowest = it.lowest < to->lowest ? it.lowest : to->lowest;
    to->highest = it.highest > to->highest ? it.highest : to->highest;
    for (uint64_t left = paje_take_number(from); left > 0; left--) {
        int64_t bin = (int64_t)paje_take_number(from);
        paje_take(from, &fine, sizeof fine);
        add_fine(fine_at(to, bin), &fine);
    }
}

int histogram_join(paje_parcel *from)
{
    size_t *numbers = paje_join_types(&types, from);
    while (paje_take_number(from))
        join_one(from, numbers);
    free(numbers);
    return 1;
}

double histogram_percentile(const histogram *it, double share)
{
    double rank = fmax(ceil(share * (double)it->count - 1e-9), 1);
    uint64_t below = it->negative;
    if (rank <= (double)below)
        return NAN;
    below += it->zeros;
    if (rank <= (double)below)
        return 0;
    for (int64_t bin = it->lowest; bin <= it->highest; bin++) {
        below += histogram_fine(it, bin)->count;
        if (rank <= (double)below)
            return fmin(fmax(histogram_edge(bin), it->least), it->most);
    }
    return it->most;
}

static int compare(const void *left, const void *right)
{
    const histogram *a = left, *b = right;
    double one = sum_of(&a->time), other = sum_of(&b->time);
    if (a->kind != b->kind)
        return a->kind == PAJESIM_STATE ? -1 : 1;
    if (one < other || one > other)
        return one > other ? -1 : 1;
    int order = text_compare(a->type, b->type);
    order = order ? order : text_compare(a->value, b->value);
    return order ? order : text_compare(a->alias, b->alias);
}

void histogram_sort(void)
{
    if (histograms.count > 0)
        qsort(histograms.items, histograms.count, sizeof *histograms.items, compare);
}
