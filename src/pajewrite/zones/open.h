/* Opening the trace of a process, and what every such trace defines. */
#pragma once

#include "output.h"
#include "../calls/any.h"
#include "../host/fork.h"

#if PAJEWRITE_ZONES
#include <fcntl.h>
#include <sys/file.h>

/* Reads a number of at most two digits; if there is none, it is 99. */
PAJEWRITE__UNTRACED
static const char *pajewrite__read_category(const char *text, uint32_t *number)
{
    const char *start = text;
    for (*number = 0; *text >= '0' && *text <= '9' && text - start < 2; text++)
        *number = *number * 10 + (uint32_t)(*text - '0');
    if (text == start)
        *number = 99;
    return text;
}

/* Reads the categories of PAJEWRITE_CATEGORIES, such as 0,2-5.  Returns those that are not among them. */
PAJEWRITE__UNTRACED
static uint32_t pajewrite__read_categories(const char *text)
{
    uint32_t enabled = 0, first, last;
    if (!text || !*text)
        return 0;
    while (*text) {
        text = pajewrite__read_category(text, &first);
        last = first;
        if (*text == '-')
            text = pajewrite__read_category(text + 1, &last);
        if (first > last || last > 31 || (*text && *text != ',')) {
            pajewrite__complain("PAJEWRITE_CATEGORIES", " has to be numbers from 0 to 31, such as 0,2-5");
            return UINT32_MAX;
        }
        for (; first <= last; first++)
            enabled |= UINT32_C(1) << first;
        text += *text == ',';
    }
    return ~enabled;
}

/* Opens a file for writing, and waits until a FIFO has a reader. */
PAJEWRITE__UNTRACED
static int pajewrite__open_for_writing(pajewrite__process *p, const char *path)
{
    struct stat about;
    int descriptor;
    p->patience = -1;
    __atomic_store_n(&p->stalled, 0, __ATOMIC_RELAXED);
    do /* signals are blocked, so nothing may wait in the system */
        descriptor = pajewrite__open_descriptor(path, O_WRONLY | O_CREAT | O_NONBLOCK);
    while (descriptor < 0 && errno == ENXIO && !stat(path, &about) && S_ISFIFO(about.st_mode) &&
           pajewrite__wait_for_pipe(p));
    return descriptor;
}

/* Opens the file.  Only one trace at a time is written to a file, also by libraries that do not share this one. */
PAJEWRITE__UNTRACED
static int pajewrite__open_file(pajewrite__process *p, const char *path)
{
    struct stat about;
    int descriptor = pajewrite__open_for_writing(p, path);
    if (descriptor < 0) {
        pajewrite__complain(path, ": cannot be opened for writing");
        return -1;
    }
    if (!fstat(descriptor, &about)) {
        p->device = about.st_dev;
        p->inode = about.st_ino;
        if (!S_ISREG(about.st_mode))
            return descriptor;
    }
    if ((flock(descriptor, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK) || ftruncate(descriptor, 0)) {
        pajewrite__complain(path, ": another process, or another library of this one, is writing it");
        close(descriptor);
        return -1;
    }
    return descriptor;
}

/* Closes the file.  It is unlocked first: a child that another thread has just made has the descriptor, too, up to its
 * handler of forks or the program that it executes, and with it the lock. */
PAJEWRITE__UNTRACED
static int pajewrite__close_file(const pajewrite__process *p)
{
    flock(p->descriptor, LOCK_UN);
    return close(p->descriptor);
}

/* Opens the file p->path, and writes the definitions that every trace has. */
PAJEWRITE__UNTRACED
static pajewrite_status pajewrite__open_trace(pajewrite__process *p)
{
    static const pajewrite_config defaults = PAJEWRITE_CONFIG;
    pajewrite_config config = defaults;
    const pajewrite_type process = PAJEWRITE_TYPE(PAJEWRITE__PROCESS_TYPE);
    const pajewrite_type thread = PAJEWRITE_TYPE(PAJEWRITE__THREAD_TYPE);
    const char *rank = pajewrite__rank();
    char path[sizeof p->path], name[64];
    if (!pajewrite__expand(path, sizeof path, p->path)) {
        pajewrite__complain(p->path, ": path is too long");
        return PAJEWRITE_E_SINK;
    }
    p->descriptor = pajewrite__open_file(p, path);
    if (p->descriptor < 0)
        return PAJEWRITE_E_SINK;
    if (!p->memory) {
        p->memory = (char *)pajewrite__get_memory(NULL, PAJEWRITE__DEFINITIONS_SIZE + PAJEWRITE__NAMES_SIZE);
        if (!p->memory) {
            pajewrite__complain(path, ": no memory");
            pajewrite__close_file(p);
            return PAJEWRITE_E_MISUSE;
        }
    }
    p->process = pajewrite__owner();
    p->position = p->names_size = 0;
    __atomic_store_n(&p->dropped, 0, __ATOMIC_RELAXED);
    p->disabled = pajewrite__read_categories(pajewrite__getenv("PAJEWRITE_CATEGORIES"));
    if (!p->origin)
        p->origin = pajewrite_monotonic(NULL);
    config.sink = pajewrite__append;
    config.sink_data = p;
    config.clock = pajewrite_monotonic;
    config.origin = p->origin;
    config.aliases = &p->last_alias; /* threads that define types of their own take some, too */
    pajewrite_init(&p->w, p->memory, PAJEWRITE__DEFINITIONS_SIZE, &config);
    pajewrite_header(&p->w);
    pajewrite_define_container_type(&p->w, process, PAJEWRITE_ROOT_TYPE, "Process");
    pajewrite_define_container_type(&p->w, thread, process, "Thread");
    pajewrite_define_state_type(&p->w, PAJEWRITE_TYPE(PAJEWRITE__ZONE_TYPE), thread, "Zone");
    pajewrite_define_event_type(&p->w, PAJEWRITE_TYPE(PAJEWRITE__MARK_TYPE), thread, "Mark");
    pajewrite_define_link_type(&p->w, PAJEWRITE_TYPE(PAJEWRITE__MESSAGE_TYPE), thread, thread, thread, "Message");
    pajewrite__expand(name, sizeof name, rank ? "rank %r" : "process %p");
    pajewrite_create_container(&p->w, PAJEWRITE_CONTAINER(PAJEWRITE__PROCESS_CONTAINER), process, PAJEWRITE_ROOT, name);
    p->last_alias += p->last_alias ? 0 : PAJEWRITE__FIRST_FREE_ALIAS - 1;
    p->open_trace = ++p->traces;
    __atomic_store_n(&p->first_alias, p->last_alias + 1, __ATOMIC_RELAXED);
    __atomic_store_n(&p->trace, p->open_trace, __ATOMIC_RELEASE);
    return PAJEWRITE_OK;
}
#endif
