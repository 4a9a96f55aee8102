/* The channel: unix sockets, or one that was inherited.  Nothing here waits but poll(); every queue has a limit. */
#include "agent.h"

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

/* ---- descriptors ---- */

agent_file channel_file(int file)
{
    struct stat about;
    if (file < 0 || fstat(file, &about) != 0)
        return (agent_file){-1, 0, 0};
    return (agent_file){file, about.st_dev, about.st_ino};
}

int channel_is_ours(const agent_file *it)
{
    const agent_file now = channel_file(it->file);
    return now.file >= 0 && now.device == it->device && now.inode == it->inode;
}

void channel_close_file(agent_file *it)
{
    if (channel_is_ours(it))
        close(it->file);
    it->file = -1;
}

void channel_end_peer(pajewrite_peer *peer)
{
    agent_file it = {peer ? peer->descriptor : -1, peer ? peer->device : 0, peer ? peer->inode : 0};
    channel_close_file(&it);
}

/* ---- opening ---- */

/* Makes a folder, or takes one that is there if it is ours, and closed to others. */
static int make_folder(const char *name, char *problem, size_t size)
{
    struct stat about;
    if (mkdir(name, 0700) != 0 && errno != EEXIST) {
        snprintf(problem, size, "%s: %s", name, strerror(errno));
        return 0;
    }
    if (lstat(name, &about) != 0 || !S_ISDIR(about.st_mode) || about.st_uid != geteuid() || (about.st_mode & 077)) {
        snprintf(problem, size, "%s: this is not a folder of this user alone (mode 0700)", name);
        return 0;
    }
    return 1;
}

/* Whether a path is a socket of ours without a listener. */
static int is_left_over(const struct sockaddr_un *address)
{
    struct stat about;
    int file, is_refused;
    if (lstat(address->sun_path, &about) != 0 || !S_ISSOCK(about.st_mode) || about.st_uid != geteuid())
        return 0;
    file = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    is_refused =
        file >= 0 && connect(file, (const struct sockaddr *)address, sizeof *address) != 0 && errno == ECONNREFUSED;
    if (file >= 0)
        close(file);
    return is_refused;
}

/* Remembers which file the socket is: the program may go to another folder. */
static void remember(live_agent *agent, const char *path)
{
    struct stat about;
    char folder[sizeof agent->path - 110] = "";
    if (lstat(path, &about) != 0 || (*path != '/' && !getcwd(folder, sizeof folder)))
        return; /* it is left behind, and replaced by the next program */
    agent->device = about.st_dev;
    agent->inode = about.st_ino;
    snprintf(agent->path, sizeof agent->path, "%s%s%s", folder, *path == '/' ? "" : "/", path);
}

static void remove_socket(const live_agent *agent)
{
    struct stat about;
    if (agent->path[0] && lstat(agent->path, &about) == 0 && S_ISSOCK(about.st_mode) &&
        about.st_dev == agent->device && about.st_ino == agent->inode)
        unlink(agent->path);
}

static int listen_at(live_agent *agent, const char *path, char *problem, size_t size)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int file, is_bound;
    if (strlen(path) >= sizeof address.sun_path) {
        snprintf(problem, size, "%.60s...: the path of a socket has at most %zu bytes", path,
                 sizeof address.sun_path - 1);
        return 0;
    }
    memcpy(address.sun_path, path, strlen(path) + 1);
    file = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    is_bound = file >= 0 && bind(file, (const struct sockaddr *)&address, sizeof address) == 0;
    if (!is_bound && errno == EADDRINUSE && is_left_over(&address)) {
        unlink(path);
        is_bound = bind(file, (const struct sockaddr *)&address, sizeof address) == 0;
    }
    if (!is_bound || chmod(path, 0600) != 0 || listen(file, AGENT_CLIENTS) != 0) {
        snprintf(problem, size, "%s: %s", path, strerror(errno));
        if (file >= 0)
            close(file);
        return 0;
    }
    agent->listener = channel_file(file);
    remember(agent, path);
    return 1;
}

/* Adds a client.  Returns 0 if there are too many. */
static int add_client(live_agent *agent, int file)
{
    static const char full[] = "<errors><error>there are as many clients as there may be</error></errors>\n";
    agent_client *it;
    uint32_t i = 0;
    while (i < AGENT_CLIENTS && agent->client[i])
        i++;
    it = i < AGENT_CLIENTS ? calloc(1, sizeof *it) : NULL;
    if (it)
        it->document = calloc(1, sizeof *it->document);
    if (!it || !it->document) {
        (void)send(file, full, sizeof full - 1, MSG_DONTWAIT | MSG_NOSIGNAL);
        free(it);
        close(file);
        return 0;
    }
    it->at = channel_file(file);
    it->number = ++agent->clients_so_far;
    it->document->status = DOCUMENT_BAD; /* nothing is kept of it */
    document_begin(it->document);
    agent->client[i] = it;
    return 1;
}

static int inherit(live_agent *agent, const char *number, char *problem, size_t size)
{
    char *end;
    const long file = strtol(number, &end, 10);
    int type = 0;
    socklen_t length = sizeof type;
    if (!*number || *end || file < 0 || file > 1 << 20 ||
        getsockopt((int)file, SOL_SOCKET, SO_TYPE, &type, &length) != 0 || type != SOCK_STREAM) {
        snprintf(problem, size, "fd:%s: this is not a stream socket that was inherited", number);
        return 0;
    }
    fcntl((int)file, F_SETFD, FD_CLOEXEC);
    return add_client(agent, (int)file);
}

int channel_open(live_agent *agent, const char *where, char *problem, size_t size)
{
    const char *const runtime = getenv("XDG_RUNTIME_DIR");
    char folder[sizeof((struct sockaddr_un *)NULL)->sun_path - 12], path[sizeof folder + 24];
    int length;
    if (strncmp(where, "fd:", 3) == 0)
        return inherit(agent, where + 3, problem, size);
    if (strncmp(where, "unix:", 5) == 0)
        return listen_at(agent, where + 5, problem, size);
    if (*where != '@') {
        snprintf(problem, size, "%s: neither unix:PATH, fd:NUMBER nor @FOLDER", where);
        return 0;
    }
    if (where[1])
        length = snprintf(folder, sizeof folder, "%s", where + 1);
    else if (runtime && *runtime)
        length = snprintf(folder, sizeof folder, "%s/paje-live", runtime);
    else
        length = snprintf(folder, sizeof folder, "/tmp/paje-live-%lu", (unsigned long)geteuid());
    if (length >= (int)sizeof folder) {
        snprintf(problem, size, "%.60s...: the path of the folder is too long for sockets", folder);
        return 0;
    }
    snprintf(path, sizeof path, "%s/%ld", folder, (long)getpid());
    return make_folder(folder, problem, size) && listen_at(agent, path, problem, size);
}

static void drop_client(live_agent *agent, uint32_t i)
{
    agent_client *it = agent->client[i];
    agent->client[i] = NULL;
    channel_close_file(&it->at);
    if (agent->process == getpid()) {
        reply_forget(agent->feed, it->number);
        tune_forget(agent, it->number);
    }
    free(it->document);
    free(it);
}

void channel_close(live_agent *agent)
{
    for (uint32_t i = 0; i < AGENT_CLIENTS; i++)
        if (agent->client[i]) {
            if (agent->process != getpid()) { /* a child: the memory is not worth the risk of a lock that was held */
                channel_close_file(&agent->client[i]->at);
                agent->client[i] = NULL;
            } else {
                drop_client(agent, i);
            }
        }
    channel_close_file(&agent->listener);
    channel_close_file(&agent->wake[0]);
    remove_socket(agent);
}

/* ---- serving ---- */

static agent_client *find_client(const live_agent *agent, uint32_t number)
{
    for (uint32_t i = 0; i < AGENT_CLIENTS; i++)
        if (agent->client[i] && agent->client[i]->number == number)
            return agent->client[i];
    return NULL;
}

int channel_has_clients(const live_agent *agent)
{
    for (uint32_t i = 0; i < AGENT_CLIENTS; i++)
        if (agent->client[i])
            return 1;
    return 0;
}

static int add_to_queue(agent_client *it, const char *bytes, size_t size)
{
    if (size > AGENT_QUEUE - it->queued)
        return 0;
    memcpy(it->queue + it->queued, bytes, size);
    it->queued += size;
    return 1;
}

/* Sends what the other side takes now.  Returns 0 if it is gone. */
static int flush(agent_client *it)
{
    ssize_t sent;
    if (!it->queued)
        return 1;
    sent = send(it->at.file, it->queue, it->queued, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent < 0)
        return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
    it->queued -= (size_t)sent;
    memmove(it->queue, it->queue + sent, it->queued);
    return 1;
}

void channel_flush(live_agent *agent)
{
    for (uint32_t i = 0; i < AGENT_CLIENTS; i++)
        if (agent->client[i] && channel_is_ours(&agent->client[i]->at))
            (void)flush(agent->client[i]);
}

int channel_send(live_agent *agent, uint32_t client, const char *bytes, size_t size)
{
    agent_client *it = find_client(agent, client);
    char note[80];
    if (!it)
        return 0;
    if (it->dropped > it->told && it->queued < AGENT_QUEUE / 2) {
        const int length = snprintf(note, sizeof note, "<!-- dropped %llu documents -->\n",
                                    (unsigned long long)(it->dropped - it->told));
        if (add_to_queue(it, note, (size_t)length))
            it->told = it->dropped;
    }
    if (it->dropped > it->told || !add_to_queue(it, bytes, size)) {
        it->dropped++;
        return 0;
    }
    return 1;
}

int channel_take(live_agent *agent, uint32_t client)
{
    agent_client *it = find_client(agent, client);
    int file;
    if (!it)
        return -1;
    file = channel_is_ours(&it->at) ? it->at.file : -1;
    it->at.file = -1;
    return file;
}

/* Whether it is read from: not while its replies wait, so that requests cannot pile up. */
static int is_listened_to(const agent_client *it)
{
    return !it->is_ending && it->queued < AGENT_QUEUE / 4;
}

/* Replies to the document that is whole or bad, and goes on to the next one. */
static void reply_client(live_agent *agent, agent_client *it)
{
    static char bytes[DOCUMENT_SIZE / 2];
    markup text = {bytes, 0, sizeof bytes, 0};
    const int is_bad = it->document->status == DOCUMENT_BAD;
    reply_document(agent->feed, it->document, it->number, &text);
    if (text.is_cut) {
        text = (markup){bytes, 0, sizeof bytes, 0};
        markup_error(&text, "the reply is longer than documents may be: ask for less");
    }
    if (it->at.file < 0)
        return; /* the trace has it */
    (void)add_to_queue(it, text.bytes, text.size);
    if (is_bad)
        it->is_ending = 1; /* what follows cannot be understood */
    else
        document_begin(it->document);
}

/* Reads what a client sends.  Returns 0 if it is gone. */
static int serve_client(live_agent *agent, agent_client *it)
{
    char bytes[4096];
    const ssize_t size = recv(it->at.file, bytes, sizeof bytes, MSG_DONTWAIT);
    size_t taken = 0;
    document_text name;
    if (size < 0)
        return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
    if (size == 0)
        return 0;
    while (it->at.file >= 0 && !it->is_ending) {
        taken += document_feed(it->document, bytes + taken, (size_t)size - taken);
        if (it->document->status == DOCUMENT_MORE && it->document->elements &&
            !request_is_known(name = it->document->element[1].name))
            document_refuse(it->document, it->document->element[1].line, it->document->element[1].column,
                            "<%.*s> is no request", name.size < 40 ? (int)name.size : 40, name.bytes);
        if (it->document->status == DOCUMENT_MORE)
            break;
        if (AGENT_QUEUE - it->queued < DOCUMENT_SIZE / 2) { /* its replies have not been taken */
            if (!flush(it))
                return 0;
            if (AGENT_QUEUE - it->queued < DOCUMENT_SIZE / 2) {
                it->is_ending = 1;
                break;
            }
        }
        reply_client(agent, it);
    }
    return it->at.file >= 0;
}

static void accept_client(live_agent *agent)
{
    const int file = accept4(agent->listener.file, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    struct ucred peer;
    socklen_t size = sizeof peer;
    if (file < 0) {
        agent->is_resting = errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM;
        return;
    }
    if (getsockopt(file, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 || (peer.uid != geteuid() && peer.uid != 0)) {
        close(file);
        return;
    }
    add_client(agent, file);
}

void channel_serve(live_agent *agent, int milliseconds)
{
    struct pollfd files[AGENT_CLIENTS + 2];
    uint32_t which[AGENT_CLIENTS + 2];
    nfds_t count = 0;
    if (agent->wake[0].file >= 0)
        files[count++] = (struct pollfd){agent->wake[0].file, POLLIN, 0};
    if (agent->listener.file >= 0 && !agent->is_resting)
        files[count++] = (struct pollfd){agent->listener.file, POLLIN, 0};
    if (agent->is_resting && milliseconds > 100)
        milliseconds = 100;
    agent->is_resting = 0;
    for (uint32_t i = 0; i < AGENT_CLIENTS; i++)
        if (agent->client[i]) {
            which[count] = i;
            files[count++] = (struct pollfd){agent->client[i]->at.file,
                                             (short)((is_listened_to(agent->client[i]) ? POLLIN : 0) |
                                                     (agent->client[i]->queued ? POLLOUT : 0)), 0};
        }
    if (poll(files, count, milliseconds) < 0)
        return;
    for (nfds_t k = 0; k < count; k++) {
        agent_client *it;
        int is_there;
        if (!files[k].revents)
            continue;
        if (files[k].fd == agent->wake[0].file) {
            channel_close_file(&agent->wake[0]);
            return;
        }
        if (files[k].fd == agent->listener.file) {
            if (channel_is_ours(&agent->listener))
                accept_client(agent);
            else
                agent->listener.file = -1;
            continue;
        }
        it = agent->client[which[k]];
        is_there = channel_is_ours(&it->at);
        if (is_there && (files[k].revents & POLLOUT))
            is_there = flush(it);
        if (is_there && (files[k].revents & POLLIN))
            is_there = serve_client(agent, it);
        else if (files[k].revents & (POLLHUP | POLLERR | POLLNVAL))
            is_there = 0;
        if (is_there && it->queued)
            is_there = flush(it);
        if (!is_there || (it->is_ending && !it->queued))
            drop_client(agent, which[k]);
    }
}
