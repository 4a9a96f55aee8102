/* Mutations by lines and words: bytes changed at random seldom make another valid trace. */
#ifndef FUZZ_MUTATE_H
#define FUZZ_MUTATE_H

#include "fuzz.h"

size_t LLVMFuzzerMutate(uint8_t *bytes, size_t size, size_t room);
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t room, unsigned seed);

static uint32_t mutate__random;

static size_t mutate__below(size_t n)
{
    mutate__random = mutate__random * 1664525u + 1013904223u;
    return n ? (size_t)(mutate__random >> 8) % n : 0;
}

/* Finds the line, or word, that holds a byte: [*begin, returned end). */
static size_t mutate__part(const uint8_t *bytes, size_t size, size_t at, int word, size_t *begin)
{
    size_t end = at;
    while (at > 0 && bytes[at - 1] != '\n' && (!word || bytes[at - 1] != ' '))
        at--;
    while (end < size && bytes[end] != '\n' && (!word || bytes[end] != ' '))
        end++;
    *begin = at;
    return end < size && !word ? end + 1 : end;
}

/* Puts a copy of [from, from + length) in place of [at, at + gone). */
static size_t mutate__put(uint8_t *bytes, size_t size, size_t room, size_t at, size_t gone, size_t from, size_t length)
{
    static uint8_t copy[1 << 12];
    if (length > sizeof copy || size - gone + length > room)
        return size;
    memcpy(copy, bytes + from, length);
    memmove(bytes + at + length, bytes + at + gone, size - at - gone);
    memcpy(bytes + at, copy, length);
    return size - gone + length;
}

/* Mutates the bytes after the first `fixed`. */
static size_t mutate(uint8_t *bytes, size_t size, size_t room, unsigned seed, size_t fixed)
{
    size_t from, length, at, gone, times;
    mutate__random = seed;
    if (size <= fixed || mutate__below(3) == 0)
        return LLVMFuzzerMutate(bytes, size, room);
    bytes += fixed;
    size -= fixed;
    room -= fixed;
    for (times = 1 + mutate__below(4); times && size; times--) {
        int word = mutate__below(2) == 0;
        length = mutate__part(bytes, size, mutate__below(size), word, &from) - from;
        gone = mutate__part(bytes, size, mutate__below(size), word, &at) - at;
        switch (mutate__below(4)) {
        case 0: /* replaced by a copy of another */
            size = mutate__put(bytes, size, room, at, gone, from, length);
            break;
        case 1: /* preceded by a copy of another */
            size = mutate__put(bytes, size, room, at, 0, from, length);
            break;
        case 2: /* removed */
            size = mutate__put(bytes, size, room, at, gone, 0, 0);
            break;
        default: /* with changed bytes */
            if (gone && gone < 64) {
                uint8_t part[128];
                memcpy(part, bytes + at, gone);
                length = LLVMFuzzerMutate(part, gone, sizeof part);
                if (size - gone + length <= room) {
                    memmove(bytes + at + length, bytes + at + gone, size - at - gone);
                    memcpy(bytes + at, part, length);
                    size = size - gone + length;
                }
            }
        }
    }
    return fixed + size;
}

#endif
