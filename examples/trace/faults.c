/* Where a page of the run's files cannot be written: on a full disk of btrfs, which takes a new place for each page
 * that is written again; if another program has truncated a file; where a server has lost it.  The program goes on,
 * with memory of its own in place of the file, and nothing more is recorded. */
#include "process.h"
#include "replace.h"

#include <fcntl.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

static int is_page_private; /* atomic; 1: the control page has been replaced */

/* Notes it for `paje trace`, also where this process has only a copy of the page; which may fail, as the page did. */
static void note_failure(uint64_t time)
{
    uint64_t none = 0;
    int file;
    __atomic_add_fetch(&trace_page->failures, 1, __ATOMIC_RELAXED);
    __atomic_compare_exchange_n(&trace_page->failed_at, &none, time, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    if (!__atomic_load_n(&is_page_private, __ATOMIC_RELAXED))
        return;
    file = trace_open_control(trace_the_process.folder, O_WRONLY);
    if (file < 0)
        return;
    syscall(SYS_pwrite64, file, &trace_page->failures, sizeof trace_page->failures, offsetof(trace_control, failures));
    syscall(SYS_pwrite64, file, &trace_page->failed_at, sizeof trace_page->failed_at,
            offsetof(trace_control, failed_at));
    syscall(SYS_close, file);
}

/* What threads are just writing is finished: the numbers that they take are not those of other processes. */
static void make_private(trace_control *copy)
{
    const uint32_t number = (uint32_t)syscall(SYS_getpid);
    copy->is_over = 1;
    copy->mask = 0;
    copy->keys = (uint64_t)number << 40;
    copy->containers = (UINT32_C(1) << 30) + (number << 8 & ((UINT32_C(1) << 30) - 1));
}

/* Replaces the block that has the page. */
static int replace_block(const void *page)
{
    pajewrite_block *block = trace_find_block(page);
    if (!block || !replace_take_memory(block->window, block->size))
        return 0;
    block->window[block->size - 1] = '\n'; /* as in every block, where looking for one ends */
    return 1;
}

int trace_replace_memory(const void *page)
{
    const char *control = (const char *)trace_page;
    const uint64_t time = pajewrite_monotonic(NULL);
    if (!control)
        return 0;
    if ((const char *)page >= control && (const char *)page < control + sizeof *trace_page) {
        if (!replace_control(trace_page, make_private))
            return 0;
        __atomic_store_n(&is_page_private, 1, __ATOMIC_RELAXED);
    } else {
        if (!replace_block(page))
            return 0;
        __atomic_store_n(&trace_the_process.file.failed, 1, __ATOMIC_RELAXED); /* no other block is taken */
    }
    note_failure(time);
    return 1;
}
