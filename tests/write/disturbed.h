/* Shared by the parts of disturbed.c: cases, what was written, a context, and a timer that sends signals. */
#ifndef TESTS_DISTURBED_H
#define TESTS_DISTURBED_H

#define _POSIX_C_SOURCE 200809L
#include <unistd.h>
#define write test_write /* which are short, interrupted or fail */
#define pwrite test_pwrite
static ssize_t test_write(int descriptor, const void *bytes, size_t size);
static ssize_t test_pwrite(int descriptor, const void *bytes, size_t size, off_t at);
#ifndef READER_IS_LINKED
#define PAJESIM_IMPLEMENTATION
#endif
#include "pajesim.h"
#define PAJEWRITE_CHECK 1
#define PAJEWRITE_IMPLEMENTATION
#include "pajewrite.h"
#undef write
#undef pwrite
#include "../lib/expect.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>

static const pajewrite_type thread_type = {1}, state = {2}, gauge = {3}, message = {4};
static const char path[] = "build/write-disturbed.trace";

static void end_case(const char *name)
{
    report("write/", name);
    fflush(stdout);
    alarm(60);
}

/* ---- what was written */

static char content[1 << 26];
static size_t taken; /* its bytes, where a sink or a reader fills it */

static size_t read_file(void)
{
    int descriptor = open(path, O_RDONLY);
    ssize_t size = descriptor < 0 ? -1 : read(descriptor, content, sizeof content);
    close(descriptor);
    return size < 0 ? 0 : (size_t)size;
}

static uint64_t count_events(size_t size)
{
    uint64_t count = 0;
    size_t i;
    for (i = 0; i < size; i++)
        count += (i == 0 || content[i - 1] == '\n') && content[i] >= '0' && content[i] <= '9';
    return count;
}

/* Replays `size` bytes of content, strictly. */
static void replay(size_t size)
{
    static uint64_t arena[1 << 19];
    static pajesim_options options;
    pajesim sim;
    pajesim_status status;
    options.strict = 1;
    pajesim_init(&sim, arena, sizeof arena, &options, NULL, NULL);
    status = pajesim_feed(&sim, content, size, NULL);
    if (status == PAJESIM_OK)
        status = pajesim_finish(&sim);
    if (status != PAJESIM_OK)
        fail("the trace is not valid: status %d", (int)status);
}

static void define(pajewrite *w)
{
    pajewrite_header(w);
    pajewrite_define_container_type(w, thread_type, PAJEWRITE_ROOT_TYPE, "thread");
    pajewrite_define_state_type(w, state, thread_type, "state");
    pajewrite_define_value(w, PAJEWRITE_VALUE(1), state, "one", NULL);
    pajewrite_define_variable_type(w, gauge, thread_type, "gauge", NULL);
    pajewrite_define_link_type(w, message, PAJEWRITE_ROOT_TYPE, thread_type, thread_type, "link");
}

static pajewrite_config config_of(pajewrite_file *file, int flags)
{
    pajewrite_config config = PAJEWRITE_CONFIG;
    pajewrite_file_init(file, open(path, O_WRONLY | O_CREAT | O_TRUNC | flags, 0600));
    config.sink = pajewrite_to_file;
    config.sink_data = file;
    return config;
}

/* ---- a context, and what a signal handler does with one */

static pajewrite w;
static const pajewrite_container me = {1};
static volatile sig_atomic_t handled; /* signals */

/* Calls `handler` after each so many microseconds of CPU time. */
static void every(long microseconds, void (*handler)(int))
{
    struct sigaction action;
    struct itimerval timer;
    memset(&action, 0, sizeof action);
    memset(&timer, 0, sizeof timer);
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART;
    sigaction(SIGPROF, &action, NULL);
    timer.it_interval.tv_usec = timer.it_value.tv_usec = microseconds;
    setitimer(ITIMER_PROF, &timer, NULL);
}

static void never(void)
{
    struct itimerval timer;
    memset(&timer, 0, sizeof timer);
    setitimer(ITIMER_PROF, &timer, NULL);
    signal(SIGPROF, SIG_IGN);
}

#endif
