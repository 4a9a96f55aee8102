/* The job of a parallel program, by what its launcher tells each process. */
#include "job.h"

#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* FNV-1a, by Fowler, Noll and Vo. */
static uint64_t mix_text(uint64_t number, const char *text)
{
    number ^= UINT64_C(0xcbf29ce484222325);
    for (; *text; text++)
        number = (number ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return number;
}

/* Returns the value of the first of several variables that is set; NULL: none is. */
static const char *first_of(const char *const *names)
{
    const char *value = NULL;
    for (; *names && !(value && *value); names++)
        value = getenv(*names);
    return value && *value ? value : NULL;
}

static int number_of(const char *const *names, int otherwise)
{
    const char *value = first_of(names);
    return value ? atoi(value) : otherwise;
}

/* Reads the name, the parent and the start of a process, fields 2, 4 and 22 of /proc/PID/stat (proc(5)). */
static int read_process(long process, char name[64], long *parent, char start[32])
{
    char path[40], text[1024], *p, *end;
    FILE *file;
    size_t size;
    int i;
    snprintf(path, sizeof path, "/proc/%ld/stat", process);
    file = fopen(path, "r");
    if (!file)
        return 0;
    size = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[size] = 0;
    p = strchr(text, '(');
    end = strrchr(text, ')');
    if (!p || !end || end - p > 63 || !end[1] || !end[2])
        return 0;
    memcpy(name, p + 1, (size_t)(end - p) - 1);
    name[end - p - 1] = 0;
    *parent = strtol(end + 3, &p, 10); /* `p`: at the blank before field 5 */
    for (i = 5; i < 22 && p; i++)
        p = strchr(p + 1, ' ');
    snprintf(start, 32, "%.31s", p ? p + 1 : "");
    start[strcspn(start, " ")] = 0;
    return 1;
}

/* MPICH's launcher tells no job, but it has a proxy for each on each machine, which is among the parents. */
static uint64_t number_of_proxy(void)
{
    long process = (long)getpid(), parent;
    char name[64], start[32], id[64];
    int i;
    for (i = 0; i < 64 && process > 1 && read_process(process, name, &parent, start); i++) {
        if (strncmp(name, "hydra_pmi_proxy", 15) == 0) {
            snprintf(id, sizeof id, "%ld %s", process, start);
            return mix_text(1, id) | 1;
        }
        process = parent;
    }
    return 0;
}

int job_is_launcher(const char *name)
{
    static const char *const launchers[] = {"mpirun", "mpiexec", "orterun", "orted", "prterun", "prted", "prte",
                                            "hydra_", "srun", "slurmstepd"};
    size_t i;
    for (i = 0; i < sizeof launchers / sizeof *launchers; i++)
        if (strncmp(name, launchers[i], strlen(launchers[i])) == 0)
            return 1;
    return 0;
}

/* How many processes of this step Slurm has on this machine, by a list for all of its machines, such as 4(x2),3; 0:
 * unknown. */
static int slurm_tasks_here(void)
{
    const char *list = getenv("SLURM_STEP_TASKS_PER_NODE"), *node = getenv("SLURM_NODEID");
    long left = node ? strtol(node, NULL, 10) : 0;
    while (list && *list && left >= 0) {
        char *end;
        long tasks = strtol(list, &end, 10), times = 1;
        if (strncmp(end, "(x", 2) == 0) {
            times = strtol(end + 2, &end, 10);
            end += *end == ')';
        }
        if (tasks <= 0 || tasks > INT_MAX || times <= 0)
            break;
        if (left < times)
            return (int)tasks;
        left -= times;
        list = *end == ',' ? end + 1 : NULL;
    }
    return 0;
}

/* What Slurm tells processes that srun starts.  The script of a batch job, and a step of one process, such as a shell,
 * are no parallel programs. */
static void add_slurm(parallel_job *it)
{
    const char *job = getenv("SLURM_JOB_ID"), *step = getenv("SLURM_STEP_ID"), *rank = getenv("SLURM_PROCID");
    if (!step || !*step)
        return;
    if (rank && *rank && it->rank < 0 && it->size != 1)
        it->rank = atoi(rank);
    if (rank && *rank && !it->here && it->rank == atoi(rank)) /* else another launcher runs within the step */
        it->here = slurm_tasks_here();
    if (!it->number && it->rank >= 0 && job)
        it->number = mix_text(mix_text(3, job), step) | 1;
}

uint64_t job_number(const char *name)
{
    return mix_text(2, name) | 1;
}

parallel_job job_of_environment(void)
{
    static const char *const ranks[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "MV2_COMM_WORLD_RANK", NULL};
    static const char *const sizes[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE", "SLURM_NTASKS",
                                        NULL};
    static const char *const here[] = {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "MV2_COMM_WORLD_LOCAL_SIZE",
                                       NULL};
    static const char *const ids[] = {"PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid", "PMI_JOBID", NULL};
    const char *id = first_of(ids);
    parallel_job it = {0, number_of(ranks, -1), number_of(sizes, 0), number_of(here, 0)};
    if (it.rank >= 0 && id)
        it.number = job_number(id);
    add_slurm(&it);
    return it;
}

parallel_job job_find(void)
{
    parallel_job it = job_of_environment();
    if (it.here == it.size) /* else each machine has a proxy of its own */
        it.number = job_number_here(&it);
    return it;
}

uint64_t job_number_here(const parallel_job *it)
{
    return it->number || it->rank < 0 ? it->number : number_of_proxy();
}
