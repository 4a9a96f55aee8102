/* Makes the trace of a run that has ended, of the files in its folder, and says what is missing in it. */
#include "trace.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

/* A batch system sends these to all processes of a job, also to those of another session, before it kills them. */
static void ignore_signals(void)
{
    static const int signals[] = {SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2, SIGXCPU};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        signal(signals[i], SIG_IGN);
}

/* Merges the folder, by this program.  Returns its exit status, of which it has said the reason if it is not 0. */
static int merge(const trace_folder *folder, const char *output)
{
    array_of(char *) line = {0};
    static char program[] = "paje", command[] = "merge", option_o[] = "-o", end[] = "--";
    int status;
    *array_push(&line) = program;
    *array_push(&line) = command;
    *array_push(&line) = option_o;
    *array_push(&line) = (char *)(uintptr_t)output;
    *array_push(&line) = end;
    *array_push(&line) = folder->name;
    *array_push(&line) = NULL;
    pid_t merging = fork();
    if (merging == 0) {
        ignore_signals(); /* also `timeout` sends SIGTERM to all; the program may have ended of it already */
        execv("/proc/self/exe", line.items);
        stream_message("paje merge: %s", strerror(errno));
        _exit(EXIT_FAILED);
    }
    array_free(&line);
    return merging > 0 && waitpid(merging, &status, 0) == merging && WIFEXITED(status) ? WEXITSTATUS(status)
                                                                                        : EXIT_FAILED;
}

static void report(const trace_folder *folder, const char *output, int is_verbose)
{
    const trace_control *page = folder->control;
    char since[40] = ""; /* it may not be known */
    if (page->failed_at)
        snprintf(since, sizeof since, "from %.3f s on, ", (double)(page->failed_at - page->origin) / 1e9);
    if (page->failures)
        stream_message("%s: it has not all: %s%u times, a file in %s could not be opened or could not grow (is the "
                       "disk full?  TMPDIR names another folder)", output, since, page->failures, folder->name);
    if (page->strangers)
        stream_message("%s: what processes did or executed as another user is not in it (%u times), as that user "
                       "cannot write into %s: trace it as that user", output, page->strangers, folder->name);
    if (page->missed)
        stream_message("%s: %u calls of signal handlers are not in it, which interrupted the tracer", output,
                       page->missed);
    if (page->functions_left_out)
        stream_message("%s: %llu calls of %u functions are left out, after %llu calls each that took less than %g us "
                       "on average (--throttle=off records all)", output, (unsigned long long)page->calls_left_out,
                       page->functions_left_out, (unsigned long long)page->throttle_calls,
                       (double)page->throttle_time / 1e3);
    if (page->no_java)
        stream_message("%s: what %u JVMs did in Java is not in it, as there is no " TRACE_JAVA_LIBRARY " beside "
                       TRACE_LIBRARY ": install a JDK and run `make paje`", output, page->no_java);
    if (page->uncounted)
        stream_message("%s: %u threads have no counters, as the system had none left (see `ulimit -l`)", output,
                       page->uncounted);
    if (page->elsewhere && !page->launchers)
        stream_message("%s: %u processes of the job are on other machines, and are not in it (`mpirun paje trace` "
                       "makes a trace on each)", output, page->elsewhere);
    if (folder->running)
        stream_message("%s: processes go on (%u); what they do from now on is not in it", output,
                       folder->running);
    if (is_verbose)
        stream_message("%s: %u processes", output, folder->count);
}

void trace_finish(trace_folder *folder, const trace_sampler *sampler, const char *output, int is_verbose)
{
    trace_sample_counts samples = {0, 0, 0};
    int status;
    __atomic_store_n(&folder->control->mask, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&folder->control->is_over, 1, __ATOMIC_SEQ_CST);
    trace_mend_control(folder);
    trace_list_files(folder);
    if (folder->running)
        trace_detach_files(folder);
    if (folder->control->sampler)
        samples = trace_finish_samples(folder, !folder->control->are_names_mangled);
    if (!folder->count) {
        stream_message("nothing was recorded");
    } else if ((status = merge(folder, output)) > EXIT_ERRORS) {
        folder->is_kept = 1;
        stream_message("there is no %s; what was recorded is in %s: make a trace of it by `paje merge -o FILE "
                       "%s`", output, folder->name, folder->name);
    } else {
        if (status == EXIT_ERRORS) {
            folder->is_kept = 1;
            stream_message("%s: the lines above are not in it; what was recorded is in %s", output, folder->name);
        }
        report(folder, output, is_verbose);
        if (folder->control->sampler)
            trace_report_samples(folder, sampler, &samples, output, is_verbose);
    }
    if (!folder->is_kept)
        trace_remove_folder(folder);
}

/* Closes what this process has inherited but its first three files and `kept`: MPICH sees that a process has ended when
 * a socket is closed that its launcher, and what that has forked, have as well. */
static void close_inherited(int kept)
{
    DIR *files = opendir("/proc/self/fd");
    for (struct dirent *it; files && (it = readdir(files));) {
        int file = atoi(it->d_name);
        if (file > STDERR_FILENO && file != dirfd(files) && file != kept)
            close(file);
    }
    if (files)
        closedir(files);
}

/* The session of the process is its own, so that it is not killed with the job and its launchers. */
void trace_begin_finisher(trace_folder *folder, const trace_sampler *sampler, const char *output, int is_verbose,
                          int launchers, int is_live)
{
    pid_t finisher = fork();
    if (finisher == 0) {
        int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
        setsid();
        ignore_signals();
        dup2(nothing, STDIN_FILENO);
        dup2(nothing, STDOUT_FILENO);
        close_inherited(folder->held);
        pid_t live = is_live ? trace_start_live(folder, output) : -1; /* one for all launchers */
        trace_wait_for_launchers(folder, launchers);
        trace_end_live(live);
        if (live > 0 && !folder->control->processes)
            unlink(output);
        trace_finish(folder, sampler, output, is_verbose);
        stream_flush();
        _exit(EXIT_OK);
    }
    if (finisher < 0)
        stream_message("%s: %s: when the job has ended, make it by `paje merge -o FILE %s`", output, strerror(errno),
                       folder->name);
    folder->control->finisher = (uint32_t)finisher;
}

char *trace_output_name(const char *program, const parallel_job *job, int is_joined)
{
    const char *slash = strrchr(program, '/');
    struct utsname about;
    text_buffer name = {0};
    text_puts(&name, slash ? slash + 1 : program);
    if (job->rank >= 0 && job->here < job->size && uname(&about) == 0)
        text_printf(&name, ".%s", about.nodename);
    if (job->rank >= 0 && job->size != 1 && !is_joined) /* all others would write the same file */
        text_printf(&name, ".%d", job->rank);
    text_puts(&name, ".trace");
    return text_string(&name);
}
