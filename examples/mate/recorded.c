#include "recorded.h"

#include <string.h>

static int64_t number(const pajesim *sim, const pajesim_fields *fields, const char *name)
{
    pajesim_field field;
    int64_t value = 0;
    if (pajesim_user_field_named(sim, fields, name, &field))
        pajesim_fixed(field.text.bytes, field.text.size, 0, &value);
    return value;
}

static int event(pajesim *sim, const pajesim_entity *entity)
{
    recorded *it = (recorded *)pajesim_data(sim);
    const pajesim_text type = pajesim_name(sim, entity->type), knob = entity->value_name;
    recorded_decision *found;
    if (type.size != 8 || memcmp(type.bytes, "Decision", 8) != 0)
        return PAJESIM_GO_ON;
    found = array_push(&it->found);
    memcpy(found->knob, knob.bytes, knob.size < sizeof found->knob ? knob.size : sizeof found->knob - 1);
    found->iteration = number(sim, &entity->opening, "Iteration");
    found->from = number(sim, &entity->opening, "From");
    found->to = number(sim, &entity->opening, "To");
    return PAJESIM_GO_ON;
}

void recorded_begin(recorded *it)
{
    static const pajesim_callbacks callbacks = {.event = event};
    memset(it, 0, sizeof *it);
    reader_begin(&it->reader, &callbacks, it);
}
