/* Messages between threads of any processes of a run: links with a text as key, which both ends know; and accesses of
 * threads to processes, whose links have both ends from one. */
#include "thread.h"

#include <string.h>

/* The type belongs to no layer, so it is in traces that have messages only. */
static void define_messages(pajewrite *w)
{
    const pajewrite_type message = PAJEWRITE_TYPE(TRACE_MESSAGE_TYPE), thread = PAJEWRITE_TYPE(TRACE_THREAD_TYPE);
    if (__atomic_exchange_n(&trace_the_process.has_messages, 1, __ATOMIC_RELAXED))
        return;
    pajewrite_define_link_type(w, message, PAJEWRITE_ROOT_TYPE, thread, thread, "Message");
    pajewrite_define_value(w, PAJEWRITE_VALUE(TRACE_MESSAGE), message, "message", "0.15 0.15 0.15");
    pajewrite_define_value(w, PAJEWRITE_VALUE(TRACE_COLLECTIVE_MESSAGE), message, "collective", "0.55 0.30 0.75");
}

/* Returns when the call of the innermost state began: what it sends is on its way from then on. */
static uint64_t begin_of_call(trace_thread *t)
{
    const uint64_t began = t->depth > 0 && t->depth <= TRACE_DEPTH ? t->calls[t->depth - 1].began : 0;
    return began ? began : pajewrite_now(&t->out.w);
}

/* Returns when that call has ended, which is when it is asked for first. */
static uint64_t end_of_call(trace_thread *t)
{
    if (!t->leaving) {
        trace_order_clock();
        t->leaving = pajewrite_now(&t->out.w);
    }
    return t->leaving;
}

/* Writes one end: when and where it was, or by the call of the innermost state; with its bytes if they are known. */
static void write_end(pajewrite_kind kind, uint32_t value, const char *key, const trace_origin *at,
                      pajewrite_variant variant, int64_t bytes)
{
    pajewrite_event event;
    trace_thread *t = trace_enter();
    if (!t)
        return;
    if (!__atomic_load_n(&trace_the_process.has_messages, __ATOMIC_RELAXED))
        define_messages(&t->out.w);
    memset(&event, 0, sizeof event);
    event.kind = kind;
    event.time = at ? at->time : kind == PAJEWRITE_START_LINK ? begin_of_call(t) : end_of_call(t);
    event.container = PAJEWRITE_ROOT;
    event.type = PAJEWRITE_TYPE(TRACE_MESSAGE_TYPE);
    event.value = PAJEWRITE_VALUE(value);
    event.other = at ? PAJEWRITE_CONTAINER(at->container) : t->container;
    event.name = key;
    if (bytes < 0)
        pajewrite_write(&t->out.w, &event, NULL);
    else
        pajewrite_write_ints(&t->out.w, &event, variant, &bytes, 1);
    trace_leave(t);
}

trace_origin trace_get_end_of_call(void)
{
    trace_origin end = {0, 0};
    trace_thread *t = trace_enter();
    if (t) {
        end.time = end_of_call(t);
        end.container = t->container.alias;
        trace_leave(t);
    }
    return end;
}

void trace_start_message(const char *key, const trace_origin *at, int64_t bytes)
{
    write_end(PAJEWRITE_START_LINK, TRACE_MESSAGE, key, at, trace_the_process.sent, bytes);
}

void trace_end_message(const char *key, const trace_origin *at, int64_t bytes)
{
    write_end(PAJEWRITE_END_LINK, TRACE_MESSAGE, key, at, trace_the_process.received, bytes);
}

void trace_start_collective(const char *key, int64_t bytes)
{
    write_end(PAJEWRITE_START_LINK, TRACE_COLLECTIVE_MESSAGE, key, NULL, trace_the_process.sent, bytes);
}

void trace_end_collective(const char *key, int64_t bytes)
{
    write_end(PAJEWRITE_END_LINK, TRACE_COLLECTIVE_MESSAGE, key, NULL, trace_the_process.received, bytes);
}

/* ---- sends that a later call waits for */

enum { LEAST_WAIT = 1000 }; /* nanoseconds */

int trace_has_waited(void)
{
    trace_thread *t = trace_enter();
    int has_waited = 0;
    if (!t)
        return 0;
    if (t->depth > 0 && t->depth <= TRACE_DEPTH && t->calls[t->depth - 1].began)
        has_waited = end_of_call(t) - t->calls[t->depth - 1].began >= LEAST_WAIT;
    trace_leave(t);
    return has_waited;
}

void trace_complete_message(const char *key)
{
    const pajewrite_type type = PAJEWRITE_TYPE(TRACE_SENT_TYPE);
    pajewrite_fields fields;
    pajewrite_event event;
    trace_thread *t = trace_enter();
    if (!t)
        return;
    if (!__atomic_exchange_n(&trace_the_process.has_completions, 1, __ATOMIC_RELAXED)) {
        pajewrite_define_event_type(&t->out.w, type, PAJEWRITE_TYPE(TRACE_THREAD_TYPE), "Sent");
        pajewrite_define_value(&t->out.w, PAJEWRITE_VALUE(TRACE_ONLY_VALUE), type, "sent", "0.15 0.15 0.15");
    }
    memset(&event, 0, sizeof event);
    event.kind = PAJEWRITE_NEW_EVENT;
    event.time = end_of_call(t);
    event.container = t->container;
    event.type = type;
    event.value = PAJEWRITE_VALUE(TRACE_ONLY_VALUE);
    fields = pajewrite_fields_of(trace_the_process.completed);
    pajewrite_field_string(&fields, key);
    pajewrite_write(&t->out.w, &event, &fields);
    trace_leave(t);
}

/* ---- accesses */

static void define_accesses(pajewrite *w)
{
    const pajewrite_type access = PAJEWRITE_TYPE(TRACE_ACCESS_TYPE), thread = PAJEWRITE_TYPE(TRACE_THREAD_TYPE);
    if (__atomic_exchange_n(&trace_the_process.has_accesses, 1, __ATOMIC_RELAXED))
        return;
    pajewrite_define_link_type(w, access, PAJEWRITE_ROOT_TYPE, thread, PAJEWRITE_TYPE(TRACE_PROCESS_TYPE), "Access");
    pajewrite_define_value(w, PAJEWRITE_VALUE(TRACE_PUT), access, "put", "0.20 0.40 0.85");
    pajewrite_define_value(w, PAJEWRITE_VALUE(TRACE_GET), access, "get", "0.85 0.25 0.25");
    pajewrite_define_value(w, PAJEWRITE_VALUE(TRACE_UPDATE), access, "update", "0.15 0.60 0.60");
}

void trace_link_access(const trace_access *it)
{
    pajewrite_event event;
    trace_thread *t = it->process ? trace_enter() : NULL;
    if (!t)
        return;
    if (!__atomic_load_n(&trace_the_process.has_accesses, __ATOMIC_RELAXED))
        define_accesses(&t->out.w);
    memset(&event, 0, sizeof event);
    event.kind = PAJEWRITE_START_LINK;
    event.time = it->time;
    event.container = PAJEWRITE_ROOT;
    event.type = PAJEWRITE_TYPE(TRACE_ACCESS_TYPE);
    event.value = PAJEWRITE_VALUE(it->kind);
    event.other = t->container;
    event.key = __atomic_add_fetch(&trace_page->keys, 1, __ATOMIC_RELAXED);
    pajewrite_write_ints(&t->out.w, &event, trace_the_process.accessed, &it->bytes, 1);
    pajewrite_end_link(&t->out.w, PAJEWRITE_ROOT, event.type, event.value, PAJEWRITE_CONTAINER(it->process),
                       event.key);
    trace_leave(t);
}
