/* Makes calls of the system fail: to be preloaded (LD_PRELOAD).
 *
 *     FAULT_CALL=NAME          which calls, one of the list below; of read and write, those on files other than
 *                              standard error; of close, those of files that are written
 *     FAULT_FILE=ENDING        of open: of files whose name ends so
 *     FAULT_NTH=N              the Nth of them fails, in whatever process, and all that follow
 *     FAULT_ONCE=1             the Nth only
 *     FAULT_ERRNO=NUMBER       so
 *     FAULT_COUNTS=FILE        how often each is called is counted there, name and number
 *     FAULT_CALL=torn          no call fails: every other read and write is interrupted (EINTR), the others do a few
 *                              bytes only
 *     FAULT_SHRINK=FILE        is cut off in the middle at the first read
 *     FAULT_UNMAP=FILE         is cut off in the middle as soon as it is mapped
 *     FAULT_GROW=FILE          gets what is in FILE.other at its end, before it is opened for the Nth time
 *     FAULT_REPLACE=FILE       is replaced by FILE.other before it is opened for the Nth time
 *     FAULT_DATE=FILE          has another date from the Nth read on, as if it was written over */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

/* Calls that return -1 and set errno: name, type, parameters, arguments. */
#define CALLS(CALL) \
    CALL(access, int, (const char *name, int mode), (name, mode)) \
    CALL(dup, int, (int file), (file)) \
    CALL(dup2, int, (int file, int to), (file, to)) \
    CALL(fchmod, int, (int file, mode_t mode), (file, mode)) \
    CALL(fork, pid_t, (void), ()) \
    CALL(fstat, int, (int file, struct stat *status), (file, status)) \
    CALL(fstat64, int, (int file, struct stat64 *status), (file, status)) \
    CALL(fsync, int, (int file), (file)) \
    CALL(ftruncate, int, (int file, off_t size), (file, size)) \
    CALL(ftruncate64, int, (int file, off64_t size), (file, size)) \
    CALL(getrlimit, int, (__rlimit_resource_t which, struct rlimit *limit), (which, limit)) \
    CALL(getrlimit64, int, (__rlimit_resource_t which, struct rlimit64 *limit), (which, limit)) \
    CALL(setrlimit, int, (__rlimit_resource_t which, const struct rlimit *limit), (which, limit)) \
    CALL(setrlimit64, int, (__rlimit_resource_t which, const struct rlimit64 *limit), (which, limit)) \
    CALL(link, int, (const char *from, const char *to), (from, to)) \
    CALL(lseek, off_t, (int file, off_t offset, int from), (file, offset, from)) \
    CALL(lseek64, off64_t, (int file, off64_t offset, int from), (file, offset, from)) \
    CALL(lstat, int, (const char *name, struct stat *status), (name, status)) \
    CALL(lstat64, int, (const char *name, struct stat64 *status), (name, status)) \
    CALL(madvise, int, (void *begin, size_t size, int advice), (begin, size, advice)) \
    CALL(mkdir, int, (const char *name, mode_t mode), (name, mode)) \
    CALL(mkstemp, int, (char *name), (name)) \
    CALL(mkstemp64, int, (char *name), (name)) \
    CALL(munmap, int, (void *begin, size_t size), (begin, size)) \
    CALL(pipe, int, (int *files), (files)) \
    CALL(poll, int, (struct pollfd *files, nfds_t count, int milliseconds), (files, count, milliseconds)) \
    CALL(pwrite, ssize_t, (int file, const void *bytes, size_t size, off_t offset), (file, bytes, size, offset)) \
    CALL(pwrite64, ssize_t, (int file, const void *bytes, size_t size, off64_t offset), (file, bytes, size, offset)) \
    CALL(rename, int, (const char *from, const char *to), (from, to)) \
    CALL(rmdir, int, (const char *name), (name)) \
    CALL(sigaction, int, (int number, const struct sigaction *to, struct sigaction *from), (number, to, from)) \
    CALL(stat, int, (const char *name, struct stat *status), (name, status)) \
    CALL(stat64, int, (const char *name, struct stat64 *status), (name, status)) \
    CALL(tcgetattr, int, (int file, struct termios *mode), (file, mode)) \
    CALL(tcsetattr, int, (int file, int when, const struct termios *mode), (file, when, mode)) \
    CALL(unlink, int, (const char *name), (name)) \
    CALL(waitpid, pid_t, (pid_t child, int *status, int options), (child, status, options)) \
    CALL(clock_gettime, int, (clockid_t clock, struct timespec *time), (clock, time))
/* Those that are written out below. */
#define OTHERS(CALL) \
    CALL(read, , , ) CALL(pread, , , ) CALL(pread64, , , ) CALL(write, , , ) CALL(close, , , ) CALL(open, , , ) \
    CALL(open64, , , ) CALL(fcntl, , , ) CALL(fcntl64, , , ) CALL(ioctl, , , ) CALL(malloc, , , ) CALL(calloc, , , ) \
    CALL(realloc, , , ) CALL(posix_memalign, , , ) CALL(mmap, , , ) CALL(mmap64, , , ) CALL(realpath, , , )

enum call {
#define CALL(name, type, parameters, arguments) CALL_##name,
    CALLS(CALL) OTHERS(CALL) CALL_COUNT
#undef CALL
};

static const char *const names[] = {
#define CALL(name, type, parameters, arguments) #name,
    CALLS(CALL) OTHERS(CALL)
#undef CALL
};

/* How often each is called: shared by a process and its children. */
typedef struct counter {
    char name[28];
    int calls;
} counter;

static counter *counters;
static int chosen = -1, torn_chosen, nth = 1, once, number;
static const char *shrinks, *unmapped, *grows, *replaced, *dated;

/* The next function of this name; malloc is not called for it. */
static void *original(const char *name)
{
    void *found = dlsym(RTLD_NEXT, name);
    if (!found)
        _exit(99);
    return found;
}

/* Maps the counters; without a file, memory that children share. */
static void *map(int file, size_t size)
{
    const int flags = file < 0 ? MAP_SHARED | MAP_ANONYMOUS : MAP_SHARED;
    return (void *)syscall(SYS_mmap, (void *)0, size, PROT_READ | PROT_WRITE, flags, file, 0L);
}

__attribute__((constructor)) static void begin(void)
{
    const char *call = getenv("FAULT_CALL"), *counts = getenv("FAULT_COUNTS");
    const int file = counts ? (int)syscall(SYS_openat, AT_FDCWD, counts, O_RDWR | O_CLOEXEC) : -1;
    counter *place;
    int i;
    if (file >= 0 && syscall(SYS_ftruncate, file, (long)(CALL_COUNT * sizeof *place)))
        _exit(99);
    place = map(file, CALL_COUNT * sizeof *place);
    if (place == MAP_FAILED)
        _exit(99);
    if (file >= 0)
        syscall(SYS_close, file);
    for (i = 0; i < CALL_COUNT; i++) {
        strcpy(place[i].name, names[i]);
        if (call && strcmp(call, names[i]) == 0)
            chosen = i;
    }
    torn_chosen = call && strcmp(call, "torn") == 0;
    nth = getenv("FAULT_NTH") ? atoi(getenv("FAULT_NTH")) : 1;
    once = getenv("FAULT_ONCE") != NULL;
    number = getenv("FAULT_ERRNO") ? atoi(getenv("FAULT_ERRNO")) : EIO;
    shrinks = getenv("FAULT_SHRINK");
    unmapped = getenv("FAULT_UNMAP");
    grows = getenv("FAULT_GROW");
    replaced = getenv("FAULT_REPLACE");
    dated = getenv("FAULT_DATE");
    counters = place; /* from here on */
}

/* Whether this call is to fail; errno is set then. */
static int fails(enum call call)
{
    int calls;
    if (!counters)
        return 0;
    calls = __atomic_add_fetch(&counters[call].calls, 1, __ATOMIC_RELAXED);
    if ((int)call != chosen || calls < nth || (once && calls > nth))
        return 0;
    errno = number;
    return 1;
}

#define CALL(name, type, parameters, arguments) \
    type name parameters \
    { \
        static type (*next) parameters; \
        if (!next) \
            *(void **)&next = original(#name); \
        return fails(CALL_##name) ? (type)-1 : next arguments; \
    }
CALLS(CALL)
#undef CALL

static int is_same(int file, const char *name)
{
    struct stat one, other;
    return file >= 0 && fstat(file, &one) == 0 && stat(name, &other) == 0 && one.st_ino == other.st_ino &&
           one.st_dev == other.st_dev;
}

static void cut_off(const char *file)
{
    struct stat status;
    if (stat(file, &status) == 0 && truncate(file, status.st_size / 2) < 0)
        _exit(99);
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
    static ssize_t (*next)(int, void *, size_t);
    static int reads;
    if (!next)
        *(void **)&next = original("read");
    if (fails(CALL_read))
        return -1;
    if (torn_chosen && size && !(size = torn(size))) {
        errno = EINTR;
        return -1;
    }
    if (shrinks) {
        cut_off(shrinks);
        shrinks = NULL;
    }
    if (dated && ++reads == nth) {
        const struct timespec dates[] = {{1, 0}, {1, 0}};
        if (utimensat(AT_FDCWD, dated, dates, 0) < 0)
            _exit(99);
    }
    return next(file, bytes, size);
}

#define PREAD(name, offset_type) \
    ssize_t name(int file, void *bytes, size_t size, offset_type offset) \
    { \
        static ssize_t (*next)(int, void *, size_t, offset_type); \
        if (!next) \
            *(void **)&next = original(#name); \
        if (fails(CALL_##name)) \
            return -1; \
        if (torn_chosen && size && !(size = torn(size))) { \
            errno = EINTR; \
            return -1; \
        } \
        return next(file, bytes, size, offset); \
    }
PREAD(pread, off_t)
PREAD(pread64, off64_t)
#undef PREAD

ssize_t write(int file, const void *bytes, size_t size)
{
    static ssize_t (*next)(int, const void *, size_t);
    if (!next)
        *(void **)&next = original("write");
    if (file != STDERR_FILENO && fails(CALL_write))
        return -1;
    if (torn_chosen && size && !(size = torn(size))) {
        errno = EINTR;
        return -1;
    }
    return next(file, bytes, size);
}

int close(int file)
{
    static int (*next)(int);
    const int flags = (int)syscall(SYS_fcntl, file, F_GETFL, 0L);
    if (!next)
        *(void **)&next = original("close");
    if (flags >= 0 && (flags & O_ACCMODE) != O_RDONLY && fails(CALL_close)) {
        next(file);
        errno = number;
        return -1;
    }
    return next(file);
}

static void append_other(const char *name)
{
    char command[9000];
    snprintf(command, sizeof command, "unset LD_PRELOAD; cat '%s.other' >>'%s'", name, name);
    if (system(command) != 0)
        _exit(99);
}

static int opens(enum call call, const char *name, int flags, int mode)
{
    static int (*next)(const char *, int, ...);
    static int openings;
    const char *ending = getenv("FAULT_FILE");
    const size_t size = strlen(name), ending_size = ending ? strlen(ending) : 0;
    if (!next)
        *(void **)&next = original("open64");
    if (size >= ending_size && (!ending || strcmp(name + size - ending_size, ending) == 0) && fails(call))
        return -1;
    if (replaced && strcmp(name, replaced) == 0 && ++openings == nth) {
        char other[4096];
        strcat(strcpy(other, replaced), ".other");
        if (rename(other, replaced))
            _exit(99);
    }
    if (grows && strcmp(name, grows) == 0 && ++openings == nth)
        append_other(grows);
    return next(name, flags | (call == CALL_open64 ? O_LARGEFILE : 0), mode);
}

#define OPEN(name) \
    int name(const char *path, int flags, ...) \
    { \
        va_list arguments; \
        int mode; \
        va_start(arguments, flags); \
        mode = flags & O_CREAT ? va_arg(arguments, int) : 0; \
        va_end(arguments); \
        return opens(CALL_##name, path, flags, mode); \
    }
OPEN(open)
OPEN(open64)

/* Each with one more argument of any type. */
#define CONTROL(name, command_type) \
    int name(int file, command_type command, ...) \
    { \
        static int (*next)(int, command_type, ...); \
        va_list arguments; \
        void *argument; \
        va_start(arguments, command); \
        argument = va_arg(arguments, void *); \
        va_end(arguments); \
        if (!next) \
            *(void **)&next = original(#name); \
        return fails(CALL_##name) ? -1 : next(file, command, argument); \
    }
CONTROL(fcntl, int)
CONTROL(fcntl64, int)
CONTROL(ioctl, unsigned long)

/* By the names that they have within glibc, as looking up others allocates memory. */
extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t),
    *__libc_memalign(size_t, size_t);

void *malloc(size_t size) { return fails(CALL_malloc) ? NULL : __libc_malloc(size); }
void *calloc(size_t count, size_t size) { return fails(CALL_calloc) ? NULL : __libc_calloc(count, size); }
void *realloc(void *block, size_t size) { return fails(CALL_realloc) ? NULL : __libc_realloc(block, size); }

int posix_memalign(void **block, size_t alignment, size_t size)
{
    const int error = errno;
    if (fails(CALL_posix_memalign)) {
        errno = error;
        return number;
    }
    *block = __libc_memalign(alignment, size);
    return *block ? 0 : ENOMEM;
}

#define MAP(name, offset_type) \
    void *name(void *begin, size_t size, int access, int flags, int file, offset_type offset) \
    { \
        static void *(*next)(void *, size_t, int, int, int, offset_type); \
        if (!next) \
            *(void **)&next = original(#name); \
        if (fails(CALL_##name)) \
            return MAP_FAILED; \
        void *mapped = next(begin, size, access, flags, file, offset); \
        if (unmapped && is_same(file, unmapped)) { \
            cut_off(unmapped); \
            unmapped = NULL; \
        } \
        return mapped; \
    }
MAP(mmap, off_t)
MAP(mmap64, off64_t)

char *realpath(const char *name, char *path)
{
    static char *(*next)(const char *, char *);
    if (!next)
        *(void **)&next = original("realpath");
    return fails(CALL_realpath) ? NULL : next(name, path);
}
