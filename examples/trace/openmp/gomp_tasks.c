/* Wrappers of gcc's library of OpenMP: tasks.  It copies the data of a task; ours is in front of it there. */
#include "gomp.h"

#include <string.h>

enum { DETACH = 1 << 13, /* flag of the library: the task ends when its event is fulfilled */
       LARGE = 1 << 16 /* data of tasks, from which on they are not recorded */ };

typedef struct gomp_task {
    uintptr_t words[3]; /* what the library reads and writes: an event, or the bounds of a loop */
    size_t written;     /* how many of them it writes */
    void (*run)(void *);
    void (*copy)(void *, void *);
    void *data;         /* of the program, to copy from */
    size_t head;        /* where the copy of it begins, from here */
    const void *code;
    trace_origin created;
} gomp_task;

static void run_task(void *data)
{
    gomp_task *it = (gomp_task *)data;
    char *own = (char *)data + it->head;
    omp_thread *o = omp_get_thread();
    const void *id = it; /* this task ends in the same thread, before its memory is used for another one */
    memcpy(own, it->words, it->written * sizeof *it->words);
    if (o)
        omp_begin_task(o, OMP_TASK, it->code, id);
    if (it->created.time && omp_is_on())
        trace_write_link(TRACE_TASK_LINK, &it->created);
    it->run(own);
    if (o)
        omp_end_of(o, OMP_EXPLICIT, id);
}

static void copy_task(void *to, void *from)
{
    const gomp_task *it = (const gomp_task *)from;
    memcpy(to, it, sizeof *it);
    it->copy((char *)to + it->head, it->data);
}

static size_t round_up(size_t size, size_t to)
{
    return (size + to - 1) / to * to;
}

/* Returns how many bytes the data in front takes. */
static size_t head_size(long align)
{
    return round_up(sizeof(gomp_task), align > 16 ? (size_t)align : 16);
}

/* Makes the data of a task at `place`, which has room for it. */
static void make_task(void *place, void (*run)(void *), void *data, void (*copy)(void *, void *), size_t size,
                      size_t head, const void *code)
{
    gomp_task *it = (gomp_task *)place;
    memset(it, 0, sizeof *it);
    it->run = run;
    it->copy = copy;
    it->data = data;
    it->head = head;
    it->code = code;
    if (trace_is_on(TRACE_TASK_LINKS))
        it->created = trace_get_origin();
    if (!copy && size)
        memcpy((char *)place + head, data, size);
}

/* Room on the stack for the data of a task. */
#define PLACE(size, align) \
    (void *)round_up((uintptr_t)__builtin_alloca((size) + (size_t)(align) + 16), (size_t)((align) > 16 ? (align) : 16))

TRACE_EXPORT void GOMP_task(void (*run)(void *), void *data, void (*copy)(void *, void *), long size, long align,
                            _Bool is_deferred, unsigned flags, void **depend, int priority, void *detach);
TRACE_EXPORT void GOMP_task(void (*run)(void *), void *data, void (*copy)(void *, void *), long size, long align,
                            _Bool is_deferred, unsigned flags, void **depend, int priority, void *detach)
{
    GOMP_WRAPPER("GOMP_task", void (*)(void (*)(void *), void *, void (*)(void *, void *), long, long, _Bool, unsigned,
                                       void **, int, void *),
                 GOMP_PASS(next(run, data, copy, size, align, is_deferred, flags, depend, priority, detach)));
    if (run && size >= 0 && size < LARGE && align < LARGE) {
        const size_t head = head_size(align), whole = head + (size_t)size;
        gomp_task *it = (gomp_task *)PLACE(whole, align);
        make_task(it, run, data, copy, (size_t)size, head, code);
        if (flags & DETACH)
            it->written = 1;
        next(run_task, it, copy ? copy_task : NULL, (long)whole, align > 16 ? align : 16, is_deferred, flags, depend,
             priority, detach);
    } else {
        next(run, data, copy, size, align, is_deferred, flags, depend, priority, detach);
    }
}

/* The first two words of the data are the bounds of a task, the third is what is reduced. */
#define TASKLOOP(name, number) \
    TRACE_EXPORT void name(void (*run)(void *), void *data, void (*copy)(void *, void *), long size, long align, \
                           unsigned flags, unsigned long tasks, int priority, number start, number end, number step); \
    TRACE_EXPORT void name(void (*run)(void *), void *data, void (*copy)(void *, void *), long size, long align, \
                           unsigned flags, unsigned long tasks, int priority, number start, number end, number step) \
    { \
        GOMP_WRAPPER(#name, void (*)(void (*)(void *), void *, void (*)(void *, void *), long, long, unsigned, \
                                     unsigned long, int, number, number, number), \
                     GOMP_PASS(next(run, data, copy, size, align, flags, tasks, priority, start, end, step))); \
        omp_begin_work(o, OMP_WORK, OMP_TASKLOOP, code); \
        if (size >= 0 && size < LARGE && align < LARGE) { \
            const size_t head = head_size(align), whole = head + (size_t)size; \
            gomp_task *it = (gomp_task *)PLACE(whole, align); \
            make_task(it, run, data, copy, (size_t)size, head, code); \
            memcpy(it->words, data, (size_t)size < sizeof it->words ? (size_t)size : sizeof it->words); \
            it->written = 2; \
            next(run_task, it, copy ? copy_task : NULL, (long)whole, align > 16 ? align : 16, flags, tasks, priority, \
                 start, end, step); \
        } else { \
            next(run, data, copy, size, align, flags, tasks, priority, start, end, step); \
        } \
        omp_end(o, OMP_WORK); \
    }

TASKLOOP(GOMP_taskloop, long)
TASKLOOP(GOMP_taskloop_ull, unsigned long long)
