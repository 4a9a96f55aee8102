/* The writer, which calls the system directly: the C library's functions are wrapped here, and some are points where a
 * thread may be cancelled. */
#include "writer.h"

#include <fcntl.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static int open_directly(const char *path, int flags, ...)
{
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, 0666);
}

static int close_directly(int descriptor)
{
    return (int)syscall(SYS_close, descriptor);
}

static ssize_t writev_directly(int descriptor, const struct iovec *pieces, int count)
{
    return (ssize_t)syscall(SYS_writev, descriptor, pieces, count);
}

#define open open_directly
#define close close_directly
#define writev writev_directly
#define PAJEWRITE_IMPLEMENTATION
#include "pajewrite.h"
