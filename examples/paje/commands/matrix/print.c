/* The output: a table and the heaviest pairs, or CSV. */
#include "matrix.h"

#include <math.h>

enum { NAMES = 26, HEAVIEST = 10 };

static const matrix_pair *heaviest(size_t i)
{
    return &matrix.pairs.items[i];
}

static void put_row_path(uint32_t row)
{
    static text_buffer path;
    text_clear(&path);
    chart_put_path(&path, &matrix.rows.items.items[row]);
    text_put_csv(&stream_output, text_view(&path));
}

static void put_alias(uint32_t row)
{
    text_putc(&stream_output, ',');
    text_put_csv(&stream_output, chart_alias(&matrix.rows.items.items[row]));
}

static void put_comma_number(double number)
{
    text_putc(&stream_output, ',');
    text_put_number(&stream_output, number);
}

static int compare_rows(const void *left, const void *right)
{
    const matrix_pair *a = left, *b = right;
    return a->from != b->from ? (a->from > b->from) - (a->from < b->from) : (a->to > b->to) - (a->to < b->to);
}

void matrix_print_csv(void)
{
    text_puts(&stream_output, "From,To,Count,Time,LeastTime,MostTime,Bytes,FromAlias,ToAlias");
    stream_end_line();
    if (matrix.pairs.count > 0)
        qsort(matrix.pairs.items, matrix.pairs.count, sizeof *matrix.pairs.items, compare_rows);
    for (size_t i = 0; i < matrix.pairs.count; i++) {
        const matrix_pair *pair = &matrix.pairs.items[i];
        put_row_path(pair->from);
        text_putc(&stream_output, ',');
        put_row_path(pair->to);
        text_printf(&stream_output, ",%llu", (unsigned long long)pair->count);
        put_comma_number(sum_of(&pair->time));
        put_comma_number(pair->least);
        put_comma_number(pair->most);
        if (matrix.field)
            put_comma_number(sum_of(&pair->bytes));
        else
            text_putc(&stream_output, ',');
        put_alias(pair->from);
        put_alias(pair->to);
        stream_end_line();
    }
}

/* ---- the table */

static text_buffer list; /* the heaviest pairs */

void matrix_keep_heaviest(void)
{
    matrix_pair all = {0};
    matrix_sort_pairs();
    for (size_t i = 0; i < matrix.pairs.count; i++) {
        all.count += heaviest(i)->count;
        sum_add_sum(&all.time, &heaviest(i)->time);
        sum_add_sum(&all.bytes, &heaviest(i)->bytes);
    }
    double whole = matrix_value(&all);
    text_printf(&list, "%12s %7s", "Count", "Share");
    if (matrix.field)
        text_printf(&list, " %12s", "Bytes");
    text_printf(&list, " %12s %12s  From -> to\n", "Time", "Mean");
    for (size_t i = 0; i < matrix.pairs.count && i < HEAVIEST; i++) {
        const matrix_pair *pair = heaviest(i);
        text_printf(&list, "%12llu", (unsigned long long)pair->count);
        if (matrix.measure == MATRIX_MEAN || !(whole > 0))
            text_printf(&list, " %7s", "");
        else
            text_printf(&list, " %5.1f %%", 100 * (matrix_value(pair) / whole));
        if (matrix.field)
            text_printf(&list, " %12.6g", sum_of(&pair->bytes));
        text_printf(&list, " %12.6g %12.6g  ", sum_of(&pair->time), sum_of(&pair->time) / (double)pair->count);
        text_put_printable(&list, text_view(&matrix.rows.items.items[pair->from].label));
        text_puts(&list, " -> ");
        text_put_printable(&list, text_view(&matrix.rows.items.items[pair->to].label));
        text_putc(&list, '\n');
    }
    if (matrix.pairs.count > HEAVIEST)
        text_printf(&list, "%12s %llu more pairs\n", "and", (unsigned long long)(matrix.pairs.count - HEAVIEST));
}

static void put_cell(const matrix_pair *pair)
{
    static text_buffer cell;
    text_clear(&cell);
    if (pair->count == 0)
        text_putc(&cell, '.');
    else
        text_put_short(&cell, matrix_value(pair));
    text_printf(&stream_output, " %6s", text_string(&cell));
}

static void add_pair(matrix_pair *to, const matrix_pair *pair)
{
    to->count += pair->count;
    sum_add_sum(&to->time, &pair->time);
    sum_add_sum(&to->bytes, &pair->bytes);
}

static void put_title(void)
{
    static const char *const titles[] = {"Links", "Bytes of links", "Time of links", "Mean time of links"};
    size_t members = 0;
    for (size_t i = 0; i < matrix.rows.items.count; i++)
        members += matrix.rows.items.items[i].members;
    text_printf(&stream_output, "%s, from row to column: %llu between %llu containers",
                titles[matrix.measure], (unsigned long long)matrix.links, (unsigned long long)members);
    if (matrix.rows.grouped > 0)
        text_printf(&stream_output, ", in %llu groups (--rows)", (unsigned long long)matrix.rows.items.count);
    stream_end_line();
}

void matrix_print_table(void)
{
    size_t count = matrix.rows.items.count;
    if (count == 0)
        return;
    matrix_pair *cells = memory_alloc_zero(count * count, sizeof *cells);
    matrix_pair *columns = memory_alloc_zero(count + 1, sizeof *columns);
    for (size_t i = 0; i < matrix.pairs.count; i++) {
        const matrix_pair *pair = &matrix.pairs.items[i];
        cells[pair->from * count + pair->to] = *pair;
        add_pair(&columns[pair->to], pair);
        add_pair(&columns[count], pair);
    }
    put_title();
    text_printf(&stream_output, "%*s", NAMES, "");
    for (size_t i = 0; i < count; i++)
        text_printf(&stream_output, " %6llu", (unsigned long long)i + 1);
    text_printf(&stream_output, " %6s", "Total");
    stream_end_line();
    for (size_t row = 0; row < count; row++) {
        matrix_pair all = {0};
        text_printf(&stream_output, "%4llu ", (unsigned long long)row + 1);
        chart_put_column(&stream_output, text_view(&matrix.rows.items.items[row].label), NAMES - 5);
        for (size_t i = 0; i < count; i++) {
            put_cell(&cells[row * count + i]);
            add_pair(&all, &cells[row * count + i]);
        }
        put_cell(&all);
        stream_end_line();
    }
    text_printf(&stream_output, "%4s %-*s", "", NAMES - 5, "Total");
    for (size_t i = 0; i <= count; i++)
        put_cell(&columns[i]);
    text_puts(&stream_output, "\n\n");
    text_append(&stream_output, text_view(&list));
    free(cells);
    free(columns);
}
