/* Several threads, one context each, one pipe: no line is lost, torn or out of order.  In a pipe, unlike a file, writes
 * of several threads mingle unless the sink prevents it.
 * usage: threads [EVENTS [NAME]]   number of events for each number of threads (default 10000000), name of the cases */
#define _POSIX_C_SOURCE 200809L
#define PAJEWRITE_IMPLEMENTATION
#include "pajewrite.h"
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 16 };

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

/* Each event holds its number in its thread, alternately as a variable and as a state. */
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

/* ---- checking the output of the pipe, by one thread, which the sanitizer need not watch */

#if defined(__SANITIZE_THREAD__)
#define UNWATCHED __attribute__((no_sanitize_thread))
#else
#define UNWATCHED
#endif

enum { KIND, SECOND, FRACTION, CONTAINER, TYPE, NUMBER, WORDS = 8 };

typedef struct arrived {
    uint64_t next, time;
    int created, destroyed;
} arrived;

/* Reads the numbers of a line, between blanks and the point of its time.  Returns how many; 0: it is not such a
 * line. */
UNWATCHED static int numbers(const char *line, const char *end, uint64_t *number)
{
    int count;
    for (count = 0; line < end && count < WORDS; count++) {
        const char *from = line;
        for (number[count] = 0; line < end && *line >= '0' && *line <= '9'; line++)
            number[count] = number[count] * 10 + (uint64_t)(*line - '0');
        if (line == from || (count == FRACTION && line - from != 9) ||
            (line < end && *line != (count == SECOND ? '.' : ' ')))
            return 0;
        line += line < end;
    }
    return line == end ? count : 0;
}

/* Returns what is wrong with a line; NULL: nothing. */
UNWATCHED static const char *look(arrived *threads, uint32_t count, const char *line, const char *end)
{
    uint64_t number[WORDS], time;
    arrived *thread;
    int words = numbers(line, end, number);
    if (words <= TYPE || number[CONTAINER] < 1 || number[CONTAINER] > count)
        return "a line is torn";
    thread = &threads[number[CONTAINER] - 1];
    time = number[SECOND] * 1000000000 + number[FRACTION];
    if (time < thread->time)
        return "the time of a thread goes back";
    thread->time = time;
    if (number[KIND] == PAJEWRITE_DESTROY_CONTAINER)
        return thread->destroyed++ || thread->next != each ? "lines are missing at the end" : NULL;
    if (number[KIND] == PAJEWRITE_CREATE_CONTAINER)
        return thread->created++ || thread->next ? "a container is there twice" : NULL;
    if (words != NUMBER + 1 || number[KIND] != (number[NUMBER] % 2 ? PAJEWRITE_SET_STATE : PAJEWRITE_SET_VARIABLE) ||
        number[TYPE] != (number[NUMBER] % 2 ? state : gauge).alias)
        return "a line is garbled";
    return number[NUMBER] != thread->next++ ? "a line is lost or out of order" : NULL;
}

typedef struct reader {
    int descriptor;
    uint32_t count;
    const char *why; /* what is wrong; NULL: nothing */
} reader;

/* Reads the pipe to its end, even after an error, so that no thread waits for space in it. */
UNWATCHED static void *read_all(void *data)
{
    static char bytes[1 << 16];
    static arrived threads[MOST];
    reader *r = (reader *)data;
    size_t held = 0;
    ssize_t size;
    uint32_t i;
    int begun = 0;
    memset(threads, 0, sizeof threads);
    while ((size = read(r->descriptor, bytes + held, sizeof bytes - held)) > 0) {
        const char *line = bytes, *end;
        held += (size_t)size;
        while ((end = (const char *)memchr(line, '\n', held - (size_t)(line - bytes))) != NULL) {
            begun |= line[0] == '1' && line[1] == '6'; /* the definitions precede the first container */
            if (begun && !r->why)
                r->why = look(threads, r->count, line, end);
            line = end + 1;
        }
        held -= (size_t)(line - bytes);
        memmove(bytes, line, held);
    }
    for (i = 0; i < r->count && !r->why; i++)
        if (!threads[i].destroyed)
            r->why = "lines are missing at the end";
    if (!r->why && held)
        r->why = "the end is torn";
    return NULL;
}

static const char *write_and_read(uint32_t count)
{
    static char buffer[4096];
    pthread_t threads[MOST], reading;
    reader r = {0, 0, NULL};
    pajewrite_config config = config_of(0);
    pajewrite w;
    uint32_t rank;
    int ends_of_pipe[2];
    if (pipe(ends_of_pipe) != 0)
        return "no pipe";
    r.descriptor = ends_of_pipe[0];
    r.count = count;
    pajewrite_file_init(&file, ends_of_pipe[1]);
    pajewrite_init(&w, buffer, sizeof buffer, &config);
    pajewrite_header(&w);
    pajewrite_define_container_type(&w, thread_type, PAJEWRITE_ROOT_TYPE, "thread");
    pajewrite_define_variable_type(&w, gauge, thread_type, "gauge", NULL);
    pajewrite_define_state_type(&w, state, thread_type, "state");
    pajewrite_finish(&w);
    if (pthread_create(&reading, NULL, read_all, &r))
        exit(3);
    for (rank = 0; rank < count; rank++)
        if (pthread_create(&threads[rank], NULL, run, (void *)(uintptr_t)rank))
            exit(3);
    for (rank = 0; rank < count; rank++)
        pthread_join(threads[rank], NULL);
    close(ends_of_pipe[1]);
    pthread_join(reading, NULL);
    close(ends_of_pipe[0]);
    for (rank = 0; rank < count && !r.why; rank++)
        if (ends[rank])
            r.why = pajewrite_status_text(ends[rank]);
    return r.why;
}

#ifdef PAJEWRITE_TSC
static void *set_up_clock(void *clock)
{
    pajewrite_tsc_init((pajewrite_tsc *)clock);
    return NULL;
}

/* Clocks refer to the first one, which another thread has set up; the sanitizer has to see that it is ready. */
static void set_up_clocks(void)
{
    static pajewrite_tsc clocks[MOST];
    const struct timespec pause = {0, 20000000};
    pthread_t threads[MOST];
    int i;
    for (i = 0; i < 4; i++) {
        pthread_create(&threads[i], NULL, set_up_clock, &clocks[i]);
        nanosleep(&pause, NULL);
    }
    while (i--)
        pthread_join(threads[i], NULL);
}
#endif

int main(int argc, char **argv)
{
    static const uint32_t counts[] = {2, 4, 16};
    uint64_t events = argc > 1 ? strtoull(argv[1], NULL, 10) : 10000000;
    const char *name = argc > 2 ? argv[2] : "write-threads";
    int i, failed = 0;
#ifdef PAJEWRITE_TSC
    set_up_clocks();
#endif
    for (i = 0; i < 3; i++) {
        const char *why;
        each = events / counts[i];
        why = write_and_read(counts[i]);
        printf("%s %s/%d threads%s%s\n", why ? "FAIL" : "PASS", name, (int)counts[i], why ? ": " : "", why ? why : "");
        failed |= why != NULL;
    }
    return failed;
}
