/* paje merge: what its files share.
 *
 * All files are read several times, piece by piece (merge_input.c), and their lines are taken by time (merge_order.c).
 * The first time, the survey, collects the definitions of types and values, and whose link keys are whose.  --align
 * looks at all messages until the clocks are right (merge_clocks.c, merge_waits.c).  The last time, all is written
 * (merge_write.c, merge_comments.c).  merge_names.c finds out what each identifier stands for, merge_links.c pairs
 * links. */
#ifndef PAJE_MERGE_H
#define PAJE_MERGE_H

#include "paje.h"

#define MERGE_RESOLUTION 1e-9 /* of a time in the merged trace */

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
    MERGE_TYPE,            /* input, identifier */
    MERGE_ANY_TYPE,        /* identifier: of whichever input; no thing: of several that differ */
    MERGE_VALUE,           /* input, type, identifier */
    MERGE_ANY_VALUE,       /* type, identifier: of whichever input */
    MERGE_USE,             /* input, identifier: a container */
    MERGE_ANY_CONTAINER,   /* identifier: of whichever input */
    MERGE_KNOWN_TYPE,      /* kind and ordinal, parent, start and end type, name */
    MERGE_KNOWN_VALUE,     /* type, name */
    MERGE_KNOWN_CONTAINER, /* type, parent, input if kept apart and size of the identifier, identifier and name */
    MERGE_HAS_TYPE,        /* input, type */
    MERGE_TAKEN_TYPE,      /* identifier, as it is written */
    MERGE_PLACE,           /* type, identity of the container: where links are, */
    MERGE_PLACE_OF,        /* type, identity of the container, input: and whose */
    MERGE_LINK,            /* type, container, half, key: one that lacks its other half, */
    MERGE_OWN_LINK,        /* type, container, half and input, key: that of this input */
    MERGE_WAIT,            /* type, container, key: who waits for the start of that link */
    MERGE_NO_WAIT,         /* input, line: one that must not */
    MERGE_SOURCE,          /* input, line: the input where the start is */
    MERGE_DEFINITION,      /* as it is written */
    MERGE_DEFINED,         /* input, ref: its definition */
    MERGE_FILE,            /* name */
    MERGE_SAME_FILE,       /* device, inode */
    MERGE_PAIR             /* from, to: messages between two inputs */
};

/* Valid until the next one is made. */
merge_key merge_make_key(enum merge_tag tag, uint64_t a, uint64_t b, uint64_t c, pajesim_text text);
uint64_t merge_hash(merge_key key);
/* The last one that was added; NULL: none. */
merge_entry *merge_find(merge_key key);
/* The one that was added before it. */
merge_entry *merge_find_next(const merge_entry *entry);
/* The first one that was added. */
merge_entry *merge_find_oldest(merge_key key);
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
    const merge_definition *definition; /* NULL: a comment, its text the only word */
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
    double *best;   /* of them until now */
    double late;    /* what a line that waited had to be moved beyond that, */
    double since;   /* when; it dwindles from then on */
} merge_clock;

/* Where in a file the next byte is. */
enum merge_where { MERGE_LINE_BEGINS, MERGE_IN_LINE, MERGE_IN_COMMENT };

typedef struct merge_input {
    paje_run run; /* the first member, so that the simulation's data leads to the input */
    const char *name;
    char *path; /* what is opened, if that is something else */
    uint32_t index;
    merge_clock clock;
    int timed;                /* an event with a time was read, */
    pajesim_time first;       /* the first of which had this one, corrected */
    pajesim_time latest;      /* greatest corrected time until now */
    pajesim_time least;       /* time of all, as written */
    merge_line *lines;
    size_t count, room, next; /* of `lines` */
    uint64_t taken;           /* lines, comments not among them */
    paje_buffer text;
    char *file; /* of the line that was read last */
    int ended;
    const paje_source *source; /* that was read last, */
    enum merge_where where;    /* in it */
    paje_buffer comment;
    merge_entry *waits; /* for the start of a link; NULL: it does not wait */
    int passes;         /* the next line does not wait */
    uint32_t mark;      /* in the search for circles */
    uint64_t errors, warnings;
} merge_input;

extern merge_input *merge_inputs;
extern uint32_t merge_input_count;
extern enum merge_pass { MERGE_SURVEY, MERGE_LOOK, MERGE_WRITE } merge_pass;
extern int merge_apart; /* containers of several inputs are never the same */
extern int merge_aligns;

/* The callbacks of the command. */
int merge_on_definition(pajesim *sim, const pajesim_definition *definition);
int merge_on_line(pajesim *sim, const pajesim_line *line);
int merge_on_problem(pajesim *sim, const pajesim_problem *problem);

/* Before all others: looks whether so many files can be open at once. */
void merge_begin_inputs(void);
void merge_open_input(merge_input *input, const paje_settings *settings);
/* Answers an exit status. */
int merge_close_input(merge_input *input);
/* The line that is next to be taken; NULL at the end. */
const merge_line *merge_next_line(merge_input *input);
/* A line that is not one of the simulation's: a comment. */
void merge_keep_comment(merge_input *input, pajesim_text text);
pajesim_text merge_word(const merge_input *input, const merge_line *line, uint32_t word);
pajesim_text merge_role(const merge_input *input, const merge_line *line, pajesim_role role);
/* Says that a line is left out, with a warning where that does no harm.  Answers whether it is an error. */
int merge_refuse(merge_input *input, const merge_line *line, pajesim_code code, pajesim_text bytes);

/* ---- merge_comments.c -------------------------------------------------------------------------------------------- */

/* How many of these bytes, which come next, to feed at once, so that a comment line is met at its place. */
size_t merge_find_comment(const merge_input *input, const char *bytes, size_t size);
/* These were fed. */
void merge_pass_bytes(merge_input *input, const char *bytes, size_t size);
/* A file is at its end. */
void merge_end_comment(merge_input *input);
void merge_write_comment(const merge_input *input, const merge_line *line);

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
    uint64_t number;   /* its alias, as it is written; 0: the root */
    uint64_t identity; /* the same each time that the files are read */
    struct merge_use *uses;
    struct merge_place *places;
    merge_entry *known; /* NULL: it is destroyed, but remembered */
    merge_entry *any;
} merge_container;

/* Each time that the files are read; types and values stay known. */
void merge_begin_names(void);
void merge_end_names(void);
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

/* How the key of that half is written, valid until the next call.  `start`: 1 the start, 0 the end.  No bytes: the line
 * has to wait. */
pajesim_text merge_link_key(merge_input *input, const merge_type *type, merge_container *container, int start,
                            pajesim_text key, pajesim_time time);
/* The survey has seen a container's end. */
void merge_forget_places(merge_container *container);
void merge_begin_links(void);
void merge_end_links(void);
extern size_t merge_links_in_flight, merge_most_links_in_flight;

/* ---- merge_order.c: lines in the order of time ------------------------------------------------------------------- */

/* Takes all lines of all inputs once.  Answers an exit status. */
int merge_take_all(const paje_settings *settings);
/* An input that has waited goes on. */
void merge_go_on(merge_input *input);
void merge_free_order(void);

/* ---- merge_waits.c: lines that wait for what they rest on -------------------------------------------------------- */

extern int merge_waiting; /* 0: no line waits */

/* By how much later a line is than its clock says. */
double merge_lateness(const merge_clock *clock, double time);
/* Whether its next line may wait. */
int merge_may_wait(const merge_input *input, pajesim_time time);
/* The start that it waits for was at this time. */
void merge_end_wait(merge_entry *wait, pajesim_time sent);
/* The line waits for a start that never comes. */
void merge_never_wait(const merge_input *input, uint64_t line);
/* Its start is in that input. */
void merge_note_source(uint32_t input, uint64_t line, merge_input *source);
/* All that are left wait: lets some of them go on. */
void merge_break_circle(void);
/* Tries whether the worst message, now `worst`, comes out better if lines wait, and if so, lets them. */
void merge_try_waiting(const paje_settings *settings, double worst);

/* ---- merge_write.c ----------------------------------------------------------------------------------------------- */

/* The merged trace's definition that is like this one of an input. */
const merge_definition *merge_define(const pajesim *sim, const pajesim_definition *definition);
/* Takes a line: finds out what it means, and writes it.  Answers 0, and nothing was done, if it has to wait. */
int merge_take_line(merge_input *input, const merge_line *line);
/* A time as it is in the merged trace; `text` as it is in the input. */
void merge_add_time(const merge_input *input, pajesim_time time, pajesim_text text);
/* How many decimals they have, if they are corrected: as many as any of the inputs. */
void merge_note_decimals(pajesim_text time);
void merge_begin_writing(void);
void merge_free_writing(void);

/* ---- merge_clocks.c ---------------------------------------------------------------------------------------------- */

pajesim_time merge_correct(const merge_input *input, pajesim_time time);
/* Without what lines have waited. */
pajesim_time merge_correct_smoothly(const merge_input *input, pajesim_time time);
/* 1: nothing has shown so far that the clock is wrong: it is left as it is. */
int merge_is_right(const merge_input *input);
/* Moves all times alike where the correction has made some negative, and says so. */
void merge_begin_at_zero(void);
/* On standard error. */
void merge_tell_correction(const merge_input *input);
/* A message, in corrected time. */
void merge_note_message(uint32_t from, uint32_t to, pajesim_time sent, pajesim_time received);
/* Each time before all messages are noted. */
void merge_begin_clocks(void);
/* After it: corrects the clocks.  Answers 0 when that is all it can do; then merge_worst_message will say `*worst`. */
int merge_correct_clocks(double *worst);
/* By how much the worst message arrives before it was sent; 0: none does. */
double merge_worst_message(void);
/* Says which messages arrive before they were sent. */
void merge_tell_messages(void);
void merge_free_clocks(void);

#endif
