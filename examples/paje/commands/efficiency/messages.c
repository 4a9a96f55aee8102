/* Messages: links that begin or end in a call.  Each carries the ideal clocks of its sender to its receiver. */
#include "efficiency.h"
#include "replay/link_key.h"

#include <math.h>

/* A link of which one end is known. */
typedef struct half {
    int has_start, has_end, is_of_call; /* is_of_call: that end is in a call */
    size_t receiver;
    uint32_t generation; /* of the receiver's row: it is another one if the receiver is gone */
    double time; /* of that end */
} half;

static hash_map keys;
static array_of(half) halves;
static array_of(mark) marks; /* of the senders: as many for each half as there may be sections */

static size_t half_of(const pajesim_entity *link)
{
    const pajesim_text key = link_key(link);
    size_t known = keys.used, number = map_add(&keys, key.bytes, key.size);
    if (keys.used > known)
        *array_at(&halves, number) = (half){.receiver = ACTIVE_NONE};
    return number;
}

static mark *marks_of(size_t number)
{
    (void)array_at(&marks, (number + 1) * efficiency.section_count - 1);
    return &marks.items[number * efficiency.section_count];
}

/* Finds the size of a message among the user fields of its start, or in its value; returns 0 if there is none. */
static int find_size(pajesim *sim, const pajesim_entity *link, double *size)
{
    static const char *const usual[] = {"Bytes", "bytes", "Size", "size", "Length", "length", NULL};
    const char *const only[] = {efficiency.field, NULL};
    pajesim_field field;
    if (efficiency.field && strcmp(efficiency.field, "Value") == 0)
        return pajesim_number(link->value_name.bytes, link->value_name.size, size);
    for (const char *const *at = efficiency.field ? only : usual; *at; at++)
        if (pajesim_user_field_named(sim, &link->opening, *at, &field) &&
            pajesim_number(field.text.bytes, field.text.size, size))
            return 1;
    return 0;
}

static uint64_t bytes_of(pajesim *sim, const pajesim_entity *link)
{
    double bytes;
    if (!find_size(sim, link, &bytes)) {
        efficiency.unsized++;
        return 0;
    }
    efficiency.has_bytes = 1;
    return bytes > 0 && bytes < 1e18 ? (uint64_t)bytes : 0;
}

/* Whether a row is in a call at that time, or ends one, as that line may come first. */
static int is_in_call(const row *it, double time)
{
    return it->communicating > 0 || (it->has_called && it->left == time);
}

/* Other links, as those of a platform, or to the memory of a node, do not tell for whom calls wait. */
static void count_received(const half *one, int is_of_call)
{
    efficiency.received += one->is_of_call || is_of_call;
}

void efficiency_link_started(pajesim *sim, const pajesim_entity *link)
{
    size_t sender = efficiency_row_at(sim, link->start_container);
    if (!paje_shows_type(sim, link->type) || sender == ACTIVE_NONE)
        return;
    efficiency_settle_row(sender);
    size_t number = half_of(link);
    row *it = &efficiency.rows.items[sender];
    efficiency_advance(it, efficiency_time(link->start));
    efficiency_mark(it, marks_of(number));
    for (size_t i = 0; i < efficiency.sections.count && it->communicating > 0; i++)
        if (efficiency.sections.items[i].is_open && link->start >= efficiency.start && link->start <= efficiency.end &&
            (i == 0 || it->parts[i].depth > 0)) {
            efficiency_part(it, i)->messages++;
            it->parts[i].bytes += bytes_of(sim, link);
        }
    half *one = &halves.items[number];
    const int is_of_call = is_in_call(it, link->start);
    one->has_start = 1;
    if (one->has_end && one->time < link->start) {
        efficiency.backwards++;
    } else if (one->has_end) {
        row *receiver = &efficiency.rows.items[one->receiver];
        if (receiver->generation == one->generation)
            efficiency_follow(receiver, marks_of(number));
        count_received(one, is_of_call);
    }
    one->time = link->start;
    one->is_of_call = is_of_call;
}

void efficiency_link_ended(pajesim *sim, const pajesim_entity *link)
{
    size_t receiver = efficiency_row_at(sim, link->end_container);
    if (!paje_shows_type(sim, link->type) || receiver == ACTIVE_NONE)
        return;
    size_t number = half_of(link);
    half *one = &halves.items[number];
    row *it = &efficiency.rows.items[receiver];
    if (one->has_start && one->time > link->end) {
        efficiency.backwards++;
    } else if (one->has_start) {
        efficiency_advance(it, efficiency_time(link->end));
        efficiency_follow(it, marks_of(number));
        count_received(one, is_in_call(it, link->end));
    }
    *one = (half){one->has_start, 1, is_in_call(it, link->end), receiver, it->generation, link->end};
}

void efficiency_add_untold(row *it, double time)
{
    if (!efficiency.sections.items[0].is_open)
        return;
    row_part *part = efficiency_part(it, 0);
    double from = fmax(it->began, part->start);
    if (time > from) {
        sum_add(&part->untold, time - from);
        efficiency.outer++;
    }
    it->began = time;
}

void efficiency_link_closed(const pajesim_entity *link)
{
    size_t number = half_of(link);
    const half *one = &halves.items[number];
    if (one->has_end && one->is_of_call && !one->has_start) {
        row *receiver = &efficiency.rows.items[one->receiver];
        if (receiver->generation == one->generation)
            efficiency_add_untold(receiver, efficiency_time(one->time));
    }
    map_remove(&keys, number);
}
