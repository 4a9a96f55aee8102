/* Names of functions in what `paje trace` records: the place of their code, until they are looked up. */
#pragma once

#include "base/text.h"

/* ---- functions.c */

/* Puts a line that defines the state of a function by its place with its name there.  Returns 0 if it is none.
 * `is_readable`: names of C++ are as in the source. */
int raw_name_function(text_buffer *to, const char *start, const char *end, int is_readable);

/* ---- symbols.c */

/* Puts the name of the function at a place, @FILE+0xOFFSET; if it has none, FILE+0xOFFSET without the folder. */
void raw_put_function(text_buffer *to, pajesim_text place, int is_readable);
void raw_free_symbols(void);

/* ---- demangle.c */

/* Puts a name of C++ as it is in the source.  Returns 0 if it is none, or if that is not possible. */
int raw_put_readable(text_buffer *to, const char *name);
