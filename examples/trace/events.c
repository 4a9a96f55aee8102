/* Marks, variables, the heap, and links between threads and between processes. */
#include "thread.h"

#include <string.h>

void trace_mark(const char *name)
{
    trace_thread *t = trace_enter();
    const uint32_t value = t ? trace_find_name(&t->out.w, TRACE_NAMED_MARK, name) : 0;
    if (value)
        pajewrite_new_event(&t->out.w, t->container, PAJEWRITE_TYPE(TRACE_MARK_TYPE), PAJEWRITE_VALUE(value));
    if (t)
        trace_leave(t);
}

void trace_set(const char *name, double value)
{
    trace_thread *t = trace_enter();
    const uint32_t type = t ? trace_find_name(&t->out.w, TRACE_NAMED_VARIABLE, name) : 0;
    if (type)
        pajewrite_set_variable_double(&t->out.w, t->container, PAJEWRITE_TYPE(type), value);
    if (t)
        trace_leave(t);
}

/* Writes changes, not values: they add up in whatever order threads write them. */
void trace_write_heap(trace_thread *t)
{
    const pajewrite_type type = PAJEWRITE_TYPE(TRACE_HEAP_TYPE);
    const int64_t change = t->heap;
    t->heap = 0;
    __atomic_add_fetch(&trace_the_process.heap, change, __ATOMIC_RELAXED);
    if (change > 0)
        pajewrite_add_variable(&t->out.w, trace_the_process.container, type, change);
    else if (change < 0)
        pajewrite_sub_variable(&t->out.w, trace_the_process.container, type, -change);
}

static void note_allocation(trace_thread *t, int64_t bytes)
{
    const int64_t size = bytes < 0 ? -bytes : bytes;
    pajewrite_event event;
    memset(&event, 0, sizeof event);
    event.kind = PAJEWRITE_NEW_EVENT;
    event.time = PAJEWRITE_TIME_NOW;
    event.container = t->container;
    event.type = PAJEWRITE_TYPE(TRACE_ALLOCATION_TYPE);
    event.value = PAJEWRITE_VALUE(bytes > 0 ? TRACE_ALLOCATED : TRACE_FREED);
    pajewrite_write_ints(&t->out.w, &event, trace_the_process.allocated, &size, 1);
}

TRACE_EXPORT void pajetrace_lib_heap(int64_t bytes)
{
    trace_thread *t = trace_is_on(TRACE_HEAP) ? trace_enter() : NULL;
    int64_t limit;
    if (!t)
        return;
    limit = (int64_t)trace_page->heap;
    t->heap += bytes;
    if (bytes >= limit || -bytes >= limit)
        note_allocation(t, bytes);
    if (t->heap >= limit || -t->heap >= limit)
        trace_write_heap(t);
    trace_leave(t);
}

trace_origin trace_get_origin(void)
{
    trace_origin origin = {0, 0};
    trace_thread *t = trace_enter();
    if (t) {
        origin.time = pajewrite_now(&t->out.w);
        origin.container = t->container.alias;
        trace_leave(t);
    }
    return origin;
}

/* Both ends are written here, on the container of the process, so that none is missing. */
static void write_link(trace_thread *t, trace_origin origin, pajewrite_type type)
{
    const uint64_t number = __atomic_add_fetch(&trace_page->keys, 1, __ATOMIC_RELAXED);
    const pajewrite_container process = trace_the_process.container;
    const pajewrite_value value = PAJEWRITE_VALUE(TRACE_ONLY_VALUE);
    pajewrite_start_link_at(&t->out.w, origin.time, process, type, value, PAJEWRITE_CONTAINER(origin.container),
                            number);
    trace_order_clock();
    pajewrite_end_link(&t->out.w, process, type, value, t->container, number);
}

void trace_begin_thread(trace_origin origin)
{
    trace_begin_thread_as(origin, NULL);
}

void trace_begin_thread_as(trace_origin origin, const char *name)
{
    trace_thread *t;
    trace_next_name = name;
    t = trace_enter();
    trace_next_name = NULL;
    if (!t)
        return;
    if (origin.container)
        write_link(t, origin, PAJEWRITE_TYPE(TRACE_CREATION_TYPE));
    trace_leave(t);
}

void trace_note_wake(trace_origin origin)
{
    const pajewrite_type type = PAJEWRITE_TYPE(TRACE_WAKE_TYPE), thread = PAJEWRITE_TYPE(TRACE_THREAD_TYPE);
    trace_thread *t = trace_enter();
    if (!t)
        return;
    if (!__atomic_exchange_n(&trace_the_process.has_wakes, 1, __ATOMIC_RELAXED)) {
        pajewrite_define_link_type(&t->out.w, type, PAJEWRITE_TYPE(TRACE_PROCESS_TYPE), thread, thread, "Notified");
        pajewrite_define_value(&t->out.w, PAJEWRITE_VALUE(TRACE_ONLY_VALUE), type, "notify", "0.85 0.45 0.10");
    }
    write_link(t, origin, type);
    trace_leave(t);
}

void trace_note(trace_defined *note, const char *class_name, int64_t bytes)
{
    const pajewrite_type type = PAJEWRITE_TYPE(TRACE_NOTE_TYPE);
    pajewrite_fields fields;
    pajewrite_event event;
    trace_thread *t = trace_enter();
    if (!t)
        return;
    if (!__atomic_exchange_n(&trace_the_process.has_notes, 1, __ATOMIC_RELAXED))
        pajewrite_define_event_type(&t->out.w, type, PAJEWRITE_TYPE(TRACE_THREAD_TYPE), "Java");
    memset(&event, 0, sizeof event);
    event.kind = PAJEWRITE_NEW_EVENT;
    event.time = PAJEWRITE_TIME_NOW;
    event.container = t->container;
    event.type = type;
    event.value = PAJEWRITE_VALUE(trace_find_defined(t, note, type));
    fields = pajewrite_fields_of(bytes < 0 ? trace_the_process.noted : trace_the_process.sized);
    pajewrite_field_string(&fields, class_name);
    if (bytes >= 0)
        pajewrite_field_int(&fields, bytes);
    pajewrite_write(&t->out.w, &event, &fields);
    trace_leave(t);
}

uint64_t trace_start_fork(void)
{
    trace_thread *t = trace_enter();
    uint64_t number = 0;
    if (t) {
        number = trace_page->fork_keys + __atomic_add_fetch(&trace_page->keys, 1, __ATOMIC_RELAXED);
        pajewrite_start_link(&t->out.w, PAJEWRITE_ROOT, PAJEWRITE_TYPE(TRACE_FORK_TYPE),
                             PAJEWRITE_VALUE(TRACE_ONLY_VALUE), t->container, number);
        trace_leave(t);
    }
    return number;
}
