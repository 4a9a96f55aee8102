#include "maps.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

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

/* Reads a line START-END FLAGS OFFSET DEVICE INODE PATH.  Returns 0 if it is another. */
static int read_mapping(const char *line, trace_mapping *mapping)
{
    const char *at = line;
    mapping->start = (uintptr_t)read_hex(&at);
    if (*at++ != '-')
        return 0;
    mapping->end = (uintptr_t)read_hex(&at);
    if (*at++ != ' ' || strlen(at) < 5)
        return 0;
    mapping->rest = at;
    mapping->is_code = at[2] == 'x';
    at += 5;
    mapping->offset = read_hex(&at);
    mapping->path = strpbrk(at, "/[");
    if (!mapping->path)
        mapping->path = "";
    return 1;
}

/* These are calls of the system as such, since those of libc may be recorded, or be interrupted.  Where they fail, as
 * there is no descriptor left, the program is not to see it. */
void trace_read_maps(char *text, size_t size, int (*take)(void *context, const trace_mapping *), void *context)
{
    const int before = errno, file = (int)syscall(SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC);
    size_t used = 0;
    int goes_on = file >= 0, is_rest = 0; /* is_rest: what comes is the rest of a line that is left out */
    while (goes_on) {
        const long taken = syscall(SYS_read, file, text + used, size - 1 - used);
        char *line = text, *newline;
        trace_mapping mapping;
        if (taken <= 0)
            break;
        used += (size_t)taken;
        text[used] = 0;
        for (; goes_on && (newline = strchr(line, '\n')); line = newline + 1, is_rest = 0) {
            *newline = 0;
            if (!is_rest && read_mapping(line, &mapping))
                goes_on = take(context, &mapping);
        }
        used -= (size_t)(line - text);
        memmove(text, line, used);
        if (used == size - 1) {
            is_rest = 1;
            used = 0;
        }
    }
    if (file >= 0)
        syscall(SYS_close, file);
    errno = before;
}
