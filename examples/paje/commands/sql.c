/* paje sql: prints statements that load traces into a database, after section 5.3 of T.  L.  Bellini's "Extensible
 * Simulator for Replay of Trace Files in the Paje format".  What differs from that schema: keys are numbers, because
 * traces reuse identifiers and keys of links and contain equal states; names have any length; the table `value` is
 * called entity_value, since MariaDB reserves that word; and there are columns for the container of a link, for
 * undefined values and for the progress of a load. */
#include "command.h"

#include <string.h>

enum { DIALECT = PAJE_LONG_ONLY, BATCH, SCHEMA_ONLY };
enum { STATEMENT_ROWS = 500, STATEMENT_BYTES = 1 << 18 };

/* ---- dialects */

typedef struct dialect {
    const char *name;
    const char *session; /* at the start */
    /* Replacements in the schema: $i, an automatic number; $t, text; $d, date and time; $o, options of a table; $v, the
     * start of a view. */
    const char *identity, *text, *date, *options, *view;
    /* The number of the file that is loaded: how to keep it, how to write it in a condition and in each row of an
     * INSERT; and what surrounds the rows, where it cannot stand within them. */
    const char *keep_file, *file, *row_file, *before_rows, *after_rows;
    int backslashes;
} dialect;

static const dialect dialects[] = {
    {"sqlite", "", "INTEGER PRIMARY KEY", "TEXT", "TIMESTAMP", "", "CREATE VIEW IF NOT EXISTS",
     "CREATE TEMP TABLE IF NOT EXISTS loading (id INTEGER);\nDELETE FROM temp.loading;\n"
     "INSERT INTO temp.loading VALUES (last_insert_rowid());\n",
     "(SELECT id FROM temp.loading)", "", "SELECT id, r.* FROM temp.loading, (", ") AS r", 0},
    {"mysql", "SET NAMES utf8mb4;\nSET SESSION sql_mode = 'STRICT_ALL_TABLES';\n", "INTEGER PRIMARY KEY AUTO_INCREMENT",
     "LONGTEXT", "DATETIME", " ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin",
     "CREATE OR REPLACE VIEW", "SET @file = LAST_INSERT_ID();\n", "@file", "@file,", "", "", 1},
    {"postgresql",
     "SET client_encoding = 'UTF8';\nSET standard_conforming_strings = on;\nSET client_min_messages = warning;\n",
     "SERIAL PRIMARY KEY", "TEXT", "TIMESTAMP", "", "CREATE OR REPLACE VIEW", "", "currval('file_id_seq')",
     "currval('file_id_seq'),", "", "", 0},
};

static struct {
    const dialect *dialect;
    uint64_t batch; /* rows of a transaction; 0: all */
    int schema_only;
    const char *comment;
} options = {dialects, 10000, 0, NULL};

/* ---- the schema */

static const char tables[] =
    "CREATE TABLE IF NOT EXISTS file (\n"
    "    id $i, name $t NOT NULL, comment $t, date $d NOT NULL,\n"
    "    line BIGINT NOT NULL, batches INTEGER NOT NULL, complete INTEGER NOT NULL,\n"
    "    errors BIGINT NOT NULL, warnings BIGINT NOT NULL,\n"
    "    first_time DOUBLE PRECISION NOT NULL, last_time DOUBLE PRECISION NOT NULL)$o;\n"
    "CREATE TABLE IF NOT EXISTS type (\n"
    "    file_id INTEGER NOT NULL, id INTEGER NOT NULL, alias $t NOT NULL, name $t NOT NULL,\n"
    "    kind VARCHAR(9) NOT NULL, parent_id INTEGER, depth INTEGER NOT NULL,\n"
    "    start_type_id INTEGER, end_type_id INTEGER, color $t NOT NULL,\n"
    "    PRIMARY KEY (file_id, id), FOREIGN KEY (file_id) REFERENCES file (id))$o;\n"
    "CREATE TABLE IF NOT EXISTS entity_value (\n"
    "    file_id INTEGER NOT NULL, id BIGINT NOT NULL, type_id INTEGER NOT NULL,\n"
    "    alias $t NOT NULL, name $t NOT NULL, color $t NOT NULL,\n"
    "    PRIMARY KEY (file_id, id), FOREIGN KEY (file_id, type_id) REFERENCES type (file_id, id))$o;\n"
    "CREATE TABLE IF NOT EXISTS container (\n"
    "    file_id INTEGER NOT NULL, id BIGINT NOT NULL, type_id INTEGER NOT NULL,\n"
    "    alias $t NOT NULL, name $t NOT NULL, path $t NOT NULL, parent_id BIGINT, depth INTEGER NOT NULL,\n"
    "    start_time DOUBLE PRECISION, end_time DOUBLE PRECISION, opening $t, closing $t,\n"
    "    PRIMARY KEY (file_id, id), FOREIGN KEY (file_id, type_id) REFERENCES type (file_id, id))$o;\n"
    "CREATE TABLE IF NOT EXISTS state (\n"
    "    file_id INTEGER NOT NULL, container_id BIGINT NOT NULL, type_id INTEGER NOT NULL, value_id BIGINT NOT NULL,\n"
    "    start_time DOUBLE PRECISION, end_time DOUBLE PRECISION, imbrication BIGINT NOT NULL,\n"
    "    opening $t, closing $t)$o;\n"
    "CREATE TABLE IF NOT EXISTS event (\n"
    "    file_id INTEGER NOT NULL, container_id BIGINT NOT NULL, type_id INTEGER NOT NULL, value_id BIGINT,\n"
    "    value_text $t, time DOUBLE PRECISION, opening $t)$o;\n"
    "CREATE TABLE IF NOT EXISTS variable (\n"
    "    file_id INTEGER NOT NULL, container_id BIGINT NOT NULL, type_id INTEGER NOT NULL,\n"
    "    start_time DOUBLE PRECISION, end_time DOUBLE PRECISION, value DOUBLE PRECISION,\n"
    "    opening $t, closing $t)$o;\n"
    "CREATE TABLE IF NOT EXISTS link (\n"
    "    file_id INTEGER NOT NULL, container_id BIGINT NOT NULL, type_id INTEGER NOT NULL, value_id BIGINT,\n"
    "    value_text $t, link_key $t NOT NULL, start_container_id BIGINT NOT NULL, end_container_id BIGINT NOT NULL,\n"
    "    start_time DOUBLE PRECISION, end_time DOUBLE PRECISION, opening $t, closing $t)$o;\n";

#define OF_ENTITY(table) \
    "file f, container c, type t, " table " WHERE e.file_id = f.id AND e.file_id = c.file_id AND\n" \
    "    e.container_id = c.id AND e.file_id = t.file_id AND e.type_id = t.id"

#define VALUE_OF_ENTITY \
    "COALESCE(e.value_text,\n" \
    "        (SELECT v.name FROM entity_value v WHERE v.file_id = e.file_id AND v.id = e.value_id))"

static const char views[] =
    "$v states AS SELECT e.file_id, f.name AS file, e.container_id, c.path AS container, t.name AS type,\n"
    "    v.name AS value, e.start_time, e.end_time, e.end_time - e.start_time AS duration, e.imbrication,\n"
    "    e.opening, e.closing\n"
    "    FROM entity_value v, " OF_ENTITY("state e") " AND e.file_id = v.file_id AND e.value_id = v.id;\n"
    "$v events AS SELECT e.file_id, f.name AS file, e.container_id, c.path AS container, t.name AS type,\n"
    "    " VALUE_OF_ENTITY " AS value,\n"
    "    e.time, e.opening FROM " OF_ENTITY("event e") ";\n"
    "$v variables AS SELECT e.file_id, f.name AS file, e.container_id, c.path AS container, t.name AS type,\n"
    "    e.value, e.start_time, e.end_time, e.end_time - e.start_time AS duration, e.opening, e.closing\n"
    "    FROM " OF_ENTITY("variable e") ";\n"
    "$v links AS SELECT e.file_id, f.name AS file, e.container_id, c.path AS container, t.name AS type,\n"
    "    " VALUE_OF_ENTITY " AS value,\n"
    "    e.link_key, e.start_container_id, a.path AS start_container, e.end_container_id, b.path AS end_container,\n"
    "    e.start_time, e.end_time, e.end_time - e.start_time AS duration, e.opening, e.closing\n"
    "    FROM container a, container b, " OF_ENTITY("link e") " AND\n"
    "    e.file_id = a.file_id AND e.start_container_id = a.id AND\n"
    "    e.file_id = b.file_id AND e.end_container_id = b.id;\n";

static const struct {
    const char *name, *table, *columns;
} indexes[] = {
    {"state_by_time", "state", "file_id, start_time, end_time"},
    {"state_by_container", "state", "file_id, container_id, start_time"},
    {"event_by_time", "event", "file_id, time"},
    {"variable_by_container", "variable", "file_id, container_id, type_id, start_time"},
    {"link_by_time", "link", "file_id, start_time, end_time"},
};

static void print(const char *text)
{
    text_put(&stream_output, text, strlen(text));
    if (stream_output.size >= 1u << 16)
        stream_flush();
}

static void print_schema(const char *text)
{
    const dialect *in = options.dialect;
    for (const char *dollar; (dollar = strchr(text, '$')) != NULL; text = dollar + 2) {
        text_put(&stream_output, text, (size_t)(dollar - text));
        switch (dollar[1]) {
        case 'i': print(in->identity); break;
        case 't': print(in->text); break;
        case 'd': print(in->date); break;
        case 'o': print(in->options); break;
        default: print(in->view); break;
        }
    }
    print(text);
}

/* MySQL has no CREATE INDEX IF NOT EXISTS. */
static void print_indexes(void)
{
    for (size_t i = 0; i < sizeof indexes / sizeof *indexes; i++) {
        const char *name = indexes[i].name, *table = indexes[i].table, *columns = indexes[i].columns;
        if (strcmp(options.dialect->name, "mysql") == 0)
            text_printf(&stream_output,
                        "SET @make = IF((SELECT COUNT(*) FROM information_schema.statistics\n"
                        "    WHERE table_schema = DATABASE() AND table_name = '%s' AND index_name = '%s') = 0,\n"
                        "    'CREATE INDEX %s ON %s (%s)', 'DO 0');\n"
                        "PREPARE make FROM @make;\nEXECUTE make;\nDEALLOCATE PREPARE make;\n",
                        table, name, name, table, columns);
        else
            text_printf(&stream_output, "CREATE INDEX IF NOT EXISTS %s ON %s (%s);\n", name, table, columns);
    }
}

/* ---- rows by table; tables that others refer to come first */

enum { TYPE, VALUE, CONTAINER, STATE, EVENT, VARIABLE, LINK, TABLES };

static struct table {
    const char *name;
    text_buffer rows;
    unsigned count;
} rows_of[TABLES] = {
    [TYPE] = {.name = "type"},   [VALUE] = {.name = "entity_value"},     [CONTAINER] = {.name = "container"},
    [STATE] = {.name = "state"}, [EVENT] = {.name = "event"},       [VARIABLE] = {.name = "variable"},
    [LINK] = {.name = "link"},
};
static text_buffer updates; /* statements that set the ends of containers */
static uint64_t in_batch, batches;
static int in_transaction;

static void begin_transaction(void)
{
    if (!in_transaction)
        print("BEGIN;\n");
    in_transaction = 1;
}

static void print_rows(struct table *it)
{
    const dialect *in = options.dialect;
    if (it->count == 0)
        return;
    begin_transaction();
    text_printf(&stream_output, "INSERT INTO %s %sVALUES", it->name, in->before_rows);
    text_put(&stream_output, it->rows.bytes, it->rows.size - 1); /* without the last comma */
    print(in->after_rows);
    print(";\n");
    it->rows.size = 0;
    it->count = 0;
}

static void print_referred(void)
{
    for (int i = TYPE; i <= CONTAINER; i++)
        print_rows(&rows_of[i]);
    if (updates.size) {
        begin_transaction();
        text_put(&stream_output, updates.bytes, updates.size);
        print("");
        updates.size = 0;
    }
}

/* Ends a batch: prints its rows and the progress of the load, and commits. */
static void commit(const pajesim *sim)
{
    const pajesim_counts *counts = pajesim_count(sim);
    const paje_run *run = pajesim_data(sim);
    print_referred();
    for (int i = STATE; i < TABLES; i++)
        print_rows(&rows_of[i]);
    begin_transaction();
    text_printf(&stream_output, "UPDATE file SET line = %llu, batches = batches + 1, errors = %llu, warnings = %llu,\n",
                (unsigned long long)counts->lines, (unsigned long long)counts->errors,
                (unsigned long long)counts->warnings);
    print("    first_time = ");
    text_put_number(&stream_output, paje_in_seconds(run->settings, counts->first));
    print(", last_time = ");
    text_put_number(&stream_output, paje_in_seconds(run->settings, counts->last));
    text_printf(&stream_output, " WHERE id = %s;\nCOMMIT;", options.dialect->file);
    stream_end_line();
    in_transaction = 0;
    in_batch = 0;
    batches++;
}

/* Begins a row; each column is followed by a comma. */
static text_buffer *begin_row(int table)
{
    text_buffer *row = &rows_of[table].rows;
    text_printf(row, "\n(%s", options.dialect->row_file);
    return row;
}

static void end_row(int table)
{
    struct table *it = &rows_of[table];
    it->rows.size--;
    text_puts(&it->rows, "),");
    if (++it->count == STATEMENT_ROWS || it->rows.size > STATEMENT_BYTES) {
        print_referred();
        print_rows(it);
    }
    in_batch++;
}

static void add_integer(text_buffer *row, uint64_t number)
{
    text_put_integer(row, (int64_t)number);
    text_putc(row, ',');
}

static void add_number(text_buffer *row, double number)
{
    text_put_number(row, number);
    text_putc(row, ',');
}

static void add_text(text_buffer *row, pajesim_text text)
{
    text_put_sql(row, text, options.dialect->backslashes);
    text_putc(row, ',');
}

static void add_null(text_buffer *row)
{
    text_puts(row, "NULL,");
}

static void add_fields(text_buffer *row, const pajesim *sim, const pajesim_fields *fields)
{
    static text_buffer json;
    if (fields->count == 0) {
        add_null(row);
        return;
    }
    json.size = 0;
    paje_put_json_fields(&json, sim, fields);
    add_text(row, text_view(&json));
}

/* ---- the number of a type, a value or a container, and its depth, are kept in the user's word of its ref */

#define NUMBER_BITS 40

static uint64_t counted[CONTAINER + 1];

static void number(pajesim *sim, int table, pajesim_ref ref)
{
    pajesim_ref parent = pajesim_parent(sim, ref);
    uint64_t depth = parent ? (*pajesim_user_data(sim, parent) >> NUMBER_BITS) + 1 : 0;
    *pajesim_user_data(sim, ref) = depth << NUMBER_BITS | ++counted[table];
}

static void add_number_of(text_buffer *row, pajesim *sim, pajesim_ref ref)
{
    if (ref)
        add_integer(row, *pajesim_user_data(sim, ref) & ((UINT64_C(1) << NUMBER_BITS) - 1));
    else
        add_null(row);
}

static void add_depth_of(text_buffer *row, pajesim *sim, pajesim_ref ref)
{
    add_integer(row, *pajesim_user_data(sim, ref) >> NUMBER_BITS);
}

/* ---- entities */

/* Called between two lines: a batch holds all rows of a line. */
static int line(pajesim *sim, const pajesim_line *next)
{
    (void)next;
    if (options.batch && in_batch >= options.batch)
        commit(sim);
    return PAJESIM_GO_ON;
}

static int new_type(pajesim *sim, const pajesim_type_info *type)
{
    const char *kind = pajesim_kind_name(type->kind);
    number(sim, TYPE, type->ref);
    text_buffer *row = begin_row(TYPE);
    add_number_of(row, sim, type->ref);
    add_text(row, type->alias);
    add_text(row, type->name);
    add_text(row, (pajesim_text){kind, strlen(kind)});
    add_number_of(row, sim, type->parent);
    add_depth_of(row, sim, type->ref);
    add_number_of(row, sim, type->start_type);
    add_number_of(row, sim, type->end_type);
    add_text(row, type->color);
    end_row(TYPE);
    return PAJESIM_GO_ON;
}

static int new_value(pajesim *sim, const pajesim_value_info *value)
{
    number(sim, VALUE, value->ref);
    text_buffer *row = begin_row(VALUE);
    add_number_of(row, sim, value->ref);
    add_number_of(row, sim, value->type);
    add_text(row, value->alias);
    add_text(row, value->name);
    add_text(row, value->color);
    end_row(VALUE);
    return PAJESIM_GO_ON;
}

static void add_container(pajesim *sim, const pajesim_entity *entity)
{
    pajesim_ref container = entity->container;
    static text_buffer path;
    path.size = 0;
    paje_put_path(&path, sim, container);
    number(sim, CONTAINER, container);
    text_buffer *row = begin_row(CONTAINER);
    add_number_of(row, sim, container);
    add_number_of(row, sim, entity->type);
    add_text(row, pajesim_alias(sim, container));
    add_text(row, pajesim_name(sim, container));
    add_text(row, text_view(&path));
    add_number_of(row, sim, pajesim_parent(sim, container));
    add_depth_of(row, sim, container);
    add_number(row, entity->start);
    add_null(row);
    add_fields(row, sim, &entity->opening);
    add_null(row);
    end_row(CONTAINER);
}

static int container_created(pajesim *sim, const pajesim_entity *container)
{
    add_container(sim, container);
    return PAJESIM_GO_ON;
}

static void end_container(pajesim *sim, const pajesim_entity *container)
{
    text_printf(&updates, "UPDATE container SET end_time = ");
    add_number(&updates, container->end);
    text_printf(&updates, " closing = ");
    add_fields(&updates, sim, &container->closing);
    updates.size--;
    text_printf(&updates, " WHERE file_id = %s AND id = ", options.dialect->file);
    add_number_of(&updates, sim, container->container);
    updates.size--;
    text_printf(&updates, ";\n");
    if (updates.size > STATEMENT_BYTES)
        print_referred();
    in_batch++;
}

/* Adds the number of a value that the trace defines, or else its text. */
static void add_value(text_buffer *row, pajesim *sim, const pajesim_entity *entity)
{
    add_number_of(row, sim, entity->value);
    if (entity->value)
        add_null(row);
    else
        add_text(row, entity->value_name);
}

static int closed(pajesim *sim, const pajesim_entity *entity)
{
    static const int table_of[] = {[PAJESIM_STATE] = STATE, [PAJESIM_EVENT] = EVENT,
                                   [PAJESIM_VARIABLE] = VARIABLE, [PAJESIM_LINK] = LINK};
    int is_shown = paje_shows(sim, entity);
    if (entity->kind == PAJESIM_CONTAINER)
        end_container(sim, entity);
    if (entity->kind == PAJESIM_CONTAINER || !is_shown)
        return PAJESIM_GO_ON;
    int table = table_of[entity->kind];
    text_buffer *row = begin_row(table);
    add_number_of(row, sim, entity->container);
    add_number_of(row, sim, entity->type);
    if (table == STATE) {
        add_number_of(row, sim, entity->value);
    } else if (table != VARIABLE) {
        add_value(row, sim, entity);
    }
    if (table == LINK) {
        add_text(row, entity->key);
        add_number_of(row, sim, entity->start_container);
        add_number_of(row, sim, entity->end_container);
    }
    add_number(row, entity->start);
    if (table != EVENT)
        add_number(row, entity->end);
    if (table == STATE)
        add_integer(row, entity->imbrication);
    else if (table == VARIABLE)
        add_number(row, entity->number);
    add_fields(row, sim, &entity->opening);
    if (table != EVENT)
        add_fields(row, sim, &entity->closing);
    end_row(table);
    return PAJESIM_GO_ON;
}

/* ---- files */

static void begin(paje_run *run, int trace)
{
    (void)trace;
    pajesim *sim = &run->sim;
    pajesim_text name = {run->source->name, strlen(run->source->name)};
    print("BEGIN;\nINSERT INTO file (name, comment, date, line, batches, complete, errors, warnings,\n"
          "    first_time, last_time) VALUES (");
    add_text(&stream_output, name);
    if (options.comment)
        add_text(&stream_output, (pajesim_text){options.comment, strlen(options.comment)});
    else
        add_null(&stream_output);
    print("CURRENT_TIMESTAMP,0,0,0,0,0,0,0);\n");
    print(options.dialect->keep_file);
    print("COMMIT;\n");
    memset(counted, 0, sizeof counted);
    batches = 0;

    pajesim_ref type = pajesim_root_type(sim), root = pajesim_root(sim);
    pajesim_type_info info = {.ref = type, .kind = PAJESIM_CONTAINER, .name = pajesim_name(sim, type),
                              .alias = pajesim_alias(sim, type), .color = pajesim_color(sim, type)};
    new_type(sim, &info);
    pajesim_entity container = {.container = root, .type = type};
    container.start = paje_in_seconds(run->settings, pajesim_start_of(sim, root));
    add_container(sim, &container);
}

/* Marks the load as complete if no batch was lost. */
static void end(paje_run *run, int trace)
{
    (void)trace;
    paje_suggest_unit(run);
    if (in_batch)
        commit(&run->sim);
    text_printf(&stream_output, "UPDATE file SET complete = 1 WHERE id = %s AND batches = %llu;\n",
                options.dialect->file, (unsigned long long)batches);
}

static int run(const paje_settings *settings, char **names, int count)
{
    static char standard[] = "-", *standard_input[] = {standard};
    int status = EXIT_OK;
    paje_settings own = *settings;
    own.simulation.remembered = 4096; /* how many undefined values keep their number while unused */
    print(options.dialect->session);
    print_schema(tables);
    print_schema(views);
    if (count == 0) {
        names = standard_input;
        count = 1;
    }
    for (int i = 0; i < count && !options.schema_only; i++) {
        int one = paje_replay(&own, names[i], i);
        status = one > status ? one : status;
    }
    print_indexes();
    return status;
}

static const char *option(int key, const char *argument, paje_settings *settings)
{
    double size;
    (void)settings;
    switch (key) {
    case 'm': options.comment = argument; return NULL;
    case SCHEMA_ONLY: options.schema_only = 1; return NULL;
    case BATCH:
        if (!paje_parse_number(argument, &size) || !(size >= 0 && size < 1e18))
            return "no number of rows";
        options.batch = (uint64_t)size;
        return NULL;
    default:
        for (size_t i = 0; i < sizeof dialects / sizeof *dialects; i++)
            if (strcmp(argument, dialects[i].name) == 0) {
                options.dialect = &dialects[i];
                return NULL;
            }
        return "no dialect: sqlite, mysql or postgresql";
    }
}

static const paje_option option_table[] = {
    {DIALECT, "dialect", "DIALECT", "sqlite, mysql (also MariaDB) or postgresql; default: sqlite"},
    {BATCH, "batch", "N",
     "rows of a transaction, which ends with a line; 0: all of a file in one; default: 10000"},
    {'m', "comment", "TEXT", "stored with the file"},
    {SCHEMA_ONLY, "schema-only", NULL, "tables, views and indexes only; no file is read"},
    {0, NULL, NULL, NULL},
};

const paje_command command_sql = {
    .name = "sql",
    .summary = "Prints statements that load traces into a database: paje sql t.trace | sqlite3 t.db",
    .details =
        "  paje sql --dialect mysql FILE | mysql DATABASE\n"
        "  paje sql --dialect postgresql FILE | psql -q -v ON_ERROR_STOP=1 DATABASE\n\n"
        "Tables: file, type, entity_value, container, state, event, variable, link, keyed by the file's number and\n"
        "one of their own; views with names in place of numbers: states, events, variables, links.  Each load adds\n"
        "a file.  User fields of the opening and the closing line of an entity are objects of JSON.\n"
        "An interrupted load leaves whole batches: file.line is the last line of the trace in them, and\n"
        "file.complete is 1 only when all of them have been loaded.  A statement has 500 rows at most, so that\n"
        "memory does not depend on --batch.  Bytes that are not UTF-8, and NUL, become U+FFFD; infinite numbers\n"
        "become the greatest.\n"
        "Filters choose rows of state, event, variable and link; all types, values and containers are there, as\n"
        "rows refer to them.",
    .traces = PAJE_ANY,
    .trials = "FILE\n--dialect mysql --batch 2 FILE\n--dialect postgresql -s 1 --type S --unit ms FILE FILE",
    .filters = PAJE_FILTERS | PAJE_SEES_ALL,
    .options = option_table,
    .option = option,
    .callbacks = {.line = line, .new_type = new_type, .new_value = new_value,
                  .container_created = container_created, .closed = closed},
    .begin = begin,
    .end = end,
    .run = run,
};
