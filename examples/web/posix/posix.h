/* What the files of the tool use of POSIX and WASI's C library lacks: declared before each of them (-include).  What
 * needs processes or signals fails with ENOSYS; nothing of it is reached with one process and one file. */
#pragma once

#include <signal.h>
#include <stddef.h>
#include <sys/types.h>

#define RLIMIT_AS 9
#define RLIM_INFINITY UINT64_MAX

struct rlimit {
    unsigned long long rlim_cur, rlim_max;
};

int getrlimit(int resource, struct rlimit *limit);

#define SA_RESETHAND 0
#define SA_RESTART 0
#define SA_SIGINFO 0
#define SA_NODEFER 0
#define SIG_BLOCK 0
#define SIG_SETMASK 0

#include <__typedef_sigset_t.h>

typedef struct siginfo {
    int si_pid;
} siginfo_t;

struct sigaction {
    void (*sa_handler)(int);
    void (*sa_sigaction)(int, siginfo_t *, void *);
    sigset_t sa_mask;
    int sa_flags;
};

int sigaction(int number, const struct sigaction *action, struct sigaction *old);
int sigemptyset(sigset_t *set);
int sigaddset(sigset_t *set, int number);
int sigfillset(sigset_t *set);
int sigprocmask(int how, const sigset_t *set, sigset_t *old);

pid_t fork(void);
pid_t waitpid(pid_t process, int *how, int options);
int pipe(int files[2]);
int dup2(int from, int to);
char *realpath(const char *name, char *resolved);
