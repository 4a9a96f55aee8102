/* Comment lines, which the simulation skips: they keep their place among the lines of their file, and tell its name. */
#include "merge.h"

#include <stdio.h>
#include <string.h>

#define LONGEST 4096 /* what is kept of a comment; so memory does not grow with it */

static int is_blank(char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\r';
}

static int is_in_comment(const merge_input *input, const char *bytes)
{
    return input->where == MERGE_IN_COMMENT || (input->where == MERGE_LINE_BEGINS && bytes[0] == '#');
}

size_t merge_find_comment(const merge_input *input, const char *bytes, size_t size)
{
    const char *end = bytes + size, *at = bytes, *newline;
    if (is_in_comment(input, bytes)) {
        newline = memchr(bytes, '\n', size);
        return newline ? (size_t)(newline + 1 - bytes) : size;
    }
    while (at && (at = memchr(at, '#', (size_t)(end - at))) != NULL) {
        const char *before = at;
        while (before > bytes && is_blank(before[-1]))
            before--;
        if (before == bytes ? input->where == MERGE_LINE_BEGINS : before[-1] == '\n')
            return (size_t)(at - bytes);
        at = memchr(at, '\n', (size_t)(end - at));
    }
    return size;
}

void merge_end_comment(merge_input *input)
{
    paje_buffer *comment = &input->comment;
    if (input->where == MERGE_IN_COMMENT) {
        size_t first = 0;
        if (comment->size == LONGEST)
            paje_add(comment, "...", 3);
        while (comment->size > 0 && is_blank(comment->bytes[comment->size - 1]))
            comment->size--;
        while (first < comment->size && (comment->bytes[first] == '#' || is_blank(comment->bytes[first])))
            first++;
        if (first < comment->size)
            merge_keep_comment(input, (pajesim_text){comment->bytes + first, comment->size - first});
    }
    comment->size = 0;
    input->where = MERGE_LINE_BEGINS;
}

void merge_pass_bytes(merge_input *input, const char *bytes, size_t size)
{
    if (size == 0)
        return;
    size_t ends = bytes[size - 1] == '\n';
    if (is_in_comment(input, bytes)) {
        size_t more = size - ends, room = LONGEST - input->comment.size;
        input->where = MERGE_IN_COMMENT;
        paje_add(&input->comment, bytes, more < room ? more : room);
        if (ends)
            merge_end_comment(input);
        return;
    }
    size_t at = size;
    while (at > 0 && is_blank(bytes[at - 1]))
        at--;
    if (at > 0)
        input->where = bytes[at - 1] == '\n' ? MERGE_LINE_BEGINS : MERGE_IN_LINE;
}

/* What pajewrite.h says where it had to drop something: `dropped 12 events from 1.5 to 1.7`. */
static int add_gap(const merge_input *input, pajesim_text text)
{
    char copy[128], first[40], last[40];
    unsigned long long count;
    double from, to;
    int size = -1;
    if (text.size >= sizeof copy)
        return 0;
    memcpy(copy, text.bytes, text.size);
    copy[text.size] = 0;
    if (sscanf(copy, "dropped %llu events from %39s to %39s%n", &count, first, last, &size) != 3 ||
        size != (int)text.size || !paje_parse_number(first, &from) || !paje_parse_number(last, &to))
        return 0;
    paje_addf(&paje_output, "dropped %llu events from", count);
    merge_add_time(input, from, (pajesim_text){first, strlen(first)});
    paje_addf(&paje_output, " to");
    merge_add_time(input, to, (pajesim_text){last, strlen(last)});
    return 1;
}

void merge_write_comment(const merge_input *input, const merge_line *line)
{
    pajesim_text text = merge_word(input, line, 0);
    paje_addf(&paje_output, "# ");
    paje_add_printable(&paje_output, (pajesim_text){line->file, strlen(line->file)});
    paje_addf(&paje_output, ": ");
    if (!add_gap(input, text))
        paje_add_printable(&paje_output, text);
    paje_end_line();
}
