/* A program to be traced, which ends in many ways.  It prints the same with and without a tracer.
 * usage: program CASE [NUMBER] */
#define _GNU_SOURCE
#include "trace/control.h"
#include "trace/pajetrace.h"

#include "program.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

/* ---- threads */

static void *meet(void *data)
{
    sleep_for(10);
    pthread_barrier_wait(&barrier);
    return data;
}

static int at_once(void)
{
    pthread_t *threads = calloc((size_t)number, sizeof *threads);
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 65536);
    pthread_barrier_init(&barrier, NULL, (unsigned)number + 1);
    for (long i = 0; i < number; i++)
        need(pthread_create(&threads[i], &small, meet, NULL) == 0, "pthread_create");
    pthread_barrier_wait(&barrier);
    for (long i = 0; i < number; i++)
        pthread_join(threads[i], NULL);
    free(threads);
    puts("met");
    return 0;
}

static void *write_a_byte(void *data)
{
    need(write(pipes[1], "x", 1) == 1, "write");
    return data;
}

static int in_turn(void)
{
    char byte;
    for (long i = 0; i < number; i++) {
        pthread_join(start(write_a_byte, NULL), NULL);
        need(read(pipes[0], &byte, 1) == 1, "read");
    }
    puts("done");
    return 0;
}

static int run_c11(void *data)
{
    return *(int *)data;
}

static void *take_lock(void *data)
{
    pthread_mutex_lock(&lock);
    pthread_cond_signal(&condition);
    pthread_mutex_unlock(&lock);
    return data;
}

/* Returns when a thread waits for the mutex, as glibc marks it; after 10 s in any case. */
static void wait_for_waiter(const pthread_mutex_t *mutex)
{
    const time_t end = time(NULL) + 10;
    while (*(volatile const int *)&mutex->__data.__lock != 2 && time(NULL) < end)
        sched_yield();
}

static int waits(void)
{
    struct timespec soon;
    pthread_t thread;
    sem_t semaphore;
    thrd_t other;
    int result = 7;
    sem_init(&semaphore, 0, 1);
    sem_wait(&semaphore); /* which is not recorded, as it does not wait */
    clock_gettime(CLOCK_REALTIME, &soon);
    sem_timedwait(&semaphore, &soon);
    pthread_mutex_lock(&lock);
    thread = start(take_lock, NULL);
    sleep_for(1000);
    wait_for_waiter(&lock);
    pthread_cond_wait(&condition, &lock);
    clock_gettime(CLOCK_REALTIME, &soon);
    soon.tv_nsec = (soon.tv_nsec + 1000000) % 1000000000;
    result += pthread_cond_timedwait(&condition, &lock, &soon) == 0;
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    need(thrd_create(&other, run_c11, &result) == thrd_success, "thrd_create");
    thrd_join(other, &result);
    printf("%d\n", result);
    return 0;
}

/* A process with one thread waits for a mutex that its child has. */
static int shared_lock(void)
{
    pthread_mutex_t *shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pthread_mutexattr_t attributes;
    char byte = 'x';
    need(shared != MAP_FAILED, "mmap");
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_mutex_init(shared, &attributes);
    pthread_mutex_lock(shared); /* which is not recorded, as it does not wait */
    pthread_mutex_unlock(shared);
    if (fork() == 0) {
        pthread_mutex_lock(shared);
        need(write(pipes[1], &byte, 1) == 1, "write");
        wait_for_waiter(shared);
        pthread_mutex_unlock(shared);
        _exit(0);
    }
    need(read(pipes[0], &byte, 1) == 1, "read");
    pthread_mutex_lock(shared);
    pthread_mutex_unlock(shared);
    wait(NULL);
    return 0;
}

static void *name_itself(void *data)
{
    pthread_setname_np(pthread_self(), data);
    return data;
}

static int names(void)
{
    pthread_t other;
    static char one[] = "first", two[] = "a \"quote\"", three[] = "fifteen letters";
    pthread_join(start(name_itself, one), NULL);
    pthread_join(start(name_itself, two), NULL);
    pthread_join(start(name_itself, three), NULL);
    pthread_barrier_init(&barrier, NULL, 2);
    other = start(meet, NULL);
    pthread_setname_np(other, "by another");
    pthread_barrier_wait(&barrier);
    pthread_join(other, NULL);
    puts("named");
    return 0;
}

static void *name_states(void *data)
{
    for (int i = 0; i < 100; i++) {
        char name[24];
        unsigned outer = pajetrace_begin("outer"), inner;
        snprintf(name, sizeof name, "inner %d", i % 10);
        inner = pajetrace_begin(name);
        pajetrace_begin("forgotten");
        if (i % 2)
            pajetrace_end(inner);
        pajetrace_end(outer);
        pajetrace_mark("turn");
        pajetrace_set("number", i / 2.0);
    }
    return data;
}

static int user(void)
{
    pthread_t threads[8];
    unsigned around = pajetrace_begin("around");
    for (int i = 0; i < 8; i++)
        threads[i] = start(name_states, NULL);
    for (int i = 0; i < 8; i++)
        pthread_join(threads[i], NULL);
    if (fork() == 0) {
        pajetrace_end(around); /* it is the parent's */
        name_states(NULL);
        return 0;
    }
    wait(NULL);
    for (int i = 0; i < 2000; i++) { /* there is no room for so many names */
        char name[24];
        snprintf(name, sizeof name, "mark %d", i);
        pajetrace_mark(name);
    }
    pajetrace_end(around);
    puts("named");
    return 0;
}

/* ---- ends of threads */

static void *read_for_ever(void *data)
{
    char byte;
    if (read(pipes[0], &byte, 1) == 1)
        puts("a byte");
    return data;
}

static void unlock(void *data)
{
    pthread_mutex_unlock(data);
}

static void *wait_for_ever(void *data)
{
    pthread_mutex_lock(&lock);
    pthread_cleanup_push(unlock, &lock);
    for (;;)
        pthread_cond_wait(&condition, &lock);
    pthread_cleanup_pop(1);
    return data;
}

static sem_t semaphore; /* which is free, so that no thread waits for it */
static void *take_for_ever(void *data)
{
    while (sem_wait(&semaphore) == 0)
        sem_post(&semaphore);
    return data;
}

static void *exit_at_once(void *data)
{
    pthread_exit(data);
}

static pthread_key_t own_key;
static void write_at_end(void *data)
{
    (void)data;
    need(write(pipes[1], "y", 1) == 1, "write");
}

static void *with_key(void *data)
{
    pthread_setspecific(own_key, data);
    return data;
}

static int cancel(void)
{
    void *(*const functions[])(void *) = {read_for_ever, wait_for_ever, take_for_ever};
    sem_init(&semaphore, 0, 1);
    alarm(60); /* a thread that goes on all the same would be waited for for ever */
    for (long i = 0; i < number; i++) {
        pthread_t thread = start(functions[i % 3], NULL);
        void *result;
        if (i % 4)
            sleep_for(500);
        pthread_cancel(thread);
        pthread_join(thread, &result);
        need(result == PTHREAD_CANCELED, "result");
        pthread_join(start(exit_at_once, NULL), NULL);
    }
    pthread_key_create(&own_key, write_at_end);
    pthread_join(start(with_key, &number), NULL);
    puts("cancelled");
    return 0;
}

static jmp_buf back;
static void jump_back(int signal)
{
    (void)signal;
    siglongjmp(back, 1);
}

static int jump(void)
{
    struct itimerval soon = {{0, 0}, {0, 5000}}; /* so long that it waits by then, also on a busy machine */
    volatile long i;
    signal(SIGALRM, jump_back);
    for (i = 0; i < number; i++) {
        char byte;
        if (!sigsetjmp(back, 1)) {
            setitimer(ITIMER_REAL, &soon, NULL);
            need(read(pipes[0], &byte, 1) < 0, "read");
        }
        sleep_for(1);
    }
    puts("jumped");
    return 0;
}

/* ---- processes */

static void *wait_here(void *data)
{
    pause();
    return data;
}

static int fork_threads(void)
{
    int status;
    start(wait_here, NULL);
    start(wait_here, NULL);
    fflush(stdout);
    for (long i = 0; i < number; i++) {
        pid_t child = fork();
        if (child == 0) {
            memset(arguments[0], 'x', strlen(arguments[0])); /* as programs do whose title changes */
            pthread_join(start(write_a_byte, NULL), NULL);
            if (i % 2)
                _exit(4);
            exit(4);
        }
        need(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 4, "waitpid");
    }
    puts("forked");
    return 0;
}

/* A child that calls nothing of the C library outlives its parent. */
static int idle_child(void)
{
    struct timespec time = {4, 0};
    puts("forked");
    fflush(stdout);
    if (fork() == 0) {
        syscall(SYS_close, 1);
        syscall(SYS_close, 2);
        syscall(SYS_nanosleep, &time, NULL);
        syscall(SYS_exit_group, 0);
    }
    return 0;
}

static void *work_for_long(void *data)
{
    struct timespec now, end;
    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_sec += 2;
    do {
        pthread_join(start(name_itself, (void *)(uintptr_t)"worker"), NULL);
        sleep_for(1);
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while (now.tv_sec < end.tv_sec);
    return data;
}

/* A child with threads that outlives its parent and goes on working. */
static int working_child(void)
{
    puts("forked");
    fflush(stdout);
    if (fork() == 0) {
        pthread_t other = start(work_for_long, NULL);
        close(1);
        close(2);
        work_for_long(NULL);
        pthread_join(other, NULL);
        return 0;
    }
    sleep_for(60000);
    return 0;
}

static int write_many(void *times)
{
    for (int i = 0; i < *(int *)times; i++)
        need(write(pipes[1], "z", 1) == 1 && read(pipes[0], &(char){0}, 1) == 1, "a pipe");
    return 0;
}

/* Children that are made without the handlers of forks. */
static int copies(void)
{
    int status, times[] = {100, 90};
    char *stack = malloc(1 << 16);
    pid_t child = clone(write_many, stack + (1 << 16), SIGCHLD, &times[0]);
    need(waitpid(child, &status, 0) == child && status == 0, "clone");
#if __GLIBC_PREREQ(2, 34)
    child = _Fork();
    if (child == 0)
        _exit(write_many(&times[0]));
#else
    child = clone(write_many, stack + (1 << 16), SIGCHLD, &times[0]);
#endif
    need(waitpid(child, &status, 0) == child && status == 0, "_Fork");
    free(stack);
    return write_many(&times[1]);
}

static int spawn(void)
{
    int status;
    fflush(stdout);
    for (long i = 0; i < number; i++) {
        pid_t child = vfork();
        if (child == 0) {
            need(write(pipes[1], "z", 1) == 1, "write");
            execlp("true", "true", (char *)NULL);
            _exit(1);
        }
        need(waitpid(child, &status, 0) == child && status == 0, "waitpid");
    }
    need(system("exit 3") >> 8 == 3, "system");
    puts("spawned");
    return 0;
}

static int execute(void)
{
    char left[24];
    if (number == 0) {
        puts("executed");
        return 6;
    }
    snprintf(left, sizeof left, "%ld", number - 1);
    execl(arguments[0], arguments[0], "execute", left, (char *)NULL);
    return 9;
}

static int clean_environment(void)
{
    static char name[] = "sh", option[] = "-c", text[] = "echo clean; exit 3", path[] = "PATH=/usr/bin:/bin";
    char *words[] = {name, option, text, NULL}, *environment[] = {path, NULL};
    pid_t child;
    int status;
    fflush(stdout);
    need(posix_spawn(&child, "/bin/sh", NULL, NULL, words, environment) == 0, "posix_spawn");
    need(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 3, "waitpid");
    clearenv();
    if (fork() == 0)
        execv("/bin/sh", words);
    wait(NULL);
    execve("/bin/sh", words, environment);
    return 9;
}

/* Closes all files, as daemons do, and opens others, which the tracer must not touch. */
static int close_all(void)
{
    enum { FILES = 30 };
    int files[FILES], i;
    char name[64], text[64], found[64];
    FILE *output;
    int standard = dup(1);
    dup2(standard, 200);
    for (i = 0; i < 100; i++)
        close(i);
    for (i = 0; i < FILES; i++) {
        snprintf(name, sizeof name, "closed.%d", i);
        files[i] = open(name, O_RDWR | O_CREAT | O_TRUNC, 0666);
    }
    for (long turn = 0; turn < number; turn++)
        for (i = 0; i < FILES; i++) {
            int size = snprintf(text, sizeof text, "%d %ld\n", i, turn);
            if (pwrite(files[i], text, (size_t)size, 0) != size)
                _exit(9);
        }
    for (i = 0; i < FILES; i++) {
        ssize_t size = pread(files[i], found, sizeof found, 0);
        int expected = snprintf(text, sizeof text, "%d %ld\n", i, number - 1);
        if (size != expected || memcmp(text, found, (size_t)size) != 0)
            _exit(8);
        snprintf(name, sizeof name, "closed.%d", i);
        unlink(name);
    }
    output = fdopen(200, "w");
    fputs("closed\n", output);
    fclose(output);
    return 5;
}

/* ---- signals, limits, switching */

static volatile sig_atomic_t handled;
static void handle(int signal)
{
    char byte;
    (void)signal;
    if (write(pipes[1], "s", 1) == 1 && read(pipes[0], &byte, 1) == 1)
        handled++;
}

static void tick(long microseconds)
{
    struct itimerval each = {{0, microseconds}, {0, microseconds}};
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handle;
    action.sa_flags = SA_RESTART;
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &each, NULL);
}

static int signals(void)
{
    tick(100);
    while (handled < number) {
        int file = open("/dev/null", O_WRONLY);
        need(write(file, "abc", 3) == 3 && close(file) == 0, "/dev/null");
    }
    tick(0);
    puts("handled");
    return 0;
}

static void write_often(void)
{
    for (long i = 0; i < number; i++) {
        int file = open("/dev/null", O_WRONLY);
        need(write(file, "abc", 3) == 3 && close(file) == 0, "/dev/null");
    }
}

static int limit(void)
{
    struct rlimit size = {200000, 200000}, files = {16, 16};
    int open_files[16], count = 0;
    setrlimit(RLIMIT_FSIZE, &size);
    setrlimit(RLIMIT_NOFILE, &files);
    write_often();
    while (count < 16 && (open_files[count] = open("/dev/null", O_WRONLY)) >= 0)
        count++;
    need(errno == EMFILE && count > 0, "EMFILE");
    pthread_join(start(with_key, NULL), NULL);
    puts("limited");
    return 0;
}

/* Truncates the mapped files of the run whose path has a text: a page of one that is written then is a SIGBUS. */
static int truncate_mapped(const char *text, off_t size)
{
    char line[4096], *path, *end;
    FILE *maps = fopen("/proc/self/maps", "r");
    int count = 0;
    while (maps && fgets(line, sizeof line, maps))
        if ((path = strchr(line, '/')) && strstr(path, "/paje-trace-") && strstr(path, text) &&
            (end = strchr(path, '\n'))) {
            *end = '\0';
            count += truncate(path, size) == 0;
        }
    if (maps)
        fclose(maps);
    return count;
}

static void *write_apart(void *data)
{
    write_often();
    return data;
}

static sigjmp_buf out_of_fault;
static sigset_t mask_in_handler;
static void leave_fault(int signal, siginfo_t *info, void *context)
{
    (void)signal, (void)info, (void)context;
    pthread_sigmask(SIG_BLOCK, NULL, &mask_in_handler);
    siglongjmp(out_of_fault, 1);
}

/* What a program does with SIGBUS itself, by a page of its own. */
static int own_fault(void)
{
    char *page;
    FILE *file = tmpfile();
    struct sigaction action, before;
    need(file && ftruncate(fileno(file), 1) == 0, "tmpfile");
    page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(file), 0);
    need(page != MAP_FAILED && ftruncate(fileno(file), 0) == 0, "mmap");
    memset(&action, 0, sizeof action);
    action.sa_sigaction = leave_fault;
    action.sa_flags = SA_SIGINFO;
    sigaddset(&action.sa_mask, SIGUSR2);
    sigaction(SIGBUS, &action, &before);
    if (!sigsetjmp(out_of_fault, 1))
        *(volatile char *)page = 1;
    else
        puts("left");
    printf("%d %d %d %d\n", before.sa_handler == SIG_DFL, sigismember(&mask_in_handler, SIGBUS),
           sigismember(&mask_in_handler, SIGUSR2), sigismember(&mask_in_handler, SIGUSR1));
    sigaction(SIGBUS, &before, &action);
    need(action.sa_sigaction == leave_fault && (action.sa_flags & SA_SIGINFO), "sigaction");
    fclose(file);
    return munmap(page, 4096);
}

static volatile sig_atomic_t faults;
static void count_fault(int signal)
{
    (void)signal;
    faults++;
}

static void say_handler(const char *what)
{
    struct sigaction it;
    sigaction(SIGBUS, NULL, &it);
    printf("%s: %s, %d, %d, %d faults\n", what,
           it.sa_handler == SIG_DFL ? "default" : it.sa_handler == SIG_IGN ? "ignored"
           : it.sa_handler == count_fault ? "counted" : "another",
           (unsigned)it.sa_flags >> 28, sigismember(&it.sa_mask, SIGBUS), (int)faults);
    fflush(stdout);
}

static void *wait_for_fault(void *data)
{
    sigset_t it;
    int which = 0;
    sigemptyset(&it);
    sigaddset(&it, SIGBUS);
    need(sigwait(&it, &which) == 0, "sigwait");
    printf("%d\n", which);
    return data;
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
/* All ways to set a handler, what a child inherits, and a SIGBUS that is blocked with all other signals. */
static int set_handlers(void)
{
    sigset_t all, before;
    __sighandler_t old;
    pthread_t thread;
    if (number == 2) {
        say_handler("executed");
        return 0;
    }
    say_handler("at first");
    printf("%d\n", signal(SIGBUS, count_fault) == SIG_DFL);
    say_handler("signal");
    raise(SIGBUS);
    printf("%d\n", signal(SIGBUS, SIG_ERR) == SIG_ERR && errno == EINVAL);
    printf("%d\n", (old = sysv_signal(SIGBUS, count_fault)) == count_fault);
    say_handler("sysv_signal");
    raise(SIGBUS);
    say_handler("sysv_signal");
    printf("%d\n", signal(SIGBUS, old) == SIG_DFL);
    raise(SIGBUS);
    printf("%d\n", sigset(SIGBUS, SIG_HOLD) == count_fault);
    raise(SIGBUS);
    say_handler("held");
    printf("%d\n", sigset(SIGBUS, count_fault) == SIG_HOLD);
    say_handler("sigset");
    if (vfork() == 0) {
        say_handler("vfork");
        _exit(0);
    }
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before);
    kill(getpid(), SIGBUS);
    say_handler("blocked");
    sigprocmask(SIG_SETMASK, &before, &all);
    printf("%d\n", sigismember(&all, SIGBUS));
    say_handler("free again");
    signal(SIGBUS, SIG_DFL);
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    kill(getpid(), SIGBUS);
    thread = start(wait_for_fault, NULL);
    pthread_join(thread, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    sigignore(SIGBUS);
    raise(SIGBUS);
    say_handler("sigignore");
    execl("/proc/self/exe", "program", "set-handlers", "2", (char *)NULL);
    return 1;
}
#pragma GCC diagnostic pop

static int lose(const char *text, off_t size)
{
    sigset_t all;
    pthread_t thread;
    int *is_lost = mmap(NULL, sizeof *is_lost, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pid_t child;
    need(is_lost != MAP_FAILED, "mmap");
    write_often();
    if ((child = fork()) == 0) { /* its first call comes when nothing can be written */
        while (!__atomic_load_n(is_lost, __ATOMIC_ACQUIRE))
            ;
        write_often();
        _exit(0);
    }
    truncate_mapped(text, size);
    __atomic_store_n(is_lost, 1, __ATOMIC_RELEASE);
    waitpid(child, NULL, 0);
    own_fault();
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
    thread = start(write_apart, NULL);
    write_often();
    pthread_join(thread, NULL);
    puts("goes on");
    return 0;
}

static int lose_file(void)
{
    return lose(".raw", 200000);
}

static int lose_control(void)
{
    return lose("/control", 0);
}

/* As a launcher of other programs, which the tracer leaves alone. */
static int lose_and_execute(void)
{
    truncate_mapped("/control", 0);
    execlp("echo", "echo", "ok", (char *)NULL);
    return 1;
}

static void *switch_often(void *data)
{
    char path[4096];
    trace_control *page;
    int file;
    snprintf(path, sizeof path, "%s/%s", getenv(TRACE_RUN), TRACE_CONTROL);
    file = open(path, O_RDWR);
    page = mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    for (long i = 0; i < number; i++) {
        __atomic_store_n(&page->mask, (uint32_t)i & TRACE_ALL, __ATOMIC_RELAXED);
        sleep_for(200);
    }
    __atomic_store_n(&page->mask, TRACE_ALL, __ATOMIC_RELAXED);
    return data;
}

static int switching(void)
{
    pthread_t thread;
    puts("switched");
    if (!getenv(TRACE_RUN))
        return 0;
    thread = start(switch_often, NULL);
    while (pthread_tryjoin_np(thread, NULL)) {
        pthread_join(start(write_a_byte, NULL), NULL);
        handle(0);
        handle(0);
    }
    return 0;
}

/* ---- ends of the process */

static int work_until_killed(void)
{
    for (;;)
        handle(0);
    return 0;
}

static void *leave_at_once(void *data)
{
    (void)data;
    _exit(11);
}

static int leave(void)
{
    puts("left");
    fflush(stdout);
    start(leave_at_once, NULL);
    pause();
    return 1;
}

static int crash(void)
{
    puts("crashed");
    fflush(stdout);
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    raise((int)number);
    return 1;
}

/* Executes the rest of the command line with signals ignored, as some servers begin their children. */
static int ignoring(void)
{
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    signal(SIGCHLD, SIG_IGN);
    execvp(arguments[2], arguments + 2);
    return 9;
}

static int ignored(void)
{
    struct sigaction action;
    for (int i = 1; i < 32; i++)
        if (sigaction(i, NULL, &action) == 0 && action.sa_handler == SIG_IGN)
            printf("%d ", i);
    puts("are ignored");
    return 0;
}

static int main_thread_ends(void)
{
    start(leave_at_once, NULL);
    pthread_exit(NULL);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)(void);
    } cases[] = {
        {"at-once", at_once}, {"in-turn", in_turn}, {"waits", waits}, {"shared-lock", shared_lock},
        {"names", names}, {"user", user},
        {"cancel", cancel}, {"jump", jump}, {"fork", fork_threads}, {"idle-child", idle_child},
        {"working-child", working_child}, {"copies", copies},
        {"spawn", spawn}, {"execute", execute}, {"clean", clean_environment}, {"close-all", close_all},
        {"signals", signals}, {"limit", limit}, {"lose-file", lose_file}, {"lose-control", lose_control},
        {"lose-execute", lose_and_execute}, {"set-handlers", set_handlers},
        {"ignoring", ignoring}, {"ignored", ignored},
        {"switching", switching}, {"work", work_until_killed}, {"leave", leave}, {"crash", crash},
        {"main-ends", main_thread_ends},
    };
    arguments = argv;
    number = argc > 2 ? atol(argv[2]) : 1;
    need(pipe(pipes) == 0, "pipe");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (argc > 1 && strcmp(argv[1], cases[i].name) == 0)
            return cases[i].run();
    fprintf(stderr, "program: there is no such case\n");
    return 2;
}
