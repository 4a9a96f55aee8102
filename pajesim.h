/* pajesim.h: made by src/amalgamate.sh from src/pajesim/; do not edit. */

/* The parts of pajesim.h.  src/amalgamate.sh pastes them into one file; this file may be included in its place, so that
 * errors and debuggers point at the parts. */

#ifndef PAJESIM_H
#define PAJESIM_H

/* ---------------- src/pajesim/api/manual.h */

/* pajesim.h: reads and simulates Pajé traces.
 *
 * Version 0.2.0.  C99, also C++11.  MIT licence: see the end.
 *
 * A push parser: you give it bytes, in pieces of any size, and it calls back as soon as something is known: a type, a
 * container, a state that was pushed, an entity that is complete.  It allocates nothing, opens nothing and depends only
 * on memcpy, memmove, memset and memcmp: all that it knows is in one block of memory that you provide.
 *
 *
 * Using it
 * --------
 * Copy this file into your source tree.  Include it wherever it is used, and in exactly one C or C++ file write
 *
 *     #define PAJESIM_IMPLEMENTATION
 *     #include "pajesim.h"
 *
 * A complete program, which prints every state as it closes:
 *
 *     #include <stdio.h>
 *     #define PAJESIM_IMPLEMENTATION
 *     #include "pajesim.h"
 *
 *     static int closed(pajesim *sim, const pajesim_entity *e)
 *     {
 *         pajesim_text who = pajesim_name(sim, e->container);
 *         if (e->kind == PAJESIM_STATE)
 *             printf("%.*s %.*s %f %f\n", (int)who.size, who.bytes, (int)e->value_name.size, e->value_name.bytes,
 *                    e->start, e->end);
 *         return PAJESIM_GO_ON;
 *     }
 *
 *     int main(void)
 *     {
 *         static uint64_t arena[1 << 17];
 *         static char piece[1 << 16];
 *         static pajesim_callbacks callbacks;
 *         pajesim sim;
 *         size_t size, taken;
 *         callbacks.closed = closed;
 *         pajesim_init(&sim, arena, sizeof arena, NULL, &callbacks, NULL);
 *         while ((size = fread(piece, 1, sizeof piece, stdin)) > 0)
 *             if (pajesim_feed(&sim, piece, size, &taken) != PAJESIM_OK)
 *                 return 1;
 *         return pajesim_finish(&sim) != PAJESIM_OK;
 *     }
 *
 *
 * What pajesim_feed returns, and what to do then
 * ----------------------------------------------
 * It consumes bytes up to where the caller has to do something, and stores in `taken` how many.  Feed the rest again:
 *
 *     while (size > 0) {
 *         status = pajesim_feed(&sim, bytes, size, &taken);
 *         bytes += taken;
 *         size -= taken;
 *         if (status == PAJESIM_FULL) {           the arena is too small for the next line, which had no effect:
 *             grow to pajesim_capacity_needed(&sim) bytes or more, pajesim_move(&sim, wider, capacity), go on
 *         } else if (status == PAJESIM_OPEN) {    the line names another file of the trace:
 *             feed the bytes of pajesim_file(&sim), call pajesim_end_file(&sim), go on
 *         } else if (status == PAJESIM_PAUSED) {  a callback asked for it: go on when you like
 *         } else if (status == PAJESIM_STOPPED) { a callback asked for it: only pajesim_finish is left
 *         }
 *     }
 *
 * Bad lines do not stop it.  Each line either takes effect as a whole or not at all; what is wrong is reported to the
 * `problem` callback, counted, and pajesim_finish returns PAJESIM_INVALID where there were errors.
 *
 *
 * Strict and lenient
 * ------------------
 * Strict mode refuses what the specification of the format and pj_dump refuse.  Lenient mode, the default, accepts what
 * tracers write in practice, such as old field names, single quotes, times out of order and values defined twice, and
 * repairs what has one obvious meaning.  The table PAJESIM_PROBLEMS below is the whole policy: what is an error and
 * what is a warning in each mode.  "Section" refers to the format's description: 1 lexical rules, 2 header, 3 events,
 * 4 identity, 5 semantics.
 *
 *
 * Memory
 * ------
 * The arena holds only what is alive: the memory of what is destroyed, popped or matched is freed.  References within
 * it are offsets, so that it may be copied to another place or into a file (pajesim_move, pajesim_save).  On a 64-bit
 * machine, and much the same on others:
 *
 *     pajesim_arena_min                         1.9 KB with the default options
 *     an event definition                       96 bytes, and 16 for its fields; those of a usual header: 2.3 KB
 *     a type; a value                           96 bytes; 64 bytes
 *     a container                               128 bytes, and 32 for each type of entity that it may have, of the
 *                                               first 28; 64 for each other type once it has had one
 *     an open state                             16 bytes in a stack that doubles, from 2, as it grows
 *     a link of which one end is known          96 bytes
 *     an identifier longer than 16 bytes, a name that differs from its identifier, a colour, the user fields of
 *     an open entity                            what their text takes, and 4 to 8 bytes
 *     an entry of a table                       32 to 64 bytes for each type, value, container, pending link, 21 to 43
 *                                               where there are more than 32,768
 *     strict mode, never freed                  3 bytes for each container and each link, if their identifiers and keys
 *                                               count up, else 13
 *
 * With thousands of containers, an arena in large pages (on Linux, madvise with MADV_HUGEPAGE) saves a tenth of the
 * time.
 *
 * Sizes are rounded up to 16, 32, 48, 64, 96, 128, 192, 256 bytes and so on.  Beside the arena, struct pajesim has 8 KB
 * (see PAJESIM_CACHE).  pajesim_feed, pajesim_init, pajesim_arena_min and windows take at most 12 KB of stack, all
 * other calls at most 3 KB.  Nothing recurses.
 *
 *
 * On a microcontroller
 * --------------------
 *     #define PAJESIM_SMALL 1
 *
 * makes times integers, in nanoseconds, values integers, in millionths, and references 16 bits wide, and leaves out
 * what a board seldom needs: see the options.  A trace of 4 containers, 2 state types and 8 values, behind a header
 * that defines every event, is replayed in an arena of 3.5 KB:
 *
 *     pajesim_arena_min                         0.9 KB with the default options
 *     an event definition                       64 bytes
 *     a type; a value                           56 bytes; 40 bytes; 8 or more for a name that is not the identifier
 *     a container                               80 bytes, and 32 for each type of entity that it may have
 *     an open state                             16 bytes in a stack that doubles, from 2, as it grows
 *     a link of which one end is known          56 bytes
 *
 * Code and constants of a program that replays, including the functions of libgcc that they need, but not memcpy and
 * the like; and the stack of the deepest path of calls, without callbacks (gcc 12 -Os):
 *
 *                      Cortex-M3    Cortex-M0    RV32IMAC
 *     code             12.3 KB      13.3 KB      14.5 KB
 *     stack            0.8 KB       0.9 KB       0.8 KB
 *     struct pajesim   192 bytes    192 bytes    192 bytes
 *
 * No access is misaligned, nothing depends on the byte order, and int may have 16 bits.  For a line longer than 128
 * bytes (pajesim_options.line_capacity), memory is allocated from the arena.
 *
 *
 * For users of Aiyra
 * ------------------
 * The entry points of a plugin, and the callbacks that correspond to them:
 *
 *     newType               new_type               setState     state_set        startLink        link_started
 *     newValue              new_value              pushState    state_pushed     endLink          link_ended
 *     newCreatedContainer   container_created      popState     state_popped     newCompleteLink  link_completed
 *     destroyedContainer    container_destroyed    resetState   state_reset      newEvent         event
 *     finish                finished               setVar       variable_set     updateVar        variable_updated
 *
 * An entity that is not complete has `open` set, where Aiyra has an end of -1.  What a plugin of Aiyra collects from
 * destroyedContainer, popState, newCompleteLink and newEvent arrives in one callback here: `closed`, once for each
 * entity.
 *
 *
 * Travel in time
 * --------------
 * An image (pajesim_save) is the simulation between two pieces of the trace; when restored, in any process, it goes on
 * as if it had never stopped.  An index (pajesim_index_begin) stores checkpoints while a trace is replayed, as many as
 * fit into its block: images, and when the entities that were open at them close.  With an index, a simulation can
 * begin at any checkpoint (pajesim_index_restore), and a window (pajesim_window_show) shows all that overlaps a range
 * of time, with its true start and end, and reads no more of the trace than lies between two checkpoints.  A window
 * stores what it has shown, so that it can be moved, widened and narrowed.  The trace need not be sorted by time.
 *
 * An index has a digest of the trace up to each checkpoint.  What is read again is compared with it at the next
 * checkpoint (PAJESIM_STALE): entities that closed before that were shown already.  What is not read is not compared,
 * and the ends that the index knows are those of the trace as it was: keep its size and date in pajesim_index_label.
 *
 *
 * Programs that run
 * -----------------
 * A tool that watches programs has a simulation for each stream, and feeds it what poll() and read() bring.  Many
 * streams: build with PAJESIM_CACHE 16 (a struct pajesim of 0.9 KB) and PAJESIM_TRAVEL 0; a stream with some tens of
 * containers takes an arena of 8 KB.
 *
 * Sums of times and values that are doubles depend on the order of the events, and so on the streams that happen to
 * come first.  With PAJESIM_TIME_DECIMALS 9 and PAJESIM_VALUE_DECIMALS 6 they are integers, and exact in any order:
 * parts of them may be summed elsewhere.  User fields are read as such numbers by pajesim_user_field_fixed.
 *
 * A program can watch itself, without a server: the sink of its pajewrite context calls pajesim_feed, and callbacks
 * find what has been written at the next pajewrite_flush.
 *
 *
 * As a parser only
 * ----------------
 * With pajesim_options.parse_only, lines are decoded (callbacks `definition`, `line`, `problem`) and nothing is
 * simulated: for programs that interpret a trace in their own way, and to measure the parser. */

/* ---------------- src/pajesim/api/config.h */

/* The options of pajesim.h. */

/* ================================================================================================
 * Options: define any of them before the header is included.  Every one has a default.
 * ============================================================================================= */

/* What the public functions are declared as: `static` makes the whole of it private to one file.  A shared library that
 * has a copy of the implementation of its own best keeps it to itself: by -fvisibility=hidden, or
 * __attribute__((visibility("hidden"))) extern here.  Else a dynamic linker takes the functions of the first library
 * for all; where options differ, no simulation of the others begins (PAJESIM_MISUSE). */
#ifndef PAJESIM_API
#define PAJESIM_API extern
#endif

/* 1 is for machines with little memory: it changes the defaults of the options below as they say, leaves it to the
 * compiler what to inline, and takes every line by way of the arena.  What a program that replays needs of this header,
 * and of libgcc, is 12 KB then on a Cortex-M3 (gcc -Os), in place of 38; see "On a microcontroller" above.  The prices
 * below are bytes there, each beside the small rest. */
#ifndef PAJESIM_SMALL
#define PAJESIM_SMALL 0
#endif

/* What a time is (pajesim_time): a double, or an integer of 64 bits, of so many decimals: 9 are nanoseconds, for a
 * trace in seconds.  Text with more decimals is rounded to the nearest, halves away from zero; a time that 64 bits do
 * not hold is refused (PAJESIM_E_TIME).  From 0 to 18.  Small: 9. */
#define PAJESIM_DOUBLE (-1)
#ifndef PAJESIM_TIME_DECIMALS
#if PAJESIM_SMALL
#define PAJESIM_TIME_DECIMALS 9
#else
#define PAJESIM_TIME_DECIMALS PAJESIM_DOUBLE
#endif
#endif

/* As PAJESIM_TIME_DECIMALS, for the values of variables (pajesim_quantity); what a sum or a value cannot hold is
 * refused too (PAJESIM_E_NUMBER).  With neither as a double there is no floating point at all, which saves 5600
 * bytes.  Small: 6. */
#ifndef PAJESIM_VALUE_DECIMALS
#if PAJESIM_SMALL
#define PAJESIM_VALUE_DECIMALS 6
#else
#define PAJESIM_VALUE_DECIMALS PAJESIM_DOUBLE
#endif
#endif

/* Bits of a reference.  With 16 at most 512 KiB of an arena are used, counters have 32 bits, a line at most 65535
 * bytes, identifiers of 8 bytes or fewer are kept in place in place of 16, and they are found by way of 16 lists a
 * table, which suits some hundreds of them.  A small trace takes little more than half of the memory.  Small: 16. */
#ifndef PAJESIM_REFERENCE
#define PAJESIM_REFERENCE (PAJESIM_SMALL ? 16 : 32)
#endif

/* 0 leaves out the strict mode and the parser-only one (pajesim_options.strict and .parse_only are PAJESIM_MISUSE
 * then), and when lenient the warnings TYPE_ANCESTOR, COLOR, ALIAS_NULL, CONTAINER_TYPE, CONTAINER_NOT_TYPE,
 * DESTROY_ORDER, DESTROY_INNER, LINK_ENDPOINT_TYPE, LINK_VALUE and LINK_BACKWARD, which say that something is odd and
 * change nothing. It saves 2200 bytes.  Small: 0. */
#ifndef PAJESIM_CHECKS
#define PAJESIM_CHECKS (!PAJESIM_SMALL)
#endif

/* 0 leaves out files within traces: a line that names one is refused (PAJESIM_E_FILE_DEPTH).  It saves 700 bytes.
 * Small: 0. */
#ifndef PAJESIM_FILES
#define PAJESIM_FILES (!PAJESIM_SMALL)
#endif

/* 0 leaves out user fields, colours and the names of events that are not of the format: they are skipped, entities have
 * none.  It saves 1400 bytes.  Small: 0. */
#ifndef PAJESIM_FIELDS
#define PAJESIM_FIELDS (!PAJESIM_SMALL)
#endif

/* 0 leaves out what only some traces need: a byte order mark, the names that fields had in older versions of the
 * format, the root written as /, containers called 0 beside it, PajeDestroyContainer without Name, and late links to
 * containers that are destroyed; nothing of the past is remembered (pajesim_options.remembered). It saves 1200 bytes.
 * Small: 0. */
#ifndef PAJESIM_REPAIRS
#define PAJESIM_REPAIRS (!PAJESIM_SMALL)
#endif

/* 0 leaves out the texts of problems; they have codes, and 16 of the offending bytes in place of 64.  It saves 3100
 * bytes. Small: 0. */
#ifndef PAJESIM_TEXTS
#define PAJESIM_TEXTS (!PAJESIM_SMALL)
#endif

/* 0 leaves out travel in time: indexes, windows, and images without zeros.  It saves 19 KB of code (x86-64, -Os); a
 * line takes 0.3 % more instructions with it.  Small: always 0. */
#ifndef PAJESIM_TRAVEL
#define PAJESIM_TRAVEL (!PAJESIM_SMALL && PAJESIM_REFERENCE == 32 && PAJESIM_FIELDS)
#endif
#if PAJESIM_TRAVEL && (PAJESIM_SMALL || PAJESIM_REFERENCE != 32 || !PAJESIM_FIELDS)
#error "PAJESIM_TRAVEL needs references of 32 bits, and PAJESIM_FIELDS; with PAJESIM_SMALL it is 0"
#endif

/* The most words of one line that are kept; what stands beyond is reported and ignored.  Each costs
 * 16 bytes of stack, 8 with references of 16 bits.  pj_dump reads 20.  At most 255.  Small: 16. */
#ifndef PAJESIM_WORDS
#define PAJESIM_WORDS (PAJESIM_SMALL ? 16 : 32)
#endif

/* Recently used definitions, types and values, outside of the arena: 32 bytes each in struct pajesim.  A power of 2;
 * 0: none. With 256, a line of a trace with a thousand containers takes about a tenth less time than without.
 * Small: 0. */
#ifndef PAJESIM_CACHE
#if PAJESIM_SMALL
#define PAJESIM_CACHE 0
#else
#define PAJESIM_CACHE 256
#endif
#endif

/* 1 uses SSE2, NEON (64-bit ARM, little-endian) or SIMD128 (WebAssembly) where the compiler offers it; 2 also AVX2 and
 * AVX-512 where the machine has them; 0 is plain C throughout.  Results are the same; with 0 a line takes twice the
 * time.  Small: 0. */
#ifndef PAJESIM_SIMD
#define PAJESIM_SIMD (PAJESIM_SMALL ? 0 : 2)
#endif

/* 1 looks for the words of 1 KiB at once (with SSE2, NEON or better), 0 leaves every line to the lexer of re2c.
 * Results are the same: the tests hold the two equal.  It saves a quarter of the time of a line. */
#ifndef PAJESIM_FAST
#define PAJESIM_FAST 1
#endif

/* ---------------- src/pajesim/api/guard.h */

/* Options that change a struct are part of the names of functions, so that files with different ones do not link: the
 * linker's message says which options the file at hand was compiled with. */

/* Each option as a token that can be pasted. */
#if PAJESIM_REFERENCE == 16
#define PAJESIM__REFERENCE_TOKEN 16
#else
#define PAJESIM__REFERENCE_TOKEN 32
#endif
#if PAJESIM_TIME_DECIMALS < 0
#define PAJESIM__TIME_TOKEN double
#else
#define PAJESIM__TIME_TOKEN PAJESIM_TIME_DECIMALS
#endif
#if PAJESIM_VALUE_DECIMALS < 0
#define PAJESIM__VALUE_TOKEN double
#else
#define PAJESIM__VALUE_TOKEN PAJESIM_VALUE_DECIMALS
#endif
#if PAJESIM_TRAVEL
#define PAJESIM__TRAVEL_TOKEN 1
#else
#define PAJESIM__TRAVEL_TOKEN 0
#endif
#if PAJESIM_SIMD > 1
#define PAJESIM__SIMD_TOKEN 2
#elif PAJESIM_SIMD
#define PAJESIM__SIMD_TOKEN 1
#else
#define PAJESIM__SIMD_TOKEN 0
#endif

#define PAJESIM__PASTE(name, reference, time, value, travel, simd, cache) \
    name##__reference_##reference##_time_decimals_##time##_value_decimals_##value##_travel_##travel##_simd_##simd \
        ##_cache_##cache
#define PAJESIM__PASTE_VALUES(name, reference, time, value, travel, simd, cache) \
    PAJESIM__PASTE(name, reference, time, value, travel, simd, cache)
#define PAJESIM__GUARDED(name) \
    PAJESIM__PASTE_VALUES(name, PAJESIM__REFERENCE_TOKEN, PAJESIM__TIME_TOKEN, PAJESIM__VALUE_TOKEN, \
                          PAJESIM__TRAVEL_TOKEN, PAJESIM__SIMD_TOKEN, PAJESIM_CACHE)

/* The functions by which a simulation or a window begins. */
#define pajesim_init PAJESIM__GUARDED(pajesim_init)
#define pajesim_restore PAJESIM__GUARDED(pajesim_restore)
#if PAJESIM_TRAVEL
#define pajesim_index_restore PAJESIM__GUARDED(pajesim_index_restore)
#define pajesim_index_resume PAJESIM__GUARDED(pajesim_index_resume)
#define pajesim_window_init PAJESIM__GUARDED(pajesim_window_init)
#endif

/* ---------------- src/pajesim/api/types.h */

/* Plain types of the reader: texts, references, times, kinds, and what functions return. */

#include <stddef.h>
#include <stdint.h>

#define PAJESIM_VERSION_MAJOR 0
#define PAJESIM_VERSION_MINOR 2
#define PAJESIM_VERSION_PATCH 0
#define PAJESIM_VERSION \
    (PAJESIM_VERSION_MAJOR * UINT32_C(0x10000) + PAJESIM_VERSION_MINOR * 0x100 + PAJESIM_VERSION_PATCH)
#define PAJESIM_VERSION_TEXT "0.2.0"

/* ------------------------------------------------------------------------------------------------
 * Plain types
 * --------------------------------------------------------------------------------------------- */

/* Bytes of the trace: not terminated by NUL, in whatever encoding the trace has.  `bytes` is never NULL. */
typedef struct pajesim_text {
    const char *bytes;
    size_t size;
} pajesim_text;

/* Names a type, a container, a value or an event definition within one simulation; 0 names nothing.  It stays the
 * same when the arena moves or is restored elsewhere.  It is valid while what it names is alive, that is for a
 * container until the `container_destroyed` callback has returned, for a type to the end, for a value to the end if
 * a line of the trace defined it, else within the callback that showed it. */
#if PAJESIM_REFERENCE == 16
typedef uint16_t pajesim_ref;
typedef uint32_t pajesim_counter;
typedef uint32_t pajesim_user_word; /* see pajesim_user_data */
typedef uint16_t pajesim__length;   /* of a text or a list in a line or an arena */
typedef uint32_t pajesim__size;     /* bytes of an arena */
#elif PAJESIM_REFERENCE == 32
typedef uint32_t pajesim_ref;
typedef uint64_t pajesim_counter;
typedef uint64_t pajesim_user_word;
typedef uint32_t pajesim__length;
typedef uint64_t pajesim__size;
#else
#error "PAJESIM_REFERENCE is neither 16 nor 32"
#endif
#if PAJESIM_TIME_DECIMALS > 18 || PAJESIM_VALUE_DECIMALS > 18
#error "PAJESIM_TIME_DECIMALS and PAJESIM_VALUE_DECIMALS are 18 at most"
#endif

/* A time in the trace's own unit, which the format does not declare: seconds by convention, milliseconds in some.  An
 * integer counts units of 10^-PAJESIM_TIME_DECIMALS of that. */
#if PAJESIM_TIME_DECIMALS < 0
typedef double pajesim_time;
#else
typedef int64_t pajesim_time;
#endif

/* The value of a variable.  An integer counts units of 10^-PAJESIM_VALUE_DECIMALS. */
#if PAJESIM_VALUE_DECIMALS < 0
typedef double pajesim_quantity;
#else
typedef int64_t pajesim_quantity;
#endif

/* The kind of an entity, and of a type. */
typedef enum pajesim_kind {
    PAJESIM_CONTAINER = 1,
    PAJESIM_STATE,
    PAJESIM_EVENT,
    PAJESIM_VARIABLE,
    PAJESIM_LINK
} pajesim_kind;

/* What pajesim_feed, pajesim_finish and others return. */
typedef enum pajesim_status {
    PAJESIM_OK = 0,
    PAJESIM_PAUSED,  /* a callback returned PAJESIM_PAUSE: feed the rest to go on */
    PAJESIM_STOPPED, /* a callback returned PAJESIM_STOP: no further line is taken; pajesim_finish still closes */
    PAJESIM_OPEN,    /* the last line names a file (pajesim_file): feed that one, pajesim_end_file, feed the rest */
    PAJESIM_FULL,    /* the arena is too small for the next line, which had no effect: pajesim_move to a block of
                        pajesim_capacity_needed bytes, then feed the rest */
    PAJESIM_INVALID, /* pajesim_finish: the whole trace was replayed, but some lines were refused (errors) */
    PAJESIM_BUSY,    /* called from within a callback, which may only query: nothing was done */
    PAJESIM_FINISHED, /* fed after pajesim_finish: nothing was done */
    PAJESIM_MISUSE,  /* NULL, misaligned or impossible arguments, or a copy of other options: nothing was done */
    PAJESIM_INCOMPATIBLE, /* not an image (or an index), or one of another version, layout, word size or byte order */
    PAJESIM_DAMAGED, /* an image (or index) that is not as it was saved */
    PAJESIM_STALE    /* the index is not of this trace, or that was changed since; the chunk is to be fed whole */
} pajesim_status;

/* What a callback returns.  All callbacks of the line are made, whatever they return; the greatest result takes effect
 * at the end of the line. */
enum { PAJESIM_GO_ON = 0, PAJESIM_PAUSE = 1, PAJESIM_STOP = 2 };

/* ---------------- src/pajesim/api/events.h */

/* The events of the format and their fields.  PAJESIM_EVENTS is the one list of events: all else is made of it. */

/* What a field of an event is for.  A field whose name is none of the format's is a user field. */
typedef enum pajesim_role {
    PAJESIM_USER_FIELD = 0,
    PAJESIM_TIME,
    PAJESIM_NAME,
    PAJESIM_ALIAS,
    PAJESIM_TYPE,
    PAJESIM_CONTAINER_FIELD,
    PAJESIM_VALUE,
    PAJESIM_KEY,
    PAJESIM_START_CONTAINER,
    PAJESIM_END_CONTAINER,
    PAJESIM_START_CONTAINER_TYPE,
    PAJESIM_END_CONTAINER_TYPE,
    PAJESIM_COLOR,
    PAJESIM_FILENAME,
    PAJESIM_SOURCE_FILE, /* File and Line: of the program's source; no event uses them */
    PAJESIM_SOURCE_LINE,
    PAJESIM_ROLE_COUNT
} pajesim_role;

/* The declared type of a field. */
typedef enum pajesim_field_type {
    PAJESIM_FIELD_DATE,
    PAJESIM_FIELD_DOUBLE,
    PAJESIM_FIELD_FLOAT,
    PAJESIM_FIELD_INT,
    PAJESIM_FIELD_HEX,
    PAJESIM_FIELD_STRING,
    PAJESIM_FIELD_COLOR
} pajesim_field_type;

/* Sets of roles, as bits, for the list of events. */
#define PAJESIM__BIT(role) (1u << PAJESIM_##role)
#define PAJESIM__NAMED (PAJESIM__BIT(NAME) | PAJESIM__BIT(TYPE))
#define PAJESIM__TIMED (PAJESIM__BIT(TIME) | PAJESIM__BIT(TYPE) | PAJESIM__BIT(CONTAINER_FIELD))
#define PAJESIM__VALUED (PAJESIM__TIMED | PAJESIM__BIT(VALUE))
#define PAJESIM__COLORED (PAJESIM__BIT(ALIAS) | PAJESIM__BIT(COLOR))
#define PAJESIM__LINK_TYPES (PAJESIM__BIT(START_CONTAINER_TYPE) | PAJESIM__BIT(END_CONTAINER_TYPE))

/* The events of the format (section "Events"), in its own order: X(code, name, kind, required, optional, function).
 *
 *     code       PAJESIM_code is its pajesim_event
 *     name       as a trace writes it in %EventDef
 *     kind       pajesim_kind of what it defines or acts on; 0: none
 *     required   roles of the fields that its definition must have
 *     optional   roles of the fields that it uses where its definition has them; all others are user fields
 *     function   pajesim__function simulates it; listed in PAJESIM__FUNCTIONS
 *
 * To add an event, add a row here; its function in simulation/, listed below, or another case in a function that exists
 * (count its PAJESIM__KNOWS up); and a definition and a case in tests/read/prose.  If it has a number, see also
 * pajesim__parse_event. */
#define PAJESIM_EVENTS(X) \
    X(DEFINE_CONTAINER_TYPE, "PajeDefineContainerType", PAJESIM_CONTAINER, \
      PAJESIM__NAMED, PAJESIM__COLORED, define_type) \
    X(DEFINE_STATE_TYPE,     "PajeDefineStateType",     PAJESIM_STATE, \
      PAJESIM__NAMED, PAJESIM__COLORED, define_type) \
    X(DEFINE_EVENT_TYPE,     "PajeDefineEventType",     PAJESIM_EVENT, \
      PAJESIM__NAMED, PAJESIM__COLORED, define_type) \
    X(DEFINE_VARIABLE_TYPE,  "PajeDefineVariableType",  PAJESIM_VARIABLE, \
      PAJESIM__NAMED, PAJESIM__COLORED, define_type) \
    X(DEFINE_LINK_TYPE,      "PajeDefineLinkType",      PAJESIM_LINK, \
      PAJESIM__NAMED | PAJESIM__LINK_TYPES, PAJESIM__COLORED, define_type) \
    X(DEFINE_ENTITY_VALUE,   "PajeDefineEntityValue",   0, PAJESIM__NAMED, PAJESIM__COLORED, define_value) \
    X(CREATE_CONTAINER,      "PajeCreateContainer",     PAJESIM_CONTAINER, \
      PAJESIM__TIMED | PAJESIM__BIT(NAME), PAJESIM__BIT(ALIAS) | PAJESIM__BIT(FILENAME), create_container) \
    X(DESTROY_CONTAINER,     "PajeDestroyContainer",    PAJESIM_CONTAINER, \
      PAJESIM__NAMED | PAJESIM__BIT(TIME), 0, destroy_container) \
    X(SET_STATE,             "PajeSetState",            PAJESIM_STATE, PAJESIM__VALUED, 0, open_state) \
    X(PUSH_STATE,            "PajePushState",           PAJESIM_STATE, PAJESIM__VALUED, 0, open_state) \
    X(POP_STATE,             "PajePopState",            PAJESIM_STATE, PAJESIM__TIMED, 0, pop_state) \
    X(RESET_STATE,           "PajeResetState",          PAJESIM_STATE, PAJESIM__TIMED, 0, reset_state) \
    X(NEW_EVENT,             "PajeNewEvent",            PAJESIM_EVENT, PAJESIM__VALUED, 0, new_event) \
    X(SET_VARIABLE,          "PajeSetVariable",         PAJESIM_VARIABLE, PAJESIM__VALUED, 0, change_variable) \
    X(ADD_VARIABLE,          "PajeAddVariable",         PAJESIM_VARIABLE, PAJESIM__VALUED, 0, change_variable) \
    X(SUB_VARIABLE,          "PajeSubVariable",         PAJESIM_VARIABLE, PAJESIM__VALUED, 0, change_variable) \
    X(START_LINK,            "PajeStartLink",           PAJESIM_LINK, \
      PAJESIM__VALUED | PAJESIM__BIT(KEY) | PAJESIM__BIT(START_CONTAINER), 0, link_event) \
    X(END_LINK,              "PajeEndLink",             PAJESIM_LINK, \
      PAJESIM__VALUED | PAJESIM__BIT(KEY) | PAJESIM__BIT(END_CONTAINER), 0, link_event) \
    X(TRACE_FILE,            "PajeTraceFile",           0, \
      PAJESIM__BIT(CONTAINER_FIELD) | PAJESIM__BIT(TYPE) | PAJESIM__BIT(FILENAME), 0, trace_file)

typedef enum pajesim_event {
    PAJESIM_UNKNOWN_EVENT = 0, /* lenient: a definition whose name is not of the format; its lines are skipped */
#define PAJESIM__X(code, name, kind, required, optional, function) PAJESIM_##code,
    PAJESIM_EVENTS(PAJESIM__X)
#undef PAJESIM__X
    PAJESIM_EVENT_COUNT /* not an event: how many there are */
} pajesim_event;

/* The functions that simulate events: X(function, input).
 *
 *     function   pajesim__function
 *     input      what it is given: LINE: the line alone; PLACE: its time, and container, type and slot, too */
#define PAJESIM__FUNCTIONS(X) \
    X(create_container, LINE) \
    X(destroy_container, LINE) \
    X(define_value, LINE) \
    X(trace_file, LINE) \
    X(define_type, LINE) \
    X(open_state, PLACE) \
    X(pop_state, PLACE) \
    X(reset_state, PLACE) \
    X(new_event, PLACE) \
    X(link_event, PLACE) \
    X(change_variable, PLACE)

/* ---------------- src/pajesim/api/problems.h */

/* What can be wrong with a trace: one table makes the codes, the texts, and the policy of both modes. */

/* After a warning the line took effect, perhaps repaired; after an error it did not (or, when a container is
 * destroyed and at the end of the trace, a pending link was discarded). */
typedef enum pajesim_severity { PAJESIM_SILENT = 0, PAJESIM_WARNING = 1, PAJESIM_ERROR = 2 } pajesim_severity;

/* All problems: X(code, severity in strict mode, severity in lenient mode, text).  To add one: a row here, a call of
 * pajesim__diagnose, and a case in tests/read/prose.  SILENT: the line is accepted, and nothing is reported. */
#define PAJESIM_PROBLEMS(X) \
    X(NONE,                 SILENT,  SILENT,  "no problem") \
    /* lines and words: section 1 */ \
    X(LINE_TOO_LONG,        ERROR,   ERROR,   "line is longer than the limit") \
    X(QUOTE_OPEN,           ERROR,   ERROR,   "quoted string does not end on its line") \
    X(QUOTE_GLUED,          ERROR,   ERROR,   "text follows a closing quote without a blank") \
    X(QUOTE_SINGLE,         SILENT,  WARNING, "string in single quotes") \
    X(TOO_MANY_WORDS,       ERROR,   WARNING, "more words on the line than are read; the rest is ignored") \
    /* event definitions: section 2 */ \
    X(HEADER_LINE,          ERROR,   ERROR,   "neither %EventDef, %EndEventDef nor a field of a definition") \
    X(HEADER_NAME,          ERROR,   ERROR,   "%EventDef lacks its event name or number") \
    X(HEADER_EVENT,         ERROR,   WARNING, "event name unknown; its events are skipped") \
    X(HEADER_TWICE,         ERROR,   ERROR,   "event number defined twice") \
    X(HEADER_FIELD,         ERROR,   ERROR,   "field lacks its type") \
    X(HEADER_TYPE,          ERROR,   WARNING, "field type unknown; read as a string") \
    X(HEADER_REPEAT,        ERROR,   WARNING, "field repeated in its definition; the first one counts") \
    X(HEADER_MISSING,       ERROR,   ERROR,   "definition lacks a field that its event requires") \
    X(HEADER_OLD_NAME,      ERROR,   WARNING, "field name of an older version of the format") \
    X(HEADER_NESTED,        ERROR,   ERROR,   "%EventDef within a definition without %EndEventDef, which is ignored") \
    X(HEADER_OUTSIDE,       ERROR,   ERROR,   "field outside of a definition; is its %EventDef within a comment?") \
    X(HEADER_END,           ERROR,   ERROR,   "%EndEventDef without %EventDef") \
    X(HEADER_OPEN,          ERROR,   ERROR,   "event within a definition that has no %EndEventDef") \
    X(HEADER_WORDS,         ERROR,   ERROR,   "definition has more fields than a line has words") \
    /* events: section 3 */ \
    X(EVENT_UNKNOWN,        ERROR,   ERROR,   "no event definition has this number") \
    X(EVENT_SKIPPED,        ERROR,   WARNING, "event of an unknown kind; skipped") \
    X(FIELDS_MISSING,       ERROR,   ERROR,   "fewer fields than the event's definition has") \
    X(FIELDS_SURPLUS,       WARNING, WARNING, "more fields than the event's definition has; the rest is ignored") \
    X(TIME,                 ERROR,   ERROR,   "time is not a number") \
    X(NUMBER,               ERROR,   ERROR,   "value of a variable is not a number") \
    /* identity: section 4 */ \
    X(TYPE_UNKNOWN,         ERROR,   ERROR,   "type is not defined") \
    X(TYPE_TWICE,           ERROR,   ERROR,   "type is defined already") \
    X(TYPE_AGAIN,           ERROR,   WARNING, "type is defined already, alike") \
    X(TYPE_RESERVED,        ERROR,   ERROR,   "identifier of the root type is reserved") \
    X(TYPE_NOT_CONTAINER,   ERROR,   ERROR,   "type is not a container type") \
    X(TYPE_KIND,            ERROR,   ERROR,   "type is of another kind than the event") \
    X(TYPE_ANCESTOR,        ERROR,   WARNING, "link type belongs to no common ancestor of its end points' types") \
    X(VALUE_TWICE,          ERROR,   WARNING, "value is defined already; the first definition counts") \
    X(VALUE_LATE,           ERROR,   WARNING, "value is defined after its first use") \
    X(VALUE_NAME,           ERROR,   SILENT,  "name is the identifier of another value of the type") \
    X(VALUE_TYPE,           ERROR,   ERROR,   "only state, event and link types have values") \
    X(COLOR,                ERROR,   WARNING, "color is neither 3 or 4 numbers nor RRGGBB in hex") \
    X(ALIAS_NULL,           WARNING, WARNING, "identifier is (null): was it never set?") \
    X(CONTAINER_UNKNOWN,    ERROR,   ERROR,   "container does not exist") \
    X(CONTAINER_DESTROYED,  ERROR,   ERROR,   "container is destroyed already") \
    X(CONTAINER_TWICE,      ERROR,   ERROR,   "container exists already") \
    X(CONTAINER_AGAIN,      ERROR,   SILENT,  "identifier was used by a container that is destroyed") \
    X(CONTAINER_RESERVED,   ERROR,   WARNING, "the root's identifier; means this one where the root does not fit") \
    X(CONTAINER_TYPE,       ERROR,   WARNING, "container's type is no child of its parent's type") \
    X(CONTAINER_PARENT_GONE, ERROR,  WARNING, "parent is a container that is destroyed already; the root replaces it") \
    X(CONTAINER_NOT_TYPE,   ERROR,   WARNING, "container is not of this type") \
    X(CONTAINER_AS_NAME,    ERROR,   WARNING, "PajeDestroyContainer has Container in place of Name") \
    X(ROOT_DESTROYED,       ERROR,   WARNING, "root container is destroyed; it ends with the trace nevertheless") \
    X(ROOT_SLASH,           ERROR,   WARNING, "root is written / in place of 0") \
    /* semantics: section 5 */ \
    X(TYPE_MISMATCH,        ERROR,   ERROR,   "type is no child of the container's type") \
    X(TIME_ORDER,           ERROR,   WARNING, "time is before that of the last event of this container and type") \
    X(DESTROY_ORDER,        ERROR,   WARNING, "container ends before its last event") \
    X(DESTROY_INNER,        WARNING, WARNING, "container ends before the last event of one within it") \
    X(STATE_EMPTY,          ERROR,   ERROR,   "no state to pop") \
    X(VARIABLE_UNSET,       ERROR,   WARNING, "variable was never set; it starts from 0") \
    X(LINK_ENDPOINT_TYPE,   ERROR,   WARNING, "end point is not of the link type's container type") \
    X(LINK_ENDPOINT_GONE,   ERROR,   WARNING, "end point is a container that is destroyed already") \
    X(LINK_KEY_TWICE,       ERROR,   ERROR,   "a link with this key is pending at the same end already") \
    X(LINK_KEY_USED,        ERROR,   SILENT,  "key was used by an earlier link of this container and type") \
    X(LINK_VALUE,           ERROR,   WARNING, "the two ends of the link bear different values; the start's counts") \
    X(LINK_BACKWARD,        WARNING, WARNING, "link ends before it starts") \
    X(LINK_PENDING,         ERROR,   ERROR,   "link never got its other end") \
    /* files: PajeTraceFile and Filename */ \
    X(FILE_DEPTH,           ERROR,   ERROR,   "files are nested too deep") \
    X(FILE_NAME,            ERROR,   ERROR,   "file name is empty")

typedef enum pajesim_code {
#define PAJESIM__X(code, strict, lenient, text) PAJESIM_E_##code,
    PAJESIM_PROBLEMS(PAJESIM__X)
#undef PAJESIM__X
    PAJESIM_E_COUNT
} pajesim_code;

/* One problem: a view, valid during the callback; from pajesim_last_problem: until the next call that takes a
 * `pajesim *`. */
typedef struct pajesim_problem {
    pajesim_code code;
    pajesim_severity severity;
    const char *text;   /* constant, terminated by NUL; empty without PAJESIM_TEXTS */
    uint64_t line;      /* of the file that is being read, from 1 */
    uint32_t column;    /* in bytes, from 1; 0: the line as a whole */
    uint32_t depth;     /* 0: in the trace itself, 1: in a file that it includes, ... */
    pajesim_text bytes; /* the offending bytes, 64 at most (16 without PAJESIM_TEXTS); empty if there are none */
} pajesim_problem;

/* ---------------- src/pajesim/api/api.h */

/* What a program sees of the reader: callbacks and their views, a simulation, queries. */

#ifdef __cplusplus
extern "C" {
#endif

/* Returns PAJESIM_VERSION of the compiled implementation, to compare with that of the header. */
PAJESIM_API uint32_t pajesim_version(void);

/* Returns the constant text of a code; "unknown problem" if there is no such code.  Empty without PAJESIM_TEXTS. */
PAJESIM_API const char *pajesim_problem_text(pajesim_code code);

/* ------------------------------------------------------------------------------------------------
 * What callbacks are given: views, valid during the call
 * --------------------------------------------------------------------------------------------- */

typedef struct pajesim pajesim;

/* One event definition (%EventDef), reported at its %EndEventDef. */
typedef struct pajesim_definition {
    pajesim_ref ref;
    pajesim_event event;
    pajesim_text name;   /* PajePushState */
    pajesim_text number; /* the event's number in the trace, which may be any word */
    uint32_t fields;     /* how many: pajesim_definition_field */
} pajesim_definition;

/* A field of a definition (`text` is empty then), of a line, or of the user fields of an entity. */
typedef struct pajesim_field {
    pajesim_text name;
    pajesim_role role;
    pajesim_field_type type;
    pajesim_text text;
} pajesim_field;

/* The user fields of one line: all fields that its event does not use, also those that the format defines for other
 * events (see their role).  Read them with pajesim_user_field; `count` is 0 if there are none. */
typedef struct pajesim_fields {
    uint32_t count;
    pajesim_ref definition;
    const char *text;             /* private */
    const pajesim__length *spans; /* private */
} pajesim_fields;

/* One decoded line, before it is simulated. */
typedef struct pajesim_line {
    pajesim_event event;
    pajesim_ref definition;
    pajesim_time time;            /* 0 if the event has none */
    pajesim_quantity number;      /* of PajeSetVariable, PajeAddVariable and PajeSubVariable; else 0 */
    uint32_t count;               /* of the fields of the definition; read them with pajesim_line_field */
    const char *text;             /* private */
    const pajesim__length *spans; /* private */
} pajesim_line;

/* A container, a state, an event, a segment of a variable, or a link. */
typedef struct pajesim_entity {
    pajesim_kind kind;
    uint32_t imbrication;    /* states: how many states are below it on the stack, 0 for the bottom */
    pajesim_ref container;   /* a container's own ref; else the container that it is on (for links: Container) */
    pajesim_ref type;
    pajesim_ref value;       /* of states; of events and links if the value is defined, else 0: see value_name */
    pajesim_ref start_container, end_container; /* of links; 0: not known yet */
    pajesim_time start;      /* events: the time.  Links of which only the end is known: the end's time */
    pajesim_time end;        /* while `open`: the time of the line.  Links of which only the end is known: its time */
    int open;                /* 1: not closed yet, so `end` is preliminary */
    pajesim_quantity number; /* variables: the value */
    pajesim_text value_name; /* states, events, links: name of the value; empty for the rest */
    pajesim_text key;        /* links */
    pajesim_fields opening;  /* user fields of the line that started it */
    pajesim_fields closing;  /* user fields of the line that closed it; none if it was closed implicitly (a state by
                                PajeSetState or PajeResetState, a container by its parent's end) */
} pajesim_entity;

typedef struct pajesim_type_info {
    pajesim_ref ref;
    pajesim_kind kind;
    pajesim_ref parent;               /* the container type that it belongs to; 0 for the root type */
    pajesim_ref start_type, end_type; /* link types: container types of the end points */
    pajesim_text name, alias, color;  /* alias: the identifier, which may be the name; color: as written */
} pajesim_type_info;

typedef struct pajesim_value_info {
    pajesim_ref ref;
    pajesim_ref type;
    int implicit; /* 1: not defined by a line, but used by a state (reported again if it was evicted in between) */
    pajesim_text name, alias, color;
} pajesim_value_info;

/* Callbacks.  Each may be NULL, and costs nothing then.  Each returns PAJESIM_GO_ON, PAJESIM_PAUSE or PAJESIM_STOP.
 * pajesim_data(sim) is the pointer that was given to pajesim_init.  Within a callback only queries are allowed: calls
 * that would change the simulation return PAJESIM_BUSY.  (pajesim_init and pajesim_restore cannot detect this: do not
 * call them on the simulation that calls back.)
 *
 * Order within a line: line; problem; new_value, of a value that no line defined; link_started or link_ended; closed,
 * for each entity that the line closes; then the callback of the event. */
typedef struct pajesim_callbacks {
    /* every %EventDef, at its end */
    int (*definition)(pajesim *sim, const pajesim_definition *definition);
    /* every event line that is about to take effect (when parsing only: that could be decoded).  Returning
     * PAJESIM_STOP here vetoes the line: it has no effect, and is not consumed. */
    int (*line)(pajesim *sim, const pajesim_line *line);
    /* every warning and error */
    int (*problem)(pajesim *sim, const pajesim_problem *problem);

    /* types, values, containers; these, up to `event`, are the entry points of Aiyra */
    int (*new_type)(pajesim *sim, const pajesim_type_info *type);
    int (*new_value)(pajesim *sim, const pajesim_value_info *value);
    int (*container_created)(pajesim *sim, const pajesim_entity *container);   /* open */
    int (*container_destroyed)(pajesim *sim, const pajesim_entity *container); /* closed; also by its parent's end */
    /* states: those set and pushed are open, one popped is closed; one reset has container, type and time only */
    int (*state_set)(pajesim *sim, const pajesim_entity *state);
    int (*state_pushed)(pajesim *sim, const pajesim_entity *state);
    int (*state_popped)(pajesim *sim, const pajesim_entity *state);
    int (*state_reset)(pajesim *sim, const pajesim_entity *state);
    /* variables: the segment that begins, which is open; updated: by PajeAddVariable or PajeSubVariable */
    int (*variable_set)(pajesim *sim, const pajesim_entity *segment);
    int (*variable_updated)(pajesim *sim, const pajesim_entity *segment);
    /* links: started and ended: one end is known; completed: both are, at the second line */
    int (*link_started)(pajesim *sim, const pajesim_entity *link);
    int (*link_ended)(pajesim *sim, const pajesim_entity *link);
    int (*link_completed)(pajesim *sim, const pajesim_entity *link);
    int (*event)(pajesim *sim, const pajesim_entity *event);

    /* every closed entity, of every kind, once, in order of completion */
    int (*closed)(pajesim *sim, const pajesim_entity *entity);
    /* the end of the trace, after all was closed */
    int (*finished)(pajesim *sim);
} pajesim_callbacks;

/* ------------------------------------------------------------------------------------------------
 * A simulation
 * --------------------------------------------------------------------------------------------- */

/* Options of a simulation.  Zeros, or NULL in place of the options, mean lenient mode and the defaults. */
typedef struct pajesim_options {
    int strict;              /* 1: what the specification and pj_dump refuse is refused */
    int parse_only;          /* 1: lines are decoded (callbacks definition, line, problem) and files are opened, but
                                nothing is simulated */
    int ignore_links;        /* 1: links without a second end are no error (pj_dump -z) */
    int old_names;           /* 1: old field names are no error in strict mode, and no warning (pj_dump -n) */
    uint32_t line_max;       /* in bytes; a longer line is skipped and reported.  0: as long as the arena permits */
    uint32_t line_capacity;  /* initial capacity, in bytes, for a line that two pieces share; it grows when needed.
                                0: 256 (small: 128) */
    uint32_t remembered;     /* number of destroyed containers (lenient mode) and, separately, of undefined values no
                                longer in use that are remembered.  0: 64 */
    uint32_t file_depth_max; /* of files within files.  0: 8 */
} pajesim_options;

/* The part of a simulation outside of its arena; the caller provides it.  All members are private. */
struct pajesim {
    unsigned char *arena;
    size_t capacity;
    const pajesim_callbacks *callbacks;
    void *data;
    int callback_result; /* the greatest result of the current line's callbacks */
    uint8_t busy;
    uint8_t commit_work; /* what pajesim__ready does before the line takes effect: pajesim__commit_work; 0: nothing */
    pajesim__size top;   /* end of what the current line has allocated at the end of the arena */
    pajesim__size needed;
    uint32_t allocs;     /* number of blocks that the current line has allocated from the free lists; 16 at most */
    pajesim_ref alloc_offset[16];
    uint8_t alloc_class[16];
#if PAJESIM_SIMD > 1
    int cpu; /* pajesim__detect_cpu; 0: not called yet */
#endif
    pajesim_entity entity; /* passed to callbacks: see pajesim__entity_begin */
#if PAJESIM_CACHE
    uint64_t cache_factor;  /* multiplier of the cache's hash function; changes after so many clashes */
    uint32_t cache_clashes;
#endif
#if PAJESIM_SIMD
    uint32_t changes; /* how often looking up a container may have come to return something else */
#endif
#if PAJESIM_CACHE
    struct {
        uint64_t lo, hi;
        uint64_t tag;
        pajesim_ref ref, unused;
    } cache[PAJESIM_CACHE];
#endif
#if PAJESIM_TRAVEL
    struct pajesim_index *index; /* its hooks are called when an entity that was open at a checkpoint closes */
#endif
};

/* Counters since pajesim_init; part of the image. */
typedef struct pajesim_counts {
    pajesim_counter bytes;    /* consumed, in all files */
    pajesim_counter lines;    /* complete ones, in all files, including comments and blank lines */
    pajesim_counter events;   /* lines that are events and took effect (when parsing only: that could be decoded) */
    pajesim_counter skipped;  /* events of an unknown kind */
    pajesim_counter warnings;
    pajesim_counter errors;
    pajesim_counter by_event[PAJESIM_EVENT_COUNT]; /* events, by kind */
    pajesim_counter containers, states, variables, links, punctual; /* entities closed; punctual: PajeNewEvent */
    pajesim_time first, last; /* least and greatest time of an event; both 0 before the first one */
} pajesim_counts;

/* The least arena that pajesim_init accepts with these options (NULL: defaults), in bytes. */
PAJESIM_API size_t pajesim_arena_min(const pajesim_options *options);

/* Begins a simulation.  The arena is the caller's, aligned as an uint64_t, and must stay in place until pajesim_move or
 * the end of use; beyond 4 GiB of it (512 KiB with references of 16 bits) nothing is used.  `callbacks` is not copied
 * and must outlive the simulation; NULL: none.  `data` is what pajesim_data returns.
 * Returns PAJESIM_OK, PAJESIM_FULL (less than pajesim_arena_min; pajesim_capacity_needed says how much), or
 * PAJESIM_MISUSE.  After a failure feeding and finishing do nothing (PAJESIM_BUSY), and there is nothing to query. */
PAJESIM_API pajesim_status pajesim_init(pajesim *sim, void *arena, size_t capacity, const pajesim_options *options,
                                        const pajesim_callbacks *callbacks, void *data);

/* Returns `data` of pajesim_init or pajesim_restore. */
PAJESIM_API void *pajesim_data(const pajesim *sim);

/* Feeds the next `size` bytes of the trace.  A piece may end anywhere, also within a line.  `bytes` is neither
 * written to nor used after the call.  Stores in `*taken` (may be NULL) how many bytes were consumed: all, unless
 * something other than PAJESIM_OK is returned.  Feed the rest again to go on. */
PAJESIM_API pajesim_status pajesim_feed(pajesim *sim, const void *bytes, size_t size, size_t *taken);

/* After PAJESIM_OPEN: the name of the file that the trace includes, as it was written, valid until the next feed. */
PAJESIM_API pajesim_text pajesim_file(const pajesim *sim);

/* Ends the file that was included last; call it at once if that file cannot be read.  The last line may lack its line
 * end and is then simulated here, so this may return what pajesim_feed does: until it returns PAJESIM_OK, handle that
 * and call again.  Returns PAJESIM_MISUSE if there is no such file. */
PAJESIM_API pajesim_status pajesim_end_file(pajesim *sim);

/* Ends the trace: simulates a last line without line end, then closes all that is open at the greatest time seen.
 * Returns PAJESIM_OK, PAJESIM_INVALID (all is closed; there were errors), PAJESIM_PAUSED or PAJESIM_FULL (call again
 * to go on), PAJESIM_OPEN (by the last line: feed that file, pajesim_end_file, call again), PAJESIM_STOPPED (a callback
 * stopped it half-way). */
PAJESIM_API pajesim_status pajesim_finish(pajesim *sim);

/* As pajesim_finish, but closes at `time` in place of the greatest time seen. */
PAJESIM_API pajesim_status pajesim_finish_at(pajesim *sim, pajesim_time time);

/* After PAJESIM_FULL: returns the least capacity, in bytes, that is enough to go on; one byte less is not.  (None is
 * beyond 4 GiB, or 512 KiB with references of 16 bits.)  For a line that comes in several pieces it is enough for the
 * piece at hand; the rest of the line may need more. */
PAJESIM_API uint64_t pajesim_capacity_needed(const pajesim *sim);

/* Returns the high-water mark of the arena, in bytes.  What lies beyond was never touched, but by pajesim_restore. */
PAJESIM_API size_t pajesim_used(const pajesim *sim);

/* Moves the simulation to another block, larger or smaller (PAJESIM_FULL below pajesim_used), which may not overlap the
 * old one; the old one is no longer used.  If `arena` is the same block, only its capacity changes. */
PAJESIM_API pajesim_status pajesim_move(pajesim *sim, void *arena, size_t capacity);

/* Images: what was simulated so far, as bytes that can be kept, sent to another process, and restored at any address.
 * An image holds everything but the callbacks and their data.  It may be taken between any two feeds, also within a
 * line.  Within a callback, where nothing can be saved, the size may be more: free memory is not cleared then. */
PAJESIM_API size_t pajesim_image_size(const pajesim *sim);
/* Writes pajesim_image_size bytes to `image`, which may have any alignment.  Returns PAJESIM_FULL if `size` is less
 * than that.  Runs of zeros are left out, and free memory is cleared first, unless PAJESIM_TRAVEL is 0. */
PAJESIM_API pajesim_status pajesim_save(const pajesim *sim, void *image, size_t size);
/* Begins a simulation from an image: as pajesim_init, but with the state and the options of the image, whose `size`
 * is exactly that of pajesim_image_size.  The arena may not overlap the image.  Returns PAJESIM_INCOMPATIBLE if that is
 * no image of this layout, PAJESIM_DAMAGED if it is not as it was saved, PAJESIM_FULL if the arena is too small.
 *
 * An image may come from anywhere: each reference in it is checked before it is used, and one that no simulation could
 * have saved is PAJESIM_DAMAGED.  For this the arena needs a sixteenth more than pajesim_used, which pajesim_move may
 * take away again.  (With PAJESIM_TRAVEL 0, as in small builds, only the checksum is: restore what you saved.) */
PAJESIM_API pajesim_status pajesim_restore(pajesim *sim, void *arena, size_t capacity, const void *image, size_t size,
                                           const pajesim_callbacks *callbacks, void *data);

/* ------------------------------------------------------------------------------------------------
 * Queries: at any time, also within callbacks
 * --------------------------------------------------------------------------------------------- */

/* Brings the counters up to date and returns them.  They are in the arena: valid until it moves. */
PAJESIM_API const pajesim_counts *pajesim_count(const pajesim *sim);
/* Returns the number, from 1, of the line that is being simulated in its file; between feeds, of the next line. */
PAJESIM_API uint64_t pajesim_line_number(const pajesim *sim);
/* Returns the last problem that was reported (code PAJESIM_E_NONE: none yet). */
PAJESIM_API pajesim_problem pajesim_last_problem(const pajesim *sim);

/* Return the root container and the root type, which are called "0". */
PAJESIM_API pajesim_ref pajesim_root(const pajesim *sim);
PAJESIM_API pajesim_ref pajesim_root_type(const pajesim *sim);

/* Return the name of a type, container or value; its alias, by which lines of the trace refer to it; and the Color
 * field of its definition, as written.  Empty for ref 0, and if the definition has no such field. */
PAJESIM_API pajesim_text pajesim_name(const pajesim *sim, pajesim_ref ref);
PAJESIM_API pajesim_text pajesim_alias(const pajesim *sim, pajesim_ref ref);
PAJESIM_API pajesim_text pajesim_color(const pajesim *sim, pajesim_ref ref);
/* Returns the container type of a type, the parent of a container (of one that is destroyed, which a link may still end
 * at: the one that it was in; small: 0), or the type of a value; 0 for the roots. */
PAJESIM_API pajesim_ref pajesim_parent(const pajesim *sim, pajesim_ref ref);
/* Returns a container's type; 0 for a type or a value. */
PAJESIM_API pajesim_ref pajesim_type_of(const pajesim *sim, pajesim_ref container);
/* Returns the kind of a type; for a value, the kind of its type; for a container, PAJESIM_CONTAINER. */
PAJESIM_API pajesim_kind pajesim_kind_of(const pajesim *sim, pajesim_ref ref);
/* Return the first container within a container, or type within a type; and the next one with the same parent, in order
 * of creation.  0: there is none. */
PAJESIM_API pajesim_ref pajesim_first_child(const pajesim *sim, pajesim_ref ref);
PAJESIM_API pajesim_ref pajesim_next_sibling(const pajesim *sim, pajesim_ref ref);
/* Returns when a container was created. */
PAJESIM_API pajesim_time pajesim_start_of(const pajesim *sim, pajesim_ref container);

/* Returns the user data of a container, a type or a value: a word for your own use, 0 at first, in the arena.  It has
 * 64 bits, 32 where references have 16.  Store an index rather than a pointer, which would be invalid after the image
 * is restored in another process.  The pointer is valid as long as the ref, but not after the arena moves; it is never
 * NULL for a valid ref. */
PAJESIM_API pajesim_user_word *pajesim_user_data(pajesim *sim, pajesim_ref ref);

/* Find something by its identifier, of `size` bytes (NULL is allowed if that is 0).  Return 0 if nothing alive has
 * it. */
PAJESIM_API pajesim_ref pajesim_find_container(const pajesim *sim, const char *alias, size_t size);
PAJESIM_API pajesim_ref pajesim_find_type(const pajesim *sim, const char *alias, size_t size);
PAJESIM_API pajesim_ref pajesim_find_value(const pajesim *sim, pajesim_ref type, const char *alias, size_t size);

/* pajesim_depth returns how many states of a type are open on a container; pajesim_open_entity stores the one at a
 * depth (0: the bottom), and returns 0 if there is none.  The current segment of a variable counts as one, at depth
 * 0. */
PAJESIM_API uint32_t pajesim_depth(const pajesim *sim, pajesim_ref container, pajesim_ref type);
PAJESIM_API int pajesim_open_entity(const pajesim *sim, pajesim_ref container, pajesim_ref type, uint32_t depth,
                                    pajesim_entity *entity);

/* Store a field of a definition, of a line, or of an entity's user fields; `index` counts from 0.  Return 0 if there is
 * no such field. */
PAJESIM_API int pajesim_definition_field(const pajesim *sim, pajesim_ref definition, uint32_t index,
                                         pajesim_field *field);
PAJESIM_API int pajesim_line_field(const pajesim *sim, const pajesim_line *line, uint32_t index, pajesim_field *field);
PAJESIM_API int pajesim_user_field(const pajesim *sim, const pajesim_fields *fields, uint32_t index,
                                   pajesim_field *field);
/* Like pajesim_user_field, but finds the field by its name, which is terminated by NUL. */
PAJESIM_API int pajesim_user_field_named(const pajesim *sim, const pajesim_fields *fields, const char *name,
                                         pajesim_field *field);
/* Returns the index of a user field in all lines of a definition, by its name: look it up once, in the `definition`
 * callback, rather than for each line.  UINT32_MAX: there is no such field. */
PAJESIM_API uint32_t pajesim_user_field_index(const pajesim *sim, pajesim_ref definition, const char *name);
/* Stores a user field as a number in units of 10^-decimals, as pajesim_fixed does.  Returns 0 if there is no such field
 * or it is no such number. */
PAJESIM_API int pajesim_user_field_fixed(const pajesim_fields *fields, uint32_t index, int decimals, int64_t *number);
/* Returns the text of a line's field by its role; empty if the line has no such field. */
PAJESIM_API pajesim_text pajesim_line_role(const pajesim *sim, const pajesim_line *line, pajesim_role role);

/* Returns the event's name in the format ("PajePushState"), terminated by NUL; "" for none. */
PAJESIM_API const char *pajesim_event_name(pajesim_event event);
/* Returns "Container", "State", "Event", "Variable", "Link"; "" for none. */
PAJESIM_API const char *pajesim_kind_name(pajesim_kind kind);

/* Converts a decimal number of any length, correctly rounded: [+-] digits [. digits] [e [+-] digits], with a digit
 * before or after the point; infinity beyond the range.  Returns 0, and leaves `*number` alone, for any other text.
 * Exists only if times or values are doubles. */
#if PAJESIM_TIME_DECIMALS < 0 || PAJESIM_VALUE_DECIMALS < 0
PAJESIM_API int pajesim_number(const char *bytes, size_t size, double *number);
#endif
/* Converts a decimal number to units of 10^-decimals (0 to 18), rounded to the nearest, halves away from zero.  Returns
 * 0 also for numbers beyond -INT64_MAX to INT64_MAX. */
PAJESIM_API int pajesim_fixed(const char *bytes, size_t size, int decimals, int64_t *number);

#ifdef __cplusplus
}
#endif

/* ---------------- src/pajesim/api/travel.h */

/* Travel in time: an index of a trace, and windows into it.  An index holds checkpoints, which are images of the
 * simulation at intervals of the trace; a window replays what lies between two of them, and stores what it found.
 * Both are in blocks of memory that the caller provides. */

#if PAJESIM_TRAVEL

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------------------------
 * An index: made while a trace is replayed
 * --------------------------------------------------------------------------------------------- */

/* The initial distance between checkpoints.  When the block is full, every other one is dropped, and it doubles. */
typedef struct pajesim_index_options {
    uint64_t bytes;  /* of the trace; 0: by events only.  If both are 0: 4 MiB, or 24 times the arena if that is more */
    uint64_t events; /* 0: by bytes only.  If both are given, a checkpoint is due at the first of them */
} pajesim_index_options;

/* All members are private. */
typedef struct pajesim_index {
    unsigned char *memory;
    size_t capacity;
    uint64_t needed;
    const pajesim *sim; /* the simulation that is replayed while the index is made */
    const struct pajesim__watch *watch; /* the hooks that it calls */
} pajesim_index;

/* A checkpoint.  There is one at the beginning of the trace, and when the index is complete one at its end. */
typedef struct pajesim_checkpoint {
    uint64_t offset;       /* bytes of the trace that lie before it; the rest is fed to go on */
    uint64_t events;       /* number of events that took effect before it */
    pajesim_time greatest; /* greatest time before it; less than any time if there is none */
    pajesim_time least;    /* least time after it, as far as the index reaches; greater than any if there is none */
    size_t arena;          /* bytes that pajesim_index_restore needs */
    size_t size;           /* bytes that it takes in the index */
} pajesim_checkpoint;

/* Begins an index in a block of the caller's, aligned as an uint64_t, of 64 KiB or more.  One checkpoint has to fit;
 * the more fit, the sooner windows are shown, up to some hundreds.  NULL options: the defaults. */
PAJESIM_API pajesim_status pajesim_index_init(pajesim_index *index, void *memory, size_t size,
                                              const pajesim_index_options *options);

/* Build an index while the trace is fed, by calls in this order: begin; feed and step, repeatedly; finish.
 *
 *     pajesim_init(&sim, ...); pajesim_index_init(&index, ...); pajesim_index_begin(&index, &sim);
 *     while (there are bytes) { pajesim_feed(&sim, ...); pajesim_index_step(&index, &sim); }
 *     pajesim_index_finish(&index, &sim);
 *
 * From pajesim_index_begin on, the simulation tells the index when what was open at a checkpoint closes, so neither
 * struct may be moved in memory (the arena may).  A trace that includes other files (PAJESIM_OPEN) cannot be indexed.
 *
 * begin: the simulation was fed nothing yet, and tells no other index.  step: takes a checkpoint if one is due.
 * PAJESIM_STOPPED: a callback has stopped the simulation, so there are no more checkpoints.
 * finish: takes the last one, does what pajesim_finish does and returns the same; the index is then complete.
 *
 * PAJESIM_FULL means that there is no room for a checkpoint, even if others are dropped
 * (pajesim_index_capacity_needed).  After begin, the index is not begun: call pajesim_index_move, then this again.
 * After step, go on: the checkpoint is left out, the next one is due after twice as many bytes, and the index stays
 * correct.  After finish, nothing was finished: call pajesim_index_move, then this again; or pajesim_finish, which
 * leaves the index incomplete. */
PAJESIM_API pajesim_status pajesim_index_begin(pajesim_index *index, pajesim *sim);
PAJESIM_API pajesim_status pajesim_index_step(pajesim_index *index, pajesim *sim);
PAJESIM_API pajesim_status pajesim_index_finish(pajesim_index *index, pajesim *sim);
/* Takes a checkpoint now, so that the index covers all that was fed; does nothing if there is one here. */
PAJESIM_API pajesim_status pajesim_index_checkpoint_now(pajesim_index *index, pajesim *sim);

/* Continues an index that was loaded, or whose trace has grown: restores its last checkpoint as pajesim_restore does.
 * Then feed the trace from offset pajesim_count(sim)->bytes on.  The index is incomplete until it is finished again. */
PAJESIM_API pajesim_status pajesim_index_resume(pajesim_index *index, pajesim *sim, void *arena, size_t capacity,
                                                const pajesim_callbacks *callbacks, void *data);

/* Moves the index to a larger block, which may not overlap the old one.  For the same block, only changes its size. */
PAJESIM_API pajesim_status pajesim_index_move(pajesim_index *index, void *memory, size_t size);
/* After PAJESIM_FULL: returns the size, in bytes, that is enough. */
PAJESIM_API uint64_t pajesim_index_capacity_needed(const pajesim_index *index);

/* Returns the index as bytes to be stored: the first `*size` bytes of its own block, with checksum, version and byte
 * order; valid until the next call that changes the index. */
PAJESIM_API const void *pajesim_index_save(pajesim_index *index, size_t *size);
/* Begins with an index that was saved, whose `size` bytes are at the beginning of the block already (read into it, or
 * mapped privately, as they will be changed).  Returns PAJESIM_INCOMPATIBLE if they are no index, or one of another
 * version, word size, byte order or other options of the header; PAJESIM_DAMAGED if they are not as they were saved, or
 * were forged: an index may come from anywhere, as an image may.  Its images are checked when they are restored. */
PAJESIM_API pajesim_status pajesim_index_load(pajesim_index *index, void *memory, size_t capacity, size_t size);
/* Returns 4 words for the caller's use, 0 at first and saved with the index: for instance the size and date of its
 * trace, to tell later whether the index belongs to it. */
PAJESIM_API uint64_t *pajesim_index_label(pajesim_index *index);

/* ---- queries of an index ---- */

PAJESIM_API int pajesim_index_complete(const pajesim_index *index); /* 1 after pajesim_index_finish */
PAJESIM_API uint32_t pajesim_index_count(const pajesim_index *index); /* number of checkpoints */
/* Stores a checkpoint; `number` counts from 0.  Returns 0 if there is no such checkpoint. */
PAJESIM_API int pajesim_index_checkpoint(const pajesim_index *index, uint32_t number, pajesim_checkpoint *checkpoint);
/* Returns the number of the last checkpoint at `offset` or before it. */
PAJESIM_API uint32_t pajesim_index_at(const pajesim_index *index, uint64_t offset);
/* Return the last checkpoint such that all times before it are less than `time`, so that what is closed there ended
 * before `time`; and the first one such that all times after it are greater, as far as the index reaches. */
PAJESIM_API uint32_t pajesim_index_before(const pajesim_index *index, pajesim_time time);
PAJESIM_API uint32_t pajesim_index_after(const pajesim_index *index, pajesim_time time);

/* Begins a simulation from a checkpoint, as pajesim_restore does. */
PAJESIM_API pajesim_status pajesim_index_restore(const pajesim_index *index, uint32_t number, pajesim *sim, void *arena,
                                                 size_t capacity, const pajesim_callbacks *callbacks, void *data);

/* Compares the bytes that a simulation was fed, from the checkpoint where it was restored, with those that the index
 * was made of, by a digest of 64 bits, which is no protection against a forger.  PAJESIM_STALE: a byte was changed, or
 * the simulation is not at this checkpoint.  Call it before what was replayed is used.  Of a simulation that began
 * without an index, the bytes are counted only. */
PAJESIM_API pajesim_status pajesim_index_check(const pajesim_index *index, uint32_t number, const pajesim *sim);

/* Ends a simulation that was restored at this checkpoint, or replayed up to it: makes the `closed` callback for each
 * entity that is open there and overlaps [from, to], with its true end, in order of completion, as if the rest of the
 * trace had been replayed; then for entities whose end the index does not know, with `open` set, outer ones first.
 * Links without a second end are left out, as are those that start after the checkpoint though their end is before it:
 * they are complete only there.  PAJESIM_FULL: nothing was done; call pajesim_move, then this again.
 * PAJESIM_STOPPED: a callback returned PAJESIM_STOP.  PAJESIM_STALE: as from pajesim_index_check, or not as many
 * entities are open.  Afterwards only queries, and beginning again, are valid on that simulation. */
PAJESIM_API pajesim_status pajesim_index_close_open(const pajesim_index *index, uint32_t number, pajesim *sim,
                                                    pajesim_time from, pajesim_time to);

/* Returns the serial number of a container: from 1, in order of creation; 0 for the root.  Unlike a ref, it identifies
 * the container in every window, image and process. */
PAJESIM_API uint32_t pajesim_serial(const pajesim *sim, pajesim_ref container);

/* ------------------------------------------------------------------------------------------------
 * Windows: what overlaps a range of time
 * --------------------------------------------------------------------------------------------- */

/* Reads the trace: stores in `*bytes` the address of bytes from `offset` on, valid until the next call, and returns how
 * many they are, at most `most`; 0 at the end of the trace. */
typedef size_t (*pajesim_read)(void *data, uint64_t offset, const void **bytes, size_t most);

/* All members are private. */
typedef struct pajesim_window {
    pajesim sim;  /* replays the trace, in the low part of the block */
    pajesim part; /* the part that is being filled or shown, in the middle of the block */
    pajesim_index *index;
    pajesim_options options;
    pajesim_read read;
    void *read_data;
    unsigned char *memory;
    size_t size, low, high; /* of the block; end of the simulation's arena in it, begin of the stored parts */
    pajesim_callbacks callbacks;
    const pajesim_callbacks *shown_to;
    void *data;
    pajesim_time from, to;
    uint64_t replayed, shows, first, last; /* offsets of what is shown */
    uint32_t at; /* checkpoint that the simulation is at, + 1; 0: at none */
    int filling, stopped;
    int busy; /* 1: it is being shown, or reads on */
} pajesim_window;

/* Begins a window in a block of the caller's, aligned as an uint64_t: its budget of memory.  A simulation has to fit.
 * The rest stores the entities of parts of the trace, each between two checkpoints, which need not be replayed when
 * they are shown again.  If there is no room, the part that is farthest from the range is dropped first; of several,
 * the one not shown for longest.  The index may be incomplete or empty: showing what lies beyond reads on and adds to
 * it.  `options` are for the simulation if the index is empty; NULL: the defaults. */
PAJESIM_API pajesim_status pajesim_window_init(pajesim_window *window, void *memory, size_t size, pajesim_index *index,
                                               const pajesim_options *options, pajesim_read read, void *data);

/* Makes the `closed` callback (no other) once for each entity that overlaps [from, to], that is, neither ends before
 * `from` nor starts after `to`: with its true start and end, in order of completion.  Entities without an end, which
 * exist while the index is incomplete, come last and are `open`.  During the callback, the simulation that it is given
 * can be queried about what the entity refers to: names, aliases, colours, parents, types, user fields.  Refs differ
 * from call to call; identifiers and pajesim_serial do not.
 *
 * If the index is incomplete, first reads on until a time beyond `to` was seen or the trace ends.  In a trace that is
 * not sorted by time, later lines may add to any range until pajesim_index_complete.
 *
 * Returns PAJESIM_OK; PAJESIM_FULL: the budget is too small for the simulation (pajesim_window_capacity_needed), and
 * entities may have been shown already; PAJESIM_STOPPED: a callback returned PAJESIM_STOP; PAJESIM_STALE: the trace
 * ends before the index does, or was changed, and what was replayed may have been shown; PAJESIM_OPEN: the trace
 * includes other files; PAJESIM_BUSY: called from within its own callback. */
PAJESIM_API pajesim_status pajesim_window_show(pajesim_window *window, pajesim_time from, pajesim_time to,
                                               const pajesim_callbacks *callbacks, void *data);
/* Reads on, by so many bytes or to the end of the trace, and adds to the index.  `end` is 1 if the trace will not grow:
 * completes the index at its end.  Returns as above. */
PAJESIM_API pajesim_status pajesim_window_extend(pajesim_window *window, uint64_t bytes, int end);
PAJESIM_API uint64_t pajesim_window_capacity_needed(const pajesim_window *window);
/* Returns how many bytes of the trace this window has replayed; showing stored parts adds none. */
PAJESIM_API uint64_t pajesim_window_replayed(const pajesim_window *window);

#ifdef __cplusplus
}
#endif
#endif /* PAJESIM_TRAVEL */

/* ---------------- src/pajesim/api/chunks.h */

/* Chunks: parts of a trace whose lines are read before it is known what was open at their beginning, so that several
 * processes read a trace at once. */

#if PAJESIM_TRAVEL

#ifdef __cplusplus
extern "C" {
#endif

/* What a simulation needs of a chunk to be at its end: counts, and the lines whose effect lasts (see
 * pajesim_chunk_read).  It refers to the memory and to the bytes that it was read with.  All members are private. */
typedef struct pajesim_chunk {
    unsigned char *memory;
    size_t capacity, used;
    uint64_t size, lines, kept;              /* bytes; lines; bytes of lines whose effect lasts */
    uint64_t by_event[PAJESIM_EVENT_COUNT];  /* as in pajesim_counts */
    uint64_t segments;                       /* of variables, begun by lines whose effect does not last */
    pajesim_time least;                      /* of its events */
    struct pajesim__chunk_run *runs;         /* of lines whose effect lasts */
    struct pajesim__chunk_value *values;     /* undefined ones that states name */
    struct pajesim__chunk_slot *links;       /* hash table of its links with one end in it */
    uint64_t *done;                          /* and of the hashes of those with both */
    uint32_t run_count, next_run, link_bits, done_bits; /* next_run: the one to be fed next, from byte `at` on */
    uint32_t at, feeding;
    uint32_t ends; /* links that waited for their start, when feeding began */
    pajesim_counts before; /* of the simulation, when feeding began */
} pajesim_chunk;

/* Reads a chunk: whole lines, `size` bytes at `bytes`, in one file.  `base` is a simulation that was fed some beginning
 * of the same trace, with its event definitions and types; it is not changed.  `memory`, aligned as an uint64_t, is the
 * caller's, and is used until the chunk was fed; half of the chunk's size and 64 KiB are mostly enough.
 *
 * PAJESIM_OK: the chunk can be given to pajesim_chunk_feed.  PAJESIM_FULL: it is to be fed whole, by pajesim_feed, as
 * the memory is too small, most lines would be kept, or it has lines that this does not suit: definitions of events,
 * files, entities of types that `base` does not know, and what is certain to be an error or a warning. */
PAJESIM_API pajesim_status pajesim_chunk_read(pajesim_chunk *chunk, void *memory, size_t capacity, const pajesim *base,
                                              const void *bytes, size_t size);

/* Brings a simulation, which stands at the chunk's beginning, to its end.  Callbacks are made for the lines whose
 * effect lasts, so give it none, or `closed` for what was open before.
 *
 * PAJESIM_OK: all that callbacks and queries return from now on, counts and line numbers included, is as if the chunk
 * had been fed whole.  PAJESIM_STALE: it has an error or a warning, or what it took for granted is not so; the
 * simulation is of no use: begin again from a copy that was made before (pajesim_copy), and feed the chunk whole.
 * PAJESIM_FULL, PAJESIM_PAUSED: as from pajesim_feed; call it again. */
PAJESIM_API pajesim_status pajesim_chunk_feed(pajesim *sim, pajesim_chunk *chunk, const void *bytes);

/* Copies a simulation into a block of the caller's, of pajesim_used bytes or more (else PAJESIM_FULL): to come back to
 * it, or to try something on the copy.  Callbacks and data are the same; if the simulation tells an index, the copy
 * does not. */
PAJESIM_API pajesim_status pajesim_copy(pajesim *copy, void *arena, size_t capacity, const pajesim *sim);

/* Returns the size, in bytes, of the lines whose effect lasts. */
PAJESIM_API uint64_t pajesim_chunk_kept(const pajesim_chunk *chunk);

#ifdef __cplusplus
}
#endif
#endif /* PAJESIM_TRAVEL */

#endif /* PAJESIM_H */

#if defined(PAJESIM_IMPLEMENTATION) && !defined(PAJESIM__IMPLEMENTED)
#define PAJESIM__IMPLEMENTED

/* ---------------- src/pajesim/memory/platform.h */

/* What the compiler and the processor offer.  Everything has a fallback in plain C. */

#include <stdint.h>
#include <string.h>

#if defined(__GNUC__) || defined(__clang__)
#define PAJESIM__LIKELY(x) __builtin_expect(!!(x), 1)
#define PAJESIM__UNLIKELY(x) __builtin_expect(!!(x), 0)
#else
#define PAJESIM__LIKELY(x) (x)
#define PAJESIM__UNLIKELY(x) (x)
#endif

/* Checks a precondition.  Off by default; tests define it: tests/lib/checked.h. */
#ifndef PAJESIM__ASSERT
#define PAJESIM__ASSERT(condition) ((void)0)
#endif

/* Stands behind a switch that has a case for every value, where control never gets. */
#if defined(__GNUC__) || defined(__clang__)
#define PAJESIM__UNREACHABLE __builtin_unreachable()
#else
#define PAJESIM__UNREACHABLE ((void)0)
#endif

/* Without optimisation, forced inlining would only use more stack. */
#if (defined(__GNUC__) || defined(__clang__)) && !PAJESIM_SMALL && defined(__OPTIMIZE__)
#define PAJESIM__INLINE static inline __attribute__((always_inline))
#define PAJESIM__COLD static __attribute__((noinline, cold))
#else
#define PAJESIM__INLINE static inline
#define PAJESIM__COLD static
#endif
#if defined(__GNUC__) || defined(__clang__)
#define PAJESIM__APART static __attribute__((noinline))
#else
#define PAJESIM__APART static
#endif

/* For functions with several callers: one copy where code must be small, else inline. */
#if (defined(__GNUC__) || defined(__clang__)) && PAJESIM_SMALL
#define PAJESIM__SHARED static __attribute__((noinline))
#else
#define PAJESIM__SHARED PAJESIM__INLINE
#endif

/* Lines with this many readable bytes behind their newline are scanned many bytes at a time, which reads beyond the
 * newline and ignores what is there.  The last lines of a piece have fewer: they are lexed byte by byte. */
#define PAJESIM__PADDING 64u

#define PAJESIM__MIN(a, b) ((a) < (b) ? (a) : (b))

/* Index of the lowest set bit of x, which may not be 0. */
PAJESIM__INLINE uint32_t pajesim__count_trailing_zeros(uint64_t x)
{
#if defined(__GNUC__) || defined(__clang__)
    return (uint32_t)__builtin_ctzll(x);
#else
    uint32_t i = 0;
    while (!(x & 1)) {
        x >>= 1;
        i++;
    }
    return i;
#endif
}

/* How many bits it takes to write x; 0 for 0. */
PAJESIM__INLINE uint32_t pajesim__bit_width(uint64_t x)
{
#if defined(__GNUC__) || defined(__clang__)
    return x ? 64u - (uint32_t)__builtin_clzll(x) : 0u;
#else
    uint32_t n = 0;
    for (; x; x >>= 1)
        n++;
    return n;
#endif
}

PAJESIM__INLINE uint64_t pajesim__load64(const void *bytes)
{
    uint64_t x;
    memcpy(&x, bytes, sizeof x);
    return x;
}

/* ---------------- src/pajesim/memory/simd.h */

/* SIMD: what each instruction set contributes to the lexer (text/lex.re), the block scanner (text/scan.h), the number
 * parser (text/number.h) and the identifiers, as small functions.  The algorithms that use them are written once.
 *
 * SSE2, NEON (little-endian AArch64) and SIMD128 (WebAssembly) are chosen by the compiler's options.  AVX2 and AVX-512
 * are chosen at run time, for the block scanner only. */

#if PAJESIM_SIMD && defined(__SSE2__)
#define PAJESIM__SIMD 1
#include <emmintrin.h>
#elif PAJESIM_SIMD && defined(__aarch64__) && defined(__ARM_NEON) && !defined(__AARCH64EB__)
#define PAJESIM__SIMD 1
#define PAJESIM__NEON 1
#include <arm_neon.h>
#elif PAJESIM_SIMD && defined(__wasm_simd128__)
#define PAJESIM__SIMD 1
#define PAJESIM__WASM 1
#include <wasm_simd128.h>
#else
#define PAJESIM__SIMD 0
#endif
#ifndef PAJESIM__NEON
#define PAJESIM__NEON 0
#endif
#ifndef PAJESIM__WASM
#define PAJESIM__WASM 0
#endif

/* Whether the fast path of text/scan.h is compiled. */
#define PAJESIM__BLOCKS (PAJESIM_FAST && PAJESIM__SIMD && PAJESIM_REFERENCE == 32)

/* tests/read/prefetch.c records the addresses. */
#if PAJESIM__BLOCKS && !defined(PAJESIM__PREFETCH)
#define PAJESIM__PREFETCH(address) __builtin_prefetch(address)
#endif

#if PAJESIM__SIMD
/* 16 bytes; operators work on each. */
typedef unsigned char pajesim__bytes16 __attribute__((vector_size(16)));

PAJESIM__INLINE pajesim__bytes16 pajesim__load16(const void *bytes)
{
    pajesim__bytes16 v;
    memcpy(&v, bytes, sizeof v);
    return v;
}

PAJESIM__INLINE pajesim__bytes16 pajesim__splat16(unsigned char c)
{
    pajesim__bytes16 v = {c, c, c, c, c, c, c, c, c, c, c, c, c, c, c, c};
    return v;
}

/* Compares each byte with c: all ones where it is equal, or is <= c if `up_to`; else 0. */
PAJESIM__INLINE pajesim__bytes16 pajesim__compare16(pajesim__bytes16 v, unsigned char c, int up_to)
{
    pajesim__bytes16 limit = pajesim__splat16(c);
    return up_to ? (pajesim__bytes16)(v <= limit) : (pajesim__bytes16)(v == limit);
}

/* Bitmap of a comparison: a bit for each byte, 2^PAJESIM__BIT16_LOG2 places apart. */
#if PAJESIM__NEON
#define PAJESIM__BIT16_LOG2 2
PAJESIM__INLINE uint64_t pajesim__bitmap16(pajesim__bytes16 v)
{
    uint8x8_t nibbles = vshrn_n_u16(vreinterpretq_u16_u8((uint8x16_t)v), 4);
    return vget_lane_u64(vreinterpret_u64_u8(nibbles), 0) & UINT64_C(0x8888888888888888);
}
#elif PAJESIM__WASM
#define PAJESIM__BIT16_LOG2 0
PAJESIM__INLINE uint64_t pajesim__bitmap16(pajesim__bytes16 v) { return (uint32_t)wasm_i8x16_bitmask((v128_t)v); }
#else
#define PAJESIM__BIT16_LOG2 0
PAJESIM__INLINE uint64_t pajesim__bitmap16(pajesim__bytes16 v) { return (uint32_t)_mm_movemask_epi8((__m128i)v); }
#endif

/* Index of the first byte in a bitmap that is not 0; and 1 + the index of the last one, or 0. */
#define PAJESIM__FIRST16(bitmap) (pajesim__count_trailing_zeros(bitmap) >> PAJESIM__BIT16_LOG2)
#define PAJESIM__LAST16(bitmap) (pajesim__bit_width(bitmap) >> PAJESIM__BIT16_LOG2)

/* Moves all bytes to the next higher place; the lowest becomes 0. */
PAJESIM__INLINE pajesim__bytes16 pajesim__up_one_byte(pajesim__bytes16 v)
{
#if PAJESIM__NEON
    return (pajesim__bytes16)vextq_u8(vdupq_n_u8(0), (uint8x16_t)v, 15);
#elif PAJESIM__WASM
    return (pajesim__bytes16)wasm_i8x16_shuffle((v128_t)v, (v128_t)pajesim__splat16(0), 16, 0, 1, 2, 3, 4, 5, 6, 7, 8,
                                                9, 10, 11, 12, 13, 14);
#else
    return (pajesim__bytes16)_mm_slli_si128((__m128i)v, 1);
#endif
}

/* Sets the first eight bytes and the others. */
PAJESIM__INLINE void pajesim__halves(pajesim__bytes16 v, uint64_t *first, uint64_t *second)
{
    __extension__ typedef unsigned long long halves __attribute__((vector_size(16)));
    *first = ((halves)v)[0];
    *second = ((halves)v)[1];
}

/* Combines 16 digits (0 to 9) to pairs, pairs to fours, fours to eights, whose values it sets; returns 0 if a byte
 * exceeds 9. */
PAJESIM__INLINE int pajesim__combine_digits(pajesim__bytes16 v, uint64_t *high, uint64_t *low)
{
#if PAJESIM__NEON
    uint8x16_t digits = (uint8x16_t)v;
    uint16x8_t pairs;
    uint32x4_t fours;
    uint64x2_t eights;
    if (PAJESIM__UNLIKELY(vmaxvq_u8(digits) > 9))
        return 0;
    pairs = vpaddlq_u8(vmulq_u8(digits, vreinterpretq_u8_u16(vdupq_n_u16(10 | 1 << 8))));
    fours = vpaddlq_u16(vmulq_u16(pairs, vreinterpretq_u16_u32(vdupq_n_u32(100 | 1 << 16))));
    eights = vpaddlq_u32(vmulq_u32(fours, vreinterpretq_u32_u64(vdupq_n_u64(10000 | UINT64_C(1) << 32))));
    *high = vgetq_lane_u64(eights, 0);
    *low = vgetq_lane_u64(eights, 1);
#elif PAJESIM__WASM
    v128_t digits = (v128_t)v;
    if (PAJESIM__UNLIKELY(wasm_v128_any_true(wasm_u8x16_gt(digits, wasm_i8x16_splat(9)))))
        return 0;
    digits = wasm_i16x8_add(wasm_i16x8_mul(wasm_v128_and(digits, wasm_i16x8_splat(255)), wasm_i16x8_splat(10)),
                            wasm_u16x8_shr(digits, 8));
    digits = wasm_i32x4_dot_i16x8(digits, wasm_i32x4_splat(100 | 1 << 16));
    digits = wasm_i16x8_narrow_i32x4(digits, digits);
    digits = wasm_i32x4_dot_i16x8(digits, wasm_i32x4_splat(10000 | 1 << 16));
    *high = (uint32_t)wasm_i32x4_extract_lane(digits, 0);
    *low = (uint32_t)wasm_i32x4_extract_lane(digits, 1);
#else
    __m128i digits = (__m128i)v;
    uint64_t both;
    if (PAJESIM__UNLIKELY(_mm_movemask_epi8(_mm_adds_epu8(digits, _mm_set1_epi8(127 - 9)))))
        return 0;
    digits = _mm_add_epi16(_mm_mullo_epi16(_mm_and_si128(digits, _mm_set1_epi16(255)), _mm_set1_epi16(10)),
                           _mm_srli_epi16(digits, 8));
    digits = _mm_madd_epi16(digits, _mm_set1_epi32(100 | 1 << 16));
    digits = _mm_packs_epi32(digits, digits);
    digits = _mm_madd_epi16(digits, _mm_set1_epi32(10000 | 1 << 16));
    memcpy(&both, &digits, sizeof both);
    *high = both & UINT32_MAX;
    *low = both >> 32;
#endif
    return 1;
}
#endif /* PAJESIM__SIMD */

#if PAJESIM__BLOCKS
/* Compares 64 bytes as pajesim__compare16 does; returns a bit for each.  This and the functions of the same name for
 * AVX2 and AVX-512 are what the block scanner is built on. */
PAJESIM__INLINE uint64_t pajesim__match64_base(const unsigned char *p, unsigned char c, int up_to)
{
    pajesim__bytes16 m0 = pajesim__compare16(pajesim__load16(p), c, up_to);
    pajesim__bytes16 m1 = pajesim__compare16(pajesim__load16(p + 16), c, up_to);
    pajesim__bytes16 m2 = pajesim__compare16(pajesim__load16(p + 32), c, up_to);
    pajesim__bytes16 m3 = pajesim__compare16(pajesim__load16(p + 48), c, up_to);
#if !PAJESIM__BIT16_LOG2
    return pajesim__bitmap16(m0) | pajesim__bitmap16(m1) << 16 | pajesim__bitmap16(m2) << 32 |
           pajesim__bitmap16(m3) << 48;
#else
    /* Keeps a bit of each byte, by its place among eight, and gathers them by sums of neighbours. */
    const pajesim__bytes16 bit = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    uint8x16_t low = vpaddq_u8((uint8x16_t)(m0 & bit), (uint8x16_t)(m1 & bit));
    uint8x16_t high = vpaddq_u8((uint8x16_t)(m2 & bit), (uint8x16_t)(m3 & bit));
    low = vpaddq_u8(low, high);
    return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(low, low)), 0);
#endif
}

/* Eight numbers of 16 bits; operators work on each. */
typedef uint16_t pajesim__numbers8 __attribute__((vector_size(16)));

PAJESIM__INLINE pajesim__numbers8 pajesim__splat8(uint32_t number)
{
    uint16_t n = (uint16_t)number;
    pajesim__numbers8 v = {n, n, n, n, n, n, n, n};
    return v;
}

/* Loads eight bytes as numbers. */
PAJESIM__INLINE pajesim__numbers8 pajesim__widen8(const void *bytes)
{
#if PAJESIM__NEON
    return (pajesim__numbers8)vmovl_u8(vld1_u8((const uint8_t *)bytes));
#elif PAJESIM__WASM
    return (pajesim__numbers8)wasm_u16x8_load8x8(bytes);
#else
    return (pajesim__numbers8)_mm_unpacklo_epi8(_mm_loadl_epi64((const __m128i *)bytes), _mm_setzero_si128());
#endif
}

/* Stores offset and size of eight words whose bounds are given, relative to `origin`. */
PAJESIM__INLINE void pajesim__store_spans(uint32_t *to, const uint16_t *bounds, uint32_t origin)
{
#if PAJESIM__NEON
    const uint16x8_t begin = vdupq_n_u16((uint16_t)origin);
    uint16x8x2_t eight = vld2q_u16(bounds);
    uint16x8_t offset = vsubq_u16(eight.val[0], begin), size = vsubq_u16(eight.val[1], eight.val[0]);
    uint32x4x2_t spans;
    spans.val[0] = vmovl_u16(vget_low_u16(offset));
    spans.val[1] = vmovl_u16(vget_low_u16(size));
    vst2q_u32(to, spans);
    spans.val[0] = vmovl_u16(vget_high_u16(offset));
    spans.val[1] = vmovl_u16(vget_high_u16(size));
    vst2q_u32(to + 8, spans);
#elif PAJESIM__WASM
    const v128_t begin = wasm_i16x8_splat((int16_t)origin);
    v128_t four = wasm_i16x8_sub(wasm_v128_load(bounds), begin);
    v128_t next = wasm_i16x8_sub(wasm_v128_load(bounds + 8), begin);
    four = wasm_i16x8_sub(four, wasm_i32x4_shl(four, 16)); /* offset and size */
    next = wasm_i16x8_sub(next, wasm_i32x4_shl(next, 16));
    wasm_v128_store(to, wasm_u32x4_extend_low_u16x8(four));
    wasm_v128_store(to + 4, wasm_u32x4_extend_high_u16x8(four));
    wasm_v128_store(to + 8, wasm_u32x4_extend_low_u16x8(next));
    wasm_v128_store(to + 12, wasm_u32x4_extend_high_u16x8(next));
#else
    const __m128i zero = _mm_setzero_si128(), begin = _mm_set1_epi16((short)origin);
    __m128i four = _mm_sub_epi16(_mm_loadu_si128((const __m128i *)(const void *)bounds), begin);
    __m128i next = _mm_sub_epi16(_mm_loadu_si128((const __m128i *)(const void *)(bounds + 8)), begin);
    __m128i *spans = (__m128i *)(void *)to;
    four = _mm_sub_epi16(four, _mm_slli_epi32(four, 16)); /* offset and size */
    next = _mm_sub_epi16(next, _mm_slli_epi32(next, 16));
    _mm_storeu_si128(spans, _mm_unpacklo_epi16(four, zero));
    _mm_storeu_si128(spans + 1, _mm_unpackhi_epi16(four, zero));
    _mm_storeu_si128(spans + 2, _mm_unpacklo_epi16(next, zero));
    _mm_storeu_si128(spans + 3, _mm_unpackhi_epi16(next, zero));
#endif
}
#endif /* PAJESIM__BLOCKS */

/* Whether functions for AVX2 and AVX-512 are compiled as well, to be called where the processor has these. */
#if PAJESIM__BLOCKS && PAJESIM_SIMD > 1 && defined(__x86_64__) && __STDC_HOSTED__ && \
    (defined(__clang__) ? __clang_major__ >= 9 : __GNUC__ >= 9)
#define PAJESIM__AVX 1
#include <cpuid.h>
#include <immintrin.h>

enum { PAJESIM__CPU_SSE2 = 1, PAJESIM__CPU_AVX2, PAJESIM__CPU_AVX512 };

/* Detects what the processor has and the system saves.  (__builtin_cpu_supports needs a library.) */
static int pajesim__detect_cpu(void)
{
    unsigned a, b, c, d, saved, high;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE) || !(c & bit_POPCNT))
        return PAJESIM__CPU_SSE2; /* unreached: only on machines without AVX2 */
    __asm__ volatile("xgetbv" : "=a"(saved), "=d"(high) : "c"(0));
    if ((saved & 0x06) != 0x06 || !__get_cpuid_count(7, 0, &a, &b, &c, &d) || !(b & bit_AVX2) || !(b & bit_BMI))
        return PAJESIM__CPU_SSE2; /* unreached: only there, too */
    return (saved & 0xe6) == 0xe6 && (b & bit_BMI2) && (b & bit_AVX512F) && (b & bit_AVX512BW) && (c & bit_AVX512VBMI2)
               ? PAJESIM__CPU_AVX512
               : PAJESIM__CPU_AVX2;
}

#define PAJESIM__AVX2 target("avx2,bmi,popcnt")
#define PAJESIM__AVX512 target("avx512f,avx512bw,avx512vbmi2,bmi,bmi2,popcnt")

PAJESIM__INLINE __attribute__((PAJESIM__AVX2)) uint64_t pajesim__match32(const unsigned char *p, char c, int up_to)
{
    __m256i bytes = _mm256_loadu_si256((const __m256i *)(const void *)p), limit = _mm256_set1_epi8(c);
    return (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(up_to ? _mm256_min_epu8(bytes, limit) : limit, bytes));
}

PAJESIM__INLINE __attribute__((PAJESIM__AVX2)) uint64_t pajesim__match64_avx2(const unsigned char *p, char c, int up_to)
{
    return pajesim__match32(p, c, up_to) | pajesim__match32(p + 32, c, up_to) << 32;
}

PAJESIM__INLINE __attribute__((PAJESIM__AVX512)) uint64_t pajesim__match64_avx512(const unsigned char *p, char c,
                                                                                  int up_to)
{
    __m512i bytes = _mm512_loadu_si512(p), limit = _mm512_set1_epi8(c);
    return up_to ? _mm512_cmple_epu8_mask(bytes, limit) : _mm512_cmpeq_epi8_mask(bytes, limit);
}

/* Stores `from` plus the index of each bit that is set: 32 entries, or 64 if `many`; later stores overwrite the
 * surplus.  `index` holds 0 to 63. */
PAJESIM__INLINE __attribute__((PAJESIM__AVX512)) void pajesim__store_indices(uint16_t *to, uint64_t bits, __m512i index,
                                                                             uint32_t from, int many)
{
    const __m512i begin = _mm512_set1_epi16((short)from);
    __m512i packed = _mm512_maskz_compress_epi8(bits, index);
    __m512i low = _mm512_cvtepu8_epi16(_mm512_maskz_extracti64x4_epi64(0xff, packed, 0));
    _mm512_storeu_si512(to, _mm512_add_epi16(begin, low));
    if (many) {
        __m512i high = _mm512_cvtepu8_epi16(_mm512_maskz_extracti64x4_epi64(0xff, packed, 1));
        _mm512_storeu_si512(to + 32, _mm512_add_epi16(begin, high));
    }
}
#else
#define PAJESIM__AVX 0
#endif

/* ---------------- src/pajesim/memory/arena.h */

/* The arena allocator: size classes with free lists, in a block of memory that the caller provides.
 *
 * The arena begins with the state of the simulation; blocks follow.  Blocks are addressed by offset, never by
 * pointer, so the arena can be copied anywhere. A block that is freed goes to the free list of its size class.
 * Classes are 16, 32, 48, 64 bytes (8, 16, 24, ... 64 where references have 16 bits), then two for each power of two:
 * so a block is at most half as large again as its contents, and names of all lengths share a few classes.
 *
 * A line allocates all its blocks before it changes anything (pajesim__alloc).  Then it either commits them all
 * (pajesim__commit) or rolls them back (pajesim__rollback).  Allocation may run past the end of the arena: the total
 * is then exactly the capacity that the line needs. */

typedef pajesim_ref pajesim__offset;

#if PAJESIM_REFERENCE == 16
#define PAJESIM__UNIT 8u      /* bytes: offsets count these */
#define PAJESIM__CLASS_STEP 8u      /* between the classes up to 64 */
#define PAJESIM__CLASSES 34u  /* the last is of 512 KiB */
#define PAJESIM__CAPACITY_MAX (UINT16_MAX * PAJESIM__UNIT)
#define PAJESIM__LINE_MAX UINT16_MAX
#else
#define PAJESIM__UNIT 1u
#define PAJESIM__CLASS_STEP 16u
#define PAJESIM__CLASSES 55u  /* the last is of 3 GiB; one of 4 fits in no arena */
#define PAJESIM__CAPACITY_MAX UINT32_MAX
#define PAJESIM__LINE_MAX 0u  /* none */
#endif

/* Behind each record of an arena, an image or an index comes the list of its members, PAJESIM__..._MEMBERS(X, T), of
 * which pajesim__layout_fingerprint (travel/image.h) is made; tests/builds/layout.sh compares both.  These make the
 * members that depend on options. */
#if PAJESIM_REFERENCE == 16
#define PAJESIM__IF_16(...) __VA_ARGS__
#define PAJESIM__IF_32(...)
#else
#define PAJESIM__IF_16(...)
#define PAJESIM__IF_32(...) __VA_ARGS__
#endif
#if PAJESIM_CHECKS
#define PAJESIM__IF_CHECKS(...) __VA_ARGS__
#else
#define PAJESIM__IF_CHECKS(...)
#endif
#if PAJESIM_TRAVEL
#define PAJESIM__IF_TRAVEL(...) __VA_ARGS__
#else
#define PAJESIM__IF_TRAVEL(...)
#endif

/* The number of units that hold `size` bytes, rounded up. */
#define PAJESIM__UNITS(size) (((size) + PAJESIM__UNIT - 1) / PAJESIM__UNIT)

/* The allocator's own state, at the very beginning of the arena: the high-water mark, and the free lists. */
typedef struct pajesim__heap {
    uint32_t top;
    pajesim__offset free_list[PAJESIM__CLASSES];
} pajesim__heap;
#define PAJESIM__HEAP_MEMBERS(X, T) \
    X(T, top) X(T, free_list)

/* sim->commit_work: what pajesim__ready must do before the current line takes effect; 0: nothing. */
enum pajesim__commit_work {
    PAJESIM__COMMIT_FULL = 1, /* commit blocks, call the line callback, report warnings */
    PAJESIM__COMMIT_SHOW      /* call the line callback only */
};

#define PAJESIM__BYTES(sim, offset) ((sim)->arena + (size_t)(offset) * PAJESIM__UNIT)
#define PAJESIM__AT(sim, type, offset) ((type *)(void *)PAJESIM__BYTES(sim, offset))
#define PAJESIM__HEAP(sim) ((pajesim__heap *)(void *)(sim)->arena)
#define PAJESIM__CONST_HEAP(sim) ((const pajesim__heap *)(const void *)(sim)->arena)

/* Whether an arena may begin here: it holds nothing with a stricter alignment than 64-bit integers. */
static int pajesim__is_aligned(const void *arena)
{
    struct pair {
        char one;
        uint64_t other;
    };
    return (uintptr_t)arena % offsetof(struct pair, other) == 0;
}

/* Returns the smallest size class that holds `size` bytes. */
static uint32_t pajesim__class_of(pajesim__size size)
{
    uint32_t bits;
    if (size <= 64)
        return size ? (uint32_t)((size - 1) / PAJESIM__CLASS_STEP) : 0;
    bits = pajesim__bit_width(size - 1);
    return 64 / PAJESIM__CLASS_STEP + 2 * (bits - 7) + (size > ((pajesim__size)3 << (bits - 2)));
}

/* Returns the size of the blocks of a class, in bytes. */
static pajesim__size pajesim__class_size(uint32_t size_class)
{
    uint32_t step;
    if (size_class < 64 / PAJESIM__CLASS_STEP)
        return PAJESIM__CLASS_STEP * (size_class + 1);
    step = (size_class - 64 / PAJESIM__CLASS_STEP) >> 1;
    return (size_class & 1) ? (pajesim__size)128 << step : (pajesim__size)96 << step;
}

/* Allocates a block for the current line.  Its offset may lie beyond the arena: write to it only after pajesim__fits
 * returned 1. */
static pajesim__offset pajesim__alloc(pajesim *sim, pajesim__size size)
{
    pajesim__heap *heap = PAJESIM__HEAP(sim);
    uint32_t size_class = pajesim__class_of(size);
    pajesim__offset offset = 0;
    PAJESIM__ASSERT(size && sim->top >= heap->top && sim->top % PAJESIM__UNIT == 0);
    PAJESIM__ASSERT(sim->allocs < sizeof sim->alloc_offset / sizeof *sim->alloc_offset);
    sim->commit_work = PAJESIM__COMMIT_FULL;
    if (size_class < PAJESIM__CLASSES)
        offset = heap->free_list[size_class];
    if (offset) {
        PAJESIM__ASSERT((pajesim__size)offset * PAJESIM__UNIT + pajesim__class_size(size_class) <= heap->top);
        memcpy(&heap->free_list[size_class], PAJESIM__BYTES(sim, offset), sizeof offset);
        sim->alloc_offset[sim->allocs] = offset;
        sim->alloc_class[sim->allocs++] = (uint8_t)size_class;
        return offset;
    }
    offset = (pajesim__offset)(sim->top / PAJESIM__UNIT);
    sim->top += pajesim__class_size(size_class);
    return offset;
}

/* Whether all allocations of the current line lie within the arena. */
PAJESIM__INLINE int pajesim__fits(const pajesim *sim)
{
    return sim->top <= sim->capacity;
}

/* Commits the allocations of the current line.  Clears fresh memory, so that equal simulations have equal images. */
static void pajesim__commit(pajesim *sim)
{
    pajesim__heap *heap = PAJESIM__HEAP(sim);
    PAJESIM__ASSERT(pajesim__fits(sim) && sim->top >= heap->top);
    memset(sim->arena + heap->top, 0, (size_t)(sim->top - heap->top));
    heap->top = (uint32_t)sim->top;
    sim->allocs = 0;
}

/* Rolls back the current line's allocations: restores the free lists exactly. */
static void pajesim__rollback(pajesim *sim)
{
    pajesim__heap *heap = PAJESIM__HEAP(sim);
    while (sim->allocs) {
        sim->allocs--;
        heap->free_list[sim->alloc_class[sim->allocs]] = sim->alloc_offset[sim->allocs];
    }
    sim->top = heap->top;
}

/* Frees a block of `size` bytes.  Allowed only after the current line's pajesim__commit. */
static void pajesim__free(pajesim *sim, pajesim__offset offset, pajesim__size size)
{
    pajesim__offset *list = &PAJESIM__HEAP(sim)->free_list[pajesim__class_of(size)];
    PAJESIM__ASSERT(!sim->allocs && sim->top == PAJESIM__HEAP(sim)->top); /* the line at hand has committed */
    PAJESIM__ASSERT(offset && size && *list != offset &&
                    (pajesim__size)offset * PAJESIM__UNIT + pajesim__class_size(pajesim__class_of(size)) <= sim->top);
    memcpy(PAJESIM__BYTES(sim, offset), list, sizeof *list);
    *list = offset;
}

/* A text is a block that holds its size, then its bytes. */
typedef pajesim__offset pajesim__text; /* 0: none */

/* Allocates a block for a text of `size` bytes; pajesim__write_text fills it after the commit. */
static pajesim__text pajesim__alloc_text(pajesim *sim, uint32_t size)
{
    return pajesim__alloc(sim, (pajesim__size)size + sizeof(pajesim__length));
}

static void pajesim__write_text(pajesim *sim, pajesim__text text, const void *bytes, uint32_t size)
{
    pajesim__length length = (pajesim__length)size;
    PAJESIM__ASSERT(text && length == size &&
                    (pajesim__size)text * PAJESIM__UNIT + sizeof length + size <= PAJESIM__HEAP(sim)->top);
    memcpy(PAJESIM__BYTES(sim, text), &length, sizeof length);
    memcpy(PAJESIM__BYTES(sim, text) + sizeof length, bytes, length);
}

static pajesim_text pajesim__view(const char *bytes, size_t size)
{
    pajesim_text view;
    view.bytes = bytes;
    view.size = size;
    return view;
}

static pajesim_text pajesim__text_at(const pajesim *sim, pajesim__text text)
{
    pajesim__length size;
    if (!text)
        return pajesim__view("", 0);
    memcpy(&size, PAJESIM__BYTES(sim, text), sizeof size);
    PAJESIM__ASSERT((pajesim__size)text * PAJESIM__UNIT + sizeof size + size <= PAJESIM__CONST_HEAP(sim)->top);
    return pajesim__view((const char *)PAJESIM__BYTES(sim, text) + sizeof size, size);
}

static void pajesim__free_text(pajesim *sim, pajesim__text text)
{
    if (text)
        pajesim__free(sim, text, (pajesim__size)(pajesim__text_at(sim, text).size + sizeof(pajesim__length)));
}

/* ---------------- src/pajesim/memory/identifiers.h */

/* Identifiers: keys of the hash tables.
 *
 * An identifier of up to 16 bytes, as nearly all are, is stored in two words, so lookups compare words.  A longer one
 * has its first 8 bytes and a hash of the rest in the words, and all its bytes in a block of their own.  Where
 * references have 16 bits, words are half as large. */

#if PAJESIM_REFERENCE == 16
typedef uint32_t pajesim__half;
#else
typedef uint64_t pajesim__half;
#endif

#define PAJESIM__HALF ((uint32_t)sizeof(pajesim__half))

/* An identifier to look up: of a line, or of the caller. */
typedef struct pajesim__key {
    pajesim__half lo, hi;
    const unsigned char *bytes;
    uint32_t size;
} pajesim__key;

/* An identifier in the arena: each record that a table finds begins with one. */
typedef struct pajesim__id {
    pajesim__half lo, hi;
    pajesim__length size;
    pajesim__offset bytes;   /* block of an identifier that does not fit in the words; else 0 */
    pajesim_ref scope, subscope; /* what it is unique within: of a value its type; of a link its container and type */
#if PAJESIM_REFERENCE == 16
    pajesim__offset next; /* record in the same list of a table */
#endif
} pajesim__id;
#define PAJESIM__ID_MEMBERS(X, T) \
    X(T, lo) X(T, hi) X(T, size) X(T, bytes) X(T, scope) X(T, subscope) PAJESIM__IF_16(X(T, next))

/* Multipliers of hashes: odd, so that multiplication loses no bit; their lower halves are odd, too. */
#define PAJESIM__MIX1 ((pajesim__half)UINT64_C(0x9E3779B97F4A7C15))
#define PAJESIM__MIX2 ((pajesim__half)UINT64_C(0xFF51AFD7ED558CCD))
#define PAJESIM__MIX3 ((pajesim__half)UINT64_C(0xC4CEB9FE1A85EC53))
#define PAJESIM__MIX4 ((pajesim__half)UINT64_C(0x100000001B3))

PAJESIM__INLINE pajesim__half pajesim__load_half(const void *bytes)
{
    pajesim__half half;
    memcpy(&half, bytes, sizeof half);
    return half;
}

PAJESIM__COLD pajesim__key pajesim__long_key(const unsigned char *bytes, uint32_t size)
{
    pajesim__key key;
    pajesim__half hash = size;
    uint32_t i;
    for (i = PAJESIM__HALF; !PAJESIM_SMALL && i + PAJESIM__HALF <= size; i += PAJESIM__HALF) {
        hash = (hash ^ pajesim__load_half(bytes + i)) * PAJESIM__MIX1;
        hash ^= hash >> 4 * PAJESIM__HALF;
    }
    for (; i < size; i++)
        hash = (hash ^ bytes[i]) * PAJESIM__MIX4;
    key.lo = pajesim__load_half(bytes);
    key.hi = hash ^ (hash >> 29);
    key.bytes = bytes;
    key.size = size;
    return key;
}

/* Makes a key from `size` bytes. */
static pajesim__key pajesim__key_of(const void *bytes, uint32_t size)
{
    pajesim__half words[2];
    pajesim__key key;
    if (size > 2 * PAJESIM__HALF)
        return pajesim__long_key((const unsigned char *)bytes, size);
    memset(words, 0, sizeof words);
    if (size)
        memcpy(words, bytes, (size_t)size);
    key.lo = words[0];
    key.hi = words[1];
    key.bytes = (const unsigned char *)bytes;
    key.size = size;
    return key;
}

/* The key of a word of a line.  `padded` is PAJESIM__PADDED where PAJESIM__PADDING bytes behind the line may be read,
 * so that the 16 bytes of a short word are loaded at once; else 0. */
#define PAJESIM__PADDED 17u /* the least size that is too long for that */

PAJESIM__INLINE pajesim__key pajesim__key_of_word(const unsigned char *bytes, uint32_t size, uint32_t padded)
{
#if PAJESIM__SIMD && PAJESIM_REFERENCE != 16
    static const unsigned char mask[32] = {255, 255, 255, 255, 255, 255, 255, 255,
                                           255, 255, 255, 255, 255, 255, 255, 255};
    pajesim__key key;
    pajesim__bytes16 word;
    key.bytes = bytes;
    key.size = size;
    if (PAJESIM__UNLIKELY(size >= padded)) {
        pajesim__key slow = pajesim__key_of(bytes, size);
        key.lo = slow.lo;
        key.hi = slow.hi;
        return key;
    }
    word = pajesim__load16(bytes) & pajesim__load16(mask + 16 - size);
    pajesim__halves(word, &key.lo, &key.hi);
    return key;
#else
    (void)padded;
    return pajesim__key_of(bytes, size);
#endif
}

#if PAJESIM__SIMD && PAJESIM_REFERENCE != 16
/* As pajesim__key_of_word, faster for words of one to eight bytes. */
PAJESIM__INLINE pajesim__key pajesim__key_of_number(const unsigned char *bytes, uint32_t size, uint32_t padded)
{
    pajesim__key key;
    if (PAJESIM__UNLIKELY(size - 1 >= 8 || !padded))
        return pajesim__key_of_word(bytes, size, padded);
    key.lo = pajesim__load64(bytes) & UINT64_MAX >> (64 - 8 * size);
    key.hi = 0;
    key.bytes = bytes;
    key.size = size;
    return key;
}
#endif

/* Hashes a key.  Multiplication spreads differences upwards only, so the high halves are folded down before the last
 * product, whose highest bits are the best.  (Identifiers often differ only in their last digits, which may lie
 * anywhere in the words.) */
PAJESIM__INLINE pajesim__half pajesim__mix(const pajesim__key *key, uint32_t scope, uint32_t subscope)
{
    pajesim__half x = (key->lo + scope) * PAJESIM__MIX1;
    pajesim__half y = (key->hi + subscope) * PAJESIM__MIX2;
    x ^= y >> 4 * PAJESIM__HALF | y << 4 * PAJESIM__HALF;
    return (x ^ (x >> 4 * PAJESIM__HALF)) * PAJESIM__MIX3;
}

/* The hash of a table entry.  Never 0 where 0 marks a free slot; no table is so large that it uses the lowest bit. */
PAJESIM__INLINE uint32_t pajesim__hash(const pajesim__key *key, uint32_t scope, uint32_t subscope)
{
    return (uint32_t)(pajesim__mix(key, scope, subscope) >> (8 * PAJESIM__HALF - 32)) | (PAJESIM_REFERENCE != 16);
}

/* Makes a key that serves for hashing only: it has no bytes. */
static pajesim__key pajesim__key_of_id(const pajesim__id *id)
{
    pajesim__key key;
    key.lo = id->lo;
    key.hi = id->hi;
    key.bytes = NULL;
    key.size = id->size;
    return key;
}

static uint32_t pajesim__hash_of_id(const pajesim__id *id)
{
    pajesim__key key = pajesim__key_of_id(id);
    return pajesim__hash(&key, id->scope, id->subscope);
}

/* Allocates the block of an identifier that does not fit in the words; returns 0 if it needs none. */
static pajesim__offset pajesim__alloc_id(pajesim *sim, const pajesim__key *key)
{
    return key->size > 2 * PAJESIM__HALF ? pajesim__alloc(sim, key->size) : 0;
}

static void pajesim__init_id(pajesim *sim, pajesim__id *id, const pajesim__key *key, pajesim__offset bytes,
                             uint32_t scope, uint32_t subscope)
{
    PAJESIM__ASSERT((bytes != 0) == (key->size > 2 * PAJESIM__HALF));
    id->lo = key->lo;
    id->hi = key->hi;
    id->size = (pajesim__length)key->size;
    id->bytes = bytes;
    id->scope = (pajesim_ref)scope;
    id->subscope = (pajesim_ref)subscope;
    if (bytes)
        memcpy(PAJESIM__BYTES(sim, bytes), key->bytes, (size_t)key->size);
}

static void pajesim__free_id(pajesim *sim, const pajesim__id *id)
{
    if (id->bytes)
        pajesim__free(sim, id->bytes, id->size);
}

static pajesim_text pajesim__id_text(const pajesim *sim, const pajesim__id *id)
{
    return pajesim__view(id->bytes ? (const char *)PAJESIM__BYTES(sim, id->bytes) : (const char *)&id->lo, id->size);
}

PAJESIM__INLINE int pajesim__id_equals(const pajesim *sim, const pajesim__id *id, const pajesim__key *key,
                                       uint32_t scope, uint32_t subscope)
{
    return ((id->lo ^ key->lo) | (id->hi ^ key->hi)) == 0 && id->size == key->size && id->scope == scope &&
           id->subscope == subscope &&
           (key->size <= 2 * PAJESIM__HALF || memcmp(PAJESIM__BYTES(sim, id->bytes), key->bytes, id->size) == 0);
}

/* ---------------- src/pajesim/memory/critbit.h */

/* A crit-bit tree of identifiers, for those that a hash table cannot place near their home slot.  Its depth is
 * bounded by the number of bits of the identifiers, whatever they are: so crafted collisions cannot make it slow. */

#if PAJESIM_REFERENCE != 16
/* Tests one bit of the key: `mask` of byte `byte`.  A child is an odd number, one more than the offset of a node, or
 * the even offset of a record. */
typedef struct pajesim__critbit_node {
    uint32_t byte, mask;
    pajesim__offset below[2];
} pajesim__critbit_node;
#define PAJESIM__CRITBIT_NODE_MEMBERS(X, T) \
    X(T, byte) X(T, mask) X(T, below)

#define PAJESIM__CRITBIT_NODE_AT(sim, below) PAJESIM__AT(sim, pajesim__critbit_node, (below) - 1)

/* The whole key of the tree: an identifier and the scopes that it is unique within. */
typedef struct pajesim__critbit_key {
    pajesim__key key;
    uint32_t scope, subscope;
} pajesim__critbit_key;

/* Returns byte `index` of the key: the words, size and scopes first, then the bytes of a long identifier; 0 beyond. */
static uint32_t pajesim__critbit_byte(const pajesim__critbit_key *full, uint32_t index)
{
    const pajesim__key *key = &full->key;
    if (index < 16)
        return (uint32_t)((index < 8 ? key->lo : key->hi) >> 8 * (index & 7)) & 255;
    if (index < 28)
        return (index < 20 ? key->size : index < 24 ? full->scope : full->subscope) >> 8 * (index & 3) & 255;
    return key->size > 16 && index - 28 < key->size ? key->bytes[index - 28] : 0;
}

static pajesim__critbit_key pajesim__critbit_key_of(const pajesim *sim, const pajesim__id *id)
{
    pajesim__critbit_key full;
    full.key.lo = id->lo;
    full.key.hi = id->hi;
    full.key.size = id->size;
    full.key.bytes = PAJESIM__BYTES(sim, id->bytes);
    full.scope = id->scope;
    full.subscope = id->subscope;
    return full;
}

/* Returns the only record in the tree that may have this key; the caller compares. */
static pajesim__offset pajesim__critbit_descend(const pajesim *sim, pajesim__offset at,
                                                const pajesim__critbit_key *full)
{
    while (at & 1) {
        const pajesim__critbit_node *node = PAJESIM__CRITBIT_NODE_AT(sim, at);
        at = node->below[(pajesim__critbit_byte(full, node->byte) & node->mask) != 0];
    }
    return at;
}

static pajesim__offset pajesim__critbit_find(const pajesim *sim, pajesim__offset tree, const pajesim__key *key,
                                             uint32_t scope, uint32_t subscope)
{
    pajesim__critbit_key full;
    pajesim__offset offset;
    full.key = *key;
    full.scope = scope;
    full.subscope = subscope;
    offset = pajesim__critbit_descend(sim, tree, &full);
    return pajesim__id_equals(sim, PAJESIM__AT(sim, const pajesim__id, offset), key, scope, subscope) ? offset : 0;
}

/* As pajesim__critbit_find, but makes the key from its bytes: the hot caller then keeps its own key in registers. */
PAJESIM__COLD pajesim__offset pajesim__critbit_find_bytes(const pajesim *sim, pajesim__offset tree, const void *bytes,
                                                          uint32_t size, uint32_t scope, uint32_t subscope)
{
    pajesim__key key = pajesim__key_of(bytes, size);
    return pajesim__critbit_find(sim, tree, &key, scope, subscope);
}

/* Inserts the record at `offset`.  `taken` is a block for a node; returns 0 if the tree was empty and needs none. */
static int pajesim__critbit_insert(pajesim *sim, pajesim__offset *tree, pajesim__offset taken, pajesim__offset offset)
{
    pajesim__critbit_key full = pajesim__critbit_key_of(sim, PAJESIM__AT(sim, pajesim__id, offset)), other;
    pajesim__offset *at = tree;
    pajesim__critbit_node *node = PAJESIM__AT(sim, pajesim__critbit_node, taken);
    uint32_t differing;
    PAJESIM__ASSERT(offset % 2 == 0 && (taken || !*tree)); /* odd numbers lead to nodes */
    if (!*tree) {
        *tree = offset;
        return 0;
    }
    other = pajesim__critbit_key_of(sim, PAJESIM__AT(sim, pajesim__id, pajesim__critbit_descend(sim, *tree, &full)));
    for (node->byte = 0;; node->byte++) {
        differing = pajesim__critbit_byte(&full, node->byte) ^ pajesim__critbit_byte(&other, node->byte);
        if (differing)
            break;
    }
    node->mask = UINT32_C(1) << (pajesim__bit_width(differing) - 1);
    while (*at & 1) {
        pajesim__critbit_node *above = PAJESIM__CRITBIT_NODE_AT(sim, *at);
        if (above->byte > node->byte || (above->byte == node->byte && above->mask < node->mask))
            break;
        at = &above->below[(pajesim__critbit_byte(&full, above->byte) & above->mask) != 0];
    }
    differing = (pajesim__critbit_byte(&full, node->byte) & node->mask) != 0;
    node->below[differing] = offset;
    node->below[!differing] = *at;
    *at = taken + 1;
    return 1;
}

static void pajesim__critbit_remove(pajesim *sim, pajesim__offset *tree, pajesim__offset offset)
{
    pajesim__critbit_key full = pajesim__critbit_key_of(sim, PAJESIM__AT(sim, pajesim__id, offset));
    pajesim__offset *at = tree, gone;
    uint32_t side = 0;
    pajesim__critbit_node *node = NULL;
    if (*tree == offset) {
        *tree = 0;
        return;
    }
    for (;;) {
        node = PAJESIM__CRITBIT_NODE_AT(sim, *at);
        side = (pajesim__critbit_byte(&full, node->byte) & node->mask) != 0;
        if (!(node->below[side] & 1))
            break;
        at = &node->below[side];
    }
    gone = *at - 1;
    *at = node->below[!side];
    pajesim__free(sim, gone, sizeof *node);
}
#endif

/* ---------------- src/pajesim/memory/table.h */

/* Hash tables that find records by their identifiers. */

#if PAJESIM_REFERENCE == 16
#define PAJESIM__LISTS 16u
#endif

/* A hash table of records that begin with a pajesim__id. */
typedef struct pajesim__table {
#if PAJESIM_REFERENCE == 16
    pajesim__offset lists[PAJESIM__LISTS];
#else
    pajesim__offset entries;
    uint32_t log2; /* of the number of slots */
    uint32_t count;
    pajesim__offset tree; /* crit-bit tree of records without a slot; 0: none */
#endif
} pajesim__table;
#define PAJESIM__TABLE_MEMBERS(X, T) \
    PAJESIM__IF_16(X(T, lists)) PAJESIM__IF_32(X(T, entries) X(T, log2) X(T, count) X(T, tree))

#if PAJESIM_REFERENCE == 16
/* Chained lists, by hash: little code and memory, good for some hundreds of records. */

PAJESIM__INLINE pajesim__offset pajesim__table_find_hashed(const pajesim *sim, const pajesim__table *table,
                                                           const pajesim__key *key, uint32_t scope, uint32_t subscope,
                                                           uint32_t hash)
{
    pajesim__offset offset = table->lists[hash % PAJESIM__LISTS];
    while (offset && !pajesim__id_equals(sim, PAJESIM__AT(sim, const pajesim__id, offset), key, scope, subscope))
        offset = PAJESIM__AT(sim, const pajesim__id, offset)->next;
    return offset;
}

typedef pajesim__offset pajesim__table_reservation;

static pajesim__table_reservation pajesim__table_reserve(pajesim *sim, const pajesim__table *table, uint32_t hash)
{
    (void)sim, (void)table, (void)hash;
    return 0;
}

static pajesim__offset *pajesim__table_list(pajesim *sim, pajesim__table *table, pajesim__offset offset)
{
    return &table->lists[pajesim__hash_of_id(PAJESIM__AT(sim, pajesim__id, offset)) % PAJESIM__LISTS];
}

static void pajesim__table_insert(pajesim *sim, pajesim__table *table, const pajesim__table_reservation *taken,
                                  pajesim__offset offset)
{
    pajesim__offset *list = pajesim__table_list(sim, table, offset);
    (void)taken;
    PAJESIM__AT(sim, pajesim__id, offset)->next = *list;
    *list = offset;
}

static void pajesim__table_remove(pajesim *sim, pajesim__table *table, pajesim__offset offset)
{
    pajesim__offset *at = pajesim__table_list(sim, table, offset);
    while (*at != offset) {
        PAJESIM__ASSERT(*at); /* it is in the table */
        at = &PAJESIM__AT(sim, pajesim__id, *at)->next;
    }
    *at = PAJESIM__AT(sim, pajesim__id, offset)->next;
}

static void pajesim__table_alloc(pajesim *sim, pajesim__table *table, uint32_t log2)
{
    (void)sim, (void)table, (void)log2;
}

#else
/* Open addressing with linear probing.  No entry is PAJESIM__PROBES slots or more from its home slot; a record that
 * would be, as with identifiers crafted to collide, goes to a crit-bit tree.  So every lookup is short. */

#ifndef PAJESIM__PROBES
#define PAJESIM__PROBES 32u /* random hashes reach this once in 10^9 insertions; tests set fewer */
#endif

typedef struct pajesim__entry {
    uint32_t hash; /* 0: free */
    pajesim__offset offset;
} pajesim__entry;
#define PAJESIM__ENTRY_MEMBERS(X, T) \
    X(T, hash) X(T, offset)

/* Returns the home slot of a hash. */
PAJESIM__INLINE uint32_t pajesim__table_home(uint32_t hash, uint32_t log2)
{
    return hash >> (32 - log2);
}

PAJESIM__INLINE pajesim__offset pajesim__table_find_hashed(const pajesim *sim, const pajesim__table *table,
                                                           const pajesim__key *key, uint32_t scope, uint32_t subscope,
                                                           uint32_t hash)
{
    const pajesim__entry *entries = PAJESIM__AT(sim, const pajesim__entry, table->entries);
    uint32_t mask = (UINT32_C(1) << table->log2) - 1;
    uint32_t i = pajesim__table_home(hash, table->log2), probes = 0;
    for (;; i = (i + 1) & mask) {
        if (PAJESIM__LIKELY(entries[i].hash == hash) && /* a free slot has 0, which no hash is */
            PAJESIM__LIKELY(
                pajesim__id_equals(sim, PAJESIM__AT(sim, const pajesim__id, entries[i].offset), key, scope, subscope)))
            return entries[i].offset;
        if (!entries[i].offset || ++probes == PAJESIM__PROBES)
            break;
    }
    return PAJESIM__LIKELY(!table->tree)
               ? 0
               : pajesim__critbit_find_bytes(sim, table->tree, key->bytes, key->size, scope, subscope);
}

/* Puts an entry into the next free slot; returns 0 if that is PAJESIM__PROBES or more away. */
static int pajesim__table_place(pajesim__entry *entries, uint32_t log2, uint32_t hash, pajesim__offset offset)
{
    uint32_t mask = (UINT32_C(1) << log2) - 1, i = pajesim__table_home(hash, log2), beyond = i + PAJESIM__PROBES;
    while (entries[i & mask].offset)
        if (++i == beyond)
            return 0;
    entries[i & mask].hash = hash;
    entries[i & mask].offset = offset;
    return 1;
}

/* Moves an entry to a table twice as large.  The entry farther from its home slot wins a contested slot, so that no
 * entry gets too far: none was before. */
static void pajesim__table_move_entry(pajesim__entry *entries, uint32_t log2, pajesim__entry entry)
{
    uint32_t mask = (UINT32_C(1) << log2) - 1, i = pajesim__table_home(entry.hash, log2), far = 0;
    for (; entries[i].offset; i = (i + 1) & mask, far++) {
        uint32_t other = (i - pajesim__table_home(entries[i].hash, log2)) & mask;
        if (other < far) {
            pajesim__entry there = entries[i];
            entries[i] = entry;
            entry = there;
            far = other;
        }
    }
    entries[i] = entry;
}

/* Load factor 1/4, so that nearly every record is in its home slot: branch misses cost more than memory.  Large
 * tables have 3/8: there memory costs more.  A table that must grow allocates the new slots with the rest of what the
 * line needs; pajesim__table_insert moves the entries.  Whether the new record then has a slot is not known before:
 * so a node for the tree is reserved as well, and freed if it is not used. */
typedef struct pajesim__table_reservation {
    pajesim__offset grown, node;
} pajesim__table_reservation;

/* Bytes of the new slots that one more entry requires; 0: none. */
static pajesim__size pajesim__table_growth(const pajesim__table *table)
{
    uint32_t eighths = table->log2 < 17 ? 2 : 3;
    return table->count >= (eighths << table->log2 >> 3)
               ? (pajesim__size)sizeof(pajesim__entry) << (table->log2 + 1)
               : 0;
}

static pajesim__size pajesim__table_node_size(const pajesim *sim, const pajesim__table *table, uint32_t hash)
{
    const pajesim__entry *entries = PAJESIM__AT(sim, const pajesim__entry, table->entries);
    uint32_t mask = (UINT32_C(1) << table->log2) - 1;
    uint32_t i = pajesim__table_home(hash, table->log2), beyond = i + PAJESIM__PROBES;
    if (pajesim__table_growth(table))
        return sizeof(pajesim__critbit_node);
    for (; i != beyond; i++)
        if (!entries[i & mask].offset)
            return 0;
    return sizeof(pajesim__critbit_node);
}

static pajesim__table_reservation pajesim__table_reserve(pajesim *sim, const pajesim__table *table, uint32_t hash)
{
    pajesim__table_reservation taken = {0, 0};
    if (pajesim__table_growth(table))
        taken.grown = pajesim__alloc(sim, pajesim__table_growth(table));
    if (pajesim__table_node_size(sim, table, hash))
        taken.node = pajesim__alloc(sim, sizeof(pajesim__critbit_node));
    return taken;
}

static void pajesim__table_insert(pajesim *sim, pajesim__table *table, const pajesim__table_reservation *taken,
                                  pajesim__offset offset)
{
    uint32_t hash = pajesim__hash_of_id(PAJESIM__AT(sim, pajesim__id, offset));
    PAJESIM__ASSERT(!sim->allocs && (taken->grown || !pajesim__table_growth(table)));
    if (taken->grown) {
        const pajesim__entry *entries = PAJESIM__AT(sim, const pajesim__entry, table->entries);
        pajesim__entry *wider = PAJESIM__AT(sim, pajesim__entry, taken->grown);
        uint32_t size = UINT32_C(1) << table->log2, i;
        memset(wider, 0, 2 * (size_t)size * sizeof *wider);
        for (i = 0; i < size; i++)
            if (entries[i].offset)
                pajesim__table_move_entry(wider, table->log2 + UINT32_C(1), entries[i]);
        pajesim__free(sim, table->entries, size * (pajesim__size)sizeof *entries);
        table->entries = taken->grown;
        table->log2++;
    }
    table->count++;
    if ((pajesim__table_place(PAJESIM__AT(sim, pajesim__entry, table->entries), table->log2, hash, offset) ||
         !pajesim__critbit_insert(sim, &table->tree, taken->node, offset)) &&
        taken->node)
        pajesim__free(sim, taken->node, sizeof(pajesim__critbit_node));
}

static void pajesim__table_remove(pajesim *sim, pajesim__table *table, pajesim__offset offset)
{
    pajesim__entry *entries = PAJESIM__AT(sim, pajesim__entry, table->entries);
    uint32_t mask = (UINT32_C(1) << table->log2) - 1;
    uint32_t hole = pajesim__table_home(pajesim__hash_of_id(PAJESIM__AT(sim, pajesim__id, offset)), table->log2), i;
    uint32_t beyond = hole + PAJESIM__PROBES;
    PAJESIM__ASSERT(table->count);
    table->count--;
    for (; entries[hole & mask].offset != offset; hole++)
        if (hole == beyond || !entries[hole & mask].offset) {
            pajesim__critbit_remove(sim, &table->tree, offset);
            return;
        }
    /* Backward-shift deletion: later entries that are away from home move up; none is PAJESIM__PROBES away. */
    for (i = hole + 1; entries[i & mask].offset && i - hole < PAJESIM__PROBES; i++)
        if (((i - pajesim__table_home(entries[i & mask].hash, table->log2)) & mask) >= i - hole) {
            entries[hole & mask] = entries[i & mask];
            hole = i;
        }
    memset(&entries[hole & mask], 0, sizeof *entries);
}

/* Allocates the slots of an empty table. */
static void pajesim__table_alloc(pajesim *sim, pajesim__table *table, uint32_t log2)
{
    table->log2 = (pajesim__length)log2;
    table->entries = pajesim__alloc(sim, (pajesim__size)sizeof(pajesim__entry) << log2);
}

#endif /* PAJESIM_REFERENCE */

static pajesim__offset pajesim__table_find(const pajesim *sim, const pajesim__table *table, const pajesim__key *key,
                                           uint32_t scope, uint32_t subscope)
{
    return pajesim__table_find_hashed(sim, table, key, scope, subscope, pajesim__hash(key, scope, subscope));
}

/* ---------------- src/pajesim/memory/used_ids.h */

/* The set of identifiers that were used, in strict mode: those of containers and keys of links may not be used twice,
 * so their fingerprints are never removed.
 *
 * Identifiers that only differ in a last digit of 0 to 4, or of 5 to 9, are a group, and share one fingerprint: 59
 * bits of a hash of what they have in common (27 bits where references have 16), and 5 bits for which of them were
 * used.  Keys mostly count up, so groups save four fifths of the memory.
 *
 * Linear hashing (Litwin 1980): one bucket is split at a time, so the memory grows smoothly, by about 12 bytes for
 * each fingerprint, and no line waits for a rehash of all.  A bucket that is full before its turn chains another
 * block; a fingerprint that would make a chain longer than PAJESIM__CHAIN, as only crafted identifiers do, goes to a
 * tree. The probability that two different identifiers of n collide is n*n / 2^62: 2 in 10,000 for 30 million. */

/* The set. */
typedef struct pajesim__used_ids {
    pajesim__offset directory; /* of buckets */
    pajesim__length capacity;  /* of the directory */
    pajesim__length buckets;
    uint32_t count;
    uint32_t latest; /* where the fingerprint inserted last is, in bytes; 0: unknown */
#if PAJESIM_REFERENCE != 16
    pajesim__offset tree; /* crit-bit tree of fingerprints without a place in a chain; 0: none */
#endif
} pajesim__used_ids;
#define PAJESIM__USED_IDS_MEMBERS(X, T) \
    X(T, directory) X(T, capacity) X(T, buckets) X(T, count) X(T, latest) PAJESIM__IF_32(X(T, tree))

#ifndef PAJESIM__BUCKET     /* tests set fewer */
#define PAJESIM__BUCKET 31u /* fingerprints in a bucket of 256 bytes, or 128 */
#endif
#define PAJESIM__SPLIT 25u  /* per bucket on average, before one is split */
#define PAJESIM__CHAIN 4u   /* blocks */
#define PAJESIM__GROUP_BITS ((pajesim__half)31) /* bits of a fingerprint: which identifiers of the group were used */

/* The fingerprint at byte `at` of the arena. */
#define PAJESIM__FINGERPRINT_AT(sim, at) ((pajesim__half *)(void *)((sim)->arena + (at)))
#define PAJESIM__SAME_GROUP(fingerprint, other) ((((fingerprint) ^ (other)) & ~PAJESIM__GROUP_BITS) == 0)

typedef struct pajesim__bucket {
    pajesim__length count;
    pajesim__offset next;
    pajesim__half fingerprints[PAJESIM__BUCKET];
} pajesim__bucket;
#define PAJESIM__BUCKET_MEMBERS(X, T) \
    X(T, count) X(T, next) X(T, fingerprints)

typedef struct pajesim__used_ids_reservation {
    uint32_t group; /* where the fingerprint of the group is, so nothing is needed; 0: nowhere */
    pajesim__offset block, split, directory;
    pajesim__offset node; /* not 0: the fingerprint goes to the tree, as an identifier in `block` */
} pajesim__used_ids_reservation;

/* Returns the fingerprint of one identifier.  `within` is a hash of what it is unique within, or 0. */
static pajesim__half pajesim__fingerprint(const pajesim__key *key, pajesim__half within)
{
    uint32_t last = key->size ? key->bytes[key->size - 1] + 2u : 0; /* so that the digits 0 and 5 are multiples of 5 */
    pajesim__key stem = pajesim__key_of(key->bytes, key->size - (key->size != 0));
    pajesim__half hash = pajesim__mix(&stem, key->size << 24, 0) + last / 5 * PAJESIM__MIX2 + within;
    hash ^= hash >> 4 * PAJESIM__HALF;
    return (hash & ~PAJESIM__GROUP_BITS) | (pajesim__half)1 << last % 5;
}

static uint32_t pajesim__bucket_index(const pajesim__used_ids *used, pajesim__half fingerprint)
{
    uint32_t level = pajesim__bit_width(used->buckets) - 1;
    uint32_t wide = (uint32_t)(fingerprint / (PAJESIM__GROUP_BITS + 1)) & ((UINT32_C(2) << level) - 1);
    return wide < used->buckets ? wide : wide & ((UINT32_C(1) << level) - 1);
}

#if PAJESIM_REFERENCE == 16
/* Arenas are too small for long chains. */
#define PAJESIM__RESERVE_IN_TREE(sim, head, reservation) 0
#define PAJESIM__FIND_IN_TREE(sim, used, fingerprint) 0
#define PAJESIM__INSERT_IN_TREE(sim, used, fingerprint, reservation) ((void)0)
#else
#define PAJESIM__RESERVE_IN_TREE(sim, head, reservation) pajesim__used_ids_reserve_in_tree(sim, head, reservation)
#define PAJESIM__FIND_IN_TREE(sim, used, fingerprint) pajesim__used_ids_find_in_tree(sim, used, fingerprint)
#define PAJESIM__INSERT_IN_TREE(sim, used, fingerprint, reservation) \
    pajesim__used_ids_insert_in_tree(sim, used, fingerprint, reservation)

/* Returns 0, and allocates nothing, if the chain from `at` on has room, or may get another block. */
static int pajesim__used_ids_reserve_in_tree(pajesim *sim, pajesim__offset at,
                                             pajesim__used_ids_reservation *reservation)
{
    uint32_t blocks;
    if (!at || PAJESIM__AT(sim, const pajesim__bucket, at)->count < PAJESIM__BUCKET)
        return 0;
    for (blocks = 0; at && blocks < PAJESIM__CHAIN; blocks++)
        at = PAJESIM__AT(sim, const pajesim__bucket, at)->next;
    if (blocks < PAJESIM__CHAIN)
        return 0;
    reservation->block = pajesim__alloc(sim, sizeof(pajesim__id));
    reservation->node = pajesim__alloc(sim, sizeof(pajesim__critbit_node));
    return 1;
}

static int pajesim__used_ids_find_in_tree(const pajesim *sim, const pajesim__used_ids *used, pajesim__half fingerprint)
{
    pajesim__key key = pajesim__key_of(&fingerprint, sizeof fingerprint);
    return used->tree && pajesim__critbit_find(sim, used->tree, &key, 0, 0);
}

static void pajesim__used_ids_insert_in_tree(pajesim *sim, pajesim__used_ids *used, pajesim__half fingerprint,
                                             const pajesim__used_ids_reservation *reservation)
{
    pajesim__key key = pajesim__key_of(&fingerprint, sizeof fingerprint);
    pajesim__init_id(sim, PAJESIM__AT(sim, pajesim__id, reservation->block), &key, 0, 0, 0);
    if (!pajesim__critbit_insert(sim, &used->tree, reservation->node, reservation->block))
        pajesim__free(sim, reservation->node, sizeof(pajesim__critbit_node));
}
#endif

/* Returns where the fingerprint of the group is; 0: nowhere, or in the tree.  Tries the latest first: it is the
 * likeliest. */
static uint32_t pajesim__used_ids_find_group(const pajesim *sim, const pajesim__used_ids *used,
                                             pajesim__half fingerprint)
{
    pajesim__offset at = 0;
    if (used->latest && PAJESIM__SAME_GROUP(*PAJESIM__FINGERPRINT_AT(sim, used->latest), fingerprint))
        return used->latest;
    if (used->buckets)
        at = PAJESIM__AT(sim, const pajesim__offset, used->directory)[pajesim__bucket_index(used, fingerprint)];
    while (at) {
        const pajesim__bucket *bucket = PAJESIM__AT(sim, const pajesim__bucket, at);
        uint32_t i = bucket->count;
        while (i--)
            if (PAJESIM__SAME_GROUP(bucket->fingerprints[i], fingerprint))
                return (uint32_t)((const unsigned char *)&bucket->fingerprints[i] - sim->arena);
        at = bucket->next;
    }
    return 0;
}

/* Whether an identifier was used.  Stores in `reservation` where the fingerprint of its group is. */
static int pajesim__used_ids_contain(const pajesim *sim, const pajesim__used_ids *used, pajesim__half fingerprint,
                                     pajesim__used_ids_reservation *reservation)
{
    reservation->group = pajesim__used_ids_find_group(sim, used, fingerprint);
    return (reservation->group &&
            (*PAJESIM__FINGERPRINT_AT(sim, reservation->group) & fingerprint & PAJESIM__GROUP_BITS)) ||
           PAJESIM__FIND_IN_TREE(sim, used, fingerprint);
}

/* Reserves what one more fingerprint requires: a block if its chain is full, and one for a split. */
static void pajesim__used_ids_reserve(pajesim *sim, const pajesim__used_ids *used, pajesim__half fingerprint,
                                      pajesim__used_ids_reservation *reservation)
{
    pajesim__offset head = 0;
    if (reservation->group)
        return;
    if (used->buckets)
        head = PAJESIM__AT(sim, const pajesim__offset, used->directory)[pajesim__bucket_index(used, fingerprint)];
    if (!PAJESIM__RESERVE_IN_TREE(sim, head, reservation) &&
        (!head || PAJESIM__AT(sim, const pajesim__bucket, head)->count == PAJESIM__BUCKET))
        reservation->block = pajesim__alloc(sim, sizeof(pajesim__bucket));
    if (used->count >= PAJESIM__SPLIT * used->buckets) {
        reservation->split = pajesim__alloc(sim, sizeof(pajesim__bucket));
        if (used->buckets == used->capacity)
            reservation->directory =
                pajesim__alloc(sim, 2 * (pajesim__size)(used->capacity ? used->capacity : 2) * sizeof(pajesim__offset));
    }
}

/* Appends a fingerprint to the first block of a chain or, if that is full, to one from the chain `spare`.  Returns
 * where it is. */
static uint32_t pajesim__bucket_append(pajesim *sim, pajesim__offset *head, pajesim__half fingerprint,
                                       pajesim__offset *spare)
{
    pajesim__bucket *bucket = *head ? PAJESIM__AT(sim, pajesim__bucket, *head) : NULL;
    if (!bucket || bucket->count == PAJESIM__BUCKET) {
        pajesim__offset block = *spare;
        bucket = PAJESIM__AT(sim, pajesim__bucket, block);
        *spare = bucket->next;
        bucket->next = *head;
        bucket->count = 0;
        *head = block;
    }
    bucket->fingerprints[bucket->count] = fingerprint;
    return (uint32_t)((unsigned char *)&bucket->fingerprints[bucket->count++] - sim->arena);
}

/* Splits the bucket whose turn it is.  A chain of n blocks makes two of n + 1 at most: `spare` is the one more. */
static void pajesim__used_ids_split(pajesim *sim, pajesim__used_ids *used, pajesim__offset spare)
{
    pajesim__offset *directory = PAJESIM__AT(sim, pajesim__offset, used->directory);
    uint32_t from, to = used->buckets;
    pajesim__offset at;
    pajesim__half fingerprints[PAJESIM__BUCKET];
    used->latest = 0; /* fingerprints move */
    directory[to] = 0;
    if (used->buckets++ == 0) {
        pajesim__free(sim, spare, sizeof(pajesim__bucket));
        return;
    }
    from = to - (UINT32_C(1) << (pajesim__bit_width(to) - 1));
    at = directory[from];
    directory[from] = 0;
    PAJESIM__AT(sim, pajesim__bucket, spare)->next = 0;
    while (at) {
        pajesim__bucket *bucket = PAJESIM__AT(sim, pajesim__bucket, at);
        pajesim__offset next = bucket->next;
        uint32_t count = bucket->count, i;
        memcpy(fingerprints, bucket->fingerprints, (size_t)count * sizeof *fingerprints);
        bucket->next = spare;
        spare = at;
        for (i = 0; i < count; i++)
            pajesim__bucket_append(sim, &directory[pajesim__bucket_index(used, fingerprints[i])], fingerprints[i],
                                   &spare);
        at = next;
    }
    while (spare) {
        at = PAJESIM__AT(sim, pajesim__bucket, spare)->next;
        pajesim__free(sim, spare, sizeof(pajesim__bucket));
        spare = at;
    }
}

static void pajesim__used_ids_insert(pajesim *sim, pajesim__used_ids *used, pajesim__half fingerprint,
                                     pajesim__used_ids_reservation reservation)
{
    PAJESIM__ASSERT(!sim->allocs); /* the reservation is committed */
    if (reservation.group) {
        *PAJESIM__FINGERPRINT_AT(sim, reservation.group) |= fingerprint & PAJESIM__GROUP_BITS;
        used->latest = reservation.group;
        return;
    }
    if (reservation.directory) {
        if (used->capacity) {
            memcpy(PAJESIM__BYTES(sim, reservation.directory), PAJESIM__BYTES(sim, used->directory),
                   used->capacity * sizeof(pajesim__offset));
            pajesim__free(sim, used->directory, used->capacity * (pajesim__size)sizeof(pajesim__offset));
        }
        used->directory = reservation.directory;
        used->capacity = (pajesim__length)(used->capacity ? 2 * used->capacity : 4);
    }
    if (!used->buckets) { /* the very first */
        pajesim__used_ids_split(sim, used, reservation.split);
        reservation.split = 0;
    }
    if (reservation.node) {
        PAJESIM__INSERT_IN_TREE(sim, used, fingerprint, &reservation);
    } else {
        if (reservation.block)
            PAJESIM__AT(sim, pajesim__bucket, reservation.block)->next = 0;
        used->latest = pajesim__bucket_append(
            sim, &PAJESIM__AT(sim, pajesim__offset, used->directory)[pajesim__bucket_index(used, fingerprint)],
            fingerprint, &reservation.block);
    }
    if (reservation.split)
        pajesim__used_ids_split(sim, used, reservation.split);
    used->count++;
}

/* ---------------- src/pajesim/text/line.h */

/* The line: its words, and what is found out about it before it takes effect. */

/* A lexed line.  It lives on the stack: the arena holds only what has taken effect. */
typedef struct pajesim__line {
    const unsigned char *readable; /* first readable byte, at or before the line */
    uint32_t padded;               /* PAJESIM__PADDED if PAJESIM__PADDING bytes behind the line may be read; else 0 */
    uint32_t count;                /* words, the event's number included; PAJESIM_WORDS at most */
    uint32_t size;                 /* bytes up to the newline or the comment */
    uint8_t header;                /* 1: the line begins with %, which is not one of the words */
    uint8_t simple_quote;          /* 1 + index of the first word in single quotes; 0: none */
    uint8_t warnings;
    uint8_t abandons_definition; /* 1: an event within an %EventDef, which is dropped when the event takes effect */
    uint8_t outcome;             /* pajesim__outcome; set when pajesim__ready returns 0 */
    uint8_t user_spans_ready;
    pajesim_line shown; /* as callbacks see it; definition 0: not an event */
    struct {
        pajesim_ref value;
        pajesim__offset id_bytes;
        pajesim__table_reservation entry;
    } new_value;        /* the value that the line creates: pajesim__reserve_implicit_value */
    pajesim_code error; /* from the lexer */
    uint32_t error_at;
    uint32_t surplus_at;                                   /* offset of the first word beyond PAJESIM_WORDS; 0: none */
    pajesim__length spans[2 * ((PAJESIM_WORDS + 7) & ~7)]; /* offset and size of each word, without quotes */
    /* Offset and size of each user field, if they are not adjacent words: pajesim__line_user_fields. */
    pajesim__length user_spans[PAJESIM_FIELDS ? 2 * PAJESIM_WORDS : 1];
    struct {
        pajesim_code code;
        uint32_t begin, size;
    } warning[PAJESIM_CHECKS ? 8 : 4];
} pajesim__line;

#define PAJESIM__TEXT(line) ((const unsigned char *)(line)->shown.text)
#define PAJESIM__WORD(line, i) (PAJESIM__TEXT(line) + (line)->spans[2 * (i)])
#define PAJESIM__SIZE(line, i) ((line)->spans[2 * (i) + 1])

/* Prepares `line` for lines whose memory is readable from `readable` on. */
static void pajesim__begin_line(pajesim__line *line, const unsigned char *readable, uint32_t padded)
{
    line->shown.spans = line->spans;
    line->readable = readable;
    line->padded = padded;
}

static int pajesim__word_is(const pajesim__line *line, uint32_t word, const char *text, size_t size)
{
    return PAJESIM__SIZE(line, word) == size && memcmp(PAJESIM__WORD(line, word), text, size) == 0;
}

/* Returns the offset of the end of the text, without trailing blanks. */
static uint32_t pajesim__text_end(const pajesim__line *line)
{
    const unsigned char *text = PAJESIM__TEXT(line);
    uint32_t end = line->size;
    while (end && (text[end - 1] == ' ' || text[end - 1] == '\t' || text[end - 1] == '\r'))
        end--;
    return end;
}

static pajesim_text pajesim__line_word(const pajesim__line *line, uint32_t word)
{
    return pajesim__view((const char *)PAJESIM__WORD(line, word), PAJESIM__SIZE(line, word));
}

PAJESIM__INLINE pajesim__key pajesim__key_at(const pajesim__line *line, uint32_t word)
{
    return pajesim__key_of_word(PAJESIM__WORD(line, word), PAJESIM__SIZE(line, word), line->padded);
}

/* Returns the key of the event's number. */
PAJESIM__INLINE pajesim__key pajesim__number_key(const pajesim__line *line)
{
#if PAJESIM__SIMD && PAJESIM_REFERENCE != 16
    return pajesim__key_of_number(PAJESIM__WORD(line, 0), PAJESIM__SIZE(line, 0), line->padded);
#else
    return pajesim__key_at(line, 0);
#endif
}

/* ---------------- src/pajesim/text/lex.h */

/* Generated by re2c 3.0 */
/* The lexer: splits a whole line into words (section "Lexical rules" of the format).
 *
 * This grammar defines what a word is; scan.h and cut.h must agree with it.  Only whole lines are lexed, so the newline
 * is the sentinel: re2c proves that no rule runs past it, and no byte is compared with an end pointer.  The first byte
 * of a word selects the rule; the ends of words and strings are found 16 bytes at a time if PAJESIM__PADDING bytes
 * behind the newline may be read. */

/* Returns the first blank, tab, CR, newline or # at or after p. */
PAJESIM__INLINE const unsigned char *pajesim__word_end(const unsigned char *p, uint32_t padded)
{
#if PAJESIM__SIMD
    for (; padded; p += 16) {
        uint64_t candidates = pajesim__bitmap16(pajesim__compare16(pajesim__load16(p), '#', 1));
        for (; candidates; candidates &= candidates - 1) { /* bytes <= '#': the first is nearly always the end */
            const unsigned char *q = p + PAJESIM__FIRST16(candidates);
            if (*q == ' ' || *q == '\n' || *q == '\t' || *q == '\r' || *q == '#')
                return q;
        }
    }
#endif
    (void)padded;
    while (*p > '#' || (*p != ' ' && *p != '\n' && *p != '\t' && *p != '\r' && *p != '#'))
        p++;
    return p;
}

/* Returns the first closing quote or newline at or after p. */
PAJESIM__INLINE const unsigned char *pajesim__quote_end(const unsigned char *p, unsigned char quote, uint32_t padded)
{
#if PAJESIM__SIMD
    for (; padded; p += 16) {
        pajesim__bytes16 bytes = pajesim__load16(p);
        uint64_t found = pajesim__bitmap16(pajesim__compare16(bytes, quote, 0) |
                                           pajesim__compare16(bytes, '\n', 0));
        if (found)
            return p + PAJESIM__FIRST16(found);
    }
#endif
    (void)padded;
    while (*p != quote && *p != '\n')
        p++;
    return p;
}

/* Appends the word [begin, end), without quotes; `token` is where it begins, its quote included. */
PAJESIM__INLINE void pajesim__word(pajesim__line *line, const unsigned char *token, const unsigned char *begin,
                                   const unsigned char *end)
{
    if (PAJESIM__LIKELY(line->count < PAJESIM_WORDS)) {
        line->spans[2 * line->count] = (pajesim__length)(begin - PAJESIM__TEXT(line));
        line->spans[2 * line->count + 1] = (pajesim__length)(end - begin);
        line->count++;
    } else if (!line->surplus_at) {
        line->surplus_at = (uint32_t)(token - PAJESIM__TEXT(line));
    }
}

static void pajesim__lex_error(pajesim__line *line, pajesim_code code, const unsigned char *at)
{
    if (line->error == PAJESIM_E_NONE) {
        line->error = code;
        line->error_at = (uint32_t)(at - PAJESIM__TEXT(line));
    }
}

/* Lexes the line at `text` into `line`, which pajesim__begin_line has prepared; returns what follows its newline. */
static const unsigned char *pajesim__lex(pajesim__line *line, const unsigned char *text, int strict)
{
    const unsigned char *YYCURSOR = text, *begin;
    line->shown.text = (const char *)text;
    line->count = 0;
    line->header = line->simple_quote = line->warnings = line->abandons_definition = line->user_spans_ready = 0;
    line->shown.definition = 0;
    line->error = PAJESIM_E_NONE;
    line->surplus_at = 0;
    for (;;) {
        begin = YYCURSOR;
        
{
	unsigned char yych;
	yych = *YYCURSOR;
	switch (yych) {
		case '\t':
		case '\r':
		case ' ': goto yy2;
		case '\n': goto yy4;
		case '"': goto yy5;
		case '#': goto yy6;
		case '%': goto yy7;
		case '\'': goto yy8;
		default: goto yy1;
	}
yy1:
	++YYCURSOR;
	{ goto word; }
yy2:
	yych = *++YYCURSOR;
	switch (yych) {
		case '\t':
		case '\r':
		case ' ': goto yy2;
		default: goto yy3;
	}
yy3:
	{ continue; }
yy4:
	++YYCURSOR;
	{ line->size = (uint32_t)(begin - text); return YYCURSOR; }
yy5:
	++YYCURSOR;
	{ goto string; }
yy6:
	++YYCURSOR;
	{
                         line->size = (uint32_t)(begin - text);
                         return pajesim__quote_end(YYCURSOR, '\n', line->padded) + 1;
                     }
yy7:
	++YYCURSOR;
	{
                         if (line->count == 0 && !line->header) {
                             line->header = 1;
                             continue;
                         }
                         goto word;
                     }
yy8:
	++YYCURSOR;
	{
                         if (strict)
                             goto word;
                         if (!line->simple_quote && line->count < PAJESIM_WORDS)
                             line->simple_quote = (uint8_t)(line->count + 1);
                         goto string;
                     }
}

    word:
        YYCURSOR = pajesim__word_end(YYCURSOR, line->padded);
        pajesim__word(line, begin, begin, YYCURSOR);
        continue;
    string:
        YYCURSOR = pajesim__quote_end(YYCURSOR, *begin, line->padded);
        if (*YYCURSOR == '\n') {
            pajesim__lex_error(line, PAJESIM_E_QUOTE_OPEN, begin);
            continue;
        }
        pajesim__word(line, begin, begin + 1, YYCURSOR);
        YYCURSOR++;
        if (pajesim__word_end(YYCURSOR, line->padded) != YYCURSOR)
            pajesim__lex_error(line, PAJESIM_E_QUOTE_GLUED, YYCURSOR);
    }
}

/* ---------------- src/pajesim/text/cut.h */

/* The lexical state at the point where a piece of a line ends. */

/* Comments may be of any length, so a carried piece of a line leaves them out.  This takes the lexical state at the
 * cut, found by the rules of lex.re a byte at a time; the tests cut every line at every byte. */
enum pajesim__cut {
    PAJESIM__IN_INDENT, /* before the first word */
    PAJESIM__IN_BLANKS,
    PAJESIM__IN_WORD,
    PAJESIM__IN_STRING,
    PAJESIM__IN_SIMPLE_STRING,
    PAJESIM__IN_COMMENT,
    PAJESIM__IN_LONG_LINE /* the line is too long: the rest is skipped, and the error is reported at its end */
};

/* Advances `*cut` over the bytes from p up to a comment or `end`; returns where it stopped. */
static const unsigned char *pajesim__lex_partial(uint8_t *cut, const unsigned char *p, const unsigned char *end,
                                                 int strict)
{
    uint8_t current = *cut;
    for (; p < end; p++) {
        unsigned char c = *p;
        if (current == PAJESIM__IN_STRING || current == PAJESIM__IN_SIMPLE_STRING) {
            if (c == (current == PAJESIM__IN_STRING ? '"' : '\''))
                current = PAJESIM__IN_BLANKS;
        } else if (c == ' ' || c == '\t' || c == '\r') {
            current = current == PAJESIM__IN_INDENT ? PAJESIM__IN_INDENT : PAJESIM__IN_BLANKS;
        } else if (c == '#') {
            current = PAJESIM__IN_COMMENT;
            break;
        } else if (c == '%' && current == PAJESIM__IN_INDENT) {
            current = PAJESIM__IN_BLANKS;
        } else if (current != PAJESIM__IN_WORD) {
            current = c == '"'               ? PAJESIM__IN_STRING
                      : c == '\'' && !strict ? PAJESIM__IN_SIMPLE_STRING
                                             : PAJESIM__IN_WORD;
        }
    }
    *cut = current;
    return p;
}

/* ---------------- src/pajesim/text/scan.h */

/* The block scanner: finds the bounds of all words in 1 KiB at a time, as the fast path of the lexer.
 *
 * pajesim__lex defines the grammar.  It handles the lines that the scanner leaves to it: lines without words, lines of
 * more than 1 KiB, and bad ones, which are malformed or have a word that begins with % or a single quote.  A block ends
 * before a bad line, and the next one begins after it.  The tests compare the two. */

#if PAJESIM__BLOCKS

#define PAJESIM__BLOCK_SIZE 1024u

/* The lines that end in one block; positions are relative to its beginning.  If run/prefetch.h is used, blocks are half
 * as large, and the lists hold two of them. */
typedef struct pajesim__block {
    uint32_t next, lines;  /* index of the next line, and of the first one beyond the block */
    uint32_t stop;         /* index of the line at which the next block or prefetch step is due */
    uint32_t begin, first; /* offset of the next line, and index of its first bound */
    uint32_t special;      /* 1: has comments; 2: has empty strings: see pajesim__fix_special */
    /* Both lists have slack for stores beyond their end.  line_end: index of the first bound after each line.  bounds:
     * begin and end of each word, and each newline, which may be the end of a word as well. */
    uint16_t line_end[PAJESIM__BLOCK_SIZE + 128];
    uint16_t bounds[PAJESIM__BLOCK_SIZE + 128];
} pajesim__block;

#define PAJESIM__NEWLINE(block, line) ((block)->bounds[(block)->line_end[line] - 1])

/* State carried from 64 bytes of a block to the next 64. */
typedef struct pajesim__scan_state {
    uint64_t word;            /* 1: within a word */
    uint64_t string, comment; /* within a string: all ones; within a comment: 1 */
    uint64_t closed;          /* 1: the last byte closed a string */
    uint64_t open;            /* not 0: within a string or comment, or the last byte closed a string */
    uint64_t bad;             /* not 0: there is a bad line; nothing after it is listed */
    uint32_t special;         /* as in pajesim__block */
} pajesim__scan_state;

PAJESIM__INLINE uint32_t pajesim__popcount(uint64_t x, int popcnt)
{
#if (PAJESIM__AVX || PAJESIM__NEON || PAJESIM__WASM) && defined(__OPTIMIZE__) /* else the builtin may call a library */
    if (popcnt)
        return (uint32_t)__builtin_popcountll(x);
#endif
    (void)popcnt;
    x -= x >> 1 & UINT64_C(0x5555555555555555);
    x = (x & UINT64_C(0x3333333333333333)) + (x >> 2 & UINT64_C(0x3333333333333333));
    return (uint32_t)(((x + (x >> 4)) & UINT64_C(0x0F0F0F0F0F0F0F0F)) * UINT64_C(0x0101010101010101) >> 56);
}

/* Returns a bitmap of the bytes that belong to words, a bit for each of 64 bytes: without quotes, except for the first
 * one of an empty string.  `bad_starts` are the bytes ' and %, which make a line bad at the beginning of a word.
 * Clears *newline from the newline of the first bad line on. */
static __attribute__((noinline)) uint64_t pajesim__scan_special(pajesim__scan_state *state, uint64_t blank,
                                                                uint64_t *newline, uint64_t quote, uint64_t hash,
                                                                uint64_t bad_starts)
{
    uint64_t after_blank = blank << 1 | (state->word ^ 1), not_newline = ~*newline, quotes = quote;
    uint64_t string, comment, opens, closes, closed, empty, bad;
    uint32_t shift, pass;
    for (pass = 0;; pass++) { /* the second pass ignores quotes in comments */
        string = quotes;
        for (shift = 1; shift < 64; shift *= 2) /* prefix XOR: from an opening quote to before the closing one */
            string ^= string << shift;
        string ^= state->string;
        comment = (hash & ~string) | state->comment;
        comment = (comment | ~(not_newline + comment)) & not_newline; /* carries run from a # to its newline */
        if (PAJESIM__LIKELY(quotes == (quote & ~comment)) || pass)
            break;
        quotes = quote & ~comment;
    }
    opens = quotes & string;
    closes = quotes & ~string;
    closed = closes << 1 | state->closed;
    empty = opens & closes >> 1;
    bad = (opens & ~after_blank) | (closed & ~(blank | hash)) | (closes & state->string & (state->word ^ 1)) |
          (quotes ^ (quote & ~comment)) | (*newline & string) | (bad_starts & after_blank & ~(string | comment));
    if (bad)
        *newline &= (bad & (0 - bad)) - 1;
    state->bad = bad;
    state->special |= (comment ? 1u : 0u) | (empty ? 2u : 0u);
    state->string = 0 - (string >> 63);
    state->comment = comment >> 63;
    state->closed = closes >> 63;
    state->open = state->string | state->comment | state->closed;
    return ((~blank | string) & ~(quotes | comment)) | empty;
}

/* Sets the bitmaps `newline` and `word` of the 64 bytes at p; match is a pajesim__match64.  Most lines have only words,
 * spaces and newlines: all else is looked for where there are other bytes up to the single quote. */
#define PAJESIM__SCAN_64(match) \
    newline = match(p, '\n', 0); \
    word = ~(newline | match(p, ' ', 0)); \
    if (~(match(p, '\'', 1) ^ word) | state.open) { \
        word &= ~(match(p, '\t', 0) | match(p, '\r', 0)); \
        if (~(match(p, '\'', 1) ^ word) | state.open) \
            word = pajesim__scan_special(&state, ~word, &newline, match(p, '"', 0), match(p, '#', 0), \
                                         match(p, '\'', 0) | match(p, '%', 0)); \
    }

/* The places of the bits of a byte, the lowest first, as bytes of an integer.  PAJESIM__PLACES_N has an entry for each
 * value of the lowest N bits; `places` are those of the bits above. */
#define PAJESIM__PLACES_1(places) (places), (places) << 8
#define PAJESIM__PLACES_2(places) PAJESIM__PLACES_1(places), PAJESIM__PLACES_1((places) << 8 | 1)
#define PAJESIM__PLACES_3(places) PAJESIM__PLACES_2(places), PAJESIM__PLACES_2((places) << 8 | 2)
#define PAJESIM__PLACES_4(places) PAJESIM__PLACES_3(places), PAJESIM__PLACES_3((places) << 8 | 3)
#define PAJESIM__PLACES_5(places) PAJESIM__PLACES_4(places), PAJESIM__PLACES_4((places) << 8 | 4)
#define PAJESIM__PLACES_6(places) PAJESIM__PLACES_5(places), PAJESIM__PLACES_5((places) << 8 | 5)
#define PAJESIM__PLACES_7(places) PAJESIM__PLACES_6(places), PAJESIM__PLACES_6((places) << 8 | 6)
#define PAJESIM__PLACES_8(places) PAJESIM__PLACES_7(places), PAJESIM__PLACES_7((places) << 8 | 7)
static const uint64_t pajesim__places[256] = {PAJESIM__PLACES_8(UINT64_C(0))};

/* The number of bits of a byte.  PAJESIM__COUNT_N has an entry for each value of the lowest N bits; n is the number of
 * those above. */
#define PAJESIM__COUNT_2(n) n, n + 1, n + 1, n + 2
#define PAJESIM__COUNT_4(n) \
    PAJESIM__COUNT_2(n), PAJESIM__COUNT_2(n + 1), PAJESIM__COUNT_2(n + 1), PAJESIM__COUNT_2(n + 2)
#define PAJESIM__COUNT_6(n) \
    PAJESIM__COUNT_4(n), PAJESIM__COUNT_4(n + 1), PAJESIM__COUNT_4(n + 1), PAJESIM__COUNT_4(n + 2)
static const uint8_t pajesim__bit_count[256] = {PAJESIM__COUNT_6(0), PAJESIM__COUNT_6(1), PAJESIM__COUNT_6(1),
                                                PAJESIM__COUNT_6(2)};

/* Stores the places of the bits of the lowest byte, plus `at`; returns the end.  Later stores overwrite the surplus: so
 * no branch depends on how many there are. */
PAJESIM__INLINE uint16_t *pajesim__list_byte(uint16_t *to, uint64_t bits, pajesim__numbers8 at)
{
    at += pajesim__widen8(&pajesim__places[bits & 255]);
    memcpy(to, &at, sizeof at);
    return to + pajesim__bit_count[bits & 255];
}

/* Lists the bounds of the words, and the newlines, in the 64 bytes at offset `at`, after `count` bounds; returns the
 * new count.  `at` is a vector, which compilers would otherwise make from an integer for each byte. */
PAJESIM__INLINE uint32_t pajesim__list_bounds(pajesim__block *block, pajesim__scan_state *state, uint32_t count,
                                              pajesim__numbers8 at, uint64_t word, uint64_t newline, int popcnt)
{
    uint16_t *to = block->bounds + count;
    uint64_t bounds = (word ^ (word << 1 | state->word)) | newline;
    uint32_t pairs = 4;
    state->word = word >> 63;
    for (; newline; newline &= newline - 1)
        block->line_end[block->lines++] =
            (uint16_t)(count + pajesim__popcount(bounds & (newline ^ (newline - 1)), popcnt));
    for (; pairs; pairs--, bounds >>= 16, at += pajesim__splat8(16)) {
        to = pajesim__list_byte(to, bounds, at);
        to = pajesim__list_byte(to, bounds >> 8, at + pajesim__splat8(8));
    }
    return (uint32_t)(to - block->bounds);
}

/* Defines the scanner `name`, which lists the words and lines of `size` bytes at p.  `popcnt`: the processor counts
 * bits. */
#define PAJESIM__SCANNER(name, attribute, match, popcnt) \
    static __attribute__((noinline)) attribute void name(pajesim__block *block, const unsigned char *p, uint32_t size) \
    { \
        pajesim__scan_state state = {0, 0, 0, 0, 0, 0, 0}; \
        pajesim__numbers8 offset = pajesim__splat8(0); \
        uint32_t at, count = block->lines; \
        for (at = 0; at < size && !state.bad; at += 64, p += 64) { \
            uint64_t newline, word; \
            PAJESIM__SCAN_64(match) \
            count = pajesim__list_bounds(block, &state, count, offset, word, newline, popcnt); \
            offset += pajesim__splat8(64); \
        } \
        block->special = state.special; \
    }
PAJESIM__SCANNER(pajesim__scan_base, , pajesim__match64_base, PAJESIM__NEON || PAJESIM__WASM)

#if PAJESIM__AVX
PAJESIM__SCANNER(pajesim__scan_avx2, __attribute__((PAJESIM__AVX2)), pajesim__match64_avx2, 1)

/* The AVX-512 version lists all bounds, and all lines, at once. */
static __attribute__((noinline, PAJESIM__AVX512)) void pajesim__scan_avx512(pajesim__block *block,
                                                                            const unsigned char *p, uint32_t size)
{
    static const unsigned char indices[64] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                              16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
                                              32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47,
                                              48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63};
    const __m512i index = _mm512_loadu_si512(indices);
    pajesim__scan_state state = {0, 0, 0, 0, 0, 0, 0};
    uint32_t at, count = block->lines, lines;
    for (at = 0; at < size && !state.bad; at += 64, p += 64) {
        uint64_t newline, word, bounds;
        PAJESIM__SCAN_64(pajesim__match64_avx512)
        bounds = (word ^ (word << 1 | state.word)) | newline;
        state.word = word >> 63;
        pajesim__store_indices(block->bounds + count, bounds, index, at, 1);
        newline = _pext_u64(newline, bounds);
        lines = pajesim__popcount(newline, 1);
        pajesim__store_indices(block->line_end + block->lines, newline, index, count + 1, lines > 32);
        block->lines += lines;
        count += pajesim__popcount(bounds, 1);
    }
    block->special = state.special;
}

#endif

/* Lists the lines from p on, from index `from` on; PAJESIM__PADDING bytes behind `end` may be read.  Prefetches as many
 * bytes one block farther on: hardware prefetchers lose the stream between blocks. */
static void pajesim__scan_block(pajesim *sim, pajesim__block *block, uint32_t from, uint32_t size,
                                const unsigned char *p, const unsigned char *end)
{
    size_t remaining = (size_t)(end - p), at;
    for (at = PAJESIM__BLOCK_SIZE; at < PAJESIM__BLOCK_SIZE + size && at < remaining; at += 64)
        PAJESIM__PREFETCH(p + at);
    size = (uint32_t)PAJESIM__MIN(remaining, size);
    block->lines = from;
#if PAJESIM__AVX
    if (!sim->cpu)
        sim->cpu = pajesim__detect_cpu();
    if (sim->cpu == PAJESIM__CPU_AVX512)
        pajesim__scan_avx512(block, p, size);
    else if (sim->cpu == PAJESIM__CPU_AVX2)
        pajesim__scan_avx2(block, p, size);
    else
#endif
        pajesim__scan_base(block, p, size);
    (void)sim;
    /* The last 64 bytes may reach beyond `size`. */
    while (block->lines > from && PAJESIM__NEWLINE(block, block->lines - 1) >= size)
        block->lines--;
}

/* Makes the lines from index `from` on the next ones. */
static void pajesim__enter_block(pajesim__block *block, uint32_t from)
{
    block->next = from;
    block->first = from;
    block->begin = 0;
    block->stop = block->lines;
}

/* Initializes an empty block. */
static void pajesim__block_init(pajesim__block *block)
{
    block->next = block->lines = block->stop = block->special = 0;
}

/* Removes the quote from empty strings, and the comment from the line's size. */
static __attribute__((noinline)) void pajesim__fix_special(pajesim__line *line, uint32_t special)
{
    const unsigned char *p;
    uint32_t i;
    for (i = 0; special & 2 && i < line->count; i++)
        if (PAJESIM__SIZE(line, i) == 1 && *PAJESIM__WORD(line, i) == '"') {
            line->spans[2 * i]++;
            line->spans[2 * i + 1] = 0;
        }
    p = PAJESIM__WORD(line, line->count - 1) + PAJESIM__SIZE(line, line->count - 1);
    p += *p == '"';
    p += (*p == ' ') | (*p == '\t'); /* usually the end; without a branch, as it would mispredict */
    while (*p == ' ' || *p == '\t' || *p == '\r')
        p++;
    line->size = (uint32_t)(p - PAJESIM__TEXT(line));
}

/* Fills `line` with the block's next line, which begins at p; returns what follows its newline, or NULL if pajesim__lex
 * must handle the line. */
PAJESIM__INLINE const unsigned char *pajesim__next_line(pajesim__line *line, pajesim__block *block,
                                                        const unsigned char *p)
{
    const uint16_t *bounds;
    uint32_t begin, bounds_end, newline, i = 0;
    begin = block->begin;
    bounds = block->bounds + block->first;
    bounds_end = block->line_end[block->next++];
    newline = block->bounds[bounds_end - 1];
    line->shown.text = (const char *)p;
    line->count = (bounds_end - block->first) / 2;
    line->size = newline - begin;
    block->first = bounds_end;
    block->begin = newline + 1;
    if (PAJESIM__UNLIKELY(line->count - 1 >= PAJESIM_WORDS)) /* no words, or too many */
        return NULL;

    line->header = line->simple_quote = line->warnings = line->abandons_definition = line->user_spans_ready = 0;
    line->error = PAJESIM_E_NONE;
    line->surplus_at = 0;
    do {
        pajesim__store_spans(line->spans + 2 * i, bounds + 2 * i, begin);
        i += 8;
    } while (PAJESIM__UNLIKELY(i < line->count));
    /* The first word again, by scalar loads: everything waits for it, and vectors take longer.  That it begins where
     * the line does is predicted. */
    line->spans[0] = 0;
    line->spans[1] = bounds[1] - begin;
    if (PAJESIM__UNLIKELY(bounds[0] != begin)) {
        line->spans[0] = bounds[0] - begin;
        line->spans[1] -= line->spans[0];
    }
    if (PAJESIM__UNLIKELY(block->special))
        pajesim__fix_special(line, block->special);
    return p + (newline - begin) + 1;
}

#endif /* PAJESIM__BLOCKS */

/* ---------------- src/pajesim/text/number.h */

/* Number parsing: decimal text to fixed-point integers and to doubles. */

#define PAJESIM__DOUBLES (PAJESIM_TIME_DECIMALS < 0 || PAJESIM_VALUE_DECIMALS < 0)

/* Parses [+-] digits [. digits] [e [+-] digits], with a digit before or after the point, in units of 10^-decimals,
 * rounded to nearest, halves away from zero.  Returns 0 and leaves *out alone for any other text, and for numbers
 * beyond -INT64_MAX to INT64_MAX. */
static int pajesim__fixed(const unsigned char *p, uint32_t n, int decimals, int64_t *out)
{
    const unsigned char *end = p + n, *digits;
    uint64_t m = 0;
    int32_t kept = decimals, exponent = 0; /* kept: digits before the rounding position, appended zeros included */
    uint32_t count = 0;
    int minus = 0, exponent_minus = 0, point = 0;

    if (p < end && (*p == '-' || *p == '+'))
        minus = *p++ == '-';
    for (digits = p; p < end; p++) {
        if (*p >= '0' && *p <= '9') {
            count++;
            kept += !point;
        } else if (*p != '.' || point++) {
            break;
        }
    }
    if (!count)
        return 0;
    if (p < end && (*p | 0x20) == 'e') {
        p++;
        if (p < end && (*p == '-' || *p == '+'))
            exponent_minus = *p++ == '-';
        if (p == end)
            return 0;
        for (; p < end && *p >= '0' && *p <= '9'; p++)
            if (exponent < 100000000)
                exponent = exponent * 10 + (*p - '0');
    }
    if (p != end)
        return 0;

    kept += exponent_minus ? -exponent : exponent;
    for (; kept >= 0 && (count || m); kept--) {
        uint32_t digit = 0;
        if (count) {
            digits += *digits == '.';
            digit = (uint32_t)(*digits++ - '0');
            count--;
        }
        if (!kept) { /* the first digit after the rounding position */
            m += digit >= 5;
            break;
        }
        if (m >> 60) /* ten times m would exceed 63 bits */
            return 0;
        m = m * 10 + digit;
    }
    if (m >> 63)
        return 0;
    *out = minus ? -(int64_t)m : (int64_t)m;
    return 1;
}

#if PAJESIM__DOUBLES
#include <float.h>
#if DBL_MANT_DIG != 53
#error "double has not 64 bits here: define PAJESIM_TIME_DECIMALS and PAJESIM_VALUE_DECIMALS, or PAJESIM_SMALL"
#endif

/* Decimal text to double, correctly rounded for any text.
 *
 * There are three paths, each exact in its range, so that they agree: up to 16 plain characters, one division of two
 * exact doubles; up to 19 digits and small exponents, one product or quotient of 128 bits; anything else, a long
 * division.  The last two use integers only and end in pajesim__nearest, the only place that rounds. */

/* 1 if doubles are computed in double precision.  The registers of x87 round to 64 bits first. */
#if defined(__FLT_EVAL_METHOD__)
#define PAJESIM__DOUBLE_DIVISION (__FLT_EVAL_METHOD__ == 0 || __FLT_EVAL_METHOD__ == 1)
#elif defined(_M_X64) || defined(_M_ARM64)
#define PAJESIM__DOUBLE_DIVISION 1
#else
#define PAJESIM__DOUBLE_DIVISION 0
#endif

/* 5^k, as far as 64 bits hold it. */
#define PAJESIM__FIVES 27
static const uint64_t pajesim__powers_of_five[PAJESIM__FIVES + 1] = {
    1, 5, 25, 125, 625, 3125, 15625, 78125, 390625, 1953125, 9765625, 48828125, 244140625, 1220703125, 6103515625,
    30517578125, 152587890625, 762939453125, 3814697265625, 19073486328125, 95367431640625, 476837158203125,
    2384185791015625, 11920928955078125, 59604644775390625, 298023223876953125, 1490116119384765625,
    7450580596923828125
};

/* floor((2^128 - 1) / d) - 2^64, where d is 5^k shifted until its bit 63 is set. */
static const uint64_t pajesim__reciprocal[PAJESIM__FIVES + 1] = {
    0xFFFFFFFFFFFFFFFF, 0x9999999999999999, 0x47AE147AE147AE14, 0x0624DD2F1A9FBE76, 0xA36E2EB1C432CA57,
    0x4F8B588E368F0846, 0x0C6F7A0B5ED8D36B, 0xAD7F29ABCAF48578, 0x5798EE2308C39DF9, 0x12E0BE826D694B2E,
    0xB7CDFD9D7BDBAB7D, 0x5FD7FE17964955FD, 0x19799812DEA11197, 0xC25C268497681C26, 0x6849B86A12B9B01E,
    0x203AF9EE756159B2, 0xCD2B297D889BC2B6, 0x70EF54646D496892, 0x2725DD1D243ABA0E, 0xD83C94FB6D2AC34A,
    0x79CA10C9242235D5, 0x2E3B40A0E9B4F7DD, 0xE392010175EE5962, 0x82DB34012B25144E, 0x357C299A88EA76A5,
    0xEF2D0F5DA7DD8AA2, 0x8C240C4AECB13BB5, 0x3CE9A36F23C0FC90
};

/* Returns the high half of a * b, and its low half in *low. */
PAJESIM__INLINE uint64_t pajesim__multiply128(uint64_t a, uint64_t b, uint64_t *low)
{
#ifdef __SIZEOF_INT128__
    __extension__ typedef unsigned __int128 wide;
    wide product = (wide)a * b;
    *low = (uint64_t)product;
    return (uint64_t)(product >> 64);
#else
    uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
    uint64_t right = a0 * b0;
    uint64_t middle = a1 * b0 + (right >> 32); /* neither sum overflows: (2^32 - 1)^2 + 2 (2^32 - 1) < 2^64 */
    uint64_t cross = a0 * b1 + (uint32_t)middle;
    *low = (cross << 32) | (uint32_t)right;
    return a1 * b1 + (middle >> 32) + (cross >> 32);
#endif
}

/* Returns the bits of the double nearest to m * 2^e, ties to even; m is not 0.  Callers that dropped bits below those
 * of m set its lowest bit (a sticky bit): m then has 62 bits or more, so that this bit lies far below the last one
 * kept. */
PAJESIM__INLINE uint64_t pajesim__nearest(uint64_t m, int e)
{
    const uint64_t infinity = (uint64_t)0x7FF << 52, half = (uint64_t)1 << 63;
    int shift = 64 - (int)pajesim__bit_width(m);
    int drop = 11; /* 64 bits, of which a double keeps 53 */
    int biased = e - shift + 63 + 1023;
    uint64_t bits, rest;
    m <<= shift;
    if (biased < 1) { /* subnormal: fewer bits are kept */
        drop += 1 - biased;
        biased = 1;
        if (drop > 64)
            return 0; /* less than half of the least double */
    }
    if (biased > 2046)
        return infinity;
    bits = drop < 64 ? m >> drop : 0;
    rest = m << (64 - drop);
    bits += rest > half || (rest == half && (bits & 1));
    /* The highest bit of a normal number adds 1 to the exponent.  So does a carry, also from the subnormal to the
     * normal numbers, and from the largest finite number to infinity. */
    return ((uint64_t)(biased - 1) << 52) + bits;
}

/* Returns the bits of the double nearest to m * 10^k, for m > 0 and |k| <= PAJESIM__FIVES. */
static uint64_t pajesim__scaled(uint64_t m, int k)
{
    uint64_t five = pajesim__powers_of_five[k < 0 ? -k : k], high, low, estimate, quotient, rest;
    int shift = 64 - (int)pajesim__bit_width(m), shift5 = 64 - (int)pajesim__bit_width(five);
    m <<= shift;
    five <<= shift5;
    if (k >= 0) {
        high = pajesim__multiply128(m, five, &low); /* at least 2^126 */
        return pajesim__nearest(high | (low != 0), k + 64 - shift - shift5);
    }
    /* The quotient m * 2^63 / five, between 2^62 and 2^64, with its remainder: algorithm 4 of Moeller and Granlund,
     * "Improved division by invariant integers".  The estimate is exact or 1 too high, never too low, because neither
     * half of the dividend exceeds 2^63 and `five` is at least 2^63: so the last step of algorithm 4 is left out. */
    high = m >> 1;
    low = m << 63;
    quotient = pajesim__multiply128(pajesim__reciprocal[-k], high, &estimate);
    estimate += low;
    quotient += high + (estimate < low) + 1;
    rest = low - quotient * five;
    if (rest > estimate) {
        quotient--;
        rest += five;
    }
    return pajesim__nearest(quotient | (rest != 0), k - 63 - shift + shift5);
}

/* A natural number of at most 2560 bits, the lowest limb first; the highest one is not 0. */
typedef struct pajesim__big {
    uint32_t size;
    uint32_t limb[80];
} pajesim__big;

static void pajesim__big_multiply(pajesim__big *b, uint32_t factor, uint32_t addend)
{
    uint64_t carry = addend;
    uint32_t i;
    for (i = 0; i < b->size; i++) {
        carry += (uint64_t)b->limb[i] * factor;
        b->limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry)
        b->limb[b->size++] = (uint32_t)carry;
}

static void pajesim__big_multiply_fives(pajesim__big *b, int k)
{
    for (; k > 13; k -= 13)
        pajesim__big_multiply(b, (uint32_t)pajesim__powers_of_five[13], 0);
    pajesim__big_multiply(b, (uint32_t)pajesim__powers_of_five[k], 0);
}

static void pajesim__big_shift(pajesim__big *b, uint32_t bits)
{
    uint32_t limbs = bits / 32;
    memmove(b->limb + limbs, b->limb, b->size * sizeof b->limb[0]);
    memset(b->limb, 0, limbs * sizeof b->limb[0]);
    b->size += limbs;
    pajesim__big_multiply(b, (uint32_t)1 << (bits % 32), 0);
}

static uint32_t pajesim__big_bits(const pajesim__big *b)
{
    return 32 * (b->size - 1) + pajesim__bit_width(b->limb[b->size - 1]);
}

/* Subtracts b from a and returns 1; returns 0 if a < b. */
static uint32_t pajesim__big_subtract(pajesim__big *a, const pajesim__big *b)
{
    uint64_t borrow = 0;
    uint32_t i = a->size;
    if (a->size < b->size)
        return 0;
    if (a->size == b->size) {
        while (i > 0 && a->limb[i - 1] == b->limb[i - 1])
            i--;
        if (i > 0 && a->limb[i - 1] < b->limb[i - 1])
            return 0;
    }
    for (i = 0; i < a->size; i++) {
        uint64_t difference = (uint64_t)a->limb[i] - (i < b->size ? b->limb[i] : 0) - borrow;
        a->limb[i] = (uint32_t)difference;
        borrow = difference >> 63;
    }
    while (a->size > 0 && a->limb[a->size - 1] == 0)
        a->size--;
    return 1;
}

/* Returns the bits of the double nearest to the `count` digits at p, which may contain a point; the first digit is not
 * 0, and the last one has the weight 10^k.  The number is a fraction of two big integers, which are divided bit by
 * bit. */
static uint64_t pajesim__number_long(const unsigned char *p, uint32_t count, int64_t k)
{
    /* The midpoint of two adjacent doubles has at most 768 significant digits.  Further digits matter only if one of
     * them is not 0, so a single digit 1 stands for all of them. */
    const uint32_t max_digits = 768;
    pajesim__big numerator, denominator;
    uint32_t kept, piece = 0, scale = 1, numerator_bits, denominator_bits;
    uint64_t quotient = 0;
    int e;

    if (k + count > 309) /* at least 10^309 */
        return (uint64_t)0x7FF << 52;
    if (k + count < -323) /* less than 10^-324, so less than half of the least double, 4.9e-324 */
        return 0;

    numerator.size = 0;
    for (kept = 0; kept < count && kept < max_digits; p++) {
        if (*p == '.')
            continue;
        piece = piece * 10 + (uint32_t)(*p - '0');
        scale *= 10;
        kept++;
        if (scale == 1000000000) {
            pajesim__big_multiply(&numerator, scale, piece);
            piece = 0;
            scale = 1;
        }
    }
    pajesim__big_multiply(&numerator, scale, piece);
    k += count - kept;
    for (; kept < count; p++) {
        if (*p == '.')
            continue;
        kept++;
        if (*p != '0') {
            pajesim__big_multiply(&numerator, 10, 1);
            k--;
            break;
        }
    }

    /* The numerator has at most 769 digits, or is at most 10^309; the denominator is at most 5^(769 + 323): both are
     * less than 2^2556. */
    denominator.size = 1;
    denominator.limb[0] = 1;
    e = (int)k;
    if (e > 0)
        pajesim__big_multiply_fives(&numerator, e);
    else
        pajesim__big_multiply_fives(&denominator, -e);

    /* Equal lengths make the quotient lie between 1/2 and 2. */
    numerator_bits = pajesim__big_bits(&numerator);
    denominator_bits = pajesim__big_bits(&denominator);
    e += (int)numerator_bits - (int)denominator_bits;
    if (numerator_bits < denominator_bits)
        pajesim__big_shift(&numerator, denominator_bits - numerator_bits);
    else
        pajesim__big_shift(&denominator, numerator_bits - denominator_bits);
    for (e++; !(quotient >> 63); e--) {
        quotient = quotient << 1 | pajesim__big_subtract(&numerator, &denominator);
        pajesim__big_multiply(&numerator, 2, 0);
    }
    return pajesim__nearest(quotient | (numerator.size != 0), e);
}

/* Loads of four and eight bytes, little-endian on any machine; compilers make one instruction of each. */
PAJESIM__INLINE uint64_t pajesim__little32(const unsigned char *p)
{
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

PAJESIM__INLINE uint64_t pajesim__little64(const unsigned char *p)
{
    return pajesim__little32(p) | pajesim__little32(p + 4) << 32;
}

#define PAJESIM__EACH(byte) ((byte) * (uint64_t)0x0101010101010101)

/* Whether any of the eight bytes exceeds 9. */
PAJESIM__INLINE int pajesim__has_non_digit(uint64_t a)
{
    return (((a + PAJESIM__EACH(0x7F - 9)) | a) & PAJESIM__EACH(0x80)) != 0;
}

/* Converts eight bytes of 0 to 9, the lowest one being the first digit, in three steps that combine neighbours. */
PAJESIM__INLINE uint64_t pajesim__parse_eight(uint64_t a)
{
    a = (a * (1 + (10 << 8)) >> 8) & 0x00FF00FF00FF00FF;
    a = (a * (1 + (100 << 16)) >> 16) & 0x0000FFFF0000FFFF;
    return a * (1 + ((uint64_t)10000 << 32)) >> 32;
}

/* Returns 1 at the place of the lowest of the eight bytes that equals `byte`; 0 if none does.  (Borrows set false bits
 * only above the first match.) */
PAJESIM__INLINE uint64_t pajesim__byte_equal(uint64_t a, uint64_t byte)
{
    a ^= PAJESIM__EACH(byte);
    a = (a - PAJESIM__EACH(1)) & ~a & PAJESIM__EACH(0x80);
    return (a & (0 - a)) >> 7;
}

/* Returns the number of bytes above the place `one`: a table lookup in the highest byte of a product. */
PAJESIM__INLINE uint32_t pajesim__bytes_above(uint64_t one)
{
    return (uint32_t)(one * 0x0706050403020100 >> 56);
}

/* Removes the byte at the place `one`, moves the lower bytes up, and puts 0 in the lowest place. */
PAJESIM__INLINE uint64_t pajesim__remove_byte(uint64_t a, uint64_t one)
{
    uint64_t below = a & (one - 1);
    return (a & ((0 - one) << 8)) | below << 8;
}

/* Skips digits and appends them to *m, modulo 2^64. */
PAJESIM__INLINE const unsigned char *pajesim__digits(const unsigned char *p, const unsigned char *end, uint64_t *m)
{
    uint64_t sum = *m;
    while (end - p >= 8) {
        uint64_t a = pajesim__little64(p) ^ PAJESIM__EACH('0');
        if (pajesim__has_non_digit(a))
            break;
        sum = sum * 100000000 + pajesim__parse_eight(a);
        p += 8;
    }
    for (; p < end && *p >= '0' && *p <= '9'; p++)
        sum = sum * 10 + (uint64_t)(*p - '0');
    *m = sum;
    return p;
}

/* Parses any text of one byte or more: the general path of pajesim__number. */
static int pajesim__number_any(const unsigned char *p, uint32_t n, double *out)
{
    const unsigned char *end = p + n, *first, *last, *point = NULL;
    uint64_t m = 0, sign = 0, bits = 0;
    int64_t k = 0; /* the number is m * 10^k; neither the size of the text nor the capped exponent overflows k */
    uint32_t count;

    if (p < end && (*p == '-' || *p == '+'))
        sign = (uint64_t)(*p++ == '-') << 63;
    first = p;
    p = pajesim__digits(p, end, &m);
    if (p < end && *p == '.') {
        point = p;
        p = pajesim__digits(p + 1, end, &m);
        k = point + 1 - p;
    }
    last = p;
    count = (uint32_t)(last - first) - (point != NULL);
    if (count == 0)
        return 0;
    if (p < end && (*p == 'e' || *p == 'E')) {
        int64_t exponent = 0;
        int minus = 0;
        p++;
        if (p < end && (*p == '-' || *p == '+'))
            minus = *p++ == '-';
        if (p == end)
            return 0;
        for (; p < end && *p >= '0' && *p <= '9'; p++)
            if (exponent < 100000000000)
                exponent = exponent * 10 + (*p - '0');
        k += minus ? -exponent : exponent;
    }
    if (p != end)
        return 0;

    if (count > 19) { /* m may have overflowed */
        while (first < last && (*first == '0' || *first == '.'))
            first++;
        count = (uint32_t)(last - first) - (point != NULL && first < point);
    }
    if (count > 19) {
        /* The number lies between m and m + 1 of its first 19 digits; if both have the same nearest double, so has the
         * number. */
        const unsigned char *digit = first;
        int64_t k19 = k + count - 19;
        uint32_t i;
        m = 0;
        for (i = 0; i < 19; digit++)
            if (*digit != '.') {
                m = m * 10 + (uint64_t)(*digit - '0');
                i++;
            }
        if (k19 < -PAJESIM__FIVES || k19 > PAJESIM__FIVES ||
            (bits = pajesim__scaled(m, (int)k19)) != pajesim__scaled(m + 1, (int)k19))
            bits = pajesim__number_long(first, count, k);
    } else if (m == 0) {
        bits = 0;
    } else if (k >= -PAJESIM__FIVES && k <= PAJESIM__FIVES) {
        bits = pajesim__scaled(m, (int)k);
    } else {
        while (*first == '0' || *first == '.') {
            count -= *first == '0';
            first++;
        }
        bits = pajesim__number_long(first, count, k);
    }
    bits |= sign;
    memcpy(out, &bits, sizeof bits);
    return 1;
}

#if PAJESIM__DOUBLE_DIVISION
static const double pajesim__powers_of_ten[16] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                  1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
#endif

/* Parses [+-] digits [. digits] [e [+-] digits], with a digit before or after the point, to the nearest double; returns
 * 0 and leaves *out alone for any other text.  Up to 16 bytes of digits, perhaps with a point, are parsed here: no
 * branch depends on the digits, and hardly any on their number.  pajesim__number_any parses the rest. */
static int pajesim__number(const unsigned char *p, uint32_t n, double *out)
{
    const uint64_t zeros = PAJESIM__EACH('0');
    uint64_t high = 0, low, point, m;
    uint32_t k = 0;

    /* Right-align the values of the digits in 16 bytes, with zeros before them. */
    if (n - 8 <= 8) {
        low = pajesim__little64(p + n - 8) ^ zeros;
        high = (pajesim__little64(p) ^ zeros) << 4 * (16 - n) << 4 * (16 - n);
    } else if (n - 4 < 4) {
        low = pajesim__little32(p) | pajesim__little32(p + n - 4) << 8 * (n - 4);
        low = (low ^ zeros) << 8 * (8 - n);
    } else if (n - 2 < 2) {
        low = (uint64_t)(p[0] | p[1] << 8 | p[n - 1] << 8 * (n - 1));
        low = (low ^ zeros) << 8 * (8 - n);
    } else if (n == 1 && p[0] != '.') {
        low = (p[0] ^ zeros) << 56;
    } else {
        return n > 0 && pajesim__number_any(p, n, out);
    }

    /* Remove the first point, and move what precedes it up by a byte. */
    if ((point = pajesim__byte_equal(high, '.' ^ '0')) != 0) {
        k = 8 + pajesim__bytes_above(point);
        high = pajesim__remove_byte(high, point);
    } else if ((point = pajesim__byte_equal(low, '.' ^ '0')) != 0) {
        k = pajesim__bytes_above(point);
        low = pajesim__remove_byte(low, point) | high >> 56;
        high <<= 8;
    }
    if (PAJESIM__UNLIKELY(pajesim__has_non_digit(high) | pajesim__has_non_digit(low)))
        return pajesim__number_any(p, n, out);
    m = pajesim__parse_eight(high) * 100000000 + pajesim__parse_eight(low);

#if PAJESIM__DOUBLE_DIVISION
    /* There is one rounding: of the quotient if there is a point, since then 15 digits are less than 2^53, else of
     * m. */
    *out = (double)(int64_t)m / pajesim__powers_of_ten[k];
#else
    m = m ? pajesim__scaled(m, -(int)k) : 0;
    memcpy(out, &m, sizeof m);
#endif
    return 1;
}

/* pajesim__number for a word of a line.  Memory is readable from `readable` on, so that up to 16 bytes in front of the
 * word's end may be loaded at once. */
PAJESIM__INLINE int pajesim__number_in_line(const unsigned char *readable, const unsigned char *p, uint32_t n,
                                            double *out)
{
#if PAJESIM__SIMD && PAJESIM__DOUBLE_DIVISION
    static const unsigned char mask[32] = {0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,
                                           0,   0,   0,   0,   0,   255, 255, 255, 255, 255, 255,
                                           255, 255, 255, 255, 255, 255, 255, 255, 255, 255};
    /* Divisors, by the number of bytes up to and including the point; 0: there is no point. */
    static const double tens[17] = {1e0, 1e15, 1e14, 1e13, 1e12, 1e11, 1e10, 1e9, 1e8,
                                    1e7, 1e6,  1e5,  1e4,  1e3,  1e2,  1e1,  1e0};
    const unsigned char *end = p + n;
    pajesim__bytes16 digits, after_point;
    uint32_t point;
    uint64_t high = 0, low = 0;
    if (PAJESIM__UNLIKELY(n - 2 > 14 || (size_t)(end - readable) < 16))
        return pajesim__number(p, n, out);
    /* Right-align the values of the digits, with zeros before them. */
    digits = pajesim__load16(end - 16) - pajesim__splat16('0');
    digits &= pajesim__load16(mask + n);
    /* Remove the last point, and move what precedes it up by a byte. */
    point = PAJESIM__LAST16(pajesim__bitmap16(pajesim__compare16(digits, (unsigned char)('.' - '0'), 0)));
    after_point = pajesim__load16(mask + 16 - point);
    digits = (after_point & digits) | (~after_point & pajesim__up_one_byte(digits));
    if (PAJESIM__UNLIKELY(!pajesim__combine_digits(digits, &high, &low)))
        return pajesim__number(p, n, out);
    *out = (double)(int64_t)(high * 100000000 + low) / tens[point];
    return 1;
#else
    (void)readable;
    return pajesim__number(p, n, out);
#endif
}

#undef PAJESIM__EACH
#endif /* PAJESIM__DOUBLES */

/* Parses a time of a line; `readable` as in pajesim__number_in_line. */
PAJESIM__INLINE int pajesim__read_time(const unsigned char *readable, const unsigned char *p, uint32_t n,
                                       pajesim_time *time)
{
#if PAJESIM_TIME_DECIMALS < 0
    return pajesim__number_in_line(readable, p, n, time);
#else
    (void)readable;
    return pajesim__fixed(p, n, PAJESIM_TIME_DECIMALS, time);
#endif
}

/* Parses the value of a variable. */
PAJESIM__INLINE int pajesim__read_quantity(const unsigned char *readable, const unsigned char *p, uint32_t n,
                                           pajesim_quantity *quantity)
{
#if PAJESIM_VALUE_DECIMALS < 0
    return pajesim__number_in_line(readable, p, n, quantity);
#else
    (void)readable;
    return pajesim__fixed(p, n, PAJESIM_VALUE_DECIMALS, quantity);
#endif
}

/* Adds a and b; returns 0 if the sum overflows. */
PAJESIM__INLINE int pajesim__add_quantities(pajesim_quantity a, pajesim_quantity b, pajesim_quantity *sum)
{
#if PAJESIM_VALUE_DECIMALS >= 0
    if (b > 0 ? a > INT64_MAX - b : a < -INT64_MAX - b)
        return 0;
#endif
    *sum = a + b;
    return 1;
}

#if PAJESIM__DOUBLES
PAJESIM_API int pajesim_number(const char *bytes, size_t size, double *number)
{
    return size <= UINT32_MAX && pajesim__number((const unsigned char *)bytes, (uint32_t)size, number);
}
#endif

PAJESIM_API int pajesim_fixed(const char *bytes, size_t size, int decimals, int64_t *number)
{
    if (size >> 15 >> 15 >> 1) /* a shift by 31, which a size_t of 16 bits does not allow in one step */
        return 0;
    return pajesim__fixed((const unsigned char *)bytes, (uint32_t)size, decimals, number);
}

/* ---------------- src/pajesim/model/state.h */

/* The state of a simulation, at the beginning of its arena. */

/* A queue, first in, first out, of records that are no longer in use and may be used again. */
typedef struct pajesim__queue {
    pajesim__offset first, last;
    pajesim__length count;
} pajesim__queue;
#define PAJESIM__QUEUE_MEMBERS(X, T) \
    X(T, first) X(T, last) X(T, count)

enum pajesim__stage { PAJESIM__READING, PAJESIM__CLOSING, PAJESIM__FINISHED };

#define PAJESIM__DIGEST_BLOCK 64u /* bytes */

#define PAJESIM__PROBLEM_BYTES (PAJESIM_TEXTS ? 64 : 16) /* of the offending text */

#define PAJESIM__COUNTS_MEMBERS(X, T) \
    X(T, bytes) X(T, lines) X(T, events) X(T, skipped) X(T, warnings) X(T, errors) X(T, by_event) X(T, containers) \
    X(T, states) X(T, variables) X(T, links) X(T, punctual) X(T, first) X(T, last)

typedef struct pajesim__state {
    pajesim__heap heap; /* first: see arena.h */
    uint32_t line_max, line_capacity;
    pajesim__length strict, parse_only, ignore_links, old_names, remembered, file_depth_max;

    pajesim__table definitions, types, containers, values, links;
    pajesim__used_ids used_ids;
    pajesim__queue destroyed, unused_values;
    pajesim_ref root, root_type;
    pajesim__offset defining; /* the %EventDef that is not ended yet */
    pajesim__offset file;     /* the file that is being read; 0: the trace itself */
    pajesim__offset next_file; /* the file that is read next, from the end of the line on */
    pajesim__length depth;    /* of files: 0: the trace itself is read */
    pajesim__length scopes;   /* number of scopes of definitions so far */
    pajesim__offset carry;    /* the piece of a line that is carried over to the next feed */
    uint32_t carry_capacity;

    /* position, counters and last problem: what a refused line changes */
    uint32_t carry_size;
    uint8_t cut;             /* pajesim__cut: where in the grammar the carried piece ends */
    uint8_t skip_definition; /* an %EventDef was refused: its fields are skipped */
    uint8_t stage;
    uint8_t stopped;
    uint8_t ended;           /* there is no next line: problems are of the last one */
    uint8_t bom_state;       /* how much of a byte order mark was seen; 3: it is over */
#if PAJESIM_TRAVEL
    uint8_t digests;         /* 1: an index is made of the trace, or was */
#endif
    pajesim_time finish_time;
    pajesim_time first, last; /* least and greatest time; first > last: none yet.  With an index: since its last
                                 checkpoint */
#if PAJESIM_TRAVEL
    pajesim_time past_first, past_last; /* before that */
#endif
    pajesim_counter line;    /* lines ended, of the file that is being read */
    pajesim_counts counts;
    struct {
        pajesim_counter line;
        uint32_t column;
        pajesim__length depth;
        uint8_t code, severity, size;
        char bytes[PAJESIM__PROBLEM_BYTES];
    } problem;
#if PAJESIM_TRAVEL
    uint64_t digest[8]; /* of the whole blocks of the trace so far: see run/digest.h */
    unsigned char digest_rest[PAJESIM__DIGEST_BLOCK]; /* the bytes behind them, then zeros */
#endif
} pajesim__state;
#define PAJESIM__STATE_MEMBERS(X, T) \
    X(T, heap) X(T, line_max) X(T, line_capacity) X(T, strict) X(T, parse_only) X(T, ignore_links) X(T, old_names) \
    X(T, remembered) X(T, file_depth_max) X(T, definitions) X(T, types) X(T, containers) X(T, values) X(T, links) \
    X(T, used_ids) X(T, destroyed) X(T, unused_values) X(T, root) X(T, root_type) X(T, defining) X(T, file) \
    X(T, next_file) X(T, depth) X(T, scopes) X(T, carry) X(T, carry_capacity) X(T, carry_size) X(T, cut) \
    X(T, skip_definition) X(T, stage) X(T, stopped) X(T, ended) X(T, bom_state) \
    PAJESIM__IF_TRAVEL(X(T, digests)) X(T, finish_time) X(T, first) X(T, last) \
    PAJESIM__IF_TRAVEL(X(T, past_first) X(T, past_last)) X(T, line) X(T, counts) \
    X(T, problem.line) X(T, problem.column) X(T, problem.depth) X(T, problem.code) X(T, problem.severity) \
    X(T, problem.size) X(T, problem.bytes) PAJESIM__IF_TRAVEL(X(T, digest) X(T, digest_rest))

#define PAJESIM__STATE_SIZE (PAJESIM__UNITS((uint32_t)sizeof(pajesim__state)) * PAJESIM__UNIT)
#define PAJESIM__STATE(sim) ((pajesim__state *)(void *)(sim)->arena)
#define PAJESIM__CONST_STATE(sim) ((const pajesim__state *)(const void *)(sim)->arena)

/* Options, constant 0 where the code for them is not compiled. */
#define PAJESIM__IS_STRICT(state) (PAJESIM_CHECKS && (state)->strict)
#define PAJESIM__IS_PARSER(state) (PAJESIM_CHECKS && (state)->parse_only)
#define PAJESIM__FILE(state) (PAJESIM_FILES ? (state)->file : 0)
#define PAJESIM__DEPTH(state) ((pajesim__length)(PAJESIM_FILES ? (state)->depth : 0))
#define PAJESIM__NEXT_FILE(state) (PAJESIM_FILES ? (state)->next_file : 0)

/* ---------------- src/pajesim/model/model.h */

/* The records of the simulation: types, values, containers, and the entities that are open on them. */

/* Types, values and containers begin alike, so that one query serves all three.  References are to the id. */
typedef struct pajesim__record {
#if PAJESIM_REFERENCE == 16
    pajesim__id id;
#endif
    pajesim_user_word word;
    pajesim__text name, color; /* name 0: the identifier */
    pajesim_ref parent;
    uint8_t tag; /* pajesim__tag */
    uint8_t kind; /* pajesim_kind */
    uint8_t flags;
    uint8_t unused;
#if PAJESIM_REFERENCE != 16
    pajesim__id id; /* next to what events need of a container */
#endif
} pajesim__record;
#define PAJESIM__RECORD_MEMBERS(X, T) \
    X(T, id) X(T, word) X(T, name) X(T, color) X(T, parent) X(T, tag) X(T, kind) X(T, flags) X(T, unused)

enum pajesim__tag { PAJESIM__TYPE = 1, PAJESIM__VALUE, PAJESIM__CONTAINER };

enum { /* flags */
    PAJESIM__IMPLICIT = 1, /* a value that no line defined: it may be evicted when no open state refers to it */
    PAJESIM__QUEUED = 2,   /* in a queue of records that may be evicted */
    PAJESIM__LISTED = 4    /* a destroyed container that its identifier still finds */
};

/* Types and containers are trees. */
typedef struct pajesim__tree {
    pajesim_ref first, last, next, previous;
} pajesim__tree;
#define PAJESIM__TREE_MEMBERS(X, T) \
    X(T, first) X(T, last) X(T, next) X(T, previous)

typedef struct pajesim__type {
    pajesim__record record;
    pajesim__tree tree;
    pajesim__length slot; /* which slot of a container of the parent type is for entities of this type */
#if PAJESIM_REFERENCE != 16
    pajesim_ref next_entity; /* the next type of entities on the same containers; of a container type, the first type
                                of those on its containers */
#endif
    union {
        struct {
            pajesim_ref start_type, end_type;
        } link;
        pajesim__length slots; /* of a container of this type */
    } of;
#if PAJESIM_CHECKS
    uint32_t depth;
    pajesim_ref jump; /* an ancestor farther away: see pajesim__is_within */
#endif
} pajesim__type;
#define PAJESIM__TYPE_MEMBERS(X, T) \
    X(T, record) X(T, tree) X(T, slot) PAJESIM__IF_32(X(T, next_entity)) X(T, of.link.start_type) \
    X(T, of.link.end_type) X(T, of.slots) \
    PAJESIM__IF_CHECKS(X(T, depth) X(T, jump))

/* Values belong to their type: record.parent. */
typedef struct pajesim__value {
    pajesim__record record;
    pajesim__length refs; /* of an implicit value: open states */
    pajesim__offset next;
} pajesim__value;
#define PAJESIM__VALUE_MEMBERS(X, T) \
    X(T, record) X(T, refs) X(T, next)

/* What events need lies together, from its id to its slots, so that it is in few cache lines. */
typedef struct pajesim__container {
    pajesim_time start;
    pajesim__tree tree;
    pajesim_ref declared_type; /* also of a destroyed container */
    pajesim__offset links;  /* pending links of this container */
#if PAJESIM_REFERENCE != 16 /* else it is at the end, so that the id is at a multiple of 8 bytes */
    pajesim__offset fields; /* user fields of its creation */
    pajesim__offset late;   /* the first one of its late slots */
#endif
    union {
        pajesim__offset next; /* destroyed */
#if PAJESIM_TRAVEL
        uint32_t open_index;      /* alive: see PAJESIM__TRACKED; */
        pajesim_ref copy;     /* where a window replays, its copy in the part that is filled */
#endif
    } aux;
#if PAJESIM_TRAVEL
    uint32_t serial;
#endif
    pajesim__length own_slots; /* that follow this record in its block: of the types there were at its creation */
    pajesim__record record;
    pajesim_ref type; /* 0: destroyed, so that no event's type is a child of it; its type is declared_type */
    pajesim__offset slots;
    pajesim__length slot_count;
    pajesim__length refs; /* that keep its record once it is destroyed: pending links that end there, and destroyed
                             containers that were in it */
#if PAJESIM_REFERENCE == 16
    pajesim__offset fields;
#endif
} pajesim__container;
#define PAJESIM__CONTAINER_MEMBERS(X, T) \
    X(T, start) X(T, tree) X(T, declared_type) X(T, links) X(T, fields) \
    PAJESIM__IF_32(X(T, late)) X(T, aux.next) PAJESIM__IF_TRAVEL(X(T, aux.open_index) X(T, aux.copy) X(T, serial)) \
    X(T, own_slots) X(T, record) X(T, type) X(T, slots) X(T, slot_count) X(T, refs)

/* What a record's block has before what references to it name, and a container's from there to its own slots. */
#define PAJESIM__BEFORE_ID offsetof(pajesim__record, id)
#define PAJESIM__BEFORE_CONTAINER_ID (offsetof(pajesim__container, record) + PAJESIM__BEFORE_ID)
#define PAJESIM__RECORD_HEAD PAJESIM__UNITS(PAJESIM__BEFORE_ID)
#define PAJESIM__RECORD_IN(block) ((pajesim_ref)((block) + PAJESIM__RECORD_HEAD))
#define PAJESIM__CONTAINER_HEAD /* in steps, as blocks are, so that ids and slots are not cut by lines of a cache */   \
    ((PAJESIM__BEFORE_CONTAINER_ID + PAJESIM__CLASS_STEP - 1) / PAJESIM__CLASS_STEP *                                  \
     (PAJESIM__CLASS_STEP / PAJESIM__UNIT))
#define PAJESIM__CONTAINER_REST PAJESIM__UNITS(sizeof(pajesim__container) - PAJESIM__BEFORE_CONTAINER_ID)
#define PAJESIM__CONTAINER_IN(block) ((pajesim_ref)((block) + PAJESIM__CONTAINER_HEAD))
#define PAJESIM__OWN_SLOTS(ref) ((pajesim__offset)((ref) + PAJESIM__CONTAINER_REST))

/* What is open on a container, of one type. */
typedef struct pajesim__slot {
    pajesim_time last; /* event of this container and type */
    pajesim_time start;
    union {
        struct {
            pajesim__offset frames;
            pajesim__length depth, capacity;
#if PAJESIM_TRAVEL
            uint32_t open_index; /* of the outermost state */
#endif
        } stack;
        struct {
            pajesim_quantity number;
            pajesim__length set; /* 1: it is; plus twice its ending */
            pajesim__offset fields;
        } variable;
    } open;
} pajesim__slot;
#define PAJESIM__SLOT_MEMBERS(X, T) \
    X(T, last) X(T, start) X(T, open.stack.frames) X(T, open.stack.depth) X(T, open.stack.capacity) \
    PAJESIM__IF_TRAVEL(X(T, open.stack.open_index)) X(T, open.variable.number) X(T, open.variable.set) \
    X(T, open.variable.fields)

/* The slots of the first types lie side by side in an array; with so many, a container takes 1 KiB.  The others are
 * late slots, which are made when they are used first: so thousands of types take no memory on each container. */
#if PAJESIM_REFERENCE != 16
#ifndef PAJESIM__EARLY_TYPES /* tests set it to 1, so that most slots are late */
#define PAJESIM__EARLY_TYPES 28u
#endif
#define PAJESIM__EARLY_SLOTS(slots) PAJESIM__MIN(slots, PAJESIM__EARLY_TYPES)
#define PAJESIM__IS_LATE(type) ((type)->slot >= PAJESIM__EARLY_TYPES)

/* The late slots of a container are a tree.  The digits of a slot's key lead to it; on the way it has the first place
 * whose slot has a greater number.  So each slot is the first one of its subtree, and subtrees are in order.  The slots
 * are a ring as well, which begins anywhere. */
typedef struct pajesim__late_slot {
    pajesim__slot slot;
    pajesim_ref type;
    pajesim__offset next;
    pajesim__offset below[4]; /* by the next digit of the key */
} pajesim__late_slot;
#define PAJESIM__LATE_SLOT_MEMBERS(X, T) \
    X(T, slot) X(T, type) X(T, next) X(T, below)
#define PAJESIM__LATE_SLOT_AT(sim, offset) PAJESIM__AT(sim, pajesim__late_slot, offset)
#else
#define PAJESIM__EARLY_SLOTS(slots) (slots)
#define PAJESIM__IS_LATE(type) 0
#endif

typedef struct pajesim__frame {
    pajesim_time start;
    pajesim_ref value;
    pajesim__offset fields;
} pajesim__frame;
#define PAJESIM__FRAME_MEMBERS(X, T) \
    X(T, start) X(T, value) X(T, fields)

/* A link of which one end is known.  Its id is its key, within container and type. */
typedef struct pajesim__link {
    pajesim__id id;
    pajesim__offset next, previous; /* of its container's pending links */
    pajesim_time time;
    pajesim_ref end_point;
    pajesim_ref value;
    pajesim__text value_text; /* of a value that is not defined */
    pajesim__offset fields;
    pajesim__length started; /* 1: its start is known, 0: its end */
#if PAJESIM_TRAVEL
    uint32_t open_index;
#endif
} pajesim__link;
#define PAJESIM__LINK_MEMBERS(X, T) \
    X(T, id) X(T, next) X(T, previous) X(T, time) X(T, end_point) X(T, value) X(T, value_text) X(T, fields) \
    X(T, started) PAJESIM__IF_TRAVEL(X(T, open_index))

/* In a reference to the user fields of what is open: it was open at the latest checkpoint of an index, too, and
 * `ending` is its number there, in the order of pajesim__walk_next. */
#define PAJESIM__TRACKED ((pajesim__offset)PAJESIM_TRAVEL)

/* The least time; its negative is the greatest. */
#if PAJESIM_TIME_DECIMALS < 0
#define PAJESIM__TIME_LEAST (-1.7976931348623157e308)
#else
#define PAJESIM__TIME_LEAST (-INT64_MAX)
#endif

#define PAJESIM__WHOLE(sim, type, ref, before_id) ((type *)(void *)(PAJESIM__BYTES(sim, ref) - (before_id)))
#define PAJESIM__RECORD(sim, ref) PAJESIM__WHOLE(sim, pajesim__record, ref, PAJESIM__BEFORE_ID)
#define PAJESIM__TYPE_AT(sim, ref) PAJESIM__WHOLE(sim, pajesim__type, ref, PAJESIM__BEFORE_ID)
#define PAJESIM__VALUE_AT(sim, ref) PAJESIM__WHOLE(sim, pajesim__value, ref, PAJESIM__BEFORE_ID)
#define PAJESIM__CONTAINER_AT(sim, ref) PAJESIM__WHOLE(sim, pajesim__container, ref, PAJESIM__BEFORE_CONTAINER_ID)

#define PAJESIM__IS_SET(slot) ((slot)->open.variable.set & 1u)

/* The parent of a container, which it keeps when it is destroyed; 0 in small builds, where it does not. */
#define PAJESIM__KEPT_PARENT(container) ((pajesim_ref)(PAJESIM_SMALL ? 0 : (container)->record.parent))

/* Whether a container that an identifier finds is destroyed, and remembered. */
#define PAJESIM__IS_DESTROYED(sim, ref) (PAJESIM_REPAIRS && !PAJESIM__CONTAINER_AT(sim, ref)->type)

/* What the identifiers of containers find is about to change: see run/prefetch.h. */
#if PAJESIM__BLOCKS
#define PAJESIM__CHANGES(sim) ((sim)->changes)
#define PAJESIM__CHANGED(sim) ((void)(sim)->changes++)
#else
#define PAJESIM__CHANGES(sim) 0u
#define PAJESIM__CHANGED(sim) ((void)0)
#endif

static pajesim__tree *pajesim__tree_of(const pajesim *sim, pajesim_ref ref)
{
    PAJESIM__ASSERT(PAJESIM__RECORD(sim, ref)->tag == PAJESIM__TYPE ||
                    PAJESIM__RECORD(sim, ref)->tag == PAJESIM__CONTAINER);
    return PAJESIM__RECORD(sim, ref)->tag == PAJESIM__TYPE ? &PAJESIM__TYPE_AT(sim, ref)->tree
                                                      : &PAJESIM__CONTAINER_AT(sim, ref)->tree;
}

static void pajesim__tree_append(pajesim *sim, pajesim_ref parent, pajesim_ref child)
{
    pajesim__tree *tree = pajesim__tree_of(sim, child);
    memset(tree, 0, sizeof *tree);
    PAJESIM__RECORD(sim, child)->parent = parent;
    if (parent) {
        pajesim__tree *above = pajesim__tree_of(sim, parent);
        tree->previous = above->last;
        if (above->last)
            pajesim__tree_of(sim, above->last)->next = child;
        else
            above->first = child;
        above->last = child;
    }
}

/* Removes a container that is destroyed. */
static void pajesim__tree_remove(pajesim *sim, pajesim_ref child)
{
    pajesim__tree *tree = pajesim__tree_of(sim, child);
    pajesim_ref parent = PAJESIM__RECORD(sim, child)->parent;
    if (tree->previous)
        pajesim__tree_of(sim, tree->previous)->next = tree->next;
    else if (parent)
        pajesim__tree_of(sim, parent)->first = tree->next;
    if (tree->next)
        pajesim__tree_of(sim, tree->next)->previous = tree->previous;
    else if (parent)
        pajesim__tree_of(sim, parent)->last = tree->previous;
    tree->next = tree->previous = 0;
    if (PAJESIM_SMALL)
        PAJESIM__RECORD(sim, child)->parent = 0;
}

/* Empties the slots of a container from slot_count on, which becomes `count`. */
static void pajesim__clear_slots(pajesim *sim, pajesim__container *container, uint32_t count)
{
    pajesim__slot *slots = PAJESIM__AT(sim, pajesim__slot, container->slots);
    PAJESIM__ASSERT(container->slot_count <= count);
    for (; container->slot_count < count; container->slot_count++) {
        memset(&slots[container->slot_count], 0, sizeof *slots);
        slots[container->slot_count].last = PAJESIM__TIME_LEAST;
    }
}

/* Frees the early slots of a container if they are in a block of their own. */
static void pajesim__free_slots(pajesim *sim, pajesim_ref ref)
{
    const pajesim__container *container = PAJESIM__CONTAINER_AT(sim, ref);
    if (container->slot_count > container->own_slots)
        pajesim__free(sim, container->slots, container->slot_count * (pajesim__size)sizeof(pajesim__slot));
}

#if PAJESIM_REFERENCE != 16
/* Returns a key of 16 digits in base 4, which is in the order of the numbers of slots and leads to short ones in few
 * steps: two digits tell how many the number has, and these follow. */
static uint32_t pajesim__late_key(const pajesim *sim, pajesim_ref type)
{
    uint32_t number = PAJESIM__TYPE_AT(sim, type)->slot, digits = (pajesim__bit_width(number | 1) + 1) / 2;
    return (digits - 1) << 28 | number << (32 - 2 * digits) >> 4;
}

/* Returns the first subtree from `digit` on; 0 if there is none. */
static pajesim__offset pajesim__late_subtree(const pajesim *sim, pajesim__offset at, uint32_t digit)
{
    while (digit < 4 && !PAJESIM__LATE_SLOT_AT(sim, at)->below[digit])
        digit++;
    return digit < 4 ? PAJESIM__LATE_SLOT_AT(sim, at)->below[digit] : 0;
}

/* Returns the late slot that comes after that of a type; 0 after the last one. */
static pajesim__offset pajesim__next_late_slot(const pajesim *sim, pajesim__offset at, pajesim_ref type)
{
    uint32_t key = pajesim__late_key(sim, type);
    pajesim__offset after = 0, subtree;
    for (; PAJESIM__LATE_SLOT_AT(sim, at)->type != type; key <<= 2) {
        subtree = pajesim__late_subtree(sim, at, (key >> 30) + 1);
        after = subtree ? subtree : after;
        at = PAJESIM__LATE_SLOT_AT(sim, at)->below[key >> 30];
    }
    subtree = pajesim__late_subtree(sim, at, 0);
    return subtree ? subtree : after;
}

/* Returns the late slot of a type on a container; NULL if there is none.  Out of line, as most types are early. */
PAJESIM__COLD pajesim__slot *pajesim__late_slot_of(const pajesim *sim, const pajesim__container *container,
                                                   pajesim_ref type)
{
    pajesim__offset at = PAJESIM__IS_LATE(PAJESIM__TYPE_AT(sim, type)) ? container->late : 0;
    uint32_t key = at ? pajesim__late_key(sim, type) : 0;
    for (; at && PAJESIM__LATE_SLOT_AT(sim, at)->type != type; key <<= 2)
        at = PAJESIM__LATE_SLOT_AT(sim, at)->below[key >> 30];
    return at ? &PAJESIM__LATE_SLOT_AT(sim, at)->slot : NULL;
}

/* Adds a late slot, whose type is set, to the tree of a container; returns 0 if the type has one. */
static int pajesim__add_late_slot(pajesim *sim, pajesim__container *container, pajesim__offset added)
{
    pajesim__offset *link = &container->late;
    pajesim__late_slot *late = PAJESIM__LATE_SLOT_AT(sim, added);
    uint32_t depth;
    for (depth = 0; *link; depth += 2) {
        pajesim__late_slot *other = PAJESIM__LATE_SLOT_AT(sim, *link);
        if (other->type == late->type)
            return 0;
        if (PAJESIM__TYPE_AT(sim, other->type)->slot > PAJESIM__TYPE_AT(sim, late->type)->slot) { /* in its place */
            pajesim__offset moved = *link;
            memcpy(late->below, other->below, sizeof late->below);
            *link = added;
            added = moved;
            link = late->below;
            late = other;
        } else {
            link = other->below;
        }
        link += pajesim__late_key(sim, late->type) << depth >> 30;
    }
    memset(late->below, 0, sizeof late->below);
    *link = added;
    return 1;
}

static void pajesim__free_late_slots(pajesim *sim, pajesim__container *container)
{
    pajesim__offset at = container->late, next;
    if (at)
        do {
            next = PAJESIM__LATE_SLOT_AT(sim, at)->next;
            pajesim__free(sim, at, sizeof(pajesim__late_slot));
            at = next;
        } while (at != container->late);
    container->late = 0;
}
#else
#define pajesim__late_slot_of(sim, container, type) NULL
#define pajesim__free_late_slots(sim, container) ((void)0)
#endif

/* Returns the slot of a type of those that a container may have entities of; NULL if there is none yet. */
PAJESIM__INLINE pajesim__slot *pajesim__find_slot(const pajesim *sim, const pajesim__container *container,
                                                  pajesim_ref type)
{
    uint32_t slot = PAJESIM__TYPE_AT(sim, type)->slot;
    return PAJESIM__LIKELY(slot < container->slot_count) ? PAJESIM__AT(sim, pajesim__slot, container->slots) + slot
                                                         : pajesim__late_slot_of(sim, container, type);
}

/* The slot of a type that has one on the container. */
#if PAJESIM_REFERENCE != 16
#define pajesim__slot_at(sim, container, type) pajesim__find_slot(sim, container, type)
#else
#define pajesim__slot_at(sim, container, type)                                                                         \
    (PAJESIM__AT(sim, pajesim__slot, (container)->slots) + PAJESIM__TYPE_AT(sim, type)->slot)
#endif

/* Returns the type after `type`, or the first one for 0, of those that have a slot on the container, in the
 * order of their definition; 0 after the last one.  With references of 16 bits, container types are among them. */
static pajesim_ref pajesim__next_slot_type(const pajesim *sim, const pajesim__container *container, pajesim_ref type)
{
#if PAJESIM_REFERENCE != 16
    const pajesim__type *before = PAJESIM__TYPE_AT(sim, type ? type : container->declared_type);
    pajesim__offset late = container->late;
    if (PAJESIM__IS_LATE(before)) {
        late = pajesim__next_late_slot(sim, late, type);
    } else if (before->next_entity && PAJESIM__TYPE_AT(sim, before->next_entity)->slot < container->slot_count) {
        return before->next_entity;
    }
    return late ? PAJESIM__LATE_SLOT_AT(sim, late)->type : 0;
#else
    type = type ? PAJESIM__TYPE_AT(sim, type)->tree.next : PAJESIM__TYPE_AT(sim, container->declared_type)->tree.first;
    return PAJESIM__TYPE_AT(sim, type)->slot < container->slot_count ? type : 0;
#endif
}

/* ---- queries ---- */

PAJESIM_API pajesim_ref pajesim_root(const pajesim *sim)
{
    return PAJESIM__CONST_STATE(sim)->root;
}

PAJESIM_API pajesim_ref pajesim_root_type(const pajesim *sim)
{
    return PAJESIM__CONST_STATE(sim)->root_type;
}

PAJESIM_API pajesim_text pajesim_alias(const pajesim *sim, pajesim_ref ref)
{
    return ref ? pajesim__id_text(sim, &PAJESIM__RECORD(sim, ref)->id) : pajesim__view("", 0);
}

PAJESIM__INLINE pajesim_text pajesim__name_of(const pajesim *sim, pajesim_ref ref)
{
    if (ref && PAJESIM__RECORD(sim, ref)->name)
        return pajesim__text_at(sim, PAJESIM__RECORD(sim, ref)->name);
    return pajesim_alias(sim, ref);
}

PAJESIM_API pajesim_text pajesim_name(const pajesim *sim, pajesim_ref ref)
{
    return pajesim__name_of(sim, ref);
}

PAJESIM_API pajesim_text pajesim_color(const pajesim *sim, pajesim_ref ref)
{
    return pajesim__text_at(sim, PAJESIM_FIELDS && ref ? PAJESIM__RECORD(sim, ref)->color : 0);
}

PAJESIM_API pajesim_ref pajesim_parent(const pajesim *sim, pajesim_ref ref)
{
    return ref ? PAJESIM__RECORD(sim, ref)->parent : 0;
}

PAJESIM_API pajesim_ref pajesim_type_of(const pajesim *sim, pajesim_ref container)
{
    return container && PAJESIM__RECORD(sim, container)->tag == PAJESIM__CONTAINER
               ? PAJESIM__CONTAINER_AT(sim, container)->declared_type
               : 0;
}

PAJESIM_API pajesim_kind pajesim_kind_of(const pajesim *sim, pajesim_ref ref)
{
    return ref ? (pajesim_kind)PAJESIM__RECORD(sim, ref)->kind : (pajesim_kind)0;
}

PAJESIM_API pajesim_ref pajesim_first_child(const pajesim *sim, pajesim_ref ref)
{
    return ref && PAJESIM__RECORD(sim, ref)->tag != PAJESIM__VALUE ? pajesim__tree_of(sim, ref)->first : 0;
}

PAJESIM_API pajesim_ref pajesim_next_sibling(const pajesim *sim, pajesim_ref ref)
{
    return ref && PAJESIM__RECORD(sim, ref)->tag != PAJESIM__VALUE ? pajesim__tree_of(sim, ref)->next : 0;
}

PAJESIM_API pajesim_time pajesim_start_of(const pajesim *sim, pajesim_ref container)
{
    return container ? PAJESIM__CONTAINER_AT(sim, container)->start : 0;
}

#if PAJESIM_TRAVEL
PAJESIM_API uint32_t pajesim_serial(const pajesim *sim, pajesim_ref container)
{
    return container && PAJESIM__RECORD(sim, container)->tag == PAJESIM__CONTAINER
               ? PAJESIM__CONTAINER_AT(sim, container)->serial
               : 0;
}
#endif

PAJESIM_API pajesim_user_word *pajesim_user_data(pajesim *sim, pajesim_ref ref)
{
    return ref ? &PAJESIM__RECORD(sim, ref)->word : NULL;
}

PAJESIM_API pajesim_ref pajesim_find_container(const pajesim *sim, const char *alias, size_t size)
{
    pajesim__key key = pajesim__key_of(alias, (uint32_t)size);
    pajesim_ref container = pajesim__table_find(sim, &PAJESIM__CONST_STATE(sim)->containers, &key, 0, 0);
    return container && PAJESIM__CONTAINER_AT(sim, container)->type ? container : 0;
}

PAJESIM_API pajesim_ref pajesim_find_type(const pajesim *sim, const char *alias, size_t size)
{
    pajesim__key key = pajesim__key_of(alias, (uint32_t)size);
    return pajesim__table_find(sim, &PAJESIM__CONST_STATE(sim)->types, &key, 0, 0);
}

PAJESIM_API pajesim_ref pajesim_find_value(const pajesim *sim, pajesim_ref type, const char *alias, size_t size)
{
    pajesim__key key = pajesim__key_of(alias, (uint32_t)size);
    return pajesim__table_find(sim, &PAJESIM__CONST_STATE(sim)->values, &key, type, 0);
}

/* Returns the slot of a type on a container; NULL if no event has used it. */
static pajesim__slot *pajesim__slot_of(const pajesim *sim, pajesim_ref container, pajesim_ref type)
{
    const pajesim__container *owner;
    if (!container || !type)
        return NULL;
    owner = PAJESIM__CONTAINER_AT(sim, container);
    return PAJESIM__RECORD(sim, type)->parent == owner->declared_type ? pajesim__find_slot(sim, owner, type) : NULL;
}

PAJESIM_API uint32_t pajesim_depth(const pajesim *sim, pajesim_ref container, pajesim_ref type)
{
    const pajesim__slot *slot = pajesim__slot_of(sim, container, type);
    if (!slot)
        return 0;
    switch (PAJESIM__RECORD(sim, type)->kind) {
    case PAJESIM_STATE:
        return slot->open.stack.depth;
    case PAJESIM_VARIABLE:
        return PAJESIM__IS_SET(slot);
    default:
        return 0;
    }
}

/* ---------------- src/pajesim/model/cache.h */

/* A cache in front of the tables of definitions, types and values. */

/* Definitions, types and values are looked up in nearly every line and seldom change, so a direct-mapped cache comes
 * before their tables, keyed by identifier and scope.  It is not part of images.  When many entries evict each other,
 * the hash is changed and the cache cleared, until the most frequent ones have slots of their own. */
#define PAJESIM__TYPES_SCOPE 1u
#define PAJESIM__DEFINITIONS_SCOPE(scope) (2u | (uint32_t)(scope) << 3)
#define PAJESIM__VALUES_SCOPE(type) ((uint32_t)(type) * PAJESIM__UNIT) /* blocks are at multiples of 8 bytes */

#if PAJESIM_CACHE
PAJESIM__INLINE uint32_t pajesim__cache_slot(const pajesim *sim, uint64_t lo, uint64_t hi, uint32_t scope)
{
    return (uint32_t)((((lo ^ scope) + hi * 5) * sim->cache_factor) >> 40) & (PAJESIM_CACHE - 1u);
}

/* Combines the size of an identifier and its scope, which is never 0. */
PAJESIM__INLINE uint64_t pajesim__cache_tag(uint32_t size, uint32_t scope)
{
    return (uint64_t)size << 32 | scope;
}

static void pajesim__put_in_cache(pajesim *sim, const pajesim__key *key, uint32_t scope, pajesim_ref ref)
{
    uint32_t slot = pajesim__cache_slot(sim, key->lo, key->hi, scope);
    if (sim->cache[slot].tag && ++sim->cache_clashes % (4 * PAJESIM_CACHE) == 0) {
        memset(sim->cache, 0, sizeof sim->cache);
        sim->cache_factor *= PAJESIM__MIX2;
        slot = pajesim__cache_slot(sim, key->lo, key->hi, scope);
    }
    sim->cache[slot].lo = key->lo;
    sim->cache[slot].hi = key->hi;
    sim->cache[slot].tag = pajesim__cache_tag(key->size, scope);
    sim->cache[slot].ref = ref;
}

/* Looks up the table and fills the cache.  Makes the key from its bytes: the hot caller then keeps its own in
 * registers.  Also caches that a value does not exist: not all tracers define the values of links. */
PAJESIM__COLD pajesim__offset pajesim__find_uncached(pajesim *sim, const pajesim__table *table, const void *bytes,
                                                     uint32_t size, uint32_t scope, uint32_t cache_scope)
{
    pajesim__key key = pajesim__key_of(bytes, size);
    pajesim__offset found = pajesim__table_find(sim, table, &key, scope, 0);
    if ((found || table == &PAJESIM__STATE(sim)->values) && size <= 2 * PAJESIM__HALF)
        pajesim__put_in_cache(sim, &key, cache_scope, found);
    return found;
}
#endif

PAJESIM__INLINE pajesim__offset pajesim__find_cached(pajesim *sim, const pajesim__table *table, const pajesim__key *key,
                                                     uint32_t scope, uint32_t cache_scope)
{
#if PAJESIM_CACHE
    uint32_t slot = pajesim__cache_slot(sim, key->lo, key->hi, cache_scope);
    uint64_t tag = pajesim__cache_tag(key->size, cache_scope);
    if (PAJESIM__LIKELY(
            ((sim->cache[slot].lo ^ key->lo) | (sim->cache[slot].hi ^ key->hi) | (sim->cache[slot].tag ^ tag)) == 0))
        return sim->cache[slot].ref;
    return pajesim__find_uncached(sim, table, key->bytes, key->size, scope, cache_scope);
#else
    (void)cache_scope;
    return pajesim__table_find(sim, table, key, scope, 0);
#endif
}

/* Removes an entry from the cache: its record is about to be freed, or one that was cached as missing now exists. */
static void pajesim__uncache(pajesim *sim, const pajesim__id *id, uint32_t cache_scope)
{
#if PAJESIM_CACHE
    uint32_t slot = pajesim__cache_slot(sim, id->lo, id->hi, cache_scope);
    if (sim->cache[slot].lo == id->lo && sim->cache[slot].hi == id->hi &&
        sim->cache[slot].tag == pajesim__cache_tag(id->size, cache_scope))
        sim->cache[slot].tag = 0;
#else
    (void)sim, (void)id, (void)cache_scope;
#endif
}

/* ---------------- src/pajesim/model/problems.h */

/* Reports of problems, and whether one keeps a line from taking effect. */

static const uint8_t pajesim__severities[][1 + PAJESIM_CHECKS] = {
#if PAJESIM_CHECKS
#define PAJESIM__X(code, strict, lenient, text) {PAJESIM_##lenient, PAJESIM_##strict},
#else
#define PAJESIM__X(code, strict, lenient, text) {PAJESIM_##lenient},
#endif
    PAJESIM_PROBLEMS(PAJESIM__X)
#undef PAJESIM__X
};

PAJESIM_API const char *pajesim_problem_text(pajesim_code code)
{
#if PAJESIM_TEXTS
    static const char *const texts[] = {
#define PAJESIM__X(code, strict, lenient, text) text,
        PAJESIM_PROBLEMS(PAJESIM__X)
#undef PAJESIM__X
    };
    return (uint32_t)code < PAJESIM_E_COUNT ? texts[code] : "unknown problem";
#else
    (void)code;
    return "";
#endif
}

/* Makes a callback and notes what it returns. */
#define PAJESIM__CALL(sim, entry, argument) \
    do { \
        if ((sim)->callbacks->entry) \
            pajesim__callback_returned(sim, (sim)->callbacks->entry(sim, argument)); \
    } while (0)

PAJESIM__INLINE void pajesim__callback_returned(pajesim *sim, int result)
{
    if (PAJESIM__UNLIKELY(result > sim->callback_result))
        sim->callback_result = result;
}

PAJESIM_API pajesim_problem pajesim_last_problem(const pajesim *sim)
{
    const pajesim__state *state = PAJESIM__CONST_STATE(sim);
    pajesim_problem problem;
    problem.code = (pajesim_code)state->problem.code;
    problem.severity = (pajesim_severity)state->problem.severity;
    problem.text = pajesim_problem_text(problem.code);
    problem.line = state->problem.line;
    problem.column = state->problem.column;
    problem.depth = state->problem.depth;
    problem.bytes = pajesim__view(state->problem.bytes, state->problem.size);
    return problem;
}

PAJESIM__COLD void pajesim__report(pajesim *sim, pajesim_code code, pajesim_severity severity, uint32_t column,
                                   const void *bytes, uint32_t size)
{
    pajesim__state *state = PAJESIM__STATE(sim);
    pajesim_problem problem;
    if (severity == PAJESIM_ERROR)
        state->counts.errors++;
    else
        state->counts.warnings++;
    memset(&state->problem, 0, sizeof state->problem);
    state->problem.code = (uint8_t)code;
    state->problem.severity = (uint8_t)severity;
    state->problem.line = state->line + !state->ended;
    state->problem.column = column;
    state->problem.depth = PAJESIM__DEPTH(state);
    state->problem.size = (uint8_t)PAJESIM__MIN(size, (uint32_t)sizeof state->problem.bytes);
    if (size)
        memcpy(state->problem.bytes, bytes, state->problem.size);
    problem = pajesim_last_problem(sim);
    PAJESIM__CALL(sim, problem, &problem);
}

static pajesim_severity pajesim__severity(const pajesim *sim, pajesim_code code)
{
    return (pajesim_severity)pajesim__severities[code][PAJESIM__IS_STRICT(PAJESIM__CONST_STATE(sim))];
}

/* The outcome of a line. */
typedef enum pajesim__outcome {
    PAJESIM__DONE,    /* it took effect */
    PAJESIM__REFUSED, /* it did not: an error was reported */
    PAJESIM__ARENA_FULL, /* it did not: the arena is too small */
    PAJESIM__VETOED  /* it did not: the line callback returned PAJESIM_STOP */
} pajesim__outcome;

/* Notes a problem at bytes [begin, begin + size) of the line.  Returns 1 if it is an error, which is reported now; a
 * warning is reported when the line takes effect. */
PAJESIM__COLD int pajesim__diagnose_at(pajesim *sim, pajesim__line *line, pajesim_code code, uint32_t begin,
                                       uint32_t size)
{
    pajesim_severity severity = pajesim__severity(sim, code);
    if (severity == PAJESIM_ERROR) {
        pajesim__report(sim, code, severity, begin + 1, PAJESIM__TEXT(line) + begin, size);
        return 1;
    }
    if (severity == PAJESIM_WARNING && line->warnings < sizeof line->warning / sizeof *line->warning) {
        line->warning[line->warnings].code = code;
        line->warning[line->warnings].begin = begin;
        line->warning[line->warnings].size = size;
        line->warnings++;
        sim->commit_work = PAJESIM__COMMIT_FULL;
    }
    return 0;
}

/* As pajesim__diagnose_at, for a word of the line. */
static int pajesim__diagnose(pajesim *sim, pajesim__line *line, pajesim_code code, uint32_t word)
{
    return pajesim__diagnose_at(sim, line, code, line->spans[2 * word], line->spans[2 * word + 1]);
}

static void pajesim__report_warnings(pajesim *sim, const pajesim__line *line)
{
    uint32_t i;
    for (i = 0; i < line->warnings; i++)
        pajesim__report(sim, line->warning[i].code, PAJESIM_WARNING, line->warning[i].begin + 1,
                        PAJESIM__TEXT(line) + line->warning[i].begin, line->warning[i].size);
}

/* ---------------- src/pajesim/model/files.h */

/* Files that a trace includes. */

/* A file that another one includes. */
typedef struct pajesim__file {
    pajesim__offset importer; /* 0: the trace itself */
    pajesim__text name;
    pajesim__offset definitions; /* its own, the latest first */
    pajesim__length scope;
    pajesim__length importer_scope;
    pajesim_counter importer_line;
} pajesim__file;
#define PAJESIM__FILE_MEMBERS(X, T) \
    X(T, importer) X(T, name) X(T, definitions) X(T, scope) X(T, importer_scope) X(T, importer_line)

static uint32_t pajesim__scope(const pajesim *sim)
{
    pajesim__offset file = PAJESIM__FILE(PAJESIM__CONST_STATE(sim));
    return file ? PAJESIM__AT(sim, pajesim__file, file)->scope : 0;
}

/* A file that the current line includes. */
typedef struct pajesim__file_request {
    uint32_t word; /* of the file's name; 0: none */
    pajesim__offset file;
    pajesim__text name;
} pajesim__file_request;

/* Allocates what entering a file requires; returns 0, and reports it, if files are nested too deep. */
static int pajesim__reserve_file(pajesim *sim, pajesim__line *line, uint32_t word, pajesim__file_request *request)
{
    request->word = word;
    if (!word)
        return 1;
    if (!PAJESIM_FILES || PAJESIM__STATE(sim)->depth >= PAJESIM__STATE(sim)->file_depth_max) {
        pajesim__diagnose(sim, line, PAJESIM_E_FILE_DEPTH, word);
        return 0;
    }
    request->file = pajesim__alloc(sim, sizeof(pajesim__file));
    request->name = pajesim__alloc_text(sim, PAJESIM__SIZE(line, word));
    return 1;
}

/* The file becomes the current one at the end of the line: pajesim__enter_file. */
static void pajesim__store_file(pajesim *sim, const pajesim__line *line, const pajesim__file_request *request)
{
    pajesim__state *state = PAJESIM__STATE(sim);
    pajesim__file *file;
    if (!PAJESIM_FILES || PAJESIM__LIKELY(!request->word))
        return;
    file = PAJESIM__AT(sim, pajesim__file, request->file);
    file->importer = state->file;
    file->name = request->name;
    file->definitions = 0;
    file->scope = file->importer_scope = (pajesim__length)pajesim__scope(sim);
    file->importer_line = 0;
    pajesim__write_text(sim, request->name, PAJESIM__WORD(line, request->word), PAJESIM__SIZE(line, request->word));
    state->next_file = request->file;
    pajesim__callback_returned(sim, PAJESIM_PAUSE);
}

/* Begins with the file that the last line named. */
static void pajesim__enter_file(pajesim *sim)
{
    pajesim__state *state = PAJESIM__STATE(sim);
    pajesim__file *file = PAJESIM__AT(sim, pajesim__file, state->next_file);
    file->importer_line = state->line;
    state->file = state->next_file;
    state->next_file = 0;
    state->depth++;
    state->line = 0;
    state->bom_state = 0;
}

PAJESIM_API pajesim_text pajesim_file(const pajesim *sim)
{
    pajesim__offset file = PAJESIM__FILE(PAJESIM__CONST_STATE(sim));
    return pajesim__text_at(sim, file ? PAJESIM__AT(sim, pajesim__file, file)->name : 0);
}

/* ---------------- src/pajesim/model/events.h */

/* Tables made of PAJESIM_EVENTS: names, kinds, fields and functions of events; the names of fields. */

#define PAJESIM__LITERAL(text) text, sizeof(text) - 1

/* A list of names: an array of texts or, where code must be small, one string of them, each ended by NUL. */
#if PAJESIM_SMALL
typedef char pajesim__literal;
#define PAJESIM__NAME(text) text "\0"
#else
typedef struct pajesim__literal {
    const char *bytes;
    uint8_t size;
} pajesim__literal;
#define PAJESIM__NAME(text) {PAJESIM__LITERAL(text)},
#endif

/* In the order of pajesim_event, from 1. */
static const pajesim__literal pajesim__event_names[] = {
#define PAJESIM__X(code, name, kind, required, optional, function) PAJESIM__NAME(name)
    PAJESIM_EVENTS(PAJESIM__X)
#undef PAJESIM__X
};

/* By pajesim_event: the roles of the fields that it must have, and of those that it may have, too. */
static const uint16_t pajesim__required_roles[PAJESIM_EVENT_COUNT] = {
#define PAJESIM__X(code, name, kind, required, optional, function) , required
    0 PAJESIM_EVENTS(PAJESIM__X)
#undef PAJESIM__X
};

static const uint16_t pajesim__optional_roles[PAJESIM_EVENT_COUNT] = {
#define PAJESIM__X(code, name, kind, required, optional, function) , optional
    0 PAJESIM_EVENTS(PAJESIM__X)
#undef PAJESIM__X
};

enum pajesim__function {
    PAJESIM__SKIP_EVENT, /* of an unknown event */
#define PAJESIM__X(function, input) PAJESIM__DO_##function,
    PAJESIM__FUNCTIONS(PAJESIM__X)
#undef PAJESIM__X
};

/* By pajesim_event: the function that simulates it, times 8, plus the pajesim_kind of what it defines or acts on. */
static const uint8_t pajesim__functions_and_kinds[PAJESIM_EVENT_COUNT] = {
#define PAJESIM__X(code, name, kind, required, optional, function) , PAJESIM__DO_##function * 8 | kind
    PAJESIM__SKIP_EVENT PAJESIM_EVENTS(PAJESIM__X)
#undef PAJESIM__X
};

/* Compiles only if `count` events have this function: one that tells its events apart must know each of them. */
#define PAJESIM__ADD_TO_COUNTS(code, name, kind, required, optional, function) \
    +(UINT64_C(1) << 4 * PAJESIM__DO_##function)
#define PAJESIM__KNOWS(function, count) \
    typedef char pajesim__##function##_lacks_an_event_of_PAJESIM_EVENTS \
        [((0 PAJESIM_EVENTS(PAJESIM__ADD_TO_COUNTS)) >> 4 * PAJESIM__DO_##function & 15) == (count) ? 1 : -1]

/* Whether an event must have a field of this role. */
#define PAJESIM__REQUIRES(event, role) ((uint32_t)pajesim__required_roles[event] >> (role) & 1)

/* The names of fields: those of today in the order of pajesim_role, from 1, then older ones. */
static const pajesim__literal pajesim__role_names[] = {
    PAJESIM__NAME("Time") PAJESIM__NAME("Name") PAJESIM__NAME("Alias") PAJESIM__NAME("Type")
    PAJESIM__NAME("Container") PAJESIM__NAME("Value") PAJESIM__NAME("Key")
    PAJESIM__NAME("StartContainer") PAJESIM__NAME("EndContainer")
    PAJESIM__NAME("StartContainerType") PAJESIM__NAME("EndContainerType")
    PAJESIM__NAME("Color") PAJESIM__NAME("Filename") PAJESIM__NAME("File") PAJESIM__NAME("Line")
#if PAJESIM_REPAIRS
    PAJESIM__NAME("ContainerType") PAJESIM__NAME("EntityType") PAJESIM__NAME("NewContainerType")
    PAJESIM__NAME("NewName")
    PAJESIM__NAME("NewType") PAJESIM__NAME("NewValue") PAJESIM__NAME("NewContainer")
    PAJESIM__NAME("SourceContainer") PAJESIM__NAME("DestContainer")
    PAJESIM__NAME("SourceContainerType") PAJESIM__NAME("DestContainerType")
    PAJESIM__NAME("FileName") /* PAJESIM_SOURCE_FILE in an event that has no use for Filename */
    PAJESIM__NAME("LineNumber")
#endif
};

/* The roles of the older ones. */
static const uint8_t pajesim__old_roles[] = {
    PAJESIM_TYPE, PAJESIM_TYPE, PAJESIM_TYPE,
    PAJESIM_NAME,
    PAJESIM_ALIAS, PAJESIM_ALIAS, PAJESIM_ALIAS,
    PAJESIM_START_CONTAINER, PAJESIM_END_CONTAINER,
    PAJESIM_START_CONTAINER_TYPE, PAJESIM_END_CONTAINER_TYPE,
    PAJESIM_FILENAME,
    PAJESIM_SOURCE_LINE
};
#define PAJESIM__ROLE_NAMES (PAJESIM_ROLE_COUNT - 1 + (PAJESIM_REPAIRS ? (uint32_t)sizeof pajesim__old_roles : 0u))

/* In the order of pajesim_field_type, from 0. */
static const pajesim__literal pajesim__field_types[] = {
    PAJESIM__NAME("date") PAJESIM__NAME("double") PAJESIM__NAME("float") PAJESIM__NAME("int")
    PAJESIM__NAME("hex") PAJESIM__NAME("string") PAJESIM__NAME("color")
};
#define PAJESIM__FIELD_TYPES (PAJESIM_FIELD_COLOR + 1u)

static pajesim_text pajesim__name_at(const pajesim__literal *names, uint32_t index)
{
#if PAJESIM_SMALL
    size_t size;
    for (;; names += size + 1) {
        for (size = 0; names[size]; size++) {
        }
        if (!index--)
            return pajesim__view(names, size);
    }
#else
    return pajesim__view(names[index].bytes, names[index].size);
#endif
}

PAJESIM_API const char *pajesim_event_name(pajesim_event event)
{
    uint32_t index = (uint32_t)event - 1;
    return index < PAJESIM_EVENT_COUNT - 1 ? pajesim__name_at(pajesim__event_names, index).bytes : "";
}

PAJESIM_API const char *pajesim_kind_name(pajesim_kind kind)
{
    static const char *const names[] = {"", "Container", "State", "Event", "Variable", "Link"};
    return (uint32_t)kind < sizeof names / sizeof *names ? names[kind] : "";
}

/* ---------------- src/pajesim/model/definition.h */

/* Event definitions (%EventDef): their record, how to find one, and how to free it. */

typedef struct pajesim__definition {
    pajesim__id id;      /* the event's number, within the file's scope */
    pajesim__text name;  /* of an event that is not of the format */
    pajesim__offset next; /* of the file's list */
    pajesim__offset fields; /* a byte each: role + 16 * type */
    pajesim__offset names;  /* texts: names of the fields with role PAJESIM_USER_FIELD, in order */
    pajesim__length refs; /* open entities that keep user fields of it */
    uint8_t event, kind, function, count, user_count, user_names;
    uint8_t ended; /* its file has ended: the last reference frees it */
    /* index of a line's word by role; 0: the definition has none.  PAJESIM_USER_FIELD: of the first user field, if
     * all of them are adjacent */
    uint8_t word[PAJESIM_ROLE_COUNT];
} pajesim__definition;
#define PAJESIM__DEFINITION_MEMBERS(X, T) \
    X(T, id) X(T, name) X(T, next) X(T, fields) X(T, names) X(T, refs) X(T, event) X(T, kind) X(T, function) \
    X(T, count) X(T, user_count) X(T, user_names) X(T, ended) X(T, word)

#define PAJESIM__DEFINITION_AT(sim, offset) PAJESIM__AT(sim, pajesim__definition, offset)

/* The role, and the type, of a field of a definition. */
#define PAJESIM__ROLE_OF(sim, definition, index) (PAJESIM__BYTES(sim, (definition)->fields)[index] & 15u)
#define PAJESIM__TYPE_OF(sim, definition, index) ((uint32_t)PAJESIM__BYTES(sim, (definition)->fields)[index] >> 4)

/* Index of the word that holds a role; 0 (the event's number) where the definition has no such field. */
#define PAJESIM__FIELD(definition, role) ((uint32_t)(definition)->word[role])

/* Index of the word that holds the time; 0 where the event has none (a field Time is then a user field). */
static uint32_t pajesim__time_word(const pajesim__definition *definition)
{
    return PAJESIM__REQUIRES(definition->event, PAJESIM_TIME) ? PAJESIM__FIELD(definition, PAJESIM_TIME) : 0;
}

PAJESIM__COLD pajesim__offset pajesim__find_imported(const pajesim *sim, const void *bytes, uint32_t size)
{
    pajesim__key number = pajesim__key_of(bytes, size);
    pajesim__offset file = PAJESIM__FILE(PAJESIM__CONST_STATE(sim)), found = 0;
    for (; file && !found; file = PAJESIM__AT(sim, pajesim__file, file)->importer)
        found = pajesim__table_find(sim, &PAJESIM__CONST_STATE(sim)->definitions, &number,
                                    PAJESIM__AT(sim, pajesim__file, file)->importer_scope, 0);
    return found;
}

/* A file sees its own definitions, then those of the files that include it. */
PAJESIM__INLINE pajesim__offset pajesim__find_definition(pajesim *sim, const pajesim__key *number)
{
    uint32_t scope = pajesim__scope(sim);
    pajesim__offset found = pajesim__find_cached(sim, &PAJESIM__CONST_STATE(sim)->definitions, number, scope,
                                                 PAJESIM__DEFINITIONS_SCOPE(scope));
    return PAJESIM__LIKELY(found) ? found : pajesim__find_imported(sim, number->bytes, number->size);
}

/* Whether an event itself has no use for a field. */
static int pajesim__is_user_field(const pajesim__definition *definition, uint32_t role)
{
    uint32_t used = (uint32_t)pajesim__required_roles[definition->event];
    used |= pajesim__optional_roles[definition->event];
    return role == PAJESIM_USER_FIELD || !(used >> role & 1);
}

/* Index of the word that names a file to be opened; 0 where the event opens none (Filename is then a user field). */
static uint32_t pajesim__file_word(const pajesim__definition *definition)
{
    return pajesim__is_user_field(definition, PAJESIM_FILENAME) ? 0 : PAJESIM__FIELD(definition, PAJESIM_FILENAME);
}

static pajesim_text pajesim__definition_name(const pajesim *sim, const pajesim__definition *definition)
{
    return definition->event == PAJESIM_UNKNOWN_EVENT
               ? pajesim__text_at(sim, definition->name)
               : pajesim__name_at(pajesim__event_names, definition->event - 1u);
}

static uint32_t pajesim__names_size(uint32_t names)
{
    return (uint32_t)sizeof(pajesim__text) * names;
}

/* Frees a definition that is no longer in force, and that no entity refers to. */
static void pajesim__free_definition(pajesim *sim, pajesim__offset offset)
{
    pajesim__definition *definition = PAJESIM__DEFINITION_AT(sim, offset);
    uint32_t i;
    PAJESIM__ASSERT(!definition->refs);
    for (i = 0; PAJESIM_FIELDS && i < definition->user_names; i++)
        pajesim__free_text(sim, PAJESIM__AT(sim, pajesim__text, definition->names)[i]);
    if (PAJESIM_FIELDS && definition->user_names)
        pajesim__free(sim, definition->names, pajesim__names_size(definition->user_names));
    if (definition->count)
        pajesim__free(sim, definition->fields, definition->count);
    pajesim__free_text(sim, definition->name);
    pajesim__free_id(sim, &definition->id);
    pajesim__free(sim, offset, sizeof *definition);
}

/* Discards the definition that has no %EndEventDef, if there is one, and reports it. */
static void pajesim__abandon_definition(pajesim *sim, pajesim_code code)
{
    pajesim__state *state = PAJESIM__STATE(sim);
    pajesim_text number;
    if (!state->defining)
        return;
    number = pajesim__id_text(sim, &PAJESIM__DEFINITION_AT(sim, state->defining)->id);
    pajesim__report(sim, code, PAJESIM_ERROR, 0, number.bytes, (uint32_t)number.size);
    pajesim__free_definition(sim, state->defining);
    state->defining = 0;
}

/* When an included file ends, its definitions are no longer in force. */
static void pajesim__drop_definitions(pajesim *sim, pajesim__offset first)
{
    pajesim__offset next;
    for (; first; first = next) {
        pajesim__definition *definition = PAJESIM__DEFINITION_AT(sim, first);
        next = definition->next;
        pajesim__uncache(sim, &definition->id, PAJESIM__DEFINITIONS_SCOPE(definition->id.scope));
        pajesim__table_remove(sim, &PAJESIM__STATE(sim)->definitions, first);
        if (definition->refs)
            definition->ended = 1;
        else
            pajesim__free_definition(sim, first);
    }
}

/* ---------------- src/pajesim/model/commit.h */

/* The commit of a line, just before it takes effect: its allocations become permanent, the line callback is made, and
 * its warnings are reported. */

PAJESIM__COLD int pajesim__line_returned(pajesim *sim, pajesim__line *line, int result)
{
    pajesim__callback_returned(sim, result);
    if (result == PAJESIM_STOP)
        line->outcome = PAJESIM__VETOED;
    return result != PAJESIM_STOP;
}

/* Makes the `line` callback; returns 0 if that vetoes the line. */
PAJESIM__INLINE int pajesim__show_line(pajesim *sim, pajesim__line *line, const pajesim__definition *definition)
{
    int result;
    line->shown.event = (pajesim_event)definition->event;
    line->shown.count = definition->count;
    result = sim->callbacks->line(sim, &line->shown);
    return PAJESIM__LIKELY(result == PAJESIM_GO_ON) || pajesim__line_returned(sim, line, result);
}

static int pajesim__ready_full(pajesim *sim, pajesim__line *line)
{
    int takes = PAJESIM_SMALL || sim->allocs || sim->top != PAJESIM__HEAP(sim)->top;
    if (PAJESIM__UNLIKELY(takes && !pajesim__fits(sim))) {
        sim->needed = sim->top;
        line->outcome = PAJESIM__ARENA_FULL;
        return 0;
    }
    if (sim->callbacks->line && PAJESIM__LIKELY(line->shown.definition) &&
        !pajesim__show_line(sim, line, PAJESIM__DEFINITION_AT(sim, line->shown.definition)))
        return 0;
    if (takes)
        pajesim__commit(sim);
    if (PAJESIM__UNLIKELY(line->abandons_definition))
        pajesim__abandon_definition(sim, PAJESIM_E_HEADER_OPEN);
    if (PAJESIM__UNLIKELY(line->warnings))
        pajesim__report_warnings(sim, line);
    return 1;
}

/* Returns 0 if the line may not take effect: line->outcome says why.  All that it needs must be allocated by now. */
PAJESIM__SHARED int pajesim__ready(pajesim *sim, pajesim__line *line, const pajesim__definition *definition)
{
    PAJESIM__ASSERT(sim->commit_work == PAJESIM__COMMIT_FULL ||
                    (!sim->allocs && sim->top == PAJESIM__HEAP(sim)->top && !line->warnings)); /* nothing to commit */
    if (PAJESIM__LIKELY(!sim->commit_work))
        return 1;
    if (!PAJESIM_SMALL && PAJESIM__LIKELY(sim->commit_work == PAJESIM__COMMIT_SHOW))
        return pajesim__show_line(sim, line, definition);
    return pajesim__ready_full(sim, line);
}

/* ---------------- src/pajesim/model/header.h */

/* Event definitions: %EventDef NAME NUMBER, % FIELD TYPE ..., %EndEventDef (section "Header" of the format). */

/* Returns the index of a word among `count` names; `count` if it is not among them. */
static uint32_t pajesim__index_of(const pajesim__line *line, uint32_t word, const pajesim__literal *names,
                                  uint32_t count)
{
    uint32_t i;
    for (i = 0; i < count; i++) {
        pajesim_text name = pajesim__name_at(names, i);
        if (pajesim__word_is(line, word, name.bytes, name.size))
            break;
    }
    return i;
}

/* %EventDef NAME NUMBER */
static pajesim__outcome pajesim__begin_definition(pajesim *sim, pajesim__line *line)
{
    pajesim__state *state = PAJESIM__STATE(sim);
    pajesim__definition *definition;
    pajesim__offset offset, id;
    pajesim__text name = 0;
    pajesim__key number;
    uint32_t event, scope;

    state->skip_definition = 1; /* unless it is accepted */
    if (line->count < 3) {
        pajesim__diagnose(sim, line, PAJESIM_E_HEADER_NAME, 0);
        goto refused;
    }
    event = 1 + pajesim__index_of(line, 1, pajesim__event_names, PAJESIM_EVENT_COUNT - 1);
    if (event == PAJESIM_EVENT_COUNT)
        event = PAJESIM_UNKNOWN_EVENT;
    number = pajesim__key_of(PAJESIM__WORD(line, 2), PAJESIM__SIZE(line, 2));
    scope = pajesim__scope(sim);
    if (PAJESIM__FILE(state) && scope == PAJESIM__AT(sim, pajesim__file, state->file)->importer_scope)
        scope = state->scopes + 1u; /* the first definition of an included file */
    if (pajesim__table_find(sim, &state->definitions, &number, scope, 0)) {
        pajesim__diagnose(sim, line, PAJESIM_E_HEADER_TWICE, 2);
        goto refused;
    }
    offset = pajesim__alloc(sim, sizeof *definition);
    id = pajesim__alloc_id(sim, &number);
    if (PAJESIM_FIELDS && event == PAJESIM_UNKNOWN_EVENT)
        name = pajesim__alloc_text(sim, PAJESIM__SIZE(line, 1));
    sim->commit_work = PAJESIM__COMMIT_FULL;
    if (!pajesim__ready_full(sim, line))
        return (pajesim__outcome)line->outcome;

    pajesim__abandon_definition(sim, PAJESIM_E_HEADER_NESTED);
    if (event == PAJESIM_UNKNOWN_EVENT) /* stored even when that is an error, so that its lines can be skipped */
        pajesim__report(sim, PAJESIM_E_HEADER_EVENT, pajesim__severity(sim, PAJESIM_E_HEADER_EVENT), line->spans[2] + 1,
                        PAJESIM__WORD(line, 1), PAJESIM__SIZE(line, 1));
    if (PAJESIM_FILES && scope > state->scopes) {
        state->scopes = (pajesim__length)scope;
        PAJESIM__AT(sim, pajesim__file, state->file)->scope = (pajesim__length)scope;
    }
    definition = PAJESIM__DEFINITION_AT(sim, offset);
    memset(definition, 0, sizeof *definition);
    pajesim__init_id(sim, &definition->id, &number, id, scope, 0);
    definition->event = (uint8_t)event;
    definition->kind = pajesim__functions_and_kinds[event] & 7;
    definition->function = pajesim__functions_and_kinds[event] >> 3;
    definition->name = name;
    if (PAJESIM_FIELDS && name)
        pajesim__write_text(sim, name, PAJESIM__WORD(line, 1), PAJESIM__SIZE(line, 1));
    state->defining = offset;
    state->skip_definition = 0;
    return PAJESIM__DONE;

refused: /* one before it that lacks its end is discarded, as before any other: else it would get these fields */
    pajesim__abandon_definition(sim, PAJESIM_E_HEADER_NESTED);
    return PAJESIM__REFUSED;
}

/* Reads a field's role and type.  Returns 0 if they are refused. */
static int pajesim__check_field(pajesim *sim, pajesim__line *line, const pajesim__definition *definition,
                                uint32_t *field_role, uint32_t *field_type)
{
    uint32_t role = 1 + pajesim__index_of(line, 0, pajesim__role_names, PAJESIM__ROLE_NAMES);
    uint32_t type = pajesim__index_of(line, 1, pajesim__field_types, PAJESIM__FIELD_TYPES);
    if (role > PAJESIM__ROLE_NAMES) {
        role = PAJESIM_USER_FIELD;
    } else if (role >= PAJESIM_ROLE_COUNT) {
        role = pajesim__old_roles[role - PAJESIM_ROLE_COUNT];
        if (!PAJESIM__STATE(sim)->old_names && pajesim__diagnose(sim, line, PAJESIM_E_HEADER_OLD_NAME, 0))
            return 0;
        if (role == PAJESIM_FILENAME && pajesim__is_user_field(definition, role))
            role = PAJESIM_SOURCE_FILE;
    }
    if (type == PAJESIM__FIELD_TYPES) {
        if (pajesim__diagnose(sim, line, PAJESIM_E_HEADER_TYPE, 1))
            return 0;
        type = PAJESIM_FIELD_STRING;
    }
    if (role != PAJESIM_USER_FIELD && definition->word[role]) {
        if (pajesim__diagnose(sim, line, PAJESIM_E_HEADER_REPEAT, 0))
            return 0;
        role = PAJESIM_USER_FIELD;
    }
    *field_role = role;
    *field_type = type;
    return 1;
}

/* Stores the name of a user field; `names` is a larger block for them, or 0. */
static void pajesim__store_field_name(pajesim *sim, const pajesim__line *line, pajesim__definition *definition,
                                      pajesim__offset names, pajesim__text name)
{
    const uint32_t own = definition->user_names;
    if (names) {
        if (own) {
            memcpy(PAJESIM__BYTES(sim, names), PAJESIM__BYTES(sim, definition->names),
                   (size_t)pajesim__names_size(own));
            pajesim__free(sim, definition->names, pajesim__names_size(own));
        }
        definition->names = names;
    }
    PAJESIM__AT(sim, pajesim__text, definition->names)[definition->user_names++] = name;
    pajesim__write_text(sim, name, PAJESIM__WORD(line, 0), PAJESIM__SIZE(line, 0));
}

/* % FIELD TYPE */
static pajesim__outcome pajesim__add_field(pajesim *sim, pajesim__line *line)
{
    pajesim__state *state = PAJESIM__STATE(sim);
    pajesim__definition *definition;
    pajesim__offset fields = 0, names = 0;
    pajesim__text name = 0;
    uint32_t role, type;

    if (!state->defining) {
        if (state->skip_definition)
            return PAJESIM__DONE;
        pajesim__diagnose(sim, line, PAJESIM_E_HEADER_OUTSIDE, 0);
        return PAJESIM__REFUSED;
    }
    definition = PAJESIM__DEFINITION_AT(sim, state->defining);
    if (line->count < 2) {
        pajesim__diagnose(sim, line, PAJESIM_E_HEADER_FIELD, 0);
        return PAJESIM__REFUSED;
    }
    if (definition->count + 2u > PAJESIM_WORDS) {
        pajesim__diagnose(sim, line, PAJESIM_E_HEADER_WORDS, 0);
        return PAJESIM__REFUSED;
    }
    if (!pajesim__check_field(sim, line, definition, &role, &type))
        return PAJESIM__REFUSED;
    /* Blocks grow by whole classes: a field more takes a new block only where the class changes. */
    if (PAJESIM_WORDS <= 65 ? definition->count % PAJESIM__CLASS_STEP == 0
                            : !definition->count || pajesim__class_of(definition->count) !=
                                                        pajesim__class_of(definition->count + 1u))
        fields = pajesim__alloc(sim, definition->count + 1u);
    if (PAJESIM_FIELDS && role == PAJESIM_USER_FIELD) {
        uint32_t own = definition->user_names;
        if (!own || pajesim__class_of(pajesim__names_size(own)) != pajesim__class_of(pajesim__names_size(own + 1)))
            names = pajesim__alloc(sim, pajesim__names_size(own + 1));
        name = pajesim__alloc_text(sim, PAJESIM__SIZE(line, 0));
    }
    sim->commit_work = PAJESIM__COMMIT_FULL;
    if (!pajesim__ready_full(sim, line))
        return (pajesim__outcome)line->outcome;

    if (fields) {
        if (definition->count) {
            memcpy(PAJESIM__BYTES(sim, fields), PAJESIM__BYTES(sim, definition->fields), definition->count);
            pajesim__free(sim, definition->fields, definition->count);
        }
        definition->fields = fields;
    }
    PAJESIM__BYTES(sim, definition->fields)[definition->count++] = (unsigned char)(role | type << 4);
    if (role != PAJESIM_USER_FIELD)
        definition->word[role] = definition->count;
    else if (PAJESIM_FIELDS)
        pajesim__store_field_name(sim, line, definition, names, name);
    return PAJESIM__DONE;
}

/* Returns 0 if a field that the event needs is missing.  In `as_name`, of an event that destroys a container: the word
 * of the field Container, where that stands for Name; else 0. */
static int pajesim__check_roles(pajesim *sim, pajesim__line *line, const pajesim__definition *definition,
                                uint32_t *as_name)
{
    uint32_t role;
    *as_name = 0;
    if (PAJESIM_REPAIRS && definition->event == PAJESIM_DESTROY_CONTAINER && !definition->word[PAJESIM_NAME] &&
        definition->word[PAJESIM_CONTAINER_FIELD]) {
        if (pajesim__diagnose(sim, line, PAJESIM_E_CONTAINER_AS_NAME, 0))
            return 0;
        *as_name = definition->word[PAJESIM_CONTAINER_FIELD];
    }
    for (role = 1; role < PAJESIM_ROLE_COUNT; role++)
        if (PAJESIM__REQUIRES(definition->event, role) && !definition->word[role] &&
            !(role == PAJESIM_NAME && *as_name)) {
            pajesim_text name = pajesim__name_at(pajesim__role_names, role - 1);
            pajesim__report(sim, PAJESIM_E_HEADER_MISSING, PAJESIM_ERROR, 0, name.bytes, (uint32_t)name.size);
            return 0;
        }
    return 1;
}

/* Counts the user fields, and notes the first one if no other field is between them. */
static void pajesim__count_user_fields(pajesim *sim, pajesim__definition *definition)
{
    uint32_t i, first = 0;
    for (i = 0; i < definition->count; i++)
        if (pajesim__is_user_field(definition, PAJESIM__ROLE_OF(sim, definition, i))) {
            if (!definition->user_count)
                first = i + 1;
            definition->user_count++;
            definition->word[PAJESIM_USER_FIELD] = (uint8_t)(first + definition->user_count == i + 2 ? first : 0);
        }
}

/* %EndEventDef */
static pajesim__outcome pajesim__end_definition(pajesim *sim, pajesim__line *line)
{
    pajesim__state *state = PAJESIM__STATE(sim);
    pajesim__definition *definition;
    pajesim_definition view;
    pajesim__table_reservation entry;
    uint32_t as_name;

    if (!state->defining) {
        const int was_skipped = state->skip_definition != 0;
        if (!was_skipped)
            pajesim__diagnose(sim, line, PAJESIM_E_HEADER_END, 0);
        state->skip_definition = 0;
        return was_skipped ? PAJESIM__DONE : PAJESIM__REFUSED;
    }
    definition = PAJESIM__DEFINITION_AT(sim, state->defining);
    if (!pajesim__check_roles(sim, line, definition, &as_name)) {
        pajesim__free_definition(sim, state->defining);
        state->defining = 0;
        return PAJESIM__REFUSED;
    }
    entry = pajesim__table_reserve(sim, &state->definitions, pajesim__hash_of_id(&definition->id));
    sim->commit_work = PAJESIM__COMMIT_FULL;
    if (!pajesim__ready_full(sim, line))
        return (pajesim__outcome)line->outcome;

    if (as_name) {
        PAJESIM__BYTES(sim, definition->fields)[as_name - 1] ^= PAJESIM_CONTAINER_FIELD ^ PAJESIM_NAME;
        definition->word[PAJESIM_NAME] = (uint8_t)as_name;
        definition->word[PAJESIM_CONTAINER_FIELD] = 0;
    }
    if (PAJESIM_FIELDS)
        pajesim__count_user_fields(sim, definition);
    pajesim__table_insert(sim, &state->definitions, &entry, state->defining);
    if (PAJESIM__FILE(state)) {
        pajesim__file *file = PAJESIM__AT(sim, pajesim__file, state->file);
        definition->next = file->definitions;
        file->definitions = state->defining;
    }
    view.ref = state->defining;
    view.event = (pajesim_event)definition->event;
    view.name = pajesim__definition_name(sim, definition);
    view.number = pajesim__id_text(sim, &definition->id);
    view.fields = definition->count;
    state->defining = 0;
    PAJESIM__CALL(sim, definition, &view);
    return PAJESIM__DONE;
}

static pajesim__outcome pajesim__header(pajesim *sim, pajesim__line *line)
{
    if (line->count == 0) {
        pajesim__diagnose_at(sim, line, PAJESIM_E_HEADER_LINE, 0, pajesim__text_end(line));
        return PAJESIM__REFUSED;
    }
    if (pajesim__word_is(line, 0, PAJESIM__LITERAL("EventDef")))
        return pajesim__begin_definition(sim, line);
    if (pajesim__word_is(line, 0, PAJESIM__LITERAL("EndEventDef")))
        return pajesim__end_definition(sim, line);
    return pajesim__add_field(sim, line);
}

/* ---------------- src/pajesim/model/fields.h */

/* User fields: those of a line, and those that open entities keep. */

/* The user fields of the line that opened an entity, stored as long as it is open. */
typedef struct pajesim__fields {
    pajesim__offset definition;
    pajesim__length count, size; /* of the bytes, which follow the spans, which follow this */
} pajesim__fields;
#define PAJESIM__FIELDS_MEMBERS(X, T) \
    X(T, definition) X(T, count) X(T, size)

/* Collects the user fields of a line where they are not adjacent. */
static void pajesim__find_user_fields(const pajesim *sim, pajesim__line *line, const pajesim__definition *definition)
{
    uint32_t i, n = 0;
    for (i = 0; i < definition->count; i++)
        if (pajesim__is_user_field(definition, PAJESIM__ROLE_OF(sim, definition, i))) {
            line->user_spans[2 * n] = line->spans[2 * i + 2];
            line->user_spans[2 * n + 1] = line->spans[2 * i + 3];
            n++;
        }
    line->user_spans_ready = 1;
}

/* Views the user fields of the current line. */
PAJESIM__SHARED void pajesim__line_user_fields(const pajesim *sim, pajesim__line *line, pajesim_fields *view)
{
    const pajesim__definition *definition = PAJESIM__DEFINITION_AT(sim, line->shown.definition);
    uint32_t first = PAJESIM__FIELD(definition, PAJESIM_USER_FIELD);
    if (PAJESIM__UNLIKELY(definition->user_count && !first && !line->user_spans_ready))
        pajesim__find_user_fields(sim, line, definition);
    view->count = definition->user_count;
    view->definition = line->shown.definition;
    view->text = line->shown.text;
    view->spans = first ? line->spans + 2 * first : line->user_spans;
}

/* As pajesim__line_user_fields, where there are any; `view` must be empty. */
PAJESIM__INLINE void pajesim__view_line_fields(const pajesim *sim, pajesim__line *line, pajesim_fields *view)
{
    if (PAJESIM_FIELDS && PAJESIM__UNLIKELY(PAJESIM__DEFINITION_AT(sim, line->shown.definition)->user_count))
        pajesim__line_user_fields(sim, line, view);
}

/* Views stored user fields, where there are any; `view` must be empty. */
PAJESIM__SHARED void pajesim__view_kept_fields(const pajesim *sim, pajesim__offset offset, pajesim_fields *view)
{
    const pajesim__fields *kept;
    if (!PAJESIM_FIELDS || PAJESIM__LIKELY(!(offset & (pajesim__offset)~PAJESIM__TRACKED)))
        return;
    kept = PAJESIM__AT(sim, const pajesim__fields, offset & (pajesim__offset)~PAJESIM__TRACKED);
    view->count = kept->count;
    view->definition = kept->definition;
    view->spans = (const pajesim__length *)(const void *)(kept + 1);
    view->text = (const char *)(view->spans + 2 * view->count);
}

static pajesim__size pajesim__fields_size(uint32_t count, uint32_t size)
{
    return (pajesim__size)sizeof(pajesim__fields) + count * (pajesim__size)(2 * sizeof(pajesim__length)) + size;
}

static pajesim__offset pajesim__reserve_fields_block(pajesim *sim, pajesim__line *line)
{
    pajesim_fields view;
    uint32_t i, size = 0;
    pajesim__line_user_fields(sim, line, &view);
    for (i = 0; i < view.count; i++)
        size += view.spans[2 * i + 1];
    return pajesim__alloc(sim, pajesim__fields_size(view.count, size));
}

/* Allocates a block for the user fields of the current line; returns 0 if it has none. */
PAJESIM__INLINE pajesim__offset pajesim__reserve_fields(pajesim *sim, pajesim__line *line,
                                                        const pajesim__definition *definition)
{
    return PAJESIM_FIELDS && PAJESIM__UNLIKELY(definition->user_count) ? pajesim__reserve_fields_block(sim, line) : 0;
}

static void pajesim__store_fields(pajesim *sim, pajesim__line *line, pajesim__offset offset)
{
    pajesim_fields view;
    pajesim__fields *kept;
    pajesim__length *spans;
    unsigned char *bytes;
    uint32_t i;
    if (!PAJESIM_FIELDS || PAJESIM__LIKELY(!offset))
        return;
    pajesim__line_user_fields(sim, line, &view);
    kept = PAJESIM__AT(sim, pajesim__fields, offset);
    kept->definition = view.definition;
    kept->count = (pajesim__length)view.count;
    kept->size = 0;
    spans = (pajesim__length *)(void *)(kept + 1);
    bytes = (unsigned char *)(spans + 2 * view.count);
    for (i = 0; i < view.count; i++) {
        spans[2 * i] = kept->size;
        spans[2 * i + 1] = view.spans[2 * i + 1];
        memcpy(bytes + kept->size, view.text + view.spans[2 * i], view.spans[2 * i + 1]);
        kept->size = (pajesim__length)(kept->size + view.spans[2 * i + 1]);
    }
    PAJESIM__DEFINITION_AT(sim, kept->definition)->refs++;
}

static void pajesim__free_fields(pajesim *sim, pajesim__offset offset)
{
    const pajesim__fields *kept;
    pajesim__definition *definition;
    if (!PAJESIM_FIELDS || PAJESIM__LIKELY(!offset) || offset == PAJESIM__TRACKED)
        return;
    offset &= (pajesim__offset)~PAJESIM__TRACKED;
    kept = PAJESIM__AT(sim, const pajesim__fields, offset);
    definition = PAJESIM__DEFINITION_AT(sim, kept->definition);
    PAJESIM__ASSERT(definition->refs);
    if (--definition->refs == 0 && definition->ended)
        pajesim__free_definition(sim, kept->definition);
    pajesim__free(sim, offset, pajesim__fields_size(kept->count, kept->size));
}

/* ---- queries ---- */

/* Fills in what the definition says about field `index`. */
static void pajesim__describe_field(const pajesim *sim, const pajesim__definition *definition, uint32_t index,
                                    pajesim_field *field)
{
    uint32_t role = PAJESIM__ROLE_OF(sim, definition, index), own = 0, i;
    field->role = (pajesim_role)role;
    field->type = (pajesim_field_type)PAJESIM__TYPE_OF(sim, definition, index);
    field->text = pajesim__view("", 0);
    if (role != PAJESIM_USER_FIELD) {
        field->name = pajesim__name_at(pajesim__role_names, role - 1);
        return;
    }
    for (i = 0; i < index; i++)
        own += PAJESIM__ROLE_OF(sim, definition, i) == PAJESIM_USER_FIELD;
    field->name = PAJESIM_FIELDS ? pajesim__text_at(sim, PAJESIM__AT(sim, const pajesim__text, definition->names)[own])
                                 : pajesim__view("", 0);
}

PAJESIM_API int pajesim_definition_field(const pajesim *sim, pajesim_ref definition, uint32_t index,
                                         pajesim_field *field)
{
    if (!definition || index >= PAJESIM__DEFINITION_AT(sim, definition)->count)
        return 0;
    pajesim__describe_field(sim, PAJESIM__DEFINITION_AT(sim, definition), index, field);
    return 1;
}

PAJESIM_API int pajesim_line_field(const pajesim *sim, const pajesim_line *line, uint32_t index, pajesim_field *field)
{
    if (!pajesim_definition_field(sim, line->definition, index, field))
        return 0;
    field->text = pajesim__view(line->text + line->spans[2 * index + 2], line->spans[2 * index + 3]);
    return 1;
}

#if PAJESIM_TRAVEL
/* User fields with their names, as in an index and in a window: 5 numbers in `spans` for each: begin and size of its
 * name, begin and size of its text, and role and type. */
static int pajesim__named_field(const pajesim_fields *fields, uint32_t index, pajesim_field *field)
{
    const pajesim__length *spans = fields->spans + 5 * index;
    field->name = pajesim__view(fields->text + spans[0], spans[1]);
    field->text = pajesim__view(fields->text + spans[2], spans[3]);
    field->role = (pajesim_role)(spans[4] & 0xff);
    field->type = (pajesim_field_type)(spans[4] >> 8);
    return 1;
}
#endif

PAJESIM_API int pajesim_user_field(const pajesim *sim, const pajesim_fields *fields, uint32_t index,
                                   pajesim_field *field)
{
    const pajesim__definition *definition;
    uint32_t i, left = index;
    if (index >= fields->count)
        return 0;
#if PAJESIM_TRAVEL
    if (!fields->definition)
        return pajesim__named_field(fields, index, field);
#endif
    definition = PAJESIM__DEFINITION_AT(sim, fields->definition);
    for (i = 0; !pajesim__is_user_field(definition, PAJESIM__ROLE_OF(sim, definition, i)) || left--; i++) {
    }
    pajesim__describe_field(sim, definition, i, field);
    field->text = pajesim__view(fields->text + fields->spans[2 * index], fields->spans[2 * index + 1]);
    return 1;
}

/* Whether a text equals a string that is terminated by NUL. */
static int pajesim__is_string(pajesim_text text, const char *string)
{
    size_t same = 0;
    while (same < text.size && string[same] && string[same] == text.bytes[same])
        same++;
    return same == text.size && !string[same];
}

PAJESIM_API uint32_t pajesim_user_field_index(const pajesim *sim, pajesim_ref ref, const char *name)
{
    const pajesim__definition *definition = ref ? PAJESIM__DEFINITION_AT(sim, ref) : NULL;
    uint32_t i, index = 0;
    pajesim_field field;
    for (i = 0; definition && i < definition->count; i++)
        if (pajesim__is_user_field(definition, PAJESIM__ROLE_OF(sim, definition, i))) {
            pajesim__describe_field(sim, definition, i, &field);
            if (pajesim__is_string(field.name, name))
                return index;
            index++;
        }
    return UINT32_MAX;
}

PAJESIM_API int pajesim_user_field_fixed(const pajesim_fields *fields, uint32_t index, int decimals, int64_t *number)
{
    const pajesim__length *span;
    if (index >= fields->count)
        return 0;
    span = fields->spans + 2 * index;
#if PAJESIM_TRAVEL
    if (!fields->definition)
        span = fields->spans + 5 * index + 2; /* behind begin and size of the name */
#endif
    return pajesim_fixed(fields->text + span[0], span[1], decimals, number);
}

PAJESIM_API int pajesim_user_field_named(const pajesim *sim, const pajesim_fields *fields, const char *name,
                                         pajesim_field *field)
{
    uint32_t i;
    pajesim_field candidate;
    for (i = 0; pajesim_user_field(sim, fields, i, &candidate); i++) {
        if (pajesim__is_string(candidate.name, name)) {
            *field = candidate;
            return 1;
        }
    }
    return 0;
}

PAJESIM_API pajesim_text pajesim_line_role(const pajesim *sim, const pajesim_line *line, pajesim_role role)
{
    uint32_t word = 0;
    if (role > PAJESIM_USER_FIELD && role < PAJESIM_ROLE_COUNT)
        word = PAJESIM__DEFINITION_AT(sim, line->definition)->word[role];
    return word ? pajesim__view(line->text + line->spans[2 * word], line->spans[2 * word + 1]) : pajesim__view("", 0);
}

/* ---- user fields with their names: those in an index or a window outlive their definitions ---- */

#if PAJESIM_TRAVEL
typedef struct pajesim__named_fields {
    uint32_t count, size; /* of the bytes, which follow the spans, which follow this */
} pajesim__named_fields;
#define PAJESIM__NAMED_FIELDS_MEMBERS(X, T) \
    X(T, count) X(T, size)

#define PAJESIM__NAMED_SPANS (5 * sizeof(pajesim__length))

/* Returns the bytes that pajesim__store_named_fields writes. */
static uint32_t pajesim__named_fields_size(const pajesim *sim, const pajesim_fields *fields)
{
    uint32_t size = sizeof(pajesim__named_fields), i;
    pajesim_field field;
    for (i = 0; pajesim_user_field(sim, fields, i, &field); i++)
        size += (uint32_t)(PAJESIM__NAMED_SPANS + field.name.size + field.text.size);
    return size;
}

static pajesim__length pajesim__append_named_text(pajesim__named_fields *own, unsigned char *bytes, pajesim_text text)
{
    pajesim__length at = own->size;
    memcpy(bytes + at, text.bytes, text.size);
    own->size += (uint32_t)text.size;
    return at;
}

static void pajesim__store_named_fields(pajesim__named_fields *own, const pajesim *sim, const pajesim_fields *fields)
{
    pajesim__length *spans = (pajesim__length *)(void *)(own + 1);
    unsigned char *bytes = (unsigned char *)spans + fields->count * PAJESIM__NAMED_SPANS;
    pajesim_field field;
    own->size = 0;
    for (own->count = 0; pajesim_user_field(sim, fields, own->count, &field); own->count++, spans += 5) {
        spans[0] = pajesim__append_named_text(own, bytes, field.name);
        spans[1] = (pajesim__length)field.name.size;
        spans[2] = pajesim__append_named_text(own, bytes, field.text);
        spans[3] = (pajesim__length)field.text.size;
        spans[4] = (pajesim__length)field.role | (pajesim__length)field.type << 8;
    }
}

/* A view that pajesim_user_field reads without a definition. */
static pajesim_fields pajesim__view_named_fields(const pajesim__named_fields *own)
{
    pajesim_fields view;
    view.count = own->count;
    view.definition = 0;
    view.spans = (const pajesim__length *)(const void *)(own + 1);
    view.text = (const char *)(view.spans + 5 * own->count);
    return view;
}
#endif /* PAJESIM_TRAVEL */

/* ---------------- src/pajesim/model/resolve.h */

/* From the words of a line to the types and containers that they name, and to numbers (section "Identity"). */

static int pajesim__is_root(const pajesim__line *line, uint32_t word)
{
    return PAJESIM__SIZE(line, word) == 1 && (*PAJESIM__WORD(line, word) == '0' || *PAJESIM__WORD(line, word) == '/');
}

/* The root may be written / when lenient, unless something else is called so. */
PAJESIM__COLD pajesim_ref pajesim__resolve_slash(pajesim *sim, pajesim__line *line, uint32_t word, pajesim_ref root)
{
    if (PAJESIM_REPAIRS && pajesim__is_root(line, word) && !pajesim__diagnose(sim, line, PAJESIM_E_ROOT_SLASH, word))
        return root;
    return 0;
}

PAJESIM__COLD pajesim_ref pajesim__unknown_container(pajesim *sim, pajesim__line *line, uint32_t word)
{
    const pajesim__state *state = PAJESIM__STATE(sim);
    pajesim__key key = pajesim__key_at(line, word);
    pajesim__used_ids_reservation unused;
    if (PAJESIM_REPAIRS && pajesim__is_root(line, word))
        return pajesim__resolve_slash(sim, line, word, state->root);
    pajesim__diagnose(sim, line,
                      PAJESIM__IS_STRICT(state) &&
                              pajesim__used_ids_contain(sim, &state->used_ids, pajesim__fingerprint(&key, 0), &unused)
                          ? PAJESIM_E_CONTAINER_DESTROYED
                          : PAJESIM_E_CONTAINER_UNKNOWN,
                      word);
    return 0;
}

/* Lenient: SimGrid called a link 0.  Where the root is not of the type that is wanted, but such a container is, that is
 * meant. */
#define PAJESIM__BESIDE_ROOT 1u /* the scope of its identifier */

PAJESIM__COLD pajesim_ref pajesim__second_root(const pajesim *sim, pajesim_ref type)
{
    pajesim__key key = pajesim__key_of("0", 1);
    pajesim_ref ref = pajesim__table_find(sim, &PAJESIM__CONST_STATE(sim)->containers, &key, PAJESIM__BESIDE_ROOT, 0);
    return ref && PAJESIM__CONTAINER_AT(sim, ref)->type == type ? ref : 0;
}

/* Returns `ref`, or the container called 0 beside the root where the type requires that one. */
static pajesim_ref pajesim__resolve_root(const pajesim *sim, pajesim_ref ref, pajesim_ref type)
{
    pajesim_ref other = 0;
    if (PAJESIM_REPAIRS && ref == PAJESIM__CONST_STATE(sim)->root && type != PAJESIM__CONST_STATE(sim)->root_type)
        other = pajesim__second_root(sim, type);
    return other ? other : ref;
}

/* What prefetching found out about an event: see run/prefetch.h. */
typedef struct pajesim__hint {
    pajesim_ref type;      /* 0: not known */
    pajesim_ref container; /* valid if its identifier matches, and `changes` is that of the simulation */
    uint32_t changes;      /* sim->changes at that time */
} pajesim__hint;

/* Returns the container that a word names, alive or remembered; reports it and returns 0 if there is none. */
PAJESIM__INLINE pajesim_ref pajesim__container_at(pajesim *sim, pajesim__line *line, uint32_t word)
{
    pajesim__key key = pajesim__key_at(line, word);
    pajesim_ref ref =
        pajesim__table_find_hashed(sim, &PAJESIM__STATE(sim)->containers, &key, 0, 0, pajesim__hash(&key, 0, 0));
    return PAJESIM__LIKELY(ref) ? ref : pajesim__unknown_container(sim, line, word);
}

/* The container that a word names, if the hint is right; else 0. */
PAJESIM__INLINE pajesim_ref pajesim__hinted_container(const pajesim *sim, const pajesim__line *line, uint32_t word,
                                                      const pajesim__hint *hint)
{
    pajesim__key key = pajesim__key_at(line, word);
    return hint->changes == PAJESIM__CHANGES(sim) &&
                   PAJESIM__LIKELY(pajesim__id_equals(sim, &PAJESIM__RECORD(sim, hint->container)->id, &key, 0, 0))
               ? hint->container
               : 0;
}

/* pajesim__container_at out of line, for events that are rare. */
static pajesim_ref pajesim__any_container_at(pajesim *sim, pajesim__line *line, uint32_t word)
{
    return pajesim__container_at(sim, line, word);
}

static pajesim_ref pajesim__live_container_at(pajesim *sim, pajesim__line *line, uint32_t word)
{
    pajesim_ref ref = pajesim__any_container_at(sim, line, word);
    if (ref && PAJESIM__IS_DESTROYED(sim, ref)) {
        pajesim__diagnose(sim, line, PAJESIM_E_CONTAINER_DESTROYED, word);
        return 0;
    }
    return ref;
}

PAJESIM__COLD pajesim_ref pajesim__unknown_type(pajesim *sim, pajesim__line *line, uint32_t word)
{
    if (PAJESIM_REPAIRS && pajesim__is_root(line, word))
        return pajesim__resolve_slash(sim, line, word, PAJESIM__STATE(sim)->root_type);
    pajesim__diagnose(sim, line, PAJESIM_E_TYPE_UNKNOWN, word);
    return 0;
}

PAJESIM__INLINE pajesim_ref pajesim__type_at(pajesim *sim, pajesim__line *line, uint32_t word)
{
    pajesim__key key = pajesim__key_at(line, word);
    pajesim_ref ref = pajesim__find_cached(sim, &PAJESIM__STATE(sim)->types, &key, 0, PAJESIM__TYPES_SCOPE);
    return PAJESIM__LIKELY(ref) ? ref : pajesim__unknown_type(sim, line, word);
}

static pajesim_ref pajesim__container_type_at(pajesim *sim, pajesim__line *line, uint32_t word)
{
    pajesim_ref ref = pajesim__type_at(sim, line, word);
    if (ref && PAJESIM__RECORD(sim, ref)->kind != PAJESIM_CONTAINER) {
        pajesim__diagnose(sim, line, PAJESIM_E_TYPE_NOT_CONTAINER, word);
        return 0;
    }
    return ref;
}

/* Returns the value of a type that a word names; 0: it is not defined. */
PAJESIM__INLINE pajesim_ref pajesim__value_at(pajesim *sim, const pajesim__line *line, uint32_t word, pajesim_ref type)
{
    pajesim__key key = pajesim__key_at(line, word);
    return pajesim__find_cached(sim, &PAJESIM__STATE(sim)->values, &key, type, PAJESIM__VALUES_SCOPE(type));
}

/* As pajesim__value_at, but past the cache: a value that is only shown must not evict what every line needs. */
PAJESIM__INLINE pajesim_ref pajesim__uncached_value_at(pajesim *sim, const pajesim__line *line, uint32_t word,
                                                       pajesim_ref type)
{
#if PAJESIM_CACHE
    pajesim__key key = pajesim__key_at(line, word);
    return pajesim__table_find(sim, &PAJESIM__STATE(sim)->values, &key, type, 0);
#else
    return pajesim__value_at(sim, line, word, type);
#endif
}

PAJESIM__INLINE int pajesim__time_at(pajesim *sim, pajesim__line *line, uint32_t word)
{
    if (PAJESIM__LIKELY(pajesim__read_time(line->readable, PAJESIM__WORD(line, word), PAJESIM__SIZE(line, word),
                                           &line->shown.time)))
        return 1;
    line->shown.time = 0;
    pajesim__diagnose(sim, line, PAJESIM_E_TIME, word);
    return 0;
}

PAJESIM__INLINE void pajesim__note_time(pajesim *sim, pajesim_time time)
{
    pajesim__state *state = PAJESIM__STATE(sim);
    if (PAJESIM__UNLIKELY(time < state->first))
        state->first = time;
    if (time > state->last)
        state->last = time;
}

/* ---------------- src/pajesim/simulation/watch.h */

/* Hooks that notify an index of what happens to entities that were open at its latest checkpoint.
 *
 * Such an entity is tracked: the reference to its user fields has the bit PAJESIM__TRACKED, and it has an open index,
 * by its place in the order of pajesim__walk_next.  travel/index_build.h sets the hooks, which are called when it
 * closes or changes. */

#if PAJESIM_TRAVEL

#define PAJESIM__IS_TRACKED(fields) PAJESIM__UNLIKELY((fields) & PAJESIM__TRACKED)

/* Flags of an end record. */
enum {
    PAJESIM__IS_LOST = 1,     /* the other end of a link never came */
    PAJESIM__IS_CHANGED = 2,  /* the value of a variable changed while it was open */
    PAJESIM__WAS_IMPLICIT = 4 /* the value of a state was not defined yet */
};

typedef struct pajesim__watch {
    void (*ended)(pajesim *sim, pajesim__line *line, uint32_t open_index, pajesim_time time, pajesim_ref ref,
                  const pajesim_quantity *number);
    void (*flagged)(pajesim *sim, uint32_t open_index, uint32_t flag);
} pajesim__watch;

/* Reports that the tracked entity `open_index` closes.  `ref`: the value of a state, or the end point of a link that
 * was not known yet; `number`: the value of a variable. */
PAJESIM__COLD void pajesim__notify_end(pajesim *sim, pajesim__line *line, uint32_t open_index, pajesim_time time,
                                       pajesim_ref ref, const pajesim_quantity *number)
{
    if (sim->index)
        sim->index->watch->ended(sim, line, open_index, time, ref, number);
}

/* Sets a flag of the tracked entity `open_index`, which stays open unless the flag is PAJESIM__IS_LOST. */
PAJESIM__COLD void pajesim__notify_flag(pajesim *sim, uint32_t open_index, uint32_t flag)
{
    if (sim->index)
        sim->index->watch->flagged(sim, open_index, flag);
}
#endif /* PAJESIM_TRAVEL */

/* ---------------- src/pajesim/simulation/entity.h */

/* Entities: the record that callbacks are passed. */

/* Clears what few entities have: the end points and the key of a link, and user fields. */
PAJESIM__APART void pajesim__entity_clear_optional(pajesim_entity *entity)
{
    entity->start_container = entity->end_container = 0;
    entity->key = pajesim__view("", 0);
    entity->opening.count = entity->closing.count = 0;
    entity->opening.definition = entity->closing.definition = 0;
}

/* Returns the record that all callbacks share.  pajesim__entity_init sets what every entity has; the rest stays clear,
 * since clearing all of it each time would cost more than everything else.  Callers that show a link clear its end
 * points afterwards. */
PAJESIM__INLINE pajesim_entity *pajesim__entity_begin(pajesim *sim)
{
    pajesim_entity *entity = &sim->entity;
    if (PAJESIM_FIELDS && PAJESIM__UNLIKELY(entity->opening.count | entity->closing.count))
        pajesim__entity_clear_optional(entity);
    return entity;
}

/* Sets what every entity has; the optional members are clear already. */
PAJESIM__SHARED void pajesim__entity_init(pajesim_entity *entity, pajesim_kind kind, pajesim_ref container,
                                          pajesim_ref type, pajesim_time time, int open)
{
    entity->kind = kind;
    entity->imbrication = 0;
    entity->container = container;
    entity->type = type;
    entity->value = 0;
    entity->start = entity->end = time;
    entity->open = open;
    entity->number = 0;
    entity->value_name = pajesim__view("", 0);
}

/* Closes the entity at `time`; `line` is NULL when it is closed implicitly. */
PAJESIM__INLINE void pajesim__entity_close(const pajesim *sim, pajesim_entity *entity, pajesim__line *line,
                                           pajesim_time time)
{
    entity->end = time;
    entity->open = 0;
    if (line)
        pajesim__view_line_fields(sim, line, &entity->closing);
}

typedef int (*pajesim__entity_callback)(pajesim *sim, const pajesim_entity *entity);

PAJESIM__INLINE int pajesim__has_listener(const pajesim *sim, pajesim__entity_callback callback)
{
    return callback || sim->callbacks->closed;
}

PAJESIM__SHARED void pajesim__call_entity(pajesim *sim, pajesim__entity_callback callback, const pajesim_entity *entity)
{
    if (callback)
        pajesim__callback_returned(sim, callback(sim, entity));
}

PAJESIM__SHARED void pajesim__call_closed(pajesim *sim, pajesim__entity_callback callback, const pajesim_entity *entity)
{
    pajesim__call_entity(sim, sim->callbacks->closed, entity);
    pajesim__call_entity(sim, callback, entity);
}

PAJESIM__INLINE void pajesim__view_state(const pajesim *sim, pajesim_entity *entity, pajesim_ref container,
                                         pajesim_ref type, const pajesim__frame *frame, uint32_t depth)
{
    pajesim_ref value = frame->value;
    pajesim_text value_name = pajesim__name_of(sim, value);
    pajesim__entity_init(entity, PAJESIM_STATE, container, type, frame->start, 1);
    entity->imbrication = depth;
    entity->value = value;
    entity->value_name = value_name;
    pajesim__view_kept_fields(sim, frame->fields, &entity->opening);
}

PAJESIM__INLINE void pajesim__view_variable(const pajesim *sim, pajesim_entity *entity, pajesim_ref container,
                                            pajesim_ref type, const pajesim__slot *slot)
{
    pajesim__entity_init(entity, PAJESIM_VARIABLE, container, type, slot->start, 1);
    entity->number = slot->open.variable.number;
    pajesim__view_kept_fields(sim, slot->open.variable.fields, &entity->opening);
}

static void pajesim__view_container(const pajesim *sim, pajesim_entity *entity, pajesim_ref ref)
{
    const pajesim__container *container = PAJESIM__CONTAINER_AT(sim, ref);
    pajesim__entity_init(entity, PAJESIM_CONTAINER, ref, container->declared_type, container->start, 1);
    pajesim__view_kept_fields(sim, container->fields, &entity->opening);
}

PAJESIM_API int pajesim_open_entity(const pajesim *sim, pajesim_ref container, pajesim_ref type, uint32_t depth,
                                    pajesim_entity *entity)
{
    const pajesim__slot *slot;
    if (depth >= pajesim_depth(sim, container, type))
        return 0;
    slot = pajesim__slot_of(sim, container, type);
    pajesim__entity_clear_optional(entity);
    if (PAJESIM__RECORD(sim, type)->kind == PAJESIM_STATE)
        pajesim__view_state(sim, entity, container, type,
                            PAJESIM__AT(sim, pajesim__frame, slot->open.stack.frames) + depth, depth);
    else
        pajesim__view_variable(sim, entity, container, type, slot);
    return 1;
}

static pajesim_text pajesim__link_value(const pajesim *sim, const pajesim__link *link)
{
    return link->value ? pajesim_name(sim, link->value) : pajesim__text_at(sim, link->value_text);
}

/* ---------------- src/pajesim/simulation/evict.h */

/* Eviction: what nothing refers to any more waits in a queue, first in, first out, and is then freed. */

static void pajesim__enqueue(pajesim *sim, pajesim__queue *queue, pajesim__offset offset, pajesim__offset *next)
{
    *next = 0;
    if (queue->first)
        *(PAJESIM__RECORD(sim, queue->last)->tag == PAJESIM__VALUE
              ? &PAJESIM__VALUE_AT(sim, queue->last)->next
              : &PAJESIM__CONTAINER_AT(sim, queue->last)->aux.next) = offset;
    else
        queue->first = offset;
    queue->last = offset;
    queue->count++;
    PAJESIM__RECORD(sim, offset)->flags |= PAJESIM__QUEUED;
}

static void pajesim__free_record(pajesim *sim, pajesim_ref ref, uint32_t size)
{
    pajesim__free_text(sim, PAJESIM__RECORD(sim, ref)->name);
    if (PAJESIM_FIELDS)
        pajesim__free_text(sim, PAJESIM__RECORD(sim, ref)->color);
    pajesim__free_id(sim, &PAJESIM__RECORD(sim, ref)->id);
    pajesim__free(
        sim,
        (pajesim__offset)(ref - (PAJESIM__RECORD(sim, ref)->tag == PAJESIM__CONTAINER ? PAJESIM__CONTAINER_HEAD
                                                                                      : PAJESIM__RECORD_HEAD)),
        size);
}

static void pajesim__evict_value(pajesim *sim, pajesim_ref ref)
{
    pajesim__record *record = PAJESIM__RECORD(sim, ref);
    pajesim__uncache(sim, &record->id, PAJESIM__VALUES_SCOPE(record->parent));
    pajesim__table_remove(sim, &PAJESIM__STATE(sim)->values, ref);
    pajesim__free_record(sim, ref, sizeof(pajesim__value));
}

/* Releases an open state's reference to an implicit value. */
static void pajesim__release_value(pajesim *sim, pajesim_ref ref)
{
    pajesim__state *state = PAJESIM__STATE(sim);
    pajesim__value *value = PAJESIM__VALUE_AT(sim, ref);
    if (--value->refs || (PAJESIM_REPAIRS && (value->record.flags & PAJESIM__QUEUED)))
        return;
    if (!PAJESIM_REPAIRS) {
        pajesim__evict_value(sim, ref);
        return;
    }
    pajesim__enqueue(sim, &state->unused_values, ref, &value->next);
    if (state->unused_values.count > state->remembered) {
        pajesim_ref oldest = state->unused_values.first;
        pajesim__value *evicted = PAJESIM__VALUE_AT(sim, oldest);
        state->unused_values.first = evicted->next;
        state->unused_values.count--;
        evicted->record.flags &= (uint8_t)~PAJESIM__QUEUED;
        if ((evicted->record.flags & PAJESIM__IMPLICIT) && !evicted->refs)
            pajesim__evict_value(sim, oldest);
    }
}

static uint32_t pajesim__container_size(uint32_t own_slots)
{
    return (uint32_t)((PAJESIM__CONTAINER_HEAD + PAJESIM__CONTAINER_REST) * PAJESIM__UNIT +
                      own_slots * sizeof(pajesim__slot));
}

static pajesim_ref pajesim__alloc_container(pajesim *sim, uint32_t own_slots)
{
    return PAJESIM__CONTAINER_IN(pajesim__alloc(sim, pajesim__container_size(own_slots)));
}

/* Frees the record of a destroyed container when it is neither queued nor referred to; then, in the same way, those of
 * the containers that it was in. */
static void pajesim__free_destroyed(pajesim *sim, pajesim_ref ref)
{
    pajesim_ref parent;
    do {
        pajesim__container *container = PAJESIM__CONTAINER_AT(sim, ref);
        if (container->type || container->refs || (container->record.flags & PAJESIM__QUEUED))
            return;
        parent = PAJESIM__KEPT_PARENT(container);
        PAJESIM__CHANGED(sim);
        if (PAJESIM_REPAIRS && (container->record.flags & PAJESIM__LISTED))
            pajesim__table_remove(sim, &PAJESIM__STATE(sim)->containers, ref);
        pajesim__free_record(sim, ref, pajesim__container_size(container->own_slots));
        if (parent)
            PAJESIM__CONTAINER_AT(sim, parent)->refs--;
        ref = parent;
    } while (ref);
}

static void pajesim__retire_container(pajesim *sim, pajesim_ref ref)
{
    pajesim__state *state = PAJESIM__STATE(sim);
    if (!PAJESIM_REPAIRS) {
        if (PAJESIM_TRAVEL && ref == state->root) /* an image has it, also of what is finished */
            return;
        PAJESIM__CHANGED(sim);
        pajesim__table_remove(sim, &state->containers, ref);
        if (PAJESIM_TRAVEL)
            PAJESIM__RECORD(sim, ref)->flags = 0;
        pajesim__free_destroyed(sim, ref);
        return;
    }
    pajesim__enqueue(sim, &state->destroyed, ref, &PAJESIM__CONTAINER_AT(sim, ref)->aux.next);
    if (state->destroyed.count > state->remembered) {
        pajesim_ref oldest = state->destroyed.first;
        state->destroyed.first = PAJESIM__CONTAINER_AT(sim, oldest)->aux.next;
        state->destroyed.count--;
        PAJESIM__RECORD(sim, oldest)->flags &= (uint8_t)~PAJESIM__QUEUED;
        pajesim__free_destroyed(sim, oldest);
    }
}

static void pajesim__release_end_point(pajesim *sim, pajesim_ref container)
{
    PAJESIM__CONTAINER_AT(sim, container)->refs--;
    pajesim__free_destroyed(sim, container);
}

/* Frees a link that is complete or dropped. */
static void pajesim__free_link(pajesim *sim, pajesim__offset offset)
{
    pajesim__link *link = PAJESIM__AT(sim, pajesim__link, offset);
    pajesim__container *owner = PAJESIM__CONTAINER_AT(sim, link->id.scope);
    pajesim__table_remove(sim, &PAJESIM__STATE(sim)->links, offset);
    if (link->previous)
        PAJESIM__AT(sim, pajesim__link, link->previous)->next = link->next;
    else
        owner->links = link->next;
    if (link->next)
        PAJESIM__AT(sim, pajesim__link, link->next)->previous = link->previous;
    pajesim__release_end_point(sim, link->end_point);
    pajesim__free_fields(sim, link->fields);
    pajesim__free_text(sim, link->value_text);
    pajesim__free_id(sim, &link->id);
    pajesim__free(sim, offset, sizeof *link);
}

/* ---------------- src/pajesim/simulation/close.h */

/* Closing states, variables and containers, with everything inside them. */

/* ---- states ---- */

PAJESIM__INLINE void pajesim__call_state_end(pajesim *sim, pajesim__line *line, pajesim_ref container, pajesim_ref type,
                                             const pajesim__slot *slot, pajesim_time time)
{
    const pajesim__frame *frame = PAJESIM__AT(sim, pajesim__frame, slot->open.stack.frames) + slot->open.stack.depth;
    pajesim_entity *entity = pajesim__entity_begin(sim);
    pajesim__view_state(sim, entity, container, type, frame, slot->open.stack.depth);
    pajesim__entity_close(sim, entity, line, time);
    pajesim__call_closed(sim, line ? sim->callbacks->state_popped : NULL, entity);
}

/* Finishes a state that was popped off its stack: counts it, makes the callbacks, and frees what it holds. */
PAJESIM__INLINE void pajesim__end_state(pajesim *sim, pajesim__line *line, pajesim_ref container, pajesim_ref type,
                                        const pajesim__slot *slot, pajesim_time time)
{
    const pajesim__frame *frame = PAJESIM__AT(sim, pajesim__frame, slot->open.stack.frames) + slot->open.stack.depth;
    PAJESIM__STATE(sim)->counts.states++;
    if (sim->callbacks->closed || (line && sim->callbacks->state_popped))
        pajesim__call_state_end(sim, line, container, type, slot, time);
    if (PAJESIM_FIELDS && PAJESIM__UNLIKELY(frame->fields))
        pajesim__free_fields(sim, frame->fields);
    if (PAJESIM__UNLIKELY(PAJESIM__RECORD(sim, frame->value)->flags & PAJESIM__IMPLICIT)) /* others are never freed */
        pajesim__release_value(sim, frame->value);
}

#if PAJESIM_TRAVEL
/* Out of line, so that pajesim__close_top has no registers to save across the call. */
PAJESIM__COLD void pajesim__end_tracked_state(pajesim *sim, pajesim__line *line, pajesim_ref container,
                                              pajesim_ref type, const pajesim__slot *slot, pajesim_time time)
{
    pajesim__notify_end(sim, line, slot->open.stack.open_index + slot->open.stack.depth, time,
                        (PAJESIM__AT(sim, pajesim__frame, slot->open.stack.frames) + slot->open.stack.depth)->value,
                        NULL);
    pajesim__end_state(sim, line, container, type, slot, time);
}
#endif

/* Pops and closes the top of a stack.  `line` is the line that pops it; NULL if it is closed implicitly. */
PAJESIM__INLINE void pajesim__close_top(pajesim *sim, pajesim__line *line, pajesim_ref container, pajesim_ref type,
                                        pajesim__slot *slot, pajesim_time time)
{
    slot->open.stack.depth--;
#if PAJESIM_TRAVEL
    if (PAJESIM__IS_TRACKED(
            (PAJESIM__AT(sim, pajesim__frame, slot->open.stack.frames) + slot->open.stack.depth)->fields)) {
        pajesim__end_tracked_state(sim, line, container, type, slot, time);
        return;
    }
#endif
    pajesim__end_state(sim, line, container, type, slot, time);
}

/* pajesim__close_top out of line, for paths that are not hot. */
static void pajesim__close_state(pajesim *sim, pajesim_ref container, pajesim_ref type, pajesim__slot *slot,
                                 pajesim_time time)
{
    pajesim__close_top(sim, NULL, container, type, slot, time);
}

static pajesim__size pajesim__stack_size(uint32_t capacity)
{
    return (pajesim__size)capacity * sizeof(pajesim__frame);
}

/* Shrinks a deep stack: frees it if it is empty; else, at a quarter of its capacity, halves it if a block of that size
 * is free, as it is after the stack has grown. */
static void pajesim__shrink_large_stack(pajesim *sim, pajesim__slot *slot)
{
    uint32_t capacity = slot->open.stack.capacity;
    if (slot->open.stack.depth > capacity / 4)
        return;
    if (slot->open.stack.depth == 0) {
        pajesim__free(sim, slot->open.stack.frames, pajesim__stack_size(capacity));
        slot->open.stack.frames = 0;
        slot->open.stack.capacity = 0;
    } else if (!PAJESIM_SMALL && PAJESIM__HEAP(sim)->free_list[pajesim__class_of(pajesim__stack_size(capacity / 2))]) {
        pajesim__offset frames = pajesim__alloc(sim, pajesim__stack_size(capacity / 2));
        pajesim__commit(sim);
        memcpy(PAJESIM__BYTES(sim, frames), PAJESIM__BYTES(sim, slot->open.stack.frames),
               slot->open.stack.depth * sizeof(pajesim__frame));
        pajesim__free(sim, slot->open.stack.frames, pajesim__stack_size(capacity));
        slot->open.stack.frames = frames;
        slot->open.stack.capacity = (pajesim__length)(capacity / 2);
    }
}

PAJESIM__INLINE void pajesim__shrink_stack(pajesim *sim, pajesim__slot *slot)
{
    if (PAJESIM__UNLIKELY(slot->open.stack.capacity > 8))
        pajesim__shrink_large_stack(sim, slot);
}

/* ---- variables ---- */

PAJESIM__INLINE void pajesim__end_variable(pajesim *sim, pajesim__line *line, pajesim_ref container, pajesim_ref type,
                                           pajesim__slot *slot, pajesim_time time)
{
    PAJESIM__STATE(sim)->counts.variables++;
    if (sim->callbacks->closed) {
        pajesim_entity *entity = pajesim__entity_begin(sim);
        pajesim__view_variable(sim, entity, container, type, slot);
        pajesim__entity_close(sim, entity, line, time);
        pajesim__call_entity(sim, sim->callbacks->closed, entity);
    }
    pajesim__free_fields(sim, slot->open.variable.fields);
    slot->open.variable.fields = 0;
}

#if PAJESIM_TRAVEL
PAJESIM__COLD void pajesim__end_tracked_variable(pajesim *sim, pajesim__line *line, pajesim_ref container,
                                                 pajesim_ref type, pajesim__slot *slot, pajesim_time time)
{
    pajesim__notify_end(sim, line, slot->open.variable.set >> 1, time, 0, &slot->open.variable.number);
    pajesim__end_variable(sim, line, container, type, slot, time);
}
#endif

static void pajesim__close_variable(pajesim *sim, pajesim__line *line, pajesim_ref container, pajesim_ref type,
                                    pajesim__slot *slot, pajesim_time time)
{
#if PAJESIM_TRAVEL
    if (PAJESIM__IS_TRACKED(slot->open.variable.fields)) {
        pajesim__end_tracked_variable(sim, line, container, type, slot, time);
        return;
    }
#endif
    pajesim__end_variable(sim, line, container, type, slot, time);
}

static void pajesim__close_container(pajesim *sim, pajesim__line *line, pajesim_ref ref, pajesim_time time)
{
    pajesim__container *container = PAJESIM__CONTAINER_AT(sim, ref);
    PAJESIM__STATE(sim)->counts.containers++;
    if (pajesim__has_listener(sim, sim->callbacks->container_destroyed)) {
        pajesim_entity *entity = pajesim__entity_begin(sim);
        pajesim__view_container(sim, entity, ref);
        pajesim__entity_close(sim, entity, line, time);
        pajesim__call_closed(sim, sim->callbacks->container_destroyed, entity);
    }
    pajesim__tree_remove(sim, ref);
    if (PAJESIM__KEPT_PARENT(container))
        PAJESIM__CONTAINER_AT(sim, container->record.parent)->refs++;
#if PAJESIM_TRAVEL
    if (PAJESIM__IS_TRACKED(container->fields))
        pajesim__notify_end(sim, line, container->aux.open_index, time, 0, NULL);
#endif
    pajesim__free_fields(sim, container->fields);
    container->fields = 0;
    pajesim__free_slots(sim, ref);
    pajesim__free_late_slots(sim, container);
    container->slot_count = 0;
    container->type = 0;
    pajesim__retire_container(sim, ref);
}

/* The cursor of closing a container descends the tree without recursion.  What is closed is removed, so that each
 * container itself shows what is left. */
typedef struct pajesim__cursor {
    pajesim_ref root, container;
    pajesim_ref type; /* type whose slot is at hand; 0: none yet, or (types_done) none any more */
    int types_done;
} pajesim__cursor;

static pajesim__cursor pajesim__begin_closing(pajesim_ref container)
{
    pajesim__cursor cursor;
    cursor.root = cursor.container = container;
    cursor.type = 0;
    cursor.types_done = 0;
    return cursor;
}

/* Closes one entity: the open states and variables of the container, by type; then its pending links, which are
 * dropped; then everything within its children; and finally the container itself.  Returns 0 when all is closed. */
static int pajesim__close_step(pajesim *sim, pajesim__line *line, pajesim__cursor *cursor, pajesim_time time)
{
    for (;;) {
        pajesim_ref current = cursor->container;
        pajesim__container *container = PAJESIM__CONTAINER_AT(sim, current);
        while (!cursor->types_done) {
            pajesim__slot *slot = pajesim__slot_at(sim, container, cursor->type);
            uint32_t kind = cursor->type ? PAJESIM__RECORD(sim, cursor->type)->kind : 0;
            if (kind == PAJESIM_STATE) {
                if (slot->open.stack.depth) {
                    pajesim__close_state(sim, current, cursor->type, slot, time);
                    return 1;
                }
                if (slot->open.stack.capacity) {
                    pajesim__free(sim, slot->open.stack.frames, pajesim__stack_size(slot->open.stack.capacity));
                    slot->open.stack.capacity = 0;
                }
            } else if (kind == PAJESIM_VARIABLE && PAJESIM__IS_SET(slot)) {
                slot->open.variable.set--;
                pajesim__close_variable(sim, NULL, current, cursor->type, slot, time);
                return 1;
            }
            cursor->type = pajesim__next_slot_type(sim, container, cursor->type);
            cursor->types_done = !cursor->type;
        }
        if (container->links) {
            const pajesim__link *link = PAJESIM__AT(sim, pajesim__link, container->links);
            if (!PAJESIM__STATE(sim)->ignore_links) {
                pajesim_text key = pajesim__id_text(sim, &link->id);
                pajesim__report(sim, PAJESIM_E_LINK_PENDING, PAJESIM_ERROR, 0, key.bytes, (uint32_t)key.size);
            }
#if PAJESIM_TRAVEL
            if (PAJESIM__IS_TRACKED(link->fields))
                pajesim__notify_flag(sim, link->open_index, PAJESIM__IS_LOST);
#endif
            pajesim__free_link(sim, container->links);
            return 1;
        }
        cursor->type = 0;
        cursor->types_done = 0;
        if (container->tree.first) {
            cursor->container = container->tree.first;
            continue;
        }
        cursor->container = container->record.parent;
        cursor->types_done = 1; /* the parent's were closed on the way down */
        pajesim__close_container(sim, current == cursor->root ? line : NULL, current, time);
        return current != cursor->root;
    }
}

/* ---------------- src/pajesim/simulation/naming.h */

/* Naming: the identifier, name and colour of a type, value or container, from the line to the record. */

/* The identifier, name and colour that a line gives, and the blocks reserved for them. */
typedef struct pajesim__naming {
    pajesim__key id;
    uint32_t id_word, name_word, color_word; /* 0: none; name_word 0: the name is the identifier */
    pajesim__offset id_bytes;
    pajesim__table_reservation entry;
    pajesim__text name, color;
} pajesim__naming;

/* Whether the bytes are 3 or 4 numbers between blanks or commas, or RRGGBB in hex (section "Header"). */
static int pajesim__is_color(const unsigned char *bytes, uint32_t size)
{
    uint32_t begin, end, numbers = 0, digits = 0;
    pajesim_quantity number;
    for (begin = 0; begin < size; begin++)
        digits += (bytes[begin] >= '0' && bytes[begin] <= '9') || (bytes[begin] >= 'a' && bytes[begin] <= 'f') ||
                  (bytes[begin] >= 'A' && bytes[begin] <= 'F');
    if (size == 6 && digits == 6)
        return 1;
    for (begin = 0; begin < size; begin = end + 1) {
        for (end = begin; end < size && bytes[end] != ' ' && bytes[end] != '\t' && bytes[end] != ','; end++) {
        }
        if (end > begin) {
            if (!pajesim__read_quantity(bytes, bytes + begin, end - begin, &number))
                return 0;
            numbers++;
        }
    }
    return numbers == 3 || numbers == 4;
}

/* Returns 0 if the colour is invalid, after reporting it.  An empty colour is valid: there is none. */
static int pajesim__color_at(pajesim *sim, pajesim__line *line, uint32_t word)
{
    return !PAJESIM_CHECKS || !word || !PAJESIM__SIZE(line, word) ||
           pajesim__is_color(PAJESIM__WORD(line, word), PAJESIM__SIZE(line, word)) ||
           !pajesim__diagnose(sim, line, PAJESIM_E_COLOR, word);
}

static pajesim__naming pajesim__read_naming(pajesim *sim, pajesim__line *line, const pajesim__definition *definition)
{
    pajesim__naming names;
    memset(&names, 0, sizeof names);
    names.name_word = PAJESIM__FIELD(definition, PAJESIM_NAME);
    names.id_word = PAJESIM__FIELD(definition, PAJESIM_ALIAS);
    names.color_word = PAJESIM__FIELD(definition, PAJESIM_COLOR);
    if (!names.id_word || !PAJESIM__SIZE(line, names.id_word)) /* some emitters write "" for no alias */
        names.id_word = names.name_word;
    names.id = pajesim__key_at(line, names.id_word);
    if (PAJESIM__SIZE(line, names.id_word) == PAJESIM__SIZE(line, names.name_word) &&
        memcmp(PAJESIM__WORD(line, names.id_word), PAJESIM__WORD(line, names.name_word), (size_t)names.id.size) == 0)
        names.name_word = 0;
    if (PAJESIM_CHECKS && pajesim__word_is(line, names.id_word, PAJESIM__LITERAL("(null)")))
        pajesim__diagnose(sim, line, PAJESIM_E_ALIAS_NULL, names.id_word);
    return names;
}

static void pajesim__reserve_display_name(pajesim *sim, pajesim__naming *names, const pajesim__line *line)
{
    if (names->name_word)
        names->name = pajesim__alloc_text(sim, PAJESIM__SIZE(line, names->name_word));
    if (PAJESIM_FIELDS && names->color_word)
        names->color = pajesim__alloc_text(sim, PAJESIM__SIZE(line, names->color_word));
}

static void pajesim__store_display_name(pajesim *sim, const pajesim__naming *names, const pajesim__line *line,
                                        pajesim_ref ref)
{
    PAJESIM__RECORD(sim, ref)->name = names->name;
    PAJESIM__RECORD(sim, ref)->color = names->color;
    if (names->name)
        pajesim__write_text(sim, names->name, PAJESIM__WORD(line, names->name_word),
                            PAJESIM__SIZE(line, names->name_word));
    if (PAJESIM_FIELDS && names->color)
        pajesim__write_text(sim, names->color, PAJESIM__WORD(line, names->color_word),
                            PAJESIM__SIZE(line, names->color_word));
}

static void pajesim__reserve_naming(pajesim *sim, pajesim__naming *names, const pajesim__line *line,
                                    const pajesim__table *table, uint32_t scope)
{
    names->id_bytes = pajesim__alloc_id(sim, &names->id);
    pajesim__reserve_display_name(sim, names, line);
    names->entry = pajesim__table_reserve(sim, table, pajesim__hash(&names->id, scope, 0));
}

static void pajesim__store_naming(pajesim *sim, const pajesim__naming *names, const pajesim__line *line,
                                  pajesim__table *table, pajesim_ref ref, uint32_t scope)
{
    pajesim__init_id(sim, &PAJESIM__RECORD(sim, ref)->id, &names->id, names->id_bytes, scope, 0);
    pajesim__store_display_name(sim, names, line, ref);
    pajesim__table_insert(sim, table, &names->entry, ref);
}

/* ---------------- src/pajesim/simulation/types.h */

/* Types: the lines that define them (section "Identity"). */

#if PAJESIM_CHECKS
/* Whether `type` is `ancestor` or below it.  Each type has a jump pointer (Myers 1983): across two jumps of its parent
 * if these are equally long, else to its parent.  So the search takes O(log depth) steps. */
static int pajesim__is_within(const pajesim *sim, pajesim_ref type, pajesim_ref ancestor)
{
    uint32_t depth = PAJESIM__TYPE_AT(sim, ancestor)->depth;
    while (PAJESIM__TYPE_AT(sim, type)->depth > depth) {
        pajesim_ref jump = PAJESIM__TYPE_AT(sim, type)->jump;
        type = PAJESIM__TYPE_AT(sim, jump)->depth < depth ? PAJESIM__RECORD(sim, type)->parent : jump;
    }
    return type == ancestor;
}

static void pajesim__init_jump(const pajesim *sim, pajesim__type *type, pajesim_ref parent)
{
    const pajesim__type *above = PAJESIM__TYPE_AT(sim, parent), *far = PAJESIM__TYPE_AT(sim, above->jump);
    type->depth = above->depth + 1;
    type->jump = above->depth - far->depth == far->depth - PAJESIM__TYPE_AT(sim, far->jump)->depth ? far->jump : parent;
}
#else
#define pajesim__is_within(sim, type, ancestor) 1
#define pajesim__init_jump(sim, type, parent) ((void)0)
#endif

static int pajesim__defined_alike(const pajesim *sim, const pajesim__line *line, const pajesim__naming *names,
                                  pajesim_ref type, pajesim_kind kind, pajesim_ref parent)
{
    pajesim_text name = pajesim_name(sim, type);
    uint32_t word = names->name_word ? names->name_word : names->id_word;
    return PAJESIM__RECORD(sim, type)->kind == kind && PAJESIM__RECORD(sim, type)->parent == parent &&
           name.size == PAJESIM__SIZE(line, word) && memcmp(name.bytes, PAJESIM__WORD(line, word), name.size) == 0;
}

/* Gives the type of entities on containers of a type its slot. */
static void pajesim__assign_slot(pajesim *sim, pajesim_ref parent, pajesim_ref ref)
{
#if PAJESIM_REFERENCE != 16
    pajesim_ref last = PAJESIM__TYPE_AT(sim, ref)->tree.previous;
    while (last && PAJESIM__RECORD(sim, last)->kind == PAJESIM_CONTAINER)
        last = PAJESIM__TYPE_AT(sim, last)->tree.previous;
    PAJESIM__TYPE_AT(sim, last ? last : parent)->next_entity = ref;
#endif
    PAJESIM__TYPE_AT(sim, ref)->slot = PAJESIM__TYPE_AT(sim, parent)->of.slots++;
}

static void pajesim__call_new_type(pajesim *sim, pajesim_ref ref)
{
    const pajesim__type *type = PAJESIM__TYPE_AT(sim, ref);
    pajesim_type_info info;
    if (!sim->callbacks->new_type)
        return;
    info.ref = ref;
    info.kind = (pajesim_kind)type->record.kind;
    info.parent = type->record.parent;
    info.start_type = type->of.link.start_type;
    info.end_type = type->of.link.end_type;
    info.name = pajesim_name(sim, ref);
    info.alias = pajesim_alias(sim, ref);
    info.color = pajesim_color(sim, ref);
    PAJESIM__CALL(sim, new_type, &info);
}

static pajesim__outcome pajesim__define_type(pajesim *sim, pajesim__line *line, const pajesim__definition *definition)
{
    pajesim__state *state = PAJESIM__STATE(sim);
    pajesim_kind kind = (pajesim_kind)definition->kind;
    pajesim__naming names = pajesim__read_naming(sim, line, definition);
    pajesim_ref parent, start = 0, end = 0, ref;
    pajesim__type *type;

    parent = pajesim__container_type_at(sim, line, PAJESIM__FIELD(definition, PAJESIM_TYPE));
    if (!parent)
        return PAJESIM__REFUSED;
    if (kind == PAJESIM_LINK) {
        start = pajesim__container_type_at(sim, line, PAJESIM__FIELD(definition, PAJESIM_START_CONTAINER_TYPE));
        end = start ? pajesim__container_type_at(sim, line, PAJESIM__FIELD(definition, PAJESIM_END_CONTAINER_TYPE)) : 0;
        if (!end)
            return PAJESIM__REFUSED;
        if (PAJESIM_CHECKS && (!pajesim__is_within(sim, start, parent) || !pajesim__is_within(sim, end, parent)) &&
            pajesim__diagnose(sim, line, PAJESIM_E_TYPE_ANCESTOR, PAJESIM__FIELD(definition, PAJESIM_TYPE)))
            return PAJESIM__REFUSED;
    }
    if (pajesim__word_is(line, names.id_word, PAJESIM__LITERAL("0")) ||
        (PAJESIM__IS_STRICT(state) && kind == PAJESIM_CONTAINER &&
         pajesim__word_is(line, PAJESIM__FIELD(definition, PAJESIM_NAME), PAJESIM__LITERAL("0")))) {
        pajesim__diagnose(sim, line, PAJESIM_E_TYPE_RESERVED, names.id_word);
        return PAJESIM__REFUSED;
    }
    if (!pajesim__color_at(sim, line, names.color_word))
        return PAJESIM__REFUSED;
    ref = pajesim__table_find(sim, &state->types, &names.id, 0, 0);
    if (ref) {
        int alike = pajesim__defined_alike(sim, line, &names, ref, kind, parent);
        if (PAJESIM_CHECKS && kind == PAJESIM_LINK)
            alike &= PAJESIM__TYPE_AT(sim, ref)->of.link.start_type == start &&
                     PAJESIM__TYPE_AT(sim, ref)->of.link.end_type == end;
        if (pajesim__diagnose(sim, line, alike ? PAJESIM_E_TYPE_AGAIN : PAJESIM_E_TYPE_TWICE, names.id_word))
            return PAJESIM__REFUSED;
        return pajesim__ready(sim, line, definition) ? PAJESIM__DONE : (pajesim__outcome)line->outcome;
    }
    ref = PAJESIM__RECORD_IN(pajesim__alloc(sim, sizeof *type));
    pajesim__reserve_naming(sim, &names, line, &state->types, 0);
    if (!pajesim__ready(sim, line, definition))
        return (pajesim__outcome)line->outcome;

    type = PAJESIM__TYPE_AT(sim, ref);
    memset(type, 0, sizeof *type);
    type->record.tag = PAJESIM__TYPE;
    type->record.kind = (uint8_t)kind;
    type->of.link.start_type = start;
    type->of.link.end_type = end;
    pajesim__init_jump(sim, type, parent);
    pajesim__store_naming(sim, &names, line, &state->types, ref, 0);
    pajesim__tree_append(sim, parent, ref);
    if (kind != PAJESIM_CONTAINER)
        pajesim__assign_slot(sim, parent, ref);
    pajesim__call_new_type(sim, ref);
    return PAJESIM__DONE;
}

/* ---------------- src/pajesim/simulation/values.h */

/* Values: those that the trace defines, and implicit ones, which a state creates by naming them (section
 * "Identity"). */

static void pajesim__call_new_value(pajesim *sim, pajesim_ref ref)
{
    pajesim_value_info info;
    if (!sim->callbacks->new_value)
        return;
    info.ref = ref;
    info.type = PAJESIM__RECORD(sim, ref)->parent;
    info.implicit = (PAJESIM__RECORD(sim, ref)->flags & PAJESIM__IMPLICIT) != 0;
    info.name = pajesim_name(sim, ref);
    info.alias = pajesim_alias(sim, ref);
    info.color = pajesim_color(sim, ref);
    PAJESIM__CALL(sim, new_value, &info);
}

static void pajesim__init_value(pajesim *sim, pajesim_ref ref, pajesim_ref type, uint8_t flags)
{
    pajesim__value *value = PAJESIM__VALUE_AT(sim, ref);
    memset(value, 0, sizeof *value);
    value->record.tag = PAJESIM__VALUE;
    value->record.kind = PAJESIM__RECORD(sim, type)->kind;
    value->record.parent = type;
    value->record.flags = flags;
}

static pajesim__outcome pajesim__define_value(pajesim *sim, pajesim__line *line, const pajesim__definition *definition)
{
    pajesim__state *state = PAJESIM__STATE(sim);
    uint32_t type_word = PAJESIM__FIELD(definition, PAJESIM_TYPE);
    pajesim__naming names = pajesim__read_naming(sim, line, definition);
    pajesim_ref type = pajesim__type_at(sim, line, type_word), ref;
    int late;

    if (!type)
        return PAJESIM__REFUSED;
    if (PAJESIM__RECORD(sim, type)->kind == PAJESIM_CONTAINER || PAJESIM__RECORD(sim, type)->kind == PAJESIM_VARIABLE) {
        pajesim__diagnose(sim, line, PAJESIM_E_VALUE_TYPE, type_word);
        return PAJESIM__REFUSED;
    }
    if (!pajesim__color_at(sim, line, names.color_word))
        return PAJESIM__REFUSED;
    ref = pajesim__table_find(sim, &state->values, &names.id, type, 0);
    late = ref && (PAJESIM__RECORD(sim, ref)->flags & PAJESIM__IMPLICIT);
    if (ref && pajesim__diagnose(sim, line, late ? PAJESIM_E_VALUE_LATE : PAJESIM_E_VALUE_TWICE, names.id_word))
        return PAJESIM__REFUSED;
    if (ref && !late)
        return pajesim__ready(sim, line, definition) ? PAJESIM__DONE : (pajesim__outcome)line->outcome;
    if (PAJESIM_CHECKS && names.name_word) {
        pajesim__key name = pajesim__key_at(line, names.name_word);
        if (pajesim__table_find(sim, &state->values, &name, type, 0) &&
            pajesim__diagnose(sim, line, PAJESIM_E_VALUE_NAME, names.name_word))
            return PAJESIM__REFUSED;
    }
    if (late) { /* the identifier exists; name and colour are new */
        pajesim__reserve_display_name(sim, &names, line);
        if (!pajesim__ready(sim, line, definition))
            return (pajesim__outcome)line->outcome;
        PAJESIM__RECORD(sim, ref)->flags &= (uint8_t)~PAJESIM__IMPLICIT;
        pajesim__store_display_name(sim, &names, line, ref);
    } else {
        ref = PAJESIM__RECORD_IN(pajesim__alloc(sim, sizeof(pajesim__value)));
        pajesim__reserve_naming(sim, &names, line, &state->values, type);
        if (!pajesim__ready(sim, line, definition))
            return (pajesim__outcome)line->outcome;
        pajesim__init_value(sim, ref, type, 0);
        pajesim__store_naming(sim, &names, line, &state->values, ref, type);
        pajesim__uncache(sim, &PAJESIM__RECORD(sim, ref)->id, PAJESIM__VALUES_SCOPE(type));
    }
    pajesim__call_new_value(sim, ref);
    return PAJESIM__DONE;
}

/* Reserves an implicit value, for a state that names a value which is not defined. */
PAJESIM__COLD pajesim_ref pajesim__reserve_implicit_value(pajesim *sim, pajesim__line *line, uint32_t word,
                                                          pajesim_ref type)
{
    pajesim__key id = pajesim__key_at(line, word);
    line->new_value.value = PAJESIM__RECORD_IN(pajesim__alloc(sim, sizeof(pajesim__value)));
    line->new_value.id_bytes = pajesim__alloc_id(sim, &id);
    line->new_value.entry = pajesim__table_reserve(sim, &PAJESIM__STATE(sim)->values, pajesim__hash(&id, type, 0));
    return line->new_value.value;
}

PAJESIM__COLD void pajesim__create_implicit_value(pajesim *sim, const pajesim__line *line, uint32_t word,
                                                  pajesim_ref type)
{
    pajesim_ref ref = line->new_value.value;
    pajesim__key id = pajesim__key_at(line, word);
    pajesim__init_value(sim, ref, type, PAJESIM__IMPLICIT);
    pajesim__init_id(sim, &PAJESIM__RECORD(sim, ref)->id, &id, line->new_value.id_bytes, type, 0);
    pajesim__table_insert(sim, &PAJESIM__STATE(sim)->values, &line->new_value.entry, ref);
    pajesim__uncache(sim, &PAJESIM__RECORD(sim, ref)->id, PAJESIM__VALUES_SCOPE(type));
    pajesim__call_new_value(sim, ref);
}

/* ---------------- src/pajesim/simulation/containers.h */

/* Containers: the lines that create and destroy them (sections "Identity" and "Semantics"). */

/* A container that a line creates, as it is checked. */
typedef struct pajesim__creation {
    pajesim_ref type, parent;
    pajesim_ref former; /* a destroyed container of the same identifier; 0: none */
    uint32_t scope;     /* of the identifier */
    pajesim__half fingerprint; /* in strict mode */
} pajesim__creation;

/* Checks the type and the parent.  Returns 0 if they are refused. */
static int pajesim__check_place(pajesim *sim, pajesim__line *line, const pajesim__definition *definition,
                                pajesim__creation *created)
{
    uint32_t type_word = PAJESIM__FIELD(definition, PAJESIM_TYPE);
    uint32_t parent_word = PAJESIM__FIELD(definition, PAJESIM_CONTAINER_FIELD);
    pajesim_ref parent = pajesim__any_container_at(sim, line, parent_word);
    pajesim_ref type = parent ? pajesim__container_type_at(sim, line, type_word) : 0;
    if (!type)
        return 0;
    parent = pajesim__resolve_root(sim, parent, PAJESIM__RECORD(sim, type)->parent);
    if (PAJESIM_CHECKS && PAJESIM__RECORD(sim, type)->parent != PAJESIM__CONTAINER_AT(sim, parent)->declared_type &&
        pajesim__diagnose(sim, line, PAJESIM_E_CONTAINER_TYPE, type_word))
        return 0;
    if (PAJESIM__IS_DESTROYED(sim, parent)) {
        if (pajesim__diagnose(sim, line, PAJESIM_E_CONTAINER_PARENT_GONE, parent_word))
            return 0;
        parent = PAJESIM__STATE(sim)->root;
    }
    created->type = type;
    created->parent = parent;
    return 1;
}

/* Checks the identifier, and reserves it among those that were used.  Returns 0 if it is refused. */
static int pajesim__check_identity(pajesim *sim, pajesim__line *line, const pajesim__naming *names,
                                   pajesim__creation *created, pajesim__used_ids_reservation *used)
{
    pajesim__state *state = PAJESIM__STATE(sim);
    if (PAJESIM_REPAIRS && pajesim__word_is(line, names->id_word, PAJESIM__LITERAL("0"))) {
        if (pajesim__diagnose(sim, line, PAJESIM_E_CONTAINER_RESERVED, names->id_word))
            return 0;
        created->scope = PAJESIM__BESIDE_ROOT;
    }
    created->former = pajesim__table_find(sim, &state->containers, &names->id, created->scope, 0);
    if (created->former && !PAJESIM__IS_DESTROYED(sim, created->former)) {
        pajesim__diagnose(sim, line, PAJESIM_E_CONTAINER_TWICE, names->id_word);
        return 0;
    }
    if (PAJESIM__IS_STRICT(state)) {
        created->fingerprint = pajesim__fingerprint(&names->id, 0);
        if (pajesim__used_ids_contain(sim, &state->used_ids, created->fingerprint, used)) {
            pajesim__diagnose(sim, line, PAJESIM_E_CONTAINER_AGAIN, names->id_word);
            return 0;
        }
        pajesim__used_ids_reserve(sim, &state->used_ids, created->fingerprint, used);
    }
    return 1;
}

/* Makes the record of a container without a name. */
static void pajesim__begin_container(pajesim *sim, pajesim_ref ref, pajesim_ref type, const pajesim__line *line,
                                     pajesim__offset fields, uint32_t slots)
{
    pajesim__container *container = PAJESIM__CONTAINER_AT(sim, ref);
    memset(container, 0, sizeof *container);
    container->record.tag = PAJESIM__CONTAINER;
    container->record.kind = PAJESIM_CONTAINER;
    container->record.flags = PAJESIM__LISTED;
    container->type = container->declared_type = type;
#if PAJESIM_TRAVEL
    container->serial = (uint32_t)PAJESIM__STATE(sim)->counts.by_event[PAJESIM_CREATE_CONTAINER] + 1;
#endif
    container->start = line->shown.time;
    container->fields = fields;
    container->slots = PAJESIM__OWN_SLOTS(ref);
    container->own_slots = (pajesim__length)slots;
    pajesim__clear_slots(sim, container, slots);
}

static pajesim__outcome pajesim__create_container(pajesim *sim, pajesim__line *line,
                                                  const pajesim__definition *definition)
{
    pajesim__state *state = PAJESIM__STATE(sim);
    pajesim__naming names = pajesim__read_naming(sim, line, definition);
    uint32_t file_word = PAJESIM__FIELD(definition, PAJESIM_FILENAME), slots;
    pajesim__file_request request;
    pajesim__creation created = {0, 0, 0, 0, 0};
    pajesim__used_ids_reservation used = {0, 0, 0, 0, 0};
    pajesim__offset fields;
    pajesim_ref ref;

    names.color_word = 0;
    if (!pajesim__time_at(sim, line, PAJESIM__FIELD(definition, PAJESIM_TIME)) ||
        !pajesim__check_place(sim, line, definition, &created) ||
        !pajesim__check_identity(sim, line, &names, &created, &used) ||
        !pajesim__reserve_file(sim, line, file_word && PAJESIM__SIZE(line, file_word) ? file_word : 0, &request))
        return PAJESIM__REFUSED;
    slots = PAJESIM__EARLY_SLOTS(PAJESIM__TYPE_AT(sim, created.type)->of.slots);
    ref = pajesim__alloc_container(sim, slots);
    pajesim__reserve_naming(sim, &names, line, &state->containers, created.scope);
    fields = pajesim__reserve_fields(sim, line, definition);
    if (!pajesim__ready(sim, line, definition))
        return (pajesim__outcome)line->outcome;

    PAJESIM__CHANGED(sim);
    if (PAJESIM_REPAIRS && created.former) { /* the identifier names the new container now */
        pajesim__table_remove(sim, &state->containers, created.former);
        PAJESIM__RECORD(sim, created.former)->flags &= (uint8_t)~PAJESIM__LISTED;
    }
    pajesim__begin_container(sim, ref, created.type, line, fields, slots);
    pajesim__store_naming(sim, &names, line, &state->containers, ref, created.scope);
    pajesim__store_fields(sim, line, fields);
    pajesim__tree_append(sim, created.parent, ref);
    if (PAJESIM__IS_STRICT(state))
        pajesim__used_ids_insert(sim, &state->used_ids, created.fingerprint, used);
    pajesim__store_file(sim, line, &request);
    pajesim__note_time(sim, line->shown.time);
    if (sim->callbacks->container_created) {
        pajesim_entity *entity = pajesim__entity_begin(sim);
        pajesim__view_container(sim, entity, ref);
        pajesim__call_entity(sim, sim->callbacks->container_created, entity);
    }
    return PAJESIM__DONE;
}

/* Whether no event on a container, its creation included, is later than `time`. */
static int pajesim__is_last_event(const pajesim *sim, const pajesim__container *container, pajesim_time time)
{
    const pajesim__slot *slots = PAJESIM__AT(sim, const pajesim__slot, container->slots);
    uint32_t i;
    for (i = 0; i < container->slot_count; i++)
        if (slots[i].last > time)
            return 0;
#if PAJESIM_REFERENCE != 16
    if (container->late) {
        pajesim__offset at = container->late;
        do {
            if (PAJESIM__LATE_SLOT_AT(sim, at)->slot.last > time)
                return 0;
            at = PAJESIM__LATE_SLOT_AT(sim, at)->next;
        } while (at != container->late);
    }
#endif
    return container->start <= time;
}

/* Whether no event on any container inside `root` is later than `time`. */
static int pajesim__is_last_inner_event(const pajesim *sim, pajesim_ref root, pajesim_time time)
{
    pajesim_ref ref = root;
    for (;;) {
        const pajesim__container *container = PAJESIM__CONTAINER_AT(sim, ref);
        if (ref != root && !pajesim__is_last_event(sim, container, time))
            return 0;
        if (container->tree.first) {
            ref = container->tree.first;
            continue;
        }
        while (ref != root && !PAJESIM__CONTAINER_AT(sim, ref)->tree.next)
            ref = PAJESIM__RECORD(sim, ref)->parent;
        if (ref == root)
            return 1;
        ref = PAJESIM__CONTAINER_AT(sim, ref)->tree.next;
    }
}

static pajesim__outcome pajesim__destroy_container(pajesim *sim, pajesim__line *line,
                                                   const pajesim__definition *definition)
{
    uint32_t name_word = PAJESIM__FIELD(definition, PAJESIM_NAME), type_word = PAJESIM__FIELD(definition, PAJESIM_TYPE);
    pajesim_ref ref, type;
    pajesim__cursor cursor;

    if (!pajesim__time_at(sim, line, PAJESIM__FIELD(definition, PAJESIM_TIME)))
        return PAJESIM__REFUSED;
    ref = pajesim__live_container_at(sim, line, name_word);
    type = ref ? pajesim__container_type_at(sim, line, type_word) : 0;
    if (!type)
        return PAJESIM__REFUSED;
    ref = pajesim__resolve_root(sim, ref, type);
    if (PAJESIM_CHECKS && PAJESIM__CONTAINER_AT(sim, ref)->type != type &&
        pajesim__diagnose(sim, line, PAJESIM_E_CONTAINER_NOT_TYPE, type_word))
        return PAJESIM__REFUSED;
    if (PAJESIM_CHECKS && ref == PAJESIM__STATE(sim)->root &&
        pajesim__diagnose(sim, line, PAJESIM_E_ROOT_DESTROYED, name_word))
        return PAJESIM__REFUSED;
    if (PAJESIM_CHECKS && ref != PAJESIM__STATE(sim)->root &&
        !pajesim__is_last_event(sim, PAJESIM__CONTAINER_AT(sim, ref), line->shown.time) &&
        pajesim__diagnose(sim, line, PAJESIM_E_DESTROY_ORDER, PAJESIM__FIELD(definition, PAJESIM_TIME)))
        return PAJESIM__REFUSED;
    if (PAJESIM_CHECKS && ref != PAJESIM__STATE(sim)->root &&
        !pajesim__is_last_inner_event(sim, ref, line->shown.time) &&
        pajesim__diagnose(sim, line, PAJESIM_E_DESTROY_INNER, PAJESIM__FIELD(definition, PAJESIM_TIME)))
        return PAJESIM__REFUSED; /* unreached: only a warning */
    if (!pajesim__ready(sim, line, definition))
        return (pajesim__outcome)line->outcome;

    pajesim__note_time(sim, line->shown.time);
    if (ref == PAJESIM__STATE(sim)->root) /* it stays open: the line counts as an event of its time */
        return PAJESIM__DONE;
    cursor = pajesim__begin_closing(ref);
    while (pajesim__close_step(sim, line, &cursor, line->shown.time)) {
    }
    return PAJESIM__DONE;
}

/* ---------------- src/pajesim/simulation/place.h */

/* The place of an event: its container, its type, and the slot of that type on the container. */

typedef struct pajesim__place {
    pajesim_ref container, type;
    pajesim__slot *slot; /* NULL: there is none yet */
} pajesim__place;

/* Handles a type that does not belong to the container.  If the container is the root, its name `0` may mean another
 * container called so: returns that one if the type belongs to it.  Otherwise reports the error and returns 0. */
PAJESIM__COLD pajesim_ref pajesim__resolve_misplaced(pajesim *sim, pajesim__line *line,
                                                     const pajesim__definition *definition, pajesim_ref container,
                                                     pajesim_ref type)
{
    uint32_t type_word = PAJESIM__FIELD(definition, PAJESIM_TYPE);
    if (PAJESIM_REPAIRS && PAJESIM__RECORD(sim, type)->kind == definition->kind &&
        container == PAJESIM__STATE(sim)->root) {
        pajesim_ref other = pajesim__second_root(sim, PAJESIM__RECORD(sim, type)->parent);
        if (other)
            return other;
    }
    if (PAJESIM__RECORD(sim, type)->kind != definition->kind)
        pajesim__diagnose(sim, line, PAJESIM_E_TYPE_KIND, type_word);
    else if (PAJESIM__IS_DESTROYED(sim, container))
        pajesim__diagnose(sim, line, PAJESIM_E_CONTAINER_DESTROYED,
                          PAJESIM__FIELD(definition, PAJESIM_CONTAINER_FIELD));
    else
        pajesim__diagnose(sim, line, PAJESIM_E_TYPE_MISMATCH, type_word);
    return 0;
}

/* Finds the container and type of an event, and its slot if there is one yet; returns 0 after reporting an error. */
PAJESIM__INLINE int pajesim__resolve_place(pajesim *sim, pajesim__line *line, const pajesim__definition *definition,
                                           const pajesim__hint *hint, pajesim__place *place)
{
    const pajesim__type *type;
    const pajesim__container *container;
    uint32_t container_word = PAJESIM__FIELD(definition, PAJESIM_CONTAINER_FIELD);
    place->container = hint ? pajesim__hinted_container(sim, line, container_word, hint) : 0;
    if (!place->container)
        place->container = pajesim__container_at(sim, line, container_word);
    if (PAJESIM__UNLIKELY(!place->container))
        return 0;
    place->type = hint ? hint->type : 0;
    if (!place->type)
        place->type = pajesim__type_at(sim, line, PAJESIM__FIELD(definition, PAJESIM_TYPE));
    if (PAJESIM__UNLIKELY(!place->type))
        return 0;
    PAJESIM__ASSERT(PAJESIM__RECORD(sim, place->type)->tag == PAJESIM__TYPE &&
                    PAJESIM__RECORD(sim, place->container)->tag == PAJESIM__CONTAINER);
    type = PAJESIM__TYPE_AT(sim, place->type);
    container = PAJESIM__CONTAINER_AT(sim, place->container);
    if (PAJESIM__UNLIKELY(type->record.parent != container->type || type->record.kind != definition->kind)) {
        place->container = pajesim__resolve_misplaced(sim, line, definition, place->container, place->type);
        if (!place->container)
            return 0;
        container = PAJESIM__CONTAINER_AT(sim, place->container);
    }
    place->slot = pajesim__find_slot(sim, container, place->type);
    return 1;
}

static pajesim__size pajesim__slots_size(uint32_t slots)
{
    return (pajesim__size)slots * sizeof(pajesim__slot);
}

/* Returns the number of slots that fill a block with room for all early types, so that types that are used one by one,
 * as soon as they are defined, do not copy the slots each time. */
static uint32_t pajesim__slots_capacity(const pajesim *sim, pajesim__place place)
{
    uint32_t slots = PAJESIM__TYPE_AT(sim, PAJESIM__RECORD(sim, place.type)->parent)->of.slots;
    pajesim__size size = pajesim__slots_size(PAJESIM__EARLY_SLOTS(slots));
    slots = (uint32_t)(pajesim__class_size(pajesim__class_of(size)) / sizeof(pajesim__slot));
    return PAJESIM__EARLY_SLOTS(slots);
}

/* Reserves a late slot, or a larger block of early ones. */
PAJESIM__COLD pajesim__offset pajesim__reserve_missing_slot(pajesim *sim, pajesim__place place)
{
#if PAJESIM_REFERENCE != 16
    if (PAJESIM__IS_LATE(PAJESIM__TYPE_AT(sim, place.type)))
        return pajesim__alloc(sim, sizeof(pajesim__late_slot));
#endif
    return pajesim__alloc(sim, pajesim__slots_size(pajesim__slots_capacity(sim, place)));
}

/* Reserves what the slot of a place takes if there is none yet; else returns 0. */
PAJESIM__INLINE pajesim__offset pajesim__reserve_slots(pajesim *sim, pajesim__place place)
{
    return PAJESIM__LIKELY(place.slot != NULL) ? 0 : pajesim__reserve_missing_slot(sim, place);
}

PAJESIM__COLD pajesim__slot *pajesim__make_slot(pajesim *sim, pajesim__place place, pajesim__offset offset)
{
    pajesim__container *container = PAJESIM__CONTAINER_AT(sim, place.container);
    pajesim__slot *slots = PAJESIM__AT(sim, pajesim__slot, offset);
#if PAJESIM_REFERENCE != 16
    if (PAJESIM__IS_LATE(PAJESIM__TYPE_AT(sim, place.type))) {
        pajesim__late_slot *late = PAJESIM__LATE_SLOT_AT(sim, offset);
        pajesim__offset *next = container->late ? &PAJESIM__LATE_SLOT_AT(sim, container->late)->next : &offset;
        memset(slots, 0, sizeof *slots);
        slots->last = PAJESIM__TIME_LEAST;
        late->type = place.type;
        late->next = *next;
        *next = offset;
        pajesim__add_late_slot(sim, container, offset);
        return slots;
    }
#endif
    memcpy(slots, PAJESIM__AT(sim, pajesim__slot, container->slots), container->slot_count * sizeof *slots);
    pajesim__free_slots(sim, place.container);
    container->slots = offset;
    pajesim__clear_slots(sim, container, pajesim__slots_capacity(sim, place));
    return slots + PAJESIM__TYPE_AT(sim, place.type)->slot;
}

/* Returns the slot, after making it in the reserved block if needed.  Call it after pajesim__ready. */
PAJESIM__INLINE pajesim__slot *pajesim__ensure_slot(pajesim *sim, pajesim__place place, pajesim__offset slots)
{
    return PAJESIM__LIKELY(place.slot != NULL) ? place.slot : pajesim__make_slot(sim, place, slots);
}

/* Records an event of the slot at the time of the line. */
PAJESIM__INLINE void pajesim__note_event(pajesim *sim, const pajesim__line *line, pajesim__slot *slot)
{
    PAJESIM__ASSERT(slot && !sim->allocs);
    slot->last = line->shown.time;
    pajesim__note_time(sim, line->shown.time);
}

PAJESIM__INLINE int pajesim__check_time_order(pajesim *sim, pajesim__line *line, const pajesim__definition *definition,
                                              const pajesim__slot *slot)
{
    return PAJESIM__LIKELY(!slot || line->shown.time >= slot->last) ||
           !pajesim__diagnose(sim, line, PAJESIM_E_TIME_ORDER, PAJESIM__FIELD(definition, PAJESIM_TIME));
}

/* ---------------- src/pajesim/simulation/states.h */

/* States, variables and punctual events: the lines that open, change and close them (section "Semantics"). */

PAJESIM__KNOWS(open_state, 2); /* set, push */

PAJESIM__INLINE pajesim__outcome pajesim__open_state(pajesim *sim, pajesim__line *line,
                                                     const pajesim__definition *definition, pajesim__place place)
{
    pajesim__slot *slot = place.slot;
    pajesim__frame *frame;
    pajesim_ref value, known;
    pajesim__offset slots, frames = 0, fields;
    uint32_t value_word = PAJESIM__FIELD(definition, PAJESIM_VALUE);
    uint32_t depth, set = definition->event == PAJESIM_SET_STATE;
    pajesim__entity_callback callback = set ? sim->callbacks->state_set : sim->callbacks->state_pushed;

    if (!pajesim__check_time_order(sim, line, definition, slot))
        return PAJESIM__REFUSED;
    value = known = pajesim__value_at(sim, line, value_word, place.type);
    if (PAJESIM__UNLIKELY(!known))
        value = pajesim__reserve_implicit_value(sim, line, value_word, place.type);
    slots = pajesim__reserve_slots(sim, place);
    depth = slot && !set ? slot->open.stack.depth : 0;
    if (PAJESIM__UNLIKELY(depth == (slot ? slot->open.stack.capacity : 0)))
        frames = pajesim__alloc(sim, pajesim__stack_size(depth ? 2 * depth : 2));
    fields = pajesim__reserve_fields(sim, line, definition);
    if (!pajesim__ready(sim, line, definition))
        return (pajesim__outcome)line->outcome;

    slot = pajesim__ensure_slot(sim, place, slots);
    if (PAJESIM__UNLIKELY(frames)) {
        uint32_t capacity = slot->open.stack.capacity;
        if (capacity) {
            memcpy(PAJESIM__BYTES(sim, frames), PAJESIM__BYTES(sim, slot->open.stack.frames),
                   (size_t)capacity * sizeof *frame);
            pajesim__free(sim, slot->open.stack.frames, pajesim__stack_size(capacity));
        }
        slot->open.stack.frames = frames;
        slot->open.stack.capacity = (pajesim__length)(capacity ? 2 * capacity : 2);
    }
    if (PAJESIM__UNLIKELY(!known))
        pajesim__create_implicit_value(sim, line, value_word, place.type);
    if (PAJESIM__UNLIKELY(PAJESIM__RECORD(sim, value)->flags & PAJESIM__IMPLICIT))
        PAJESIM__VALUE_AT(sim, value)->refs++;
    if (set)
        while (slot->open.stack.depth)
            pajesim__close_state(sim, place.container, place.type, slot, line->shown.time);
    pajesim__note_event(sim, line, slot);
    frame = PAJESIM__AT(sim, pajesim__frame, slot->open.stack.frames) + slot->open.stack.depth++;
    frame->start = line->shown.time;
    frame->value = value;
    frame->fields = fields;
    pajesim__store_fields(sim, line, fields);
    if (callback) {
        pajesim_entity *entity = pajesim__entity_begin(sim);
        pajesim__view_state(sim, entity, place.container, place.type, frame, slot->open.stack.depth - 1);
        pajesim__call_entity(sim, callback, entity);
    }
    return PAJESIM__DONE;
}

PAJESIM__INLINE pajesim__outcome pajesim__pop_state(pajesim *sim, pajesim__line *line,
                                                    const pajesim__definition *definition, pajesim__place place)
{
    pajesim__slot *slot = place.slot;
    if (PAJESIM__UNLIKELY(!slot || !slot->open.stack.depth)) {
        pajesim__diagnose(sim, line, PAJESIM_E_STATE_EMPTY, PAJESIM__FIELD(definition, PAJESIM_TYPE));
        return PAJESIM__REFUSED;
    }
    if (!pajesim__check_time_order(sim, line, definition, slot))
        return PAJESIM__REFUSED;
    if (!pajesim__ready(sim, line, definition))
        return (pajesim__outcome)line->outcome;

    pajesim__note_event(sim, line, slot);
    pajesim__close_top(sim, line, place.container, place.type, slot, line->shown.time);
    pajesim__shrink_stack(sim, slot);
    return PAJESIM__DONE;
}

static pajesim__outcome pajesim__reset_state(pajesim *sim, pajesim__line *line, const pajesim__definition *definition,
                                             pajesim__place place)
{
    pajesim__slot *slot = place.slot;
    pajesim__offset slots;
    if (!pajesim__check_time_order(sim, line, definition, slot))
        return PAJESIM__REFUSED;
    slots = pajesim__reserve_slots(sim, place);
    if (!pajesim__ready(sim, line, definition))
        return (pajesim__outcome)line->outcome;

    slot = pajesim__ensure_slot(sim, place, slots);
    pajesim__note_event(sim, line, slot);
    while (slot->open.stack.depth)
        pajesim__close_state(sim, place.container, place.type, slot, line->shown.time);
    pajesim__shrink_stack(sim, slot);
    if (sim->callbacks->state_reset) {
        pajesim_entity *entity = pajesim__entity_begin(sim);
        pajesim__entity_init(entity, PAJESIM_STATE, place.container, place.type, line->shown.time, 0);
        pajesim__view_line_fields(sim, line, &entity->closing);
        pajesim__call_entity(sim, sim->callbacks->state_reset, entity);
    }
    return PAJESIM__DONE;
}

PAJESIM__KNOWS(change_variable, 3); /* set, add, subtract */

PAJESIM__INLINE pajesim__outcome pajesim__change_variable(pajesim *sim, pajesim__line *line,
                                                          const pajesim__definition *definition, pajesim__place place)
{
    uint32_t value_word = PAJESIM__FIELD(definition, PAJESIM_VALUE);
    pajesim__slot *slot = place.slot;
    pajesim__offset slots, fields;
    pajesim_quantity number;
    int set = definition->event == PAJESIM_SET_VARIABLE, in_place;
    pajesim__entity_callback callback = set ? sim->callbacks->variable_set : sim->callbacks->variable_updated;

    if (PAJESIM__UNLIKELY(!pajesim__read_quantity(line->readable, PAJESIM__WORD(line, value_word),
                                                  PAJESIM__SIZE(line, value_word), &number))) {
        pajesim__diagnose(sim, line, PAJESIM_E_NUMBER, value_word);
        return PAJESIM__REFUSED;
    }
    line->shown.number = number;
    if (!set && PAJESIM__UNLIKELY(!slot || !PAJESIM__IS_SET(slot)) &&
        pajesim__diagnose(sim, line, PAJESIM_E_VARIABLE_UNSET, PAJESIM__FIELD(definition, PAJESIM_TYPE)))
        return PAJESIM__REFUSED;
    if (!set && !pajesim__add_quantities(slot ? slot->open.variable.number : 0, /* 0 if it is not set yet */
                                         definition->event == PAJESIM_ADD_VARIABLE ? number : -number, &number)) {
        pajesim__diagnose(sim, line, PAJESIM_E_NUMBER, value_word);
        return PAJESIM__REFUSED;
    }
    if (!pajesim__check_time_order(sim, line, definition, slot))
        return PAJESIM__REFUSED;
    slots = pajesim__reserve_slots(sim, place);
    in_place = slot && PAJESIM__IS_SET(slot) && slot->start == line->shown.time;
    fields = in_place ? 0 : pajesim__reserve_fields(sim, line, definition);
    if (!pajesim__ready(sim, line, definition))
        return (pajesim__outcome)line->outcome;

    slot = pajesim__ensure_slot(sim, place, slots);
    pajesim__note_event(sim, line, slot);
    if (!in_place) {
        if (PAJESIM__IS_SET(slot))
            pajesim__close_variable(sim, line, place.container, place.type, slot, line->shown.time);
        slot->start = line->shown.time;
        slot->open.variable.set = 1;
        slot->open.variable.fields = fields;
        pajesim__store_fields(sim, line, fields);
    }
#if PAJESIM_TRAVEL
    if (in_place && PAJESIM__IS_TRACKED(slot->open.variable.fields))
        pajesim__notify_flag(sim, slot->open.variable.set >> 1, PAJESIM__IS_CHANGED);
#endif
    slot->open.variable.number = number;
    if (callback) {
        pajesim_entity *entity = pajesim__entity_begin(sim);
        pajesim__view_variable(sim, entity, place.container, place.type, slot);
        pajesim__call_entity(sim, callback, entity);
    }
    return PAJESIM__DONE;
}

static pajesim__outcome pajesim__new_event(pajesim *sim, pajesim__line *line, const pajesim__definition *definition,
                                           pajesim__place place)
{
    uint32_t value_word = PAJESIM__FIELD(definition, PAJESIM_VALUE);
    pajesim__slot *slot = place.slot;
    pajesim__offset slots;
    if (!pajesim__check_time_order(sim, line, definition, slot))
        return PAJESIM__REFUSED;
    slots = pajesim__reserve_slots(sim, place);
    if (!pajesim__ready(sim, line, definition))
        return (pajesim__outcome)line->outcome;

    pajesim__note_event(sim, line, pajesim__ensure_slot(sim, place, slots));
    PAJESIM__STATE(sim)->counts.punctual++;
    if (pajesim__has_listener(sim, sim->callbacks->event)) {
        pajesim_entity *entity = pajesim__entity_begin(sim);
        pajesim__entity_init(entity, PAJESIM_EVENT, place.container, place.type, line->shown.time, 0);
        entity->value = pajesim__uncached_value_at(sim, line, value_word, place.type);
        entity->value_name =
            entity->value ? pajesim__name_of(sim, entity->value) : pajesim__line_word(line, value_word);
        pajesim__view_line_fields(sim, line, &entity->opening);
        pajesim__call_closed(sim, sim->callbacks->event, entity);
    }
    return PAJESIM__DONE;
}

/* ---------------- src/pajesim/simulation/links.h */

/* Links: a start line and an end line, paired by their key (section "Semantics"). */

/* One line of a link, which gives one of its two ends. */
typedef struct pajesim__link_end {
    int is_start;
    pajesim_ref end_point;
    pajesim_ref value;
    pajesim_text value_name; /* as written, if the value is not defined */
    pajesim__key key;
} pajesim__link_end;

static int pajesim__read_link_end(pajesim *sim, pajesim__line *line, const pajesim__definition *definition,
                                  pajesim_ref type, pajesim__link_end *end)
{
    const pajesim__type *link_type = PAJESIM__TYPE_AT(sim, type);
    uint32_t value_word = PAJESIM__FIELD(definition, PAJESIM_VALUE), end_word;
    pajesim_ref expected_type;
    end->is_start = definition->event == PAJESIM_START_LINK;
    end_word = PAJESIM__FIELD(definition, end->is_start ? PAJESIM_START_CONTAINER : PAJESIM_END_CONTAINER);
    end->end_point = pajesim__container_at(sim, line, end_word);
    if (!end->end_point)
        return 0;
    expected_type = end->is_start ? link_type->of.link.start_type : link_type->of.link.end_type;
    end->end_point = pajesim__resolve_root(sim, end->end_point, expected_type);
    if (PAJESIM__IS_DESTROYED(sim, end->end_point) &&
        pajesim__diagnose(sim, line, PAJESIM_E_LINK_ENDPOINT_GONE, end_word))
        return 0;
    if (PAJESIM_CHECKS && PAJESIM__CONTAINER_AT(sim, end->end_point)->type != expected_type && /* hot member first */
        PAJESIM__CONTAINER_AT(sim, end->end_point)->declared_type != expected_type &&
        pajesim__diagnose(sim, line, PAJESIM_E_LINK_ENDPOINT_TYPE, end_word))
        return 0;
    end->value = pajesim__value_at(sim, line, value_word, type);
    end->value_name = end->value ? pajesim_name(sim, end->value) : pajesim__line_word(line, value_word);
    end->key = pajesim__key_at(line, PAJESIM__FIELD(definition, PAJESIM_KEY));
    return 1;
}

static void pajesim__call_link_half(pajesim *sim, pajesim__line *line, pajesim__place place,
                                    const pajesim__link_end *end)
{
    pajesim__entity_callback callback = end->is_start ? sim->callbacks->link_started : sim->callbacks->link_ended;
    if (callback) {
        pajesim_entity *entity = pajesim__entity_begin(sim);
        pajesim__entity_init(entity, PAJESIM_LINK, place.container, place.type, line->shown.time, 1);
        *(end->is_start ? &entity->start_container : &entity->end_container) = end->end_point;
        entity->value = end->value;
        entity->value_name = end->value_name;
        entity->key = pajesim__view((const char *)end->key.bytes, (size_t)end->key.size);
        pajesim__view_line_fields(sim, line, end->is_start ? &entity->opening : &entity->closing);
        pajesim__call_entity(sim, callback, entity);
        pajesim__entity_clear_optional(entity);
    }
}

/* Applies the first line of a link, which then waits for the other one. */
static pajesim__outcome pajesim__begin_link(pajesim *sim, pajesim__line *line, const pajesim__definition *definition,
                                            pajesim__place place, const pajesim__link_end *end)
{
    pajesim__state *state = PAJESIM__STATE(sim);
    pajesim__used_ids_reservation used = {0, 0, 0, 0, 0};
    pajesim__half fingerprint = 0;
    pajesim__offset offset, bytes, fields, slots;
    pajesim__table_reservation entry;
    pajesim__text value_text = 0;
    pajesim__container *owner;
    pajesim__link *link;

    if (PAJESIM__IS_STRICT(state)) {
        /* The container is hashed by its identifier: offsets are reused; identifiers, in strict mode, are not. */
        const pajesim__id *id = &PAJESIM__RECORD(sim, place.container)->id;
        pajesim__key owner_key = pajesim__key_of_id(id);
        fingerprint = pajesim__fingerprint(&end->key, pajesim__mix(&owner_key, id->size, place.type));
        if (pajesim__used_ids_contain(sim, &state->used_ids, fingerprint, &used)) {
            pajesim__diagnose_at(sim, line, PAJESIM_E_LINK_KEY_USED, (uint32_t)(end->key.bytes - PAJESIM__TEXT(line)),
                                 end->key.size);
            return PAJESIM__REFUSED;
        }
        pajesim__used_ids_reserve(sim, &state->used_ids, fingerprint, &used);
    }
    offset = pajesim__alloc(sim, sizeof *link);
    bytes = pajesim__alloc_id(sim, &end->key);
    entry = pajesim__table_reserve(sim, &state->links, pajesim__hash(&end->key, place.container, place.type));
    if (!end->value)
        value_text = pajesim__alloc_text(sim, (uint32_t)end->value_name.size);
    fields = pajesim__reserve_fields(sim, line, definition);
    slots = pajesim__reserve_slots(sim, place);
    if (!pajesim__ready(sim, line, definition))
        return (pajesim__outcome)line->outcome;

    pajesim__ensure_slot(sim, place, slots);
    link = PAJESIM__AT(sim, pajesim__link, offset);
    pajesim__init_id(sim, &link->id, &end->key, bytes, place.container, place.type);
    pajesim__table_insert(sim, &state->links, &entry, offset);
    owner = PAJESIM__CONTAINER_AT(sim, place.container);
    link->previous = 0;
    link->next = owner->links;
    if (owner->links)
        PAJESIM__AT(sim, pajesim__link, owner->links)->previous = offset;
    owner->links = offset;
    link->time = line->shown.time;
    link->end_point = end->end_point;
    PAJESIM__CONTAINER_AT(sim, end->end_point)->refs++;
    link->value = end->value;
    link->value_text = value_text;
    if (value_text)
        pajesim__write_text(sim, value_text, end->value_name.bytes, (uint32_t)end->value_name.size);
    link->fields = fields;
    pajesim__store_fields(sim, line, fields);
    link->started = (pajesim__length)end->is_start;
    if (PAJESIM__IS_STRICT(state))
        pajesim__used_ids_insert(sim, &state->used_ids, fingerprint, used);
    pajesim__note_time(sim, line->shown.time);
    pajesim__call_link_half(sim, line, place, end);
    return PAJESIM__DONE;
}

/* Whether both lines name the same value, defined or not, by its identifier (section "Identity": the name of a value
 * that has an alias makes a second value). */
static int pajesim__same_value(const pajesim *sim, const pajesim__link *link, const pajesim__link_end *end)
{
    pajesim_text first = link->value ? pajesim_alias(sim, link->value) : pajesim__text_at(sim, link->value_text);
    pajesim_text second = end->value ? pajesim_alias(sim, end->value) : end->value_name;
    return first.size == second.size && memcmp(first.bytes, second.bytes, first.size) == 0;
}

PAJESIM__KNOWS(link_event, 2); /* start, end */

static pajesim__outcome pajesim__link_event(pajesim *sim, pajesim__line *line, const pajesim__definition *definition,
                                            pajesim__place place)
{
    uint32_t time_word = PAJESIM__FIELD(definition, PAJESIM_TIME);
    pajesim__slot *slot = place.slot;
    pajesim__link_end end;
    pajesim__link *link;
    pajesim__offset offset;
    pajesim_text first_value;
    pajesim_time start_time, end_time;

    if (!pajesim__read_link_end(sim, line, definition, place.type, &end))
        return PAJESIM__REFUSED;
    offset = pajesim__table_find(sim, &PAJESIM__STATE(sim)->links, &end.key, place.container, place.type);
    if (!offset)
        return pajesim__begin_link(sim, line, definition, place, &end);

    link = PAJESIM__AT(sim, pajesim__link, offset);
    if (link->started == (pajesim__length)end.is_start) {
        pajesim__diagnose(sim, line, PAJESIM_E_LINK_KEY_TWICE, PAJESIM__FIELD(definition, PAJESIM_KEY));
        return PAJESIM__REFUSED;
    }
    first_value = pajesim__link_value(sim, link);
    if (PAJESIM_CHECKS && !pajesim__same_value(sim, link, &end) &&
        pajesim__diagnose(sim, line, PAJESIM_E_LINK_VALUE, PAJESIM__FIELD(definition, PAJESIM_VALUE)))
        return PAJESIM__REFUSED;
    start_time = link->started ? link->time : line->shown.time;
    end_time = link->started ? line->shown.time : link->time;
    if (PAJESIM_CHECKS && end_time < start_time)
        pajesim__diagnose(sim, line, PAJESIM_E_LINK_BACKWARD, time_word);
    if (!pajesim__check_time_order(sim, line, definition, slot)) /* only the completion of a link is ordered */
        return PAJESIM__REFUSED;
    if (!pajesim__ready(sim, line, definition))
        return (pajesim__outcome)line->outcome;

    slot->last = end_time > start_time ? end_time : start_time;
    pajesim__note_time(sim, line->shown.time);
    PAJESIM__STATE(sim)->counts.links++;
    pajesim__call_link_half(sim, line, place, &end);
    if (pajesim__has_listener(sim, sim->callbacks->link_completed)) {
        pajesim_entity *entity = pajesim__entity_begin(sim);
        pajesim__entity_init(entity, PAJESIM_LINK, place.container, place.type, start_time, 0);
        entity->end = end_time;
        entity->start_container = link->started ? link->end_point : end.end_point;
        entity->end_container = link->started ? end.end_point : link->end_point;
        entity->value = link->started ? link->value : end.value;
        entity->value_name = link->started ? first_value : end.value_name;
        entity->key = pajesim__view((const char *)end.key.bytes, (size_t)end.key.size);
        pajesim__view_kept_fields(sim, link->fields, link->started ? &entity->opening : &entity->closing);
        pajesim__view_line_fields(sim, line, link->started ? &entity->closing : &entity->opening);
        pajesim__call_closed(sim, sim->callbacks->link_completed, entity);
        pajesim__entity_clear_optional(entity);
    }
#if PAJESIM_TRAVEL
    if (PAJESIM__IS_TRACKED(link->fields))
        pajesim__notify_end(sim, line, link->open_index, end_time, end.end_point, NULL);
#endif
    pajesim__free_link(sim, offset);
    return PAJESIM__DONE;
}

/* ---------------- src/pajesim/simulation/trace_file.h */

/* PajeTraceFile: the line that includes a file. */

static pajesim__outcome pajesim__trace_file(pajesim *sim, pajesim__line *line, const pajesim__definition *definition)
{
    uint32_t word = PAJESIM__FIELD(definition, PAJESIM_FILENAME);
    pajesim__file_request request;
    if (!pajesim__live_container_at(sim, line, PAJESIM__FIELD(definition, PAJESIM_CONTAINER_FIELD)) ||
        !pajesim__container_type_at(sim, line, PAJESIM__FIELD(definition, PAJESIM_TYPE)))
        return PAJESIM__REFUSED;
    if (!PAJESIM__SIZE(line, word)) {
        pajesim__diagnose(sim, line, PAJESIM_E_FILE_NAME, word);
        return PAJESIM__REFUSED;
    }
    if (!pajesim__reserve_file(sim, line, word, &request))
        return PAJESIM__REFUSED;
    if (!pajesim__ready(sim, line, definition))
        return (pajesim__outcome)line->outcome;
    pajesim__store_file(sim, line, &request);
    return PAJESIM__DONE;
}

/* ---------------- src/pajesim/simulation/simulate.h */

/* Dispatch: checks the words of an event line, and calls the function that applies its event.
 *
 * Each of these functions works in four steps.  Check: report what is wrong and return PAJESIM__REFUSED.  Reserve:
 * allocate every block that the line needs.  Ready: pajesim__ready makes the `line` callback and commits the blocks, or
 * returns 0 and the line has no effect.  Change: update the simulation and make callbacks; this cannot fail. */

/* Parses the numbers of an event and requests the file that it names, without simulating it (parse_only). */
static pajesim__outcome pajesim__parse_event(pajesim *sim, pajesim__line *line, const pajesim__definition *definition)
{
    uint32_t time_word = pajesim__time_word(definition);
    uint32_t value_word = PAJESIM__FIELD(definition, PAJESIM_VALUE);
    uint32_t file_word = pajesim__file_word(definition);
    pajesim__file_request request;
    line->shown.time = 0;
    if (time_word && !pajesim__time_at(sim, line, time_word))
        return PAJESIM__REFUSED;
    if (definition->function == PAJESIM__DO_change_variable &&
        !pajesim__read_quantity(line->readable, PAJESIM__WORD(line, value_word), PAJESIM__SIZE(line, value_word),
                                &line->shown.number)) {
        pajesim__diagnose(sim, line, PAJESIM_E_NUMBER, value_word);
        return PAJESIM__REFUSED;
    }
    request.word = 0;
    if (PAJESIM__UNLIKELY(file_word && PAJESIM__SIZE(line, file_word)) &&
        !pajesim__reserve_file(sim, line, file_word, &request))
        return PAJESIM__REFUSED;
    if (!pajesim__ready(sim, line, definition))
        return (pajesim__outcome)line->outcome;
    if (PAJESIM__UNLIKELY(request.word))
        pajesim__store_file(sim, line, &request);
    if (time_word)
        pajesim__note_time(sim, line->shown.time);
    return PAJESIM__DONE;
}

/* What a function of the list is given: `input` there. */
#define PAJESIM__LINE_INPUT(on_line, on_place) on_line
#define PAJESIM__PLACE_INPUT(on_line, on_place) on_place

/* Whether a function is given a place. */
PAJESIM__INLINE int pajesim__has_place(uint32_t function)
{
    switch (function) {
#define PAJESIM__X(function, input) \
    case PAJESIM__DO_##function: \
        return PAJESIM__##input##_INPUT(0, 1);
        PAJESIM__FUNCTIONS(PAJESIM__X)
#undef PAJESIM__X
    }
    PAJESIM__ASSERT(0);
    PAJESIM__UNREACHABLE;
    return 0;
}

/* Applies an event on a container.  The switch on the event mispredicts, so shared work is done before it. */
PAJESIM__INLINE pajesim__outcome pajesim__container_event(pajesim *sim, pajesim__line *line,
                                                          const pajesim__definition *definition,
                                                          const pajesim__hint *hint)
{
    pajesim__place place;
    if (PAJESIM__UNLIKELY(!pajesim__time_at(sim, line, PAJESIM__FIELD(definition, PAJESIM_TIME))) ||
        !pajesim__resolve_place(sim, line, definition, hint, &place))
        return PAJESIM__REFUSED;
    switch (definition->function) {
#define PAJESIM__X(function, input) \
    PAJESIM__##input##_INPUT(, case PAJESIM__DO_##function: return pajesim__##function(sim, line, definition, place);)
        PAJESIM__FUNCTIONS(PAJESIM__X)
#undef PAJESIM__X
    }
    PAJESIM__ASSERT(0);
    PAJESIM__UNREACHABLE;
    return PAJESIM__REFUSED;
}

PAJESIM__INLINE pajesim__outcome pajesim__dispatch_event(pajesim *sim, pajesim__line *line,
                                                         const pajesim__definition *definition,
                                                         const pajesim__hint *hint)
{
    line->shown.number = 0;
    if (PAJESIM__UNLIKELY(PAJESIM__IS_PARSER(PAJESIM__STATE(sim))))
        return pajesim__parse_event(sim, line, definition);
    if (PAJESIM__LIKELY(pajesim__has_place(definition->function)))
        return pajesim__container_event(sim, line, definition, hint);
    line->shown.time = 0;
    switch (definition->function) {
#define PAJESIM__X(function, input) \
    PAJESIM__##input##_INPUT(case PAJESIM__DO_##function: return pajesim__##function(sim, line, definition);, )
        PAJESIM__FUNCTIONS(PAJESIM__X)
#undef PAJESIM__X
    }
    PAJESIM__ASSERT(0);
    PAJESIM__UNREACHABLE;
    return PAJESIM__REFUSED;
}

/* Checks the number of words of an event; returns 1 if the line is refused. */
PAJESIM__COLD int pajesim__check_word_count(pajesim *sim, pajesim__line *line, const pajesim__definition *definition)
{
    if (line->count < definition->count + 1u) {
        pajesim__diagnose_at(sim, line, PAJESIM_E_FIELDS_MISSING, pajesim__text_end(line), 0);
        return 1;
    }
    if (line->count > definition->count + 1u &&
        pajesim__diagnose(sim, line, PAJESIM_E_FIELDS_SURPLUS, definition->count + 1u))
        return 1; /* unreached: only a warning */
    return line->surplus_at && pajesim__diagnose_at(sim, line, PAJESIM_E_TOO_MANY_WORDS, line->surplus_at,
                                                    pajesim__text_end(line) - line->surplus_at);
}

PAJESIM__COLD pajesim__outcome pajesim__skip_event(pajesim *sim, pajesim__line *line)
{
    line->shown.definition = 0;
    if (pajesim__diagnose(sim, line, PAJESIM_E_EVENT_SKIPPED, 0))
        return PAJESIM__REFUSED;
    if (!pajesim__ready_full(sim, line))
        return (pajesim__outcome)line->outcome; /* unreached: needs no memory, makes no callback */
    PAJESIM__STATE(sim)->counts.skipped++;
    return PAJESIM__DONE;
}

/* Applies an event line.  `ref`: its definition, 0 if it is unknown.  `hint`: what prefetching found, or NULL. */
PAJESIM__INLINE pajesim__outcome pajesim__event_line(pajesim *sim, pajesim__line *line, pajesim_ref ref,
                                                     uint32_t surplus_at, const pajesim__hint *hint)
{
    const pajesim__definition *definition;
    pajesim__outcome outcome;
    line->shown.definition = ref;
    if (PAJESIM__UNLIKELY(!ref)) {
        pajesim__diagnose(sim, line, PAJESIM_E_EVENT_UNKNOWN, 0);
        return PAJESIM__REFUSED;
    }
    definition = PAJESIM__DEFINITION_AT(sim, line->shown.definition);
    if (PAJESIM__UNLIKELY(definition->function == PAJESIM__SKIP_EVENT))
        return pajesim__skip_event(sim, line);
    if (PAJESIM__UNLIKELY(line->count != definition->count + 1u || surplus_at) &&
        pajesim__check_word_count(sim, line, definition))
        return PAJESIM__REFUSED;
    outcome = pajesim__dispatch_event(sim, line, definition, hint);
    if (PAJESIM__LIKELY(outcome == PAJESIM__DONE))
        PAJESIM__STATE(sim)->counts.by_event[definition->event]++;
    return outcome;
}

/* ---------------- src/pajesim/run/lifecycle.h */

/* Lifecycle: beginning and moving a simulation, and queries that are valid at any time. */

PAJESIM_API uint32_t pajesim_version(void)
{
    return PAJESIM_VERSION;
}

PAJESIM_API void *pajesim_data(const pajesim *sim)
{
    return sim->data;
}

PAJESIM_API uint64_t pajesim_capacity_needed(const pajesim *sim)
{
    return sim->needed;
}

PAJESIM_API size_t pajesim_used(const pajesim *sim)
{
    return (size_t)PAJESIM__CONST_HEAP(sim)->top;
}

PAJESIM_API uint64_t pajesim_line_number(const pajesim *sim)
{
    return PAJESIM__CONST_STATE(sim)->line + 1;
}

PAJESIM_API const pajesim_counts *pajesim_count(const pajesim *sim)
{
    pajesim__state *state = PAJESIM__STATE(sim);
    uint32_t event;
    state->counts.events = 0;
    for (event = 0; event < PAJESIM_EVENT_COUNT; event++)
        state->counts.events += state->counts.by_event[event];
    state->counts.first = state->first;
    state->counts.last = state->last;
#if PAJESIM_TRAVEL
    if (state->past_first < state->first)
        state->counts.first = state->past_first;
    if (state->past_last > state->last)
        state->counts.last = state->past_last;
#endif
    if (state->counts.first > state->counts.last)
        state->counts.first = state->counts.last = 0;
    return &state->counts;
}

/* No callbacks.  C++ requires an initializer for each. */
static const pajesim_callbacks pajesim__no_callbacks = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};

PAJESIM__SHARED void pajesim__attach(pajesim *sim, void *arena, size_t capacity, const pajesim_callbacks *callbacks,
                                     void *data)
{
    memset(sim, 0, sizeof *sim);
    sim->arena = (unsigned char *)arena;
    sim->capacity = PAJESIM__MIN(capacity, (size_t)PAJESIM__CAPACITY_MAX);
    sim->callbacks = callbacks ? callbacks : &pajesim__no_callbacks;
    sim->data = data;
    pajesim__entity_clear_optional(&sim->entity);
#if PAJESIM_CACHE
    sim->cache_factor = PAJESIM__MIX1;
#endif
}

/* Begins a call that changes the simulation: until pajesim__leave, callbacks may only query it. */
PAJESIM__INLINE void pajesim__enter(pajesim *sim)
{
    PAJESIM__ASSERT(!sim->busy && !sim->allocs);
    sim->busy = 1;
    sim->callback_result = PAJESIM_GO_ON;
    sim->top = PAJESIM__HEAP(sim)->top;
}

/* Ends it, and returns `status`. */
PAJESIM__INLINE pajesim_status pajesim__leave(pajesim *sim, pajesim_status status)
{
    PAJESIM__ASSERT(sim->busy && !sim->allocs);
    sim->busy = 0;
    return status;
}

/* Returns an option, or `fallback` if it is 0. */
static pajesim__length pajesim__option_or(uint32_t given, uint32_t fallback)
{
    const uint32_t max = (pajesim__length)-1;
    return (pajesim__length)(given ? PAJESIM__MIN(given, max) : fallback);
}

/* Initializes the state, and allocates the blocks that every simulation begins with; returns the size of all.  Writes
 * to the state only, so that pajesim_arena_min can call it without an arena. */
static uint32_t pajesim__init_layout(pajesim *sim, const pajesim_options *options)
{
    pajesim__state *state = PAJESIM__STATE(sim);
    pajesim_options defaults;
    if (!options) {
        memset(&defaults, 0, sizeof defaults);
        options = &defaults;
    }
    memset(state, 0, sizeof *state);
    if (PAJESIM_CHECKS) {
        state->strict = options->strict != 0;
        state->parse_only = options->parse_only != 0;
    }
    state->ignore_links = options->ignore_links != 0;
    state->line_max = pajesim__option_or(options->line_max, PAJESIM__LINE_MAX);
    state->line_capacity = pajesim__option_or(options->line_capacity, PAJESIM_SMALL ? 128 : 256);
    if (state->line_capacity < 16)
        state->line_capacity = 16;
    if (PAJESIM_REPAIRS) {
        state->old_names = options->old_names != 0;
        state->remembered = pajesim__option_or(options->remembered, 64);
    }
    if (PAJESIM_FILES)
        state->file_depth_max = pajesim__option_or(options->file_depth_max, 8);

    sim->top = PAJESIM__STATE_SIZE;
    sim->allocs = 0;
    pajesim__table_alloc(sim, &state->definitions, 4);
    pajesim__table_alloc(sim, &state->types, 3);
    pajesim__table_alloc(sim, &state->values, 4);
    pajesim__table_alloc(sim, &state->containers, 3);
    pajesim__table_alloc(sim, &state->links, 2);
    state->root_type = PAJESIM__RECORD_IN(pajesim__alloc(sim, sizeof(pajesim__type)));
    state->root = pajesim__alloc_container(sim, 0);
    state->carry_capacity = state->line_capacity;
    state->carry = pajesim__alloc(sim, state->carry_capacity);
    state->heap.top = (uint32_t)PAJESIM__MIN(sim->top, UINT32_MAX);
    return state->heap.top;
}

PAJESIM_API size_t pajesim_arena_min(const pajesim_options *options)
{
    pajesim sim;
    pajesim__state state;
    pajesim__attach(&sim, &state, 0, NULL, NULL);
    return (size_t)pajesim__init_layout(&sim, options);
}

static void pajesim__init_root(pajesim *sim, pajesim__table *table, pajesim_ref ref, enum pajesim__tag tag)
{
    pajesim__key key = pajesim__key_of("0", 1);
    pajesim__table_reservation entry;
    pajesim__record *record = PAJESIM__RECORD(sim, ref);
    record->tag = (uint8_t)tag;
    record->kind = PAJESIM_CONTAINER;
    pajesim__init_id(sim, &record->id, &key, 0, 0, 0);
    memset(&entry, 0, sizeof entry); /* an empty table needs no reservation */
    pajesim__table_insert(sim, table, &entry, ref);
}

#if !PAJESIM_SMALL
/* A dynamic linker takes the first function of a name for all libraries, but those of guard.h only for libraries with
 * the same options.  So this one returns another pajesim_init than that of this copy where libraries with other options
 * are mixed, whose structs differ. */
typedef pajesim_status (*pajesim__beginning)(pajesim *, void *, size_t, const pajesim_options *,
                                             const pajesim_callbacks *, void *);
PAJESIM_API pajesim__beginning pajesim__first_init(void);
PAJESIM_API pajesim__beginning pajesim__first_init(void)
{
    return pajesim_init;
}
#endif

#if !PAJESIM_SMALL && defined(__PIC__) /* as the code of a library is */
static int pajesim__is_mixed(void)
{
    pajesim__beginning (*volatile first)(void) = pajesim__first_init; /* no compiler puts that of this copy in place */
    return first() != pajesim_init;
}
#define PAJESIM__IS_MIXED() pajesim__is_mixed()
#else
#define PAJESIM__IS_MIXED() 0
#endif

PAJESIM_API pajesim_status pajesim_init(pajesim *sim, void *arena, size_t capacity, const pajesim_options *options,
                                        const pajesim_callbacks *callbacks, void *data)
{
    pajesim__state *state;
    if (!sim)
        return PAJESIM_MISUSE;
    pajesim__attach(sim, arena, capacity, callbacks, data);
    sim->busy = 1; /* until there is something to feed */
    if (!arena || !pajesim__is_aligned(arena) || PAJESIM__IS_MIXED())
        return PAJESIM_MISUSE;
    if (!PAJESIM_CHECKS && options && (options->strict || options->parse_only))
        return PAJESIM_MISUSE;
    sim->needed = (pajesim__size)pajesim_arena_min(options);
    if (sim->capacity < sim->needed)
        return PAJESIM_FULL;
    sim->busy = 0;
    pajesim__init_layout(sim, options);
    state = PAJESIM__STATE(sim);
    memset(sim->arena + sizeof *state, 0, (size_t)state->heap.top - sizeof *state);
    state->first = -PAJESIM__TIME_LEAST;
    state->last = PAJESIM__TIME_LEAST;
#if PAJESIM_TRAVEL
    state->past_first = -PAJESIM__TIME_LEAST;
    state->past_last = PAJESIM__TIME_LEAST;
#endif
    pajesim__init_root(sim, &state->types, state->root_type, PAJESIM__TYPE);
    pajesim__init_root(sim, &state->containers, state->root, PAJESIM__CONTAINER);
    PAJESIM__CONTAINER_AT(sim, state->root)->type = PAJESIM__CONTAINER_AT(sim, state->root)->declared_type =
        state->root_type;
    PAJESIM__RECORD(sim, state->root)->flags = PAJESIM__LISTED;
#if PAJESIM_CHECKS
    PAJESIM__TYPE_AT(sim, state->root_type)->jump = state->root_type;
#endif
    return PAJESIM_OK;
}

PAJESIM_API pajesim_status pajesim_move(pajesim *sim, void *arena, size_t capacity)
{
    if (!sim || !arena || !pajesim__is_aligned(arena))
        return PAJESIM_MISUSE;
    if (sim->busy)
        return PAJESIM_BUSY;
    if (capacity < PAJESIM__HEAP(sim)->top) {
        sim->needed = PAJESIM__HEAP(sim)->top;
        return PAJESIM_FULL;
    }
    if (arena != sim->arena)
        memcpy(arena, sim->arena, (size_t)PAJESIM__HEAP(sim)->top);
    sim->arena = (unsigned char *)arena;
    sim->capacity = PAJESIM__MIN(capacity, (size_t)PAJESIM__CAPACITY_MAX);
    return PAJESIM_OK;
}

/* ---------------- src/pajesim/run/line_step.h */

/* Steps: finds the definition of a line, applies the line, and turns its outcome into the status of the feed. */

PAJESIM__APART pajesim_ref pajesim__definition_of(pajesim *sim, const pajesim__line *line)
{
    pajesim__key number = pajesim__number_key(line);
    return pajesim__find_definition(sim, &number);
}

static pajesim__outcome pajesim__step_line(pajesim *sim, pajesim__line *line)
{
    pajesim__state *state = PAJESIM__STATE(sim);
    pajesim__outcome outcome;
    sim->commit_work = sim->callbacks->line ? PAJESIM__COMMIT_SHOW : 0;
    if (PAJESIM__UNLIKELY(line->size > state->line_max && state->line_max)) {
        pajesim__diagnose_at(sim, line, PAJESIM_E_LINE_TOO_LONG, state->line_max, 0);
        return PAJESIM__REFUSED;
    }
    if (PAJESIM__UNLIKELY(line->error != PAJESIM_E_NONE)) {
        pajesim__diagnose_at(sim, line, line->error, line->error_at, pajesim__text_end(line) - line->error_at);
        return PAJESIM__REFUSED;
    }
    if (PAJESIM__UNLIKELY(line->simple_quote))
        pajesim__diagnose(sim, line, PAJESIM_E_QUOTE_SINGLE, line->simple_quote - 1u);
    if (PAJESIM__UNLIKELY(line->header)) {
        outcome = pajesim__header(sim, line);
    } else {
        if (line->count == 0)
            return PAJESIM__DONE;
        if (PAJESIM__UNLIKELY(state->defining)) {
            sim->commit_work = PAJESIM__COMMIT_FULL;
            line->abandons_definition = 1;
        }
        state->skip_definition = 0;
        outcome = pajesim__event_line(sim, line, pajesim__definition_of(sim, line), line->surplus_at, NULL);
    }
    if (PAJESIM__UNLIKELY(outcome != PAJESIM__DONE))
        pajesim__rollback(sim);
    return outcome;
}

/* Returns what a line's outcome means for the feed: PAJESIM_OK to go on with the next line.  *consumed is 0 if the line
 * must be fed again, after PAJESIM_FULL, or PAJESIM_STOPPED by the `line` callback; else 1. */
PAJESIM__INLINE pajesim_status pajesim__finish_line(pajesim *sim, pajesim__outcome outcome, int *consumed)
{
    pajesim__state *state = PAJESIM__STATE(sim);
    *consumed = 0;
    if (PAJESIM__UNLIKELY(outcome == PAJESIM__ARENA_FULL))
        return PAJESIM_FULL;
    if (PAJESIM__UNLIKELY(outcome == PAJESIM__VETOED)) {
        state->stopped = 1;
        return PAJESIM_STOPPED;
    }
    *consumed = 1;
    state->line++;
    state->counts.lines++;
    if (PAJESIM__LIKELY(!sim->callback_result))
        return PAJESIM_OK;
    if (PAJESIM__NEXT_FILE(state))
        pajesim__enter_file(sim);
    if (sim->callback_result == PAJESIM_STOP) {
        state->stopped = 1;
        return PAJESIM_STOPPED;
    }
    return !PAJESIM_FILES || state->line ? PAJESIM_PAUSED : PAJESIM_OPEN;
}

/* ---------------- src/pajesim/run/prefetch.h */

/* Prefetching: fetches what the lines of the next block need while those of this one are simulated.
 *
 * With so many containers that no cache holds them, cache misses take far longer than the lines.  So each line of the
 * next block gets a target, whose memory is prefetched in steps, as each leads to the next: table entry, container and
 * slot, top of the stack.  Only a few targets advance at a time, so that prefetches do not queue up.  The simulation
 * itself is unchanged.
 *
 * What was found is used as a hint, without another lookup, where it cannot have changed: definitions do not change
 * within a block, as a line that begins with % ends it; types are never freed; and a container is the right one if it
 * has the identifier, and no container was created or freed since.  A container may however be freed before its slot is
 * read to find the stack: this read therefore checks only that it stays within the arena. */

#if PAJESIM__BLOCKS

/* What a line needs in the cache. */
typedef struct pajesim__target {
    pajesim__hint hint;
    pajesim_ref definition; /* 0: unknown */
    uint32_t hash;          /* hash of the container's identifier */
    uint32_t slot;          /* index of the container's slot */
    uint32_t stack;         /* 0: the slot has no stack; 1: it has one; 2: the line closes all of it */
    uint32_t pops;          /* 1: the line pops the top of the stack */
} pajesim__target;

/* Prefetching pays if the table of containers has 2^PAJESIM__PREFETCH_LOG2 entries or more, which no cache holds. */
#ifndef PAJESIM__PREFETCH_LOG2 /* tests set it to prefetch always */
#define PAJESIM__PREFETCH_LOG2 15u
#endif
#define PAJESIM__PREFETCH_PAYS(sim) (PAJESIM__STATE(sim)->containers.log2 >= PAJESIM__PREFETCH_LOG2)

/* The lists of a block hold two blocks of half the size; the second one begins here. */
#define PAJESIM__HALF_BLOCK (PAJESIM__BLOCK_SIZE / 2 + 64)

#define PAJESIM__TARGETS 64u        /* for two half blocks; a power of 2 */
#define PAJESIM__PREFETCH_STRIDE 3u /* lines simulated between two steps */
#define PAJESIM__PREFETCH_COUNT 4u  /* targets that reach their container in a step */
#define PAJESIM__PREFETCH_LAG 8u    /* prefetch distance from container to stack, in targets */

typedef struct pajesim__prefetch {
    const unsigned char *base;         /* text of the next block */
    uint32_t from, lines, special;     /* its first line, the end of its lines, its pajesim__block.special */
    uint32_t first;                    /* target of its first line */
    uint32_t target_offset;            /* from a line's index in the current block to its target */
    uint32_t queued, located, fetched; /* targets so far: all; with container; with stack */
    pajesim__target targets[PAJESIM__TARGETS];
} pajesim__prefetch;

static void pajesim__prefetch_init(pajesim__prefetch *prefetch)
{
    prefetch->base = NULL;
    prefetch->from = prefetch->lines = prefetch->special = 0;
    prefetch->first = prefetch->target_offset = prefetch->queued = prefetch->located = prefetch->fetched = 0;
}

/* Returns the target of the line that was taken from the block last. */
PAJESIM__INLINE const pajesim__target *pajesim__target_of_line(const pajesim__prefetch *prefetch,
                                                               const pajesim__block *block)
{
    return &prefetch->targets[(block->next - 1 + prefetch->target_offset) % PAJESIM__TARGETS];
}

/* Returns the word that names the container whose memory a line needs most. */
PAJESIM__INLINE uint32_t pajesim__target_word(const pajesim__definition *definition)
{
    if (PAJESIM__UNLIKELY(definition->kind == PAJESIM_CONTAINER))
        return definition->word[definition->word[PAJESIM_ALIAS] ? PAJESIM_ALIAS : PAJESIM_NAME];
    /* For a link this is its end point: many links share the container that they belong to. */
    if (PAJESIM__UNLIKELY(definition->kind == PAJESIM_LINK))
        return definition->event == PAJESIM_START_LINK ? definition->word[PAJESIM_START_CONTAINER]
                                                       : definition->word[PAJESIM_END_CONTAINER];
    return definition->word[PAJESIM_CONTAINER_FIELD];
}

/* Adds the target of a line of `count` words, and prefetches its table entry; `bounds` are relative to `base`. */
PAJESIM__INLINE void pajesim__add_target(pajesim *sim, pajesim__target *target, const unsigned char *base,
                                         const uint16_t *bounds, uint32_t count)
{
#define PAJESIM__BEGIN(word) (base + bounds[2 * (word)])
#define PAJESIM__LENGTH(word) ((uint32_t)bounds[2 * (word) + 1] - bounds[2 * (word)])
    const pajesim__table *table = &PAJESIM__STATE(sim)->containers;
    const pajesim__definition *definition;
    pajesim__key key;
    uint32_t word;
    target->definition = 0;
    if (PAJESIM__LIKELY(count)) {
        key = pajesim__key_of_number(PAJESIM__BEGIN(0), PAJESIM__LENGTH(0), PAJESIM__PADDED);
        target->definition = pajesim__find_definition(sim, &key);
    }
    definition = PAJESIM__DEFINITION_AT(sim, target->definition);
    if (PAJESIM__UNLIKELY(!target->definition) || PAJESIM__UNLIKELY(definition->count + 1u != count)) {
        target->hint.type = target->hash = target->slot = target->stack = 0;
        return;
    }
    word = definition->word[PAJESIM_TYPE];
    key = pajesim__key_of_number(PAJESIM__BEGIN(word), PAJESIM__LENGTH(word), PAJESIM__PADDED);
    target->hint.type = pajesim__find_cached(sim, &PAJESIM__STATE(sim)->types, &key, 0, PAJESIM__TYPES_SCOPE);
    target->slot = PAJESIM__LIKELY(target->hint.type) ? PAJESIM__TYPE_AT(sim, target->hint.type)->slot : 0;
    target->stack = definition->kind == PAJESIM_STATE;
    target->pops = definition->event == PAJESIM_POP_STATE;
    if (PAJESIM__UNLIKELY(definition->event == PAJESIM_DESTROY_CONTAINER)) {
        target->stack = 2; /* probably of its first type */
        target->pops = 1;
    }
    word = pajesim__target_word(definition);
    key = pajesim__key_of_word(PAJESIM__BEGIN(word), PAJESIM__LENGTH(word), PAJESIM__PADDED);
    target->hash = pajesim__hash(&key, 0, 0);
    PAJESIM__PREFETCH(PAJESIM__AT(sim, const pajesim__entry, table->entries) +
                      pajesim__table_home(target->hash, table->log2));
#undef PAJESIM__BEGIN
#undef PAJESIM__LENGTH
}

/* Scans the next block into the free half of the lists, and adds its targets. */
static void pajesim__prefetch_block(pajesim *sim, pajesim__prefetch *prefetch, pajesim__block *block,
                                    const unsigned char *base, const unsigned char *end)
{
    uint32_t lines = block->lines, special = block->special, first, i;
    prefetch->base = base;
    prefetch->from = prefetch->from ? 0 : PAJESIM__HALF_BLOCK;
    pajesim__scan_block(sim, block, prefetch->from, PAJESIM__BLOCK_SIZE / 2, base, end);
    prefetch->lines = PAJESIM__MIN(block->lines, prefetch->from + PAJESIM__TARGETS / 2);
    prefetch->special = block->special;
    prefetch->first = prefetch->queued;
    block->lines = lines;
    block->special = special;
    first = prefetch->from;
    for (i = prefetch->from; i < prefetch->lines; i++) {
        uint32_t count = (block->line_end[i] - first) / 2;
        pajesim__add_target(sim, &prefetch->targets[prefetch->queued++ % PAJESIM__TARGETS], base, block->bounds + first,
                            count);
        first = block->line_end[i];
    }
    /* An empty string may be taken for a quote. */
    for (i = prefetch->first; (prefetch->special & 2) && i != prefetch->queued; i++)
        prefetch->targets[i % PAJESIM__TARGETS].definition = prefetch->targets[i % PAJESIM__TARGETS].hint.type = 0;
}

/* Finds the container of a target in the table, and prefetches it with its slot. */
PAJESIM__INLINE void pajesim__prefetch_container(pajesim *sim, pajesim__target *target)
{
    const pajesim__table *table = &PAJESIM__STATE(sim)->containers;
    const pajesim__entry *entries = PAJESIM__AT(sim, const pajesim__entry, table->entries);
    uint32_t mask = (UINT32_C(1) << table->log2) - 1, at = pajesim__table_home(target->hash, table->log2);
    /* Without a branch: whether an entry is at home is unpredictable. */
    at = (at + (entries[at].hash != target->hash)) & mask;
    while (PAJESIM__UNLIKELY(entries[at].hash != target->hash && entries[at].offset))
        at = (at + 1) & mask;
    target->hint.changes = sim->changes;
    target->hint.container = PAJESIM__LIKELY(entries[at].offset) ? entries[at].offset : PAJESIM__STATE(sim)->root;
    PAJESIM__PREFETCH(&PAJESIM__RECORD(sim, target->hint.container)->id);
    PAJESIM__PREFETCH(&PAJESIM__CONTAINER_AT(sim, target->hint.container)->slot_count);
    PAJESIM__PREFETCH(
        &(PAJESIM__AT(sim, pajesim__slot, PAJESIM__OWN_SLOTS(target->hint.container)) + target->slot)->open);
}

/* Reads the slot of a target, and prefetches the top of its stack. */
PAJESIM__INLINE void pajesim__prefetch_stack(pajesim *sim, const pajesim__target *target)
{
    uint64_t at =
        PAJESIM__CONTAINER_AT(sim, target->hint.container)->slots + (uint64_t)target->slot * sizeof(pajesim__slot);
    pajesim__slot slot;
    if (at + sizeof slot > PAJESIM__HEAP(sim)->top)
        return;
    memcpy(&slot.open, PAJESIM__BYTES(sim, at) + offsetof(pajesim__slot, open), sizeof slot.open);
    if (PAJESIM__UNLIKELY(target->stack > 1))
        PAJESIM__PREFETCH(PAJESIM__BYTES(sim, slot.open.stack.frames));
    if (target->stack) /* a full stack is copied, up to its last frame */
        at = slot.open.stack.frames + (uint64_t)sizeof(pajesim__frame) *
             (slot.open.stack.depth - (target->pops | (slot.open.stack.depth == slot.open.stack.capacity)));
    PAJESIM__PREFETCH(PAJESIM__BYTES(sim, at)); /* without a stack: the slot, which is valid */
}

/* Advances `count` targets to their container, and those PAJESIM__PREFETCH_LAG behind to their stack. */
PAJESIM__INLINE void pajesim__prefetch_advance(pajesim *sim, pajesim__prefetch *prefetch, uint32_t count)
{
    for (count = PAJESIM__MIN(count, prefetch->queued - prefetch->located); count; count--)
        pajesim__prefetch_container(sim, &prefetch->targets[prefetch->located++ % PAJESIM__TARGETS]);
    while (prefetch->located - prefetch->fetched > PAJESIM__PREFETCH_LAG)
        pajesim__prefetch_stack(sim, &prefetch->targets[prefetch->fetched++ % PAJESIM__TARGETS]);
}

/* Runs the prefetch step that is due before the line at p, which has the index block->stop. */
static __attribute__((noinline)) void pajesim__prefetch_step(pajesim *sim, pajesim__prefetch *prefetch,
                                                             pajesim__block *block, const unsigned char *p,
                                                             const unsigned char *end)
{
    if (block->next == block->lines) {
        if (prefetch->base != p)
            pajesim__prefetch_block(sim, prefetch, block, p, end);
        pajesim__prefetch_advance(sim, prefetch, PAJESIM__TARGETS);
        block->lines = prefetch->lines;
        block->special = prefetch->special;
        prefetch->target_offset = prefetch->first - prefetch->from;
        pajesim__enter_block(block, prefetch->from);
        if (block->next == block->lines)
            return;
        pajesim__prefetch_block(sim, prefetch, block, p + PAJESIM__NEWLINE(block, block->lines - 1) + 1, end);
    } else { /* only a few: the latest prefetches are still under way */
        pajesim__prefetch_advance(sim, prefetch, PAJESIM__PREFETCH_COUNT);
    }
    block->stop = PAJESIM__MIN(block->next + PAJESIM__PREFETCH_STRIDE, block->lines);
}

#endif /* PAJESIM__BLOCKS */

/* ---------------- src/pajesim/run/batch.h */

/* Batches: simulates the whole lines of a feed, by the block scanner where it applies, else by the lexer. */

#if PAJESIM__BLOCKS
/* Lexes the block's next line as pajesim__lex does; returns NULL if pajesim__lex must handle it.  `prefetching`:
 * run/prefetch.h provides the blocks. */
PAJESIM__INLINE const unsigned char *pajesim__lex_fast(pajesim *sim, pajesim__line *line, pajesim__prefetch *prefetch,
                                                       pajesim__block *block, const unsigned char *p,
                                                       const unsigned char *end, int prefetching)
{
    if (PAJESIM__UNLIKELY(block->next == block->stop)) {
        if (prefetching) {
            pajesim__prefetch_step(sim, prefetch, block, p, end);
        } else if (PAJESIM__UNLIKELY(PAJESIM__PREFETCH_PAYS(sim))) { /* since the batch began */
            return NULL;
        } else {
            pajesim__scan_block(sim, block, 0, PAJESIM__BLOCK_SIZE, p, end);
            pajesim__enter_block(block, 0);
        }
        if (PAJESIM__UNLIKELY(block->next == block->lines))
            return NULL;
    }
    return pajesim__next_line(line, block, p);
}

/* Returns the definition of the block's next line, which is at p; 0 if it is unknown or was not looked up. */
PAJESIM__INLINE pajesim_ref pajesim__definition_of_next(pajesim *sim, const pajesim__block *block,
                                                        const unsigned char *p)
{
    const uint16_t *bounds = block->bounds + block->first;
    pajesim__key number;
    if (PAJESIM__UNLIKELY(block->next == block->lines) ||
        PAJESIM__UNLIKELY(block->line_end[block->next] - block->first < 2) || PAJESIM__UNLIKELY(block->special & 2))
        return 0; /* not listed yet, without words, or maybe an empty string with its quote */
    number = pajesim__key_of_number(p + (bounds[0] - block->begin), (uint32_t)bounds[1] - bounds[0], PAJESIM__PADDED);
    return pajesim__find_definition(sim, &number);
}

/* Simulates the lines from *at on, up to one that pajesim__lex must handle, that is too long, or that is within a
 * definition: so they are all events.  The definition of a line is looked up before the previous line is simulated: so
 * the unpredictable branch on its event resolves early.  `prefetching`: there are so many containers that prefetching
 * pays. */
PAJESIM__INLINE pajesim_status pajesim__run_fast_lines(pajesim *sim, pajesim__line *line, pajesim__prefetch *prefetch,
                                                       pajesim__block *block, const unsigned char **at,
                                                       const unsigned char *end, int prefetching)
{
    uint32_t line_max = PAJESIM__STATE(sim)->defining   ? 0
                        : PAJESIM__STATE(sim)->line_max ? PAJESIM__STATE(sim)->line_max
                                                        : UINT32_MAX;
    uint8_t commit_work = sim->callbacks->line ? PAJESIM__COMMIT_SHOW : 0;
    int consumed;
    pajesim_ref next = 0;
    const unsigned char *p = *at;
    pajesim_status status = PAJESIM_OK;
    while (PAJESIM__LIKELY(status == PAJESIM_OK)) {
        const unsigned char *following = pajesim__lex_fast(sim, line, prefetch, block, p, end, prefetching);
        const pajesim__target *target = prefetching ? pajesim__target_of_line(prefetch, block) : NULL;
        pajesim__outcome outcome;
        pajesim_ref ref;
        if (PAJESIM__UNLIKELY(!following || line->size > line_max))
            break;
        PAJESIM__STATE(sim)->skip_definition = 0;
        sim->commit_work = commit_work;
        ref = prefetching ? target->definition : next;
        if (PAJESIM__UNLIKELY(!ref))
            ref = pajesim__definition_of(sim, line);
        if (!prefetching)
            next = pajesim__definition_of_next(sim, block, following);
        outcome = pajesim__event_line(sim, line, ref, 0, prefetching ? &target->hint : NULL);
        if (PAJESIM__UNLIKELY(outcome != PAJESIM__DONE))
            pajesim__rollback(sim);
        status = pajesim__finish_line(sim, outcome, &consumed);
        if (PAJESIM__LIKELY(consumed))
            p = following;
    }
    *at = p;
    return status;
}
#endif

#if !PAJESIM_SMALL
/* Simulates the whole lines in [p, end).  `padded`: PAJESIM__PADDED if PAJESIM__PADDING bytes behind `end` may be read,
 * 0 if none.  Returns the first status that is not PAJESIM_OK, and in *next where it stopped. */
static pajesim_status pajesim__run_lines(pajesim *sim, const unsigned char *p, const unsigned char *end,
                                         uint32_t padded, const unsigned char **next)
{
    pajesim__line line;
    pajesim_status status = PAJESIM_OK;
    int strict = (int)PAJESIM__IS_STRICT(PAJESIM__STATE(sim));
#if PAJESIM__BLOCKS
    pajesim__prefetch prefetch;
    pajesim__block block;
    int prefetching = PAJESIM__PREFETCH_PAYS(sim);
    pajesim__prefetch_init(&prefetch);
    pajesim__block_init(&block);
#endif
    pajesim__begin_line(&line, p, padded);
    while (p < end && status == PAJESIM_OK) {
        const unsigned char *following;
        int consumed;
#if PAJESIM__BLOCKS
        if (padded) {
            if (PAJESIM__UNLIKELY(prefetching != PAJESIM__PREFETCH_PAYS(sim))) { /* the block has no targets */
                prefetching = !prefetching;
                pajesim__prefetch_init(&prefetch);
                pajesim__block_init(&block);
            }
            status = prefetching ? pajesim__run_fast_lines(sim, &line, &prefetch, &block, &p, end, 1)
                                 : pajesim__run_fast_lines(sim, &line, &prefetch, &block, &p, end, 0);
            if (status != PAJESIM_OK || p == end)
                break;
        }
#endif
        following = pajesim__lex(&line, p, strict);
        status = pajesim__finish_line(sim, pajesim__step_line(sim, &line), &consumed);
        if (consumed)
            p = following;
    }
    *next = p;
    return status;
}
#endif

/* ---------------- src/pajesim/run/carry.h */

/* The carry: the piece of a line that is kept for the next feed. */

/* Empties the carry.  A carry that grew for a long line shrinks again if a block of its first size is free. */
static void pajesim__carry_clear(pajesim *sim)
{
    pajesim__state *state = PAJESIM__STATE(sim);
    state->carry_size = 0;
    state->cut = PAJESIM__IN_INDENT;
    if (!PAJESIM_SMALL &&
        PAJESIM__UNLIKELY(state->carry_capacity > state->line_capacity && state->carry_capacity > 4096 &&
                          state->heap.free_list[pajesim__class_of(state->line_capacity)])) {
        pajesim__offset smaller = pajesim__alloc(sim, state->line_capacity);
        pajesim__commit(sim);
        pajesim__free(sim, state->carry, state->carry_capacity);
        state->carry = smaller;
        state->carry_capacity = state->line_capacity;
    }
}

/* Reserves room for `size` more bytes and a newline; returns 0 if the arena is full. */
static int pajesim__carry_reserve(pajesim *sim, size_t size)
{
    pajesim__state *state = PAJESIM__STATE(sim);
    pajesim__size needed_size = state->carry_size + (pajesim__size)size + 1;
    pajesim__offset larger;
    if (PAJESIM__LIKELY(needed_size <= state->carry_capacity))
        return 1;
    needed_size = pajesim__class_size(pajesim__class_of(needed_size));
    larger = pajesim__alloc(sim, needed_size);
    if (!pajesim__fits(sim)) {
        sim->needed = sim->top;
        pajesim__rollback(sim);
        return 0;
    }
    pajesim__commit(sim);
    memcpy(PAJESIM__BYTES(sim, larger), PAJESIM__BYTES(sim, state->carry), (size_t)state->carry_size);
    pajesim__free(sim, state->carry, state->carry_capacity);
    state->carry = larger;
    state->carry_capacity = (uint32_t)needed_size;
    return 1;
}

/* Appends bytes without a newline to the carry, leaving out comments.  Returns 0, and appends nothing, if the arena is
 * full. */
static int pajesim__carry_append(pajesim *sim, const unsigned char *p, size_t size)
{
    pajesim__state *state = PAJESIM__STATE(sim);
    uint8_t cut = state->cut;
    size_t kept;
    if (cut == PAJESIM__IN_COMMENT || cut == PAJESIM__IN_LONG_LINE)
        return 1;
    kept = (size_t)(pajesim__lex_partial(&cut, p, p + size, (int)PAJESIM__IS_STRICT(state)) - p);
    if (state->line_max && kept > state->line_max - state->carry_size) {
        kept = 0;
        cut = PAJESIM__IN_LONG_LINE;
    }
    if (kept) {
        if (!pajesim__carry_reserve(sim, kept))
            return 0;
        state = PAJESIM__STATE(sim);
        memcpy(PAJESIM__BYTES(sim, state->carry) + state->carry_size, p, kept);
        state->carry_size += (uint32_t)kept;
    }
    state->cut = cut;
    return 1;
}

/* Simulates the carried line, which is complete. */
static pajesim_status pajesim__step_carried_line(pajesim *sim, int *consumed)
{
    pajesim__state *state = PAJESIM__STATE(sim);
    pajesim__line line;
    pajesim_status status;
    PAJESIM__BYTES(sim, state->carry)[state->carry_size] = '\n'; /* pajesim__carry_reserve left room for it */
    if (PAJESIM__UNLIKELY(state->cut == PAJESIM__IN_LONG_LINE)) {
        pajesim__report(sim, PAJESIM_E_LINE_TOO_LONG, PAJESIM_ERROR, state->line_max + 1, "", 0);
        status = pajesim__finish_line(sim, PAJESIM__REFUSED, consumed);
    } else {
        pajesim__begin_line(&line, PAJESIM__BYTES(sim, state->carry), 0);
        pajesim__lex(&line, line.readable, (int)PAJESIM__IS_STRICT(state));
        status = pajesim__finish_line(sim, pajesim__step_line(sim, &line), consumed);
    }
    if (*consumed)
        pajesim__carry_clear(sim);
    return status;
}

/* Simulates the last line of a file if it lacks its newline. */
static pajesim_status pajesim__flush_last_line(pajesim *sim)
{
    pajesim__state *state = PAJESIM__STATE(sim);
    int consumed;
    if (PAJESIM_REPAIRS && state->bom_state < 3) { /* the whole file is 1 or 2 bytes of a byte order mark */
        uint8_t seen = state->bom_state;
        static const unsigned char bom[] = {0xEF, 0xBB};
        pajesim__carry_append(sim, bom, seen);
        state->bom_state = 3;
    }
    if (!state->carry_size && state->cut == PAJESIM__IN_INDENT)
        return PAJESIM_OK;
    return pajesim__step_carried_line(sim, &consumed);
}

/* ---------------- src/pajesim/run/digest.h */

/* The digest of the trace: tells whether the bytes that a simulation is fed are those that an index was made of. */

#if PAJESIM_TRAVEL

PAJESIM__INLINE void pajesim__digest_word(uint64_t *sum, const unsigned char *word)
{
    uint64_t product = (*sum ^ pajesim__load64(word)) * PAJESIM__MIX1;
    *sum = product << 27 | product >> 37;
}

/* Adds whole blocks to eight independent sums, which a processor computes in parallel: 33 GB/s, 22 with four (by a loop
 * over the sums, 9).  Each step can be reversed, so every change of a single word changes its sum. */
static void pajesim__digest_blocks(uint64_t *sums, const unsigned char *bytes, size_t blocks)
{
    uint64_t a = sums[0], b = sums[1], c = sums[2], d = sums[3], e = sums[4], f = sums[5], g = sums[6], h = sums[7];
    for (; blocks; blocks--, bytes += PAJESIM__DIGEST_BLOCK) {
        pajesim__digest_word(&a, bytes);
        pajesim__digest_word(&b, bytes + 8);
        pajesim__digest_word(&c, bytes + 16);
        pajesim__digest_word(&d, bytes + 24);
        pajesim__digest_word(&e, bytes + 32);
        pajesim__digest_word(&f, bytes + 40);
        pajesim__digest_word(&g, bytes + 48);
        pajesim__digest_word(&h, bytes + 56);
    }
    sums[0] = a;
    sums[1] = b;
    sums[2] = c;
    sums[3] = d;
    sums[4] = e;
    sums[5] = f;
    sums[6] = g;
    sums[7] = h;
}

/* Adds the bytes that follow those which were counted.  They may be cut anywhere: the last block waits for its rest. */
static void pajesim__digest_bytes(pajesim__state *state, const unsigned char *bytes, size_t size)
{
    size_t held = (size_t)(state->counts.bytes % PAJESIM__DIGEST_BLOCK), whole;
    if (held) {
        size_t more = PAJESIM__MIN(size, PAJESIM__DIGEST_BLOCK - held);
        memcpy(state->digest_rest + held, bytes, more);
        if (held + more < PAJESIM__DIGEST_BLOCK)
            return;
        pajesim__digest_blocks(state->digest, state->digest_rest, 1);
        bytes += more;
        size -= more;
    }
    whole = size / PAJESIM__DIGEST_BLOCK;
    pajesim__digest_blocks(state->digest, bytes, whole);
    memset(state->digest_rest, 0, sizeof state->digest_rest);
    memcpy(state->digest_rest, bytes + whole * PAJESIM__DIGEST_BLOCK, size % PAJESIM__DIGEST_BLOCK);
}

/* Returns the digest of all bytes so far. */
static uint64_t pajesim__digest_of(const pajesim__state *state)
{
    uint64_t sums[8], digest = state->counts.bytes;
    uint32_t i;
    memcpy(sums, state->digest, sizeof sums);
    pajesim__digest_blocks(sums, state->digest_rest, 1);
    for (i = 0; i < 8; i++) {
        digest = (digest ^ sums[i] ^ sums[i] >> 32) * PAJESIM__MIX2;
        digest ^= digest >> 29;
    }
    return digest;
}
#endif /* PAJESIM_TRAVEL */

/* ---------------- src/pajesim/run/feed.h */

/* Feeding: splits pieces of a trace into lines. */

static const unsigned char *pajesim__newline(const unsigned char *p, const unsigned char *end)
{
#if PAJESIM__SIMD
    for (; end - p >= 16; p += 16) {
        uint64_t found = pajesim__bitmap16(pajesim__compare16(pajesim__load16(p), '\n', 0));
        if (found)
            return p + PAJESIM__FIRST16(found);
    }
#endif
    while (p < end && *p != '\n')
        p++;
    return p;
}

/* Appends the rest of a line, from p on, to the carry, and simulates the line if it is complete. */
static pajesim_status pajesim__feed_carry(pajesim *sim, const unsigned char *p, const unsigned char *end,
                                          const unsigned char **next)
{
    pajesim__state *state = PAJESIM__STATE(sim);
    const unsigned char *line_end = pajesim__newline(p, end);
    uint32_t size = state->carry_size;
    uint8_t cut = state->cut;
    pajesim_status status;
    int consumed;
    *next = p;
    if (!pajesim__carry_append(sim, p, (size_t)(line_end - p)))
        return PAJESIM_FULL;
    if (line_end == end) {
        *next = end;
        return PAJESIM_OK;
    }
    status = pajesim__step_carried_line(sim, &consumed);
    if (consumed) {
        *next = line_end + 1;
    } else { /* the caller feeds it again */
        PAJESIM__STATE(sim)->carry_size = size;
        PAJESIM__STATE(sim)->cut = cut;
    }
    return status;
}

/* Skips a byte order mark at the very start of a file, which may arrive a byte at a time.  A partial one is carried as
 * text; the carry always has room for it. */
static const unsigned char *pajesim__skip_bom(pajesim *sim, const unsigned char *p, const unsigned char *end)
{
    static const unsigned char bom[] = {0xEF, 0xBB, 0xBF};
    pajesim__state *state = PAJESIM__STATE(sim);
    while (p < end && state->bom_state < 3) {
        if (*p != bom[state->bom_state]) {
            pajesim__carry_append(sim, bom, state->bom_state);
            state->bom_state = 3;
            break;
        }
        state->bom_state++;
        p++;
    }
    return p;
}

#if PAJESIM_SMALL
/* Small builds simulate every line in the carry. */
static pajesim_status pajesim__feed_lines(pajesim *sim, const unsigned char *p, const unsigned char *end,
                                          const unsigned char **next)
{
    pajesim_status status = PAJESIM_OK;
    for (; status == PAJESIM_OK && p < end; p = *next)
        status = pajesim__feed_carry(sim, p, end, next);
    return status;
}
#else
/* Completes the carried line.  Then simulates whole lines in place: first those with PAJESIM__PADDING readable bytes
 * behind their newline, then the others.  Carries the rest. */
static pajesim_status pajesim__feed_lines(pajesim *sim, const unsigned char *p, const unsigned char *end,
                                          const unsigned char **next)
{
    pajesim_status status = PAJESIM_OK;
    const unsigned char *whole_end;
    if (p < end && (PAJESIM__STATE(sim)->carry_size || PAJESIM__STATE(sim)->cut != PAJESIM__IN_INDENT))
        status = pajesim__feed_carry(sim, p, end, next);
    if (status != PAJESIM_OK)
        return status;
    p = *next;
    if ((size_t)(end - p) > PAJESIM__PADDING) {
        for (whole_end = end - PAJESIM__PADDING; whole_end > p && whole_end[-1] != '\n'; whole_end--) {
        }
        status = pajesim__run_lines(sim, p, whole_end, PAJESIM__PADDED, next);
        p = *next;
    }
    for (whole_end = end; whole_end > p && whole_end[-1] != '\n'; whole_end--) {
    }
    if (status == PAJESIM_OK)
        status = pajesim__run_lines(sim, p, whole_end, 0, next);
    if (status == PAJESIM_OK && whole_end < end)
        status = pajesim__feed_carry(sim, whole_end, end, next);
    return status;
}
#endif

static pajesim_status pajesim__feed_bytes(pajesim *sim, const unsigned char *p, const unsigned char *end,
                                          const unsigned char **next)
{
    *next = p;
    if (PAJESIM_REPAIRS && PAJESIM__UNLIKELY(PAJESIM__STATE(sim)->bom_state < 3)) {
        p = pajesim__skip_bom(sim, p, end);
        *next = p;
    }
    return pajesim__feed_lines(sim, p, end, next);
}

PAJESIM_API pajesim_status pajesim_feed(pajesim *sim, const void *bytes, size_t size, size_t *taken)
{
    const unsigned char *p = (const unsigned char *)bytes, *next = p;
    pajesim_status status;
    if (taken)
        *taken = 0;
    if (!sim || (!bytes && size))
        return PAJESIM_MISUSE;
    if (sim->busy)
        return PAJESIM_BUSY;
    if (PAJESIM__STATE(sim)->stage != PAJESIM__READING)
        return PAJESIM_FINISHED;
    if (PAJESIM__STATE(sim)->stopped)
        return PAJESIM_STOPPED;
    if (!size)
        return PAJESIM_OK;
    pajesim__enter(sim);
    status = pajesim__feed_bytes(sim, p, p + size, &next);
#if PAJESIM_TRAVEL
    if (PAJESIM__STATE(sim)->digests)
        pajesim__digest_bytes(PAJESIM__STATE(sim), p, (size_t)(next - p));
#endif
    PAJESIM__STATE(sim)->counts.bytes += (pajesim_counter)(next - p);
    if (taken)
        *taken = (size_t)(next - p);
    return pajesim__leave(sim, status);
}

/* ---------------- src/pajesim/run/finish.h */

/* Finishing: the end of an included file, and of the trace. */

static void pajesim__leave_file(pajesim *sim)
{
    pajesim__state *state = PAJESIM__STATE(sim);
    pajesim__offset offset = state->file;
    pajesim__file *file = PAJESIM__AT(sim, pajesim__file, offset);
    state->ended = 1;
    pajesim__abandon_definition(sim, PAJESIM_E_HEADER_OPEN);
    state->ended = 0;
    state->skip_definition = 0;
    pajesim__drop_definitions(sim, file->definitions);
    state->file = file->importer;
    state->depth--;
    state->line = file->importer_line;
    state->bom_state = 3;
    pajesim__free_text(sim, file->name);
    pajesim__free(sim, offset, sizeof *file);
}

PAJESIM_API pajesim_status pajesim_end_file(pajesim *sim)
{
    pajesim_status status;
    if (!sim)
        return PAJESIM_MISUSE;
    if (sim->busy)
        return PAJESIM_BUSY;
    if (!PAJESIM__FILE(PAJESIM__STATE(sim)))
        return PAJESIM_MISUSE;
    if (PAJESIM__STATE(sim)->stopped)
        return PAJESIM_STOPPED;
    pajesim__enter(sim);
    status = pajesim__flush_last_line(sim);
    if (status == PAJESIM_OK) {
        pajesim__leave_file(sim);
        if (sim->callback_result == PAJESIM_STOP) { /* by the problem callback, for an unterminated definition */
            PAJESIM__STATE(sim)->stopped = 1;
            status = PAJESIM_STOPPED;
        }
    }
    return pajesim__leave(sim, status);
}

/* ---- the end of the trace ---- */

static pajesim_status pajesim__close_all(pajesim *sim)
{
    pajesim__state *state = PAJESIM__STATE(sim);
    pajesim__cursor cursor = pajesim__begin_closing(state->root);
    int more = 1;
    while (more) {
        more = pajesim__close_step(sim, NULL, &cursor, state->finish_time);
        if (!more) {
            state->stage = PAJESIM__FINISHED;
            if (sim->callbacks->finished)
                pajesim__callback_returned(sim, sim->callbacks->finished(sim));
        } else if (sim->callback_result != PAJESIM_GO_ON) {
            if (sim->callback_result != PAJESIM_STOP)
                return PAJESIM_PAUSED;
            state->stage = PAJESIM__FINISHED;
            return PAJESIM_STOPPED;
        }
    }
    return state->counts.errors ? PAJESIM_INVALID : PAJESIM_OK;
}

static pajesim_status pajesim__finish(pajesim *sim, int has_time, pajesim_time time)
{
    pajesim__state *state = PAJESIM__STATE(sim);
    pajesim_status status;
    if (state->stage == PAJESIM__FINISHED)
        return PAJESIM_FINISHED;
    while (state->stage == PAJESIM__READING) {
        status = state->stopped ? PAJESIM_OK : pajesim__flush_last_line(sim);
        if (status != PAJESIM_OK && status != PAJESIM_STOPPED)
            return status;
        if (PAJESIM__FILE(state)) {
            pajesim__leave_file(sim);
            continue;
        }
        state->ended = 1;
        pajesim__abandon_definition(sim, PAJESIM_E_HEADER_OPEN);
        state->finish_time = has_time ? time : pajesim_count(sim)->last;
        state->stage = PAJESIM__CLOSING;
        sim->callback_result = PAJESIM_GO_ON; /* a stop before the end does not prevent closing */
    }
    if (PAJESIM__IS_PARSER(state)) {
        state->stage = PAJESIM__FINISHED;
        if (sim->callbacks->finished)
            pajesim__callback_returned(sim, sim->callbacks->finished(sim));
        return state->counts.errors ? PAJESIM_INVALID : PAJESIM_OK;
    }
    return pajesim__close_all(sim);
}

static pajesim_status pajesim__finish_checked(pajesim *sim, int has_time, pajesim_time time)
{
    if (!sim)
        return PAJESIM_MISUSE;
    if (sim->busy)
        return PAJESIM_BUSY;
    pajesim__enter(sim);
    return pajesim__leave(sim, pajesim__finish(sim, has_time, time));
}

PAJESIM_API pajesim_status pajesim_finish(pajesim *sim)
{
    return pajesim__finish_checked(sim, 0, 0);
}

PAJESIM_API pajesim_status pajesim_finish_at(pajesim *sim, pajesim_time time)
{
    return pajesim__finish_checked(sim, 1, time);
}

/* ---------------- src/pajesim/travel/walk.h */

/* The walk over all that is open, in an order that is the same for a simulation and for its restored image. */

#if PAJESIM_TRAVEL

/* The cursor of a walk, at a container, the states of one type on it, a variable, or a pending link.  A walk begins
 * with all zero. */
typedef struct pajesim__walk {
    pajesim_kind kind;
    uint32_t count;      /* number of states, the outermost first; else 1 */
    pajesim_ref ref;     /* container or link */
    pajesim_ref type;    /* of states and variables */
    pajesim__slot *slot; /* of states and variables */
    /* what comes next */
    pajesim_ref container, next_type;
    pajesim__offset next_link;
} pajesim__walk;

/* Returns the next container in preorder; 0 after the last one. */
static pajesim_ref pajesim__next_container(const pajesim *sim, pajesim_ref ref)
{
    if (PAJESIM__CONTAINER_AT(sim, ref)->tree.first)
        return PAJESIM__CONTAINER_AT(sim, ref)->tree.first;
    while (ref && !PAJESIM__CONTAINER_AT(sim, ref)->tree.next)
        ref = PAJESIM__RECORD(sim, ref)->parent;
    return ref ? PAJESIM__CONTAINER_AT(sim, ref)->tree.next : 0;
}

/* Advances to the next item; returns 0 after the last one. */
static int pajesim__walk_next(const pajesim *sim, pajesim__walk *walk)
{
    const pajesim__container *container = PAJESIM__CONTAINER_AT(sim, walk->container);
    while (walk->next_type) {
        walk->type = walk->next_type;
        walk->next_type = pajesim__next_slot_type(sim, container, walk->type);
        walk->kind = (pajesim_kind)PAJESIM__RECORD(sim, walk->type)->kind;
        walk->slot = pajesim__find_slot(sim, container, walk->type);
        walk->count = walk->kind == PAJESIM_STATE      ? walk->slot->open.stack.depth
                      : walk->kind == PAJESIM_VARIABLE ? PAJESIM__IS_SET(walk->slot)
                                                       : 0;
        if (walk->count)
            return 1;
    }
    walk->count = 1;
    if (walk->next_link) {
        walk->kind = PAJESIM_LINK;
        walk->ref = walk->next_link;
        walk->next_link = PAJESIM__AT(sim, const pajesim__link, walk->ref)->next;
        return 1;
    }
    walk->container = walk->container ? pajesim__next_container(sim, walk->container) : PAJESIM__CONST_STATE(sim)->root;
    if (!walk->container)
        return 0;
    container = PAJESIM__CONTAINER_AT(sim, walk->container);
    walk->kind = PAJESIM_CONTAINER;
    walk->ref = walk->container;
    walk->next_type = pajesim__next_slot_type(sim, container, 0);
    walk->next_link = container->links;
    return 1;
}

static pajesim__frame *pajesim__frame_of(const pajesim *sim, const pajesim__walk *walk, uint32_t depth)
{
    return PAJESIM__AT(sim, pajesim__frame, walk->slot->open.stack.frames) + depth;
}

/* Returns when the current item began; `depth`: of a state. */
static pajesim_time pajesim__start_at(const pajesim *sim, const pajesim__walk *walk, uint32_t depth)
{
    switch (walk->kind) {
    case PAJESIM_CONTAINER: return PAJESIM__CONTAINER_AT(sim, walk->ref)->start;
    case PAJESIM_LINK: return PAJESIM__AT(sim, const pajesim__link, walk->ref)->time;
    case PAJESIM_STATE: return pajesim__frame_of(sim, walk, depth)->start;
    default: return walk->slot->start;
    }
}

/* Returns the reference to the current item's user fields, which holds the bit PAJESIM__TRACKED. */
static pajesim__offset *pajesim__fields_at(const pajesim *sim, const pajesim__walk *walk, uint32_t depth)
{
    switch (walk->kind) {
    case PAJESIM_CONTAINER: return &PAJESIM__CONTAINER_AT(sim, walk->ref)->fields;
    case PAJESIM_LINK: return &PAJESIM__AT(sim, pajesim__link, walk->ref)->fields;
    case PAJESIM_STATE: return &pajesim__frame_of(sim, walk, depth)->fields;
    default: return &walk->slot->open.variable.fields;
    }
}

/* Sets the open index of the current item, for several states that of the first; returns the old one. */
static uint32_t pajesim__renumber(const pajesim *sim, const pajesim__walk *walk, uint32_t open_index)
{
    uint32_t *at, old_index;
    if (walk->kind == PAJESIM_VARIABLE) {
        old_index = walk->slot->open.variable.set >> 1;
        walk->slot->open.variable.set = open_index << 1 | 1;
        return old_index;
    }
    at = walk->kind == PAJESIM_CONTAINER ? &PAJESIM__CONTAINER_AT(sim, walk->ref)->aux.open_index
         : walk->kind == PAJESIM_LINK    ? &PAJESIM__AT(sim, pajesim__link, walk->ref)->open_index
                                         : &walk->slot->open.stack.open_index;
    old_index = *at;
    *at = open_index;
    return old_index;
}

static uint32_t pajesim__count_open(const pajesim *sim)
{
    pajesim__walk walk;
    uint32_t count = 0;
    memset(&walk, 0, sizeof walk);
    while (pajesim__walk_next(sim, &walk))
        count += walk.count;
    return count;
}
#endif /* PAJESIM_TRAVEL */

/* ---------------- src/pajesim/travel/check_blocks.h */

/* Whether an image is sound, part one: its blocks, tables and trees.
 *
 * A checksum protects an image against damage, not against forgery, as it can be computed again.  So nothing in an
 * image is trusted before it was found to be what a simulation could have written, as far as memory and the end of
 * loops depend on it.  Each block is claimed by the one that refers to it, so that no two overlap; a map of marks,
 * behind the arena, notes what was claimed as what, and so which references are valid. */

#if PAJESIM_TRAVEL

enum pajesim__mark {
    PAJESIM__FREE,
    PAJESIM__CLAIMED,        /* part of a block */
    PAJESIM__IS_CONTAINER,   /* a reference may point here, to a container, */
    PAJESIM__IS_RECORD,      /* a type or a value, */
    PAJESIM__IS_DEFINITION,
    PAJESIM__IS_LINK,
    PAJESIM__WAS_SEEN = 0x80 /* added to a mark: it is in a queue or list already */
};

#define PAJESIM__MARK_STEP 16u /* bytes: no class of blocks is smaller, and all are multiples */

typedef struct pajesim__check {
    pajesim *sim;
    unsigned char *marks; /* one for each PAJESIM__MARK_STEP bytes behind the state */
    uint32_t top;
    uint32_t used_latest; /* 1: what used_ids.latest refers to was found */
    int sound;            /* 0: the image is damaged */
} pajesim__check;

/* Bytes that are needed to restore an arena: itself, and the marks. */
static uint64_t pajesim__restore_size(uint64_t top)
{
    uint64_t marks = top > PAJESIM__STATE_SIZE ? (top - PAJESIM__STATE_SIZE) / PAJESIM__MARK_STEP : 0;
    return ((top + 7) & ~UINT64_C(7)) + marks;
}

/* Notes that the image is damaged unless something holds; returns whether it does. */
static int pajesim__holds(pajesim__check *check, int holds)
{
    check->sound &= holds != 0;
    return holds;
}

/* Whether `size` bytes from `offset` on lie behind the state and within the arena, and begin at a multiple of 8. */
static int pajesim__within(const pajesim__check *check, uint32_t offset, uint64_t size)
{
    return offset >= PAJESIM__STATE_SIZE && (offset - PAJESIM__STATE_SIZE) % 8 == 0 &&
           offset + size <= check->top;
}

static unsigned char *pajesim__mark_at(const pajesim__check *check, uint32_t offset)
{
    return check->marks + (offset - PAJESIM__STATE_SIZE) / PAJESIM__MARK_STEP;
}

/* Claims the block of `size` bytes at `offset`. */
static int pajesim__claim(pajesim__check *check, uint32_t offset, uint64_t size)
{
    unsigned char *mark;
    uint64_t whole;
    if (!pajesim__holds(check, size > 0 && size <= check->top && pajesim__within(check, offset, size) &&
                                   (offset - PAJESIM__STATE_SIZE) % PAJESIM__MARK_STEP == 0))
        return 0;
    whole = pajesim__class_size(pajesim__class_of((pajesim__size)size));
    if (!pajesim__holds(check, pajesim__within(check, offset, whole)))
        return 0;
    for (mark = pajesim__mark_at(check, offset); whole; whole -= PAJESIM__MARK_STEP) {
        if (!pajesim__holds(check, *mark == PAJESIM__FREE))
            return 0;
        *mark++ = PAJESIM__CLAIMED;
    }
    return 1;
}

static int pajesim__claim_text(pajesim__check *check, pajesim__text text)
{
    pajesim__length size;
    if (!text)
        return 1;
    if (!pajesim__holds(check, pajesim__within(check, text, sizeof size)))
        return 0;
    memcpy(&size, PAJESIM__BYTES(check->sim, text), sizeof size);
    return pajesim__claim(check, text, (uint64_t)size + sizeof size);
}

/* Whether an identifier can be read, which is within the arena. */
static int pajesim__id_is_readable(const pajesim__check *check, const pajesim__id *id)
{
    return id->size > 2 * PAJESIM__HALF ? pajesim__within(check, id->bytes, id->size) : !id->bytes;
}

static int pajesim__claim_id(pajesim__check *check, const pajesim__id *id)
{
    return pajesim__holds(check, pajesim__id_is_readable(check, id)) &&
           (!id->bytes || pajesim__claim(check, id->bytes, id->size));
}

/* ---- what references point to */

static int pajesim__is_marked(const pajesim__check *check, pajesim_ref ref, uint32_t remainder, unsigned mark)
{
    return pajesim__within(check, ref, 1) && (ref - PAJESIM__STATE_SIZE) % PAJESIM__MARK_STEP == remainder &&
           (*pajesim__mark_at(check, ref) & ~(unsigned)PAJESIM__WAS_SEEN) == mark;
}

static int pajesim__is_container(const pajesim__check *check, pajesim_ref ref)
{
    return pajesim__is_marked(check, ref, 0, PAJESIM__IS_CONTAINER);
}

static int pajesim__is_record(const pajesim__check *check, pajesim_ref ref, uint32_t tag)
{
    return pajesim__is_marked(check, ref, PAJESIM__RECORD_HEAD % PAJESIM__MARK_STEP, PAJESIM__IS_RECORD) &&
           PAJESIM__RECORD(check->sim, ref)->tag == tag;
}

static int pajesim__is_type(const pajesim__check *check, pajesim_ref ref)
{
    return pajesim__is_record(check, ref, PAJESIM__TYPE);
}

static int pajesim__is_container_type(const pajesim__check *check, pajesim_ref ref)
{
    return pajesim__is_type(check, ref) && PAJESIM__RECORD(check->sim, ref)->kind == PAJESIM_CONTAINER;
}

/* Marks what was claimed, once. */
static int pajesim__see(pajesim__check *check, uint32_t offset)
{
    unsigned char *mark = pajesim__mark_at(check, offset);
    if (!pajesim__holds(check, !(*mark & PAJESIM__WAS_SEEN)))
        return 0;
    *mark |= PAJESIM__WAS_SEEN;
    return 1;
}

/* ---- crit-bit trees: all leaves in order, each by way of the identifier of the one before */

/* Descends from the root of a tree towards an identifier, or, if that is NULL, to the leftmost leaf; returns the leaf,
 * 0 if the tree is damaged.  *turn: the last node where the way went left, 0 if there is none. */
static pajesim__offset pajesim__check_descent(pajesim__check *check, pajesim__offset at,
                                              const pajesim__critbit_key *full, pajesim__offset *turn)
{
    uint32_t byte = 0, mask = 256;
    *turn = 0;
    while (at & 1) {
        const pajesim__critbit_node *node;
        uint32_t side;
        if (!pajesim__holds(check, pajesim__within(check, at - 1, sizeof *node)))
            return 0;
        node = PAJESIM__CRITBIT_NODE_AT(check->sim, at);
        /* Bits are tested in order, so no way is without end. */
        if (!pajesim__holds(check, (node->byte > byte || (node->byte == byte && node->mask < mask)) && node->mask &&
                                       node->mask < 256 && !(node->mask & (node->mask - 1))))
            return 0;
        byte = node->byte;
        mask = node->mask;
        side = full && (pajesim__critbit_byte(full, byte) & mask) != 0;
        if (!side)
            *turn = at;
        at = node->below[side];
    }
    return pajesim__holds(check, pajesim__within(check, at, sizeof(pajesim__id)) &&
                                     pajesim__id_is_readable(check, PAJESIM__AT(check->sim, pajesim__id, at)))
               ? at
               : 0;
}

/* Returns the leaf after `leaf`, or the first one for 0; 0 after the last one, or if the tree is damaged.  With
 * `claims`, claims the node between both: the only one where the way to the one goes left and that to the other
 * right. */
static pajesim__offset pajesim__next_leaf(pajesim__check *check, pajesim__offset tree, pajesim__offset leaf, int claims)
{
    pajesim__critbit_key full;
    pajesim__offset turn, found;
    if (!tree)
        return 0;
    if (!leaf)
        return pajesim__check_descent(check, tree, NULL, &turn);
    full = pajesim__critbit_key_of(check->sim, PAJESIM__AT(check->sim, pajesim__id, leaf));
    if (!pajesim__holds(check, pajesim__check_descent(check, tree, &full, &turn) == leaf) || !turn)
        return 0;
    if (claims && !pajesim__claim(check, turn - 1, sizeof(pajesim__critbit_node)))
        return 0;
    found = pajesim__check_descent(check, PAJESIM__CRITBIT_NODE_AT(check->sim, turn)->below[1], NULL, &turn);
    return found;
}

/* ---- hash tables */

/* Goes through the records of a table. */
typedef struct pajesim__in_table {
    const pajesim__table *table;
    uint32_t slot, count;
    pajesim__offset leaf;
    int claims; /* 1: the first time: the table itself is checked */
} pajesim__in_table;

static pajesim__in_table pajesim__records_of(const pajesim__table *table, int claims)
{
    pajesim__in_table in;
    memset(&in, 0, sizeof in);
    in.table = table;
    in.claims = claims;
    return in;
}

/* Whether looking up the entry in a slot finds it there. */
static int pajesim__entry_is_sound(const pajesim__check *check, const pajesim__table *table, uint32_t slot)
{
    const pajesim__entry *entries = PAJESIM__AT(check->sim, const pajesim__entry, table->entries);
    const pajesim__entry *entry = &entries[slot];
    uint32_t mask = (UINT32_C(1) << table->log2) - 1, home = pajesim__table_home(entry->hash, table->log2), i;
    const pajesim__id *id = PAJESIM__AT(check->sim, const pajesim__id, entry->offset);
    if (!pajesim__within(check, entry->offset, sizeof *id) || !pajesim__id_is_readable(check, id) ||
        entry->hash != pajesim__hash_of_id(id) || ((slot - home) & mask) >= PAJESIM__PROBES)
        return 0;
    for (i = home; i != slot; i = (i + 1) & mask)
        if (!entries[i].offset)
            return 0;
    return 1;
}

static int pajesim__claim_table(pajesim__check *check, const pajesim__table *table)
{
    return pajesim__holds(check, table->log2 > 0 && table->log2 < 29 &&
                                     table->count <= (table->log2 < 17 ? 2u : 3u) << table->log2 >> 3) &&
           pajesim__claim(check, table->entries, (uint64_t)sizeof(pajesim__entry) << table->log2);
}

/* Returns the next record of a table; 0 after the last one, or if it is damaged. */
static pajesim__offset pajesim__next_in_table(pajesim__check *check, pajesim__in_table *in)
{
    const pajesim__table *table = in->table;
    if (in->claims && !in->slot && !pajesim__claim_table(check, table))
        return 0;
    while (check->sound && in->slot < UINT32_C(1) << table->log2) {
        const pajesim__entry *entry = PAJESIM__AT(check->sim, const pajesim__entry, table->entries) + in->slot++;
        if (!entry->offset) {
            pajesim__holds(check, !entry->hash);
            continue;
        }
        in->count++;
        if (!in->claims || pajesim__holds(check, pajesim__entry_is_sound(check, table, in->slot - 1)))
            return entry->offset;
    }
    in->leaf = check->sound ? pajesim__next_leaf(check, table->tree, in->leaf, in->claims) : 0;
    in->count += in->leaf != 0;
    pajesim__holds(check, in->leaf ? in->count <= table->count : in->count == table->count);
    return check->sound ? in->leaf : 0;
}
#endif /* PAJESIM_TRAVEL */

/* ---------------- src/pajesim/travel/check_image.h */

/* Whether an image is sound, part two: what its records hold, and how they refer to each other. */

#if PAJESIM_TRAVEL

/* ---- records by themselves: their blocks are claimed, and they are marked */

/* Claims what types, values and containers have alike. */
static int pajesim__check_record(pajesim__check *check, const pajesim__record *record, uint32_t tag)
{
    return pajesim__holds(check, record->tag == tag && record->kind >= PAJESIM_CONTAINER &&
                                     record->kind <= PAJESIM_LINK) &&
           pajesim__claim_id(check, &record->id) && pajesim__claim_text(check, record->name) &&
           pajesim__claim_text(check, record->color);
}

static void pajesim__check_named(pajesim__check *check, pajesim_ref ref, uint32_t tag, uint32_t size)
{
    if (pajesim__holds(check, ref >= PAJESIM__STATE_SIZE + PAJESIM__RECORD_HEAD) &&
        pajesim__claim(check, (uint32_t)(ref - PAJESIM__RECORD_HEAD), size) &&
        pajesim__check_record(check, PAJESIM__RECORD(check->sim, ref), tag))
        *pajesim__mark_at(check, ref) = PAJESIM__IS_RECORD;
}

/* Claims the late slots of a container, which are a ring. */
static void pajesim__claim_late_slots(pajesim__check *check, const pajesim__container *container)
{
    pajesim__offset at = container->late;
    if (at)
        do
            at = pajesim__claim(check, at, sizeof(pajesim__late_slot)) ? PAJESIM__LATE_SLOT_AT(check->sim, at)->next
                                                                       : container->late;
        while (at != container->late);
}

static void pajesim__check_container(pajesim__check *check, pajesim_ref ref)
{
    const pajesim__container *container = PAJESIM__CONTAINER_AT(check->sim, ref);
    if (!pajesim__holds(check, ref >= PAJESIM__STATE_SIZE + PAJESIM__CONTAINER_HEAD &&
                                   pajesim__within(check, ref, PAJESIM__CONTAINER_REST)) ||
        !pajesim__holds(check, container->own_slots == PAJESIM__EARLY_SLOTS(container->own_slots) &&
                                   container->slot_count == PAJESIM__EARLY_SLOTS(container->slot_count)) ||
        !pajesim__claim(check, (uint32_t)(ref - PAJESIM__CONTAINER_HEAD),
                        pajesim__container_size(container->own_slots)) ||
        !pajesim__check_record(check, &container->record, PAJESIM__CONTAINER))
        return;
    *pajesim__mark_at(check, ref) = PAJESIM__IS_CONTAINER;
    pajesim__holds(check, container->refs < check->top && container->record.kind == PAJESIM_CONTAINER);
    if (!container->type)
        pajesim__holds(check, !container->slot_count && !container->links && !container->fields && !container->late &&
                                  !container->tree.first && !container->tree.next && !container->tree.previous);
    else if (container->slot_count > container->own_slots)
        pajesim__claim(check, container->slots, pajesim__slots_size(container->slot_count));
    else
        pajesim__holds(check, container->slot_count == container->own_slots &&
                                  (!container->own_slots || container->slots == PAJESIM__OWN_SLOTS(ref)));
    if (container->type)
        pajesim__holds(check, container->type == container->declared_type &&
                                  container->record.flags == PAJESIM__LISTED);
    pajesim__claim_late_slots(check, container);
}

/* Claims a definition.  `whole`: it has its %EndEventDef. */
static void pajesim__check_definition(pajesim__check *check, pajesim__offset offset, int whole)
{
    const pajesim *sim = check->sim;
    const pajesim__definition *definition = PAJESIM__DEFINITION_AT(sim, offset);
    uint32_t i, role, first = 0, users = 0, own = 0;
    if (!pajesim__claim(check, offset, sizeof *definition) || !pajesim__claim_id(check, &definition->id) ||
        !pajesim__claim_text(check, definition->name) ||
        !pajesim__holds(check, definition->event < PAJESIM_EVENT_COUNT && definition->count < PAJESIM_WORDS &&
                                   definition->refs < check->top) ||
        !pajesim__holds(check, definition->kind == (pajesim__functions_and_kinds[definition->event] & 7) &&
                                   definition->function == pajesim__functions_and_kinds[definition->event] >> 3) ||
        (definition->count && !pajesim__claim(check, definition->fields, definition->count)) ||
        (definition->user_names &&
         !pajesim__claim(check, definition->names, pajesim__names_size(definition->user_names))))
        return;
    for (i = 0; i < definition->count; i++) {
        role = PAJESIM__ROLE_OF(sim, definition, i);
        pajesim__holds(check, PAJESIM__TYPE_OF(sim, definition, i) < PAJESIM__FIELD_TYPES);
        own += role == PAJESIM_USER_FIELD;
        if (whole && pajesim__is_user_field(definition, role)) {
            if (!users++)
                first = i + 1;
            if (first + users != i + 2)
                first = UINT32_MAX / 2; /* they are not adjacent */
        }
    }
    for (role = 1; role < PAJESIM_ROLE_COUNT; role++)
        pajesim__holds(check, definition->word[role] <= definition->count &&
                                  (definition->word[role]
                                       ? PAJESIM__ROLE_OF(sim, definition, definition->word[role] - 1u) == role
                                       : !whole || !PAJESIM__REQUIRES(definition->event, role)));
    if (!pajesim__holds(check, definition->user_count == users && definition->user_names == own) ||
        !pajesim__holds(check, definition->word[PAJESIM_USER_FIELD] ==
                                   (users && first <= definition->count ? first : 0)))
        return;
    for (i = 0; i < own; i++)
        pajesim__claim_text(check, PAJESIM__AT(sim, const pajesim__text, definition->names)[i]);
    *pajesim__mark_at(check, offset) = PAJESIM__IS_DEFINITION;
}

static void pajesim__check_link(pajesim__check *check, pajesim__offset offset)
{
    const pajesim__link *link = PAJESIM__AT(check->sim, const pajesim__link, offset);
    if (pajesim__claim(check, offset, sizeof *link) && pajesim__claim_id(check, &link->id) &&
        pajesim__claim_text(check, link->value_text))
        *pajesim__mark_at(check, offset) = PAJESIM__IS_LINK;
}

/* Claims a destroyed container that no identifier finds, and those that it was in. */
static void pajesim__check_destroyed(pajesim__check *check, pajesim_ref ref)
{
    while (check->sound && ref && !pajesim__is_container(check, ref)) {
        pajesim__check_container(check, ref);
        if (!check->sound || !pajesim__holds(check, !PAJESIM__CONTAINER_AT(check->sim, ref)->type &&
                                                        !(PAJESIM__RECORD(check->sim, ref)->flags & PAJESIM__LISTED)))
            return;
        ref = PAJESIM__RECORD(check->sim, ref)->parent;
    }
}

/* Claims all records: first those that tables find. */
static void pajesim__check_records(pajesim__check *check)
{
    pajesim__state *state = PAJESIM__STATE(check->sim);
    pajesim__in_table in = pajesim__records_of(&state->definitions, 1);
    pajesim_ref ref;
    while ((ref = pajesim__next_in_table(check, &in)) != 0) {
        pajesim__check_definition(check, ref, 1);
        pajesim__holds(check, check->sound && !PAJESIM__DEFINITION_AT(check->sim, ref)->ended);
    }
    in = pajesim__records_of(&state->types, 1);
    while ((ref = pajesim__next_in_table(check, &in)) != 0)
        pajesim__check_named(check, ref, PAJESIM__TYPE, sizeof(pajesim__type));
    in = pajesim__records_of(&state->values, 1);
    while ((ref = pajesim__next_in_table(check, &in)) != 0) {
        pajesim__check_named(check, ref, PAJESIM__VALUE, sizeof(pajesim__value));
        pajesim__holds(check, check->sound && PAJESIM__VALUE_AT(check->sim, ref)->refs < check->top);
    }
    in = pajesim__records_of(&state->containers, 1);
    while ((ref = pajesim__next_in_table(check, &in)) != 0) {
        pajesim__check_container(check, ref);
        pajesim__holds(check, check->sound && PAJESIM__RECORD(check->sim, ref)->flags & PAJESIM__LISTED);
    }
    in = pajesim__records_of(&state->links, 1);
    while ((ref = pajesim__next_in_table(check, &in)) != 0)
        pajesim__check_link(check, ref);
    in = pajesim__records_of(&state->containers, 0);
    while ((ref = pajesim__next_in_table(check, &in)) != 0)
        if (!PAJESIM__CONTAINER_AT(check->sim, ref)->type)
            pajesim__check_destroyed(check, PAJESIM__RECORD(check->sim, ref)->parent);
    in = pajesim__records_of(&state->links, 0);
    while ((ref = pajesim__next_in_table(check, &in)) != 0)
        pajesim__check_destroyed(check, PAJESIM__AT(check->sim, pajesim__link, ref)->end_point);
}

/* ---- queues of what may be freed */

static void pajesim__check_queue(pajesim__check *check, const pajesim__queue *queue, uint32_t tag)
{
    pajesim__offset offset = queue->first, last = 0;
    uint32_t count;
    for (count = 0; check->sound && count < queue->count; count++) {
        if (tag == PAJESIM__CONTAINER)
            pajesim__check_destroyed(check, offset);
        if (!check->sound ||
            !pajesim__holds(check, tag == PAJESIM__CONTAINER ? pajesim__is_container(check, offset)
                                                             : pajesim__is_record(check, offset, tag)) ||
            !pajesim__holds(check, PAJESIM__RECORD(check->sim, offset)->flags & PAJESIM__QUEUED) ||
            !pajesim__see(check, offset))
            return;
        last = offset;
        offset = tag == PAJESIM__CONTAINER ? PAJESIM__CONTAINER_AT(check->sim, offset)->aux.next
                                           : PAJESIM__VALUE_AT(check->sim, offset)->next;
    }
    pajesim__holds(check, queue->count ? queue->last == last && !offset : !queue->first);
}

/* ---- references: counts go down by one for each, and, in a second pass, up again */

static void pajesim__count_ref(pajesim__check *check, pajesim__length *refs, int second)
{
    if (second)
        ++*refs;
    else if (pajesim__holds(check, *refs > 0))
        --*refs;
}

/* User fields of what is open. */
static void pajesim__check_fields(pajesim__check *check, pajesim__offset offset, int second)
{
    const pajesim__fields *kept;
    const pajesim__length *spans;
    uint32_t i;
    offset &= (pajesim__offset)~PAJESIM__TRACKED;
    kept = PAJESIM__AT(check->sim, const pajesim__fields, offset);
    if (!offset)
        return;
    if (!second) {
        if (!pajesim__holds(check, pajesim__within(check, offset, sizeof *kept)) ||
            !pajesim__claim(check, offset, pajesim__fields_size(kept->count, kept->size)))
            return;
        spans = (const pajesim__length *)(const void *)(kept + 1);
        for (i = 0; i < kept->count; i++)
            pajesim__holds(check, (uint64_t)spans[2 * i] + spans[2 * i + 1] <= kept->size);
        if (!pajesim__is_marked(check, kept->definition, 0, PAJESIM__IS_DEFINITION)) { /* its file has ended */
            pajesim__check_definition(check, kept->definition, 1);
            if (check->sound)
                pajesim__holds(check, PAJESIM__DEFINITION_AT(check->sim, kept->definition)->ended);
        }
        if (!check->sound ||
            !pajesim__holds(check, kept->count == PAJESIM__DEFINITION_AT(check->sim, kept->definition)->user_count))
            return;
    }
    pajesim__count_ref(check, &PAJESIM__DEFINITION_AT(check->sim, kept->definition)->refs, second);
}

static void pajesim__check_stack(pajesim__check *check, pajesim__slot *slot, pajesim_ref type, int second)
{
    uint32_t i;
    pajesim__frame *frame;
    if (!second && (!pajesim__holds(check, slot->open.stack.depth <= slot->open.stack.capacity) ||
                    (slot->open.stack.capacity &&
                     !pajesim__claim(check, slot->open.stack.frames, pajesim__stack_size(slot->open.stack.capacity)))))
        return;
    for (i = 0; i < slot->open.stack.depth && check->sound; i++) {
        frame = PAJESIM__AT(check->sim, pajesim__frame, slot->open.stack.frames) + i;
        if (!second && (!pajesim__holds(check, pajesim__is_record(check, frame->value, PAJESIM__VALUE)) ||
                        !pajesim__holds(check, PAJESIM__RECORD(check->sim, frame->value)->parent == type)))
            return;
        if (PAJESIM__RECORD(check->sim, frame->value)->flags & PAJESIM__IMPLICIT)
            pajesim__count_ref(check, &PAJESIM__VALUE_AT(check->sim, frame->value)->refs, second);
        pajesim__check_fields(check, frame->fields, second);
    }
}

/* Checks the types of a container's late slots, and makes their tree again, so that it is sound. */
static void pajesim__check_late_slots(pajesim__check *check, pajesim__container *container)
{
    const pajesim *sim = check->sim;
    pajesim__offset first = container->late, at = first;
    container->late = 0;
    while (at && check->sound) {
        pajesim_ref type = PAJESIM__LATE_SLOT_AT(sim, at)->type;
        if (!pajesim__holds(check, pajesim__is_type(check, type)))
            return;
        pajesim__holds(check, PAJESIM__RECORD(sim, type)->parent == container->declared_type &&
                                  PAJESIM__RECORD(sim, type)->kind != PAJESIM_CONTAINER &&
                                  PAJESIM__IS_LATE(PAJESIM__TYPE_AT(sim, type)) &&
                                  pajesim__add_late_slot(check->sim, container, at));
        at = PAJESIM__LATE_SLOT_AT(sim, at)->next;
        at = at == first ? 0 : at;
    }
    pajesim__holds(check, container->late == first);
}

/* What is open on a container that is alive. */
static void pajesim__check_open(pajesim__check *check, pajesim__container *container, int second)
{
    pajesim__slot *slots = PAJESIM__AT(check->sim, pajesim__slot, container->slots);
    const pajesim__type *declared = PAJESIM__TYPE_AT(check->sim, container->declared_type);
    pajesim_ref ref = 0;
    uint32_t i, k;
    if (!second)
        pajesim__check_late_slots(check, container);
    while (check->sound && (ref = pajesim__next_slot_type(check->sim, container, ref)) != 0) {
        pajesim__slot *slot = pajesim__find_slot(check->sim, container, ref);
        pajesim_kind kind = (pajesim_kind)PAJESIM__RECORD(check->sim, ref)->kind;
        if (kind == PAJESIM_STATE)
            pajesim__check_stack(check, slot, ref, second);
        else /* nothing is open, or a variable */
            pajesim__check_fields(check, slot->open.variable.fields, second);
    }
    for (i = declared->of.slots; i < container->slot_count; i++) /* of types to come */
        for (k = 0; k < sizeof slots[i].open; k++)
            pajesim__holds(check, !((const unsigned char *)&slots[i].open)[k]);
    pajesim__check_fields(check, container->fields, second);
}

/* The pending links of a container, which are a list. */
static void pajesim__check_links(pajesim__check *check, pajesim_ref ref, int second)
{
    const pajesim *sim = check->sim;
    pajesim__offset offset = PAJESIM__CONTAINER_AT(sim, ref)->links, previous = 0;
    for (; offset && check->sound; offset = PAJESIM__AT(sim, pajesim__link, previous)->next) {
        const pajesim__link *link = PAJESIM__AT(sim, const pajesim__link, offset);
        if (!second && (!pajesim__holds(check, pajesim__is_marked(check, offset, 0, PAJESIM__IS_LINK)) ||
                        !pajesim__see(check, offset) ||
                        !pajesim__holds(check, link->previous == previous && link->id.scope == ref &&
                                                   pajesim__is_container(check, link->end_point)) ||
                        !pajesim__holds(check, pajesim__is_type(check, link->id.subscope)) ||
                        !pajesim__holds(check, PAJESIM__RECORD(sim, link->id.subscope)->kind == PAJESIM_LINK) ||
                        (link->value &&
                         (!pajesim__holds(check, pajesim__is_record(check, link->value, PAJESIM__VALUE)) ||
                          !pajesim__holds(check, !(PAJESIM__RECORD(sim, link->value)->flags & PAJESIM__IMPLICIT))))))
            return;
        if (!second) /* its completion changes its slot */
            pajesim__holds(check, pajesim__slot_of(sim, ref, link->id.subscope) != NULL);
        pajesim__count_ref(check, &PAJESIM__CONTAINER_AT(sim, link->end_point)->refs, second);
        pajesim__check_fields(check, link->fields, second);
        previous = offset;
    }
}

/* Goes through all containers, by their marks. */
static void pajesim__check_references(pajesim__check *check, int second)
{
    pajesim *sim = check->sim;
    pajesim_ref ref = (pajesim_ref)PAJESIM__STATE_SIZE, parent;
    for (; check->sound && ref < check->top; ref += PAJESIM__MARK_STEP) {
        pajesim__container *container = PAJESIM__CONTAINER_AT(sim, ref);
        if (!pajesim__is_container(check, ref))
            continue;
        parent = container->record.parent;
        if (!second && (!pajesim__holds(check, pajesim__is_container_type(check, container->declared_type)) ||
                        !pajesim__holds(check, ref == PAJESIM__STATE(sim)->root
                                                   ? !parent
                                                   : pajesim__is_container(check, parent)) ||
                        !pajesim__holds(check, !parent ||
                                                   PAJESIM__CONTAINER_AT(sim, parent)->serial < container->serial)))
            return;
        if (!second) /* whether it is queued is known from its flag, too */
            pajesim__holds(check, !(container->record.flags & PAJESIM__QUEUED) ==
                                      !(*pajesim__mark_at(check, ref) & PAJESIM__WAS_SEEN));
        if (container->type) {
            pajesim__check_open(check, container, second);
            pajesim__check_links(check, ref, second);
        } else if (parent) {
            pajesim__count_ref(check, &PAJESIM__CONTAINER_AT(sim, parent)->refs, second);
        }
    }
}

/* Each link that is found by its key is pending on a container. */
static void pajesim__check_all_links(pajesim__check *check)
{
    pajesim__in_table in = pajesim__records_of(&PAJESIM__STATE(check->sim)->links, 0);
    pajesim__offset offset;
    while ((offset = pajesim__next_in_table(check, &in)) != 0)
        pajesim__holds(check, *pajesim__mark_at(check, offset) & PAJESIM__WAS_SEEN);
}

/* ---- types and values */

static void pajesim__check_types(pajesim__check *check)
{
    const pajesim *sim = check->sim;
    pajesim__state *state = PAJESIM__STATE(check->sim);
    pajesim__in_table in = pajesim__records_of(&state->types, 0);
    pajesim_ref ref;
    while ((ref = pajesim__next_in_table(check, &in)) != 0) {
        const pajesim__type *type = PAJESIM__TYPE_AT(sim, ref);
        pajesim_ref parent = type->record.parent;
        if (!pajesim__holds(check, ref == state->root_type ? !parent && type->record.kind == PAJESIM_CONTAINER
                                                           : pajesim__is_container_type(check, parent)))
            return;
        if (type->record.kind == PAJESIM_LINK)
            pajesim__holds(check, pajesim__is_container_type(check, type->of.link.start_type) &&
                                      pajesim__is_container_type(check, type->of.link.end_type));
#if PAJESIM_CHECKS
        if (!pajesim__holds(check, pajesim__is_type(check, type->jump)))
            return;
        pajesim__holds(check, parent ? type->depth == PAJESIM__TYPE_AT(sim, parent)->depth + 1 &&
                                           PAJESIM__TYPE_AT(sim, type->jump)->depth < type->depth
                                     : !type->depth);
#endif
    }
    in = pajesim__records_of(&state->values, 0);
    while ((ref = pajesim__next_in_table(check, &in)) != 0) {
        const pajesim__record *record = PAJESIM__RECORD(sim, ref);
        if (!pajesim__holds(check, pajesim__is_type(check, record->parent) && record->id.scope == record->parent))
            return;
        pajesim__holds(check, record->kind == PAJESIM__RECORD(sim, record->parent)->kind &&
                                  (!(record->flags & PAJESIM__IMPLICIT) || record->kind == PAJESIM_STATE) &&
                                  !(record->flags & PAJESIM__QUEUED) ==
                                      !(*pajesim__mark_at(check, ref) & PAJESIM__WAS_SEEN));
    }
}

/* ---- trees */

static int pajesim__is_in_tree(const pajesim__check *check, pajesim_ref ref, uint32_t tag)
{
    return tag == PAJESIM__TYPE ? pajesim__is_type(check, ref)
                                : pajesim__is_container(check, ref) && PAJESIM__CONTAINER_AT(check->sim, ref)->type;
}

/* Checks the tree from its root on, which must have `count` records: each is the next one of exactly one other. */
static void pajesim__check_tree(pajesim__check *check, pajesim_ref root, uint32_t tag, uint32_t count)
{
    const pajesim *sim = check->sim;
    pajesim_ref ref = root, entity;
    uint32_t slots;
    if (!pajesim__holds(check, !pajesim__tree_of(sim, root)->next && !pajesim__tree_of(sim, root)->previous &&
                                   !PAJESIM__RECORD(sim, root)->parent))
        return;
    while (ref && check->sound) {
        const pajesim__tree *tree = pajesim__tree_of(sim, ref);
        pajesim_ref child, previous = 0;
        slots = 0;
        entity = ref;
        for (child = tree->first; child && check->sound; child = pajesim__tree_of(sim, previous)->next) {
            if (!pajesim__holds(check, count > 1 && pajesim__is_in_tree(check, child, tag)) ||
                !pajesim__holds(check, PAJESIM__RECORD(sim, child)->parent == ref &&
                                           pajesim__tree_of(sim, child)->previous == previous))
                return;
            if (tag == PAJESIM__TYPE && PAJESIM__RECORD(sim, child)->kind != PAJESIM_CONTAINER) {
                pajesim__holds(check, PAJESIM__TYPE_AT(sim, child)->slot == slots++ &&
                                          PAJESIM__TYPE_AT(sim, entity)->next_entity == child);
                entity = child;
            }
            previous = child;
            count--;
        }
        pajesim__holds(check, tree->last == previous);
        if (tag == PAJESIM__TYPE && PAJESIM__RECORD(sim, ref)->kind == PAJESIM_CONTAINER)
            pajesim__holds(check, PAJESIM__TYPE_AT(sim, ref)->of.slots == slots && !PAJESIM__TYPE_AT(sim, ref)->slot &&
                                      !PAJESIM__TYPE_AT(sim, entity)->next_entity);
        if (tree->first) {
            ref = tree->first;
            continue;
        }
        while (ref && !pajesim__tree_of(sim, ref)->next)
            ref = PAJESIM__RECORD(sim, ref)->parent;
        ref = ref ? pajesim__tree_of(sim, ref)->next : 0;
    }
    pajesim__holds(check, count == 1);
}

static void pajesim__check_trees(pajesim__check *check)
{
    const pajesim__state *state = PAJESIM__CONST_STATE(check->sim);
    pajesim__in_table in = pajesim__records_of(&state->containers, 0);
    uint32_t alive = 0;
    pajesim_ref ref;
    pajesim__check_tree(check, state->root_type, PAJESIM__TYPE, state->types.count);
    while ((ref = pajesim__next_in_table(check, &in)) != 0)
        alive += PAJESIM__CONTAINER_AT(check->sim, ref)->type != 0;
    if (pajesim__holds(check, PAJESIM__CONTAINER_AT(check->sim, state->root)->type ? alive > 0 : alive == 0) && alive)
        pajesim__check_tree(check, state->root, PAJESIM__CONTAINER, alive);
}

/* ---- identifiers that were used */

/* Returns the next bucket of the chain; 0 after the last one, or if this one is damaged. */
static pajesim__offset pajesim__check_bucket(pajesim__check *check, const pajesim__used_ids *used, uint32_t number,
                                             pajesim__offset offset)
{
    const pajesim__bucket *bucket = PAJESIM__AT(check->sim, const pajesim__bucket, offset);
    uint32_t i;
    if (!pajesim__claim(check, offset, sizeof *bucket) || !pajesim__holds(check, bucket->count <= PAJESIM__BUCKET))
        return 0;
    for (i = 0; i < bucket->count; i++)
        pajesim__holds(check, pajesim__bucket_index(used, bucket->fingerprints[i]) == number);
    i = (uint32_t)(offset + offsetof(pajesim__bucket, fingerprints));
    if (used->latest >= i && used->latest < i + bucket->count * sizeof(pajesim__half))
        check->used_latest = (used->latest - i) % sizeof(pajesim__half) == 0;
    return bucket->next;
}

static void pajesim__check_used_ids(pajesim__check *check)
{
    const pajesim__used_ids *used = &PAJESIM__STATE(check->sim)->used_ids;
    const pajesim__offset *directory = PAJESIM__AT(check->sim, const pajesim__offset, used->directory);
    pajesim__offset offset;
    uint32_t number;
    check->used_latest = !used->latest;
    if (!pajesim__holds(check, used->buckets <= used->capacity) ||
        (used->capacity &&
         !pajesim__claim(check, used->directory, used->capacity * (uint64_t)sizeof(pajesim__offset))))
        return;
    for (number = 0; number < used->buckets; number++)
        for (offset = directory[number]; offset && check->sound;)
            offset = pajesim__check_bucket(check, used, number, offset);
    for (offset = 0; check->sound && (offset = pajesim__next_leaf(check, used->tree, offset, 1)) != 0;)
        if (pajesim__claim(check, offset, sizeof(pajesim__id)))
            pajesim__holds(check, PAJESIM__AT(check->sim, const pajesim__id, offset)->size == sizeof(pajesim__half));
    pajesim__holds(check, (int)check->used_latest);
}

/* ---- the rest of the state */

static void pajesim__check_files(pajesim__check *check)
{
    const pajesim__state *state = PAJESIM__CONST_STATE(check->sim);
    pajesim__offset offset = state->file, definition;
    uint32_t depth = 0;
    pajesim__holds(check, PAJESIM_FILES || !offset);
    for (; offset && check->sound; depth++) {
        const pajesim__file *file = PAJESIM__AT(check->sim, const pajesim__file, offset);
        if (!pajesim__claim(check, offset, sizeof *file) || !pajesim__claim_text(check, file->name) ||
            !pajesim__holds(check, file->name != 0))
            return;
        for (definition = file->definitions; definition;
             definition = PAJESIM__DEFINITION_AT(check->sim, definition)->next)
            if (!pajesim__holds(check, pajesim__is_marked(check, definition, 0, PAJESIM__IS_DEFINITION)) ||
                !pajesim__holds(check, !PAJESIM__DEFINITION_AT(check->sim, definition)->ended) ||
                !pajesim__see(check, definition))
                return;
        offset = file->importer;
    }
    pajesim__holds(check, depth == state->depth && !state->next_file);
}

static void pajesim__check_state(pajesim__check *check)
{
    const pajesim__state *state = PAJESIM__CONST_STATE(check->sim);
    pajesim__offset offset;
    uint32_t size_class;
    pajesim__holds(check, state->heap.top == check->top && check->top > PAJESIM__STATE_SIZE &&
                              (check->top - PAJESIM__STATE_SIZE) % PAJESIM__MARK_STEP == 0 &&
                              state->line_capacity >= 16 && state->line_capacity <= check->top &&
                              (state->remembered || !PAJESIM_REPAIRS) &&
                              state->cut <= PAJESIM__IN_LONG_LINE &&
                              state->stage <= PAJESIM__FINISHED && state->bom_state <= 3);
    pajesim__holds(check, state->problem.code < PAJESIM_E_COUNT && state->problem.severity <= PAJESIM_ERROR &&
                              state->problem.size <= sizeof state->problem.bytes);
    for (size_class = 0; size_class < PAJESIM__CLASSES; size_class++)
        for (offset = state->heap.free_list[size_class]; offset && check->sound;)
            if (pajesim__claim(check, offset, pajesim__class_size(size_class)))
                memcpy(&offset, PAJESIM__BYTES(check->sim, offset), sizeof offset);
    if (pajesim__claim(check, state->carry, state->carry_capacity))
        pajesim__holds(check, state->carry_size < state->carry_capacity);
}

/* The definition that is not ended yet will be the only one of its number, and is in no list. */
static void pajesim__check_open_definition(pajesim__check *check, pajesim__offset offset)
{
    const pajesim__definition *definition = PAJESIM__DEFINITION_AT(check->sim, offset);
    pajesim__key number;
    pajesim_text text;
    pajesim__check_definition(check, offset, 0);
    if (!check->sound || !pajesim__see(check, offset))
        return;
    text = pajesim__id_text(check->sim, &definition->id);
    number = pajesim__key_of(text.bytes, (uint32_t)text.size);
    pajesim__holds(check, !definition->refs && number.lo == definition->id.lo && number.hi == definition->id.hi &&
                              !pajesim__table_find(check->sim, &PAJESIM__CONST_STATE(check->sim)->definitions, &number,
                                                   definition->id.scope, definition->id.subscope));
}

/* Whether an arena that was restored is sound.  The marks lie behind it: see pajesim__restore_size. */
static int pajesim__image_is_sound(pajesim *sim, uint32_t top)
{
    const pajesim__state *state = PAJESIM__CONST_STATE(sim);
    pajesim__check check;
    memset(&check, 0, sizeof check);
    check.sim = sim;
    check.top = top;
    check.sound = 1;
    check.marks = sim->arena + ((top + UINT64_C(7)) & ~UINT64_C(7));
    memset(check.marks, 0, (size_t)(pajesim__restore_size(top) - ((top + UINT64_C(7)) & ~UINT64_C(7))));
    pajesim__check_state(&check);
    if (check.sound)
        pajesim__check_records(&check);
    if (check.sound && state->defining)
        pajesim__check_open_definition(&check, state->defining);
    if (check.sound)
        pajesim__check_queue(&check, &state->destroyed, PAJESIM__CONTAINER);
    if (check.sound)
        pajesim__check_queue(&check, &state->unused_values, PAJESIM__VALUE);
    pajesim__holds(&check, pajesim__is_container(&check, state->root) && pajesim__is_type(&check, state->root_type) &&
                               (state->stage == PAJESIM__FINISHED || PAJESIM__CONTAINER_AT(sim, state->root)->type));
    if (check.sound)
        pajesim__check_types(&check);
    if (check.sound)
        pajesim__check_trees(&check);
    if (check.sound)
        pajesim__check_references(&check, 0);
    if (check.sound)
        pajesim__check_all_links(&check);
    if (check.sound)
        pajesim__check_references(&check, 1);
    if (check.sound)
        pajesim__check_files(&check);
    if (check.sound)
        pajesim__check_used_ids(&check);
    return check.sound;
}
#endif /* PAJESIM_TRAVEL */

/* ---------------- src/pajesim/travel/image.h */

/* Images: a simulation as bytes, packed and with a checksum, and back. */

#define PAJESIM__MAGIC UINT32_C(0x50414A31) /* differs in the other byte order */

/* The header of an image. */
typedef struct pajesim__image {
    uint32_t magic;
    uint32_t version;
    uint32_t layout; /* layout fingerprint: differs where images are not compatible */
    uint32_t size;   /* bytes that follow */
    uint64_t checksum;
#if PAJESIM_TRAVEL
    uint64_t top; /* size of the arena when it is unpacked */
#endif
} pajesim__image;
#define PAJESIM__IMAGE_MEMBERS(X, T) \
    X(T, magic) X(T, version) X(T, layout) X(T, size) X(T, checksum) PAJESIM__IF_TRAVEL(X(T, top))

#if PAJESIM_TRAVEL
/* A run of zero words, then one of literal words, of 8 bytes each, which may contain single zero words.  The bytes
 * after the last whole word come at the end. */
typedef struct pajesim__run {
    uint32_t zeros, literals;
} pajesim__run;
#define PAJESIM__RUN_MEMBERS(X, T) \
    X(T, zeros) X(T, literals)

#define PAJESIM__TOP(head) ((head)->top)
#define PAJESIM__TRUNCATED PAJESIM_DAMAGED
#define PAJESIM__RESTORE_SIZE(top) pajesim__restore_size(top)
#define PAJESIM__IS_SOUND(sim, top) pajesim__image_is_sound(sim, top)
#else
#define PAJESIM__TOP(head) ((head)->size)
#define PAJESIM__TRUNCATED PAJESIM_INCOMPATIBLE
#define PAJESIM__RESTORE_SIZE(top) (top)
#define PAJESIM__IS_SOUND(sim, top) 1
#endif

/* ---- the layout: images are exchanged only where each member of each record has the same place ---- */

/* A hash of a name's length and of five of its characters.  Compilers compute it, but only if they optimize: of all
 * characters, gcc -O0 makes 100 KB of code, and takes four times as long for this header.  tests/builds/layout.sh
 * checks that the names of members differ in these. */
#define PAJESIM__CHAR(text, i) ((uint32_t)(unsigned char)(text)[i])
#define PAJESIM__HASH_NAME(text) \
    ((((((uint32_t)sizeof(text) * 31u + PAJESIM__CHAR(text, 0)) * 31u + PAJESIM__CHAR(text, sizeof(text) / 2)) * 31u + \
       PAJESIM__CHAR(text, sizeof(text) * 2 / 3)) * 31u + PAJESIM__CHAR(text, sizeof(text) * 3 / 4)) * 31u + \
     PAJESIM__CHAR(text, sizeof(text) - 2))

#define PAJESIM__HASH_MEMBER(type, member) \
    +PAJESIM__HASH_NAME(#member) * ((uint32_t)offsetof(type, member) * UINT32_C(0x9E3779B1) + \
                                 (uint32_t)sizeof(((type *)0)->member))
#define PAJESIM__HASH_RECORD(type, members) \
    +(PAJESIM__HASH_NAME(#type) | 1u) * ((uint32_t)sizeof(type) members(PAJESIM__HASH_MEMBER, type))

/* The records of an image: X(type, members). */
#define PAJESIM__RECORDS(X) \
    X(pajesim__heap, PAJESIM__HEAP_MEMBERS) \
    X(pajesim__id, PAJESIM__ID_MEMBERS) \
    X(pajesim__table, PAJESIM__TABLE_MEMBERS) \
    PAJESIM__IF_32(X(pajesim__entry, PAJESIM__ENTRY_MEMBERS)) \
    PAJESIM__IF_32(X(pajesim__critbit_node, PAJESIM__CRITBIT_NODE_MEMBERS)) \
    X(pajesim__used_ids, PAJESIM__USED_IDS_MEMBERS) \
    X(pajesim__bucket, PAJESIM__BUCKET_MEMBERS) \
    X(pajesim__queue, PAJESIM__QUEUE_MEMBERS) \
    X(pajesim_counts, PAJESIM__COUNTS_MEMBERS) \
    X(pajesim__state, PAJESIM__STATE_MEMBERS) \
    X(pajesim__record, PAJESIM__RECORD_MEMBERS) \
    X(pajesim__tree, PAJESIM__TREE_MEMBERS) \
    X(pajesim__type, PAJESIM__TYPE_MEMBERS) \
    X(pajesim__value, PAJESIM__VALUE_MEMBERS) \
    X(pajesim__container, PAJESIM__CONTAINER_MEMBERS) \
    X(pajesim__slot, PAJESIM__SLOT_MEMBERS) \
    PAJESIM__IF_32(X(pajesim__late_slot, PAJESIM__LATE_SLOT_MEMBERS)) \
    X(pajesim__frame, PAJESIM__FRAME_MEMBERS) \
    X(pajesim__link, PAJESIM__LINK_MEMBERS) \
    X(pajesim__definition, PAJESIM__DEFINITION_MEMBERS) \
    X(pajesim__fields, PAJESIM__FIELDS_MEMBERS) \
    X(pajesim__file, PAJESIM__FILE_MEMBERS) \
    X(pajesim__image, PAJESIM__IMAGE_MEMBERS) \
    PAJESIM__IF_TRAVEL(X(pajesim__run, PAJESIM__RUN_MEMBERS))

/* Returns a fingerprint of the place and size of each member of each record, the number of problems, and options. */
static uint32_t pajesim__layout_fingerprint(void)
{
    const uint32_t records = PAJESIM__RECORDS(PAJESIM__HASH_RECORD);
    const uint32_t decimals = (PAJESIM_TIME_DECIMALS + 1) * 20 + PAJESIM_VALUE_DECIMALS + 1;
    const uint32_t disabled = !PAJESIM_CHECKS + 2 * !PAJESIM_REPAIRS + 4 * !PAJESIM_FILES + 8 * !PAJESIM_FIELDS +
                              16 * !PAJESIM_TRAVEL;
    return records + PAJESIM_E_COUNT + (decimals * 32 + disabled) * UINT32_C(0x9E3779B1);
}

/* ---- the head ---- */

static uint64_t pajesim__checksum_mix(uint64_t sum, uint64_t word)
{
    sum = (sum ^ word) * PAJESIM__MIX1;
    return sum ^ (sum >> 29);
}

/* Returns a checksum that every change of a single word changes.  Four independent sums, which a processor computes in
 * parallel, are combined. */
static uint64_t pajesim__checksum(const unsigned char *bytes, size_t size)
{
    uint64_t a = size, b = 0, c = 0, d = 0;
    size_t i = 0;
    for (; !PAJESIM_SMALL && i + 32 <= size; i += 32) {
        a = pajesim__checksum_mix(a, pajesim__load64(bytes + i));
        b = pajesim__checksum_mix(b, pajesim__load64(bytes + i + 8));
        c = pajesim__checksum_mix(c, pajesim__load64(bytes + i + 16));
        d = pajesim__checksum_mix(d, pajesim__load64(bytes + i + 24));
    }
    if (!PAJESIM_SMALL)
        a = pajesim__checksum_mix(pajesim__checksum_mix(pajesim__checksum_mix(a, b), c), d);
    for (; i + 8 <= size; i += 8)
        a = pajesim__checksum_mix(a, pajesim__load64(bytes + i));
    for (; i < size; i++) /* unreached, except where 64-bit integers are aligned to 4 bytes */
        a = (a ^ bytes[i]) * UINT64_C(0x100000001B3);
    return a ^ (a >> 32);
}

static pajesim__image pajesim__image_of(uint32_t magic, uint32_t layout, uint32_t top, const unsigned char *bytes,
                                        size_t size)
{
    pajesim__image head;
    head.magic = magic;
    head.version = PAJESIM_VERSION;
    head.layout = layout;
    head.size = (uint32_t)size;
    head.checksum = pajesim__checksum(bytes, size);
#if PAJESIM_TRAVEL
    head.top = top;
    head.checksum += head.top;
#else
    (void)top;
#endif
    return head;
}

/* Checks the header of an image; `size` includes it. */
static pajesim_status pajesim__check_image(uint32_t magic, uint32_t layout, const pajesim__image *head,
                                           const unsigned char *bytes, size_t size)
{
    uint64_t checksum = head->checksum;
    if (head->magic != magic || head->version != PAJESIM_VERSION || head->layout != layout)
        return PAJESIM_INCOMPATIBLE;
#if PAJESIM_TRAVEL
    checksum -= head->top;
#endif
    if (magic == PAJESIM__MAGIC && PAJESIM__TOP(head) < sizeof(pajesim__state))
        return PAJESIM__TRUNCATED;
    return head->size == size - sizeof *head && checksum == pajesim__checksum(bytes, (size_t)head->size)
               ? PAJESIM_OK
               : PAJESIM__TRUNCATED;
}

/* ---- packing: dead memory is cleared, and words of zeros are left out ---- */

#if PAJESIM_TRAVEL
/* Clears the free blocks, except for their links, and the stack frames that were popped. */
static void pajesim__clear_dead(const pajesim *sim)
{
    pajesim_ref ref;
    uint32_t size_class;
    for (ref = PAJESIM__CONST_STATE(sim)->root; ref; ref = pajesim__next_container(sim, ref)) {
        const pajesim__container *container = PAJESIM__CONTAINER_AT(sim, ref);
        pajesim_ref type = 0;
        while ((type = pajesim__next_slot_type(sim, container, type)) != 0)
            if (PAJESIM__RECORD(sim, type)->kind == PAJESIM_STATE) {
                const pajesim__slot *slot = pajesim__find_slot(sim, container, type);
                memset(PAJESIM__AT(sim, pajesim__frame, slot->open.stack.frames) + slot->open.stack.depth, 0,
                       (slot->open.stack.capacity - slot->open.stack.depth) * sizeof(pajesim__frame));
            }
    }
    for (size_class = 0; size_class < PAJESIM__CLASSES; size_class++) {
        size_t size = (size_t)pajesim__class_size(size_class);
        pajesim__offset offset = PAJESIM__CONST_HEAP(sim)->free_list[size_class];
        while (offset) {
            memset(PAJESIM__BYTES(sim, offset) + sizeof offset, 0, size - sizeof offset);
            memcpy(&offset, PAJESIM__BYTES(sim, offset), sizeof offset);
        }
    }
}

/* Packs the arena to `to`, or only measures if that is NULL; returns the size. */
static size_t pajesim__pack(const pajesim *sim, unsigned char *to)
{
    const unsigned char *from = sim->arena, *end = from + (PAJESIM__CONST_HEAP(sim)->top & ~UINT32_C(7)), *begin;
    size_t tail = PAJESIM__CONST_HEAP(sim)->top & 7, packed = 0;
    pajesim__run run;
    if (!sim->busy) /* else a callback asks, and the frame that was popped last is still needed */
        pajesim__clear_dead(sim);
    while (from < end) {
        uint64_t word;
        for (begin = from; from < end && !pajesim__load64(from); from += 8) {
        }
        run.zeros = (uint32_t)((size_t)(from - begin) / 8);
        packed += sizeof run;
        for (begin = from; from < end; from += 8, packed += 8) {
            word = pajesim__load64(from);
            if (!word && (end - from == 8 || !pajesim__load64(from + 8)))
                break;
            if (to)
                memcpy(to + packed, &word, sizeof word);
        }
        run.literals = (uint32_t)((size_t)(from - begin) / 8);
        if (to)
            memcpy(to + packed - (from - begin) - sizeof run, &run, sizeof run);
    }
    if (to)
        memcpy(to + packed, from, tail);
    return packed + tail;
}

/* Unpacks an arena of `size` bytes; returns 0 if the packed bytes are invalid. */
static int pajesim__unpack(const unsigned char *from, size_t packed, unsigned char *to, size_t size)
{
    size_t words = size / 8, i = 0;
    pajesim__run run;
    while (i < words) {
        if (packed < sizeof run)
            return 0;
        memcpy(&run, from, sizeof run);
        from += sizeof run;
        packed -= sizeof run;
        if (run.zeros > words - i || run.literals > words - i - run.zeros || run.literals > packed / 8 ||
            run.zeros + run.literals == 0)
            return 0;
        memset(to + 8 * i, 0, 8 * (size_t)run.zeros);
        i += run.zeros;
        memcpy(to + 8 * i, from, 8 * (size_t)run.literals);
        i += run.literals;
        from += 8 * (size_t)run.literals;
        packed -= 8 * (size_t)run.literals;
    }
    if (packed != size % 8)
        return 0;
    memcpy(to + 8 * words, from, packed);
    return 1;
}
#else
static size_t pajesim__pack(const pajesim *sim, unsigned char *to)
{
    if (to)
        memcpy(to, sim->arena, (size_t)PAJESIM__CONST_HEAP(sim)->top);
    return (size_t)PAJESIM__CONST_HEAP(sim)->top;
}

static int pajesim__unpack(const unsigned char *from, size_t packed, unsigned char *to, size_t size)
{
    (void)packed;
    memcpy(to, from, size);
    return 1;
}
#endif

PAJESIM_API size_t pajesim_image_size(const pajesim *sim)
{
    return sizeof(pajesim__image) + pajesim__pack(sim, NULL);
}

/* Returns an upper bound of the packed size: every run saves at least two zero words, except for the first and the last
 * one. */
static size_t pajesim__packed_max(const pajesim *sim)
{
    return (size_t)PAJESIM__CONST_HEAP(sim)->top + 16;
}

PAJESIM_API pajesim_status pajesim_save(const pajesim *sim, void *image, size_t size)
{
    unsigned char *bytes;
    pajesim__image head;
    size_t packed;
    if (!sim || !image)
        return PAJESIM_MISUSE;
    if (sim->busy)
        return PAJESIM_BUSY;
    if (size < sizeof head + pajesim__packed_max(sim) && size < pajesim_image_size(sim))
        return PAJESIM_FULL;
    bytes = (unsigned char *)image + sizeof head;
    packed = pajesim__pack(sim, bytes);
    head =
        pajesim__image_of(PAJESIM__MAGIC, pajesim__layout_fingerprint(), PAJESIM__CONST_HEAP(sim)->top, bytes, packed);
    memcpy(image, &head, sizeof head);
    return PAJESIM_OK;
}

/* Begins a simulation from a packed arena, which is refused if it is not sound. */
static pajesim_status pajesim__restore_packed(pajesim *sim, void *arena, size_t capacity, const unsigned char *bytes,
                                              size_t packed, pajesim__size top, const pajesim_callbacks *callbacks,
                                              void *data)
{
    pajesim__attach(sim, arena, capacity, callbacks, data);
    sim->busy = 1; /* until there is something to feed */
    sim->needed = (pajesim__size)PAJESIM__RESTORE_SIZE(top);
    if ((PAJESIM_TRAVEL ? capacity : sim->capacity) < sim->needed)
        return PAJESIM_FULL;
    if (!pajesim__unpack(bytes, packed, (unsigned char *)arena, (size_t)top) || !PAJESIM__IS_SOUND(sim, (uint32_t)top))
        return PAJESIM_DAMAGED;
    sim->busy = 0;
    return PAJESIM_OK;
}

PAJESIM_API pajesim_status pajesim_restore(pajesim *sim, void *arena, size_t capacity, const void *image, size_t size,
                                           const pajesim_callbacks *callbacks, void *data)
{
    pajesim__image head;
    const unsigned char *bytes;
    pajesim_status status;
    if (!sim || !arena || !pajesim__is_aligned(arena) || !image || PAJESIM__IS_MIXED())
        return PAJESIM_MISUSE;
    if (size < sizeof head)
        return PAJESIM_INCOMPATIBLE;
    memcpy(&head, image, sizeof head);
    bytes = (const unsigned char *)image + sizeof head;
    status = pajesim__check_image(PAJESIM__MAGIC, pajesim__layout_fingerprint(), &head, bytes, size);
    if (status != PAJESIM_OK)
        return status;
    return pajesim__restore_packed(sim, arena, capacity, bytes, (size_t)head.size, (pajesim__size)PAJESIM__TOP(&head),
                                   callbacks, data);
}

/* ---------------- src/pajesim/travel/index_store.h */

/* The storage of an index: checkpoints of a trace, and the ends of what was open at them.
 *
 * The index begins with the header of an image, so that it can be saved as it is.  Blocks follow, one of which is the
 * directory of checkpoints; when there is no room for another, the live ones are moved together.  A checkpoint has an
 * image, and for each entity that is open there an end record, in the order of pajesim__walk_next.  The end records of
 * an entity that is open at several checkpoints form a chain, the latest first; when it closes, all of them are filled
 * in. */

#if PAJESIM_TRAVEL

#define PAJESIM__INDEX_MAGIC UINT32_C(0x50414A49)

typedef struct pajesim__end_record {
    pajesim_time time;
    uint32_t order;          /* order of completion; 0: still open */
    uint32_t earlier;        /* 1 + index of the record at the checkpoint before; 0: not open there */
    pajesim__offset details; /* a pajesim__end_details; 0: none */
    uint32_t flags;          /* see simulation/watch.h */
} pajesim__end_record;
#define PAJESIM__END_RECORD_MEMBERS(X, T) \
    X(T, time) X(T, order) X(T, earlier) X(T, details) X(T, flags)

/* What else is known of an end.  The records that it refers to follow, then the user fields. */
typedef struct pajesim__end_details {
    pajesim_quantity number; /* value of a variable */
    uint32_t refs;           /* end records that refer to it */
    uint32_t records;        /* size of the records: see index_records.h */
    uint32_t fields;         /* size of the user fields */
    uint32_t unused;
} pajesim__end_details;
#define PAJESIM__END_DETAILS_MEMBERS(X, T) \
    X(T, number) X(T, refs) X(T, records) X(T, fields) X(T, unused)

/* A type, a value or a container that an end refers to: see index_records.h.  Its texts follow, and fill words of 8
 * bytes. */
typedef struct pajesim__far_record {
    pajesim_time start; /* of a container */
    uint32_t serial;    /* of a container */
    uint8_t tag, kind;  /* tag: pajesim__tag */
    uint8_t in_root;    /* of a type: it is in the root type, not in the last type before it */
    uint8_t unused;
    uint32_t alias, name, color; /* sizes of the texts; name 0: the alias */
    uint32_t size;               /* of all */
} pajesim__far_record;
#define PAJESIM__FAR_RECORD_MEMBERS(X, T) \
    X(T, start) X(T, serial) X(T, tag) X(T, kind) X(T, in_root) X(T, unused) X(T, alias) X(T, name) X(T, color) \
    X(T, size)

typedef struct pajesim__checkpoint {
    uint64_t offset, events;
    uint64_t digest; /* of the bytes before it */
    pajesim_time greatest; /* of all times before it */
    pajesim_time least;    /* of the times from it to the next one */
    pajesim__offset image, end_records;
    uint32_t image_size, count, top;
    uint32_t serial; /* of the newest container */
    uint32_t ended;  /* 1: after the last line, which lacks its newline */
    uint32_t unused;
} pajesim__checkpoint;
#define PAJESIM__CHECKPOINT_MEMBERS(X, T) \
    X(T, offset) X(T, events) X(T, digest) X(T, greatest) X(T, least) X(T, image) X(T, end_records) X(T, image_size) \
    X(T, count) X(T, top) X(T, serial) X(T, ended) X(T, unused)

typedef struct pajesim__index {
    uint32_t top;  /* high-water mark */
    uint32_t dead; /* bytes of freed blocks below `top` */
    pajesim__offset directory;
    uint32_t count, capacity;
    uint32_t order; /* of the last end */
    uint32_t complete;
    uint32_t ended;         /* 1: the last line, which lacks its newline, is done */
    uint32_t automatic;     /* 1: the distance of checkpoints follows the size of the arena */
    uint64_t bytes, events; /* distance of checkpoints; 0: not used */
    struct {
        uint64_t bytes, events; /* of the trace, when a checkpoint did not fit */
    } failed;
    uint64_t label[4];
} pajesim__index;
#define PAJESIM__INDEX_MEMBERS(X, T) \
    X(T, top) X(T, dead) X(T, directory) X(T, count) X(T, capacity) X(T, order) X(T, complete) X(T, ended) \
    X(T, automatic) X(T, bytes) X(T, events) X(T, failed.bytes) X(T, failed.events) X(T, label)

/* The header in front of each block. */
typedef struct pajesim__block_head {
    uint32_t size;   /* this header included */
    uint32_t in_use; /* 0: freed; while blocks are moved, the new offset */
} pajesim__block_head;
#define PAJESIM__BLOCK_HEAD_MEMBERS(X, T) \
    X(T, size) X(T, in_use)

#define PAJESIM__INDEX_RECORDS(X) \
    X(pajesim__index, PAJESIM__INDEX_MEMBERS) \
    X(pajesim__checkpoint, PAJESIM__CHECKPOINT_MEMBERS) \
    X(pajesim__end_record, PAJESIM__END_RECORD_MEMBERS) \
    X(pajesim__end_details, PAJESIM__END_DETAILS_MEMBERS) \
    X(pajesim__far_record, PAJESIM__FAR_RECORD_MEMBERS) \
    X(pajesim__block_head, PAJESIM__BLOCK_HEAD_MEMBERS) \
    X(pajesim__named_fields, PAJESIM__NAMED_FIELDS_MEMBERS)

/* Depends on the place and size of each member of each record, also of those in its images. */
static uint32_t pajesim__index_fingerprint(void)
{
    const uint32_t records = PAJESIM__INDEX_RECORDS(PAJESIM__HASH_RECORD);
    return records + pajesim__layout_fingerprint();
}

#define PAJESIM__STORED(type, offset) ((type *)(void *)(index->memory + (offset)))
#define PAJESIM__INDEX PAJESIM__STORED(pajesim__index, sizeof(pajesim__image))
#define PAJESIM__CHECKPOINT(number) (PAJESIM__STORED(pajesim__checkpoint, PAJESIM__INDEX->directory) + (number))
#define PAJESIM__LATEST (PAJESIM__INDEX->count - 1)
#define PAJESIM__END_RECORDS(number) PAJESIM__STORED(pajesim__end_record, PAJESIM__CHECKPOINT(number)->end_records)

/* Blocks are at multiples of 8 bytes, also where 64 bits are aligned to 4, as on i386. */
static pajesim__offset pajesim__first_block(void)
{
    return (pajesim__offset)((sizeof(pajesim__image) + sizeof(pajesim__index) + 7) & ~(size_t)7);
}

static size_t pajesim__block_size(size_t size)
{
    return (sizeof(pajesim__block_head) + size + 7) & ~(size_t)7;
}

static pajesim__block_head *pajesim__head_of(const pajesim_index *index, pajesim__offset offset)
{
    return PAJESIM__STORED(pajesim__block_head, offset) - 1;
}

/* Frees a block. */
static void pajesim__store_free(pajesim_index *index, pajesim__offset offset)
{
    pajesim__block_head *head;
    if (!offset)
        return;
    head = pajesim__head_of(index, offset);
    head->in_use = 0;
    PAJESIM__INDEX->dead += head->size;
}

/* Returns the new offset of a block while blocks are moved. */
static pajesim__offset pajesim__forwarding_offset(const pajesim_index *index, pajesim__offset offset)
{
    return offset ? pajesim__head_of(index, offset)->in_use : 0;
}

/* Moves the live blocks together. */
static void pajesim__compact(pajesim_index *index)
{
    pajesim__index *store = PAJESIM__INDEX;
    uint32_t at, to = pajesim__first_block(), size, number, i;
    for (at = to; at < store->top; at += size) {
        pajesim__block_head *head = PAJESIM__STORED(pajesim__block_head, at);
        size = head->size;
        if (head->in_use) {
            head->in_use = to + (uint32_t)sizeof *head;
            to += size;
        }
    }
    for (number = 0; number < store->count; number++) {
        pajesim__checkpoint *checkpoint = PAJESIM__CHECKPOINT(number);
        pajesim__end_record *end_records = PAJESIM__END_RECORDS(number);
        for (i = 0; i < checkpoint->count; i++)
            end_records[i].details = pajesim__forwarding_offset(index, end_records[i].details);
        checkpoint->image = pajesim__forwarding_offset(index, checkpoint->image);
        checkpoint->end_records = pajesim__forwarding_offset(index, checkpoint->end_records);
    }
    store->directory = pajesim__forwarding_offset(index, store->directory);
    for (at = pajesim__first_block(); at < store->top; at += size) {
        const pajesim__block_head *head = PAJESIM__STORED(const pajesim__block_head, at);
        size = head->size;
        if (head->in_use)
            memmove(index->memory + head->in_use - sizeof *head, head, size);
    }
    store->top = to;
    store->dead = 0;
}

static void pajesim__release_end_details(pajesim_index *index, pajesim__offset offset)
{
    if (offset && --PAJESIM__STORED(pajesim__end_details, offset)->refs == 0)
        pajesim__store_free(index, offset);
}

/* Drops a checkpoint: the next one takes over its chains, the previous one its least time. */
static void pajesim__drop_checkpoint(pajesim_index *index, uint32_t number)
{
    pajesim__index *store = PAJESIM__INDEX;
    pajesim__checkpoint *dropped = PAJESIM__CHECKPOINT(number);
    const pajesim__end_record *end_records = PAJESIM__END_RECORDS(number);
    uint32_t i;
    if (number < PAJESIM__LATEST) {
        pajesim__end_record *later = PAJESIM__END_RECORDS(number + 1);
        for (i = 0; i < dropped[1].count; i++)
            if (later[i].earlier)
                later[i].earlier = end_records[later[i].earlier - 1].earlier;
    }
    if (number && dropped->least < dropped[-1].least)
        dropped[-1].least = dropped->least;
    for (i = 0; i < dropped->count; i++)
        pajesim__release_end_details(index, end_records[i].details);
    pajesim__store_free(index, dropped->end_records);
    pajesim__store_free(index, dropped->image);
    store->count--;
    memmove(dropped, dropped + 1, (store->count - number) * sizeof *dropped);
}

/* Drops every other checkpoint, never the first one, and the latest one only if there is no other.  Returns 0 if there
 * is none to drop. */
static int pajesim__thin_checkpoints(pajesim_index *index)
{
    pajesim__index *store = PAJESIM__INDEX;
    uint32_t number = store->count;
    if (number <= 1)
        return 0;
    if (number == 2) {
        pajesim__drop_checkpoint(index, 1);
        return 1;
    }
    store->bytes *= 2;
    store->events *= 2;
    while (number > 2) {
        number -= 2;
        pajesim__drop_checkpoint(index, number);
    }
    return 1;
}

/* Allocates a block, dropping checkpoints and moving blocks if needed; returns 0 if there is no room. */
static pajesim__offset pajesim__store_alloc(pajesim_index *index, size_t size)
{
    pajesim__index *store = PAJESIM__INDEX;
    size_t total = pajesim__block_size(size);
    pajesim__block_head *head;
    while (index->capacity - store->top < total) {
        int worthwhile = store->dead >= total && store->dead >= store->top / 4;
        if (!worthwhile && pajesim__thin_checkpoints(index))
            continue;
        if (!store->dead)
            return 0;
        pajesim__compact(index);
    }
    head = PAJESIM__STORED(pajesim__block_head, store->top);
    memset((char *)(head + 1) + size, 0, total - sizeof *head - size); /* the padding is saved, too */
    head->size = (uint32_t)total;
    head->in_use = 1;
    store->top += head->size;
    return store->top - head->size + (pajesim__offset)sizeof *head;
}
#endif /* PAJESIM_TRAVEL */

/* ---------------- src/pajesim/travel/index_records.h */

/* Records that an end refers to, and that an earlier checkpoint may lack: the value of a state, if it was defined
 * later; the container that a link ends at, with its type and what both are in.
 *
 * They are kept in the index with the end, what is outermost first: a container is of the last type before it, and in
 * the last container before it.  When a checkpoint is shown, those that it lacks are imported into the simulation,
 * which only queries use from then on. */

#if PAJESIM_TRAVEL

/* Bytes for an end: what is more is not worth the room. */
#define PAJESIM__FAR_MAX (UINT32_C(16) << 10)

/* ---- storing: from the last record to the first, once to measure, and once to write */

typedef struct pajesim__far_list {
    const pajesim *sim;
    size_t size;
    unsigned char *begin; /* of what is written; NULL: only measured */
} pajesim__far_list;

static unsigned char *pajesim__append(unsigned char *to, pajesim_text text)
{
    memcpy(to, text.bytes, text.size);
    return to + text.size;
}

static void pajesim__add_far(pajesim__far_list *list, pajesim_ref ref, int in_root)
{
    const pajesim__record *record = PAJESIM__RECORD(list->sim, ref);
    pajesim_text alias = pajesim_alias(list->sim, ref), name = pajesim__text_at(list->sim, record->name);
    pajesim_text color = pajesim_color(list->sim, ref);
    size_t size = (sizeof(pajesim__far_record) + alias.size + name.size + color.size + 7) & ~(size_t)7;
    pajesim__far_record far;
    list->size += size;
    if (!list->begin)
        return;
    memset(&far, 0, sizeof far);
    far.tag = record->tag;
    far.kind = record->kind;
    far.in_root = in_root != 0;
    if (far.tag == PAJESIM__CONTAINER) {
        far.start = pajesim_start_of(list->sim, ref);
        far.serial = pajesim_serial(list->sim, ref);
    }
    far.alias = (uint32_t)alias.size;
    far.name = (uint32_t)name.size;
    far.color = (uint32_t)color.size;
    far.size = (uint32_t)size;
    list->begin -= size;
    memset(list->begin, 0, size);
    memcpy(list->begin, &far, sizeof far);
    pajesim__append(pajesim__append(pajesim__append(list->begin + sizeof far, alias), name), color);
}

/* Adds a type and those that it is in, up to `last`, which is added before, or to one in the root type. */
static void pajesim__add_far_types(pajesim__far_list *list, pajesim_ref type, pajesim_ref last)
{
    const pajesim_ref root = pajesim_root_type(list->sim);
    while (type && type != last) {
        pajesim_ref parent = pajesim_parent(list->sim, type);
        pajesim__add_far(list, type, parent == root);
        type = parent == root ? 0 : parent;
    }
}

/* Adds a container and those that it is in, up to one that is no newer than `serial`. */
static void pajesim__add_far_containers(pajesim__far_list *list, pajesim_ref container, uint32_t serial)
{
    while (container != pajesim_root(list->sim) && list->size < PAJESIM__FAR_MAX) {
        pajesim_ref parent = pajesim_parent(list->sim, container);
        int is_last = pajesim_serial(list->sim, container) <= serial || parent == pajesim_root(list->sim);
        pajesim__add_far(list, container, 0);
        pajesim__add_far_types(list, pajesim_type_of(list->sim, container),
                               is_last ? pajesim_root_type(list->sim) : pajesim_type_of(list->sim, parent));
        if (is_last)
            break;
        container = parent;
    }
}

/* ---- importing */

static const pajesim__far_record *pajesim__far_at(const unsigned char *bytes)
{
    return (const pajesim__far_record *)(const void *)bytes;
}

static pajesim_text pajesim__far_alias(const pajesim__far_record *far)
{
    return pajesim__view((const char *)(far + 1), far->alias);
}

/* Finds a container by its serial number: one of the simulation, or one that was imported. */
static pajesim_ref pajesim__find_serial(const pajesim *sim, pajesim_text alias, uint32_t serial)
{
    const pajesim__table *table = &PAJESIM__CONST_STATE(sim)->containers;
    pajesim__key key = pajesim__key_of(alias.bytes, (uint32_t)alias.size);
    uint32_t scope;
    pajesim_ref ref;
    for (scope = 0; scope <= PAJESIM__BESIDE_ROOT; scope++) {
        ref = pajesim__table_find(sim, table, &key, scope, 0);
        if (ref && pajesim_serial(sim, ref) == serial)
            return ref;
    }
    return pajesim__table_find(sim, table, &key, 0, serial);
}

/* Finds a record: of values, one that was imported. */
static pajesim_ref pajesim__find_far(const pajesim *sim, const pajesim__far_record *far, pajesim_ref parent)
{
    const pajesim__state *state = PAJESIM__CONST_STATE(sim);
    pajesim_text alias = pajesim__far_alias(far);
    pajesim__key key = pajesim__key_of(alias.bytes, (uint32_t)alias.size);
    if (far->tag == PAJESIM__CONTAINER)
        return pajesim__find_serial(sim, alias, far->serial);
    return far->tag == PAJESIM__TYPE ? pajesim__table_find(sim, &state->types, &key, 0, 0)
                                     : pajesim__table_find(sim, &state->values, &key, parent, 1);
}

/* Imports a record.  `type`: of a container.  Returns 0 if there is no room. */
static pajesim_ref pajesim__import_far(pajesim *sim, const pajesim__far_record *far, pajesim_ref parent,
                                       pajesim_ref type)
{
    pajesim__state *state = PAJESIM__STATE(sim);
    pajesim__table *table = far->tag == PAJESIM__TYPE    ? &state->types
                            : far->tag == PAJESIM__VALUE ? &state->values
                                                         : &state->containers;
    const uint32_t scope = far->tag == PAJESIM__VALUE ? parent : 0;
    const uint32_t subscope = far->tag == PAJESIM__CONTAINER ? far->serial : far->tag == PAJESIM__VALUE;
    pajesim_text alias = pajesim__far_alias(far);
    pajesim__key key = pajesim__key_of(alias.bytes, (uint32_t)alias.size);
    pajesim_ref ref = far->tag == PAJESIM__CONTAINER ? pajesim__alloc_container(sim, 0)
                                                     : PAJESIM__RECORD_IN(pajesim__alloc(sim, sizeof(pajesim__type)));
    pajesim__offset bytes = pajesim__alloc_id(sim, &key);
    pajesim__text name = far->name ? pajesim__alloc_text(sim, far->name) : 0;
    pajesim__text color = far->color ? pajesim__alloc_text(sim, far->color) : 0;
    pajesim__table_reservation entry = pajesim__table_reserve(sim, table, pajesim__hash(&key, scope, subscope));
    if (!pajesim__fits(sim)) {
        sim->needed = sim->top;
        pajesim__rollback(sim);
        return 0;
    }
    pajesim__commit(sim);
    if (far->tag == PAJESIM__CONTAINER) {
        memset(PAJESIM__CONTAINER_AT(sim, ref), 0, sizeof(pajesim__container));
        PAJESIM__CONTAINER_AT(sim, ref)->declared_type = type;
        PAJESIM__CONTAINER_AT(sim, ref)->start = far->start;
        PAJESIM__CONTAINER_AT(sim, ref)->serial = far->serial;
    } else {
        memset(PAJESIM__TYPE_AT(sim, ref), 0, sizeof(pajesim__type));
        PAJESIM__TYPE_AT(sim, ref)->slot = UINT32_MAX; /* no container has one; the block of a value is as large */
    }
    PAJESIM__RECORD(sim, ref)->tag = far->tag;
    PAJESIM__RECORD(sim, ref)->kind = far->kind;
    PAJESIM__RECORD(sim, ref)->parent = parent;
    PAJESIM__RECORD(sim, ref)->name = name;
    PAJESIM__RECORD(sim, ref)->color = color;
    if (name)
        pajesim__write_text(sim, name, alias.bytes + alias.size, far->name);
    if (color)
        pajesim__write_text(sim, color, alias.bytes + alias.size + far->name, far->color);
    pajesim__init_id(sim, &PAJESIM__RECORD(sim, ref)->id, &key, bytes, scope, subscope);
    pajesim__table_insert(sim, table, &entry, ref);
    return ref;
}

/* Returns the last of the records in [bytes, bytes + size), after importing those that the simulation lacks; the root
 * if there are none; 0 if there is no room.  `type`: of a value. */
static pajesim_ref pajesim__import_last(pajesim *sim, const unsigned char *bytes, size_t size, pajesim_ref type)
{
    pajesim_ref last_type = type ? type : PAJESIM__STATE(sim)->root_type, container = PAJESIM__STATE(sim)->root;
    pajesim_ref ref = container;
    const unsigned char *at;
    for (at = bytes; at < bytes + size; at += pajesim__far_at(at)->size) {
        const pajesim__far_record *far = pajesim__far_at(at);
        pajesim_ref parent = far->tag == PAJESIM__CONTAINER ? container
                             : far->in_root                 ? PAJESIM__STATE(sim)->root_type
                                                            : last_type;
        ref = pajesim__find_far(sim, far, parent);
        if (!ref)
            ref = pajesim__import_far(sim, far, parent, last_type);
        if (!ref)
            return 0;
        if (far->tag == PAJESIM__TYPE)
            last_type = ref;
        else if (far->tag == PAJESIM__CONTAINER)
            container = ref;
    }
    return ref;
}
#endif /* PAJESIM_TRAVEL */

/* ---------------- src/pajesim/travel/check_index.h */

/* Whether an index that was loaded is sound: its blocks, and what refers to them.  Its images are checked when they are
 * restored. */

#if PAJESIM_TRAVEL

#define PAJESIM__MARKS UINT32_C(0x4E4F574E) /* the first of some, of which a forger may have used each */
#define PAJESIM__MARK_COUNT 8u

typedef struct pajesim__check_index {
    const pajesim_index *index;
    uint32_t mark;  /* what pajesim__block_head.in_use is of blocks that are not owned yet: each is owned once */
    uint32_t owned; /* number of blocks */
    int sound;
} pajesim__check_index;

static int pajesim__index_holds(pajesim__check_index *check, int holds)
{
    check->sound &= holds != 0;
    return holds;
}

/* Returns a mark that the index has nowhere yet, so that nothing within a block is taken for one; 0: there is none. */
static uint32_t pajesim__unused_mark(const pajesim_index *index)
{
    const uint32_t top = PAJESIM__INDEX->top;
    uint32_t mark, at;
    for (mark = PAJESIM__MARKS; mark < PAJESIM__MARKS + PAJESIM__MARK_COUNT; mark++) {
        for (at = pajesim__first_block(); top - at >= sizeof(pajesim__block_head); at += 8)
            if (PAJESIM__STORED(const pajesim__block_head, at)->in_use == mark)
                break;
        if (top - at < sizeof(pajesim__block_head))
            return mark;
    }
    return 0;
}

/* Goes through the blocks, whose sizes must fill the index.  Marks those in use, and returns how many. */
static uint32_t pajesim__mark_blocks(pajesim__check_index *check)
{
    const pajesim_index *index = check->index;
    const uint32_t top = PAJESIM__INDEX->top;
    uint32_t at, dead = 0, count = 0;
    for (at = pajesim__first_block(); at < top;) {
        pajesim__block_head *head = PAJESIM__STORED(pajesim__block_head, at);
        if (!pajesim__index_holds(check, top - at >= sizeof *head && head->size >= sizeof *head &&
                                             head->size % 8 == 0 && head->size <= top - at))
            return 0;
        if (head->in_use)
            head->in_use = check->mark;
        else
            dead += head->size;
        count += head->in_use != 0;
        at += head->size;
    }
    pajesim__index_holds(check, at == top && dead == PAJESIM__INDEX->dead);
    return count;
}

/* Owns the block at `offset`, which has room for `size` bytes. */
static int pajesim__own(pajesim__check_index *check, uint32_t offset, uint64_t size)
{
    const pajesim_index *index = check->index;
    pajesim__block_head *head;
    if (!pajesim__index_holds(check, offset >= pajesim__first_block() + sizeof *head && offset % 8 == 0 &&
                                         offset <= PAJESIM__INDEX->top && size <= PAJESIM__INDEX->top - offset))
        return 0;
    head = pajesim__head_of(index, offset);
    if (!pajesim__index_holds(check, head->in_use == check->mark && head->size - sizeof *head >= size))
        return 0;
    head->in_use = 1;
    check->owned++;
    return 1;
}

static void pajesim__check_far_records(pajesim__check_index *check, const unsigned char *at, uint32_t left)
{
    while (left && check->sound) {
        const pajesim__far_record *far = pajesim__far_at(at);
        if (!pajesim__index_holds(check, left >= sizeof *far && far->size >= sizeof *far && far->size <= left &&
                                             far->size % 8 == 0) ||
            !pajesim__index_holds(check, (uint64_t)far->alias + far->name + far->color <= far->size - sizeof *far &&
                                             far->tag >= PAJESIM__TYPE && far->tag <= PAJESIM__CONTAINER &&
                                             far->kind >= PAJESIM_CONTAINER && far->kind <= PAJESIM_LINK))
            return;
        at += far->size;
        left -= far->size;
    }
}

static void pajesim__check_named_fields(pajesim__check_index *check, const unsigned char *at, uint32_t size)
{
    const pajesim__named_fields *own = (const pajesim__named_fields *)(const void *)at;
    const pajesim__length *spans = (const pajesim__length *)(const void *)(own + 1);
    uint32_t i;
    if (!size || !pajesim__index_holds(check, size >= sizeof *own) ||
        !pajesim__index_holds(check, sizeof *own + own->count * (uint64_t)PAJESIM__NAMED_SPANS + own->size <= size))
        return;
    for (i = 0; i < own->count; i++, spans += 5)
        pajesim__index_holds(check, (uint64_t)spans[0] + spans[1] <= own->size &&
                                        (uint64_t)spans[2] + spans[3] <= own->size &&
                                        (spans[4] & 0xff) < PAJESIM_ROLE_COUNT &&
                                        spans[4] >> 8 <= PAJESIM_FIELD_COLOR);
}

static void pajesim__check_details(pajesim__check_index *check, pajesim__offset offset)
{
    const pajesim_index *index = check->index;
    const pajesim__end_details *details = PAJESIM__STORED(const pajesim__end_details, offset);
    const unsigned char *records = (const unsigned char *)(details + 1);
    if (!pajesim__own(check, offset, sizeof *details) ||
        !pajesim__index_holds(check, details->records % 8 == 0 &&
                                         sizeof *details + (uint64_t)details->records + details->fields <=
                                             pajesim__head_of(index, offset)->size - sizeof(pajesim__block_head)))
        return;
    pajesim__check_far_records(check, records, details->records);
    pajesim__check_named_fields(check, records + details->records, details->fields);
}

/* Checks an end record; `before`: the end records of the checkpoint before. */
static void pajesim__check_end(pajesim__check_index *check, const pajesim__end_record *end,
                               const pajesim__end_record *before, uint32_t before_count)
{
    const pajesim_index *index = check->index;
    if (!pajesim__index_holds(check, end->earlier <= before_count && (end->order || !end->details)))
        return;
    if (!end->earlier && end->details)
        pajesim__check_details(check, end->details);
    else if (end->earlier)
        pajesim__index_holds(check, end->details == before[end->earlier - 1].details);
    if (check->sound && end->details) /* as many more may be released as there are records */
        pajesim__index_holds(check, PAJESIM__STORED(pajesim__end_details, end->details)->refs-- > 0);
}

static void pajesim__check_checkpoint(pajesim__check_index *check, uint32_t number)
{
    const pajesim_index *index = check->index;
    const pajesim__checkpoint *checkpoint = PAJESIM__CHECKPOINT(number), *before = checkpoint - (number > 0);
    const pajesim__end_record *end_records = PAJESIM__END_RECORDS(number);
    uint32_t i;
    if (!pajesim__own(check, checkpoint->end_records, checkpoint->count * (uint64_t)sizeof *end_records) ||
        !pajesim__own(check, checkpoint->image, checkpoint->image_size) ||
        !pajesim__index_holds(check, checkpoint->top >= sizeof(pajesim__state) &&
                                         before->offset <= checkpoint->offset &&
                                         (!checkpoint->ended || (number && number == PAJESIM__LATEST))))
        return;
    for (i = 0; i < checkpoint->count && check->sound; i++)
        pajesim__check_end(check, &end_records[i], number ? PAJESIM__END_RECORDS(number - 1) : NULL,
                           number ? before->count : 0);
}

/* Adds to the details again what was taken. */
static void pajesim__restore_refs(const pajesim_index *index)
{
    uint32_t number, i;
    for (number = 0; number < PAJESIM__INDEX->count; number++)
        for (i = 0; i < PAJESIM__CHECKPOINT(number)->count; i++)
            if (PAJESIM__END_RECORDS(number)[i].details)
                PAJESIM__STORED(pajesim__end_details, PAJESIM__END_RECORDS(number)[i].details)->refs++;
}

static int pajesim__index_is_sound(const pajesim_index *index, size_t size)
{
    const pajesim__index *store = PAJESIM__INDEX;
    pajesim__check_index check;
    uint32_t number, blocks;
    check.index = index;
    check.owned = 0;
    check.sound = size >= pajesim__first_block() && store->top == size && store->count <= store->capacity &&
                  (store->capacity || !store->directory) && store->complete <= 1 && store->ended <= 1;
    check.mark = check.sound ? pajesim__unused_mark(index) : 0;
    blocks = pajesim__index_holds(&check, check.mark != 0) ? pajesim__mark_blocks(&check) : 0;
    if (check.sound && store->capacity)
        pajesim__own(&check, store->directory, store->capacity * (uint64_t)sizeof(pajesim__checkpoint));
    for (number = 0; number < store->count && check.sound; number++)
        pajesim__check_checkpoint(&check, number);
    if (!check.sound || check.owned != blocks)
        return 0;
    pajesim__restore_refs(index);
    return 1;
}
#endif /* PAJESIM_TRAVEL */

/* ---------------- src/pajesim/travel/index_query.h */

/* Reading an index: restores checkpoints, and closes what is open at them with its true ends. */

#if PAJESIM_TRAVEL

static const pajesim__checkpoint *pajesim__checkpoints_of(const pajesim_index *index)
{
    return PAJESIM__CHECKPOINT(0);
}

PAJESIM_API uint64_t *pajesim_index_label(pajesim_index *index)
{
    return PAJESIM__INDEX->label;
}

PAJESIM_API int pajesim_index_complete(const pajesim_index *index)
{
    return PAJESIM__INDEX->complete != 0;
}

PAJESIM_API uint32_t pajesim_index_count(const pajesim_index *index)
{
    return PAJESIM__INDEX->count;
}

/* Returns the least time after a checkpoint: the least one of all intervals from there on. */
static pajesim_time pajesim__least_after(const pajesim_index *index, uint32_t number)
{
    const pajesim__checkpoint *checkpoints = pajesim__checkpoints_of(index);
    pajesim_time least = -PAJESIM__TIME_LEAST;
    for (; number < pajesim_index_count(index); number++)
        if (checkpoints[number].least < least)
            least = checkpoints[number].least;
    return least;
}

PAJESIM_API int pajesim_index_checkpoint(const pajesim_index *index, uint32_t number, pajesim_checkpoint *checkpoint)
{
    const pajesim__checkpoint *source = PAJESIM__CHECKPOINT(number);
    if (number >= pajesim_index_count(index))
        return 0;
    checkpoint->offset = source->offset;
    checkpoint->events = source->events;
    checkpoint->greatest = source->greatest;
    checkpoint->least = pajesim__least_after(index, number);
    checkpoint->arena = (size_t)pajesim__restore_size(source->top);
    checkpoint->size = source->image_size + source->count * sizeof(pajesim__end_record);
    return 1;
}

PAJESIM_API uint32_t pajesim_index_at(const pajesim_index *index, uint64_t offset)
{
    const pajesim__checkpoint *checkpoints = pajesim__checkpoints_of(index);
    uint32_t number = pajesim_index_count(index);
    while (number > 1 && checkpoints[number - 1].offset > offset)
        number--;
    return number ? number - 1 : 0;
}

PAJESIM_API uint32_t pajesim_index_before(const pajesim_index *index, pajesim_time time)
{
    const pajesim__checkpoint *checkpoints = pajesim__checkpoints_of(index);
    uint32_t number = pajesim_index_count(index);
    while (number > 1 && !(checkpoints[number - 1].greatest < time))
        number--;
    return number ? number - 1 : 0;
}

PAJESIM_API uint32_t pajesim_index_after(const pajesim_index *index, pajesim_time time)
{
    const pajesim__checkpoint *checkpoints = pajesim__checkpoints_of(index);
    uint32_t number = pajesim_index_count(index);
    if (!number)
        return 0;
    for (number--; number && checkpoints[number - 1].least > time; number--) {
    }
    return number;
}

PAJESIM_API pajesim_status pajesim_index_restore(const pajesim_index *index, uint32_t number, pajesim *sim, void *arena,
                                                 size_t capacity, const pajesim_callbacks *callbacks, void *data)
{
    const pajesim__checkpoint *checkpoint;
    pajesim_status status;
    if (!index || !sim || !arena || !pajesim__is_aligned(arena) || number >= pajesim_index_count(index))
        return PAJESIM_MISUSE;
    checkpoint = PAJESIM__CHECKPOINT(number);
    status = pajesim__restore_packed(sim, arena, capacity, PAJESIM__STORED(unsigned char, checkpoint->image),
                                     checkpoint->image_size, checkpoint->top, callbacks, data);
    if (status == PAJESIM_OK && (PAJESIM__STATE(sim)->counts.bytes != checkpoint->offset ||
                                 PAJESIM__STATE(sim)->stage != PAJESIM__READING || PAJESIM__STATE(sim)->stopped ||
                                 PAJESIM__STATE(sim)->file))
        status = PAJESIM_DAMAGED;
    sim->busy = status != PAJESIM_OK; /* until there is something to feed */
    return status;
}

PAJESIM_API pajesim_status pajesim_index_check(const pajesim_index *index, uint32_t number, const pajesim *sim)
{
    const pajesim__state *state;
    if (!index || !sim || number >= pajesim_index_count(index))
        return PAJESIM_MISUSE;
    state = PAJESIM__CONST_STATE(sim);
    return state->counts.bytes == PAJESIM__CHECKPOINT(number)->offset &&
                   (!state->digests || pajesim__digest_of(state) == PAJESIM__CHECKPOINT(number)->digest)
               ? PAJESIM_OK
               : PAJESIM_STALE;
}

/* ---- what is open at a checkpoint, with its ends ---- */

typedef struct pajesim__open_item {
    uint32_t order, open_index, depth;
    pajesim_kind kind;
    pajesim_ref ref, type;     /* as in pajesim__walk */
    pajesim_ref imported;      /* see pajesim__import_for */
} pajesim__open_item;

static int pajesim__is_later(const pajesim__open_item *a, const pajesim__open_item *b)
{
    return a->order > b->order || (a->order == b->order && a->open_index > b->open_index);
}

/* Heapsort: in place, and O(n log n) for any input. */
static void pajesim__sift(pajesim__open_item *items, uint32_t at, uint32_t count)
{
    pajesim__open_item item = items[at];
    for (;;) {
        uint32_t next = 2 * at + 1;
        if (next >= count)
            break;
        next += next + 1 < count && pajesim__is_later(&items[next + 1], &items[next]);
        if (!pajesim__is_later(&items[next], &item))
            break;
        items[at] = items[next];
        at = next;
    }
    items[at] = item;
}

static void pajesim__sort(pajesim__open_item *items, uint32_t count)
{
    uint32_t i;
    for (i = count / 2; i > 0; i--)
        pajesim__sift(items, i - 1, count);
    for (i = count; i > 1; i--) {
        pajesim__open_item last = items[i - 1];
        items[i - 1] = items[0];
        items[0] = last;
        pajesim__sift(items, 0, i - 1);
    }
}

/* Returns what an item refers to and its checkpoint may lack: the container that a link ends at, the value of a state
 * that was defined later, else 0.  Clears `*fits` if there is no room to import it. */
static pajesim_ref pajesim__import_for(const pajesim_index *index, const pajesim__end_record *end, pajesim *sim,
                                       const pajesim__walk *walk, int *fits)
{
    const pajesim__end_details *details = PAJESIM__STORED(const pajesim__end_details, end->details);
    uint32_t size = end->details ? details->records : 0;
    pajesim_ref ref;
    if (walk->kind != PAJESIM_LINK && !(walk->kind == PAJESIM_STATE && size))
        return 0;
    ref = pajesim__import_last(sim, (const unsigned char *)(details + 1), size,
                               walk->kind == PAJESIM_STATE ? walk->type : 0);
    *fits &= ref != 0;
    if (!ref || PAJESIM__RECORD(sim, ref)->tag == (walk->kind == PAJESIM_LINK ? PAJESIM__CONTAINER : PAJESIM__VALUE))
        return ref;
    return walk->kind == PAJESIM_LINK ? PAJESIM__STATE(sim)->root : 0; /* the index is forged */
}

/* Collects what is open at a checkpoint and overlaps [from, to]; only counts if `items` is NULL.  Returns 0 if there is
 * no room for what that refers to. */
static int pajesim__collect_open(const pajesim_index *index, uint32_t number, pajesim *sim, pajesim_time from,
                                 pajesim_time to, pajesim__open_item *items, uint32_t *count)
{
    const pajesim__end_record *end_records = PAJESIM__END_RECORDS(number);
    int complete = pajesim_index_complete(index);
    pajesim__walk walk;
    uint32_t at = 0, depth;
    int fits = 1;
    memset(&walk, 0, sizeof walk);
    *count = 0;
    while (pajesim__walk_next(sim, &walk))
        for (depth = 0; depth < walk.count; depth++, at++) {
            const pajesim__end_record *end = &end_records[at];
            pajesim_ref imported;
            if ((end->order ? end->time < from : complete) || (end->flags & PAJESIM__IS_LOST) ||
                pajesim__start_at(sim, &walk, depth) > to)
                continue;
            /* A start that is still to come is later than `to`. */
            if (walk.kind == PAJESIM_LINK &&
                (!end->order || !PAJESIM__AT(sim, const pajesim__link, walk.ref)->started))
                continue;
            imported = pajesim__import_for(index, end, sim, &walk, &fits);
            if (!fits)
                return 0;
            if (items) {
                items[*count].order = end->order ? end->order : UINT32_MAX;
                items[*count].open_index = at;
                items[*count].depth = depth;
                items[*count].kind = walk.kind;
                items[*count].ref = walk.ref;
                items[*count].type = walk.type;
                items[*count].imported = imported;
            }
            ++*count;
        }
    return 1;
}

static void pajesim__view_open_item(const pajesim *sim, const pajesim__open_item *item, pajesim_entity *entity)
{
    pajesim__entity_clear_optional(entity);
    if (item->kind == PAJESIM_CONTAINER) {
        pajesim__view_container(sim, entity, item->ref);
    } else if (item->kind == PAJESIM_LINK) {
        const pajesim__link *link = PAJESIM__AT(sim, const pajesim__link, item->ref);
        pajesim__entity_init(entity, PAJESIM_LINK, link->id.scope, link->id.subscope, link->time, 1);
        entity->start_container = link->end_point;
        entity->end_container = item->imported;
        entity->value = link->value;
        entity->value_name = pajesim__link_value(sim, link);
        entity->key = pajesim__id_text(sim, &link->id);
        pajesim__view_kept_fields(sim, link->fields, &entity->opening);
    } else {
        pajesim_open_entity(sim, item->ref, item->type, item->depth, entity);
        if (item->imported) {
            entity->value = item->imported;
            entity->value_name = pajesim_name(sim, item->imported);
        }
    }
}

static void pajesim__apply_end(const pajesim_index *index, const pajesim__end_record *end, pajesim_entity *entity)
{
    const pajesim__end_details *details = PAJESIM__STORED(const pajesim__end_details, end->details);
    if (!end->order)
        return;
    entity->open = 0;
    entity->end = end->time;
    if (!end->details)
        return;
    if (details->fields)
        entity->closing = pajesim__view_named_fields(
            (const pajesim__named_fields *)(const void *)((const unsigned char *)(details + 1) + details->records));
    if (end->flags & PAJESIM__IS_CHANGED)
        entity->number = details->number;
}

PAJESIM_API pajesim_status pajesim_index_close_open(const pajesim_index *index, uint32_t number, pajesim *sim,
                                                    pajesim_time from, pajesim_time to)
{
    pajesim__offset block;
    pajesim__open_item *items;
    uint32_t count, i;
    int stopped = 0;
    if (!index || !sim || number >= pajesim_index_count(index))
        return PAJESIM_MISUSE;
    if (sim->busy)
        return PAJESIM_BUSY;
    if (pajesim_index_check(index, number, sim) != PAJESIM_OK ||
        pajesim__count_open(sim) != PAJESIM__CHECKPOINT(number)->count)
        return PAJESIM_STALE;
    sim->top = PAJESIM__HEAP(sim)->top;
    if (!pajesim__collect_open(index, number, sim, from, to, NULL, &count))
        return PAJESIM_FULL;
    block = pajesim__alloc(sim, (count + (pajesim__size)1) * sizeof *items);
    if (!pajesim__fits(sim)) {
        sim->needed = sim->top;
        pajesim__rollback(sim);
        return PAJESIM_FULL;
    }
    pajesim__commit(sim);
    items = PAJESIM__AT(sim, pajesim__open_item, block);
    pajesim__collect_open(index, number, sim, from, to, items, &count);
    pajesim__sort(items, count);
    PAJESIM__STATE(sim)->stage = PAJESIM__FINISHED;
    sim->busy = 1;
    for (i = 0; i < count && !stopped; i++) {
        pajesim_entity entity;
        pajesim__view_open_item(sim, &items[i], &entity);
        pajesim__apply_end(index, &PAJESIM__END_RECORDS(number)[items[i].open_index], &entity);
        if (sim->callbacks->closed)
            stopped = sim->callbacks->closed(sim, &entity) == PAJESIM_STOP;
    }
    sim->busy = 0;
    return stopped ? PAJESIM_STOPPED : PAJESIM_OK;
}
#endif /* PAJESIM_TRAVEL */

/* ---------------- src/pajesim/travel/index_build.h */

/* Building an index: adds checkpoints while a trace is replayed, and records the ends of what was open at them. */

#if PAJESIM_TRAVEL

/* With `automatic`, two checkpoints are at least this many times the bytes of the arena apart. */
#define PAJESIM__ARENAS_BETWEEN 24u

/* ---- the hooks ---- */

/* Returns 1 + the index of the record `open_index` of the latest checkpoint if its end is still unknown; else 0: that
 * checkpoint was dropped, and open indices are invalid. */
static uint32_t pajesim__pending_record(const pajesim_index *index, uint32_t open_index)
{
    return open_index < PAJESIM__CHECKPOINT(PAJESIM__LATEST)->count &&
                   !PAJESIM__END_RECORDS(PAJESIM__LATEST)[open_index].order
               ? open_index + 1
               : 0;
}

PAJESIM__COLD void pajesim__note_flag(pajesim *sim, uint32_t open_index, uint32_t flag)
{
    const pajesim_index *index = sim->index;
    uint32_t number, at;
    for (number = PAJESIM__LATEST, at = pajesim__pending_record(index, open_index); at; number--) {
        pajesim__end_record *record = &PAJESIM__END_RECORDS(number)[at - 1];
        record->flags |= flag;
        at = record->earlier;
    }
}

/* Returns the flags of an entity at all checkpoints where it was open, and in *serial the newest container that there
 * was at the first of them. */
static uint32_t pajesim__flags_of(const pajesim_index *index, uint32_t at, uint32_t *serial)
{
    uint32_t number, flags = 0;
    for (number = PAJESIM__LATEST; at; number--) {
        flags |= PAJESIM__END_RECORDS(number)[at - 1].flags;
        *serial = PAJESIM__CHECKPOINT(number)->serial;
        at = PAJESIM__END_RECORDS(number)[at - 1].earlier;
    }
    return flags;
}

/* Stores what is known of an end besides its time, if anything, at *offset.  Returns 0 if there is no room. */
static int pajesim__store_end_details(pajesim_index *index, const pajesim *sim, pajesim__line *line, uint32_t at,
                                      pajesim_ref ref, const pajesim_quantity *number, pajesim__offset *offset)
{
    uint32_t serial = 0, flags = pajesim__flags_of(index, at, &serial), pass;
    int is_value = ref && PAJESIM__RECORD(sim, ref)->tag == PAJESIM__VALUE;
    int is_late =
        is_value && (flags & PAJESIM__WAS_IMPLICIT) && !(PAJESIM__RECORD(sim, ref)->flags & PAJESIM__IMPLICIT);
    pajesim__far_list list;
    pajesim_fields fields;
    pajesim__end_details details;
    memset(&list, 0, sizeof list);
    list.sim = sim;
    memset(&fields, 0, sizeof fields);
    if (line)
        pajesim__line_user_fields(sim, line, &fields);
    memset(&details, 0, sizeof details);
    details.fields = fields.count ? pajesim__named_fields_size(sim, &fields) : 0;
    if (number && (flags & PAJESIM__IS_CHANGED))
        details.number = *number;
    for (pass = 0; pass < 2; pass++) {
        unsigned char *to;
        if (is_late)
            pajesim__add_far(&list, ref, 0);
        else if (ref && !is_value)
            pajesim__add_far_containers(&list, ref, serial);
        if (pass)
            break;
        if (!details.fields && !list.size && !(flags & PAJESIM__IS_CHANGED))
            break;
        if (list.size >= PAJESIM__FAR_MAX)
            return 0;
        details.records = (uint32_t)list.size;
        *offset = pajesim__store_alloc(index, sizeof details + list.size + details.fields);
        if (!*offset) /* no checkpoint is left but the first */
            break;
        to = PAJESIM__STORED(unsigned char, *offset);
        memcpy(to, &details, sizeof details);
        list.begin = to + sizeof details + list.size;
        list.size = 0; /* the second time, as many are added as the first time */
        if (fields.count)
            pajesim__store_named_fields((pajesim__named_fields *)(void *)list.begin, sim, &fields);
    }
    return 1;
}

PAJESIM__COLD void pajesim__note_end(pajesim *sim, pajesim__line *line, uint32_t open_index, pajesim_time time,
                                     pajesim_ref ref, const pajesim_quantity *number)
{
    pajesim_index *index = sim->index;
    uint32_t at = pajesim__pending_record(index, open_index), checkpoint, order;
    pajesim__offset offset = 0;
    pajesim__end_details *details = NULL;
    if (!at)
        return;
    if (!pajesim__store_end_details(index, sim, line, at, ref, number, &offset))
        while (pajesim_index_count(index) > 1) /* without the end they are of no use */
            pajesim__drop_checkpoint(index, PAJESIM__LATEST);
    if (offset)
        details = PAJESIM__STORED(pajesim__end_details, offset);
    order = ++PAJESIM__INDEX->order;
    at = pajesim__pending_record(index, open_index); /* storing may have dropped checkpoints */
    for (checkpoint = PAJESIM__LATEST; at; checkpoint--) {
        pajesim__end_record *record = &PAJESIM__END_RECORDS(checkpoint)[at - 1];
        record->time = time;
        record->order = order;
        record->details = offset;
        if (details)
            details->refs++;
        at = record->earlier;
    }
    if (details && !details->refs)
        pajesim__store_free(index, offset);
}

static const pajesim__watch pajesim__index_watch = {pajesim__note_end, pajesim__note_flag};

/* Attaches the index to a simulation, which calls its hooks from now on. */
static void pajesim__attach_index(pajesim_index *index, pajesim *sim)
{
    index->sim = sim;
    index->watch = &pajesim__index_watch;
    sim->index = index;
}

/* ---- adding checkpoints ---- */

/* Restarts the least and the greatest time at a new checkpoint; returns the greatest time before it. */
static pajesim_time pajesim__fold_times(const pajesim_index *index, pajesim *sim)
{
    pajesim__state *state = PAJESIM__STATE(sim);
    if (state->first < state->past_first)
        state->past_first = state->first;
    if (state->last > state->past_last)
        state->past_last = state->last;
    if (PAJESIM__INDEX->count && state->first < PAJESIM__CHECKPOINT(PAJESIM__LATEST)->least)
        PAJESIM__CHECKPOINT(PAJESIM__LATEST)->least = state->first;
    state->first = -PAJESIM__TIME_LEAST;
    state->last = PAJESIM__TIME_LEAST;
    return state->past_last;
}

/* Initializes the end records of a new checkpoint, chains them to those of the latest one, and tracks what is open. */
static void pajesim__init_end_records(const pajesim_index *index, pajesim *sim, pajesim__end_record *record)
{
    pajesim__walk walk;
    uint32_t count = 0, i;
    memset(&walk, 0, sizeof walk);
    for (; pajesim__walk_next(sim, &walk); count += walk.count) {
        uint32_t before = pajesim__renumber(sim, &walk, count);
        for (i = 0; i < walk.count; i++, record++) {
            pajesim__offset *fields = pajesim__fields_at(sim, &walk, i);
            memset(record, 0, sizeof *record);
            if ((*fields & PAJESIM__TRACKED) && PAJESIM__INDEX->count)
                record->earlier = pajesim__pending_record(index, before + i);
            *fields |= PAJESIM__TRACKED;
            if (walk.kind == PAJESIM_STATE &&
                (PAJESIM__RECORD(sim, pajesim__frame_of(sim, &walk, i)->value)->flags & PAJESIM__IMPLICIT))
                record->flags = PAJESIM__WAS_IMPLICIT;
        }
    }
}

/* Reserves room for one more checkpoint in the directory; returns 0 if there is none. */
static int pajesim__reserve_directory(pajesim_index *index)
{
    uint32_t capacity = PAJESIM__INDEX->capacity ? 2 * PAJESIM__INDEX->capacity : 16;
    pajesim__offset larger;
    if (PAJESIM__INDEX->count < PAJESIM__INDEX->capacity)
        return 1;
    larger = pajesim__store_alloc(index, capacity * sizeof(pajesim__checkpoint));
    if (!larger)
        return 0;
    memset(PAJESIM__STORED(unsigned char, larger), 0, capacity * sizeof(pajesim__checkpoint));
    if (PAJESIM__INDEX->capacity)
        memcpy(PAJESIM__STORED(pajesim__checkpoint, larger), PAJESIM__CHECKPOINT(0),
               PAJESIM__INDEX->count * sizeof(pajesim__checkpoint));
    pajesim__store_free(index, PAJESIM__INDEX->directory);
    PAJESIM__INDEX->directory = larger;
    PAJESIM__INDEX->capacity = capacity;
    return 1;
}

/* Adds the image of the latest checkpoint.  It is packed in place if there is plenty of room; else it is measured
 * first.  Returns 0 if there is no room. */
static int pajesim__add_image(pajesim_index *index, const pajesim *sim, size_t *size)
{
    const pajesim__index *store = PAJESIM__INDEX;
    unsigned char *dest = index->memory + store->top + sizeof(pajesim__block_head);
    size_t max_size = pajesim__packed_max(sim);
    int packed = index->capacity - store->top >= pajesim__block_size(max_size);
    pajesim__offset offset;
    *size = pajesim__pack(sim, packed ? dest : NULL);
    offset = pajesim__store_alloc(index, *size);
    if (!offset || PAJESIM__CHECKPOINT(PAJESIM__LATEST)->image) { /* the checkpoint itself was dropped to make room */
        pajesim__store_free(index, offset);
        return 0;
    }
    if (!packed)
        pajesim__pack(sim, PAJESIM__STORED(unsigned char, offset));
    PAJESIM__CHECKPOINT(PAJESIM__LATEST)->image = offset;
    PAJESIM__CHECKPOINT(PAJESIM__LATEST)->image_size = (uint32_t)*size;
    return 1;
}

/* Adds a checkpoint.  If it does not fit, all checkpoints except the first have been dropped, and open indices are
 * invalid. */
static pajesim_status pajesim__add_checkpoint(pajesim_index *index, pajesim *sim, uint32_t ended)
{
    pajesim__checkpoint checkpoint;
    size_t size = 0;
    memset(&checkpoint, 0, sizeof checkpoint);
    checkpoint.count = pajesim__count_open(sim);
    checkpoint.end_records = pajesim__reserve_directory(index)
                                 ? pajesim__store_alloc(index, checkpoint.count * sizeof(pajesim__end_record))
                                 : 0;
    if (checkpoint.end_records) {
        checkpoint.greatest = pajesim__fold_times(index, sim);
        checkpoint.least = -PAJESIM__TIME_LEAST;
        checkpoint.offset = PAJESIM__STATE(sim)->counts.bytes;
        checkpoint.digest = pajesim__digest_of(PAJESIM__STATE(sim));
        checkpoint.events = pajesim_count(sim)->events;
        checkpoint.top = PAJESIM__HEAP(sim)->top;
        checkpoint.serial = (uint32_t)PAJESIM__STATE(sim)->counts.by_event[PAJESIM_CREATE_CONTAINER];
        checkpoint.ended = ended;
        pajesim__init_end_records(index, sim, PAJESIM__STORED(pajesim__end_record, checkpoint.end_records));
        *PAJESIM__CHECKPOINT(PAJESIM__INDEX->count) = checkpoint;
        PAJESIM__INDEX->count++;
        if (pajesim__add_image(index, sim, &size))
            return PAJESIM_OK;
        if (!PAJESIM__CHECKPOINT(PAJESIM__LATEST)->image)
            pajesim__drop_checkpoint(index, PAJESIM__LATEST);
    }
    if (!size)
        size = pajesim__pack(sim, NULL);
    index->needed = PAJESIM__INDEX->top - PAJESIM__INDEX->dead + pajesim__block_size(16 * sizeof checkpoint) +
                    (uint64_t)pajesim__block_size(checkpoint.count * sizeof(pajesim__end_record)) +
                    pajesim__block_size(size);
    return PAJESIM_FULL;
}

PAJESIM_API pajesim_status pajesim_index_init(pajesim_index *index, void *memory, size_t size,
                                              const pajesim_index_options *options)
{
    if (!index || !memory || !pajesim__is_aligned(memory))
        return PAJESIM_MISUSE;
    memset(index, 0, sizeof *index);
    index->memory = (unsigned char *)memory;
    index->capacity = PAJESIM__MIN(size, (size_t)PAJESIM__CAPACITY_MAX);
    index->needed = pajesim__first_block();
    if (size < index->needed)
        return PAJESIM_FULL;
    memset(index->memory, 0, (size_t)index->needed);
    PAJESIM__INDEX->top = pajesim__first_block();
    PAJESIM__INDEX->bytes = options ? options->bytes : 0;
    PAJESIM__INDEX->events = options ? options->events : 0;
    if (!PAJESIM__INDEX->bytes && !PAJESIM__INDEX->events) {
        PAJESIM__INDEX->automatic = 1;
        PAJESIM__INDEX->bytes = UINT32_C(4) << 20;
    }
    return PAJESIM_OK;
}

PAJESIM_API pajesim_status pajesim_index_begin(pajesim_index *index, pajesim *sim)
{
    pajesim_status status;
    if (!index || !sim || pajesim_index_count(index))
        return PAJESIM_MISUSE;
    if (sim->busy) /* or not begun, without an arena */
        return PAJESIM_BUSY;
    if (PAJESIM__STATE(sim)->counts.bytes || (sim->index && sim->index != index))
        return PAJESIM_MISUSE;
    PAJESIM__STATE(sim)->digests = 1;
    status = pajesim__add_checkpoint(index, sim, 0);
    if (status != PAJESIM_OK)
        return status;
    pajesim__attach_index(index, sim);
    return PAJESIM_OK;
}

/* Returns PAJESIM_OK if the simulation is attached to this index, and between two lines of the trace itself. */
static pajesim_status pajesim__check_attached(const pajesim_index *index, const pajesim *sim)
{
    if (!index || !sim || index->sim != sim || sim->index != index)
        return PAJESIM_MISUSE;
    if (sim->busy)
        return PAJESIM_BUSY;
    if (PAJESIM__CONST_STATE(sim)->stopped) /* its state is not that between two lines of every replay */
        return PAJESIM_STOPPED;
    if (PAJESIM__CONST_STATE(sim)->stage != PAJESIM__READING)
        return PAJESIM_FINISHED;
    return PAJESIM__FILE(PAJESIM__CONST_STATE(sim)) ? PAJESIM_OPEN : PAJESIM_OK;
}

PAJESIM_API pajesim_status pajesim_index_step(pajesim_index *index, pajesim *sim)
{
    const pajesim__checkpoint *latest;
    pajesim__index *store;
    uint64_t bytes, events;
    pajesim_status status = pajesim__check_attached(index, sim);
    if (status != PAJESIM_OK)
        return status;
    store = PAJESIM__INDEX;
    latest = PAJESIM__CHECKPOINT(PAJESIM__LATEST);
    bytes = PAJESIM__STATE(sim)->counts.bytes - (store->failed.bytes ? store->failed.bytes : latest->offset);
    if (store->automatic && bytes < PAJESIM__ARENAS_BETWEEN * (uint64_t)PAJESIM__HEAP(sim)->top)
        return PAJESIM_OK;
    events = store->events ? pajesim_count(sim)->events - (store->failed.bytes ? store->failed.events : latest->events)
                           : 0;
    if (!(store->bytes && bytes >= store->bytes) && !(store->events && events >= store->events))
        return PAJESIM_OK;
    status = pajesim__add_checkpoint(index, sim, 0);
    store->failed.bytes = store->failed.events = 0;
    if (status == PAJESIM_FULL) { /* try later, and less often */
        store->bytes *= 2;
        store->events *= 2;
        store->failed.bytes = PAJESIM__STATE(sim)->counts.bytes;
        store->failed.events = pajesim_count(sim)->events;
    }
    return status;
}

PAJESIM_API pajesim_status pajesim_index_checkpoint_now(pajesim_index *index, pajesim *sim)
{
    pajesim_status status = pajesim__check_attached(index, sim);
    if (status == PAJESIM_OK && PAJESIM__STATE(sim)->counts.bytes > PAJESIM__CHECKPOINT(PAJESIM__LATEST)->offset)
        status = pajesim__add_checkpoint(index, sim, 0);
    return status;
}

/* Simulates the last line if it lacks its newline, with a checkpoint before and after it. */
static pajesim_status pajesim__end_index(pajesim_index *index, pajesim *sim)
{
    pajesim__state *state = PAJESIM__STATE(sim);
    pajesim_status status;
    if (!PAJESIM__INDEX->ended) {
        status = pajesim_index_checkpoint_now(index, sim);
        if (status != PAJESIM_OK ||
            (!state->carry_size && state->cut == PAJESIM__IN_INDENT && (!state->bom_state || state->bom_state == 3)))
            return status;
        pajesim__enter(sim);
        status = pajesim__leave(sim, pajesim__flush_last_line(sim));
        if (status != PAJESIM_OK && status != PAJESIM_PAUSED)
            return status;
        PAJESIM__INDEX->ended = 1;
    }
    return PAJESIM__CHECKPOINT(PAJESIM__LATEST)->ended ? PAJESIM_OK : pajesim__add_checkpoint(index, sim, 1);
}

PAJESIM_API pajesim_status pajesim_index_finish(pajesim_index *index, pajesim *sim)
{
    pajesim_status status = pajesim__check_attached(index, sim);
    if (status == PAJESIM_FINISHED) /* it was paused while it closed what is open */
        status = PAJESIM_OK;
    else if (status == PAJESIM_STOPPED)
        return pajesim_finish(sim);
    else if (status == PAJESIM_OK)
        status = pajesim__end_index(index, sim);
    if (status == PAJESIM_OK)
        status = pajesim_finish(sim);
    if (status == PAJESIM_OK || status == PAJESIM_INVALID) {
        PAJESIM__INDEX->complete = 1;
        sim->index = NULL;
        index->sim = NULL;
    }
    return status;
}

PAJESIM_API pajesim_status pajesim_index_resume(pajesim_index *index, pajesim *sim, void *arena, size_t capacity,
                                                const pajesim_callbacks *callbacks, void *data)
{
    pajesim_status status;
    uint32_t number, i;
    if (!index || !sim || !pajesim_index_count(index))
        return PAJESIM_MISUSE;
    number = PAJESIM__LATEST;
    if (PAJESIM__CHECKPOINT(number)->ended)
        number--;
    status = pajesim_index_restore(index, number, sim, arena, capacity, callbacks, data);
    if (status != PAJESIM_OK)
        return status;
    if (number < PAJESIM__LATEST)
        pajesim__drop_checkpoint(index, PAJESIM__LATEST);
    PAJESIM__CHECKPOINT(number)->least = -PAJESIM__TIME_LEAST;
    /* The ends after the last checkpoint are unknown again; what changed between checkpoints before it is not. */
    for (i = 0; i < PAJESIM__CHECKPOINT(number)->count; i++) {
        uint32_t at = i + 1, earlier = number;
        for (; at; earlier--) {
            pajesim__end_record *record = &PAJESIM__END_RECORDS(earlier)[at - 1];
            pajesim__release_end_details(index, record->details);
            record->details = 0;
            record->order = 0;
            record->flags &= PAJESIM__WAS_IMPLICIT | (earlier < number ? (uint32_t)PAJESIM__IS_CHANGED : 0);
            at = record->earlier;
        }
    }
    PAJESIM__INDEX->complete = PAJESIM__INDEX->ended = 0;
    PAJESIM__INDEX->failed.bytes = 0;
    pajesim__attach_index(index, sim);
    return PAJESIM_OK;
}

PAJESIM_API pajesim_status pajesim_index_move(pajesim_index *index, void *memory, size_t size)
{
    if (!index || !memory || !pajesim__is_aligned(memory))
        return PAJESIM_MISUSE;
    if (size < PAJESIM__INDEX->top) {
        index->needed = PAJESIM__INDEX->top;
        return PAJESIM_FULL;
    }
    if (memory != index->memory)
        memcpy(memory, index->memory, PAJESIM__INDEX->top);
    index->memory = (unsigned char *)memory;
    index->capacity = PAJESIM__MIN(size, (size_t)PAJESIM__CAPACITY_MAX);
    return PAJESIM_OK;
}

PAJESIM_API uint64_t pajesim_index_capacity_needed(const pajesim_index *index)
{
    return index->needed;
}

PAJESIM_API const void *pajesim_index_save(pajesim_index *index, size_t *size)
{
    pajesim__image head;
    if (PAJESIM__INDEX->dead > PAJESIM__INDEX->top / 8)
        pajesim__compact(index);
    *size = PAJESIM__INDEX->top;
    head = pajesim__image_of(PAJESIM__INDEX_MAGIC, pajesim__index_fingerprint(), (uint32_t)*size,
                             index->memory + sizeof head, *size - sizeof head);
    memcpy(index->memory, &head, sizeof head);
    return index->memory;
}

PAJESIM_API pajesim_status pajesim_index_load(pajesim_index *index, void *memory, size_t capacity, size_t size)
{
    pajesim__image head;
    pajesim_status status;
    if (!index || !memory || !pajesim__is_aligned(memory) || size > capacity)
        return PAJESIM_MISUSE;
    if (size < sizeof head)
        return PAJESIM_INCOMPATIBLE;
    memcpy(&head, memory, sizeof head);
    status = pajesim__check_image(PAJESIM__INDEX_MAGIC, pajesim__index_fingerprint(), &head,
                                  (unsigned char *)memory + sizeof head, size);
    if (status != PAJESIM_OK)
        return status;
    memset(index, 0, sizeof *index);
    index->memory = (unsigned char *)memory;
    index->capacity = PAJESIM__MIN(capacity, (size_t)PAJESIM__CAPACITY_MAX);
    return pajesim__index_is_sound(index, size) ? PAJESIM_OK : PAJESIM_DAMAGED;
}
#endif /* PAJESIM_TRAVEL */

/* ---------------- src/pajesim/travel/budget.h */

/* The memory of a window: the arena of its simulation at its beginning, the stored parts at its end, and between them
 * the part that is being filled. */

#if PAJESIM_TRAVEL

/* The header in front of a part's arena. */
typedef struct pajesim__part {
    uint64_t begin, end; /* offsets in the trace */
    uint64_t shown;      /* number of the show that used it last */
    uint32_t ended;      /* as in pajesim__checkpoint */
    uint32_t size;       /* this header included */
    pajesim__offset first, last;
} pajesim__part;

static pajesim__part *pajesim__part_at(const pajesim_window *window, size_t at)
{
    return (pajesim__part *)(void *)(window->memory + at);
}

/* Returns the capacity of the arena of the part that is being filled.  Offsets in it, and the size of the whole part,
 * have 32 bits, whatever the budget is. */
static size_t pajesim__part_capacity(const pajesim_window *window)
{
    return PAJESIM__MIN(window->high - window->low - sizeof(pajesim__part),
                        PAJESIM__CAPACITY_MAX - sizeof(pajesim__part) - 7);
}

/* Returns the distance of a part from what is shown, in bytes of the trace; 0 if it is shown itself. */
static uint64_t pajesim__distance(const pajesim_window *window, const pajesim__part *part)
{
    if (part->begin >= window->last)
        return part->begin - window->last + 1;
    return part->end <= window->first ? window->first - part->end + 1 : 0;
}

/* Drops the part that is farthest from what is shown, the least recently shown one among equals; parts that are shown
 * only if `all`.  Returns 0 if there is none to drop. */
static int pajesim__drop_part(pajesim_window *window, int all)
{
    size_t at, victim = window->size;
    uint64_t farthest = 0;
    const pajesim__part *part;
    for (at = window->high; at < window->size; at += part->size) {
        uint64_t distance;
        part = pajesim__part_at(window, at);
        distance = pajesim__distance(window, part);
        if ((distance || all) && (victim == window->size || distance > farthest ||
                                  (distance == farthest && part->shown < pajesim__part_at(window, victim)->shown))) {
            victim = at;
            farthest = distance;
        }
    }
    if (victim == window->size)
        return 0;
    at = pajesim__part_at(window, victim)->size;
    memmove(window->memory + window->high + at, window->memory + window->high, victim - window->high);
    window->high += at;
    return 1;
}

static pajesim__offset pajesim__part_alloc(pajesim *part, pajesim__size size)
{
    pajesim_window *window = (pajesim_window *)part->data;
    for (;;) {
        pajesim__offset offset = pajesim__alloc(part, size);
        if (pajesim__fits(part)) {
            pajesim__commit(part);
            return offset;
        }
        pajesim__rollback(part);
        if (!pajesim__drop_part(window, 0))
            return 0;
        part->capacity = pajesim__part_capacity(window);
    }
}

/* Grows the simulation's arena to `needed` bytes and some more; returns 0 if the block is too small.  The part that is
 * being filled moves up, or is abandoned. */
static int pajesim__reserve_arena(pajesim_window *window, uint64_t needed)
{
    size_t filled = window->filling ? sizeof(pajesim__part) + pajesim_used(&window->part) : 0;
    size_t low = (size_t)(needed + 7) & ~(size_t)7;
    if (needed > window->size)
        return 0;
    if (needed <= window->low)
        return 1;
    while (low > window->high - filled || window->high < filled) {
        if (pajesim__drop_part(window, !filled))
            continue;
        window->filling = 0;
        filled = 0;
    }
    low += (window->high - filled - low) / 4 & ~(size_t)7;
    if (filled) {
        memmove(window->memory + low, window->memory + window->low, filled);
        window->part.arena = window->memory + low + sizeof(pajesim__part);
    }
    window->low = low;
    if (filled)
        window->part.capacity = pajesim__part_capacity(window);
    return 1;
}

#endif /* PAJESIM_TRAVEL */

/* ---------------- src/pajesim/travel/part.h */

/* Parts: what a window stores.
 *
 * A part has the entities that closed between two checkpoints, and copies of the types, values and containers that
 * these refer to, in an arena of its own: so the queries of a simulation work on a part, and a part can be moved. */

#if PAJESIM_TRAVEL

typedef struct pajesim__stored_entity {
    pajesim__offset next;
    pajesim_ref container, type, value;
    pajesim_time start, end;
    uint32_t imbrication;
    pajesim__offset details; /* a pajesim__entity_details; 0: none */
    union {
        pajesim_quantity number;
        pajesim_ref ends[2]; /* of a link */
    } u;
} pajesim__stored_entity;

typedef struct pajesim__entity_details {
    pajesim__offset opening, closing; /* user fields */
    pajesim__text value, key;
} pajesim__entity_details;

static pajesim__text pajesim__part_copy_text(pajesim *part, pajesim_text text, int *full)
{
    pajesim__text copy = pajesim__part_alloc(part, (pajesim__size)text.size + sizeof(pajesim__length));
    if (copy)
        pajesim__write_text(part, copy, text.bytes, (uint32_t)text.size);
    else
        *full = 1;
    return copy;
}

static pajesim__table *pajesim__table_of(pajesim *sim, uint32_t tag)
{
    pajesim__state *state = PAJESIM__STATE(sim);
    return tag == PAJESIM__TYPE ? &state->types : tag == PAJESIM__VALUE ? &state->values : &state->containers;
}

/* Returns by what records of a part differ besides their identifier: values by their type, and whether they were
 * defined yet; containers by their serial number. */
static void pajesim__scopes_of(const pajesim *sim, pajesim_ref ref, pajesim_ref type, uint32_t *scope,
                               uint32_t *subscope)
{
    const pajesim__record *record = PAJESIM__RECORD(sim, ref);
    *scope = type;
    *subscope = record->tag == PAJESIM__VALUE ? record->flags & PAJESIM__IMPLICIT : pajesim_serial(sim, ref);
}

static const pajesim__record *pajesim__record_at(const pajesim *sim, pajesim_ref ref)
{
    return PAJESIM__RECORD(sim, ref);
}

static pajesim__container *pajesim__container_of(const pajesim *sim, pajesim_ref ref)
{
    return PAJESIM__CONTAINER_AT(sim, ref);
}

/* Returns the copy of a record; 0 if there is none yet.  `type`: for a value, the copy of its type. */
static pajesim_ref pajesim__find_copy(pajesim *sim, const pajesim *from, pajesim_ref ref, pajesim_ref type)
{
    pajesim_text alias = pajesim_alias(from, ref);
    pajesim__key key = pajesim__key_of(alias.bytes, (uint32_t)alias.size);
    uint32_t scope, subscope;
    if (ref == pajesim_root(from))
        return pajesim_root(sim);
    if (ref == pajesim_root_type(from))
        return pajesim_root_type(sim);
    pajesim__scopes_of(from, ref, type, &scope, &subscope);
    return pajesim__table_find(sim, pajesim__table_of(sim, pajesim__record_at(from, ref)->tag), &key, scope, subscope);
}

/* Copies a record whose parent is copied already.  `type`: for a value or a container, the copy of its type. */
static pajesim_ref pajesim__copy_one(pajesim *sim, const pajesim *from, pajesim_ref ref, pajesim_ref parent,
                                     pajesim_ref type, int *full)
{
    static const uint32_t sizes[] = {0, sizeof(pajesim__type), sizeof(pajesim__value),
                                     PAJESIM__CONTAINER_HEAD + PAJESIM__CONTAINER_REST};
    const pajesim__record *record = pajesim__record_at(from, ref);
    pajesim__table *table = pajesim__table_of(sim, record->tag);
    pajesim_text alias = pajesim_alias(from, ref);
    pajesim__key key = pajesim__key_of(alias.bytes, (uint32_t)alias.size);
    pajesim_ref copy = pajesim__part_alloc(sim, sizes[record->tag]);
    pajesim__offset bytes = key.size > 2 * PAJESIM__HALF ? pajesim__part_alloc(sim, key.size) : 0;
    pajesim__text name = record->name ? pajesim__part_copy_text(sim, pajesim_name(from, ref), full) : 0;
    pajesim__text color = record->color ? pajesim__part_copy_text(sim, pajesim_color(from, ref), full) : 0;
    pajesim__size growth = pajesim__table_growth(table), node;
    pajesim__table_reservation entry = {0, 0};
    uint32_t scope, subscope;
    pajesim__scopes_of(from, ref, record->tag == PAJESIM__VALUE ? type : 0, &scope, &subscope);
    node = pajesim__table_node_size(sim, table, pajesim__hash(&key, scope, subscope));
    if (growth)
        entry.grown = pajesim__part_alloc(sim, growth);
    if (node)
        entry.node = pajesim__part_alloc(sim, node);
    *full |= !copy || (growth && !entry.grown) || (node && !entry.node) || (key.size > 2 * PAJESIM__HALF && !bytes);
    if (*full)
        return 0;
    memset(PAJESIM__BYTES(sim, copy), 0, sizes[record->tag]);
    copy = record->tag == PAJESIM__CONTAINER ? PAJESIM__CONTAINER_IN(copy) : PAJESIM__RECORD_IN(copy);
    PAJESIM__RECORD(sim, copy)->tag = record->tag;
    PAJESIM__RECORD(sim, copy)->kind = record->kind;
    PAJESIM__RECORD(sim, copy)->flags = record->flags;
    PAJESIM__RECORD(sim, copy)->name = name;
    PAJESIM__RECORD(sim, copy)->color = color;
    pajesim__init_id(sim, &PAJESIM__RECORD(sim, copy)->id, &key, bytes, scope, subscope);
    pajesim__table_insert(sim, table, &entry, copy);
    if (record->tag == PAJESIM__VALUE)
        PAJESIM__RECORD(sim, copy)->parent = type;
    else if (parent)
        pajesim__tree_append(sim, parent, copy);
    if (record->tag == PAJESIM__CONTAINER) {
        PAJESIM__CONTAINER_AT(sim, copy)->type = PAJESIM__CONTAINER_AT(sim, copy)->declared_type = type;
        PAJESIM__CONTAINER_AT(sim, copy)->serial = subscope;
        PAJESIM__CONTAINER_AT(sim, copy)->start = pajesim_start_of(from, ref);
    }
    return copy;
}

/* Copies a type or a container, after its ancestors and its type; without recursion. */
static pajesim_ref pajesim__copy_tree(pajesim *sim, const pajesim *from, pajesim_ref ref, int *full)
{
    pajesim_ref copy = pajesim__find_copy(sim, from, ref, 0);
    while (!copy && !*full) {
        pajesim_ref missing = ref, above, parent, type;
        for (;;) {
            parent = 0;
            for (above = pajesim_parent(from, missing); above; above = pajesim_parent(from, above)) {
                parent = pajesim__find_copy(sim, from, above, 0);
                if (parent)
                    break;
                missing = above;
            }
            above = pajesim_type_of(from, missing);
            type = above ? pajesim__find_copy(sim, from, above, 0) : 0;
            if (!above || type)
                break;
            missing = above;
        }
        copy = pajesim__copy_one(sim, from, missing, parent, type, full);
        if (missing != ref)
            copy = 0;
    }
    return copy;
}

static pajesim_ref pajesim__copy_record(pajesim *sim, const pajesim *from, pajesim_ref ref, int *full)
{
    pajesim_ref type, copy;
    if (pajesim__record_at(from, ref)->tag != PAJESIM__VALUE)
        return pajesim__copy_tree(sim, from, ref, full);
    type = pajesim__copy_tree(sim, from, pajesim_parent(from, ref), full);
    copy = *full ? 0 : pajesim__find_copy(sim, from, ref, type);
    return copy || *full ? copy : pajesim__copy_one(sim, from, ref, 0, type, full);
}

/* Returns the copy of a record, after making it if needed.  A live container refers to its copy; those of types and
 * defined values are cached. */
static pajesim_ref pajesim__copy(pajesim *sim, const pajesim *from, pajesim_ref ref, int *full)
{
    const pajesim__record *record = pajesim__record_at(from, ref);
    if (!ref)
        return 0;
    if (record->tag == PAJESIM__CONTAINER) {
        pajesim__container *container = pajesim__container_of(from, ref);
        if (!container->type)
            return pajesim__copy_record(sim, from, ref, full);
        if (!container->aux.copy)
            container->aux.copy = pajesim__copy_record(sim, from, ref, full);
        return container->aux.copy;
    }
#if PAJESIM_CACHE
    if (!(record->flags & PAJESIM__IMPLICIT)) {
        uint32_t slot = (uint32_t)((ref * UINT64_C(0x9E3779B97F4A7C15)) >> 40) & (PAJESIM_CACHE - 1u);
        if (sim->cache[slot].lo != ref) {
            sim->cache[slot].lo = ref;
            sim->cache[slot].ref = pajesim__copy_record(sim, from, ref, full);
        }
        return sim->cache[slot].ref;
    }
#endif
    return pajesim__copy_record(sim, from, ref, full);
}

/* Clears the references to copies, as the next ones go to another part. */
static void pajesim__clear_copies(const pajesim *sim)
{
    pajesim_ref ref;
    for (ref = PAJESIM__CONST_STATE(sim)->root; ref; ref = pajesim__next_container(sim, ref))
        PAJESIM__CONTAINER_AT(sim, ref)->aux.copy = 0;
}

/* ---- entities ---- */

static pajesim__part *pajesim__part_of(pajesim *sim)
{
    return (pajesim__part *)(void *)sim->arena - 1;
}

static pajesim__offset pajesim__part_copy_fields(pajesim *sim, const pajesim *from, const pajesim_fields *fields,
                                                 int *full)
{
    pajesim__offset offset = pajesim__part_alloc(sim, pajesim__named_fields_size(from, fields));
    if (offset)
        pajesim__store_named_fields(PAJESIM__AT(sim, pajesim__named_fields, offset), from, fields);
    else
        *full = 1;
    return offset;
}

static pajesim__offset pajesim__part_add_details(pajesim *sim, const pajesim *from, const pajesim_entity *entity,
                                                 int *full)
{
    pajesim__entity_details details = {0, 0, 0, 0};
    pajesim__offset offset;
    if (entity->opening.count)
        details.opening = pajesim__part_copy_fields(sim, from, &entity->opening, full);
    if (entity->closing.count)
        details.closing = pajesim__part_copy_fields(sim, from, &entity->closing, full);
    if (!entity->value && entity->value_name.size)
        details.value = pajesim__part_copy_text(sim, entity->value_name, full);
    if (entity->key.size)
        details.key = pajesim__part_copy_text(sim, entity->key, full);
    if (!details.opening && !details.closing && !details.value && !details.key)
        return 0;
    offset = pajesim__part_alloc(sim, sizeof details);
    if (offset)
        memcpy(PAJESIM__BYTES(sim, offset), &details, sizeof details);
    else
        *full = 1;
    return offset;
}

/* Adds an entity to a part; returns 0 if there is no room. */
static int pajesim__part_add(pajesim *sim, const pajesim *from, const pajesim_entity *entity)
{
    int full = 0;
    pajesim__stored_entity stored;
    pajesim__part *part;
    pajesim__offset offset;
    memset(&stored, 0, sizeof stored);
    stored.container = pajesim__copy(sim, from, entity->container, &full);
    stored.type = pajesim__copy(sim, from, entity->type, &full);
    stored.value = pajesim__copy(sim, from, entity->value, &full);
    stored.start = entity->start;
    stored.end = entity->end;
    stored.imbrication = entity->imbrication;
    if (entity->kind == PAJESIM_LINK) {
        stored.u.ends[0] = pajesim__copy(sim, from, entity->start_container, &full);
        stored.u.ends[1] = pajesim__copy(sim, from, entity->end_container, &full);
    } else {
        stored.u.number = entity->number;
    }
    stored.details = pajesim__part_add_details(sim, from, entity, &full);
    offset = pajesim__part_alloc(sim, sizeof stored);
    if (full || !offset)
        return 0;
    memcpy(PAJESIM__BYTES(sim, offset), &stored, sizeof stored);
    part = pajesim__part_of(sim);
    if (part->last)
        PAJESIM__AT(sim, pajesim__stored_entity, part->last)->next = offset;
    else
        part->first = offset;
    part->last = offset;
    return 1;
}

static void pajesim__view_stored_entity(const pajesim *sim, const pajesim__stored_entity *stored,
                                        pajesim_entity *entity)
{
    pajesim_kind kind = pajesim_kind_of(sim, stored->type);
    const pajesim__entity_details *details = PAJESIM__AT(sim, const pajesim__entity_details, stored->details);
    pajesim__entity_clear_optional(entity);
    pajesim__entity_init(entity, kind, stored->container, stored->type, stored->start, 0);
    entity->end = stored->end;
    entity->imbrication = stored->imbrication;
    entity->value = stored->value;
    if (stored->value)
        entity->value_name = pajesim_name(sim, stored->value);
    if (kind == PAJESIM_LINK) {
        entity->start_container = stored->u.ends[0];
        entity->end_container = stored->u.ends[1];
    } else {
        entity->number = stored->u.number;
    }
    if (!stored->details)
        return;
    if (details->opening)
        entity->opening = pajesim__view_named_fields(PAJESIM__AT(sim, const pajesim__named_fields, details->opening));
    if (details->closing)
        entity->closing = pajesim__view_named_fields(PAJESIM__AT(sim, const pajesim__named_fields, details->closing));
    if (details->value)
        entity->value_name = pajesim__text_at(sim, details->value);
    entity->key = pajesim__text_at(sim, details->key);
}
#endif /* PAJESIM_TRAVEL */

/* ---------------- src/pajesim/travel/window.h */

/* Windows: show what overlaps a range of time.
 *
 * The intervals between checkpoints are replayed, and what closed in them is shown; then what is still open after the
 * last one is shown, with the ends that the index knows. */

#if PAJESIM_TRAVEL

static int pajesim__overlaps(const pajesim_window *window, pajesim_time start, pajesim_time end, int open)
{
    return !(start > window->to) && (open || !(end < window->from));
}

/* Makes the user's callback. */
static void pajesim__window_call(pajesim_window *window, pajesim *sim, const pajesim_entity *entity)
{
    sim->data = window->data;
    window->stopped |= window->shown_to->closed(sim, entity) == PAJESIM_STOP;
    sim->data = window;
}

static int pajesim__window_closed(pajesim *sim, const pajesim_entity *entity)
{
    pajesim_window *window = (pajesim_window *)sim->data;
    if (window->filling)
        window->filling = pajesim__part_add(&window->part, sim, entity);
    if (!window->stopped && pajesim__overlaps(window, entity->start, entity->end, entity->open))
        pajesim__window_call(window, sim, entity);
    return window->stopped ? PAJESIM_STOP : PAJESIM_GO_ON;
}

PAJESIM_API pajesim_status pajesim_window_init(pajesim_window *window, void *memory, size_t size, pajesim_index *index,
                                               const pajesim_options *options, pajesim_read read, void *data)
{
    if (!window || !memory || !pajesim__is_aligned(memory) || !index || !read)
        return PAJESIM_MISUSE;
    memset(window, 0, sizeof *window);
    window->index = index;
    if (options)
        window->options = *options;
    window->read = read;
    window->read_data = data;
    window->memory = (unsigned char *)memory;
    window->high = window->size = size & ~(size_t)7;
    window->callbacks.closed = pajesim__window_closed;
    return PAJESIM_OK;
}

PAJESIM_API uint64_t pajesim_window_capacity_needed(const pajesim_window *window)
{
    return window->sim.needed + 8;
}

PAJESIM_API uint64_t pajesim_window_replayed(const pajesim_window *window)
{
    return window->replayed;
}

/* Begins to store the part between two checkpoints, if there is room. */
static void pajesim__begin_part(pajesim_window *window, uint32_t number)
{
    const pajesim__checkpoint *checkpoint = pajesim__checkpoints_of(window->index) + number;
    pajesim__part *part;
    size_t min_size = sizeof *part + pajesim_arena_min(NULL);
    while (window->high - window->low < min_size)
        if (!pajesim__drop_part(window, 0))
            return;
    part = pajesim__part_at(window, window->low);
    memset(part, 0, sizeof *part);
    part->begin = checkpoint[0].offset;
    part->end = checkpoint[1].offset;
    part->ended = checkpoint[1].ended;
    pajesim__clear_copies(&window->sim);
    window->filling =
        pajesim_init(&window->part, part + 1, pajesim__part_capacity(window), NULL, NULL, window) == PAJESIM_OK;
}

/* Moves a part that is complete to the others. */
static void pajesim__end_part(pajesim_window *window)
{
    pajesim__part *part = pajesim__part_at(window, window->low);
    if (!window->filling)
        return;
    window->filling = 0;
    part->size = (uint32_t)(sizeof *part + ((pajesim_used(&window->part) + 7) & ~(size_t)7));
    part->shown = window->shows;
    if (part->size > window->high - window->low) /* unreached, as the header of a part is a multiple of 8 bytes */
        return;
    window->high -= part->size;
    memmove(window->memory + window->high, part, part->size);
}

/* Returns the part between two checkpoints; NULL if it is not stored. */
static pajesim__part *pajesim__find_part(const pajesim_window *window, uint32_t number)
{
    const pajesim__checkpoint *checkpoint = pajesim__checkpoints_of(window->index) + number;
    size_t at;
    pajesim__part *part;
    for (at = window->high; at < window->size; at += part->size) {
        part = pajesim__part_at(window, at);
        if (part->begin == checkpoint[0].offset && part->end == checkpoint[1].offset &&
            part->ended == checkpoint[1].ended)
            return part;
    }
    return NULL;
}

static void pajesim__show_part(pajesim_window *window, pajesim__part *part)
{
    pajesim *sim = &window->part;
    pajesim__offset offset;
    pajesim__attach(sim, part + 1, part->size - sizeof *part, NULL, window);
    sim->busy = 1;
    part->shown = window->shows;
    for (offset = part->first; offset && !window->stopped;
         offset = PAJESIM__AT(sim, pajesim__stored_entity, offset)->next) {
        const pajesim__stored_entity *stored = PAJESIM__AT(sim, const pajesim__stored_entity, offset);
        if (pajesim__overlaps(window, stored->start, stored->end, 0)) {
            pajesim_entity entity;
            pajesim__view_stored_entity(sim, stored, &entity);
            pajesim__window_call(window, sim, &entity);
        }
    }
}

/* ---- replaying ---- */

/* Grows the arena of the simulation to what it needs. */
static pajesim_status pajesim__window_grow_arena(pajesim_window *window)
{
    if (!pajesim__reserve_arena(window, window->sim.needed))
        return PAJESIM_FULL;
    return pajesim_move(&window->sim, window->memory, window->low);
}

/* Restores the simulation at a checkpoint. */
static pajesim_status pajesim__window_seek(pajesim_window *window, uint32_t number)
{
    pajesim_status status = PAJESIM_OK;
    if (window->at != number + 1) {
        window->sim.needed = pajesim__restore_size(pajesim__checkpoints_of(window->index)[number].top);
        if (!pajesim__reserve_arena(window, window->sim.needed))
            status = PAJESIM_FULL;
        else
            status = pajesim_index_restore(window->index, number, &window->sim, window->memory, window->low,
                                           &window->callbacks, window);
    }
    window->at = status == PAJESIM_OK ? number + 1 : 0;
    return status;
}

/* Feeds the bytes of the trace up to the offset `end`, or as far as it goes. */
static pajesim_status pajesim__window_feed(pajesim_window *window, uint64_t end)
{
    pajesim *sim = &window->sim;
    pajesim_status status = PAJESIM_OK;
    while (status == PAJESIM_OK && !window->stopped && PAJESIM__STATE(sim)->counts.bytes < end) {
        uint64_t left = end - PAJESIM__STATE(sim)->counts.bytes;
        const void *bytes;
        size_t size = window->read(window->read_data, PAJESIM__STATE(sim)->counts.bytes, &bytes,
                                   (size_t)PAJESIM__MIN(left, (uint64_t)(SIZE_MAX / 2)));
        if (!size)
            break;
        status = pajesim_feed(sim, bytes, size, &size);
        window->replayed += size;
        if (status == PAJESIM_FULL)
            status = pajesim__window_grow_arena(window);
        else if (status == PAJESIM_STOPPED)
            status = PAJESIM_OK;
    }
    return status;
}

/* Simulates the last line, which lacks its newline. */
static pajesim_status pajesim__window_flush_last_line(pajesim_window *window)
{
    pajesim *sim = &window->sim;
    pajesim_status status;
    do {
        pajesim__enter(sim);
        status = pajesim__leave(sim, pajesim__flush_last_line(sim));
    } while (status == PAJESIM_FULL && pajesim__window_grow_arena(window) == PAJESIM_OK);
    return status == PAJESIM_STOPPED ? PAJESIM_OK : status;
}

/* Replays from one checkpoint to the next, showing and storing what closes. */
static pajesim_status pajesim__window_replay(pajesim_window *window, uint32_t number)
{
    pajesim *sim = &window->sim;
    const pajesim__checkpoint *next = pajesim__checkpoints_of(window->index) + number + 1;
    pajesim_status status = pajesim__window_seek(window, number);
    if (status != PAJESIM_OK)
        return status;
    window->at = 0;
    sim->callbacks = &window->callbacks;
    sim->data = window;
    pajesim__begin_part(window, number);
    status = pajesim__window_feed(window, next->offset);
    if (status == PAJESIM_OK && !window->stopped)
        status = pajesim_index_check(window->index, number + 1, sim);
    if (status == PAJESIM_OK && !window->stopped && next->ended)
        status = pajesim__window_flush_last_line(window);
    if (status == PAJESIM_OK && !window->stopped) {
        pajesim__end_part(window);
        window->at = number + 2;
    }
    window->filling = 0;
    return status;
}

/* ---- reading on ---- */

/* Restores the simulation where the index ends, and attaches it. */
static pajesim_status pajesim__window_resume_index(pajesim_window *window)
{
    pajesim *sim = &window->sim;
    pajesim_index *index = window->index;
    uint32_t count = pajesim_index_count(index);
    pajesim_status status;
    if (count && sim->index == index && window->at == count)
        return PAJESIM_OK;
    window->at = 0;
    sim->needed = count ? pajesim__restore_size(pajesim__checkpoints_of(index)[count - 1].top)
                        : (pajesim__size)pajesim_arena_min(&window->options);
    if (!pajesim__reserve_arena(window, sim->needed))
        return PAJESIM_FULL;
    if (count)
        return pajesim_index_resume(index, sim, window->memory, window->low, NULL, NULL);
    status = pajesim_init(sim, window->memory, window->low, &window->options, NULL, NULL);
    return status == PAJESIM_OK ? pajesim_index_begin(index, sim) : status;
}

static pajesim_status pajesim__window_extend(pajesim_window *window, uint64_t bytes, int end)
{
    pajesim *sim;
    pajesim_index *index = window->index;
    pajesim_status status;
    uint64_t goal, before;
    if (pajesim_index_complete(index))
        return PAJESIM_OK;
    status = pajesim__window_resume_index(window);
    if (status != PAJESIM_OK)
        return status;
    sim = &window->sim;
    window->stopped = 0;
    window->at = 0;
    sim->callbacks = &pajesim__no_callbacks;
    goal = PAJESIM__STATE(sim)->counts.bytes;
    goal = bytes > UINT64_MAX - goal ? UINT64_MAX : goal + bytes;
    do {
        before = PAJESIM__STATE(sim)->counts.bytes;
        status = pajesim__window_feed(window, PAJESIM__MIN(goal, before + (UINT32_C(1) << 16)));
        if (status == PAJESIM_OK && (status = pajesim_index_step(index, sim)) == PAJESIM_FULL)
            status = PAJESIM_OK; /* the index has one checkpoint less */
    } while (status == PAJESIM_OK && PAJESIM__STATE(sim)->counts.bytes > before);
    if (status == PAJESIM_OK && end && PAJESIM__STATE(sim)->counts.bytes < goal) {
        while ((status = pajesim_index_finish(index, sim)) == PAJESIM_FULL && sim->needed > window->low &&
               pajesim__window_grow_arena(window) == PAJESIM_OK) {
        }
        return status == PAJESIM_INVALID ? PAJESIM_OK : status;
    }
    if (status == PAJESIM_OK &&
        pajesim__checkpoints_of(index)[pajesim_index_count(index) - 1].offset < PAJESIM__STATE(sim)->counts.bytes)
        status = pajesim__add_checkpoint(index, sim, 0);
    if (status == PAJESIM_OK)
        window->at = pajesim_index_count(index);
    return status;
}

PAJESIM_API pajesim_status pajesim_window_extend(pajesim_window *window, uint64_t bytes, int end)
{
    pajesim_status status;
    if (!window)
        return PAJESIM_MISUSE;
    if (window->busy)
        return PAJESIM_BUSY;
    window->busy = 1;
    status = pajesim__window_extend(window, bytes, end);
    window->busy = 0;
    return status;
}

/* Reads on until a time beyond `to` was seen, or the trace ends. */
static pajesim_status pajesim__window_index_until(pajesim_window *window, pajesim_time to)
{
    const pajesim_index *index = window->index;
    pajesim_status status = PAJESIM_OK;
    uint64_t before = UINT64_MAX;
    while (status == PAJESIM_OK && !pajesim_index_complete(index)) {
        uint32_t count = pajesim_index_count(index);
        const pajesim__checkpoint *last = pajesim__checkpoints_of(index) + count - 1;
        if (count && (last->greatest > to || last->offset == before))
            break;
        before = count ? last->offset : UINT64_MAX;
        status = pajesim__window_extend(window, UINT32_C(1) << 20, 0);
    }
    return status;
}

/* ---- showing ---- */

static pajesim_status pajesim__window_show(pajesim_window *window, pajesim_time from, pajesim_time to,
                                           const pajesim_callbacks *callbacks, void *data)
{
    pajesim_status status;
    uint32_t number, end;
    status = pajesim__window_index_until(window, to);
    window->from = from;
    window->to = to;
    window->shown_to = callbacks;
    window->data = data;
    window->stopped = 0;
    window->shows++;
    number = pajesim_index_before(window->index, from);
    end = pajesim_index_after(window->index, to);
    number = PAJESIM__MIN(number, end); /* where nothing timed lies between them */
    if (status == PAJESIM_OK) {
        window->first = pajesim__checkpoints_of(window->index)[number].offset;
        window->last = pajesim__checkpoints_of(window->index)[end].offset;
    }
    for (; status == PAJESIM_OK && number < end && !window->stopped; number++) {
        pajesim__part *part = pajesim__find_part(window, number);
        if (part)
            pajesim__show_part(window, part);
        else
            status = pajesim__window_replay(window, number);
    }
    if (status == PAJESIM_OK && !window->stopped)
        status = pajesim__window_seek(window, number);
    if (status == PAJESIM_OK && !window->stopped) {
        window->at = 0;
        window->sim.callbacks = &window->callbacks;
        window->sim.data = window;
        while ((status = pajesim_index_close_open(window->index, number, &window->sim, from, to)) == PAJESIM_FULL &&
               pajesim__window_grow_arena(window) == PAJESIM_OK) {
        }
    }
    return status == PAJESIM_OK && window->stopped ? PAJESIM_STOPPED : status;
}

PAJESIM_API pajesim_status pajesim_window_show(pajesim_window *window, pajesim_time from, pajesim_time to,
                                               const pajesim_callbacks *callbacks, void *data)
{
    pajesim_status status;
    if (!window || !callbacks || !callbacks->closed || !(from <= to))
        return PAJESIM_MISUSE;
    if (window->busy)
        return PAJESIM_BUSY;
    window->busy = 1;
    status = pajesim__window_show(window, from, to, callbacks, data);
    window->busy = 0;
    return status;
}
#endif /* PAJESIM_TRAVEL */

/* ---------------- src/pajesim/travel/chunk_tracks.h */

/* Which lines of a chunk have an effect that lasts to its end.  See travel/chunk.h.
 *
 * The events of one container and type are a track.  Its first line is kept in any case: it tells the reader whether
 * there is such a container, of such a type, and whether the time is in order; what holds for it holds for the others.
 * Its last line is kept, too, as the time of the next one is compared with its. */

#if PAJESIM_TRAVEL

/* In these lists a place in the chunk is an offset, or, where there may be none, an offset + 1. */

/* A key, and a place where its bytes stand. */
typedef struct pajesim__chunk_key {
    pajesim__half lo, hi;
    uint32_t size, word;
} pajesim__chunk_key;

typedef struct pajesim__track {
    pajesim__chunk_key container, type; /* type.size 0: type.lo is a reference and a mark: PAJESIM__TRACK_VALUE, ... */
    pajesim_ref ref;      /* to the type */
    uint32_t items;       /* of states: those open that began in the chunk, the top first; of variables: the lines
                             since the last PajeSetVariable, the last first; 1 + index */
    uint32_t clear;       /* of states: the last line that closed all; of variables: that which began the segment;
                             + 1 */
    uint32_t clear_end;   /* of states: the line that popped that of `clear`; of variables: that which began the
                             segment of the last PajeSetVariable; + 1 */
    uint32_t pair, last_line; /* the last two lines that belong together, or the last one, if they are not kept; + 1 */
    uint32_t changes, changes_at_set; /* segments of a variable that began after the first; and at its last Set */
    uint8_t kind, begun, cleared;     /* cleared: it is known what is open */
    pajesim_time last;
    pajesim_quantity number;
} pajesim__track;

/* What else a track stands for is in the highest bits of a reference to a type, which is less than 2^29. */
#define PAJESIM__TRACK_VALUE (UINT32_C(1) << 30)  /* an undefined value, in place of a container */
#define PAJESIM__TRACK_SOURCE (UINT32_C(2) << 30) /* the start of links */
#define PAJESIM__TRACK_TARGET (UINT32_C(3) << 30)

typedef struct pajesim__chunk_item {
    uint32_t line, next; /* next: 1 + index */
    uint32_t set;        /* 1: a state begun by PajeSetState, which is the bottom of its stack */
} pajesim__chunk_item;

/* The links of one key, container and type: until the first one, whose start is in the chunk, has its end. */
typedef struct pajesim__chunk_link {
    pajesim__chunk_key container, key;
    uint32_t value, value_size, type;
    uint32_t line;  /* of the start, if that waits for its end */
    uint8_t started; /* 1: it does */
    uint8_t fresh;  /* 1: the first line of the key is a start, so none may wait at the beginning of the chunk */
    pajesim_time time;
} pajesim__chunk_link;

typedef struct pajesim__chunk_slot {
    void *record; /* NULL: free */
    pajesim__half hash;
} pajesim__chunk_slot;

/* Hashes of links with both ends in the chunk. */
typedef struct pajesim__chunk_done {
    struct pajesim__chunk_done *next;
    uint32_t count;
    pajesim__half hashes[253];
} pajesim__chunk_done;

typedef struct pajesim__chunk_value {
    struct pajesim__chunk_value *next;
    uint32_t word, size, type;
} pajesim__chunk_value;

typedef struct pajesim__chunk_table {
    pajesim__chunk_slot *slots;
    uint32_t bits, count;
} pajesim__chunk_table;

#if PAJESIM__BLOCKS
/* Where the words of an event are, as the indices of their first bounds: for the fast path. */
typedef struct pajesim__chunk_plan {
    pajesim__half number; /* its text */
    const pajesim__definition *definition;
    uint32_t size, words; /* size: of the number; 0: there is no plan */
    uint16_t time, container, type, value; /* with 255 words there are 510 bounds */
    uint8_t function, event, kind;
} pajesim__chunk_plan;
#define PAJESIM__PLAN_BITS 6
#define PAJESIM__RECENT_BITS 11
#endif

/* What reads a chunk, at the beginning of its memory. */
typedef struct pajesim__chunk_reader {
    pajesim sim; /* shares the arena of `base`, which it only reads, and has its own cache */
    pajesim_chunk *chunk;
    const unsigned char *bytes;
    uint64_t *kept; /* a bit for each byte: 1 where a line begins that is kept */
    pajesim__chunk_table tracks, links;
    pajesim__chunk_item *items;
    uint32_t item_count, item_room, free_item;
    void *free_track, *free_link;
    pajesim__chunk_done *done;
    uint64_t done_count;
    uint64_t flushed; /* tracks, in all */
    int unsuited;     /* 1: the chunk is to be fed whole */
    int strict;
    pajesim__line line;
#if PAJESIM__BLOCKS
    int is_plain; /* 1: lines may be read by the fast path */
    pajesim__chunk_plan plans[1 << PAJESIM__PLAN_BITS];
    pajesim__track *recent[1 << PAJESIM__RECENT_BITS]; /* by their keys; NULL: none */
    pajesim__block block;
#endif
} pajesim__chunk_reader;

/* ---- memory ---- */

/* Returns NULL, and gives up the chunk, if there is no memory. */
static void *pajesim__chunk_alloc(pajesim__chunk_reader *reader, size_t size)
{
    pajesim_chunk *chunk = reader->chunk;
    void *block = chunk->memory + chunk->used;
    size = (size + 7) & ~(size_t)7;
    if (size > chunk->capacity - chunk->used) {
        reader->unsuited = 1;
        return NULL;
    }
    chunk->used += size;
    return block;
}

static int pajesim__chunk_table_init(pajesim__chunk_reader *reader, pajesim__chunk_table *table, uint32_t bits)
{
    table->slots = (pajesim__chunk_slot *)pajesim__chunk_alloc(reader, sizeof *table->slots << bits);
    table->bits = bits;
    table->count = 0;
    if (table->slots)
        memset(table->slots, 0, sizeof *table->slots << bits);
    return table->slots != NULL;
}

static uint32_t pajesim__chunk_free_slot(const pajesim__chunk_table *table, pajesim__half hash)
{
    uint32_t mask = (UINT32_C(1) << table->bits) - 1, i = (uint32_t)(hash >> (64 - table->bits));
    while (table->slots[i].record)
        i = (i + 1) & mask;
    return i;
}

/* Adds a record, which is not in the table.  The memory of a table that was too small stays unused. */
static void pajesim__chunk_insert(pajesim__chunk_reader *reader, pajesim__chunk_table *table, pajesim__half hash,
                                  void *record)
{
    uint32_t i;
    if (table->count >= UINT32_C(1) << table->bits >> 1) {
        pajesim__chunk_table larger;
        if (!pajesim__chunk_table_init(reader, &larger, table->bits + 1))
            return;
        for (i = 0; i < UINT32_C(1) << table->bits; i++)
            if (table->slots[i].record)
                larger.slots[pajesim__chunk_free_slot(&larger, table->slots[i].hash)] = table->slots[i];
        larger.count = table->count;
        *table = larger;
    }
    i = pajesim__chunk_free_slot(table, hash);
    table->slots[i].record = record;
    table->slots[i].hash = hash;
    table->count++;
}

static void pajesim__chunk_remove(pajesim__chunk_table *table, pajesim__half hash, const void *record)
{
    uint32_t mask = (UINT32_C(1) << table->bits) - 1, i = (uint32_t)(hash >> (64 - table->bits)), j;
    while (table->slots[i].record != record)
        i = (i + 1) & mask;
    for (j = (i + 1) & mask; table->slots[j].record; j = (j + 1) & mask) {
        uint32_t home = (uint32_t)(table->slots[j].hash >> (64 - table->bits));
        if (((j - home) & mask) >= ((j - i) & mask)) { /* it is found from the free slot, too */
            table->slots[i] = table->slots[j];
            i = j;
        }
    }
    table->slots[i].record = NULL;
    table->count--;
}

PAJESIM__INLINE void pajesim__keep_line(pajesim__chunk_reader *reader, uint32_t line)
{
    reader->kept[line / 64] |= UINT64_C(1) << line % 64;
}

PAJESIM__INLINE int pajesim__is_kept(const pajesim__chunk_reader *reader, uint32_t line)
{
    return reader->kept[line / 64] >> line % 64 & 1;
}

/* ---- tracks ---- */

PAJESIM__INLINE pajesim__chunk_key pajesim__chunk_key_of(const pajesim__key *key, const unsigned char *bytes)
{
    pajesim__chunk_key it;
    it.lo = key->lo;
    it.hi = key->hi;
    it.size = key->size;
    it.word = (uint32_t)(key->bytes - bytes);
    return it;
}

PAJESIM__INLINE int pajesim__is_chunk_key(const pajesim__chunk_key *it, const pajesim__key *key,
                                          const unsigned char *bytes)
{
    return it->lo == key->lo && it->hi == key->hi && it->size == key->size &&
           (PAJESIM__LIKELY(key->size <= 2 * PAJESIM__HALF) || memcmp(bytes + it->word, key->bytes, key->size) == 0);
}

/* Takes a record that was given back, or new memory; returns NULL if there is none.  *first_free: the records that were
 * given back, each of which begins with the address of the next one. */
static void *pajesim__chunk_record(pajesim__chunk_reader *reader, void **first_free, size_t size)
{
    void *record = *first_free;
    if (record)
        memcpy(first_free, record, sizeof *first_free);
    else
        record = pajesim__chunk_alloc(reader, size);
    return record ? memset(record, 0, size) : NULL;
}

PAJESIM__COLD pajesim__track *pajesim__new_track(pajesim__chunk_reader *reader, const pajesim__key *container,
                                                 const pajesim__key *type, pajesim__half hash)
{
    pajesim__track *track = (pajesim__track *)pajesim__chunk_record(reader, &reader->free_track, sizeof *track);
    if (!track)
        return NULL;
    track->container = pajesim__chunk_key_of(container, reader->bytes);
    track->type = pajesim__chunk_key_of(type, reader->bytes);
    pajesim__chunk_insert(reader, &reader->tracks, hash, track);
    return track;
}

PAJESIM__INLINE pajesim__half pajesim__track_hash(const pajesim__key *container, const pajesim__key *type)
{
    pajesim__key both = *container;
    both.lo += type->lo * PAJESIM__MIX2;
    both.hi += type->hi;
    return pajesim__mix(&both, type->size, container->size);
}

/* Returns NULL if there is none. */
PAJESIM__INLINE pajesim__track *pajesim__find_track(pajesim__chunk_reader *reader, const pajesim__key *container,
                                                    const pajesim__key *type, pajesim__half hash)
{
    const pajesim__chunk_table *table = &reader->tracks;
    uint32_t mask = (UINT32_C(1) << table->bits) - 1, i;
    for (i = (uint32_t)(hash >> (64 - table->bits)); table->slots[i].record; i = (i + 1) & mask) {
        pajesim__track *track = (pajesim__track *)table->slots[i].record;
        if (table->slots[i].hash == hash && pajesim__is_chunk_key(&track->container, container, reader->bytes) &&
            pajesim__is_chunk_key(&track->type, type, reader->bytes))
            return track;
    }
    return NULL;
}

/* Returns the track of two keys; NULL if there is no memory for it. */
PAJESIM__INLINE pajesim__track *pajesim__track_of(pajesim__chunk_reader *reader, const pajesim__key *container,
                                                  const pajesim__key *type)
{
    pajesim__half hash = pajesim__track_hash(container, type);
    pajesim__track *track = pajesim__find_track(reader, container, type, hash);
    return PAJESIM__LIKELY(track) ? track : pajesim__new_track(reader, container, type, hash);
}

/* Returns 1 if the word names something that is new to the chunk.  `type`: with a mark. */
static int pajesim__is_first_use(pajesim__chunk_reader *reader, uint32_t word, uint32_t type)
{
    pajesim__key name = pajesim__key_at(&reader->line, word), mark = {0, 0, NULL, 0};
    pajesim__track *track;
    mark.lo = type;
    mark.bytes = name.bytes;
    track = pajesim__track_of(reader, &name, &mark);
    if (!track || track->begun)
        return 0;
    track->begun = 1;
    return 1;
}

/* Returns 0 if there is no memory. */
PAJESIM__COLD int pajesim__grow_items(pajesim__chunk_reader *reader)
{
    pajesim__chunk_item *larger =
        (pajesim__chunk_item *)pajesim__chunk_alloc(reader, 2 * reader->item_room * sizeof *larger);
    if (!larger)
        return 0;
    memcpy(larger, reader->items, reader->item_room * sizeof *larger);
    reader->items = larger;
    reader->item_room *= 2;
    return 1;
}

PAJESIM__INLINE void pajesim__push_item(pajesim__chunk_reader *reader, pajesim__track *track, uint32_t line,
                                        uint32_t set)
{
    uint32_t i = reader->free_item;
    if (PAJESIM__LIKELY(i))
        reader->free_item = reader->items[i - 1].next;
    else if (reader->item_count < reader->item_room || pajesim__grow_items(reader))
        i = ++reader->item_count;
    else
        return;
    reader->items[i - 1].line = line;
    reader->items[i - 1].set = set;
    reader->items[i - 1].next = track->items;
    track->items = i;
}

/* Returns what was pushed last; it stays as it is until the next push. */
PAJESIM__INLINE const pajesim__chunk_item *pajesim__pop_item(pajesim__chunk_reader *reader, pajesim__track *track)
{
    uint32_t i = track->items;
    pajesim__chunk_item *item = &reader->items[i - 1];
    track->items = item->next;
    item->next = reader->free_item;
    reader->free_item = i;
    return item;
}

/* Keeps what lasts of a track. */
static void pajesim__flush_track(pajesim__chunk_reader *reader, pajesim__track *track)
{
    while (track->items)
        pajesim__keep_line(reader, pajesim__pop_item(reader, track)->line);
    if (track->clear && track->kind == PAJESIM_STATE)
        pajesim__keep_line(reader, track->clear - 1);
    if (track->clear_end)
        pajesim__keep_line(reader, track->clear_end - 1);
    if (track->pair)
        pajesim__keep_line(reader, track->pair - 1);
    if (track->last_line)
        pajesim__keep_line(reader, track->last_line - 1);
    if (track->changes_at_set > 2)
        reader->chunk->segments += track->changes_at_set - 2;
}

/* Keeps what lasts of all lines so far, and forgets what was found out: a container is destroyed. */
static void pajesim__flush_tracks(pajesim__chunk_reader *reader)
{
    pajesim__chunk_table *table = &reader->tracks;
    uint32_t i;
    for (i = 0; i < UINT32_C(1) << table->bits; i++)
        if (table->slots[i].record) {
            pajesim__track *track = (pajesim__track *)table->slots[i].record;
            pajesim__flush_track(reader, track);
            memcpy(track, &reader->free_track, sizeof reader->free_track);
            reader->free_track = track;
        }
    memset(table->slots, 0, sizeof *table->slots << table->bits);
    table->count = 0;
#if PAJESIM__BLOCKS
    memset(reader->recent, 0, sizeof reader->recent);
#endif
    for (i = 0; i < UINT32_C(1) << reader->links.bits; i++) {
        const pajesim__chunk_link *link = (const pajesim__chunk_link *)reader->links.slots[i].record;
        if (link && link->started)
            pajesim__keep_line(reader, link->line);
    }
    reader->flushed += (UINT64_C(1) << table->bits) + (UINT64_C(1) << reader->links.bits);
}

/* Returns 1 if the time is in order. */
PAJESIM__INLINE int pajesim__track_time(pajesim__track *track, pajesim_time time)
{
    int ordered = !track->begun || time >= track->last;
    track->last = time;
    return ordered;
}

/* ---- events ---- */

/* States: the first line that closes all; the last one; and what was opened since and is still open.  Pairs of a Push
 * and a Pop are left out. */
static void pajesim__track_open(pajesim__chunk_reader *reader, pajesim__track *track, uint32_t line, int set)
{
    if (set) {
        while (track->items)
            pajesim__pop_item(reader, track);
        if (!track->cleared)
            pajesim__keep_line(reader, line);
        track->cleared = 1;
        track->clear = line + 1;
        track->clear_end = 0;
    }
    track->pair = track->last_line = 0;
    pajesim__push_item(reader, track, line, (uint32_t)set);
}

static void pajesim__track_reset(pajesim__chunk_reader *reader, pajesim__track *track, uint32_t line)
{
    while (track->items)
        pajesim__pop_item(reader, track);
    if (!track->cleared)
        pajesim__keep_line(reader, line);
    track->cleared = 1;
    track->clear = line + 1;
    track->clear_end = track->pair = track->last_line = 0;
}

static void pajesim__track_pop(pajesim__chunk_reader *reader, pajesim__track *track, uint32_t line)
{
    const pajesim__chunk_item *item;
    track->pair = track->last_line = 0;
    if (!track->items) {
        reader->unsuited |= track->cleared; /* there is no state to pop */
        pajesim__keep_line(reader, line);
        return;
    }
    item = pajesim__pop_item(reader, track);
    if (item->set) {
        track->clear_end = line + 1;
    } else if (pajesim__is_kept(reader, item->line)) {
        pajesim__keep_line(reader, line);
    } else {
        track->pair = item->line + 1;
        track->last_line = line + 1;
    }
}

/* Variables: the lines of the first time, and the first of a later one, which change and end the segment that was open
 * before; the last Set, with the line that began its segment; and what comes behind it. */
static void pajesim__track_variable(pajesim__chunk_reader *reader, pajesim__track *track, uint32_t line,
                                    const pajesim__definition *definition, pajesim_quantity number, int changed)
{
    track->changes += changed != 0;
    if (changed || !track->begun)
        track->clear = line + 1;
    if (!track->changes || (changed && track->changes == 1))
        pajesim__keep_line(reader, line);
    if (definition->event == PAJESIM_SET_VARIABLE) {
        while (track->items)
            pajesim__pop_item(reader, track);
        track->cleared = 1;
        track->clear_end = track->clear;
        track->changes_at_set = track->changes;
        track->number = number;
    } else if (track->cleared &&
               !pajesim__add_quantities(track->number, definition->event == PAJESIM_ADD_VARIABLE ? number : -number,
                                        &track->number)) {
        reader->unsuited = 1;
    }
    pajesim__push_item(reader, track, line, 0);
}

#endif /* PAJESIM_TRAVEL */

/* ---------------- src/pajesim/travel/chunk_links.h */

/* Which lines of links in a chunk have an effect that lasts to its end.  See travel/chunk.h. */

#if PAJESIM_TRAVEL

static int pajesim__same_bytes(const unsigned char *a, uint32_t size, const unsigned char *b, uint32_t other_size)
{
    return size == other_size && memcmp(a, b, size) == 0;
}

/* The hash of a link: of its container's identifier, its type and its key. */
PAJESIM__INLINE pajesim__half pajesim__chunk_link_hash(const pajesim__key *container, uint32_t type,
                                                       const pajesim__key *key)
{
    return (pajesim__mix(key, type, key->size) ^ pajesim__mix(container, 0, container->size)) * PAJESIM__MIX1;
}

static pajesim__chunk_link *pajesim__find_chunk_link(const pajesim__chunk_slot *slots, uint32_t bits,
                                                     const unsigned char *bytes, const pajesim__key *container,
                                                     uint32_t type, const pajesim__key *key, pajesim__half hash)
{
    uint32_t mask = (UINT32_C(1) << bits) - 1, i = (uint32_t)(hash >> (64 - bits));
    for (; slots[i].record; i = (i + 1) & mask) {
        pajesim__chunk_link *link = (pajesim__chunk_link *)slots[i].record;
        if (slots[i].hash == hash && link->type == type && pajesim__is_chunk_key(&link->key, key, bytes) &&
            pajesim__is_chunk_key(&link->container, container, bytes))
            return link;
    }
    return NULL;
}

/* Adds the links of a key; returns NULL if there is no memory. */
static pajesim__chunk_link *pajesim__new_chunk_link(pajesim__chunk_reader *reader, const pajesim__key *container,
                                                    uint32_t type, const pajesim__key *key, pajesim__half hash)
{
    pajesim__chunk_link *link =
        (pajesim__chunk_link *)pajesim__chunk_record(reader, &reader->free_link, sizeof *link);
    if (!link)
        return NULL;
    link->container = pajesim__chunk_key_of(container, reader->bytes);
    link->key = pajesim__chunk_key_of(key, reader->bytes);
    link->type = type;
    pajesim__chunk_insert(reader, &reader->links, hash, link);
    return link;
}

/* Forgets a link with both ends in the chunk; keeps its hash. */
static void pajesim__link_done(pajesim__chunk_reader *reader, pajesim__chunk_link *link, pajesim__half hash)
{
    pajesim__chunk_done *done = reader->done;
    if (!done || done->count == sizeof done->hashes / sizeof done->hashes[0]) {
        done = (pajesim__chunk_done *)pajesim__chunk_alloc(reader, sizeof *done);
        if (!done)
            return;
        done->next = reader->done;
        done->count = 0;
        reader->done = done;
    }
    done->hashes[done->count++] = hash | 1; /* 0 marks a free slot */
    reader->done_count++;
    pajesim__chunk_remove(&reader->links, hash, link);
    memcpy(link, &reader->free_link, sizeof reader->free_link);
    reader->free_link = link;
}

/* Returns where a hash is, or is to be. */
static uint32_t pajesim__done_slot(const pajesim_chunk *chunk, uint64_t hash)
{
    uint32_t at = (uint32_t)(hash >> (64 - chunk->done_bits));
    while (chunk->done[at] && chunk->done[at] != hash)
        at = (at + 1) & ((UINT32_C(1) << chunk->done_bits) - 1);
    return at;
}

/* Makes a hash table of the links that were forgotten. */
static void pajesim__list_done(pajesim__chunk_reader *reader)
{
    pajesim_chunk *chunk = reader->chunk;
    const pajesim__chunk_done *done;
    uint32_t bits = 1, i;
    while (UINT64_C(1) << bits < 2 * reader->done_count)
        bits++;
    chunk->done = (uint64_t *)pajesim__chunk_alloc(reader, sizeof *chunk->done << bits);
    chunk->done_bits = bits;
    if (!chunk->done)
        return;
    memset(chunk->done, 0, sizeof *chunk->done << bits);
    for (done = reader->done; done; done = done->next)
        for (i = 0; i < done->count; i++)
            chunk->done[pajesim__done_slot(chunk, done->hashes[i])] = done->hashes[i];
}

/* Links: what has one end in the chunk; the last one that has both; and those that are the first at one of their end
 * points, so the first one too.  An end without a start must belong to a start before the chunk: pajesim_chunk_feed
 * checks that.  In strict mode keys are kept for ever, so all lines are. */
static void pajesim__track_link(pajesim__chunk_reader *reader, pajesim__track *track, uint32_t line,
                                const pajesim__definition *definition, pajesim_time time)
{
    int is_start = definition->event == PAJESIM_START_LINK, is_new;
    uint32_t end_word = PAJESIM__FIELD(definition, is_start ? PAJESIM_START_CONTAINER : PAJESIM_END_CONTAINER);
    uint32_t value_word = PAJESIM__FIELD(definition, PAJESIM_VALUE), type = track->ref;
    const unsigned char *value = PAJESIM__WORD(&reader->line, value_word);
    pajesim__key container, key;
    pajesim__half hash;
    pajesim__chunk_link *link;
    if (reader->strict) {
        pajesim__keep_line(reader, line);
        return;
    }
    if (pajesim__is_first_use(reader, end_word, type | (is_start ? PAJESIM__TRACK_SOURCE : PAJESIM__TRACK_TARGET)))
        pajesim__keep_line(reader, line);
    container = pajesim__key_at(&reader->line, PAJESIM__FIELD(definition, PAJESIM_CONTAINER_FIELD));
    key = pajesim__key_at(&reader->line, PAJESIM__FIELD(definition, PAJESIM_KEY));
    hash = pajesim__chunk_link_hash(&container, type, &key);
    link = pajesim__find_chunk_link(reader->links.slots, reader->links.bits, reader->bytes, &container, type, &key,
                                    hash);
    is_new = !link;
    if (is_new)
        link = pajesim__new_chunk_link(reader, &container, type, &key, hash);
    if (!link)
        return;
    if (is_start) {
        reader->unsuited |= link->started; /* the key waits already */
        link->fresh |= (uint8_t)is_new;
        link->started = 1;
        link->line = line;
        link->time = time;
        link->value = (uint32_t)(value - reader->bytes);
        link->value_size = PAJESIM__SIZE(&reader->line, value_word);
        return;
    }
    if (track->cleared && !(time >= track->last))
        reader->unsuited = 1;
    track->pair = track->last_line = 0;
    if (!link->started) {
        reader->unsuited |= !is_new;
        pajesim__keep_line(reader, line);
    } else {
        if (!(time >= link->time) || !pajesim__same_bytes(reader->bytes + link->value, link->value_size, value,
                                                          PAJESIM__SIZE(&reader->line, value_word)))
            reader->unsuited = 1;
        if (pajesim__is_kept(reader, link->line) || pajesim__is_kept(reader, line)) {
            pajesim__keep_line(reader, link->line);
            pajesim__keep_line(reader, line);
        } else {
            track->pair = link->line + 1;
            track->last_line = line + 1;
        }
        link->started = 0;
        if (link->fresh)
            pajesim__link_done(reader, link, hash);
    }
    track->cleared = 1; /* a link was completed, at `last` */
    track->last = time;
}
#endif /* PAJESIM_TRAVEL */

/* ---------------- src/pajesim/travel/chunk_plain.h */

/* The fast path of reading a chunk: lines on containers and types that it has met before, but links. */

#if PAJESIM_TRAVEL && PAJESIM__BLOCKS

/* Whether lines of such an event may be plain. */
PAJESIM__INLINE int pajesim__may_be_plain(const pajesim__definition *definition)
{
    return definition->function == PAJESIM__DO_open_state || definition->function == PAJESIM__DO_pop_state ||
           definition->function == PAJESIM__DO_change_variable || definition->function == PAJESIM__DO_new_event;
}

PAJESIM__INLINE pajesim__chunk_plan *pajesim__plan_of(pajesim__chunk_reader *reader, pajesim__half number)
{
    return &reader->plans[(number * PAJESIM__MIX1) >> (8 * PAJESIM__HALF - PAJESIM__PLAN_BITS)];
}

/* Notes where the words of an event are, by its number, which the line at hand has. */
PAJESIM__APART void pajesim__note_plan(pajesim__chunk_reader *reader, const pajesim__definition *definition)
{
    pajesim__key number = pajesim__number_key(&reader->line);
    pajesim__chunk_plan *plan = pajesim__plan_of(reader, number.lo);
    if (!pajesim__may_be_plain(definition) || number.size > PAJESIM__HALF || !pajesim__time_word(definition))
        return;
    plan->definition = definition;
    plan->number = number.lo;
    plan->size = number.size;
    plan->words = definition->count + 1u;
    plan->time = (uint16_t)(2 * PAJESIM__FIELD(definition, PAJESIM_TIME));
    plan->container = (uint16_t)(2 * PAJESIM__FIELD(definition, PAJESIM_CONTAINER_FIELD));
    plan->type = (uint16_t)(2 * PAJESIM__FIELD(definition, PAJESIM_TYPE));
    plan->value = (uint16_t)(2 * PAJESIM__FIELD(definition, PAJESIM_VALUE));
    plan->function = definition->function;
    plan->event = definition->event;
    plan->kind = definition->kind;
}

/* Returns the track of two keys of at most 16 and 8 bytes; NULL if it has no line yet. */
PAJESIM__INLINE pajesim__track *pajesim__plain_track(pajesim__chunk_reader *reader, const pajesim__key *container,
                                                     const pajesim__key *type)
{
    pajesim__half mixed = container->lo * PAJESIM__MIX1 + container->hi * PAJESIM__MIX2 + type->lo * PAJESIM__MIX3;
    pajesim__track **place = &reader->recent[mixed >> (8 * PAJESIM__HALF - PAJESIM__RECENT_BITS)], *track = *place;
    if (PAJESIM__LIKELY(track) &&
        PAJESIM__LIKELY(((track->container.lo ^ container->lo) | (track->container.hi ^ container->hi) |
                         (track->container.size ^ container->size) | (track->type.lo ^ type->lo) |
                         (track->type.size ^ type->size)) == 0))
        return track;
    track = pajesim__find_track(reader, container, type, pajesim__track_hash(container, type));
    if (!track || !track->begun)
        return NULL;
    *place = track;
    return track;
}

/* Returns 1 if a state may be opened by a name: its value was defined before the chunk. */
PAJESIM__INLINE int pajesim__is_plain_value(pajesim__chunk_reader *reader, const pajesim__key *name, pajesim_ref type)
{
    pajesim_ref value = pajesim__find_cached(&reader->sim, &PAJESIM__STATE(&reader->sim)->values, name, type,
                                             PAJESIM__VALUES_SCOPE(type));
    return PAJESIM__LIKELY(value) &&
           PAJESIM__LIKELY(!(PAJESIM__RECORD(&reader->sim, value)->flags & PAJESIM__IMPLICIT));
}

/* Reads the lines of the block that are plain, from p on, up to one that is not.  Returns where that begins.  None of
 * their times is the earliest, as the first line of a track has one that is not later. */
PAJESIM__APART const unsigned char *pajesim__read_plain_lines(pajesim__chunk_reader *reader, const unsigned char *p)
{
    pajesim__block *block = &reader->block;
    const unsigned char *readable = reader->line.readable;
    uint32_t next = block->next, first = block->first, lines = block->lines;
    p -= block->begin; /* the beginning of the block */
#define PAJESIM__PLACE(i) (p + bounds[i])
#define PAJESIM__LENGTH(i) ((uint32_t)bounds[(i) + 1] - bounds[i])
    for (; next != lines; next++) {
        const uint16_t *bounds = block->bounds + first;
        uint32_t end = block->line_end[next], size = PAJESIM__LENGTH(0), at;
        pajesim__half text = pajesim__load64(PAJESIM__PLACE(0));
        const pajesim__chunk_plan *plan;
        pajesim__key container, type;
        pajesim__track *track;
        pajesim_time time;
        if (PAJESIM__UNLIKELY(size - 1 >= PAJESIM__HALF))
            break;
        text &= UINT64_MAX >> (64 - 8 * size);
        plan = pajesim__plan_of(reader, text);
        if (PAJESIM__UNLIKELY(plan->number != text) || PAJESIM__UNLIKELY(plan->size != size) ||
            PAJESIM__UNLIKELY(plan->words != (end - first) / 2) ||
            PAJESIM__UNLIKELY(PAJESIM__LENGTH(plan->container) >= PAJESIM__PADDED) ||
            PAJESIM__UNLIKELY(PAJESIM__LENGTH(plan->type) > PAJESIM__HALF))
            break;
        container = pajesim__key_of_word(PAJESIM__PLACE(plan->container), PAJESIM__LENGTH(plan->container),
                                         PAJESIM__PADDED);
        type = pajesim__key_of_number(PAJESIM__PLACE(plan->type), PAJESIM__LENGTH(plan->type), PAJESIM__PADDED);
        track = pajesim__plain_track(reader, &container, &type);
        if (PAJESIM__UNLIKELY(!track) || PAJESIM__UNLIKELY(track->kind != plan->kind) ||
            PAJESIM__UNLIKELY(!pajesim__read_time(readable, PAJESIM__PLACE(plan->time), PAJESIM__LENGTH(plan->time),
                                                  &time)) ||
            PAJESIM__UNLIKELY(!(time >= track->last)))
            break;
        at = (uint32_t)(p - reader->bytes) + block->begin;
        if (plan->function == PAJESIM__DO_open_state) {
            pajesim__key name = pajesim__key_of_word(PAJESIM__PLACE(plan->value), PAJESIM__LENGTH(plan->value),
                                                     PAJESIM__PADDED);
            if (!pajesim__is_plain_value(reader, &name, track->ref))
                break;
            pajesim__track_open(reader, track, at, plan->event == PAJESIM_SET_STATE);
        } else if (plan->function == PAJESIM__DO_pop_state) {
            pajesim__track_pop(reader, track, at);
        } else if (plan->function == PAJESIM__DO_change_variable) {
            pajesim_quantity number;
            if (!pajesim__read_quantity(readable, PAJESIM__PLACE(plan->value), PAJESIM__LENGTH(plan->value), &number))
                break;
            pajesim__track_variable(reader, track, at, plan->definition, number, time != track->last);
        } else {
            track->last_line = at + 1;
        }
        track->last = time;
        reader->chunk->by_event[plan->event]++;
        block->begin = bounds[end - first - 1] + 1u;
        first = end;
    }
#undef PAJESIM__PLACE
#undef PAJESIM__LENGTH
    reader->chunk->lines += next - block->next;
    block->next = next;
    block->first = first;
    return p + block->begin;
}
#endif

/* ---------------- src/pajesim/travel/chunk.h */

/* Chunks: parts of a trace that are read before it is known what was open at their beginning.
 *
 * A simulation is at the end of a chunk as soon as it was fed those lines of it whose effect lasts: pushes without a
 * pop, and pops without a push; the first line and the last that sets a state, or resets it; the lines of the first two
 * times of a variable, and the last that sets it with what was added since; links with one end in the chunk; the first
 * event and the last of each container and type; and all definitions, creations and destructions.  These are some lines
 * in a thousand.  What the others would have counted is added.
 *
 * The lines that are left out must be valid.  What can be seen without the state is checked when the chunk is read:
 * words, numbers, times in order, stacks that are empty.  What depends on the state (is there such a container?) is
 * the same for all lines of a container and type as for the first of these, which is kept: so a chunk does not suit if
 * any line that is fed is reported.  A destruction ends this: what is open is kept, and the next lines are first ones
 * again.
 *
 * Three things are taken for granted when a chunk is read, and checked before or after it is fed.  Where a link begins
 * in the chunk its key is new, and where one only ends its key waits.  An undefined value that a state names is known,
 * and in the queue of those to be forgotten: so that the order of that queue does not change.  A link whose end comes
 * first may wait for its start, but with no key that the chunk has.
 *
 * Images are equal afterwards except for the places in the arena: blocks were allocated and freed in another
 * order. */

#if PAJESIM_TRAVEL

/* Lines that follow each other. */
typedef struct pajesim__chunk_run {
    uint32_t begin, end;
} pajesim__chunk_run;

#define PAJESIM__CHUNK_MAX (UINT32_C(1) << 30) /* bytes */
#ifndef PAJESIM__CHUNK_PAYS /* tests feed all that can be fed */
#define PAJESIM__CHUNK_PAYS(kept, size) ((kept) <= (size) / 2)
#endif

/* ---- reading ---- */

/* Notes the value of a state, unless the trace defined it before the chunk. */
static void pajesim__chunk_state_value(pajesim__chunk_reader *reader, uint32_t line, uint32_t word, uint32_t type)
{
    pajesim_ref value = pajesim__value_at(&reader->sim, &reader->line, word, type);
    pajesim__chunk_value *noted;
    if (PAJESIM__LIKELY(value && !(PAJESIM__RECORD(&reader->sim, value)->flags & PAJESIM__IMPLICIT)))
        return;
    if (!PAJESIM_REPAIRS)
        reader->unsuited = 1; /* such a value is forgotten, and made again, with each state */
    if (!pajesim__is_first_use(reader, word, type | PAJESIM__TRACK_VALUE))
        return;
    pajesim__keep_line(reader, line);
    noted = (pajesim__chunk_value *)pajesim__chunk_alloc(reader, sizeof *noted);
    if (!noted)
        return;
    noted->next = reader->chunk->values;
    noted->word = (uint32_t)(PAJESIM__WORD(&reader->line, word) - reader->bytes);
    noted->size = PAJESIM__SIZE(&reader->line, word);
    noted->type = type;
    reader->chunk->values = noted;
}

/* Begins a track with the line at hand.  Returns 0 if there is no such type. */
PAJESIM__COLD int pajesim__begin_track(pajesim__chunk_reader *reader, pajesim__track *track, uint32_t line,
                                       const pajesim__key *type)
{
    track->ref = pajesim__table_find(&reader->sim, &PAJESIM__STATE(&reader->sim)->types, type, 0, 0);
    if (!track->ref)
        return 0;
    track->kind = PAJESIM__RECORD(&reader->sim, track->ref)->kind;
    pajesim__keep_line(reader, line);
    return 1;
}

/* Reads a line on a container and a type. */
PAJESIM__INLINE void pajesim__chunk_entity(pajesim__chunk_reader *reader, uint32_t line,
                                           const pajesim__definition *definition, pajesim_time time)
{
    pajesim__key container = pajesim__key_at(&reader->line, PAJESIM__FIELD(definition, PAJESIM_CONTAINER_FIELD));
    pajesim__key type = pajesim__key_at(&reader->line, PAJESIM__FIELD(definition, PAJESIM_TYPE));
    uint32_t value_word = PAJESIM__FIELD(definition, PAJESIM_VALUE);
    pajesim__track *track = pajesim__track_of(reader, &container, &type);
    pajesim_quantity number = 0;
    int changed;
    if (PAJESIM__UNLIKELY(!track))
        return;
    if ((PAJESIM__UNLIKELY(!track->begun) && !pajesim__begin_track(reader, track, line, &type)) ||
        PAJESIM__UNLIKELY(track->kind != definition->kind)) {
        reader->unsuited = 1;
        return;
    }
    changed = track->begun && time != track->last;
    if (definition->function != PAJESIM__DO_link_event && !pajesim__track_time(track, time))
        reader->unsuited = 1;
    switch (definition->function) {
    case PAJESIM__DO_open_state:
        pajesim__chunk_state_value(reader, line, value_word, track->ref);
        pajesim__track_open(reader, track, line, definition->event == PAJESIM_SET_STATE);
        break;
    case PAJESIM__DO_pop_state:
        pajesim__track_pop(reader, track, line);
        break;
    case PAJESIM__DO_reset_state:
        pajesim__track_reset(reader, track, line);
        break;
    case PAJESIM__DO_change_variable:
        if (!pajesim__read_quantity(reader->line.readable, PAJESIM__WORD(&reader->line, value_word),
                                    PAJESIM__SIZE(&reader->line, value_word), &number))
            reader->unsuited = 1;
        pajesim__track_variable(reader, track, line, definition, number, changed);
        break;
    case PAJESIM__DO_new_event:
        track->last_line = line + 1;
        break;
    default:
        PAJESIM__ASSERT(definition->function == PAJESIM__DO_link_event);
        pajesim__track_link(reader, track, line, definition, time);
    }
    track->begun = 1;
}

/* Reads a line: an event, or a blank one. */
static void pajesim__chunk_line(pajesim__chunk_reader *reader)
{
    pajesim_ref ref;
    pajesim__line *line = &reader->line;
    pajesim_chunk *chunk = reader->chunk;
    const pajesim__state *state = PAJESIM__CONST_STATE(&reader->sim);
    const pajesim__definition *definition;
    uint32_t at = (uint32_t)(PAJESIM__TEXT(line) - reader->bytes), time_word, file_word;
    pajesim_time time;
    chunk->lines++;
    if (PAJESIM__UNLIKELY(line->error != PAJESIM_E_NONE || line->simple_quote || line->header ||
                          (line->size > state->line_max && state->line_max))) {
        reader->unsuited = 1;
        return;
    }
    if (PAJESIM__UNLIKELY(line->count == 0))
        return;
    ref = pajesim__definition_of(&reader->sim, line);
    definition = ref ? PAJESIM__DEFINITION_AT(&reader->sim, ref) : NULL;
    if (PAJESIM__UNLIKELY(!definition || definition->function == PAJESIM__SKIP_EVENT ||
                          line->count != definition->count + 1u || line->surplus_at)) {
        reader->unsuited = 1;
        return;
    }
#if PAJESIM__BLOCKS
    pajesim__note_plan(reader, definition);
#endif
    chunk->by_event[definition->event]++;
    time_word = pajesim__time_word(definition);
    if (time_word) {
        if (PAJESIM__UNLIKELY(!pajesim__read_time(line->readable, PAJESIM__WORD(line, time_word),
                                                  PAJESIM__SIZE(line, time_word), &time))) {
            reader->unsuited = 1;
            return;
        }
        if (time < chunk->least)
            chunk->least = time;
        if (PAJESIM__LIKELY(pajesim__has_place(definition->function))) {
            pajesim__chunk_entity(reader, at, definition, time);
            return;
        }
    }
    file_word = pajesim__file_word(definition);
    if (file_word && PAJESIM__SIZE(line, file_word))
        reader->unsuited = 1;
    if (definition->function == PAJESIM__DO_destroy_container) {
        pajesim__flush_tracks(reader);
        if (reader->flushed > 4 * chunk->size) /* that many destructions take longer than the lines themselves */
            reader->unsuited = 1;
    }
    pajesim__keep_line(reader, at);
}

/* Reads the lines of [p, end); `padded` as in pajesim__run_lines. */
static void pajesim__chunk_lines(pajesim__chunk_reader *reader, const unsigned char *p, const unsigned char *end,
                                 uint32_t padded)
{
    pajesim__begin_line(&reader->line, p, padded);
#if PAJESIM__BLOCKS
    pajesim__block_init(&reader->block);
#endif
    while (p < end && !reader->unsuited) {
        const unsigned char *following = NULL;
#if PAJESIM__BLOCKS
        pajesim__block *block = &reader->block;
        if (padded) {
            if (block->next == block->stop) {
                pajesim__scan_block(&reader->sim, block, 0, PAJESIM__BLOCK_SIZE, p, end);
                pajesim__enter_block(block, 0);
            }
            if (block->next != block->lines && reader->is_plain && !block->special) {
                p = pajesim__read_plain_lines(reader, p);
                if (block->next == block->lines)
                    continue;
            }
            if (block->next != block->lines)
                following = pajesim__next_line(&reader->line, block, p);
        }
#endif
        if (!following)
            following = pajesim__lex(&reader->line, p, reader->strict);
        pajesim__chunk_line(reader);
        p = following;
    }
}

/* Lists the lines that are kept. */
static void pajesim__list_runs(pajesim__chunk_reader *reader)
{
    pajesim_chunk *chunk = reader->chunk;
    const unsigned char *end = reader->bytes + chunk->size;
    pajesim__chunk_run *run = NULL;
    size_t i, words = (size_t)(chunk->size + 63) / 64;
    chunk->runs = (pajesim__chunk_run *)(void *)(chunk->memory + chunk->used);
    for (i = 0; i < words; i++) {
        uint64_t bits = reader->kept[i];
        for (; bits; bits &= bits - 1) {
            uint32_t begin = (uint32_t)(64 * i + pajesim__count_trailing_zeros(bits));
            uint32_t line_end = (uint32_t)(pajesim__newline(reader->bytes + begin, end) - reader->bytes) + 1;
            if (!run || run->end != begin) {
                run = (pajesim__chunk_run *)pajesim__chunk_alloc(reader, sizeof *run);
                if (!run)
                    return;
                run->begin = begin;
                chunk->run_count++;
            }
            run->end = line_end;
            chunk->kept += line_end - begin;
        }
    }
}

PAJESIM_API pajesim_status pajesim_chunk_read(pajesim_chunk *chunk, void *memory, size_t capacity, const pajesim *base,
                                              const void *bytes, size_t size)
{
    const unsigned char *p = (const unsigned char *)bytes, *end, *padded_end = p;
    pajesim__chunk_reader *reader = (pajesim__chunk_reader *)memory;
    if (!chunk || !memory || !pajesim__is_aligned(memory) || !base || !size || !p || p[size - 1] != '\n')
        return PAJESIM_MISUSE;
    end = p + size;
    if (base->busy)
        return PAJESIM_BUSY;
    memset(chunk, 0, sizeof *chunk);
    if (size > PAJESIM__CHUNK_MAX || capacity < sizeof *reader || PAJESIM__IS_PARSER(PAJESIM__CONST_STATE(base)))
        return PAJESIM_FULL;
    chunk->memory = (unsigned char *)memory;
    chunk->capacity = capacity;
    chunk->used = (sizeof *reader + 7) & ~(size_t)7;
    chunk->used = PAJESIM__MIN(chunk->used, capacity);
    chunk->size = size;
    chunk->least = -PAJESIM__TIME_LEAST;
    memset(reader, 0, sizeof *reader);
    reader->sim = *base;
    reader->chunk = chunk;
    reader->bytes = p;
    reader->strict = (int)PAJESIM__IS_STRICT(PAJESIM__CONST_STATE(base));
#if PAJESIM__BLOCKS
    reader->is_plain = !PAJESIM__CONST_STATE(base)->line_max;
#endif
    reader->item_room = 64;
    reader->items = (pajesim__chunk_item *)pajesim__chunk_alloc(reader, reader->item_room * sizeof *reader->items);
    reader->kept = (uint64_t *)pajesim__chunk_alloc(reader, (size + 63) / 64 * sizeof *reader->kept);
    if (!reader->kept || !pajesim__chunk_table_init(reader, &reader->tracks, 5) ||
        !pajesim__chunk_table_init(reader, &reader->links, 5))
        return PAJESIM_FULL;
    memset(reader->kept, 0, (size + 63) / 64 * sizeof *reader->kept);
    if (size > PAJESIM__PADDING)
        for (padded_end = end - PAJESIM__PADDING; padded_end > p && padded_end[-1] != '\n'; padded_end--) {
        }
    pajesim__chunk_lines(reader, p, padded_end, PAJESIM__PADDED);
    pajesim__chunk_lines(reader, padded_end, end, 0);
    if (!reader->unsuited)
        pajesim__flush_tracks(reader);
    if (!reader->unsuited)
        pajesim__list_done(reader);
    if (!reader->unsuited)
        pajesim__list_runs(reader);
    chunk->links = reader->links.slots;
    chunk->link_bits = reader->links.bits;
    return reader->unsuited || !PAJESIM__CHUNK_PAYS(chunk->kept, size) ? PAJESIM_FULL : PAJESIM_OK;
}

PAJESIM_API pajesim_status pajesim_copy(pajesim *copy, void *arena, size_t capacity, const pajesim *sim)
{
    if (!copy || copy == sim || !arena || !pajesim__is_aligned(arena) || !sim)
        return PAJESIM_MISUSE;
    if (sim->busy)
        return PAJESIM_BUSY;
    if (capacity < pajesim_used(sim))
        return PAJESIM_FULL;
    *copy = *sim;
    copy->arena = (unsigned char *)arena;
    copy->capacity = PAJESIM__MIN(capacity, (size_t)PAJESIM__CAPACITY_MAX);
    copy->index = NULL;
    memcpy(arena, sim->arena, pajesim_used(sim));
    return PAJESIM_OK;
}

PAJESIM_API uint64_t pajesim_chunk_kept(const pajesim_chunk *chunk)
{
    return chunk->kept;
}

/* ---- feeding ---- */

/* Counts the links that wait for their start.  Returns 0 if the chunk, which may be NULL, has taken for granted that
 * one of those that wait does not. */
static int pajesim__links_suit(const pajesim *sim, const pajesim_chunk *chunk, const unsigned char *bytes,
                               uint32_t *ends)
{
    pajesim_ref ref;
    *ends = 0;
    for (ref = PAJESIM__CONST_STATE(sim)->root; ref; ref = pajesim__next_container(sim, ref)) {
        pajesim__offset at = PAJESIM__CONTAINER_AT(sim, ref)->links;
        pajesim_text name = pajesim_alias(sim, ref);
        pajesim__key container = pajesim__key_of(name.bytes, (uint32_t)name.size);
        for (; at; at = PAJESIM__AT(sim, const pajesim__link, at)->next) {
            const pajesim__link *link = PAJESIM__AT(sim, const pajesim__link, at);
            *ends += !link->started;
            if (chunk) {
                pajesim_text text = pajesim__id_text(sim, &link->id);
                pajesim__key key = pajesim__key_of(text.bytes, (uint32_t)text.size);
                pajesim__half hash = pajesim__chunk_link_hash(&container, link->id.subscope, &key);
                const pajesim__chunk_link *found = pajesim__find_chunk_link(chunk->links, chunk->link_bits, bytes,
                                                                            &container, link->id.subscope, &key, hash);
                if ((found && (found->fresh || !link->started)) || chunk->done[pajesim__done_slot(chunk, hash | 1)])
                    return 0;
            }
        }
    }
    return 1;
}

/* Whether all values that states of the chunk name without a definition are to be forgotten already, when the queue of
 * these is full, or are defined by now. */
static int pajesim__values_suit(const pajesim *sim, const pajesim_chunk *chunk, const unsigned char *bytes)
{
    const pajesim__chunk_value *value;
    for (value = chunk->values; value; value = value->next) {
        pajesim__key key = pajesim__key_of(bytes + value->word, value->size);
        pajesim_ref ref = pajesim__table_find(sim, &PAJESIM__CONST_STATE(sim)->values, &key, value->type, 0);
        if (!ref || ((PAJESIM__RECORD(sim, ref)->flags & PAJESIM__IMPLICIT) &&
                     !(PAJESIM__RECORD(sim, ref)->flags & PAJESIM__QUEUED)))
            return 0;
    }
    return 1;
}

/* Whether the simulation is where a chunk may begin. */
static int pajesim__chunk_suits(const pajesim *sim, pajesim_chunk *chunk, const unsigned char *bytes)
{
    const pajesim__state *state = PAJESIM__CONST_STATE(sim);
    return !state->carry_size && state->cut == PAJESIM__IN_INDENT && !PAJESIM__FILE(state) &&
           !PAJESIM__NEXT_FILE(state) && (!PAJESIM_REPAIRS || state->bom_state == 3) &&
           (PAJESIM__IS_STRICT(state) || pajesim__links_suit(sim, chunk, bytes, &chunk->ends)) &&
           pajesim__values_suit(sim, chunk, bytes);
}

/* Adds what the lines that were left out would have counted, after the others were fed. */
static void pajesim__count_chunk(pajesim *sim, const pajesim_chunk *chunk, const unsigned char *bytes)
{
    pajesim__state *state = PAJESIM__STATE(sim);
    pajesim_counts *counts = &state->counts;
    uint64_t left_out[PAJESIM_EVENT_COUNT], lines = counts->lines - chunk->before.lines;
    uint32_t i;
    for (i = 0; i < PAJESIM_EVENT_COUNT; i++) {
        left_out[i] = chunk->before.by_event[i] + chunk->by_event[i] - counts->by_event[i];
        counts->by_event[i] += left_out[i];
    }
    counts->states += left_out[PAJESIM_SET_STATE] + left_out[PAJESIM_PUSH_STATE];
    counts->variables += chunk->segments;
    counts->links += left_out[PAJESIM_END_LINK];
    counts->punctual += left_out[PAJESIM_NEW_EVENT];
    counts->lines += chunk->lines - lines;
    state->line += chunk->lines - lines;
    if (chunk->least < state->first) /* by the start of a link; the last line of each track, the latest, is kept */
        state->first = chunk->least;
    if (state->digests)
        pajesim__digest_bytes(state, bytes, (size_t)chunk->size);
    counts->bytes += chunk->size;
}

/* Feeds the lines whose effect lasts. */
static pajesim_status pajesim__feed_runs(pajesim *sim, pajesim_chunk *chunk, const unsigned char *bytes)
{
    pajesim_status status = PAJESIM_OK;
    while (status == PAJESIM_OK && chunk->next_run < chunk->run_count) {
        const pajesim__chunk_run *run = &chunk->runs[chunk->next_run];
        const unsigned char *next, *end = bytes + run->end;
        uint32_t padded = chunk->size - run->end >= PAJESIM__PADDING ? PAJESIM__PADDED : 0;
        next = bytes + (chunk->at > run->begin ? chunk->at : run->begin);
        status = pajesim__run_lines(sim, next, end, padded, &next);
        chunk->at = (uint32_t)(next - bytes);
        chunk->next_run += next == end;
    }
    return status;
}

PAJESIM_API pajesim_status pajesim_chunk_feed(pajesim *sim, pajesim_chunk *chunk, const void *bytes)
{
    const unsigned char *p = (const unsigned char *)bytes;
    pajesim__state *state;
    pajesim_status status;
    uint32_t ends;
    if (!sim || !chunk || !bytes)
        return PAJESIM_MISUSE;
    if (sim->busy)
        return PAJESIM_BUSY;
    state = PAJESIM__STATE(sim);
    if (state->stage != PAJESIM__READING)
        return PAJESIM_FINISHED;
    if (state->stopped)
        return PAJESIM_STOPPED;
    if (!chunk->feeding) {
        if (!pajesim__chunk_suits(sim, chunk, p))
            return PAJESIM_STALE;
        chunk->before = state->counts;
        chunk->next_run = chunk->at = 0;
        chunk->feeding = 1;
    }
    pajesim__enter(sim);
    status = pajesim__feed_runs(sim, chunk, p);
    state = PAJESIM__STATE(sim);
    if (status == PAJESIM_OK || state->counts.errors != chunk->before.errors) {
        chunk->feeding = 0;
        if (state->counts.errors != chunk->before.errors || state->counts.warnings != chunk->before.warnings ||
            (!PAJESIM__IS_STRICT(state) && pajesim__links_suit(sim, NULL, p, &ends) && ends != chunk->ends))
            status = PAJESIM_STALE;
        else
            pajesim__count_chunk(sim, chunk, p);
    }
    return pajesim__leave(sim, status);
}
#endif /* PAJESIM_TRAVEL */

#endif /* PAJESIM_IMPLEMENTATION */

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
