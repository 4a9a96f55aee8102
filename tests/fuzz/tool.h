/* Runs a command of paje in a process of its own, as it may exit anywhere. */
#ifndef FUZZ_TOOL_H
#define FUZZ_TOOL_H

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fuzz.h"

int paje_main(int argc, char **argv); /* examples/paje/main.c, compiled with -Dmain=paje_main -Dexit=_exit */

/* Distinguishes a sanitizer's report from the exit statuses of the tool. */
const char *__asan_default_options(void);
const char *__asan_default_options(void) { return "exitcode=99:detect_leaks=0"; }
const char *__ubsan_default_options(void);
const char *__ubsan_default_options(void) { return "exitcode=99"; }

enum { TOOL_SECONDS = 20, TOOL_ARGUMENTS = 16 };

/* Creates a file in memory; its path goes to `path`. */
static int tool_file(char *path, size_t room)
{
    int file = memfd_create("trace", 0);
    fuzz_expect(file >= 0, "there may be files in memory");
    snprintf(path, room, "/proc/self/fd/%d", file);
    return file;
}

/* Creates a folder, in memory if there is one; its path goes to `path`. */
static void tool_folder(char *path)
{
    strcpy(path, "/dev/shm/fuzz-XXXXXX");
    if (!mkdtemp(path)) {
        strcpy(path, "/tmp/fuzz-XXXXXX");
        fuzz_expect(mkdtemp(path) != NULL, "there may be folders");
    }
}

static void tool_write(int file, const void *bytes, size_t size)
{
    fuzz_expect(write(file, bytes, size) == (ssize_t)size, "a file in memory can be written");
}

/* Runs `paje` with the arguments, the last of which is NULL, and standard output in `output`.  Returns its exit
 * status. */
static int tool_run(const char *const *arguments, int output)
{
    char *argv[TOOL_ARGUMENTS + 2] = {(char *)"paje"};
    int argc, status;
    pid_t child, ended;
    for (argc = 1; arguments[argc - 1]; argc++)
        argv[argc] = (char *)arguments[argc - 1];
    child = fork();
    fuzz_expect(child >= 0, "there may be processes");
    if (child == 0) {
        int nothing = open("/dev/null", O_RDWR);
        alarm(TOOL_SECONDS);
        dup2(nothing, STDIN_FILENO);
        dup2(output < 0 ? nothing : output, STDOUT_FILENO);
        if (!getenv("FUZZ_VERBOSE"))
            dup2(nothing, STDERR_FILENO);
        _exit(paje_main(argc, argv));
    }
    do
        ended = waitpid(child, &status, 0);
    while (ended < 0 && errno == EINTR); /* by the timer of a fuzzer */
    fuzz_expect(ended == child, "a process ends");
    fuzz_expect(WIFEXITED(status) && WEXITSTATUS(status) <= 3, "the tool ends well, within some seconds");
    return WEXITSTATUS(status);
}

#endif
