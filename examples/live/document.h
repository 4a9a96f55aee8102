/* Documents: the part of XML that requests and their replies use.
 *
 * Fed in pieces of any size, one document after the other: elements, attributes, text, comments, the five entities and
 * numeric ones, in UTF-8; no DTD, no processing instruction, no CDATA.  Whatever is wrong is reported with its line and
 * column, and nothing is guessed.  All memory is in the struct; every size is limited. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef LIVE_SMALL /* limits that the inputs of a fuzzer reach */
enum {
    DOCUMENT_SIZE = 1024,
    DOCUMENT_TOKEN = 200,
    DOCUMENT_DEPTH = 6,
    DOCUMENT_ELEMENTS = 24,
    DOCUMENT_ATTRIBUTES = 40
};
#else
enum {
    DOCUMENT_SIZE = 65536, /* bytes */
    DOCUMENT_TOKEN = 4096, /* bytes of a tag, a comment, or the text between two tags */
    DOCUMENT_DEPTH = 16,
    DOCUMENT_ELEMENTS = 1024,
    DOCUMENT_ATTRIBUTES = 2048
};
#endif

/* Bytes that are not terminated by NUL. */
typedef struct document_text {
    const char *bytes;
    size_t size;
} document_text;

typedef struct document_attribute {
    document_text name, value; /* entities of the value are resolved */
    uint32_t line, column;
} document_attribute;

typedef struct document_element {
    document_text name;
    document_text
        text; /* the last piece of text directly in it, entities resolved; empty if there is blank space only */
    uint32_t line, column; /* of its < */
    uint32_t attributes, attribute_count; /* the first one in document.attributes, and how many */
    uint32_t parent, next;  /* indexes; next: the one with the same parent that follows it.  0: none */
    uint32_t first, last;   /* elements in it */
} document_element;

typedef enum document_status {
    DOCUMENT_MORE, /* it is not whole yet */
    DOCUMENT_WHOLE,
    DOCUMENT_BAD   /* see `problem`; nothing more is taken */
} document_status;

typedef struct document {
    document_status status;
    char problem[160]; /* LINE:COLUMN: what is wrong */
    uint32_t elements, attributes_used;
    document_element element[DOCUMENT_ELEMENTS + 1]; /* from 1 on; 1 is the root */
    document_attribute attributes[DOCUMENT_ATTRIBUTES];
    size_t size, at;        /* bytes so far; of these, those that were read */
    uint32_t line, column;  /* at `at`; columns count bytes, from 1 */
    uint32_t open, depth;   /* the innermost element that is not closed */
    int waits;              /* the lexer has run into the end of what there is */
    unsigned char bytes[DOCUMENT_SIZE + 1];
} document;

/* Begins to read; where another document was read before, the bytes behind it are kept. */
void document_begin(document *it);
/* Gives it bytes.  Returns how many it took: all of them, unless the document is whole or bad. */
size_t document_feed(document *it, const char *bytes, size_t size);
/* Sets a problem of what stands at an element or an attribute, unless there is one. */
#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
void document_refuse(document *it, uint32_t line, uint32_t column, const char *format, ...);

int document_is(document_text text, const char *string);
/* The value of an attribute; bytes is NULL if there is none. */
document_text document_value(const document *it, uint32_t element, const char *name);
