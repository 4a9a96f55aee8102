/* Measuring: cells, the events of threads, and what is due at some time. */
#include "measure.h"

#include <stdlib.h>
#include <string.h>

static uint32_t load(const uint32_t *word) { return __atomic_load_n(word, __ATOMIC_RELAXED); }

void measure_init(measure *it, const measure_source *source, uint64_t origin)
{
    it->source = *source;
    it->origin = origin;
}

uint32_t measure_add_place(measure *it, const measure_place *place)
{
    uint32_t number = load(&it->places);
    if (number == MEASURE_PLACES)
        return number;
    it->place[number] = *place;
    __atomic_store_n(&it->places, number + 1, __ATOMIC_RELEASE);
    return number;
}

/* ---- values ---- */

/* Adds a square to a sum of 128 bits. */
static void add_square(measure_values *to, int64_t value)
{
    const uint64_t v = value < 0 ? 0 - (uint64_t)value : (uint64_t)value, low = v & 0xffffffff, high = v >> 32;
    const uint64_t middle = low * high, add = low * low;
    uint64_t sum = to->squares_low + add;
    to->squares_high += high * high + (middle >> 31) + (sum < add);
    to->squares_low = sum + (middle << 33);
    to->squares_high += to->squares_low < sum;
}

static void add_value(measure_values *to, uint64_t time, int64_t value)
{
    to->last = value;
    to->time = time;
    to->sum = (int64_t)((uint64_t)to->sum + (uint64_t)value);
    if (!to->count || value < to->least)
        to->least = value;
    if (!to->count || value > to->most)
        to->most = value;
    to->count++;
    add_square(to, value);
}

void measure_merge(measure_values *to, const measure_values *from)
{
    if (!from->count)
        return;
    if (!to->count) {
        *to = *from;
        return;
    }
    if (from->time > to->time) {
        to->time = from->time;
        to->last = from->last;
    }
    to->sum = (int64_t)((uint64_t)to->sum + (uint64_t)from->sum);
    if (from->least < to->least)
        to->least = from->least;
    if (from->most > to->most)
        to->most = from->most;
    to->count += from->count;
    to->squares_low += from->squares_low;
    to->squares_high += from->squares_high + (to->squares_low < from->squares_low);
}

/* With q the mean, rounded down, and r the rest of that division: the sum of (v - q)^2 is squares - q (sum + r),
 * exactly. */
double measure_variance(const measure_values *v)
{
    const int64_t count = (int64_t)v->count;
    int64_t q, r;
    measure_values product = {0};
    uint64_t a, b, low, high;
    if (!count)
        return 0;
    q = v->sum / count;
    r = v->sum % count;
    if (r < 0) {
        r += count;
        q--;
    }
    /* q (sum + r), as q and sum + r = q count + 2 r have the same sign or one is small: by squares of halves */
    a = q < 0 ? 0 - (uint64_t)q : (uint64_t)q;
    b = v->sum + r < 0 ? 0 - (uint64_t)(v->sum + r) : (uint64_t)(v->sum + r);
    low = (a & 0xffffffff) * (b & 0xffffffff);
    product.squares_low = low;
    high = (a >> 32) * (b >> 32);
    for (int i = 0; i < 2; i++) {
        const uint64_t middle = i ? (a >> 32) * (b & 0xffffffff) : (a & 0xffffffff) * (b >> 32);
        const uint64_t before = product.squares_low;
        product.squares_low += middle << 32;
        high += (middle >> 32) + (product.squares_low < before);
    }
    product.squares_high = high;
    if ((q < 0) == (v->sum + r < 0)) {
        low = v->squares_low - product.squares_low;
        high = v->squares_high - product.squares_high - (v->squares_low < product.squares_low);
    } else {
        low = v->squares_low + product.squares_low;
        high = v->squares_high + product.squares_high + (low < product.squares_low);
    }
    return ((double)high * 18446744073709551616.0 + (double)low) / (double)count -
           (double)r / (double)count * ((double)r / (double)count);
}

static measure_cell *cell_of(const measure_probe *probe, uint32_t metric, uint32_t place)
{
    return &probe->cells[metric * MEASURE_PLACES + place];
}

/* Copies values word by word: a reader may see some of each, and then reads again. */
enum { WORDS = sizeof(measure_values) / sizeof(uint64_t) };

static void store_values(measure_values *to, const measure_values *from)
{
    const uint64_t *words = (const uint64_t *)(const void *)from;
    uint64_t *places = (uint64_t *)(void *)to;
    for (int i = 0; i < WORDS; i++)
        __atomic_store_n(&places[i], words[i], __ATOMIC_RELAXED);
}

static void load_values(measure_values *to, const measure_values *from)
{
    const uint64_t *places = (const uint64_t *)(const void *)from;
    uint64_t *words = (uint64_t *)(void *)to;
    for (int i = 0; i < WORDS; i++)
        words[i] = __atomic_load_n(&places[i], __ATOMIC_RELAXED);
}

static inline void add_to_cell(const measure_probe *probe, uint32_t number, uint32_t place, uint64_t time,
                               int64_t value)
{
    measure_cell *cell = cell_of(probe, number, place);
    const uint32_t epoch = load(&probe->epoch), sequence = cell->sequence;
    measure_values values = {0};
    if (cell->epoch == epoch)
        values = cell->values;
    add_value(&values, time, value);
    __atomic_store_n(&cell->sequence, sequence + 1, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_RELEASE);
    __atomic_store_n(&cell->epoch, epoch, __ATOMIC_RELAXED);
    store_values(&cell->values, &values);
    __atomic_store_n(&cell->sequence, sequence + 2, __ATOMIC_RELEASE);
}

measure_values measure_read(const measure *it, uint32_t number, uint32_t which, uint32_t place)
{
    static const measure_values none;
    const measure_probe *probe = &it->probe[number];
    const measure_cell *cell = cell_of(probe, which, place);
    measure_values values;
    uint32_t before, epoch;
    do {
        before = __atomic_load_n(&cell->sequence, __ATOMIC_ACQUIRE);
        load_values(&values, &cell->values);
        epoch = load(&cell->epoch);
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
    } while ((before & 1) || load(&cell->sequence) != before);
    return epoch == load(&probe->epoch) ? values : none;
}

/* ---- events of threads ---- */

static void add_to_ring(measure *it, const measure_sample *sample)
{
    measure_samples *ring = __atomic_load_n(&it->samples[sample->place], __ATOMIC_ACQUIRE);
    uint32_t head;
    if (!ring)
        return;
    head = load(&ring->head);
    if (head - __atomic_load_n(&ring->tail, __ATOMIC_ACQUIRE) == MEASURE_SAMPLES) {
        (void)__atomic_fetch_add(&ring->lost, 1, __ATOMIC_RELAXED);
        return;
    }
    ring->items[head % MEASURE_SAMPLES] = *sample;
    __atomic_store_n(&ring->head, head + 1, __ATOMIC_RELEASE);
}

static inline void add_sample(measure *it, uint32_t number, uint32_t metric, uint32_t place, uint64_t time,
                              int64_t value)
{
    const measure_probe *probe = &it->probe[number];
    add_to_cell(probe, metric, place, time, value);
    if (probe->is_each) {
        const measure_sample sample = {time, value, number, metric, place, load(&probe->epoch)};
        add_to_ring(it, &sample);
    }
}

int measure_fetch(measure *it, uint32_t place, measure_sample *sample)
{
    measure_samples *ring = it->samples[place];
    uint32_t tail;
    if (!ring)
        return 0;
    tail = load(&ring->tail);
    if (tail == __atomic_load_n(&ring->head, __ATOMIC_ACQUIRE))
        return 0;
    *sample = ring->items[tail % MEASURE_SAMPLES];
    __atomic_store_n(&ring->tail, tail + 1, __ATOMIC_RELEASE);
    return 1;
}

static int64_t value_of(const measure *it, int metric, uint32_t place, uint64_t time)
{
    return metric == METRIC_WC_TIME ? (int64_t)(time - it->origin) :
                                      it->source.value(it->source.data, metric, place, time);
}

__attribute__((noinline)) static int find_selected(const measure *it, measure_probe *probe, uint32_t place)
{
    uint8_t known = 2;
    for (uint32_t i = 0; i < probe->path_count; i++)
        if (measure_matches(&it->place[place], &probe->paths[i]))
            known = 1;
    __atomic_store_n(&probe->selected[place], known, __ATOMIC_RELAXED);
    return known == 1;
}

static inline int is_selected(const measure *it, measure_probe *probe, uint32_t place)
{
    const uint8_t known = __atomic_load_n(&probe->selected[place], __ATOMIC_RELAXED);
    return known ? known == 1 : find_selected(it, probe, place);
}

/* Whether values at the beginning have to be kept: WC_TIME of one region needs none but the time of that. */
static int has_begun_values(const measure_probe *probe)
{
    return probe->begun != NULL;
}

static void keep_begin(measure *it, measure_probe *probe, uint32_t place, uint64_t time)
{
    measure_begun *begun = &probe->begun[place];
    int64_t *values = probe->begun_values + (size_t)place * probe->begun_width * probe->metric_count;
    const uint32_t epoch = load(&probe->epoch), places = __atomic_load_n(&it->places, __ATOMIC_ACQUIRE);
    if (begun->epoch != epoch || begun->since != probe->since || probe->from != probe->to || probe->is_by_any)
        begun->depth = 0;
    begun->epoch = epoch;
    begun->since = probe->since;
    if (probe->is_by_any) {
        for (uint32_t other = 0; other < places; other++)
            for (uint32_t m = 0; m < probe->metric_count; m++)
                values[other * probe->metric_count + m] = value_of(it, probe->metrics[m], other, time);
    } else if (begun->depth < probe->begun_width) {
        for (uint32_t m = 0; m < probe->metric_count; m++)
            values[begun->depth * probe->metric_count + m] = value_of(it, probe->metrics[m], place, time);
    }
    begun->depth++;
}

/* Measures all that are selected, unless another thread does: it never waits. */
static void add_by_any(measure *it, uint32_t number, uint64_t time, const int64_t *values)
{
    measure_probe *probe = &it->probe[number];
    const uint32_t places = __atomic_load_n(&it->places, __ATOMIC_ACQUIRE);
    if (__atomic_exchange_n(&probe->busy, 1, __ATOMIC_ACQUIRE)) {
        (void)__atomic_fetch_add(&probe->missed, 1, __ATOMIC_RELAXED);
        return;
    }
    for (uint32_t other = 0; other < places; other++)
        for (uint32_t m = 0; m < probe->metric_count && is_selected(it, probe, other); m++) {
            const int64_t now = value_of(it, probe->metrics[m], other, time);
            add_to_cell(probe, m, other, time, values ? now - values[other * probe->metric_count + m] : now);
        }
    __atomic_store_n(&probe->busy, 0, __ATOMIC_RELEASE);
}

void measure_enter(measure *it, uint64_t probes, uint32_t region, uint32_t place, uint64_t time)
{
    for (; probes; probes &= probes - 1) {
        const uint32_t number = (uint32_t)__builtin_ctzll(probes);
        measure_probe *probe = &it->probe[number];
        if (probe->from != region)
            continue;
        if (probe->to != MEASURE_NO_REGION) {
            if (has_begun_values(probe))
                keep_begin(it, probe, place, time);
        } else if (probe->is_by_any) {
            add_by_any(it, number, time, NULL);
        } else if (is_selected(it, probe, place)) {
            for (uint32_t m = 0; m < probe->metric_count; m++)
                add_sample(it, number, m, place, time, value_of(it, probe->metrics[m], place, time));
        }
    }
}

static void leave_begun(measure *it, uint32_t number, uint32_t place, uint64_t time)
{
    measure_probe *probe = &it->probe[number];
    measure_begun *begun = &probe->begun[place];
    const int64_t *values = probe->begun_values + (size_t)place * probe->begun_width * probe->metric_count;
    if (begun->epoch != load(&probe->epoch) || begun->since != probe->since || !begun->depth)
        return;
    begun->depth--;
    if (probe->is_by_any) {
        begun->depth = 0;
        add_by_any(it, number, time, values);
    } else if (begun->depth >= probe->begun_width) {
        (void)__atomic_fetch_add(&probe->missed, 1, __ATOMIC_RELAXED);
    } else {
        for (uint32_t m = 0; m < probe->metric_count && is_selected(it, probe, place); m++)
            add_sample(it, number, m, place, time, value_of(it, probe->metrics[m], place, time) -
                                                       values[begun->depth * probe->metric_count + m]);
    }
}

void measure_leave(measure *it, uint64_t probes, uint32_t region, uint32_t place, uint64_t begin, uint64_t time)
{
    for (; probes; probes &= probes - 1) {
        const uint32_t number = (uint32_t)__builtin_ctzll(probes);
        measure_probe *probe = &it->probe[number];
        if (probe->to != region)
            continue;
        if (has_begun_values(probe)) {
            leave_begun(it, number, place, time);
        } else if (probe->from == MEASURE_NO_REGION && probe->is_by_any) {
            add_by_any(it, number, time, NULL);
        } else if (is_selected(it, probe, place) && (probe->from == MEASURE_NO_REGION || begin >= probe->since)) {
            const int is_duration = probe->from != MEASURE_NO_REGION; /* WC_TIME is the only metric then */
            for (uint32_t m = 0; m < probe->metric_count; m++)
                add_sample(it, number, m, place, time, is_duration ? (int64_t)(time - begin) :
                                                           value_of(it, probe->metrics[m], place, time));
        }
    }
}

/* ---- what is due at some time ---- */

/* Reads a metric of each entity of a probe that has no region.  What threads have is added; the time is the same for
 * all. `is_alive` is set for the first threads of entities that have a thread left, or all at the end of a trace. */
static void read_entities(const measure *it, const measure_probe *probe, int number, uint64_t now, int64_t *values,
                          uint8_t *is_alive)
{
    const uint32_t places = __atomic_load_n(&it->places, __ATOMIC_ACQUIRE);
    memset(values, 0, MEASURE_PLACES * sizeof *values);
    memset(is_alive, 0, MEASURE_PLACES);
    for (uint32_t place = 0; place < places; place++)
        for (uint32_t path = 0; path < probe->path_count; path++)
            if (measure_matches(&it->place[place], &probe->paths[path])) {
                const uint32_t first = measure_first(it, probe, path, place);
                const int64_t value = value_of(it, number, place, now);
                values[first] = number == METRIC_WC_TIME ? value : values[first] + value;
                    is_alive[first] |= it->is_over || !__atomic_load_n(&it->place[place].is_over, __ATOMIC_RELAXED);
                break;
            }
}

/* Takes a value of each entity, or the difference from the first ones. */
static void measure_all(measure *it, uint32_t number, uint64_t now, const int64_t *first)
{
    const measure_probe *probe = &it->probe[number];
    int64_t values[MEASURE_PLACES];
    uint8_t is_alive[MEASURE_PLACES];
    for (uint32_t m = 0; m < probe->metric_count; m++) {
        read_entities(it, probe, probe->metrics[m], now, values, is_alive);
        for (uint32_t place = 0; place < MEASURE_PLACES; place++)
            if (is_alive[place])
                add_sample(it, number, m, place, now, values[place] - (first ? first[m * MEASURE_PLACES + place] : 0));
    }
}

void measure_now(measure *it, uint32_t number, uint64_t now)
{
    measure_all(it, number, now, NULL);
}

/* Takes the first values of a duration, or a value. */
static void begin_interval(measure *it, uint32_t number, uint64_t now)
{
    measure_probe *probe = &it->probe[number];
    uint8_t is_alive[MEASURE_PLACES];
    if (!probe->measuring.duration) {
        measure_all(it, number, now, NULL);
        return;
    }
    for (uint32_t m = 0; m < probe->metric_count; m++)
        read_entities(it, probe, probe->metrics[m], now, probe->first_values + m * MEASURE_PLACES, is_alive);
    probe->until = now + (uint64_t)probe->measuring.duration * 1000000;
}

/* Whether a duration of a probe has ended by then, or an interval. */
static int is_due(const measure_probe *probe, uint64_t now)
{
    return (probe->until && probe->until <= now) || (probe->next_interval && probe->next_interval <= now);
}

int measure_tick(measure *it, uint64_t now)
{
    int has_more = 0;
    for (uint32_t number = 0; number < MEASURE_PROBES; number++) {
        measure_probe *probe = &it->probe[number];
        if (!probe->is_used || !probe->is_active || probe->has_region || !is_due(probe, now))
            continue;
        if (probe->until && (!probe->next_interval || probe->until <= probe->next_interval)) {
            const uint64_t at = probe->until;
            probe->until = 0;
            measure_all(it, number, at, probe->first_values);
        } else {
            const uint64_t at = probe->next_interval, step = (uint64_t)probe->measuring.interval * 1000000;
            probe->next_interval = step ? at + step : 0;
            if (step && now > at && now - at > 1000 * step) /* it was stopped: what is long past is not made up for */
                probe->next_interval = now + step;
            begin_interval(it, number, at);
        }
        has_more |= is_due(probe, now);
    }
    return has_more;
}

uint64_t measure_next(const measure *it)
{
    uint64_t next = UINT64_MAX;
    for (uint32_t number = 0; number < MEASURE_PROBES; number++) {
        const measure_probe *probe = &it->probe[number];
        if (!probe->is_used || !probe->is_active)
            continue;
        if (probe->next_interval && probe->next_interval < next)
            next = probe->next_interval;
        if (probe->until && probe->until < next)
            next = probe->until;
        if (probe->next_delivery && probe->next_delivery < next)
            next = probe->next_delivery;
    }
    return next;
}
