/* Collective operations: who waits for whom to begin, and a row for each operation. */
#include "waits.h"
#include "replay/instances.h"

#include <math.h>

/* What is printed of an operation. */
typedef struct operation {
    size_t class, first, last; /* first, last: names */
    text_buffer communicator;
    int64_t number, size;
    double begin, end, waiting; /* from the first beginning to the last one */
} operation;

static array_of(operation) operations; /* the first --top of them, those that waited most first */

static void put_csv(const operation *it)
{
    text_put_csv(&stream_output, active_value(it->class));
    text_putc(&stream_output, ',');
    text_put_csv(&stream_output, text_view(&it->communicator));
    text_printf(&stream_output, ",%lld,%lld", (long long)it->number, (long long)it->size);
    const double times[] = {it->begin, it->end, it->end - it->begin, it->waiting};
    for (size_t i = 0; i < 4; i++) {
        text_putc(&stream_output, ',');
        text_put_number(&stream_output, times[i]);
    }
    const size_t names[] = {it->first, it->last};
    for (size_t i = 0; i < 4; i++) {
        text_putc(&stream_output, ',');
        text_put_csv(&stream_output, i < 2 ? active_path(names[i]) : active_alias(names[i - 2]));
    }
    stream_end_line();
}

/* Puts an operation into its place among those that waited most. */
static void keep(operation *it)
{
    size_t at = operations.count;
    while (at > 0 && operations.items[at - 1].waiting < it->waiting)
        at--;
    if (waits_options.top && at >= waits_options.top) {
        text_free(&it->communicator);
        return;
    }
    if (waits_options.top && operations.count == waits_options.top)
        text_free(&operations.items[--operations.count].communicator);
    (void)array_push(&operations);
    memmove(&operations.items[at + 1], &operations.items[at], (operations.count - 1 - at) * sizeof *it);
    operations.items[at] = *it;
}

/* All have begun it. */
static void add_operation(size_t number)
{
    instance *in = instance_at(number);
    sum waiting = {0};
    int is_shown = 0;
    for (size_t i = 0; i < in->members.count; i++) {
        const instance_member *own = &in->members.items[i], *other = instance_awaited(in, i);
        is_shown |= own->is_shown;
        if (!other || !(other->begin > own->begin))
            continue;
        sum_add(&waiting, fmax(fmin(other->begin, waits_options.end) - fmax(own->begin, waits_options.start), 0));
        if (own->is_shown)
            waits_add(WAITS_COLLECTIVE, own->name, other->name, in->class, own->begin, other->begin);
    }
    const instance_member *first = &in->members.items[0], *last = instance_last(in);
    if (!is_shown || last->begin < waits_options.start || first->begin > waits_options.end)
        return;
    waits_collectives++;
    if (!waits_options.has_collectives)
        return;
    operation it = {in->class, first->name, last->name, {0}, in->number, in->size, first->begin, last->begin,
                    sum_of(&waiting)};
    text_append(&it.communicator, instance_communicator(number));
    if (waits_options.is_csv) {
        put_csv(&it);
        text_free(&it.communicator);
    } else {
        keep(&it);
    }
}

uint64_t waits_collectives;

void waits_state_began(pajesim *sim, const pajesim_entity *state, size_t place)
{
    if (!(active_class_at(active_class_of(sim, state))->flags & ACTIVE_RECEIVE))
        return;
    size_t number = instance_begin(sim, state, place);
    if (number != ACTIVE_NONE && instance_is_complete(instance_at(number)))
        add_operation(number);
}

void waits_state_ended(const pajesim_entity *state, size_t place)
{
    size_t member, number = instance_end(state, place, &member);
    if (number != ACTIVE_NONE)
        instance_leave(number);
}

void waits_print_collectives_head(void)
{
    text_puts(&stream_output, "Call,Communicator,Instance,Processes,First,Last,Spread,Waiting,FirstContainer,"
                              "LastContainer,FirstContainerAlias,LastContainerAlias");
    stream_end_line();
}

void waits_print_collectives(void)
{
    text_printf(&stream_output, "%llu collective operations", (unsigned long long)waits_collectives);
    stream_end_line();
    if (operations.count == 0)
        return;
    text_printf(&stream_output, "\n %12s %12s %12s %12s  Last to begin, call, instance", "Waiting", "Mean", "Spread",
                "Time");
    stream_end_line();
    for (size_t i = 0; i < operations.count; i++) {
        const operation *it = &operations.items[i];
        text_printf(&stream_output, " %12.6g %12.6g %12.6g %12.15g  ", it->waiting, it->waiting / (double)it->size,
                    it->end - it->begin, it->end);
        text_put_printable(&stream_output, active_label(it->last));
        text_puts(&stream_output, " in ");
        text_put_printable(&stream_output, active_value(it->class));
        text_printf(&stream_output, " %lld of ", (long long)it->number);
        text_put_printable(&stream_output, text_view(&it->communicator));
        stream_end_line();
    }
    if (waits_collectives > operations.count) {
        text_printf(&stream_output, "  (%llu more; --top 0 prints all)",
                    (unsigned long long)(waits_collectives - operations.count));
        stream_end_line();
    }
}
