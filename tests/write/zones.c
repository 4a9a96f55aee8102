/* A program traced by zones in all sorts of circumstances; tests/write/zones.sh looks at the traces.
 * usage: zones CASE [NUMBER]   prints what does not depend on tracing, so that it can be compared without. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#ifndef PAJEWRITE_ZONES
#define PAJEWRITE_ZONES 1
#endif
#define PAJEWRITE_IMPLEMENTATION
#include "pajewrite.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

PAJEWRITE_MAIN("zones.%p.trace");

enum { MOST = 64 };
static pthread_t threads[MOST];
static long number, sums[MOST];
static pajewrite_message sent[MOST];
static int stop, ready;

/* Zones one in another, left in all ways, with everything that may be within. */
static long work(long rounds)
{
    long i, sum = 0;
    PAJEWRITE_ZONE("work");
    for (i = 0; i < rounds; i++) {
        PAJEWRITE_ZONE("round");
        PAJEWRITE_ZONE_IN(3, "of category 3"); PAJEWRITE_ZONE("the same line");
        if (i % 3 == 1)
            continue;
        if (i % 3 == 2) {
            PAJEWRITE_ZONE("inner");
            PAJEWRITE_MARK("mark");
            PAJEWRITE_MARK_IN(3, "mark of category 3");
        }
        PAJEWRITE_PLOT("sum", sum % 1000); /* pj_dump reads floats */
        PAJEWRITE_PLOT("half", (double)i / 2);
        PAJEWRITE_PLOT_SHARED("shared", i);
        sum += i;
        if (i == 100000000)
            break;
    }
    return sum;
}

static void *run(void *data)
{
    long index = (long)(intptr_t)data;
    if (index % 2) {
        PAJEWRITE_MESSAGE_IN("odd", &sent[index]);
    } else {
        PAJEWRITE_MESSAGE_IN("even", &sent[index]);
    }
    sums[index] = work(number);
    PAJEWRITE_MESSAGE_OUT(&sent[index]);
    return NULL;
}

static void start(long count, void *(*function)(void *))
{
    long i;
    for (i = 0; i < count; i++) {
        PAJEWRITE_MESSAGE_OUT(&sent[i]);
        if (pthread_create(&threads[i], NULL, function, (void *)(intptr_t)i))
            exit(3);
    }
}

static long join(long count)
{
    long i, sum = 0;
    for (i = 0; i < count; i++) {
        pthread_join(threads[i], NULL);
        PAJEWRITE_MESSAGE_IN("joined", &sent[i]);
        sum += sums[i];
    }
    return sum;
}

static void at_once(void)
{
    start(MOST, run);
    printf("%ld\n", join(MOST));
}

/* One after the other, and two at a time. */
static void in_turn(void)
{
    long i, sum = 0, turns = number;
    number = 10;
    for (i = 0; i < turns; i++) {
        start(1 + i % 2, run);
        sum += join(1 + i % 2);
    }
    printf("%ld\n", sum);
}

/* ---- signals */

static int ticks;
static sigjmp_buf before;

static void on_tick(int signal)
{
    (void)signal;
    PAJEWRITE_ZONE("handler");
    PAJEWRITE_MARK("tick");
    PAJEWRITE_PLOT("ticks", __atomic_fetch_add(&ticks, 1, __ATOMIC_RELAXED));
    PAJEWRITE_PLOT_SHARED("ticks of all", 1);
}

static void tick(void)
{
    struct sigaction action;
    struct itimerval every = {{0, 1000}, {0, 1000}};
    volatile long i, k;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_tick;
    action.sa_flags = SA_RESTART;
    sigaction(SIGPROF, &action, NULL);
    setitimer(ITIMER_PROF, &every, NULL);
    start(4, run);
    for (i = 0; __atomic_load_n(&ticks, __ATOMIC_RELAXED) < 100; i = i + 1) {
        work(number / 100);
        for (k = 0; k < 200000; k = k + 1)
            ;
    }
    printf("%ld\n", join(4));
    memset(&every, 0, sizeof every);
    setitimer(ITIMER_PROF, &every, NULL);
}

/* Zones that were jumped over end with the one around them. */
static void jump(void)
{
    volatile int i;
    for (i = 0; i < 10; i = i + 1) {
        PAJEWRITE_ZONE("around");
        if (!sigsetjmp(before, 1)) {
            __attribute__((unused)) volatile int inside = 1;
            PAJEWRITE_ZONE("left");
            siglongjmp(before, 1);
        }
        PAJEWRITE_MARK("back");
    }
    puts("10");
}

/* goto jumps over a zone into its block, at whose end C leaves it all the same: its memory is that of an earlier one.
 * (Neither Clang nor C++ compiles that.) */
#if defined(__cplusplus) || defined(__clang__)
static int skip(int is_skipped) { return is_skipped; }
#else
static int skip(int is_skipped)
{
    if (is_skipped)
        goto end;
    PAJEWRITE_ZONE("skipped");
end:
    return is_skipped;
}
#endif

static void skipped(void)
{
    int sum = skip(0);
    PAJEWRITE_ZONE("outer");
    PAJEWRITE_ZONE("inner");
    sum += skip(1);
    PAJEWRITE_MARK("within both");
    printf("%d\n", sum);
}

/* Before the writer takes its key: so many as the environment says. */
__attribute__((constructor(101))) static void take_keys(void)
{
    const char *count = getenv("ZONES_KEYS");
    pthread_key_t key;
    int left = count ? atoi(count) : 0;
    while (left-- > 0 && pthread_key_create(&key, NULL) == 0)
        ;
}

static void no_key(void)
{
    unsetenv("PAJEWRITE_TRACE"); /* that is off, so main has begun none */
    printf("%d\n", pajewrite_begin("zones.no-key.trace") != PAJEWRITE_OK);
}

/* ---- threads that end otherwise */

static void *forever(void *data)
{
    long i = (long)(intptr_t)data;
    PAJEWRITE_ZONE("forever");
    __atomic_add_fetch(&ready, 1, __ATOMIC_RELAXED);
    while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
        PAJEWRITE_ZONE("a bit");
        PAJEWRITE_PLOT_SHARED("bits", i);
        i++;
    }
    return NULL;
}

/* A thread that was cancelled in a call that waits takes its last locks unseen by the thread sanitizer. */
#ifdef __SANITIZE_THREAD__
#define WAIT() pthread_testcancel()
#else
#define WAIT() usleep(10)
#endif

static void *wait_to_be_cancelled(void *data)
{
    PAJEWRITE_ZONE("cancelled");
    for (;;) {
        PAJEWRITE_ZONE("waits");
        work(100);
        WAIT();
    }
    return data;
}

static void cancel(void)
{
    int i, k;
    for (k = 0; k < 20; k++) {
        start(8, wait_to_be_cancelled);
        usleep(1000);
        for (i = 0; i < 8; i++)
            pthread_cancel(threads[i]);
        join(8);
    }
    number = 10;
    start(8, run); /* on what the others have left */
    printf("%ld\n", join(8));
}

static void *exit_here(void *data)
{
    PAJEWRITE_ZONE("exit");
    while (!__atomic_load_n(&ready, __ATOMIC_RELAXED))
        usleep(100);
    usleep(5000);
    puts("exit");
    fflush(stdout);
    exit(0);
    return data;
}

/* Another thread ends the process, while more are running. */
static void exit_of_thread(void)
{
    PAJEWRITE_ZONE("main");
    start(4, forever);
    exit_here(NULL);
}

/* ---- fork */

static void fork_in_zone(void)
{
    pid_t child;
    int status = 0;
    PAJEWRITE_ZONE("before fork");
    start(2, forever);
    while (__atomic_load_n(&ready, __ATOMIC_RELAXED) < 2) /* a thread that begins may hold locks of a sanitizer */
        usleep(100);
    work(10);
    fflush(stdout);
    child = fork();
    if (child == 0) {
        work(1); /* its first zone is one that the parent knows */
        PAJEWRITE_ZONE("in the child");
        number = 100;
        __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
        start(3, run);
        exit(join(3) > 0 ? 0 : 1);
    }
    work(10);
    waitpid(child, &status, 0);
    __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
    join(2);
    printf("%d\n", status);
}

/* A thread has ended before the fork; those of the child, which are there at once, have a context each. */
static void fork_after_a_thread(void)
{
    enum { OF_PARENT = 2, OF_CHILD = 6 };
    pid_t child;
    int status = 0;
    start(OF_PARENT, run);
    join(OF_PARENT);
    fflush(stdout);
    child = fork();
    if (child == 0) {
        start(OF_CHILD, forever);
        while (__atomic_load_n(&ready, __ATOMIC_RELAXED) < OF_CHILD)
            usleep(100);
        __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
        join(OF_CHILD);
        exit(0);
    }
    waitpid(child, &status, 0);
    printf("%d\n", status);
}

/* Children of vfork, which are in the memory of this process, end in four ways.  After the last one, the C library
 * calls no handler at the exit of this process, either. */
static void vfork_in_zone(void)
{
    int way, status[4];
    PAJEWRITE_ZONE("before vfork");
    start(2, forever);
    fflush(stdout);
    for (way = 0; way < 4; way++) {
        pid_t child;
        work(10);
        child = vfork();
        if (child == 0) {
            PAJEWRITE_ZONE("in the child");
            work(number);
            if (way == 1)
                raise(SIGTERM);
            if (way == 2)
                pajewrite_end();
            if (way == 3)
                exit(0);
            _exit(0);
        }
        waitpid(child, &status[way], 0);
    }
    work(10);
    __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
    join(2);
    pajewrite_end();
    printf("%d %d %d %d\n", status[0], status[1], status[2], status[3]);
}

/* ---- several traces, one after the other */

static void again(void)
{
    int i;
    PAJEWRITE_ZONE("around all");
    start(3, forever);
    for (i = 0; i < 20; i++) {
        char path[40];
        pajewrite_end();
        work(5);
        snprintf(path, sizeof path, "zones-%d.trace", i);
        if (pajewrite_begin(path) != PAJEWRITE_OK)
            puts("begin failed");
        work(100);
        usleep(1000);
    }
    __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
    join(3);
    puts("again");
}

static int held[2];

static void *vfork_and_wait(void *data)
{
    const pid_t child = vfork();
    if (child == 0) {
        char byte;
        _exit(read(held[0], &byte, 1) != 1);
    }
    waitpid(child, (int *)data, 0);
    return data;
}

/* A trace ends, and the next one begins in its file, while a child of another thread has not executed its program. */
static void again_in_file(void)
{
    pthread_t thread;
    int status = 1, i;
    if (pipe(held) || pthread_create(&thread, NULL, vfork_and_wait, &status))
        return;
    usleep(100000);
    for (i = 0; i < 2; i++) {
        if (pajewrite_end() != PAJEWRITE_OK || pajewrite_begin("zones.again.trace") != PAJEWRITE_OK)
            puts("begin failed");
        work(10);
    }
    if (write(held[1], "", 1) == 1)
        pthread_join(thread, NULL);
    printf("again %d\n", status);
}

/* Calls of the header on the context of a thread: each has types and fields of its own. */
static void *own_types(void *data)
{
    long i;
    pajewrite *w = pajewrite_here();
    const pajewrite_type type = pajewrite_new_type(w);
    const pajewrite_value value = pajewrite_new_value(w);
    const pajewrite_variant variant =
        pajewrite_define_variant(w, PAJEWRITE_NEW_EVENT, data ? "Size int" : "Size int, Of int");
    const int64_t fields[] = {4096, 7};
    pajewrite_event event;
    memset(&event, 0, sizeof event);
    pajewrite_define_event_type(w, type, PAJEWRITE_TYPE(2), data ? "first" : "second");
    pajewrite_define_value(w, value, type, "value", NULL);
    event.kind = PAJEWRITE_NEW_EVENT;
    event.time = PAJEWRITE_TIME_NOW;
    event.container = pajewrite_here_container();
    event.type = type;
    event.value = value;
    pajewrite_write_ints(w, &event, variant, fields, variant.fields);
    for (i = 0; i < 10; i++)
        pajewrite_set_variable(w, pajewrite_here_container(), PAJEWRITE_TYPE(1000), i);
    return data;
}

static void here(void)
{
    pajewrite_define_variable_type(pajewrite_here(), PAJEWRITE_TYPE(1000), PAJEWRITE_TYPE(2), "of my own", NULL);
    pajewrite_flush(pajewrite_here());
    start(2, own_types);
    join(2);
    puts(pajewrite_here() ? "here" : "nowhere"); /* also where calls are compiled out: others may get it */
}

/* Delivers each line by itself, so that deliveries begin anywhere in a page. */
static void flushed(void)
{
    for (; number; number--) {
        PAJEWRITE_MARK("line");
        pajewrite_flush(pajewrite_here());
    }
}

/* A thread that disables a category, and the next one, which goes on in its container. */
static void *mark_twice(void *data)
{
    PAJEWRITE_MARK_IN(3, "enabled");
    pajewrite_disable(pajewrite_here(), 1u << 3);
    PAJEWRITE_MARK_IN(3, "disabled");
    return data;
}

static void disabled(void)
{
    int i;
    for (i = 0; i < 3; i++) {
        start(1, mark_twice);
        join(1);
    }
    puts("disabled");
}

/* What a signal handler would write while a call by pajewrite_here() is under way. */
static void interrupted(void)
{
#if defined PAJEWRITE_IMPLEMENTATION && !defined PAJEWRITE_DISABLE
    pajewrite *w = pajewrite_here();
    pajewrite__begin_call(w);
    PAJEWRITE_PLOT("real", 1.5);
    PAJEWRITE_PLOT("whole", 2);
    PAJEWRITE_MARK("mark");
    pajewrite__end_call(w);
    printf("dropped %d\n", (int)pajewrite_count(w).dropped);
#endif
}

/* ---- messages that were never sent, are received by several, or come from elsewhere */

static void *receive_first(void *data)
{
    PAJEWRITE_MESSAGE_IN("to several", &sent[MOST - 1]);
    PAJEWRITE_MESSAGE_IN("to several", &sent[MOST - 1]);
    return data;
}

static void messages(void)
{
    pajewrite_message never, garbage;
    memset(&never, 0, sizeof never);
    memset(&garbage, 0x5a, sizeof garbage);
    PAJEWRITE_MESSAGE_IN("never sent", &never);
    PAJEWRITE_MESSAGE_IN("garbage", &garbage);
    PAJEWRITE_MESSAGE_OUT(&sent[MOST - 1]);
    start(4, receive_first);
    join(4);
    puts("messages");
}

/* What a message of this process has, as bytes, for another one; all zeros where there is no trace. */
static void message_to_output(void)
{
    pajewrite_message message;
    memset(&message, 0x5a, sizeof message);
    PAJEWRITE_MESSAGE_OUT(&message);
    fwrite(&message, sizeof message, 1, stdout);
}

static void message_from_input(void)
{
    pajewrite_message message;
    if (fread(&message, sizeof message, 1, stdin) != 1)
        return;
    PAJEWRITE_MESSAGE_IN("of another process", &message);
    PAJEWRITE_MESSAGE_OUT(&message);
    PAJEWRITE_MESSAGE_IN("of this process", &message);
    puts("message");
}

/* The last delivery before a sudden end may be at either end of a link. */
static void die_within_messages(void)
{
    int i;
    for (i = 0; i < number; i++)
        PAJEWRITE_MARK("before");
    for (i = 0; i < 2000; i++) {
        PAJEWRITE_MESSAGE_OUT(&sent[0]);
        PAJEWRITE_MESSAGE_IN("to itself", &sent[0]);
    }
    _exit(0);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    number = argc > 2 ? atol(argv[2]) : 1000;
    if (strcmp(what, "at-once") == 0)
        at_once();
    else if (strcmp(what, "in-turn") == 0)
        in_turn();
    else if (strcmp(what, "tick") == 0)
        tick();
    else if (strcmp(what, "jump") == 0)
        jump();
    else if (strcmp(what, "no-key") == 0)
        no_key();
    else if (strcmp(what, "skipped") == 0)
        skipped();
    else if (strcmp(what, "cancel") == 0)
        cancel();
    else if (strcmp(what, "exit-of-thread") == 0)
        exit_of_thread();
    else if (strcmp(what, "fork") == 0)
        fork_in_zone();
    else if (strcmp(what, "fork-after-a-thread") == 0)
        fork_after_a_thread();
    else if (strcmp(what, "vfork") == 0)
        vfork_in_zone();
    else if (strcmp(what, "again") == 0)
        again();
    else if (strcmp(what, "again-in-file") == 0)
        again_in_file();
    else if (strcmp(what, "here") == 0)
        here();
    else if (strcmp(what, "flushed") == 0)
        flushed();
    else if (strcmp(what, "disabled") == 0)
        disabled();
    else if (strcmp(what, "interrupted") == 0)
        interrupted();
    else if (strcmp(what, "messages") == 0)
        messages();
    else if (strcmp(what, "message-to-output") == 0)
        message_to_output();
    else if (strcmp(what, "message-from-input") == 0)
        message_from_input();
    else if (strcmp(what, "names") == 0) { /* one name for all, from two places each */
        int i;
        for (i = 0; i < 2; i++) {
            PAJEWRITE_ZONE("same");
            PAJEWRITE_MARK("same");
            PAJEWRITE_PLOT("same", 1);
            PAJEWRITE_PLOT_SHARED("same", 2);
        }
        PAJEWRITE_ZONE("same");
        PAJEWRITE_MARK("same");
        PAJEWRITE_PLOT("same", 3);
        PAJEWRITE_PLOT_SHARED("same", 4);
        { /* numbers, down from those that are aliases */
            PAJEWRITE_ZONE("24"); PAJEWRITE_ZONE("23"); PAJEWRITE_ZONE("22"); PAJEWRITE_ZONE("21");
            PAJEWRITE_MARK("28"); PAJEWRITE_MARK("27"); PAJEWRITE_MARK("26"); PAJEWRITE_MARK("25");
            PAJEWRITE_PLOT("32", 5); PAJEWRITE_PLOT("31", 5); PAJEWRITE_PLOT("30", 5); PAJEWRITE_PLOT("29", 5);
        }
        puts("names");
    } else if (strcmp(what, "running") == 0) { /* threads at exit */
        start(4, forever);
        usleep(20000);
        puts("running");
    } else if (strcmp(what, "closed") == 0) { /* the file of the trace, by the program */
        int i;
        for (i = 3; i < 20; i++)
            close(i);
        for (i = 3; i < 20; i++) /* another file gets the descriptor of the trace */
            if (open("other", O_WRONLY | O_CREAT, 0666) < 0)
                return 1;
        work(100);
        puts("closed");
    } else if (strcmp(what, "die") == 0) { /* by a signal: NUMBER; 0: _exit; below 0: is sent from outside */
        start(3, forever);
        while (__atomic_load_n(&ready, __ATOMIC_RELAXED) < 3) /* on a busy machine some begin late */
            usleep(1000);
        usleep(20000);
        if (number == 0)
            _exit(0);
        if (number > 0)
            raise((int)number);
        pause();
    } else if (strcmp(what, "die-within-messages") == 0) {
        die_within_messages();
    } else if (strcmp(what, "die-alone") == 0) {
        PAJEWRITE_MARK("last");
        raise((int)number);
    } else if (strcmp(what, "fault") == 0) {
        volatile long *nowhere = (volatile long *)(number - 1000);
        start(3, forever);
        usleep(20000);
        return (int)*nowhere;
    } else {
        return 2;
    }
    return 0;
}
