/* Records the last events before a process dies, in a memory-mapped file of fixed size.
 *
 *     flight_recorder FILE [ROUNDS]            records into FILE for ROUNDS, or until it is killed
 *     flight_recorder --recover FILE >TRACE    writes the trace that FILE holds
 *
 * The newest events overwrite the oldest.  FILE survives kill -9.  On the signal USR1 the signal handler writes
 * FILE.now.trace while the program continues. */
#define _POSIX_C_SOURCE 200809L
#define PAJEWRITE_IMPLEMENTATION
#include "pajewrite.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SIZE = 1 << 18, DEPTH = 8 };

static const pajewrite_type thread = {1}, function = {2}, calls_type = {3};
static const pajewrite_container main_thread = {1};
static pajewrite w;
static pajewrite_map map;
static char now_name[4096];
static int64_t calls;

static void report(const char *what, pajewrite_status status)
{
    if (status == PAJEWRITE_OK)
        return;
    fprintf(stderr, "flight_recorder: %s: %s\n", what, pajewrite_status_text(status));
    exit(1);
}

/* A sink that is safe in a signal handler: it calls only write(). */
static pajewrite_status to_descriptor(void *data, const char *bytes, size_t size)
{
    ssize_t taken;
    for (; size; bytes += taken, size -= (size_t)taken)
        if ((taken = write(*(int *)data, bytes, size)) <= 0)
            return PAJEWRITE_E_SINK;
    return PAJEWRITE_OK;
}

static void dump_now(int number)
{
    int descriptor = open(now_name, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    (void)number;
    pajewrite_flight_dump(map.window, SIZE, 0, NULL, 0, to_descriptor, &descriptor);
    close(descriptor);
}

static int recover(const char *name)
{
    int file = open(name, O_RDONLY), out = STDOUT_FILENO;
    struct stat about;
    void *memory, *scratch;
    if (file < 0 || fstat(file, &about) < 0) {
        perror(name);
        return 1;
    }
    memory = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    scratch = malloc((size_t)about.st_size);
    report(name, pajewrite_flight_dump(memory == MAP_FAILED ? NULL : memory, (size_t)about.st_size, 0, scratch,
                                       scratch ? (size_t)about.st_size : 0, to_descriptor, &out));
    free(scratch);
    return 0;
}

static void begin(const char *name)
{
    static pajewrite_entry table[256];
    pajewrite_config config = PAJEWRITE_CONFIG;
    struct sigaction action = {0};
    char value[64];
    config.when_full = PAJEWRITE_OVERWRITE;
    config.table = table;
    config.table_entries = sizeof table / sizeof *table;
    config.next_buffer = pajewrite_map_next_buffer;
    config.next_buffer_data = &map;
    report(name, pajewrite_map_open(&map, name, SIZE));
    report(name, pajewrite_init(&w, NULL, SIZE, &config));
    pajewrite_header(&w);
    pajewrite_define_container_type(&w, thread, PAJEWRITE_ROOT_TYPE, "Thread");
    pajewrite_define_state_type(&w, function, thread, "Function");
    for (uint32_t depth = 1; depth <= DEPTH; depth++) {
        snprintf(value, sizeof value, "work at depth %u", (unsigned)depth);
        pajewrite_define_value(&w, PAJEWRITE_VALUE(depth), function, value, NULL);
    }
    pajewrite_define_variable_type(&w, calls_type, thread, "Calls", NULL);
    pajewrite_create_container(&w, main_thread, thread, PAJEWRITE_ROOT, "main");
    snprintf(now_name, sizeof now_name, "%s.now.trace", name);
    action.sa_handler = dump_now;
    sigaction(SIGUSR1, &action, NULL);
}

/* Calls itself down to DEPTH; each depth is a state of its own. */
static void work(uint32_t depth)
{
    PAJEWRITE_SCOPE(&w, main_thread, function, PAJEWRITE_VALUE(depth));
    pajewrite_set_variable(&w, main_thread, calls_type, ++calls);
    if (depth < DEPTH)
        work(depth + 1);
}

int main(int argc, char **argv)
{
    long rounds = argc > 2 ? atol(argv[2]) : -1;
    if (argc == 3 && strcmp(argv[1], "--recover") == 0)
        return recover(argv[2]);
    if (argc < 2) {
        fputs("usage: flight_recorder FILE [ROUNDS]\n       flight_recorder --recover FILE >TRACE\n", stderr);
        return 2;
    }
    begin(argv[1]);
    for (long round = 0; rounds < 0 || round < rounds; round++)
        work(1);
    report(argv[1], pajewrite_finish(&w));
    return 0;
}
