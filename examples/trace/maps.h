/* What a process has mapped, by /proc/self/maps.  Signal handlers may call it: it allocates nothing. */
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef struct trace_mapping {
    uintptr_t start, end;
    uint64_t offset; /* in the file */
    int is_code;
    const char *path; /* or a name in brackets; empty: there is none */
    const char *rest; /* the line from its flags on: what else tells two mappings apart */
} trace_mapping;

/* Calls `take` with each mapping, until that returns 0.  `text` is memory for lines; longer ones are left out.  What
 * a mapping points to is there until `take` returns. */
void trace_read_maps(char *text, size_t size, int (*take)(void *context, const trace_mapping *), void *context);
