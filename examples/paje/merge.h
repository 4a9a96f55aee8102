/* paje merge: what its files share.
 *
 * merge_input.c reads the files piece by piece, merge.c takes their lines by time, merge_names.c finds out what each
 * identifier stands for, merge_links.c pairs links, merge_write.c writes, merge_clocks.c finds clock offsets. */
#ifndef PAJE_MERGE_H
#define PAJE_MERGE_H

#include "paje.h"

static inline double merge_least(double a, double b)
{
    return a < b ? a : b;
}

static inline double merge_greatest(double a, double b)
{
    return a > b ? a : b;
}

/* ---- merge_table.c: one table of everything that is looked up ---------------------------------------------------- */

typedef struct merge_entry {
    struct merge_entry *next; /* of the same slot */
    uint64_t hash;
    void *thing;
    int owned; /* the entry frees it */
    size_t size;
    char key[];
} merge_entry;

typedef struct merge_key {
    const char *bytes;
    size_t size;
} merge_key;

/* What a key is a key of: its first byte. */
enum merge_tag {
    MERGE_TYPE,           /* input, identifier */
    MERGE_VALUE,          /* input, type, identifier */
    MERGE_USE,            /* input, identifier: a container */
    MERGE_KNOWN_TYPE,     /* kind and ordinal, parent, start and end type, name */
    MERGE_KNOWN_VALUE,    /* type, name */
    MERGE_KNOWN_CONTAINER, /* type, parent, input if kept apart and size of the identifier, identifier and name */
    MERGE_HAS_TYPE,       /* input, type */
    MERGE_TAKEN_TYPE,     /* identifier, as it is written */
    MERGE_LINK,           /* type, container, half, key: one that waits for its other half */
    MERGE_LOCAL_KEYS,     /* type, container: where several inputs use the same keys */
    MERGE_DEFINITION,     /* as it is written */
    MERGE_DEFINED,        /* input, ref: its definition */
    MERGE_FILE,           /* name */
    MERGE_PAIR            /* from, to: messages between two inputs */
};

/* Valid until the next one is made. */
merge_key merge_make_key(enum merge_tag tag, uint64_t a, uint64_t b, uint64_t c, pajesim_text text);
/* The last one that was added; NULL: none. */
merge_entry *merge_find(merge_key key);
/* The one that was added before it. */
merge_entry *merge_find_next(const merge_entry *entry);
merge_entry *merge_add(merge_key key, void *thing, int owned);
/* Frees the entry, and what it owns. */
void merge_remove(merge_entry *entry);
/* Frees all entries. */
void merge_forget(void);

/* ---- merge_input.c: a file, and those of its lines that are read but not taken yet ------------------------------- */

/* An event definition of the merged trace. */
typedef struct merge_definition {
    pajesim_event event;
    uint32_t number, count;
    uint8_t at[PAJESIM_ROLE_COUNT]; /* 1 + index of the field; 0: there is none */
    int aliased;                    /* the merged trace gives an alias where the input has none */
} merge_definition;

typedef struct merge_line {
    const merge_definition *definition;
    pajesim_time time;
    char *file;
    uint64_t number; /* in its file */
    size_t text;     /* where in the input's `text` */
    uint32_t spans[2 * PAJESIM_WORDS];
} merge_line;

/* How a clock is corrected: by `offset`, then by what `knots` say, linear between them. */
typedef struct merge_clock {
    double offset;
    double *values; /* at the knots that all inputs share; NULL: none */
} merge_clock;

typedef struct merge_input {
    paje_run run; /* the first member, so that the simulation's data leads to the input */
    const char *name;
    uint32_t index;
    merge_clock clock;
    int timed;                /* an event with a time was read, */
    pajesim_time first;       /* the first of which had this one, corrected */
    pajesim_time latest;      /* greatest corrected time until now */
    pajesim_time least;       /* time of all, as written */
    merge_line *lines;
    size_t count, room, next; /* of `lines` */
    paje_buffer text;
    char *file; /* of the line that was read last */
    int ended;
    uint64_t errors, warnings;
} merge_input;

extern merge_input *merge_inputs;
extern uint32_t merge_input_count;
extern int merge_writing; /* 0: only looking at the clocks */
extern int merge_apart;   /* containers of several inputs are never the same */

/* The callbacks of the command. */
int merge_on_definition(pajesim *sim, const pajesim_definition *definition);
int merge_on_line(pajesim *sim, const pajesim_line *line);
int merge_on_problem(pajesim *sim, const pajesim_problem *problem);

void merge_open_input(merge_input *input, const paje_settings *settings);
/* Answers an exit status. */
int merge_close_input(merge_input *input);
/* The line that is next to be taken; NULL at the end. */
const merge_line *merge_next_line(merge_input *input);
pajesim_text merge_word(const merge_input *input, const merge_line *line, uint32_t word);
pajesim_text merge_role(const merge_input *input, const merge_line *line, pajesim_role role);
/* Says that a line is left out, with a warning where that does no harm.  Answers whether it is an error. */
int merge_refuse(merge_input *input, const merge_line *line, pajesim_code code, pajesim_text bytes);

/* ---- merge_names.c: types, values and containers ----------------------------------------------------------------- */

typedef struct merge_type {
    struct merge_type *parent; /* NULL: the root type */
    uint32_t number;
    pajesim_kind kind;
    pajesim_text alias; /* as it is written */
} merge_type;

typedef struct merge_container {
    struct merge_container *parent, *first_child, *next, *previous;
    merge_type *type;
    uint64_t number; /* its alias, as it is written; 0: the root */
    struct merge_use *uses;
    merge_entry *known; /* NULL: it is destroyed, but remembered */
} merge_container;

void merge_begin_names(void);
merge_type *merge_find_type(const merge_input *input, pajesim_text alias);
/* `*made`: 1 if it is to be written; 0 if the merged trace has it already.  NULL: the input itself has it already. */
merge_type *merge_define_type(const merge_input *input, pajesim_kind kind, merge_type *parent, const merge_type *start,
                              const merge_type *end, pajesim_text name, pajesim_text alias, int *made);
/* Likewise; answers its alias as it is written, with no bytes if the input has it already. */
pajesim_text merge_define_value(const merge_input *input, const merge_type *type, pajesim_text name, pajesim_text alias,
                                int *made);
/* How a value is written. */
pajesim_text merge_find_value(const merge_input *input, const merge_type *type, pajesim_text alias);

/* `parent_type` of the type of what it bears: tells the root from a container that is called 0. */
merge_container *merge_find_container(const merge_input *input, pajesim_text alias, const merge_type *parent_type);
merge_container *merge_create_container(merge_input *input, merge_container *parent, merge_type *type,
                                        pajesim_text name, pajesim_text alias, int *made);
/* The input destroys it.  Calls back for each container that no input has any longer, unless one that bears it says
 * it all. */
void merge_destroy_container(merge_input *input, merge_container *container,
                             void (*destroyed)(merge_container *container, void *data), void *data);

/* ---- merge_links.c: the two halves of a link --------------------------------------------------------------------- */

/* How the key of that half is written, valid until the next call.  `start`: 1 the start, 0 the end. */
pajesim_text merge_link_key(const merge_input *input, const merge_type *type, const merge_container *container,
                            int start, pajesim_text key, pajesim_time time);
void merge_begin_links(void);
extern size_t merge_links_in_flight, merge_most_links_in_flight;

/* ---- merge_write.c ----------------------------------------------------------------------------------------------- */

/* The merged trace's definition that is like this one of an input, written if it is new. */
const merge_definition *merge_define(const pajesim *sim, const pajesim_definition *definition);
/* Takes a line: finds out what it means, and writes it. */
void merge_take_line(merge_input *input, const merge_line *line);
void merge_begin_writing(void);

/* ---- merge_clocks.c ---------------------------------------------------------------------------------------------- */

pajesim_time merge_correct(const merge_input *input, pajesim_time time);
/* 1: the clock is left as it is. */
int merge_is_right(const merge_input *input);
/* Moves all times alike where the correction has made some negative, and says so. */
void merge_begin_at_zero(void);
/* On standard error. */
void merge_tell_correction(const merge_input *input);
/* A message, in corrected time. */
void merge_note_message(uint32_t from, uint32_t to, pajesim_time sent, pajesim_time received);
/* Before each look at all messages. */
void merge_begin_clocks(void);
/* After it: corrects the clocks.  Answers 0 when no further look is needed. */
int merge_correct_clocks(void);
void merge_free_clocks(void);

#endif
