/* The functions of the layer io: state, type, name, parameters, arguments.  BYTES: they return how many bytes were read
 * or written.  Names with 64 are those of programs with large files; names with __ are what _FORTIFY_SOURCE makes of
 * the others. */
#pragma once

typedef const struct iovec *pieces;

#define TRACE_IO_FUNCTIONS(BYTES, CALL) \
    BYTES(READ, ssize_t, read, (int fd, void *to, size_t size), (fd, to, size)) \
    BYTES(READ, ssize_t, __read_chk, (int fd, void *to, size_t size, size_t most), (fd, to, size, most)) \
    BYTES(READ, ssize_t, readv, (int fd, pieces to, int count), (fd, to, count)) \
    BYTES(READ, ssize_t, pread, (int fd, void *to, size_t size, off_t at), (fd, to, size, at)) \
    BYTES(READ, ssize_t, pread64, (int fd, void *to, size_t size, off64_t at), (fd, to, size, at)) \
    BYTES(READ, ssize_t, __pread64_chk, (int fd, void *to, size_t size, off64_t at, size_t most), \
          (fd, to, size, at, most)) \
    BYTES(READ, ssize_t, preadv, (int fd, pieces to, int count, off_t at), (fd, to, count, at)) \
    BYTES(READ, ssize_t, preadv64, (int fd, pieces to, int count, off64_t at), (fd, to, count, at)) \
    BYTES(WRITE, ssize_t, write, (int fd, const void *from, size_t size), (fd, from, size)) \
    BYTES(WRITE, ssize_t, writev, (int fd, pieces from, int count), (fd, from, count)) \
    BYTES(WRITE, ssize_t, pwrite, (int fd, const void *from, size_t size, off_t at), (fd, from, size, at)) \
    BYTES(WRITE, ssize_t, pwrite64, (int fd, const void *from, size_t size, off64_t at), (fd, from, size, at)) \
    BYTES(WRITE, ssize_t, pwritev, (int fd, pieces from, int count, off_t at), (fd, from, count, at)) \
    BYTES(WRITE, ssize_t, pwritev64, (int fd, pieces from, int count, off64_t at), (fd, from, count, at)) \
    BYTES(WRITE, ssize_t, copy_file_range, (int in, off64_t *at, int out, off64_t *to, size_t size, unsigned flags), \
          (in, at, out, to, size, flags)) \
    BYTES(WRITE, ssize_t, sendfile, (int out, int in, off_t *at, size_t size), (out, in, at, size)) \
    BYTES(WRITE, ssize_t, sendfile64, (int out, int in, off64_t *at, size_t size), (out, in, at, size)) \
    BYTES(WRITE, ssize_t, splice, (int in, off64_t *at, int out, off64_t *to, size_t size, unsigned flags), \
          (in, at, out, to, size, flags)) \
    CALL(SYNC, int, fsync, (int fd), (fd)) \
    CALL(SYNC, int, fdatasync, (int fd), (fd)) \
    CALL(SYNC, int, msync, (void *from, size_t size, int flags), (from, size, flags)) \
    CALL(OPEN, int, creat, (const char *path, mode_t mode), (path, mode)) \
    CALL(OPEN, int, __open_2, (const char *path, int flags), (path, flags)) \
    CALL(OPEN, int, __open64_2, (const char *path, int flags), (path, flags)) \
    CALL(OPEN, int, __openat_2, (int folder, const char *path, int flags), (folder, path, flags)) \
    CALL(OPEN, int, __openat64_2, (int folder, const char *path, int flags), (folder, path, flags)) \
    CALL(OPEN, FILE *, fopen, (const char *path, const char *mode), (path, mode)) \
    CALL(OPEN, FILE *, fopen64, (const char *path, const char *mode), (path, mode)) \
    CALL(CLOSE, int, close, (int fd), (fd)) \
    CALL(CLOSE, int, fclose, (FILE *file), (file)) \
    CALL(WRITE, int, fflush, (FILE *file), (file)) \
    CALL(POLL, int, poll, (struct pollfd *of, nfds_t count, int timeout), (of, count, timeout)) \
    CALL(POLL, int, __poll_chk, (struct pollfd *of, nfds_t count, int timeout, size_t most), \
         (of, count, timeout, most)) \
    CALL(POLL, int, ppoll, (struct pollfd *of, nfds_t count, const struct timespec *timeout, const sigset_t *mask), \
         (of, count, timeout, mask)) \
    CALL(POLL, int, select, (int count, fd_set *in, fd_set *out, fd_set *other, struct timeval *timeout), \
         (count, in, out, other, timeout)) \
    CALL(POLL, int, pselect, (int count, fd_set *in, fd_set *out, fd_set *other, const struct timespec *timeout, \
                              const sigset_t *mask), (count, in, out, other, timeout, mask)) \
    CALL(POLL, int, epoll_wait, (int fd, struct epoll_event *to, int most, int timeout), (fd, to, most, timeout)) \
    CALL(POLL, int, epoll_pwait, (int fd, struct epoll_event *to, int most, int timeout, const sigset_t *mask), \
         (fd, to, most, timeout, mask)) \
    CALL(CONNECT, int, connect, (int fd, __CONST_SOCKADDR_ARG to, socklen_t size), (fd, to, size)) \
    CALL(ACCEPT, int, accept, (int fd, __SOCKADDR_ARG from, socklen_t *size), (fd, from, size)) \
    CALL(ACCEPT, int, accept4, (int fd, __SOCKADDR_ARG from, socklen_t *size, int flags), (fd, from, size, flags)) \
    BYTES(SEND, ssize_t, send, (int fd, const void *from, size_t size, int flags), (fd, from, size, flags)) \
    BYTES(SEND, ssize_t, sendto, (int fd, const void *from, size_t size, int flags, __CONST_SOCKADDR_ARG to, \
                                  socklen_t length), (fd, from, size, flags, to, length)) \
    BYTES(SEND, ssize_t, sendmsg, (int fd, const struct msghdr *message, int flags), (fd, message, flags)) \
    BYTES(RECEIVE, ssize_t, recv, (int fd, void *to, size_t size, int flags), (fd, to, size, flags)) \
    BYTES(RECEIVE, ssize_t, __recv_chk, (int fd, void *to, size_t size, size_t most, int flags), \
          (fd, to, size, most, flags)) \
    BYTES(RECEIVE, ssize_t, recvfrom, (int fd, void *to, size_t size, int flags, __SOCKADDR_ARG from, \
                                       socklen_t *length), (fd, to, size, flags, from, length)) \
    BYTES(RECEIVE, ssize_t, __recvfrom_chk, (int fd, void *to, size_t size, size_t most, int flags, \
                                             __SOCKADDR_ARG from, socklen_t *length), \
          (fd, to, size, most, flags, from, length)) \
    BYTES(RECEIVE, ssize_t, recvmsg, (int fd, struct msghdr *message, int flags), (fd, message, flags)) \
    CALL(SEND, int, sendmmsg, (int fd, struct mmsghdr *messages, unsigned count, int flags), \
         (fd, messages, count, flags)) \
    CALL(RECEIVE, int, recvmmsg, (int fd, struct mmsghdr *messages, unsigned count, int flags, \
                                  struct timespec *timeout), (fd, messages, count, flags, timeout)) \
    CALL(SLEEP, int, nanosleep, (const struct timespec *time, struct timespec *left), (time, left)) \
    CALL(SLEEP, int, clock_nanosleep, (clockid_t clock, int flags, const struct timespec *time, \
                                       struct timespec *left), (clock, flags, time, left)) \
    CALL(SLEEP, int, thrd_sleep, (const struct timespec *time, struct timespec *left), (time, left)) \
    CALL(SLEEP, int, usleep, (useconds_t time), (time)) \
    CALL(SLEEP, unsigned, sleep, (unsigned time), (time)) \
    CALL(SLEEP, int, pause, (void), ())
