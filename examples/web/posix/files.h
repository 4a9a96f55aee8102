/* The files of the tool in the page. */
#pragma once

#include "base/text.h"

/* Returns the block that the worker fills with the bytes of TRACE.pajeidx. */
unsigned char *files_index(size_t size);
/* Call it then.  Browsers tell dates in milliseconds; if the index has the trace's date, that is taken from it. */
void files_adopt_date(void);
/* What was written to standard output, to standard error, and to the last file. */
extern text_buffer files_output, files_errors, files_written;
