/* Containers as rows.  What is noted of a container is its row, plus 1: each time they are grouped, this is brought up
 * to date for all containers that are alive, and not valid any more for others. */
#include "chart/rows.h"
#include "base/utf8.h"
#include "replay/path.h"
#include "replay/table.h"
#include "timeline/order.h"

#define ELLIPSIS "\xe2\x80\xa6"

static pajesim_text copy_of(pajesim_text text)
{
    text_buffer copy = {0};
    if (text.size == 0)
        return text_of("");
    text_append(&copy, text);
    return text_view(&copy);
}

static void free_copy(pajesim_text copy)
{
    if (copy.size > 0)
        free((void *)(uintptr_t)copy.bytes);
}

static size_t add_key(hash_map *known, pajesim_text path, pajesim_text alias)
{
    static text_buffer key;
    text_clear(&key);
    text_append(&key, path);
    text_putc(&key, '\0');
    text_append(&key, alias);
    return map_add(known, key.bytes, key.size);
}

/* Adds the row of a container, unless one of the same path and alias has been there before. */
static uint32_t add_row(chart_rows *rows, pajesim *sim, const chart_row *like)
{
    if (rows->items.count >= rows->most)
        chart_group_rows(rows, sim, rows->most / 2);
    size_t row = add_key(&rows->known, like->path, like->alias);
    if (row == rows->items.count) {
        chart_row *new = array_push(&rows->items);
        new->path = new->last_path = copy_of(like->path);
        new->name = new->last_name = copy_of(like->name);
        new->alias = copy_of(like->alias);
        new->serial = like->serial;
        new->members = 1;
    }
    return (uint32_t)row;
}

/* The container in whose row a container is. */
static pajesim_ref bearer_of(const chart_rows *rows, const pajesim *sim, pajesim_ref container)
{
    size_t level = 0;
    for (pajesim_ref above = container; (above = pajesim_parent(sim, above)) != 0;)
        level++;
    for (; level > rows->depth; level--)
        container = pajesim_parent(sim, container);
    return container;
}

uint32_t chart_row_of(chart_rows *rows, pajesim *sim, pajesim_ref container)
{
    static text_buffer path;
    uint32_t noted = paje_noted(sim, container);
    if (noted)
        return noted - 1;
    pajesim_ref bearer = bearer_of(rows, sim, container);
    uint32_t row = (noted = paje_noted(sim, bearer)) - 1;
    if (!noted) {
        text_clear(&path);
        paje_put_path(&path, sim, bearer);
        const chart_row like = {.path = text_view(&path), .alias = pajesim_alias(sim, bearer),
                                .name = pajesim_name(sim, bearer), .serial = pajesim_serial(sim, bearer)};
        row = add_row(rows, sim, &like);
        paje_note(sim, bearer, row + 1);
    }
    paje_note(sim, container, row + 1);
    return row;
}

/* ---- groups */

/* Brings what is noted of all containers that are alive up to date. */
static void renumber(pajesim *sim, const uint32_t *to)
{
    pajesim_ref root = pajesim_root(sim), next;
    paje_next_epoch();
    for (pajesim_ref at = root; at; at = next) {
        paje_renote(sim, at, to);
        next = pajesim_first_child(sim, at);
        for (; !next && at != root; at = pajesim_parent(sim, at))
            next = pajesim_next_sibling(sim, at);
    }
}

static void free_row(chart_row *row)
{
    if (row->last_path.bytes != row->path.bytes) {
        free_copy(row->last_path);
        free_copy(row->last_name);
    }
    free_copy(row->path);
    free_copy(row->name);
    free_copy(row->alias);
    text_free(&row->label);
}

/* Makes `row` a part of `to`, which comes before it. */
static void join(chart_row *to, chart_row *row)
{
    if (to->last_path.bytes != to->path.bytes) {
        free_copy(to->last_path);
        free_copy(to->last_name);
    }
    to->last_path = copy_of(row->last_path);
    to->last_name = copy_of(row->last_name);
    to->members += row->members;
    free_row(row);
}

typedef struct numbered {
    uint32_t serial, row;
} numbered;

static int compare_serials(const void *left, const void *right)
{
    const numbered *a = left, *b = right;
    return (a->serial > b->serial) - (a->serial < b->serial);
}

static void order_rows(const chart_rows *rows, uint32_t *order)
{
    uint32_t count = (uint32_t)rows->items.count;
    order_item *items = memory_alloc(count, sizeof *items);
    numbered *created = memory_alloc(count, sizeof *created);
    for (uint32_t i = 0; i < count; i++)
        created[i] = (numbered){rows->items.items[i].serial, i};
    if (count > 1)
        qsort(created, count, sizeof *created, compare_serials);
    for (uint32_t i = 0; i < count; i++)
        items[i] = (order_item){rows->items.items[created[i].row].path, 0, created[i].row, i};
    order_items(items, count, order);
    free(created);
    free(items);
}

/* How many of `count` containers become one row, of `most`: as few as possible, or some more if groups have the same
 * size then. */
static size_t group_size(size_t count, size_t most)
{
    size_t least = (count - 1) / most + 1;
    for (size_t size = least; size <= least + least / 4; size++)
        if (count % size == 0)
            return size;
    return least;
}

/* Puts neighbours into groups of about so many containers, as some are groups already; writes the group of each of
 * the rows in `order`.  Returns how many groups there are. */
static size_t make_groups(const chart_rows *rows, const uint32_t *order, size_t size, uint32_t *to)
{
    size_t groups = 0, members = 0;
    for (size_t i = 0; i < rows->items.count; i++) {
        size_t more = rows->items.items[order[i]].members;
        if (i == 0 || members + more > size) {
            groups++;
            members = 0;
        }
        members += more;
        to[order[i]] = (uint32_t)groups - 1;
    }
    return groups;
}

void chart_group_rows(chart_rows *rows, pajesim *sim, size_t most)
{
    size_t count = rows->items.count, containers = 0;
    most = most > 0 ? most : 1;
    uint32_t *order = memory_alloc(count, sizeof *order), *to = memory_alloc(count, sizeof *to);
    order_rows(rows, order);
    for (size_t i = 0; i < count; i++)
        containers += rows->items.items[i].members;
    size_t size = count > most ? group_size(containers, most) : 1;
    while (make_groups(rows, order, size, to) > most)
        size += size / 8 + 1;
    chart_rows grouped = *rows;
    memset(&grouped.items, 0, sizeof grouped.items);
    memset(&grouped.known, 0, sizeof grouped.known);
    for (size_t i = 0; i < count; i++) {
        chart_row *row = &rows->items.items[order[i]];
        if (to[order[i]] < grouped.items.count) {
            join(&grouped.items.items[to[order[i]]], row);
            continue;
        }
        *array_push(&grouped.items) = *row;
        add_key(&grouped.known, row->path, row->alias);
    }
    rows->regroup(to, count);
    array_free(&rows->items);
    map_free(&rows->known);
    grouped.groupings++;
    *rows = grouped;
    rows->grouped = 0;
    for (size_t i = 0; i < rows->items.count; i++)
        rows->grouped += rows->items.items[i].members > 1 ? rows->items.items[i].members : 0;
    if (sim)
        renumber(sim, to);
    free(order);
    free(to);
}

/* ---- what processes hand over */

void chart_save_rows(chart_rows *rows, text_buffer *to)
{
    paje_put_number(to, rows->groupings);
    paje_put_number(to, rows->items.count);
    for (size_t i = 0; i < rows->items.count; i++) {
        paje_put_text(to, rows->items.items[i].path);
        paje_put_text(to, rows->items.items[i].alias);
        paje_put_text(to, rows->items.items[i].name);
        paje_put_number(to, rows->items.items[i].serial);
        free_row(&rows->items.items[i]);
    }
    array_clear(&rows->items);
    map_clear(&rows->known);
    rows->groupings = 0;
    rows->grouped = 0;
}

const uint32_t *chart_join_rows(chart_rows *rows, paje_parcel *from)
{
    static array_of(uint32_t) numbers;
    uint64_t groupings = paje_take_number(from);
    array_clear(&numbers);
    for (uint64_t left = paje_take_number(from); left > 0 && !groupings; left--) {
        chart_row like = {.path = paje_take_text(from)};
        like.alias = paje_take_text(from);
        like.name = paje_take_text(from);
        like.serial = (uint32_t)paje_take_number(from);
        uint32_t row = add_row(rows, NULL, &like);
        *array_push(&numbers) = row;
        groupings = rows->groupings;
    }
    array_reserve(&numbers, 1); /* an address, even of none */
    return groupings ? NULL : numbers.items;
}

/* ---- labels */

void chart_put_path(text_buffer *text, const chart_row *row)
{
    text_append(text, row->path);
    if (row->members > 1) {
        text_puts(text, " " ELLIPSIS " ");
        text_append(text, row->last_path);
        text_printf(text, " (%llu)", (unsigned long long)row->members);
    }
}

pajesim_text chart_alias(const chart_row *row)
{
    return row->members == 1 ? row->alias : text_of("");
}

/* The bytes up to the last slash that all paths, which begin with one, have in common. */
static size_t common_size(const chart_rows *rows)
{
    pajesim_text first = rows->items.items[0].path;
    size_t size = first.size;
    for (size_t i = 0; i < rows->items.count; i++) {
        const chart_row *row = &rows->items.items[i];
        size_t same = 0;
        while (same < size && same < row->path.size && row->path.bytes[same] == first.bytes[same])
            same++;
        size = same;
    }
    while (first.bytes[size - 1] != '/')
        size--;
    return size;
}

/* Whether labels are different; of names, or of paths. */
static int are_different(const chart_rows *rows, int are_paths)
{
    hash_map known = {0};
    for (size_t i = 0; i < rows->items.count; i++) {
        pajesim_text text = are_paths ? rows->items.items[i].path : rows->items.items[i].name;
        map_add(&known, text.bytes, text.size);
    }
    size_t count = known.used;
    map_free(&known);
    return count == rows->items.count;
}

void chart_label_rows(chart_rows *rows)
{
    if (rows->items.count == 0)
        return;
    int has_names = are_different(rows, 0), has_paths = has_names || are_different(rows, 1);
    size_t common = has_names ? 0 : common_size(rows);
    for (size_t i = 0; i < rows->items.count; i++) {
        chart_row *row = &rows->items.items[i];
        pajesim_text path = {row->path.bytes + common, row->path.size - common};
        text_clear(&row->label);
        text_append(&row->label, has_names ? row->name : path);
        if (row->label.size == 0)
            text_append(&row->label, row->name);
        if (!has_paths) {
            text_puts(&row->label, " [");
            text_append(&row->label, row->alias);
            text_putc(&row->label, ']');
        }
        if (row->members > 1) {
            text_puts(&row->label, " " ELLIPSIS " ");
            text_append(&row->label, row->last_name);
            text_printf(&row->label, " (%llu)", (unsigned long long)row->members);
        }
    }
}

/* The bytes of the first characters of a text, which has more, or of the last ones. */
static size_t bytes_of(pajesim_text text, size_t characters, int last)
{
    size_t at = last ? text.size : 0;
    for (; characters > 0; characters--)
        if (last) {
            while (utf8_continues(text.bytes[--at]))
                ;
        } else {
            utf8_next(text.bytes, text.size, &at);
        }
    return last ? text.size - at : at;
}

void chart_put_column(text_buffer *text, pajesim_text more, size_t columns)
{
    static text_buffer shown;
    size_t count = 0;
    text_clear(&shown);
    text_put_printable(&shown, more);
    for (size_t i = 0; i < shown.size; i++)
        count += !utf8_continues(shown.bytes[i]);
    if (count <= columns) {
        text_append(text, text_view(&shown));
        text_printf(text, "%*s", (int)(columns - count), "");
        return;
    }
    size_t head = (columns - 1) / 2, tail = columns - 1 - head;
    text_put(text, shown.bytes, bytes_of(text_view(&shown), head, 0));
    text_puts(text, ELLIPSIS);
    tail = bytes_of(text_view(&shown), tail, 1);
    text_put(text, shown.bytes + shown.size - tail, tail);
}
