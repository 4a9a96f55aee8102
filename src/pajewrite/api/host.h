/* Ready-made sinks and clocks. */
#pragma once

#include "model.h"

/* pthread_self, in the checking mode; pthread_setcancelstate. */
#if PAJEWRITE_POSIX
#include <pthread.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

#if PAJEWRITE_STDIO
/* Sink: writes to the FILE `data` and flushes it each time; does not close it.  NULL, as fopen returns where it fails:
 * deliveries fail.  Threads may share it, where the C library locks a FILE for each call; lines stay whole.  On POSIX
 * systems a pipe, socket or terminal in non-blocking mode is waited for.  As with all that is written to a FILE, a pipe
 * without a reader raises SIGPIPE, and a file that must not become as long SIGXFSZ. */
PAJEWRITE__API pajewrite_status pajewrite_to_stream(void *data, const char *bytes, size_t size);
#endif

#if PAJEWRITE_POSIX

/* Clock: CLOCK_MONOTONIC in nanoseconds (9 decimals); `data` is not used. */
PAJEWRITE__API uint64_t pajewrite_monotonic(void *data);

/* An offset in a file that can be changed atomically. */
#if defined(__GCC_ATOMIC_LLONG_LOCK_FREE) && __GCC_ATOMIC_LLONG_LOCK_FREE < 2
typedef size_t pajewrite__offset;
#define PAJEWRITE__OFFSET_MAX SIZE_MAX
#else
typedef uint64_t pajewrite__offset;
#define PAJEWRITE__OFFSET_MAX UINT64_MAX
#endif

/* A file descriptor that contexts of several threads may share, without a lock: no thread waits for another one (but
 * see sockets), and signal handlers may write by contexts of their own.  Lines stay whole, however short the writes of
 * the system are.
 *
 * A regular file: each delivery reserves its place by moving the file offset, and is written there.  If the process is
 * killed while several threads deliver, a place before the last one may be left empty (NUL bytes).
 * A regular file opened with O_APPEND: each delivery is one write, which the system appends as a whole; nothing is left
 * empty.  If the file system takes a part only though it is not full, lines of other threads may fall in between.
 * (If several processes append, and one is killed within a write, the system may have taken a part of it.  What another
 * one appends then goes on in the midst of a line: one line of each is lost, or read as a wrong one, with a warning of
 * too many fields.  Where processes may be killed, give each a file, or let all write to a pipe.)
 * Anything else, as a pipe: lines are written in pieces of at most PIPE_BUF bytes (4096 on Linux), which do not mix; a
 * longer line, or definition of an event, may.  A pipe in non-blocking mode is waited for.
 * A socket may take a part of a piece: one thread at a time writes one, for which others wait.  As it may have jumped
 * out of that, they write after ten seconds nevertheless; on Linux, of those in which the socket was not full.  A
 * signal handler that interrupts it does not wait, so its lines may be in the midst of that piece.
 *
 * A file that must not become as long (RLIMIT_FSIZE) is as one on a full disk; SIGXFSZ is not raised.  Nor is SIGPIPE,
 * where a pipe or a socket has no reader any more: deliveries fail.
 *
 * After a failed write nothing more is written.  What could not be written leaves no gap in a regular file: what other
 * threads wrote behind it at the same time moves up.  (That has to be read: the file is opened as /dev/fd/N for it, if
 * the descriptor is for writing only.  Where there is no such file, it ends before what could not be written, and what
 * was written behind that is lost, though counted as written.  Where the file system truncates no file any more, as
 * btrfs at the limit of a quota, a part of a line and NUL bytes stay.)  If the program has closed the descriptor,
 * deliveries fail, also where another file has it by now.  A thread is not cancelled within a delivery.  All members
 * but the descriptor are private. */
typedef struct pajewrite_file {
    int descriptor; /* as it was given to pajewrite_file_init */
    int way;        /* how it is written, see src/pajewrite/host/file.h */
    int failed;
    uint32_t writing; /* deliveries under way */
    uintptr_t writer; /* of sockets: the thread that writes a piece; 0: none */
    long process;
    uint64_t device, inode; /* of the file */
    pajewrite__offset end;  /* of what was written before the first failure, until the hole is removed */
} pajewrite_file;

/* The caller closes the descriptor, after pajewrite_finish of all contexts.  Returns PAJEWRITE_E_SINK if it is
 * negative; deliveries fail then. */
PAJEWRITE__API pajewrite_status pajewrite_file_init(pajewrite_file *file, int descriptor);
/* Sink: `data` is a pajewrite_file.  In a child process it fails (PAJEWRITE_E_FORKED) and writes nothing, so that lines
 * in the parent's buffers are not written twice. */
PAJEWRITE__API pajewrite_status pajewrite_to_file(void *data, const char *bytes, size_t size);

/* A socket or a pipe, for one context, whose other side may be slow, stop, or die: config.offer = pajewrite_to_peer
 * never waits, and raises no SIGPIPE.  All members are private. */
typedef struct pajewrite_peer {
    int descriptor, is_socket, failed;
    long process;
    uint64_t device, inode; /* of the socket or pipe */
} pajewrite_peer;

/* The descriptor is made non-blocking (O_NONBLOCK).  The caller closes it, after pajewrite_finish.  Returns
 * PAJEWRITE_E_SINK if it is neither a socket nor a pipe. */
PAJEWRITE__API pajewrite_status pajewrite_peer_init(pajewrite_peer *peer, int descriptor);
/* For config.offer, with a pajewrite_peer as sink_data.  Whole lines are written to a pipe.  Fails when the other side
 * is closed, in a child process, and where sink_data is NULL, as before the first peer of pajewrite_attach comes. */
PAJEWRITE__API size_t pajewrite_to_peer(void *data, const char *bytes, size_t size);

/* A file mapped into memory, for one context: lines are in the file as soon as they are written, so they survive the
 * death of the process at any moment (though not a crash of the machine).  What follows the last line reads as a
 * comment and blank lines; pajewrite_finish truncates it.  So nothing can follow the file while it is written (`paje
 * dump -F`, tail -f): it would take room that is not used yet for blank lines, and lose what comes there; use
 * pajewrite_to_file for that.  The file is extended before it is used, so that a full disk is an error
 * (PAJEWRITE_E_SINK).  Two things end the program (SIGBUS): what truncates the file meanwhile, and a full disk where
 * the file system takes a new place for each page that is written again, as btrfs does; use pajewrite_to_file there,
 * too.  All members are private. */
typedef struct pajewrite_map {
    char *window;
    size_t window_size, step, page;
    uint64_t filled, position; /* offsets in the file: of the end, and of the next byte to write */
    int descriptor;
    long process;
    uint64_t device, inode;           /* of the file */
    struct pajewrite__window *shared; /* what a child process has to know of it */
} pajewrite_map;

/* Creates or truncates the file.  `step`: by how many bytes it grows; 0: 1 MiB.  After a fork the child's copy of the
 * context writes nothing (PAJEWRITE_E_FORKED).  What was mapped is zeros there: a recorder is dumped from its file. */
PAJEWRITE__API pajewrite_status pajewrite_map_open(pajewrite_map *map, const char *path, size_t step);
/* For config.next_buffer, with a pajewrite_map as config.next_buffer_data; pajewrite_finish closes the file.  The file
 * of a flight recorder is the memory to be dumped; its size is that given to pajewrite_init, rounded up to a multiple
 * of `step`. */
PAJEWRITE__API char *pajewrite_map_next_buffer(void *data, size_t used, size_t needed, size_t *size);

/* A file for all contexts of a process, also thousands: each takes blocks of it, which are mapped into memory.  As with
 * pajewrite_map, lines are in the file as soon as they are written, nothing can follow it, and a full disk is an error,
 * but ends the program on btrfs and the like.  The file is open only while a context takes a block, so no descriptor is
 * inherited, or closed by a program that closes all.  A place in the file is reserved by an atomic addition: there is
 * no lock, and signal handlers may write by contexts of their own.
 *
 * Lines of a context are in order of time; `paje merge FILE` sorts those of all.  A block reserved by a process that is
 * killed before it can fill it may hold NUL bytes; so may one that a full disk did not take, until all contexts are
 * finished.  All members are private. */
typedef struct pajewrite_blocks {
    const char *path;
    pajewrite__offset end;  /* where the next block begins */
    pajewrite__offset hole; /* the first block that could not be filled, though another one follows */
    uint64_t device, inode;
    size_t page;
    uint32_t forks, users; /* users: contexts that have a block */
    int failed, is_in_memory;
} pajewrite_blocks;

/* A block, for one context. */
typedef struct pajewrite_block {
    pajewrite_blocks *file;
    char *window;
    size_t size, next_size;
    struct pajewrite__window *shared; /* what a child process has to know of it */
} pajewrite_block;

/* Creates the file, which must not exist.  `path` is used as long as contexts write: best an absolute one, in case the
 * program changes its folder.  Once it has given up the right to open that, or changed its root, lines that do not fit
 * the blocks in use are lost (PAJEWRITE_E_SINK), and counted.  After fork, the child opens a file of its own; a copy of
 * a context of its parent's writes nothing (PAJEWRITE_E_FORKED).  After vfork, the child may go on writing. */
PAJEWRITE__API pajewrite_status pajewrite_blocks_open(pajewrite_blocks *file, const char *path);
/* Prepares a block of at least `size` bytes; 0: a page.  Each one that follows is four times as large, up to a
 * mebibyte.  The first one of a context that defines and creates what others use stands at the head of the file, if it
 * is set up first: make it as large as they take. */
PAJEWRITE__API void pajewrite_block_init(pajewrite_block *block, pajewrite_blocks *file, size_t size);
/* For config.next_buffer, with a pajewrite_block as config.next_buffer_data. */
PAJEWRITE__API char *pajewrite_block_next_buffer(void *data, size_t used, size_t needed, size_t *size);
#endif

#if PAJEWRITE_POSIX && (defined(__x86_64__) || defined(__i386__)) && defined(__GNUC__)
#define PAJEWRITE_TSC 1
/* The time stamp counter as a clock in nanoseconds (9 decimals), cheaper than CLOCK_MONOTONIC.  Every half second, at
 * first more often, it is compared with CLOCK_MONOTONIC, and its rate is corrected so that it neither jumps nor goes
 * back.  Needs a counter of constant rate that all cores share (flags constant_tsc and nonstop_tsc in /proc/cpuinfo).
 * Use one for each context.  Two of them differ by some 10 ns, now and then by some 100: a link that a thread ends
 * sooner than that after another one has started it may end before it starts; where that matters, use
 * pajewrite_monotonic.  All members are private. */
typedef struct pajewrite_tsc {
    uint64_t ticks, time; /* the counter at the last comparison, and the time returned then */
    uint64_t monotonic;   /* CLOCK_MONOTONIC at the last comparison */
    uint64_t rate;        /* nanoseconds per tick, times 2^32 */
    uint64_t interval;    /* ticks until the next comparison */
} pajewrite_tsc;

/* Takes ten milliseconds the first time in a process, and a microsecond after that; a second where CLOCK_MONOTONIC is a
 * made one that stands still. */
PAJEWRITE__API void pajewrite_tsc_init(pajewrite_tsc *clock);
/* Clock: `data` is a pajewrite_tsc. */
PAJEWRITE__API uint64_t pajewrite_tsc_now(void *data);
#endif

#ifdef __cplusplus
}
#endif
