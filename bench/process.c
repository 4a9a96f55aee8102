/* Measures whole processes on a trace in a file: CPU time and elapsed time from fork to end, greatest resident memory.
 * In every round each command runs in turn; its output goes to /dev/null.  The first is always `memchr`: a process that
 * maps the file and counts its newlines.
 *
 *     process ROUNDS PREFIX TRACE (NAME COMMAND)...
 *
 * In a command, @ stands for the file; without it, the file is the standard input, by way of a pipe if the command
 * begins with |. */
#define _DEFAULT_SOURCE
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

enum { COMMANDS_MAX = 32, WORDS_MAX = 16, ROUNDS_MAX = 999 };

typedef struct {
    const char *name;
    char *words[WORDS_MAX + 1]; /* none: memchr */
    int piped, named;
    double cpu[ROUNDS_MAX], elapsed[ROUNDS_MAX];
    long resident; /* KiB */
} command;

static command commands[COMMANDS_MAX];
static int count, rounds;
static const char *trace;
static off_t size;

static void fail(const char *what)
{
    fprintf(stderr, "process: %s: %s\n", what, strerror(errno));
    exit(3);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void count_newlines(int file)
{
    const char *bytes = size ? mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, file, 0) : "", *end = bytes + size;
    unsigned long long lines = 0;
    if (bytes == MAP_FAILED)
        fail(trace);
    while ((bytes = memchr(bytes, '\n', (size_t)(end - bytes))) != NULL) {
        bytes++;
        lines++;
    }
    printf("%llu\n", lines);
    exit(fflush(stdout) ? 3 : 0);
}

/* Starts a process that writes the file into a pipe; returns the other end of the pipe. */
static int pipe_from(int file, pid_t *pid)
{
    static char bytes[1 << 16];
    int ends[2];
    ssize_t n;
    if (pipe(ends) < 0 || (*pid = fork()) < 0)
        fail("a pipe");
    if (*pid) {
        close(ends[1]);
        return ends[0];
    }
    close(ends[0]);
    while ((n = read(file, bytes, sizeof bytes)) > 0)
        if (write(ends[1], bytes, (size_t)n) != n)
            _exit(3);
    _exit(0);
}

static void run(command *c, int r)
{
    int file = open(trace, O_RDONLY), input, status;
    pid_t feeder = 0, pid;
    struct rusage usage;
    double began = now();
    if (file < 0)
        fail(trace);
    input = c->piped ? pipe_from(file, &feeder) : file;
    if ((pid = fork()) < 0)
        fail("fork");
    if (pid == 0) {
        int null = open("/dev/null", O_WRONLY);
        if (null < 0 || dup2(null, STDOUT_FILENO) < 0 || (!c->named && dup2(input, STDIN_FILENO) < 0))
            fail("/dev/null");
        if (!c->words[0])
            count_newlines(file);
        execvp(c->words[0], c->words);
        fail(c->words[0]);
    }
    if (wait4(pid, &status, 0, &usage) < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        fprintf(stderr, "process: %s ended badly\n", c->name);
        exit(1);
    }
    c->elapsed[r] = now() - began;
    c->cpu[r] = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
    if (usage.ru_maxrss > c->resident)
        c->resident = usage.ru_maxrss;
    if (c->piped) {
        close(input);
        waitpid(feeder, NULL, 0);
    }
    close(file);
}

static void add(const char *name, char *text)
{
    command *c = commands + count++;
    int n = 0;
    char *word;
    c->name = name;
    c->piped = text[0] == '|';
    for (word = strtok(text + c->piped, " "); word && n < WORDS_MAX; word = strtok(NULL, " ")) {
        int named = strcmp(word, "@") == 0;
        c->named |= named;
        c->words[n++] = named ? (char *)(uintptr_t)trace : word;
    }
}

static void report(const char *prefix, command *c)
{
    double median = bench_median(c->cpu, rounds), cpu = c->cpu[0];
    bench_median(c->elapsed, rounds);
    printf("bench %s/%s/cpu %.3f ms\n", prefix, c->name, 1e3 * cpu);
    printf("bench %s/%s/median-cpu %.3f ms\n", prefix, c->name, 1e3 * median);
    printf("bench %s/%s/elapsed %.3f ms\n", prefix, c->name, 1e3 * c->elapsed[0]);
    printf("bench %s/%s/speed %.1f MB/s\n", prefix, c->name, (double)size / cpu / 1e6);
    if (c != commands)
        printf("bench %s/%s/ratio %.3f of-memchr\n", prefix, c->name, commands[0].cpu[0] / cpu);
    printf("bench %s/%s/resident %ld KiB\n", prefix, c->name, c->resident);
}

int main(int argc, char **argv)
{
    struct stat status;
    int i, r;
    if (argc < 4 || argc % 2 || (rounds = atoi(argv[1])) < 1 || rounds > ROUNDS_MAX ||
        argc - 4 > 2 * (COMMANDS_MAX - 1)) {
        fputs("usage: process ROUNDS PREFIX TRACE (NAME COMMAND)...\n", stderr);
        return 2;
    }
    trace = argv[3];
    if (stat(trace, &status) < 0)
        fail(trace);
    size = status.st_size;
    signal(SIGPIPE, SIG_IGN);
    add("memchr", (char[]){""});
    for (i = 4; i < argc; i += 2)
        add(argv[i], argv[i + 1]);
    for (r = 0; r < rounds; r++)
        for (i = 0; i < count; i++)
            run(commands + i, r);
    for (i = 0; i < count; i++)
        report(argv[2], commands + i);
    return 0;
}
