/* Files and memory of the system, for what writes into them. */
#pragma once

#include "owner.h"

#if PAJEWRITE_POSIX
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Opens a file, not as one of the standard streams, into which the program would print if they were closed.  A FIFO may
 * have no reader for a while, in which signals come. */
PAJEWRITE__UNTRACED
static int pajewrite__open_descriptor(const char *path, int flags)
{
    int opened, descriptor;
    do
        opened = open(path ? path : "", flags | O_CLOEXEC, 0666); /* NULL, as of getenv: C wants a text */
    while (opened < 0 && errno == EINTR);
    descriptor = opened;
    if (opened >= 0 && opened < 3) {
        descriptor = fcntl(opened, F_DUPFD_CLOEXEC, 3);
        close(opened);
    }
    return descriptor;
}

/* Whether a descriptor is still that of a file; a program may close descriptors that it does not know, and open files
 * of its own in their place. */
PAJEWRITE__UNTRACED
static int pajewrite__is_file(int descriptor, uint64_t device, uint64_t inode)
{
    struct stat about;
    return !fstat(descriptor, &about) && (uint64_t)about.st_ino == inode && (uint64_t)about.st_dev == device;
}

PAJEWRITE__UNTRACED
static void pajewrite__sleep(long nanoseconds)
{
    struct timespec time;
    time.tv_sec = 0;
    time.tv_nsec = nanoseconds;
    nanosleep(&time, NULL);
}

/* Returns 1 if an error says that nothing is taken now. */
PAJEWRITE__UNTRACED
static int pajewrite__is_full(int error)
{
#if EAGAIN != EWOULDBLOCK /* else gcc -Wlogical-op warns */
    if (error == EWOULDBLOCK)
        return 1;
#endif
    return error == EAGAIN;
}

/* Writes all, at an offset if that is not negative.  A pipe in non-blocking mode that is full is tried again, after
 * 50 microseconds at first and 10 milliseconds at last (<poll.h> would declare names that the program may have).
 * Returns how many bytes were written; fewer: it failed. */
PAJEWRITE__UNTRACED
static size_t pajewrite__write_all(int descriptor, const char *bytes, size_t size, off_t at)
{
    const size_t most = (size_t)1 << 30;
    size_t done = 0;
    long pause = 50000;
    while (done < size) {
        const size_t piece = size - done < most ? size - done : most;
        const ssize_t taken = at < 0 ? write(descriptor, bytes + done, piece)
                                     : pwrite(descriptor, bytes + done, piece, at + (off_t)done);
        if (taken > 0) {
            done += (size_t)taken;
            pause = 50000;
        } else if (taken < 0 && pajewrite__is_full(errno)) {
            pajewrite__sleep(pause);
            pause = pause < 5000000 ? pause * 2 : 10000000;
        } else if (taken == 0 || errno != EINTR) {
            break;
        }
    }
    return done;
}

/* Returns the size of the whole lines at the start of some bytes. */
PAJEWRITE__UNTRACED
static size_t pajewrite__whole_lines(const char *bytes, size_t size)
{
    while (size && bytes[size - 1] != '\n')
        size--;
    return size;
}

/* Keeps a thread from being cancelled in the midst of a line.  Returns what to pass to pajewrite__let_cancel.  (Of a
 * thread that may be cancelled at any instruction, glibc sends a signal, whose handler looks at the type alone: the
 * state may have changed meanwhile.) */
PAJEWRITE__UNTRACED
static int pajewrite__prevent_cancel(void)
{
    int before = 0, type = 0;
#ifndef __ANDROID__ /* which cancels no threads */
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &type);
#endif
    return before + type * 16;
}

PAJEWRITE__UNTRACED
static void pajewrite__let_cancel(int before)
{
#ifdef __ANDROID__
    (void)before;
#else
    int changed;
    pthread_setcanceltype(before / 16, &changed);
    pthread_setcancelstate(before % 16, &changed);
#endif
}

/* What is set back afterwards. */
typedef struct pajewrite__blocked {
    sigset_t signals;
    int cancel, error;
} pajewrite__blocked;

/* A write to a pipe or a socket without a reader raises SIGPIPE, one to a file that must not become as long SIGXFSZ
 * (what others append at the same time may have taken the room): they would end the program.  They are blocked during
 * the write, and then discarded unless they were pending before.  (send would not raise SIGPIPE, but <sys/socket.h>
 * declares names such as send and bind, which the program may use for something else.) */
PAJEWRITE__UNTRACED
static sigset_t pajewrite__pending(void)
{
    sigset_t pending;
    sigemptyset(&pending);
    sigpending(&pending);
    return pending;
}

/* Discards what a write has raised that failed with this error.  `before`: what was pending before it. */
PAJEWRITE__UNTRACED
static void pajewrite__discard_raised(int error, const sigset_t *before)
{
    const sigset_t now = pajewrite__pending();
    sigset_t one;
    int number = error == EPIPE ? SIGPIPE : 0, raised;
#ifdef SIGXFSZ
    if (error == EFBIG)
        number = SIGXFSZ;
#endif
    if (!number || sigismember(before, number) == 1 || sigismember(&now, number) != 1)
        return;
    sigemptyset(&one);
    sigaddset(&one, number);
    sigwait(&one, &raised);
}

/* Keeps cancellation and, if `soon` is 1, signals from a thread that takes the lock of zones, or writes into a file: no
 * handler may find the lock taken by what it interrupted, and none may fork between the question whether this is the
 * parent and the writing, which the child would go on with.  Else only SIGPIPE is kept.  Also keeps errno. */
PAJEWRITE__UNTRACED
static pajewrite__blocked pajewrite__block_if(int soon)
{
    pajewrite__blocked before;
    sigset_t signals;
    before.error = errno;
    sigemptyset(&signals);
    sigaddset(&signals, SIGPIPE);
    if (soon)
        sigfillset(&signals);
    pthread_sigmask(SIG_BLOCK, &signals, &before.signals);
    before.cancel = pajewrite__prevent_cancel();
    return before;
}

PAJEWRITE__UNTRACED
static pajewrite__blocked pajewrite__block(void) { return pajewrite__block_if(1); }

PAJEWRITE__UNTRACED
static void pajewrite__unblock(const pajewrite__blocked *before)
{
    pajewrite__let_cancel(before->cancel);
    pthread_sigmask(SIG_SETMASK, &before->signals, NULL);
    errno = before->error;
}

/* Whether a file may grow that far; writing on would raise SIGXFSZ, which ends the program. */
PAJEWRITE__UNTRACED
static int pajewrite__may_grow(uint64_t size)
{
    struct rlimit most;
    return getrlimit(RLIMIT_FSIZE, &most) != 0 || most.rlim_cur == RLIM_INFINITY || size <= (uint64_t)most.rlim_cur;
}

/* Memory that is of no file, for which strict POSIX has no name.  /dev/zero takes a descriptor, of which none may be
 * left, and is missing in many a sandbox. */
#if defined(MAP_ANON)
#define PAJEWRITE__ANONYMOUS MAP_ANON
#elif defined(__linux__) && (defined(__mips__) || defined(__xtensa__))
#define PAJEWRITE__ANONYMOUS 0x800
#elif defined(__linux__) && (defined(__alpha__) || defined(__hppa__))
#define PAJEWRITE__ANONYMOUS 0x10
#elif defined(__linux__)
#define PAJEWRITE__ANONYMOUS 0x20
#elif defined(__APPLE__) || defined(__FreeBSD__) || defined(__NetBSD__) || defined(__OpenBSD__)
#define PAJEWRITE__ANONYMOUS 0x1000
#endif

/* Returns memory of zeros, from the kernel, as malloc must not be called in signal handlers; NULL: there is none.  If
 * `place` is not NULL, what is mapped there is replaced. */
PAJEWRITE__UNTRACED
static void *pajewrite__get_memory(void *place, size_t size)
{
    const int flags = MAP_PRIVATE | (place ? MAP_FIXED : 0);
    void *memory;
#ifdef PAJEWRITE__ANONYMOUS
    memory = mmap(place, size, PROT_READ | PROT_WRITE, flags | PAJEWRITE__ANONYMOUS, -1, 0);
#else
    const int zeros = open("/dev/zero", O_RDWR | O_CLOEXEC);
    memory = mmap(place, size, PROT_READ | PROT_WRITE, flags, zeros, 0);
    if (zeros >= 0)
        close(zeros);
#endif
    return memory == MAP_FAILED ? NULL : memory;
}

/* Rounds a size up to whole pages.  What no memory could hold becomes a size that can be added up four times. */
PAJEWRITE__UNTRACED
static size_t pajewrite__whole_pages(size_t size, size_t page)
{
    return ((size < SIZE_MAX / 4 ? size : SIZE_MAX / 4) + page - 1) / page * page;
}

#endif
