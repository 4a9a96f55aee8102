/* A set of byte strings: open addressing over entries that lie one after the other. */
#include "paje.h"

#include <string.h>

static uint64_t hash(const unsigned char *bytes, size_t size)
{
    uint64_t h = 0xcbf29ce484222325u;
    for (size_t i = 0; i < size; i++)
        h = (h ^ bytes[i]) * 0x100000001b3u;
    return h ^ (h >> 29);
}

pajesim_text paje_set_entry(const paje_set *set, size_t entry)
{
    size_t start = entry ? set->ends[entry - 1] : 0;
    pajesim_text text = {set->bytes.bytes + start, set->ends[entry] - start};
    return text;
}

/* The slot of that entry, or the free one where it belongs.  There is always a free one. */
static size_t *slot_of(const paje_set *set, const void *bytes, size_t size)
{
    size_t at = (size_t)hash(bytes, size) & (set->slot_count - 1);
    for (; set->slots[at]; at = (at + 1) & (set->slot_count - 1)) {
        pajesim_text entry = paje_set_entry(set, set->slots[at] - 1);
        if (entry.size == size && memcmp(entry.bytes, bytes, size) == 0)
            break;
    }
    return &set->slots[at];
}

size_t paje_set_find(const paje_set *set, const void *bytes, size_t size)
{
    return set->count ? *slot_of(set, bytes, size) - 1 : PAJE_NONE; /* 0 - 1 is PAJE_NONE, too */
}

static void grow(paje_set *set)
{
    set->slot_count = set->slot_count ? 2 * set->slot_count : 64;
    set->slots = paje_room(set->slots, set->slot_count * sizeof *set->slots);
    memset(set->slots, 0, set->slot_count * sizeof *set->slots);
    for (size_t i = 0; i < set->count; i++) {
        pajesim_text entry = paje_set_entry(set, i);
        *slot_of(set, entry.bytes, entry.size) = i + 1;
    }
}

size_t paje_set_add(paje_set *set, const void *bytes, size_t size)
{
    if (2 * set->count >= set->slot_count)
        grow(set);
    size_t *slot = slot_of(set, bytes, size);
    if (*slot == 0) {
        if (set->count == set->room) {
            set->room += set->room / 2 + 64;
            set->ends = paje_room(set->ends, set->room * sizeof *set->ends);
        }
        paje_add(&set->bytes, bytes, size);
        set->ends[set->count] = set->bytes.size;
        *slot = ++set->count;
    }
    return *slot - 1;
}

int paje_set_names(const paje_set *names, const pajesim *sim, pajesim_ref ref)
{
    pajesim_text name = pajesim_name(sim, ref), alias = pajesim_alias(sim, ref);
    return paje_set_find(names, name.bytes, name.size) != PAJE_NONE ||
           paje_set_find(names, alias.bytes, alias.size) != PAJE_NONE;
}
