/* Links, whose halves may lie in different files.
 *
 * A link keeps its key, so that its halves find each other also in the merged trace.  But where several inputs use keys
 * of their own, such as 1, 2, 3, ... in each, these get the number of the input behind them.  A key is of its own if
 * the links of the input, of that type and in that container, both start and end in it: the survey finds that out,
 * pairing each half with one of its own input where there is one.  So no key need be remembered but of links that lack
 * a half. */
#include "merge.h"

#include <string.h>

/* A link type in a container, and the inputs that have links there. */
typedef struct merge_place {
    struct merge_place *next; /* of the container */
    merge_entry *entry, *claim; /* the only one, unless `several` */
    uint32_t least;             /* of the inputs */
    int several;
    int shared; /* the keys of at least one of them */
} merge_place;

typedef struct claim {
    merge_place *place;
    int shared; /* its links go to other inputs, too */
} claim;

typedef struct half {
    struct half *next, *previous;
    merge_entry *any, *own;
    uint32_t input;
    int start;
    uint64_t line;
    pajesim_time time;
} half;

size_t merge_links_in_flight, merge_most_links_in_flight;
static half *halves;
static size_t most_dots; /* before digits at the end of a key: one more, and a number, is something new */

static const pajesim_text nothing = {"", 0};

/* ---- whose keys they are */

static claim *find_claim(const merge_input *input, const merge_type *type, merge_container *container)
{
    merge_key key = merge_make_key(MERGE_PLACE_OF, type->number, container->identity, input->index, nothing);
    merge_entry *entry = merge_find(key);
    if (entry || merge_pass != MERGE_SURVEY)
        return entry ? entry->thing : NULL;
    claim *it = paje_room(NULL, sizeof *it);
    merge_entry *owned = merge_add(key, it, 1);
    key = merge_make_key(MERGE_PLACE, type->number, container->identity, 0, nothing);
    entry = merge_find(key);
    it->shared = 0;
    it->place = entry ? entry->thing : paje_room(NULL, sizeof *it->place);
    merge_place *place = it->place;
    if (entry) {
        place->several = 1;
        place->least = input->index < place->least ? input->index : place->least;
        return it;
    }
    *place = (merge_place){container->places, merge_add(key, place, 1), owned, input->index, 0, 0};
    container->places = place;
    return it;
}

/* Where only one input has links, there is nothing to remember. */
void merge_forget_places(merge_container *container)
{
    merge_place *place = container->places, *next;
    container->places = NULL;
    for (; place; place = next) {
        next = place->next;
        if (!place->several) {
            merge_remove(place->claim);
            merge_remove(place->entry);
        }
    }
}

static int is_own(const claim *it)
{
    return merge_pass != MERGE_SURVEY && it && !it->shared && it->place->several;
}

/* Those of the first input stay as they are, if all have their own. */
static int is_renamed(const claim *it, uint32_t input)
{
    return is_own(it) && (it->place->shared || it->place->least != input);
}

static void note_dots(pajesim_text key)
{
    size_t at = key.size, dots = 0;
    while (at > 0 && key.bytes[at - 1] >= '0' && key.bytes[at - 1] <= '9')
        at--;
    while (at > 0 && at < key.size && key.bytes[at - 1] == '.') {
        at--;
        dots++;
    }
    most_dots = dots > most_dots ? dots : most_dots;
}

/* ---- halves that lack the other one */

static merge_key make_key(enum merge_tag tag, const merge_type *type, const merge_container *container, uint64_t last,
                          pajesim_text key)
{
    return merge_make_key(tag, type->number, container->number, last, key);
}

static half *find_half(const merge_input *input, const claim *its, const merge_type *type,
                       const merge_container *container, int start, pajesim_text key)
{
    uint64_t half_bit = (uint64_t)start;
    merge_entry *entry =
        merge_find_oldest(make_key(MERGE_OWN_LINK, type, container, (uint64_t)input->index << 1 | half_bit, key));
    if (!entry && !is_own(its))
        entry = merge_find_oldest(make_key(MERGE_LINK, type, container, half_bit, key));
    return entry ? entry->thing : NULL;
}

static void add_half(const merge_input *input, const claim *its, const merge_type *type,
                     const merge_container *container, int start, pajesim_text key, pajesim_time time)
{
    half *it = paje_room(NULL, sizeof *it);
    uint64_t half_bit = (uint64_t)start;
    *it = (half){halves, NULL, NULL, NULL, input->index, start, input->taken, time};
    if (halves)
        halves->previous = it;
    halves = it;
    it->own = merge_add(make_key(MERGE_OWN_LINK, type, container, (uint64_t)input->index << 1 | half_bit, key), it, 1);
    if (!is_own(its))
        it->any = merge_add(make_key(MERGE_LINK, type, container, half_bit, key), it, 0);
    if (++merge_links_in_flight > merge_most_links_in_flight)
        merge_most_links_in_flight = merge_links_in_flight;
}

static void remove_half(half *it)
{
    if (it->previous)
        it->previous->next = it->next;
    else
        halves = it->next;
    if (it->next)
        it->next->previous = it->previous;
    if (it->any)
        merge_remove(it->any);
    merge_remove(it->own);
    merge_links_in_flight--;
}

/* ---- links */

static void note_shared(const merge_input *input, const merge_type *type, merge_container *container)
{
    claim *its = find_claim(input, type, container);
    its->shared = its->place->shared = 1;
}

static void pair_halves(merge_input *input, int start, pajesim_time time, const half *other)
{
    if (merge_aligns && start) {
        merge_note_message(input->index, other->input, time, other->time);
        merge_note_source(other->input, other->line, input);
    } else if (merge_aligns) {
        merge_note_message(other->input, input->index, other->time, time);
    }
}

pajesim_text merge_link_key(merge_input *input, const merge_type *type, merge_container *container, int start,
                            pajesim_text key, pajesim_time time)
{
    static paje_buffer written;
    const claim *its = find_claim(input, type, container);
    half *other = find_half(input, its, type, container, !start, key);
    if (merge_pass == MERGE_SURVEY)
        note_dots(key);
    if (!other && !start && !is_own(its) && merge_may_wait(input, time)) {
        input->waits = merge_add(make_key(MERGE_WAIT, type, container, 0, key), input, 0);
        return (pajesim_text){NULL, 0};
    }
    if (other) {
        if (merge_pass == MERGE_SURVEY && other->input != input->index) {
            note_shared(input, type, container);
            note_shared(&merge_inputs[other->input], type, container);
        }
        pair_halves(input, start, time, other);
        remove_half(other);
    } else {
        add_half(input, its, type, container, start, key, time);
        merge_entry *wait =
            start && merge_waiting ? merge_find_oldest(make_key(MERGE_WAIT, type, container, 0, key)) : NULL;
        if (wait)
            merge_end_wait(wait, time);
    }
    written.size = 0;
    paje_add_text(&written, key);
    if (is_renamed(its, input->index)) {
        for (size_t i = 0; i <= most_dots; i++)
            paje_add(&written, ".", 1);
        paje_addf(&written, "%lu", (unsigned long)input->index + 1);
    }
    return paje_text(&written);
}

void merge_begin_links(void)
{
    merge_links_in_flight = merge_most_links_in_flight = 0;
}

void merge_end_links(void)
{
    while (halves) {
        if (!halves->start && merge_pass == MERGE_LOOK)
            merge_never_wait(&merge_inputs[halves->input], halves->line);
        remove_half(halves);
    }
}
