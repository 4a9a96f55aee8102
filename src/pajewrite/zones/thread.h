/* The contexts of threads, from the first use in a thread to its end; names of places. */
#pragma once

#include "open.h"
#include "../calls/fast.h"
#include "../calls/any.h"

#if PAJEWRITE_ZONES
/* Writes the lines of a thread that are not in the file yet.  The lock is held. */
PAJEWRITE__UNTRACED
static pajewrite_status pajewrite__save_thread(pajewrite__process *p, pajewrite__thread *thread)
{
    const size_t size = (size_t)(thread->w.next - thread->w.buffer);
    const pajewrite_status status =
        size > thread->saved ? pajewrite__append(p, thread->w.buffer + thread->saved, size - thread->saved)
                             : PAJEWRITE_OK;
    thread->saved = size;
    return status;
}

/* Also without the lock. */
PAJEWRITE__UNTRACED
static void pajewrite__count_dropped(pajewrite__process *p, uint32_t count)
{
    (void)__atomic_fetch_add(&p->dropped, count, __ATOMIC_RELAXED);
}

/* Ends the container of a thread that has jumped out of a call, or ended within one: what its context would write may
 * be dropped, and its count of open states may be off.  So the next thread sets it up again.  The lock is held. */
PAJEWRITE__UNTRACED
static void pajewrite__give_up_context(pajewrite__process *p, pajewrite__thread *thread)
{
    pajewrite_flush(&p->w); /* what the lines use */
    if (!thread->w.stopped && !p->w.stopped)
        pajewrite__save_thread(p, thread);
    pajewrite_destroy_container(&p->w, thread->container, PAJEWRITE_TYPE(PAJEWRITE__THREAD_TYPE));
    pajewrite__count_dropped(p, (uint32_t)pajewrite_count(&thread->w).dropped + thread->dropped);
    thread->trace = 0;
}

/* Hands a context on to the next thread. */
PAJEWRITE__UNTRACED
static void pajewrite__hand_on(pajewrite__process *p, pajewrite__thread *thread)
{
    thread->next_idle = p->idle;
    p->idle = thread;
}

/* Ends what a thread has left open, and hands its context on. */
PAJEWRITE__UNTRACED
static void pajewrite__end_thread(void *data)
{
    pajewrite__process *p = &pajewrite__the_process;
    pajewrite__thread *thread = (pajewrite__thread *)data;
    const pajewrite__blocked before = pajewrite__block();
    const int place = pajewrite__note_inside(p);
    const int is_within = __atomic_exchange_n(&thread->busy, 1, __ATOMIC_SEQ_CST) || pajewrite__is_busy(&thread->w);
    if (!is_within && thread->trace == __atomic_load_n(&p->trace, __ATOMIC_RELAXED)) {
        for (; thread->depth; thread->depth--)
            pajewrite__fast_state(&thread->w, PAJEWRITE_POP_STATE, 1, 0, thread->container,
                                  PAJEWRITE_TYPE(PAJEWRITE__ZONE_TYPE), PAJEWRITE_VALUE(0));
        pajewrite_flush(&thread->w);
    }
    __atomic_store_n(&thread->busy, 0, __ATOMIC_RELEASE);
    pajewrite__lock(&before);
    if (is_within && thread->trace == p->open_trace)
        pajewrite__give_up_context(p, thread);
    pajewrite_disable(&thread->w, p->disabled); /* what this thread enabled or disabled is not for the next one */
    pajewrite_enable(&thread->w, ~p->disabled);
    pajewrite__hand_on(p, thread);
    pajewrite__unlock();
    pajewrite__forget_inside(p, place);
    pajewrite__unblock(&before);
}

/* Returns the context of a thread that a child of fork does not have; NULL: none is left.  The child changes none
 * before it needs that: the system would copy a page of each. */
PAJEWRITE__UNTRACED
static pajewrite__thread *pajewrite__take_inherited(pajewrite__process *p)
{
    pajewrite__thread *thread = p->inherited;
    if (thread && thread == p->forked)
        thread = thread->next;
    p->inherited = thread ? thread->next : NULL;
    if (thread)
        thread->busy = thread->trace = 0;
    return thread;
}

/* Returns an unused context for a thread; NULL: there is no memory. */
PAJEWRITE__UNTRACED
static pajewrite__thread *pajewrite__new_thread(pajewrite__process *p)
{
    pajewrite__thread *thread = p->idle;
    if (thread) {
        p->idle = thread->next_idle;
        return thread;
    }
    thread = pajewrite__take_inherited(p);
    if (thread)
        return thread;
    thread = (pajewrite__thread *)pajewrite__get_memory(NULL, sizeof *thread);
    if (!thread)
        return NULL;
    thread->number = ++p->threads;
    thread->next = p->newest;
    __atomic_store_n(&p->newest, thread, __ATOMIC_RELEASE);
    return thread;
}

/* Sets up the context for the trace that is open.  Returns 0 if no alias is left for its container. */
PAJEWRITE__UNTRACED
static int pajewrite__set_up_thread(pajewrite__process *p, pajewrite__thread *thread)
{
    static const pajewrite_config defaults = PAJEWRITE_CONFIG;
    pajewrite_config config = defaults;
    const uint32_t alias = pajewrite__take_alias(&p->w, PAJEWRITE__CONTAINERS, UINT32_MAX);
    char name[32] = "thread ";
    if (!alias)
        return 0;
    config.sink = pajewrite__append_of_thread;
    config.sink_data = thread;
    config.clock = pajewrite_monotonic;
    config.origin = p->origin;
    config.disabled = p->disabled;
    config.aliases = &p->last_alias;
    pajewrite_init(&thread->w, thread->buffer, PAJEWRITE_ZONES_BUFFER, &config);
    thread->depth = thread->links = thread->dropped = 0;
    thread->saved = 0;
    thread->container = PAJEWRITE_CONTAINER(alias);
    *pajewrite__put_u32(name + 7, thread->number) = 0;
    pajewrite_create_container(&p->w, thread->container, PAJEWRITE_TYPE(PAJEWRITE__THREAD_TYPE),
                               PAJEWRITE_CONTAINER(PAJEWRITE__PROCESS_CONTAINER), name);
    __atomic_store_n(&thread->trace, p->open_trace, __ATOMIC_RELAXED);
    return 1;
}

/* Returns the context of the calling thread, which has none for this trace yet; NULL: nothing is traced. */
PAJEWRITE__UNTRACED
static pajewrite__thread *pajewrite__attach_thread(void)
{
    pajewrite__process *p = &pajewrite__the_process;
    const pajewrite__blocked before = pajewrite__block();
    const int place = pajewrite__note_inside(p);
    pajewrite__thread *thread = NULL, *own = NULL;
    if (place < 0) {
        pajewrite__count_dropped(p, 1);
        pajewrite__unblock(&before);
        return NULL;
    }
    pajewrite__lock(&before);
    if (p->waiting) {
        pajewrite__open_trace(p);
        p->waiting = 0; /* last: another thread may fork meanwhile, and its child is to trace, too */
    }
    if (p->trace) {
        own = (pajewrite__thread *)pthread_getspecific(p->key);
        thread = own ? own : pajewrite__new_thread(p);
        if (thread)
            __atomic_store_n(&thread->busy, 1, __ATOMIC_RELAXED); /* to what has zones, up to the end */
        if (!own && thread && pthread_setspecific(p->key, thread)) {
            thread->busy = 0;
            pajewrite__hand_on(p, thread);
            thread = NULL;
        }
        own = thread;
        if (thread && thread->trace != p->trace && !pajewrite__set_up_thread(p, thread))
            thread = NULL;
        if (!thread)
            pajewrite__count_dropped(p, 1);
    }
    pajewrite__unlock();
    if (own)
        __atomic_store_n(&own->busy, 0, __ATOMIC_RELEASE);
    pajewrite__forget_inside(p, place);
    pajewrite__unblock(&before);
    return thread;
}

/* Finds a name among those that are defined for a type, which has either values or variables; they are kept as alias,
 * type and text.  Returns its alias, or 0. */
PAJEWRITE__UNTRACED
static uint32_t pajewrite__find_name(const pajewrite__process *p, uint32_t of, const char *name)
{
    const char *names = p->memory + PAJEWRITE__DEFINITIONS_SIZE;
    size_t at = 0;
    while (at < p->names_size) {
        uint32_t known[2];
        memcpy(known, names + at, sizeof known);
        at += sizeof known;
        if (known[1] == of && strcmp(names + at, name) == 0)
            return known[0];
        at += strlen(names + at) + 1;
    }
    return 0;
}

/* Keeps a name while there is memory.  Later ones are defined at each of their places. */
PAJEWRITE__UNTRACED
static void pajewrite__keep_name(pajewrite__process *p, uint32_t alias, uint32_t of, const char *name)
{
    char *names = p->memory + PAJEWRITE__DEFINITIONS_SIZE;
    uint32_t known[2];
    size_t size = strlen(name) + 1;
    if (size + sizeof known > PAJEWRITE__NAMES_SIZE - p->names_size)
        return;
    known[0] = alias;
    known[1] = of;
    memcpy(names + p->names_size, known, sizeof known);
    memcpy(names + p->names_size + sizeof known, name, size);
    p->names_size += sizeof known + size;
}

/* Returns a colour that depends on the name only, so that all traces of a program have the same ones. */
PAJEWRITE__UNTRACED
static const char *pajewrite__color_of(const char *name)
{
    static const char *const colors[] = {"1f77b4", "ff7f0e", "2ca02c", "d62728", "9467bd", "8c564b",
                                         "e377c2", "7f7f7f", "bcbd22", "17becf", "aec7e8", "98df8a"};
    uint32_t hash = 2166136261u;
    for (; *name; name++)
        hash = (hash ^ (unsigned char)*name) * 16777619u;
    return colors[(hash >> 16) % (sizeof colors / sizeof *colors)];
}

/* Returns the text of a name; with a _ in front if it is a number, which could be the alias of another value.  `text`
 * has room for that. */
PAJEWRITE__UNTRACED
static const char *pajewrite__text_of_name(const char *name, char *text)
{
    uint64_t number;
    if (!pajewrite__is_number(name, &number))
        return name;
    text[0] = '_';
    *pajewrite__put_string(text + 1, name) = 0;
    return text;
}

/* Defines the name of a place, at its first use in this trace: a variable type of containers of type `of`, or a value
 * of type `of`.  Returns its alias; 0: the trace has ended, or none is left. */
PAJEWRITE__UNTRACED
static uint32_t pajewrite__define_place(pajewrite_place *place, pajewrite_kind kind, uint32_t of)
{
    pajewrite__process *p = &pajewrite__the_process;
    const pajewrite__blocked before = pajewrite__block();
    uint32_t alias = 0;
    char text[24];
    pajewrite__lock(&before);
    if (p->open_trace && p->trace) {
        alias = place->alias >= p->first_alias ? place->alias : pajewrite__find_name(p, of, place->name);
        if (!alias) {
            const uint64_t refused = p->w.refused;
            const int is_value = kind == PAJEWRITE_DEFINE_VALUE;
            alias = is_value ? pajewrite__take_alias(&p->w, PAJEWRITE__VALUES, UINT32_MAX) :
                pajewrite__take_alias(&p->w, PAJEWRITE__TYPES, PAJEWRITE_TYPE_MAX);
            if (alias && is_value)
                pajewrite_define_value(&p->w, PAJEWRITE_VALUE(alias), PAJEWRITE_TYPE(of),
                                       pajewrite__text_of_name(place->name, text),
                                       pajewrite__color_of(place->name));
            else if (alias)
                pajewrite_define_variable_type(&p->w, PAJEWRITE_TYPE(alias), PAJEWRITE_TYPE(of),
                                               pajewrite__text_of_name(place->name, text),
                                               pajewrite__color_of(place->name));
            if (p->w.refused == refused)
                pajewrite__keep_name(p, alias, of, place->name);
            else /* no alias is left, or the name is longer than the buffer */
                alias = 0;
        }
        __atomic_store_n(&place->alias, alias, __ATOMIC_RELEASE);
    }
    pajewrite__unlock();
    pajewrite__unblock(&before);
    return alias;
}
#endif
