/* Scopes of a thread: they end within each other, whatever a library tells or leaves out. */
#include "scopes.h"

int omp_is_paused, omp_is_tool;
__thread const void *omp_tested;

const trace_construct omp_constructs[] = {
    {"", NULL, 0},
#define STATE(NAME, name, color) {name, color, OMP_##NAME},
    OMP_STATES(STATE)
#undef STATE
};

/* Returns how many scopes are open, of those that are recorded. */
static uint32_t count_kept(const omp_thread *o)
{
    return o->count < OMP_DEPTH ? o->count : OMP_DEPTH;
}

trace_scope *omp_outermost_state(omp_thread *o, uint32_t first)
{
    for (; first < count_kept(o); first++)
        if (o->scopes[first].state.thread)
            return &o->scopes[first].state;
    return NULL;
}

void omp_forget_from(omp_thread *o, uint32_t first)
{
    o->count = first;
}

static void end_from(omp_thread *o, uint32_t first, uint64_t time)
{
    const trace_scope *state = omp_outermost_state(o, first);
    if (state)
        trace_end_construct(state, time);
    trace_hidden = o->scopes[first].hidden;
    omp_forget_from(o, first);
    if (first && o->scopes[first - 1].is_released)
        end_from(o, first - 1, time);
}

/* Ends the innermost scope if it is of a kind that may have no end of its own. */
static void end_last(omp_thread *o, omp_kind kind)
{
    if (o->count && o->count <= OMP_DEPTH && o->scopes[o->count - 1].kind == kind)
        end_from(o, o->count - 1, 0);
}

omp_scope *omp_begin(omp_thread *o, omp_kind kind, omp_state state, const void *code, const void *id)
{
    const int is_on = omp_is_on();
    omp_scope *it;
    end_last(o, OMP_ACQUIRE); /* it did not get the lock */
    if ((!o->count && !is_on) || o->count++ >= OMP_DEPTH)
        return NULL;
    it = &o->scopes[o->count - 1];
    it->kind = kind;
    it->hidden = trace_hidden;
    it->id = id;
    it->number = 0;
    it->times = 1;
    it->is_released = 0;
    it->state.thread = NULL;
    if (is_on)
        it->state = trace_begin_construct(&omp_constructs[state], code, 0);
    return it;
}

enum { NOWHERE = -1 };

/* Returns the place of the innermost scope of a kind; of explicit tasks and locks, of that one.  There is none if it
 * has begun while OpenMP was switched off. */
static int find(omp_thread *o, omp_kind kind, const void *id)
{
    int i;
    if (o->count > OMP_DEPTH) {
        o->count--; /* it is one of those that are not there */
        return NOWHERE;
    }
    for (i = (int)o->count - 1; i >= 0; i--) {
        const omp_scope *it = &o->scopes[i];
        if (it->kind == kind && (!id || it->id == id) && !it->is_released)
            return i;
        if ((it->kind == OMP_EXPLICIT || it->kind == OMP_MEMBER) && kind > it->kind)
            break; /* what is outside of this task is none of its own */
    }
    return NOWHERE;
}

void omp_end_at(omp_thread *o, omp_kind kind, uint64_t time)
{
    const int at = find(o, kind, NULL);
    if (at != NOWHERE)
        end_from(o, (uint32_t)at, time);
}

void omp_end(omp_thread *o, omp_kind kind)
{
    omp_end_at(o, kind, 0);
}

int omp_end_of(omp_thread *o, omp_kind kind, const void *id)
{
    const int at = find(o, kind, id);
    if (at == NOWHERE)
        return 0;
    if (kind == OMP_HOLD && --o->scopes[at].times)
        return 1;
    if (kind == OMP_HOLD && (uint32_t)at + 1 < o->count)
        o->scopes[at].is_released = 1;
    else
        end_from(o, (uint32_t)at, 0);
    return 1;
}

int omp_is_in(const omp_thread *o, const void *task)
{
    uint32_t i = count_kept(o);
    while (i-- > 0 && o->scopes[i].kind != OMP_MEMBER)
        if (o->scopes[i].kind == OMP_EXPLICIT && o->scopes[i].id == task)
            return 1;
    return 0;
}

void omp_hold(omp_thread *o, omp_state state, const void *code, const void *lock)
{
    omp_scope *last = o->count && o->count <= OMP_DEPTH ? &o->scopes[o->count - 1] : NULL;
    if (!last || last->kind != OMP_ACQUIRE || last->id != lock) {
        omp_begin(o, OMP_HOLD, state, code, lock);
        return;
    }
    last->kind = OMP_HOLD;
    if (last->state.thread)
        last->state = trace_next_construct(&last->state, &omp_constructs[state], code, 0);
    else if (omp_is_on())
        last->state = trace_begin_construct(&omp_constructs[state], code, 0);
}

int omp_hold_again(omp_thread *o, const void *lock)
{
    int i;
    for (i = (int)count_kept(o) - 1; i >= 0; i--)
        if (o->scopes[i].kind == OMP_HOLD && o->scopes[i].id == lock && !o->scopes[i].is_released) {
            o->scopes[i].times++;
            return 1;
        }
    return 0;
}

void omp_begin_wait(omp_thread *o, omp_state state)
{
    if (state == OMP_BARRIER)
        end_last(o, OMP_LOOSE);
    if (omp_begin(o, OMP_WAIT, state, NULL, NULL))
        trace_hidden |= TRACE_LOCKS;
}

void omp_begin_work(omp_thread *o, omp_kind kind, omp_state state, const void *code)
{
    end_last(o, OMP_LOOSE);
    omp_begin(o, kind, state, code, NULL);
}

void omp_begin_task(omp_thread *o, omp_state state, const void *code, const void *id)
{
    if (omp_begin(o, OMP_EXPLICIT, state, code, id))
        trace_hidden &= ~(uint32_t)TRACE_LOCKS;
}
