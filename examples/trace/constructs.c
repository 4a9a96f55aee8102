/* Constructs: states that are named by what they are and by their place in the program; links between those. */
#include "thread.h"

/* Finds a value that the thread has not used lately. */
static __attribute__((noinline)) uint32_t find_other_value(trace_thread *t, const trace_construct *kind,
                                                           const void *code, trace_known_value *known)
{
    const uint32_t unloads = __atomic_load_n(&trace_unloads, __ATOMIC_ACQUIRE);
    const trace_function *place = trace_find_function(&t->out.w, (uintptr_t)code, kind);
    trace_known_value *it = &known[t->way++ % TRACE_WAYS];
    it->key = trace_function_key((uintptr_t)code, kind);
    it->unloads = unloads;
    it->value = place ? trace_function_value(&t->out.w, place, kind) : (uint32_t)TRACE_RUNNING;
    return it->value;
}

/* Returns the value of a construct's state; that of running if there are too many of them.  A thread keeps those that
 * it has used last, as the table of all is in none of the processor's caches when a program computes in between. */
static inline uint32_t find_value(trace_thread *t, const trace_construct *kind, const void *code)
{
    const uint64_t key = trace_function_key((uintptr_t)code, kind);
    const uint32_t unloads = __atomic_load_n(&trace_unloads, __ATOMIC_ACQUIRE);
    trace_known_value *known = t->values[(uintptr_t)code * UINT64_C(0x9e3779b97f4a7c15) >> (64 - TRACE_VALUE_BITS)];
    uint32_t way;
    for (way = 0; way < TRACE_WAYS; way++)
        if (known[way].key == key && known[way].unloads == unloads)
            return known[way].value;
    return find_other_value(t, kind, code, known);
}

/* Returns the time of an event: a time in the past only where it is known that nothing came after it.  Another thread
 * may have read that before this one's last. */
static uint64_t time_of(trace_thread *t, uint64_t time)
{
    if (!time || t->counters || (uint32_t)t->out.w.records != t->lines)
        return pajewrite_now(&t->out.w);
    if (time > t->out.last)
        t->out.last = time;
    return t->out.last;
}

static void pop_at(trace_thread *t, uint32_t depth, uint64_t time)
{
    if (t->counters)
        trace_pop_to(t, depth);
    if (depth < 2 && (t->is_replaced || (depth == 1 && t->depth > 2))) /* if several end, one line ends all of them */
        trace_pop_replaced(t, time);
    for (; t->depth > depth; t->depth--)
        pajewrite_track_pop_state_at(&t->track, time);
}

static void push_at(trace_thread *t, const trace_construct *kind, const void *code, uint64_t time)
{
    pajewrite_track_push_state_at(&t->track, time, PAJEWRITE_VALUE(find_value(t, kind, code)));
    trace_note_state(t, TRACE_NO_FRAME);
    t->lines = (uint32_t)t->out.w.records;
}

trace_scope trace_begin_construct(const trace_construct *kind, const void *code, uint64_t time)
{
    trace_thread *t = trace_enter();
    trace_scope scope = {t, 0};
    if (!t)
        return scope;
    scope.depth = t->depth;
    push_at(t, kind, code, time_of(t, time));
    trace_leave(t);
    return scope;
}

void trace_end_construct(const trace_scope *scope, uint64_t time)
{
    trace_thread *t = trace_enter_again(scope->thread);
    if (!t)
        return;
    pop_at(t, scope->depth, time_of(t, time));
    t->lines = (uint32_t)t->out.w.records;
    trace_leave(t);
}

/* Claims the context of another thread, which is at rest. */
static trace_thread *enter_other(trace_thread *t)
{
    if (t == trace_self)
        return trace_enter_again(t);
    if (!t || !trace_self || t->busy || trace_is_over())
        return NULL;
    t->busy = 1;
    TRACE_BARRIER();
    return t;
}

/* Puts a state in the place of `running` and of what is open within. */
static void replace_at(trace_thread *t, const trace_construct *kind, const void *code, uint64_t time)
{
    pajewrite_track_set_state_at(&t->track, time, PAJEWRITE_VALUE(find_value(t, kind, code)));
    t->depth = 1;
    trace_note_state(t, TRACE_NO_FRAME);
    t->is_replaced = 1;
    t->lines = (uint32_t)t->out.w.records;
}

trace_scope trace_replace_construct(const trace_scope *before, const trace_construct *kind, const void *code,
                                    uint64_t time)
{
    trace_thread *t = before->depth == 1 ? enter_other(before->thread) : NULL;
    const int has_counters = t && t->counters;
    if (t && !has_counters)
        replace_at(t, kind, code, time_of(t, time));
    if (t)
        trace_leave(t);
    return t && !has_counters ? *before : trace_next_construct(before, kind, code, time);
}

trace_scope trace_next_construct(const trace_scope *before, const trace_construct *kind, const void *code,
                                 uint64_t time)
{
    trace_thread *t = enter_other(before->thread);
    trace_scope scope = {t, before->depth};
    if (!t)
        return scope;
    time = time_of(t, time);
    pop_at(t, before->depth, time);
    scope.depth = t->depth;
    push_at(t, kind, code, time);
    trace_leave(t);
    return scope;
}

/* ---- links */

static void define_link(pajewrite *w, trace_link link, pajewrite_type type)
{
    static const char *const names[] = {"Task created", "Dependence"}, *const values[] = {"create task", "depend"};
    static const char *const colors[] = {"0.2 0.5 0.9", "0.8 0.3 0.1"};
    const pajewrite_type thread = PAJEWRITE_TYPE(TRACE_THREAD_TYPE);
    if (__atomic_exchange_n(&trace_the_process.has_links[link], 1, __ATOMIC_RELAXED))
        return;
    pajewrite_define_link_type(w, type, PAJEWRITE_TYPE(TRACE_PROCESS_TYPE), thread, thread, names[link]);
    pajewrite_define_value(w, PAJEWRITE_VALUE(TRACE_ONLY_VALUE), type, values[link], colors[link]);
}

/* Both ends are written here, so that none is missing. */
void trace_write_link(trace_link link, const trace_origin *from)
{
    const pajewrite_type type = PAJEWRITE_TYPE(link == TRACE_TASK_LINK ? TRACE_TASK_TYPE : TRACE_DEPENDENCE_TYPE);
    const pajewrite_value value = PAJEWRITE_VALUE(TRACE_ONLY_VALUE);
    const pajewrite_container process = trace_the_process.container;
    trace_thread *t = from->container ? trace_enter() : NULL;
    uint64_t number;
    if (!t)
        return;
    if (!__atomic_load_n(&trace_the_process.has_links[link], __ATOMIC_RELAXED))
        define_link(&t->out.w, link, type);
    number = __atomic_add_fetch(&trace_page->keys, 1, __ATOMIC_RELAXED);
    pajewrite_start_link_at(&t->out.w, from->time, process, type, value, PAJEWRITE_CONTAINER(from->container), number);
    trace_order_clock();
    pajewrite_end_link(&t->out.w, process, type, value, t->container, number);
    trace_leave(t);
}
