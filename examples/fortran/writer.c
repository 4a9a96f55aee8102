/* The writer for Fortran: the implementation, and what a module cannot say in Fortran. */
#define _POSIX_C_SOURCE 200809L
#define PAJEWRITE_IMPLEMENTATION
#include "pajewrite.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct {
    pajewrite w; /* the first member: its address is the address of all */
    pajewrite_file file;
    char buffer[1 << 16];
} writer;

/* A context that writes to a new file, from time 0 on; NULL: no memory. */
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

/* Ends it, and answers the first problem that there was. */
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
