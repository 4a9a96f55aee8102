/* Rows of tables: as statements on standard output, in batches; or as files, with statements that load them. */
#include "commands/sql/sql.h"

#include <math.h>

enum { STATEMENT_ROWS = 500, STATEMENT_BYTES = 1 << 18, SCRIPT = SQL_TABLES };

/* The columns without the number of the file, in the order of the rows: ? may be NULL, ! is NULL where value_id is
 * not. */
static struct table {
    const char *name, *columns;
    text_buffer rows;
    unsigned count; /* of rows in it */
} tables[SQL_TABLES] = {
    [SQL_TYPE] = {.name = "type",
                  .columns = "id, alias, name, kind, parent_id?, depth, start_type_id?, end_type_id?, color"},
    [SQL_VALUE] = {.name = "entity_value", .columns = "id, type_id, alias, name, color"},
    [SQL_CONTAINER] = {.name = "container", .columns = "id, type_id, alias, name, path, parent_id?, depth, "
                                                       "start_time?, end_time?, opening?, closing?"},
    [SQL_STATE] = {.name = "state", .columns = "container_id, type_id, value_id, start_time?, end_time?, imbrication, "
                                               "opening?, closing?"},
    [SQL_EVENT] = {.name = "event", .columns = "container_id, type_id, value_id?, value_text!, time?, opening?"},
    [SQL_VARIABLE] = {.name = "variable",
                      .columns = "container_id, type_id, start_time?, end_time?, value?, opening?, closing?"},
    [SQL_LINK] = {.name = "link", .columns = "container_id, type_id, value_id?, value_text!, link_key, "
                                             "start_container_id, end_container_id, start_time?, end_time?, opening?, "
                                             "closing?"},
};
static text_buffer updates; /* statements that set the ends of containers */
static uint64_t in_batch, batches;
static int in_transaction;
static output_file files[SQL_TABLES + 1];
static text_buffer script; /* that loads them */

static int is_first(void)
{
    return sql.part <= 1;
}

static int is_last(void)
{
    return sql.part == sql.parts;
}

static void print(const char *text)
{
    text_puts(&stream_output, text);
    if (stream_output.size >= 1u << 16)
        stream_flush();
}

/* Appends the names of columns; with `values`, what puts a row of texts, in which NULL is a word, into them. */
static void put_columns(text_buffer *out, const char *columns, int values)
{
    for (size_t size; *columns; columns += size) {
        size = strcspn(columns, ",?!");
        int is_null = columns[size] == '?', is_value = columns[size] == '!';
        if (values && is_null)
            text_printf(out, "NULLIF(%.*s, 'NULL')", (int)size, columns);
        else if (values && is_value)
            text_printf(out, "CASE WHEN value_id = 'NULL' THEN %.*s END", (int)size, columns);
        else
            text_put(out, columns, size);
        size += (size_t)(is_null || is_value);
        if (columns[size] == ',') {
            text_puts(out, ", ");
            size += 2;
        }
    }
}

/* ---- statements */

static void begin_transaction(void)
{
    if (!in_transaction)
        print("BEGIN;\n");
    in_transaction = 1;
}

static void print_rows(struct table *it)
{
    const sql_dialect *in = sql.dialect;
    if (it->count == 0)
        return;
    begin_transaction();
    if (in->copies) {
        text_printf(&stream_output, "COPY %s (", it->name);
        put_columns(&stream_output, it->columns, 0);
        print(") FROM stdin WITH (FORMAT csv, NULL 'NULL');\n");
        text_append(&stream_output, text_view(&it->rows));
        print("\\.\n");
    } else {
        text_printf(&stream_output, "INSERT INTO %s %sVALUES", it->name, in->before_rows);
        text_put(&stream_output, it->rows.bytes, it->rows.size - 1); /* without the last comma */
        print(in->after_rows);
        print(";\n");
    }
    it->rows.size = 0;
    it->count = 0;
}

static void print_referred(void)
{
    for (int i = SQL_TYPE; i <= SQL_CONTAINER; i++)
        print_rows(&tables[i]);
    if (updates.size) {
        begin_transaction();
        text_append(&stream_output, text_view(&updates));
        print("");
        updates.size = 0;
    }
}

static void put_times(text_buffer *out, const paje_run *run, const pajesim_counts *counts, const char *between)
{
    text_put_number(out, paje_in_seconds(run->settings, counts->first));
    text_puts(out, between);
    text_put_number(out, paje_in_seconds(run->settings, counts->last));
}

/* Ends a batch: prints its rows and the progress of the load, and commits. */
static void commit(const pajesim *sim)
{
    const pajesim_counts *counts = paje_counts_of(pajesim_data(sim));
    print_referred();
    for (int i = SQL_STATE; i < SQL_TABLES; i++)
        print_rows(&tables[i]);
    begin_transaction();
    if (sql.parts) /* which may be loaded in any order */
        text_printf(&stream_output, "UPDATE file SET batches = batches + 1 WHERE id = %s;\n", sql.dialect->file);
    text_printf(&stream_output, "UPDATE file SET line = %llu, %serrors = %llu, warnings = %llu,\n",
                (unsigned long long)counts->lines, sql.parts ? "" : "batches = batches + 1, ",
                (unsigned long long)counts->errors, (unsigned long long)counts->warnings);
    print("    first_time = ");
    put_times(&stream_output, pajesim_data(sim), counts, ", last_time = ");
    text_printf(&stream_output, " WHERE id = %s", sql.dialect->file);
    if (sql.parts)
        text_printf(&stream_output, " AND line <= %llu", (unsigned long long)counts->lines);
    text_puts(&stream_output, ";\nCOMMIT;");
    stream_end_line();
    in_transaction = 0;
    in_batch = 0;
    batches++;
}

void sql_end_line(const pajesim *sim)
{
    if (!sql.folder && sql.batch && in_batch >= sql.batch)
        commit(sim);
}

/* ---- rows */

/* Whether rows are CSV, with NULL as a word and all texts in quotes; else those of INSERT. */
static int is_csv(void)
{
    return sql.folder || sql.dialect->copies;
}

/* Each column is followed by a comma. */
text_buffer *sql_begin_row(int table)
{
    text_buffer *row = &tables[table].rows;
    if (!is_csv()) {
        text_puts(row, "\n(");
        text_puts(row, sql.dialect->row_file);
    }
    return row;
}

void sql_end_row(int table)
{
    struct table *it = &tables[table];
    it->count++;
    in_batch++;
    if (is_csv()) {
        it->rows.bytes[it->rows.size - 1] = '\n';
    } else {
        it->rows.size--;
        text_puts(&it->rows, "),");
    }
    if (sql.folder) {
        if (it->rows.size > STATEMENT_BYTES && it->rows.size > stream_output_limit)
            output_write(&files[table], &it->rows);
    } else if (it->rows.size > STATEMENT_BYTES || (!is_csv() && it->count == STATEMENT_ROWS)) {
        print_referred();
        print_rows(it);
    }
}

void sql_add_integer(text_buffer *row, uint64_t number)
{
    text_put_integer(row, (int64_t)number);
    text_putc(row, ',');
}

void sql_add_number(text_buffer *row, double number)
{
    if (isnan(number)) {
        sql_add_null(row);
        return;
    }
    text_put_number(row, number);
    text_putc(row, ',');
}

void sql_add_text(text_buffer *row, pajesim_text text)
{
    if (is_csv())
        text_put_sql_csv(row, text);
    else
        text_put_sql(row, text, sql.dialect->backslashes);
    text_putc(row, ',');
}

void sql_add_null(text_buffer *row)
{
    text_puts(row, "NULL,");
}

static const pajesim_text *json_of(const pajesim *sim, const pajesim_fields *fields)
{
    static text_buffer json;
    static pajesim_text text;
    if (fields->count == 0)
        return NULL;
    json.size = 0;
    paje_put_json_fields(&json, sim, fields);
    text = text_view(&json);
    return &text;
}

void sql_add_fields(text_buffer *row, const pajesim *sim, const pajesim_fields *fields)
{
    const pajesim_text *json = json_of(sim, fields);
    if (json)
        sql_add_text(row, *json);
    else
        sql_add_null(row);
}

void sql_end_container(const pajesim *sim, uint64_t number, const pajesim_entity *container)
{
    const pajesim_text *json = json_of(sim, &container->closing);
    text_puts(&updates, "UPDATE container SET end_time = ");
    text_put_number(&updates, container->end);
    text_puts(&updates, ", closing = ");
    if (json)
        text_put_sql(&updates, *json, sql.dialect->backslashes);
    else
        text_puts(&updates, "NULL");
    text_printf(&updates, " WHERE file_id = %s AND id = %llu;\n", sql.dialect->file, (unsigned long long)number);
    if (updates.size > STATEMENT_BYTES)
        print_referred();
    in_batch++;
}

/* ---- files */

/* Appends the name of the file of a table. */
static void put_file_name(text_buffer *out, const struct table *it, uint64_t part)
{
    text_puts(out, it->name);
    paje_put_part(out, part, sql.parts);
    text_puts(out, ".csv");
}

/* Appends a statement that loads a file of a table, which lies in the working folder of the client. */
static void put_load_of(text_buffer *out, const struct table *it, const char *columns, const char *file)
{
    const char *dialect = sql.dialect->name;
    if (strcmp(dialect, "postgresql") == 0) {
        text_printf(out, "\\copy %s (%s) FROM '%s' WITH (FORMAT csv, NULL 'NULL')\n", it->name, columns, file);
    } else if (strcmp(dialect, "duckdb") == 0) {
        text_printf(out, "COPY %s (%s) FROM '%s' (FORMAT csv, AUTO_DETECT false,\n"
                         "    HEADER false, DELIMITER ',', QUOTE '\"', ESCAPE '\"', NEW_LINE '\\n', NULLSTR 'NULL',\n"
                         "    ALLOW_QUOTED_NULLS false);\n",
                    it->name, columns, file);
    } else if (strcmp(dialect, "mysql") == 0) {
        text_printf(out, "LOAD DATA LOCAL INFILE '%s' INTO TABLE %s CHARACTER SET utf8mb4\n"
                         "    FIELDS TERMINATED BY ',' OPTIONALLY ENCLOSED BY '\"' ESCAPED BY ''\n"
                         "    LINES TERMINATED BY '\\n' (%s) SET file_id = @file;\n",
                    file, it->name, columns);
    } else {
        text_printf(out, ".import --csv %s loading_%s\n", file, it->name);
    }
}

/* Appends statements that load the files of a table, one of each part. */
static void put_load(text_buffer *out, const struct table *it)
{
    static text_buffer names, file;
    int is_sqlite = strcmp(sql.dialect->name, "sqlite") == 0; /* what .import reads is never NULL */
    names.size = 0;
    put_columns(&names, it->columns, 0);
    const char *columns = text_string(&names);
    if (is_sqlite)
        text_printf(out, "CREATE TEMP TABLE loading_%s (%s);\n", it->name, columns);
    for (uint64_t part = sql.parts ? 1 : 0; part <= sql.parts; part++) {
        file.size = 0;
        put_file_name(&file, it, part);
        put_load_of(out, it, columns, text_string(&file));
    }
    if (is_sqlite) {
        text_printf(out, "INSERT INTO %s SELECT %s, ", it->name, sql.dialect->file);
        put_columns(out, it->columns, 1);
        text_printf(out, "\n    FROM temp.loading_%s;\nDROP TABLE temp.loading_%s;\n", it->name, it->name);
    }
}

static void open_files(void)
{
    output_make_folder(sql.folder);
    for (int i = 0; i < SQL_TABLES + is_last(); i++) {
        text_buffer path = {0};
        text_printf(&path, "%s/", sql.folder);
        if (i == SCRIPT)
            text_puts(&path, "load.sql");
        else
            put_file_name(&path, &tables[i], sql.part);
        output_open(&files[i], text_string(&path), OUTPUT_WHOLE);
        text_free(&path);
    }
}

static void write_rows(void)
{
    for (int i = 0; i < SQL_TABLES; i++)
        output_write(&files[i], &tables[i].rows);
}

/* Whether rows of a table were written, by this process or another.  A pipe or a device is taken for one that has. */
static int has_rows(int table)
{
    struct stat status;
    return fstat(files[table].file, &status) < 0 || !S_ISREG(status.st_mode) || status.st_size > 0;
}

/* ---- loads */

static void put_file(text_buffer *out, const paje_run *run, const pajesim_counts *counts, int is_complete)
{
    text_puts(out, "BEGIN;\nINSERT INTO file (name, comment, date, line, batches, complete, errors, warnings,\n"
                   "    first_time, last_time) VALUES (");
    text_put_sql(out, text_of(run->source->name), sql.dialect->backslashes);
    text_putc(out, ',');
    if (sql.comment)
        text_put_sql(out, text_of(sql.comment), sql.dialect->backslashes);
    else
        text_puts(out, "NULL");
    text_printf(out, ",CURRENT_TIMESTAMP,%llu,%d,%d,%llu,%llu,", (unsigned long long)counts->lines, is_complete,
                is_complete, (unsigned long long)counts->errors, (unsigned long long)counts->warnings);
    put_times(out, run, counts, ",");
    text_puts(out, ");\n");
    text_puts(out, sql.dialect->keep_file);
}

void sql_begin_load(const paje_run *run)
{
    static const pajesim_counts none;
    batches = 0;
    if (sql.folder)
        return;
    if (is_first()) {
        put_file(&stream_output, run, &none, 0);
        print("COMMIT;\n");
    } else if (sql.dialect->find_file[0]) {
        text_puts(&stream_output, sql.dialect->find_file[0]);
        text_put_sql(&stream_output, text_of(run->source->name), sql.dialect->backslashes);
        text_puts(&stream_output, sql.dialect->find_file[1]);
    }
}

/* Marks the load as complete if no batch was lost. */
void sql_end_load(const paje_run *run)
{
    if (sql.folder) {
        if (is_last())
            put_file(&script, run, pajesim_count(&run->sim), 1);
        write_rows();
        for (int i = 0; i < SQL_TABLES && is_last(); i++)
            if (has_rows(i) || sql.parts)
                put_load(&script, &tables[i]);
        text_puts(&script, "COMMIT;\n");
        if (is_last())
            output_write(&files[SCRIPT], &script);
        return;
    }
    if (in_batch || sql.parts) /* each part is one batch */
        commit(&run->sim);
    text_printf(&stream_output, "UPDATE file SET complete = 1 WHERE id = %s AND batches = %llu;\n",
                sql.dialect->file, (unsigned long long)(sql.parts ? sql.parts : batches));
}

void sql_begin_output(void)
{
    if (sql.folder)
        text_puts(&script, sql.dialect->stop);
    sql_put_schema(sql.folder ? &script : &stream_output, sql.dialect, sql.folder ? is_last() : is_first());
    if (!sql.folder)
        return;
    open_files();
    stream_flush_files = write_rows;
    if (is_last()) /* by now: another process may append what loads the tables */
        output_write(&files[SCRIPT], &script);
}

void sql_end_output(void)
{
    text_buffer *out = sql.folder ? &script : &stream_output;
    if (is_last()) {
        sql_put_indexes(out, sql.dialect);
        if (sql.field_columns)
            sql_put_field_views(out, sql.dialect);
    }
    if (sql.folder) {
        stream_flush_files = NULL;
        if (is_last())
            output_write(&files[SCRIPT], &script);
        output_close(files, (size_t)(SQL_TABLES + is_last()));
    }
}
