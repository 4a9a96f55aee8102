/* Samples of all processes of a run, taken by the system (perf_event_open).
 *
 * An event for each processor, which all that the program starts inherit, writes into a buffer that is read here.  So
 * nothing of it runs in the program: it gets no signal, and no call of it is interrupted. */
#define _GNU_SOURCE /* ppoll, syscall */
#include "trace.h"
#include "trace/sample.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifdef __has_include
#if __has_include(<linux/perf_event.h>)
#include <linux/perf_event.h>
#define HAS_PERF 1
#endif
#endif

struct trace_ring {
    struct perf_event_mmap_page *page;
    unsigned char *bytes;
    uint64_t size; /* a power of two */
};

#ifdef HAS_PERF

enum {
    BUFFERS = 8 << 20, /* bytes of all buffers, at most, as far as each has LEAST */
    MOST = 512 << 10,
    LEAST = 32 << 10
};

static int open_event(int processor, uint32_t period, int without_system)
{
    struct perf_event_attr about;
    memset(&about, 0, sizeof about);
    about.size = sizeof about;
    about.type = PERF_TYPE_SOFTWARE;
    about.config = PERF_COUNT_SW_TASK_CLOCK;
    about.sample_period = period;
    about.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CALLCHAIN;
    about.sample_max_stack = TRACE_FRAMES;
    about.sample_id_all = 1;
    about.disabled = 1;
    about.inherit = 1;
    about.enable_on_exec = 1;
    about.exclude_kernel = without_system != 0;
    about.exclude_callchain_kernel = 1;
    about.exclude_hv = 1;
    about.mmap = about.mmap2 = 1;
    about.comm = about.comm_exec = 1;
    about.task = 1;
    about.watermark = 1;
    about.wakeup_watermark = LEAST / 2;
    about.use_clockid = 1;
    about.clockid = CLOCK_MONOTONIC;
    return (int)syscall(SYS_perf_event_open, &about, 0, processor, -1, PERF_FLAG_FD_CLOEXEC);
}

/* Adds the buffer of a processor.  Returns 0, with errno. */
static int add_ring(trace_sampler *it, int processor, uint64_t most)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    int file = open_event(processor, it->period, it->without_system);
    void *bytes = MAP_FAILED;
    if (file < 0 && (errno == EACCES || errno == EPERM) && !it->without_system) {
        it->without_system = 1;
        file = open_event(processor, it->period, 1);
    }
    if (file < 0)
        return errno == ENODEV; /* the processor is switched off */
    for (; most >= LEAST && bytes == MAP_FAILED; most /= 2) {
        bytes = mmap(NULL, page + most, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        if (bytes != MAP_FAILED) {
            *array_push(&it->rings) = (struct trace_ring){bytes, (unsigned char *)bytes + page, most};
            *array_push(&it->files) = (struct pollfd){file, POLLIN, 0};
            return 1;
        }
    }
    close(file);
    return 0;
}

/* ---- reading */

/* Returns bytes of a buffer; those around its end are copied. */
static const unsigned char *bytes_at(const struct trace_ring *ring, uint64_t at, size_t size, text_buffer *copy)
{
    const size_t offset = (size_t)(at & (ring->size - 1));
    if (offset + size <= ring->size)
        return ring->bytes + offset;
    text_clear(copy);
    text_put(copy, (const char *)ring->bytes + offset, (size_t)ring->size - offset);
    text_put(copy, (const char *)ring->bytes, size - ((size_t)ring->size - offset));
    return (const unsigned char *)copy->bytes;
}

static uint64_t number_at(const unsigned char *bytes, size_t at)
{
    uint64_t number;
    memcpy(&number, bytes + at, sizeof number);
    return number;
}

static uint32_t short_at(const unsigned char *bytes, size_t at)
{
    uint32_t number;
    memcpy(&number, bytes + at, sizeof number);
    return number;
}

static void put_hex(text_buffer *to, uint64_t number)
{
    char digits[17], *first = digits + sizeof digits;
    do
        *--first = "0123456789abcdef"[number & 15];
    while (number >>= 4);
    *--first = ' ';
    text_put(to, first, (size_t)(digits + sizeof digits - first));
}

/* Places in records, behind their header: process and thread; then what each kind has.  All kinds but samples end with
 * process, thread, time. */
static void put_record(trace_sampler *it, const struct perf_event_header *head, const unsigned char *bytes)
{
    text_buffer *to = &it->lines;
    const size_t size = head->size - sizeof *head;
    const uint64_t time = size >= 24 ? number_at(bytes, size - 8) : 0;
    switch (head->type) {
    case PERF_RECORD_SAMPLE: {
        const uint64_t count = size >= 24 ? number_at(bytes, 16) : 0;
        text_putc(to, 'S');
        put_hex(to, number_at(bytes, 8));
        put_hex(to, short_at(bytes, 0));
        put_hex(to, short_at(bytes, 4));
        put_hex(to, 1);
        for (uint64_t i = 0; i < count && 32 + i * 8 <= size; i++)
            if (number_at(bytes, 24 + (size_t)i * 8) < PERF_CONTEXT_MAX) /* no mark between kinds of frames */
                put_hex(to, number_at(bytes, 24 + (size_t)i * 8));
        break;
    }
    case PERF_RECORD_MMAP2: {
        const char *path = (const char *)bytes + 64;
        text_putc(to, 'M');
        put_hex(to, time);
        put_hex(to, short_at(bytes, 0));
        put_hex(to, number_at(bytes, 8));
        put_hex(to, number_at(bytes, 8) + number_at(bytes, 16));
        put_hex(to, number_at(bytes, 24));
        text_putc(to, ' ');
        for (; *path; path++)
            text_putc(to, *path == '\n' ? '?' : *path);
        break;
    }
    case PERF_RECORD_COMM:
        if (!(head->misc & PERF_RECORD_MISC_COMM_EXEC))
            return;
        text_putc(to, 'X');
        put_hex(to, time);
        put_hex(to, short_at(bytes, 0));
        break;
    case PERF_RECORD_FORK:
        if (short_at(bytes, 0) == short_at(bytes, 4))
            return; /* a thread */
        text_putc(to, 'F');
        put_hex(to, time);
        put_hex(to, short_at(bytes, 0));
        put_hex(to, short_at(bytes, 4));
        break;
    case PERF_RECORD_LOST: it->lost += number_at(bytes, 8); return;
    case PERF_RECORD_THROTTLE: it->throttled++; return;
    default: return;
    }
    text_puts(to, " .\n");
}

static void drain(trace_sampler *it)
{
    text_buffer copy = {0};
    for (size_t i = 0; i < it->rings.count; i++) {
        const struct trace_ring *ring = &it->rings.items[i];
        const uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
        uint64_t tail = ring->page->data_tail;
        while (tail < head) {
            struct perf_event_header record;
            memcpy(&record, bytes_at(ring, tail, sizeof record, &copy), sizeof record);
            if (record.size < sizeof record)
                break;
            put_record(it, &record, bytes_at(ring, tail, record.size, &copy) + sizeof record);
            tail += record.size;
        }
        __atomic_store_n(&ring->page->data_tail, head, __ATOMIC_RELEASE);
    }
    if (it->lines.size && !it->failed && !stream_write(it->output, text_view(&it->lines)))
        it->failed = errno;
    text_clear(&it->lines);
    text_free(&copy);
}

/* Begins to sample what this process will execute in its children.  Returns 0, with errno, if the system refuses. */
static int open_sampler(trace_sampler *it, const trace_folder *folder, uint32_t period)
{
    const long count = sysconf(_SC_NPROCESSORS_CONF);
    uint64_t most = MOST;
    text_buffer path = {0};
    memset(it, 0, sizeof *it);
    it->period = period;
    while (most > LEAST && most * (uint64_t)count > BUFFERS)
        most /= 2;
    for (long i = 0; i < count; i++)
        if (!add_ring(it, (int)i, most)) {
            int error = errno;
            trace_close_sampler(it);
            errno = error;
            return 0;
        }
    text_printf(&path, "%s/all-%ld%s", folder->name, (long)getpid(), TRACE_SAMPLES);
    it->output = open(text_string(&path), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    it->failed = it->output < 0 ? errno : 0;
    text_free(&path);
    return 1;
}

void trace_close_sampler(trace_sampler *it)
{
    const long page = sysconf(_SC_PAGESIZE);
    if (it->rings.count)
        drain(it);
    for (size_t i = 0; i < it->rings.count; i++) {
        munmap(it->rings.items[i].page, (size_t)page + (size_t)it->rings.items[i].size);
        close(it->files.items[i].fd);
    }
    if (it->rings.count && it->output > 0)
        close(it->output);
    array_free(&it->rings);
    array_free(&it->files);
    text_free(&it->lines);
}

static void wake(int number)
{
    (void)number;
}

/* Samples are read ten times a second, and when a buffer has many; the end of the child interrupts waiting for them. */
static int wait_sampling(trace_sampler *it, pid_t child, int *status)
{
    static const struct timespec tenth = {0, 100000000};
    struct sigaction action, old_action;
    sigset_t ends, before;
    pid_t ended;
    memset(&action, 0, sizeof action);
    action.sa_handler = wake;
    sigemptyset(&action.sa_mask);
    sigemptyset(&ends);
    sigaddset(&ends, SIGCHLD);
    sigprocmask(SIG_BLOCK, &ends, &before);
    sigaction(SIGCHLD, &action, &old_action);
    while ((ended = waitpid(child, status, WNOHANG)) == 0) {
        ppoll(it->files.items, it->files.count, &tenth, &before);
        drain(it);
    }
    sigaction(SIGCHLD, &old_action, NULL);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return ended == child;
}

#else

static int open_sampler(trace_sampler *it, const trace_folder *folder, uint32_t period)
{
    (void)folder, (void)period;
    memset(it, 0, sizeof *it);
    errno = ENOSYS;
    return 0;
}

void trace_close_sampler(trace_sampler *it)
{
    (void)it;
}

static int wait_sampling(trace_sampler *it, pid_t child, int *status)
{
    (void)it, (void)child, (void)status;
    return 0;
}

#endif

int trace_wait(trace_sampler *it, pid_t child, int *status)
{
    pid_t ended;
    if (it->rings.count)
        return wait_sampling(it, child, status);
    do
        ended = waitpid(child, status, 0);
    while (ended < 0 && errno == EINTR);
    return ended == child;
}

/* ---- choosing and reporting */

/* Says why the system takes no samples, what would help, and what timers can do. */
static void tell_refusal(int error)
{
    text_buffer why = {0};
    struct timespec tick = {0, 0};
    int level, file = open("/proc/sys/kernel/perf_event_paranoid", O_RDONLY | O_CLOEXEC);
    char digits[16] = "";
    text_puts(&why, strerror(error));
    if (file >= 0 && read(file, digits, sizeof digits - 1) > 0 && (level = atoi(digits)) > 2)
        text_printf(&why, "; `sysctl kernel.perf_event_paranoid=2` would allow it, now it is %d", level);
    if (file >= 0)
        close(file);
#ifdef CLOCK_MONOTONIC_COARSE
    clock_getres(CLOCK_MONOTONIC_COARSE, &tick);
#endif
    stream_message("the system takes no samples (%s): timers in the program take them, at most %ld a second",
                   text_string(&why), tick.tv_nsec ? 1000000000 / tick.tv_nsec : 100);
    text_free(&why);
}

void trace_begin_sampling(trace_sampler *sampler, const trace_folder *folder,
                          const trace_settings *settings)
{
    trace_control *page = folder->control;
    if (!settings->rate)
        return;
    page->sampler = settings->sampler ? settings->sampler : TRACE_PERF;
    if (page->sampler == TRACE_PERF && !open_sampler(sampler, folder, page->period)) {
        tell_refusal(errno);
        page->sampler = TRACE_TIMERS;
    }
}

void trace_report_samples(const trace_folder *folder, const trace_sampler *sampler, const trace_sample_counts *counts,
                          const char *output, int is_verbose)
{
    const trace_control *page = folder->control;
    const unsigned long long samples = counts->samples, outside = counts->outside, lost = sampler->lost;
    if (sampler->failed)
        stream_message("%s: samples are missing: %s (TMPDIR names another folder)", output, strerror(sampler->failed));
    if (lost)
        stream_message("%s: %llu samples were lost; a lower RATE loses none", output, lost);
    if (sampler->throttled)
        stream_message("%s: the system took fewer samples for a while, %u times; it does not for a lower RATE", output,
                       sampler->throttled);
    if (page->unsampled)
        stream_message("%s: %u threads have no samples, as the system gave no timer for them (see `ulimit -i`)", output,
                       page->unsampled);
    if (outside > samples / 8 + 20)
        stream_message("%s: %llu of %llu samples are not in it, as they are of processes that are not", output, outside,
                       samples + outside);
    if (is_verbose)
        stream_message("%s: %llu samples%s", output, samples,
                       sampler->without_system ? "; time within the system has none" : "");
}
