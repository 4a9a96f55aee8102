/* paje profile: how often and how long, for each container, type and value.  As du does, a container is printed when it
 * is complete, after those within it, and forgotten. */
#include "paje.h"

#include <stdlib.h>
#include <string.h>

enum { FORMAT = PAJE_LONG_ONLY, SLICES, DEPTH, OWN };
enum { TABLE, CSV, JSON };
enum { TOLD_VALUES = 256 }; /* values of a type that the trace did not define */
static const double most_time = 1e300; /* in place of an infinite one */

static struct {
    int format, own, from, to;
    double start, end;
    size_t slices, depth;
} options = {.depth = SIZE_MAX};

/* ---- sums that lose next to nothing (Neumaier) */

typedef struct sum {
    double total, lost;
} sum;

static void add_to(sum *it, double number)
{
    double total = it->total + number, size = it->total < 0 ? -it->total : it->total;
    int smaller = size < (number < 0 ? -number : number);
    it->lost += smaller ? number - total + it->total : it->total - total + number;
    it->total = total;
}

static void add_sum(sum *to, const sum *from)
{
    add_to(to, from->total);
    to->lost += from->lost;
}

static double value_of(const sum *it)
{
    return it->total + it->lost;
}

/* ---- what is counted: for each container a row of each class that it, or what is in it, has */

typedef struct class {
    pajesim_ref type;
    pajesim_kind kind;
    size_t told; /* of a type as a whole: undefined values that have a class of their own */
} class;

typedef struct slice {
    uint64_t count;
    sum total, exclusive, integral;
} slice;

typedef struct row {
    size_t class;
    slice all;
    double least, greatest;
    slice *slices;
} row;

typedef struct node {
    row *rows;
    uint32_t count, room;
    uint32_t *slots; /* row + 1 by its class; 0: free */
    uint32_t slot_count;
    size_t depth, next_free;
    paje_buffer path, alias; /* of what is complete and kept for the end */
} node;

static paje_set class_names; /* a type's ref, then the name of a value, or nothing for the type as a whole */
static class *classes;
static node *nodes;
static size_t node_count, node_room, first_free = PAJE_NONE;

/* PAJE_NONE if there is none and none may be added. */
static size_t class_named(const pajesim *sim, pajesim_ref type, pajesim_text value, int add)
{
    static paje_buffer name;
    char bytes[sizeof type];
    memcpy(bytes, &type, sizeof type);
    name.size = 0;
    paje_add(&name, bytes, sizeof bytes);
    paje_add_text(&name, value);
    if (!add)
        return paje_set_find(&class_names, name.bytes, name.size);
    size_t room = class_names.room, count = class_names.count;
    size_t at = paje_set_add(&class_names, name.bytes, name.size);
    if (class_names.room != room)
        classes = paje_room(classes, class_names.room * sizeof *classes);
    if (at == count)
        classes[at] = (class){type, pajesim_kind_of(sim, type), 0};
    return at;
}

static pajesim_text class_value(size_t at)
{
    pajesim_text name = paje_set_entry(&class_names, at);
    return (pajesim_text){name.bytes + sizeof(pajesim_ref), name.size - sizeof(pajesim_ref)};
}

/* Kept in the word of the type or value. */
static size_t class_of_ref(pajesim *sim, pajesim_ref ref, pajesim_ref type, pajesim_text value)
{
    uint64_t *word = pajesim_word(sim, ref);
    if (!*word)
        *word = class_named(sim, type, value, 1) + 1;
    return (size_t)*word - 1;
}

static size_t class_of_type(pajesim *sim, pajesim_ref type)
{
    return class_of_ref(sim, type, type, (pajesim_text){"", 0});
}

static size_t class_of(pajesim *sim, const pajesim_entity *entity)
{
    if (entity->value)
        return class_of_ref(sim, entity->value, entity->type, entity->value_name);
    size_t type = class_of_type(sim, entity->type);
    if (entity->value_name.size == 0)
        return type;
    size_t known = class_names.count;
    size_t at = class_named(sim, entity->type, entity->value_name, classes[type].told < TOLD_VALUES);
    classes[type].told += class_names.count - known;
    return at != PAJE_NONE ? at : type;
}

static uint32_t *slot_of(const node *in, size_t one)
{
    uint32_t at = (uint32_t)(one * 0x9e3779b1u) & (in->slot_count - 1);
    while (in->slots[at] && in->rows[in->slots[at] - 1].class != one)
        at = (at + 1) & (in->slot_count - 1);
    return &in->slots[at];
}

static void grow_slots(node *in)
{
    in->slot_count = in->slot_count ? 2 * in->slot_count : 8;
    in->slots = paje_room(in->slots, in->slot_count * sizeof *in->slots);
    memset(in->slots, 0, in->slot_count * sizeof *in->slots);
    for (uint32_t i = 0; i < in->count; i++)
        *slot_of(in, in->rows[i].class) = i + 1;
}

static row *row_of(node *in, size_t one)
{
    if (2 * in->count >= in->slot_count)
        grow_slots(in);
    uint32_t *slot = slot_of(in, one);
    if (*slot)
        return &in->rows[*slot - 1];
    if (in->count == in->room) {
        in->room += in->room / 2 + 4;
        in->rows = paje_room(in->rows, in->room * sizeof *in->rows);
    }
    *slot = ++in->count;
    row *new = memset(&in->rows[in->count - 1], 0, sizeof *new);
    new->class = one;
    if (options.slices) {
        new->slices = paje_room(NULL, options.slices * sizeof *new->slices);
        memset(new->slices, 0, options.slices * sizeof *new->slices);
    }
    return new;
}

static node *new_node(pajesim *sim, pajesim_ref container, size_t depth)
{
    if (first_free == PAJE_NONE) {
        if (node_count == node_room) {
            node_room += node_room / 2 + 64;
            nodes = paje_room(nodes, node_room * sizeof *nodes);
        }
        memset(&nodes[node_count], 0, sizeof *nodes);
        nodes[node_count].next_free = PAJE_NONE;
        first_free = node_count++;
    }
    node *it = &nodes[first_free];
    *pajesim_word(sim, container) = first_free + 1;
    first_free = it->next_free;
    it->depth = depth;
    return it;
}

/* Where what a container bears is counted: NULL, if nowhere; below --depth, with what it is in. */
static node *node_of(pajesim *sim, pajesim_ref container)
{
    uint64_t word = *pajesim_word(sim, container);
    return word ? &nodes[word - 1] : NULL;
}

static int has_own_node(pajesim *sim, pajesim_ref container)
{
    pajesim_ref parent = pajesim_parent(sim, container);
    uint64_t word = *pajesim_word(sim, container);
    return word && (!parent || *pajesim_word(sim, parent) != word);
}

/* For the next container. */
static void give_node(node *it)
{
    for (uint32_t i = 0; i < it->count; i++)
        free(it->rows[i].slices);
    it->count = 0;
    if (it->slots)
        memset(it->slots, 0, it->slot_count * sizeof *it->slots);
    it->next_free = first_free;
    first_free = (size_t)(it - nodes);
}

/* ---- slices: as many as asked for between -s and -e; else at most so many, of a width that is a power of two and
 * doubles as time goes on, which adds each two of them up to one, exactly */

static struct {
    int begun;
    double width;
    int64_t first; /* the first slice begins at so many widths, */
    int64_t low, high; /* and this is the least and the greatest in use, counted from 0 of time */
} grid;

static int is_fixed(void)
{
    return options.from && options.to;
}

/* Where slice `i` begins. */
static double edge(int64_t i)
{
    if (!is_fixed())
        return (double)(grid.first + i) * grid.width;
    return (size_t)i == options.slices ? options.end : options.start + (double)i * grid.width;
}

static void add_slice(slice *to, const slice *from)
{
    to->count += from->count;
    add_sum(&to->total, &from->total);
    add_sum(&to->exclusive, &from->exclusive);
    add_sum(&to->integral, &from->integral);
}

static int64_t floor_of(double number)
{
    int64_t whole = (int64_t)number;
    return whole - ((double)whole > number);
}

static int64_t halved(int64_t index, unsigned times)
{
    return times > 62 ? (index < 0 ? -1 : 0) : floor_of((double)index / (double)(INT64_C(1) << times));
}

static void move_slices(row *it, int64_t first, unsigned times)
{
    slice *old = it->slices, *new = paje_room(NULL, options.slices * sizeof *new);
    memset(new, 0, options.slices * sizeof *new);
    for (int64_t i = 0; i <= grid.high - grid.first && (size_t)i < options.slices; i++) {
        if (grid.first + i < grid.low)
            continue;
        add_slice(&new[halved(grid.first + i, times) - first], &old[i]);
    }
    free(old);
    it->slices = new;
}

/* Makes room for that time. */
static void reach(double time)
{
    double size = time < 0 ? -time : time;
    if (is_fixed())
        return;
    if (!grid.begun) {
        grid.begun = 1;
        for (grid.width = 1.0; grid.width * 1e12 > size && grid.width > 1e-12;)
            grid.width /= 2;
        while (grid.width * 1e15 < size)
            grid.width *= 2;
        grid.first = grid.low = grid.high = floor_of(time / grid.width);
        return;
    }
    unsigned times = 0;
    double width = grid.width;
    for (; width * 1e15 < size; width *= 2)
        times++;
    int64_t low, high;
    for (;; width *= 2, times++) {
        int64_t here = floor_of(time / width);
        low = halved(grid.low, times);
        high = halved(grid.high, times);
        low = here < low ? here : low;
        high = here > high ? here : high;
        if ((uint64_t)(high - low) < options.slices)
            break;
    }
    if (times || low < grid.first || (uint64_t)(high - grid.first) >= options.slices) {
        for (size_t i = 0; i < node_count; i++)
            for (uint32_t r = 0; r < nodes[i].count; r++)
                move_slices(&nodes[i].rows[r], low, times);
        grid.first = low;
    }
    grid.low = low;
    grid.high = high;
    grid.width = width;
}

static int64_t slice_at(double time)
{
    int64_t most = (int64_t)options.slices - 1;
    int64_t i = is_fixed() ? floor_of((time - options.start) / grid.width) : floor_of(time / grid.width) - grid.first;
    i = i < 0 ? 0 : i > most ? most : i; /* the very end is in the last */
    if (i < most && edge(i + 1) <= time) /* the division may miss by one */
        i++;
    return i > 0 && edge(i) > time ? i - 1 : i;
}

/* ---- intervals: the part of an entity that counts */

typedef struct interval {
    double start, end, number;
} interval;

static void add_to_slice(slice *to, sum *time, double duration, double number)
{
    add_to(time, duration);
    if (number != 0)
        add_to(&to->integral, duration * number);
}

/* `sign` is 1 for the time of an entity; for that which it takes from the exclusive time of the one below it, -1. */
static void add_to_slices(row *it, const interval *part, int kind, int sign)
{
    reach(part->start);
    reach(part->end);
    int64_t i = slice_at(part->start), last = slice_at(part->end);
    if (sign > 0)
        it->slices[i].count++;
    for (; i <= last; i++) {
        slice *to = &it->slices[i];
        double start = i > 0 && edge(i) > part->start ? edge(i) : part->start;
        double end = i < last && edge(i + 1) < part->end ? edge(i + 1) : part->end;
        if (sign > 0)
            add_to_slice(to, &to->total, end - start, part->number);
        if (kind == PAJESIM_STATE)
            add_to(&to->exclusive, sign * (end - start));
    }
}

static double finite(double time)
{
    return time > most_time ? most_time : time < -most_time ? -most_time : time;
}

/* Cuts it by -s and -e; answers 0 if nothing is left. */
static int is_within(const pajesim_entity *entity, interval *part)
{
    *part = (interval){finite(entity->start), finite(entity->end), 0};
    if (entity->kind == PAJESIM_VARIABLE)
        part->number = entity->number;
    if (entity->kind == PAJESIM_EVENT)
        part->end = part->start;
    if ((options.from && part->end < options.start) || (options.to && part->start > options.end))
        return 0;
    if (options.from && part->start < options.start)
        part->start = options.start;
    if (options.to && part->end > options.end)
        part->end = options.end;
    return 1;
}

static void count(row *it, const pajesim_entity *entity, const interval *part)
{
    double duration = part->end - part->start;
    double measure = entity->kind == PAJESIM_VARIABLE ? entity->number : duration;
    if (it->all.count == 0 || measure < it->least)
        it->least = measure;
    if (it->all.count == 0 || measure > it->greatest)
        it->greatest = measure;
    it->all.count++;
    add_to_slice(&it->all, &it->all.total, duration, part->number);
    if (entity->kind == PAJESIM_STATE)
        add_to(&it->all.exclusive, duration);
    if (options.slices)
        add_to_slices(it, part, (int)entity->kind, 1);
}

static void add_row(row *to, const row *from)
{
    if (to->all.count == 0 || (from->all.count && from->least < to->least))
        to->least = from->least;
    if (to->all.count == 0 || (from->all.count && from->greatest > to->greatest))
        to->greatest = from->greatest;
    add_slice(&to->all, &from->all);
    for (size_t i = 0; i < options.slices; i++)
        add_slice(&to->slices[i], &from->slices[i]);
}

/* ---- printing */

typedef struct place {
    const pajesim *sim;
    pajesim_text path, alias;
} place;

static uint64_t printed;

static void print_names(const place *where, const row *it)
{
    const class *of = &classes[it->class];
    const struct {
        const char *name;
        pajesim_text text;
    } names[] = {
        {"container", where->path},
        {"containerAlias", where->alias},
        {"kind", {pajesim_kind_name(of->kind), strlen(pajesim_kind_name(of->kind))}},
        {"type", pajesim_name(where->sim, of->type)},
        {"typeAlias", pajesim_alias(where->sim, of->type)},
        {"value", class_value(it->class)},
    };
    if (options.format == JSON)
        paje_addf(&paje_output, printed ? ",\n{" : "\n{");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (options.format == CSV) {
            paje_add_csv(&paje_output, names[i].text);
            paje_addf(&paje_output, ",");
        } else if (options.format == JSON) {
            paje_addf(&paje_output, "\"%s\":", names[i].name);
            paje_add_json(&paje_output, names[i].text);
            paje_addf(&paje_output, ",");
        } else if (i == 2) {
            paje_addf(&paje_output, "  %-9s ", names[i].text.bytes);
        } else if (i == 3 || i == 5) {
            size_t begin = paje_output.size;
            paje_add_printable(&paje_output, names[i].text);
            size_t size = paje_output.size - begin;
            paje_addf(&paje_output, "%*s ", size < 18 ? (int)(18 - size) : 0, "");
        }
    }
    printed++;
}

/* Nothing where `known` is 0. */
static void print_number(const char *name, int known, double number)
{
    if (options.format == JSON) {
        if (known) {
            paje_addf(&paje_output, "\"%s\":", name);
            paje_add_number(&paje_output, number);
            paje_addf(&paje_output, ",");
        }
    } else if (options.format == CSV) {
        if (known)
            paje_add_number(&paje_output, number);
        paje_addf(&paje_output, ",");
    } else if (known) {
        paje_addf(&paje_output, " %12.6g", number);
    } else {
        paje_addf(&paje_output, " %12s", "");
    }
}

/* In place of the last comma. */
static void end_row(void)
{
    if (options.format == JSON)
        paje_output.bytes[paje_output.size - 1] = '}';
    else if (options.format == CSV)
        paje_output.size--;
    if (options.format != JSON)
        paje_end_line();
    else if (paje_output.size > 1u << 16)
        paje_flush();
}

static void print_slice_numbers(const slice *it, pajesim_kind kind)
{
    print_number("count", 1, (double)it->count);
    print_number("total", kind != PAJESIM_EVENT, value_of(&it->total));
    print_number("exclusive", kind == PAJESIM_STATE, value_of(&it->exclusive));
}

/* `lifetime` is that of all containers that could bear it. */
static void print_row(const place *where, const row *it, double lifetime)
{
    pajesim_kind kind = classes[it->class].kind;
    double total = value_of(&it->all.total), integral = value_of(&it->all.integral);
    double own = kind == PAJESIM_STATE ? value_of(&it->all.exclusive) : total;
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
    pajesim_kind kind = classes[it->class].kind;
    for (size_t i = 0; i < options.slices; i++) {
        const slice *one = &it->slices[i];
        double total = value_of(&one->total);
        if (one->count == 0 && !(total > 0 || total < 0))
            continue;
        print_names(where, it);
        print_number("start", 1, edge((int64_t)i));
        print_number("end", 1, edge((int64_t)i + 1));
        print_slice_numbers(one, kind);
        print_number("integral", kind == PAJESIM_VARIABLE, value_of(&one->integral));
        end_row();
    }
}

static int compare(const void *a, const void *b)
{
    size_t one = (*(const row *const *)a)->class, other = (*(const row *const *)b)->class;
    return (one > other) - (one < other);
}

static void print_node(const place *where, const node *it)
{
    const row **rows = paje_room(NULL, it->count * sizeof *rows);
    for (uint32_t i = 0; i < it->count; i++)
        rows[i] = &it->rows[i];
    if (it->count)
        qsort(rows, it->count, sizeof *rows, compare);
    if (options.format == TABLE) {
        paje_add_printable(&paje_output, where->path);
        paje_end_line();
    }
    for (uint32_t i = 0; i < it->count; i++) {
        pajesim_ref bearer = pajesim_parent(where->sim, classes[rows[i]->class].type);
        size_t type = bearer ? class_named(where->sim, bearer, (pajesim_text){"", 0}, 0) : PAJE_NONE;
        uint32_t slot = type != PAJE_NONE ? *slot_of(it, type) : 0;
        if (options.slices)
            print_slices(where, rows[i]);
        else
            print_row(where, rows[i], slot ? value_of(&it->rows[slot - 1].all.total) : 0);
    }
    free(rows);
}

static void print_header(void)
{
    const char *names = "Container,ContainerAlias,Kind,Type,TypeAlias,Value,";
    if (options.format == JSON)
        paje_addf(&paje_output, "[");
    else if (options.format == CSV && options.slices)
        paje_addf(&paje_output, "%sStart,End,Count,Total,Exclusive,Integral", names);
    else if (options.format == CSV)
        paje_addf(&paje_output, "%sCount,Total,Exclusive,Mean,Min,Max,Share,Integral", names);
    else if (options.slices)
        paje_addf(&paje_output, "  %-9s %-18s %-18s  %12s %12s %12s %12s %12s %12s", "Kind", "Type", "Value", "Start",
                  "End", "Count", "Total", "Exclusive", "Integral");
    else
        paje_addf(&paje_output, "  %-9s %-18s %-18s  %12s %12s %12s %12s %12s %12s %12s %12s", "Kind", "Type", "Value",
                  "Count", "Total", "Exclusive", "Mean", "Min", "Max", "Share", "Integral");
    if (options.format != JSON)
        paje_end_line();
}

/* ---- the trace */

static size_t *kept; /* nodes, for the end */
static size_t kept_count, kept_room;

static void keep(const pajesim *sim, node *it, pajesim_ref container)
{
    it->path.size = it->alias.size = 0;
    paje_add_path(&it->path, sim, container);
    paje_add_text(&it->alias, pajesim_alias(sim, container));
    if (kept_count == kept_room) {
        kept_room += kept_room / 2 + 64;
        kept = paje_room(kept, kept_room * sizeof *kept);
    }
    kept[kept_count++] = (size_t)(it - nodes);
}

static void finish_node(pajesim *sim, node *it, pajesim_ref container)
{
    static paje_buffer path;
    pajesim_ref parent = pajesim_parent(sim, container);
    if (parent && !options.own) {
        node *to = node_of(sim, parent);
        for (uint32_t i = 0; i < it->count; i++)
            add_row(row_of(to, it->rows[i].class), &it->rows[i]);
    }
    if (options.slices) {
        keep(sim, it, container);
        return;
    }
    path.size = 0;
    paje_add_path(&path, sim, container);
    place where = {sim, paje_text(&path), pajesim_alias(sim, container)};
    print_node(&where, it);
    give_node(it);
}

static int closed(pajesim *sim, const pajesim_entity *entity)
{
    pajesim_entity below;
    interval part;
    node *in = node_of(sim, entity->container);
    pajesim_entity counted = *entity;
    if (!in)
        return PAJESIM_GO_ON;
    if (entity->kind == PAJESIM_CONTAINER && entity->container == pajesim_root(sim))
        counted.start = pajesim_count(sim)->first; /* not 0 */
    if (is_within(&counted, &part)) {
        count(row_of(in, class_of(sim, entity)), entity, &part);
        if (entity->kind == PAJESIM_STATE && entity->imbrication > 0 &&
            pajesim_open_entity(sim, entity->container, entity->type, entity->imbrication - 1, &below)) {
            row *under = row_of(in, class_of(sim, &below));
            add_to(&under->all.exclusive, -(part.end - part.start));
            if (options.slices)
                add_to_slices(under, &part, PAJESIM_STATE, -1);
        }
    }
    if (entity->kind == PAJESIM_CONTAINER && has_own_node(sim, entity->container))
        finish_node(sim, in, entity->container);
    return PAJESIM_GO_ON;
}

static int container_created(pajesim *sim, const pajesim_entity *container)
{
    pajesim_ref parent = pajesim_parent(sim, container->container);
    const node *in = node_of(sim, parent);
    if (in && in->depth < options.depth)
        new_node(sim, container->container, in->depth + 1);
    else if (!options.own)
        *pajesim_word(sim, container->container) = *pajesim_word(sim, parent);
    return PAJESIM_GO_ON;
}

static void begin(paje_run *run, int trace)
{
    (void)trace;
    if (options.slices && is_fixed())
        grid.width = (options.end - options.start) / (double)options.slices;
    if (is_fixed() && !(options.end > options.start))
        paje_usage(run->settings->plugin, "-e must be later than -s");
    new_node(&run->sim, pajesim_root(&run->sim), 0);
    print_header();
}

static void end(paje_run *run, int trace)
{
    (void)trace;
    for (size_t i = 0; i < kept_count; i++) {
        const node *it = &nodes[kept[i]];
        place where = {&run->sim, paje_text(&it->path), paje_text(&it->alias)};
        print_node(&where, it);
    }
    if (options.format == JSON) {
        paje_addf(&paje_output, "\n]");
        paje_end_line();
    }
}

static const char *parse_time(const char *argument, double *time)
{
    return paje_parse_number(argument, time) && *time >= -most_time && *time <= most_time ? NULL : "no number";
}

static const char *whole_number(const char *argument, double most, size_t *number)
{
    double read;
    if (!paje_parse_number(argument, &read) || !(read >= 0 && read <= most) || (double)(size_t)read < read)
        return "no such number";
    *number = (size_t)read;
    return NULL;
}

static const char *option(int key, const char *argument, paje_settings *settings)
{
    static const char *const formats[] = {[TABLE] = "table", [CSV] = "csv", [JSON] = "json"};
    (void)settings;
    switch (key) {
    case 's': options.from = 1; return parse_time(argument, &options.start);
    case 'e': options.to = 1; return parse_time(argument, &options.end);
    case SLICES: return whole_number(argument, 1e6, &options.slices);
    case DEPTH: return whole_number(argument, 1e9, &options.depth);
    case OWN: options.own = 1; return NULL;
    default:
        for (options.format = TABLE; options.format <= JSON; options.format++)
            if (strcmp(argument, formats[options.format]) == 0)
                return NULL;
        return "no format: table, csv or json";
    }
}

static const paje_option option_table[] = {
    {FORMAT, "format", "FORMAT", "table, csv or json; default: table"},
    {OWN, "own", NULL, "of each container only what it bears itself, not what is in it"},
    {DEPTH, "depth", "N", "print containers down to that depth only; 0: the root, all in all"},
    {SLICES, "slices", "N", "for each of N slices of time; all are in memory until the end: see --depth"},
    {'s', "start", "TIME", "count from TIME on; what began before is cut"},
    {'e', "end", "TIME", "count until TIME; what ends after is cut"},
    {0, NULL, NULL, NULL},
};

const paje_plugin paje_profile = {
    .name = "profile",
    .summary = "Sums up for each container, type and value: counts, times, shares, integrals, latencies",
    .details =
        "A container has what is in it added, and is printed once it is complete, after those in it, as du does.\n\n"
        "  Count      of entities: states, segments of variables, links, events, containers\n"
        "  Total      their time: inclusive for nested states, latency for links, lifetime for containers\n"
        "  Exclusive  of states: without the states above them\n"
        "  Mean, Min, Max  of these times; of variables: of their values, the mean weighted with time\n"
        "  Share      of states the exclusive time, of variables the time, in the lifetime of all containers that\n"
        "             could have it\n"
        "  Integral   of variables: value times time\n\n"
        "Values of events and links that the trace does not define are told apart up to 256 for each type.\n"
        "--slices N: with -s and -e N slices of the same width; without at most N, mostly more than N/2, of a width\n"
        "that is a power of two.  The count is of what begins in a slice.",
    .traces = 1,
    .options = option_table,
    .option = option,
    .callbacks = {.container_created = container_created, .closed = closed},
    .begin = begin,
    .end = end,
};
