/* A counter of the processor for the calling thread.  It is read without a call of the system, from a page that the
 * system maps; no file stays open. */
#pragma once

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__has_include) && defined(__x86_64__)
#if __has_include(<linux/perf_event.h>)
#include <linux/perf_event.h>
#define TRACE_HAS_HARDWARE 1
#endif
#endif

enum { TRACE_HARDWARE_PAGE = 4096 };

#ifdef TRACE_HAS_HARDWARE

typedef volatile struct perf_event_mmap_page trace_hardware;

/* Returns the counter, whose number is PERF_COUNT_HW_...; NULL, with errno, EPERM if programs may not read it. */
static inline trace_hardware *trace_open_hardware(uint32_t number)
{
    struct perf_event_attr about;
    void *page = MAP_FAILED;
    long file;
    memset(&about, 0, sizeof about);
    about.size = sizeof about;
    about.type = PERF_TYPE_HARDWARE;
    about.config = number;
    about.exclude_kernel = 1;
    about.exclude_hv = 1;
    file = syscall(SYS_perf_event_open, &about, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    if (file < 0)
        return NULL;
    page = mmap(NULL, TRACE_HARDWARE_PAGE, PROT_READ, MAP_SHARED, (int)file, 0);
    syscall(SYS_close, file);
    if (page == MAP_FAILED)
        return NULL;
    if (!((trace_hardware *)page)->cap_user_rdpmc) {
        munmap(page, TRACE_HARDWARE_PAGE);
        errno = EPERM;
        return NULL;
    }
    return (trace_hardware *)page;
}

/* As linux/perf_event.h has it. */
static inline int64_t trace_read_hardware(trace_hardware *page)
{
    uint32_t sequence;
    int64_t count;
    do {
        sequence = page->lock;
        __asm__ volatile("" ::: "memory");
        count = page->offset;
        if (page->index) {
            const unsigned shift = 64u - page->pmc_width;
            uint32_t low, high;
            __asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(page->index - 1));
            count += (int64_t)(((uint64_t)high << 32 | low) << shift) >> shift;
        }
        __asm__ volatile("" ::: "memory");
    } while (page->lock != sequence);
    return count;
}

#else

typedef volatile uint32_t trace_hardware;

static inline trace_hardware *trace_open_hardware(uint32_t number)
{
    (void)number;
    errno = ENOSYS;
    return NULL;
}

static inline int64_t trace_read_hardware(trace_hardware *page)
{
    return (int64_t)*page;
}

#endif
