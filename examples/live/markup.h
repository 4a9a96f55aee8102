/* Text of documents, in a buffer of fixed size: what does not fit is left out, and that is known. */
#pragma once

#include "document.h"

typedef struct markup {
    char *bytes;
    size_t size, capacity;
    int is_cut; /* 1: something did not fit; nothing is added any more */
} markup;

void markup_put(markup *it, const char *text);
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void markup_print(markup *it, const char *format, ...);
/* Text with entities in place of <, >, &, quotes and control characters. */
void markup_text(markup *it, document_text text);
/* ` NAME="VALUE"`; nothing if the value is NULL. */
void markup_attribute(markup *it, const char *name, const char *value);
/* Numbers without exponent, as xs:decimal has them: an integer of units of 10^-decimals, exactly; a double, in the
 * fewest digits that are read back as the same. */
void markup_fixed(markup *it, int64_t number, int decimals);
void markup_double(markup *it, double number);
/* <errors><error>TEXT</error></errors> */
void markup_error(markup *it, const char *text);
