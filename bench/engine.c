/* Compiled once for each ENGINE in engine.h, each time with other PAJESIM_ options. */
#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wunused-function"
#endif
#define PAJESIM_API static
#define PAJESIM_IMPLEMENTATION
#include "engine.h"

/* pajesim__run_lines without the simulation. */
static size_t lex(const void *bytes, size_t size, uint64_t *words)
{
    const unsigned char *begin = (const unsigned char *)bytes, *p = begin, *end = begin + size;
    pajesim__line line;
#if PAJESIM__BLOCKS
    pajesim__block block;
    static uint64_t arena[1024];
    pajesim sim;
    pajesim_init(&sim, arena, sizeof arena, NULL, NULL, NULL);
    pajesim__block_init(&block);
#endif
    for (; end > begin && end[-1] != '\n'; end--) {
    }
    pajesim__begin_line(&line, p, 17);
    while (p < end) {
        const unsigned char *following = NULL;
#if PAJESIM__BLOCKS
        following = pajesim__lex_fast(&sim, &line, NULL, &block, p, end, 0);
#endif
        if (!following)
            following = pajesim__lex(&line, p, 1);
        *words += line.count;
        p = following;
    }
    return (size_t)(p - begin);
}

const engine ENGINE = {pajesim_init, pajesim_feed, pajesim_finish,       pajesim_count,
                       pajesim_used, pajesim_last_problem, lex};
