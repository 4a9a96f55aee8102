/* paje view, a viewer for a terminal: what its files share.
 *
 * screen.c has a screen of cells and finds out what changed; terminal.c has the terminal itself and its keys; neither
 * knows of traces.  tree.c has containers, types and values; store.c keeps the entities of a range of time in bounded
 * memory; reader.c reads the trace in small steps, range.c a range of it; find.c searches; rows.c, cursor.c and draw.c
 * draw on the screen; and view.c does what keys ask for. */
#ifndef PAJE_VIEW_H
#define PAJE_VIEW_H

#include "base/map.h"
#include "base/unit.h"
#include "replay/arena.h"
#include "replay/filter.h"
#include "replay/index.h"
#include "replay/run.h"
#include "timeline/color.h"
#include "timeline/lane.h"
#include "timeline/name.h"

/* ---- screen.c: cells, and what has changed ------------------------------------------------------------------ */

#define VIEW_DEFAULT UINT32_MAX /* the terminal's own colour */

enum { VIEW_BOLD = 1, VIEW_DIM = 2, VIEW_UNDERLINE = 4, VIEW_REVERSE = 8 };
typedef enum view_colors { VIEW_NO_COLORS, VIEW_8_COLORS, VIEW_256_COLORS, VIEW_ALL_COLORS } view_colors;

typedef struct view_style {
    uint32_t ink, paper; /* foreground and background, 0xRRGGBB */
    unsigned flags;
} view_style;

typedef struct view_cell {
    uint32_t glyph; /* a Unicode character; 0: the right half of a wide one */
    view_style style;
} view_cell;

typedef struct view_screen {
    int rows, columns;
    int unicode;        /* 0: ASCII only */
    view_colors colors;
    int is_new;         /* what the terminal shows is unknown */
    view_cell *cells;   /* what the terminal should show */
    view_cell *shown;   /* what it shows */
} view_screen;

extern const view_style view_plain;

void view_resize_screen(view_screen *screen, int rows, int columns);
void view_clear_screen(view_screen *screen);
/* The cell there; NULL outside of the screen. */
view_cell *view_cell_at(const view_screen *screen, int row, int column);
void view_put_glyph(view_screen *screen, int row, int column, uint32_t glyph, view_style style);
/* Puts text of any origin: what is not a printable character becomes `?`; what does not fit into `columns` is cut off,
 * with a mark in the last column.  Returns the number of columns that were used. */
int view_put(view_screen *screen, int row, int column, int columns, pajesim_text text, view_style style);
int view_putf(view_screen *screen, int row, int column, int columns, view_style style, const char *format, ...)
    PRINTF_LIKE(6, 7);
/* How many columns a text takes. */
int view_width(const view_screen *screen, pajesim_text text);
/* Appends the bytes that make the terminal show the screen. */
void view_add_changes(view_screen *screen, text_buffer *output);
/* Appends the screen as lines of text. */
void view_add_lines(const view_screen *screen, text_buffer *output);
/* Black or white, whichever is readable on that background. */
uint32_t view_ink_on(uint32_t paper);

/* ---- terminal.c: the terminal, signals, keys ---------------------------------------------------------------- */

/* Keys that are not characters. */
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

/* What view_wait() has waited for. */
enum { VIEW_KEYS = 1, VIEW_RESIZED = 2, VIEW_INPUT = 4, VIEW_GONE = 8 };

/* Returns why the terminal cannot be used; NULL if it can. */
const char *view_refuse_terminal(void);
int view_has_unicode(void);
view_colors view_terminal_colors(void);
/* Sets the size, if the terminal says it. */
void view_terminal_size(int *rows, int *columns);
/* Takes the terminal over, until view_close_terminal(), the end of the program, or a signal that ends it. */
void view_open_terminal(void);
void view_close_terminal(void);
/* Waits for keys and bytes of the file `input` (unless that is negative), at most so long (-1: without limit). */
unsigned view_wait(int input, int milliseconds);
/* The next key; VIEW_NO_KEY: there is none yet. */
uint32_t view_next_key(void);

/* ---- tree.c: containers, types and values -------------------------------------------------------------------- */

/* There are two simulations.  One reads the trace from its beginning to its end, and its store covers all of the time,
 * as coarsely as the memory demands; the other one is restored from an index for the part of the time on the screen. */
enum { VIEW_WHOLE, VIEW_PART, VIEW_STORES };

typedef struct view_type {
    pajesim_text name;
    pajesim_kind kind;
    uint32_t color;
    double least, most; /* of a variable, 0 included */
    pajesim_ref refs[VIEW_STORES];
    unsigned char taken[128]; /* the letters that stand for one of its values */
} view_type;

typedef struct view_value {
    pajesim_text name;
    uint32_t type;
    uint32_t color;
    uint32_t letter; /* stands for the value where there are no colours */
    int is_shown;    /* the letter was drawn */
} view_value;

/* One type of states of a container, one of its variables, or its events of all types (type 0). */
typedef struct view_band {
    struct view_band *next;
    pajesim_kind kind;
    uint32_t type;
    uint32_t depth;                    /* of the deepest state so far */
    timeline_lane *lanes[VIEW_STORES]; /* by depth; LANE_NESTED is the last */
} view_band;

typedef struct view_node {
    uint32_t parent, first, last, next; /* 0: none; children: the eldest first */
    uint32_t type, level;
    pajesim_text name;
    double start, end; /* of its first and of its last lifetime; end: HUGE_VAL while it exists */
    int is_open;       /* its children are shown */
    uint64_t left_out; /* children beyond the limit of nodes */
    pajesim_ref refs[VIEW_STORES]; /* of its last lifetime there; 0: it had none */
    int is_alive[VIEW_STORES];
    view_band *bands;
    int is_unsorted; /* the bands are in no order */
} view_node;

/* Index 0 of types and nodes: none, the root.  Index 0 of values: OTHER_VALUES. */
typedef struct view_tree {
    array_of(view_type) types;
    array_of(view_value) values;
    array_of(view_node) nodes;
    array_of(view_band *) bands;
    hash_map type_keys, value_keys, node_keys, band_keys; /* number of a key: its index in the array */
    text_buffer key;
    color_palette palette;
    size_t most_nodes;
    uint64_t left_out; /* containers */
    int is_full_of_values; /* some are OTHER_VALUES */
} view_tree;

#define VIEW_NO_NODE UINT32_MAX

void view_begin_tree(view_tree *tree);
/* The index of a simulation's container, type or value, which is added if it is new.  VIEW_NO_NODE: there are too many
 * containers. */
uint32_t view_node_of(view_tree *tree, pajesim *sim, int which, pajesim_ref container);
uint32_t view_type_of(view_tree *tree, pajesim *sim, int which, pajesim_ref type);
uint32_t view_value_of(view_tree *tree, pajesim *sim, int which, const pajesim_entity *entity);
/* The band of a node, which is added if it is new. */
view_band *view_band_of(view_tree *tree, uint32_t node, pajesim_kind kind, uint32_t type);
/* The first band of a node, in order: states, then variables, then events. */
view_band *view_bands_of(view_tree *tree, uint32_t node);
/* The name of its type; one band has the events of all types. */
pajesim_text view_band_name(const view_tree *tree, const view_band *band);
/* The next node of a walk through the tree, parents first; below closed nodes only if `all`.  0: it has ended. */
uint32_t view_next_node(const view_tree *tree, uint32_t node, int all);
/* Appends "/Host one/Thread one". */
void view_add_path(const view_tree *tree, text_buffer *text, uint32_t node);

/* ---- store.c: the entities of a range of time, in bounded memory -------------------------------------------- */

typedef struct view_link {
    double start, end;
    uint32_t type, value, from, to;
} view_link;

typedef struct view_store {
    int which;
    view_tree *tree;
    const pajesim *sim; /* feeds the store; NULL: none */
    double from, to;    /* entities outside of this range are not kept */
    double first, last; /* of the entities that are kept */
    double front;       /* how far the simulation is; open entities reach to here */
    double bin;         /* width; 0: all is exact */
    size_t pieces, most_pieces, next_fold; /* by capacity of the lanes */
    view_link *links;
    size_t link_count, most_links;
    uint64_t links_seen, link_stride, links_left_out; /* one link of so many is kept, evenly over the trace */
} view_store;

void view_begin_store(view_store *store, view_tree *tree, int which, size_t most_pieces, size_t most_links);
/* Drops all entities, and keeps those of another range from now on. */
void view_empty_store(view_store *store, double from, double to);
/* Keeps an entity: what the callback `closed` does. */
void view_store_add(view_store *store, pajesim *sim, const pajesim_entity *entity);
/* Notes a value of a variable: the scale of its type holds all of them. */
void view_note_number(view_tree *tree, const view_band *band, double number);

/* How many states of a band, or segments of its variable, are open at the end of what was read; makes a piece of the
 * one at a depth.  Returns 0 if there is none. */
uint32_t view_open_depth(const view_store *store, uint32_t node, const view_band *band);
int view_open_piece(const view_store *store, uint32_t node, const view_band *band, uint32_t depth, lane_piece *piece);
/* A piece as it is drawn: without an end it reaches to the front. */
lane_piece view_as_drawn(const view_store *store, const lane_piece *piece);

enum { VIEW_INNERMOST = -1 };

typedef struct view_share {
    uint32_t value;
    double time;
} view_share;

/* What there is of a row between two instants. */
typedef struct view_column {
    array_of(view_share) shares;   /* states: time by value; events: number by value */
    uint64_t segments;             /* of a variable */
    uint64_t count;                /* entities that begin there */
    double time, sum, least, most; /* variables: see lane_piece */
} view_column;

/* Where columns end, in columns: what is at their last instant is in the last one, however that was rounded. */
static inline double view_last_column(int count)
{
    return count * (1 + 1e-9);
}
/* Adds what a band has to each of `count` columns from `start`, each of that width: states of a depth, or innermost
 * ones. */
void view_add_columns(const view_store *store, uint32_t node, const view_band *band, int depth, double start,
                      double width, int count, view_column *columns);
/* Frees what view_add_columns() has added to them.  No others may be in use. */
void view_free_columns(view_column *columns, int count);
/* The value of most time; OTHER_VALUES only if there is no other one.  MAP_NONE: there is none. */
size_t view_main_value(const view_column *column);

/* One entity, or a bin of them. */
typedef struct view_span {
    double start, end;
    uint32_t value;
    double number;
    int is_open;  /* it has not ended yet */
    int is_exact; /* it is one entity */
    double at;    /* of view_span_beside(): where it begins; of a bin, the earliest (or latest) such time */
} view_span;

/* Finds what covers an instant, in a band of states of a depth (only known where there are no bins), or of a variable.
 * Returns 0 if nothing does. */
int view_span_at(const view_store *store, uint32_t node, const view_band *band, uint32_t depth, double time,
                 view_span *span);
/* Finds the first span that begins after an instant (or, if `back`, the last one before it), at any depth; only of
 * values whose element of `values` is not 0 (NULL: any).  `within`: a bin around the instant will do, too.  Returns 0
 * if there is none. */
int view_span_beside(const view_store *store, uint32_t node, const view_band *band, const char *values, int back,
                     int within, double time, view_span *span);

/* ---- find.c: occurrences, in all of the trace --------------------------------------------------------------- */

typedef enum view_aim { VIEW_VALUES, VIEW_CONTAINERS, VIEW_CHANGES /* of one band */ } view_aim;

typedef struct view_search {
    view_aim what;
    text_buffer name;  /* a part of the name; upper and lower case are the same */
    int back;
    double from;       /* the occurrence begins after this instant, or before it if `back` */
    uint32_t of_node;  /* containers: after (or before) this one; changes: those of this node and band */
    view_band *of_band;
    int found;
    uint32_t node;     /* what was found */
    view_band *band;   /* NULL: a container was found */
    double start;
} view_search;

/* Searches the store of the whole trace.  Returns 0 where it only knows bins: the trace itself must be searched from
 * `search->from` on, see view_scan(). */
int view_find(view_search *search, const view_store *whole, int has_index);
/* Takes an entity as found if it matches and is nearer than what was found before. */
void view_consider(view_search *search, view_tree *tree, pajesim *sim, int which, const pajesim_entity *entity);

/* ---- reader.c: the trace, in small steps ---------------------------------------------------------------------- */

typedef struct view_reader {
    paje_run run; /* the first member: callbacks get its address */
    view_store store;
    struct view_input *input;
} view_reader;

typedef struct view_input {
    paje_settings settings;
    const char *name;
    size_t memory; /* of which the index and the stores take their shares */
    view_tree *tree;
    view_reader readers[VIEW_STORES];
    int is_file;    /* one can seek in it */
    int at_end;     /* all that there is by now was read */
    int is_cut;     /* the file became shorter than what was read of it, or was written over: nothing more is read */
    int is_replaced; /* another file has its name */
    char last[512]; /* the last bytes that were read of the file: so many, up to that offset */
    size_t last_size;
    uint64_t last_end;

    pajesim_index *index;       /* NULL: there is none */
    pajesim_index own_index;    /* is made while the whole trace is read, if there is no file */
    int is_index_full;
    paje_index_file index_file; /* the index that was loaded from a file */
    const char *why;            /* why that file is not used; NULL: it is used, or there is none */
    paje_run ahead;             /* extends that index if the trace has grown, from its last checkpoint on */

    /* What the reader of the part does, and how far it is. */
    enum { VIEW_NOTHING, VIEW_LOADING, VIEW_LOADED, VIEW_SCANNING } state;
    uint64_t begun_at, goal; /* bytes of the trace */
    uint64_t loaded_at;      /* bytes that had been read of the trace when the part was loaded */
    int is_front;            /* 1: the part goes up to loaded_at, where the index ended by then */
    double since;
    view_search *search; /* of VIEW_SCANNING: the trace is replayed from one checkpoint to the next */
    uint32_t checkpoint;
} view_input;

/* Prepares the memory, then the trace. */
void view_begin_input(view_input *input, const paje_settings *settings, const char *name, size_t memory,
                      const color_palette *palette);
void view_open_input(view_input *input);
/* Whether the filter chooses an entity; of containers, their names count only. */
int view_is_chosen(const pajesim *sim, const pajesim_entity *entity);
/* Reads for so long at most.  Returns 1 if more can be read at once. */
int view_read(view_input *input, double seconds);
/* Reads to the end. */
void view_read_all(view_input *input);
/* The file to wait for when nothing can be read at once; negative: none. */
int view_waits_for(const view_input *input);
/* Whether the part ends where the trace did, which has grown since a while ago: it is worth while to ask again. */
int view_is_stale(const view_input *input);
/* Says which range is on the screen, in columns of that width.  If it is not known that exactly, it will be read. */
void view_ask(view_input *input, double start, double end, double width);
/* Searches the trace itself; as long as that takes, `state` is VIEW_SCANNING. */
void view_scan(view_input *input, view_search *search);
void view_stop_scan(view_input *input);
/* The store that knows most of a range. */
const view_store *view_best_store(const view_input *input, double start, double end);
/* The time of the first event, and of the last one that is known. */
double view_first_time(const view_input *input);
double view_last_time(const view_input *input);

/* ---- draw.c: the screen --------------------------------------------------------------------------------------- */

typedef struct view_row {
    uint32_t node;
    view_band *band; /* NULL: none */
    int depth;       /* of states, or VIEW_INNERMOST */
    int is_head;     /* the first one of its container */
} view_row;

/* What was asked for in the last line. */
typedef enum view_question { VIEW_ASK_NOTHING, VIEW_ASK_TIME, VIEW_ASK_VALUE, VIEW_ASK_CONTAINER } view_question;

/* All that the keys change. */
typedef struct view_state {
    view_input input;
    view_screen screen;
    int has_start, has_end; /* options say where the window begins, where it ends */
    double first, last;
    double seconds;     /* in the trace's unit of time */
    double start, end;  /* of the window */
    double time;        /* of the cursor */
    int fits;           /* the window is all of the trace */
    int follows;        /* it moves with the end of the trace */
    int shows_depths;   /* a row for each depth of states */
    int shows_details;  /* of the cursor */
    array_of(view_row) rows;
    size_t top, at;      /* rows: the uppermost on the screen, the cursor's */
    text_buffer message; /* shown until the next key */
    int is_once;         /* one screen as text: no cursor, all rows */
    view_search search;
    int is_searching;     /* the trace is being searched */
    int is_waiting;       /* nothing was found; searched again when the trace was read to its end */
    int finds_containers; /* the last search, which n repeats, was for containers */
    view_question question;
    text_buffer prompt, answer;
    const char *help;     /* NULL: the help is not shown */
    size_t help_top;
} view_state;

/* Columns for time on such a screen, and rows for containers. */
int view_time_columns(const view_state *state, const view_screen *screen);
int view_body_rows(const view_state *state, const view_screen *screen);
void view_draw(view_state *state, view_screen *screen);

/* Where on the screen time is drawn, and which range of it. */
typedef struct view_area {
    view_screen *screen;
    const view_state *state;
    view_tree *tree;
    const view_store *store;
    int left, columns;   /* of cells */
    double start, width; /* of a cell */
} view_area;

/* The unit of the axis. */
const time_unit *view_unit(const view_state *state);
/* Appends a time, with one decimal more than columns tell apart. */
void view_add_time(text_buffer *text, const view_area *area, double time);
void view_add_duration(text_buffer *text, const view_area *area, double duration);

/* ---- window.c: the window of time, and the cursor ------------------------------------------------------------- */

/* The time that a column shows. */
double view_column_width(view_state *state);
void view_set_window(view_state *state, double start, double span);
/* Shows all of the time, or what options ask for. */
void view_fit(view_state *state);
/* Scales the window by a factor; the cursor stays where it is on the screen. */
void view_zoom(view_state *state, double factor);
void view_pan(view_state *state, double by);
/* Moves the cursor to a time; if that is outside of the window, the window moves until it is in the middle. */
void view_go_to(view_state *state, double time);
/* Moves the cursor by so many columns, and the window by a quarter where the cursor would leave it. */
void view_step(view_state *state, double columns);

/* ---- keys.c ---------------------------------------------------------------------------------------------------- */

/* Does what a key asks for.  Returns 0 if it asks to quit. */
int view_take_key(view_state *state, uint32_t key);
void view_begin_search(view_state *state, view_aim what, int back);
/* Shows the result of a search, when it has ended. */
void view_show_found(view_state *state);

/* ---- rows.c: which there are, and what they show ------------------------------------------------------------ */

/* Lists the rows again; the cursor and the top stay where they are. */
void view_find_rows(view_state *state);
/* Draws a row of the list on a row of the screen: its name left of the area; and its content. */
void view_draw_label(const view_area *area, int row, const view_row *it);
void view_draw_row(const view_area *area, int row, const view_row *it);
/* Appends which letters stand for which values, of those that were drawn, in lines of such a width. */
void view_add_legend(const view_tree *tree, text_buffer *output, int columns);

/* ---- range.c: one screen of a range of time ------------------------------------------------------------------ */

/* Calls `print` when the range of -s and -e is known: from an index, if there is one.  Returns an exit status. */
int view_print_range(view_state *state, const paje_settings *settings, const char *name,
                     void (*print)(view_state *state));

/* ---- cursor.c: what it is on -------------------------------------------------------------------------------- */

/* Shows the cursor in `rows` rows below the axis. */
void view_draw_cursor(const view_area *area, int rows);
/* Says what is below the cursor, in one row; and all about its container at that time, in rows up to `end`. */
void view_draw_place(const view_area *area, int row);
void view_draw_details(const view_area *area, int row, int end);

#endif
