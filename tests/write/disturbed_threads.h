/* Cases of disturbed.c: threads that are cancelled, whose writes are short or fail; a full pipe. */
#ifndef TESTS_DISTURBED_THREADS_H
#define TESTS_DISTURBED_THREADS_H

#include "disturbed.h"

/* ---- writes that are short, interrupted, or fail */

static int shorten, fail_from, write_calls; /* fail_from: the call from which on the disk is full; 0: none */

static int is_disturbed(size_t *size)
{
    static unsigned seed;
    unsigned number = __atomic_add_fetch(&seed, 2654435761u, __ATOMIC_RELAXED);
    if (!shorten)
        return 0;
    if (fail_from && __atomic_add_fetch(&write_calls, 1, __ATOMIC_RELAXED) >= fail_from) {
        errno = ENOSPC;
        return 1;
    }
    if (number >> 28 == 0) {
        errno = EINTR;
        return 1;
    }
    *size = 1 + (number >> 8) % (*size < 700 ? *size : 700);
    return 0;
}

static ssize_t test_write(int descriptor, const void *bytes, size_t size)
{
    return is_disturbed(&size) ? -1 : write(descriptor, bytes, size);
}

static ssize_t test_pwrite(int descriptor, const void *bytes, size_t size, off_t at)
{
    return is_disturbed(&size) ? -1 : pwrite(descriptor, bytes, size, at);
}

/* ---- threads, cancelled while they write, and a handler with a context of its own */

static pajewrite handler_w;
static const pajewrite_container handler_me = {100};
static volatile sig_atomic_t handler_lock; /* the handler may run in any thread, one at a time */

static void on_profile_own(int number)
{
    (void)number;
    if (__atomic_exchange_n(&handler_lock, 1, __ATOMIC_ACQUIRE))
        return;
    pajewrite_push_state(&handler_w, handler_me, state, PAJEWRITE_VALUE(1));
    pajewrite_pop_state(&handler_w, handler_me, state);
    handled++;
    __atomic_store_n(&handler_lock, 0, __ATOMIC_RELEASE);
}

enum { THREADS = 8 };

typedef struct worker {
    pajewrite w;
    pajewrite_config config;
    char buffer[1200];
    int number, ended;
    int64_t events; /* how many to write; 0: without end */
} worker;

static worker workers[THREADS];

static void end_worker(void *data)
{
    worker *self = (worker *)data;
    pajewrite_destroy_container(&self->w, PAJEWRITE_CONTAINER(self->number + 1), thread_type);
    if (pajewrite_finish(&self->w) == PAJEWRITE_OK)
        self->ended = 1;
}

static void *work(void *data)
{
    worker *self = (worker *)data;
    const pajewrite_container container = PAJEWRITE_CONTAINER(self->number + 1);
    int64_t i;
    pajewrite_init(&self->w, self->buffer, sizeof self->buffer - (size_t)self->number * 100, &self->config);
    pajewrite_create_container(&self->w, container, thread_type, PAJEWRITE_ROOT, NULL);
    pthread_cleanup_push(end_worker, self);
    for (i = 0; !self->events || i < self->events; i++) {
        pajewrite_set_variable(&self->w, container, gauge, i);
        if (!self->events && i % 100 == 0)
            pthread_testcancel();
    }
    pthread_cleanup_pop(1);
    return NULL;
}

/* flags: of open.  events: of each thread; 0: they are cancelled. */
static void threads(const char *name, int flags, int64_t events, int profile)
{
    static char buffer[4096], handler_buffer[1000];
    pthread_t thread[THREADS];
    struct timespec pause = {0, 50000000};
    pajewrite_file file;
    pajewrite_config config = config_of(&file, flags);
    uint64_t written = 0, there;
    size_t size;
    int i;
    config.clock = NULL;
    pajewrite_init(&w, buffer, sizeof buffer, &config);
    define(&w);
    pajewrite_create_container(&w, handler_me, thread_type, PAJEWRITE_ROOT, NULL);
    pajewrite_finish(&w);
    pajewrite_init(&handler_w, handler_buffer, sizeof handler_buffer, &config);
    handled = 0;
    for (i = 0; i < THREADS; i++) {
        memset(&workers[i], 0, sizeof workers[i]);
        workers[i].number = i;
        workers[i].config = config;
        workers[i].events = events;
        if (pthread_create(&thread[i], NULL, work, &workers[i]))
            exit(3);
    }
    if (profile)
        every(1000, on_profile_own);
    if (!events) {
        nanosleep(&pause, NULL);
        for (i = 0; i < THREADS; i++)
            pthread_cancel(thread[i]);
    }
    for (i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    if (profile) {
        while (handled < 3)
            ;
        never();
    }
    pajewrite_finish(&handler_w);
    close(file.descriptor);
    size = read_file();
    there = count_events(size);
    for (i = 0; i < THREADS; i++) {
        written += pajewrite_count(&workers[i].w).written;
        if (!workers[i].ended && !fail_from)
            fail("thread %d: %s", i, pajewrite_problem(&workers[i].w));
    }
    written += 6 + pajewrite_count(&handler_w).written; /* 5 definitions and a container */
    if (memchr(content, 0, size))
        fail("there are NUL bytes");
    if (size == 0 || content[size - 1] != '\n')
        fail("the last line is torn");
    if (!fail_from && there != written) /* else lines behind the failure were cut off later */
        fail("%llu lines, %llu counted", (unsigned long long)there, (unsigned long long)written);
    if (size < sizeof content && !fail_from)
        replay(size);
    if (name)
        end_case(name);
}

static void full_disk_of_threads(void)
{
    int i;
    for (i = 1; i < 2000 && !fault[0]; i += 97) {
        size_t size, at, line = 0;
        shorten = 1;
        write_calls = 0;
        fail_from = i + 20;
        threads(NULL, 0, 300, 0);
        size = read_file();
        for (at = 0; at < size; at++)
            if (content[at] == '\n') {
                if (content[line] != '%' && (at - line < 10 || content[line] < '0' || content[line] > '9'))
                    fail("call %d fails: a line is torn: %.*s", i, (int)(at - line), content + line);
                line = at + 1;
            }
    }
    fail_from = 0;
    end_case("disk that gets full while threads write");
}

/* ---- a pipe in non-blocking mode */

static int ends[2];

static void *read_slowly(void *data)
{
    struct timespec pause = {0, 1000000};
    ssize_t size;
    taken = 0;
    while ((size = read(ends[0], content + taken, 3000)) > 0) {
        taken += (size_t)size;
        nanosleep(&pause, NULL);
    }
    return data;
}

static void full_pipe(int is_stream)
{
    static char buffer[1 << 15];
    pthread_t reader;
    pajewrite_config config = PAJEWRITE_CONFIG;
    pajewrite_file file;
    FILE *stream = NULL;
    int i;
    if (pipe(ends) || fcntl(ends[1], F_SETFL, O_NONBLOCK) || pthread_create(&reader, NULL, read_slowly, NULL) ||
        (is_stream && !(stream = fdopen(ends[1], "w"))))
        exit(3);
    pajewrite_file_init(&file, ends[1]);
    config.sink = is_stream ? pajewrite_to_stream : pajewrite_to_file;
    config.sink_data = is_stream ? (void *)stream : (void *)&file;
    errno = 1234;
    pajewrite_init(&w, buffer, sizeof buffer, &config);
    define(&w);
    pajewrite_create_container(&w, me, thread_type, PAJEWRITE_ROOT, NULL);
    for (i = 0; i < 20000; i++)
        pajewrite_set_variable(&w, me, gauge, i);
    pajewrite_destroy_container(&w, me, thread_type);
    if (pajewrite_finish(&w))
        fail("status: %s", pajewrite_problem(&w));
    if (errno != 1234)
        fail("errno has changed");
    if (stream)
        fclose(stream);
    else
        close(ends[1]);
    pthread_join(reader, NULL);
    close(ends[0]);
    if (count_events(taken) != 20007)
        fail("%llu lines arrive", (unsigned long long)count_events(taken));
    replay(taken);
    end_case(is_stream ? "stream of a pipe that says EAGAIN" : "pipe that says EAGAIN");
}

/* Threads share a stream to a pipe, which takes a part of what they write: the lock of the stream keeps lines whole. */
static void shared_stream(void)
{
    static char buffer[4096];
    pthread_t reader, thread[THREADS];
    pajewrite_config config = PAJEWRITE_CONFIG;
    FILE *stream;
    int i;
    if (pipe(ends) || !(stream = fdopen(ends[1], "w")) || pthread_create(&reader, NULL, read_slowly, NULL))
        exit(3);
    config.sink = pajewrite_to_stream;
    config.sink_data = stream;
    pajewrite_init(&w, buffer, sizeof buffer, &config);
    define(&w);
    pajewrite_finish(&w);
    shorten = 1;
    for (i = 0; i < THREADS; i++) {
        memset(&workers[i], 0, sizeof workers[i]);
        workers[i].number = i;
        workers[i].config = config;
        workers[i].events = 3000;
        if (pthread_create(&thread[i], NULL, work, &workers[i]))
            exit(3);
    }
    for (i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    shorten = 0;
    fclose(stream);
    pthread_join(reader, NULL);
    close(ends[0]);
    if (count_events(taken) != 5 + THREADS * (3000 + 2)) /* 5 definitions, and the containers */
        fail("%llu lines arrive", (unsigned long long)count_events(taken));
    replay(taken);
    end_case("threads that share a stream to a pipe");
}

/* A reader that leaves ends the trace, not the program. */
static void left_pipe(int is_opened)
{
    static char buffer[1 << 12];
    static pajewrite_trace trace;
    pajewrite_config config = PAJEWRITE_CONFIG;
    pajewrite_file file;
    pajewrite *to = &w;
    pajewrite_status status;
    sigset_t pending, blocked;
    char opened[32];
    int i;
    if (pipe(ends))
        exit(3);
    if (is_opened) {
        snprintf(opened, sizeof opened, "/dev/fd/%d", ends[1]);
        to = pajewrite_open(&trace, opened);
    } else {
        pajewrite_file_init(&file, ends[1]);
        config.sink = pajewrite_to_file;
        config.sink_data = &file;
        pajewrite_init(&w, buffer, sizeof buffer, &config);
        pajewrite_header(&w);
    }
    pajewrite_flush(to);
    close(ends[0]);
    for (i = 0; i < 20000; i++)
        pajewrite_set_variable(to, me, gauge, i);
    status = is_opened ? pajewrite_close(&trace) : pajewrite_finish(&w);
    if (status != PAJEWRITE_E_SINK)
        fail("status: %s", pajewrite_status_text(status));
    sigpending(&pending);
    pthread_sigmask(SIG_BLOCK, NULL, &blocked);
    if (sigismember(&pending, SIGPIPE) || sigismember(&blocked, SIGPIPE))
        fail("SIGPIPE is pending or blocked");
    close(ends[1]);
    end_case(is_opened ? "a reader that leaves what was opened" : "a pipe whose reader leaves");
}

#endif
