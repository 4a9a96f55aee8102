/* The calls of zones. */
#pragma once

#include "end.h"
#include "thread.h"

#if PAJEWRITE_ZONES
#ifdef __cplusplus
extern "C" {
#endif
/* `used`: link-time optimization does not see that the assembler refers to it. */
__attribute__((used)) pajewrite__process PAJEWRITE__PROCESS_NAME = {
    PAJEWRITE__LAYOUT, 0, UINT32_MAX, 0,
    pajewrite__begin_trace, pajewrite__end_trace, pajewrite__attach_thread, pajewrite__define_place,
    0, PTHREAD_MUTEX_INITIALIZER, 0, 0, 0, 0, 0, 0, 0, -1, 0, 0, 0, 0, 0, 0, NULL, NULL, NULL, NULL, PAJEWRITE__ZERO,
    NULL, 0, PTHREAD_MUTEX_INITIALIZER, 0, 0, NULL, 0, 0, 0, {0}, ""
};
#ifdef __cplusplus
}
#endif

/* Whether the library that has the variable was compiled with the same version and options. */
PAJEWRITE__COLD int pajewrite__agrees(void)
{
    static uint32_t told;
    if (pajewrite__the_process.layout == PAJEWRITE__LAYOUT)
        return 1;
    if (!__atomic_exchange_n(&told, 1, __ATOMIC_RELAXED))
        pajewrite__complain("a library of this process", " has pajewrite.h of another version or with other options");
    return 0;
}

/* Begins a call with the context of this thread, which is not busy.  Returns 0 if the trace is over for which it is set
 * up. */
PAJEWRITE__INLINE int pajewrite__claim_thread(pajewrite__thread *thread)
{
    __atomic_store_n(&thread->busy, 1, __ATOMIC_RELAXED);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (PAJEWRITE__LIKELY(thread->trace == __atomic_load_n(&pajewrite__the_process.trace, __ATOMIC_RELAXED)))
        return 1;
    __atomic_store_n(&thread->busy, 0, __ATOMIC_RELEASE);
    return 0;
}

PAJEWRITE__INLINE void pajewrite__release(pajewrite__thread *thread)
{
    __atomic_store_n(&thread->busy, 0, __ATOMIC_RELEASE);
}

/* Returns the context of the calling thread for one call, which ends with pajewrite__release; NULL: nothing can be
 * written now.  The context is set up if it is not yet. */
PAJEWRITE__COLD pajewrite__thread *pajewrite__claim_slowly(void)
{
    pajewrite__process *p = &pajewrite__the_process;
    pajewrite__thread *thread;
    if (p->layout != PAJEWRITE__LAYOUT ||
        (!__atomic_load_n(&p->trace, __ATOMIC_ACQUIRE) && !__atomic_load_n(&p->waiting, __ATOMIC_RELAXED)))
        return NULL;
    thread = (pajewrite__thread *)pthread_getspecific(p->key);
    if (thread && thread->busy) { /* this is a signal handler */
        thread->dropped++;
        return NULL;
    }
    if (!thread || thread->trace != __atomic_load_n(&p->trace, __ATOMIC_RELAXED))
        thread = p->attach();
    return thread && pajewrite__claim_thread(thread) ? thread : NULL;
}

/* After claiming slowly the trace may be another one than that for which the place is defined. */
PAJEWRITE__COLD pajewrite__thread *pajewrite__claim_again(uint32_t alias)
{
    pajewrite__thread *thread = pajewrite__claim_slowly();
    if (!thread || alias >= __atomic_load_n(&pajewrite__the_process.first_alias, __ATOMIC_RELAXED))
        return thread;
    pajewrite__release(thread);
    return NULL;
}

/* For a place that is defined, and has this alias. */
PAJEWRITE__INLINE pajewrite__thread *pajewrite__claim(uint32_t alias)
{
    pajewrite__thread *thread = (pajewrite__thread *)pthread_getspecific(pajewrite__the_process.key);
    if (PAJEWRITE__UNLIKELY(!thread || thread->busy || !pajewrite__claim_thread(thread)))
        return pajewrite__claim_again(alias);
    return thread;
}

/* Whether the place is defined in the trace that is being written. */
PAJEWRITE__INLINE uint32_t pajewrite__is_defined(uint32_t alias)
{
    return PAJEWRITE__LIKELY(alias >= __atomic_load_n(&pajewrite__the_process.first_alias, __ATOMIC_RELAXED)) != 0;
}

/* Returns the alias of a place after its definition; 0: nothing is traced, or this is a signal handler in the midst of
 * another call. */
PAJEWRITE__COLD uint32_t pajewrite__define_slowly(pajewrite_place *place, pajewrite_kind kind, uint32_t of)
{
    pajewrite__thread *thread = pajewrite__claim_slowly();
    uint32_t alias = 0;
    if (!thread)
        return 0;
    if (pajewrite__is_enabled(&thread->w, pajewrite__type_in(place->category, 0)))
        alias = pajewrite__the_process.define(place, kind, of);
    pajewrite__release(thread);
    return alias;
}

/* Returns the alias of a place, which is defined at its first use; 0: nothing is to be written. */
PAJEWRITE__INLINE uint32_t pajewrite__alias_of(pajewrite_place *place, pajewrite_kind kind, uint32_t of)
{
    uint32_t alias = __atomic_load_n(&place->alias, __ATOMIC_ACQUIRE);
    return pajewrite__is_defined(alias) ? alias : pajewrite__define_slowly(place, kind, of);
}

PAJEWRITE__INLINE uint64_t pajewrite__clock_of(const pajewrite__thread *thread)
{
    return thread->w.clock(thread->w.clock_data);
}

PAJEWRITE__API pajewrite_status pajewrite_begin(const char *path)
{
    return pajewrite__agrees() ? pajewrite__the_process.begin(path) : PAJEWRITE_E_MISUSE;
}

PAJEWRITE__API pajewrite_status pajewrite_end(void)
{
    return pajewrite__agrees() ? pajewrite__the_process.end(0) : PAJEWRITE_E_MISUSE;
}

PAJEWRITE__API pajewrite *pajewrite_here(void)
{
    static pajewrite off; /* writes nothing */
    pajewrite__thread *thread = pajewrite__claim_slowly();
    if (!thread)
        return &off;
    pajewrite__release(thread);
    return &thread->w;
}

PAJEWRITE__API pajewrite_container pajewrite_here_container(void)
{
    pajewrite__thread *thread = pajewrite__claim_slowly();
    if (!thread)
        return PAJEWRITE_ROOT;
    pajewrite__release(thread);
    return thread->container;
}

enum { PAJEWRITE__ENTERED = 0x5a6f6e65 }; /* zone->check, if its depth is 0 */

PAJEWRITE__API pajewrite__zone pajewrite__enter_zone(pajewrite_place *place)
{
    pajewrite__zone zone = {NULL, 0, 0};
    uint32_t alias = pajewrite__alias_of(place, PAJEWRITE_DEFINE_VALUE, PAJEWRITE__ZONE_TYPE);
    pajewrite__thread *thread = PAJEWRITE__LIKELY(alias) ? pajewrite__claim(alias) : NULL;
    pajewrite_type type = pajewrite__type_in(place->category, PAJEWRITE__ZONE_TYPE);
    if (!thread)
        return zone;
    if (pajewrite__is_enabled(&thread->w, type)) {
        pajewrite__fast_state(&thread->w, PAJEWRITE_PUSH_STATE, 0, pajewrite__clock_of(thread), thread->container, type,
                              PAJEWRITE_VALUE(alias));
        zone.thread = thread;
        zone.depth = thread->depth++;
        zone.check = zone.depth ^ PAJEWRITE__ENTERED;
    }
    pajewrite__release(thread);
    return zone;
}

/* Pops the zone, and those within it that were left by longjmp.  One of an earlier trace, or of the process that
 * forked, is no longer there.  One that a coroutine has entered in another thread stays open there, as only that thread
 * may use its context.  In C, one that goto has jumped over is left, too, at the end of its block: its memory holds
 * anything, often an earlier zone, which is therefore cleared. */
PAJEWRITE__API void pajewrite__leave_zone(pajewrite__zone *zone)
{
    pajewrite__thread *thread = (pajewrite__thread *)zone->thread;
    const int was_entered = zone->check == (zone->depth ^ PAJEWRITE__ENTERED);
    *(volatile uint32_t *)&zone->check = ~(zone->depth ^ PAJEWRITE__ENTERED);
    if (!was_entered || thread != pthread_getspecific(pajewrite__the_process.key) || thread->busy ||
        !pajewrite__claim_thread(thread))
        return;
    for (; thread->depth > zone->depth; thread->depth--)
        pajewrite__fast_state(&thread->w, PAJEWRITE_POP_STATE, 0, pajewrite__clock_of(thread), thread->container,
                              PAJEWRITE_TYPE(PAJEWRITE__ZONE_TYPE), PAJEWRITE_VALUE(0));
    pajewrite__release(thread);
}

PAJEWRITE__API void pajewrite__mark(pajewrite_place *place)
{
    uint32_t alias = pajewrite__alias_of(place, PAJEWRITE_DEFINE_VALUE, PAJEWRITE__MARK_TYPE);
    pajewrite__thread *thread = alias ? pajewrite__claim(alias) : NULL;
    pajewrite_type type = pajewrite__type_in(place->category, PAJEWRITE__MARK_TYPE);
    if (!thread)
        return;
    if (pajewrite__is_enabled(&thread->w, type))
        pajewrite__fast_state(&thread->w, PAJEWRITE_NEW_EVENT, 0, pajewrite__clock_of(thread), thread->container, type,
                              PAJEWRITE_VALUE(alias));
    pajewrite__release(thread);
}

/* Sets a variable.  A number that is an integer is written as one, which is faster. */
PAJEWRITE__UNTRACED
static void pajewrite__set_plot(pajewrite *w, pajewrite_container container, uint32_t type, double number)
{
    if (number > -9007199254740992.0 && number < 9007199254740992.0 && (double)(int64_t)number == number)
        pajewrite__fast_variable(w, PAJEWRITE_SET_VARIABLE, 1, 0, container, PAJEWRITE_TYPE(type),
                                 (int64_t)number);
#if PAJEWRITE_DOUBLE
    else if (pajewrite__begin_slow(w)) { /* a handler may have interrupted a call of the program's own */
        pajewrite__write_double(w, PAJEWRITE_SET_VARIABLE, pajewrite_now(w), container, PAJEWRITE_TYPE(type), number);
        pajewrite__end_call(w);
    }
#else
    else
        pajewrite__refuse(w, PAJEWRITE_E_NUMBER);
#endif
}

PAJEWRITE__API void pajewrite__plot(pajewrite_place *place, double number)
{
    uint32_t alias = pajewrite__alias_of(place, PAJEWRITE_DEFINE_VARIABLE_TYPE, PAJEWRITE__THREAD_TYPE);
    pajewrite__thread *thread = alias ? pajewrite__claim(alias) : NULL;
    if (!thread)
        return;
    if (pajewrite__is_enabled(&thread->w, pajewrite__type_in(place->category, 0)))
        pajewrite__set_plot(&thread->w, thread->container, alias, number);
    pajewrite__release(thread);
}

/* The clock is read while the lock is held, so that lines are in order of time. */
PAJEWRITE__API void pajewrite__plot_shared(pajewrite_place *place, double number)
{
    pajewrite__process *p = &pajewrite__the_process;
    uint32_t alias = pajewrite__alias_of(place, PAJEWRITE_DEFINE_VARIABLE_TYPE, PAJEWRITE__PROCESS_TYPE);
    pajewrite__thread *thread = alias ? pajewrite__claim(alias) : NULL;
    if (!thread)
        return;
    if (pajewrite__is_enabled(&thread->w, pajewrite__type_in(place->category, 0))) {
        const pajewrite__blocked before = pajewrite__block();
        pajewrite__lock(&before);
        if (p->open_trace == thread->trace)
            pajewrite__set_plot(&p->w, PAJEWRITE_CONTAINER(PAJEWRITE__PROCESS_CONTAINER), alias, number);
        pajewrite__unlock();
        pajewrite__unblock(&before);
    }
    pajewrite__release(thread);
}

/* Returns a number that a message of this trace has, and hardly any other bytes. */
PAJEWRITE__UNTRACED
static uint32_t pajewrite__check_of(const pajewrite__process *p, const pajewrite_message *message, uint32_t trace)
{
    uint64_t hash = (message->time ^ (uint64_t)p->process << 32 ^ trace) * UINT64_C(0x9e3779b97f4a7c15);
    hash = (hash ^ hash >> 32 ^ message->container) * UINT64_C(0xbf58476d1ce4e5b9);
    return (uint32_t)(hash >> 32) | 1;
}

PAJEWRITE__API void pajewrite__message_out(pajewrite_message *message)
{
    pajewrite__thread *thread = pajewrite__claim_slowly();
    message->time = 0;
    message->container = message->check = 0;
    if (!thread)
        return;
    message->time = pajewrite__clock_of(thread);
    message->container = thread->container.alias;
    message->check = pajewrite__check_of(&pajewrite__the_process, message, thread->trace);
    pajewrite__release(thread);
}

/* Delivers the buffer unless it has room for both ends of a link: a process that is killed before the next delivery
 * would leave one end without the other. */
PAJEWRITE__UNTRACED
static void pajewrite__make_link_room(pajewrite *w)
{
    if (w->limit - w->next < PAJEWRITE__EVENT_SIZE)
        pajewrite_flush(w);
}

/* Both ends of the link are on the container of this thread, so that all links there are written by one context, in
 * order of time, whatever other threads do. */
PAJEWRITE__API void pajewrite__message_in(pajewrite_place *place, const pajewrite_message *message)
{
    uint32_t alias = pajewrite__alias_of(place, PAJEWRITE_DEFINE_VALUE, PAJEWRITE__MESSAGE_TYPE);
    pajewrite__thread *thread = alias ? pajewrite__claim(alias) : NULL;
    pajewrite_type type = pajewrite__type_in(place->category, PAJEWRITE__MESSAGE_TYPE);
    if (!thread)
        return;
    if (message->check && message->check == pajewrite__check_of(&pajewrite__the_process, message, thread->trace) &&
        pajewrite__is_enabled(&thread->w, type)) {
        uint64_t key = (uint64_t)thread->container.alias << 32 | ++thread->links;
        pajewrite__make_link_room(&thread->w);
        pajewrite__fast_link(&thread->w, PAJEWRITE_START_LINK, 0, message->time, thread->container, type,
                             PAJEWRITE_VALUE(alias), PAJEWRITE_CONTAINER(message->container), key);
        pajewrite__fast_link(&thread->w, PAJEWRITE_END_LINK, 0, pajewrite__clock_of(thread), thread->container, type,
                             PAJEWRITE_VALUE(alias), thread->container, key);
    }
    pajewrite__release(thread);
}
#endif
