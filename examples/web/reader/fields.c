/* Containers and links that exist at an instant, and user fields of what does, as JSON. */
#include "command.h"
#include "replay/fields.h"
#include "reader/web.h"

#include <string.h>

static double instant;
static text_buffer list;

static void put_fields(pajesim *sim, const pajesim_fields *fields)
{
    text_puts(&list, ",");
    if (fields->count)
        paje_put_json_fields(&list, sim, fields);
    else
        text_puts(&list, "null");
}

/* Which containers a link is between, their names, its key, start and end. */
static void put_link(pajesim *sim, const pajesim_entity *link)
{
    const pajesim_ref ends[] = {link->start_container, link->end_container};
    for (int i = 0; i < 2; i++) {
        text_printf(&list, ",%lu,", (unsigned long)pajesim_serial(sim, ends[i]));
        text_put_json(&list, pajesim_name(sim, ends[i]));
    }
    text_puts(&list, ",");
    text_put_json(&list, link->key);
    text_puts(&list, ",");
    text_put_number(&list, link->start);
    text_puts(&list, ",");
    text_put_number(&list, link->end);
}

static int closed(pajesim *sim, const pajesim_entity *entity)
{
    static text_buffer path;
    int has_fields = entity->opening.count || entity->closing.count;
    int is_listed = has_fields || entity->kind == PAJESIM_CONTAINER || entity->kind == PAJESIM_LINK;
    if (entity->start > instant || entity->end < instant || !is_listed)
        return PAJESIM_GO_ON;
    text_puts(&list, list.size > 1 ? ",[" : "[");
    text_clear(&path);
    paje_put_path(&path, sim, entity->container);
    text_put_json(&list, text_view(&path));
    text_printf(&list, ",%d,", (int)entity->kind);
    text_put_json(&list, pajesim_name(sim, entity->type));
    text_puts(&list, ",");
    text_put_json(&list, entity->value_name);
    put_fields(sim, &entity->opening);
    put_fields(sim, &entity->closing);
    text_printf(&list, ",%lu", (unsigned long)pajesim_serial(sim, entity->container));
    if (entity->kind == PAJESIM_LINK)
        put_link(sim, entity);
    text_puts(&list, "]");
    return PAJESIM_GO_ON;
}

/* Returns a list of [path, kind, type, value, fields of the line that began it, of the one that ended it, number of the
 * container]; of a link also the numbers and names of the containers where it starts and ends, its key, start, end. */
WEB_EXPORT(web_fields) web_result *web_fields(double time)
{
    static paje_settings settings;
    settings.command = paje_commands[0];
    settings.callbacks.closed = closed;
    instant = time;
    text_clear(&list);
    text_puts(&list, "[");
    paje_replay_range(&settings, "TRACE", time, time, 1, NULL);
    text_puts(&list, "]");
    return web_return_text(&list);
}
