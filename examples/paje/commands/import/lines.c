/* Lines of a text, and what is wrong with them. */
#include "import.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LONGEST = 1 << 26 };

uint64_t lines_limit;
static uint64_t errors;

void lines_begin(input_lines *it, const char *name, paje_source *source, int file)
{
    memset(it, 0, offsetof(input_lines, block));
    it->name = name;
    it->source = source;
    it->file = file;
    it->bytes = source ? source->bytes : it->block;
    if (source)
        it->progress = paje_begin_progress("", 0, source->length);
}

int lines_open(input_lines *it, const char *name)
{
    struct stat status;
    int file = open(name, O_RDONLY | O_NOCTTY | O_CLOEXEC);
    if (file >= 0 && fstat(file, &status) < 0)
        stream_fail("%s: %s", name, strerror(errno));
    if (file >= 0)
        output_note_input(&status, name);
    lines_begin(it, name, NULL, file);
    return file >= 0;
}

void lines_end(input_lines *it)
{
    if (it->source)
        stream_end_progress();
    else
        close(it->file);
    text_free(&it->line);
}

/* Reads the next block.  Returns 0 at the end. */
static int refill(input_lines *it)
{
    it->at = it->size = 0;
    if (it->source) {
        paje_show_progress(&it->progress, it->source->consumed);
        if (!paje_read_source(it->source))
            return 0;
        it->at = it->source->at;
        it->size = it->source->size;
        return 1;
    }
    for (;;) {
        ssize_t size = read(it->file, it->block, sizeof it->block);
        if (size >= 0) {
            it->size = (size_t)size;
            return size > 0;
        }
        if (errno != EINTR)
            stream_fail("%s: %s", it->name, strerror(errno));
    }
}

pajesim_text lines_peek(input_lines *it)
{
    if (it->at == it->size)
        refill(it);
    return (pajesim_text){it->bytes + it->at, it->size - it->at};
}

int lines_next(input_lines *it, pajesim_text *line)
{
    text_clear(&it->line);
    it->number++;
    for (;;) {
        if (it->at == it->size && !refill(it)) {
            *line = text_view(&it->line);
            return it->line.size > 0;
        }
        const char *start = it->bytes + it->at, *end = memchr(start, '\n', it->size - it->at);
        size_t size = end ? (size_t)(end - start) : it->size - it->at;
        it->at += size + (end != NULL);
        if (it->line.size + size > LONGEST)
            stream_fail("%s:%llu: the line is longer than %d bytes: this is no trace", it->name,
                        (unsigned long long)it->number, LONGEST);
        if (!end || it->line.size > 0)
            text_put(&it->line, start, size);
        if (!end)
            continue;
        *line = it->line.size > 0 ? text_view(&it->line) : (pajesim_text){start, size};
        if (line->size > 0 && line->bytes[line->size - 1] == '\r')
            line->size--;
        return 1;
    }
}

void lines_report(const input_lines *it, const char *line, const char *at, size_t size, const char *what)
{
    enum { SHOWN = 64 };
    if (errors++ >= lines_limit && lines_limit)
        return;
    text_buffer text = {0};
    text_put_printable(&text, text_of(it->name));
    text_printf(&text, ":%llu:%llu: error: %s", (unsigned long long)it->number, (unsigned long long)(at - line) + 1,
                what);
    if (size > 0) {
        text_puts(&text, ": `");
        text_put_printable(&text, (pajesim_text){at, size < SHOWN ? size : SHOWN});
        text_putc(&text, '`');
    }
    text_putc(&text, '\n');
    stream_write_error(&text);
    text_free(&text);
}

uint64_t lines_errors(const char *name)
{
    if (lines_limit && errors > lines_limit)
        stream_message("%s: %llu more errors are not shown; --limit 0 shows all", name,
                       (unsigned long long)(errors - lines_limit));
    return errors;
}
