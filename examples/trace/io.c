/* Layer: files, pipes, sockets, polling, sleeping.
 *
 * The C library does not call read and write for a FILE in a way that can be wrapped, so of a FILE only fopen, fclose
 * and fflush are recorded, and pieces that do not fit its buffer. */
/* Without what makes macros or other names of the functions. */
#undef _FORTIFY_SOURCE
#undef _FILE_OFFSET_BITS
#include "trace.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "io.h"

#define DEFINE(end, STATE, type, name, parameters, arguments) \
    TRACE_EXPORT type name parameters; \
    TRACE_WRAP(TRACE_IO, type, name, parameters, arguments, trace_begin(TRACE_IO, TRACE_##STATE), end)
#define BYTES(STATE, type, name, parameters, arguments) \
    DEFINE(trace_end_bytes(&scope, (int64_t)result), STATE, type, name, parameters, arguments)
#define CALL(STATE, type, name, parameters, arguments) \
    DEFINE(trace_end(&scope), STATE, type, name, parameters, arguments)

TRACE_IO_FUNCTIONS(BYTES, CALL)

/* ---- a mode follows if a file may be created */

#define OPENS(name, parameters, arguments) \
    TRACE_NEXT(int, name, (parameters, int flags, ...)) \
    TRACE_EXPORT int name(parameters, int flags, ...) \
    { \
        trace_scope scope = trace_begin(TRACE_IO, TRACE_OPEN); \
        unsigned mode = 0; \
        int descriptor; \
        if ((flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE) { \
            va_list rest; \
            va_start(rest, flags); \
            mode = va_arg(rest, unsigned); \
            va_end(rest); \
        } \
        TRACE_FIND(name); \
        descriptor = next_##name(arguments, flags, mode); \
        trace_end(&scope); \
        return descriptor; \
    }
#define COMMA ,

OPENS(open, const char *path, path)
OPENS(open64, const char *path, path)
OPENS(openat, int folder COMMA const char *path, folder COMMA path)
OPENS(openat64, int folder COMMA const char *path, folder COMMA path)

/* ---- of a FILE, what does not fit its buffer */

enum { BUFFER = 4096 };

TRACE_NEXT(size_t, fread, (void *, size_t, size_t, FILE *))
TRACE_NEXT(size_t, fwrite, (const void *, size_t, size_t, FILE *))

static int is_large(size_t size, size_t count)
{
    return size && count >= (BUFFER + size - 1) / size;
}

TRACE_EXPORT size_t fread(void *restrict to, size_t size, size_t count, FILE *restrict file)
{
    trace_scope scope = {NULL, 0};
    size_t result;
    TRACE_FIND(fread);
    if (is_large(size, count))
        scope = trace_begin(TRACE_IO, TRACE_READ);
    result = next_fread(to, size, count, file);
    trace_end_bytes(&scope, (int64_t)(result * size));
    return result;
}

TRACE_EXPORT size_t fwrite(const void *restrict from, size_t size, size_t count, FILE *restrict file)
{
    trace_scope scope = {NULL, 0};
    size_t result;
    TRACE_FIND(fwrite);
    if (is_large(size, count))
        scope = trace_begin(TRACE_IO, TRACE_WRITE);
    result = next_fwrite(from, size, count, file);
    trace_end_bytes(&scope, (int64_t)(result * size));
    return result;
}
