/* Forges images and indexes: changes some of their bytes, and computes their checksums again. */
#ifndef FUZZ_FORGE_H
#define FUZZ_FORGE_H

#include "fuzz.h"

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

static void forge__sum(unsigned char *bytes, size_t size, uint32_t magic, uint32_t layout, uint32_t top)
{
    pajesim__image head = pajesim__image_of(magic, layout, top, bytes + sizeof head, size - sizeof head);
    memcpy(bytes, &head, sizeof head);
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

/* Changes the records of an index, or one of its images. */
static void forge_index(unsigned char *bytes, size_t size, uint32_t seed)
{
    pajesim_index index;
    pajesim__image head;
    memcpy(&head, bytes, sizeof head);
    memset(&index, 0, sizeof index);
    index.memory = bytes;
    forge__random = seed;
    if (pajesim_index_count(&index) && forge__below(2)) {
        const pajesim__checkpoint *it =
            pajesim__checkpoints_of(&index) + forge__below(pajesim_index_count(&index));
        forge__packed(bytes + it->image, it->image_size);
    } else {
        forge__words(bytes + sizeof head, size - sizeof head);
    }
    forge__sum(bytes, size, head.magic, head.layout, (uint32_t)head.top);
}

#endif
