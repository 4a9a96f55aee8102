/* The folder of a run. */
#define _GNU_SOURCE /* mremap */
#include "trace.h"
#include "trace/replace.h"
#include "trace/types.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

static char *join(const char *folder, const char *name)
{
    text_buffer path = {0};
    text_printf(&path, "%s/%s", folder, name);
    return text_string(&path);
}

/* Makes the control page, in a file of that name. */
static int make_control(const char *path, const trace_settings *settings)
{
    int file = open(path, O_WRONLY | O_CLOEXEC | O_CREAT | O_EXCL, 0666), is_whole;
    static trace_control begun;
    struct timespec now, today;
    if (file < 0)
        return 0;
    clock_gettime(CLOCK_MONOTONIC, &now);
    clock_gettime(CLOCK_REALTIME, &today);
    begun.magic = TRACE_MAGIC;
    begun.origin = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    begun.mask = settings->record;
    begun.slots = settings->slots;
    begun.are_names_mangled = (uint32_t)settings->are_names_mangled;
    memcpy(begun.functions, settings->functions, sizeof begun.functions);
    begun.throttle_calls = settings->throttle_calls;
    begun.throttle_time = settings->throttle_time;
    begun.heap = settings->record & TRACE_HEAP ? settings->heap : 0;
    memcpy(begun.methods, settings->methods, sizeof begun.methods);
    begun.allocations = settings->allocations;
    begun.no_exceptions = settings->no_exceptions;
    begun.beans = settings->beans;
    begun.shows_jvm = settings->shows_jvm;
    begun.period = settings->rate ? 1000000000u / settings->rate : 0;
    begun.containers = TRACE_FIXED_ALIASES;
    /* Raw files of several runs may be merged: a number of the run, of six digits, and a billion links for each. */
    begun.fork_keys = ((uint64_t)today.tv_sec * 1000000000u + (uint64_t)today.tv_nsec) % 999983 * 1000000000u;
    errno = ENOSPC;
    is_whole = write(file, &begun, sizeof begun) == (ssize_t)sizeof begun;
    close(file);
    return is_whole;
}

static trace_control *control, as_begun;

/* What may have been lost; it may be said only that something is missing. */
static void restore_control(trace_control *it)
{
    const uint32_t failures = it->failures, processes = it->processes;
    const uint64_t failed_at = it->failed_at;
    if (it->magic == TRACE_MAGIC)
        return;
    *it = as_begun;
    it->failures = failures;
    it->failed_at = failed_at;
    it->processes = processes;
}

/* Processes had to replace it, too, or will: since when is not known. */
static void handle_fault(int number, siginfo_t *info, void *context)
{
    const char *page = info->si_addr, *start = (const char *)control;
    (void)context;
    if (info->si_code <= 0 || page < start || page >= start + sizeof *control ||
        !replace_control(control, restore_control)) {
        signal(number, SIG_DFL); /* it comes again */
        if (info->si_code <= 0)
            raise(number);
        return;
    }
    control->failures++;
    control->processes += !control->processes;
}

/* The page may be in a file that cannot be written any more, as on a full disk of btrfs. */
static void survive_faults(trace_control *page)
{
    struct sigaction action = {.sa_sigaction = handle_fault, .sa_flags = SA_SIGINFO | SA_NODEFER};
    control = page;
    as_begun = *page;
    sigaction(SIGBUS, &action, NULL);
}

/* Maps the control page, and closes its file. */
static int map_control(trace_folder *it, int file)
{
    trace_control *page = MAP_FAILED;
    struct stat about;
    if (fstat(file, &about) == 0 && about.st_size == (off_t)sizeof *page)
        page = mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (page == MAP_FAILED || page->magic != TRACE_MAGIC) {
        errno = EINVAL;
        return 0;
    }
    survive_faults(page);
    it->control = page;
    return 1;
}

static int open_control(const trace_folder *it)
{
    char *path = join(it->name, TRACE_CONTROL);
    int file = open(path, O_RDWR | O_CLOEXEC);
    free(path);
    return file;
}

void trace_mend_control(const trace_folder *it)
{
    static trace_control there;
    int file = open_control(it);
    if (file < 0)
        return;
    if (pread(file, &there, sizeof there, 0) != (ssize_t)sizeof there || there.magic != TRACE_MAGIC) {
        there = *it->control;
        restore_control(&there);
        there.failures += !there.failures;
        there.is_over = 1;
        there.mask = 0;
        *it->control = there;
        if (pwrite(file, &there, sizeof there, 0) != (ssize_t)sizeof there)
            stream_message("%s/%s: %s", it->name, TRACE_CONTROL, strerror(errno));
    }
    close(file);
}

int trace_make_folder(trace_folder *it, const char *name, const trace_settings *settings)
{
    const char *below = getenv("TMPDIR");
    int file;
    memset(it, 0, sizeof *it);
    it->lock = it->held = -1;
    it->is_kept = name != NULL;
    if (name) {
        if (mkdir(name, 0777) != 0)
            return 0;
        it->name = realpath(name, NULL);
    } else {
        char *pattern = join(below && *below ? below : "/tmp", "paje-trace-XXXXXX");
        it->name = mkdtemp(pattern) ? realpath(pattern, NULL) : NULL;
        free(pattern);
    }
    if (!it->name)
        return 0;
    char *path = join(it->name, TRACE_CONTROL);
    int is_made = make_control(path, settings);
    free(path);
    return is_made && (file = open_control(it)) >= 0 && map_control(it, file);
}

int trace_open_folder(trace_folder *it, const char *name)
{
    memset(it, 0, sizeof *it);
    it->lock = it->held = -1;
    it->name = realpath(name, NULL);
    if (!it->name)
        return 0;
    int file = open_control(it);
    return file >= 0 && map_control(it, file);
}

/* ---- a folder that several launchers of one job share */

/* Makes the control page unless another launcher has; a link has it whole, or there is none. */
static int make_shared_control(trace_folder *it, const trace_settings *settings)
{
    text_buffer own = {0};
    char *path = join(it->name, TRACE_CONTROL);
    text_printf(&own, "%s.%ld", path, (long)getpid());
    int is_made = make_control(text_string(&own), settings);
    it->is_first = is_made && link(text_string(&own), path) == 0;
    is_made = it->is_first || (is_made && errno == EEXIST);
    unlink(text_string(&own));
    text_free(&own);
    free(path);
    return is_made;
}

/* Takes part in the folder, unless the last launcher has removed it meanwhile. */
static int lock_control(trace_folder *it)
{
    struct stat own, named;
    char *path = join(it->name, TRACE_CONTROL);
    it->lock = open_control(it);
    int is_there = it->lock >= 0 && flock(it->lock, LOCK_SH) == 0 && fstat(it->lock, &own) == 0 &&
                   stat(path, &named) == 0 && own.st_ino == named.st_ino && own.st_dev == named.st_dev;
    free(path);
    if (!is_there && it->lock >= 0) {
        close(it->lock);
        it->lock = -1;
    }
    return is_there;
}

/* Whether launchers have joined a folder, and all have ended, and their finisher as well: none will make a trace of it.
 * Also if it is not there any more. */
static int is_abandoned(const trace_folder *it)
{
    static trace_control there;
    struct stat own, named;
    if (pread(it->lock, &there, sizeof there, 0) == (ssize_t)sizeof there && there.magic == TRACE_MAGIC &&
        there.launchers == 0)
        return 0;
    int folder = open(it->name, O_RDONLY | O_DIRECTORY | O_CLOEXEC); /* it was locked before any had joined */
    int is_own = folder >= 0 && fstat(it->lock, &own) == 0 && fstatat(folder, TRACE_CONTROL, &named, 0) == 0 &&
                 own.st_ino == named.st_ino && own.st_dev == named.st_dev;
    int is_free = !is_own || flock(folder, LOCK_SH | LOCK_NB) == 0;
    if (folder >= 0)
        close(folder);
    return is_free;
}

/* Renames a folder that is abandoned, unless another launcher has; that of a later job may have the same number. */
static void put_aside(trace_folder *it)
{
    static const struct timespec pause = {0, 1000000};
    text_buffer aside = {0};
    struct stat own, named;
    char *path = join(it->name, TRACE_CONTROL);
    text_printf(&aside, "%s-XXXXXX", it->name);
    flock(it->lock, LOCK_UN);
    if (flock(it->lock, LOCK_EX | LOCK_NB) == 0 && fstat(it->lock, &own) == 0 && stat(path, &named) == 0 &&
        own.st_ino == named.st_ino && own.st_dev == named.st_dev && mkdtemp(text_string(&aside))) {
        if (rename(it->name, aside.bytes) == 0)
            stream_message("%s is what an earlier job left that was killed: `paje merge -o FILE %s` makes a trace of "
                           "it", aside.bytes, aside.bytes);
        else
            rmdir(aside.bytes);
    }
    close(it->lock);
    it->lock = -1;
    text_free(&aside);
    free(path);
    nanosleep(&pause, NULL);
}

int trace_join_folder(trace_folder *it, uint64_t job, const trace_settings *settings)
{
    const char *below = getenv("TMPDIR");
    text_buffer name = {0};
    struct stat about;
    struct utsname machine; /* $TMPDIR may be shared by several, but their memory is not */
    memset(it, 0, sizeof *it);
    it->lock = it->held = -1;
    text_printf(&name, "%s/paje-trace-%016llx-%lu-%s", below && *below ? below : "/tmp", (unsigned long long)job,
                (unsigned long)geteuid(), uname(&machine) == 0 ? machine.nodename : "");
    for (int i = 0; i < 100 && it->lock < 0; i++) {
        if (mkdir(text_string(&name), 0700) != 0 && errno != EEXIST)
            break;
        if (lstat(text_string(&name), &about) != 0)
            continue;
        if (!S_ISDIR(about.st_mode) || about.st_uid != geteuid()) { /* somebody else's */
            errno = EPERM;
            break;
        }
        free(it->name);
        it->name = realpath(text_string(&name), NULL);
        if (!it->name || !make_shared_control(it, settings) || !lock_control(it))
            continue;
        if (!it->is_first && is_abandoned(it))
            put_aside(it);
        else if (it->is_first && (it->held = open(it->name, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) >= 0)
            flock(it->held, LOCK_EX); /* others look for a moment whether it is locked */
    }
    text_free(&name);
    int mapped = it->lock < 0 ? -1 : open_control(it); /* another one, as a mapping would keep the lock */
    if (mapped < 0 || !map_control(it, mapped))
        return 0;
    __atomic_add_fetch(&it->control->launchers, 1, __ATOMIC_RELAXED);
    return 1;
}

void trace_wait_for_launchers(trace_folder *it, int launchers)
{
    static const struct timespec pause = {0, 100000000};
    enum { PATIENCE = 50 }; /* pauses until those that have not come are thought to be dead */
    int file = open_control(it);
    for (int i = 0; i < PATIENCE && file >= 0; i++) {
        flock(file, LOCK_EX); /* waits as long as there is one */
        if (__atomic_load_n(&it->control->launchers, __ATOMIC_RELAXED) >= (uint32_t)launchers)
            break;
        flock(file, LOCK_UN);
        nanosleep(&pause, NULL);
    }
    it->lock = file;
}

void trace_leave_folder(trace_folder *it, int launchers)
{
    static const struct timespec pause = {0, 2000000};
    char *path = join(it->name, TRACE_CONTROL);
    const int is_last = __atomic_add_fetch(&it->control->left, 1, __ATOMIC_RELAXED) >= (uint32_t)launchers;
    const pid_t finisher = (pid_t)it->control->finisher;
    flock(it->lock, LOCK_UN);
    while (is_last && access(path, F_OK) == 0 && trace_is_running(finisher))
        nanosleep(&pause, NULL);
    if (is_last && !__atomic_load_n(&it->control->is_over, __ATOMIC_RELAXED))
        stream_message("there is no trace, as the process was killed that would make it: `paje merge -o FILE %s` does",
                       it->name);
    free(path);
}

/* By the number that they begin with. */
static int compare(const void *a, const void *b)
{
    const char *first = strrchr(*(char *const *)a, '/') + 1, *second = strrchr(*(char *const *)b, '/') + 1;
    unsigned long x = strtoul(first, NULL, 10), y = strtoul(second, NULL, 10);
    return (x > y) - (x < y);
}

/* Reads what the system tells of a process: `... (NAME) STATE ...`.  Returns 0 if there is none. */
static int read_process(long process, char text[512])
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/stat", process);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t size = file < 0 ? -1 : read(file, text, 511);
    if (file >= 0)
        close(file);
    text[size > 0 ? size : 0] = '\0';
    return size > 0;
}

int trace_is_running(long process)
{
    char text[512];
    if (!read_process(process, text))
        return 0;
    const char *name_end = strrchr(text, ')');
    return !name_end || strncmp(name_end, ") Z", 3) != 0;
}

/* Whether it starts processes of jobs, also after the command has ended: what it does is not recorded. */
static int is_launcher(long process)
{
    char text[512];
    const char *name = read_process(process, text) ? strchr(text, '(') : NULL;
    return name && job_is_launcher(name + 1);
}

/* A raw file is named NUMBER-PROCESS.raw. */
void trace_list_files(trace_folder *it)
{
    array_of(char *) files = {0};
    hash_map processes = {0}; /* those that run; a process has a file for each program that it executes */
    long process;
    DIR *folder = opendir(it->name);
    struct dirent *entry;
    while (folder && (entry = readdir(folder))) {
        char *end, *dash = strchr(entry->d_name, '-');
        process = dash ? strtol(dash + 1, &end, 10) : 0;
        if (process <= 0 || strcmp(end, ".raw") != 0)
            continue;
        if (trace_is_running(process))
            map_add(&processes, &process, sizeof process);
        *array_push(&files) = join(it->name, entry->d_name);
    }
    if (folder)
        closedir(folder);
    if (files.count)
        qsort(files.items, files.count, sizeof *files.items, compare);
    for (uint32_t i = 0; i < TRACE_FORKS; i++) { /* forked processes that have not called anything yet have none */
        process = (long)it->control->children[i];
        if (process > 0 && trace_is_running(process) && !is_launcher(process))
            map_add(&processes, &process, sizeof process);
    }
    it->running = (uint32_t)processes.used;
    map_free(&processes);
    it->files = files.items;
    it->count = (uint32_t)files.count;
}

/* Copies a file from its first byte to its last, as of a line that is being written the first byte comes last.  Returns
 * 0, with errno, if that is not possible. */
static int copy_file(const char *from, const char *to)
{
    static char bytes[1 << 16];
    int source = open(from, O_RDONLY | O_CLOEXEC), target = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    ssize_t size = source >= 0 && target >= 0 ? 1 : -1;
    while (size > 0 && (size = read(source, bytes, sizeof bytes)) > 0)
        if (!stream_write(target, (pajesim_text){bytes, (size_t)size}))
            size = -1;
    int error = errno;
    if (source >= 0)
        close(source);
    if (target >= 0)
        close(target);
    errno = error;
    return size == 0;
}

void trace_detach_files(const trace_folder *it)
{
    char *copy = join(it->name, "copy");
    for (uint32_t i = 0; i < it->count; i++) {
        if (!trace_is_running(strtol(strrchr(it->files[i], '-') + 1, NULL, 10)))
            continue;
        if (!copy_file(it->files[i], copy) || rename(copy, it->files[i]) != 0)
            stream_message("%s: %s: the process goes on writing it", it->files[i], strerror(errno));
    }
    free(copy);
}

void trace_free_files(trace_folder *it)
{
    for (uint32_t i = 0; i < it->count; i++)
        free(it->files[i]);
    free(it->files);
    it->files = NULL;
    it->count = 0;
}

void trace_remove_folder(trace_folder *it)
{
    munmap(it->control, sizeof *it->control); /* else its file stays under another name where it is on NFS */
    it->control = NULL;
    DIR *folder = opendir(it->name);
    struct dirent *entry;
    while (folder && (entry = readdir(folder))) {
        char *path = join(it->name, entry->d_name);
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            unlink(path);
        free(path);
    }
    if (folder)
        closedir(folder);
    rmdir(it->name);
}
