/* Workers are children of the master, which has a socket to each of them.  One that is killed is begun again. */
#define _GNU_SOURCE
#include "transport.h"

#include "base/memory.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct peer {
    int file; /* -1: it has gone */
    pid_t process;
} peer;

static peer *peers; /* of the master: workers; of a worker: the master */
static int count, itself = TRANSPORT_MASTER, turn;
static void *buffer;
static size_t capacity;

static int begin(int number)
{
    const pid_t master = getpid();
    int ends[2], i;
    pid_t process;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        fprintf(stderr, "worker %d: %s\n", number, strerror(errno));
        return TRANSPORT_FAILED;
    }
    process = fork();
    if (process < 0) {
        fprintf(stderr, "worker %d: %s\n", number, strerror(errno));
        close(ends[0]);
        close(ends[1]);
        return TRANSPORT_FAILED;
    }
    if (process > 0) {
        close(ends[1]);
        peers[number] = (peer){ends[0], process};
        return TRANSPORT_MASTER;
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* a worker is of no use without its master */
    if (getppid() != master)
        _exit(1);
    close(ends[0]);
    for (i = 0; i < count; i++)
        if (peers[i].file >= 0)
            close(peers[i].file);
    peers[0] = (peer){ends[1], 0};
    count = 1;
    itself = number;
    return number;
}

int transport_begin(int workers, int *argc, char ***argv)
{
    int i, number;
    (void)argc, (void)argv;
    signal(SIGPIPE, SIG_IGN);
    count = workers;
    peers = (peer *)memory_alloc((size_t)workers, sizeof *peers);
    for (i = 0; i < workers; i++)
        peers[i].file = -1;
    for (i = 0; i < workers; i++)
        if ((number = begin(i)) != TRANSPORT_MASTER)
            return number;
    return TRANSPORT_MASTER;
}

/* Returns 0 if the other side has gone. */
static int write_all(peer *to, const void *from, size_t size)
{
    const char *bytes = (const char *)from;
    while (size > 0 && to->file >= 0) {
        const ssize_t done = send(to->file, bytes, size, MSG_NOSIGNAL);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return 0;
        bytes += done;
        size -= (size_t)done;
    }
    return to->file >= 0;
}

static int read_all(peer *from, void *to, size_t size)
{
    char *bytes = (char *)to;
    while (size > 0) {
        const ssize_t done = recv(from->file, bytes, size, 0);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return 0;
        bytes += done;
        size -= (size_t)done;
    }
    return 1;
}

static peer *find(int number)
{
    return &peers[number == TRANSPORT_MASTER ? 0 : number];
}

int transport_send(int number, const void *head, size_t head_size, const void *bytes, size_t size)
{
    char both[TRANSPORT_HEAD + sizeof size];
    memcpy(both, &size, sizeof size);
    memcpy(both + sizeof size, head, head_size);
    return write_all(find(number), both, sizeof size + head_size) && write_all(find(number), bytes, size);
}

/* Waits for any worker; takes turns, so that none waits for ever. */
static int wait_for_any(void)
{
    struct pollfd files[1024];
    int i;
    for (i = 0; i < count && i < 1024; i++)
        files[i] = (struct pollfd){peers[i].file, POLLIN, 0};
    while (poll(files, (nfds_t)i, -1) < 0)
        if (errno != EINTR) {
            perror("poll");
            exit(3);
        }
    do
        turn = (turn + 1) % count;
    while (!files[turn].revents);
    return turn;
}

int transport_receive(int *from, void *head, size_t head_size, const void **bytes, size_t *size)
{
    peer *it;
    if (*from == TRANSPORT_ANY)
        *from = wait_for_any();
    it = find(*from);
    if (it->file < 0 || !read_all(it, size, sizeof *size) || !read_all(it, head, head_size))
        return 0;
    if (*size > capacity) {
        buffer = memory_resize(buffer, 1, *size);
        capacity = *size;
    }
    *bytes = buffer;
    return read_all(it, buffer, *size);
}

int transport_again(int worker)
{
    peer *it = find(worker);
    if (it->file >= 0)
        close(it->file);
    it->file = -1;
    kill(it->process, SIGKILL);
    while (waitpid(it->process, NULL, 0) < 0 && errno == EINTR)
        ;
    return begin(worker);
}

void transport_end(void)
{
    int i;
    for (i = 0; i < count; i++)
        if (peers[i].file >= 0)
            close(peers[i].file);
    for (i = 0; i < count && itself == TRANSPORT_MASTER; i++)
        while (waitpid(peers[i].process, NULL, 0) < 0 && errno == EINTR)
            ;
    free(peers);
    free(buffer);
}
