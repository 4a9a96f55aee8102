/* Calls of pajewrite.h that once took time which grows with the square of what there is: tests/read/cost.sh counts the
 * instructions of measured() at two sizes.
 *
 *     growth offers|ends|definitions|containers|flushes SIZE */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PAJEWRITE_IMPLEMENTATION
#include "pajewrite.h"

enum { PEER_TAKES = 4000, RECORDED = 400 };

static pajewrite w;
static pajewrite_config config = PAJEWRITE_CONFIG;
static const pajewrite_type TYPE = {1}, LINK = {2};
static char *buffer;
static size_t written;
static uint32_t size;

static void *room(size_t bytes)
{
    void *block = calloc(bytes, 1);
    if (!block) {
        fputs("growth: no memory\n", stderr);
        exit(3);
    }
    return block;
}

static pajewrite_status all(void *data, const char *bytes, size_t count)
{
    (void)data, (void)bytes;
    written += count;
    return PAJEWRITE_OK;
}

static size_t taken;
static size_t some(void *data, const char *bytes, size_t count)
{
    (void)data, (void)bytes;
    count = count < taken ? count : taken;
    written += count;
    return count;
}

static void begin(size_t bytes, size_t entries)
{
    config.table = entries ? (pajewrite_entry *)room(entries * sizeof *config.table) : NULL;
    config.table_entries = entries;
    buffer = (char *)room(bytes);
    pajewrite_init(&w, buffer, bytes, &config);
    pajewrite_header(&w);
    pajewrite_define_container_type(&w, TYPE, PAJEWRITE_ROOT_TYPE, "type");
}

static void drop_one(void)
{
    while (!pajewrite_count(&w).dropped)
        pajewrite_new_event_at(&w, 1, PAJEWRITE_ROOT, PAJEWRITE_TYPE(3), PAJEWRITE_VALUE(1));
}

/* A slow peer takes a large buffer, a little at a time. */
static void begin_offers(void)
{
    config.sink = NULL;
    config.offer = some;
    begin((size_t)size * 1024, 0);
    drop_one();
    taken = PEER_TAKES;
}

static int offers(void)
{
    const size_t all_of_it = (size_t)size * 1000;
    while (written < all_of_it)
        pajewrite_flush(&w);
    return pajewrite_get_status(&w) == PAJEWRITE_OK;
}

/* Ends of links and containers that a gap has dropped are made up. */
static void begin_ends(void)
{
    uint32_t i;
    config.when_full = PAJEWRITE_DROP;
    begin((size_t)size * 80 + 4096, 3 * (size_t)size + 100);
    pajewrite_define_link_type(&w, LINK, PAJEWRITE_ROOT_TYPE, TYPE, TYPE, "link");
    for (i = 1; i <= size; i++) {
        pajewrite_create_container_at(&w, 0, PAJEWRITE_CONTAINER(i), TYPE, PAJEWRITE_ROOT, NULL);
        pajewrite_start_link_at(&w, 0, PAJEWRITE_ROOT, LINK, PAJEWRITE_VALUE(1), PAJEWRITE_CONTAINER(1), i);
    }
    pajewrite_flush(&w);
    drop_one();
    for (i = 1; i <= size; i++) {
        pajewrite_end_link_at(&w, i, PAJEWRITE_ROOT, LINK, PAJEWRITE_VALUE(1), PAJEWRITE_CONTAINER(1), i);
        pajewrite_destroy_container_at(&w, i, PAJEWRITE_CONTAINER(i), TYPE);
    }
}

static int ends(void)
{
    return pajewrite_flush(&w) == PAJEWRITE_OK && written > (size_t)size * 40;
}

/* A recorder is dumped whose variants have large numbers, among many definitions. */
static void begin_definitions(void)
{
    pajewrite_event event;
    pajewrite_variant with_size;
    static uint32_t aliases = 200;
    int64_t number = 1;
    uint32_t i;
    memset(&event, 0, sizeof event);
    event.kind = PAJEWRITE_NEW_EVENT;
    config.when_full = PAJEWRITE_OVERWRITE;
    config.sink = NULL;
    config.aliases = &aliases;
    begin((size_t)size * RECORDED, 4 * (size_t)size + 100);
    event.type = PAJEWRITE_TYPE(3);
    pajewrite_define_event_type(&w, event.type, PAJEWRITE_ROOT_TYPE, "event");
    for (i = 1; i <= size; i++)
        pajewrite_define_value(&w, PAJEWRITE_VALUE(i), event.type, "the name of a value", NULL);
    with_size = pajewrite_define_variant(&w, event.kind, "Size int");
    for (event.time = 1; event.time < 20 * (uint64_t)size; event.time++)
        pajewrite_write_ints(&w, &event, with_size, &number, 1);
}

static int definitions(void)
{
    static char scratch[1 << 20];
    return pajewrite_flight_dump(buffer, (size_t)size * RECORDED, 0, scratch, sizeof scratch, all, NULL) ==
               PAJEWRITE_OK && written > (size_t)size * 100;
}

/* Containers are created when not all is kept for another peer any more. */
static uint32_t containers_made = 100000; /* numbers of as many digits at any size */
static void create(uint32_t count)
{
    for (; count; count--)
        pajewrite_create_container_at(&w, 1, PAJEWRITE_CONTAINER(++containers_made), TYPE, PAJEWRITE_ROOT, NULL);
}

static void begin_containers(void)
{
    config.sink = NULL;
    config.offer = some;
    config.definitions_size = (size_t)size * 20 + 1024;
    taken = SIZE_MAX;
    begin(config.definitions_size + 65536, 4 * (size_t)size + 100);
    create(size);
}

static int containers(void)
{
    create(size);
    return pajewrite_count(&w).dropped == 0 && pajewrite_attach(&w, NULL) == PAJEWRITE_E_DEFINITIONS;
}

/* Flushes of a context that has dropped something, of which nothing is missing any more. */
static void begin_flushes(void)
{
    config.when_full = PAJEWRITE_DROP;
    begin(8192, size);
    drop_one();
    pajewrite_flush(&w);
}

static int flushes(void)
{
    uint32_t i;
    for (i = 0; i < size; i++)
        pajewrite_flush(&w);
    return pajewrite_get_status(&w) == PAJEWRITE_OK;
}

static const struct {
    const char *name;
    void (*begin)(void);
    int (*measured)(void);
} cases[] = {{"offers", begin_offers, offers},
             {"ends", begin_ends, ends},
             {"definitions", begin_definitions, definitions},
             {"containers", begin_containers, containers},
             {"flushes", begin_flushes, flushes}};

#if defined(__GNUC__)
__attribute__((noinline))
#endif
static int measured(int (*run)(void))
{
    return run();
}

int main(int argc, char **argv)
{
    size_t i;
    size = argc == 3 ? (uint32_t)strtoul(argv[2], NULL, 10) : 0;
    config.sink = all;
    for (i = 0; size && i < sizeof cases / sizeof *cases; i++)
        if (strcmp(argv[1], cases[i].name) == 0) {
            cases[i].begin();
            if (measured(cases[i].measured))
                return 0;
            fprintf(stderr, "growth: %s: %s\n", argv[1], pajewrite_problem(&w));
            return 1;
        }
    fputs("usage: growth offers|ends|definitions|containers|flushes SIZE\n", stderr);
    return 2;
}
