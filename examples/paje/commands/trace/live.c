/* A trace that grows while the program runs: the lines of all raw files so far, in the order of time.
 *
 * Each thread fills blocks of its process's file, line by line; what is behind its last line begins with #.  So a file
 * is some streams that grow.  A new one begins at a page that is no longer empty, and is in none of the others; it is
 * believed when it is so twice, as a line that is being written may reach into a page.  Lines are written some time
 * after they appeared, so that those of other threads are there, too; a line that is even later gets the time of the
 * one before it.
 *
 * This runs in a process of its own until it is killed.  The trace that it writes is replaced when the program ends. */
#include "trace.h"
#include "base/mapping.h"
#include "raw/raw.h"
#include "pajewrite.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PAGE = 4096, POLL = 250000000 /* ns */, DELAY = 3 /* polls */ };

typedef struct followed {
    array_of(size_t) streams;      /* where each goes on */
    array_of(unsigned char) pages;
    int is_done;                   /* 1: its process has ended, and all is read */
} followed;

/* The state of a page.  NEW: its first byte is written since this poll; SEEN: since the one before; READ: a stream is
 * in it. */
enum { EMPTY, NEW, SEEN, READ };

typedef struct live_line {
    uint64_t time;
    size_t number, at, size; /* in `text` */
} live_line;

typedef struct live_trace {
    int output;
    int are_names_readable;
    hash_map names, definitions; /* of raw files; lines */
    array_of(followed) files;
    array_of(live_line) lines; /* that are not written yet */
    text_buffer text, ready;
    uint64_t latest; /* time of the last line */
    size_t count;
    int has_header;
} live_trace;

/* Reads a time, SECONDS.NANOSECONDS, behind the number of the event. */
static uint64_t read_time(const char *line, const char *end)
{
    const char *at = memchr(line, ' ', (size_t)(end - line));
    uint64_t time = 0;
    for (; at && ++at < end && *at != ' ';)
        if (*at >= '0' && *at <= '9')
            time = time * 10 + (uint64_t)(*at - '0');
    return time;
}

static void add_definition(live_trace *live, const char *line, size_t size)
{
    size_t known = live->definitions.used;
    map_add(&live->definitions, line, size);
    if (live->definitions.used == known)
        return;
    if (!raw_name_function(&live->ready, line, line + size, live->are_names_readable)) {
        text_put(&live->ready, line, size);
        text_putc(&live->ready, '\n');
    }
}

static void add_line(live_trace *live, const char *line, const char *end)
{
    if (*line == '%') {
        if (!live->has_header) {
            text_put(&live->ready, line, (size_t)(end - line));
            text_putc(&live->ready, '\n');
        }
    } else if (*line >= '0' && *line <= '9') {
        if (atoi(line) < PAJEWRITE_CREATE_CONTAINER) {
            live->has_header = 1;
            add_definition(live, line, (size_t)(end - line));
        } else {
            live_line *it = array_push(&live->lines);
            *it = (live_line){read_time(line, end), live->count++, live->text.size, (size_t)(end - line)};
            text_put(&live->text, line, it->size);
        }
    }
}

/* Reads what is new of a stream.  Returns where it goes on. */
static size_t read_stream(live_trace *live, followed *file, const char *bytes, size_t size, size_t at)
{
    while (at < size && __atomic_load_n(&bytes[at], __ATOMIC_ACQUIRE) != '#') {
        const char *line = bytes + at, *newline = memchr(line, '\n', size - at);
        if (!newline || newline == line)
            break; /* nothing is here yet */
        add_line(live, line, newline);
        for (size_t page = at / PAGE; page <= (size_t)(newline - bytes) / PAGE; page++)
            *array_at(&file->pages, page) = READ;
        at = (size_t)(newline + 1 - bytes);
    }
    return at;
}

static void read_file(live_trace *live, followed *file, const char *bytes, size_t size)
{
    size_t page, pages = size / PAGE;
    for (page = 0; page < pages; page++) /* before streams are read: what they reach then is not new */
        if (*array_at(&file->pages, page) == EMPTY && bytes[page * PAGE] != '\n')
            file->pages.items[page] = NEW;
    for (size_t i = 0; i < file->streams.count; i++)
        file->streams.items[i] = read_stream(live, file, bytes, size, file->streams.items[i]);
    for (page = 0; page < pages; page++) {
        if (file->pages.items[page] == SEEN) {
            size_t at = read_stream(live, file, bytes, size, page * PAGE);
            *array_push(&file->streams) = at;
            file->pages.items[page] = READ;
        } else if (file->pages.items[page] == NEW) {
            file->pages.items[page] = SEEN;
        }
    }
}

static void poll_file(live_trace *live, followed *file, const char *name, long process)
{
    int is_running = trace_is_running(process), raw = open(name, O_RDONLY | O_CLOEXEC);
    mapping *mapped = raw < 0 ? NULL : mapping_open(raw, name);
    if (raw >= 0)
        close(raw);
    if (!mapped)
        return;
    for (int times = is_running ? 1 : 2; times > 0; times--) /* new streams are believed at once if all has ended */
        read_file(live, file, mapped->bytes, mapped->size);
    mapping_close(mapped);
    file->is_done = !is_running;
}

static int compare(const void *a, const void *b)
{
    const live_line *x = a, *y = b;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    return x->number < y->number ? -1 : 1;
}

/* Puts a line with a time that is not before that of the last one, and without blanks at the end of a name. */
static void put_line(live_trace *live, const live_line *line)
{
    const char *start = live->text.bytes + line->at, *end = start + line->size;
    const char *time = (const char *)memchr(start, ' ', line->size) + 1;
    const char *rest = memchr(time, ' ', (size_t)(end - time));
    int is_padded = 0;
    live->latest = line->time > live->latest ? line->time : live->latest;
    text_put(&live->ready, start, (size_t)(time - start));
    text_printf(&live->ready, "%llu.%09llu", (unsigned long long)(live->latest / 1000000000u),
                (unsigned long long)(live->latest % 1000000000u));
    for (; end[-1] == '"' && end - rest > 2 && end[-2] == ' '; end--)
        is_padded = 1;
    for (; is_padded && end[-1] == ' '; end--)
        ;
    text_put(&live->ready, rest, (size_t)(end - rest));
    text_puts(&live->ready, is_padded ? "\"\n" : "\n");
}

/* Writes all lines up to a time, and keeps the others. */
static void write_lines(live_trace *live, uint64_t until)
{
    size_t i = 0, kept = 0;
    text_buffer text = {0};
    if (live->lines.count)
        qsort(live->lines.items, live->lines.count, sizeof *live->lines.items, compare);
    for (; i < live->lines.count && live->lines.items[i].time <= until; i++)
        put_line(live, &live->lines.items[i]);
    for (; i < live->lines.count; i++) {
        live_line line = live->lines.items[i];
        size_t at = text.size;
        text_put(&text, live->text.bytes + line.at, line.size);
        line.at = at;
        live->lines.items[kept++] = line;
    }
    live->lines.count = kept;
    text_free(&live->text);
    live->text = text;
    if (!stream_write(live->output, text_view(&live->ready)))
        _exit(3); /* as of a full disk: the program goes on */
    text_clear(&live->ready);
}

/* Writes what is recorded to a trace that grows, until the process ends that has started this one. */
static void follow(trace_folder *folder, const char *output, pid_t parent)
{
    live_trace live = {.are_names_readable = !folder->control->are_names_mangled};
    const struct timespec poll = {POLL / 1000000000, POLL % 1000000000};
    live.output = open(output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (live.output < 0) {
        stream_message("%s: %s: it does not grow while the program runs", output, strerror(errno));
        _exit(3);
    }
    while (getppid() == parent) {
        struct timespec now;
        nanosleep(&poll, NULL);
        trace_list_files(folder);
        for (uint32_t i = 0; i < folder->count; i++) {
            const char *dash = strrchr(folder->files[i], '-');
            size_t number = map_add(&live.names, folder->files[i], strlen(folder->files[i]));
            followed *file = array_at(&live.files, number);
            if (!file->is_done)
                poll_file(&live, file, folder->files[i], strtol(dash + 1, NULL, 10));
        }
        trace_free_files(folder);
        clock_gettime(CLOCK_MONOTONIC, &now);
        uint64_t time = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec - folder->control->origin;
        write_lines(&live, time > (uint64_t)DELAY * POLL ? time - (uint64_t)DELAY * POLL : 0);
    }
    _exit(0);
}

pid_t trace_start_live(trace_folder *folder, const char *output)
{
    const pid_t parent = getpid(), process = fork();
    if (process == 0)
        follow(folder, output, parent);
    return process;
}

void trace_end_live(pid_t process)
{
    if (process > 0 && kill(process, SIGKILL) == 0)
        waitpid(process, NULL, 0);
}
