/* Zones: tracing a threaded program with one line at each place.  See "Zones" above. */
#pragma once

#include "guard.h"
#include "context.h"
#include "host.h"
#include "scope.h"

#if PAJEWRITE_ZONES
#if !PAJEWRITE_POSIX || !(defined(__GNUC__) || defined(__clang__))
#error PAJEWRITE_ZONES needs POSIX, and gcc or clang; with -std=c99 or c11, define _POSIX_C_SOURCE as 200809L
#endif
#if PAJEWRITE_ZONES_BUFFER < PAJEWRITE_BUFFER_MIN
#error PAJEWRITE_ZONES_BUFFER is smaller than PAJEWRITE_BUFFER_MIN
#endif
#if (PAJEWRITE_KINDS & 15) != 15
#error PAJEWRITE_ZONES needs states, events, variables and links (PAJEWRITE_KINDS)
#endif

/* A place in the source that has a name.  Private. */
typedef struct pajewrite_place {
    const char *name;
    uint32_t category;
    uint32_t alias; /* of its value or type; from an earlier trace, or 0, until it is defined */
} pajewrite_place;

/* What travels with a message from thread to thread.  Zeros: none.  Private. */
typedef struct pajewrite_message {
    uint64_t time;
    uint32_t container, check;
} pajewrite_message;

/* An open zone. */
typedef struct pajewrite__zone {
    void *thread; /* NULL: nothing was written */
    uint32_t depth;
    uint32_t check; /* tells it from bytes that were never stored, where goto has jumped over it into its block */
} pajewrite__zone;

#ifdef __cplusplus
extern "C" {
#endif
#ifdef PAJEWRITE_DISABLE
PAJEWRITE__UNTRACED
static inline pajewrite_status pajewrite_begin(const char *path)
{
    (void)path;
    return PAJEWRITE_OK;
}

PAJEWRITE__UNTRACED
static inline pajewrite_status pajewrite_end(void) { return PAJEWRITE_OK; }
PAJEWRITE__UNTRACED
static inline pajewrite *pajewrite_here(void)
{
    static pajewrite off; /* writes nothing, also by calls that are not compiled out */
    return &off;
}

PAJEWRITE__UNTRACED
static inline pajewrite_container pajewrite_here_container(void) { return PAJEWRITE_CONTAINER(0); }
#else
/* Begins the trace of this process; what PAJEWRITE_MAIN does before main.  If one has begun already, by another library
 * perhaps, that one goes on.  Failures are also reported on stderr. */
PAJEWRITE__API pajewrite_status pajewrite_begin(const char *path);
/* Ends it; exit does so, too.  Threads may go on: their zones do nothing from now on.  Another trace may be begun;
 * where threads go on, what happens in between, in a millisecond or two, is in neither. */
PAJEWRITE__API pajewrite_status pajewrite_end(void);

/* The context of the calling thread, and its container, for all other calls of this header, but not pajewrite_finish.
 * If nothing is traced, the context writes nothing.  Types of your own are best those of pajewrite_new_type, as names
 * and threads take aliases from 16 up.  The container is of PAJEWRITE_TYPE(2), "Thread", so that is the `of` of types
 * of its states, events, variables and links; it is within the process, of PAJEWRITE_TYPE(1).  What is defined or
 * created by these calls is among the lines of this thread: call pajewrite_flush before another thread uses it.  It
 * belongs to this trace: define it again, by the same handles, in one that is begun later and in a child of fork. */
PAJEWRITE__API pajewrite *pajewrite_here(void);
PAJEWRITE__API pajewrite_container pajewrite_here_container(void);

PAJEWRITE__API pajewrite__zone pajewrite__enter_zone(pajewrite_place *place);
PAJEWRITE__API void pajewrite__leave_zone(pajewrite__zone *zone);
PAJEWRITE__API void pajewrite__mark(pajewrite_place *place);
PAJEWRITE__API void pajewrite__plot(pajewrite_place *place, double number);
PAJEWRITE__API void pajewrite__plot_shared(pajewrite_place *place, double number);
PAJEWRITE__API void pajewrite__message_out(pajewrite_message *message);
PAJEWRITE__API void pajewrite__message_in(pajewrite_place *place, const pajewrite_message *message);
#endif
#ifdef __cplusplus
}
#endif

/* The macros.  Names are string literals, or other constants, as __func__.  A category is a constant from 0 to 31, see
 * pajewrite_enable; 0 without _IN. */

/* At file scope, once: traces the process from before main to exit, and on ELF systems from before the constructors of
 * static objects (without init_priority) to behind their destructors.  `path`: see pajewrite_begin. */
#ifdef PAJEWRITE_DISABLE
#define PAJEWRITE_MAIN(path) PAJEWRITE__DECLARATION
#else
#define PAJEWRITE_MAIN(path) \
    PAJEWRITE__UNTRACED PAJEWRITE__EARLY(1001) static void pajewrite__main(void) { pajewrite_begin(path); } \
    PAJEWRITE__DECLARATION
#endif
/* What is called before those constructors: without a number, the linker or -flto chooses an order. */
#ifdef __ELF__
#define PAJEWRITE__EARLY(number) __attribute__((constructor(number)))
#else
#define PAJEWRITE__EARLY(number) __attribute__((constructor))
#endif
/* A place whose name or category is no constant would keep that of the first time: C refuses it, C++ with this. */
#if !defined(__cplusplus) || defined(__EDG__)
#define PAJEWRITE__CONSTANT
#elif defined(__clang__)
#define PAJEWRITE__CONSTANT __attribute__((require_constant_initialization))
#elif defined(__GNUC__) && __GNUC__ >= 10
#define PAJEWRITE__CONSTANT __constinit
#else
#define PAJEWRITE__CONSTANT
#endif

/* What a semicolon may follow.  (In a namespace or a module of C++, the other one declares a type of its own.) */
#ifdef __cplusplus
#define PAJEWRITE__DECLARATION static_assert(1, "")
#else
#define PAJEWRITE__DECLARATION struct pajewrite_place
#endif

/* A state from here to the end of the enclosing block, however the block is left, except by longjmp; none if `goto`
 * has jumped over it.  What longjmp leaves ends with the next zone around it, or with the thread: where a program comes
 * back to a setjmp again and again, have a zone around each turn, else its states pile up.  (So it is with C code that
 * is left by an exception or by pthread_cancel, unless it is compiled with -fexceptions.) */
#define PAJEWRITE_ZONE(name) PAJEWRITE_ZONE_IN(0, name)
#ifdef PAJEWRITE_DISABLE
#define PAJEWRITE_ZONE_IN(category, name) ((void)(category))
#else
#define PAJEWRITE_ZONE_IN(category, name) PAJEWRITE__ZONE(category, name, __COUNTER__)
#define PAJEWRITE__ZONE(category, name, number) PAJEWRITE__ZONE_AS(category, name, number)
#ifdef __cplusplus
/* Linkers make one of the places of an inline function that are called alike in two files, where the numbers differ.
 * In a block of their own they have one name, and compilers number them within the function. */
#define PAJEWRITE__ZONE_AS(category, name, number) \
    pajewrite_place *const pajewrite__place_##number = __extension__({ \
        PAJEWRITE__CONSTANT static pajewrite_place pajewrite__place = {name, category, 0}; \
        &pajewrite__place; \
    }); \
    const pajewrite_zone pajewrite__zone_##number(pajewrite__place_##number)
#else
#define PAJEWRITE__ZONE_AS(category, name, number) \
    static pajewrite_place pajewrite__place_##number = {name, category, 0}; \
    __attribute__((cleanup(pajewrite__leave_zone), unused)) pajewrite__zone pajewrite__zone_##number = \
        pajewrite__enter_zone(&pajewrite__place_##number)
#endif
#endif

#ifdef PAJEWRITE_DISABLE
#define PAJEWRITE__AT_PLACE(category, name, ...) ((void)(category))
#else
#define PAJEWRITE__AT_PLACE(category, name, ...) \
    do { \
        PAJEWRITE__CONSTANT static pajewrite_place pajewrite__place = {name, category, 0}; \
        __VA_ARGS__; \
    } while (0)
#endif

/* An event at one moment. */
#define PAJEWRITE_MARK(name) PAJEWRITE_MARK_IN(0, name)
#define PAJEWRITE_MARK_IN(category, name) PAJEWRITE__AT_PLACE(category, name, pajewrite__mark(&pajewrite__place))

/* A number that changes over time, one for each thread.  _SHARED: one for the process, which all threads set; this
 * takes a lock and two system calls, which block signals meanwhile. */
#ifdef PAJEWRITE_DISABLE
#define PAJEWRITE_PLOT_IN(category, name, number) ((void)(category), (void)(number))
#define PAJEWRITE_PLOT_SHARED_IN(category, name, number) ((void)(category), (void)(number))
#else
#define PAJEWRITE_PLOT_IN(category, name, number) \
    PAJEWRITE__AT_PLACE(category, name, pajewrite__plot(&pajewrite__place, PAJEWRITE__CAST(double, number)))
#define PAJEWRITE_PLOT_SHARED_IN(category, name, number) \
    PAJEWRITE__AT_PLACE(category, name, pajewrite__plot_shared(&pajewrite__place, PAJEWRITE__CAST(double, number)))
#endif
#define PAJEWRITE_PLOT(name, number) PAJEWRITE_PLOT_IN(0, name, number)
#define PAJEWRITE_PLOT_SHARED(name, number) PAJEWRITE_PLOT_SHARED_IN(0, name, number)

/* A link between threads of one process: out stores in a pajewrite_message where the message comes from, in writes the
 * link from there to the calling thread.  The program passes the pajewrite_message on with its own data.  Several
 * threads may receive it; if none does, there is no link.
 *
 *     struct task { ...; pajewrite_message sent; };
 *     PAJEWRITE_MESSAGE_OUT(&task->sent);          // before the task goes into the queue
 *     PAJEWRITE_MESSAGE_IN("task", &task->sent);   // after it was taken out
 */
#ifdef PAJEWRITE_DISABLE
#define PAJEWRITE_MESSAGE_OUT(message) ((void)(message))
#define PAJEWRITE_MESSAGE_IN_IN(category, name, message) ((void)(category), (void)(message))
#else
#define PAJEWRITE_MESSAGE_OUT(message) pajewrite__message_out(message)
#define PAJEWRITE_MESSAGE_IN_IN(category, name, message) \
    PAJEWRITE__AT_PLACE(category, name, pajewrite__message_in(&pajewrite__place, message))
#endif
#define PAJEWRITE_MESSAGE_IN(name, message) PAJEWRITE_MESSAGE_IN_IN(0, name, message)

#if defined(__cplusplus) && !defined(PAJEWRITE_DISABLE)
struct pajewrite_zone {
    PAJEWRITE__MEMBER explicit pajewrite_zone(pajewrite_place *place) : zone(pajewrite__enter_zone(place)) {}
    PAJEWRITE__MEMBER ~pajewrite_zone() { pajewrite__leave_zone(&zone); }
    pajewrite_zone(const pajewrite_zone &) = delete;
    pajewrite_zone &operator=(const pajewrite_zone &) = delete;

private:
    pajewrite__zone zone;
};
#endif
#endif
