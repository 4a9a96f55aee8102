/* Windows: stretches of the trace between checkpoints are replayed, and what closed in them is shown; then what is still
 * open behind the last one is, with the ends that the index knows. */
#if PAJESIM_TRAVEL

static int pajesim__window_closed(pajesim *sim, const pajesim_entity *entity)
{
    pajesim_window *window = (pajesim_window *)sim->data;
    int answer;
    if (entity->start > window->to || (!entity->open && entity->end < window->from) || window->stopped)
        return PAJESIM_GO_ON;
    sim->data = window->data;
    answer = window->shown_to->closed(sim, entity);
    sim->data = window;
    window->stopped = answer == PAJESIM_STOP;
    return window->stopped ? PAJESIM_PAUSE : PAJESIM_GO_ON;
}

PAJESIM_API pajesim_status pajesim_window_init(pajesim_window *window, void *memory, size_t size, pajesim_index *index,
                                               const pajesim_options *options, pajesim_read read, void *data)
{
    if (!window || !memory || !pajesim__is_aligned(memory) || !index || !read)
        return PAJESIM_MISUSE;
    memset(window, 0, sizeof *window);
    window->index = index;
    if (options)
        window->options = *options;
    window->read = read;
    window->read_data = data;
    window->memory = (unsigned char *)memory;
    window->size = window->low = window->high = size;
    window->callbacks.closed = pajesim__window_closed;
    return PAJESIM_OK;
}

PAJESIM_API uint64_t pajesim_window_needed(const pajesim_window *window)
{
    return window->sim.needed;
}

PAJESIM_API uint64_t pajesim_window_replayed(const pajesim_window *window)
{
    return window->replayed;
}

/* Puts the simulation at a checkpoint. */
static pajesim_status pajesim__window_go(pajesim_window *window, uint32_t number)
{
    pajesim_status status = PAJESIM_OK;
    if (window->at != number + 1)
        status = pajesim_index_restore(window->index, number, &window->sim, window->memory, window->low,
                                       &window->callbacks, window);
    window->at = status == PAJESIM_OK ? number + 1 : 0;
    return status;
}

/* Feeds the bytes of the trace up to `end`, or as far as it goes. */
static pajesim_status pajesim__window_feed(pajesim_window *window, uint64_t end)
{
    pajesim *sim = &window->sim;
    pajesim_status status = PAJESIM_OK;
    while (status == PAJESIM_OK && !window->stopped && PAJESIM__STATE->counts.bytes < end) {
        uint64_t left = end - PAJESIM__STATE->counts.bytes;
        const void *bytes;
        size_t size = window->read(window->read_data, PAJESIM__STATE->counts.bytes, &bytes,
                                   (size_t)PAJESIM__MIN(left, (uint64_t)(SIZE_MAX / 2)));
        if (!size)
            break;
        status = pajesim_feed(sim, bytes, size, &size);
        window->replayed += size;
        if (status == PAJESIM_PAUSED)
            status = PAJESIM_OK;
    }
    return status;
}

/* From one checkpoint to the next. */
static pajesim_status pajesim__window_replay(pajesim_window *window, uint32_t number)
{
    pajesim *sim = &window->sim;
    const pajesim__checkpoint *next = pajesim__checkpoints_of(window->index) + number + 1;
    pajesim_status status = pajesim__window_go(window, number);
    if (status != PAJESIM_OK)
        return status;
    window->at = 0;
    sim->callbacks = &window->callbacks;
    sim->data = window;
    status = pajesim__window_feed(window, next->offset);
    if (status == PAJESIM_OK && !window->stopped && PAJESIM__STATE->counts.bytes < next->offset)
        status = PAJESIM_STALE;
    if (status == PAJESIM_OK && !window->stopped && next->ended) {
        sim->busy = 1;
        sim->answer = PAJESIM_GO_ON;
        sim->top = PAJESIM__STATE->top;
        status = pajesim__end_lines(sim);
        sim->busy = 0;
        if (status == PAJESIM_PAUSED)
            status = PAJESIM_OK;
    }
    if (status == PAJESIM_OK && !window->stopped)
        window->at = number + 2;
    return status;
}

/* ---- reading on ---- */

/* The simulation comes to where the index ends, and tells it what happens. */
static pajesim_status pajesim__window_go_on(pajesim_window *window)
{
    pajesim *sim = &window->sim;
    pajesim_index *index = window->index;
    uint32_t count = pajesim_index_count(index);
    pajesim_status status;
    if (count && sim->index == index && window->at == count)
        return PAJESIM_OK;
    window->at = 0;
    if (count)
        return pajesim_index_resume(index, sim, window->memory, window->low, NULL, NULL);
    status = pajesim_init(sim, window->memory, window->low, &window->options, NULL, NULL);
    return status == PAJESIM_OK ? pajesim_index_begin(index, sim) : status;
}

PAJESIM_API pajesim_status pajesim_window_read_on(pajesim_window *window, uint64_t bytes, int end)
{
    pajesim *sim;
    pajesim_index *index;
    pajesim_status status;
    uint64_t goal, before;
    if (!window)
        return PAJESIM_MISUSE;
    index = window->index;
    if (pajesim_index_complete(index))
        return PAJESIM_OK;
    status = pajesim__window_go_on(window);
    if (status != PAJESIM_OK)
        return status;
    sim = &window->sim;
    window->stopped = 0;
    window->at = 0;
    sim->callbacks = &pajesim__deaf;
    goal = PAJESIM__STATE->counts.bytes;
    goal = bytes > UINT64_MAX - goal ? UINT64_MAX : goal + bytes;
    do {
        before = PAJESIM__STATE->counts.bytes;
        status = pajesim__window_feed(window, PAJESIM__MIN(goal, before + (UINT32_C(1) << 16)));
        if (status == PAJESIM_OK)
            status = pajesim_index_step(index, sim);
    } while (status == PAJESIM_OK && PAJESIM__STATE->counts.bytes > before);
    if (status == PAJESIM_OK && end && PAJESIM__STATE->counts.bytes < goal) {
        status = pajesim_index_finish(index, sim);
        return status == PAJESIM_INVALID ? PAJESIM_OK : status;
    }
    if (status == PAJESIM_OK &&
        pajesim__checkpoints_of(index)[pajesim_index_count(index) - 1].offset < PAJESIM__STATE->counts.bytes)
        status = pajesim__take_checkpoint(index, sim, 0);
    if (status == PAJESIM_OK)
        window->at = pajesim_index_count(index);
    return status;
}

/* Reads on until a time beyond `to` was seen, or there is nothing more to read. */
static pajesim_status pajesim__window_reach(pajesim_window *window, pajesim_time to)
{
    const pajesim_index *index = window->index;
    pajesim_status status = PAJESIM_OK;
    uint64_t before = UINT64_MAX;
    while (status == PAJESIM_OK && !pajesim_index_complete(index)) {
        uint32_t count = pajesim_index_count(index);
        const pajesim__checkpoint *last = pajesim__checkpoints_of(index) + count - 1;
        if (count && (last->greatest > to || last->offset == before))
            break;
        before = count ? last->offset : UINT64_MAX;
        status = pajesim_window_read_on(window, UINT32_C(1) << 20, 0);
    }
    return status;
}

/* ---- showing ---- */

PAJESIM_API pajesim_status pajesim_window_show(pajesim_window *window, pajesim_time from, pajesim_time to,
                                               const pajesim_callbacks *callbacks, void *data)
{
    pajesim_status status;
    uint32_t number, end;
    if (!window || !callbacks || !callbacks->closed || !(from <= to))
        return PAJESIM_MISUSE;
    status = pajesim__window_reach(window, to);
    window->from = from;
    window->to = to;
    window->shown_to = callbacks;
    window->data = data;
    window->stopped = 0;
    number = pajesim_index_before(window->index, from);
    end = pajesim_index_after(window->index, to);
    for (; status == PAJESIM_OK && number < end && !window->stopped; number++)
        status = pajesim__window_replay(window, number);
    if (status == PAJESIM_OK && !window->stopped)
        status = pajesim__window_go(window, number);
    if (status == PAJESIM_OK && !window->stopped) {
        window->at = 0;
        window->sim.callbacks = &window->callbacks;
        window->sim.data = window;
        status = pajesim_index_rest(window->index, number, &window->sim, from, to);
    }
    return status == PAJESIM_OK && window->stopped ? PAJESIM_STOPPED : status;
}
#endif /* PAJESIM_TRAVEL */
