/* Threads: their contexts, their containers, their names. */
#include "thread.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>

__thread trace_thread *trace_self __attribute__((tls_model("initial-exec")));
/* 1: it is being set up; 2: it has ended. */
static __thread int is_closed __attribute__((tls_model("initial-exec")));
__thread const char *trace_next_name __attribute__((tls_model("initial-exec")));
static trace_thread *newest;
static int idle; /* how many are not claimed, at least */
static pthread_key_t key;

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
    trace_open_writer(&t->out, 0, &trace_page->containers);
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
    const uint64_t time = is_forked ? p->fork_time : trace_clock(&t->out.last);
    char name[TRACE_NAME_SIZE + 1];
    if (!t->container.alias || !trace_page->slots) {
        t->container = pajewrite_new_container(&t->out.w);
        make_name(name, t->number);
        t->has_own_name = trace_next_name && !trace_page->slots;
        pajewrite_create_container_at(&t->out.w, time, t->container, PAJEWRITE_TYPE(TRACE_THREAD_TYPE), p->container,
                                      t->has_own_name ? trace_next_name : name);
    }
    pajewrite_track_init(&t->track, &t->out.w, t->container, PAJEWRITE_TYPE(TRACE_STATE_TYPE));
    if (is_forked && p->fork_key)
        pajewrite_end_link_at(&t->out.w, time, PAJEWRITE_ROOT, PAJEWRITE_TYPE(TRACE_FORK_TYPE),
                              PAJEWRITE_VALUE(TRACE_ONLY_VALUE), t->container, p->fork_key);
    t->depth = 0;
    t->is_replaced = 0;
    pajewrite_track_push_state_at(&t->track, time, PAJEWRITE_VALUE(TRACE_RUNNING));
    t->calls[t->depth++].frame = TRACE_NO_FRAME;
}

trace_thread *trace_make_thread(void)
{
    const int before = errno;
    trace_thread *t = NULL;
    if (is_closed || trace_hidden == TRACE_HIDES_ALL)
        return NULL;
    is_closed = 1;
    TRACE_BARRIER();
    if (trace_begin_process() && ((t = claim_idle()) || (t = new_context()))) {
        if (!t->container.alias || !trace_page->slots)
            t->number = __atomic_fetch_add(&trace_the_process.threads, 1, __ATOMIC_RELAXED);
        t->ends = 0;
        memcpy(t->name, trace_the_process.name, sizeof t->name);
        create_container(t);
        pthread_setspecific(key, t);
        trace_self = t;
        if (trace_page->sampler)
            trace_begin_samples(t);
        if (trace_page->counters)
            trace_begin_counters(t);
    }
    TRACE_BARRIER();
    is_closed = 0;
    errno = before;
    return t;
}

static void write_name(trace_thread *t, const char *name)
{
    pajewrite_fields fields;
    pajewrite_event event;
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

static void note_name(trace_thread *t)
{
    char name[sizeof t->name] = "";
    if (t->has_own_name || prctl(PR_GET_NAME, name) != 0 || strcmp(name, t->name) == 0)
        return;
    memcpy(t->name, name, sizeof name);
    write_name(t, name);
}

void trace_name_thread_as(const char *name)
{
    trace_thread *t = trace_page && trace_page->slots ? NULL : trace_enter();
    if (t) {
        t->has_own_name = 1;
        write_name(t, name);
        trace_leave(t);
    }
}

void trace_name_thread(void)
{
    trace_thread *t = trace_enter();
    if (t) {
        note_name(t);
        trace_leave(t);
    }
}

/* Ends all states, the one at the bottom at the same time as the thread.  Returns that. */
static uint64_t end_states(trace_thread *t)
{
    uint64_t now;
    if (t->counters)
        trace_pop_to(t, 0); /* each with its counters */
    now = pajewrite_now(&t->out.w);
    if (t->is_replaced)
        t->depth--;
    t->is_replaced = 0;
    for (; t->depth; t->depth--)
        pajewrite_track_pop_state_at(&t->track, now);
    return now;
}

void trace_end_thread(void)
{
    trace_thread *t = trace_self;
    const int before = errno;
    uint64_t now;
    if (!t || t->busy || trace_is_over())
        return;
    is_closed = 2;
    trace_self = NULL;
    TRACE_BARRIER();
    trace_end_samples(t);
    note_name(t);
    trace_write_heap(t);
    now = end_states(t);
    trace_end_counters(t);
    if (!trace_page->slots)
        pajewrite_destroy_container_at(&t->out.w, now, t->container, PAJEWRITE_TYPE(TRACE_THREAD_TYPE));
    __atomic_store_n(&t->claimed, 0, __ATOMIC_RELEASE);
    __atomic_add_fetch(&idle, 1, __ATOMIC_RELEASE);
    errno = before;
}

void trace_leave_thread(void)
{
    trace_end_thread();
    is_closed = 0;
}

/* The destructor of the key.  It is called again as long as it sets the key, four times at least: the last call ends
 * the thread, after what the destructors of other keys do. */
static void end_by_key(void *data)
{
    trace_thread *t = (trace_thread *)data;
    if (t != trace_self)
        return;
    if (++t->ends < PTHREAD_DESTRUCTOR_ITERATIONS && pthread_setspecific(key, t) == 0)
        return;
    trace_end_thread();
}

int trace_begin_threads(void)
{
    return pthread_key_create(&key, end_by_key) == 0;
}

/* ---- lanes */

static void define_lanes(pajewrite *w, const trace_lane *lane)
{
    const pajewrite_type type = PAJEWRITE_TYPE(TRACE_LANE_TYPE), state = PAJEWRITE_TYPE(TRACE_LANE_STATE_TYPE);
    pajewrite_define_container_type(w, type, PAJEWRITE_TYPE(TRACE_PROCESS_TYPE), lane->type);
    pajewrite_define_state_type(w, state, type, lane->state_type);
    pajewrite_define_value(w, PAJEWRITE_VALUE(TRACE_ONLY_VALUE), state, lane->state, lane->color);
}

/* A lane has a context that no thread claims. */
static trace_thread *find_lane(trace_lane *lane)
{
    trace_thread *t = lane->context;
    if (trace_is_over() || !trace_begin_process())
        return NULL;
    if (t && lane->process == trace_the_process.index)
        return t;
    t = new_context();
    if (!t)
        return NULL;
    if (!__atomic_exchange_n(&trace_the_process.has_lanes, 1, __ATOMIC_RELAXED))
        define_lanes(&t->out.w, lane);
    t->container = pajewrite_new_container(&t->out.w);
    pajewrite_create_container(&t->out.w, t->container, PAJEWRITE_TYPE(TRACE_LANE_TYPE), trace_the_process.container,
                               lane->name);
    lane->context = t;
    lane->process = trace_the_process.index;
    lane->depth = 0;
    return t;
}

void trace_begin_lane(trace_lane *lane)
{
    trace_thread *t = find_lane(lane);
    if (!t)
        return;
    pajewrite_push_state(&t->out.w, t->container, PAJEWRITE_TYPE(TRACE_LANE_STATE_TYPE),
                         PAJEWRITE_VALUE(TRACE_ONLY_VALUE));
    lane->depth++;
}

void trace_end_lane(trace_lane *lane)
{
    trace_thread *t = lane->depth ? find_lane(lane) : NULL;
    if (!t || !lane->depth)
        return;
    pajewrite_pop_state(&t->out.w, t->container, PAJEWRITE_TYPE(TRACE_LANE_STATE_TYPE));
    lane->depth--;
}

void trace_set_variables(trace_variables *it, const int64_t *values)
{
    uint32_t i;
    if (trace_is_over() || !trace_begin_process())
        return;
    if (!it->context || it->process != trace_the_process.index) {
        it->context = new_context();
        it->process = trace_the_process.index;
        for (i = 0; it->context && i < it->count; i++)
            pajewrite_define_variable_type(&it->context->out.w, PAJEWRITE_TYPE(TRACE_VARIABLE_TYPE + i),
                                           PAJEWRITE_TYPE(TRACE_PROCESS_TYPE), it->names[i], NULL);
    }
    for (i = 0; it->context && i < it->count; i++)
        if (values[i] != TRACE_NO_VALUE)
            pajewrite_set_variable(&it->context->out.w, trace_the_process.container,
                                   PAJEWRITE_TYPE(TRACE_VARIABLE_TYPE + i), values[i]);
}

/* ---- blocks */

static int is_in(const pajewrite_block *block, const void *address)
{
    const char *start = block->window;
    return start && (const char *)address >= start && (const char *)address < start + block->size;
}

pajewrite_block *trace_find_block(const void *address)
{
    trace_thread *t = __atomic_load_n(&newest, __ATOMIC_ACQUIRE);
    for (; t; t = t->next)
        if (is_in(&t->out.block, address))
            return &t->out.block;
        else if (is_in(&t->samples.block, address))
            return &t->samples.block;
    return is_in(&trace_the_process.head.block, address) ? &trace_the_process.head.block : NULL;
}

/* ---- left out, forked */

/* Other threads may go on: they lose what they add meanwhile. */
void trace_sum_left_out(void)
{
    trace_thread *t = __atomic_load_n(&newest, __ATOMIC_ACQUIRE);
    for (; t; t = t->next) {
        __atomic_add_fetch(&trace_page->calls_left_out, t->left_out, __ATOMIC_RELAXED);
        t->left_out = 0;
    }
}

/* The contexts of the parent's threads stay as they are, in memory that the child does not use. */
void trace_forget_threads(void)
{
    if (trace_self)
        trace_the_process.heap += trace_self->heap;
    trace_self = newest = NULL;
    idle = is_closed = 0;
    pthread_setspecific(key, NULL);
}
