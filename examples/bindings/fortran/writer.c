/* The C part of the Fortran module: the implementation of pajewrite.h, and functions to open and close a trace. */
#define _POSIX_C_SOURCE 200809L
#define PAJEWRITE_IMPLEMENTATION
#include "pajewrite.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct {
    pajewrite w; /* the first member, so that a pointer to it is a pointer to the writer */
    pajewrite_file file;
    char buffer[1 << 16];
} writer;

/* Returns a context that writes to a new file, with time 0 now; NULL if out of memory. */
pajewrite *pajewrite_fortran_open(const char *name);
pajewrite *pajewrite_fortran_open(const char *name)
{
    pajewrite_config config = PAJEWRITE_CONFIG;
    writer *all = malloc(sizeof *all);
    if (!all)
        return NULL;
    pajewrite_file_init(&all->file, open(name, O_WRONLY | O_CREAT | O_TRUNC, 0644));
    config.sink = pajewrite_to_file;
    config.sink_data = &all->file;
    config.origin = pajewrite_monotonic(NULL);
    pajewrite_init(&all->w, all->buffer, sizeof all->buffer, &config);
    pajewrite_header(&all->w);
    return &all->w;
}

/* Closes the trace.  Returns the first error of any call. */
pajewrite_status pajewrite_fortran_close(pajewrite *w);
pajewrite_status pajewrite_fortran_close(pajewrite *w)
{
    writer *all = (writer *)(void *)w;
    pajewrite_status status = pajewrite_finish(w);
    if (close(all->file.descriptor) && status == PAJEWRITE_OK)
        status = PAJEWRITE_E_SINK;
    free(all);
    return status;
}
