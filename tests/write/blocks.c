/* Files in blocks (pajewrite_blocks): many threads, forks, sudden ends, full disks, signal handlers.
 * usage: blocks FOLDER   leaves threads.trace there, which is merged and validated afterwards */
#define _POSIX_C_SOURCE 200809L
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>
#define writev test_writev /* sometimes short, interrupted, or failing */
#define pread test_pread   /* the same, or at an early end */
#define close test_close   /* where NFS tells that a write has failed */
#define mmap test_mmap     /* a file may not be mapped */
static ssize_t test_writev(int descriptor, const struct iovec *pieces, int count);
static ssize_t test_pread(int descriptor, void *bytes, size_t size, off_t at);
static int test_close(int descriptor);
static void *test_mmap(void *place, size_t size, int access, int flags, int descriptor, off_t at);
#define PAJEWRITE_IMPLEMENTATION
#include "pajewrite.h"
#undef writev
#undef pread
#undef close
#undef mmap
#include "tests/lib/expect.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>

enum { THREADS = 64, EACH = 3000 };
static const pajewrite_type process_type = {1}, thread_type = {2}, state = {3}, gauge = {4};
static const char *folder;
static char path[500];
static pajewrite_blocks file;
static uint32_t aliases;
static uint64_t origin;

static uint32_t shortens, calls, fails_at; /* of writev */
static void (*meanwhile)(void);            /* what another thread does when it fails */
static ssize_t test_writev(int descriptor, const struct iovec *pieces, int count)
{
    const uint32_t call = __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
    if (call == fails_at) {
        if (meanwhile)
            meanwhile();
        errno = ENOSPC;
        return -1;
    }
    if (shortens && call % 3 == 0) {
        errno = EINTR;
        return -1;
    }
    return shortens ? write(descriptor, pieces->iov_base, pieces->iov_len > 700 ? 700 : pieces->iov_len)
                    : writev(descriptor, pieces, count);
}

static int ends_early; /* each read */
static ssize_t test_pread(int descriptor, void *bytes, size_t size, off_t at)
{
    static uint32_t reads;
    if (reads++ % 3 == 0) {
        errno = EINTR;
        return -1;
    }
    return ends_early ? 0 : pread(descriptor, bytes, size > 300 ? 300 : size, at);
}

static int maps_little; /* of files */
static void *test_mmap(void *place, size_t size, int access, int flags, int descriptor, off_t at)
{
    errno = ENOMEM;
    return maps_little && descriptor >= 0 && size >= 1 << 16 ? MAP_FAILED
                                                             : mmap(place, size, access, flags, descriptor, at);
}

static uint32_t closes, close_fails_at;
static int test_close(int descriptor)
{
    const int done = close(descriptor);
    if (__atomic_add_fetch(&closes, 1, __ATOMIC_RELAXED) != close_fails_at)
        return done;
    errno = EDQUOT;
    return -1;
}

typedef struct writer {
    pajewrite w;
    pajewrite_block block;
} writer;

static void set_up(writer *it, pajewrite_blocks *in, size_t size)
{
    pajewrite_config config = PAJEWRITE_CONFIG;
    pajewrite_block_init(&it->block, in, size);
    config.next_buffer = pajewrite_block_next_buffer;
    config.next_buffer_data = &it->block;
    config.aliases = &aliases;
    config.origin = origin;
    pajewrite_init(&it->w, NULL, 0, &config);
}

static void open_file(const char *name)
{
    snprintf(path, sizeof path, "%s/%s", folder, name);
    unlink(path);
    errno = EINTR; /* of an earlier call */
    EXPECT(pajewrite_blocks_open(&file, path) == PAJEWRITE_OK);
    aliases = 0;
}

static char *content(size_t *size)
{
    FILE *stream = fopen(path, "r");
    char *bytes;
    if (!stream || fseek(stream, 0, SEEK_END) != 0)
        exit(3);
    *size = (size_t)ftell(stream);
    bytes = (char *)malloc(*size + 1);
    rewind(stream);
    if (!bytes || fread(bytes, 1, *size, stream) != *size)
        exit(3);
    bytes[*size] = 0;
    fclose(stream);
    return bytes;
}

/* Counts the lines that set the gauge, which hold 0, 1, 2, ... in this order for each container. */
static uint64_t count_gauges(void)
{
    static unsigned next[THREADS * 4];
    size_t size;
    char *bytes = content(&size), *line = bytes;
    uint64_t count = 0;
    memset(next, 0, sizeof next);
    EXPECT(strlen(bytes) == size); /* there is no NUL byte */
    if (strlen(bytes) != size)
        *line = 0; /* the line that holds it has no end */
    EXPECT(size == 0 || bytes[size - 1] == '\n');
    for (; *line; line = strchr(line, '\n') + 1) {
        char *word = line;
        unsigned long words[6], i; /* number, seconds, fraction, container, type, value */
        if (strtoul(*line == '\n' ? "0" : line, NULL, 10) != PAJEWRITE_SET_VARIABLE)
            continue;
        for (i = 0; i < 6; i++)
            words[i] = strtoul(word + (i > 0), &word, 10);
        EXPECT(*word == '\n' && words[3] < THREADS * 4 && words[5] == next[words[3]]++);
        count++;
    }
    free(bytes);
    return count;
}

/* ---- threads */

static pajewrite_container parent;

static void *run_thread(void *data)
{
    writer it;
    pajewrite_container own;
    uint32_t i;
    (void)data;
    set_up(&it, &file, 0);
    own = pajewrite_new_container(&it.w);
    pajewrite_create_container(&it.w, own, thread_type, parent, NULL);
    for (i = 0; i < EACH; i++) {
        pajewrite_push_state(&it.w, own, state, PAJEWRITE_VALUE(2));
        pajewrite_set_variable(&it.w, own, gauge, (int64_t)i);
        pajewrite_pop_state(&it.w, own, state);
    }
    pajewrite_destroy_container(&it.w, own, thread_type);
    return (void *)(uintptr_t)pajewrite_finish(&it.w);
}

static int count_descriptors(void)
{
    int i, count = 0;
    for (i = 0; i < 1000; i++)
        count += fcntl(i, F_GETFD) >= 0;
    return count;
}

static void run_threads(void)
{
    const int descriptors = count_descriptors();
    pthread_t threads[THREADS];
    static char long_name[20000];
    writer head;
    int i;
    open_file("threads.trace");
    set_up(&head, &file, 5000);
    EXPECT(head.block.size % (size_t)sysconf(_SC_PAGESIZE) == 0 && head.block.size > 5000);
    pajewrite_header(&head.w);
    pajewrite_define_container_type(&head.w, process_type, PAJEWRITE_ROOT_TYPE, "Process");
    pajewrite_define_container_type(&head.w, thread_type, process_type, "Thread");
    pajewrite_define_state_type(&head.w, state, thread_type, "State");
    pajewrite_define_variable_type(&head.w, gauge, thread_type, "Gauge", NULL);
    memset(long_name, 'x', sizeof long_name - 1);
    pajewrite_define_value(&head.w, PAJEWRITE_VALUE(1), state, long_name, NULL); /* does not fit the first block */
    pajewrite_define_value(&head.w, PAJEWRITE_VALUE(2), state, "busy", NULL);
    parent = pajewrite_new_container(&head.w);
    pajewrite_create_container(&head.w, parent, process_type, PAJEWRITE_ROOT, "process");
    for (i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, run_thread, NULL))
            exit(3);
    for (i = 0; i < THREADS; i++) {
        void *status = NULL;
        pthread_join(threads[i], &status);
        EXPECT(status == NULL);
    }
    EXPECT(pajewrite_finish(&head.w) == PAJEWRITE_OK);
    EXPECT(aliases == THREADS + 1);
    EXPECT(count_gauges() == THREADS * EACH);
    EXPECT(count_descriptors() == descriptors);
    report("write/blocks: ", "64 threads, one file");
}

/* ---- one context */

static void write_gauges(writer *it, pajewrite_container container, int64_t from, int64_t count)
{
    for (; count; from++, count--)
        pajewrite_set_variable(&it->w, container, gauge, from);
}

/* Short lines of tracks end blocks: what they leave behind their ends is seen. */
static void write_by_tracks(void)
{
    uint32_t count;
    for (count = 300; count < 340; count++) {
        const pajewrite_container container = {count % 4 * 60 + 1}; /* of one digit to three */
        pajewrite_track track;
        writer it;
        uint32_t i;
        open_file("tracks.trace");
        set_up(&it, &file, 0);
        pajewrite_track_init(&track, &it.w, container, gauge);
        for (i = 0; i < count; i++)
            pajewrite_track_set_variable(&track, i);
        EXPECT(pajewrite_finish(&it.w) == PAJEWRITE_OK && count_gauges() == count);
        unlink(path);
    }
    report("write/blocks: ", "by tracks");
}

/* How many blocks are mapped; 0 where the system does not tell. */
static int count_blocks(void)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[1000];
    int count = 0;
    while (maps && fgets(line, sizeof line, maps))
        count += strstr(line, "/mapped.trace") != NULL;
    if (maps)
        fclose(maps);
    return count;
}

/* A block is unmapped when it is full, so that a long trace takes no more memory than a short one. */
static void unmap_blocks(void)
{
    writer it;
    int64_t i;
    open_file("mapped.trace");
    set_up(&it, &file, 0);
    for (i = 0; i < 200; i++) {
        write_gauges(&it, PAJEWRITE_CONTAINER(1), i * 1000, 1000);
        EXPECT(count_blocks() <= 1);
    }
    EXPECT(pajewrite_finish(&it.w) == PAJEWRITE_OK && count_blocks() == 0 && count_gauges() == 200000);
    unlink(path);
    report("write/blocks: ", "one block is mapped at a time");
}

/* So is a window of a map. */
static void unmap_windows(void)
{
    pajewrite_config config = PAJEWRITE_CONFIG;
    pajewrite_map map;
    writer it;
    int64_t i;
    snprintf(path, sizeof path, "%s/mapped.trace", folder);
    EXPECT(pajewrite_map_open(&map, path, 4096) == PAJEWRITE_OK);
    config.next_buffer = pajewrite_map_next_buffer;
    config.next_buffer_data = &map;
    pajewrite_init(&it.w, NULL, 0, &config);
    for (i = 0; i < 200; i++) {
        write_gauges(&it, PAJEWRITE_CONTAINER(1), i * 100, 100);
        EXPECT(count_blocks() <= 1);
    }
    EXPECT(pajewrite_finish(&it.w) == PAJEWRITE_OK && count_blocks() == 0 && count_gauges() == 20000);
    unlink(path);
    report("write/blocks: ", "one window of a map is mapped at a time");
}

static void kill_process(void)
{
    int i, status;
    for (i = 0; i < 20; i++) {
        const int64_t count = 1 + i * 613;
        pid_t child;
        open_file("killed.trace");
        child = fork();
        if (child == 0) {
            static pajewrite_blocks own; /* the parent's file is not the child's */
            writer it;
            unlink(path);
            pajewrite_blocks_open(&own, path);
            set_up(&it, &own, 0);
            write_gauges(&it, PAJEWRITE_CONTAINER(1), 0, count);
            raise(SIGKILL);
        }
        waitpid(child, &status, 0);
        EXPECT(WIFSIGNALED(status) && count_gauges() == (uint64_t)count);
    }
    report("write/blocks: ", "kill -9: each line is there");
}

static void fork_process(void)
{
    writer it;
    int status = 0;
    pid_t child;
    open_file("forked.trace");
    set_up(&it, &file, 0);
    write_gauges(&it, PAJEWRITE_CONTAINER(1), 0, 10);
    child = fork();
    if (child == 0) {
        writer another;
        write_gauges(&it, PAJEWRITE_CONTAINER(2), 0, 1000);
        set_up(&another, &file, 0);
        _exit(pajewrite_get_status(&it.w) == PAJEWRITE_E_FORKED && another.w.status == PAJEWRITE_E_FORKED ? 7 : 1);
    }
    waitpid(child, &status, 0);
    EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 7);
    write_gauges(&it, PAJEWRITE_CONTAINER(1), 10, 1000);
    EXPECT(pajewrite_finish(&it.w) == PAJEWRITE_OK);
    EXPECT(count_gauges() == 1010);
    report("write/blocks: ", "fork: the child writes nothing into the file");
}

static void limit_size(void)
{
    struct rlimit before, limit;
    writer it;
    open_file("limited.trace");
    getrlimit(RLIMIT_FSIZE, &before);
    limit = before;
    limit.rlim_cur = 30000;
    setrlimit(RLIMIT_FSIZE, &limit); /* SIGXFSZ would end the test */
    set_up(&it, &file, 0);
    write_gauges(&it, PAJEWRITE_CONTAINER(1), 0, 10000);
    EXPECT(pajewrite_finish(&it.w) == PAJEWRITE_E_SINK);
    setrlimit(RLIMIT_FSIZE, &before);
    EXPECT(count_gauges() == pajewrite_count(&it.w).written && pajewrite_count(&it.w).written > 500);
    EXPECT(pajewrite_count(&it.w).written + pajewrite_count(&it.w).dropped == 10000);
    report("write/blocks: ", "limit of the size of files");
}

static void fail_writes(void)
{
    uint32_t n, all = 1000;
    shortens = 1;
    for (n = 0; n <= all && !fault[0]; n++) {
        writer it;
        open_file("full.trace");
        calls = 0;
        fails_at = n;
        set_up(&it, &file, 0);
        write_gauges(&it, PAJEWRITE_CONTAINER(1), 0, 2000);
        EXPECT(pajewrite_finish(&it.w) == (n ? PAJEWRITE_E_SINK : PAJEWRITE_OK));
        EXPECT(count_gauges() == pajewrite_count(&it.w).written);
        EXPECT(pajewrite_count(&it.w).written + pajewrite_count(&it.w).dropped == 2000);
        if (n == 0)
            all = calls;
    }
    shortens = fails_at = 0;
    EXPECT(all > 50);
    report("write/blocks: ", "a write that fails at its n-th call");
}

/* Over NFS, the system tells only when the file is closed that the disk, or a quota, did not take what was written. */
static void fail_closes(void)
{
    uint32_t n;
    shortens = fails_at = 0;
    for (n = 1; n <= 2 && !fault[0]; n++) {
        writer it;
        open_file("full.trace");
        closes = 0;
        close_fails_at = n;
        set_up(&it, &file, 0);
        write_gauges(&it, PAJEWRITE_CONTAINER(1), 0, 2000);
        EXPECT(pajewrite_finish(&it.w) == PAJEWRITE_E_SINK);
        EXPECT(count_gauges() == pajewrite_count(&it.w).written && pajewrite_count(&it.w).dropped > 0);
        EXPECT(pajewrite_count(&it.w).written + pajewrite_count(&it.w).dropped == 2000);
    }
    close_fails_at = 0;
    report("write/blocks: ", "a block that cannot be closed");
}

static writer behind;

static void begin_behind(void)
{
    set_up(&behind, &file, 0);
    write_gauges(&behind, PAJEWRITE_CONTAINER(2), 0, 50);
}

/* A block that cannot be filled though there is another one behind it: its place is taken out of the file at last. */
static void fail_before_another(void)
{
    uint32_t n;
    for (n = 1; n <= 3 && !fault[0]; n++) {
        writer it;
        open_file("full.trace");
        calls = 0;
        fails_at = n;
        meanwhile = begin_behind;
        set_up(&it, &file, 0);
        write_gauges(&it, PAJEWRITE_CONTAINER(1), 0, 2000);
        EXPECT(pajewrite_finish(&it.w) == PAJEWRITE_E_SINK);
        write_gauges(&behind, PAJEWRITE_CONTAINER(2), 50, 10);
        EXPECT(pajewrite_finish(&behind.w) == PAJEWRITE_OK && pajewrite_count(&behind.w).written == 60);
        EXPECT(count_gauges() == pajewrite_count(&it.w).written + 60);
        set_up(&it, &file, 0);
        EXPECT(pajewrite_get_status(&it.w) == PAJEWRITE_E_SINK); /* the disk was full */
    }
    for (ends_early = 1; ends_early >= 0; ends_early--) { /* the file is cut off meanwhile: nothing behind is kept */
        writer it;
        alarm(60);
        open_file("full.trace");
        calls = 0;
        set_up(&it, &file, 0);
        write_gauges(&it, PAJEWRITE_CONTAINER(1), 0, 2000);
        pajewrite_finish(&it.w);
        write_gauges(&behind, PAJEWRITE_CONTAINER(2), 50, 10);
        pajewrite_finish(&behind.w);
        EXPECT(count_gauges() == pajewrite_count(&it.w).written + (ends_early ? 0 : 60));
        alarm(0);
    }
    ends_early = 0;
    meanwhile = NULL;
    fails_at = 0;
    report("write/blocks: ", "a block that fails before another one");
}

/* Each block is four times as large as the one before it, up to 1 MiB; or as large as its first line needs. */
static void grow(void)
{
    static char long_name[700000];
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t expected = page, blocks = 0, length;
    int64_t i;
    writer it;
    open_file("large.trace");
    set_up(&it, &file, page);
    for (i = 0; blocks < 8 && !fault[0]; i++) {
        const size_t before = it.block.size;
        char *const window = it.block.window;
        EXPECT(it.block.size == expected && it.w.size == expected - 1);
        write_gauges(&it, PAJEWRITE_CONTAINER(1), i, 1);
        if (it.block.window != window || it.block.size != before) {
            expected = expected < 1 << 18 ? 4 * expected : 1 << 20;
            blocks++;
        }
    }
    EXPECT(pajewrite_finish(&it.w) == PAJEWRITE_OK && count_gauges() == (uint64_t)i);
    memset(long_name, 'x', sizeof long_name - 1);
    for (length = 4 * page - 300; length < 4 * page; length++) { /* which need the next block, a byte less or more */
        set_up(&it, &file, page);
        pajewrite_define_value(&it.w, PAJEWRITE_VALUE(1), state, long_name + sizeof long_name - 1 - length, NULL);
        EXPECT(it.block.size == 4 * page || it.block.size == 8 * page);
        EXPECT(pajewrite_finish(&it.w) == PAJEWRITE_OK);
    }
    set_up(&it, &file, page);
    pajewrite_define_value(&it.w, PAJEWRITE_VALUE(1), state, long_name, NULL);
    EXPECT(it.block.size == 1 << 20); /* the first of these sizes that is large enough */
    EXPECT(pajewrite_finish(&it.w) == PAJEWRITE_OK);
    unlink(path);
    report("write/blocks: ", "sizes of blocks");
}

static void replace_file(void)
{
    char other[600];
    struct stat about;
    writer it;
    int descriptor;
    open_file("replaced.trace");
    set_up(&it, &file, 0);
    snprintf(other, sizeof other, "%s.moved", path);
    EXPECT(rename(path, other) == 0);
    descriptor = open(path, O_WRONLY | O_CREAT, 0666);
    close(descriptor);
    errno = 0;
    write_gauges(&it, PAJEWRITE_CONTAINER(1), 0, 1000);
    EXPECT(errno == 0);
    EXPECT(pajewrite_finish(&it.w) == PAJEWRITE_E_SINK);
    EXPECT(stat(path, &about) == 0 && about.st_size == 0);
    EXPECT(pajewrite_blocks_open(&file, path) == PAJEWRITE_E_SINK); /* it exists */
    set_up(&it, &file, 0);
    EXPECT(pajewrite_get_status(&it.w) == PAJEWRITE_E_SINK);
    report("write/blocks: ", "a file that was replaced is not touched");
}

/* As in a daemon, whose files may have descriptor 0. */
static void close_input(void)
{
    const int kept = dup(STDIN_FILENO);
    writer it;
    close(STDIN_FILENO);
    open_file("daemon.trace");
    set_up(&it, &file, 0);
    write_gauges(&it, PAJEWRITE_CONTAINER(1), 0, 10000);
    EXPECT(fcntl(STDIN_FILENO, F_GETFD) < 0); /* where the program would read it */
    EXPECT(pajewrite_finish(&it.w) == PAJEWRITE_OK && count_gauges() == 10000);
    if (kept >= 0) {
        dup2(kept, STDIN_FILENO);
        close(kept);
    }
    unlink(path);
    report("write/blocks: ", "no standard input");
}

/* Returns how many bytes of addresses are in use. */
static size_t address_space(void)
{
    unsigned long pages = 0;
    FILE *stream = fopen("/proc/self/statm", "r");
    if (stream && fscanf(stream, "%lu", &pages) != 1)
        pages = 0;
    if (stream)
        fclose(stream);
    return (size_t)pages * 4096;
}

/* A file of which no large block can be mapped: the status says so, and the addresses are free again. */
static void not_mapped(void)
{
    size_t before = 0;
    int i;
    for (i = 0; i < 100; i++) {
        writer it;
        open_file("not-mapped.trace");
        set_up(&it, &file, 0);
        maps_little = 1;
        write_gauges(&it, PAJEWRITE_CONTAINER(1), 0, 100000);
        EXPECT(pajewrite_finish(&it.w) == PAJEWRITE_E_SINK);
        maps_little = 0;
        if (i == 2)
            before = address_space();
    }
    EXPECT(address_space() < before + (2 << 20));
    unlink(path);
    report("write/blocks: ", "a file of which no large block can be mapped");
}

static int count_windows(void)
{
    const pajewrite__windows *block;
    size_t i;
    int count = 0;
    for (block = &pajewrite__first_windows; block; block = block->next)
        for (i = 0; i < sizeof block->window / sizeof *block->window; i++)
            count += block->window[i].used != 0;
    return count;
}

/* What a block needs for children to know of it is free for others when its context is finished. */
static void one_by_one(void)
{
    const int before = count_windows();
    int i;
    open_file("one-by-one.trace");
    for (i = 0; i < 100; i++) {
        writer it;
        set_up(&it, &file, 0);
        write_gauges(&it, PAJEWRITE_CONTAINER(1), 0, 10);
        EXPECT(pajewrite_finish(&it.w) == PAJEWRITE_OK && count_windows() == before);
    }
    unlink(path);
    report("write/blocks: ", "contexts one after another take no memory");
}

/* A file in memory, whose blocks are mapped at once. */
static void in_memory(void)
{
    const char *const before = folder;
    char name[40];
    writer it;
    snprintf(name, sizeof name, "paje-blocks-%ld.trace", (long)getpid());
    folder = "/dev/shm";
    if (access(folder, W_OK) == 0) {
        open_file(name);
        set_up(&it, &file, 0);
        write_gauges(&it, PAJEWRITE_CONTAINER(1), 0, 100000);
        EXPECT(pajewrite_finish(&it.w) == PAJEWRITE_OK && count_gauges() == 100000);
        unlink(path);
    }
    folder = before;
    report("write/blocks: ", "a file in memory");
}

/* ---- signals */

static writer handler_writer;
static int64_t handled;
static void handle(int signal)
{
    const int before = errno;
    (void)signal;
    pajewrite_set_variable(&handler_writer.w, PAJEWRITE_CONTAINER(2), gauge, handled++);
    if (errno != before)
        fail("errno is changed");
}

static void write_in_handler(void)
{
    struct itimerval each, none;
    struct sigaction action;
    writer it;
    int64_t count = 0;
    open_file("handler.trace");
    set_up(&handler_writer, &file, 0);
    memset(&action, 0, sizeof action);
    memset(&each, 0, sizeof each);
    memset(&none, 0, sizeof none);
    action.sa_handler = handle;
    action.sa_flags = SA_RESTART;
    sigaction(SIGALRM, &action, NULL);
    each.it_interval.tv_usec = each.it_value.tv_usec = 100;
    setitimer(ITIMER_REAL, &each, NULL);
    while (*(volatile int64_t *)&handled < 1000 && count < 10000000) {
        set_up(&it, &file, 0); /* takes a block each time */
        write_gauges(&it, PAJEWRITE_CONTAINER(1), count, 10);
        count += 10;
        if (pajewrite_finish(&it.w))
            fail("%s", pajewrite_problem(&it.w));
    }
    setitimer(ITIMER_REAL, &none, NULL);
    EXPECT(pajewrite_finish(&handler_writer.w) == PAJEWRITE_OK);
    EXPECT(count_gauges() == (uint64_t)(count + handled));
    unlink(path);
    report("write/blocks: ", "a signal handler takes blocks, too");
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    folder = argv[1];
    origin = pajewrite_monotonic(NULL);
    run_threads();
    write_by_tracks();
    unmap_blocks();
    unmap_windows();
    kill_process();
    fork_process();
    limit_size();
    fail_writes();
    fail_closes();
    fail_before_another();
    grow();
    replace_file();
    close_input();
    in_memory();
    one_by_one();
    not_mapped();
    write_in_handler();
    return failed != 0;
}
