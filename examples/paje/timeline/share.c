/* Several processes read a trace for a timeline: each keeps a log of what it sees in its parts, and the parent takes
 * what the logs hold in the order of the trace, as one process would.  Types and containers have numbers that are the
 * same in all processes, since each also counts those of the lines that others show.  Values have other numbers in each
 * part. */
#include "timeline/timeline.h"

#include <string.h>

enum { SEEN_TYPE, SEEN_CONTAINER, SEEN_VALUE, SEEN_NAME, SEEN_ENTITY };

/* What is logged; texts follow. */
typedef struct log_entry {
    unsigned what, kind;
    unsigned has_outer, has_fields; /* has_outer: or a container that is_around */
    uint32_t type, node, other;     /* other: the depth of a state; the node where a link ends */
    uint32_t value, outer_value;
    double start, end, number;
} log_entry;

struct timeline_log {
    text_buffer bytes;
    uint32_t counted[2]; /* types and containers of all lines until now */
    int is_before;       /* 1: only count, as another process logs the line */
    uint32_t values;     /* that have a number in this part */
    hash_map names;      /* of values that the trace does not define; keys: name_key() */
    array_of(uint32_t) numbers; /* of these */
    text_buffer text;
};

enum { TYPES, CONTAINERS };

/* ---- a process */

/* An entry takes about 22 bytes in the log: a head, numbers of 7 bits in each byte, and times. */
enum { MOST_BYTES = 1 + 5 * 5 + 3 * 8 };

static char *put_number(char *to, uint32_t number)
{
    for (; number > 127; number >>= 7)
        *to++ = (char)(unsigned char)(number | 128);
    *to++ = (char)number;
    return to;
}

static char *put_double(char *to, double number)
{
    memcpy(to, &number, sizeof number);
    return to + sizeof number;
}

/* TIMELINE_OUTSIDE becomes 0. */
static void put(timeline_log *log, const log_entry *it)
{
    char *begin = text_reserve(&log->bytes, MOST_BYTES), *to = begin;
    *to++ = (char)(unsigned char)(it->what | it->kind << 3 | it->has_outer << 6 | it->has_fields << 7);
    to = put_number(to, it->type);
    to = put_number(to, it->node + 1);
    to = put_number(to, it->other + 1);
    to = put_number(to, it->value);
    to = put_number(to, it->outer_value);
    to = put_double(to, it->start);
    to = put_double(to, it->end);
    if (it->kind == PAJESIM_VARIABLE)
        to = put_double(to, it->number);
    log->bytes.size += (size_t)(to - begin);
}

uint32_t timeline_log_type(timeline_log *log, const timeline_type_seen *it)
{
    log_entry entry = {.what = SEEN_TYPE, .kind = (unsigned)it->kind};
    if (!log->is_before) {
        put(log, &entry);
        paje_put_text(&log->bytes, it->name);
        paje_put_text(&log->bytes, it->color);
        paje_put_text(&log->bytes, it->container_type);
    }
    return ++log->counted[TYPES];
}

uint32_t timeline_log_container(timeline_log *log, const timeline_container *it)
{
    log_entry entry = {.what = SEEN_CONTAINER, .type = it->type, .node = it->parent, .start = it->start,
                       .has_outer = it->is_around != 0};
    if (!log->is_before) {
        put(log, &entry);
        paje_put_text(&log->bytes, it->name);
    }
    return ++log->counted[CONTAINERS];
}

static void put_value(timeline_log *log, unsigned what, uint32_t type, pajesim_text name, pajesim_text color)
{
    log_entry entry = {.what = what, .type = type};
    put(log, &entry);
    paje_put_text(&log->bytes, name);
    paje_put_text(&log->bytes, color);
}

/* What was noted of the value, under another name perhaps, is forgotten. */
void timeline_log_value(timeline_log *log, pajesim *sim, uint32_t type, const pajesim_value_info *value)
{
    put_value(log, SEEN_VALUE, type, value->name, value->color);
    *pajesim_user_data(sim, value->ref) = 0;
}

/* The number of the value of an entity within this part. */
static uint32_t value_number(timeline_log *log, const timeline_seen *it, const pajesim_entity *of)
{
    if (of->value) {
        uint32_t noted = paje_noted(it->sim, of->value);
        if (noted)
            return noted - 1;
        put_value(log, SEEN_NAME, it->type, of->value_name, pajesim_color(it->sim, of->value));
        paje_note(it->sim, of->value, log->values + 1);
        return log->values++;
    }
    pajesim_text key = name_key(&log->text, it->type, of->value_name);
    size_t known = log->names.used, at = map_add(&log->names, key.bytes, key.size);
    uint32_t *number = array_at(&log->numbers, at);
    if (log->names.used > known) {
        put_value(log, SEEN_NAME, it->type, of->value_name, text_of(""));
        *number = log->values++;
    }
    return *number;
}

void timeline_log_entity(timeline_log *log, const timeline_seen *it)
{
    const pajesim_entity *entity = it->entity;
    log_entry entry = {.what = SEEN_ENTITY, .kind = (unsigned)it->kind, .type = it->type, .node = it->node,
                       .start = it->start, .end = it->end, .number = it->number};
    entry.other = it->kind == PAJESIM_LINK ? it->to : it->depth;
    entry.has_outer = it->has_outer != 0;
    entry.has_fields = it->kind != PAJESIM_CONTAINER && (entity->opening.count > 0 || entity->closing.count > 0);
    if (it->kind != PAJESIM_VARIABLE && it->kind != PAJESIM_CONTAINER)
        entry.value = value_number(log, it, entity);
    if (it->has_outer)
        entry.outer_value = value_number(log, it, it->outer);
    put(log, &entry);
    if (!entry.has_fields)
        return;
    text_clear(&log->text);
    timeline_put_fields(&log->text, it->sim, entity);
    paje_put_text(&log->bytes, text_view(&log->text));
}

static timeline_log own_log;
static timeline own = {.log = &own_log}; /* of this process: it collects nothing */

static void begin_process(paje_run *run, int trace)
{
    (void)trace;
    memset(own_log.counted, 0, sizeof own_log.counted);
    run->command_data = &own;
    if (run->settings->filter.containers.count == 0)
        *pajesim_user_data(&run->sim, pajesim_root(&run->sim)) = 1;
}

static int count_type(pajesim *sim, const pajesim_type_info *type)
{
    own_log.is_before = 1;
    timeline_new_type(sim, type);
    own_log.is_before = 0;
    return PAJESIM_GO_ON;
}

static int count_container(pajesim *sim, const pajesim_entity *container)
{
    own_log.is_before = 1;
    timeline_container_created(sim, container);
    own_log.is_before = 0;
    return PAJESIM_GO_ON;
}

static void save(paje_run *run, text_buffer *to)
{
    (void)run;
    paje_put_text(to, text_view(&own_log.bytes));
    text_clear(&own_log.bytes);
    own_log.values = 0;
    map_clear(&own_log.names);
    array_clear(&own_log.numbers);
}

/* ---- the parent */

/* A value of the part that is taken.  It becomes one of the timeline when it is needed, as that may be full by then. */
typedef struct shared_value {
    uint32_t type, known; /* known: its number in the timeline, plus 1; 0: none yet */
    pajesim_text name, color;
} shared_value;

static struct {
    timeline *tl;
    array_of(uint32_t) types, nodes; /* of the timeline, by number */
    array_of(shared_value) values;
} shared;

uint32_t timeline_shared_value(timeline *tl, uint32_t number)
{
    shared_value *value = &shared.values.items[number];
    if (!value->known)
        value->known = timeline_add_value(tl, value->type, value->name, value->color) + 1;
    return value->known - 1;
}

static uint32_t shared_type(uint32_t number)
{
    return number ? shared.types.items[number - 1] : 0;
}

static uint32_t shared_node(uint32_t number)
{
    return number && number != TIMELINE_OUTSIDE ? shared.nodes.items[number - 1] : number;
}

static uint32_t take_number(paje_parcel *from)
{
    uint32_t number = 0;
    unsigned char byte = 128;
    for (unsigned shift = 0; byte & 128; shift += 7) {
        paje_take(from, &byte, 1);
        number |= (uint32_t)(byte & 127) << shift;
    }
    return number;
}

static double take_double(paje_parcel *from)
{
    double number;
    paje_take(from, &number, sizeof number);
    return number;
}

static void take(paje_parcel *from, log_entry *it)
{
    unsigned char head;
    paje_take(from, &head, 1);
    it->what = head & 7;
    it->kind = head >> 3 & 7;
    it->has_outer = head >> 6 & 1;
    it->has_fields = head >> 7;
    it->type = take_number(from);
    it->node = take_number(from) - 1;
    it->other = take_number(from) - 1;
    it->value = take_number(from);
    it->outer_value = take_number(from);
    it->start = take_double(from);
    it->end = take_double(from);
    it->number = it->kind == PAJESIM_VARIABLE ? take_double(from) : 0;
}

static void take_type(timeline *tl, const log_entry *entry, paje_parcel *from)
{
    timeline_type_seen it = {.kind = (pajesim_kind)entry->kind, .name = paje_take_text(from)};
    it.color = paje_take_text(from);
    it.container_type = paje_take_text(from);
    *array_push(&shared.types) = timeline_take_type(tl, &it);
}

static void take_container(timeline *tl, const log_entry *entry, paje_parcel *from)
{
    timeline_container it = {shared_node(entry->node), shared_type(entry->type), paje_take_text(from), entry->start,
                             (int)entry->has_outer};
    *array_push(&shared.nodes) = timeline_take_container(tl, &it);
}

static void take_value(timeline *tl, const log_entry *entry, paje_parcel *from)
{
    shared_value value = {shared_type(entry->type), 0, paje_take_text(from), {NULL, 0}};
    value.color = paje_take_text(from);
    if (entry->what == SEEN_NAME)
        *array_push(&shared.values) = value;
    else if (value.type)
        timeline_add_value(tl, value.type, value.name, value.color);
}

static void take_entity(timeline *tl, const log_entry *entry, paje_parcel *from)
{
    timeline_seen it = {.kind = (pajesim_kind)entry->kind, .type = shared_type(entry->type),
                        .node = shared_node(entry->node), .has_outer = (int)entry->has_outer,
                        .has_fields = (int)entry->has_fields, .start = entry->start, .end = entry->end,
                        .number = entry->number, .value = entry->value, .outer_value = entry->outer_value};
    if (it.kind == PAJESIM_LINK)
        it.to = shared_node(entry->other);
    else
        it.depth = entry->other;
    if (it.has_fields)
        it.fields = paje_take_text(from);
    if (it.type || it.kind == PAJESIM_CONTAINER)
        timeline_take(tl, &it);
}

static int join(paje_parcel *part)
{
    timeline *tl = shared.tl;
    pajesim_text log = paje_take_text(part);
    paje_parcel from = {log.bytes, log.size};
    log_entry entry;
    while (from.left > 0) {
        take(&from, &entry);
        switch (entry.what) {
        case SEEN_TYPE: take_type(tl, &entry, &from); break;
        case SEEN_CONTAINER: take_container(tl, &entry, &from); break;
        case SEEN_ENTITY: take_entity(tl, &entry, &from); break;
        default: take_value(tl, &entry, &from); break;
        }
    }
    array_clear(&shared.values);
    return 1;
}

const paje_table timeline_table = {save, join, begin_process, 1};

void timeline_share(timeline *tl, paje_settings *settings)
{
    static const pajesim_callbacks before = {.new_type = count_type, .container_created = count_container};
    shared.tl = tl;
    settings->before = &before;
    settings->noted = own_log.counted;
    settings->noted_size = sizeof own_log.counted;
}
