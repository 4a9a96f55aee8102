/* A signal handler that forks, at every few instructions of the writer, by the trap flag of x86.  The child returns
 * from the handler and goes on with the call, and with calls of its own: none of that may get into its parent's trace.
 * usage: forks FILE */
#define _GNU_SOURCE /* REG_EFL */
#include <signal.h>
#include <stdlib.h>
#include <ucontext.h>

#if defined(__x86_64__) && defined(__linux__)
static int unstepped_sigmask(int how, const sigset_t *signals, sigset_t *before);
#define pthread_sigmask unstepped_sigmask /* a trap while its signal is blocked would end the process */
#define PAJEWRITE_IMPLEMENTATION
#include "pajewrite.h"
#undef pthread_sigmask
#include "../lib/expect.h"

#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>

enum { ROUNDS = 60, OF_CHILD = 1000000 };
enum way { TO_FILE, TO_APPENDED, TO_PIPE, TO_SOCKET, TO_MAP, TO_BLOCKS, RECORDER, RECORDER_IN_BLOCKS, WAYS };

static const char *const names[] = {"a file", "a file with O_APPEND", "a pipe", "a socket", "a map", "blocks",
                                    "a recorder in a map", "a recorder in blocks"};
static const pajewrite_container me = {1};
static const pajewrite_type THREAD = {1}, STATE = {2}, GAUGE = {3};
static pajewrite w;
static pajewrite_entry table[64];
static pajewrite_file file;
static pajewrite_peer peer;
static pajewrite_map map;
static pajewrite_blocks blocks;
static pajewrite_block block;
static const char *path;
static char buffer[3000], text[1 << 20], expected[1 << 20];
static uint64_t ticks;
static int is_child, steps, wanted, every, forks, number;

static uint64_t tick(void *data)
{
    (void)data;
    return ++ticks;
}

enum { TRAP_FLAG = 0x100 };

static void step(int on)
{
    const unsigned long long flag = TRAP_FLAG, flags = __builtin_ia32_readeflags_u64();
    __builtin_ia32_writeeflags_u64(on ? flags | flag : flags & ~flag);
}

static int unstepped_sigmask(int how, const sigset_t *signals, sigset_t *before)
{
    sigset_t now;
    int result;
    step(0);
    result = pthread_sigmask(how, signals, before);
    pthread_sigmask(SIG_BLOCK, NULL, &now);
    if (wanted && !sigismember(&now, SIGTRAP))
        step(1);
    return result;
}

static void on_step(int signal, siginfo_t *info, void *context)
{
    pid_t child;
    int status = 0;
    (void)signal;
    (void)info;
    if (++steps % every)
        return;
    child = fork();
    if (!child) {
        is_child = 1;
        wanted = 0;
        number = OF_CHILD;
        ((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
        return;
    }
    forks++;
    waitpid(child, &status, 0);
    if (status)
        fail("a child ended with %#x", status);
}

static void write_some(void)
{
    pajewrite_push_state(&w, me, STATE, PAJEWRITE_VALUE(1));
    pajewrite_set_variable(&w, me, GAUGE, number++);
    pajewrite_set_variable_double(&w, me, GAUGE, number++);
    pajewrite_pop_state(&w, me, STATE);
}

/* Goes on, without steps, and ends. */
static void end_child(void)
{
    int i;
    for (i = 0; i < 200; i++)
        write_some();
    pajewrite_flush(&w);
    pajewrite_finish(&w);
    _exit(0);
}

static void set_up(enum way way, int descriptor)
{
    pajewrite_config config = PAJEWRITE_CONFIG;
    size_t size = way == TO_SOCKET ? sizeof buffer : 700;
    config.clock = tick;
    ticks = 0;
    switch (way) {
    case TO_FILE: case TO_APPENDED: case TO_PIPE:
        EXPECT(!pajewrite_file_init(&file, descriptor));
        config.sink = pajewrite_to_file;
        config.sink_data = &file;
        break;
    case TO_SOCKET:
        EXPECT(!pajewrite_peer_init(&peer, descriptor));
        config.offer = pajewrite_to_peer;
        config.sink_data = &peer;
        break;
    case TO_MAP: case RECORDER:
        EXPECT(!pajewrite_map_open(&map, path, 1));
        config.next_buffer = pajewrite_map_next_buffer;
        config.next_buffer_data = &map;
        break;
    default:
        unlink(path);
        EXPECT(!pajewrite_blocks_open(&blocks, path));
        pajewrite_block_init(&block, &blocks, 1);
        config.next_buffer = pajewrite_block_next_buffer;
        config.next_buffer_data = &block;
    }
    if (way == RECORDER || way == RECORDER_IN_BLOCKS) {
        config.when_full = PAJEWRITE_OVERWRITE;
        config.definitions_size = 3000;
        size = 9000;
    }
    config.table = table;
    config.table_entries = sizeof table / sizeof *table;
    EXPECT(!pajewrite_init(&w, buffer, size, &config));
    pajewrite_header(&w);
    pajewrite_define_container_type(&w, THREAD, PAJEWRITE_ROOT_TYPE, "Thread");
    pajewrite_define_state_type(&w, STATE, THREAD, "State");
    pajewrite_define_variable_type(&w, GAUGE, THREAD, "Gauge", NULL);
    pajewrite_define_value(&w, PAJEWRITE_VALUE(1), STATE, "s", NULL);
    pajewrite_create_container(&w, me, THREAD, PAJEWRITE_ROOT, "main");
    pajewrite_flush(&w);
}

/* Writes a trace, interrupted if `with_steps`, and returns the size of what is in the file, which is read to `to`. */
static size_t write_trace(enum way way, int with_steps, char *to)
{
    const int flags = O_RDWR | O_CREAT | O_TRUNC | (way == TO_APPENDED ? O_APPEND : 0);
    int ends[2] = {-1, -1}, i, descriptor = -1, rounds = 0;
    size_t size = 0;
    ssize_t taken;
    pid_t reader = 0;
    if (way == TO_PIPE || way == TO_SOCKET) {
        EXPECT(way == TO_PIPE ? !pipe(ends) : !socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
        fflush(stdout);
        reader = fork();
        descriptor = reader ? ends[1] : open(path, flags, 0666);
        close(ends[reader ? 0 : 1]);
        while (!reader && (taken = read(ends[0], to, 4096)) != 0)
            if (write(descriptor, to, (size_t)taken) != taken)
                break;
        if (!reader)
            _exit(0);
    } else if (way < TO_MAP) {
        descriptor = open(path, flags, 0666);
    }
    number = steps = forks = 0;
    set_up(way, descriptor);
    for (i = 0; i < ROUNDS; i++) {
        const int is_full = w.limit - w.next < 120; /* about to be delivered, or another one begins */
        wanted = with_steps && (is_full || !i) && rounds++ < (way == TO_PIPE ? 1 : 3);
        step(wanted);
        write_some();
        if (!i)
            pajewrite_flush(&w);
        wanted = 0;
        step(0);
        if (is_child)
            end_child();
    }
    EXPECT(!pajewrite_finish(&w) && !pajewrite_count(&w).dropped);
    close(descriptor);
    if (reader)
        waitpid(reader, &i, 0);
    descriptor = open(path, O_RDONLY);
    while ((taken = read(descriptor, to + size, sizeof text - 1 - size)) > 0)
        size += (size_t)taken;
    close(descriptor);
    to[size] = 0;
    return size;
}

/* The file is as without forks.  Of a pipe, the child may go on with the delivery that was under way. */
static void expect_no_child(enum way way)
{
    const size_t size = write_trace(way, 0, expected), got = write_trace(way, 1, text);
    EXPECT(size > 2000 && forks > 40);
    if (way == TO_PIPE)
        EXPECT(!strstr(text, " 100000"));
    else
        EXPECT(got == size && !memcmp(text, expected, size));
    report("write/forks: a handler forks: ", names[way]);
}

int main(int argc, char **argv)
{
    struct sigaction action;
    int way;
    if (argc < 2)
        return 2;
    path = argv[1];
    memset(&action, 0, sizeof action);
    action.sa_sigaction = on_step;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGTRAP, &action, NULL);
    for (way = 0; way < WAYS; way++) {
        every = way == TO_PIPE ? 3 : 61;
        expect_no_child((enum way)way);
    }
    return failed != 0;
}
#else
int main(void) { return 77; }
#endif
