/* The sink for file descriptors. */
#pragma once

#include "../api/host.h"
#include "../api/platform.h"

#if PAJEWRITE_POSIX
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#ifndef PIPE_BUF
#define PIPE_BUF 512
#endif

/* How a file is written. */
enum {
    PAJEWRITE__IN_PIECES, /* pipes and the like: in pieces that the system does not mix */
    PAJEWRITE__APPENDED,  /* regular, with O_APPEND: by one write, which the system appends as a whole */
    PAJEWRITE__RESERVED   /* regular: at a place that moving the file offset reserves, as POSIX has that atomic */
};

/* Opens a file, not as one of the standard streams, into which the program would print if they were closed. */
PAJEWRITE__UNTRACED
static int pajewrite__open_descriptor(const char *path, int flags)
{
    const int opened = open(path, flags | O_CLOEXEC, 0666);
    int descriptor = opened;
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

PAJEWRITE__API pajewrite_status pajewrite_file_init(pajewrite_file *file, int descriptor)
{
    struct stat about;
    const int flags = fcntl(descriptor, F_GETFL);
    memset(file, 0, sizeof *file);
    memset(&about, 0, sizeof about);
    file->descriptor = descriptor;
    file->process = (long)getpid();
    file->end = PAJEWRITE__OFFSET_MAX;
    if (flags < 0 || fstat(descriptor, &about) != 0 || !S_ISREG(about.st_mode) || lseek(descriptor, 0, SEEK_CUR) < 0)
        file->way = PAJEWRITE__IN_PIECES;
    else
        file->way = flags & O_APPEND ? PAJEWRITE__APPENDED : PAJEWRITE__RESERVED;
    file->device = (uint64_t)about.st_dev;
    file->inode = (uint64_t)about.st_ino;
    return descriptor < 0 ? PAJEWRITE_E_SINK : PAJEWRITE_OK;
}

PAJEWRITE__UNTRACED
static void pajewrite__sleep(long nanoseconds)
{
    struct timespec time;
    time.tv_sec = 0;
    time.tv_nsec = nanoseconds;
    nanosleep(&time, NULL);
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
        } else if (taken < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
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

/* Keeps a thread from being cancelled in the midst of a line.  Returns what to pass to pajewrite__let_cancel. */
PAJEWRITE__UNTRACED
static int pajewrite__prevent_cancel(void)
{
    int before = 0;
#ifndef __ANDROID__ /* which cancels no threads */
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
#endif
    return before;
}

PAJEWRITE__UNTRACED
static void pajewrite__let_cancel(int before)
{
#ifdef __ANDROID__
    (void)before;
#else
    int disabled;
    pthread_setcancelstate(before, &disabled);
#endif
}

/* Truncates the file by the incomplete line at its end, of which `size` bytes were written. */
PAJEWRITE__UNTRACED
static void pajewrite__cut_line(int descriptor, const char *bytes, size_t size)
{
    const off_t torn = (off_t)(size - pajewrite__whole_lines(bytes, size));
    const off_t at = lseek(descriptor, 0, SEEK_CUR);
    if (torn && at >= torn && lseek(descriptor, 0, SEEK_END) == at && ftruncate(descriptor, at - torn) == 0)
        lseek(descriptor, at - torn, SEEK_SET);
}

/* Ends the file before the first byte that could not be written, and sets its offset there.  Threads that were writing
 * behind it do so, too. */
PAJEWRITE__UNTRACED
static void pajewrite__cut_file(pajewrite_file *file)
{
    pajewrite__offset end, now = PAJEWRITE__LOAD(pajewrite__offset, file->end);
    do {
        struct stat about;
        end = now;
        if ((off_t)end >= 0 && fstat(file->descriptor, &about) == 0 &&
            (about.st_size <= (off_t)end || ftruncate(file->descriptor, (off_t)end) == 0))
            lseek(file->descriptor, (off_t)end, SEEK_SET);
        now = PAJEWRITE__LOAD(pajewrite__offset, file->end);
    } while (now != end); /* another thread cut more of it meanwhile, which was filled up again with zeros */
}

/* Whether a file may grow that far; writing on would raise SIGXFSZ, which ends the program. */
PAJEWRITE__UNTRACED
static int pajewrite__may_grow(uint64_t size)
{
    struct rlimit most;
    return getrlimit(RLIMIT_FSIZE, &most) != 0 || most.rlim_cur == RLIM_INFINITY || size <= (uint64_t)most.rlim_cur;
}

PAJEWRITE__UNTRACED
static int pajewrite__write_reserved(pajewrite_file *file, const char *bytes, size_t size)
{
    const off_t end = lseek(file->descriptor, (off_t)size, SEEK_CUR), at = end - (off_t)size;
    const size_t done = end >= 0 && pajewrite__may_grow((uint64_t)end)
        ? pajewrite__write_all(file->descriptor, bytes, size, at) : 0;
    if (done < size) {
        const pajewrite__offset whole = (pajewrite__offset)at + pajewrite__whole_lines(bytes, done);
        pajewrite__offset was = PAJEWRITE__LOAD(pajewrite__offset, file->end);
        while (end >= 0 && whole < was && !PAJEWRITE__SWAP_IF(pajewrite__offset, file->end, &was, whole))
            ;
        PAJEWRITE__PUBLISH(int, file->failed, 1);
    }
    if (!PAJEWRITE__LOAD(int, file->failed))
        return 1;
    PAJEWRITE__ACQUIRE();
    pajewrite__cut_file(file);
    return done == size && (pajewrite__offset)end <= PAJEWRITE__LOAD(pajewrite__offset, file->end);
}

PAJEWRITE__UNTRACED
static int pajewrite__write_appended(pajewrite_file *file, const char *bytes, size_t size)
{
    struct stat about;
    const int may = fstat(file->descriptor, &about) == 0 && pajewrite__may_grow((uint64_t)about.st_size + size);
    const size_t done = may ? pajewrite__write_all(file->descriptor, bytes, size, -1) : 0;
    if (done < size) {
        PAJEWRITE__PUBLISH(int, file->failed, 1);
        pajewrite__cut_line(file->descriptor, bytes, done);
    }
    return done == size;
}

/* Returns the size of the next piece: lines that fit into PIPE_BUF, at least one, not a part of an event's definition,
 * whose lines other than the first begin with % but not with %EventDef. */
PAJEWRITE__UNTRACED
static size_t pajewrite__piece_size(const char *bytes, size_t size)
{
    size_t piece = 0, i;
    for (i = 1; i <= size && (!piece || i <= PIPE_BUF); i++)
        if (bytes[i - 1] == '\n' &&
            (i == size || bytes[i] != '%' || (size - i > 9 && !memcmp(bytes + i, "%EventDef", 9))))
            piece = i;
    return piece ? piece : size;
}

PAJEWRITE__UNTRACED
static int pajewrite__write_pieces(pajewrite_file *file, const char *bytes, size_t size)
{
    while (size) {
        const size_t piece = pajewrite__piece_size(bytes, size);
        if (pajewrite__write_all(file->descriptor, bytes, piece, -1) < piece) {
            PAJEWRITE__PUBLISH(int, file->failed, 1);
            return 0;
        }
        bytes += piece;
        size -= piece;
    }
    return 1;
}

PAJEWRITE__API pajewrite_status pajewrite_to_file(void *data, const char *bytes, size_t size)
{
    pajewrite_file *file = (pajewrite_file *)data;
    const int before = errno; /* which a signal handler must not change */
    int taken = 0, cancel;
    if (file->process != (long)getpid())
        return PAJEWRITE_E_FORKED;
    cancel = pajewrite__prevent_cancel();
    if (!PAJEWRITE__LOAD(int, file->failed) && pajewrite__is_file(file->descriptor, file->device, file->inode))
        taken = file->way == PAJEWRITE__RESERVED   ? pajewrite__write_reserved(file, bytes, size)
                : file->way == PAJEWRITE__APPENDED ? pajewrite__write_appended(file, bytes, size)
                                                   : pajewrite__write_pieces(file, bytes, size);
    pajewrite__let_cancel(cancel);
    errno = before;
    return taken ? PAJEWRITE_OK : PAJEWRITE_E_SINK;
}

/* Rounds a size up to whole pages.  What no memory could hold becomes a size that can be added up four times. */
PAJEWRITE__UNTRACED
static size_t pajewrite__whole_pages(size_t size, size_t page)
{
    return ((size < SIZE_MAX / 4 ? size : SIZE_MAX / 4) + page - 1) / page * page;
}

#endif
