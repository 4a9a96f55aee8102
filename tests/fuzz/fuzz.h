/* What the targets share.  Each defines LLVMFuzzerTestOneInput, which libFuzzer, AFL++ and tests/fuzz/main.c call. */
#ifndef FUZZ_H
#define FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* What the target promises of every input does not hold of this one. */
static inline void fuzz_expect(int holds, const char *promise)
{
    if (!holds) {
        fprintf(stderr, "not so: %s\n", promise);
        abort();
    }
}

#endif
