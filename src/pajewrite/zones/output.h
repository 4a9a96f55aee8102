/* The file of a trace by zones: its path, and appending lines to it. */
#pragma once

#include "process.h"
#include "../format/bytes.h"
#include "../format/numbers.h"
#include "../host/file.h"
#include "../host/peer.h"
#include "../calls/open.h"

#if PAJEWRITE_ZONES
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

/* Writes a line to standard error, where it can be. */
PAJEWRITE__UNTRACED
static void pajewrite__report(const char *path, const char *why, const char *and_so)
{
    struct iovec pieces[5];
    const char *texts[5];
    pajewrite__blocked before;
    int i;
    texts[0] = "pajewrite: ";
    texts[1] = path;
    texts[2] = why;
    texts[3] = and_so;
    texts[4] = "\n";
    for (i = 0; i < 5; i++) {
        pieces[i].iov_base = (char *)(uintptr_t)texts[i];
        pieces[i].iov_len = strlen(texts[i]);
    }
    before = pajewrite__block();
    (void)pajewrite__writev(STDERR_FILENO, pieces, 5);
    pajewrite__unblock(&before);
}

PAJEWRITE__UNTRACED
static void pajewrite__complain(const char *path, const char *why)
{
    pajewrite__report(path, why, "; nothing is traced");
}

/* Whether this process has other rights than who started it: by the user or group of its file (set-user-ID), also if it
 * has made these its real ones since, or by capabilities of its file.  (<sys/auxv.h> defines hundreds of names.) */
#if defined(__linux__) && !defined(__UCLIBC__)
extern unsigned long pajewrite__auxiliary(unsigned long which) __asm__("getauxval");
enum { PAJEWRITE__IS_SECURE = 23 }; /* AT_SECURE */
#else
#define pajewrite__auxiliary(which) 0
#endif
PAJEWRITE__UNTRACED
static int pajewrite__has_other_rights(void)
{
    return getuid() != geteuid() || getgid() != getegid() || pajewrite__auxiliary(PAJEWRITE__IS_SECURE);
}

/* Returns a variable of the environment.  Programs that have other rights than who starts them read none: who starts
 * them could have any file overwritten. */
PAJEWRITE__UNTRACED
static const char *pajewrite__getenv(const char *name)
{
    return pajewrite__has_other_rights() ? NULL : getenv(name);
}

/* Returns the rank of this process in a parallel program; NULL: it is in none. */
PAJEWRITE__UNTRACED
static const char *pajewrite__rank(void)
{
    static const char *const names[] = {"PMIX_RANK", "PMI_RANK", "OMPI_COMM_WORLD_RANK", "MV2_COMM_WORLD_RANK",
                                        "SLURM_PROCID"};
    size_t i;
    for (i = 0; i < sizeof names / sizeof *names; i++) {
        const char *rank = pajewrite__getenv(names[i]);
        if (rank && *rank)
            return rank;
    }
    return NULL;
}

/* Makes the path of a file: %p is the number of the process, %r its rank or 0, %% is %.  Returns 0 if it is too
 * long. */
PAJEWRITE__UNTRACED
static int pajewrite__expand(char *path, size_t size, const char *pattern)
{
    char *p = path, *end = path + size - 1;
    for (; *pattern && p < end; pattern++) {
        char digits[24];
        const char *text = NULL;
        if (*pattern == '%' && pattern[1] == 'p') {
            *pajewrite__put_u64(digits, (uint64_t)getpid()) = 0;
            text = digits;
        } else if (*pattern == '%' && pattern[1] == 'r') {
            text = pajewrite__rank();
            text = text ? text : "0";
        }
        if (!text) {
            pattern += *pattern == '%' && pattern[1] == '%';
            *p++ = *pattern;
            continue;
        }
        pattern++;
        while (*text && p < end)
            *p++ = *text++;
    }
    *p = 0;
    return p < end;
}

/* Whether a path has %p, so that each process has a file of its own. */
PAJEWRITE__UNTRACED
static int pajewrite__is_own_path(const char *pattern)
{
    for (; *pattern; pattern++)
        if (*pattern == '%' && pattern[1]) {
            if (*++pattern == 'p')
                return 1;
        }
    return 0;
}

PAJEWRITE__UNTRACED
static int pajewrite__is_open(const pajewrite__process *p)
{
    return pajewrite__is_file(p->descriptor, (uint64_t)p->device, (uint64_t)p->inode);
}

/* Waits a millisecond for a pipe or a terminal that takes nothing now.  Returns 0 if it was waited for long enough. */
PAJEWRITE__UNTRACED
static int pajewrite__wait_for_pipe(pajewrite__process *p)
{
    if (!p->patience)
        return 0;
    p->patience -= p->patience > 0;
    __atomic_store_n(&p->stalled, p->stalled + (p->stalled < PAJEWRITE__STALLED), __ATOMIC_RELAXED);
    pajewrite__let_signals_end(p, p->blocked);
    pajewrite__sleep(1000000);
    return 1;
}

/* What fills a page up.  It is not on the stack, which may be that of a signal handler: 8 KB, of which the system needs
 * a third or more. */
#define PAJEWRITE__16_LINES "\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n"
#define PAJEWRITE__64_LINES PAJEWRITE__16_LINES PAJEWRITE__16_LINES PAJEWRITE__16_LINES PAJEWRITE__16_LINES
#define PAJEWRITE__256_LINES PAJEWRITE__64_LINES PAJEWRITE__64_LINES PAJEWRITE__64_LINES PAJEWRITE__64_LINES
static const char pajewrite__page_end[] = PAJEWRITE__256_LINES PAJEWRITE__256_LINES;

/* How many of some bytes fit what is left of a page, which is fewer: whole lines, and both ends of a link or none. */
PAJEWRITE__UNTRACED
static size_t pajewrite__fitting(const char *bytes, size_t room)
{
    const size_t fits = pajewrite__whole_lines(bytes, room);
    const char *next = bytes + fits;
    if (fits && next[0] == '0' + PAJEWRITE_END_LINK / 10 && next[1] == '0' + PAJEWRITE_END_LINK % 10 && next[2] == ' ')
        return pajewrite__whole_lines(bytes, fits - 1);
    return fits;
}

/* Appends lines to the file, with the lock held.  A process that is killed while it writes stops at the end of a
 * page, so newlines are added where a line would cross one, or would be parted from the other end of a link: the file
 * holds whole lines at any time. */
PAJEWRITE__UNTRACED
static pajewrite_status pajewrite__append(void *data, const char *bytes, size_t size)
{
    enum { PAJEWRITE__PAGE = 4096, PAJEWRITE__MOST = 16, PAJEWRITE__ADDED = sizeof pajewrite__page_end - 1 };
    pajewrite__process *p = (pajewrite__process *)data;
    const char *start = bytes;
    uint64_t whole = p->position; /* where the lines and definitions end of which all was written */
    int i, count;
    pajewrite_status status = PAJEWRITE_OK;
    if (p->process != pajewrite__owner())
        return PAJEWRITE_E_FORKED;
    if (!pajewrite__is_open(p))
        return PAJEWRITE_E_SINK;
    while (size && !status) {
        struct iovec pieces[PAJEWRITE__MOST]; /* in turn lines, and newlines up to the end of the page */
        const char *from = bytes, *end = bytes + size;
        uint64_t at = p->position;
        ssize_t taken;
        for (count = 0; from < end && count < PAJEWRITE__MOST; count += 2) {
            size_t room = PAJEWRITE__PAGE - (size_t)(at % PAJEWRITE__PAGE), left = (size_t)(end - from);
            size_t fits = room < left ? room : left;
            if (room < left) {
                int within = from > start && from[-1] != '\n'; /* a line of which a part was written */
                fits = pajewrite__fitting(from, room);
                if (room - fits > PAJEWRITE__ADDED || (within && !fits))
                    fits = room; /* a long line */
            }
            pieces[count].iov_base = (char *)(uintptr_t)from;
            pieces[count].iov_len = fits;
            pieces[count + 1].iov_base = (char *)(uintptr_t)pajewrite__page_end;
            pieces[count + 1].iov_len = from + fits < end ? room - fits : 0;
            at += fits + pieces[count + 1].iov_len;
            from += fits;
        }
        taken = pajewrite__writev(p->descriptor, pieces, count);
        if (taken > 0) {
            __atomic_store_n(&p->stalled, 0, __ATOMIC_RELAXED);
        } else if (taken < 0 && pajewrite__is_full(errno)) {
            status = pajewrite__wait_for_pipe(p) ? PAJEWRITE_OK : PAJEWRITE_E_SINK;
        } else if (taken == 0 || errno != EINTR) {
            status = PAJEWRITE_E_SINK;
        }
        for (i = 0; i < count && taken > 0; i++) {
            size_t piece = (size_t)taken < pieces[i].iov_len ? (size_t)taken : pieces[i].iov_len;
            taken -= (ssize_t)piece;
            p->position += piece;
            if (i % 2 == 0) {
                size_t torn;
                bytes += piece;
                size -= piece;
                torn = (size_t)(bytes - start) - pajewrite__whole_records(start, (size_t)(bytes - start));
                if (torn <= piece) /* else there may be newlines within, and it began before this piece */
                    whole = p->position - torn;
            }
        }
    }
    if (status) {
        pajewrite__cut_line(p->descriptor, (off_t)(p->position - whole));
        p->position = whole;
    }
    return status;
}

/* The sink of threads.  The buffer is empty before signals come again, which may end the trace. */
PAJEWRITE__UNTRACED
static pajewrite_status pajewrite__append_of_thread(void *data, const char *bytes, size_t size)
{
    pajewrite__thread *thread = (pajewrite__thread *)data;
    pajewrite__process *p = &pajewrite__the_process;
    const pajewrite__blocked before = pajewrite__block();
    pajewrite_status status = PAJEWRITE_E_CLOSED;
    pajewrite__lock(&before);
    if (thread->trace == p->open_trace) {
        pajewrite_flush(&p->w); /* what the lines use; its status may be that of a call that was refused */
        status = p->w.stopped ? (pajewrite_status)p->w.stopped
                              : pajewrite__append(p, bytes + thread->saved, size - thread->saved);
        thread->saved = 0;
        pajewrite__set_next(&thread->w, thread->w.buffer);
    }
    pajewrite__unlock();
    pajewrite__unblock(&before);
    return status;
}
#endif
