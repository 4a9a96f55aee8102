/* Wrappers of locks of OpenMP, of gcc's library.  A lock that is free is taken without a wait that is recorded. */
#include "gomp.h"

/* LLVM's library, up to 14 at least, tells tools of a test as of a wait, which has no end if the lock is taken.  As
 * this is no jump, it tells them the wrong place, too. */
static int test_of_llvm(int (*next)(void *), void *lock, const void *code)
{
    int times;
    omp_tested = code;
    times = next(lock);
    omp_tested = NULL;
    return times;
}

#define LOCKS(SET, set, UNSET, TEST) \
    TRACE_EXPORT void SET(void *lock); \
    TRACE_EXPORT void UNSET(void *lock); \
    TRACE_EXPORT int TEST(void *lock); \
    static int set##_test(void *lock) \
    { \
        GOMP_WRAPPER(#TEST, int (*)(void *), return next(lock)); \
        return next(lock); \
    } \
    TRACE_EXPORT void SET(void *lock) \
    { \
        GOMP_WRAPPER(#SET, void (*)(void *), GOMP_PASS(next(lock))); \
        const int times = set##_test(lock); \
        if (!times) { \
            omp_begin(o, OMP_ACQUIRE, OMP_WAIT_LOCK, code, lock); \
            next(lock); \
        } \
        if (times < 2 || !omp_hold_again(o, lock)) \
            omp_hold(o, OMP_LOCK, code, lock); \
    } \
    TRACE_EXPORT int TEST(void *lock) \
    { \
        GOMP_WRAPPER(#TEST, int (*)(void *), \
                     return omp_is_tool && !omp_is_off() ? test_of_llvm(next, lock, __builtin_return_address(0)) : \
                                                           next(lock)); \
        const int times = next(lock); \
        if (times && (times < 2 || !omp_hold_again(o, lock))) \
            omp_hold(o, OMP_LOCK, code, lock); \
        return times; \
    } \
    TRACE_EXPORT void UNSET(void *lock) \
    { \
        GOMP_WRAPPER(#UNSET, void (*)(void *), GOMP_PASS(next(lock))); \
        next(lock); \
        omp_end_of(o, OMP_HOLD, lock); \
    }

LOCKS(omp_set_lock, simple, omp_unset_lock, omp_test_lock)
LOCKS(omp_set_nest_lock, nested, omp_unset_nest_lock, omp_test_nest_lock)
/* These are for Fortran. */
LOCKS(omp_set_lock_, simple_fortran, omp_unset_lock_, omp_test_lock_)
LOCKS(omp_set_nest_lock_, nested_fortran, omp_unset_nest_lock_, omp_test_nest_lock_)
