#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

int process_pipe(int ends[2])
{
    return pipe(ends) == 0 && fcntl(ends[0], F_SETFD, FD_CLOEXEC) >= 0 && fcntl(ends[1], F_SETFD, FD_CLOEXEC) >= 0;
}

size_t process_fitting(size_t count, size_t files)
{
    enum { SPARE = 24 }; /* for the trace, the files that it includes, and output */
    long most = sysconf(_SC_OPEN_MAX);
    int next = dup(STDERR_FILENO); /* about so many are open */
    if (next >= 0)
        close(next);
    size_t used = (size_t)(next < 0 ? 0 : next) + SPARE, left = most > (long)used ? (size_t)most - used : 0;
    if (most >= 0 && count > left / files)
        count = left / files;
    return count > 0 ? count : 1;
}

pid_t process_start(char *const arguments[], int input, int output)
{
    pid_t process = 0;
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t restored; /* what the tool ignores */
    sigemptyset(&restored);
    sigaddset(&restored, SIGPIPE);
    sigaddset(&restored, SIGXFSZ);
    int error = posix_spawn_file_actions_init(&actions);
    if (error == 0) {
        if ((error = posix_spawnattr_init(&attributes)) == 0) {
            if ((error = posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)) == 0 &&
                (error = posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)) == 0 &&
                (error = posix_spawnattr_setsigdefault(&attributes, &restored)) == 0 &&
                (error = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF)) == 0)
                error = posix_spawnp(&process, arguments[0], &actions, &attributes, arguments, environ);
            posix_spawnattr_destroy(&attributes);
        }
        posix_spawn_file_actions_destroy(&actions);
    }
    errno = error;
    return error ? 0 : process;
}

int process_wait(pid_t process)
{
    int how = 0;
    if (process <= 0)
        return 0;
    while (waitpid(process, &how, 0) < 0)
        if (errno != EINTR)
            return 0;
    return WIFEXITED(how) ? WEXITSTATUS(how) : -WTERMSIG(how);
}

int process_receive(int file, char *word)
{
    ssize_t got;
    do
        got = read(file, word, 1);
    while (got < 0 && errno == EINTR);
    return (int)got;
}
