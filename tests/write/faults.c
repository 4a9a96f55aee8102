/* pajewrite.h when something fails: the sink, the disk, the process.
 *
 * usage: faults                      the cases
 *        faults --full-disk FOLDER   one more case, in a file system with less than 4 MiB */
#define _POSIX_C_SOURCE 200809L
#include <sys/uio.h>
#include <unistd.h>
#define write test_write /* sometimes short, sometimes interrupted */
#define pwrite test_pwrite
#define writev test_writev
static ssize_t test_write(int descriptor, const void *bytes, size_t size);
static ssize_t test_pwrite(int descriptor, const void *bytes, size_t size, off_t at);
static ssize_t test_writev(int descriptor, const struct iovec *pieces, int count);
#include "write.h"
#undef write
#undef pwrite
#undef writev
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

static char content[1 << 22];

/* Reads a file. */
static size_t contents(const char *path)
{
    int descriptor = open(path, O_RDONLY);
    ssize_t size = descriptor < 0 ? -1 : pread(descriptor, content, sizeof content, 0);
    if (size < 0)
        fail("%s cannot be read", path);
    close(descriptor);
    return size < 0 ? 0 : (size_t)size;
}

static void failing_sinks(void)
{
    int setup, n, calls_of_all;
    for (setup = 0; setup < 3; setup++) {
        char *wanted = NULL;
        size_t wanted_size = 0;
        calls_of_all = 1;
        for (n = 0; n <= calls_of_all && !fault[0]; n++) {
            pajewrite_counts counts;
            pajewrite_status status;
            pajewrite_config config = config_of();
            uint64_t called, all; /* with a table, open entities are closed at the end; drops are reported later */
            if (setup) {
                config.table = table;
                config.table_entries = 1000;
                without_end = 1;
            }
            config.when_full = setup == 2 ? PAJEWRITE_DROP : PAJEWRITE_FLUSH;
            flushes = setup == 2;
            out.fail_at = n;
            pajewrite_init(&w, buffer, setup == 2 ? 4000 : 400, &config);
            run_program(&w, 6, 600);
            called = call_count + definitions;
            status = pajewrite_finish(&w);
            counts = pajewrite_count(&w);
            if (n == 0) {
                calls_of_all = out.calls;
                wanted_size = out.size;
                wanted = (char *)malloc(wanted_size);
                memcpy(wanted, out.bytes, wanted_size);
            }
            if (status != (n ? PAJEWRITE_E_SINK : PAJEWRITE_OK))
                fail("call %d fails, and the status is: %s", n, pajewrite_status_text(status));
            if (out.size > wanted_size || memcmp(out.bytes, wanted, out.size) != 0)
                fail("call %d fails, and what was taken before differs", n);
            if (counts.written != records_of(out.bytes, out.size))
                fail("call %d fails: %zu records taken, %" PRIu64 " counted", n, records_of(out.bytes, out.size),
                     counts.written);
            all = counts.written + counts.dropped;
            if (all < called || all > called + (setup == 0 ? 0 : setup == 1 ? CONTAINERS : called) || counts.refused)
                fail("call %d fails: %" PRIu64 " written and %" PRIu64 " dropped of %" PRIu64, n, counts.written,
                     counts.dropped, called);
        }
        free(wanted);
        if (calls_of_all < 5 && !fault[0])
            fail("setup %d: %d calls only", setup, calls_of_all);
    }
    flushes = without_end = 0;
    end_case("sink that fails at its n-th call");
}

static int shorten;                   /* 1: calls are interrupted and short, at random */
static int write_calls, write_fail_at; /* calls with bytes so far, and the one that fails; 0: none */
static int is_disturbed(size_t *size)
{
    if (!shorten)
        return 0;
    if (!below(3)) {
        errno = EINTR;
        return 1;
    }
    if (++write_calls == write_fail_at) {
        errno = ENOSPC;
        return 1;
    }
    *size = 1 + below((uint32_t)(*size < 50 ? *size : 50));
    return 0;
}

static ssize_t test_pwrite(int descriptor, const void *bytes, size_t size, off_t at)
{
    return is_disturbed(&size) ? -1 : pwrite(descriptor, bytes, size, at);
}

/* The write of mapped files. */
static ssize_t test_writev(int descriptor, const struct iovec *pieces, int count)
{
    size_t size = pieces->iov_len;
    return is_disturbed(&size) ? -1 : shorten ? write(descriptor, pieces->iov_base, size)
                                              : writev(descriptor, pieces, count);
}

/* The write of files that are not regular. */
static ssize_t test_write(int descriptor, const void *bytes, size_t size) { return write(descriptor, bytes, size); }

/* Returns the size of the whole lines in `content`: a write that failed or was killed may leave a torn one at the
 * end. */
static size_t whole_lines(size_t size)
{
    while (size && content[size - 1] != '\n')
        size--;
    return size;
}

static void failing_writes(void)
{
    int n, calls_of_all = 2;
    char *wanted = NULL;
    size_t wanted_size = 0;
    for (n = 0; n <= calls_of_all && !fault[0]; n++) {
        FILE *stream = tmpfile();
        pajewrite_config config = PAJEWRITE_CONFIG;
        pajewrite_counts counts;
        pajewrite_file file;
        size_t size, records;
        if (!stream)
            exit(3);
        pajewrite_file_init(&file, fileno(stream));
        config.sink = pajewrite_to_file;
        config.sink_data = &file;
        pajewrite_init(&w, buffer, 400, &config);
        shorten = 1;
        write_calls = 0;
        write_fail_at = n;
        run_program(&w, 6, 40);
        pajewrite_finish(&w);
        shorten = 0;
        counts = pajewrite_count(&w);
        size = (size_t)pread(fileno(stream), content, sizeof content, 0);
        fclose(stream);
        if (n == 0) {
            calls_of_all = write_calls;
            wanted_size = size;
            wanted = (char *)malloc(size);
            memcpy(wanted, content, size);
        }
        records = records_of(content, size);
        if (whole_lines(size) < size)
            fail("call %d fails, and the last line is torn", n);
        if (pajewrite_get_status(&w) != (n ? PAJEWRITE_E_SINK : PAJEWRITE_OK))
            fail("call %d fails, and the status is: %s", n, pajewrite_status_text(pajewrite_get_status(&w)));
        if (size > wanted_size || memcmp(content, wanted, size) != 0)
            fail("call %d fails, and what was written before differs", n);
        if (counts.written > records || counts.written + counts.dropped != call_count + definitions)
            fail("call %d fails: %" PRIu64 " are said to be written, %zu are there", n, counts.written, records);
    }
    free(wanted);
    if (calls_of_all < 100 && !fault[0])
        fail("%d calls only", calls_of_all);
    end_case("write that fails at its n-th call");
}

/* Fills a disk, with each of the predefined sinks: the file is valid, and has no less than the counts say. */
static void full_disk(const char *folder, const char *name)
{
    enum { A_FILE, A_STREAM, A_MAP, SINKS };
    char path[200];
    int sink;
    snprintf(path, sizeof path, "%s/write-full.trace", folder);
    for (sink = 0; sink < SINKS && !fault[0]; sink++) {
        signal(SIGXFSZ, sink == A_STREAM ? SIG_IGN : SIG_DFL);
        static const char *const sinks[] = {"pajewrite_file", "FILE", "pajewrite_map"};
        pajewrite_config config = PAJEWRITE_CONFIG;
        pajewrite_counts counts;
        pajewrite_file file;
        pajewrite_map map;
        FILE *stream = sink == A_MAP ? NULL : fopen(path, "w");
        uint64_t called, records;
        size_t size, whole;
        if (sink == A_MAP) {
            pajewrite_map_open(&map, path, 30000);
            config.next_buffer = pajewrite_map_next_buffer;
            config.next_buffer_data = &map;
        } else if (!stream) {
            fail("%s cannot be written", path);
            break;
        } else {
            pajewrite_file_init(&file, fileno(stream));
            config.sink = sink == A_FILE ? pajewrite_to_file : pajewrite_to_stream;
            config.sink_data = sink == A_FILE ? (void *)&file : (void *)stream;
        }
        pajewrite_init(&w, buffer, 10000, &config);
        pajewrite_header(&w);
        pajewrite_define_variable_type(&w, GAUGE, PAJEWRITE_ROOT_TYPE, "gauge", NULL);
        called = pajewrite_count(&w).written;
        for (; called < 1000000 && !pajewrite_get_status(&w); called++)
            pajewrite_set_variable(&w, PAJEWRITE_ROOT, GAUGE, (int64_t)called);
        for (size = 0; size < 1000; size++, called++)
            pajewrite_set_variable(&w, PAJEWRITE_ROOT, GAUGE, 0);
        if (pajewrite_finish(&w) != PAJEWRITE_E_SINK)
            fail("%s: status: %s", sinks[sink], pajewrite_status_text(pajewrite_get_status(&w)));
        counts = pajewrite_count(&w);
        if (stream)
            fclose(stream);
        size = contents(path);
        unlink(path);
        whole = whole_lines(size);
        if (sink != A_STREAM && whole < size)
            fail("%s: the last line is torn", sinks[sink]);
        if (memchr(content, 0, size))
            fail("%s: there are NUL bytes in the file", sinks[sink]);
        if (sink == A_MAP && size > 1 && content[size - 2] == '\n')
            fail("%s: the file does not end with its last line", sinks[sink]);
        replay(content, whole, 0, 0);
        records = records_of(content, whole);
        if (counts.written + counts.dropped != called || counts.written < 500 || counts.written > records ||
            (sink == A_MAP && counts.written != records))
            fail("%s: of %" PRIu64 ", %" PRIu64 " are said to be written and %" PRIu64 " dropped, %" PRIu64
                 " are there", sinks[sink], called, counts.written, counts.dropped, records);
    }
    end_case(name);
}

/* Limits the size of files: for the writer like a full disk. */
static void limited_files(void)
{
    struct rlimit limit, was;
    getrlimit(RLIMIT_FSIZE, &was);
    limit = was;
    limit.rlim_cur = 123456;
    setrlimit(RLIMIT_FSIZE, &limit);
    full_disk("build", "file that may not grow");
    setrlimit(RLIMIT_FSIZE, &was);
}

static void files(void)
{
    char path[] = "/tmp/pajewrite-XXXXXX";
    int descriptor = mkstemp(path);
    pajewrite_file file;
    pajewrite_config config = config_of();
    size_t size;
    FILE *stream;
    unlink(path);
    if (descriptor < 0) {
        fail("no temporary file");
    } else {
        pajewrite_file_init(&file, descriptor);
        config.sink = pajewrite_to_file;
        config.sink_data = &file;
        pajewrite_init(&w, buffer, 1000, &config);
        shorten = 1;
        run_program(&w, 7, 1000);
        if (pajewrite_finish(&w))
            fail("status: %s", pajewrite_status_text(pajewrite_get_status(&w)));
        shorten = 0;
        size = (size_t)pread(descriptor, content, sizeof content, 0);
        replay(content, size, 1, 0);
        close(descriptor);
    }
    end_case("short and interrupted writes");

    stream = tmpfile();
    config.sink = pajewrite_to_stream;
    config.sink_data = stream;
    pajewrite_init(&w, buffer, 1000, &config);
    run_program(&w, 8, 1000);
    if (pajewrite_finish(&w))
        fail("status: %s", pajewrite_status_text(pajewrite_get_status(&w)));
    rewind(stream);
    size = fread(content, 1, sizeof content, stream);
    fclose(stream);
    replay(content, size, 1, 0);
    end_case("FILE");

    config.sink_data = NULL;
    pajewrite_init(&w, buffer, 1000, &config);
    run_program(&w, 8, 1000);
    if (pajewrite_finish(&w) != PAJEWRITE_E_SINK || pajewrite_count(&w).written)
        fail("status: %s", pajewrite_status_text(pajewrite_get_status(&w)));
    end_case("a FILE that could not be opened");

    descriptor = open("/dev/full", O_WRONLY);
    if (descriptor < 0) {
        printf("SKIP write/full disk: no /dev/full (install a system that has it)\n");
    } else {
        pajewrite_counts counts;
        pajewrite_file_init(&file, descriptor);
        config.sink = pajewrite_to_file;
        config.sink_data = &file;
        pajewrite_init(&w, buffer, 1000, &config);
        run_program(&w, 9, 100);
        if (pajewrite_finish(&w) != PAJEWRITE_E_SINK)
            fail("status: %s", pajewrite_status_text(pajewrite_get_status(&w)));
        counts = pajewrite_count(&w);
        if (counts.written || counts.dropped != call_count + definitions)
            fail("%" PRIu64 " are said to be written, %" PRIu64 " dropped", counts.written, counts.dropped);
        close(descriptor);
        stream = fopen("/dev/full", "w");
        config.sink = pajewrite_to_stream;
        config.sink_data = stream;
        pajewrite_init(&w, buffer, 1000, &config);
        pajewrite_header(&w);
        if (pajewrite_finish(&w) != PAJEWRITE_E_SINK)
            fail("FILE: status: %s", pajewrite_status_text(pajewrite_get_status(&w)));
        fclose(stream);
        end_case("full disk");
    }
}

static void maps(void)
{
    static const char path[] = "build/write-map.trace";
    pajewrite_map map;
    pajewrite_config config = PAJEWRITE_CONFIG;
    pajewrite_status status;
    uint32_t i;
    size_t size;
    for (i = 0; i < 20 && !fault[0]; i++) { /* windows of every number of pages */
        if (pajewrite_map_open(&map, path, i * 3000))
            fail("%s cannot be opened", path);
        config.next_buffer = pajewrite_map_next_buffer;
        config.next_buffer_data = &map;
        pajewrite_init(&w, NULL, 0, &config);
        run_program(&w, i, 3000);
        status = pajewrite_finish(&w);
        if (status)
            fail("status: %s", pajewrite_status_text(status));
        size = contents(path);
        replay(content, size, 1, 0);
        if (size < 2 || content[size - 1] != '\n' || content[size - 2] == '\n')
            fail("the file does not end with its last line");
    }
    end_case("mapped file");

    if (pajewrite_map_open(&map, "/dev/full", 0) == PAJEWRITE_OK) {
        pajewrite_init(&w, NULL, 0, &config);
        run_program(&w, 1, 100);
        status = pajewrite_finish(&w);
        if (status != PAJEWRITE_E_SINK || pajewrite_count(&w).written ||
            pajewrite_count(&w).dropped != call_count + definitions)
            fail("full disk: status %s, %" PRIu64 " written", pajewrite_status_text(status),
                 pajewrite_count(&w).written);
    }
    if (pajewrite_map_open(&map, "/nonexistent/x", 0) != PAJEWRITE_E_SINK ||
        (pajewrite_init(&w, NULL, 0, &config), pajewrite_finish(&w)) != PAJEWRITE_E_SINK)
        fail("a file that cannot be opened");
    unlink(path);
    end_case("mapped file that has no room");
}

/* The progress of a process, shared with the process that kills it. */
typedef struct progress {
    volatile uint64_t written; /* number of lines: in a map they are in the file, */
    volatile uint64_t taken;   /* in the buffer of a pajewrite_file only after the sink has returned */
} progress;

static pajewrite_file killed_file;
static progress *told;

static pajewrite_status to_file_and_tell(void *data, const char *bytes, size_t size)
{
    pajewrite_status status = pajewrite_to_file(data, bytes, size);
    told->taken += records_of(bytes, size);
    return status;
}

/* Writes until it is killed. */
static void write_on(const char *path, int mapped)
{
    pajewrite_map map;
    pajewrite_config config = PAJEWRITE_CONFIG;
    uint64_t n;
    if (mapped) {
        pajewrite_map_open(&map, path, 4096);
        config.next_buffer = pajewrite_map_next_buffer;
        config.next_buffer_data = &map;
    } else {
        pajewrite_file_init(&killed_file, open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600));
        config.sink = to_file_and_tell;
        config.sink_data = &killed_file;
    }
    pajewrite_init(&w, buffer, 2000, &config);
    pajewrite_header(&w);
    pajewrite_define_state_type(&w, STATE, PAJEWRITE_ROOT_TYPE, "state");
    pajewrite_define_variable_type(&w, GAUGE, PAJEWRITE_ROOT_TYPE, "gauge", NULL);
    told->written = pajewrite_count(&w).written;
    for (n = 0;; n++) {
        if (n % 3 == 0)
            pajewrite_push_state(&w, PAJEWRITE_ROOT, STATE, PAJEWRITE_VALUE(1 + (uint32_t)n % 5));
        else if (n % 3 == 1)
            pajewrite_set_variable(&w, PAJEWRITE_ROOT, GAUGE, (int64_t)(n * n * n));
        else
            pajewrite_pop_state(&w, PAJEWRITE_ROOT, STATE);
        told->written++;
    }
}

static void killed(int mapped)
{
    static const char path[] = "build/write-killed.trace";
    uint32_t i;
    uint64_t most = 0;
    FILE *shared = tmpfile();
    if (!shared || ftruncate(fileno(shared), sizeof *told) != 0)
        exit(3);
    told = (progress *)mmap(NULL, sizeof *told, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(shared), 0);
    for (i = 0; i < 40 && !fault[0]; i++) {
        struct timespec pause = {0, 0};
        pid_t child;
        size_t size, whole;
        uint64_t there, least, at_most;
        told->written = told->taken = 0;
        fflush(stdout);
        child = fork();
        if (child < 0) {
            fail("no process: %s", strerror(errno));
            break;
        }
        if (child == 0)
            write_on(path, mapped);
        pause.tv_nsec = 1000000 + (long)below(3000000);
        do
            nanosleep(&pause, NULL);
        while (!told->written && waitpid(child, NULL, WNOHANG) == 0); /* written once all definitions are */
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
        least = mapped ? told->written : told->taken;
        at_most = told->written + 1;
        size = contents(path);
        whole = mapped ? size : whole_lines(size); /* a write in progress may be torn */
        if (memchr(content, 0, size))
            fail("there are NUL bytes in the file");
        if (size == sizeof content)
            continue;
        replay(content, whole, 0, 0);
        there = records_of(content, whole);
        if (there < least || there > at_most)
            fail("%" PRIu64 " to %" PRIu64 " records were written, %" PRIu64 " are in the file", least, at_most, there);
        if (there > most)
            most = there;
    }
    if (most < 1000 && !fault[0])
        fail("%" PRIu64 " records at most", most);
    munmap(told, sizeof *told);
    fclose(shared);
    unlink(path);
    end_case(mapped ? "mapped file of a process that was killed" : "file of a process that was killed");
}

static void forks(void)
{
    static const char path[] = "build/write-fork.trace";
    int mapped; /* 2: in many small pieces */
    for (mapped = 0; mapped < 3; mapped++) {
        pajewrite_map map;
        pajewrite_file file;
        pajewrite_config config = PAJEWRITE_CONFIG;
        pid_t child;
        int answer = 0, descriptor = -1;
        if (mapped) {
            pajewrite_map_open(&map, path, mapped == 2 ? 4096 : 0);
            config.next_buffer = pajewrite_map_next_buffer;
            config.next_buffer_data = &map;
        } else {
            descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
            pajewrite_file_init(&file, descriptor);
            config.sink = pajewrite_to_file;
            config.sink_data = &file;
        }
        pajewrite_init(&w, buffer, sizeof buffer, &config);
        run_program(&w, 4, 300);
        fflush(stdout);
        child = fork();
        if (child == 0) {
            uint32_t i;
            for (i = 0; i < 100000; i++)
                pajewrite_push_state(&w, PAJEWRITE_CONTAINER(77), STATE, PAJEWRITE_VALUE(1));
            _exit(pajewrite_finish(&w) == PAJEWRITE_E_FORKED ? 0 : 1);
        }
        waitpid(child, &answer, 0);
        if (answer != 0)
            fail("the child of a fork ends with %d", answer);
        if (mapped) /* the child has left nothing, not even after the last line */
            replay(content, contents(path), 1, 0);
        if (pajewrite_finish(&w))
            fail("status: %s", pajewrite_status_text(pajewrite_get_status(&w)));
        replay(content, contents(path), 1, 0);
        close(descriptor);
        unlink(path);
    }
    end_case("fork");
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "--full-disk") == 0) {
        full_disk(argv[2], "small disk");
        return failed != 0;
    }
    failing_sinks();
    failing_writes();
    files();
    limited_files();
    maps();
    killed(0);
    killed(1);
    forks();
    return failed != 0;
}
