/* Regions and the threads in them.
 *
 * A worker learns late that its region has ended: when there is another one for it, or never.  So the region notes when
 * that was, and the worker's implicit task is ended with that time afterwards: by itself, or, if the process ends
 * before, by the thread that ends it. */
#include "scopes.h"
#include "../clock.h"

#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <time.h>

__thread omp_thread *omp_self;
static omp_thread *newest;
static uint64_t made; /* how many there were */
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
        o->number = __atomic_add_fetch(&made, 1, __ATOMIC_RELAXED) << 40; /* so that it has numbers of its own */
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

const omp_region *omp_begin_region(omp_thread *o, const void *code)
{
    const omp_scope *it = omp_begin(o, OMP_REGION, OMP_PARALLEL, code, NULL);
    omp_region *region = it ? &o->regions[it - o->scopes] : NULL;
    if (!region)
        return NULL;
    region->owner = o;
    region->number = ++o->number;
    region->code = code;
    return region;
}

static uint64_t now(void)
{
    trace_order_clock();
    return trace_clock(NULL);
}

#define IS_TIME (UINT64_C(1) << 63) /* of omp_thread.parked */
#define BEING_SETTLED UINT64_MAX    /* another thread is ending its implicit task */

/* Returns when a region has ended, if that is noted here; else 0. */
static uint64_t read_end(const omp_region_end *end, uint64_t number)
{
    uint64_t time;
    if (__atomic_load_n(&end->number, __ATOMIC_ACQUIRE) != number)
        return 0;
    time = __atomic_load_n(&end->time, __ATOMIC_ACQUIRE);
    return __atomic_load_n(&end->number, __ATOMIC_RELAXED) == number ? time : 0;
}

static void write_end(omp_region_end *end, uint64_t number, uint64_t time)
{
    __atomic_store_n(&end->number, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&end->time, time, __ATOMIC_RELEASE);
    __atomic_store_n(&end->number, number, __ATOMIC_RELEASE);
}

/* Tells workers that still wait at the end of regions which have ended, before the place of these is used again. */
static void tell_workers(const omp_thread *team)
{
    omp_thread *o = __atomic_load_n(&newest, __ATOMIC_ACQUIRE);
    for (; o; o = o->next) {
        uint64_t parked = __atomic_load_n(&o->parked, __ATOMIC_ACQUIRE);
        const uint64_t time = parked & IS_TIME ? 0 : read_end(&team->ends[parked % OMP_ENDS], parked);
        if (parked && time)
            __atomic_compare_exchange_n(&o->parked, &parked, time | IS_TIME, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
    }
}

/* Whether the region is within another one: gcc's library ends its workers with it. */
static int is_nested(const omp_thread *o, const omp_region *region)
{
    const omp_scope *it = &o->scopes[region - o->regions];
    while (it-- > o->scopes)
        if (it->kind == OMP_MEMBER)
            return 1;
    return 0;
}

/* Returns when a region has ended: now.  A worker that ends at the same time sees in `ending` that it is not the first
 * to know it. */
static uint64_t note_end(omp_thread *o, omp_region *region)
{
    omp_region_end *end = &o->ends[region->number % OMP_ENDS];
    uint64_t time;
    if (is_nested(o, region))
        __atomic_exchange_n(&o->ending, region->number, __ATOMIC_SEQ_CST);
    time = now();
    if (end->number && end->time >= o->told) {
        tell_workers(o);
        o->told = time;
    }
    write_end(end, region->number, time);
    write_end(&region->last, region->number, time);
    return time;
}

/* The innermost region of the thread ends: LLVM's library may have given what it tells of it to another thread. */
void omp_end_region(omp_thread *o)
{
    uint32_t i = o->count <= OMP_DEPTH ? o->count : 0;
    uint64_t time = 0;
    while (i > 0 && !time)
        if (o->scopes[--i].kind == OMP_REGION)
            time = note_end(o, &o->regions[i]);
    omp_end_at(o, OMP_REGION, time);
}

void omp_begin_member(omp_thread *o, const omp_region *region)
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
        it->number = region->number;
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

/* Whether a thread has begun a region, by where that is: to look into it might fetch it once more. */
static int is_own(const omp_thread *o, const omp_region *region)
{
    return region >= o->regions && region < o->regions + OMP_DEPTH;
}

/* Whether the calling thread has begun the region of its innermost implicit task. */
static int is_primary(const omp_thread *o)
{
    const uint32_t at = find_member(o);
    return at < OMP_DEPTH && at && o->scopes[at - 1].kind == OMP_REGION && o->scopes[at].number &&
           is_own(o, o->scopes[at].region);
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

void omp_park(omp_thread *o)
{
    const uint32_t at = find_member(o);
    if (at == OMP_DEPTH || !o->scopes[at].number || is_own(o, o->scopes[at].region))
        return;
    o->joined = o->scopes[at].region;
    __atomic_store_n(&o->parked, o->scopes[at].number, __ATOMIC_RELEASE);
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
    it->number = 0;
    o->count = at + 1;
}

/* Returns when the region has ended at whose end a worker waits, as `parked` is; 0: it has not.  `is_over`: it has,
 * whether that was noted or not. */
static uint64_t end_of_wait(const omp_thread *o, uint64_t parked, int is_over)
{
    const uint64_t time = is_over ? now() : 0;
    uint64_t noted = parked & IS_TIME ? parked & ~IS_TIME : read_end(&o->joined->last, parked);
    int is_noted_soon;
    if (noted)
        return noted;
    if (is_over)
        __atomic_thread_fence(__ATOMIC_SEQ_CST);
    do {
        is_noted_soon = is_over && __atomic_load_n(&o->joined->owner->ending, __ATOMIC_ACQUIRE) == parked;
        noted = read_end(&o->joined->owner->ends[parked % OMP_ENDS], parked);
    } while (is_noted_soon && !noted && __atomic_load_n(&o->parked, __ATOMIC_ACQUIRE) == parked && !sched_yield());
    return noted ? noted : time;
}

static int unpark(omp_thread *o, int is_over)
{
    uint64_t parked = __atomic_load_n(&o->parked, __ATOMIC_ACQUIRE), ended = 0;
    while (parked) {
        if (parked == BEING_SETTLED) {
            sched_yield();
            parked = __atomic_load_n(&o->parked, __ATOMIC_ACQUIRE);
            continue;
        }
        ended = end_of_wait(o, parked, is_over);
        if (__atomic_compare_exchange_n(&o->parked, &parked, 0, 0, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE))
            break;
        ended = 0;
    }
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
    const uint64_t parked = __atomic_load_n(&o->parked, __ATOMIC_ACQUIRE);
    if (parked && parked != BEING_SETTLED && end_of_wait(o, parked, 0))
        omp_unpark(o);
}

/* The process ends, and with it the workers, which learn nothing of it. */
__attribute__((destructor)) static void end(void)
{
    omp_thread *o = __atomic_load_n(&newest, __ATOMIC_ACQUIRE);
    for (; o; o = o->next) {
        uint64_t parked = __atomic_load_n(&o->parked, __ATOMIC_ACQUIRE), ended;
        if (o == omp_self || !parked || parked == BEING_SETTLED)
            continue;
        ended = end_of_wait(o, parked, 0);
        if (!ended || !__atomic_compare_exchange_n(&o->parked, &parked, BEING_SETTLED, 0, __ATOMIC_ACQUIRE,
                                                   __ATOMIC_RELAXED))
            continue;
        settle(o, ended);
        __atomic_store_n(&o->parked, 0, __ATOMIC_RELEASE);
    }
}
