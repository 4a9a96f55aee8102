/* Feature macros of the C library, attributes of the compiler, exit statuses.  Every header here includes it first. */
#pragma once

#ifndef _XOPEN_SOURCE
#define _XOPEN_SOURCE 700
#endif

#ifndef _FILE_OFFSET_BITS /* files of more than 2 GB on 32-bit machines */
#define _FILE_OFFSET_BITS 64
#endif

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define PRINTF_LIKE(text, first) __attribute__((format(printf, text, first)))
#define NO_RETURN __attribute__((noreturn))
#else
#define PRINTF_LIKE(text, first)
#define NO_RETURN
#endif

/* The program's name, which begins its messages. */
extern const char *program_name;

/* Exit statuses.  EXIT_PIPE: the reader of the output has gone, as in `paje dump | head`; what a shell shows of a
 * program that SIGPIPE ended. */
enum { EXIT_OK = 0, EXIT_ERRORS = 1, EXIT_USAGE = 2, EXIT_FAILED = 3, EXIT_PIPE = 141 };
