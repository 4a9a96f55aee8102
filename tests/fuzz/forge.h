/* Forges images and indexes: changes some of their bytes, and computes their checksums again. */
#ifndef FUZZ_FORGE_H
#define FUZZ_FORGE_H

#include "fuzz.h"
#include "pack.h"

static uint32_t forge__random;

static size_t forge__below(size_t n)
{
    forge__random = forge__random * 1664525u + 1013904223u;
    return n ? (size_t)(forge__random >> 8) % n : 0;
}

/* Changes some words of 4 bytes: to another word that is there, as an offset may be one; by a little; in one bit; or to
 * anything. */
static void forge__words(unsigned char *bytes, size_t size)
{
    size_t times = 1 + forge__below(3), words = size / 4;
    for (; times && words; times--) {
        const size_t at = 4 * forge__below(words);
        uint32_t word, other;
        memcpy(&word, bytes + at, 4);
        memcpy(&other, bytes + 4 * forge__below(words), 4);
        switch (forge__below(5)) {
        case 0: word = other; break;
        case 1: word += 8 * (uint32_t)forge__below(8) - 32; break;
        case 2: word ^= UINT32_C(1) << forge__below(32); break;
        case 3: word = (uint32_t)forge__below(4); break;
        default: word = (uint32_t)forge__below(1 << 24);
        }
        memcpy(bytes + at, &word, 4);
    }
}

/* Changes what is packed in an image, whose runs of zeros stay where they are; or, seldom, those, too. */
static void forge__packed(unsigned char *bytes, size_t size)
{
    size_t at = 0, literals = forge__below(8) ? 1 : 0;
    if (!literals) {
        forge__words(bytes, size);
        return;
    }
    for (literals = forge__below(1 + size / 64); at + sizeof(pajesim__run) <= size;) {
        pajesim__run run;
        memcpy(&run, bytes + at, sizeof run);
        at += sizeof run;
        if (run.literals > (size - at) / 8)
            return;
        if (run.literals && literals < run.literals) {
            forge__words(bytes + at, 8 * (size_t)run.literals);
            return;
        }
        literals -= run.literals < literals ? run.literals : literals;
        at += 8 * (size_t)run.literals;
    }
}

static void forge_image(unsigned char *image, size_t size, uint32_t seed)
{
    pajesim__image head;
    memcpy(&head, image, sizeof head);
    forge__random = seed;
    if (forge__below(16) == 0)
        head.top += 8 * forge__below(8);
    forge__packed(image + sizeof head, size - sizeof head);
    forge__sum(image, size, head.magic, head.layout, (uint32_t)head.top);
}

/* ---- an image, unpacked */

/* What a forger writes: a word that is there, as an offset may be one; one that lies near; one bit; a small number, a
 * larger one, or an offset behind the arena. */
static uint32_t forge__word(const unsigned char *arena, uint32_t top, uint32_t word)
{
    uint32_t other;
    memcpy(&other, arena + 4 * forge__below(top / 4), 4);
    switch (forge__below(7)) {
    case 0: return other;
    case 1: return word + 8 * (uint32_t)forge__below(8) - 32;
    case 2: return word ^ UINT32_C(1) << forge__below(32);
    case 3: return (uint32_t)forge__below(4);
    case 4: return 16 * (uint32_t)forge__below(top / 16);
    case 5: return top + 16 * (uint32_t)forge__below(4);
    default: return UINT32_MAX - (uint32_t)forge__below(1 << 20);
    }
}

/* Where an arena is changed: anywhere, zeros as well; in the state of the simulation; or in the first words of a block,
 * which a word that is found by chance refers to. */
static size_t forge__place(const unsigned char *arena, uint32_t top)
{
    const size_t how = forge__below(3);
    int tries;
    for (tries = 0; how == 2 && tries < 100; tries++) {
        uint32_t block;
        memcpy(&block, arena + 4 * forge__below(top / 4), 4);
        if (block >= PAJESIM__STATE_SIZE && block <= top - 64 && block % 8 == 0)
            return block + 4 * forge__below(16);
    }
    return 4 * forge__below((how == 1 ? sizeof(pajesim__state) : top) / 4);
}

/* Changes one to three words of an arena, or a flag of its state. */
static void forge__arena(unsigned char *arena, uint32_t top)
{
    const size_t flags = offsetof(pajesim__state, cut), flags_end = offsetof(pajesim__state, digests) + 1;
    size_t times = 1 + forge__below(3);
    if (!forge__below(8)) {
        arena[flags + forge__below(flags_end - flags)] = (unsigned char)forge__below(4);
        return;
    }
    for (; times; times--) {
        const size_t at = forge__place(arena, top);
        uint32_t word;
        memcpy(&word, arena + at, 4);
        word = forge__word(arena, top, word);
        memcpy(arena + at, &word, 4);
    }
}

/* Changes what an image of a loaded index holds, and puts the new one into it, which may take another size. */
static void forge__unpacked(pajesim_index *index, uint32_t number)
{
    static uint64_t arena[(1 << 17) / 8], packed[(1 << 18) / 8];
    pajesim__checkpoint *it = PAJESIM__CHECKPOINT(number);
    const uint32_t top = it->top;
    pajesim__offset block;
    size_t size;
    if (top > sizeof arena ||
        !pajesim__unpack(PAJESIM__STORED(unsigned char, it->image), it->image_size, (unsigned char *)arena, top))
        return;
    forge__arena((unsigned char *)arena, top);
    size = forge__pack((const unsigned char *)arena, top, (unsigned char *)packed);
    if (index->capacity - PAJESIM__INDEX->top < pajesim__block_size(size))
        return;
    pajesim__store_free(index, it->image);
    block = pajesim__store_alloc(index, size);
    memcpy(index->memory + block, packed, size);
    it->image = block;
    it->image_size = (uint32_t)size;
}

/* ---- indexes */

/* Changes the records of an index that was loaded, what an image of it holds, or how that is packed.  Returns its
 * size. */
static size_t forge_index(pajesim_index *index, uint32_t seed)
{
    const uint32_t count = pajesim_index_count(index);
    size_t size;
    unsigned char *bytes;
    pajesim__image head;
    uint32_t number, how;
    forge__random = seed;
    number = (uint32_t)forge__below(count);
    how = (uint32_t)forge__below(8);
    if (count && how < 4)
        forge__unpacked(index, number);
    pajesim_index_save(index, &size);
    bytes = index->memory;
    memcpy(&head, bytes, sizeof head);
    if (how == 4 && count)
        forge__packed(bytes + PAJESIM__CHECKPOINT(number)->image, PAJESIM__CHECKPOINT(number)->image_size);
    else if (how == 5) /* the head of the index itself */
        forge__words(bytes + sizeof head, sizeof(pajesim__index));
    else if (how > 5)
        forge__words(bytes + sizeof head, size - sizeof head);
    forge__sum(bytes, size, head.magic, head.layout, (uint32_t)head.top);
    return size;
}

#endif
