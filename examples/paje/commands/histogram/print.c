/* The output: tables with bars, or CSV. */
#include "histogram.h"

#include <math.h>

enum { BAR = 36 };

const double histogram_shares[HISTOGRAM_PERCENTILES] = {0.05, 0.25, 0.5, 0.75, 0.95, 0.99};

static void put_short_column(double number, int width)
{
    static text_buffer text;
    text_clear(&text);
    if (isnan(number))
        text_putc(&text, '-');
    else
        text_put_short(&text, number);
    text_printf(&stream_output, "%*s", width, text_string(&text));
}

static void print_bin(const histogram *it, double from, double to, uint64_t count, double time, double most)
{
    double all = sum_of(&it->time);
    int bar = (int)((double)count / most * BAR + 0.5);
    put_short_column(from, 8);
    put_short_column(to, 8);
    text_printf(&stream_output, " %12llu %5.1f %%", (unsigned long long)count,
                100 * (double)count / (double)it->count);
    if (all > 0 && isfinite(all))
        text_printf(&stream_output, " %5.1f %%", 100 * (time / all));
    else
        text_printf(&stream_output, " %7s", "");
    text_puts(&stream_output, bar > 0 ? "  " : "");
    while (bar-- > 0)
        text_putc(&stream_output, '#');
    stream_end_line();
}

void histogram_put_value(text_buffer *to, const histogram *it)
{
    text_append(to, it->value);
    if (it->has_twin && it->alias.size > 0) {
        text_puts(to, " [");
        text_append(to, it->alias);
        text_putc(to, ']');
    }
}

static void print_name(const histogram *it)
{
    static text_buffer value;
    text_clear(&value);
    histogram_put_value(&value, it);
    text_printf(&stream_output, "%s ", pajesim_kind_name(it->kind));
    text_put_printable(&stream_output, it->type);
    if (it->value.size > 0) {
        text_puts(&stream_output, ": ");
        text_put_printable(&stream_output, text_view(&value));
    }
    stream_end_line();
}

static void print_summary_head(void)
{
    text_printf(&stream_output, "%10s %8s", "Count", "Sum");
    static const char *const names[] = {"Mean", "Min", "5 %", "25 %", "Median", "75 %", "95 %", "99 %", "Max"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        text_printf(&stream_output, "%8s", names[i]);
}

static void print_summary(const histogram *it)
{
    text_printf(&stream_output, "%10llu ", (unsigned long long)it->count);
    put_short_column(sum_of(&it->time), 8);
    put_short_column(sum_of(&it->time) / (double)it->count, 8);
    put_short_column(it->least, 8);
    for (int i = 0; i < HISTOGRAM_PERCENTILES; i++)
        put_short_column(histogram_percentile(it, histogram_shares[i]), 8);
    put_short_column(it->most, 8);
}

static void print_bins(const histogram *it, size_t most_bins)
{
    static shown_bins bins;
    histogram_choose(it, most_bins, &bins);
    double most = fmax((double)it->zeros, (double)it->negative);
    for (size_t i = 0; i < bins.count; i++)
        most = fmax(most, (double)bins.items[i].count);
    text_printf(&stream_output, "%8s%8s %12s %7s %7s", "From", "To", "Count", "Share", "Time");
    stream_end_line();
    if (it->negative > 0)
        print_bin(it, it->least, 0, it->negative, sum_of(&it->negative_time), most);
    if (it->zeros > 0)
        print_bin(it, 0, 0, it->zeros, 0, most);
    for (size_t i = 0; i < bins.count; i++) {
        const shown_bin *bin = &bins.items[i];
        print_bin(it, histogram_edge(bin->first), histogram_edge(bin->end), bin->count, bin->time, most);
    }
}

void histogram_print_table(size_t most_bins)
{
    if (most_bins == 0 && histograms.count > 0) {
        print_summary_head();
        text_puts(&stream_output, "  Of");
        stream_end_line();
    }
    for (size_t i = 0; i < histograms.count; i++) {
        const histogram *it = &histograms.items[i];
        if (most_bins == 0) {
            print_summary(it);
            text_puts(&stream_output, "  ");
            print_name(it);
            continue;
        }
        print_name(it);
        print_summary_head();
        stream_end_line();
        print_summary(it);
        stream_end_line();
        print_bins(it, most_bins);
        if (i + 1 < histograms.count)
            stream_end_line();
    }
}

/* ---- CSV */

static void put_names(const histogram *it)
{
    text_printf(&stream_output, "%s,", pajesim_kind_name(it->kind));
    text_put_csv(&stream_output, it->type);
    text_putc(&stream_output, ',');
    text_put_csv(&stream_output, it->value);
}

static void put_number(double number)
{
    text_putc(&stream_output, ',');
    if (!isnan(number))
        text_put_number(&stream_output, number);
}

static void end_row(const histogram *it)
{
    if (histogram_by == HISTOGRAM_CONTAINER) {
        text_putc(&stream_output, ',');
        text_put_csv(&stream_output, it->alias);
    }
    stream_end_line();
}

static void print_csv_bin(const histogram *it, double from, double to, uint64_t count, double time)
{
    put_names(it);
    put_number(from);
    put_number(to);
    text_printf(&stream_output, ",%llu", (unsigned long long)count);
    put_number(time);
    end_row(it);
}

static void print_csv_summary(const histogram *it)
{
    put_names(it);
    text_printf(&stream_output, ",%llu", (unsigned long long)it->count);
    put_number(sum_of(&it->time));
    put_number(sum_of(&it->time) / (double)it->count);
    put_number(it->least);
    for (int i = 0; i < HISTOGRAM_PERCENTILES; i++)
        put_number(histogram_percentile(it, histogram_shares[i]));
    put_number(it->most);
    end_row(it);
}

void histogram_print_csv(size_t most_bins)
{
    static shown_bins bins;
    int by_container = histogram_by == HISTOGRAM_CONTAINER;
    text_printf(&stream_output, "Kind,Type,%s,%s%s", by_container ? "Container" : "Value",
                most_bins ? "From,To,Count,Time" : "Count,Sum,Mean,Min,P5,P25,Median,P75,P95,P99,Max",
                by_container ? ",ContainerAlias" : "");
    stream_end_line();
    for (size_t i = 0; i < histograms.count; i++) {
        const histogram *it = &histograms.items[i];
        if (most_bins == 0) {
            print_csv_summary(it);
            continue;
        }
        histogram_choose(it, most_bins, &bins);
        if (it->negative > 0)
            print_csv_bin(it, it->least, 0, it->negative, sum_of(&it->negative_time));
        if (it->zeros > 0)
            print_csv_bin(it, 0, 0, it->zeros, 0);
        for (size_t k = 0; k < bins.count; k++)
            print_csv_bin(it, histogram_edge(bins.items[k].first), histogram_edge(bins.items[k].end),
                          bins.items[k].count, bins.items[k].time);
    }
}
