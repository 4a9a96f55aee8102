/* Removes from a file the places that were reserved, but not filled, as a write has failed. */
#pragma once

#include "descriptor.h"

#if PAJEWRITE_POSIX

/* Returns the size of the whole lines at the start of some bytes that end no definition of an event in its midst. */
PAJEWRITE__UNTRACED
static size_t pajewrite__whole_records(const char *bytes, size_t size)
{
    size = pajewrite__whole_lines(bytes, size);
    while (size) {
        const size_t line = pajewrite__whole_lines(bytes, size - 1);
        if (bytes[line] != '%' || (size - line > 12 && memcmp(bytes + line, "%EndEventDef", 12) == 0))
            break;
        size = line;
    }
    return size;
}

/* Takes out all NUL bytes, with what is left of a line or a definition before them, and what is left of one at the end.
 * Returns the size of the rest. */
PAJEWRITE__UNTRACED
static size_t pajewrite__without_holes(char *bytes, size_t size)
{
    char *line = bytes, *end, *hole;
    size_t kept = 0;
    while ((end = (char *)memchr(line, '\n', (size_t)(bytes + size - line))) != NULL) {
        while ((hole = (char *)memchr(line, 0, (size_t)(end - line))) != NULL) {
            kept = pajewrite__whole_records(bytes, kept);
            line = hole + 1;
        }
        memmove(bytes + kept, line, (size_t)(end + 1 - line));
        kept += (size_t)(end + 1 - line);
        line = end + 1;
    }
    return pajewrite__whole_records(bytes, kept);
}

/* Reads from a file, which may be open for writing only; by its name in /dev/fd then. */
PAJEWRITE__UNTRACED
static size_t pajewrite__read_all(int descriptor, char *bytes, size_t size, off_t at)
{
    const int may_read = (fcntl(descriptor, F_GETFL) & O_ACCMODE) == O_RDWR;
    char path[32] = "/dev/fd/", *p = path + sizeof path - 1;
    unsigned number = (unsigned)descriptor;
    size_t done = 0;
    if (!may_read) {
        do
            *--p = (char)('0' + number % 10);
        while ((number /= 10) != 0);
        memmove(path + 8, p, (size_t)(path + sizeof path - p));
        descriptor = open(path, O_RDONLY | O_CLOEXEC);
    }
    while (done < size) {
        const ssize_t taken = pread(descriptor, bytes + done, size - done, at + (off_t)done);
        if (taken > 0)
            done += (size_t)taken;
        else if (taken == 0 || errno != EINTR)
            break;
    }
    if (!may_read && descriptor >= 0)
        close(descriptor);
    return done;
}

/* Takes the holes out of the file from `at` on: what is behind them is read into memory, the file is truncated, so that
 * there is room on the disk, and written again.  If that is not possible, the file ends at `at`.  Sets the file offset
 * to the end. */
PAJEWRITE__UNTRACED
static void pajewrite__remove_holes(int descriptor, off_t at)
{
    struct stat about;
    size_t size, whole = 0;
    char *bytes;
    if (fstat(descriptor, &about) || about.st_size < at)
        return;
    size = (size_t)(about.st_size - at);
    bytes = size && (uint64_t)size == (uint64_t)(about.st_size - at) ? (char *)pajewrite__get_memory(NULL, size) : NULL;
    if (bytes)
        whole = pajewrite__without_holes(bytes, pajewrite__read_all(descriptor, bytes, size, at));
    if (ftruncate(descriptor, at) == 0) {
        const size_t done = pajewrite__write_all(descriptor, bytes, whole, at);
        if (done < whole) {
            whole = pajewrite__whole_records(bytes, done);
            if (ftruncate(descriptor, at + (off_t)whole))
                errno = 0;
        }
        lseek(descriptor, at + (off_t)whole, SEEK_SET);
    }
    if (bytes)
        munmap(bytes, size);
}

#endif
