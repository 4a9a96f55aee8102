/* paje platform: what its files share.
 *
 * values.c finds what variables and states of each container amount to; graph.c places containers, marks.c draws them
 * with their links; treemap.c draws areas; platform.c is the command.  Elements of SVG come from svg/markup.c. */
#ifndef PAJE_PLATFORM_H
#define PAJE_PLATFORM_H

#include "commands/svg/svg.h"

/* A state's value, and how long it lasted in a container. */
typedef struct platform_share {
    uint32_t value;
    double time;
} platform_share;

/* A container in the picture. */
typedef struct platform_item {
    double size, used;  /* of the variables that are shown; size < 0: it has none */
    uint32_t summed;    /* the variable whose sum over the containers within is its size; 0: the size is its own */
    int is_shown, is_leaf, is_linked;
    double x, y, radius; /* y grows downwards */
} platform_item;

typedef struct platform_picture {
    svg_picture svg;
    const char *size_name, *used_name, *area_name; /* options; NULL: by default */
    int has_size, has_used; /* a container has the variable that the option names */
    uint32_t depth;            /* the deepest level that is shown */
    uint32_t *size_type;       /* of each container type: the variable that is its size; 0: none */
    uint32_t *used_type;       /* and what is used of it */
    double *most;              /* the greatest size */
    uint32_t *colors;          /* of each container type */
    platform_item *items;      /* of each node */
    uint32_t top;              /* the node whose children are the outermost in the picture */
    array_of(timeline_link) edges; /* between leaves, one for each pair */
    int has_lines;             /* the edges are lines of a network, else messages */
} platform_picture;

/* ---- values.c ------------------------------------------------------------------------------------------------ */

/* Chooses which variables are sizes, and finds the sizes of all containers. */
void platform_find_sizes(platform_picture *picture);
/* The mean of a variable over the drawn range; -1: the node has no such lane, or was gone when the range begins. */
double platform_mean(const timeline *tl, const timeline_node *node, uint32_t type);
/* Chooses which containers and links the graph shows. */
void platform_choose(platform_picture *picture);

/* ---- graph.c, marks.c, treemap.c ----------------------------------------------------------------------------- */

/* Places the containers; returns the height of the picture. */
double platform_place(platform_picture *picture, double top);
void platform_draw_graph(platform_picture *picture);
/* Draws the legend from `y` on; returns where it ends. */
double platform_draw_legend(platform_picture *picture, double y);
/* Finds the areas of a treemap of a variable, or of the time in states of a type, and chooses which containers are
 * shown.  Returns 0 if there is no type of that name. */
int platform_find_areas(platform_picture *picture);
/* Draws them; returns where the treemap ends. */
double platform_draw_treemap(platform_picture *picture, double top);

#endif
