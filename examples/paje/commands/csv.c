/* paje csv: writes a folder with one table for each kind of entity. */
#include "command.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FIELD_COLUMNS = PAJE_LONG_ONLY };

static struct {
    const char *folder;
    int user_fields, field_columns;
} options;

typedef struct table {
    const char *name, *header;
    text_buffer rows;
    hash_map opening, closing; /* names of user fields, with --field-columns */
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
static int are_open;

static void flush(void)
{
    for (int kind = PAJESIM_CONTAINER; kind <= PAJESIM_LINK; kind++)
        output_write(&files[kind], &tables[kind].rows);
}

/* Whether the input may keep the command waiting, so that others want to read the tables meanwhile. */
static int is_waited_for(const char *name)
{
    struct stat status;
    return (strcmp(name, "-") == 0 ? fstat(STDIN_FILENO, &status) : stat(name, &status)) < 0 ||
           !S_ISREG(status.st_mode);
}

static void add_header(text_buffer *row, const char *prefix, const hash_map *names)
{
    static text_buffer column;
    for (size_t i = 0; i < names->count; i++) {
        column.size = 0;
        text_puts(&column, prefix);
        text_append(&column, map_key(names, i));
        text_putc(row, ',');
        text_put_csv(row, text_view(&column));
    }
}

static void open_tables(const paje_settings *settings, const char *trace)
{
    int is_live = is_waited_for(trace);
    output_make_folder(options.folder);
    for (int kind = PAJESIM_CONTAINER; kind <= PAJESIM_LINK; kind++) {
        table *it = &tables[kind];
        text_buffer path = {0};
        text_printf(&path, "%s/%s", options.folder, it->name);
        paje_put_part(&path, settings->part, settings->parts);
        text_puts(&path, ".csv");
        output_open(&files[kind], text_string(&path), is_live ? OUTPUT_LIVE : OUTPUT_WHOLE);
        text_free(&path);
        text_printf(&it->rows, "%s%s", it->header, options.user_fields ? ",Opening,Closing" : "");
        add_header(&it->rows, "Opening.", &it->opening);
        add_header(&it->rows, "Closing.", &it->closing);
        text_putc(&it->rows, '\n');
    }
    stream_flush_files = flush;
    are_open = 1;
}

/* Processes that share the work write to the same files, which are open by then. */
static void begin(paje_run *run, int trace)
{
    (void)trace;
    if (!are_open)
        open_tables(run->settings, run->source->name);
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
    text_put_times(row, entity->start, entity->end);
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

/* Adds the container and the type of an entity.  Short texts of both are kept: by the number of the container and the
 * identifier of the type, as refs in one window are others than in the next. */
static void add_place(text_buffer *row, const pajesim *sim, const pajesim_entity *entity)
{
    enum { KEPT_BITS = 10, SHORT = 160, SHORT_ALIAS = 16 };
    static struct place {
        uint32_t serial, size, alias_size; /* size 0: none */
        char alias[SHORT_ALIAS], text[SHORT];
    } kept[1 << KEPT_BITS];
    pajesim_text alias = pajesim_alias(sim, entity->type);
    uint32_t serial = pajesim_serial(sim, entity->container);
    uint64_t hash = ((uint64_t)entity->type << 32 | serial) * UINT64_C(0x9e3779b97f4a7c15);
    struct place *it = &kept[hash >> (64 - KEPT_BITS)];
    if (it->size && it->serial == serial && text_is_equal(alias, (pajesim_text){it->alias, it->alias_size})) {
        text_put(row, it->text, it->size);
        return;
    }
    size_t start = row->size;
    add_container(row, sim, entity->container);
    add_type(row, sim, entity->type);
    size_t size = row->size - start;
    if (size > SHORT || alias.size > SHORT_ALIAS)
        return;
    it->serial = serial;
    it->size = (uint32_t)size;
    it->alias_size = (uint32_t)alias.size;
    memcpy(it->alias, alias.bytes, alias.size);
    memcpy(it->text, row->bytes + start, size);
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

static void add_field_columns(text_buffer *row, const hash_map *names, const pajesim *sim,
                              const pajesim_fields *fields)
{
    if (names->count == 0)
        return;
    const pajesim_text *texts = paje_find_fields(names, sim, fields);
    for (size_t i = 0; i < names->count; i++)
        add_text(row, texts[i]);
}

static int closed(pajesim *sim, const pajesim_entity *entity)
{
    table *it = &tables[entity->kind];
    text_buffer *row = &it->rows;
    if (entity->kind != PAJESIM_CONTAINER)
        add_place(row, sim, entity);
    switch (entity->kind) {
    case PAJESIM_CONTAINER:
        add_container(row, sim, entity->container);
        add_text(row, pajesim_name(sim, entity->container));
        add_type(row, sim, entity->type);
        add_container(row, sim, pajesim_parent(sim, entity->container));
        add_times(row, entity);
        break;
    case PAJESIM_STATE:
        add_times(row, entity);
        text_put_integer(row, entity->imbrication);
        text_putc(row, ',');
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
    add_field_columns(row, &it->opening, sim, &entity->opening);
    add_field_columns(row, &it->closing, sim, &entity->closing);
    row->bytes[row->size - 1] = '\n';
    if (row->size >= stream_output_limit)
        output_write(&files[entity->kind], row);
    return PAJESIM_GO_ON;
}

static void end(paje_run *run, int trace)
{
    (void)trace;
    paje_suggest_unit(run);
}

/* ---- the names of user fields, which head the tables: from a replay of its own, before the tables are written */

static int note_fields(pajesim *sim, const pajesim_entity *entity)
{
    table *it = &tables[entity->kind];
    paje_note_fields(&it->opening, sim, &entity->opening);
    paje_note_fields(&it->closing, sim, &entity->closing);
    return PAJESIM_GO_ON;
}

static int run(const paje_settings *settings, char **names, int count)
{
    const char *name = count ? names[0] : "-";
    if (!options.folder)
        paje_usage(settings->command, "it needs a folder: -d DIR");
    if (options.field_columns) {
        if (!paje_is_file(name))
            paje_usage(settings->command, "--field-columns reads the trace twice: it needs a file");
        paje_look_ahead(settings, name, &(pajesim_callbacks){.closed = note_fields});
    }
    if (settings->parts && settings->processes)
        paje_usage(settings->command, "--part is the share of one process: it takes no -j");
    if (settings->processes > 1) {
        paje_note_trace(name);
        open_tables(settings, name);
    }
    int status = settings->parts ? paje_replay_part(settings, name, NULL, NULL) : paje_replay_chosen(settings, name, 0);
    flush();
    stream_flush_files = NULL;
    if (status < EXIT_FAILED) /* else the tables are not whole */
        output_close(&files[PAJESIM_CONTAINER], PAJESIM_LINK - PAJESIM_CONTAINER + 1);
    return status;
}

static const char *option(int key, const char *argument, paje_settings *settings)
{
    if (key == 'j')
        return paje_parse_processes(argument, &settings->processes);
    if (key == 'd')
        options.folder = argument;
    else if (key == FIELD_COLUMNS)
        options.field_columns = 1;
    else
        options.user_fields = 1;
    return NULL;
}

static const paje_option option_table[] = {
    {'d', "directory", "DIR",
     "the folder, created if it does not exist; existing tables are replaced, once all are whole"},
    {'j', "jobs", "N", PAJE_JOBS_HELP},
    {'u', "user-defined", NULL, "two more columns: user fields of the opening and the closing line, as JSON"},
    {FIELD_COLUMNS, "field-columns", NULL,
     "a column for each user field, such as Opening.Size, empty where a line has none; reads the trace twice"},
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
               "names are those of the trace.  Numbers have the fewest digits that read back as the same double, and\n"
               "infinite ones are the greatest; a duration is the difference of the two decimal times, where these\n"
               "have 15 digits at most (times are doubles, which keep no more: nanoseconds of some days, not of\n"
               "seconds since 1970).\n\n"
               "With --part 7/64, the files are containers.07-of-64.csv and so on, each with the line of names; rows\n"
               "are those of the whole, in order.",
    .traces = 1,
    .trials = "-d OUT FILE\n-u --field-columns -d OUT -s 1 -e 4 --type S --unit ms -j 2 FILE",
    .filters = PAJE_FILTERS | PAJE_PARTS | PAJE_FROM_INDEX,
    .options = option_table,
    .option = option,
    .callbacks = {.closed = closed},
    .begin = begin,
    .end = end,
    .run = run,
};
