/* An index: checkpoints of a trace, and when what was open at them closed.
 *
 * Its block holds an image head, so that the block is what is saved, and behind it an arena of its own with a directory of
 * checkpoints.  A checkpoint has an image, and for each thing that is open there, in the order in which pajesim__walk_on
 * comes to them, an ending.  The endings of a thing that is open at several checkpoints are chained, the latest one first;
 * when it closes all of them are filled in.  What is open at the latest checkpoint is found by a table of keys. */
#if PAJESIM_TRAVEL

#define PAJESIM__INDEX_MAGIC UINT32_C(0x50414A49)

typedef struct pajesim__ending {
    pajesim_time time;
    uint32_t order;          /* of completion; 0: it is still open */
    uint32_t earlier;        /* at the checkpoint before, + 1; 0: it was not open there */
    pajesim__offset closing; /* 0: there is nothing more to know */
    uint32_t flags;
} pajesim__ending;

enum {
    PAJESIM__IS_LOST = 1,     /* a link that never gets its other end */
    PAJESIM__IS_CHANGED = 2,  /* the value of a variable is in the closing */
    PAJESIM__WAS_IMPLICIT = 4 /* a state's value was not defined yet */
};

/* What an image of an earlier time cannot know of an end. */
typedef struct pajesim__closing {
    uint32_t bearers; /* endings */
    pajesim__offset fields;
    pajesim__text value;       /* name of a value that is defined by now */
    uint32_t serial;           /* of a link's other end, */
    pajesim__text alias, name; /* and what it is called */
    pajesim_quantity number;
} pajesim__closing;

typedef struct pajesim__checkpoint {
    uint64_t offset, events;
    pajesim_time greatest; /* before it */
    pajesim_time least;    /* from it to the next one */
    pajesim__offset image, endings;
    uint32_t image_size, count, top;
    uint32_t ended; /* the last line, which has no line end, is done */
} pajesim__checkpoint;

typedef struct pajesim__index {
    pajesim__offset directory, keys;
    uint32_t count, room, keys_log2;
    uint32_t order; /* of the last end */
    uint32_t complete;
    uint32_t automatic;     /* checkpoints are as far apart as their size suggests */
    uint64_t bytes, events; /* between checkpoints */
    uint64_t label[4];
} pajesim__index;

typedef struct pajesim__entry_of_key {
    pajesim__open open;
    uint32_t ending; /* + 1; 0: free */
} pajesim__entry_of_key;

/* In functions that call the store `sim`. */
#define PAJESIM__INDEX PAJESIM__AT(pajesim__index, PAJESIM__STATE_SIZE)
#define PAJESIM__CHECKPOINT(number) (PAJESIM__AT(pajesim__checkpoint, PAJESIM__INDEX->directory) + (number))
#define PAJESIM__ENDINGS(number) PAJESIM__AT(pajesim__ending, PAJESIM__CHECKPOINT(number)->endings)

static void *pajesim__at(const pajesim *sim, pajesim__offset offset)
{
    return PAJESIM__BYTES(offset);
}

/* The value of an open state, or of one that is just being closed. */
static pajesim_ref pajesim__value_of(const pajesim *sim, pajesim__open open)
{
    const pajesim__slot *slot = pajesim__slot_of(sim, open.ref, open.type);
    return (PAJESIM__AT(pajesim__frame, slot->open.stack.frames) + open.depth)->value;
}

static int pajesim__is_implicit(const pajesim *sim, pajesim__open open)
{
    return (PAJESIM__THING(pajesim__value_of(sim, open))->flags & PAJESIM__IMPLICIT) != 0;
}

/* ---- the keys of what is open at the latest checkpoint ---- */

static uint32_t pajesim__home_of_key(const pajesim__open *open, uint32_t log2)
{
    uint64_t x = (open->ref + UINT64_C(0x9E3779B97F4A7C15) * open->type) ^ (uint64_t)open->depth << 40;
    return (uint32_t)((x * UINT64_C(0xFF51AFD7ED558CCD)) >> (64 - log2));
}

/* The place of a key, or the free one where it belongs. */
static pajesim__entry_of_key *pajesim__place_of_key(const pajesim *sim, pajesim__offset keys, uint32_t log2,
                                                    const pajesim__open *open)
{
    pajesim__entry_of_key *entries = PAJESIM__AT(pajesim__entry_of_key, keys);
    uint32_t i = pajesim__home_of_key(open, log2);
    while (entries[i].ending && (entries[i].open.ref != open->ref || entries[i].open.type != open->type ||
                                 entries[i].open.depth != open->depth))
        i = (i + 1) & ((UINT32_C(1) << log2) - 1);
    return entries + i;
}

/* The ending of what is open now and was so at the latest checkpoint, + 1; 0: there is none. */
static uint32_t pajesim__find_ending(const pajesim *sim, const pajesim__open *open)
{
    const pajesim__index *it = PAJESIM__INDEX;
    uint32_t found;
    if (!it->keys)
        return 0;
    found = pajesim__place_of_key(sim, it->keys, it->keys_log2, open)->ending;
    return found && !PAJESIM__ENDINGS(it->count - 1)[found - 1].order ? found : 0;
}

static pajesim__size pajesim__keys_size(uint32_t log2)
{
    return (pajesim__size)sizeof(pajesim__entry_of_key) << log2;
}

static uint32_t pajesim__keys_log2_for(uint32_t count)
{
    return pajesim__bits(count) + 1;
}

static void pajesim__give_keys(pajesim *sim)
{
    pajesim__index *it = PAJESIM__INDEX;
    if (it->keys)
        pajesim__give(sim, it->keys, pajesim__keys_size(it->keys_log2));
    it->keys = 0;
}

/* ---- user fields that bring their names along ---- */

typedef struct pajesim__own {
    uint32_t count, size; /* of the bytes, which follow the spans, which follow this */
} pajesim__own;

static pajesim__size pajesim__own_size(uint32_t count, uint32_t size)
{
    return sizeof(pajesim__own) + count * (pajesim__size)(5 * sizeof(pajesim__length)) + size;
}

/* A view that pajesim_user_field reads without a definition. */
static pajesim_fields pajesim__own_fields(const pajesim *sim, pajesim__offset offset)
{
    const pajesim__own *own = PAJESIM__AT(const pajesim__own, offset);
    pajesim_fields view;
    view.count = own->count;
    view.definition = 0;
    view.spans = (const pajesim__length *)(const void *)(own + 1);
    view.text = (const char *)(view.spans + 5 * own->count);
    return view;
}

/* A block that the next one may push something out for; 0: there is no room. */
typedef pajesim__offset (*pajesim__taker)(pajesim *sim, pajesim__size size);

static pajesim__offset pajesim__copy_own(pajesim *sim, const pajesim *from, const pajesim_fields *fields,
                                         pajesim__taker take, int *full)
{
    pajesim__own own = {0, 0};
    pajesim__offset offset;
    pajesim__length *spans;
    unsigned char *bytes;
    pajesim_field field;
    for (; pajesim_user_field(from, fields, own.count, &field); own.count++)
        own.size += (uint32_t)(field.name.size + field.text.size);
    offset = take(sim, pajesim__own_size(own.count, own.size));
    if (!offset) {
        *full = 1;
        return 0;
    }
    memcpy(PAJESIM__BYTES(offset), &own, sizeof own);
    spans = PAJESIM__AT(pajesim__length, offset + sizeof own);
    bytes = (unsigned char *)(spans + 5 * own.count);
    own.size = 0;
    for (own.count = 0; pajesim_user_field(from, fields, own.count, &field); own.count++, spans += 5) {
        spans[0] = own.size;
        spans[1] = (pajesim__length)field.name.size;
        memcpy(bytes + own.size, field.name.bytes, field.name.size);
        own.size += spans[1];
        spans[2] = own.size;
        spans[3] = (pajesim__length)field.text.size;
        memcpy(bytes + own.size, field.text.bytes, field.text.size);
        own.size += spans[3];
        spans[4] = (pajesim__length)field.role | (pajesim__length)field.type << 8;
    }
    return offset;
}

static void pajesim__give_own(pajesim *sim, pajesim__offset offset)
{
    if (offset) {
        const pajesim__own *own = PAJESIM__AT(const pajesim__own, offset);
        pajesim__give(sim, offset, pajesim__own_size(own->count, own->size));
    }
}

/* ---- its memory ---- */

static void pajesim__release_closing(pajesim *sim, pajesim__offset offset)
{
    pajesim__closing *closing = PAJESIM__AT(pajesim__closing, offset);
    if (!offset || --closing->bearers)
        return;
    pajesim__give_own(sim, closing->fields);
    pajesim__give_text(sim, closing->value);
    pajesim__give_text(sim, closing->alias);
    pajesim__give_text(sim, closing->name);
    pajesim__give(sim, offset, sizeof *closing);
}

/* A checkpoint goes: the one behind it takes over its chains and what it knows of times. */
static void pajesim__drop_checkpoint(pajesim *sim, uint32_t number)
{
    pajesim__index *it = PAJESIM__INDEX;
    pajesim__checkpoint *gone = PAJESIM__CHECKPOINT(number);
    pajesim__ending *endings = PAJESIM__ENDINGS(number);
    uint32_t i;
    if (number + 1 < it->count) {
        pajesim__ending *later = PAJESIM__ENDINGS(number + 1);
        for (i = 0; i < gone[1].count; i++)
            if (later[i].earlier)
                later[i].earlier = endings[later[i].earlier - 1].earlier;
    }
    if (gone->least < gone[-1].least)
        gone[-1].least = gone->least;
    for (i = 0; i < gone->count; i++)
        pajesim__release_closing(sim, endings[i].closing);
    pajesim__give(sim, gone->endings, gone->count * (pajesim__size)sizeof(pajesim__ending));
    pajesim__give(sim, gone->image, gone->image_size);
    it->count--;
    memmove(gone, gone + 1, (it->count - number) * sizeof *gone);
}

/* Only the first checkpoint stays, at which only the root is open. */
static void pajesim__keep_root_key(pajesim *sim)
{
    const pajesim__index *it = PAJESIM__INDEX;
    pajesim__entry_of_key *entries = PAJESIM__AT(pajesim__entry_of_key, it->keys), root;
    uint32_t i;
    if (!it->keys)
        return;
    for (i = 0; !entries[i].ending || PAJESIM__ENDINGS(1)[entries[i].ending - 1].earlier != 1; i++) {
    }
    root = entries[i];
    root.ending = 1;
    memset(entries, 0, (size_t)pajesim__keys_size(it->keys_log2));
    *pajesim__place_of_key(sim, it->keys, it->keys_log2, &root.open) = root;
}

/* Every other checkpoint goes, never the first, nor the latest one but when there is no other.  Answers 0 if there is
 * nothing left that could go. */
static int pajesim__thin(pajesim *sim)
{
    pajesim__index *it = PAJESIM__INDEX;
    uint32_t number = it->count;
    if (number <= 1)
        return 0;
    if (number == 2) {
        pajesim__keep_root_key(sim);
        pajesim__drop_checkpoint(sim, 1);
        return 1;
    }
    it->bytes *= 2;
    it->events *= 2;
    while (number > 2) {
        number -= 2;
        pajesim__drop_checkpoint(sim, number);
    }
    return 1;
}

/* A block of the store, for which checkpoints go if need be; 0: there is no room for it. */
static pajesim__offset pajesim__store_take(pajesim *sim, pajesim__size size)
{
    for (;;) {
        pajesim__offset offset = pajesim__take(sim, size);
        if (pajesim__room(sim)) {
            pajesim__keep(sim);
            return offset;
        }
        sim->needed = sim->top;
        pajesim__undo(sim);
        if (!pajesim__thin(sim))
            return 0;
    }
}

static pajesim__text pajesim__store_text(pajesim *sim, pajesim_text text, int *full)
{
    pajesim__text copy = pajesim__store_take(sim, (pajesim__size)text.size + sizeof(pajesim__length));
    if (copy)
        pajesim__put_text(sim, copy, text.bytes, (uint32_t)text.size);
    else
        *full = 1;
    return copy;
}

/* ---- what the simulation tells ---- */

/* What is to be known of the end of something beside its time; 0: nothing, or there is no room for it. */
static pajesim__offset pajesim__store_closing(pajesim *store, const pajesim *told_by, pajesim__line *line,
                                              pajesim__open open, uint32_t flags, pajesim_ref other, int *full)
{
    pajesim__closing closing;
    pajesim__offset offset;
    pajesim_fields fields = line ? pajesim__user_fields(told_by, line) : pajesim__no_fields();
    int late = (flags & PAJESIM__WAS_IMPLICIT) && !pajesim__is_implicit(told_by, open);
    if (!fields.count && !(flags & PAJESIM__IS_CHANGED) && !late && !other)
        return 0;
    memset(&closing, 0, sizeof closing);
    if (flags & PAJESIM__IS_CHANGED)
        closing.number = pajesim__slot_of(told_by, open.ref, open.type)->open.variable.number;
    if (late)
        closing.value = pajesim__store_text(store, pajesim_name(told_by, pajesim__value_of(told_by, open)), full);
    if (fields.count)
        closing.fields = pajesim__copy_own(store, told_by, &fields, pajesim__store_take, full);
    if (other) {
        closing.serial = pajesim_serial(told_by, other);
        closing.alias = pajesim__store_text(store, pajesim_alias(told_by, other), full);
        closing.name = pajesim__store_text(store, pajesim_name(told_by, other), full);
    }
    offset = pajesim__store_take(store, sizeof closing);
    *full |= !offset;
    if (*full) /* nothing is left in the store but its beginning */
        return 0;
    memcpy(pajesim__at(store, offset), &closing, sizeof closing);
    return offset;
}

static void pajesim__note(pajesim *told_by, pajesim__line *line, pajesim__open open, pajesim__fate fate,
                          pajesim_time time, pajesim_ref other)
{
    pajesim *sim = told_by->index ? &told_by->index->store : NULL;
    uint32_t first = sim ? pajesim__find_ending(sim, &open) : 0, at, number, flags = 0, order;
    pajesim__offset closing = 0;
    int full = 0;
    if (!first)
        return;
    for (at = first, number = PAJESIM__INDEX->count - 1; at; number--) {
        pajesim__ending *ending = &PAJESIM__ENDINGS(number)[at - 1];
        if (fate == PAJESIM__CHANGED)
            ending->flags |= PAJESIM__IS_CHANGED;
        else if (fate == PAJESIM__LOST)
            ending->flags |= PAJESIM__IS_LOST;
        flags |= ending->flags;
        at = ending->earlier;
    }
    if (fate == PAJESIM__CHANGED)
        return;
    if (fate == PAJESIM__CLOSED)
        closing = pajesim__store_closing(sim, told_by, line, open, flags, other, &full);
    order = ++PAJESIM__INDEX->order;
    first = pajesim__find_ending(sim, &open); /* to make room checkpoints may have gone, all but the first one even */
    for (at = first, number = PAJESIM__INDEX->count - 1; at; number--) {
        pajesim__ending *ending = &PAJESIM__ENDINGS(number)[at - 1];
        ending->time = time;
        ending->order = order;
        ending->closing = closing;
        if (closing)
            PAJESIM__AT(pajesim__closing, closing)->bearers++;
        at = ending->earlier;
    }
    if (closing && !first) {
        PAJESIM__AT(pajesim__closing, closing)->bearers++;
        pajesim__release_closing(sim, closing);
    }
}

/* ---- taking checkpoints ---- */

/* Marks all that is open, and counts it. */
static uint32_t pajesim__mark_all(pajesim *sim)
{
    pajesim__walk walk;
    uint32_t count = 0;
    memset(&walk, 0, sizeof walk);
    while (pajesim__walk_on(sim, &walk)) {
        *walk.fields |= PAJESIM__MARK;
        count++;
    }
    return count;
}

/* Times are those since the latest checkpoint from now on.  Answers the greatest before. */
static pajesim_time pajesim__fold_times(pajesim *told_by, pajesim *sim)
{
    pajesim__state *state = (pajesim__state *)(void *)told_by->arena;
    pajesim_time first = state->first;
    if (state->first < state->past_first)
        state->past_first = state->first;
    if (state->last > state->past_last)
        state->past_last = state->last;
    state->first = -PAJESIM__TIME_LEAST;
    state->last = PAJESIM__TIME_LEAST;
    if (PAJESIM__INDEX->count && first < PAJESIM__CHECKPOINT(PAJESIM__INDEX->count - 1)->least)
        PAJESIM__CHECKPOINT(PAJESIM__INDEX->count - 1)->least = first;
    return state->past_last;
}

/* The keys of all that is open; and, of a new checkpoint that is not in the directory yet, the endings (else NULL). */
static void pajesim__put_keys(pajesim *sim, const pajesim *told_by, pajesim__offset keys, uint32_t log2,
                              pajesim__ending *endings)
{
    pajesim__walk walk;
    uint32_t i;
    memset(&walk, 0, sizeof walk);
    memset(PAJESIM__BYTES(keys), 0, (size_t)pajesim__keys_size(log2));
    for (i = 0; pajesim__walk_on(told_by, &walk); i++) {
        pajesim__entry_of_key *entry = pajesim__place_of_key(sim, keys, log2, &walk.open);
        entry->open = walk.open;
        entry->ending = i + 1;
        if (endings) {
            memset(&endings[i], 0, sizeof endings[i]);
            endings[i].earlier = PAJESIM__INDEX->count ? pajesim__find_ending(sim, &walk.open) : 0;
            if (walk.kind == PAJESIM_STATE && pajesim__is_implicit(told_by, walk.open))
                endings[i].flags = PAJESIM__WAS_IMPLICIT;
        }
    }
    pajesim__give_keys(sim);
    PAJESIM__INDEX->keys = keys;
    PAJESIM__INDEX->keys_log2 = log2;
}

/* Room for one more in the directory; answers 0 if there is none. */
static int pajesim__widen_directory(pajesim *sim)
{
    pajesim__index *it = PAJESIM__INDEX;
    if (it->count == it->room) {
        uint32_t room = it->room ? 2 * it->room : 16;
        pajesim__offset wider = pajesim__store_take(sim, room * (pajesim__size)sizeof(pajesim__checkpoint));
        if (!wider)
            return 0;
        memcpy(PAJESIM__BYTES(wider), PAJESIM__BYTES(it->directory), it->count * sizeof(pajesim__checkpoint));
        if (it->room)
            pajesim__give(sim, it->directory, it->room * (pajesim__size)sizeof(pajesim__checkpoint));
        it->directory = wider;
        it->room = room;
    }
    return 1;
}

static pajesim_status pajesim__take_checkpoint(pajesim_index *index, pajesim *told_by, uint32_t ended)
{
    pajesim *sim = &index->store;
    const pajesim__index *it = PAJESIM__INDEX;
    pajesim__checkpoint one;
    unsigned char *packed = NULL;
    pajesim__offset keys;
    uint32_t log2;
    one.greatest = pajesim__fold_times(told_by, sim);
    one.count = pajesim__mark_all(told_by);
    one.offset = pajesim_count(told_by)->bytes;
    one.events = pajesim_count(told_by)->events;
    one.top = (uint32_t)pajesim_used(told_by);
    one.least = -PAJESIM__TIME_LEAST;
    one.ended = ended;
    log2 = pajesim__keys_log2_for(one.count);
    /* Where there is plenty of room it is packed at once, at the far end of it, and copied; else its size comes first. */
    if (sim->capacity - sim->top > 8 * (size_t)one.top + 4 * (size_t)pajesim__keys_size(log2) + 4096 * (size_t)it->room) {
        pajesim__image head;
        packed = sim->arena + sim->capacity - PAJESIM__MOST_PACKED(one.top);
        pajesim_save(told_by, packed, PAJESIM__MOST_PACKED(one.top));
        memcpy(&head, packed, sizeof head);
        one.image_size = (uint32_t)sizeof head + head.size;
    } else {
        one.image_size = (uint32_t)pajesim_image_size(told_by);
    }
    keys = pajesim__store_take(sim, pajesim__keys_size(log2));
    one.endings = keys ? pajesim__store_take(sim, one.count * (pajesim__size)sizeof(pajesim__ending)) : 0;
    one.image = one.endings ? pajesim__store_take(sim, one.image_size) : 0;
    if (!one.image || !pajesim__widen_directory(sim)) {
        uint64_t needed = sim->needed + (one.image ? 0 : one.image_size) +
                          (one.endings ? 0 : one.count * sizeof(pajesim__ending));
        if (one.image)
            pajesim__give(sim, one.image, one.image_size);
        if (one.endings)
            pajesim__give(sim, one.endings, one.count * (pajesim__size)sizeof(pajesim__ending));
        if (keys)
            pajesim__give(sim, keys, pajesim__keys_size(log2));
        sim->needed = needed;
        return PAJESIM_FULL;
    }
    if (packed)
        memcpy(PAJESIM__BYTES(one.image), packed, one.image_size);
    else
        pajesim_save(told_by, PAJESIM__BYTES(one.image), one.image_size);
    pajesim__put_keys(sim, told_by, keys, log2, PAJESIM__AT(pajesim__ending, one.endings));
    *PAJESIM__CHECKPOINT(PAJESIM__INDEX->count) = one;
    PAJESIM__INDEX->count++;
    return PAJESIM_OK;
}

static pajesim__index *pajesim__index_at(const pajesim_index *index)
{
    const pajesim *sim = &index->store;
    return PAJESIM__INDEX;
}

PAJESIM_API pajesim_status pajesim_index_init(pajesim_index *index, void *memory, size_t size,
                                              const pajesim_index_options *options)
{
    pajesim *sim;
    if (!index || !memory || !pajesim__is_aligned(memory))
        return PAJESIM_MISUSE;
    sim = &index->store;
    index->memory = (unsigned char *)memory;
    index->told_by = NULL;
    if (size < sizeof(pajesim__image) + PAJESIM__STATE_SIZE + sizeof(pajesim__index)) {
        sim->needed = PAJESIM__STATE_SIZE + sizeof(pajesim__index);
        return PAJESIM_FULL;
    }
    pajesim__adopt_host(sim, index->memory + sizeof(pajesim__image), size - sizeof(pajesim__image), NULL, NULL);
    memset(sim->arena, 0, PAJESIM__STATE_SIZE + sizeof(pajesim__index));
    sim->top = PAJESIM__STATE->top = (uint32_t)(PAJESIM__STATE_SIZE + sizeof(pajesim__index));
    PAJESIM__INDEX->bytes = options ? options->bytes : 0;
    PAJESIM__INDEX->events = options ? options->events : 0;
    if (!PAJESIM__INDEX->bytes && !PAJESIM__INDEX->events) {
        PAJESIM__INDEX->automatic = 1;
        PAJESIM__INDEX->bytes = UINT32_C(1) << 20;
    }
    return PAJESIM_OK;
}

PAJESIM_API pajesim_status pajesim_index_begin(pajesim_index *index, pajesim *sim)
{
    pajesim_status status;
    if (!index || !sim || pajesim_index_count(index) || PAJESIM__STATE->counts.bytes)
        return PAJESIM_MISUSE;
    if (sim->busy)
        return PAJESIM_BUSY;
    status = pajesim__take_checkpoint(index, sim, 0);
    if (status != PAJESIM_OK)
        return status;
    index->told_by = sim;
    sim->index = index;
    return PAJESIM_OK;
}

/* Whether the simulation tells this index, and is between two lines of the trace itself. */
static pajesim_status pajesim__check_told(const pajesim_index *index, const pajesim *sim)
{
    if (!index || !sim || index->told_by != sim || sim->index != index)
        return PAJESIM_MISUSE;
    if (sim->busy)
        return PAJESIM_BUSY;
    if (PAJESIM__CONST_STATE->stage != PAJESIM__READING)
        return PAJESIM_FINISHED;
    return PAJESIM__SOURCE(PAJESIM__CONST_STATE) ? PAJESIM_OPEN : PAJESIM_OK;
}

static pajesim__checkpoint *pajesim__last_checkpoint(const pajesim *sim)
{
    return PAJESIM__CHECKPOINT(PAJESIM__INDEX->count - 1);
}

PAJESIM_API pajesim_status pajesim_index_step(pajesim_index *index, pajesim *sim)
{
    const pajesim__checkpoint *last;
    const pajesim__index *it;
    uint64_t bytes;
    pajesim_status status = pajesim__check_told(index, sim);
    if (status != PAJESIM_OK)
        return status;
    it = pajesim__index_at(index);
    last = pajesim__last_checkpoint(&index->store);
    bytes = PAJESIM__STATE->counts.bytes - last->offset;
    if (it->automatic && bytes < 48 * (uint64_t)last->image_size)
        return PAJESIM_OK;
    if (!(it->bytes && bytes >= it->bytes) &&
        !(it->events && pajesim_count(sim)->events - last->events >= it->events))
        return PAJESIM_OK;
    return pajesim__take_checkpoint(index, sim, 0);
}

PAJESIM_API pajesim_status pajesim_index_take(pajesim_index *index, pajesim *sim)
{
    pajesim_status status = pajesim__check_told(index, sim);
    if (status == PAJESIM_OK && PAJESIM__STATE->counts.bytes > pajesim__last_checkpoint(&index->store)->offset)
        status = pajesim__take_checkpoint(index, sim, 0);
    return status;
}

/* The last line, which has no line end, is done, and there is a checkpoint before and behind it. */
static pajesim_status pajesim__end_index(pajesim_index *index, pajesim *sim)
{
    pajesim__state *state = PAJESIM__STATE;
    pajesim_status status = PAJESIM_OK;
    if (!pajesim__last_checkpoint(&index->store)->ended)
        status = pajesim_index_take(index, sim);
    if (status != PAJESIM_OK || (!state->carry_size && state->cut == PAJESIM__IN_INDENT &&
                                 (!state->mark || state->mark == 3)))
        return status;
    sim->busy = 1;
    sim->answer = PAJESIM_GO_ON;
    sim->top = state->top;
    status = pajesim__end_lines(sim);
    sim->busy = 0;
    return status == PAJESIM_OK || status == PAJESIM_PAUSED ? pajesim__take_checkpoint(index, sim, 1) : status;
}

PAJESIM_API pajesim_status pajesim_index_finish(pajesim_index *index, pajesim *sim)
{
    pajesim_status status = pajesim__check_told(index, sim);
    if (status == PAJESIM_FINISHED) /* it was paused while it closed what is open */
        status = PAJESIM_OK;
    else if (status == PAJESIM_OK && PAJESIM__STATE->stopped)
        return pajesim_finish(sim);
    else if (status == PAJESIM_OK)
        status = pajesim__end_index(index, sim);
    if (status == PAJESIM_OK)
        status = pajesim_finish(sim);
    if (status == PAJESIM_OK || status == PAJESIM_INVALID) {
        pajesim__give_keys(&index->store);
        pajesim__index_at(index)->complete = 1;
        sim->index = NULL;
        index->told_by = NULL;
    }
    return status;
}

PAJESIM_API pajesim_status pajesim_index_resume(pajesim_index *index, pajesim *told_by, void *arena, size_t capacity,
                                                const pajesim_callbacks *callbacks, void *data)
{
    pajesim *sim;
    pajesim__checkpoint *last;
    pajesim__offset keys;
    pajesim_status status;
    uint32_t number, log2, i;
    if (!index || !told_by || !pajesim_index_count(index))
        return PAJESIM_MISUSE;
    sim = &index->store;
    number = PAJESIM__INDEX->count - 1;
    if (PAJESIM__CHECKPOINT(number)->ended)
        number--;
    status = pajesim_index_restore(index, number, told_by, arena, capacity, callbacks, data);
    if (status != PAJESIM_OK)
        return status;
    log2 = pajesim__keys_log2_for(PAJESIM__CHECKPOINT(number)->count);
    keys = pajesim__store_take(sim, pajesim__keys_size(log2));
    if (!keys || number >= PAJESIM__INDEX->count || PAJESIM__INDEX->count > number + 2) {
        /* no room without giving up checkpoints, the restored one perhaps */
        return PAJESIM_FULL;
    }
    if (PAJESIM__INDEX->count > number + 1)
        pajesim__drop_checkpoint(sim, number + 1);
    last = PAJESIM__CHECKPOINT(number);
    last->least = -PAJESIM__TIME_LEAST;
    /* What closed after the last checkpoint is open again. */
    for (i = 0; i < last->count; i++) {
        uint32_t at = i + 1, earlier = number;
        for (; at; earlier--) {
            pajesim__ending *ending = &PAJESIM__ENDINGS(earlier)[at - 1];
            pajesim__release_closing(sim, ending->closing);
            ending->closing = 0;
            ending->order = 0;
            ending->flags &= PAJESIM__WAS_IMPLICIT;
            at = ending->earlier;
        }
    }
    PAJESIM__INDEX->complete = 0;
    pajesim__put_keys(sim, told_by, keys, log2, NULL);
    index->told_by = told_by;
    told_by->index = index;
    return PAJESIM_OK;
}

PAJESIM_API pajesim_status pajesim_index_move(pajesim_index *index, void *memory, size_t size)
{
    size_t used;
    if (!index || !memory || !pajesim__is_aligned(memory))
        return PAJESIM_MISUSE;
    used = sizeof(pajesim__image) + pajesim_used(&index->store);
    if (size < used) {
        index->store.needed = pajesim_used(&index->store);
        return PAJESIM_FULL;
    }
    if (memory != index->memory)
        memcpy(memory, index->memory, used);
    index->memory = (unsigned char *)memory;
    index->store.arena = index->memory + sizeof(pajesim__image);
    index->store.capacity = PAJESIM__MIN(size - sizeof(pajesim__image), (size_t)PAJESIM__CAPACITY_MAX);
    return PAJESIM_OK;
}

PAJESIM_API uint64_t pajesim_index_needed(const pajesim_index *index)
{
    return sizeof(pajesim__image) + index->store.needed;
}

PAJESIM_API const void *pajesim_index_save(pajesim_index *index, size_t *size)
{
    size_t used = pajesim_used(&index->store);
    pajesim__image head = pajesim__image_of(PAJESIM__INDEX_MAGIC, (uint32_t)used, index->store.arena, used);
    memcpy(index->memory, &head, sizeof head);
    *size = sizeof head + used;
    return index->memory;
}

PAJESIM_API pajesim_status pajesim_index_load(pajesim_index *index, void *memory, size_t capacity, size_t size)
{
    pajesim__image head;
    pajesim_status status;
    if (!index || !memory || !pajesim__is_aligned(memory) || size > capacity)
        return PAJESIM_MISUSE;
    if (size < sizeof head)
        return PAJESIM_FOREIGN;
    memcpy(&head, memory, sizeof head);
    status = pajesim__check_image(PAJESIM__INDEX_MAGIC, &head, (unsigned char *)memory + sizeof head, size);
    if (status != PAJESIM_OK)
        return status;
    index->memory = (unsigned char *)memory;
    index->told_by = NULL;
    pajesim__adopt_host(&index->store, index->memory + sizeof head, capacity - sizeof head, NULL, NULL);
    index->store.top = (uint32_t)head.top;
    return PAJESIM_OK;
}

/* ---- what is in it ---- */

static const pajesim__checkpoint *pajesim__checkpoints_of(const pajesim_index *index)
{
    const pajesim *sim = &index->store;
    return PAJESIM__CHECKPOINT(0);
}

PAJESIM_API uint64_t *pajesim_index_label(pajesim_index *index)
{
    return pajesim__index_at(index)->label;
}

PAJESIM_API int pajesim_index_complete(const pajesim_index *index)
{
    return pajesim__index_at(index)->complete != 0;
}

PAJESIM_API uint32_t pajesim_index_count(const pajesim_index *index)
{
    return pajesim__index_at(index)->count;
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
    const pajesim__checkpoint *it = pajesim__checkpoints_of(index) + number;
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
    if (!index || !sim || number >= pajesim_index_count(index))
        return PAJESIM_MISUSE;
    checkpoint = pajesim__checkpoints_of(index) + number;
    return pajesim_restore(sim, arena, capacity, pajesim__at(&index->store, checkpoint->image), checkpoint->image_size,
                           callbacks, data);
}

PAJESIM_API uint32_t pajesim_serial(const pajesim *sim, pajesim_ref container)
{
    return container && PAJESIM__THING(container)->what == PAJESIM__CONTAINER ? PAJESIM__CONTAINER_AT(container)->serial
                                                                              : 0;
}

/* ---- the rest: what is open at a checkpoint, closed as it will be ---- */

typedef struct pajesim__left {
    uint32_t order, ending;
    pajesim__open open;
    pajesim_kind kind;
    pajesim_ref other; /* end point of a link */
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
    ref = pajesim__take(sim, pajesim__container_size(0));
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

/* Gathers what is left at a checkpoint and overlaps [from, to]; counts it only if `left` is NULL.  Answers 0 if there is
 * no room for an end point of a link. */
static int pajesim__gather(const pajesim_index *index, uint32_t number, pajesim *told, pajesim_time from, pajesim_time to,
                           pajesim__left *left, uint32_t *count)
{
    const pajesim *sim = &index->store;
    const pajesim__ending *ending = PAJESIM__ENDINGS(number);
    int complete = pajesim_index_complete(index);
    pajesim__walk walk;
    uint32_t i = 0;
    memset(&walk, 0, sizeof walk);
    *count = 0;
    for (; pajesim__walk_on(told, &walk); ending++, i++) {
        pajesim_ref other = 0;
        if (walk.start > to || (ending->order ? ending->time < from : complete) || (ending->flags & PAJESIM__IS_LOST))
            continue;
        if (walk.kind == PAJESIM_LINK) {
            const pajesim__closing *closing = PAJESIM__AT(const pajesim__closing, ending->closing);
            const pajesim__link *link = (const pajesim__link *)pajesim__at(told, walk.open.ref);
            if (!ending->order || !link->started) /* a start that is to come is later than `to` */
                continue;
            other = pajesim__stranger(told, closing->serial, pajesim__text_at(sim, closing->alias),
                                      pajesim__text_at(sim, closing->name));
            if (!other)
                return 0;
        }
        if (left) {
            left[*count].order = ending->order ? ending->order : UINT32_MAX;
            left[*count].ending = i;
            left[*count].open = walk.open;
            left[*count].kind = walk.kind;
            left[*count].other = other;
        }
        ++*count;
    }
    return 1;
}

static pajesim_entity pajesim__left_view(const pajesim *sim, const pajesim__left *left)
{
    pajesim_entity entity;
    if (left->kind == PAJESIM_CONTAINER)
        return pajesim__container_view(sim, left->open.ref);
    if (left->kind == PAJESIM_LINK) {
        const pajesim__link *link = PAJESIM__AT(const pajesim__link, left->open.ref);
        entity = pajesim__entity(PAJESIM_LINK, link->id.scope, link->id.subscope, link->time, 1);
        entity.start_container = link->end_point;
        entity.end_container = left->other;
        entity.value = link->value;
        entity.value_name = pajesim__link_value(sim, link);
        entity.key = pajesim__id_text(sim, &link->id);
        entity.opening = pajesim__kept_fields(sim, link->fields);
        return entity;
    }
    pajesim_open_entity(sim, left->open.ref, left->open.type, left->open.depth, &entity);
    return entity;
}

static void pajesim__show_left(const pajesim *sim, const pajesim__ending *ending, pajesim_entity *entity)
{
    const pajesim__closing *closing;
    if (!ending->order)
        return;
    entity->open = 0;
    entity->end = ending->time;
    if (!ending->closing)
        return;
    closing = PAJESIM__AT(const pajesim__closing, ending->closing);
    if (closing->fields)
        entity->closing = pajesim__own_fields(sim, closing->fields);
    if (closing->value)
        entity->value_name = pajesim__text_at(sim, closing->value);
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
        pajesim_entity entity = pajesim__left_view(sim, &left[i]);
        pajesim__show_left(&index->store, &((const pajesim__ending *)pajesim__at(
                               &index->store, pajesim__checkpoints_of(index)[number].endings))[left[i].ending], &entity);
        if (sim->callbacks->closed)
            stopped = sim->callbacks->closed(sim, &entity) == PAJESIM_STOP;
    }
    sim->busy = 0;
    return stopped ? PAJESIM_STOPPED : PAJESIM_OK;
}
#endif /* PAJESIM_TRAVEL */
