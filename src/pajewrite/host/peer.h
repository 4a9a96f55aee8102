/* The sink for sockets and pipes, which never waits. */
#pragma once

#include "../api/host.h"
#include "file.h"

#if PAJEWRITE_POSIX
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

/* Returns 1 if a write does not wait from now on. */
PAJEWRITE__UNTRACED
static int pajewrite__set_nonblocking(int descriptor)
{
    const int flags = fcntl(descriptor, F_GETFL);
    return flags >= 0 && (flags & O_NONBLOCK || fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) == 0);
}

PAJEWRITE__API pajewrite_status pajewrite_peer_init(pajewrite_peer *peer, int descriptor)
{
    struct stat status;
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
    peer->failed = !pajewrite__set_nonblocking(descriptor);
    return peer->failed ? PAJEWRITE_E_SINK : PAJEWRITE_OK;
}

/* Writes while signals are blocked. */
PAJEWRITE__UNTRACED
static ssize_t pajewrite__writev(int descriptor, const struct iovec *pieces, int count)
{
    const sigset_t before = pajewrite__pending();
    const ssize_t taken = writev(descriptor, pieces, count);
    const int error = errno;
    if (taken < 0)
        pajewrite__discard_raised(error, &before);
    errno = error;
    return taken;
}

/* Returns the size of the next piece, which a pipe takes at once or not at all. */
PAJEWRITE__UNTRACED
static size_t pajewrite__pipe_piece(const char *bytes, size_t size)
{
    const size_t piece = pajewrite__piece_size(bytes, size);
    return piece < PIPE_BUF ? piece : PIPE_BUF;
}

PAJEWRITE__API size_t pajewrite_to_peer(void *data, const char *bytes, size_t size)
{
    pajewrite_peer *peer = (pajewrite_peer *)data;
    const pajewrite__blocked before = pajewrite__block();
    const int has_failed = !peer || peer->failed || peer->process != pajewrite__owner() ||
                           !pajewrite__is_file(peer->descriptor, peer->device, peer->inode) ||
                           !pajewrite__set_nonblocking(peer->descriptor); /* another process may share it */
    size_t done = 0;
    while (done < size && !has_failed) {
        struct iovec piece;
        ssize_t taken;
        piece.iov_base = (char *)(uintptr_t)(bytes + done);
        piece.iov_len = peer->is_socket ? size - done : pajewrite__pipe_piece(bytes + done, size - done);
        taken = pajewrite__writev(peer->descriptor, &piece, 1);
        if (taken > 0) {
            done += (size_t)taken;
        } else if (taken < 0 && (pajewrite__is_full(errno) || errno == ENOBUFS)) {
            break;
        } else if (taken < 0 && errno == EMSGSIZE && peer->is_socket) {
            peer->is_socket = 0; /* of datagrams: in pieces of whole lines from now on, as to a pipe */
        } else if (taken == 0 || errno != EINTR) {
            peer->failed = 1; /* told now or, if some bytes were taken, by the next call */
            break;
        }
    }
    pajewrite__unblock(&before);
    return has_failed || (!done && peer->failed) ? PAJEWRITE_OFFER_FAILED : done;
}

#endif
