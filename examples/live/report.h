/* Measurement documents: the values of probes, sorted and compressed. */
#pragma once

#include "markup.h"
#include "measure.h"

/* Writes the document of some probes. */
void report_probes(markup *to, const measure *from, const uint32_t *probes, uint32_t count);
/* Writes the document of one value. */
void report_sample(markup *to, const measure *from, const measure_sample *sample);
