/* paje csv: a folder with one table for each kind of entity. */
#include "paje.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FULL (1u << 16)

static struct {
    const char *folder;
    int user_fields;
} options;

typedef struct table {
    const char *name, *header;
    paje_buffer path, rows;
    int file;
} table;

#define WHERE "Container,ContainerAlias,Type,TypeAlias,"

static table tables[] = {
    [PAJESIM_CONTAINER] = {.name = "containers",
                           .header = "Path,Alias,Name,Type,TypeAlias,Parent,ParentAlias,Start,End,Duration"},
    [PAJESIM_STATE] = {.name = "states", .header = WHERE "Start,End,Duration,Imbrication,Value,ValueAlias"},
    [PAJESIM_EVENT] = {.name = "events", .header = WHERE "Time,Value,ValueAlias"},
    [PAJESIM_VARIABLE] = {.name = "variables", .header = WHERE "Start,End,Duration,Value"},
    [PAJESIM_LINK] = {.name = "links",
                      .header = WHERE "Start,End,Duration,Value,ValueAlias,From,FromAlias,To,ToAlias,Key"},
};

static void flush(void)
{
    for (int kind = PAJESIM_CONTAINER; kind <= PAJESIM_LINK; kind++)
        paje_write(tables[kind].file, tables[kind].path.bytes, &tables[kind].rows);
}

static void begin(paje_run *run, int trace)
{
    (void)trace;
    if (!options.folder)
        paje_usage(run->settings->plugin, "it needs a folder: -d DIR");
    if (mkdir(options.folder, 0777) < 0 && errno != EEXIST)
        paje_fail("%s: %s", options.folder, strerror(errno));
    for (int kind = PAJESIM_CONTAINER; kind <= PAJESIM_LINK; kind++) {
        table *it = &tables[kind];
        paje_addf(&it->path, "%s/%s.csv", options.folder, it->name);
        paje_add(&it->path, "", 1);
        it->file = open(it->path.bytes, O_WRONLY | O_CREAT | O_TRUNC | O_NOCTTY, 0666);
        if (it->file < 0)
            paje_fail("%s: %s", it->path.bytes, strerror(errno));
        paje_addf(&it->rows, "%s%s\n", it->header, options.user_fields ? ",Opening,Closing" : "");
    }
    paje_flush_files = flush;
}

/* ---- fields: each ends with a comma, of which the last one becomes the end of the line */

static void add_text(paje_buffer *row, pajesim_text text)
{
    paje_add_csv(row, text);
    paje_add(row, ",", 1);
}

static void add_number(paje_buffer *row, double number)
{
    paje_add_number(row, number);
    paje_add(row, ",", 1);
}

static void add_times(paje_buffer *row, const pajesim_entity *entity)
{
    add_number(row, entity->start);
    add_number(row, entity->end);
    paje_add_span(row, entity->start, entity->end);
    paje_add(row, ",", 1);
}

static void add_container(paje_buffer *row, const pajesim *sim, pajesim_ref container)
{
    static paje_buffer path;
    path.size = 0;
    if (container) /* the root is in none */
        paje_add_path(&path, sim, container);
    add_text(row, paje_text(&path));
    add_text(row, pajesim_alias(sim, container));
}

static void add_type(paje_buffer *row, const pajesim *sim, pajesim_ref type)
{
    add_text(row, pajesim_name(sim, type));
    add_text(row, pajesim_alias(sim, type));
}

static void add_value(paje_buffer *row, const pajesim *sim, const pajesim_entity *entity)
{
    add_text(row, entity->value_name);
    add_text(row, pajesim_alias(sim, entity->value));
}

static void add_fields(paje_buffer *row, const pajesim *sim, const pajesim_fields *fields)
{
    static paje_buffer json;
    json.size = 0;
    if (fields->count)
        paje_add_json_fields(&json, sim, fields);
    add_text(row, paje_text(&json));
}

static int closed(pajesim *sim, const pajesim_entity *entity)
{
    table *it = &tables[entity->kind];
    paje_buffer *row = &it->rows;
    add_container(row, sim, entity->container);
    if (entity->kind == PAJESIM_CONTAINER)
        add_text(row, pajesim_name(sim, entity->container));
    add_type(row, sim, entity->type);
    switch (entity->kind) {
    case PAJESIM_CONTAINER:
        add_container(row, sim, pajesim_parent(sim, entity->container));
        add_times(row, entity);
        break;
    case PAJESIM_STATE:
        add_times(row, entity);
        add_number(row, entity->imbrication);
        add_value(row, sim, entity);
        break;
    case PAJESIM_EVENT:
        add_number(row, entity->start);
        add_value(row, sim, entity);
        break;
    case PAJESIM_VARIABLE:
        add_times(row, entity);
        add_number(row, entity->number);
        break;
    case PAJESIM_LINK:
        add_times(row, entity);
        add_value(row, sim, entity);
        add_container(row, sim, entity->start_container);
        add_container(row, sim, entity->end_container);
        add_text(row, entity->key);
        break;
    }
    if (options.user_fields) {
        add_fields(row, sim, &entity->opening);
        add_fields(row, sim, &entity->closing);
    }
    row->bytes[row->size - 1] = '\n';
    if (row->size >= FULL)
        paje_write(it->file, it->path.bytes, row);
    return PAJESIM_GO_ON;
}

static void end(paje_run *run, int trace)
{
    (void)run;
    (void)trace;
    flush();
    paje_flush_files = NULL;
    for (int kind = PAJESIM_CONTAINER; kind <= PAJESIM_LINK; kind++)
        if (close(tables[kind].file) < 0)
            paje_fail("%s: %s", tables[kind].path.bytes, strerror(errno));
}

static const char *option(int key, const char *argument, paje_settings *settings)
{
    (void)settings;
    if (key == 'd')
        options.folder = argument;
    else
        options.user_fields = 1;
    return NULL;
}

static const paje_option option_table[] = {
    {'d', "directory", "DIR", "the folder, made if it is not there; tables that are there are replaced"},
    {'u', "user-defined", NULL, "two columns more: user fields of the opening and the closing line, as JSON"},
    {0, NULL, NULL, NULL},
};

const paje_plugin paje_csv = {
    .name = "csv",
    .summary = "Writes tables into a folder, one for each kind of entity",
    .details = "  containers.csv  Path,Alias,Name,Type,TypeAlias,Parent,ParentAlias,Start,End,Duration\n"
               "  states.csv      " WHERE "Start,End,Duration,Imbrication,Value,ValueAlias\n"
               "  events.csv      " WHERE "Time,Value,ValueAlias\n"
               "  variables.csv   " WHERE "Start,End,Duration,Value\n"
               "  links.csv       " WHERE "Start,End,Duration,\n"
               "                  Value,ValueAlias,From,FromAlias,To,ToAlias,Key\n\n"
               "Container, Path, Parent, From and To are paths, such as /Host one/Thread one, with a backslash before\n"
               "a slash within a name.  Fields are quoted as RFC 4180 says; lines end with a newline, and bytes of\n"
               "names are those of the trace.  Numbers have as many digits as tell them from all others; a duration\n"
               "is the difference of the two times as they stand there.",
    .traces = 1,
    .options = option_table,
    .option = option,
    .callbacks = {.closed = closed, .container_destroyed = paje_keep_path},
    .begin = begin,
    .end = end,
};
