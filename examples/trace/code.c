/* What code a process has mapped, by /proc/self/maps, for samples.  A signal handler reads it; another one that comes
 * meanwhile goes on without. */
#include "samples.h"

#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    RANGES = 1024,
    PATH = 512,
    LINE = 96 + PATH,
    SOON = 100000000, /* nanoseconds, where an address is not known */
    LATER = 1000000000
};

typedef struct range {
    uintptr_t start, end;
    uint64_t hash; /* of what else its line has */
} range;

static range ranges[RANGES];
static uint32_t count;
static uint64_t last_read;
static int is_reading;

void trace_forget_code(void)
{
    count = 0;
    last_read = 0;
    is_reading = 0;
}

static const range *find(uintptr_t address)
{
    uint32_t i = __atomic_load_n(&count, __ATOMIC_ACQUIRE);
    while (i-- > 0)
        if (address >= ranges[i].start && address < ranges[i].end)
            return &ranges[i];
    return NULL;
}

int trace_is_code(uintptr_t address)
{
    return find(address) != NULL;
}

static uint64_t read_hex(const char **at)
{
    uint64_t number = 0;
    for (;; ++*at) {
        const char c = **at;
        if (c >= '0' && c <= '9')
            number = number * 16 + (uint64_t)(c - '0');
        else if (c >= 'a' && c <= 'f')
            number = number * 16 + (uint64_t)(c - 'a') + 10;
        else
            return number;
    }
}

/* Writes down a line, START-END FLAGS OFFSET DEVICE INODE PATH, if it is of code and new.  `since`: from when on it may
 * have been there. */
static void note(trace_thread *t, uint64_t since, const char *line)
{
    const char *at = line, *flags, *path;
    const uintptr_t start = read_hex(&at), end = (at++, read_hex(&at));
    const range *known = find(start);
    uint64_t offset, hash = 14695981039346656037u;
    const size_t size = strlen(line);
    size_t i, path_size;
    char *p;
    flags = at + 1;
    if (size < 40 || flags[2] != 'x' || count >= RANGES)
        return;
    for (i = (size_t)(flags - line); i < size; i++)
        hash = (hash ^ (unsigned char)line[i]) * 1099511628211u;
    if (known && known->start == start && known->end == end && known->hash == hash)
        return;
    at = flags + 5;
    offset = read_hex(&at);
    path = strpbrk(at, "/[");
    path_size = path ? strlen(path) : 0;
    if (path_size > PATH || !(p = trace_reserve_line(t, LINE)))
        return;
    *p = 'M';
    p = trace_put_hex(p + 1, since);
    p = trace_put_hex(p, (uint64_t)trace_the_process.number);
    p = trace_put_hex(p, start);
    p = trace_put_hex(p, end);
    p = trace_put_hex(p, offset);
    *p++ = ' ';
    if (path)
        memcpy(p, path, path_size);
    trace_end_line(t, p + path_size);
    ranges[count] = (range){start, end, hash};
    __atomic_store_n(&count, count + 1, __ATOMIC_RELEASE);
}

static void read_lines(trace_thread *t, uint64_t since, int file)
{
    static char text[8192];
    size_t size = 0;
    for (;;) {
        const long taken = syscall(SYS_read, file, text + size, sizeof text - 1 - size);
        char *line = text, *newline;
        if (taken <= 0)
            return;
        size += (size_t)taken;
        text[size] = 0;
        for (; (newline = strchr(line, '\n')); line = newline + 1) {
            *newline = 0;
            note(t, since, line);
        }
        size -= (size_t)(line - text);
        memmove(text, line, size);
        if (size == sizeof text - 1)
            size = 0; /* a path that is longer than all of it */
    }
}

void trace_read_code(trace_thread *t, uint64_t time, int is_known)
{
    const uint64_t last = __atomic_load_n(&last_read, __ATOMIC_RELAXED);
    int file;
    if ((last && time < last + (is_known ? LATER : SOON)) ||
        __atomic_exchange_n(&is_reading, 1, __ATOMIC_ACQUIRE))
        return;
    file = (int)syscall(SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC);
    if (file >= 0) {
        read_lines(t, last ? last : trace_page->origin, file);
        syscall(SYS_close, file);
    }
    __atomic_store_n(&last_read, time, __ATOMIC_RELAXED);
    __atomic_store_n(&is_reading, 0, __ATOMIC_RELEASE);
}
