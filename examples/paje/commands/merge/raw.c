/* Raw files of `paje trace`: one for each program that a process has executed, however it ended.
 *
 * The file of a process that was killed, called exec, or ended while threads of it ran has containers that are open.
 * Were they left so, they would last to the end of the merged trace, so they end at the last time of their file.
 * Comments are what a line that was not finished left behind.  Names that threads were given later become those of
 * their containers; functions get theirs from the symbols of the program.  The file itself stays as it is. */
#include "merge.h"

#include "pajewrite.h"
#include "raw/raw.h"
#include "trace/control.h"
#include "trace/types.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Ends the program if the first word of a file `control` is that of another version, whose raw files may differ. */
static void expect_own_version(const char *path, uint64_t magic)
{
    if (magic != TRACE_MAGIC && (magic ^ TRACE_MAGIC) << 8 == 0) /* the last byte is the version */
        stream_fail("%s: `paje trace` of another version recorded this: merge it by the `paje merge` of that one",
                    path);
}

int merge_is_run(const char *folder, merge_run *run)
{
    text_buffer path = {0};
    static trace_control control;
    struct stat status;
    text_printf(&path, "%s/%s", folder, TRACE_CONTROL);
    int file = open(text_string(&path), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    memset(&control, 0, sizeof control);
    ssize_t size = file >= 0 ? read(file, &control, sizeof control) : 0;
    if (size >= (ssize_t)sizeof control.magic)
        expect_own_version(text_string(&path), control.magic);
    int is_run = size == (ssize_t)sizeof control && control.magic == TRACE_MAGIC;
    if (is_run && fstat(file, &status) == 0)
        output_note_input(&status, text_string(&path));
    if (file >= 0)
        close(file);
    text_free(&path);
    run->are_names_mangled = control.are_names_mangled != 0;
    run->is_part = control.launchers && control.elsewhere;
    return is_run;
}

/* Whether a file begins as those of the tracer do: with the definition of names that threads are given later. */
static int is_of_tracer(const char *name)
{
    char bytes[8192], word[64];
    int file = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    ssize_t size = file >= 0 ? read(file, bytes, sizeof bytes - 1) : 0;
    if (file >= 0)
        close(file);
    bytes[size > 0 ? size : 0] = '\0';
    snprintf(word, sizeof word, "\n%%EventDef PajeNewEvent %d\n", TRACE_NAME_EVENT);
    return strstr(bytes, word) != NULL;
}

int merge_is_raw(const char *name, merge_run *run)
{
    static const char suffix[] = ".raw";
    size_t size = strlen(name);
    if (size < sizeof suffix || strcmp(name + size - strlen(suffix), suffix) != 0)
        return 0;
    const char *slash = strrchr(name, '/');
    text_buffer folder = {0};
    if (slash)
        text_put(&folder, name, (size_t)(slash + 1 - name));
    text_puts(&folder, ".");
    int is_raw = merge_is_run(text_string(&folder), run);
    text_free(&folder);
    if (!is_raw && is_of_tracer(name))
        stream_message("%s: the file `" TRACE_CONTROL "` of its run is not beside it, so that functions have no names, "
                       "and what was killed does not end", name);
    return is_raw;
}

/* ---- lines, which have one blank between two words */

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

/* Returns the text that replaces a line. */
static text_buffer *change_line(merge_raw *raw, const char *line)
{
    size_t offset = (size_t)(line - raw->bytes);
    return array_at(&raw->lines, map_add(&raw->changed, &offset, sizeof offset));
}

static merge_raw_container *find_container(merge_raw *raw, pajesim_text alias)
{
    return array_at(&raw->containers, map_add(&raw->aliases, alias.bytes, alias.size));
}

/* Notes the name of a container, without quotes, and blanks at its end. */
static void note_name(merge_raw_container *it, const char *name, const char *end)
{
    name += name < end && *name == '"';
    while (end > name && (end[-1] == ' ' || end[-1] == '"'))
        end--;
    if (end > name)
        it->name = (pajesim_text){name, (size_t)(end - name)};
}

/* Reads a line that has a time. */
static void read_line(merge_raw *raw, int kind, const char *start, const char *end)
{
    const char *at = start;
    next_word(&at, end);
    pajesim_text time = next_word(&at, end), words[4];
    for (int i = 0; i < 4; i++)
        words[i] = next_word(&at, end);
    if (is_later(time, raw->latest))
        raw->latest = time;
    if (kind == PAJEWRITE_CREATE_CONTAINER) {
        merge_raw_container *created = find_container(raw, words[0]);
        *created = (merge_raw_container){words[0], words[1], start, words[3].bytes, {NULL, 0}, 0};
        note_name(created, words[3].bytes, end);
    } else if (kind == PAJEWRITE_DESTROY_CONTAINER) {
        find_container(raw, words[0])->is_destroyed = 1;
    } else if (kind == TRACE_NAME_EVENT) {
        note_name(find_container(raw, words[0]), words[3].bytes, end);
    }
}

/* Defines the state of a function under its name, in place of where its code is. */
static void name_function(merge_raw *raw, const char *start, const char *end)
{
    text_buffer line = {0};
    if (raw_name_function(&line, start, end, !raw->are_names_mangled))
        *change_line(raw, start) = line;
}

/* Notes what is left open: threads before their process, as they were created after it. */
static void end_containers(merge_raw *raw)
{
    for (size_t i = raw->containers.count; i-- > 0;) {
        const merge_raw_container *it = &raw->containers.items[i];
        if (!it->line || it->is_destroyed)
            continue;
        text_printf(&raw->ends, "%d ", PAJEWRITE_DESTROY_CONTAINER);
        text_append(&raw->ends, raw->latest);
        text_putc(&raw->ends, ' ');
        text_append(&raw->ends, it->alias);
        text_putc(&raw->ends, ' ');
        text_append(&raw->ends, it->type);
        text_putc(&raw->ends, '\n');
    }
}

static void name_containers(merge_raw *raw)
{
    for (size_t i = 0; i < raw->containers.count; i++) {
        const merge_raw_container *it = &raw->containers.items[i];
        if (!it->line || !it->name.size)
            continue;
        text_buffer *line = change_line(raw, it->line);
        text_put(line, it->line, (size_t)(it->old_name - it->line));
        text_putc(line, '"');
        text_append(line, it->name);
        text_puts(line, "\"\n");
    }
}

void merge_read_raw(merge_raw *raw, const char *bytes, size_t size)
{
    const char *line = bytes, *last = bytes + size;
    raw->bytes = bytes;
    for (const char *end; line < last; line = end + 1) {
        const char *newline = *line == '\n' ? line : memchr(line, '\n', (size_t)(last - line));
        end = newline ? newline : last;
        if (newline && *line >= '0' && *line <= '9') {
            int kind = atoi(line); /* lines of the tracer are short, and end */
            if (kind >= PAJEWRITE_CREATE_CONTAINER)
                read_line(raw, kind, line, end);
            else if (kind == PAJEWRITE_DEFINE_VALUE)
                name_function(raw, line, end);
        }
    }
    name_containers(raw);
    end_containers(raw);
}

int merge_change_raw(const merge_raw *raw, size_t offset, pajesim_text *line)
{
    if (line->size == 0 || line->bytes[0] == '#' || line->bytes[0] == '\0' || line->bytes[line->size - 1] != '\n')
        return 0;
    size_t changed = map_find(&raw->changed, &offset, sizeof offset);
    if (changed != MAP_NONE)
        *line = text_view(&raw->lines.items[changed]);
    return 1;
}

void merge_free_raw(merge_raw *raw)
{
    for (size_t i = 0; i < raw->lines.count; i++)
        text_free(&raw->lines.items[i]);
    array_free(&raw->lines);
    map_free(&raw->changed);
    map_free(&raw->aliases);
    array_free(&raw->containers);
    text_free(&raw->ends);
}
