/* The sink for file descriptors. */
#pragma once

#include "holes.h"

#if PAJEWRITE_POSIX
#include <limits.h>

#ifndef PIPE_BUF
#define PIPE_BUF 512
#endif

/* How a file is written. */
enum {
    PAJEWRITE__IN_PIECES, /* pipes and the like: in pieces that the system does not mix */
    PAJEWRITE__IN_TURN,   /* sockets: in pieces, too, by one thread at a time, as the system may take a part of one */
    PAJEWRITE__APPENDED,  /* regular, with O_APPEND: by one write, which the system appends as a whole */
    PAJEWRITE__RESERVED   /* regular: at a place that moving the file offset reserves, as POSIX has that atomic */
};

PAJEWRITE__API pajewrite_status pajewrite_file_init(pajewrite_file *file, int descriptor)
{
    struct stat about;
    memset(file, 0, sizeof *file);
    memset(&about, 0, sizeof about);
    file->descriptor = descriptor;
    file->process = pajewrite__owner();
    file->end = PAJEWRITE__OFFSET_MAX;
    if (fstat(descriptor, &about) == 0 && S_ISREG(about.st_mode))
        file->way = fcntl(descriptor, F_GETFL) & O_APPEND ? PAJEWRITE__APPENDED : PAJEWRITE__RESERVED;
    else
        file->way = S_ISSOCK(about.st_mode) ? PAJEWRITE__IN_TURN : PAJEWRITE__IN_PIECES;
    file->device = (uint64_t)about.st_dev;
    file->inode = (uint64_t)about.st_ino;
    return descriptor < 0 ? PAJEWRITE_E_SINK : PAJEWRITE_OK;
}

/* Truncates the file by the incomplete line or definition at its end, of which `torn` bytes were written. */
PAJEWRITE__UNTRACED
static void pajewrite__cut_line(int descriptor, off_t torn)
{
    const off_t at = lseek(descriptor, 0, SEEK_CUR);
    if (torn && at >= torn && lseek(descriptor, 0, SEEK_END) == at && ftruncate(descriptor, at - torn) == 0)
        lseek(descriptor, at - torn, SEEK_SET);
}

/* What fails is taken out of the file when the last delivery under way has ended: none begins after a failure. */
PAJEWRITE__UNTRACED
static int pajewrite__write_reserved(pajewrite_file *file, const char *bytes, size_t size)
{
    pajewrite__offset failed;
    size_t done = 0;
    (void)PAJEWRITE__ADD(uint32_t, file->writing, 1);
    PAJEWRITE__ACQUIRE();
    if (!PAJEWRITE__LOAD(int, file->failed)) {
        const off_t end = lseek(file->descriptor, (off_t)size, SEEK_CUR), at = end - (off_t)size;
        if (end >= 0 && pajewrite__may_grow((uint64_t)end))
            done = pajewrite__write_all(file->descriptor, bytes, size, at);
        if (done < size) {
            const uint64_t whole = (uint64_t)at + pajewrite__whole_records(bytes, done);
            failed = PAJEWRITE__LOAD(pajewrite__offset, file->end);
            while (end >= 0 && whole < failed &&
                   !PAJEWRITE__SWAP_IF(pajewrite__offset, file->end, &failed, (pajewrite__offset)whole))
                ;
            PAJEWRITE__PUBLISH(int, file->failed, 1);
        }
    }
    PAJEWRITE__RELEASE();
    if (PAJEWRITE__ADD(uint32_t, file->writing, UINT32_MAX) == 1) {
        PAJEWRITE__ACQUIRE();
        failed = PAJEWRITE__LOAD(pajewrite__offset, file->end);
        if (failed != PAJEWRITE__OFFSET_MAX &&
            PAJEWRITE__SWAP_IF(pajewrite__offset, file->end, &failed, PAJEWRITE__OFFSET_MAX))
            pajewrite__remove_holes(file->descriptor, (off_t)failed);
    }
    return done == size;
}

/* Other threads and processes may append between the question whether the file may grow and the writing. */
PAJEWRITE__UNTRACED
static int pajewrite__write_appended(pajewrite_file *file, const char *bytes, size_t size)
{
    const sigset_t before = pajewrite__pending();
    struct stat about;
    const int may = fstat(file->descriptor, &about) == 0 && pajewrite__may_grow((uint64_t)about.st_size + size);
    const size_t done = may ? pajewrite__write_all(file->descriptor, bytes, size, -1) : 0;
    if (done < size) {
        if (may)
            pajewrite__discard_raised(errno, &before);
        PAJEWRITE__PUBLISH(int, file->failed, 1);
        pajewrite__cut_line(file->descriptor, (off_t)(done - pajewrite__whole_records(bytes, done)));
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

/* How often a thread asks whether it may write to a socket, while that takes bytes: for about ten seconds. */
#ifndef PAJEWRITE__TRIES
#define PAJEWRITE__TRIES 10000
#endif

/* Whether a socket takes bytes, or fails; where it is not known, 1.  (<poll.h> would declare names that the program may
 * have.  The time, for which there is another struct of two sizes, is 0.) */
#if defined(__linux__) && !defined(__UCLIBC__) && (defined(__GNUC__) || defined(__clang__))
struct pajewrite__poll {
    int descriptor;
    short events, found;
};
#ifdef __cplusplus
extern "C" {
#endif
extern int pajewrite__ppoll(struct pajewrite__poll *sockets, unsigned long count, const void *time,
                            const void *signals) __asm__("ppoll");
#ifdef __cplusplus
}
#endif
PAJEWRITE__UNTRACED
static int pajewrite__takes_bytes(int descriptor)
{
    static const uint64_t no_time[2] = {0, 0};
    struct pajewrite__poll one;
    one.descriptor = descriptor;
    one.events = 4; /* POLLOUT */
    one.found = 0;
    return pajewrite__ppoll(&one, 1, no_time, NULL) != 0;
}
#else
#define pajewrite__takes_bytes(descriptor) 1
#endif

/* Waits until no other thread writes a piece; not for ever, as that may have jumped out of it, but as long as the
 * socket is full: it may have written a part then.  Returns 0 if it is this thread that writes one, which a signal
 * handler interrupts: that does not wait, and ends nothing. */
PAJEWRITE__UNTRACED
static int pajewrite__take_turn(pajewrite_file *file)
{
    const uintptr_t self = (uintptr_t)pthread_self();
    uintptr_t writer = 0;
    long pause = 50000;
    int tries = PAJEWRITE__TRIES;
    while (!PAJEWRITE__SWAP_IF(uintptr_t, file->writer, &writer, self) && tries > 0) {
        if (writer == self)
            return 0;
        writer = 0;
        pajewrite__sleep(pause);
        pause *= pause < 800000 ? 2 : 1;
        tries -= pajewrite__takes_bytes(file->descriptor);
    }
    return 1;
}

PAJEWRITE__UNTRACED
static int pajewrite__write_pieces(pajewrite_file *file, const char *bytes, size_t size)
{
    const sigset_t before = pajewrite__pending();
    while (size) {
        const size_t piece = pajewrite__piece_size(bytes, size);
        const int has_turn = file->way == PAJEWRITE__IN_TURN && pajewrite__take_turn(file);
        const size_t done = pajewrite__write_all(file->descriptor, bytes, piece, -1);
        if (done < piece) {
            pajewrite__discard_raised(errno, &before);
            PAJEWRITE__PUBLISH(int, file->failed, 1);
        }
        if (has_turn)
            PAJEWRITE__PUBLISH(uintptr_t, file->writer, 0);
        if (done < piece)
            return 0;
        bytes += piece;
        size -= piece;
    }
    return 1;
}

/* Whether a delivery ends soon, so that signals may wait for it; a pipe may be full for ever. */
PAJEWRITE__UNTRACED
static int pajewrite__delivers_soon(const pajewrite_file *file) { return file->way >= PAJEWRITE__APPENDED; }

PAJEWRITE__API pajewrite_status pajewrite_to_file(void *data, const char *bytes, size_t size)
{
    pajewrite_file *file = (pajewrite_file *)data;
    const pajewrite__blocked before = pajewrite__block_if(pajewrite__delivers_soon(file));
    const int is_child = file->process != pajewrite__owner();
    int taken = 0;
    if (!is_child && !PAJEWRITE__LOAD(int, file->failed) &&
        pajewrite__is_file(file->descriptor, file->device, file->inode))
        taken = file->way == PAJEWRITE__RESERVED   ? pajewrite__write_reserved(file, bytes, size)
                : file->way == PAJEWRITE__APPENDED ? pajewrite__write_appended(file, bytes, size)
                                                   : pajewrite__write_pieces(file, bytes, size);
    pajewrite__unblock(&before);
    return is_child ? PAJEWRITE_E_FORKED : taken ? PAJEWRITE_OK : PAJEWRITE_E_SINK;
}

#endif
