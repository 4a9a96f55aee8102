/* Wrappers of gcc's library of OpenMP: regions, waiting, critical sections. */
#include "gomp.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- finding functions, also of libraries that were opened for their user only (RTLD_LOCAL) */

static int note_library(struct dl_phdr_info *about, size_t size, void *data)
{
    const char *slash = about->dlpi_name ? strrchr(about->dlpi_name, '/') : NULL;
    void **found = (void **)data;
    (void)size;
    if (!*found && slash && (strncmp(slash, "/libgomp", 8) == 0 || strncmp(slash, "/libomp", 7) == 0))
        *found = dlopen(about->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
    return 0;
}

/* `opened`: a library that is not among those where dlsym looks; NULL: there is none. */
static void find(gomp_function *function, void *opened)
{
    void *found = dlsym(RTLD_NEXT, function->name), *library;
    Dl_info about;
    if (!found && opened)
        found = dlsym(opened, function->name);
    if (found && dladdr(found, &about) && (library = dlopen(about.dli_fname, RTLD_LAZY | RTLD_NOLOAD))) {
        function->is_llvm = dlsym(library, "__kmpc_fork_call") != NULL;
        dlclose(library);
    }
    __atomic_store_n(&function->found, found, __ATOMIC_RELEASE);
}

extern gomp_function __start_gomp_functions[], __stop_gomp_functions[]; /* by the linker */

void gomp_find(gomp_function *function)
{
    gomp_function *it = __start_gomp_functions;
    void *opened = NULL;
    dl_iterate_phdr(note_library, &opened);
    for (; it < __stop_gomp_functions; it++)
        if (!__atomic_load_n(&it->found, __ATOMIC_ACQUIRE))
            find(it, opened);
    if (!function->found) {
        fprintf(stderr, "paje trace: the program calls %s, but no library that is loaded defines it\n",
                function->name);
        abort();
    }
}

int gomp_is_team(void)
{
    GOMP_FUNCTION("omp_get_num_threads");
    int (*next)(void);
    if (!__atomic_load_n(&function.found, __ATOMIC_ACQUIRE))
        gomp_find(&function);
    memcpy(&next, &function.found, sizeof next);
    return next() > 1;
}

/* ---- regions */

void gomp_begin_region(gomp_body *body, omp_thread *o, void (*run)(void *), void *data, omp_state work,
                       const void *code)
{
    body->first = 0;
    body->run = run;
    body->data = data;
    body->master = o;
    body->work = work;
    body->code = code;
    body->region = omp_begin_region(o, code);
}

/* In each thread of the team.  A worker waits in the library at the end until there is another region for it; others go
 * on as soon as all wait, and the body is gone then. */
void gomp_run_body(void *data)
{
    const gomp_body it = *(const gomp_body *)data;
    omp_thread *o = omp_get_thread();
    if (!o) {
        it.run(it.data);
        return;
    }
    omp_unpark(o);
    omp_begin_member(o, it.region);
    if (it.work != OMP_NONE)
        omp_begin_work(o, OMP_WORK, it.work, it.code);
    it.run(it.data);
    if (!gomp_is_team()) {
        omp_end_member(o);
        return;
    }
    omp_begin_wait(o, OMP_BARRIER);
    if (o != it.master)
        omp_park(o);
}

void gomp_end_region(gomp_body *body)
{
    omp_end_region(body->master);
}

#define REGION(name, work, parameters, arguments, passed) \
    TRACE_EXPORT void name parameters; \
    TRACE_EXPORT void name parameters \
    { \
        GOMP_WRAPPER(#name, void(*) parameters, GOMP_PASS(next arguments)); \
        gomp_body body; \
        gomp_begin_region(&body, o, run, data, work, code); \
        next passed; \
        gomp_end_region(&body); \
    }

REGION(GOMP_parallel, OMP_NONE, (void (*run)(void *), void *data, unsigned threads, unsigned flags),
       (run, data, threads, flags), (gomp_run_body, &body, threads, flags))
REGION(GOMP_parallel_sections, OMP_SECTIONS,
       (void (*run)(void *), void *data, unsigned threads, unsigned count, unsigned flags),
       (run, data, threads, count, flags), (gomp_run_body, &body, threads, count, flags))

#define REGION_LOOP(name) \
    REGION(GOMP_parallel_loop_##name, OMP_FOR, \
           (void (*run)(void *), void *data, unsigned threads, long start, long end, long step, long chunk, \
            unsigned flags), \
           (run, data, threads, start, end, step, chunk, flags), \
           (gomp_run_body, &body, threads, start, end, step, chunk, flags))
#define REGION_LOOP_AT_RUN_TIME(name) \
    REGION(GOMP_parallel_loop_##name, OMP_FOR, \
           (void (*run)(void *), void *data, unsigned threads, long start, long end, long step, unsigned flags), \
           (run, data, threads, start, end, step, flags), (gomp_run_body, &body, threads, start, end, step, flags))

REGION_LOOP(static)
REGION_LOOP(dynamic)
REGION_LOOP(guided)
REGION_LOOP(nonmonotonic_dynamic)
REGION_LOOP(nonmonotonic_guided)
REGION_LOOP_AT_RUN_TIME(runtime)
REGION_LOOP_AT_RUN_TIME(nonmonotonic_runtime)
REGION_LOOP_AT_RUN_TIME(maybe_nonmonotonic_runtime)

/* The library reads the first word of the data: what is reduced. */
TRACE_EXPORT unsigned GOMP_parallel_reductions(void (*run)(void *), void *data, unsigned threads, unsigned flags);
TRACE_EXPORT unsigned GOMP_parallel_reductions(void (*run)(void *), void *data, unsigned threads, unsigned flags)
{
    GOMP_WRAPPER("GOMP_parallel_reductions", unsigned (*)(void (*)(void *), void *, unsigned, unsigned),
                 return next(run, data, threads, flags));
    unsigned count;
    gomp_body body;
    gomp_begin_region(&body, o, run, data, OMP_NONE, code);
    memcpy(&body.first, data, sizeof body.first);
    count = next(gomp_run_body, &body, threads, flags);
    gomp_end_region(&body);
    return count;
}

/* ---- waiting */

#define WAIT(name, state, parameters, arguments) \
    TRACE_EXPORT void name parameters; \
    TRACE_EXPORT void name parameters \
    { \
        GOMP_WRAPPER(#name, void(*) parameters, GOMP_PASS(next arguments)); \
        omp_begin_wait(o, state); \
        next arguments; \
        omp_end(o, OMP_WAIT); \
    }

WAIT(GOMP_barrier, OMP_BARRIER, (void), ())
WAIT(GOMP_taskwait, OMP_TASKWAIT, (void), ())
WAIT(GOMP_taskwait_depend, OMP_TASKWAIT, (void **depend), (depend))
WAIT(GOMP_taskgroup_end, OMP_TASKGROUP, (void), ())

TRACE_EXPORT _Bool GOMP_barrier_cancel(void);
TRACE_EXPORT _Bool GOMP_barrier_cancel(void)
{
    GOMP_WRAPPER("GOMP_barrier_cancel", _Bool (*)(void), return next());
    _Bool is_cancelled;
    omp_begin_wait(o, OMP_BARRIER);
    is_cancelled = next();
    omp_end(o, OMP_WAIT);
    return is_cancelled;
}

/* ---- critical sections: waiting for them, and being in them */

#define ENTER(name, wait, hold, parameters, arguments, id) \
    TRACE_EXPORT void name parameters; \
    TRACE_EXPORT void name parameters \
    { \
        GOMP_WRAPPER(#name, void(*) parameters, GOMP_PASS(next arguments)); \
        omp_begin(o, OMP_ACQUIRE, wait, code, id); \
        next arguments; \
        omp_hold(o, hold, code, id); \
    }
#define LEAVE(name, parameters, arguments, id) \
    TRACE_EXPORT void name parameters; \
    TRACE_EXPORT void name parameters \
    { \
        GOMP_WRAPPER(#name, void(*) parameters, GOMP_PASS(next arguments)); \
        next arguments; \
        omp_end_of(o, OMP_HOLD, id); \
    }

static const char unnamed, atomic, ordered; /* their addresses stand for what has no name */
ENTER(GOMP_critical_start, OMP_WAIT_CRITICAL, OMP_CRITICAL, (void), (), &unnamed)
LEAVE(GOMP_critical_end, (void), (), &unnamed)
ENTER(GOMP_critical_name_start, OMP_WAIT_CRITICAL, OMP_CRITICAL, (void **name), (name), name)
LEAVE(GOMP_critical_name_end, (void **name), (name), name)
ENTER(GOMP_atomic_start, OMP_WAIT_ATOMIC, OMP_ATOMIC, (void), (), &atomic)
LEAVE(GOMP_atomic_end, (void), (), &atomic)
ENTER(GOMP_ordered_start, OMP_WAIT_ORDERED, OMP_ORDERED, (void), (), &ordered)
LEAVE(GOMP_ordered_end, (void), (), &ordered)
