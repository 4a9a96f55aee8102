/* A command of the tool: a file commands/NAME.c, or commands/NAME/NAME.c with others beside it, that defines
 * `const paje_command command_NAME`, a table of callbacks and options.  The Makefile lists the commands, so that adding
 * one touches nothing else.  Names that begin with command_ are for these tables only. */
#pragma once

#include "base/array.h"
#include "base/clock.h"
#include "base/encode.h"
#include "base/map.h"
#include "base/output.h"
#include "base/stream.h"
#include "base/unit.h"
#include "base/utf8.h"
#include "replay/dump_line.h"
#include "replay/fields.h"
#include "replay/filter.h"
#include "replay/index.h"
#include "replay/part.h"
#include "replay/parts.h"
#include "replay/path.h"
#include "replay/problem.h"
#include "replay/run.h"
#include "replay/summary.h"
#include "replay/table.h"

#include <limits.h>

#define PAJE_VERSION_TEXT "0.2.0"

typedef struct paje_option {
    int key;              /* the letter; from PAJE_LONG_ONLY on for those that have none */
    const char *name;     /* without -- */
    const char *argument; /* its name in the help, "[=NAME]" if it may be left out; NULL: the option takes none */
    const char *help;     /* NULL ends a table */
} paje_option;

static inline int paje_argument_is_optional(const paje_option *option)
{
    return option->argument && option->argument[0] == '[';
}

#define PAJE_LONG_ONLY 512
#define PAJE_ANY INT_MAX

/* The filters of replay/filter.h that a command takes. */
enum {
    PAJE_TIME_FILTER = 1,                                 /* -s, -e */
    PAJE_NAME_FILTER = 2,                                 /* --container, --type */
    PAJE_UNIT = 4,                                        /* --unit */
    PAJE_FILTERS = PAJE_TIME_FILTER | PAJE_NAME_FILTER | PAJE_UNIT,
    PAJE_SEES_ALL = 8,  /* its callbacks are called for all entities: it asks paje_shows() itself */
    PAJE_KEEPS_UNIT = 16, /* its callbacks get times in the unit of the trace, and it converts them itself */
    PAJE_FROM_INDEX = 32, /* it uses an index for -s and -e: see paje_replay_chosen() */
    PAJE_PARTS = 64 /* --part: its `run` calls paje_replay_part() then */
};

/* The name of another program that a command stands in for: called by it, through a symbolic link, the tool takes the
 * options of that program. */
typedef struct paje_alias {
    const char *name;
    const paje_option *options; /* in place of those of the command */
    unsigned filters;           /* in place of those of the command */
    void (*begin)(paje_settings *settings); /* sets the defaults of that program, before its options are read */
    int (*result)(int status);  /* returns the exit status in its place; may be NULL */
} paje_alias;

typedef struct paje_command {
    const char *name;
    const paje_alias *alias; /* may be NULL */
    const char *summary;  /* one line */
    const char *details;  /* the rest of the help; may be NULL */
    int traces;           /* how many traces it takes; PAJE_ANY: one or more, which `run` replays */
    const char *operands; /* in the help, where they are not just traces; `run` counts them then.  May be NULL */
    /* Command lines for the tests, one a line, without the name of the command: each succeeds on any good trace.  FILE
     * stands for that trace, OUT for a file or folder to write. */
    const char *trials;
    int is_runner;        /* 1: its operands are a command to run, whose options are not its own; it reads no trace */
    int strict;           /* 1: strict unless --lenient is given */
    int parse_only;
    unsigned filters;     /* PAJE_FILTERS and so on */
    const char *unfiltered; /* why it refuses the other filters; NULL: they are no options of it */
    const paje_option *options; /* its own; may be NULL */
    /* Takes one of its own options.  Returns NULL, or what is wrong with the argument. */
    const char *(*option)(int key, const char *argument, paje_settings *settings);
    /* A `problem` of its own replaces paje_show_problem. */
    pajesim_callbacks callbacks;
    /* Called before and after each trace; the traces are numbered from 0.  May be NULL. */
    void (*begin)(paje_run *run, int trace);
    void (*end)(paje_run *run, int trace);
    const paje_table *table; /* processes may share the work: -j; NULL: not so */
    /* Called at the very end with the worst exit status of the traces; returns the program's.  May be NULL. */
    int (*result)(int status);
    const char *result_help; /* in the help: what else exit status 1 means then */
    /* Called in place of paje_replay() for each trace; returns an exit status.  May be NULL. */
    int (*run)(const paje_settings *settings, char **names, int count);
} paje_command;

/* All commands, by name. */
extern const paje_command *const paje_commands[];
extern const size_t paje_command_count;

/* Has signals that this program takes for itself be as it was begun with them, for another one that it executes. */
void paje_give_signals_back(void);

/* The options of a command, its own first, then filters, then those of every command; NULL behind the last. */
const paje_option *paje_option_at(const paje_command *command, size_t index);
int paje_is_common(const paje_option *option);
/* What the help shows for the traces of a command: "FILE...". */
const char *paje_operands(const paje_command *command);

/* Reads options into `settings`; returns the index of the first operand, which all operands follow.  Ends the program
 * with EXIT_USAGE, or EXIT_OK after --help. */
int paje_parse_options(int argc, char **argv, paje_settings *settings);
/* Prints the versions of the tool and of its header. */
void paje_print_version(void);
/* Says how the command is used wrongly and ends the program with EXIT_USAGE.  `command` may be NULL. */
void paje_usage(const paje_command *command, const char *format, ...) PRINTF_LIKE(2, 3) NO_RETURN;
/* Arguments of options: a number; a size such as 64K, 16M, 2G; a whole number from 1 on.  Return 1, or 0 if it is
 * none. */
int paje_parse_number(const char *argument, double *number);
int paje_parse_size(const char *argument, size_t *size);
int paje_parse_count(const char *argument, uint64_t *count);
/* Sets a number to that of a name in a list, which ends with NULL.  Returns 0 if the list has no such name. */
int paje_parse_choice(const char *argument, const char *const *names, int *choice);
#define PAJE_JOBS_HELP "N processes share the work, if the trace is a large file; the output is the same"
/* The argument of -j, as an `option` function returns: NULL, or what is wrong with it. */
const char *paje_parse_processes(const char *argument, int *processes);
