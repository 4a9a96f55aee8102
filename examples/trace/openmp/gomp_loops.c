/* Wrappers of gcc's library of OpenMP: loops, sections, single.  Loops of a static schedule do not call it. */
#include "gomp.h"

/* What begins work. */
#define START(name, kind, state, type, parameters, arguments) \
    TRACE_EXPORT type name parameters; \
    TRACE_EXPORT type name parameters \
    { \
        GOMP_WRAPPER(#name, type(*) parameters, return next arguments); \
        omp_begin_work(o, kind, state, code); \
        return next arguments; \
    }

#define LOOP(name) \
    START(GOMP_loop_##name##_start, OMP_WORK, OMP_FOR, _Bool, \
          (long start, long end, long step, long chunk, long *first, long *last), \
          (start, end, step, chunk, first, last)) \
    START(GOMP_loop_ull_##name##_start, OMP_WORK, OMP_FOR, _Bool, \
          (_Bool up, unsigned long long start, unsigned long long end, unsigned long long step, \
           unsigned long long chunk, unsigned long long *first, unsigned long long *last), \
          (up, start, end, step, chunk, first, last))
#define LOOP_AT_RUN_TIME(name) \
    START(GOMP_loop_##name##_start, OMP_WORK, OMP_FOR, _Bool, \
          (long start, long end, long step, long *first, long *last), (start, end, step, first, last)) \
    START(GOMP_loop_ull_##name##_start, OMP_WORK, OMP_FOR, _Bool, \
          (_Bool up, unsigned long long start, unsigned long long end, unsigned long long step, \
           unsigned long long *first, unsigned long long *last), (up, start, end, step, first, last))
#define LOOP_ACROSS(name) \
    START(GOMP_loop_doacross_##name##_start, OMP_WORK, OMP_FOR, _Bool, \
          (unsigned count, long *counts, long chunk, long *first, long *last), (count, counts, chunk, first, last)) \
    START(GOMP_loop_ull_doacross_##name##_start, OMP_WORK, OMP_FOR, _Bool, \
          (unsigned count, unsigned long long *counts, unsigned long long chunk, unsigned long long *first, \
           unsigned long long *last), (count, counts, chunk, first, last))
/* With reductions, or memory of the library. */
#define LOOP_OF_ANY(name) \
    START(GOMP_loop_##name, OMP_WORK, OMP_FOR, _Bool, \
          (long start, long end, long step, long schedule, long chunk, long *first, long *last, \
           uintptr_t *reductions, void **memory), \
          (start, end, step, schedule, chunk, first, last, reductions, memory)) \
    START(GOMP_loop_ull_##name, OMP_WORK, OMP_FOR, _Bool, \
          (_Bool up, unsigned long long start, unsigned long long end, unsigned long long step, long schedule, \
           unsigned long long chunk, unsigned long long *first, unsigned long long *last, uintptr_t *reductions, \
           void **memory), (up, start, end, step, schedule, chunk, first, last, reductions, memory))

LOOP(static)
LOOP(dynamic)
LOOP(guided)
LOOP(nonmonotonic_dynamic)
LOOP(nonmonotonic_guided)
LOOP(ordered_static)
LOOP(ordered_dynamic)
LOOP(ordered_guided)
LOOP_AT_RUN_TIME(runtime)
LOOP_AT_RUN_TIME(nonmonotonic_runtime)
LOOP_AT_RUN_TIME(maybe_nonmonotonic_runtime)
LOOP_AT_RUN_TIME(ordered_runtime)
LOOP_ACROSS(static)
LOOP_ACROSS(dynamic)
LOOP_ACROSS(guided)
LOOP_OF_ANY(start)
LOOP_OF_ANY(ordered_start)
START(GOMP_loop_doacross_runtime_start, OMP_WORK, OMP_FOR, _Bool,
      (unsigned count, long *counts, long *first, long *last), (count, counts, first, last))
START(GOMP_loop_ull_doacross_runtime_start, OMP_WORK, OMP_FOR, _Bool,
      (unsigned count, unsigned long long *counts, unsigned long long *first, unsigned long long *last),
      (count, counts, first, last))
START(GOMP_loop_doacross_start, OMP_WORK, OMP_FOR, _Bool,
      (unsigned count, long *counts, long schedule, long chunk, long *first, long *last, uintptr_t *reductions,
       void **memory), (count, counts, schedule, chunk, first, last, reductions, memory))
START(GOMP_loop_ull_doacross_start, OMP_WORK, OMP_FOR, _Bool,
      (unsigned count, unsigned long long *counts, long schedule, unsigned long long chunk, unsigned long long *first,
       unsigned long long *last, uintptr_t *reductions, void **memory),
      (count, counts, schedule, chunk, first, last, reductions, memory))
START(GOMP_sections_start, OMP_WORK, OMP_SECTIONS, unsigned, (unsigned count), (count))
START(GOMP_sections2_start, OMP_WORK, OMP_SECTIONS, unsigned,
      (unsigned count, uintptr_t *reductions, void **memory), (count, reductions, memory))

/* What ends work: with a barrier, if `wait` is not 0. */
#define END(name, wait) \
    TRACE_EXPORT void name(void); \
    TRACE_EXPORT void name(void) \
    { \
        GOMP_WRAPPER(#name, void (*)(void), GOMP_PASS(next())); \
        omp_end(o, OMP_WORK); \
        if (wait) \
            omp_begin_wait(o, OMP_BARRIER); \
        next(); \
        if (wait) \
            omp_end(o, OMP_WAIT); \
    }
#define END_CANCEL(name) \
    TRACE_EXPORT _Bool name(void); \
    TRACE_EXPORT _Bool name(void) \
    { \
        GOMP_WRAPPER(#name, _Bool (*)(void), return next()); \
        _Bool is_cancelled; \
        omp_end(o, OMP_WORK); \
        omp_begin_wait(o, OMP_BARRIER); \
        is_cancelled = next(); \
        omp_end(o, OMP_WAIT); \
        return is_cancelled; \
    }

END(GOMP_loop_end, 1)
END(GOMP_loop_end_nowait, 0)
END_CANCEL(GOMP_loop_end_cancel)
END(GOMP_sections_end, 1)
END(GOMP_sections_end_nowait, 0)
END_CANCEL(GOMP_sections_end_cancel)

/* The end of a `single` is seen only if a barrier or other work follows. */
TRACE_EXPORT _Bool GOMP_single_start(void);
TRACE_EXPORT _Bool GOMP_single_start(void)
{
    GOMP_WRAPPER("GOMP_single_start", _Bool (*)(void), return next());
    const _Bool is_this = next();
    if (is_this)
        omp_begin_work(o, OMP_LOOSE, OMP_SINGLE, code);
    return is_this;
}

/* The others wait here for what the one that executes it copies to them. */
TRACE_EXPORT void *GOMP_single_copy_start(void);
TRACE_EXPORT void *GOMP_single_copy_start(void)
{
    GOMP_WRAPPER("GOMP_single_copy_start", void *(*)(void), return next());
    void *copied;
    omp_begin_wait(o, OMP_BARRIER);
    copied = next();
    omp_end(o, OMP_WAIT);
    if (!copied)
        omp_begin_work(o, OMP_LOOSE, OMP_SINGLE, code);
    return copied;
}

TRACE_EXPORT void GOMP_single_copy_end(void *data);
TRACE_EXPORT void GOMP_single_copy_end(void *data)
{
    GOMP_WRAPPER("GOMP_single_copy_end", void (*)(void *), GOMP_PASS(next(data)));
    omp_begin_wait(o, OMP_BARRIER);
    next(data);
    omp_end(o, OMP_WAIT);
}
