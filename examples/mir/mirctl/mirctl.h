/* mirctl: asks a live program, or a side program. */
#pragma once

#include "base/platform.h"
#include "live/document.h"
#include "live/metrics.h"
#include "live/request.h"

typedef enum format { FORMAT_TABLE, FORMAT_XML, FORMAT_JSON, FORMAT_OPENMETRICS } format;

/* What is asked for, by which measurements are told apart. */
typedef struct question {
    const char *region;
    char metric[REQUEST_METRICS][REQUEST_NAME];
    uint32_t metrics;
    uint8_t function[REQUEST_FUNCTIONS];
    uint32_t functions;
} question;

/* connect.c */
int connect_to(const char *target); /* a number of a process, or the path of a socket; ends the program if it fails */
void send_text(int file, const char *text);
/* Waits for all of the next document, at most so many milliseconds (-1: for ever).  Returns 0 if there is none. */
int receive(int file, document *it, int milliseconds);
NO_RETURN void fail(const char *what, const char *why);

/* show.c */
void show_document(const document *it, format how, const question *asked);
/* The documents as they are, one a line. */
void show_raw(const document *it);

/* sir.c */
/* Prints the SIR of a file.  Returns 0 if it is not a regular file; ends the program if it cannot be read. */
int sir_of_file(const char *path);

/* main.c */
/* Milliseconds of a time such as 1s, 200ms, 5 (seconds).  Ends the program if it is none. */
long read_time(const char *text);

/* poke.c: the command `mirctl poke`.  Returns its exit status. */
int poke(int argc, char **argv);
