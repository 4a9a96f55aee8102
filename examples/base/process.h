/* Processes, and programs that the tool runs: found in PATH, without a shell. */
#pragma once

#include "platform.h"

#include <sys/types.h>

/* Makes a pipe that programs do not inherit, as pipe() otherwise.  Returns 1, or 0 with errno. */
int process_pipe(int ends[2]);
/* How many processes there may be, at least one and at most `count`, if each takes so many descriptors of this one. */
size_t process_fitting(size_t count, size_t files);
/* Starts a program, which inherits standard error; `arguments` begin with its name and end with NULL.  Descriptors of
 * the caller become its standard input and output.  Returns its process, or 0 with errno: ENOENT if there is none. */
pid_t process_start(char *const arguments[], int input, int output);
/* Waits for the end of a process; one of 0 or less has ended well.  Returns its exit status, or less than 0: minus the
 * signal that ended it. */
int process_wait(pid_t process);
/* Reads a byte that another process sends, as read() but again if a signal comes: 1, 0 at the end, or -1 with errno. */
int process_receive(int file, char *word);
