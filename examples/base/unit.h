/* Units of time: of a trace, and of what is printed; numbers with prefixes; steps of axes. */
#pragma once

#include "base/text.h"

typedef struct time_unit {
    const char *name;
    double seconds; /* in one of it */
} time_unit;

/* The unit of that name: s, ms, us or ns.  Returns NULL if there is none. */
const time_unit *unit_named(pajesim_text name);
/* The unit in which to print times that span so many seconds: from ns to d. */
const time_unit *unit_for(double seconds);
/* Prints a duration in the unit that fits it, with so many significant digits: "2.5 ms". */
void text_put_duration(text_buffer *text, double seconds, int digits);
/* Prints a number with three digits and a prefix: "98.1M", "2.5m". */
void text_put_short(text_buffer *text, double number);

/* The least of 1, 2 and 5 times a power of ten that is not below `least`: a distance of the ticks of an axis. */
double axis_step(double least);
/* The decimals that tell multiples of such a step apart, at most 12. */
int axis_decimals(double step);
