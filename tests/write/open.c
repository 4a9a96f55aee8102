/* pajewrite_open and pajewrite_close: the file, calls in any order, and what a signal leaves in it. */
#define _POSIX_C_SOURCE 200809L
#include <sys/uio.h>
#include <unistd.h>
#define pwrite test_pwrite /* a signal may come first */
#define writev test_writev
#define geteuid test_geteuid
static ssize_t test_pwrite(int descriptor, const void *bytes, size_t size, off_t at);
static ssize_t test_writev(int descriptor, const struct iovec *pieces, int count);
static uid_t test_geteuid(void);
#define PAJEWRITE_ZONES 1
#define PAJEWRITE_IMPLEMENTATION
#include "pajewrite.h"
#undef pwrite
#undef writev
#undef geteuid

#include "../lib/expect.h"

#include <errno.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>

static const pajewrite_type THREAD = {1}, STATE = {2};
static const char path[] = "build/write-open.trace", other_path[] = "build/write-open-other.trace";
static const char third_path[] = "build/write-open-third.trace";
static pajewrite_trace trace, other;
static int *volatile nowhere;
static char content[1 << 20];

static void end_case(const char *name) { report("write/open: ", name); }

/* Reads a file; returns how many lines begin with `begin`, or -1 if the file does not end with a whole line. */
static int lines_of(const char *from, const char *begin)
{
    int descriptor = open(from, O_RDONLY), count = 0;
    ssize_t size = descriptor < 0 ? 0 : read(descriptor, content, sizeof content - 1);
    const char *line = content, *next;
    close(descriptor);
    content[size > 0 ? size : 0] = 0;
    for (; (next = strchr(line, '\n')) != NULL; line = next + 1)
        count += strncmp(line, begin, strlen(begin)) == 0;
    return *line || !*content ? -1 : count;
}

static void work(pajewrite *w, int states)
{
    pajewrite_define_container_type(w, THREAD, PAJEWRITE_ROOT_TYPE, "Thread");
    pajewrite_define_state_type(w, STATE, THREAD, "State");
    pajewrite_create_container(w, PAJEWRITE_CONTAINER(1), THREAD, PAJEWRITE_ROOT, "t");
    while (states-- > 0)
        pajewrite_set_state(w, PAJEWRITE_CONTAINER(1), STATE, PAJEWRITE_VALUE(1));
}

/* Returns the next descriptor that the system gives. */
static int next_descriptor(void)
{
    int descriptor = dup(2);
    close(descriptor);
    return descriptor;
}

static void whole_traces(void)
{
    const int free_descriptor = next_descriptor();
    const uint64_t before = pajewrite_monotonic(NULL);
    pajewrite *w;
    memset(&trace, 0xff, sizeof trace); /* memory of any content */
    w = pajewrite_open(&trace, path);
    EXPECT(w == &trace.w && pajewrite_get_status(w) == PAJEWRITE_OK);
    EXPECT(w->config.origin >= before && w->config.origin <= pajewrite_monotonic(NULL));
    work(w, 5000); /* more than a buffer */
    EXPECT(pajewrite_close(&trace) == PAJEWRITE_OK && next_descriptor() == free_descriptor);
    EXPECT(lines_of(path, "%EventDef") > 10 && lines_of(path, "18 ") == 5000 && *content == '%');
    work(w, 1);
    EXPECT(pajewrite_close(&trace) == PAJEWRITE_E_CLOSED && lines_of(path, "18 ") == 5000);
    pajewrite_open(&trace, path); /* again: truncates the file */
    EXPECT(pajewrite_close(&trace) == PAJEWRITE_OK && lines_of(path, "18 ") == 0);
    end_case("a trace, and another one in its place");
}

/* A new file may be read and written by whom the program lets. */
static void permissions(void)
{
    const mode_t before = umask(027);
    struct stat about;
    unlink(path);
    pajewrite_open(&trace, path);
    EXPECT(fstat(trace.file.descriptor, &about) == 0 && (about.st_mode & 07777) == 0640);
    EXPECT(pajewrite_close(&trace) == PAJEWRITE_OK);
    umask(before);
    end_case("permissions of a new file");
}

static void no_files(void)
{
    static const char *const paths[] = {"build/no/such/folder", "build", "", NULL};
    const int free_descriptor = next_descriptor();
    size_t i;
    for (i = 0; i < sizeof paths / sizeof *paths; i++) {
        pajewrite *w = pajewrite_open(&trace, paths[i]);
        work(w, 5000);
        EXPECT(w == &trace.w && pajewrite_count(w).written == 0);
        EXPECT(pajewrite_close(&trace) == PAJEWRITE_E_SINK && next_descriptor() == free_descriptor);
    }
    pajewrite_open(&trace, path);
    close(trace.file.descriptor); /* by a program that closes all */
    EXPECT(pajewrite_close(&trace) == PAJEWRITE_E_SINK);
    pajewrite_open(&trace, path);
    EXPECT(pajewrite_flush(&trace.w) == PAJEWRITE_OK);
    close(trace.file.descriptor);
    EXPECT(pajewrite_close(&trace) == PAJEWRITE_E_SINK); /* nothing is left to write: closing fails */
    end_case("files that cannot be written");
}

/* The file of a program without standard input does not become that. */
static void without_input(void)
{
    const int in = dup(0);
    close(0);
    work(pajewrite_open(&trace, path), 10);
    EXPECT(fcntl(0, F_GETFD) < 0 && pajewrite_close(&trace) == PAJEWRITE_OK);
    if (in >= 0)
        dup2(in, 0);
    close(in);
    end_case("no standard input");
}

/* Calls that a program should not make close no descriptor of others and go round in no circle. */
static void any_order(void)
{
    static pajewrite_trace zeros;
    int i;
    int in = dup(2);
    if (in > 0)
        dup2(in, 0); /* descriptor 0 is open */
    EXPECT(pajewrite_close(&zeros) == PAJEWRITE_OK && fcntl(0, F_GETFD) != -1);
    close(in);
    pajewrite_open(&trace, path);
    pajewrite_close(&trace);
    in = dup(2); /* which has the number of the trace's */
    EXPECT(pajewrite_close(&trace) == PAJEWRITE_OK && fcntl(in, F_GETFD) != -1);
    close(in);
    pajewrite_open(&other, other_path);
    pajewrite_open(&trace, path);
    in = trace.file.descriptor;
    pajewrite_open(&trace, path); /* twice */
    close(in);
    alarm(20);
    work(&other.w, 10);
    work(&trace.w, 10);
    EXPECT(pajewrite_close(&other) == PAJEWRITE_OK && pajewrite_close(&trace) == PAJEWRITE_OK);
    for (i = 0; i < 3; i++) { /* the list is as it was */
        pajewrite_open(i ? &trace : &other, i ? path : other_path);
        work(i ? &trace.w : &other.w, 10);
        EXPECT(pajewrite_close(i ? &trace : &other) == PAJEWRITE_OK);
    }
    alarm(0);
    EXPECT(lines_of(path, "18 ") == 10 && lines_of(other_path, "18 ") == 10);
    end_case("closed without opening, closed twice, opened twice");
}

/* ---- signals, in children: each has two traces of 10 states in their buffers when it comes */

enum { BY_FAULT = 1000, BY_ABORT };

static void leave(int number)
{
    (void)number;
    _exit(77);
}

static void ignore(int number) { (void)number; }

static int signal_before_write;

static ssize_t test_pwrite(int descriptor, const void *bytes, size_t size, off_t at)
{
    if (signal_before_write)
        raise(signal_before_write);
    return pwrite(descriptor, bytes, size, at);
}

static ssize_t test_writev(int descriptor, const struct iovec *pieces, int count)
{
    if (signal_before_write)
        raise(signal_before_write);
    return writev(descriptor, pieces, count);
}

/* A signal ends the process within the delivery of some lines, before they are written: each is in the file once. */
static void within_a_delivery(int by_zones)
{
    int status = 0, i;
    pid_t child;
    unlink(path);
    fflush(stdout);
    child = fork();
    if (child == 0) {
        alarm(20);
        pajewrite_flush_at_signals();
        if (by_zones)
            pajewrite_begin(path);
        else
            work(pajewrite_open(&trace, path), 10);
        for (i = 0; i < 10 && by_zones; i++)
            PAJEWRITE_MARK("mark");
        signal_before_write = SIGTERM;
        pajewrite_flush(by_zones ? pajewrite_here() : &trace.w);
        _exit(78);
    }
    waitpid(child, &status, 0);
    EXPECT(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
    EXPECT(lines_of(path, by_zones ? "22 " : "18 ") == 10);
    end_case(by_zones ? "a signal within a delivery of zones" : "a signal within a delivery");
}

/* `before`: the handler that the program had; `delivering`: whether the signal comes within a delivery. */
static int end_by(int number, void (*before)(int), int delivering)
{
    int status = 0;
    pid_t child;
    unlink(path);
    unlink(other_path);
    fflush(stdout);
    child = fork();
    if (child == 0) {
        int fault_number = number == BY_FAULT ? SIGSEGV : number == BY_ABORT ? SIGABRT : number;
        alarm(20);
        signal(fault_number, before);
        pajewrite_flush_at_signals();
        pajewrite_flush_at_signals(); /* twice: the first handlers are kept */
        work(pajewrite_open(&other, other_path), 10);
        work(pajewrite_open(&trace, path), 10);
        trace.delivering = delivering;
        if (number == BY_FAULT)
            *nowhere = 1;
        else if (number == BY_ABORT)
            abort();
        else
            raise(number);
        _exit(78);
    }
    waitpid(child, &status, 0);
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

static void signals(void)
{
    static const int numbers[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGXCPU};
    size_t i;
    int status;
    for (i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        status = end_by(numbers[i], SIG_DFL, 0);
        if (status != -numbers[i])
            fail("signal %d: ends with %d", numbers[i], status);
        if (lines_of(path, "18 ") != 10 || lines_of(other_path, "18 ") != 10)
            fail("signal %d: %d and %d lines", numbers[i], lines_of(path, "18 "), lines_of(other_path, "18 "));
    }
    EXPECT(end_by(BY_FAULT, SIG_DFL, 0) == -SIGSEGV && lines_of(path, "18 ") == 10);
    EXPECT(end_by(BY_ABORT, SIG_DFL, 0) == -SIGABRT && lines_of(path, "18 ") == 10);
    /* The program's own handlers: those of faults are called after, others are left alone. */
    EXPECT(end_by(SIGSEGV, leave, 0) == 77 && lines_of(path, "18 ") == 10 && lines_of(other_path, "18 ") == 10);
    EXPECT(end_by(BY_FAULT, leave, 0) == 77 && lines_of(path, "18 ") == 10);
    EXPECT(end_by(SIGTERM, leave, 0) == 77 && lines_of(path, "18 ") < 0);
    EXPECT(end_by(SIGHUP, SIG_IGN, 0) == 78 && lines_of(path, "18 ") < 0);
    EXPECT(end_by(SIGTERM, ignore, 0) == 78 && lines_of(path, "18 ") < 0);
    /* In the midst of a delivery of the one, the other is written. */
    EXPECT(end_by(SIGSEGV, leave, 1) == 77 && lines_of(path, "18 ") < 0 && lines_of(other_path, "18 ") == 10);
    end_case("signals that end the process");
}

/* Files must not become as long as the trace: the program goes on. */
static void limited_size(int by_zones)
{
    int status = 0, i;
    pid_t child;
    unlink(path);
    fflush(stdout);
    child = fork();
    if (child == 0) {
        struct rlimit limit = {1 << 17, 1 << 17};
        alarm(20);
        setrlimit(RLIMIT_FSIZE, &limit);
        if (by_zones)
            pajewrite_begin(path);
        else
            work(pajewrite_open(&trace, path), 20000);
        for (i = 0; i < 20000 && by_zones; i++)
            PAJEWRITE_MARK("mark");
        status = (int)(by_zones ? pajewrite_end() : pajewrite_close(&trace));
        _exit(status == PAJEWRITE_E_SINK ? 0 : 78);
    }
    waitpid(child, &status, 0);
    EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    EXPECT(lines_of(path, by_zones ? "22 " : "18 ") > 1000);
    end_case(by_zones ? "a limit of the size of files, by zones" : "a limit of the size of files");
}

/* Calls that are refused: the trace has all others, of this thread and of those that end after it. */
static void refused_by_zones(void)
{
    static char name[40000];
    pajewrite_place longer = {name, 0, 0};
    double zero = 0;
    int i, way;
    memset(name, 'n', sizeof name - 1);
    for (way = 0; way < 3; way++) {
        EXPECT(pajewrite_begin(path) == PAJEWRITE_OK);
        for (i = 0; i < 5000; i++) {
            PAJEWRITE_MARK("mark");
            if (i == 10 && way == 0)
                PAJEWRITE_PLOT("plot", zero / zero);
            else if (i == 10 && way == 1)
                PAJEWRITE_PLOT_SHARED("plot of all", zero / zero);
            else if (i == 10)
                pajewrite__mark(&longer);
        }
        EXPECT(pajewrite_end() == (way < 2 ? PAJEWRITE_E_NUMBER : PAJEWRITE_E_TOO_LONG));
        EXPECT(lines_of(path, "22 ") == 5000 && lines_of(path, "17 ") == 2);
    }
    end_case("calls that are refused, by zones");
}

static int has_other_rights;
static uid_t test_geteuid(void) { return geteuid() + (uid_t)has_other_rights; }

/* A set-user-ID program writes where it wants to, not where who starts it wants it to. */
static void environment(void)
{
    for (has_other_rights = 0; has_other_rights < 2; has_other_rights++) {
        unlink(path);
        unlink(other_path);
        setenv("PAJEWRITE_TRACE", other_path, 1);
        EXPECT(pajewrite_begin(path) == PAJEWRITE_OK);
        EXPECT(pajewrite_end() == PAJEWRITE_OK);
        EXPECT((access(path, F_OK) == 0) == has_other_rights && (access(other_path, F_OK) == 0) != has_other_rights);
    }
    unsetenv("PAJEWRITE_TRACE");
    has_other_rights = 0;
    end_case("the environment of programs with other rights");
}

static sigjmp_buf recovered;

static void recover(int number)
{
    (void)number;
    siglongjmp(recovered, 1);
}

/* A program whose handler of faults lets it go on, as those of virtual machines do.  Each state or mark is in the file
 * once, whichever way the process ends. */
static void faults_that_are_handled(int by_zones, int is_killed)
{
    int status = 0;
    pid_t child;
    unlink(path);
    fflush(stdout);
    child = fork();
    if (child == 0) {
        volatile int i;
        alarm(20);
        signal(SIGSEGV, recover);
        pajewrite_flush_at_signals();
        if (by_zones)
            pajewrite_begin(path);
        else
            work(pajewrite_open(&trace, path), 0);
        for (i = 0; i < 6000; i++) {
            if (by_zones)
                PAJEWRITE_MARK("mark");
            else
                pajewrite_set_state(&trace.w, PAJEWRITE_CONTAINER(1), STATE, PAJEWRITE_VALUE(1));
            if (i == 5999 && is_killed)
                raise(SIGTERM);
            if (i == 4500 && sigsetjmp(recovered, 1) == 0)
                *nowhere = 1;
            if (i == 4500 && lines_of(path, by_zones ? "22 " : "18 ") != 4501) /* at the fault */
                _exit(76);
        }
        _exit((int)(by_zones ? pajewrite_end() : pajewrite_close(&trace)));
    }
    waitpid(child, &status, 0);
    EXPECT(is_killed ? WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM : WIFEXITED(status) && !WEXITSTATUS(status));
    EXPECT(lines_of(path, by_zones ? "22 " : "18 ") == 6000);
    end_case(!is_killed ? (by_zones ? "a fault that is handled, by zones" : "a fault that is handled")
             : by_zones ? "a fault that is handled, and SIGTERM, by zones"
                        : "a fault that is handled, and SIGTERM");
}

/* A signal ends a program whose trace goes to a pipe that is full, and has taken none of the lines in the buffer. */
static void full_pipe(void)
{
    static char bytes[4096];
    int ends[2], status = 0, waits;
    pid_t child;
    EXPECT(pipe(ends) == 0);
    fflush(stdout);
    child = fork();
    if (child == 0) {
        char name[32];
        snprintf(name, sizeof name, "/dev/fd/%d", ends[1]);
        alarm(20);
        pajewrite_flush_at_signals();
        work(pajewrite_open(&trace, name), 10);
        fcntl(ends[1], F_SETFL, O_NONBLOCK);
        while (write(ends[1], bytes, sizeof bytes) > 0)
            ;
        fcntl(ends[1], F_SETFL, 0);
        raise(SIGTERM);
        _exit(78);
    }
    for (waits = 0; waits < 1000 && waitpid(child, &status, WNOHANG) == 0; waits++)
        pajewrite__sleep(10000000);
    EXPECT(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
    kill(child, SIGKILL);
    close(ends[0]);
    close(ends[1]);
    end_case("a signal ends a program whose trace goes to a pipe that is full");
}

/* Counts the lines in a piece of a trace that begin with 18, as those of states do.  `*state`: 1: what comes begins a
 * line; 2: it is behind the first digit. */
static int count_states(const char *bytes, size_t size, int *state)
{
    int count = 0;
    size_t i;
    for (i = 0; i < size; i++) {
        count += *state == 2 && bytes[i] == '8';
        *state = bytes[i] == '\n' ? 1 : *state == 1 && bytes[i] == '1' ? 2 : 0;
    }
    return count;
}

/* A fault that the program handles, while the pipe has room for the lines, or for some of them only, for longer than
 * the handler waits: each line is read once. */
static void faults_and_pipes(int is_full)
{
    static char bytes[1 << 16];
    int ends[2], count = 0, state = 1;
    ssize_t size;
    pid_t child;
    EXPECT(pipe(ends) == 0);
    fflush(stdout);
    child = fork();
    if (child == 0) {
        char name[32];
        snprintf(name, sizeof name, "/dev/fd/%d", ends[1]);
        alarm(20);
        close(ends[0]);
        signal(SIGSEGV, recover);
        pajewrite_flush_at_signals();
        memset(bytes, '\n', sizeof bytes);
        if (is_full && write(ends[1], bytes, sizeof bytes - 8192) < 0)
            _exit(78);
        work(pajewrite_open(&trace, name), 1500);
        close(ends[1]);
        if (sigsetjmp(recovered, 1) == 0)
            *nowhere = 1;
        _exit((int)pajewrite_close(&trace));
    }
    close(ends[1]);
    if (is_full) {
        pajewrite__sleep(999999999);
        pajewrite__sleep(500000000);
    }
    while ((size = read(ends[0], bytes, sizeof bytes)) > 0)
        count += count_states(bytes, (size_t)size, &state);
    EXPECT(count == 1500 && waitpid(child, &count, 0) == child && count == 0);
    close(ends[0]);
    end_case(is_full ? "a fault that is handled, and a pipe that is full meanwhile"
                     : "a fault that is handled, and a pipe");
}

static void go_on(int number) { (void)number; }

/* A thread may be cancelled after a signal that the program handles, as before. */
static void cancel_after_fault(void)
{
    int status;
    pid_t child;
    fflush(stdout);
    child = fork();
    if (child == 0) {
        signal(SIGSEGV, go_on);
        pajewrite_flush_at_signals();
        work(pajewrite_open(&trace, path), 10);
        raise(SIGSEGV);
        pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &status);
        _exit(pajewrite_close(&trace) != PAJEWRITE_OK || status != PTHREAD_CANCEL_ENABLE);
    }
    EXPECT(waitpid(child, &status, 0) == child && status == 0);
    end_case("a thread may be cancelled after a signal that is handled");
}

static void *fault_meanwhile(void *data)
{
    if (sigsetjmp(recovered, 1) == 0)
        *nowhere = 1;
    pause();
    return data;
}

/* A signal ends the program while another thread is in the handler of a fault, which waits for a pipe, after it has
 * written the lines of a file: so are those that came since. */
static void ended_in_a_fault(void)
{
    static char bytes[4096];
    int ends[2], status = 0;
    pid_t child;
    EXPECT(pipe(ends) == 0);
    fflush(stdout);
    child = fork();
    if (child == 0) {
        char name[32];
        pthread_t thread;
        alarm(20);
        signal(SIGSEGV, recover);
        pajewrite_flush_at_signals();
        snprintf(name, sizeof name, "/dev/fd/%d", ends[1]);
        work(pajewrite_open(&other, name), 10);
        fcntl(ends[1], F_SETFL, O_NONBLOCK);
        while (write(ends[1], bytes, sizeof bytes) > 0)
            ;
        work(pajewrite_open(&trace, path), 10);
        if (pthread_create(&thread, NULL, fault_meanwhile, NULL))
            _exit(78);
        while (lines_of(path, "18 ") != 10)
            pajewrite__sleep(1000000);
        pajewrite_set_state(&trace.w, PAJEWRITE_CONTAINER(1), STATE, PAJEWRITE_VALUE(1));
        raise(SIGTERM);
        _exit(79);
    }
    waitpid(child, &status, 0);
    EXPECT(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM && lines_of(path, "18 ") == 11);
    close(ends[0]);
    close(ends[1]);
    end_case("a signal ends a program while another thread handles a fault");
}

/* After the last delivery, by a signal that ends the program, nothing more is written, and none waits for it. */
static void after_the_last_delivery(void)
{
    pajewrite_open(&trace, path);
    work(&trace.w, 10);
    pajewrite_flush(&trace.w);
    work(&trace.w, 10);
    PAJEWRITE__PUBLISH(int, trace.delivering, PAJEWRITE__LAST_DELIVERY);
    alarm(20);
    EXPECT(pajewrite_flush(&trace.w) == PAJEWRITE_E_CLOSED && lines_of(path, "18 ") == 10);
    alarm(0);
    EXPECT(pajewrite_close(&trace) == PAJEWRITE_E_CLOSED);
    end_case("after the last delivery");
}

static void *deliver_late(void *data)
{
    pajewrite__sleep(200000000);
    PAJEWRITE__PUBLISH(int, trace.delivering, PAJEWRITE__IDLE);
    return data;
}

/* SIGTERM ends a child that has two traces, the one of `path` in a delivery, while another thread goes on. */
static void end_beside(void *(*other_thread)(void *))
{
    int status = 0;
    pid_t child;
    fflush(stdout);
    child = fork();
    if (child == 0) {
        pthread_t thread;
        alarm(20);
        pajewrite_flush_at_signals();
        work(pajewrite_open(&other, other_path), 10);
        work(pajewrite_open(&trace, path), 10); /* the handler comes to it first */
        PAJEWRITE__PUBLISH(int, trace.delivering, 1);
        if (pthread_create(&thread, NULL, other_thread, NULL))
            _exit(78);
        raise(SIGTERM);
        _exit(79);
    }
    waitpid(child, &status, 0);
    EXPECT(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
    EXPECT(lines_of(path, "18 ") == 10 && lines_of(other_path, "18 ") == 10);
}

/* A signal ends a program while another thread delivers to a file: the handler waits for that, and writes the rest. */
static void ended_in_a_delivery(void)
{
    end_beside(deliver_late);
    end_case("a signal ends a program while another thread delivers to a file");
}

static void *change_file_late(void *data)
{
    pajewrite__sleep(100000000);
    EXPECT(pajewrite_close(&other) == PAJEWRITE_OK);
    work(pajewrite_open(&other, third_path), 10000); /* more than the buffer holds */
    pajewrite__sleep(100000000);
    return deliver_late(data);
}

/* A signal ends a program, and while the handler waits, another thread closes its trace and opens the next one, which
 * the handler does not come to: what is closed is whole, and the process does not end within a delivery of the next. */
static void ended_beside_a_change_of_files(void)
{
    end_beside(change_file_late);
    EXPECT(lines_of(third_path, "18 ") == -1 && !*content);
    unlink(third_path);
    end_case("a signal ends a program while another thread goes on in another file");
}

/* A signal ends a program in the midst of a delivery to a pipe that is slow: its lines up to then are read. */
static void slow_pipe(void)
{
    static char bytes[1 << 16];
    int ends[2], status = 0, count = 0, state = 1, is_ended = 0;
    ssize_t size;
    pid_t child;
    EXPECT(pipe(ends) == 0);
    fflush(stdout);
    child = fork();
    if (child == 0) {
        char name[32];
        snprintf(name, sizeof name, "/dev/fd/%d", ends[1]);
        alarm(20);
        close(ends[0]);
        pajewrite_flush_at_signals();
        work(pajewrite_open(&trace, name), 10000); /* more than fits the pipe and the buffer */
        _exit(78);
    }
    close(ends[1]);
    while ((size = read(ends[0], bytes, 4096)) > 0) {
        count += count_states(bytes, (size_t)size, &state);
        if (!is_ended++) {
            pajewrite__sleep(200000000);
            kill(child, SIGTERM);
        }
    }
    waitpid(child, &status, 0);
    EXPECT(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
    EXPECT(count > 4500); /* the pipe and the buffer hold 64 KB each, of lines with 24 bytes */
    close(ends[0]);
    end_case("a signal within a delivery to a pipe");
}

/* A child has a copy of the lines in the buffer, which are its parent's. */
static void forked_pipe(void)
{
    static char bytes[4096];
    int ends[2], status = 0;
    char name[32];
    ssize_t size;
    pid_t child;
    EXPECT(pipe(ends) == 0);
    snprintf(name, sizeof name, "/dev/fd/%d", ends[1]);
    work(pajewrite_open(&trace, name), 10);
    fflush(stdout);
    child = fork();
    if (child == 0)
        _exit(pajewrite_close(&trace) != PAJEWRITE_E_FORKED);
    waitpid(child, &status, 0);
    EXPECT(status == 0 && pajewrite_close(&trace) == PAJEWRITE_OK);
    size = read(ends[0], bytes, sizeof bytes - 1);
    bytes[size > 0 ? size : 0] = 0;
    EXPECT(strstr(bytes, "\n18 ") && !strstr(strstr(bytes, "\n18 "), "%EventDef")); /* one header */
    close(ends[0]);
    close(ends[1]);
    end_case("a child process, and a pipe");
}

/* A signal with a handler comes while a FIFO is opened that none reads yet. */
static void interrupted_opening(void)
{
    static const char fifo[] = "build/write-open.fifo";
    struct sigaction action;
    pid_t child;
    memset(&action, 0, sizeof action);
    action.sa_handler = ignore; /* without SA_RESTART */
    sigaction(SIGUSR1, &action, NULL);
    unlink(fifo);
    EXPECT(mkfifo(fifo, 0600) == 0);
    child = fork();
    if (child == 0) {
        int descriptor, i;
        for (i = 0; i < 5; i++) {
            pajewrite__sleep(20000000);
            kill(getppid(), SIGUSR1);
        }
        pajewrite__sleep(20000000);
        descriptor = open(fifo, O_RDONLY | O_NONBLOCK);
        for (i = 0; i < 1000 && read(descriptor, content, sizeof content) <= 0; i++)
            pajewrite__sleep(1000000);
        _exit(i == 1000);
    }
    work(pajewrite_open(&trace, fifo), 10);
    EXPECT(pajewrite_close(&trace) == PAJEWRITE_OK);
    if (child > 0) {
        int status = 1;
        EXPECT(waitpid(child, &status, 0) == child && status == 0);
    }
    unlink(fifo);
    signal(SIGUSR1, SIG_DFL);
    end_case("a signal while a FIFO waits for its reader");
}

/* A signal that stands for a fault is sent to a program that handles it, and has system calls go on after it. */
static void restarted_call(void)
{
    int ends[2], status = 1;
    pid_t child, sender;
    EXPECT(pipe(ends) == 0);
    child = fork();
    if (child == 0) {
        struct sigaction action;
        char byte;
        memset(&action, 0, sizeof action);
        action.sa_handler = ignore;
        action.sa_flags = SA_RESTART;
        sigaction(SIGABRT, &action, NULL);
        pajewrite_flush_at_signals();
        alarm(20);
        sender = fork();
        if (sender == 0) {
            pajewrite__sleep(100000000);
            kill(getppid(), SIGABRT);
            pajewrite__sleep(100000000);
            _exit(write(ends[1], "x", 1) != 1);
        }
        _exit(read(ends[0], &byte, 1) != 1);
    }
    EXPECT(child > 0 && waitpid(child, &status, 0) == child && status == 0);
    close(ends[0]);
    close(ends[1]);
    end_case("a system call goes on after a signal that is handled so");
}

/* A trace whose pipe the program has closed, and opened another one by its number: nothing is written there. */
static void other_pipe(void)
{
    int ends[2], others[2], status = 0;
    char byte;
    pid_t child;
    EXPECT(pipe(ends) == 0 && pipe(others) == 0);
    fflush(stdout);
    child = fork();
    if (child == 0) {
        char name[32];
        snprintf(name, sizeof name, "/dev/fd/%d", ends[1]);
        alarm(20);
        pajewrite_flush_at_signals();
        work(pajewrite_open(&trace, name), 10);
        if (dup2(others[1], trace.file.descriptor) < 0)
            _exit(78);
        raise(SIGTERM);
        _exit(79);
    }
    waitpid(child, &status, 0);
    close(others[1]);
    EXPECT(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM && read(others[0], &byte, 1) == 0);
    close(others[0]);
    close(ends[0]);
    close(ends[1]);
    end_case("a signal, and a pipe in place of that of the trace");
}

int main(void)
{
    whole_traces();
    permissions();
    no_files();
    without_input();
    any_order();
    signals();
    within_a_delivery(0);
    within_a_delivery(1);
    faults_that_are_handled(0, 0);
    faults_that_are_handled(0, 1);
    faults_that_are_handled(1, 0);
    faults_that_are_handled(1, 1);
    full_pipe();
    faults_and_pipes(0);
    faults_and_pipes(1);
    cancel_after_fault();
    ended_in_a_fault();
    after_the_last_delivery();
    ended_in_a_delivery();
    ended_beside_a_change_of_files();
    slow_pipe();
    forked_pipe();
    other_pipe();
    interrupted_opening();
    restarted_call();
    limited_size(0);
    limited_size(1);
    refused_by_zones();
    environment();
    unlink(path);
    unlink(other_path);
    return failed != 0;
}
