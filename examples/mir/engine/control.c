/* The categories of a run: the same page that `paje trace --on` and `--off` change. */
#include "control.h"

#include "trace/control.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static trace_control *page;

static void tune(void *data, document *from, uint32_t client, markup *to)
{
    (void)data;
    (void)client;
    for (uint32_t i = from->element[1].first; i; i = from->element[i].next) {
        const document_text on = document_value(from, i, "on"), off = document_value(from, i, "off");
        const int is_known = document_is(from->element[i].name, "categories");
        char id[REQUEST_NAME];
        request_copy(id, sizeof id, document_value(from, 1, "id"));
        if (is_known) {
            __atomic_or_fetch(&page->mask, on.bytes ? (uint32_t)request_integer(on) & TRACE_ALL : 0, __ATOMIC_RELAXED);
            __atomic_and_fetch(&page->mask, ~(off.bytes ? (uint32_t)request_integer(off) : 0), __ATOMIC_RELAXED);
        }
        markup_put(to, "<tuned");
        markup_attribute(to, "id", id);
        markup_attribute(to, "name", is_known ? "categories" : "");
        markup_attribute(to, "status", is_known ? "applied" : "refused");
        markup_attribute(to, "reason", is_known ? NULL : "never: a program under paje trace has no knobs");
        markup_put(to, "/>\n");
    }
}

int control_open(reply *it, const char *folder)
{
    char path[512];
    struct stat about;
    int file;
    snprintf(path, sizeof path, "%.480s/%s", folder, TRACE_CONTROL);
    file = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (file < 0)
        return 0;
    page = MAP_FAILED;
    if (fstat(file, &about) == 0 && about.st_size == (off_t)sizeof *page)
        page = mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (page == MAP_FAILED || page->magic != TRACE_MAGIC) {
        errno = EINVAL;
        return 0;
    }
    it->tune = tune;
    return 1;
}
