/* Makes images of what pajesim_save would not write. */
#ifndef FUZZ_PACK_H
#define FUZZ_PACK_H

/* Puts a head with the right checksum in front of what follows it. */
static void forge__sum(unsigned char *bytes, size_t size, uint32_t magic, uint32_t layout, uint32_t top)
{
    pajesim__image head = pajesim__image_of(magic, layout, top, bytes + sizeof head, size - sizeof head);
    memcpy(bytes, &head, sizeof head);
}

/* Packs an arena as pajesim_save does, which cannot be asked to: it trusts what it packs.  Returns the size. */
static size_t forge__pack(const unsigned char *arena, uint32_t top, unsigned char *to)
{
    const uint32_t words = top / 8;
    uint32_t at = 0;
    unsigned char *end = to;
    while (at < words) {
        pajesim__run run = {0, 0};
        for (; at < words && !pajesim__load64(arena + 8 * (size_t)at); at++)
            run.zeros++;
        for (; at + run.literals < words && pajesim__load64(arena + 8 * (size_t)(at + run.literals));)
            run.literals++;
        memcpy(end, &run, sizeof run);
        memcpy(end + sizeof run, arena + 8 * (size_t)at, 8 * (size_t)run.literals);
        end += sizeof run + 8 * (size_t)run.literals;
        at += run.literals;
    }
    return (size_t)(end - to);
}

#endif
