/* A program that keeps its last moments on record, for when it dies, however it dies:
 * flight_recorder PREFIX [ROUNDS]
 *
 * It runs until it is killed (kill -9 will do), or for so many rounds.  It writes PREFIX.0.trace and PREFIX.1.trace in
 * turn, the newer in place of the older, so that they never grow beyond a limit.  They are mapped: what is written
 * stays, whatever becomes of the process, and each is a trace by itself; `paje merge -o all.trace PREFIX.?.trace` makes
 * one of both. */
#define _POSIX_C_SOURCE 200809L
#define PAJEWRITE_IMPLEMENTATION
#include "pajewrite.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { LIMIT = 100000, DEPTH = 8 };

static const pajewrite_type thread = {1}, function = {2}, calls_type = {3};
static const pajewrite_container main_thread = {1};
static pajewrite w;
static int64_t calls;

static void report(pajewrite_status status)
{
    if (status == PAJEWRITE_OK)
        return;
    fprintf(stderr, "flight_recorder: %s\n", pajewrite_status_text(status));
    exit(1);
}

/* Everything that a reader has to know to make sense of what comes then. */
static void begin(const char *prefix, unsigned turn)
{
    static pajewrite_map map;
    pajewrite_config config = PAJEWRITE_CONFIG;
    char name[4096];
    snprintf(name, sizeof name, "%s.%u.trace", prefix, turn % 2);
    report(pajewrite_map_open(&map, name, 1 << 20));
    config.room = pajewrite_map_room;
    config.room_data = &map;
    report(pajewrite_init(&w, NULL, 0, &config));
    pajewrite_header(&w);
    pajewrite_define_container_type(&w, thread, PAJEWRITE_ROOT_TYPE, "Thread");
    pajewrite_define_state_type(&w, function, thread, "Function");
    for (uint32_t depth = 1; depth <= DEPTH; depth++) {
        snprintf(name, sizeof name, "work at depth %u", (unsigned)depth);
        pajewrite_define_value(&w, PAJEWRITE_VALUE(depth), function, name, NULL);
    }
    pajewrite_define_variable_type(&w, calls_type, thread, "Calls", NULL);
    pajewrite_create_container(&w, main_thread, thread, PAJEWRITE_ROOT, "main");
}

/* Goes down, call by call, and up again: each depth is a state of its own. */
static void work(uint32_t depth)
{
    PAJEWRITE_SCOPE(&w, main_thread, function, PAJEWRITE_VALUE(depth)) {
        pajewrite_set_variable(&w, main_thread, calls_type, ++calls);
        if (depth < DEPTH)
            work(depth + 1);
    }
}

int main(int argc, char **argv)
{
    long rounds = argc > 2 ? atol(argv[2]) : -1;
    unsigned turn = 0;
    char old[4096];
    if (argc < 2) {
        fputs("usage: flight_recorder PREFIX [ROUNDS]\n", stderr);
        return 2;
    }
    snprintf(old, sizeof old, "%s.1.trace", argv[1]); /* of another run, perhaps */
    unlink(old);
    begin(argv[1], turn);
    for (long round = 0; rounds < 0 || round < rounds; round++) {
        work(1);
        /* Between rounds no state is open, so that nothing but `begin` has to be told anew. */
        if (pajewrite_count(&w).written > LIMIT) {
            report(pajewrite_finish(&w));
            begin(argv[1], ++turn);
        }
    }
    report(pajewrite_finish(&w));
    return 0;
}
