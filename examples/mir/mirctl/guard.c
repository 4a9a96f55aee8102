/* Tracing another process for a moment: a breakpoint at the entry of a function, and calls in the thread that comes
 * there.  Nothing is stopped but that thread: the others are attached to as they run, and let go by this process's end.
 *
 * The breakpoint is one byte, which all threads and children of the process see; so all are attached to before it is
 * written, and it is taken out before anything is changed.  Signals and stops of the program pass through. */
#include "guard.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void tell(outcome *how, const char *status, const char *reason)
{
    how->status = status;
    snprintf(how->reason, sizeof how->reason, "%s", reason);
}

static void read_or_write(const process *in, const change *what, outcome *how)
{
    if (process_read(in->id, what->of.address, how->before, what->of.size) &&
        (what->kind == CHANGE_GET || process_write(in->id, what->of.address, what->bytes, what->of.size)))
        tell(how, "applied", "");
    else
        tell(how, "refused", errno == EFAULT ? "it is constant" : process_problem(errno));
}

void change_at_once(int channel, const process *in, const change *it)
{
    outcome how = {.stopped = -1};
    read_or_write(in, it, &how);
    change_report(channel, it, &how);
}

#ifdef __x86_64__
#include <elf.h>
#include <sys/user.h>

enum {
    TRAP = 0xcc,
    NOWHERE = 16, /* calls return to this address, where nothing can be */
    OPTIONS = PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACEEXEC
};

#define BIT(signal) (UINT64_C(1) << ((signal) - 1))
/* What ends a call: its return, which is to an address where nothing is, or its failure.  Others wait until then. */
static const uint64_t call_ends = BIT(SIGSEGV) | BIT(SIGBUS) | BIT(SIGFPE) | BIT(SIGILL) | BIT(SIGTRAP) |
                                  BIT(SIGABRT) | BIT(SIGSYS);

typedef enum happening {
    REACHED,   /* a thread stands at the breakpoint */
    STOPPED,   /* the thread that is waited for has stopped */
    TIME_OVER,
    CLIENT_GONE,
    PROCESS_GONE,
    PROCESS_REPLACED
} happening;

typedef struct guard {
    int channel;
    pid_t process;
    uint64_t entry;
    unsigned char original;
    int is_inserted;
    pid_t caller; /* the thread that calls; 0: none */
    int status;   /* of the thread that has stopped */
    int unborn;   /* children that are announced and have not begun */
} guard;

static int64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* ptrace without the types of its calls. */
static int trace(int what, pid_t thread, uintptr_t address, uintptr_t data)
{
    return ptrace((enum __ptrace_request)what, thread, (void *)address, (void *)data) != -1;
}

/* Writes a byte of the text of a process: unlike process_vm_writev, this may. */
static int put_text(pid_t of, uint64_t address, unsigned char byte)
{
    char path[64];
    int file, is_written;
    snprintf(path, sizeof path, "/proc/%d/mem", (int)of);
    file = open(path, O_WRONLY | O_CLOEXEC);
    is_written = file >= 0 && pwrite(file, &byte, 1, (off_t)address) == 1;
    if (file >= 0)
        close(file);
    return is_written;
}

static void take_out(guard *it)
{
    if (it->is_inserted)
        put_text(it->process, it->entry, it->original);
    it->is_inserted = 0;
}

/* A line of a thread's status, as a number of some base.  Returns 0 if there is none. */
static unsigned long long read_status(pid_t thread, const char *name, int base)
{
    char path[64], line[256];
    unsigned long long number = 0;
    FILE *file;
    snprintf(path, sizeof path, "/proc/%d/status", (int)thread);
    file = fopen(path, "re");
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, name, strlen(name)) == 0)
            number = strtoull(line + strlen(name), NULL, base);
    if (file)
        fclose(file);
    return number;
}

/* Calls for each thread of the process.  Returns 0 if there are none. */
static int for_each_thread(guard *it, int (*take)(guard *, pid_t))
{
    char path[64];
    DIR *folder;
    const struct dirent *entry;
    int count = 0;
    snprintf(path, sizeof path, "/proc/%d/task", (int)it->process);
    folder = opendir(path);
    while (folder && (entry = readdir(folder)) != NULL)
        if (*entry->d_name != '.')
            count += take(it, (pid_t)atol(entry->d_name));
    if (folder)
        closedir(folder);
    return count;
}

static int is_of_process(const guard *it, pid_t thread)
{
    return (pid_t)read_status(thread, "Tgid:", 10) == it->process;
}

/* ---- what threads tell ---- */

/* A thread stands behind the breakpoint: it has executed it. */
static int is_at_breakpoint(const guard *it, pid_t thread, struct user_regs_struct *registers)
{
    siginfo_t about;
    return trace(PTRACE_GETREGS, thread, 0, (uintptr_t)registers) && registers->rip == it->entry + 1 &&
           trace(PTRACE_GETSIGINFO, thread, 0, (uintptr_t)&about) && about.si_code == SI_KERNEL;
}

/* Sets a thread back to the function's first byte. */
static void step_back(const guard *it, pid_t thread, struct user_regs_struct *registers)
{
    registers->rip = it->entry;
    trace(PTRACE_SETREGS, thread, 0, (uintptr_t)registers);
}

/* The children of which one of two events has come: that of its parent, which has made it, or (as a negative number)
 * its own, that it has begun.  Either may be the first. */
static pid_t children[1 << 16];
static size_t child_count;

static void note_child(guard *it, pid_t child, int has_begun)
{
    const pid_t other = has_begun ? child : -child;
    for (size_t i = 0; i < child_count; i++)
        if (children[i] == other) {
            children[i] = children[--child_count];
            it->unborn -= has_begun;
            return;
        }
    if (child_count == sizeof children / sizeof *children)
        return;
    children[child_count++] = -other;
    it->unborn += !has_begun;
}

/* A child that was made while the breakpoint was in has the byte in its own memory, and is let go without it.  One of
 * vfork has its parent's memory: what is taken out there is missing here.  It is attached to until it does something
 * else. */
static void begin_child(guard *it, pid_t child)
{
    unsigned char byte = 0;
    note_child(it, child, 1);
    if (process_read(child, it->entry, &byte, 1) && byte == TRAP) {
        put_text(child, it->entry, it->original);
        if (it->is_inserted && process_read(it->process, it->entry, &byte, 1) && byte == it->original) {
            put_text(child, it->entry, TRAP);
            trace(PTRACE_CONT, child, 0, 0);
            return;
        }
    }
    trace(PTRACE_DETACH, child, 0, 0);
}

/* Notes the child, if it is no thread, that a thread has made. */
static void expect_child(guard *it, pid_t thread)
{
    unsigned long child = 0;
    if (trace(PTRACE_GETEVENTMSG, thread, 0, (uintptr_t)&child) && !is_of_process(it, (pid_t)child))
        note_child(it, (pid_t)child, 0);
}

/* Reads what a thread tells, and lets it go on.  Returns TIME_OVER if that was all. */
static happening take_event(guard *it, pid_t thread, int status)
{
    const int signal = WIFSTOPPED(status) ? WSTOPSIG(status) : 0, event = status >> 16;
    struct user_regs_struct registers;
    it->status = status;
    if (!WIFSTOPPED(status))
        return thread == it->process ? PROCESS_GONE : thread == it->caller ? STOPPED : TIME_OVER;
    if (thread == it->caller && event != PTRACE_EVENT_STOP && (!event || event == PTRACE_EVENT_EXEC))
        return event ? PROCESS_REPLACED : STOPPED;
    switch (event) {
    case PTRACE_EVENT_CLONE:
    case PTRACE_EVENT_FORK:
    case PTRACE_EVENT_VFORK:
        expect_child(it, thread);
        trace(PTRACE_CONT, thread, 0, 0);
        return TIME_OVER;
    case PTRACE_EVENT_EXEC:
        if (thread == it->process) {
            it->is_inserted = 0; /* its memory is another one */
            return PROCESS_REPLACED;
        }
        trace(PTRACE_DETACH, thread, 0, 0);
        return TIME_OVER;
    case PTRACE_EVENT_STOP:
        if (signal == SIGTRAP && !is_of_process(it, thread))
            begin_child(it, thread);
        else if (signal == SIGTRAP)
            trace(PTRACE_CONT, thread, 0, 0); /* a new thread, or one that was interrupted */
        else
            trace(PTRACE_LISTEN, thread, 0, 0); /* the process was stopped by somebody */
        return TIME_OVER;
    default:
        break;
    }
    if (signal == SIGTRAP && is_at_breakpoint(it, thread, &registers)) {
        step_back(it, thread, &registers);
        if (it->is_inserted && is_of_process(it, thread)) {
            it->caller = thread;
            return REACHED;
        }
        if (it->is_inserted) { /* a child of vfork: it goes on without being seen again */
            put_text(thread, it->entry, it->original);
            trace(PTRACE_SINGLESTEP, thread, 0, 0);
            if (waitpid(thread, &status, __WALL) == thread && WIFSTOPPED(status))
                put_text(thread, it->entry, TRAP);
        }
        trace(PTRACE_CONT, thread, 0, 0);
        return TIME_OVER;
    }
    trace(PTRACE_CONT, thread, 0, (uintptr_t)signal);
    return TIME_OVER;
}

/* Serves the threads until something happens, or it is time. */
static happening wait_for(guard *it, int64_t deadline)
{
    for (;;) {
        const struct timespec moment = {0, 20000000};
        sigset_t signals;
        int status;
        const pid_t thread = waitpid(-1, &status, __WALL | WNOHANG);
        if (thread < 0)
            return PROCESS_GONE;
        if (thread > 0) {
            const happening what = take_event(it, thread, status);
            if (what != TIME_OVER)
                return what;
            continue;
        }
        struct pollfd client = {it->channel, 0, 0};
        if (!it->caller && poll(&client, 1, 0) > 0)
            return CLIENT_GONE;
        if (now() >= deadline)
            return TIME_OVER;
        sigemptyset(&signals);
        sigaddset(&signals, SIGCHLD);
        sigtimedwait(&signals, NULL, &moment);
    }
}

/* ---- beginning and end ---- */

/* Attaches to a thread, as it runs.  Returns 1 if it is a new one; ends this process if it cannot. */
static int attach(guard *it, pid_t thread)
{
    if (trace(PTRACE_SEIZE, thread, 0, OPTIONS))
        return 1;
    if (errno == ESRCH || (pid_t)read_status(thread, "TracerPid:", 10) == getpid())
        return 0;
    dprintf(it->channel, "<errors><error>%s</error></errors>\n", process_problem(errno));
    _exit(1);
}

/* Whether a thread has one of these signals, not blocked, and has not told so yet. */
static int has_signal(pid_t thread, uint64_t signals)
{
    return (read_status(thread, "SigPnd:", 16) & ~read_status(thread, "SigBlk:", 16) & signals) != 0;
}

/* A thread has met the breakpoint, and has not told so yet: the system does not block that signal. */
static int is_to_trap(pid_t thread) { return has_signal(thread, BIT(SIGTRAP)); }

/* Whether the call of the system that a thread is in, as /proc tells it, makes a thread or a child.  A call of vfork is
 * not meant: it takes until the child executes another program. */
static int is_making(pid_t thread, const char *told)
{
    char *end;
    const long call = strtol(told, &end, 10);
    uint64_t flags = strtoull(end, NULL, 16); /* of clone; where they are, of clone3 */
    if (call == SYS_clone3 && !process_read(thread, flags, &flags, sizeof flags))
        flags = 0;
    return call == SYS_fork || ((call == SYS_clone || call == SYS_clone3) && !(flags & CLONE_VFORK));
}

/* Whether a thread may have met the breakpoint just before it was taken out, or be copying it for a child: it runs, or
 * has the signal, or makes one.  A thread in another call of the system has not, and stays there. */
static int may_have_met(pid_t thread)
{
    char path[64], text[64] = "";
    ssize_t size;
    int file;
    snprintf(path, sizeof path, "/proc/%d/syscall", (int)thread);
    file = open(path, O_RDONLY | O_CLOEXEC);
    size = file < 0 ? -1 : read(file, text, sizeof text - 1);
    if (file >= 0)
        close(file);
    return size <= 0 || *text < '0' || *text > '9' || is_to_trap(thread) || is_making(thread, text);
}

static pid_t interrupted[1 << 16];
static size_t interrupted_count;

static int interrupt(guard *it, pid_t thread)
{
    if (thread == it->caller || interrupted_count == sizeof interrupted / sizeof *interrupted ||
        !may_have_met(thread) || !trace(PTRACE_INTERRUPT, thread, 0, 0))
        return 0;
    interrupted[interrupted_count++] = thread;
    return 1;
}

/* Waits until each thread has left what it did before, and each child that was announced has begun.  What was
 * interrupted is waited for however long it takes: a thread that was let go with the signal of the breakpoint would end
 * the process.  Returns TIME_OVER, or what has become of the process. */
static happening settle(guard *it)
{
    int naps = 20000; /* for children: one that is killed before it begins is not told of */
    happening end = TIME_OVER;
    size_t left;
    interrupted_count = 0;
    for_each_thread(it, interrupt);
    left = interrupted_count;
    while (left || (it->unborn && naps > 0)) {
        const struct timespec moment = {0, 20000};
        int status;
        const pid_t thread = waitpid(-1, &status, __WALL | WNOHANG);
        happening what;
        if (thread < 0)
            return PROCESS_GONE;
        if (thread == 0) {
            nanosleep(&moment, NULL);
            naps--;
            continue;
        }
        for (size_t i = 0; i < interrupted_count; i++) /* any stop takes the place of the one by interruption */
            if (interrupted[i] == thread && (!WIFSTOPPED(status) || !is_to_trap(thread))) {
                interrupted[i] = 0;
                left--;
            }
        what = take_event(it, thread, status);
        if (what == PROCESS_GONE || what == PROCESS_REPLACED) { /* there are no threads to wait for */
            end = what;
            left = 0;
        }
    }
    return end;
}

/* Attaches to all threads.  What they began to make before that is not told of: such a thread is found by looking
 * again, and such a child would copy the breakpoint; so nothing is in the making when this returns. */
static happening attach_to_all(guard *it)
{
    happening what = TIME_OVER;
    while (what == TIME_OVER && for_each_thread(it, attach))
        what = settle(it);
    return what;
}

/* Writes the breakpoint, or says why it cannot. */
static int put_in(guard *it)
{
    it->is_inserted = process_read(it->process, it->entry, &it->original, 1) && it->original != TRAP &&
                      put_text(it->process, it->entry, TRAP);
    if (!it->is_inserted)
        dprintf(it->channel, "<errors><error>the entry of the function: %s</error></errors>\n",
                it->original == TRAP ? "it has a breakpoint of another program" : process_problem(errno));
    return it->is_inserted;
}

/* Takes the breakpoint out, and returns when no thread can have met it unseen, and no child has it. */
static void take_out_for_all(guard *it)
{
    take_out(it);
    (void)settle(it);
}

/* ---- calls ---- */

typedef struct saved_state {
    struct user_regs_struct registers;
    unsigned char extended[16384];
    struct iovec vectors; /* of `extended` */
    uint64_t mask;        /* of signals */
} saved_state;

static int save(pid_t thread, saved_state *to)
{
    to->vectors = (struct iovec){to->extended, sizeof to->extended};
    return trace(PTRACE_GETREGS, thread, 0, (uintptr_t)&to->registers) &&
           trace(PTRACE_GETREGSET, thread, NT_X86_XSTATE, (uintptr_t)&to->vectors) &&
           trace(PTRACE_GETSIGMASK, thread, sizeof to->mask, (uintptr_t)&to->mask);
}

static void restore(pid_t thread, const saved_state *from)
{
    trace(PTRACE_SETREGSET, thread, NT_X86_XSTATE, (uintptr_t)&from->vectors);
    trace(PTRACE_SETREGS, thread, 0, (uintptr_t)&from->registers);
    trace(PTRACE_SETSIGMASK, thread, sizeof from->mask, (uintptr_t)&from->mask);
}

/* Stops the thread that calls, whatever it does and however long it takes: let go in the call, it would return to an
 * address that is none.  If it has returned just before it stops, it has the signal of that still before it. */
static happening stop_caller(guard *it)
{
    trace(PTRACE_INTERRUPT, it->caller, 0, 0);
    for (;;) {
        const struct timespec moment = {0, 100000};
        int status = 0;
        const pid_t thread = waitpid(-1, &status, __WALL | WNOHANG);
        if (thread < 0 || (thread > 0 && !WIFSTOPPED(status) && (thread == it->process || thread == it->caller)))
            return PROCESS_GONE;
        if (thread == it->caller && status >> 16 == PTRACE_EVENT_STOP && has_signal(thread, call_ends))
            trace(PTRACE_CONT, thread, 0, 0);
        else if (thread == it->caller)
            return status >> 16 == PTRACE_EVENT_EXEC ? PROCESS_REPLACED : STOPPED;
        else if (thread > 0)
            (void)take_event(it, thread, status);
        else
            nanosleep(&moment, NULL);
    }
}

/* Lets the thread run a function, which returns to an address that is none. */
static int begin_call(const guard *it, const change *what, const saved_state *saved)
{
    struct user_regs_struct registers = saved->registers;
    const uint64_t nowhere = NOWHERE;
    uint64_t mask = ~call_ends;
    registers.rsp = ((registers.rsp - 128) & ~UINT64_C(15)) - 8;
    registers.rip = what->function;
    registers.rax = 0;
    registers.orig_rax = ~0ULL;
    registers.eflags &= ~0x400ULL; /* the direction flag */
    registers.rdi = (unsigned long long)what->arguments[0];
    registers.rsi = (unsigned long long)what->arguments[1];
    registers.rdx = (unsigned long long)what->arguments[2];
    registers.rcx = (unsigned long long)what->arguments[3];
    registers.r8 = (unsigned long long)what->arguments[4];
    registers.r9 = (unsigned long long)what->arguments[5];
    return process_write(it->process, registers.rsp, &nowhere, sizeof nowhere) &&
           trace(PTRACE_SETREGS, it->caller, 0, (uintptr_t)&registers) &&
           trace(PTRACE_SETSIGMASK, it->caller, sizeof mask, (uintptr_t)&mask) && trace(PTRACE_CONT, it->caller, 0, 0);
}

/* Calls a function in the thread that stands at the entry.  Whatever comes of it, the thread stands there again, unless
 * it has gone. */
static happening call(guard *it, const change *what, const saved_state *saved, int milliseconds, outcome *how)
{
    struct user_regs_struct registers;
    happening end;
    if (!begin_call(it, what, saved)) {
        tell(how, "refused", process_problem(errno));
        restore(it->caller, saved);
        return STOPPED;
    }
    end = wait_for(it, now() + (int64_t)milliseconds * 1000000);
    if (end == TIME_OVER) {
        end = stop_caller(it);
        tell(how, "expired", "it did not return in time, and was given up");
    } else if (end == STOPPED && !WIFSTOPPED(it->status)) {
        end = PROCESS_GONE;
    } else if (end == STOPPED) {
        const int signal = WSTOPSIG(it->status);
        trace(PTRACE_GETREGS, it->caller, 0, (uintptr_t)&registers);
        how->result = (int64_t)registers.rax;
        tell(how, "applied", "");
        if (signal != SIGSEGV || registers.rip != NOWHERE) {
            tell(how, "refused", "");
            snprintf(how->reason, sizeof how->reason, "it ended by signal %d (%s), and was given up", signal,
                     strsignal(signal));
        }
    }
    if (end == STOPPED)
        restore(it->caller, saved);
    else
        tell(how, "refused", end == PROCESS_REPLACED ? "the process executed another program in it"
                                                     : "the process, or the thread, ended in it");
    return end;
}

/* Makes the changes in the thread that has come to the entry. */
static void make_changes(guard *it, const process *in, const change *changes, size_t count, int milliseconds)
{
    static saved_state saved;
    static outcome how[GUARD_CHANGES];
    const int64_t begin = now();
    happening what = STOPPED;
    const int is_saved = save(it->caller, &saved);
    double stopped;
    take_out(it);
    for (size_t i = 0; i < count; i++) {
        if (what != STOPPED)
            tell(&how[i], "refused", "the process has gone");
        else if (!is_saved)
            tell(&how[i], "refused", "the registers cannot be read");
        else if (changes[i].kind == CHANGE_CALL)
            what = call(it, &changes[i], &saved, milliseconds, &how[i]);
        else
            read_or_write(in, &changes[i], &how[i]);
    }
    if (what == STOPPED)
        trace(PTRACE_DETACH, it->caller, 0, 0);
    stopped = (double)(now() - begin) / 1e9;
    for (size_t i = 0; i < count; i++) {
        how[i].stopped = stopped;
        change_report(it->channel, &changes[i], &how[i]);
    }
}

static const char *why_nothing(happening what)
{
    switch (what) {
    case TIME_OVER:
        return "the function was not entered in time; nothing was changed";
    case PROCESS_REPLACED:
        return "the process executed another program; nothing was changed";
    default:
        return "the process has ended; nothing was changed";
    }
}

void guard_run(int channel, const process *in, uint64_t entry, const change *changes, size_t count, int milliseconds)
{
    guard it = {channel, in->id, entry, 0, 0, 0, 0, 0};
    happening what;
    sigset_t all;
    signal(SIGCHLD, SIG_DFL);
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    what = attach_to_all(&it);
    if (what == TIME_OVER && !put_in(&it))
        return;
    if (what == TIME_OVER)
        what = wait_for(&it, now() + (int64_t)milliseconds * 1000000);
    if (what == REACHED)
        make_changes(&it, in, changes, count, milliseconds);
    if (what != PROCESS_GONE)
        take_out_for_all(&it);
    for (size_t i = 0; i < count && what != REACHED && what != CLIENT_GONE; i++) {
        outcome how = {.stopped = -1};
        tell(&how, what == TIME_OVER ? "expired" : "refused", why_nothing(what));
        change_report(channel, &changes[i], &how);
    }
}
#else
void guard_run(int channel, const process *in, uint64_t entry, const change *changes, size_t count, int milliseconds)
{
    (void)in, (void)entry, (void)changes, (void)count, (void)milliseconds;
    dprintf(channel, "<errors><error>--at and --call are for x86-64; without --at, --get and --set work</error>"
                     "</errors>\n");
}
#endif
