/* The arena: the caller's block, and in it a state at offset 0 and blocks of a few size classes behind it.
 *
 * Blocks are named by offset, never by pointer, so that the block may be copied anywhere.  A block that is given back
 * goes to the free list of its class; classes are 16, 32, 48, 64 (where references have 16 bits 8, 16, 24, ... 64), and
 * from there two for each doubling, so that a block is at most half again as large as what is in it, and names of all
 * lengths share a few classes.
 *
 * A line takes all its blocks before it changes anything (pajesim__take), and then either keeps them all
 * (pajesim__keep) or leaves no trace (pajesim__undo).  Taking goes on past the end of the arena, on paper: so the sum
 * at the end is exactly what the line needs. */

#define PAJESIM__MAGIC UINT32_C(0x50414A31) /* differs in the other byte order */

typedef pajesim_ref pajesim__offset;

#if PAJESIM_REFERENCE == 16
#define PAJESIM__UNIT 8u      /* bytes: offsets count these */
#define PAJESIM__STEP 8u      /* between the classes up to 64 */
#define PAJESIM__CLASSES 34u  /* the last is of 512 KiB */
#define PAJESIM__CAPACITY_MAX (UINT16_MAX * PAJESIM__UNIT)
#define PAJESIM__LINE_MAX UINT16_MAX
#define PAJESIM__LISTS 16u    /* of a table */
#else
#define PAJESIM__UNIT 1u
#define PAJESIM__STEP 16u
#define PAJESIM__CLASSES 55u  /* the last is of 3 GiB; one of 4 fits in no arena */
#define PAJESIM__CAPACITY_MAX UINT32_MAX
#define PAJESIM__LINE_MAX 0u  /* none */
#endif
#define PAJESIM__PROBLEM_BYTES (PAJESIM_TEXTS ? 64 : 16) /* of the offending ones */

/* How many units a number of bytes takes. */
#define PAJESIM__UNITS(size) (((size) + PAJESIM__UNIT - 1) / PAJESIM__UNIT)

/* A hash table of things that begin with a pajesim__id. */
typedef struct pajesim__table {
#if PAJESIM_REFERENCE == 16
    pajesim__offset lists[PAJESIM__LISTS];
#else
    pajesim__offset entries;
    uint32_t log2; /* of its capacity */
    uint32_t count;
    pajesim__offset tree; /* of what the entries have no place for; 0: nothing */
#endif
} pajesim__table;

/* Prints of identifiers that were used; never forgotten (strict mode). */
typedef struct pajesim__seen {
    pajesim__offset directory; /* of buckets */
    pajesim__length room;      /* of the directory */
    pajesim__length buckets;
    uint32_t count;
    uint32_t latest; /* where it is, in bytes; 0: nobody knows */
#if PAJESIM_REFERENCE != 16
    pajesim__offset tree; /* of those for which a chain would get too long; 0: none */
#endif
} pajesim__seen;

/* Things that nothing bears any more but that may come back: first in, first out. */
typedef struct pajesim__queue {
    pajesim__offset first, last;
    pajesim__length count;
} pajesim__queue;

enum pajesim__stage { PAJESIM__READING, PAJESIM__CLOSING, PAJESIM__FINISHED };

typedef struct pajesim__state {
    uint32_t top; /* high-water mark: nothing lies beyond it */
    pajesim__length strict, parse_only, ignore_links, old_names, line_max, line_room, kept, depth_max;
    pajesim__offset free_list[PAJESIM__CLASSES];

    pajesim__table definitions, types, containers, values, links;
    pajesim__seen seen;
    pajesim__queue destroyed, unused_values;
    pajesim_ref root, root_type;
    pajesim__offset defining; /* the %EventDef that is not ended yet */
    pajesim__offset source;   /* the file that is being read; 0: the trace itself */
    pajesim__offset opening;  /* the file that is read next, from the end of the line on */
    pajesim__length scopes;   /* of definitions, given out so far */
    pajesim__offset carry;    /* the piece of a line that is carried over to the next feed */
    uint32_t carry_room, initial_room;

    /* position, counters and last problem: what a refused line changes */
    uint32_t carry_size;
    uint8_t cut;             /* pajesim__cut: where in the grammar the carried piece ends */
    uint8_t skip_definition; /* an %EventDef was refused: its fields are skipped */
    uint8_t stage;
    uint8_t stopped;
    uint8_t ended;           /* there is no next line: problems are of the last one */
    uint8_t mark;            /* how much of a byte order mark was seen; 3: it is over */
    pajesim_time finish_time;
    pajesim_time first, last; /* least and greatest time; first > last: none yet.  With an index: since its checkpoint */
#if PAJESIM_TRAVEL
    pajesim_time past_first, past_last; /* before that */
#endif
    pajesim_counter line;    /* lines ended, of the file that is being read */
    pajesim_counts counts;
    struct {
        pajesim_counter line;
        uint32_t column;
        pajesim__length depth;
        uint8_t code, severity, size;
        char bytes[PAJESIM__PROBLEM_BYTES];
    } problem;
} pajesim__state;

#define PAJESIM__BYTES(offset) (sim->arena + (size_t)(offset) * PAJESIM__UNIT)
#define PAJESIM__STATE_SIZE (PAJESIM__UNITS((uint32_t)sizeof(pajesim__state)) * PAJESIM__UNIT)
#define PAJESIM__AT(type, offset) ((type *)(void *)PAJESIM__BYTES(offset))
#define PAJESIM__STATE ((pajesim__state *)(void *)sim->arena)
#define PAJESIM__CONST_STATE ((const pajesim__state *)(const void *)sim->arena)

/* Whether there may be an arena, which holds nothing of a higher alignment than 64-bit integers. */
static int pajesim__is_aligned(const void *arena)
{
    struct pair {
        char one;
        uint64_t other;
    };
    return (uintptr_t)arena % offsetof(struct pair, other) == 0;
}

/* The class of a size, and the size of a class. */
static uint32_t pajesim__class_of(pajesim__size size)
{
    uint32_t bits;
    if (size <= 64)
        return size ? (uint32_t)((size - 1) / PAJESIM__STEP) : 0;
    bits = pajesim__bits(size - 1);
    return 64 / PAJESIM__STEP + 2 * (bits - 7) + (size > ((pajesim__size)3 << (bits - 2)));
}

static pajesim__size pajesim__class_size(uint32_t size_class)
{
    uint32_t step;
    if (size_class < 64 / PAJESIM__STEP)
        return PAJESIM__STEP * (size_class + 1);
    step = (size_class - 64 / PAJESIM__STEP) >> 1;
    return (size_class & 1) ? (pajesim__size)128 << step : (pajesim__size)96 << step;
}

/* Takes a block for the line at hand.  The offset may lie beyond the arena: nothing may be written before
 * pajesim__room has said yes. */
static pajesim__offset pajesim__take(pajesim *sim, pajesim__size size)
{
    pajesim__state *state = PAJESIM__STATE;
    uint32_t size_class = pajesim__class_of(size);
    pajesim__offset offset = 0;
    sim->loud = 1;
    if (size_class < PAJESIM__CLASSES)
        offset = state->free_list[size_class];
    if (offset) {
        memcpy(&state->free_list[size_class], PAJESIM__BYTES(offset), sizeof offset);
        sim->taken[sim->takes] = offset;
        sim->taken_class[sim->takes++] = (uint8_t)size_class;
        return offset;
    }
    offset = (pajesim__offset)(sim->top / PAJESIM__UNIT);
    sim->top += pajesim__class_size(size_class);
    return offset;
}

/* Whether all that was taken lies within the arena. */
PAJESIM__INLINE int pajesim__room(const pajesim *sim)
{
    return sim->top <= sim->capacity;
}

/* What was taken stays so.  New room is cleared, so that equal simulations have equal images. */
static void pajesim__keep(pajesim *sim)
{
    pajesim__state *state = PAJESIM__STATE;
    memset(sim->arena + state->top, 0, (size_t)(sim->top - state->top));
    state->top = (uint32_t)sim->top;
    sim->takes = 0;
}

/* What was taken was never taken: the free lists are as before, to the byte. */
static void pajesim__undo(pajesim *sim)
{
    pajesim__state *state = PAJESIM__STATE;
    while (sim->takes) {
        sim->takes--;
        state->free_list[sim->taken_class[sim->takes]] = sim->taken[sim->takes];
    }
    sim->top = state->top;
}

/* Gives a block of `size` bytes back.  Only between pajesim__keep and the next line's first pajesim__take. */
static void pajesim__give(pajesim *sim, pajesim__offset offset, pajesim__size size)
{
    pajesim__offset *list = &PAJESIM__STATE->free_list[pajesim__class_of(size)];
    memcpy(PAJESIM__BYTES(offset), list, sizeof *list);
    *list = offset;
}

/* Texts: their size, then their bytes. */
typedef pajesim__offset pajesim__text; /* 0: none */

static pajesim__text pajesim__take_text(pajesim *sim, uint32_t size)
{
    return pajesim__take(sim, (pajesim__size)size + sizeof(pajesim__length));
}

static void pajesim__put_text(pajesim *sim, pajesim__text text, const void *bytes, uint32_t size)
{
    pajesim__length length = (pajesim__length)size;
    memcpy(PAJESIM__BYTES(text), &length, sizeof length);
    memcpy(PAJESIM__BYTES(text) + sizeof length, bytes, length);
}

static pajesim_text pajesim__view(const char *bytes, size_t size)
{
    pajesim_text view;
    view.bytes = bytes;
    view.size = size;
    return view;
}

static pajesim_text pajesim__text_at(const pajesim *sim, pajesim__text text)
{
    pajesim__length size;
    if (!text)
        return pajesim__view("", 0);
    memcpy(&size, PAJESIM__BYTES(text), sizeof size);
    return pajesim__view((const char *)PAJESIM__BYTES(text) + sizeof size, size);
}

static void pajesim__give_text(pajesim *sim, pajesim__text text)
{
    if (text)
        pajesim__give(sim, text, (pajesim__size)(pajesim__text_at(sim, text).size + sizeof(pajesim__length)));
}
