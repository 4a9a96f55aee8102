#define PAJESIM_IMPLEMENTATION
#include "reader.h"

#include "base/memory.h"

#include <stdlib.h>

enum { FIRST_ARENA = 16384 };

void reader_begin(reader *it, const pajesim_callbacks *callbacks, void *data)
{
    static const pajesim_options options = {.ignore_links = 1}; /* the other end is in the stream of another actor */
    it->arena = memory_alloc(1, FIRST_ARENA);
    pajesim_init(&it->sim, it->arena, FIRST_ARENA, &options, callbacks, data);
}

static void grow(reader *it)
{
    const size_t capacity = 2 * (size_t)pajesim_capacity_needed(&it->sim);
    void *arena = memory_alloc(1, capacity);
    pajesim_move(&it->sim, arena, capacity);
    free(it->arena);
    it->arena = arena;
}

void reader_bytes(reader *it, const char *bytes, size_t size)
{
    while (size > 0) {
        size_t taken;
        const pajesim_status status = pajesim_feed(&it->sim, bytes, size, &taken);
        bytes += taken;
        size -= taken;
        if (status == PAJESIM_FULL)
            grow(it);
        else if (status == PAJESIM_OPEN)
            pajesim_end_file(&it->sim);
        else if (status != PAJESIM_OK)
            return;
    }
}

uint64_t reader_end(reader *it)
{
    pajesim_status status;
    uint64_t refused;
    while ((status = pajesim_finish(&it->sim)) == PAJESIM_FULL || status == PAJESIM_OPEN)
        if (status == PAJESIM_FULL)
            grow(it);
        else
            pajesim_end_file(&it->sim);
    refused = pajesim_count(&it->sim)->errors;
    free(it->arena);
    return refused;
}
