/* Making an index while a trace is replayed. */
#if PAJESIM_TRAVEL

/* With `automatic`, between two checkpoints there are at least so many times the bytes of the arena. */
#define PAJESIM__ARENAS_BETWEEN 24u

/* ---- what the simulation tells ---- */

/* An ending at the latest checkpoint that is still to be known, + 1; 0: that checkpoint is gone, and its numbers are
 * worth nothing. */
static uint32_t pajesim__open_ending(const pajesim_index *index, uint32_t ending)
{
    return ending < PAJESIM__CHECKPOINT(PAJESIM__LATEST)->count && !PAJESIM__ENDINGS(PAJESIM__LATEST)[ending].order
               ? ending + 1
               : 0;
}

PAJESIM__COLD void pajesim__note_flag(pajesim *sim, uint32_t ending, uint32_t flag)
{
    const pajesim_index *index = sim->index;
    uint32_t number, at;
    if (!index)
        return;
    for (number = PAJESIM__LATEST, at = pajesim__open_ending(index, ending); at; number--) {
        pajesim__ending *it = &PAJESIM__ENDINGS(number)[at - 1];
        it->flags |= flag;
        at = it->earlier;
    }
}

/* At the checkpoints where it is open. */
static uint32_t pajesim__flags_of(const pajesim_index *index, uint32_t at)
{
    uint32_t number, flags = 0;
    for (number = PAJESIM__LATEST; at; number--) {
        flags |= PAJESIM__ENDINGS(number)[at - 1].flags;
        at = PAJESIM__ENDINGS(number)[at - 1].earlier;
    }
    return flags;
}

static unsigned char *pajesim__append(unsigned char *to, pajesim_text text)
{
    memcpy(to, text.bytes, text.size);
    return to + text.size;
}

/* What is to be known of an end beside its time; 0: nothing, or there is no room for it. */
static pajesim__offset pajesim__store_closing(pajesim_index *index, const pajesim *sim, pajesim__line *line,
                                              uint32_t flags, pajesim_ref ref, const pajesim_quantity *number)
{
    pajesim_fields fields;
    pajesim_text value = pajesim__view("", 0), alias = value, name = value;
    int is_value = ref && PAJESIM__THING(ref)->what == PAJESIM__VALUE;
    int has_end = ref && !is_value, has_number = number && (flags & PAJESIM__IS_CHANGED);
    int is_late = is_value && (flags & PAJESIM__WAS_IMPLICIT) && !(PAJESIM__THING(ref)->flags & PAJESIM__IMPLICIT);
    pajesim__closing closing;
    pajesim__offset offset;
    unsigned char *to;
    memset(&fields, 0, sizeof fields);
    if (line)
        pajesim__user_fields(sim, line, &fields);
    if (!fields.count && !has_number && !has_end && !is_late)
        return 0;
    memset(&closing, 0, sizeof closing);
    if (has_number)
        closing.number = *number;
    if (has_end) {
        closing.serial = pajesim_serial(sim, ref);
        alias = pajesim_alias(sim, ref);
        name = pajesim_name(sim, ref);
    }
    if (is_late)
        value = pajesim_name(sim, ref);
    closing.value = (uint32_t)value.size;
    closing.alias = (uint32_t)alias.size;
    closing.name = (uint32_t)name.size;
    closing.fields = fields.count ? pajesim__own_size(sim, &fields) : 0;
    offset = pajesim__store_take(index, sizeof closing + closing.fields + value.size + alias.size + name.size);
    if (!offset)
        return 0;
    to = PAJESIM__STORED(unsigned char, offset);
    memcpy(to, &closing, sizeof closing);
    to += sizeof closing;
    if (fields.count)
        pajesim__put_own((pajesim__own *)(void *)to, sim, &fields);
    pajesim__append(pajesim__append(pajesim__append(to + closing.fields, value), alias), name);
    return offset;
}

PAJESIM__COLD void pajesim__note_end(pajesim *sim, pajesim__line *line, uint32_t ending, pajesim_time time,
                                     pajesim_ref ref, const pajesim_quantity *number)
{
    pajesim_index *index = sim->index;
    uint32_t at = index ? pajesim__open_ending(index, ending) : 0, checkpoint, order;
    pajesim__offset offset;
    pajesim__closing *closing = NULL;
    if (!at)
        return;
    offset = pajesim__store_closing(index, sim, line, pajesim__flags_of(index, at), ref, number);
    if (offset)
        closing = PAJESIM__STORED(pajesim__closing, offset);
    order = ++PAJESIM__INDEX->order;
    at = pajesim__open_ending(index, ending); /* to make room checkpoints may have gone, all but the first one even */
    for (checkpoint = PAJESIM__LATEST; at; checkpoint--) {
        pajesim__ending *it = &PAJESIM__ENDINGS(checkpoint)[at - 1];
        it->time = time;
        it->order = order;
        it->closing = offset;
        if (closing)
            closing->bearers++;
        at = it->earlier;
    }
    if (closing && !closing->bearers)
        pajesim__store_give(index, offset);
}

/* ---- taking checkpoints ---- */

/* Times are those since the latest checkpoint from now on.  Answers the greatest before. */
static pajesim_time pajesim__fold_times(const pajesim_index *index, pajesim *sim)
{
    pajesim__state *state = PAJESIM__STATE;
    if (state->first < state->past_first)
        state->past_first = state->first;
    if (state->last > state->past_last)
        state->past_last = state->last;
    if (PAJESIM__INDEX->count && state->first < PAJESIM__CHECKPOINT(PAJESIM__LATEST)->least)
        PAJESIM__CHECKPOINT(PAJESIM__LATEST)->least = state->first;
    state->first = -PAJESIM__TIME_LEAST;
    state->last = PAJESIM__TIME_LEAST;
    return state->past_last;
}

static uint32_t pajesim__count_open(const pajesim *sim)
{
    pajesim__walk walk;
    uint32_t count = 0;
    memset(&walk, 0, sizeof walk);
    while (pajesim__walk_on(sim, &walk))
        count += walk.count;
    return count;
}

/* Begins the endings of a new checkpoint, chains them to those of the latest one, and marks and numbers what is open. */
static void pajesim__begin_endings(const pajesim_index *index, pajesim *sim, pajesim__ending *ending)
{
    pajesim__walk walk;
    uint32_t count = 0, i;
    memset(&walk, 0, sizeof walk);
    for (; pajesim__walk_on(sim, &walk); count += walk.count) {
        uint32_t before = pajesim__renumber(sim, &walk, count);
        for (i = 0; i < walk.count; i++, ending++) {
            pajesim__offset *fields = pajesim__fields_at(sim, &walk, i);
            memset(ending, 0, sizeof *ending);
            if ((*fields & PAJESIM__MARK) && PAJESIM__INDEX->count)
                ending->earlier = pajesim__open_ending(index, before + i);
            *fields |= PAJESIM__MARK;
            if (walk.kind == PAJESIM_STATE &&
                (PAJESIM__THING(pajesim__frame_of(sim, &walk, i)->value)->flags & PAJESIM__IMPLICIT))
                ending->flags = PAJESIM__WAS_IMPLICIT;
        }
    }
}

/* Room for one more in the directory; answers 0 if there is none. */
static int pajesim__widen_directory(pajesim_index *index)
{
    uint32_t room = PAJESIM__INDEX->room ? 2 * PAJESIM__INDEX->room : 16;
    pajesim__offset wider;
    if (PAJESIM__INDEX->count < PAJESIM__INDEX->room)
        return 1;
    wider = pajesim__store_take(index, room * sizeof(pajesim__checkpoint));
    if (!wider)
        return 0;
    memset(PAJESIM__STORED(unsigned char, wider), 0, room * sizeof(pajesim__checkpoint));
    if (PAJESIM__INDEX->room)
        memcpy(PAJESIM__STORED(pajesim__checkpoint, wider), PAJESIM__CHECKPOINT(0),
               PAJESIM__INDEX->count * sizeof(pajesim__checkpoint));
    pajesim__store_give(index, PAJESIM__INDEX->directory);
    PAJESIM__INDEX->directory = wider;
    PAJESIM__INDEX->room = room;
    return 1;
}

/* The image of the latest checkpoint, which is packed where it belongs if there is plenty of room; else its size comes
 * first.  Answers 0 if there is no room for it. */
static int pajesim__take_image(pajesim_index *index, const pajesim *sim, size_t *size)
{
    const pajesim__index *it = PAJESIM__INDEX;
    unsigned char *behind = index->memory + it->top + sizeof(pajesim__block_head);
    size_t most = pajesim__most_packed(sim);
    int packed = index->capacity - it->top >= pajesim__block_size(most);
    pajesim__offset offset;
    *size = pajesim__pack(sim, packed ? behind : NULL);
    offset = pajesim__store_take(index, *size);
    if (!offset || PAJESIM__CHECKPOINT(PAJESIM__LATEST)->image) { /* the checkpoint itself has gone to make room */
        pajesim__store_give(index, offset);
        return 0;
    }
    if (!packed)
        pajesim__pack(sim, PAJESIM__STORED(unsigned char, offset));
    PAJESIM__CHECKPOINT(PAJESIM__LATEST)->image = offset;
    PAJESIM__CHECKPOINT(PAJESIM__LATEST)->image_size = (uint32_t)*size;
    return 1;
}

/* When there is no room all checkpoints have gone but the first, and numbers of endings are worth nothing any more. */
static pajesim_status pajesim__take_checkpoint(pajesim_index *index, pajesim *sim, uint32_t ended)
{
    pajesim__checkpoint one;
    size_t size = 0;
    memset(&one, 0, sizeof one);
    one.count = pajesim__count_open(sim);
    one.endings = pajesim__widen_directory(index) ? pajesim__store_take(index, one.count * sizeof(pajesim__ending)) : 0;
    if (one.endings) {
        one.greatest = pajesim__fold_times(index, sim);
        one.least = -PAJESIM__TIME_LEAST;
        one.offset = PAJESIM__STATE->counts.bytes;
        one.events = pajesim_count(sim)->events;
        one.top = PAJESIM__STATE->top;
        one.ended = ended;
        pajesim__begin_endings(index, sim, PAJESIM__STORED(pajesim__ending, one.endings));
        *PAJESIM__CHECKPOINT(PAJESIM__INDEX->count) = one;
        PAJESIM__INDEX->count++;
        if (pajesim__take_image(index, sim, &size))
            return PAJESIM_OK;
        if (!PAJESIM__CHECKPOINT(PAJESIM__LATEST)->image)
            pajesim__drop_checkpoint(index, PAJESIM__LATEST);
    }
    if (!size)
        size = pajesim__pack(sim, NULL);
    index->needed = PAJESIM__INDEX->top - PAJESIM__INDEX->dead + pajesim__block_size(16 * sizeof one) +
                    (uint64_t)pajesim__block_size(one.count * sizeof(pajesim__ending)) + pajesim__block_size(size);
    return PAJESIM_FULL;
}

PAJESIM_API pajesim_status pajesim_index_init(pajesim_index *index, void *memory, size_t size,
                                              const pajesim_index_options *options)
{
    if (!index || !memory || !pajesim__is_aligned(memory))
        return PAJESIM_MISUSE;
    memset(index, 0, sizeof *index);
    index->memory = (unsigned char *)memory;
    index->capacity = PAJESIM__MIN(size, (size_t)PAJESIM__CAPACITY_MAX);
    index->needed = pajesim__first_block();
    if (size < index->needed)
        return PAJESIM_FULL;
    memset(index->memory, 0, (size_t)index->needed);
    PAJESIM__INDEX->top = pajesim__first_block();
    PAJESIM__INDEX->bytes = options ? options->bytes : 0;
    PAJESIM__INDEX->events = options ? options->events : 0;
    if (!PAJESIM__INDEX->bytes && !PAJESIM__INDEX->events) {
        PAJESIM__INDEX->automatic = 1;
        PAJESIM__INDEX->bytes = UINT32_C(4) << 20;
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

PAJESIM_API pajesim_status pajesim_index_step(pajesim_index *index, pajesim *sim)
{
    const pajesim__checkpoint *latest;
    pajesim__index *it;
    uint64_t bytes, events;
    pajesim_status status = pajesim__check_told(index, sim);
    if (status != PAJESIM_OK)
        return status;
    it = PAJESIM__INDEX;
    latest = PAJESIM__CHECKPOINT(PAJESIM__LATEST);
    bytes = PAJESIM__STATE->counts.bytes - (it->failed.bytes ? it->failed.bytes : latest->offset);
    if (it->automatic && bytes < PAJESIM__ARENAS_BETWEEN * (uint64_t)PAJESIM__STATE->top)
        return PAJESIM_OK;
    events = it->events ? pajesim_count(sim)->events - (it->failed.bytes ? it->failed.events : latest->events) : 0;
    if (!(it->bytes && bytes >= it->bytes) && !(it->events && events >= it->events))
        return PAJESIM_OK;
    status = pajesim__take_checkpoint(index, sim, 0);
    it->failed.bytes = it->failed.events = 0;
    if (status == PAJESIM_FULL) { /* not so soon again, nor as often */
        it->bytes *= 2;
        it->events *= 2;
        it->failed.bytes = PAJESIM__STATE->counts.bytes;
        it->failed.events = pajesim_count(sim)->events;
    }
    return status;
}

PAJESIM_API pajesim_status pajesim_index_take(pajesim_index *index, pajesim *sim)
{
    pajesim_status status = pajesim__check_told(index, sim);
    if (status == PAJESIM_OK && PAJESIM__STATE->counts.bytes > PAJESIM__CHECKPOINT(PAJESIM__LATEST)->offset)
        status = pajesim__take_checkpoint(index, sim, 0);
    return status;
}

/* The last line, which has no line end, is done, and there is a checkpoint before and behind it. */
static pajesim_status pajesim__end_index(pajesim_index *index, pajesim *sim)
{
    pajesim__state *state = PAJESIM__STATE;
    pajesim_status status;
    if (!PAJESIM__INDEX->ended) {
        status = pajesim_index_take(index, sim);
        if (status != PAJESIM_OK || (!state->carry_size && state->cut == PAJESIM__IN_INDENT &&
                                     (!state->mark || state->mark == 3)))
            return status;
        sim->busy = 1;
        sim->answer = PAJESIM_GO_ON;
        sim->top = state->top;
        status = pajesim__end_lines(sim);
        sim->busy = 0;
        if (status != PAJESIM_OK && status != PAJESIM_PAUSED)
            return status;
        PAJESIM__INDEX->ended = 1;
    }
    return PAJESIM__CHECKPOINT(PAJESIM__LATEST)->ended ? PAJESIM_OK : pajesim__take_checkpoint(index, sim, 1);
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
        PAJESIM__INDEX->complete = 1;
        sim->index = NULL;
        index->told_by = NULL;
    }
    return status;
}

PAJESIM_API pajesim_status pajesim_index_resume(pajesim_index *index, pajesim *sim, void *arena, size_t capacity,
                                                const pajesim_callbacks *callbacks, void *data)
{
    pajesim_status status;
    uint32_t number, i;
    if (!index || !sim || !pajesim_index_count(index))
        return PAJESIM_MISUSE;
    number = PAJESIM__LATEST;
    if (PAJESIM__CHECKPOINT(number)->ended)
        number--;
    status = pajesim_index_restore(index, number, sim, arena, capacity, callbacks, data);
    if (status != PAJESIM_OK)
        return status;
    if (number < PAJESIM__LATEST)
        pajesim__drop_checkpoint(index, PAJESIM__LATEST);
    PAJESIM__CHECKPOINT(number)->least = -PAJESIM__TIME_LEAST;
    /* What closed after the last checkpoint is open again. */
    for (i = 0; i < PAJESIM__CHECKPOINT(number)->count; i++) {
        uint32_t at = i + 1, earlier = number;
        for (; at; earlier--) {
            pajesim__ending *ending = &PAJESIM__ENDINGS(earlier)[at - 1];
            pajesim__release_closing(index, ending->closing);
            ending->closing = 0;
            ending->order = 0;
            ending->flags &= PAJESIM__WAS_IMPLICIT;
            at = ending->earlier;
        }
    }
    PAJESIM__INDEX->complete = PAJESIM__INDEX->ended = 0;
    PAJESIM__INDEX->failed.bytes = 0;
    index->told_by = sim;
    sim->index = index;
    return PAJESIM_OK;
}

PAJESIM_API pajesim_status pajesim_index_move(pajesim_index *index, void *memory, size_t size)
{
    if (!index || !memory || !pajesim__is_aligned(memory))
        return PAJESIM_MISUSE;
    if (size < PAJESIM__INDEX->top) {
        index->needed = PAJESIM__INDEX->top;
        return PAJESIM_FULL;
    }
    if (memory != index->memory)
        memcpy(memory, index->memory, PAJESIM__INDEX->top);
    index->memory = (unsigned char *)memory;
    index->capacity = PAJESIM__MIN(size, (size_t)PAJESIM__CAPACITY_MAX);
    return PAJESIM_OK;
}

PAJESIM_API uint64_t pajesim_index_needed(const pajesim_index *index)
{
    return index->needed;
}

PAJESIM_API const void *pajesim_index_save(pajesim_index *index, size_t *size)
{
    pajesim__image head;
    if (PAJESIM__INDEX->dead > PAJESIM__INDEX->top / 8)
        pajesim__compact(index);
    *size = PAJESIM__INDEX->top;
    head = pajesim__image_of(PAJESIM__INDEX_MAGIC, (uint32_t)*size, index->memory + sizeof head, *size - sizeof head);
    memcpy(index->memory, &head, sizeof head);
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
    memset(index, 0, sizeof *index);
    index->memory = (unsigned char *)memory;
    index->capacity = PAJESIM__MIN(capacity, (size_t)PAJESIM__CAPACITY_MAX);
    return PAJESIM_OK;
}
#endif /* PAJESIM_TRAVEL */
