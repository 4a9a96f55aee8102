/* The schema of the database: dialects, tables, views, indexes. */
#include "commands/sql/sql.h"

static const sql_dialect dialects[] = {
    {.name = "sqlite", .stop = ".bail on\n", .session = "", .default_file = "", .options = "", .row_file = "",
     .identity = "INTEGER PRIMARY KEY", .text = "TEXT", .date = "TIMESTAMP", .view = "CREATE VIEW IF NOT EXISTS",
     .keep_file = "CREATE TEMP TABLE IF NOT EXISTS loading (id INTEGER);\nDELETE FROM temp.loading;\n"
                  "INSERT INTO temp.loading VALUES (last_insert_rowid());\n",
     .find_file = {"CREATE TEMP TABLE IF NOT EXISTS loading (id INTEGER);\nDELETE FROM temp.loading;\n"
                   "INSERT INTO temp.loading SELECT MAX(id) FROM file WHERE name = ", ";\n"},
     .file = "(SELECT id FROM temp.loading)",
     .before_rows = "SELECT id, r.* FROM temp.loading, (", .after_rows = ") AS r",
     .quote = '"', .field = {"json_extract(e.", ", ", ")"}, .has_paths = 1},
    {.name = "mysql", .stop = "", .session = "SET NAMES utf8mb4;\nSET SESSION sql_mode = 'STRICT_ALL_TABLES';\n",
     .identity = "INTEGER PRIMARY KEY AUTO_INCREMENT", .text = "LONGTEXT", .date = "DATETIME",
     .options = " ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin",
     .view = "CREATE OR REPLACE VIEW",
     .keep_file = "SET @file = LAST_INSERT_ID();\n",
     .find_file = {"SET @file = (SELECT MAX(id) FROM file WHERE name = ", ");\n"},
     .file = "@file", .row_file = "@file,",
     .default_file = "", .before_rows = "", .after_rows = "", .backslashes = 1,
     .quote = '`', .field = {"JSON_UNQUOTE(JSON_EXTRACT(e.", ", ", "))"}, .has_paths = 1,
     .longest = 64, .folds = 1},
    {.name = "postgresql", .stop = "\\set ON_ERROR_STOP on\n",
     .session = "SET client_encoding = 'UTF8';\nSET standard_conforming_strings = on;\n"
                "SET client_min_messages = warning;\n",
     .identity = "SERIAL PRIMARY KEY", .text = "TEXT", .date = "TIMESTAMP", .view = "CREATE OR REPLACE VIEW",
     /* COPY inserts many rows at once unless a default is volatile, as currval is. */
     .default_file = " DEFAULT current_setting('paje.file')::INTEGER",
     .keep_file = "DO $$ BEGIN PERFORM set_config('paje.file', currval('file_id_seq')::TEXT, false); END $$;\n",
     .find_file = {"SET paje.name = ", ";\n"
                   "DO $$ BEGIN PERFORM set_config('paje.file', (SELECT MAX(id)::TEXT FROM file\n"
                   "    WHERE name = current_setting('paje.name')), false); END $$;\n"},
     .file = "current_setting('paje.file')::INTEGER", .options = "", .copies = 1,
     .quote = '"', .field = {"(e.", "::JSON ->> ", ")"}, .longest = 63},
    {.name = "duckdb", .stop = "", .session = "CREATE SEQUENCE IF NOT EXISTS file_id_seq;\n",
     .identity = "INTEGER PRIMARY KEY DEFAULT nextval('file_id_seq')", .text = "TEXT", .date = "TIMESTAMP",
     .view = "CREATE OR REPLACE VIEW", .default_file = " DEFAULT currval('file_id_seq')",
     .keep_file = "", .file = "currval('file_id_seq')", .row_file = "currval('file_id_seq'),", .options = "",
     .before_rows = "", .after_rows = "", .has_columns = 1,
     .quote = '"', .field = {"json_extract_string(e.", ", ", ")"}, .has_paths = 1},
};

const sql_dialect *sql_find_dialect(const char *name)
{
    for (size_t i = 0; i < sizeof dialects / sizeof *dialects; i++)
        if (strcmp(name, dialects[i].name) == 0)
            return &dialects[i];
    return NULL;
}

/* In the templates: $i, an automatic number; $t, text; $d, date and time; $f, the number of the file by default; $o,
 * options of a table; $v, the start of a view. */
static const char tables[] =
    "CREATE TABLE IF NOT EXISTS file (\n"
    "    id $i, name $t NOT NULL, comment $t, date $d NOT NULL,\n"
    "    line BIGINT NOT NULL, batches INTEGER NOT NULL, complete INTEGER NOT NULL,\n"
    "    errors BIGINT NOT NULL, warnings BIGINT NOT NULL,\n"
    "    first_time DOUBLE PRECISION NOT NULL, last_time DOUBLE PRECISION NOT NULL)$o;\n"
    "CREATE TABLE IF NOT EXISTS type (\n"
    "    file_id INTEGER NOT NULL$f, id INTEGER NOT NULL, alias $t NOT NULL, name $t NOT NULL,\n"
    "    kind VARCHAR(9) NOT NULL, parent_id INTEGER, depth INTEGER NOT NULL,\n"
    "    start_type_id INTEGER, end_type_id INTEGER, color $t NOT NULL,\n"
    "    PRIMARY KEY (file_id, id), FOREIGN KEY (file_id) REFERENCES file (id))$o;\n"
    "CREATE TABLE IF NOT EXISTS entity_value (\n"
    "    file_id INTEGER NOT NULL$f, id BIGINT NOT NULL, type_id INTEGER NOT NULL,\n"
    "    alias $t NOT NULL, name $t NOT NULL, color $t NOT NULL,\n"
    "    PRIMARY KEY (file_id, id), FOREIGN KEY (file_id, type_id) REFERENCES type (file_id, id))$o;\n"
    "CREATE TABLE IF NOT EXISTS container (\n"
    "    file_id INTEGER NOT NULL$f, id BIGINT NOT NULL, type_id INTEGER NOT NULL,\n"
    "    alias $t NOT NULL, name $t NOT NULL, path $t NOT NULL, parent_id BIGINT, depth INTEGER NOT NULL,\n"
    "    start_time DOUBLE PRECISION, end_time DOUBLE PRECISION, opening $t, closing $t,\n"
    "    PRIMARY KEY (file_id, id), FOREIGN KEY (file_id, type_id) REFERENCES type (file_id, id))$o;\n"
    "CREATE TABLE IF NOT EXISTS state (\n"
    "    file_id INTEGER NOT NULL$f, container_id BIGINT NOT NULL, type_id INTEGER NOT NULL,\n"
    "    value_id BIGINT NOT NULL, start_time DOUBLE PRECISION, end_time DOUBLE PRECISION,\n"
    "    imbrication BIGINT NOT NULL, opening $t, closing $t)$o;\n"
    "CREATE TABLE IF NOT EXISTS event (\n"
    "    file_id INTEGER NOT NULL$f, container_id BIGINT NOT NULL, type_id INTEGER NOT NULL, value_id BIGINT,\n"
    "    value_text $t, time DOUBLE PRECISION, opening $t)$o;\n"
    "CREATE TABLE IF NOT EXISTS variable (\n"
    "    file_id INTEGER NOT NULL$f, container_id BIGINT NOT NULL, type_id INTEGER NOT NULL,\n"
    "    start_time DOUBLE PRECISION, end_time DOUBLE PRECISION, value DOUBLE PRECISION,\n"
    "    opening $t, closing $t)$o;\n"
    "CREATE TABLE IF NOT EXISTS link (\n"
    "    file_id INTEGER NOT NULL$f, container_id BIGINT NOT NULL, type_id INTEGER NOT NULL, value_id BIGINT,\n"
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

/* ---- views with user fields as columns */

/* PostgreSQL has at most 1,664 in a view, SQLite 2,000. */
enum { MOST_COLUMNS = 800 }; /* of a line */

static struct {
    hash_map opening, closing;
} names_of[PAJESIM_LINK + 1];

void sql_note_fields(const pajesim *sim, const pajesim_entity *entity)
{
    paje_note_fields(&names_of[entity->kind].opening, sim, &entity->opening);
    paje_note_fields(&names_of[entity->kind].closing, sim, &entity->closing);
}

/* Databases take Size and size for the same column: the first one is there, the other in the JSON only.  For one that
 * folds all letters, any other character may be the same as any other. */
static int is_new_column(hash_map *taken, pajesim_text name, int folds)
{
    static text_buffer lower;
    size_t count = taken->used;
    lower.size = 0;
    for (size_t i = 0; i < name.size; i++) {
        char byte = name.bytes[i];
        if (!folds || !(byte & 0x80))
            text_putc(&lower, byte >= 'A' && byte <= 'Z' ? (char)(byte | 32) : byte);
        else if (byte & 0x40)
            text_putc(&lower, '\x80');
    }
    map_add(taken, lower.bytes, lower.size);
    return taken->used > count;
}

/* A name that needs to be escaped in a path of JSON, or is none in SQL, has no column. */
static int is_plain(pajesim_text name, const sql_dialect *in)
{
    if (!name.size || (in->longest && strlen("opening.") + name.size > in->longest) ||
        (in->folds && strchr(" \t", name.bytes[name.size - 1])))
        return 0;
    for (size_t i = 0, size; i < name.size; i += size) {
        size = utf8_size(name.bytes + i, name.size - i);
        if (!size || (size > 3 && in->folds) || strchr("\"\\`", name.bytes[i])) /* also NUL */
            return 0;
    }
    return 1;
}

static void put_field_columns(text_buffer *out, const sql_dialect *in, const char *line, const hash_map *names)
{
    static text_buffer path;
    hash_map taken = {0};
    for (size_t i = 0; i < names->count && taken.used < MOST_COLUMNS; i++) {
        pajesim_text name = map_key(names, i);
        if (!is_plain(name, in) || !is_new_column(&taken, name, in->folds))
            continue;
        text_printf(out, ",\n    %s%s%s", in->field[0], line, in->field[1]);
        path.size = 0;
        text_puts(&path, in->has_paths ? "$.\"" : "");
        text_append(&path, name);
        text_puts(&path, in->has_paths ? "\"" : "");
        text_put_sql(out, text_view(&path), in->backslashes);
        text_printf(out, "%s AS %c%s.", in->field[2], in->quote, line);
        text_append(out, name);
        text_putc(out, in->quote);
    }
    map_free(&taken);
}

/* Each load replaces them by views with the fields of its entities. */
void sql_put_field_views(text_buffer *out, const sql_dialect *in)
{
    static const char *const sources[] = {[PAJESIM_CONTAINER] = "container", [PAJESIM_STATE] = "states",
                                          [PAJESIM_EVENT] = "events", [PAJESIM_VARIABLE] = "variables",
                                          [PAJESIM_LINK] = "links"};
    for (int kind = PAJESIM_CONTAINER; kind <= PAJESIM_LINK; kind++) {
        const char *source = sources[kind];
        text_printf(out, "DROP VIEW IF EXISTS %s_fields;\nCREATE VIEW %s_fields AS SELECT e.*", source, source);
        put_field_columns(out, in, "opening", &names_of[kind].opening);
        put_field_columns(out, in, "closing", &names_of[kind].closing);
        text_printf(out, " FROM %s e;\n", source);
    }
}

/* ---- tables, views, indexes */

static void put_template(text_buffer *out, const sql_dialect *in, const char *text)
{
    for (const char *dollar; (dollar = strchr(text, '$')) != NULL; text = dollar + 2) {
        text_put(out, text, (size_t)(dollar - text));
        switch (dollar[1]) {
        case 'i': text_puts(out, in->identity); break;
        case 't': text_puts(out, in->text); break;
        case 'd': text_puts(out, in->date); break;
        case 'f': text_puts(out, in->default_file); break;
        case 'o': text_puts(out, in->options); break;
        default: text_puts(out, in->view); break;
        }
    }
    text_puts(out, text);
}

void sql_put_schema(text_buffer *out, const sql_dialect *in, int has_tables)
{
    text_puts(out, in->session);
    if (!has_tables)
        return;
    put_template(out, in, tables);
    put_template(out, in, views);
}

/* MySQL has no CREATE INDEX IF NOT EXISTS. */
void sql_put_indexes(text_buffer *out, const sql_dialect *in)
{
    if (in->has_columns)
        return;
    for (size_t i = 0; i < sizeof indexes / sizeof *indexes; i++) {
        const char *name = indexes[i].name, *table = indexes[i].table, *columns = indexes[i].columns;
        if (strcmp(in->name, "mysql") == 0)
            text_printf(out,
                        "SET @make = IF((SELECT COUNT(*) FROM information_schema.statistics\n"
                        "    WHERE table_schema = DATABASE() AND table_name = '%s' AND index_name = '%s') = 0,\n"
                        "    'CREATE INDEX %s ON %s (%s)', 'DO 0');\n"
                        "PREPARE make FROM @make;\nEXECUTE make;\nDEALLOCATE PREPARE make;\n",
                        table, name, name, table, columns);
        else
            text_printf(out, "CREATE INDEX IF NOT EXISTS %s ON %s (%s);\n", name, table, columns);
    }
}
