/* The writer, which calls the system directly: the C library's functions are wrapped here, and some are points where a
 * thread may be cancelled. */
#include "writer.h"

#include <fcntl.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static int open_directly(const char *path, int flags, ...)
{
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, 0666);
}

static int close_directly(int descriptor)
{
    return (int)syscall(SYS_close, descriptor);
}

static ssize_t pwrite_directly(int descriptor, const void *bytes, size_t size, off_t at)
{
    return (ssize_t)syscall(SYS_pwrite64, descriptor, bytes, size, at);
}

#define open open_directly
#define close close_directly
#define pwrite pwrite_directly
#define PAJEWRITE_IMPLEMENTATION
#include "pajewrite.h"
