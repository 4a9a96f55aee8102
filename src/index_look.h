/* What is in an index: checkpoints to begin from, and how what is open at them closes. */
#if PAJESIM_TRAVEL

static const pajesim__checkpoint *pajesim__checkpoints_of(const pajesim_index *index)
{
    return PAJESIM__CHECKPOINT(0);
}

PAJESIM_API uint64_t *pajesim_index_label(pajesim_index *index)
{
    return PAJESIM__INDEX->label;
}

PAJESIM_API int pajesim_index_complete(const pajesim_index *index)
{
    return PAJESIM__INDEX->complete != 0;
}

PAJESIM_API uint32_t pajesim_index_count(const pajesim_index *index)
{
    return PAJESIM__INDEX->count;
}

/* The least time after a checkpoint is that of all stretches from there on. */
static pajesim_time pajesim__least_after(const pajesim_index *index, uint32_t number)
{
    const pajesim__checkpoint *checkpoints = pajesim__checkpoints_of(index);
    pajesim_time least = -PAJESIM__TIME_LEAST;
    for (; number < pajesim_index_count(index); number++)
        if (checkpoints[number].least < least)
            least = checkpoints[number].least;
    return least;
}

PAJESIM_API int pajesim_index_checkpoint(const pajesim_index *index, uint32_t number, pajesim_checkpoint *checkpoint)
{
    const pajesim__checkpoint *it = PAJESIM__CHECKPOINT(number);
    if (number >= pajesim_index_count(index))
        return 0;
    checkpoint->offset = it->offset;
    checkpoint->events = it->events;
    checkpoint->greatest = it->greatest;
    checkpoint->least = pajesim__least_after(index, number);
    checkpoint->arena = it->top;
    checkpoint->size = it->image_size + it->count * sizeof(pajesim__ending);
    return 1;
}

PAJESIM_API uint32_t pajesim_index_at(const pajesim_index *index, uint64_t offset)
{
    const pajesim__checkpoint *checkpoints = pajesim__checkpoints_of(index);
    uint32_t number = pajesim_index_count(index);
    while (number > 1 && checkpoints[number - 1].offset > offset)
        number--;
    return number ? number - 1 : 0;
}

PAJESIM_API uint32_t pajesim_index_before(const pajesim_index *index, pajesim_time time)
{
    const pajesim__checkpoint *checkpoints = pajesim__checkpoints_of(index);
    uint32_t number = pajesim_index_count(index);
    while (number > 1 && !(checkpoints[number - 1].greatest < time))
        number--;
    return number ? number - 1 : 0;
}

PAJESIM_API uint32_t pajesim_index_after(const pajesim_index *index, pajesim_time time)
{
    const pajesim__checkpoint *checkpoints = pajesim__checkpoints_of(index);
    uint32_t number = pajesim_index_count(index);
    if (!number)
        return 0;
    for (number--; number && checkpoints[number - 1].least > time; number--) {
    }
    return number;
}

PAJESIM_API pajesim_status pajesim_index_restore(const pajesim_index *index, uint32_t number, pajesim *sim, void *arena,
                                                 size_t capacity, const pajesim_callbacks *callbacks, void *data)
{
    const pajesim__checkpoint *checkpoint;
    if (!index || !sim || !arena || !pajesim__is_aligned(arena) || number >= pajesim_index_count(index))
        return PAJESIM_MISUSE;
    checkpoint = PAJESIM__CHECKPOINT(number);
    return pajesim__begin_again(sim, arena, capacity, PAJESIM__STORED(unsigned char, checkpoint->image),
                                checkpoint->image_size, checkpoint->top, callbacks, data);
}

PAJESIM_API uint32_t pajesim_serial(const pajesim *sim, pajesim_ref container)
{
    return container && PAJESIM__THING(container)->what == PAJESIM__CONTAINER ? PAJESIM__CONTAINER_AT(container)->serial
                                                                              : 0;
}

/* ---- the rest: what is open at a checkpoint, closed as it will be ---- */

typedef struct pajesim__left {
    uint32_t order, ending, depth;
    pajesim_kind kind;
    pajesim_ref ref, type; /* pajesim__walk */
    pajesim_ref other;     /* end point of a link */
} pajesim__left;

static int pajesim__is_later(const pajesim__left *left, const pajesim__left *right)
{
    return left->order > right->order || (left->order == right->order && left->ending > right->ending);
}

/* Heap sort: in place, and whatever the order it does not take long. */
static void pajesim__sift(pajesim__left *left, uint32_t at, uint32_t count)
{
    pajesim__left one = left[at];
    for (;;) {
        uint32_t next = 2 * at + 1;
        if (next >= count)
            break;
        next += next + 1 < count && pajesim__is_later(&left[next + 1], &left[next]);
        if (!pajesim__is_later(&left[next], &one))
            break;
        left[at] = left[next];
        at = next;
    }
    left[at] = one;
}

static void pajesim__sort(pajesim__left *left, uint32_t count)
{
    uint32_t i;
    for (i = count / 2; i > 0; i--)
        pajesim__sift(left, i - 1, count);
    for (i = count; i > 1; i--) {
        pajesim__left last = left[i - 1];
        left[i - 1] = left[0];
        left[0] = last;
        pajesim__sift(left, 0, i - 1);
    }
}

/* The container of a serial number in a simulation where it may never have been, as an end point of a link; 0: there is
 * no room for it. */
static pajesim_ref pajesim__stranger(pajesim *sim, uint32_t serial, pajesim_text alias, pajesim_text name)
{
    pajesim__table *table = &PAJESIM__STATE->containers;
    pajesim__key key = pajesim__key_of(alias.bytes, (uint32_t)alias.size);
    pajesim__container *container;
    pajesim__offset bytes;
    pajesim__entry_room entry;
    pajesim__text text;
    uint32_t scope;
    pajesim_ref ref;
    if (!serial)
        return PAJESIM__STATE->root;
    for (scope = 0; scope <= PAJESIM__BESIDE_ROOT; scope++) {
        ref = pajesim__find(sim, table, &key, scope, 0);
        if (ref && pajesim_serial(sim, ref) == serial)
            return ref;
    }
    ref = pajesim__find(sim, table, &key, 0, serial);
    if (ref)
        return ref;
    ref = pajesim__take_container(sim, 0);
    bytes = pajesim__take_id(sim, &key);
    text = pajesim__take_text(sim, (uint32_t)name.size);
    entry = pajesim__take_entry(sim, table, pajesim__hash(&key, 0, serial));
    if (!pajesim__room(sim)) {
        sim->needed = sim->top;
        pajesim__undo(sim);
        return 0;
    }
    pajesim__keep(sim);
    container = PAJESIM__CONTAINER_AT(ref);
    memset(container, 0, sizeof *container);
    container->thing.what = PAJESIM__CONTAINER;
    container->thing.kind = PAJESIM_CONTAINER;
    container->serial = serial;
    container->thing.name = text;
    pajesim__put_text(sim, text, name.bytes, (uint32_t)name.size);
    pajesim__put_id(sim, &container->thing.id, &key, bytes, 0, serial);
    pajesim__put_entry(sim, table, &entry, ref);
    return ref;
}

/* The end point of a link that is complete later. */
static pajesim_ref pajesim__other_end(pajesim *sim, const pajesim__closing *closing)
{
    const char *text = (const char *)(closing + 1) + closing->fields + closing->value;
    return pajesim__stranger(sim, closing->serial, pajesim__view(text, closing->alias),
                             pajesim__view(text + closing->alias, closing->name));
}

/* Gathers what is left at a checkpoint and overlaps [from, to]; counts it only if `left` is NULL.  Answers 0 if there is
 * no room for an end point of a link. */
static int pajesim__gather(const pajesim_index *index, uint32_t number, pajesim *sim, pajesim_time from, pajesim_time to,
                           pajesim__left *left, uint32_t *count)
{
    const pajesim__ending *endings = PAJESIM__ENDINGS(number);
    int complete = pajesim_index_complete(index);
    pajesim__walk walk;
    uint32_t at = 0, depth;
    memset(&walk, 0, sizeof walk);
    *count = 0;
    while (pajesim__walk_on(sim, &walk))
        for (depth = 0; depth < walk.count; depth++, at++) {
            const pajesim__ending *ending = &endings[at];
            pajesim_ref other = 0;
            if ((ending->order ? ending->time < from : complete) || (ending->flags & PAJESIM__IS_LOST) ||
                pajesim__start_at(sim, &walk, depth) > to)
                continue;
            if (walk.kind == PAJESIM_LINK) {
                /* A start that is to come is later than `to`. */
                if (!ending->order || !PAJESIM__AT(const pajesim__link, walk.ref)->started)
                    continue;
                other = pajesim__other_end(sim, PAJESIM__STORED(const pajesim__closing, ending->closing));
                if (!other)
                    return 0;
            }
            if (left) {
                left[*count].order = ending->order ? ending->order : UINT32_MAX;
                left[*count].ending = at;
                left[*count].depth = depth;
                left[*count].kind = walk.kind;
                left[*count].ref = walk.ref;
                left[*count].type = walk.type;
                left[*count].other = other;
            }
            ++*count;
        }
    return 1;
}

static void pajesim__view_left(const pajesim *sim, const pajesim__left *left, pajesim_entity *entity)
{
    pajesim__bare(entity);
    if (left->kind == PAJESIM_CONTAINER) {
        pajesim__view_container(sim, entity, left->ref);
    } else if (left->kind == PAJESIM_LINK) {
        const pajesim__link *link = PAJESIM__AT(const pajesim__link, left->ref);
        pajesim__fill(entity, PAJESIM_LINK, link->id.scope, link->id.subscope, link->time, 1);
        entity->start_container = link->end_point;
        entity->end_container = left->other;
        entity->value = link->value;
        entity->value_name = pajesim__link_value(sim, link);
        entity->key = pajesim__id_text(sim, &link->id);
        pajesim__kept_fields(sim, link->fields, &entity->opening);
    } else {
        pajesim_open_entity(sim, left->ref, left->type, left->depth, entity);
    }
}

static void pajesim__show_left(const pajesim_index *index, const pajesim__ending *ending, pajesim_entity *entity)
{
    const pajesim__closing *closing = PAJESIM__STORED(const pajesim__closing, ending->closing);
    if (!ending->order)
        return;
    entity->open = 0;
    entity->end = ending->time;
    if (!ending->closing)
        return;
    if (closing->fields)
        entity->closing = pajesim__own_view((const pajesim__own *)(const void *)(closing + 1));
    if (closing->value)
        entity->value_name = pajesim__view((const char *)(closing + 1) + closing->fields, closing->value);
    if (ending->flags & PAJESIM__IS_CHANGED)
        entity->number = closing->number;
}

PAJESIM_API pajesim_status pajesim_index_rest(const pajesim_index *index, uint32_t number, pajesim *sim,
                                              pajesim_time from, pajesim_time to)
{
    pajesim__offset block;
    pajesim__left *left;
    uint32_t count, i;
    int stopped = 0;
    if (!index || !sim || number >= pajesim_index_count(index))
        return PAJESIM_MISUSE;
    if (sim->busy)
        return PAJESIM_BUSY;
    sim->top = PAJESIM__STATE->top;
    if (!pajesim__gather(index, number, sim, from, to, NULL, &count))
        return PAJESIM_FULL;
    block = pajesim__take(sim, (count + (pajesim__size)1) * sizeof *left);
    if (!pajesim__room(sim)) {
        sim->needed = sim->top;
        pajesim__undo(sim);
        return PAJESIM_FULL;
    }
    pajesim__keep(sim);
    left = PAJESIM__AT(pajesim__left, block);
    pajesim__gather(index, number, sim, from, to, left, &count);
    pajesim__sort(left, count);
    PAJESIM__STATE->stage = PAJESIM__FINISHED;
    sim->busy = 1;
    for (i = 0; i < count && !stopped; i++) {
        pajesim_entity entity;
        pajesim__view_left(sim, &left[i], &entity);
        pajesim__show_left(index, &PAJESIM__ENDINGS(number)[left[i].ending], &entity);
        if (sim->callbacks->closed)
            stopped = sim->callbacks->closed(sim, &entity) == PAJESIM_STOP;
    }
    sim->busy = 0;
    return stopped ? PAJESIM_STOPPED : PAJESIM_OK;
}
#endif /* PAJESIM_TRAVEL */
