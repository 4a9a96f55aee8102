/* What a diagram of space and time shows, collected in one pass and in bounded memory: `paje svg` draws it, `paje html`
 * writes it for a browser to draw.
 *
 * callbacks.c has the callbacks of the simulation; what they see collect.c takes into the timeline, or share.c hands it
 * over, where several processes read the trace.  types.c, tree.c and links.c keep types and values, containers with
 * their lanes, and links; order.c and finish.c prepare all of that for drawing; notes.c says what is not drawn as it
 * is. */
#pragma once

#include "base/map.h"
#include "replay/run.h"
#include "replay/table.h"
#include "timeline/color.h"
#include "timeline/lane.h"
#include "timeline/name.h"

#include <math.h>

enum {
    TIMELINE_LEVELS = 12,  /* of the tree; containers below belong to their ancestor there */
    TIMELINE_GREY = 0xb8b8b8, /* the colour of what has none */
    TIMELINE_TYPES = 128,  /* that are drawn; and as many of containers */
    TIMELINE_VALUES = 65536, /* that differ; all beyond are one: jobs of a batch scheduler may be many */
    TIMELINE_OTHERS = 3    /* lanes of variables and events that are found without a search */
};

typedef struct timeline_type {
    pajesim_text name;
    pajesim_text container_type; /* with those around it: Process/Thread */
    pajesim_kind kind;
    uint32_t color;
    double least, most; /* of a variable, 0 included */
    int varies;         /* it is a variable that is not constant in all containers */
    uint64_t count;     /* of entities */
} timeline_type;

typedef struct timeline_value {
    pajesim_text name;
    uint32_t type;
    uint32_t color;
    int has_trace_color; /* the colour is that of the trace */
    double weight;       /* drawn time of states, number of others; set by timeline_finish() */
} timeline_value;

/* A container, or several siblings that share rows. */
typedef struct timeline_node {
    uint32_t parent, first, next; /* 0: none; children: the youngest first until timeline_finish(), then the eldest */
    uint32_t merged_into;         /* the node that this one has become a part of; else its own index */
    uint32_t type, level, members;
    pajesim_text name, last_name; /* of the first and the last member */
    double start, end;
    double lived;  /* time in the drawn range that its members exist, added up */
    int is_linked; /* by a link that takes time */
    int is_shown;  /* it or a node below has something to show; set by timeline_finish() */
    int is_prefix; /* shows nothing but one node below, whose name it begins */
    timeline_lane *lanes; /* events, states, variables; by type, then by depth */
    timeline_lane *found[LANE_NESTED + 1 + TIMELINE_OTHERS]; /* last: of each depth of states, of others; or NULL */
} timeline_node;

typedef struct timeline_link {
    double start, end;
    uint32_t type, value, from, to; /* from, to: nodes, see timeline_node_of() */
    uint32_t count;                 /* of links that are drawn as this one */
    uint32_t fields;                /* see timeline_fields(); 0: none */
} timeline_link;

/* What limits the tree: see tree.c. */
typedef struct timeline_tree_size {
    size_t nodes, rows;             /* at present */
    size_t least_nodes, least_rows; /* nothing can be merged below these; 0: not known yet */
    uint32_t group[TIMELINE_LEVELS + 1]; /* how many siblings become one node, at each level; 0: none do */
} timeline_tree_size;

/* Index 0 of types and nodes: the root, or none.  Index 0 of values: OTHER_VALUES. */
typedef struct timeline {
    array_of(timeline_type) types;
    array_of(timeline_value) values;
    array_of(timeline_node) nodes;
    array_of(timeline_link) links;

    /* Set by the command before timeline_begin(). */
    size_t most_rows, most_pieces, most_links;
    color_palette palette;
    int shows_all;   /* 1: also what has nothing to show, and the lines of a network */
    int keeps_order; /* 1: containers come in the order of their creation */
    int bins_suffice; /* 1: the first bins show as much as entities do: they are made once many are expected */

    double first, last;     /* what is drawn: the range of the filter, then of the trace where that has no bound */
    int has_start, has_end; /* the filter has that bound */
    int is_instant;         /* all is at one time: `last` is made up */
    double seconds;         /* in the trace's unit of time; a guess is made by timeline_finish() */
    paje_unit_guess unit;   /* what the trace tells about it */
    int is_unit_given;      /* by --unit */
    int is_chosen;          /* what is drawn is, by --type or --container */
    uint64_t changes;       /* states, events, and variables that change after the beginning */

    double bin, link_bin; /* widths; 0: all is exact */
    int is_flat;          /* 1: of nested states only the time of the innermost ones is known, in bins */
    int states_only;      /* 1: there are too many rows for events and variables */
    uint32_t link_stride; /* one link of so many is kept */
    uint32_t most_members; /* of a node */

    text_buffer fields; /* user fields of entities, as text */
    array_of(uint32_t) field_ends;
    int has_more_fields; /* not those of all entities are there */

    /* What is not drawn, for the notes. */
    uint64_t dropped; /* events and segments of variables, because of states_only */
    uint64_t empty_containers, flat_variables, empty_links; /* that have nothing to show */
    int has_more_values; /* than TIMELINE_VALUES */
    uint64_t lines; /* links that are lines of a network */
    uint64_t outer_links; /* of which an end is TIMELINE_OUTSIDE */
    uint64_t containers, deep_containers, deep_states, dropped_types, far_times;

    /* Private. */
    const paje_run *run;
    double expected; /* end of the drawn range, or -HUGE_VAL; found when there are bins */
    hash_map value_names; /* keys: name_key() of type and name */
    text_buffer key;
    int is_in_range; /* of has_start and has_end: an entity that overlaps it was seen */
    size_t container_types, drawn_types;
    size_t known_types; /* types of the parts before */
    uint32_t part;      /* the node of the present part; 0: there are no parts */
    struct timeline_log *log; /* of a process that hands over what it sees; NULL: it is taken */
    size_t pieces, next_fold; /* of all lanes; the number of pieces at which they are put into wider bins */
    timeline_tree_size tree;
} timeline;

/* Times and numbers beyond are left out, so that products are finite. */
#define TIMELINE_MOST_NUMBER 1e150

static inline timeline_node *node_at(const timeline *tl, uint32_t node)
{
    return &tl->nodes.items[node];
}

static inline timeline_type *type_at(const timeline *tl, uint32_t type)
{
    return &tl->types.items[type];
}

static inline timeline_value *value_at(const timeline *tl, uint32_t value)
{
    return &tl->values.items[value];
}

/* The length over which the time of a piece is spread: of a bin, all of it lies within the drawn range. */
static inline double timeline_length(const timeline *tl, const lane_piece *piece)
{
    if (piece->exact)
        return piece->end - piece->start;
    return fmin(piece->end, tl->last) - fmax(piece->start, tl->first);
}

/* ---- callbacks.c --------------------------------------------------------------------------------------------- */

/* Prepares for the trace of a run, with the filter of its settings; the callbacks find the timeline in
 * run->command_data.  The command must have the flags TIMELINE_FILTERS.  Returns 0 if the filter's range is empty. */
int timeline_begin(timeline *tl, paje_run *run);
/* Begins a part of a timeline of several traces, after timeline_begin() for the first of them: what `run` has comes
 * below a node of that name, and shares types, values and colours with the parts before. */
void timeline_begin_part(timeline *tl, paje_run *run, pajesim_text name);

int timeline_new_type(pajesim *sim, const pajesim_type_info *type);
int timeline_new_value(pajesim *sim, const pajesim_value_info *value);
int timeline_container_created(pajesim *sim, const pajesim_entity *container);
int timeline_closed(pajesim *sim, const pajesim_entity *entity);
#define TIMELINE_FILTERS (PAJE_FILTERS | PAJE_SEES_ALL | PAJE_KEEPS_UNIT | PAJE_FROM_INDEX)
#define TIMELINE_CALLBACKS \
    {.new_type = timeline_new_type, .new_value = timeline_new_value, \
     .container_created = timeline_container_created, .closed = timeline_closed}

/* ---- collect.c ----------------------------------------------------------------------------------------------- */

typedef struct timeline_type_seen {
    pajesim_kind kind;
    pajesim_text name, color, container_type; /* container_type: as of timeline_type */
} timeline_type_seen;

typedef struct timeline_container {
    uint32_t parent, type; /* parent: a node */
    pajesim_text name;
    double start;
    int is_around; /* 1: it is there for one within it, which --container chooses */
} timeline_container;

/* An entity that has ended. */
#define TIMELINE_OUTSIDE UINT32_MAX /* in place of a node: a container that is not drawn, at an end of a link */

typedef struct timeline_seen {
    pajesim_kind kind;
    uint32_t type, node, to; /* to: the node where a link ends */
    uint32_t depth;          /* of a state */
    int has_outer, has_fields; /* there is a state around it; there are user fields */
    double start, number, end; /* start and end apart: a copy of both at once would wait for their stores */
    pajesim *sim;                  /* where it is seen; NULL: in another process, which hands over what follows */
    const pajesim_entity *entity, *outer;
    uint32_t value, outer_value;   /* for timeline_shared_value() */
    pajesim_text fields;           /* the user fields, as text */
} timeline_seen;

/* Return the number of the type, or of the node; 0: the type is not drawn. */
uint32_t timeline_take_type(timeline *tl, const timeline_type_seen *it);
uint32_t timeline_take_container(timeline *tl, const timeline_container *it);
void timeline_take(timeline *tl, const timeline_seen *it);
/* Extends the drawn range to a span of time unless the filter limits it.  Returns whether any of the span is drawn. */
int timeline_extend(timeline *tl, double start, double end);
/* Divides what is in bins evenly among them. */
void timeline_finish_pieces(timeline *tl);
/* The first width of bins for the drawn range. */
double timeline_first_bin(const timeline *tl);

/* ---- share.c: several processes read the trace (-j) ------------------------------------------------------------ */

typedef struct timeline_log timeline_log;

/* Return the number of the type, or of the container. */
uint32_t timeline_log_type(timeline_log *log, const timeline_type_seen *it);
uint32_t timeline_log_container(timeline_log *log, const timeline_container *it);
void timeline_log_value(timeline_log *log, pajesim *sim, uint32_t type, const pajesim_value_info *value);
void timeline_log_entity(timeline_log *log, const timeline_seen *it);
/* The value that a process has called by that number. */
uint32_t timeline_shared_value(timeline *tl, uint32_t number);

/* What processes hand over.  Call timeline_share() for the option -j: they need to know of the lines before. */
extern const paje_table timeline_table;
void timeline_share(timeline *tl, paje_settings *settings);
#define TIMELINE_JOBS_HELP "N processes share the work, if the trace is a large file, without -s and -e; same output"

/* ---- fields.c: user fields ----------------------------------------------------------------------------------- */

/* Appends the user fields of an entity. */
void timeline_put_fields(text_buffer *text, const pajesim *sim, const pajesim_entity *entity);
/* Keeps the user fields of an entity, while there are not too many.  Returns their number; 0: none are kept. */
uint32_t timeline_add_fields(timeline *tl, const timeline_seen *it);
/* If there are too many, drops those of entities that went into bins. */
void timeline_drop_fields(timeline *tl);
/* The text of that number: "Size: 8, Tag: 3". */
pajesim_text timeline_fields(const timeline *tl, uint32_t number);

/* ---- types.c: types and values ------------------------------------------------------------------------------- */

uint32_t timeline_add_type(timeline *tl, pajesim_text name, pajesim_kind kind, uint32_t color);
/* The type of that name in the parts before; 0: there is none. */
uint32_t timeline_known_type(const timeline *tl, pajesim_text name, pajesim_kind kind, pajesim_text container_type);
/* The names of a container type and of the nearest ones around it: Process/Thread. */
pajesim_text timeline_type_path(const pajesim *sim, pajesim_ref type);
/* The value of that name, which is added if it is new; OTHER_VALUES if there are too many. */
uint32_t timeline_add_value(timeline *tl, uint32_t type, pajesim_text name, pajesim_text color);
/* The value of an entity. */
uint32_t timeline_value_of(timeline *tl, pajesim *sim, uint32_t type, const pajesim_entity *entity);
/* Gives colours to values without one; and to all values of a type if the trace gives them the same one. */
void timeline_color_values(timeline *tl, uint32_t type);

/* ---- tree.c: containers and their lanes ---------------------------------------------------------------------- */

/* Returns the new node, or the one that the container becomes a member of. */
uint32_t timeline_add_container(timeline *tl, uint32_t parent, uint32_t type, pajesim_text name, double start);
/* The node that `node` is part of by now. */
uint32_t timeline_node_of(const timeline *tl, uint32_t node);
/* The lane of a node; it is made if it is missing. */
timeline_lane *timeline_lane_of(timeline *tl, uint32_t node, pajesim_kind kind, uint32_t type, uint32_t depth);
/* How many members exist at a time on average: about one where one comes when another has gone. */
double timeline_living(const timeline *tl, const timeline_node *node);
/* Whether a lane begins a row: all depths of a type of states share one.  `before` is the lane before it, or NULL. */
int timeline_begins_row(const timeline_lane *lane, const timeline_lane *before);
static inline int timeline_is_shared(const timeline_node *node)
{
    return node->members > 1;
}

/* Whether all of a kind on a node goes into bins once there are any; of states only the innermost ones then. */
static inline int timeline_is_summed_up(const timeline *tl, uint32_t node, pajesim_kind kind)
{
    return (tl->is_flat && kind == PAJESIM_STATE) || timeline_is_shared(node_at(tl, node));
}

/* From now on all states are. */
void timeline_flatten(timeline *tl);
/* Leaves out events and variables, then merges siblings, until there are no more nodes and rows than the limits. */
void timeline_limit_nodes(timeline *tl);
/* "Thread one"; "Thread one ... Thread nine (9)"; "Host / Thread one", where the host is a prefix. */
void timeline_put_name(text_buffer *text, const timeline *tl, uint32_t node);
/* The names of a node and of those around it: "Host / Process / Thread one". */
void timeline_put_path(text_buffer *text, const timeline *tl, uint32_t node);
/* The name of one node, or "first ... last (12)" for neighbours that have so many members. */
void timeline_put_names(text_buffer *text, const timeline *tl, uint32_t first, uint32_t last, unsigned long members);

/* ---- order.c ------------------------------------------------------------------------------------------------- */

/* Children come youngest first until now, and in the order of drawing from now on: eldest first; but where the names of
 * several of one type differ in numbers alone, these come in the order of their numbers, unless `keeps_order`. */
void timeline_order_nodes(timeline *tl);
/* The argument of the option --order: numbers or trace.  Returns NULL, or what is wrong with it. */
const char *timeline_order_option(timeline *tl, const char *argument);
#define TIMELINE_ORDER_HELP "of containers: numbers (default: P2 before P10), or trace, as they were created"

/* ---- links.c ------------------------------------------------------------------------------------------------- */

void timeline_add_link(timeline *tl, const timeline_link *link);
/* Whether a link of a type, of that number, is drawn where not all are: one of so many neighbours, as if by chance,
 * since every fourth message of a regular program is often between the same processes. */
int timeline_is_drawn_link(const timeline *tl, uint64_t number);
/* Makes one link of those between the same nodes in the same bins, if there are any bins. */
void timeline_fold_links(timeline *tl);

/* ---- finish.c, notes.c --------------------------------------------------------------------------------------- */

/* Whether a link is there from the creation of its containers on: a line of a network, no message. */
int timeline_is_line(const timeline *tl, const timeline_link *link);
/* Whether the trace has containers, perhaps with sizes and links, but nothing happens in it: a platform. */
int timeline_is_platform(const timeline *tl);
/* Says so, for an empty diagram. */
void timeline_suggest(const timeline *tl, const paje_run *run);
/* Before drawing: sorts children and pieces; finds scales, weights, colours, and what there is to show. */
void timeline_finish(timeline *tl, paje_run *run);
/* Says what of the trace is not drawn as it is: a line for each. */
void timeline_put_notes(text_buffer *notes, const timeline *tl);
