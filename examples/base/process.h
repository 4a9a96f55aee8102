/* Programs that the tool runs: found in PATH, without a shell. */
#pragma once

#include "platform.h"

#include <sys/types.h>

/* Makes a pipe that programs do not inherit, as pipe() otherwise.  Returns 1, or 0 with errno. */
int process_pipe(int ends[2]);
/* Starts a program, which inherits standard error; `arguments` begin with its name and end with NULL.  Descriptors of
 * the caller become its standard input and output.  Returns its process, or 0 with errno: ENOENT if there is none. */
pid_t process_start(char *const arguments[], int input, int output);
/* Waits for the end of a process; one of 0 or less has ended well.  Returns its exit status, or less than 0: minus the
 * signal that ended it. */
int process_wait(pid_t process);
