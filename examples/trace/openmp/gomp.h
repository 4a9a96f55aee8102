/* gcc's library of OpenMP tells tools nothing, so its functions are wrapped (as gcc calls them since 4.9).  LLVM's
 * library has the same functions, for programs of gcc: those are passed through, as it tells its tools itself. */
#pragma once

#include "scopes.h"

/* A function that is wrapped, behind this layer. */
typedef struct gomp_function {
    const char *name;
    void *found;  /* atomic */
    int is_llvm;  /* 1: it is of LLVM's library */
} __attribute__((aligned(32))) gomp_function; /* compilers would align some objects of this size, but not others */

/* All of them are in one section, so that they can be found at once. */
#define GOMP_FUNCTION(name) \
    static gomp_function function __attribute__((section("gomp_functions"), used)) = {name, NULL, 0}

/* Finds them all: while a library is opened, its constructors may look for functions, but not their other threads, as
 * the linker is locked.  Ends the program with a message if there is not this one, which it has called. */
void gomp_find(gomp_function *function);

/* Whether a call is not recorded, of a function that was found already. */
static inline int gomp_is_passed(const gomp_function *function)
{
    return __atomic_load_n(&function->found, __ATOMIC_ACQUIRE) && (function->is_llvm || omp_is_off());
}

/* Finds the function, if it was not found yet.  Returns the calling thread; NULL: nothing is to be recorded. */
static inline omp_thread *gomp_get_thread(gomp_function *function)
{
    omp_thread *o;
    if (!__atomic_load_n(&function->found, __ATOMIC_ACQUIRE))
        gomp_find(function);
    o = function->is_llvm ? NULL : omp_get_thread();
    if (o && o->parked)
        omp_unpark_late(o);
    return o;
}

/* Declares a wrapper: its next function as `next`, of that type; the thread as `o`; where it was called as `code`.
 * `pass` calls the next function and returns, if nothing is to be recorded: as this comes first, it is a jump. */
#define GOMP_WRAPPER(name, type, pass) \
    GOMP_FUNCTION(name); \
    const void *code; \
    __typeof__(type) next; \
    omp_thread *o; \
    if (gomp_is_passed(&function)) { \
        __builtin_memcpy(&next, &function.found, sizeof next); \
        pass; \
    } \
    code = __builtin_return_address(0); \
    o = gomp_get_thread(&function); \
    __builtin_memcpy(&next, &function.found, sizeof next); \
    if (!o) { \
        pass; \
    } \
    (void)code
/* A `pass` for functions that return nothing. */
#define GOMP_PASS(call) call; return

/* Whether the team of the calling thread has more than one. */
int gomp_is_team(void);

/* What each thread of a team fetches from the one that begins the region: one line of the processor's cache. */
typedef struct gomp_body {
    uintptr_t first; /* what the library reads of the data of the body */
    void (*run)(void *);
    void *data;
    const omp_region *region;
    omp_thread *master;
    omp_state work; /* that an implicit task has to be in: OMP_FOR, OMP_SECTIONS; OMP_NONE: neither */
    const void *code;
} __attribute__((aligned(64))) gomp_body;

/* Prepares the body of a region that begins; the wrapper has `gomp_run_body` called with it. */
void gomp_begin_region(gomp_body *body, omp_thread *o, void (*run)(void *), void *data, omp_state work,
                       const void *code);
void gomp_run_body(void *body);
void gomp_end_region(gomp_body *body);
