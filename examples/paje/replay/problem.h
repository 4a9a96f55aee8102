/* Warnings and errors. */
#pragma once

#include "base/text.h"
#include "replay/run.h"

#define PAJE_LIMIT 100 /* errors shown of a trace, unless --limit says otherwise */
#define PAJE_SHOWN_WARNINGS 5 /* of each code */

/* Appends "FILE:LINE:COLUMN: error: text: `bytes`", without a line end. */
void paje_format_problem(text_buffer *line, const paje_run *run, const pajesim_problem *problem);
/* Whether to show a problem; counts it if not.  Of errors by a name that nothing has, such as the number of a
 * definition that was refused, only the first is shown.  `warnings`: how many are shown of each code. */
int paje_admits_problem(paje_run *run, const pajesim_problem *problem, uint64_t warnings);
/* Prints a problem on standard error if it is to be shown. */
void paje_tell_problem(paje_run *run, const pajesim_problem *problem);
/* The default callback `problem`, which does so. */
int paje_show_problem(pajesim *sim, const pajesim_problem *problem);
/* The same for programs that stand in for pj_dump and pj_equals, which pass over what happens on destroyed containers,
 * and over included files: warnings here.  The errors that they have, too, are counted. */
int paje_show_problem_of_pajeng(pajesim *sim, const pajesim_problem *problem);
extern uint64_t paje_pajeng_errors;
/* So many identifiers are remembered then, so that late events are known to be on destroyed containers. */
enum { PAJE_PAJENG_REMEMBERED = 1 << 20 };
/* Appends lines that say what was not shown, and which options would help; clears the tally. */
void paje_put_omitted(text_buffer *lines, paje_run *run, uint64_t warnings);
/* Prints them on standard error. */
void paje_show_omitted(paje_run *run);
