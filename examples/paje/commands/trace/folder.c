/* The folder of a run. */
#include "trace.h"
#include "trace/types.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static char *join(const char *folder, const char *name)
{
    text_buffer path = {0};
    text_printf(&path, "%s/%s", folder, name);
    return text_string(&path);
}

/* Maps the control page; makes it first if `settings` is not NULL. */
static int map_control(trace_folder *it, const trace_settings *settings)
{
    char *path = join(it->name, TRACE_CONTROL);
    int file = open(path, O_RDWR | O_CLOEXEC | (settings ? O_CREAT | O_EXCL : 0), 0666);
    trace_control *page = MAP_FAILED;
    free(path);
    if (file < 0)
        return 0;
    if (settings) {
        static trace_control begun;
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        begun.magic = TRACE_MAGIC;
        begun.origin = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
        begun.mask = settings->record;
        begun.slots = settings->slots;
        memcpy(begun.functions, settings->functions, sizeof begun.functions);
        begun.throttle_calls = settings->throttle_calls;
        begun.throttle_time = settings->throttle_time;
        begun.heap = settings->record & TRACE_HEAP ? settings->heap : 0;
        begun.period = settings->rate ? 1000000000u / settings->rate : 0;
        begun.containers = TRACE_FIXED_ALIASES;
        errno = ENOSPC;
        if (write(file, &begun, sizeof begun) != (ssize_t)sizeof begun) {
            close(file);
            return 0;
        }
    }
    struct stat about;
    if (fstat(file, &about) == 0 && about.st_size == (off_t)sizeof *page)
        page = mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (page == MAP_FAILED || page->magic != TRACE_MAGIC) {
        errno = EINVAL;
        return 0;
    }
    it->control = page;
    return 1;
}

int trace_make_folder(trace_folder *it, const char *name, const trace_settings *settings)
{
    const char *below = getenv("TMPDIR");
    memset(it, 0, sizeof *it);
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
    return it->name && map_control(it, settings);
}

int trace_open_folder(trace_folder *it, const char *name)
{
    memset(it, 0, sizeof *it);
    it->name = realpath(name, NULL);
    return it->name && map_control(it, NULL);
}

/* By the number that they begin with. */
static int compare(const void *a, const void *b)
{
    const char *first = strrchr(*(char *const *)a, '/') + 1, *second = strrchr(*(char *const *)b, '/') + 1;
    unsigned long x = strtoul(first, NULL, 10), y = strtoul(second, NULL, 10);
    return (x > y) - (x < y);
}

int trace_is_running(long process)
{
    char path[64], text[512];
    snprintf(path, sizeof path, "/proc/%ld/stat", process);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t size = file < 0 ? -1 : read(file, text, sizeof text - 1);
    if (file >= 0)
        close(file);
    if (size <= 0)
        return 0;
    text[size] = '\0';
    const char *name_end = strrchr(text, ')'); /* the state follows the name */
    return !name_end || strncmp(name_end, ") Z", 3) != 0;
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
        if (process > 0 && trace_is_running(process))
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
