/* What the process around a writer does: signals of a terminal, and of two threads at once; a fork while another thread
 * opens a trace; descriptors that the program closes, or gives to files of its own; children of vfork; others that
 * append up to the limit of a file. */
#define _XOPEN_SOURCE 700
#define _DEFAULT_SOURCE /* vfork */
#include <sys/mman.h>
#include <unistd.h>
#undef MAP_ANON /* as in strict POSIX */
#define pwrite test_pwrite /* it may take long */
static ssize_t test_pwrite(int descriptor, const void *bytes, size_t size, off_t at);
#define write test_write /* others may append right before */
static ssize_t test_write(int descriptor, const void *bytes, size_t size);
#define PAJEWRITE__TRIES 1000 /* about a second */
#define PAJEWRITE_IMPLEMENTATION
#include "pajewrite.h"
#undef pwrite
#undef write

#include "../lib/expect.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>

enum { STATES = 1000, TEXT = 4000 };

static const pajewrite_type STATE = {2};
static const char path[] = "build/write-process.trace", other_path[] = "build/write-process-other";
static pajewrite_trace trace;
static char buffer[1 << 12], text[TEXT];

static void end_case(const char *name) { report("write/process: ", name); }

static void work(pajewrite *w, int states)
{
    while (states-- > 0)
        pajewrite_set_state(w, PAJEWRITE_CONTAINER(1), STATE, PAJEWRITE_VALUE(1));
}

/* Returns how many states are in the trace. */
static int states_in_file(void)
{
    char line[256];
    int count = 0;
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file))
        count += !strncmp(line, "18 ", 3);
    if (file)
        fclose(file);
    return count;
}

static int status_of(pid_t child)
{
    int status = 0;
    waitpid(child, &status, 0);
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

static pid_t begin_child(void)
{
    pid_t child;
    unlink(path);
    fflush(stdout);
    child = fork();
    if (!child)
        alarm(20);
    return child;
}

/* ---- signals */

static pthread_t waiting_thread;
static int is_slow;

static ssize_t test_pwrite(int descriptor, const void *bytes, size_t size, off_t at)
{
    if (is_slow) {
        is_slow = 0;
        pthread_kill(waiting_thread, SIGTERM);
        pajewrite__sleep(100000000);
    }
    return pwrite(descriptor, bytes, size, at);
}

static void *wait_for_signals(void *data)
{
    for (;;)
        pause();
    return data;
}

static void interrupt(int number) { (void)number; }

/* Signals whose handlers do not restart calls, while a pipe is full. */
static void interrupted_stream(void)
{
    const struct itimerval often = {{0, 1000}, {0, 1000}}, never = {{0, 0}, {0, 0}};
    pajewrite_config config = PAJEWRITE_CONFIG;
    struct sigaction action, before;
    pid_t child;
    pajewrite w;
    FILE *stream;
    int ends[2];
    EXPECT(!pipe(ends));
    child = begin_child();
    if (!child) {
        size_t size = 0;
        ssize_t taken;
        close(ends[1]);
        while ((taken = read(ends[0], text, sizeof text)) > 0) {
            pajewrite__sleep(2000000);
            size += (size_t)taken;
        }
        _exit(size < 100 * STATES);
    }
    close(ends[0]);
    stream = fdopen(ends[1], "w");
    memset(&action, 0, sizeof action);
    action.sa_handler = interrupt;
    sigaction(SIGALRM, &action, &before);
    setitimer(ITIMER_REAL, &often, NULL);
    config.sink = pajewrite_to_stream;
    config.sink_data = stream;
    EXPECT(pajewrite_init(&w, buffer, sizeof buffer, &config) == PAJEWRITE_OK);
    work(&w, 10 * STATES);
    EXPECT(pajewrite_finish(&w) == PAJEWRITE_OK && pajewrite_count(&w).written == 10 * STATES);
    setitimer(ITIMER_REAL, &never, NULL);
    sigaction(SIGALRM, &before, NULL);
    fclose(stream);
    EXPECT(status_of(child) == 0);
    end_case("signals while a stream waits for a pipe");
}

static void *wait_to_be_ended(void *ready)
{
    __atomic_store_n((int *)ready, 1, __ATOMIC_RELEASE);
    for (;;)
        if (__atomic_load_n((int *)ready, __ATOMIC_ACQUIRE) == 2) /* never: this is no point of cancellation */
            return ready;
}

/* A signal that ends the process comes to a thread that is to be cancelled, and its handler waits for a full pipe. */
static void signal_to_a_cancelled_thread(void)
{
    pid_t child = begin_child();
    if (!child) {
        static const char other[] = "build/write-process-pipe";
        pthread_t thread;
        sigset_t one;
        int ready = 0, reader, writer;
        unlink(other);
        if (mkfifo(other, 0600) || (reader = open(other, O_RDONLY | O_NONBLOCK)) < 0)
            _exit(78);
        work(pajewrite_open(&trace, other), 10);
        writer = open(other, O_WRONLY | O_NONBLOCK);
        unlink(other);
        while (write(writer, text, sizeof text) > 0 || write(writer, text, 1) > 0)
            ;
        pajewrite_flush_at_signals();
        EXPECT(!pthread_create(&thread, NULL, wait_to_be_ended, &ready));
        sigemptyset(&one);
        sigaddset(&one, SIGTERM);
        pthread_sigmask(SIG_BLOCK, &one, NULL);
        while (!__atomic_load_n(&ready, __ATOMIC_ACQUIRE))
            pajewrite__sleep(100000);
        pthread_cancel(thread);
        kill(getpid(), SIGTERM);
        pthread_join(thread, NULL);
        _exit(79);
    }
    EXPECT(status_of(child) == -SIGTERM);
    end_case("a signal to a thread that is to be cancelled");
}

static void *work_cancelled(void *w)
{
    pthread_cancel(pthread_self()); /* which takes effect at the next point of cancellation */
    work((pajewrite *)w, 10 * STATES);
    pthread_testcancel();
    return w;
}

/* A thread that is cancelled while it writes to a stream, whose own buffer is smaller than that of the context. */
static void cancelled_stream(void)
{
    pajewrite_config config = PAJEWRITE_CONFIG;
    FILE *stream = fopen(path, "w");
    pthread_t thread;
    void *result = NULL;
    pajewrite w;
    config.sink = pajewrite_to_stream;
    config.sink_data = stream;
    EXPECT(pajewrite_init(&w, trace.buffer, sizeof trace.buffer, &config) == PAJEWRITE_OK);
    EXPECT(!pthread_create(&thread, NULL, work_cancelled, &w) && !pthread_join(thread, &result));
    EXPECT(result == PTHREAD_CANCELED && pajewrite_finish(&w) == PAJEWRITE_OK && !fclose(stream));
    EXPECT(states_in_file() == 10 * STATES);
    end_case("a thread that is cancelled while it writes to a stream");
}

/* The keys of a terminal that interrupt and quit: the kernel sends these signals. */
static void keys_of_a_terminal(void)
{
    static const struct { char key; int number; } keys[] = {{3, SIGINT}, {28, SIGQUIT}};
    const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
    int i;
    if (terminal < 0 || grantpt(terminal) || unlockpt(terminal)) {
        puts("SKIP write/process: keys of a terminal: there are no pseudo terminals (mount /dev/pts)");
        return;
    }
    for (i = 0; i < 2; i++) {
        int ready[2];
        pid_t child;
        char byte = 0;
        EXPECT(!pipe(ready));
        child = begin_child();
        if (!child) {
            int side;
            setsid();
            side = open(ptsname(terminal), O_RDWR);
#ifdef TIOCSCTTY
            ioctl(side, TIOCSCTTY, 0);
#endif
            pajewrite_flush_at_signals();
            work(pajewrite_open(&trace, path), 10);
            if (write(ready[1], &byte, 1) == 1)
                sleep(2);
            _exit(78);
        }
        EXPECT(read(ready[0], &byte, 1) == 1 && write(terminal, &keys[i].key, 1) == 1);
        EXPECT(status_of(child) == -keys[i].number && states_in_file() == 10);
        close(ready[0]);
        close(ready[1]);
    }
    close(terminal);
    end_case("keys of a terminal that end the process");
}

/* Another thread is given the same signal while the first one writes: the process ends when all is written. */
static void two_signals(void)
{
    pid_t child = begin_child();
    if (!child) {
        pajewrite_flush_at_signals();
        work(pajewrite_open(&trace, path), 10);
        pthread_create(&waiting_thread, NULL, wait_for_signals, NULL);
        is_slow = 1;
        raise(SIGTERM);
        _exit(78);
    }
    EXPECT(status_of(child) == -SIGTERM && states_in_file() == 10);
    end_case("two signals at once");
}

static void forked_under_the_lock(void)
{
    pid_t child;
    pajewrite_open(&trace, path);
    pajewrite_close(&trace);
    pthread_mutex_lock(&pajewrite__traces_lock); /* as another thread would */
    child = begin_child();
    if (!child) {
        work(pajewrite_open(&trace, path), 10);
        _exit((int)pajewrite_close(&trace));
    }
    pthread_mutex_unlock(&pajewrite__traces_lock);
    EXPECT(status_of(child) == 0 && states_in_file() == 10);
    end_case("a fork while another thread opens a trace");
}

/* ---- descriptors.  A file of the program's own takes the place of the trace's: it stays as it is, and open */

static int make_other(void)
{
    const int other = open(other_path, O_RDWR | O_CREAT | O_TRUNC, 0666);
    memset(text, 'x', sizeof text);
    EXPECT(other >= 0 && write(other, text, sizeof text) == TEXT);
    return other;
}

static void expect_other(int descriptor)
{
    static char read_back[TEXT + 1];
    EXPECT(lseek(descriptor, 0, SEEK_CUR) == TEXT);
    EXPECT(lseek(descriptor, 0, SEEK_SET) == 0 && read(descriptor, read_back, sizeof read_back) == TEXT);
    EXPECT(!memcmp(read_back, text, TEXT));
}

static void put_other(int descriptor)
{
    const int other = make_other();
    EXPECT(dup2(other, descriptor) == descriptor);
    close(other);
}

static void files_of_others(void)
{
    static const int flags[] = {O_WRONLY, O_WRONLY | O_APPEND};
    pajewrite_config config = PAJEWRITE_CONFIG;
    pajewrite_file file;
    pajewrite w;
    int i, ends[2];
    config.sink = pajewrite_to_file;
    config.sink_data = &file;
    for (i = 0; i < 3; i++) {
        EXPECT(!pipe(ends));
        unlink(path);
        pajewrite_file_init(&file, i < 2 ? open(path, flags[i] | O_CREAT, 0666) : dup(ends[1]));
        EXPECT(pajewrite_init(&w, buffer, sizeof buffer, &config) == PAJEWRITE_OK);
        work(&w, 10);
        EXPECT(pajewrite_flush(&w) == PAJEWRITE_OK);
        work(&w, 10);
        put_other(file.descriptor);
        EXPECT(pajewrite_finish(&w) == PAJEWRITE_E_SINK && pajewrite_count(&w).written == 10);
        expect_other(file.descriptor);
        close(file.descriptor);
        close(ends[0]);
        close(ends[1]);
    }
    work(pajewrite_open(&trace, path), 10);
    put_other(trace.file.descriptor);
    EXPECT(pajewrite_close(&trace) == PAJEWRITE_E_SINK);
    expect_other(trace.file.descriptor);
    close(trace.file.descriptor);
    end_case("another file in place of the trace's");
}

static void maps_of_others(void)
{
    pajewrite_config config = PAJEWRITE_CONFIG;
    pajewrite_map map;
    pajewrite w;
    int is_late, descriptor;
    config.next_buffer = pajewrite_map_next_buffer;
    config.next_buffer_data = &map;
    for (is_late = 0; is_late < 2; is_late++) { /* only finishing is late */
        EXPECT(pajewrite_map_open(&map, path, 4096) == PAJEWRITE_OK);
        EXPECT(pajewrite_init(&w, NULL, 0, &config) == PAJEWRITE_OK);
        descriptor = map.descriptor;
        put_other(descriptor);
        work(&w, is_late ? 10 : STATES);
        EXPECT(pajewrite_finish(&w) == PAJEWRITE_E_SINK);
        expect_other(descriptor);
        close(descriptor);
        EXPECT(states_in_file() == (int)pajewrite_count(&w).written && states_in_file() >= 10);
    }
    end_case("another file in place of a mapped one");
}

/* What a map needs for children to know of it is free for others when it is closed, or could not be opened. */
static void maps_one_by_one(void)
{
    pajewrite_map none, map;
    int i;
    for (i = 0; i < 100; i++) {
        size_t size = 0;
        EXPECT(pajewrite_map_open(&none, "build/none/trace", 4096) == PAJEWRITE_E_SINK);
        EXPECT(pajewrite_map_open(&map, path, 4096) == PAJEWRITE_OK);
        EXPECT(pajewrite_map_next_buffer(&map, 0, 100, &size));
        EXPECT(!pajewrite_map_next_buffer(&none, 0, 0, &size) && size == PAJEWRITE_E_SINK && map.shared->used);
        EXPECT(!pajewrite_map_next_buffer(&map, 0, 0, &size) && !size);
    }
    EXPECT(!pajewrite__first_windows.next);
    end_case("maps that are opened and closed, or cannot be opened, take no memory");
}

/* The child writes by its copy of the context, into memory of its own. */
static void forked_without_descriptor(void)
{
    pajewrite_config config = PAJEWRITE_CONFIG;
    pajewrite_map map;
    pajewrite w;
    pid_t child;
    int is_other;
    config.next_buffer = pajewrite_map_next_buffer;
    config.next_buffer_data = &map;
    for (is_other = 0; is_other < 2; is_other++) {
        EXPECT(pajewrite_map_open(&map, path, 1 << 16) == PAJEWRITE_OK);
        EXPECT(pajewrite_init(&w, NULL, 0, &config) == PAJEWRITE_OK);
        work(&w, 10);
        close(map.descriptor);
        if (is_other)
            EXPECT(make_other() == map.descriptor);
        fflush(stdout);
        child = fork();
        if (!child) {
            work(&w, 20);
            _exit((int)pajewrite_finish(&w));
        }
        EXPECT(status_of(child) == PAJEWRITE_E_FORKED && states_in_file() == 10);
        EXPECT(pajewrite_finish(&w) == PAJEWRITE_E_SINK);
        close(map.descriptor);
    }
    end_case("a child of a process that has closed the file of its map");
}

/* The child goes on after its parent has ended the trace, which truncates the file. */
static void forked_before_the_end(void)
{
    static pajewrite_entry table[16];
    pajewrite_config config = PAJEWRITE_CONFIG;
    pajewrite_map map;
    pajewrite w;
    pid_t child;
    int ends[2], is_recorder;
    char byte;
    config.next_buffer = pajewrite_map_next_buffer;
    config.next_buffer_data = &map;
    config.table_entries = sizeof table / sizeof *table;
    for (is_recorder = 0; is_recorder < 2; is_recorder++) {
        config.table = is_recorder ? table : NULL;
        config.when_full = is_recorder ? PAJEWRITE_OVERWRITE : PAJEWRITE_FLUSH;
        EXPECT(!pipe(ends) && pajewrite_map_open(&map, path, 1 << 16) == PAJEWRITE_OK);
        EXPECT(pajewrite_init(&w, NULL, is_recorder ? 1 << 16 : 0, &config) == PAJEWRITE_OK);
        work(&w, 10);
        fflush(stdout);
        child = fork();
        if (!child) {
            close(ends[1]);
            work(&w, 20);
            if (read(ends[0], &byte, 1)) /* waits until the parent has closed its end */
                _exit(78);
            work(&w, 10000);
            _exit((int)pajewrite_finish(&w));
        }
        close(ends[0]);
        EXPECT(pajewrite_finish(&w) == PAJEWRITE_OK && states_in_file() == 10);
        if (is_recorder)
            EXPECT(!truncate(path, 0));
        close(ends[1]);
        EXPECT(status_of(child) == PAJEWRITE_E_FORKED);
    }
    end_case("a child of a process that has ended the trace of its map");
}

/* A child gets memory of its own also where its parent has no descriptor left. */
static void forked_with_all_descriptors(void)
{
    pajewrite_config config = PAJEWRITE_CONFIG;
    pajewrite_map map;
    struct rlimit few, before;
    pajewrite w;
    pid_t child;
    int last, next;
    config.next_buffer = pajewrite_map_next_buffer;
    config.next_buffer_data = &map;
    EXPECT(pajewrite_map_open(&map, path, 1 << 16) == PAJEWRITE_OK);
    EXPECT(pajewrite_init(&w, NULL, 0, &config) == PAJEWRITE_OK);
    work(&w, 10);
    fflush(stdout);
    EXPECT(!getrlimit(RLIMIT_NOFILE, &before));
    few = before;
    few.rlim_cur = 64;
    EXPECT(!setrlimit(RLIMIT_NOFILE, &few));
    last = dup(0);
    while ((next = dup(0)) >= 0)
        EXPECT(next > last);
    child = fork();
    if (!child) {
        work(&w, 20);
        _exit(0);
    }
    EXPECT(status_of(child) == 0);
    for (next = 63; next >= last; next--)
        close(next);
    EXPECT(!setrlimit(RLIMIT_NOFILE, &before) && states_in_file() == 10);
    EXPECT(pajewrite_finish(&w) == PAJEWRITE_OK && states_in_file() == 10);
    end_case("a child of a process that has no descriptor left");
}

/* Threads that share a socket, which takes a part of what they write, as one of the network may. */
static int takes_a_part; /* 1: the system takes a half */

static void *work_for_socket(void *data)
{
    pajewrite_config config = PAJEWRITE_CONFIG;
    char own_buffer[1 << 12];
    pajewrite w;
    config.sink = pajewrite_to_file;
    config.sink_data = data;
    if (pajewrite_init(&w, own_buffer, sizeof own_buffer, &config))
        return NULL;
    work(&w, STATES);
    return pajewrite_finish(&w) ? NULL : data;
}

static void shared_socket(void)
{
    enum { THREADS = 4 };
    pajewrite_file file;
    pthread_t threads[THREADS];
    pid_t child;
    void *result;
    int ends[2], i;
    EXPECT(!socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
    child = begin_child();
    if (!child) {
        FILE *from = fdopen(ends[0], "r");
        int states = 0, others = 0;
        close(ends[1]);
        while (fgets(text, sizeof text, from)) {
            const size_t size = strlen(text);
            const int is_whole = !strncmp(text, "18 ", 3) && size > 7 && !strcmp(text + size - 7, " 1 2 1\n");
            states += is_whole && strspn(text, "0123456789. ") == size - 1;
            others += !is_whole;
        }
        _exit(states != THREADS * STATES || others);
    }
    close(ends[0]);
    EXPECT(pajewrite_file_init(&file, ends[1]) == PAJEWRITE_OK);
    takes_a_part = 1;
    for (i = 0; i < THREADS; i++)
        EXPECT(!pthread_create(&threads[i], NULL, work_for_socket, &file));
    for (i = 0; i < THREADS; i++)
        EXPECT(!pthread_join(threads[i], &result) && result == &file);
    takes_a_part = 0;
    close(ends[1]);
    EXPECT(status_of(child) == 0);
    end_case("threads that share a socket which takes a part of their lines");
}

/* A thread that never ends its turn, as it has jumped out of it, keeps no other one waiting for ever. */
static void lost_turn(void)
{
    pajewrite_file file;
    int ends[2];
    EXPECT(!socketpair(AF_UNIX, SOCK_STREAM, 0, ends) && pajewrite_file_init(&file, ends[1]) == PAJEWRITE_OK);
    file.writer = 1;
    EXPECT(pajewrite_to_file(&file, "# line\n", 7) == PAJEWRITE_OK && read(ends[0], text, sizeof text) == 7);
    EXPECT(!file.writer);
    close(ends[0]);
    close(ends[1]);
    end_case("a thread that never ends its turn at a socket");
}

/* While the socket is full, another thread may have written a part of a line: its turn is not taken. */
static void *write_line(void *file) { return pajewrite_to_file(file, "# line\n", 7) ? NULL : file; }

static void full_socket(void)
{
    pajewrite_file file;
    pthread_t thread;
    void *result;
    int ends[2];
    EXPECT(!socketpair(AF_UNIX, SOCK_STREAM, 0, ends) && pajewrite_file_init(&file, ends[1]) == PAJEWRITE_OK);
    while (send(ends[1], text, sizeof text, MSG_DONTWAIT) > 0)
        ;
    file.writer = 1;
    EXPECT(!pthread_create(&thread, NULL, write_line, &file));
    usleep(2500000); /* a turn is lost after half of that where there is room */
    while (recv(ends[0], text, sizeof text, MSG_DONTWAIT) > 0)
        ;
    usleep(50000);
    EXPECT(recv(ends[0], text, sizeof text, MSG_DONTWAIT) < 0);
    PAJEWRITE__PUBLISH(uintptr_t, file.writer, 0); /* as by the thread that has written the rest of its line */
    EXPECT(!pthread_join(thread, &result) && result == &file);
    EXPECT(recv(ends[0], text, sizeof text, MSG_DONTWAIT) == 7);
    close(ends[0]);
    close(ends[1]);
    end_case("a socket that is full for longer than a turn lasts");
}

/* A signal handler that writes within the turn of its thread does not end that. */
static void turn_of_a_handler(void)
{
    pajewrite_file file;
    int ends[2];
    EXPECT(!socketpair(AF_UNIX, SOCK_STREAM, 0, ends) && pajewrite_file_init(&file, ends[1]) == PAJEWRITE_OK);
    file.writer = (uintptr_t)pthread_self();
    EXPECT(pajewrite_to_file(&file, "# line\n", 7) == PAJEWRITE_OK && read(ends[0], text, sizeof text) == 7);
    EXPECT(file.writer == (uintptr_t)pthread_self());
    close(ends[0]);
    close(ends[1]);
    end_case("a signal handler that interrupts a turn at a socket");
}

static void peers_of_others(void)
{
    pajewrite_config config = PAJEWRITE_CONFIG;
    pajewrite_peer peer;
    pajewrite w;
    int ends[2], others[2];
    char byte;
    EXPECT(!socketpair(AF_UNIX, SOCK_STREAM, 0, ends) && !socketpair(AF_UNIX, SOCK_STREAM, 0, others));
    EXPECT(pajewrite_peer_init(&peer, ends[1]) == PAJEWRITE_OK);
    config.offer = pajewrite_to_peer;
    config.sink_data = &peer;
    EXPECT(pajewrite_init(&w, buffer, sizeof buffer, &config) == PAJEWRITE_OK);
    work(&w, 10);
    dup2(others[1], ends[1]);
    EXPECT(pajewrite_finish(&w) == PAJEWRITE_E_SINK);
    EXPECT(recv(others[0], &byte, 1, MSG_DONTWAIT) == -1);
    close(ends[0]);
    close(ends[1]);
    close(others[0]);
    close(others[1]);
    end_case("another socket in place of a peer's");
}

/* Another process that has the pipe may make it wait again. */
static void peer_made_to_wait(void)
{
    pajewrite_config config = PAJEWRITE_CONFIG;
    pajewrite_peer peer;
    pajewrite w;
    int ends[2];
    pid_t child;
    EXPECT(!pipe(ends));
    child = begin_child();
    if (!child) {
        pajewrite_peer_init(&peer, ends[1]);
        config.offer = pajewrite_to_peer;
        config.sink_data = &peer;
        pajewrite_init(&w, buffer, sizeof buffer, &config);
        fcntl(ends[1], F_SETFL, 0);
        work(&w, 100 * STATES);
        _exit(pajewrite_count(&w).dropped == 0);
    }
    EXPECT(status_of(child) == 0);
    close(ends[0]);
    close(ends[1]);
    end_case("a peer that another process makes wait again");
}

/* A datagram has a greatest size: what is larger is taken in several, each of whole lines. */
static void peer_of_datagrams(void)
{
    static char lines[1 << 20], datagram[1 << 20];
    size_t i, done = 0, got = 0, taken = 1;
    pajewrite_peer peer;
    int ends[2];
    for (i = 0; i < sizeof lines; i++)
        lines[i] = i % 32 == 31 ? '\n' : 'a';
    EXPECT(!socketpair(AF_UNIX, SOCK_DGRAM, 0, ends) && pajewrite_peer_init(&peer, ends[1]) == PAJEWRITE_OK);
    while (done < sizeof lines && taken) {
        ssize_t size;
        taken = pajewrite_to_peer(&peer, lines + done, sizeof lines - done);
        EXPECT(taken <= sizeof lines - done);
        if (taken > sizeof lines - done)
            break;
        done += taken;
        while ((size = recv(ends[0], datagram, sizeof datagram, MSG_DONTWAIT)) > 0) {
            EXPECT(datagram[size - 1] == '\n' && !memcmp(datagram, lines + got, (size_t)size));
            got += (size_t)size;
        }
    }
    EXPECT(got == sizeof lines);
    close(ends[0]);
    close(ends[1]);
    end_case("a peer that takes datagrams");
}

/* ---- vfork: the child is in its parent's memory, and what it writes is its parent's; any other child has a copy */

/* Begins a child by which no function is called that fork calls. */
static pid_t copy_process(void)
{
#if defined(__linux__) && defined(SYS_clone) && !defined(__s390__) && !defined(__CRIS__)
    return (pid_t)syscall(SYS_clone, (long)SIGCHLD, 0L, 0L, 0L, 0L);
#else
    return fork();
#endif
}

/* Ten states of the parent, many of a child of vfork, ten of the parent.  A child that has a copy writes nothing, and
 * its delivery fails. */
static void write_with_children(pajewrite *w, int states, pajewrite_status of_copy)
{
    pid_t child;
    work(w, 10);
    child = vfork();
    if (!child) {
        work(w, states);
        _exit((int)pajewrite_flush(w));
    }
    EXPECT(status_of(child) == PAJEWRITE_OK);
    work(w, 10);
    fflush(stdout);
    child = copy_process();
    if (!child) {
        pajewrite_flush(w);
        work(w, states);
        _exit((int)pajewrite_finish(w));
    }
    EXPECT(status_of(child) == (int)of_copy);
    EXPECT(pajewrite_finish(w) == PAJEWRITE_OK && (int)pajewrite_count(w).written == states + 20);
}

static void vforked_with_file(void)
{
    static const int flags[] = {O_WRONLY, O_WRONLY | O_APPEND};
    pajewrite_config config = PAJEWRITE_CONFIG;
    pajewrite_file file;
    pajewrite w;
    int i;
    config.sink = pajewrite_to_file;
    config.sink_data = &file;
    for (i = 0; i < 2; i++) {
        unlink(path);
        EXPECT(pajewrite_file_init(&file, open(path, flags[i] | O_CREAT, 0666)) == PAJEWRITE_OK);
        EXPECT(pajewrite_init(&w, buffer, sizeof buffer, &config) == PAJEWRITE_OK);
        write_with_children(&w, STATES, PAJEWRITE_E_FORKED);
        close(file.descriptor);
        EXPECT(states_in_file() == STATES + 20);
    }
    end_case("a child of vfork and a file");
}

static void vforked_with_map(void)
{
    pajewrite_config config = PAJEWRITE_CONFIG;
    pajewrite_map map;
    pajewrite w;
    config.next_buffer = pajewrite_map_next_buffer;
    config.next_buffer_data = &map;
    EXPECT(pajewrite_map_open(&map, path, 4096) == PAJEWRITE_OK);
    EXPECT(pajewrite_init(&w, NULL, 0, &config) == PAJEWRITE_OK);
    write_with_children(&w, STATES, PAJEWRITE_E_FORKED);
    EXPECT(states_in_file() == STATES + 20);
    end_case("a child of vfork and a map");
}

static void vforked_with_peer(void)
{
    static char received[1 << 16];
    pajewrite_config config = PAJEWRITE_CONFIG;
    pajewrite_peer peer;
    pajewrite w;
    int ends[2], lines = 0;
    ssize_t size, i;
    EXPECT(!socketpair(AF_UNIX, SOCK_STREAM, 0, ends) && pajewrite_peer_init(&peer, ends[1]) == PAJEWRITE_OK);
    config.offer = pajewrite_to_peer;
    config.sink_data = &peer;
    EXPECT(pajewrite_init(&w, buffer, sizeof buffer, &config) == PAJEWRITE_OK);
    write_with_children(&w, 200, PAJEWRITE_E_SINK);
    size = recv(ends[0], received, sizeof received, MSG_DONTWAIT);
    for (i = 0; i < size; i++)
        lines += received[i] == '\n';
    EXPECT(lines == 220);
    close(ends[0]);
    close(ends[1]);
    end_case("a child of vfork and a peer");
}

/* A signal ends the child, in whose parent a trace is open or not yet.  A signal that ends the parent still flushes. */
static void vforked_and_ended(void)
{
    static const int numbers[] = {SIGTERM, SIGABRT};
    int i;
    for (i = 0; i < 4; i++) {
        const int number = numbers[i % 2], is_open = i < 2;
        pid_t child = begin_child();
        if (!child) {
            pajewrite_flush_at_signals();
            if (is_open)
                work(pajewrite_open(&trace, path), 10);
            child = vfork();
            if (!child) {
                if (is_open)
                    work(&trace.w, 10);
                raise(number);
                _exit(78);
            }
            if (!is_open)
                work(pajewrite_open(&trace, path), 20);
            work(&trace.w, status_of(child) == -number ? STATES * 10 : 0);
            raise(SIGTERM);
            _exit(78);
        }
        EXPECT(status_of(child) == -SIGTERM && states_in_file() == 20 + STATES * 10);
    }
    end_case("a child of vfork that is ended by a signal");
}

/* ---- limits of files */

enum { LIMIT = 1 << 16 };
static int others_append; /* up to how many bytes before the limit; 0: they do not */

static ssize_t test_write(int descriptor, const void *bytes, size_t size)
{
    struct stat about;
    if (takes_a_part) {
        const ssize_t taken = write(descriptor, bytes, size - size / 2);
        pajewrite__sleep(100000);
        return taken;
    }
    if (others_append && !fstat(descriptor, &about)) {
        static const char newlines[LIMIT]; /* of any bytes */
        const off_t up_to = LIMIT - others_append;
        others_append = 0;
        EXPECT(about.st_size < up_to && write(descriptor, newlines, (size_t)(up_to - about.st_size)) > 0);
    }
    return write(descriptor, bytes, size);
}

/* A thread asks whether the file may grow, then appends: others may have been faster, up to the limit, where the
 * next byte raises SIGXFSZ. */
static void others_at_the_limit(void)
{
    int i;
    for (i = 0; i < 4; i++) {
        pid_t child = begin_child();
        if (!child) {
            const int before = i >= 2; /* SIGXFSZ of the program's own stays pending */
            pajewrite_config config = PAJEWRITE_CONFIG;
            struct rlimit limit;
            pajewrite_file file;
            pajewrite w;
            sigset_t one;
            sigemptyset(&one);
            sigaddset(&one, SIGXFSZ);
            if (before) {
                sigprocmask(SIG_BLOCK, &one, NULL);
                raise(SIGXFSZ);
            }
            getrlimit(RLIMIT_FSIZE, &limit);
            limit.rlim_cur = LIMIT;
            setrlimit(RLIMIT_FSIZE, &limit);
            config.sink = pajewrite_to_file;
            config.sink_data = &file;
            pajewrite_file_init(&file, open(path, O_RDWR | O_CREAT | O_APPEND, 0666));
            pajewrite_init(&w, buffer, sizeof buffer, &config);
            work(&w, 10);
            pajewrite_flush(&w);
            work(&w, 10);
            others_append = i % 2 ? 1 : 100; /* a part of the lines is taken, and then no more */
            EXPECT(pajewrite_flush(&w) == PAJEWRITE_E_SINK);
            sigpending(&one);
            EXPECT(sigismember(&one, SIGXFSZ) == before);
            _exit(failed != 0);
        }
        EXPECT(status_of(child) == 0);
    }
    end_case("others append up to the limit of a file");
}

int main(void)
{
    vforked_and_ended(); /* before this process opens a trace */
    interrupted_stream();
    cancelled_stream();
    signal_to_a_cancelled_thread();
    keys_of_a_terminal();
    two_signals();
    forked_under_the_lock();
    files_of_others();
    maps_of_others();
    maps_one_by_one();
    forked_without_descriptor();
    forked_before_the_end();
    forked_with_all_descriptors();
    shared_socket();
    lost_turn();
    full_socket();
    turn_of_a_handler();
    peers_of_others();
    peer_made_to_wait();
    peer_of_datagrams();
    vforked_with_file();
    vforked_with_map();
    vforked_with_peer();
    others_at_the_limit();
    unlink(path);
    unlink(other_path);
    return failed != 0;
}
