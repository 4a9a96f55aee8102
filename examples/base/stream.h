/* Standard output, and messages on standard error. */
#pragma once

#include "base/text.h"

/* The buffer of standard output: append to it, and call stream_end_line() after each line, or stream_end_record() after
 * each record of a format that has no lines. */
extern text_buffer stream_output;
extern size_t stream_output_limit; /* bytes that are gathered before they are written */
void stream_end_line(void);
void stream_end_record(void);
/* Writes what is in stream_output; ends the program with EXIT_FAILED if that is not possible. */
void stream_flush(void);
/* A command that writes files sets this hook, to write them as well; stream_flush() calls it.  May be NULL. */
extern void (*stream_flush_files)(void);
/* Call it first: keeps files that are opened from becoming standard output or error where these are closed. */
void stream_begin(void);
/* Called in place of writing to standard output; empties the text.  May be NULL. */
extern void (*stream_divert)(text_buffer *output);

/* Writes all of a text, also after interrupts and short writes: to a terminal as text_put_printable_lines() does, so
 * that no name of a trace can control it.  Returns 0, with errno, if that is not possible. */
int stream_write(int file, pajesim_text text);
/* 1: what is written controls the terminal itself, and is written as it is. */
extern int stream_is_screen;

/* Prints "NAME: ", NAME being program_name, and a message on standard error, as text_put_printable() does.
 * stream_fail() then exits with EXIT_FAILED. */
void stream_message(const char *format, ...) PRINTF_LIKE(1, 2);
void stream_fail(const char *format, ...) PRINTF_LIKE(1, 2) NO_RETURN;
/* Called before each message; may be NULL.  A viewer gives the terminal back. */
extern void (*stream_before_message)(void);
/* Writes lines to standard error, as text_put_printable_lines() does, and empties the text. */
void stream_write_error(text_buffer *text);

/* Shows a line on standard error until the next output, the next message or stream_end_progress(); not once there is
 * output on a terminal, which shows progress itself, and perhaps on the same one. */
void stream_progress(const char *format, ...) PRINTF_LIKE(1, 2);
void stream_end_progress(void);
/* Call it in a process whose parent shows such a line: what it prints wipes that out first. */
void stream_share_progress(void);
