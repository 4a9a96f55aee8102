#include "recorded.h"

#include "record.h"

#include <string.h>

static int event(pajesim *sim, const pajesim_entity *entity)
{
    recorded *it = (recorded *)pajesim_data(sim);
    const pajesim_text type = pajesim_name(sim, entity->type), knob = entity->value_name;
    recorded_decision found = {"", 0, 0, 0};
    const int is_range = reader_is(type, RECORD_RANGE), is_lost = reader_is(type, RECORD_LOST);
    if (!is_range && !is_lost && !reader_is(type, RECORD_DECISION))
        return PAJESIM_GO_ON;
    memcpy(found.knob, knob.bytes, knob.size < sizeof found.knob ? knob.size : sizeof found.knob - 1);
    found.iteration = reader_field(sim, &entity->opening, "Iteration");
    found.from = reader_field(sim, &entity->opening, "From");
    found.to = reader_field(sim, &entity->opening, "To");
    if (is_range)
        analyse_limit(it->of, found.knob, found.from, found.to);
    else if (is_lost)
        analyse_lose(it->of, found.knob, found.from, found.to);
    else
        *array_push(&it->found) = found;
    return PAJESIM_GO_ON;
}

void recorded_begin(recorded *it, analysis *of)
{
    static const pajesim_callbacks callbacks = {.event = event};
    memset(it, 0, sizeof *it);
    it->of = of;
    reader_begin(&it->reader, &callbacks, it);
}
