/* Samples that a process takes itself, where the system refuses to: a timer of each thread's CPU time sends a signal to
 * it, whose handler writes a line into a file (sample.h), in a block of the thread's own.
 *
 * The handler calls nothing but the system, and takes no lock.  It goes from frame to frame by frame pointers, in pages
 * that the system says can be read: what is no frame ends the walk, and is never touched if there is nothing. */
#include "sample.h"
#include "samples.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

enum {
    NUMBER = 17,        /* bytes of a number in hex, with its blank */
    LINE = 8 + (TRACE_FRAMES + 4) * NUMBER,
    FARTHEST = 1 << 20  /* bytes between two frames of a stack */
};

static pajewrite_blocks file;
static char path[sizeof trace_the_process.path + sizeof TRACE_SAMPLES];

void trace_define_samples(pajewrite *w)
{
    const pajewrite_type thread = PAJEWRITE_TYPE(TRACE_THREAD_TYPE), number = PAJEWRITE_TYPE(TRACE_NUMBER_TYPE);
    if (trace_page->sampler == TRACE_TIMERS) {
        strcpy(path, trace_the_process.path);
        strcpy(strrchr(path, '.'), TRACE_SAMPLES);
        pajewrite_blocks_open(&file, path);
    }
    pajewrite_define_event_type(w, number, thread, "Thread number");
    pajewrite_define_value(w, PAJEWRITE_VALUE(TRACE_ONLY_VALUE), number, "number", NULL);
    pajewrite_define_state_type(w, PAJEWRITE_TYPE(TRACE_SAMPLED_TYPE), thread, "Sampled");
}

/* ---- lines */

char *trace_reserve_line(trace_thread *t, size_t size)
{
    trace_samples *s = &t->samples;
    if (!s->at || (size_t)(s->end - s->at) < size) {
        size_t given = 0;
        s->at = trace_next_buffer(&s->block, 0, size, &given);
        s->end = s->at ? s->at + given : NULL;
    }
    return s->at;
}

char *trace_put_hex(char *p, uint64_t number)
{
    int shift = 60;
    *p++ = ' ';
    while (shift && !(number >> shift))
        shift -= 4;
    for (; shift >= 0; shift -= 4)
        *p++ = "0123456789abcdef"[number >> shift & 15];
    return p;
}

void trace_end_line(trace_thread *t, char *end)
{
    memcpy(end, " .\n", 3);
    t->samples.at = end + 3;
}

/* ---- the stack */

typedef struct registers {
    uintptr_t code, frame, stack;
} registers;

static registers registers_of(const void *context)
{
    const mcontext_t *machine = &((const ucontext_t *)context)->uc_mcontext;
#if defined(__x86_64__)
    return (registers){(uintptr_t)machine->gregs[REG_RIP], (uintptr_t)machine->gregs[REG_RBP],
                       (uintptr_t)machine->gregs[REG_RSP]};
#elif defined(__aarch64__)
    return (registers){machine->pc, machine->regs[29], machine->sp};
#else
    (void)machine;
    return (registers){0, 0, 0};
#endif
}

/* Whether 8 bytes can be read: the system reads a mask of signals there before it finds that it cannot do with it what
 * is asked. */
static int is_readable(uintptr_t place)
{
    return syscall(SYS_rt_sigprocmask, ~0, place, NULL, 8) == 0 || errno != EFAULT;
}

/* Writes where the thread is, and where its callers go on.  Returns the end. */
static char *put_stack(char *p, const registers *r, int *is_known)
{
    enum { PAGE = 4096 };
    uintptr_t frame = r->frame, least = r->stack, page = 1;
    int depth;
    *is_known = trace_is_code(r->code);
    p = trace_put_hex(p, r->code);
    for (depth = 1; depth < TRACE_FRAMES; depth++) {
        uintptr_t pair[2];
        if (frame < least || frame - least > FARTHEST || frame % sizeof frame)
            break;
        if (frame / PAGE != page && !is_readable(frame))
            break;
        if ((frame + sizeof frame) / PAGE != frame / PAGE && !is_readable(frame + sizeof frame))
            break;
        page = (frame + sizeof frame) / PAGE;
        memcpy(pair, (const void *)frame, sizeof pair);
        if (pair[1] < PAGE)
            break;
        *is_known &= trace_is_code(pair[1]);
        p = trace_put_hex(p, pair[1]);
        least = frame + sizeof pair;
        frame = pair[0];
    }
    return p;
}

void trace_take_sample(const siginfo_t *info, const void *context)
{
    trace_thread *t = trace_self ? trace_self : trace_make_thread();
    const uint64_t time = pajewrite_monotonic(NULL);
    const registers r = registers_of(context);
    const uint64_t weight = 1 + (info->si_overrun > 0 ? (uint64_t)info->si_overrun : 0);
    int is_known;
    char *p = t && t->samples.timer && !trace_is_over() ? trace_reserve_line(t, LINE) : NULL;
    if (!p)
        return;
    *p = 'S';
    p = trace_put_hex(p + 1, time);
    p = trace_put_hex(p, (uint64_t)trace_the_process.number);
    p = trace_put_hex(p, (uint64_t)t->samples.number);
    p = trace_put_hex(p, weight);
    trace_end_line(t, put_stack(p, &r, &is_known));
    trace_read_code(t, time, is_known);
}

/* ---- threads */

static int child_timer; /* of a process without context yet, and 1 more; 0: there is none */
static int is_child_at_rest; /* 1: that has none as long as its thread blocks the signal */

static struct timespec time_of(uint64_t nanoseconds)
{
    return (struct timespec){(time_t)(nanoseconds / 1000000000u), (long)(nanoseconds % 1000000000u)};
}

/* Returns the timer of the calling thread, and 1 more; 0: the system refuses. */
static int begin_timer(pid_t number)
{
    struct itimerspec times;
    struct sigevent event;
    int timer;
    memset(&event, 0, sizeof event);
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = trace_sample_signal();
    event._sigev_un._tid = number;
    event.sigev_value.sival_ptr = &trace_the_process;
    times.it_value = times.it_interval = time_of(trace_page->period);
    if (!event.sigev_signo || syscall(SYS_timer_create, CLOCK_THREAD_CPUTIME_ID, &event, &timer)) {
        __atomic_add_fetch(&trace_page->unsampled, 1, __ATOMIC_RELAXED);
        return 0;
    }
    syscall(SYS_timer_settime, timer, 0, &times, NULL);
    return timer + 1;
}

/* Sets the time up to the next sample, in nanoseconds; 0: there is none.  Returns what it was. */
static uint64_t set_timer(const trace_thread *t, uint64_t next)
{
    struct itimerspec times, before;
    memset(&before, 0, sizeof before);
    times.it_value = time_of(next);
    times.it_interval = time_of(trace_page->period);
    syscall(SYS_timer_settime, t->samples.timer - 1, 0, &times, &before);
    return (uint64_t)before.it_value.tv_sec * 1000000000u + (uint64_t)before.it_value.tv_nsec;
}

/* Whether the calling thread is the one that goes on in a child of fork. */
static int is_first_thread(void)
{
    return syscall(SYS_gettid) == syscall(SYS_getpid);
}

void trace_rest_samples(void)
{
    trace_thread *t = trace_self;
    if (t && t->samples.timer && !t->samples.left) {
        const uint64_t left = set_timer(t, 0);
        t->samples.left = left ? left : 1;
    }
    if (!t && child_timer && is_first_thread()) {
        syscall(SYS_timer_delete, child_timer - 1);
        child_timer = 0;
        is_child_at_rest = 1;
    }
}

int trace_are_samples_at_rest(void)
{
    const trace_thread *t = trace_self;
    return t ? t->samples.left != 0 : is_child_at_rest;
}

void trace_resume_samples(void)
{
    trace_thread *t = trace_self;
    if (t && t->samples.timer && t->samples.left) {
        const uint64_t left = t->samples.left;
        t->samples.left = 0;
        set_timer(t, left);
    }
    if (is_child_at_rest && is_first_thread()) {
        is_child_at_rest = 0;
        if (!t)
            child_timer = begin_timer((pid_t)syscall(SYS_gettid));
    }
}

void trace_sample_child(void)
{
    is_child_at_rest = trace_is_sample_signal_blocked();
    child_timer = is_child_at_rest ? 0 : begin_timer((pid_t)syscall(SYS_gettid));
}

/* Whether the process, of which nothing is recorded, may have samples all the same. */
int trace_is_worth_sampling(void)
{
    struct timespec used;
    return trace_page->sampler == TRACE_PERF && trace_the_process.state == PROCESS_WAITING &&
           clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used) == 0 &&
           (uint64_t)used.tv_sec * 1000000000u + (uint64_t)used.tv_nsec > trace_page->period;
}

/* The samples of a process that was forked are those from then on. */
void trace_begin_samples(trace_thread *t)
{
    const int64_t number = syscall(SYS_gettid);
    pajewrite_event event;
    memset(&event, 0, sizeof event);
    event.kind = PAJEWRITE_NEW_EVENT;
    event.time = t->number == 0 && trace_the_process.fork_time ? trace_the_process.fork_time : PAJEWRITE_TIME_NOW;
    event.container = t->container;
    event.type = PAJEWRITE_TYPE(TRACE_NUMBER_TYPE);
    event.value = PAJEWRITE_VALUE(TRACE_ONLY_VALUE);
    pajewrite_write_ints(&t->out.w, &event, trace_the_process.numbered, &number, 1);
    t->samples.number = number;
    if (trace_page->sampler != TRACE_TIMERS)
        return;
    if (!t->samples.block.file)
        pajewrite_block_init(&t->samples.block, &file, 0);
    t->samples.timer = t->number == 0 && child_timer ? child_timer : begin_timer((pid_t)number);
    child_timer = t->number == 0 ? 0 : child_timer;
    t->samples.left = 0;
    if (trace_is_sample_signal_blocked())
        trace_rest_samples();
}

void trace_end_samples(trace_thread *t)
{
    if (t->samples.timer)
        syscall(SYS_timer_delete, t->samples.timer - 1);
    t->samples.timer = 0;
}
