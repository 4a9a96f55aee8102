/* What the simulation knows: types, values, containers, and what is open on them. */

/* Types, values and containers begin alike, so that one query serves all three.  References are to the id. */
typedef struct pajesim__thing {
#if PAJESIM_REFERENCE == 16
    pajesim__id id;
#endif
    pajesim_user_word word;
    pajesim__text name, color; /* name 0: the identifier */
    pajesim_ref parent;
    uint8_t what; /* pajesim__what */
    uint8_t kind; /* pajesim_kind */
    uint8_t flags;
    uint8_t unused;
#if PAJESIM_REFERENCE != 16
    pajesim__id id; /* next to what events need of a container */
#endif
} pajesim__thing;

enum pajesim__what { PAJESIM__TYPE = 1, PAJESIM__VALUE, PAJESIM__CONTAINER };

enum { /* flags */
    PAJESIM__IMPLICIT = 1, /* a value that was never defined: it may be forgotten when nothing bears it */
    PAJESIM__QUEUED = 2,   /* in a queue of what may be forgotten */
    PAJESIM__LISTED = 4    /* a destroyed container that its identifier still finds */
};

/* Types and containers are trees. */
typedef struct pajesim__tree {
    pajesim_ref first, last, next, previous;
} pajesim__tree;

typedef struct pajesim__type {
    pajesim__thing thing;
    pajesim__tree tree;
    pajesim__length slot;  /* which slot of a container of the parent type is for entities of this type */
    pajesim__length slots; /* of a container of this type */
    pajesim_ref start_type, end_type;
#if PAJESIM_CHECKS
    uint32_t depth;
    pajesim_ref jump; /* an ancestor farther away: see pajesim__is_within */
#endif
} pajesim__type;

/* Values live in their type: thing.parent. */
typedef struct pajesim__value {
    pajesim__thing thing;
    pajesim__length bearers; /* of an implicit value: open states */
    pajesim__offset next;
} pajesim__value;

/* What events need lies together, from its id to its slots, so that it is in few lines of a cache. */
typedef struct pajesim__container {
    pajesim_time start;
    pajesim__tree tree;
    pajesim_ref was;        /* its type */
    pajesim__offset links;  /* pending, that it bears */
#if PAJESIM_REFERENCE != 16 /* there it is below, so that what is before the id takes a multiple of 8 bytes */
    pajesim__offset fields; /* user fields of its creation */
#endif
    union {
        pajesim__offset next; /* destroyed */
#if PAJESIM_TRAVEL
        uint32_t ending;      /* alive: see PAJESIM__MARK; */
        pajesim_ref copy;     /* where a window replays, its copy in the part that is filled */
#endif
    } then;
#if PAJESIM_TRAVEL
    uint32_t serial;
#endif
    pajesim__length own_slots; /* that follow this record in its block: of the types there were at its creation */
    pajesim__thing thing;
    pajesim_ref type; /* 0: destroyed, so that no event's type is a child of it; what it was is in `was` */
    pajesim__offset slots;
    pajesim__length slot_count;
    pajesim__length end_points; /* of pending links, that it is */
#if PAJESIM_REFERENCE == 16
    pajesim__offset fields;
#endif
} pajesim__container;

/* What a thing's block has before what references to it name, and a container's from there to its own slots. */
#define PAJESIM__BEFORE_ID offsetof(pajesim__thing, id)
#define PAJESIM__BEFORE_CONTAINER_ID (offsetof(pajesim__container, thing) + PAJESIM__BEFORE_ID)
#define PAJESIM__THING_HEAD PAJESIM__UNITS(PAJESIM__BEFORE_ID)
#define PAJESIM__THING_IN(block) ((pajesim_ref)((block) + PAJESIM__THING_HEAD))
#define PAJESIM__CONTAINER_HEAD /* in steps, as blocks are, so that ids and slots are not cut by lines of a cache */ \
    ((PAJESIM__BEFORE_CONTAINER_ID + PAJESIM__STEP - 1) / PAJESIM__STEP * (PAJESIM__STEP / PAJESIM__UNIT))
#define PAJESIM__CONTAINER_REST PAJESIM__UNITS(sizeof(pajesim__container) - PAJESIM__BEFORE_CONTAINER_ID)
#define PAJESIM__CONTAINER_IN(block) ((pajesim_ref)((block) + PAJESIM__CONTAINER_HEAD))
#define PAJESIM__OWN_SLOTS(ref) ((pajesim__offset)((ref) + PAJESIM__CONTAINER_REST))

/* What is open on a container of one type. */
typedef struct pajesim__slot {
    pajesim_time last; /* event of this container and type */
    pajesim_time start;
    union {
        struct {
            pajesim__offset frames;
            pajesim__length depth, room;
#if PAJESIM_TRAVEL
            uint32_t ending; /* of the outermost state */
#endif
        } stack;
        struct {
            pajesim_quantity number;
            pajesim__length set; /* 1: it is; plus twice its ending */
            pajesim__offset fields;
        } variable;
    } open;
} pajesim__slot;

typedef struct pajesim__frame {
    pajesim_time start;
    pajesim_ref value;
    pajesim__offset fields;
} pajesim__frame;

/* A link of which one end is known.  Its id is its key, within container and type. */
typedef struct pajesim__link {
    pajesim__id id;
    pajesim__offset next, previous; /* of its container's */
    pajesim_time time;
    pajesim_ref end_point;
    pajesim_ref value;
    pajesim__text value_text; /* of a value that is not defined */
    pajesim__offset fields;
    pajesim__length started; /* 1: its start is known, 0: its end */
#if PAJESIM_TRAVEL
    uint32_t ending;
#endif
} pajesim__link;

/* In a reference to the user fields of what is open: it was open at the latest checkpoint of an index, too, and `ending`
 * is its number there, in the order of pajesim__walk_on. */
#define PAJESIM__MARK ((pajesim__offset)PAJESIM_TRAVEL)

/* Its negative is the greatest. */
#if PAJESIM_TIME_DECIMALS < 0
#define PAJESIM__TIME_LEAST (-1.7976931348623157e308)
#else
#define PAJESIM__TIME_LEAST (-INT64_MAX)
#endif

#define PAJESIM__WHOLE(type, ref, before_id) ((type *)(void *)(PAJESIM__BYTES(ref) - (before_id)))
#define PAJESIM__THING(ref) PAJESIM__WHOLE(pajesim__thing, ref, PAJESIM__BEFORE_ID)
#define PAJESIM__TYPE_AT(ref) PAJESIM__WHOLE(pajesim__type, ref, PAJESIM__BEFORE_ID)
#define PAJESIM__VALUE_AT(ref) PAJESIM__WHOLE(pajesim__value, ref, PAJESIM__BEFORE_ID)
#define PAJESIM__CONTAINER_AT(ref) PAJESIM__WHOLE(pajesim__container, ref, PAJESIM__BEFORE_CONTAINER_ID)

#define PAJESIM__IS_SET(slot) ((slot)->open.variable.set & 1u)

/* Whether a container that an identifier finds is destroyed, and remembered. */
#define PAJESIM__IS_GONE(ref) (PAJESIM_REPAIRS && !PAJESIM__CONTAINER_AT(ref)->type)

/* What the identifiers of containers find is about to change: see ahead.h. */
#if PAJESIM__BLOCKS
#define PAJESIM__CHANGES(sim) ((sim)->changes)
#define PAJESIM__CHANGED(sim) ((void)(sim)->changes++)
#else
#define PAJESIM__CHANGES(sim) 0u
#define PAJESIM__CHANGED(sim) ((void)0)
#endif

static pajesim__tree *pajesim__tree_of(const pajesim *sim, pajesim_ref ref)
{
    return PAJESIM__THING(ref)->what == PAJESIM__TYPE ? &PAJESIM__TYPE_AT(ref)->tree : &PAJESIM__CONTAINER_AT(ref)->tree;
}

static void pajesim__adopt(pajesim *sim, pajesim_ref parent, pajesim_ref child)
{
    pajesim__tree *tree = pajesim__tree_of(sim, child);
    memset(tree, 0, sizeof *tree);
    PAJESIM__THING(child)->parent = parent;
    if (parent) {
        pajesim__tree *above = pajesim__tree_of(sim, parent);
        tree->previous = above->last;
        if (above->last)
            pajesim__tree_of(sim, above->last)->next = child;
        else
            above->first = child;
        above->last = child;
    }
}

static void pajesim__orphan(pajesim *sim, pajesim_ref child)
{
    pajesim__tree *tree = pajesim__tree_of(sim, child);
    pajesim_ref parent = PAJESIM__THING(child)->parent;
    if (tree->previous)
        pajesim__tree_of(sim, tree->previous)->next = tree->next;
    else if (parent)
        pajesim__tree_of(sim, parent)->first = tree->next;
    if (tree->next)
        pajesim__tree_of(sim, tree->next)->previous = tree->previous;
    else if (parent)
        pajesim__tree_of(sim, parent)->last = tree->previous;
    tree->next = tree->previous = 0;
    PAJESIM__THING(child)->parent = 0;
}

/* ---- queries ---- */

PAJESIM_API pajesim_ref pajesim_root(const pajesim *sim)
{
    return PAJESIM__CONST_STATE->root;
}

PAJESIM_API pajesim_ref pajesim_root_type(const pajesim *sim)
{
    return PAJESIM__CONST_STATE->root_type;
}

PAJESIM_API pajesim_text pajesim_alias(const pajesim *sim, pajesim_ref ref)
{
    return ref ? pajesim__id_text(sim, &PAJESIM__THING(ref)->id) : pajesim__view("", 0);
}

PAJESIM__INLINE pajesim_text pajesim__name_of(const pajesim *sim, pajesim_ref ref)
{
    if (ref && PAJESIM__THING(ref)->name)
        return pajesim__text_at(sim, PAJESIM__THING(ref)->name);
    return pajesim_alias(sim, ref);
}

PAJESIM_API pajesim_text pajesim_name(const pajesim *sim, pajesim_ref ref)
{
    return pajesim__name_of(sim, ref);
}

PAJESIM_API pajesim_text pajesim_color(const pajesim *sim, pajesim_ref ref)
{
    return pajesim__text_at(sim, PAJESIM_FIELDS && ref ? PAJESIM__THING(ref)->color : 0);
}

PAJESIM_API pajesim_ref pajesim_parent(const pajesim *sim, pajesim_ref ref)
{
    return ref ? PAJESIM__THING(ref)->parent : 0;
}

PAJESIM_API pajesim_ref pajesim_type_of(const pajesim *sim, pajesim_ref container)
{
    return container && PAJESIM__THING(container)->what == PAJESIM__CONTAINER ? PAJESIM__CONTAINER_AT(container)->was : 0;
}

PAJESIM_API pajesim_kind pajesim_kind_of(const pajesim *sim, pajesim_ref ref)
{
    return ref ? (pajesim_kind)PAJESIM__THING(ref)->kind : (pajesim_kind)0;
}

PAJESIM_API pajesim_ref pajesim_first_child(const pajesim *sim, pajesim_ref ref)
{
    return ref && PAJESIM__THING(ref)->what != PAJESIM__VALUE ? pajesim__tree_of(sim, ref)->first : 0;
}

PAJESIM_API pajesim_ref pajesim_next_sibling(const pajesim *sim, pajesim_ref ref)
{
    return ref && PAJESIM__THING(ref)->what != PAJESIM__VALUE ? pajesim__tree_of(sim, ref)->next : 0;
}

PAJESIM_API pajesim_time pajesim_start_of(const pajesim *sim, pajesim_ref container)
{
    return container ? PAJESIM__CONTAINER_AT(container)->start : 0;
}

PAJESIM_API pajesim_user_word *pajesim_word(pajesim *sim, pajesim_ref ref)
{
    return ref ? &PAJESIM__THING(ref)->word : NULL;
}

PAJESIM_API pajesim_ref pajesim_find_container(const pajesim *sim, const char *alias, size_t size)
{
    pajesim__key key = pajesim__key_of(alias, (uint32_t)size);
    pajesim_ref container = pajesim__find(sim, &PAJESIM__CONST_STATE->containers, &key, 0, 0);
    return container && PAJESIM__CONTAINER_AT(container)->type ? container : 0;
}

PAJESIM_API pajesim_ref pajesim_find_type(const pajesim *sim, const char *alias, size_t size)
{
    pajesim__key key = pajesim__key_of(alias, (uint32_t)size);
    return pajesim__find(sim, &PAJESIM__CONST_STATE->types, &key, 0, 0);
}

PAJESIM_API pajesim_ref pajesim_find_value(const pajesim *sim, pajesim_ref type, const char *alias, size_t size)
{
    pajesim__key key = pajesim__key_of(alias, (uint32_t)size);
    return pajesim__find(sim, &PAJESIM__CONST_STATE->values, &key, type, 0);
}

/* The slot of a type on a container; NULL as long as there was nothing in it. */
static pajesim__slot *pajesim__slot_of(const pajesim *sim, pajesim_ref container, pajesim_ref type)
{
    const pajesim__container *bearer;
    uint32_t slot;
    if (!container || !type)
        return NULL;
    bearer = PAJESIM__CONTAINER_AT(container);
    slot = PAJESIM__TYPE_AT(type)->slot;
    if (PAJESIM__THING(type)->parent != bearer->was || slot >= bearer->slot_count)
        return NULL;
    return PAJESIM__AT(pajesim__slot, bearer->slots) + slot;
}

PAJESIM_API uint32_t pajesim_depth(const pajesim *sim, pajesim_ref container, pajesim_ref type)
{
    const pajesim__slot *slot = pajesim__slot_of(sim, container, type);
    if (!slot)
        return 0;
    switch (PAJESIM__THING(type)->kind) {
    case PAJESIM_STATE:
        return slot->open.stack.depth;
    case PAJESIM_VARIABLE:
        return PAJESIM__IS_SET(slot);
    default:
        return 0;
    }
}
