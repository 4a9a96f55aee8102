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
#pragma once
