/* Coming to all that is open, in one order for one state of things, whoever asks and wherever it was restored. */
#if PAJESIM_TRAVEL

typedef struct pajesim__walk {
    pajesim__open open;
    pajesim_kind kind;
    pajesim_time start;
    pajesim__offset *fields;
    pajesim_ref container;
    /* where it goes on */
    uint32_t stage, depth;
    pajesim_ref type;
    pajesim__offset link;
} pajesim__walk;

static int pajesim__come_to(pajesim__walk *walk, pajesim_kind kind, pajesim__open open, pajesim_time start,
                            pajesim__offset *fields)
{
    walk->kind = kind;
    walk->open = open;
    walk->start = start;
    walk->fields = fields;
    return 1;
}

/* The container behind this one, what is within it first. */
static pajesim_ref pajesim__next_container(const pajesim *sim, pajesim_ref ref)
{
    if (PAJESIM__CONTAINER_AT(ref)->tree.first)
        return PAJESIM__CONTAINER_AT(ref)->tree.first;
    while (ref && !PAJESIM__CONTAINER_AT(ref)->tree.next)
        ref = PAJESIM__THING(ref)->parent;
    return ref ? PAJESIM__CONTAINER_AT(ref)->tree.next : 0;
}

/* Comes to the next open thing; answers 0 if that was the last one.  A walk begins with all zero. */
static int pajesim__walk_on(const pajesim *sim, pajesim__walk *walk)
{
    if (!walk->container)
        walk->container = PAJESIM__CONST_STATE->root;
    do {
        pajesim__container *container = PAJESIM__CONTAINER_AT(walk->container);
        if (walk->stage == 0) {
            walk->stage = 1;
            walk->type = container->slot_count ? PAJESIM__TYPE_AT(container->was)->tree.first : 0;
            walk->depth = 0;
            return pajesim__come_to(walk, PAJESIM_CONTAINER, pajesim__open_of(walk->container, 0, 0), container->start,
                                    &container->fields);
        }
        for (; walk->stage == 1 && walk->type; walk->type = PAJESIM__TYPE_AT(walk->type)->tree.next, walk->depth = 0) {
            const pajesim__type *type = PAJESIM__TYPE_AT(walk->type);
            pajesim__slot *slot = PAJESIM__AT(pajesim__slot, container->slots) + type->slot;
            uint32_t depth = walk->depth;
            if (type->slot >= container->slot_count)
                continue;
            walk->depth++;
            if (type->thing.kind == PAJESIM_STATE && depth < slot->open.stack.depth) {
                pajesim__frame *frame = PAJESIM__AT(pajesim__frame, slot->open.stack.frames) + depth;
                return pajesim__come_to(walk, PAJESIM_STATE, pajesim__open_of(walk->container, walk->type, depth),
                                        frame->start, &frame->fields);
            }
            if (type->thing.kind == PAJESIM_VARIABLE && !depth && slot->open.variable.set)
                return pajesim__come_to(walk, PAJESIM_VARIABLE, pajesim__open_of(walk->container, walk->type, 0),
                                        slot->start, &slot->open.variable.fields);
        }
        if (walk->stage == 1) {
            walk->stage = 2;
            walk->link = container->links;
        }
        if (walk->link) {
            pajesim__link *link = PAJESIM__AT(pajesim__link, walk->link);
            pajesim__open open = pajesim__open_of(walk->link, 0, 0);
            walk->link = link->next;
            return pajesim__come_to(walk, PAJESIM_LINK, open, link->time, &link->fields);
        }
        walk->stage = 0;
        walk->container = pajesim__next_container(sim, walk->container);
    } while (walk->container);
    return 0;
}

#endif /* PAJESIM_TRAVEL */
