/* The end of an included file, and of the trace. */

PAJESIM_API pajesim_text pajesim_file(const pajesim *sim)
{
    pajesim__offset source = PAJESIM__SOURCE(PAJESIM__CONST_STATE);
    return pajesim__text_at(sim, source ? PAJESIM__AT(pajesim__source, source)->name : 0);
}

/* The last line of a file, when it lacks its newline. */
static pajesim_status pajesim__end_lines(pajesim *sim)
{
    pajesim__state *state = PAJESIM__STATE;
    int taken;
    if (PAJESIM_REPAIRS && state->mark < 3) { /* a file of 1 or 2 bytes of a mark: they are its only line */
        uint8_t seen = state->mark;
        static const unsigned char mark[] = {0xEF, 0xBB};
        pajesim__carry(sim, mark, seen);
        state->mark = 3;
    }
    if (!state->carry_size && state->cut == PAJESIM__IN_INDENT)
        return PAJESIM_OK;
    return pajesim__do_carried(sim, &taken);
}

static void pajesim__leave_file(pajesim *sim)
{
    pajesim__state *state = PAJESIM__STATE;
    pajesim__offset offset = state->source;
    pajesim__source *source = PAJESIM__AT(pajesim__source, offset);
    state->ended = 1;
    if (state->defining)
        pajesim__give_up_definition(sim, PAJESIM_E_HEADER_OPEN);
    state->ended = 0;
    state->skip_definition = 0;
    pajesim__end_definitions(sim, source->definitions);
    state->source = source->importer;
    state->line = source->importer_line;
    state->mark = 3;
    pajesim__give_text(sim, source->name);
    pajesim__give(sim, offset, sizeof *source);
}

PAJESIM_API pajesim_status pajesim_end_file(pajesim *sim)
{
    pajesim_status status;
    if (!sim)
        return PAJESIM_MISUSE;
    if (sim->busy)
        return PAJESIM_BUSY;
    if (!PAJESIM__SOURCE(PAJESIM__STATE))
        return PAJESIM_MISUSE;
    if (PAJESIM__STATE->stopped)
        return PAJESIM_STOPPED;
    sim->busy = 1;
    sim->answer = PAJESIM_GO_ON;
    sim->top = PAJESIM__STATE->top;
    status = pajesim__end_lines(sim);
    if (status == PAJESIM_OK) {
        pajesim__leave_file(sim);
        if (sim->answer == PAJESIM_STOP) { /* by the problem callback, of a definition without end */
            PAJESIM__STATE->stopped = 1;
            status = PAJESIM_STOPPED;
        }
    }
    sim->busy = 0;
    return status;
}

/* ---- the end of the trace ---- */

static pajesim_status pajesim__close_all(pajesim *sim)
{
    pajesim__state *state = PAJESIM__STATE;
    pajesim__cursor cursor = pajesim__begin_closing(state->root);
    int more = 1;
    while (more) {
        more = pajesim__close_next(sim, NULL, &cursor, state->finish_time);
        if (!more) {
            state->stage = PAJESIM__FINISHED;
            if (sim->callbacks->finished)
                pajesim__answer(sim, sim->callbacks->finished(sim));
        } else if (sim->answer != PAJESIM_GO_ON) {
            if (sim->answer != PAJESIM_STOP)
                return PAJESIM_PAUSED;
            state->stage = PAJESIM__FINISHED;
            return PAJESIM_STOPPED;
        }
    }
    return state->counts.errors ? PAJESIM_INVALID : PAJESIM_OK;
}

static pajesim_status pajesim__finish(pajesim *sim, int given, pajesim_time time)
{
    pajesim__state *state = PAJESIM__STATE;
    pajesim_status status;
    if (state->stage == PAJESIM__FINISHED)
        return PAJESIM_FINISHED;
    while (state->stage == PAJESIM__READING) {
        status = state->stopped ? PAJESIM_OK : pajesim__end_lines(sim);
        if (status != PAJESIM_OK && status != PAJESIM_STOPPED)
            return status;
        if (PAJESIM__SOURCE(state)) {
            pajesim__leave_file(sim);
            continue;
        }
        state->ended = 1;
        if (state->defining)
            pajesim__give_up_definition(sim, PAJESIM_E_HEADER_OPEN);
        state->finish_time = given ? time : pajesim_count(sim)->last;
        state->stage = PAJESIM__CLOSING;
        sim->answer = PAJESIM_GO_ON; /* who stopped it before the end has all that is open closed all the same */
    }
    if (PAJESIM__IS_PARSER(state)) {
        state->stage = PAJESIM__FINISHED;
        if (sim->callbacks->finished)
            pajesim__answer(sim, sim->callbacks->finished(sim));
        return state->counts.errors ? PAJESIM_INVALID : PAJESIM_OK;
    }
    return pajesim__close_all(sim);
}

static pajesim_status pajesim__finish_checked(pajesim *sim, int given, pajesim_time time)
{
    pajesim_status status;
    if (!sim)
        return PAJESIM_MISUSE;
    if (sim->busy)
        return PAJESIM_BUSY;
    sim->busy = 1;
    sim->answer = PAJESIM_GO_ON;
    sim->top = PAJESIM__STATE->top;
    status = pajesim__finish(sim, given, time);
    sim->busy = 0;
    return status;
}

PAJESIM_API pajesim_status pajesim_finish(pajesim *sim)
{
    return pajesim__finish_checked(sim, 0, 0);
}

PAJESIM_API pajesim_status pajesim_finish_at(pajesim *sim, pajesim_time time)
{
    return pajesim__finish_checked(sim, 1, time);
}
