/* When a trace ends: the first lines define its events, the last ones have times. */
#include "replay/ending.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    PIECE = 1 << 16,
    LAST_TIMES = 8,
    MOST_GROWTH = 4 /* what comes after the middle lasts no longer, as a multiple of what is before it */
};

/* The times of the last lines of a piece: the least of some counts, so that a single wrong one does not. */
typedef struct ending {
    double times[LAST_TIMES];
    size_t count;
} ending;

static int note_time(pajesim *sim, const pajesim_line *line)
{
    ending *end = pajesim_data(sim);
    if (line->event >= PAJESIM_CREATE_CONTAINER && line->event != PAJESIM_TRACE_FILE)
        end->times[end->count++ % LAST_TIMES] = line->time;
    return PAJESIM_GO_ON;
}

/* Feeds the whole lines of a piece of the file, and returns the time at its end.  `is_first`: it begins with a line.
 * -HUGE_VAL: there are too few times, or the reader needs more memory. */
static double time_behind(pajesim *sim, const paje_source *trace, char *bytes, uint64_t from, int is_first)
{
    ending *last = pajesim_data(sim);
    size_t size = paje_read_at(trace->file, bytes, PIECE, from);
    const char *begin = bytes, *end = bytes + size;
    double found = HUGE_VAL;
    last->count = 0;
    while (end > begin && end[-1] != '\n')
        end--;
    while (!is_first && begin < end && *begin++ != '\n')
        ;
    if (begin == end || pajesim_feed(sim, begin, (size_t)(end - begin), NULL) != PAJESIM_OK ||
        last->count < LAST_TIMES)
        return -HUGE_VAL;
    for (size_t i = 0; i < LAST_TIMES; i++)
        found = fmin(found, last->times[i]);
    return found < HUGE_VAL ? found : -HUGE_VAL;
}

double paje_find_end(const paje_source *trace)
{
    static const pajesim_callbacks callbacks = {.line = note_time};
    const pajesim_options options = {.parse_only = 1};
    if (trace->length < 2 * PIECE || trace->decompressor.program)
        return -HUGE_VAL;
    double found = -HUGE_VAL;
    ending last = {{0}, 0};
    pajesim *sim = memory_alloc(1, sizeof *sim);
    size_t capacity = pajesim_arena_min(&options) + 16 * (size_t)PIECE;
    unsigned char *arena = memory_alloc(capacity, 1);
    char *bytes = memory_alloc(PIECE, 1);
    if (pajesim_init(sim, arena, capacity, &options, &callbacks, &last) == PAJESIM_OK) {
        double first = time_behind(sim, trace, bytes, trace->begin, 1);
        double middle = time_behind(sim, trace, bytes, trace->begin + trace->length / 2, 0);
        found = time_behind(sim, trace, bytes, trace->begin + trace->length - PIECE, 0);
        if (!(first > -HUGE_VAL && middle > first))
            found = -HUGE_VAL;
        found = fmin(found, middle + MOST_GROWTH * (middle - first));
    }
    free(bytes);
    free(arena);
    free(sim);
    return found;
}
