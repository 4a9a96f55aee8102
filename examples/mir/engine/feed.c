/* The feed of a trace. */
#define PAJESIM_TIME_DECIMALS 9
#define PAJESIM_VALUE_DECIMALS 0
#define PAJESIM_CACHE 16
#define PAJESIM_TRAVEL 0
#define PAJESIM_API static __attribute__((unused))
#define PAJESIM_IMPLEMENTATION
#include "pajesim.h"

#include "feed.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef LIVE_SMALL /* for a fuzzer */
enum { REGIONS = 16, ARENA = 1 << 13 };
#else
enum { REGIONS = 1 << 20, ARENA = 1 << 16 };
#endif
enum { FIRST_REGIONS = 8 /* there is room for at first; both are powers of two */ };

typedef struct region_of_trace {
    char *name;
    size_t size; /* of the name */
    measure_wants wants;
    uint32_t adds; /* metrics that its states add to */
} region_of_trace;

/* A state that is open, and the probes that measure it from where it was opened. */
typedef struct open_state {
    pajesim_ref type;
    uint32_t depth;
    uint64_t both;
} open_state;

struct feed {
    reply reply;
    pajesim sim;
    void *arena;
    size_t capacity;
    int64_t divisor;   /* how many billionths of the trace's unit are a nanosecond */
    char lack[80];     /* what of the trace the replies do not tell of */
    uint64_t now, due;
    int is_eager; /* 1: a probe delivers each value */
    region_of_trace *region;
    uint32_t regions, capacity_of_regions;
    uint32_t *slot; /* twice as many as there is room for regions: the number of one, + 1, by the hash of its name */
    int64_t totals[MEASURE_PLACES][METRICS];
    uint32_t seen; /* metrics that events or variables of the trace have had, a bit for each */
    pajesim_ref container[MEASURE_PLACES];
    struct { open_state *states; uint32_t count, capacity; } open[MEASURE_PLACES];
    reply_deliver deliver;
    char problem[200];
};

static char *copy(pajesim_text text)
{
    char *string = malloc(text.size + 1);
    if (string) {
        memcpy(string, text.bytes, text.size);
        string[text.size] = 0;
    }
    return string;
}

/* ---- regions ---- */

/* The place in the table of names where a name is, or may be put. */
static uint32_t *slot_of(const feed *it, pajesim_text name)
{
    uint32_t hash = 2166136261U; /* FNV-1a */
    for (size_t i = 0; i < name.size; i++)
        hash = (hash ^ (unsigned char)name.bytes[i]) * 16777619U;
    for (;; hash++) {
        uint32_t *slot = &it->slot[hash & (2 * it->capacity_of_regions - 1)];
        const region_of_trace *region = *slot ? &it->region[*slot - 1] : NULL;
        if (!region || (region->size == name.size && memcmp(region->name, name.bytes, name.size) == 0))
            return slot;
    }
}

/* Makes room for a region.  Returns 0 if there is none. */
static int reserve_region(feed *it)
{
    const uint32_t capacity = it->capacity_of_regions ? 2 * it->capacity_of_regions : FIRST_REGIONS;
    region_of_trace *wider;
    uint32_t *slots;
    if (it->regions < it->capacity_of_regions)
        return 1;
    if (capacity > REGIONS || !(wider = realloc(it->region, capacity * sizeof *wider)))
        return 0;
    it->region = wider;
    if (!(slots = calloc(2 * (size_t)capacity, sizeof *slots)))
        return 0;
    free(it->slot);
    it->slot = slots;
    it->capacity_of_regions = capacity;
    for (uint32_t i = 0; i < it->regions; i++)
        *slot_of(it, (pajesim_text){wider[i].name, wider[i].size}) = i + 1;
    return 1;
}

static uint32_t region_number(feed *it, pajesim_text name)
{
    const uint32_t number = it->regions;
    char *own;
    if (number && *slot_of(it, name))
        return *slot_of(it, name) - 1;
    if (!reserve_region(it) || !(own = copy(name))) {
        snprintf(it->lack, sizeof it->lack, "it has more than %u regions: replies tell of these alone", number);
        return MEASURE_NO_REGION;
    }
    it->region[number] = (region_of_trace){own, name.size, measure_wanted(&it->reply.measure, number),
                                           metrics_of_state(name.bytes, name.size)};
    *slot_of(it, name) = ++it->regions;
    return number;
}

/* The region of a state.  Its number is kept at the value, for the next one. */
static uint32_t region_of(pajesim *sim, const pajesim_entity *state)
{
    feed *it = pajesim_data(sim);
    pajesim_user_word *known = state->value ? pajesim_user_data(sim, state->value) : NULL;
    uint32_t number;
    if (known && *known)
        return (uint32_t)*known - 1;
    number = region_number(it, state->value_name);
    if (known && number != MEASURE_NO_REGION)
        *known = number + 1;
    return number;
}

/* A region may be asked for before the trace has it. */
static uint32_t find_region(void *data, const char *name)
{
    return region_number(data, (pajesim_text){name, strlen(name)});
}

static const char *region_name(void *data, uint32_t number, const char **file, int *line)
{
    const feed *it = data;
    *file = NULL;
    *line = 0;
    return number < it->regions ? it->region[number].name : NULL;
}

static void probes_changed(void *data)
{
    feed *it = data;
    for (uint32_t i = 0; i < it->regions; i++)
        it->region[i].wants = measure_wanted(&it->reply.measure, i);
    it->due = 0;
    it->is_eager = 0;
    for (uint32_t i = 0; i < MEASURE_PROBES; i++)
        it->is_eager |= it->reply.measure.probe[i].is_active && it->reply.measure.probe[i].is_each;
}

/* ---- time ---- */

/* A time of the trace in nanoseconds. */
static int64_t nanoseconds(const feed *it, pajesim_time time)
{
    return time / it->divisor;
}

static void go_on_to(feed *it, int64_t time)
{
    if (time > 0 && (uint64_t)time > it->now)
        it->now = (uint64_t)time;
    if ((it->now >= it->due || it->is_eager) && it->deliver) {
        reply_tick(&it->reply, it->now, it->deliver);
        it->due = reply_next(&it->reply);
    }
}

/* ---- entities ---- */

/* The level of a container type, by its name; the innermost ones are threads whatever they are called. */
static int level_of(pajesim *sim, pajesim_ref type)
{
    static const struct { const char *word; int level;
    } words[] = {{"site", LEVEL_SITE},
                 {"grid", LEVEL_SITE},
                 {"cluster", LEVEL_SITE},
                 {"node", LEVEL_NODE},
                 {"host", LEVEL_NODE},
                 {"machine", LEVEL_NODE},
                 {"communicator", LEVEL_COMMUNICATOR},
                 {"process", LEVEL_PROCESS},
                 {"rank", LEVEL_PROCESS},
                 {"program", LEVEL_PROCESS}};
    const pajesim_text name = pajesim_name(sim, type);
    char lower[64];
    size_t i;
    pajesim_ref inner = pajesim_first_child(sim, type);
    while (inner && pajesim_kind_of(sim, inner) != PAJESIM_CONTAINER)
        inner = pajesim_next_sibling(sim, inner);
    if (!inner)
        return LEVEL_THREAD;
    for (i = 0; i < name.size && i < sizeof lower - 1; i++)
        lower[i] = (char)tolower((unsigned char)name.bytes[i]);
    lower[i] = 0;
    for (i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(lower, words[i].word))
            return words[i].level;
    return -1;
}

static void free_place(measure_place *place)
{
    for (int level = 0; level < LEVELS; level++) {
        free((char *)(uintptr_t)place->id[level]);
        free((char *)(uintptr_t)place->name[level]);
    }
}

static int created(pajesim *sim, const pajesim_entity *container)
{
    feed *it = pajesim_data(sim);
    measure_place place;
    uint32_t number;
    go_on_to(it, nanoseconds(it, container->start));
    if (level_of(sim, container->type) != LEVEL_THREAD)
        return PAJESIM_GO_ON;
    memset(&place, 0, sizeof place);
    for (pajesim_ref ref = container->container; ref && ref != pajesim_root(sim); ref = pajesim_parent(sim, ref)) {
        const int level = level_of(sim, pajesim_type_of(sim, ref));
        if (level >= 0 && !place.id[level]) {
            place.id[level] = copy(pajesim_alias(sim, ref));
            place.name[level] = copy(pajesim_name(sim, ref));
        }
    }
    place.is_master = it->reply.measure.places == 0;
    number = measure_add_place(&it->reply.measure, &place);
    if (number == MEASURE_PLACES) {
        free_place(&place);
        snprintf(it->lack, sizeof it->lack, "it has more than %d threads: replies tell of these alone", MEASURE_PLACES);
        return PAJESIM_GO_ON;
    }
    it->container[number] = container->container;
    *pajesim_user_data(sim, container->container) = number + 1;
    return PAJESIM_GO_ON;
}

static uint32_t place_of(pajesim *sim, pajesim_ref container)
{
    const pajesim_user_word word = *pajesim_user_data(sim, container);
    return word ? (uint32_t)word - 1 : MEASURE_PLACES;
}

static const char *frame(void *data, uint32_t place, uint32_t depth)
{
    feed *it = data;
    pajesim *sim = &it->sim;
    static char name[REQUEST_REGION];
    const pajesim_ref container = it->container[place];
    for (pajesim_ref type = pajesim_first_child(sim, pajesim_type_of(sim, container)); type;
         type = pajesim_next_sibling(sim, type)) {
        pajesim_entity state;
        const uint32_t open = pajesim_kind_of(sim, type) == PAJESIM_STATE ? pajesim_depth(sim, container, type) : 0;
        if (depth < open && pajesim_open_entity(sim, container, type, open - 1 - depth, &state)) {
            snprintf(name, sizeof name, "%.*s", (int)state.value_name.size, state.value_name.bytes);
            return name;
        }
        depth -= depth < open ? depth : open;
    }
    return NULL;
}

/* ---- events ---- */

/* Remembers the probes of a state that was opened. */
static void push(feed *it, uint32_t place, const pajesim_entity *state, uint64_t both)
{
    if (it->open[place].count == it->open[place].capacity) {
        const uint32_t capacity = it->open[place].capacity ? 2 * it->open[place].capacity : 16;
        open_state *wider = realloc(it->open[place].states, capacity * sizeof *wider);
        if (!wider)
            return; /* it is not measured */
        it->open[place].states = wider;
        it->open[place].capacity = capacity;
    }
    it->open[place].states[it->open[place].count++] = (open_state){state->type, state->imbrication, both};
}

/* Returns the probes of a state that is closed. */
static uint64_t pop(feed *it, uint32_t place, const pajesim_entity *state)
{
    open_state *const states = it->open[place].states;
    for (uint32_t i = it->open[place].count; i > 0; i--)
        if (states[i - 1].type == state->type && states[i - 1].depth == state->imbrication) {
            const uint64_t both = states[i - 1].both;
            memmove(&states[i - 1], &states[i], (--it->open[place].count - (i - 1)) * sizeof *states);
            return both;
        }
    return 0;
}

static int opened(pajesim *sim, const pajesim_entity *state)
{
    feed *it = pajesim_data(sim);
    const uint32_t place = place_of(sim, state->container), number = region_of(sim, state);
    go_on_to(it, nanoseconds(it, state->start));
    if (place < MEASURE_PLACES)
        push(it, place, state, number == MEASURE_NO_REGION ? 0 : it->region[number].wants.both);
    if (place < MEASURE_PLACES && number != MEASURE_NO_REGION && it->region[number].wants.enter)
        measure_enter(&it->reply.measure, it->region[number].wants.enter, number, place,
                      (uint64_t)nanoseconds(it, state->start));
    return PAJESIM_GO_ON;
}

static void add_totals(feed *it, uint32_t which, uint32_t place, const pajesim_entity *state)
{
    pajesim_field field;
    int64_t bytes = 0;
    if (pajesim_user_field_named(&it->sim, &state->closing, "Bytes", &field) ||
        pajesim_user_field_named(&it->sim, &state->opening, "Bytes", &field))
        (void)pajesim_fixed(field.text.bytes, field.text.size, 0, &bytes);
    for (; which; which &= which - 1) {
        const int number = __builtin_ctz(which);
        it->totals[place][number] += metrics[number].kind == METRIC_STATE_TIME ?
                                         nanoseconds(it, state->end) - nanoseconds(it, state->start) :
                                     metrics[number].kind == METRIC_STATE_BYTES ? bytes : 1;
    }
}

static int closed(pajesim *sim, const pajesim_entity *entity)
{
    feed *it = pajesim_data(sim);
    uint32_t place, number;
    uint64_t probes;
    go_on_to(it, nanoseconds(it, entity->end));
    if (entity->kind != PAJESIM_STATE && entity->kind != PAJESIM_CONTAINER)
        return PAJESIM_GO_ON;
    place = place_of(sim, entity->container);
    if (place == MEASURE_PLACES)
        return PAJESIM_GO_ON;
    if (entity->kind == PAJESIM_CONTAINER) {
        it->reply.measure.place[place].is_over = 1;
        return PAJESIM_GO_ON;
    }
    probes = pop(it, place, entity);
    number = region_of(sim, entity);
    if (number == MEASURE_NO_REGION)
        return PAJESIM_GO_ON;
    probes = (probes & it->region[number].wants.both) | it->region[number].wants.leave;
    if (it->region[number].adds)
        add_totals(it, it->region[number].adds, place, entity);
    if (probes)
        measure_leave(&it->reply.measure, probes, number, place, (uint64_t)nanoseconds(it, entity->start),
                      (uint64_t)nanoseconds(it, entity->end));
    return PAJESIM_GO_ON;
}

static int event(pajesim *sim, const pajesim_entity *entity)
{
    feed *it = pajesim_data(sim);
    const uint32_t place = place_of(sim, entity->container);
    go_on_to(it, nanoseconds(it, entity->start));
    if (place == MEASURE_PLACES)
        return PAJESIM_GO_ON;
    for (uint32_t adds = metrics_of(METRIC_EVENT_COUNT, entity->value_name.bytes, entity->value_name.size); adds;
         adds &= adds - 1) {
        const int number = __builtin_ctz(adds);
        it->seen |= UINT32_C(1) << number;
        it->totals[place][number]++;
    }
    return PAJESIM_GO_ON;
}

/* The first thread of a container: it has what all have together, as values of threads are added. */
static uint32_t first_place_in(const feed *it, pajesim_ref container)
{
    const pajesim_text alias = pajesim_alias(&it->sim, container);
    for (uint32_t i = 0; i < it->reply.measure.places; i++)
        for (int level = 0; level < LEVELS; level++) {
            const char *id = it->reply.measure.place[i].id[level];
            if (id && strlen(id) == alias.size && memcmp(id, alias.bytes, alias.size) == 0)
                return i;
        }
    return MEASURE_PLACES;
}

static int variable(pajesim *sim, const pajesim_entity *entity)
{
    feed *it = pajesim_data(sim);
    const pajesim_text name = pajesim_name(sim, entity->type);
    uint32_t has = metrics_of(METRIC_VARIABLE, name.bytes, name.size);
    const uint32_t place = has ? first_place_in(it, entity->container) : MEASURE_PLACES;
    go_on_to(it, nanoseconds(it, entity->start));
    for (; place < MEASURE_PLACES && has; has &= has - 1) {
        const int number = __builtin_ctz(has);
        int64_t unit = 1;
        for (int i = 0; i < metrics[number].decimals; i++)
            unit *= 10;
        it->seen |= UINT32_C(1) << number;
        if (__builtin_mul_overflow(entity->number, unit, &it->totals[place][number]))
            it->totals[place][number] = INT64_MAX;
    }
    return PAJESIM_GO_ON;
}

static int problem(pajesim *sim, const pajesim_problem *what)
{
    feed *it = pajesim_data(sim);
    if (what->severity == PAJESIM_ERROR && !it->problem[0])
        snprintf(it->problem, sizeof it->problem, "line %llu: %s", (unsigned long long)what->line,
                 pajesim_problem_text(what->code));
    return PAJESIM_GO_ON;
}

/* ---- the feed ---- */

static const char *lacks(void *data, int number, int by_region)
{
    const feed *it = data;
    switch (metrics[number].kind) {
    case METRIC_CLOCK:
    case METRIC_THREADS:
        return NULL;
    case METRIC_STATE_TIME:
    case METRIC_STATE_COUNT:
    case METRIC_STATE_BYTES:
        for (uint32_t i = 0; i < it->regions; i++)
            if (it->region[i].adds >> number & 1)
                return NULL;
        if (metrics[number].is_java)
            return "not in this catalogue"; /* the trace is of no Java program, or has none of these yet */
        return it->now ? "the trace has no state of such a name (see README.md)" : NULL; /* it may come */
    case METRIC_EVENT_COUNT:
        return it->seen >> number & 1 ? NULL : "not in this catalogue";
    case METRIC_VARIABLE:
        return !(it->seen >> number & 1) ? "not in this catalogue" :
               by_region ? "is measured at intervals or when it is asked for, not by regions" : NULL;
    default:
        return "a trace does not have it";
    }
}

static int64_t value(void *data, int number, uint32_t place, uint64_t time)
{
    const feed *it = data;
    (void)time;
    return metrics[number].kind == METRIC_THREADS ? !it->reply.measure.place[place].is_over : it->totals[place][number];
}

static uint64_t now(void *data)
{
    return ((const feed *)data)->now;
}

feed *feed_new(void)
{
    static pajesim_callbacks callbacks;
    feed *it = calloc(1, sizeof *it);
    measure_source source = {it, find_region, lacks, value, probes_changed};
    if (!it)
        return NULL;
    callbacks.container_created = created;
    callbacks.state_pushed = callbacks.state_set = opened;
    callbacks.closed = closed;
    callbacks.event = event;
    callbacks.variable_set = callbacks.variable_updated = variable;
    callbacks.problem = problem;
    it->divisor = 1;
    it->capacity = ARENA;
    it->arena = malloc(it->capacity);
    if (!it->arena || pajesim_init(&it->sim, it->arena, it->capacity, NULL, &callbacks, it) != PAJESIM_OK)
        return NULL;
    measure_init(&it->reply.measure, &source, 0);
    it->reply.data = it;
    it->reply.now = now;
    it->reply.region = region_name;
    it->reply.frame = frame;
    return it;
}

void feed_free(feed *it)
{
    for (uint32_t i = 0; i < it->regions; i++)
        free(it->region[i].name);
    free(it->region);
    free(it->slot);
    for (uint32_t i = 0; i < it->reply.measure.places; i++)
        free_place(&it->reply.measure.place[i]);
    for (uint32_t i = 0; i < MEASURE_PLACES; i++)
        free(it->open[i].states);
    measure_free(&it->reply.measure);
    free(it->arena);
    free(it);
}

reply *feed_reply(feed *it)
{
    return &it->reply;
}

int feed_set_unit(feed *it, const char *unit)
{
    static const char *const names[] = {"s", "ms", "us", "ns"};
    int64_t divisor = 1;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++, divisor *= 1000)
        if (strcmp(unit, names[i]) == 0) {
            it->divisor = divisor;
            return 1;
        }
    return 0;
}

void feed_set_delivery(feed *it, reply_deliver deliver)
{
    it->deliver = deliver;
}

/* Takes a larger arena.  Returns 0 if there is none. */
static int grow(feed *it)
{
    const uint64_t needed = pajesim_capacity_needed(&it->sim);
    const size_t capacity = needed > 2 * it->capacity ? (size_t)needed : 2 * it->capacity;
    void *wider = malloc(capacity);
    if (!wider || pajesim_move(&it->sim, wider, capacity) != PAJESIM_OK) {
        free(wider);
        return 0;
    }
    free(it->arena);
    it->arena = wider;
    it->capacity = capacity;
    return 1;
}

int feed_read(feed *it, const char *bytes, size_t size)
{
    while (size > 0) {
        size_t taken;
        const pajesim_status status = pajesim_feed(&it->sim, bytes, size, &taken);
        bytes += taken;
        size -= taken;
        if (status == PAJESIM_FULL && !grow(it))
            return 0;
        if (status == PAJESIM_OPEN) { /* side programs read one stream */
            snprintf(it->lack, sizeof it->lack, "it includes files, which are not read");
            (void)pajesim_end_file(&it->sim);
        }
    }
    return 1;
}

void feed_finish(feed *it)
{
    while (pajesim_finish(&it->sim) == PAJESIM_FULL && grow(it))
        ;
    go_on_to(it, (int64_t)it->now);
    it->reply.measure.is_over = 1;
}

uint64_t feed_errors(const feed *it, const char **first)
{
    *first = it->problem;
    return pajesim_count(&it->sim)->errors;
}

const char *feed_lack(const feed *it)
{
    return *it->lack ? it->lack : NULL;
}
