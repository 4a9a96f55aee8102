/* Links, whose halves may lie in different files.
 *
 * A link keeps its key, so that its halves find each other also in the merged trace.  But where several inputs use the
 * same keys for links of their own, all but the first of them get their number behind the key. */
#include "merge.h"

#include <string.h>

#define REMEMBERED (1u << 16) /* of the last keys, to see that another input uses them again */

typedef struct half {
    uint32_t input;
    int renamed;
    pajesim_time time;
} half;

size_t merge_links_in_flight, merge_most_links_in_flight;
static struct {
    uint64_t print;
    uint32_t input; /* 1 + index; 0: nothing is remembered here */
} remembered[REMEMBERED];

void merge_begin_links(void)
{
    merge_links_in_flight = merge_most_links_in_flight = 0;
    memset(remembered, 0, sizeof remembered);
}

/* Remembers who used the key, and answers who did before: 1 + index, or 0. */
static uint32_t remember(uint64_t print, uint32_t input)
{
    size_t at = (size_t)(print >> 20) & (REMEMBERED - 1);
    uint32_t before = remembered[at].print == print ? remembered[at].input : 0;
    if (!before) {
        remembered[at].print = print;
        remembered[at].input = input + 1;
    }
    return before;
}

/* Whether the key of a half that comes first gets the input's number. */
static int is_renamed(const merge_input *input, const merge_type *type, const merge_container *container,
                      uint64_t print)
{
    static const pajesim_text nothing = {"", 0};
    uint32_t before = remember(print, input->index);
    merge_key key = merge_make_key(MERGE_LOCAL_KEYS, type->number, container->number, 0, nothing);
    const merge_entry *local = merge_find(key);
    uint32_t keeper;
    if (local) {
        memcpy(&keeper, local->thing, sizeof keeper);
        return keeper != input->index;
    }
    if (!before || before == input->index + 1)
        return 0;
    keeper = before - 1;
    void *thing = paje_room(NULL, sizeof keeper);
    memcpy(thing, &keeper, sizeof keeper);
    merge_add(key, thing, 1);
    return 1;
}

/* The half that waits for one of this input: rather one of its own. */
static merge_entry *find_other_half(const merge_input *input, merge_key key)
{
    merge_entry *first = merge_find(key), *entry = first;
    while (entry && ((const half *)entry->thing)->input != input->index)
        entry = merge_find_next(entry);
    return entry ? entry : first;
}

pajesim_text merge_link_key(const merge_input *input, const merge_type *type, const merge_container *container,
                            int start, pajesim_text key, pajesim_time time)
{
    static paje_buffer written;
    uint64_t half_bit = (uint64_t)start;
    merge_entry *entry = find_other_half(
        input, merge_make_key(MERGE_LINK, type->number, container->number, !half_bit, key));
    half it = {input->index, 0, time};
    if (entry) {
        half other = *(const half *)entry->thing;
        it.input = other.input;
        it.renamed = other.renamed;
        if (start)
            merge_note_message(input->index, other.input, time, other.time);
        else
            merge_note_message(other.input, input->index, other.time, time);
        merge_remove(entry);
        merge_links_in_flight--;
    } else {
        half *waits = paje_room(NULL, sizeof *waits);
        entry = merge_add(merge_make_key(MERGE_LINK, type->number, container->number, half_bit, key), waits, 1);
        it.renamed = is_renamed(input, type, container, entry->hash);
        *waits = it;
        if (++merge_links_in_flight > merge_most_links_in_flight)
            merge_most_links_in_flight = merge_links_in_flight;
    }
    written.size = 0;
    paje_add_text(&written, key);
    if (it.renamed)
        paje_addf(&written, ".%lu", (unsigned long)it.input + 1);
    return (pajesim_text){written.bytes, written.size};
}
