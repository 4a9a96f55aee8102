/* The sums of a path: tables. */
#include "critical.h"

#include <stdlib.h>

typedef struct total {
    size_t key; /* MAP_NONE: of all */
    sum time;
    uint64_t count;
} total;

typedef array_of(total) totals;

static totals by_value, by_container, by_both;
static hash_map values, containers, both;
static total all, links;

static void add(totals *to, hash_map *numbers, size_t part, const critical_piece *piece)
{
    total *it = array_at(to, map_add(numbers, &part, sizeof part));
    it->key = part;
    sum_add(&it->time, piece->time);
    it->count += piece->count;
}

static void add_piece(const critical_piece *piece)
{
    size_t class = critical_key_class(piece->key);
    add(&by_value, &values, class, piece);
    add(&by_container, &containers, critical_key_container(piece->key), piece);
    add(&by_both, &both, piece->key, piece);
    sum_add(&all.time, piece->time);
    if (class != ACTIVE_NONE && active_class_at(class)->kind == PAJESIM_LINK)
        links.count += piece->count;
}

static int compare(const void *a, const void *b)
{
    const total *one = a, *other = b;
    double x = sum_of(&one->time), y = sum_of(&other->time);
    return x < y ? 1 : x > y ? -1 : (one->key > other->key) - (one->key < other->key);
}

static void put_number(double time, uint64_t count)
{
    double whole = sum_of(&all.time);
    text_printf(&stream_output, " %12.6g %6.2f %% %9llu  ", time, whole > 0 ? 100 * (time / whole) : 0,
                (unsigned long long)count);
}

static void put_class(pajesim *sim, size_t class)
{
    if (class == ACTIVE_NONE) {
        text_puts(&stream_output, "(in no state)");
        return;
    }
    const active_class *it = active_class_at(class);
    if (it->kind == PAJESIM_LINK) {
        text_put_printable(&stream_output, pajesim_name(sim, it->type));
        text_puts(&stream_output, " ");
    }
    text_put_printable(&stream_output, active_value(class));
}

static void put_what(pajesim *sim, const total *it, int part)
{
    if (part == 0)
        put_class(sim, it->key);
    else if (part == 1)
        text_put_printable(&stream_output, active_label(it->key));
    else {
        critical_key key = (critical_key)it->key;
        text_put_printable(&stream_output, active_label(critical_key_container(key)));
        text_puts(&stream_output, ": ");
        put_class(sim, critical_key_class(key));
    }
}

static void print_table(pajesim *sim, totals *rows, int part, const char *name)
{
    size_t shown = critical_options.top && rows->count > critical_options.top ? critical_options.top : rows->count;
    stream_end_line();
    text_printf(&stream_output, " %12s %8s %9s  %s", "Time", "Share", "Pieces", name);
    stream_end_line();
    if (rows->count)
        qsort(rows->items, rows->count, sizeof *rows->items, compare);
    for (size_t i = 0; i < shown; i++) {
        put_number(sum_of(&rows->items[i].time), rows->items[i].count);
        put_what(sim, &rows->items[i], part);
        stream_end_line();
    }
    if (shown < rows->count) {
        text_printf(&stream_output, "  (%zu more; --top 0 prints all)", rows->count - shown);
        stream_end_line();
    }
}

void critical_print(pajesim *sim)
{
    if (critical_found.path)
        critical_for_each(critical_found.path, add_piece);
    if (by_both.count == 0) {
        text_puts(&stream_output, critical_options.last.count && critical_found.first <= critical_found.last
                                      ? "there is no path: no container that --last chooses has states"
                                      : "there is no path: no states");
        stream_end_line();
        return;
    }
    double time = sum_of(&all.time), whole = critical_found.last - critical_found.first;
    text_printf(&stream_output, "critical path: %.6g of %.6g from the first state to the last, over %llu links and %zu "
                "containers", time, whole, (unsigned long long)links.count, by_container.count);
    stream_end_line();
    print_table(sim, &by_value, 0, "State or link");
    print_table(sim, &by_container, 1, "Container");
    print_table(sim, &by_both, 2, "Container, state or link");
}
