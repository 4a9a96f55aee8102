/* Showing entities, closing them, and forgetting what nothing bears any more. */

/* Takes away what few entities have: the ends and the key of a link, and user fields. */
PAJESIM__APART void pajesim__bare(pajesim_entity *entity)
{
    entity->start_container = entity->end_container = 0;
    entity->key = pajesim__view("", 0);
    entity->opening.count = entity->closing.count = 0;
    entity->opening.definition = entity->closing.definition = 0;
}

/* The record in which all entities are shown, bare but for what pajesim__fill sets in each: setting all of it each time
 * would cost more than the rest.  Who shows a link takes its ends away afterwards. */
PAJESIM__INLINE pajesim_entity *pajesim__entity(pajesim *sim)
{
    pajesim_entity *entity = &sim->entity;
    if (PAJESIM_FIELDS && PAJESIM__UNLIKELY(entity->opening.count | entity->closing.count))
        pajesim__bare(entity);
    return entity;
}

/* What is set in every entity; the rest is bare. */
PAJESIM__SHARED void pajesim__fill(pajesim_entity *entity, pajesim_kind kind, pajesim_ref container, pajesim_ref type,
                                   pajesim_time time, int open)
{
    entity->kind = kind;
    entity->imbrication = 0;
    entity->container = container;
    entity->type = type;
    entity->value = 0;
    entity->start = entity->end = time;
    entity->open = open;
    entity->number = 0;
    entity->value_name = pajesim__view("", 0);
}

/* It ends, by a line, or, where that is NULL, by the way. */
PAJESIM__INLINE void pajesim__end_entity(const pajesim *sim, pajesim_entity *entity, pajesim__line *line,
                                         pajesim_time time)
{
    entity->end = time;
    entity->open = 0;
    if (line)
        pajesim__show_user_fields(sim, line, &entity->closing);
}

typedef int (*pajesim__entry_point)(pajesim *sim, const pajesim_entity *entity);

PAJESIM__INLINE int pajesim__heard(const pajesim *sim, pajesim__entry_point entry)
{
    return entry || sim->callbacks->closed;
}

PAJESIM__SHARED void pajesim__show(pajesim *sim, pajesim__entry_point entry, const pajesim_entity *entity)
{
    if (entry)
        pajesim__answer(sim, entry(sim, entity));
}

PAJESIM__SHARED void pajesim__show_closed(pajesim *sim, pajesim__entry_point entry, const pajesim_entity *entity)
{
    pajesim__show(sim, sim->callbacks->closed, entity);
    pajesim__show(sim, entry, entity);
}

/* ---- what nothing bears any more is remembered for a while, in a queue ---- */

static void pajesim__enqueue(pajesim *sim, pajesim__queue *queue, pajesim__offset offset, pajesim__offset *next)
{
    *next = 0;
    if (queue->first)
        *(PAJESIM__THING(queue->last)->what == PAJESIM__VALUE ? &PAJESIM__VALUE_AT(queue->last)->next
                                                               : &PAJESIM__CONTAINER_AT(queue->last)->then.next) = offset;
    else
        queue->first = offset;
    queue->last = offset;
    queue->count++;
    PAJESIM__THING(offset)->flags |= PAJESIM__QUEUED;
}

static void pajesim__free_thing(pajesim *sim, pajesim_ref ref, uint32_t size)
{
    pajesim__give_text(sim, PAJESIM__THING(ref)->name);
    if (PAJESIM_FIELDS)
        pajesim__give_text(sim, PAJESIM__THING(ref)->color);
    pajesim__give_id(sim, &PAJESIM__THING(ref)->id);
    pajesim__give(sim, (pajesim__offset)(ref - (PAJESIM__THING(ref)->what == PAJESIM__CONTAINER ? PAJESIM__CONTAINER_HEAD
                                                                                       : PAJESIM__THING_HEAD)),
                  size);
}

static void pajesim__forget_value(pajesim *sim, pajesim_ref ref)
{
    pajesim__thing *thing = PAJESIM__THING(ref);
    pajesim__uncache(sim, &thing->id, PAJESIM__VALUES_SCOPE(thing->parent));
    pajesim__remove_entry(sim, &PAJESIM__STATE->values, ref);
    pajesim__free_thing(sim, ref, sizeof(pajesim__value));
}

/* An open state bears an implicit value no longer. */
static void pajesim__unbear_value(pajesim *sim, pajesim_ref ref)
{
    pajesim__state *state = PAJESIM__STATE;
    pajesim__value *value = PAJESIM__VALUE_AT(ref);
    if (--value->bearers || (PAJESIM_REPAIRS && (value->thing.flags & PAJESIM__QUEUED)))
        return;
    if (!PAJESIM_REPAIRS) {
        pajesim__forget_value(sim, ref);
        return;
    }
    pajesim__enqueue(sim, &state->unused_values, ref, &value->next);
    if (state->unused_values.count > state->kept) {
        pajesim_ref oldest = state->unused_values.first;
        pajesim__value *gone = PAJESIM__VALUE_AT(oldest);
        state->unused_values.first = gone->next;
        state->unused_values.count--;
        gone->thing.flags &= (uint8_t)~PAJESIM__QUEUED;
        if ((gone->thing.flags & PAJESIM__IMPLICIT) && !gone->bearers)
            pajesim__forget_value(sim, oldest);
    }
}

static uint32_t pajesim__container_size(uint32_t own_slots)
{
    return (uint32_t)((PAJESIM__CONTAINER_HEAD + PAJESIM__CONTAINER_REST) * PAJESIM__UNIT + own_slots * sizeof(pajesim__slot));
}

static pajesim_ref pajesim__take_container(pajesim *sim, uint32_t own_slots)
{
    return PAJESIM__CONTAINER_IN(pajesim__take(sim, pajesim__container_size(own_slots)));
}

/* A destroyed container's record goes when it is neither remembered nor an end point of a pending link. */
static void pajesim__free_destroyed(pajesim *sim, pajesim_ref ref)
{
    pajesim__container *container = PAJESIM__CONTAINER_AT(ref);
    if (container->type || container->end_points || (container->thing.flags & PAJESIM__QUEUED))
        return;
    PAJESIM__CHANGED(sim);
    if (PAJESIM_REPAIRS && (container->thing.flags & PAJESIM__LISTED))
        pajesim__remove_entry(sim, &PAJESIM__STATE->containers, ref);
    pajesim__free_thing(sim, ref, pajesim__container_size(container->own_slots));
}

static void pajesim__remember_destroyed(pajesim *sim, pajesim_ref ref)
{
    pajesim__state *state = PAJESIM__STATE;
    if (!PAJESIM_REPAIRS) {
        PAJESIM__CHANGED(sim);
        pajesim__remove_entry(sim, &state->containers, ref);
        pajesim__free_destroyed(sim, ref);
        return;
    }
    pajesim__enqueue(sim, &state->destroyed, ref, &PAJESIM__CONTAINER_AT(ref)->then.next);
    if (state->destroyed.count > state->kept) {
        pajesim_ref oldest = state->destroyed.first;
        state->destroyed.first = PAJESIM__CONTAINER_AT(oldest)->then.next;
        state->destroyed.count--;
        PAJESIM__THING(oldest)->flags &= (uint8_t)~PAJESIM__QUEUED;
        pajesim__free_destroyed(sim, oldest);
    }
}

/* ---- states ---- */

PAJESIM__INLINE void pajesim__view_state(const pajesim *sim, pajesim_entity *entity, pajesim_ref container,
                                         pajesim_ref type, const pajesim__frame *frame, uint32_t depth)
{
    pajesim_ref value = frame->value;
    pajesim_text value_name = pajesim__name_of(sim, value);
    pajesim__fill(entity, PAJESIM_STATE, container, type, frame->start, 1);
    entity->imbrication = depth;
    entity->value = value;
    entity->value_name = value_name;
    pajesim__kept_fields(sim, frame->fields, &entity->opening);
}

PAJESIM__INLINE void pajesim__show_state_end(pajesim *sim, pajesim__line *line, pajesim_ref container, pajesim_ref type,
                                             const pajesim__slot *slot, pajesim_time time)
{
    const pajesim__frame *frame = PAJESIM__AT(pajesim__frame, slot->open.stack.frames) + slot->open.stack.depth;
    pajesim_entity *entity = pajesim__entity(sim);
    pajesim__view_state(sim, entity, container, type, frame, slot->open.stack.depth);
    pajesim__end_entity(sim, entity, line, time);
    pajesim__show_closed(sim, line ? sim->callbacks->state_popped : NULL, entity);
}

/* Shows a state that was on top of its stack, and gives back what it had. */
PAJESIM__INLINE void pajesim__end_state(pajesim *sim, pajesim__line *line, pajesim_ref container, pajesim_ref type,
                                        const pajesim__slot *slot, pajesim_time time)
{
    const pajesim__frame *frame = PAJESIM__AT(pajesim__frame, slot->open.stack.frames) + slot->open.stack.depth;
    PAJESIM__STATE->counts.states++;
    if (sim->callbacks->closed || (line && sim->callbacks->state_popped))
        pajesim__show_state_end(sim, line, container, type, slot, time);
    if (PAJESIM_FIELDS && PAJESIM__UNLIKELY(frame->fields))
        pajesim__give_fields(sim, frame->fields);
    if (PAJESIM__UNLIKELY(PAJESIM__THING(frame->value)->flags & PAJESIM__IMPLICIT)) /* the others stay for ever */
        pajesim__unbear_value(sim, frame->value);
}

#if PAJESIM_TRAVEL
/* Apart, so that what closes others has nothing to remember meanwhile. */
PAJESIM__COLD void pajesim__end_marked_state(pajesim *sim, pajesim__line *line, pajesim_ref container, pajesim_ref type,
                                             const pajesim__slot *slot, pajesim_time time)
{
    pajesim__note_end(sim, line, slot->open.stack.ending + slot->open.stack.depth, time,
                      (PAJESIM__AT(pajesim__frame, slot->open.stack.frames) + slot->open.stack.depth)->value, NULL);
    pajesim__end_state(sim, line, container, type, slot, time);
}
#endif

/* Closes the top of a stack.  `line` is the line that pops it, NULL where it is closed by the way. */
PAJESIM__INLINE void pajesim__close_top(pajesim *sim, pajesim__line *line, pajesim_ref container, pajesim_ref type,
                                 pajesim__slot *slot, pajesim_time time)
{
    slot->open.stack.depth--;
#if PAJESIM_TRAVEL
    if (PAJESIM__IS_MARKED((PAJESIM__AT(pajesim__frame, slot->open.stack.frames) + slot->open.stack.depth)->fields)) {
        pajesim__end_marked_state(sim, line, container, type, slot, time);
        return;
    }
#endif
    pajesim__end_state(sim, line, container, type, slot, time);
}

/* The same where that does not happen all the time. */
static void pajesim__close_state(pajesim *sim, pajesim_ref container, pajesim_ref type, pajesim__slot *slot,
                                 pajesim_time time)
{
    pajesim__close_top(sim, NULL, container, type, slot, time);
}

static pajesim__size pajesim__stack_size(uint32_t room)
{
    return (pajesim__size)room * sizeof(pajesim__frame);
}

/* A stack that was deep gives room back: all when empty, else half when a quarter full, if a block half as large lies
 * ready, as it does where the stack has grown to its size. */
static void pajesim__shrink_large_stack(pajesim *sim, pajesim__slot *slot)
{
    uint32_t room = slot->open.stack.room;
    if (slot->open.stack.depth > room / 4)
        return;
    if (slot->open.stack.depth == 0) {
        pajesim__give(sim, slot->open.stack.frames, pajesim__stack_size(room));
        slot->open.stack.frames = 0;
        slot->open.stack.room = 0;
    } else if (!PAJESIM_SMALL && PAJESIM__STATE->free_list[pajesim__class_of(pajesim__stack_size(room / 2))]) {
        pajesim__offset frames = pajesim__take(sim, pajesim__stack_size(room / 2));
        pajesim__keep(sim);
        memcpy(PAJESIM__BYTES(frames), PAJESIM__BYTES(slot->open.stack.frames),
               slot->open.stack.depth * sizeof(pajesim__frame));
        pajesim__give(sim, slot->open.stack.frames, pajesim__stack_size(room));
        slot->open.stack.frames = frames;
        slot->open.stack.room = (pajesim__length)(room / 2);
    }
}

PAJESIM__INLINE void pajesim__shrink_stack(pajesim *sim, pajesim__slot *slot)
{
    if (PAJESIM__UNLIKELY(slot->open.stack.room > 8))
        pajesim__shrink_large_stack(sim, slot);
}

/* ---- variables ---- */

PAJESIM__INLINE void pajesim__view_variable(const pajesim *sim, pajesim_entity *entity, pajesim_ref container,
                                            pajesim_ref type, const pajesim__slot *slot)
{
    pajesim__fill(entity, PAJESIM_VARIABLE, container, type, slot->start, 1);
    entity->number = slot->open.variable.number;
    pajesim__kept_fields(sim, slot->open.variable.fields, &entity->opening);
}

PAJESIM__INLINE void pajesim__end_variable(pajesim *sim, pajesim__line *line, pajesim_ref container, pajesim_ref type,
                                           pajesim__slot *slot, pajesim_time time)
{
    PAJESIM__STATE->counts.variables++;
    if (sim->callbacks->closed) {
        pajesim_entity *entity = pajesim__entity(sim);
        pajesim__view_variable(sim, entity, container, type, slot);
        pajesim__end_entity(sim, entity, line, time);
        pajesim__show(sim, sim->callbacks->closed, entity);
    }
    pajesim__give_fields(sim, slot->open.variable.fields);
    slot->open.variable.fields = 0;
}

#if PAJESIM_TRAVEL
PAJESIM__COLD void pajesim__end_marked_variable(pajesim *sim, pajesim__line *line, pajesim_ref container,
                                                pajesim_ref type, pajesim__slot *slot, pajesim_time time)
{
    pajesim__note_end(sim, line, slot->open.variable.set >> 1, time, 0, &slot->open.variable.number);
    pajesim__end_variable(sim, line, container, type, slot, time);
}
#endif

static void pajesim__close_variable(pajesim *sim, pajesim__line *line, pajesim_ref container, pajesim_ref type,
                                    pajesim__slot *slot, pajesim_time time)
{
#if PAJESIM_TRAVEL
    if (PAJESIM__IS_MARKED(slot->open.variable.fields)) {
        pajesim__end_marked_variable(sim, line, container, type, slot, time);
        return;
    }
#endif
    pajesim__end_variable(sim, line, container, type, slot, time);
}

/* ---- links ---- */

static void pajesim__give_up_end_point(pajesim *sim, pajesim_ref container)
{
    PAJESIM__CONTAINER_AT(container)->end_points--;
    pajesim__free_destroyed(sim, container);
}

/* Forgets a link that is complete, or given up. */
static void pajesim__free_link(pajesim *sim, pajesim__offset offset)
{
    pajesim__link *link = PAJESIM__AT(pajesim__link, offset);
    pajesim__container *bearer = PAJESIM__CONTAINER_AT(link->id.scope);
    pajesim__remove_entry(sim, &PAJESIM__STATE->links, offset);
    if (link->previous)
        PAJESIM__AT(pajesim__link, link->previous)->next = link->next;
    else
        bearer->links = link->next;
    if (link->next)
        PAJESIM__AT(pajesim__link, link->next)->previous = link->previous;
    pajesim__give_up_end_point(sim, link->end_point);
    pajesim__give_fields(sim, link->fields);
    pajesim__give_text(sim, link->value_text);
    pajesim__give_id(sim, &link->id);
    pajesim__give(sim, offset, sizeof *link);
}

/* ---- containers ---- */

static void pajesim__view_container(const pajesim *sim, pajesim_entity *entity, pajesim_ref ref)
{
    const pajesim__container *container = PAJESIM__CONTAINER_AT(ref);
    pajesim__fill(entity, PAJESIM_CONTAINER, ref, container->was, container->start, 1);
    pajesim__kept_fields(sim, container->fields, &entity->opening);
}

/* The slots that are not in the container's own block. */
static void pajesim__give_slots(pajesim *sim, pajesim_ref ref)
{
    const pajesim__container *container = PAJESIM__CONTAINER_AT(ref);
    if (container->slot_count > container->own_slots)
        pajesim__give(sim, container->slots, container->slot_count * (pajesim__size)sizeof(pajesim__slot));
}

static void pajesim__close_container(pajesim *sim, pajesim__line *line, pajesim_ref ref, pajesim_time time)
{
    pajesim__container *container = PAJESIM__CONTAINER_AT(ref);
    PAJESIM__STATE->counts.containers++;
    if (pajesim__heard(sim, sim->callbacks->container_destroyed)) {
        pajesim_entity *entity = pajesim__entity(sim);
        pajesim__view_container(sim, entity, ref);
        pajesim__end_entity(sim, entity, line, time);
        pajesim__show_closed(sim, sim->callbacks->container_destroyed, entity);
    }
    pajesim__orphan(sim, ref);
#if PAJESIM_TRAVEL
    if (PAJESIM__IS_MARKED(container->fields))
        pajesim__note_end(sim, line, container->then.ending, time, 0, NULL);
#endif
    pajesim__give_fields(sim, container->fields);
    container->fields = 0;
    pajesim__give_slots(sim, ref);
    container->slot_count = 0;
    container->type = 0;
    pajesim__remember_destroyed(sim, ref);
}

/* Where the closing of a container has come to: it goes down the tree and never recurses, and as what is closed is gone,
 * a cursor on the container itself always finds what is left. */
typedef struct pajesim__cursor {
    pajesim_ref root, container;
    pajesim_ref type; /* of the container's type's, whose slot is next; 0: the first, or none is left */
    int types_done;
} pajesim__cursor;

static pajesim__cursor pajesim__begin_closing(pajesim_ref container)
{
    pajesim__cursor cursor;
    cursor.root = cursor.container = container;
    cursor.type = 0;
    cursor.types_done = 0;
    return cursor;
}

/* Closes one entity: the open states and variables of the container, by type; gives up its pending links; then what is
 * within its children; and at last the container itself.  Answers 0 when that was the whole. */
static int pajesim__close_next(pajesim *sim, pajesim__line *line, pajesim__cursor *cursor, pajesim_time time)
{
    for (;;) {
        pajesim_ref here = cursor->container;
        pajesim__container *container = PAJESIM__CONTAINER_AT(here);
        while (!cursor->types_done) {
            const pajesim__type *type;
            pajesim__slot *slot = NULL;
            if (!cursor->type)
                cursor->type = container->slot_count ? PAJESIM__TYPE_AT(container->was)->tree.first : 0;
            if (!cursor->type) {
                cursor->types_done = 1;
                break;
            }
            type = PAJESIM__TYPE_AT(cursor->type);
            if (type->thing.kind != PAJESIM_CONTAINER && type->slot < container->slot_count)
                slot = PAJESIM__AT(pajesim__slot, container->slots) + type->slot;
            if (slot && type->thing.kind == PAJESIM_STATE && slot->open.stack.depth) {
                pajesim__close_state(sim, here, cursor->type, slot, time);
                return 1;
            }
            if (slot && type->thing.kind == PAJESIM_VARIABLE && PAJESIM__IS_SET(slot)) {
                slot->open.variable.set--;
                pajesim__close_variable(sim, NULL, here, cursor->type, slot, time);
                return 1;
            }
            if (slot && type->thing.kind == PAJESIM_STATE && slot->open.stack.room) {
                pajesim__give(sim, slot->open.stack.frames, pajesim__stack_size(slot->open.stack.room));
                slot->open.stack.room = 0;
            }
            cursor->type = type->tree.next;
            cursor->types_done = !cursor->type;
        }
        if (container->links) {
            const pajesim__link *link = PAJESIM__AT(pajesim__link, container->links);
            if (!PAJESIM__STATE->ignore_links) {
                pajesim_text key = pajesim__id_text(sim, &link->id);
                pajesim__tell(sim, PAJESIM_E_LINK_PENDING, PAJESIM_ERROR, 0, key.bytes, (uint32_t)key.size);
            }
#if PAJESIM_TRAVEL
            if (PAJESIM__IS_MARKED(link->fields))
                pajesim__note_flag(sim, link->ending, PAJESIM__IS_LOST);
#endif
            pajesim__free_link(sim, container->links);
            return 1;
        }
        cursor->type = 0;
        cursor->types_done = 0;
        if (container->tree.first) {
            cursor->container = container->tree.first;
            continue;
        }
        cursor->container = container->thing.parent;
        cursor->types_done = 1; /* the parent's are closed: it was come through on the way down */
        pajesim__close_container(sim, here == cursor->root ? line : NULL, here, time);
        return here != cursor->root;
    }
}

PAJESIM_API int pajesim_open_entity(const pajesim *sim, pajesim_ref container, pajesim_ref type, uint32_t depth,
                                    pajesim_entity *entity)
{
    const pajesim__slot *slot;
    if (depth >= pajesim_depth(sim, container, type))
        return 0;
    slot = pajesim__slot_of(sim, container, type);
    pajesim__bare(entity);
    if (PAJESIM__THING(type)->kind == PAJESIM_STATE)
        pajesim__view_state(sim, entity, container, type, PAJESIM__AT(pajesim__frame, slot->open.stack.frames) + depth,
                            depth);
    else
        pajesim__view_variable(sim, entity, container, type, slot);
    return 1;
}
