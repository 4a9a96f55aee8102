/* What LLVM's library of OpenMP tells its tools (OMPT).  It finds this one by the symbol ompt_start_tool. */
#include "ompt.h"
#include "scopes.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* ---- explicit tasks: their data has the address of their code or of their record, below these bits */

#define TASK_IS_EXPLICIT (UINT64_C(1) << 63)
#define TASK_HAS_RECORD (UINT64_C(1) << 62)
#define TASK_HAS_BEGUN (UINT64_C(1) << 61)
#define TASK_IS_UNTIED (UINT64_C(1) << 60)
#define TASK_BITS (UINT64_C(0xff) << 56)

static omp_record *record_in(uint64_t value)
{
    return value & TASK_HAS_RECORD ? (omp_record *)(uintptr_t)(value & ~TASK_BITS) : NULL;
}

static omp_record *record_of(const ompt_data_t *task)
{
    return record_in(task->value);
}

static const void *code_of(const ompt_data_t *task)
{
    const omp_record *record = record_of(task);
    return record ? record->code : (const void *)(uintptr_t)(task->value & ~TASK_BITS);
}

static int is_explicit(const ompt_data_t *task)
{
    return task && (task->value & TASK_IS_EXPLICIT);
}

static void task_create(ompt_data_t *parent, const ompt_frame_t *frame, ompt_data_t *task, int flags,
                        int has_dependences, const void *code)
{
    const int has_link = trace_is_on(TRACE_TASK_LINKS);
    (void)parent, (void)frame;
    task->value = 0;
    if (!(flags & ompt_task_explicit) || (flags & ompt_task_taskwait))
        return;
    task->value = (uint64_t)(uintptr_t)code;
    if (has_dependences || has_link) {
        omp_thread *o = omp_get_thread();
        omp_record *record = o ? omp_new_record(o, code) : NULL;
        if (record && has_link)
            record->created = trace_get_origin();
        if (record)
            task->value = (uint64_t)(uintptr_t)record | TASK_HAS_RECORD;
    }
    task->value |= TASK_IS_EXPLICIT | (flags & ompt_task_untied ? TASK_IS_UNTIED : 0);
}

/* Takes a use of the record of a task that may end meanwhile; NULL: it has ended. */
static omp_record *share_record(const ompt_data_t *task)
{
    omp_record *record = record_in(__atomic_load_n(&task->value, __ATOMIC_ACQUIRE));
    if (!record || !omp_use_record(record))
        return NULL;
    if (record_in(__atomic_load_n(&task->value, __ATOMIC_ACQUIRE)) == record)
        return record;
    omp_drop_record(record); /* it is another one's by now */
    return NULL;
}

static void task_dependence(ompt_data_t *before, ompt_data_t *after)
{
    omp_record *second = record_of(after), *first = second ? share_record(before) : NULL, *it;
    omp_thread *o = first ? omp_get_thread() : NULL;
    if (!first)
        return;
    it = o ? omp_new_record(o, NULL) : NULL;
    if (!it) {
        omp_drop_record(first);
        return;
    }
    it->on = first;
    it->next = second->depends;
    second->depends = it;
}

static void write_links(omp_record *record)
{
    omp_record *it = record->depends, *next;
    record->depends = NULL;
    if (record->created.time && omp_is_on())
        trace_write_link(TRACE_TASK_LINK, &record->created);
    for (; it; it = next) {
        next = it->next;
        if (it->on->ended.time && omp_is_on())
            trace_write_link(TRACE_DEPENDENCE_LINK, &it->on->ended);
        omp_drop_record(it->on);
        omp_drop_record(it);
    }
}

static void begin_task(omp_thread *o, ompt_data_t *task)
{
    omp_record *record = record_of(task);
    const int is_first = !(task->value & TASK_HAS_BEGUN);
    __atomic_or_fetch(&task->value, TASK_HAS_BEGUN, __ATOMIC_RELAXED);
    omp_begin_task(o, is_first ? OMP_TASK : OMP_TASK_RESUMED, code_of(task), task);
    if (record && is_first)
        write_links(record);
}

/* A task has ended, also for those that depend on it. */
static void complete_task(ompt_data_t *task)
{
    omp_record *record = record_of(task);
    if (record)
        record->ended = trace_get_origin();
    __atomic_store_n(&task->value, 0, __ATOMIC_RELEASE);
    if (record)
        omp_drop_record(record);
}

/* Untied tasks are left where they wait, and go on anywhere; others stay on the stack of their thread below those that
 * it executes meanwhile. */
static void task_schedule(ompt_data_t *prior, ompt_task_status_t status, ompt_data_t *next)
{
    omp_thread *o = omp_get_thread();
    if (status == ompt_task_early_fulfill || status == ompt_taskwait_complete)
        return;
    if (is_explicit(prior)) {
        const int is_over = status == ompt_task_complete || status == ompt_task_cancel;
        const int is_left = (prior->value & TASK_IS_UNTIED) && (!is_explicit(next) || (o && omp_is_in(o, next)));
        if (o && (is_over || is_left || status == ompt_task_detach))
            omp_end_of(o, OMP_EXPLICIT, prior);
        if (is_over || status == ompt_task_late_fulfill)
            complete_task(prior);
    }
    if (o && is_explicit(next) && status != ompt_task_late_fulfill && !omp_is_in(o, next))
        begin_task(o, next);
}

/* ---- threads, regions, implicit tasks */

static void thread_begin(ompt_thread_t type, ompt_data_t *data)
{
    omp_thread *o = type == ompt_thread_worker ? omp_get_thread() : NULL;
    (void)data;
    if (o)
        omp_begin_idle(o);
}

static void parallel_begin(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *region, unsigned threads,
                           int flags, const void *code)
{
    omp_thread *o = omp_get_thread();
    (void)task, (void)frame, (void)threads, (void)flags;
    region->ptr = o ? (void *)(uintptr_t)omp_begin_region(o, code) : NULL;
}

static void parallel_end(ompt_data_t *region, ompt_data_t *task, int flags, const void *code)
{
    omp_thread *o = omp_get_thread();
    (void)region, (void)task, (void)flags, (void)code;
    if (o)
        omp_end_region(o);
}

static void implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t *region, ompt_data_t *task, unsigned threads,
                          unsigned index, int flags)
{
    omp_thread *o = flags & ompt_task_initial ? NULL : omp_get_thread();
    (void)threads, (void)index;
    if (!o)
        return;
    if (endpoint == ompt_scope_begin) {
        task->value = 0;
        omp_begin_member(o, region ? (const omp_region *)region->ptr : NULL);
    } else if (!omp_unpark(o)) {
        omp_end_member(o);
    }
}

/* ---- waiting, work */

static void sync_region(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *region,
                        ompt_data_t *task, const void *code)
{
    omp_thread *o = omp_get_thread();
    (void)region, (void)task;
    if (!o)
        return;
    if (endpoint != ompt_scope_end) {
        const int is_barrier = kind < ompt_sync_region_taskwait || kind > ompt_sync_region_reduction;
        omp_begin_wait(o, kind == ompt_sync_region_taskwait ? OMP_TASKWAIT :
                          kind == ompt_sync_region_taskgroup ? OMP_TASKGROUP :
                          kind == ompt_sync_region_reduction ? OMP_REDUCTION : OMP_BARRIER);
        if (is_barrier)
            omp_park(o);
    }
    if (endpoint != ompt_scope_begin && !omp_unpark(o) && !omp_is_at_end(o, code))
        omp_end(o, OMP_WAIT);
}

static void reduction(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *region, ompt_data_t *task,
                      const void *code)
{
    omp_thread *o = omp_get_thread();
    (void)kind, (void)region, (void)task, (void)code;
    if (o && endpoint != ompt_scope_end)
        omp_begin(o, OMP_WORK, OMP_REDUCTION, NULL, NULL);
    if (o && endpoint != ompt_scope_begin)
        omp_end(o, OMP_WORK);
}

/* The one that executes a `single` has no end if the program was compiled by gcc. */
static void work(ompt_work_t type, ompt_scope_endpoint_t endpoint, ompt_data_t *region, ompt_data_t *task,
                 uint64_t count, const void *code)
{
    static const omp_state states[] = {OMP_NONE, OMP_FOR, OMP_SECTIONS, OMP_SINGLE, OMP_NONE,
                                       OMP_WORKSHARE, OMP_DISTRIBUTE, OMP_TASKLOOP, OMP_SCOPE};
    const omp_state state = (size_t)type < sizeof states / sizeof *states ? states[type] : OMP_FOR;
    const omp_kind kind = state == OMP_SINGLE ? OMP_LOOSE : OMP_WORK;
    omp_thread *o = state == OMP_NONE ? NULL : omp_get_thread();
    (void)region, (void)task, (void)count;
    if (o && endpoint != ompt_scope_end)
        omp_begin_work(o, kind, state, code);
    if (o && endpoint != ompt_scope_begin)
        omp_end(o, kind);
}

static void masked(ompt_scope_endpoint_t endpoint, ompt_data_t *region, ompt_data_t *task, const void *code)
{
    omp_thread *o = omp_get_thread();
    (void)region, (void)task;
    if (o && endpoint != ompt_scope_end)
        omp_begin_work(o, OMP_WORK, OMP_MASKED, code);
    if (o && endpoint != ompt_scope_begin)
        omp_end(o, OMP_WORK);
}

/* ---- locks */

static const struct {
    omp_state wait, hold;
} mutexes[] = {
    [ompt_mutex_lock] = {OMP_WAIT_LOCK, OMP_LOCK},
    [ompt_mutex_test_lock] = {OMP_NONE, OMP_LOCK},
    [ompt_mutex_nest_lock] = {OMP_WAIT_LOCK, OMP_LOCK},
    [ompt_mutex_test_nest_lock] = {OMP_NONE, OMP_LOCK},
    [ompt_mutex_critical] = {OMP_WAIT_CRITICAL, OMP_CRITICAL},
    [ompt_mutex_atomic] = {OMP_WAIT_ATOMIC, OMP_ATOMIC},
    [ompt_mutex_ordered] = {OMP_WAIT_ORDERED, OMP_ORDERED},
};

static size_t index_of(ompt_mutex_t kind)
{
    return (size_t)kind - 1 < sizeof mutexes / sizeof *mutexes - 1 ? (size_t)kind : ompt_mutex_lock;
}

static void mutex_acquire(ompt_mutex_t kind, unsigned hint, unsigned way, ompt_wait_id_t id, const void *code)
{
    const omp_state state = mutexes[index_of(kind)].wait;
    omp_thread *o = state == OMP_NONE || omp_tested ? NULL : omp_get_thread(); /* what is only tested does not wait */
    (void)hint, (void)way;
    if (o)
        omp_begin(o, OMP_ACQUIRE, state, code, (const void *)(uintptr_t)id);
}

static void mutex_acquired(ompt_mutex_t kind, ompt_wait_id_t id, const void *code)
{
    omp_thread *o = omp_get_thread();
    if (o)
        omp_hold(o, mutexes[index_of(kind)].hold, omp_tested ? omp_tested : code, (const void *)(uintptr_t)id);
}

static void mutex_released(ompt_mutex_t kind, ompt_wait_id_t id, const void *code)
{
    omp_thread *o = omp_get_thread();
    (void)kind, (void)code;
    if (o)
        omp_end_of(o, OMP_HOLD, (const void *)(uintptr_t)id);
}

/* ---- the tool */

static int control_tool(uint64_t command, uint64_t modifier, void *data, const void *code)
{
    enum { START = 1, PAUSE, FLUSH, END };
    static int has_ended;
    (void)modifier, (void)data, (void)code;
    if (command == END)
        has_ended = 1;
    if (command == START && !has_ended)
        __atomic_store_n(&omp_is_paused, 0, __ATOMIC_RELAXED);
    else if (command == PAUSE || command == END)
        __atomic_store_n(&omp_is_paused, 1, __ATOMIC_RELAXED);
    return 0; /* there is nothing to flush: all is in the file */
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data)
{
    static const struct {
        ompt_callbacks_t event;
        ompt_callback_t call;
    } calls[] = {
#define CALL(name) {ompt_callback_##name, (ompt_callback_t)name}
        CALL(thread_begin), CALL(parallel_begin), CALL(parallel_end), CALL(implicit_task), CALL(task_create),
        CALL(task_schedule), CALL(task_dependence), CALL(work), CALL(masked), CALL(mutex_acquire),
        CALL(mutex_acquired), CALL(mutex_released), CALL(control_tool), CALL(reduction),
        {ompt_callback_sync_region_wait, (ompt_callback_t)sync_region},
#undef CALL
    };
    const ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
    size_t i;
    (void)device, (void)data;
    omp_is_tool = 1;
    for (i = 0; set && i < sizeof calls / sizeof *calls; i++)
        set(calls[i].event, calls[i].call);
    return set != NULL;
}

/* Libraries call it at the end; what is open then is ended by the core. */
static void finalize(ompt_data_t *data)
{
    (void)data;
}

/* The program's own tool goes first; libraries that the variable names are asked only if there is none here. */
TRACE_EXPORT ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *library);
TRACE_EXPORT ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *library)
{
    static ompt_start_tool_result_t result = {initialize, finalize, {0}};
    ompt_start_tool_result_t *(*next)(unsigned, const char *);
    void *found = dlsym(RTLD_NEXT, "ompt_start_tool");
    const char *libraries = getenv("OMP_TOOL_LIBRARIES");
    ompt_start_tool_result_t *own = NULL;
    memcpy(&next, &found, sizeof next);
    if (next)
        own = next(version, library);
    return own || (libraries && *libraries) ? own : &result;
}
