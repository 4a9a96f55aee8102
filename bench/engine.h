/* One build of the reader.  Builds with different options are linked into one program. */
#ifndef BENCH_ENGINE_H
#define BENCH_ENGINE_H

#include "pajesim.h"

enum { ENGINE_PAD = 64 };

typedef struct engine {
    pajesim_status (*init)(pajesim *sim, void *arena, size_t capacity, const pajesim_options *options,
                           const pajesim_callbacks *callbacks, void *data);
    pajesim_status (*feed)(pajesim *sim, const void *bytes, size_t size, size_t *taken);
    pajesim_status (*finish)(pajesim *sim);
    const pajesim_counts *(*count)(const pajesim *sim);
    size_t (*used)(const pajesim *sim);
    pajesim_problem (*last_problem)(const pajesim *sim);
    /* Runs only the lexer over the whole lines of these bytes; ENGINE_PAD bytes after them may be read.  Returns the
     * number of bytes in the lines, and adds the number of words. */
    size_t (*lex)(const void *bytes, size_t size, uint64_t *words);
} engine;

extern const engine engine_fast, engine_relexed, engine_uncached, engine_narrow, engine_plain;

#endif
