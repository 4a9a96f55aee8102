/* Samples: where threads are, once for each period of their CPU time.
 *
 * They are lines of text in files of the run: `all.samples`, which `paje trace` writes when the system takes them
 * (perf_event_open); or one beside the raw file of each process that takes them itself, by timers.  Numbers are in hex,
 * with a blank before each; times are those of CLOCK_MONOTONIC.  A line that ends without " ." is not whole.
 *
 *     S TIME PROCESS THREAD WEIGHT ADDRESS...  a sample, of so many periods: where it is, and where its callers go on
 *     M TIME PROCESS START END OFFSET PATH     code of a file is mapped
 *     X TIME PROCESS                           executes a program: has no code any more
 *     F TIME PROCESS PARENT                    was forked, with the code of its parent */
#pragma once

#define TRACE_SAMPLES ".samples" /* end of the names of these files */

enum {
    TRACE_FRAMES = 64, /* of a stack, from its top */
    TRACE_HIGHEST_RATE = 20000
};
#define TRACE_HIGHEST_RATE_TEXT "20000"
#define TRACE_RATE_TEXT "1000" /* samples of a second, by default */

/* What takes them. */
enum { TRACE_NO_SAMPLER, TRACE_PERF, TRACE_TIMERS };
