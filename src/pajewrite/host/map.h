/* Files that are mapped into memory. */
#pragma once

#include "file.h"
#include "fork.h"

#if PAJEWRITE_POSIX
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

PAJEWRITE__API pajewrite_status pajewrite_map_open(pajewrite_map *map, const char *path, size_t step)
{
    struct stat about;
    memset(map, 0, sizeof *map);
    map->page = (size_t)sysconf(_SC_PAGESIZE);
    map->step = pajewrite__whole_pages(step ? step : (size_t)1 << 20, map->page);
    map->process = pajewrite__owner();
    map->descriptor = -1;
    pthread_once(&pajewrite__set_up_once, pajewrite__set_up);
    map->shared = pajewrite__new_map_window();
    if (!map->shared)
        return PAJEWRITE_E_SINK;
    map->descriptor = pajewrite__open_descriptor(path, O_RDWR | O_CREAT | O_TRUNC);
    if (map->descriptor >= 0 && fstat(map->descriptor, &about) == 0) {
        map->device = (uint64_t)about.st_dev;
        map->inode = (uint64_t)about.st_ino;
        return PAJEWRITE_OK;
    }
    if (map->descriptor >= 0)
        close(map->descriptor);
    map->descriptor = -1;
    PAJEWRITE__PUBLISH(int, map->shared->used, 0);
    map->shared = NULL;
    return PAJEWRITE_E_SINK;
}

/* Unmaps the window. */
PAJEWRITE__UNTRACED
static void pajewrite__map_unmap(pajewrite_map *map)
{
    if (map->window) {
        map->shared->memory = NULL; /* first, so that no fork maps what is gone */
        PAJEWRITE__BARRIER();
        munmap(map->window, map->window_size);
    }
    map->window = NULL;
}

PAJEWRITE__UNTRACED
static int pajewrite__map_close(pajewrite_map *map)
{
    int done = 1;
    if (!map->shared) /* closed already, or never opened */
        return 0;
    pajewrite__map_unmap(map);
    if (pajewrite__is_file(map->descriptor, map->device, map->inode)) {
        if (map->process == pajewrite__owner())
            done = ftruncate(map->descriptor, (off_t)map->position) == 0;
        done &= close(map->descriptor) == 0;
    } else {
        done = 0;
    }
    PAJEWRITE__PUBLISH(int, map->shared->used, 0);
    map->shared = NULL;
    map->descriptor = -1;
    return done;
}

PAJEWRITE__UNTRACED
static char *pajewrite__map_next(pajewrite_map *map, size_t used, size_t needed, size_t *size)
{
    int is_child = map->process != pajewrite__owner();
    size_t before;
    void *window;
    *size = is_child ? PAJEWRITE_E_FORKED : PAJEWRITE_E_SINK;
    map->position += used;
    if (!needed) {
        if (pajewrite__map_close(map) && !is_child)
            *size = 0;
        return NULL;
    }
    if (is_child || !pajewrite__is_file(map->descriptor, map->device, map->inode))
        return NULL;
    before = (size_t)(map->position % map->page);
    needed = (before + needed + map->step - 1) / map->step * map->step;
    window = mmap(NULL, needed, PROT_READ | PROT_WRITE, MAP_SHARED, map->descriptor, (off_t)(map->position - before));
    if (window == MAP_FAILED)
        return NULL;
    if (!pajewrite__may_grow(map->position - before + needed) ||
        !pajewrite__write_newlines(map->descriptor, &map->filled, map->position - before + needed)) {
        munmap(window, needed);
        return NULL;
    }
    pajewrite__map_unmap(map);
    map->window = (char *)window;
    map->window_size = needed;
    map->shared->size = needed;
    PAJEWRITE__PUBLISH(char *, map->shared->memory, map->window);
    *size = needed - before;
    return map->window + before;
}

PAJEWRITE__API char *pajewrite_map_next_buffer(void *data, size_t used, size_t needed, size_t *size)
{
    const pajewrite__blocked before = pajewrite__block();
    char *window = pajewrite__map_next((pajewrite_map *)data, used, needed, size);
    pajewrite__unblock(&before);
    return window;
}

#endif
