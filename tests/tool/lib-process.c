/* examples/base: processes, memory and jobs of launchers, each in a process of its own. */
#define _DEFAULT_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "base/job.h"
#include "base/memory.h"
#include "base/process.h"
#include "tests/lib/tell.h"

/* What a child returns, which has standard error in a text. */
static int in_child(int (*run)(void), char said[256])
{
    int ends[2], status = -1;
    if (pipe(ends) < 0)
        return -1;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        for (int file = STDERR_FILENO + 1; file < 64; file++)
            close(file);
        _exit(run());
    }
    close(ends[1]);
    size_t size = 0;
    for (ssize_t more; size < 255 && (more = read(ends[0], said + size, 255 - size)) > 0;)
        size += (size_t)more;
    said[size] = '\0';
    close(ends[0]);
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* ---- processes */

static size_t fitting(rlim_t files, size_t count, size_t each)
{
    struct rlimit limit = {files, files};
    return setrlimit(RLIMIT_NOFILE, &limit) == 0 ? process_fitting(count, each) : 0;
}

/* Three descriptors are open, and 24 are kept free: 27 of the limit are not given away. */
static int fit_in_limits(void)
{
    return !(fitting(64, 5, 4) == 5 && fitting(64, 9, 4) == 9 && fitting(64, 10, 4) == 9 && fitting(64, 100, 1) == 37 &&
             fitting(63, 10, 4) == 9 && fitting(62, 10, 4) == 8 && fitting(62, 0, 4) == 1 && fitting(29, 7, 2) == 1 &&
             fitting(28, 7, 1) == 1 && fitting(27, 7, 1) == 1 && fitting(26, 7, 1) == 1 && fitting(4, 7, 1) == 1);
}

static int start_shell(const char *command)
{
    char *arguments[] = {(char *)(uintptr_t) "sh", (char *)(uintptr_t) "-c", (char *)(uintptr_t)command, NULL};
    return process_wait(process_start(arguments, STDIN_FILENO, STDOUT_FILENO));
}

static int start_copy(void)
{
    int in[2], out[2];
    char *arguments[] = {(char *)(uintptr_t) "sed", (char *)(uintptr_t) "s/a/b/", NULL}, bytes[8];
    if (!process_pipe(in) || !process_pipe(out))
        return 1;
    for (int i = 0; i < 2; i++)
        if (!(fcntl(in[i], F_GETFD) & FD_CLOEXEC) || !(fcntl(out[i], F_GETFD) & FD_CLOEXEC))
            return 1;
    pid_t process = process_start(arguments, in[0], out[1]);
    close(in[0]), close(out[1]);
    if (process <= 0 || write(in[1], "xa\n", 3) != 3)
        return 1;
    close(in[1]);
    return !(read(out[0], bytes, 8) == 3 && memcmp(bytes, "xb\n", 3) == 0 && read(out[0], bytes, 8) == 0 &&
             process_wait(process) == 0);
}

static int start_and_wait(void)
{
    char *absent[] = {(char *)(uintptr_t) "no/such/program", NULL};
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    if (start_shell("exit 7") != 7 || start_shell("kill -9 $$") != -SIGKILL || start_shell(":") != 0)
        return 1;
    if (start_shell("kill -PIPE $$") != -SIGPIPE || start_shell("kill -XFSZ $$") != -SIGXFSZ)
        return 2;
    errno = 0;
    if (process_start(absent, STDIN_FILENO, STDOUT_FILENO) != 0 || errno != ENOENT)
        return 3;
    pid_t own = fork(); /* what is no process must not wait for one that is */
    if (own == 0)
        _exit(5);
    if (process_wait(0) != 0 || process_wait(-1) != 0 || process_wait(getpid()) != 0 || process_wait(own) != 5)
        return 4;
    return start_copy() ? 5 : 0;
}

static int sender;

static void send_byte(int number)
{
    (void)number;
    (void)!write(sender, "yz", 2);
}

/* A signal comes while it waits, and sends two bytes; errno may be of another call. */
static int receives(void)
{
    struct sigaction action = {0};
    const struct itimerval soon = {{0, 0}, {0, 20000}};
    int ends[2];
    char first = 0, second = 0, none = 'x';
    action.sa_handler = send_byte;
    if (pipe(ends) < 0 || sigaction(SIGALRM, &action, NULL) < 0 || setitimer(ITIMER_REAL, &soon, NULL) < 0)
        return 1;
    sender = ends[1];
    if (process_receive(ends[0], &first) != 1 || process_receive(ends[0], &second) != 1 || first != 'y' ||
        second != 'z')
        return 2;
    close(ends[1]);
    errno = EINTR;
    alarm(5); /* if it goes on */
    signal(SIGALRM, SIG_DFL);
    if (process_receive(ends[0], &none) != 0 || none != 'x')
        return 3;
    close(ends[0]);
    return process_receive(ends[0], &none) == -1 && errno == EBADF ? 0 : 4;
}

static void test_processes(void)
{
    char said[256];
    tell("as many processes as descriptors are left for", in_child(fit_in_limits, said) == 0);
    tell("processes start and end", in_child(start_and_wait, said) == 0);
    tell("a byte of another process, also if a signal comes", in_child(receives, said) == 0);
}

/* ---- memory */

static int ask_too_much(void)
{
    memory_alloc(SIZE_MAX / 4, 5);
    return 0;
}

static int ask_more_than_there_is(void)
{
    struct rlimit limit = {(rlim_t)1 << 28, (rlim_t)1 << 28};
    if (setrlimit(RLIMIT_AS, &limit) < 0)
        return 0;
    program_name = "a-name-of-more-than-forty-bytes-is-cut-there";
    memory_alloc((size_t)3 << 28, 5);
    return 0;
}

static int look_at_limits(void)
{
    struct rlimit limit = {(rlim_t)1 << 28, (rlim_t)1 << 40};
    uint64_t before = memory_available();
    if (setrlimit(RLIMIT_AS, &limit) < 0 || before < (rlim_t)1 << 29)
        return 0; /* not the machine for this */
    return memory_available() != (uint64_t)1 << 28;
}

#ifdef __linux__
/* The first number behind a word of a file, or the other one. */
static unsigned long long number_in(const char *name, const char *format, unsigned long long number)
{
    char line[256];
    FILE *file = fopen(name, "r");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, format, &number) == 1)
            break;
    if (file)
        fclose(file);
    return number;
}

static int is_what_the_system_says(void)
{
    for (int i = 0; i < 200; i++) { /* others allocate meanwhile */
        double free = 1024 * (double)number_in("/proc/meminfo", "MemAvailable: %llu", 0);
        double most = (double)number_in("/sys/fs/cgroup/memory.max", "%llu", UINT64_MAX);
        double used = (double)number_in("/sys/fs/cgroup/memory.current", "%llu", 0),
               left = most > used ? most - used : 0;
        double expected = left < free ? left : free, got = (double)memory_available();
        if (got > 0.998 * expected - 1e6 && got < 1.002 * expected + 1e6)
            return 1;
    }
    return 0;
}
#else
static int is_what_the_system_says(void) { return 1; }
#endif

static void test_memory(void)
{
    char said[256];
    tell("more memory than a size can tell", in_child(ask_too_much, said) == EXIT_FAILED &&
                                                 strcmp(said, "base: no memory for 18446744073709551615 bytes\n") == 0);
#if !defined(__SANITIZE_ADDRESS__)
    tell("more memory than there is",
         in_child(ask_more_than_there_is, said) == EXIT_FAILED &&
             strcmp(said, "a-name-of-more-than-forty-bytes-is-cut-t: no memory for 4026531840 bytes\n") == 0);
    tell("a limit of address space", in_child(look_at_limits, said) == 0);
#endif
    tell("as much memory as the system has left", is_what_the_system_says());
    char *zeros = memory_alloc_zero(3, 5);
    int right = zeros != NULL;
    for (int i = 0; i < 15; i++)
        right &= zeros[i] == 0;
    free(zeros);
    void *nothing[] = {memory_alloc(0, 8), memory_alloc(8, 0), memory_alloc(SIZE_MAX, 0)};
    right &= nothing[0] && nothing[1] && nothing[2];
    for (int i = 0; i < 3; i++)
        free(nothing[i]);
    tell("blocks of no bytes, and of zeros", right);
}

/* ---- jobs.  The numbers are FNV-1a of the text, from the basis with 1, 2 or 3 in it. */

typedef struct environment {
    const char *variables[6];
    parallel_job expected;
} environment;

#define TASKS "SLURM_STEP_TASKS_PER_NODE="
#define NODE "SLURM_NODEID="

static const environment environments[] = {
    {{"PMI_SIZE=4", "PMIX_NAMESPACE=a"}, {0, -1, 4, 0}},
    {{"OMPI_COMM_WORLD_RANK=0", "OMPI_COMM_WORLD_SIZE=8", "OMPI_COMM_WORLD_LOCAL_SIZE=2", "PMIX_NAMESPACE=b"},
     {UINT64_C(0xaf63dd4c8601ee3f), 0, 8, 2}},
    {{"PMIX_RANK=1", "PMI_SIZE=3", "MPI_LOCALNRANKS=3", "OMPI_MCA_ess_base_jobid=a", "PMI_JOBID=b"},
     {UINT64_C(0xaf63de4c8601eff3), 1, 3, 3}},
    {{"PMI_RANK=2", "MV2_COMM_WORLD_SIZE=5", "MV2_COMM_WORLD_LOCAL_SIZE=1", "PMIX_NAMESPACE=", "PMI_JOBID=job"},
     {UINT64_C(0x335f12192ff5b23f), 2, 5, 1}},
    {{"MV2_COMM_WORLD_RANK=3", "SLURM_NTASKS=6", "SLURM_JOB_ID=12", "SLURM_STEP_ID=0"},
     {UINT64_C(0xd48b800c0e553af1), 3, 6, 0}},
    {{"SLURM_PROCID=7", "SLURM_JOB_ID=12"}, {0, -1, 0, 0}},
    {{"OMPI_COMM_WORLD_RANK=", "SLURM_PROCID=7", "SLURM_STEP_ID=0", "PMI_SIZE=9"}, {0, 7, 9, 0}},
    {{"SLURM_PROCID=0", "SLURM_STEP_ID=0", "SLURM_NTASKS=1"}, {0, -1, 1, 0}},
    {{"PMI_RANK=0", "SLURM_PROCID=0", "SLURM_STEP_ID=0", "SLURM_NTASKS=1", TASKS "1", NODE "0"}, {0, 0, 1, 1}},
    {{"SLURM_PROCID=3", "SLURM_STEP_ID=0", "SLURM_NTASKS=9", TASKS "2(x4),1", NODE "3"}, {0, 3, 9, 2}},
    {{"SLURM_PROCID=8", "SLURM_STEP_ID=0", "SLURM_NTASKS=9", TASKS "2(x4),1", NODE "4"}, {0, 8, 9, 1}},
    {{"SLURM_PROCID=8", "SLURM_STEP_ID=0", "SLURM_NTASKS=9", TASKS "2(x4),1", NODE "5"}, {0, 8, 9, 0}},
    {{"SLURM_PROCID=8", "SLURM_STEP_ID=0", "SLURM_NTASKS=9", TASKS "2(x", NODE "0"}, {0, 8, 9, 0}},
    {{"PMI_RANK=4", "PMI_SIZE=9", "SLURM_PROCID=0", "SLURM_STEP_ID=0", TASKS "1", NODE "0"}, {0, 4, 9, 0}},
};

static const environment *tried;

static void set_variables(void)
{
    static const char *const all[] = {"OMPI_COMM_WORLD_RANK",
                                      "PMIX_RANK",
                                      "PMI_RANK",
                                      "MV2_COMM_WORLD_RANK",
                                      "SLURM_PROCID",
                                      "OMPI_COMM_WORLD_SIZE",
                                      "PMI_SIZE",
                                      "MV2_COMM_WORLD_SIZE",
                                      "SLURM_NTASKS",
                                      "OMPI_COMM_WORLD_LOCAL_SIZE",
                                      "MPI_LOCALNRANKS",
                                      "MV2_COMM_WORLD_LOCAL_SIZE",
                                      "PMIX_NAMESPACE",
                                      "OMPI_MCA_ess_base_jobid",
                                      "PMI_JOBID",
                                      "SLURM_JOB_ID",
                                      "SLURM_STEP_TASKS_PER_NODE",
                                      "SLURM_NODEID",
                                      "SLURM_STEP_ID"};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        unsetenv(all[i]);
    for (size_t i = 0; i < 6 && tried->variables[i]; i++) {
        char name[64];
        const char *value = strchr(tried->variables[i], '=');
        snprintf(name, sizeof name, "%.*s", (int)(value - tried->variables[i]), tried->variables[i]);
        setenv(name, value + 1, 1);
    }
}

static int is_expected(void)
{
    set_variables();
    parallel_job it = job_of_environment();
    return !(it.number == tried->expected.number && it.rank == tried->expected.rank &&
             it.size == tried->expected.size && it.here == tried->expected.here);
}

#ifdef __linux__
static int asks_proxy; /* 0: a process in between has another name */

static uint64_t mix(uint64_t number, const char *text)
{
    number ^= UINT64_C(0xcbf29ce484222325);
    for (; *text; text++)
        number = (number ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return number;
}

/* A proxy of the launcher of MPICH, below it a process with an odd name, and below that one of the job. */
static int is_below_proxy(void)
{
    unsigned long long start = 0;
    char id[64];
    int status;
    set_variables();
    prctl(PR_SET_NAME, asks_proxy ? "hydra_pmi_proxy" : "hydra_pmi_prox", 0, 0, 0);
    FILE *file = fopen("/proc/self/stat", "r");
    if (!file ||
        fscanf(file, "%*d (%*[^)]) %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
               &start) != 1)
        return 2;
    fclose(file);
    snprintf(id, sizeof id, "%ld %llu", (long)getpid(), start);
    pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_NAME, "a) R 1 (b c", 0, 0, 0);
        child = fork();
        if (child == 0)
            _exit(job_find().number != (asks_proxy ? mix(1, id) | 1 : 0));
    }
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 3;
}

static void test_proxy(void)
{
    static const environment one = {{"PMI_RANK=0", "PMI_SIZE=2", "MPI_LOCALNRANKS=2"}, {0, 0, 2, 2}};
    static const environment other = {{"PMI_RANK=0", "PMI_SIZE=2", "MPI_LOCALNRANKS=1"}, {0, 0, 2, 1}};
    static const environment known = {{"PMI_RANK=0", "PMI_SIZE=2", "MPI_LOCALNRANKS=2", "PMI_JOBID=a"}, {0, 0, 2, 2}};
    char said[256];
    tried = &one;
    asks_proxy = 1;
    int right = in_child(is_below_proxy, said) == 0;
    asks_proxy = 0;
    right &= in_child(is_below_proxy, said) == 0;
    tell("the number of a job by the proxy of its launcher", right);
    asks_proxy = 1;
    tried = &other;
    right = in_child(is_below_proxy, said) == 1;
    tried = &known;
    right &= in_child(is_below_proxy, said) == 1;
    tell("but not on one of two machines, nor where it is known", right);
}
#else
static void test_proxy(void) {}
#endif

static void test_jobs(void)
{
    char said[256];
    int right = 1;
    for (size_t i = 0; i < sizeof environments / sizeof *environments; i++) {
        tried = &environments[i];
        right &= in_child(is_expected, said) == 0;
    }
    tell("jobs by what launchers put into the environment", right);
    tell("launchers", job_is_launcher("mpirun") && job_is_launcher("mpiexec.hydra") &&
                          job_is_launcher("hydra_pmi_proxy") && job_is_launcher("slurmstepd") &&
                          !job_is_launcher("mpiru") && !job_is_launcher("xmpirun") && !job_is_launcher("") &&
                          !job_is_launcher("sh"));
    tell("numbers of jobs", job_number("job") == UINT64_C(0x335f12192ff5b23f) &&
                                job_number("prterun-h-7@1") == UINT64_C(0x25101da1f6592515));
}

int main(void)
{
    program_name = "base";
    test_processes();
    test_memory();
    test_jobs();
    test_proxy();
    return failed;
}
