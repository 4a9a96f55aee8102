/* Strict mode: identifiers of containers and keys of links that were used once may never be used again, so they are
 * remembered for ever, as prints.  Those that count, as keys mostly do, have one print for five, 0 to 4 and 5 to 9: 59
 * bits (27, where references have 16) of a hash of what these have in common, and five that tell which were used.
 *
 * Linear hashing (Litwin 1980): one bucket is split at a time, so the memory grows smoothly, by about 12 bytes for each
 * print, and no line waits for a rehash of all.  A bucket that is full before its turn chains another block;
 * what would make a chain longer than PAJESIM__CHAIN, as only identifiers do that were made for it, is in a tree.
 * Two different identifiers are taken for the same with a probability of n*n / 2^62: 2 in 10,000 among 30 million. */

#ifndef PAJESIM__BUCKET     /* tests have smaller ones */
#define PAJESIM__BUCKET 31u /* prints in a bucket of 256 bytes, or 128 */
#endif
#define PAJESIM__SPLIT 25u  /* per bucket on average, before one is split */
#define PAJESIM__CHAIN 4u   /* blocks */
#define PAJESIM__USED ((pajesim__half)31) /* bits of a print: which of the five were used */

/* `at`: bytes in the arena. */
#define PAJESIM__PRINT_AT(at) ((pajesim__half *)(void *)(sim->arena + (at)))
#define PAJESIM__ARE_FIVE(print, other) ((((print) ^ (other)) & ~PAJESIM__USED) == 0)

typedef struct pajesim__bucket {
    pajesim__length count;
    pajesim__offset next;
    pajesim__half prints[PAJESIM__BUCKET];
} pajesim__bucket;

typedef struct pajesim__seen_room {
    uint32_t known; /* not 0: a print that another of the five made is there, and nothing is needed */
    pajesim__offset block, split, directory;
    pajesim__offset node; /* not 0: the print goes to the tree, as an identifier in `block` */
} pajesim__seen_room;

/* The print of one identifier.  `within`: a hash of what it is unique within, or 0. */
static pajesim__half pajesim__print(const pajesim__key *key, pajesim__half within)
{
    uint32_t last = key->size ? key->bytes[key->size - 1] + 2u : 0; /* so that 0 and 5 are multiples of five */
    pajesim__key stem = pajesim__key_of(key->bytes, key->size - (key->size != 0));
    pajesim__half hash = pajesim__mix(&stem, key->size << 24, 0) + last / 5 * PAJESIM__MIX2 + within;
    hash ^= hash >> 4 * PAJESIM__HALF;
    return (hash & ~PAJESIM__USED) | (pajesim__half)1 << last % 5;
}

static uint32_t pajesim__bucket_of(const pajesim__seen *seen, pajesim__half print)
{
    uint32_t level = pajesim__bits(seen->buckets) - 1;
    uint32_t wide = (uint32_t)(print / (PAJESIM__USED + 1)) & ((UINT32_C(2) << level) - 1);
    return wide < seen->buckets ? wide : wide & ((UINT32_C(1) << level) - 1);
}

#if PAJESIM_REFERENCE == 16
/* Arenas are too small for long chains. */
#define PAJESIM__TAKE_PRINT(sim, head, room) 0
#define PAJESIM__FIND_PRINT(sim, seen, print) 0
#define PAJESIM__PUT_PRINT(sim, seen, print, room) ((void)0)
#else
#define PAJESIM__TAKE_PRINT(sim, head, room) pajesim__take_print(sim, head, room)
#define PAJESIM__FIND_PRINT(sim, seen, print) pajesim__find_print(sim, seen, print)
#define PAJESIM__PUT_PRINT(sim, seen, print, room) pajesim__put_print(sim, seen, print, room)

/* Answers 0, and takes nothing, if there is room in the chain from `at` on, or for another block. */
static int pajesim__take_print(pajesim *sim, pajesim__offset at, pajesim__seen_room *room)
{
    uint32_t blocks;
    if (!at || PAJESIM__AT(const pajesim__bucket, at)->count < PAJESIM__BUCKET)
        return 0;
    for (blocks = 0; at && blocks < PAJESIM__CHAIN; blocks++)
        at = PAJESIM__AT(const pajesim__bucket, at)->next;
    if (blocks < PAJESIM__CHAIN)
        return 0;
    room->block = pajesim__take(sim, sizeof(pajesim__id));
    room->node = pajesim__take(sim, sizeof(pajesim__node));
    return 1;
}

static int pajesim__find_print(const pajesim *sim, const pajesim__seen *seen, pajesim__half print)
{
    pajesim__key key = pajesim__key_of(&print, sizeof print);
    return seen->tree && pajesim__find_in_tree(sim, seen->tree, &key, 0, 0);
}

static void pajesim__put_print(pajesim *sim, pajesim__seen *seen, pajesim__half print, const pajesim__seen_room *room)
{
    pajesim__key key = pajesim__key_of(&print, sizeof print);
    pajesim__put_id(sim, PAJESIM__AT(pajesim__id, room->block), &key, 0, 0, 0);
    if (!pajesim__put_in_tree(sim, &seen->tree, room->node, room->block))
        pajesim__give(sim, room->node, sizeof(pajesim__node));
}
#endif

/* Where a print of the same five is; 0: nowhere, or in the tree.  The latest are the likeliest. */
static uint32_t pajesim__find_five(const pajesim *sim, const pajesim__seen *seen, pajesim__half print)
{
    pajesim__offset at = 0;
    if (seen->latest && PAJESIM__ARE_FIVE(*PAJESIM__PRINT_AT(seen->latest), print))
        return seen->latest;
    if (seen->buckets)
        at = PAJESIM__AT(const pajesim__offset, seen->directory)[pajesim__bucket_of(seen, print)];
    while (at) {
        const pajesim__bucket *bucket = PAJESIM__AT(const pajesim__bucket, at);
        uint32_t i = bucket->count;
        while (i--)
            if (PAJESIM__ARE_FIVE(bucket->prints[i], print))
                return (uint32_t)((const unsigned char *)&bucket->prints[i] - sim->arena);
        at = bucket->next;
    }
    return 0;
}

/* Whether an identifier was used.  Tells in `room` where others of its five are. */
static int pajesim__was_used(const pajesim *sim, const pajesim__seen *seen, pajesim__half print,
                             pajesim__seen_room *room)
{
    room->known = pajesim__find_five(sim, seen, print);
    return (room->known && (*PAJESIM__PRINT_AT(room->known) & print & PAJESIM__USED)) ||
           PAJESIM__FIND_PRINT(sim, seen, print);
}

/* What one more print takes: a block where its chain has no room, and one for a split. */
static void pajesim__take_seen(pajesim *sim, const pajesim__seen *seen, pajesim__half print, pajesim__seen_room *room)
{
    pajesim__offset head = 0;
    if (room->known)
        return;
    if (seen->buckets)
        head = PAJESIM__AT(const pajesim__offset, seen->directory)[pajesim__bucket_of(seen, print)];
    if (!PAJESIM__TAKE_PRINT(sim, head, room) &&
        (!head || PAJESIM__AT(const pajesim__bucket, head)->count == PAJESIM__BUCKET))
        room->block = pajesim__take(sim, sizeof(pajesim__bucket));
    if (seen->count >= PAJESIM__SPLIT * seen->buckets) {
        room->split = pajesim__take(sim, sizeof(pajesim__bucket));
        if (seen->buckets == seen->room)
            room->directory =
                pajesim__take(sim, 2 * (pajesim__size)(seen->room ? seen->room : 2) * sizeof(pajesim__offset));
    }
}

/* Puts a print at the head of a chain, or in a block from `spare`, which is a chain too.  Answers where. */
static uint32_t pajesim__chain(pajesim *sim, pajesim__offset *head, pajesim__half print, pajesim__offset *spare)
{
    pajesim__bucket *bucket = *head ? PAJESIM__AT(pajesim__bucket, *head) : NULL;
    if (!bucket || bucket->count == PAJESIM__BUCKET) {
        pajesim__offset block = *spare;
        bucket = PAJESIM__AT(pajesim__bucket, block);
        *spare = bucket->next;
        bucket->next = *head;
        bucket->count = 0;
        *head = block;
    }
    bucket->prints[bucket->count] = print;
    return (uint32_t)((unsigned char *)&bucket->prints[bucket->count++] - sim->arena);
}

/* Splits the bucket whose turn it is.  A chain of n blocks makes two of n + 1 at most: `spare` is the one more. */
static void pajesim__split(pajesim *sim, pajesim__seen *seen, pajesim__offset spare)
{
    pajesim__offset *directory = PAJESIM__AT(pajesim__offset, seen->directory);
    uint32_t from, to = seen->buckets;
    pajesim__offset at;
    pajesim__half prints[PAJESIM__BUCKET];
    seen->latest = 0; /* prints move */
    directory[to] = 0;
    if (seen->buckets++ == 0) {
        pajesim__give(sim, spare, sizeof(pajesim__bucket));
        return;
    }
    from = to - (UINT32_C(1) << (pajesim__bits(to) - 1));
    at = directory[from];
    directory[from] = 0;
    PAJESIM__AT(pajesim__bucket, spare)->next = 0;
    while (at) {
        pajesim__bucket *bucket = PAJESIM__AT(pajesim__bucket, at);
        pajesim__offset next = bucket->next;
        uint32_t count = bucket->count, i;
        memcpy(prints, bucket->prints, (size_t)count * sizeof *prints);
        bucket->next = spare;
        spare = at;
        for (i = 0; i < count; i++)
            pajesim__chain(sim, &directory[pajesim__bucket_of(seen, prints[i])], prints[i], &spare);
        at = next;
    }
    while (spare) {
        at = PAJESIM__AT(pajesim__bucket, spare)->next;
        pajesim__give(sim, spare, sizeof(pajesim__bucket));
        spare = at;
    }
}

static void pajesim__put_seen(pajesim *sim, pajesim__seen *seen, pajesim__half print, pajesim__seen_room room)
{
    if (room.known) {
        *PAJESIM__PRINT_AT(room.known) |= print & PAJESIM__USED;
        seen->latest = room.known;
        return;
    }
    if (room.directory) {
        if (seen->room) {
            memcpy(PAJESIM__BYTES(room.directory), PAJESIM__BYTES(seen->directory),
                   seen->room * sizeof(pajesim__offset));
            pajesim__give(sim, seen->directory, seen->room * (pajesim__size)sizeof(pajesim__offset));
        }
        seen->directory = room.directory;
        seen->room = (pajesim__length)(seen->room ? 2 * seen->room : 4);
    }
    if (!seen->buckets) { /* the very first */
        pajesim__split(sim, seen, room.split);
        room.split = 0;
    }
    if (room.node) {
        PAJESIM__PUT_PRINT(sim, seen, print, &room);
    } else {
        if (room.block)
            PAJESIM__AT(pajesim__bucket, room.block)->next = 0;
        seen->latest =
            pajesim__chain(sim, &PAJESIM__AT(pajesim__offset, seen->directory)[pajesim__bucket_of(seen, print)], print,
                           &room.block);
    }
    if (room.split)
        pajesim__split(sim, seen, room.split);
    seen->count++;
}
