/* PajeTraceFile: the line that includes a file. */
#pragma once

#include "../model/commit.h"
#include "../model/resolve.h"

static pajesim__outcome pajesim__trace_file(pajesim *sim, pajesim__line *line, const pajesim__definition *definition)
{
    uint32_t word = PAJESIM__FIELD(definition, PAJESIM_FILENAME);
    pajesim__file_request request;
    if (!pajesim__live_container_at(sim, line, PAJESIM__FIELD(definition, PAJESIM_CONTAINER_FIELD)) ||
        !pajesim__container_type_at(sim, line, PAJESIM__FIELD(definition, PAJESIM_TYPE)))
        return PAJESIM__REFUSED;
    if (!PAJESIM__SIZE(line, word)) {
        pajesim__diagnose(sim, line, PAJESIM_E_FILE_NAME, word);
        return PAJESIM__REFUSED;
    }
    if (!pajesim__reserve_file(sim, line, word, &request))
        return PAJESIM__REFUSED;
    if (!pajesim__ready(sim, line, definition))
        return (pajesim__outcome)line->outcome;
    pajesim__store_file(sim, line, &request);
    return PAJESIM__DONE;
}
