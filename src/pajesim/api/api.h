/* What a program sees of the reader: callbacks and their views, a simulation, queries. */
#pragma once

#include "events.h"
#include "guard.h"
#include "problems.h"
#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Returns PAJESIM_VERSION of the compiled implementation, to compare with that of the header. */
PAJESIM_API uint32_t pajesim_version(void);

/* Returns the constant text of a code; "unknown problem" if there is no such code.  Empty without PAJESIM_TEXTS. */
PAJESIM_API const char *pajesim_problem_text(pajesim_code code);

/* ------------------------------------------------------------------------------------------------
 * What callbacks are given: views, valid during the call
 * --------------------------------------------------------------------------------------------- */

typedef struct pajesim pajesim;

/* One event definition (%EventDef), reported at its %EndEventDef. */
typedef struct pajesim_definition {
    pajesim_ref ref;
    pajesim_event event;
    pajesim_text name;   /* PajePushState */
    pajesim_text number; /* the event's number in the trace, which may be any word */
    uint32_t fields;     /* how many: pajesim_definition_field */
} pajesim_definition;

/* A field of a definition (`text` is empty then), of a line, or of the user fields of an entity. */
typedef struct pajesim_field {
    pajesim_text name;
    pajesim_role role;
    pajesim_field_type type;
    pajesim_text text;
} pajesim_field;

/* The user fields of one line: all fields that its event does not use, also those that the format defines for other
 * events (see their role).  Read them with pajesim_user_field; `count` is 0 if there are none. */
typedef struct pajesim_fields {
    uint32_t count;
    pajesim_ref definition;
    const char *text;             /* private */
    const pajesim__length *spans; /* private */
} pajesim_fields;

/* One decoded line, before it is simulated. */
typedef struct pajesim_line {
    pajesim_event event;
    pajesim_ref definition;
    pajesim_time time;            /* 0 if the event has none */
    pajesim_quantity number;      /* of PajeSetVariable, PajeAddVariable and PajeSubVariable; else 0 */
    uint32_t count;               /* of the fields of the definition; read them with pajesim_line_field */
    const char *text;             /* private */
    const pajesim__length *spans; /* private */
} pajesim_line;

/* A container, a state, an event, a segment of a variable, or a link. */
typedef struct pajesim_entity {
    pajesim_kind kind;
    uint32_t imbrication;    /* states: how many states are below it on the stack, 0 for the bottom */
    pajesim_ref container;   /* a container's own ref; else the container that it is on (for links: Container) */
    pajesim_ref type;
    pajesim_ref value;       /* of states; of events and links if the value is defined, else 0: see value_name */
    pajesim_ref start_container, end_container; /* of links; 0: not known yet */
    pajesim_time start;      /* events: the time.  Links of which only the end is known: the end's time */
    pajesim_time end;        /* while `open`: the time of the line.  Links of which only the end is known: its time */
    int open;                /* 1: not closed yet, so `end` is preliminary */
    pajesim_quantity number; /* variables: the value */
    pajesim_text value_name; /* states, events, links: name of the value; empty for the rest */
    pajesim_text key;        /* links */
    pajesim_fields opening;  /* user fields of the line that started it */
    pajesim_fields closing;  /* user fields of the line that closed it; none if it was closed implicitly (a state by
                                PajeSetState or PajeResetState, a container by its parent's end) */
} pajesim_entity;

typedef struct pajesim_type_info {
    pajesim_ref ref;
    pajesim_kind kind;
    pajesim_ref parent;               /* the container type that it belongs to; 0 for the root type */
    pajesim_ref start_type, end_type; /* link types: container types of the end points */
    pajesim_text name, alias, color;  /* alias: the identifier, which may be the name; color: as written */
} pajesim_type_info;

typedef struct pajesim_value_info {
    pajesim_ref ref;
    pajesim_ref type;
    int implicit; /* 1: not defined by a line, but used by a state (reported again if it was evicted in between) */
    pajesim_text name, alias, color;
} pajesim_value_info;

/* Callbacks.  Each may be NULL, and costs nothing then.  Each returns PAJESIM_GO_ON, PAJESIM_PAUSE or PAJESIM_STOP.
 * pajesim_data(sim) is the pointer that was given to pajesim_init.  Within a callback only queries are allowed: calls
 * that would change the simulation return PAJESIM_BUSY.  (pajesim_init and pajesim_restore cannot detect this: do not
 * call them on the simulation that calls back.)
 *
 * Order within a line: line; problem; new_value, of a value that no line defined; link_started or link_ended; closed,
 * for each entity that the line closes; then the callback of the event. */
typedef struct pajesim_callbacks {
    /* every %EventDef, at its end */
    int (*definition)(pajesim *sim, const pajesim_definition *definition);
    /* every event line that is about to take effect (when parsing only: that could be decoded).  Returning
     * PAJESIM_STOP here vetoes the line: it has no effect, and is not consumed. */
    int (*line)(pajesim *sim, const pajesim_line *line);
    /* every warning and error */
    int (*problem)(pajesim *sim, const pajesim_problem *problem);

    /* types, values, containers; these, up to `event`, are the entry points of Aiyra */
    int (*new_type)(pajesim *sim, const pajesim_type_info *type);
    int (*new_value)(pajesim *sim, const pajesim_value_info *value);
    int (*container_created)(pajesim *sim, const pajesim_entity *container);   /* open */
    int (*container_destroyed)(pajesim *sim, const pajesim_entity *container); /* closed; also by its parent's end */
    /* states: those set and pushed are open, one popped is closed; one reset has container, type and time only */
    int (*state_set)(pajesim *sim, const pajesim_entity *state);
    int (*state_pushed)(pajesim *sim, const pajesim_entity *state);
    int (*state_popped)(pajesim *sim, const pajesim_entity *state);
    int (*state_reset)(pajesim *sim, const pajesim_entity *state);
    /* variables: the segment that begins, which is open; updated: by PajeAddVariable or PajeSubVariable */
    int (*variable_set)(pajesim *sim, const pajesim_entity *segment);
    int (*variable_updated)(pajesim *sim, const pajesim_entity *segment);
    /* links: started and ended: one end is known; completed: both are, at the second line */
    int (*link_started)(pajesim *sim, const pajesim_entity *link);
    int (*link_ended)(pajesim *sim, const pajesim_entity *link);
    int (*link_completed)(pajesim *sim, const pajesim_entity *link);
    int (*event)(pajesim *sim, const pajesim_entity *event);

    /* every closed entity, of every kind, once, in order of completion */
    int (*closed)(pajesim *sim, const pajesim_entity *entity);
    /* the end of the trace, after all was closed */
    int (*finished)(pajesim *sim);
} pajesim_callbacks;

/* ------------------------------------------------------------------------------------------------
 * A simulation
 * --------------------------------------------------------------------------------------------- */

/* Options of a simulation.  Zeros, or NULL in place of the options, mean lenient mode and the defaults. */
typedef struct pajesim_options {
    int strict;              /* 1: what the specification and pj_dump refuse is refused */
    int parse_only;          /* 1: lines are decoded (callbacks definition, line, problem) and files are opened, but
                                nothing is simulated */
    int ignore_links;        /* 1: links without a second end are no error (pj_dump -z) */
    int old_names;           /* 1: old field names are no error in strict mode, and no warning (pj_dump -n) */
    uint32_t line_max;       /* in bytes; a longer line is skipped and reported.  0: as long as the arena permits */
    uint32_t line_capacity;  /* initial capacity, in bytes, for a line that two pieces share; it grows when needed.
                                0: 256 (small: 128) */
    uint32_t remembered;     /* number of destroyed containers (lenient mode) and, separately, of undefined values no
                                longer in use that are remembered.  0: 64 */
    uint32_t file_depth_max; /* of files within files.  0: 8 */
} pajesim_options;

/* The part of a simulation outside of its arena; the caller provides it.  All members are private. */
struct pajesim {
    unsigned char *arena;
    size_t capacity;
    const pajesim_callbacks *callbacks;
    void *data;
    int callback_result; /* the greatest result of the current line's callbacks */
    uint8_t busy;
    uint8_t commit_work; /* what pajesim__ready does before the line takes effect: pajesim__commit_work; 0: nothing */
    pajesim__size top;   /* end of what the current line has allocated at the end of the arena */
    pajesim__size needed;
    uint32_t allocs;     /* number of blocks that the current line has allocated from the free lists; 16 at most */
    pajesim_ref alloc_offset[16];
    uint8_t alloc_class[16];
#if PAJESIM_SIMD > 1
    int cpu; /* pajesim__detect_cpu; 0: not called yet */
#endif
    pajesim_entity entity; /* passed to callbacks: see pajesim__entity_begin */
#if PAJESIM_CACHE
    uint64_t cache_factor;  /* multiplier of the cache's hash function; changes after so many clashes */
    uint32_t cache_clashes;
#endif
#if PAJESIM_SIMD
    uint32_t changes; /* how often looking up a container may have come to return something else */
#endif
#if PAJESIM_CACHE
    struct {
        uint64_t lo, hi;
        uint64_t tag;
        pajesim_ref ref, unused;
    } cache[PAJESIM_CACHE];
#endif
#if PAJESIM_TRAVEL
    struct pajesim_index *index; /* its hooks are called when an entity that was open at a checkpoint closes */
#endif
};

/* Counters since pajesim_init; part of the image. */
typedef struct pajesim_counts {
    pajesim_counter bytes;    /* consumed, in all files */
    pajesim_counter lines;    /* complete ones, in all files, including comments and blank lines */
    pajesim_counter events;   /* lines that are events and took effect (when parsing only: that could be decoded) */
    pajesim_counter skipped;  /* events of an unknown kind */
    pajesim_counter warnings;
    pajesim_counter errors;
    pajesim_counter by_event[PAJESIM_EVENT_COUNT]; /* events, by kind */
    pajesim_counter containers, states, variables, links, punctual; /* entities closed; punctual: PajeNewEvent */
    pajesim_time first, last; /* least and greatest time of an event; both 0 before the first one */
} pajesim_counts;

/* The least arena that pajesim_init accepts with these options (NULL: defaults), in bytes. */
PAJESIM_API size_t pajesim_arena_min(const pajesim_options *options);

/* Begins a simulation.  The arena is the caller's, aligned as an uint64_t, and must stay in place until pajesim_move or
 * the end of use; beyond 4 GiB of it (512 KiB with references of 16 bits) nothing is used.  `callbacks` is not copied
 * and must outlive the simulation; NULL: none.  `data` is what pajesim_data returns.
 * Returns PAJESIM_OK, PAJESIM_FULL (less than pajesim_arena_min; pajesim_capacity_needed says how much), or
 * PAJESIM_MISUSE.  After a failure feeding and finishing do nothing (PAJESIM_BUSY), and there is nothing to query. */
PAJESIM_API pajesim_status pajesim_init(pajesim *sim, void *arena, size_t capacity, const pajesim_options *options,
                                        const pajesim_callbacks *callbacks, void *data);

/* Returns `data` of pajesim_init or pajesim_restore. */
PAJESIM_API void *pajesim_data(const pajesim *sim);

/* Feeds the next `size` bytes of the trace.  A piece may end anywhere, also within a line.  `bytes` is neither
 * written to nor used after the call.  Stores in `*taken` (may be NULL) how many bytes were consumed: all, unless
 * something other than PAJESIM_OK is returned.  Feed the rest again to go on. */
PAJESIM_API pajesim_status pajesim_feed(pajesim *sim, const void *bytes, size_t size, size_t *taken);

/* After PAJESIM_OPEN: the name of the file that the trace includes, as it was written, valid until the next feed. */
PAJESIM_API pajesim_text pajesim_file(const pajesim *sim);

/* Ends the file that was included last; call it at once if that file cannot be read.  The last line may lack its line
 * end and is then simulated here, so this may return what pajesim_feed does: until it returns PAJESIM_OK, handle that
 * and call again.  Returns PAJESIM_MISUSE if there is no such file. */
PAJESIM_API pajesim_status pajesim_end_file(pajesim *sim);

/* Ends the trace: simulates a last line without line end, then closes all that is open at the greatest time seen.
 * Returns PAJESIM_OK, PAJESIM_INVALID (all is closed; there were errors), PAJESIM_PAUSED or PAJESIM_FULL (call again
 * to go on), PAJESIM_OPEN (by the last line: feed that file, pajesim_end_file, call again), PAJESIM_STOPPED (a callback
 * stopped it half-way). */
PAJESIM_API pajesim_status pajesim_finish(pajesim *sim);

/* As pajesim_finish, but closes at `time` in place of the greatest time seen. */
PAJESIM_API pajesim_status pajesim_finish_at(pajesim *sim, pajesim_time time);

/* After PAJESIM_FULL: returns the least capacity, in bytes, that is enough to go on; one byte less is not.  (None is
 * beyond 4 GiB, or 512 KiB with references of 16 bits.)  For a line that comes in several pieces it is enough for the
 * piece at hand; the rest of the line may need more. */
PAJESIM_API uint64_t pajesim_capacity_needed(const pajesim *sim);

/* Returns the high-water mark of the arena, in bytes.  What lies beyond was never touched, but by pajesim_restore. */
PAJESIM_API size_t pajesim_used(const pajesim *sim);

/* Moves the simulation to another block, larger or smaller (PAJESIM_FULL below pajesim_used), which may not overlap the
 * old one; the old one is no longer used.  If `arena` is the same block, only its capacity changes. */
PAJESIM_API pajesim_status pajesim_move(pajesim *sim, void *arena, size_t capacity);

/* Images: what was simulated so far, as bytes that can be kept, sent to another process, and restored at any address.
 * An image holds everything but the callbacks and their data.  It may be taken between any two feeds, also within a
 * line.  Within a callback, where nothing can be saved, the size may be more: free memory is not cleared then. */
PAJESIM_API size_t pajesim_image_size(const pajesim *sim);
/* Writes pajesim_image_size bytes to `image`, which may have any alignment.  Returns PAJESIM_FULL if `size` is less
 * than that.  Runs of zeros are left out, and free memory is cleared first, unless PAJESIM_TRAVEL is 0. */
PAJESIM_API pajesim_status pajesim_save(const pajesim *sim, void *image, size_t size);
/* Begins a simulation from an image: as pajesim_init, but with the state and the options of the image, whose `size`
 * is exactly that of pajesim_image_size.  The arena may not overlap the image.  Returns PAJESIM_INCOMPATIBLE if that is
 * no image of this layout, PAJESIM_DAMAGED if it is not as it was saved, PAJESIM_FULL if the arena is too small.
 *
 * An image may come from anywhere: each reference in it is checked before it is used, and one that no simulation could
 * have saved is PAJESIM_DAMAGED.  For this the arena needs a sixteenth more than pajesim_used, which pajesim_move may
 * take away again.  (With PAJESIM_TRAVEL 0, as in small builds, only the checksum is: restore what you saved.) */
PAJESIM_API pajesim_status pajesim_restore(pajesim *sim, void *arena, size_t capacity, const void *image, size_t size,
                                           const pajesim_callbacks *callbacks, void *data);

/* ------------------------------------------------------------------------------------------------
 * Queries: at any time, also within callbacks
 * --------------------------------------------------------------------------------------------- */

/* Brings the counters up to date and returns them.  They are in the arena: valid until it moves. */
PAJESIM_API const pajesim_counts *pajesim_count(const pajesim *sim);
/* Returns the number, from 1, of the line that is being simulated in its file; between feeds, of the next line. */
PAJESIM_API uint64_t pajesim_line_number(const pajesim *sim);
/* Returns the last problem that was reported (code PAJESIM_E_NONE: none yet). */
PAJESIM_API pajesim_problem pajesim_last_problem(const pajesim *sim);

/* Return the root container and the root type, which are called "0". */
PAJESIM_API pajesim_ref pajesim_root(const pajesim *sim);
PAJESIM_API pajesim_ref pajesim_root_type(const pajesim *sim);

/* Return the name of a type, container or value; its alias, by which lines of the trace refer to it; and the Color
 * field of its definition, as written.  Empty for ref 0, and if the definition has no such field. */
PAJESIM_API pajesim_text pajesim_name(const pajesim *sim, pajesim_ref ref);
PAJESIM_API pajesim_text pajesim_alias(const pajesim *sim, pajesim_ref ref);
PAJESIM_API pajesim_text pajesim_color(const pajesim *sim, pajesim_ref ref);
/* Returns the container type of a type, the parent of a container (of one that is destroyed, which a link may still end
 * at: the one that it was in; small: 0), or the type of a value; 0 for the roots. */
PAJESIM_API pajesim_ref pajesim_parent(const pajesim *sim, pajesim_ref ref);
/* Returns a container's type; 0 for a type or a value. */
PAJESIM_API pajesim_ref pajesim_type_of(const pajesim *sim, pajesim_ref container);
/* Returns the kind of a type; for a value, the kind of its type; for a container, PAJESIM_CONTAINER. */
PAJESIM_API pajesim_kind pajesim_kind_of(const pajesim *sim, pajesim_ref ref);
/* Return the first container within a container, or type within a type; and the next one with the same parent, in order
 * of creation.  0: there is none. */
PAJESIM_API pajesim_ref pajesim_first_child(const pajesim *sim, pajesim_ref ref);
PAJESIM_API pajesim_ref pajesim_next_sibling(const pajesim *sim, pajesim_ref ref);
/* Returns when a container was created. */
PAJESIM_API pajesim_time pajesim_start_of(const pajesim *sim, pajesim_ref container);

/* Returns the user data of a container, a type or a value: a word for your own use, 0 at first, in the arena.  It has
 * 64 bits, 32 where references have 16.  Store an index rather than a pointer, which would be invalid after the image
 * is restored in another process.  The pointer is valid as long as the ref, but not after the arena moves; it is never
 * NULL for a valid ref. */
PAJESIM_API pajesim_user_word *pajesim_user_data(pajesim *sim, pajesim_ref ref);

/* Find something by its identifier, of `size` bytes (NULL is allowed if that is 0).  Return 0 if nothing alive has
 * it. */
PAJESIM_API pajesim_ref pajesim_find_container(const pajesim *sim, const char *alias, size_t size);
PAJESIM_API pajesim_ref pajesim_find_type(const pajesim *sim, const char *alias, size_t size);
PAJESIM_API pajesim_ref pajesim_find_value(const pajesim *sim, pajesim_ref type, const char *alias, size_t size);

/* pajesim_depth returns how many states of a type are open on a container; pajesim_open_entity stores the one at a
 * depth (0: the bottom), and returns 0 if there is none.  The current segment of a variable counts as one, at depth
 * 0. */
PAJESIM_API uint32_t pajesim_depth(const pajesim *sim, pajesim_ref container, pajesim_ref type);
PAJESIM_API int pajesim_open_entity(const pajesim *sim, pajesim_ref container, pajesim_ref type, uint32_t depth,
                                    pajesim_entity *entity);

/* Store a field of a definition, of a line, or of an entity's user fields; `index` counts from 0.  Return 0 if there is
 * no such field. */
PAJESIM_API int pajesim_definition_field(const pajesim *sim, pajesim_ref definition, uint32_t index,
                                         pajesim_field *field);
PAJESIM_API int pajesim_line_field(const pajesim *sim, const pajesim_line *line, uint32_t index, pajesim_field *field);
PAJESIM_API int pajesim_user_field(const pajesim *sim, const pajesim_fields *fields, uint32_t index,
                                   pajesim_field *field);
/* Like pajesim_user_field, but finds the field by its name, which is terminated by NUL. */
PAJESIM_API int pajesim_user_field_named(const pajesim *sim, const pajesim_fields *fields, const char *name,
                                         pajesim_field *field);
/* Returns the index of a user field in all lines of a definition, by its name: look it up once, in the `definition`
 * callback, rather than for each line.  UINT32_MAX: there is no such field. */
PAJESIM_API uint32_t pajesim_user_field_index(const pajesim *sim, pajesim_ref definition, const char *name);
/* Stores a user field as a number in units of 10^-decimals, as pajesim_fixed does.  Returns 0 if there is no such field
 * or it is no such number. */
PAJESIM_API int pajesim_user_field_fixed(const pajesim_fields *fields, uint32_t index, int decimals, int64_t *number);
/* Returns the text of a line's field by its role; empty if the line has no such field. */
PAJESIM_API pajesim_text pajesim_line_role(const pajesim *sim, const pajesim_line *line, pajesim_role role);

/* Returns the event's name in the format ("PajePushState"), terminated by NUL; "" for none. */
PAJESIM_API const char *pajesim_event_name(pajesim_event event);
/* Returns "Container", "State", "Event", "Variable", "Link"; "" for none. */
PAJESIM_API const char *pajesim_kind_name(pajesim_kind kind);

/* Converts a decimal number of any length, correctly rounded: [+-] digits [. digits] [e [+-] digits], with a digit
 * before or after the point; infinity beyond the range.  Returns 0, and leaves `*number` alone, for any other text.
 * Exists only if times or values are doubles. */
#if PAJESIM_TIME_DECIMALS < 0 || PAJESIM_VALUE_DECIMALS < 0
PAJESIM_API int pajesim_number(const char *bytes, size_t size, double *number);
#endif
/* Converts a decimal number to units of 10^-decimals (0 to 18), rounded to the nearest, halves away from zero.  Returns
 * 0 also for numbers beyond -INT64_MAX to INT64_MAX. */
PAJESIM_API int pajesim_fixed(const char *bytes, size_t size, int decimals, int64_t *number);

#ifdef __cplusplus
}
#endif
