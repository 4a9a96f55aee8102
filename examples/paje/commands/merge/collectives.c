/* Collective operations as messages: who ends one has waited for others, as if for a message from each of them.
 *
 * States that `paje trace` writes have the communicator, the number of the operation there, the own rank, the root and
 * the size of the communicator.  An operation is known when all of the communicator have ended it. */
#include "merge.h"
#include "replay/collective.h"

#include <math.h>
#include <stdlib.h>

/* Inputs that are paired each with each; of more, only the last to begin and the first to end are. */
enum { MOST_PAIRED = 32 };

/* The part of an input in an operation, or of a process in a scan; in corrected times. */
typedef struct part {
    uint32_t input;
    int64_t rank; /* of a scan */
    double last_begin, first_end;
} part;

typedef struct operation {
    paje_call call;
    int64_t size, begun, ended;
    size_t root; /* of the parts; SIZE_MAX: it has not begun, or there is none */
    double root_begin, root_end;
    array_of(part) parts;
} operation;

/* What a container is in. */
typedef struct place {
    int is_in, is_root;
    uint32_t depth; /* of states above that of the operation */
    size_t operation, part;
    const merge_type *type;
} place;

static hash_map keys;
static array_of(operation) operations;
static array_of(place) places; /* by container */

static int is_collective(const merge_definition *definition)
{
    for (int i = 0; i < MERGE_COLLECTIVE_FIELDS; i++)
        if (!definition->collective[i])
            return 0;
    return definition->event == PAJESIM_PUSH_STATE || definition->event == PAJESIM_SET_STATE;
}

int merge_has_collectives(const merge *m)
{
    for (size_t i = 0; i < m->definitions.items.count; i++)
        if (is_collective(m->definitions.items.items[i]))
            return 1;
    return 0;
}

void merge_begin_collectives(void)
{
    for (size_t i = 0; i < operations.count; i++)
        array_free(&operations.items[i].parts);
    array_clear(&operations);
    array_clear(&places);
    map_clear(&keys);
}

void merge_free_collectives(void)
{
    merge_begin_collectives();
    array_free(&operations);
    array_free(&places);
    map_free(&keys);
}

/* ---- what is known when all have ended */

static void add_all(merge *m, const operation *it)
{
    size_t last = 0, first = 0, count = it->parts.count;
    const part *parts = it->parts.items;
    for (size_t i = 1; i < count; i++) {
        last = parts[i].last_begin > parts[last].last_begin ? i : last;
        first = parts[i].first_end < parts[first].first_end ? i : first;
    }
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < count; k++)
            if (count <= MOST_PAIRED || i == last || k == first)
                merge_add_message(m, parts[i].input, parts[k].input, parts[i].last_begin, parts[k].first_end);
}

static int compare_ranks(const void *a, const void *b)
{
    const part *one = a, *other = b;
    return (one->rank > other->rank) - (one->rank < other->rank);
}

/* From each rank to all higher ones; of many, to each from the lower one that begins last, and from each to the higher
 * one that ends first. */
static void add_scan(merge *m, operation *it)
{
    part *parts = it->parts.items;
    size_t count = it->parts.count, last = 0, first = count - 1;
    qsort(parts, count, sizeof *parts, compare_ranks);
    for (size_t i = 0; i < count && count <= MOST_PAIRED; i++)
        for (size_t k = i + 1; k < count; k++)
            merge_add_message(m, parts[i].input, parts[k].input, parts[i].last_begin, parts[k].first_end);
    for (size_t i = 1; i < count && count > MOST_PAIRED; i++) {
        merge_add_message(m, parts[last].input, parts[i].input, parts[last].last_begin, parts[i].first_end);
        last = parts[i].last_begin > parts[last].last_begin ? i : last;
    }
    for (size_t i = count - 1; i-- > 0 && count > MOST_PAIRED;) {
        merge_add_message(m, parts[i].input, parts[first].input, parts[i].last_begin, parts[first].first_end);
        first = parts[i].first_end < parts[first].first_end ? i : first;
    }
}

static void add_messages(merge *m, operation *it)
{
    if (it->call == CALL_ALL)
        add_all(m, it);
    else if (it->call == CALL_SCAN)
        add_scan(m, it);
    if (it->root == SIZE_MAX)
        return;
    uint32_t root = it->parts.items[it->root].input;
    for (size_t i = 0; i < it->parts.count; i++) {
        const part *one = &it->parts.items[i];
        if (it->call == CALL_FROM_ROOT)
            merge_add_message(m, root, one->input, it->root_begin, one->first_end);
        else if (it->call == CALL_TO_ROOT)
            merge_add_message(m, one->input, root, one->last_begin, it->root_end);
    }
}

/* ---- states */

static int find_number(const merge_input *input, const merge_line *line, int field, int64_t *number)
{
    pajesim_text text = merge_word(input, line, line->definition->collective[field] - 1u);
    return pajesim_fixed(text.bytes, text.size, 0, number);
}

static size_t part_of_rank(operation *it, uint32_t input, int64_t rank)
{
    *array_push(&it->parts) = (part){input, rank, -HUGE_VAL, HUGE_VAL};
    return it->parts.count - 1;
}

static size_t part_of(operation *it, uint32_t input)
{
    for (size_t i = 0; i < it->parts.count; i++)
        if (it->parts.items[i].input == input)
            return i;
    return part_of_rank(it, input, 0);
}

static void begin(const merge_input *input, const merge_line *line, paje_call call, place *in, double time)
{
    static text_buffer key;
    int64_t instance, rank, root, size;
    if (!find_number(input, line, MERGE_INSTANCE, &instance) || !find_number(input, line, MERGE_RANK, &rank) ||
        !find_number(input, line, MERGE_ROOT, &root) || !find_number(input, line, MERGE_SIZE, &size) || size < 2)
        return;
    text_clear(&key);
    text_printf(&key, "%lld ", (long long)instance);
    text_append(&key, merge_word(input, line, line->definition->collective[MERGE_COMMUNICATOR] - 1u));
    size_t known = keys.used, number = map_add(&keys, key.bytes, key.size);
    operation *it = array_at(&operations, number);
    if (keys.used > known)
        *it = (operation){.call = call, .size = size, .root = SIZE_MAX};
    if (it->begun == it->size) /* more begin it than there are */
        return;
    it->begun++;
    *in = (place){1, root >= 0 && root == rank, 0, number, 0, NULL};
    in->part = call == CALL_SCAN ? part_of_rank(it, input->index, rank) : part_of(it, input->index);
    it->parts.items[in->part].last_begin = fmax(it->parts.items[in->part].last_begin, time);
    if (in->is_root) {
        it->root = in->part;
        it->root_begin = time;
    }
}

static void end(merge *m, place *in, double time)
{
    operation *it = &operations.items[in->operation];
    part *own = &it->parts.items[in->part];
    own->first_end = fmin(own->first_end, time);
    if (in->is_root)
        it->root_end = time;
    in->is_in = 0;
    if (++it->ended < it->size)
        return;
    add_messages(m, it);
    array_free(&it->parts);
    map_remove(&keys, in->operation);
}

/* Ends the operation that a container is in, if the line does. */
static void go_on(merge *m, place *in, pajesim_event event, double time)
{
    if (event == PAJESIM_PUSH_STATE)
        in->depth++;
    else if (event == PAJESIM_POP_STATE && in->depth > 0)
        in->depth--;
    else
        end(m, in, time);
}

void merge_add_state(merge *m, merge_input *input, const merge_line *line, const merge_type *type, size_t container)
{
    pajesim_event event = line->definition->event;
    double time = merge_correct(m, input, line->time);
    if (container < places.count && places.items[container].is_in && type == places.items[container].type)
        go_on(m, &places.items[container], event, time);
    if (!is_collective(line->definition))
        return;
    paje_call call = paje_call_of(merge_look_up_value(m, input, type, merge_field(input, line, PAJESIM_VALUE)));
    place *in = array_at(&places, container);
    if (!in->is_in && paje_is_collective(call)) {
        begin(input, line, call, in, time);
        in->type = type;
    }
}
