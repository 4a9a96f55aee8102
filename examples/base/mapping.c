/* Files that are read in memory. */
#include "base/mapping.h"
#include "base/memory.h"
#include "base/stream.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

static mapping *mappings;
static struct sigaction before; /* what SIGBUS does otherwise */

/* What reads a mapping is within no function of the library that holds a lock, so this ends the program as usual. */
static void handle_fault(int number, siginfo_t *info, void *context)
{
    const char *at = info->si_addr;
    for (const mapping *it = mappings; it && info->si_code > 0; it = it->next)
        if (at >= it->bytes && at < it->bytes + it->size)
            stream_fail("%s: it became shorter while it was read", it->name);
    if (before.sa_flags & SA_SIGINFO) {
        before.sa_sigaction(number, info, context);
        return;
    }
    sigaction(number, &before, NULL); /* it comes again */
    if (info->si_code <= 0)
        raise(number);
}

mapping *mapping_open(int file, const char *name)
{
    struct stat status;
    if (fstat(file, &status) < 0)
        return NULL;
    size_t size = (size_t)status.st_size;
    void *bytes = size > 0 && S_ISREG(status.st_mode) ? mmap(NULL, size, PROT_READ, MAP_SHARED, file, 0) : NULL;
    if (!bytes || bytes == MAP_FAILED) {
        errno = bytes ? errno : 0;
        return NULL;
    }
    size_t name_size = strlen(name) + 1;
    mapping *it = memory_alloc(1, sizeof *it);
    *it = (mapping){bytes, size, memcpy(memory_alloc(name_size, 1), name, name_size), mappings};
    if (!mappings) {
        struct sigaction action = {.sa_sigaction = handle_fault, .sa_flags = SA_SIGINFO | SA_NODEFER};
        sigaction(SIGBUS, &action, &before);
    }
    mappings = it;
    return it;
}

void mapping_close(mapping *it)
{
    mapping **at = &mappings;
    while (*at != it)
        at = &(*at)->next;
    *at = it->next;
    if (!mappings)
        sigaction(SIGBUS, &before, NULL);
    munmap((void *)(uintptr_t)it->bytes, it->size);
    free(it->name);
    free(it);
}
