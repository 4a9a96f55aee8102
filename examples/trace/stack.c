/* The stack of states of a thread, which all layers share. */
#include "thread.h"

#include <string.h>

enum { STACK_SIZE = 8 << 20 /* what is farther apart is on different stacks */ };

/* Pops what was left without its end: what began where the program's stack was shorter than at `place`.  Calls that
 * follow each other in one function have the same place, and so has the beginning of that function.  States without a
 * place, as those of Java, stay. */
static void pop_left(trace_thread *t, uintptr_t place)
{
    for (; t->depth > 1 && t->depth <= TRACE_DEPTH; trace_pop_to(t, t->depth - 1)) {
        const uintptr_t frame = t->calls[t->depth - 1].frame;
        if (frame == TRACE_NO_FRAME || frame > place || place - frame >= STACK_SIZE ||
            (frame == place && t->calls[t->depth - 1].function))
            return;
    }
}

trace_scope trace_begin_at(trace_state state, const void *frame)
{
    const uintptr_t place = (uintptr_t)frame;
    trace_thread *t = trace_enter();
    trace_scope scope = {t, 0};
    if (!t)
        return scope;
    pop_left(t, place);
    scope.depth = t->depth;
    trace_push(t, state, place);
    trace_leave(t);
    return scope;
}

/* Returns the identifier of a value, which it defines if this process has not used it.  If two threads do that at the
 * same time, it has two, of the same name. */
uint32_t trace_find_defined(trace_thread *t, trace_defined *it, pajewrite_type type)
{
    const uint64_t known = __atomic_load_n(&it->known, __ATOMIC_RELAXED);
    pajewrite_value value;
    if (known >> 32 == trace_the_process.index)
        return (uint32_t)known;
    value = pajewrite_new_value(&t->out.w);
    pajewrite_define_value(&t->out.w, value, type, it->name, it->color);
    __atomic_store_n(&it->known, (uint64_t)trace_the_process.index << 32 | value.alias, __ATOMIC_RELAXED);
    return value.alias;
}

static uint32_t find_defined(trace_thread *t, trace_defined *state)
{
    return trace_find_defined(t, state, PAJEWRITE_TYPE(TRACE_STATE_TYPE));
}

/* Notes a state of a layer, and when it began: what is sent within has the same time. */
static void note_defined(trace_thread *t, uintptr_t frame, uint64_t began)
{
    trace_note_state(t, frame);
    if (t->depth <= TRACE_DEPTH)
        t->calls[t->depth - 1].began = began;
}

trace_scope trace_begin_defined(trace_defined *state, const void *frame)
{
    trace_thread *t = trace_enter();
    trace_scope scope = {t, 0};
    pajewrite_value value;
    uint64_t now;
    if (!t)
        return scope;
    pop_left(t, (uintptr_t)frame);
    scope.depth = t->depth;
    value = PAJEWRITE_VALUE(find_defined(t, state));
    now = pajewrite_now(&t->out.w);
    pajewrite_track_push_state_at(&t->track, now, value);
    note_defined(t, (uintptr_t)frame, now);
    trace_leave(t);
    return scope;
}

trace_scope trace_begin_collective(trace_defined *state, const void *frame, const trace_collective *it)
{
    trace_thread *t = trace_enter();
    trace_scope scope = {t, 0};
    pajewrite_fields fields;
    pajewrite_event event;
    if (!t)
        return scope;
    pop_left(t, (uintptr_t)frame);
    scope.depth = t->depth;
    fields = pajewrite_fields_of(trace_the_process.collective);
    pajewrite_field_string(&fields, it->communicator);
    pajewrite_field_int(&fields, it->root);
    pajewrite_field_int(&fields, it->bytes);
    pajewrite_field_int(&fields, it->instance);
    pajewrite_field_int(&fields, it->rank);
    pajewrite_field_int(&fields, it->size);
    memset(&event, 0, sizeof event);
    event.kind = PAJEWRITE_PUSH_STATE;
    event.container = t->container;
    event.type = PAJEWRITE_TYPE(TRACE_STATE_TYPE);
    event.value = PAJEWRITE_VALUE(find_defined(t, state));
    event.time = pajewrite_now(&t->out.w);
    pajewrite_write(&t->out.w, &event, &fields);
    note_defined(t, (uintptr_t)frame, event.time);
    trace_leave(t);
    return scope;
}

trace_scope trace_begin_access(trace_defined *state, const void *frame, trace_access *it)
{
    trace_thread *t = trace_enter();
    trace_scope scope = {t, 0};
    const int64_t numbers[] = {it->target, it->bytes};
    pajewrite_event event;
    if (!t)
        return scope;
    pop_left(t, (uintptr_t)frame);
    scope.depth = t->depth;
    memset(&event, 0, sizeof event);
    event.kind = PAJEWRITE_PUSH_STATE;
    event.container = t->container;
    event.type = PAJEWRITE_TYPE(TRACE_STATE_TYPE);
    event.value = PAJEWRITE_VALUE(find_defined(t, state));
    it->time = event.time = pajewrite_now(&t->out.w);
    pajewrite_write_ints(&t->out.w, &event, trace_the_process.access, numbers, 2);
    note_defined(t, (uintptr_t)frame, it->time);
    trace_leave(t);
    return scope;
}

void trace_end_open(const trace_scope *scope)
{
    trace_thread *t = trace_enter_again(scope->thread);
    if (!t)
        return;
    if (t->leaving && t->depth == scope->depth + 1 && !t->counters) {
        pajewrite_track_pop_state_at(&t->track, t->leaving);
        t->depth--;
    }
    t->leaving = 0;
    trace_pop_to(t, scope->depth);
    trace_leave(t);
}

void trace_end_open_bytes(const trace_scope *scope, int64_t bytes)
{
    trace_thread *t = trace_enter_again(scope->thread);
    if (!t)
        return;
    trace_pop_to(t, scope->depth + 1);
    if (t->depth > scope->depth && t->counters) {
        trace_count_end(t, bytes);
        t->depth--;
    } else if (t->depth > scope->depth) {
        pajewrite_event event;
        memset(&event, 0, sizeof event);
        event.kind = PAJEWRITE_POP_STATE;
        event.time = PAJEWRITE_TIME_NOW;
        event.container = t->container;
        event.type = PAJEWRITE_TYPE(TRACE_STATE_TYPE);
        pajewrite_write_ints(&t->out.w, &event, trace_the_process.ended_bytes, &bytes, 1);
        t->depth--;
    }
    trace_leave(t);
}

/* ---- functions */

/* Functions that are inlined have the same place on the stack as that which they are part of; a function is inlined
 * into itself a few times at most.  Where there are more, longjmp has left them. */
static void pop_repeated(trace_thread *t, const trace_function *function, uintptr_t place)
{
    uint32_t depth = t->depth < TRACE_DEPTH ? t->depth : TRACE_DEPTH, lowest = depth, times = 0;
    for (; depth > 1 && t->calls[depth - 1].frame == place; depth--)
        if (t->calls[depth - 1].function == function) {
            lowest = depth - 1;
            times++;
        }
    if (times > 8)
        trace_pop_to(t, lowest);
}

/* Counts calls within the function itself, so that their ends are not taken for its own. */
static void leave_out(trace_thread *t, const trace_function *function)
{
    t->left_out += function->is_off == TRACE_THROTTLED;
    if (t->depth <= TRACE_DEPTH && t->calls[t->depth - 1].function == function)
        t->calls[t->depth - 1].inside++;
}

static void push_function(trace_thread *t, trace_function *function, uintptr_t place)
{
    const uint64_t now = pajewrite_now(&t->out.w);
    const pajewrite_value value = PAJEWRITE_VALUE(trace_function_value(&t->out.w, function, NULL));
    pajewrite_track_push_state_at(&t->track, now, value);
    t->calls[t->depth].frame = place;
    t->calls[t->depth].function = function;
    t->calls[t->depth].began = now;
    t->calls[t->depth].inside = 0;
    t->depth++;
    t->skipped = 0;
    if (t->counters)
        trace_count_begin(t);
}

void trace_enter_function(uintptr_t address, const void *frame)
{
    trace_thread *t = trace_enter();
    trace_function *function = t ? trace_find_function(&t->out.w, address, NULL) : NULL;
    if (function && function->is_off) {
        leave_out(t, function);
    } else if (function) {
        pop_left(t, (uintptr_t)frame);
        pop_repeated(t, function, (uintptr_t)frame);
        if (t->depth < TRACE_DEPTH)
            push_function(t, function, (uintptr_t)frame);
        else
            t->skipped++;
    }
    if (t)
        trace_leave(t);
}

/* Ends a function at the top of the stack. */
static void pop_function(trace_thread *t)
{
    const uint64_t now = pajewrite_now(&t->out.w), began = t->calls[t->depth - 1].began;
    trace_function *function = t->calls[t->depth - 1].function;
    if (t->counters)
        trace_count_end(t, TRACE_NO_BYTES);
    else
        pajewrite_track_pop_state_at(&t->track, now);
    t->depth--;
    if (trace_page->throttle_time && !function->is_off && trace_count_call(function, now - began))
        trace_mark_left_out(&t->out.w, t->container, function);
}

/* A function that is left out ends only if it is at the top. */
static void end_call(trace_thread *t, uintptr_t address)
{
    uint32_t depth = t->depth < TRACE_DEPTH ? t->depth : TRACE_DEPTH;
    const trace_function *function = t->calls[depth - 1].function;
    if (!t->skipped && function && function->key == address) {
        if (t->calls[depth - 1].inside) {
            t->calls[depth - 1].inside--;
        } else {
            trace_pop_to(t, depth);
            pop_function(t);
        }
        return;
    }
    function = trace_find_function(&t->out.w, address, NULL);
    if (!function || function->is_off)
        return;
    if (t->skipped) {
        t->skipped--;
        return;
    }
    for (; depth > 1; depth--)
        if (t->calls[depth - 1].function == function) {
            trace_pop_to(t, depth);
            pop_function(t);
            return;
        }
}

void trace_exit_function(uintptr_t address)
{
    trace_thread *t = trace_enter();
    if (!t)
        return;
    end_call(t, address);
    trace_leave(t);
}

/* ---- states that are named at run time */

trace_scope trace_begin_named(const char *name)
{
    trace_thread *t = trace_enter();
    trace_scope scope = {NULL, 0};
    const uint32_t value = t ? trace_find_name(&t->out.w, TRACE_NAMED_STATE, name) : 0;
    if (value) {
        scope.thread = t;
        scope.depth = t->depth;
        trace_push(t, value, TRACE_NO_FRAME);
    }
    if (t)
        trace_leave(t);
    return scope;
}

/* The state at the bottom of the stack is the thread's. */
void trace_end_depth(uint32_t depth)
{
    trace_thread *t = trace_enter_again(trace_self);
    if (!t)
        return;
    trace_pop_to(t, depth ? depth : 1);
    trace_leave(t);
}
