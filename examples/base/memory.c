/* Allocation that succeeds or ends the program. */
#include "base/memory.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

const char *program_name = "program";

void memory_fail(size_t bytes)
{
    char line[128]; /* there may be no memory for a message either */
    int length = snprintf(line, sizeof line, "%.40s: no memory for %zu bytes\n", program_name, bytes);
    if (write(STDERR_FILENO, line, (size_t)length) < 0)
        exit(EXIT_FAILED); /* the status alone has to tell */
    exit(EXIT_FAILED);
}

void *memory_resize(void *block, size_t count, size_t size)
{
    if (size && count > SIZE_MAX / size)
        memory_fail(SIZE_MAX);
    void *resized = realloc(block, count && size ? count * size : 1);
    if (!resized)
        memory_fail(count * size);
    return resized;
}

void *memory_alloc(size_t count, size_t size)
{
    return memory_resize(NULL, count, size);
}

void *memory_alloc_zero(size_t count, size_t size)
{
    void *block = memory_resize(NULL, count, size);
    memset(block, 0, count * size);
    return block;
}

/* By default each block of 128 KB is mapped, and is unmapped when it is freed or moved. */
void memory_keep_freed(void)
{
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, 4 << 20);
    mallopt(M_TRIM_THRESHOLD, 128 << 20);
#endif
}

/* The first number behind a word of a file; `otherwise` if there is none. */
static uint64_t number_in(const char *name, const char *word, uint64_t otherwise)
{
    char bytes[4096];
    int file = open(name, O_RDONLY);
    ssize_t size = file < 0 ? -1 : read(file, bytes, sizeof bytes - 1);
    if (file >= 0)
        close(file);
    bytes[size < 0 ? 0 : size] = '\0';
    const char *at = strstr(bytes, word);
    unsigned long long number;
    return at && sscanf(at + strlen(word), "%llu", &number) == 1 ? number : otherwise;
}

static uint64_t less(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

uint64_t memory_available(void)
{
    const char *group = "/sys/fs/cgroup/memory.max";
    uint64_t available = number_in("/proc/meminfo", "MemAvailable:", 0) * 1024, used, most;
    struct rlimit space;
    if (!available)
        available = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE) / 2;
    most = number_in(group, "", UINT64_MAX);
    used = number_in("/sys/fs/cgroup/memory.current", "", 0);
    available = less(available, most > used ? most - used : 0);
    if (getrlimit(RLIMIT_AS, &space) == 0) /* RLIM_INFINITY is the greatest */
        available = less(available, space.rlim_cur);
    return available;
}
