/* mir_engine: replies requests about a trace: a file that is whole or grows, a pipe, or what a live program sends.
 * usage: mir_engine [-F] [-u UNIT] [-r FILE] [-e FILE] [-s SOCKET] [-c FOLDER] [TRACE]
 *   -r FILE    requests, before the trace is read; the replies, and what is delivered, go to standard output
 *   -e FILE    requests at the end of the trace
 *   -s SOCKET  serves clients (mirctl SOCKET) while the trace is read, and at its end until all have gone
 *   -c FOLDER  of a run of paje trace (--keep): clients may switch its categories
 *   -F         follows a file that grows
 *   -u UNIT    of the trace's times: s (default), ms, us or ns
 *   TRACE      a file; - or nothing: standard input; live:SOCKET: the trace of a live program */
#include "base/platform.h"
#include "control.h"
#include "feed.h"
#include "live/agent.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static live nothing; /* of a live program; the channel needs one */
static live_agent channel = {.owner = &nothing, .listener = {.file = -1},
                             .wake = {{.file = -1}, {.file = -1}}};
static int is_serving;

static int deliver(void *data, uint32_t client, const char *bytes, size_t size)
{
    (void)data;
    if (client && is_serving)
        return channel_send(&channel, client, bytes, size);
    return fwrite(bytes, 1, size, stdout) == size;
}

NO_RETURN static void fail(const char *what, const char *why)
{
    fprintf(stderr, "mir_engine: %s: %s\n", what, why);
    exit(3);
}

/* Replies to all requests of a file.  Returns 0 if one is malformed. */
static int reply_file(reply *it, const char *name)
{
    static document from;
    static char bytes[4096], text[2 * DOCUMENT_SIZE];
    FILE *file = fopen(name, "r");
    size_t size;
    if (!file)
        fail(name, strerror(errno));
    from.status = DOCUMENT_BAD;
    document_begin(&from);
    while ((size = fread(bytes, 1, sizeof bytes, file)) > 0) {
        size_t taken = 0;
        for (;;) {
            markup to = {text, 0, sizeof text, 0};
            taken += document_feed(&from, bytes + taken, size - taken);
            if (from.status == DOCUMENT_MORE)
                break;
            reply_document(it, &from, 0, &to);
            fwrite(text, 1, to.size, stdout);
            if (from.status == DOCUMENT_BAD) {
                fclose(file);
                return 0;
            }
            document_begin(&from);
        }
    }
    fclose(file);
    if (from.elements)
        fprintf(stderr, "mir_engine: %s: the last document is not whole\n", name);
    return !from.elements;
}

/* Connects to a live program, and asks for its trace. */
static int open_live(const char *path)
{
    static const char wanted[] = "<tracereq/>";
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const int file = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (strlen(path) >= sizeof address.sun_path)
        fail(path, "the path is too long for a socket");
    memcpy(address.sun_path, path, strlen(path) + 1);
    if (file < 0 || connect(file, (struct sockaddr *)&address, sizeof address) != 0 ||
        send(file, wanted, sizeof wanted - 1, MSG_NOSIGNAL) != (ssize_t)sizeof wanted - 1)
        fail(path, strerror(errno));
    return file;
}

/* Whether another file has its name by now, as that of `paje trace --live` when the program ends. */
static int is_replaced(const char *name, int file)
{
    struct stat own, named;
    return fstat(file, &own) == 0 && S_ISREG(own.st_mode) && stat(name, &named) == 0 &&
           (own.st_ino != named.st_ino || own.st_dev != named.st_dev);
}

static int usage(void)
{
    fprintf(stderr, "usage: mir_engine [-F] [-u s|ms|us|ns] [-r FILE] [-e FILE] [-s SOCKET] [-c FOLDER] [TRACE]\n");
    return 2;
}

/* Says it as soon as it is so: a trace that is followed has no end. */
static void tell_lack(const feed *it, const char *name)
{
    static int is_told;
    if (!is_told && feed_lack(it))
        fprintf(stderr, "mir_engine: %s: %s\n", name, feed_lack(it));
    is_told |= feed_lack(it) != NULL;
}

/* Reads the trace to its end; where it grows, until there is no client any more. */
static void read_trace(feed *it, int file, int is_followed, const char *name)
{
    static char bytes[65536];
    for (;;) {
        const ssize_t size = read(file, bytes, sizeof bytes);
        if (is_serving)
            channel_serve(&channel, size > 0 ? 0 : 50);
        if (size < 0 && errno != EINTR && errno != EAGAIN)
            fail(name, strerror(errno));
        if (size > 0 && !feed_read(it, bytes, (size_t)size))
            fail(name, "there is no memory for what is open in the trace");
        tell_lack(it, name);
        if (size > 0 && bytes[0] == '<' && strncmp(bytes, "<errors>", 8) == 0)
            fail(name, "the program sends no trace");
        if (size == 0 && !is_followed)
            return;
        if (size == 0 && is_replaced(name, file)) {
            fprintf(stderr, "mir_engine: %s: it was replaced while it was followed\n", name);
            return;
        }
        if (size == 0 && !is_serving)
            poll(NULL, 0, 50);
    }
}

int main(int argc, char **argv)
{
    const char *before = NULL, *after = NULL, *socket_path = NULL, *first;
    int option, is_followed = 0, file = 0, is_right = 1;
    char where[120], problem[200];
    feed *it = feed_new();
    if (!it)
        fail("begin", "there is no memory");
    while ((option = getopt(argc, argv, "Fu:r:e:s:c:")) != -1)
        switch (option) {
        case 'F':
            is_followed = 1;
            break;
        case 'u':
            if (!feed_set_unit(it, optarg))
                return usage();
            break;
        case 'r':
            before = optarg;
            break;
        case 'e':
            after = optarg;
            break;
        case 's':
            socket_path = optarg;
            break;
        case 'c':
            if (!control_open(feed_reply(it), optarg))
                fail(optarg, errno == EINVAL ? "this is not the folder of a run of paje trace" : strerror(errno));
            break;
        default:
            return usage();
        }
    if (optind < argc && strncmp(argv[optind], "live:", 5) == 0)
        file = open_live(argv[optind] + 5);
    else if (optind < argc && strcmp(argv[optind], "-") != 0)
        file = open(argv[optind], O_RDONLY | O_CLOEXEC);
    if (file < 0)
        fail(argv[optind], strerror(errno));
    feed_set_delivery(it, deliver);
    if (before)
        is_right = reply_file(feed_reply(it), before);
    if (socket_path) {
        snprintf(where, sizeof where, "unix:%s", socket_path);
        channel.process = getpid();
        channel.feed = feed_reply(it);
        if (!channel_open(&channel, where, problem, sizeof problem))
            fail(socket_path, problem);
        is_serving = 1;
    }
    read_trace(it, file, is_followed, optind < argc ? argv[optind] : "standard input");
    feed_finish(it);
    if (after)
        is_right &= reply_file(feed_reply(it), after);
    if (is_serving) {
        for (int is_served = 0; !is_served || channel_has_clients(&channel);) {
            channel_serve(&channel, 1000);
            is_served |= channel.clients_so_far > 0;
        }
        channel_close(&channel);
    }
    if (feed_errors(it, &first)) {
        fprintf(stderr, "mir_engine: lines of the trace were refused: %s\n", first);
        is_right = 0;
    }
    is_right &= !feed_lack(it);
    feed_free(it);
    return !is_right;
}
