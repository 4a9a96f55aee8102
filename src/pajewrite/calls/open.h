/* A context with its file and its buffer; flushing when a signal ends the process. */
#pragma once

#include "../api/open.h"
#include "context.h"
#include "../host/file.h"
#include "../host/peer.h"

#if PAJEWRITE_POSIX
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

/* The traces that are open. */
static pajewrite_trace *pajewrite__traces;
static pthread_mutex_t pajewrite__traces_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t pajewrite__traces_once = PTHREAD_ONCE_INIT;
/* Ends the trace of zones, if there is one, as the process is about to die; or, if it may go on, writes what is in the
 * buffers.  NULL: this library has no zones. */
static void (*pajewrite__end_zones)(int goes_on);

/* Values of trace->delivering. */
enum { PAJEWRITE__IDLE, PAJEWRITE__DELIVERING, PAJEWRITE__LAST_DELIVERY };
/* 1: a signal is about to end the process, and its handler goes through the list, where it may miss a trace that is
 * opened now: the process would end within a delivery. */
static int pajewrite__is_ending;

/* Returns whether nothing was delivering this trace; what calls it does so then. */
PAJEWRITE__UNTRACED
static int pajewrite__begin_delivery(pajewrite_trace *trace)
{
    int nothing = PAJEWRITE__IDLE;
    return PAJEWRITE__SWAP_IF(int, trace->delivering, &nothing, PAJEWRITE__DELIVERING);
}

/* Returns 1 if the file is a pipe or a socket, of which each write takes what there is room for.  In a child process it
 * is still the parent's. */
PAJEWRITE__UNTRACED
static int pajewrite__is_pipe(const pajewrite_file *file, pajewrite_peer *peer)
{
    const int is_pipe = !pajewrite__delivers_soon(file) &&
                        pajewrite__is_file(file->descriptor, file->device, file->inode) &&
                        !pajewrite_peer_init(peer, file->descriptor);
    peer->process = file->process;
    return is_pipe;
}

/* Signals wait until all is written and the buffer is empty, or until a pipe that is full is waited for: a handler that
 * ends the process would lose lines, or write them twice. */
PAJEWRITE__UNTRACED
static pajewrite_status pajewrite__to_trace_file(void *data, const char *bytes, size_t size)
{
    pajewrite_trace *trace = (pajewrite_trace *)data;
    pajewrite_status status = PAJEWRITE_E_CLOSED; /* the process is about to end */
    pajewrite_peer peer;
#ifdef __linux__
    const int is_pipe = pajewrite__is_pipe(&trace->file, &peer);
#else /* /dev/stdout may be the program's own, which is not to be non-blocking */
    const int is_pipe = 0;
#endif
    const pajewrite__blocked outside = pajewrite__block_if(0);
    long pause = 1000;
    int is_left = 1;
    while (is_left) {
        const pajewrite__blocked before = pajewrite__block_if(is_pipe || pajewrite__delivers_soon(&trace->file));
        if (pajewrite__begin_delivery(trace)) {
            const char *rest = bytes + trace->saved;
            const size_t size_left = size - trace->saved;
            const size_t taken = is_pipe ? pajewrite_to_peer(&peer, rest, size_left) : PAJEWRITE_OFFER_FAILED;
            status = taken > size_left ? pajewrite_to_file(&trace->file, rest, size_left) : PAJEWRITE_OK;
            is_left = taken < size_left;
            trace->saved = is_left ? trace->saved + taken : 0;
            if (!is_left)
                pajewrite__set_next(&trace->w, trace->w.buffer);
            PAJEWRITE__PUBLISH(int, trace->delivering, PAJEWRITE__IDLE);
        } else if (PAJEWRITE__LOAD(int, trace->delivering) == PAJEWRITE__LAST_DELIVERY ||
                   trace->file.process != pajewrite__owner()) { /* else a signal handler delivers, in another thread */
            is_left = 0;
        }
        pajewrite__unblock(&before);
        if (is_left)
            pajewrite__sleep(pause);
        pause *= pause < 1000000 ? 2 : 1;
    }
    pajewrite__unblock(&outside);
    return status;
}

/* Returns whether the trace was open. */
PAJEWRITE__UNTRACED
static int pajewrite__unlist_trace(const pajewrite_trace *trace)
{
    pajewrite_trace **link;
    for (link = &pajewrite__traces; *link && *link != trace; link = &(*link)->next)
        ;
    if (!*link)
        return 0;
    *link = trace->next;
    return 1;
}

/* Whether this process is a child of vfork, whose end is not that of its parent. */
PAJEWRITE__UNTRACED
static int pajewrite__is_guest(void) { return pajewrite__owner() != (long)getpid(); }

/* Another thread may have the lock when a thread forks; each change of the list is one store. */
PAJEWRITE__UNTRACED
static void pajewrite__unlock_traces_in_child(void)
{
    static const pthread_mutex_t unlocked = PTHREAD_MUTEX_INITIALIZER;
    pajewrite__owner(); /* before a child of its own could be taken for it */
    pajewrite__is_ending = 0;
    memcpy(&pajewrite__traces_lock, &unlocked, sizeof unlocked);
}

PAJEWRITE__UNTRACED
static void pajewrite__register_traces(void)
{
    pajewrite__owner();
    pthread_atfork(NULL, NULL, pajewrite__unlock_traces_in_child);
}

PAJEWRITE__API pajewrite *pajewrite_open(pajewrite_trace *trace, const char *path)
{
    static const pajewrite_config defaults = PAJEWRITE_CONFIG;
    pajewrite_config config = defaults;
    trace->delivering = PAJEWRITE__LOAD(int, pajewrite__is_ending) ? PAJEWRITE__LAST_DELIVERY : PAJEWRITE__IDLE;
    trace->saved = 0;
    pthread_once(&pajewrite__traces_once, pajewrite__register_traces);
    pajewrite_file_init(&trace->file, pajewrite__open_descriptor(path, O_WRONLY | O_CREAT | O_TRUNC));
    config.sink = pajewrite__to_trace_file;
    config.sink_data = trace;
    config.origin = pajewrite_monotonic(NULL);
    pajewrite_init(&trace->w, trace->buffer, sizeof trace->buffer, &config);
    if (trace->file.descriptor < 0)
        pajewrite__fail(&trace->w, PAJEWRITE_E_SINK);
    pajewrite_header(&trace->w);
    pthread_mutex_lock(&pajewrite__traces_lock);
    pajewrite__unlist_trace(trace);
    trace->next = pajewrite__traces;
    pajewrite__traces = trace;
    pthread_mutex_unlock(&pajewrite__traces_lock);
    return &trace->w;
}

PAJEWRITE__UNTRACED
static int pajewrite__is_trace_open(const pajewrite_trace *trace)
{
    return pajewrite__is_file(trace->file.descriptor, trace->file.device, trace->file.inode);
}

PAJEWRITE__API pajewrite_status pajewrite_close(pajewrite_trace *trace)
{
    pajewrite_status status = pajewrite_finish(&trace->w);
    int was_open;
    pthread_mutex_lock(&pajewrite__traces_lock);
    was_open = pajewrite__unlist_trace(trace);
    pthread_mutex_unlock(&pajewrite__traces_lock);
    if (was_open && (!pajewrite__is_trace_open(trace) || close(trace->file.descriptor)) && !status)
        status = PAJEWRITE_E_SINK;
    return status;
}

/* The signals, those that stand for faults first. */
static const int pajewrite__signals[] = {
    SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTERM, SIGINT, SIGHUP, SIGQUIT,
#ifdef SIGXCPU
    SIGXCPU
#endif
};
enum { PAJEWRITE__SIGNALS = sizeof pajewrite__signals / sizeof *pajewrite__signals, PAJEWRITE__FAULTS = 5 };
static struct sigaction pajewrite__old_actions[PAJEWRITE__SIGNALS];
static int pajewrite__has_handlers; /* 1: they were installed */

/* Writes lines to a pipe, for a second at most where that is full.  Returns how many bytes were taken. */
PAJEWRITE__UNTRACED
static size_t pajewrite__save_to_pipe(pajewrite_peer *peer, const char *bytes, size_t size)
{
    size_t done = 0, taken;
    int waits = 1000;
    while (done < size && waits-- && (taken = pajewrite_to_peer(peer, bytes + done, size - done)) <= size - done) {
        done += taken;
        if (done < size)
            pajewrite__sleep(1000000);
    }
    return done;
}

/* Writes what is in the buffers of all traces.  `goes_on`: the process may not end, and they may be written on. */
PAJEWRITE__UNTRACED
static void pajewrite__flush_traces(int goes_on)
{
    pajewrite_trace *trace;
    if (!goes_on)
        PAJEWRITE__PUBLISH(int, pajewrite__is_ending, 1);
    for (trace = pajewrite__traces; trace; trace = trace->next) {
        const pajewrite *w = &trace->w;
        pajewrite_peer peer;
        const int is_pipe = pajewrite__is_pipe(&trace->file, &peer);
        size_t size;
        int waits = is_pipe || pajewrite__delivers_soon(&trace->file) ? 1000 : 0; /* in ms, for another thread */
        if (PAJEWRITE__LOAD(int, trace->delivering) == PAJEWRITE__LAST_DELIVERY)
            continue;
        while (!w->stopped && !pajewrite__begin_delivery(trace) && waits--)
            pajewrite__sleep(1000000);
        if (waits < 0 || w->stopped)
            continue;
        size = (size_t)(w->next - w->buffer);
        if (is_pipe) {
            trace->saved += pajewrite__save_to_pipe(&peer, w->buffer + trace->saved, size - trace->saved);
        } else { /* if it failed, it takes no more */
            pajewrite_to_file(&trace->file, w->buffer + trace->saved, size - trace->saved);
            trace->saved = size;
        }
        PAJEWRITE__PUBLISH(int, trace->delivering, goes_on ? PAJEWRITE__IDLE : PAJEWRITE__LAST_DELIVERY);
    }
    if (pajewrite__end_zones)
        pajewrite__end_zones(goes_on);
}

/* Whether the program handles or ignores a signal, and so may go on after it. */
PAJEWRITE__UNTRACED
static int pajewrite__has_handler(const struct sigaction *action)
{
    return action->sa_flags & SA_SIGINFO || action->sa_handler != SIG_DFL;
}

/* Whether a signal is ignored whose action is the default one: the first process of a PID namespace, as of a container,
 * is ended by faults of its own only. */
PAJEWRITE__UNTRACED
static int pajewrite__is_ignored(int i, const siginfo_t *info)
{
    return getpid() == 1 && (i >= PAJEWRITE__FAULTS || info->si_code <= 0) &&
           !pajewrite__has_handler(&pajewrite__old_actions[i]);
}

/* A fault occurs again when the handler returns; any other signal is raised again, whether a process, a terminal or the
 * kernel sent it.  A thread that is cancelled meanwhile would swallow it. */
PAJEWRITE__UNTRACED
static void pajewrite__on_signal(int number, siginfo_t *info, void *context)
{
    static int state; /* 0: no signal is being handled; 1: one is; 2: one that ends the process was */
    const int cancel = pajewrite__prevent_cancel();
    int found = 0, begun = 0, waits = 2000, is_ignored, goes_on, i = 0;
    (void)context;
    while (pajewrite__signals[i] != number)
        i++;
    is_ignored = pajewrite__is_ignored(i, info);
    goes_on = is_ignored || pajewrite__has_handler(&pajewrite__old_actions[i]);
    /* If another thread handles one, the process must not end before, nor without what was written since. */
    while (!pajewrite__is_guest() && !(begun = PAJEWRITE__SWAP_IF(int, state, &found, 1)) && found == 1 && waits--) {
        pajewrite__sleep(1000000);
        found = 0;
    }
    if (begun) {
        pajewrite__flush_traces(goes_on);
        PAJEWRITE__PUBLISH(int, state, goes_on ? 0 : 2);
    }
    if (!is_ignored)
        sigaction(number, &pajewrite__old_actions[i], NULL);
    if (!is_ignored && (i >= PAJEWRITE__FAULTS || info->si_code <= 0))
        raise(number);
    pajewrite__let_cancel(cancel);
}

PAJEWRITE__API void pajewrite_flush_at_signals(void)
{
    struct sigaction action;
    int i;
    pthread_once(&pajewrite__traces_once, pajewrite__register_traces);
    pthread_mutex_lock(&pajewrite__traces_lock);
    for (i = pajewrite__has_handlers ? PAJEWRITE__SIGNALS : 0; i < PAJEWRITE__SIGNALS; i++) {
        struct sigaction *old = &pajewrite__old_actions[i];
        if (sigaction(pajewrite__signals[i], NULL, old) ||
            (i >= PAJEWRITE__FAULTS && pajewrite__has_handler(old)))
            continue;
        memset(&action, 0, sizeof action);
        action.sa_sigaction = pajewrite__on_signal;
        action.sa_flags = SA_SIGINFO;
#ifdef SA_ONSTACK
        action.sa_flags |= SA_ONSTACK; /* for a stack that overflows */
#endif
#ifdef SA_RESTART
        action.sa_flags |= pajewrite__has_handler(old) ? old->sa_flags & SA_RESTART : SA_RESTART;
#endif
        sigfillset(&action.sa_mask);
        sigaction(pajewrite__signals[i], &action, NULL);
    }
    pajewrite__has_handlers = 1;
    pthread_mutex_unlock(&pajewrite__traces_lock);
}

/* A library that is unloaded takes its handler with it, which the next signal would find gone. */
#if defined(__GNUC__) || defined(__clang__)
__attribute__((destructor)) PAJEWRITE__UNTRACED
static void pajewrite__remove_handlers(void)
{
    struct sigaction action;
    int i;
    for (i = 0; pajewrite__has_handlers && i < PAJEWRITE__SIGNALS; i++)
        if (!sigaction(pajewrite__signals[i], NULL, &action) && action.sa_flags & SA_SIGINFO &&
            action.sa_sigaction == pajewrite__on_signal)
            sigaction(pajewrite__signals[i], &pajewrite__old_actions[i], NULL);
}
#endif
#endif
