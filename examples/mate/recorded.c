#include "recorded.h"

#include "record.h"

#include <string.h>

static int64_t number(const pajesim *sim, const pajesim_fields *fields, const char *name)
{
    pajesim_field field;
    int64_t value = 0;
    if (pajesim_user_field_named(sim, fields, name, &field))
        pajesim_fixed(field.text.bytes, field.text.size, 0, &value);
    return value;
}

static int is_type(pajesim_text type, const char *name)
{
    return type.size == strlen(name) && memcmp(type.bytes, name, type.size) == 0;
}

static int event(pajesim *sim, const pajesim_entity *entity)
{
    recorded *it = (recorded *)pajesim_data(sim);
    const pajesim_text type = pajesim_name(sim, entity->type), knob = entity->value_name;
    recorded_decision found = {"", 0, 0, 0};
    const int is_range = is_type(type, RECORD_RANGE), is_lost = is_type(type, RECORD_LOST);
    if (!is_range && !is_lost && !is_type(type, RECORD_DECISION))
        return PAJESIM_GO_ON;
    memcpy(found.knob, knob.bytes, knob.size < sizeof found.knob ? knob.size : sizeof found.knob - 1);
    found.iteration = number(sim, &entity->opening, "Iteration");
    found.from = number(sim, &entity->opening, "From");
    found.to = number(sim, &entity->opening, "To");
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
