/* Which thread has notified which: a link from `notify` to the end of the wait that it ends.
 *
 * Threads that wait for an object are in a list, in the order in which they began, which is that in which the JVM
 * notifies them.  All of this happens with the monitor of the object held, except for the end of a wait that times out:
 * where such a one is in front of others, the notification is theirs. */
#include "java.h"

#include <sched.h>

typedef struct java_waiter {
    struct java_waiter *next;
    jint object;         /* its hash */
    trace_origin notify; /* by whom and when it was notified; container 0: it was not */
} java_waiter;

enum { LISTS = 64 };
static struct {
    int is_locked;
    java_waiter *first;
} lists[LISTS]; /* by the hash of the object */
static int waiting; /* atomic: how many wait */

static __thread java_waiter own_waiter;

static jint hash_of(jobject object)
{
    jint hash = 0;
    (*java_vm)->GetObjectHashCode(java_vm, object, &hash);
    return hash;
}

static void lock(jint hash)
{
    while (__atomic_exchange_n(&lists[(uint32_t)hash % LISTS].is_locked, 1, __ATOMIC_ACQUIRE))
        sched_yield();
}

static void unlock(jint hash)
{
    __atomic_store_n(&lists[(uint32_t)hash % LISTS].is_locked, 0, __ATOMIC_RELEASE);
}

void java_begin_wait(jobject object)
{
    java_waiter *it = &own_waiter, **at;
    java_end_wait(1); /* of one whose end was not told */
    it->object = hash_of(object);
    it->notify = (trace_origin){0, 0};
    it->next = NULL;
    lock(it->object);
    for (at = &lists[(uint32_t)it->object % LISTS].first; *at; at = &(*at)->next)
        ;
    *at = it;
    unlock(it->object);
    java_self.waiter = it;
    __atomic_add_fetch(&waiting, 1, __ATOMIC_RELAXED);
}

void java_end_wait(int is_timed_out)
{
    java_waiter *it = java_self.waiter, **at, *other;
    if (!it)
        return;
    java_self.waiter = NULL;
    __atomic_sub_fetch(&waiting, 1, __ATOMIC_RELAXED);
    lock(it->object);
    for (at = &lists[(uint32_t)it->object % LISTS].first; *at && *at != it; at = &(*at)->next)
        ;
    if (*at)
        *at = it->next;
    if (is_timed_out && it->notify.container) {
        for (other = it->next; other && (other->object != it->object || other->notify.container); other = other->next)
            ;
        if (other)
            other->notify = it->notify;
        it->notify.container = 0;
    }
    unlock(it->object);
    if (it->notify.container)
        trace_note_wake(it->notify);
}

void java_notified(JNIEnv *env, jobject object, int are_all)
{
    trace_origin origin;
    java_waiter *it;
    jint hash;
    if (!__atomic_load_n(&waiting, __ATOMIC_RELAXED) || !trace_is_on(TRACE_JAVA) || (*env)->ExceptionCheck(env))
        return;
    origin = trace_get_origin();
    hash = hash_of(object);
    lock(hash);
    for (it = lists[(uint32_t)hash % LISTS].first; it; it = it->next)
        if (it->object == hash && !it->notify.container) {
            it->notify = origin;
            if (!are_all)
                break;
        }
    unlock(hash);
}
