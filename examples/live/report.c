/* Measurement documents, in the three steps of the paper: generation, sorting, compression.
 *
 * The paper's example is not what its two steps of compression yield, in either order.  Decided: an entity that the
 * request names gets a group of its own, in the order of the request and without attribute, also if it has one member;
 * entities that the request gives by * or ? keep their attribute, and are grouped by it where several are alike.  Where
 * there are aggregates, all attributes stay, and those of AVERAGE, SUM and VARIANCE are null. */
#include "report.h"

#include <stdlib.h>
#include <string.h>

enum { ITEMS = 2048, KEYS = LEVELS + 1 }; /* the key 0 is the probe */

static const char *const attributes[KEYS] = {"probeId", "siteId", "nodeId", "communicatorId", "processId", "threadId"};

/* How a key is shown. */
enum { LEFT_OUT, NAMED, SHOWN };

typedef struct item {
    const char *key[KEYS]; /* NULL: null */
    uint8_t told[KEYS];
    int64_t value;
    double real;
    int is_real, decimals;
    int is_aggregate;      /* its place tells which function it is of, so it is grouped with its neighbours only */
    int is_done;           /* a group has it */
} item;

typedef struct items {
    item *items;
    uint32_t count;
} items;

static item *add_item(items *to)
{
    if (to->count == ITEMS)
        return NULL;
    memset(&to->items[to->count], 0, sizeof *to->items);
    return &to->items[to->count++];
}

/* Sets the keys of a thread down to some level. */
static void set_keys(item *it, const measure_place *place, const request_path *path, int depth, int are_shown)
{
    for (int level = 0; level < depth; level++) {
        const char *asked = path->id[level];
        const int is_any = strcmp(asked, "*") == 0 || strcmp(asked, "?") == 0;
        if (!place->id[level] || !*asked)
            continue;
        it->key[level + 1] = place->id[level];
        it->told[level + 1] = are_shown || is_any ? SHOWN : NAMED;
    }
}

/* The values of an entity: those of its threads, or, without a region, those that its first thread keeps for all. */
static measure_values values_of_entity(const measure *from, uint32_t number, uint32_t m, uint32_t path, uint32_t first,
                                       int depth)
{
    const measure_probe *probe = &from->probe[number];
    const uint32_t places = __atomic_load_n(&from->places, __ATOMIC_ACQUIRE);
    measure_values values = measure_read(from, number, m, first);
    for (uint32_t place = first + 1; place < places && depth < LEVELS && probe->has_region; place++)
        if (measure_first(from, probe, path, place) == first) {
            const measure_values more = measure_read(from, number, m, place);
            measure_merge(&values, &more);
        }
    return values;
}

static void add_aggregate(items *to, const measure *from, uint32_t number, uint32_t m, int function,
                          const uint8_t *chosen)
{
    const measure_probe *probe = &from->probe[number];
    const uint32_t places = __atomic_load_n(&from->places, __ATOMIC_ACQUIRE);
    measure_values all = {0};
    uint32_t best = places, best_path = 0;
    int64_t best_value = 0;
    const int decimals = metrics[probe->metrics[m]].decimals;
    item *it;
    for (uint32_t place = 0; place < places; place++) {
        measure_values values;
        uint32_t path = chosen[place] ? chosen[place] - 1u : probe->path_count;
        if (path == probe->path_count)
            continue;
        values = measure_read(from, number, m, place);
        if (!values.count)
            continue;
        if (best == places || (function == FUNCTION_MAXIMUM ? values.most > best_value : values.least < best_value)) {
            best = place;
            best_path = path;
            best_value = function == FUNCTION_MAXIMUM ? values.most : values.least;
        }
        measure_merge(&all, &values);
    }
    if (!all.count || !(it = add_item(to)))
        return;
    it->key[0] = probe->id;
    it->told[0] = SHOWN;
    it->decimals = decimals;
    it->is_aggregate = 1;
    it->value = function == FUNCTION_SUM ? all.sum : best_value;
    if (function == FUNCTION_MAXIMUM || function == FUNCTION_MINIMUM) {
        set_keys(it, &from->place[best], &probe->paths[best_path],
                 measure_matches(&from->place[best], &probe->paths[best_path]), 1);
    } else if (function != FUNCTION_SUM) {
        double scale = 1;
        for (int i = 0; i < decimals * (function == FUNCTION_VARIANCE ? 2 : 1); i++)
            scale *= 10;
        it->is_real = 1;
        it->real =
            (function == FUNCTION_VARIANCE ? measure_variance(&all) : (double)all.sum / (double)all.count) / scale;
    }
}

/* Generation and sorting: by the order of the request, then of the threads, metrics and functions. */
static void add_probe(items *to, const measure *from, uint32_t number)
{
    const measure_probe *probe = &from->probe[number];
    const uint32_t places = __atomic_load_n(&from->places, __ATOMIC_ACQUIRE);
    uint8_t chosen[MEASURE_PLACES] = {0}; /* 1 + the first path that has this thread */
    for (uint32_t path = 0; path < probe->path_count; path++)
        for (uint32_t place = 0; place < places; place++) {
            const int depth = measure_matches(&from->place[place], &probe->paths[path]);
            if (!depth || chosen[place])
                continue;
            if (measure_first(from, probe, path, place) == place)
                for (uint32_t m = 0; !probe->measuring.function_count && m < probe->metric_count; m++) {
                    const measure_values values = values_of_entity(from, number, m, path, place, depth);
                    item *it = values.count ? add_item(to) : NULL;
                    if (!it)
                        continue;
                    it->key[0] = probe->id;
                    it->told[0] = SHOWN;
                    it->value = values.last;
                    it->decimals = metrics[probe->metrics[m]].decimals;
                    set_keys(it, &from->place[place], &probe->paths[path], depth, 0);
                }
            chosen[place] = (uint8_t)(path + 1);
        }
    for (uint32_t m = 0; m < probe->metric_count; m++)
        for (uint32_t f = 0; f < probe->measuring.function_count; f++)
            add_aggregate(to, from, number, m, probe->measuring.functions[f], chosen);
}

/* ---- compression ---- */

static int is_alike(const item *a, const item *b, int key)
{
    return a->told[key] == b->told[key] && strcmp(a->key[key], b->key[key]) == 0;
}

/* Whether a named entity is the innermost one, and has a single value: then it needs no group. */
static int is_single(const item *it, int key, uint32_t count)
{
    for (int inner = key + 1; inner < KEYS; inner++)
        if (it->told[inner] != LEFT_OUT)
            return 0;
    return count == 1;
}

static void put_item(markup *to, const item *it)
{
    markup_put(to, "<measurement");
    for (int key = 0; key < KEYS; key++)
        if (it->told[key] == SHOWN)
            markup_attribute(to, attributes[key], it->key[key]);
    markup_put(to, " value=\"");
    if (it->is_real)
        markup_double(to, it->real);
    else
        markup_fixed(to, it->value, it->decimals);
    markup_put(to, "\"/>");
}

/* Writes items, which are alike in all keys before `key`.  Returns how many elements. */
static uint32_t put_items(markup *to, item **list, uint32_t count, int key)
{
    uint32_t written = 0, rest = 0;
    item **group, **single;
    if (key == KEYS) {
        for (uint32_t i = 0; i < count; i++)
            put_item(to, list[i]);
        return count;
    }
    group = malloc(2 * (count + 1) * sizeof *group); /* the agent's memory, for a document */
    if (!group) {
        to->is_cut = 1;
        return 0;
    }
    single = group + count + 1;
    for (uint32_t i = 0; i < count; i++)
        list[i]->is_done = 0;
    for (uint32_t i = 0; i < count; i++) {
        item *const it = list[i];
        uint32_t size = 0;
        if (it->is_done)
            continue;
        if (it->told[key] != LEFT_OUT)
            for (uint32_t k = i; k < count && (size == k - i || !it->is_aggregate); k++)
                if (!list[k]->is_done && is_alike(list[k], it, key))
                    group[size++] = list[k];
        if (it->told[key] == LEFT_OUT || (it->told[key] == SHOWN && size == 1) ||
            (it->told[key] == NAMED && is_single(it, key, size))) {
            single[rest++] = it;
            continue;
        }
        written += put_items(to, single, rest, key + 1); /* those before it */
        rest = 0;
        if (it->told[key] == NAMED && size == count) { /* what is around it is its group */
            written += put_items(to, group, size, key + 1);
            break;
        }
        markup_put(to, "<measurement");
        if (it->told[key] == SHOWN)
            markup_attribute(to, attributes[key], it->key[key]);
        markup_put(to, ">");
        for (uint32_t k = 0; k < size; k++)
            group[k]->told[key] = LEFT_OUT;
        put_items(to, group, size, key + 1);
        for (uint32_t k = 0; k < size; k++)
            group[k]->is_done = 1;
        markup_put(to, "</measurement>");
        written++;
    }
    written += put_items(to, single, rest, key + 1);
    free(group);
    return written;
}

static void put_document(markup *to, items *from)
{
    static const char open[] = "<measurement>";
    item **list = malloc((from->count + 1) * sizeof *list);
    const size_t at = to->size;
    uint32_t elements;
    if (!list) {
        to->is_cut = 1;
        return;
    }
    for (uint32_t i = 0; i < from->count; i++)
        list[i] = &from->items[i];
    elements = put_items(to, list, from->count, 0);
    if (elements == 0) {
        markup_put(to, "<measurement/>");
    } else if (elements > 1 && to->capacity - to->size > sizeof open) {
        memmove(to->bytes + at + sizeof open - 1, to->bytes + at, to->size - at);
        memcpy(to->bytes + at, open, sizeof open - 1);
        to->size += sizeof open - 1;
        markup_put(to, "</measurement>");
    } else if (elements > 1) {
        to->is_cut = 1;
    }
    markup_put(to, "\n");
    free(list);
}

void report_probes(markup *to, const measure *from, const uint32_t *probes, uint32_t count)
{
    items all = {malloc(ITEMS * sizeof(item)), 0};
    if (!all.items) {
        to->is_cut = 1;
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        add_probe(&all, from, probes[i]);
    for (uint32_t i = 0; i < all.count; i++)
        if (count < 2)
            all.items[i].told[0] = LEFT_OUT;
    put_document(to, &all);
    if (all.count == ITEMS)
        to->is_cut = 1;
    free(all.items);
}

void report_sample(markup *to, const measure *from, const measure_sample *sample)
{
    const measure_probe *probe = &from->probe[sample->probe];
    item single;
    items one = {&single, 1};
    memset(&single, 0, sizeof single);
    single.value = sample->value;
    single.decimals = metrics[probe->metrics[sample->metric]].decimals;
    for (uint32_t path = 0; path < probe->path_count; path++) {
        const int depth = measure_matches(&from->place[sample->place], &probe->paths[path]);
        if (depth) {
            set_keys(&single, &from->place[sample->place], &probe->paths[path], depth, 0);
            break;
        }
    }
    put_document(to, &one);
}
