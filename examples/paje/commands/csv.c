/* paje csv: writes a folder with one table for each kind of entity. */
#include "command.h"

#include <sys/stat.h>

#define FULL (1u << 16)

static struct {
    const char *folder;
    int user_fields;
} options;

typedef struct table {
    const char *name, *header;
    text_buffer rows;
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

static output_file files[PAJESIM_LINK + 1]; /* of the tables */

static void flush(void)
{
    for (int kind = PAJESIM_CONTAINER; kind <= PAJESIM_LINK; kind++)
        output_write(&files[kind], &tables[kind].rows);
}

/* Whether the input may keep the command waiting, so that others want to read the tables meanwhile. */
static int is_waited_for(const paje_run *run)
{
    struct stat status;
    return fstat(run->source->file, &status) < 0 || !S_ISREG(status.st_mode);
}

static void begin(paje_run *run, int trace)
{
    (void)trace;
    if (!options.folder)
        paje_usage(run->settings->command, "it needs a folder: -d DIR");
    output_make_folder(options.folder);
    for (int kind = PAJESIM_CONTAINER; kind <= PAJESIM_LINK; kind++) {
        table *it = &tables[kind];
        text_buffer path = {0};
        text_printf(&path, "%s/%s.csv", options.folder, it->name);
        output_open(&files[kind], text_string(&path), is_waited_for(run) ? OUTPUT_LIVE : OUTPUT_WHOLE);
        text_free(&path);
        text_printf(&it->rows, "%s%s\n", it->header, options.user_fields ? ",Opening,Closing" : "");
    }
    stream_flush_files = flush;
}

/* ---- fields: each ends with a comma; the last comma of a row becomes the line end */

static void add_text(text_buffer *row, pajesim_text text)
{
    text_put_csv(row, text);
    text_putc(row, ',');
}

static void add_number(text_buffer *row, double number)
{
    text_put_number(row, number);
    text_putc(row, ',');
}

static void add_times(text_buffer *row, const pajesim_entity *entity)
{
    add_number(row, entity->start);
    add_number(row, entity->end);
    text_put_span(row, entity->start, entity->end);
    text_putc(row, ',');
}

static void add_container(text_buffer *row, const pajesim *sim, pajesim_ref container)
{
    static text_buffer path;
    path.size = 0;
    if (container) /* the root has no parent */
        paje_put_path(&path, sim, container);
    add_text(row, text_view(&path));
    add_text(row, pajesim_alias(sim, container));
}

static void add_type(text_buffer *row, const pajesim *sim, pajesim_ref type)
{
    add_text(row, pajesim_name(sim, type));
    add_text(row, pajesim_alias(sim, type));
}

static void add_value(text_buffer *row, const pajesim *sim, const pajesim_entity *entity)
{
    add_text(row, entity->value_name);
    add_text(row, pajesim_alias(sim, entity->value));
}

static void add_fields(text_buffer *row, const pajesim *sim, const pajesim_fields *fields)
{
    static text_buffer json;
    json.size = 0;
    if (fields->count)
        paje_put_json_fields(&json, sim, fields);
    add_text(row, text_view(&json));
}

static int closed(pajesim *sim, const pajesim_entity *entity)
{
    table *it = &tables[entity->kind];
    text_buffer *row = &it->rows;
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
        output_write(&files[entity->kind], row);
    return PAJESIM_GO_ON;
}

static void end(paje_run *run, int trace)
{
    (void)trace;
    paje_suggest_unit(run);
    flush();
    stream_flush_files = NULL;
    output_close(&files[PAJESIM_CONTAINER], PAJESIM_LINK - PAJESIM_CONTAINER + 1);
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
    {'d', "directory", "DIR",
     "the folder, created if it does not exist; existing tables are replaced, once all are whole"},
    {'u', "user-defined", NULL, "two more columns: user fields of the opening and the closing line, as JSON"},
    {0, NULL, NULL, NULL},
};

const paje_command command_csv = {
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
               "names are those of the trace.  Numbers have the fewest digits that read back as the same double; a\n"
               "duration is the exact difference of the two decimal times.",
    .traces = 1,
    .trials = "-d OUT FILE\n-u -d OUT -s 1 -e 4 --type S --unit ms FILE",
    .filters = PAJE_FILTERS,
    .options = option_table,
    .option = option,
    .callbacks = {.closed = closed},
    .begin = begin,
    .end = end,
};
