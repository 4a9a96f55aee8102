#define PAJESIM_IMPLEMENTATION
#include "reader.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_ARENA = 16384 };

/* Notes how lines of links begin. */
static int definition(pajesim *sim, const pajesim_definition *of)
{
    reader *it = (reader *)(void *)sim;
    const int is_link = of->event == PAJESIM_START_LINK || of->event == PAJESIM_END_LINK;
    if (is_link && it->link_count < READER_LINKS && of->number.size < READER_WORD) {
        memcpy(it->links[it->link_count], of->number.bytes, of->number.size);
        it->link_sizes[it->link_count++] = of->number.size;
    }
    return PAJESIM_GO_ON;
}

void reader_begin(reader *it, const pajesim_callbacks *callbacks, void *data)
{
    static const pajesim_options options = {.ignore_links = 1};
    memset(it, 0, sizeof *it);
    it->callbacks = *callbacks;
    it->callbacks.definition = definition;
    it->arena = memory_alloc(1, FIRST_ARENA);
    pajesim_init(&it->sim, it->arena, FIRST_ARENA, &options, &it->callbacks, data);
}

static void grow(reader *it)
{
    const size_t capacity = 2 * (size_t)pajesim_capacity_needed(&it->sim);
    void *arena = memory_alloc(1, capacity);
    pajesim_move(&it->sim, arena, capacity);
    free(it->arena);
    it->arena = arena;
}

/* Whether a line with this first word is one of a link. */
static int begins_link(const reader *it)
{
    size_t i;
    for (i = 0; i < it->link_count; i++)
        if (it->link_sizes[i] == it->word_size && memcmp(it->links[i], it->word, it->word_size) == 0)
            return 1;
    return 0;
}

static void feed(reader *it, const char *bytes, size_t size)
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

void reader_bytes(reader *it, const char *bytes, size_t size)
{
    const char *p = bytes, *const end = bytes + size;
    const char *run = bytes; /* the simulation has all that is before it */
    while (p < end) {
        const char *newline;
        int is_definition = 0;
        if (!it->in_line) {
            const char *const begin = p;
            const size_t before = it->word_size; /* of the word, came earlier */
            while (p < end && (unsigned char)*p > ' ' && it->word_size < READER_WORD)
                it->word[it->word_size++] = *p++;
            it->is_link = p < end && begins_link(it);
            if (p == end || it->is_link || before > 0) {
                feed(it, run, (size_t)(begin - run));
                run = begin;
            }
            if (p == end)
                return; /* the word waits until it is whole */
            if (!it->is_link)
                feed(it, it->word, before);
            is_definition = it->word[0] == '%';
            it->in_line = 1;
            it->word_size = 0;
        }
        newline = (const char *)memchr(p, '\n', (size_t)(end - p));
        it->in_line = !newline;
        p = newline ? newline + 1 : end;
        if (is_definition) /* it may be that of links */
            feed(it, run, (size_t)(p - run));
        if (is_definition || it->is_link)
            run = p;
    }
    feed(it, run, (size_t)(end - run));
}

uint64_t reader_end(reader *it)
{
    pajesim_status status;
    uint64_t refused;
    feed(it, it->word, it->word_size);
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
