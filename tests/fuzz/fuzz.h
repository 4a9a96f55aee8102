/* Shared by the targets.  Each defines LLVMFuzzerTestOneInput, which libFuzzer, AFL++ and tests/fuzz/main.c call. */
#ifndef FUZZ_H
#define FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* Aborts: an invariant of the target does not hold for this input. */
static inline void fuzz_expect(int holds, const char *promise)
{
    if (!holds) {
        fprintf(stderr, "not so: %s\n", promise);
        abort();
    }
}

#endif
