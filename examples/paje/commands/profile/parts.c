/* Tables of several processes. */
#include "profile.h"

static text_buffer ended; /* containers that have ended in the part */

static void put_rows(const node *it, text_buffer *to)
{
    paje_put_number(to, it->serial);
    paje_put_number(to, it->rows.count);
    text_put(to, (const char *)it->rows.items, it->rows.count * sizeof *it->rows.items);
}

void profile_keep_ended(const node *it, const place *where, uint32_t above)
{
    paje_put_number(&ended, 1);
    put_rows(it, &ended);
    paje_put_number(&ended, above);
    paje_put_text(&ended, where->path);
    paje_put_text(&ended, where->alias);
}

void profile_save(paje_run *run, text_buffer *to)
{
    (void)run;
    profile_save_classes(to);
    text_append(to, text_view(&ended));
    text_clear(&ended);
    for (size_t i = 0; i < profile_nodes.count; i++)
        if (profile_nodes.items[i].rows.count > 0) {
            paje_put_number(to, 2);
            put_rows(&profile_nodes.items[i], to);
        }
    paje_put_number(to, 0);
    profile_free_nodes();
}

/* ---- the parent: nodes have the numbers of their containers */

static hash_map serials;

static node *node_of(uint32_t serial)
{
    return array_at(&profile_nodes, map_add(&serials, &serial, sizeof serial));
}

static node *take_rows(paje_parcel *from, const size_t *classes)
{
    uint32_t serial = (uint32_t)paje_take_number(from);
    node *it = node_of(serial);
    row one;
    it->serial = serial;
    for (uint64_t left = paje_take_number(from); left > 0; left--) {
        paje_take(from, &one, sizeof one);
        profile_add_row(profile_row_of(it, classes[one.class]), &one);
    }
    return it;
}

/* Prints a container that has ended, and adds it to the one that it is in. */
static void end_container(paje_parcel *from, const size_t *classes)
{
    const uint32_t serial = take_rows(from, classes)->serial, above = (uint32_t)paje_take_number(from);
    const pajesim_text path = paje_take_text(from), alias = paje_take_text(from);
    const place where = {path, alias};
    if (above != PROFILE_ROOT && !profile_options.own) {
        node *to = node_of(above), *it = node_of(serial);
        for (size_t i = 0; i < it->rows.count; i++)
            profile_add_row(profile_row_of(to, it->rows.items[i].class), &it->rows.items[i]);
    }
    node *it = node_of(serial);
    profile_print_node(&where, it);
    array_clear(&it->rows);
    map_clear(&it->numbers);
    map_remove(&serials, map_find(&serials, &serial, sizeof serial));
}

int profile_join(paje_parcel *from)
{
    const size_t *classes = profile_join_classes(from);
    uint64_t next;
    while ((next = paje_take_number(from)) != 0)
        if (next == 1)
            end_container(from, classes);
        else
            take_rows(from, classes);
    return 1;
}
