/* Input: files, standard input, and the files that a trace includes. */
#include "replay/source.h"
#include "base/output.h"
#include "base/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FOLLOW_MILLISECONDS 100
#define MOST_INCLUDED 100000 /* files that include each other several times grow exponentially */

static volatile sig_atomic_t interrupted;

static void interrupt(int number)
{
    (void)number;
    interrupted = 1;
}

/* Returns where a regular file is read from; 0 of others. */
static uint64_t begin_of(int file, const struct stat *status)
{
    off_t begin = S_ISREG(status->st_mode) ? lseek(file, 0, SEEK_CUR) : 0;
    return begin > 0 ? (uint64_t)begin : 0;
}

uint64_t paje_date_of(const struct stat *status)
{
    return (uint64_t)status->st_mtim.tv_sec * 1000000000u + (uint64_t)status->st_mtim.tv_nsec;
}

static paje_source *new_source(int file, const char *name, const struct stat *status, paje_source *includer)
{
    paje_source *source = memory_alloc(1, sizeof *source);
    size_t size = strlen(name) + 1;
    memset(source, 0, offsetof(paje_source, bytes));
    source->includer = includer;
    source->name = memcpy(memory_alloc(size, 1), name, size);
    source->file = file;
    source->device = (uint64_t)status->st_dev;
    source->inode = (uint64_t)status->st_ino;
    source->date = paje_date_of(status);
    source->begin = begin_of(file, status);
    source->length = S_ISREG(status->st_mode) ? (uint64_t)status->st_size : 0;
    source->length -= source->begin < source->length ? source->begin : source->length;
    source->is_judged = includer != NULL;
    output_note_input(status, source->name);
    return source;
}

/* Reads through a decompressor from now on; `size` bytes of the file are in the buffer. */
static void decompress(paje_source *source, const char *program, size_t size)
{
    int file = source->file;
    if (source->follow)
        stream_fail("%s: it is compressed, so nothing can be added to it that --follow could wait for", source->name);
    source->file = paje_decompress(&source->decompressor, program, file, source->name, source->bytes, size);
    source->length = 0;
    if (file != STDIN_FILENO)
        close(file);
}

void paje_note_trace(const char *name)
{
    struct stat status;
    if (stat(name, &status) == 0)
        output_note_input(&status, name);
}

paje_source *paje_open_trace(const char *name, int follow)
{
    struct stat status;
    int standard = strcmp(name, "-") == 0;
    int file = standard ? STDIN_FILENO : open(name, O_RDONLY | O_NOCTTY);
    if (file < 0 || fstat(file, &status) < 0)
        stream_fail("%s: %s", standard ? "standard input" : name, strerror(errno));
    paje_source *source = new_source(file, standard ? "<stdin>" : name, &status, NULL);
    if (follow && !standard) {
        struct sigaction action;
        memset(&action, 0, sizeof action);
        action.sa_handler = interrupt;
        sigaction(SIGINT, &action, NULL);
        sigaction(SIGTERM, &action, NULL);
        source->follow = 1;
    }
    const char *program = paje_decompressor_of_file(file);
    if (program)
        decompress(source, program, 0);
    return source;
}

int paje_is_replaced(const char *name, int file)
{
    struct stat own, named;
    return fstat(file, &own) == 0 && S_ISREG(own.st_mode) && stat(name, &named) == 0 &&
           (own.st_ino != named.st_ino || own.st_dev != named.st_dev);
}

int paje_is_compressed(const char *name)
{
    int file = open(name, O_RDONLY);
    int is_compressed = file >= 0 && paje_decompressor_of_file(file);
    if (file >= 0)
        close(file);
    return is_compressed;
}

/* Size of a path up to and including its last slash. */
static size_t folder_size(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

/* Returns the real path of the folder of a file, to be freed; NULL and errno if there is none. */
static char *real_path_of_folder(const char *path)
{
    text_buffer folder = {0};
    text_put(&folder, path, folder_size(path));
    text_putc(&folder, '.');
    char *real = realpath(text_string(&folder), NULL);
    text_free(&folder);
    return real;
}

/* Whether a real path is below a folder, which is a real path or NULL. */
static int is_below(const char *folder, const char *path)
{
    size_t size = folder ? strlen(folder) : 0;
    return folder && strncmp(folder, path, size) == 0 && (path[size] == '/' || (size > 0 && folder[size - 1] == '/'));
}

static paje_source *open_below(const char *folder, const char *allowed, const char *path, paje_source *includer,
                               int plain, const char **refused)
{
    char *real = realpath(path, NULL), *real_allowed = allowed ? realpath(allowed, NULL) : NULL;
    int file = -1;
    struct stat status;
    paje_source *source = NULL;
    const char *program = NULL;
    if (!real) {
        *refused = strerror(errno);
    } else if (!is_below(folder, real) && !is_below(real_allowed, real)) {
        *refused = "it lies outside of the folder of the trace (see --files)";
    } else if ((file = open(real, O_RDONLY | O_NOCTTY | O_NONBLOCK | O_NOFOLLOW)) < 0 || fstat(file, &status) < 0) {
        *refused = strerror(errno);
    } else if (!S_ISREG(status.st_mode)) {
        *refused = "it is no regular file";
    } else if ((program = paje_decompressor_of_file(file)) != NULL && plain) {
        *refused = "it is compressed: decompress it";
    } else {
        for (paje_source *s = includer; s; s = s->includer)
            if (s->device == (uint64_t)status.st_dev && s->inode == (uint64_t)status.st_ino)
                *refused = "it includes itself";
        if (!*refused)
            source = new_source(file, path, &status, includer);
        if (source && program)
            decompress(source, program, 0);
    }
    if (file >= 0 && !source)
        close(file);
    free(real);
    free(real_allowed);
    return source;
}

paje_source *paje_open_included(paje_source *includer, pajesim_text name, const char *allowed, int plain,
                                const char **refused)
{
    *refused = NULL;
    if (memchr(name.bytes, 0, name.size)) {
        *refused = "its name holds a NUL byte";
        return NULL;
    }
    int is_absolute = name.size > 0 && name.bytes[0] == '/';
    if (is_absolute && !allowed) {
        *refused = "its name is absolute (see --files)";
        return NULL;
    }
    paje_source *trace = includer;
    while (trace->includer)
        trace = trace->includer;
    if (trace->included++ == MOST_INCLUDED) {
        trace->included--;
        *refused = "100000 files were included already";
        return NULL;
    }
    char *folder = real_path_of_folder(trace->name);
    paje_source *source = NULL;
    if (!folder) {
        *refused = strerror(errno);
    } else {
        text_buffer path = {0};
        if (!is_absolute)
            text_put(&path, includer->name, folder_size(includer->name));
        text_append(&path, name);
        source = open_below(folder, allowed, text_string(&path), includer, plain, refused);
        text_free(&path);
    }
    free(folder);
    return source;
}

void paje_close_source(paje_source *source)
{
    if (source->file != STDIN_FILENO)
        close(source->file);
    paje_stop_decompressor(&source->decompressor);
    free(source->name);
    free(source);
}

/* Reads bytes behind the first `at` of the buffer.  Returns how many; 0 at the end. */
static size_t read_bytes(paje_source *source, size_t at)
{
    struct pollfd input = {source->file, POLLIN, 0};
    while (!interrupted) {
        if (poll(&input, 1, 0) == 0) {
            stream_flush();
            if (poll(&input, 1, source->follow ? FOLLOW_MILLISECONDS : -1) <= 0)
                continue;
        }
        ssize_t size = read(source->file, source->bytes + at, PAJE_SOURCE_BYTES - at);
        if (size > 0) {
            source->consumed += (uint64_t)size;
            return (size_t)size;
        }
        if (size == 0 && !source->follow) {
            if (source->consumed < source->length) {
                stream_flush();
                stream_fail("%s: it became shorter while it was read", source->name);
            }
            if (source->decompressor.program) {
                stream_flush();
                paje_end_decompressor(&source->decompressor, source->name);
            }
            break;
        }
        if (size == 0) {
            struct stat status;
            stream_flush();
            if (fstat(source->file, &status) == 0 && S_ISREG(status.st_mode) && /* it may have been empty at first */
                (uint64_t)status.st_size < source->consumed)
                stream_fail("%s: it became shorter while it was followed", source->name);
            if (paje_is_replaced(source->name, source->file))
                stream_fail("%s: it was replaced while it was followed: the new file may have more", source->name);
            poll(NULL, 0, FOLLOW_MILLISECONDS);
        } else if (errno != EINTR && errno != EAGAIN && errno != EWOULDBLOCK) {
            stream_flush();
            stream_fail("%s: %s", source->name, strerror(errno));
        }
    }
    return 0;
}

size_t paje_read_at(int file, char *bytes, size_t size, uint64_t offset)
{
    size_t at = 0;
    while (at < size) {
        ssize_t got = pread(file, bytes + at, size - at, (off_t)(offset + at));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        at += (size_t)got;
    }
    return at;
}

/* Whether a file of `size` bytes ends with empty lines: room that a program maps, and fills while it runs. */
static int ends_with_room(int file, uint64_t size)
{
    char end[2];
    return size >= sizeof end && paje_read_at(file, end, sizeof end, size - sizeof end) == sizeof end &&
           memcmp(end, "\n\n", sizeof end) == 0;
}

void paje_expect_unwritten(const paje_source *source)
{
    struct stat now;
    const uint64_t size = source->begin + source->length;
    if (!source->length || fstat(source->file, &now) < 0 || (uint64_t)now.st_size != size ||
        paje_date_of(&now) == source->date || ends_with_room(source->file, size))
        return;
    stream_flush();
    stream_fail("%s: it was changed while it was read", source->name);
}

typedef enum beginning { NOTHING_YET, DATA_ONLY, DEFINITION } beginning;

/* What the first bytes of a file hold: comments and blanks only, or lines, perhaps one that defines an event. */
static beginning judge(const char *bytes, size_t size)
{
    static const char blanks[] = " \t\r", word[] = "EventDef";
    beginning found = NOTHING_YET;
    if (size >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0) {
        bytes += 3;
        size -= 3;
    }
    for (size_t at = 0; at < size; at++) {
        while (at < size && bytes[at] && strchr(blanks, bytes[at]))
            at++;
        if (at < size && bytes[at] == '%') {
            size_t name = at + 1;
            while (name < size && bytes[name] && strchr(blanks, bytes[name]))
                name++;
            if (size - name >= sizeof word - 1 && memcmp(bytes + name, word, sizeof word - 1) == 0)
                return DEFINITION;
            if (size - name < sizeof word - 1 && memcmp(bytes + name, word, size - name) == 0)
                return found; /* it may be the begin of one, in a file that is being written */
        }
        if (at < size && bytes[at] != '#' && bytes[at] != '\n')
            found = DATA_ONLY;
        const char *end = at < size ? memchr(bytes + at, '\n', size - at) : NULL;
        at = end ? (size_t)(end - bytes) : size;
    }
    return found;
}

int paje_is_no_trace(const char *bytes, size_t size)
{
    return judge(bytes, size) == DATA_ONLY && !paje_decompressor_of(bytes, size);
}

static int begins_with(const paje_source *source, const char *word)
{
    return source->size >= strlen(word) && memcmp(source->bytes, word, strlen(word)) == 0;
}

/* Reads until it is clear what the file is; data before the first definition would be errors only, so they can wait. */
static void read_beginning(paje_source *source)
{
    size_t size, more;
    for (size = 0; (more = read_bytes(source, size)) > 0;) {
        size += more;
        const char *program = source->decompressor.program ? NULL : paje_decompressor_of(source->bytes, size);
        if (program) {
            decompress(source, program, size);
            size = 0;
            source->consumed = 0;
        } else if (judge(source->bytes, size) != DATA_ONLY || size == PAJE_SOURCE_BYTES) {
            break;
        }
    }
    source->is_judged = 1;
    source->size = size;
    source->is_no_trace = judge(source->bytes, size) == DATA_ONLY;
    if (source->is_no_trace)
        source->format = begins_with(source, "#Paraver") ? "Paraver" : begins_with(source, "\3BOTF2") ? "OTF2" : NULL;
}

int paje_read_source(paje_source *source)
{
    source->at = 0;
    if (source->is_judged)
        source->size = read_bytes(source, 0);
    else
        read_beginning(source);
    return source->size > 0 && (source->is_any || !source->is_no_trace);
}
