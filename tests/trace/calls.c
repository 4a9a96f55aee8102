/* A program that makes each call of the layers of threads, locks, files and sockets that may wait, a known number of
 * times.  It prints the same with and without a tracer.
 * usage: calls FILE */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

static void need(int right, const char *what)
{
    if (right)
        return;
    perror(what);
    exit(9);
}

static struct timespec soon(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    time.tv_nsec += 1000000;
    time.tv_sec += time.tv_nsec / 1000000000;
    time.tv_nsec %= 1000000000;
    return time;
}

/* ---- locks, which another thread has: 8 states lock */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static mtx_t c11_mutex;
static sem_t taken;

static void *wait_for_locks(void *data)
{
    struct timespec until = soon(CLOCK_REALTIME), by_clock = soon(CLOCK_MONOTONIC);
    need(pthread_mutex_timedlock(&mutex, &until) == ETIMEDOUT, "pthread_mutex_timedlock");
    need(pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &by_clock) == ETIMEDOUT, "pthread_mutex_clocklock");
    need(pthread_rwlock_timedrdlock(&rwlock, &until) == ETIMEDOUT, "pthread_rwlock_timedrdlock");
    need(pthread_rwlock_timedwrlock(&rwlock, &until) == ETIMEDOUT, "pthread_rwlock_timedwrlock");
    need(mtx_timedlock(&c11_mutex, &until) == thrd_timedout, "mtx_timedlock");
    sem_post(&taken);
    need(pthread_mutex_lock(&mutex) == 0 && pthread_mutex_unlock(&mutex) == 0, "pthread_mutex_lock");
    need(pthread_rwlock_rdlock(&rwlock) == 0 && pthread_rwlock_unlock(&rwlock) == 0, "pthread_rwlock_rdlock");
    need(mtx_lock(&c11_mutex) == thrd_success && mtx_unlock(&c11_mutex) == thrd_success, "mtx_lock");
    return data;
}

static void locks(void)
{
    const struct timespec some = {0, 100000000}, none = {0, 0}; /* long enough on a machine that others use */
    pthread_t thread;
    mtx_init(&c11_mutex, mtx_timed);
    sem_init(&taken, 0, 0);
    pthread_mutex_lock(&mutex);
    pthread_rwlock_wrlock(&rwlock);
    mtx_lock(&c11_mutex);
    need(pthread_create(&thread, NULL, wait_for_locks, NULL) == 0, "pthread_create");
    errno = 0;
    sem_wait(&taken);
    need(errno == 0, "errno of sem_wait");
    thrd_sleep(&some, NULL);
    pthread_mutex_unlock(&mutex);
    thrd_sleep(&some, NULL);
    pthread_rwlock_unlock(&rwlock);
    need(pthread_timedjoin_np(thread, NULL, &none) == ETIMEDOUT, "pthread_timedjoin_np");
    thrd_sleep(&some, NULL);
    mtx_unlock(&c11_mutex);
    pthread_join(thread, NULL);
}

/* ---- conditions, one of C11: 3; semaphores: 1, and that of the locks */

static int turn_on(void *data)
{
    mtx_lock(&c11_mutex);
    cnd_signal(data);
    return mtx_unlock(&c11_mutex);
}

static void conditions(void)
{
    struct timespec until = soon(CLOCK_REALTIME), by_clock = soon(CLOCK_MONOTONIC);
    pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
    cnd_t other;
    thrd_t thread;
    cnd_init(&other);
    pthread_mutex_lock(&mutex);
    need(pthread_cond_clockwait(&condition, &mutex, CLOCK_MONOTONIC, &by_clock) == ETIMEDOUT, "clockwait");
    pthread_mutex_unlock(&mutex);
    mtx_lock(&c11_mutex);
    need(cnd_timedwait(&other, &c11_mutex, &until) == thrd_timedout, "cnd_timedwait");
    thrd_create(&thread, turn_on, &other);
    need(cnd_wait(&other, &c11_mutex) == thrd_success, "cnd_wait");
    mtx_unlock(&c11_mutex);
    thrd_join(thread, NULL);
    need(sem_clockwait(&taken, CLOCK_MONOTONIC, &by_clock) < 0 && errno == ETIMEDOUT, "sem_clockwait");
}

/* ---- files: 4 reads, 5 writes, 3 syncs */

static void files(const char *name)
{
    char bytes[64] = "some bytes";
    struct iovec pieces[2] = {{bytes, 4}, {bytes + 4, 6}};
    int file = open(name, O_RDWR | O_CREAT | O_TRUNC, 0666), copy = creat(name, 0666);
    void *mapped;
    need(file >= 0 && copy >= 0, "open");
    need(write(file, bytes, 10) == 10 && writev(file, pieces, 2) == 10, "write");
    need(pwrite(file, bytes, 10, 20) == 10 && pwritev(file, pieces, 2, 30) == 10, "pwrite");
    lseek(file, 0, SEEK_SET);
    need(read(file, bytes, 10) == 10 && readv(file, pieces, 2) == 10, "read");
    need(pread(file, bytes, 10, 20) == 10 && preadv(file, pieces, 2, 30) == 10, "pread");
    lseek(copy, 40, SEEK_SET);
    need(sendfile(copy, file, NULL, 10) == 10, "sendfile");
    mapped = mmap(NULL, 50, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    need(fsync(file) == 0 && fdatasync(file) == 0 && msync(mapped, 50, MS_SYNC) == 0, "fsync");
    munmap(mapped, 50);
    close(copy);
    close(file);
    unlink(name);
}

/* ---- sockets: 3 sends, 3 receives, one connect, one accept; polls: 6 */

static struct sockaddr_un address = {AF_UNIX, ""};

static void *answer(void *data)
{
    const int socket = *(int *)data, one = accept(socket, NULL, NULL);
    struct msghdr message = {0};
    struct iovec piece;
    char bytes[8];
    piece.iov_base = bytes;
    piece.iov_len = 4;
    message.msg_iov = &piece;
    message.msg_iovlen = 1;
    need(one >= 0 && recv(one, bytes, 4, MSG_WAITALL) == 4 && recvfrom(one, bytes, 4, MSG_WAITALL, NULL, NULL) == 4 &&
         recvmsg(one, &message, MSG_WAITALL) == 4, "recv");
    close(one);
    return NULL;
}

static void sockets(void)
{
    const int server = socket(AF_UNIX, SOCK_STREAM, 0), client = socket(AF_UNIX, SOCK_STREAM, 0);
    socklen_t size = sizeof(sa_family_t);
    struct iovec piece = {(char[]){"abcd"}, 4};
    struct msghdr message = {0};
    pthread_t thread;
    message.msg_iov = &piece;
    message.msg_iovlen = 1;
    need(bind(server, (struct sockaddr *)&address, size) == 0 && listen(server, 1) == 0, "bind"); /* to a free name */
    size = sizeof address;
    getsockname(server, (struct sockaddr *)&address, &size);
    pthread_create(&thread, NULL, answer, &(int){server});
    need(connect(client, (struct sockaddr *)&address, size) == 0, "connect");
    need(send(client, "abcd", 4, 0) == 4 && sendto(client, "abcd", 4, 0, NULL, 0) == 4 &&
         sendmsg(client, &message, 0) == 4, "send");
    pthread_join(thread, NULL);
    close(client);
    close(server);
}

static void polls(void)
{
    const struct timespec some = {0, 1000000};
    struct timeval same = {0, 1000};
    struct epoll_event event;
    int ends[2], group = epoll_create1(0);
    struct pollfd of = {0, POLLIN, 0};
    fd_set set;
    need(pipe(ends) == 0, "pipe");
    of.fd = ends[0];
    FD_ZERO(&set);
    need(poll(&of, 1, 1) == 0 && ppoll(&of, 1, &some, NULL) == 0, "poll");
    need(select(0, &set, NULL, NULL, &same) == 0 && pselect(0, &set, NULL, NULL, &some, NULL) == 0, "select");
    need(epoll_wait(group, &event, 1, 1) == 0 && epoll_pwait(group, &event, 1, 1, NULL) == 0, "epoll_wait");
}

/* ---- sleeping: 4, and 3 between the locks */

static void sleeps(void)
{
    const struct timespec some = {0, 1000};
    nanosleep(&some, NULL);
    clock_nanosleep(CLOCK_MONOTONIC, 0, &some, NULL);
    usleep(1);
    sleep(0);
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    locks();
    conditions();
    files(argv[1]);
    sockets();
    polls();
    sleeps();
    puts("called");
    return 0;
}
