/* Samples become states: each thread has a second stack, of the functions that it was in.
 *
 * A sample stands for the CPU time since the one before, so its functions are the states of that time.  What two
 * samples have in common, from the bottom of their stacks on, are the same states if no time is between them; where
 * the thread did not run, it has none.  The lines are appended to the raw file of the thread's process. */
#include "trace.h"
#include "base/mapping.h"
#include "pajewrite.h"
#include "trace/sample.h"
#include "trace/types.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

enum { FLUSHED = 1 << 16 /* bytes of lines */ };

/* A thread, while it had a number of the system, which another thread may have later. */
typedef struct thread {
    uint64_t number;
    uint64_t begin, end;
    uint32_t file;       /* of the folder */
    text_buffer alias;   /* of its container */
    text_buffer lines;
    uint32_t stack[TRACE_FRAMES]; /* values, from the bottom on */
    uint32_t depth;
    uint64_t until;      /* time of its last sample; 0: there was none */
} thread;

typedef struct line {
    uint64_t time;
    const char *text, *end; /* behind the time; before the dot */
    char kind;
} line;

typedef struct sampled {
    trace_folder *folder;
    uint64_t period;
    int are_names_readable;
    array_of(thread) threads; /* by number, then by begin */
    array_of(line) lines;     /* by time */
    array_of(mapping *) files; /* of samples: their paths are used */
    array_of(uint32_t) aliases;        /* of values, which are functions; 0: it has none yet */
    array_of(text_buffer) definitions; /* of each raw file, that are not written yet */
    hash_map defined;         /* pairs of raw file and value */
    trace_sample_counts counts;
} sampled;

/* ---- reading */

static uint64_t read_hex(const char **at, const char *end)
{
    uint64_t number = 0;
    while (*at < end && **at == ' ')
        ++*at;
    for (; *at < end && **at != ' '; ++*at) {
        const char c = **at;
        number = number * 16 + (uint64_t)(c <= '9' ? c - '0' : c - 'a' + 10);
    }
    return number;
}

/* Nanoseconds of a time in seconds with nine decimals, as the tracer writes it. */
static uint64_t read_time(const trace_folder *folder, pajesim_text text)
{
    uint64_t time = 0;
    size_t decimals = 0;
    int behind = 0;
    for (size_t i = 0; i < text.size; i++) {
        behind |= text.bytes[i] == '.';
        if (text.bytes[i] < '0' || text.bytes[i] > '9')
            continue;
        time = time * 10 + (uint64_t)(text.bytes[i] - '0');
        decimals += behind != 0;
    }
    for (; decimals < 9; decimals++)
        time *= 10;
    return folder->control->origin + time;
}

/* Returns NULL for a file that is empty or cannot be read. */
static mapping *map(const char *name)
{
    int file = open(name, O_RDONLY | O_CLOEXEC);
    mapping *it = file < 0 ? NULL : mapping_open(file, name);
    if (file >= 0)
        close(file);
    return it;
}

/* Notes a line of a sample, if it is whole. */
static void note_line(sampled *it, const char *start, const char *end)
{
    const char *at = start + 1;
    if (end - start < 4 || end[-1] != '.' || end[-2] != ' ' || !strchr("SMXF", *start))
        return;
    line *noted = array_push(&it->lines);
    noted->kind = *start;
    noted->time = read_hex(&at, end - 2);
    noted->text = at;
    noted->end = end - 2;
}

/* Notes which thread has a number, or the end of its container.  Returns 1 if the line has no other use. */
static int note_thread(sampled *it, uint32_t file, hash_map *containers, const char *start, const char *end)
{
    pajesim_text words[6] = {{NULL, 0}};
    const char *at = start;
    for (int i = 0; i < 6 && at < end; i++) {
        const char *blank = memchr(at, ' ', (size_t)(end - at)), *word_end = blank ? blank : end;
        words[i] = (pajesim_text){at, (size_t)(word_end - at)};
        at = blank ? blank + 1 : end;
    }
    if (atoi(start) == PAJEWRITE_DESTROY_CONTAINER && words[2].size) {
        size_t number = map_find(containers, words[2].bytes, words[2].size);
        if (number != MAP_NONE)
            for (size_t i = it->threads.count; i-- > 0 && it->threads.items[i].file == file;)
                if (text_is_equal(text_view(&it->threads.items[i].alias), words[2]))
                    it->threads.items[i].end = read_time(it->folder, words[1]);
    } else if (atoi(start) > PAJEWRITE_TRACE_FILE && words[5].size && atoi(words[3].bytes) == TRACE_NUMBER_TYPE) {
        thread *noted = array_push(&it->threads);
        noted->number = strtoull(words[5].bytes, NULL, 10);
        noted->begin = read_time(it->folder, words[1]);
        noted->end = UINT64_MAX;
        noted->file = file;
        text_append(&noted->alias, words[2]);
        map_add(containers, words[2].bytes, words[2].size);
        return 1;
    }
    return 0;
}

/* Writes over a line.  Not in mapped memory: where the disk is full, that may be a SIGBUS. */
static void remove_line(int file, size_t at, size_t size)
{
    char nothing[256];
    memset(nothing, '\n', sizeof nothing);
    while (size > 0) {
        size_t part = size < sizeof nothing ? size : sizeof nothing;
        if (pwrite(file, nothing, part, (off_t)at) != (ssize_t)part)
            return;
        at += part;
        size -= part;
    }
}

static void read_raw_file(sampled *it, uint32_t number)
{
    mapping *file = map(it->folder->files[number]);
    if (!file)
        return;
    const char *start = file->bytes, *last = file->bytes + file->size;
    hash_map containers = {0};
    int written = open(it->folder->files[number], O_WRONLY | O_CLOEXEC);
    while (start < last) {
        const char *newline = memchr(start, '\n', (size_t)(last - start)), *end = newline ? newline : last;
        if (*start >= '0' && *start <= '9' && note_thread(it, number, &containers, start, end))
            remove_line(written, (size_t)(start - file->bytes), (size_t)(end - start));
        start = end + 1;
    }
    map_free(&containers);
    if (written >= 0)
        close(written);
    mapping_close(file);
}

static void read_samples_file(sampled *it, const char *name)
{
    text_buffer path = {0};
    text_printf(&path, "%s/%s", it->folder->name, name);
    mapping *file = map(text_string(&path));
    text_free(&path);
    if (!file)
        return;
    const char *start = file->bytes, *last = file->bytes + file->size;
    *array_push(&it->files) = file;
    for (const char *end; start < last; start = end + 1) {
        end = memchr(start, '\n', (size_t)(last - start));
        end = end ? end : last;
        note_line(it, start, end);
    }
}

static void read_samples_files(sampled *it)
{
    DIR *folder = opendir(it->folder->name);
    struct dirent *entry;
    while (folder && (entry = readdir(folder))) {
        const char *dot = strrchr(entry->d_name, '.');
        if (dot && strcmp(dot, TRACE_SAMPLES) == 0)
            read_samples_file(it, entry->d_name);
    }
    if (folder)
        closedir(folder);
}

/* Samples come after what else is of their time. */
static int compare_lines(const void *a, const void *b)
{
    const line *x = a, *y = b;
    int rank = (x->kind == 'S') - (y->kind == 'S');
    return x->time != y->time ? (x->time > y->time) - (x->time < y->time) : rank ? rank : (x > y) - (x < y);
}

static int compare_threads(const void *a, const void *b)
{
    const thread *x = a, *y = b;
    return x->number != y->number ? (x->number > y->number) - (x->number < y->number)
                                  : (x->begin > y->begin) - (x->begin < y->begin);
}

/* Returns the thread that had a number at a time, or UINT64_MAX: at any; NULL: it is not known. */
static thread *find_thread(const sampled *it, uint64_t number, uint64_t time)
{
    size_t low = 0, high = it->threads.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const thread *there = &it->threads.items[middle];
        if (there->number < number || (there->number == number && there->begin <= time))
            low = middle + 1;
        else
            high = middle;
    }
    thread *found = low ? &it->threads.items[low - 1] : NULL;
    return found && found->number == number && (time <= found->end || time == UINT64_MAX) ? found : NULL;
}

/* ---- writing */

static void put_line(sampled *it, thread *t, int kind, uint64_t time, uint32_t alias)
{
    const uint64_t since = time - it->folder->control->origin;
    text_printf(&t->lines, "%d %llu.%09llu %.*s %d", kind, (unsigned long long)(since / 1000000000u),
                (unsigned long long)(since % 1000000000u), (int)t->alias.size, t->alias.bytes, TRACE_SAMPLED_TYPE);
    if (alias)
        text_printf(&t->lines, " %u", alias);
    text_putc(&t->lines, '\n');
}

/* Defines a value in a raw file, unless it is defined there. */
static void define(sampled *it, uint32_t file, uint32_t value)
{
    static const char *const colors[] = {"8dd3c7", "ffffb3", "bebada", "fb8072", "80b1d3", "fdb462",
                                         "b3de69", "fccde5", "d9d9d9", "bc80bd", "ccebc5", "ffed6f"};
    const uint32_t key[] = {file, value};
    const size_t known = it->defined.used;
    text_buffer *to = array_at(&it->definitions, file);
    map_add(&it->defined, key, sizeof key);
    if (it->defined.used == known)
        return;
    pajesim_text name = trace_function_name(value);
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < name.size; i++)
        hash = (hash ^ (unsigned char)name.bytes[i]) * 16777619u;
    text_printf(to, "%d %u %d \"%.*s\" \"%s\"\n", PAJEWRITE_DEFINE_VALUE, it->aliases.items[value], TRACE_SAMPLED_TYPE,
                (int)name.size, name.bytes, colors[(hash >> 16) % (sizeof colors / sizeof *colors)]);
}

/* Appends what there is of a thread to its raw file. */
static void flush(sampled *it, thread *t)
{
    text_buffer *first = array_at(&it->definitions, t->file);
    const char *name = it->folder->files[t->file];
    int file;
    if (!t->lines.size)
        return;
    file = open(name, O_WRONLY | O_APPEND | O_CLOEXEC);
    if (file < 0 || !stream_write(file, text_view(first)) || !stream_write(file, text_view(&t->lines))) {
        if (!it->counts.failed)
            stream_message("%s: %s: samples are missing", name, strerror(errno));
        it->counts.failed = 1;
    }
    if (file >= 0)
        close(file);
    text_clear(first);
    text_clear(&t->lines);
}

/* Pops down to a depth, at the time of the last sample. */
static void pop_to(sampled *it, thread *t, uint32_t depth)
{
    for (; t->depth > depth; t->depth--)
        put_line(it, t, PAJEWRITE_POP_STATE, t->until, 0);
}

static void put_sample(sampled *it, thread *t, uint64_t time, uint64_t weight, const uint32_t *stack, uint32_t depth)
{
    const uint64_t span = weight * it->period;
    uint64_t begin = time > span ? time - span : 0;
    uint32_t same = 0;
    begin = begin > t->begin ? begin : t->begin;
    if (time < t->until)
        time = t->until;
    if (t->until && time - t->until <= span + span / 4) {
        begin = t->until;
        while (same < depth && same < t->depth && stack[same] == t->stack[same])
            same++;
    }
    pop_to(it, t, same);
    for (; t->depth < depth; t->depth++) {
        uint32_t *alias = array_at(&it->aliases, stack[t->depth]);
        if (!*alias)
            *alias = __atomic_add_fetch(&it->folder->control->containers, 1, __ATOMIC_RELAXED);
        t->stack[t->depth] = stack[t->depth];
        define(it, t->file, stack[t->depth]);
        put_line(it, t, PAJEWRITE_PUSH_STATE, begin, *alias);
    }
    t->until = time;
    it->counts.samples++;
    if (t->lines.size > FLUSHED)
        flush(it, t);
}

/* PROCESS THREAD WEIGHT ADDRESS...: addresses of callers are behind their calls. */
static void read_sample(sampled *it, const line *l)
{
    const char *at = l->text;
    const uint64_t number = read_hex(&at, l->end), thread_number = read_hex(&at, l->end);
    const uint64_t weight = read_hex(&at, l->end);
    thread *t = find_thread(it, thread_number, l->time);
    uint32_t values[TRACE_FRAMES], stack[TRACE_FRAMES], count = 0, depth = 0;
    uint32_t below = 0; /* the last one of the program's own */
    if (!t) { /* of no process that is in the trace, or before or after its thread */
        t = find_thread(it, number, UINT64_MAX);
        it->counts.outside += !t;
        return;
    }
    while (at < l->end && count < TRACE_FRAMES) {
        const uint64_t address = read_hex(&at, l->end);
        const trace_place place = trace_find_place(number, count ? address - 1 : address, it->are_names_readable);
        if (!place.is_code)
            break; /* what was found is no stack any more */
        values[count] = place.function;
        below = place.is_below ? below : count;
        count++;
    }
    count = count && below + 1 < count ? below + 1 : count;
    while (count)
        stack[depth++] = values[--count];
    if (depth)
        put_sample(it, t, l->time, weight, stack, depth);
}

/* PROCESS START END OFFSET PATH */
static void read_mapping(const line *l)
{
    const char *at = l->text;
    const uint64_t number = read_hex(&at, l->end), start = read_hex(&at, l->end), end = read_hex(&at, l->end);
    const uint64_t offset = read_hex(&at, l->end);
    at += at < l->end;
    trace_code_mapped(number, start, end, offset, (pajesim_text){at, (size_t)(l->end - at)});
}

static void read_fork(const line *l)
{
    const char *at = l->text;
    const uint64_t number = read_hex(&at, l->end), parent = read_hex(&at, l->end);
    trace_code_begins(number, parent);
}

static void read_exec(sampled *it, const line *l)
{
    const char *at = l->text;
    const uint64_t number = read_hex(&at, l->end);
    thread *t = find_thread(it, number, l->time);
    trace_code_begins(number, UINT64_MAX);
    if (t && t + 1 < it->threads.items + it->threads.count && t[1].number == number)
        t->end = l->time; /* that of the program before, as another one follows */
}

trace_sample_counts trace_finish_samples(trace_folder *folder, int are_names_readable)
{
    sampled it = {.folder = folder, .period = folder->control->period, .are_names_readable = are_names_readable};
    for (uint32_t i = 0; i < folder->count; i++)
        read_raw_file(&it, i);
    read_samples_files(&it);
    if (it.lines.count)
        qsort(it.lines.items, it.lines.count, sizeof *it.lines.items, compare_lines);
    if (it.threads.count)
        qsort(it.threads.items, it.threads.count, sizeof *it.threads.items, compare_threads);
    for (size_t i = 0; i < it.lines.count; i++)
        switch (it.lines.items[i].kind) {
        case 'S': read_sample(&it, &it.lines.items[i]); break;
        case 'M': read_mapping(&it.lines.items[i]); break;
        case 'F': read_fork(&it.lines.items[i]); break;
        default: read_exec(&it, &it.lines.items[i]);
        }
    for (size_t i = 0; i < it.threads.count; i++) {
        pop_to(&it, &it.threads.items[i], 0);
        flush(&it, &it.threads.items[i]);
        text_free(&it.threads.items[i].lines);
        text_free(&it.threads.items[i].alias);
    }
    for (size_t i = 0; i < it.files.count; i++)
        mapping_close(it.files.items[i]);
    for (size_t i = 0; i < it.definitions.count; i++)
        text_free(&it.definitions.items[i]);
    array_free(&it.threads);
    array_free(&it.lines);
    array_free(&it.files);
    array_free(&it.aliases);
    array_free(&it.definitions);
    trace_free_code();
    map_free(&it.defined);
    return it.counts;
}
