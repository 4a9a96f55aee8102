/* Files that the program writes, all of which are opened here.
 *
 * A regular file is written beside its place as a new file and takes its place, in one step, when it is whole: who
 * reads the old file meanwhile reads on, and after an error or a signal all is as it was.  A file that the program
 * reads is never replaced, whatever the path to it.  What is no regular file, such as a pipe, a device or /dev/stdout,
 * which - stands for too, is written as it is.
 *
 *     static output_file table;
 *     output_open(&table, "states.csv", OUTPUT_WHOLE);
 *     output_write(&table, &text);
 *     output_close(&table, 1);
 *
 * Each function ends the program with a message if it fails; so does the end of the program, or a signal that ends it,
 * remove what was not closed. */
#pragma once

#include "base/text.h"

#include <sys/stat.h>

typedef enum output_mode {
    OUTPUT_WHOLE, /* the file appears when it is closed */
    OUTPUT_PAGE,  /* so does it, and replaces no trace, whose name is there where that of the page was forgotten */
    OUTPUT_LIVE   /* it appears at once, for readers that follow it; what is written stays whatever happens */
} output_mode;

typedef struct output_file {
    char *name; /* as in messages */
    char *part; /* path of the new file beside it; NULL: it is written in its place */
    int file;
    uint64_t size;   /* bytes written, if it is OUTPUT_LIVE */
    int is_live;
    int is_replaced; /* there is a file of that name, which stays as it is until then */
    struct output_file *next;
} output_file;

/* `it` must stay where it is until it is closed.  A new file gets the group and the permissions of the one that it
 * replaces, and the owner, if this is root. */
void output_open(output_file *it, const char *name, output_mode mode);
/* Writes a text and empties it. */
void output_write(output_file *it, text_buffer *text);
/* Puts so many files in their places, in one array, once all of them are whole. */
void output_close(output_file *files, size_t count);

/* Whether a file has the name of one that output_open() makes beside the one to be written: another process writes it,
 * or left it when it was killed. */
int output_is_part(const char *name);

/* Makes a folder unless it exists; it is removed again if the program fails while the folder is empty. */
void output_make_folder(const char *name);

/* Notes that the program reads this file, so that no output replaces it.  Ends the program if standard output goes to
 * the same file. */
void output_note_input(const struct stat *input, const char *name);
/* Ends the program if the file that `it` replaces has been noted.  output_open() and output_close() do so, too. */
void output_check(const output_file *it);
