/* The page's reader: the model of the terminal viewer (paje/commands/view), compiled for the worker.
 *
 * open.c opens the trace, reads on and tells how far it is; model.c tells which types, values, containers and bands
 * there are; row.c and picture.c make what is drawn of rows; links.c what is drawn of links; find.c searches; and
 * command.c runs commands of the tool. */
#pragma once

#include "base/encode.h"
#include "commands/view/view.h"

#define WEB_EXPORT(name) __attribute__((export_name(#name), visibility("default")))

/* The trace that is open. */
extern view_input web_input;

/* Where the worker puts what it asks for, in words. */
extern uint32_t *web_request;

/* What is returned to the worker: it reads `bytes` and `size`. */
typedef struct web_result {
    const void *bytes;
    uint32_t size;
} web_result;

extern web_result web_answer;
/* Returns a text to the worker. */
web_result *web_return_text(const text_buffer *text);

/* Which node and which type a band has. */
uint32_t web_band_node(const view_tree *tree, uint32_t band);

/* ---- row.c */

/* How colours are chosen. */
typedef enum web_colors { WEB_BY_VALUE, WEB_BY_TYPE, WEB_BY_DURATION } web_colors;

/* What is asked for. */
typedef struct web_view {
    double from, to, width; /* width: of a column */
    uint32_t columns;
    web_colors colors;
    uint32_t paper;      /* the background, to which faded colours tend */
    const char *marked;  /* for each value whether it keeps its colour; NULL: all do */
    double longest;      /* duration at the end of the scale of colours */
    const view_store *store;
} web_view;

typedef array_of(uint32_t) web_words;

enum { WEB_NESTED, WEB_FLAT, WEB_BELOW };

/* Appends what is drawn of a row: a header of WEB_HEADER words, then items of WEB_ITEM words.
 *
 * Header: number of items; kind; how many depths they have; 1 if nested states are summed up.
 * Item: begin and end as columns (float); states and events: colour with its share of the time (0 to 255) above it,
 * value (WEB_MIXED: several), depth or number of events; variables: least, greatest, mean (float).  The depth has
 * WEB_SUM above it where columns are summed up: they are no state, and one item may be any number of short ones. */
enum { WEB_HEADER = 4, WEB_ITEM = 5 };
#define WEB_MIXED UINT32_MAX
#define WEB_SUM 0x80000000u
void web_add_row(const web_view *view, uint32_t mode, uint32_t place, web_words *to);
/* Appends how many items of the rows reach so far beyond the range that columns do not tell where; then of each WEB_FAR
 * words: its place, start and end (double). */
enum { WEB_FAR = 5 };
void web_add_far_items(web_words *to);

void web_color_values(void);
uint32_t web_color_of(const web_view *view, uint32_t value, double duration);
