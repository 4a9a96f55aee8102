/* Layer: threads of POSIX and C11, their locks, conditions and semaphores. */
#include "trace.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#if __GLIBC_PREREQ(2, 32)
#include <sys/single_threaded.h>
#endif
#include <threads.h>
#include <time.h>

/* ---- creating threads */

typedef struct start {
    void *(*posix)(void *); /* one of both */
    int (*c11)(void *);
    void *data;
    trace_origin origin;
    int is_runtime; /* 1: it is recorded from trace_begin_hidden_thread on */
} start;

uintptr_t trace_runtime_start, trace_runtime_end;
static __thread trace_origin hidden_origin;

void trace_begin_hidden_thread(const char *name)
{
    trace_hidden = TRACE_LOCKS;
    trace_begin_thread_as(hidden_origin, name);
    hidden_origin.container = 0;
}

static void *run_posix(void *data)
{
    const start it = *(start *)data;
    free(data);
    if (it.is_runtime) {
        hidden_origin = it.origin;
        trace_hidden = TRACE_HIDES_ALL;
    } else {
        trace_begin_thread(it.origin);
    }
    return it.posix(it.data);
}

static int run_c11(void *data)
{
    const start it = *(start *)data;
    free(data);
    trace_begin_thread(it.origin);
    return it.c11(it.data);
}

static start *new_start(void *data)
{
    start *it = (start *)calloc(1, sizeof *it);
    if (it) {
        it->data = data;
        it->origin = trace_get_origin();
    }
    return it;
}

TRACE_NEXT(int, pthread_create, (pthread_t *, const pthread_attr_t *, void *(*)(void *), void *))
TRACE_NEXT(int, thrd_create, (thrd_t *, thrd_start_t, void *))

TRACE_EXPORT int pthread_create(pthread_t *restrict thread, const pthread_attr_t *restrict attributes,
                                void *(*run)(void *), void *restrict data)
{
    const uintptr_t caller = (uintptr_t)__builtin_return_address(0);
    const int is_runtime = caller >= trace_runtime_start && caller < trace_runtime_end;
    trace_scope scope = is_runtime ? (trace_scope){NULL, 0} : trace_begin(TRACE_THREADS, TRACE_CREATE);
    start *it = scope.thread || is_runtime ? new_start(data) : NULL;
    int status;
    TRACE_FIND(pthread_create);
    if (it) {
        it->posix = run;
        it->is_runtime = is_runtime;
    }
    status = next_pthread_create(thread, attributes, it ? run_posix : run, it ? (void *)it : data);
    if (status)
        free(it);
    trace_end(&scope);
    return status;
}

TRACE_EXPORT int thrd_create(thrd_t *thread, thrd_start_t run, void *data)
{
    trace_scope scope = trace_begin(TRACE_THREADS, TRACE_CREATE);
    start *it = scope.thread ? new_start(data) : NULL;
    int status;
    TRACE_FIND(thrd_create);
    if (it)
        it->c11 = run;
    status = next_thrd_create(thread, it ? run_c11 : run, it ? (void *)it : data);
    if (status != thrd_success)
        free(it);
    trace_end(&scope);
    return status;
}

TRACE_NEXT(int, pthread_setname_np, (pthread_t, const char *))

/* A name that another thread gives is seen when the thread ends. */
TRACE_EXPORT int pthread_setname_np(pthread_t thread, const char *name)
{
    int status;
    TRACE_FIND(pthread_setname_np);
    status = next_pthread_setname_np(thread, name);
    if (status == 0 && pthread_equal(thread, pthread_self()))
        trace_name_thread();
    return status;
}

/* ---- waiting */

/* A function that waits, as a state. */
#define WAITS(category, STATE, name, parameters, arguments) \
    TRACE_WRAP(category, int, name, parameters, arguments, trace_begin(category, STATE), trace_end(&scope))

/* Whether a mutex is free, and is so until it is taken, as there is neither another thread nor another process that may
 * take it.  The C library then needs no atomic operation, which trylock always does: 4 ns. */
static int stays_free(const pthread_mutex_t *lock)
{
#if __GLIBC_PREREQ(2, 32)
    return __libc_single_threaded && lock->__data.__kind <= PTHREAD_MUTEX_ADAPTIVE_NP && lock->__data.__lock == 0;
#else
    return (void)lock, 0;
#endif
}

/* A function that takes a lock or a semaphore: a state only if it has to wait, which `try_name` finds out unless it is
 * known to be free. */
#define TAKES(STATE, name, is_free, try_name, has_to_wait, parameters, arguments) \
    TRACE_NEXT(int, name, parameters) \
    __attribute__((noinline)) static int record_##name parameters \
    { \
        trace_scope scope = trace_begin(TRACE_LOCKS, STATE); \
        int status; \
        TRACE_FIND(name); \
        status = next_##name arguments; \
        trace_end(&scope); \
        return status; \
    } \
    TRACE_EXPORT int name parameters \
    { \
        if (trace_is_on(TRACE_LOCKS) && !(is_free)) { \
            const int status = try_name arguments; \
            if (!(has_to_wait)) \
                return status; \
        } else if (next_##name) { \
            return next_##name arguments; \
        } \
        return record_##name arguments; \
    }

WAITS(TRACE_THREADS, TRACE_JOIN, pthread_join, (pthread_t thread, void **value), (thread, value))
WAITS(TRACE_THREADS, TRACE_JOIN, pthread_timedjoin_np,
      (pthread_t thread, void **value, const struct timespec *until), (thread, value, until))
WAITS(TRACE_THREADS, TRACE_JOIN, pthread_clockjoin_np,
      (pthread_t thread, void **value, clockid_t clock, const struct timespec *until), (thread, value, clock, until))
WAITS(TRACE_THREADS, TRACE_JOIN, thrd_join, (thrd_t thread, int *value), (thread, value))
WAITS(TRACE_THREADS, TRACE_BARRIER, pthread_barrier_wait, (pthread_barrier_t *barrier), (barrier))

TAKES(TRACE_LOCK, pthread_mutex_lock, stays_free(lock), pthread_mutex_trylock, status == EBUSY, (pthread_mutex_t *lock),
      (lock))
TAKES(TRACE_LOCK, pthread_rwlock_rdlock, 0, pthread_rwlock_tryrdlock, status == EBUSY, (pthread_rwlock_t *lock),
      (lock))
TAKES(TRACE_LOCK, pthread_rwlock_wrlock, 0, pthread_rwlock_trywrlock, status == EBUSY, (pthread_rwlock_t *lock),
      (lock))
TAKES(TRACE_LOCK, mtx_lock, 0, mtx_trylock, status == thrd_busy, (mtx_t *lock), (lock))

/* sem_wait is a point where a thread may be cancelled, also if it need not wait; and it keeps errno if it succeeds. */
static int try_semaphore(sem_t *semaphore)
{
    const int before = errno;
    pthread_testcancel();
    if (sem_trywait(semaphore) == 0)
        return 0;
    errno = before;
    return -1;
}
TAKES(TRACE_SEMAPHORE, sem_wait, 0, try_semaphore, status, (sem_t *semaphore), (semaphore))

WAITS(TRACE_LOCKS, TRACE_LOCK, pthread_mutex_timedlock,
      (pthread_mutex_t *restrict lock, const struct timespec *restrict until), (lock, until))

WAITS(TRACE_LOCKS, TRACE_LOCK, pthread_mutex_clocklock,
      (pthread_mutex_t *restrict lock, clockid_t clock, const struct timespec *restrict until), (lock, clock, until))
WAITS(TRACE_LOCKS, TRACE_LOCK, pthread_rwlock_timedrdlock,
      (pthread_rwlock_t *restrict lock, const struct timespec *restrict until), (lock, until))
WAITS(TRACE_LOCKS, TRACE_LOCK, pthread_rwlock_timedwrlock,
      (pthread_rwlock_t *restrict lock, const struct timespec *restrict until), (lock, until))
WAITS(TRACE_LOCKS, TRACE_LOCK, mtx_timedlock, (mtx_t *restrict lock, const struct timespec *restrict until),
      (lock, until))

WAITS(TRACE_LOCKS, TRACE_CONDITION, pthread_cond_wait,
      (pthread_cond_t *restrict condition, pthread_mutex_t *restrict lock), (condition, lock))
WAITS(TRACE_LOCKS, TRACE_CONDITION, pthread_cond_timedwait,
      (pthread_cond_t *restrict condition, pthread_mutex_t *restrict lock, const struct timespec *restrict until),
      (condition, lock, until))
WAITS(TRACE_LOCKS, TRACE_CONDITION, pthread_cond_clockwait,
      (pthread_cond_t *restrict condition, pthread_mutex_t *restrict lock, clockid_t clock,
       const struct timespec *restrict until), (condition, lock, clock, until))
WAITS(TRACE_LOCKS, TRACE_CONDITION, cnd_wait, (cnd_t *condition, mtx_t *lock), (condition, lock))
WAITS(TRACE_LOCKS, TRACE_CONDITION, cnd_timedwait,
      (cnd_t *restrict condition, mtx_t *restrict lock, const struct timespec *restrict until),
      (condition, lock, until))

WAITS(TRACE_LOCKS, TRACE_SEMAPHORE, sem_timedwait, (sem_t *restrict semaphore, const struct timespec *restrict until),
      (semaphore, until))
WAITS(TRACE_LOCKS, TRACE_SEMAPHORE, sem_clockwait,
      (sem_t *restrict semaphore, clockid_t clock, const struct timespec *restrict until), (semaphore, clock, until))
