/* A context with its file and its buffer; flushing when a signal ends the process. */
#pragma once

#include "context.h"
#include "host.h"

#if PAJEWRITE_POSIX
#ifdef __cplusplus
extern "C" {
#endif

/* All that one thread needs to write a trace; best static, as it is 64 KB large, and stays where it is until
 * pajewrite_close. */
typedef struct pajewrite_trace {
    pajewrite w; /* for the other calls; all other members are private */
    pajewrite_file file;
    int delivering;
    size_t saved; /* bytes of the buffer that a signal handler has written already */
    struct pajewrite_trace *next;
    char buffer[65536];
} pajewrite_trace;

#ifdef PAJEWRITE_DISABLE
PAJEWRITE__UNTRACED
static inline pajewrite *pajewrite_open(pajewrite_trace *trace, const char *path)
{
    (void)path;
    return &trace->w;
}

PAJEWRITE__UNTRACED
static inline pajewrite_status pajewrite_close(pajewrite_trace *trace)
{
    (void)trace;
    return PAJEWRITE_OK;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_flush_at_signals(void) {}
#else
/* Creates or truncates the file, sets up the context, whose time 0 is now, and writes the header.  Returns the context,
 * which is never NULL: if the file cannot be created, it writes nothing, and pajewrite_close returns
 * PAJEWRITE_E_SINK. */
PAJEWRITE__API pajewrite *pajewrite_open(pajewrite_trace *trace, const char *path);
/* Ends the trace (see pajewrite_finish) and closes the file.  Returns the first problem, or PAJEWRITE_OK. */
PAJEWRITE__API pajewrite_status pajewrite_close(pajewrite_trace *trace);

/* Installs a handler for signals that end the process (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT; and, where they have
 * their default action, SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGXCPU): it writes the lines in the buffers of each
 * pajewrite_trace that is open, ends the trace of zones, and lets the signal take its course.  Where the program had a
 * handler of its own, which may let it go on, the lines are written at the first such signal, and the traces go on; so
 * they do at each signal that the system ignores, as for the first process of a container.
 * Nothing can be written after SIGKILL and _exit: the file then holds whole lines, up to the last delivery; of one
 * that SIGKILL interrupts, the last line may be cut.  Where libraries keep copies of this header to themselves, only
 * the first one that calls this handles SIGTERM and those after it; the others find its handler there, so what is in
 * their buffers is lost then: share one copy, or handle these signals in the program, and end all traces there. */
PAJEWRITE__API void pajewrite_flush_at_signals(void);
#endif

#ifdef __cplusplus
}
#endif
#endif
