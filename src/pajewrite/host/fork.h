/* What mapped files have in common: how they grow, and that a child process does not write into those of its parent. */
#pragma once

#include "file.h"

#if PAJEWRITE_POSIX
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

/* The mapped part of a file.  It is kept apart from the user's pajewrite_map, whose memory may be gone when the process
 * forks. */
typedef struct pajewrite__window {
    int used;
    char *memory; /* NULL: nothing is mapped */
    size_t size;
} pajewrite__window;

/* The windows of the process, in blocks that are never freed.  There is no lock, which a signal handler could find
 * taken. */
typedef struct pajewrite__windows {
    struct pajewrite__windows *next;
    pajewrite__window window[32];
} pajewrite__windows;

static pajewrite__windows pajewrite__first_windows;
static pthread_once_t pajewrite__set_up_once = PTHREAD_ONCE_INIT;
static uint32_t pajewrite__forks; /* how many there are between the first process and this one */

/* Replaces the windows by zeros, into which a context may go on writing.  (A private mapping of the file would not do:
 * it loses what is behind the end of the file when the parent truncates that.)  Only the thread that forked goes on in
 * the child, so that no window changes meanwhile. */
PAJEWRITE__UNTRACED
static void pajewrite__after_fork_in_child(void)
{
    const pajewrite__windows *block;
    size_t i;
    pajewrite__forks++;
    for (block = &pajewrite__first_windows; block; block = block->next)
        for (i = 0; i < sizeof block->window / sizeof *block->window; i++) {
            const pajewrite__window *window = &block->window[i];
            if (window->used && window->memory && pajewrite__get_memory(window->memory, window->size))
                window->memory[window->size - 1] = '\n'; /* where looking for one ends */
        }
}

/* What mapped files are extended by.  It is not on the stack, which may be that of a signal handler, and not what was
 * written already: reading that through its mapping makes each page cost twice as much. */
static char pajewrite__newlines[16384];

PAJEWRITE__UNTRACED
static void pajewrite__set_up(void)
{
    memset(pajewrite__newlines, '\n', sizeof pajewrite__newlines);
    pthread_atfork(NULL, NULL, pajewrite__after_fork_in_child);
}

/* Writes newlines from `*at` to `end`, before they are touched in memory: a full disk is an error then, not a signal
 * (but on btrfs and the like, where a page that is written again takes a new place), and the file never contains a NUL
 * byte.  One call writes up to 1 MiB: the system takes larger pages for more at once, which cost half as much.  Sets
 * `*at` to where it got.  Returns 0 if the disk is full. */
PAJEWRITE__UNTRACED
static int pajewrite__write_newlines(int descriptor, uint64_t *at, uint64_t end)
{
    enum { PAJEWRITE__MOST = 64 };
    struct iovec pieces[PAJEWRITE__MOST];
    while (*at < end) {
        uint64_t left = end - *at;
        ssize_t taken = -1;
        int count;
        for (count = 0; count < PAJEWRITE__MOST && left; count++) {
            pieces[count].iov_base = pajewrite__newlines;
            pieces[count].iov_len = left < sizeof pajewrite__newlines ? (size_t)left : sizeof pajewrite__newlines;
            left -= pieces[count].iov_len;
        }
        if (lseek(descriptor, (off_t)*at, SEEK_SET) != (off_t)-1)
            taken = writev(descriptor, pieces, count);
        if (taken > 0)
            *at += (uint64_t)taken;
        else if (taken == 0 || errno != EINTR)
            return 0;
    }
    return 1;
}

/* Returns a window that no map uses; NULL: there is no memory. */
PAJEWRITE__UNTRACED
static pajewrite__window *pajewrite__new_map_window(void)
{
    pajewrite__windows *block = &pajewrite__first_windows, *next;
    size_t i;
    for (;;) {
        for (i = 0; i < sizeof block->window / sizeof *block->window; i++) {
            int unused = 0;
            if (PAJEWRITE__SWAP_IF(int, block->window[i].used, &unused, 1))
                return &block->window[i];
        }
        next = PAJEWRITE__LOAD(pajewrite__windows *, block->next);
        if (!next) {
            pajewrite__windows *more = (pajewrite__windows *)pajewrite__get_memory(NULL, sizeof *more);
            if (!more)
                return NULL;
            if (PAJEWRITE__SWAP_IF(pajewrite__windows *, block->next, &next, more))
                next = more;
            else /* another thread was faster, whose block is in `next` */
                munmap(more, sizeof *more);
        }
        block = next;
    }
}

#endif
