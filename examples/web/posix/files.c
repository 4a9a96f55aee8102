/* The files of the tool in the page: the trace, whose bytes the worker reads, and its index, which the worker has
 * copied into memory.  Their names are TRACE and TRACE.pajeidx; standard output and error are texts. */
#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#undef lseek /* a macro that means the function */

enum { FIRST_FILE = 3, MOST_FILES = 32 };

/* Imports from the worker: copies bytes of the trace; how many bytes it has by now, and when it was changed. */
__attribute__((import_module("page"), import_name("read"))) uint32_t page_read(double offset, void *to, uint32_t size);
__attribute__((import_module("page"), import_name("size"))) double page_size(void);
__attribute__((import_module("page"), import_name("date"))) double page_date(void);

enum { CLOSED, TRACE_FILE, INDEX_FILE };
static struct {
    int what;
    uint64_t at;
} files[MOST_FILES];
static unsigned char *index_bytes;
static size_t index_size;
text_buffer files_output, files_errors, files_written;
static uint64_t adopted_date; /* in ns; 0: none */

unsigned char *files_index(size_t size)
{
    index_bytes = memory_resize(index_bytes, size, 1);
    index_size = size;
    return index_bytes;
}

void files_adopt_date(void)
{
    pajesim_index index;
    enum { DATE = 1 /* of the label, see replay/index.c */ };
    unsigned char *copy = memory_alloc(index_size, 1);
    memcpy(copy, index_bytes, index_size);
    if (pajesim_index_load(&index, copy, index_size, index_size) == PAJESIM_OK) {
        uint64_t date = pajesim_index_label(&index)[DATE];
        adopted_date = date / 1000000 == (uint64_t)page_date() ? date : 0;
    }
    free(copy);
}

/* What has that name; CLOSED: nothing. */
static int file_named(const char *name)
{
    if (strcmp(name, "TRACE") == 0)
        return TRACE_FILE;
    return strcmp(name, "TRACE.pajeidx") == 0 && index_size ? INDEX_FILE : CLOSED;
}

static int what_is(int file)
{
    return file >= FIRST_FILE && file < MOST_FILES ? files[file].what : CLOSED;
}

int open(const char *name, int flags, ...)
{
    (void)flags;
    int what = file_named(name), file = FIRST_FILE;
    while (file < MOST_FILES && files[file].what != CLOSED)
        file++;
    if (what == CLOSED || file == MOST_FILES)
        return errno = what == CLOSED ? ENOENT : EMFILE, -1;
    files[file].what = what;
    files[file].at = 0;
    return file;
}

int close(int file)
{
    if (what_is(file) != CLOSED)
        files[file].what = CLOSED;
    return 0;
}

ssize_t pread(int file, void *to, size_t size, off_t offset)
{
    if (what_is(file) == TRACE_FILE)
        return (ssize_t)page_read((double)offset, to, (uint32_t)size);
    if (what_is(file) != INDEX_FILE)
        return errno = EBADF, -1;
    size_t at = (uint64_t)offset < index_size ? (size_t)offset : index_size;
    size = size < index_size - at ? size : index_size - at;
    memcpy(to, index_bytes + at, size);
    return (ssize_t)size;
}

ssize_t read(int file, void *to, size_t size)
{
    ssize_t got = pread(file, to, size, what_is(file) != CLOSED ? (off_t)files[file].at : 0);
    if (got > 0)
        files[file].at += (uint64_t)got;
    return got;
}

off_t lseek(int file, off_t offset, int whence)
{
    if (what_is(file) == CLOSED || whence != SEEK_SET)
        return errno = EBADF, -1;
    files[file].at = (uint64_t)offset;
    return offset;
}

ssize_t write(int file, const void *bytes, size_t size)
{
    text_put(file == STDERR_FILENO ? &files_errors : &files_output, bytes, size);
    return (ssize_t)size;
}

int fstat(int file, struct stat *status)
{
    memset(status, 0, sizeof *status);
    status->st_mode = S_IFREG;
    status->st_size = what_is(file) == INDEX_FILE ? (off_t)index_size : (off_t)page_size();
    uint64_t date = adopted_date ? adopted_date : (uint64_t)page_date() * 1000000;
    status->st_mtim.tv_sec = (time_t)(date / 1000000000);
    status->st_mtim.tv_nsec = (long)(date % 1000000000);
    status->st_ino = (ino_t)file;
    return 0;
}

int stat(const char *name, struct stat *status)
{
    int file = open(name, O_RDONLY);
    if (file < 0)
        return -1;
    fstat(file, status);
    return close(file);
}

int isatty(int file)
{
    (void)file;
    return 0;
}

/* Files are always ready. */
int poll(struct pollfd *waited, nfds_t count, int milliseconds)
{
    (void)milliseconds;
    for (nfds_t i = 0; i < count; i++)
        waited[i].revents = waited[i].events;
    return (int)count;
}
