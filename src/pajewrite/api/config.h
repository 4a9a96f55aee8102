/* Version and options. */
#pragma once

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
