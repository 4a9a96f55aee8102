/* The stack of states of a thread, which all layers share. */
#include "thread.h"

#include <string.h>

enum { STACK_SIZE = 8 << 20 /* what is farther apart is on different stacks */ };

/* Pops what was left without its end: what began where the program's stack was shorter than at `place`.  Calls that
 * follow each other in one function have the same place, and so has the beginning of that function. */
static void pop_left(trace_thread *t, uintptr_t place)
{
    for (; t->depth > 1 && t->depth <= TRACE_DEPTH; trace_pop_to(t, t->depth - 1)) {
        const uintptr_t frame = t->frames[t->depth - 1];
        if (frame > place || place - frame >= STACK_SIZE || (frame == place && t->functions[t->depth - 1]))
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

void trace_end_open(const trace_scope *scope)
{
    trace_thread *t = trace_enter_again(scope->thread);
    if (!t)
        return;
    trace_pop_to(t, scope->depth);
    trace_leave(t);
}

void trace_end_open_bytes(const trace_scope *scope, int64_t bytes)
{
    trace_thread *t = trace_enter_again(scope->thread);
    if (!t)
        return;
    trace_pop_to(t, scope->depth + 1);
    if (t->depth > scope->depth) {
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

/* Functions that are inlined have the same place on the stack as that which they are part of; a function is inlined
 * into itself a few times at most.  Where there are more, longjmp has left them. */
static void pop_repeated(trace_thread *t, uintptr_t function, uintptr_t place)
{
    uint32_t depth = t->depth < TRACE_DEPTH ? t->depth : TRACE_DEPTH, lowest = depth, times = 0;
    for (; depth > 1 && t->frames[depth - 1] == place; depth--)
        if (t->functions[depth - 1] == function) {
            lowest = depth - 1;
            times++;
        }
    if (times > 8)
        trace_pop_to(t, lowest);
}

void trace_enter_function(uintptr_t function, const void *frame)
{
    trace_thread *t = trace_enter();
    uint32_t value;
    if (!t)
        return;
    pop_left(t, (uintptr_t)frame);
    pop_repeated(t, function, (uintptr_t)frame);
    if (t->depth >= TRACE_DEPTH) {
        t->skipped++;
    } else if ((value = trace_find_function(&t->out.w, function))) {
        trace_push(t, value, (uintptr_t)frame);
        t->functions[t->depth - 1] = function;
        t->skipped = 0;
    }
    trace_leave(t);
}

void trace_exit_function(uintptr_t function)
{
    trace_thread *t = trace_enter();
    uint32_t depth;
    if (!t)
        return;
    if (t->skipped) {
        t->skipped--;
    } else {
        for (depth = t->depth < TRACE_DEPTH ? t->depth : TRACE_DEPTH; depth > 1; depth--)
            if (t->functions[depth - 1] == function) {
                trace_pop_to(t, depth - 1);
                break;
            }
    }
    trace_leave(t);
}

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
