/* pajewrite.h: made by src/amalgamate.sh from src/pajewrite/; do not edit. */

/* ---------------- src/pajewrite/api/manual.h */

/* pajewrite.h: writes Pajé traces.
 *
 * Version 0.2.0.  C99, also C++11.  MIT licence, see the end.
 *
 * Each call writes a line of text, at about the cost of reading the clock.  Lines go into a buffer that you provide; a
 * sink, yours or a ready-made one, receives whole lines.  The header allocates no memory.
 *
 *
 * Usage
 * -----
 * Copy this file into your source tree.  Include it wherever you use it.  In exactly one C or C++ file write
 *
 *     #define PAJEWRITE_IMPLEMENTATION
 *     #include "pajewrite.h"
 *
 * A complete program, which writes two states of one thread:
 *
 *     #define _POSIX_C_SOURCE 200809L
 *     #define PAJEWRITE_IMPLEMENTATION
 *     #include "pajewrite.h"
 *
 *     enum { THREAD = 1, STATE, RUNNING = 1, WAITING };
 *
 *     int main(void)
 *     {
 *         static pajewrite_trace trace; // context, file and buffer
 *         pajewrite *w = pajewrite_open(&trace, "hello.trace");
 *         pajewrite_type thread = PAJEWRITE_TYPE(THREAD), state = PAJEWRITE_TYPE(STATE);
 *         pajewrite_container main_thread = PAJEWRITE_CONTAINER(1);
 *
 *         pajewrite_define_container_type(w, thread, PAJEWRITE_ROOT_TYPE, "Thread");
 *         pajewrite_define_state_type(w, state, thread, "Thread state");
 *         pajewrite_define_value(w, PAJEWRITE_VALUE(RUNNING), state, "running", "0.2 0.8 0.2");
 *         pajewrite_define_value(w, PAJEWRITE_VALUE(WAITING), state, "waiting", "0.8 0.2 0.2");
 *         pajewrite_create_container(w, main_thread, thread, PAJEWRITE_ROOT, "main");
 *         pajewrite_push_state(w, main_thread, state, PAJEWRITE_VALUE(RUNNING));
 *         pajewrite_push_state(w, main_thread, state, PAJEWRITE_VALUE(WAITING));
 *         pajewrite_pop_state(w, main_thread, state);
 *         pajewrite_pop_state(w, main_thread, state);
 *         pajewrite_destroy_container(w, main_thread, thread);
 *         return pajewrite_close(&trace) != PAJEWRITE_OK;
 *     }
 *
 * For a buffer, sink, clock or origin of your own, fill in a pajewrite_config, call pajewrite_init and
 * pajewrite_header in place of pajewrite_open, and pajewrite_finish in place of pajewrite_close.
 *
 * You need not check each call: the status keeps the first problem, and pajewrite_finish returns it, as does
 * pajewrite_close.
 *
 *
 * Zones
 * -----
 * To trace a program with threads, one line at each place is enough:
 *
 *     #define PAJEWRITE_ZONES 1        // in each file, or as an option of the compiler; needs POSIX, and gcc or clang
 *     #define PAJEWRITE_IMPLEMENTATION // in one file
 *     #include "pajewrite.h"
 *
 *     PAJEWRITE_MAIN("app.%p.trace");  // in one file: traces from before main to exit
 *
 *     void exchange(struct task *task)
 *     {
 *         PAJEWRITE_ZONE("exchange");                // a state, up to the end of the block
 *         PAJEWRITE_MESSAGE_IN("task", &task->sent); // a link from where PAJEWRITE_MESSAGE_OUT(&task->sent) was
 *         PAJEWRITE_MARK("begun");                   // an event
 *         PAJEWRITE_PLOT("residual", residual);      // a variable of this thread
 *         PAJEWRITE_PLOT_SHARED("queued", queued);   // a variable of the process
 *     }
 *
 * Names define themselves at the first use of a place, once in a trace; one that is a number gets a _ in front.
 * Threads need nothing: each gets a context, a buffer and a container ("thread 1") at its first zone.  When it ends,
 * its lines are delivered, and the next new thread goes on in its container.  The trace is strictly valid as it is
 * written: definitions, containers and shared variables have a context of their own under a lock, whose lines are
 * delivered before those of any thread, and a link is written by the thread that receives.  PAJEWRITE_ZONE_IN(category,
 * name) and so on take a category, 0 to 31.  pajewrite_begin and pajewrite_end do the same by calls; pajewrite_here
 * returns the context of the calling thread, for all other calls.  Do not call pajewrite_finish for it.
 *
 * In the path, %p stands for the number of the process, %r for its rank (of PMI, PMIx, Open MPI, MVAPICH or Slurm; else
 * 0), %% for %.  The environment decides at run time:
 *     PAJEWRITE_TRACE=FILE        writes there, each trace of a process over the one before; off: traces nothing
 *     PAJEWRITE_CATEGORIES=0,2-5  writes only these
 *     PAJEWRITE_SIGNALS=1         calls pajewrite_flush_at_signals
 * unless the program has other rights than who starts it (set-user-ID, set-group-ID, capabilities of its file).
 *
 * Time 0 is when a process begins its trace; a child of fork keeps that of its parent.  So where processes that are
 * started apart, as ranks are, begin theirs before main, their times differ by as much as they were started apart: to
 * merge them, call pajewrite_begin behind a barrier in place of PAJEWRITE_MAIN, or have `paje merge` move them
 * (--offset; --align, if messages connect them).
 *
 * A file has at most one writer: a second process, or a library that does not share the trace, gets a message and
 * traces nothing.  After fork, the child writes a trace of its own if the path has %p, else none; a relative path is
 * in the folder that it is in at its first zone; zones that are open at the fork belong to the parent.  A program that
 * executes another one keeps its number: if both have zones, the other one writes over the trace, as a later run does.
 * Threads may run at exit, which may be called by any thread.  A pipe that is full, or has no reader yet, is waited
 * for; handlers of signals wait, too, but what ends the process by default does so, with pajewrite_flush_at_signals
 * after the pipe has taken nothing for a second.  After _exit, SIGKILL or a crash the file has whole lines, but not
 * those in buffers; so it is if a child of vfork calls exit, which takes the parent's handlers, and the parent does not
 * call pajewrite_end.  In signal handlers zones work, too; where the handler interrupts a call of the same thread, they
 * are dropped, and a comment at the end of the trace counts them.  (Where 32 keys of pthread_key_create are taken
 * before the program, or the library with the zones, is loaded, glibc calls calloc at the first zone of each thread.
 * It must not be in a signal handler then, which may have interrupted malloc.)  A zone ends in the thread that entered
 * it: if a coroutine goes on in another thread, its zones stay open, up to the end of the zone around them there.
 * Coroutines that take turns in one thread share its stack of zones: the end of a zone of one ends those that others
 * have entered since, and when these leave theirs, zones that were entered later end.  So end zones before a coroutine
 * is suspended.
 *
 * All libraries of a process write one trace: they share a symbol (on Linux a unique one, which holds for
 * dlopen(..., RTLD_LOCAL), too, and keeps the library that has it loaded; a program shares it with libraries that it
 * loads if it is linked with -rdynamic).  A library of another version or with other options gets a message, and traces
 * nothing.  (One that dlmopen loads into a namespace of its own must not have zones where others have: the C library
 * there hands out the same keys of threads, so each would take the contexts of the other.)
 *
 * Memory: PAJEWRITE_ZONES_BUFFER (64 KB) for each thread that runs at the same time, from mmap, used again and never
 * freed.  Memory of the threads themselves would go with them before exit could write it; a static pool would have a
 * maximum; malloc must not be called in a signal handler.
 *
 *
 * Compiling calls out
 * -------------------
 * In files compiled with PAJEWRITE_DISABLE, the calls are empty inline functions: they make no code, and the rest of
 * the program stays as it is.  Clocks and sinks keep working.  Such files may be linked with files that write; one of
 * these has the implementation.  pajewrite_init, pajewrite_open and pajewrite_track_init are empty there, too, so what
 * such a file passes on to one that writes has to be zeros before, as static memory is: a context of zeros is off.
 *
 * Files of one program need the same options otherwise.  Options that change a struct are part of the names of
 * functions, so files that differ in one do not link, and the linker's message names the option.
 *
 * A shared library, or a plug-in, that has a copy of the implementation of its own best keeps it to itself: by
 * -fvisibility=hidden, or PAJEWRITE_API defined as __attribute__((visibility("hidden"))) extern.  Else a dynamic linker
 * takes the functions of the program, or of the first library, for all, which is right only where versions and options
 * are the same.
 *
 *
 * Threads and processes
 * ---------------------
 * Use one context, with a buffer (and a table) of its own, for each thread; only one thread may use a context at a
 * time, except for pajewrite_enable and pajewrite_disable.  (The checking mode reports two threads that are in calls of
 * one context: PAJEWRITE_E_THREADS.)  Contexts may share a sink that several threads may call, as pajewrite_to_file:
 * it receives blocks of whole lines, takes no lock, and keeps lines whole.  For threads, open the file with O_APPEND if
 * nothing may be left empty in it when the process is killed; see pajewrite_file.  What threads share here, or in
 * config.aliases, needs atomic operations: those of gcc and clang, or in C the <stdatomic.h> of C11.
 *
 * Lines of different contexts are then not sorted by time.  Readers accept that as
 * long as one context writes all events of a container and type.  Links and variables that threads share need one of
 * these:
 *
 *   - The receiver writes both ends of a link, on its own container: define the link type within the type of the
 *     threads (`of`, `start` and `end` are all that type), hand the start's time and container over with the message,
 *     and call pajewrite_start_link_at(w, time, receiver, type, value, sender, key) and then pajewrite_end_link(w,
 *     receiver, type, value, receiver, key).  Each thread has a variable of its own.  The trace is valid as written,
 *     provided that the threads' containers are created and flushed before the threads start, and destroyed after all
 *     of their contexts are flushed: a link from a thread is among the lines of another one.
 *   - One file, links and variables on a common container: `paje merge FILE` sorts it afterwards.
 *   - A file for each thread: `paje merge FILE...` makes one trace of them.  Give all one origin, by pajewrite_init:
 *     time 0 of pajewrite_open is when it is called, so threads that call it are apart by as much.
 *   - Many threads, which come and go: a block of one file for each (pajewrite_blocks), then `paje merge FILE`.
 *     Nothing is lost when the process is killed.
 *
 * A pool of 64 threads with 400000 tasks (1.6 million lines, 40 MB): the first way has no errors and costs nothing
 * more; the second has 78409 errors of order as written and none after a merge of 2.2 seconds; the third takes a merge
 * of 3.3 seconds.
 *
 * Before another context uses what a context has defined or created, flush the latter (pajewrite_flush), because
 * readers must see the definition first.
 *
 * Aliases are numbers that you choose, or that pajewrite_new_type and similar calls hand out.  Those never collide if
 * the contexts have different `alias_first`, at most their common `alias_step`, or share a counter (config.aliases),
 * which may be in memory that several processes map.  A strict reader refuses a second container of one alias, also
 * where the first one is destroyed: so let it not be a number that comes again, as of a slot, a thread or a process.
 *
 * Call pajewrite_finish (or pajewrite_flush) before a thread or the process ends; nothing does it for you.  Otherwise
 * the lines in the buffer are lost, unless the buffer is a pajewrite_map.  After a fork the parent continues.  The
 * child has a copy of the context, whose lines are discarded (PAJEWRITE_E_FORKED when it is flushed); to write, it sets
 * up a context of its own with pajewrite_init.  This holds for pajewrite_file and pajewrite_map; a FILE does not detect
 * a fork.  (If a signal handler forks while lines are written to a pipe, and the child returns from it, these lines may
 * be written twice.)
 *
 * A child of vfork is in the memory of its parent: what it writes is its parent's, and neither its exit nor a signal
 * that ends it ends a trace.  (Linux 4.14 or later tells such a child from others.  Elsewhere it counts as forked; if
 * it delivers, its parent's context stops.)
 *
 *
 * Signals
 * -------
 * A signal handler may write by a context of its own, if the sink may be called there; the ready-made ones other than
 * pajewrite_to_stream may.  It need not know which call it interrupted, and waits for nothing.  If it uses a context
 * whose call it interrupted, its events are dropped and counted (pajewrite_counts.dropped): all that this run of the
 * handler would have written, so pushes and pops still match.  Definitions, containers, flush and finish are not done
 * either, and set the status PAJEWRITE_E_REENTERED.  The same holds for a sink or a clock that calls its own context.
 *
 * Do not jump out of a call (siglongjmp in a handler that interrupted it, longjmp in a sink or a clock): it counts as
 * under way from then on, so what follows is dropped in the same way, and what is in the buffer is lost, until
 * pajewrite_init sets the context up again.  Zones of that thread are dropped and counted, up to the end of the trace.
 *
 * A thread is not cancelled while a ready-made sink writes.  A context of zeros is off: until pajewrite_init, each call
 * does nothing.  Functions of this header are not instrumented by -finstrument-functions.
 *
 *
 * Time
 * ----
 * Times are integers in ticks, of which 10^decimals make a second; by default 9 decimals, that is
 * nanoseconds.  You provide the clock; pajewrite_monotonic and pajewrite_tsc_now are ready-made ones.  Each event has a
 * second form that takes its time, such as pajewrite_push_state_at.  `origin` is subtracted from all times.  Only the
 * first event of each second costs a division.  Readers store times as doubles, in which nanoseconds differ for
 * 97 days; those of a clock of the day (CLOCK_REALTIME) without an origin are rounded to 238 ns.
 *
 *
 * When the buffer is full
 * -----------------------
 * PAJEWRITE_FLUSH, the default, delivers the buffer to the sink.
 *
 * PAJEWRITE_DROP drops events until you call pajewrite_flush, at a time that suits you.  A comment line then tells how
 * many events are missing, from when to when.  With a table the trace stays valid: if a push was dropped, its pop is
 * dropped too; if the creation of a container was dropped, so is everything on it; pajewrite_flush makes up for other
 * pops, ends of links and containers, and values of variables; also for the header.  A link stays incomplete if the
 * container of one end was dropped, or if the dropped end has a text as its key or is written by another context.
 *
 * A sink that never waits (config.offer) takes as much as it can.  What does not fit the buffer meanwhile is dropped,
 * as with PAJEWRITE_DROP, and events are written again as soon as half of the buffer is free.  (Of one that is larger
 * than 64 KB, up to a ninth may be unused, as much is moved in it only after much was taken.)  pajewrite_to_peer is one
 * for sockets and pipes; a peer that is slow, stops or dies neither delays the program nor ends it.  The buffer has to
 * hold the header and the definitions, if the peer may be slow from the beginning.  pajewrite_attach continues with
 * another peer.  pajewrite_finish does not wait either: it offers for as long as some is taken, and what is left then
 * is dropped, and counted, but no comment tells it.  Where a program may wait at its end, let config.offer be a
 * function of yours, which from then on calls poll before pajewrite_to_peer.
 *
 * PAJEWRITE_OVERWRITE makes the context a flight recorder: new events overwrite the oldest, and no sink is called.
 * Definitions have their own part of the buffer.  The rest is a ring of segments; each begins with the containers alive
 * and the states open at that time.  pajewrite_flight_dump makes a trace from the memory alone, which a strict reader
 * accepts: on demand, from a signal handler, from a debugger's copy of the memory, or after the process died, if the
 * memory is that of a file (set config.next_buffer to pajewrite_map_next_buffer, and pass the size to pajewrite_init).
 * A flight recorder needs a table, and has to define and create everything that it uses.
 *
 *
 * The table
 * ---------
 * If you provide memory for config.table, the context keeps track of what is open.  Each context needs a table of its
 * own, also where others are set up with a copy of its configuration: two in one table lose events, and may never come
 * back.  This costs almost nothing while events stay on the same stack of states, else about 25 ns for each event.  An
 * entry takes 48 bytes.  There is one entry for each type, each container, and each pair of container and type that has
 * events.  With PAJEWRITE_DROP there is also one for each open state and each link, with PAJEWRITE_OVERWRITE one for
 * each open state, in the checking mode one for each value and each link.  Entries of finished links and destroyed
 * containers are evicted when the table is full, and then the older half of the links that have one end, as the other
 * one may be in another trace: if it comes nevertheless, and one of the two is dropped, the other one is written alone.
 * If the table is still full, the status is PAJEWRITE_E_TABLE_FULL, and the context writes on without it; a flight
 * recorder stops.
 *
 * Some calls look through the whole table, for 2 to 10 ns an entry that it has room for: destroying a container in
 * which others are alive, or that another context has created; pajewrite_learn and pajewrite_attach;
 * pajewrite_finish, once for each level of containers; eviction; the first event in each segment of a flight
 * recorder; and flushes after which lines have to be made up, with config.offer each time that half of the buffer is
 * free.  So do not make it far larger than what it has to hold, or than the buffer, and destroy inner containers
 * first where there are many.
 *
 * The table is needed for
 *   - pajewrite_finish to close what is open;
 *   - PAJEWRITE_DROP and PAJEWRITE_OVERWRITE;
 *   - the checking mode.  Compiled with PAJEWRITE_CHECK 1, the context refuses calls that would make the trace
 *     invalid for a strict reader: types and containers that are undefined, defined twice, of the wrong kind or
 *     destroyed; a pop of no state; an addition to a variable that has no value; time that goes back on a container and
 *     type; a link key that is used twice.  A context knows its own definitions, and those that it has learned
 *     (pajewrite_learn).
 *
 *
 * Microcontrollers
 * ----------------
 * With PAJEWRITE_RING 1 the same calls write into a ring, from the main loop and from
 * interrupts of any priority.  A context of 64 bytes and a buffer of 128 bytes are enough.  A call masks interrupts,
 * reads the clock and stores a record of numbers, 16 bytes for a state.  Draining turns the records into whole lines,
 * in order of time, and may run at any time.
 *
 *     #define PAJEWRITE_RING 1
 *     #define PAJEWRITE_NOW() timer_now() // 64 bits of ticks; on a Cortex-M, PAJEWRITE_SYSTICK or PAJEWRITE_DWT
 *     #define PAJEWRITE_HZ 48000000
 *     #define PAJEWRITE_IMPLEMENTATION
 *     #include "pajewrite.h"
 *
 *     static const pajewrite_definition table[] PAJEWRITE_ROM = {...}; // see pajewrite_definition
 *     static char ring[256];
 *     static pajewrite w;
 *
 *     pajewrite_init(&w, ring, sizeof ring, NULL);
 *     pajewrite_announce(&w, table, sizeof table / sizeof *table);
 *
 *     void UART_IRQHandler(void)
 *     {
 *         int byte = pajewrite_next_byte(&w); // or pajewrite_read, for blocks that DMA sends
 *         ...
 *     }
 *
 * When the ring is full, events are dropped until it is empty again; they are counted and reported as with
 * PAJEWRITE_DROP.  Dropped pushes and pops are not matched, so prefer pajewrite_set_state.  Events that happen while
 * the header is being sent (1.9 KB) wait in the ring.  Three macros adapt the platform: PAJEWRITE_ENTER,
 * PAJEWRITE_LEAVE and PAJEWRITE_BARRIER; Cortex-M, RISC-V and AVR have defaults.  (On a Cortex-M3 or larger,
 * PAJEWRITE_BASEPRI, as the register has it, leaves interrupts of higher priority enabled, which then must not write.)
 * The clock may be read in any interrupt that may write.  The program starts the counter of a ready-made clock, and
 * reads it often enough, by pajewrite_now: PAJEWRITE_SYSTICK once in each period of SysTick, as its handler does,
 * PAJEWRITE_DWT more often than its 32 bits begin again.  PAJEWRITE_SYSTICK needs a period that stays as it is, so no
 * tickless idle of an RTOS, and clears COUNTFLAG.
 *
 * A ring has no sinks, no flush, no finish, hands out no aliases and knows no old names; pajewrite_announce writes the
 * header and defines variants; seconds are below 2^32.  In names, bytes that some readers do not accept are written as
 * _.
 *
 * On a Cortex-M0 with -Os, states and events, with the header and tables of definitions, take 1 KB of flash; with
 * variables, links, containers, integer user fields and reports of gaps, 2 KB.  A state takes 260 instructions;
 * draining its 24 bytes of text takes 1400 more, with interrupts enabled; a disabled state takes 20.  The stack is at
 * most 88 bytes deep, 128 with texts.
 *
 *
 * Cost
 * ----
 * On a virtual machine where CLOCK_MONOTONIC takes 21 ns, a state takes 30 ns including the clock; 1 ns when
 * disabled at run time; nothing when compiled out.  fprintf of the same line takes 300 ns.
 *
 * Where states or events of one container and type are many, bind both once (pajewrite_track): without the clock, a
 * state takes 86 instructions instead of 118, most of all where events follow each other within 10 microseconds.  Two
 * integer user fields take 90 instructions more than none (pajewrite_write_ints); by pajewrite_write they take 650.
 */

#ifndef PAJEWRITE_H
#define PAJEWRITE_H

/* ---------------- src/pajewrite/api/config.h */

/* Version and options. */

#include <stddef.h>
#include <stdint.h>

#define PAJEWRITE_VERSION_MAJOR 0
#define PAJEWRITE_VERSION_MINOR 2
#define PAJEWRITE_VERSION_PATCH 0
#define PAJEWRITE_VERSION \
    ((PAJEWRITE_VERSION_MAJOR + 0ul) << 16 | PAJEWRITE_VERSION_MINOR << 8 | PAJEWRITE_VERSION_PATCH)
#define PAJEWRITE_VERSION_TEXT "0.2.0"

/* ================================================================================================
 * Options: define any of them before the header is included.  Every one has a default.
 * ============================================================================================= */

/* How the public functions are declared: `static` makes all of it private to one file; for shared libraries, see
 * "Compiling calls out" above. */
#ifndef PAJEWRITE_API
#define PAJEWRITE_API extern
#endif

/* How they are declared in fact: where the compiler calls a function of the user's at the start of every function
 * (-finstrument-functions), it does not at the start of these, so that it may call them; and nothing is said of those
 * that are not called. */
#if defined(__GNUC__) || defined(__clang__)
#define PAJEWRITE__UNTRACED __attribute__((no_instrument_function))
#define PAJEWRITE__API __attribute__((no_instrument_function, unused)) PAJEWRITE_API
#else
#define PAJEWRITE__UNTRACED
#define PAJEWRITE__API PAJEWRITE_API
#endif

/* PAJEWRITE_DISABLE, where it is defined: the calls are empty inline functions, which compile to nothing.  The program
 * stays the same: arguments are checked and evaluated, clocks and sinks work.  Files with and without it may
 * be mixed. */

/* 1: for microcontrollers, see "Microcontrollers" above: a context of 64 bytes over a ring into which interrupts write,
 * in place of sinks, clocks and the table. */
#ifndef PAJEWRITE_RING
#define PAJEWRITE_RING 0
#endif
/* In a ring, calls that write an event are inline, because most of their arguments are constants. */
#if PAJEWRITE_RING
#define PAJEWRITE__CALL PAJEWRITE__UNTRACED static inline
#else
#define PAJEWRITE__CALL PAJEWRITE__API
#endif

/* 1: contexts may have a table.  0: no table, and so no closing at the end, no checking, no flight recorder; saves 18
 * KB of code (x86-64, gcc -Os). */
#if PAJEWRITE_RING
#undef PAJEWRITE_TABLE
#define PAJEWRITE_TABLE 0
#elif !defined(PAJEWRITE_TABLE)
#define PAJEWRITE_TABLE 1
#endif

/* 1: ready-made clocks and sinks for POSIX systems (clock_gettime, write, mmap).  Strict C99 hides the functions they
 * need unless _POSIX_C_SOURCE is defined as 200809L before the first include.  (Without -std=c99, glibc defines it so;
 * musl and BSDs have the functions and do not define it.) */
#ifndef PAJEWRITE_POSIX
#if !PAJEWRITE_RING && (defined(__APPLE__) || (defined(__unix__) && defined(_POSIX_C_SOURCE) && \
                                               _POSIX_C_SOURCE >= 200809L))
#define PAJEWRITE_POSIX 1
#elif !PAJEWRITE_RING && defined(__unix__) && !defined(_POSIX_C_SOURCE) && __STDC_HOSTED__ && \
    !defined(__EMSCRIPTEN__) && (!defined(__STRICT_ANSI__) || defined(_GNU_SOURCE))
#define PAJEWRITE_POSIX 1
#else
#define PAJEWRITE_POSIX 0
#endif
#endif

/* 1: zones, see "Zones" above.  Needs POSIX, and gcc or clang. */
#ifndef PAJEWRITE_ZONES
#define PAJEWRITE_ZONES 0
#endif
/* Zones: size of the buffer of each thread, in bytes. */
#ifndef PAJEWRITE_ZONES_BUFFER
#define PAJEWRITE_ZONES_BUFFER 65536
#endif

/* 1: the ready-made sink for FILE. */
#ifndef PAJEWRITE_STDIO
#define PAJEWRITE_STDIO (__STDC_HOSTED__ && !PAJEWRITE_RING)
#endif

/* 1: variables and fields may be doubles. */
#ifndef PAJEWRITE_DOUBLE
#define PAJEWRITE_DOUBLE (!PAJEWRITE_RING)
#endif

/* 1: the checking mode, for contexts that have a table (see pajewrite_config). */
#ifndef PAJEWRITE_CHECK
#define PAJEWRITE_CHECK 0
#endif

/* Ring: 1: texts may be written at run time (user fields, names of definitions and containers, keys of links).  0: all
 * texts are in tables; saves 590 bytes of code. */
#ifndef PAJEWRITE_TEXTS
#define PAJEWRITE_TEXTS 1
#endif

/* Capacity for the user fields of one line, in bytes; a plain decimal number.  0, in a ring: no user fields. */
#ifndef PAJEWRITE_FIELDS_SIZE
#if !PAJEWRITE_RING
#define PAJEWRITE_FIELDS_SIZE 240
#elif PAJEWRITE_TEXTS
#define PAJEWRITE_FIELDS_SIZE 32
#else
#define PAJEWRITE_FIELDS_SIZE 0
#endif
#endif

#if PAJEWRITE_RING && !PAJEWRITE_TEXTS && (PAJEWRITE_DOUBLE || PAJEWRITE_FIELDS_SIZE)
#error "doubles and user fields are texts in a ring: with PAJEWRITE_TEXTS 0, PAJEWRITE_DOUBLE and _FIELDS_SIZE are 0"
#endif

/* Which events the header defines, besides containers and values.  Others are refused; in a ring there is no code for
 * them, and their types and variants in a table do not compile ("size of array is negative").  Values of such types
 * are not refused: leave them out, too.  The definitions of the default take 1.9 KB, a sixth of a second over a UART;
 * states and events alone take 1.1 KB.  PAJEWRITE_FILES is off by default (31 selects it), because ViTE complains where
 * PajeTraceFile is defined. */
#define PAJEWRITE_STATES 1
#define PAJEWRITE_EVENTS 2
#define PAJEWRITE_VARIABLES 4
#define PAJEWRITE_LINKS 8
#define PAJEWRITE_FILES 16
#ifndef PAJEWRITE_KINDS
#define PAJEWRITE_KINDS 15
#endif

/* Ring: 1: a comment line reports dropped events, and nothing is written before it.  0: they are only counted; saves
 * 130 bytes of code. */
#ifndef PAJEWRITE_GAPS
#define PAJEWRITE_GAPS 1
#endif

/* Ring: ticks per second of the clock, below 2 * 10^9, and how many decimals of a second are written.  A tick that is a
 * decimal fraction (1000000 and 6, 25000000 and 9) is written exactly; any other (32768, 48000000) costs a 64-bit
 * multiplication per event. */
#ifndef PAJEWRITE_HZ
#define PAJEWRITE_HZ 1000000000
#endif
#ifndef PAJEWRITE_DECIMALS
#define PAJEWRITE_DECIMALS 9
#endif

/* The attribute of tables of definitions that keeps them in flash.  On AVR the texts are part of the table, with a
 * fixed capacity each: for the name and its NUL, and a colour and its NUL. */
#ifdef __AVR__
#include <avr/pgmspace.h>
#define PAJEWRITE_ROM PROGMEM
#ifndef PAJEWRITE_ROM_TEXT_SIZE
#define PAJEWRITE_ROM_TEXT_SIZE 32
#endif
#else
#define PAJEWRITE_ROM
#endif

/* Number of segments of a flight recorder, 2 to 64; at worst, one of them is empty. */
#ifndef PAJEWRITE_SEGMENTS
#define PAJEWRITE_SEGMENTS 8
#endif

/* The smallest buffer that pajewrite_init accepts: it holds any event whose name has at most about 100 bytes; as a
 * ring, any event without text. */
#define PAJEWRITE_BUFFER_MIN (PAJEWRITE_RING ? 96 : 320)

/* The bits of PAJEWRITE_KINDS, each as 0 or 1. */
#define PAJEWRITE__HAS_STATES ((PAJEWRITE_KINDS) & 1)
#define PAJEWRITE__HAS_EVENTS ((PAJEWRITE_KINDS) >> 1 & 1)
#define PAJEWRITE__HAS_VARIABLES ((PAJEWRITE_KINDS) >> 2 & 1)
#define PAJEWRITE__HAS_LINKS ((PAJEWRITE_KINDS) >> 3 & 1)
#define PAJEWRITE__HAS_FILES ((PAJEWRITE_KINDS) >> 4 & 1)
/* The kinds that PAJEWRITE_KINDS selects, one bit each. */
#define PAJEWRITE__PRESENT \
    (0x38400u | PAJEWRITE__HAS_STATES * 0x3c0800u | PAJEWRITE__HAS_EVENTS * 0x401000u | \
     PAJEWRITE__HAS_VARIABLES * 0x3802000u | PAJEWRITE__HAS_LINKS * 0xc004000u | PAJEWRITE__HAS_FILES * 0x10000000u)
/* Those that it leaves out of PAJEWRITE_SET_STATE to PAJEWRITE_END_LINK. */
#define PAJEWRITE__LEFT_OUT (~PAJEWRITE__PRESENT & 0xffc0000u)

/* ---------------- src/pajewrite/api/guard.h */

/* Options that change a struct are part of the names of functions, so that files with different ones do not link.  In
 * shared libraries, each of which has a copy of the header, they keep a dynamic linker, which takes the first function
 * of a name for all, from mixing those that would write beyond a struct or into the trace of other options. */

/* Each option as a token that can be pasted. */
#if PAJEWRITE_RING
#define PAJEWRITE__RING_TOKEN 1
#else
#define PAJEWRITE__RING_TOKEN 0
#endif
#if PAJEWRITE_TABLE
#define PAJEWRITE__TABLE_TOKEN 1
#else
#define PAJEWRITE__TABLE_TOKEN 0
#endif
#if PAJEWRITE_DOUBLE
#define PAJEWRITE__DOUBLE_TOKEN 1
#else
#define PAJEWRITE__DOUBLE_TOKEN 0
#endif
#if PAJEWRITE_GAPS
#define PAJEWRITE__GAPS_TOKEN 1
#else
#define PAJEWRITE__GAPS_TOKEN 0
#endif
#if PAJEWRITE_TEXTS
#define PAJEWRITE__TEXTS_TOKEN 1
#else
#define PAJEWRITE__TEXTS_TOKEN 0
#endif
#if PAJEWRITE__HAS_STATES
#define PAJEWRITE__STATES_TOKEN 1
#else
#define PAJEWRITE__STATES_TOKEN 0
#endif
#if PAJEWRITE__HAS_EVENTS
#define PAJEWRITE__EVENTS_TOKEN 1
#else
#define PAJEWRITE__EVENTS_TOKEN 0
#endif
#if PAJEWRITE__HAS_VARIABLES
#define PAJEWRITE__VARIABLES_TOKEN 1
#else
#define PAJEWRITE__VARIABLES_TOKEN 0
#endif
#if PAJEWRITE__HAS_LINKS
#define PAJEWRITE__LINKS_TOKEN 1
#else
#define PAJEWRITE__LINKS_TOKEN 0
#endif
#if PAJEWRITE__HAS_FILES
#define PAJEWRITE__FILES_TOKEN 1
#else
#define PAJEWRITE__FILES_TOKEN 0
#endif

#define PAJEWRITE__PASTE(name, ring, table, gaps, texts, doubles, files, links, variables, events, states, \
                         fields_size, major, minor) \
    name##__ring_##ring##_table_##table##_gaps_##gaps##_texts_##texts##_double_##doubles##_kinds_##files##links \
        ##variables##events##states##_fields_size_##fields_size##_version_##major##_##minor
#define PAJEWRITE__PASTE_VALUES(name, ring, table, gaps, texts, doubles, files, links, variables, events, states, \
                                fields_size, major, minor) \
    PAJEWRITE__PASTE(name, ring, table, gaps, texts, doubles, files, links, variables, events, states, fields_size, \
                     major, minor)
#define PAJEWRITE__GUARDED(name) \
    PAJEWRITE__PASTE_VALUES(name, PAJEWRITE__RING_TOKEN, PAJEWRITE__TABLE_TOKEN, PAJEWRITE__GAPS_TOKEN, \
                            PAJEWRITE__TEXTS_TOKEN, PAJEWRITE__DOUBLE_TOKEN, PAJEWRITE__FILES_TOKEN, \
                            PAJEWRITE__LINKS_TOKEN, PAJEWRITE__VARIABLES_TOKEN, PAJEWRITE__EVENTS_TOKEN, \
                            PAJEWRITE__STATES_TOKEN, PAJEWRITE_FIELDS_SIZE, PAJEWRITE_VERSION_MAJOR, \
                            PAJEWRITE_VERSION_MINOR)

/* The functions without which no context, header, event, fields, table of definitions or zone can be used. */
#ifndef PAJEWRITE_DISABLE
#define pajewrite_init PAJEWRITE__GUARDED(pajewrite_init)
#define pajewrite_open PAJEWRITE__GUARDED(pajewrite_open)
#define pajewrite_announce PAJEWRITE__GUARDED(pajewrite_announce)
#define pajewrite_header PAJEWRITE__GUARDED(pajewrite_header)
#define pajewrite_fields_of PAJEWRITE__GUARDED(pajewrite_fields_of)
#define pajewrite_field_int PAJEWRITE__GUARDED(pajewrite_field_int)
#define pajewrite_field_hex PAJEWRITE__GUARDED(pajewrite_field_hex)
#define pajewrite_field_string PAJEWRITE__GUARDED(pajewrite_field_string)
#define pajewrite_field_double PAJEWRITE__GUARDED(pajewrite_field_double)
#define pajewrite_write_ints PAJEWRITE__GUARDED(pajewrite_write_ints)
#define pajewrite_write PAJEWRITE__GUARDED(pajewrite_write)
#define pajewrite__ring_put PAJEWRITE__GUARDED(pajewrite__ring_put)
#define pajewrite_begin PAJEWRITE__GUARDED(pajewrite_begin)
#define pajewrite_end PAJEWRITE__GUARDED(pajewrite_end)
#define pajewrite_here PAJEWRITE__GUARDED(pajewrite_here)
#define pajewrite_here_container PAJEWRITE__GUARDED(pajewrite_here_container)
#define pajewrite__enter_zone PAJEWRITE__GUARDED(pajewrite__enter_zone)
#define pajewrite__leave_zone PAJEWRITE__GUARDED(pajewrite__leave_zone)
#define pajewrite__mark PAJEWRITE__GUARDED(pajewrite__mark)
#define pajewrite__plot PAJEWRITE__GUARDED(pajewrite__plot)
#define pajewrite__plot_shared PAJEWRITE__GUARDED(pajewrite__plot_shared)
#define pajewrite__message_out PAJEWRITE__GUARDED(pajewrite__message_out)
#define pajewrite__message_in PAJEWRITE__GUARDED(pajewrite__message_in)
#endif

/* ---------------- src/pajewrite/api/model.h */

/* Plain types: handles, kinds of events, status codes, callbacks, events and user fields. */

#ifdef __cplusplus
extern "C" {
#endif

/* Handles: numbers that name things, written in decimal.  Their C types differ, so that the compiler catches a mix-up.
 * The upper 5 bits of a type are its category, by which pajewrite_enable and pajewrite_disable select. */
typedef struct pajewrite_type { uint32_t alias; } pajewrite_type;
typedef struct pajewrite_container { uint32_t alias; } pajewrite_container;
typedef struct pajewrite_value { uint32_t alias; } pajewrite_value;

#ifdef __cplusplus
#define PAJEWRITE__CAST(type, number) static_cast<type>(number) /* for -Wold-style-cast where a macro is used */
#define PAJEWRITE__HANDLE(type, number) (type{PAJEWRITE__CAST(uint32_t, number)})
#define PAJEWRITE__ZERO {}
#else
#define PAJEWRITE__CAST(type, number) ((type)(number))
#define PAJEWRITE__HANDLE(type, number) ((type){PAJEWRITE__CAST(uint32_t, number)})
#define PAJEWRITE__ZERO {0}
#endif

/* A handle from a number of your choice, from 1 on; types up to PAJEWRITE_TYPE_MAX.  Values are numbered within their
 * type.  C accepts none of these as the initializer of a static object: write
 * `static const pajewrite_type thread = {1};`. */
#define PAJEWRITE_TYPE(number) PAJEWRITE__HANDLE(pajewrite_type, number)
#define PAJEWRITE_TYPE_IN(category, number) \
    PAJEWRITE__HANDLE(pajewrite_type, PAJEWRITE__CAST(uint32_t, category) << 27 | (number))
#define PAJEWRITE_CONTAINER(number) PAJEWRITE__HANDLE(pajewrite_container, number)
#define PAJEWRITE_VALUE(number) PAJEWRITE__HANDLE(pajewrite_value, number)
#define PAJEWRITE_TYPE_MAX 0x7ffffffu

/* A type without its category. */
PAJEWRITE__UNTRACED
static inline uint32_t pajewrite__alias(pajewrite_type type) { return type.alias & PAJEWRITE_TYPE_MAX; }

/* The root container and its type, which every trace has. */
#define PAJEWRITE_ROOT_TYPE PAJEWRITE_TYPE(0)
#define PAJEWRITE_ROOT PAJEWRITE_CONTAINER(0)

/* The events of the format: kind, its option in PAJEWRITE_KINDS, name, and fields in the order in which they are
 * written, as letters of pajewrite__fields.  The kind is the event's number in the trace. */
#define PAJEWRITE__KINDS(X) \
    X(DEFINE_CONTAINER_TYPE, ALWAYS,    "PajeDefineContainerType", "ywN") \
    X(DEFINE_STATE_TYPE,     STATES,    "PajeDefineStateType",     "ywN") \
    X(DEFINE_EVENT_TYPE,     EVENTS,    "PajeDefineEventType",     "ywN") \
    X(DEFINE_VARIABLE_TYPE,  VARIABLES, "PajeDefineVariableType",  "ywNc") \
    X(DEFINE_LINK_TYPE,      LINKS,     "PajeDefineLinkType",      "ywseN") \
    X(DEFINE_VALUE,          ALWAYS,    "PajeDefineEntityValue",   "vTNc") \
    X(CREATE_CONTAINER,      ALWAYS,    "PajeCreateContainer",     "tCYPN") \
    X(DESTROY_CONTAINER,     ALWAYS,    "PajeDestroyContainer",    "tDY") \
    X(SET_STATE,             STATES,    "PajeSetState",            "tkYV") \
    X(PUSH_STATE,            STATES,    "PajePushState",           "tkYV") \
    X(POP_STATE,             STATES,    "PajePopState",            "tkY") \
    X(RESET_STATE,           STATES,    "PajeResetState",          "tkY") \
    X(NEW_EVENT,             EVENTS,    "PajeNewEvent",            "tkYV") \
    X(SET_VARIABLE,          VARIABLES, "PajeSetVariable",         "tkYn") \
    X(ADD_VARIABLE,          VARIABLES, "PajeAddVariable",         "tkYn") \
    X(SUB_VARIABLE,          VARIABLES, "PajeSubVariable",         "tkYn") \
    X(START_LINK,            LINKS,     "PajeStartLink",           "tkYVSK") \
    X(END_LINK,              LINKS,     "PajeEndLink",             "tkYVEK") \
    X(TRACE_FILE,            FILES,     "PajeTraceFile",           "kYF")

typedef enum pajewrite_kind {
    PAJEWRITE__BEFORE_KINDS = 9,
#define PAJEWRITE__X(kind, group, name, fields) PAJEWRITE_##kind,
    PAJEWRITE__KINDS(PAJEWRITE__X)
#undef PAJEWRITE__X
    PAJEWRITE__AFTER_KINDS
} pajewrite_kind;

/* Problems: codes and texts.  The first problem of a context stays its status.  Problems up to CLOSED stop the context;
 * each of the others refuses one call (pajewrite_counts.refused counts these). */
#define PAJEWRITE_PROBLEMS(X) \
    X(MISUSE,        "pajewrite_init has no buffer, no clock, or impossible arguments") \
    X(SINK,          "the sink failed; what it did not take is lost") \
    X(NO_SINK,       "there is no sink to take what was written") \
    X(FORKED,        "the context is that of the parent process; pajewrite_init makes one for the child") \
    X(SNAPSHOT,      "what is open does not fit a segment of the flight recorder, or what a new peer takes") \
    X(CLOSED,        "called after pajewrite_finish") \
    X(DEFINITIONS,   "the flight recorder's place for definitions is full") \
    X(RECORDER,      "memory is not that of a flight recorder, or is damaged") \
    X(OVERTAKEN,     "the writer went on and wrote over what was being dumped") \
    X(REENTERED,     "called while another call of this context was under way: from a signal handler or a sink") \
    X(THREADS,       "two threads use this context at the same time") \
    X(TOO_LONG,      "record is longer than the buffer") \
    X(NAME,          "name is empty or has a byte that the format cannot represent") \
    X(COLOR,         "colour is not 3 or 4 numbers between blanks, nor RRGGBB in hex") \
    X(NUMBER,        "infinity and not-a-number cannot be written") \
    X(TIME,          "time is before the origin") \
    X(KIND,          "kind of event is unknown, or PAJEWRITE_KINDS leaves it out") \
    X(FIELDS,        "user fields do not match their definition, or are too long") \
    X(VARIANT,       "definition of user fields is malformed, or of too many fields") \
    X(FIELD_NAME,    "name of a user field is one that the event has already, or that the format reserves") \
    X(ALIASES,       "no aliases are left to hand out") \
    X(TABLE_FULL,    "the table is full; what is open is no longer followed") \
    X(TYPE,          "type is not defined, defined already, or of another kind") \
    X(CONTAINER,     "container does not exist, exists already, or is destroyed") \
    X(MISMATCH,      "type does not belong to the type of the container") \
    X(VALUE,         "value is defined or used already, or is another one than at the link's other end") \
    X(EMPTY,         "no state to pop") \
    X(UNSET,         "variable is added to before it was set") \
    X(ORDER,         "time is before that of the last event of this container and type") \
    X(KEY,           "a link with this key is pending or was completed already")

typedef enum pajewrite_status {
    PAJEWRITE_OK = 0,
#define PAJEWRITE__X(code, text) PAJEWRITE_E_##code,
    PAJEWRITE_PROBLEMS(PAJEWRITE__X)
#undef PAJEWRITE__X
    PAJEWRITE__STATUS_COUNT
} pajewrite_status;

/* The text of a status, constant; "no problem" for PAJEWRITE_OK, "unknown problem" for a number that is no status. */
PAJEWRITE__API const char *pajewrite_status_text(pajewrite_status status);
/* PAJEWRITE_VERSION of the implementation that was compiled, to compare with that of the header. */
PAJEWRITE__API uint32_t pajewrite_version(void);

/* A clock returns the time in ticks, of which 10^decimals make a second.  It must not go back. */
typedef uint64_t (*pajewrite_clock)(void *data);

/* A sink takes all of the bytes, which are whole lines, and returns PAJEWRITE_OK.  If it fails, it returns another
 * status (PAJEWRITE_E_SINK), and the context does not call it again. */
typedef pajewrite_status (*pajewrite_sink)(void *data, const char *bytes, size_t size);

/* A sink that never waits.  It returns how many of the bytes it took, 0 if none now, also in the middle of a line;
 * PAJEWRITE_OFFER_FAILED: it takes nothing any more.  The rest stays in the buffer and is offered again by
 * pajewrite_flush, and when the buffer is full.  If there is no room then, events are dropped as with PAJEWRITE_DROP;
 * while they are, the bytes are offered again after 64 events or 100 microseconds, and as soon as half of the buffer is
 * free, the gap is reported and events are written again.  So a sink that would throw bytes away refuses them here, and
 * they are counted. */
typedef size_t (*pajewrite_offer)(void *data, const char *bytes, size_t size);
#define PAJEWRITE_OFFER_FAILED SIZE_MAX

/* A source of buffers, in place of buffer and sink, for memory that is the trace itself, such as a mapped file.  It is
 * called when `used` bytes of the last buffer are written and `needed` more bytes are to be written.  It returns a
 * buffer of at least `needed` bytes, filled with newlines, and stores its size in `*size`; or it fails, returns NULL
 * and stores a status in `*size`.  If `needed` is 0, the trace is complete; a nonzero `*size` then reports a
 * failure. */
typedef char *(*pajewrite_next_buffer)(void *data, size_t used, size_t needed, size_t *size);

/* What happens when the buffer is full. */
typedef enum pajewrite_when_full {
    PAJEWRITE_FLUSH = 0, /* it is delivered to the sink */
    PAJEWRITE_DROP,      /* events are dropped and counted until you call pajewrite_flush: for programs that a wait for
                            the sink would disturb more than a gap.  A comment line in the trace reports the gap:
                            `# dropped 12 events from 1.000000001 to 1.500000002`.  Needs a table to stay valid, and a
                            buffer that holds the header (2 KB) */
    PAJEWRITE_OVERWRITE  /* new events overwrite the oldest; see pajewrite_flight_dump.  Requires a table */
} pajewrite_when_full;

/* What happens to names that some readers do not accept: empty ones, and those with a control byte (newline, tab) or
 * one of " ' % # , */
typedef enum pajewrite_names {
    PAJEWRITE_REPLACE = 0, /* such a byte, and the empty name, is written as _ */
    PAJEWRITE_REFUSE       /* the call is refused */
} pajewrite_names;

/* An entry of the table.  Private. */
typedef struct pajewrite_entry {
    uint16_t tag, flags;
    uint32_t container, type, value;
    uint64_t key, time;
    union { int64_t integer; double real; } number;
    uint32_t other, next;
} pajewrite_entry;

/* Numbers of records; a record is an event, or an %EventDef with all its lines.  A ring counts only `dropped`,
 * including refused calls. */
typedef struct pajewrite_counts {
    uint64_t written; /* taken by the sink, or still in the buffer */
    uint64_t dropped; /* because the buffer was full, or another call of the context was under way; or lost with a sink
                         that failed */
    uint64_t refused; /* calls that were refused; the status tells why the first one was */
} pajewrite_counts;

/* A definition of an event with user fields.  It may be used by every context whose lines come after it. */
typedef struct pajewrite_variant {
    uint32_t number; /* the event's number in the trace; 0: the definition was refused, or dropped */
    pajewrite_kind kind;
    uint32_t fields;
} pajewrite_variant;

#define PAJEWRITE_TIME_NOW UINT64_MAX

/* Any event, for pajewrite_write; each kind uses the members that its function has as arguments. */
typedef struct pajewrite_event {
    pajewrite_kind kind;
    pajewrite_container container;
    pajewrite_type type;
    pajewrite_value value;
    uint64_t time;                        /* or PAJEWRITE_TIME_NOW */
    pajewrite_container other;            /* links: the container where it starts or ends; containers: the parent */
    pajewrite_type of;                    /* types: the type of their containers */
    pajewrite_type start_type, end_type;  /* link types */
    int64_t integer;                      /* variables */
#if PAJEWRITE_DOUBLE
    double real;                          /* variables, if is_real is 1 */
    int is_real;
#endif
    uint64_t key;                         /* links, if `name` is NULL */
    const char *name;                     /* links: the key; trace files: the file name; else: the name */
    const char *color;
} pajewrite_event;

/* The user fields of one line, in the order of their definition.  May be used for several lines. */
typedef struct pajewrite_fields {
    pajewrite_variant variant;
    uint32_t count;
    uint32_t size;     /* of the text; above its capacity: it did not fit */
    uint32_t invalid;    /* 1: a text has bytes that PAJEWRITE_REFUSE refuses */
    uint32_t not_finite; /* 1: infinity or not-a-number */
    char text[PAJEWRITE_FIELDS_SIZE ? PAJEWRITE_FIELDS_SIZE : 1];
} pajewrite_fields;

#define PAJEWRITE_GREY "0.5 0.5 0.5"

/* The context, and its configuration. */
typedef struct pajewrite pajewrite;
typedef struct pajewrite_config pajewrite_config;

#ifdef __cplusplus
}
#endif

/* ---------------- src/pajewrite/api/definitions.h */

/* Definitions as a constant table, which a microcontroller keeps in flash. */

/* All definitions, containers and variants (see "User fields") as one constant table.  Aliases are plain numbers up to
 * 32767.  Texts are written unchanged, so they must have none of " ' % # , and no control byte.
 *
 *     static const pajewrite_definition table[] PAJEWRITE_ROM = {
 *         PAJEWRITE_ROM_CONTAINER_TYPE(TASK, 0, "Task"),
 *         PAJEWRITE_ROM_STATE_TYPE(STATE, TASK, "Task state"),
 *         PAJEWRITE_ROM_VALUE(RUNNING, STATE, "running", "33cc33"),
 *         PAJEWRITE_ROM_CONTAINER(MAIN, TASK, 0, "main")
 *     };
 */
typedef struct pajewrite_definition {
    uint16_t tag, numbers[5]; /* numbers in the order in which they are written */
#ifdef __AVR__
    char text[PAJEWRITE_ROM_TEXT_SIZE];
#else
    const char *text;
#endif
} pajewrite_definition;

#define PAJEWRITE_ROM_CONTAINER_TYPE(type, parent, name) \
    PAJEWRITE__ROM(PAJEWRITE_DEFINE_CONTAINER_TYPE, PAJEWRITE__TYPE_LINE, type, parent, 0, 0, 0, name)
#define PAJEWRITE_ROM_STATE_TYPE(type, of, name) \
    PAJEWRITE__ROM(PAJEWRITE_DEFINE_STATE_TYPE, PAJEWRITE__TYPE_LINE, type, of, 0, 0, 0, name)
#define PAJEWRITE_ROM_EVENT_TYPE(type, of, name) \
    PAJEWRITE__ROM(PAJEWRITE_DEFINE_EVENT_TYPE, PAJEWRITE__TYPE_LINE, type, of, 0, 0, 0, name)
#define PAJEWRITE_ROM_VARIABLE_TYPE(type, of, name, color) \
    PAJEWRITE__ROM(PAJEWRITE_DEFINE_VARIABLE_TYPE, PAJEWRITE__VALUE_LINE, type, of, 0, 0, 0, name "\0" color)
#define PAJEWRITE_ROM_LINK_TYPE(type, of, start, end, name) \
    PAJEWRITE__ROM(PAJEWRITE_DEFINE_LINK_TYPE, PAJEWRITE__LINK_TYPE_LINE, type, of, start, end, 0, name)
#define PAJEWRITE_ROM_VALUE(value, type, name, color) \
    PAJEWRITE__ROM(PAJEWRITE_DEFINE_VALUE, PAJEWRITE__VALUE_LINE, value, type, 0, 0, 0, name "\0" color)
/* A container that exists from the beginning, time 0 (the origin). */
#define PAJEWRITE_ROM_CONTAINER(container, type, parent, name) \
    PAJEWRITE__ROM(PAJEWRITE_CREATE_CONTAINER, PAJEWRITE__CREATE_LINE, 0, 0, container, type, parent, name)
/* A variant, by a number from 40 to 99 that no other variant has.  Example with two user fields:
 * PAJEWRITE_ROM_VARIANT(40, PAJEWRITE_PUSH_STATE, PAJEWRITE_ROM_FIELD("Size int") PAJEWRITE_ROM_FIELD("Mark string"));
 * calls use `static const pajewrite_variant sized = {40, PAJEWRITE_PUSH_STATE, 2};`, whose last member is the number of
 * fields. */
#define PAJEWRITE_ROM_VARIANT(number, kind, fields) \
    PAJEWRITE__ROM(number, PAJEWRITE__VARIANT_LINE, (kind) + PAJEWRITE__ROM_HAS(kind), 0, 0, 0, 0, fields)
#define PAJEWRITE_ROM_FIELD(field) "% " field "\n"

/* A table entry has the units of a record; a unit is twice its number.  On AVR, "size of array is negative" means that
 * the text does not fit: C would leave out the NUL at its end without a warning. */
#ifdef __AVR__
#define PAJEWRITE__ROM_FITS(text) (0 * sizeof(char[sizeof(text) > PAJEWRITE_ROM_TEXT_SIZE ? -1 : 1]))
#else
#define PAJEWRITE__ROM_FITS(text) 0
#endif
/* In a ring, the same message means that PAJEWRITE_KINDS leaves the kind out: there is no line for the entry. */
#if PAJEWRITE_RING
#define PAJEWRITE__ROM_HAS(number) \
    (0 * sizeof(char[(number) >= 32 || (PAJEWRITE__PRESENT >> ((number) & 31) & 1) ? 1 : -1]))
#else
#define PAJEWRITE__ROM_HAS(number) 0
#endif
#define PAJEWRITE__ROM(number, line, a, b, c, d, e, text) \
    {2 * PAJEWRITE__TAG(number, line) + PAJEWRITE__ROM_FITS(text) + PAJEWRITE__ROM_HAS(number), \
     {2u * (a), 2u * (b), 2u * (c), 2u * (d), 2u * (e)}, text}

/* The tag of a record: the event's number, and its line in pajewrite__ring_words, whose name is given whole: a part of
 * it, such as END, may be a macro of the program. */
#define PAJEWRITE__TAG(number, line) ((uint32_t)(number) << 7 | (uint32_t)(line))
#define PAJEWRITE__NUMBER_OF(tag) ((tag) >> 7)
#define PAJEWRITE__LINE_OF(tag) ((tag) & 63u)
#define PAJEWRITE__FIELDS 64u

/* Indices of lines in pajewrite__ring_words. */
enum {
    PAJEWRITE__END_LINE = 1,
    PAJEWRITE__STATE_LINE,
    PAJEWRITE__TYPE_LINE,
    PAJEWRITE__VALUE_LINE,
    PAJEWRITE__CREATE_LINE,
    PAJEWRITE__HEADER_LINE = 10, /* within the words this index would be a newline */
    PAJEWRITE__WORDS = 25 + 6 * (PAJEWRITE__HAS_VARIABLES | PAJEWRITE__HAS_LINKS),
    PAJEWRITE__VARIABLE_LINE,
    PAJEWRITE__TEXT_LINE = PAJEWRITE__WORDS + 2 * PAJEWRITE__HAS_VARIABLES,
    PAJEWRITE__LINK_TYPE_LINE,
    PAJEWRITE__LINK_LINE,
    PAJEWRITE__NAMED_LINK_LINE,
    PAJEWRITE__GAP_LINE = PAJEWRITE__TEXT_LINE + 3 * PAJEWRITE__HAS_LINKS + PAJEWRITE_GAPS,
    PAJEWRITE__VARIANT_LINE = PAJEWRITE__GAP_LINE + (PAJEWRITE_FIELDS_SIZE > 0),
    PAJEWRITE__KIND_WORDS
};

/* ---------------- src/pajewrite/api/track.h */

/* Tracks: a container and a type that are bound once. */

#if !PAJEWRITE_RING
#ifdef __cplusplus
extern "C" {
#endif

/* The container and the type of many events, with their text as it is in each line.  All members are private.  A track
 * of zeros is off: its calls do nothing. */
typedef struct pajewrite_track {
    pajewrite *w;
    pajewrite_container container;
    pajewrite_type type;
    uint32_t size; /* of the text: a blank, the container, a blank, the type */
    char text[24];
} pajewrite_track;

#ifdef __cplusplus
}
#endif
#endif
#if PAJEWRITE_RING

/* ---------------- src/pajewrite/api/ring_context.h */

/* The context of the ring. */

struct pajewrite {
    uint8_t text_left;         /* bytes of text in front of the ring that are ready to be read */
    uint8_t quote;             /* within a text: the byte that ends it; 1: none */
    uint8_t kinds_left;        /* kinds of events that the header has still to define */
    uint8_t status;
    uint16_t size, head, tail; /* of the ring, in units: its size; where the next record begins; where draining is */
    uint16_t next;             /* end of the record being written; `size`: the record does not fit */
    uint16_t tag;              /* of the line being drained; 0: none */
    uint16_t entries_left;     /* of the table of definitions, still to be written */
    uint16_t *units;           /* the ring */
    uint16_t *stack_top;       /* of the stack of words, in front of the ring */
    const uint16_t *rom_numbers; /* numbers of a table entry; NULL: numbers come from the ring */
    const char *rom_text;      /* text of a table entry */
    const pajewrite_definition *rom_entry;
    uint32_t enabled, dropped;
#if PAJEWRITE_GAPS
    uint32_t gap_count;        /* dropped, and not reported yet */
    uint64_t gap_first;        /* time of the first of these */
    uint64_t latest;           /* the greatest time so far */
#endif
};
#else

/* ---------------- src/pajewrite/api/context.h */

/* The context, and its configuration. */

/* All members zero (or a NULL configuration) select the defaults; begin with
 * `pajewrite_config config = PAJEWRITE_CONFIG;`. */
struct pajewrite_config {
    pajewrite_sink sink;       /* NULL: none, which only a flight recorder and `next_buffer` can do without */
    void *sink_data;
    pajewrite_offer offer;     /* in place of `sink`, with its `sink_data`; needs a table for the trace to stay valid */
    pajewrite_clock clock;     /* NULL: pajewrite_monotonic where it is available, with as many decimals as below;
                                  elsewhere a clock is needed */
    void *clock_data;
    pajewrite_next_buffer next_buffer; /* NULL: the buffer of pajewrite_init and the sink are used */
    void *next_buffer_data;
    uint64_t origin;           /* in ticks; subtracted from every time; earlier times are refused.  At least a second
                                  below 2^64 ticks */
    uint32_t decimals;         /* of a second, in a tick: 1 to 9; 0: 9 (nanoseconds); PAJEWRITE_SECONDS: none */
    uint32_t disabled;         /* categories that are disabled at first, one bit each; 0: all are enabled */
    uint32_t alias_first;      /* the first alias that the context hands out; 0: 1 */
    uint32_t alias_step;       /* distance between two of its aliases; 0: 1 */
    uint32_t *aliases;         /* the last alias that was handed out, for any number of contexts, also of processes that
                                  share memory; in place of the two above, also for variants.  NULL: none */
    int old_names;             /* 1: field names of the oldest readers, such as EntityType for Type */
    pajewrite_names names;
    pajewrite_when_full when_full;
    pajewrite_entry *table;    /* memory of the caller, for this context alone; NULL: nothing is followed (see
                                  "The table" above) */
    size_t table_entries;      /* at least 16 */
    size_t definitions_size;   /* bytes of the buffer for definitions.  0: a quarter with PAJEWRITE_OVERWRITE; none with
                                  `offer`, so pajewrite_attach cannot be used */
};

#define PAJEWRITE_CONFIG PAJEWRITE__ZERO
#define PAJEWRITE_SECONDS 10

/* Capacity for the text of pajewrite_problem. */
#define PAJEWRITE__PROBLEM_SIZE 120

/* The context; the caller provides its memory.  All members are private.  A context of zeros is off: every call does
 * nothing. */
struct pajewrite {
    char *next;            /* start of the next record; holds '#' until that record is complete */
    char *limit;           /* an event's record fits if it begins below this address */
    uint64_t second_start; /* first tick of the second of the last event */
    uint64_t window_start; /* the first of some ticks whose times begin alike */
    uint32_t window_ticks; /* how many; 0: none are known */
    uint32_t window_size;
    char window[24];       /* how they begin: all but the last six digits */
    uint32_t second_ticks; /* as ticks_per_second; fewer where the second ends with 2^64 ticks */
    uint32_t enabled;      /* categories, one bit each; any thread may change them */
    uint32_t mode;         /* bits PAJEWRITE__FOLLOWING, PAJEWRITE__BUSY; 0: the fast path may be taken */
    uint32_t following;    /* 1: the table is in use */
    uint32_t reentered;    /* calls dropped because another one was under way; counted modulo 2^32 */
    pajewrite_clock clock; /* NULL: the context is off */
    void *clock_data;
    uint64_t records;      /* committed */
    char prefix[24];       /* the second of the last event as text, with the decimal point; digits up to the end */
    uint32_t prefix_size, decimals, ticks_per_second, scale;
    char *buffer;
    size_t size;
    uint64_t delivered;    /* of `records`, those that the sink took */
    uint64_t dropped, refused;
    pajewrite_status status;
    uint32_t stopped;      /* if not 0, nothing is written any more, because of this status */
    uint32_t blocked;      /* 1: nothing is written until the buffer has been delivered */
    uint32_t alias_next[4];
    uint64_t gap_count, gap_first, gap_last; /* events dropped since the last one that was written, and their times */
    uint64_t latest;       /* with a table: the greatest time so far */
    size_t entries;        /* in the table */
    pajewrite_entry *last_pair; /* table entry of the last state, event or variable */
    char *flight;          /* memory of the flight recorder; NULL: not a flight recorder */
    char *other_buffer;    /* its definitions; while these are being written, its current segment */
    char *other_next;
    size_t other_size;
    uint64_t segments;     /* segments begun so far */
    uint32_t creations;    /* lines of this segment that create a container */
    uint32_t is_defining;  /* 1: a definition is being written, to the place where these are kept */
    int quote_all;         /* 1: texts are always written in quotes */
    size_t taken;          /* config.offer: bytes in front of `buffer` that were taken, and not used again yet */
    uint64_t tried;        /* config.offer: time of the event at which bytes were offered last */
    uint32_t untried;      /* events dropped since then */
    uint32_t settles;      /* 1: the next event ends the gap first */
    uint32_t torn;         /* the bytes taken end within a line, of a record or a comment; 0: they do not */
    char *kept;            /* config.offer: definitions and creations, for pajewrite_attach; NULL: not kept */
    size_t kept_size, kept_used;
    size_t kept_last;      /* offset of the last one */
    uint32_t kept_lost;    /* 1: one did not fit */
    uint32_t undefined;    /* kinds of events whose definition in the header was dropped, one bit each */
    uint32_t has_gaps;     /* 1: entries of the table may be of lines that were dropped */
    uint32_t is_missing;   /* 1: of some, a line may have to be written later */
    uintptr_t caller;      /* checking mode: the thread whose call is under way */
    char problem[PAJEWRITE__PROBLEM_SIZE]; /* the text of the status, and what it is about; empty: only the status */
    pajewrite_config config;
};
#endif
#ifdef PAJEWRITE_DISABLE

/* ---------------- src/pajewrite/api/disabled.h */

/* Calls that are compiled out (PAJEWRITE_DISABLE): made by src/disabled.awk from calls.h; do not edit. */

#ifdef __cplusplus
extern "C" {
#endif
PAJEWRITE__UNTRACED
static inline pajewrite_status pajewrite_init(pajewrite *w, void *buffer, size_t size, const pajewrite_config *config)
{
    (void)w, (void)buffer, (void)size, (void)config;
    return PAJEWRITE_OK;
}

#if PAJEWRITE_RING
PAJEWRITE__UNTRACED
static inline int pajewrite_next_byte(pajewrite *w)
{
    (void)w;
    return -1;
}

PAJEWRITE__UNTRACED
static inline size_t pajewrite_read(pajewrite *w, char *bytes, size_t size)
{
    (void)w, (void)bytes, (void)size;
    return 0;
}

#else
PAJEWRITE__UNTRACED
static inline void pajewrite_header(pajewrite *w)
{
    (void)w;
}

PAJEWRITE__UNTRACED
static inline pajewrite_status pajewrite_flush(pajewrite *w)
{
    (void)w;
    return PAJEWRITE_OK;
}

PAJEWRITE__UNTRACED
static inline pajewrite_status pajewrite_finish(pajewrite *w)
{
    (void)w;
    return PAJEWRITE_OK;
}

#if PAJEWRITE_TABLE
PAJEWRITE__UNTRACED
static inline pajewrite_status pajewrite_flight_dump(const void *memory, size_t size, int keep_halves, void *scratch,
                                                    size_t scratch_size, pajewrite_sink sink, void *sink_data)
{
    (void)memory, (void)size, (void)keep_halves, (void)scratch, (void)scratch_size, (void)sink, (void)sink_data;
    return PAJEWRITE_OK;
}

PAJEWRITE__UNTRACED
static inline pajewrite_status pajewrite_attach(pajewrite *w, void *sink_data)
{
    (void)w, (void)sink_data;
    return PAJEWRITE_OK;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_learn(pajewrite *w, const pajewrite *from)
{
    (void)w, (void)from;
}

#endif
#endif
PAJEWRITE__UNTRACED
static inline pajewrite_status pajewrite_get_status(const pajewrite *w)
{
    (void)w;
    return PAJEWRITE_OK;
}

#if !PAJEWRITE_RING
PAJEWRITE__UNTRACED
static inline const char *pajewrite_problem(const pajewrite *w)
{
    (void)w;
    return "no problem";
}

#endif
PAJEWRITE__UNTRACED
static inline pajewrite_counts pajewrite_count(const pajewrite *w)
{
    (void)w;
    {
        pajewrite_counts nothing = PAJEWRITE__ZERO;
        return nothing;
    }
}

PAJEWRITE__UNTRACED
static inline uint64_t pajewrite_now(const pajewrite *w)
{
    (void)w;
    return 0;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_enable(pajewrite *w, uint32_t categories)
{
    (void)w, (void)categories;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_disable(pajewrite *w, uint32_t categories)
{
    (void)w, (void)categories;
}

#if !PAJEWRITE_RING
PAJEWRITE__UNTRACED
static inline void pajewrite_enable_everywhere(uint32_t categories)
{
    (void)categories;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_disable_everywhere(uint32_t categories)
{
    (void)categories;
}

#endif
#if !PAJEWRITE_RING
PAJEWRITE__UNTRACED
static inline pajewrite_type pajewrite_new_type(pajewrite *w)
{
    (void)w;
    {
        pajewrite_type nothing = PAJEWRITE__ZERO;
        return nothing;
    }
}

PAJEWRITE__UNTRACED
static inline pajewrite_type pajewrite_new_type_in(pajewrite *w, uint32_t category)
{
    (void)w, (void)category;
    {
        pajewrite_type nothing = PAJEWRITE__ZERO;
        return nothing;
    }
}

PAJEWRITE__UNTRACED
static inline pajewrite_container pajewrite_new_container(pajewrite *w)
{
    (void)w;
    {
        pajewrite_container nothing = PAJEWRITE__ZERO;
        return nothing;
    }
}

PAJEWRITE__UNTRACED
static inline pajewrite_value pajewrite_new_value(pajewrite *w)
{
    (void)w;
    {
        pajewrite_value nothing = PAJEWRITE__ZERO;
        return nothing;
    }
}

#endif
PAJEWRITE__UNTRACED
static inline void pajewrite_define_container_type(pajewrite *w, pajewrite_type type, pajewrite_type parent,
                                                   const char *name)
{
    (void)w, (void)type, (void)parent, (void)name;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_define_state_type(pajewrite *w, pajewrite_type type, pajewrite_type of,
                                               const char *name)
{
    (void)w, (void)type, (void)of, (void)name;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_define_event_type(pajewrite *w, pajewrite_type type, pajewrite_type of,
                                               const char *name)
{
    (void)w, (void)type, (void)of, (void)name;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_define_variable_type(pajewrite *w, pajewrite_type type, pajewrite_type of,
                                                  const char *name, const char *color)
{
    (void)w, (void)type, (void)of, (void)name, (void)color;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_define_link_type(pajewrite *w, pajewrite_type type, pajewrite_type of,
                                              pajewrite_type start, pajewrite_type end, const char *name)
{
    (void)w, (void)type, (void)of, (void)start, (void)end, (void)name;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_define_value(pajewrite *w, pajewrite_value value, pajewrite_type type, const char *name,
                                          const char *color)
{
    (void)w, (void)value, (void)type, (void)name, (void)color;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_announce(pajewrite *w, const pajewrite_definition *table, size_t entries)
{
    (void)w, (void)table, (void)entries;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_create_container(pajewrite *w, pajewrite_container container, pajewrite_type type,
                                              pajewrite_container parent, const char *name)
{
    (void)w, (void)container, (void)type, (void)parent, (void)name;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_create_container_at(pajewrite *w, uint64_t time, pajewrite_container container,
                                                 pajewrite_type type, pajewrite_container parent, const char *name)
{
    (void)w, (void)time, (void)container, (void)type, (void)parent, (void)name;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_destroy_container(pajewrite *w, pajewrite_container container, pajewrite_type type)
{
    (void)w, (void)container, (void)type;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_destroy_container_at(pajewrite *w, uint64_t time, pajewrite_container container,
                                                  pajewrite_type type)
{
    (void)w, (void)time, (void)container, (void)type;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_set_state(pajewrite *w, pajewrite_container container, pajewrite_type type,
                                       pajewrite_value value)
{
    (void)w, (void)container, (void)type, (void)value;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_set_state_at(pajewrite *w, uint64_t time, pajewrite_container container,
                                          pajewrite_type type, pajewrite_value value)
{
    (void)w, (void)time, (void)container, (void)type, (void)value;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_push_state(pajewrite *w, pajewrite_container container, pajewrite_type type,
                                        pajewrite_value value)
{
    (void)w, (void)container, (void)type, (void)value;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_push_state_at(pajewrite *w, uint64_t time, pajewrite_container container,
                                           pajewrite_type type, pajewrite_value value)
{
    (void)w, (void)time, (void)container, (void)type, (void)value;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_pop_state(pajewrite *w, pajewrite_container container, pajewrite_type type)
{
    (void)w, (void)container, (void)type;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_pop_state_at(pajewrite *w, uint64_t time, pajewrite_container container,
                                          pajewrite_type type)
{
    (void)w, (void)time, (void)container, (void)type;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_reset_state(pajewrite *w, pajewrite_container container, pajewrite_type type)
{
    (void)w, (void)container, (void)type;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_reset_state_at(pajewrite *w, uint64_t time, pajewrite_container container,
                                            pajewrite_type type)
{
    (void)w, (void)time, (void)container, (void)type;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_new_event(pajewrite *w, pajewrite_container container, pajewrite_type type,
                                       pajewrite_value value)
{
    (void)w, (void)container, (void)type, (void)value;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_new_event_at(pajewrite *w, uint64_t time, pajewrite_container container,
                                          pajewrite_type type, pajewrite_value value)
{
    (void)w, (void)time, (void)container, (void)type, (void)value;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_set_variable(pajewrite *w, pajewrite_container container, pajewrite_type type,
                                          int64_t number)
{
    (void)w, (void)container, (void)type, (void)number;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_set_variable_at(pajewrite *w, uint64_t time, pajewrite_container container,
                                             pajewrite_type type, int64_t number)
{
    (void)w, (void)time, (void)container, (void)type, (void)number;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_add_variable(pajewrite *w, pajewrite_container container, pajewrite_type type,
                                          int64_t number)
{
    (void)w, (void)container, (void)type, (void)number;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_add_variable_at(pajewrite *w, uint64_t time, pajewrite_container container,
                                             pajewrite_type type, int64_t number)
{
    (void)w, (void)time, (void)container, (void)type, (void)number;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_sub_variable(pajewrite *w, pajewrite_container container, pajewrite_type type,
                                          int64_t number)
{
    (void)w, (void)container, (void)type, (void)number;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_sub_variable_at(pajewrite *w, uint64_t time, pajewrite_container container,
                                             pajewrite_type type, int64_t number)
{
    (void)w, (void)time, (void)container, (void)type, (void)number;
}

#if PAJEWRITE_DOUBLE
PAJEWRITE__UNTRACED
static inline void pajewrite_set_variable_double(pajewrite *w, pajewrite_container container, pajewrite_type type,
                                                 double number)
{
    (void)w, (void)container, (void)type, (void)number;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_set_variable_double_at(pajewrite *w, uint64_t time, pajewrite_container container,
                                                    pajewrite_type type, double number)
{
    (void)w, (void)time, (void)container, (void)type, (void)number;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_add_variable_double(pajewrite *w, pajewrite_container container, pajewrite_type type,
                                                 double number)
{
    (void)w, (void)container, (void)type, (void)number;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_add_variable_double_at(pajewrite *w, uint64_t time, pajewrite_container container,
                                                    pajewrite_type type, double number)
{
    (void)w, (void)time, (void)container, (void)type, (void)number;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_sub_variable_double(pajewrite *w, pajewrite_container container, pajewrite_type type,
                                                 double number)
{
    (void)w, (void)container, (void)type, (void)number;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_sub_variable_double_at(pajewrite *w, uint64_t time, pajewrite_container container,
                                                    pajewrite_type type, double number)
{
    (void)w, (void)time, (void)container, (void)type, (void)number;
}

#endif
PAJEWRITE__UNTRACED
static inline void pajewrite_start_link(pajewrite *w, pajewrite_container container, pajewrite_type type,
                                        pajewrite_value value, pajewrite_container start, uint64_t key)
{
    (void)w, (void)container, (void)type, (void)value, (void)start, (void)key;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_start_link_at(pajewrite *w, uint64_t time, pajewrite_container container,
                                           pajewrite_type type, pajewrite_value value, pajewrite_container start,
                                           uint64_t key)
{
    (void)w, (void)time, (void)container, (void)type, (void)value, (void)start, (void)key;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_start_link_named(pajewrite *w, pajewrite_container container, pajewrite_type type,
                                              pajewrite_value value, pajewrite_container start, const char *key)
{
    (void)w, (void)container, (void)type, (void)value, (void)start, (void)key;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_start_link_named_at(pajewrite *w, uint64_t time, pajewrite_container container,
                                                 pajewrite_type type, pajewrite_value value,
                                                 pajewrite_container start, const char *key)
{
    (void)w, (void)time, (void)container, (void)type, (void)value, (void)start, (void)key;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_end_link(pajewrite *w, pajewrite_container container, pajewrite_type type,
                                      pajewrite_value value, pajewrite_container end, uint64_t key)
{
    (void)w, (void)container, (void)type, (void)value, (void)end, (void)key;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_end_link_at(pajewrite *w, uint64_t time, pajewrite_container container,
                                         pajewrite_type type, pajewrite_value value, pajewrite_container end,
                                         uint64_t key)
{
    (void)w, (void)time, (void)container, (void)type, (void)value, (void)end, (void)key;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_end_link_named(pajewrite *w, pajewrite_container container, pajewrite_type type,
                                            pajewrite_value value, pajewrite_container end, const char *key)
{
    (void)w, (void)container, (void)type, (void)value, (void)end, (void)key;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_end_link_named_at(pajewrite *w, uint64_t time, pajewrite_container container,
                                               pajewrite_type type, pajewrite_value value, pajewrite_container end,
                                               const char *key)
{
    (void)w, (void)time, (void)container, (void)type, (void)value, (void)end, (void)key;
}

#if !PAJEWRITE_RING
PAJEWRITE__UNTRACED
static inline void pajewrite_track_init(pajewrite_track *track, pajewrite *w, pajewrite_container container,
                                       pajewrite_type type)
{
    (void)track, (void)w, (void)container, (void)type;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_track_set_state(const pajewrite_track *track, pajewrite_value value)
{
    (void)track, (void)value;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_track_set_state_at(const pajewrite_track *track, uint64_t time, pajewrite_value value)
{
    (void)track, (void)time, (void)value;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_track_push_state(const pajewrite_track *track, pajewrite_value value)
{
    (void)track, (void)value;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_track_push_state_at(const pajewrite_track *track, uint64_t time, pajewrite_value value)
{
    (void)track, (void)time, (void)value;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_track_pop_state(const pajewrite_track *track)
{
    (void)track;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_track_pop_state_at(const pajewrite_track *track, uint64_t time)
{
    (void)track, (void)time;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_track_new_event(const pajewrite_track *track, pajewrite_value value)
{
    (void)track, (void)value;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_track_new_event_at(const pajewrite_track *track, uint64_t time, pajewrite_value value)
{
    (void)track, (void)time, (void)value;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_track_set_variable(const pajewrite_track *track, int64_t number)
{
    (void)track, (void)number;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_track_set_variable_at(const pajewrite_track *track, uint64_t time, int64_t number)
{
    (void)track, (void)time, (void)number;
}

#endif
#if PAJEWRITE__HAS_FILES
PAJEWRITE__UNTRACED
static inline void pajewrite_trace_file(pajewrite *w, pajewrite_container container, pajewrite_type type,
                                        const char *filename)
{
    (void)w, (void)container, (void)type, (void)filename;
}

#endif
#if !PAJEWRITE_RING
PAJEWRITE__UNTRACED
static inline pajewrite_variant pajewrite_define_variant(pajewrite *w, pajewrite_kind kind, const char *fields)
{
    (void)w, (void)kind, (void)fields;
    {
        pajewrite_variant nothing = PAJEWRITE__ZERO;
        return nothing;
    }
}

#endif
PAJEWRITE__UNTRACED
static inline pajewrite_fields pajewrite_fields_of(pajewrite_variant variant)
{
    (void)variant;
    {
        pajewrite_fields nothing = PAJEWRITE__ZERO;
        return nothing;
    }
}

#if !PAJEWRITE_RING || PAJEWRITE_FIELDS_SIZE
PAJEWRITE__UNTRACED
static inline void pajewrite_field_int(pajewrite_fields *fields, int64_t number)
{
    (void)fields, (void)number;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_field_hex(pajewrite_fields *fields, uint64_t number)
{
    (void)fields, (void)number;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_field_string(pajewrite_fields *fields, const char *text)
{
    (void)fields, (void)text;
}

#if PAJEWRITE_DOUBLE
PAJEWRITE__UNTRACED
static inline void pajewrite_field_double(pajewrite_fields *fields, double number)
{
    (void)fields, (void)number;
}

#endif
#endif
PAJEWRITE__UNTRACED
static inline void pajewrite_write(pajewrite *w, const pajewrite_event *event, const pajewrite_fields *fields)
{
    (void)w, (void)event, (void)fields;
}

#if !PAJEWRITE_RING || PAJEWRITE_FIELDS_SIZE
PAJEWRITE__UNTRACED
static inline void pajewrite_write_ints(pajewrite *w, const pajewrite_event *event, pajewrite_variant variant,
                                        const int64_t *numbers, uint32_t count)
{
    (void)w, (void)event, (void)variant, (void)numbers, (void)count;
}

#endif
#ifdef __cplusplus
}
#endif
#else

/* ---------------- src/pajewrite/api/calls.h */

/* The calls.  src/disabled.awk makes disabled.h from this list. */

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------------------------
 * The context
 * --------------------------------------------------------------------------------------------- */

/* Sets up a context.  The buffer belongs to the caller, has any alignment, and is in use until pajewrite_finish; with
 * config->next_buffer it may be NULL, with size 0; a ring is at most 64 KB large.  `config` is copied; NULL: all
 * defaults.  After a failure (PAJEWRITE_E_MISUSE) the context may still be used, and writes nothing; but a ring has no
 * place for text then: call pajewrite_announce after success only, and drain no context that was not set up. */
PAJEWRITE__API pajewrite_status pajewrite_init(pajewrite *w, void *buffer, size_t size, const pajewrite_config *config);

#if PAJEWRITE_RING
/* Draining, from one place only: the main loop, or an interrupt of the UART or of its DMA.  Writers may run meanwhile.
 *
 * Returns the next byte of the trace; -1: none yet. */
PAJEWRITE__API int pajewrite_next_byte(pajewrite *w);
/* Reads the next bytes of the trace, at most `size`; returns how many. */
PAJEWRITE__API size_t pajewrite_read(pajewrite *w, char *bytes, size_t size);
#else
/* Writes the event definitions, with which a trace begins.  Of several contexts that share a sink, one writes them. */
PAJEWRITE__API void pajewrite_header(pajewrite *w);

/* Delivers the buffer to the sink.  Returns the status. */
PAJEWRITE__API pajewrite_status pajewrite_flush(pajewrite *w);

/* Ends the trace.  With a table, open states and then containers, children first, are closed at the greatest time so
 * far.  Then delivers the buffer to the sink.  Returns the status.  The caller may reuse buffer and table.  (That time
 * is the context's own: where others write on its containers, destroy these, or finish it last, after a call of
 * pajewrite_learn for each of the others; else containers end before their last events.) */
PAJEWRITE__API pajewrite_status pajewrite_finish(pajewrite *w);

#if PAJEWRITE_TABLE
/* The trace in the memory of a flight recorder (PAJEWRITE_OVERWRITE): definitions, the containers alive and the states
 * open at the earliest time that it still holds, and all events from then on.  User fields of states that were open
 * then are missing.  Reads only the memory, at least the `size` bytes given to pajewrite_init (its whole block, in
 * blocks of a file), and changes nothing.  So it may be called from a signal handler, if the sink may, on a copy of the
 * memory, or on the file of a pajewrite_map after the process died.  Calls the sink many times.
 *
 * `keep_halves`: 0 leaves out links of which only one end is in memory, so that the trace is valid by itself; 1 keeps
 * them, for a merge of several recorders.  `scratch`: used if `keep_halves` is 0; `scratch_size` bytes of any
 * alignment.  Time is linear with 32 bytes for each end that is left out, or with the size of the recorder.  With less,
 * all is read again whenever the scratch memory is full; with NULL and 0, once for each 16 ends.
 *
 * Returns PAJEWRITE_E_RECORDER if the memory is not that of a recorder; PAJEWRITE_E_OVERTAKEN if another thread wrote
 * meanwhile, so that the output has to be discarded; else the status of the sink.
 *
 * Takes 1.3 KB of the stack, 2.2 KB if PAJEWRITE_SEGMENTS is 64, and what the sink takes (pajewrite_to_file: 1 KB).  A
 * handler on a stack of its own of 8 KB (SIGSTKSZ) has no more than 2 to 4 KB, where registers are wide. */
PAJEWRITE__API pajewrite_status pajewrite_flight_dump(const void *memory, size_t size, int keep_halves, void *scratch,
                                                     size_t scratch_size, pajewrite_sink sink, void *sink_data);

/* Continues with another peer, at any time, also after the last one died: config.offer is called with this `sink_data`
 * from now on.  The trace begins again, with definitions, containers, open states and variables; what the last peer did
 * not take is dropped and counted.  Needs config.offer, a table, and config.definitions_size.  The peer, or the buffer,
 * has to take all of that at once (else PAJEWRITE_E_SNAPSHOT, after which another one may come). */
PAJEWRITE__API pajewrite_status pajewrite_attach(pajewrite *w, void *sink_data);

/* Learns what another context of the same trace has defined, created and destroyed so far, and its greatest time: the
 * checking mode refuses what it does not know, and finish does not end what has ended.  Call it before pajewrite_finish
 * of `from`, of which nothing is learned afterwards, and before `from` forgets containers that are destroyed, when its
 * table is full.  Both contexts need a table; `from` must not be in use meanwhile. */
PAJEWRITE__API void pajewrite_learn(pajewrite *w, const pajewrite *from);
#endif
#endif

/* Returns the first problem, or PAJEWRITE_OK. */
PAJEWRITE__API pajewrite_status pajewrite_get_status(const pajewrite *w);
#if !PAJEWRITE_RING
/* Returns the text of the first problem, with the name that it is about where there is one; valid as long as the
 * context. */
PAJEWRITE__API const char *pajewrite_problem(const pajewrite *w);
#endif
PAJEWRITE__API pajewrite_counts pajewrite_count(const pajewrite *w);

/* Returns the time of the clock. */
PAJEWRITE__API uint64_t pajewrite_now(const pajewrite *w);

/* Enables or disables events (states, events, variables, links) whose types are of these categories: bit n selects
 * category n.  Definitions and containers are always written.  Call it while no state of these categories is open, else
 * pushes and pops do not match; a PAJEWRITE_SCOPE and a zone match all the same.  Any thread may call these. */
PAJEWRITE__API void pajewrite_enable(pajewrite *w, uint32_t categories);
PAJEWRITE__API void pajewrite_disable(pajewrite *w, uint32_t categories);
#if !PAJEWRITE_RING
/* In all contexts: written are events whose category is enabled here (all are at first) and in their context.  A
 * library that has a copy of the header of its own has these of its own, too. */
PAJEWRITE__API void pajewrite_enable_everywhere(uint32_t categories);
PAJEWRITE__API void pajewrite_disable_everywhere(uint32_t categories);
#endif

#if !PAJEWRITE_RING
/* Hand out aliases.  No two contexts hand out the same one if they share config.aliases, or if they have the same
 * config.alias_step, and different config.alias_first up to it. */
PAJEWRITE__API pajewrite_type pajewrite_new_type(pajewrite *w);
PAJEWRITE__API pajewrite_type pajewrite_new_type_in(pajewrite *w, uint32_t category);
PAJEWRITE__API pajewrite_container pajewrite_new_container(pajewrite *w);
PAJEWRITE__API pajewrite_value pajewrite_new_value(pajewrite *w);
#endif

/* ------------------------------------------------------------------------------------------------
 * Definitions.  Names are text in any encoding, terminated by NUL; NULL: the alias in decimal.  Names need not be
 * unique, because aliases identify; but a value should not be named by a number, which could be the alias of another
 * value.
 * Colours are "0.2 0.8 0.2" (red, green, blue from 0 to 1, optionally opacity) or "33cc33"; NULL: grey.
 * --------------------------------------------------------------------------------------------- */

PAJEWRITE__CALL void pajewrite_define_container_type(pajewrite *w, pajewrite_type type, pajewrite_type parent,
                                                     const char *name);
/* `of`: the type of the containers that have such states, events or variables. */
PAJEWRITE__CALL void pajewrite_define_state_type(pajewrite *w, pajewrite_type type, pajewrite_type of,
                                                 const char *name);
PAJEWRITE__CALL void pajewrite_define_event_type(pajewrite *w, pajewrite_type type, pajewrite_type of,
                                                 const char *name);
PAJEWRITE__CALL void pajewrite_define_variable_type(pajewrite *w, pajewrite_type type, pajewrite_type of,
                                                    const char *name, const char *color);
/* `of`: a common ancestor of the types of the containers where links start and end. */
PAJEWRITE__CALL void pajewrite_define_link_type(pajewrite *w, pajewrite_type type, pajewrite_type of,
                                                pajewrite_type start, pajewrite_type end, const char *name);
/* A value of a state, event or link type. */
PAJEWRITE__CALL void pajewrite_define_value(pajewrite *w, pajewrite_value value, pajewrite_type type, const char *name,
                                            const char *color);

/* Writes the header and then the table.  In a ring, draining does so, before any records; the table has to stay valid.
 * For a host that connects late, call it again and then set the current states: from where the ring is drained, or with
 * that masked, as draining and this, where one interrupts the other, may lose definitions. */
PAJEWRITE__API void pajewrite_announce(pajewrite *w, const pajewrite_definition *table, size_t entries);

/* ------------------------------------------------------------------------------------------------
 * Events, at the time of the clock; or, _at, at a time in ticks
 * --------------------------------------------------------------------------------------------- */

PAJEWRITE__CALL void pajewrite_create_container(pajewrite *w, pajewrite_container container, pajewrite_type type,
                                                pajewrite_container parent, const char *name);
PAJEWRITE__CALL void pajewrite_create_container_at(pajewrite *w, uint64_t time, pajewrite_container container,
                                                   pajewrite_type type, pajewrite_container parent, const char *name);
PAJEWRITE__CALL void pajewrite_destroy_container(pajewrite *w, pajewrite_container container, pajewrite_type type);
PAJEWRITE__CALL void pajewrite_destroy_container_at(pajewrite *w, uint64_t time, pajewrite_container container,
                                                    pajewrite_type type);

/* Each container has a stack of states for each state type.  Set replaces the whole stack by one state, push and pop
 * work on its top, reset empties it. */
PAJEWRITE__CALL void pajewrite_set_state(pajewrite *w, pajewrite_container container, pajewrite_type type,
                                         pajewrite_value value);
PAJEWRITE__CALL void pajewrite_set_state_at(pajewrite *w, uint64_t time, pajewrite_container container,
                                            pajewrite_type type, pajewrite_value value);
PAJEWRITE__CALL void pajewrite_push_state(pajewrite *w, pajewrite_container container, pajewrite_type type,
                                          pajewrite_value value);
PAJEWRITE__CALL void pajewrite_push_state_at(pajewrite *w, uint64_t time, pajewrite_container container,
                                             pajewrite_type type, pajewrite_value value);
PAJEWRITE__CALL void pajewrite_pop_state(pajewrite *w, pajewrite_container container, pajewrite_type type);
PAJEWRITE__CALL void pajewrite_pop_state_at(pajewrite *w, uint64_t time, pajewrite_container container,
                                            pajewrite_type type);
PAJEWRITE__CALL void pajewrite_reset_state(pajewrite *w, pajewrite_container container, pajewrite_type type);
PAJEWRITE__CALL void pajewrite_reset_state_at(pajewrite *w, uint64_t time, pajewrite_container container,
                                              pajewrite_type type);

/* An event at one moment. */
PAJEWRITE__CALL void pajewrite_new_event(pajewrite *w, pajewrite_container container, pajewrite_type type,
                                         pajewrite_value value);
PAJEWRITE__CALL void pajewrite_new_event_at(pajewrite *w, uint64_t time, pajewrite_container container,
                                            pajewrite_type type, pajewrite_value value);

/* Variables.  Readers store them as doubles, so integers are exact up to 2^53. */
PAJEWRITE__CALL void pajewrite_set_variable(pajewrite *w, pajewrite_container container, pajewrite_type type,
                                            int64_t number);
PAJEWRITE__CALL void pajewrite_set_variable_at(pajewrite *w, uint64_t time, pajewrite_container container,
                                               pajewrite_type type, int64_t number);
PAJEWRITE__CALL void pajewrite_add_variable(pajewrite *w, pajewrite_container container, pajewrite_type type,
                                            int64_t number);
PAJEWRITE__CALL void pajewrite_add_variable_at(pajewrite *w, uint64_t time, pajewrite_container container,
                                               pajewrite_type type, int64_t number);
PAJEWRITE__CALL void pajewrite_sub_variable(pajewrite *w, pajewrite_container container, pajewrite_type type,
                                            int64_t number);
PAJEWRITE__CALL void pajewrite_sub_variable_at(pajewrite *w, uint64_t time, pajewrite_container container,
                                               pajewrite_type type, int64_t number);
#if PAJEWRITE_DOUBLE
/* Every finite double is read back exactly. */
PAJEWRITE__CALL void pajewrite_set_variable_double(pajewrite *w, pajewrite_container container, pajewrite_type type,
                                                   double number);
PAJEWRITE__CALL void pajewrite_set_variable_double_at(pajewrite *w, uint64_t time, pajewrite_container container,
                                                      pajewrite_type type, double number);
PAJEWRITE__CALL void pajewrite_add_variable_double(pajewrite *w, pajewrite_container container, pajewrite_type type,
                                                   double number);
PAJEWRITE__CALL void pajewrite_add_variable_double_at(pajewrite *w, uint64_t time, pajewrite_container container,
                                                      pajewrite_type type, double number);
PAJEWRITE__CALL void pajewrite_sub_variable_double(pajewrite *w, pajewrite_container container, pajewrite_type type,
                                                   double number);
PAJEWRITE__CALL void pajewrite_sub_variable_double_at(pajewrite *w, uint64_t time, pajewrite_container container,
                                                      pajewrite_type type, double number);
#endif

/* Links from container `start` to container `end`.  The link belongs to `container`, a common ancestor of both, often
 * PAJEWRITE_ROOT.  Both ends have the same type, container, value and key; a key is used once for each type and
 * container.  Different contexts may write the two ends.  _named: the key is text, like a name. */
PAJEWRITE__CALL void pajewrite_start_link(pajewrite *w, pajewrite_container container, pajewrite_type type,
                                          pajewrite_value value, pajewrite_container start, uint64_t key);
PAJEWRITE__CALL void pajewrite_start_link_at(pajewrite *w, uint64_t time, pajewrite_container container,
                                             pajewrite_type type, pajewrite_value value, pajewrite_container start,
                                             uint64_t key);
PAJEWRITE__CALL void pajewrite_start_link_named(pajewrite *w, pajewrite_container container, pajewrite_type type,
                                                pajewrite_value value, pajewrite_container start, const char *key);
PAJEWRITE__CALL void pajewrite_start_link_named_at(pajewrite *w, uint64_t time, pajewrite_container container,
                                                   pajewrite_type type, pajewrite_value value,
                                                   pajewrite_container start, const char *key);
PAJEWRITE__CALL void pajewrite_end_link(pajewrite *w, pajewrite_container container, pajewrite_type type,
                                        pajewrite_value value, pajewrite_container end, uint64_t key);
PAJEWRITE__CALL void pajewrite_end_link_at(pajewrite *w, uint64_t time, pajewrite_container container,
                                           pajewrite_type type, pajewrite_value value, pajewrite_container end,
                                           uint64_t key);
PAJEWRITE__CALL void pajewrite_end_link_named(pajewrite *w, pajewrite_container container, pajewrite_type type,
                                              pajewrite_value value, pajewrite_container end, const char *key);
PAJEWRITE__CALL void pajewrite_end_link_named_at(pajewrite *w, uint64_t time, pajewrite_container container,
                                                 pajewrite_type type, pajewrite_value value, pajewrite_container end,
                                                 const char *key);

#if !PAJEWRITE_RING
/* ------------------------------------------------------------------------------------------------
 * Tracks: a container and a type are bound once, and their text is made once, so that events cost less.  They are the
 * same events as by the calls above, which may be mixed with them.
 *
 *     pajewrite_track track;
 *     pajewrite_track_init(&track, &w, thread, state);
 *     pajewrite_track_push_state(&track, computing);
 *     pajewrite_track_pop_state(&track);
 * --------------------------------------------------------------------------------------------- */

/* The context has to stay where it is; it may be set up later, and again. */
PAJEWRITE__API void pajewrite_track_init(pajewrite_track *track, pajewrite *w, pajewrite_container container,
                                        pajewrite_type type);
PAJEWRITE__API void pajewrite_track_set_state(const pajewrite_track *track, pajewrite_value value);
PAJEWRITE__API void pajewrite_track_set_state_at(const pajewrite_track *track, uint64_t time, pajewrite_value value);
PAJEWRITE__API void pajewrite_track_push_state(const pajewrite_track *track, pajewrite_value value);
PAJEWRITE__API void pajewrite_track_push_state_at(const pajewrite_track *track, uint64_t time, pajewrite_value value);
PAJEWRITE__API void pajewrite_track_pop_state(const pajewrite_track *track);
PAJEWRITE__API void pajewrite_track_pop_state_at(const pajewrite_track *track, uint64_t time);
PAJEWRITE__API void pajewrite_track_new_event(const pajewrite_track *track, pajewrite_value value);
PAJEWRITE__API void pajewrite_track_new_event_at(const pajewrite_track *track, uint64_t time, pajewrite_value value);
PAJEWRITE__API void pajewrite_track_set_variable(const pajewrite_track *track, int64_t number);
PAJEWRITE__API void pajewrite_track_set_variable_at(const pajewrite_track *track, uint64_t time, int64_t number);
#endif

#if PAJEWRITE__HAS_FILES
/* Tells readers that the events of this container are in another file. */
PAJEWRITE__CALL void pajewrite_trace_file(pajewrite *w, pajewrite_container container, pajewrite_type type,
                                          const char *filename);
#endif

/* ------------------------------------------------------------------------------------------------
 * User fields: variants of an event, with additional fields
 *
 *     pajewrite_variant sized = pajewrite_define_variant(&w, PAJEWRITE_PUSH_STATE, "Size int, Mark string");
 *     pajewrite_fields fields = pajewrite_fields_of(sized);
 *     pajewrite_field_int(&fields, 4096);
 *     pajewrite_field_string(&fields, "halo");
 *     pajewrite_event event = {.kind = PAJEWRITE_PUSH_STATE, .container = c, .type = t, .value = v,
 *                              .time = pajewrite_now(&w)}; // in this order for C++20; C++11 assigns the members
 *     pajewrite_write(&w, &event, &fields);
 * --------------------------------------------------------------------------------------------- */
/* `fields`: "Name type, Name type"; names consist of letters, digits and _; types are int, hex, double, float, date,
 * color, string.  Optional fields of the format are user fields, too: "Color color" for a state type, "Filename string"
 * for a container, "File string, Line int" for the place in the source.  A name may occur only once, and must not be
 * that of a standard field of the kind, now or in the oldest versions of the format.  Contents are not checked, not
 * even of a color.  A refused definition (PAJEWRITE_E_VARIANT) has number 0; so has one that was dropped, whose events
 * are written without user fields. */
#if !PAJEWRITE_RING
PAJEWRITE__API pajewrite_variant pajewrite_define_variant(pajewrite *w, pajewrite_kind kind, const char *fields);
#endif

PAJEWRITE__API pajewrite_fields pajewrite_fields_of(pajewrite_variant variant);
#if !PAJEWRITE_RING || PAJEWRITE_FIELDS_SIZE
PAJEWRITE__API void pajewrite_field_int(pajewrite_fields *fields, int64_t number);
PAJEWRITE__API void pajewrite_field_hex(pajewrite_fields *fields, uint64_t number);
PAJEWRITE__API void pajewrite_field_string(pajewrite_fields *fields, const char *text);
#if PAJEWRITE_DOUBLE
PAJEWRITE__API void pajewrite_field_double(pajewrite_fields *fields, double number);
#endif
#endif

/* Writes any event, with user fields unless `fields` is NULL; also for programs that translate other traces.  A ring
 * writes states, events, variables and links.  (A NULL event is refused; a ring does not look.) */
PAJEWRITE__CALL void pajewrite_write(pajewrite *w, const pajewrite_event *event, const pajewrite_fields *fields);

#if !PAJEWRITE_RING || PAJEWRITE_FIELDS_SIZE
/* Writes an event whose user fields are integers only (int), at about the cost of an event without; `count` numbers, in
 * the order of their definition.
 *
 *     pajewrite_variant sized = pajewrite_define_variant(&w, PAJEWRITE_PUSH_STATE, "Size int, Rank int");
 *     const int64_t numbers[] = {4096, -1};
 *     pajewrite_event event = {.kind = PAJEWRITE_PUSH_STATE, .container = c, .type = t, .value = v,
 *                              .time = PAJEWRITE_TIME_NOW};
 *     pajewrite_write_ints(&w, &event, sized, numbers, 2);
 */
PAJEWRITE__CALL void pajewrite_write_ints(pajewrite *w, const pajewrite_event *event, pajewrite_variant variant,
                                          const int64_t *numbers, uint32_t count);
#endif

#ifdef __cplusplus
}
#endif
#if PAJEWRITE_RING

/* ---------------- src/pajewrite/api/ring_calls.h */

/* Events in a ring: inline functions around one that is not inline. */

#ifdef __cplusplus
extern "C" {
#endif

#define PAJEWRITE__COUNT(numbers) ((uint32_t)(numbers) << 16)
#define PAJEWRITE__TIMED 0x400000u
#define PAJEWRITE__EVENT 0x800000u

/* Writes a record: tag, numbers of 32 bits, texts (NULL: none).  The tag of a call has, besides that of the record: how
 * many numbers follow; TIMED: the clock is read (else the first two numbers are the time of an event that has one);
 * EVENT: it may be disabled; FIELDS: user fields follow. */
typedef struct pajewrite__ring_tail {
    const char *name;
    const char *text, *end; /* more texts, each terminated by NUL */
} pajewrite__ring_tail;
PAJEWRITE__API void pajewrite__ring_put(pajewrite *w, uint32_t tag, const uint32_t *numbers,
                                       const pajewrite__ring_tail *tail);
PAJEWRITE__API void pajewrite__ring_refuse(pajewrite *w, pajewrite_status status);

/* The name, or, if it is NULL, the alias in decimal, in a local array `digits`. */
#define PAJEWRITE__NAME(name, alias) ((name) ? (name) : pajewrite__ring_alias_text(digits, alias))
PAJEWRITE__API const char *pajewrite__ring_alias_text(char *digits, uint32_t alias);

#define PAJEWRITE__LIST(...) __VA_ARGS__
#define PAJEWRITE__LOW_HIGH(number) (uint32_t)(number), (uint32_t)((uint64_t)(number) >> 32)
/* Whether PAJEWRITE_KINDS has the kind of a tag, which is a constant: if not, there is no line for the record. */
#define PAJEWRITE__IS_PRESENT(tag) (PAJEWRITE__PRESENT >> (PAJEWRITE__NUMBER_OF(tag) & 31u) & 1)
#define PAJEWRITE__PUT(tag, ...) \
    const uint32_t numbers[] = {__VA_ARGS__}; \
    if (PAJEWRITE__IS_PRESENT(tag)) \
        pajewrite__ring_put(w, (tag) | PAJEWRITE__COUNT(sizeof numbers / sizeof *numbers), numbers, NULL); \
    else \
        pajewrite__ring_refuse(w, PAJEWRITE_E_KIND)
#define PAJEWRITE__PUT_TAIL(tag, ...) \
    const uint32_t numbers[] = {__VA_ARGS__}; \
    pajewrite__ring_put(w, (tag) | PAJEWRITE__COUNT(sizeof numbers / sizeof *numbers), numbers, &tail)
#define PAJEWRITE__PUT_TEXT(tag, text, ...) \
    const pajewrite__ring_tail tail = {text, NULL, NULL}; \
    if (!PAJEWRITE__IS_PRESENT(tag)) { \
        pajewrite__ring_refuse(w, PAJEWRITE_E_KIND); \
        return; \
    } \
    PAJEWRITE__PUT_TAIL(tag, __VA_ARGS__)

PAJEWRITE__UNTRACED
static inline void pajewrite__ring_define(pajewrite *w, uint32_t tag, uint32_t first, uint32_t second, const char *name,
                                     const char *color)
{
    char digits[11];
    const pajewrite__ring_tail tail = {PAJEWRITE__NAME(name, first), color, color ? color + 1 : NULL};
    if (!PAJEWRITE__IS_PRESENT(tag)) {
        pajewrite__ring_refuse(w, PAJEWRITE_E_KIND);
        return;
    }
    PAJEWRITE__PUT_TAIL(tag | (color ? PAJEWRITE__FIELDS : 0), first, second);
}

#define PAJEWRITE__DEFINITION(name, kind) \
    PAJEWRITE__UNTRACED \
    static inline void pajewrite_##name(pajewrite *w, pajewrite_type type, pajewrite_type of, const char *text) \
    { \
        pajewrite__ring_define(w, PAJEWRITE__TAG(kind, PAJEWRITE__TYPE_LINE), pajewrite__alias(type), \
                               pajewrite__alias(of), text, NULL); \
    }
PAJEWRITE__DEFINITION(define_container_type, PAJEWRITE_DEFINE_CONTAINER_TYPE)
PAJEWRITE__DEFINITION(define_state_type, PAJEWRITE_DEFINE_STATE_TYPE)
PAJEWRITE__DEFINITION(define_event_type, PAJEWRITE_DEFINE_EVENT_TYPE)
#undef PAJEWRITE__DEFINITION

PAJEWRITE__UNTRACED
static inline void pajewrite_define_variable_type(pajewrite *w, pajewrite_type type, pajewrite_type of,
                                                  const char *name, const char *color)
{
    pajewrite__ring_define(w, PAJEWRITE__TAG(PAJEWRITE_DEFINE_VARIABLE_TYPE, PAJEWRITE__TYPE_LINE),
                           pajewrite__alias(type), pajewrite__alias(of), name, color ? color : PAJEWRITE_GREY);
}

PAJEWRITE__UNTRACED
static inline void pajewrite_define_link_type(pajewrite *w, pajewrite_type type, pajewrite_type of,
                                              pajewrite_type start, pajewrite_type end, const char *name)
{
    char digits[11];
    PAJEWRITE__PUT_TEXT(PAJEWRITE__TAG(PAJEWRITE_DEFINE_LINK_TYPE, PAJEWRITE__LINK_TYPE_LINE),
                        PAJEWRITE__NAME(name, pajewrite__alias(type)), pajewrite__alias(type),
                        pajewrite__alias(of), pajewrite__alias(start), pajewrite__alias(end));
}

PAJEWRITE__UNTRACED
static inline void pajewrite_define_value(pajewrite *w, pajewrite_value value, pajewrite_type type, const char *name,
                                          const char *color)
{
    pajewrite__ring_define(w, PAJEWRITE__TAG(PAJEWRITE_DEFINE_VALUE, PAJEWRITE__TYPE_LINE), value.alias,
                           pajewrite__alias(type), name, color ? color : PAJEWRITE_GREY);
}

#if PAJEWRITE__HAS_FILES
PAJEWRITE__UNTRACED
static inline void pajewrite_trace_file(pajewrite *w, pajewrite_container container, pajewrite_type type,
                                        const char *filename)
{
    pajewrite__ring_define(w, PAJEWRITE__TAG(PAJEWRITE_TRACE_FILE, PAJEWRITE__TYPE_LINE), container.alias,
                           pajewrite__alias(type), filename ? filename : "", NULL);
}
#endif

PAJEWRITE__UNTRACED
static inline void pajewrite_create_container(pajewrite *w, pajewrite_container container, pajewrite_type type,
                                              pajewrite_container parent, const char *name)
{
    char digits[11];
    PAJEWRITE__PUT_TEXT(PAJEWRITE__TAG(PAJEWRITE_CREATE_CONTAINER, PAJEWRITE__CREATE_LINE) | PAJEWRITE__TIMED,
                        PAJEWRITE__NAME(name, container.alias), container.alias, pajewrite__alias(type),
                        parent.alias);
}

PAJEWRITE__UNTRACED
static inline void pajewrite_create_container_at(pajewrite *w, uint64_t time, pajewrite_container container,
                                                 pajewrite_type type, pajewrite_container parent, const char *name)
{
    char digits[11];
    PAJEWRITE__PUT_TEXT(PAJEWRITE__TAG(PAJEWRITE_CREATE_CONTAINER, PAJEWRITE__CREATE_LINE),
                        PAJEWRITE__NAME(name, container.alias), PAJEWRITE__LOW_HIGH(time), container.alias,
                        pajewrite__alias(type), parent.alias);
}

/* Two forms: at the time of the clock, and _at a time, which takes two more numbers.  The upper 5 bits of the tag are
 * the category of the type. */
#define PAJEWRITE__OF(kind, line) \
    (PAJEWRITE__TAG(kind, line) | PAJEWRITE__EVENT | (type.alias & ~PAJEWRITE_TYPE_MAX))
#define PAJEWRITE__FORMS(name, tag, parameters, put, ...) \
    PAJEWRITE__UNTRACED \
    static inline void pajewrite_##name(pajewrite *w, PAJEWRITE__LIST parameters) \
    { \
        PAJEWRITE__##put((tag) | PAJEWRITE__TIMED, __VA_ARGS__); \
    } \
    PAJEWRITE__UNTRACED \
    static inline void pajewrite_##name##_at(pajewrite *w, uint64_t time, PAJEWRITE__LIST parameters) \
    { \
        PAJEWRITE__##put##_AT(tag, __VA_ARGS__); \
    }
#define PAJEWRITE__PUT_AT(tag, ...) PAJEWRITE__PUT(tag, PAJEWRITE__LOW_HIGH(time), __VA_ARGS__)
#define PAJEWRITE__PUT_TEXT_AT(tag, text, ...) PAJEWRITE__PUT_TEXT(tag, text, PAJEWRITE__LOW_HIGH(time), __VA_ARGS__)

#define PAJEWRITE__VALUE_FORMS(name, kind) \
    PAJEWRITE__FORMS(name, PAJEWRITE__OF(kind, PAJEWRITE__STATE_LINE), \
                     (pajewrite_container container, pajewrite_type type, pajewrite_value value), \
                     PUT, container.alias, pajewrite__alias(type), value.alias)
#define PAJEWRITE__END_FORMS(name, tag) \
    PAJEWRITE__FORMS(name, tag, (pajewrite_container container, pajewrite_type type), \
                     PUT, container.alias, pajewrite__alias(type))
#define PAJEWRITE__NUMBER_FORMS(name, kind) \
    PAJEWRITE__FORMS(name, PAJEWRITE__OF(kind, PAJEWRITE__VARIABLE_LINE), \
                     (pajewrite_container container, pajewrite_type type, int64_t number), \
                     PUT, container.alias, pajewrite__alias(type), PAJEWRITE__LOW_HIGH(number))
#define PAJEWRITE__LINK_FORMS(name, kind) \
    PAJEWRITE__FORMS(name, PAJEWRITE__OF(kind, PAJEWRITE__LINK_LINE), \
                     (pajewrite_container container, pajewrite_type type, pajewrite_value value, \
                      pajewrite_container end, uint64_t key), \
                     PUT, container.alias, pajewrite__alias(type), value.alias, end.alias, PAJEWRITE__LOW_HIGH(key)) \
    PAJEWRITE__FORMS(name##_named, PAJEWRITE__OF(kind, PAJEWRITE__NAMED_LINK_LINE), \
                     (pajewrite_container container, pajewrite_type type, pajewrite_value value, \
                      pajewrite_container end, const char *key), \
                     PUT_TEXT, key ? key : "", container.alias, pajewrite__alias(type), value.alias, end.alias)

PAJEWRITE__END_FORMS(destroy_container, PAJEWRITE__TAG(PAJEWRITE_DESTROY_CONTAINER, PAJEWRITE__END_LINE))
PAJEWRITE__VALUE_FORMS(set_state, PAJEWRITE_SET_STATE)
PAJEWRITE__VALUE_FORMS(push_state, PAJEWRITE_PUSH_STATE)
PAJEWRITE__END_FORMS(pop_state, PAJEWRITE__OF(PAJEWRITE_POP_STATE, PAJEWRITE__END_LINE))
PAJEWRITE__END_FORMS(reset_state, PAJEWRITE__OF(PAJEWRITE_RESET_STATE, PAJEWRITE__END_LINE))
PAJEWRITE__VALUE_FORMS(new_event, PAJEWRITE_NEW_EVENT)
PAJEWRITE__NUMBER_FORMS(set_variable, PAJEWRITE_SET_VARIABLE)
PAJEWRITE__NUMBER_FORMS(add_variable, PAJEWRITE_ADD_VARIABLE)
PAJEWRITE__NUMBER_FORMS(sub_variable, PAJEWRITE_SUB_VARIABLE)
PAJEWRITE__LINK_FORMS(start_link, PAJEWRITE_START_LINK)
PAJEWRITE__LINK_FORMS(end_link, PAJEWRITE_END_LINK)
#if PAJEWRITE_DOUBLE
/* Writes a double as text.  Returns 0, and refuses the call, if it is not finite. */
PAJEWRITE__API int pajewrite__ring_double_text(pajewrite *w, char *text, double number);
#define PAJEWRITE__DOUBLE_FORMS(name, kind) \
    PAJEWRITE__FORMS(name##_text, PAJEWRITE__OF(kind, PAJEWRITE__TEXT_LINE), \
                     (pajewrite_container container, pajewrite_type type, const char *text), \
                     PUT_TEXT, text, container.alias, pajewrite__alias(type)) \
    PAJEWRITE__UNTRACED \
    static inline void pajewrite_##name(pajewrite *w, pajewrite_container container, pajewrite_type type, \
                                        double number) \
    { \
        char text[32]; \
        if (pajewrite__ring_double_text(w, text, number)) \
            pajewrite_##name##_text(w, container, type, text); \
    } \
    PAJEWRITE__UNTRACED \
    static inline void pajewrite_##name##_at(pajewrite *w, uint64_t time, pajewrite_container container, \
                                             pajewrite_type type, double number) \
    { \
        char text[32]; \
        if (pajewrite__ring_double_text(w, text, number)) \
            pajewrite_##name##_text_at(w, time, container, type, text); \
    }
PAJEWRITE__DOUBLE_FORMS(set_variable_double, PAJEWRITE_SET_VARIABLE)
PAJEWRITE__DOUBLE_FORMS(add_variable_double, PAJEWRITE_ADD_VARIABLE)
PAJEWRITE__DOUBLE_FORMS(sub_variable_double, PAJEWRITE_SUB_VARIABLE)
#undef PAJEWRITE__DOUBLE_FORMS
#endif
#undef PAJEWRITE__VALUE_FORMS
#undef PAJEWRITE__END_FORMS
#undef PAJEWRITE__NUMBER_FORMS
#undef PAJEWRITE__LINK_FORMS
#undef PAJEWRITE__FORMS

PAJEWRITE__UNTRACED
static inline void pajewrite_write(pajewrite *w, const pajewrite_event *event, const pajewrite_fields *fields)
{
    uint32_t kind = (uint32_t)event->kind, number = kind;
    uint32_t parts = PAJEWRITE__EVENT | (event->type.alias & ~PAJEWRITE_TYPE_MAX);
    uint32_t container = event->container.alias, type = pajewrite__alias(event->type);
    uint32_t value = event->value.alias, other = event->other.alias;
    const char *texts = NULL, *end = NULL;
    if (kind - PAJEWRITE_SET_STATE > PAJEWRITE_END_LINK - PAJEWRITE_SET_STATE || (PAJEWRITE__LEFT_OUT >> kind & 1)) {
        pajewrite__ring_refuse(w, PAJEWRITE_E_KIND);
        return;
    }
    if (fields) {
        if (fields->variant.kind != event->kind || fields->count != fields->variant.fields) {
            pajewrite__ring_refuse(w, PAJEWRITE_E_FIELDS);
            return;
        }
#if PAJEWRITE_DOUBLE
        if (fields->not_finite) {
            pajewrite__ring_refuse(w, PAJEWRITE_E_NUMBER);
            return;
        }
#endif
        number = fields->variant.number;
        texts = fields->text;
        end = texts + fields->size;
        parts |= PAJEWRITE__FIELDS;
    }
#define PAJEWRITE__PUT_EVENT(line, name, ...) \
    { \
        const pajewrite__ring_tail tail = {name, texts, end}; \
        if (event->time == PAJEWRITE_TIME_NOW) { \
            PAJEWRITE__PUT_TAIL(PAJEWRITE__TAG(number, line) | PAJEWRITE__TIMED | parts, __VA_ARGS__); \
        } else { \
            PAJEWRITE__PUT_TAIL(PAJEWRITE__TAG(number, line) | parts, PAJEWRITE__LOW_HIGH(event->time), __VA_ARGS__); \
        } \
    }
    if (kind >= PAJEWRITE_START_LINK && event->name)
        PAJEWRITE__PUT_EVENT(PAJEWRITE__NAMED_LINK_LINE, event->name, container, type, value, other)
    else if (kind >= PAJEWRITE_START_LINK)
        PAJEWRITE__PUT_EVENT(PAJEWRITE__LINK_LINE, NULL, container, type, value, other, PAJEWRITE__LOW_HIGH(event->key))
#if PAJEWRITE_DOUBLE
    else if (kind >= PAJEWRITE_SET_VARIABLE && event->is_real) {
        char text[32];
        if (pajewrite__ring_double_text(w, text, event->real))
            PAJEWRITE__PUT_EVENT(PAJEWRITE__TEXT_LINE, text, container, type)
    }
#endif
    else if (kind >= PAJEWRITE_SET_VARIABLE)
        PAJEWRITE__PUT_EVENT(PAJEWRITE__VARIABLE_LINE, NULL, container, type, PAJEWRITE__LOW_HIGH(event->integer))
    else if (kind == PAJEWRITE_POP_STATE || kind == PAJEWRITE_RESET_STATE)
        PAJEWRITE__PUT_EVENT(PAJEWRITE__END_LINE, NULL, container, type)
    else
        PAJEWRITE__PUT_EVENT(PAJEWRITE__STATE_LINE, NULL, container, type, value)
#undef PAJEWRITE__PUT_EVENT
}

#if PAJEWRITE_FIELDS_SIZE
PAJEWRITE__UNTRACED
static inline void pajewrite_write_ints(pajewrite *w, const pajewrite_event *event, pajewrite_variant variant,
                                        const int64_t *numbers, uint32_t count)
{
    pajewrite_fields fields = pajewrite_fields_of(variant);
    uint32_t i;
    for (i = 0; i < count; i++)
        pajewrite_field_int(&fields, numbers[i]);
    pajewrite_write(w, event, &fields);
}
#endif

#ifdef __cplusplus
}
#endif
#endif
#endif

/* ---------------- src/pajewrite/api/scope.h */

/* The scope of a state, for instrumentation by hand. */

/* A state up to the end of the enclosing block:
 *
 *     {
 *         PAJEWRITE_SCOPE(&w, thread, state, computing);
 *         ...
 *     }
 *
 * pushes the state, and pops it however the block is left: at its end, by `break`, `continue`, `return` or `goto`, in
 * C++ also by an exception.  It is a declaration, so that it binds no `break` of the code around it; it needs a block,
 * and may not be jumped over.  A state that was disabled at the push is not popped.  In C++,
 * `pajewrite_scope scope(&w, thread, state, computing);` does the same.  Neither longjmp nor the end of the thread pops
 * the state.
 *
 * In C it needs GCC or Clang.  Any compiler has the two calls of which it is made:
 *
 *     pajewrite_entered entered = pajewrite_enter(&w, thread, state, computing);
 *     ...
 *     pajewrite_leave(&entered); // on every path out of here
 */

/* What pajewrite_leave has to know.  All members are private. */
typedef struct pajewrite_entered {
    pajewrite *w; /* NULL: nothing was pushed */
    pajewrite_container container;
    pajewrite_type type;
} pajewrite_entered;

/* Makes the compiler warn where what a call returns is not used. */
#if defined(__GNUC__) || defined(__clang__)
#define PAJEWRITE__USE_RESULT __attribute__((warn_unused_result))
#else
#define PAJEWRITE__USE_RESULT
#endif

#ifdef __cplusplus
extern "C" {
#endif
#ifdef PAJEWRITE_DISABLE
PAJEWRITE__UNTRACED PAJEWRITE__USE_RESULT
static inline pajewrite_entered pajewrite_enter(pajewrite *w, pajewrite_container container, pajewrite_type type,
                                                pajewrite_value value)
{
    pajewrite_entered entered;
    (void)w, (void)value;
    entered.w = NULL;
    entered.container = container;
    entered.type = type;
    return entered;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_leave(const pajewrite_entered *entered) { (void)entered; }
#else
PAJEWRITE__API PAJEWRITE__USE_RESULT pajewrite_entered pajewrite_enter(pajewrite *w, pajewrite_container container,
                                                                      pajewrite_type type, pajewrite_value value);
PAJEWRITE__API void pajewrite_leave(const pajewrite_entered *entered);
#endif
#ifdef __cplusplus
}
#endif

#define PAJEWRITE__JOIN2(a, b) a##b
#define PAJEWRITE__JOIN(a, b) PAJEWRITE__JOIN2(a, b)

#ifdef __cplusplus
/* Linkers take one of the functions that are called alike in two files, also where it is compiled out in one of them
 * only, or is `static` in one (PAJEWRITE_API).  So they are inline always, or have another name. */
#if defined(__GNUC__) || defined(__clang__)
#define PAJEWRITE__MEMBER __attribute__((always_inline, no_instrument_function))
#else
#define PAJEWRITE__MEMBER
#ifdef PAJEWRITE_DISABLE
#define pajewrite_scope pajewrite_scope_disabled
#endif
#endif
#ifdef __clang__
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wc++17-extensions" /* nodiscard */
#endif
struct pajewrite_scope {
    pajewrite_entered entered;
#if defined(__clang__) || (defined(__GNUC__) && __GNUC__ >= 10)
    [[nodiscard]] /* a scope without a name would end at once */
#endif
    PAJEWRITE__MEMBER
    pajewrite_scope(pajewrite *w, pajewrite_container container, pajewrite_type type, pajewrite_value value)
        : entered(pajewrite_enter(w, container, type, value)) {}
    PAJEWRITE__MEMBER
    ~pajewrite_scope() { pajewrite_leave(&entered); }
    pajewrite_scope(const pajewrite_scope &) = delete;
    pajewrite_scope &operator=(const pajewrite_scope &) = delete;
};
#ifdef __clang__
#pragma clang diagnostic pop
#endif
#define PAJEWRITE_SCOPE(w, container, type, value) \
    pajewrite_scope PAJEWRITE__JOIN(pajewrite__scope_, __LINE__)(w, container, type, value)
#elif defined(__GNUC__) || defined(__clang__)
#define PAJEWRITE_SCOPE(w, container, type, value) \
    const pajewrite_entered PAJEWRITE__JOIN(pajewrite__scope_, __LINE__) \
        __attribute__((cleanup(pajewrite_leave), unused)) = pajewrite_enter(w, container, type, value)
#else /* A call of PAJEWRITE_SCOPE does not compile, and this name says what to use. */
#define PAJEWRITE_SCOPE(w, container, type, value) this_compiler_has_no_PAJEWRITE_SCOPE_use_pajewrite_enter_and_leave
#endif

/* ---------------- src/pajewrite/api/host.h */

/* Ready-made sinks and clocks. */

/* pthread_self, in the checking mode; pthread_setcancelstate. */
#if PAJEWRITE_POSIX
#include <pthread.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

#if PAJEWRITE_STDIO
/* Sink: writes to the FILE `data` and flushes it each time; does not close it.  NULL, as fopen returns where it fails:
 * deliveries fail.  Threads may share it, where the C library locks a FILE for each call; lines stay whole.  On POSIX
 * systems a pipe, socket or terminal in non-blocking mode is waited for.  As with all that is written to a FILE, a pipe
 * without a reader raises SIGPIPE, and a file that must not become as long SIGXFSZ. */
PAJEWRITE__API pajewrite_status pajewrite_to_stream(void *data, const char *bytes, size_t size);
#endif

#if PAJEWRITE_POSIX

/* Clock: CLOCK_MONOTONIC in nanoseconds (9 decimals); `data` is not used. */
PAJEWRITE__API uint64_t pajewrite_monotonic(void *data);

/* An offset in a file that can be changed atomically. */
#if defined(__GCC_ATOMIC_LLONG_LOCK_FREE) && __GCC_ATOMIC_LLONG_LOCK_FREE < 2
typedef size_t pajewrite__offset;
#define PAJEWRITE__OFFSET_MAX SIZE_MAX
#else
typedef uint64_t pajewrite__offset;
#define PAJEWRITE__OFFSET_MAX UINT64_MAX
#endif

/* A file descriptor that contexts of several threads may share, without a lock: no thread waits for another one (but
 * see sockets), and signal handlers may write by contexts of their own.  Lines stay whole, however short the writes of
 * the system are.
 *
 * A regular file: each delivery reserves its place by moving the file offset, and is written there.  If the process is
 * killed while several threads deliver, a place before the last one may be left empty (NUL bytes).
 * A regular file opened with O_APPEND: each delivery is one write, which the system appends as a whole; nothing is left
 * empty.  If the file system takes a part only though it is not full, lines of other threads may fall in between.
 * (If several processes append, and one is killed within a write, the system may have taken a part of it.  What another
 * one appends then goes on in the midst of a line: one line of each is lost, or read as a wrong one, with a warning of
 * too many fields.  Where processes may be killed, give each a file, or let all write to a pipe.)
 * Anything else, as a pipe: lines are written in pieces of at most PIPE_BUF bytes (4096 on Linux), which do not mix; a
 * longer line, or definition of an event, may.  A pipe in non-blocking mode is waited for.
 * A socket may take a part of a piece: one thread at a time writes one, for which others wait.  As it may have jumped
 * out of that, they write after ten seconds nevertheless; on Linux, of those in which the socket was not full.  A
 * signal handler that interrupts it does not wait, so its lines may be in the midst of that piece.
 *
 * A file that must not become as long (RLIMIT_FSIZE) is as one on a full disk; SIGXFSZ is not raised.  Nor is SIGPIPE,
 * where a pipe or a socket has no reader any more: deliveries fail.
 *
 * After a failed write nothing more is written.  What could not be written leaves no gap in a regular file: what other
 * threads wrote behind it at the same time moves up.  (That has to be read: the file is opened as /dev/fd/N for it, if
 * the descriptor is for writing only.  Where there is no such file, it ends before what could not be written, and what
 * was written behind that is lost, though counted as written.  Where the file system truncates no file any more, as
 * btrfs at the limit of a quota, a part of a line and NUL bytes stay.)  If the program has closed the descriptor,
 * deliveries fail, also where another file has it by now.  A thread is not cancelled within a delivery.  All members
 * but the descriptor are private. */
typedef struct pajewrite_file {
    int descriptor; /* as it was given to pajewrite_file_init */
    int way;        /* how it is written, see src/pajewrite/host/file.h */
    int failed;
    uint32_t writing; /* deliveries under way */
    uintptr_t writer; /* of sockets: the thread that writes a piece; 0: none */
    long process;
    uint64_t device, inode; /* of the file */
    pajewrite__offset end;  /* of what was written before the first failure, until the hole is removed */
} pajewrite_file;

/* The caller closes the descriptor, after pajewrite_finish of all contexts.  Returns PAJEWRITE_E_SINK if it is
 * negative; deliveries fail then. */
PAJEWRITE__API pajewrite_status pajewrite_file_init(pajewrite_file *file, int descriptor);
/* Sink: `data` is a pajewrite_file.  In a child process it fails (PAJEWRITE_E_FORKED) and writes nothing, so that lines
 * in the parent's buffers are not written twice. */
PAJEWRITE__API pajewrite_status pajewrite_to_file(void *data, const char *bytes, size_t size);

/* A socket or a pipe, for one context, whose other side may be slow, stop, or die: config.offer = pajewrite_to_peer
 * never waits, and raises no SIGPIPE.  All members are private. */
typedef struct pajewrite_peer {
    int descriptor, is_socket, failed;
    long process;
    uint64_t device, inode; /* of the socket or pipe */
} pajewrite_peer;

/* The descriptor is made non-blocking (O_NONBLOCK).  The caller closes it, after pajewrite_finish.  Returns
 * PAJEWRITE_E_SINK if it is neither a socket nor a pipe. */
PAJEWRITE__API pajewrite_status pajewrite_peer_init(pajewrite_peer *peer, int descriptor);
/* For config.offer, with a pajewrite_peer as sink_data.  Whole lines are written to a pipe.  Fails when the other side
 * is closed, in a child process, and where sink_data is NULL, as before the first peer of pajewrite_attach comes. */
PAJEWRITE__API size_t pajewrite_to_peer(void *data, const char *bytes, size_t size);

/* A file mapped into memory, for one context: lines are in the file as soon as they are written, so they survive the
 * death of the process at any moment (though not a crash of the machine).  What follows the last line reads as a
 * comment and blank lines; pajewrite_finish truncates it.  So nothing can follow the file while it is written (`paje
 * dump -F`, tail -f): it would take room that is not used yet for blank lines, and lose what comes there; use
 * pajewrite_to_file for that.  The file is extended before it is used, so that a full disk is an error
 * (PAJEWRITE_E_SINK).  Two things end the program (SIGBUS): what truncates the file meanwhile, and a full disk where
 * the file system takes a new place for each page that is written again, as btrfs does; use pajewrite_to_file there,
 * too.  All members are private. */
typedef struct pajewrite_map {
    char *window;
    size_t window_size, step, page;
    uint64_t filled, position; /* offsets in the file: of the end, and of the next byte to write */
    int descriptor;
    long process;
    uint64_t device, inode;           /* of the file */
    struct pajewrite__window *shared; /* what a child process has to know of it */
} pajewrite_map;

/* Creates or truncates the file.  `step`: by how many bytes it grows; 0: 1 MiB.  After a fork the child's copy of the
 * context writes nothing (PAJEWRITE_E_FORKED).  What was mapped is zeros there: a recorder is dumped from its file. */
PAJEWRITE__API pajewrite_status pajewrite_map_open(pajewrite_map *map, const char *path, size_t step);
/* For config.next_buffer, with a pajewrite_map as config.next_buffer_data; pajewrite_finish closes the file.  The file
 * of a flight recorder is the memory to be dumped; its size is that given to pajewrite_init, rounded up to a multiple
 * of `step`. */
PAJEWRITE__API char *pajewrite_map_next_buffer(void *data, size_t used, size_t needed, size_t *size);

/* A file for all contexts of a process, also thousands: each takes blocks of it, which are mapped into memory.  As with
 * pajewrite_map, lines are in the file as soon as they are written, nothing can follow it, and a full disk is an error,
 * but ends the program on btrfs and the like.  The file is open only while a context takes a block, so no descriptor is
 * inherited, or closed by a program that closes all.  A place in the file is reserved by an atomic addition: there is
 * no lock, and signal handlers may write by contexts of their own.
 *
 * Lines of a context are in order of time; `paje merge FILE` sorts those of all.  A block reserved by a process that is
 * killed before it can fill it may hold NUL bytes; so may one that a full disk did not take, until all contexts are
 * finished.  All members are private. */
typedef struct pajewrite_blocks {
    const char *path;
    pajewrite__offset end;  /* where the next block begins */
    pajewrite__offset hole; /* the first block that could not be filled, though another one follows */
    uint64_t device, inode;
    size_t page;
    uint32_t forks, users; /* users: contexts that have a block */
    int failed, is_in_memory;
} pajewrite_blocks;

/* A block, for one context. */
typedef struct pajewrite_block {
    pajewrite_blocks *file;
    char *window;
    size_t size, next_size;
    struct pajewrite__window *shared; /* what a child process has to know of it */
} pajewrite_block;

/* Creates the file, which must not exist.  `path` is used as long as contexts write: best an absolute one, in case the
 * program changes its folder.  Once it has given up the right to open that, or changed its root, lines that do not fit
 * the blocks in use are lost (PAJEWRITE_E_SINK), and counted.  After fork, the child opens a file of its own; a copy of
 * a context of its parent's writes nothing (PAJEWRITE_E_FORKED).  After vfork, the child may go on writing. */
PAJEWRITE__API pajewrite_status pajewrite_blocks_open(pajewrite_blocks *file, const char *path);
/* Prepares a block of at least `size` bytes; 0: a page.  Each one that follows is four times as large, up to a
 * mebibyte.  The first one of a context that defines and creates what others use stands at the head of the file, if it
 * is set up first: make it as large as they take. */
PAJEWRITE__API void pajewrite_block_init(pajewrite_block *block, pajewrite_blocks *file, size_t size);
/* For config.next_buffer, with a pajewrite_block as config.next_buffer_data. */
PAJEWRITE__API char *pajewrite_block_next_buffer(void *data, size_t used, size_t needed, size_t *size);
#endif

#if PAJEWRITE_POSIX && (defined(__x86_64__) || defined(__i386__)) && defined(__GNUC__)
#define PAJEWRITE_TSC 1
/* The time stamp counter as a clock in nanoseconds (9 decimals), cheaper than CLOCK_MONOTONIC.  Every half second, at
 * first more often, it is compared with CLOCK_MONOTONIC, and its rate is corrected so that it neither jumps nor goes
 * back.  Needs a counter of constant rate that all cores share (flags constant_tsc and nonstop_tsc in /proc/cpuinfo).
 * Use one for each context.  Two of them differ by some 10 ns, now and then by some 100: a link that a thread ends
 * sooner than that after another one has started it may end before it starts; where that matters, use
 * pajewrite_monotonic.  All members are private. */
typedef struct pajewrite_tsc {
    uint64_t ticks, time; /* the counter at the last comparison, and the time returned then */
    uint64_t monotonic;   /* CLOCK_MONOTONIC at the last comparison */
    uint64_t rate;        /* nanoseconds per tick, times 2^32 */
    uint64_t interval;    /* ticks until the next comparison */
} pajewrite_tsc;

/* Takes ten milliseconds the first time in a process, and a microsecond after that; a second where CLOCK_MONOTONIC is a
 * made one that stands still. */
PAJEWRITE__API void pajewrite_tsc_init(pajewrite_tsc *clock);
/* Clock: `data` is a pajewrite_tsc. */
PAJEWRITE__API uint64_t pajewrite_tsc_now(void *data);
#endif

#ifdef __cplusplus
}
#endif

/* ---------------- src/pajewrite/api/open.h */

/* A context with its file and its buffer; flushing when a signal ends the process. */

#if PAJEWRITE_POSIX
#ifdef __cplusplus
extern "C" {
#endif

/* All that one thread needs to write a trace; best static, as it is 64 KB large, and stays where it is until
 * pajewrite_close. */
typedef struct pajewrite_trace {
    pajewrite w; /* for the other calls; all other members are private */
    pajewrite_file file;
    int delivering;
    size_t saved; /* bytes of the buffer that a signal handler has written already */
    struct pajewrite_trace *next;
    char buffer[65536];
} pajewrite_trace;

#ifdef PAJEWRITE_DISABLE
PAJEWRITE__UNTRACED
static inline pajewrite *pajewrite_open(pajewrite_trace *trace, const char *path)
{
    (void)path;
    return &trace->w;
}

PAJEWRITE__UNTRACED
static inline pajewrite_status pajewrite_close(pajewrite_trace *trace)
{
    (void)trace;
    return PAJEWRITE_OK;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_flush_at_signals(void) {}
#else
/* Creates or truncates the file, sets up the context, whose time 0 is now, and writes the header.  Returns the context,
 * which is never NULL: if the file cannot be created, it writes nothing, and pajewrite_close returns
 * PAJEWRITE_E_SINK. */
PAJEWRITE__API pajewrite *pajewrite_open(pajewrite_trace *trace, const char *path);
/* Ends the trace (see pajewrite_finish) and closes the file.  Returns the first problem, or PAJEWRITE_OK. */
PAJEWRITE__API pajewrite_status pajewrite_close(pajewrite_trace *trace);

/* Installs a handler for signals that end the process (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT; and, where they have
 * their default action, SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGXCPU): it writes the lines in the buffers of each
 * pajewrite_trace that is open, ends the trace of zones, and lets the signal take its course.  Where the program had a
 * handler of its own, which may let it go on, the lines are written at the first such signal, and the traces go on; so
 * they do at each signal that the system ignores, as for the first process of a container.
 * Nothing can be written after SIGKILL and _exit: the file then holds whole lines, up to the last delivery; of one
 * that SIGKILL interrupts, the last line may be cut.  Where libraries keep copies of this header to themselves, only
 * the first one that calls this handles SIGTERM and those after it; the others find its handler there, so what is in
 * their buffers is lost then: share one copy, or handle these signals in the program, and end all traces there. */
PAJEWRITE__API void pajewrite_flush_at_signals(void);
#endif

#ifdef __cplusplus
}
#endif
#endif

/* ---------------- src/pajewrite/api/zones.h */

/* Zones: tracing a threaded program with one line at each place.  See "Zones" above. */

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

#endif /* PAJEWRITE_H */

#if defined(PAJEWRITE_IMPLEMENTATION) && !defined(PAJEWRITE__IMPLEMENTED)
#define PAJEWRITE__IMPLEMENTED

/* ---- also where calls are compiled out */

/* ---------------- src/pajewrite/api/platform.h */

/* Compiler-dependent macros, and the check of preconditions. */

#if defined(__GNUC__) || defined(__clang__)
#define PAJEWRITE__LIKELY(x) __builtin_expect(!!(x), 1)
#define PAJEWRITE__UNLIKELY(x) __builtin_expect(!!(x), 0)
#define PAJEWRITE__INLINE static inline __attribute__((always_inline, no_instrument_function))
#define PAJEWRITE__COLD static __attribute__((noinline, cold, no_instrument_function))
#define PAJEWRITE__NOINLINE static __attribute__((noinline, no_instrument_function))
#define PAJEWRITE__BARRIER() __asm__ volatile("" ::: "memory")
#else
#define PAJEWRITE__LIKELY(x) (x)
#define PAJEWRITE__UNLIKELY(x) (x)
#define PAJEWRITE__INLINE static inline
#define PAJEWRITE__COLD static
#define PAJEWRITE__NOINLINE static
#define PAJEWRITE__BARRIER() ((void)0)
#endif

/* Accesses to a word that another thread may use at the same time.  A relaxed one costs what a plain one does. */
#if defined(__GNUC__) || defined(__clang__)
#define PAJEWRITE__LOAD_RELAXED(word) __atomic_load_n(word, __ATOMIC_RELAXED)
#define PAJEWRITE__OR_RELAXED(word, bits) ((void)__atomic_fetch_or(word, bits, __ATOMIC_RELAXED))
#define PAJEWRITE__AND_RELAXED(word, bits) ((void)__atomic_fetch_and(word, bits, __ATOMIC_RELAXED))
#else
#define PAJEWRITE__LOAD_RELAXED(word) (*(const volatile uint32_t *)(word))
#define PAJEWRITE__OR_RELAXED(word, bits) ((void)(*(volatile uint32_t *)(word) |= (bits)))
#define PAJEWRITE__AND_RELAXED(word, bits) ((void)(*(volatile uint32_t *)(word) &= (bits)))
#endif

/* value &= *word, read as by PAJEWRITE__LOAD_RELAXED.  Compilers do not merge an atomic load into the instruction that
 * uses it, which would cost every event one more.  (Once as AT&T write it, once as Intel does, for -masm=intel.) */
#if (defined(__x86_64__) || defined(__i386__)) && (defined(__GNUC__) || defined(__clang__))
#define PAJEWRITE__MASK_RELAXED(value, word) \
    __asm__("{andl %1, %0|and %0, %1}" : "+r"(value) : "m"(*(word)) : "cc")
#else
#define PAJEWRITE__MASK_RELAXED(value, word) ((value) &= PAJEWRITE__LOAD_RELAXED(word))
#endif

/* Atomic access to plain words: what another thread or a signal handler may read or change meanwhile.  By the builtins
 * of GCC and Clang, else by C11 atomics, else as volatile.
 *
 * PAJEWRITE__LOAD, PAJEWRITE__STORE: relaxed.  PAJEWRITE__PUBLISH: a store that is visible only after all stores before
 * it.  PAJEWRITE__RELEASE(): stores before it come before stores after it; PAJEWRITE__ACQUIRE(): so do loads.
 * PAJEWRITE__SWAP_IF stores if the word is as expected, and returns whether it was. */
#if defined(__GCC_ATOMIC_INT_LOCK_FREE) && __GCC_ATOMIC_INT_LOCK_FREE == 2
#define PAJEWRITE__LOAD(type, place) __atomic_load_n(&(place), __ATOMIC_RELAXED)
#define PAJEWRITE__STORE_WORD(type, place, value) __atomic_store_n(&(place), value, __ATOMIC_RELAXED)
#define PAJEWRITE__PUBLISH(type, place, value) __atomic_store_n(&(place), value, __ATOMIC_RELEASE)
#define PAJEWRITE__RELEASE() __atomic_thread_fence(__ATOMIC_RELEASE)
#define PAJEWRITE__ACQUIRE() __atomic_thread_fence(__ATOMIC_ACQUIRE)
#define PAJEWRITE__ADD(type, place, value) __atomic_fetch_add(&(place), value, __ATOMIC_RELAXED)
#define PAJEWRITE__SWAP_IF(type, place, expected, value) \
    __atomic_compare_exchange_n(&(place), expected, value, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)
#elif !defined(__cplusplus) && __STDC_VERSION__ >= 201112L && !defined(__STDC_NO_ATOMICS__)
#include <stdatomic.h>
#define PAJEWRITE__ATOMIC(type, place) ((_Atomic(type) *)(uintptr_t)&(place)) /* which drops const without a warning */
#define PAJEWRITE__LOAD(type, place) atomic_load_explicit(PAJEWRITE__ATOMIC(type, place), memory_order_relaxed)
#define PAJEWRITE__STORE_WORD(type, place, value) \
    atomic_store_explicit(PAJEWRITE__ATOMIC(type, place), value, memory_order_relaxed)
#define PAJEWRITE__PUBLISH(type, place, value) \
    atomic_store_explicit(PAJEWRITE__ATOMIC(type, place), value, memory_order_release)
#define PAJEWRITE__RELEASE() atomic_thread_fence(memory_order_release)
#define PAJEWRITE__ACQUIRE() atomic_thread_fence(memory_order_acquire)
#define PAJEWRITE__ADD(type, place, value) \
    atomic_fetch_add_explicit(PAJEWRITE__ATOMIC(type, place), value, memory_order_relaxed)
#define PAJEWRITE__SWAP_IF(type, place, expected, value) \
    atomic_compare_exchange_strong(PAJEWRITE__ATOMIC(type, place), expected, value)
#else
#define PAJEWRITE__PLACE(type, place) (*(type volatile *)(uintptr_t)&(place))
#define PAJEWRITE__LOAD(type, place) (*(type const volatile *)(uintptr_t)&(place))
#define PAJEWRITE__STORE_WORD(type, place, value) ((void)(PAJEWRITE__PLACE(type, place) = (value)))
#define PAJEWRITE__PUBLISH(type, place, value) PAJEWRITE__STORE_WORD(type, place, value)
#define PAJEWRITE__RELEASE() PAJEWRITE__BARRIER()
#define PAJEWRITE__ACQUIRE() PAJEWRITE__BARRIER()
#define PAJEWRITE__ADD(type, place, value) ((PAJEWRITE__PLACE(type, place) += (value)) - (value))
#define PAJEWRITE__SWAP_IF(type, place, expected, value) \
    (PAJEWRITE__LOAD(type, place) == *(expected) ? (PAJEWRITE__PLACE(type, place) = (value), 1) \
                                                 : (*(expected) = PAJEWRITE__LOAD(type, place), 0))
#endif

/* Checks a precondition.  Does nothing by default; the tests define it to abort. */
#ifndef PAJEWRITE__ASSERT
#define PAJEWRITE__ASSERT(condition) ((void)0)
#endif

/* ---------------- src/pajewrite/host/stream.h */

/* The sink for FILE. */

/* ---------------- src/pajewrite/host/file.h */

/* The sink for file descriptors. */

/* ---------------- src/pajewrite/host/holes.h */

/* Removes from a file the places that were reserved, but not filled, as a write has failed. */

/* ---------------- src/pajewrite/host/descriptor.h */

/* Files and memory of the system, for what writes into them. */

/* ---------------- src/pajewrite/host/owner.h */

/* The owner of this memory: what is in the buffers of a process is for it to write, not for a child that has a copy. */

#if PAJEWRITE_POSIX
#include <sys/mman.h>
#include <unistd.h>

#ifdef __linux__
enum {
    PAJEWRITE__LARGEST_PAGE = 1 << 16,
    PAJEWRITE__WIPE_ON_FORK = 18 /* MADV_WIPEONFORK, which strict POSIX has no name for */
};
/* Has a page that the kernel clears in a copy of this memory: there the owner is stored. */
static long pajewrite__owner_page[2 * PAJEWRITE__LARGEST_PAGE / sizeof(long)];

/* Returns where the owner is stored; NULL: the kernel clears no page (Linux before 4.14).  Some emulators take any
 * advice, and do nothing. */
PAJEWRITE__UNTRACED
static long *pajewrite__place_of_owner(void)
{
    static int state; /* 1: there is such a page; 2: there is none */
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), beyond = (size_t)((uintptr_t)pajewrite__owner_page % page);
    long *place = pajewrite__owner_page + (page - beyond) % page / sizeof *place;
    if (!PAJEWRITE__LOAD(int, state))
        PAJEWRITE__PUBLISH(int, state, page > PAJEWRITE__LARGEST_PAGE || !posix_madvise(place, page, -1) ||
                                       posix_madvise(place, page, PAJEWRITE__WIPE_ON_FORK) ? 2 : 1);
    return PAJEWRITE__LOAD(int, state) == 1 ? place : NULL;
}
#endif

/* Returns the process whose memory this is: the calling one or, if that is a child of vfork, its parent.  Where the
 * system does not tell them apart from others, children of vfork have memory of their own. */
PAJEWRITE__UNTRACED
static long pajewrite__owner(void)
{
    long self = (long)getpid(), owner = 0;
#ifdef __linux__
    long *place = pajewrite__place_of_owner();
    if (place && !PAJEWRITE__SWAP_IF(long, *place, &owner, self))
        return owner;
    while (place && self != (long)getpid()) { /* a signal handler has forked in between, and this is the child */
        self = (long)getpid();
        PAJEWRITE__STORE_WORD(long, *place, self);
    }
#endif
    (void)owner;
    return self;
}

#endif

#if PAJEWRITE_POSIX
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Opens a file, not as one of the standard streams, into which the program would print if they were closed.  A FIFO may
 * have no reader for a while, in which signals come. */
PAJEWRITE__UNTRACED
static int pajewrite__open_descriptor(const char *path, int flags)
{
    int opened, descriptor;
    do
        opened = open(path ? path : "", flags | O_CLOEXEC, 0666); /* NULL, as of getenv: C wants a text */
    while (opened < 0 && errno == EINTR);
    descriptor = opened;
    if (opened >= 0 && opened < 3) {
        descriptor = fcntl(opened, F_DUPFD_CLOEXEC, 3);
        close(opened);
    }
    return descriptor;
}

/* Whether a descriptor is still that of a file; a program may close descriptors that it does not know, and open files
 * of its own in their place. */
PAJEWRITE__UNTRACED
static int pajewrite__is_file(int descriptor, uint64_t device, uint64_t inode)
{
    struct stat about;
    return !fstat(descriptor, &about) && (uint64_t)about.st_ino == inode && (uint64_t)about.st_dev == device;
}

PAJEWRITE__UNTRACED
static void pajewrite__sleep(long nanoseconds)
{
    struct timespec time;
    time.tv_sec = 0;
    time.tv_nsec = nanoseconds;
    nanosleep(&time, NULL);
}

/* Returns 1 if an error says that nothing is taken now. */
PAJEWRITE__UNTRACED
static int pajewrite__is_full(int error)
{
#if EAGAIN != EWOULDBLOCK /* else gcc -Wlogical-op warns */
    if (error == EWOULDBLOCK)
        return 1;
#endif
    return error == EAGAIN;
}

/* Writes all, at an offset if that is not negative.  A pipe in non-blocking mode that is full is tried again, after
 * 50 microseconds at first and 10 milliseconds at last (<poll.h> would declare names that the program may have).
 * Returns how many bytes were written; fewer: it failed. */
PAJEWRITE__UNTRACED
static size_t pajewrite__write_all(int descriptor, const char *bytes, size_t size, off_t at)
{
    const size_t most = (size_t)1 << 30;
    size_t done = 0;
    long pause = 50000;
    while (done < size) {
        const size_t piece = size - done < most ? size - done : most;
        const ssize_t taken = at < 0 ? write(descriptor, bytes + done, piece)
                                     : pwrite(descriptor, bytes + done, piece, at + (off_t)done);
        if (taken > 0) {
            done += (size_t)taken;
            pause = 50000;
        } else if (taken < 0 && pajewrite__is_full(errno)) {
            pajewrite__sleep(pause);
            pause = pause < 5000000 ? pause * 2 : 10000000;
        } else if (taken == 0 || errno != EINTR) {
            break;
        }
    }
    return done;
}

/* Returns the size of the whole lines at the start of some bytes. */
PAJEWRITE__UNTRACED
static size_t pajewrite__whole_lines(const char *bytes, size_t size)
{
    while (size && bytes[size - 1] != '\n')
        size--;
    return size;
}

/* Keeps a thread from being cancelled in the midst of a line.  Returns what to pass to pajewrite__let_cancel.  (Of a
 * thread that may be cancelled at any instruction, glibc sends a signal, whose handler looks at the type alone: the
 * state may have changed meanwhile.) */
PAJEWRITE__UNTRACED
static int pajewrite__prevent_cancel(void)
{
    int before = 0, type = 0;
#ifndef __ANDROID__ /* which cancels no threads */
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &type);
#endif
    return before + type * 16;
}

PAJEWRITE__UNTRACED
static void pajewrite__let_cancel(int before)
{
#ifdef __ANDROID__
    (void)before;
#else
    int changed;
    pthread_setcanceltype(before / 16, &changed);
    pthread_setcancelstate(before % 16, &changed);
#endif
}

/* What is set back afterwards. */
typedef struct pajewrite__blocked {
    sigset_t signals;
    int cancel, error;
} pajewrite__blocked;

/* A write to a pipe or a socket without a reader raises SIGPIPE, one to a file that must not become as long SIGXFSZ
 * (what others append at the same time may have taken the room): they would end the program.  They are blocked during
 * the write, and then discarded unless they were pending before.  (send would not raise SIGPIPE, but <sys/socket.h>
 * declares names such as send and bind, which the program may use for something else.) */
PAJEWRITE__UNTRACED
static sigset_t pajewrite__pending(void)
{
    sigset_t pending;
    sigemptyset(&pending);
    sigpending(&pending);
    return pending;
}

/* Discards what a write has raised that failed with this error.  `before`: what was pending before it. */
PAJEWRITE__UNTRACED
static void pajewrite__discard_raised(int error, const sigset_t *before)
{
    const sigset_t now = pajewrite__pending();
    sigset_t one;
    int number = error == EPIPE ? SIGPIPE : 0, raised;
#ifdef SIGXFSZ
    if (error == EFBIG)
        number = SIGXFSZ;
#endif
    if (!number || sigismember(before, number) == 1 || sigismember(&now, number) != 1)
        return;
    sigemptyset(&one);
    sigaddset(&one, number);
    sigwait(&one, &raised);
}

/* Keeps cancellation and, if `soon` is 1, signals from a thread that takes the lock of zones, or writes into a file: no
 * handler may find the lock taken by what it interrupted, and none may fork between the question whether this is the
 * parent and the writing, which the child would go on with.  Else only SIGPIPE is kept.  Also keeps errno. */
PAJEWRITE__UNTRACED
static pajewrite__blocked pajewrite__block_if(int soon)
{
    pajewrite__blocked before;
    sigset_t signals;
    before.error = errno;
    sigemptyset(&signals);
    sigaddset(&signals, SIGPIPE);
    if (soon)
        sigfillset(&signals);
    pthread_sigmask(SIG_BLOCK, &signals, &before.signals);
    before.cancel = pajewrite__prevent_cancel();
    return before;
}

PAJEWRITE__UNTRACED
static pajewrite__blocked pajewrite__block(void) { return pajewrite__block_if(1); }

PAJEWRITE__UNTRACED
static void pajewrite__unblock(const pajewrite__blocked *before)
{
    pajewrite__let_cancel(before->cancel);
    pthread_sigmask(SIG_SETMASK, &before->signals, NULL);
    errno = before->error;
}

/* Whether a file may grow that far; writing on would raise SIGXFSZ, which ends the program. */
PAJEWRITE__UNTRACED
static int pajewrite__may_grow(uint64_t size)
{
    struct rlimit most;
    return getrlimit(RLIMIT_FSIZE, &most) != 0 || most.rlim_cur == RLIM_INFINITY || size <= (uint64_t)most.rlim_cur;
}

/* Memory that is of no file, for which strict POSIX has no name.  /dev/zero takes a descriptor, of which none may be
 * left, and is missing in many a sandbox. */
#if defined(MAP_ANON)
#define PAJEWRITE__ANONYMOUS MAP_ANON
#elif defined(__linux__) && (defined(__mips__) || defined(__xtensa__))
#define PAJEWRITE__ANONYMOUS 0x800
#elif defined(__linux__) && (defined(__alpha__) || defined(__hppa__))
#define PAJEWRITE__ANONYMOUS 0x10
#elif defined(__linux__)
#define PAJEWRITE__ANONYMOUS 0x20
#elif defined(__APPLE__) || defined(__FreeBSD__) || defined(__NetBSD__) || defined(__OpenBSD__)
#define PAJEWRITE__ANONYMOUS 0x1000
#endif

/* Returns memory of zeros, from the kernel, as malloc must not be called in signal handlers; NULL: there is none.  If
 * `place` is not NULL, what is mapped there is replaced. */
PAJEWRITE__UNTRACED
static void *pajewrite__get_memory(void *place, size_t size)
{
    const int flags = MAP_PRIVATE | (place ? MAP_FIXED : 0);
    void *memory;
#ifdef PAJEWRITE__ANONYMOUS
    memory = mmap(place, size, PROT_READ | PROT_WRITE, flags | PAJEWRITE__ANONYMOUS, -1, 0);
#else
    const int zeros = open("/dev/zero", O_RDWR | O_CLOEXEC);
    memory = mmap(place, size, PROT_READ | PROT_WRITE, flags, zeros, 0);
    if (zeros >= 0)
        close(zeros);
#endif
    return memory == MAP_FAILED ? NULL : memory;
}

/* Rounds a size up to whole pages.  What no memory could hold becomes a size that can be added up four times. */
PAJEWRITE__UNTRACED
static size_t pajewrite__whole_pages(size_t size, size_t page)
{
    return ((size < SIZE_MAX / 4 ? size : SIZE_MAX / 4) + page - 1) / page * page;
}

#endif

#if PAJEWRITE_POSIX

/* Returns the size of the whole lines at the start of some bytes that end no definition of an event in its midst. */
PAJEWRITE__UNTRACED
static size_t pajewrite__whole_records(const char *bytes, size_t size)
{
    size = pajewrite__whole_lines(bytes, size);
    while (size) {
        const size_t line = pajewrite__whole_lines(bytes, size - 1);
        if (bytes[line] != '%' || (size - line > 12 && memcmp(bytes + line, "%EndEventDef", 12) == 0))
            break;
        size = line;
    }
    return size;
}

/* Takes out all NUL bytes, with what is left of a line or a definition before them, and what is left of one at the end.
 * Returns the size of the rest. */
PAJEWRITE__UNTRACED
static size_t pajewrite__without_holes(char *bytes, size_t size)
{
    char *line = bytes, *end, *hole;
    size_t kept = 0;
    while ((end = (char *)memchr(line, '\n', (size_t)(bytes + size - line))) != NULL) {
        while ((hole = (char *)memchr(line, 0, (size_t)(end - line))) != NULL) {
            kept = pajewrite__whole_records(bytes, kept);
            line = hole + 1;
        }
        memmove(bytes + kept, line, (size_t)(end + 1 - line));
        kept += (size_t)(end + 1 - line);
        line = end + 1;
    }
    return pajewrite__whole_records(bytes, kept);
}

/* Reads from a file, which may be open for writing only; by its name in /dev/fd then. */
PAJEWRITE__UNTRACED
static size_t pajewrite__read_all(int descriptor, char *bytes, size_t size, off_t at)
{
    const int may_read = (fcntl(descriptor, F_GETFL) & O_ACCMODE) == O_RDWR;
    char path[32] = "/dev/fd/", *p = path + sizeof path - 1;
    unsigned number = (unsigned)descriptor;
    size_t done = 0;
    if (!may_read) {
        do
            *--p = (char)('0' + number % 10);
        while ((number /= 10) != 0);
        memmove(path + 8, p, (size_t)(path + sizeof path - p));
        descriptor = open(path, O_RDONLY | O_CLOEXEC);
    }
    while (done < size) {
        const ssize_t taken = pread(descriptor, bytes + done, size - done, at + (off_t)done);
        if (taken > 0)
            done += (size_t)taken;
        else if (taken == 0 || errno != EINTR)
            break;
    }
    if (!may_read && descriptor >= 0)
        close(descriptor);
    return done;
}

/* Takes the holes out of the file from `at` on: what is behind them is read into memory, the file is truncated, so that
 * there is room on the disk, and written again.  If that is not possible, the file ends at `at`.  Sets the file offset
 * to the end. */
PAJEWRITE__UNTRACED
static void pajewrite__remove_holes(int descriptor, off_t at)
{
    struct stat about;
    size_t size, whole = 0;
    char *bytes;
    if (fstat(descriptor, &about) || about.st_size < at)
        return;
    size = (size_t)(about.st_size - at);
    bytes = size && (uint64_t)size == (uint64_t)(about.st_size - at) ? (char *)pajewrite__get_memory(NULL, size) : NULL;
    if (bytes)
        whole = pajewrite__without_holes(bytes, pajewrite__read_all(descriptor, bytes, size, at));
    if (ftruncate(descriptor, at) == 0) {
        const size_t done = pajewrite__write_all(descriptor, bytes, whole, at);
        if (done < whole) {
            whole = pajewrite__whole_records(bytes, done);
            if (ftruncate(descriptor, at + (off_t)whole))
                errno = 0;
        }
        lseek(descriptor, at + (off_t)whole, SEEK_SET);
    }
    if (bytes)
        munmap(bytes, size);
}

#endif

#if PAJEWRITE_POSIX
#include <limits.h>

#ifndef PIPE_BUF
#define PIPE_BUF 512
#endif

/* How a file is written. */
enum {
    PAJEWRITE__IN_PIECES, /* pipes and the like: in pieces that the system does not mix */
    PAJEWRITE__IN_TURN,   /* sockets: in pieces, too, by one thread at a time, as the system may take a part of one */
    PAJEWRITE__APPENDED,  /* regular, with O_APPEND: by one write, which the system appends as a whole */
    PAJEWRITE__RESERVED   /* regular: at a place that moving the file offset reserves, as POSIX has that atomic */
};

PAJEWRITE__API pajewrite_status pajewrite_file_init(pajewrite_file *file, int descriptor)
{
    struct stat about;
    memset(file, 0, sizeof *file);
    memset(&about, 0, sizeof about);
    file->descriptor = descriptor;
    file->process = pajewrite__owner();
    file->end = PAJEWRITE__OFFSET_MAX;
    if (fstat(descriptor, &about) == 0 && S_ISREG(about.st_mode))
        file->way = fcntl(descriptor, F_GETFL) & O_APPEND ? PAJEWRITE__APPENDED : PAJEWRITE__RESERVED;
    else
        file->way = S_ISSOCK(about.st_mode) ? PAJEWRITE__IN_TURN : PAJEWRITE__IN_PIECES;
    file->device = (uint64_t)about.st_dev;
    file->inode = (uint64_t)about.st_ino;
    return descriptor < 0 ? PAJEWRITE_E_SINK : PAJEWRITE_OK;
}

/* Truncates the file by the incomplete line or definition at its end, of which `torn` bytes were written. */
PAJEWRITE__UNTRACED
static void pajewrite__cut_line(int descriptor, off_t torn)
{
    const off_t at = lseek(descriptor, 0, SEEK_CUR);
    if (torn && at >= torn && lseek(descriptor, 0, SEEK_END) == at && ftruncate(descriptor, at - torn) == 0)
        lseek(descriptor, at - torn, SEEK_SET);
}

/* What fails is taken out of the file when the last delivery under way has ended: none begins after a failure. */
PAJEWRITE__UNTRACED
static int pajewrite__write_reserved(pajewrite_file *file, const char *bytes, size_t size)
{
    pajewrite__offset failed;
    size_t done = 0;
    (void)PAJEWRITE__ADD(uint32_t, file->writing, 1);
    PAJEWRITE__ACQUIRE();
    if (!PAJEWRITE__LOAD(int, file->failed)) {
        const off_t end = lseek(file->descriptor, (off_t)size, SEEK_CUR), at = end - (off_t)size;
        if (end >= 0 && pajewrite__may_grow((uint64_t)end))
            done = pajewrite__write_all(file->descriptor, bytes, size, at);
        if (done < size) {
            const uint64_t whole = (uint64_t)at + pajewrite__whole_records(bytes, done);
            failed = PAJEWRITE__LOAD(pajewrite__offset, file->end);
            while (end >= 0 && whole < failed &&
                   !PAJEWRITE__SWAP_IF(pajewrite__offset, file->end, &failed, (pajewrite__offset)whole))
                ;
            PAJEWRITE__PUBLISH(int, file->failed, 1);
        }
    }
    PAJEWRITE__RELEASE();
    if (PAJEWRITE__ADD(uint32_t, file->writing, UINT32_MAX) == 1) {
        PAJEWRITE__ACQUIRE();
        failed = PAJEWRITE__LOAD(pajewrite__offset, file->end);
        if (failed != PAJEWRITE__OFFSET_MAX &&
            PAJEWRITE__SWAP_IF(pajewrite__offset, file->end, &failed, PAJEWRITE__OFFSET_MAX))
            pajewrite__remove_holes(file->descriptor, (off_t)failed);
    }
    return done == size;
}

/* Other threads and processes may append between the question whether the file may grow and the writing. */
PAJEWRITE__UNTRACED
static int pajewrite__write_appended(pajewrite_file *file, const char *bytes, size_t size)
{
    const sigset_t before = pajewrite__pending();
    struct stat about;
    const int may = fstat(file->descriptor, &about) == 0 && pajewrite__may_grow((uint64_t)about.st_size + size);
    const size_t done = may ? pajewrite__write_all(file->descriptor, bytes, size, -1) : 0;
    if (done < size) {
        if (may)
            pajewrite__discard_raised(errno, &before);
        PAJEWRITE__PUBLISH(int, file->failed, 1);
        pajewrite__cut_line(file->descriptor, (off_t)(done - pajewrite__whole_records(bytes, done)));
    }
    return done == size;
}

/* Returns the size of the next piece: lines that fit into PIPE_BUF, at least one, not a part of an event's definition,
 * whose lines other than the first begin with % but not with %EventDef. */
PAJEWRITE__UNTRACED
static size_t pajewrite__piece_size(const char *bytes, size_t size)
{
    size_t piece = 0, i;
    for (i = 1; i <= size && (!piece || i <= PIPE_BUF); i++)
        if (bytes[i - 1] == '\n' &&
            (i == size || bytes[i] != '%' || (size - i > 9 && !memcmp(bytes + i, "%EventDef", 9))))
            piece = i;
    return piece ? piece : size;
}

/* How often a thread asks whether it may write to a socket, while that takes bytes: for about ten seconds. */
#ifndef PAJEWRITE__TRIES
#define PAJEWRITE__TRIES 10000
#endif

/* Whether a socket takes bytes, or fails; where it is not known, 1.  (<poll.h> would declare names that the program may
 * have.  The time, for which there is another struct of two sizes, is 0.) */
#if defined(__linux__) && !defined(__UCLIBC__) && (defined(__GNUC__) || defined(__clang__))
struct pajewrite__poll {
    int descriptor;
    short events, found;
};
#ifdef __cplusplus
extern "C" {
#endif
extern int pajewrite__ppoll(struct pajewrite__poll *sockets, unsigned long count, const void *time,
                            const void *signals) __asm__("ppoll");
#ifdef __cplusplus
}
#endif
PAJEWRITE__UNTRACED
static int pajewrite__takes_bytes(int descriptor)
{
    static const uint64_t no_time[2] = {0, 0};
    struct pajewrite__poll one;
    one.descriptor = descriptor;
    one.events = 4; /* POLLOUT */
    one.found = 0;
    return pajewrite__ppoll(&one, 1, no_time, NULL) != 0;
}
#else
#define pajewrite__takes_bytes(descriptor) 1
#endif

/* Waits until no other thread writes a piece; not for ever, as that may have jumped out of it, but as long as the
 * socket is full: it may have written a part then.  Returns 0 if it is this thread that writes one, which a signal
 * handler interrupts: that does not wait, and ends nothing. */
PAJEWRITE__UNTRACED
static int pajewrite__take_turn(pajewrite_file *file)
{
    const uintptr_t self = (uintptr_t)pthread_self();
    uintptr_t writer = 0;
    long pause = 50000;
    int tries = PAJEWRITE__TRIES;
    while (!PAJEWRITE__SWAP_IF(uintptr_t, file->writer, &writer, self) && tries > 0) {
        if (writer == self)
            return 0;
        writer = 0;
        pajewrite__sleep(pause);
        pause *= pause < 800000 ? 2 : 1;
        tries -= pajewrite__takes_bytes(file->descriptor);
    }
    return 1;
}

PAJEWRITE__UNTRACED
static int pajewrite__write_pieces(pajewrite_file *file, const char *bytes, size_t size)
{
    const sigset_t before = pajewrite__pending();
    while (size) {
        const size_t piece = pajewrite__piece_size(bytes, size);
        const int has_turn = file->way == PAJEWRITE__IN_TURN && pajewrite__take_turn(file);
        const size_t done = pajewrite__write_all(file->descriptor, bytes, piece, -1);
        if (done < piece) {
            pajewrite__discard_raised(errno, &before);
            PAJEWRITE__PUBLISH(int, file->failed, 1);
        }
        if (has_turn)
            PAJEWRITE__PUBLISH(uintptr_t, file->writer, 0);
        if (done < piece)
            return 0;
        bytes += piece;
        size -= piece;
    }
    return 1;
}

/* Whether a delivery ends soon, so that signals may wait for it; a pipe may be full for ever. */
PAJEWRITE__UNTRACED
static int pajewrite__delivers_soon(const pajewrite_file *file) { return file->way >= PAJEWRITE__APPENDED; }

PAJEWRITE__API pajewrite_status pajewrite_to_file(void *data, const char *bytes, size_t size)
{
    pajewrite_file *file = (pajewrite_file *)data;
    const pajewrite__blocked before = pajewrite__block_if(pajewrite__delivers_soon(file));
    const int is_child = file->process != pajewrite__owner();
    int taken = 0;
    if (!is_child && !PAJEWRITE__LOAD(int, file->failed) &&
        pajewrite__is_file(file->descriptor, file->device, file->inode))
        taken = file->way == PAJEWRITE__RESERVED   ? pajewrite__write_reserved(file, bytes, size)
                : file->way == PAJEWRITE__APPENDED ? pajewrite__write_appended(file, bytes, size)
                                                   : pajewrite__write_pieces(file, bytes, size);
    pajewrite__unblock(&before);
    return is_child ? PAJEWRITE_E_FORKED : taken ? PAJEWRITE_OK : PAJEWRITE_E_SINK;
}

#endif

#if PAJEWRITE_STDIO

#include <stdio.h>

#if PAJEWRITE_POSIX
/* Writes to the descriptor of a stream that is a pipe, a socket or a terminal: the C library would lose what that does
 * not take at once, where it does not wait or a signal interrupts it.  The lock of the stream keeps lines of threads
 * that share it whole, as that of fwrite does. */
PAJEWRITE__UNTRACED
static int pajewrite__write_behind(FILE *file, const char *bytes, size_t size)
{
    int done;
    flockfile(file);
    done = (!fflush(file) || errno == EAGAIN || errno == EINTR) &&
           pajewrite__write_all(fileno(file), bytes, size, -1) == size;
    funlockfile(file);
    return done;
}
#endif

/* A thread that was cancelled within fwrite would leave a part of its lines in the stream, which end in the midst of
 * one. */
PAJEWRITE__API pajewrite_status pajewrite_to_stream(void *stream, const char *bytes, size_t size)
{
    FILE *file = (FILE *)stream;
    int done;
#if PAJEWRITE_POSIX
    const int before = errno, descriptor = file ? fileno(file) : -1, cancel = pajewrite__prevent_cancel();
    if (descriptor >= 0 && lseek(descriptor, 0, SEEK_CUR) < 0)
        done = pajewrite__write_behind(file, bytes, size);
    else
#endif
        done = file && fwrite(bytes, 1, size, file) == size && !fflush(file);
#if PAJEWRITE_POSIX
    pajewrite__let_cancel(cancel);
    errno = before;
#endif
    return done ? PAJEWRITE_OK : PAJEWRITE_E_SINK;
}
#endif

/* ---------------- src/pajewrite/host/monotonic.h */

/* The clock of POSIX systems. */

#if PAJEWRITE_POSIX
#include <time.h>

PAJEWRITE__API uint64_t pajewrite_monotonic(void *data)
{
    struct timespec now;
    (void)data;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

#endif

/* ---------------- src/pajewrite/host/tsc.h */

/* The time stamp counter as a clock. */

#ifdef PAJEWRITE_TSC
/* Reads both clocks: the counter before and after CLOCK_MONOTONIC; the shortest of five calls counts. */
PAJEWRITE__UNTRACED
static uint64_t pajewrite__tsc_compare(uint64_t *monotonic)
{
    uint64_t shortest = UINT64_MAX, ticks = 0;
    int i;
    *monotonic = 0;
    for (i = 0; i < 5; i++) {
        uint64_t before = __builtin_ia32_rdtsc(), now = pajewrite_monotonic(NULL), after = __builtin_ia32_rdtsc();
        if (after - before < shortest) {
            shortest = after - before;
            ticks = before + shortest / 2;
            *monotonic = now;
        }
    }
    return ticks;
}

PAJEWRITE__UNTRACED
static uint64_t pajewrite__tsc_rate(uint64_t time, uint64_t ticks)
{
    for (; time >> 32; time >>= 1)
        ticks >>= 1;
    return (time << 32) / (ticks + !ticks);
}

/* How many ticks so many nanoseconds have; at most 2^33, more than half a second has, where the clock hardly goes. */
PAJEWRITE__UNTRACED
static uint64_t pajewrite__tsc_ticks(uint64_t time, uint64_t rate)
{
    const uint64_t ticks = (time << 32) / (rate + !rate);
    return ticks >> 33 ? UINT64_C(1) << 33 : ticks;
}

/* Nanoseconds between comparisons.  A rate is off by what a comparison is off, some 10 ns, in the time since the last
 * one; so at first they follow each other soon, else clocks would differ by a microsecond before the second one. */
enum { PAJEWRITE__TSC_LONGEST = 500000000 };

/* The first comparison in the process, to which later clocks refer, so that they need not wait. */
static struct {
    int state; /* 0: none yet; 1: being stored; 2: there */
    uint64_t ticks, monotonic, rate;
} pajewrite__tsc_first;

/* Waits until ten milliseconds after a comparison; returns the rate since then, and the times now.  It does not wait
 * for ever, as a clock that the program or a library gives in place of the system's may stand still: 2^31 ticks, about
 * a second. */
PAJEWRITE__UNTRACED
static uint64_t pajewrite__tsc_calibrate(uint64_t first_ticks, uint64_t first_monotonic, uint64_t *ticks,
                                         uint64_t *monotonic)
{
    do
        *ticks = pajewrite__tsc_compare(monotonic);
    while (*monotonic - first_monotonic < 10000000 && (*ticks - first_ticks + (UINT64_C(1) << 31)) >> 32 == 0);
    return pajewrite__tsc_rate(*monotonic - first_monotonic, *ticks - first_ticks);
}

PAJEWRITE__API void pajewrite_tsc_init(pajewrite_tsc *clock)
{
    uint64_t ticks = 0, monotonic = 0, first_ticks, first_monotonic, rate = 0;
    int state = 2;
    if (PAJEWRITE__SWAP_IF(int, pajewrite__tsc_first.state, &state, 2)) { /* a load, where sanitizers know no fences */
        const uint64_t usual = pajewrite__tsc_first.rate;
        rate = pajewrite__tsc_calibrate(pajewrite__tsc_first.ticks, pajewrite__tsc_first.monotonic, &ticks, &monotonic);
        if (rate - (usual - usual / 1000) > usual / 500) /* the machine slept, or another core's counter is off */
            rate = 0;
    }
    if (!rate) {
        first_ticks = pajewrite__tsc_compare(&first_monotonic);
        rate = pajewrite__tsc_calibrate(first_ticks, first_monotonic, &ticks, &monotonic);
        if (!state && PAJEWRITE__SWAP_IF(int, pajewrite__tsc_first.state, &state, 1)) {
            pajewrite__tsc_first.ticks = first_ticks;
            pajewrite__tsc_first.monotonic = first_monotonic;
            pajewrite__tsc_first.rate = rate;
            PAJEWRITE__PUBLISH(int, pajewrite__tsc_first.state, 2);
        }
    }
    clock->rate = rate;
    clock->interval = pajewrite__tsc_ticks(PAJEWRITE__TSC_LONGEST / 64, rate);
    clock->ticks = ticks;
    clock->time = clock->monotonic = monotonic;
}

/* The corrected rate holds up to the next comparison; if that is late, the true rate from there on, as else the time
 * would be as far off on the other side, or farther. */
PAJEWRITE__COLD uint64_t pajewrite__tsc_correct(pajewrite_tsc *clock)
{
    uint64_t monotonic, ticks = pajewrite__tsc_compare(&monotonic), passed = ticks - clock->ticks;
    uint64_t corrected, late, returned, error, rate;
    if (passed >> 63 && 0 - passed <= clock->interval) /* another core's counter is behind: the time stands still */
        return clock->time;
    rate = pajewrite__tsc_rate(monotonic - clock->monotonic, passed);
    /* The counter has begun again, or the time has jumped ahead, as where the machine was suspended. */
    if (passed >> 63 || rate < clock->rate / 4 || (clock->rate && rate / 4 > clock->rate)) {
        clock->time += monotonic - clock->monotonic;
        if (clock->time < monotonic)
            clock->time = monotonic;
        clock->monotonic = monotonic;
        clock->ticks = ticks;
        return clock->time;
    }
    corrected = passed < clock->interval ? passed : clock->interval;
    late = passed - corrected;
    returned = clock->time + (corrected * clock->rate >> 32);
    clock->rate = rate;
    returned += (late >> 32) * clock->rate + ((late & 0xffffffffu) * clock->rate >> 32);
    clock->monotonic = monotonic;
    clock->ticks = ticks;
    clock->time = returned;
    if (clock->interval < pajewrite__tsc_ticks(PAJEWRITE__TSC_LONGEST / 4 * 3, rate))
        clock->interval *= 2;
    if (returned < monotonic && monotonic - returned > 1000000) {
        clock->time = monotonic; /* the machine slept, or the clock was not read for long */
    } else if (returned < monotonic) {
        clock->rate += pajewrite__tsc_rate(monotonic - returned, clock->interval);
    } else {
        error = pajewrite__tsc_rate(returned - monotonic, clock->interval);
        clock->rate -= error < clock->rate / 2 ? error : clock->rate / 2;
    }
    return clock->time;
}

PAJEWRITE__API uint64_t pajewrite_tsc_now(void *data)
{
    pajewrite_tsc *clock = (pajewrite_tsc *)data;
    uint64_t passed = __builtin_ia32_rdtsc() - clock->ticks;
    if (PAJEWRITE__UNLIKELY(passed > clock->interval))
        return pajewrite__tsc_correct(clock);
    return clock->time + (passed * clock->rate >> 32);
}
#endif

/* ---------------- src/pajewrite/host/peer.h */

/* The sink for sockets and pipes, which never waits. */

#if PAJEWRITE_POSIX
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

/* Returns 1 if a write does not wait from now on. */
PAJEWRITE__UNTRACED
static int pajewrite__set_nonblocking(int descriptor)
{
    const int flags = fcntl(descriptor, F_GETFL);
    return flags >= 0 && (flags & O_NONBLOCK || fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) == 0);
}

PAJEWRITE__API pajewrite_status pajewrite_peer_init(pajewrite_peer *peer, int descriptor)
{
    struct stat status;
    memset(peer, 0, sizeof *peer);
    peer->descriptor = descriptor;
    peer->process = pajewrite__owner();
    peer->failed = 1;
    if (fstat(descriptor, &status) != 0)
        return PAJEWRITE_E_SINK;
    peer->device = (uint64_t)status.st_dev;
    peer->inode = (uint64_t)status.st_ino;
    peer->is_socket = S_ISSOCK(status.st_mode);
    if (!peer->is_socket && !S_ISFIFO(status.st_mode))
        return PAJEWRITE_E_SINK;
    peer->failed = !pajewrite__set_nonblocking(descriptor);
    return peer->failed ? PAJEWRITE_E_SINK : PAJEWRITE_OK;
}

/* Writes while signals are blocked. */
PAJEWRITE__UNTRACED
static ssize_t pajewrite__writev(int descriptor, const struct iovec *pieces, int count)
{
    const sigset_t before = pajewrite__pending();
    const ssize_t taken = writev(descriptor, pieces, count);
    const int error = errno;
    if (taken < 0)
        pajewrite__discard_raised(error, &before);
    errno = error;
    return taken;
}

/* Returns the size of the next piece, which a pipe takes at once or not at all. */
PAJEWRITE__UNTRACED
static size_t pajewrite__pipe_piece(const char *bytes, size_t size)
{
    const size_t piece = pajewrite__piece_size(bytes, size);
    return piece < PIPE_BUF ? piece : PIPE_BUF;
}

PAJEWRITE__API size_t pajewrite_to_peer(void *data, const char *bytes, size_t size)
{
    pajewrite_peer *peer = (pajewrite_peer *)data;
    const pajewrite__blocked before = pajewrite__block();
    const int has_failed = !peer || peer->failed || peer->process != pajewrite__owner() ||
                           !pajewrite__is_file(peer->descriptor, peer->device, peer->inode) ||
                           !pajewrite__set_nonblocking(peer->descriptor); /* another process may share it */
    size_t done = 0;
    while (done < size && !has_failed) {
        struct iovec piece;
        ssize_t taken;
        piece.iov_base = (char *)(uintptr_t)(bytes + done);
        piece.iov_len = peer->is_socket ? size - done : pajewrite__pipe_piece(bytes + done, size - done);
        taken = pajewrite__writev(peer->descriptor, &piece, 1);
        if (taken > 0) {
            done += (size_t)taken;
        } else if (taken < 0 && (pajewrite__is_full(errno) || errno == ENOBUFS)) {
            break;
        } else if (taken < 0 && errno == EMSGSIZE && peer->is_socket) {
            peer->is_socket = 0; /* of datagrams: in pieces of whole lines from now on, as to a pipe */
        } else if (taken == 0 || errno != EINTR) {
            peer->failed = 1; /* told now or, if some bytes were taken, by the next call */
            break;
        }
    }
    pajewrite__unblock(&before);
    return has_failed || (!done && peer->failed) ? PAJEWRITE_OFFER_FAILED : done;
}

#endif

/* ---------------- src/pajewrite/host/fork.h */

/* What mapped files have in common: how they grow, and that a child process does not write into those of its parent. */

#if PAJEWRITE_POSIX
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

/* The mapped part of a file.  It is kept apart from the user's pajewrite_map, whose memory may be gone when the process
 * forks. */
typedef struct pajewrite__window {
    int used;
    char *memory; /* NULL: nothing is mapped */
    size_t size;
} pajewrite__window;

/* The windows of the process, in blocks that are never freed.  There is no lock, which a signal handler could find
 * taken. */
typedef struct pajewrite__windows {
    struct pajewrite__windows *next;
    pajewrite__window window[32];
} pajewrite__windows;

static pajewrite__windows pajewrite__first_windows;
static pthread_once_t pajewrite__set_up_once = PTHREAD_ONCE_INIT;
static uint32_t pajewrite__forks; /* how many there are between the first process and this one */

/* Replaces the windows by zeros, into which a context may go on writing.  (A private mapping of the file would not do:
 * it loses what is behind the end of the file when the parent truncates that.)  Only the thread that forked goes on in
 * the child, so that no window changes meanwhile. */
PAJEWRITE__UNTRACED
static void pajewrite__after_fork_in_child(void)
{
    const pajewrite__windows *block;
    size_t i;
    pajewrite__forks++;
    for (block = &pajewrite__first_windows; block; block = block->next)
        for (i = 0; i < sizeof block->window / sizeof *block->window; i++) {
            const pajewrite__window *window = &block->window[i];
            if (window->used && window->memory && pajewrite__get_memory(window->memory, window->size))
                window->memory[window->size - 1] = '\n'; /* where looking for one ends */
        }
}

/* What mapped files are extended by.  It is not on the stack, which may be that of a signal handler, and not what was
 * written already: reading that through its mapping makes each page cost twice as much. */
static char pajewrite__newlines[16384];

PAJEWRITE__UNTRACED
static void pajewrite__set_up(void)
{
    memset(pajewrite__newlines, '\n', sizeof pajewrite__newlines);
    pthread_atfork(NULL, NULL, pajewrite__after_fork_in_child);
}

/* Writes newlines from `*at` to `end`, before they are touched in memory: a full disk is an error then, not a signal
 * (but on btrfs and the like, where a page that is written again takes a new place), and the file never contains a NUL
 * byte.  One call writes up to 1 MiB: the system takes larger pages for more at once, which cost half as much.  Sets
 * `*at` to where it got.  Returns 0 if the disk is full. */
PAJEWRITE__UNTRACED
static int pajewrite__write_newlines(int descriptor, uint64_t *at, uint64_t end)
{
    enum { PAJEWRITE__MOST = 64 };
    struct iovec pieces[PAJEWRITE__MOST];
    while (*at < end) {
        uint64_t left = end - *at;
        ssize_t taken = -1;
        int count;
        for (count = 0; count < PAJEWRITE__MOST && left; count++) {
            pieces[count].iov_base = pajewrite__newlines;
            pieces[count].iov_len = left < sizeof pajewrite__newlines ? (size_t)left : sizeof pajewrite__newlines;
            left -= pieces[count].iov_len;
        }
        if (lseek(descriptor, (off_t)*at, SEEK_SET) != (off_t)-1)
            taken = writev(descriptor, pieces, count);
        if (taken > 0)
            *at += (uint64_t)taken;
        else if (taken == 0 || errno != EINTR)
            return 0;
    }
    return 1;
}

/* Returns a window that no map uses; NULL: there is no memory. */
PAJEWRITE__UNTRACED
static pajewrite__window *pajewrite__new_map_window(void)
{
    pajewrite__windows *block = &pajewrite__first_windows, *next;
    size_t i;
    for (;;) {
        for (i = 0; i < sizeof block->window / sizeof *block->window; i++) {
            int unused = 0;
            if (PAJEWRITE__SWAP_IF(int, block->window[i].used, &unused, 1))
                return &block->window[i];
        }
        next = PAJEWRITE__LOAD(pajewrite__windows *, block->next);
        if (!next) {
            pajewrite__windows *more = (pajewrite__windows *)pajewrite__get_memory(NULL, sizeof *more);
            if (!more)
                return NULL;
            if (PAJEWRITE__SWAP_IF(pajewrite__windows *, block->next, &next, more))
                next = more;
            else /* another thread was faster, whose block is in `next` */
                munmap(more, sizeof *more);
        }
        block = next;
    }
}

#endif

/* ---------------- src/pajewrite/host/map.h */

/* Files that are mapped into memory. */

#if PAJEWRITE_POSIX
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

PAJEWRITE__API pajewrite_status pajewrite_map_open(pajewrite_map *map, const char *path, size_t step)
{
    struct stat about;
    memset(map, 0, sizeof *map);
    map->page = (size_t)sysconf(_SC_PAGESIZE);
    map->step = pajewrite__whole_pages(step ? step : (size_t)1 << 20, map->page);
    map->process = pajewrite__owner();
    map->descriptor = -1;
    pthread_once(&pajewrite__set_up_once, pajewrite__set_up);
    map->shared = pajewrite__new_map_window();
    if (!map->shared)
        return PAJEWRITE_E_SINK;
    map->descriptor = pajewrite__open_descriptor(path, O_RDWR | O_CREAT | O_TRUNC);
    if (map->descriptor >= 0 && fstat(map->descriptor, &about) == 0) {
        map->device = (uint64_t)about.st_dev;
        map->inode = (uint64_t)about.st_ino;
        return PAJEWRITE_OK;
    }
    if (map->descriptor >= 0)
        close(map->descriptor);
    map->descriptor = -1;
    PAJEWRITE__PUBLISH(int, map->shared->used, 0);
    map->shared = NULL;
    return PAJEWRITE_E_SINK;
}

/* Unmaps the window. */
PAJEWRITE__UNTRACED
static void pajewrite__map_unmap(pajewrite_map *map)
{
    if (map->window) {
        map->shared->memory = NULL; /* first, so that no fork maps what is gone */
        PAJEWRITE__BARRIER();
        munmap(map->window, map->window_size);
    }
    map->window = NULL;
}

PAJEWRITE__UNTRACED
static int pajewrite__map_close(pajewrite_map *map)
{
    int done = 1;
    if (!map->shared) /* closed already, or never opened */
        return 0;
    pajewrite__map_unmap(map);
    if (pajewrite__is_file(map->descriptor, map->device, map->inode)) {
        if (map->process == pajewrite__owner())
            done = ftruncate(map->descriptor, (off_t)map->position) == 0;
        done &= close(map->descriptor) == 0;
    } else {
        done = 0;
    }
    PAJEWRITE__PUBLISH(int, map->shared->used, 0);
    map->shared = NULL;
    map->descriptor = -1;
    return done;
}

PAJEWRITE__UNTRACED
static char *pajewrite__map_next(pajewrite_map *map, size_t used, size_t needed, size_t *size)
{
    int is_child = map->process != pajewrite__owner();
    size_t before;
    void *window;
    *size = is_child ? PAJEWRITE_E_FORKED : PAJEWRITE_E_SINK;
    map->position += used;
    if (!needed) {
        if (pajewrite__map_close(map) && !is_child)
            *size = 0;
        return NULL;
    }
    if (is_child || !pajewrite__is_file(map->descriptor, map->device, map->inode))
        return NULL;
    before = (size_t)(map->position % map->page);
    needed = (before + needed + map->step - 1) / map->step * map->step;
    window = mmap(NULL, needed, PROT_READ | PROT_WRITE, MAP_SHARED, map->descriptor, (off_t)(map->position - before));
    if (window == MAP_FAILED)
        return NULL;
    if (!pajewrite__may_grow(map->position - before + needed) ||
        !pajewrite__write_newlines(map->descriptor, &map->filled, map->position - before + needed)) {
        munmap(window, needed);
        return NULL;
    }
    pajewrite__map_unmap(map);
    map->window = (char *)window;
    map->window_size = needed;
    map->shared->size = needed;
    PAJEWRITE__PUBLISH(char *, map->shared->memory, map->window);
    *size = needed - before;
    return map->window + before;
}

PAJEWRITE__API char *pajewrite_map_next_buffer(void *data, size_t used, size_t needed, size_t *size)
{
    const pajewrite__blocked before = pajewrite__block();
    char *window = pajewrite__map_next((pajewrite_map *)data, used, needed, size);
    pajewrite__unblock(&before);
    return window;
}

#endif

/* ---------------- src/pajewrite/host/blocks.h */

/* Files in blocks that contexts take as they need them. */

#if PAJEWRITE_POSIX
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/vfs.h>
#endif

/* Whether a file is in memory (tmpfs). */
PAJEWRITE__UNTRACED
static int pajewrite__is_in_memory(int descriptor)
{
#if defined(__linux__)
    struct statfs about;
    return !fstatfs(descriptor, &about) && about.f_type == 0x01021994;
#else
    (void)descriptor;
    return 0;
#endif
}

PAJEWRITE__API pajewrite_status pajewrite_blocks_open(pajewrite_blocks *file, const char *path)
{
    const int before = errno, descriptor = pajewrite__open_descriptor(path, O_RDWR | O_CREAT | O_EXCL);
    struct stat about;
    memset(file, 0, sizeof *file);
    file->path = path;
    file->page = (size_t)sysconf(_SC_PAGESIZE);
    file->failed = 1;
    file->hole = PAJEWRITE__OFFSET_MAX;
    pthread_once(&pajewrite__set_up_once, pajewrite__set_up);
    file->forks = pajewrite__forks;
    if (descriptor < 0)
        return PAJEWRITE_E_SINK;
    if (!fstat(descriptor, &about)) {
        file->device = (uint64_t)about.st_dev;
        file->inode = (uint64_t)about.st_ino;
        file->is_in_memory = pajewrite__is_in_memory(descriptor);
        file->failed = 0;
    }
    close(descriptor);
    errno = before;
    return file->failed ? PAJEWRITE_E_SINK : PAJEWRITE_OK;
}

PAJEWRITE__API void pajewrite_block_init(pajewrite_block *block, pajewrite_blocks *file, size_t size)
{
    memset(block, 0, sizeof *block);
    block->file = file;
    block->next_size = pajewrite__whole_pages(size + !size, file->page);
}

/* Opens the file again.  Returns -1 if that is not possible, or another file has its path. */
PAJEWRITE__UNTRACED
static int pajewrite__reopen_blocks(const pajewrite_blocks *file)
{
    const int descriptor = pajewrite__open_descriptor(file->path, O_RDWR);
    if (pajewrite__is_file(descriptor, file->device, file->inode))
        return descriptor;
    if (descriptor >= 0)
        close(descriptor);
    return -1;
}

/* Reads a byte of every 16 pages: of a file in memory, the system then maps all of these at once, also for writing.
 * (Of others it does not, and pages that were read cost twice as much when they are written.) */
PAJEWRITE__UNTRACED
static void pajewrite__touch_block(const char *window, size_t size)
{
    size_t at;
    for (at = 0; at < size; at += (size_t)1 << 16)
        (void)*(const volatile char *)(window + at);
}

/* Maps a block at an address that lies in its MiB as the block does in the file's.  The system maps a large page of the
 * file at once if it lies whole within a table of pages, which ends with a MiB; else each write to another 4 KiB costs
 * a fault, whose time grows with the large page. */
PAJEWRITE__UNTRACED
static void *pajewrite__map_aligned(int descriptor, size_t size, uint64_t at)
{
    const size_t aligned = (size_t)1 << 20, large = (size_t)1 << 16;
    char *room = size < large ? NULL : (char *)pajewrite__get_memory(NULL, size + aligned), *place;
    const size_t before = room ? (size_t)(at - (uintptr_t)room) % aligned : 0;
    place = (char *)mmap(room ? room + before : NULL, size, PROT_READ | PROT_WRITE,
                         MAP_SHARED | (room ? MAP_FIXED : 0), descriptor, (off_t)at);
    if (before)
        munmap(room, before);
    if (room)
        munmap(room + before + size, aligned - before);
    if (room && place == (char *)MAP_FAILED)
        munmap(room + before, size);
    return place;
}

/* Maps a new block of the file; NULL: it cannot grow.  Its place is given back then; if another one is behind, it is to
 * be taken out of the file, and no more blocks are. */
PAJEWRITE__UNTRACED
static char *pajewrite__map_block(pajewrite_blocks *file, size_t size)
{
    void *window = MAP_FAILED;
    pajewrite__offset end, at;
    int descriptor;
    if (PAJEWRITE__LOAD(int, file->failed))
        return NULL;
    end = PAJEWRITE__LOAD(pajewrite__offset, file->end);
    do { /* an addition could begin at 0 again, where offsets have 32 bits */
        if (end > PAJEWRITE__OFFSET_MAX - size)
            return NULL;
    } while (!PAJEWRITE__SWAP_IF(pajewrite__offset, file->end, &end, end + size));
    at = end;
    descriptor = pajewrite__may_grow(at + size) ? pajewrite__reopen_blocks(file) : -1;
    if (descriptor >= 0) {
        uint64_t filled = at;
        if (pajewrite__write_newlines(descriptor, &filled, at + size))
            window = pajewrite__map_aligned(descriptor, size, at);
        if (close(descriptor) && window != MAP_FAILED) { /* where NFS tells that the disk is full */
            munmap(window, size);
            window = MAP_FAILED;
        }
    }
    if (window != MAP_FAILED) {
        if (file->is_in_memory)
            pajewrite__touch_block((const char *)window, size);
        return (char *)window;
    }
    end = at + size;
    if (!PAJEWRITE__SWAP_IF(pajewrite__offset, file->end, &end, at)) {
        pajewrite__offset hole = PAJEWRITE__LOAD(pajewrite__offset, file->hole);
        while (at < hole && !PAJEWRITE__SWAP_IF(pajewrite__offset, file->hole, &hole, at))
            ;
        PAJEWRITE__PUBLISH(int, file->failed, 1);
    }
    return NULL;
}

/* Takes out of the file what could not be filled, when no context has a block any more. */
PAJEWRITE__UNTRACED
static void pajewrite__leave_blocks(pajewrite_blocks *file)
{
    pajewrite__offset hole;
    int descriptor;
    PAJEWRITE__RELEASE();
    if (PAJEWRITE__ADD(uint32_t, file->users, UINT32_MAX) != 1)
        return;
    PAJEWRITE__ACQUIRE();
    hole = PAJEWRITE__LOAD(pajewrite__offset, file->hole);
    if (hole == PAJEWRITE__OFFSET_MAX ||
        !PAJEWRITE__SWAP_IF(pajewrite__offset, file->hole, &hole, PAJEWRITE__OFFSET_MAX))
        return;
    descriptor = pajewrite__reopen_blocks(file);
    if (descriptor >= 0) {
        pajewrite__remove_holes(descriptor, (off_t)hole);
        close(descriptor);
    }
}

/* Unmaps the block. */
PAJEWRITE__UNTRACED
static void pajewrite__leave_block(pajewrite_block *block)
{
    if (block->window) {
        block->shared->memory = NULL; /* first, so that no fork maps what is gone */
        PAJEWRITE__BARRIER();
        munmap(block->window, block->size);
    }
    block->window = NULL;
}

/* The last byte of a block is a newline that no context is given: what follows the last line in a block reads as a
 * comment, which ends there at the latest. */
PAJEWRITE__API char *pajewrite_block_next_buffer(void *data, size_t used, size_t needed, size_t *size)
{
    const size_t most = (size_t)1 << 20;
    pajewrite_block *block = (pajewrite_block *)data;
    pajewrite_blocks *file = block->file;
    const pajewrite__blocked before = pajewrite__block();
    const int had_one = block->window != NULL;
    size_t next = block->next_size;
    char *window = NULL;
    (void)used;
    *size = file->forks != pajewrite__forks ? PAJEWRITE_E_FORKED : needed ? PAJEWRITE_E_SINK : 0;
    if (needed && *size == PAJEWRITE_E_SINK) {
        while (next <= needed && next <= SIZE_MAX / 2)
            next *= 2;
        if (!had_one) {
            (void)PAJEWRITE__ADD(uint32_t, file->users, 1);
            PAJEWRITE__ACQUIRE();
        }
        if (!block->shared)
            block->shared = pajewrite__new_map_window();
        window = block->shared && next > needed ? pajewrite__map_block(file, next) : NULL;
    }
    if (window || !needed)
        pajewrite__leave_block(block);
    if (window) {
        block->window = window;
        block->size = next;
        block->next_size = next < most / 4 ? next * 4 : most;
        block->shared->size = next;
        PAJEWRITE__PUBLISH(char *, block->shared->memory, window);
        *size = next - 1;
    } else if (!needed && block->shared) {
        PAJEWRITE__PUBLISH(int, block->shared->used, 0);
        block->shared = NULL;
    }
    if (*size != PAJEWRITE_E_FORKED && (needed ? !had_one && !window : had_one))
        pajewrite__leave_blocks(file);
    pajewrite__unblock(&before);
    return window;
}

#endif

/* ---------------- src/pajewrite/format/status.h */

/* Version and status as text. */

PAJEWRITE__API uint32_t pajewrite_version(void) { return PAJEWRITE_VERSION; }

#ifndef __AVR__ /* left out on AVR, where the texts would be in RAM */
PAJEWRITE__API const char *pajewrite_status_text(pajewrite_status status)
{
    /* One array of texts, each ended by NUL.  String literals of their own would be merged with those of the program,
     * and a firmware that uses any of these would be linked with all of them. */
    static const char texts[] =
        "no problem\0"
#define PAJEWRITE__X(code, text) text "\0"
        PAJEWRITE_PROBLEMS(PAJEWRITE__X)
#undef PAJEWRITE__X
        "unknown problem";
    const char *text = texts;
    uint32_t left = (uint32_t)status < PAJEWRITE__STATUS_COUNT ? (uint32_t)status : (uint32_t)PAJEWRITE__STATUS_COUNT;
    while (left)
        left -= !*text++;
    return text;
}
#endif

#ifndef PAJEWRITE_DISABLE

/* ---- numbers: small ones for microcontrollers, fast ones for all others */

#if PAJEWRITE_RING

/* ---------------- src/pajewrite/format/small_numbers.h */

/* Integers as text in little code, for microcontrollers: no division instruction is needed. */

/* ---- numbers as text */

/* Writes a number that ends before p; returns its start. */
PAJEWRITE__NOINLINE char *pajewrite__small_digits(char *p, uint32_t n)
{
    while (n > 9) { /* q becomes n / 10 */
        uint32_t q = (n >> 1) + (n >> 2);
        q += q >> 4;
        q += q >> 8;
        q += q >> 16;
        q >>= 3;
        n -= q * 10;
        if (n > 9) {
            n -= 10;
            q++;
        }
        *--p = (char)('0' + n);
        n = q;
    }
    *--p = (char)('0' + n);
    return p;
}

/* Divides the 64-bit number `high`:`*low` by `by`, where high < by.  Stores the quotient in `*low`, returns the
 * remainder. */
PAJEWRITE__UNTRACED
static uint32_t pajewrite__small_divide(uint32_t high, uint32_t *low, uint32_t by)
{
    uint32_t n = *low, rest = high, i = 32;
    PAJEWRITE__ASSERT(high < by);
#ifdef __GNUC__
    __asm__("" : "+r"(by)); /* keeps gcc from deriving two more constants from it */
#endif
    if (high < by >> 16) { /* the upper half of the quotient is 0 */
        rest = high << 16 | n >> 16;
        n <<= 16;
        i = 16;
    }
    do {
        uint32_t less;
        rest = rest * 2 + (n >> 31);
        n *= 2;
        less = rest - by;
        if (less <= rest) {
            rest = less;
            n++;
        }
    } while (--i);
    *low = n;
    return rest;
}

#if PAJEWRITE__HAS_VARIABLES || PAJEWRITE__HAS_LINKS || PAJEWRITE_FIELDS_SIZE || PAJEWRITE_DOUBLE
PAJEWRITE__UNTRACED
static char *pajewrite__small_long(char *p, uint32_t low, uint32_t high, uint32_t is_signed)
{
    uint32_t negative = is_signed & high >> 31;
    if (negative) {
        high = ~high + !low;
        low = 0 - low;
    }
    while (high) {
        uint32_t rest = pajewrite__small_divide(0, &high, 10);
        *--p = (char)('0' + pajewrite__small_divide(rest, &low, 10));
    }
    p = pajewrite__small_digits(p, low);
    if (negative)
        *--p = '-';
    return p;
}
#endif

#if PAJEWRITE_DOUBLE
PAJEWRITE__UNTRACED
static char *pajewrite__small_bytes(char *p, const char *text, size_t size)
{
    while (size--)
        *p++ = *text++;
    return p;
}

PAJEWRITE__UNTRACED
static char *pajewrite__small_i64(char *p, int64_t n)
{
    char text[24], *t = pajewrite__small_long(text + 24, (uint32_t)n, (uint32_t)((uint64_t)n >> 32), 1);
    return pajewrite__small_bytes(p, t, (size_t)(text + 24 - t));
}

/* Below 2^63. */
PAJEWRITE__UNTRACED
static char *pajewrite__small_u64(char *p, uint64_t n) { return pajewrite__small_i64(p, (int64_t)n); }
PAJEWRITE__UNTRACED
static char *pajewrite__small_u32(char *p, uint32_t n) { return pajewrite__small_i64(p, n); }
PAJEWRITE__UNTRACED
static void pajewrite__small_nine(char *p, uint32_t n)
{
    char text[10];
    pajewrite__small_bytes(p, pajewrite__small_digits(text + 10, n + 1000000000u) + 1, 9);
}
#endif
#else

/* ---------------- src/pajewrite/format/bytes.h */

/* Copying, comparing and scanning text. */

#include <string.h>

PAJEWRITE__UNTRACED
static char *pajewrite__put_bytes(char *p, const char *text, size_t size)
{
    memcpy(p, text, size);
    return p + size;
}

PAJEWRITE__UNTRACED
static char *pajewrite__put_string(char *p, const char *word)
{
    for (; *word; word++)
        *p++ = *word;
    return p;
}

PAJEWRITE__UNTRACED
static int pajewrite__equal_bytes(const char *a, const char *b, size_t size)
{
    while (size && *a++ == *b++)
        size--;
    return !size;
}

PAJEWRITE__UNTRACED
static const char *pajewrite__after_line(const char *line)
{
    while (*line != '\n')
        line++;
    return line + 1;
}

/* Returns the length of a word of letters, digits and _. */
PAJEWRITE__UNTRACED
static size_t pajewrite__word_size(const char *text)
{
    size_t size = 0;
    while ((text[size] >= 'a' && text[size] <= 'z') || (text[size] >= 'A' && text[size] <= 'Z') ||
           (text[size] >= '0' && text[size] <= '9') || text[size] == '_')
        size++;
    return size;
}

PAJEWRITE__UNTRACED
static int pajewrite__word_is(const char *text, const char *name, size_t size)
{
    return pajewrite__word_size(text) == size && pajewrite__equal_bytes(text, name, size);
}

/* ---------------- src/pajewrite/format/numbers.h */

/* Integers as text, fast: compilers turn divisions by constants into multiplications, and the quotients do not depend
 * on each other. */

#include <string.h>

static const char pajewrite__pairs[] =
    "00010203040506070809101112131415161718192021222324252627282930313233343536373839404142434445464748495051525354"
    "55565758596061626364656667686970717273747576777879808182838485868788899091929394959697989900";

/* Two digits; n < 100. */
PAJEWRITE__INLINE char *pajewrite__put_2(char *p, uint32_t n)
{
    PAJEWRITE__ASSERT(n < 100);
    memcpy(p, pajewrite__pairs + n * 2, 2);
    return p + 2;
}

/* One digit or two; n < 100. */
PAJEWRITE__INLINE char *pajewrite__put_1_or_2(char *p, uint32_t n)
{
    memcpy(p, pajewrite__pairs + n * 2 + (n < 10), 2);
    return p + (n < 10 ? 1 : 2);
}

/* n >= 100.  Out of line, because each event would have several copies. */
PAJEWRITE__NOINLINE char *pajewrite__put_u32_long(char *p, uint32_t n)
{
    uint32_t a = n / 100000000u, b = n / 1000000u, c = n / 10000u, d = n / 100u;
    PAJEWRITE__ASSERT(n >= 100);
    if (n < 10000) {
        p = pajewrite__put_1_or_2(p, d);
        return pajewrite__put_2(p, n - d * 100);
    }
    if (n < 1000000) {
        p = pajewrite__put_1_or_2(p, c);
    } else {
        if (n < 100000000) {
            p = pajewrite__put_1_or_2(p, b);
        } else {
            p = pajewrite__put_1_or_2(p, a);
            p = pajewrite__put_2(p, b - a * 100);
        }
        p = pajewrite__put_2(p, c - b * 100);
    }
    p = pajewrite__put_2(p, d - c * 100);
    return pajewrite__put_2(p, n - d * 100);
}

PAJEWRITE__INLINE char *pajewrite__put_u32(char *p, uint32_t n)
{
    if (n < 10) {
        *p = (char)('0' + n);
        return p + 1;
    }
    return n < 100 ? pajewrite__put_2(p, n) : pajewrite__put_u32_long(p, n);
}

/* Nine digits; n < 10^9. */
PAJEWRITE__INLINE void pajewrite__put_nine(char *p, uint32_t n)
{
    uint32_t a = n / 100000000u, b = n / 1000000u, c = n / 10000u, d = n / 100u;
    PAJEWRITE__ASSERT(n < 1000000000u);
    *p = (char)('0' + a);
    pajewrite__put_2(p + 1, b - a * 100);
    pajewrite__put_2(p + 3, c - b * 100);
    pajewrite__put_2(p + 5, d - c * 100);
    pajewrite__put_2(p + 7, n - d * 100);
}

PAJEWRITE__COLD char *pajewrite__put_u64_long(char *p, uint64_t n)
{
    uint64_t high = n / 1000000000u;
    if (high >> 32) {
        p = pajewrite__put_u32(p, (uint32_t)(high / 1000000000u));
        pajewrite__put_nine(p, (uint32_t)(high % 1000000000u));
        p += 9;
    } else {
        p = pajewrite__put_u32(p, (uint32_t)high);
    }
    pajewrite__put_nine(p, (uint32_t)(n % 1000000000u));
    return p + 9;
}

PAJEWRITE__INLINE char *pajewrite__put_u64(char *p, uint64_t n)
{
    return PAJEWRITE__LIKELY(!(n >> 32)) ? pajewrite__put_u32(p, (uint32_t)n) : pajewrite__put_u64_long(p, n);
}

PAJEWRITE__INLINE char *pajewrite__put_i64(char *p, int64_t n)
{
    *p = '-';
    return n < 0 ? pajewrite__put_u64(p + 1, 0 - (uint64_t)n) : pajewrite__put_u64(p, (uint64_t)n);
}
#endif

/* ---------------- src/pajewrite/format/doubles.h */

/* Doubles as text: a short decimal if it is read back as the same double, else 17 digits, correctly rounded. */

#include <string.h>

#if PAJEWRITE_RING
#define PAJEWRITE__FOR_DOUBLES(name) pajewrite__small_##name
#else
#define PAJEWRITE__FOR_DOUBLES(name) pajewrite__put_##name
#endif

#if PAJEWRITE_DOUBLE
#include <float.h>
#if DBL_MANT_DIG != 53
#error "double is not the one of 64 bits here: define PAJEWRITE_DOUBLE as 0"
#endif
#endif

#if PAJEWRITE_DOUBLE
/* By its bits, as options such as -ffast-math let compilers take every number for a finite one. */
PAJEWRITE__UNTRACED
static int pajewrite__is_finite(double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return (bits >> 52 & 0x7ff) != 0x7ff;
}

#if defined(FLT_EVAL_METHOD) && FLT_EVAL_METHOD == 0
/* Whether sums and quotients are rounded to the nearest double, which a program may change (fesetround); that of a
 * microcontroller does not. */
PAJEWRITE__UNTRACED
static int pajewrite__rounds_to_nearest(void)
{
#if PAJEWRITE_RING
    return 1;
#else
    const volatile double one = 1, less = DBL_EPSILON / 4, more = DBL_EPSILON / 4 * 3;
    const volatile double low = one + less, high = one + more;
    return low <= 1 && high > 1;
#endif
}
#endif

/* Writes 17 significant digits of mantissa * 2^exponent and returns the power of ten of the first one.  Exact
 * arithmetic in limbs of 9 digits. */
PAJEWRITE__UNTRACED
static int pajewrite__to_17_digits(char *digits, uint64_t mantissa, int exponent)
{
    uint32_t limbs[88], carry; /* 2^-1074 times 10^1074 has 751 digits; the mantissa adds 16 */
    int count = 0, power = 0, i, n, up;
    char all[88 * 9 + 1];
    for (; mantissa; mantissa /= 1000000000u)
        limbs[count++] = (uint32_t)(mantissa % 1000000000u);
    while (exponent != 0) {
        /* multiply by 2^k; or by 5^k, and divide by 10^k, which divides by 2^k */
        int step = exponent > 0 ? (exponent < 29 ? exponent : 29) : (exponent > -12 ? -exponent : 12);
        uint32_t factor = 1;
        for (i = 0; i < step; i++)
            factor *= exponent > 0 ? 2 : 5;
        for (carry = 0, i = 0; i < count; i++) {
            uint64_t product = (uint64_t)limbs[i] * factor + carry;
            carry = (uint32_t)(product / 1000000000u);
            limbs[i] = (uint32_t)(product - (uint64_t)carry * 1000000000u);
        }
        if (carry)
            limbs[count++] = carry;
        power -= exponent > 0 ? 0 : step;
        exponent += exponent > 0 ? -step : step;
    }
    n = (int)(PAJEWRITE__FOR_DOUBLES(u32)(all, limbs[count - 1]) - all);
    for (i = count - 2; i >= 0; i--, n += 9)
        PAJEWRITE__FOR_DOUBLES(nine)(all + n, limbs[i]);
    power += n - 1;
    for (i = n; i < 17; i++)
        all[i] = '0';
    memcpy(digits, all, 17);
    if (n > 17) {
        for (i = 18; i < n && all[i] == '0'; i++)
            ;
        up = all[17] > '5' || (all[17] == '5' && (i < n || (digits[16] & 1)));
        for (i = 16; up && i >= 0; i--) {
            up = digits[i] == '9';
            digits[i] = up ? '0' : (char)(digits[i] + 1);
        }
        if (up) { /* all digits were nines */
            digits[0] = '1';
            power++;
        }
    }
    return power;
}

/* Writes at most 24 bytes. */
PAJEWRITE__UNTRACED
static char *pajewrite__put_double(char *p, double number)
{
    uint64_t bits, mantissa;
    int exponent, power, last;
    char digits[17];
    PAJEWRITE__ASSERT(pajewrite__is_finite(number));
    memcpy(&bits, &number, sizeof bits);
    mantissa = bits & ((UINT64_C(1) << 52) - 1);
    exponent = (int)(bits >> 52 & 0x7ff);
    if (bits >> 63) {
        *p++ = '-';
        number = -number;
    }
    if (!exponent && !mantissa) {
        *p++ = '0';
        return p;
    }
#if defined(FLT_EVAL_METHOD) && FLT_EVAL_METHOD == 0
    /* n and 10^6 are exact, so n / 10^6 is rounded once, as a reader rounds that decimal.  (A constant would be divided
     * by as multiplied by its inverse with -ffast-math, which also makes zeros of numbers without an exponent.) */
    if (exponent && number < 9007199254.0 && pajewrite__rounds_to_nearest()) {
        const volatile double million = 1e6;
        uint64_t n = (uint64_t)(number * 1e6 + 0.5);
        if ((double)n / million == number) {
            uint64_t whole = n / 1000000u;
            uint32_t part = (uint32_t)(n - whole * 1000000u);
            p = PAJEWRITE__FOR_DOUBLES(u64)(p, whole);
            if (part) {
                char nine[9];
                for (PAJEWRITE__FOR_DOUBLES(nine)(nine, part * 1000), last = 8; nine[last] == '0'; last--)
                    ;
                *p++ = '.';
                p = PAJEWRITE__FOR_DOUBLES(bytes)(p, nine, (size_t)last + 1);
            }
            return p;
        }
    }
#endif
    if (exponent)
        mantissa |= UINT64_C(1) << 52;
    else
        exponent = 1;
    power = pajewrite__to_17_digits(digits, mantissa, exponent - 1075);
    for (last = 16; last > 0 && digits[last] == '0'; last--)
        ;
    *p++ = digits[0];
    if (last) {
        *p++ = '.';
        p = PAJEWRITE__FOR_DOUBLES(bytes)(p, digits + 1, (size_t)last);
    }
    *p++ = 'e';
    return PAJEWRITE__FOR_DOUBLES(i64)(p, power);
}

#endif

/* ---- the rest of the writer, of which there are two */

#if PAJEWRITE_RING

/* ---------------- src/pajewrite/ring/platform.h */

/* Macros for microcontrollers: masking interrupts, clocks, reading tables in flash. */

/* PAJEWRITE_ENTER(saved) masks the interrupts that write or drain, and saves their state in `saved`, an unsigned;
 * PAJEWRITE_LEAVE(saved) restores it; PAJEWRITE_BARRIER() keeps stores in order.  Several cores also need a lock. */
#ifndef PAJEWRITE_ENTER
#if defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M' && defined(PAJEWRITE_BASEPRI)
#define PAJEWRITE_ENTER(saved) \
    __asm__ volatile("mrs %0, basepri\n\tmsr basepri_max, %1" : "=&r"(saved) : "r"(PAJEWRITE_BASEPRI) : "memory")
#define PAJEWRITE_LEAVE(saved) __asm__ volatile("msr basepri, %0" : : "r"(saved) : "memory")
#elif defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M'
#define PAJEWRITE_ENTER(saved) __asm__ volatile("mrs %0, primask\n\tcpsid i" : "=r"(saved) : : "memory")
#define PAJEWRITE_LEAVE(saved) __asm__ volatile("msr primask, %0" : : "r"(saved) : "memory")
#elif defined(__riscv) && !defined(__linux__)
#define PAJEWRITE_ENTER(saved) __asm__ volatile("csrrci %0, mstatus, 8" : "=r"(saved) : : "memory")
#define PAJEWRITE_LEAVE(saved) __asm__ volatile("csrs mstatus, %0" : : "r"((saved) & 8) : "memory")
#elif defined(__AVR__)
#define PAJEWRITE_ENTER(saved) __asm__ volatile("in %A0, __SREG__\n\tcli" : "=r"(saved) : : "memory")
#define PAJEWRITE_LEAVE(saved) __asm__ volatile("out __SREG__, %A0" : : "r"(saved) : "memory")
#else /* there are no interrupts */
#define PAJEWRITE_ENTER(saved) ((saved) = 0)
#define PAJEWRITE_LEAVE(saved) ((void)(saved))
#endif
#endif
/* Whether numbers of 32 bits are read in parts, between which an interrupt may change them. */
#ifndef PAJEWRITE__IN_PARTS
#define PAJEWRITE__IN_PARTS (sizeof(int) < sizeof(uint32_t))
#endif
#ifndef PAJEWRITE_BARRIER
#define PAJEWRITE_BARRIER() PAJEWRITE__BARRIER()
#endif

/* Ready-made clocks of Cortex-M. */
#if defined(PAJEWRITE_SYSTICK) || defined(PAJEWRITE_DWT)
PAJEWRITE__UNTRACED
static uint64_t pajewrite__ring_cortex_now(void)
{
    static uint64_t time;
    static uint32_t last;
#ifdef PAJEWRITE_SYSTICK
    /* It counts down from its reload value, and sets a flag where it becomes 0, which reading clears.  That the number
     * is smaller than the last one does not tell all periods: the handler of SysTick reads it a whole period after it
     * read it last.  At 0, for one tick, the period has ended, and the next one has not begun. */
    uint32_t reload = *(volatile uint32_t *)0xe000e014u, periods = 0, left, control, now;
    do {
        left = *(volatile uint32_t *)0xe000e018u;
        control = *(volatile uint32_t *)0xe000e010u;
        periods += control >> 16 & 1;
    } while (control >> 16 & 1 || (!left && control & 1));
    now = left ? reload - left : 0;
    if (!periods && now < last) /* other code has read the flag */
        periods = 1;
    time += now - last + periods * (reload + 1);
#else
    uint32_t now = *(volatile uint32_t *)0xe0001004u;
    time += now - last;
#endif
    last = now;
    return time;
}
#define PAJEWRITE_NOW() pajewrite__ring_cortex_now()
#endif
#ifndef PAJEWRITE_NOW
#error "define PAJEWRITE_NOW() as what reads your clock: 64 bits, in ticks of PAJEWRITE_HZ; or PAJEWRITE_SYSTICK"
#endif

#ifdef __AVR__
#define PAJEWRITE__ROM_BYTE(p) ((char)pgm_read_byte(p))
#define PAJEWRITE__ROM_UNIT(p) pgm_read_word(p)
/* Stores two bytes, without interrupts in between. */
#define PAJEWRITE__STORE(place, n) \
    do { \
        unsigned saved; \
        PAJEWRITE_ENTER(saved); \
        (place) = (uint16_t)(n); \
        PAJEWRITE_LEAVE(saved); \
    } while (0)
#else
#define PAJEWRITE__ROM_UNIT(p) (*(p))
#define PAJEWRITE__STORE(place, n) ((place) = (uint16_t)(n))
#define PAJEWRITE__ROM_BYTE(p) (*(p))
#endif

/* ---------------- src/pajewrite/ring/words.h */

/* The text of the header and of all lines, compressed into words. */

/* The words of an event; empty where PAJEWRITE_KINDS leaves it out. */
#define PAJEWRITE__IF_ALWAYS(text) text
#if PAJEWRITE__HAS_STATES
#define PAJEWRITE__IF_STATES(text) text
#else
#define PAJEWRITE__IF_STATES(text) PAJEWRITE__ABSENT
#endif
#if PAJEWRITE__HAS_EVENTS
#define PAJEWRITE__IF_EVENTS(text) text
#else
#define PAJEWRITE__IF_EVENTS(text) PAJEWRITE__ABSENT
#endif
#if PAJEWRITE__HAS_VARIABLES
#define PAJEWRITE__IF_VARIABLES(text) text
#else
#define PAJEWRITE__IF_VARIABLES(text) PAJEWRITE__ABSENT
#endif
#if PAJEWRITE__HAS_LINKS
#define PAJEWRITE__IF_LINKS(text) text
#else
#define PAJEWRITE__IF_LINKS(text) PAJEWRITE__ABSENT
#endif
#if PAJEWRITE__HAS_FILES
#define PAJEWRITE__IF_FILES(text) text
#else
#define PAJEWRITE__IF_FILES(text) PAJEWRITE__ABSENT
#endif

#define PAJEWRITE__ABSENT "\x80"

/* What digits stand for in words: data of the record. */
enum {
    PAJEWRITE__LINE_NUMBER, /* the number of the event, which the tag tells */
    PAJEWRITE__NUMBER,
    PAJEWRITE__TIME,
    PAJEWRITE__TEXT,
    PAJEWRITE__LONG,        /* 64 bits; a signed one is odd */
    PAJEWRITE__SIGNED_LONG,
    PAJEWRITE__KIND,        /* in definitions: the word of the kind */
    PAJEWRITE__OTHER_KIND,  /* in definitions: that of a kind which is the next number */
    PAJEWRITE__BARE_TEXT    /* in definitions: without quotes */
};

/* Words.  The last byte of each has bit 7 set.  Bytes below 32, except newline, are indices of words. */
static const char pajewrite__ring_words[] PAJEWRITE_ROM =
    "\x80"                                               /* empty */
    "021\xb1"                                            /* END_LINE and so on, in the order of the enum */
    "\x01\xb1"
    "011\xb3"
    "\x03\xb3"
    "\x02\xb3"
    " string\x8a"
    "Containe\xf2"
    "Typ\xe5"
    "Valu\xe5"
    "%\x13\x19 Paje6%End\x13\x99"                        /* 10: HEADER */
    "\x18" "Alias\x86"
    "\x18\x08\x86"
    "\x18\x07\x86"
    "\x18Name\x86"
    "\x18" "Color color\x8a"
    "\x18\x09\x86"
    "\x19in\xe5"
    "Stat\xe5"
    "Even\xf4"
    " 0\n\x18Time date\x8a"                              /* 20 */
    " 0\n\x8b"
    "\x14\x0d\x8c"
    "\x15\x0c\x8e"
    "%\xa0"
    "De\xe6"
#if PAJEWRITE__HAS_VARIABLES || PAJEWRITE__HAS_LINKS
    "Variabl\xe5"
    "Lin\xeb"
    "Star\xf4"
    "En\xe4"
    "\x18\x09 double\x8a"                                /* 30 */
    "\x18Key\x86"
#endif
#if PAJEWRITE__HAS_VARIABLES
    "\x01\xb5"
    "\x01\xb3"
#endif
#if PAJEWRITE__HAS_LINKS
    "01111\xb3"
    "\x02" "1\xb4"
    "\x02" "1\xb3"
#endif
#if PAJEWRITE_GAPS
    "# dropped1 events from2 to\xb2"
#endif
#if PAJEWRITE_FIELDS_SIZE
    "%\x13\x19 Paje78%End\x13\x99"
#endif
    "\x11\x07\x08\x97"                                   /* kinds of events, in order */
    PAJEWRITE__IF_STATES("\x11\x12\x08\x97")
    PAJEWRITE__IF_EVENTS("\x11\x13\x08\x97")
    PAJEWRITE__IF_VARIABLES("\x11\x1a\x08\x17\x8f")
    PAJEWRITE__IF_LINKS("\x11\x1b\x08\x15\x0c\x18\x1c\x07\x08\x06\x18\x1d\x07\x08\x06\x8e")
    "\x11" "Entity\x09\x17\x8f"
    "Create\x07\x14\x0b\x0c\x0d\x8e"
    "Destroy\x07\x14\x0e\x8c"
    PAJEWRITE__IF_STATES("Set\x12\x16\x90")
    PAJEWRITE__IF_STATES("Push\x12\x16\x90")
    PAJEWRITE__IF_STATES("Pop\x12\x96")
    PAJEWRITE__IF_STATES("Reset\x12\x96")
#if (PAJEWRITE_KINDS) >= PAJEWRITE_EVENTS
    PAJEWRITE__IF_EVENTS("New\x13\x16\x90")
#endif
#if (PAJEWRITE_KINDS) >= PAJEWRITE_VARIABLES
    PAJEWRITE__IF_VARIABLES("Set\x1a\x16\x9e")
    PAJEWRITE__IF_VARIABLES("Add\x1a\x16\x9e")
    PAJEWRITE__IF_VARIABLES("Sub\x1a\x16\x9e")
#endif
#if (PAJEWRITE_KINDS) >= PAJEWRITE_LINKS
    PAJEWRITE__IF_LINKS("\x1c\x1b\x16\x10\x18\x1c\x07\x06\x9f")
    PAJEWRITE__IF_LINKS("\x1d\x1b\x16\x10\x18\x1d\x07\x06\x9f")
#endif
#if (PAJEWRITE_KINDS) >= PAJEWRITE_FILES
    "TraceFile 0\n\x0d\x0c\x18" "Filename\x86"
#endif
    ;
/* The last kind in the words. */
#define PAJEWRITE__LAST_KIND \
    (PAJEWRITE__HAS_FILES ? PAJEWRITE_TRACE_FILE : PAJEWRITE__HAS_LINKS ? PAJEWRITE_END_LINK : \
     PAJEWRITE__HAS_VARIABLES ? PAJEWRITE_SUB_VARIABLE : PAJEWRITE__HAS_EVENTS ? PAJEWRITE_NEW_EVENT : \
     PAJEWRITE_RESET_STATE)

/* ---------------- src/pajewrite/ring/record.h */

/* Writing records, with interrupts masked. */

#include <string.h>

/* Units in front of the ring: the stack of words to be resumed, innermost last, and one piece of text, which ends where
 * the ring begins.  The longest piece is a time. */
enum { PAJEWRITE__FRONT_UNITS = 6 + 11 };

PAJEWRITE__NOINLINE void pajewrite__ring_put_number(pajewrite *w, uint32_t n)
{
    do {
        uint32_t at = w->next, next = at + 1, size = w->size, more = n >> 15;
        PAJEWRITE__ASSERT(at <= size);
        if (at == size)
            break;
        if (next == size)
            next = 0;
        if (next == w->tail)
            next = size;
        w->next = (uint16_t)next;
        n *= 2;
        if (more)
            n++;
        w->units[at] = (uint16_t)n;
        n = more;
    } while (n);
}

PAJEWRITE__UNTRACED
static void pajewrite__ring_put_number64(pajewrite *w, uint64_t n)
{
    pajewrite__ring_put_number(w, (uint32_t)n);
    pajewrite__ring_put_number(w, (uint32_t)(n >> 32));
}

#if PAJEWRITE_TEXTS
/* Replaces bytes that some readers do not accept by _. */
PAJEWRITE__NOINLINE char pajewrite__ring_replace_byte(char byte)
{
    uint32_t c = (unsigned char)byte;
    /* the mask has " # % ' , */
    return c < 32 || c == 127 || (c < 64 && 0x10acu >> (c - 32) & 1) ? '_' : byte;
}

/* Writes the byte that ends a text, and its bytes.  Returns the address behind the text. */
PAJEWRITE__NOINLINE const char *pajewrite__ring_put_text(pajewrite *w, const char *text)
{
    const char *blank = text;
    while (*blank && *blank != ' ')
        blank++;
    pajewrite__ring_put_number(w, *blank ? '"' : 1);
    do
        pajewrite__ring_put_number(w, (unsigned char)pajewrite__ring_replace_byte(*text));
    while (*text && *++text);
    pajewrite__ring_put_number(w, 0);
    return text + 1;
}
#endif

PAJEWRITE__NOINLINE void pajewrite__ring_write_record(pajewrite *w, uint32_t tag, const uint32_t *numbers,
                                           const pajewrite__ring_tail *tail)
{
    w->next = w->head;
#if PAJEWRITE_GAPS
    if (w->gap_count)
        w->next = w->size;
#endif
    pajewrite__ring_put_number(w, (uint16_t)tag);
    if (tag & PAJEWRITE__TIMED) {
#if PAJEWRITE_GAPS
        w->latest = PAJEWRITE_NOW();
        pajewrite__ring_put_number64(w, w->latest);
#else
        pajewrite__ring_put_number64(w, PAJEWRITE_NOW());
#endif
    }
    for (tag = tag >> 16 & 15; tag; tag--)
        pajewrite__ring_put_number(w, *numbers++);
#if PAJEWRITE_TEXTS
    if (tail) {
        const char *text = tail->text;
        if (tail->name)
            pajewrite__ring_put_text(w, tail->name);
        if (text) {
            while (text < tail->end)
                text = pajewrite__ring_put_text(w, text);
            pajewrite__ring_put_number(w, 0);
        }
    }
#endif
    (void)tail;
    PAJEWRITE_BARRIER();
    if (w->next != w->size) {
        w->head = w->next;
    } else {
        w->dropped++;
#if PAJEWRITE_GAPS
        if (!w->gap_count++) {
            w->gap_first = w->latest;
#else
        {
#endif
            if (PAJEWRITE_TEXTS && w->head == w->tail && !w->status) /* it does not fit into the empty ring */
                w->status = PAJEWRITE_E_TOO_LONG;
        }
    }
}

/* A function of its own, so that disabled calls save no registers. */
PAJEWRITE__API void pajewrite__ring_put(pajewrite *w, uint32_t tag, const uint32_t *numbers,
                                       const pajewrite__ring_tail *tail)
{
    if (!(tag & PAJEWRITE__EVENT) || w->enabled >> (tag >> 27) & 1) {
        unsigned saved;
        PAJEWRITE_ENTER(saved);
        pajewrite__ring_write_record(w, tag, numbers, tail);
        PAJEWRITE_LEAVE(saved);
    }
}

#if PAJEWRITE_TEXTS
PAJEWRITE__API const char *pajewrite__ring_alias_text(char *digits, uint32_t alias)
{
    digits[10] = 0;
    return pajewrite__small_digits(digits + 10, alias);
}
#endif

PAJEWRITE__API void pajewrite__ring_refuse(pajewrite *w, pajewrite_status status)
{
    unsigned saved;
    PAJEWRITE_ENTER(saved);
    if (!w->status)
        w->status = (uint8_t)status;
    w->dropped++;
    PAJEWRITE_LEAVE(saved);
}

/* ---------------- src/pajewrite/ring/drain.h */

/* Draining: makes text of records. */

/* Writes a time: seconds, point, decimals. */
PAJEWRITE__UNTRACED
static char *pajewrite__ring_time(char *p, uint32_t low, uint32_t high)
{
    uint32_t rest;
#if (PAJEWRITE_DECIMALS) < 9
    if (high >= (PAJEWRITE_HZ)) /* too late, as of a clock that went back below 0: ten digits are moved */
        high = (PAJEWRITE_HZ) - 1;
#endif
    rest = pajewrite__small_divide(high, &low, (PAJEWRITE_HZ));
#if PAJEWRITE_DECIMALS
    /* where a tick is not a decimal fraction, the time is rounded up */
    uint32_t n = 1000000000u % (PAJEWRITE_HZ) == 0 ? rest * (1000000000u / (PAJEWRITE_HZ)) :
        (uint32_t)(rest * (((UINT64_C(1000000000) << 32) + (PAJEWRITE_HZ) - 1) / (PAJEWRITE_HZ)) >> 32);
#if (PAJEWRITE_DECIMALS) < 9
    char *end = p;
#endif
    p = pajewrite__small_digits(p, n + 1000000000u); /* nine digits, and one that the point replaces */
    *p = '.';
#if (PAJEWRITE_DECIMALS) < 9
    memmove(p + 9 - (PAJEWRITE_DECIMALS), p, (PAJEWRITE_DECIMALS) + 1);
    p = end - (PAJEWRITE_DECIMALS) - 1;
#endif
#else
    (void)rest;
#endif
    return pajewrite__small_digits(p, low);
}

/* Reads the next number of a record, or of a table entry. */
PAJEWRITE__NOINLINE uint32_t pajewrite__ring_next_number(pajewrite *w)
{
    uint32_t n = 0, shift = 0, unit;
    do {
        if (w->rom_numbers) {
            unit = PAJEWRITE__ROM_UNIT(w->rom_numbers++);
        } else {
            uint32_t tail = w->tail;
            unit = w->units[tail];
            tail++;
            if (tail == w->size)
                tail = 0;
            PAJEWRITE_BARRIER();
            PAJEWRITE__STORE(w->tail, tail);
        }
        n |= unit >> 1 << shift;
        shift += 15;
    } while (unit & 1);
    return n;
}

/* Continues with a word; the current one is resumed after it. */
PAJEWRITE__NOINLINE void pajewrite__ring_push_word(pajewrite *w, uint32_t words)
{
    uint32_t place = 0;
    while (words)
        words -= (unsigned char)PAJEWRITE__ROM_BYTE(pajewrite__ring_words + place++) >> 7;
    PAJEWRITE__ASSERT(w->stack_top + 1 < w->units);
    *++w->stack_top = (uint16_t)place;
}

#if PAJEWRITE_GAPS
/* Writes a record that reports dropped events, if the ring is empty. */
PAJEWRITE__UNTRACED
static void pajewrite__ring_write_gap(pajewrite *w)
{
    unsigned saved;
    PAJEWRITE_ENTER(saved);
    if (w->head == w->tail) {
        w->next = w->head;
        pajewrite__ring_put_number(w, (uint32_t)PAJEWRITE__TAG(0, PAJEWRITE__GAP_LINE));
        pajewrite__ring_put_number(w, w->gap_count);
        pajewrite__ring_put_number64(w, w->gap_first);
        pajewrite__ring_put_number64(w, w->latest);
        PAJEWRITE_BARRIER();
        w->head = w->next;
        w->gap_count = 0;
    }
    PAJEWRITE_LEAVE(saved);
}
#endif

/* Begins the next line, which is of the header, of the table of definitions or of a record; or says in a record of its
 * own what was dropped before it.  Returns 0 if there is none yet. */
PAJEWRITE__UNTRACED
static int pajewrite__ring_begin_line(pajewrite *w)
{
    uint32_t tag;
    if (w->kinds_left) {
        const uint32_t kind = PAJEWRITE__LAST_KIND + 1u - w->kinds_left--;
        if (!(PAJEWRITE__PRESENT >> kind & 1)) /* unreached: only where kinds are left out, as in tests/ring.sh */
            return 1;
        tag = PAJEWRITE__TAG(kind, PAJEWRITE__HEADER_LINE);
    } else {
        w->rom_numbers = NULL;
        if (w->entries_left) {
            w->rom_numbers = &w->rom_entry->tag;
            w->rom_text = w->rom_entry->text;
            w->rom_entry++;
            w->entries_left--;
        } else if (w->head == w->tail) {
#if PAJEWRITE_GAPS
            if (w->gap_count) {
                pajewrite__ring_write_gap(w);
                return 1;
            }
#endif
            return 0;
        }
        PAJEWRITE_BARRIER(); /* the record is read after the head that includes it */
        tag = pajewrite__ring_next_number(w);
    }
    w->tag = (uint16_t)tag;
    pajewrite__ring_push_word(w, PAJEWRITE__LINE_OF(tag));
    return 1;
}

/* Returns the next byte of the text of a table entry, or of a record; 0: it ends. */
PAJEWRITE__UNTRACED
static uint32_t pajewrite__ring_next_byte(pajewrite *w)
{
#if PAJEWRITE_TEXTS
    if (!w->rom_numbers)
        return pajewrite__ring_next_number(w);
#endif
    return (unsigned char)PAJEWRITE__ROM_BYTE(w->rom_text++);
}

/* Writes the next byte of a text, or its end.  All of these write in front of `p`, the last byte first, and return
 * where what they have written begins. */
PAJEWRITE__UNTRACED
static char *pajewrite__ring_continue_text(pajewrite *w, char *p)
{
    uint32_t c = pajewrite__ring_next_byte(w);
    if (!c) {
        c = w->quote;
        w->quote = 0;
        if (PAJEWRITE_TEXTS && c != '"')
            return p;
    }
    *--p = (char)c;
    return p;
}

/* Writes the number of the line, or one of the record. */
PAJEWRITE__UNTRACED
static char *pajewrite__ring_write_number(pajewrite *w, char *p, uint32_t type, uint32_t number)
{
    if (type != PAJEWRITE__LINE_NUMBER)
        number = pajewrite__ring_next_number(w);
    if (type < PAJEWRITE__TIME) {
        p = pajewrite__small_digits(p, number);
    } else {
        const uint32_t high = pajewrite__ring_next_number(w);
#if PAJEWRITE__HAS_VARIABLES || PAJEWRITE__HAS_LINKS
        if (type > PAJEWRITE__TIME)
            p = pajewrite__small_long(p, number, high, type & 1);
        else
#endif
            p = pajewrite__ring_time(p, number, high);
    }
    if (type != PAJEWRITE__LINE_NUMBER)
        *--p = ' ';
    return p;
}

/* Writes what comes before a text of the record, or ends the line's own texts. */
PAJEWRITE__UNTRACED
static char *pajewrite__ring_begin_text(pajewrite *w, char *p)
{
    w->quote = '"';
#if PAJEWRITE_TEXTS
    if (!w->rom_numbers)
        w->quote = (uint8_t)pajewrite__ring_next_number(w);
    if (!w->quote) {
        w->tag ^= PAJEWRITE__FIELDS;
        return p;
    }
    if (w->quote == '"')
#endif
        *--p = '"';
    *--p = ' ';
    return p;
}

/* Writes the next byte of a word, or what it stands for. */
PAJEWRITE__UNTRACED
static char *pajewrite__ring_continue_word(pajewrite *w, char *p)
{
    uint32_t c = (unsigned char)PAJEWRITE__ROM_BYTE(pajewrite__ring_words + *w->stack_top), type, number;
    ++*w->stack_top;
    if (c & 0x80)
        w->stack_top--;
    c &= 0x7f;
    if (c < 32 && c != '\n') {
        pajewrite__ring_push_word(w, c);
        return p;
    }
    type = c - '0';
    number = PAJEWRITE__NUMBER_OF(w->tag);
    if (type > 9) {
        *--p = (char)c;
#if PAJEWRITE_FIELDS_SIZE
    } else if (type == PAJEWRITE__BARE_TEXT) {
        w->quote = 1;
#endif
    } else if (type >= PAJEWRITE__KIND) {
#if PAJEWRITE_FIELDS_SIZE
        if (type == PAJEWRITE__OTHER_KIND)
            number = pajewrite__ring_next_number(w);
#endif
        pajewrite__ring_push_word(w, (uint32_t)PAJEWRITE__KIND_WORDS - PAJEWRITE_DEFINE_CONTAINER_TYPE + number);
    } else if (type == PAJEWRITE__TEXT) {
        p = pajewrite__ring_begin_text(w, p);
    } else {
        p = pajewrite__ring_write_number(w, p, type, number);
    }
    return p;
}

/* Makes the next piece of text, which ends where the ring begins.  Returns its size; 0: none yet. */
PAJEWRITE__NOINLINE uint32_t pajewrite__ring_make_piece(pajewrite *w)
{
    char *p = (char *)w->units;
    while (p == (char *)w->units) {
        if (w->quote) {
            p = pajewrite__ring_continue_text(w, p);
        } else if (*w->stack_top) {
            p = pajewrite__ring_continue_word(w, p);
#if PAJEWRITE_TEXTS
        } else if (w->tag & PAJEWRITE__FIELDS) {
            p = pajewrite__ring_begin_text(w, p);
#endif
        } else if (w->tag) {
            w->tag = 0;
            *--p = '\n';
        } else if (!pajewrite__ring_begin_line(w)) {
            break;
        }
    }
    PAJEWRITE__ASSERT(p == (char *)w->units || p >= (char *)(w->stack_top + 1));
    return (uint32_t)((char *)w->units - p);
}

PAJEWRITE__API int pajewrite_next_byte(pajewrite *w)
{
    uint32_t left = w->text_left;
    if (!left && (left = pajewrite__ring_make_piece(w)) == 0)
        return -1;
    w->text_left = (uint8_t)(left - 1);
    return ((unsigned char *)w->units)[-(int)left];
}

PAJEWRITE__API size_t pajewrite_read(pajewrite *w, char *bytes, size_t size)
{
    const char *end = (char *)w->units;
    uint32_t left = w->text_left;
    size_t n = 0;
    while (n < size && (left || (left = pajewrite__ring_make_piece(w)) != 0))
        do
            bytes[n++] = end[-(int)left--];
        while (left && n < size);
    w->text_left = (uint8_t)left;
    return n;
}

PAJEWRITE__API void pajewrite_announce(pajewrite *w, const pajewrite_definition *table, size_t entries)
{
    w->entries_left = 0; /* draining ignores the table from here on */
    PAJEWRITE_BARRIER();
    w->kinds_left = PAJEWRITE__LAST_KIND + 1 - PAJEWRITE_DEFINE_CONTAINER_TYPE;
    w->rom_entry = table;
    PAJEWRITE_BARRIER();
    w->entries_left = (uint16_t)entries;
}

/* ---------------- src/pajewrite/ring/context.h */

/* The context, and user fields. */

PAJEWRITE__API pajewrite_status pajewrite_init(pajewrite *w, void *buffer, size_t size, const pajewrite_config *config)
{
    (void)config;
    memset(w, 0, sizeof *w);
    w->status = PAJEWRITE_E_MISUSE; /* until the end: an empty ring of no size */
    w->units = w->stack_top = &w->tag;
    w->enabled = UINT32_MAX;
    if (buffer && !((size + 0ul - PAJEWRITE_BUFFER_MIN) >> 16)) { /* 0ul: size_t may have 16 bits */
        uint16_t *units = (uint16_t *)(void *)((char *)buffer + ((uintptr_t)buffer & 1));
        w->stack_top = units;
        *units = 0;
        w->units = units + PAJEWRITE__FRONT_UNITS;
        w->size = (uint16_t)(size / 2 - PAJEWRITE__FRONT_UNITS - 1); /* 1: the first byte may be skipped */
        w->status = PAJEWRITE_OK;
    }
    return (pajewrite_status)w->status;
}

PAJEWRITE__API pajewrite_counts pajewrite_count(const pajewrite *w)
{
    pajewrite_counts counts = PAJEWRITE__ZERO;
    unsigned saved = 0;
    if (PAJEWRITE__IN_PARTS)
        PAJEWRITE_ENTER(saved);
    counts.dropped = w->dropped;
    if (PAJEWRITE__IN_PARTS)
        PAJEWRITE_LEAVE(saved);
    (void)saved;
    return counts;
}

PAJEWRITE__API uint64_t pajewrite_now(const pajewrite *w)
{
    uint64_t now;
    unsigned saved;
    (void)w;
    PAJEWRITE_ENTER(saved);
    now = PAJEWRITE_NOW();
    PAJEWRITE_LEAVE(saved);
    return now;
}

#if PAJEWRITE_DOUBLE
PAJEWRITE__API int pajewrite__ring_double_text(pajewrite *w, char *text, double number)
{
    if (!pajewrite__is_finite(number)) {
        pajewrite__ring_refuse(w, PAJEWRITE_E_NUMBER);
        return 0;
    }
    *pajewrite__put_double(text, number) = 0;
    return 1;
}
#endif

/* Writes a push or a pop, also if its category is disabled. */
PAJEWRITE__NOINLINE void pajewrite__ring_put_scope(pajewrite *w, uint32_t tag, const uint32_t *numbers)
{
    unsigned saved;
    PAJEWRITE_ENTER(saved);
    pajewrite__ring_write_record(w, tag | PAJEWRITE__TIMED, numbers, NULL);
    PAJEWRITE_LEAVE(saved);
}

/* Whether the state is written is decided here, as interrupts may enable and disable its category. */
PAJEWRITE__API pajewrite_entered pajewrite_enter(pajewrite *w, pajewrite_container container, pajewrite_type type,
                                                pajewrite_value value)
{
    pajewrite_entered entered;
    volatile pajewrite_entered *const stored = &entered; /* stored before the call, which saves registers and stack */
    const int is_enabled = PAJEWRITE__HAS_STATES ? w->enabled >> (type.alias >> 27) & 1 : 0;
    stored->w = is_enabled ? w : NULL;
    stored->container.alias = container.alias;
    stored->type.alias = type.alias;
    if (is_enabled) {
        const uint32_t numbers[] = {container.alias, pajewrite__alias(type), value.alias};
        pajewrite__ring_put_scope(w, PAJEWRITE__TAG(PAJEWRITE_PUSH_STATE, PAJEWRITE__STATE_LINE) | PAJEWRITE__COUNT(3),
                                  numbers);
    } else if (!PAJEWRITE__HAS_STATES) {
        pajewrite__ring_refuse(w, PAJEWRITE_E_KIND);
    }
    return entered;
}

PAJEWRITE__API void pajewrite_leave(const pajewrite_entered *entered)
{
    if (entered->w) {
        const uint32_t numbers[] = {entered->container.alias, pajewrite__alias(entered->type)};
        pajewrite__ring_put_scope(entered->w,
                                  PAJEWRITE__TAG(PAJEWRITE_POP_STATE, PAJEWRITE__END_LINE) | PAJEWRITE__COUNT(2),
                                  numbers);
    }
}

PAJEWRITE__API pajewrite_fields pajewrite_fields_of(pajewrite_variant variant)
{
    pajewrite_fields fields;
    fields.variant = variant;
    fields.count = fields.size = fields.invalid = fields.not_finite = 0;
    return fields;
}

#if PAJEWRITE_FIELDS_SIZE

/* Appends a field; each is terminated by NUL. */
PAJEWRITE__UNTRACED
static void pajewrite__ring_add_field(pajewrite_fields *fields, const char *text)
{
    fields->count++;
    do {
        if (fields->size == sizeof fields->text) {
            fields->count = UINT32_MAX / 2; /* too long: never matches the variant */
            return;
        }
        fields->text[fields->size++] = *text;
    } while (*text++);
}

PAJEWRITE__API void pajewrite_field_int(pajewrite_fields *fields, int64_t number)
{
    char text[24], *p = pajewrite__small_long(text + 23, PAJEWRITE__LOW_HIGH(number), 1);
    text[23] = 0;
    pajewrite__ring_add_field(fields, p);
}

#if PAJEWRITE_DOUBLE
PAJEWRITE__API void pajewrite_field_double(pajewrite_fields *fields, double number)
{
    char text[32];
    fields->not_finite |= !pajewrite__is_finite(number);
    *pajewrite__put_double(text, fields->not_finite ? 0 : number) = 0;
    pajewrite__ring_add_field(fields, text);
}
#endif

PAJEWRITE__API void pajewrite_field_hex(pajewrite_fields *fields, uint64_t number)
{
    char text[20], *p = text + sizeof text;
    *--p = 0;
    do
        *--p = "0123456789abcdef"[number & 15];
    while (number >>= 4);
    *--p = 'x';
    *--p = '0';
    pajewrite__ring_add_field(fields, p);
}

PAJEWRITE__API void pajewrite_field_string(pajewrite_fields *fields, const char *text)
{
    pajewrite__ring_add_field(fields, text ? text : "");
}
#endif

PAJEWRITE__API pajewrite_status pajewrite_get_status(const pajewrite *w) { return (pajewrite_status)w->status; }

/* Interrupts are masked, as they may call these, too. */
PAJEWRITE__API void pajewrite_enable(pajewrite *w, uint32_t categories)
{
    unsigned saved;
    PAJEWRITE_ENTER(saved);
    w->enabled |= categories;
    PAJEWRITE_LEAVE(saved);
}

PAJEWRITE__API void pajewrite_disable(pajewrite *w, uint32_t categories)
{
    unsigned saved;
    PAJEWRITE_ENTER(saved);
    w->enabled &= ~categories;
    PAJEWRITE_LEAVE(saved);
}

#else

/* ---------------- src/pajewrite/format/times.h */

/* Times as text. */

/* Writes any time, with a division. */
PAJEWRITE__UNTRACED
static char *pajewrite__put_any_time(const pajewrite *w, char *p, uint64_t time)
{
    uint64_t ticks = time - w->config.origin, seconds = ticks / w->ticks_per_second;
    p = pajewrite__put_u64(p, seconds);
    if (w->decimals) {
        *p = '.';
        pajewrite__put_nine(p + 1, (uint32_t)(ticks - seconds * w->ticks_per_second) * w->scale);
        p += 1 + w->decimals;
    }
    return p;
}

/* Writes a time in the second of w->prefix, in ticks from its start. */
PAJEWRITE__INLINE char *pajewrite__put_ticks(const pajewrite *w, char *p, uint64_t ticks)
{
    memcpy(p, w->prefix, sizeof w->prefix);
    p += w->prefix_size;
    pajewrite__put_nine(p, (uint32_t)ticks * w->scale);
    return p + w->decimals;
}

PAJEWRITE__INLINE char *pajewrite__put_time(const pajewrite *w, char *p, uint64_t time)
{
    return pajewrite__put_ticks(w, p, time - w->second_start);
}

/* ---------------- src/pajewrite/format/names.h */

/* Names and colours as text. */

#include <string.h>

typedef struct pajewrite__text {
    const char *bytes;
    size_t size;
    int quoted;   /* 1: needs quotes */
    int replaced; /* 1: is empty, or has bytes that are replaced by _ or refused */
} pajewrite__text;

PAJEWRITE__UNTRACED
static int pajewrite__is_replaced(unsigned char c)
{
    return c < ' ' || c == 0x7f || c == '"' || c == '\'' || c == '%' || c == '#' || c == ',';
}

PAJEWRITE__UNTRACED
static pajewrite__text pajewrite__scan_text(const char *bytes)
{
    pajewrite__text text = PAJEWRITE__ZERO;
    text.bytes = bytes;
    for (; bytes[text.size]; text.size++) {
        text.quoted |= bytes[text.size] == ' ';
        text.replaced |= pajewrite__is_replaced((unsigned char)bytes[text.size]);
    }
    if (!text.size) { /* its NUL is replaced */
        text.size = 1;
        text.replaced = 1;
    }
    return text;
}

PAJEWRITE__UNTRACED
static char *pajewrite__put_text(char *p, const pajewrite__text *text)
{
    size_t i;
    if (text->quoted)
        *p++ = '"';
    if (!text->replaced)
        memcpy(p, text->bytes, text->size);
    for (i = 0; text->replaced && i < text->size; i++)
        p[i] = pajewrite__is_replaced((unsigned char)text->bytes[i]) ? '_' : text->bytes[i];
    p += text->size;
    if (text->quoted)
        *p++ = '"';
    return p;
}

/* Whether a text is 3 or 4 decimal numbers separated by blanks, or 6 hexadecimal digits, which every reader accepts. */
PAJEWRITE__UNTRACED
static int pajewrite__is_color(const char *text)
{
    int numbers = 0, digits, points, all = 0, hex = 0, i;
    for (i = 0; text[i] && all < 64; i++, all++)
        hex += (text[i] >= '0' && text[i] <= '9') || (text[i] >= 'a' && text[i] <= 'f') ||
               (text[i] >= 'A' && text[i] <= 'F');
    if (all == 6 && hex == 6)
        return 1;
    for (; all < 64 && *text; numbers++) {
        for (digits = points = 0; (*text >= '0' && *text <= '9') || *text == '.'; text++)
            *text == '.' ? points++ : digits++;
        if (!digits || points > 1 || (*text != ' ' && *text))
            return 0;
        if (*text == ' ' && !*++text)
            return 0;
    }
    return numbers == 3 || numbers == 4;
}

#if PAJEWRITE_TABLE || PAJEWRITE_ZONES
/* Parses a text that is a decimal number, as an alias or a key is written.  Returns 0 for other texts. */
PAJEWRITE__UNTRACED
static int pajewrite__is_number(const char *text, uint64_t *number)
{
    uint32_t digits = 0;
    for (*number = 0; text[digits] >= '0' && text[digits] <= '9'; digits++) {
        const uint32_t digit = (uint32_t)(text[digits] - '0');
        if (*number > (UINT64_MAX - digit) / 10)
            return 0;
        *number = *number * 10 + digit;
    }
    return digits && !text[digits] && (text[0] != '0' || digits == 1);
}
#endif

/* ---------------- src/pajewrite/format/kinds.h */

/* Names and fields of the events of the format, as the header of a trace defines them. */

/* An event's name; empty where PAJEWRITE_KINDS leaves it out. */
#define PAJEWRITE__IF_ALWAYS(text) text
#if PAJEWRITE__HAS_STATES
#define PAJEWRITE__IF_STATES(text) text
#else
#define PAJEWRITE__IF_STATES(text) PAJEWRITE__ABSENT
#endif
#if PAJEWRITE__HAS_EVENTS
#define PAJEWRITE__IF_EVENTS(text) text
#else
#define PAJEWRITE__IF_EVENTS(text) PAJEWRITE__ABSENT
#endif
#if PAJEWRITE__HAS_VARIABLES
#define PAJEWRITE__IF_VARIABLES(text) text
#else
#define PAJEWRITE__IF_VARIABLES(text) PAJEWRITE__ABSENT
#endif
#if PAJEWRITE__HAS_LINKS
#define PAJEWRITE__IF_LINKS(text) text
#else
#define PAJEWRITE__IF_LINKS(text) PAJEWRITE__ABSENT
#endif
#if PAJEWRITE__HAS_FILES
#define PAJEWRITE__IF_FILES(text) text
#else
#define PAJEWRITE__IF_FILES(text) PAJEWRITE__ABSENT
#endif
#define PAJEWRITE__ABSENT ""

/* A field of the format: letter in PAJEWRITE__KINDS, name, old name, type. */
typedef struct pajewrite__field {
    char letter;
    const char *name, *old, *type;
} pajewrite__field;

static const pajewrite__field pajewrite__fields[] = {
    {'t', "Time", NULL, "date"},
    {'y', "Alias", NULL, "string"},                                  /* type being defined */
    {'w', "Type", "ContainerType", "string"},                        /* type of its containers */
    {'v', "Alias", NULL, "string"},                                  /* value being defined */
    {'C', "Alias", NULL, "string"},                                  /* container being created */
    {'P', "Container", NULL, "string"},                              /* its parent */
    {'D', "Name", NULL, "string"},                                   /* container being destroyed */
    {'N', "Name", NULL, "string"},
    {'c', "Color", NULL, "color"},
    {'s', "StartContainerType", "SourceContainerType", "string"},
    {'e', "EndContainerType", "DestContainerType", "string"},
    {'Y', "Type", NULL, "string"},
    {'T', "Type", "EntityType", "string"},
    {'k', "Container", NULL, "string"},
    {'V', "Value", NULL, "string"},
    {'n', "Value", NULL, "double"},
    {'S', "StartContainer", "SourceContainer", "string"},
    {'E', "EndContainer", "DestContainer", "string"},
    {'K', "Key", NULL, "string"},
    {'F', "Filename", NULL, "string"}
};

static const struct {
    const char *name, *fields;
} pajewrite__kinds[] = {
#define PAJEWRITE__X(kind, group, name, fields) {PAJEWRITE__IF_##group(name), fields},
    PAJEWRITE__KINDS(PAJEWRITE__X)
#undef PAJEWRITE__X
};

PAJEWRITE__UNTRACED
static const char *pajewrite__field_letters(pajewrite_kind kind)
{
    return pajewrite__kinds[(uint32_t)kind - PAJEWRITE_DEFINE_CONTAINER_TYPE].fields;
}

/* Whether the header defines this kind. */
PAJEWRITE__UNTRACED
static int pajewrite__is_kind(uint32_t kind)
{
    return kind > PAJEWRITE__BEFORE_KINDS && kind < PAJEWRITE__AFTER_KINDS &&
           *pajewrite__kinds[kind - PAJEWRITE_DEFINE_CONTAINER_TYPE].name;
}

/* Writes the first line of an event definition. */
PAJEWRITE__UNTRACED
static char *pajewrite__put_event_def(char *p, pajewrite_kind kind, uint32_t number)
{
    p = pajewrite__put_string(p, "%EventDef ");
    p = pajewrite__put_string(p, pajewrite__kinds[(uint32_t)kind - PAJEWRITE_DEFINE_CONTAINER_TYPE].name);
    *p++ = ' ';
    p = pajewrite__put_u32(p, number);
    *p++ = '\n';
    return p;
}

PAJEWRITE__UNTRACED
static int pajewrite__has_time(pajewrite_kind kind) { return *pajewrite__field_letters(kind) == 't'; }

#if PAJEWRITE_TABLE || PAJEWRITE_DOUBLE
PAJEWRITE__UNTRACED
static int pajewrite__is_variable(pajewrite_kind kind)
{
    return kind >= PAJEWRITE_SET_VARIABLE && kind <= PAJEWRITE_SUB_VARIABLE;
}
#endif

/* Whether an event of this kind has a name, a key that may be a text, or the name of a file. */
PAJEWRITE__UNTRACED
static int pajewrite__has_name(pajewrite_kind kind)
{
    return kind <= PAJEWRITE_CREATE_CONTAINER || kind >= PAJEWRITE_START_LINK;
}

PAJEWRITE__UNTRACED
static int pajewrite__has_color(pajewrite_kind kind)
{
    return kind == PAJEWRITE_DEFINE_VARIABLE_TYPE || kind == PAJEWRITE_DEFINE_VALUE;
}

/* Whether pajewrite_enable and pajewrite_disable apply to events of this kind. */
PAJEWRITE__UNTRACED
static int pajewrite__is_switchable(pajewrite_kind kind)
{
    return kind >= PAJEWRITE_SET_STATE && kind <= PAJEWRITE_END_LINK;
}

/* ---------------- src/pajewrite/core/record.h */

/* Records in the buffer: reserving space, committing, delivering to the sink. */

/* Maximum size of an event of numbers: its number, time, four aliases, a key, blanks and the newline. */
#define PAJEWRITE__EVENT_SIZE 96
/* A return value: the flight recorder has to begin its next segment. */
enum { PAJEWRITE__SEGMENT_FULL = -1 };
/* Maximum size of the comment that reports a gap. */
#define PAJEWRITE__GAP_SIZE 96
/* Bytes behind a record that copies of fixed size may overwrite, including the '#' that follows it. */
#define PAJEWRITE__SLACK 32

/* Bits of w->mode. */
enum {
    PAJEWRITE__FOLLOWING = 1, /* the table is in use */
    PAJEWRITE__BUSY = 2       /* a call is under way */
};

/* Values of w->torn. */
enum { PAJEWRITE__TORN_RECORD = 1, PAJEWRITE__TORN_COMMENT };

/* Returns a number for the thread that calls, in the checking mode. */
#if PAJEWRITE_CHECK && PAJEWRITE_POSIX
PAJEWRITE__NOINLINE uintptr_t pajewrite__caller(void)
{
    const pthread_t self = pthread_self();
    uintptr_t number = 0;
    memcpy(&number, &self, sizeof self < sizeof number ? sizeof self : sizeof number);
    return number;
}
#define PAJEWRITE__SET_CALLER(w) PAJEWRITE__STORE_WORD(uintptr_t, (w)->caller, pajewrite__caller())
#define PAJEWRITE__IS_CALLER(w) (PAJEWRITE__LOAD(uintptr_t, (w)->caller) == pajewrite__caller())
#else
#define PAJEWRITE__SET_CALLER(w) ((void)0)
#define PAJEWRITE__IS_CALLER(w) 1
#endif

/* Each call that changes the context marks it as busy.  A signal handler that interrupts it, or a sink that it calls,
 * finds the mark, and its own calls are dropped.  Plain stores are enough: a handler that comes before the mark ends
 * before it is set, and everything else is read after that. */
PAJEWRITE__INLINE void pajewrite__begin_call(pajewrite *w)
{
    w->mode |= PAJEWRITE__BUSY;
    PAJEWRITE__SET_CALLER(w);
    PAJEWRITE__BARRIER();
}

PAJEWRITE__INLINE void pajewrite__end_call(pajewrite *w)
{
    PAJEWRITE__BARRIER();
    w->mode &= ~(uint32_t)PAJEWRITE__BUSY;
}

PAJEWRITE__INLINE int pajewrite__is_busy(const pajewrite *w)
{
    return (PAJEWRITE__LOAD(uint32_t, w->mode) & PAJEWRITE__BUSY) != 0;
}

/* Drops an event because another call is under way. */
PAJEWRITE__COLD void pajewrite__drop_reentered(pajewrite *w)
{
    (void)PAJEWRITE__ADD(uint32_t, w->reentered, 1);
    if (!PAJEWRITE__IS_CALLER(w) && !w->status)
        w->status = PAJEWRITE_E_THREADS;
}

/* Begins a call that is no event.  Returns 0 if it must do nothing: the context is off, or another call is under way,
 * which the status reports because the trace may be invalid without what is missing. */
PAJEWRITE__NOINLINE int pajewrite__enter(pajewrite *w)
{
    if (!w->clock)
        return 0;
    if (pajewrite__is_busy(w)) {
        pajewrite__drop_reentered(w);
        if (!w->status)
            w->status = PAJEWRITE_E_REENTERED;
        return 0;
    }
    pajewrite__begin_call(w);
    return 1;
}

PAJEWRITE__COLD void pajewrite__refuse(pajewrite *w, pajewrite_status status)
{
    if (!w->status)
        w->status = status;
    w->refused++;
}

PAJEWRITE__COLD void pajewrite__fail(pajewrite *w, pajewrite_status status)
{
    if (!w->status)
        w->status = status;
    w->stopped = (uint32_t)status;
    w->limit = w->buffer;
    w->dropped += w->records - w->delivered;
    w->records = w->delivered;
}

/* Drops a record written after a failure or after pajewrite_finish.  Returns 0. */
PAJEWRITE__COLD int pajewrite__drop_after_end(pajewrite *w)
{
    if (!w->status)
        w->status = PAJEWRITE_E_CLOSED;
    w->dropped++;
    return 0;
}

/* Sets where the next record begins.  Until it is committed, readers of the memory see a comment there. */
PAJEWRITE__INLINE void pajewrite__set_next(pajewrite *w, char *next)
{
    PAJEWRITE__ASSERT(next >= w->buffer && (size_t)(next - w->buffer) < w->size);
    *next = '#';
    PAJEWRITE__BARRIER();
    w->next = next;
}

PAJEWRITE__INLINE size_t pajewrite__free_space(const pajewrite *w)
{
    return w->size - PAJEWRITE__SLACK - (size_t)(w->next - w->buffer);
}

/* Sets the limit below which events are written without further checks; none are while stopped or blocked. */
PAJEWRITE__UNTRACED
static void pajewrite__set_limit(pajewrite *w)
{
    w->limit = w->buffer;
    if (!w->stopped && !w->blocked)
        w->limit += w->size - PAJEWRITE__SLACK - PAJEWRITE__EVENT_SIZE + 1;
}

/* Switches a flight recorder from events to definitions, or back. */
PAJEWRITE__UNTRACED
static void pajewrite__switch_area(pajewrite *w)
{
    char *buffer = w->buffer, *next = w->next;
    size_t size = w->size;
    w->buffer = w->other_buffer;
    w->next = w->other_next;
    w->size = w->other_size;
    w->other_buffer = buffer;
    w->other_next = next;
    w->other_size = size;
    w->is_defining ^= 1;
    pajewrite__set_limit(w);
}

/* Commits the record at w->next by storing its first byte last.  `end`: where its newline goes; bytes beyond it, left
 * by copies of fixed size, are made a comment first.  Stores become visible in this order to readers of the memory of a
 * flight recorder, or of a mapped file: a line that begins with its first byte is complete.  (In a child process,
 * mapped memory is zeros.) */
PAJEWRITE__INLINE void pajewrite__commit(pajewrite *w, char *end, char first)
{
    char *start = w->next;
    PAJEWRITE__ASSERT((*start == '#' || !*start) && end > start && (size_t)(end + 1 - w->buffer) < w->size);
    end[1] = '#';
    PAJEWRITE__PUBLISH(char, *end, '\n');
    PAJEWRITE__PUBLISH(char, *start, first);
    PAJEWRITE__BARRIER();
    w->next = end + 1;
}

/* Whether a line is the first of a record: it begins with a digit, or is %EventDef. */
PAJEWRITE__UNTRACED
static int pajewrite__begins_record(const char *line)
{
    return (*line >= '0' && *line <= '9') || (*line == '%' && line[1] == 'E' && line[2] == 'v');
}

/* Counts the records that begin among some lines. */
PAJEWRITE__UNTRACED
static uint64_t pajewrite__records_in(const char *bytes, const char *end)
{
    uint64_t records = 0;
    while (bytes < end) {
        records += (uint64_t)pajewrite__begins_record(bytes);
        while (bytes < end && *bytes++ != '\n')
            ;
    }
    return records;
}

/* Returns in what bytes end that were taken up to `rest`, in the line that begins at `line`. */
PAJEWRITE__UNTRACED
static uint32_t pajewrite__torn_part(const char *line, const char *rest)
{
    if (line == rest)
        return 0;
    return (*line >= '0' && *line <= '9') || *line == '%' ? PAJEWRITE__TORN_RECORD : PAJEWRITE__TORN_COMMENT;
}

/* Moves what waits to the front of the buffer, in place of what was taken. */
PAJEWRITE__UNTRACED
static void pajewrite__move_to_front(pajewrite *w)
{
    const size_t size = (size_t)(w->next - w->buffer);
    char *front = w->buffer - w->taken;
    memmove(front, w->buffer, size);
    w->buffer = front;
    w->size += w->taken;
    w->taken = 0;
    pajewrite__set_next(w, front + size);
    pajewrite__set_limit(w);
}

/* Whether half of the buffer is free, all of it in one piece then. */
PAJEWRITE__UNTRACED
static int pajewrite__is_half_free(pajewrite *w)
{
    if (pajewrite__free_space(w) + w->taken < (w->size + w->taken) / 2)
        return 0;
    if (w->taken)
        pajewrite__move_to_front(w);
    return 1;
}

/* So many bytes are moved at any time; more only if an eighth as many were taken, as moving much for each few that a
 * slow peer takes would cost far more than the events do. */
#ifndef PAJEWRITE__MOVED_FREELY
#define PAJEWRITE__MOVED_FREELY 65536u
#endif

/* Offers the lines in the buffer.  The records that were taken are counted, not those that wait, which may be many. */
PAJEWRITE__UNTRACED
static void pajewrite__offer(pajewrite *w)
{
    const size_t size = (size_t)(w->next - w->buffer);
    const size_t taken = size ? w->config.offer(w->config.sink_data, w->buffer, size) : 0;
    const char *rest, *line, *first = w->buffer;
    if (taken > size) {
        pajewrite__fail(w, PAJEWRITE_E_SINK);
        return;
    }
    if (!taken)
        return;
    line = rest = w->buffer + taken;
    if (w->torn)
        first = pajewrite__after_line(first);
    w->delivered += (w->torn == PAJEWRITE__TORN_RECORD) + pajewrite__records_in(first, rest);
    while (line > w->buffer && line[-1] != '\n')
        line--;
    if (line > w->buffer || !w->torn) /* else all that was taken is within the torn line */
        w->torn = pajewrite__torn_part(line, rest);
    w->delivered -= w->torn == PAJEWRITE__TORN_RECORD;
    w->buffer += taken;
    w->size -= taken;
    w->taken += taken;
    if (size - taken <= PAJEWRITE__MOVED_FREELY || w->taken >= (size - taken) / 8)
        pajewrite__move_to_front(w);
}

/* Delivers the lines in the buffer to the sink. */
PAJEWRITE__UNTRACED
static void pajewrite__deliver(pajewrite *w)
{
    size_t size = (size_t)(w->next - w->buffer);
    pajewrite_status status = PAJEWRITE_OK;
    if (w->stopped || w->config.next_buffer || w->flight) {
        w->delivered = w->records;
        return;
    }
    if (w->config.offer) {
        pajewrite__offer(w);
        return;
    }
    if (size)
        status = w->config.sink ? w->config.sink(w->config.sink_data, w->buffer, size) : PAJEWRITE_E_NO_SINK;
    pajewrite__set_next(w, w->buffer);
    w->blocked = 0;
    pajewrite__set_limit(w);
    if (status)
        pajewrite__fail(w, status);
    w->delivered = w->records;
}

/* Gets the next buffer, of at least `needed` bytes; 0: the trace is complete.  Bytes in a buffer count as delivered. */
PAJEWRITE__UNTRACED
static void pajewrite__next_buffer(pajewrite *w, size_t needed)
{
    size_t used = w->buffer ? (size_t)(w->next - w->buffer) : 0, size = 0;
    char *buffer = w->config.next_buffer(w->config.next_buffer_data, used, needed, &size);
    if (buffer || size != PAJEWRITE_E_FORKED)
        w->delivered = w->records;
    if (needed && buffer && size >= needed) {
        w->buffer = buffer;
        w->size = size;
        pajewrite__set_next(w, buffer);
        pajewrite__set_limit(w);
    } else {
        w->buffer = w->next; /* config.next_buffer has been given the number of bytes used */
        if (needed || size)
            pajewrite__fail(w, size > 0 && size < PAJEWRITE__STATUS_COUNT ? (pajewrite_status)size : PAJEWRITE_E_SINK);
    }
}

/* Writes the comment that reports a gap. */
PAJEWRITE__UNTRACED
static void pajewrite__write_gap(pajewrite *w)
{
    char *p = w->next;
    p = pajewrite__put_bytes(p + 1, " dropped ", 9);
    p = pajewrite__put_u64(p, w->gap_count);
    p = pajewrite__put_bytes(p, " events from ", 13);
    p = pajewrite__put_any_time(w, p, w->gap_first);
    p = pajewrite__put_bytes(p, " to ", 4);
    p = pajewrite__put_any_time(w, p, w->gap_last);
    pajewrite__commit(w, p, '#');
    w->gap_count = 0;
}

PAJEWRITE__UNTRACED
static void pajewrite__drop(pajewrite *w, uint64_t time)
{
    w->dropped++;
    if (!w->gap_count || time < w->gap_first)
        w->gap_first = time;
    if (!w->gap_count++ || time > w->gap_last)
        w->gap_last = time;
}

/* While events are dropped, offers the lines in the buffer again now and then, and ends the gap if half of that is
 * free; where lines may have to be written before the next event, as that begins. */
PAJEWRITE__UNTRACED
static void pajewrite__offer_again(pajewrite *w, uint64_t time)
{
    if (++w->untried < 64 && time - w->tried < w->ticks_per_second / 10000 + 1)
        return;
    w->tried = time;
    w->untried = 0;
    pajewrite__offer(w);
    if (w->stopped || !pajewrite__is_half_free(w))
        return;
    if (w->following || w->undefined) {
        w->settles = 1;
        return;
    }
    w->blocked = 0;
    pajewrite__set_limit(w);
    if (w->gap_count)
        pajewrite__write_gap(w);
}

/* Handles a full segment of a flight recorder, or its full definitions.  Returns 0 or PAJEWRITE__SEGMENT_FULL. */
PAJEWRITE__UNTRACED
static int pajewrite__make_segment_room(pajewrite *w, size_t size, uint64_t time)
{
    if (w->is_defining) {
        if (!w->status)
            w->status = PAJEWRITE_E_DEFINITIONS;
        pajewrite__drop(w, time);
    } else if (size > w->size - PAJEWRITE__SLACK) {
        pajewrite__refuse(w, PAJEWRITE_E_TOO_LONG);
    } else {
        return PAJEWRITE__SEGMENT_FULL;
    }
    return 0;
}

/* Reserves `size` bytes, by delivering the buffer if necessary.  Returns 1; 0 if the record is dropped or refused;
 * PAJEWRITE__SEGMENT_FULL if a flight recorder has to begin its next segment first. */
PAJEWRITE__COLD int pajewrite__make_room(pajewrite *w, size_t size, uint64_t time)
{
    if (w->stopped)
        return pajewrite__drop_after_end(w);
    if (w->flight)
        return pajewrite__make_segment_room(w, size, time);
    if (w->is_defining) /* definitions that are kept */
        return 0;
    if (!w->blocked && pajewrite__free_space(w) < size) {
        if (w->config.next_buffer) {
            pajewrite__next_buffer(w, size + PAJEWRITE__SLACK);
        } else if (size > w->size + w->taken - PAJEWRITE__SLACK) {
            pajewrite__refuse(w, PAJEWRITE_E_TOO_LONG);
            return 0;
        } else if (w->config.when_full == PAJEWRITE_FLUSH || w->config.offer) {
            pajewrite__deliver(w);
            w->tried = time;
            w->untried = 0;
        }
    } else if (w->blocked && w->config.offer) {
        pajewrite__offer_again(w, time);
    }
    if (w->stopped || w->blocked || pajewrite__free_space(w) < size) {
        w->blocked = 1;
        w->limit = w->buffer;
        pajewrite__drop(w, time);
        return 0;
    }
    return 1;
}

/* Updates the prefix when another second begins.  Returns 0, and refuses the call, if the time is before the origin. */
PAJEWRITE__COLD int pajewrite__new_second(pajewrite *w, uint64_t time)
{
    char *end;
    uint64_t ticks = time - w->config.origin, seconds = ticks / w->ticks_per_second;
    if (time < w->config.origin) {
        pajewrite__refuse(w, PAJEWRITE_E_TIME);
        return 0;
    }
    end = pajewrite__put_u64(w->prefix, seconds);
    if (w->decimals)
        *end++ = '.';
    w->prefix_size = (uint32_t)(end - w->prefix);
    w->second_start = w->config.origin + seconds * w->ticks_per_second;
    w->second_ticks = UINT64_MAX - w->second_start < w->ticks_per_second ?
        (uint32_t)(UINT64_MAX - w->second_start) + 1 : w->ticks_per_second;
    return 1;
}

/* ---------------- src/pajewrite/core/definition.h */

/* Definitions of events. */

/* Commits the lines of a part of an event definition. */
PAJEWRITE__UNTRACED
static void pajewrite__commit_lines(pajewrite *w, const char *line, size_t size)
{
    const char *last = line + size;
    while (line < last) {
        const char *end = pajewrite__after_line(line);
        pajewrite__commit(w, pajewrite__put_bytes(w->next + 1, line + 1, (size_t)(end - line) - 2), *line);
        line = end;
    }
}

#if PAJEWRITE_TABLE
/* Keeps the lines of a part of an event definition, for config.offer. */
PAJEWRITE__UNTRACED
static void pajewrite__keep_lines(pajewrite *w, const char *line, size_t size)
{
    const char *last = line + size;
    while (line < last) {
        const char *end = pajewrite__after_line(line);
        w->kept[w->kept_used] = 'D';
        pajewrite__put_bytes(w->kept + w->kept_used + 1, line, (size_t)(end - line));
        w->kept_used += (size_t)(end - line) + 1;
        line = end;
    }
}
#endif

/* Writes an event definition.  Its lines are committed one by one, but delivered together.  `user`: lines of user
 * fields.  Returns 1 if it is written. */
PAJEWRITE__UNTRACED
static int pajewrite__write_definition(pajewrite *w, pajewrite_kind kind, uint32_t number, const char *user,
                                       size_t user_size)
{
    static const char last[] = "%EndEventDef\n";
    char text[512], *p = text;
    const char *letters;
    size_t first_size, size;
    int fits;
    p = pajewrite__put_event_def(p, kind, number);
    for (letters = pajewrite__field_letters(kind); *letters; letters++) {
        const pajewrite__field *field = pajewrite__fields;
        while (field->letter != *letters)
            field++;
        p = pajewrite__put_string(p, "% ");
        p = pajewrite__put_string(p, w->config.old_names && field->old ? field->old : field->name);
        *p++ = ' ';
        p = pajewrite__put_string(p, field->type);
        *p++ = '\n';
    }
    first_size = (size_t)(p - text);
    size = first_size + user_size + sizeof last - 1;
    if (w->flight)
        pajewrite__switch_area(w);
    fits = (w->next < w->limit && pajewrite__free_space(w) >= size) ||
           pajewrite__make_room(w, size, w->config.origin) > 0;
    if (fits) {
        pajewrite__commit_lines(w, text, first_size);
        pajewrite__commit_lines(w, user, user_size);
        pajewrite__commit_lines(w, last, sizeof last - 1);
    }
#if PAJEWRITE_TABLE
    if (w->kept && w->kept_size - w->kept_used > size + 32) { /* one byte more for each line */
        pajewrite__keep_lines(w, text, first_size);
        pajewrite__keep_lines(w, user, user_size);
        pajewrite__keep_lines(w, last, sizeof last - 1);
    } else if (w->kept) {
        w->kept_lost = 1;
    }
#endif
    w->records += (uint32_t)fits;
    if (w->flight)
        pajewrite__switch_area(w);
    return fits;
}

/* Writes the definitions of the header that were dropped.  Returns 0 if the buffer is full; the rest is still missing
 * then. */
PAJEWRITE__UNTRACED
static int pajewrite__define_missing(pajewrite *w)
{
    enum { PAJEWRITE__MOST = 192 }; /* bytes of one */
    char *kept = w->kept;
    uint32_t kind;
    w->kept = NULL; /* which has them */
    for (kind = 0; w->undefined >> kind; kind++) {
        if (!(w->undefined >> kind & 1))
            continue;
        if (w->config.offer && pajewrite__free_space(w) < PAJEWRITE__MOST)
            pajewrite__deliver(w);
        if (w->stopped || (w->config.offer && pajewrite__free_space(w) < PAJEWRITE__MOST))
            break;
        if (pajewrite__write_definition(w, (pajewrite_kind)kind, kind, "", 0))
            w->undefined &= ~(UINT32_C(1) << kind);
    }
    w->kept = kept;
    return !w->undefined;
}

/* ---------------- src/pajewrite/core/line.h */

/* Writing the line of any event. */

/* Finds the name of an event, and refuses an event that cannot be written at any time.  Returns 1 if it can. */
PAJEWRITE__INLINE int pajewrite__is_writable(pajewrite *w, const pajewrite_event *event,
                                             const pajewrite_fields *fields, pajewrite__text *name)
{
    pajewrite_status refused = PAJEWRITE_OK;
    if (pajewrite__has_name(event->kind) && (event->name || event->kind == PAJEWRITE_TRACE_FILE))
        *name = pajewrite__scan_text(event->name ? event->name : "");
    if (name->replaced && w->config.names == PAJEWRITE_REFUSE)
        refused = PAJEWRITE_E_NAME;
    if (pajewrite__has_color(event->kind) && event->color && !pajewrite__is_color(event->color))
        refused = PAJEWRITE_E_COLOR;
    if (fields) {
        if (fields->variant.kind != event->kind || fields->count != fields->variant.fields ||
            fields->size > PAJEWRITE_FIELDS_SIZE)
            refused = PAJEWRITE_E_FIELDS;
        else if (fields->invalid && w->config.names == PAJEWRITE_REFUSE)
            refused = PAJEWRITE_E_NAME;
        else if (fields->not_finite)
            refused = PAJEWRITE_E_NUMBER;
    }
#if PAJEWRITE_DOUBLE
    if (pajewrite__is_variable(event->kind) && event->is_real && !pajewrite__is_finite(event->real))
        refused = PAJEWRITE_E_NUMBER;
#endif
    if (!refused && pajewrite__has_time(event->kind) && event->time < w->config.origin)
        refused = PAJEWRITE_E_TIME;
    if (refused)
        pajewrite__refuse(w, refused);
    return !refused;
}

/* Writes the line of an event; the table is not looked at.  Returns 1; 0 if the event is dropped or refused;
 * PAJEWRITE__SEGMENT_FULL if a flight recorder has to begin its next segment first. */
PAJEWRITE__UNTRACED
static int pajewrite__write_line(pajewrite *w, const pajewrite_event *event, const pajewrite_fields *fields)
{
    const char *letters = pajewrite__field_letters(event->kind);
    pajewrite__text name = PAJEWRITE__ZERO, color = PAJEWRITE__ZERO;
    size_t size;
    char text[16], *p;

    if (!pajewrite__is_writable(w, event, fields, &name))
        return 0;
    if (w->stopped)
        return pajewrite__drop_after_end(w);
    if (fields && !fields->variant.number) /* their definition was dropped */
        fields = NULL;
    if (pajewrite__has_color(event->kind))
        color = pajewrite__scan_text(event->color ? event->color : PAJEWRITE_GREY);
    name.quoted |= w->quote_all;
    color.quoted |= w->quote_all;
    size = PAJEWRITE__EVENT_SIZE + name.size + color.size + 8 + (fields ? fields->size + 1 : 0);
    if (pajewrite__has_time(event->kind) && event->time - w->second_start >= w->second_ticks)
        pajewrite__new_second(w, event->time);
    if (w->next >= w->limit || pajewrite__free_space(w) < size) {
        int room = pajewrite__make_room(w, size, pajewrite__has_time(event->kind) ? event->time : w->second_start);
        if (room <= 0)
            return room;
    }

    p = pajewrite__put_u32(text, fields ? fields->variant.number : (uint32_t)event->kind);
    p = pajewrite__put_bytes(w->next + 1, text + 1, (size_t)(p - text) - 1);
    for (; *letters; letters++) {
        *p++ = ' ';
        switch (*letters) {
        case 't': p = pajewrite__put_time(w, p, event->time); break;
        case 'y': case 'Y': case 'T': p = pajewrite__put_u32(p, pajewrite__alias(event->type)); break;
        case 'w': p = pajewrite__put_u32(p, pajewrite__alias(event->of)); break;
        case 's': p = pajewrite__put_u32(p, pajewrite__alias(event->start_type)); break;
        case 'e': p = pajewrite__put_u32(p, pajewrite__alias(event->end_type)); break;
        case 'v': case 'V': p = pajewrite__put_u32(p, event->value.alias); break;
        case 'C': case 'D': case 'k': p = pajewrite__put_u32(p, event->container.alias); break;
        case 'P': case 'S': case 'E': p = pajewrite__put_u32(p, event->other.alias); break;
        case 'c': p = pajewrite__put_text(p, &color); break;
        case 'N':
            p = event->name ? pajewrite__put_text(p, &name) :
                pajewrite__put_u32(p, event->kind == PAJEWRITE_DEFINE_VALUE ? event->value.alias :
                                  event->kind == PAJEWRITE_CREATE_CONTAINER ? event->container.alias :
                                                                              pajewrite__alias(event->type));
            break;
        case 'F': p = pajewrite__put_text(p, &name); break;
        case 'K': p = event->name ? pajewrite__put_text(p, &name) : pajewrite__put_u64(p, event->key); break;
        default: /* n, the number of a variable */
#if PAJEWRITE_DOUBLE
            if (event->is_real) {
                p = pajewrite__put_double(p, event->real);
                break;
            }
#endif
            p = pajewrite__put_i64(p, event->integer);
        }
    }
    if (fields)
        p = pajewrite__put_bytes(p, fields->text, fields->size);
    PAJEWRITE__ASSERT((size_t)(p - w->next) < size);
    w->records++;
    pajewrite__commit(w, p, text[0]);
    return 1;
}

/* ---------------- src/pajewrite/follow/table.h */

/* The table of what is defined, alive and open: open addressing; erasing shifts entries back. */

#if PAJEWRITE_TABLE
/* Tags of entries, and how they use their members other than container, type and key, which are the hash key. */
enum {
    PAJEWRITE__TYPE_ENTRY = 1,  /* type.  value: its kind; other: type of its containers; number: a link's end types */
    PAJEWRITE__VALUE_ENTRY,     /* type, key.  Checking mode only; DESTROYED: used but not defined */
    PAJEWRITE__VARIANT_ENTRY,   /* key: number of a variant whose definition was dropped, though its number is fixed */
    PAJEWRITE__CONTAINER_ENTRY, /* container.  value: its type; other: its parent; time: number of its live children,
                                   or, if MISSING, when it was destroyed; number: when it was created; in a flight
                                   recorder, or with `kept`, offset of the line that creates it;
                                   next: 1 + type of its newest pair; 0: none */
    PAJEWRITE__PAIR_ENTRY,      /* container, type.  value: depth of the stack; other: pops to be written; time: of the
                                   last event; number: of the variable; next: 1 + type of the next older pair */
    PAJEWRITE__LEVEL_ENTRY,     /* container, type, key (depth): an open state.  value; time: its start */
    PAJEWRITE__LINK_ENTRY,      /* container, type, key.  value; of the end written last: other (its container), time;
                                   number: the later one of the times of both ends */
    PAJEWRITE__NAMED_LINK_ENTRY /* like LINK_ENTRY; key: hash of the text */
};

enum {
    PAJEWRITE__DROPPED = 1, /* the line that creates it was dropped */
    PAJEWRITE__DESTROYED = 2,      /* a container that is destroyed */
    PAJEWRITE__MISSING = 4,      /* a dropped line has to be written later, to keep the trace valid */
    PAJEWRITE__LEARNED = 8,   /* learned from another context */
    PAJEWRITE__IS_SET = 16,   /* a variable that has a value */
    PAJEWRITE__STARTED = 32,  /* a link whose start, or end, was written */
    PAJEWRITE__ENDED = 64,
    PAJEWRITE__ENDED_LAST = 128 /* its end came last, not its start */
};

PAJEWRITE__UNTRACED
static size_t pajewrite__home_slot(const pajewrite *w, uint32_t tag, uint32_t container, uint32_t type, uint64_t key)
{
    uint64_t hash = (key ^ tag) * UINT64_C(0x9e3779b97f4a7c15);
    hash = (hash ^ hash >> 29 ^ container) * UINT64_C(0xbf58476d1ce4e5b9);
    hash = (hash ^ hash >> 32 ^ type) * UINT64_C(0x94d049bb133111eb);
    return (size_t)((hash >> 32) * w->config.table_entries >> 32);
}

/* Finds an entry, or the free slot where it belongs. */
PAJEWRITE__UNTRACED
static pajewrite_entry *pajewrite__find_slot(const pajewrite *w, uint32_t tag, uint32_t container, uint32_t type,
                                        uint64_t key)
{
    size_t i = pajewrite__home_slot(w, tag, container, type, key);
    for (;;) {
        pajewrite_entry *e = &w->config.table[i];
        if (!e->tag || (e->tag == tag && e->container == container && e->type == type && e->key == key))
            return e;
        if (++i == w->config.table_entries)
            i = 0;
    }
}

PAJEWRITE__UNTRACED
static pajewrite_entry *pajewrite__find(const pajewrite *w, uint32_t tag, uint32_t container, uint32_t type,
                                        uint64_t key)
{
    pajewrite_entry *e = pajewrite__find_slot(w, tag, container, type, key);
    return e->tag ? e : NULL;
}

/* Finds or inserts an entry; the table must have a free slot to spare. */
PAJEWRITE__UNTRACED
static pajewrite_entry *pajewrite__find_or_insert(pajewrite *w, uint32_t tag, uint32_t container, uint32_t type,
                                                  uint64_t key)
{
    pajewrite_entry *e = pajewrite__find_slot(w, tag, container, type, key);
    if (!e->tag) {
        PAJEWRITE__ASSERT(w->entries + 1 < w->config.table_entries);
        memset(e, 0, sizeof *e);
        e->tag = (uint16_t)tag;
        e->container = container;
        e->type = type;
        e->key = key;
        w->entries++;
    }
    return e;
}

PAJEWRITE__UNTRACED
static void pajewrite__erase(pajewrite *w, pajewrite_entry *e)
{
    size_t hole = (size_t)(e - w->config.table), i = hole;
    PAJEWRITE__ASSERT(e->tag && w->entries);
    for (;;) {
        size_t home;
        if (++i == w->config.table_entries)
            i = 0;
        e = &w->config.table[i];
        if (!e->tag)
            break;
        home = pajewrite__home_slot(w, e->tag, e->container, e->type, e->key);
        if (hole <= i ? home <= hole || home > i : home <= hole && home > i) {
            w->config.table[hole] = *e;
            hole = i;
        }
    }
    w->config.table[hole].tag = 0;
    w->entries--;
}

PAJEWRITE__UNTRACED
static int pajewrite__is_link_entry(const pajewrite_entry *e)
{
    return e->tag == PAJEWRITE__LINK_ENTRY || e->tag == PAJEWRITE__NAMED_LINK_ENTRY;
}

/* Whether an entry may be evicted when the table is full: finished links, destroyed containers, undefined values. */
PAJEWRITE__UNTRACED
static int pajewrite__is_evictable(const pajewrite *w, const pajewrite_entry *e)
{
    if (e->tag == PAJEWRITE__CONTAINER_ENTRY || e->tag == PAJEWRITE__VALUE_ENTRY)
        return (e->flags & (PAJEWRITE__DESTROYED | PAJEWRITE__MISSING)) == PAJEWRITE__DESTROYED;
    if (!pajewrite__is_link_entry(e))
        return 0;
    return w->config.when_full != PAJEWRITE_DROP ||
           (!(e->flags & PAJEWRITE__MISSING) && e->flags & PAJEWRITE__STARTED && e->flags & PAJEWRITE__ENDED);
}

/* Evicts the older half, by time, of the links whose other end may be in another trace.  Returns 0 if there is none. */
PAJEWRITE__UNTRACED
static int pajewrite__evict_older_links(pajewrite *w)
{
    pajewrite_entry *table = w->config.table;
    uint64_t first = UINT64_MAX, last = 0, middle;
    size_t i, entries = w->entries;
    for (i = 0; i < w->config.table_entries; i++)
        if (pajewrite__is_link_entry(&table[i]) && !(table[i].flags & PAJEWRITE__MISSING)) {
            first = table[i].time < first ? table[i].time : first;
            last = table[i].time > last ? table[i].time : last;
        }
    middle = first + (last - first) / 2;
    for (i = 0; i < w->config.table_entries; i++)
        while (pajewrite__is_link_entry(&table[i]) && !(table[i].flags & PAJEWRITE__MISSING) &&
               table[i].time <= middle)
            pajewrite__erase(w, &table[i]);
    return w->entries < entries;
}

/* Returns how many entries there may be at most before an event inserts its own. */
PAJEWRITE__UNTRACED
static size_t pajewrite__most_entries(const pajewrite *w)
{
    return w->config.table_entries - w->config.table_entries / 8 - 2;
}

/* Makes sure that an event can insert its entries, by eviction if necessary: of an eighth, so that not each event scans
 * the table.  Returns 0 if the table is full. */
PAJEWRITE__UNTRACED
static int pajewrite__table_reserve(pajewrite *w)
{
    const size_t most = pajewrite__most_entries(w);
    size_t i;
    if (w->entries < most)
        return 1;
    for (i = 0; i < w->config.table_entries; i++)
        while (w->config.table[i].tag && pajewrite__is_evictable(w, &w->config.table[i]))
            pajewrite__erase(w, &w->config.table[i]);
    while (w->entries >= most - most / 8 && pajewrite__evict_older_links(w))
        ;
    return w->entries < most;
}

PAJEWRITE__UNTRACED
static pajewrite_entry *pajewrite__find_type(const pajewrite *w, uint32_t type)
{
    return pajewrite__find(w, PAJEWRITE__TYPE_ENTRY, 0, type, 0);
}

PAJEWRITE__UNTRACED
static pajewrite_entry *pajewrite__find_container(const pajewrite *w, uint32_t container)
{
    return pajewrite__find(w, PAJEWRITE__CONTAINER_ENTRY, container, 0, 0);
}

PAJEWRITE__UNTRACED
static int pajewrite__is_alive(const pajewrite_entry *e) { return e && !(e->flags & PAJEWRITE__DESTROYED); }

/* Whether everything that ends with a container is in its list of pairs, so that the table need not be scanned. */
PAJEWRITE__UNTRACED
static int pajewrite__is_leaf(const pajewrite_entry *e) { return !(e->flags & PAJEWRITE__LEARNED) && !e->time; }

PAJEWRITE__UNTRACED
static pajewrite_entry *pajewrite__find_next_pair(const pajewrite *w, uint32_t container, uint32_t next)
{
    return next ? pajewrite__find(w, PAJEWRITE__PAIR_ENTRY, container, next - 1, 0) : NULL;
}

/* Finds or inserts the entry of a container and a type. */
PAJEWRITE__UNTRACED
static pajewrite_entry *pajewrite__pair_of(pajewrite *w, uint32_t container, uint32_t type)
{
    pajewrite_entry *pair = pajewrite__find(w, PAJEWRITE__PAIR_ENTRY, container, type, 0), *owner;
    if (pair)
        return pair;
    pair = pajewrite__find_or_insert(w, PAJEWRITE__PAIR_ENTRY, container, type, 0);
    owner = pajewrite__find_container(w, container);
    if (owner) {
        pair->next = owner->next;
        owner->next = type + 1;
    }
    return pair;
}

/* Returns the entry of the container that a container is in; NULL: it is in the root, or in one that is unknown. */
PAJEWRITE__UNTRACED
static pajewrite_entry *pajewrite__parent_of(const pajewrite *w, const pajewrite_entry *e)
{
    return e->other ? pajewrite__find_container(w, e->other) : NULL;
}

/* Whether a container is `outer`, or within it. */
PAJEWRITE__UNTRACED
static int pajewrite__is_within(const pajewrite *w, uint32_t container, uint32_t outer)
{
    while (container != outer) {
        const pajewrite_entry *e = container ? pajewrite__find_container(w, container) : NULL;
        if (!e)
            return 0;
        container = e->other;
    }
    return 1;
}

/* Returns the parent of a container that is created; the root in place of one within the container itself, as the
 * parents of each container have to end. */
PAJEWRITE__UNTRACED
static uint32_t pajewrite__outer_parent(const pajewrite *w, uint32_t container, uint32_t parent)
{
    return pajewrite__is_within(w, parent, container) ? 0 : parent;
}

PAJEWRITE__UNTRACED
static int pajewrite__is_link(pajewrite_kind kind)
{
    return kind == PAJEWRITE_START_LINK || kind == PAJEWRITE_END_LINK;
}

PAJEWRITE__UNTRACED
static int pajewrite__has_value(pajewrite_kind kind)
{
    return kind == PAJEWRITE_SET_STATE || kind == PAJEWRITE_PUSH_STATE || kind == PAJEWRITE_NEW_EVENT ||
           pajewrite__is_link(kind);
}

PAJEWRITE__UNTRACED
static int pajewrite__is_state(pajewrite_kind kind)
{
    return kind >= PAJEWRITE_SET_STATE && kind <= PAJEWRITE_RESET_STATE;
}

/* A key that is the text of a number is that number, and bytes that are written as _ are _, as for readers. */
PAJEWRITE__UNTRACED
static uint64_t pajewrite__key_of(const pajewrite_event *event)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325), number;
    const char *text = event->name;
    if (!text)
        return event->key;
    if (pajewrite__is_number(text, &number))
        return number;
    do { /* an empty text is written as _, too */
        const unsigned char c = (unsigned char)*text;
        hash = (hash ^ (pajewrite__is_replaced(c) ? '_' : c)) * UINT64_C(0x100000001b3);
    } while (*text && *++text);
    return hash;
}

PAJEWRITE__UNTRACED
static uint32_t pajewrite__link_tag(const pajewrite_event *event)
{
    uint64_t number;
    return event->name && !pajewrite__is_number(event->name, &number) ? PAJEWRITE__NAMED_LINK_ENTRY
                                                                      : PAJEWRITE__LINK_ENTRY;
}

PAJEWRITE__UNTRACED
static int pajewrite__is_dropped(const pajewrite_entry *e) { return e && e->flags & PAJEWRITE__DROPPED; }

/* Whether the definition of a variant in a table of definitions was dropped. */
PAJEWRITE__UNTRACED
static int pajewrite__is_variant_dropped(const pajewrite *w, uint32_t number)
{
    return w->has_gaps && w->following &&
           pajewrite__is_dropped(pajewrite__find(w, PAJEWRITE__VARIANT_ENTRY, 0, 0, number));
}

PAJEWRITE__UNTRACED
static void pajewrite__stop_following(pajewrite *w)
{
    if (!w->status)
        w->status = PAJEWRITE_E_TABLE_FULL;
    w->following = 0;
    w->mode &= ~(uint32_t)PAJEWRITE__FOLLOWING;
    if (w->flight)
        pajewrite__fail(w, PAJEWRITE_E_TABLE_FULL);
}

/* Remembers that the definition of a variant was dropped. */
PAJEWRITE__UNTRACED
static void pajewrite__remember_variant(pajewrite *w, uint32_t number)
{
    if (w->following && pajewrite__table_reserve(w)) {
        pajewrite__find_or_insert(w, PAJEWRITE__VARIANT_ENTRY, 0, 0, number)->flags = PAJEWRITE__DROPPED;
        w->has_gaps = 1;
    } else if (w->following) {
        pajewrite__stop_following(w);
    }
}
#else
#define pajewrite__is_variant_dropped(w, number) 0
#define pajewrite__remember_variant(w, number) ((void)0)
#endif

/* ---------------- src/pajewrite/follow/check.h */

/* The checking mode: finds events that would make the trace invalid. */

#if PAJEWRITE_TABLE && PAJEWRITE_CHECK
PAJEWRITE__UNTRACED
static int pajewrite__is_container_type(const pajewrite *w, uint32_t type)
{
    const pajewrite_entry *e = pajewrite__find_type(w, type);
    return !type || (e && e->value == PAJEWRITE_DEFINE_CONTAINER_TYPE);
}

/* Whether a container type is `outer`, or within it. */
PAJEWRITE__UNTRACED
static int pajewrite__is_type_within(const pajewrite *w, uint32_t type, uint32_t outer)
{
    while (type != outer) {
        if (!type)
            return 0;
        type = pajewrite__find_type(w, type)->other;
    }
    return 1;
}

PAJEWRITE__UNTRACED
static pajewrite_status pajewrite__check_definition(const pajewrite *w, const pajewrite_event *event)
{
    uint32_t type = pajewrite__alias(event->type), of = pajewrite__alias(event->of);
    const pajewrite_entry *known = pajewrite__find_type(w, type);
    uint64_t number;
    if (event->kind == PAJEWRITE_DEFINE_VALUE) {
        if (!known || known->value == PAJEWRITE_DEFINE_CONTAINER_TYPE || known->value == PAJEWRITE_DEFINE_VARIABLE_TYPE)
            return PAJEWRITE_E_TYPE;
        if (pajewrite__find(w, PAJEWRITE__VALUE_ENTRY, 0, type, event->value.alias))
            return PAJEWRITE_E_VALUE;
        return event->name && pajewrite__is_number(event->name, &number) &&
               pajewrite__find(w, PAJEWRITE__VALUE_ENTRY, 0, type, number) ? PAJEWRITE_E_VALUE : PAJEWRITE_OK;
    }
    if (!type || known || !pajewrite__is_container_type(w, of))
        return PAJEWRITE_E_TYPE;
    if (event->kind == PAJEWRITE_DEFINE_CONTAINER_TYPE && event->name && event->name[0] == '0' && !event->name[1])
        return PAJEWRITE_E_TYPE; /* which is the root type to readers */
    if (event->kind == PAJEWRITE_DEFINE_LINK_TYPE) {
        uint32_t start = pajewrite__alias(event->start_type), end = pajewrite__alias(event->end_type);
        if (!pajewrite__is_container_type(w, start) || !pajewrite__is_container_type(w, end))
            return PAJEWRITE_E_TYPE;
        if (!pajewrite__is_type_within(w, start, of) || !pajewrite__is_type_within(w, end, of))
            return PAJEWRITE_E_MISMATCH;
    }
    return PAJEWRITE_OK;
}

/* Returns the type of a live container; UINT32_MAX: there is none. */
PAJEWRITE__UNTRACED
static uint32_t pajewrite__type_of(const pajewrite *w, uint32_t container)
{
    const pajewrite_entry *e = pajewrite__find_container(w, container);
    return !container ? 0 : pajewrite__is_alive(e) ? e->value : UINT32_MAX;
}

PAJEWRITE__UNTRACED
static pajewrite_status pajewrite__check_link(const pajewrite *w, const pajewrite_event *event,
                                              const pajewrite_entry *type)
{
    uint32_t of = pajewrite__type_of(w, event->other.alias);
    int starts = event->kind == PAJEWRITE_START_LINK;
    uint32_t end = (uint32_t)((uint64_t)type->number.integer >> (starts ? 32 : 0));
    const pajewrite_entry *link = pajewrite__find(w, pajewrite__link_tag(event), event->container.alias, type->type,
                                                  pajewrite__key_of(event));
    const pajewrite_entry *pair = pajewrite__find(w, PAJEWRITE__PAIR_ENTRY, event->container.alias, type->type, 0);
    if (of == UINT32_MAX)
        return PAJEWRITE_E_CONTAINER;
    if (of != end)
        return PAJEWRITE_E_MISMATCH;
    if (!link)
        return PAJEWRITE_OK;
    if (link->flags & (starts ? PAJEWRITE__STARTED : PAJEWRITE__ENDED))
        return PAJEWRITE_E_KEY;
    if (link->value != event->value.alias)
        return PAJEWRITE_E_VALUE;
    return pair && pair->time > event->time ? PAJEWRITE_E_ORDER : PAJEWRITE_OK;
}

PAJEWRITE__UNTRACED
static pajewrite_status pajewrite__check(const pajewrite *w, const pajewrite_event *event)
{
    uint32_t container = event->container.alias, type = pajewrite__alias(event->type), of;
    const pajewrite_entry *known, *pair;
    size_t i;
    if (event->kind <= PAJEWRITE_DEFINE_VALUE)
        return pajewrite__check_definition(w, event);
    if (event->kind == PAJEWRITE_CREATE_CONTAINER) {
        if (!container || pajewrite__find_container(w, container))
            return PAJEWRITE_E_CONTAINER;
        if (!type || !pajewrite__is_container_type(w, type))
            return PAJEWRITE_E_TYPE;
        of = pajewrite__type_of(w, event->other.alias);
        return of == UINT32_MAX ? PAJEWRITE_E_CONTAINER :
               of != pajewrite__find_type(w, type)->other ? PAJEWRITE_E_MISMATCH : PAJEWRITE_OK;
    }
    of = pajewrite__type_of(w, container);
    if (of == UINT32_MAX)
        return PAJEWRITE_E_CONTAINER;
    if (event->kind == PAJEWRITE_TRACE_FILE)
        return of == type ? PAJEWRITE_OK : PAJEWRITE_E_MISMATCH;
    if (event->kind == PAJEWRITE_DESTROY_CONTAINER) {
        if (!container)
            return PAJEWRITE_E_CONTAINER;
        if (of != type)
            return PAJEWRITE_E_MISMATCH;
        known = pajewrite__find_container(w, container);
        if (!w->flight && !w->kept && (uint64_t)known->number.integer > event->time)
            return PAJEWRITE_E_ORDER;
        if (pajewrite__is_leaf(known)) {
            pair = pajewrite__find_next_pair(w, container, known->next);
            while (pair && pair->time <= event->time)
                pair = pajewrite__find_next_pair(w, container, pair->next);
            return pair ? PAJEWRITE_E_ORDER : PAJEWRITE_OK;
        }
        for (i = 0; i < w->config.table_entries; i++)
            if (w->config.table[i].tag == PAJEWRITE__PAIR_ENTRY && w->config.table[i].time > event->time &&
                pajewrite__is_within(w, w->config.table[i].container, container))
                return PAJEWRITE_E_ORDER;
        return PAJEWRITE_OK;
    }
    known = pajewrite__find_type(w, type);
    if (!known || known->value != (uint32_t)(pajewrite__is_state(event->kind) ? PAJEWRITE_DEFINE_STATE_TYPE :
                                             pajewrite__is_variable(event->kind) ? PAJEWRITE_DEFINE_VARIABLE_TYPE :
                                             pajewrite__is_link(event->kind) ? PAJEWRITE_DEFINE_LINK_TYPE :
                                                                               PAJEWRITE_DEFINE_EVENT_TYPE))
        return PAJEWRITE_E_TYPE;
    if (known->other != of)
        return PAJEWRITE_E_MISMATCH;
    if (pajewrite__is_link(event->kind))
        return pajewrite__check_link(w, event, known);
    pair = pajewrite__find(w, PAJEWRITE__PAIR_ENTRY, container, type, 0);
    if (pair && pair->time > event->time)
        return PAJEWRITE_E_ORDER;
    if (event->kind == PAJEWRITE_POP_STATE && (!pair || !pair->value))
        return PAJEWRITE_E_EMPTY;
    if ((event->kind == PAJEWRITE_ADD_VARIABLE || event->kind == PAJEWRITE_SUB_VARIABLE) &&
        (!pair || !(pair->flags & PAJEWRITE__IS_SET)))
        return PAJEWRITE_E_UNSET;
    return PAJEWRITE_OK;
}
#endif

/* ---------------- src/pajewrite/follow/state.h */

/* Updating the table: what each event defines, creates, opens and closes. */

#if PAJEWRITE_TABLE
/* Whether an event has to be dropped because it depends on a line that was dropped. */
PAJEWRITE__UNTRACED
static int pajewrite__depends_on_dropped(const pajewrite *w, const pajewrite_event *event)
{
    uint32_t container = event->container.alias, type = pajewrite__alias(event->type);
    if (event->kind == PAJEWRITE_DEFINE_LINK_TYPE &&
        (pajewrite__is_dropped(pajewrite__find_type(w, pajewrite__alias(event->start_type))) ||
         pajewrite__is_dropped(pajewrite__find_type(w, pajewrite__alias(event->end_type)))))
        return 1;
    if (event->kind < PAJEWRITE_DEFINE_VALUE)
        return pajewrite__is_dropped(pajewrite__find_type(w, pajewrite__alias(event->of)));
    if (pajewrite__is_dropped(pajewrite__find_type(w, type)))
        return 1;
    if (event->kind == PAJEWRITE_DEFINE_VALUE)
        return 0;
    if (pajewrite__is_dropped(pajewrite__find_container(w, container)))
        return 1;
    if (event->kind == PAJEWRITE_CREATE_CONTAINER)
        return pajewrite__is_dropped(pajewrite__find_container(w, event->other.alias));
    if (event->kind == PAJEWRITE_POP_STATE) {
        const pajewrite_entry *pair = pajewrite__find(w, PAJEWRITE__PAIR_ENTRY, container, type, 0);
        return pair && pair->value &&
               pajewrite__is_dropped(pajewrite__find(w, PAJEWRITE__LEVEL_ENTRY, container, type, pair->value - 1));
    }
    return pajewrite__is_link(event->kind) &&
           (pajewrite__is_dropped(pajewrite__find_container(w, event->other.alias)) ||
            pajewrite__is_dropped(pajewrite__find(w, pajewrite__link_tag(event), container, type,
                                                    pajewrite__key_of(event))));
}

/* Removes states from the stack down to depth `to`.  Returns how many of them were written. */
PAJEWRITE__UNTRACED
static uint32_t pajewrite__pop_to_depth(pajewrite *w, uint32_t container, uint32_t type, uint32_t *depth, uint32_t to)
{
    uint32_t written = 0;
    while (*depth > to) {
        pajewrite_entry *level = pajewrite__find(w, PAJEWRITE__LEVEL_ENTRY, container, type, --*depth);
        if (level) {
            written += !(level->flags & PAJEWRITE__DROPPED);
            pajewrite__erase(w, level);
        }
    }
    return written;
}

/* Updates the value of a variable as readers compute it. */
PAJEWRITE__UNTRACED
static void pajewrite__follow_variable(pajewrite_entry *pair, const pajewrite_event *event)
{
#if PAJEWRITE_DOUBLE
    double number = event->is_real ? event->real : (double)event->integer;
    pair->number.real = event->kind == PAJEWRITE_SET_VARIABLE ? number :
                        event->kind == PAJEWRITE_ADD_VARIABLE ? pair->number.real + number : pair->number.real - number;
#else
    uint64_t number = (uint64_t)event->integer, was = (uint64_t)pair->number.integer;
    pair->number.integer = (int64_t)(event->kind == PAJEWRITE_SET_VARIABLE ? number :
                                     event->kind == PAJEWRITE_ADD_VARIABLE ? was + number : was - number);
#endif
    pair->flags |= PAJEWRITE__IS_SET;
}

/* Makes the event that sets a variable to its current value.  A sum that is infinite cannot be written: the greatest
 * number stands for it, so that the variable has a value. */
PAJEWRITE__UNTRACED
static void pajewrite__make_set_event(pajewrite_event *event, const pajewrite_entry *pair)
{
    event->kind = PAJEWRITE_SET_VARIABLE;
#if PAJEWRITE_DOUBLE
    event->is_real = 1;
    event->real = pair->number.real;
    if (!pajewrite__is_finite(event->real))
        event->real = event->real > 0 ? DBL_MAX : -DBL_MAX;
#else
    event->integer = pair->number.integer;
#endif
}

PAJEWRITE__UNTRACED
static void pajewrite__follow_entity(pajewrite *w, const pajewrite_event *event, int written)
{
    uint32_t container = event->container.alias, type = pajewrite__alias(event->type), depth, lost = 0;
    pajewrite_entry *pair = pajewrite__pair_of(w, container, type), *level;
    w->last_pair = written ? pair : NULL;
    pair->time = event->time;
    if (pajewrite__is_variable(event->kind)) {
        pajewrite__follow_variable(pair, event);
        if (!written && !pajewrite__depends_on_dropped(w, event))
            pair->flags |= PAJEWRITE__MISSING;
        return;
    }
    if (!pajewrite__is_state(event->kind))
        return;
    depth = pair->value;
    if (w->config.when_full == PAJEWRITE_FLUSH) {
        pair->value = event->kind == PAJEWRITE_PUSH_STATE ? depth + 1 :
                      event->kind == PAJEWRITE_POP_STATE ? depth - (depth > 0) : event->kind == PAJEWRITE_SET_STATE;
        return;
    }
    if (event->kind == PAJEWRITE_POP_STATE && depth) {
        level = pajewrite__find(w, PAJEWRITE__LEVEL_ENTRY, container, type, depth - 1);
        lost = level && !(level->flags & PAJEWRITE__DROPPED);
        if (level)
            pajewrite__erase(w, level);
        depth--;
    } else if (event->kind == PAJEWRITE_SET_STATE || event->kind == PAJEWRITE_RESET_STATE) {
        lost = pajewrite__pop_to_depth(w, container, type, &depth, 0);
    }
    if (event->kind == PAJEWRITE_SET_STATE || event->kind == PAJEWRITE_PUSH_STATE) {
        level = pajewrite__find_or_insert(w, PAJEWRITE__LEVEL_ENTRY, container, type, depth++);
        level->value = event->value.alias;
        level->time = event->time;
        level->flags = written ? 0 : PAJEWRITE__DROPPED;
    }
    pair = pajewrite__pair_of(w, container, type); /* erasing and inserting may have moved it */
    pair->value = depth;
    PAJEWRITE__ASSERT(!written || !pair->other); /* what is missing is written first */
    if (!written)
        pair->other += lost;
}

PAJEWRITE__UNTRACED
static void pajewrite__follow_link(pajewrite *w, const pajewrite_event *event, int written)
{
    uint32_t container = event->container.alias, type = pajewrite__alias(event->type);
    pajewrite_entry *link, *pair;
    uint64_t later;
    if (w->config.when_full != PAJEWRITE_DROP && !PAJEWRITE_CHECK)
        return;
    link = pajewrite__find_or_insert(w, pajewrite__link_tag(event), container, type, pajewrite__key_of(event));
    later = link->time > event->time ? link->time : event->time;
    if (!link->flags)
        link->flags = written ? 0 : PAJEWRITE__DROPPED;
    else if (!written && link->tag == PAJEWRITE__LINK_ENTRY && !pajewrite__depends_on_dropped(w, event))
        link->flags |= PAJEWRITE__MISSING;
    link->flags &= (uint16_t)~PAJEWRITE__ENDED_LAST;
    link->flags |= event->kind == PAJEWRITE_START_LINK ? PAJEWRITE__STARTED : PAJEWRITE__ENDED | PAJEWRITE__ENDED_LAST;
    link->value = event->value.alias;
    link->other = event->other.alias;
    link->time = event->time;
    link->number.integer = (int64_t)later;
    if (link->flags & PAJEWRITE__STARTED && link->flags & PAJEWRITE__ENDED) {
        pair = pajewrite__pair_of(w, container, type);
        if (pair->time < later)
            pair->time = later;
    }
}

/* Erases the pairs of a container and their states. */
PAJEWRITE__UNTRACED
static void pajewrite__erase_pairs(pajewrite *w, uint32_t container)
{
    uint32_t next = pajewrite__find_container(w, container)->next;
    pajewrite_entry *pair, *level;
    while ((pair = pajewrite__find_next_pair(w, container, next)) != NULL) {
        const uint32_t type = pair->type;
        uint32_t depth = 0;
        next = pair->next;
        pajewrite__erase(w, pair);
        while ((level = pajewrite__find(w, PAJEWRITE__LEVEL_ENTRY, container, type, depth++)) != NULL)
            pajewrite__erase(w, level);
    }
}

/* Destroys a container, and the containers within it. */
PAJEWRITE__UNTRACED
static void pajewrite__follow_destroy(pajewrite *w, const pajewrite_event *event, int written)
{
    const uint32_t container = event->container.alias;
    pajewrite_entry *table = w->config.table, *e = pajewrite__find_container(w, container), *parent;
    size_t i;
    if (!pajewrite__is_alive(e))
        return;
    parent = pajewrite__find_container(w, e->other);
    if (pajewrite__is_alive(parent) && parent->time)
        parent->time--;
    if (pajewrite__is_leaf(e)) {
        pajewrite__erase_pairs(w, container);
    } else {
        for (i = 0; i < w->config.table_entries; i++)
            while ((table[i].tag == PAJEWRITE__PAIR_ENTRY || table[i].tag == PAJEWRITE__LEVEL_ENTRY) &&
                   pajewrite__is_within(w, table[i].container, container))
                pajewrite__erase(w, &table[i]);
        for (i = 0; i < w->config.table_entries; i++)
            if (table[i].tag == PAJEWRITE__CONTAINER_ENTRY && pajewrite__is_within(w, table[i].container, container))
                table[i].flags |= PAJEWRITE__DESTROYED;
    }
    e = pajewrite__find_container(w, container);
    e->flags |= PAJEWRITE__DESTROYED;
    if (!written && !(e->flags & PAJEWRITE__DROPPED)) {
        e->flags |= PAJEWRITE__MISSING;
        e->time = event->time;
    }
}

PAJEWRITE__UNTRACED
static void pajewrite__follow(pajewrite *w, const pajewrite_event *event, int written)
{
    uint32_t type = pajewrite__alias(event->type);
    pajewrite_entry *e;
    if (pajewrite__has_time(event->kind) && event->time > w->latest)
        w->latest = event->time;
    if (event->kind < PAJEWRITE_DEFINE_VALUE) {
        e = pajewrite__find_or_insert(w, PAJEWRITE__TYPE_ENTRY, 0, type, 0);
        e->value = (uint32_t)event->kind;
        e->other = pajewrite__alias(event->of);
        e->number.integer = (int64_t)((uint64_t)pajewrite__alias(event->start_type) << 32 |
                                      pajewrite__alias(event->end_type));
        e->flags = written ? 0 : PAJEWRITE__DROPPED;
    } else if (event->kind == PAJEWRITE_DEFINE_VALUE) {
        if (PAJEWRITE_CHECK)
            pajewrite__find_or_insert(w, PAJEWRITE__VALUE_ENTRY, 0, type, event->value.alias)->flags = 0;
    } else if (event->kind == PAJEWRITE_CREATE_CONTAINER) {
        const uint32_t parent = pajewrite__outer_parent(w, event->container.alias, event->other.alias);
        e = pajewrite__find_container(w, parent);
        if (pajewrite__is_alive(e) && !pajewrite__is_alive(pajewrite__find_container(w, event->container.alias)))
            e->time++;
        e = pajewrite__find_or_insert(w, PAJEWRITE__CONTAINER_ENTRY, event->container.alias, 0, 0);
        if (!pajewrite__is_alive(e))
            e->time = e->next = 0;
        e->value = type;
        e->other = parent;
        e->number.integer = (int64_t)event->time;
        e->flags = written ? 0 : PAJEWRITE__DROPPED;
        if (PAJEWRITE_CHECK && (w->flight || w->kept)) /* where `number` is not the time */
            pajewrite__pair_of(w, event->container.alias, type)->time = event->time;
    } else if (event->kind == PAJEWRITE_DESTROY_CONTAINER) {
        pajewrite__follow_destroy(w, event, written);
    } else if (pajewrite__is_link(event->kind)) {
        pajewrite__follow_link(w, event, written);
    } else if (event->kind != PAJEWRITE_TRACE_FILE) {
        pajewrite__follow_entity(w, event, written);
    }
    if (PAJEWRITE_CHECK && pajewrite__has_value(event->kind) &&
        !pajewrite__find(w, PAJEWRITE__VALUE_ENTRY, 0, type, event->value.alias))
        pajewrite__find_or_insert(w, PAJEWRITE__VALUE_ENTRY, 0, type, event->value.alias)->flags = PAJEWRITE__DESTROYED;
}
#endif

/* ---------------- src/pajewrite/follow/flight_memory.h */

/* The memory layout of a flight recorder. */

#if PAJEWRITE_TABLE
/* The memory holds a header, a header for each segment, the definitions, and the segments.  Each text in it ends where
 * a line begins with '#'; the last byte of the memory is a newline, so that scans of text that changes meanwhile stop.
 * Headers are copied by memcpy, because the memory may have any alignment. */

typedef struct pajewrite__recorder {
    char magic[8];
    uint64_t definitions_size, segment_size, segments;
} pajewrite__recorder;

typedef struct pajewrite__segment {
    uint64_t number; /* ordinal number of the segment, from 1 on; 0: it is empty */
    uint64_t events; /* offset of the end of its snapshot */
    uint64_t before; /* number of records written before it */
} pajewrite__segment;

static const char pajewrite__magic[] = "PajeFly1";

enum { PAJEWRITE__SEGMENTS_MAX = 64 };
typedef char pajewrite__PAJEWRITE_SEGMENTS_is_2_to_64[(PAJEWRITE_SEGMENTS) >= 2 &&
                                                      (PAJEWRITE_SEGMENTS) <= PAJEWRITE__SEGMENTS_MAX ? 1 : -1];

/* Stores the header of a segment after all that the segment holds, and its number last, so that a reader on another
 * core that sees the number sees the rest. */
PAJEWRITE__UNTRACED
static void pajewrite__put_segment(char *note, const pajewrite__segment *segment)
{
    const size_t first = sizeof segment->number;
    memcpy(note + first, (const char *)segment + first, sizeof *segment - first);
    PAJEWRITE__RELEASE();
    memcpy(note, &segment->number, first);
}

PAJEWRITE__UNTRACED
static size_t pajewrite__flight_header_size(size_t segments)
{
    return sizeof(pajewrite__recorder) + segments * sizeof(pajewrite__segment);
}

/* Skips n words without quotes. */
PAJEWRITE__UNTRACED
static const char *pajewrite__skip_words(const char *line, int n)
{
    for (; n && *line != '\n'; line++)
        n -= *line == ' ';
    return line;
}
#endif

/* ---------------- src/pajewrite/follow/flight.h */

/* The flight recorder: a ring of segments, each of which begins with a snapshot of what is open. */

#if PAJEWRITE_TABLE
PAJEWRITE__UNTRACED
static char *pajewrite__segment_header_at(const pajewrite *w, uint32_t segment)
{
    return w->flight + pajewrite__flight_header_size(segment);
}

PAJEWRITE__UNTRACED
static void pajewrite__flight_sizes(const pajewrite *w, size_t size, size_t *definitions, size_t *segment)
{
    size_t head = pajewrite__flight_header_size(PAJEWRITE_SEGMENTS) + 1, rest = size > head ? size - head : 0;
    *definitions = w->config.definitions_size ? w->config.definitions_size : rest / 4;
    *segment = rest > *definitions ? (rest - *definitions) / (PAJEWRITE_SEGMENTS) : 0;
}

PAJEWRITE__UNTRACED
static int pajewrite__flight_fits(const pajewrite *w, size_t size)
{
    size_t definitions, segment;
    pajewrite__flight_sizes(w, size, &definitions, &segment);
    return w->following && definitions >= PAJEWRITE_BUFFER_MIN && segment >= PAJEWRITE_BUFFER_MIN;
}

/* Lays out the memory: w->size bytes at w->buffer, or those of config.next_buffer. */
PAJEWRITE__UNTRACED
static void pajewrite__flight_begin(pajewrite *w)
{
    pajewrite__recorder head;
    pajewrite__segment note = {1, 0, 0};
    size_t definitions, segment;
    if (w->config.next_buffer) {
        size_t size = w->size;
        w->buffer = NULL;
        pajewrite__next_buffer(w, size);
        if (w->stopped)
            return;
    }
    pajewrite__flight_sizes(w, w->size, &definitions, &segment);
    memcpy(head.magic, pajewrite__magic, sizeof head.magic);
    head.definitions_size = definitions;
    head.segment_size = segment;
    head.segments = PAJEWRITE_SEGMENTS;
    w->flight = w->buffer;
    w->other_buffer = w->flight + pajewrite__flight_header_size(PAJEWRITE_SEGMENTS);
    w->buffer = w->other_buffer + definitions;
    w->size = segment;
    w->other_size = definitions;
    *w->other_buffer = '#';
    w->other_next = w->other_buffer;
    memset(w->flight, 0, (size_t)(w->other_buffer - w->flight));
    pajewrite__set_next(w, w->buffer);
    pajewrite__set_limit(w);
    pajewrite__put_segment(pajewrite__segment_header_at(w, 0), &note);
    w->segments = 1;
    w->buffer[segment * (PAJEWRITE_SEGMENTS)] = '\n';
    PAJEWRITE__RELEASE();
    memcpy(w->flight, &head, sizeof head);
}

PAJEWRITE__UNTRACED
static void pajewrite__flight_end(pajewrite *w)
{
    w->next = w->other_buffer + w->other_size + w->size * (PAJEWRITE_SEGMENTS) + 1;
    w->buffer = w->flight;
    w->flight = NULL;
}

/* Returns the offset of the last line, which creates a container, and counts it. */
PAJEWRITE__UNTRACED
static int64_t pajewrite__flight_creation(pajewrite *w)
{
    const char *line = w->next - 1;
    while (line > w->buffer && line[-1] != '\n')
        line--;
    w->creations++;
    return line - w->flight;
}

/* Copies the lines that create live containers from the previous segment.  They fit, because they fitted there. */
PAJEWRITE__UNTRACED
static void pajewrite__copy_creations(pajewrite *w, const char *line, const char *last, uint32_t creations)
{
    w->creations = 0;
    while (creations && line < last) {
        const char *end = pajewrite__after_line(line), *digit = pajewrite__skip_words(line, 2);
        uint32_t alias = 0;
        pajewrite_entry *e;
        if (end > last) /* in a child process, where mapped memory is zeros */
            break;
        for (; *digit >= '0' && *digit <= '9'; digit++)
            alias = alias * 10 + (uint32_t)(*digit - '0');
        e = pajewrite__find_container(w, alias);
        if (e && e->number.integer == line - w->flight) {
            creations--;
            if (pajewrite__is_alive(e)) {
                pajewrite__commit(w, pajewrite__put_bytes(w->next + 1, line + 1, (size_t)(end - line) - 2), *line);
                e->number.integer = pajewrite__flight_creation(w);
            }
        }
        line = end;
    }
}

/* Writes open states, from the bottom of their stacks and with their start times, and variables.  If they do not fit,
 * no line does that comes next, which ends the trace. */
PAJEWRITE__UNTRACED
static void pajewrite__copy_open(pajewrite *w)
{
    size_t i;
    for (i = 0; i < w->config.table_entries; i++) {
        const pajewrite_entry *pair = &w->config.table[i];
        pajewrite_event event = PAJEWRITE__ZERO;
        uint32_t depth;
        if (pair->tag != PAJEWRITE__PAIR_ENTRY ||
            (pair->container && !pajewrite__is_alive(pajewrite__find_container(w, pair->container))))
            continue;
        event.container.alias = pair->container;
        event.type.alias = pair->type;
        event.kind = PAJEWRITE_PUSH_STATE;
        if (w->has_gaps && pajewrite__depends_on_dropped(w, &event))
            continue;
        for (depth = 0; depth < pair->value; depth++) {
            const pajewrite_entry *level = pajewrite__find(w, PAJEWRITE__LEVEL_ENTRY, pair->container, pair->type,
                                                           depth);
            PAJEWRITE__ASSERT(level);
            event.time = level->time;
            event.value.alias = level->value;
            pajewrite__write_line(w, &event, NULL);
        }
        if (pair->flags & PAJEWRITE__IS_SET) {
            event.time = pair->time;
            pajewrite__make_set_event(&event, pair);
            pajewrite__write_line(w, &event, NULL);
        }
    }
}

/* Begins the next segment, which replaces the oldest one, with a snapshot.  Until the snapshot is complete, the segment
 * counts as empty. */
PAJEWRITE__UNTRACED
static void pajewrite__next_segment(pajewrite *w)
{
    const char *before = w->buffer, *last = w->next;
    uint32_t place = (uint32_t)(w->segments % (PAJEWRITE_SEGMENTS));
    char *note = pajewrite__segment_header_at(w, place);
    uint32_t creations = w->creations, prefix_size = w->prefix_size, second_ticks = w->second_ticks;
    pajewrite__segment segment = PAJEWRITE__ZERO;
    uint64_t second = w->second_start;
    char prefix[sizeof w->prefix];
    PAJEWRITE__ASSERT(!w->is_defining);
    memcpy(prefix, w->prefix, sizeof prefix);
    memcpy(note, &segment.number, sizeof segment.number);
    PAJEWRITE__RELEASE();
    segment.before = w->delivered = w->records;
    w->buffer = w->other_buffer + w->other_size + place * w->size;
    pajewrite__set_next(w, w->buffer);
    pajewrite__set_limit(w);
    pajewrite__copy_creations(w, before, last, creations);
    pajewrite__copy_open(w);
    /* The prefix holds the second of the event that comes next. */
    memcpy(w->prefix, prefix, sizeof prefix);
    w->prefix_size = prefix_size;
    w->second_start = second;
    w->second_ticks = second_ticks;
    w->records = w->delivered = segment.before;
    segment.events = (uint64_t)(w->next - w->buffer);
    segment.number = ++w->segments;
    pajewrite__put_segment(note, &segment);
}

/* Writes the line of an event; begins the next segment and retries if this one is full.  Returns 0 if the event is
 * dropped or refused. */
PAJEWRITE__UNTRACED
static int pajewrite__write_retry(pajewrite *w, const pajewrite_event *event, const pajewrite_fields *fields)
{
    int written = pajewrite__write_line(w, event, fields);
    if (written >= 0)
        return written;
    pajewrite__next_segment(w);
    written = pajewrite__write_line(w, event, fields);
    if (written < 0) {
        w->delivered = w->records;
        pajewrite__fail(w, PAJEWRITE_E_SNAPSHOT);
    }
    return written > 0;
}
#else
#define pajewrite__flight_fits(w, size) 0
#define pajewrite__flight_begin(w) ((void)0)
#endif

/* ---------------- src/pajewrite/follow/dump.h */

/* Dumping a flight recorder, from its memory alone. */

#if PAJEWRITE_TABLE
enum { PAJEWRITE__NOTED = 64 };

/* The texts of the trace, in order: definitions, then segments. */
typedef struct pajewrite__dump_texts {
    const char **text;
    size_t *size;
    uint32_t room, count;                   /* room: for how many segments */
    uint32_t links, link[PAJEWRITE__NOTED]; /* how many variants of link events there are; numbers of the first ones */
    uint64_t starts;                        /* a bit for each of them, 1: of PAJEWRITE_START_LINK */
} pajewrite__dump_texts;

/* The position of a line in the texts. */
typedef struct pajewrite__position {
    uint32_t text;
    size_t offset;
} pajewrite__position;

PAJEWRITE__UNTRACED
static const char *pajewrite__line_at(const pajewrite__dump_texts *texts, const pajewrite__position *place)
{
    return texts->text[place->text] + place->offset;
}

PAJEWRITE__UNTRACED
static int pajewrite__is_before(const pajewrite__position *a, const pajewrite__position *b)
{
    return a->text < b->text || (a->text == b->text && a->offset < b->offset);
}

/* Advances to the next line; past the last one, place->text is `count`. */
PAJEWRITE__UNTRACED
static void pajewrite__next_line(const pajewrite__dump_texts *texts, pajewrite__position *place)
{
    const char *line = pajewrite__line_at(texts, place);
    place->offset += (size_t)(pajewrite__after_line(line) - line);
    if (place->offset >= texts->size[place->text]) {
        place->offset = 0;
        place->text++;
    }
}

/* Returns the size of the complete lines of a text.  A line is complete once its first byte is seen; the rest of it is
 * read after that byte.  The lines of the definition of an event count when its last one, %EndEventDef, is there. */
PAJEWRITE__UNTRACED
static size_t pajewrite__text_size(const char *text, size_t size)
{
    size_t i, line = 0, complete = 0;
    while (line < size && PAJEWRITE__LOAD(char, text[line]) != '#') {
        const char *start = text + line;
        PAJEWRITE__ACQUIRE();
        for (i = line; i < size && text[i] != '\n'; i++)
            ;
        if (i == size)
            break;
        line = i + 1;
        if (*start != '%' || (start[1] == 'E' && start[2] == 'n'))
            complete = line;
    }
    return complete;
}

/* Whether the definitions contain a variant of this kind and number. */
PAJEWRITE__UNTRACED
static int pajewrite__has_variant(const pajewrite__dump_texts *texts, pajewrite_kind kind, uint32_t number)
{
    char definition[64];
    size_t size, i;
    size = (size_t)(pajewrite__put_event_def(definition, kind, number) - definition);
    for (i = 0; i + size <= texts->size[0]; i++)
        if (pajewrite__equal_bytes(texts->text[0] + i, definition, size))
            return 1;
    return 0;
}

PAJEWRITE__UNTRACED
static uint32_t pajewrite__read_u32(const char *digits)
{
    uint32_t number = 0;
    for (; *digits >= '0' && *digits <= '9'; digits++)
        number = number * 10 + (uint32_t)(*digits - '0');
    return number;
}

/* Notes the variants of link events, of which there are few, so that the definitions are not read for each line. */
PAJEWRITE__UNTRACED
static void pajewrite__note_link_variants(pajewrite__dump_texts *texts)
{
    const char *line = texts->text[0], *last = line + texts->size[0];
    char definition[2][64];
    size_t size[2], i;
    for (i = 0; i < 2; i++) /* without the number, which is 0 here, and the newline */
        size[i] = (size_t)(pajewrite__put_event_def(definition[i], i ? PAJEWRITE_START_LINK : PAJEWRITE_END_LINK, 0) -
                           definition[i]) - 2;
    for (; line < last; line = pajewrite__after_line(line))
        for (i = 0; i < 2; i++) {
            if (size[i] >= (size_t)(last - line) || !pajewrite__equal_bytes(line, definition[i], size[i]) ||
                pajewrite__read_u32(line + size[i]) < PAJEWRITE__AFTER_KINDS)
                continue;
            if (texts->links < PAJEWRITE__NOTED) {
                texts->link[texts->links] = pajewrite__read_u32(line + size[i]);
                texts->starts |= (uint64_t)i << texts->links;
            }
            texts->links++;
        }
}

/* Returns the number of a line's event; for variants of link events, PAJEWRITE_START_LINK or PAJEWRITE_END_LINK. */
PAJEWRITE__UNTRACED
static uint32_t pajewrite__kind_of(const pajewrite__dump_texts *texts, const char *line)
{
    const uint32_t number = pajewrite__read_u32(line);
    uint32_t i;
    if (number < PAJEWRITE__AFTER_KINDS)
        return number;
    for (i = 0; i < texts->links && i < PAJEWRITE__NOTED; i++)
        if (texts->link[i] == number)
            return texts->starts >> i & 1 ? PAJEWRITE_START_LINK : PAJEWRITE_END_LINK;
    if (texts->links > PAJEWRITE__NOTED && pajewrite__has_variant(texts, PAJEWRITE_START_LINK, number))
        return PAJEWRITE_START_LINK;
    if (texts->links > PAJEWRITE__NOTED && pajewrite__has_variant(texts, PAJEWRITE_END_LINK, number))
        return PAJEWRITE_END_LINK;
    return number;
}

/* Returns the length of a word, up to a blank, its closing quote or the end of the line. */
PAJEWRITE__UNTRACED
static size_t pajewrite__word_length(const char *word)
{
    const char last = *word == '"' ? '"' : ' ';
    size_t size = 0;
    while (word[size] != '\n' && (word[size] != last || !size))
        size++;
    return size;
}

/* How many words to skip to the next of the three that identify a link: container, type, key. */
static const int pajewrite__link_words[] = {2, 1, 3};

PAJEWRITE__UNTRACED
static uint32_t pajewrite__link_hash(const char *line)
{
    uint32_t hash = 0;
    size_t i, at, size;
    for (i = 0; i < 3; i++) {
        line = pajewrite__skip_words(line, pajewrite__link_words[i]);
        size = pajewrite__word_length(line);
        for (at = 0; at < size; at++)
            hash = (hash ^ (unsigned char)line[at]) * 16777619u; /* FNV-1 */
    }
    return hash ^ hash >> 16;
}

PAJEWRITE__UNTRACED
static int pajewrite__same_link(const char *a, const char *b)
{
    size_t i, size;
    for (i = 0; i < 3; i++) {
        a = pajewrite__skip_words(a, pajewrite__link_words[i]);
        b = pajewrite__skip_words(b, pajewrite__link_words[i]);
        size = pajewrite__word_length(a);
        if (size != pajewrite__word_length(b) || !pajewrite__equal_bytes(a, b, size))
            return 0;
    }
    return 1;
}

/* A hash table of ends of links whose other end has not been found: their lines.  Load factor at most 1/2. */
typedef struct pajewrite__ends {
    const char **halves;
    size_t mask, count;
} pajewrite__ends;

/* Finds the end, of this kind, of the link in `line`, or the free slot where it belongs. */
PAJEWRITE__UNTRACED
static const char **pajewrite__find_end(const pajewrite__ends *ends, pajewrite__dump_texts *texts, uint32_t kind,
                                        const char *line)
{
    size_t at = pajewrite__link_hash(line) & ends->mask;
    for (; ends->halves[at]; at = (at + 1) & ends->mask)
        if (pajewrite__kind_of(texts, ends->halves[at]) == kind && pajewrite__same_link(ends->halves[at], line))
            break;
    return ends->halves + at;
}

/* Removes an end, and shifts back entries that probed past it. */
PAJEWRITE__UNTRACED
static void pajewrite__remove_end(pajewrite__ends *ends, const char **place)
{
    size_t gap = (size_t)(place - ends->halves), at = gap;
    PAJEWRITE__ASSERT(*place && ends->count);
    while (at = (at + 1) & ends->mask, ends->halves[at]) {
        size_t home = pajewrite__link_hash(ends->halves[at]) & ends->mask;
        if (((at - home) & ends->mask) >= ((at - gap) & ends->mask)) {
            ends->halves[gap] = ends->halves[at];
            gap = at;
        }
    }
    ends->halves[gap] = NULL;
    ends->count--;
}

/* Removes from the table the ends whose other end is in the lines from a position on.  If `add` is 1, adds the ends
 * found there that have no match yet, and stops at the line where the table is full. */
PAJEWRITE__UNTRACED
static void pajewrite__match_ends(pajewrite__dump_texts *texts, pajewrite__ends *ends, int add,
                                  pajewrite__position *place)
{
    for (; place->text < texts->count && (add || ends->count); pajewrite__next_line(texts, place)) {
        const char *line = pajewrite__line_at(texts, place), **end;
        uint32_t kind = pajewrite__kind_of(texts, line);
        if (kind != PAJEWRITE_START_LINK && kind != PAJEWRITE_END_LINK)
            continue;
        end = pajewrite__find_end(ends, texts, PAJEWRITE_START_LINK + PAJEWRITE_END_LINK - kind, line);
        if (*end)
            pajewrite__remove_end(ends, end);
        else if (add && !*(end = pajewrite__find_end(ends, texts, kind, line))) {
            if (ends->count > ends->mask / 2)
                return;
            *end = line;
            ends->count++;
        }
    }
}

/* Writes a comment line, `# number text`, unless the number is 0. */
PAJEWRITE__UNTRACED
static pajewrite_status pajewrite__write_comment(uint64_t number, const char *text, pajewrite_sink sink,
                                                 void *sink_data)
{
    char line[96], *p;
    if (!number)
        return PAJEWRITE_OK;
    p = pajewrite__put_string(line, "# ");
    p = pajewrite__put_u64(p, number);
    p = pajewrite__put_string(p, text);
    return sink(sink_data, line, (size_t)(p - line));
}

/* Finds the texts, in order.  Returns 0 if the memory is damaged. */
PAJEWRITE__UNTRACED
static int pajewrite__find_texts(const char *memory, size_t size, pajewrite__dump_texts *texts,
                                 pajewrite__segment *oldest)
{
    pajewrite__recorder head;
    pajewrite__segment note;
    uint64_t newest = 0, number, number_after, count, i;
    const char *segments;
    memcpy(&head, memory, sizeof head);
    if (!pajewrite__equal_bytes(head.magic, pajewrite__magic, sizeof head.magic) || !head.segments ||
        head.segments > texts->room)
        return 0;
    i = pajewrite__flight_header_size((size_t)head.segments) + 1;
    size -= i < size ? (size_t)i : size;
    if (head.definitions_size > size || head.segment_size > (size - head.definitions_size) / head.segments)
        return 0;
    texts->text[0] = memory + pajewrite__flight_header_size((size_t)head.segments);
    texts->size[0] = pajewrite__text_size(texts->text[0], (size_t)head.definitions_size);
    texts->count = 1;
    segments = texts->text[0] + head.definitions_size;
    for (i = 0; i < head.segments; i++) {
        memcpy(&note, memory + pajewrite__flight_header_size((size_t)i), sizeof note);
        if (note.number && (note.number - 1) % head.segments != i)
            return 0;
        if (note.number > newest)
            newest = note.number;
    }
    PAJEWRITE__ACQUIRE();
    count = newest < head.segments ? newest : head.segments;
    for (number = newest - count + 1; count; number++, count--) {
        const char *text;
        size_t whole, skipped;
        i = (number - 1) % head.segments;
        memcpy(&note, memory + pajewrite__flight_header_size((size_t)i), sizeof note);
        if (note.number != number)
            continue;
        PAJEWRITE__ACQUIRE();
        memcpy(&note, memory + pajewrite__flight_header_size((size_t)i), sizeof note); /* the rest, after the number */
        text = segments + i * head.segment_size;
        whole = pajewrite__text_size(text, (size_t)head.segment_size);
        PAJEWRITE__ACQUIRE(); /* the writer takes the number away before it writes over the text */
        memcpy(&number_after, memory + pajewrite__flight_header_size((size_t)i), sizeof number_after);
        if (number_after != number)
            continue;
        if (texts->count == 1)
            *oldest = note;
        skipped = texts->count == 1 ? 0 : (size_t)note.events;
        if (note.events > whole)
            return 0;
        if (skipped < whole) {
            texts->text[texts->count] = text + skipped;
            texts->size[texts->count++] = whole - skipped;
        }
    }
    return newest > 0;
}

/* Copies the lines from one position to another, except the ends of links that are in the table, which it counts. */
PAJEWRITE__UNTRACED
static pajewrite_status pajewrite__copy_lines(pajewrite__dump_texts *texts, const pajewrite__ends *ends,
                                             pajewrite__position place, pajewrite__position to, uint64_t *left_out,
                                             pajewrite_sink sink, void *sink_data)
{
    pajewrite_status status = PAJEWRITE_OK;
    while (!status && pajewrite__is_before(&place, &to)) {
        const char *begin = pajewrite__line_at(texts, &place), *line = begin;
        const uint32_t text = place.text;
        uint64_t half = 0;
        while (!half && place.text == text && pajewrite__is_before(&place, &to)) {
            line = pajewrite__line_at(texts, &place);
            half = ends->count && *pajewrite__find_end(ends, texts, pajewrite__kind_of(texts, line), line);
            pajewrite__next_line(texts, &place);
            line = half ? line : pajewrite__after_line(line);
        }
        *left_out += half;
        if (begin < line)
            status = sink(sink_data, begin, (size_t)(line - begin));
    }
    return status;
}

/* The arguments of pajewrite_flight_dump. */
typedef struct pajewrite__dump {
    const char *memory;
    size_t size;
    int keep_halves;
    char *scratch;
    size_t scratch_size;
    pajewrite_sink sink;
    void *sink_data;
} pajewrite__dump;

PAJEWRITE__NOINLINE pajewrite_status pajewrite__dump_into(const pajewrite__dump *dump, const char **text,
                                                          size_t *text_size, uint32_t room)
{
    const char *few[32];
    pajewrite__ends ends = PAJEWRITE__ZERO;
    pajewrite__dump_texts texts = PAJEWRITE__ZERO;
    pajewrite__segment oldest = PAJEWRITE__ZERO, now = PAJEWRITE__ZERO;
    pajewrite_sink sink = dump->sink;
    void *sink_data = dump->sink_data;
    pajewrite_status status;
    pajewrite__position place = {1, 0};
    uint64_t left_out = 0;
    texts.text = text;
    texts.size = text_size;
    texts.room = room;
    if (!pajewrite__find_texts(dump->memory, dump->size, &texts, &oldest))
        return PAJEWRITE_E_RECORDER;
    pajewrite__note_link_variants(&texts);
    ends.halves = few;
    ends.mask = sizeof few / sizeof *few - 1;
    if (dump->scratch_size >= 2 * sizeof few) {
        size_t skipped = (0 - (size_t)(uintptr_t)dump->scratch) % sizeof *few;
        ends.halves = (const char **)(void *)(dump->scratch + skipped);
        while (2 * ends.mask + 1 < (dump->scratch_size - skipped) / sizeof *few)
            ends.mask += ends.mask + 1;
    }
    status = texts.size[0] ? sink(sink_data, texts.text[0], texts.size[0]) : PAJEWRITE_OK;
    if (!status)
        status = pajewrite__write_comment(oldest.before, " records before these were written over\n", sink, sink_data);
    while (!status && place.text < texts.count) {
        pajewrite__position all = {1, 0}, to = place;
        memset(ends.halves, 0, (ends.mask + 1) * sizeof *few);
        ends.count = 0;
        if (dump->keep_halves) {
            to.text = texts.count;
        } else {
            pajewrite__match_ends(&texts, &ends, 1, &to);
            pajewrite__match_ends(&texts, &ends, 0, &all);
        }
        status = pajewrite__copy_lines(&texts, &ends, place, to, &left_out, sink, sink_data);
        place = to;
    }
    if (!status)
        status = pajewrite__write_comment(left_out, " ends of links without the other end were left out\n", sink,
                                          sink_data);
    PAJEWRITE__ACQUIRE(); /* whether it is still what was read, after reading it */
    if (!status)
        pajewrite__find_texts(dump->memory, dump->size, &texts, &now);
    return status || now.number == oldest.number ? status : PAJEWRITE_E_OVERTAKEN;
}

/* The texts are on the stack, which may be that of a signal handler: 8 KB, of which the system and lazy binding take 6
 * where registers are wide.  So there is room for as many as this program's recorders have, if that suffices. */
PAJEWRITE__NOINLINE pajewrite_status pajewrite__dump_few(const pajewrite__dump *dump)
{
    const char *text[(PAJEWRITE_SEGMENTS) + 1];
    size_t size[(PAJEWRITE_SEGMENTS) + 1];
    return pajewrite__dump_into(dump, text, size, PAJEWRITE_SEGMENTS);
}

PAJEWRITE__NOINLINE pajewrite_status pajewrite__dump_many(const pajewrite__dump *dump)
{
    const char *text[PAJEWRITE__SEGMENTS_MAX + 1];
    size_t size[PAJEWRITE__SEGMENTS_MAX + 1];
    return pajewrite__dump_into(dump, text, size, PAJEWRITE__SEGMENTS_MAX);
}

PAJEWRITE__API pajewrite_status pajewrite_flight_dump(const void *memory, size_t size, int keep_halves, void *scratch,
                                                     size_t scratch_size, pajewrite_sink sink, void *sink_data)
{
    pajewrite__dump dump = PAJEWRITE__ZERO;
    pajewrite__recorder head;
    if (!memory || size < sizeof head)
        return PAJEWRITE_E_RECORDER;
    memcpy(&head, memory, sizeof head);
    dump.memory = (const char *)memory;
    dump.size = size;
    dump.keep_halves = keep_halves;
    dump.scratch = (char *)scratch;
    dump.scratch_size = scratch_size;
    dump.sink = sink;
    dump.sink_data = sink_data;
    return head.segments <= (PAJEWRITE_SEGMENTS) ? pajewrite__dump_few(&dump) : pajewrite__dump_many(&dump);
}
#endif

/* ---------------- src/pajewrite/follow/attach.h */

/* Attaching a sink to a running context (config.offer with config.definitions_size).
 *
 * Definitions, and lines that create containers, are written to a part of the buffer that keeps them, and copied from
 * there to the lines that are offered.  Each kept line has a byte in front: D for a definition, C for a creation. */

#if PAJEWRITE_TABLE
/* Whether another peer may come: the last one died, or did not take all that it had to know. */
PAJEWRITE__UNTRACED
static int pajewrite__may_attach(const pajewrite *w)
{
    return !w->stopped || w->stopped == PAJEWRITE_E_SINK || w->stopped == PAJEWRITE_E_SNAPSHOT;
}

/* Returns the entry of the container that a kept line creates; NULL: it is destroyed. */
PAJEWRITE__UNTRACED
static pajewrite_entry *pajewrite__kept_container(const pajewrite *w, const char *kept)
{
    const char *word = pajewrite__skip_words(kept, 2);
    pajewrite_entry *e;
    uint32_t alias = 0;
    for (; *word >= '0' && *word <= '9'; word++)
        alias = alias * 10 + (uint32_t)(*word - '0');
    e = pajewrite__find_container(w, alias);
    return pajewrite__is_alive(e) && e->number.integer == kept - w->kept ? e : NULL;
}

/* Removes the lines of containers that are destroyed. */
PAJEWRITE__UNTRACED
static void pajewrite__compact_kept(pajewrite *w)
{
    const char *kept = w->kept, *end = w->kept + w->kept_used;
    char *to = w->kept;
    while (kept < end) {
        const char *next = pajewrite__after_line(kept);
        pajewrite_entry *e = *kept == 'C' ? pajewrite__kept_container(w, kept) : NULL;
        if (*kept == 'D' || e) {
            if (e)
                e->number.integer = to - w->kept;
            memmove(to, kept, (size_t)(next - kept));
            to += next - kept;
        }
        kept = next;
    }
    w->kept_used = (size_t)(to - w->kept);
}

/* Copies a line to those that are offered.  Returns 0 if it is dropped. */
PAJEWRITE__UNTRACED
static int pajewrite__copy_kept(pajewrite *w, const char *line, uint64_t time)
{
    const size_t size = (size_t)(pajewrite__after_line(line) - line);
    if ((w->next >= w->limit || pajewrite__free_space(w) < size + 8) && pajewrite__make_room(w, size + 8, time) <= 0)
        return 0;
    pajewrite__commit(w, pajewrite__put_bytes(w->next + 1, line + 1, size - 2), *line);
    w->records++;
    return 1;
}

/* Writes a definition or a creation, and keeps it.  Returns 0 if it is refused or not among the lines that are
 * offered. */
PAJEWRITE__UNTRACED
static int pajewrite__write_kept(pajewrite *w, const pajewrite_event *event, const pajewrite_fields *fields)
{
    char *buffer = w->buffer, *next = w->next, *kept;
    const size_t size = w->size;
    const uint32_t blocked = w->blocked, stopped = w->stopped; /* a dead peer may be followed by another one */
    const uint64_t refused = w->refused, records = w->records;
    uint64_t time;
    int written = 0, tries;
    for (tries = 0; tries < 2 && !written && w->refused == refused; tries++) {
        if (tries)
            pajewrite__compact_kept(w);
        kept = w->kept + w->kept_used;
        w->buffer = w->kept;
        w->size = w->kept_size;
        w->blocked = w->stopped = 0;
        w->is_defining = 1;
        pajewrite__set_limit(w);
        if (w->kept_size - w->kept_used > PAJEWRITE__SLACK + 1) {
            pajewrite__set_next(w, kept + 1);
            written = pajewrite__write_line(w, event, fields) > 0;
        }
        if (written) {
            *kept = event->kind == PAJEWRITE_CREATE_CONTAINER ? 'C' : 'D';
            w->kept_used = (size_t)(w->next - w->kept);
        }
        w->buffer = buffer;
        w->next = next;
        w->size = size;
        w->blocked = blocked;
        w->stopped = stopped;
        w->is_defining = 0;
        pajewrite__set_limit(w);
    }
    w->records = records;
    if (w->refused != refused)
        return 0;
    if (written)
        w->kept_last = (size_t)(kept - w->kept);
    else
        w->kept_lost = 1;
    time = pajewrite__has_time(event->kind) ? event->time : w->second_start;
    if (pajewrite__depends_on_dropped(w, event)) { /* this peer does not know what it is in; the next one will */
        pajewrite__drop(w, time);
        return 0;
    }
    return written ? pajewrite__copy_kept(w, kept + 1, time) : pajewrite__write_line(w, event, fields);
}

/* Writes what a new peer has to know: definitions, containers, open states, variables.  What was dropped of these, or
 * was missing, is settled.  Links that are pending have begun elsewhere, so they are left out. */
PAJEWRITE__UNTRACED
static int pajewrite__write_snapshot(pajewrite *w)
{
    const char *kept;
    size_t i;
    w->has_gaps = 1; /* to this peer, of links */
    pajewrite__compact_kept(w);
    for (kept = w->kept; kept < w->kept + w->kept_used; kept = pajewrite__after_line(kept)) {
        if (pajewrite__copy_kept(w, kept + 1, w->config.origin) && !pajewrite__begins_record(kept + 1))
            w->records--; /* the lines of a definition are one record */
        if (w->blocked)
            return 0;
    }
    for (i = 0; i < w->config.table_entries; i++) {
        pajewrite_entry *e = &w->config.table[i];
        if (!e->tag)
            continue;
        e->flags &= (uint16_t)~(PAJEWRITE__DROPPED | PAJEWRITE__MISSING);
        if (e->tag == PAJEWRITE__PAIR_ENTRY)
            e->other = 0;
        if (pajewrite__is_link_entry(e) &&
            (e->flags & (PAJEWRITE__STARTED | PAJEWRITE__ENDED)) != (PAJEWRITE__STARTED | PAJEWRITE__ENDED))
            e->flags |= PAJEWRITE__DROPPED;
    }
    pajewrite__copy_open(w);
    return !w->blocked;
}
#endif

/* ---------------- src/pajewrite/follow/flush.h */

/* Flushing: what is in the buffer is delivered, and what a gap has left out is written. */

#if PAJEWRITE_TABLE
/* Whether one more line can be written; with a sink that does not wait, the buffer may be full. */
PAJEWRITE__UNTRACED
static int pajewrite__can_repair(pajewrite *w)
{
    return !w->config.offer || (!w->stopped && pajewrite__free_space(w) >= PAJEWRITE__EVENT_SIZE + 8);
}

/* Writes the missing lines of an entry.  Returns 0 if the buffer is full; the rest is still missing then. */
PAJEWRITE__UNTRACED
static int pajewrite__repair_entry(pajewrite *w, pajewrite_entry *e)
{
    pajewrite_event event = PAJEWRITE__ZERO;
    event.container.alias = e->container;
    event.type.alias = e->type;
    event.time = e->time;
    for (; e->tag == PAJEWRITE__PAIR_ENTRY && e->other; e->other--) {
        if (!pajewrite__can_repair(w))
            return 0;
        event.kind = PAJEWRITE_POP_STATE;
        pajewrite__write_line(w, &event, NULL);
    }
    if (!(e->flags & PAJEWRITE__MISSING))
        return 1;
    if (!pajewrite__can_repair(w))
        return 0;
    if (e->tag == PAJEWRITE__PAIR_ENTRY) {
        pajewrite__make_set_event(&event, e);
    } else if (e->tag == PAJEWRITE__CONTAINER_ENTRY) {
        event.kind = PAJEWRITE_DESTROY_CONTAINER;
        event.type.alias = e->value;
    } else {
        event.kind = e->flags & PAJEWRITE__ENDED_LAST ? PAJEWRITE_END_LINK : PAJEWRITE_START_LINK;
        event.value.alias = e->value;
        event.other.alias = e->other;
        event.key = e->key;
    }
    pajewrite__write_line(w, &event, NULL);
    e->flags &= (uint16_t)~PAJEWRITE__MISSING;
    return 1;
}

/* Returns the depth of a container: 1, and 1 for each container that it is in. */
PAJEWRITE__UNTRACED
static uint64_t pajewrite__depth(const pajewrite *w, const pajewrite_entry *e)
{
    uint64_t depth;
    for (depth = 0; e; depth++)
        e = pajewrite__parent_of(w, e);
    return depth;
}

/* Whether a has to be repaired before b: by time.  Containers that ended at one time, innermost first; links that were
 * complete at one time, those last that end before they start: for readers, they last until their start. */
PAJEWRITE__UNTRACED
static int pajewrite__is_due_before(const pajewrite *w, const pajewrite_entry *a, const pajewrite_entry *b)
{
    if (a->time != b->time)
        return a->time < b->time;
    if (a->tag != PAJEWRITE__CONTAINER_ENTRY)
        return (uint64_t)a->number.integer < (uint64_t)b->number.integer;
    return pajewrite__depth(w, a) > pajewrite__depth(w, b);
}

/* Merges two lists of entries, each in the order in which they are due.  A list is 1 + the slot of its first entry; 0:
 * it is empty. */
PAJEWRITE__UNTRACED
static uint32_t pajewrite__merge_missing(const pajewrite *w, uint32_t a, uint32_t b)
{
    pajewrite_entry *table = w->config.table;
    uint32_t first = 0, *end = &first;
    while (a && b) {
        uint32_t *from = pajewrite__is_due_before(w, &table[b - 1], &table[a - 1]) ? &b : &a;
        *end = *from;
        end = &table[*from - 1].next;
        *from = *end;
    }
    *end = a ? a : b;
    return first;
}

/* Makes a list of the entries with this tag of which a line is missing, which need their member `next` no more. */
PAJEWRITE__UNTRACED
static uint32_t pajewrite__sort_missing(const pajewrite *w, uint32_t tag)
{
    enum { PAJEWRITE__LISTS = 32 }; /* of 1, 2, 4 and so on entries; there are fewer than 2^32 */
    pajewrite_entry *table = w->config.table;
    uint32_t lists[PAJEWRITE__LISTS] = PAJEWRITE__ZERO, all = 0, at;
    size_t i;
    for (i = 0; i < w->config.table_entries; i++) {
        if (table[i].tag != tag || !(table[i].flags & PAJEWRITE__MISSING))
            continue;
        table[i].next = 0;
        all = (uint32_t)i + 1;
        for (at = 0; lists[at]; at++) {
            all = pajewrite__merge_missing(w, lists[at], all);
            lists[at] = 0;
        }
        lists[at] = all;
    }
    for (all = at = 0; at < PAJEWRITE__LISTS; at++)
        all = pajewrite__merge_missing(w, lists[at], all);
    return all;
}

/* Writes the missing lines of all entries with this tag, in order of time.  Returns 0 if the buffer is full. */
PAJEWRITE__UNTRACED
static int pajewrite__repair_all(pajewrite *w, uint32_t tag)
{
    uint32_t list = pajewrite__sort_missing(w, tag);
    int done = 1;
    while (list) {
        pajewrite_entry *e = &w->config.table[list - 1];
        list = e->next;
        e->next = 0;
        done = done && pajewrite__repair_entry(w, e);
    }
    return done;
}

/* Writes the lines that were dropped and that the trace needs: ends of links, pops, values of variables, ends of
 * containers.  Returns 0 if the buffer is full before all are written, which happens with config.offer only. */
PAJEWRITE__UNTRACED
static int pajewrite__repair(pajewrite *w)
{
    pajewrite_entry *table = w->config.table;
    const pajewrite_when_full when_full = w->config.when_full;
    size_t i;
    int done;
    if (!w->is_missing) /* the table, which may be large, need not be scanned */
        return 1;
    w->config.when_full = PAJEWRITE_FLUSH;
    done = pajewrite__repair_all(w, PAJEWRITE__LINK_ENTRY);
    for (i = 0; done && i < w->config.table_entries; i++)
        if (table[i].tag == PAJEWRITE__PAIR_ENTRY)
            done = pajewrite__repair_entry(w, &table[i]);
    done = done && pajewrite__repair_all(w, PAJEWRITE__CONTAINER_ENTRY);
    w->config.when_full = when_full;
    w->is_missing = !done;
    return done;
}
#endif

/* Offers the buffer, and ends a gap if half of the buffer is free then. */
PAJEWRITE__UNTRACED
static void pajewrite__flush_offer(pajewrite *w)
{
    int done;
    pajewrite__deliver(w);
    if ((!w->blocked && !w->gap_count) || w->stopped || !pajewrite__is_half_free(w))
        return;
    w->blocked = 0;
    pajewrite__set_limit(w);
    if (w->gap_count)
        pajewrite__write_gap(w);
    done = pajewrite__define_missing(w);
#if PAJEWRITE_TABLE
    done = done && (!w->following || pajewrite__repair(w));
#endif
    if (!done) {
        w->blocked = 1;
        pajewrite__set_limit(w);
    }
    pajewrite__deliver(w);
}

/* Offers the buffer for as long as some of it is taken: at the end, after which nothing is offered. */
PAJEWRITE__UNTRACED
static void pajewrite__offer_rest(pajewrite *w)
{
    size_t before;
    do {
        before = (size_t)(w->next - w->buffer);
        pajewrite__deliver(w);
    } while (!w->stopped && (size_t)(w->next - w->buffer) < before);
}

PAJEWRITE__UNTRACED
static void pajewrite__flush(pajewrite *w)
{
    if (w->config.offer) {
        pajewrite__flush_offer(w);
        return;
    }
    pajewrite__deliver(w);
    if (w->gap_count && !w->stopped && !w->flight && pajewrite__free_space(w) >= PAJEWRITE__GAP_SIZE)
        pajewrite__write_gap(w);
    if (w->undefined && !w->stopped && !w->flight) {
        const pajewrite_when_full when_full = w->config.when_full;
        w->config.when_full = PAJEWRITE_FLUSH;
        pajewrite__define_missing(w);
        w->config.when_full = when_full;
    }
#if PAJEWRITE_TABLE
    if (w->following && w->config.when_full == PAJEWRITE_DROP)
        pajewrite__repair(w);
#endif
    pajewrite__deliver(w);
}

/* As pajewrite__flush, at the end: again while lines that a gap has left, which may be more than the buffer, are
 * written. */
PAJEWRITE__UNTRACED
static void pajewrite__flush_all(pajewrite *w)
{
    uint64_t records;
    do {
        records = w->records;
        if (w->config.offer)
            pajewrite__offer_rest(w);
        pajewrite__flush(w);
    } while (w->config.offer && w->blocked && !w->stopped && w->records != records);
}

/* ---------------- src/pajewrite/follow/event.h */

/* An event: with a table it is checked, written and followed; without one it is written. */

/* Ends the gap of an offer, by a flush within the call, before anything of the event is written. */
PAJEWRITE__COLD void pajewrite__settle(pajewrite *w)
{
    w->settles = 0;
    pajewrite__flush(w);
}

#if PAJEWRITE_TABLE
/* Drops an event that depends on a line that was dropped, unless it is refused. */
PAJEWRITE__COLD void pajewrite__drop_dependent(pajewrite *w, const pajewrite_event *event,
                                               const pajewrite_fields *fields)
{
    pajewrite__text name = PAJEWRITE__ZERO;
    const uint64_t time = pajewrite__has_time(event->kind) ? event->time : w->second_start;
    if (!pajewrite__is_writable(w, event, fields, &name))
        return;
    pajewrite__drop(w, time);
    if (w->blocked && w->config.offer && !w->stopped)
        pajewrite__offer_again(w, time);
}

/* Checks, writes and follows an event, or only writes it if the table is full. */
PAJEWRITE__NOINLINE void pajewrite__write_followed(pajewrite *w, const pajewrite_event *event,
                                                   const pajewrite_fields *fields)
{
    uint64_t refused = w->refused;
    int keeps = w->kept && !w->kept_lost && pajewrite__may_attach(w) && event->kind <= PAJEWRITE_CREATE_CONTAINER;
    int written = 0, defines = w->flight && event->kind <= PAJEWRITE_DEFINE_VALUE;
    if (!pajewrite__table_reserve(w)) {
        pajewrite__stop_following(w);
        pajewrite__write_line(w, event, fields);
        return;
    }
#if PAJEWRITE_CHECK
    {
        pajewrite_status status = pajewrite__check(w, event);
        if (status) {
            pajewrite__refuse(w, status);
            return;
        }
    }
#endif
    if (defines)
        pajewrite__switch_area(w);
    if (w->has_gaps && !keeps && pajewrite__depends_on_dropped(w, event))
        pajewrite__drop_dependent(w, event, fields);
    else if (keeps)
        written = pajewrite__write_kept(w, event, fields);
    else
        written = pajewrite__write_retry(w, event, fields);
    if (defines)
        pajewrite__switch_area(w);
    w->has_gaps |= !written;
    w->is_missing |= !written;
    if (w->refused == refused)
        pajewrite__follow(w, event, written);
    if (keeps && w->refused == refused && event->kind == PAJEWRITE_CREATE_CONTAINER)
        pajewrite__find_container(w, event->container.alias)->number.integer = (int64_t)w->kept_last;
    if (w->flight && written && event->kind == PAJEWRITE_CREATE_CONTAINER)
        pajewrite__find_container(w, event->container.alias)->number.integer = pajewrite__flight_creation(w);
}

/* Writes an event whose variant was dropped, as one with the number that says so. */
PAJEWRITE__COLD void pajewrite__write_without(pajewrite *w, const pajewrite_event *event,
                                              const pajewrite_fields *fields)
{
    pajewrite_fields without = *fields;
    without.variant.number = 0;
    pajewrite__write_followed(w, event, &without);
}

/* Writes any event.  What is not common is in functions of its own, so that no registers are saved for it. */
PAJEWRITE__UNTRACED
static void pajewrite__write_event(pajewrite *w, const pajewrite_event *event, const pajewrite_fields *fields)
{
    if (PAJEWRITE__UNLIKELY(w->settles))
        pajewrite__settle(w);
    if (!w->following)
        pajewrite__write_line(w, event, fields);
    else if (PAJEWRITE__UNLIKELY(fields && pajewrite__is_variant_dropped(w, fields->variant.number)))
        pajewrite__write_without(w, event, fields);
    else
        pajewrite__write_followed(w, event, fields);
}

/* Whether a container, or one that it is in, is destroyed. */
PAJEWRITE__UNTRACED
static int pajewrite__has_ended(const pajewrite *w, uint32_t container)
{
    const pajewrite_entry *e = pajewrite__find_container(w, container);
    while (pajewrite__is_alive(e))
        e = pajewrite__parent_of(w, e);
    return e != NULL;
}

/* Ends what is within containers that another context has destroyed. */
PAJEWRITE__UNTRACED
static void pajewrite__end_learned(pajewrite *w)
{
    pajewrite_entry *table = w->config.table;
    size_t i;
    for (i = 0; i < w->config.table_entries; i++) {
        while ((table[i].tag == PAJEWRITE__PAIR_ENTRY || table[i].tag == PAJEWRITE__LEVEL_ENTRY) &&
               pajewrite__has_ended(w, table[i].container))
            pajewrite__erase(w, &table[i]);
        if (table[i].tag == PAJEWRITE__CONTAINER_ENTRY && pajewrite__has_ended(w, table[i].container))
            table[i].flags |= PAJEWRITE__DESTROYED;
    }
}

/* Learns an entry of another context. */
PAJEWRITE__UNTRACED
static void pajewrite__learn_entry(pajewrite *w, const pajewrite *from, const pajewrite_entry *e)
{
    pajewrite_entry *known = pajewrite__find(w, e->tag, e->container, e->type, e->key), *parent = NULL;
    uint32_t outer = e->other;
    if (known && e->tag == PAJEWRITE__CONTAINER_ENTRY) { /* `from` may know less of it */
        known->flags |= (uint16_t)(e->flags & PAJEWRITE__DESTROYED);
        return;
    }
    if (known && !(known->flags & PAJEWRITE__LEARNED)) /* the other context has learned it from this one */
        return;
    if (!known && w->entries >= pajewrite__most_entries(w))
        pajewrite__end_learned(w); /* before containers that are destroyed may be evicted */
    if (!known && !pajewrite__table_reserve(w)) {
        pajewrite__stop_following(w);
        return;
    }
    if (e->tag == PAJEWRITE__CONTAINER_ENTRY) {
        outer = pajewrite__outer_parent(w, e->container, e->other);
        parent = pajewrite__find_container(w, outer);
    }
    if (pajewrite__is_alive(parent))
        parent->time++;
    known = pajewrite__find_or_insert(w, e->tag, e->container, e->type, e->key);
    *known = *e;
    known->other = outer;
    known->flags = (uint16_t)((e->flags & ~PAJEWRITE__MISSING) | PAJEWRITE__LEARNED); /* `from` writes those */
    w->has_gaps |= e->flags & PAJEWRITE__DROPPED;
    if (e->tag == PAJEWRITE__CONTAINER_ENTRY && (from->flight || from->kept))
        known->number.integer = 0; /* not a time */
}

PAJEWRITE__API void pajewrite_learn(pajewrite *w, const pajewrite *from)
{
    size_t i;
    if (!pajewrite__enter(w))
        return;
    if (from->latest > w->latest)
        w->latest = from->latest;
    for (i = 0; w->following && from->following && i < from->config.table_entries; i++)
        if (from->config.table[i].tag && from->config.table[i].tag <= PAJEWRITE__CONTAINER_ENTRY)
            pajewrite__learn_entry(w, from, &from->config.table[i]);
    if (w->following)
        pajewrite__end_learned(w);
    pajewrite__end_call(w);
}

/* Follows a state in the common case: same stack as the last event, space in the buffer, no checking.  Returns 0 in all
 * other cases. */
PAJEWRITE__INLINE int pajewrite__follow_fast(pajewrite *w, pajewrite_kind kind, uint64_t time,
                                                pajewrite_container container, pajewrite_type type)
{
    pajewrite_entry *pair = w->last_pair; /* may be stale, so it is compared */
    if (PAJEWRITE_CHECK || w->config.when_full != PAJEWRITE_FLUSH || !pair || pair->tag != PAJEWRITE__PAIR_ENTRY ||
        pair->container != container.alias || pair->type != pajewrite__alias(type) || w->next >= w->limit ||
        time - w->second_start >= w->second_ticks)
        return 0;
    pair->time = time;
    if (time > w->latest)
        w->latest = time;
    pair->value = kind == PAJEWRITE_PUSH_STATE ? pair->value + 1 :
                  kind == PAJEWRITE_POP_STATE ? pair->value - (pair->value > 0) : kind == PAJEWRITE_SET_STATE;
    return 1;
}
#else
PAJEWRITE__UNTRACED
static void pajewrite__write_event(pajewrite *w, const pajewrite_event *event, const pajewrite_fields *fields)
{
    if (PAJEWRITE__UNLIKELY(w->settles))
        pajewrite__settle(w);
    pajewrite__write_line(w, event, fields);
}

#define pajewrite__follow_fast(w, kind, time, container, type) 0
#endif

/* ---------------- src/pajewrite/follow/finish.h */

/* What pajewrite_finish writes at the end of the trace. */

#if PAJEWRITE_TABLE
/* Closes what is open: states on containers of other contexts, then the containers of this one, children first. */
PAJEWRITE__UNTRACED
static void pajewrite__close_all(pajewrite *w)
{
    pajewrite_entry *table = w->config.table;
    pajewrite_event event = PAJEWRITE__ZERO;
    uint64_t deepest = 0;
    size_t i;
    event.time = w->latest > w->config.origin ? w->latest : w->config.origin;
    for (i = 0; i < w->config.table_entries; i++) {
        const pajewrite_entry *e = &table[i], *owner = pajewrite__find_container(w, e->container);
        if (e->tag == PAJEWRITE__PAIR_ENTRY && e->value && (!owner || owner->flags & PAJEWRITE__LEARNED)) {
            event.kind = PAJEWRITE_RESET_STATE;
            event.container.alias = e->container;
            event.type.alias = e->type;
            if (!pajewrite__depends_on_dropped(w, &event))
                pajewrite__write_retry(w, &event, NULL);
            table[i].value = 0;
        } else if (e->tag == PAJEWRITE__CONTAINER_ENTRY && pajewrite__is_alive(e)) {
            table[i].time = pajewrite__depth(w, e);
            if (table[i].time > deepest)
                deepest = table[i].time;
        }
    }
    event.kind = PAJEWRITE_DESTROY_CONTAINER;
    for (; deepest; deepest--)
        for (i = 0; i < w->config.table_entries; i++) {
            const pajewrite_entry *e = &table[i];
            if (e->tag == PAJEWRITE__CONTAINER_ENTRY && pajewrite__is_alive(e) && e->time == deepest &&
                !(e->flags & (PAJEWRITE__LEARNED | PAJEWRITE__DROPPED))) {
                event.container.alias = e->container;
                event.type.alias = e->value;
                pajewrite__write_retry(w, &event, NULL);
                table[i].flags |= PAJEWRITE__DESTROYED;
            }
        }
}
#endif

/* ---------------- src/pajewrite/calls/forms.h */

/* The two forms of each event: at the time of the clock, and _at a time. */

/* The categories that are enabled in all contexts. */
static uint32_t pajewrite__enabled_everywhere = UINT32_MAX;

PAJEWRITE__INLINE int pajewrite__is_enabled(const pajewrite *w, pajewrite_type type)
{
    uint32_t enabled = PAJEWRITE__LOAD_RELAXED(&w->enabled);
    PAJEWRITE__MASK_RELAXED(enabled, &pajewrite__enabled_everywhere);
    return PAJEWRITE__LIKELY(enabled >> (type.alias >> 27) & 1) != 0;
}

/* Refuses an event of a kind that PAJEWRITE_KINDS leaves out: readers could not tell what its line is. */
PAJEWRITE__COLD void pajewrite__refuse_kind(pajewrite *w)
{
    if (!pajewrite__enter(w))
        return;
    pajewrite__refuse(w, PAJEWRITE_E_KIND);
    pajewrite__end_call(w);
}

/* Calls a function that writes an event of a kind, which is a constant. */
#define PAJEWRITE__CALL_IF_PRESENT(w, kind, call) \
    do { \
        if (PAJEWRITE__PRESENT >> (kind) & 1) \
            call; \
        else \
            pajewrite__refuse_kind(w); \
    } while (0)

/* Defines the public functions NAME and NAME_at, of a function that reads the clock if `now` is 1. */
#define PAJEWRITE__LIST(...) __VA_ARGS__
#define PAJEWRITE__FORMS(name, parameters, function, kind, ...) \
    PAJEWRITE_API void pajewrite_##name(pajewrite *w, PAJEWRITE__LIST parameters) \
    { \
        if (pajewrite__is_enabled(w, type)) \
            PAJEWRITE__CALL_IF_PRESENT(w, kind, function(w, kind, 1, 0, __VA_ARGS__)); \
    } \
    PAJEWRITE_API void pajewrite_##name##_at(pajewrite *w, uint64_t time, PAJEWRITE__LIST parameters) \
    { \
        if (pajewrite__is_enabled(w, type)) \
            PAJEWRITE__CALL_IF_PRESENT(w, kind, function(w, kind, 0, time, __VA_ARGS__)); \
    }

/* ---------------- src/pajewrite/calls/any.h */

/* Events by the slow path: definitions, containers, any event with user fields. */

PAJEWRITE__COLD void pajewrite__write_number(pajewrite *w, pajewrite_kind kind, uint64_t time,
                                           pajewrite_container container, pajewrite_type type, int64_t number)
{
    pajewrite_event event = PAJEWRITE__ZERO;
    event.kind = kind;
    event.time = time;
    event.container = container;
    event.type = type;
    event.integer = number;
    pajewrite__write_event(w, &event, NULL);
}

/* Writes a container, whose parent is `other`; a state, event or link; or a trace file. */
PAJEWRITE__COLD void pajewrite__write_entity(pajewrite *w, pajewrite_kind kind, uint64_t time,
                                           pajewrite_container container, pajewrite_type type, pajewrite_value value,
                                           pajewrite_container other, uint64_t key, const char *name)
{
    pajewrite_event event = PAJEWRITE__ZERO;
    event.kind = kind;
    event.time = time;
    event.container = container;
    event.type = type;
    event.value = value;
    event.other = other;
    event.key = key;
    event.name = name;
    pajewrite__write_event(w, &event, NULL);
}

/* Returns the time of an event: that of the clock, or the one given. */
PAJEWRITE__INLINE uint64_t pajewrite__time(const pajewrite *w, int now, uint64_t time)
{
    return now ? w->clock(w->clock_data) : time;
}

/* Begins an event if w->mode is not 0.  Returns 0 if it is dropped because another call is under way. */
PAJEWRITE__INLINE int pajewrite__begin_slow(pajewrite *w)
{
    if (PAJEWRITE__LIKELY(!pajewrite__is_busy(w))) {
        pajewrite__begin_call(w);
        return 1;
    }
    pajewrite__drop_reentered(w);
    return 0;
}

/* Events by the slow path. */
PAJEWRITE__COLD void pajewrite__slow_number(pajewrite *w, pajewrite_kind kind, int now, uint64_t time,
                                            pajewrite_container container, pajewrite_type type, int64_t number)
{
    if (!pajewrite__begin_slow(w))
        return;
    pajewrite__write_number(w, kind, pajewrite__time(w, now, time), container, type, number);
    pajewrite__end_call(w);
}

PAJEWRITE__COLD void pajewrite__slow_entity(pajewrite *w, pajewrite_kind kind, int now, uint64_t time,
                                            pajewrite_container container, pajewrite_type type, pajewrite_value value,
                                            pajewrite_container other, uint64_t key, const char *name)
{
    if (!pajewrite__begin_slow(w))
        return;
    pajewrite__write_entity(w, kind, pajewrite__time(w, now, time), container, type, value, other, key, name);
    pajewrite__end_call(w);
}

/* Writes any event, within a call. */
PAJEWRITE__UNTRACED
static void pajewrite__write_any(pajewrite *w, const pajewrite_event *event, const pajewrite_fields *fields)
{
    pajewrite_event now;
    if (!event || !pajewrite__is_kind((uint32_t)event->kind)) {
        pajewrite__refuse(w, PAJEWRITE_E_KIND);
        return;
    }
    if (pajewrite__is_switchable(event->kind) && !pajewrite__is_enabled(w, event->type))
        return;
    if (pajewrite__has_time(event->kind) && event->time == PAJEWRITE_TIME_NOW) {
        now = *event;
        now.time = w->clock(w->clock_data);
        event = &now;
    }
    pajewrite__write_event(w, event, fields);
}

/* Begins a call that writes any event.  Returns 0 if it must do nothing. */
PAJEWRITE__UNTRACED
static int pajewrite__begin_any(pajewrite *w, const pajewrite_event *event)
{
    if (event && pajewrite__is_kind((uint32_t)event->kind) && pajewrite__is_switchable(event->kind))
        return pajewrite__is_enabled(w, event->type) && pajewrite__begin_slow(w);
    return pajewrite__enter(w);
}

PAJEWRITE__API void pajewrite_write(pajewrite *w, const pajewrite_event *event, const pajewrite_fields *fields)
{
    if (!pajewrite__begin_any(w, event))
        return;
    pajewrite__write_any(w, event, fields);
    pajewrite__end_call(w);
}

/* Writes a definition, of a kind that PAJEWRITE_KINDS may leave out. */
PAJEWRITE__UNTRACED
static void pajewrite__enter_definition(pajewrite *w, const pajewrite_event *event)
{
    if (!pajewrite__enter(w))
        return;
    if (pajewrite__is_kind((uint32_t)event->kind))
        pajewrite__write_event(w, event, NULL);
    else
        pajewrite__refuse(w, PAJEWRITE_E_KIND);
    pajewrite__end_call(w);
}

PAJEWRITE__UNTRACED
static void pajewrite__define(pajewrite *w, pajewrite_kind kind, pajewrite_type type, pajewrite_type of,
                              pajewrite_value value, const char *name, const char *color)
{
    pajewrite_event event = PAJEWRITE__ZERO;
    event.kind = kind;
    event.type = type;
    event.of = of;
    event.value = value;
    event.name = name;
    event.color = color;
    pajewrite__enter_definition(w, &event);
}

PAJEWRITE__API void pajewrite_define_container_type(pajewrite *w, pajewrite_type type, pajewrite_type parent,
                                                   const char *name)
{
    pajewrite__define(w, PAJEWRITE_DEFINE_CONTAINER_TYPE, type, parent, PAJEWRITE_VALUE(0), name, NULL);
}

PAJEWRITE__API void pajewrite_define_state_type(pajewrite *w, pajewrite_type type, pajewrite_type of, const char *name)
{
    pajewrite__define(w, PAJEWRITE_DEFINE_STATE_TYPE, type, of, PAJEWRITE_VALUE(0), name, NULL);
}

PAJEWRITE__API void pajewrite_define_event_type(pajewrite *w, pajewrite_type type, pajewrite_type of, const char *name)
{
    pajewrite__define(w, PAJEWRITE_DEFINE_EVENT_TYPE, type, of, PAJEWRITE_VALUE(0), name, NULL);
}

PAJEWRITE__API void pajewrite_define_variable_type(pajewrite *w, pajewrite_type type, pajewrite_type of,
                                                  const char *name, const char *color)
{
    pajewrite__define(w, PAJEWRITE_DEFINE_VARIABLE_TYPE, type, of, PAJEWRITE_VALUE(0), name, color);
}

PAJEWRITE__API void pajewrite_define_value(pajewrite *w, pajewrite_value value, pajewrite_type type, const char *name,
                                          const char *color)
{
    pajewrite__define(w, PAJEWRITE_DEFINE_VALUE, type, PAJEWRITE_ROOT_TYPE, value, name, color);
}

PAJEWRITE__API void pajewrite_define_link_type(pajewrite *w, pajewrite_type type, pajewrite_type of,
                                              pajewrite_type start, pajewrite_type end, const char *name)
{
    pajewrite_event event = PAJEWRITE__ZERO;
    event.kind = PAJEWRITE_DEFINE_LINK_TYPE;
    event.type = type;
    event.of = of;
    event.start_type = start;
    event.end_type = end;
    event.name = name;
    pajewrite__enter_definition(w, &event);
}

/* Writes what is no switchable event: containers and trace files. */
PAJEWRITE__UNTRACED
static void pajewrite__enter_entity(pajewrite *w, pajewrite_kind kind, int now, uint64_t time,
                                    pajewrite_container container, pajewrite_type type, pajewrite_container parent,
                                    const char *name)
{
    if (!pajewrite__enter(w))
        return;
    pajewrite__write_entity(w, kind, pajewrite__time(w, now, time), container, type, PAJEWRITE_VALUE(0), parent, 0,
                            name);
    pajewrite__end_call(w);
}

PAJEWRITE__API void pajewrite_create_container_at(pajewrite *w, uint64_t time, pajewrite_container container,
                                                 pajewrite_type type, pajewrite_container parent, const char *name)
{
    pajewrite__enter_entity(w, PAJEWRITE_CREATE_CONTAINER, 0, time, container, type, parent, name);
}

PAJEWRITE__API void pajewrite_create_container(pajewrite *w, pajewrite_container container, pajewrite_type type,
                                              pajewrite_container parent, const char *name)
{
    pajewrite__enter_entity(w, PAJEWRITE_CREATE_CONTAINER, 1, 0, container, type, parent, name);
}

PAJEWRITE__API void pajewrite_destroy_container_at(pajewrite *w, uint64_t time, pajewrite_container container,
                                                  pajewrite_type type)
{
    pajewrite__enter_entity(w, PAJEWRITE_DESTROY_CONTAINER, 0, time, container, type, PAJEWRITE_ROOT, NULL);
}

PAJEWRITE__API void pajewrite_destroy_container(pajewrite *w, pajewrite_container container, pajewrite_type type)
{
    pajewrite__enter_entity(w, PAJEWRITE_DESTROY_CONTAINER, 1, 0, container, type, PAJEWRITE_ROOT, NULL);
}

#if PAJEWRITE__HAS_FILES
PAJEWRITE__API void pajewrite_trace_file(pajewrite *w, pajewrite_container container, pajewrite_type type,
                                        const char *filename)
{
    pajewrite__enter_entity(w, PAJEWRITE_TRACE_FILE, 0, 0, container, type, PAJEWRITE_ROOT, filename);
}
#endif

#if PAJEWRITE_DOUBLE
PAJEWRITE__UNTRACED
static void pajewrite__write_double(pajewrite *w, pajewrite_kind kind, uint64_t time, pajewrite_container container,
                                    pajewrite_type type, double number)
{
    pajewrite_event event = PAJEWRITE__ZERO;
    event.kind = kind;
    event.time = time;
    event.container = container;
    event.type = type;
    event.real = number;
    event.is_real = 1;
    pajewrite__write_event(w, &event, NULL);
}

PAJEWRITE__UNTRACED
static void pajewrite__slow_double(pajewrite *w, pajewrite_kind kind, int now, uint64_t time,
                                   pajewrite_container container, pajewrite_type type, double number)
{
    if (!pajewrite__begin_slow(w))
        return;
    pajewrite__write_double(w, kind, pajewrite__time(w, now, time), container, type, number);
    pajewrite__end_call(w);
}
#define PAJEWRITE__DOUBLE_EVENT(name, kind) \
    PAJEWRITE__FORMS(name, (pajewrite_container container, pajewrite_type type, double number), \
                     pajewrite__slow_double, kind, container, type, number)
PAJEWRITE__DOUBLE_EVENT(set_variable_double, PAJEWRITE_SET_VARIABLE)
PAJEWRITE__DOUBLE_EVENT(add_variable_double, PAJEWRITE_ADD_VARIABLE)
PAJEWRITE__DOUBLE_EVENT(sub_variable_double, PAJEWRITE_SUB_VARIABLE)

#endif

/* ---------------- src/pajewrite/calls/fast.h */

/* Events of numbers only: the fast path. */

/* A time as ticks since w->second_start; the value stands for an event that is dropped or refused. */
#define PAJEWRITE__NO_TICKS UINT64_MAX

/* Begins the second of an event.  The ticks are passed, not the time, so that no register has to keep the time.
 * Returns the ticks in the new second. */
PAJEWRITE__COLD uint64_t pajewrite__next_second(pajewrite *w, uint64_t ticks)
{
    const uint64_t time = w->second_start + ticks;
    return pajewrite__new_second(w, time) ? time - w->second_start : PAJEWRITE__NO_TICKS;
}

PAJEWRITE__COLD uint64_t pajewrite__make_event_room(pajewrite *w, uint64_t ticks)
{
    if (w->settles)
        pajewrite__settle(w);
    return pajewrite__make_room(w, PAJEWRITE__EVENT_SIZE, w->second_start + ticks) > 0 ? ticks : PAJEWRITE__NO_TICKS;
}

/* Makes sure that the line of an event can be put at w->next.  Returns its ticks. */
PAJEWRITE__INLINE uint64_t pajewrite__reserve_event(pajewrite *w, uint64_t time)
{
    uint64_t ticks = time - w->second_start;
    if (PAJEWRITE__UNLIKELY(ticks >= w->second_ticks)) {
        ticks = pajewrite__next_second(w, ticks);
        if (ticks == PAJEWRITE__NO_TICKS)
            return ticks;
    }
    if (PAJEWRITE__UNLIKELY(w->next >= w->limit))
        ticks = pajewrite__make_event_room(w, ticks);
    return ticks;
}

/* Begins a line with its number (except the first digit, which the commit stores), time, container and type. */
PAJEWRITE__INLINE char *pajewrite__begin_event(pajewrite *w, pajewrite_kind kind, uint64_t ticks,
                                               pajewrite_container container, pajewrite_type type)
{
    char *p = w->next;
    p[1] = (char)('0' + (uint32_t)kind % 10);
    p[2] = ' ';
    p = pajewrite__put_ticks(w, p + 3, ticks);
    *p = ' ';
    p = pajewrite__put_u32(p + 1, container.alias);
    *p = ' ';
    return pajewrite__put_u32(p + 1, pajewrite__alias(type));
}

PAJEWRITE__INLINE void pajewrite__end_event(pajewrite *w, char *p, pajewrite_kind kind)
{
    PAJEWRITE__ASSERT(p - w->next < PAJEWRITE__EVENT_SIZE);
    w->records++;
    pajewrite__commit(w, p, (char)('0' + (uint32_t)kind / 10));
}

PAJEWRITE__INLINE void pajewrite__fast_state(pajewrite *w, pajewrite_kind kind, int now, uint64_t time,
                                             pajewrite_container container, pajewrite_type type,
                                             pajewrite_value value)
{
    uint64_t ticks;
    if (PAJEWRITE__UNLIKELY(PAJEWRITE__LOAD(uint32_t, w->mode))) {
        if (!pajewrite__begin_slow(w))
            return;
        time = pajewrite__time(w, now, time);
        if (!PAJEWRITE_TABLE || !pajewrite__follow_fast(w, kind, time, container, type)) {
            pajewrite__write_entity(w, kind, time, container, type, value, PAJEWRITE_ROOT, 0, NULL);
            pajewrite__end_call(w);
            return;
        }
        ticks = time - w->second_start; /* less than a second, and there is room */
    } else {
        pajewrite__begin_call(w);
        ticks = pajewrite__reserve_event(w, pajewrite__time(w, now, time));
    }
    if (PAJEWRITE__LIKELY(ticks != PAJEWRITE__NO_TICKS)) {
        char *p = pajewrite__begin_event(w, kind, ticks, container, type);
        if (kind != PAJEWRITE_POP_STATE && kind != PAJEWRITE_RESET_STATE) {
            *p = ' ';
            p = pajewrite__put_u32(p + 1, value.alias);
        }
        pajewrite__end_event(w, p, kind);
    }
    pajewrite__end_call(w);
}

PAJEWRITE__INLINE void pajewrite__fast_variable(pajewrite *w, pajewrite_kind kind, int now, uint64_t time,
                                                pajewrite_container container, pajewrite_type type, int64_t number)
{
    uint64_t ticks;
    if (PAJEWRITE__UNLIKELY(PAJEWRITE__LOAD(uint32_t, w->mode))) {
        pajewrite__slow_number(w, kind, now, time, container, type, number);
        return;
    }
    pajewrite__begin_call(w);
    ticks = pajewrite__reserve_event(w, pajewrite__time(w, now, time));
    if (PAJEWRITE__LIKELY(ticks != PAJEWRITE__NO_TICKS)) {
        char *p = pajewrite__begin_event(w, kind, ticks, container, type);
        *p = ' ';
        pajewrite__end_event(w, pajewrite__put_i64(p + 1, number), kind);
    }
    pajewrite__end_call(w);
}

PAJEWRITE__INLINE void pajewrite__fast_link(pajewrite *w, pajewrite_kind kind, int now, uint64_t time,
                                            pajewrite_container container, pajewrite_type type,
                                            pajewrite_value value, pajewrite_container other, uint64_t key)
{
    uint64_t ticks;
    if (PAJEWRITE__UNLIKELY(PAJEWRITE__LOAD(uint32_t, w->mode))) {
        pajewrite__slow_entity(w, kind, now, time, container, type, value, other, key, NULL);
        return;
    }
    pajewrite__begin_call(w);
    ticks = pajewrite__reserve_event(w, pajewrite__time(w, now, time));
    if (PAJEWRITE__LIKELY(ticks != PAJEWRITE__NO_TICKS)) {
        char *p = pajewrite__begin_event(w, kind, ticks, container, type);
        *p = ' ';
        p = pajewrite__put_u32(p + 1, value.alias);
        *p = ' ';
        p = pajewrite__put_u32(p + 1, other.alias);
        *p = ' ';
        pajewrite__end_event(w, pajewrite__put_u64(p + 1, key), kind);
    }
    pajewrite__end_call(w);
}

/* Writes a state or an event, or sets a variable, within a call. */
PAJEWRITE__INLINE void pajewrite__put_event(pajewrite *w, pajewrite_kind kind, uint64_t time,
                                            pajewrite_container container, pajewrite_type type, int64_t number)
{
    uint64_t ticks;
    char *p;
    if (w->following && kind == PAJEWRITE_SET_VARIABLE) {
        pajewrite__write_number(w, kind, time, container, type, number);
        return;
    }
    if (w->following && !pajewrite__follow_fast(w, kind, time, container, type)) {
        pajewrite__write_entity(w, kind, time, container, type, PAJEWRITE_VALUE(number), PAJEWRITE_ROOT, 0, NULL);
        return;
    }
    ticks = pajewrite__reserve_event(w, time);
    if (ticks == PAJEWRITE__NO_TICKS)
        return;
    p = pajewrite__begin_event(w, kind, ticks, container, type);
    if (kind == PAJEWRITE_SET_VARIABLE) {
        *p = ' ';
        p = pajewrite__put_i64(p + 1, number);
    } else if (kind != PAJEWRITE_POP_STATE && kind != PAJEWRITE_RESET_STATE) {
        *p = ' ';
        p = pajewrite__put_u32(p + 1, (uint32_t)number);
    }
    pajewrite__end_event(w, p, kind);
}

#define PAJEWRITE__STATE_EVENT(name, kind) \
    PAJEWRITE__FORMS(name, (pajewrite_container container, pajewrite_type type, pajewrite_value value), \
                     pajewrite__fast_state, kind, container, type, value)
#define PAJEWRITE__END_EVENT(name, kind) \
    PAJEWRITE__FORMS(name, (pajewrite_container container, pajewrite_type type), \
                     pajewrite__fast_state, kind, container, type, PAJEWRITE_VALUE(0))
#define PAJEWRITE__NUMBER_EVENT(name, kind) \
    PAJEWRITE__FORMS(name, (pajewrite_container container, pajewrite_type type, int64_t number), \
                     pajewrite__fast_variable, kind, container, type, number)
#define PAJEWRITE__LINK_EVENT(name, kind) \
    PAJEWRITE__FORMS(name, (pajewrite_container container, pajewrite_type type, pajewrite_value value, \
                            pajewrite_container end, uint64_t key), \
                     pajewrite__fast_link, kind, container, type, value, end, key) \
    PAJEWRITE__FORMS(name##_named, (pajewrite_container container, pajewrite_type type, pajewrite_value value, \
                                    pajewrite_container end, const char *key), \
                     pajewrite__slow_entity, kind, container, type, value, end, 0, key ? key : "")

PAJEWRITE__STATE_EVENT(set_state, PAJEWRITE_SET_STATE)
PAJEWRITE__STATE_EVENT(push_state, PAJEWRITE_PUSH_STATE)
PAJEWRITE__END_EVENT(pop_state, PAJEWRITE_POP_STATE)
PAJEWRITE__END_EVENT(reset_state, PAJEWRITE_RESET_STATE)
PAJEWRITE__STATE_EVENT(new_event, PAJEWRITE_NEW_EVENT)
PAJEWRITE__NUMBER_EVENT(set_variable, PAJEWRITE_SET_VARIABLE)
PAJEWRITE__NUMBER_EVENT(add_variable, PAJEWRITE_ADD_VARIABLE)
PAJEWRITE__NUMBER_EVENT(sub_variable, PAJEWRITE_SUB_VARIABLE)
PAJEWRITE__LINK_EVENT(start_link, PAJEWRITE_START_LINK)
PAJEWRITE__LINK_EVENT(end_link, PAJEWRITE_END_LINK)

PAJEWRITE__API pajewrite_entered pajewrite_enter(pajewrite *w, pajewrite_container container, pajewrite_type type,
                                                pajewrite_value value)
{
    pajewrite_entered entered;
    entered.w = PAJEWRITE__HAS_STATES && pajewrite__is_enabled(w, type) ? w : NULL;
    entered.container = container;
    entered.type = type;
    if (entered.w)
        pajewrite__fast_state(w, PAJEWRITE_PUSH_STATE, 1, 0, container, type, value);
    else if (!PAJEWRITE__HAS_STATES)
        pajewrite__refuse_kind(w);
    return entered;
}

PAJEWRITE__API void pajewrite_leave(const pajewrite_entered *entered)
{
    if (entered->w)
        pajewrite__fast_state(entered->w, PAJEWRITE_POP_STATE, 1, 0, entered->container, entered->type,
                              PAJEWRITE_VALUE(0));
}

/* ---------------- src/pajewrite/calls/aliases.h */

/* Aliases and numbers of variants, as a context hands them out. */

/* What is counted: each by itself, unless config.aliases counts all. */
enum { PAJEWRITE__TYPES, PAJEWRITE__CONTAINERS, PAJEWRITE__VALUES, PAJEWRITE__VARIANTS };

/* The number of a variant is its alias and this, above the numbers of all events of the header. */
#define PAJEWRITE__BEFORE_VARIANTS 39u

/* Returns the alias that is next, unless another context is faster; 0: none is left. */
PAJEWRITE__UNTRACED
static uint32_t pajewrite__peek_alias(const pajewrite *w, int which)
{
    return w->config.aliases ? PAJEWRITE__LOAD(uint32_t, *w->config.aliases) + 1 : w->alias_next[which];
}

/* Takes an alias, within a call.  Returns 0, and refuses the call, if none up to `max` is left. */
PAJEWRITE__UNTRACED
static uint32_t pajewrite__take_alias(pajewrite *w, int which, uint32_t max)
{
    uint32_t alias = pajewrite__peek_alias(w, which), before = alias - 1;
    while (alias && alias <= max && w->config.aliases &&
           !PAJEWRITE__SWAP_IF(uint32_t, *w->config.aliases, &before, alias))
        alias = before + 1;
    if (!alias || alias > max) {
        pajewrite__refuse(w, PAJEWRITE_E_ALIASES);
        return 0;
    }
    if (!w->config.aliases)
        w->alias_next[which] = w->config.alias_step > max - alias ? 0 : alias + w->config.alias_step;
    return alias;
}

/* Takes the number of a variant; 0: none is left. */
PAJEWRITE__UNTRACED
static uint32_t pajewrite__take_variant(pajewrite *w)
{
    const uint32_t alias = pajewrite__take_alias(w, PAJEWRITE__VARIANTS, UINT32_MAX - PAJEWRITE__BEFORE_VARIANTS);
    return alias ? PAJEWRITE__BEFORE_VARIANTS + alias : 0;
}

/* Leaves out the numbers of variants up to one that a table of definitions has. */
PAJEWRITE__UNTRACED
static void pajewrite__pass_variant(pajewrite *w, uint32_t number)
{
    const uint32_t most = UINT32_MAX - PAJEWRITE__BEFORE_VARIANTS; /* none is handed out beyond */
    uint32_t next;
    while ((next = pajewrite__peek_alias(w, PAJEWRITE__VARIANTS)) != 0 && next <= most &&
           PAJEWRITE__BEFORE_VARIANTS + next <= number)
        pajewrite__take_variant(w);
}

/* ---------------- src/pajewrite/calls/fields.h */

/* The header, and user fields. */

PAJEWRITE__UNTRACED
static void pajewrite__write_header(pajewrite *w)
{
    uint32_t kind;
    for (kind = PAJEWRITE__BEFORE_KINDS + 1; kind < PAJEWRITE__AFTER_KINDS; kind++)
        if (pajewrite__is_kind(kind) && !pajewrite__write_definition(w, (pajewrite_kind)kind, kind, "", 0))
            w->undefined |= UINT32_C(1) << kind;
}

PAJEWRITE__API void pajewrite_header(pajewrite *w)
{
    if (!pajewrite__enter(w))
        return;
    pajewrite__write_header(w);
    pajewrite__end_call(w);
}

/* Whether a user field must not have this name: it is that of a standard field of the kind, of a field in the lines
 * [line, end), or of a standard field in the oldest versions of the format. */
PAJEWRITE__UNTRACED
static int pajewrite__is_name_taken(pajewrite_kind kind, const char *line, const char *end, const char *name,
                                    size_t size)
{
    size_t i;
    for (i = 0; i < sizeof pajewrite__fields / sizeof *pajewrite__fields; i++) {
        const pajewrite__field *field = &pajewrite__fields[i];
        const char *letters = pajewrite__field_letters(kind);
        while (*letters && *letters != field->letter)
            letters++;
        if ((*letters && pajewrite__word_is(field->name, name, size)) ||
            (field->old && pajewrite__word_is(field->old, name, size)))
            return 1;
    }
    for (; line < end; line = pajewrite__after_line(line))
        if (pajewrite__word_is(line + 2, name, size)) /* behind "% " */
            return 1;
    return 0;
}

PAJEWRITE__UNTRACED
static int pajewrite__is_field_type(const char *text, size_t size)
{
    static const char *const types[] = {"int", "hex", "double", "float", "date", "color", "string"};
    size_t i = 0;
    while (i < sizeof types / sizeof *types && !pajewrite__word_is(types[i], text, size))
        i++;
    return i < sizeof types / sizeof *types;
}

enum { PAJEWRITE__WORDS_MAX = 20 }; /* of a line, that pj_dump reads: the number of the event and its fields */

/* Returns how many fields the header defines for events of this kind. */
PAJEWRITE__UNTRACED
static uint32_t pajewrite__standard_fields(pajewrite_kind kind)
{
    uint32_t count = 0;
    while (pajewrite__field_letters(kind)[count])
        count++;
    return count;
}

/* Refuses the definition of a user field because of its name, which pajewrite_problem then returns, too. */
PAJEWRITE__UNTRACED
static void pajewrite__refuse_field(pajewrite *w, const char *name, size_t size)
{
    static const char text[] = "a user field has a name that the event has already or that the format reserves: ";
    const size_t most = sizeof w->problem - sizeof text;
    if (!w->status) {
        char *p = pajewrite__put_string(w->problem, text);
        *pajewrite__put_bytes(p, name, size < most ? size : most) = 0;
    }
    pajewrite__refuse(w, PAJEWRITE_E_FIELD_NAME);
}

PAJEWRITE__UNTRACED
static pajewrite_variant pajewrite__write_variant(pajewrite *w, pajewrite_kind kind, const char *fields)
{
    pajewrite_variant variant = PAJEWRITE__ZERO;
    char text[PAJEWRITE_FIELDS_SIZE + 64], *p = text;
    const uint64_t refused = w->refused;
    uint32_t count = 0, number;
    if (!pajewrite__is_kind((uint32_t)kind) || !fields)
        goto malformed;
    for (; *fields; count++) {
        size_t name, type;
        while (*fields == ' ')
            fields++;
        name = pajewrite__word_size(fields);
        type = name && fields[name] == ' ' ? pajewrite__word_size(fields + name + 1) : 0;
        if (!type || !pajewrite__is_field_type(fields + name + 1, type) ||
            (size_t)(p - text) + name + type > sizeof text - 8)
            goto malformed;
        if (pajewrite__is_name_taken(kind, text, p, fields, name)) {
            pajewrite__refuse_field(w, fields, name);
            return variant;
        }
        p = pajewrite__put_string(p, "% ");
        p = pajewrite__put_bytes(p, fields, name + 1 + type);
        *p++ = '\n';
        fields += name + 1 + type;
        if (*fields == ',' && fields[1])
            fields++;
        else if (*fields)
            goto malformed;
    }
    if (pajewrite__standard_fields(kind) + count >= PAJEWRITE__WORDS_MAX)
        goto malformed;
    number = pajewrite__take_variant(w);
    if (number && pajewrite__write_definition(w, kind, number, text, (size_t)(p - text)))
        variant.number = number;
    if (w->refused == refused) { /* else its events are refused, too */
        variant.kind = kind;
        variant.fields = count;
    }
    return variant;
malformed:
    pajewrite__refuse(w, PAJEWRITE_E_VARIANT);
    return variant;
}

PAJEWRITE__API pajewrite_variant pajewrite_define_variant(pajewrite *w, pajewrite_kind kind, const char *fields)
{
    pajewrite_variant variant = PAJEWRITE__ZERO;
    if (!pajewrite__enter(w))
        return variant;
    variant = pajewrite__write_variant(w, kind, fields);
    pajewrite__end_call(w);
    return variant;
}

/* Whether a text of a table of definitions is lines of user fields, not too many for an event of this kind. */
PAJEWRITE__UNTRACED
static int pajewrite__are_fields(pajewrite_kind kind, const char *text)
{
    uint32_t count = pajewrite__standard_fields(kind);
    for (; text[0] == '%' && text[1] == ' '; count++) {
        while (*text && *text != '\n')
            text++;
        if (!*text++)
            return 0;
    }
    return !*text && count < PAJEWRITE__WORDS_MAX;
}

/* Writes the definition of a variant in a table of definitions.  If it is dropped, the context remembers that, as the
 * program knows the number all the same. */
PAJEWRITE__UNTRACED
static void pajewrite__announce_variant(pajewrite *w, pajewrite_kind kind, uint32_t number, const char *text,
                                        size_t size)
{
    if (!pajewrite__is_kind((uint32_t)kind) || !pajewrite__are_fields(kind, text)) {
        pajewrite__refuse(w, PAJEWRITE_E_VARIANT);
        return;
    }
    if (!pajewrite__write_definition(w, kind, number, text, size))
        pajewrite__remember_variant(w, number);
    pajewrite__pass_variant(w, number);
}

PAJEWRITE__API void pajewrite_announce(pajewrite *w, const pajewrite_definition *table, size_t entries)
{
    const pajewrite_definition *entry;
    if (!pajewrite__enter(w))
        return;
    pajewrite__write_header(w);
    w->quote_all = 1;
    for (entry = table; entries > 0; entry++, entries--) { /* no address is formed from a NULL table */
        pajewrite_event event = PAJEWRITE__ZERO;
        uint32_t number = PAJEWRITE__NUMBER_OF(entry->tag / 2u), line = PAJEWRITE__LINE_OF(entry->tag / 2u);
        uint32_t before = number == PAJEWRITE_CREATE_CONTAINER ? 2 : 0, aliases[4] = {0, 0, 0, 0}, i;
        const char *end = entry->text;
        while (*end)
            end++;
        for (i = before; i < 5 && i < before + 4; i++)
            aliases[i - before] = entry->numbers[i] / 2u;
        if (line == PAJEWRITE__VARIANT_LINE) {
            pajewrite__announce_variant(w, (pajewrite_kind)aliases[0], number, entry->text,
                                        (size_t)(end - entry->text));
            continue;
        }
        event.kind = (pajewrite_kind)number;
        event.type.alias = aliases[event.kind > PAJEWRITE_DEFINE_LINK_TYPE];
        event.of.alias = aliases[1];
        event.start_type.alias = event.other.alias = aliases[2];
        event.end_type.alias = aliases[3];
        event.container.alias = event.value.alias = aliases[0];
        event.name = entry->text;
        if (line == PAJEWRITE__VALUE_LINE)
            event.color = end + 1;
        event.time = w->config.origin;
        pajewrite__write_any(w, &event, NULL);
    }
    w->quote_all = 0;
    pajewrite__end_call(w);
}

PAJEWRITE__API pajewrite_fields pajewrite_fields_of(pajewrite_variant variant)
{
    pajewrite_fields fields;
    fields.variant = variant;
    fields.count = fields.size = fields.invalid = fields.not_finite = 0;
    return fields;
}

/* Appends a field as it is written in the line, with blank and quotes. */
PAJEWRITE__UNTRACED
static void pajewrite__add_field(pajewrite_fields *fields, const char *text)
{
    pajewrite__text scanned = pajewrite__scan_text(text);
    size_t size = scanned.size + (scanned.quoted ? 3 : 1);
    fields->count++;
    fields->invalid |= (uint32_t)scanned.replaced;
    if (fields->size > sizeof fields->text || size > sizeof fields->text - fields->size) {
        fields->size = sizeof fields->text + 1;
        return;
    }
    fields->text[fields->size] = ' ';
    pajewrite__put_text(fields->text + fields->size + 1, &scanned);
    fields->size += (uint32_t)size;
}

PAJEWRITE__API void pajewrite_field_int(pajewrite_fields *fields, int64_t number)
{
    char text[24];
    *pajewrite__put_i64(text, number) = 0;
    pajewrite__add_field(fields, text);
}

#if PAJEWRITE_DOUBLE
PAJEWRITE__API void pajewrite_field_double(pajewrite_fields *fields, double number)
{
    char text[32];
    fields->not_finite |= !pajewrite__is_finite(number);
    *pajewrite__put_double(text, fields->not_finite ? 0 : number) = 0;
    pajewrite__add_field(fields, text);
}
#endif

PAJEWRITE__API void pajewrite_field_hex(pajewrite_fields *fields, uint64_t number)
{
    char text[20], *p = text + sizeof text;
    *--p = 0;
    do
        *--p = "0123456789abcdef"[number & 15];
    while (number >>= 4);
    *--p = 'x';
    *--p = '0';
    pajewrite__add_field(fields, p);
}

PAJEWRITE__API void pajewrite_field_string(pajewrite_fields *fields, const char *text)
{
    pajewrite__add_field(fields, text ? text : "");
}

/* ---------------- src/pajewrite/calls/window.h */

/* Times of events that follow each other closely: what times of one window of a million ticks begin with is made once,
 * so that six digits are left for each event.  Only with 9 decimals. */

/* Makes the window that this time is in.  Returns 0 if there is none; nothing is refused then.  Where events are
 * farther apart than a window, each needs it. */
PAJEWRITE__NOINLINE int pajewrite__new_window(pajewrite *w, uint64_t time)
{
    uint32_t start, digits;
    char *p;
    if (w->decimals != 9 || w->stopped || time < w->config.origin ||
        (time - w->second_start >= w->second_ticks && !pajewrite__new_second(w, time)))
        return 0;
    digits = (uint32_t)(time - w->second_start) / 1000000;
    start = digits * 1000000;
    memcpy(w->window, w->prefix, sizeof w->window);
    p = w->window + w->prefix_size;
    *p = (char)('0' + digits / 100);
    pajewrite__put_2(p + 1, digits % 100);
    w->window_size = w->prefix_size + 3;
    w->window_start = w->second_start + start;
    w->window_ticks = w->second_ticks - start < 1000000 ? w->second_ticks - start : 1000000;
    return 1;
}

/* Makes the window that is `ticks` after the start of this one.  Returns the ticks in the new one;
 * PAJEWRITE__NO_TICKS: there is none.  The time is not passed, so that no register has to keep it. */
PAJEWRITE__COLD uint64_t pajewrite__next_window(pajewrite *w, uint64_t ticks)
{
    const uint64_t time = w->window_start + ticks;
    return pajewrite__new_window(w, time) ? time - w->window_start : PAJEWRITE__NO_TICKS;
}

/* Writes the time that is `ticks` after the window's start. */
PAJEWRITE__INLINE char *pajewrite__put_window_time(const pajewrite *w, char *p, uint64_t ticks)
{
    const uint32_t hundreds = (uint32_t)ticks / 100, tens_of_thousands = hundreds / 100;
    PAJEWRITE__ASSERT(ticks < w->window_ticks);
    memcpy(p, w->window, sizeof w->window);
    p = pajewrite__put_2(p + w->window_size, tens_of_thousands);
    p = pajewrite__put_2(p, hundreds - tens_of_thousands * 100);
    return pajewrite__put_2(p, (uint32_t)ticks - hundreds * 100);
}

/* ---------------- src/pajewrite/calls/ints.h */

/* Events with integer user fields. */

#define PAJEWRITE__INT_SIZE 21u /* a blank, a sign, 19 digits */

/* Writes the event by the path of all events with user fields. */
PAJEWRITE__COLD void pajewrite__write_ints_slow(pajewrite *w, const pajewrite_event *event, uint64_t time,
                                                pajewrite_variant variant, const int64_t *numbers, uint32_t count)
{
    pajewrite_fields fields = pajewrite_fields_of(variant);
    pajewrite_event timed = *event;
    uint32_t i;
    for (i = 0; i < count; i++)
        pajewrite_field_int(&fields, numbers[i]);
    timed.time = time;
    pajewrite__write_event(w, &timed, &fields);
}

/* Writes, or refuses, any event that pajewrite_write_ints does not write itself.  Its parameters are the same, so that
 * the call is a jump, and nothing is kept for it. */
PAJEWRITE__COLD void pajewrite__write_other_ints(pajewrite *w, const pajewrite_event *event, pajewrite_variant variant,
                                                 const int64_t *numbers, uint32_t count)
{
    if (!pajewrite__begin_any(w, event))
        return;
    if (!event || !pajewrite__is_kind((uint32_t)event->kind))
        pajewrite__refuse(w, PAJEWRITE_E_KIND);
    else
        pajewrite__write_ints_slow(w, event, event->time == PAJEWRITE_TIME_NOW && pajewrite__has_time(event->kind) ?
                                   w->clock(w->clock_data) : event->time, variant, numbers, count);
    pajewrite__end_call(w);
}

PAJEWRITE__INLINE char *pajewrite__put_ints(char *p, const int64_t *numbers, uint32_t count)
{
    const int64_t *end = numbers + count;
    for (; numbers < end; numbers++) {
        const int64_t number = *numbers;
        uint64_t n = (uint64_t)number;
        *p++ = ' ';
        if (number < 0) {
            *p++ = '-';
            n = 0 - n;
        }
        if (n < 100) {
            if (n < 10)
                *p++ = (char)('0' + (uint32_t)n);
            else
                p = pajewrite__put_2(p, (uint32_t)n);
        } else if (n < 1000) {
            uint32_t hundreds = (uint32_t)n / 100;
            *p = (char)('0' + hundreds);
            p = pajewrite__put_2(p + 1, (uint32_t)n - hundreds * 100);
        } else {
            p = pajewrite__put_u64(p, n);
        }
    }
    return p;
}

/* Writes time, container and type, behind the number of the event. */
PAJEWRITE__INLINE char *pajewrite__put_ints_place(const pajewrite *w, char *p, const pajewrite_event *event,
                                                  uint64_t ticks)
{
    *p = ' ';
    p = pajewrite__put_window_time(w, p + 1, ticks);
    *p = ' ';
    p = pajewrite__put_u32(p + 1, event->container.alias);
    *p = ' ';
    return pajewrite__put_u32(p + 1, pajewrite__alias(event->type));
}

PAJEWRITE__INLINE char *pajewrite__put_ints_value(char *p, const pajewrite_event *event)
{
    if (event->kind != PAJEWRITE_POP_STATE && event->kind != PAJEWRITE_RESET_STATE) {
        *p = ' ';
        p = pajewrite__put_u32(p + 1, event->value.alias);
    }
    return p;
}

PAJEWRITE__INLINE void pajewrite__end_ints(pajewrite *w, char *p, const int64_t *numbers, uint32_t count, char first)
{
    p = pajewrite__put_ints(p, numbers, count);
    PAJEWRITE__ASSERT((size_t)(p - w->next) < PAJEWRITE__EVENT_SIZE + PAJEWRITE_FIELDS_SIZE);
    w->records++;
    pajewrite__commit(w, p, first);
}

/* Returns the size of a text that is written as it is; 0: it is not, or is longer than `most` bytes. */
PAJEWRITE__UNTRACED
static size_t pajewrite__plain_size(const char *text, size_t most)
{
    /* Bits of the bytes below 64 that need quotes or are replaced (pajewrite__is_replaced): those below ' ', and
     * ' ' " # % ' , */
    const uint64_t others = UINT64_C(0x10adffffffff);
    size_t size = 0;
    unsigned char c;
    while ((unsigned char)(text[size] - '-') <= '~' - '-') /* nearly all keys have no others */
        size++;
    while (c = (unsigned char)text[size], c < 64 ? !(others >> c & 1) : c != 0x7f)
        size++;
    return !c && size <= most ? size : 0;
}

/* Writes the event of a variable or of a link, and any event whose number has more than two digits.  `key_size`: of the
 * text that is the key of a link; 0: it is a number. */
PAJEWRITE__NOINLINE void pajewrite__write_long_ints(pajewrite *w, const pajewrite_event *event, uint64_t ticks,
                                                    uint32_t number, size_t key_size, const int64_t *numbers,
                                                    uint32_t count)
{
    char text[12] = "", *p = w->next + (pajewrite__put_u32(text, number) - text);
    memcpy(w->next + 1, text + 1, sizeof text - 1); /* more than there is, as that many bytes are copied at once */
    p = pajewrite__put_ints_place(w, p, event, ticks);
    if (event->kind >= PAJEWRITE_START_LINK) {
        *p = ' ';
        p = pajewrite__put_u32(p + 1, event->value.alias);
        *p = ' ';
        p = pajewrite__put_u32(p + 1, event->other.alias);
        *p++ = ' ';
        p = key_size ? pajewrite__put_bytes(p, event->name, key_size) : pajewrite__put_u64(p, event->key);
    } else if (event->kind > PAJEWRITE_NEW_EVENT) {
        *p = ' ';
        p = pajewrite__put_i64(p + 1, event->integer);
    } else {
        p = pajewrite__put_ints_value(p, event);
    }
    pajewrite__end_ints(w, p, numbers, count, text[0]);
}

/* Whether a variable is a double, or the key of a link is a text that is not written as it is, or may be too long.
 * Sets `*key_size` to the size of another text. */
PAJEWRITE__UNTRACED
static int pajewrite__is_other(const pajewrite *w, const pajewrite_event *event, uint32_t count, size_t *key_size)
{
#if PAJEWRITE_DOUBLE
    if (event->is_real)
        return 1;
#endif
    if (!event->name)
        return 0;
    if (event->kind >= PAJEWRITE_START_LINK && !w->quote_all)
        *key_size = pajewrite__plain_size(event->name, PAJEWRITE_FIELDS_SIZE - count * PAJEWRITE__INT_SIZE);
    return !*key_size;
}

/* As pajewrite__write_ints_slow, `ticks` after the start of the window, for `number`, that of the variant: fewer
 * registers are to be kept than for a time and a variant. */
PAJEWRITE__COLD void pajewrite__write_ints_at(pajewrite *w, const pajewrite_event *event, uint64_t ticks,
                                              uint32_t number, const int64_t *numbers, uint32_t count)
{
    pajewrite_variant variant;
    variant.number = number;
    variant.kind = event->kind;
    variant.fields = count;
    pajewrite__write_ints_slow(w, event, w->window_start + ticks, variant, numbers, count);
}

/* Writes the event within a call.  `following`: w->following.  `number`: that of its variant. */
PAJEWRITE__INLINE void pajewrite__put_ints_event(pajewrite *w, int following, const pajewrite_event *event,
                                                 uint32_t number, const int64_t *numbers, uint32_t count)
{
    const uint32_t kind = (uint32_t)event->kind;
    uint64_t ticks = pajewrite__time(w, event->time == PAJEWRITE_TIME_NOW, event->time) - w->window_start;
    size_t key_size = 0;
    int is_other = 0;
    if (PAJEWRITE__UNLIKELY(ticks >= w->window_ticks)) {
        const uint64_t next = pajewrite__next_window(w, ticks);
        if (next == PAJEWRITE__NO_TICKS) {
            pajewrite__write_ints_at(w, event, ticks, number, numbers, count);
            return;
        }
        ticks = next;
    }
    if (kind > PAJEWRITE_NEW_EVENT)
        is_other = pajewrite__is_other(w, event, count, &key_size);
    if (PAJEWRITE__UNLIKELY(w->limit - w->next <= PAJEWRITE_FIELDS_SIZE) || is_other ||
        (following && (kind > PAJEWRITE_NEW_EVENT || pajewrite__is_variant_dropped(w, number) ||
                       !pajewrite__follow_fast(w, (pajewrite_kind)kind, w->window_start + ticks, event->container,
                                               event->type)))) {
        pajewrite__write_ints_at(w, event, ticks, number, numbers, count);
    } else if (kind > PAJEWRITE_NEW_EVENT || number >= 100) {
        pajewrite__write_long_ints(w, event, ticks, number, key_size, numbers, count);
    } else {
        const char *digits = pajewrite__pairs + number * 2;
        char *p = w->next;
        PAJEWRITE__ASSERT(number >= PAJEWRITE__AFTER_KINDS);
        p[1] = digits[1];
        p = pajewrite__put_ints_place(w, p + 2, event, ticks);
        pajewrite__end_ints(w, pajewrite__put_ints_value(p, event), numbers, count, digits[0]);
    }
}

/* Writes the event of a context with a table, unless another call is under way. */
PAJEWRITE__NOINLINE void pajewrite__follow_ints(pajewrite *w, const pajewrite_event *event, uint32_t number,
                                                const int64_t *numbers, uint32_t count)
{
    if (!pajewrite__begin_slow(w))
        return;
    pajewrite__put_ints_event(w, 1, event, number, numbers, count);
    pajewrite__end_call(w);
}

PAJEWRITE__API void pajewrite_write_ints(pajewrite *w, const pajewrite_event *event, pajewrite_variant variant,
                                        const int64_t *numbers, uint32_t count)
{
    const uint32_t kind = event ? (uint32_t)event->kind : 0;
    if (PAJEWRITE__UNLIKELY((uint32_t)variant.kind != kind || count != variant.fields || !variant.number ||
                            count > PAJEWRITE_FIELDS_SIZE / PAJEWRITE__INT_SIZE ||
                            kind - PAJEWRITE_SET_STATE > PAJEWRITE_END_LINK - PAJEWRITE_SET_STATE ||
                            (PAJEWRITE__LEFT_OUT >> kind & 1))) {
        pajewrite__write_other_ints(w, event, variant, numbers, count);
        return;
    }
    if (!pajewrite__is_enabled(w, event->type))
        return;
    if (PAJEWRITE__UNLIKELY(PAJEWRITE__LOAD(uint32_t, w->mode))) {
        pajewrite__follow_ints(w, event, variant.number, numbers, count);
        return;
    }
    pajewrite__begin_call(w);
    pajewrite__put_ints_event(w, 0, event, variant.number, numbers, count);
    pajewrite__end_call(w);
}

/* ---------------- src/pajewrite/calls/track.h */

/* Events on tracks.
 *
 * Only what differs from event to event is made into text: the last four digits of the time, and the value.  Whatever
 * is not common (the buffer is full, other decimals than 9, the table has to be looked at) takes the path of all other
 * events. */

PAJEWRITE__API void pajewrite_track_init(pajewrite_track *track, pajewrite *w, pajewrite_container container,
                                        pajewrite_type type)
{
    char *p = track->text;
    memset(track, 0, sizeof *track);
    memset(p, '\n', sizeof track->text); /* an event copies all of it, and leaves the rest behind its end */
    track->w = w;
    track->container = container;
    track->type = type;
    *p++ = ' ';
    p = pajewrite__put_u32(p, container.alias);
    *p++ = ' ';
    track->size = (uint32_t)(pajewrite__put_u32(p, pajewrite__alias(type)) - track->text);
}

/* Writes an event by the path of all others.  The number is a state's or an event's value, or a variable's.  `ticks`:
 * since w->window_start. */
PAJEWRITE__COLD void pajewrite__track_slow(const pajewrite_track *track, pajewrite_kind kind, uint64_t ticks,
                                           int64_t number)
{
    const uint64_t time = track->w->window_start + ticks;
    pajewrite__put_event(track->w, kind, time, track->container, track->type, number);
}

PAJEWRITE__INLINE void pajewrite__track_event(const pajewrite_track *track, pajewrite_kind kind, uint64_t time,
                                              int64_t number)
{
    pajewrite *w = track->w;
    uint64_t ticks = time - w->window_start;
    char *p;
    if (PAJEWRITE__UNLIKELY(ticks >= w->window_ticks)) {
        const uint64_t next = pajewrite__next_window(w, ticks);
        if (next == PAJEWRITE__NO_TICKS) {
            pajewrite__track_slow(track, kind, ticks, number);
            return;
        }
        ticks = next;
    }
    if (PAJEWRITE__UNLIKELY(w->next >= w->limit)) {
        pajewrite__track_slow(track, kind, ticks, number);
        return;
    }
    p = w->next;
    p[1] = (char)('0' + (uint32_t)kind % 10);
    p[2] = ' ';
    p = pajewrite__put_window_time(w, p + 3, ticks);
    memcpy(p, track->text, sizeof track->text);
    p += track->size;
    if (kind != PAJEWRITE_POP_STATE) {
        *p = ' ';
        p = kind == PAJEWRITE_SET_VARIABLE ? pajewrite__put_i64(p + 1, number) :
                                             pajewrite__put_u32(p + 1, (uint32_t)number);
    }
    pajewrite__end_event(w, p, kind);
}

/* Writes an event of a context with a table, unless another call is under way. */
PAJEWRITE__NOINLINE void pajewrite__track_followed(const pajewrite_track *track, pajewrite_kind kind, int now,
                                                   uint64_t time, int64_t number)
{
    pajewrite *w = track->w;
    if (!pajewrite__begin_slow(w))
        return;
    pajewrite__put_event(w, kind, pajewrite__time(w, now, time), track->container, track->type, number);
    pajewrite__end_call(w);
}

PAJEWRITE__INLINE void pajewrite__track_call(const pajewrite_track *track, pajewrite_kind kind, int now, uint64_t time,
                                             int64_t number)
{
    pajewrite *w = track->w;
    if (PAJEWRITE__UNLIKELY(PAJEWRITE__LOAD(uint32_t, w->mode))) {
        pajewrite__track_followed(track, kind, now, time, number);
        return;
    }
    pajewrite__begin_call(w);
    pajewrite__track_event(track, kind, pajewrite__time(w, now, time), number);
    pajewrite__end_call(w);
}

PAJEWRITE__INLINE int pajewrite__is_track_on(const pajewrite_track *track)
{
    return PAJEWRITE__LIKELY(track->w != NULL) && pajewrite__is_enabled(track->w, track->type);
}

/* Defines the public functions pajewrite_track_NAME and pajewrite_track_NAME_at. */
#define PAJEWRITE__TRACK_FORMS(name, kind, number, ...) \
    PAJEWRITE_API void pajewrite_track_##name(PAJEWRITE__LIST(const pajewrite_track *track __VA_ARGS__)) \
    { \
        if (pajewrite__is_track_on(track)) \
            PAJEWRITE__CALL_IF_PRESENT(track->w, kind, pajewrite__track_call(track, kind, 1, 0, number)); \
    } \
    PAJEWRITE_API void pajewrite_track_##name##_at(PAJEWRITE__LIST(const pajewrite_track *track, \
                                                                   uint64_t time __VA_ARGS__)) \
    { \
        if (pajewrite__is_track_on(track)) \
            PAJEWRITE__CALL_IF_PRESENT(track->w, kind, pajewrite__track_call(track, kind, 0, time, number)); \
    }

PAJEWRITE__TRACK_FORMS(set_state, PAJEWRITE_SET_STATE, value.alias, , pajewrite_value value)
PAJEWRITE__TRACK_FORMS(push_state, PAJEWRITE_PUSH_STATE, value.alias, , pajewrite_value value)
PAJEWRITE__TRACK_FORMS(pop_state, PAJEWRITE_POP_STATE, 0, )
PAJEWRITE__TRACK_FORMS(new_event, PAJEWRITE_NEW_EVENT, value.alias, , pajewrite_value value)
PAJEWRITE__TRACK_FORMS(set_variable, PAJEWRITE_SET_VARIABLE, number, , int64_t number)

/* ---------------- src/pajewrite/calls/context.h */

/* Setup, delivery and end of a context; its aliases. */

PAJEWRITE__API pajewrite_status pajewrite_get_status(const pajewrite *w) { return (pajewrite_status)w->status; }

PAJEWRITE__API const char *pajewrite_problem(const pajewrite *w)
{
    return w->problem[0] ? w->problem : pajewrite_status_text(w->status);
}

PAJEWRITE__API void pajewrite_enable(pajewrite *w, uint32_t categories)
{
    if (w->clock)
        PAJEWRITE__OR_RELAXED(&w->enabled, categories);
}

PAJEWRITE__API void pajewrite_disable(pajewrite *w, uint32_t categories)
{
    PAJEWRITE__AND_RELAXED(&w->enabled, ~categories);
}

PAJEWRITE__API void pajewrite_enable_everywhere(uint32_t categories)
{
    PAJEWRITE__OR_RELAXED(&pajewrite__enabled_everywhere, categories);
}

PAJEWRITE__API void pajewrite_disable_everywhere(uint32_t categories)
{
    PAJEWRITE__AND_RELAXED(&pajewrite__enabled_everywhere, ~categories);
}

#if PAJEWRITE_POSIX
/* CLOCK_MONOTONIC in ticks of other than 9 decimals; `data`: nanoseconds per tick, as a number, since a context may be
 * moved. */
PAJEWRITE__UNTRACED
static uint64_t pajewrite__scaled_monotonic(void *data) { return pajewrite_monotonic(NULL) / (uintptr_t)data; }

/* Sets the clock of a context for which none is given.  Returns 0 where there is none. */
PAJEWRITE__UNTRACED
static int pajewrite__set_usual_clock(pajewrite *w)
{
    w->clock = w->scale == 1 ? pajewrite_monotonic : pajewrite__scaled_monotonic;
    w->clock_data = (void *)(uintptr_t)w->scale;
    return 1;
}
#else
PAJEWRITE__UNTRACED
static uint64_t pajewrite__no_clock(void *data)
{
    (void)data;
    return 0;
}

/* Sets the clock of a context that pajewrite_init refuses, as none is given. */
PAJEWRITE__UNTRACED
static int pajewrite__set_usual_clock(pajewrite *w)
{
    w->clock = pajewrite__no_clock;
    return 0;
}
#endif

PAJEWRITE__API pajewrite_status pajewrite_init(pajewrite *w, void *buffer, size_t size, const pajewrite_config *config)
{
    static const pajewrite_config defaults = PAJEWRITE_CONFIG;
    uint32_t i;
    int misused;
    memset(w, 0, sizeof *w);
    memset(w->prefix, '0', sizeof w->prefix);
    w->config = config ? *config : defaults;
    pajewrite__begin_call(w);
    w->clock = w->config.clock;
    w->clock_data = w->config.clock_data;
    w->second_start = w->config.origin; /* the time of definitions that are dropped */
    w->enabled = ~w->config.disabled;
    w->config.alias_first += !w->config.alias_first;
    w->config.alias_step += !w->config.alias_step;
    for (i = 0; i <= PAJEWRITE__VARIANTS; i++)
        w->alias_next[i] = w->config.alias_first;
    w->decimals = !w->config.decimals ? 9 : w->config.decimals == PAJEWRITE_SECONDS ? 0 : w->config.decimals;
    w->ticks_per_second = w->scale = 1;
    for (i = 0; i < w->decimals && i < 9; i++)
        w->ticks_per_second *= 10;
    for (; i < 9; i++)
        w->scale *= 10;
    misused = !w->clock && !pajewrite__set_usual_clock(w);
    if (w->config.offer && w->config.when_full == PAJEWRITE_FLUSH)
        w->config.when_full = PAJEWRITE_DROP;
    w->following = PAJEWRITE_TABLE && w->config.table != NULL;
    misused |= w->decimals > 9 || w->config.origin > UINT64_MAX - w->ticks_per_second ||
               (!w->config.next_buffer && (!buffer || size < PAJEWRITE_BUFFER_MIN)) ||
               (w->following && (w->config.table_entries < 16 || w->config.table_entries > UINT32_MAX));
    if (w->config.when_full == PAJEWRITE_OVERWRITE)
        misused |= !w->following || !pajewrite__flight_fits(w, size);
    misused |= w->config.offer && (w->config.sink || w->config.next_buffer || w->config.when_full != PAJEWRITE_DROP);
    if (w->config.offer && w->config.definitions_size)
        misused |= !w->following || w->config.definitions_size < PAJEWRITE_BUFFER_MIN || size < PAJEWRITE_BUFFER_MIN ||
                   w->config.definitions_size > size - PAJEWRITE_BUFFER_MIN;
    if (misused) {
        w->decimals = w->following = 0;
        pajewrite__fail(w, PAJEWRITE_E_MISUSE);
        pajewrite__end_call(w);
        return w->status;
    }
    w->mode |= w->following; /* PAJEWRITE__FOLLOWING */
    if (w->following)
        memset(w->config.table, 0, w->config.table_entries * sizeof *w->config.table);
    w->buffer = (char *)buffer;
    w->size = size;
    if (w->config.offer && w->config.definitions_size) {
        w->kept_size = w->config.definitions_size;
        w->size -= w->kept_size;
        w->kept = w->buffer + w->size;
    }
    if (w->config.when_full == PAJEWRITE_OVERWRITE) {
        pajewrite__flight_begin(w);
    } else if (w->config.next_buffer) {
        w->buffer = NULL;
        pajewrite__next_buffer(w, PAJEWRITE_BUFFER_MIN);
    } else {
        pajewrite__set_next(w, w->buffer);
        pajewrite__set_limit(w);
    }
    pajewrite__end_call(w);
    return w->status;
}

PAJEWRITE__API pajewrite_status pajewrite_flush(pajewrite *w)
{
    if (pajewrite__enter(w)) {
        pajewrite__flush(w);
        pajewrite__end_call(w);
    }
    return w->status;
}

#if PAJEWRITE_TABLE
PAJEWRITE__UNTRACED
static void pajewrite__attach(pajewrite *w, void *sink_data)
{
    if (!w->kept || w->kept_lost || !w->following || !pajewrite__may_attach(w)) {
        pajewrite__refuse(w, !w->kept_size                ? PAJEWRITE_E_MISUSE
                             : w->kept_lost               ? PAJEWRITE_E_DEFINITIONS
                             : w->kept && !w->following   ? PAJEWRITE_E_TABLE_FULL
                                                          : PAJEWRITE_E_CLOSED);
        return;
    }
    if (w->stopped && w->status == (pajewrite_status)w->stopped)
        w->status = PAJEWRITE_OK;
    w->config.sink_data = sink_data;
    w->dropped += w->records - w->delivered;
    w->records = w->delivered;
    w->stopped = w->blocked = w->torn = 0;
    w->gap_count = 0;
    w->undefined = 0; /* the new peer gets all that is kept */
    w->next = w->buffer; /* nothing waits */
    pajewrite__move_to_front(w);
    if (!pajewrite__write_snapshot(w))
        pajewrite__fail(w, PAJEWRITE_E_SNAPSHOT);
    pajewrite__deliver(w);
}

PAJEWRITE__API pajewrite_status pajewrite_attach(pajewrite *w, void *sink_data)
{
    if (pajewrite__enter(w)) {
        pajewrite__attach(w, sink_data);
        pajewrite__end_call(w);
    }
    return w->status;
}
#endif

PAJEWRITE__API pajewrite_status pajewrite_finish(pajewrite *w)
{
    if (!pajewrite__enter(w))
        return w->status;
    pajewrite__flush_all(w);
#if PAJEWRITE_TABLE
    if (w->following && !w->stopped) {
        if (!w->flight && !w->config.offer)
            w->config.when_full = PAJEWRITE_FLUSH;
        if (!w->config.offer || !w->blocked)
            pajewrite__close_all(w);
        pajewrite__deliver(w);
    }
    if (w->flight) /* all of its memory belongs to the trace */
        pajewrite__flight_end(w);
#endif
    if (w->config.offer)
        pajewrite__offer_rest(w);
    if (w->config.next_buffer)
        pajewrite__next_buffer(w, 0);
    w->config.next_buffer = NULL;
    w->following = 0; /* the caller may use the table and the buffer for something else */
    w->mode &= ~(uint32_t)PAJEWRITE__FOLLOWING;
    w->kept = NULL;
    if (!w->stopped) {
        pajewrite_status status = w->status;
        pajewrite__fail(w, PAJEWRITE_E_CLOSED);
        w->status = status;
    }
    pajewrite__end_call(w);
    return w->status;
}

PAJEWRITE__API pajewrite_counts pajewrite_count(const pajewrite *w)
{
    pajewrite_counts counts;
    counts.written = w->records;
    counts.dropped = w->dropped + PAJEWRITE__LOAD(uint32_t, w->reentered);
    counts.refused = w->refused;
    return counts;
}

PAJEWRITE__API uint64_t pajewrite_now(const pajewrite *w) { return w->clock ? w->clock(w->clock_data) : 0; }

PAJEWRITE__UNTRACED
static uint32_t pajewrite__new_alias(pajewrite *w, int which, uint32_t max)
{
    uint32_t alias;
    if (!pajewrite__enter(w))
        return 0;
    alias = pajewrite__take_alias(w, which, max);
    pajewrite__end_call(w);
    return alias;
}

PAJEWRITE__API pajewrite_type pajewrite_new_type_in(pajewrite *w, uint32_t category)
{
    return PAJEWRITE_TYPE_IN(category, pajewrite__new_alias(w, PAJEWRITE__TYPES, PAJEWRITE_TYPE_MAX));
}

PAJEWRITE__API pajewrite_type pajewrite_new_type(pajewrite *w) { return pajewrite_new_type_in(w, 0); }

PAJEWRITE__API pajewrite_container pajewrite_new_container(pajewrite *w)
{
    return PAJEWRITE_CONTAINER(pajewrite__new_alias(w, PAJEWRITE__CONTAINERS, UINT32_MAX));
}

PAJEWRITE__API pajewrite_value pajewrite_new_value(pajewrite *w)
{
    return PAJEWRITE_VALUE(pajewrite__new_alias(w, PAJEWRITE__VALUES, UINT32_MAX));
}

/* ---------------- src/pajewrite/calls/open.h */

/* A context with its file and its buffer; flushing when a signal ends the process. */

#if PAJEWRITE_POSIX
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

/* The traces that are open. */
static pajewrite_trace *pajewrite__traces;
static pthread_mutex_t pajewrite__traces_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t pajewrite__traces_once = PTHREAD_ONCE_INIT;
/* Ends the trace of zones, if there is one, as the process is about to die; or, if it may go on, writes what is in the
 * buffers.  NULL: this library has no zones. */
static void (*pajewrite__end_zones)(int goes_on);

/* Values of trace->delivering. */
enum { PAJEWRITE__IDLE, PAJEWRITE__DELIVERING, PAJEWRITE__LAST_DELIVERY };
/* 1: a signal is about to end the process, and its handler goes through the list, where it may miss a trace that is
 * opened now: the process would end within a delivery. */
static int pajewrite__is_ending;

/* Returns whether nothing was delivering this trace; what calls it does so then. */
PAJEWRITE__UNTRACED
static int pajewrite__begin_delivery(pajewrite_trace *trace)
{
    int nothing = PAJEWRITE__IDLE;
    return PAJEWRITE__SWAP_IF(int, trace->delivering, &nothing, PAJEWRITE__DELIVERING);
}

/* Returns 1 if the file is a pipe or a socket, of which each write takes what there is room for.  In a child process it
 * is still the parent's. */
PAJEWRITE__UNTRACED
static int pajewrite__is_pipe(const pajewrite_file *file, pajewrite_peer *peer)
{
    const int is_pipe = !pajewrite__delivers_soon(file) &&
                        pajewrite__is_file(file->descriptor, file->device, file->inode) &&
                        !pajewrite_peer_init(peer, file->descriptor);
    peer->process = file->process;
    return is_pipe;
}

/* Signals wait until all is written and the buffer is empty, or until a pipe that is full is waited for: a handler that
 * ends the process would lose lines, or write them twice. */
PAJEWRITE__UNTRACED
static pajewrite_status pajewrite__to_trace_file(void *data, const char *bytes, size_t size)
{
    pajewrite_trace *trace = (pajewrite_trace *)data;
    pajewrite_status status = PAJEWRITE_E_CLOSED; /* the process is about to end */
    pajewrite_peer peer;
#ifdef __linux__
    const int is_pipe = pajewrite__is_pipe(&trace->file, &peer);
#else /* /dev/stdout may be the program's own, which is not to be non-blocking */
    const int is_pipe = 0;
#endif
    const pajewrite__blocked outside = pajewrite__block_if(0);
    long pause = 1000;
    int is_left = 1;
    while (is_left) {
        const pajewrite__blocked before = pajewrite__block_if(is_pipe || pajewrite__delivers_soon(&trace->file));
        if (pajewrite__begin_delivery(trace)) {
            const char *rest = bytes + trace->saved;
            const size_t size_left = size - trace->saved;
            const size_t taken = is_pipe ? pajewrite_to_peer(&peer, rest, size_left) : PAJEWRITE_OFFER_FAILED;
            status = taken > size_left ? pajewrite_to_file(&trace->file, rest, size_left) : PAJEWRITE_OK;
            is_left = taken < size_left;
            trace->saved = is_left ? trace->saved + taken : 0;
            if (!is_left)
                pajewrite__set_next(&trace->w, trace->w.buffer);
            PAJEWRITE__PUBLISH(int, trace->delivering, PAJEWRITE__IDLE);
        } else if (PAJEWRITE__LOAD(int, trace->delivering) == PAJEWRITE__LAST_DELIVERY ||
                   trace->file.process != pajewrite__owner()) { /* else a signal handler delivers, in another thread */
            is_left = 0;
        }
        pajewrite__unblock(&before);
        if (is_left)
            pajewrite__sleep(pause);
        pause *= pause < 1000000 ? 2 : 1;
    }
    pajewrite__unblock(&outside);
    return status;
}

/* Returns whether the trace was open. */
PAJEWRITE__UNTRACED
static int pajewrite__unlist_trace(const pajewrite_trace *trace)
{
    pajewrite_trace **link;
    for (link = &pajewrite__traces; *link && *link != trace; link = &(*link)->next)
        ;
    if (!*link)
        return 0;
    *link = trace->next;
    return 1;
}

/* Whether this process is a child of vfork, whose end is not that of its parent. */
PAJEWRITE__UNTRACED
static int pajewrite__is_guest(void) { return pajewrite__owner() != (long)getpid(); }

/* Another thread may have the lock when a thread forks; each change of the list is one store. */
PAJEWRITE__UNTRACED
static void pajewrite__unlock_traces_in_child(void)
{
    static const pthread_mutex_t unlocked = PTHREAD_MUTEX_INITIALIZER;
    pajewrite__owner(); /* before a child of its own could be taken for it */
    pajewrite__is_ending = 0;
    memcpy(&pajewrite__traces_lock, &unlocked, sizeof unlocked);
}

PAJEWRITE__UNTRACED
static void pajewrite__register_traces(void)
{
    pajewrite__owner();
    pthread_atfork(NULL, NULL, pajewrite__unlock_traces_in_child);
}

PAJEWRITE__API pajewrite *pajewrite_open(pajewrite_trace *trace, const char *path)
{
    static const pajewrite_config defaults = PAJEWRITE_CONFIG;
    pajewrite_config config = defaults;
    trace->delivering = PAJEWRITE__LOAD(int, pajewrite__is_ending) ? PAJEWRITE__LAST_DELIVERY : PAJEWRITE__IDLE;
    trace->saved = 0;
    pthread_once(&pajewrite__traces_once, pajewrite__register_traces);
    pajewrite_file_init(&trace->file, pajewrite__open_descriptor(path, O_WRONLY | O_CREAT | O_TRUNC));
    config.sink = pajewrite__to_trace_file;
    config.sink_data = trace;
    config.origin = pajewrite_monotonic(NULL);
    pajewrite_init(&trace->w, trace->buffer, sizeof trace->buffer, &config);
    if (trace->file.descriptor < 0)
        pajewrite__fail(&trace->w, PAJEWRITE_E_SINK);
    pajewrite_header(&trace->w);
    pthread_mutex_lock(&pajewrite__traces_lock);
    pajewrite__unlist_trace(trace);
    trace->next = pajewrite__traces;
    pajewrite__traces = trace;
    pthread_mutex_unlock(&pajewrite__traces_lock);
    return &trace->w;
}

PAJEWRITE__UNTRACED
static int pajewrite__is_trace_open(const pajewrite_trace *trace)
{
    return pajewrite__is_file(trace->file.descriptor, trace->file.device, trace->file.inode);
}

PAJEWRITE__API pajewrite_status pajewrite_close(pajewrite_trace *trace)
{
    pajewrite_status status = pajewrite_finish(&trace->w);
    int was_open;
    pthread_mutex_lock(&pajewrite__traces_lock);
    was_open = pajewrite__unlist_trace(trace);
    pthread_mutex_unlock(&pajewrite__traces_lock);
    if (was_open && (!pajewrite__is_trace_open(trace) || close(trace->file.descriptor)) && !status)
        status = PAJEWRITE_E_SINK;
    return status;
}

/* The signals, those that stand for faults first. */
static const int pajewrite__signals[] = {
    SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTERM, SIGINT, SIGHUP, SIGQUIT,
#ifdef SIGXCPU
    SIGXCPU
#endif
};
enum { PAJEWRITE__SIGNALS = sizeof pajewrite__signals / sizeof *pajewrite__signals, PAJEWRITE__FAULTS = 5 };
static struct sigaction pajewrite__old_actions[PAJEWRITE__SIGNALS];
static int pajewrite__has_handlers; /* 1: they were installed */

/* Writes lines to a pipe, for a second at most where that is full.  Returns how many bytes were taken. */
PAJEWRITE__UNTRACED
static size_t pajewrite__save_to_pipe(pajewrite_peer *peer, const char *bytes, size_t size)
{
    size_t done = 0, taken;
    int waits = 1000;
    while (done < size && waits-- && (taken = pajewrite_to_peer(peer, bytes + done, size - done)) <= size - done) {
        done += taken;
        if (done < size)
            pajewrite__sleep(1000000);
    }
    return done;
}

/* Writes what is in the buffers of all traces.  `goes_on`: the process may not end, and they may be written on. */
PAJEWRITE__UNTRACED
static void pajewrite__flush_traces(int goes_on)
{
    pajewrite_trace *trace;
    if (!goes_on)
        PAJEWRITE__PUBLISH(int, pajewrite__is_ending, 1);
    for (trace = pajewrite__traces; trace; trace = trace->next) {
        const pajewrite *w = &trace->w;
        pajewrite_peer peer;
        const int is_pipe = pajewrite__is_pipe(&trace->file, &peer);
        size_t size;
        int waits = is_pipe || pajewrite__delivers_soon(&trace->file) ? 1000 : 0; /* in ms, for another thread */
        if (PAJEWRITE__LOAD(int, trace->delivering) == PAJEWRITE__LAST_DELIVERY)
            continue;
        while (!w->stopped && !pajewrite__begin_delivery(trace) && waits--)
            pajewrite__sleep(1000000);
        if (waits < 0 || w->stopped)
            continue;
        size = (size_t)(w->next - w->buffer);
        if (is_pipe) {
            trace->saved += pajewrite__save_to_pipe(&peer, w->buffer + trace->saved, size - trace->saved);
        } else { /* if it failed, it takes no more */
            pajewrite_to_file(&trace->file, w->buffer + trace->saved, size - trace->saved);
            trace->saved = size;
        }
        PAJEWRITE__PUBLISH(int, trace->delivering, goes_on ? PAJEWRITE__IDLE : PAJEWRITE__LAST_DELIVERY);
    }
    if (pajewrite__end_zones)
        pajewrite__end_zones(goes_on);
}

/* Whether the program handles or ignores a signal, and so may go on after it. */
PAJEWRITE__UNTRACED
static int pajewrite__has_handler(const struct sigaction *action)
{
    return action->sa_flags & SA_SIGINFO || action->sa_handler != SIG_DFL;
}

/* Whether a signal is ignored whose action is the default one: the first process of a PID namespace, as of a container,
 * is ended by faults of its own only. */
PAJEWRITE__UNTRACED
static int pajewrite__is_ignored(int i, const siginfo_t *info)
{
    return getpid() == 1 && (i >= PAJEWRITE__FAULTS || info->si_code <= 0) &&
           !pajewrite__has_handler(&pajewrite__old_actions[i]);
}

/* A fault occurs again when the handler returns; any other signal is raised again, whether a process, a terminal or the
 * kernel sent it.  A thread that is cancelled meanwhile would swallow it. */
PAJEWRITE__UNTRACED
static void pajewrite__on_signal(int number, siginfo_t *info, void *context)
{
    static int state; /* 0: no signal is being handled; 1: one is; 2: one that ends the process was */
    const int cancel = pajewrite__prevent_cancel();
    int found = 0, begun = 0, waits = 2000, is_ignored, goes_on, i = 0;
    (void)context;
    while (pajewrite__signals[i] != number)
        i++;
    is_ignored = pajewrite__is_ignored(i, info);
    goes_on = is_ignored || pajewrite__has_handler(&pajewrite__old_actions[i]);
    /* If another thread handles one, the process must not end before, nor without what was written since. */
    while (!pajewrite__is_guest() && !(begun = PAJEWRITE__SWAP_IF(int, state, &found, 1)) && found == 1 && waits--) {
        pajewrite__sleep(1000000);
        found = 0;
    }
    if (begun) {
        pajewrite__flush_traces(goes_on);
        PAJEWRITE__PUBLISH(int, state, goes_on ? 0 : 2);
    }
    if (!is_ignored)
        sigaction(number, &pajewrite__old_actions[i], NULL);
    if (!is_ignored && (i >= PAJEWRITE__FAULTS || info->si_code <= 0))
        raise(number);
    pajewrite__let_cancel(cancel);
}

PAJEWRITE__API void pajewrite_flush_at_signals(void)
{
    struct sigaction action;
    int i;
    pthread_once(&pajewrite__traces_once, pajewrite__register_traces);
    pthread_mutex_lock(&pajewrite__traces_lock);
    for (i = pajewrite__has_handlers ? PAJEWRITE__SIGNALS : 0; i < PAJEWRITE__SIGNALS; i++) {
        struct sigaction *old = &pajewrite__old_actions[i];
        if (sigaction(pajewrite__signals[i], NULL, old) ||
            (i >= PAJEWRITE__FAULTS && pajewrite__has_handler(old)))
            continue;
        memset(&action, 0, sizeof action);
        action.sa_sigaction = pajewrite__on_signal;
        action.sa_flags = SA_SIGINFO;
#ifdef SA_ONSTACK
        action.sa_flags |= SA_ONSTACK; /* for a stack that overflows */
#endif
#ifdef SA_RESTART
        action.sa_flags |= pajewrite__has_handler(old) ? old->sa_flags & SA_RESTART : SA_RESTART;
#endif
        sigfillset(&action.sa_mask);
        sigaction(pajewrite__signals[i], &action, NULL);
    }
    pajewrite__has_handlers = 1;
    pthread_mutex_unlock(&pajewrite__traces_lock);
}

/* A library that is unloaded takes its handler with it, which the next signal would find gone. */
#if defined(__GNUC__) || defined(__clang__)
__attribute__((destructor)) PAJEWRITE__UNTRACED
static void pajewrite__remove_handlers(void)
{
    struct sigaction action;
    int i;
    for (i = 0; pajewrite__has_handlers && i < PAJEWRITE__SIGNALS; i++)
        if (!sigaction(pajewrite__signals[i], NULL, &action) && action.sa_flags & SA_SIGINFO &&
            action.sa_sigaction == pajewrite__on_signal)
            sigaction(pajewrite__signals[i], &pajewrite__old_actions[i], NULL);
}
#endif
#endif

/* ---------------- src/pajewrite/zones/process.h */

/* What the libraries of a process share when they trace by zones. */

#if PAJEWRITE_ZONES
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/types.h>

/* The trace of every process has these, whose aliases are fixed; those of names and threads follow. */
enum {
    PAJEWRITE__PROCESS_TYPE = 1,
    PAJEWRITE__THREAD_TYPE,
    PAJEWRITE__ZONE_TYPE,
    PAJEWRITE__MARK_TYPE,
    PAJEWRITE__MESSAGE_TYPE,
    PAJEWRITE__FIRST_FREE_ALIAS = 16
};
enum { PAJEWRITE__PROCESS_CONTAINER = 1 };

/* A thread's context with its buffer.  When a thread ends, the next one goes on with it, as the same container. */
typedef struct pajewrite__thread {
    struct pajewrite__thread *next;      /* of all; none is ever freed */
    struct pajewrite__thread *next_idle; /* of those whose thread has ended */
    uint32_t busy;    /* 1: a call is in progress, so that a signal handler must not begin another one */
    uint32_t trace;   /* number of the trace for which the context is set up */
    uint32_t depth;   /* of open zones */
    uint32_t number, links, dropped;
    size_t saved;     /* bytes of the buffer that a signal handler has written already */
    pajewrite_container container;
    pajewrite w;
    char buffer[PAJEWRITE_ZONES_BUFFER];
} pajewrite__thread;

enum { PAJEWRITE__INSIDE = 32 }; /* how many threads are noted */

/* The functions are those of the library that has the variable, which stays loaded.  The first two members are at the
 * same place in all versions. */
typedef struct pajewrite__process {
    uint32_t layout;      /* PAJEWRITE__LAYOUT of that library */
    uint32_t trace;       /* number of the trace being written; 0: none */
    uint32_t first_alias; /* smaller aliases of places are from earlier traces */
    uint32_t waiting;     /* 1: a child of fork, which begins a trace by its first call */
    pajewrite_status (*begin)(const char *path);
    pajewrite_status (*end)(int crashed); /* 2: the process may go on, and so does the trace */
    pajewrite__thread *(*attach)(void);
    uint32_t (*define)(pajewrite_place *place, pajewrite_kind kind, uint32_t type);
    pthread_key_t key;    /* of the thread's pajewrite__thread */
    pthread_mutex_t lock; /* of all that follows */
    uint32_t open_trace;  /* number of the trace whose file is open */
    uint32_t traces, last_alias, threads, dropped, disabled;
    int has_key, descriptor;
    int has_handlers;     /* 1: of forks and of the end of the process */
    long process;
    dev_t device;         /* of the file */
    ino_t inode;
    uint64_t origin, position; /* where the file ends */
    pajewrite__thread *newest, *idle;
    pajewrite__thread *inherited, *forked; /* child of fork: of threads of its parent, from here on; but this one */
    pajewrite w;          /* definitions, containers, what threads share: its lines come before those of threads */
    char *memory;         /* for its buffer, and names that are defined */
    size_t names_size;
    pthread_mutex_t fork_lock; /* in place of `lock` while a fork has that */
    uint32_t is_forking, has_fork_lock;
    const sigset_t *blocked; /* what the thread that has the lock had blocked before */
    int patience;         /* for how many milliseconds a pipe is waited for; negative: without end */
    int stalled;          /* for how many it has taken nothing */
    int ending;           /* how many threads wait for the lock to end the trace; the others let them go first */
    uintptr_t inside[PAJEWRITE__INSIDE]; /* threads that have the lock, or will take it, outside of a zone; 0: none */
    char path[512];
} pajewrite__process;

enum { PAJEWRITE__DEFINITIONS_SIZE = 32768, PAJEWRITE__NAMES_SIZE = 32768 };
enum { PAJEWRITE__STALLED = 1000 }; /* the greatest value of process->stalled */

/* Tells apart versions and options that do not work together. */
#define PAJEWRITE__LAYOUT \
    ((uint32_t)(PAJEWRITE_VERSION * 2654435761u + sizeof(pajewrite) * 40503u + sizeof(pajewrite__process) * 31u + \
                (PAJEWRITE_KINDS) * 8u + (PAJEWRITE_TABLE) * 4u + (PAJEWRITE_DOUBLE) * 2u + 1u))

/* The variable is one in a process.  On ELF systems with glibc a unique symbol points to it, which holds for libraries
 * loaded by dlopen(..., RTLD_LOCAL), too, and keeps the library that has it loaded; a program shares it with such
 * libraries if it is linked with -rdynamic. */
#ifdef __cplusplus
extern "C" {
#endif
#if defined(__ELF__) && defined(__linux__)
extern __attribute__((visibility("hidden"))) pajewrite__process pajewrite__own_process;
extern __attribute__((visibility("default"))) pajewrite__process *const pajewrite__shared_process;
#define PAJEWRITE__PROCESS_NAME pajewrite__own_process
#define pajewrite__the_process (*pajewrite__shared_process)
/* The assembler defines all of the pointer: an alias of the variable would have to be in the same object file, but
 * link-time optimization makes several of a large program, and moves the variable to one and this to another. */
#define PAJEWRITE__POINTER_OF(size) PAJEWRITE__POINTER_AS(size)
#define PAJEWRITE__POINTER_AS(size) \
    ".pushsection .data.rel.ro,\"aw\"\n" \
    ".balign " #size "\n" \
    ".globl pajewrite__shared_process\n" \
    ".type pajewrite__shared_process,%gnu_unique_object\n" \
    ".size pajewrite__shared_process," #size "\n" \
    "pajewrite__shared_process: ." #size "byte pajewrite__own_process\n" \
    ".popsection\n"
__asm__(PAJEWRITE__POINTER_OF(__SIZEOF_POINTER__));
#else
extern __attribute__((visibility("default"), weak)) pajewrite__process pajewrite__the_process;
#define PAJEWRITE__PROCESS_NAME pajewrite__the_process
#endif
#ifdef __cplusplus
}
#endif

/* Whether a signal that comes now ends or stops the process: its action is the default one, or is to write what is in
 * the buffers and then that one.  The latter cannot take the lock now, so it waits until a pipe has taken nothing for a
 * second. */
PAJEWRITE__UNTRACED
static int pajewrite__ends_process(const pajewrite__process *p, int number, const struct sigaction *action)
{
    int i = 0;
    if (!(action->sa_flags & SA_SIGINFO) || action->sa_sigaction != pajewrite__on_signal)
        return !pajewrite__has_handler(action);
    while (pajewrite__signals[i] != number)
        i++;
    return !pajewrite__has_handler(&pajewrite__old_actions[i]) &&
           __atomic_load_n(&p->stalled, __ATOMIC_RELAXED) >= PAJEWRITE__STALLED;
}

/* Lets signals end the process, or stop it, for which a thread is not to wait that has blocked all.  Handlers of the
 * program's own could find the lock taken, or jump away with it. */
PAJEWRITE__UNTRACED
static void pajewrite__let_signals_end(const pajewrite__process *p, const sigset_t *blocked)
{
    enum { PAJEWRITE__MOST = 64 };
    sigset_t pending, one;
    int number;
    sigpending(&pending);
    for (number = 1; number <= PAJEWRITE__MOST; number++) {
        struct sigaction action;
        if (sigismember(&pending, number) != 1 || sigismember(blocked, number) || sigaction(number, NULL, &action) ||
            !pajewrite__ends_process(p, number, &action))
            continue;
        sigemptyset(&one);
        sigaddset(&one, number);
        pthread_sigmask(SIG_UNBLOCK, &one, NULL);
        pthread_sigmask(SIG_BLOCK, &one, NULL);
    }
}

/* A fork has the lock while it waits for locks of the C library, and a thread that comes here in a signal handler may
 * have one of those.  So none waits for a fork for ever: that changes nothing, and the other lock is enough. */
PAJEWRITE__UNTRACED
static void pajewrite__wait_for_lock(const sigset_t *blocked)
{
    pajewrite__process *p = &pajewrite__the_process;
#ifdef __linux__
    struct timespec until;
    while (pthread_mutex_trylock(&p->lock)) {
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec += until.tv_nsec >= 900000000;
        until.tv_nsec += until.tv_nsec >= 900000000 ? -900000000 : 100000000;
        if (!pthread_mutex_timedlock(&p->lock, &until))
            return;
        pajewrite__let_signals_end(p, blocked); /* another thread may wait for a pipe */
        if (!__atomic_load_n(&p->is_forking, __ATOMIC_ACQUIRE))
            continue;
        pthread_mutex_lock(&p->fork_lock);
        if (__atomic_load_n(&p->is_forking, __ATOMIC_RELAXED)) {
            p->has_fork_lock = 1;
            return;
        }
        pthread_mutex_unlock(&p->fork_lock);
    }
#else
    (void)blocked;
    pthread_mutex_lock(&p->lock);
#endif
}

PAJEWRITE__UNTRACED
static void pajewrite__unlock(void)
{
    pajewrite__process *p = &pajewrite__the_process;
    if (p->has_fork_lock) {
        p->has_fork_lock = 0;
        pthread_mutex_unlock(&p->fork_lock);
    } else {
        pthread_mutex_unlock(&p->lock);
    }
}

/* `before`: what the calling thread has blocked.  Who ends the trace asks for the lock once in a millisecond, and would
 * hardly get it while others write without end to a pipe that is slow: they have it nearly always. */
PAJEWRITE__UNTRACED
static void pajewrite__lock(const pajewrite__blocked *before)
{
    pajewrite__process *p = &pajewrite__the_process;
    pajewrite__wait_for_lock(&before->signals);
    while (__atomic_load_n(&p->ending, __ATOMIC_RELAXED)) {
        pajewrite__unlock();
        pajewrite__let_signals_end(p, &before->signals);
        pajewrite__sleep(1000000);
        pajewrite__wait_for_lock(&before->signals);
    }
    p->blocked = &before->signals;
}

/* Notes that the calling thread is about to take the lock, though it is within no zone.  What is called meanwhile may
 * have zones, where a program has its own malloc, mmap, close, pthread_mutex_trylock.  Returns what to pass to
 * pajewrite__forget_inside; -1: it is noted already. */
PAJEWRITE__UNTRACED
static int pajewrite__note_inside(pajewrite__process *p)
{
    const uintptr_t self = (uintptr_t)pthread_self();
    uintptr_t none;
    int i;
    for (i = 0; i < PAJEWRITE__INSIDE; i++)
        if (__atomic_load_n(&p->inside[i], __ATOMIC_RELAXED) == self)
            return -1;
    do
        none = 0;
    while (i-- && !__atomic_compare_exchange_n(&p->inside[i], &none, self, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return i < 0 ? PAJEWRITE__INSIDE : i;
}

PAJEWRITE__UNTRACED
static void pajewrite__forget_inside(pajewrite__process *p, int place)
{
    if (place >= 0 && place < PAJEWRITE__INSIDE)
        __atomic_store_n(&p->inside[place], 0, __ATOMIC_RELAXED);
}

PAJEWRITE__UNTRACED
static pajewrite_type pajewrite__type_in(uint32_t category, uint32_t type)
{
    return PAJEWRITE_TYPE_IN(category & 31, type);
}
#endif

/* ---------------- src/pajewrite/zones/output.h */

/* The file of a trace by zones: its path, and appending lines to it. */

#if PAJEWRITE_ZONES
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

/* Writes a line to standard error, where it can be. */
PAJEWRITE__UNTRACED
static void pajewrite__report(const char *path, const char *why, const char *and_so)
{
    struct iovec pieces[5];
    const char *texts[5];
    pajewrite__blocked before;
    int i;
    texts[0] = "pajewrite: ";
    texts[1] = path;
    texts[2] = why;
    texts[3] = and_so;
    texts[4] = "\n";
    for (i = 0; i < 5; i++) {
        pieces[i].iov_base = (char *)(uintptr_t)texts[i];
        pieces[i].iov_len = strlen(texts[i]);
    }
    before = pajewrite__block();
    (void)pajewrite__writev(STDERR_FILENO, pieces, 5);
    pajewrite__unblock(&before);
}

PAJEWRITE__UNTRACED
static void pajewrite__complain(const char *path, const char *why)
{
    pajewrite__report(path, why, "; nothing is traced");
}

/* Whether this process has other rights than who started it: by the user or group of its file (set-user-ID), also if it
 * has made these its real ones since, or by capabilities of its file.  (<sys/auxv.h> defines hundreds of names.) */
#if defined(__linux__) && !defined(__UCLIBC__)
extern unsigned long pajewrite__auxiliary(unsigned long which) __asm__("getauxval");
enum { PAJEWRITE__IS_SECURE = 23 }; /* AT_SECURE */
#else
#define pajewrite__auxiliary(which) 0
#endif
PAJEWRITE__UNTRACED
static int pajewrite__has_other_rights(void)
{
    return getuid() != geteuid() || getgid() != getegid() || pajewrite__auxiliary(PAJEWRITE__IS_SECURE);
}

/* Returns a variable of the environment.  Programs that have other rights than who starts them read none: who starts
 * them could have any file overwritten. */
PAJEWRITE__UNTRACED
static const char *pajewrite__getenv(const char *name)
{
    return pajewrite__has_other_rights() ? NULL : getenv(name);
}

/* Returns the rank of this process in a parallel program; NULL: it is in none. */
PAJEWRITE__UNTRACED
static const char *pajewrite__rank(void)
{
    static const char *const names[] = {"PMIX_RANK", "PMI_RANK", "OMPI_COMM_WORLD_RANK", "MV2_COMM_WORLD_RANK",
                                        "SLURM_PROCID"};
    size_t i;
    for (i = 0; i < sizeof names / sizeof *names; i++) {
        const char *rank = pajewrite__getenv(names[i]);
        if (rank && *rank)
            return rank;
    }
    return NULL;
}

/* Makes the path of a file: %p is the number of the process, %r its rank or 0, %% is %.  Returns 0 if it is too
 * long. */
PAJEWRITE__UNTRACED
static int pajewrite__expand(char *path, size_t size, const char *pattern)
{
    char *p = path, *end = path + size - 1;
    for (; *pattern && p < end; pattern++) {
        char digits[24];
        const char *text = NULL;
        if (*pattern == '%' && pattern[1] == 'p') {
            *pajewrite__put_u64(digits, (uint64_t)getpid()) = 0;
            text = digits;
        } else if (*pattern == '%' && pattern[1] == 'r') {
            text = pajewrite__rank();
            text = text ? text : "0";
        }
        if (!text) {
            pattern += *pattern == '%' && pattern[1] == '%';
            *p++ = *pattern;
            continue;
        }
        pattern++;
        while (*text && p < end)
            *p++ = *text++;
    }
    *p = 0;
    return p < end;
}

/* Whether a path has %p, so that each process has a file of its own. */
PAJEWRITE__UNTRACED
static int pajewrite__is_own_path(const char *pattern)
{
    for (; *pattern; pattern++)
        if (*pattern == '%' && pattern[1]) {
            if (*++pattern == 'p')
                return 1;
        }
    return 0;
}

PAJEWRITE__UNTRACED
static int pajewrite__is_open(const pajewrite__process *p)
{
    return pajewrite__is_file(p->descriptor, (uint64_t)p->device, (uint64_t)p->inode);
}

/* Waits a millisecond for a pipe or a terminal that takes nothing now.  Returns 0 if it was waited for long enough. */
PAJEWRITE__UNTRACED
static int pajewrite__wait_for_pipe(pajewrite__process *p)
{
    if (!p->patience)
        return 0;
    p->patience -= p->patience > 0;
    __atomic_store_n(&p->stalled, p->stalled + (p->stalled < PAJEWRITE__STALLED), __ATOMIC_RELAXED);
    pajewrite__let_signals_end(p, p->blocked);
    pajewrite__sleep(1000000);
    return 1;
}

/* What fills a page up.  It is not on the stack, which may be that of a signal handler: 8 KB, of which the system needs
 * a third or more. */
#define PAJEWRITE__16_LINES "\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n"
#define PAJEWRITE__64_LINES PAJEWRITE__16_LINES PAJEWRITE__16_LINES PAJEWRITE__16_LINES PAJEWRITE__16_LINES
#define PAJEWRITE__256_LINES PAJEWRITE__64_LINES PAJEWRITE__64_LINES PAJEWRITE__64_LINES PAJEWRITE__64_LINES
static const char pajewrite__page_end[] = PAJEWRITE__256_LINES PAJEWRITE__256_LINES;

/* How many of some bytes fit what is left of a page, which is fewer: whole lines, and both ends of a link or none. */
PAJEWRITE__UNTRACED
static size_t pajewrite__fitting(const char *bytes, size_t room)
{
    const size_t fits = pajewrite__whole_lines(bytes, room);
    const char *next = bytes + fits;
    if (fits && next[0] == '0' + PAJEWRITE_END_LINK / 10 && next[1] == '0' + PAJEWRITE_END_LINK % 10 && next[2] == ' ')
        return pajewrite__whole_lines(bytes, fits - 1);
    return fits;
}

/* Appends lines to the file, with the lock held.  A process that is killed while it writes stops at the end of a
 * page, so newlines are added where a line would cross one, or would be parted from the other end of a link: the file
 * holds whole lines at any time. */
PAJEWRITE__UNTRACED
static pajewrite_status pajewrite__append(void *data, const char *bytes, size_t size)
{
    enum { PAJEWRITE__PAGE = 4096, PAJEWRITE__MOST = 16, PAJEWRITE__ADDED = sizeof pajewrite__page_end - 1 };
    pajewrite__process *p = (pajewrite__process *)data;
    const char *start = bytes;
    uint64_t whole = p->position; /* where the lines and definitions end of which all was written */
    int i, count;
    pajewrite_status status = PAJEWRITE_OK;
    if (p->process != pajewrite__owner())
        return PAJEWRITE_E_FORKED;
    if (!pajewrite__is_open(p))
        return PAJEWRITE_E_SINK;
    while (size && !status) {
        struct iovec pieces[PAJEWRITE__MOST]; /* in turn lines, and newlines up to the end of the page */
        const char *from = bytes, *end = bytes + size;
        uint64_t at = p->position;
        ssize_t taken;
        for (count = 0; from < end && count < PAJEWRITE__MOST; count += 2) {
            size_t room = PAJEWRITE__PAGE - (size_t)(at % PAJEWRITE__PAGE), left = (size_t)(end - from);
            size_t fits = room < left ? room : left;
            if (room < left) {
                int within = from > start && from[-1] != '\n'; /* a line of which a part was written */
                fits = pajewrite__fitting(from, room);
                if (room - fits > PAJEWRITE__ADDED || (within && !fits))
                    fits = room; /* a long line */
            }
            pieces[count].iov_base = (char *)(uintptr_t)from;
            pieces[count].iov_len = fits;
            pieces[count + 1].iov_base = (char *)(uintptr_t)pajewrite__page_end;
            pieces[count + 1].iov_len = from + fits < end ? room - fits : 0;
            at += fits + pieces[count + 1].iov_len;
            from += fits;
        }
        taken = pajewrite__writev(p->descriptor, pieces, count);
        if (taken > 0) {
            __atomic_store_n(&p->stalled, 0, __ATOMIC_RELAXED);
        } else if (taken < 0 && pajewrite__is_full(errno)) {
            status = pajewrite__wait_for_pipe(p) ? PAJEWRITE_OK : PAJEWRITE_E_SINK;
        } else if (taken == 0 || errno != EINTR) {
            status = PAJEWRITE_E_SINK;
        }
        for (i = 0; i < count && taken > 0; i++) {
            size_t piece = (size_t)taken < pieces[i].iov_len ? (size_t)taken : pieces[i].iov_len;
            taken -= (ssize_t)piece;
            p->position += piece;
            if (i % 2 == 0) {
                size_t torn;
                bytes += piece;
                size -= piece;
                torn = (size_t)(bytes - start) - pajewrite__whole_records(start, (size_t)(bytes - start));
                if (torn <= piece) /* else there may be newlines within, and it began before this piece */
                    whole = p->position - torn;
            }
        }
    }
    if (status) {
        pajewrite__cut_line(p->descriptor, (off_t)(p->position - whole));
        p->position = whole;
    }
    return status;
}

/* The sink of threads.  The buffer is empty before signals come again, which may end the trace. */
PAJEWRITE__UNTRACED
static pajewrite_status pajewrite__append_of_thread(void *data, const char *bytes, size_t size)
{
    pajewrite__thread *thread = (pajewrite__thread *)data;
    pajewrite__process *p = &pajewrite__the_process;
    const pajewrite__blocked before = pajewrite__block();
    pajewrite_status status = PAJEWRITE_E_CLOSED;
    pajewrite__lock(&before);
    if (thread->trace == p->open_trace) {
        pajewrite_flush(&p->w); /* what the lines use; its status may be that of a call that was refused */
        status = p->w.stopped ? (pajewrite_status)p->w.stopped
                              : pajewrite__append(p, bytes + thread->saved, size - thread->saved);
        thread->saved = 0;
        pajewrite__set_next(&thread->w, thread->w.buffer);
    }
    pajewrite__unlock();
    pajewrite__unblock(&before);
    return status;
}
#endif

/* ---------------- src/pajewrite/zones/open.h */

/* Opening the trace of a process, and what every such trace defines. */

#if PAJEWRITE_ZONES
#include <fcntl.h>
#include <sys/file.h>

/* Reads a number of at most two digits; if there is none, it is 99. */
PAJEWRITE__UNTRACED
static const char *pajewrite__read_category(const char *text, uint32_t *number)
{
    const char *start = text;
    for (*number = 0; *text >= '0' && *text <= '9' && text - start < 2; text++)
        *number = *number * 10 + (uint32_t)(*text - '0');
    if (text == start)
        *number = 99;
    return text;
}

/* Reads the categories of PAJEWRITE_CATEGORIES, such as 0,2-5.  Returns those that are not among them. */
PAJEWRITE__UNTRACED
static uint32_t pajewrite__read_categories(const char *text)
{
    uint32_t enabled = 0, first, last;
    if (!text || !*text)
        return 0;
    while (*text) {
        text = pajewrite__read_category(text, &first);
        last = first;
        if (*text == '-')
            text = pajewrite__read_category(text + 1, &last);
        if (first > last || last > 31 || (*text && *text != ',')) {
            pajewrite__complain("PAJEWRITE_CATEGORIES", " has to be numbers from 0 to 31, such as 0,2-5");
            return UINT32_MAX;
        }
        for (; first <= last; first++)
            enabled |= UINT32_C(1) << first;
        text += *text == ',';
    }
    return ~enabled;
}

/* Opens a file for writing, and waits until a FIFO has a reader. */
PAJEWRITE__UNTRACED
static int pajewrite__open_for_writing(pajewrite__process *p, const char *path)
{
    struct stat about;
    int descriptor;
    p->patience = -1;
    __atomic_store_n(&p->stalled, 0, __ATOMIC_RELAXED);
    do /* signals are blocked, so nothing may wait in the system */
        descriptor = pajewrite__open_descriptor(path, O_WRONLY | O_CREAT | O_NONBLOCK);
    while (descriptor < 0 && errno == ENXIO && !stat(path, &about) && S_ISFIFO(about.st_mode) &&
           pajewrite__wait_for_pipe(p));
    return descriptor;
}

/* Opens the file.  Only one trace at a time is written to a file, also by libraries that do not share this one. */
PAJEWRITE__UNTRACED
static int pajewrite__open_file(pajewrite__process *p, const char *path)
{
    struct stat about;
    int descriptor = pajewrite__open_for_writing(p, path);
    if (descriptor < 0) {
        pajewrite__complain(path, ": cannot be opened for writing");
        return -1;
    }
    if (!fstat(descriptor, &about)) {
        p->device = about.st_dev;
        p->inode = about.st_ino;
        if (!S_ISREG(about.st_mode))
            return descriptor;
    }
    if ((flock(descriptor, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK) || ftruncate(descriptor, 0)) {
        pajewrite__complain(path, ": another process, or another library of this one, is writing it");
        close(descriptor);
        return -1;
    }
    return descriptor;
}

/* Closes the file.  It is unlocked first: a child that another thread has just made has the descriptor, too, up to its
 * handler of forks or the program that it executes, and with it the lock. */
PAJEWRITE__UNTRACED
static int pajewrite__close_file(const pajewrite__process *p)
{
    flock(p->descriptor, LOCK_UN);
    return close(p->descriptor);
}

/* Opens the file p->path, and writes the definitions that every trace has. */
PAJEWRITE__UNTRACED
static pajewrite_status pajewrite__open_trace(pajewrite__process *p)
{
    static const pajewrite_config defaults = PAJEWRITE_CONFIG;
    pajewrite_config config = defaults;
    const pajewrite_type process = PAJEWRITE_TYPE(PAJEWRITE__PROCESS_TYPE);
    const pajewrite_type thread = PAJEWRITE_TYPE(PAJEWRITE__THREAD_TYPE);
    const char *rank = pajewrite__rank();
    char path[sizeof p->path], name[64];
    if (!pajewrite__expand(path, sizeof path, p->path)) {
        pajewrite__complain(p->path, ": path is too long");
        return PAJEWRITE_E_SINK;
    }
    p->descriptor = pajewrite__open_file(p, path);
    if (p->descriptor < 0)
        return PAJEWRITE_E_SINK;
    if (!p->memory) {
        p->memory = (char *)pajewrite__get_memory(NULL, PAJEWRITE__DEFINITIONS_SIZE + PAJEWRITE__NAMES_SIZE);
        if (!p->memory) {
            pajewrite__complain(path, ": no memory");
            pajewrite__close_file(p);
            return PAJEWRITE_E_MISUSE;
        }
    }
    p->process = pajewrite__owner();
    p->position = p->names_size = 0;
    __atomic_store_n(&p->dropped, 0, __ATOMIC_RELAXED);
    p->disabled = pajewrite__read_categories(pajewrite__getenv("PAJEWRITE_CATEGORIES"));
    if (!p->origin)
        p->origin = pajewrite_monotonic(NULL);
    config.sink = pajewrite__append;
    config.sink_data = p;
    config.clock = pajewrite_monotonic;
    config.origin = p->origin;
    config.aliases = &p->last_alias; /* threads that define types of their own take some, too */
    pajewrite_init(&p->w, p->memory, PAJEWRITE__DEFINITIONS_SIZE, &config);
    pajewrite_header(&p->w);
    pajewrite_define_container_type(&p->w, process, PAJEWRITE_ROOT_TYPE, "Process");
    pajewrite_define_container_type(&p->w, thread, process, "Thread");
    pajewrite_define_state_type(&p->w, PAJEWRITE_TYPE(PAJEWRITE__ZONE_TYPE), thread, "Zone");
    pajewrite_define_event_type(&p->w, PAJEWRITE_TYPE(PAJEWRITE__MARK_TYPE), thread, "Mark");
    pajewrite_define_link_type(&p->w, PAJEWRITE_TYPE(PAJEWRITE__MESSAGE_TYPE), thread, thread, thread, "Message");
    pajewrite__expand(name, sizeof name, rank ? "rank %r" : "process %p");
    pajewrite_create_container(&p->w, PAJEWRITE_CONTAINER(PAJEWRITE__PROCESS_CONTAINER), process, PAJEWRITE_ROOT, name);
    p->last_alias += p->last_alias ? 0 : PAJEWRITE__FIRST_FREE_ALIAS - 1;
    p->open_trace = ++p->traces;
    __atomic_store_n(&p->first_alias, p->last_alias + 1, __ATOMIC_RELAXED);
    __atomic_store_n(&p->trace, p->open_trace, __ATOMIC_RELEASE);
    return PAJEWRITE_OK;
}
#endif

/* ---------------- src/pajewrite/zones/thread.h */

/* The contexts of threads, from the first use in a thread to its end; names of places. */

#if PAJEWRITE_ZONES
/* Writes the lines of a thread that are not in the file yet.  The lock is held. */
PAJEWRITE__UNTRACED
static pajewrite_status pajewrite__save_thread(pajewrite__process *p, pajewrite__thread *thread)
{
    const size_t size = (size_t)(thread->w.next - thread->w.buffer);
    const pajewrite_status status =
        size > thread->saved ? pajewrite__append(p, thread->w.buffer + thread->saved, size - thread->saved)
                             : PAJEWRITE_OK;
    thread->saved = size;
    return status;
}

/* Also without the lock. */
PAJEWRITE__UNTRACED
static void pajewrite__count_dropped(pajewrite__process *p, uint32_t count)
{
    (void)__atomic_fetch_add(&p->dropped, count, __ATOMIC_RELAXED);
}

/* Ends the container of a thread that has jumped out of a call, or ended within one: what its context would write may
 * be dropped, and its count of open states may be off.  So the next thread sets it up again.  The lock is held. */
PAJEWRITE__UNTRACED
static void pajewrite__give_up_context(pajewrite__process *p, pajewrite__thread *thread)
{
    pajewrite_flush(&p->w); /* what the lines use */
    if (!thread->w.stopped && !p->w.stopped)
        pajewrite__save_thread(p, thread);
    pajewrite_destroy_container(&p->w, thread->container, PAJEWRITE_TYPE(PAJEWRITE__THREAD_TYPE));
    pajewrite__count_dropped(p, (uint32_t)pajewrite_count(&thread->w).dropped + thread->dropped);
    thread->trace = 0;
}

/* Hands a context on to the next thread. */
PAJEWRITE__UNTRACED
static void pajewrite__hand_on(pajewrite__process *p, pajewrite__thread *thread)
{
    thread->next_idle = p->idle;
    p->idle = thread;
}

/* Ends what a thread has left open, and hands its context on. */
PAJEWRITE__UNTRACED
static void pajewrite__end_thread(void *data)
{
    pajewrite__process *p = &pajewrite__the_process;
    pajewrite__thread *thread = (pajewrite__thread *)data;
    const pajewrite__blocked before = pajewrite__block();
    const int place = pajewrite__note_inside(p);
    const int is_within = __atomic_exchange_n(&thread->busy, 1, __ATOMIC_SEQ_CST) || pajewrite__is_busy(&thread->w);
    if (!is_within && thread->trace == __atomic_load_n(&p->trace, __ATOMIC_RELAXED)) {
        for (; thread->depth; thread->depth--)
            pajewrite__fast_state(&thread->w, PAJEWRITE_POP_STATE, 1, 0, thread->container,
                                  PAJEWRITE_TYPE(PAJEWRITE__ZONE_TYPE), PAJEWRITE_VALUE(0));
        pajewrite_flush(&thread->w);
    }
    __atomic_store_n(&thread->busy, 0, __ATOMIC_RELEASE);
    pajewrite__lock(&before);
    if (is_within && thread->trace == p->open_trace)
        pajewrite__give_up_context(p, thread);
    pajewrite_disable(&thread->w, p->disabled); /* what this thread enabled or disabled is not for the next one */
    pajewrite_enable(&thread->w, ~p->disabled);
    pajewrite__hand_on(p, thread);
    pajewrite__unlock();
    pajewrite__forget_inside(p, place);
    pajewrite__unblock(&before);
}

/* Returns the context of a thread that a child of fork does not have; NULL: none is left.  The child changes none
 * before it needs that: the system would copy a page of each. */
PAJEWRITE__UNTRACED
static pajewrite__thread *pajewrite__take_inherited(pajewrite__process *p)
{
    pajewrite__thread *thread = p->inherited;
    if (thread && thread == p->forked)
        thread = thread->next;
    p->inherited = thread ? thread->next : NULL;
    if (thread)
        thread->busy = thread->trace = 0;
    return thread;
}

/* Returns an unused context for a thread; NULL: there is no memory. */
PAJEWRITE__UNTRACED
static pajewrite__thread *pajewrite__new_thread(pajewrite__process *p)
{
    pajewrite__thread *thread = p->idle;
    if (thread) {
        p->idle = thread->next_idle;
        return thread;
    }
    thread = pajewrite__take_inherited(p);
    if (thread)
        return thread;
    thread = (pajewrite__thread *)pajewrite__get_memory(NULL, sizeof *thread);
    if (!thread)
        return NULL;
    thread->number = ++p->threads;
    thread->next = p->newest;
    __atomic_store_n(&p->newest, thread, __ATOMIC_RELEASE);
    return thread;
}

/* Sets up the context for the trace that is open.  Returns 0 if no alias is left for its container. */
PAJEWRITE__UNTRACED
static int pajewrite__set_up_thread(pajewrite__process *p, pajewrite__thread *thread)
{
    static const pajewrite_config defaults = PAJEWRITE_CONFIG;
    pajewrite_config config = defaults;
    const uint32_t alias = pajewrite__take_alias(&p->w, PAJEWRITE__CONTAINERS, UINT32_MAX);
    char name[32] = "thread ";
    if (!alias)
        return 0;
    config.sink = pajewrite__append_of_thread;
    config.sink_data = thread;
    config.clock = pajewrite_monotonic;
    config.origin = p->origin;
    config.disabled = p->disabled;
    config.aliases = &p->last_alias;
    pajewrite_init(&thread->w, thread->buffer, PAJEWRITE_ZONES_BUFFER, &config);
    thread->depth = thread->links = thread->dropped = 0;
    thread->saved = 0;
    thread->container = PAJEWRITE_CONTAINER(alias);
    *pajewrite__put_u32(name + 7, thread->number) = 0;
    pajewrite_create_container(&p->w, thread->container, PAJEWRITE_TYPE(PAJEWRITE__THREAD_TYPE),
                               PAJEWRITE_CONTAINER(PAJEWRITE__PROCESS_CONTAINER), name);
    __atomic_store_n(&thread->trace, p->open_trace, __ATOMIC_RELAXED);
    return 1;
}

/* Returns the context of the calling thread, which has none for this trace yet; NULL: nothing is traced. */
PAJEWRITE__UNTRACED
static pajewrite__thread *pajewrite__attach_thread(void)
{
    pajewrite__process *p = &pajewrite__the_process;
    const pajewrite__blocked before = pajewrite__block();
    const int place = pajewrite__note_inside(p);
    pajewrite__thread *thread = NULL, *own = NULL;
    if (place < 0) {
        pajewrite__count_dropped(p, 1);
        pajewrite__unblock(&before);
        return NULL;
    }
    pajewrite__lock(&before);
    if (p->waiting) {
        pajewrite__open_trace(p);
        p->waiting = 0; /* last: another thread may fork meanwhile, and its child is to trace, too */
    }
    if (p->trace) {
        own = (pajewrite__thread *)pthread_getspecific(p->key);
        thread = own ? own : pajewrite__new_thread(p);
        if (thread)
            __atomic_store_n(&thread->busy, 1, __ATOMIC_RELAXED); /* to what has zones, up to the end */
        if (!own && thread && pthread_setspecific(p->key, thread)) {
            thread->busy = 0;
            pajewrite__hand_on(p, thread);
            thread = NULL;
        }
        own = thread;
        if (thread && thread->trace != p->trace && !pajewrite__set_up_thread(p, thread))
            thread = NULL;
        if (!thread)
            pajewrite__count_dropped(p, 1);
    }
    pajewrite__unlock();
    if (own)
        __atomic_store_n(&own->busy, 0, __ATOMIC_RELEASE);
    pajewrite__forget_inside(p, place);
    pajewrite__unblock(&before);
    return thread;
}

/* Finds a name among those that are defined for a type, which has either values or variables; they are kept as alias,
 * type and text.  Returns its alias, or 0. */
PAJEWRITE__UNTRACED
static uint32_t pajewrite__find_name(const pajewrite__process *p, uint32_t of, const char *name)
{
    const char *names = p->memory + PAJEWRITE__DEFINITIONS_SIZE;
    size_t at = 0;
    while (at < p->names_size) {
        uint32_t known[2];
        memcpy(known, names + at, sizeof known);
        at += sizeof known;
        if (known[1] == of && strcmp(names + at, name) == 0)
            return known[0];
        at += strlen(names + at) + 1;
    }
    return 0;
}

/* Keeps a name while there is memory.  Later ones are defined at each of their places. */
PAJEWRITE__UNTRACED
static void pajewrite__keep_name(pajewrite__process *p, uint32_t alias, uint32_t of, const char *name)
{
    char *names = p->memory + PAJEWRITE__DEFINITIONS_SIZE;
    uint32_t known[2];
    size_t size = strlen(name) + 1;
    if (size + sizeof known > PAJEWRITE__NAMES_SIZE - p->names_size)
        return;
    known[0] = alias;
    known[1] = of;
    memcpy(names + p->names_size, known, sizeof known);
    memcpy(names + p->names_size + sizeof known, name, size);
    p->names_size += sizeof known + size;
}

/* Returns a colour that depends on the name only, so that all traces of a program have the same ones. */
PAJEWRITE__UNTRACED
static const char *pajewrite__color_of(const char *name)
{
    static const char *const colors[] = {"1f77b4", "ff7f0e", "2ca02c", "d62728", "9467bd", "8c564b",
                                         "e377c2", "7f7f7f", "bcbd22", "17becf", "aec7e8", "98df8a"};
    uint32_t hash = 2166136261u;
    for (; *name; name++)
        hash = (hash ^ (unsigned char)*name) * 16777619u;
    return colors[(hash >> 16) % (sizeof colors / sizeof *colors)];
}

/* Returns the text of a name; with a _ in front if it is a number, which could be the alias of another value.  `text`
 * has room for that. */
PAJEWRITE__UNTRACED
static const char *pajewrite__text_of_name(const char *name, char *text)
{
    uint64_t number;
    if (!pajewrite__is_number(name, &number))
        return name;
    text[0] = '_';
    *pajewrite__put_string(text + 1, name) = 0;
    return text;
}

/* Defines the name of a place, at its first use in this trace: a variable type of containers of type `of`, or a value
 * of type `of`.  Returns its alias; 0: the trace has ended, or none is left. */
PAJEWRITE__UNTRACED
static uint32_t pajewrite__define_place(pajewrite_place *place, pajewrite_kind kind, uint32_t of)
{
    pajewrite__process *p = &pajewrite__the_process;
    const pajewrite__blocked before = pajewrite__block();
    uint32_t alias = 0;
    char text[24];
    pajewrite__lock(&before);
    if (p->open_trace && p->trace) {
        alias = place->alias >= p->first_alias ? place->alias : pajewrite__find_name(p, of, place->name);
        if (!alias) {
            const uint64_t refused = p->w.refused;
            const int is_value = kind == PAJEWRITE_DEFINE_VALUE;
            alias = is_value ? pajewrite__take_alias(&p->w, PAJEWRITE__VALUES, UINT32_MAX) :
                pajewrite__take_alias(&p->w, PAJEWRITE__TYPES, PAJEWRITE_TYPE_MAX);
            if (alias && is_value)
                pajewrite_define_value(&p->w, PAJEWRITE_VALUE(alias), PAJEWRITE_TYPE(of),
                                       pajewrite__text_of_name(place->name, text),
                                       pajewrite__color_of(place->name));
            else if (alias)
                pajewrite_define_variable_type(&p->w, PAJEWRITE_TYPE(alias), PAJEWRITE_TYPE(of),
                                               pajewrite__text_of_name(place->name, text),
                                               pajewrite__color_of(place->name));
            if (p->w.refused == refused)
                pajewrite__keep_name(p, alias, of, place->name);
            else /* no alias is left, or the name is longer than the buffer */
                alias = 0;
        }
        __atomic_store_n(&place->alias, alias, __ATOMIC_RELEASE);
    }
    pajewrite__unlock();
    pajewrite__unblock(&before);
    return alias;
}
#endif

/* ---------------- src/pajewrite/zones/end.h */

/* Ending the trace of a process; fork. */

#if PAJEWRITE_ZONES
PAJEWRITE__UNTRACED
static pajewrite__thread *pajewrite__own_thread(const pajewrite__process *p)
{
    return p->has_key ? (pajewrite__thread *)pthread_getspecific(p->key) : NULL;
}

/* Whether the calling thread is in the midst of a call, which a signal handler has interrupted. */
PAJEWRITE__UNTRACED
static int pajewrite__is_inside(const pajewrite__process *p)
{
    const pajewrite__thread *own = pajewrite__own_thread(p);
    return own && own->busy;
}

/* Drops zones of what this thread calls while it has the lock.  Returns its context, or NULL if they are already, or it
 * has none. */
PAJEWRITE__UNTRACED
static pajewrite__thread *pajewrite__drop_own_zones(const pajewrite__process *p)
{
    pajewrite__thread *own = pajewrite__own_thread(p);
    if (!own || own->busy)
        return NULL;
    __atomic_store_n(&own->busy, 1, __ATOMIC_RELAXED);
    return own;
}

PAJEWRITE__UNTRACED
static void pajewrite__write_own_zones(pajewrite__thread *own)
{
    if (own)
        __atomic_store_n(&own->busy, 0, __ATOMIC_RELEASE);
}

/* Takes the lock, unless the calling thread may have it already, which waits for a pipe and has let a signal in, or
 * another one does not give it back.  `is_inside`: it was in the midst of a call. */
PAJEWRITE__UNTRACED
static int pajewrite__try_lock(pajewrite__process *p, const pajewrite__blocked *before, int is_inside, int milliseconds)
{
    const int is_stalled = __atomic_load_n(&p->stalled, __ATOMIC_RELAXED) >= PAJEWRITE__STALLED;
    int tries = is_stalled && is_inside ? 1 : milliseconds, is_locked;
    (void)__atomic_fetch_add(&p->ending, 1, __ATOMIC_RELAXED);
    while ((is_locked = !pthread_mutex_trylock(&p->lock)) == 0 && --tries)
        pajewrite__sleep(1000000);
    (void)__atomic_fetch_sub(&p->ending, 1, __ATOMIC_RELAXED);
    if (is_locked)
        p->blocked = &before->signals;
    return is_locked;
}

/* Waits until no other thread is in the midst of a call.  A thread that has just begun one, and has not seen that the
 * trace ends, is given a millisecond to be seen itself: that spares each call a memory barrier. */
PAJEWRITE__UNTRACED
static void pajewrite__wait_for_threads(pajewrite__process *p, uint32_t trace, int milliseconds)
{
    const pajewrite__thread *own = pajewrite__own_thread(p), *thread = p->newest;
    if (!thread || (thread == own && !thread->next))
        return;
    pajewrite__sleep(1000000);
    for (; thread; thread = thread->next)
        while (thread != own && __atomic_load_n(&thread->trace, __ATOMIC_RELAXED) == trace &&
               __atomic_load_n(&thread->busy, __ATOMIC_ACQUIRE) && milliseconds-- > 0)
            pajewrite__sleep(1000000);
}

/* Writes what is in the buffers, as the process may end.  The lock is held. */
PAJEWRITE__UNTRACED
static void pajewrite__save_trace(pajewrite__process *p)
{
    pajewrite__thread *thread;
    if (!p->open_trace || p->process != pajewrite__owner())
        return;
    p->patience = 1000;
    pajewrite_flush(&p->w);
    for (thread = p->newest; thread && !p->w.stopped; thread = thread->next)
        if (thread->trace == p->open_trace && !thread->w.stopped && pajewrite__save_thread(p, thread))
            pajewrite__fail(&p->w, PAJEWRITE_E_SINK); /* a part may be in the file */
    p->patience = -1;
}

/* Lets no more calls begin.  Returns the number of the trace that is to end, also if another thread is ending it; 0:
 * this process has none.  The lock is held. */
PAJEWRITE__UNTRACED
static uint32_t pajewrite__stop_trace(pajewrite__process *p)
{
    __atomic_store_n(&p->trace, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&p->waiting, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&p->first_alias, UINT32_MAX, __ATOMIC_RELAXED);
    return p->process == pajewrite__owner() ? p->open_trace : 0;
}

/* Writes what threads have in their buffers, and how many events were dropped.  Sets *failed if the file cannot be
 * written.  The lock is held. */
PAJEWRITE__UNTRACED
static pajewrite_status pajewrite__save_threads(pajewrite__process *p, uint32_t trace, uint32_t *failed)
{
    pajewrite_status status = PAJEWRITE_OK;
    uint64_t dropped = __atomic_load_n(&p->dropped, __ATOMIC_RELAXED);
    pajewrite__thread *thread;
    for (thread = p->newest; thread; thread = thread->next) {
        const pajewrite *w = &thread->w;
        pajewrite_status appended = PAJEWRITE_OK;
        if (thread->trace != trace)
            continue;
        *failed |= w->stopped;
        if (!*failed)
            appended = pajewrite__save_thread(p, thread);
        *failed |= appended != PAJEWRITE_OK;
        if (!status)
            status = w->status ? w->status : appended;
        dropped += pajewrite_count(w).dropped + thread->dropped;
    }
    if (dropped && !*failed) {
        p->w.gap_count = dropped;
        p->w.gap_first = p->origin;
        p->w.gap_last = pajewrite_now(&p->w);
        pajewrite__write_gap(&p->w);
    }
    return status;
}

/* Writes what is in the buffers, destroys the containers and closes the file.  The lock is held. */
PAJEWRITE__UNTRACED
static pajewrite_status pajewrite__close_trace(pajewrite__process *p, uint32_t trace)
{
    pajewrite_status status, of_threads, finished = PAJEWRITE_OK;
    pajewrite__thread *thread;
    uint32_t failed;
    p->open_trace = 0;
    status = pajewrite_flush(&p->w);
    failed = p->w.stopped; /* the status may be that of a call that was refused */
    of_threads = pajewrite__save_threads(p, trace, &failed);
    for (thread = p->newest; thread; thread = thread->next)
        if (thread->trace == trace)
            pajewrite_destroy_container(&p->w, thread->container, PAJEWRITE_TYPE(PAJEWRITE__THREAD_TYPE));
    pajewrite_destroy_container(&p->w, PAJEWRITE_CONTAINER(PAJEWRITE__PROCESS_CONTAINER),
                                PAJEWRITE_TYPE(PAJEWRITE__PROCESS_TYPE));
    if (!failed)
        finished = pajewrite_finish(&p->w);
    if (pajewrite__is_open(p) && pajewrite__close_file(p) && !finished)
        finished = PAJEWRITE_E_SINK;
    p->origin = 0;
    return status ? status : of_threads ? of_threads : finished;
}

/* Ends the trace.  `crashed`: the process is about to die, so nothing is waited for long; 2: it may go on, so what is
 * in the buffers is written, and the trace does not end. */
PAJEWRITE__UNTRACED
static pajewrite_status pajewrite__end_trace(int crashed)
{
    pajewrite__process *p = &pajewrite__the_process;
    const int patience = crashed ? 50 : 2000, lock_patience = crashed ? 1000 : 2000; /* a pipe may be slow */
    const pajewrite__blocked before = pajewrite__block();
    const int place = pajewrite__note_inside(p), is_inside = pajewrite__is_inside(p);
    pajewrite_status status = PAJEWRITE_OK;
    pajewrite__thread *own = pajewrite__drop_own_zones(p);
    uint32_t trace = 0;
    if (pajewrite__is_guest())
        goto done;
    if (!pajewrite__try_lock(p, &before, is_inside, lock_patience)) {
        status = PAJEWRITE_E_SINK;
        goto done;
    }
    if (crashed == 2)
        pajewrite__save_trace(p);
    else
        trace = pajewrite__stop_trace(p);
    pajewrite__unlock();
    if (!trace)
        goto done;
    pajewrite__write_own_zones(own); /* there are none without a trace; another thread may wait for this one */
    own = NULL;
    pajewrite__wait_for_threads(p, trace, patience);
    if (!pajewrite__try_lock(p, &before, is_inside, lock_patience)) {
        status = PAJEWRITE_E_SINK;
        goto done;
    }
    if (p->open_trace == trace) { /* else another thread was faster */
        p->patience = crashed ? 1000 : -1;
        status = pajewrite__close_trace(p, trace);
    }
    pajewrite__unlock();
done:
    pajewrite__write_own_zones(own);
    pajewrite__forget_inside(p, place);
    pajewrite__unblock(&before);
    return status;
}

PAJEWRITE__UNTRACED
static void pajewrite__at_signal(int goes_on)
{
    if (pajewrite__the_process.layout == PAJEWRITE__LAYOUT)
        pajewrite__the_process.end(goes_on ? 2 : 1);
}

/* Returns 0 if no key is left. */
PAJEWRITE__UNTRACED
static int pajewrite__has_key(pajewrite__process *p)
{
    if (!p->has_key)
        p->has_key = !pthread_key_create(&p->key, pajewrite__end_thread);
    return p->has_key;
}

/* When it is loaded, as each library of the process may handle signals, also one that never begins the trace.  The key
 * is one of the first then, for which glibc has memory in each thread: for others pthread_setspecific calls calloc. */
PAJEWRITE__EARLY(1000) PAJEWRITE__UNTRACED
static void pajewrite__load_zones(void)
{
    pajewrite__end_zones = pajewrite__at_signal;
    if (pajewrite__the_process.end == pajewrite__end_trace) /* the variable is of this library, which stays loaded */
        pajewrite__has_key(&pajewrite__the_process);
}

PAJEWRITE__UNTRACED
static void pajewrite__at_exit(void)
{
    pajewrite_status status = pajewrite__the_process.end(0);
    char path[sizeof pajewrite__the_process.path];
    if (!status)
        return;
    pajewrite__expand(path, sizeof path, pajewrite__the_process.path);
    pajewrite__report(path, ": ", pajewrite_status_text(status));
}

/* What was blocked before a fork, during which the lock is held. */
static pajewrite__blocked pajewrite__blocked_before_fork;

PAJEWRITE__UNTRACED
static void pajewrite__before_fork_of_zones(void)
{
    pajewrite__process *p = &pajewrite__the_process;
    pajewrite__blocked before;
    pajewrite__thread *own;
    int place;
    if (pajewrite__is_inside(p)) /* a signal handler forks */
        return;
    before = pajewrite__block();
    place = pajewrite__note_inside(p);
    own = pajewrite__drop_own_zones(p);
    pthread_mutex_lock(&p->lock); /* one fork at a time: the other lock is for those that trace */
    __atomic_store_n(&p->is_forking, 1, __ATOMIC_RELEASE);
    pajewrite__blocked_before_fork = before;
    pajewrite__write_own_zones(own);
    pajewrite__forget_inside(p, place);
}

PAJEWRITE__UNTRACED
static void pajewrite__after_fork_of_zones(void)
{
    const pajewrite__blocked before = pajewrite__blocked_before_fork;
    pajewrite__process *p = &pajewrite__the_process;
    pajewrite__thread *own;
    int place;
    if (pajewrite__is_inside(p))
        return;
    place = pajewrite__note_inside(p);
    own = pajewrite__drop_own_zones(p);
    pthread_mutex_lock(&p->fork_lock);
    __atomic_store_n(&p->is_forking, 0, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&p->fork_lock);
    pthread_mutex_unlock(&p->lock);
    pajewrite__write_own_zones(own);
    pajewrite__forget_inside(p, place);
    pajewrite__unblock(&before);
}

/* A child has none of the other threads.  What is in the buffers is the parent's. */
PAJEWRITE__UNTRACED
static void pajewrite__in_child_of_zones(void)
{
    static const pthread_mutex_t unlocked = PTHREAD_MUTEX_INITIALIZER;
    pajewrite__process *p = &pajewrite__the_process;
    uint32_t waiting;
    memcpy(&p->lock, &unlocked, sizeof unlocked);
    memcpy(&p->fork_lock, &unlocked, sizeof unlocked);
    p->is_forking = p->has_fork_lock = 0;
    p->ending = 0;
    memset(p->inside, 0, sizeof p->inside);
    pajewrite__owner(); /* before a child of its own could be taken for it */
    waiting = p->waiting | (p->open_trace && pajewrite__is_own_path(p->path));
    p->trace = p->waiting = 0; /* a close of the program's own may have zones */
    if (p->open_trace && pajewrite__is_open(p))
        close(p->descriptor);
    p->open_trace = 0;
    p->first_alias = UINT32_MAX;
    p->idle = NULL;
    p->inherited = p->newest;
    p->forked = pajewrite__own_thread(p);
    p->waiting = waiting;
    if (!pajewrite__is_inside(p))
        pajewrite__unblock(&pajewrite__blocked_before_fork);
}

/* Keeps the path, and sees to it that threads, forks and the end of the process are noticed. */
PAJEWRITE__UNTRACED
static pajewrite_status pajewrite__prepare_process(pajewrite__process *p, const char *path)
{
    const size_t size = strlen(path);
    if (size >= sizeof p->path) {
        pajewrite__complain(path, ": path is too long");
        return PAJEWRITE_E_SINK;
    }
    memcpy(p->path, path, size + 1);
    if (p->has_handlers)
        return PAJEWRITE_OK;
    if (!pajewrite__has_key(p)) {
        pajewrite__complain(path, ": no key of pthread_key_create is left");
        return PAJEWRITE_E_MISUSE;
    }
    p->has_handlers = 1;
    pthread_atfork(pajewrite__before_fork_of_zones, pajewrite__after_fork_of_zones, pajewrite__in_child_of_zones);
    atexit(pajewrite__at_exit);
    return PAJEWRITE_OK;
}

PAJEWRITE__UNTRACED
static pajewrite_status pajewrite__begin_trace(const char *path)
{
    pajewrite__process *p = &pajewrite__the_process;
    const char *from = pajewrite__getenv("PAJEWRITE_TRACE"), *flush;
    pajewrite__blocked before;
    pajewrite_status status = PAJEWRITE_OK;
    pajewrite__thread *own;
    int tries = 3, place;
    if (from && *from)
        path = from;
    for (;;) {
        before = pajewrite__block();
        place = pajewrite__note_inside(p);
        own = pajewrite__drop_own_zones(p);
        pajewrite__lock(&before);
        if (!p->open_trace || p->trace || !tries--)
            break;
        pajewrite__unlock();
        pajewrite__write_own_zones(own);
        pajewrite__forget_inside(p, place);
        pajewrite__unblock(&before);
        pajewrite__end_trace(0); /* another thread is ending it, or could not */
    }
    if (p->open_trace && !p->trace) {
        pajewrite__complain("the trace before", " has not ended");
        status = PAJEWRITE_E_SINK;
    } else if (!p->open_trace && !p->waiting && path && strcmp(path, "off") != 0) {
        status = pajewrite__prepare_process(p, path);
        if (!status)
            status = pajewrite__open_trace(p);
        flush = pajewrite__getenv("PAJEWRITE_SIGNALS");
        if (!status && flush && *flush && strcmp(flush, "0") != 0)
            pajewrite_flush_at_signals();
    }
    pajewrite__unlock();
    pajewrite__write_own_zones(own);
    pajewrite__forget_inside(p, place);
    pajewrite__unblock(&before);
    return status;
}
#endif

/* ---------------- src/pajewrite/zones/zones.h */

/* The calls of zones. */

#if PAJEWRITE_ZONES
#ifdef __cplusplus
extern "C" {
#endif
/* `used`: link-time optimization does not see that the assembler refers to it. */
__attribute__((used)) pajewrite__process PAJEWRITE__PROCESS_NAME = {
    PAJEWRITE__LAYOUT, 0, UINT32_MAX, 0,
    pajewrite__begin_trace, pajewrite__end_trace, pajewrite__attach_thread, pajewrite__define_place,
    0, PTHREAD_MUTEX_INITIALIZER, 0, 0, 0, 0, 0, 0, 0, -1, 0, 0, 0, 0, 0, 0, NULL, NULL, NULL, NULL, PAJEWRITE__ZERO,
    NULL, 0, PTHREAD_MUTEX_INITIALIZER, 0, 0, NULL, 0, 0, 0, {0}, ""
};
#ifdef __cplusplus
}
#endif

/* Whether the library that has the variable was compiled with the same version and options. */
PAJEWRITE__COLD int pajewrite__agrees(void)
{
    static uint32_t told;
    if (pajewrite__the_process.layout == PAJEWRITE__LAYOUT)
        return 1;
    if (!__atomic_exchange_n(&told, 1, __ATOMIC_RELAXED))
        pajewrite__complain("a library of this process", " has pajewrite.h of another version or with other options");
    return 0;
}

/* Begins a call with the context of this thread, which is not busy.  Returns 0 if the trace is over for which it is set
 * up. */
PAJEWRITE__INLINE int pajewrite__claim_thread(pajewrite__thread *thread)
{
    __atomic_store_n(&thread->busy, 1, __ATOMIC_RELAXED);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (PAJEWRITE__LIKELY(thread->trace == __atomic_load_n(&pajewrite__the_process.trace, __ATOMIC_RELAXED)))
        return 1;
    __atomic_store_n(&thread->busy, 0, __ATOMIC_RELEASE);
    return 0;
}

PAJEWRITE__INLINE void pajewrite__release(pajewrite__thread *thread)
{
    __atomic_store_n(&thread->busy, 0, __ATOMIC_RELEASE);
}

/* Returns the context of the calling thread for one call, which ends with pajewrite__release; NULL: nothing can be
 * written now.  The context is set up if it is not yet. */
PAJEWRITE__COLD pajewrite__thread *pajewrite__claim_slowly(void)
{
    pajewrite__process *p = &pajewrite__the_process;
    pajewrite__thread *thread;
    if (p->layout != PAJEWRITE__LAYOUT ||
        (!__atomic_load_n(&p->trace, __ATOMIC_ACQUIRE) && !__atomic_load_n(&p->waiting, __ATOMIC_RELAXED)))
        return NULL;
    thread = (pajewrite__thread *)pthread_getspecific(p->key);
    if (thread && thread->busy) { /* this is a signal handler */
        thread->dropped++;
        return NULL;
    }
    if (!thread || thread->trace != __atomic_load_n(&p->trace, __ATOMIC_RELAXED))
        thread = p->attach();
    return thread && pajewrite__claim_thread(thread) ? thread : NULL;
}

/* After claiming slowly the trace may be another one than that for which the place is defined. */
PAJEWRITE__COLD pajewrite__thread *pajewrite__claim_again(uint32_t alias)
{
    pajewrite__thread *thread = pajewrite__claim_slowly();
    if (!thread || alias >= __atomic_load_n(&pajewrite__the_process.first_alias, __ATOMIC_RELAXED))
        return thread;
    pajewrite__release(thread);
    return NULL;
}

/* For a place that is defined, and has this alias. */
PAJEWRITE__INLINE pajewrite__thread *pajewrite__claim(uint32_t alias)
{
    pajewrite__thread *thread = (pajewrite__thread *)pthread_getspecific(pajewrite__the_process.key);
    if (PAJEWRITE__UNLIKELY(!thread || thread->busy || !pajewrite__claim_thread(thread)))
        return pajewrite__claim_again(alias);
    return thread;
}

/* Whether the place is defined in the trace that is being written. */
PAJEWRITE__INLINE uint32_t pajewrite__is_defined(uint32_t alias)
{
    return PAJEWRITE__LIKELY(alias >= __atomic_load_n(&pajewrite__the_process.first_alias, __ATOMIC_RELAXED)) != 0;
}

/* Returns the alias of a place after its definition; 0: nothing is traced, or this is a signal handler in the midst of
 * another call. */
PAJEWRITE__COLD uint32_t pajewrite__define_slowly(pajewrite_place *place, pajewrite_kind kind, uint32_t of)
{
    pajewrite__thread *thread = pajewrite__claim_slowly();
    uint32_t alias = 0;
    if (!thread)
        return 0;
    if (pajewrite__is_enabled(&thread->w, pajewrite__type_in(place->category, 0)))
        alias = pajewrite__the_process.define(place, kind, of);
    pajewrite__release(thread);
    return alias;
}

/* Returns the alias of a place, which is defined at its first use; 0: nothing is to be written. */
PAJEWRITE__INLINE uint32_t pajewrite__alias_of(pajewrite_place *place, pajewrite_kind kind, uint32_t of)
{
    uint32_t alias = __atomic_load_n(&place->alias, __ATOMIC_ACQUIRE);
    return pajewrite__is_defined(alias) ? alias : pajewrite__define_slowly(place, kind, of);
}

PAJEWRITE__INLINE uint64_t pajewrite__clock_of(const pajewrite__thread *thread)
{
    return thread->w.clock(thread->w.clock_data);
}

PAJEWRITE__API pajewrite_status pajewrite_begin(const char *path)
{
    return pajewrite__agrees() ? pajewrite__the_process.begin(path) : PAJEWRITE_E_MISUSE;
}

PAJEWRITE__API pajewrite_status pajewrite_end(void)
{
    return pajewrite__agrees() ? pajewrite__the_process.end(0) : PAJEWRITE_E_MISUSE;
}

PAJEWRITE__API pajewrite *pajewrite_here(void)
{
    static pajewrite off; /* writes nothing */
    pajewrite__thread *thread = pajewrite__claim_slowly();
    if (!thread)
        return &off;
    pajewrite__release(thread);
    return &thread->w;
}

PAJEWRITE__API pajewrite_container pajewrite_here_container(void)
{
    pajewrite__thread *thread = pajewrite__claim_slowly();
    if (!thread)
        return PAJEWRITE_ROOT;
    pajewrite__release(thread);
    return thread->container;
}

enum { PAJEWRITE__ENTERED = 0x5a6f6e65 }; /* zone->check, if its depth is 0 */

PAJEWRITE__API pajewrite__zone pajewrite__enter_zone(pajewrite_place *place)
{
    pajewrite__zone zone = {NULL, 0, 0};
    uint32_t alias = pajewrite__alias_of(place, PAJEWRITE_DEFINE_VALUE, PAJEWRITE__ZONE_TYPE);
    pajewrite__thread *thread = PAJEWRITE__LIKELY(alias) ? pajewrite__claim(alias) : NULL;
    pajewrite_type type = pajewrite__type_in(place->category, PAJEWRITE__ZONE_TYPE);
    if (!thread)
        return zone;
    if (pajewrite__is_enabled(&thread->w, type)) {
        pajewrite__fast_state(&thread->w, PAJEWRITE_PUSH_STATE, 0, pajewrite__clock_of(thread), thread->container, type,
                              PAJEWRITE_VALUE(alias));
        zone.thread = thread;
        zone.depth = thread->depth++;
        zone.check = zone.depth ^ PAJEWRITE__ENTERED;
    }
    pajewrite__release(thread);
    return zone;
}

/* Pops the zone, and those within it that were left by longjmp.  One of an earlier trace, or of the process that
 * forked, is no longer there.  One that a coroutine has entered in another thread stays open there, as only that thread
 * may use its context.  In C, one that goto has jumped over is left, too, at the end of its block: its memory holds
 * anything, often an earlier zone, which is therefore cleared. */
PAJEWRITE__API void pajewrite__leave_zone(pajewrite__zone *zone)
{
    pajewrite__thread *thread = (pajewrite__thread *)zone->thread;
    const int was_entered = zone->check == (zone->depth ^ PAJEWRITE__ENTERED);
    *(volatile uint32_t *)&zone->check = ~(zone->depth ^ PAJEWRITE__ENTERED);
    if (!was_entered || thread != pthread_getspecific(pajewrite__the_process.key) || thread->busy ||
        !pajewrite__claim_thread(thread))
        return;
    for (; thread->depth > zone->depth; thread->depth--)
        pajewrite__fast_state(&thread->w, PAJEWRITE_POP_STATE, 0, pajewrite__clock_of(thread), thread->container,
                              PAJEWRITE_TYPE(PAJEWRITE__ZONE_TYPE), PAJEWRITE_VALUE(0));
    pajewrite__release(thread);
}

PAJEWRITE__API void pajewrite__mark(pajewrite_place *place)
{
    uint32_t alias = pajewrite__alias_of(place, PAJEWRITE_DEFINE_VALUE, PAJEWRITE__MARK_TYPE);
    pajewrite__thread *thread = alias ? pajewrite__claim(alias) : NULL;
    pajewrite_type type = pajewrite__type_in(place->category, PAJEWRITE__MARK_TYPE);
    if (!thread)
        return;
    if (pajewrite__is_enabled(&thread->w, type))
        pajewrite__fast_state(&thread->w, PAJEWRITE_NEW_EVENT, 0, pajewrite__clock_of(thread), thread->container, type,
                              PAJEWRITE_VALUE(alias));
    pajewrite__release(thread);
}

/* Sets a variable.  A number that is an integer is written as one, which is faster. */
PAJEWRITE__UNTRACED
static void pajewrite__set_plot(pajewrite *w, pajewrite_container container, uint32_t type, double number)
{
    if (number > -9007199254740992.0 && number < 9007199254740992.0 && (double)(int64_t)number == number)
        pajewrite__fast_variable(w, PAJEWRITE_SET_VARIABLE, 1, 0, container, PAJEWRITE_TYPE(type),
                                 (int64_t)number);
#if PAJEWRITE_DOUBLE
    else if (pajewrite__begin_slow(w)) { /* a handler may have interrupted a call of the program's own */
        pajewrite__write_double(w, PAJEWRITE_SET_VARIABLE, pajewrite_now(w), container, PAJEWRITE_TYPE(type), number);
        pajewrite__end_call(w);
    }
#else
    else
        pajewrite__refuse(w, PAJEWRITE_E_NUMBER);
#endif
}

PAJEWRITE__API void pajewrite__plot(pajewrite_place *place, double number)
{
    uint32_t alias = pajewrite__alias_of(place, PAJEWRITE_DEFINE_VARIABLE_TYPE, PAJEWRITE__THREAD_TYPE);
    pajewrite__thread *thread = alias ? pajewrite__claim(alias) : NULL;
    if (!thread)
        return;
    if (pajewrite__is_enabled(&thread->w, pajewrite__type_in(place->category, 0)))
        pajewrite__set_plot(&thread->w, thread->container, alias, number);
    pajewrite__release(thread);
}

/* The clock is read while the lock is held, so that lines are in order of time. */
PAJEWRITE__API void pajewrite__plot_shared(pajewrite_place *place, double number)
{
    pajewrite__process *p = &pajewrite__the_process;
    uint32_t alias = pajewrite__alias_of(place, PAJEWRITE_DEFINE_VARIABLE_TYPE, PAJEWRITE__PROCESS_TYPE);
    pajewrite__thread *thread = alias ? pajewrite__claim(alias) : NULL;
    if (!thread)
        return;
    if (pajewrite__is_enabled(&thread->w, pajewrite__type_in(place->category, 0))) {
        const pajewrite__blocked before = pajewrite__block();
        pajewrite__lock(&before);
        if (p->open_trace == thread->trace)
            pajewrite__set_plot(&p->w, PAJEWRITE_CONTAINER(PAJEWRITE__PROCESS_CONTAINER), alias, number);
        pajewrite__unlock();
        pajewrite__unblock(&before);
    }
    pajewrite__release(thread);
}

/* Returns a number that a message of this trace has, and hardly any other bytes. */
PAJEWRITE__UNTRACED
static uint32_t pajewrite__check_of(const pajewrite__process *p, const pajewrite_message *message, uint32_t trace)
{
    uint64_t hash = (message->time ^ (uint64_t)p->process << 32 ^ trace) * UINT64_C(0x9e3779b97f4a7c15);
    hash = (hash ^ hash >> 32 ^ message->container) * UINT64_C(0xbf58476d1ce4e5b9);
    return (uint32_t)(hash >> 32) | 1;
}

PAJEWRITE__API void pajewrite__message_out(pajewrite_message *message)
{
    pajewrite__thread *thread = pajewrite__claim_slowly();
    message->time = 0;
    message->container = message->check = 0;
    if (!thread)
        return;
    message->time = pajewrite__clock_of(thread);
    message->container = thread->container.alias;
    message->check = pajewrite__check_of(&pajewrite__the_process, message, thread->trace);
    pajewrite__release(thread);
}

/* Delivers the buffer unless it has room for both ends of a link: a process that is killed before the next delivery
 * would leave one end without the other. */
PAJEWRITE__UNTRACED
static void pajewrite__make_link_room(pajewrite *w)
{
    if (w->limit - w->next < PAJEWRITE__EVENT_SIZE)
        pajewrite_flush(w);
}

/* Both ends of the link are on the container of this thread, so that all links there are written by one context, in
 * order of time, whatever other threads do. */
PAJEWRITE__API void pajewrite__message_in(pajewrite_place *place, const pajewrite_message *message)
{
    uint32_t alias = pajewrite__alias_of(place, PAJEWRITE_DEFINE_VALUE, PAJEWRITE__MESSAGE_TYPE);
    pajewrite__thread *thread = alias ? pajewrite__claim(alias) : NULL;
    pajewrite_type type = pajewrite__type_in(place->category, PAJEWRITE__MESSAGE_TYPE);
    if (!thread)
        return;
    if (message->check && message->check == pajewrite__check_of(&pajewrite__the_process, message, thread->trace) &&
        pajewrite__is_enabled(&thread->w, type)) {
        uint64_t key = (uint64_t)thread->container.alias << 32 | ++thread->links;
        pajewrite__make_link_room(&thread->w);
        pajewrite__fast_link(&thread->w, PAJEWRITE_START_LINK, 0, message->time, thread->container, type,
                             PAJEWRITE_VALUE(alias), PAJEWRITE_CONTAINER(message->container), key);
        pajewrite__fast_link(&thread->w, PAJEWRITE_END_LINK, 0, pajewrite__clock_of(thread), thread->container, type,
                             PAJEWRITE_VALUE(alias), thread->container, key);
    }
    pajewrite__release(thread);
}
#endif

#endif
#endif

#endif /* PAJEWRITE_IMPLEMENTATION */

/* ------------------------------------------------------------------------------------------------
 * MIT License
 *
 * Copyright (c) 2026 The pajesim authors
 *
 * Permission is hereby granted, free of charge, to any person obtaining a copy
 * of this software and associated documentation files (the "Software"), to deal
 * in the Software without restriction, including without limitation the rights
 * to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
 * copies of the Software, and to permit persons to whom the Software is
 * furnished to do so, subject to the following conditions:
 *
 * The above copyright notice and this permission notice shall be included in all
 * copies or substantial portions of the Software.
 *
 * THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
 * IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
 * FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
 * AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
 * LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
 * OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
 * SOFTWARE.
 * --------------------------------------------------------------------------------------------- */
