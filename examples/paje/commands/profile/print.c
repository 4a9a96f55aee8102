/* The output: a table, CSV or JSON. */
#include "profile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- printing */

static uint64_t printed;

static void print_names(const place *where, const row *it)
{
    const profile_type *of = profile_class_type(it->class);
    const struct {
        const char *name;
        pajesim_text text;
    } names[] = {
        {"container", where->path},
        {"containerAlias", where->alias},
        {"kind", {pajesim_kind_name(of->kind), strlen(pajesim_kind_name(of->kind))}},
        {"type", of->name},
        {"typeAlias", of->alias},
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
            text_printf(&stream_output, "  %-9s", names[i].text.bytes);
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
    } else if (known && !isnan(number)) {
        text_printf(&stream_output, " %12.6g", number);
    } else {
        text_printf(&stream_output, " %12s", "");
    }
}

/* Names of a table stand at the end, so that they move no column, however long they are. */
static void print_last_names(const row *it, uint64_t folded)
{
    size_t begin = stream_output.size + 2;
    text_puts(&stream_output, "  ");
    text_put_printable(&stream_output, profile_class_type(it->class)->name);
    size_t size = stream_output.size - begin;
    text_printf(&stream_output, "%*s ", size < 18 ? (int)(18 - size) : 0, "");
    if (folded)
        text_printf(&stream_output, "(%llu values, once each)", (unsigned long long)folded);
    else
        text_put_printable(&stream_output, profile_class_value(it->class));
    while (stream_output.bytes[stream_output.size - 1] == ' ')
        stream_output.size--;
}

/* Replaces the last comma.  `folded`: how many values the row of a table stands for; 0: for its own. */
static void end_row(const row *it, uint64_t folded)
{
    if (profile_options.format == PROFILE_TABLE)
        print_last_names(it, folded);
    if (profile_options.format == PROFILE_JSON)
        stream_output.bytes[stream_output.size - 1] = '}';
    else if (profile_options.format == PROFILE_CSV)
        stream_output.size--;
    if (profile_options.format != PROFILE_JSON)
        stream_end_line();
    else if (stream_output.size > 1u << 16)
        stream_flush();
}

/* `lifetime`: the total lifetime of all containers of the type that can have such entities. */
static void print_row(const place *where, const row *it, double lifetime)
{
    pajesim_kind kind = profile_class_type(it->class)->kind;
    double total = sum_of(&it->total), exclusive = sum_of(&it->exclusive), integral = sum_of(&it->integral);
    int variable = kind == PAJESIM_VARIABLE, state = kind == PAJESIM_STATE, timed = kind != PAJESIM_EVENT;
    print_names(where, it);
    print_number("count", 1, (double)it->count);
    print_number("total", timed, total);
    print_number("exclusive", state, exclusive);
    if (variable)
        print_number("mean", total > 0, integral / total);
    else
        print_number("mean", timed, total / (double)it->count);
    print_number("min", timed, it->least);
    print_number("max", timed, it->greatest);
    print_number("share", (state || variable) && lifetime > 0, (state ? exclusive : total) / lifetime);
    print_number("integral", variable, integral);
    end_row(it, 0);
}

/* ---- order of the rows */

static int compare_numbers(double a, double b)
{
    return (a > b) - (a < b);
}

/* States by the time in them alone, links and variables by their whole time. */
static double time_of(const row *it)
{
    int is_state = profile_class_type(it->class)->kind == PAJESIM_STATE;
    return sum_of(is_state ? &it->exclusive : &it->total);
}

static int compare(const void *a, const void *b)
{
    static const int ranks[] = {[PAJESIM_STATE] = 0, [PAJESIM_VARIABLE] = 1, [PAJESIM_LINK] = 2, [PAJESIM_EVENT] = 3,
                                [PAJESIM_CONTAINER] = 4};
    const row *one = *(const row *const *)a, *other = *(const row *const *)b;
    int order = ranks[profile_class_type(one->class)->kind] - ranks[profile_class_type(other->class)->kind];
    if (!order && profile_options.order == PROFILE_BY_TIME)
        order = compare_numbers(time_of(other), time_of(one));
    if (!order && profile_options.order == PROFILE_BY_NAME)
        order = text_compare(profile_class_value(one->class), profile_class_value(other->class));
    if (!order && profile_options.order != PROFILE_BY_NAME)
        order = (other->count > one->count) - (other->count < one->count);
    return order ? order : (one->class > other->class) - (one->class < other->class);
}

/* ---- events with values of their own, which say little one by one */

static int is_single_event(const row *it)
{
    return it->count == 1 && profile_class_type(it->class)->kind == PAJESIM_EVENT;
}

static hash_map folded_types;
static array_of(uint64_t) folded_counts; /* 0: printed already */

static uint64_t *folded_count(const row *it)
{
    size_t type = profile_classes.items[it->class];
    return array_at(&folded_counts, map_add(&folded_types, &type, sizeof type));
}

static void count_folded(const row *const *rows, size_t count)
{
    map_clear(&folded_types);
    array_clear(&folded_counts);
    for (size_t i = 0; i < count; i++)
        if (is_single_event(rows[i]))
            ++*folded_count(rows[i]);
}

/* One row of a table stands for all such events of a type.  Returns whether one does so for this row. */
static int fold_event(const place *where, const row *it)
{
    if (profile_options.format != PROFILE_TABLE || !is_single_event(it) ||
        *folded_count(it) == 1)
        return 0;
    if (*folded_count(it) > 0) {
        print_names(where, it);
        print_number("count", 1, (double)*folded_count(it));
        for (int i = 0; i < 7; i++)
            print_number("", 0, 0);
        end_row(it, *folded_count(it));
        *folded_count(it) = 0;
    }
    return 1;
}

void profile_print_node(const place *where, const node *it)
{
    const row **rows = memory_alloc(it->rows.count, sizeof *rows);
    for (size_t i = 0; i < it->rows.count; i++)
        rows[i] = &it->rows.items[i];
    if (it->rows.count)
        qsort(rows, it->rows.count, sizeof *rows, compare);
    count_folded(rows, it->rows.count);
    int is_named = 0;
    for (size_t i = 0; i < it->rows.count; i++) {
        if (!profile_class_type(rows[i]->class)->is_shown || rows[i]->count == 0)
            continue; /* or the state around one that is in the range is not, as times are not in order */
        if (!is_named++ && profile_options.format == PROFILE_TABLE) {
            text_put_printable(&stream_output, where->path);
            stream_end_line();
        }
        size_t above = profile_class_type(rows[i]->class)->above;
        size_t type = above != MAP_NONE ? profile_class(above, text_of(""), 0) : MAP_NONE;
        const row *lifetime = type != MAP_NONE ? profile_find_row(it, type) : NULL;
        if (fold_event(where, rows[i]))
            continue;
        print_row(where, rows[i], lifetime ? sum_of(&lifetime->total) : 0);
    }
    free(rows);
}

static void print_columns(const char *const *names)
{
    text_printf(&stream_output, "  %-9s", "Kind");
    for (; *names; names++)
        text_printf(&stream_output, " %12s", *names);
    text_printf(&stream_output, "  %-18s %s", "Type", "Value");
}

void profile_print_header(void)
{
    static const char *const columns[] = {"Count", "Total", "Exclusive", "Mean", "Min", "Max", "Share", "Integral",
                                          NULL};
    const char *names = "Container,ContainerAlias,Kind,Type,TypeAlias,Value,";
    if (profile_options.format == PROFILE_JSON)
        text_printf(&stream_output, "[");
    else if (profile_options.format == PROFILE_CSV)
        text_printf(&stream_output, "%sCount,Total,Exclusive,Mean,Min,Max,Share,Integral", names);
    else
        print_columns(columns);
    if (profile_options.format != PROFILE_JSON)
        stream_end_line();
}
