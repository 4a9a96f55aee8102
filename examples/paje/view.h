/* paje view, a viewer for a terminal: what its files share.
 *
 * view_screen.c has cells and what has changed of them, view_terminal.c the terminal itself and its keys: neither knows
 * of traces.  view_tree.c knows containers, types and values; view_store.c holds what they bear, in bounded room;
 * view_reader.c reads the trace, bit by bit; view_find.c finds things; view_draw.c brings all of it onto the screen;
 * and commands/view.c does what keys ask for. */
#ifndef PAJE_VIEW_H
#define PAJE_VIEW_H

#include "diagram.h"

/* ---- view_screen.c: cells, and what has changed ------------------------------------------------------------------ */

#define VIEW_DEFAULT UINT32_MAX /* the terminal's own colour */

enum { VIEW_BOLD = 1, VIEW_DIM = 2, VIEW_UNDERLINE = 4, VIEW_REVERSE = 8 };
typedef enum view_colors { VIEW_NO_COLORS, VIEW_8_COLORS, VIEW_256_COLORS, VIEW_ALL_COLORS } view_colors;

typedef struct view_style {
    uint32_t ink, paper; /* 0xRRGGBB */
    unsigned flags;
} view_style;

typedef struct view_cell {
    uint32_t glyph; /* of Unicode; 0: the right half of a wide one */
    view_style style;
} view_cell;

typedef struct view_screen {
    int rows, columns;
    int unicode;        /* 0: ASCII only */
    view_colors colors;
    int is_new;         /* what the terminal shows is unknown */
    view_cell *cells;   /* what shall be there */
    view_cell *shown;   /* what is */
} view_screen;

extern const view_style view_plain;

void view_resize_screen(view_screen *screen, int rows, int columns);
void view_clear_screen(view_screen *screen);
/* The cell there; NULL outside of the screen. */
view_cell *view_cell_at(const view_screen *screen, int row, int column);
void view_put_glyph(view_screen *screen, int row, int column, uint32_t glyph, view_style style);
/* Puts bytes of whatever source: what is no printable character comes as `?`, what does not fit into `columns` is cut
 * off, with a mark in its last column.  Answers how many columns were taken. */
int view_put(view_screen *screen, int row, int column, int columns, pajesim_text text, view_style style);
int view_putf(view_screen *screen, int row, int column, int columns, view_style style, const char *format, ...)
    PAJE_PRINTF(6, 7);
/* How many columns a text takes. */
int view_width(const view_screen *screen, pajesim_text text);
/* What a terminal needs to be told, to show all of it. */
void view_add_changes(view_screen *screen, paje_buffer *output);
/* The same as lines of text. */
void view_add_lines(const view_screen *screen, paje_buffer *output);
/* Black or white, whatever can be read on that paper. */
uint32_t view_ink_on(uint32_t paper);

/* ---- view_terminal.c: the terminal, signals, keys ---------------------------------------------------------------- */

/* Keys that are no characters. */
enum {
    VIEW_NO_KEY = 0,
    VIEW_ESCAPE = 27,
    VIEW_ENTER = 13,
    VIEW_TAB = 9,
    VIEW_BACKSPACE = 127,
    VIEW_UP = 0x110000,
    VIEW_DOWN,
    VIEW_RIGHT,
    VIEW_LEFT,
    VIEW_SHIFT_RIGHT,
    VIEW_SHIFT_LEFT,
    VIEW_HOME,
    VIEW_END,
    VIEW_PAGE_UP,
    VIEW_PAGE_DOWN,
    VIEW_BACK_TAB,
    VIEW_OTHER_KEY
};

/* What there is to attend to. */
enum { VIEW_KEYS = 1, VIEW_RESIZED = 2, VIEW_INPUT = 4, VIEW_GONE = 8 };

/* NULL, or why the terminal will not do. */
const char *view_refuse_terminal(void);
int view_has_unicode(void);
view_colors view_terminal_colors(void);
void view_terminal_size(int *rows, int *columns);
/* The terminal is the viewer's, until view_close_terminal, the end of the program, or a signal that ends it. */
void view_open_terminal(void);
void view_close_terminal(void);
/* Waits so long (-1: as long as it takes), also for bytes of `input`, if that is not negative. */
unsigned view_wait(int input, int milliseconds);
/* VIEW_NO_KEY: there is none any more. */
uint32_t view_next_key(void);

/* ---- view_tree.c: containers, types and values, whichever simulation tells of them ------------------------------- */

/* There are two simulations: one reads the trace from its beginning to its end, and what it tells is held for all of
 * the time, as coarsely as the room demands; the other one is there for the part of the time that is looked at. */
enum { VIEW_WHOLE, VIEW_PART, VIEW_STORES };

/* Index 0 of types, values and nodes: none, other values, the root. */
typedef struct view_type {
    pajesim_text name;
    pajesim_kind kind;
    uint32_t color;
    double least, most; /* of a variable, 0 included */
    pajesim_ref refs[VIEW_STORES];
} view_type;

typedef struct view_value {
    pajesim_text name;
    uint32_t type;
    uint32_t color;
    uint32_t letter; /* stands for it where there are no colours, */
    int is_shown;    /* and did so */
} view_value;

/* What a container bears of one type of states, of one variable, or its events of all types (type 0). */
typedef struct view_band {
    struct view_band *next;
    pajesim_kind kind;
    uint32_t type;
    uint32_t depth;                   /* of the deepest state so far */
    diagram_lane *lanes[VIEW_STORES]; /* of each depth, and how the innermost states differ from those of depth 0 */
} view_band;

typedef struct view_node {
    uint32_t parent, first, last, next; /* 0: none; children: the eldest first */
    uint32_t type, level;
    pajesim_text name;
    double start, end; /* of its first and of its last life; end: HUGE_VAL while it is alive */
    int is_open;       /* what is in it is shown */
    uint64_t left_out; /* containers in it that there was no room for */
    pajesim_ref refs[VIEW_STORES]; /* of its last life there; 0: it had none */
    int is_alive[VIEW_STORES];
    view_band *bands; /* in any order */
    int is_unsorted;
} view_node;

typedef struct view_tree {
    view_type *types;
    view_value *values;
    view_node *nodes;
    size_t type_count, value_count, node_count;
    size_t most_nodes;
    uint64_t left_out;
} view_tree;

extern view_tree view_all;

#define VIEW_NO_NODE UINT32_MAX

void view_begin_tree(void);
/* What a simulation calls so; made where it is new.  VIEW_NO_NODE: there was no room for that container. */
uint32_t view_node_of(pajesim *sim, int which, pajesim_ref container);
uint32_t view_type_of(pajesim *sim, int which, pajesim_ref type);
uint32_t view_value_of(pajesim *sim, int which, const pajesim_entity *entity);
view_band *view_band_of(uint32_t node, pajesim_kind kind, uint32_t type);
/* All of a node, in order: states, then variables, then events. */
view_band *view_bands_of(uint32_t node);
/* The next node of a walk through all of them, parents first; below closed ones only if `all`.  0: it is over. */
uint32_t view_next_node(uint32_t node, int all);
/* "/Host one/Thread one". */
void view_add_path(paje_buffer *buffer, uint32_t node);

/* ---- view_store.c: what there is in a range of time, in bounded room --------------------------------------------- */

typedef struct view_link {
    double start, end;
    uint32_t type, value, from, to;
} view_link;

typedef struct view_store {
    int which;
    const pajesim *sim; /* that feeds it; NULL: none */
    double from, to;    /* what lies outside is not held */
    double first, last; /* of what is held */
    double front;       /* up to here it has been told; what is open is open there */
    double bin;        /* width; 0: all is exact */
    size_t pieces, most_pieces, next_fold; /* that there is room for, used or not */
    view_link *links;
    size_t link_count, most_links;
    uint64_t links_left_out;
} view_store;

void view_begin_store(view_store *store, int which, size_t most_pieces, size_t most_links);
/* Nothing is held any more. */
void view_empty_store(view_store *store, double from, double to);
/* A callback `closed` hands its entities on to here. */
void view_hold(view_store *store, pajesim *sim, const pajesim_entity *entity);

enum { VIEW_INNERMOST = -1, VIEW_SHARES = DIAGRAM_BIN_VALUES };

/* What there is of a row between two instants. */
typedef struct view_column {
    struct {
        uint32_t value;
        double time;
    } shares[VIEW_SHARES]; /* states, events: of the values that have most of it */
    int values;
    uint64_t count;                /* entities that begin there */
    double time, sum, least, most; /* variables: see diagram_piece */
} view_column;

/* Adds what a band has in each of `count` columns from `start`, each of that width: of states of a depth, or of the
 * innermost ones. */
void view_add_columns(const view_store *store, uint32_t node, const view_band *band, int depth, double start,
                      double width, int count, view_column *columns);
/* The value that has most of it, of those that are told apart if there is one; PAJE_NONE: there is none. */
size_t view_main_value(const view_column *column);

/* One entity, or a bin of them. */
typedef struct view_span {
    double start, end;
    uint32_t value;
    double number;
    int is_open;  /* it goes on at the front */
    int is_exact; /* it is one entity */
    double at;    /* of view_span_beside: where it begins; of a bin, where it may begin at the earliest (or latest) */
} view_span;

/* What covers an instant, in a band of states of a depth (known where there are no bins), or of a variable.  Answers 0
 * if nothing does. */
int view_span_at(const view_store *store, uint32_t node, const view_band *band, uint32_t depth, double time,
                 view_span *span);
/* The first one that begins after an instant (or, if `back`, the last one before it), at any depth; with one of the
 * `values` for which that is not 0 (NULL: any).  `within`: also a bin that reaches beyond that instant.  Answers 0 if
 * there is none. */
int view_span_beside(const view_store *store, uint32_t node, const view_band *band, const char *values, int back,
                     int within, double time, view_span *span);

/* ---- view_find.c: occurrences, in all of the trace --------------------------------------------------------------- */

typedef enum view_aim { VIEW_VALUES, VIEW_CONTAINERS, VIEW_CHANGES /* of one band */ } view_aim;

/* What is looked for. */
typedef struct view_search {
    view_aim what;
    paje_buffer name;  /* some letters of it, small or not */
    int back;
    double from;       /* an instant, before or after which it is to begin */
    uint32_t of_node;  /* from which container on; and the changes of what */
    view_band *of_band;
    int found;
    uint32_t node;     /* what was found, */
    view_band *band;   /* NULL: a container */
    double start;
} view_search;

/* Looks in what is held of the whole.  Answers 0 where only bins are known: `from` is where the trace itself is to be
 * looked into then (view_scan), as there is none before. */
int view_find(view_search *search, const view_store *whole, int has_index);
/* Whether what begins there is what is looked for, and better than what was found. */
void view_consider(view_search *search, pajesim *sim, int which, const pajesim_entity *entity);

/* ---- view_reader.c: the trace, bit by bit ------------------------------------------------------------------------ */

typedef struct view_reader {
    paje_run run; /* first, as callbacks are given its address */
    view_store store;
    struct view_input *input;
} view_reader;

typedef struct view_input {
    paje_settings settings;
    const char *name;
    size_t memory; /* that all of it may take together */
    view_reader readers[VIEW_STORES];
    int is_file;   /* one can go back in it */
    int at_end;    /* of what there is by now */
    int is_cut;    /* the file has become shorter than what was read of it */

    pajesim_index *index;       /* NULL: there is none */
    pajesim_index own_index;    /* is made while the whole is read, */
    int is_index_full;
    paje_index_file index_file; /* unless there is one already, */
    const char *why;            /* that may be used; */
    paje_run ahead;             /* if the trace has grown since, this goes on with it, from its last checkpoint */

    /* The part: what it is to hold, and how far that is. */
    enum { VIEW_NOTHING, VIEW_LOADING, VIEW_LOADED, VIEW_SCANNING } state;
    uint64_t begun_at, goal; /* bytes of the trace */
    uint64_t loaded_at; /* bytes that the other reader had read then */
    double since;
    view_search *search; /* for which it is replayed, from one checkpoint to the next */
    uint32_t checkpoint;
} view_input;

extern const pajesim_callbacks view_callbacks;

void view_open_input(view_input *input, const paje_settings *settings, const char *name, size_t memory);
/* Reads for so long at most; answers 1 if there is more to read at once. */
int view_read(view_input *input, double seconds);
/* Reads to the end. */
void view_read_all(view_input *input);
/* The file to wait for, when there is nothing to read at once; negative: none. */
int view_waits_for(const view_input *input);
/* Says what is looked at, column by column; what is not known as exactly as that takes will be read. */
void view_ask(view_input *input, double start, double end, double width);
/* Looks in the trace itself; while it does, `state` is VIEW_SCANNING. */
void view_scan(view_input *input, view_search *search);
void view_stop_scan(view_input *input);
/* The store that knows most of a range. */
const view_store *view_best_store(const view_input *input, double start, double end);
/* The time of the first event, and of the last one that is known. */
double view_first_time(const view_input *input);
double view_last_time(const view_input *input);

/* ---- view_draw.c: onto the screen -------------------------------------------------------------------------------- */

typedef struct view_row {
    uint32_t node;
    view_band *band; /* NULL: none */
    int depth;       /* of states, or VIEW_INNERMOST */
    int is_head;     /* the first one of its container */
} view_row;

/* What is looked at. */
typedef struct view_state {
    view_input input;
    double start, end;  /* of the window */
    double time;        /* of the cursor */
    int fits;           /* the window is all that there is */
    int follows;        /* it moves with the end of the trace */
    int shows_depths;   /* a row for each depth of states */
    int shows_details;  /* of the cursor */
    view_row *rows;
    size_t row_count, row_room;
    size_t top, at;     /* rows: the uppermost on the screen, the cursor's */
    paje_buffer message; /* shown until the next key */
    int is_once;        /* one screen as text: no cursor, all rows */
    view_search search;
    int is_searching;     /* the trace is being looked through, */
    int is_waiting;       /* and will be again when it was read to its end */
    int finds_containers; /* what n does */
    const char *prompt; /* NULL: none is asked for */
    paje_buffer answer;
    const char *help;   /* NULL: it is not shown */
    size_t help_top;
} view_state;

/* Columns for time on such a screen, and rows for containers. */
int view_time_columns(const view_state *state, const view_screen *screen);
int view_body_rows(const view_state *state, const view_screen *screen);
void view_draw(view_state *state, view_screen *screen);

/* Where on the screen time is drawn, and which. */
typedef struct view_area {
    view_screen *screen;
    const view_state *state;
    const view_store *store;
    int left, columns;   /* of cells */
    double start, width; /* of a cell */
} view_area;

/* With as many decimals as columns tell apart, and one more. */
void view_add_time(paje_buffer *buffer, const view_area *area, double time);
void view_add_duration(paje_buffer *buffer, double duration);

/* ---- view_rows.c: which there are, and what they show ------------------------------------------------------------ */

/* Finds the rows anew, and keeps the cursor and the top where they are. */
void view_find_rows(view_state *state);
/* On a row of the screen: its name, left of the area; and what there is of it. */
void view_draw_label(const view_area *area, int row, const view_row *it);
void view_draw_row(const view_area *area, int row, const view_row *it);
/* Where there are no colours: which letters stand for what, of those that were drawn, in lines of such a width. */
void view_add_legend(paje_buffer *output, int columns);

/* ---- view_cursor.c: what it is on -------------------------------------------------------------------------------- */

/* Shows the cursor in so many rows below the axis. */
void view_draw_cursor(const view_area *area, int rows);
/* What it is on, in one row; all that its container has there, in rows from one up to another. */
void view_draw_place(const view_area *area, int row);
void view_draw_details(const view_area *area, int row, int end);

#endif
