/* Coming to all that is open, in one order for one state of things, whoever asks and wherever it was restored. */
#if PAJESIM_TRAVEL

/* A container, the states of one type on it, a variable, or a pending link.  A walk begins with all zero. */
typedef struct pajesim__walk {
    pajesim_kind kind;
    uint32_t count;       /* of states, the outermost first; else 1 */
    pajesim_ref ref;      /* the container, or the link */
    pajesim_ref type;     /* of states and variables */
    pajesim__slot *slot;  /* the same */
    /* where it goes on */
    pajesim_ref container, next_type;
    pajesim__offset next_link;
} pajesim__walk;

/* The container behind this one, what is within it first. */
static pajesim_ref pajesim__next_container(const pajesim *sim, pajesim_ref ref)
{
    if (PAJESIM__CONTAINER_AT(ref)->tree.first)
        return PAJESIM__CONTAINER_AT(ref)->tree.first;
    while (ref && !PAJESIM__CONTAINER_AT(ref)->tree.next)
        ref = PAJESIM__THING(ref)->parent;
    return ref ? PAJESIM__CONTAINER_AT(ref)->tree.next : 0;
}

/* Comes to the next; answers 0 if that was the last one. */
static int pajesim__walk_on(const pajesim *sim, pajesim__walk *walk)
{
    const pajesim__container *container = PAJESIM__CONTAINER_AT(walk->container);
    while (walk->next_type) {
        const pajesim__type *type = PAJESIM__TYPE_AT(walk->next_type);
        walk->type = walk->next_type;
        walk->next_type = type->tree.next;
        if (type->slot >= container->slot_count)
            continue;
        walk->kind = (pajesim_kind)type->thing.kind;
        walk->slot = PAJESIM__AT(pajesim__slot, container->slots) + type->slot;
        walk->count = walk->kind == PAJESIM_STATE      ? walk->slot->open.stack.depth
                      : walk->kind == PAJESIM_VARIABLE ? PAJESIM__IS_SET(walk->slot)
                                                       : 0;
        if (walk->count)
            return 1;
    }
    walk->count = 1;
    if (walk->next_link) {
        walk->kind = PAJESIM_LINK;
        walk->ref = walk->next_link;
        walk->next_link = PAJESIM__AT(const pajesim__link, walk->ref)->next;
        return 1;
    }
    walk->container = walk->container ? pajesim__next_container(sim, walk->container) : PAJESIM__CONST_STATE->root;
    if (!walk->container)
        return 0;
    container = PAJESIM__CONTAINER_AT(walk->container);
    walk->kind = PAJESIM_CONTAINER;
    walk->ref = walk->container;
    walk->next_type = container->slot_count ? PAJESIM__TYPE_AT(container->was)->tree.first : 0;
    walk->next_link = container->links;
    return 1;
}

static pajesim__frame *pajesim__frame_of(const pajesim *sim, const pajesim__walk *walk, uint32_t depth)
{
    return PAJESIM__AT(pajesim__frame, walk->slot->open.stack.frames) + depth;
}

/* When what it has come to began. */
static pajesim_time pajesim__start_at(const pajesim *sim, const pajesim__walk *walk, uint32_t depth)
{
    switch (walk->kind) {
    case PAJESIM_CONTAINER: return PAJESIM__CONTAINER_AT(walk->ref)->start;
    case PAJESIM_LINK: return PAJESIM__AT(const pajesim__link, walk->ref)->time;
    case PAJESIM_STATE: return pajesim__frame_of(sim, walk, depth)->start;
    default: return walk->slot->start;
    }
}

/* The reference to its user fields, which bears the mark. */
static pajesim__offset *pajesim__fields_at(const pajesim *sim, const pajesim__walk *walk, uint32_t depth)
{
    switch (walk->kind) {
    case PAJESIM_CONTAINER: return &PAJESIM__CONTAINER_AT(walk->ref)->fields;
    case PAJESIM_LINK: return &PAJESIM__AT(pajesim__link, walk->ref)->fields;
    case PAJESIM_STATE: return &pajesim__frame_of(sim, walk, depth)->fields;
    default: return &walk->slot->open.variable.fields;
    }
}

/* Gives it (of several, the first) another number; answers the one it had. */
static uint32_t pajesim__renumber(const pajesim *sim, const pajesim__walk *walk, uint32_t ending)
{
    uint32_t *at, before;
    if (walk->kind == PAJESIM_VARIABLE) {
        before = walk->slot->open.variable.set >> 1;
        walk->slot->open.variable.set = ending << 1 | 1;
        return before;
    }
    at = walk->kind == PAJESIM_CONTAINER ? &PAJESIM__CONTAINER_AT(walk->ref)->then.ending
         : walk->kind == PAJESIM_LINK    ? &PAJESIM__AT(pajesim__link, walk->ref)->ending
                                         : &walk->slot->open.stack.ending;
    before = *at;
    *at = ending;
    return before;
}
#endif /* PAJESIM_TRAVEL */
