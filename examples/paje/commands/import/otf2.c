/* Events of an OTF2 archive: regions are states, messages of MPI are links. */
#include "otf2.h"

/* Ends of messages that wait for the other one: a list for each sender, receiver, communicator and tag, as messages do
 * not overtake each other. */
typedef struct queue {
    uint32_t first, last; /* + 1; 0: none */
    int are_sent;         /* 1: where messages are sent, 0: where they are received */
} queue;

typedef struct pending {
    uint64_t key;
    uint32_t next; /* + 1; 0: none */
} pending;

/* The regions that a location is in. */
typedef struct stack {
    array_of(uint32_t) regions;
} stack;

static hash_map queue_keys;
static array_of(queue) queues;
static array_of(pending) ends;
static uint32_t free_ends; /* a list of those that are not in use, + 1 */
static uint64_t keys, waiting_ends;

static hash_map regions;              /* by number */
static array_of(stack) stacks;        /* by location */
static hash_map left_out;             /* kinds of events */
static array_of(uint64_t) left_counts;
static uint64_t last, early, without_enter, crossed;
static pajewrite_variant sent;

static void leave_out(pajesim_text kind)
{
    ++*array_at(&left_counts, map_add(&left_out, kind.bytes, kind.size));
}

/* ---- regions, which are defined when they are used first */

/* Leaves a region.  What was entered within it and is not left yet, as by tasks of OpenMP, begins again behind it. */
static void leave_region(uint32_t location, uint64_t time, uint32_t region)
{
    const pajewrite_type type = PAJEWRITE_TYPE(OTF2_REGION_TYPE);
    stack *it = array_at(&stacks, location);
    size_t at = it->regions.count;
    while (at > 0 && it->regions.items[at - 1] != region)
        at--;
    if (at == 0) {
        without_enter++;
        return;
    }
    crossed += at < it->regions.count;
    for (size_t i = at - 1; i < it->regions.count; i++)
        pajewrite_pop_state_at(&writer, time, otf2_container(location), type);
    for (size_t i = at; i < it->regions.count; i++) {
        it->regions.items[i - 1] = it->regions.items[i];
        pajewrite_push_state_at(&writer, time, otf2_container(location), type,
                                PAJEWRITE_VALUE(it->regions.items[i] + 1));
    }
    it->regions.count--;
}

static void change_region(const input_lines *lines, const otf2_record *it, uint32_t location, uint64_t time)
{
    const pajewrite_type type = PAJEWRITE_TYPE(OTF2_REGION_TYPE);
    pajesim_text name;
    uint64_t number;
    if (!otf2_last_reference(it->rest, &number, &name)) {
        lines_report(lines, it->kind.bytes, it->rest.bytes, it->rest.size, "no region");
        return;
    }
    size_t used = regions.used, index = map_add(&regions, &number, sizeof number);
    if (regions.used > used)
        write_value(PAJEWRITE_VALUE(index + 1), type, otf2_unquote(name), NULL);
    if (it->kind.bytes[0] == 'L') {
        leave_region(location, time, (uint32_t)index);
        return;
    }
    stack *open = array_at(&stacks, location);
    *array_push(&open->regions) = (uint32_t)index;
    pajewrite_push_state_at(&writer, time, otf2_container(location), type, PAJEWRITE_VALUE(index + 1));
}

/* ---- messages */

/* Returns the key of the link that this is an end of. */
static uint64_t match(const int64_t *message, size_t size, int is_sent)
{
    size_t used = queue_keys.used, number = map_add(&queue_keys, message, size);
    queue *in = array_at(&queues, number);
    if (queue_keys.used > used)
        *in = (queue){0, 0, is_sent};
    if (in->first && in->are_sent != is_sent) { /* the other end waits */
        uint32_t found = in->first;
        uint64_t key = ends.items[found - 1].key;
        in->first = ends.items[found - 1].next;
        ends.items[found - 1].next = free_ends;
        free_ends = found;
        if (!in->first)
            map_remove(&queue_keys, number);
        waiting_ends--;
        return key;
    }
    uint32_t added = free_ends;
    if (added)
        free_ends = ends.items[added - 1].next;
    else
        added = (uint32_t)ends.count + 1;
    *array_at(&ends, added - 1) = (pending){++keys, 0};
    if (in->first)
        ends.items[in->last - 1].next = added;
    else
        in->first = added;
    in->last = added;
    waiting_ends++;
    return keys;
}

/* `Receiver: 1 ("NAME" <1>), Communicator: "NAME" <0>, Tag: 7, Length: 4096` */
static void pass_message(const input_lines *lines, const otf2_record *it, uint32_t location, uint64_t time,
                         int is_sent)
{
    pajesim_text peer, tag, communicator, name;
    uint64_t other_location, communicator_number;
    int64_t numbers[2];
    uint32_t other;
    if (!otf2_cut(it->rest, ", Tag: ", &peer, &tag) || !otf2_cut(peer, ", Communicator: ", &peer, &communicator) ||
        !otf2_last_reference(peer, &other_location, &name) || !otf2_find_location(other_location, &other) ||
        !otf2_last_reference(communicator, &communicator_number, &name)) {
        lines_report(lines, it->kind.bytes, it->rest.bytes, it->rest.size, "no message of which both ends are known");
        return;
    }
    static const char length[] = ", Length: ";
    const size_t length_size = sizeof length - 1;
    const char *at = tag.bytes, *end = tag.bytes + tag.size;
    int is_there = prv_read_number(&at, end, &numbers[1]) && (size_t)(end - at) > length_size &&
                   memcmp(at, length, length_size) == 0;
    at += is_there ? length_size : 0;
    if (!is_there || !prv_read_number(&at, end, &numbers[0])) {
        lines_report(lines, it->kind.bytes, tag.bytes, tag.size, "no tag and length of a message");
        return;
    }
    const int64_t message[] = {is_sent ? location : other, is_sent ? other : location, (int64_t)communicator_number,
                               numbers[1]};
    pajewrite_event event = {.kind = is_sent ? PAJEWRITE_START_LINK : PAJEWRITE_END_LINK, .time = time,
                             .type = PAJEWRITE_TYPE(OTF2_LINK_TYPE), .container = PAJEWRITE_ROOT,
                             .value = PAJEWRITE_VALUE(1), .other = otf2_container(location),
                             .key = match(message, sizeof message, is_sent)};
    if (is_sent)
        pajewrite_write_ints(&writer, &event, sent, numbers, 2);
    else
        pajewrite_write(&writer, &event, NULL);
}

static void take(const input_lines *lines, const otf2_record *it)
{
    static const char *const kinds[] = {"ENTER", "LEAVE", "METRIC", "MPI_SEND", "MPI_ISEND", "MPI_RECV", "MPI_IRECV"};
    enum { ENTER, LEAVE, METRIC, SEND, ISEND, RECV, IRECV, KINDS };
    uint32_t location;
    uint64_t time;
    int kind = 0;
    while (kind < KINDS && !text_is_equal(it->kind, text_of(kinds[kind])))
        kind++;
    if (kind == KINDS) {
        leave_out(it->kind);
        return;
    }
    if (!otf2_find_location(it->number, &location)) {
        lines_report(lines, it->kind.bytes, it->kind.bytes, it->kind.size, "an event of an unknown location");
        return;
    }
    if (!otf2_time(it->time, &time)) {
        early++;
        return;
    }
    last = time > last ? time : last;
    if (kind == ENTER || kind == LEAVE)
        change_region(lines, it, location, time);
    else if (kind == METRIC)
        otf2_change_metrics(lines, it, location, time);
    else
        pass_message(lines, it, location, time, kind == SEND || kind == ISEND);
}

static void report(const char *name)
{
    text_buffer kinds = {0};
    uint64_t without_leave = 0;
    for (size_t i = 0; i < stacks.count; i++)
        without_leave += stacks.items[i].regions.count;
    for (size_t i = 0; i < left_counts.count; i++) {
        text_puts(&kinds, i ? ", " : "");
        text_put_printable(&kinds, map_key(&left_out, i));
        text_printf(&kinds, " (%llu)", (unsigned long long)left_counts.items[i]);
    }
    if (kinds.size)
        stream_message("%s: events of these kinds are left out: %s", name, text_string(&kinds));
    if (without_enter)
        stream_message("%s: %llu LEAVE without ENTER are left out", name, (unsigned long long)without_enter);
    if (without_leave)
        stream_message("%s: %llu ENTER without LEAVE last until the end", name, (unsigned long long)without_leave);
    if (crossed)
        stream_message("%s: %llu LEAVE of regions that are not the innermost: those within them begin again there",
                       name, (unsigned long long)crossed);
    if (early)
        stream_message("%s: %llu events before the global offset are left out", name, (unsigned long long)early);
    otf2_report_metrics(name);
    if (waiting_ends)
        stream_message("%s: %llu messages have one end only; `-z` makes commands ignore them", name,
                       (unsigned long long)waiting_ends);
    text_free(&kinds);
}

void otf2_import(const paje_source *source)
{
    if (source->file == 0)
        stream_fail("an OTF2 archive is a folder: name its anchor file, such as traces.otf2");
    otf2_read_definitions(source);
    sent = pajewrite_define_variant(&writer, PAJEWRITE_START_LINK, "Size int, Tag int");
    otf2_print(source, 1, take);
    otf2_destroy_containers(last);
    write_end();
    report(source->name);
}
