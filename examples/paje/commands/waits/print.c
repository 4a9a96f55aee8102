/* The output: tables or CSV. */
#include "waits.h"

#include <stdlib.h>

static const char *const names[] = {"late sender", "late receiver", "collective", "idle"};

static pajesim_text name_of(size_t name)
{
    return name == ACTIVE_NONE ? text_of("(others)") : active_label(name);
}

/* For CSV, where the alias has a column of its own. */
static pajesim_text path_of(size_t name)
{
    return name == ACTIVE_NONE ? text_of("(others)") : active_path(name);
}

static void put_alias(size_t name)
{
    text_puts(&stream_output, ",");
    text_put_csv(&stream_output, name == ACTIVE_NONE ? text_of("") : active_alias(name));
}

static int compare_numbers(double a, double b)
{
    return (a > b) - (a < b);
}

static int compare_rows(const void *a, const void *b)
{
    const waits_row *one = *(const waits_row *const *)a, *other = *(const waits_row *const *)b;
    int order = compare_numbers(sum_of(&other->total), sum_of(&one->total));
    return order ? order : (one > other) - (one < other);
}

/* ---- by container */

typedef struct container_row {
    size_t name;
    sum times[WAITS_PATTERNS];
} container_row;

static double time_of(const container_row *row)
{
    double time = 0;
    for (int i = 0; i < WAITS_PATTERNS; i++)
        time += sum_of(&row->times[i]);
    return time;
}

static int compare_containers(const void *a, const void *b)
{
    const container_row *one = a, *other = b;
    int order = compare_numbers(time_of(other), time_of(one));
    return order ? order : (one->name > other->name) - (one->name < other->name);
}

static void print_more(size_t count)
{
    if (waits_options.top && count > waits_options.top) {
        text_printf(&stream_output, "  (%zu more; --top 0 prints all)", count - waits_options.top);
        stream_end_line();
    }
}

static size_t shown_of(size_t count)
{
    return waits_options.top && count > waits_options.top ? waits_options.top : count;
}

static void print_container(const container_row *row, pajesim_text name)
{
    text_printf(&stream_output, " %12.6g", time_of(row));
    for (int i = 0; i < WAITS_PATTERNS; i++)
        if (sum_of(&row->times[i]) > 0)
            text_printf(&stream_output, " %13.6g", sum_of(&row->times[i]));
        else
            text_printf(&stream_output, " %13s", "");
    text_puts(&stream_output, "  ");
    text_put_printable(&stream_output, name);
    stream_end_line();
}

static void print_containers(void)
{
    array_of(container_row) rows = {0};
    container_row all = {0};
    hash_map numbers = {0};
    for (size_t i = 0; i < waits_rows.count; i++) {
        const waits_row *from = &waits_rows.items[i];
        container_row *row = array_at(&rows, map_add(&numbers, &from->container, sizeof from->container));
        row->name = from->container;
        sum_add_sum(&row->times[from->pattern], &from->total);
        sum_add_sum(&all.times[from->pattern], &from->total);
    }
    if (rows.count)
        qsort(rows.items, rows.count, sizeof *rows.items, compare_containers);
    stream_end_line();
    text_printf(&stream_output, " %12s %13s %13s %13s %13s  Container", "Waiting", "Late sender", "Late receiver",
                "Collective", "Idle");
    stream_end_line();
    print_container(&all, text_of("(all)"));
    for (size_t i = 0; i < shown_of(rows.count); i++)
        print_container(&rows.items[i], name_of(rows.items[i].name));
    print_more(rows.count);
    map_free(&numbers);
    array_free(&rows);
}

/* ---- by partner */

static void put_state(pajesim *sim, size_t class)
{
    if (class == ACTIVE_NONE)
        return;
    text_puts(&stream_output, active_value(class).size ? " in " : " of ");
    text_put_printable(&stream_output, active_value(class).size ? active_value(class)
                                                                : pajesim_name(sim, active_class_at(class)->type));
}

static void print_row(pajesim *sim, const waits_row *row)
{
    double total = sum_of(&row->total);
    text_printf(&stream_output, " %12.6g %8llu %12.6g %12.6g  %-13s  ", total, (unsigned long long)row->count,
                total / (double)row->count, row->most, names[row->pattern]);
    text_put_printable(&stream_output, name_of(row->container));
    put_state(sim, row->class);
    if (row->pattern != WAITS_IDLE) {
        text_puts(&stream_output, " for ");
        text_put_printable(&stream_output, name_of(row->partner));
    }
    stream_end_line();
}

static void print_csv_row(pajesim *sim, const waits_row *row)
{
    const active_class *class = row->class == ACTIVE_NONE ? NULL : active_class_at(row->class);
    text_printf(&stream_output, "%s,", names[row->pattern]);
    text_put_csv(&stream_output, path_of(row->container));
    text_puts(&stream_output, ",");
    if (row->pattern != WAITS_IDLE)
        text_put_csv(&stream_output, path_of(row->partner));
    text_puts(&stream_output, ",");
    text_put_csv(&stream_output, class ? pajesim_name(sim, class->type) : text_of(""));
    text_puts(&stream_output, ",");
    text_put_csv(&stream_output, class ? active_value(row->class) : text_of(""));
    text_printf(&stream_output, ",%llu,", (unsigned long long)row->count);
    text_put_number(&stream_output, sum_of(&row->total));
    text_puts(&stream_output, ",");
    text_put_number(&stream_output, sum_of(&row->total) / (double)row->count);
    text_puts(&stream_output, ",");
    text_put_number(&stream_output, row->most);
    put_alias(row->container);
    put_alias(row->partner);
    stream_end_line();
}

static void print_links(void)
{
    text_printf(&stream_output, "%llu links", (unsigned long long)waits_links.links);
    if (waits_collectives)
        text_printf(&stream_output, "; %llu collective operations", (unsigned long long)waits_collectives);
    if (waits_links.no_receive)
        text_printf(&stream_output, "; %llu end in no state that receives", (unsigned long long)waits_links.no_receive);
    if (waits_links.no_send)
        text_printf(&stream_output, "; %llu begin in no state that sends", (unsigned long long)waits_links.no_send);
    stream_end_line();
}

void waits_print(pajesim *sim)
{
    const waits_row **rows = memory_alloc(waits_rows.count, sizeof *rows);
    for (size_t i = 0; i < waits_rows.count; i++)
        rows[i] = &waits_rows.items[i];
    if (waits_rows.count)
        qsort(rows, waits_rows.count, sizeof *rows, compare_rows);
    if (waits_options.is_csv) {
        text_puts(&stream_output, "Pattern,Container,Partner,Type,Value,Count,Total,Mean,Max,ContainerAlias,"
                                  "PartnerAlias");
        stream_end_line();
        for (size_t i = 0; i < waits_rows.count; i++)
            print_csv_row(sim, rows[i]);
    } else if (waits_rows.count == 0) {
        print_links();
        text_puts(&stream_output, "nothing waits");
        stream_end_line();
    } else {
        print_links();
        print_containers();
        stream_end_line();
        text_printf(&stream_output, " %12s %8s %12s %12s  %-13s  Container, state, partner", "Waiting", "Count", "Mean",
                    "Max", "Pattern");
        stream_end_line();
        for (size_t i = 0; i < shown_of(waits_rows.count); i++)
            print_row(sim, rows[i]);
        print_more(waits_rows.count);
    }
    free(rows);
}
