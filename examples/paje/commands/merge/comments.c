/* Comment lines, which the reader skips: where they begin and end among the bytes of a file. */
#include "merge.h"

#define LONGEST 4096 /* bytes that are kept of a comment, so that memory does not grow with it */

static int is_blank(char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\r';
}

/* Also one of a byte order mark, which a comment may stand behind. */
static int is_before_comment(char byte)
{
    return is_blank(byte) || byte == '\xef' || byte == '\xbb' || byte == '\xbf';
}

static int is_in_comment(const merge_comment *comment, const char *bytes)
{
    return comment->state == MERGE_IN_COMMENT || (comment->state == MERGE_LINE_BEGIN && bytes[0] == '#');
}

size_t merge_find_comment(const merge_comment *comment, const char *bytes, size_t size)
{
    const char *end = bytes + size, *at = bytes, *newline;
    if (is_in_comment(comment, bytes)) {
        newline = memchr(bytes, '\n', size);
        return newline ? (size_t)(newline + 1 - bytes) : size;
    }
    while (at && (at = memchr(at, '#', (size_t)(end - at))) != NULL) {
        const char *before = at;
        while (before > bytes && is_before_comment(before[-1]))
            before--;
        if (before == bytes ? comment->state == MERGE_LINE_BEGIN : before[-1] == '\n')
            return (size_t)(at - bytes);
        at = memchr(at, '\n', (size_t)(end - at));
    }
    return size;
}

pajesim_text merge_end_comment(merge_comment *comment)
{
    text_buffer *text = &comment->text;
    pajesim_text kept = merge_no_text;
    if (comment->state == MERGE_IN_COMMENT) {
        size_t first = 0;
        if (text->size == LONGEST)
            text_puts(text, "...");
        while (text->size > 0 && is_blank(text->bytes[text->size - 1]))
            text->size--;
        while (first < text->size && (text->bytes[first] == '#' || is_blank(text->bytes[first])))
            first++;
        if (first < text->size)
            kept = (pajesim_text){text->bytes + first, text->size - first};
    }
    text_clear(text);
    comment->state = MERGE_LINE_BEGIN;
    return kept;
}

pajesim_text merge_read_comment(merge_comment *comment, const char *bytes, size_t size)
{
    if (size == 0)
        return merge_no_text;
    size_t has_end = bytes[size - 1] == '\n';
    if (is_in_comment(comment, bytes)) {
        size_t more = size - has_end, capacity = LONGEST - comment->text.size;
        comment->state = MERGE_IN_COMMENT;
        text_put(&comment->text, bytes, more < capacity ? more : capacity);
        return has_end ? merge_end_comment(comment) : merge_no_text;
    }
    size_t at = size;
    while (at > 0 && is_before_comment(bytes[at - 1]))
        at--;
    if (at > 0)
        comment->state = bytes[at - 1] == '\n' ? MERGE_LINE_BEGIN : MERGE_IN_LINE;
    return merge_no_text;
}
