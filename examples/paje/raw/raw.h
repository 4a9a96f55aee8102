/* Names of functions in what `paje trace` records: the place of their code, until they are looked up. */
#pragma once

#include "base/text.h"

/* ---- functions.c */

/* Puts a line that defines the state of a function, or of a construct within one, by its place with its name there.
 * Returns 0 if it is none.  `is_readable`: names of C++ are as in the source. */
int raw_name_function(text_buffer *to, const char *start, const char *end, int is_readable);

/* ---- symbols.c */

/* Puts the name of the function at a place, @FILE+0xOFFSET; if it has none, FILE+0xOFFSET without the folder. */
void raw_put_function(text_buffer *to, pajesim_text place, int is_readable);
/* Puts where in the source the call is that returns to a place, FILE+0xOFFSET: SOURCE:LINE if the file has lines,
 * FUNCTION+0xOFFSET if it has symbols only, else FILE+0xOFFSET without the folder. */
void raw_put_place(text_buffer *to, pajesim_text place, int is_readable);
void raw_free_symbols(void);

/* ---- lines.c */

/* Lines of the source of an ELF file, which is at least as large as its header. */
typedef struct raw_lines raw_lines;
raw_lines *raw_read_lines(const unsigned char *bytes, size_t size);
/* Finds the line of an address, as the file is loaded.  Returns 0 if it is not known. */
int raw_find_line(const raw_lines *lines, uint64_t address, pajesim_text *file, uint32_t *line);
void raw_free_lines(raw_lines *lines);

/* ---- demangle.c */

/* Puts a name of C++ as it is in the source.  Returns 0 if it is none, or if that is not possible. */
int raw_put_readable(text_buffer *to, const char *name);
