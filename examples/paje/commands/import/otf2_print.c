/* Runs otf2-print, and takes its lines apart. */
#include "otf2.h"
#include "base/process.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

static int is_blank(char byte)
{
    return byte == ' ' || byte == '\t';
}

static void skip_blanks(pajesim_text *text)
{
    while (text->size > 0 && is_blank(text->bytes[0]))
        *text = (pajesim_text){text->bytes + 1, text->size - 1};
}

static int take_number(pajesim_text *text, uint64_t *number)
{
    const char *at = text->bytes, *end = text->bytes + text->size;
    uint64_t sum = 0;
    for (; at < end && *at >= '0' && *at <= '9'; at++) {
        unsigned digit = (unsigned)(*at - '0');
        if (sum > (UINT64_MAX - digit) / 10)
            return 0;
        sum = sum * 10 + digit;
    }
    if (at == text->bytes)
        return 0;
    *text = (pajesim_text){at, (size_t)(end - at)};
    *number = sum;
    return 1;
}

/* `<12>` at the beginning of a text. */
static int take_reference(pajesim_text text, uint64_t *number)
{
    if (text.size < 3 || text.bytes[0] != '<')
        return 0;
    text = (pajesim_text){text.bytes + 1, text.size - 1};
    return take_number(&text, number) && text.size > 0 && text.bytes[0] == '>';
}

/* Whether a reference at `i` stands behind a quote and a blank, so that it is no part of a name. */
static int is_behind_name(pajesim_text text, size_t i)
{
    return i >= 2 && text.bytes[i - 1] == ' ' && text.bytes[i - 2] == '"';
}

int otf2_first_reference(pajesim_text text, uint64_t *number, pajesim_text *before)
{
    for (int any = 0; any < 2; any++)
        for (size_t i = 0; i < text.size; i++)
            if ((any || is_behind_name(text, i)) &&
                take_reference((pajesim_text){text.bytes + i, text.size - i}, number)) {
                *before = (pajesim_text){text.bytes, i};
                return 1;
            }
    return 0;
}

int otf2_last_reference(pajesim_text text, uint64_t *number, pajesim_text *before)
{
    for (size_t i = text.size; i-- > 0;)
        if (take_reference((pajesim_text){text.bytes + i, text.size - i}, number)) {
            *before = (pajesim_text){text.bytes, i};
            return 1;
        }
    return 0;
}

int otf2_cut(pajesim_text text, const char *word, pajesim_text *before, pajesim_text *behind)
{
    size_t size = strlen(word);
    for (size_t i = text.size < size ? 0 : text.size - size + 1; i-- > 0;)
        if (memcmp(text.bytes + i, word, size) == 0) {
            *before = (pajesim_text){text.bytes, i};
            *behind = (pajesim_text){text.bytes + i + size, text.size - i - size};
            return 1;
        }
    return 0;
}

pajesim_text otf2_unquote(pajesim_text text)
{
    while (text.size > 0 && text.bytes[0] != '"')
        text = (pajesim_text){text.bytes + 1, text.size - 1};
    while (text.size > 0 && text.bytes[text.size - 1] != '"')
        text.size--;
    return text.size < 2 ? text_of("") : (pajesim_text){text.bytes + 1, text.size - 2};
}

/* Splits a line.  Returns 0 if it is no record: a title, or attributes of the record before. */
static int split(pajesim_text line, int is_event, otf2_record *record)
{
    size_t size = 0;
    while (size < line.size && ((line.bytes[size] >= 'A' && line.bytes[size] <= 'Z') || line.bytes[size] == '_' ||
                                (line.bytes[size] >= '0' && line.bytes[size] <= '9')))
        size++;
    if (size < 2 || size == line.size || !is_blank(line.bytes[size]))
        return 0;
    record->kind = (pajesim_text){line.bytes, size};
    record->rest = (pajesim_text){line.bytes + size, line.size - size};
    skip_blanks(&record->rest);
    record->number = record->time = 0;
    if (!is_event)
        return take_number(&record->rest, &record->number) || text_is_equal(record->kind, text_of("CLOCK_PROPERTIES"));
    if (!take_number(&record->rest, &record->number))
        return 0;
    skip_blanks(&record->rest);
    int is_timed = take_number(&record->rest, &record->time);
    skip_blanks(&record->rest);
    return is_timed;
}

void otf2_print(const paje_source *source, int is_event, void (*take)(const input_lines *lines,
                                                                     const otf2_record *record))
{
    char program[] = "otf2-print", definitions[] = "-G", end[] = "--";
    text_buffer name = {0};
    int ends[2];
    text_puts(&name, source->name);
    char *arguments[] = {program, is_event ? end : definitions, is_event ? text_string(&name) : end,
                         is_event ? NULL : text_string(&name), NULL};
    pid_t process = process_pipe(ends) ? process_start(arguments, source->file, ends[1]) : 0;
    if (process == 0 && errno == ENOENT)
        stream_fail("%s: there is no program `otf2-print`, which reads OTF2: install it (Debian: otf2-tools)",
                    source->name);
    if (process == 0)
        stream_fail("%s: `otf2-print`, which reads OTF2: %s", source->name, strerror(errno));
    close(ends[1]);
    input_lines *lines = memory_alloc(1, sizeof *lines);
    lines_begin(lines, is_event ? "otf2-print" : "otf2-print -G", NULL, ends[0]);
    pajesim_text line;
    otf2_record record;
    while (lines_next(lines, &line))
        if (split(line, is_event, &record))
            take(lines, &record);
    lines_end(lines);
    free(lines);
    int status = process_wait(process);
    if (status)
        stream_fail("%s: `otf2-print` failed with status %d: the archive is damaged or not complete", source->name,
                    status);
    text_free(&name);
}
