/* Makes calls of the system fail: to be preloaded (LD_PRELOAD).
 *
 *     FAULT_CALL=read|write|close|realloc   which calls; of read and write, those on files other than standard error; of
 *                                     close, those of files that are written
 *     FAULT_CALL=open                 of files whose name ends with FAULT_FILE
 *     FAULT_NTH=N                     the Nth of them fails, and all that follow
 *     FAULT_ERRNO=NUMBER              so
 *     FAULT_CALL=torn                 no call fails: every other read and write is interrupted (EINTR), the others do a
 *                                     few bytes only
 *     FAULT_SHRINK=FILE               is cut off in the middle at the first read */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int is_called(const char *call)
{
    const char *chosen = getenv("FAULT_CALL");
    return chosen && strcmp(chosen, call) == 0;
}

/* Whether this call, which is one of the chosen, is to fail. */
static int fails(void)
{
    static int calls;
    const char *nth = getenv("FAULT_NTH"), *number = getenv("FAULT_ERRNO");
    if (++calls < (nth ? atoi(nth) : 1))
        return 0;
    errno = number ? atoi(number) : EIO;
    return 1;
}

/* How many bytes a torn call does; 0: it is interrupted. */
static size_t torn(size_t size)
{
    static unsigned calls;
    if (calls++ % 2 == 0)
        return 0;
    return size < 7 ? size : 7;
}

ssize_t read(int file, void *bytes, size_t size)
{
    static ssize_t (*original)(int, void *, size_t);
    const char *shrinks = getenv("FAULT_SHRINK");
    struct stat status;
    if (!original)
        *(void **)&original = dlsym(RTLD_NEXT, "read");
    if (is_called("read") && fails())
        return -1;
    if (is_called("torn") && !(size = torn(size))) {
        errno = EINTR;
        return -1;
    }
    if (shrinks && stat(shrinks, &status) == 0) {
        if (truncate(shrinks, status.st_size / 2) < 0)
            _exit(99);
        unsetenv("FAULT_SHRINK");
    }
    return original(file, bytes, size);
}

ssize_t write(int file, const void *bytes, size_t size)
{
    static ssize_t (*original)(int, const void *, size_t);
    if (!original)
        *(void **)&original = dlsym(RTLD_NEXT, "write");
    if (file != STDERR_FILENO && is_called("write") && fails())
        return -1;
    if (is_called("torn") && !(size = torn(size))) {
        errno = EINTR;
        return -1;
    }
    return original(file, bytes, size);
}

int close(int file)
{
    static int (*original)(int);
    int flags = fcntl(file, F_GETFL);
    if (!original)
        *(void **)&original = dlsym(RTLD_NEXT, "close");
    if (is_called("close") && flags >= 0 && (flags & O_ACCMODE) != O_RDONLY && fails()) {
        int number = errno;
        original(file);
        errno = number;
        return -1;
    }
    return original(file);
}

int open(const char *name, int flags, ...)
{
    static int (*original)(const char *, int, ...);
    const char *ending = getenv("FAULT_FILE");
    size_t size = strlen(name), ending_size = ending ? strlen(ending) : 0;
    va_list arguments;
    int mode;
    va_start(arguments, flags);
    mode = flags & O_CREAT ? va_arg(arguments, int) : 0;
    va_end(arguments);
    if (!original)
        *(void **)&original = dlsym(RTLD_NEXT, "open");
    if (is_called("open") && ending && size >= ending_size && strcmp(name + size - ending_size, ending) == 0 && fails())
        return -1;
    return original(name, flags, mode);
}

void *realloc(void *block, size_t size)
{
    static void *(*original)(void *, size_t);
    if (!original)
        *(void **)&original = dlsym(RTLD_NEXT, "realloc");
    return is_called("realloc") && fails() ? NULL : original(block, size);
}
