/* paje trace: runs a program, and makes a trace of it and of all processes that it starts. */
#include "trace.h"
#include "trace/counters.h"
#include "trace/sample.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    ON = PAJE_LONG_ONLY,
    OFF,
    CONFIG,
    KEEP,
    RECORD,
    THREADS,
    LIVE,
    FUNCTIONS,
    NAMES,
    THROTTLE,
    HEAP,
    METHODS,
    ALLOCATIONS,
    EXCEPTIONS,
    BEANS,
    JVM,
    SAMPLE,
    COUNTERS,
    OMP
};
enum { EXIT_NOT_RUN = 126, EXIT_NOT_FOUND = 127 }; /* as shells have it */

static struct {
    const char *output, *keep, *on, *off;
    int is_verbose, is_live;
    trace_settings settings;
    int has_settings; /* those of the environment were read */
} options;

/* The environment is read first, so that options and files replace it. */
static trace_settings *settings_so_far(void)
{
    if (!options.has_settings) {
        const char *from = getenv("PAJETRACE");
        options.has_settings = 1;
        options.settings.record = TRACE_BY_DEFAULT;
        options.settings.throttle_calls = 100000;
        options.settings.throttle_time = 10000;
        options.settings.heap = 65536;
        options.settings.allocations = 512 << 10;
        if (from)
            trace_read_settings(&options.settings, "PAJETRACE", from);
    }
    return &options.settings;
}

static void set(const char *name, const char *key, const char *value)
{
    text_buffer setting = {0};
    text_printf(&setting, "%s=%s", key, value);
    trace_read_settings(settings_so_far(), name, text_string(&setting));
    text_free(&setting);
}

static const char *option(int key, const char *argument, paje_settings *settings)
{
    (void)settings;
    switch (key) {
    case 'o': options.output = argument; break;
    case 'v': options.is_verbose = 1; break;
    case KEEP: options.keep = argument; break;
    case CONFIG: trace_read_settings_file(settings_so_far(), argument); break;
    case RECORD: set("--record", "record", argument); break;
    case OMP: set("--omp", "omp", argument); break;
    case COUNTERS: set("--counters", "counters", argument); break;
    case SAMPLE: set("--sample", "sample", argument ? argument : TRACE_RATE_TEXT); break;
    case THREADS: set("--threads", "threads", argument); break;
    case LIVE: options.is_live = 1; break;
    case FUNCTIONS: set("--functions", "functions", argument); break;
    case NAMES: set("--names", "names", argument); break;
    case THROTTLE: set("--throttle", "throttle", argument); break;
    case HEAP: set("--heap", "heap", argument); break;
    case METHODS: set("--methods", "methods", argument); break;
    case ALLOCATIONS: set("--allocations", "allocations", argument); break;
    case EXCEPTIONS: set("--exceptions", "exceptions", argument); break;
    case BEANS: set("--beans", "beans", argument); break;
    case JVM: set("--jvm", "jvm", argument); break;
    case ON: options.on = argument; break;
    default: options.off = argument;
    }
    return NULL;
}

/* ---- switching, while a program runs */

static int switch_categories(const char *folder_name)
{
    trace_folder folder;
    uint32_t on = 0, off = 0;
    if ((options.on && !trace_read_categories(options.on, &on)) ||
        (options.off && !trace_read_categories(options.off, &off)))
        paje_usage(&command_trace, "`%s`: it has to be %s", options.on && !on ? options.on : options.off,
                   trace_category_list);
    if (!trace_open_folder(&folder, folder_name))
        stream_fail("%s: it is no folder of a run (as --keep names it): %s", folder_name, strerror(errno));
    if ((on & TRACE_HEAP) && !folder.control->heap)
        stream_fail("%s: the heap can be switched on only if it is recorded from the beginning (--record)",
                    folder_name);
    __atomic_or_fetch(&folder.control->mask, on, __ATOMIC_RELAXED);
    __atomic_and_fetch(&folder.control->mask, ~off, __ATOMIC_RELAXED);
    return EXIT_OK;
}

/* ---- running */

/* Returns the path of a library: beside this program, in ../lib or in ../lib/paje.  NULL: it is in none of them. */
static char *find_library(const char *name)
{
    static const char *const places[] = {"", "../lib/", "../lib/paje/"};
    static char own[4096];
    ssize_t size = readlink("/proc/self/exe", own, sizeof own - 1);
    if (size < 0)
        return NULL;
    own[size] = '\0';
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        text_buffer path = {0};
        text_put(&path, own, (size_t)(strrchr(own, '/') + 1 - own));
        text_puts(&path, places[i]);
        text_puts(&path, name);
        if (access(text_string(&path), R_OK) == 0)
            return text_string(&path);
        text_free(&path);
    }
    return NULL;
}

/* Returns why the program cannot be traced from within; NULL: it can. */
static const char *prepare(const char *program, char **library)
{
    const char *problem = trace_check_program(program);
    *library = NULL;
    if (problem)
        return problem;
    *library = find_library(TRACE_LIBRARY);
    if (!*library)
        return "cannot be traced, as there is no " TRACE_LIBRARY " beside paje or in ../lib: run `make paje`";
    if (strpbrk(*library, " :"))
        return "cannot be traced, as there is a blank or a colon in the path of " TRACE_LIBRARY
               ": install paje elsewhere";
    return NULL;
}

/* Returns the library with the layer of the MPI that a command is run with; NULL: it is none, or has no layer here. */
static char *find_mpi_library(char **command)
{
    const char *name = trace_find_mpi(command);
    text_buffer file = {0};
    char *library;
    if (!name)
        return NULL;
    text_printf(&file, "libpajetrace-%s.so", name);
    library = find_library(text_string(&file));
    if (!library)
        stream_message("%s: calls of MPI are not recorded, as there is no %s beside " TRACE_LIBRARY ": install the "
                       "headers of that MPI and run `make paje`", command[0], text_string(&file));
    text_free(&file);
    return library;
}

static uint64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static pid_t child;
static int is_waited_for; /* 1: its number may be that of another process by now */

static void pass_on(int number)
{
    if (child > 0 && !is_waited_for)
        kill(child, number);
}

static const int kept_from[] = {SIGINT, SIGQUIT}, passed_on[] = {SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
static struct sigaction before[4 + 2];

/* The terminal sends SIGINT to the program as well; others are sent to this process only. */
static void change_signals(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    sigemptyset(&action.sa_mask);
    action.sa_handler = SIG_IGN;
    for (size_t i = 0; i < 2; i++)
        sigaction(kept_from[i], &action, &before[i]);
    action.sa_handler = pass_on;
    action.sa_flags = SA_RESTART;
    for (size_t i = 0; i < 4; i++) {
        sigaction(passed_on[i], NULL, &before[2 + i]);
        if (before[2 + i].sa_handler != SIG_IGN)
            sigaction(passed_on[i], &action, NULL);
    }
}

/* Puts `first` in front of what a variable has. */
static void prepend(const char *name, const char *first)
{
    const char *rest = getenv(name);
    text_buffer value = {0};
    text_puts(&value, first);
    if (rest && *rest)
        text_printf(&value, ":%s", rest);
    setenv(name, text_string(&value), 1);
}

/* Before glibc 2.34 it is in a library that is not linked, and so NULL. */
#pragma weak dlopen

/* Has LLVM's library take the place of gcc's, which tells less of what it does.  It has the functions of both. */
static void preload_llvm(const char *program)
{
    static const char *const names[] = {"libomp.so.5", "libomp.so", "libiomp5.so"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!dlopen || dlopen(names[i], RTLD_LAZY)) {
            prepend("LD_PRELOAD", names[i]);
            return;
        }
    stream_message("%s: omp=llvm: the program's own OpenMP is used, as there is no %s: install libomp5", program,
                   names[0]);
}

static void preload_openmp(const char *program)
{
    char *layer = find_library(TRACE_OPENMP_LIBRARY);
    if (options.settings.is_omp_llvm)
        preload_llvm(program);
    if (layer)
        prepend("LD_PRELOAD", layer);
    else
        stream_message("OpenMP is not recorded, as there is no " TRACE_OPENMP_LIBRARY " beside paje or in ../lib");
    free(layer);
}

/* In the child: runs the program, with the library if `folder` is not NULL. */
static void run_program(char **command, const trace_folder *folder, const char *library)
{
    for (size_t i = 0; i < 2; i++)
        sigaction(kept_from[i], &before[i], NULL);
    for (size_t i = 0; i < 4; i++)
        sigaction(passed_on[i], &before[2 + i], NULL);
    paje_give_signals_back();
    if (folder) {
        char *heap = folder->control->heap ? find_library(TRACE_HEAP_LIBRARY) : NULL;
        if (heap)
            prepend("LD_PRELOAD", heap);
        else if (folder->control->heap)
            stream_message("the heap is not recorded, as there is no " TRACE_HEAP_LIBRARY " beside paje or in ../lib");
        free(heap);
        preload_openmp(command[0]);
        char *mpi = find_mpi_library(command);
        if (mpi)
            prepend("LD_PRELOAD", mpi);
        free(mpi);
        prepend("LD_PRELOAD", library);
        prepend("ASAN_OPTIONS", "verify_asan_link_order=0"); /* else programs with that sanitizer refuse to run */
        setenv(TRACE_RUN, folder->name, 1);
    }
    execvp(command[0], command);
    int error = errno;
    stream_message("%s: %s", command[0], strerror(error));
    _exit(error == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_RUN);
}

/* Runs the program and waits for it.  Returns its status, as wait does. */
static int wait_for(char **command, const trace_folder *folder, const char *library, trace_sampler *sampler)
{
    int status;
    change_signals();
    child = fork();
    if (child < 0)
        stream_fail("%s: %s", command[0], strerror(errno));
    if (child == 0)
        run_program(command, folder, library);
    if (!trace_wait(sampler, child, &status))
        stream_fail("%s: %s", command[0], strerror(errno));
    is_waited_for = 1;
    return status;
}

/* Ends as the program has ended. */
static int end_as(int status)
{
    if (WIFSIGNALED(status)) {
        static const struct rlimit none = {0, 0};
        stream_flush();
        setrlimit(RLIMIT_CORE, &none); /* the program has left its own */
        signal(WTERMSIG(status), SIG_DFL);
        raise(WTERMSIG(status));
        return 128 + WTERMSIG(status);
    }
    return WEXITSTATUS(status);
}

/* ---- the command */

static int run(const paje_settings *settings, char **command, int count)
{
    (void)settings;
    if (options.on || options.off) {
        if (count != 1)
            paje_usage(&command_trace, "--on and --off take the folder of a run, and no command");
        return switch_categories(command[0]);
    }
    if (count == 0)
        paje_usage(&command_trace, "a command is needed, such as `paje trace ls -l`");
    const trace_settings *set_up = settings_so_far();
    const parallel_job job = job_find();
    const uint64_t job_here = job.here > 0 ? job_number_here(&job) : 0;
    const int is_job = job_here && !options.keep;
    char *library, *named = options.output ? NULL : trace_output_name(command[0], &job, job_here != 0);
    const char *output = options.output ? options.output : named, *problem = prepare(command[0], &library);
    trace_folder folder;
    trace_sampler sampler = {.period = 0};
    if (is_job ? !trace_join_folder(&folder, job_here, set_up) : !trace_make_folder(&folder, options.keep, set_up)) {
        stream_message("%s: %s: nothing is recorded", options.keep ? options.keep : "$TMPDIR", strerror(errno));
        return end_as(wait_for(command, NULL, NULL, &sampler));
    }
    if (options.is_verbose)
        stream_message("raw files are in %s", folder.name);
    if (is_job && folder.is_first)
        trace_begin_finisher(&folder, &sampler, output, options.is_verbose, job.here, options.is_live);
    uint64_t begin = now();
    pid_t live = options.is_live && !is_job ? trace_start_live(&folder, output) : -1;
    folder.control->counters = trace_check_counters(set_up->counters);
    trace_begin_sampling(&sampler, &folder, set_up);
    if (problem)
        stream_message("%s %s; recorded are its start and end%s", command[0], problem,
                       folder.control->sampler == TRACE_PERF ? ", and samples" : " only");
    int status = wait_for(command, problem ? NULL : &folder, library, &sampler);
    trace_close_sampler(&sampler);
    trace_end_live(live);
    if (problem)
        trace_write_outside(&folder, command[0], (long)child, begin, now());
    if (WIFEXITED(status) && (WEXITSTATUS(status) == EXIT_NOT_FOUND || WEXITSTATUS(status) == EXIT_NOT_RUN) &&
        !folder.control->processes && !is_job) { /* it was not run */
        trace_remove_folder(&folder);
        if (live > 0)
            unlink(output);
    } else if (is_job) {
        trace_leave_folder(&folder, job.here);
    } else {
        trace_finish(&folder, &sampler, output, options.is_verbose);
    }
    free(named);
    free(library);
    return end_as(status);
}

static const paje_option option_table[] = {
    {'o', "output", "FILE", "the trace; default: the command's name with .trace, in the current folder"},
    {RECORD, "record", "LIST", "what is recorded; default: all but heap, task-links, collective-links"},
    {SAMPLE, "sample", "[=RATE]", "sample functions, RATE times a second of CPU time; default: " TRACE_RATE_TEXT},
    {COUNTERS, "counters", "LIST", "count in each state what it uses"},
    {THREADS, "threads", "each|slots", "a container for each thread, or for each place of a thread"},
    {FUNCTIONS, "functions", "GLOB,...", "record functions of these names only; !GLOB: not these"},
    {NAMES, "names", "readable|mangled", "names of C++ functions, as in the source or as in the file"},
    {THROTTLE, "throttle", "CALLS:TIME|off",
     "leave out functions that are called more often, and are shorter; default: 100000:10us"},
    {HEAP, "heap", "BYTES", "with heap: allocations of as many bytes are events; default: 64K"},
    {OMP, "omp", "llvm|own", "run OpenMP programs of gcc with LLVM's library, which tells more"},
    {METHODS, "methods", "GLOB,...", "record methods of Java of these names, CLASS.METHOD; @FILE: a list"},
    {ALLOCATIONS, "allocations", "BYTES|off", "an allocation of Java is an event in as many bytes; default: 512K"},
    {EXCEPTIONS, "exceptions", "on|off", "exceptions of Java, which take long to throw if they are recorded"},
    {BEANS, "beans", "SECONDS|off", "what the JVM counts of itself, read in this interval, as variables"},
    {JVM, "jvm", "hidden|shown", "threads of the JVM that run no Java"},
    {CONFIG, "config", "FILE", "read settings from FILE"},
    {LIVE, "live", NULL, "let the trace grow while the program runs, a second late: for `paje view`"},
    {KEEP, "keep", "FOLDER", "put raw files into FOLDER, which is made, and keep them"},
    {ON, "on", "LIST", "record these, in the run whose folder is given"},
    {OFF, "off", "LIST", "do not record these"},
    {'v', "verbose", NULL, "say on standard error where raw files are, and what was recorded"},
    {0, NULL, NULL, NULL},
};

const paje_command command_trace = {
    .name = "trace",
    .summary = "Runs a program and records what its processes and threads do",
    .details = "The program is not changed, and no setting is needed: a library is preloaded that records threads,\n"
               "waiting for locks, files, sockets and processes.  Standard output and exit status are the program's.\n"
               "The trace is whole however processes end, also by `kill -9`.\n"
               "\nSettings, in PAJETRACE, in the FILE of --config, and as options, which replace each other in this\n"
               "order; KEY=VALUE with blanks between them, and # before a comment:\n"
               "  record=LIST           which categories, with commas between them; default: all but heap,\n"
               "                        task-links and collective-links\n"
#define TRACE_CATEGORY(name, NAME, bit, help) "    " #name ": " help "\n"
               TRACE_CATEGORIES(TRACE_CATEGORY)
#undef TRACE_CATEGORY
               "  threads=each, slots   a container for each thread; or a thread that begins goes on in that of one\n"
               "                        that has ended\n"
               "  functions=GLOB,...    functions of these names, as they are in the file; !GLOB: not these\n"
               "  names=readable, mangled\n"
               "                        names of C++ functions are as in the source, or as in the file\n"
               "  throttle=CALLS:TIME   functions that are called more often than CALLS, and take less than TIME on\n"
               "                        average, are left out from then on, which is reported; or off; default:\n"
               "                        100000:10us\n"
               "  heap=BYTES            allocations of as many bytes are events, and the bytes that a process has are\n"
               "                        written in steps of it; default: 64K\n"
               "  methods=GLOB,...      methods of Java of these names, CLASS.METHOD; !GLOB: not these; or @FILE,\n"
               "                        with one a line\n"
               "  allocations=BYTES, off\n"
               "                        an allocation of Java is an event in as many bytes; default: 512K\n"
               "  exceptions=on, off    exceptions of Java; if on, each takes the JVM some microseconds; default: on\n"
               "  beans=SECONDS, off    what the JVM counts of itself (classes, compilation, pending finalization,\n"
               "                        daemon threads), read in this interval, are variables; default: off\n"
               "  jvm=hidden, shown     threads of the JVM that run no Java; default: hidden\n"
               "  sample=RATE, off      sample the functions that threads are in, RATE times a second of CPU time\n"
               "  sampler=perf, timers  what takes samples: the system, or timers in the program where it refuses to\n"
               "  omp=llvm, own         programs of gcc with OpenMP run with LLVM's library, which tells more, as\n"
               "                        dependences of tasks; or with their own\n"
               "  counters=LIST         count in each state what it uses: fields of its end, and variables of threads"
#define TRACE_COUNTER(setting, name, way, number, help) "\n    " setting ": " help
               TRACE_COUNTERS(TRACE_COUNTER)
#undef TRACE_COUNTER
               ,
    .traces = PAJE_ANY,
    .operands = "COMMAND [ARGUMENT...]",
    .is_runner = 1,
    .options = option_table,
    .option = option,
    .run = run,
};
