/* The sink for sockets and pipes, which never waits. */
#pragma once

#include "../api/host.h"
#include "file.h"

#if PAJEWRITE_POSIX
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

PAJEWRITE__API pajewrite_status pajewrite_peer_init(pajewrite_peer *peer, int descriptor)
{
    struct stat status;
    int flags;
    memset(peer, 0, sizeof *peer);
    peer->descriptor = descriptor;
    peer->process = pajewrite__owner();
    peer->failed = 1;
    if (fstat(descriptor, &status) != 0)
        return PAJEWRITE_E_SINK;
    peer->device = (uint64_t)status.st_dev;
    peer->inode = (uint64_t)status.st_ino;
    peer->is_socket = S_ISSOCK(status.st_mode);
    if (!peer->is_socket && !S_ISFIFO(status.st_mode))
        return PAJEWRITE_E_SINK;
    flags = fcntl(descriptor, F_GETFL);
    if (flags < 0 || fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) != 0)
        return PAJEWRITE_E_SINK;
    peer->failed = 0;
    return PAJEWRITE_OK;
}

/* A write to a pipe or a socket without a reader raises SIGPIPE, which would end the program: it is blocked during the
 * write, and then discarded unless it was pending before.  (send would not raise it, but <sys/socket.h> declares names
 * such as send and bind, which the program may use for something else.) */
PAJEWRITE__UNTRACED
static int pajewrite__is_sigpipe_pending(void)
{
    sigset_t pending;
    sigpending(&pending);
    return sigismember(&pending, SIGPIPE);
}

PAJEWRITE__UNTRACED
static void pajewrite__discard_sigpipe(void)
{
    sigset_t pipe;
    int raised;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    if (pajewrite__is_sigpipe_pending())
        sigwait(&pipe, &raised);
}

PAJEWRITE__UNTRACED
static ssize_t pajewrite__write_quietly(int descriptor, const char *bytes, size_t size)
{
    sigset_t pipe, before;
    ssize_t taken;
    int was_pending, error;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    was_pending = pajewrite__is_sigpipe_pending();
    pthread_sigmask(SIG_BLOCK, &pipe, &before);
    taken = write(descriptor, bytes, size);
    error = errno;
    if (taken < 0 && error == EPIPE && !was_pending)
        pajewrite__discard_sigpipe();
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = error;
    return taken;
}

/* Returns the size of the whole lines among the first bytes that a pipe takes at once or not at all. */
PAJEWRITE__UNTRACED
static size_t pajewrite__pipe_piece(const char *bytes, size_t size)
{
    size_t piece = size < PIPE_BUF ? size : PIPE_BUF;
    while (piece && bytes[piece - 1] != '\n')
        piece--;
    return piece ? piece : size < PIPE_BUF ? size : PIPE_BUF;
}

PAJEWRITE__API size_t pajewrite_to_peer(void *data, const char *bytes, size_t size)
{
    pajewrite_peer *peer = (pajewrite_peer *)data;
    const int before = errno;
    size_t done = 0;
    if (peer->failed || peer->process != pajewrite__owner() ||
        !pajewrite__is_file(peer->descriptor, peer->device, peer->inode)) {
        errno = before;
        return PAJEWRITE_OFFER_FAILED;
    }
    while (done < size) {
        size_t piece = peer->is_socket ? size - done : pajewrite__pipe_piece(bytes + done, size - done);
        ssize_t taken = pajewrite__write_quietly(peer->descriptor, bytes + done, piece);
        if (taken > 0) {
            done += (size_t)taken;
        } else if (taken < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == ENOBUFS)) {
            break;
        } else if (taken == 0 || errno != EINTR) {
            peer->failed = 1; /* told now or, if some bytes were taken, by the next call */
            break;
        }
    }
    errno = before;
    return !done && peer->failed ? PAJEWRITE_OFFER_FAILED : done;
}

#endif
