#define _GNU_SOURCE
#include "clients.h"

#include "live/markup.h"
#include "live/request.h"
#include "streams.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

int clients_begin(clients *it, const char *folder, void (*found)(void *data, const client *it), void *data)
{
    memset(it, 0, sizeof *it);
    it->folder = folder;
    it->found = found;
    it->data = data;
    it->watch = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    return it->watch >= 0 && inotify_add_watch(it->watch, folder, IN_CREATE) >= 0;
}

static int is_there(const clients *it, const char *path)
{
    size_t i;
    for (i = 0; i < it->all.count; i++)
        if (it->all.items[i]->file >= 0 && strcmp(it->all.items[i]->path, path) == 0)
            return 1;
    return 0;
}

static int ask(int file, const char *text)
{
    return send(file, text, strlen(text), MSG_DONTWAIT | MSG_NOSIGNAL) == (ssize_t)strlen(text);
}

/* Connects to the program at a socket and asks whether its first thread has begun. */
static void connect_to(clients *it, const char *path)
{
    const int file = streams_connect(path);
    client *added;
    if (file < 0 || !ask(file, "<snapshotreq/>")) {
        it->waits = 1;
        if (file >= 0)
            close(file);
        return;
    }
    added = (client *)memory_alloc_zero(1, sizeof *added);
    added->file = file;
    added->received = (document *)memory_alloc_zero(1, sizeof *added->received);
    document_begin(added->received);
    snprintf(added->path, sizeof added->path, "%s", path);
    *array_push(&it->all) = added;
}

void clients_look(clients *it)
{
    DIR *folder = opendir(it->folder);
    const struct dirent *entry;
    char path[108];
    struct stat about;
    size_t i;
    it->waits = 0;
    for (i = 0; i < it->all.count; i++)
        if (it->all.items[i]->file >= 0 && it->all.items[i]->is_early) {
            it->all.items[i]->is_early = 0;
            (void)ask(it->all.items[i]->file, "<snapshotreq/>");
        }
    while (folder && (entry = readdir(folder)))
        if (snprintf(path, sizeof path, "%s/%s", it->folder, entry->d_name) < (int)sizeof path &&
            lstat(path, &about) == 0 && S_ISSOCK(about.st_mode) && !is_there(it, path))
            connect_to(it, path);
    if (folder)
        closedir(folder);
}

nfds_t clients_wait(const clients *it, struct pollfd *files, nfds_t capacity)
{
    nfds_t count = 1;
    size_t i;
    files[0] = (struct pollfd){it->watch, POLLIN, 0};
    for (i = 0; i < it->all.count; i++)
        if (it->all.items[i]->file >= 0 && count < capacity)
            files[count++] = (struct pollfd){it->all.items[i]->file, POLLIN, 0};
    return count;
}

static void has_gone(client *at)
{
    close(at->file);
    at->file = -1;
    free(at->received);
    at->received = NULL;
}

static void take_knob(client *from, uint32_t element)
{
    const document_text name = document_value(from->received, element, "name");
    uint32_t i;
    if (document_is(from->received->element[element].name, "slot")) {
        from->knob[from->knobs].high = -1;
        for (i = from->received->element[element].first; i; i = from->received->element[i].next)
            if (from->knob[from->knobs].high + 1 < CLIENT_CHOICES) {
                const document_text choice = document_value(from->received, i, "name");
                snprintf(from->knob[from->knobs].choices[++from->knob[from->knobs].high], sizeof *from->knob->choices,
                         "%.*s", (int)choice.size, choice.bytes);
            }
    } else if (document_is(from->received->element[element].name, "call")) {
        from->knob[from->knobs].is_call = 1;
        from->knob[from->knobs].high = INT64_MAX;
    } else {
        from->knob[from->knobs].low = request_integer(document_value(from->received, element, "low"));
        from->knob[from->knobs].high = request_integer(document_value(from->received, element, "high"));
    }
    snprintf(from->knob[from->knobs++].name, sizeof from->knob->name, "%.*s", (int)name.size, name.bytes);
}

/* Takes a document that is whole. */
static void take(clients *it, client *from)
{
    const document *received = from->received;
    uint32_t i;
    if (document_is(received->element[1].name, "snapshot")) {
        from->is_early = received->element[1].first == 0;
        it->waits |= from->is_early;
        if (!from->is_early)
            (void)ask(from->file, "<catalogreq/>");
    } else if (document_is(received->element[1].name, "catalog") && !from->is_known) {
        for (i = received->element[1].first; i; i = received->element[i].next)
            if (from->knobs < CLIENT_KNOBS && (document_is(received->element[i].name, "knob") ||
                                               document_is(received->element[i].name, "slot") ||
                                               document_is(received->element[i].name, "call")))
                take_knob(from, i);
        from->is_known = 1;
        it->found(it->data, from);
    } else if (document_is(received->element[1].name, "tuned")) {
        const document_text status = document_value(received, 1, "status");
        if (document_is(status, "applied") || document_is(status, "clamped")) {
            it->applied++;
        } else if (!document_is(status, "superseded")) { /* by a later one */
            const document_text name = document_value(received, 1, "name"), why = document_value(received, 1, "reason");
            it->refused++;
            fprintf(stderr, "mate: %.*s: %.*s%s%.*s\n", (int)name.size, name.bytes, (int)status.size, status.bytes,
                    why.bytes ? ": " : "", (int)why.size, why.bytes ? why.bytes : "");
        }
    }
}

static void read_one(clients *it, client *from)
{
    char bytes[4096];
    const ssize_t size = recv(from->file, bytes, sizeof bytes, MSG_DONTWAIT);
    size_t taken = 0;
    if (size < 0 && (errno == EINTR || errno == EAGAIN))
        return;
    if (size <= 0) {
        has_gone(from);
        return;
    }
    for (;;) {
        taken += document_feed(from->received, bytes + taken, (size_t)size - taken);
        if (from->received->status != DOCUMENT_WHOLE)
            break;
        take(it, from);
        document_begin(from->received);
    }
    if (from->received->status == DOCUMENT_BAD)
        has_gone(from);
}

void clients_read(clients *it, const struct pollfd *files, nfds_t count)
{
    const int waited = it->waits;
    char events[4096];
    nfds_t i;
    size_t k = 0;
    for (i = 1; i < count; i++) {
        while (k < it->all.count && it->all.items[k]->file != files[i].fd)
            k++;
        if (k < it->all.count && files[i].revents)
            read_one(it, it->all.items[k]);
    }
    if (files[0].revents || waited) {
        while (read(it->watch, events, sizeof events) > 0)
            ;
        clients_look(it);
    }
}

/* Finds a knob, slot or call by its name. */
static const client *find(const clients *it, const char *name, size_t *index)
{
    size_t i, k;
    for (i = 0; i < it->all.count; i++) {
        const client *at = it->all.items[i];
        for (k = 0; k < at->knobs && at->file >= 0; k++)
            if (strcmp(at->knob[k].name, name) == 0) {
                *index = k;
                return at;
            }
    }
    return NULL;
}

int clients_turn(clients *it, const tunlet_point *point, int64_t value)
{
    char bytes[1024], name[128];
    markup text = {bytes, 0, sizeof bytes, 0};
    const client *at;
    size_t index;
    snprintf(name, sizeof name, point->action == TUNLET_PARAM ? "%s:%d" : "%s", point->knob, point->index);
    at = find(it, name, &index);
    if (!at || value < at->knob[index].low || value > at->knob[index].high ||
        at->knob[index].is_call != (point->action == TUNLET_CALL || point->action == TUNLET_INSERT ||
                                    point->action == TUNLET_REMOVE))
        return 0;
    markup_print(&text, "<tunereq id=\"%llu\"", (unsigned long long)++it->asked);
    markup_attribute(&text, "at", point->action == TUNLET_INSERT || point->action == TUNLET_REMOVE ? NULL : point->at);
    markup_put(&text, ">");
    switch (point->action) {
    case TUNLET_SET:
    case TUNLET_REPLACE: /* by what the program has */
        markup_put(&text, *at->knob[index].choices[0] ? "<replace" : "<set");
        markup_attribute(&text, "name", name);
        if (*at->knob[index].choices[0])
            markup_attribute(&text, "with", at->knob[index].choices[value]);
        else
            markup_print(&text, " value=\"%lld\"", (long long)value);
        break;
    case TUNLET_PARAM:
        markup_put(&text, "<param");
        markup_attribute(&text, "name", point->knob);
        markup_print(&text, " index=\"%d\" value=\"%lld\"", point->index, (long long)value);
        break;
    case TUNLET_CALL:
        markup_put(&text, "<call");
        markup_attribute(&text, "name", name);
        break;
    case TUNLET_INSERT:
    case TUNLET_REMOVE:
        markup_put(&text, point->action == TUNLET_INSERT ? "<insert" : "<remove");
        markup_attribute(&text, "name", point->at);
        markup_attribute(&text, "call", name);
        break;
    case TUNLET_LOAD: return 0; /* programs refuse it */
    }
    markup_put(&text, "/></tunereq>");
    return !text.is_cut && send(at->file, text.bytes, text.size, MSG_DONTWAIT | MSG_NOSIGNAL) == (ssize_t)text.size;
}

size_t clients_open(const clients *it)
{
    size_t count = 0, i;
    for (i = 0; i < it->all.count; i++)
        count += it->all.items[i]->file >= 0;
    return count;
}

void clients_end(clients *it)
{
    size_t i;
    for (i = 0; i < it->all.count; i++) {
        if (it->all.items[i]->file >= 0)
            has_gone(it->all.items[i]);
        free(it->all.items[i]);
    }
    array_free(&it->all);
    if (it->watch >= 0)
        close(it->watch);
}
