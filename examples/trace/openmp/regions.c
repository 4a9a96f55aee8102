/* Regions and the threads in them.
 *
 * A worker learns late that its region has ended: when there is another one for it, or never.  So the region notes when
 * that was, and the worker's implicit task is ended with that time afterwards: by itself, or, if the process ends
 * before, by the thread that ends it. */
#include "scopes.h"

#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <time.h>

__thread omp_thread *omp_self;
static omp_thread *newest;
static pthread_key_t key;
static int has_key;
static int unpark(omp_thread *o, int is_over);

/* ---- threads */

static void *take_memory(size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

/* The next new thread goes on with what one has that has ended. */
omp_thread *omp_claim_thread(void)
{
    omp_thread *o = __atomic_load_n(&newest, __ATOMIC_ACQUIRE);
    for (; o; o = o->next) {
        int unclaimed = 0;
        if (__atomic_compare_exchange_n(&o->claimed, &unclaimed, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
            break;
    }
    if (!o) {
        o = (omp_thread *)take_memory(sizeof *o);
        if (!o)
            return NULL;
        o->claimed = 1;
        o->next = __atomic_load_n(&newest, __ATOMIC_RELAXED);
        while (!__atomic_compare_exchange_n(&newest, &o->next, o, 1, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
            ;
    }
    o->count = 0;
    omp_self = o;
    if (has_key)
        pthread_setspecific(key, o);
    return o;
}

/* The destructor of the key: the layer's states end with those of the thread, which the core ends later. */
static void end_thread(void *data)
{
    omp_thread *o = (omp_thread *)data;
    unpark(o, 1); /* one that was begun for a region within another ends with it */
    omp_forget_from(o, 0);
    trace_hidden = 0;
    omp_self = NULL;
    __atomic_store_n(&o->claimed, 0, __ATOMIC_RELEASE);
}

/* What threads of the parent are in is not what the child is in. */
static void in_child(void)
{
    omp_self = newest = NULL;
    trace_hidden = 0;
}

__attribute__((constructor)) static void begin(void)
{
    has_key = pthread_key_create(&key, end_thread) == 0;
    pthread_atfork(NULL, NULL, in_child);
}

/* ---- records: each thread has its own, and others give them back */

omp_record *omp_new_record(omp_thread *o, const void *code)
{
    enum { CHUNK = 1 << 16, FEW = 16 };
    omp_record *it;
    /* Some are new, so that those that were returned since are many: each time takes a line of another processor. */
    if (!o->free && o->made >= FEW)
        o->free = __atomic_exchange_n(&o->returned, NULL, __ATOMIC_ACQUIRE);
    it = o->free;
    if (it) {
        o->free = it->next;
    } else {
        o->made++;
        if (o->chunk == o->chunk_end) {
            o->chunk = (char *)take_memory(CHUNK / sizeof *it * sizeof *it);
            o->chunk_end = o->chunk ? o->chunk + CHUNK / sizeof *it * sizeof *it : NULL;
            if (!o->chunk)
                return NULL;
        }
        it = (omp_record *)(void *)o->chunk;
        o->chunk += sizeof *it;
    }
    it->next = it->depends = it->on = NULL;
    it->owner = o;
    it->code = code;
    it->ended = it->created = (trace_origin){0, 0};
    __atomic_store_n(&it->uses, 1, __ATOMIC_RELEASE);
    return it;
}

int omp_use_record(omp_record *record)
{
    uint32_t uses = __atomic_load_n(&record->uses, __ATOMIC_RELAXED);
    while (uses)
        if (__atomic_compare_exchange_n(&record->uses, &uses, uses + 1, 1, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
            return 1;
    return 0;
}

void omp_drop_record(omp_record *record)
{
    omp_thread *o = record->owner;
    if (__atomic_sub_fetch(&record->uses, 1, __ATOMIC_ACQ_REL))
        return;
    if (o == omp_self) {
        record->next = o->free;
        o->free = record;
        return;
    }
    record->next = __atomic_load_n(&o->returned, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&o->returned, &record->next, record, 1, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
        ;
}

/* ---- regions and implicit tasks */

omp_record *omp_begin_region(omp_thread *o, const void *code)
{
    return omp_begin(o, OMP_REGION, OMP_PARALLEL, code, NULL) ? omp_new_record(o, code) : NULL;
}

static uint64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* Returns when a region has ended: that is noted by the first of its threads that knows it. */
static uint64_t note_end(omp_record *region)
{
    uint64_t noted = 0, time = now();
    return __atomic_compare_exchange_n(&region->ended.time, &noted, time, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)
               ? time
               : noted;
}

void omp_end_region(omp_thread *o, omp_record *region)
{
    uint64_t time = 0;
    /* There are workers that wait, or one has ended already. */
    if (region && (__atomic_load_n(&region->uses, __ATOMIC_ACQUIRE) > 1 || region->ended.time))
        time = note_end(region);
    omp_end_at(o, OMP_REGION, time);
    if (region)
        omp_drop_record(region);
}

void omp_begin_member(omp_thread *o, omp_record *region)
{
    const void *code = region ? region->code : NULL;
    omp_scope *it = o->count && o->count <= OMP_DEPTH ? &o->scopes[o->count - 1] : NULL;
    if (it && it->kind == OMP_OUTSIDE && it->state.thread && omp_is_on()) {
        trace_hidden = it->hidden;
        it->kind = OMP_MEMBER;
        it->state = trace_replace_construct(&it->state, &omp_constructs[OMP_IMPLICIT_TASK], code, 0);
    } else {
        omp_end(o, OMP_OUTSIDE);
        it = omp_begin(o, OMP_MEMBER, OMP_IMPLICIT_TASK, code, NULL);
    }
    if (it && region) {
        it->region = region;
        if (region->owner != o) /* whose own use lasts longer */
            __atomic_add_fetch(&region->uses, 1, __ATOMIC_RELAXED);
    }
}

/* Returns the place of the innermost implicit task; OMP_DEPTH: there is none. */
static uint32_t find_member(const omp_thread *o)
{
    uint32_t i = o->count;
    if (i > OMP_DEPTH)
        return OMP_DEPTH;
    while (i > 0)
        if (o->scopes[--i].kind == OMP_MEMBER)
            return i;
    return OMP_DEPTH;
}

/* Whether the calling thread has begun the region of its innermost implicit task. */
static int is_primary(const omp_thread *o)
{
    const uint32_t at = find_member(o);
    return at < OMP_DEPTH && at && o->scopes[at - 1].kind == OMP_REGION && o->scopes[at].region &&
           o->scopes[at].region->owner == o;
}

/* The implicit task of the thread that has begun the region ends with that, which follows at once. */
void omp_end_member(omp_thread *o)
{
    if (!is_primary(o))
        omp_end(o, OMP_MEMBER);
}

int omp_is_at_end(const omp_thread *o, const void *code)
{
    return code && is_primary(o) && o->scopes[find_member(o)].region->code == code;
}

void omp_begin_idle(omp_thread *o)
{
    if (omp_begin(o, OMP_OUTSIDE, OMP_IDLE, NULL, NULL))
        trace_hidden |= TRACE_LOCKS;
}

/* ---- workers at the end of their region */

static omp_record being_settled; /* marks a worker whose implicit task another thread is ending */

void omp_park(omp_thread *o)
{
    const uint32_t at = find_member(o);
    if (at < OMP_DEPTH && o->scopes[at].region && o->scopes[at].region->owner != o)
        __atomic_store_n(&o->parked, o->scopes[at].region, __ATOMIC_RELEASE);
}

/* Puts being idle in place of the implicit task, from the end of its region on. */
static void settle(omp_thread *o, uint64_t time)
{
    const uint32_t at = find_member(o);
    omp_scope *it = &o->scopes[at];
    const trace_scope *state = at < OMP_DEPTH ? omp_outermost_state(o, at) : NULL;
    trace_scope idle = {NULL, 0};
    if (at == OMP_DEPTH)
        return;
    if (state && (omp_is_on() || o != omp_self))
        idle = trace_replace_construct(state, &omp_constructs[OMP_IDLE], NULL, time);
    else if (state)
        trace_end_construct(state, time);
    if (!idle.thread && o == omp_self)
        trace_hidden = it->hidden;
    omp_forget_from(o, at);
    if (!idle.thread)
        return;
    it->kind = OMP_OUTSIDE;
    it->state = idle;
    it->region = NULL;
    o->count = at + 1;
}

/* `is_over`: the region has ended, whether that was noted or not. */
static int unpark(omp_thread *o, int is_over)
{
    omp_record *region = __atomic_load_n(&o->parked, __ATOMIC_ACQUIRE);
    uint64_t ended;
    while (region == &being_settled ||
           (region && !__atomic_compare_exchange_n(&o->parked, &region, NULL, 0, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE)))
        if (region == &being_settled) {
            sched_yield();
            region = __atomic_load_n(&o->parked, __ATOMIC_ACQUIRE);
        }
    if (!region)
        return 0;
    ended = is_over ? note_end(region) : __atomic_load_n(&region->ended.time, __ATOMIC_ACQUIRE);
    if (ended)
        settle(o, ended);
    return ended != 0;
}

int omp_unpark(omp_thread *o)
{
    return unpark(o, 0);
}

void omp_unpark_late(omp_thread *o)
{
    const omp_record *region = __atomic_load_n(&o->parked, __ATOMIC_ACQUIRE);
    if (region && region != &being_settled && __atomic_load_n(&region->ended.time, __ATOMIC_ACQUIRE))
        omp_unpark(o);
}

/* The process ends, and with it the workers, which learn nothing of it. */
__attribute__((destructor)) static void end(void)
{
    omp_thread *o = __atomic_load_n(&newest, __ATOMIC_ACQUIRE);
    for (; o; o = o->next) {
        omp_record *region = __atomic_load_n(&o->parked, __ATOMIC_ACQUIRE);
        uint64_t ended;
        if (o == omp_self || !region || region == &being_settled)
            continue;
        ended = __atomic_load_n(&region->ended.time, __ATOMIC_ACQUIRE);
        if (!ended || !__atomic_compare_exchange_n(&o->parked, &region, &being_settled, 0, __ATOMIC_ACQUIRE,
                                                   __ATOMIC_RELAXED))
            continue;
        settle(o, ended);
        __atomic_store_n(&o->parked, NULL, __ATOMIC_RELEASE);
    }
}
