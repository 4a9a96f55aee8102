/* Random programs that trace themselves by zones: threads that come and go, jump, and end within zones; messages; types
 * of their own; a handler with zones a thousand times a second; forks whose children end in many ways; traces that end
 * and begin while threads go on; an end by exit, a signal, or the last thread.
 * usage: zones_random FIRST COUNT     one program for each seed, as a process of its own, which writes SEED.*.trace */
#define _XOPEN_SOURCE 700
#define PAJEWRITE_ZONES 1
#define PAJEWRITE_IMPLEMENTATION
#include "pajewrite.h"

#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { DEPTH = 12, SLOTS = 16, THREADS = 6 };

static int ends, forks, has_own_types;
static uint32_t seed;
static pthread_key_t key;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* which a child of fork may find taken for ever */
static pajewrite_message slots[SLOTS];

static uint32_t below(uint32_t *state, uint32_t n)
{
    *state = *state * UINT32_C(1664525) + UINT32_C(1013904223);
    return (uint32_t)(((uint64_t)*state * n) >> 32);
}

static void take_pause(uint32_t microseconds)
{
    struct timespec time = {0, (long)microseconds * 1000};
    nanosleep(&time, NULL);
}

static int has_ended(void) { return __atomic_load_n(&ends, __ATOMIC_RELAXED); }

static void step(uint32_t *state, int depth);

static void one_zone(uint32_t *state, int depth)
{
    PAJEWRITE_ZONE("one \"zone\"");
    step(state, depth + 1);
}

static void several_zones(uint32_t *state, int depth)
{
    int i;
    PAJEWRITE_ZONE_IN(3, "42");
    for (i = 0; i < 3; i++) {
        PAJEWRITE_ZONE("inner");
        step(state, depth + 2);
    }
}

static void enter_and_jump(jmp_buf *back)
{
    PAJEWRITE_ZONE("left by a jump");
    PAJEWRITE_MARK("before the jump");
    longjmp(*back, 1);
}

static void jump(void)
{
    jmp_buf back;
    if (!setjmp(back))
        enter_and_jump(&back);
}

static void own_types(void)
{
    pajewrite *w = pajewrite_here();
    const pajewrite_container here = pajewrite_here_container();
    const pajewrite_type type = pajewrite_new_type(w);
    const pajewrite_value value = pajewrite_new_value(w);
    pajewrite_define_state_type(w, type, PAJEWRITE_TYPE(2), "mine");
    pajewrite_define_value(w, value, type, "value", NULL);
    pajewrite_push_state(w, here, type, value);
    pajewrite_pop_state(w, here, type);
}

static void pass_message(uint32_t *state, int is_out)
{
    pajewrite_message message;
    if (pthread_mutex_trylock(&lock))
        return;
    if (is_out)
        PAJEWRITE_MESSAGE_OUT(&slots[below(state, SLOTS)]);
    message = slots[below(state, SLOTS)];
    pthread_mutex_unlock(&lock);
    if (!is_out)
        PAJEWRITE_MESSAGE_IN("message", &message);
}

static void run_child(uint32_t *state)
{
    int i;
    for (i = 0; i < 30; i++)
        step(state, 0);
    switch (below(state, 4)) {
    case 0: execlp("true", "true", (char *)NULL); break;
    case 1: pajewrite_end(); break;
    case 2: raise(SIGTERM);
    }
    if (!has_ended() && below(state, 2))
        exit(0); /* else the parent may be in exit, whose lock no child gets */
    _exit(0);
}

static void step(uint32_t *state, int depth)
{
    pid_t child;
    if (depth > DEPTH)
        return;
    switch (below(state, 16)) {
    case 0: case 1: case 2: one_zone(state, depth); break;
    case 3: several_zones(state, depth); break;
    case 4: jump(); break;
    case 5: PAJEWRITE_MARK("mark"); break;
    case 6: PAJEWRITE_MARK_IN(31, "mark"); break;
    case 7: PAJEWRITE_PLOT("number", below(state, 9) ? below(state, 1000) / 7.0 : (double)NAN); break;
    case 8: PAJEWRITE_PLOT_SHARED("shared", below(state, 9) ? (double)below(state, 100) : (double)INFINITY); break;
    case 9: pass_message(state, 1); break;
    case 10: pass_message(state, 0); break;
    case 11:
        if (has_own_types)
            own_types();
        break;
    case 12:
        if (has_own_types)
            pajewrite_flush(pajewrite_here());
        break;
    case 13:
        if (!forks || below(state, 60))
            break;
        child = fork();
        if (child == 0)
            run_child(state);
        waitpid(child, NULL, 0);
        break;
    default:
        step(state, depth + 3);
        step(state, depth + 3);
    }
}

static void tick(int number)
{
    PAJEWRITE_ZONE("handler");
    PAJEWRITE_MARK("tick");
    PAJEWRITE_PLOT("ticks", 1.5);
    PAJEWRITE_PLOT_SHARED("ticks of all", number);
}

static void at_the_end_of_a_thread(void *data)
{
    char *times = (char *)data;
    PAJEWRITE_ZONE("in a destructor");
    if (*times && --*times)
        pthread_setspecific(key, times);
}

static void *run(void *data)
{
    static char times[100];
    const uint32_t number = (uint32_t)(size_t)data;
    uint32_t state = seed * 77 + number;
    int i;
    times[number] = (char)below(&state, 6);
    pthread_setspecific(key, &times[number]);
    for (i = 0; i < 150 && !has_ended(); i++) {
        step(&state, 0);
        if (below(&state, 100) == 0) {
            PAJEWRITE_ZONE("left by pthread_exit");
            pthread_exit(NULL);
        }
    }
    return NULL;
}

static void *run_some(void *data)
{
    size_t i;
    pthread_t thread;
    for (i = 0; i < 6 && !has_ended(); i++)
        if (!pthread_create(&thread, NULL, run, (void *)((size_t)data * 10 + i)))
            pthread_join(thread, NULL);
    return NULL;
}

static void begin(uint32_t number)
{
    char path[60];
    snprintf(path, sizeof path, "%u.%u.%%p.trace", (unsigned)seed, (unsigned)number);
    pajewrite_begin(path);
}

static void end_and_begin(uint32_t *state)
{
    uint32_t i;
    for (i = 1; i < 20; i++) {
        take_pause(below(state, 2000));
        step(state, 0);
        pajewrite_end();
        take_pause(below(state, 500));
        begin(i);
    }
}

/* Ends the process. */
static void run_program(void)
{
    const struct itimerval every = {{0, 1000}, {0, 1000}};
    struct sigaction action;
    pthread_t threads[THREADS];
    uint32_t state = seed, i, again = below(&state, 2), count = 1 + below(&state, THREADS), end = below(&state, 4);
    memset(&action, 0, sizeof action);
    action.sa_handler = tick;
    action.sa_flags = SA_RESTART;
    forks = (int)below(&state, 2);
    has_own_types = !again && below(&state, 2);
    alarm(30);
    pthread_key_create(&key, at_the_end_of_a_thread);
    if (below(&state, 2))
        pajewrite_flush_at_signals();
    begin(0);
    if (below(&state, 2) && !sigaction(SIGPROF, &action, NULL))
        setitimer(ITIMER_PROF, &every, NULL);
    for (i = 0; i < count; i++)
        if (pthread_create(&threads[i], NULL, run_some, (void *)(size_t)(i + 1)))
            exit(3);
    if (again)
        end_and_begin(&state);
    for (i = 0; i < 100; i++)
        step(&state, 0);
    if (end == 0) {
        __atomic_store_n(&ends, 1, __ATOMIC_RELAXED);
        take_pause(1000);
        exit(0);
    }
    if (end == 1)
        raise(SIGTERM);
    for (i = 0; i < count && end != 2; i++)
        pthread_join(threads[i], NULL);
    pthread_exit(NULL);
}

int main(int argc, char **argv)
{
    const uint32_t first = argc > 2 ? (uint32_t)atoi(argv[1]) : 1, count = argc > 2 ? (uint32_t)atoi(argv[2]) : 20;
    int status, failed = 0;
    for (seed = first; seed - first < count; seed++) {
        const pid_t child = fork();
        if (child == 0)
            run_program();
        if (waitpid(child, &status, 0) != child || (WIFSIGNALED(status) ? WTERMSIG(status) != SIGTERM : status != 0)) {
            printf("seed %u: status %#x\n", (unsigned)seed, (unsigned)status);
            failed = 1;
        }
    }
    return failed;
}
