/* Dispatch: checks the words of an event line, and calls the function that applies its event.
 *
 * Each of these functions works in four steps.  Check: report what is wrong and return PAJESIM__REFUSED.  Reserve:
 * allocate every block that the line needs.  Ready: pajesim__ready makes the `line` callback and commits the blocks, or
 * returns 0 and the line has no effect.  Change: update the simulation and make callbacks; this cannot fail. */
#pragma once

#include "containers.h"
#include "links.h"
#include "states.h"
#include "trace_file.h"
#include "types.h"

/* Parses the numbers of an event and requests the file that it names, without simulating it (parse_only). */
static pajesim__outcome pajesim__parse_event(pajesim *sim, pajesim__line *line, const pajesim__definition *definition)
{
    uint32_t time_word = pajesim__time_word(definition);
    uint32_t value_word = PAJESIM__FIELD(definition, PAJESIM_VALUE);
    uint32_t file_word = pajesim__file_word(definition);
    pajesim__file_request request;
    line->shown.time = 0;
    if (time_word && !pajesim__time_at(sim, line, time_word))
        return PAJESIM__REFUSED;
    if (definition->function == PAJESIM__DO_change_variable &&
        !pajesim__read_quantity(line->readable, PAJESIM__WORD(line, value_word), PAJESIM__SIZE(line, value_word),
                                &line->shown.number)) {
        pajesim__diagnose(sim, line, PAJESIM_E_NUMBER, value_word);
        return PAJESIM__REFUSED;
    }
    request.word = 0;
    if (PAJESIM__UNLIKELY(file_word && PAJESIM__SIZE(line, file_word)) &&
        !pajesim__reserve_file(sim, line, file_word, &request))
        return PAJESIM__REFUSED;
    if (!pajesim__ready(sim, line, definition))
        return (pajesim__outcome)line->outcome;
    if (PAJESIM__UNLIKELY(request.word))
        pajesim__store_file(sim, line, &request);
    if (time_word)
        pajesim__note_time(sim, line->shown.time);
    return PAJESIM__DONE;
}

/* What a function of the list is given: `input` there. */
#define PAJESIM__LINE_INPUT(on_line, on_place) on_line
#define PAJESIM__PLACE_INPUT(on_line, on_place) on_place

/* Whether a function is given a place. */
PAJESIM__INLINE int pajesim__has_place(uint32_t function)
{
    switch (function) {
#define PAJESIM__X(function, input) \
    case PAJESIM__DO_##function: \
        return PAJESIM__##input##_INPUT(0, 1);
        PAJESIM__FUNCTIONS(PAJESIM__X)
#undef PAJESIM__X
    }
    PAJESIM__ASSERT(0);
    PAJESIM__UNREACHABLE;
    return 0;
}

/* Applies an event on a container.  The switch on the event mispredicts, so shared work is done before it. */
PAJESIM__INLINE pajesim__outcome pajesim__container_event(pajesim *sim, pajesim__line *line,
                                                          const pajesim__definition *definition,
                                                          const pajesim__hint *hint)
{
    pajesim__place place;
    if (PAJESIM__UNLIKELY(!pajesim__time_at(sim, line, PAJESIM__FIELD(definition, PAJESIM_TIME))) ||
        !pajesim__resolve_place(sim, line, definition, hint, &place))
        return PAJESIM__REFUSED;
    switch (definition->function) {
#define PAJESIM__X(function, input) \
    PAJESIM__##input##_INPUT(, case PAJESIM__DO_##function: return pajesim__##function(sim, line, definition, place);)
        PAJESIM__FUNCTIONS(PAJESIM__X)
#undef PAJESIM__X
    }
    PAJESIM__ASSERT(0);
    PAJESIM__UNREACHABLE;
    return PAJESIM__REFUSED;
}

PAJESIM__INLINE pajesim__outcome pajesim__dispatch_event(pajesim *sim, pajesim__line *line,
                                                         const pajesim__definition *definition,
                                                         const pajesim__hint *hint)
{
    line->shown.number = 0;
    if (PAJESIM__UNLIKELY(PAJESIM__IS_PARSER(PAJESIM__STATE(sim))))
        return pajesim__parse_event(sim, line, definition);
    if (PAJESIM__LIKELY(pajesim__has_place(definition->function)))
        return pajesim__container_event(sim, line, definition, hint);
    line->shown.time = 0;
    switch (definition->function) {
#define PAJESIM__X(function, input) \
    PAJESIM__##input##_INPUT(case PAJESIM__DO_##function: return pajesim__##function(sim, line, definition);, )
        PAJESIM__FUNCTIONS(PAJESIM__X)
#undef PAJESIM__X
    }
    PAJESIM__ASSERT(0);
    PAJESIM__UNREACHABLE;
    return PAJESIM__REFUSED;
}

/* Checks the number of words of an event; returns 1 if the line is refused. */
PAJESIM__COLD int pajesim__check_word_count(pajesim *sim, pajesim__line *line, const pajesim__definition *definition)
{
    if (line->count < definition->count + 1u) {
        pajesim__diagnose_at(sim, line, PAJESIM_E_FIELDS_MISSING, pajesim__text_end(line), 0);
        return 1;
    }
    if (line->count > definition->count + 1u &&
        pajesim__diagnose(sim, line, PAJESIM_E_FIELDS_SURPLUS, definition->count + 1u))
        return 1; /* unreached: only a warning */
    return line->surplus_at && pajesim__diagnose_at(sim, line, PAJESIM_E_TOO_MANY_WORDS, line->surplus_at,
                                                    pajesim__text_end(line) - line->surplus_at);
}

PAJESIM__COLD pajesim__outcome pajesim__skip_event(pajesim *sim, pajesim__line *line)
{
    line->shown.definition = 0;
    if (pajesim__diagnose(sim, line, PAJESIM_E_EVENT_SKIPPED, 0))
        return PAJESIM__REFUSED;
    if (!pajesim__ready_full(sim, line))
        return (pajesim__outcome)line->outcome; /* unreached: needs no memory, makes no callback */
    PAJESIM__STATE(sim)->counts.skipped++;
    return PAJESIM__DONE;
}

/* Applies an event line.  `ref`: its definition, 0 if it is unknown.  `hint`: what prefetching found, or NULL. */
PAJESIM__INLINE pajesim__outcome pajesim__event_line(pajesim *sim, pajesim__line *line, pajesim_ref ref,
                                                     uint32_t surplus_at, const pajesim__hint *hint)
{
    const pajesim__definition *definition;
    pajesim__outcome outcome;
    line->shown.definition = ref;
    if (PAJESIM__UNLIKELY(!ref)) {
        pajesim__diagnose(sim, line, PAJESIM_E_EVENT_UNKNOWN, 0);
        return PAJESIM__REFUSED;
    }
    definition = PAJESIM__DEFINITION_AT(sim, line->shown.definition);
    if (PAJESIM__UNLIKELY(definition->function == PAJESIM__SKIP_EVENT))
        return pajesim__skip_event(sim, line);
    if (PAJESIM__UNLIKELY(line->count != definition->count + 1u || surplus_at) &&
        pajesim__check_word_count(sim, line, definition))
        return PAJESIM__REFUSED;
    outcome = pajesim__dispatch_event(sim, line, definition, hint);
    if (PAJESIM__LIKELY(outcome == PAJESIM__DONE))
        PAJESIM__STATE(sim)->counts.by_event[definition->event]++;
    return outcome;
}
