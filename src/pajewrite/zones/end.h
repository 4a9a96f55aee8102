/* Ending the trace of a process; fork. */
#pragma once

#include "open.h"
#include "thread.h"

#if PAJEWRITE_ZONES
PAJEWRITE__UNTRACED
static pajewrite__thread *pajewrite__own_thread(const pajewrite__process *p)
{
    return p->has_key ? (pajewrite__thread *)pthread_getspecific(p->key) : NULL;
}

/* Whether the calling thread is in the midst of a call, which a signal handler has interrupted. */
PAJEWRITE__UNTRACED
static int pajewrite__is_inside(const pajewrite__process *p)
{
    const pajewrite__thread *own = pajewrite__own_thread(p);
    return own && own->busy;
}

/* Drops zones of what this thread calls while it has the lock.  Returns its context, or NULL if they are already, or it
 * has none. */
PAJEWRITE__UNTRACED
static pajewrite__thread *pajewrite__drop_own_zones(const pajewrite__process *p)
{
    pajewrite__thread *own = pajewrite__own_thread(p);
    if (!own || own->busy)
        return NULL;
    __atomic_store_n(&own->busy, 1, __ATOMIC_RELAXED);
    return own;
}

PAJEWRITE__UNTRACED
static void pajewrite__write_own_zones(pajewrite__thread *own)
{
    if (own)
        __atomic_store_n(&own->busy, 0, __ATOMIC_RELEASE);
}

/* Takes the lock, unless the calling thread may have it already, which waits for a pipe and has let a signal in, or
 * another one does not give it back.  `is_inside`: it was in the midst of a call. */
PAJEWRITE__UNTRACED
static int pajewrite__try_lock(pajewrite__process *p, const pajewrite__blocked *before, int is_inside, int milliseconds)
{
    const int is_stalled = __atomic_load_n(&p->stalled, __ATOMIC_RELAXED) >= PAJEWRITE__STALLED;
    int tries = is_stalled && is_inside ? 1 : milliseconds, is_locked;
    (void)__atomic_fetch_add(&p->ending, 1, __ATOMIC_RELAXED);
    while ((is_locked = !pthread_mutex_trylock(&p->lock)) == 0 && --tries)
        pajewrite__sleep(1000000);
    (void)__atomic_fetch_sub(&p->ending, 1, __ATOMIC_RELAXED);
    if (is_locked)
        p->blocked = &before->signals;
    return is_locked;
}

/* Waits until no other thread is in the midst of a call.  A thread that has just begun one, and has not seen that the
 * trace ends, is given a millisecond to be seen itself: that spares each call a memory barrier. */
PAJEWRITE__UNTRACED
static void pajewrite__wait_for_threads(pajewrite__process *p, uint32_t trace, int milliseconds)
{
    const pajewrite__thread *own = pajewrite__own_thread(p), *thread = p->newest;
    if (!thread || (thread == own && !thread->next))
        return;
    pajewrite__sleep(1000000);
    for (; thread; thread = thread->next)
        while (thread != own && __atomic_load_n(&thread->trace, __ATOMIC_RELAXED) == trace &&
               __atomic_load_n(&thread->busy, __ATOMIC_ACQUIRE) && milliseconds-- > 0)
            pajewrite__sleep(1000000);
}

/* Writes what is in the buffers, as the process may end.  The lock is held. */
PAJEWRITE__UNTRACED
static void pajewrite__save_trace(pajewrite__process *p)
{
    pajewrite__thread *thread;
    if (!p->open_trace || p->process != pajewrite__owner())
        return;
    p->patience = 1000;
    pajewrite_flush(&p->w);
    for (thread = p->newest; thread && !p->w.stopped; thread = thread->next)
        if (thread->trace == p->open_trace && !thread->w.stopped && pajewrite__save_thread(p, thread))
            pajewrite__fail(&p->w, PAJEWRITE_E_SINK); /* a part may be in the file */
    p->patience = -1;
}

/* Lets no more calls begin.  Returns the number of the trace that is to end, also if another thread is ending it; 0:
 * this process has none.  The lock is held. */
PAJEWRITE__UNTRACED
static uint32_t pajewrite__stop_trace(pajewrite__process *p)
{
    __atomic_store_n(&p->trace, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&p->waiting, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&p->first_alias, UINT32_MAX, __ATOMIC_RELAXED);
    return p->process == pajewrite__owner() ? p->open_trace : 0;
}

/* Writes what threads have in their buffers, and how many events were dropped.  Sets *failed if the file cannot be
 * written.  The lock is held. */
PAJEWRITE__UNTRACED
static pajewrite_status pajewrite__save_threads(pajewrite__process *p, uint32_t trace, uint32_t *failed)
{
    pajewrite_status status = PAJEWRITE_OK;
    uint64_t dropped = __atomic_load_n(&p->dropped, __ATOMIC_RELAXED);
    pajewrite__thread *thread;
    for (thread = p->newest; thread; thread = thread->next) {
        const pajewrite *w = &thread->w;
        pajewrite_status appended = PAJEWRITE_OK;
        if (thread->trace != trace)
            continue;
        *failed |= w->stopped;
        if (!*failed)
            appended = pajewrite__save_thread(p, thread);
        *failed |= appended != PAJEWRITE_OK;
        if (!status)
            status = w->status ? w->status : appended;
        dropped += pajewrite_count(w).dropped + thread->dropped;
    }
    if (dropped && !*failed) {
        p->w.gap_count = dropped;
        p->w.gap_first = p->origin;
        p->w.gap_last = pajewrite_now(&p->w);
        pajewrite__write_gap(&p->w);
    }
    return status;
}

/* Writes what is in the buffers, destroys the containers and closes the file.  The lock is held. */
PAJEWRITE__UNTRACED
static pajewrite_status pajewrite__close_trace(pajewrite__process *p, uint32_t trace)
{
    pajewrite_status status, of_threads, finished = PAJEWRITE_OK;
    pajewrite__thread *thread;
    uint32_t failed;
    p->open_trace = 0;
    status = pajewrite_flush(&p->w);
    failed = p->w.stopped; /* the status may be that of a call that was refused */
    of_threads = pajewrite__save_threads(p, trace, &failed);
    for (thread = p->newest; thread; thread = thread->next)
        if (thread->trace == trace)
            pajewrite_destroy_container(&p->w, thread->container, PAJEWRITE_TYPE(PAJEWRITE__THREAD_TYPE));
    pajewrite_destroy_container(&p->w, PAJEWRITE_CONTAINER(PAJEWRITE__PROCESS_CONTAINER),
                                PAJEWRITE_TYPE(PAJEWRITE__PROCESS_TYPE));
    if (!failed)
        finished = pajewrite_finish(&p->w);
    if (pajewrite__is_open(p) && pajewrite__close_file(p) && !finished)
        finished = PAJEWRITE_E_SINK;
    p->origin = 0;
    return status ? status : of_threads ? of_threads : finished;
}

/* Ends the trace.  `crashed`: the process is about to die, so nothing is waited for long; 2: it may go on, so what is
 * in the buffers is written, and the trace does not end. */
PAJEWRITE__UNTRACED
static pajewrite_status pajewrite__end_trace(int crashed)
{
    pajewrite__process *p = &pajewrite__the_process;
    const int patience = crashed ? 50 : 2000, lock_patience = crashed ? 1000 : 2000; /* a pipe may be slow */
    const pajewrite__blocked before = pajewrite__block();
    const int place = pajewrite__note_inside(p), is_inside = pajewrite__is_inside(p);
    pajewrite_status status = PAJEWRITE_OK;
    pajewrite__thread *own = pajewrite__drop_own_zones(p);
    uint32_t trace = 0;
    if (pajewrite__is_guest())
        goto done;
    if (!pajewrite__try_lock(p, &before, is_inside, lock_patience)) {
        status = PAJEWRITE_E_SINK;
        goto done;
    }
    if (crashed == 2)
        pajewrite__save_trace(p);
    else
        trace = pajewrite__stop_trace(p);
    pajewrite__unlock();
    if (!trace)
        goto done;
    pajewrite__write_own_zones(own); /* there are none without a trace; another thread may wait for this one */
    own = NULL;
    pajewrite__wait_for_threads(p, trace, patience);
    if (!pajewrite__try_lock(p, &before, is_inside, lock_patience)) {
        status = PAJEWRITE_E_SINK;
        goto done;
    }
    if (p->open_trace == trace) { /* else another thread was faster */
        p->patience = crashed ? 1000 : -1;
        status = pajewrite__close_trace(p, trace);
    }
    pajewrite__unlock();
done:
    pajewrite__write_own_zones(own);
    pajewrite__forget_inside(p, place);
    pajewrite__unblock(&before);
    return status;
}

PAJEWRITE__UNTRACED
static void pajewrite__at_signal(int goes_on)
{
    if (pajewrite__the_process.layout == PAJEWRITE__LAYOUT)
        pajewrite__the_process.end(goes_on ? 2 : 1);
}

/* Returns 0 if no key is left. */
PAJEWRITE__UNTRACED
static int pajewrite__has_key(pajewrite__process *p)
{
    if (!p->has_key)
        p->has_key = !pthread_key_create(&p->key, pajewrite__end_thread);
    return p->has_key;
}

/* When it is loaded, as each library of the process may handle signals, also one that never begins the trace.  The key
 * is one of the first then, for which glibc has memory in each thread: for others pthread_setspecific calls calloc. */
PAJEWRITE__EARLY(1000) PAJEWRITE__UNTRACED
static void pajewrite__load_zones(void)
{
    pajewrite__end_zones = pajewrite__at_signal;
    if (pajewrite__the_process.end == pajewrite__end_trace) /* the variable is of this library, which stays loaded */
        pajewrite__has_key(&pajewrite__the_process);
}

PAJEWRITE__UNTRACED
static void pajewrite__at_exit(void)
{
    pajewrite_status status = pajewrite__the_process.end(0);
    char path[sizeof pajewrite__the_process.path];
    if (!status)
        return;
    pajewrite__expand(path, sizeof path, pajewrite__the_process.path);
    pajewrite__report(path, ": ", pajewrite_status_text(status));
}

/* What was blocked before a fork, during which the lock is held. */
static pajewrite__blocked pajewrite__blocked_before_fork;

PAJEWRITE__UNTRACED
static void pajewrite__before_fork_of_zones(void)
{
    pajewrite__process *p = &pajewrite__the_process;
    pajewrite__blocked before;
    pajewrite__thread *own;
    int place;
    if (pajewrite__is_inside(p)) /* a signal handler forks */
        return;
    before = pajewrite__block();
    place = pajewrite__note_inside(p);
    own = pajewrite__drop_own_zones(p);
    pthread_mutex_lock(&p->lock); /* one fork at a time: the other lock is for those that trace */
    __atomic_store_n(&p->is_forking, 1, __ATOMIC_RELEASE);
    pajewrite__blocked_before_fork = before;
    pajewrite__write_own_zones(own);
    pajewrite__forget_inside(p, place);
}

PAJEWRITE__UNTRACED
static void pajewrite__after_fork_of_zones(void)
{
    const pajewrite__blocked before = pajewrite__blocked_before_fork;
    pajewrite__process *p = &pajewrite__the_process;
    pajewrite__thread *own;
    int place;
    if (pajewrite__is_inside(p))
        return;
    place = pajewrite__note_inside(p);
    own = pajewrite__drop_own_zones(p);
    pthread_mutex_lock(&p->fork_lock);
    __atomic_store_n(&p->is_forking, 0, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&p->fork_lock);
    pthread_mutex_unlock(&p->lock);
    pajewrite__write_own_zones(own);
    pajewrite__forget_inside(p, place);
    pajewrite__unblock(&before);
}

/* A child has none of the other threads.  What is in the buffers is the parent's. */
PAJEWRITE__UNTRACED
static void pajewrite__in_child_of_zones(void)
{
    static const pthread_mutex_t unlocked = PTHREAD_MUTEX_INITIALIZER;
    pajewrite__process *p = &pajewrite__the_process;
    uint32_t waiting;
    memcpy(&p->lock, &unlocked, sizeof unlocked);
    memcpy(&p->fork_lock, &unlocked, sizeof unlocked);
    p->is_forking = p->has_fork_lock = 0;
    p->ending = 0;
    memset(p->inside, 0, sizeof p->inside);
    pajewrite__owner(); /* before a child of its own could be taken for it */
    waiting = p->waiting | (p->open_trace && pajewrite__is_own_path(p->path));
    p->trace = p->waiting = 0; /* a close of the program's own may have zones */
    if (p->open_trace && pajewrite__is_open(p))
        close(p->descriptor);
    p->open_trace = 0;
    p->first_alias = UINT32_MAX;
    p->idle = NULL;
    p->inherited = p->newest;
    p->forked = pajewrite__own_thread(p);
    p->waiting = waiting;
    if (!pajewrite__is_inside(p))
        pajewrite__unblock(&pajewrite__blocked_before_fork);
}

/* Keeps the path, and sees to it that threads, forks and the end of the process are noticed. */
PAJEWRITE__UNTRACED
static pajewrite_status pajewrite__prepare_process(pajewrite__process *p, const char *path)
{
    const size_t size = strlen(path);
    if (size >= sizeof p->path) {
        pajewrite__complain(path, ": path is too long");
        return PAJEWRITE_E_SINK;
    }
    memcpy(p->path, path, size + 1);
    if (p->has_handlers)
        return PAJEWRITE_OK;
    if (!pajewrite__has_key(p)) {
        pajewrite__complain(path, ": no key of pthread_key_create is left");
        return PAJEWRITE_E_MISUSE;
    }
    p->has_handlers = 1;
    pthread_atfork(pajewrite__before_fork_of_zones, pajewrite__after_fork_of_zones, pajewrite__in_child_of_zones);
    atexit(pajewrite__at_exit);
    return PAJEWRITE_OK;
}

PAJEWRITE__UNTRACED
static pajewrite_status pajewrite__begin_trace(const char *path)
{
    pajewrite__process *p = &pajewrite__the_process;
    const char *from = pajewrite__getenv("PAJEWRITE_TRACE"), *flush;
    pajewrite__blocked before;
    pajewrite_status status = PAJEWRITE_OK;
    pajewrite__thread *own;
    int tries = 3, place;
    if (from && *from)
        path = from;
    for (;;) {
        before = pajewrite__block();
        place = pajewrite__note_inside(p);
        own = pajewrite__drop_own_zones(p);
        pajewrite__lock(&before);
        if (!p->open_trace || p->trace || !tries--)
            break;
        pajewrite__unlock();
        pajewrite__write_own_zones(own);
        pajewrite__forget_inside(p, place);
        pajewrite__unblock(&before);
        pajewrite__end_trace(0); /* another thread is ending it, or could not */
    }
    if (p->open_trace && !p->trace) {
        pajewrite__complain("the trace before", " has not ended");
        status = PAJEWRITE_E_SINK;
    } else if (!p->open_trace && !p->waiting && path && strcmp(path, "off") != 0) {
        status = pajewrite__prepare_process(p, path);
        if (!status)
            status = pajewrite__open_trace(p);
        flush = pajewrite__getenv("PAJEWRITE_SIGNALS");
        if (!status && flush && *flush && strcmp(flush, "0") != 0)
            pajewrite_flush_at_signals();
    }
    pajewrite__unlock();
    pajewrite__write_own_zones(own);
    pajewrite__forget_inside(p, place);
    pajewrite__unblock(&before);
    return status;
}
#endif
