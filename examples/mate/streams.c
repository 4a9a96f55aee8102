#define _GNU_SOURCE
#include "streams.h"

#include "live/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

void streams_begin(streams *it, gathering *const *to, size_t count, const char *folder)
{
    memset(it, 0, sizeof *it);
    it->to = to;
    it->count = count;
    it->folder = folder;
}

/* Reports once that streams cannot be kept. */
static void failed(streams *it, const char *what)
{
    if (!it->has_failed)
        fprintf(stderr, "mate: %s: %s; the streams are not kept, tuning goes on\n", what, strerror(errno));
    it->has_failed = 1;
}

void streams_add(streams *it, int file, const char *name)
{
    stream *added = (stream *)memory_alloc_zero(1, sizeof *added);
    char path[4096];
    added->file = file;
    added->record = -1;
    if (it->folder && name && !it->has_failed) {
        int number = 1;
        do /* a process may be attached to again */
            snprintf(path, sizeof path, number > 1 ? "%s/%s-%d.trace" : "%s/%s.trace", it->folder, name, number);
        while ((added->record = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666)) < 0 && errno == EEXIST &&
               ++number < 10000);
        if (added->record < 0)
            failed(it, path);
    }
    *array_push(&it->all) = added;
}

int streams_connect(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const int file = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    static int is_told;
    if (file < 0 && !is_told) {
        fprintf(stderr, "mate: %s: %s; what this process has to say is not seen\n", path, strerror(errno));
        is_told = 1;
    }
    if (strlen(path) >= sizeof address.sun_path) {
        errno = ENAMETOOLONG;
    } else {
        strcpy(address.sun_path, path);
        if (file >= 0 && connect(file, (struct sockaddr *)&address, sizeof address) == 0)
            return file;
    }
    if (file >= 0)
        close(file);
    return -1;
}

int streams_attach(streams *it, const char *path)
{
    static const char request[] = "<tracereq/>";
    const char *name = strrchr(path, '/');
    const int file = streams_connect(path);
    if (file < 0)
        return 0;
    if (send(file, request, sizeof request - 1, MSG_NOSIGNAL) < 0) {
        close(file);
        return 0;
    }
    streams_add(it, file, name ? name + 1 : path);
    return 1;
}

nfds_t streams_wait(const streams *it, struct pollfd *files, nfds_t capacity)
{
    nfds_t count = 0;
    size_t i;
    for (i = 0; i < it->all.count; i++)
        if (it->all.items[i]->file >= 0 && count < capacity)
            files[count++] = (struct pollfd){it->all.items[i]->file, POLLIN, 0};
    return count;
}

static void keep(streams *it, stream *from, const char *bytes, size_t size)
{
    while (size > 0 && from->record >= 0) {
        const ssize_t done = write(from->record, bytes, size);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0) {
            failed(it, it->folder);
            close(from->record);
            from->record = -1;
            return;
        }
        bytes += done;
        size -= (size_t)done;
    }
}

static void end(streams *it, stream *at)
{
    if (at->file < 0)
        return;
    close(at->file);
    at->file = -1;
    if (at->record >= 0 && close(at->record) != 0)
        failed(it, it->folder);
    if (!at->has_begun)
        return;
    it->events += pajesim_count(&at->feed.reader.sim)->events;
    it->refused += feed_end(&at->feed);
    it->incomplete += at->feed.incomplete;
    it->intrusion.tasks += at->feed.intrusion.tasks;
    it->intrusion.events += at->feed.intrusion.events;
    it->intrusion.setup += at->feed.intrusion.setup;
    it->intrusion.monitoring += at->feed.intrusion.monitoring;
    it->intrusion.tuning += at->feed.intrusion.tuning;
}

static void read_one(streams *it, stream *from)
{
    static char bytes[1 << 16];
    const ssize_t size = read(from->file, bytes, sizeof bytes);
    if (size < 0 && (errno == EINTR || errno == EAGAIN))
        return;
    if (size <= 0) {
        end(it, from);
        return;
    }
    it->arrived = clock_local();
    it->bytes += (uint64_t)size;
    if (!from->has_begun)
        feed_begin(&from->feed, it->to, it->count);
    from->has_begun = 1;
    keep(it, from, bytes, (size_t)size); /* first: a collector may be killed; what it passed on is kept */
    reader_bytes(&from->feed.reader, bytes, (size_t)size);
}

void streams_read(streams *it, const struct pollfd *files, nfds_t count)
{
    nfds_t i;
    size_t k = 0;
    for (i = 0; i < count; i++) {
        while (k < it->all.count && it->all.items[k]->file != files[i].fd)
            k++;
        if (k < it->all.count && files[i].revents)
            read_one(it, it->all.items[k]);
    }
}

size_t streams_open(const streams *it)
{
    size_t count = 0, i;
    for (i = 0; i < it->all.count; i++)
        count += it->all.items[i]->file >= 0;
    return count;
}

void streams_end(streams *it)
{
    size_t i;
    for (i = 0; i < it->all.count; i++) {
        end(it, it->all.items[i]);
        free(it->all.items[i]);
    }
    array_free(&it->all);
}
