/* Finds the MPI library of the program. */
#include "library.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

mpi_library mpi;

/* ---- libraries that were opened for their user only (RTLD_LOCAL), where dlsym alone does not look */

static int note_library(struct dl_phdr_info *about, size_t size, void *data)
{
    const char *slash = about->dlpi_name ? strrchr(about->dlpi_name, '/') : NULL;
    void **found = (void **)data;
    (void)size;
    if (!*found && slash && strncmp(slash, "/libmpi", 7) == 0)
        *found = dlopen(about->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
    return 0;
}

/* `from`: RTLD_NEXT: what is defined behind this layer; RTLD_DEFAULT: the first definition, which of an object may be
 * the copy that the program has (a copy relocation). */
static void *find(void *from, const char *name)
{
    static void *library;
    void *found = dlsym(from, name);
    if (found)
        return found;
    if (!library)
        dl_iterate_phdr(note_library, &library);
    return library ? dlsym(library, name) : NULL;
}

void mpi_find_next(const char *name, void *place)
{
    void *found = find(RTLD_NEXT, name);
    if (!found) {
        fprintf(stderr, "paje trace: the program calls %s, but no library that is loaded defines it\n", name);
        abort();
    }
    memcpy(place, &found, sizeof found);
}

/* ---- what the layer calls itself */

#ifdef OPEN_MPI
mpi_own_handles mpi_handles;

static int find_handles(void)
{
#define OWN(name) \
    if (!(mpi_handles.name = find(RTLD_DEFAULT, "ompi_mpi_" #name)) && \
        !(mpi_handles.name = find(RTLD_DEFAULT, "ompi_" #name))) \
        return 0;
    MPI_OWN_HANDLES(OWN)
#undef OWN
    return 1;
}
#else
/* Handles are numbers, which all libraries of this family have. */
static int find_handles(void)
{
    return !find(RTLD_DEFAULT, "ompi_mpi_comm_world");
}
#endif

int mpi_find_library(void)
{
    void *found;
#define OWN(name, parameters) \
    if (!(found = find(RTLD_NEXT, "PMPI_" #name))) \
        return 0; \
    memcpy(&mpi.name, &found, sizeof found);
    MPI_OWN_FUNCTIONS(OWN)
#undef OWN
    return find_handles();
}
