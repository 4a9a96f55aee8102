/* Paths that share their beginnings: a tree, whose leaves are extended.
 *
 * A node has the pieces since its parent.  It is there as long as a holder (a container, a link under way) or a child
 * needs it; one with a single child and no holder becomes a part of the child.  So there are at most twice as many
 * nodes as holders.  A node with many pieces adds up those of one key. */
#include "critical.h"

enum { LEAST_FOLD = 64 };

typedef struct node {
    uint64_t serial;    /* differs from those of all other nodes, before and after */
    uint32_t parent;
    uint32_t holders, children;
    uint32_t child_xor; /* of the numbers of all children: if there is one, it is that */
    uint32_t first, last, count;
    uint32_t next_fold; /* the count at which pieces are added up; or the next free node */
} node;

static array_of(node) nodes;            /* number 0 is none */
static array_of(critical_piece) pieces; /* number 0 is none */
static uint32_t free_node, free_piece;
static uint64_t serials;

/* By key: the piece to which others are added, if it is one of the node, neither its first nor its last: those may be
 * gone on with. */
static array_of(uint32_t) collectors;

/* A number as it is stored.  From 2^32 on, when pieces take 200 GB, the program ends as without memory. */
static uint32_t stored(size_t number)
{
    if (number > UINT32_MAX)
        memory_fail(number * sizeof(critical_piece));
    return (uint32_t)number;
}

/* ---- keys */

static hash_map keys;
static struct {
    uint32_t parts[2], number; /* number: + 1; 0: free */
} recent[16384];               /* spares most look-ups */

critical_key critical_key_of(size_t container, size_t class)
{
    uint32_t parts[] = {(uint32_t)container, (uint32_t)class};
    size_t at = (container * 67 + class) % (sizeof recent / sizeof *recent);
    if (!recent[at].number || recent[at].parts[0] != parts[0] || recent[at].parts[1] != parts[1]) {
        memcpy(recent[at].parts, parts, sizeof parts);
        recent[at].number = stored(map_add(&keys, parts, sizeof parts) + 1);
    }
    return recent[at].number - 1;
}

static uint32_t key_part(critical_key key, int part)
{
    uint32_t parts[2];
    memcpy(parts, map_key(&keys, key).bytes, sizeof parts);
    return parts[part];
}

size_t critical_key_container(critical_key key)
{
    return key_part(key, 0);
}

size_t critical_key_class(critical_key key)
{
    uint32_t class = key_part(key, 1);
    return class == (uint32_t)ACTIVE_NONE ? ACTIVE_NONE : class;
}

/* ---- pieces */

static uint32_t new_piece(const critical_piece *piece)
{
    uint32_t number = free_piece;
    if (number) {
        free_piece = pieces.items[number].next;
    } else {
        if (!pieces.count)
            (void)array_push(&pieces);
        (void)array_push(&pieces);
        number = stored(pieces.count - 1);
    }
    pieces.items[number] = *piece;
    return number;
}

static void release_piece(uint32_t number)
{
    pieces.items[number].next = free_piece;
    free_piece = number;
}

/* Whether `next` goes on with the piece before it. */
static int is_joined(const critical_piece *piece, const critical_piece *next)
{
    return piece->key == next->key && piece->to <= next->from && piece->to >= next->from;
}

static void join(critical_piece *piece, const critical_piece *next)
{
    piece->to = next->to;
    piece->time += next->time;
    piece->count += next->count - 1;
}

/* Adds a piece to the one that collects those of its key.  Returns 0 if there is none: then it is that one from now on.
 * It is not the first piece of the node. */
static int collect(const node *it, uint32_t number)
{
    critical_piece *piece = &pieces.items[number];
    uint32_t *at = array_at(&collectors, piece->key);
    critical_piece *to = &pieces.items[*at];
    if (to->collects != it->serial || to->key != piece->key) {
        *at = number;
        piece->collects = it->serial;
        return 0;
    }
    to->time += piece->time;
    to->count += piece->count;
    return 1;
}

/* Adds up the pieces of each key. */
static void fold(node *it)
{
    uint32_t before = it->first;
    it->serial = ++serials;
    for (uint32_t at = pieces.items[before].next, next; at != it->last; at = next) {
        next = pieces.items[at].next;
        if (!collect(it, at)) {
            before = at;
            continue;
        }
        pieces.items[before].next = next;
        release_piece(at);
        it->count--;
    }
    it->next_fold = 2 * it->count + LEAST_FOLD;
}

static void limit(node *it)
{
    if (!critical_options.has_segments && it->count >= it->next_fold)
        fold(it);
}

/* ---- nodes */

static uint32_t new_node(uint32_t parent)
{
    uint32_t number = free_node;
    if (number) {
        free_node = nodes.items[number].next_fold;
    } else {
        if (!nodes.count)
            (void)array_push(&nodes);
        (void)array_push(&nodes);
        number = stored(nodes.count - 1);
    }
    nodes.items[number] = (node){.parent = parent, .holders = 1, .serial = ++serials, .next_fold = LEAST_FOLD};
    if (parent) {
        nodes.items[parent].children++;
        nodes.items[parent].child_xor ^= number;
    }
    return number;
}

static void release_node(uint32_t number)
{
    nodes.items[number].next_fold = free_node;
    free_node = number;
}

/* Makes a node without holders a part of its only child. */
static void absorb(uint32_t number)
{
    node *it = &nodes.items[number], *child = &nodes.items[it->child_xor];
    if (it->parent)
        nodes.items[it->parent].child_xor ^= number ^ it->child_xor;
    child->parent = it->parent;
    if (it->count) {
        if (child->count && is_joined(&pieces.items[it->last], &pieces.items[child->first])) {
            uint32_t first = child->first;
            join(&pieces.items[it->last], &pieces.items[first]);
            child->first = pieces.items[first].next;
            child->count--;
            release_piece(first);
        }
        pieces.items[it->last].next = child->count ? child->first : 0;
        child->last = child->count ? child->last : it->last;
        child->first = it->first;
        child->count += it->count;
        if (child->next_fold < it->next_fold)
            child->next_fold = it->next_fold;
        limit(child);
    }
    release_node(number);
}

/* Frees what no one needs, from a node upwards. */
static void settle(uint32_t number)
{
    while (number) {
        node *it = &nodes.items[number];
        if (it->holders > 0 || it->children > 1)
            return;
        if (it->children == 1) {
            absorb(number);
            return;
        }
        if (it->count) { /* all of them at once */
            pieces.items[it->last].next = free_piece;
            free_piece = it->first;
        }
        uint32_t parent = it->parent;
        if (parent) {
            nodes.items[parent].children--;
            nodes.items[parent].child_xor ^= number;
        }
        release_node(number);
        number = parent;
    }
}

critical_path critical_new(critical_path from)
{
    return new_node(from);
}

void critical_extend(critical_path path, critical_key key, double from, double to)
{
    node *it = &nodes.items[path];
    critical_piece piece = {from, to, to - from, 1, 0, key, 0};
    if (it->count && is_joined(&pieces.items[it->last], &piece)) {
        join(&pieces.items[it->last], &piece);
        return;
    }
    if (it->count > 1 && !critical_options.has_segments && collect(it, it->last)) {
        pieces.items[it->last] = piece;
        return;
    }
    uint32_t number = new_piece(&piece);
    if (it->count)
        pieces.items[it->last].next = number;
    else
        it->first = number;
    it->last = number;
    it->count++;
    limit(it);
}

critical_path critical_keep(critical_path *path)
{
    critical_path kept = *path, parent = nodes.items[kept].parent;
    if (nodes.items[kept].count == 0 && parent) { /* nothing new since then */
        nodes.items[parent].holders++;
        return parent;
    }
    *path = new_node(kept);
    return kept;
}

void critical_release(critical_path path)
{
    nodes.items[path].holders--;
    settle(path);
}

void critical_for_each(critical_path path, void (*piece)(const critical_piece *piece))
{
    array_of(critical_path) way = {0};
    critical_piece held = {0}; /* the next one may go on with it, where another path leaves this one on its way */
    for (; path; path = nodes.items[path].parent)
        *array_push(&way) = path;
    while (way.count > 0)
        for (uint32_t at = nodes.items[way.items[--way.count]].first; at; at = pieces.items[at].next) {
            const critical_piece *next = &pieces.items[at];
            if (held.count > 0 && is_joined(&held, next)) {
                join(&held, next);
                continue;
            }
            if (held.count > 0)
                piece(&held);
            held = *next;
        }
    if (held.count > 0)
        piece(&held);
    array_free(&way);
}
