/* Threads: their contexts, their stacks of states, their containers. */
#include "process.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    DEPTH = 1024,        /* scopes whose place on the program's stack is known */
    STACK_SIZE = 8 << 20 /* what is farther apart is on different stacks */
};

#define NO_FRAME UINTPTR_MAX /* of a state that only its own end ends */

/* A thread, or one that has ended: the next new thread goes on with its context, and so with the rest of its block. */
struct trace_thread {
    trace_writer out;
    pajewrite_track track;  /* of its states */
    struct trace_thread *next; /* of all; none is ever freed */
    int claimed;            /* 1: a thread has it */
    int busy;               /* 1: the tracer is at work, which a signal handler must not interrupt by another call */
    uint32_t depth;         /* of the stack of states */
    uint32_t number, ends;  /* ends: calls of the destructor of its key */
    pajewrite_container container;
    char name[16];          /* that the system had for it last; at first, that of the process */
    uint32_t skipped;       /* functions that were entered below that depth, and are not recorded */
    uintptr_t frames[DEPTH], functions[DEPTH]; /* functions: 0: it is another state */
};

static __thread trace_thread *self __attribute__((tls_model("initial-exec")));
/* 1: it is being set up; 2: it has ended. */
static __thread int is_closed __attribute__((tls_model("initial-exec")));
static trace_thread *newest;
static int idle; /* how many are not claimed, at least */
static pthread_key_t key;

/* Keeps the compiler from moving writes of the context across. */
#define BARRIER() __asm__ volatile("" ::: "memory")

static void leave(trace_thread *t)
{
    BARRIER();
    t->busy = 0;
}

static void push(trace_thread *t, uint32_t state, uintptr_t frame)
{
    pajewrite_track_push_state(&t->track, PAJEWRITE_VALUE(state));
    if (t->depth < DEPTH) {
        t->frames[t->depth] = frame;
        t->functions[t->depth] = 0;
    }
    t->depth++;
}

static void pop_to(trace_thread *t, uint32_t depth)
{
    for (; t->depth > depth; t->depth--)
        pajewrite_track_pop_state(&t->track);
}

/* Pops what was left without its end: what began where the program's stack was shorter than at `place`.  Calls that
 * follow each other in one function have the same place, and so has the beginning of that function. */
static void pop_left(trace_thread *t, uintptr_t place)
{
    for (; t->depth > 1 && t->depth <= DEPTH; pop_to(t, t->depth - 1)) {
        const uintptr_t frame = t->frames[t->depth - 1];
        if (frame > place || place - frame >= STACK_SIZE || (frame == place && t->functions[t->depth - 1]))
            return;
    }
}

/* ---- contexts */

/* Returns one that no thread has, that of the smallest number; NULL: there is none. */
static trace_thread *claim_idle(void)
{
    while (__atomic_load_n(&idle, __ATOMIC_RELAXED) > 0) {
        trace_thread *t = __atomic_load_n(&newest, __ATOMIC_ACQUIRE), *least = NULL;
        int unclaimed = 0;
        for (; t; t = t->next)
            if (!__atomic_load_n(&t->claimed, __ATOMIC_RELAXED) && (!least || t->number < least->number))
                least = t;
        if (!least)
            return NULL;
        if (__atomic_compare_exchange_n(&least->claimed, &unclaimed, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
            __atomic_sub_fetch(&idle, 1, __ATOMIC_RELAXED);
            return least;
        }
    }
    return NULL;
}

static trace_thread *new_context(void)
{
    trace_thread *t = (trace_thread *)mmap(NULL, sizeof *t, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (t == MAP_FAILED)
        return NULL;
    t->claimed = 1;
    trace_open_writer(&t->out, 0);
    t->next = __atomic_load_n(&newest, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&newest, &t->next, t, 1, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
        ;
    return t;
}

/* "main" or "thread 12", with blanks up to TRACE_NAME_SIZE. */
static void make_name(char *name, uint32_t number)
{
    char digits[12], *p = digits + sizeof digits;
    memset(name, ' ', TRACE_NAME_SIZE);
    name[TRACE_NAME_SIZE] = 0;
    if (number == 0) {
        memcpy(name, "main", 4);
        return;
    }
    for (; number; number /= 10)
        *--p = (char)('0' + number % 10);
    memcpy(name, "thread ", 7);
    memcpy(name + 7, p, (size_t)(digits + sizeof digits - p) % (TRACE_NAME_SIZE - 6));
}

static void create_container(trace_thread *t)
{
    const trace_process *p = &trace_the_process;
    const int is_forked = t->number == 0 && p->fork_time;
    const uint64_t time = is_forked ? p->fork_time : pajewrite_monotonic(NULL);
    char name[TRACE_NAME_SIZE + 1];
    if (!t->container.alias || !trace_page->slots) {
        t->container = pajewrite_new_container(&t->out.w);
        make_name(name, t->number);
        pajewrite_create_container_at(&t->out.w, time, t->container, PAJEWRITE_TYPE(TRACE_THREAD_TYPE), p->container,
                                      name);
    }
    pajewrite_track_init(&t->track, &t->out.w, t->container, PAJEWRITE_TYPE(TRACE_STATE_TYPE));
    if (is_forked && p->fork_key)
        pajewrite_end_link_at(&t->out.w, time, PAJEWRITE_ROOT, PAJEWRITE_TYPE(TRACE_FORK_TYPE),
                              PAJEWRITE_VALUE(TRACE_ONLY_VALUE), t->container, p->fork_key);
    t->depth = 0;
    pajewrite_track_push_state_at(&t->track, time, PAJEWRITE_VALUE(TRACE_RUNNING));
    t->frames[t->depth++] = NO_FRAME;
}

/* Sets the calling thread up; NULL: it cannot be recorded. */
static trace_thread *make(void)
{
    const int before = errno;
    trace_thread *t = NULL;
    if (is_closed)
        return NULL;
    is_closed = 1;
    BARRIER();
    if (trace_begin_process() && ((t = claim_idle()) || (t = new_context()))) {
        if (!t->container.alias || !trace_page->slots)
            t->number = __atomic_fetch_add(&trace_the_process.threads, 1, __ATOMIC_RELAXED);
        t->ends = 0;
        memcpy(t->name, trace_the_process.name, sizeof t->name);
        create_container(t);
        pthread_setspecific(key, t);
        self = t;
    }
    BARRIER();
    is_closed = 0;
    errno = before;
    return t;
}

/* Claims the context of the calling thread for a call; NULL: nothing can be recorded now. */
static trace_thread *enter(void)
{
    trace_thread *t = self;
    if (!t && !(t = make()))
        return NULL;
    if (t->busy) {
        __atomic_add_fetch(&trace_page->missed, 1, __ATOMIC_RELAXED);
        return NULL;
    }
    t->busy = 1;
    BARRIER();
    return t;
}

static void note_name(trace_thread *t)
{
    char name[sizeof t->name] = "";
    pajewrite_fields fields;
    pajewrite_event event;
    if (prctl(PR_GET_NAME, name) != 0 || strcmp(name, t->name) == 0)
        return;
    memcpy(t->name, name, sizeof name);
    fields = pajewrite_fields_of(trace_the_process.named);
    pajewrite_field_string(&fields, name);
    memset(&event, 0, sizeof event);
    event.kind = PAJEWRITE_NEW_EVENT;
    event.time = PAJEWRITE_TIME_NOW;
    event.container = t->container;
    event.type = PAJEWRITE_TYPE(TRACE_NAME_TYPE);
    event.value = PAJEWRITE_VALUE(TRACE_ONLY_VALUE);
    pajewrite_write(&t->out.w, &event, &fields);
}

void trace_name_thread(void)
{
    trace_thread *t = enter();
    if (t) {
        note_name(t);
        leave(t);
    }
}

void trace_end_thread(void)
{
    trace_thread *t = self;
    const int before = errno;
    if (!t || t->busy)
        return;
    is_closed = 2;
    self = NULL;
    BARRIER();
    note_name(t);
    pop_to(t, 0);
    if (!trace_page->slots)
        pajewrite_destroy_container(&t->out.w, t->container, PAJEWRITE_TYPE(TRACE_THREAD_TYPE));
    __atomic_store_n(&t->claimed, 0, __ATOMIC_RELEASE);
    __atomic_add_fetch(&idle, 1, __ATOMIC_RELEASE);
    errno = before;
}

/* The destructor of the key.  It is called again as long as it sets the key, four times at least: the last call ends
 * the thread, after what the destructors of other keys do. */
static void end_by_key(void *data)
{
    trace_thread *t = (trace_thread *)data;
    if (t != self)
        return;
    if (++t->ends < PTHREAD_DESTRUCTOR_ITERATIONS && pthread_setspecific(key, t) == 0)
        return;
    trace_end_thread();
}

int trace_begin_threads(void)
{
    return pthread_key_create(&key, end_by_key) == 0;
}

/* The contexts of the parent's threads stay as they are, in memory that the child does not use. */
void trace_forget_threads(void)
{
    self = newest = NULL;
    idle = is_closed = 0;
    pthread_setspecific(key, NULL);
}

/* ---- calls */

trace_scope trace_begin_at(trace_state state, const void *frame)
{
    const uintptr_t place = (uintptr_t)frame;
    trace_thread *t = enter();
    trace_scope scope = {t, 0};
    if (!t)
        return scope;
    pop_left(t, place);
    scope.depth = t->depth;
    push(t, state, place);
    leave(t);
    return scope;
}

/* Claims the context for the end of a scope; NULL: the scope is that of the process that forked, or the tracer was
 * interrupted. */
static trace_thread *enter_again(const trace_thread *of)
{
    trace_thread *t = self;
    if (!t || t != of || t->busy)
        return NULL;
    t->busy = 1;
    BARRIER();
    return t;
}

void trace_end_open(const trace_scope *scope)
{
    trace_thread *t = enter_again(scope->thread);
    if (!t)
        return;
    pop_to(t, scope->depth);
    leave(t);
}

void trace_end_open_bytes(const trace_scope *scope, int64_t bytes)
{
    trace_thread *t = enter_again(scope->thread);
    if (!t)
        return;
    pop_to(t, scope->depth + 1);
    if (t->depth > scope->depth) {
        pajewrite_event event;
        memset(&event, 0, sizeof event);
        event.kind = PAJEWRITE_POP_STATE;
        event.time = PAJEWRITE_TIME_NOW;
        event.container = t->container;
        event.type = PAJEWRITE_TYPE(TRACE_STATE_TYPE);
        pajewrite_write_ints(&t->out.w, &event, trace_the_process.ended_bytes, &bytes, 1);
        t->depth--;
    }
    leave(t);
}

/* Functions that are inlined have the same place on the stack as that which they are part of; a function is inlined
 * into itself a few times at most.  Where there are more, longjmp has left them. */
static void pop_repeated(trace_thread *t, uintptr_t function, uintptr_t place)
{
    uint32_t depth = t->depth < DEPTH ? t->depth : DEPTH, lowest = depth, times = 0;
    for (; depth > 1 && t->frames[depth - 1] == place; depth--)
        if (t->functions[depth - 1] == function) {
            lowest = depth - 1;
            times++;
        }
    if (times > 8)
        pop_to(t, lowest);
}

void trace_enter_function(uintptr_t function, const void *frame)
{
    trace_thread *t = enter();
    uint32_t value;
    if (!t)
        return;
    pop_left(t, (uintptr_t)frame);
    pop_repeated(t, function, (uintptr_t)frame);
    if (t->depth >= DEPTH) {
        t->skipped++;
    } else if ((value = trace_find_function(&t->out.w, function))) {
        push(t, value, (uintptr_t)frame);
        t->functions[t->depth - 1] = function;
        t->skipped = 0;
    }
    leave(t);
}

void trace_exit_function(uintptr_t function)
{
    trace_thread *t = enter();
    uint32_t depth;
    if (!t)
        return;
    if (t->skipped) {
        t->skipped--;
    } else {
        for (depth = t->depth < DEPTH ? t->depth : DEPTH; depth > 1; depth--)
            if (t->functions[depth - 1] == function) {
                pop_to(t, depth - 1);
                break;
            }
    }
    leave(t);
}

trace_scope trace_begin_named(const char *name)
{
    trace_thread *t = enter();
    trace_scope scope = {NULL, 0};
    const uint32_t value = t ? trace_find_name(&t->out.w, TRACE_NAMED_STATE, name) : 0;
    if (value) {
        scope.thread = t;
        scope.depth = t->depth;
        push(t, value, NO_FRAME);
    }
    if (t)
        leave(t);
    return scope;
}

/* The state at the bottom of the stack is the thread's. */
void trace_end_depth(uint32_t depth)
{
    trace_thread *t = enter_again(self);
    if (!t)
        return;
    pop_to(t, depth ? depth : 1);
    leave(t);
}

void trace_mark(const char *name)
{
    trace_thread *t = enter();
    const uint32_t value = t ? trace_find_name(&t->out.w, TRACE_NAMED_MARK, name) : 0;
    if (value)
        pajewrite_new_event(&t->out.w, t->container, PAJEWRITE_TYPE(TRACE_MARK_TYPE), PAJEWRITE_VALUE(value));
    if (t)
        leave(t);
}

void trace_set(const char *name, double value)
{
    trace_thread *t = enter();
    const uint32_t type = t ? trace_find_name(&t->out.w, TRACE_NAMED_VARIABLE, name) : 0;
    if (type)
        pajewrite_set_variable_double(&t->out.w, t->container, PAJEWRITE_TYPE(type), value);
    if (t)
        leave(t);
}

trace_origin trace_get_origin(void)
{
    trace_origin origin = {0, 0};
    trace_thread *t = enter();
    if (t) {
        origin.time = pajewrite_now(&t->out.w);
        origin.container = t->container.alias;
        leave(t);
    }
    return origin;
}

/* Both ends are written here, on the container of the process, so that none is missing. */
void trace_begin_thread(trace_origin origin)
{
    trace_thread *t = enter();
    if (!t)
        return;
    if (origin.container) {
        const uint64_t number = __atomic_add_fetch(&trace_page->keys, 1, __ATOMIC_RELAXED);
        const pajewrite_type type = PAJEWRITE_TYPE(TRACE_CREATION_TYPE);
        const pajewrite_container process = trace_the_process.container;
        const pajewrite_value value = PAJEWRITE_VALUE(TRACE_ONLY_VALUE);
        pajewrite_start_link_at(&t->out.w, origin.time, process, type, value, PAJEWRITE_CONTAINER(origin.container),
                                number);
        pajewrite_end_link(&t->out.w, process, type, value, t->container, number);
    }
    leave(t);
}

uint64_t trace_start_fork(void)
{
    trace_thread *t = enter();
    uint64_t number = 0;
    if (t) {
        number = __atomic_add_fetch(&trace_page->keys, 1, __ATOMIC_RELAXED);
        pajewrite_start_link(&t->out.w, PAJEWRITE_ROOT, PAJEWRITE_TYPE(TRACE_FORK_TYPE),
                             PAJEWRITE_VALUE(TRACE_ONLY_VALUE), t->container, number);
        leave(t);
    }
    return number;
}
