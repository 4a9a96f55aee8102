/* The socket of a program: found, opened, written to and read. */
#include "mirctl.h"
#include "live/clock.h"

#include <ctype.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

void fail(const char *what, const char *why)
{
    fprintf(stderr, "mirctl: %s: %s\n", what, why);
    exit(3);
}

/* Finds a variable in the environment of a process.  Returns 0 if it has none. */
static int read_environment(const char *pid, const char *name, char *value, size_t size)
{
    char path[64];
    static char bytes[1 << 17];
    FILE *file;
    size_t length;
    snprintf(path, sizeof path, "/proc/%.20s/environ", pid);
    file = fopen(path, "r");
    if (!file)
        fail(path, strerror(errno));
    length = fread(bytes, 1, sizeof bytes - 1, file);
    fclose(file);
    for (char *p = bytes; p < bytes + length; p += strlen(p) + 1)
        if (strncmp(p, name, strlen(name)) == 0 && p[strlen(name)] == '=') {
            snprintf(value, size, "%s", p + strlen(name) + 1);
            return 1;
        }
    return 0;
}

/* The path of a process's socket, by its PAJE_LIVE. */
static void find_socket(const char *pid, char *path, size_t size)
{
    char where[512], folder[256], started[300];
    if (!read_environment(pid, "PAJE_LIVE", where, sizeof where))
        fail(pid, "the process was not started with PAJE_LIVE (PAJE_LIVE=@ PROGRAM)");
    if (strncmp(where, "unix:", 5) == 0) {
        snprintf(path, size, "%s", where + 5);
        if (path[0] != '/') {
            snprintf(started, sizeof started, "/proc/%.20s/cwd/%.200s", pid, where + 5);
            snprintf(path, size, "%s", started);
        }
    } else if (where[0] == '@' && where[1]) {
        snprintf(path, size, "%.200s/%s", where + 1, pid);
    } else if (where[0] == '@' && read_environment(pid, "XDG_RUNTIME_DIR", folder, sizeof folder) && *folder) {
        snprintf(path, size, "%s/paje-live/%s", folder, pid);
    } else if (where[0] == '@') {
        snprintf(path, size, "/tmp/paje-live-%lu/%s", (unsigned long)geteuid(), pid);
    } else {
        fail(where, "the program has a socket that was inherited: nobody else can connect to it");
    }
}

int connect_to(const char *target)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    char path[600];
    struct ucred peer;
    socklen_t size = sizeof peer;
    const int file = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (strspn(target, "0123456789") == strlen(target))
        find_socket(target, path, sizeof path);
    else
        snprintf(path, sizeof path, "%s", strncmp(target, "unix:", 5) == 0 ? target + 5 : target);
    if (strlen(path) >= sizeof address.sun_path)
        fail(path, "the path is too long for a socket");
    memcpy(address.sun_path, path, strlen(path) + 1);
    if (file < 0 || connect(file, (struct sockaddr *)&address, sizeof address) != 0)
        fail(path, strerror(errno));
    if (getsockopt(file, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 || (peer.uid != geteuid() && geteuid() != 0))
        fail(path, "the program at this socket is another user's");
    return file;
}

void send_text(int file, const char *text)
{
    for (size_t size = strlen(text); size;) {
        const ssize_t sent = send(file, text, size, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0)
            fail("send", errno == EPIPE ? "the program has gone" : strerror(errno));
        text += sent;
        size -= (size_t)sent;
    }
}

int receive(int file, document *it, int milliseconds)
{
    char bytes[4096];
    const int64_t end = clock_local() + (int64_t)milliseconds * 1000000;
    document_begin(it);
    (void)document_feed(it, "", 0);
    while (it->status == DOCUMENT_MORE) {
        struct pollfd waited = {file, POLLIN, 0};
        const int64_t left = (end - clock_local()) / 1000000;
        const int ready = poll(&waited, 1, milliseconds < 0 ? -1 : left > 0 ? (int)left : 0);
        ssize_t size;
        if (ready < 0 && errno == EINTR)
            continue;
        if (ready <= 0)
            return 0;
        size = recv(file, bytes, sizeof bytes, 0);
        if (size < 0 && errno == EINTR)
            continue;
        if (size <= 0)
            return 0;
        (void)document_feed(it, bytes, (size_t)size);
    }
    if (it->status == DOCUMENT_BAD)
        fail("reply", it->problem);
    return 1;
}
