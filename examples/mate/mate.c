/* mate: starts a program that is tuned from its own trace, or attaches to one that runs. */
#define _GNU_SOURCE
#include "analyse.h"
#include "choose.h"
#include "clients.h"
#include "helpers.h"
#include "live/clock.h"
#include "record.h"
#include "reduce.h"
#include "streams.h"
#include "tunlets/tunlets.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char usage[] =
    "Usage: mate [OPTIONS] PROGRAM [ARGUMENT...]\n"
    "       mate [OPTIONS] --attach=FOLDER\n"
    "Runs a program, and turns its knobs as tunlets decide, which see the traces that its processes write.\n"
    "\n"
    "  -t, --tunlet=NAME    " CHOOSE_NAMES "; may be repeated\n"
    "  -s, --persist=N      iterations in a row that have to ask for a change, 1 to 15; default: 3\n"
    "  -o, --output=FOLDER  keep the traces, a file for each process, and the decisions in decisions.trace: for\n"
    "                       `paje merge -o FILE FOLDER/*.trace`, then `analyser --replay FILE`\n"
    "  -c, --collectors=N   processes between the program and the analysis, for one tunlet; N+M: in two layers\n"
    "  -n, --dry-run        decide, and record what was decided, but turn nothing\n"
    "  -a, --attach=FOLDER  tune the programs whose sockets are there (PAJE_LIVE=@FOLDER PROGRAM)\n"
    "  -q, --quiet          print nothing at the end\n"
    "  -h, --help           print this\n"
    "\n"
    "Signals are passed on to PROGRAM; with --attach, SIGINT, SIGTERM and SIGHUP end mate, and the program goes on.\n"
    "\n"
    "Exit status: that of the program, 128 + N if signal N ended it, or mate; 2 usage; 3 it cannot be started.\n";

typedef array_of(double) times;

typedef struct run {
    analysis analysis;
    clients clients;
    streams streams;
    helpers collectors;
    recorder decisions;
    pajewrite_file file;
    int has_file, is_dry;
    uint64_t made, missed; /* decisions; those that no program took */
    int64_t origin, begun; /* of all times; of the evaluation */
    int64_t detected; /* when the iteration before was complete */
    times iterating, updating, evaluating, tuning, reacting; /* us, of iterations; of decisions */
    double wanted;
    int64_t actors; /* most in an iteration */
} run;

/* ---- what tunlets do */

static double since(int64_t begin)
{
    return (double)(clock_local() - begin) / 1e3;
}

static void evaluated(void *data, const gather_iteration *of, int is_over)
{
    run *it = (run *)data;
    if (!is_over) {
        it->begun = clock_local();
        *array_push(&it->updating) = (double)(it->begun - it->streams.arrived) / 1e3;
        if (it->detected)
            *array_push(&it->iterating) = (double)(it->begun - it->detected) / 1e3;
        it->detected = it->begun;
        return;
    }
    *array_push(&it->evaluating) = since(it->begun);
    if (it->wanted > 0)
        record_wanted(&it->decisions, clock_local(), it->wanted);
    it->actors = of->actors > it->actors ? of->actors : it->actors;
}

static void valued(void *data, const tunlet_value *which, const gather_iteration *of, double value)
{
    (void)of;
    if (strcmp(which->name, "Nopt") == 0)
        ((run *)data)->wanted = value;
}

static void decided(void *data, const decision *made)
{
    run *it = (run *)data;
    const int64_t begin = clock_local();
    it->made++;
    if (!it->is_dry && !clients_turn(&it->clients, made->point, made->to))
        it->missed++;
    *array_push(&it->tuning) = since(begin);
    *array_push(&it->reacting) = since(it->origin + made->time);
    record_decision(&it->decisions, begin, made->knob, made->iteration, made->from, made->to);
}

static void lost(void *data, const tunlet *of, int64_t first, int64_t last)
{
    record_lost(&((run *)data)->decisions, clock_local(), of->name, first, last);
}

static void found(void *data, const client *at)
{
    run *it = (run *)data;
    size_t i;
    for (i = 0; i < at->knobs; i++) {
        analyse_limit(&it->analysis, at->knob[i].name, at->knob[i].low, at->knob[i].high);
        record_range(&it->decisions, clock_local(), at->knob[i].name, at->knob[i].low, at->knob[i].high);
    }
    if (at->knobs > 0 || !helpers_give(&it->collectors, at->path))
        (void)streams_attach(&it->streams, at->path); /* if it fails, the program has ended meanwhile */
}

/* ---- the end */

static int in_order(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double quantile(times *it, double part)
{
    if (it->count == 0)
        return 0;
    qsort(it->items, it->count, sizeof *it->items, in_order);
    return it->items[(size_t)(part * (double)(it->count - 1))];
}

static void print_times(const char *name, times *it)
{
    if (it->count)
        fprintf(stderr, "mate: %s: median %.1f us, 95 %% below %.1f us, at most %.1f us\n", name, quantile(it, 0.5),
                quantile(it, 0.95), quantile(it, 1));
}

/* How many collectors would do, by what was measured. */
static void print_collectors(const run *it, double cpu, int64_t wall)
{
    const gathering *of = it->analysis.gathered[0];
    int64_t layers[REDUCE_LAYERS];
    int count, i;
    if (it->collectors.low > 0 || !of->complete || !it->streams.events || !it->actors)
        return;
    count = reduce_needed((double)it->actors, (double)it->streams.events / (double)of->complete / (double)it->actors,
                          cpu * 1e9 / (double)it->streams.events, (double)wall / (double)of->complete, 0.5, layers);
    fputs("mate: collectors that are needed for an analysis that is busy for half of the time at most:", stderr);
    for (i = 0; i < count; i++)
        fprintf(stderr, "%s%lld", i ? " + " : " ", (long long)layers[i]);
    fputs(count ? "\n" : " none\n", stderr);
}

static void print_end(run *it, int64_t wall)
{
    const feed_intrusion *of = &it->streams.intrusion;
    const double cpu = (double)clock() / CLOCKS_PER_SEC, seconds = (double)wall / 1e9;
    size_t i;
    for (i = 0; i < it->analysis.count; i++) {
        const gathering *at = it->analysis.gathered[i];
        fprintf(stderr, "mate: %s: %llu iterations", at->of->name, (unsigned long long)at->complete);
        fprintf(stderr, at->given_up ? ", %llu given up\n" : "\n", (unsigned long long)at->given_up);
    }
    fprintf(stderr, "mate: decisions: %llu, of these applied %llu, refused %llu, without a taker %llu\n",
            (unsigned long long)it->made, (unsigned long long)it->clients.applied,
            (unsigned long long)it->clients.refused, (unsigned long long)it->missed);
    fprintf(stderr, "mate: intrusion: %lld events of %lld processes, %llu bytes; ", (long long)of->events,
            (long long)of->tasks, (unsigned long long)it->streams.bytes);
    fprintf(stderr, "preparing %.3f ms, events and sending %.3f ms, tuning %.3f ms\n", (double)of->setup / 1e6,
            (double)of->monitoring / 1e6, (double)of->tuning / 1e6);
    fprintf(stderr, "mate: analysis: %.3f s of CPU in %.3f s, %.1f %% of a core, %.0f ns an event\n", cpu, seconds,
            100 * cpu / seconds, it->streams.events ? cpu * 1e9 / (double)it->streams.events : 0);
    print_collectors(it, cpu, wall);
    print_times("iteration", &it->iterating);
    print_times("update", &it->updating);
    print_times("evaluate", &it->evaluating);
    print_times("tune", &it->tuning);
    print_times("from an iteration's last event to a decision", &it->reacting);
    if (it->streams.refused || it->streams.incomplete)
        fprintf(stderr, "mate: %llu lines were refused, %llu events had not all fields\n",
                (unsigned long long)it->streams.refused, (unsigned long long)it->streams.incomplete);
}

/* ---- the program */

static volatile sig_atomic_t program, ended_by; /* process; signal */

static void pass_on(int number)
{
    if (program > 0)
        kill((pid_t)program, number);
}

static void end_by(int number)
{
    ended_by = number;
}

/* The terminal sends SIGINT and SIGQUIT to the program as well; others are sent to this process only. */
static const int kept_from[] = {SIGINT, SIGQUIT, SIGPIPE, SIGXFSZ}, passed_on[] = {SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
static const int ending[] = {SIGINT, SIGTERM, SIGHUP};
#define COUNT(array) (sizeof (array) / sizeof *(array))
static struct sigaction inherited[COUNT(kept_from) + COUNT(passed_on)];

/* Changes what signals do, but not of those that this process ignored when it began (nohup). */
static void handle(const int *numbers, size_t count, void (*handler)(int), struct sigaction *old)
{
    struct sigaction action, was;
    size_t i;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART;
    for (i = 0; i < count; i++) {
        sigaction(numbers[i], NULL, &was);
        if (was.sa_handler != SIG_IGN)
            sigaction(numbers[i], &action, NULL);
        if (old)
            old[i] = was;
    }
}

/* Until `start` has been called, no signal comes. */
static void change_signals(int is_attached)
{
    sigset_t all;
    sigfillset(&all);
    handle(kept_from, COUNT(kept_from), SIG_IGN, inherited);
    handle(passed_on, COUNT(passed_on), pass_on, inherited + COUNT(kept_from));
    if (is_attached) {
        sigaction(SIGINT, &inherited[0], NULL);
        handle(ending, COUNT(ending), end_by, NULL);
    } else {
        sigprocmask(SIG_BLOCK, &all, NULL);
    }
}

static void unblock_signals(void)
{
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

/* In the child. */
static void restore_signals(void)
{
    size_t i;
    for (i = 0; i < COUNT(inherited); i++)
        sigaction(i < COUNT(kept_from) ? kept_from[i] : passed_on[i - COUNT(kept_from)], &inherited[i], NULL);
    unblock_signals();
}

/* Returns 0 with errno if it cannot. */
static int start(char **arguments, const char *folder, int64_t origin)
{
    char where[128], text[32];
    const pid_t process = fork();
    if (process != 0) {
        program = process;
        unblock_signals();
        return process > 0;
    }
    snprintf(where, sizeof where, "@%s", folder);
    snprintf(text, sizeof text, "%lld", (long long)origin);
    setenv("PAJE_LIVE", where, 1);
    setenv("MATE_ORIGIN", text, 1);
    restore_signals();
    execvp(arguments[0], arguments);
    fprintf(stderr, "mate: %s: %s\n", arguments[0], strerror(errno));
    _exit(127);
}

/* Serves what has come; waits for it at most so many milliseconds. */
static void serve(run *it, int milliseconds)
{
    struct pollfd files[1024];
    const nfds_t documents = clients_wait(&it->clients, files, 512);
    const nfds_t traces = streams_wait(&it->streams, files + documents, 512);
    if (poll(files, documents + traces, it->clients.waits ? 1 : milliseconds) < 0)
        return;
    streams_read(&it->streams, files + documents, traces);
    clients_read(&it->clients, files, documents);
}

/* Tunes until the program has ended, and all that it wrote is read: nothing has come for a second, if a process that it
 * has started goes on.  Returns its status of wait(). */
static int tune(run *it)
{
    const pid_t process = (pid_t)program;
    int64_t heard = clock_local(); /* when something came, or the program was seen */
    int status = 0, is_over = 0, has_begun = 0;
    while (!ended_by && (!is_over || clock_local() - heard < 1000000000)) {
        const uint64_t before = it->streams.bytes;
        serve(it, 50);
        if (!is_over)
            helpers_look(&it->collectors);
        has_begun |= it->clients.all.count > 0;
        if (!is_over && process > 0 && waitpid(process, &status, WNOHANG) == process) {
            is_over = 1;
            program = 0;
        }
        if (is_over)
            helpers_finish(&it->collectors);
        if (process == 0)
            is_over = has_begun && clients_open(&it->clients) == 0; /* streams of collectors end after that */
        if (is_over && streams_open(&it->streams) == 0)
            break;
        if (!is_over || it->streams.bytes != before)
            heard = clock_local();
    }
    return status;
}

/* Makes a folder for the program's sockets.  Ends mate if it cannot. */
static void make_folder(char *path, size_t size)
{
    const char *place = getenv("XDG_RUNTIME_DIR");
    snprintf(path, size, "%.40s/mate-XXXXXX", place && strlen(place) <= 40 ? place : "/tmp");
    if (!mkdtemp(path)) {
        fprintf(stderr, "mate: %s: %s\n", path, strerror(errno));
        exit(3);
    }
}

static void begin_output(run *it, const char *output)
{
    char path[4096];
    int file;
    if (!output)
        return; /* a context of zeros is off */
    if (mkdir(output, 0777) != 0) {
        fprintf(stderr, "mate: %s: %s\n", output,
                errno == EEXIST ? "it is there already; --output makes a new folder" : strerror(errno));
        exit(3);
    }
    snprintf(path, sizeof path, "%s/decisions.trace", output);
    file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file < 0) {
        fprintf(stderr, "mate: %s: %s\n", path, strerror(errno));
        exit(3);
    }
    pajewrite_file_init(&it->file, file);
    it->has_file = 1;
    record_begin(&it->decisions, RECORD_ANALYSER, (uint64_t)it->origin, pajewrite_to_file, &it->file);
}

/* Removes the sockets of processes that were killed.  Returns how many processes still listen in the folder. */
static int remove_sockets(const char *path)
{
    DIR *folder = opendir(path);
    const struct dirent *entry;
    char name[320];
    int listening = 0;
    while (folder && (entry = readdir(folder))) {
        const int length = snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        const int file = length < (int)sizeof name ? streams_connect(name) : -1;
        listening += file >= 0;
        if (file >= 0)
            close(file);
        else if (errno == ECONNREFUSED)
            unlink(name);
    }
    if (folder)
        closedir(folder);
    return listening;
}

/* Removes the folder that was made, unless a process goes on that listens in it.  What the program has started may end
 * a little later than it does. */
static void remove_folder(const char *path)
{
    int turns = 20;
    while (remove_sockets(path) && --turns)
        poll(NULL, 0, 50);
    rmdir(path);
}

/* What the times of the programs in a folder count from: another mate that has started them told them. */
static int64_t origin_of(const char *path)
{
    DIR *folder = opendir(path);
    const struct dirent *entry;
    char name[320], text[1 << 16];
    int64_t origin = 0;
    while (folder && origin == 0 && (entry = readdir(folder))) {
        const char *at = text;
        FILE *file;
        size_t size = 0;
        snprintf(name, sizeof name, "/proc/%s/environ", entry->d_name);
        file = atol(entry->d_name) > 0 ? fopen(name, "r") : NULL;
        if (file) {
            size = fread(text, 1, sizeof text - 1, file);
            fclose(file);
        }
        for (text[size] = 0; at < text + size; at += strlen(at) + 1)
            if (strncmp(at, "MATE_ORIGIN=", 12) == 0)
                origin = strtoll(at + 12, NULL, 10);
    }
    if (folder)
        closedir(folder);
    return origin;
}

/* Begins to serve, and the program.  Returns 0 after a message. */
static int begin(run *it, char **arguments, const char *attach, const char *folder, const char *output,
                 const char *of)
{
    begin_output(it, output);
    streams_begin(&it->streams, it->analysis.gathered, it->analysis.count, output);
    if (!clients_begin(&it->clients, folder, found, it)) {
        fprintf(stderr, "mate: %s: %s\n", folder, strerror(errno));
        return 0;
    }
    if (!helpers_begin(&it->collectors, of, output, &it->streams))
        return 0;
    if (attach)
        clients_look(&it->clients);
    else if (!start(arguments, folder, it->origin)) {
        fprintf(stderr, "mate: %s: %s\n", arguments[0], strerror(errno));
        return 0;
    }
    return 1;
}

static int run_program(run *it, char **arguments, const char *attach, const char *output, const char *of,
                       int is_quiet)
{
    const int64_t begun = clock_local();
    char made[64] = "";
    size_t i;
    int status = 0, has_begun;
    it->origin = attach ? origin_of(attach) : begun;
    if (!attach)
        make_folder(made, sizeof made);
    has_begun = begin(it, arguments, attach, attach ? attach : made, output, of);
    if (has_begun)
        status = tune(it);
    streams_end(&it->streams);
    helpers_end(&it->collectors);
    for (i = 0; i < it->analysis.count; i++)
        gather_end(it->analysis.gathered[i]);
    if (it->has_file && record_end(&it->decisions) != PAJEWRITE_OK)
        fprintf(stderr, "mate: %s/decisions.trace: %s\n", output, pajewrite_problem(&it->decisions.writer));
    if (has_begun && !is_quiet)
        print_end(it, clock_local() - begun);
    clients_end(&it->clients);
    analyse_end(&it->analysis);
    if (*made)
        remove_folder(made);
    if (!has_begun)
        return 3;
    if (ended_by)
        return 128 + ended_by;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int main(int argc, char **argv)
{
    static const struct option options[] = {{"tunlet", required_argument, NULL, 't'},
                                            {"persist", required_argument, NULL, 's'},
                                            {"output", required_argument, NULL, 'o'},
                                            {"collectors", required_argument, NULL, 'c'},
                                            {"dry-run", no_argument, NULL, 'n'},
                                            {"attach", required_argument, NULL, 'a'},
                                            {"quiet", no_argument, NULL, 'q'},
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    static run it;
    const tunlet *tunlets[FEED_TUNLETS] = {&tunlet_workers};
    const char *attach = NULL, *output = NULL, *why, *name = "workers";
    size_t count = 0;
    int persistence = DECIDE_USUAL, is_quiet = 0, option;
    while ((option = getopt_long(argc, argv, "+t:s:o:c:na:qh", options, NULL)) != -1)
        switch (option) {
        case 't':
            name = optarg;
            if (!choose(name, tunlets, &count)) {
                fprintf(stderr, "mate: there is no tunlet `%s`, or there are too many; see --help\n", optarg);
                return 2;
            }
            break;
        case 's':
            if (!decide_read_persistence(optarg, &persistence)) {
                fprintf(stderr, "mate: --persist takes a number from 1 to %d, not `%s`\n", DECIDE_MOST, optarg);
                return 2;
            }
            break;
        case 'o': output = optarg; break;
        case 'c':
            if (!helpers_read(&it.collectors, optarg)) {
                fprintf(stderr, "mate: --collectors takes a number, or two such as 8+2, %d in all at most; not `%s`\n",
                        HELPERS, optarg);
                return 2;
            }
            break;
        case 'n': it.is_dry = 1; break;
        case 'a': attach = optarg; break;
        case 'q': is_quiet = 1; break;
        case 'h': fputs(usage, stdout); return 0;
        default: fputs(usage, stderr); return 2;
        }
    if ((optind < argc) == (attach != NULL)) {
        fputs(usage, stderr);
        return 2;
    }
    if (count > 1 && it.collectors.low > 0) {
        fputs("mate: collectors work for one tunlet\n", stderr);
        return 2;
    }
    why = analyse_begin(&it.analysis, tunlets, count ? count : 1, persistence, decided, &it);
    if (why) {
        fprintf(stderr, "mate: %s\n", why);
        return 2;
    }
    it.analysis.valued = valued;
    it.analysis.evaluated = evaluated;
    it.analysis.lost = lost;
    change_signals(attach != NULL);
    return run_program(&it, argv + optind, attach, output, name, is_quiet);
}
