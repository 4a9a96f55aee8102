/* What a diagram of space and time shows, collected in one pass and in bounded room: `paje svg` draws it, `paje html`
 * writes it for a browser to draw.
 *
 * diagram.c hears the simulation and knows types, values and links; diagram_color.c has their colours, diagram_tree.c the
 * containers, diagram_lane.c what is drawn of one of them, and the bins of time. */
#ifndef PAJE_DIAGRAM_H
#define PAJE_DIAGRAM_H

#include "paje.h"

enum {
    DIAGRAM_LEVELS = 12,   /* of the tree; what lies deeper belongs to its ancestor there */
    DIAGRAM_DEPTHS = 8,    /* of nested states; deeper ones are not drawn as such */
    DIAGRAM_TYPES = 128,   /* that are drawn */
    DIAGRAM_VALUES = 4096, /* that are told apart */
    DIAGRAM_BIN_VALUES = 24, /* that are told apart within one bin, if nothing else is said */
    DIAGRAM_OTHER_VALUES = 0 /* stands for those that are not */
};

/* ---- diagram_lane.c: pieces of time ------------------------------------------------------------------------------ */

/* An entity, or what a bin of time holds of one value (of one variable). */
typedef struct diagram_piece {
    double start, end;       /* of the entity, or of the bin */
    double time;             /* what entities cover of it, over all containers of the node */
    double sum, least, most; /* variables: the integral over that time, and the extremes */
    uint32_t value;
    uint32_t count : 31; /* entities that begin here */
    uint32_t exact : 1;  /* one entity */
} diagram_piece;

/* States of one type at one depth, a variable, or the events of all types: pieces of one row.
 *
 * Where several containers share a row, or where it is thin, time is that of the innermost states.  What that makes of
 * those of depth 0 is in a further lane: each nested state adds its time there, and takes it from the state that it is
 * in.  Nodes of several containers have that in the lane of depth 0, and no other one. */
typedef struct diagram_lane {
    struct diagram_lane *next;
    pajesim_kind kind;
    uint32_t type;  /* 0: events */
    uint32_t depth; /* of states; DIAGRAM_DEPTHS: that further lane */
    diagram_piece *pieces;
    size_t count, room;
} diagram_lane;

/* Adds a piece, to a bin where that is possible at once.  `shared`: the lane stands for several containers. */
void diagram_add_piece(diagram_lane *lane, const diagram_piece *piece, double bin, int shared);
/* Moves all pieces of `from` to `to`. */
void diagram_join_lanes(diagram_lane *to, diagram_lane *from);
/* Puts what is shorter than a bin into bins; all of it, where several containers share the lane.  Answers 0, and does
 * nothing, if that takes a wider bin. */
int diagram_fold_lane(diagram_lane *lane, double bin, int shared);
void diagram_sort_lane(diagram_lane *lane);

/* ---- diagram_tree.c: containers ---------------------------------------------------------------------------------- */

/* A container, or several siblings. */
typedef struct diagram_node {
    uint32_t parent, first, next; /* 0: none; children: the youngest first until diagram_finish, then the eldest */
    uint32_t joined;              /* the node that this one has become a part of; itself else */
    uint32_t type, level, members;
    pajesim_text name, last_name; /* of the first and the last of the members */
    double start, end;
    int is_linked; /* by a link that takes time */
    int is_shown;  /* has something to show, or something in it has; found by diagram_finish */
    int is_prefix; /* shows nothing but one node in it, whose name it begins */
    diagram_lane *lanes; /* events, states, variables; each by type, then by depth */
} diagram_node;

uint32_t diagram_add_container(uint32_t parent, uint32_t type, pajesim_text name, double start);
/* The node that it is part of now. */
uint32_t diagram_node_of(uint32_t node);
diagram_lane *diagram_lane_of(uint32_t node, pajesim_kind kind, uint32_t type, uint32_t depth);
/* Rows that lanes take: one for all depths of a type of states. */
size_t diagram_rows(const diagram_node *node);
/* Children, until now the youngest first, to the eldest first. */
void diagram_order_nodes(void);
int diagram_is_shared(const diagram_node *node);
/* Leaves out events and variables, then joins siblings, until there are no more nodes and rows than the limits say. */
void diagram_limit_nodes(void);

/* ---- diagram.c: all of it ---------------------------------------------------------------------------------------- */

typedef struct diagram_type {
    pajesim_text name, of; /* its container type: Process/Thread */
    pajesim_kind kind;
    uint32_t color;     /* 0xRRGGBB */
    double least, most; /* of a variable, 0 included */
    uint64_t count;     /* of entities */
} diagram_type;

typedef struct diagram_value {
    pajesim_text name;
    uint32_t type;
    uint32_t color;
    int own_color; /* said by the trace */
    double weight; /* what is drawn of it: time of states, else how many; set by diagram_finish */
} diagram_value;

typedef struct diagram_link {
    double start, end;
    uint32_t type, value, from, to; /* nodes: see diagram_node_of */
    uint32_t count;
} diagram_link;

/* Index 0 of types and nodes: the root, or none. */
typedef struct diagram_data {
    diagram_type *types;
    diagram_value *values;
    diagram_node *nodes;
    diagram_link *links;
    size_t type_count, value_count, node_count, link_count;

    size_t most_rows, most_pieces, most_links; /* set by the command, at its begin */
    size_t bin_values; /* that are told apart within one bin */
    size_t pieces;
    double bin, link_bin; /* width; 0: all is exact */
    double first, last;   /* what is drawn: the window, or all of the time */
    int from_start, to_end;
    double seconds; /* the trace's unit of time */
    int own_colors;  /* 1: the trace's colours are of no account */
    int states_only; /* 1: there is no room for events and variables */

    uint32_t link_stride;  /* one link in so many is kept */
    uint32_t most_members; /* of a node */
    uint64_t dropped; /* events and segments of variables, because of states_only */
    uint64_t bare_containers, flat_variables, bare_links; /* that have nothing to show, and are left out */
    uint64_t containers, deep_containers, deep_states, left_out_types, odd_times;
} diagram_data;

extern diagram_data diagram;

/* Options that both commands have, as entries of their tables, and what they do. */
enum { DIAGRAM_CONTAINER = PAJE_LONG_ONLY, DIAGRAM_TYPE, DIAGRAM_UNIT, DIAGRAM_COLORS, DIAGRAM_OWN_OPTIONS };
#define DIAGRAM_OPTIONS \
    {'s', "start", "TIME", "draw from TIME on"}, \
    {'e', "end", "TIME", "draw up to TIME"}, \
    {DIAGRAM_CONTAINER, "container", "NAME", "only containers of that name or alias, and what is in them"}, \
    {DIAGRAM_TYPE, "type", "NAME", "only states, variables, events and links of types of that name or alias"}, \
    {DIAGRAM_UNIT, "unit", "UNIT", "of the trace's times: s, ms, us or ns; default: s"}, \
    {DIAGRAM_COLORS, "colors", "WHOSE", "trace: those of the trace, where it has any; own: never, but distinct ones"}
const char *diagram_option(int key, const char *argument);

void diagram_begin(paje_run *run);
/* Before drawing: brings children and pieces into order; finds scales, weights, colours, and what there is to show. */
void diagram_finish(void);

int diagram_new_type(pajesim *sim, const pajesim_type_info *type);
int diagram_new_value(pajesim *sim, const pajesim_value_info *value);
int diagram_container_created(pajesim *sim, const pajesim_entity *container);
int diagram_closed(pajesim *sim, const pajesim_entity *entity);
#define DIAGRAM_CALLBACKS \
    {.new_type = diagram_new_type, .new_value = diagram_new_value, \
     .container_created = diagram_container_created, .closed = diagram_closed}

/* A copy, of the first 200 bytes if it is longer. */
pajesim_text diagram_copy(pajesim_text text);
/* "Thread one"; "Thread one ... Thread nine (9)"; "Host / Thread one", where the host is a prefix. */
void diagram_add_name(paje_buffer *buffer, uint32_t node);

typedef struct diagram_unit {
    const char *name;
    double size; /* in units of the trace's times */
} diagram_unit;

/* The unit to tell times of such a span in. */
diagram_unit diagram_unit_of(double span);
/* What of the trace is not there as it is, a line for each. */
void diagram_add_notes(paje_buffer *notes);

/* ---- diagram_color.c --------------------------------------------------------------------------------------------- */

/* The colour that a Color field tells.  Answers 0 if it tells none, or one that is hardly seen on white (but of states,
 * which are framed). */
int diagram_own_color(pajesim_text text, pajesim_kind kind, uint32_t *color);
/* A colour for a name: the same one in each trace, unless an earlier name of this one has it. */
uint32_t diagram_palette_color(pajesim_text name);
/* That of its own, or else of the palette. */
uint32_t diagram_color(pajesim_text name, pajesim_text own, pajesim_kind kind);

#endif
