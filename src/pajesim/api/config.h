/* The options of pajesim.h. */
#pragma once

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
