/* What the parts of the sampler in a process share: sample.c, code.c and signals.c. */
#pragma once

#include "thread.h"

#include <signal.h>

/* sample.c: makes room for a line in the thread's block; NULL: there is none.  trace_end_line takes the end of what was
 * written there. */
char *trace_reserve_line(trace_thread *t, size_t size);
char *trace_put_hex(char *p, uint64_t number);
void trace_end_line(trace_thread *t, char *end);
/* Takes a sample of the calling thread, in the handler of a timer. */
void trace_take_sample(const siginfo_t *info, const void *context);

/* Stops the samples of the calling thread, before it blocks the signal of timers: the program may take that by itself
 * then; and goes on with them. */
void trace_rest_samples(void);
void trace_resume_samples(void);
int trace_are_samples_at_rest(void);

/* code.c: whether an address is in code that is written down. */
int trace_is_code(uintptr_t address);
/* Writes down what code is mapped now, if that was not done for a while.  `is_known`: 0: an address is in none. */
void trace_read_code(trace_thread *t, uint64_t time, int is_known);

/* signals.c: the signal of timers, which has its handler; 0: all are in use. */
int trace_sample_signal(void);
/* Whether the calling thread blocks it. */
int trace_is_sample_signal_blocked(void);
