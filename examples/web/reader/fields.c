/* User fields of what exists at an instant, as JSON. */
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

static int closed(pajesim *sim, const pajesim_entity *entity)
{
    static text_buffer path;
    if (entity->start > instant || entity->end < instant || (!entity->opening.count && !entity->closing.count))
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
    text_puts(&list, "]");
    return PAJESIM_GO_ON;
}

/* Returns a list of [path, kind, type, value, fields of the line that began it, of the one that ended it]. */
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
