/* Bytes and numbers of a trace in other notations: JSON, XML, CSV, SQL and UTF-8. */
#pragma once

#include "base/text.h"

/* A JSON string with its quotes.  It is valid UTF-8: each byte of the text that is not becomes U+FFFD.  `<` becomes
 * \u003c, so that the string may stand within a <script>. */
void text_put_json(text_buffer *buffer, pajesim_text text);
/* Text or an attribute's value in XML and HTML: `<`, `>`, `&` and quotes become entities; bytes that are not UTF-8 and
 * characters that XML does not permit become U+FFFD. */
void text_put_xml(text_buffer *buffer, pajesim_text text);
/* A field of CSV (RFC 4180), in quotes where it needs them; the bytes stay as they are. */
void text_put_csv(text_buffer *buffer, pajesim_text text);
/* A string of SQL in single quotes, valid UTF-8 as in JSON; NUL becomes U+FFFD, too.  `backslashes`: double them, as
 * MySQL needs. */
void text_put_sql(text_buffer *buffer, pajesim_text text, int backslashes);
/* The same as a field of CSV, always in double quotes. */
void text_put_sql_csv(text_buffer *buffer, pajesim_text text);
/* The text as valid UTF-8: each byte that is not becomes U+FFFD. */
void text_put_utf8(text_buffer *buffer, pajesim_text text);
/* A number for JSON, SQL and CSV, with the fewest digits that read back as the same double.  Infinity becomes DBL_MAX,
 * NaN becomes null. */
void text_put_number(text_buffer *buffer, double number);
/* The difference of two times in decimal arithmetic, where they have up to 15 digits: from 0.2 to 0.3 it is 0.1. */
void text_put_span(text_buffer *buffer, double start, double end);
/* Two times and that difference, with commas between them. */
void text_put_times(text_buffer *buffer, double start, double end);
void text_put_integer(text_buffer *buffer, int64_t number);
