/* pajetrace.h: a program's own states, marks and numbers in the trace that `paje trace` makes of it.
 *
 * Copy this file; nothing has to be linked (with glibc before 2.34, -ldl).  Without `paje trace`, the calls do nothing.
 * C99, also C++11; for systems with dlopen.
 *
 *     #include "pajetrace.h"
 *
 *     void solve(void)
 *     {
 *         unsigned state = pajetrace_begin("solve");  // a state of this thread
 *         pajetrace_set("residual", residual);        // a variable of this thread
 *         pajetrace_mark("converged");                // an event
 *         pajetrace_end(state);
 *     }
 *
 * Names may be any text, of which the first 200 bytes count; a program may have 1000.  They are defined at their first
 * use.  A state ends by its own pajetrace_end, in the thread that began it, or with one that was begun before it: what
 * is forgotten, or left by longjmp or an exception, ends with what is around it.  All may be called in signal handlers,
 * after the first call in the program.
 *
 * Compiled with PAJETRACE_DISABLE, they are empty. */
#ifndef PAJETRACE_H
#define PAJETRACE_H

#ifdef PAJETRACE_DISABLE
static inline unsigned pajetrace_begin(const char *name) { return (void)name, 0u; }
static inline void pajetrace_end(unsigned state) { (void)state; }
static inline void pajetrace_mark(const char *name) { (void)name; }
static inline void pajetrace_set(const char *name, double value) { (void)name, (void)value; }
#else

#include <dlfcn.h>
#include <string.h>

/* The functions of the library that is preloaded; NULL: there is none. */
typedef struct pajetrace__calls {
    int is_looked_up;
    unsigned (*begin)(const char *name);
    void (*end)(unsigned state);
    void (*mark)(const char *name);
    void (*set)(const char *name, double value);
} pajetrace__calls;

#if defined(__GNUC__)
#define PAJETRACE__UNUSED __attribute__((unused, no_instrument_function))
#else
#define PAJETRACE__UNUSED
#endif

PAJETRACE__UNUSED static void pajetrace__find(void *program, const char *name, void *place)
{
    void *found = dlsym(program, name);
    memcpy(place, &found, sizeof found);
}

/* Threads that look them up at the same time find the same. */
PAJETRACE__UNUSED static const pajetrace__calls *pajetrace__get(void)
{
    static pajetrace__calls calls;
    void *program;
    if (__atomic_load_n(&calls.is_looked_up, __ATOMIC_ACQUIRE))
        return &calls;
    program = dlopen((const char *)0, RTLD_LAZY);
    if (program) {
        pajetrace__find(program, "pajetrace_lib_begin", &calls.begin);
        pajetrace__find(program, "pajetrace_lib_end", &calls.end);
        pajetrace__find(program, "pajetrace_lib_mark", &calls.mark);
        pajetrace__find(program, "pajetrace_lib_set", &calls.set);
        dlclose(program);
    }
    __atomic_store_n(&calls.is_looked_up, 1, __ATOMIC_RELEASE);
    return &calls;
}

/* Begins a state.  Returns what to pass to pajetrace_end. */
PAJETRACE__UNUSED static inline unsigned pajetrace_begin(const char *name)
{
    const pajetrace__calls *calls = pajetrace__get();
    return calls->begin ? calls->begin(name) : 0;
}

PAJETRACE__UNUSED static inline void pajetrace_end(unsigned state)
{
    if (state)
        pajetrace__get()->end(state);
}

/* An event at this moment. */
PAJETRACE__UNUSED static inline void pajetrace_mark(const char *name)
{
    const pajetrace__calls *calls = pajetrace__get();
    if (calls->mark)
        calls->mark(name);
}

/* Sets a number that changes over time. */
PAJETRACE__UNUSED static inline void pajetrace_set(const char *name, double value)
{
    const pajetrace__calls *calls = pajetrace__get();
    if (calls->set)
        calls->set(name, value);
}
#endif
#endif
