/* An image and an index in files: written by one process, read by another, perhaps on a machine of the other byte
 * order.
 * usage: exchange write TRACE IMAGE INDEX   the image is of the middle of the trace
 *        exchange read TRACE IMAGE INDEX    prints what they are; continues from the image, and prints a line for each
 * entity that the index has in the trace */
#define PAJESIM_IMPLEMENTATION
#include "pajesim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t arena[1 << 17], block[1 << 19], window_block[1 << 19];
static char trace[1 << 20], bytes[1 << 22];
static size_t size;
static pajesim sim;
static pajesim_index idx;
static pajesim_window window;

static size_t read_file(const char *name, char *to, size_t room)
{
    FILE *file = fopen(name, "rb");
    size_t got = file ? fread(to, 1, room, file) : 0;
    if (!file || fclose(file) || got == room) {
        perror(name);
        exit(3);
    }
    return got;
}

static void write_file(const char *name, const void *from, size_t count)
{
    FILE *file = fopen(name, "wb");
    if (!file || fwrite(from, 1, count, file) != count || fclose(file)) {
        perror(name);
        exit(3);
    }
}

static void expect(int right, const char *what)
{
    if (right)
        return;
    fprintf(stderr, "exchange: not so: %s\n", what);
    exit(1);
}

static int closed(pajesim *of, const pajesim_entity *e)
{
    pajesim_text who = pajesim_name(of, e->container);
    printf("%s %s %.*s %.17g %.17g %.*s\n", (const char *)pajesim_data(of), pajesim_kind_name(e->kind), (int)who.size,
           who.bytes, (double)e->start, (double)e->end, (int)e->value_name.size, e->value_name.bytes);
    return PAJESIM_GO_ON;
}

static size_t read_trace(void *data, uint64_t offset, const void **at, size_t most)
{
    (void)data;
    *at = trace + offset;
    return size - (size_t)offset < most ? size - (size_t)offset : most;
}

static void write(char **names)
{
    const void *saved;
    size_t count;
    pajesim_index_options apart = {1 << 12, 0};
    expect(pajesim_init(&sim, arena, sizeof arena, NULL, NULL, NULL) == PAJESIM_OK, "the simulation begins");
    expect(pajesim_index_init(&idx, block, sizeof block, &apart) == PAJESIM_OK, "the index begins");
    expect(pajesim_index_begin(&idx, &sim) == PAJESIM_OK, "the index begins");
    expect(pajesim_feed(&sim, trace, size / 2, NULL) == PAJESIM_OK, "half of the trace is fed");
    count = pajesim_image_size(&sim);
    expect(count < sizeof bytes && pajesim_save(&sim, bytes, count) == PAJESIM_OK, "an image is made");
    write_file(names[1], bytes, count);
    expect(pajesim_index_step(&idx, &sim) == PAJESIM_OK, "a checkpoint is taken");
    expect(pajesim_feed(&sim, trace + size / 2, size - size / 2, NULL) == PAJESIM_OK, "the rest is fed");
    expect(pajesim_index_finish(&idx, &sim) == PAJESIM_OK, "the index is complete");
    saved = pajesim_index_save(&idx, &count);
    write_file(names[2], saved, count);
}

static const char *word_of(pajesim_status status)
{
    return status == PAJESIM_OK ? "ok" : status == PAJESIM_INCOMPATIBLE ? "foreign" : "neither ok nor foreign";
}

static void read(char **names)
{
    static const pajesim_callbacks callbacks = {.closed = closed};
    static char image[] = "image", window_name[] = "index";
    size_t count = read_file(names[1], bytes, sizeof bytes);
    pajesim_status status = pajesim_restore(&sim, arena, sizeof arena, bytes, count, &callbacks, image);
    printf("the image: %s\n", word_of(status));
    if (status == PAJESIM_OK) {
        expect(pajesim_feed(&sim, trace + size / 2, size - size / 2, NULL) == PAJESIM_OK, "the rest is fed");
        expect(pajesim_finish(&sim) == PAJESIM_OK, "it ends well");
    }
    count = read_file(names[2], (char *)block, sizeof block);
    status = pajesim_index_load(&idx, block, sizeof block, count);
    printf("the index: %s\n", word_of(status));
    if (status != PAJESIM_OK)
        return;
    expect(pajesim_window_init(&window, window_block, sizeof window_block, &idx, NULL, read_trace, NULL) == PAJESIM_OK,
           "a window begins");
    expect(pajesim_window_show(&window, -1e300, 1e300, &callbacks, window_name) == PAJESIM_OK, "it shows all");
}

int main(int argc, char **argv)
{
    if (argc != 5)
        return 2;
    size = read_file(argv[2], trace, sizeof trace);
    if (strcmp(argv[1], "write") == 0)
        write(argv + 2);
    else
        read(argv + 2);
    return 0;
}
