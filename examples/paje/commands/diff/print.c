/* The output: tables or CSV. */
#include "diff.h"

#include <math.h>
#include <stdlib.h>

static double time_of(const diff_row *row, int trace)
{
    return sum_of(&row->of[trace].time);
}

static double difference(const diff_row *row)
{
    return time_of(row, 1) - time_of(row, 0);
}

static int compare(const void *a, const void *b)
{
    const diff_row *one = a, *other = b;
    double x = fabs(difference(one)), y = fabs(difference(other));
    if (x > y || x < y)
        return x < y ? 1 : -1;
    x = time_of(one, 0) + time_of(one, 1);
    y = time_of(other, 0) + time_of(other, 1);
    if (x > y || x < y)
        return x < y ? 1 : -1;
    int order = (one->container > other->container) - (one->container < other->container);
    return order ? order : (one->class > other->class) - (one->class < other->class);
}

/* ---- CSV */

static void put_container(text_buffer *to, size_t container, void (*put)(text_buffer *to, pajesim_text text))
{
    static text_buffer name;
    text_clear(&name);
    text_append(&name, diff_path(container));
    if (diff_containers.items[container].is_named_by_alias) {
        text_puts(&name, " (");
        text_append(&name, diff_alias(container));
        text_puts(&name, ")");
    }
    put(to, text_view(&name));
}

static void print_csv(void)
{
    text_puts(&stream_output, "Container,Kind,Type,Value,CountA,CountB,TimeA,TimeB,Difference");
    stream_end_line();
    for (size_t i = 0; i < diff_rows.count; i++) {
        const diff_row *row = &diff_rows.items[i];
        put_container(&stream_output, row->container, text_put_csv);
        text_printf(&stream_output, ",%s,", pajesim_kind_name(diff_kind(row->class)));
        text_put_csv(&stream_output, diff_type(row->class));
        text_puts(&stream_output, ",");
        text_put_csv(&stream_output, diff_value(row->class));
        text_printf(&stream_output, ",%llu,%llu", (unsigned long long)row->of[0].count,
                    (unsigned long long)row->of[1].count);
        const double times[] = {time_of(row, 0), time_of(row, 1), difference(row)};
        for (size_t k = 0; k < sizeof times / sizeof *times; k++) {
            text_puts(&stream_output, ",");
            text_put_number(&stream_output, times[k]);
        }
        stream_end_line();
    }
}

/* ---- tables */

/* Prints both values, their difference, and this as a share of that of A. */
static void put_pair(double a, double b, int has_a, int has_b)
{
    if (has_a)
        text_printf(&stream_output, " %12.6g", a);
    else
        text_printf(&stream_output, " %12s", "-");
    if (has_b)
        text_printf(&stream_output, " %12.6g", b);
    else
        text_printf(&stream_output, " %12s", "-");
    if (isnan(b - a)) /* both are beyond the greatest double */
        text_printf(&stream_output, " %12s", "-");
    else
        text_printf(&stream_output, " %+12.6g", b - a);
    if (a > 0 && b > 0 && isfinite(a) && isfinite(b) && fabs(b / a - 1) < 1e5)
        text_printf(&stream_output, " %+8.1f %%", 100 * (b / a - 1));
    else
        text_printf(&stream_output, " %10s", "");
}

static void print_header(const char *first, const char *last)
{
    text_printf(&stream_output, " %12s %12s %12s %10s%s  %s", "A", "B", "B - A", "", first, last);
    stream_end_line();
}

static void print_totals(void)
{
    static const char *const names[] = {[PAJESIM_CONTAINER] = "containers", [PAJESIM_STATE] = "states",
                                        [PAJESIM_EVENT] = "events", [PAJESIM_VARIABLE] = "variables",
                                        [PAJESIM_LINK] = "links"};
    for (int k = 0; k < 2; k++) {
        text_printf(&stream_output, "%c: ", 'A' + k);
        text_put_printable(&stream_output, text_view(&diff_traces[k].name));
        stream_end_line();
    }
    stream_end_line();
    print_header("", "All in all");
    put_pair(diff_traces[0].last - diff_traces[0].first, diff_traces[1].last - diff_traces[1].first, 1, 1);
    text_puts(&stream_output, "  time from the first event to the last");
    stream_end_line();
    for (int kind = PAJESIM_CONTAINER; kind <= PAJESIM_LINK; kind++) {
        if (diff_traces[0].counts[kind] == 0 && diff_traces[1].counts[kind] == 0)
            continue;
        put_pair((double)diff_traces[0].counts[kind], (double)diff_traces[1].counts[kind], 1, 1);
        text_printf(&stream_output, "  %s", names[kind]);
        stream_end_line();
    }
}

static void print_more(size_t count)
{
    if (diff_options.top && count > diff_options.top) {
        text_printf(&stream_output, "  (%zu more; --top 0 prints all)", count - diff_options.top);
        stream_end_line();
    }
}

static size_t shown_of(size_t count)
{
    return diff_options.top && count > diff_options.top ? diff_options.top : count;
}

static void print_rows(const diff_rows_array *rows, int has_containers)
{
    for (size_t i = 0; i < shown_of(rows->count); i++) {
        const diff_row *row = &rows->items[i];
        put_pair(time_of(row, 0), time_of(row, 1), row->of[0].count > 0, row->of[1].count > 0);
        text_printf(&stream_output, " %8llu %8llu  ", (unsigned long long)row->of[0].count,
                    (unsigned long long)row->of[1].count);
        if (has_containers) {
            put_container(&stream_output, row->container, text_put_printable);
            text_puts(&stream_output, ": ");
        }
        text_put_printable(&stream_output, diff_type(row->class));
        text_puts(&stream_output, " ");
        text_put_printable(&stream_output, diff_value(row->class));
        stream_end_line();
    }
    print_more(rows->count);
}

/* States and links only: the others have no time. */
static void print_times(void)
{
    diff_rows_array by_value = {0}, timed = {0};
    hash_map numbers = {0};
    for (size_t i = 0; i < diff_rows.count; i++) {
        const diff_row *row = &diff_rows.items[i];
        pajesim_kind kind = diff_kind(row->class);
        if (kind != PAJESIM_STATE && kind != PAJESIM_LINK)
            continue;
        *array_push(&timed) = *row;
        diff_row *to = diff_row_of(&by_value, &numbers, 0, row->class);
        for (int k = 0; k < 2; k++) {
            to->of[k].count += row->of[k].count;
            sum_add_sum(&to->of[k].time, &row->of[k].time);
        }
    }
    if (timed.count) {
        qsort(by_value.items, by_value.count, sizeof *by_value.items, compare);
        stream_end_line();
        print_header("  Count A  Count B", "Time in states (without those above), of links");
        print_rows(&by_value, 0);
        stream_end_line();
        print_header("  Count A  Count B", "The same by container");
        print_rows(&timed, 1);
    }
    array_free(&by_value);
    array_free(&timed);
    map_free(&numbers);
}

static void print_only(int trace)
{
    size_t count = 0;
    for (size_t i = 0; i < diff_containers.count; i++) {
        const diff_container *it = &diff_containers.items[i];
        if (it->matched != i || !it->is_in[trace] || it->is_in[!trace])
            continue;
        if (count++ == 0) {
            stream_end_line();
            text_printf(&stream_output, "Containers only in %c:", 'A' + trace);
            stream_end_line();
        }
        if (!diff_options.top || count <= diff_options.top) {
            text_puts(&stream_output, "  ");
            put_container(&stream_output, i, text_put_printable);
            stream_end_line();
        }
    }
    print_more(count);
}

void diff_print(void)
{
    if (diff_rows.count)
        qsort(diff_rows.items, diff_rows.count, sizeof *diff_rows.items, compare);
    if (diff_options.is_csv) {
        print_csv();
        return;
    }
    print_totals();
    print_times();
    print_only(0);
    print_only(1);
}
