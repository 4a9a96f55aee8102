/* Makes raw files whole.
 *
 * The file of a process that was killed, called exec, or ended while threads of it ran has containers that are open.
 * Were they left so, they would last to the end of the merged trace.  Comments are what a line that was not finished
 * left behind; the links of a child that recorded nothing have no end.  Names that threads were given later become
 * those of their containers; functions get theirs from the symbols of the program. */
#include "trace.h"
#include "pajewrite.h"
#include "trace/types.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* A link whose other end was not found yet. */
typedef struct link_end {
    uint32_t file;
    size_t offset;
    int is_open, kind;
} link_end;

/* Texts are in the file. */
typedef struct container {
    pajesim_text alias, type;
    char *name, *end; /* from its quote to the end of the line */
    int is_destroyed;
} container;

typedef struct finisher {
    const trace_folder *folder;
    hash_map keys; /* of links */
    array_of(link_end) links;
} finisher;

typedef struct raw_file {
    char *bytes;
    size_t size;
    hash_map aliases;
    array_of(container) containers;
    pajesim_text latest; /* time */
    text_buffer lines;   /* to be appended */
} raw_file;

static char *map_file(const char *name, size_t *size)
{
    int file = open(name, O_RDWR | O_CLOEXEC);
    struct stat about;
    char *bytes = MAP_FAILED;
    if (file < 0 || fstat(file, &about) != 0) {
        stream_message("%s: %s", name, strerror(errno));
    } else if (about.st_size > 0) {
        *size = (size_t)about.st_size;
        bytes = mmap(NULL, *size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        if (bytes == MAP_FAILED)
            stream_message("%s: %s", name, strerror(errno));
    }
    if (file >= 0)
        close(file);
    return bytes == MAP_FAILED ? NULL : bytes;
}

/* Returns the next word of a line; lines of the tracer have one blank between two words. */
static pajesim_text next_word(const char **at, const char *end)
{
    const char *start = *at, *blank = memchr(start, ' ', (size_t)(end - start));
    *at = blank ? blank + 1 : end;
    return (pajesim_text){start, (size_t)((blank ? blank : end) - start)};
}

/* Times have the same number of decimals, so that a longer one is later. */
static int is_later(pajesim_text a, pajesim_text b)
{
    return a.size != b.size ? a.size > b.size : a.size && memcmp(a.bytes, b.bytes, a.size) > 0;
}

static void note_link(finisher *f, uint32_t file, size_t offset, int kind, pajesim_text key)
{
    size_t known = f->keys.used, number = map_add(&f->keys, key.bytes, key.size);
    link_end *end = array_at(&f->links, number);
    if (f->keys.used > known)
        *end = (link_end){file, offset, 1, kind};
    else
        end->is_open = 0;
}

static container *find_container(raw_file *raw, pajesim_text alias)
{
    return array_at(&raw->containers, map_add(&raw->aliases, alias.bytes, alias.size));
}

/* Puts a name from a line in place of that of a container, which is as long at least, with blanks behind it. */
static void rename_container(const container *it, const char *name, const char *end)
{
    char quote = '"';
    name += name < end && *name == quote;
    end -= end > name && end[-1] == quote;
    while (end > name && end[-1] == ' ')
        end--;
    if (!it->name || end == name || end - name + 2 > it->end - it->name)
        return;
    it->name[0] = quote;
    memmove(it->name + 1, name, (size_t)(end - name));
    it->name[1 + (end - name)] = quote;
    memset(it->name + 2 + (end - name), ' ', (size_t)(it->end - it->name) - 2 - (size_t)(end - name));
}

/* Reads a line that has a time. */
static void read_line(finisher *f, uint32_t file, raw_file *raw, int kind, const char *start, const char *end)
{
    const char *at = start;
    next_word(&at, end);
    pajesim_text time = next_word(&at, end), words[5];
    for (int i = 0; i < 5; i++)
        words[i] = next_word(&at, end);
    if (is_later(time, raw->latest))
        raw->latest = time;
    if (kind == PAJEWRITE_CREATE_CONTAINER) {
        container *created = find_container(raw, words[0]);
        *created = (container){words[0], words[1], raw->bytes + (words[3].bytes - raw->bytes),
                               raw->bytes + (end - raw->bytes), 0};
        rename_container(created, created->name, end); /* without the blanks at its end */
    } else if (kind == PAJEWRITE_DESTROY_CONTAINER) {
        find_container(raw, words[0])->is_destroyed = 1;
    } else if (kind == TRACE_NAME_EVENT) {
        rename_container(find_container(raw, words[0]), words[3].bytes, end);
    } else if (kind == PAJEWRITE_START_LINK || kind == PAJEWRITE_END_LINK || kind == TRACE_SENT_EVENT ||
               kind == TRACE_RECEIVED_EVENT) {
        note_link(f, file, (size_t)(start - raw->bytes), kind, words[4]);
    }
}

/* Defines the state of a function under its name, in place of where its code is. */
static void name_function(raw_file *raw, char *start, char *end)
{
    const char *at = start;
    pajesim_text words[4];
    for (int i = 0; i < 4; i++)
        words[i] = next_word(&at, end);
    pajesim_text place = words[3];
    if (place.size && *place.bytes == '"') { /* a path with blanks */
        const char *quote = memchr(place.bytes + 1, '"', (size_t)(end - place.bytes - 1));
        place = (pajesim_text){place.bytes + 1, quote ? (size_t)(quote - place.bytes - 1) : 0};
        at = quote && quote + 2 < end ? quote + 2 : end;
    }
    if (!place.size || *place.bytes != '@')
        return;
    text_put(&raw->lines, start, (size_t)(words[3].bytes - start));
    text_putc(&raw->lines, '"');
    trace_put_function(&raw->lines, place);
    text_puts(&raw->lines, "\" ");
    text_put(&raw->lines, at, (size_t)(end - at));
    text_putc(&raw->lines, '\n');
    memset(start, '\n', (size_t)(end - start));
}

static void read_file(finisher *f, uint32_t file, raw_file *raw)
{
    char *line = raw->bytes, *last = raw->bytes + raw->size;
    while (line < last) {
        char *newline = memchr(line, '\n', (size_t)(last - line)), *end = newline ? newline : last;
        if (*line >= '0' && *line <= '9') {
            int kind = atoi(line); /* lines of the tracer are short, and end */
            if (kind >= PAJEWRITE_CREATE_CONTAINER)
                read_line(f, file, raw, kind, line, end);
            else if (kind == PAJEWRITE_DEFINE_VALUE)
                name_function(raw, line, end);
        } else if (*line == '#' || *line == '\0') {
            memset(line, '\n', (size_t)(end - line));
        }
        line = end + 1;
    }
}

static void put_destruction(text_buffer *lines, pajesim_text time, const container *it)
{
    text_printf(lines, "%d ", PAJEWRITE_DESTROY_CONTAINER);
    text_append(lines, time);
    text_putc(lines, ' ');
    text_append(lines, it->alias);
    text_putc(lines, ' ');
    text_append(lines, it->type);
    text_putc(lines, '\n');
}

/* Appends names of functions, and the ends of what is open: threads before their process, as they were created after
 * it. */
static void append_lines(const char *name, raw_file *raw)
{
    int file = open(name, O_WRONLY | O_APPEND | O_CLOEXEC);
    for (size_t i = raw->containers.count; i-- > 0;)
        if (raw->containers.items[i].alias.size && !raw->containers.items[i].is_destroyed)
            put_destruction(&raw->lines, raw->latest, &raw->containers.items[i]);
    if (file < 0 || (raw->lines.size && !stream_write(file, text_view(&raw->lines))))
        stream_message("%s: %s: what is open there ends with the trace", name, strerror(errno));
    if (file >= 0)
        close(file);
    text_free(&raw->lines);
}

/* Makes a comment of each link without its other end. */
static void remove_links(const finisher *f, trace_folder *folder)
{
    for (size_t i = 0; i < f->links.count; i++) {
        const link_end *end = &f->links.items[i];
        folder->not_received += end->is_open && end->kind == TRACE_SENT_EVENT;
        folder->not_sent += end->is_open && end->kind == TRACE_RECEIVED_EVENT;
        int file = end->is_open ? open(f->folder->files[end->file], O_WRONLY | O_CLOEXEC) : -1;
        if (file >= 0) {
            if (pwrite(file, "#", 1, (off_t)end->offset) != 1)
                stream_message("%s: %s", f->folder->files[end->file], strerror(errno));
            close(file);
        }
    }
}

void trace_finish_files(trace_folder *folder)
{
    finisher f = {.folder = folder};
    for (uint32_t i = 0; i < folder->count; i++) {
        raw_file raw = {0};
        raw.bytes = map_file(folder->files[i], &raw.size);
        if (!raw.bytes)
            continue;
        read_file(&f, i, &raw);
        append_lines(folder->files[i], &raw);
        munmap(raw.bytes, raw.size);
        map_free(&raw.aliases);
        array_free(&raw.containers);
    }
    remove_links(&f, folder);
    trace_free_symbols();
    map_free(&f.keys);
    array_free(&f.links);
}
