/* A line of an event: by its definition to what it does. */

/* Decodes the numbers of an event, opens the file that it names, and does no more (parse_only). */
static pajesim__outcome pajesim__parse_event(pajesim *sim, pajesim__line *line, const pajesim__definition *definition)
{
    uint32_t time_word = pajesim__time_word(definition);
    uint32_t value_word = PAJESIM__FIELD(definition, PAJESIM_VALUE);
    uint32_t file_word = PAJESIM__FIELD(definition, PAJESIM_FILENAME);
    pajesim__opening opening;
    line->shown.time = 0;
    if (time_word && !pajesim__time_at(sim, line, time_word))
        return PAJESIM__REFUSED;
    if (definition->event >= PAJESIM_SET_VARIABLE && definition->event <= PAJESIM_SUB_VARIABLE &&
        !pajesim__read_quantity(line->low, PAJESIM__WORD(line, value_word), PAJESIM__SIZE(line, value_word),
                                &line->shown.number)) {
        pajesim__wrong(sim, line, PAJESIM_E_NUMBER, value_word);
        return PAJESIM__REFUSED;
    }
    opening.word = 0;
    if (PAJESIM__UNLIKELY(file_word && PAJESIM__SIZE(line, file_word)) &&
        !pajesim__take_source(sim, line, file_word, &opening))
        return PAJESIM__REFUSED;
    if (!pajesim__ready(sim, line, definition))
        return (pajesim__outcome)line->outcome;
    if (PAJESIM__UNLIKELY(opening.word))
        pajesim__put_source(sim, line, &opening);
    if (time_word)
        pajesim__passes(sim, line->shown.time);
    return PAJESIM__DONE;
}

/* What happens on a container.  How it goes on depends on the event, which nothing foretells: so all that is the same is
 * done before. */
PAJESIM__INLINE pajesim__outcome pajesim__happen(pajesim *sim, pajesim__line *line, const pajesim__definition *definition,
                                                 const pajesim__need *found)
{
    pajesim__place place;
    if (PAJESIM__UNLIKELY(!pajesim__time_at(sim, line, PAJESIM__FIELD(definition, PAJESIM_TIME))) ||
        !pajesim__place_at(sim, line, definition, found, &place))
        return PAJESIM__REFUSED;
    switch (definition->event) {
    case PAJESIM_SET_STATE:
    case PAJESIM_PUSH_STATE:
        return pajesim__open_state(sim, line, definition, place);
    case PAJESIM_POP_STATE:
        return pajesim__pop_state(sim, line, definition, place);
    case PAJESIM_RESET_STATE:
        return pajesim__reset_state(sim, line, definition, place);
    case PAJESIM_NEW_EVENT:
        return pajesim__new_event(sim, line, definition, place);
    case PAJESIM_START_LINK:
    case PAJESIM_END_LINK:
        return pajesim__link_line(sim, line, definition, place);
    default:
        return pajesim__change_variable(sim, line, definition, place);
    }
}

PAJESIM__INLINE pajesim__outcome pajesim__do_event(pajesim *sim, pajesim__line *line,
                                                   const pajesim__definition *definition, const pajesim__need *found)
{
    line->shown.number = 0;
    if (PAJESIM__UNLIKELY(PAJESIM__IS_PARSER(PAJESIM__STATE)))
        return pajesim__parse_event(sim, line, definition);
    if (PAJESIM__LIKELY(definition->event >= PAJESIM_SET_STATE && definition->event <= PAJESIM_END_LINK))
        return pajesim__happen(sim, line, definition, found);
    line->shown.time = 0;
    switch (definition->event) {
    case PAJESIM_DEFINE_ENTITY_VALUE:
        return pajesim__define_value(sim, line, definition);
    case PAJESIM_CREATE_CONTAINER:
        return pajesim__create_container(sim, line, definition);
    case PAJESIM_DESTROY_CONTAINER:
        return pajesim__destroy_container(sim, line, definition);
    case PAJESIM_TRACE_FILE:
        return pajesim__trace_file(sim, line, definition);
    default:
        return pajesim__define_type(sim, line, definition);
    }
}

/* What is odd about the number of words of an event. */
PAJESIM__COLD int pajesim__miscounted(pajesim *sim, pajesim__line *line, const pajesim__definition *definition)
{
    if (line->count < definition->count + 1u) {
        pajesim__wrong_at(sim, line, PAJESIM_E_FIELDS_MISSING, pajesim__text_end(line), 0);
        return 1;
    }
    if (line->count > definition->count + 1u && pajesim__wrong(sim, line, PAJESIM_E_FIELDS_SURPLUS, definition->count + 1u))
        return 1; /* unreached: it is but a warning */
    return line->surplus_at && pajesim__wrong_at(sim, line, PAJESIM_E_TOO_MANY_WORDS, line->surplus_at,
                                                 pajesim__text_end(line) - line->surplus_at);
}

PAJESIM__COLD pajesim__outcome pajesim__skip_event(pajesim *sim, pajesim__line *line)
{
    line->shown.definition = 0;
    if (pajesim__wrong(sim, line, PAJESIM_E_EVENT_SKIPPED, 0))
        return PAJESIM__REFUSED;
    if (!pajesim__ready_loud(sim, line))
        return (pajesim__outcome)line->outcome; /* unreached: it takes no room, and makes no callback */
    PAJESIM__STATE->counts.skipped++;
    return PAJESIM__DONE;
}

/* `ref`: its definition, 0 if there is none.  `found`: NULL where nobody looked ahead. */
PAJESIM__INLINE pajesim__outcome pajesim__event_line(pajesim *sim, pajesim__line *line, pajesim_ref ref,
                                                     uint32_t surplus_at, const pajesim__need *found)
{
    const pajesim__definition *definition;
    pajesim__outcome outcome;
    line->shown.definition = ref;
    if (PAJESIM__UNLIKELY(!ref)) {
        pajesim__wrong(sim, line, PAJESIM_E_EVENT_UNKNOWN, 0);
        return PAJESIM__REFUSED;
    }
    definition = PAJESIM__DEFINITION_AT(line->shown.definition);
    if (PAJESIM__UNLIKELY(definition->event == PAJESIM_UNKNOWN_EVENT))
        return pajesim__skip_event(sim, line);
    if (PAJESIM__UNLIKELY(line->count != definition->count + 1u || surplus_at) &&
        pajesim__miscounted(sim, line, definition))
        return PAJESIM__REFUSED;
    outcome = pajesim__do_event(sim, line, definition, found);
    if (PAJESIM__LIKELY(outcome == PAJESIM__DONE))
        PAJESIM__STATE->counts.by_event[definition->event]++;
    return outcome;
}
