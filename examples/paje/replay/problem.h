/* Warnings and errors. */
#pragma once

#include "base/text.h"
#include "replay/run.h"

/* Appends "FILE:LINE:COLUMN: error: text: `bytes`", without a line end. */
void paje_format_problem(text_buffer *line, const paje_run *run, const pajesim_problem *problem);
/* The default callback `problem`: prints on standard error, of warnings the first few of each code. */
int paje_show_problem(pajesim *sim, const pajesim_problem *problem);
/* Prints how many warnings were left out. */
void paje_show_omitted(const paje_run *run);
