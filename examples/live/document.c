/* Documents: elements from tokens. */
#include "document.h"
#include "lex.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void document_refuse(document *it, uint32_t line, uint32_t column, const char *format, ...)
{
    va_list arguments;
    size_t size;
    if (it->status == DOCUMENT_BAD)
        return;
    it->status = DOCUMENT_BAD;
    size = (size_t)snprintf(it->problem, sizeof it->problem, "%u:%u: ", (unsigned)line, (unsigned)column);
    va_start(arguments, format);
    vsnprintf(it->problem + size, sizeof it->problem - size, format, arguments);
    va_end(arguments);
}

int document_is(document_text text, const char *string)
{
    return strlen(string) == text.size && memcmp(text.bytes, string, text.size) == 0;
}

document_text document_value(const document *it, uint32_t element, const char *name)
{
    const document_element *at = &it->element[element];
    for (uint32_t i = at->attributes; i < at->attributes + at->attribute_count; i++)
        if (document_is(it->attributes[i].name, name))
            return it->attributes[i].value;
    return (document_text){NULL, 0};
}

void document_begin(document *it)
{
    const size_t rest = it->status == DOCUMENT_WHOLE ? it->size - it->at : 0;
    memmove(it->bytes, it->bytes + it->at, rest);
    it->bytes[rest] = 0;
    it->size = rest;
    it->status = DOCUMENT_MORE;
    it->problem[0] = 0;
    it->elements = it->attributes_used = it->open = it->depth = 0;
    it->at = 0;
    it->line = it->column = 1;
    it->waits = 0;
}

/* Moves on to `end`, counting lines. */
static void advance(document *it, const unsigned char *end)
{
    for (const unsigned char *p = it->bytes + it->at; p < end; p++) {
        it->column++;
        if (*p == '\n') {
            it->line++;
            it->column = 1;
        }
    }
    it->at = (size_t)(end - it->bytes);
}

/* Writes a character in UTF-8.  Returns how many bytes it takes, 0 if XML does not permit it. */
static size_t put_character(unsigned char *to, unsigned long c)
{
    if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000) || c == 0xfffe || c == 0xffff ||
        (c < 32 && c != '\t' && c != '\n' && c != '\r'))
        return 0;
    if (c < 0x80) {
        to[0] = (unsigned char)c;
        return 1;
    }
    if (c < 0x800) {
        to[0] = (unsigned char)(0xc0 | c >> 6);
        to[1] = (unsigned char)(0x80 | (c & 63));
        return 2;
    }
    if (c < 0x10000) {
        to[0] = (unsigned char)(0xe0 | c >> 12);
        to[1] = (unsigned char)(0x80 | (c >> 6 & 63));
        to[2] = (unsigned char)(0x80 | (c & 63));
        return 3;
    }
    to[0] = (unsigned char)(0xf0 | c >> 18);
    to[1] = (unsigned char)(0x80 | (c >> 12 & 63));
    to[2] = (unsigned char)(0x80 | (c >> 6 & 63));
    to[3] = (unsigned char)(0x80 | (c & 63));
    return 4;
}

/* Resolves entities in place: what they stand for is never longer.  Returns a text without bytes if one is no
 * character. */
static document_text resolve(unsigned char *from, size_t size)
{
    static const struct { const char *name; char character; } entities[] = {
        {"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&quot;", '"'}, {"&apos;", '\''}};
    unsigned char *to = from, *p = from;
    const unsigned char *end = from + size;
    while (p < end) {
        size_t i = 0, taken;
        if (*p != '&') {
            *to++ = *p++;
            continue;
        }
        if (p[1] == '#') {
            const int is_hex = p[2] == 'x';
            taken = put_character(to, strtoul((char *)p + 2 + is_hex, NULL, is_hex ? 16 : 10));
            if (!taken)
                return (document_text){NULL, 0};
            to += taken;
        } else {
            while (memcmp(p, entities[i].name, strlen(entities[i].name)) != 0)
                i++;
            *to++ = (unsigned char)entities[i].character;
        }
        while (*p++ != ';')
            ;
    }
    return (document_text){(char *)from, (size_t)(to - from)};
}

static int is_blank(unsigned char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n';
}

/* Adds an attribute without a value to the element that was begun.  Returns 0 after a refusal. */
static int begin_attribute(document *it, const unsigned char *name, size_t size)
{
    document_element *element = &it->element[it->elements];
    if (it->attributes_used == DOCUMENT_ATTRIBUTES) {
        document_refuse(it, it->line, it->column, "more than %d attributes", DOCUMENT_ATTRIBUTES);
        return 0;
    }
    for (uint32_t i = element->attributes; i < it->attributes_used; i++)
        if (it->attributes[i].name.size == size && memcmp(it->attributes[i].name.bytes, name, size) == 0) {
            document_refuse(it, it->line, it->column, "attribute %.*s is given twice", (int)(size < 40 ? size : 40),
                            (const char *)name);
            return 0;
        }
    it->attributes[it->attributes_used++] =
        (document_attribute){{(const char *)name, size}, {"", 0}, it->line, it->column};
    element->attribute_count++;
    return 1;
}

/* Gives its value, which is in quotes, to the last attribute.  Returns 0 after a refusal. */
static int end_attribute(document *it, const unsigned char *quoted, const unsigned char *end)
{
    const size_t at = (size_t)(quoted + 1 - it->bytes), size = (size_t)(end - quoted) - 2;
    const uint32_t line = it->line, column = it->column;
    document_text *value = &it->attributes[it->attributes_used - 1].value;
    advance(it, end); /* counts lines before the text is changed */
    *value = resolve(it->bytes + at, size);
    if (!value->bytes)
        document_refuse(it, line, column, "a character reference is no character of XML");
    return value->bytes != NULL;
}

/* Reads the attributes of the element that was begun.  Returns PIECE_END or PIECE_END_EMPTY, and in `*end` where that
 * ends, or another piece after a refusal. */
static document_piece read_attributes(document *it, const unsigned char **end, const unsigned char *limit)
{
    const document_text *name = &it->element[it->elements].name;
    document_piece expected = PIECE_NAME;
    for (;;) {
        const unsigned char *before = *end, *p = before;
        document_piece piece;
        while (p < limit && is_blank(*p))
            p++;
        advance(it, p);
        piece = document_lex_piece(it, p, limit, end);
        if (expected == PIECE_NAME && (piece == PIECE_END || piece == PIECE_END_EMPTY))
            return piece;
        if (piece != expected || (expected == PIECE_NAME && p == before)) {
            document_refuse(it, it->line, it->column,
                            expected == PIECE_NAME     ? "an attribute, > or /> is expected in <%.*s"
                            : expected == PIECE_EQUALS ? "= is expected behind an attribute of <%.*s"
                                                       : "a value in quotes, without < and &, is expected in <%.*s",
                            (int)(name->size < 40 ? name->size : 40), name->bytes);
            return PIECE_NAME;
        }
        if ((piece == PIECE_NAME && !begin_attribute(it, p, (size_t)(*end - p))) ||
            (piece == PIECE_VALUE && !end_attribute(it, p, *end)))
            return PIECE_NAME;
        expected = piece == PIECE_NAME ? PIECE_EQUALS : piece == PIECE_EQUALS ? PIECE_VALUE : PIECE_NAME;
    }
}

/* Puts the element that was begun behind the others of its parent. */
static void append_element(document *it)
{
    document_element *parent = &it->element[it->open];
    if (!it->open)
        return;
    if (parent->last)
        it->element[parent->last].next = it->elements;
    else
        parent->first = it->elements;
    parent->last = it->elements;
}

/* Reads an opening tag, or as much of it as is right; `limit` is the end of what may belong to it. */
static void open_element(document *it, const unsigned char *limit)
{
    const unsigned char *name = it->bytes + it->at + 1, *end;
    document_piece piece = document_lex_piece(it, name, limit, &end);
    if (it->elements == DOCUMENT_ELEMENTS) {
        document_refuse(it, it->line, it->column, "more than %d elements", DOCUMENT_ELEMENTS);
        return;
    }
    if (it->depth == DOCUMENT_DEPTH) {
        document_refuse(it, it->line, it->column, "elements are more than %d deep", DOCUMENT_DEPTH);
        return;
    }
    if (piece != PIECE_NAME) {
        advance(it, name);
        document_refuse(it, it->line, it->column, "a name is expected behind <");
        return;
    }
    it->element[++it->elements] =
        (document_element){.name = {(const char *)name, (size_t)(end - name)}, .text = {"", 0}, .line = it->line,
                           .column = it->column, .attributes = it->attributes_used, .parent = it->open};
    piece = read_attributes(it, &end, limit);
    if (piece != PIECE_END && piece != PIECE_END_EMPTY)
        return;
    advance(it, end);
    append_element(it);
    if (piece == PIECE_END) {
        it->open = it->elements;
        it->depth++;
    } else if (!it->open) {
        it->status = DOCUMENT_WHOLE;
    }
}

static void close_element(document *it, const unsigned char *end)
{
    const unsigned char *name = it->bytes + it->at + 2, *behind = name;
    const document_element *open = &it->element[it->open];
    while (!is_blank(*behind) && *behind != '>')
        behind++;
    if (!it->open) {
        document_refuse(it, it->line, it->column, "an end tag of no element");
    } else if (open->name.size != (size_t)(behind - name) || memcmp(open->name.bytes, name, open->name.size) != 0) {
        document_refuse(it, it->line, it->column, "<%.*s> of %u:%u is not closed",
                        (int)(open->name.size < 40 ? open->name.size : 40), open->name.bytes, (unsigned)open->line,
                        (unsigned)open->column);
    } else {
        advance(it, end);
        it->open = open->parent;
        it->depth--;
        if (!it->open)
            it->status = DOCUMENT_WHOLE;
    }
}

static void add_text(document *it, const unsigned char *end)
{
    const size_t at = it->at, size = (size_t)(end - it->bytes) - at;
    const uint32_t line = it->line, column = it->column;
    size_t i = 0;
    while (i < size && is_blank(it->bytes[at + i]))
        i++;
    advance(it, end);
    if (i == size)
        return;
    if (!it->open) {
        document_refuse(it, line, column, "text is not within an element");
        return;
    }
    it->element[it->open].text = resolve(it->bytes + at, size);
    if (!it->element[it->open].text.bytes)
        document_refuse(it, line, column, "a character reference is no character of XML");
}

/* Returns the size of the character at `p`, 0 if that is not UTF-8 or not permitted by XML. */
static size_t character_size(const unsigned char *p, const unsigned char *end)
{
    unsigned char again[4];
    unsigned long c = *p;
    size_t size = c < 0x80 ? 1 : c < 0xc2 ? 0 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : c < 0xf5 ? 4 : 0;
    if (!size || size > (size_t)(end - p))
        return 0;
    if (size > 1) {
        c &= 0x7fu >> size;
        for (size_t i = 1; i < size; i++)
            c = c << 6 | (p[i] & 63u);
    }
    return put_character(again, c) == size && memcmp(again, p, size) == 0 ? size : 0;
}

/* Refuses a token that is not UTF-8. */
static int check_characters(document *it, const unsigned char *end)
{
    const unsigned char *p = it->bytes + it->at;
    for (size_t size; p < end; p += size) {
        size = character_size(p, end);
        if (!size) {
            advance(it, p);
            document_refuse(it, it->line, it->column, "this is not UTF-8");
            return 0;
        }
    }
    return 1;
}

/* Reads the token at `from`.  Returns 0 if more bytes are needed. */
static int read_token_to(document *it, const unsigned char *from, const unsigned char *limit)
{
    const unsigned char *end;
    document_token token;
    it->waits = 0;
    token = document_lex(it, from, limit, &end);
    if (it->waits && end != from && token != TOKEN_BAD && token != TOKEN_TEXT && token != TOKEN_DECLARATION)
        it->waits = 0; /* the token is whole */
    if ((it->waits || token == TOKEN_END ? limit : end) - from > DOCUMENT_TOKEN) {
        document_refuse(it, it->line, it->column, "a tag, a comment or a text has more than %d bytes", DOCUMENT_TOKEN);
        return 1;
    }
    if (it->waits || token == TOKEN_END)
        return 0;
    if (token != TOKEN_BAD && !check_characters(it, end))
        return 1;
    switch (token) {
    case TOKEN_OPEN:
        open_element(it, limit);
        break;
    case TOKEN_CLOSE:
        close_element(it, end);
        break;
    case TOKEN_TEXT:
        add_text(it, end);
        break;
    case TOKEN_COMMENT:
        advance(it, end);
        break;
    case TOKEN_DECLARATION:
        document_refuse(it, it->line, it->column, "declarations, processing instructions and CDATA are not read here");
        break;
    case TOKEN_END:
    case TOKEN_BAD:
        if (*from == '<' && limit - from > 1 && from[1] != '/' && from[1] != '!') {
            open_element(it, limit); /* tells where it is wrong */
            document_refuse(it, it->line, it->column, "a tag is malformed");
        }
        document_refuse(it, it->line, it->column, *from == '<' ? "a tag or a comment is malformed" :
                        *from == '&' ? "an entity that is not known" : "a byte that no document has");
        break;
    }
    return 1;
}

/* Reads the next token.  Returns 0 if more bytes are needed.  It sees no more than a token may have, and the byte
 * behind, so that what is wrong does not depend on the pieces. */
static int read_token(document *it)
{
    const unsigned char *const from = it->bytes + it->at;
    unsigned char *const limit =
        it->bytes + (it->size - it->at > DOCUMENT_TOKEN ? it->at + DOCUMENT_TOKEN + 1 : it->size);
    const unsigned char kept = *limit;
    int is_read;
    *limit = 0; /* the end of the lexer's bytes */
    is_read = read_token_to(it, from, limit);
    *limit = kept;
    return is_read;
}

size_t document_feed(document *it, const char *bytes, size_t size)
{
    size_t taken = 0;
    const char *nul;
    while (it->status == DOCUMENT_MORE) {
        size_t more = size - taken;
        while (it->status == DOCUMENT_MORE && read_token(it))
            ;
        if (it->status != DOCUMENT_MORE || !more)
            break;
        if (!it->elements && it->at) { /* blanks and comments before the document take no room */
            memmove(it->bytes, it->bytes + it->at, it->size - it->at);
            it->size -= it->at;
            it->at = 0;
        }
        if (more > DOCUMENT_SIZE - it->size)
            more = DOCUMENT_SIZE - it->size;
        if (!more) {
            document_refuse(it, it->line, it->column, "a document has more than %d bytes", DOCUMENT_SIZE);
            break;
        }
        nul = memchr(bytes + taken, 0, more); /* it would be the end of the bytes */
        if (nul == bytes + taken) {
            document_refuse(it, it->line, it->column, "a NUL, which no document has");
            break;
        }
        if (nul)
            more = (size_t)(nul - (bytes + taken));
        memcpy(it->bytes + it->size, bytes + taken, more);
        it->size += more;
        it->bytes[it->size] = 0;
        taken += more;
    }
    return taken;
}
