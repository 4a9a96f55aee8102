/* The experiment of section 6.1.2 of T. L. Bellini's "Extensible Simulator for Replay of Trace Files in the Paje
 * format": how the size of batches affects the load of a trace into a database.  It runs between `paje sql` and the
 * client of the database, waits after each transaction until the client has finished it, and traces itself: a container
 * for each load, all beginning at 0, whose state is the current activity: the simulation, the insertion of a batch, or,
 * at the end, the indexes.  Each load is done so many times, in random order.
 *
 *     sql OUT.trace PAJE DIALECT CLIENT TIMES (NAME TRACE DATABASE ROWS)...
 *
 * CLIENT is called with DATABASE; if that is no file of its own, it empties the database first.
 */
#define _DEFAULT_SOURCE
#define _POSIX_C_SOURCE 200809L
#define PAJEWRITE_IMPLEMENTATION
#include "pajewrite.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LEVELS = 6, LINE = 1 << 20, MOST = 1000 };

static const pajewrite_type load_type = {1}, activity = {2};
static const pajewrite_value simulate = {1}, insert = {2}, finish = {3};
static const char done[] = "SELECT 'done';\n";

typedef struct child {
    pid_t pid;
    FILE *in, *out; /* its standard input and output */
} child;

static void fail(const char *what)
{
    fprintf(stderr, "sql: %s: %s\n", what, strerror(errno));
    exit(3);
}

static child start(char **command, int takes)
{
    int in[2], out[2];
    child it = {0, NULL, NULL};
    if ((takes && pipe(in) < 0) || pipe(out) < 0 || (it.pid = fork()) < 0)
        fail("a process cannot be started");
    if (it.pid == 0) {
        if (takes && (dup2(in[0], STDIN_FILENO) < 0 || close(in[0]) < 0 || close(in[1]) < 0))
            _exit(127);
        if (dup2(out[1], STDOUT_FILENO) < 0 || close(out[0]) < 0 || close(out[1]) < 0)
            _exit(127);
        execvp(command[0], command);
        perror(command[0]);
        _exit(127);
    }
    close(out[1]);
    it.out = fdopen(out[0], "r");
    fcntl(out[0], F_SETFD, FD_CLOEXEC);
    if (takes) {
        close(in[0]);
        fcntl(in[1], F_SETFD, FD_CLOEXEC); /* otherwise no client after this one would see the end of its input */
        it.in = fdopen(in[1], "w");
    }
    return it;
}

/* Returns the greatest resident memory in KiB; adds the CPU time. */
static long end(child *it, double *cpu)
{
    struct rusage usage;
    int status;
    if (it->in && fclose(it->in) == EOF)
        fail("the client");
    fclose(it->out);
    if (wait4(it->pid, &status, 0, &usage) < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
        fail("a process ended badly");
    *cpu += (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
            1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
    return usage.ru_maxrss;
}

static double seconds(uint64_t nanoseconds)
{
    return 1e-9 * (double)nanoseconds;
}

/* How the loads are done. */
static struct {
    char *paje, *dialect, *client;
} with;

/* `time`: the first one of a load, from 0, or a later one. */
static void load(pajewrite *w, uint32_t number, char **which, int level, int time)
{
    static char line[LINE];
    char name[64], option[32], reply[64];
    unsigned long long rows = strtoull(which[3], NULL, 10) >> level;
    char *sql[] = {with.paje, (char[]){"sql"}, (char[]){"--dialect"}, with.dialect, (char[]){"--batch"}, option,
                   which[1], NULL};
    char *database[] = {with.client, which[2], NULL};
    pajewrite_container here = {number};
    uint64_t began, inserting = 0;
    unsigned batches = 0;
    long memory[2];
    double cpu = 0;

    snprintf(option, sizeof option, "%llu", level == 0 ? 0 : rows);
    snprintf(name, sizeof name, time ? "%s %c %d" : "%s %c", which[0], 'A' + level, time + 1);
    unlink(which[2]);
    child reader = start(sql, 0), writer = start(database, 1);
    began = pajewrite_monotonic(NULL);
    pajewrite_create_container_at(w, 0, here, load_type, PAJEWRITE_ROOT, name);
    pajewrite_set_state_at(w, 0, here, activity, simulate);
    while (fgets(line, sizeof line, reader.out)) {
        uint64_t before = pajewrite_monotonic(NULL);
        int ends = strcmp(line, "COMMIT;\n") == 0;
        if (strcmp(line, "BEGIN;\n") == 0)
            pajewrite_set_state_at(w, before - began, here, activity, insert);
        if (fputs(line, writer.in) == EOF || (ends && (fputs(done, writer.in) == EOF || fflush(writer.in) == EOF)))
            fail("the client");
        if (ends && !fgets(reply, sizeof reply, writer.out))
            fail("the client");
        uint64_t after = pajewrite_monotonic(NULL);
        inserting += after - before;
        if (ends) {
            pajewrite_set_state_at(w, after - began, here, activity, simulate);
            batches++;
        }
    }
    pajewrite_set_state_at(w, pajewrite_monotonic(NULL) - began, here, activity, finish);
    memory[0] = end(&reader, &cpu);
    memory[1] = end(&writer, &cpu);
    uint64_t whole = pajewrite_monotonic(NULL) - began;
    pajewrite_destroy_container_at(w, whole, here, load_type);
    printf("bench sql/%s/%c/batches %u batches\n", which[0], 'A' + level, batches);
    printf("bench sql/%s/%c/time %.3f s\n", which[0], 'A' + level, seconds(whole));
    printf("bench sql/%s/%c/insertion %.3f s\n", which[0], 'A' + level, seconds(inserting));
    printf("bench sql/%s/%c/cpu %.3f s\n", which[0], 'A' + level, cpu);
    printf("bench sql/%s/%c/memory-paje %ld KiB\n", which[0], 'A' + level, memory[0]);
    printf("bench sql/%s/%c/memory-client %ld KiB\n", which[0], 'A' + level, memory[1]);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    static char buffer[1 << 16];
    pajewrite_config config = PAJEWRITE_CONFIG;
    pajewrite_file file;
    pajewrite w;
    int times = argc < 6 ? 0 : atoi(argv[5]), traces = (argc - 6) / 4, count = traces * LEVELS * times;
    int order[MOST];
    uint32_t random = 1;

    if (argc < 10 || argc % 4 != 2 || times < 1 || count > MOST) {
        fputs("usage: sql OUT.trace PAJE DIALECT CLIENT TIMES (NAME TRACE DATABASE ROWS)...\n", stderr);
        return 2;
    }
    with.paje = argv[2];
    with.dialect = argv[3];
    with.client = argv[4];
    for (int i = 0; i < count; i++) { /* Fisher and Yates; the same order in each run */
        random = random * 1664525 + 1013904223;
        int at = (int)(random >> 16) % (i + 1);
        order[i] = order[at];
        order[at] = i;
    }
    signal(SIGPIPE, SIG_IGN);
    pajewrite_file_init(&file, open(argv[1], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
    config.sink = pajewrite_to_file;
    config.sink_data = &file;
    pajewrite_init(&w, buffer, sizeof buffer, &config);
    pajewrite_header(&w);
    pajewrite_define_container_type(&w, load_type, PAJEWRITE_ROOT_TYPE, "Load");
    pajewrite_define_state_type(&w, activity, load_type, "Activity");
    pajewrite_define_value(&w, simulate, activity, "simulate", "0.7 0.7 0.7");
    pajewrite_define_value(&w, insert, activity, "insert", "0.2 0.4 0.8");
    pajewrite_define_value(&w, finish, activity, "indexes", "0.9 0.6 0.2");
    pajewrite_flush(&w);
    for (int i = 0; i < count; i++) {
        load(&w, (uint32_t)i + 1, argv + 6 + 4 * (order[i] / LEVELS % traces), order[i] % LEVELS,
             order[i] / LEVELS / traces);
        pajewrite_flush(&w);
    }
    if (pajewrite_finish(&w) != PAJEWRITE_OK) {
        fprintf(stderr, "sql: %s: %s\n", argv[1], pajewrite_status_text(pajewrite_get_status(&w)));
        return 3;
    }
    return 0;
}
