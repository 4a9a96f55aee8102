/* paje at: what there is at one instant. */
#include "paje.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define INDEX_ROOM ((size_t)64 << 20)
#define WINDOW_ROOM ((size_t)16 << 20)

/* A container, or what is on it; `text` is what is printed of it. */
typedef struct item {
    uint32_t container, parent; /* pajesim_serial */
    pajesim_kind kind;          /* in this order; then by type, then by imbrication, then by order of completion */
    uint32_t imbrication, order;
    paje_buffer type, text;
    size_t first, next; /* of a container: within it, and beside it; + 1; 0: none */
} item;

static item *items;
static size_t item_count, item_room;
static double instant, last; /* last: time of the trace */

static int closed(pajesim *sim, const pajesim_entity *entity)
{
    /* What ends now is over, but at the very end. */
    if (entity->kind == PAJESIM_EVENT || (!entity->open && entity->end <= instant && entity->end < last))
        return PAJESIM_GO_ON;
    if (item_count == item_room) {
        item_room = 2 * item_room + 64;
        items = paje_room(items, item_room * sizeof *items);
    }
    item *it = &items[item_count];
    memset(it, 0, sizeof *it);
    it->container = pajesim_serial(sim, entity->container);
    it->parent = pajesim_serial(sim, pajesim_parent(sim, entity->container));
    it->kind = entity->kind;
    it->imbrication = entity->imbrication;
    it->order = (uint32_t)item_count++;
    paje_add_printable(&it->type, pajesim_name(sim, entity->type));

    paje_buffer *text = &it->text;
    if (entity->kind == PAJESIM_CONTAINER)
        paje_add_printable(text, pajesim_name(sim, entity->container));
    else if (entity->kind == PAJESIM_VARIABLE)
        paje_add_number(text, entity->number);
    else
        paje_add_printable(text, entity->value_name);
    if (entity->kind == PAJESIM_LINK) {
        paje_add(text, " from ", 6);
        paje_add_printable(text, pajesim_name(sim, entity->start_container));
        paje_add(text, " to ", 4);
        paje_add_printable(text, pajesim_name(sim, entity->end_container));
        paje_add(text, ", key ", 6);
        paje_add_printable(text, entity->key);
    }
    paje_add(text, ", ", 2);
    paje_add_number(text, entity->start);
    paje_add(text, " to ", 4);
    paje_add_number(text, entity->end);
    return PAJESIM_GO_ON;
}

static int compare(const void *left, const void *right)
{
    const item *l = left, *r = right;
    if (l->container != r->container)
        return l->container < r->container ? -1 : 1;
    if (l->kind != r->kind)
        return l->kind < r->kind ? -1 : 1;
    size_t size = l->type.size < r->type.size ? l->type.size : r->type.size;
    int types = size ? memcmp(l->type.bytes, r->type.bytes, size) : 0;
    if (types || l->type.size != r->type.size)
        return types ? types : l->type.size < r->type.size ? -1 : 1;
    if (l->imbrication != r->imbrication)
        return l->imbrication < r->imbrication ? -1 : 1;
    return l->order < r->order ? -1 : 1;
}

/* The container of a serial number, in sorted items; NULL: there is none now. */
static item *find(uint32_t serial)
{
    size_t low = 0, high = item_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (items[middle].container < serial)
            low = middle + 1;
        else
            high = middle;
    }
    return low < item_count && items[low].container == serial && items[low].kind == PAJESIM_CONTAINER ? &items[low] : NULL;
}

static void print_line(const item *it, int depth)
{
    static const char *const kinds[] = {
        [PAJESIM_STATE] = "state ", [PAJESIM_VARIABLE] = "variable ", [PAJESIM_LINK] = "link ", [PAJESIM_CONTAINER] = ""};
    paje_addf(&paje_output, "%*s%s", 2 * depth, "", kinds[it->kind]);
    paje_add_text(&paje_output, paje_text(&it->type));
    if (it->kind == PAJESIM_STATE)
        paje_addf(&paje_output, " [%lu]", (unsigned long)it->imbrication);
    paje_add(&paje_output, ": ", 2);
    paje_add_text(&paje_output, paje_text(&it->text));
    paje_end_line();
}

/* Each container, what is on it, what is within it. */
static void print(void)
{
    if (item_count == 0)
        return;
    qsort(items, item_count, sizeof *items, compare);
    for (size_t i = item_count; i-- > 1;) { /* from the last one on: so that each list is in order of creation */
        item *parent = items[i].kind == PAJESIM_CONTAINER ? find(items[i].parent) : NULL;
        if (parent) {
            items[i].next = parent->first;
            parent->first = i + 1;
        }
    }
    size_t *path = paje_room(NULL, (item_count + 1) * sizeof *path), depth = 1;
    path[0] = 1;
    while (depth > 0) {
        size_t at = path[depth - 1];
        if (at == 0) {
            depth--;
            continue;
        }
        print_line(&items[at - 1], (int)depth - 1);
        for (size_t i = at; i < item_count && items[i].container == items[at - 1].container; i++)
            print_line(&items[i], (int)depth);
        path[depth - 1] = items[at - 1].next;
        path[depth++] = items[at - 1].first;
    }
    free(path);
}

typedef struct reader {
    const char *name;
    int file;
    char bytes[1 << 18];
} reader;

static size_t read_bytes(void *data, uint64_t offset, const void **bytes, size_t most)
{
    reader *it = data;
    *bytes = it->bytes;
    for (;;) {
        ssize_t got = pread(it->file, it->bytes, most < sizeof it->bytes ? most : sizeof it->bytes, (off_t)offset);
        if (got >= 0)
            return (size_t)got;
        if (errno != EINTR)
            paje_fail("%s: %s", it->name, strerror(errno));
    }
}

/* Has all that there is at the instant shown, reading on where the index does not reach. */
static pajesim_status show(pajesim_index *index, const paje_settings *settings, reader *trace, void *memory, size_t size,
                           uint64_t *needed)
{
    static const pajesim_callbacks callbacks = {.closed = closed};
    static pajesim_window window;
    pajesim_checkpoint end = {0};
    pajesim_status status = pajesim_window_init(&window, memory, size, index, &settings->simulation, read_bytes, trace);
    if (status == PAJESIM_OK)
        status = pajesim_window_read_on(&window, UINT64_MAX, 1);
    if (status == PAJESIM_OK) {
        pajesim_index_checkpoint(index, pajesim_index_count(index) - 1, &end);
        last = end.greatest;
        status = pajesim_window_show(&window, instant, instant, &callbacks, NULL);
    }
    *needed = pajesim_window_needed(&window);
    return status;
}

static int run_at(const paje_settings *settings, char **names, int count)
{
    static paje_index_file it;
    static reader trace;
    const char *why;
    struct stat status;
    if (count != 2 || !paje_parse_number(names[1], &instant))
        paje_usage(settings->plugin, "it takes a file and a time");
    trace.name = names[0];
    trace.file = open(names[0], O_RDONLY | O_NOCTTY);
    if (trace.file < 0 || fstat(trace.file, &status) < 0)
        paje_fail("%s: %s", names[0], strerror(errno));
    if (!S_ISREG(status.st_mode))
        paje_fail("%s: %s", names[0], S_ISDIR(status.st_mode) ? strerror(EISDIR) : "it is no regular file");
    paje_load_index(&it, settings, names[0], INDEX_ROOM, NULL, &why);
    paje_refuse_index(&it, why);

    void *memory = NULL;
    uint64_t needed = WINDOW_ROOM;
    pajesim_status result;
    do { /* until the simulation has room */
        size_t size = (size_t)needed;
        memory = paje_room(memory, size);
        item_count = 0;
        result = show(&it.index, settings, &trace, memory, size, &needed);
        if (result == PAJESIM_FULL && pajesim_index_needed(&it.index) > it.size)
            paje_grow_index(&it, pajesim_index_needed(&it.index));
        needed += needed / 2;
    } while (result == PAJESIM_FULL);
    if (result == PAJESIM_OPEN)
        paje_fail("%s includes other files; a trace of several files cannot be indexed", names[0]);
    if (result != PAJESIM_OK)
        paje_fail("%s: %s", names[0], result == PAJESIM_STALE ? "it has become shorter meanwhile" : "no memory for it");
    print();
    paje_flush();
    free(memory);
    paje_release_index(&it);
    return PAJE_WELL;
}

const paje_plugin paje_at = {
    .name = "at",
    .summary = "Prints what there is at one instant",
    .details = "The tree of containers, and on each its states, with their depth, its variables and the links in flight,\n"
               "each with its start and end.  With an index (`paje index`) it is there at once.",
    .traces = 2,
    .operands = "FILE TIME",
    .run = run_at,
};
