/* Several threads, one context each, one file: no line is lost, torn or out of order.
 * usage: write-threads [EVENTS [NAME]]   how many altogether (default 300000), and what the cases are called */
#define _POSIX_C_SOURCE 200809L
#define PAJEWRITE_IMPLEMENTATION
#include "pajewrite.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define MOST 16

static const pajewrite_type thread_type = {1}, gauge = {2}, state = {3};
static pajewrite_file file;
static uint64_t each;
static pajewrite_status ends[MOST];

static pajewrite_config config_of(uint32_t rank)
{
    pajewrite_config config = PAJEWRITE_CONFIG;
    config.sink = pajewrite_to_file;
    config.sink_data = &file;
    config.alias_first = 1 + rank;
    config.alias_step = MOST;
    return config;
}

/* Each event tells its place in the order of its thread, in turn by a variable and by a state. */
static void *run(void *data)
{
    uint32_t rank = (uint32_t)(uintptr_t)data;
    pajewrite_config config = config_of(rank);
    static char buffers[MOST][20000];
    pajewrite_container container;
    pajewrite w;
    uint64_t n;
    pajewrite_init(&w, buffers[rank], 1000 + rank * 1000, &config);
    container = pajewrite_new_container(&w);
    pajewrite_create_container(&w, container, thread_type, PAJEWRITE_ROOT, NULL);
    for (n = 0; n < each; n++) {
        if (n % 2)
            pajewrite_set_state(&w, container, state, PAJEWRITE_VALUE(n));
        else
            pajewrite_set_variable(&w, container, gauge, (int64_t)n);
    }
    pajewrite_destroy_container(&w, container, thread_type);
    ends[rank] = pajewrite_finish(&w);
    return NULL;
}

/* Answers what is wrong with the file; NULL: nothing. */
static const char *check(FILE *stream, uint32_t threads)
{
    static char line[300];
    uint64_t next[MOST], time[MOST];
    uint32_t rank, destroyed = 0;
    for (rank = 0; rank < MOST; rank++)
        next[rank] = time[rank] = 0;
    while (fgets(line, sizeof line, stream)) {
        uint32_t kind, container, type;
        uint64_t seconds, number = 0;
        char fraction[12], end = 0;
        int words = sscanf(line, "%" SCNu32 " %" SCNu64 ".%9[0-9] %" SCNu32 " %" SCNu32 " %" SCNu64 "%c", &kind, &seconds,
                           fraction, &container, &type, &number, &end);
        uint64_t now;
        if (line[0] == '%' || kind < PAJEWRITE_CREATE_CONTAINER)
            continue;
        if (words < 5 || strlen(fraction) != 9 || !strchr(line, '\n') || !container || container > threads)
            return "a line is torn";
        rank = container - 1;
        now = seconds * 1000000000 + strtoull(fraction, NULL, 10);
        if (now < time[rank])
            return "the time of a thread goes back";
        time[rank] = now;
        destroyed += kind == PAJEWRITE_DESTROY_CONTAINER;
        if (kind == PAJEWRITE_DESTROY_CONTAINER || kind == PAJEWRITE_CREATE_CONTAINER)
            continue;
        if (words != 7 || end != '\n' || kind != (uint32_t)(number % 2 ? PAJEWRITE_SET_STATE : PAJEWRITE_SET_VARIABLE) ||
            type != (number % 2 ? state : gauge).alias)
            return "a line is garbled";
        if (number != next[rank]++)
            return "a line is lost or out of order";
    }
    for (rank = 0; rank < threads; rank++)
        if (next[rank] != each || ends[rank])
            return "lines are missing at the end";
    return destroyed == threads ? NULL : "containers are missing";
}

int main(int argc, char **argv)
{
    static const uint32_t counts[] = {2, 4, 16};
    uint64_t events = argc > 1 ? strtoull(argv[1], NULL, 10) : 300000;
    const char *name = argc > 2 ? argv[2] : "write-threads";
    int i, failed = 0;
    for (i = 0; i < 3; i++) {
        static char buffer[4096];
        FILE *stream = tmpfile();
        pthread_t threads[MOST];
        pajewrite_config config = config_of(0);
        pajewrite w;
        uint32_t rank;
        const char *why;
        if (!stream)
            return 3;
        each = events / counts[i];
        pajewrite_file_init(&file, fileno(stream));
        pajewrite_init(&w, buffer, sizeof buffer, &config);
        pajewrite_header(&w);
        pajewrite_define_container_type(&w, thread_type, PAJEWRITE_ROOT_TYPE, "thread");
        pajewrite_define_variable_type(&w, gauge, thread_type, "gauge", NULL);
        pajewrite_define_state_type(&w, state, thread_type, "state");
        pajewrite_finish(&w);
        for (rank = 0; rank < counts[i]; rank++)
            if (pthread_create(&threads[rank], NULL, run, (void *)(uintptr_t)rank))
                return 3;
        for (rank = 0; rank < counts[i]; rank++)
            pthread_join(threads[rank], NULL);
        rewind(stream);
        why = check(stream, counts[i]);
        fclose(stream);
        printf("%s %s/%" PRIu32 " threads%s%s\n", why ? "FAIL" : "PASS", name, counts[i], why ? ": " : "", why ? why : "");
        failed |= why != NULL;
    }
    return failed;
}
