/* paje svg: what its files share.
 *
 * svg_layout.c says where each row is, svg_columns.c what of it lies within each pixel of time, svg_rows.c draws rows,
 * commands/svg.c the rest. */
#ifndef PAJE_SVG_H
#define PAJE_SVG_H

#include "diagram.h"

/* Lengths in pixels. */
enum {
    SVG_LINE = 15,  /* of text */
    SVG_TEXT = 11,  /* size of letters */
    SVG_SMALL = 10, /* of notes, units and the like */
    SVG_TINY = 9,   /* within states */
    SVG_INSET = 5,  /* of a nested state */
    SVG_THIN = 6,   /* rows up to this height show one colour for each pixel of time */
    SVG_WIDE = 2    /* entities from there on are drawn as they are */
};

/* ---- svg_layout.c ------------------------------------------------------------------------------------------------ */

/* A row of a node; or, without a lane, its name only. */
typedef struct svg_row {
    uint32_t node;
    const diagram_lane *lane; /* the first one; as many follow as there are depths */
    int depths;
    const diagram_lane *flat; /* what depth 0 becomes with the time of innermost states; NULL: stays */
    int y, height;
    int is_first, is_only; /* of its node */
} svg_row;

typedef struct svg_place {
    int indent;      /* levels */
    int top, bottom; /* with all that is in it */
    double anchor;   /* where links start and end */
} svg_place;

typedef struct svg_layout {
    svg_row *rows;
    size_t row_count;
    svg_place *places; /* of each node */
    int x, width, top, bottom; /* of the plot */
} svg_layout;

extern svg_layout svg;

/* Puts the rows into a picture of that width and at most that height. */
void svg_lay_out(int width, int height);
double svg_x(double time);
/* Where the name of a node begins. */
double svg_label_x(uint32_t node);
pajesim_text svg_row_name(const svg_row *row);
int svg_has_label(const svg_row *row);
/* The room that its label takes. */
double svg_label_room(const svg_row *row);
/* The room that labels take beside the name of the node, which is beside its first row. */
double svg_label_beside(const svg_row *first, pajesim_text name);
/* About what a font like Helvetica takes. */
double svg_text_width(pajesim_text text, double size);

/* ---- svg_columns.c ----------------------------------------------------------------------------------------------- */

enum { SVG_SLOTS = 25 };

/* What of a lane is not drawn as it is, in each pixel of time. */
typedef struct svg_columns {
    uint32_t values[SVG_SLOTS]; /* those that take most time, in the order of their definition; then other values */
    int slots;
    double *share[SVG_SLOTS]; /* of each of them: 0 to 1 */
    double *total;            /* of all */
    double *taken;            /* by entities that are drawn as they are */
} svg_columns;

/* Whether the entity is one container's, and so wide that it is drawn as it is. */
int svg_is_wide(const diagram_node *node, const diagram_piece *piece, double least);
/* `more` may be NULL. */
svg_columns svg_columns_of(const diagram_node *node, const diagram_lane *lane, const diagram_lane *more, double wide);
void svg_free_columns(svg_columns *columns);
/* A number for each column, 0 at first. */
double *svg_new_column(void);
/* Adds to each column how much of it the span takes, times `weight`. */
void svg_cover(double *column, double start, double end, double weight);

/* ---- svg_rows.c -------------------------------------------------------------------------------------------------- */

extern int svg_has_titles; /* tooltips: not where there are many entities */
extern int svg_has_narrow; /* states, that are drawn as shares of time */

/* Adds the format, in which each ~ stands for a coordinate, a double. */
void svg_add(const char *format, ...);
void svg_add_color(const char *attribute, uint32_t color);
/* "<title>Type: value" and the times of it. */
void svg_add_title(uint32_t type, uint32_t value, double start, double end, uint32_t count);
void svg_draw_row(const svg_row *row);

#endif
