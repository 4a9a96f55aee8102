/* Paths that share their beginnings: a tree, whose leaves are extended.
 *
 * A node has the pieces since its parent.  It is there as long as a holder (a container, a link under way) or a child
 * needs it; one with a single child and no holder becomes a part of the child.  So there are at most twice as many
 * nodes as holders.  A node with many pieces adds up those of one key. */
#include "critical.h"

enum { LEAST_FOLD = 64 };

typedef struct node {
    size_t parent;
    size_t holders, children;
    size_t child_xor; /* of the numbers of all children: if there is one, it is that */
    size_t first, last, count;
    uint64_t serial;  /* differs from those of all other nodes, before and after */
    size_t next_fold; /* the count at which pieces are added up; or the next free node */
} node;

static array_of(node) nodes;            /* number 0 is none */
static array_of(critical_piece) pieces; /* number 0 is none */
static size_t free_node, free_piece;
static uint64_t serials;

/* The piece to which others of a key are added, neither the first nor the last one of its node: those may be gone on
 * with.  By key; valid if the serial number is that of the node. */
typedef struct collector {
    uint64_t serial;
    size_t piece;
} collector;

static array_of(collector) collectors;

/* ---- keys */

static hash_map keys;
static struct {
    size_t key[2], number; /* number: + 1; 0: free */
} recent[16384];           /* spares most look-ups */

size_t critical_key(size_t container, size_t class)
{
    size_t key[] = {container, class}, at = (container * 67 + class) % (sizeof recent / sizeof *recent);
    if (!recent[at].number || recent[at].key[0] != container || recent[at].key[1] != class) {
        memcpy(recent[at].key, key, sizeof key);
        recent[at].number = map_add(&keys, key, sizeof key) + 1;
    }
    return recent[at].number - 1;
}

static size_t key_part(size_t number, int part)
{
    size_t key[2];
    memcpy(key, map_key(&keys, number).bytes, sizeof key);
    return key[part];
}

size_t critical_key_container(size_t key)
{
    return key_part(key, 0);
}

size_t critical_key_class(size_t key)
{
    return key_part(key, 1);
}

/* ---- pieces */

static size_t new_piece(const critical_piece *piece)
{
    size_t number = free_piece;
    if (number) {
        free_piece = pieces.items[number].next;
    } else {
        if (!pieces.count)
            (void)array_push(&pieces);
        (void)array_push(&pieces);
        number = pieces.count - 1;
    }
    pieces.items[number] = *piece;
    return number;
}

static void release_piece(size_t number)
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
}

/* Adds a piece to the one that collects those of its key.  Returns 0 if there is none: then it is that one from now on.
 * It is not the first piece of the node. */
static int collect(const node *it, size_t number)
{
    const critical_piece *piece = &pieces.items[number];
    collector *at = array_at(&collectors, piece->key);
    if (at->serial != it->serial) {
        *at = (collector){it->serial, number};
        return 0;
    }
    pieces.items[at->piece].time += piece->time;
    pieces.items[at->piece].count += piece->count;
    return 1;
}

/* Adds up the pieces of each key. */
static void fold(node *it)
{
    size_t before = it->first;
    it->serial = ++serials;
    for (size_t at = pieces.items[before].next, next; at != it->last; at = next) {
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

static size_t new_node(size_t parent)
{
    size_t number = free_node;
    if (number) {
        free_node = nodes.items[number].next_fold;
    } else {
        if (!nodes.count)
            (void)array_push(&nodes);
        (void)array_push(&nodes);
        number = nodes.count - 1;
    }
    nodes.items[number] = (node){.parent = parent, .holders = 1, .serial = ++serials, .next_fold = LEAST_FOLD};
    if (parent) {
        nodes.items[parent].children++;
        nodes.items[parent].child_xor ^= number;
    }
    return number;
}

static void release_node(size_t number)
{
    nodes.items[number].next_fold = free_node;
    free_node = number;
}

/* Makes a node without holders a part of its only child. */
static void absorb(size_t number)
{
    node *it = &nodes.items[number], *child = &nodes.items[it->child_xor];
    if (it->parent)
        nodes.items[it->parent].child_xor ^= number ^ it->child_xor;
    child->parent = it->parent;
    if (it->count) {
        if (child->count && is_joined(&pieces.items[it->last], &pieces.items[child->first])) {
            size_t first = child->first;
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
static void settle(size_t number)
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
        size_t parent = it->parent;
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

void critical_extend(critical_path path, size_t key, double from, double to)
{
    node *it = &nodes.items[path];
    critical_piece piece = {key, from, to, to - from, 1, 0};
    if (it->count && is_joined(&pieces.items[it->last], &piece)) {
        join(&pieces.items[it->last], &piece);
        return;
    }
    if (it->count > 1 && !critical_options.has_segments && collect(it, it->last)) {
        pieces.items[it->last] = piece;
        return;
    }
    size_t number = new_piece(&piece);
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
    size_t kept = *path, parent = nodes.items[kept].parent;
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
    array_of(size_t) way = {0};
    for (; path; path = nodes.items[path].parent)
        *array_push(&way) = path;
    while (way.count > 0)
        for (size_t at = nodes.items[way.items[--way.count]].first; at; at = pieces.items[at].next)
            piece(&pieces.items[at]);
    array_free(&way);
}
