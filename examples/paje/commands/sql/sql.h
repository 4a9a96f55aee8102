/* paje sql: what its files share.
 *
 * schema.c has the dialects and the schema; rows.c gathers rows and writes them as statements or files; sql.c is the
 * command, and makes rows of entities. */
#ifndef PAJE_SQL_H
#define PAJE_SQL_H

#include "command.h"

#include <string.h>

typedef struct sql_dialect {
    const char *name;
    const char *stop;    /* tells the client to stop at an error, in a script */
    const char *session; /* at the start */
    /* For templates of the schema: an automatic number, text, date and time, the number of the file by default, options
     * of a table, the start of a view. */
    const char *identity, *text, *date, *default_file, *options, *view;
    /* The number of the file that is loaded: how to keep it, how to write it in a condition and in each row of an
     * INSERT; and what surrounds the rows, where it cannot stand within them. */
    const char *keep_file, *file, *row_file, *before_rows, *after_rows;
    /* How to find it again in another session, where another part is loaded: the statements up to the name of the file,
     * and behind it.  NULL: all parts are loaded in one session. */
    const char *find_file[2];
    int has_columns;      /* 1: it stores columns, and scans them as fast as it would use an index, which takes longer
                             to make than the load */
    int copies;           /* 1: rows go by COPY in place of INSERT */
    int backslashes;      /* 1: they are doubled in strings */
    char quote;           /* around names */
    const char *field[3]; /* of an object of JSON: before and behind the object, and behind the field */
    int has_paths;        /* 1: the field is a path such as $."Size", 0: its name */
    size_t longest;       /* name of a column, in bytes; 0: any */
    int folds;            /* 1: names of columns that differ in the case of any letters are the same; they have no
                             characters of four bytes, and no blank at the end */
} sql_dialect;

typedef struct sql_options {
    const sql_dialect *dialect; /* NULL: sqlite */
    uint64_t batch;     /* rows of a transaction; 0: all */
    const char *folder; /* NULL: statements go to standard output */
    const char *comment;
    int schema_only, field_columns;
    uint64_t part, parts; /* as in paje_settings */
} sql_options;

extern sql_options sql;

/* ---- schema.c ------------------------------------------------------------------------------------------------ */

/* Returns NULL if there is none of that name. */
const sql_dialect *sql_find_dialect(const char *name);
void sql_put_schema(text_buffer *out, const sql_dialect *in, int has_tables);
void sql_put_indexes(text_buffer *out, const sql_dialect *in);
/* Notes the names of user fields; the views have a column for each. */
void sql_note_fields(const pajesim *sim, const pajesim_entity *entity);
void sql_put_field_views(text_buffer *out, const sql_dialect *in);

/* ---- rows.c -------------------------------------------------------------------------------------------------- */

/* Tables that others refer to come first. */
enum { SQL_TYPE, SQL_VALUE, SQL_CONTAINER, SQL_STATE, SQL_EVENT, SQL_VARIABLE, SQL_LINK, SQL_TABLES };

/* A load: of the rows of one trace. */
void sql_begin_load(const paje_run *run);
void sql_end_load(const paje_run *run);
/* Ends a batch if it has enough rows.  Called between two lines: a batch holds all rows of a line. */
void sql_end_line(const pajesim *sim);

/* A row: begin, its columns without the number of the file, end. */
text_buffer *sql_begin_row(int table);
void sql_end_row(int table);
void sql_add_integer(text_buffer *row, uint64_t number);
void sql_add_number(text_buffer *row, double number);
void sql_add_text(text_buffer *row, pajesim_text text);
void sql_add_null(text_buffer *row);
void sql_add_fields(text_buffer *row, const pajesim *sim, const pajesim_fields *fields);

/* Sets the end of a container whose row is written. */
void sql_end_container(const pajesim *sim, uint64_t number, const pajesim_entity *container);

/* Writes statements that belong to no load, before and after all loads. */
void sql_begin_output(void);
void sql_end_output(void);

#endif
