/* paje sql: prints statements that load traces into a database, after section 5.3 of T.  L.  Bellini's "Extensible
 * Simulator for Replay of Trace Files in the Paje format".  What differs from that schema: keys are numbers, because
 * traces reuse identifiers and keys of links and contain equal states; names have any length; the table `value` is
 * called entity_value, since MariaDB reserves that word; and there are columns for the container of a link, for
 * undefined values and for the progress of a load. */
#include "commands/sql/sql.h"

#include <math.h>

enum { DIALECT = PAJE_LONG_ONLY, BATCH, SCHEMA_ONLY, FIELD_COLUMNS };

sql_options sql = {.batch = 10000};
static int has_batch; /* --batch was given */
static int has_begun; /* the load, which processes share */

/* ---- the number of a type, a value or a container, and its depth, are kept in the user's word of its ref */

#define NUMBER_BITS 40

static uint64_t counted[SQL_CONTAINER + 1];

/* Types and values that are older than the checkpoint where a part begins, in order of their numbers. */
static struct {
    hash_map types, values; /* by alias; values by the number of their type before it */
    uint64_t type_count, value_count, container_count;
} older;

static const void *value_key(uint64_t type, pajesim_text alias, size_t *size)
{
    static text_buffer key;
    key.size = 0;
    text_put(&key, (const char *)&type, sizeof type);
    text_append(&key, alias);
    *size = key.size;
    return key.bytes;
}

/* Returns the number of what is older than the checkpoint; root and root type have theirs. */
static uint64_t older_number(const pajesim *sim, int table, pajesim_ref ref, uint64_t type)
{
    pajesim_text alias = pajesim_alias(sim, ref);
    size_t size;
    if (table == SQL_CONTAINER)
        return (uint64_t)pajesim_serial(sim, ref) + 1;
    if (table == SQL_TYPE)
        return (uint64_t)map_find(&older.types, alias.bytes, alias.size) + 2;
    const void *key = value_key(type, alias, &size);
    return (uint64_t)map_find(&older.values, key, size) + 1;
}

/* Returns the word of a ref, which has one, or is older than the checkpoint where a part begins. */
static uint64_t word_of(pajesim *sim, int table, pajesim_ref ref)
{
    static array_of(pajesim_ref) path;
    uint64_t word;
    array_clear(&path);
    for (; (word = *pajesim_user_data(sim, ref)) == 0; ref = pajesim_parent(sim, ref))
        *array_push(&path) = ref;
    while (path.count > 0) {
        ref = path.items[--path.count];
        int is_value = table == SQL_VALUE && path.count == 0;
        uint64_t depth = (word >> NUMBER_BITS) + 1, above = word & ((UINT64_C(1) << NUMBER_BITS) - 1);
        word = depth << NUMBER_BITS | older_number(sim, table == SQL_VALUE && !is_value ? SQL_TYPE : table, ref, above);
        *pajesim_user_data(sim, ref) = word;
    }
    return word;
}

static uint64_t number_of(pajesim *sim, int table, pajesim_ref ref)
{
    return word_of(sim, table, ref) & ((UINT64_C(1) << NUMBER_BITS) - 1);
}

static void number(pajesim *sim, int table, pajesim_ref ref)
{
    pajesim_ref parent = pajesim_parent(sim, ref);
    int table_above = table == SQL_CONTAINER ? SQL_CONTAINER : SQL_TYPE;
    uint64_t depth = parent ? (word_of(sim, table_above, parent) >> NUMBER_BITS) + 1 : 0;
    *pajesim_user_data(sim, ref) = depth << NUMBER_BITS | ++counted[table];
}

static void add_number_of(text_buffer *row, pajesim *sim, int table, pajesim_ref ref)
{
    if (ref)
        sql_add_integer(row, number_of(sim, table, ref));
    else
        sql_add_null(row);
}

static void add_depth_of(text_buffer *row, pajesim *sim, int table, pajesim_ref ref)
{
    sql_add_integer(row, word_of(sim, table, ref) >> NUMBER_BITS);
}

/* ---- entities */

static int line(pajesim *sim, const pajesim_line *next)
{
    (void)next;
    sql_end_line(sim);
    return PAJESIM_GO_ON;
}

static int new_type(pajesim *sim, const pajesim_type_info *type)
{
    const char *kind = pajesim_kind_name(type->kind);
    number(sim, SQL_TYPE, type->ref);
    text_buffer *row = sql_begin_row(SQL_TYPE);
    add_number_of(row, sim, SQL_TYPE, type->ref);
    sql_add_text(row, type->alias);
    sql_add_text(row, type->name);
    sql_add_text(row, (pajesim_text){kind, strlen(kind)});
    add_number_of(row, sim, SQL_TYPE, type->parent);
    add_depth_of(row, sim, SQL_TYPE, type->ref);
    add_number_of(row, sim, SQL_TYPE, type->start_type);
    add_number_of(row, sim, SQL_TYPE, type->end_type);
    sql_add_text(row, type->color);
    sql_end_row(SQL_TYPE);
    return PAJESIM_GO_ON;
}

static int new_value(pajesim *sim, const pajesim_value_info *value)
{
    number(sim, SQL_VALUE, value->ref);
    text_buffer *row = sql_begin_row(SQL_VALUE);
    add_number_of(row, sim, SQL_VALUE, value->ref);
    add_number_of(row, sim, SQL_TYPE, value->type);
    sql_add_text(row, value->alias);
    sql_add_text(row, value->name);
    sql_add_text(row, value->color);
    sql_end_row(SQL_VALUE);
    return PAJESIM_GO_ON;
}

static void add_container(pajesim *sim, const pajesim_entity *entity)
{
    pajesim_ref container = entity->container;
    static text_buffer path;
    path.size = 0;
    paje_put_path(&path, sim, container);
    text_buffer *row = sql_begin_row(SQL_CONTAINER);
    add_number_of(row, sim, SQL_CONTAINER, container);
    add_number_of(row, sim, SQL_TYPE, entity->type);
    sql_add_text(row, pajesim_alias(sim, container));
    sql_add_text(row, pajesim_name(sim, container));
    sql_add_text(row, text_view(&path));
    add_number_of(row, sim, SQL_CONTAINER, pajesim_parent(sim, container));
    add_depth_of(row, sim, SQL_CONTAINER, container);
    sql_add_number(row, entity->start);
    if (entity->open)
        sql_add_null(row);
    else
        sql_add_number(row, entity->end);
    sql_add_fields(row, sim, &entity->opening);
    sql_add_fields(row, sim, &entity->closing);
    sql_end_row(SQL_CONTAINER);
}

/* Whether the row of a container is written once, at its end: it may be in another part. */
static int waits_for_end(void)
{
    return sql.folder || sql.parts;
}

/* Its row is written at once where batches that are loaded before its end refer to it. */
static int container_created(pajesim *sim, const pajesim_entity *container)
{
    number(sim, SQL_CONTAINER, container->container);
    if (!waits_for_end())
        add_container(sim, container);
    return PAJESIM_GO_ON;
}

static void end_container(pajesim *sim, const pajesim_entity *container)
{
    if (waits_for_end())
        add_container(sim, container);
    else
        sql_end_container(sim, number_of(sim, SQL_CONTAINER, container->container), container);
}

/* Adds the number of a value that the trace defines, or else its text. */
static void add_value(text_buffer *row, pajesim *sim, const pajesim_entity *entity)
{
    add_number_of(row, sim, SQL_VALUE, entity->value);
    if (entity->value)
        sql_add_null(row);
    else
        sql_add_text(row, entity->value_name);
}

static int closed(pajesim *sim, const pajesim_entity *entity)
{
    static const int table_of[] = {[PAJESIM_STATE] = SQL_STATE, [PAJESIM_EVENT] = SQL_EVENT,
                                   [PAJESIM_VARIABLE] = SQL_VARIABLE, [PAJESIM_LINK] = SQL_LINK};
    int is_shown = paje_shows(sim, entity);
    if (entity->kind == PAJESIM_CONTAINER)
        end_container(sim, entity);
    if (sql.field_columns && (is_shown || entity->kind == PAJESIM_CONTAINER))
        sql_note_fields(sim, entity);
    if (entity->kind == PAJESIM_CONTAINER || !is_shown)
        return PAJESIM_GO_ON;
    int table = table_of[entity->kind];
    text_buffer *row = sql_begin_row(table);
    add_number_of(row, sim, SQL_CONTAINER, entity->container);
    add_number_of(row, sim, SQL_TYPE, entity->type);
    if (table == SQL_STATE) {
        add_number_of(row, sim, SQL_VALUE, entity->value);
    } else if (table != SQL_VARIABLE) {
        add_value(row, sim, entity);
    }
    if (table == SQL_LINK) {
        sql_add_text(row, entity->key);
        add_number_of(row, sim, SQL_CONTAINER, entity->start_container);
        add_number_of(row, sim, SQL_CONTAINER, entity->end_container);
    }
    sql_add_number(row, entity->start);
    if (table != SQL_EVENT)
        sql_add_number(row, entity->end);
    if (table == SQL_STATE)
        sql_add_integer(row, entity->imbrication);
    else if (table == SQL_VARIABLE)
        sql_add_number(row, entity->number);
    sql_add_fields(row, sim, &entity->opening);
    if (table != SQL_EVENT)
        sql_add_fields(row, sim, &entity->closing);
    sql_end_row(table);
    return PAJESIM_GO_ON;
}

/* ---- the lines before a part: only numbers, and the user fields that the last part makes views of */

static int number_type(pajesim *sim, const pajesim_type_info *type)
{
    number(sim, SQL_TYPE, type->ref);
    return PAJESIM_GO_ON;
}

static int number_value(pajesim *sim, const pajesim_value_info *value)
{
    number(sim, SQL_VALUE, value->ref);
    return PAJESIM_GO_ON;
}

static int number_container(pajesim *sim, const pajesim_entity *container)
{
    number(sim, SQL_CONTAINER, container->container);
    return PAJESIM_GO_ON;
}

static int note_closed(pajesim *sim, const pajesim_entity *entity)
{
    if (entity->kind == PAJESIM_CONTAINER || paje_shows(sim, entity))
        sql_note_fields(sim, entity);
    return PAJESIM_GO_ON;
}

/* It is reported where its own part is replayed. */
static int ignore_problem(pajesim *sim, const pajesim_problem *problem)
{
    (void)sim;
    (void)problem;
    return PAJESIM_GO_ON;
}

static int note_type(pajesim *sim, const pajesim_type_info *type)
{
    pajesim_text alias = pajesim_alias(sim, type->ref);
    older.type_count++;
    number(sim, SQL_TYPE, type->ref);
    map_add(&older.types, alias.bytes, alias.size);
    return PAJESIM_GO_ON;
}

static int note_value(pajesim *sim, const pajesim_value_info *value)
{
    size_t size;
    const void *key = value_key(number_of(sim, SQL_TYPE, value->type), pajesim_alias(sim, value->ref), &size);
    older.value_count++;
    map_add(&older.values, key, size);
    return PAJESIM_GO_ON;
}

/* Notes the types and values that are defined up to the second checkpoint.  Returns whether those are all that are
 * older than the one that `run` was opened at; where values are implicit, more may be. */
static int knows_older(paje_run *run, const paje_index_file *file)
{
    static const pajesim_event definitions[] = {PAJESIM_DEFINE_CONTAINER_TYPE, PAJESIM_DEFINE_STATE_TYPE,
                                                PAJESIM_DEFINE_EVENT_TYPE, PAJESIM_DEFINE_VARIABLE_TYPE,
                                                PAJESIM_DEFINE_LINK_TYPE, PAJESIM_DEFINE_ENTITY_VALUE};
    static paje_run beginning;
    pajesim_checkpoint second = {0};
    paje_settings own = *run->settings;
    if (file->has_implicit || sql.field_columns || !pajesim_index_checkpoint(&file->index, 1, &second))
        return 0;
    own.callbacks = (pajesim_callbacks){.new_type = note_type, .new_value = note_value, .problem = ignore_problem};
    own.stats = 0;
    paje_open_run(&beginning, &own, run->source->name);
    *pajesim_user_data(&beginning.sim, pajesim_root_type(&beginning.sim)) = counted[SQL_TYPE] = 1;
    for (uint64_t at = 0; at < second.offset; at = pajesim_count(&beginning.sim)->bytes)
        if (!paje_feed_run(&beginning, (size_t)(second.offset - at)))
            break;
    int knows = older.types.used == older.type_count && older.values.used == older.value_count;
    for (size_t i = 0; i < sizeof definitions / sizeof *definitions; i++)
        knows &= pajesim_count(&beginning.sim)->by_event[definitions[i]] ==
                 pajesim_count(&run->sim)->by_event[definitions[i]];
    paje_close_run(&beginning);
    if (!knows)
        older.type_count = older.value_count = 0;
    else
        older.container_count = pajesim_count(&run->sim)->by_event[PAJESIM_CREATE_CONTAINER];
    return knows;
}

static int replay_part(const paje_settings *settings, char **names, int count)
{
    pajesim_callbacks before = {.new_type = number_type, .new_value = number_value,
                                .container_created = number_container};
    if (count > 1)
        paje_usage(settings->command, "`%s`: with --part, it takes one trace", names[1]);
    if (has_batch)
        paje_usage(settings->command, "a part is one batch: --part takes no --batch");
    sql.batch = 0;
    if (sql.field_columns && paje_is_last_part(settings))
        before.closed = note_closed;
    return paje_replay_part(settings, names[0], &before, knows_older);
}

/* Several processes write the files: each has the numbers of all that is older than its parts. */
static int replay_shared(paje_settings *settings, const char *name)
{
    static const pajesim_callbacks before = {.new_type = number_type, .new_value = number_value,
                                             .container_created = number_container};
    settings->before = &before;
    settings->noted = counted;
    settings->noted_size = sizeof counted;
    return paje_replay_range(settings, name, -HUGE_VAL, HUGE_VAL, settings->processes, NULL);
}

/* ---- files */

static void begin(paje_run *run, int trace)
{
    (void)trace;
    pajesim *sim = &run->sim;
    pajesim_ref type = pajesim_root_type(sim), root = pajesim_root(sim);
    if (*pajesim_user_data(sim, root)) /* another process shares its work, and numbers */
        return;
    memset(counted, 0, sizeof counted);
    if (has_begun) { /* so has its rows */
        number(sim, SQL_TYPE, type);
        number(sim, SQL_CONTAINER, root);
        return;
    }
    has_begun = run->settings->before != NULL;
    sql_begin_load(run);
    if (!paje_is_first_part(run->settings)) {
        number(sim, SQL_TYPE, type);
        number(sim, SQL_CONTAINER, root);
        counted[SQL_TYPE] += older.type_count;
        counted[SQL_VALUE] += older.value_count;
        counted[SQL_CONTAINER] += older.container_count;
        return;
    }
    pajesim_type_info info = {.ref = type, .kind = PAJESIM_CONTAINER, .name = pajesim_name(sim, type),
                              .alias = pajesim_alias(sim, type), .color = pajesim_color(sim, type)};
    new_type(sim, &info);
    pajesim_entity top = {.container = root, .type = type, .open = 1};
    top.start = paje_in_seconds(run->settings, pajesim_start_of(sim, root));
    container_created(sim, &top);
}

static void end(paje_run *run, int trace)
{
    (void)trace;
    paje_suggest_unit(run);
    sql_end_load(run);
}

static int run(const paje_settings *settings, char **names, int count)
{
    static char standard[] = "-", *standard_input[] = {standard};
    int status = EXIT_OK;
    paje_settings own = *settings;
    own.simulation.remembered = 4096; /* how many undefined values keep their number while unused */
    if (!sql.dialect)
        sql.dialect = sql_find_dialect("sqlite");
    if (sql.schema_only)
        sql.folder = NULL;
    if (sql.folder && count > 1)
        paje_usage(settings->command, "`%s`: with -d, it takes one trace", names[1]);
    if (settings->processes > 1 && (!sql.folder || settings->parts))
        paje_usage(settings->command, "%s", settings->parts
                                                ? "--part is the share of one process: it takes no -j"
                                                : "-j needs files, -d DIR: batches of statements are made in turn");
    sql.part = sql.schema_only ? 0 : settings->part;
    sql.parts = sql.schema_only ? 0 : settings->parts;
    if (count == 0) {
        names = standard_input;
        count = 1;
    }
    if (sql.folder)
        paje_note_trace(names[0]);
    sql_begin_output();
    if (sql.parts)
        status = replay_part(&own, names, count);
    for (int i = 0; i < count && !sql.schema_only && !sql.parts; i++) {
        int one = own.processes > 1 && !sql.field_columns ? replay_shared(&own, names[i])
                                                          : paje_replay(&own, names[i], i);
        status = one > status ? one : status;
    }
    if (status < EXIT_FAILED)
        sql_end_output();
    return status;
}

static const char *option(int key, const char *argument, paje_settings *settings)
{
    double size;
    switch (key) {
    case 'd': sql.folder = argument; return NULL;
    case 'j': return paje_parse_processes(argument, &settings->processes);
    case 'm': sql.comment = argument; return NULL;
    case SCHEMA_ONLY: sql.schema_only = 1; return NULL;
    case FIELD_COLUMNS: sql.field_columns = 1; return NULL;
    case BATCH:
        if (!paje_parse_number(argument, &size) || !(size >= 0 && size < 1e18))
            return "no number of rows";
        sql.batch = (uint64_t)size;
        has_batch = 1;
        return NULL;
    default:
        sql.dialect = sql_find_dialect(argument);
        return sql.dialect ? NULL : "no dialect: sqlite, mysql, postgresql or duckdb";
    }
}

static const paje_option option_table[] = {
    {DIALECT, "dialect", "DIALECT", "sqlite, mysql (also MariaDB), postgresql or duckdb; default: sqlite"},
    {'d', "directory", "DIR",
     "writes a folder: the rows of each table as a file, and load.sql, which loads them at once"},
    {'j', "jobs", "N", PAJE_JOBS_HELP ", with -d"},
    {BATCH, "batch", "N",
     "rows of a transaction, which ends with a line; 0: all of a file in one; default: 10000"},
    {'m', "comment", "TEXT", "stored with the file"},
    {FIELD_COLUMNS, "field-columns", NULL,
     "more views: states_fields, events_fields and so on, with a column for each user field"},
    {SCHEMA_ONLY, "schema-only", NULL, "tables, views and indexes only; no file is read"},
    {0, NULL, NULL, NULL},
};

const paje_command command_sql = {
    .name = "sql",
    .summary = "Prints statements that load traces into a database: paje sql t.trace | sqlite3 t.db",
    .details =
        "  paje sql --dialect mysql FILE | mysql DATABASE\n"
        "  paje sql --dialect postgresql FILE | psql -q -v ON_ERROR_STOP=1 DATABASE\n"
        "  paje sql -d DIR FILE; cd DIR; sqlite3 DATABASE <load.sql        with --dialect\n"
        "                                mysql --local-infile DATABASE <load.sql       ... mysql\n"
        "                                psql -q -v ON_ERROR_STOP=1 -f load.sql DATABASE   ... postgresql\n"
        "                                duckdb DATABASE <load.sql                     ... duckdb\n\n"
        "Tables: file, type, entity_value, container, state, event, variable, link, keyed by the file's number and\n"
        "one of their own; views with names in place of numbers: states, events, variables, links.  Each load adds\n"
        "a file.  User fields of the opening and the closing line of an entity are objects of JSON.\n"
        "An interrupted load leaves whole batches: file.line is the last line of the trace in them, and\n"
        "file.complete is 1 only when all of them have been loaded.  A statement has 500 rows at most, so that\n"
        "memory does not depend on --batch.  Bytes that are not UTF-8, and NUL, become U+FFFD; infinite numbers\n"
        "become the greatest.\n"
        "Filters choose rows of state, event, variable and link; all types, values and containers are there, as\n"
        "rows refer to them.\n"
        "With --part 7/64, numbers are those of the whole.  Statements of part 1 make the tables and the row of file,\n"
        "those of the others find the latest file of that name: load part 1 first, then the others in any order, also\n"
        "at once, each in one transaction; file.complete is 1 when all are there.  (SQLite: not at once; DuckDB: in\n"
        "order, by one client.)  A part fails if a type is defined in one that is not loaded yet: load it again.\n"
        "With -d, all parts go to one folder, as state.07-of-64.csv and so on, and the last one adds load.sql, which\n"
        "loads them all.  With an index, what comes before a part is replayed only if types or values are defined\n"
        "behind its second checkpoint, or not at all; or for --field-columns.\n"
        "--field-columns: a name that the database refuses for a column, or takes for the same as that of another\n"
        "field, has none, nor has what is beyond 800 names; such fields are in the JSON.",
    .traces = PAJE_ANY,
    .trials = "--field-columns FILE\n--dialect postgresql --batch 2 -s 1 --type S --unit ms FILE FILE\n"
              "--dialect mysql -j 2 -d OUT FILE\n--part 2/2 FILE",
    .filters = PAJE_FILTERS | PAJE_SEES_ALL | PAJE_PARTS,
    .options = option_table,
    .option = option,
    .callbacks = {.line = line, .new_type = new_type, .new_value = new_value,
                  .container_created = container_created, .closed = closed},
    .begin = begin,
    .end = end,
    .run = run,
};
