#define PAJESIM_IMPLEMENTATION
#include "reader.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

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

int reader_is(pajesim_text text, const char *string)
{
    return text.size == strlen(string) && memcmp(text.bytes, string, text.size) == 0;
}

uint32_t reader_number(pajesim_text name)
{
    uint32_t number = 0, unit = 1;
    while (name.size > 0 && name.bytes[name.size - 1] >= '0' && name.bytes[name.size - 1] <= '9' && unit <= 100000) {
        number += unit * (uint32_t)(name.bytes[--name.size] - '0');
        unit *= 10;
    }
    return number;
}

int64_t reader_field(const pajesim *sim, const pajesim_fields *fields, const char *name)
{
    pajesim_field field;
    int64_t value = 0;
    if (pajesim_user_field_named(sim, fields, name, &field))
        pajesim_fixed(field.text.bytes, field.text.size, 0, &value);
    return value;
}
