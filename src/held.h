/* What a window holds: parts.  A part has the entities that closed between two checkpoints, and copies of the types,
 * values and containers that these refer to, in an arena of its own: so what answers queries of a simulation answers those
 * of a part, and a part can be moved. */
#if PAJESIM_TRAVEL

/* Before its arena. */
typedef struct pajesim__part {
    uint64_t begin, end; /* offsets in the trace */
    uint64_t shown;      /* when it was shown last */
    uint32_t ended;      /* as of a checkpoint */
    uint32_t size;       /* this head included */
    pajesim__offset first, last;
} pajesim__part;

typedef struct pajesim__held {
    pajesim__offset next;
    pajesim_ref container, type, value;
    pajesim_time start, end;
    uint32_t imbrication;
    pajesim__offset more; /* 0: none */
    union {
        pajesim_quantity number;
        pajesim_ref ends[2]; /* of a link */
    } of;
} pajesim__held;

typedef struct pajesim__more {
    pajesim__offset opening, closing; /* user fields */
    pajesim__text value, key;
} pajesim__more;

/* Takes a block of a part for good; 0: there is no room, whatever goes. */
static pajesim__offset pajesim__part_take(pajesim *part, pajesim__size size);

static pajesim__text pajesim__part_text(pajesim *part, pajesim_text text, int *full)
{
    pajesim__text copy = pajesim__part_take(part, (pajesim__size)text.size + sizeof(pajesim__length));
    if (copy)
        pajesim__put_text(part, copy, text.bytes, (uint32_t)text.size);
    else
        *full = 1;
    return copy;
}

static pajesim__table *pajesim__table_of(pajesim *sim, uint32_t what)
{
    pajesim__state *state = PAJESIM__STATE;
    return what == PAJESIM__TYPE ? &state->types : what == PAJESIM__VALUE ? &state->values : &state->containers;
}

/* Values are told apart by their type, and whether they were defined yet; containers by their serial number. */
static void pajesim__scopes_of(const pajesim *sim, pajesim_ref ref, pajesim_ref type, uint32_t *scope, uint32_t *subscope)
{
    const pajesim__thing *thing = PAJESIM__THING(ref);
    *scope = type;
    *subscope = thing->what == PAJESIM__VALUE ? thing->flags & PAJESIM__IMPLICIT : pajesim_serial(sim, ref);
}

static const pajesim__thing *pajesim__thing_at(const pajesim *sim, pajesim_ref ref)
{
    return PAJESIM__THING(ref);
}

static pajesim__container *pajesim__container_of(const pajesim *sim, pajesim_ref ref)
{
    return PAJESIM__CONTAINER_AT(ref);
}

/* The copy of a thing; 0: there is none yet.  `type`: of a value, that of the copy. */
static pajesim_ref pajesim__find_copy(pajesim *sim, const pajesim *from, pajesim_ref ref, pajesim_ref type)
{
    pajesim_text alias = pajesim_alias(from, ref);
    pajesim__key key = pajesim__key_of(alias.bytes, (uint32_t)alias.size);
    uint32_t scope, subscope;
    if (ref == pajesim_root(from))
        return pajesim_root(sim);
    if (ref == pajesim_root_type(from))
        return pajesim_root_type(sim);
    pajesim__scopes_of(from, ref, type, &scope, &subscope);
    return pajesim__find(sim, pajesim__table_of(sim, pajesim__thing_at(from, ref)->what), &key, scope, subscope);
}

/* Copies a thing whose parent is copied.  `type`: of a value or a container, that of the copy. */
static pajesim_ref pajesim__copy_one(pajesim *sim, const pajesim *from, pajesim_ref ref, pajesim_ref parent,
                                     pajesim_ref type, int *full)
{
    static const uint32_t sizes[] = {0, sizeof(pajesim__type), sizeof(pajesim__value),
                                     PAJESIM__CONTAINER_HEAD + PAJESIM__CONTAINER_REST};
    const pajesim__thing *thing = pajesim__thing_at(from, ref);
    pajesim__table *table = pajesim__table_of(sim, thing->what);
    pajesim_text alias = pajesim_alias(from, ref);
    pajesim__key key = pajesim__key_of(alias.bytes, (uint32_t)alias.size);
    pajesim_ref copy = pajesim__part_take(sim, sizes[thing->what]);
    pajesim__offset bytes = key.size > 2 * PAJESIM__HALF ? pajesim__part_take(sim, key.size) : 0;
    pajesim__text name = thing->name ? pajesim__part_text(sim, pajesim_name(from, ref), full) : 0;
    pajesim__text color = thing->color ? pajesim__part_text(sim, pajesim_color(from, ref), full) : 0;
    pajesim__size growth = pajesim__growth(table), node;
    pajesim__entry_room entry = {0, 0};
    uint32_t scope, subscope;
    pajesim__scopes_of(from, ref, thing->what == PAJESIM__VALUE ? type : 0, &scope, &subscope);
    node = pajesim__node_size(sim, table, pajesim__hash(&key, scope, subscope));
    if (growth)
        entry.grown = pajesim__part_take(sim, growth);
    if (node)
        entry.node = pajesim__part_take(sim, node);
    *full |= !copy || (growth && !entry.grown) || (node && !entry.node) || (key.size > 2 * PAJESIM__HALF && !bytes);
    if (*full)
        return 0;
    memset(PAJESIM__BYTES(copy), 0, sizes[thing->what]);
    copy = thing->what == PAJESIM__CONTAINER ? PAJESIM__CONTAINER_IN(copy) : PAJESIM__THING_IN(copy);
    PAJESIM__THING(copy)->what = thing->what;
    PAJESIM__THING(copy)->kind = thing->kind;
    PAJESIM__THING(copy)->flags = thing->flags;
    PAJESIM__THING(copy)->name = name;
    PAJESIM__THING(copy)->color = color;
    pajesim__put_id(sim, &PAJESIM__THING(copy)->id, &key, bytes, scope, subscope);
    pajesim__put_entry(sim, table, &entry, copy);
    if (thing->what == PAJESIM__VALUE)
        PAJESIM__THING(copy)->parent = type;
    else if (parent)
        pajesim__adopt(sim, parent, copy);
    if (thing->what == PAJESIM__CONTAINER) {
        PAJESIM__CONTAINER_AT(copy)->type = PAJESIM__CONTAINER_AT(copy)->was = type;
        PAJESIM__CONTAINER_AT(copy)->serial = subscope;
        PAJESIM__CONTAINER_AT(copy)->start = pajesim_start_of(from, ref);
    }
    return copy;
}

/* A type or a container, what it is in, and the type: what others need comes first. */
static pajesim_ref pajesim__copy_tree(pajesim *sim, const pajesim *from, pajesim_ref ref, int *full)
{
    pajesim_ref copy = pajesim__find_copy(sim, from, ref, 0);
    while (!copy && !*full) {
        pajesim_ref missing = ref, above, parent, type;
        for (;;) {
            parent = 0;
            for (above = pajesim_parent(from, missing); above; above = pajesim_parent(from, above)) {
                parent = pajesim__find_copy(sim, from, above, 0);
                if (parent)
                    break;
                missing = above;
            }
            above = pajesim_type_of(from, missing);
            type = above ? pajesim__find_copy(sim, from, above, 0) : 0;
            if (!above || type)
                break;
            missing = above;
        }
        copy = pajesim__copy_one(sim, from, missing, parent, type, full);
        if (missing != ref)
            copy = 0;
    }
    return copy;
}

static pajesim_ref pajesim__copy_thing(pajesim *sim, const pajesim *from, pajesim_ref ref, int *full)
{
    pajesim_ref type, copy;
    if (!ref || *full)
        return 0;
    if (pajesim__thing_at(from, ref)->what != PAJESIM__VALUE)
        return pajesim__copy_tree(sim, from, ref, full);
    type = pajesim__copy_tree(sim, from, pajesim_parent(from, ref), full);
    copy = *full ? 0 : pajesim__find_copy(sim, from, ref, type);
    return copy || *full ? copy : pajesim__copy_one(sim, from, ref, 0, type, full);
}

/* The same.  A container that is alive knows its copy; types and values are found in the cache of the part if they were
 * copied lately, but for values that are not defined. */
static pajesim_ref pajesim__copy(pajesim *sim, const pajesim *from, pajesim_ref ref, int *full)
{
    const pajesim__thing *thing = pajesim__thing_at(from, ref);
    if (!ref)
        return 0;
    if (thing->what == PAJESIM__CONTAINER) {
        pajesim__container *container = pajesim__container_of(from, ref);
        if (!container->type)
            return pajesim__copy_thing(sim, from, ref, full);
        if (!container->then.copy)
            container->then.copy = pajesim__copy_thing(sim, from, ref, full);
        return container->then.copy;
    }
#if PAJESIM_CACHE
    if (!(thing->flags & PAJESIM__IMPLICIT)) {
        uint32_t slot = (uint32_t)((ref * UINT64_C(0x9E3779B97F4A7C15)) >> 40) & (PAJESIM_CACHE - 1u);
        if (sim->cache[slot].lo != ref) {
            sim->cache[slot].lo = ref;
            sim->cache[slot].ref = pajesim__copy_thing(sim, from, ref, full);
        }
        return sim->cache[slot].ref;
    }
#endif
    return pajesim__copy_thing(sim, from, ref, full);
}

/* What is copied is copied into another part from now on. */
static void pajesim__forget_copies(const pajesim *sim)
{
    pajesim_ref ref;
    for (ref = PAJESIM__CONST_STATE->root; ref; ref = pajesim__next_container(sim, ref))
        PAJESIM__CONTAINER_AT(ref)->then.copy = 0;
}

/* ---- entities ---- */

static pajesim__part *pajesim__part_of(pajesim *sim)
{
    return (pajesim__part *)(void *)sim->arena - 1;
}

static pajesim__offset pajesim__part_own(pajesim *sim, const pajesim *from, const pajesim_fields *fields, int *full)
{
    pajesim__offset offset = pajesim__part_take(sim, pajesim__own_size(from, fields));
    if (offset)
        pajesim__put_own(PAJESIM__AT(pajesim__own, offset), from, fields);
    else
        *full = 1;
    return offset;
}

static pajesim__offset pajesim__hold_more(pajesim *sim, const pajesim *from, const pajesim_entity *entity, int *full)
{
    pajesim__more more = {0, 0, 0, 0};
    pajesim__offset offset;
    if (entity->opening.count)
        more.opening = pajesim__part_own(sim, from, &entity->opening, full);
    if (entity->closing.count)
        more.closing = pajesim__part_own(sim, from, &entity->closing, full);
    if (!entity->value && entity->value_name.size)
        more.value = pajesim__part_text(sim, entity->value_name, full);
    if (entity->key.size)
        more.key = pajesim__part_text(sim, entity->key, full);
    if (!more.opening && !more.closing && !more.value && !more.key)
        return 0;
    offset = pajesim__part_take(sim, sizeof more);
    if (offset)
        memcpy(PAJESIM__BYTES(offset), &more, sizeof more);
    else
        *full = 1;
    return offset;
}

/* Adds an entity to a part; answers 0 if there is no room. */
static int pajesim__hold(pajesim *sim, const pajesim *from, const pajesim_entity *entity)
{
    int full = 0;
    pajesim__held held;
    pajesim__part *part;
    pajesim__offset offset;
    memset(&held, 0, sizeof held);
    held.container = pajesim__copy(sim, from, entity->container, &full);
    held.type = pajesim__copy(sim, from, entity->type, &full);
    held.value = pajesim__copy(sim, from, entity->value, &full);
    held.start = entity->start;
    held.end = entity->end;
    held.imbrication = entity->imbrication;
    if (entity->kind == PAJESIM_LINK) {
        held.of.ends[0] = pajesim__copy(sim, from, entity->start_container, &full);
        held.of.ends[1] = pajesim__copy(sim, from, entity->end_container, &full);
    } else {
        held.of.number = entity->number;
    }
    held.more = pajesim__hold_more(sim, from, entity, &full);
    offset = pajesim__part_take(sim, sizeof held);
    if (full || !offset)
        return 0;
    memcpy(PAJESIM__BYTES(offset), &held, sizeof held);
    part = pajesim__part_of(sim);
    if (part->last)
        PAJESIM__AT(pajesim__held, part->last)->next = offset;
    else
        part->first = offset;
    part->last = offset;
    return 1;
}

static void pajesim__view_held(const pajesim *sim, const pajesim__held *held, pajesim_entity *entity)
{
    pajesim_kind kind = pajesim_kind_of(sim, held->type);
    const pajesim__more *more = PAJESIM__AT(const pajesim__more, held->more);
    pajesim__bare(entity);
    pajesim__fill(entity, kind, held->container, held->type, held->start, 0);
    entity->end = held->end;
    entity->imbrication = held->imbrication;
    entity->value = held->value;
    if (held->value)
        entity->value_name = pajesim_name(sim, held->value);
    if (kind == PAJESIM_LINK) {
        entity->start_container = held->of.ends[0];
        entity->end_container = held->of.ends[1];
    } else {
        entity->number = held->of.number;
    }
    if (!held->more)
        return;
    if (more->opening)
        entity->opening = pajesim__own_view(PAJESIM__AT(const pajesim__own, more->opening));
    if (more->closing)
        entity->closing = pajesim__own_view(PAJESIM__AT(const pajesim__own, more->closing));
    if (more->value)
        entity->value_name = pajesim__text_at(sim, more->value);
    entity->key = pajesim__text_at(sim, more->key);
}
#endif /* PAJESIM_TRAVEL */
