/* Containers as rows.  The word of a container holds its row, plus 1; above that its level; above that the generation
 * of the rows: each time they are grouped, the words of all containers that are alive are brought up to date, and
 * others are not valid any more. */
#include "chart/rows.h"
#include "base/utf8.h"
#include "replay/path.h"
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

enum { ROW_BITS = 32, LEVEL_BITS = 16 };

static size_t level_in_word(pajesim *sim, pajesim_ref container)
{
    return *pajesim_user_data(sim, container) >> ROW_BITS & ((1u << LEVEL_BITS) - 1);
}

static void set_word(const chart_rows *rows, pajesim *sim, pajesim_ref container, uint32_t row, size_t level)
{
    uint64_t above = (rows->generation << LEVEL_BITS | level) << ROW_BITS;
    *pajesim_user_data(sim, container) = above | (uint32_t)(row + 1); /* 0: no row */
}

static uint32_t row_in_word(const chart_rows *rows, pajesim *sim, pajesim_ref container)
{
    uint64_t word = *pajesim_user_data(sim, container);
    int is_valid = word >> (ROW_BITS + LEVEL_BITS) == (uint16_t)rows->generation;
    return is_valid ? (uint32_t)word - 1 : CHART_NO_ROW;
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
static uint32_t add_row(chart_rows *rows, pajesim *sim, pajesim_ref container)
{
    static text_buffer path;
    if (rows->items.count >= rows->most)
        chart_group_rows(rows, sim, rows->most / 2);
    text_clear(&path);
    paje_put_path(&path, sim, container);
    size_t row = add_key(&rows->known, text_view(&path), pajesim_alias(sim, container));
    if (row == rows->items.count) {
        chart_row *new = array_push(&rows->items);
        new->path = new->last_path = copy_of(text_view(&path));
        new->name = new->last_name = copy_of(pajesim_name(sim, container));
        new->alias = copy_of(pajesim_alias(sim, container));
        new->members = 1;
    }
    set_word(rows, sim, container, (uint32_t)row, level_in_word(sim, container));
    return (uint32_t)row;
}

void chart_begin_rows(chart_rows *rows, pajesim *sim)
{
    add_row(rows, sim, pajesim_root(sim));
}

void chart_add_container(chart_rows *rows, pajesim *sim, pajesim_ref container)
{
    pajesim_ref parent = pajesim_parent(sim, container);
    size_t level = level_in_word(sim, parent), most = (1u << LEVEL_BITS) - 1;
    int is_below = level >= rows->depth;
    set_word(rows, sim, container, is_below ? row_in_word(rows, sim, parent) : CHART_NO_ROW,
             level < most ? level + 1 : level);
    if (!is_below)
        add_row(rows, sim, container);
}

uint32_t chart_row_of(chart_rows *rows, pajesim *sim, pajesim_ref container)
{
    uint32_t row = row_in_word(rows, sim, container);
    if (row == CHART_NO_ROW) {
        size_t level = level_in_word(sim, container);
        pajesim_ref bearer = container;
        for (size_t above = level; above > rows->depth; above--)
            bearer = pajesim_parent(sim, bearer);
        row = row_in_word(rows, sim, bearer);
        if (row == CHART_NO_ROW)
            row = add_row(rows, sim, bearer);
        set_word(rows, sim, container, row, level);
    }
    rows->items.items[row].is_used = 1;
    return row;
}

/* ---- groups */

/* Brings the words of all containers that are alive up to date. */
static void renumber(const chart_rows *rows, const chart_rows *before, pajesim *sim, const uint32_t *to)
{
    pajesim_ref root = pajesim_root(sim), next;
    for (pajesim_ref at = root; at; at = next) {
        uint32_t row = row_in_word(before, sim, at);
        set_word(rows, sim, at, row == CHART_NO_ROW ? row : to[row], level_in_word(sim, at));
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

/* Returns how many rows are used; writes them in their order. */
static size_t order_rows(const chart_rows *rows, uint32_t *order)
{
    order_item *items = memory_alloc(rows->items.count, sizeof *items);
    uint32_t count = 0;
    for (uint32_t i = 0; i < rows->items.count; i++)
        if (rows->items.items[i].is_used) {
            items[count] = (order_item){rows->items.items[i].path, 0, i, count};
            count++;
        }
    order_items(items, count, order);
    free(items);
    return count;
}

/* How many of `count` containers become one row: as few as possible, or some more if groups have the same size then. */
static size_t group_size(size_t count, size_t most)
{
    size_t least = count > most && most > 0 ? (count - 1) / most + 1 : 1;
    for (size_t size = least; size <= least + least / 4; size++)
        if (count % size == 0)
            return size;
    return least;
}

/* Puts neighbours into groups of about so many containers, as some are groups already; writes the group of each of
 * the rows in `order`.  Returns how many groups there are. */
static size_t make_groups(const chart_rows *rows, const uint32_t *order, size_t used, size_t size, uint32_t *to)
{
    size_t groups = 0, members = 0;
    for (size_t i = 0; i < used; i++) {
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
    const chart_rows before = *rows;
    size_t count = before.items.count, containers = 0;
    uint32_t *order = memory_alloc(count, sizeof *order), *to = memory_alloc(count, sizeof *to);
    size_t used = order_rows(rows, order);
    for (size_t i = 0; i < count; i++) {
        to[i] = CHART_NO_ROW;
        containers += rows->items.items[i].is_used ? rows->items.items[i].members : 0;
    }
    size_t size = used > most ? group_size(containers, most) : 1;
    while (make_groups(rows, order, used, size, to) > (most > 0 ? most : 1))
        size += size / 8 + 1;
    chart_rows grouped = *rows;
    memset(&grouped.items, 0, sizeof grouped.items);
    memset(&grouped.known, 0, sizeof grouped.known);
    for (size_t i = 0; i < used; i++) {
        chart_row *row = &rows->items.items[order[i]];
        if (to[order[i]] < grouped.items.count) {
            join(&grouped.items.items[to[order[i]]], row);
            continue;
        }
        *array_push(&grouped.items) = *row;
        add_key(&grouped.known, row->path, row->alias);
    }
    for (size_t i = 0; i < count; i++)
        if (to[i] == CHART_NO_ROW)
            free_row(&rows->items.items[i]);
    rows->regroup(to, count);
    array_free(&rows->items);
    map_free(&rows->known);
    grouped.generation++;
    *rows = grouped;
    rows->grouped = 0;
    for (size_t i = 0; i < rows->items.count; i++)
        rows->grouped += rows->items.items[i].members > 1 ? rows->items.items[i].members : 0;
    if (sim)
        renumber(rows, &before, sim, to);
    free(order);
    free(to);
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

/* The bytes up to the last slash that all paths have in common. */
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
    while (size > 0 && first.bytes[size - 1] != '/')
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

/* The bytes of the first characters of a text, or of the last ones. */
static size_t bytes_of(pajesim_text text, size_t characters, int last)
{
    size_t at = last ? text.size : 0;
    for (; characters > 0; characters--)
        if (last) {
            while (at > 0 && utf8_continues(text.bytes[--at]))
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
