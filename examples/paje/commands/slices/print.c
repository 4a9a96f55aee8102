/* The output: a table for each type and value, or CSV. */
#include "slices.h"

#include <math.h>
#include <stdlib.h>

enum { NAMES = 27, TABLE_VALUES = 8 };

static void put_number(int is_known, double number)
{
    text_putc(&stream_output, ',');
    if (is_known)
        text_put_number(&stream_output, number);
}

static void print_csv_slice(uint32_t row, size_t number, size_t i)
{
    static text_buffer path;
    const slices_class *class = &slices.classes.items[number];
    const slice *it = slices_find(row, number, i);
    double time = it ? sum_of(&it->time) : 0, measure = slices_measure(row, number, i);
    int is_state = class->kind == PAJESIM_STATE, is_variable = class->kind == PAJESIM_VARIABLE;
    if (!it || (it->count == 0 && !(time > 0)))
        return;
    text_clear(&path);
    chart_put_path(&path, &slices.rows.items.items[row]);
    text_put_csv(&stream_output, text_view(&path));
    text_printf(&stream_output, ",%s,", pajesim_kind_name(class->kind));
    text_put_csv(&stream_output, slices_type(number));
    text_putc(&stream_output, ',');
    text_put_csv(&stream_output, slices_value(number));
    put_number(1, slices_edge(i));
    put_number(1, slices_edge(i + 1));
    text_printf(&stream_output, ",%llu", (unsigned long long)it->count);
    put_number(class->kind != PAJESIM_EVENT, time);
    put_number(is_state && !isnan(measure), measure);
    put_number(is_variable && !isnan(measure), measure);
    put_number(is_variable, sum_of(&it->integral));
    text_putc(&stream_output, ',');
    text_put_csv(&stream_output, chart_alias(&slices.rows.items.items[row]));
    stream_end_line();
}

/* A track, by its place in the output: rows do not have most of the classes. */
typedef struct place {
    uint32_t row;
    size_t rank; /* of the class, in slices.order */
} place;

static int compare_places(const void *one, const void *other)
{
    const place *a = one, *b = other;
    return a->row != b->row ? (a->row > b->row ? 1 : -1) : (a->rank > b->rank) - (a->rank < b->rank);
}

void slices_print_csv(void)
{
    array_of(place) places = {0};
    size_t *ranks = memory_alloc_zero(slices.classes.count, sizeof *ranks); /* + 1; 0: not chosen */
    text_puts(&stream_output, "Container,Kind,Type,Value,Start,End,Count,Time,Share,Mean,Integral,ContainerAlias");
    stream_end_line();
    for (size_t k = 0; k < slices.order.count; k++)
        ranks[slices.order.items[k]] = k + 1;
    for (size_t t = 0; t < slices.tracks.count; t++)
        if (ranks[slices.tracks.items[t].class])
            *array_push(&places) = (place){slices.tracks.items[t].row, ranks[slices.tracks.items[t].class] - 1};
    if (places.count > 0)
        qsort(places.items, places.count, sizeof *places.items, compare_places);
    for (size_t t = 0; t < places.count; t++)
        for (size_t i = 0; i < slices.count; i++)
            print_csv_slice(places.items[t].row, slices.order.items[places.items[t].rank], i);
    array_free(&places);
    free(ranks);
}

/* ---- the table */

static void print_head(void)
{
    double width = slices_edge(1) - slices_edge(0), first = slices_edge(0), last = slices_edge(slices.count);
    /* Three digits tell edges apart up to a hundred times the width. */
    double base = fmax(fabs(first), fabs(last)) > (slices.count > 100 ? 1e4 : 100) * width ? first : 0;
    static text_buffer edge;
    text_printf(&stream_output, "%llu slices of %.9g, from ", (unsigned long long)slices.count, width);
    text_put_number(&stream_output, first);
    if (base > 0 || base < 0)
        text_puts(&stream_output, ", which is 0 here");
    stream_end_line();
    text_printf(&stream_output, "%*s", NAMES, "");
    for (size_t i = 0; i < slices.count; i++) {
        text_clear(&edge);
        text_put_short(&edge, slices_edge(i) - base);
        text_printf(&stream_output, " %6s", text_string(&edge));
    }
    stream_end_line();
}

static int has_track(uint32_t row, size_t class)
{
    return slices_find(row, class, 0) != NULL;
}

static void print_class(size_t number)
{
    static const char *const measures[] = {[PAJESIM_STATE] = "%", [PAJESIM_VARIABLE] = "mean",
                                           [PAJESIM_EVENT] = "number", [PAJESIM_LINK] = "number"};
    static text_buffer cell;
    const slices_class *class = &slices.classes.items[number];
    text_put_printable(&stream_output, slices_type(number));
    if (slices_value(number).size > 0) {
        text_puts(&stream_output, ": ");
        text_put_printable(&stream_output, slices_value(number));
    }
    text_printf(&stream_output, " [%s]", measures[class->kind]);
    stream_end_line();
    for (uint32_t row = 0; row < slices.rows.items.count; row++) {
        if (!has_track(row, number))
            continue;
        text_puts(&stream_output, "  ");
        chart_put_column(&stream_output, text_view(&slices.rows.items.items[row].label), NAMES - 2);
        for (size_t i = 0; i < slices.count; i++) {
            double measure = slices_measure(row, number, i);
            text_clear(&cell);
            if (isnan(measure))
                text_putc(&cell, '.');
            else if (class->kind == PAJESIM_STATE)
                text_printf(&cell, "%.1f", 100 * fmax(measure, 0));
            else
                text_put_short(&cell, measure);
            text_printf(&stream_output, " %6s", text_string(&cell));
        }
        stream_end_line();
    }
}

void slices_print_table(void)
{
    size_t of_type = 0;
    if (slices.count == 0 || slices.order.count == 0)
        return;
    print_head();
    for (size_t k = 0; k < slices.order.count; k++) {
        size_t number = slices.order.items[k];
        int is_last = k + 1 == slices.order.count ||
                      slices.classes.items[slices.order.items[k + 1]].type != slices.classes.items[number].type;
        if (of_type++ < TABLE_VALUES)
            print_class(number);
        if (is_last && of_type > TABLE_VALUES) {
            text_puts(&stream_output, "and ");
            text_printf(&stream_output, "%llu more values of ", (unsigned long long)(of_type - TABLE_VALUES));
            text_put_printable(&stream_output, slices_type(number));
            text_puts(&stream_output, " (--value, or --format csv)");
            stream_end_line();
        }
        of_type = is_last ? 0 : of_type;
    }
}
