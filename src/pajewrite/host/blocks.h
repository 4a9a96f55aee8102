/* Files in blocks that contexts take as they need them. */
#pragma once

#include "holes.h"
#include "fork.h"

#if PAJEWRITE_POSIX
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/vfs.h>
#endif

/* Whether a file is in memory (tmpfs). */
PAJEWRITE__UNTRACED
static int pajewrite__is_in_memory(int descriptor)
{
#if defined(__linux__)
    struct statfs about;
    return !fstatfs(descriptor, &about) && about.f_type == 0x01021994;
#else
    (void)descriptor;
    return 0;
#endif
}

PAJEWRITE__API pajewrite_status pajewrite_blocks_open(pajewrite_blocks *file, const char *path)
{
    const int before = errno, descriptor = pajewrite__open_descriptor(path, O_RDWR | O_CREAT | O_EXCL);
    struct stat about;
    memset(file, 0, sizeof *file);
    file->path = path;
    file->page = (size_t)sysconf(_SC_PAGESIZE);
    file->failed = 1;
    file->hole = PAJEWRITE__OFFSET_MAX;
    pthread_once(&pajewrite__set_up_once, pajewrite__set_up);
    file->forks = pajewrite__forks;
    if (descriptor < 0)
        return PAJEWRITE_E_SINK;
    if (!fstat(descriptor, &about)) {
        file->device = (uint64_t)about.st_dev;
        file->inode = (uint64_t)about.st_ino;
        file->is_in_memory = pajewrite__is_in_memory(descriptor);
        file->failed = 0;
    }
    close(descriptor);
    errno = before;
    return file->failed ? PAJEWRITE_E_SINK : PAJEWRITE_OK;
}

PAJEWRITE__API void pajewrite_block_init(pajewrite_block *block, pajewrite_blocks *file, size_t size)
{
    memset(block, 0, sizeof *block);
    block->file = file;
    block->next_size = pajewrite__whole_pages(size + !size, file->page);
}

/* Opens the file again.  Returns -1 if that is not possible, or another file has its path. */
PAJEWRITE__UNTRACED
static int pajewrite__reopen_blocks(const pajewrite_blocks *file)
{
    const int descriptor = pajewrite__open_descriptor(file->path, O_RDWR);
    if (pajewrite__is_file(descriptor, file->device, file->inode))
        return descriptor;
    if (descriptor >= 0)
        close(descriptor);
    return -1;
}

/* Reads a byte of every 16 pages: of a file in memory, the system then maps all of these at once, also for writing.
 * (Of others it does not, and pages that were read cost twice as much when they are written.) */
PAJEWRITE__UNTRACED
static void pajewrite__touch_block(const char *window, size_t size)
{
    size_t at;
    for (at = 0; at < size; at += (size_t)1 << 16)
        (void)*(const volatile char *)(window + at);
}

/* Maps a block at an address that lies in its MiB as the block does in the file's.  The system maps a large page of the
 * file at once if it lies whole within a table of pages, which ends with a MiB; else each write to another 4 KiB costs
 * a fault, whose time grows with the large page. */
PAJEWRITE__UNTRACED
static void *pajewrite__map_aligned(int descriptor, size_t size, uint64_t at)
{
    const size_t aligned = (size_t)1 << 20, large = (size_t)1 << 16;
    char *room = size < large ? NULL : (char *)pajewrite__get_memory(NULL, size + aligned), *place;
    const size_t before = room ? (size_t)(at - (uintptr_t)room) % aligned : 0;
    place = (char *)mmap(room ? room + before : NULL, size, PROT_READ | PROT_WRITE,
                         MAP_SHARED | (room ? MAP_FIXED : 0), descriptor, (off_t)at);
    if (before)
        munmap(room, before);
    if (room)
        munmap(room + before + size, aligned - before);
    if (room && place == (char *)MAP_FAILED)
        munmap(room + before, size);
    return place;
}

/* Maps a new block of the file; NULL: it cannot grow.  Its place is given back then; if another one is behind, it is to
 * be taken out of the file, and no more blocks are. */
PAJEWRITE__UNTRACED
static char *pajewrite__map_block(pajewrite_blocks *file, size_t size)
{
    void *window = MAP_FAILED;
    pajewrite__offset end, at;
    int descriptor;
    if (PAJEWRITE__LOAD(int, file->failed))
        return NULL;
    end = PAJEWRITE__LOAD(pajewrite__offset, file->end);
    do { /* an addition could begin at 0 again, where offsets have 32 bits */
        if (end > PAJEWRITE__OFFSET_MAX - size)
            return NULL;
    } while (!PAJEWRITE__SWAP_IF(pajewrite__offset, file->end, &end, end + size));
    at = end;
    descriptor = pajewrite__may_grow(at + size) ? pajewrite__reopen_blocks(file) : -1;
    if (descriptor >= 0) {
        uint64_t filled = at;
        if (pajewrite__write_newlines(descriptor, &filled, at + size))
            window = pajewrite__map_aligned(descriptor, size, at);
        if (close(descriptor) && window != MAP_FAILED) { /* where NFS tells that the disk is full */
            munmap(window, size);
            window = MAP_FAILED;
        }
    }
    if (window != MAP_FAILED) {
        if (file->is_in_memory)
            pajewrite__touch_block((const char *)window, size);
        return (char *)window;
    }
    end = at + size;
    if (!PAJEWRITE__SWAP_IF(pajewrite__offset, file->end, &end, at)) {
        pajewrite__offset hole = PAJEWRITE__LOAD(pajewrite__offset, file->hole);
        while (at < hole && !PAJEWRITE__SWAP_IF(pajewrite__offset, file->hole, &hole, at))
            ;
        PAJEWRITE__PUBLISH(int, file->failed, 1);
    }
    return NULL;
}

/* Takes out of the file what could not be filled, when no context has a block any more. */
PAJEWRITE__UNTRACED
static void pajewrite__leave_blocks(pajewrite_blocks *file)
{
    pajewrite__offset hole;
    int descriptor;
    PAJEWRITE__RELEASE();
    if (PAJEWRITE__ADD(uint32_t, file->users, UINT32_MAX) != 1)
        return;
    PAJEWRITE__ACQUIRE();
    hole = PAJEWRITE__LOAD(pajewrite__offset, file->hole);
    if (hole == PAJEWRITE__OFFSET_MAX ||
        !PAJEWRITE__SWAP_IF(pajewrite__offset, file->hole, &hole, PAJEWRITE__OFFSET_MAX))
        return;
    descriptor = pajewrite__reopen_blocks(file);
    if (descriptor >= 0) {
        pajewrite__remove_holes(descriptor, (off_t)hole);
        close(descriptor);
    }
}

/* Unmaps the block. */
PAJEWRITE__UNTRACED
static void pajewrite__leave_block(pajewrite_block *block)
{
    if (block->window) {
        block->shared->memory = NULL; /* first, so that no fork maps what is gone */
        PAJEWRITE__BARRIER();
        munmap(block->window, block->size);
    }
    block->window = NULL;
}

/* The last byte of a block is a newline that no context is given: what follows the last line in a block reads as a
 * comment, which ends there at the latest. */
PAJEWRITE__API char *pajewrite_block_next_buffer(void *data, size_t used, size_t needed, size_t *size)
{
    const size_t most = (size_t)1 << 20;
    pajewrite_block *block = (pajewrite_block *)data;
    pajewrite_blocks *file = block->file;
    const pajewrite__blocked before = pajewrite__block();
    const int had_one = block->window != NULL;
    size_t next = block->next_size;
    char *window = NULL;
    (void)used;
    *size = file->forks != pajewrite__forks ? PAJEWRITE_E_FORKED : needed ? PAJEWRITE_E_SINK : 0;
    if (needed && *size == PAJEWRITE_E_SINK) {
        while (next <= needed && next <= SIZE_MAX / 2)
            next *= 2;
        if (!had_one) {
            (void)PAJEWRITE__ADD(uint32_t, file->users, 1);
            PAJEWRITE__ACQUIRE();
        }
        if (!block->shared)
            block->shared = pajewrite__new_map_window();
        window = block->shared && next > needed ? pajewrite__map_block(file, next) : NULL;
    }
    if (window || !needed)
        pajewrite__leave_block(block);
    if (window) {
        block->window = window;
        block->size = next;
        block->next_size = next < most / 4 ? next * 4 : most;
        block->shared->size = next;
        PAJEWRITE__PUBLISH(char *, block->shared->memory, window);
        *size = next - 1;
    } else if (!needed && block->shared) {
        PAJEWRITE__PUBLISH(int, block->shared->used, 0);
        block->shared = NULL;
    }
    if (*size != PAJEWRITE_E_FORKED && (needed ? !had_one && !window : had_one))
        pajewrite__leave_blocks(file);
    pajewrite__unblock(&before);
    return window;
}

#endif
