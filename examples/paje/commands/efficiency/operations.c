/* Collective operations: who of them waits for whom.  `paje trace` tells communicator, number, rank and root as user
 * fields.  Where these are missing, operations for all processes are joined in the order in which each begins them. */
#include "efficiency.h"

#include <math.h>
#include <stdio.h>

enum { MOST_OPERATIONS = 65536 }; /* that some processes have not begun */

typedef struct operation {
    int64_t size;      /* of the communicator; 0: not known */
    int64_t begun, ended;
    int has_root, is_unordered;
    double left;       /* when the first one ended it; HUGE_VAL: none has */
    mark *all, *root;  /* the greatest clocks of those that have begun it; those of the root */
    size_t class;      /* of the states, if it has no number */
    hash_map lower;    /* of a scan: a Fenwick tree by ranks, of which only the places in use are kept */
    array_of(mark) marks; /* of each of its places: the greatest clocks of those that have begun it */
} operation;

/* What a row has begun. */
typedef struct pending {
    size_t operation;
    int64_t rank;
    int is_root, has_ended;
    paje_call call;
} pending;

static hash_map keys;
static array_of(operation) operations;
static array_of(pending) begun; /* by row */
static array_of(size_t) queue;  /* rows that have ended an operation at the present instant */
static size_t most = MOST_OPERATIONS;

static void forget(size_t number)
{
    operation *it = &operations.items[number];
    free(it->all);
    it->all = NULL;
    map_free(&it->lower);
    array_free(&it->marks);
    map_remove(&keys, number);
}

/* Forgets those in which no process is: others may never begin them, as not all processes are recorded. */
static void forget_idle(void)
{
    for (size_t i = 0; i < operations.count; i++)
        if (operations.items[i].all && operations.items[i].begun == operations.items[i].ended)
            forget(i);
    most = 2 * keys.used > MOST_OPERATIONS ? 2 * keys.used : MOST_OPERATIONS;
}

static size_t operation_of(const void *key, size_t size, int64_t members)
{
    if (keys.used >= most)
        forget_idle();
    size_t known = keys.used, number = map_add(&keys, key, size);
    if (keys.used > known) {
        operation *it = array_at(&operations, number);
        *it = (operation){.size = members, .left = HUGE_VAL,
                          .all = memory_alloc_zero(2 * efficiency.section_count, sizeof *it->all)};
        it->root = it->all + efficiency.section_count;
    }
    return number;
}

/* ---- which operation it is */

/* Without numbers: of all processes.  Who begins one has ended the one before, which all have begun then; so all have
 * ended the one before that. */
static size_t unnumbered_of(row *it, size_t class)
{
    char key[32];
    uint64_t count = ++it->unnumbered;
    if (count > 2) {
        size_t number = map_find(&keys, key, (size_t)snprintf(key, sizeof key, "%llu", (unsigned long long)count - 2));
        if (number != MAP_NONE && operations.items[number].begun == operations.items[number].ended)
            forget(number);
    }
    size_t number = operation_of(key, (size_t)snprintf(key, sizeof key, "%llu", (unsigned long long)count), 0);
    if (operations.items[number].begun == 0)
        operations.items[number].class = class;
    efficiency.is_unnumbered_wrong |= operations.items[number].class != class;
    return number;
}

/* The operation that a row begins; ACTIVE_NONE: the trace does not tell. */
static size_t find_operation(pajesim *sim, row *it, const pajesim_entity *state, pending *one)
{
    static text_buffer key;
    paje_collective told;
    if (!paje_find_collective(sim, state, &told))
        return one->call == CALL_ALL ? unnumbered_of(it, active_class_of(sim, state)) : ACTIVE_NONE;
    if (told.size < 1)
        return ACTIVE_NONE;
    one->rank = told.rank;
    one->is_root = told.root >= 0 && told.root == told.rank;
    text_clear(&key);
    text_printf(&key, "%lld ", (long long)told.instance);
    text_append(&key, told.communicator);
    return operation_of(key.bytes, key.size, told.size);
}

/* ---- scans */

static mark *marks_of(operation *it, size_t place)
{
    (void)array_at(&it->marks, (place + 1) * efficiency.section_count - 1);
    return &it->marks.items[place * efficiency.section_count];
}

/* The places in the tree begin at 1. */
static uint64_t place_of(const operation *it, int64_t rank)
{
    return 1 + (uint64_t)(rank < 0 ? 0 : rank < it->size ? rank : it->size - 1);
}

static void begin_scan(operation *it, int64_t rank, const mark *own)
{
    for (uint64_t at = place_of(it, rank); at <= (uint64_t)it->size; at += at & (0 - at))
        efficiency_join(marks_of(it, map_add(&it->lower, &at, sizeof at)), own);
}

/* A row goes on from those of lower ranks that have begun it. */
static void end_scan(row *who, operation *it, int64_t rank)
{
    for (uint64_t at = place_of(it, rank) - 1; at > 0; at &= at - 1) {
        size_t place = map_find(&it->lower, &at, sizeof at);
        if (place != MAP_NONE)
            efficiency_follow(who, marks_of(it, place));
    }
}

/* ---- begin */

void efficiency_operation_begins(pajesim *sim, size_t number, const pajesim_entity *state, paje_call call)
{
    row *it = &efficiency.rows.items[number];
    pending one = {.call = call};
    it->operation = one.operation = find_operation(sim, it, state, &one);
    if (it->operation == ACTIVE_NONE) {
        it->call = CALL_UNTOLD;
        return;
    }
    operation *in = &operations.items[one.operation];
    mark *own = memory_alloc_zero(efficiency.section_count, sizeof *own);
    efficiency.operations += in->begun++ == 0;
    efficiency.is_unnumbered_wrong |= in->size == 0 && in->left < state->start;
    efficiency_mark(it, own);
    efficiency_join(in->all, own);
    if (one.is_root) {
        memcpy(in->root, own, efficiency.section_count * sizeof *own);
        in->has_root = 1;
    }
    if (call == CALL_SCAN)
        begin_scan(in, one.rank, own);
    free(own);
    *array_at(&begun, number) = one;
}

/* ---- end */

/* Whether all have begun an operation when it ends is known when the lines of that instant have been read. */
void efficiency_operation_ends(size_t number, double time)
{
    size_t in = efficiency.rows.items[number].operation;
    if (in == ACTIVE_NONE)
        return;
    operations.items[in].left = fmin(operations.items[in].left, time);
    begun.items[number].has_ended = 1;
    *array_push(&queue) = number;
}

/* A row goes on from those whom it waits for, as far as they have begun it.  Returns whether all have. */
static int follow_operation(row *it, const pending *one, operation *in)
{
    if (one->call == CALL_ALL || (one->call == CALL_TO_ROOT && one->is_root)) {
        efficiency_follow(it, in->all);
        return in->begun >= in->size;
    }
    if (one->call == CALL_FROM_ROOT && !one->is_root) {
        efficiency_follow(it, in->root);
        return in->has_root;
    }
    if (one->call == CALL_SCAN)
        end_scan(it, in, one->rank);
    return 1;
}

int efficiency_cut_operation(size_t number)
{
    row *it = &efficiency.rows.items[number];
    return it->communicating == 0 || it->operation == ACTIVE_NONE || !operations.items[it->operation].all ||
           follow_operation(it, &begun.items[number], &operations.items[it->operation]);
}

static void settle(size_t number)
{
    row *it = &efficiency.rows.items[number];
    const pending *one = &begun.items[number];
    if (it->operation == ACTIVE_NONE || !one->has_ended)
        return;
    operation *in = &operations.items[it->operation];
    it->operation = ACTIVE_NONE;
    if (!in->all) /* more have begun it than there are */
        return;
    int is_ordered = follow_operation(it, one, in);
    if (efficiency.is_partial && (!is_ordered || (in->size == 0 && efficiency.has_outer_calls))) {
        efficiency_add_untold(it, efficiency_time(it->left));
        is_ordered = 1;
    }
    efficiency.unordered += !is_ordered && !in->is_unordered;
    in->is_unordered |= !is_ordered;
    if (++in->ended == in->size)
        forget((size_t)(in - operations.items));
}

void efficiency_settle(void)
{
    for (size_t i = 0; i < queue.count; i++)
        settle(queue.items[i]);
    array_clear(&queue);
}

void efficiency_settle_row(size_t number)
{
    if (efficiency.rows.items[number].operation != ACTIVE_NONE)
        settle(number);
}
