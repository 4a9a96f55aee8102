/* paje svg: what its files share.
 *
 * layout.c says where each row is; labels.c writes names left of the rows, axis.c draws the axis of time, states.c,
 * variables.c and events.c draw rows, with the help of columns.c, which sums up what lies within each pixel of time;
 * links.c draws links, legend.c the legend and the notes, markup.c writes the elements; draw.c puts them
 * together; export.c has the file that is written; svg.c is the command.  heat.c draws the heat maps of other
 * commands. */
#ifndef PAJE_SVG_H
#define PAJE_SVG_H

#include "base/stream.h"
#include "timeline/timeline.h"

/* Lengths in pixels. */
enum {
    SVG_LINE = 15,  /* of text */
    SVG_TEXT = 11,  /* font size */
    SVG_SMALL = 10, /* font size of notes, units and the like */
    SVG_TINY = 9,   /* font size within states */
    SVG_INSET = 5,  /* of a nested state */
    SVG_THIN = 6,   /* rows up to this height show one colour for each pixel of time */
    SVG_WIDE = 2,   /* entities of at least this width are drawn as they are */
    SVG_NAME = 10,  /* the least height that a name takes */
    SVG_LEAST_ROW = 2,    /* height of rows that share a name */
    SVG_MOST_NAMED = 2400 /* up to this height the picture grows so that each row has its name */
};

#define SVG_GREY " fill=\"#666\""

/* A row of a node; a row without a lane is only the name of the node. */
typedef struct svg_row {
    uint32_t node;
    const timeline_lane *lane;   /* the first one; as many follow as there are depths */
    int is_constants;            /* it has the values of all constant variables of the node, as text */
    int depths;
    const timeline_lane *nested; /* turns the first lane into innermost states; NULL: nothing is nested */
    int y, height;
    int is_first, is_only; /* of its node */
} svg_row;

typedef struct svg_place {
    int indent;      /* levels */
    int top, bottom; /* with all nodes below */
    double anchor;   /* where links start and end */
} svg_place;

/* A name left of the rows: of a node, or of neighbours whose rows are too low for a name of each. */
typedef struct svg_label {
    uint32_t first, last; /* nodes */
    unsigned long members;
    size_t row; /* the first row of the first node */
    int top, bottom;
    int is_group;  /* of a node with others below */
    double beside; /* the width that its line leaves for the type of a row; set by svg_draw_labels() */
} svg_label;

typedef struct svg_picture {
    timeline tl;
    text_buffer *out;
    const char *title; /* NULL: none */
    int width, height; /* of the picture; of all rows, at most */
    int has_height;    /* the user has given one */
    int has_titles;    /* tooltips: only where there are few entities */
    int has_narrow;    /* some states are drawn as shares of time */
    int least_row;     /* height */
    int name_size;     /* font size of labels */
    array_of(svg_row) rows;
    array_of(svg_label) labels;
    svg_place *places;             /* of each node */
    int left, plot_width, top, bottom; /* of the plot, which is right of the names */
} svg_picture;

/* ---- draw.c -------------------------------------------------------------------------------------------------- */

/* Limits the timeline to what the picture can show, before timeline_begin(). */
void svg_limit(svg_picture *svg);
/* Draws a timeline that is finished, and completes the file. */
void svg_draw(svg_picture *svg);

/* ---- layout.c ------------------------------------------------------------------------------------------------ */

/* Chooses the rows and their heights, and the width of names. */
void svg_lay_out(svg_picture *svg);
double svg_x(const svg_picture *svg, double time);
/* Where the name of a node begins. */
double svg_label_x(const svg_picture *svg, uint32_t node);
/* The name of a row's type. */
pajesim_text svg_row_name(const svg_picture *svg, const svg_row *row);
/* Whether that name is written beside the row. */
int svg_has_label(const svg_row *row);
/* Whether others are shown below a node. */
int svg_is_group(const svg_picture *svg, uint32_t node);
/* The text of a label, and the y of its middle. */
void svg_put_label(text_buffer *text, const svg_picture *svg, const svg_label *label);
double svg_label_middle(const svg_picture *svg, const svg_label *label);
/* The width that is free for a name; sets `*beside` to that for the types of the rows beside it. */
double svg_label_room(const svg_picture *svg, const svg_label *label, pajesim_text name, double *beside);

/* ---- columns.c ----------------------------------------------------------------------------------------------- */

enum { SVG_SLOTS = 25 };

/* What of a lane is not drawn as it is, in each pixel of time. */
typedef struct svg_columns {
    uint32_t values[SVG_SLOTS]; /* those of most time, in the order of their definition; then OTHER_VALUES */
    int slots;
    double *share[SVG_SLOTS]; /* of each of them: 0 to 1 */
    double *total;            /* of all */
    double *taken;            /* by entities that are drawn as they are */
} svg_columns;

/* Whether a piece is one container's entity, and at least so wide that it is drawn as it is. */
int svg_is_wide(const svg_picture *svg, const timeline_node *node, const lane_piece *piece, double least);
/* `more` may be NULL. */
svg_columns svg_columns_of(const svg_picture *svg, const timeline_node *node, const timeline_lane *lane,
                           const timeline_lane *more, double wide);
void svg_free_columns(svg_columns *columns);
/* A number for each column, 0 at first. */
double *svg_new_column(const svg_picture *svg);
/* Adds to each column how much of it a span covers, times `weight`. */
void svg_cover(const svg_picture *svg, double *column, double start, double end, double weight);

/* ---- markup.c ------------------------------------------------------------------------------------------------ */

/* Appends the beginning of a picture of this height, with a white background. */
void svg_begin(svg_picture *svg, int height);
/* Appends the format, in which each ~ stands for a coordinate, a double. */
void svg_add(svg_picture *svg, const char *format, ...);
void svg_add_color(svg_picture *svg, const char *attribute, uint32_t color);
/* Appends "<title>Type: value", the times of it and its user fields, if the picture has tooltips. */
void svg_add_title(svg_picture *svg, uint32_t type, uint32_t value, double start, double end, uint32_t count,
                   uint32_t fields);
/* Ends an element that may have a title, and a line. */
void svg_end_element(svg_picture *svg, const char *end);
/* About the width of a text in the widest of the usual fonts, DejaVu Sans: in Helvetica it is a tenth less. */
double svg_text_width(pajesim_text text, double size);
/* Appends the text, cut to the width that is free: in its middle if `keeps_end`.  Returns whether it was cut. */
int svg_add_text_within(svg_picture *svg, pajesim_text text, double size, double room, int keeps_end);
/* Draws a text, cut to the width that is free. */
void svg_draw_text(svg_picture *svg, double x, double y, double room, pajesim_text text, double size,
                   const char *attributes);

/* ---- export.c ------------------------------------------------------------------------------------------------ */

/* From now on standard output goes into this file instead: a picture as PDF or PNG if its name ends so.  Call it after
 * the trace has been opened. */
void svg_open_file(const char *name, int is_picture);
/* Completes the file, if there is one. */
void svg_close_file(void);
#define SVG_FILE_HELP "the file to write: PDF or PNG if it ends so (needs rsvg-convert), else SVG; -: standard output"
#define CHART_FILE_HELP \
    "the file to write: without --format a picture, PDF or PNG if it ends so (needs rsvg-convert), else SVG; " \
    "-: standard output"

/* ---- the parts of the picture -------------------------------------------------------------------------------- */

void svg_draw_labels(svg_picture *svg);
void svg_draw_axis(svg_picture *svg);
/* Returns how far left the plot may begin, so that the name of the axis has room; at least `left`. */
int svg_axis_room(const svg_picture *svg, int left);
void svg_draw_states(svg_picture *svg, const svg_row *row);
/* Draws one colour for each column, for low rows. */
void svg_draw_thin_states(svg_picture *svg, const svg_row *row);
void svg_draw_variable(svg_picture *svg, const svg_row *row);
void svg_draw_constants(svg_picture *svg, const svg_row *row);
void svg_draw_events(svg_picture *svg, const svg_row *row);
void svg_draw_links(svg_picture *svg);
/* Draws the legend and the notes below the plot; returns where they end. */
double svg_draw_legend(svg_picture *svg);
/* Draws lines of text below `y`, broken where they are too long; returns where they end. */
double svg_draw_notes(svg_picture *svg, double y, text_buffer *notes);

#endif
