/* The sink for FILE. */
#pragma once

#include "../api/host.h"
#include "file.h"

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
