/* The output: a table, CSV or JSON. */
#include "profile.h"

#include <stdlib.h>
#include <string.h>

/* ---- printing */

static uint64_t printed;

static void print_names(const place *where, const row *it)
{
    const class *of = &profile_classes.items[it->class];
    const struct {
        const char *name;
        pajesim_text text;
    } names[] = {
        {"container", where->path},
        {"containerAlias", where->alias},
        {"kind", {pajesim_kind_name(of->kind), strlen(pajesim_kind_name(of->kind))}},
        {"type", pajesim_name(where->sim, of->type)},
        {"typeAlias", pajesim_alias(where->sim, of->type)},
        {"value", profile_class_value(it->class)},
    };
    if (profile_options.format == PROFILE_JSON)
        text_printf(&stream_output, printed ? ",\n{" : "\n{");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (profile_options.format == PROFILE_CSV) {
            text_put_csv(&stream_output, names[i].text);
            text_printf(&stream_output, ",");
        } else if (profile_options.format == PROFILE_JSON) {
            text_printf(&stream_output, "\"%s\":", names[i].name);
            text_put_json(&stream_output, names[i].text);
            text_printf(&stream_output, ",");
        } else if (i == 2) {
            text_printf(&stream_output, "  %-9s ", names[i].text.bytes);
        } else if (i == 3 || i == 5) {
            size_t begin = stream_output.size;
            text_put_printable(&stream_output, names[i].text);
            size_t size = stream_output.size - begin;
            text_printf(&stream_output, "%*s ", size < 18 ? (int)(18 - size) : 0, "");
        }
    }
    printed++;
}

/* Prints a number, or an empty column if `known` is 0. */
static void print_number(const char *name, int known, double number)
{
    if (profile_options.format == PROFILE_JSON) {
        if (known) {
            text_printf(&stream_output, "\"%s\":", name);
            text_put_number(&stream_output, number);
            text_printf(&stream_output, ",");
        }
    } else if (profile_options.format == PROFILE_CSV) {
        if (known)
            text_put_number(&stream_output, number);
        text_printf(&stream_output, ",");
    } else if (known) {
        text_printf(&stream_output, " %12.6g", number);
    } else {
        text_printf(&stream_output, " %12s", "");
    }
}

/* Replaces the last comma. */
static void end_row(void)
{
    if (profile_options.format == PROFILE_JSON)
        stream_output.bytes[stream_output.size - 1] = '}';
    else if (profile_options.format == PROFILE_CSV)
        stream_output.size--;
    if (profile_options.format != PROFILE_JSON)
        stream_end_line();
    else if (stream_output.size > 1u << 16)
        stream_flush();
}

static void print_slice_numbers(const slice *it, pajesim_kind kind)
{
    print_number("count", 1, (double)it->count);
    print_number("total", kind != PAJESIM_EVENT, profile_sum_of(&it->total));
    print_number("exclusive", kind == PAJESIM_STATE, profile_sum_of(&it->exclusive));
}

/* `lifetime`: the total lifetime of all containers of the type that can have such entities. */
static void print_row(const place *where, const row *it, double lifetime)
{
    pajesim_kind kind = profile_classes.items[it->class].kind;
    double total = profile_sum_of(&it->all.total), integral = profile_sum_of(&it->all.integral);
    double own = kind == PAJESIM_STATE ? profile_sum_of(&it->all.exclusive) : total;
    int variable = kind == PAJESIM_VARIABLE, timed = kind != PAJESIM_EVENT;
    print_names(where, it);
    print_slice_numbers(&it->all, kind);
    if (variable)
        print_number("mean", total > 0, integral / total);
    else
        print_number("mean", timed, total / (double)it->all.count);
    print_number("min", timed, it->least);
    print_number("max", timed, it->greatest);
    print_number("share", (kind == PAJESIM_STATE || variable) && lifetime > 0, own / lifetime);
    print_number("integral", variable, integral);
    end_row();
}

static void print_slices(const place *where, const row *it)
{
    pajesim_kind kind = profile_classes.items[it->class].kind;
    for (size_t i = 0; i < profile_options.slices; i++) {
        const slice *one = &it->slices[i];
        double total = profile_sum_of(&one->total);
        if (one->count == 0 && !(total > 0 || total < 0))
            continue;
        print_names(where, it);
        print_number("start", 1, profile_edge((int64_t)i));
        print_number("end", 1, profile_edge((int64_t)i + 1));
        print_slice_numbers(one, kind);
        print_number("integral", kind == PAJESIM_VARIABLE, profile_sum_of(&one->integral));
        end_row();
    }
}

static int compare(const void *a, const void *b)
{
    size_t one = (*(const row *const *)a)->class, other = (*(const row *const *)b)->class;
    return (one > other) - (one < other);
}

void profile_print_node(const place *where, const node *it)
{
    const row **rows = memory_alloc(it->rows.count, sizeof *rows);
    for (size_t i = 0; i < it->rows.count; i++)
        rows[i] = &it->rows.items[i];
    if (it->rows.count)
        qsort(rows, it->rows.count, sizeof *rows, compare);
    int is_named = 0;
    for (size_t i = 0; i < it->rows.count; i++) {
        if (!paje_shows_type(where->sim, profile_classes.items[rows[i]->class].type))
            continue;
        if (!is_named++ && profile_options.format == PROFILE_TABLE) {
            text_put_printable(&stream_output, where->path);
            stream_end_line();
        }
        pajesim_ref above = pajesim_parent(where->sim, profile_classes.items[rows[i]->class].type);
        size_t type = above ? profile_class(where->sim, above, (pajesim_text){"", 0}, 0) : MAP_NONE;
        const row *lifetime = type != MAP_NONE ? profile_find_row(it, type) : NULL;
        if (profile_options.slices)
            print_slices(where, rows[i]);
        else
            print_row(where, rows[i], lifetime ? profile_sum_of(&lifetime->all.total) : 0);
    }
    free(rows);
}

static void print_columns(const char *const *names)
{
    text_printf(&stream_output, "  %-9s %-18s %-18s ", "Kind", "Type", "Value");
    for (; *names; names++)
        text_printf(&stream_output, " %12s", *names);
}

void profile_print_header(void)
{
    static const char *const slice_columns[] = {"Start", "End", "Count", "Total", "Exclusive", "Integral", NULL};
    static const char *const columns[] = {"Count", "Total", "Exclusive", "Mean", "Min", "Max", "Share", "Integral",
                                          NULL};
    const char *names = "Container,ContainerAlias,Kind,Type,TypeAlias,Value,";
    if (profile_options.format == PROFILE_JSON)
        text_printf(&stream_output, "[");
    else if (profile_options.format == PROFILE_CSV && profile_options.slices)
        text_printf(&stream_output, "%sStart,End,Count,Total,Exclusive,Integral", names);
    else if (profile_options.format == PROFILE_CSV)
        text_printf(&stream_output, "%sCount,Total,Exclusive,Mean,Min,Max,Share,Integral", names);
    else
        print_columns(profile_options.slices ? slice_columns : columns);
    if (profile_options.format != PROFILE_JSON)
        stream_end_line();
}
