/* The data of a merge, by subject: one struct merge holds it all.
 *
 * The comment behind a hash_map says what its keys consist of; the array that follows it holds the values, by the
 * number of the key. */
#pragma once

#include "command.h"

#include "base/array.h"
#include "base/block.h"
#include "base/map.h"
#include "base/text.h"
#include "replay/turn.h"

#define MERGE_RESOLUTION 1e-9 /* of a time in the merged trace */

/* Words that are written have so many bytes behind them that may be read, so that most are copied without a call. */
enum { MERGE_SLACK = 16 };

enum merge_pass { MERGE_SURVEY, MERGE_MEASURE, MERGE_WRITE };

typedef struct merge merge;
typedef struct merge_input merge_input;
typedef struct merge_container merge_container;
typedef struct merge_type merge_type;
typedef struct merge_use merge_use;

/* ---- event definitions */

enum { MERGE_COMMUNICATOR, MERGE_INSTANCE, MERGE_RANK, MERGE_ROOT, MERGE_SIZE, MERGE_COLLECTIVE_FIELDS };

/* An event definition of the merged trace. */
typedef struct merge_definition {
    pajesim_event event;
    uint32_t number, field_count;
    char digits[10 + MERGE_SLACK]; /* the number as text */
    uint8_t digit_count;
    uint8_t positions[PAJESIM_ROLE_COUNT]; /* 1 + index of the field; 0: there is none */
    uint8_t roles[PAJESIM_WORDS];          /* of the fields */
    uint8_t collective[MERGE_COLLECTIVE_FIELDS]; /* likewise: user fields of collective operations */
    int adds_alias;                        /* the merged trace has an alias where the input has none */
} merge_definition;

typedef struct merge_definitions {
    hash_map keys; /* event and fields, as they are written */
    array_of(merge_definition *) items;
    hash_map refs; /* input and pajesim_ref */
    array_of(const merge_definition *) by_ref;
    text_buffer header; /* the definitions as they are written */
} merge_definitions;

/* ---- inputs */

typedef struct merge_span {
    uint32_t offset, size;
} merge_span;

/* A line that was read and not processed yet. */
typedef struct merge_line {
    const merge_definition *definition; /* NULL: a comment, whose text is the only word, or a problem */
    size_t problem; /* 1 + index in the input's `problems`; the words: its bytes, its text; 0: none */
    pajesim_time time;
    char *file;
    uint64_t number; /* in its file */
    pajesim_time latest; /* greatest corrected time of lines before it that were not kept */
    int is_early;    /* MERGE_EARLY: its time is not where it is in the order */
    size_t text;     /* offset in the input's `text` */
    size_t spans;    /* index in the input's `spans`, which are relative to `text` */
    int is_plain;    /* no word needs quotes; otherwise merge_put_word() has to look */
} merge_line;

/* What a short identifier of an input stands for: entries of caches in front of the hash maps. */
typedef struct merge_short {
    uint64_t words[2];
    uint64_t size; /* 0: nothing is known */
} merge_short;

typedef struct merge_known_type {
    merge_short alias;
    merge_type *type;
} merge_known_type;

typedef struct merge_known_value {
    merge_short alias;
    const merge_type *type;
    size_t found_at;    /* how many values there were */
    pajesim_text value; /* as it is written */
} merge_known_value;

typedef struct merge_known_container {
    merge_short alias;
    uint64_t found_at; /* the number of changes of all containers */
    merge_container *container;
} merge_known_container;

enum { MERGE_KNOWN_TYPES = 16, MERGE_KNOWN_VALUES = 64 };

/* An entry of a cache of definitions. */
typedef struct merge_recent {
    const merge_definition *definition;
    pajesim_ref ref;
} merge_recent;

/* A time in decimals, without rounding.  No size: none. */
typedef struct merge_plain {
    uint64_t whole; /* in units of the last decimal */
    uint32_t size;  /* in bytes */
    uint32_t decimals;
} merge_plain;

/* The text of a time in decimals, which the next one is compared with. */
typedef struct merge_latest {
    char text[BLOCK_BYTES];
    uint32_t size;   /* less than a block; 0: none */
    uint32_t digits; /* where it has digits, of a block */
} merge_latest;

enum { MERGE_SHORT_NUMBERS = 110 };

/* ---- lines of files that are sorted */

typedef enum merge_line_class {
    MERGE_OTHER,
    MERGE_UNTIMED,
    MERGE_VALUE, /* untimed as well; its type may be defined behind it, by another thread */
    MERGE_INCLUDING,
    MERGE_CREATION,
    MERGE_DESTRUCTION,
    MERGE_EVENT
} merge_line_class;

/* The words of a line that are needed.  END: also where a container's own identifier is. */
typedef enum merge_word_role {
    MERGE_TIME_WORD,
    MERGE_TYPE_WORD,
    MERGE_CONTAINER_WORD,
    MERGE_START_WORD,
    MERGE_END_WORD,
    MERGE_SPLIT_WORDS
} merge_word_role;

/* Where the words of an event are: 1 + index; 0: there is none. */
typedef struct merge_layout {
    merge_line_class class;
    uint8_t at[MERGE_SPLIT_WORDS];
    int has_identifier; /* of a container, in the field that is meant for it */
    uint8_t roles[PAJESIM_WORDS + 1]; /* by position; MERGE_SPLIT_WORDS: none that is needed */
} merge_layout;

typedef struct merge_splitter {
    const merge_input *input;
    const char *bytes; /* of the file */
    size_t size;
    hash_map numbers; /* of event definitions */
    size_t indices[MERGE_SHORT_NUMBERS]; /* by merge_short_number(); MAP_NONE: there is none */
    array_of(merge_layout) layouts;
    uint8_t fields; /* that the last definition has had so far */
} merge_splitter;

/* ---- raw files of `paje trace` */

/* What a run is. */
typedef struct merge_run {
    int are_names_mangled; /* names of C++ functions stay as they are in files */
    int is_part;           /* of a parallel job that has processes on other machines, whose traces are merged later */
} merge_run;

/* Texts are in the file. */
typedef struct merge_raw_container {
    pajesim_text alias, type;
    const char *line, *old_name; /* of its creation; line NULL: it was not created yet */
    pajesim_text name;           /* the last one that it was given */
    int is_destroyed;
} merge_raw_container;

/* What is different in the sorted copy. */
typedef struct merge_raw {
    const char *bytes; /* of the file */
    hash_map changed;  /* offset of a line */
    array_of(text_buffer) lines;
    text_buffer ends;  /* lines that are added at the end */
    hash_map aliases;
    array_of(merge_raw_container) containers;
    pajesim_text latest; /* time */
    int are_names_mangled; /* of C++ functions: they stay as they are in files */
} merge_raw;

/* ---- lines as they are read */

/* Lines that do without the reader. */
typedef struct merge_direct {
    int is_possible; /* inputs are decoded only, and this one has included no file yet */
    int is_in_line;  /* what comes next is not the beginning of a line */
    const merge_definition *events[MERGE_SHORT_NUMBERS]; /* by merge_short_number(); NULL: the reader is needed */
    uint64_t lines;
    int skips;           /* in the survey: the lines of which the times are all that matters */
    merge_latest latest; /* of these; not before times that were noted */
} merge_direct;

/* A place in an input between two lines, which the survey has noted. */
typedef struct merge_mark {
    uint64_t offset;
    uint64_t line;  /* the number of the next one */
    double reached; /* `unkept` there */
    int is_direct;  /* all lines since the mark before do without the reader */
} merge_mark;

/* Searches the bytes of a file for comment lines. */
typedef struct merge_comment {
    enum { MERGE_LINE_BEGIN, MERGE_IN_LINE, MERGE_IN_COMMENT } state;
    text_buffer text;
} merge_comment;

/* A clock is corrected by `offset`, then by `values`, linearly between the knots, then by a delay that decays. */
typedef struct merge_clock {
    const char *given; /* by --offset, which the times of lines have in them as they are read; NULL: nothing */
    double offset;
    double *values; /* at the knots that all inputs share; NULL: none */
    double *best;   /* the values of the best round of its group */
    double delay;   /* of the last line that had to wait */
    double delayed_at;
} merge_clock;

/* Files without a name that hold copies, one behind the other, and the line numbers that their lines have in the
 * inputs, of 64 bits each. */
typedef struct merge_copies {
    int lines, numbers; /* -1: not made yet */
    uint64_t size, number_count;
} merge_copies;

/* A flag of the number of a line in such a file: it creates a container that is in use before that, so the sorter has
 * put it before its time. */
#define MERGE_EARLY (UINT64_C(1) << 63)

/* A part of such files. */
typedef struct merge_copy {
    int lines, numbers; /* -1: there is none */
    uint64_t start, size, first_number;
} merge_copy;

struct merge_input {
    paje_run run; /* the first member, so that pajesim_data() returns the input */
    merge *merge;
    const char *name;
    char *path; /* what is opened, if it is not `name` */
    int is_raw;  /* a file of `paje trace`, ... */
    merge_run raw;         /* ... of this run */
    uint64_t size; /* in bytes, when the merge began; 0: not known */
    paje_pass opened; /* the file when the merge began; .inode 0: it is none, or changes (`is_raw`) */
    merge_copy copy; /* sorted, which is read in place of the input */
    uint32_t index;
    merge_clock clock;
    uint32_t group;            /* the index of an input that all of its group have: merge_group */
    int is_timed;              /* an event with a time was read */
    pajesim_time first;        /* corrected time of the first such event */
    pajesim_time latest;       /* greatest corrected time so far */
    pajesim_time least;        /* least time of all passes, as in the file */
    pajesim_time unkept;       /* greatest corrected time of lines since the last one that was kept; if processes
                                * share the last pass, of all lines that were read */
    hash_map types;            /* identifier */
    array_of(merge_type *) by_type;
    hash_map values;           /* type and identifier */
    array_of(size_t) by_value; /* number of the value */
    hash_map uses;             /* identifier of a container */
    array_of(merge_use *) by_use;
    array_of(merge_line) lines;
    array_of(merge_span) spans;
    array_of(pajesim_problem) problems;
    array_of(merge_mark) marks;
    size_t next_mark;
    int is_direct; /* see merge_mark */
    text_buffer text;
    merge_recent recent[16];   /* a cache, by a hash of the ref */
    merge_known_type known_types[MERGE_KNOWN_TYPES];
    merge_known_value known_values[MERGE_KNOWN_VALUES];
    merge_known_container *known_containers;
    size_t known_count;        /* of containers: a power of two */
    size_t next;               /* index of the next line */
    uint64_t processed;        /* lines in this pass, without comments */
    char *file;                /* name of the file that the last line came from */
    int is_at_end;
    const paje_source *source; /* the file that was read last */
    merge_comment comment;     /* the search for comments in that file */
    merge_direct direct;
    int is_waiting;            /* for the start of a link */
    size_t wait_list;          /* list of inputs that wait for the same start */
    merge_input *wait_next, *wait_previous;
    int skips_wait;            /* the next line does not wait */
    uint32_t mark;             /* in the search for circles */
    uint64_t own_early;        /* messages within it that end before they start, ... */
    double own_worst;          /* ... and by how much at most */
    uint64_t errors, warnings;
};

/* ---- types, values and containers */

struct merge_type {
    merge_type *parent; /* NULL: the root type */
    uint32_t number;
    pajesim_kind kind;
    uint32_t group, ordinal; /* among types of the same kind, parent, ends and name */
    uint32_t lasting_types;  /* how many types of states and variables it is the parent of, ... */
    uint32_t lasting_number; /* ... and which of these such a type is, from 0 */
    pajesim_text alias;      /* as it is written, with quotes if it needs them */
};

/* Identifiers of types, or of the values of types. */
typedef struct merge_aliases {
    hash_map taken; /* type of a value, and identifier */
    array_of(uint32_t) suffixes; /* greatest N for which ALIAS_N is taken */
} merge_aliases;

typedef array_of(merge_type *) merge_type_list;

typedef struct merge_types {
    merge_type root;
    uint32_t count;
    hash_map groups; /* kind, parent, ends and name */
    array_of(merge_type_list) by_group;
    hash_map counts; /* group and input */
    array_of(uint32_t) counted; /* types of the group that the input has defined */
    hash_map aliases; /* identifier of any input */
    array_of(merge_type *) by_alias; /* NULL: several types have it */
    merge_aliases written;
    hash_map values; /* type and name */
    array_of(pajesim_text) by_value; /* identifier, as it is written */
    hash_map value_aliases; /* type and identifier of any input: the first one */
    array_of(size_t) by_value_alias;
    merge_aliases written_values;
} merge_types;

typedef struct merge_scope merge_scope;
typedef struct merge_scope_use merge_scope_use;

struct merge_container {
    char digits[20 + MERGE_SLACK]; /* its number as text */
    uint8_t digit_count;
    merge_container *parent, *first_child, *next, *previous;
    const merge_type *type;
    uint64_t number;   /* written as its alias; 0: the root */
    uint64_t identity; /* 1 + number in `identities`; 0: the root */
    int keeps_identity; /* scopes that outlive the container refer to it */
    merge_use *uses;
    merge_scope *scopes;
    int is_alive;
    int is_shared;     /* several inputs have created it; then, of its lasting types, ... */
    size_t writers;    /* ... the first one's place in merge_mixed */
    uint64_t early;    /* before: those that its creator has written, of the first 64, as bits */
    size_t key;        /* in `keys` */
    size_t alias_list; /* living containers with the same identifier */
    merge_container *alias_next, *alias_previous;
};

/* A container whose end is to be written, as no input has it any longer. */
typedef struct merge_destroyed {
    uint64_t number;
    const merge_type *type;
} merge_destroyed;

/* A container that an input destroys and others do not, while those in it are searched for what only the input has. */
typedef struct merge_search {
    merge_use *own;        /* of the input */
    merge_container *next; /* the child that comes next */
} merge_search;

#define MERGE_RETIRED 64

/* What a container is, whatever its number: the same in each pass, as long as anything refers to it. */
typedef struct merge_identity {
    uint64_t parent;
    size_t references; /* by containers, children, and scopes that outlive the container */
    int is_kept;       /* for such scopes */
} merge_identity;

typedef struct merge_containers {
    merge_container root;
    uint64_t count;
    uint64_t changes; /* of which identifier stands for which container */
    hash_map keys; /* type, parent, identifier and name; the input as well if containers are kept apart */
    array_of(merge_container *) by_key;
    hash_map identities; /* the same with the identity of the parent */
    array_of(merge_identity) by_identity;
    hash_map aliases; /* identifier of any input */
    array_of(merge_container *) by_alias; /* the first of a list */
    merge_container *retired[MERGE_RETIRED];
    size_t next_retired;
    array_of(merge_destroyed) destroyed; /* by the current line */
    array_of(merge_search) path;         /* containers whose children are searched, from the top down */
} merge_containers;

/* A container that several inputs create. */
typedef struct merge_shared {
    const merge_type *type;
    size_t name, size; /* of its name in merge_mixed: offset and bytes */
} merge_shared;

/* Which inputs write states of a type, or set a variable, on such a container: 1 + the least and the greatest index;
 * 0: none. */
typedef struct merge_writers {
    uint32_t least, greatest;
} merge_writers;

typedef struct merge_mixed {
    array_of(merge_shared) shared; /* in the order of creation in this pass */
    text_buffer names;
    size_t reached;         /* how many lasting types those in this pass have */
    size_t count;           /* how many those in the pass before the last one had */
    size_t processes, size; /* of the last pass; of `writers` in bytes */
    merge_writers *writers; /* in the last pass: `count` for each process, in memory that they share; NULL: none */
    merge_writers *own;     /* of this process */
} merge_mixed;

/* ---- links */

typedef struct merge_scopes {
    hash_map keys; /* type and identity of the container */
    array_of(merge_scope *) items;
    hash_map uses; /* type and input, identity of the container */
    array_of(merge_scope_use *) by_use;
} merge_scopes;

/* A link from one input to another, by the line of its end, which `joined` has as well. */
typedef struct merge_joint {
    size_t start, end; /* numbers of its halves in `crossed` */
    merge_scope_use *start_use, *end_use;
    uint32_t start_input, end_input;
    const char *file;
    uint64_t line;
} merge_joint;

typedef struct merge_half_list {
    struct merge_half *first, *last;
} merge_half_list;

typedef struct merge_links {
    hash_map keys; /* type, container, key and half; the input, or 0 for those of all inputs */
    array_of(merge_half_list) lists;
    struct merge_half *halves;
    size_t in_flight, most_in_flight;
    hash_map crossed;  /* in the survey: the halves of the first links between inputs, each as of its input */
    array_of(int) are_disputed; /* of `crossed`: the input has the other half of such a key as well */
    array_of(merge_joint) joints; /* in the survey: the links of `crossed` */
    int are_some_missing; /* there were more */
    uint64_t disputed;    /* of the joints: those that are not joined, as they may be none */
    int is_second; /* this pass surveys the links once more */
    hash_map joined; /* input, line and file of ends whose starts are in other inputs, though these have own keys */
    array_of(uint32_t) start_inputs;
    hash_map unpaired; /* input and line: of raw files, halves whose other one is in no input */
    size_t dots; /* greatest number of dots that a key has before digits at its end */
    text_buffer key, written;
} merge_links;

/* Messages of `paje trace` that have one end, by who sent and received them. */
typedef struct merge_unpaired {
    hash_map channels; /* COMMUNICATOR.FROM.TO */
    array_of(uint64_t) counts;
    uint64_t sent, received;
} merge_unpaired;

typedef struct merge_wait_list {
    merge_input *first, *last;
} merge_wait_list;

typedef struct merge_waits {
    int is_enabled;     /* whether lines may wait */
    int is_last;        /* no further pass tries whether lines should wait */
    int is_uncertain;   /* a line went on because its source is unknown */
    hash_map keys;      /* type, container and key; 1 + the input whose own it is, or 0 */
    array_of(merge_wait_list) lists;
    hash_map forbidden; /* input and line */
    hash_map lines;     /* input and line: the input where the link starts */
    array_of(merge_input *) sources;
    merge_input *woken; /* by the current line; not in the queue yet */
} merge_waits;

/* ---- clocks */

/* Messages from one input to another one. */
typedef struct merge_pair {
    uint32_t from, to;
    double first, last;             /* times of sending */
    double *least;                  /* least time that a message takes, by window */
    uint64_t early;                 /* number of messages that arrive before they are sent */
    double worst;                   /* greatest time by which one of them is early */
    double first_early, last_early; /* times of early messages */
    size_t reverse;                 /* 1 + the pair the other way round; 0: there is none */
    double limit; /* how much greater the offset of `from` may be than that of `to`, at the current knot */
    double tight; /* the limit before it was relaxed */
    double margin; /* added to each correction, so that rounding cannot undo it */
} merge_pair;

typedef struct merge_messages {
    hash_map keys; /* from and to, numbered as the pairs */
    array_of(merge_pair) pairs;
    uint32_t window_count;
    double *borders;  /* between windows; NULL: there is one window */
    uint32_t *counts; /* messages by window; NULL: not counted */
} merge_messages;

/* Finds offsets of all inputs at one time.  Each array has an item for each input. */
/* The pairs within a block of inputs that messages connect both ways: in solver.within, from first on, before end. */
typedef struct merge_block {
    size_t first, end;
} merge_block;

typedef struct merge_solver {
    uint32_t *block;    /* least index of the inputs in the block */
    uint32_t *order;    /* inputs, block by block; messages between blocks go to later ones */
    size_t *leaving, *first_leaving; /* pairs by the input that they leave; of each the first one, and the end */
    array_of(size_t) within;         /* pairs within a block, block by block */
    array_of(merge_block) blocks;    /* those that have pairs */
    double *forward, *backward;
    double *offsets;    /* the result */
    size_t *reached_by; /* 1 + the pair through which a path reached the input */
} merge_solver;

/* Inputs that messages connect. */
typedef struct merge_group {
    double worst; /* how early the worst message arrives: of the last pass */
    double margin; /* of its pairs */
    double first, length; /* the time that windows are of, by its messages: knots are at shares of it */
    struct {
        double worst;
        int round; /* 0: there is none yet */
    } best;        /* the best round that had knots; the clocks have its values */
    int is_better; /* whether the last round is the best so far */
    int may_wait;  /* whether lines wait for the start of their link */
} merge_group;

typedef struct merge_alignment {
    int round;
    double *edges;       /* where windows begin, and the last one ends, from 0 to 1 */
    merge_group *groups; /* by the index of an input of the group; the others are empty */
} merge_alignment;

typedef struct merge_clocks {
    double shift;        /* added to all times */
    uint32_t knot_count; /* knots: begin, middle of each window, end; 0: offsets only */
    double *knot_times;
    uint32_t last_knot; /* the knot that was found last; the next one is most often the same */
} merge_clocks;

/* ---- the merge */

typedef struct merge_queue_item {
    double time; /* greatest time of the input, its next line included, so that its lines keep their order */
    merge_input *input;
} merge_queue_item;

/* A heap of the inputs that have lines and do not wait. */
typedef struct merge_queue {
    merge_queue_item *items;
    uint32_t count;
} merge_queue;

typedef struct merge_output {
    size_t decimals;   /* of the most precise time; all corrected times have as many, so rounding keeps their order */
    text_buffer types; /* definitions of types and values, as they are written */
} merge_output;

/* Processes that share the last pass (share.c). */
typedef struct merge_share {
    int is_possible;   /* marks are made */
    uint64_t most;     /* bytes of all inputs in a range, about */
    uint64_t distance; /* between marks, in bytes */
    uint64_t direct;   /* bytes up to marks, of lines that do without the reader */
    array_of(double) cuts; /* times between ranges, ascending */
    size_t processes;  /* 0: no others; then the members below are not set */
    size_t range;      /* the number of that which this process writes now, or next */
    double from, to;   /* of that range: of lines before it only what changes containers is processed */
    int is_outside;    /* the line that is processed comes before it */
    size_t usual_limit; /* of the output that is gathered; here it is a range */
    paje_turn turn;
} merge_share;

struct merge {
    const paje_command *command;
    enum merge_pass pass;
    paje_progress progress; /* of the pass */
    uint64_t read;          /* bytes of all inputs in this pass */
    int keeps_apart; /* containers of different inputs are not merged */
    int aligns;
    int is_strict; /* how the inputs are read */
    int shows_stats;
    merge_input *inputs;
    uint32_t input_count;
    int has_many;    /* there are many inputs, so less is read ahead of each */
    int closes_files; /* more inputs than files can be open: each is open only while it is read */
    text_buffer key; /* the result of merge_key() */
    hash_map file_names;
    array_of(char *) files;
    merge_definitions definitions;
    merge_types types;
    merge_containers containers;
    merge_mixed mixed;
    merge_scopes scopes;
    merge_links links;
    merge_unpaired unpaired;
    merge_waits waits;
    merge_clocks clocks;
    merge_messages messages;
    merge_solver solver;
    merge_alignment alignment;
    merge_queue queue;
    merge_share share;
    merge_output output;
};
