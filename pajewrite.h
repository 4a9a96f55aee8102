/* pajewrite.h: writes Pajé traces.
 *
 * Version 0.1.0.  C99, also C++11.  MIT licence: see the end.
 *
 * Calls in, lines of text out, at about the cost of reading the clock: integers are written by multiplication, lines go
 * into a buffer that you hand in, and a sink of yours, or one of the ready ones, takes whole lines only.  It allocates
 * nothing.
 *
 *
 * Using it
 * --------
 * Copy this file into your source tree.  Include it wherever it is used, and in exactly one C or C++ file write
 *
 *     #define PAJEWRITE_IMPLEMENTATION
 *     #include "pajewrite.h"
 *
 * A complete program, which writes two states of one thread:
 *
 *     #define _POSIX_C_SOURCE 200809L
 *     #define PAJEWRITE_IMPLEMENTATION
 *     #include "pajewrite.h"
 *     #include <fcntl.h>
 *     #include <unistd.h>
 *
 *     enum { THREAD = 1, STATE, RUNNING = 1, WAITING };
 *
 *     int main(void)
 *     {
 *         static char buffer[1 << 16];
 *         pajewrite_type thread = PAJEWRITE_TYPE(THREAD), state = PAJEWRITE_TYPE(STATE);
 *         pajewrite_container main_thread = PAJEWRITE_CONTAINER(1);
 *         pajewrite_config config = PAJEWRITE_CONFIG;
 *         pajewrite_file file;
 *         pajewrite w;
 *
 *         pajewrite_file_init(&file, open("hello.trace", O_WRONLY | O_CREAT | O_TRUNC, 0644));
 *         config.sink = pajewrite_to_file;
 *         config.sink_data = &file;
 *         pajewrite_init(&w, buffer, sizeof buffer, &config);
 *         pajewrite_header(&w);
 *         pajewrite_define_container_type(&w, thread, PAJEWRITE_ROOT_TYPE, "Thread");
 *         pajewrite_define_state_type(&w, state, thread, "Thread state");
 *         pajewrite_define_value(&w, PAJEWRITE_VALUE(RUNNING), state, "running", "0.2 0.8 0.2");
 *         pajewrite_define_value(&w, PAJEWRITE_VALUE(WAITING), state, "waiting", "0.8 0.2 0.2");
 *         pajewrite_create_container(&w, main_thread, thread, PAJEWRITE_ROOT, "main");
 *         pajewrite_push_state(&w, main_thread, state, PAJEWRITE_VALUE(RUNNING));
 *         pajewrite_push_state(&w, main_thread, state, PAJEWRITE_VALUE(WAITING));
 *         pajewrite_pop_state(&w, main_thread, state);
 *         pajewrite_pop_state(&w, main_thread, state);
 *         pajewrite_destroy_container(&w, main_thread, thread);
 *         return pajewrite_finish(&w) != PAJEWRITE_OK;
 *     }
 *
 * Nothing has to be tested on the way: the status is sticky, and pajewrite_finish tells it.
 *
 *
 * Threads and processes
 * ---------------------
 * One context for each thread, each with a buffer of its own; a context is used by one thread at a time.  Several
 * contexts may share a sink that takes care of itself, as pajewrite_to_file does: blocks of whole lines, one after the
 * other.  Lines of different contexts are then not sorted by time, which readers do not ask for, as long as what
 * happens on one container is written by one context.  What one context defines or creates, and another uses, is
 * flushed first (pajewrite_flush): the reader has to see it before its use.  Aliases are numbers: chosen by you, or
 * handed out by pajewrite_new_type and its kin, which never collide if the contexts' `alias_first` differ and are at
 * most their common `alias_step`.
 *
 * Before a thread or the process ends, call pajewrite_finish (or pajewrite_flush): nothing does it for you, and what is
 * still in a buffer is lost otherwise, unless the buffer is a pajewrite_map.  After a fork the parent goes on; the
 * child has a copy of the context, whose lines go nowhere (PAJEWRITE_E_FORKED when it should be flushed), and begins
 * one of its own with pajewrite_init if it wants to write.  This holds for pajewrite_file and pajewrite_map; a FILE
 * does not know.
 *
 *
 * Time
 * ----
 * An integer count of ticks, of which 10^decimals make a second; 9 decimals, nanoseconds, by default.  The clock is
 * yours; pajewrite_monotonic and pajewrite_tsc_now are ready ones.  Every event has a form that is given its time:
 * pajewrite_push_state_at and so on.  `origin` is subtracted from all of them.  A new second costs a division, what
 * happens within it none.
 *
 *
 * When the buffer is full
 * -----------------------
 * PAJEWRITE_FLUSH, the default, hands it to the sink.
 *
 * PAJEWRITE_DROP drops what does not fit until you call pajewrite_flush, at a moment that suits you; then a comment
 * line tells how many events are missing, from when to when.  With a table the trace stays valid: where a push was
 * dropped, so is its pop; where the creation of a container was dropped, so is what happens on it; other pops, ends of
 * links and containers, and the values of variables, are made up for by pajewrite_flush.  A link stays incomplete if
 * the container of one end was dropped, or if the end that was dropped has a text for its key or is written by another
 * context.
 *
 * PAJEWRITE_OVERWRITE makes it a flight recorder: the newest events write over the oldest, and no sink is asked.  The
 * definitions have a place of their own in the buffer; the rest is a ring of segments, each of which begins with what
 * was alive and open at that moment.  pajewrite_flight_dump makes a trace of the memory alone, which a strict reader
 * accepts: on demand, from a signal handler, from a debugger's copy, or after the process died, if the memory is a
 * file's (hand pajewrite_map_room to config.room, and the size to pajewrite_init).  It needs a table, and a context
 * that defines and creates all that it uses.
 *
 *
 * The table
 * ---------
 * With config.table, memory of yours, a context follows what is open; without it, it does not.  That costs next to
 * nothing where the same stack of states goes on, else about 25 ns an event.  An entry has 48 bytes; there is one for
 * each type, each container and each pair of container and type that bore an event; with PAJEWRITE_DROP one for each
 * open state and link, with PAJEWRITE_OVERWRITE for each open state, when checking for each value and link.  (Links
 * and containers that are past make room when it is needed.)  When the table is full, the status is
 * PAJEWRITE_E_TABLE_FULL, nothing is followed any more, and writing goes on; but a flight recorder stops.  It serves
 *   - pajewrite_finish, which closes what is open;
 *   - PAJEWRITE_DROP and PAJEWRITE_OVERWRITE;
 *   - the checking mode: compiled in with PAJEWRITE_CHECK 1, it refuses the calls that would make the trace invalid to
 *     a strict reader: types and containers that are not defined, defined twice, of the wrong kind or destroyed, pop of
 *     no state, add to a variable that was not set, time that goes back on one container and type, a link key used
 *     twice.  A context knows its own definitions, and those that it has learned (pajewrite_learn).
 *
 *
 * Microcontrollers
 * ----------------
 * With PAJEWRITE_RING 1 the same calls write into a ring, from the main loop and from interrupts of any priority; 64
 * bytes of context and a buffer of 128 bytes will do.  A call reads the clock and puts a record of numbers there, 16
 * bytes for a state, with interrupts masked throughout; draining makes the lines, whole and in order of time.  What
 * drains may run at any time.
 *
 *     #define PAJEWRITE_RING 1
 *     #define PAJEWRITE_NOW() timer_now() // 64 bits of ticks; with a Cortex-M, PAJEWRITE_SYSTICK or PAJEWRITE_DWT
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
 * Where the ring is full, events are dropped, and told and counted as with PAJEWRITE_DROP, until it is empty again; but
 * nothing pairs pops with pushes, so pajewrite_set_state is the surer choice.  What happens while the header is sent
 * (1.9 KB) waits in the ring.  The platform's means are three macros, PAJEWRITE_ENTER, PAJEWRITE_LEAVE and
 * PAJEWRITE_BARRIER, which Cortex-M, RISC-V and AVR find ready.  The clock may be read at each interrupt: a ready one
 * has to be, with pajewrite_now, once each time its counter goes round.
 *
 * There are no sinks, no flush, no finish, no handing out of aliases, no old names; pajewrite_announce writes the
 * header and defines variants; seconds are below 2^32.  Names are written with _ for what not every reader takes.
 *
 * On Cortex-M0 with -Os, states and events with the header and tables of definitions take 1 KB of flash; with
 * variables, links, containers and integer user fields, and gaps told, 2 KB.  A state takes 260 instructions, its 24
 * bytes of text 1400 more when they are drained, where interrupts are let in; 20 if it is disabled; 88 bytes of stack,
 * 128 with texts.
 *
 *
 * What it costs
 * -------------
 * On a virtual machine where CLOCK_MONOTONIC takes 21 ns: 30 ns for a state, clock included; 1 ns when disabled
 * at run time; nothing when compiled out.  fprintf of the same line takes 300 ns.
 */

#ifndef PAJEWRITE_H
#define PAJEWRITE_H

#include <stddef.h>
#include <stdint.h>

#define PAJEWRITE_VERSION_MAJOR 0
#define PAJEWRITE_VERSION_MINOR 1
#define PAJEWRITE_VERSION_PATCH 0
#define PAJEWRITE_VERSION \
    ((PAJEWRITE_VERSION_MAJOR + 0ul) << 16 | PAJEWRITE_VERSION_MINOR << 8 | PAJEWRITE_VERSION_PATCH)
#define PAJEWRITE_VERSION_TEXT "0.1.0"

/* ================================================================================================
 * Options: define any of them before the header is included.  Every one has a default.
 * ============================================================================================= */

/* What the public functions are declared as: `static` makes the whole of it private to one file.
 *
 * PAJEWRITE_DISABLE, where it is defined: every call becomes nothing at all, and costs nothing.  Arguments are still
 * checked by the compiler, so that the instrumentation does not rot, but not evaluated.  Sinks and clocks are NULL. */
#if defined(PAJEWRITE_DISABLE)
#undef PAJEWRITE_API
#define PAJEWRITE_API extern
#elif !defined(PAJEWRITE_API)
#define PAJEWRITE_API extern
#endif

/* 1: for microcontrollers, see "Microcontrollers" above: a context of 64 bytes over a ring into which interrupts write,
 * in place of sinks, clocks and the table. */
#ifndef PAJEWRITE_RING
#define PAJEWRITE_RING 0
#endif

/* 1: contexts may have a table.  0: nothing is followed, closed, checked or overwritten, with 12 KB of code less. */
#if PAJEWRITE_RING
#undef PAJEWRITE_TABLE
#define PAJEWRITE_TABLE 0
#elif !defined(PAJEWRITE_TABLE)
#define PAJEWRITE_TABLE 1
#endif

/* 1: the ready clocks and sinks for POSIX systems (clock_gettime, write, mmap).  Strict C99 hides what they need unless
 * _POSIX_C_SOURCE is defined as 200809L before anything is included. */
#ifndef PAJEWRITE_POSIX
#if !PAJEWRITE_RING && \
    ((defined(__unix__) && defined(_POSIX_C_SOURCE) && _POSIX_C_SOURCE >= 200809L) || defined(__APPLE__))
#define PAJEWRITE_POSIX 1
#else
#define PAJEWRITE_POSIX 0
#endif
#endif

/* 1: the ready sink for FILE. */
#ifndef PAJEWRITE_STDIO
#define PAJEWRITE_STDIO (__STDC_HOSTED__ && !PAJEWRITE_RING)
#endif

/* 1: variables and fields may be doubles. */
#ifndef PAJEWRITE_DOUBLE
#define PAJEWRITE_DOUBLE !PAJEWRITE_RING
#endif

/* 1: the checking mode, for contexts that have a table (see pajewrite_config). */
#ifndef PAJEWRITE_CHECK
#define PAJEWRITE_CHECK 0
#endif

/* The most bytes that the user fields of one line take; 0 in a ring: there are none. */
#ifndef PAJEWRITE_FIELDS_SIZE
#define PAJEWRITE_FIELDS_SIZE (PAJEWRITE_RING ? 32 * PAJEWRITE_TEXTS : 240)
#endif

/* Which events the header defines, besides containers and values; others may not be written, and in a ring there is no
 * code for them.  Those of the default are 1.9 KB, a sixth of a second over a UART; states and events alone are 1.1 KB.
 * PAJEWRITE_FILES has to be asked for (31), as ViTE complains where PajeTraceFile is defined. */
#define PAJEWRITE_STATES 1
#define PAJEWRITE_EVENTS 2
#define PAJEWRITE_VARIABLES 4
#define PAJEWRITE_LINKS 8
#define PAJEWRITE_FILES 16
#ifndef PAJEWRITE_KINDS
#define PAJEWRITE_KINDS 15
#endif

/* Ring: 1: a comment line tells what was dropped, and nothing is written in between; 0: it is counted only, with 130
 * bytes of code less. */
#ifndef PAJEWRITE_GAPS
#define PAJEWRITE_GAPS 1
#endif

/* Ring: 1: texts may come while it runs: user fields, names of what is defined or created then, keys of links.  0: all
 * texts are in tables, with 590 bytes of code less. */
#ifndef PAJEWRITE_TEXTS
#define PAJEWRITE_TEXTS 1
#endif

/* Ring: ticks of the clock in a second, below 2 * 10^9, and how many decimals of a second are written.  A tick that is
 * a decimal (1000000 and 6, 25000000 and 9) is shown exactly; any other (32768, 48000000) costs a multiplication of 64
 * bits an event. */
#ifndef PAJEWRITE_HZ
#define PAJEWRITE_HZ 1000000000
#endif
#ifndef PAJEWRITE_DECIMALS
#define PAJEWRITE_DECIMALS 9
#endif

/* What tables of definitions are declared with, to stay in flash.  On AVR they are read from there, with room for texts
 * of so many bytes. */
#ifdef __AVR__
#include <avr/pgmspace.h>
#define PAJEWRITE_ROM PROGMEM
#ifndef PAJEWRITE_ROM_TEXT_SIZE
#define PAJEWRITE_ROM_TEXT_SIZE 32
#endif
#else
#define PAJEWRITE_ROM
#endif

/* Into how many segments a flight recorder divides its memory, 2 to 64: at worst, one of them holds nothing. */
#ifndef PAJEWRITE_SEGMENTS
#define PAJEWRITE_SEGMENTS 8
#endif

/* The least buffer that pajewrite_init accepts: it holds every event whose name is not longer than some 100 bytes; as
 * a ring, any event without text. */
#define PAJEWRITE_BUFFER_MIN (PAJEWRITE_RING ? 96 : 320)

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------------------------
 * Plain types
 * --------------------------------------------------------------------------------------------- */

/* Names for things: numbers, which the trace shows in decimal, of distinct types so that the compiler catches a mix-up.
 * A type has a category besides, in the upper 5 bits: pajewrite_enable and pajewrite_disable go by it. */
typedef struct pajewrite_type { uint32_t alias; } pajewrite_type;
typedef struct pajewrite_container { uint32_t alias; } pajewrite_container;
typedef struct pajewrite_value { uint32_t alias; } pajewrite_value;

#ifdef __cplusplus
#define PAJEWRITE__HANDLE(type, number) (type{static_cast<uint32_t>(number)})
#define PAJEWRITE__ZERO {}
#else
#define PAJEWRITE__HANDLE(type, number) ((type){(uint32_t)(number)})
#define PAJEWRITE__ZERO {0}
#endif

/* By a number of your own, from 1 on; types up to PAJEWRITE_TYPE_MAX.  Values are numbered within their type.  C takes
 * none of these for a static object: write `static const pajewrite_type thread = {1};`. */
#define PAJEWRITE_TYPE(number) PAJEWRITE__HANDLE(pajewrite_type, number)
#define PAJEWRITE_TYPE_IN(category, number) PAJEWRITE__HANDLE(pajewrite_type, (uint32_t)(category) << 27 | (number))
#define PAJEWRITE_CONTAINER(number) PAJEWRITE__HANDLE(pajewrite_container, number)
#define PAJEWRITE_VALUE(number) PAJEWRITE__HANDLE(pajewrite_value, number)
#define PAJEWRITE_TYPE_MAX 0x7ffffffu

/* Of the format: they are there before anything is defined. */
#define PAJEWRITE_ROOT_TYPE PAJEWRITE_TYPE(0)
#define PAJEWRITE_ROOT PAJEWRITE_CONTAINER(0)

/* The events of the format: kind, of which option in PAJEWRITE_KINDS, name, fields in the order in which they are
 * written, by their letters in pajewrite__fields.  The kind is the event's number in the trace. */
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

/* What can go wrong: one table makes the codes and the texts.  The first problem of a context is its status for good;
 * those up to CLOSED end its writing, the others refuse one call each (pajewrite_counts tells how many). */
#define PAJEWRITE_PROBLEMS(X) \
    X(MISUSE,        "NULL or impossible arguments to pajewrite_init") \
    X(SINK,          "the sink failed; what it did not take is lost") \
    X(NO_SINK,       "there is no sink to take what was written") \
    X(FORKED,        "the context is that of the parent process; pajewrite_init makes one for the child") \
    X(SNAPSHOT,      "what is open does not fit a segment of the flight recorder, which stopped") \
    X(CLOSED,        "called after pajewrite_finish") \
    X(DEFINITIONS,   "the flight recorder's place for definitions is full") \
    X(RECORDER,      "memory is not that of a flight recorder, or is damaged") \
    X(OVERTAKEN,     "the writer went on and wrote over what was being dumped") \
    X(TOO_LONG,      "record is longer than the buffer") \
    X(NAME,          "name is empty or has a byte that the format cannot represent") \
    X(COLOR,         "colour is not 3 or 4 numbers between blanks, nor RRGGBB in hex") \
    X(NUMBER,        "infinity and not-a-number cannot be written") \
    X(TIME,          "time is before the origin") \
    X(FIELDS,        "user fields do not match their definition, or are too long") \
    X(VARIANT,       "definition of user fields is malformed, or of too many fields") \
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

/* A clock: answers the time in ticks, of which 10^decimals make a second.  It may not go back. */
typedef uint64_t (*pajewrite_clock)(void *data);

/* A sink: takes all of these bytes, which are whole lines, and answers PAJEWRITE_OK; or it fails, answers another
 * status (PAJEWRITE_E_SINK), and is not called again by that context. */
typedef pajewrite_status (*pajewrite_sink)(void *data, const char *bytes, size_t size);

/* A source of buffers, in place of buffer and sink, for memory that is the trace itself, such as a mapped file.  It is
 * asked when `used` bytes of the buffer given last are written and `needed` more are to come; answers a buffer of at
 * least that and puts its size to `*size`.  All bytes of a buffer have to be newlines where nothing was written yet.
 * NULL: it failed (`*size` then holds the status).  With `needed` 0 the trace is complete, the answer is not used but
 * for failure. */
typedef char *(*pajewrite_room)(void *data, size_t used, size_t needed, size_t *size);

/* When the buffer is full. */
typedef enum pajewrite_full {
    PAJEWRITE_FLUSH = 0, /* the sink takes it */
    PAJEWRITE_DROP,      /* what does not fit is dropped and counted, until you call pajewrite_flush: for when waiting
                            for the sink would disturb more than a gap.  The trace tells the gap in a comment line,
                            `# dropped 12 events from 1.000000001 to 1.500000002`.  Needs a table to stay valid */
    PAJEWRITE_OVERWRITE  /* the newest writes over the oldest; see pajewrite_flight_dump.  Has to have a table */
} pajewrite_full;

/* What not every reader can take: names that are empty, or have a control byte (a newline, a tab) or one of
 * " ' % # , */
typedef enum pajewrite_names {
    PAJEWRITE_REPLACE = 0, /* such a byte is written as _ and so is the empty name */
    PAJEWRITE_REFUSE       /* the call is refused */
} pajewrite_names;

/* One entry of the table of what is open.  Private. */
typedef struct pajewrite_entry {
    uint16_t what, flags;
    uint32_t container, type, value;
    uint64_t key, time;
    union { int64_t integer; double real; } number;
    uint32_t other, next;
} pajewrite_entry;

#if PAJEWRITE_RING
typedef struct pajewrite_config pajewrite_config; /* there is none */
#else
/* All zero (NULL) is a context of defaults; begin with `pajewrite_config config = PAJEWRITE_CONFIG;`. */
typedef struct pajewrite_config {
    pajewrite_sink sink;        /* NULL: none, which only a flight recorder and `room` can do without */
    void *sink_data;
    pajewrite_clock clock;      /* NULL: pajewrite_monotonic where it is there, else a clock that always says 0 */
    void *clock_data;
    pajewrite_room room;        /* NULL: the buffer of pajewrite_init and the sink */
    void *room_data;
    uint64_t origin;            /* subtracted from every time; times before it are refused.  More than a second below
                                   2^64 ticks */
    uint32_t decimals;          /* of a second, in a tick: 1 to 9; 0: 9, nanoseconds; 10 (PAJEWRITE_SECONDS): none */
    uint32_t enabled_not;       /* categories that are disabled at first, as bits; 0: all are enabled */
    uint32_t alias_first;       /* the first alias that is handed out; 0: 1 */
    uint32_t alias_step;        /* from one to the next; 0: 1 */
    int old_names;              /* 1: field names of the oldest readers, such as EntityType for Type */
    pajewrite_names names;
    pajewrite_full full;
    pajewrite_entry *table;     /* caller's memory; NULL: nothing is followed, see "The table" above */
    size_t table_entries;       /* 16 or more */
    size_t definitions_size;    /* PAJEWRITE_OVERWRITE: bytes of the buffer for definitions; 0: a quarter */
} pajewrite_config;
#endif

#define PAJEWRITE_CONFIG PAJEWRITE__ZERO
#define PAJEWRITE_SECONDS 10

/* How many records: events, and %EventDef with all its lines.  A ring counts `dropped` alone, with what it refused. */
typedef struct pajewrite_counts {
    uint64_t written; /* taken by the sink, or in the buffer */
    uint64_t dropped; /* for want of room, or lost with a sink that failed */
    uint64_t refused; /* what the status tells of the first */
} pajewrite_counts;

typedef struct pajewrite_definition pajewrite_definition;

/* The context; the caller provides it.  All members are private. */
#if PAJEWRITE_RING
typedef struct pajewrite {
    uint8_t left;             /* bytes of text that are made, in front of the ring */
    uint8_t quote;            /* within a text: what ends it; 1: nothing does */
    uint8_t kinds;            /* of events, that the header has still to define */
    uint8_t status;
    uint16_t size, head, tail; /* of the ring, in units: where the next record begins, where draining goes on */
    uint16_t next;             /* where the record that is being written goes on; size: it does not fit */
    uint16_t what;            /* of the line that is being drained; 0: none */
    uint16_t entries;         /* of the table, that are still to be written */
    uint16_t *units, *top;    /* the ring; of the stack in front of it */
    const uint16_t *from;     /* numbers of a table; NULL: they are in the ring */
    const char *text;         /* of the table */
    const pajewrite_definition *entry;
    uint32_t enabled, dropped;
#if PAJEWRITE_GAPS
    uint32_t gap;             /* dropped, and not told yet; */
    uint64_t first, last;     /* when the first was; the greatest time so far */
#endif
} pajewrite;
#else
typedef struct pajewrite {
    char *next;      /* where the next record begins: there stands a '#' until it is whole, */
    char *limit;     /* and an event's record fits if it begins no later than here */
    uint64_t second; /* the second of the last event, in ticks of the clock, */
    char prefix[24]; /* and as text, with its point, and digits up to the end */
    uint32_t prefix_size, decimals, per_second, scale;
    uint32_t enabled;
    uint32_t tracked; /* 1: the table is in use */
    pajewrite_clock clock;
    void *clock_data;
    uint64_t records; /* committed */
    char *buffer;
    size_t size;
    uint64_t delivered; /* of `records`: taken by the sink */
    uint64_t dropped, refused;
    pajewrite_status status;
    uint32_t fatal;   /* 1: nothing is written any more */
    uint32_t blocked; /* 1: nothing is written until the buffer was delivered */
    uint32_t alias_next[3];
    uint32_t variants;
    uint64_t gap, gap_first, gap_last; /* dropped since the last one that was not: how many, from when to when */
    uint64_t latest;                   /* with a table: greatest time so far */
    size_t entries;
    pajewrite_entry *pair;             /* of the last event of a state, event or variable */
    char *flight;          /* memory of the flight recorder; NULL: it is none */
    char *aside;           /* its place for definitions; while these are written, that for events */
    char *aside_next;
    size_t aside_size;
    uint64_t segments;     /* that were begun */
    uint32_t creations;    /* in this segment, lines that create a container */
    uint32_t inner;        /* 1: definitions or a snapshot are being written */
    int in_table;          /* 1: texts are in quotes, whatever they are */
    pajewrite_config config;
} pajewrite;
#endif

/* ------------------------------------------------------------------------------------------------
 * A context
 * --------------------------------------------------------------------------------------------- */

/* PAJEWRITE_VERSION of the implementation that was compiled, to compare with that of the header. */
PAJEWRITE_API uint32_t pajewrite_version(void);

/* Begins.  The buffer is the caller's, of any alignment, and stays in use until pajewrite_finish; `config` is copied;
 * NULL: all defaults.  With config->room the buffer may be NULL and 0.  Where it fails (PAJEWRITE_E_MISUSE) the context
 * may still be used, and writes nothing. */
PAJEWRITE_API pajewrite_status pajewrite_init(pajewrite *w, void *buffer, size_t size, const pajewrite_config *config);

#if PAJEWRITE_RING
/* Draining, in one place: the main loop, an interrupt of the UART, or of its DMA.  Writers go on meanwhile.
 *
 * The next byte of the trace; -1: there is none yet. */
PAJEWRITE_API int pajewrite_next_byte(pajewrite *w);
/* The next bytes of it, up to so many; answers how many there are. */
PAJEWRITE_API size_t pajewrite_read(pajewrite *w, char *bytes, size_t size);
#else
/* The event definitions, with which a trace begins.  Only one of several contexts that share a sink writes them. */
PAJEWRITE_API void pajewrite_header(pajewrite *w);

/* Hands what was written to the sink.  Answers the status. */
PAJEWRITE_API pajewrite_status pajewrite_flush(pajewrite *w);

/* Ends: with a table, what is open is closed at the greatest time seen (states, then containers, children first); then
 * the rest goes to the sink.  Answers the status.  The buffer and the table are the caller's again. */
PAJEWRITE_API pajewrite_status pajewrite_finish(pajewrite *w);

#if PAJEWRITE_TABLE || defined(PAJEWRITE_DISABLE)
/* The trace in the memory of a flight recorder (PAJEWRITE_OVERWRITE): definitions, the containers alive and the states
 * open at the earliest moment that it still knows, and what happened from then on.  User fields of states that were
 * open then are not in it.  Needs nothing but the memory, `size` bytes as given to pajewrite_init or more, and changes
 * nothing: it may be called in a signal handler if the sink may, on a copy, or on the file of a pajewrite_map after the
 * process died.  The sink is called many times.
 *
 * `halves`: 0 leaves out the links of which only one end is in there, so that the trace is valid by itself; 1 writes
 * them, for a merge of several recorders.  `scratch`: for 0, `scratch_size` bytes of any alignment, which are written
 * over: 32 for each end that is left out, or as much as the recorder has, keep the time linear.  With less, all is read
 * once more whenever it is full; with NULL and 0, for each 16 ends.
 *
 * PAJEWRITE_E_RECORDER: this is no such memory; PAJEWRITE_E_OVERTAKEN: another thread wrote meanwhile, and what the
 * sink got is to be thrown away; else the status of the sink. */
PAJEWRITE_API pajewrite_status pajewrite_flight_dump(const void *memory, size_t size, int halves, void *scratch,
                                                     size_t scratch_size, pajewrite_sink sink, void *sink_data);

/* What another context, of the same trace, has defined and created so far is known to this one, as far as both have a
 * table: for the checking mode, which refuses what it does not know.  `from` must not be in use meanwhile. */
PAJEWRITE_API void pajewrite_learn(pajewrite *w, const pajewrite *from);
#endif
#endif

/* The first problem there was, or PAJEWRITE_OK. */
PAJEWRITE_API pajewrite_status pajewrite_get_status(const pajewrite *w);
/* Its constant text; "no problem" for PAJEWRITE_OK, "unknown problem" for what is none. */
PAJEWRITE_API const char *pajewrite_status_text(pajewrite_status status);
PAJEWRITE_API pajewrite_counts pajewrite_count(const pajewrite *w);

/* What the clock says. */
PAJEWRITE_API uint64_t pajewrite_now(const pajewrite *w);

/* Events (states, events, variables, links) of types of these categories are written, or left out: bit n stands for
 * category n, all ones for all.  Definitions and containers are always written.  Switch where no state of theirs is
 * open, else pushes and pops do not match. */
PAJEWRITE_API void pajewrite_enable(pajewrite *w, uint32_t categories);
PAJEWRITE_API void pajewrite_disable(pajewrite *w, uint32_t categories);

#if !PAJEWRITE_RING
/* Aliases that no context hands out twice, if contexts have different config.alias_first below one
 * config.alias_step. */
PAJEWRITE_API pajewrite_type pajewrite_new_type(pajewrite *w);
PAJEWRITE_API pajewrite_type pajewrite_new_type_in(pajewrite *w, uint32_t category);
PAJEWRITE_API pajewrite_container pajewrite_new_container(pajewrite *w);
PAJEWRITE_API pajewrite_value pajewrite_new_value(pajewrite *w);
#endif

/* ------------------------------------------------------------------------------------------------
 * Definitions.  Names are text in any encoding, ended by NUL; NULL: the alias in decimal.  Names need not differ, as
 * the alias is what identifies; but a value's name should be no number, lest it be another value's alias.
 * Colours are "0.2 0.8 0.2" (red, green, blue from 0 to 1, perhaps a fourth for opacity) or "33cc33"; NULL: grey.
 * --------------------------------------------------------------------------------------------- */

#define PAJEWRITE_GREY "0.5 0.5 0.5"
#if !PAJEWRITE_RING || defined(PAJEWRITE_DISABLE)
PAJEWRITE_API void pajewrite_define_container_type(pajewrite *w, pajewrite_type type, pajewrite_type parent,
                                                   const char *name);
/* `of`: the type of the containers that bear it. */
PAJEWRITE_API void pajewrite_define_state_type(pajewrite *w, pajewrite_type type, pajewrite_type of, const char *name);
PAJEWRITE_API void pajewrite_define_event_type(pajewrite *w, pajewrite_type type, pajewrite_type of, const char *name);
PAJEWRITE_API void pajewrite_define_variable_type(pajewrite *w, pajewrite_type type, pajewrite_type of,
                                                  const char *name, const char *color);
/* `of`: a common ancestor of the types of the containers where links start and end. */
PAJEWRITE_API void pajewrite_define_link_type(pajewrite *w, pajewrite_type type, pajewrite_type of,
                                              pajewrite_type start, pajewrite_type end, const char *name);
/* Of a state, event or link type. */
PAJEWRITE_API void pajewrite_define_value(pajewrite *w, pajewrite_value value, pajewrite_type type, const char *name,
                                          const char *color);

#endif

/* The same as one constant table, with the containers, and variants (see "User fields"): on a microcontroller it stays
 * in flash.  Aliases are plain numbers, up to 32767; texts are written as they are, so they hold none of " ' % # , and
 * no control byte.
 *
 *     static const pajewrite_definition table[] PAJEWRITE_ROM = {
 *         PAJEWRITE_ROM_CONTAINER_TYPE(TASK, 0, "Task"),
 *         PAJEWRITE_ROM_STATE_TYPE(STATE, TASK, "Task state"),
 *         PAJEWRITE_ROM_VALUE(RUNNING, STATE, "running", "33cc33"),
 *         PAJEWRITE_ROM_CONTAINER(MAIN, TASK, 0, "main")
 *     };
 */
struct pajewrite_definition {
    uint16_t what, numbers[5]; /* in the order in which they are written */
#ifdef __AVR__
    char text[PAJEWRITE_ROM_TEXT_SIZE];
#else
    const char *text;
#endif
};

#define PAJEWRITE_ROM_CONTAINER_TYPE(type, parent, name) \
    PAJEWRITE__ROM(PAJEWRITE_DEFINE_CONTAINER_TYPE, TYPE, type, parent, 0, 0, 0, name)
#define PAJEWRITE_ROM_STATE_TYPE(type, of, name) \
    PAJEWRITE__ROM(PAJEWRITE_DEFINE_STATE_TYPE, TYPE, type, of, 0, 0, 0, name)
#define PAJEWRITE_ROM_EVENT_TYPE(type, of, name) \
    PAJEWRITE__ROM(PAJEWRITE_DEFINE_EVENT_TYPE, TYPE, type, of, 0, 0, 0, name)
#define PAJEWRITE_ROM_VARIABLE_TYPE(type, of, name, color) \
    PAJEWRITE__ROM(PAJEWRITE_DEFINE_VARIABLE_TYPE, VALUE, type, of, 0, 0, 0, name "\0" color)
#define PAJEWRITE_ROM_LINK_TYPE(type, of, start, end, name) \
    PAJEWRITE__ROM(PAJEWRITE_DEFINE_LINK_TYPE, LINK_TYPE, type, of, start, end, 0, name)
#define PAJEWRITE_ROM_VALUE(value, type, name, color) \
    PAJEWRITE__ROM(PAJEWRITE_DEFINE_VALUE, VALUE, value, type, 0, 0, 0, name "\0" color)
/* It is there from the beginning: time 0 (the origin). */
#define PAJEWRITE_ROM_CONTAINER(container, type, parent, name) \
    PAJEWRITE__ROM(PAJEWRITE_CREATE_CONTAINER, CREATE, 0, 0, container, type, parent, name)
/* User fields, by a number from 40 to 99 that no other variant has: used by
 * `static const pajewrite_variant sized = {40, PAJEWRITE_PUSH_STATE, 2};`, the last being how many fields it has, and
 * written as PAJEWRITE_ROM_VARIANT(40, PAJEWRITE_PUSH_STATE, PAJEWRITE_ROM_FIELD("Size int")
 * PAJEWRITE_ROM_FIELD("Mark string")). */
#define PAJEWRITE_ROM_VARIANT(number, kind, fields) PAJEWRITE__ROM(number, VARIANT, kind, 0, 0, 0, 0, fields)
#define PAJEWRITE_ROM_FIELD(field) "% " field "\n"

/* As units of a record, which are twice the number. */
#define PAJEWRITE__ROM(number, line, a, b, c, d, e, text) \
    {2 * PAJEWRITE__WHAT(number, line), {2u * (a), 2u * (b), 2u * (c), 2u * (d), 2u * (e)}, text}

/* Of a record: the event's number, its line in pajewrite__words, with FIELDS user fields behind.  Of the call besides:
 * how many numbers it is given, that a time is to be read (else the first two numbers are one, if it has one), and that
 * it is of an event, which may be disabled. */
#define PAJEWRITE__WHAT(number, line) ((uint32_t)(number) << 7 | (uint32_t)PAJEWRITE__##line##_LINE)
#define PAJEWRITE__NUMBER_OF(what) ((what) >> 7)
#define PAJEWRITE__LINE_OF(what) ((what) & 63u)
#define PAJEWRITE__FIELDS 64u
#define PAJEWRITE__COUNT(numbers) ((uint32_t)(numbers) << 16)
#define PAJEWRITE__TIMED 0x400000u
#define PAJEWRITE__EVENT 0x800000u

/* What PAJEWRITE_KINDS has, as 0 or 1. */
#define PAJEWRITE__HAS_STATES ((PAJEWRITE_KINDS) & 1)
#define PAJEWRITE__HAS_EVENTS ((PAJEWRITE_KINDS) >> 1 & 1)
#define PAJEWRITE__HAS_VARIABLES ((PAJEWRITE_KINDS) >> 2 & 1)
#define PAJEWRITE__HAS_LINKS ((PAJEWRITE_KINDS) >> 3 & 1)
#define PAJEWRITE__HAS_FILES ((PAJEWRITE_KINDS) >> 4 & 1)

/* Places in pajewrite__words. */
enum {
    PAJEWRITE__END_LINE = 1,
    PAJEWRITE__STATE_LINE,
    PAJEWRITE__TYPE_LINE,
    PAJEWRITE__VALUE_LINE,
    PAJEWRITE__CREATE_LINE,
    PAJEWRITE__HEADER_LINE = 10, /* which would be a newline in the words of others */
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

/* Writes the header and then the table.  Of a ring, draining does so, before all else that it has; for a host that
 * attaches late do it again, and then set the states that hold.  The table has to stay there. */
PAJEWRITE_API void pajewrite_announce(pajewrite *w, const pajewrite_definition *table, size_t entries);

/* ------------------------------------------------------------------------------------------------
 * Events: now, by the clock, or _at a time in ticks
 * --------------------------------------------------------------------------------------------- */

#if !PAJEWRITE_RING || defined(PAJEWRITE_DISABLE)
PAJEWRITE_API void pajewrite_create_container(pajewrite *w, pajewrite_container container, pajewrite_type type,
                                              pajewrite_container parent, const char *name);
PAJEWRITE_API void pajewrite_create_container_at(pajewrite *w, uint64_t time, pajewrite_container container,
                                                 pajewrite_type type, pajewrite_container parent, const char *name);
PAJEWRITE_API void pajewrite_destroy_container(pajewrite *w, pajewrite_container container, pajewrite_type type);
PAJEWRITE_API void pajewrite_destroy_container_at(pajewrite *w, uint64_t time, pajewrite_container container,
                                                  pajewrite_type type);

/* States of a type are a stack on each container.  Set: this one in place of all; push: this one above the others;
 * pop: the one below again; reset: none. */
PAJEWRITE_API void pajewrite_set_state(pajewrite *w, pajewrite_container container, pajewrite_type type,
                                       pajewrite_value value);
PAJEWRITE_API void pajewrite_set_state_at(pajewrite *w, uint64_t time, pajewrite_container container,
                                          pajewrite_type type, pajewrite_value value);
PAJEWRITE_API void pajewrite_push_state(pajewrite *w, pajewrite_container container, pajewrite_type type,
                                        pajewrite_value value);
PAJEWRITE_API void pajewrite_push_state_at(pajewrite *w, uint64_t time, pajewrite_container container,
                                           pajewrite_type type, pajewrite_value value);
PAJEWRITE_API void pajewrite_pop_state(pajewrite *w, pajewrite_container container, pajewrite_type type);
PAJEWRITE_API void pajewrite_pop_state_at(pajewrite *w, uint64_t time, pajewrite_container container,
                                          pajewrite_type type);
PAJEWRITE_API void pajewrite_reset_state(pajewrite *w, pajewrite_container container, pajewrite_type type);
PAJEWRITE_API void pajewrite_reset_state_at(pajewrite *w, uint64_t time, pajewrite_container container,
                                            pajewrite_type type);

/* Something that happened at one time. */
PAJEWRITE_API void pajewrite_new_event(pajewrite *w, pajewrite_container container, pajewrite_type type,
                                       pajewrite_value value);
PAJEWRITE_API void pajewrite_new_event_at(pajewrite *w, uint64_t time, pajewrite_container container,
                                          pajewrite_type type, pajewrite_value value);

/* Variables.  Readers hold them as doubles: integers are exact up to 2^53. */
PAJEWRITE_API void pajewrite_set_variable(pajewrite *w, pajewrite_container container, pajewrite_type type,
                                          int64_t number);
PAJEWRITE_API void pajewrite_set_variable_at(pajewrite *w, uint64_t time, pajewrite_container container,
                                             pajewrite_type type, int64_t number);
PAJEWRITE_API void pajewrite_add_variable(pajewrite *w, pajewrite_container container, pajewrite_type type,
                                          int64_t number);
PAJEWRITE_API void pajewrite_add_variable_at(pajewrite *w, uint64_t time, pajewrite_container container,
                                             pajewrite_type type, int64_t number);
PAJEWRITE_API void pajewrite_sub_variable(pajewrite *w, pajewrite_container container, pajewrite_type type,
                                          int64_t number);
PAJEWRITE_API void pajewrite_sub_variable_at(pajewrite *w, uint64_t time, pajewrite_container container,
                                             pajewrite_type type, int64_t number);
#if PAJEWRITE_DOUBLE
/* Every finite double comes back bit for bit. */
PAJEWRITE_API void pajewrite_set_variable_double(pajewrite *w, pajewrite_container container, pajewrite_type type,
                                                 double number);
PAJEWRITE_API void pajewrite_set_variable_double_at(pajewrite *w, uint64_t time, pajewrite_container container,
                                                    pajewrite_type type, double number);
PAJEWRITE_API void pajewrite_add_variable_double(pajewrite *w, pajewrite_container container, pajewrite_type type,
                                                 double number);
PAJEWRITE_API void pajewrite_add_variable_double_at(pajewrite *w, uint64_t time, pajewrite_container container,
                                                    pajewrite_type type, double number);
PAJEWRITE_API void pajewrite_sub_variable_double(pajewrite *w, pajewrite_container container, pajewrite_type type,
                                                 double number);
PAJEWRITE_API void pajewrite_sub_variable_double_at(pajewrite *w, uint64_t time, pajewrite_container container,
                                                    pajewrite_type type, double number);
#endif

/* Links, from container `start` to container `end`.  `container` is the one that bears the link: a common ancestor of
 * both, often PAJEWRITE_ROOT.  Both ends have the same type, container, value and key, and each key is used once for a
 * type and container.  The ends may be written by different contexts.  _named: the key is text, as names are. */
PAJEWRITE_API void pajewrite_start_link(pajewrite *w, pajewrite_container container, pajewrite_type type,
                                        pajewrite_value value, pajewrite_container start, uint64_t key);
PAJEWRITE_API void pajewrite_start_link_at(pajewrite *w, uint64_t time, pajewrite_container container,
                                           pajewrite_type type, pajewrite_value value, pajewrite_container start,
                                           uint64_t key);
PAJEWRITE_API void pajewrite_start_link_named(pajewrite *w, pajewrite_container container, pajewrite_type type,
                                              pajewrite_value value, pajewrite_container start, const char *key);
PAJEWRITE_API void pajewrite_start_link_named_at(pajewrite *w, uint64_t time, pajewrite_container container,
                                                 pajewrite_type type, pajewrite_value value, pajewrite_container start,
                                                 const char *key);
PAJEWRITE_API void pajewrite_end_link(pajewrite *w, pajewrite_container container, pajewrite_type type,
                                      pajewrite_value value, pajewrite_container end, uint64_t key);
PAJEWRITE_API void pajewrite_end_link_at(pajewrite *w, uint64_t time, pajewrite_container container,
                                         pajewrite_type type, pajewrite_value value, pajewrite_container end,
                                         uint64_t key);
PAJEWRITE_API void pajewrite_end_link_named(pajewrite *w, pajewrite_container container, pajewrite_type type,
                                            pajewrite_value value, pajewrite_container end, const char *key);
PAJEWRITE_API void pajewrite_end_link_named_at(pajewrite *w, uint64_t time, pajewrite_container container,
                                               pajewrite_type type, pajewrite_value value, pajewrite_container end,
                                               const char *key);

#if PAJEWRITE__HAS_FILES
/* The events of this container are in another file. */
PAJEWRITE_API void pajewrite_trace_file(pajewrite *w, pajewrite_container container, pajewrite_type type,
                                        const char *filename);
#endif
#endif

/* ------------------------------------------------------------------------------------------------
 * Events in a ring: the same functions, inline over one that is not.  Private but for their names.
 * --------------------------------------------------------------------------------------------- */

#if PAJEWRITE_RING && !defined(PAJEWRITE_DISABLE)
/* Writes a record: what PAJEWRITE__WHAT says, numbers of 32 bits, texts (NULL: none). */
typedef struct pajewrite__tail {
    const char *name;
    const char *text, *end; /* others, one behind the other, each ended by NUL */
} pajewrite__tail;
PAJEWRITE_API void pajewrite__put(pajewrite *w, uint32_t what, const uint32_t *numbers, const pajewrite__tail *tail);
PAJEWRITE_API void pajewrite__refuse(pajewrite *w, pajewrite_status status);

static inline uint32_t pajewrite__alias(pajewrite_type type) { return type.alias & PAJEWRITE_TYPE_MAX; }

/* The name; NULL: the alias in decimal, in a local `digits`. */
#define PAJEWRITE__NAME(name, alias) ((name) ? (name) : pajewrite__name(digits, alias))
PAJEWRITE_API const char *pajewrite__name(char *digits, uint32_t alias);

#define PAJEWRITE__LIST(...) __VA_ARGS__
#define PAJEWRITE__HALVES(number) (uint32_t)(number), (uint32_t)((uint64_t)(number) >> 32)
#define PAJEWRITE__PUT(what, ...) \
    const uint32_t numbers[] = {__VA_ARGS__}; \
    pajewrite__put(w, (what) | PAJEWRITE__COUNT(sizeof numbers / sizeof *numbers), numbers, NULL)
#define PAJEWRITE__PUT_TAIL(what, ...) \
    const uint32_t numbers[] = {__VA_ARGS__}; \
    pajewrite__put(w, (what) | PAJEWRITE__COUNT(sizeof numbers / sizeof *numbers), numbers, &tail)
#define PAJEWRITE__PUT_TEXT(what, text, ...) \
    const pajewrite__tail tail = {text, NULL, NULL}; \
    PAJEWRITE__PUT_TAIL(what, __VA_ARGS__)

static inline void pajewrite__define(pajewrite *w, uint32_t what, uint32_t first, uint32_t second, const char *name,
                                     const char *color)
{
    char digits[11];
    const pajewrite__tail tail = {PAJEWRITE__NAME(name, first), color, color ? color + 1 : NULL};
    PAJEWRITE__PUT_TAIL(what | (color ? PAJEWRITE__FIELDS : 0), first, second);
}

#define PAJEWRITE__DEFINITION(name, kind) \
    static inline void pajewrite_##name(pajewrite *w, pajewrite_type type, pajewrite_type of, const char *text) \
    { \
        pajewrite__define(w, PAJEWRITE__WHAT(kind, TYPE), pajewrite__alias(type), pajewrite__alias(of), text, NULL); \
    }
PAJEWRITE__DEFINITION(define_container_type, PAJEWRITE_DEFINE_CONTAINER_TYPE)
PAJEWRITE__DEFINITION(define_state_type, PAJEWRITE_DEFINE_STATE_TYPE)
PAJEWRITE__DEFINITION(define_event_type, PAJEWRITE_DEFINE_EVENT_TYPE)
#undef PAJEWRITE__DEFINITION

static inline void pajewrite_define_variable_type(pajewrite *w, pajewrite_type type, pajewrite_type of,
                                                  const char *name, const char *color)
{
    pajewrite__define(w, PAJEWRITE__WHAT(PAJEWRITE_DEFINE_VARIABLE_TYPE, TYPE), pajewrite__alias(type),
                      pajewrite__alias(of), name, color ? color : PAJEWRITE_GREY);
}

static inline void pajewrite_define_link_type(pajewrite *w, pajewrite_type type, pajewrite_type of,
                                              pajewrite_type start, pajewrite_type end, const char *name)
{
    char digits[11];
    PAJEWRITE__PUT_TEXT(PAJEWRITE__WHAT(PAJEWRITE_DEFINE_LINK_TYPE, LINK_TYPE),
                        PAJEWRITE__NAME(name, pajewrite__alias(type)), pajewrite__alias(type),
                        pajewrite__alias(of), pajewrite__alias(start), pajewrite__alias(end));
}

static inline void pajewrite_define_value(pajewrite *w, pajewrite_value value, pajewrite_type type, const char *name,
                                          const char *color)
{
    pajewrite__define(w, PAJEWRITE__WHAT(PAJEWRITE_DEFINE_VALUE, TYPE), value.alias, pajewrite__alias(type), name,
                      color ? color : PAJEWRITE_GREY);
}

#if PAJEWRITE__HAS_FILES
static inline void pajewrite_trace_file(pajewrite *w, pajewrite_container container, pajewrite_type type,
                                        const char *filename)
{
    pajewrite__define(w, PAJEWRITE__WHAT(PAJEWRITE_TRACE_FILE, TYPE), container.alias, pajewrite__alias(type),
                      filename ? filename : "", NULL);
}
#endif

static inline void pajewrite_create_container(pajewrite *w, pajewrite_container container, pajewrite_type type,
                                              pajewrite_container parent, const char *name)
{
    char digits[11];
    PAJEWRITE__PUT_TEXT(PAJEWRITE__WHAT(PAJEWRITE_CREATE_CONTAINER, CREATE) | PAJEWRITE__TIMED,
                        PAJEWRITE__NAME(name, container.alias), container.alias, pajewrite__alias(type),
                        parent.alias);
}

static inline void pajewrite_create_container_at(pajewrite *w, uint64_t time, pajewrite_container container,
                                                 pajewrite_type type, pajewrite_container parent, const char *name)
{
    char digits[11];
    PAJEWRITE__PUT_TEXT(PAJEWRITE__WHAT(PAJEWRITE_CREATE_CONTAINER, CREATE), PAJEWRITE__NAME(name, container.alias),
                        PAJEWRITE__HALVES(time), container.alias, pajewrite__alias(type), parent.alias);
}

/* In two forms: now, and _at a time, which is two numbers more.  The category of the type is above all else. */
#define PAJEWRITE__OF(kind, line) \
    (PAJEWRITE__WHAT(PAJEWRITE_##kind, line) | PAJEWRITE__EVENT | (type.alias & ~PAJEWRITE_TYPE_MAX))
#define PAJEWRITE__FORMS(name, what, parameters, put, ...) \
    static inline void pajewrite_##name(pajewrite *w, PAJEWRITE__LIST parameters) \
    { \
        PAJEWRITE__##put((what) | PAJEWRITE__TIMED, __VA_ARGS__); \
    } \
    static inline void pajewrite_##name##_at(pajewrite *w, uint64_t time, PAJEWRITE__LIST parameters) \
    { \
        PAJEWRITE__##put##_AT(what, __VA_ARGS__); \
    }
#define PAJEWRITE__PUT_AT(what, ...) PAJEWRITE__PUT(what, PAJEWRITE__HALVES(time), __VA_ARGS__)
#define PAJEWRITE__PUT_TEXT_AT(what, text, ...) PAJEWRITE__PUT_TEXT(what, text, PAJEWRITE__HALVES(time), __VA_ARGS__)

#define PAJEWRITE__VALUE_FORMS(name, kind) \
    PAJEWRITE__FORMS(name, PAJEWRITE__OF(kind, STATE), \
                     (pajewrite_container container, pajewrite_type type, pajewrite_value value), \
                     PUT, container.alias, pajewrite__alias(type), value.alias)
#define PAJEWRITE__END_FORMS(name, what) \
    PAJEWRITE__FORMS(name, what, (pajewrite_container container, pajewrite_type type), \
                     PUT, container.alias, pajewrite__alias(type))
#define PAJEWRITE__NUMBER_FORMS(name, kind) \
    PAJEWRITE__FORMS(name, PAJEWRITE__OF(kind, VARIABLE), \
                     (pajewrite_container container, pajewrite_type type, int64_t number), \
                     PUT, container.alias, pajewrite__alias(type), PAJEWRITE__HALVES(number))
#define PAJEWRITE__LINK_FORMS(name, kind) \
    PAJEWRITE__FORMS(name, PAJEWRITE__OF(kind, LINK), \
                     (pajewrite_container container, pajewrite_type type, pajewrite_value value, \
                      pajewrite_container end, uint64_t key), \
                     PUT, container.alias, pajewrite__alias(type), value.alias, end.alias, PAJEWRITE__HALVES(key)) \
    PAJEWRITE__FORMS(name##_named, PAJEWRITE__OF(kind, NAMED_LINK), \
                     (pajewrite_container container, pajewrite_type type, pajewrite_value value, \
                      pajewrite_container end, const char *key), \
                     PUT_TEXT, key ? key : "", container.alias, pajewrite__alias(type), value.alias, end.alias)

PAJEWRITE__END_FORMS(destroy_container, PAJEWRITE__WHAT(PAJEWRITE_DESTROY_CONTAINER, END))
PAJEWRITE__VALUE_FORMS(set_state, SET_STATE)
PAJEWRITE__VALUE_FORMS(push_state, PUSH_STATE)
PAJEWRITE__END_FORMS(pop_state, PAJEWRITE__OF(POP_STATE, END))
PAJEWRITE__END_FORMS(reset_state, PAJEWRITE__OF(RESET_STATE, END))
PAJEWRITE__VALUE_FORMS(new_event, NEW_EVENT)
PAJEWRITE__NUMBER_FORMS(set_variable, SET_VARIABLE)
PAJEWRITE__NUMBER_FORMS(add_variable, ADD_VARIABLE)
PAJEWRITE__NUMBER_FORMS(sub_variable, SUB_VARIABLE)
PAJEWRITE__LINK_FORMS(start_link, START_LINK)
PAJEWRITE__LINK_FORMS(end_link, END_LINK)
#if PAJEWRITE_DOUBLE
/* Answers 0 if it is infinite or not a number. */
PAJEWRITE_API int pajewrite__real(pajewrite *w, char *text, double number);
#define PAJEWRITE__DOUBLE_FORMS(name, kind) \
    PAJEWRITE__FORMS(name##_text, PAJEWRITE__OF(kind, TEXT), \
                     (pajewrite_container container, pajewrite_type type, const char *text), \
                     PUT_TEXT, text, container.alias, pajewrite__alias(type)) \
    static inline void pajewrite_##name(pajewrite *w, pajewrite_container container, pajewrite_type type, \
                                        double number) \
    { \
        char text[32]; \
        if (pajewrite__real(w, text, number)) \
            pajewrite_##name##_text(w, container, type, text); \
    } \
    static inline void pajewrite_##name##_at(pajewrite *w, uint64_t time, pajewrite_container container, \
                                             pajewrite_type type, double number) \
    { \
        char text[32]; \
        if (pajewrite__real(w, text, number)) \
            pajewrite_##name##_text_at(w, time, container, type, text); \
    }
PAJEWRITE__DOUBLE_FORMS(set_variable_double, SET_VARIABLE)
PAJEWRITE__DOUBLE_FORMS(add_variable_double, ADD_VARIABLE)
PAJEWRITE__DOUBLE_FORMS(sub_variable_double, SUB_VARIABLE)
#undef PAJEWRITE__DOUBLE_FORMS
#endif
#undef PAJEWRITE__VALUE_FORMS
#undef PAJEWRITE__END_FORMS
#undef PAJEWRITE__NUMBER_FORMS
#undef PAJEWRITE__LINK_FORMS
#undef PAJEWRITE__FORMS
#endif

/* ------------------------------------------------------------------------------------------------
 * User fields: variants of an event's definition with fields of your own
 *
 *     pajewrite_variant sized = pajewrite_define_variant(&w, PAJEWRITE_PUSH_STATE, "Size int, Mark string");
 *     pajewrite_fields fields = pajewrite_fields_of(sized);
 *     pajewrite_field_int(&fields, 4096);
 *     pajewrite_field_string(&fields, "halo");
 *     pajewrite_event event = {.kind = PAJEWRITE_PUSH_STATE, .time = pajewrite_now(&w), .container = c, .type = t,
 *                              .value = v};
 *     pajewrite_write(&w, &event, &fields);
 * --------------------------------------------------------------------------------------------- */

/* A definition of an event with user fields.  It may be used by every context whose lines come after it. */
typedef struct pajewrite_variant {
    uint32_t number; /* of the event in the trace; 0: the definition was refused */
    pajewrite_kind kind;
    uint32_t fields;
} pajewrite_variant;

#define PAJEWRITE_TIME_NOW UINT64_MAX

/* Any event, for pajewrite_write; each kind uses the members that its function above has as arguments. */
typedef struct pajewrite_event {
    pajewrite_kind kind;
    pajewrite_container container;
    pajewrite_type type;
    pajewrite_value value;
    uint64_t time;                        /* or PAJEWRITE_TIME_NOW */
    pajewrite_container other;            /* links: where it starts or ends.  Containers: the parent */
    pajewrite_type of;                    /* types: what it belongs to */
    pajewrite_type start_type, end_type;  /* link types */
    int64_t integer;                      /* variables, */
#if PAJEWRITE_DOUBLE
    double real;                          /* if is_real is 1 */
    int is_real;
#endif
    uint64_t key;                         /* links, if `name` is NULL */
    const char *name;                     /* links: the key.  Trace file: its name */
    const char *color;
} pajewrite_event;

/* The user fields of one line, in the order of their definition.  It may be used for several lines. */
typedef struct pajewrite_fields {
    pajewrite_variant variant;
    uint32_t count;
    uint32_t size;     /* of the text; more than there is room for: it overflowed */
    uint32_t unfit;    /* 1: a name that is refused, if names are */
    uint32_t number;   /* 1: infinity or not-a-number */
    char text[PAJEWRITE_FIELDS_SIZE ? PAJEWRITE_FIELDS_SIZE : 1];
} pajewrite_fields;

/* `fields`: "Name type, Name type"; names of letters, digits and _, types int, hex, double, float, date, color, string.
 * An optional field of the format is one as well: "Color color" for a state type, "Filename string" for a container,
 * "File string, Line int" for the place in the source; no name twice, nor one that the kind's own fields have, now or
 * in the oldest versions of the format.  What a field holds is not checked, not even a color.  A refused definition
 * (PAJEWRITE_E_VARIANT) has number 0. */
#if !PAJEWRITE_RING
PAJEWRITE_API pajewrite_variant pajewrite_define_variant(pajewrite *w, pajewrite_kind kind, const char *fields);
#endif

PAJEWRITE_API pajewrite_fields pajewrite_fields_of(pajewrite_variant variant);
PAJEWRITE_API void pajewrite_field_int(pajewrite_fields *fields, int64_t number);
PAJEWRITE_API void pajewrite_field_hex(pajewrite_fields *fields, uint64_t number);
PAJEWRITE_API void pajewrite_field_string(pajewrite_fields *fields, const char *text);
#if PAJEWRITE_DOUBLE
PAJEWRITE_API void pajewrite_field_double(pajewrite_fields *fields, double number);
#endif

/* Writes any event; `fields` NULL: none.  For user fields, and for programs that translate other traces.  In a ring: of
 * states, events, variables and links. */
#if !PAJEWRITE_RING || defined(PAJEWRITE_DISABLE)
PAJEWRITE_API void pajewrite_write(pajewrite *w, const pajewrite_event *event, const pajewrite_fields *fields);
#else /* inline, because the kind is mostly known where it is called */
static inline void pajewrite_write(pajewrite *w, const pajewrite_event *event, const pajewrite_fields *fields)
{
    uint32_t kind = (uint32_t)event->kind, number = kind;
    uint32_t parts = PAJEWRITE__EVENT | (event->type.alias & ~PAJEWRITE_TYPE_MAX);
    uint32_t container = event->container.alias, type = pajewrite__alias(event->type);
    uint32_t value = event->value.alias, other = event->other.alias;
    const char *texts = NULL, *end = NULL;
    if (kind - PAJEWRITE_SET_STATE > PAJEWRITE_END_LINK - PAJEWRITE_SET_STATE) {
        pajewrite__refuse(w, PAJEWRITE_E_MISUSE);
        return;
    }
    if (fields) {
        if (fields->variant.kind != event->kind || fields->count != fields->variant.fields) {
            pajewrite__refuse(w, PAJEWRITE_E_FIELDS);
            return;
        }
#if PAJEWRITE_DOUBLE
        if (fields->number) {
            pajewrite__refuse(w, PAJEWRITE_E_NUMBER);
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
        const pajewrite__tail tail = {name, texts, end}; \
        if (event->time == PAJEWRITE_TIME_NOW) { \
            PAJEWRITE__PUT_TAIL(PAJEWRITE__WHAT(number, line) | PAJEWRITE__TIMED | parts, __VA_ARGS__); \
        } else { \
            PAJEWRITE__PUT_TAIL(PAJEWRITE__WHAT(number, line) | parts, PAJEWRITE__HALVES(event->time), __VA_ARGS__); \
        } \
    }
    if (kind >= PAJEWRITE_START_LINK && event->name)
        PAJEWRITE__PUT_EVENT(NAMED_LINK, event->name, container, type, value, other)
    else if (kind >= PAJEWRITE_START_LINK)
        PAJEWRITE__PUT_EVENT(LINK, NULL, container, type, value, other, PAJEWRITE__HALVES(event->key))
#if PAJEWRITE_DOUBLE
    else if (kind >= PAJEWRITE_SET_VARIABLE && event->is_real) {
        char text[32];
        if (pajewrite__real(w, text, event->real))
            PAJEWRITE__PUT_EVENT(TEXT, text, container, type)
    }
#endif
    else if (kind >= PAJEWRITE_SET_VARIABLE)
        PAJEWRITE__PUT_EVENT(VARIABLE, NULL, container, type, PAJEWRITE__HALVES(event->integer))
    else if (kind == PAJEWRITE_POP_STATE || kind == PAJEWRITE_RESET_STATE)
        PAJEWRITE__PUT_EVENT(END, NULL, container, type)
    else
        PAJEWRITE__PUT_EVENT(STATE, NULL, container, type, value)
#undef PAJEWRITE__PUT_EVENT
}
#endif

/* ------------------------------------------------------------------------------------------------
 * Ready sinks and clocks
 * --------------------------------------------------------------------------------------------- */

#if PAJEWRITE_STDIO
/* Sink: `data` is a FILE, which is flushed each time and not closed. */
PAJEWRITE_API pajewrite_status pajewrite_to_stream(void *data, const char *bytes, size_t size);
#endif

#if PAJEWRITE_POSIX
#ifdef __cplusplus
}
#endif
#include <pthread.h>
#ifdef __cplusplus
extern "C" {
#endif

/* Clock: CLOCK_MONOTONIC in nanoseconds (9 decimals); `data` is not used. */
PAJEWRITE_API uint64_t pajewrite_monotonic(void *data);

/* A file descriptor, which contexts of several threads may share: each delivery is written in one piece.  After a
 * failed write nothing more is written, so that what is in the file has no gap; a line that was begun is cut off again,
 * in a regular file.  All members but the descriptor are private. */
typedef struct pajewrite_file {
    pthread_mutex_t lock;
    int descriptor; /* as it was given to pajewrite_file_init */
    int failed;
    long process;
} pajewrite_file;

/* The descriptor stays yours to close, after pajewrite_finish of all contexts.  PAJEWRITE_E_SINK if it is negative;
 * then deliveries fail. */
PAJEWRITE_API pajewrite_status pajewrite_file_init(pajewrite_file *file, int descriptor);
/* Sink: `data` is a pajewrite_file.  In a child process it fails (PAJEWRITE_E_FORKED) and writes nothing, so that what
 * the parent had in its buffers does not come twice. */
PAJEWRITE_API pajewrite_status pajewrite_to_file(void *data, const char *bytes, size_t size);

/* A file that is mapped into memory, for one context: its lines are in the file as soon as they are written, so that
 * they survive the death of the process at any moment (though not that of the machine).  What stands behind the last
 * line reads as a comment and blank lines; pajewrite_finish cuts it off.  Room is written to the file before it is
 * mapped, so that a full disk is an error (PAJEWRITE_E_SINK).  All members are private. */
typedef struct pajewrite_map {
    char *window;
    size_t window_size, step, page;
    uint64_t base, filled, position; /* of the window, of the file's end, of what is to be written, in the file */
    int descriptor;
    long process;
    struct pajewrite_map *next;
} pajewrite_map;

/* Creates the file, or empties it.  `step`: by how much it grows, in bytes; 0: 1 MiB.  After a fork the child has the
 * context, which writes nothing any more (PAJEWRITE_E_FORKED). */
PAJEWRITE_API pajewrite_status pajewrite_map_open(pajewrite_map *map, const char *path, size_t step);
/* config.room, with config.room_data a pajewrite_map; pajewrite_finish closes it.  For a flight recorder: the file is
 * as long as the size given to pajewrite_init, up to the next multiple of `step`, and holds the memory to be dumped. */
PAJEWRITE_API char *pajewrite_map_room(void *data, size_t used, size_t needed, size_t *size);
#endif

#if PAJEWRITE_POSIX && (defined(__x86_64__) || defined(__i386__)) && defined(__GNUC__)
#define PAJEWRITE_TSC 1
/* The time stamp counter, in nanoseconds (9 decimals): cheaper than CLOCK_MONOTONIC, which it follows; every half
 * second it is compared, and its rate corrected so that it neither jumps nor goes back.  Needs a counter of constant
 * rate that all cores share (flags constant_tsc, nonstop_tsc in /proc/cpuinfo).  One for each context.  All members are
 * private. */
typedef struct pajewrite_tsc {
    uint64_t ticks, time; /* the counter when it was compared last, and what was said then */
    uint64_t truth;       /* and what CLOCK_MONOTONIC said */
    uint64_t rate;        /* nanoseconds in a tick, times 2^32 */
    uint64_t interval;    /* ticks until it is compared again */
} pajewrite_tsc;

/* Takes ten milliseconds. */
PAJEWRITE_API void pajewrite_tsc_init(pajewrite_tsc *clock);
/* Clock: `data` is a pajewrite_tsc. */
PAJEWRITE_API uint64_t pajewrite_tsc_now(void *data);
#endif

/* ------------------------------------------------------------------------------------------------
 * The scope of a state, for instrumentation by hand
 *
 *     PAJEWRITE_SCOPE(&w, thread, state, computing) {
 *         ...
 *     }
 *
 * pushes the state, runs the block, pops the state: also by `continue`, but in C not by `break`, `goto` or `return`.
 * In C++ it is safe against all of them, and exceptions; and `pajewrite_scope scope(&w, thread, state, computing);`
 * does the same to the end of the block where it stands.  A state that was disabled at the push is not popped.
 * --------------------------------------------------------------------------------------------- */

typedef struct pajewrite__scope {
    pajewrite *w; /* NULL: nothing was pushed */
    pajewrite_container container;
    pajewrite_type type;
    int inside;
} pajewrite__scope;

PAJEWRITE_API pajewrite__scope pajewrite__enter(pajewrite *w, pajewrite_container container, pajewrite_type type,
                                                pajewrite_value value);
PAJEWRITE_API void pajewrite__leave(pajewrite__scope *scope);

#define PAJEWRITE__JOIN2(a, b) a##b
#define PAJEWRITE__JOIN(a, b) PAJEWRITE__JOIN2(a, b)

#if defined(PAJEWRITE_DISABLE)
#define PAJEWRITE_SCOPE(w, container, type, value) \
    if (0) { \
        pajewrite__enter(w, container, type, value); \
    } else
#elif defined(__cplusplus)
#define PAJEWRITE_SCOPE(w, container, type, value) \
    for (pajewrite_scope PAJEWRITE__JOIN(pajewrite__scope_, __LINE__)(w, container, type, value); \
         PAJEWRITE__JOIN(pajewrite__scope_, __LINE__).scope.inside; \
         PAJEWRITE__JOIN(pajewrite__scope_, __LINE__).scope.inside = 0)
#else
#define PAJEWRITE_SCOPE(w, container, type, value) \
    for (pajewrite__scope PAJEWRITE__JOIN(pajewrite__scope_, __LINE__) = pajewrite__enter(w, container, type, value); \
         PAJEWRITE__JOIN(pajewrite__scope_, __LINE__).inside; \
         pajewrite__leave(&PAJEWRITE__JOIN(pajewrite__scope_, __LINE__)))
#endif

/* ------------------------------------------------------------------------------------------------
 * Compiled out: calls stay visible to the compiler's checks, and make no code
 * --------------------------------------------------------------------------------------------- */

#ifdef PAJEWRITE_DISABLE
#ifdef __cplusplus
#define PAJEWRITE__ZEROS(type) type()
#else
#define PAJEWRITE__ZEROS(type) (type){0}
#endif
#ifdef __GNUC__ /* may stand alone as a statement without a warning */
#define PAJEWRITE__NOTHING(call, answer) __extension__({ 0 ? call : answer; })
#define PAJEWRITE__NO_STRUCT(call, type) __extension__({ (void)sizeof call; PAJEWRITE__ZEROS(type); })
#else
#define PAJEWRITE__NOTHING(call, answer) (0 ? call : answer)
#define PAJEWRITE__NO_STRUCT(call, type) ((void)sizeof call, PAJEWRITE__ZEROS(type))
#endif
#define pajewrite_init(...) PAJEWRITE__NOTHING((pajewrite_init)(__VA_ARGS__), PAJEWRITE_OK)
#define pajewrite_header(...) PAJEWRITE__NOTHING((pajewrite_header)(__VA_ARGS__), (void)0)
#define pajewrite_next_byte(...) PAJEWRITE__NOTHING((pajewrite_next_byte)(__VA_ARGS__), -1)
#define pajewrite_read(...) PAJEWRITE__NOTHING((pajewrite_read)(__VA_ARGS__), (size_t)0)
#define pajewrite_announce(...) PAJEWRITE__NOTHING((pajewrite_announce)(__VA_ARGS__), (void)0)
#define pajewrite_flush(...) PAJEWRITE__NOTHING((pajewrite_flush)(__VA_ARGS__), PAJEWRITE_OK)
#define pajewrite_finish(...) PAJEWRITE__NOTHING((pajewrite_finish)(__VA_ARGS__), PAJEWRITE_OK)
#define pajewrite_learn(...) PAJEWRITE__NOTHING((pajewrite_learn)(__VA_ARGS__), (void)0)
#define pajewrite_get_status(...) PAJEWRITE__NOTHING((pajewrite_get_status)(__VA_ARGS__), PAJEWRITE_OK)
#define pajewrite_count(...) PAJEWRITE__NO_STRUCT((pajewrite_count)(__VA_ARGS__), pajewrite_counts)
#define pajewrite_now(...) PAJEWRITE__NOTHING((pajewrite_now)(__VA_ARGS__), 0u)
#define pajewrite_enable(...) PAJEWRITE__NOTHING((pajewrite_enable)(__VA_ARGS__), (void)0)
#define pajewrite_disable(...) PAJEWRITE__NOTHING((pajewrite_disable)(__VA_ARGS__), (void)0)
#define pajewrite_new_type(...) PAJEWRITE__NO_STRUCT((pajewrite_new_type)(__VA_ARGS__), pajewrite_type)
#define pajewrite_new_type_in(...) PAJEWRITE__NO_STRUCT((pajewrite_new_type_in)(__VA_ARGS__), pajewrite_type)
#define pajewrite_new_container(...) PAJEWRITE__NO_STRUCT((pajewrite_new_container)(__VA_ARGS__), pajewrite_container)
#define pajewrite_new_value(...) PAJEWRITE__NO_STRUCT((pajewrite_new_value)(__VA_ARGS__), pajewrite_value)
#define pajewrite_define_container_type(...) PAJEWRITE__NOTHING((pajewrite_define_container_type)(__VA_ARGS__), (void)0)
#define pajewrite_define_state_type(...) PAJEWRITE__NOTHING((pajewrite_define_state_type)(__VA_ARGS__), (void)0)
#define pajewrite_define_event_type(...) PAJEWRITE__NOTHING((pajewrite_define_event_type)(__VA_ARGS__), (void)0)
#define pajewrite_define_variable_type(...) PAJEWRITE__NOTHING((pajewrite_define_variable_type)(__VA_ARGS__), (void)0)
#define pajewrite_define_link_type(...) PAJEWRITE__NOTHING((pajewrite_define_link_type)(__VA_ARGS__), (void)0)
#define pajewrite_define_value(...) PAJEWRITE__NOTHING((pajewrite_define_value)(__VA_ARGS__), (void)0)
#define pajewrite_create_container(...) PAJEWRITE__NOTHING((pajewrite_create_container)(__VA_ARGS__), (void)0)
#define pajewrite_create_container_at(...) PAJEWRITE__NOTHING((pajewrite_create_container_at)(__VA_ARGS__), (void)0)
#define pajewrite_destroy_container(...) PAJEWRITE__NOTHING((pajewrite_destroy_container)(__VA_ARGS__), (void)0)
#define pajewrite_destroy_container_at(...) PAJEWRITE__NOTHING((pajewrite_destroy_container_at)(__VA_ARGS__), (void)0)
#define pajewrite_set_state(...) PAJEWRITE__NOTHING((pajewrite_set_state)(__VA_ARGS__), (void)0)
#define pajewrite_set_state_at(...) PAJEWRITE__NOTHING((pajewrite_set_state_at)(__VA_ARGS__), (void)0)
#define pajewrite_push_state(...) PAJEWRITE__NOTHING((pajewrite_push_state)(__VA_ARGS__), (void)0)
#define pajewrite_push_state_at(...) PAJEWRITE__NOTHING((pajewrite_push_state_at)(__VA_ARGS__), (void)0)
#define pajewrite_pop_state(...) PAJEWRITE__NOTHING((pajewrite_pop_state)(__VA_ARGS__), (void)0)
#define pajewrite_pop_state_at(...) PAJEWRITE__NOTHING((pajewrite_pop_state_at)(__VA_ARGS__), (void)0)
#define pajewrite_reset_state(...) PAJEWRITE__NOTHING((pajewrite_reset_state)(__VA_ARGS__), (void)0)
#define pajewrite_reset_state_at(...) PAJEWRITE__NOTHING((pajewrite_reset_state_at)(__VA_ARGS__), (void)0)
#define pajewrite_new_event(...) PAJEWRITE__NOTHING((pajewrite_new_event)(__VA_ARGS__), (void)0)
#define pajewrite_new_event_at(...) PAJEWRITE__NOTHING((pajewrite_new_event_at)(__VA_ARGS__), (void)0)
#define pajewrite_set_variable(...) PAJEWRITE__NOTHING((pajewrite_set_variable)(__VA_ARGS__), (void)0)
#define pajewrite_set_variable_at(...) PAJEWRITE__NOTHING((pajewrite_set_variable_at)(__VA_ARGS__), (void)0)
#define pajewrite_add_variable(...) PAJEWRITE__NOTHING((pajewrite_add_variable)(__VA_ARGS__), (void)0)
#define pajewrite_add_variable_at(...) PAJEWRITE__NOTHING((pajewrite_add_variable_at)(__VA_ARGS__), (void)0)
#define pajewrite_sub_variable(...) PAJEWRITE__NOTHING((pajewrite_sub_variable)(__VA_ARGS__), (void)0)
#define pajewrite_sub_variable_at(...) PAJEWRITE__NOTHING((pajewrite_sub_variable_at)(__VA_ARGS__), (void)0)
#define pajewrite_set_variable_double(...) PAJEWRITE__NOTHING((pajewrite_set_variable_double)(__VA_ARGS__), (void)0)
#define pajewrite_set_variable_double_at(...) \
    PAJEWRITE__NOTHING((pajewrite_set_variable_double_at)(__VA_ARGS__), (void)0)
#define pajewrite_add_variable_double(...) PAJEWRITE__NOTHING((pajewrite_add_variable_double)(__VA_ARGS__), (void)0)
#define pajewrite_add_variable_double_at(...) \
    PAJEWRITE__NOTHING((pajewrite_add_variable_double_at)(__VA_ARGS__), (void)0)
#define pajewrite_sub_variable_double(...) PAJEWRITE__NOTHING((pajewrite_sub_variable_double)(__VA_ARGS__), (void)0)
#define pajewrite_sub_variable_double_at(...) \
    PAJEWRITE__NOTHING((pajewrite_sub_variable_double_at)(__VA_ARGS__), (void)0)
#define pajewrite_start_link(...) PAJEWRITE__NOTHING((pajewrite_start_link)(__VA_ARGS__), (void)0)
#define pajewrite_start_link_at(...) PAJEWRITE__NOTHING((pajewrite_start_link_at)(__VA_ARGS__), (void)0)
#define pajewrite_start_link_named(...) PAJEWRITE__NOTHING((pajewrite_start_link_named)(__VA_ARGS__), (void)0)
#define pajewrite_start_link_named_at(...) PAJEWRITE__NOTHING((pajewrite_start_link_named_at)(__VA_ARGS__), (void)0)
#define pajewrite_end_link(...) PAJEWRITE__NOTHING((pajewrite_end_link)(__VA_ARGS__), (void)0)
#define pajewrite_end_link_at(...) PAJEWRITE__NOTHING((pajewrite_end_link_at)(__VA_ARGS__), (void)0)
#define pajewrite_end_link_named(...) PAJEWRITE__NOTHING((pajewrite_end_link_named)(__VA_ARGS__), (void)0)
#define pajewrite_end_link_named_at(...) PAJEWRITE__NOTHING((pajewrite_end_link_named_at)(__VA_ARGS__), (void)0)
#define pajewrite_trace_file(...) PAJEWRITE__NOTHING((pajewrite_trace_file)(__VA_ARGS__), (void)0)
#define pajewrite_define_variant(...) PAJEWRITE__NO_STRUCT((pajewrite_define_variant)(__VA_ARGS__), pajewrite_variant)
#define pajewrite_fields_of(...) PAJEWRITE__NO_STRUCT((pajewrite_fields_of)(__VA_ARGS__), pajewrite_fields)
#define pajewrite_field_int(...) PAJEWRITE__NOTHING((pajewrite_field_int)(__VA_ARGS__), (void)0)
#define pajewrite_field_hex(...) PAJEWRITE__NOTHING((pajewrite_field_hex)(__VA_ARGS__), (void)0)
#define pajewrite_field_string(...) PAJEWRITE__NOTHING((pajewrite_field_string)(__VA_ARGS__), (void)0)
#define pajewrite_field_double(...) PAJEWRITE__NOTHING((pajewrite_field_double)(__VA_ARGS__), (void)0)
#define pajewrite_write(...) PAJEWRITE__NOTHING((pajewrite_write)(__VA_ARGS__), (void)0)
#define pajewrite_file_init(...) PAJEWRITE__NOTHING((pajewrite_file_init)(__VA_ARGS__), PAJEWRITE_OK)
#define pajewrite_flight_dump(...) PAJEWRITE__NOTHING((pajewrite_flight_dump)(__VA_ARGS__), PAJEWRITE_OK)
#define pajewrite_map_open(...) PAJEWRITE__NOTHING((pajewrite_map_open)(__VA_ARGS__), PAJEWRITE_OK)
#define pajewrite_tsc_init(...) PAJEWRITE__NOTHING((pajewrite_tsc_init)(__VA_ARGS__), (void)0)
#define pajewrite_version() PAJEWRITE_VERSION
#define pajewrite_status_text(status) PAJEWRITE__NOTHING((pajewrite_status_text)(status), "no problem")
#define pajewrite_to_stream ((pajewrite_sink)0)
#define pajewrite_to_file ((pajewrite_sink)0)
#define pajewrite_map_room ((pajewrite_room)0)
#define pajewrite_monotonic ((pajewrite_clock)0)
#define pajewrite_tsc_now ((pajewrite_clock)0)
#endif

#ifdef __cplusplus
}

struct pajewrite_scope {
#ifdef PAJEWRITE_DISABLE
    pajewrite_scope(pajewrite *, pajewrite_container, pajewrite_type, pajewrite_value) {}
#else
    pajewrite__scope scope;
    pajewrite_scope(pajewrite *w, pajewrite_container container, pajewrite_type type, pajewrite_value value)
        : scope(pajewrite__enter(w, container, type, value)) {}
    ~pajewrite_scope() { pajewrite__leave(&scope); }
    pajewrite_scope(const pajewrite_scope &) = delete;
    pajewrite_scope &operator=(const pajewrite_scope &) = delete;
#endif
};
#endif

#endif /* PAJEWRITE_H */

/* ================================================================================================
 * Implementation
 * ============================================================================================= */

#if defined(PAJEWRITE_IMPLEMENTATION) && !defined(PAJEWRITE_DISABLE) && !defined(PAJEWRITE__IMPLEMENTED)
#define PAJEWRITE__IMPLEMENTED

#include <string.h>
#if PAJEWRITE_DOUBLE
#include <float.h>
#if DBL_MANT_DIG != 53
#error "double is not the one of 64 bits here: define PAJEWRITE_DOUBLE as 0"
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__) || defined(__clang__)
#define PAJEWRITE__LIKELY(x) __builtin_expect(!!(x), 1)
#define PAJEWRITE__UNLIKELY(x) __builtin_expect(!!(x), 0)
#define PAJEWRITE__INLINE static inline __attribute__((always_inline))
#define PAJEWRITE__COLD static __attribute__((noinline, cold))
#define PAJEWRITE__NOINLINE static __attribute__((noinline))
#define PAJEWRITE__BARRIER() __asm__ volatile("" ::: "memory")
#else
#define PAJEWRITE__LIKELY(x) (x)
#define PAJEWRITE__UNLIKELY(x) (x)
#define PAJEWRITE__INLINE static inline
#define PAJEWRITE__COLD static
#define PAJEWRITE__NOINLINE static
#define PAJEWRITE__BARRIER() ((void)0)
#endif

#ifdef __AVR__
#define PAJEWRITE__ROM_BYTE(p) ((char)pgm_read_byte(p))
#define PAJEWRITE__ROM_UNIT(p) pgm_read_word(p)
/* Two bytes, which nothing may come between. */
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

/* What PAJEWRITE_KINDS has. */
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
#if PAJEWRITE_RING
#define PAJEWRITE__ABSENT "\x80"
#else
#define PAJEWRITE__ABSENT ""
#endif

/* An event of numbers only, at the longest: its number, time, four aliases, a key, blanks and the newline. */
#define PAJEWRITE__EVENT_SIZE 96
/* The comment that tells a gap. */
#define PAJEWRITE__GAP_SIZE 96
/* Copies of fixed size reach so far beyond the end of a record; the '#' behind it is in here too. */
#define PAJEWRITE__SLACK 32

#if !PAJEWRITE_RING
PAJEWRITE__INLINE uint32_t pajewrite__alias(pajewrite_type type) { return type.alias & PAJEWRITE_TYPE_MAX; }
#endif

#if PAJEWRITE_DOUBLE
static char *pajewrite__double(char *p, double number);
static int pajewrite__finite(double number) { return number - number == 0; }
#endif

PAJEWRITE__INLINE int pajewrite__on(const pajewrite *w, pajewrite_type type)
{
    return PAJEWRITE__LIKELY(w->enabled >> (type.alias >> 27) & 1) != 0;
}

/* ------------------------------------------------------------------------------------------------
 * The ring: records of numbers go in, with interrupts masked; text comes out
 *
 * A record is what PAJEWRITE__WHAT says, then numbers, in units of 15 bits, the lowest first; below them is a bit that
 * says that more follow.  Draining makes the text of one piece of a line at a time.  What the header and each line are
 * made of is said in words.
 *
 * Small before fast: no division, no inlining, one way for all lines.
 * --------------------------------------------------------------------------------------------- */

#if PAJEWRITE_RING
/* The platform: PAJEWRITE_ENTER(saved) keeps out whatever else writes, `saved` being an unsigned;
 * PAJEWRITE_LEAVE(saved) restores what was before; PAJEWRITE_BARRIER() keeps stores in their order.  Several cores need
 * a lock besides. */
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
#else /* nothing else writes */
#define PAJEWRITE_ENTER(saved) ((saved) = 0)
#define PAJEWRITE_LEAVE(saved) ((void)(saved))
#endif
#endif
#ifndef PAJEWRITE_BARRIER
#define PAJEWRITE_BARRIER() PAJEWRITE__BARRIER()
#endif

/* The ready clocks of Cortex-M. */
#if defined(PAJEWRITE_SYSTICK) || defined(PAJEWRITE_DWT)
static uint64_t pajewrite__cortex_now(void)
{
    static uint64_t time;
    static uint32_t last;
#ifdef PAJEWRITE_SYSTICK /* counts down from its reload value */
    uint32_t reload = *(volatile uint32_t *)0xe000e014u, now = reload - *(volatile uint32_t *)0xe000e018u;
    time += now - last + (now < last ? reload + 1 : 0);
#else
    uint32_t now = *(volatile uint32_t *)0xe0001004u;
    time += now - last;
#endif
    last = now;
    return time;
}
#define PAJEWRITE_NOW() pajewrite__cortex_now()
#endif
#ifndef PAJEWRITE_NOW
#error "define PAJEWRITE_NOW() as what reads your clock: 64 bits, in ticks of PAJEWRITE_HZ; or PAJEWRITE_SYSTICK"
#endif

/* ---- words
 *
 * The last byte of each is 0x80 more than it says.  Bytes below 32, but for the newline, stand for words, by their
 * place; digits for what the record has: 0 its event's number, 1 a number, 2 a time, 3 a text, 4 a number of 64 bits, 5
 * one with a sign; for a definition 6 the words of its kind, 7 those of the kind that is told, 8 a text as it is. */
static const char pajewrite__words[] PAJEWRITE_ROM =
    "\x80"                                               /* nothing */
    "021\xb1"                                            /* END, and so on: lines in the order of the enum */
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
    "\x11\x07\x08\x97"                                   /* the kinds of events, in their order */
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
/* The last kind of these. */
#define PAJEWRITE__LAST_KIND \
    (PAJEWRITE__HAS_FILES ? PAJEWRITE_TRACE_FILE : PAJEWRITE__HAS_LINKS ? PAJEWRITE_END_LINK : \
     PAJEWRITE__HAS_VARIABLES ? PAJEWRITE_SUB_VARIABLE : PAJEWRITE__HAS_EVENTS ? PAJEWRITE_NEW_EVENT : \
     PAJEWRITE_RESET_STATE)

/* As bits, which kinds there are. */
#define PAJEWRITE__PRESENT \
    (0x38400u | PAJEWRITE__HAS_STATES * 0x3c0800u | PAJEWRITE__HAS_EVENTS * 0x401000u | \
     PAJEWRITE__HAS_VARIABLES * 0x3802000u | PAJEWRITE__HAS_LINKS * 0xc004000u | PAJEWRITE__HAS_FILES * 0x10000000u)

/* In front of the ring: the places in the words where it goes on, the innermost last, and room for one piece of text,
 * which ends where the ring begins.  The longest piece is a time. */
enum { PAJEWRITE__FRONT = 6 + 11 };

/* ---- numbers as text */

/* A number, which ends at p.  Answers where it begins. */
PAJEWRITE__NOINLINE char *pajewrite__digits(char *p, uint32_t n)
{
    while (n > 9) { /* q: n / 10 */
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

/* Divides the number of which `high`, less than `by`, is the upper half and `*low` the lower one.  That becomes the
 * quotient; answers the rest. */
static uint32_t pajewrite__divide(uint32_t high, uint32_t *low, uint32_t by)
{
    uint32_t n = *low, rest = high, i = 32;
#ifdef __GNUC__
    __asm__("" : "+r"(by)); /* one constant, where there would be three made of it */
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

#if PAJEWRITE__HAS_VARIABLES || PAJEWRITE__HAS_LINKS || PAJEWRITE_FIELDS_SIZE
static char *pajewrite__long(char *p, uint32_t low, uint32_t high, uint32_t is_signed)
{
    uint32_t negative = is_signed & high >> 31;
    if (negative) {
        high = ~high + !low;
        low = 0 - low;
    }
    while (high) {
        uint32_t rest = pajewrite__divide(0, &high, 10);
        *--p = (char)('0' + pajewrite__divide(rest, &low, 10));
    }
    p = pajewrite__digits(p, low);
    if (negative)
        *--p = '-';
    return p;
}
#endif

/* Seconds, the point, decimals. */
static char *pajewrite__time(char *p, uint32_t low, uint32_t high)
{
    uint32_t rest = pajewrite__divide(high, &low, PAJEWRITE_HZ);
#if PAJEWRITE_DECIMALS
    /* where a tick is no decimal, it is never shown before its time */
    uint32_t n = 1000000000u % PAJEWRITE_HZ == 0 ? rest * (1000000000u / PAJEWRITE_HZ) :
        (uint32_t)(rest * (((UINT64_C(1000000000) << 32) + PAJEWRITE_HZ - 1) / PAJEWRITE_HZ) >> 32);
#if PAJEWRITE_DECIMALS < 9
    char *end = p;
#endif
    p = pajewrite__digits(p, n + 1000000000u); /* all nine, and one more in the place of the point */
    *p = '.';
#if PAJEWRITE_DECIMALS < 9
    memmove(p + 9 - PAJEWRITE_DECIMALS, p, PAJEWRITE_DECIMALS + 1);
    p = end - PAJEWRITE_DECIMALS - 1;
#endif
#else
    (void)rest;
#endif
    return pajewrite__digits(p, low);
}

/* ---- writing: to be called with interrupts masked */

PAJEWRITE__NOINLINE void pajewrite__write(pajewrite *w, uint32_t n)
{
    do {
        uint32_t at = w->next, next = at + 1, size = w->size, more = n >> 15;
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

static void pajewrite__write_long(pajewrite *w, uint64_t n)
{
    pajewrite__write(w, (uint32_t)n);
    pajewrite__write(w, (uint32_t)(n >> 32));
}

#if PAJEWRITE_TEXTS
/* _ for what not every reader takes. */
PAJEWRITE__NOINLINE char pajewrite__fit(char byte)
{
    uint32_t c = (unsigned char)byte;
    /* of the bytes from 32 to 63: " # % ' , */
    return c < 32 || c == 127 || (c < 64 && 0x10acu >> (c - 32) & 1) ? '_' : byte;
}

/* What ends it, and its bytes.  Answers where it ends. */
PAJEWRITE__NOINLINE const char *pajewrite__write_text(pajewrite *w, const char *text)
{
    const char *blank = text;
    while (*blank && *blank != ' ')
        blank++;
    pajewrite__write(w, *blank ? '"' : 1);
    do
        pajewrite__write(w, (unsigned char)pajewrite__fit(*text));
    while (*text && *++text);
    pajewrite__write(w, 0);
    return text + 1;
}
#endif

PAJEWRITE__NOINLINE void pajewrite__record(pajewrite *w, uint32_t what, const uint32_t *numbers,
                                           const pajewrite__tail *tail)
{
    w->next = w->head;
#if PAJEWRITE_GAPS
    if (w->gap)
        w->next = w->size;
#endif
    pajewrite__write(w, (uint16_t)what);
    if (what & PAJEWRITE__TIMED) {
#if PAJEWRITE_GAPS
        w->last = PAJEWRITE_NOW();
        pajewrite__write_long(w, w->last);
#else
        pajewrite__write_long(w, PAJEWRITE_NOW());
#endif
    }
    for (what = what >> 16 & 15; what; what--)
        pajewrite__write(w, *numbers++);
#if PAJEWRITE_TEXTS
    if (tail) {
        const char *text = tail->text;
        if (tail->name)
            pajewrite__write_text(w, tail->name);
        if (text) {
            while (text < tail->end)
                text = pajewrite__write_text(w, text);
            pajewrite__write(w, 0);
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
        if (!w->gap++) {
            w->first = w->last;
#else
        {
#endif
            if (PAJEWRITE_TEXTS && w->head == w->tail && !w->status) /* not even the empty ring has room for it */
                w->status = PAJEWRITE_E_TOO_LONG;
        }
    }
}

/* Apart, so that what is disabled saves no registers. */
PAJEWRITE_API void pajewrite__put(pajewrite *w, uint32_t what, const uint32_t *numbers, const pajewrite__tail *tail)
{
    if (!(what & PAJEWRITE__EVENT) || w->enabled >> (what >> 27) & 1) {
        unsigned saved;
        PAJEWRITE_ENTER(saved);
        pajewrite__record(w, what, numbers, tail);
        PAJEWRITE_LEAVE(saved);
    }
}

#if PAJEWRITE_TEXTS
PAJEWRITE_API const char *pajewrite__name(char *digits, uint32_t alias)
{
    digits[10] = 0;
    return pajewrite__digits(digits + 10, alias);
}
#endif

PAJEWRITE_API void pajewrite__refuse(pajewrite *w, pajewrite_status status)
{
    unsigned saved;
    PAJEWRITE_ENTER(saved);
    if (!w->status)
        w->status = (uint8_t)status;
    w->dropped++;
    PAJEWRITE_LEAVE(saved);
}

/* ---- draining */

/* The next number of a record, or of a table. */
PAJEWRITE__NOINLINE uint32_t pajewrite__number(pajewrite *w)
{
    uint32_t n = 0, shift = 0, unit;
    do {
        if (w->from) {
            unit = PAJEWRITE__ROM_UNIT(w->from++);
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

/* Goes on in these words, then where it was. */
PAJEWRITE__NOINLINE void pajewrite__say(pajewrite *w, uint32_t words)
{
    uint32_t place = 0;
    while (words)
        words -= (unsigned char)PAJEWRITE__ROM_BYTE(pajewrite__words + place++) >> 7;
    *++w->top = (uint16_t)place;
}

#if PAJEWRITE_GAPS
/* Puts a record of what was dropped into the ring, if that is empty. */
static void pajewrite__tell_gap(pajewrite *w)
{
    unsigned saved;
    PAJEWRITE_ENTER(saved);
    if (w->head == w->tail) {
        w->next = w->head;
        pajewrite__write(w, (uint32_t)PAJEWRITE__WHAT(0, GAP));
        pajewrite__write(w, w->gap);
        pajewrite__write_long(w, w->first);
        pajewrite__write_long(w, w->last);
        PAJEWRITE_BARRIER();
        w->head = w->next;
        w->gap = 0;
    }
    PAJEWRITE_LEAVE(saved);
}
#endif

/* Makes the next piece of text, which ends where the ring begins.  Answers its size; 0: there is none yet. */
PAJEWRITE__NOINLINE uint32_t pajewrite__piece(pajewrite *w)
{
    char *const end = (char *)w->units, *p = end;
    while (p == end) {
        uint32_t place = *w->top, c, n;
        if (w->quote) { /* within a text */
#if PAJEWRITE_TEXTS
            if (!w->from)
                c = pajewrite__number(w);
            else
#endif
                c = (unsigned char)PAJEWRITE__ROM_BYTE(w->text++);
            if (!c) {
                c = w->quote;
                w->quote = 0;
                if (PAJEWRITE_TEXTS && c != '"')
                    continue;
            }
            *--p = (char)c;
        } else if (place) {
            c = (unsigned char)PAJEWRITE__ROM_BYTE(pajewrite__words + place);
            ++*w->top;
            if (c & 0x80)
                w->top--;
            c &= 0x7f;
            if (c < 32 && c != '\n') {
                pajewrite__say(w, c);
                continue;
            }
            n = c - '0';
            if (n > 9) {
                *--p = (char)c;
                break;
            }
            c = PAJEWRITE__NUMBER_OF(w->what);
#if PAJEWRITE_FIELDS_SIZE
            if (n == 8) {
                w->quote = 1;
                continue;
            }
            if (n == 7)
                c = pajewrite__number(w);
#endif
            if (n >= 6) {
                pajewrite__say(w, PAJEWRITE__KIND_WORDS - PAJEWRITE_DEFINE_CONTAINER_TYPE + c);
                continue;
            }
            if (n == 3) {
                w->quote = '"';
#if PAJEWRITE_TEXTS
                if (!w->from)
                    w->quote = (uint8_t)pajewrite__number(w);
            begin_text:
                if (w->quote == '"')
#endif
                    *--p = '"';
                *--p = ' ';
                break;
            }
            if (n)
                c = pajewrite__number(w);
            if (n < 2) {
                p = pajewrite__digits(p, c);
            } else {
                uint32_t high = pajewrite__number(w);
#if PAJEWRITE__HAS_VARIABLES || PAJEWRITE__HAS_LINKS
                if (n > 2)
                    p = pajewrite__long(p, c, high, n & 1);
                else
#endif
                    p = pajewrite__time(p, c, high);
            }
            if (n)
                *--p = ' ';
        } else if (w->what) { /* the end of the line */
#if PAJEWRITE_TEXTS
            if (w->what & PAJEWRITE__FIELDS) {
                w->quote = (uint8_t)pajewrite__number(w);
                if (w->quote)
                    goto begin_text;
                w->what ^= PAJEWRITE__FIELDS;
                continue;
            }
#endif
            w->what = 0;
            *--p = '\n';
        } else { /* the next one */
            if (w->kinds) {
                n = PAJEWRITE__LAST_KIND + 1u - w->kinds--;
                if (!(PAJEWRITE__PRESENT >> n & 1)) /* unreached: only where kinds are left out, as in tests/ring.sh */
                    continue;
                n = PAJEWRITE__WHAT(n, HEADER);
            } else {
                w->from = NULL;
                if (w->entries) {
                    w->from = &w->entry->what;
                    w->text = w->entry->text;
                    w->entry++;
                    w->entries--;
                } else if (w->head == w->tail) {
#if PAJEWRITE_GAPS
                    if (w->gap) {
                        pajewrite__tell_gap(w);
                        continue;
                    }
#endif
                    break;
                }
                n = pajewrite__number(w);
            }
            w->what = (uint16_t)n;
            pajewrite__say(w, PAJEWRITE__LINE_OF(n));
        }
    }
    return (uint32_t)(end - p);
}

PAJEWRITE_API int pajewrite_next_byte(pajewrite *w)
{
    uint32_t left = w->left;
    if (!left && (left = pajewrite__piece(w)) == 0)
        return -1;
    w->left = (uint8_t)(left - 1);
    return ((unsigned char *)w->units)[-(int)left];
}

PAJEWRITE_API size_t pajewrite_read(pajewrite *w, char *bytes, size_t size)
{
    const char *end = (char *)w->units;
    uint32_t left = w->left;
    size_t n = 0;
    while (n < size && (left || (left = pajewrite__piece(w)) != 0))
        do
            bytes[n++] = end[-(int)left--];
        while (left && n < size);
    w->left = (uint8_t)left;
    return n;
}

PAJEWRITE_API void pajewrite_announce(pajewrite *w, const pajewrite_definition *table, size_t entries)
{
    w->entries = 0; /* from here on, what drains does not look at the table */
    PAJEWRITE_BARRIER();
    w->kinds = PAJEWRITE__LAST_KIND + 1 - PAJEWRITE_DEFINE_CONTAINER_TYPE;
    w->entry = table;
    PAJEWRITE_BARRIER();
    w->entries = (uint16_t)entries;
}

/* ---- the context */

PAJEWRITE_API pajewrite_status pajewrite_init(pajewrite *w, void *buffer, size_t size, const pajewrite_config *config)
{
    (void)config;
    memset(w, 0, sizeof *w);
    w->status = PAJEWRITE_E_MISUSE; /* then there is no room, and nothing to drain */
    w->units = w->top = &w->what;
    w->enabled = UINT32_MAX;
    if (buffer && !(((uint32_t)size - PAJEWRITE_BUFFER_MIN) >> 16)) {
        uint16_t *units = (uint16_t *)(void *)((char *)buffer + ((uintptr_t)buffer & 1));
        w->top = units;
        *units = 0;
        w->units = units + PAJEWRITE__FRONT;
        w->size = (uint16_t)(size / 2 - PAJEWRITE__FRONT - 1); /* also where the first byte is left out */
        w->status = PAJEWRITE_OK;
    }
    return (pajewrite_status)w->status;
}

PAJEWRITE_API pajewrite_counts pajewrite_count(const pajewrite *w)
{
    pajewrite_counts counts = PAJEWRITE__ZERO;
    counts.dropped = w->dropped;
    return counts;
}

PAJEWRITE_API uint64_t pajewrite_now(const pajewrite *w)
{
    uint64_t now;
    unsigned saved;
    (void)w;
    PAJEWRITE_ENTER(saved);
    now = PAJEWRITE_NOW();
    PAJEWRITE_LEAVE(saved);
    return now;
}

/* ---- user fields */

#if PAJEWRITE_DOUBLE
/* What the doubles of below need. */
static char *pajewrite__copy(char *p, const char *text, size_t size)
{
    while (size--)
        *p++ = *text++;
    return p;
}

static char *pajewrite__i64(char *p, int64_t n)
{
    char text[24], *t = pajewrite__long(text + 24, PAJEWRITE__HALVES(n), 1);
    return pajewrite__copy(p, t, (size_t)(text + 24 - t));
}

/* Below 2^63, as they are called here. */
static char *pajewrite__u64(char *p, uint64_t n) { return pajewrite__i64(p, (int64_t)n); }
static char *pajewrite__u32(char *p, uint32_t n) { return pajewrite__i64(p, n); }
static void pajewrite__nine(char *p, uint32_t n)
{
    char text[10];
    pajewrite__copy(p, pajewrite__digits(text + 10, n + 1000000000u) + 1, 9);
}

PAJEWRITE_API int pajewrite__real(pajewrite *w, char *text, double number)
{
    if (!pajewrite__finite(number)) {
        pajewrite__refuse(w, PAJEWRITE_E_NUMBER);
        return 0;
    }
    *pajewrite__double(text, number) = 0;
    return 1;
}
#endif

/* ---- the scope of a state */

PAJEWRITE_API pajewrite__scope pajewrite__enter(pajewrite *w, pajewrite_container container, pajewrite_type type,
                                                pajewrite_value value)
{
    pajewrite__scope scope;
    scope.w = pajewrite__on(w, type) ? w : NULL;
    scope.container = container;
    scope.type = type;
    scope.inside = 1;
    pajewrite_push_state(w, container, type, value);
    return scope;
}

PAJEWRITE_API void pajewrite__leave(pajewrite__scope *scope)
{
    if (scope->w)
        pajewrite_pop_state(scope->w, scope->container, scope->type);
    scope->inside = 0;
}
#endif

#if !PAJEWRITE_RING
/* ------------------------------------------------------------------------------------------------
 * Numbers as text.  Divisions are by constants, of 32 bits, which compilers make multiplications; the quotients do not
 * wait for one another.
 * --------------------------------------------------------------------------------------------- */

static const char pajewrite__pairs[] =
    "00010203040506070809101112131415161718192021222324252627282930313233343536373839404142434445464748495051525354"
    "55565758596061626364656667686970717273747576777879808182838485868788899091929394959697989900";

/* Two digits; n < 100. */
PAJEWRITE__INLINE char *pajewrite__pair(char *p, uint32_t n)
{
    memcpy(p, pajewrite__pairs + n * 2, 2);
    return p + 2;
}

/* One digit or two; n < 100. */
PAJEWRITE__INLINE char *pajewrite__first(char *p, uint32_t n)
{
    memcpy(p, pajewrite__pairs + n * 2 + (n < 10), 2);
    return p + (n < 10 ? 1 : 2);
}

/* n >= 100.  Out of line: it would be in every event several times. */
PAJEWRITE__NOINLINE char *pajewrite__u32_long(char *p, uint32_t n)
{
    uint32_t a = n / 100000000u, b = n / 1000000u, c = n / 10000u, d = n / 100u;
    if (n < 10000) {
        p = pajewrite__first(p, d);
        return pajewrite__pair(p, n - d * 100);
    }
    if (n < 1000000) {
        p = pajewrite__first(p, c);
    } else {
        if (n < 100000000) {
            p = pajewrite__first(p, b);
        } else {
            p = pajewrite__first(p, a);
            p = pajewrite__pair(p, b - a * 100);
        }
        p = pajewrite__pair(p, c - b * 100);
    }
    p = pajewrite__pair(p, d - c * 100);
    return pajewrite__pair(p, n - d * 100);
}

PAJEWRITE__INLINE char *pajewrite__u32(char *p, uint32_t n)
{
    if (n < 10) {
        *p = (char)('0' + n);
        return p + 1;
    }
    return n < 100 ? pajewrite__pair(p, n) : pajewrite__u32_long(p, n);
}

/* Nine digits; n < 10^9. */
PAJEWRITE__INLINE void pajewrite__nine(char *p, uint32_t n)
{
    uint32_t a = n / 100000000u, b = n / 1000000u, c = n / 10000u, d = n / 100u;
    *p = (char)('0' + a);
    pajewrite__pair(p + 1, b - a * 100);
    pajewrite__pair(p + 3, c - b * 100);
    pajewrite__pair(p + 5, d - c * 100);
    pajewrite__pair(p + 7, n - d * 100);
}

PAJEWRITE__COLD char *pajewrite__u64_long(char *p, uint64_t n)
{
    uint64_t high = n / 1000000000u;
    if (high >> 32) {
        p = pajewrite__u32(p, (uint32_t)(high / 1000000000u));
        pajewrite__nine(p, (uint32_t)(high % 1000000000u));
        p += 9;
    } else {
        p = pajewrite__u32(p, (uint32_t)high);
    }
    pajewrite__nine(p, (uint32_t)(n % 1000000000u));
    return p + 9;
}

PAJEWRITE__INLINE char *pajewrite__u64(char *p, uint64_t n)
{
    return PAJEWRITE__LIKELY(!(n >> 32)) ? pajewrite__u32(p, (uint32_t)n) : pajewrite__u64_long(p, n);
}

PAJEWRITE__INLINE char *pajewrite__i64(char *p, int64_t n)
{
    *p = '-';
    return n < 0 ? pajewrite__u64(p + 1, 0 - (uint64_t)n) : pajewrite__u64(p, (uint64_t)n);
}

/* ------------------------------------------------------------------------------------------------
 * Records: reserved, serialized, committed
 * --------------------------------------------------------------------------------------------- */

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
    w->fatal = 1;
    w->limit = w->buffer;
    w->dropped += w->records - w->delivered;
    w->records = w->delivered;
}

/* Drops a record that comes after the context failed, or after pajewrite_finish, which leaves the status as it is.
 * Answers 0. */
PAJEWRITE__COLD int pajewrite__too_late(pajewrite *w)
{
    if (!w->status)
        w->status = PAJEWRITE_E_CLOSED;
    w->dropped++;
    return 0;
}

/* Begins to write at a place: whoever reads the memory at any moment sees a comment there, until the record is
 * whole. */
PAJEWRITE__INLINE void pajewrite__set_next(pajewrite *w, char *next)
{
    *next = '#';
    PAJEWRITE__BARRIER();
    w->next = next;
}

PAJEWRITE__INLINE size_t pajewrite__free(const pajewrite *w)
{
    return w->size - PAJEWRITE__SLACK - (size_t)(w->next - w->buffer);
}

/* Events are let through to the buffer without asking, unless there is something to be done before. */
static void pajewrite__set_limit(pajewrite *w)
{
    w->limit = w->buffer;
    if (!w->fatal && !w->blocked)
        w->limit += w->size - PAJEWRITE__SLACK - PAJEWRITE__EVENT_SIZE + 1;
}

/* A flight recorder turns from events to definitions, or back. */
static void pajewrite__turn(pajewrite *w)
{
    char *buffer = w->buffer, *next = w->next;
    size_t size = w->size;
    w->buffer = w->aside;
    w->next = w->aside_next;
    w->size = w->aside_size;
    w->aside = buffer;
    w->aside_next = next;
    w->aside_size = size;
    w->inner ^= 1;
    pajewrite__set_limit(w);
}

/* The record that began at w->next appears, by its first byte.  `end`: where its newline goes; behind it may stand what
 * was copied too much, which is made a comment before. */
PAJEWRITE__INLINE void pajewrite__commit(pajewrite *w, char *end, char first)
{
    char *start = w->next;
    end[1] = '#';
    PAJEWRITE__BARRIER();
    *end = '\n';
    PAJEWRITE__BARRIER();
    *start = first;
    PAJEWRITE__BARRIER();
    w->next = end + 1;
}

static char *pajewrite__copy(char *p, const char *text, size_t size)
{
    memcpy(p, text, size);
    return p + size;
}

static char *pajewrite__word(char *p, const char *word)
{
    for (; *word; word++)
        *p++ = *word;
    return p;
}

static int pajewrite__same(const char *a, const char *b, size_t size)
{
    while (size && *a++ == *b++)
        size--;
    return !size;
}

static const char *pajewrite__line_end(const char *line)
{
    while (*line != '\n')
        line++;
    return line + 1;
}

/* The lines in the buffer leave it. */
static void pajewrite__deliver(pajewrite *w)
{
    size_t size = (size_t)(w->next - w->buffer);
    pajewrite_status status = PAJEWRITE_OK;
    if (w->fatal || w->config.room || w->flight) {
        w->delivered = w->records;
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

/* The next buffer, for `needed` bytes; with 0: there is no more to come.  What is in a buffer counts as delivered. */
static void pajewrite__next_buffer(pajewrite *w, size_t needed)
{
    size_t used = w->buffer ? (size_t)(w->next - w->buffer) : 0, size = 0;
    char *buffer = w->config.room(w->config.room_data, used, needed, &size);
    if (buffer || size != PAJEWRITE_E_FORKED)
        w->delivered = w->records;
    if (needed && buffer && size >= needed) {
        w->buffer = buffer;
        w->size = size;
        pajewrite__set_next(w, buffer);
        pajewrite__set_limit(w);
    } else {
        w->buffer = w->next; /* all that was used has been told */
        if (needed || size)
            pajewrite__fail(w, size > 0 && size < PAJEWRITE__STATUS_COUNT ? (pajewrite_status)size : PAJEWRITE_E_SINK);
    }
}

static char *pajewrite__time_text(const pajewrite *w, char *p, uint64_t ticks);

/* What could not be written, told where it would have been. */
static void pajewrite__tell_gap(pajewrite *w)
{
    char *p = w->next;
    p = pajewrite__copy(p + 1, " dropped ", 9);
    p = pajewrite__u64(p, w->gap);
    p = pajewrite__copy(p, " events from ", 13);
    p = pajewrite__time_text(w, p, w->gap_first);
    p = pajewrite__copy(p, " to ", 4);
    p = pajewrite__time_text(w, p, w->gap_last);
    pajewrite__commit(w, p, '#');
    w->gap = 0;
}

static void pajewrite__drop(pajewrite *w, uint64_t time)
{
    w->dropped++;
    if (!w->gap || time < w->gap_first)
        w->gap_first = time;
    if (!w->gap++ || time > w->gap_last)
        w->gap_last = time;
}

#if PAJEWRITE_TABLE
PAJEWRITE__NOINLINE int pajewrite__flight_room(pajewrite *w, size_t size, uint64_t time);
static int pajewrite__flight_fits(const pajewrite *w, size_t size);
static void pajewrite__flight_begin(pajewrite *w);
#else
#define pajewrite__flight_room(w, size, time) 0
#define pajewrite__flight_fits(w, size) 0
#define pajewrite__flight_begin(w) ((void)0)
#endif

/* Makes room for `size` bytes.  Answers 0 if the record is dropped. */
PAJEWRITE__COLD int pajewrite__make_room(pajewrite *w, size_t size, uint64_t time)
{
    if (w->fatal)
        return pajewrite__too_late(w);
    if (w->flight)
        return pajewrite__flight_room(w, size, time);
    if (!w->blocked && pajewrite__free(w) < size) {
        if (w->config.room) {
            pajewrite__next_buffer(w, size + PAJEWRITE__SLACK);
        } else if (size > w->size - PAJEWRITE__SLACK) {
            pajewrite__refuse(w, PAJEWRITE_E_TOO_LONG);
            return 0;
        } else if (w->config.full == PAJEWRITE_FLUSH) {
            pajewrite__deliver(w);
        }
    }
    if (w->fatal || w->blocked || pajewrite__free(w) < size) {
        w->blocked = 1;
        w->limit = w->buffer;
        pajewrite__drop(w, time);
        return 0;
    }
    return 1;
}

/* ------------------------------------------------------------------------------------------------
 * Time
 * --------------------------------------------------------------------------------------------- */

/* Time, of whatever second, with a division. */
static char *pajewrite__time_text(const pajewrite *w, char *p, uint64_t time)
{
    uint64_t ticks = time - w->config.origin, seconds = ticks / w->per_second;
    p = pajewrite__u64(p, seconds);
    if (w->decimals) {
        *p = '.';
        pajewrite__nine(p + 1, (uint32_t)(ticks - seconds * w->per_second) * w->scale);
        p += 1 + w->decimals;
    }
    return p;
}

/* Another second begins, or the clock jumped.  Answers 0 if the time cannot be written. */
PAJEWRITE__COLD int pajewrite__new_second(pajewrite *w, uint64_t time)
{
    char *end;
    uint64_t ticks = time - w->config.origin, seconds = ticks / w->per_second;
    if (time < w->config.origin) {
        pajewrite__refuse(w, PAJEWRITE_E_TIME);
        return 0;
    }
    end = pajewrite__u64(w->prefix, seconds);
    if (w->decimals)
        *end++ = '.';
    w->prefix_size = (uint32_t)(end - w->prefix);
    w->second = w->config.origin + seconds * w->per_second;
    return 1;
}

PAJEWRITE__INLINE char *pajewrite__time(const pajewrite *w, char *p, uint64_t time)
{
    memcpy(p, w->prefix, sizeof w->prefix);
    p += w->prefix_size;
    pajewrite__nine(p, (uint32_t)(time - w->second) * w->scale);
    return p + w->decimals;
}

/* ------------------------------------------------------------------------------------------------
 * Entries of the table
 * --------------------------------------------------------------------------------------------- */

/* What an entry is, and how its members are used beside container, type and key, which find it. */
enum {
    PAJEWRITE__TYPE_ENTRY = 1,  /* type.  value: its kind; other: what it belongs to; number: types of a link's ends */
    PAJEWRITE__VALUE_ENTRY,     /* type, key.  Checking only; DEAD: used and not defined */
    PAJEWRITE__CONTAINER_ENTRY, /* container.  value: its type; other: its parent; time: how many containers alive it
                                   has, or of its end, if that is owed; number: of a flight recorder, place of the line
                                   that creates it; next: 1 and the type of its newest pair; 0: none */
    PAJEWRITE__PAIR_ENTRY,      /* container, type.  value: depth of the stack; other: pops that are owed; time: of the
                                   last event; number: of the variable; next: as above, of the one before */
    PAJEWRITE__LEVEL_ENTRY,     /* container, type, key: depth, of one state.  value; time: its start */
    PAJEWRITE__LINK_ENTRY,      /* container, type, key.  value; of the end that came last, other: container; time;
                                   number: kind of event */
    PAJEWRITE__NAMED_LINK_ENTRY /* the same, key: hash of the text */
};

enum {
    PAJEWRITE__UNWRITTEN = 1, /* its line was dropped */
    PAJEWRITE__DEAD = 2,      /* a container that was destroyed */
    PAJEWRITE__OWED = 4,      /* a line was dropped that has to be written to keep the trace valid */
    PAJEWRITE__FOREIGN = 8,   /* learned from another context */
    PAJEWRITE__IS_SET = 16,   /* a variable */
    PAJEWRITE__STARTED = 32,  /* a link */
    PAJEWRITE__ENDED = 64
};

/* ------------------------------------------------------------------------------------------------
 * Events of numbers only: the fast path.  The order of their fields is that of PAJEWRITE__KINDS.
 * --------------------------------------------------------------------------------------------- */

/* Begins a line: its number (but for the first digit), time, container and type.  NULL: dropped or refused. */
PAJEWRITE__INLINE char *pajewrite__begin(pajewrite *w, pajewrite_kind kind, uint64_t time,
                                         pajewrite_container container, pajewrite_type type)
{
    char *p;
    if (PAJEWRITE__UNLIKELY(time - w->second >= w->per_second) && !pajewrite__new_second(w, time))
        return NULL;
    if (PAJEWRITE__UNLIKELY(w->next >= w->limit) && !pajewrite__make_room(w, PAJEWRITE__EVENT_SIZE, time))
        return NULL;
    p = w->next;
    p[1] = (char)('0' + (uint32_t)kind % 10);
    p[2] = ' ';
    p = pajewrite__time(w, p + 3, time);
    *p = ' ';
    p = pajewrite__u32(p + 1, container.alias);
    *p = ' ';
    return pajewrite__u32(p + 1, pajewrite__alias(type));
}

PAJEWRITE__INLINE void pajewrite__end(pajewrite *w, char *p, pajewrite_kind kind)
{
    w->records++;
    pajewrite__commit(w, p, (char)('0' + (uint32_t)kind / 10));
}

/* The slow path, for any event. */
static void pajewrite__any(pajewrite *w, const pajewrite_event *event, const pajewrite_fields *fields);

PAJEWRITE__COLD void pajewrite__any_number(pajewrite *w, pajewrite_kind kind, uint64_t time,
                                           pajewrite_container container, pajewrite_type type, int64_t number)
{
    pajewrite_event event = PAJEWRITE__ZERO;
    event.kind = kind;
    event.time = time;
    event.container = container;
    event.type = type;
    event.integer = number;
    pajewrite__any(w, &event, NULL);
}

/* A container, which is in the other one; a state, an event, a link; a file. */
PAJEWRITE__COLD void pajewrite__any_entity(pajewrite *w, pajewrite_kind kind, uint64_t time,
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
    pajewrite__any(w, &event, NULL);
}

/* The usual case with a table: the same stack as last time, a line that is sure to be written, nothing to check. */
PAJEWRITE__INLINE int pajewrite__follow_quickly(pajewrite *w, pajewrite_kind kind, uint64_t time,
                                                pajewrite_container container, pajewrite_type type)
{
    pajewrite_entry *pair = w->pair; /* it may have moved since: another entry is there then, or none */
    if (PAJEWRITE_CHECK || w->config.full != PAJEWRITE_FLUSH || !pair || pair->what != PAJEWRITE__PAIR_ENTRY ||
        pair->container != container.alias || pair->type != pajewrite__alias(type) || w->next >= w->limit ||
        time - w->second >= w->per_second)
        return 0;
    pair->time = time;
    if (time > w->latest)
        w->latest = time;
    pair->value = kind == PAJEWRITE_PUSH_STATE ? pair->value + 1 :
                  kind == PAJEWRITE_POP_STATE ? pair->value - (pair->value > 0) : kind == PAJEWRITE_SET_STATE;
    return 1;
}

PAJEWRITE__INLINE void pajewrite__state(pajewrite *w, pajewrite_kind kind, uint64_t time, pajewrite_container container,
                                        pajewrite_type type, pajewrite_value value)
{
    char *p;
    if (PAJEWRITE__UNLIKELY(PAJEWRITE_TABLE && w->tracked) &&
        !pajewrite__follow_quickly(w, kind, time, container, type)) {
        pajewrite__any_entity(w, kind, time, container, type, value, PAJEWRITE_ROOT, 0, NULL);
        return;
    }
    p = pajewrite__begin(w, kind, time, container, type);
    if (PAJEWRITE__UNLIKELY(!p))
        return;
    if (kind != PAJEWRITE_POP_STATE && kind != PAJEWRITE_RESET_STATE) {
        *p = ' ';
        p = pajewrite__u32(p + 1, value.alias);
    }
    pajewrite__end(w, p, kind);
}

PAJEWRITE__INLINE void pajewrite__number(pajewrite *w, pajewrite_kind kind, uint64_t time,
                                         pajewrite_container container, pajewrite_type type, int64_t number)
{
    char *p;
    if (PAJEWRITE__UNLIKELY(PAJEWRITE_TABLE && w->tracked)) {
        pajewrite__any_number(w, kind, time, container, type, number);
        return;
    }
    p = pajewrite__begin(w, kind, time, container, type);
    if (PAJEWRITE__UNLIKELY(!p))
        return;
    *p = ' ';
    pajewrite__end(w, pajewrite__i64(p + 1, number), kind);
}

PAJEWRITE__INLINE void pajewrite__link(pajewrite *w, pajewrite_kind kind, uint64_t time, pajewrite_container container,
                                       pajewrite_type type, pajewrite_value value, pajewrite_container other,
                                       uint64_t key)
{
    char *p;
    if (PAJEWRITE__UNLIKELY(PAJEWRITE_TABLE && w->tracked)) {
        pajewrite__any_entity(w, kind, time, container, type, value, other, key, NULL);
        return;
    }
    p = pajewrite__begin(w, kind, time, container, type);
    if (PAJEWRITE__UNLIKELY(!p))
        return;
    *p = ' ';
    p = pajewrite__u32(p + 1, value.alias);
    *p = ' ';
    p = pajewrite__u32(p + 1, other.alias);
    *p = ' ';
    pajewrite__end(w, pajewrite__u64(p + 1, key), kind);
}

/* The public functions, in their two forms: with the clock, and _at. */
#define PAJEWRITE__LIST(...) __VA_ARGS__
#define PAJEWRITE__FORMS(name, parameters, function, kind, ...) \
    PAJEWRITE_API void pajewrite_##name(pajewrite *w, PAJEWRITE__LIST parameters) \
    { \
        if (pajewrite__on(w, type)) \
            function(w, kind, w->clock(w->clock_data), __VA_ARGS__); \
    } \
    PAJEWRITE_API void pajewrite_##name##_at(pajewrite *w, uint64_t time, PAJEWRITE__LIST parameters) \
    { \
        if (pajewrite__on(w, type)) \
            function(w, kind, time, __VA_ARGS__); \
    }

#define PAJEWRITE__STATE_EVENT(name, kind) \
    PAJEWRITE__FORMS(name, (pajewrite_container container, pajewrite_type type, pajewrite_value value), \
                     pajewrite__state, kind, container, type, value)
#define PAJEWRITE__END_EVENT(name, kind) \
    PAJEWRITE__FORMS(name, (pajewrite_container container, pajewrite_type type), \
                     pajewrite__state, kind, container, type, PAJEWRITE_VALUE(0))
#define PAJEWRITE__NUMBER_EVENT(name, kind) \
    PAJEWRITE__FORMS(name, (pajewrite_container container, pajewrite_type type, int64_t number), \
                     pajewrite__number, kind, container, type, number)
#define PAJEWRITE__LINK_EVENT(name, kind) \
    PAJEWRITE__FORMS(name, (pajewrite_container container, pajewrite_type type, pajewrite_value value, \
                            pajewrite_container end, uint64_t key), \
                     pajewrite__link, kind, container, type, value, end, key) \
    PAJEWRITE__FORMS(name##_named, (pajewrite_container container, pajewrite_type type, pajewrite_value value, \
                                    pajewrite_container end, const char *key), \
                     pajewrite__any_entity, kind, container, type, value, end, 0, key ? key : "")

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

PAJEWRITE_API pajewrite__scope pajewrite__enter(pajewrite *w, pajewrite_container container, pajewrite_type type,
                                                pajewrite_value value)
{
    pajewrite__scope scope;
    scope.w = pajewrite__on(w, type) ? w : NULL;
    scope.container = container;
    scope.type = type;
    scope.inside = 1;
    if (scope.w)
        pajewrite__state(w, PAJEWRITE_PUSH_STATE, w->clock(w->clock_data), container, type, value);
    return scope;
}

PAJEWRITE_API void pajewrite__leave(pajewrite__scope *scope)
{
    pajewrite *w = scope->w;
    if (w)
        pajewrite__state(w, PAJEWRITE_POP_STATE, w->clock(w->clock_data), scope->container, scope->type,
                         PAJEWRITE_VALUE(0));
    scope->inside = 0;
}

/* ------------------------------------------------------------------------------------------------
 * Names and colours
 * --------------------------------------------------------------------------------------------- */

typedef struct pajewrite__text {
    const char *bytes;
    size_t size;
    int quoted; /* needs quotes */
    int unfit;  /* is empty, or has bytes that are refused or replaced */
} pajewrite__text;

static int pajewrite__unfit(unsigned char c)
{
    return c < ' ' || c == 0x7f || c == '"' || c == '\'' || c == '%' || c == '#' || c == ',';
}

static pajewrite__text pajewrite__scan(const char *bytes)
{
    pajewrite__text text = PAJEWRITE__ZERO;
    text.bytes = bytes;
    for (; bytes[text.size]; text.size++) {
        text.quoted |= bytes[text.size] == ' ';
        text.unfit |= pajewrite__unfit((unsigned char)bytes[text.size]);
    }
    if (!text.size) {
        text.bytes = "_";
        text.size = 1;
        text.unfit = 1;
    }
    return text;
}

static char *pajewrite__put_text(char *p, const pajewrite__text *text)
{
    size_t i;
    if (text->quoted)
        *p++ = '"';
    if (!text->unfit)
        memcpy(p, text->bytes, text->size);
    for (i = 0; text->unfit && i < text->size; i++)
        p[i] = pajewrite__unfit((unsigned char)text->bytes[i]) ? '_' : text->bytes[i];
    p += text->size;
    if (text->quoted)
        *p++ = '"';
    return p;
}

/* 3 or 4 decimal numbers between blanks, or 6 hexadecimal digits: what every reader takes. */
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

/* ------------------------------------------------------------------------------------------------
 * Any event
 * --------------------------------------------------------------------------------------------- */

/* The fields of the format: letter in PAJEWRITE__KINDS, name, old name, type. */
typedef struct pajewrite__field {
    char letter;
    const char *name, *old, *type;
} pajewrite__field;

static const pajewrite__field pajewrite__fields[] = {
    {'t', "Time", NULL, "date"},
    {'y', "Alias", NULL, "string"},                                  /* the type that is defined */
    {'w', "Type", "ContainerType", "string"},                        /* and what it belongs to */
    {'v', "Alias", NULL, "string"},                                  /* the value that is defined */
    {'C', "Alias", NULL, "string"},                                  /* the container that is created, */
    {'P', "Container", NULL, "string"},                              /* and its parent */
    {'D', "Name", NULL, "string"},                                   /* the container that is destroyed */
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

static const char *pajewrite__letters(pajewrite_kind kind)
{
    return pajewrite__kinds[(uint32_t)kind - PAJEWRITE_DEFINE_CONTAINER_TYPE].fields;
}

/* Whether it is one that the header defines. */
static int pajewrite__is_kind(uint32_t kind)
{
    return kind > PAJEWRITE__BEFORE_KINDS && kind < PAJEWRITE__AFTER_KINDS &&
           *pajewrite__kinds[kind - PAJEWRITE_DEFINE_CONTAINER_TYPE].name;
}

/* The line that begins a definition. */
static char *pajewrite__event_def(char *p, pajewrite_kind kind, uint32_t number)
{
    p = pajewrite__word(p, "%EventDef ");
    p = pajewrite__word(p, pajewrite__kinds[(uint32_t)kind - PAJEWRITE_DEFINE_CONTAINER_TYPE].name);
    *p++ = ' ';
    p = pajewrite__u32(p, number);
    *p++ = '\n';
    return p;
}

static int pajewrite__has_time(pajewrite_kind kind) { return *pajewrite__letters(kind) == 't'; }

/* Whether an event is one of what `enabled` is about. */
static int pajewrite__is_masked(pajewrite_kind kind)
{
    return kind >= PAJEWRITE_SET_STATE && kind <= PAJEWRITE_END_LINK;
}

/* Writes the line of an event, whatever is tracked.  Answers 0 if it is dropped or refused. */
static int pajewrite__put(pajewrite *w, const pajewrite_event *event, const pajewrite_fields *fields)
{
    const char *letters = pajewrite__letters(event->kind);
    pajewrite__text name = PAJEWRITE__ZERO, color = PAJEWRITE__ZERO;
    uint32_t number = fields ? fields->variant.number : (uint32_t)event->kind;
    size_t size;
    pajewrite_status refused = PAJEWRITE_OK;
    char text[16], *p;

    if (w->fatal)
        return pajewrite__too_late(w);
    if (event->kind <= PAJEWRITE_DEFINE_VALUE)
        color = pajewrite__scan(event->color ? event->color : PAJEWRITE_GREY);
    if (event->name)
        name = pajewrite__scan(event->name);
    name.quoted |= w->in_table;
    color.quoted |= w->in_table;
    size = PAJEWRITE__EVENT_SIZE + name.size + color.size + 8;
    if (name.unfit && w->config.names == PAJEWRITE_REFUSE)
        refused = PAJEWRITE_E_NAME;
    if (event->color && !pajewrite__is_color(event->color))
        refused = PAJEWRITE_E_COLOR;
    if (fields) {
        size += fields->size + 1;
        if (fields->variant.kind != event->kind || !fields->variant.number ||
            fields->count != fields->variant.fields || fields->size > PAJEWRITE_FIELDS_SIZE)
            refused = PAJEWRITE_E_FIELDS;
        else if (fields->unfit && w->config.names == PAJEWRITE_REFUSE)
            refused = PAJEWRITE_E_NAME;
        else if (fields->number)
            refused = PAJEWRITE_E_NUMBER;
    }
#if PAJEWRITE_DOUBLE
    if (event->is_real && !pajewrite__finite(event->real))
        refused = PAJEWRITE_E_NUMBER;
#endif
    if (refused) {
        pajewrite__refuse(w, refused);
        return 0;
    }
    if (pajewrite__has_time(event->kind) && event->time - w->second >= w->per_second &&
        !pajewrite__new_second(w, event->time))
        return 0;
    if ((w->next >= w->limit || pajewrite__free(w) < size) &&
        !pajewrite__make_room(w, size, pajewrite__has_time(event->kind) ? event->time : w->second))
        return 0;

    p = pajewrite__u32(text, number);
    p = pajewrite__copy(w->next + 1, text + 1, (size_t)(p - text) - 1);
    for (; *letters; letters++) {
        *p++ = ' ';
        switch (*letters) {
        case 't': p = pajewrite__time(w, p, event->time); break;
        case 'y': case 'Y': case 'T': p = pajewrite__u32(p, pajewrite__alias(event->type)); break;
        case 'w': p = pajewrite__u32(p, pajewrite__alias(event->of)); break;
        case 's': p = pajewrite__u32(p, pajewrite__alias(event->start_type)); break;
        case 'e': p = pajewrite__u32(p, pajewrite__alias(event->end_type)); break;
        case 'v': case 'V': p = pajewrite__u32(p, event->value.alias); break;
        case 'C': case 'D': case 'k': p = pajewrite__u32(p, event->container.alias); break;
        case 'P': case 'S': case 'E': p = pajewrite__u32(p, event->other.alias); break;
        case 'c': p = pajewrite__put_text(p, &color); break;
        case 'N':
            p = event->name ? pajewrite__put_text(p, &name) :
                pajewrite__u32(p, event->kind == PAJEWRITE_DEFINE_VALUE ? event->value.alias :
                                  event->kind == PAJEWRITE_CREATE_CONTAINER ? event->container.alias :
                                                                              pajewrite__alias(event->type));
            break;
        case 'F': p = pajewrite__put_text(p, &name); break;
        case 'K': p = event->name ? pajewrite__put_text(p, &name) : pajewrite__u64(p, event->key); break;
        default: /* n */
#if PAJEWRITE_DOUBLE
            if (event->is_real) {
                p = pajewrite__double(p, event->real);
                break;
            }
#endif
            p = pajewrite__i64(p, event->integer);
        }
    }
    if (fields)
        p = pajewrite__copy(p, fields->text, fields->size);
    w->records++;
    pajewrite__commit(w, p, text[0]);
    return 1;
}

PAJEWRITE_API void pajewrite_write(pajewrite *w, const pajewrite_event *event, const pajewrite_fields *fields)
{
    if (!event || !pajewrite__is_kind((uint32_t)event->kind))
        pajewrite__refuse(w, PAJEWRITE_E_MISUSE);
    else if (!pajewrite__is_masked(event->kind) || pajewrite__on(w, event->type)) {
        pajewrite_event now;
        if (pajewrite__has_time(event->kind) && event->time == PAJEWRITE_TIME_NOW) {
            now = *event;
            now.time = w->clock(w->clock_data);
            event = &now;
        }
        pajewrite__any(w, event, fields);
    }
}

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
    pajewrite__any(w, &event, NULL);
}

PAJEWRITE_API void pajewrite_define_container_type(pajewrite *w, pajewrite_type type, pajewrite_type parent,
                                                   const char *name)
{
    pajewrite__define(w, PAJEWRITE_DEFINE_CONTAINER_TYPE, type, parent, PAJEWRITE_VALUE(0), name, NULL);
}

PAJEWRITE_API void pajewrite_define_state_type(pajewrite *w, pajewrite_type type, pajewrite_type of, const char *name)
{
    pajewrite__define(w, PAJEWRITE_DEFINE_STATE_TYPE, type, of, PAJEWRITE_VALUE(0), name, NULL);
}

PAJEWRITE_API void pajewrite_define_event_type(pajewrite *w, pajewrite_type type, pajewrite_type of, const char *name)
{
    pajewrite__define(w, PAJEWRITE_DEFINE_EVENT_TYPE, type, of, PAJEWRITE_VALUE(0), name, NULL);
}

PAJEWRITE_API void pajewrite_define_variable_type(pajewrite *w, pajewrite_type type, pajewrite_type of,
                                                  const char *name, const char *color)
{
    pajewrite__define(w, PAJEWRITE_DEFINE_VARIABLE_TYPE, type, of, PAJEWRITE_VALUE(0), name, color);
}

PAJEWRITE_API void pajewrite_define_value(pajewrite *w, pajewrite_value value, pajewrite_type type, const char *name,
                                          const char *color)
{
    pajewrite__define(w, PAJEWRITE_DEFINE_VALUE, type, PAJEWRITE_ROOT_TYPE, value, name, color);
}

PAJEWRITE_API void pajewrite_define_link_type(pajewrite *w, pajewrite_type type, pajewrite_type of,
                                              pajewrite_type start, pajewrite_type end, const char *name)
{
    pajewrite_event event = PAJEWRITE__ZERO;
    event.kind = PAJEWRITE_DEFINE_LINK_TYPE;
    event.type = type;
    event.of = of;
    event.start_type = start;
    event.end_type = end;
    event.name = name;
    pajewrite__any(w, &event, NULL);
}

PAJEWRITE_API void pajewrite_create_container_at(pajewrite *w, uint64_t time, pajewrite_container container,
                                                 pajewrite_type type, pajewrite_container parent, const char *name)
{
    pajewrite__any_entity(w, PAJEWRITE_CREATE_CONTAINER, time, container, type, PAJEWRITE_VALUE(0), parent, 0, name);
}

PAJEWRITE_API void pajewrite_create_container(pajewrite *w, pajewrite_container container, pajewrite_type type,
                                              pajewrite_container parent, const char *name)
{
    pajewrite_create_container_at(w, w->clock(w->clock_data), container, type, parent, name);
}

PAJEWRITE_API void pajewrite_destroy_container_at(pajewrite *w, uint64_t time, pajewrite_container container,
                                                  pajewrite_type type)
{
    pajewrite__any_entity(w, PAJEWRITE_DESTROY_CONTAINER, time, container, type, PAJEWRITE_VALUE(0), PAJEWRITE_ROOT, 0,
                          NULL);
}

PAJEWRITE_API void pajewrite_destroy_container(pajewrite *w, pajewrite_container container, pajewrite_type type)
{
    pajewrite_destroy_container_at(w, w->clock(w->clock_data), container, type);
}

#if PAJEWRITE__HAS_FILES
PAJEWRITE_API void pajewrite_trace_file(pajewrite *w, pajewrite_container container, pajewrite_type type,
                                        const char *filename)
{
    pajewrite__any_entity(w, PAJEWRITE_TRACE_FILE, 0, container, type, PAJEWRITE_VALUE(0), PAJEWRITE_ROOT, 0,
                        filename ? filename : "");
}
#endif

#if PAJEWRITE_DOUBLE
static void pajewrite__real(pajewrite *w, pajewrite_kind kind, uint64_t time, pajewrite_container container,
                            pajewrite_type type, double number)
{
    pajewrite_event event = PAJEWRITE__ZERO;
    event.kind = kind;
    event.time = time;
    event.container = container;
    event.type = type;
    event.real = number;
    event.is_real = 1;
    pajewrite__any(w, &event, NULL);
}

#define PAJEWRITE__DOUBLE_EVENT(name, kind) \
    PAJEWRITE__FORMS(name, (pajewrite_container container, pajewrite_type type, double number), \
                     pajewrite__real, kind, container, type, number)
PAJEWRITE__DOUBLE_EVENT(set_variable_double, PAJEWRITE_SET_VARIABLE)
PAJEWRITE__DOUBLE_EVENT(add_variable_double, PAJEWRITE_ADD_VARIABLE)
PAJEWRITE__DOUBLE_EVENT(sub_variable_double, PAJEWRITE_SUB_VARIABLE)

#endif
#endif

#if PAJEWRITE_DOUBLE
/* ------------------------------------------------------------------------------------------------
 * Doubles: a short decimal where one is the same double, else 17 digits, correctly rounded
 * --------------------------------------------------------------------------------------------- */

/* 17 significant digits of mantissa * 2^exponent, and the power of ten of the first: exact, in limbs of 9 digits. */
static int pajewrite__seventeen(char *digits, uint64_t mantissa, int exponent)
{
    uint32_t limbs[88], carry; /* 2^-1074 times 10^1074 has 751 digits, 2^53 more 16 */
    int count = 0, power = 0, i, n, up;
    char all[88 * 9 + 1];
    for (; mantissa; mantissa /= 1000000000u)
        limbs[count++] = (uint32_t)(mantissa % 1000000000u);
    while (exponent != 0) {
        /* times 2^k; or times 5^k, and over 10^k, which is over 2^k */
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
    n = (int)(pajewrite__u32(all, limbs[count - 1]) - all);
    for (i = count - 2; i >= 0; i--, n += 9)
        pajewrite__nine(all + n, limbs[i]);
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
        if (up) { /* all nines */
            digits[0] = '1';
            power++;
        }
    }
    return power;
}

/* At most 24 bytes. */
static char *pajewrite__double(char *p, double number)
{
    uint64_t bits, mantissa;
    int exponent, power, last;
    char digits[17];
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
    /* Where n and 10^d are exact, n / 10^d is rounded once: to what a reader makes of that decimal. */
    if (number < 9007199254.0) {
        uint64_t n = (uint64_t)(number * 1e6 + 0.5);
        if ((double)n / 1e6 == number) {
            uint64_t whole = n / 1000000u;
            uint32_t part = (uint32_t)(n - whole * 1000000u);
            p = pajewrite__u64(p, whole);
            if (part) {
                char nine[9];
                for (pajewrite__nine(nine, part * 1000), last = 8; nine[last] == '0'; last--)
                    ;
                *p++ = '.';
                p = pajewrite__copy(p, nine, (size_t)last + 1);
            }
            return p;
        }
    }
#endif
    if (exponent)
        mantissa |= UINT64_C(1) << 52;
    else
        exponent = 1;
    power = pajewrite__seventeen(digits, mantissa, exponent - 1075);
    for (last = 16; last > 0 && digits[last] == '0'; last--)
        ;
    *p++ = digits[0];
    if (last) {
        *p++ = '.';
        p = pajewrite__copy(p, digits + 1, (size_t)last);
    }
    *p++ = 'e';
    return pajewrite__i64(p, power);
}

#endif

#if !PAJEWRITE_RING
#if PAJEWRITE_TABLE
/* ------------------------------------------------------------------------------------------------
 * The table: what is defined, alive and open.  Open addressing, moved together on removal.
 * --------------------------------------------------------------------------------------------- */

static size_t pajewrite__home(const pajewrite *w, uint32_t what, uint32_t container, uint32_t type, uint64_t key)
{
    uint64_t hash = (key ^ what) * UINT64_C(0x9e3779b97f4a7c15);
    hash = (hash ^ hash >> 29 ^ container) * UINT64_C(0xbf58476d1ce4e5b9);
    hash = (hash ^ hash >> 32 ^ type) * UINT64_C(0x94d049bb133111eb);
    return (size_t)((hash >> 32) * w->config.table_entries >> 32);
}

/* The entry, or the free place where it would be. */
static pajewrite_entry *pajewrite__slot(const pajewrite *w, uint32_t what, uint32_t container, uint32_t type,
                                        uint64_t key)
{
    size_t i = pajewrite__home(w, what, container, type, key);
    for (;;) {
        pajewrite_entry *e = &w->config.table[i];
        if (!e->what || (e->what == what && e->container == container && e->type == type && e->key == key))
            return e;
        if (++i == w->config.table_entries)
            i = 0;
    }
}

static pajewrite_entry *pajewrite__find(const pajewrite *w, uint32_t what, uint32_t container, uint32_t type,
                                        uint64_t key)
{
    pajewrite_entry *e = pajewrite__slot(w, what, container, type, key);
    return e->what ? e : NULL;
}

/* Finds or makes an entry; there is room. */
static pajewrite_entry *pajewrite__entry(pajewrite *w, uint32_t what, uint32_t container, uint32_t type, uint64_t key)
{
    pajewrite_entry *e = pajewrite__slot(w, what, container, type, key);
    if (!e->what) {
        memset(e, 0, sizeof *e);
        e->what = (uint16_t)what;
        e->container = container;
        e->type = type;
        e->key = key;
        w->entries++;
    }
    return e;
}

static void pajewrite__erase(pajewrite *w, pajewrite_entry *e)
{
    size_t hole = (size_t)(e - w->config.table), i = hole;
    for (;;) {
        size_t home;
        if (++i == w->config.table_entries)
            i = 0;
        e = &w->config.table[i];
        if (!e->what)
            break;
        home = pajewrite__home(w, e->what, e->container, e->type, e->key);
        if (hole <= i ? home <= hole || home > i : home <= hole && home > i) {
            w->config.table[hole] = *e;
            hole = i;
        }
    }
    w->config.table[hole].what = 0;
    w->entries--;
}

/* What is remembered only as long as there is room: links and containers of which nothing more is expected, values that
 * were used and not defined. */
static int pajewrite__is_past(const pajewrite *w, const pajewrite_entry *e)
{
    if (e->what == PAJEWRITE__CONTAINER_ENTRY || e->what == PAJEWRITE__VALUE_ENTRY)
        return (e->flags & (PAJEWRITE__DEAD | PAJEWRITE__OWED)) == PAJEWRITE__DEAD;
    if (e->what != PAJEWRITE__LINK_ENTRY && e->what != PAJEWRITE__NAMED_LINK_ENTRY)
        return 0;
    return w->config.full != PAJEWRITE_DROP ||
           (!(e->flags & PAJEWRITE__OWED) && e->flags & PAJEWRITE__STARTED && e->flags & PAJEWRITE__ENDED);
}

static int pajewrite__has_room(pajewrite *w)
{
    size_t i, most = w->config.table_entries - w->config.table_entries / 8 - 2;
    if (w->entries < most)
        return 1;
    for (i = 0; i < w->config.table_entries; i++)
        while (w->config.table[i].what && pajewrite__is_past(w, &w->config.table[i]))
            pajewrite__erase(w, &w->config.table[i]);
    return w->entries < most;
}

static pajewrite_entry *pajewrite__find_type(const pajewrite *w, uint32_t type)
{
    return pajewrite__find(w, PAJEWRITE__TYPE_ENTRY, 0, type, 0);
}

static pajewrite_entry *pajewrite__find_container(const pajewrite *w, uint32_t container)
{
    return pajewrite__find(w, PAJEWRITE__CONTAINER_ENTRY, container, 0, 0);
}

static int pajewrite__is_alive(const pajewrite_entry *e) { return e && !(e->flags & PAJEWRITE__DEAD); }

/* Whether all that ends with a container is in its list of pairs, so that the whole table need not be looked at. */
static int pajewrite__is_leaf(const pajewrite_entry *e) { return !(e->flags & PAJEWRITE__FOREIGN) && !e->time; }

static pajewrite_entry *pajewrite__find_next_pair(const pajewrite *w, uint32_t container, uint32_t next)
{
    return next ? pajewrite__find(w, PAJEWRITE__PAIR_ENTRY, container, next - 1, 0) : NULL;
}

/* Finds or makes the entry of a container and a type. */
static pajewrite_entry *pajewrite__pair_of(pajewrite *w, uint32_t container, uint32_t type)
{
    pajewrite_entry *pair = pajewrite__find(w, PAJEWRITE__PAIR_ENTRY, container, type, 0), *owner;
    if (pair)
        return pair;
    pair = pajewrite__entry(w, PAJEWRITE__PAIR_ENTRY, container, type, 0);
    owner = pajewrite__find_container(w, container);
    if (owner) {
        pair->next = owner->next;
        owner->next = type + 1;
    }
    return pair;
}

/* Whether a container is another one, or within it. */
static int pajewrite__is_within(const pajewrite *w, uint32_t container, uint32_t outer)
{
    while (container != outer) {
        const pajewrite_entry *e = pajewrite__find_container(w, container);
        if (!e)
            return 0;
        container = e->other;
    }
    return 1;
}

static uint64_t pajewrite__key_of(const pajewrite_event *event)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    const char *text = event->name;
    if (!text)
        return event->key;
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return hash;
}

static uint32_t pajewrite__link_what(const pajewrite_event *event)
{
    return event->name ? PAJEWRITE__NAMED_LINK_ENTRY : PAJEWRITE__LINK_ENTRY;
}

static int pajewrite__is_link(pajewrite_kind kind)
{
    return kind == PAJEWRITE_START_LINK || kind == PAJEWRITE_END_LINK;
}

static int pajewrite__is_variable(pajewrite_kind kind)
{
    return kind >= PAJEWRITE_SET_VARIABLE && kind <= PAJEWRITE_SUB_VARIABLE;
}

static int pajewrite__has_value(pajewrite_kind kind)
{
    return kind == PAJEWRITE_SET_STATE || kind == PAJEWRITE_PUSH_STATE || kind == PAJEWRITE_NEW_EVENT ||
           pajewrite__is_link(kind);
}

static int pajewrite__is_state(pajewrite_kind kind)
{
    return kind >= PAJEWRITE_SET_STATE && kind <= PAJEWRITE_RESET_STATE;
}

/* ------------------------------------------------------------------------------------------------
 * The checking mode: what would make the trace invalid
 * --------------------------------------------------------------------------------------------- */

#if PAJEWRITE_CHECK
static int pajewrite__is_container_type(const pajewrite *w, uint32_t type)
{
    const pajewrite_entry *e = pajewrite__find_type(w, type);
    return !type || (e && e->value == PAJEWRITE_DEFINE_CONTAINER_TYPE);
}

/* Whether a container type is another one, or within it. */
static int pajewrite__is_type_within(const pajewrite *w, uint32_t type, uint32_t outer)
{
    while (type != outer) {
        if (!type)
            return 0;
        type = pajewrite__find_type(w, type)->other;
    }
    return 1;
}

/* A name that is a number below 2^32, as an alias would be written.  Answers 0 for others. */
static int pajewrite__is_number(const char *name, uint64_t *number)
{
    uint32_t digits = 0;
    for (*number = 0; name[digits] >= '0' && name[digits] <= '9' && digits < 10; digits++)
        *number = *number * 10 + (uint32_t)(name[digits] - '0');
    return digits && !name[digits] && (name[0] != '0' || digits == 1);
}

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
    if (event->kind == PAJEWRITE_DEFINE_LINK_TYPE) {
        uint32_t start = pajewrite__alias(event->start_type), end = pajewrite__alias(event->end_type);
        if (!pajewrite__is_container_type(w, start) || !pajewrite__is_container_type(w, end))
            return PAJEWRITE_E_TYPE;
        if (!pajewrite__is_type_within(w, start, of) || !pajewrite__is_type_within(w, end, of))
            return PAJEWRITE_E_MISMATCH;
    }
    return PAJEWRITE_OK;
}

/* The type of a container that is alive; UINT32_MAX: there is none. */
static uint32_t pajewrite__type_of(const pajewrite *w, uint32_t container)
{
    const pajewrite_entry *e = pajewrite__find_container(w, container);
    return !container ? 0 : pajewrite__is_alive(e) ? e->value : UINT32_MAX;
}

static pajewrite_status pajewrite__check_link(const pajewrite *w, const pajewrite_event *event,
                                              const pajewrite_entry *type)
{
    uint32_t of = pajewrite__type_of(w, event->other.alias);
    int starts = event->kind == PAJEWRITE_START_LINK;
    uint32_t end = (uint32_t)((uint64_t)type->number.integer >> (starts ? 32 : 0));
    const pajewrite_entry *link = pajewrite__find(w, pajewrite__link_what(event), event->container.alias, type->type,
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
    return pair && pair->time > event->time && pair->time > link->time ? PAJEWRITE_E_ORDER : PAJEWRITE_OK;
}

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
        if (pajewrite__is_leaf(known)) {
            pair = pajewrite__find_next_pair(w, container, known->next);
            while (pair && pair->time <= event->time)
                pair = pajewrite__find_next_pair(w, container, pair->next);
            return pair ? PAJEWRITE_E_ORDER : PAJEWRITE_OK;
        }
        for (i = 0; i < w->config.table_entries; i++)
            if (w->config.table[i].what == PAJEWRITE__PAIR_ENTRY && w->config.table[i].time > event->time &&
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

/* ------------------------------------------------------------------------------------------------
 * Following what is open
 * --------------------------------------------------------------------------------------------- */

static int pajewrite__is_unwritten(const pajewrite_entry *e) { return e && e->flags & PAJEWRITE__UNWRITTEN; }

/* Whether the line has to be dropped because one that it rests on was. */
static int pajewrite__rests_on_dropped(const pajewrite *w, const pajewrite_event *event)
{
    uint32_t container = event->container.alias, type = pajewrite__alias(event->type);
    if (event->kind < PAJEWRITE_DEFINE_VALUE)
        return pajewrite__is_unwritten(pajewrite__find_type(w, pajewrite__alias(event->of)));
    if (pajewrite__is_unwritten(pajewrite__find_type(w, type)))
        return 1;
    if (event->kind == PAJEWRITE_DEFINE_VALUE)
        return 0;
    if (pajewrite__is_unwritten(pajewrite__find_container(w, container)))
        return 1;
    if (event->kind == PAJEWRITE_CREATE_CONTAINER)
        return pajewrite__is_unwritten(pajewrite__find_container(w, event->other.alias));
    if (event->kind == PAJEWRITE_POP_STATE) {
        const pajewrite_entry *pair = pajewrite__find(w, PAJEWRITE__PAIR_ENTRY, container, type, 0);
        return pair && pair->value &&
               pajewrite__is_unwritten(pajewrite__find(w, PAJEWRITE__LEVEL_ENTRY, container, type, pair->value - 1));
    }
    return pajewrite__is_link(event->kind) &&
           (pajewrite__is_unwritten(pajewrite__find_container(w, event->other.alias)) ||
            pajewrite__is_unwritten(pajewrite__find(w, pajewrite__link_what(event), container, type,
                                                    pajewrite__key_of(event))));
}

/* Takes states from the stack down to a depth.  Answers how many of them were written. */
static uint32_t pajewrite__cut(pajewrite *w, uint32_t container, uint32_t type, uint32_t *depth, uint32_t to)
{
    uint32_t written = 0;
    while (*depth > to) {
        pajewrite_entry *level = pajewrite__find(w, PAJEWRITE__LEVEL_ENTRY, container, type, --*depth);
        if (level) {
            written += !(level->flags & PAJEWRITE__UNWRITTEN);
            pajewrite__erase(w, level);
        }
    }
    return written;
}

/* The number of a variable as a reader holds it. */
static void pajewrite__follow_number(pajewrite_entry *pair, const pajewrite_event *event)
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

/* The event that sets a variable to what it is. */
static void pajewrite__variable_now(pajewrite_event *event, const pajewrite_entry *pair)
{
    event->kind = PAJEWRITE_SET_VARIABLE;
#if PAJEWRITE_DOUBLE
    event->is_real = 1;
    event->real = pair->number.real;
#else
    event->integer = pair->number.integer;
#endif
}

static void pajewrite__follow_entity(pajewrite *w, const pajewrite_event *event, int written)
{
    uint32_t container = event->container.alias, type = pajewrite__alias(event->type), depth, lost = 0;
    pajewrite_entry *pair = pajewrite__pair_of(w, container, type), *level;
    w->pair = pair;
    pair->time = event->time;
    if (pajewrite__is_variable(event->kind)) {
        pajewrite__follow_number(pair, event);
        if (written && event->kind == PAJEWRITE_SET_VARIABLE)
            pair->flags &= (uint16_t)~PAJEWRITE__OWED;
        else if (!written)
            pair->flags |= PAJEWRITE__OWED;
        return;
    }
    if (!pajewrite__is_state(event->kind))
        return;
    depth = pair->value;
    if (w->config.full == PAJEWRITE_FLUSH) {
        pair->value = event->kind == PAJEWRITE_PUSH_STATE ? depth + 1 :
                      event->kind == PAJEWRITE_POP_STATE ? depth - (depth > 0) : event->kind == PAJEWRITE_SET_STATE;
        return;
    }
    if (event->kind == PAJEWRITE_POP_STATE && depth) {
        level = pajewrite__find(w, PAJEWRITE__LEVEL_ENTRY, container, type, depth - 1);
        lost = level && !(level->flags & PAJEWRITE__UNWRITTEN) && !written;
        if (level)
            pajewrite__erase(w, level);
        depth--;
    } else if (event->kind == PAJEWRITE_SET_STATE || event->kind == PAJEWRITE_RESET_STATE) {
        lost = pajewrite__cut(w, container, type, &depth, 0);
        if (written)
            lost = 0;
    }
    if (event->kind == PAJEWRITE_SET_STATE || event->kind == PAJEWRITE_PUSH_STATE) {
        level = pajewrite__entry(w, PAJEWRITE__LEVEL_ENTRY, container, type, depth++);
        level->value = event->value.alias;
        level->time = event->time;
        level->flags = written ? 0 : PAJEWRITE__UNWRITTEN;
    }
    pair = pajewrite__pair_of(w, container, type); /* it may have moved */
    pair->value = depth;
    pair->other = written && (event->kind == PAJEWRITE_SET_STATE || event->kind == PAJEWRITE_RESET_STATE)
        ? 0 : pair->other + lost;
}

static void pajewrite__follow_link(pajewrite *w, const pajewrite_event *event, int written)
{
    uint32_t container = event->container.alias, type = pajewrite__alias(event->type);
    pajewrite_entry *link, *pair;
    uint64_t later;
    if (w->config.full != PAJEWRITE_DROP && !PAJEWRITE_CHECK)
        return;
    link = pajewrite__entry(w, pajewrite__link_what(event), container, type, pajewrite__key_of(event));
    later = link->time > event->time ? link->time : event->time;
    if (!link->flags)
        link->flags = written ? 0 : PAJEWRITE__UNWRITTEN;
    else if (!written && !(link->flags & PAJEWRITE__UNWRITTEN) && !event->name)
        link->flags |= PAJEWRITE__OWED;
    link->flags |= event->kind == PAJEWRITE_START_LINK ? PAJEWRITE__STARTED : PAJEWRITE__ENDED;
    link->value = event->value.alias;
    link->other = event->other.alias;
    link->time = event->time;
    link->number.integer = (int64_t)event->kind;
    if (link->flags & PAJEWRITE__STARTED && link->flags & PAJEWRITE__ENDED) {
        pair = pajewrite__pair_of(w, container, type);
        if (pair->time < later)
            pair->time = later;
    }
}

/* Forgets what there is on a container. */
static void pajewrite__forget_pairs(pajewrite *w, uint32_t container)
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

/* A container ends, and with it what is within it. */
static void pajewrite__follow_end(pajewrite *w, const pajewrite_event *event, int written)
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
        pajewrite__forget_pairs(w, container);
    } else {
        for (i = 0; i < w->config.table_entries; i++)
            while ((table[i].what == PAJEWRITE__PAIR_ENTRY || table[i].what == PAJEWRITE__LEVEL_ENTRY) &&
                   pajewrite__is_within(w, table[i].container, container))
                pajewrite__erase(w, &table[i]);
        for (i = 0; i < w->config.table_entries; i++)
            if (table[i].what == PAJEWRITE__CONTAINER_ENTRY && pajewrite__is_within(w, table[i].container, container))
                table[i].flags |= PAJEWRITE__DEAD;
    }
    e = pajewrite__find_container(w, container);
    e->flags |= PAJEWRITE__DEAD;
    if (!written && !(e->flags & PAJEWRITE__UNWRITTEN)) {
        e->flags |= PAJEWRITE__OWED;
        e->time = event->time;
    }
}

static int64_t pajewrite__flight_creation(pajewrite *w);

static void pajewrite__follow(pajewrite *w, const pajewrite_event *event, int written)
{
    uint32_t type = pajewrite__alias(event->type);
    pajewrite_entry *e;
    if (event->kind > PAJEWRITE_DEFINE_VALUE && event->time > w->latest)
        w->latest = event->time;
    if (event->kind < PAJEWRITE_DEFINE_VALUE) {
        e = pajewrite__entry(w, PAJEWRITE__TYPE_ENTRY, 0, type, 0);
        e->value = (uint32_t)event->kind;
        e->other = pajewrite__alias(event->of);
        e->number.integer = (int64_t)((uint64_t)pajewrite__alias(event->start_type) << 32 |
                                      pajewrite__alias(event->end_type));
        e->flags = written ? 0 : PAJEWRITE__UNWRITTEN;
    } else if (event->kind == PAJEWRITE_DEFINE_VALUE) {
        if (PAJEWRITE_CHECK)
            pajewrite__entry(w, PAJEWRITE__VALUE_ENTRY, 0, type, event->value.alias)->flags = 0;
    } else if (event->kind == PAJEWRITE_CREATE_CONTAINER) {
        e = pajewrite__find_container(w, event->other.alias);
        if (pajewrite__is_alive(e) && !pajewrite__is_alive(pajewrite__find_container(w, event->container.alias)))
            e->time++;
        e = pajewrite__entry(w, PAJEWRITE__CONTAINER_ENTRY, event->container.alias, 0, 0);
        if (!pajewrite__is_alive(e))
            e->time = e->next = 0;
        e->value = type;
        e->other = event->other.alias;
        e->flags = written ? 0 : PAJEWRITE__UNWRITTEN;
        if (w->flight && written)
            e->number.integer = pajewrite__flight_creation(w);
    } else if (event->kind == PAJEWRITE_DESTROY_CONTAINER) {
        pajewrite__follow_end(w, event, written);
    } else if (pajewrite__is_link(event->kind)) {
        pajewrite__follow_link(w, event, written);
    } else if (event->kind != PAJEWRITE_TRACE_FILE) {
        pajewrite__follow_entity(w, event, written);
    }
    if (PAJEWRITE_CHECK && pajewrite__has_value(event->kind) &&
        !pajewrite__find(w, PAJEWRITE__VALUE_ENTRY, 0, type, event->value.alias))
        pajewrite__entry(w, PAJEWRITE__VALUE_ENTRY, 0, type, event->value.alias)->flags = PAJEWRITE__DEAD;
}

static void pajewrite__table_is_full(pajewrite *w)
{
    if (!w->status)
        w->status = PAJEWRITE_E_TABLE_FULL;
    w->tracked = 0;
    if (w->flight)
        pajewrite__fail(w, PAJEWRITE_E_TABLE_FULL);
}

static void pajewrite__any(pajewrite *w, const pajewrite_event *event, const pajewrite_fields *fields)
{
    uint64_t refused = w->refused;
    int written = 0, defines = w->flight && event->kind <= PAJEWRITE_DEFINE_VALUE;
    if (w->tracked && !pajewrite__has_room(w))
        pajewrite__table_is_full(w);
    if (!w->tracked) {
        pajewrite__put(w, event, fields);
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
        pajewrite__turn(w);
    if ((w->config.full == PAJEWRITE_DROP || (w->flight && w->dropped)) && pajewrite__rests_on_dropped(w, event))
        pajewrite__drop(w, pajewrite__has_time(event->kind) ? event->time : w->second);
    else
        written = pajewrite__put(w, event, fields);
    if (defines)
        pajewrite__turn(w);
    if (w->refused == refused)
        pajewrite__follow(w, event, written);
}

static void pajewrite__settle_entry(pajewrite *w, const pajewrite_entry *e)
{
    pajewrite_event event = PAJEWRITE__ZERO;
    uint32_t owed = e->what == PAJEWRITE__PAIR_ENTRY ? e->other : 0;
    if (pajewrite__is_unwritten(pajewrite__find_container(w, e->container)) ||
        (e->what == PAJEWRITE__LINK_ENTRY && pajewrite__is_unwritten(pajewrite__find_container(w, e->other))))
        return;
    event.container.alias = e->container;
    event.type.alias = e->type;
    event.time = e->time;
    for (; owed; owed--) {
        event.kind = PAJEWRITE_POP_STATE;
        pajewrite__put(w, &event, NULL);
    }
    if (!(e->flags & PAJEWRITE__OWED))
        return;
    if (e->what == PAJEWRITE__PAIR_ENTRY) {
        pajewrite__variable_now(&event, e);
    } else if (e->what == PAJEWRITE__CONTAINER_ENTRY) {
        event.kind = PAJEWRITE_DESTROY_CONTAINER;
        event.type.alias = e->value;
    } else {
        event.kind = (pajewrite_kind)e->number.integer;
        event.value.alias = e->value;
        event.other.alias = e->other;
        event.key = e->key;
    }
    pajewrite__put(w, &event, NULL);
}

/* How many containers a container is in, counting itself. */
static uint64_t pajewrite__depth(const pajewrite *w, const pajewrite_entry *e)
{
    uint64_t depth;
    for (depth = 0; e; depth++)
        e = pajewrite__find_container(w, e->other);
    return depth;
}

/* Of debts, which comes first; of containers that ended at one time, the innermost. */
static int pajewrite__is_owed_before(const pajewrite *w, const pajewrite_entry *a, const pajewrite_entry *b)
{
    if (a->time != b->time || a->what != PAJEWRITE__CONTAINER_ENTRY)
        return a->time < b->time;
    return pajewrite__depth(w, a) > pajewrite__depth(w, b);
}

/* Writes what is owed of this kind, in order.  Each look at the table finds the next few. */
static void pajewrite__settle_all(pajewrite *w, uint32_t what)
{
    enum { MOST = 32 };
    pajewrite_entry *table = w->config.table, *owed[MOST] = PAJEWRITE__ZERO;
    size_t count, i, at;
    do {
        for (count = i = 0; i < w->config.table_entries; i++) {
            if (table[i].what != what || !(table[i].flags & PAJEWRITE__OWED) ||
                (count == MOST && !pajewrite__is_owed_before(w, &table[i], owed[MOST - 1])))
                continue;
            for (at = count - (count == MOST); at && pajewrite__is_owed_before(w, &table[i], owed[at - 1]); at--)
                owed[at] = owed[at - 1];
            owed[at] = &table[i];
            count += count < MOST;
        }
        for (i = 0; i < count; i++) {
            pajewrite__settle_entry(w, owed[i]);
            owed[i]->flags &= (uint16_t)~PAJEWRITE__OWED;
        }
    } while (count == MOST);
}

/* Writes what is owed: ends of links that were dropped, pops, variables that changed, ends of containers.  The sink has
 * room. */
static void pajewrite__settle(pajewrite *w)
{
    pajewrite_entry *table = w->config.table;
    size_t i;
    w->config.full = PAJEWRITE_FLUSH;
    pajewrite__settle_all(w, PAJEWRITE__LINK_ENTRY);
    for (i = 0; i < w->config.table_entries; i++)
        if (table[i].what == PAJEWRITE__PAIR_ENTRY) {
            pajewrite__settle_entry(w, &table[i]);
            table[i].flags &= (uint16_t)~PAJEWRITE__OWED;
            table[i].other = 0;
        }
    pajewrite__settle_all(w, PAJEWRITE__CONTAINER_ENTRY);
    w->config.full = PAJEWRITE_DROP;
}

/* Closes what is open: states on containers that are not this context's own, then its own containers, children
 * first. */
static void pajewrite__close(pajewrite *w)
{
    pajewrite_entry *table = w->config.table;
    pajewrite_event event = PAJEWRITE__ZERO;
    uint64_t deepest = 0;
    size_t i;
    event.time = w->latest > w->config.origin ? w->latest : w->config.origin;
    for (i = 0; i < w->config.table_entries; i++) {
        const pajewrite_entry *e = &table[i], *owner = pajewrite__find_container(w, e->container);
        if (e->what == PAJEWRITE__PAIR_ENTRY && e->value && (!owner || owner->flags & PAJEWRITE__FOREIGN)) {
            event.kind = PAJEWRITE_RESET_STATE;
            event.container.alias = e->container;
            event.type.alias = e->type;
            pajewrite__put(w, &event, NULL);
            table[i].value = 0;
        } else if (e->what == PAJEWRITE__CONTAINER_ENTRY && pajewrite__is_alive(e)) {
            table[i].time = pajewrite__depth(w, e);
            if (table[i].time > deepest)
                deepest = table[i].time;
        }
    }
    event.kind = PAJEWRITE_DESTROY_CONTAINER;
    for (; deepest; deepest--)
        for (i = 0; i < w->config.table_entries; i++) {
            const pajewrite_entry *e = &table[i];
            if (e->what == PAJEWRITE__CONTAINER_ENTRY && pajewrite__is_alive(e) && e->time == deepest &&
                !(e->flags & (PAJEWRITE__FOREIGN | PAJEWRITE__UNWRITTEN))) {
                event.container.alias = e->container;
                event.type.alias = e->value;
                pajewrite__put(w, &event, NULL);
                table[i].flags |= PAJEWRITE__DEAD;
            }
        }
}

PAJEWRITE_API void pajewrite_learn(pajewrite *w, const pajewrite *from)
{
    size_t i;
    if (from->latest > w->latest)
        w->latest = from->latest;
    for (i = 0; w->tracked && from->tracked && i < from->config.table_entries; i++) {
        const pajewrite_entry *e = &from->config.table[i], *own;
        if (!e->what || e->what > PAJEWRITE__CONTAINER_ENTRY)
            continue;
        own = pajewrite__find(w, e->what, e->container, e->type, e->key);
        if (own && !(own->flags & PAJEWRITE__FOREIGN)) /* the other has learned it from this one */
            continue;
        if (pajewrite__has_room(w)) {
            pajewrite_entry *known = pajewrite__entry(w, e->what, e->container, e->type, e->key);
            *known = *e;
            known->flags |= PAJEWRITE__FOREIGN;
        } else {
            pajewrite__table_is_full(w);
        }
    }
}

/* ------------------------------------------------------------------------------------------------
 * The flight recorder.  Its memory: a head, a note of each segment, the definitions, the segments.  A text in it ends
 * where a line begins with '#'; the last byte of all is a newline, so that who reads while the text changes stops
 * there. Notes go in and out by memcpy, as the memory may lie anywhere.
 * --------------------------------------------------------------------------------------------- */

typedef struct pajewrite__recorder {
    char magic[8];
    uint64_t definitions_size, segment_size, segments;
} pajewrite__recorder;

typedef struct pajewrite__segment {
    uint64_t number; /* of segments, from the first on, this one included; 0: it holds nothing */
    uint64_t events; /* where its snapshot ends */
    uint64_t before; /* records that were written before it */
} pajewrite__segment;

static const char pajewrite__magic[] = "PajeFly1";

static size_t pajewrite__flight_head(size_t segments)
{
    return sizeof(pajewrite__recorder) + segments * sizeof(pajewrite__segment);
}

static char *pajewrite__note(const pajewrite *w, uint32_t segment)
{
    return w->flight + pajewrite__flight_head(segment);
}

static void pajewrite__flight_sizes(const pajewrite *w, size_t size, size_t *definitions, size_t *segment)
{
    size_t head = pajewrite__flight_head(PAJEWRITE_SEGMENTS) + 1, rest = size > head ? size - head : 0;
    *definitions = w->config.definitions_size ? w->config.definitions_size : rest / 4;
    *segment = rest > *definitions ? (rest - *definitions) / PAJEWRITE_SEGMENTS : 0;
}

static int pajewrite__flight_fits(const pajewrite *w, size_t size)
{
    size_t definitions, segment;
    pajewrite__flight_sizes(w, size, &definitions, &segment);
    return w->tracked && definitions >= PAJEWRITE_BUFFER_MIN && segment >= PAJEWRITE_BUFFER_MIN;
}

/* Takes the memory, w->size bytes at w->buffer or those that config.room gives. */
static void pajewrite__flight_begin(pajewrite *w)
{
    pajewrite__recorder head;
    pajewrite__segment note = {1, 0, 0};
    size_t definitions, segment;
    if (w->config.room) {
        size_t size = w->size;
        w->buffer = NULL;
        pajewrite__next_buffer(w, size);
        if (w->fatal)
            return;
    }
    pajewrite__flight_sizes(w, w->size, &definitions, &segment);
    memcpy(head.magic, pajewrite__magic, sizeof head.magic);
    head.definitions_size = definitions;
    head.segment_size = segment;
    head.segments = PAJEWRITE_SEGMENTS;
    w->flight = w->buffer;
    w->aside = w->flight + pajewrite__flight_head(PAJEWRITE_SEGMENTS);
    w->buffer = w->aside + definitions;
    w->size = segment;
    w->aside_size = definitions;
    *w->aside = '#';
    w->aside_next = w->aside;
    memset(w->flight, 0, (size_t)(w->aside - w->flight));
    pajewrite__set_next(w, w->buffer);
    pajewrite__set_limit(w);
    memcpy(pajewrite__note(w, 0), &note, sizeof note);
    w->segments = 1;
    w->buffer[segment * PAJEWRITE_SEGMENTS] = '\n';
    memcpy(w->flight, &head, sizeof head);
}

static void pajewrite__flight_end(pajewrite *w)
{
    w->next = w->aside + w->aside_size + w->size * PAJEWRITE_SEGMENTS + 1;
    w->buffer = w->flight;
    w->flight = NULL;
}

/* The place of the line that was written last, which creates a container. */
static int64_t pajewrite__flight_creation(pajewrite *w)
{
    const char *line = w->next - 1;
    while (line > w->buffer && line[-1] != '\n')
        line--;
    w->creations++;
    return line - w->flight;
}

/* The word of a line behind so many others, which are without quotes. */
static const char *pajewrite__nth_word(const char *line, int n)
{
    for (; n && *line != '\n'; line++)
        n -= *line == ' ';
    return line;
}

/* The containers alive that the segment before created or had from its own snapshot, by the lines that created them: as
 * they fitted there, they fit here. */
static void pajewrite__copy_creations(pajewrite *w, const char *line, const char *last, uint32_t creations)
{
    w->creations = 0;
    while (creations && line < last) {
        const char *end = pajewrite__line_end(line), *digit = pajewrite__nth_word(line, 2);
        uint32_t alias = 0;
        pajewrite_entry *e;
        for (; *digit >= '0' && *digit <= '9'; digit++)
            alias = alias * 10 + (uint32_t)(*digit - '0');
        e = pajewrite__find_container(w, alias);
        if (e && e->number.integer == line - w->flight) {
            creations--;
            if (pajewrite__is_alive(e)) {
                pajewrite__commit(w, pajewrite__copy(w->next + 1, line + 1, (size_t)(end - line) - 2), *line);
                e->number.integer = pajewrite__flight_creation(w);
            }
        }
        line = end;
    }
}

/* What is open: states from the bottom of their stacks, with their true starts, and variables. */
static void pajewrite__copy_open(pajewrite *w)
{
    size_t i;
    for (i = 0; i < w->config.table_entries; i++) {
        const pajewrite_entry *pair = &w->config.table[i];
        pajewrite_event event = PAJEWRITE__ZERO;
        uint32_t depth;
        if (pair->what != PAJEWRITE__PAIR_ENTRY ||
            (pair->container && !pajewrite__is_alive(pajewrite__find_container(w, pair->container))))
            continue;
        event.container.alias = pair->container;
        event.type.alias = pair->type;
        event.kind = PAJEWRITE_PUSH_STATE;
        for (depth = 0; depth < pair->value; depth++) {
            const pajewrite_entry *level = pajewrite__find(w, PAJEWRITE__LEVEL_ENTRY, pair->container, pair->type,
                                                           depth);
            event.time = level->time;
            event.value.alias = level->value;
            pajewrite__put(w, &event, NULL);
        }
        if (pair->flags & PAJEWRITE__IS_SET) {
            event.time = pair->time;
            pajewrite__variable_now(&event, pair);
            pajewrite__put(w, &event, NULL);
        }
    }
}

/* Begins the next segment, in place of the oldest, with a snapshot.  While that is written it counts as empty. */
static void pajewrite__next_segment(pajewrite *w)
{
    const char *before = w->buffer, *last = w->next;
    uint32_t place = (uint32_t)(w->segments % PAJEWRITE_SEGMENTS);
    char *note = pajewrite__note(w, place);
    uint32_t creations = w->creations, prefix_size = w->prefix_size;
    pajewrite__segment segment = PAJEWRITE__ZERO;
    uint64_t second = w->second;
    char prefix[sizeof w->prefix];
    memcpy(prefix, w->prefix, sizeof prefix);
    memcpy(note, &segment, sizeof segment);
    PAJEWRITE__BARRIER();
    segment.before = w->delivered = w->records;
    w->buffer = w->aside + w->aside_size + place * w->size;
    pajewrite__set_next(w, w->buffer);
    pajewrite__set_limit(w);
    w->inner = 1;
    pajewrite__copy_creations(w, before, last, creations);
    pajewrite__copy_open(w);
    w->inner = 0;
    /* The event that is to come has its second in there. */
    memcpy(w->prefix, prefix, sizeof prefix);
    w->prefix_size = prefix_size;
    w->second = second;
    w->records = w->delivered = segment.before;
    segment.events = (uint64_t)(w->next - w->buffer);
    segment.number = ++w->segments;
    PAJEWRITE__BARRIER();
    if (!w->fatal)
        memcpy(note, &segment, sizeof segment);
}

PAJEWRITE__NOINLINE int pajewrite__flight_room(pajewrite *w, size_t size, uint64_t time)
{
    if (w->inner && w->buffer < w->aside) { /* definitions */
        if (!w->status)
            w->status = PAJEWRITE_E_DEFINITIONS;
        pajewrite__drop(w, time);
        return 0;
    }
    if (size > w->size - PAJEWRITE__SLACK) {
        pajewrite__refuse(w, PAJEWRITE_E_TOO_LONG);
        return 0;
    }
    if (!w->inner)
        pajewrite__next_segment(w);
    if (pajewrite__free(w) < size) {
        w->delivered = w->records;
        pajewrite__fail(w, PAJEWRITE_E_SNAPSHOT);
    }
    return !w->fatal;
}

/* ------------------------------------------------------------------------------------------------
 * The dump of a flight recorder, from its memory alone
 * --------------------------------------------------------------------------------------------- */

#define PAJEWRITE__SEGMENTS_MAX 64

/* Texts that make the trace, one after the other: definitions, then segments. */
typedef struct pajewrite__texts {
    const char *text[PAJEWRITE__SEGMENTS_MAX + 1];
    size_t size[PAJEWRITE__SEGMENTS_MAX + 1];
    uint32_t count;
    uint32_t variants[64]; /* kinds of the first ones; 0: not looked up yet */
} pajewrite__texts;

/* A line in one of them. */
typedef struct pajewrite__place {
    uint32_t text;
    size_t offset;
} pajewrite__place;

static const char *pajewrite__line_at(const pajewrite__texts *texts, const pajewrite__place *place)
{
    return texts->text[place->text] + place->offset;
}

static int pajewrite__is_before(const pajewrite__place *a, const pajewrite__place *b)
{
    return a->text < b->text || (a->text == b->text && a->offset < b->offset);
}

/* Goes to the next line; from the last one, to `count`. */
static void pajewrite__next_line(const pajewrite__texts *texts, pajewrite__place *place)
{
    const char *line = pajewrite__line_at(texts, place);
    place->offset += (size_t)(pajewrite__line_end(line) - line);
    if (place->offset >= texts->size[place->text]) {
        place->offset = 0;
        place->text++;
    }
}

/* How much of a text is whole lines. */
static size_t pajewrite__text_size(const char *text, size_t size)
{
    size_t i, line = 0;
    for (i = 0; i < size && text[line] != '#'; i++)
        if (text[i] == '\n')
            line = i + 1;
    return line;
}

/* Whether the definitions have a variant of this kind and number. */
static int pajewrite__has_variant(const pajewrite__texts *texts, pajewrite_kind kind, uint32_t number)
{
    char definition[64];
    size_t size, i;
    size = (size_t)(pajewrite__event_def(definition, kind, number) - definition);
    for (i = 0; i + size <= texts->size[0]; i++)
        if (texts->text[0][i] == '%' && pajewrite__same(texts->text[0] + i, definition, size))
            return 1;
    return 0;
}

/* The number of a line's event, or PAJEWRITE_START_LINK or PAJEWRITE_END_LINK for variants of these. */
static uint32_t pajewrite__kind_of(pajewrite__texts *texts, const char *line)
{
    uint32_t number = 0, kind, *known;
    for (; *line >= '0' && *line <= '9'; line++)
        number = number * 10 + (uint32_t)(*line - '0');
    if (number < PAJEWRITE__AFTER_KINDS)
        return number;
    known = number - PAJEWRITE__AFTER_KINDS < 64 ? &texts->variants[number - PAJEWRITE__AFTER_KINDS] : NULL;
    if (known && *known)
        return *known;
    kind = number;
    if (pajewrite__has_variant(texts, PAJEWRITE_START_LINK, number))
        kind = PAJEWRITE_START_LINK;
    else if (pajewrite__has_variant(texts, PAJEWRITE_END_LINK, number))
        kind = PAJEWRITE_END_LINK;
    if (known)
        *known = kind;
    return kind;
}

/* Up to a blank, or its second quote, or the end of the line. */
static size_t pajewrite__word_length(const char *word)
{
    const char last = *word == '"' ? '"' : ' ';
    size_t size = 0;
    while (word[size] != '\n' && (word[size] != last || !size))
        size++;
    return size;
}

/* What a link is known by, in the lines of its ends: container, type, key.  Each is so many words behind the last. */
static const int pajewrite__link_words[] = {2, 1, 3};

static uint32_t pajewrite__link_hash(const char *line)
{
    uint32_t hash = 0;
    size_t i, at, size;
    for (i = 0; i < 3; i++) {
        line = pajewrite__nth_word(line, pajewrite__link_words[i]);
        size = pajewrite__word_length(line);
        for (at = 0; at < size; at++)
            hash = (hash ^ (unsigned char)line[at]) * 16777619u; /* FNV-1 */
    }
    return hash ^ hash >> 16;
}

static int pajewrite__same_link(const char *a, const char *b)
{
    size_t i, size;
    for (i = 0; i < 3; i++) {
        a = pajewrite__nth_word(a, pajewrite__link_words[i]);
        b = pajewrite__nth_word(b, pajewrite__link_words[i]);
        size = pajewrite__word_length(a);
        if (size != pajewrite__word_length(b) || !pajewrite__same(a, b, size))
            return 0;
    }
    return 1;
}

/* A table of the lines of ends that have not met the other end of their link.  At least half of it is NULL. */
typedef struct pajewrite__ends {
    const char **lines;
    size_t mask, count;
} pajewrite__ends;

/* The place of the end of this kind of the link that the line has an end of, or where it would be. */
static const char **pajewrite__find_end(const pajewrite__ends *ends, pajewrite__texts *texts, uint32_t kind,
                                        const char *line)
{
    size_t at = pajewrite__link_hash(line) & ends->mask;
    for (; ends->lines[at]; at = (at + 1) & ends->mask)
        if (pajewrite__kind_of(texts, ends->lines[at]) == kind && pajewrite__same_link(ends->lines[at], line))
            break;
    return ends->lines + at;
}

/* Takes an end out; what was put behind it only because its own place was taken moves up. */
static void pajewrite__take_end(pajewrite__ends *ends, const char **place)
{
    size_t gap = (size_t)(place - ends->lines), at = gap;
    while (at = (at + 1) & ends->mask, ends->lines[at]) {
        size_t home = pajewrite__link_hash(ends->lines[at]) & ends->mask;
        if (((at - home) & ends->mask) >= ((at - gap) & ends->mask)) {
            ends->lines[gap] = ends->lines[at];
            gap = at;
        }
    }
    ends->lines[gap] = NULL;
    ends->count--;
}

/* Takes out the ends that meet the other one in the lines from a place on.  Those that do not are added, if so wanted:
 * then the place is where the table is full, or behind the last line. */
static void pajewrite__meet(pajewrite__texts *texts, pajewrite__ends *ends, int add, pajewrite__place *place)
{
    for (; place->text < texts->count && (add || ends->count); pajewrite__next_line(texts, place)) {
        const char *line = pajewrite__line_at(texts, place), **end;
        uint32_t kind = pajewrite__kind_of(texts, line);
        if (kind != PAJEWRITE_START_LINK && kind != PAJEWRITE_END_LINK)
            continue;
        end = pajewrite__find_end(ends, texts, PAJEWRITE_START_LINK + PAJEWRITE_END_LINK - kind, line);
        if (*end)
            pajewrite__take_end(ends, end);
        else if (add && !*(end = pajewrite__find_end(ends, texts, kind, line))) {
            if (ends->count > ends->mask / 2)
                return;
            *end = line;
            ends->count++;
        }
    }
}

/* A comment line with a number in it. */
static pajewrite_status pajewrite__remark(uint64_t number, const char *text, pajewrite_sink sink, void *sink_data)
{
    char line[96], *p;
    if (!number)
        return PAJEWRITE_OK;
    p = pajewrite__word(line, "# ");
    p = pajewrite__u64(p, number);
    p = pajewrite__word(p, text);
    return sink(sink_data, line, (size_t)(p - line));
}

/* Finds the texts, in their order.  Answers 0 if the memory is damaged. */
static int pajewrite__find_texts(const char *memory, size_t size, pajewrite__texts *texts, pajewrite__segment *oldest)
{
    pajewrite__recorder head;
    pajewrite__segment note;
    uint64_t newest = 0, number, i;
    const char *segments;
    memset(texts, 0, sizeof *texts);
    if (!memory || size < sizeof head)
        return 0;
    memcpy(&head, memory, sizeof head);
    if (!pajewrite__same(head.magic, pajewrite__magic, sizeof head.magic) || !head.segments ||
        head.segments > PAJEWRITE__SEGMENTS_MAX)
        return 0;
    i = pajewrite__flight_head((size_t)head.segments) + 1;
    size -= i < size ? (size_t)i : size;
    if (head.definitions_size > size || head.segment_size > (size - head.definitions_size) / head.segments)
        return 0;
    texts->text[0] = memory + pajewrite__flight_head((size_t)head.segments);
    texts->size[0] = pajewrite__text_size(texts->text[0], (size_t)head.definitions_size);
    texts->count = 1;
    segments = texts->text[0] + head.definitions_size;
    for (i = 0; i < head.segments; i++) {
        memcpy(&note, memory + pajewrite__flight_head((size_t)i), sizeof note);
        if (note.number && (note.number - 1) % head.segments != i)
            return 0;
        if (note.number > newest)
            newest = note.number;
    }
    for (number = newest > head.segments ? newest - head.segments + 1 : 1; number <= newest; number++) {
        const char *text;
        size_t whole, skipped;
        i = (number - 1) % head.segments;
        memcpy(&note, memory + pajewrite__flight_head((size_t)i), sizeof note);
        if (note.number != number)
            continue;
        text = segments + i * head.segment_size;
        whole = pajewrite__text_size(text, (size_t)head.segment_size);
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

/* The lines from a place to another, but for the ends of links in the table, which are counted. */
static pajewrite_status pajewrite__put_lines(pajewrite__texts *texts, const pajewrite__ends *ends,
                                             pajewrite__place place, pajewrite__place to, uint64_t *left_out,
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
            line = half ? line : pajewrite__line_end(line);
        }
        *left_out += half;
        if (begin < line)
            status = sink(sink_data, begin, (size_t)(line - begin));
    }
    return status;
}

PAJEWRITE_API pajewrite_status pajewrite_flight_dump(const void *memory, size_t size, int halves, void *scratch,
                                                     size_t scratch_size, pajewrite_sink sink, void *sink_data)
{
    const char *few[32];
    pajewrite__ends ends = PAJEWRITE__ZERO;
    pajewrite__texts texts;
    pajewrite__segment oldest = PAJEWRITE__ZERO, now = PAJEWRITE__ZERO;
    pajewrite_status status;
    pajewrite__place place = {1, 0};
    uint64_t left_out = 0;
    if (!pajewrite__find_texts((const char *)memory, size, &texts, &oldest))
        return PAJEWRITE_E_RECORDER;
    ends.lines = few;
    ends.mask = sizeof few / sizeof *few - 1;
    if (scratch_size >= 2 * sizeof few) {
        size_t skipped = (0 - (size_t)(uintptr_t)scratch) % sizeof *few;
        ends.lines = (const char **)(void *)((char *)scratch + skipped);
        while (2 * ends.mask + 1 < (scratch_size - skipped) / sizeof *few)
            ends.mask += ends.mask + 1;
    }
    status = sink(sink_data, texts.text[0], texts.size[0]);
    if (!status)
        status = pajewrite__remark(oldest.before, " records before these were written over\n", sink, sink_data);
    while (!status && place.text < texts.count) {
        pajewrite__place all = {1, 0}, to = place;
        memset(ends.lines, 0, (ends.mask + 1) * sizeof *few);
        ends.count = 0;
        if (halves) {
            to.text = texts.count;
        } else {
            pajewrite__meet(&texts, &ends, 1, &to);
            pajewrite__meet(&texts, &ends, 0, &all);
        }
        status = pajewrite__put_lines(&texts, &ends, place, to, &left_out, sink, sink_data);
        place = to;
    }
    if (!status)
        status = pajewrite__remark(left_out, " ends of links without the other end were left out\n", sink, sink_data);
    if (!status)
        pajewrite__find_texts((const char *)memory, size, &texts, &now);
    return status || now.number == oldest.number ? status : PAJEWRITE_E_OVERTAKEN;
}

#else
static void pajewrite__any(pajewrite *w, const pajewrite_event *event, const pajewrite_fields *fields)
{
    pajewrite__put(w, event, fields);
}
#endif

/* ------------------------------------------------------------------------------------------------
 * The header, variants, user fields
 * --------------------------------------------------------------------------------------------- */

/* One definition, its lines appearing one by one, but all in the same delivery to the sink.  `user`: lines of user
 * fields. */
static int pajewrite__definition(pajewrite *w, pajewrite_kind kind, uint32_t number, const char *user, size_t user_size)
{
    char text[512 + PAJEWRITE_FIELDS_SIZE], *p = text;
    const char *letters, *line;
    int fits;
    p = pajewrite__event_def(p, kind, number);
    for (letters = pajewrite__letters(kind); *letters; letters++) {
        const pajewrite__field *field = pajewrite__fields;
        while (field->letter != *letters)
            field++;
        p = pajewrite__word(p, "% ");
        p = pajewrite__word(p, w->config.old_names && field->old ? field->old : field->name);
        *p++ = ' ';
        p = pajewrite__word(p, field->type);
        *p++ = '\n';
    }
    p = pajewrite__copy(p, user, user_size);
    p = pajewrite__word(p, "%EndEventDef\n");
    if (w->flight)
        pajewrite__turn(w);
    fits = (w->next < w->limit && pajewrite__free(w) >= (size_t)(p - text)) ||
           pajewrite__make_room(w, (size_t)(p - text), w->config.origin);
    for (line = text; fits && line < p;) {
        const char *end = pajewrite__line_end(line);
        pajewrite__commit(w, pajewrite__copy(w->next + 1, line + 1, (size_t)(end - line) - 2), '%');
        line = end;
    }
    w->records += (uint32_t)fits;
    if (w->flight)
        pajewrite__turn(w);
    return fits;
}

PAJEWRITE_API void pajewrite_header(pajewrite *w)
{
    uint32_t kind;
    for (kind = PAJEWRITE__BEFORE_KINDS + 1; kind < PAJEWRITE__AFTER_KINDS; kind++)
        if (pajewrite__is_kind(kind))
            pajewrite__definition(w, (pajewrite_kind)kind, kind, "", 0);
}

/* The length of a word of letters, digits and _. */
static size_t pajewrite__word_size(const char *text)
{
    size_t size = 0;
    while ((text[size] >= 'a' && text[size] <= 'z') || (text[size] >= 'A' && text[size] <= 'Z') ||
           (text[size] >= '0' && text[size] <= '9') || text[size] == '_')
        size++;
    return size;
}

static int pajewrite__is_word(const char *text, const char *name, size_t size)
{
    return pajewrite__word_size(text) == size && pajewrite__same(text, name, size);
}

/* Whether a user field may not have this name: because the kind or one of the lines in [line, end) has a field of that
 * name, or because the oldest readers called one of the format's so. */
static int pajewrite__is_taken(pajewrite_kind kind, const char *line, const char *end, const char *name, size_t size)
{
    size_t i;
    for (i = 0; i < sizeof pajewrite__fields / sizeof *pajewrite__fields; i++) {
        const pajewrite__field *field = &pajewrite__fields[i];
        const char *letters = pajewrite__letters(kind);
        while (*letters && *letters != field->letter)
            letters++;
        if ((*letters && pajewrite__is_word(field->name, name, size)) ||
            (field->old && pajewrite__is_word(field->old, name, size)))
            return 1;
    }
    for (; line < end; line = pajewrite__line_end(line))
        if (pajewrite__is_word(line + 2, name, size)) /* behind "% " */
            return 1;
    return 0;
}

static int pajewrite__is_type(const char *text, size_t size)
{
    static const char *const types[] = {"int", "hex", "double", "float", "date", "color", "string"};
    size_t i = 0;
    while (i < sizeof types / sizeof *types && !pajewrite__is_word(types[i], text, size))
        i++;
    return i < sizeof types / sizeof *types;
}

PAJEWRITE_API pajewrite_variant pajewrite_define_variant(pajewrite *w, pajewrite_kind kind, const char *fields)
{
    pajewrite_variant variant = PAJEWRITE__ZERO;
    char text[PAJEWRITE_FIELDS_SIZE + 64], *p = text;
    uint32_t standard = 0, count = 0;
    if (!pajewrite__is_kind((uint32_t)kind) || !fields)
        goto malformed;
    for (; *fields; count++) {
        size_t name, type;
        while (*fields == ' ')
            fields++;
        name = pajewrite__word_size(fields);
        type = name && fields[name] == ' ' ? pajewrite__word_size(fields + name + 1) : 0;
        if (!type || !pajewrite__is_type(fields + name + 1, type) || pajewrite__is_taken(kind, text, p, fields, name) ||
            (size_t)(p - text) + name + type > sizeof text - 8)
            goto malformed;
        p = pajewrite__word(p, "% ");
        p = pajewrite__copy(p, fields, name + 1 + type);
        *p++ = '\n';
        fields += name + 1 + type;
        if (*fields == ',' && fields[1])
            fields++;
        else if (*fields)
            goto malformed;
    }
    while (pajewrite__letters(kind)[standard])
        standard++;
    if (1 + standard + count > 20) /* words in a line, for pj_dump */
        goto malformed;
    variant.kind = kind;
    variant.fields = count;
    variant.number = 39 + w->config.alias_first + w->variants * w->config.alias_step;
    if (pajewrite__definition(w, kind, variant.number, text, (size_t)(p - text)))
        w->variants++;
    else
        variant.number = 0;
    return variant;
malformed:
    pajewrite__refuse(w, PAJEWRITE_E_VARIANT);
    return variant;
}

PAJEWRITE_API void pajewrite_announce(pajewrite *w, const pajewrite_definition *table, size_t entries)
{
    const pajewrite_definition *entry;
    pajewrite_header(w);
    w->in_table = 1;
    for (entry = table; entry < table + entries; entry++) {
        pajewrite_event event = PAJEWRITE__ZERO;
        uint32_t number = PAJEWRITE__NUMBER_OF(entry->what / 2u), line = PAJEWRITE__LINE_OF(entry->what / 2u);
        uint32_t before = number == PAJEWRITE_CREATE_CONTAINER ? 2 : 0, aliases[4] = {0, 0, 0, 0}, i;
        const char *end = entry->text;
        while (*end)
            end++;
        for (i = before; i < 5 && i < before + 4; i++)
            aliases[i - before] = entry->numbers[i] / 2u;
        if (line == PAJEWRITE__VARIANT_LINE) {
            pajewrite__definition(w, (pajewrite_kind)aliases[0], number, entry->text, (size_t)(end - entry->text));
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
        pajewrite_write(w, &event, NULL);
    }
    w->in_table = 0;
}
#endif

PAJEWRITE_API pajewrite_fields pajewrite_fields_of(pajewrite_variant variant)
{
    pajewrite_fields fields;
    fields.variant = variant;
    fields.count = fields.size = fields.unfit = fields.number = 0;
    return fields;
}

#if !PAJEWRITE_RING || PAJEWRITE_FIELDS_SIZE
#if PAJEWRITE_RING
/* The texts stand one behind the other, each ended by NUL. */
static void pajewrite__add_field(pajewrite_fields *fields, const char *text)
{
    fields->count++;
    do {
        if (fields->size == sizeof fields->text) {
            fields->count = UINT32_MAX / 2; /* too long */
            return;
        }
        fields->text[fields->size++] = *text;
    } while (*text++);
}
#else
/* The text is that of the line, with blanks and quotes. */
static void pajewrite__add_field(pajewrite_fields *fields, const char *text)
{
    pajewrite__text scanned = pajewrite__scan(text);
    size_t size = scanned.size + (scanned.quoted ? 3 : 1);
    fields->count++;
    fields->unfit |= (uint32_t)scanned.unfit;
    if (fields->size > sizeof fields->text || size > sizeof fields->text - fields->size) {
        fields->size = sizeof fields->text + 1;
        return;
    }
    fields->text[fields->size] = ' ';
    pajewrite__put_text(fields->text + fields->size + 1, &scanned);
    fields->size += (uint32_t)size;
}
#endif

PAJEWRITE_API void pajewrite_field_int(pajewrite_fields *fields, int64_t number)
{
    char text[24], *p = text;
#if PAJEWRITE_RING
    p = pajewrite__long(text + 23, PAJEWRITE__HALVES(number), 1);
    text[23] = 0;
#else
    *pajewrite__i64(text, number) = 0;
#endif
    pajewrite__add_field(fields, p);
}

#if PAJEWRITE_DOUBLE
PAJEWRITE_API void pajewrite_field_double(pajewrite_fields *fields, double number)
{
    char text[32];
    fields->number |= !pajewrite__finite(number);
    *pajewrite__double(text, fields->number ? 0 : number) = 0;
    pajewrite__add_field(fields, text);
}
#endif

PAJEWRITE_API void pajewrite_field_hex(pajewrite_fields *fields, uint64_t number)
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

PAJEWRITE_API void pajewrite_field_string(pajewrite_fields *fields, const char *text)
{
    pajewrite__add_field(fields, text ? text : "");
}
#endif

/* ------------------------------------------------------------------------------------------------
 * The context
 * --------------------------------------------------------------------------------------------- */

PAJEWRITE_API uint32_t pajewrite_version(void) { return PAJEWRITE_VERSION; }

PAJEWRITE_API pajewrite_status pajewrite_get_status(const pajewrite *w) { return (pajewrite_status)w->status; }

#ifndef __AVR__ /* where the texts would be in RAM */
PAJEWRITE_API const char *pajewrite_status_text(pajewrite_status status)
{
    static const char *const texts[] = {
        "no problem",
#define PAJEWRITE__X(code, text) text,
        PAJEWRITE_PROBLEMS(PAJEWRITE__X)
#undef PAJEWRITE__X
    };
    return (uint32_t)status < PAJEWRITE__STATUS_COUNT ? texts[status] : "unknown problem";
}
#endif

PAJEWRITE_API void pajewrite_enable(pajewrite *w, uint32_t categories) { w->enabled |= categories; }

PAJEWRITE_API void pajewrite_disable(pajewrite *w, uint32_t categories) { w->enabled &= ~categories; }

#if !PAJEWRITE_RING
#if PAJEWRITE_POSIX
#define PAJEWRITE__CLOCK pajewrite_monotonic
#else
#define PAJEWRITE__CLOCK pajewrite__no_clock /* unreached: only without POSIX */
static uint64_t pajewrite__no_clock(void *data)
{
    (void)data;
    return 0;
}
#endif

PAJEWRITE_API pajewrite_status pajewrite_init(pajewrite *w, void *buffer, size_t size, const pajewrite_config *config)
{
    static const pajewrite_config defaults = PAJEWRITE_CONFIG;
    uint32_t i;
    memset(w, 0, sizeof *w);
    memset(w->prefix, '0', sizeof w->prefix);
    w->config = config ? *config : defaults;
    w->clock = w->config.clock ? w->config.clock : PAJEWRITE__CLOCK;
    w->clock_data = w->config.clock_data;
    w->enabled = ~w->config.enabled_not;
    w->config.alias_first += !w->config.alias_first;
    w->config.alias_step += !w->config.alias_step;
    for (i = 0; i < 3; i++)
        w->alias_next[i] = w->config.alias_first;
    w->decimals = !w->config.decimals ? 9 : w->config.decimals == PAJEWRITE_SECONDS ? 0 : w->config.decimals;
    w->per_second = w->scale = 1;
    for (i = 0; i < w->decimals && i < 9; i++)
        w->per_second *= 10;
    for (; i < 9; i++)
        w->scale *= 10;
    w->tracked = PAJEWRITE_TABLE && w->config.table != NULL;
    if (w->tracked && w->config.table_entries >= 16 && w->config.table_entries <= UINT32_MAX)
        memset(w->config.table, 0, w->config.table_entries * sizeof *w->config.table);
    else if (w->tracked)
        w->decimals = 10; /* too small: refused below, like too many decimals */
    if (w->decimals > 9 || w->config.origin > UINT64_MAX - w->per_second ||
        (!w->config.room && (!buffer || size < PAJEWRITE_BUFFER_MIN)) ||
        (w->config.full == PAJEWRITE_OVERWRITE && !pajewrite__flight_fits(w, size))) {
        w->decimals = w->tracked = 0;
        pajewrite__fail(w, PAJEWRITE_E_MISUSE);
        return w->status;
    }
    w->buffer = (char *)buffer;
    w->size = size;
    if (w->config.full == PAJEWRITE_OVERWRITE) {
        pajewrite__flight_begin(w);
    } else if (w->config.room) {
        w->buffer = NULL;
        pajewrite__next_buffer(w, PAJEWRITE_BUFFER_MIN);
    } else {
        pajewrite__set_next(w, w->buffer);
        pajewrite__set_limit(w);
    }
    pajewrite__new_second(w, w->config.origin);
    return w->status;
}

PAJEWRITE_API pajewrite_status pajewrite_flush(pajewrite *w)
{
    pajewrite__deliver(w);
    if (w->gap && !w->fatal && !w->flight && pajewrite__free(w) >= PAJEWRITE__GAP_SIZE)
        pajewrite__tell_gap(w);
#if PAJEWRITE_TABLE
    if (w->tracked && w->config.full == PAJEWRITE_DROP)
        pajewrite__settle(w);
#endif
    pajewrite__deliver(w);
    return w->status;
}

PAJEWRITE_API pajewrite_status pajewrite_finish(pajewrite *w)
{
    pajewrite_flush(w);
#if PAJEWRITE_TABLE
    if (w->tracked && !w->fatal) {
        if (!w->flight)
            w->config.full = PAJEWRITE_FLUSH;
        pajewrite__close(w);
        pajewrite__deliver(w);
    }
    if (w->flight) /* all of its memory is the trace */
        pajewrite__flight_end(w);
#endif
    if (w->config.room)
        pajewrite__next_buffer(w, 0);
    w->config.room = NULL;
    if (!w->fatal) {
        pajewrite_status status = w->status;
        pajewrite__fail(w, PAJEWRITE_E_CLOSED);
        w->status = status;
    }
    return w->status;
}

PAJEWRITE_API pajewrite_counts pajewrite_count(const pajewrite *w)
{
    pajewrite_counts counts;
    counts.written = w->records;
    counts.dropped = w->dropped;
    counts.refused = w->refused;
    return counts;
}

PAJEWRITE_API uint64_t pajewrite_now(const pajewrite *w) { return w->clock(w->clock_data); }

static uint32_t pajewrite__new_alias(pajewrite *w, int which, uint32_t max)
{
    uint32_t alias = w->alias_next[which];
    if (!alias || alias > max) {
        pajewrite__refuse(w, PAJEWRITE_E_ALIASES);
        return 0;
    }
    w->alias_next[which] = w->config.alias_step > max - alias ? 0 : alias + w->config.alias_step;
    return alias;
}

PAJEWRITE_API pajewrite_type pajewrite_new_type_in(pajewrite *w, uint32_t category)
{
    return PAJEWRITE_TYPE_IN(category, pajewrite__new_alias(w, 0, PAJEWRITE_TYPE_MAX));
}

PAJEWRITE_API pajewrite_type pajewrite_new_type(pajewrite *w) { return pajewrite_new_type_in(w, 0); }

PAJEWRITE_API pajewrite_container pajewrite_new_container(pajewrite *w)
{
    return PAJEWRITE_CONTAINER(pajewrite__new_alias(w, 1, UINT32_MAX));
}

PAJEWRITE_API pajewrite_value pajewrite_new_value(pajewrite *w)
{
    return PAJEWRITE_VALUE(pajewrite__new_alias(w, 2, UINT32_MAX));
}
#endif

/* ------------------------------------------------------------------------------------------------
 * Ready clocks and sinks
 * --------------------------------------------------------------------------------------------- */

#if PAJEWRITE_STDIO
#include <stdio.h>

PAJEWRITE_API pajewrite_status pajewrite_to_stream(void *stream, const char *bytes, size_t size)
{
    FILE *file = (FILE *)stream;
    return fwrite(bytes, 1, size, file) == size && !fflush(file) ? PAJEWRITE_OK : PAJEWRITE_E_SINK;
}
#endif

#if PAJEWRITE_POSIX
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

PAJEWRITE_API uint64_t pajewrite_monotonic(void *data)
{
    struct timespec now;
    (void)data;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

PAJEWRITE_API pajewrite_status pajewrite_file_init(pajewrite_file *file, int descriptor)
{
    memset(file, 0, sizeof *file);
    file->descriptor = descriptor;
    file->process = (long)getpid();
    pthread_mutex_init(&file->lock, NULL);
    return descriptor < 0 ? PAJEWRITE_E_SINK : PAJEWRITE_OK;
}

/* Cuts off the beginning of a line, from `start` on, of which no more could be written than up to `end`. */
static void pajewrite__cut_line(int descriptor, const char *start, const char *end)
{
    off_t at = lseek(descriptor, 0, SEEK_CUR), torn = 0;
    for (; end > start && end[-1] != '\n'; end--)
        torn++;
    if (torn && at >= torn && lseek(descriptor, 0, SEEK_END) == at && ftruncate(descriptor, at - torn) == 0)
        lseek(descriptor, at - torn, SEEK_SET);
}

PAJEWRITE_API pajewrite_status pajewrite_to_file(void *data, const char *bytes, size_t size)
{
    pajewrite_file *file = (pajewrite_file *)data;
    const char *start = bytes;
    pajewrite_status status = PAJEWRITE_OK;
    if (file->process != (long)getpid())
        return PAJEWRITE_E_FORKED;
    pthread_mutex_lock(&file->lock);
    while (size && !file->failed) {
        ssize_t taken = write(file->descriptor, bytes, size);
        if (taken > 0) {
            bytes += taken;
            size -= (size_t)taken;
        } else if (taken == 0 || errno != EINTR) {
            file->failed = 1;
            pajewrite__cut_line(file->descriptor, start, bytes);
        }
    }
    if (file->failed)
        status = PAJEWRITE_E_SINK;
    pthread_mutex_unlock(&file->lock);
    return status;
}

/* Maps that are open, for the child after a fork. */
static pajewrite_map *pajewrite__maps;
static pthread_mutex_t pajewrite__maps_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t pajewrite__maps_once = PTHREAD_ONCE_INIT;

static void pajewrite__before_fork(void) { pthread_mutex_lock(&pajewrite__maps_lock); }
static void pajewrite__after_fork(void) { pthread_mutex_unlock(&pajewrite__maps_lock); }

/* The child writes into copies of its own, which nobody sees. */
static void pajewrite__in_child(void)
{
    const pajewrite_map *map;
    for (map = pajewrite__maps; map; map = map->next)
        if (map->window)
            mmap(map->window, map->window_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, map->descriptor,
                 (off_t)map->base);
    pajewrite__after_fork();
}

static void pajewrite__watch_forks(void)
{
    pthread_atfork(pajewrite__before_fork, pajewrite__after_fork, pajewrite__in_child);
}

PAJEWRITE_API pajewrite_status pajewrite_map_open(pajewrite_map *map, const char *path, size_t step)
{
    memset(map, 0, sizeof *map);
    map->page = (size_t)sysconf(_SC_PAGESIZE);
    map->step = ((step ? step : (size_t)1 << 20) + map->page - 1) / map->page * map->page;
    map->process = (long)getpid();
    map->descriptor = open(path, O_RDWR | O_CREAT | O_TRUNC, 0666);
    if (map->descriptor < 0)
        return PAJEWRITE_E_SINK;
    pthread_once(&pajewrite__maps_once, pajewrite__watch_forks);
    pthread_mutex_lock(&pajewrite__maps_lock);
    map->next = pajewrite__maps;
    pajewrite__maps = map;
    pthread_mutex_unlock(&pajewrite__maps_lock);
    return PAJEWRITE_OK;
}

/* Makes the file so long, by newlines: never a NUL byte is in it.  Answers 0 if the disk is full. */
static int pajewrite__map_extend(pajewrite_map *map, uint64_t size)
{
    char newlines[16384];
    memset(newlines, '\n', sizeof newlines);
    while (map->filled < size) {
        size_t piece = size - map->filled < sizeof newlines ? (size_t)(size - map->filled) : sizeof newlines;
        ssize_t taken = pwrite(map->descriptor, newlines, piece, (off_t)map->filled);
        if (taken > 0)
            map->filled += (uint64_t)taken;
        else if (taken == 0 || errno != EINTR)
            return 0;
    }
    return 1;
}

static int pajewrite__map_close(pajewrite_map *map)
{
    pajewrite_map **link;
    int done = 1;
    pthread_mutex_lock(&pajewrite__maps_lock);
    for (link = &pajewrite__maps; *link && *link != map; link = &(*link)->next)
        ;
    if (*link)
        *link = map->next;
    pthread_mutex_unlock(&pajewrite__maps_lock);
    if (map->window)
        munmap(map->window, map->window_size);
    map->window = NULL;
    if (map->process == (long)getpid())
        done = ftruncate(map->descriptor, (off_t)map->position) == 0;
    done &= close(map->descriptor) == 0;
    return done;
}

PAJEWRITE_API char *pajewrite_map_room(void *data, size_t used, size_t needed, size_t *size)
{
    pajewrite_map *map = (pajewrite_map *)data;
    int is_child = map->process != (long)getpid();
    size_t before;
    void *window;
    *size = is_child ? PAJEWRITE_E_FORKED : PAJEWRITE_E_SINK;
    map->position += used;
    if (!needed) {
        if (pajewrite__map_close(map) && !is_child)
            *size = 0;
        return NULL;
    }
    if (is_child || map->descriptor < 0)
        return NULL;
    before = (size_t)(map->position % map->page);
    needed = (before + needed + map->step - 1) / map->step * map->step;
    if (!pajewrite__map_extend(map, map->position - before + needed))
        return NULL;
    window = mmap(NULL, needed, PROT_READ | PROT_WRITE, MAP_SHARED, map->descriptor, (off_t)(map->position - before));
    if (window == MAP_FAILED) /* unreached: only when no address is free */
        return NULL;
    pthread_mutex_lock(&pajewrite__maps_lock);
    if (map->window)
        munmap(map->window, map->window_size);
    map->window = (char *)window;
    map->window_size = needed;
    map->base = map->position - before;
    pthread_mutex_unlock(&pajewrite__maps_lock);
    *size = needed - before;
    return map->window + before;
}
#endif

#ifdef PAJEWRITE_TSC
/* Both clocks at one moment: the counter in the middle of the call, of the shortest of some calls. */
static uint64_t pajewrite__tsc_compare(uint64_t *truth)
{
    uint64_t shortest = UINT64_MAX, ticks = 0;
    int i;
    *truth = 0;
    for (i = 0; i < 5; i++) {
        uint64_t before = __builtin_ia32_rdtsc(), now = pajewrite_monotonic(NULL), after = __builtin_ia32_rdtsc();
        if (after - before < shortest) {
            shortest = after - before;
            ticks = before + shortest / 2;
            *truth = now;
        }
    }
    return ticks;
}

static uint64_t pajewrite__tsc_rate(uint64_t time, uint64_t ticks)
{
    for (; time >> 32; time >>= 1)
        ticks >>= 1;
    return (time << 32) / (ticks + !ticks);
}

PAJEWRITE_API void pajewrite_tsc_init(pajewrite_tsc *clock)
{
    uint64_t ticks, truth;
    clock->ticks = pajewrite__tsc_compare(&clock->truth);
    do
        ticks = pajewrite__tsc_compare(&truth);
    while (truth - clock->truth < 10000000);
    clock->rate = pajewrite__tsc_rate(truth - clock->truth, ticks - clock->ticks);
    clock->interval = (ticks - clock->ticks) * 50;
    clock->ticks = ticks;
    clock->time = clock->truth = truth;
}

PAJEWRITE__COLD uint64_t pajewrite__tsc_correct(pajewrite_tsc *clock)
{
    uint64_t truth, ticks = pajewrite__tsc_compare(&truth), passed = ticks - clock->ticks, said, error;
    if (passed >> 63) /* another core's counter, behind: what was said stays */
        return clock->time;
    said = clock->time + (uint64_t)((passed >> 32) * clock->rate + ((passed & 0xffffffffu) * clock->rate >> 32));
    clock->rate = pajewrite__tsc_rate(truth - clock->truth, passed);
    clock->truth = truth;
    clock->ticks = ticks;
    clock->time = said;
    if (said < truth && truth - said > 1000000) {
        clock->time = truth; /* after a sleep of the machine, or of the context */
    } else if (said < truth) {
        clock->rate += pajewrite__tsc_rate(truth - said, clock->interval);
    } else {
        error = pajewrite__tsc_rate(said - truth, clock->interval);
        clock->rate -= error < clock->rate / 2 ? error : clock->rate / 2;
    }
    return clock->time;
}

PAJEWRITE_API uint64_t pajewrite_tsc_now(void *data)
{
    pajewrite_tsc *clock = (pajewrite_tsc *)data;
    uint64_t passed = __builtin_ia32_rdtsc() - clock->ticks;
    if (PAJEWRITE__UNLIKELY(passed > clock->interval))
        return pajewrite__tsc_correct(clock);
    return clock->time + (passed * clock->rate >> 32);
}
#endif

#ifdef __cplusplus
}
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
