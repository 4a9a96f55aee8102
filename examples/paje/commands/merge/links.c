/* Links, whose halves, a start and an end, may lie in different inputs.
 *
 * A link keeps its key, so that its halves find each other in the merged trace as well.  But where several inputs have
 * keys of their own, such as 1, 2, 3, ... in each, these are written with the number of the input (scopes.c).  Each
 * half is paired with one of its own input if there is one, so only links that lack a half have to be remembered.
 *
 * A few links may go from one of these inputs to another, with keys that no input has for its own links.  The survey
 * finds them: their end is written as if it were in the input of their start (`joined`).  Where keys collide so late
 * that it has not noted them all, or, as the clocks were not corrected yet, may have seen no collision, a second survey
 * looks for them, which knows which inputs have links of their own. */
#include "merge.h"

#include <stdlib.h>

enum { OWN, ANY, LISTS };
enum {
    MOST_CROSSED = 65536,
    MOST_JOINTS = 8192 /* keys that are used alike mostly collide earlier, and no more are needed afterwards */
};
#define NO_INPUT UINT32_MAX

/* A half whose other half has not been read yet. */
typedef struct merge_half {
    struct merge_half *next, *previous; /* among all halves */
    struct {
        size_t number;
        struct merge_half *next, *previous;
    } lists[LISTS]; /* of halves with the same key: of the same input, of any input */
    int is_in_any;
    uint32_t input;
    int start;
    uint64_t line;
    const char *file;
    uint64_t number; /* of the line, in its file */
    pajesim_time time;
} half;

/* What both halves of a link have in common. */
typedef struct link_place {
    const merge_type *type;
    merge_container *container;
    pajesim_text key;
} link_place;

void merge_begin_links(merge *m)
{
    m->links.in_flight = m->links.most_in_flight = 0;
}

/* ---- lists of halves: the oldest comes first */

static size_t find_list(merge *m, const link_place *at, int start, uint32_t owner)
{
    return merge_find(m, &m->links.keys, merge_two(at->type->number, owner),
                      at->container->number << 1 | (uint64_t)start, at->key);
}

static void add_to_list(merge *m, half *it, int list, const link_place *at, uint32_t owner)
{
    it->lists[list].number = merge_add(m, &m->links.keys, merge_two(at->type->number, owner),
                                       at->container->number << 1 | (uint64_t)it->start, at->key);
    merge_half_list *halves = array_at(&m->links.lists, it->lists[list].number);
    it->lists[list].next = NULL;
    it->lists[list].previous = halves->last;
    if (halves->last)
        halves->last->lists[list].next = it;
    else
        halves->first = it;
    halves->last = it;
}

static void remove_from_list(merge *m, half *it, int list)
{
    half *next = it->lists[list].next, *previous = it->lists[list].previous;
    merge_half_list *halves = &m->links.lists.items[it->lists[list].number];
    if (previous)
        previous->lists[list].next = next;
    else
        halves->first = next;
    if (next)
        next->lists[list].previous = previous;
    else
        halves->last = previous;
    if (!halves->first)
        map_remove(&m->links.keys, it->lists[list].number);
}

/* `owner`: the input whose keys it has. */
static half *find_half(merge *m, uint32_t owner, int has_own_keys, const link_place *at, int start)
{
    size_t list = find_list(m, at, start, owner + 1);
    if (list == MAP_NONE && !has_own_keys)
        list = find_list(m, at, start, 0);
    return list == MAP_NONE ? NULL : m->links.lists.items[list].first;
}

static void add_half(merge *m, const merge_input *input, uint32_t owner, int has_own_keys, const link_place *at,
                     int start, pajesim_time time)
{
    merge_links *links = &m->links;
    half *it = memory_alloc(1, sizeof *it);
    it->next = links->halves;
    it->previous = NULL;
    if (links->halves)
        links->halves->previous = it;
    links->halves = it;
    it->input = input->index;
    it->start = start;
    it->line = input->processed;
    it->file = input->lines.items[input->next].file;
    it->number = input->lines.items[input->next].number;
    it->time = time;
    it->is_in_any = !has_own_keys;
    add_to_list(m, it, OWN, at, owner + 1);
    if (it->is_in_any)
        add_to_list(m, it, ANY, at, 0);
    if (++links->in_flight > links->most_in_flight)
        links->most_in_flight = links->in_flight;
}

static void remove_half(merge *m, half *it)
{
    if (it->previous)
        it->previous->next = it->next;
    else
        m->links.halves = it->next;
    if (it->next)
        it->next->previous = it->previous;
    remove_from_list(m, it, OWN);
    if (it->is_in_any)
        remove_from_list(m, it, ANY);
    free(it);
    m->links.in_flight--;
}

/* ---- keys */

/* Counts the dots before digits at the end of a key: with one dot more, no key that gets a number equals another. */
static void note_dots(merge_links *links, pajesim_text key)
{
    size_t at = key.size, dots = 0;
    while (at > 0 && key.bytes[at - 1] >= '0' && key.bytes[at - 1] <= '9')
        at--;
    while (at > 0 && at < key.size && key.bytes[at - 1] == '.') {
        at--;
        dots++;
    }
    links->dots = dots > links->dots ? dots : links->dots;
}

/* Returns a key with the number of its input, as it is written. */
static pajesim_text renamed_key(merge *m, pajesim_text key, uint32_t input)
{
    merge_links *links = &m->links;
    text_clear(&links->key);
    text_append(&links->key, key);
    for (size_t i = 0; i <= links->dots; i++)
        text_putc(&links->key, '.');
    text_printf(&links->key, "%lu", (unsigned long)input + 1);
    text_clear(&links->written);
    merge_put_word(&links->written, text_view(&links->key), m->is_strict);
    text_reserve(&links->written, MERGE_SLACK);
    return text_view(&links->written);
}

/* ---- links */

static void add_message(merge *m, merge_input *input, int start, pajesim_time time, const half *other)
{
    if (!m->aligns)
        return;
    if (start) {
        merge_add_message(m, input->index, other->input, time, other->time);
        merge_record_source(m, &m->inputs[other->input], other->line, input);
    } else {
        merge_add_message(m, other->input, input->index, other->time, time);
    }
}

static pajesim_text bytes_of(const char *const *file)
{
    return (pajesim_text){(const char *)file, sizeof *file};
}

/* Notes that a link ends with this line of an input, and starts in another one. */
static void join(merge *m, uint32_t end_input, const char *file, uint64_t line, uint32_t start_input)
{
    size_t number = merge_add(m, &m->links.joined, end_input, line, bytes_of(&file));
    *array_at(&m->links.start_inputs, number) = start_input;
}

/* Returns the input whose keys the next line of an input has: its own, unless it is the end of a joined link. */
static uint32_t owner_of(merge *m, const merge_input *input, int start)
{
    const merge_line *line = &input->lines.items[input->next];
    const char *file = line->file;
    if (merge_surveys_links(m) || start || !m->links.joined.used)
        return input->index;
    size_t number = merge_find(m, &m->links.joined, input->index, line->number, bytes_of(&file));
    return number == MAP_NONE ? input->index : m->links.start_inputs.items[number];
}

static size_t find_crossed(merge *m, const link_place *at, int start, uint32_t input)
{
    return merge_find(m, &m->links.crossed, merge_two(at->type->number, input),
                      at->container->number << 1 | (uint64_t)start, at->key);
}

static size_t add_crossed(merge *m, const link_place *at, int start, uint32_t input)
{
    size_t number = merge_add(m, &m->links.crossed, merge_two(at->type->number, input),
                              at->container->number << 1 | (uint64_t)start, at->key);
    (void)array_at(&m->links.are_disputed, number);
    return number;
}

static void add_both_crossed(merge *m, const link_place *at, int start, uint32_t input, uint32_t other)
{
    if (m->links.crossed.used >= MOST_CROSSED)
        return;
    add_crossed(m, at, start, input);
    add_crossed(m, at, !start, other);
}

/* Notes a link from one input to another, whose second half is the next line of `input`. */
static void add_joint(merge *m, const merge_input *input, merge_scope_use *use, const link_place *at, int start,
                      const half *other, merge_scope_use *others)
{
    const merge_line *line = &input->lines.items[input->next];
    merge_joint *it = array_push(&m->links.joints);
    it->start_use = start ? use : others;
    it->end_use = start ? others : use;
    it->start_input = start ? input->index : other->input;
    it->end_input = start ? other->input : input->index;
    it->file = start ? other->file : line->file;
    it->line = start ? other->number : line->number;
    it->start = add_crossed(m, at, 1, it->start_input);
    it->end = add_crossed(m, at, 0, it->end_input);
}

/* Returns the other half of a link, NULL if it is rather one of another link of another input. */
static half *survey_link(merge *m, const merge_input *input, merge_scope_use *use, const link_place *at, int start,
                         half *other)
{
    merge_links *links = &m->links;
    size_t before = links->crossed.used ? find_crossed(m, at, !start, input->index) : MAP_NONE;
    if (before != MAP_NONE) {
        links->are_disputed.items[before] = 1;
        if (other && other->input == input->index)
            merge_note_guess(use);
    }
    if (other) {
        merge_scope_use *others = merge_find_scope_use(m, other->input, at->type, at->container);
        if (!merge_may_cross(use, others)) {
            add_both_crossed(m, at, start, input->index, other->input);
            return NULL;
        }
        merge_note_link(m, use, others);
        if (use != others && (links->joints.count < MOST_JOINTS || links->is_second)) {
            add_joint(m, input, use, at, start, other, others);
        } else if (use != others) {
            links->are_some_missing = 1;
            merge_note_unsure(use);
            merge_note_unsure(others);
            add_both_crossed(m, at, start, input->index, other->input);
        }
        return other;
    }
    size_t list = start ? find_list(m, at, 1, 0) : MAP_NONE;
    int is_in_flight = list != MAP_NONE && links->lists.items[list].first->input != input->index;
    if (is_in_flight || before != MAP_NONE)
        merge_note_collision(use, is_in_flight);
    return NULL;
}

int merge_add_link(merge *m, merge_input *input, const merge_type *type, merge_container *container, int start,
                   pajesim_text key, pajesim_time time, pajesim_text *written)
{
    link_place at = {type, container, key};
    uint32_t owner = owner_of(m, input, start);
    merge_scope_use *use = merge_find_scope_use(m, owner, type, container);
    if (m->links.is_second && merge_is_only_use(use))
        return 1;
    if (merge_renames_keys(m, use, owner))
        *written = renamed_key(m, key, owner);
    if (m->pass == MERGE_WRITE && !m->aligns && !m->shows_stats) /* nothing asks which halves belong together */
        return 1;
    int has_own_keys = merge_has_own_keys(m, use);
    half *other = find_half(m, owner, has_own_keys, &at, !start);
    if (merge_surveys_links(m)) {
        note_dots(&m->links, key);
        other = survey_link(m, input, use, &at, start, other);
    }
    uint32_t keys_of = has_own_keys ? owner + 1 : 0;
    if (!other && !start && keys_of != input->index + 1 && merge_may_wait(m, input, time)) {
        merge_wait(m, input, type, container, keys_of, key);
        return 0;
    }
    if (other) {
        add_message(m, input, start, time, other);
        remove_half(m, other);
    } else {
        add_half(m, input, owner, has_own_keys, &at, start, time);
        if (start)
            merge_wake(m, type, container, keys_of, key, time);
    }
    return 1;
}

/* Returns the input of all halves in a list, or NO_INPUT if there are several; counts them. */
static uint32_t input_of_all(const half *it, size_t *count)
{
    uint32_t input = it->input;
    for (; it; it = it->lists[ANY].next, ++*count)
        input = it->input == input ? input : NO_INPUT;
    return input;
}

/* Joins what is left of a key: starts in one input, and as many ends in another one, none before its start. */
static void join_rest(merge *m, const half *first)
{
    pajesim_text place = map_key(&m->links.keys, first->lists[ANY].number);
    uint64_t type, half_of; /* see find_list() and merge_key() */
    size_t starts = 0, ends = 0;
    memcpy(&type, place.bytes, sizeof type);
    memcpy(&half_of, place.bytes + sizeof type, sizeof half_of);
    place = (pajesim_text){place.bytes + 2 * sizeof type, place.size - 2 * sizeof type};
    size_t list = merge_find(m, &m->links.keys, type, half_of ^ 1, place);
    if (list == MAP_NONE)
        return;
    const half *end = m->links.lists.items[list].first;
    uint32_t start_input = input_of_all(first, &starts), end_input = input_of_all(end, &ends);
    if (starts != ends || start_input == end_input || start_input == NO_INPUT || end_input == NO_INPUT)
        return;
    for (const half *start = first, *it = end; start; start = start->lists[ANY].next, it = it->lists[ANY].next)
        if (it->time < start->time && !m->aligns)
            return;
    for (; end; end = end->lists[ANY].next)
        join(m, end_input, end->file, end->number, start_input);
}

static int is_disputed(const merge_links *links, const merge_joint *it)
{
    return links->are_disputed.items[it->start] || links->are_disputed.items[it->end];
}

void merge_note_disputes(merge *m)
{
    for (size_t i = 0; i < m->links.joints.count; i++) {
        const merge_joint *it = &m->links.joints.items[i];
        if (is_disputed(&m->links, it)) {
            merge_note_unsure(it->start_use);
            merge_note_unsure(it->end_use);
        }
    }
}

/* At the end of the survey, finds the links between inputs that have own keys. */
static void join_links(merge *m)
{
    const merge_links *links = &m->links;
    m->links.disputed = 0;
    for (size_t i = 0; i < links->joints.count; i++) {
        const merge_joint *it = &links->joints.items[i];
        int keep_keys = merge_keeps_keys(it->start_use) && merge_keeps_keys(it->end_use);
        if (!keep_keys && is_disputed(links, it))
            m->links.disputed++;
        else if (!keep_keys)
            join(m, it->end_input, it->file, it->line, it->start_input);
    }
    array_free(&m->links.joints);
    for (const half *it = links->halves; it; it = it->next)
        if (it->start && !m->inputs[it->input].is_raw && !it->lists[ANY].previous)
            join_rest(m, it);
}

void merge_end_links(merge *m)
{
    if (merge_surveys_links(m))
        join_links(m);
    while (m->links.halves) {
        half *it = m->links.halves;
        pajesim_text place = map_key(&m->links.keys, it->lists[OWN].number);
        uint64_t type; /* and the input + 1, as merge_two has made it */
        memcpy(&type, place.bytes, sizeof type);
        place = (pajesim_text){place.bytes + 2 * sizeof type, place.size - 2 * sizeof type}; /* see merge_key */
        if (m->pass == MERGE_SURVEY && m->inputs[it->input].is_raw &&
            merge_note_unpaired(m, &m->inputs[it->input], (uint32_t)(type >> 32), it->start, place))
            merge_add(m, &m->links.unpaired, it->input, it->number, merge_no_text);
        if (!it->start && m->pass == MERGE_MEASURE && !m->links.is_second)
            merge_forbid_wait(m, &m->inputs[it->input], it->line);
        remove_half(m, it);
    }
}

int merge_begin_second_survey(merge *m, int by_clocks)
{
    merge_links *links = &m->links;
    if ((!by_clocks && !links->are_some_missing) || !merge_is_survey_in_doubt(m, by_clocks))
        return 0;
    for (uint32_t i = 0; i < m->input_count; i++)
        if (m->inputs[i].is_raw) /* their keys are unique, and the first survey has left out halves */
            return 0;
    map_free(&links->crossed);
    map_free(&links->joined);
    array_free(&links->start_inputs);
    array_free(&links->are_disputed);
    merge_begin_recount(m);
    links->is_second = 1;
    return 1;
}

int merge_is_unpaired(merge *m, const merge_input *input)
{
    return m->links.unpaired.used && merge_find(m, &m->links.unpaired, input->index,
                                                input->lines.items[input->next].number, merge_no_text) != MAP_NONE;
}

void merge_free_links(merge *m)
{
    map_free(&m->links.unpaired);
    map_free(&m->links.crossed);
    map_free(&m->links.joined);
    array_free(&m->links.start_inputs);
    array_free(&m->links.are_disputed);
    array_free(&m->links.joints);
    array_free(&m->links.lists);
    map_free(&m->links.keys);
    text_free(&m->links.key);
    text_free(&m->links.written);
}
