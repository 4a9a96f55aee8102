#define _GNU_SOURCE
#include "helpers.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int helpers_read(helpers *it, const char *text)
{
    char *end;
    const long low = strtol(text, &end, 10);
    const long high = *end == '+' ? strtol(end + 1, &end, 10) : 0;
    it->low = (int)low;
    it->high = (int)high;
    return end != text && !*end && low >= 0 && high >= 0 && low + high <= HELPERS && high <= low;
}

/* The collector beside this program. */
static void find_program(char *path, size_t size)
{
    const ssize_t length = readlink("/proc/self/exe", path, size - 16);
    char *end;
    path[length > 0 ? length : 0] = 0;
    end = strrchr(path, '/');
    strcpy(end ? end + 1 : path, "collector");
}

/* Starts a collector that reads paths from `input`, or traces from `files`, and writes to `output`. */
static pid_t start(int number, const char *of, const char *folder, int input, const int *files, int file_count,
                   int output)
{
    static char option_tunlet[] = "--tunlet", option_name[] = "--name", option_file[] = "--file",
                option_output[] = "--output";
    char program[4096], name[32], numbers[HELPERS][16];
    char *arguments[2 * HELPERS + 16];
    sigset_t none;
    int count = 0, i;
    const pid_t process = fork();
    if (process != 0)
        return process;
    find_program(program, sizeof program);
    snprintf(name, sizeof name, "collector %d", number);
    arguments[count++] = program;
    arguments[count++] = option_tunlet;
    arguments[count++] = strdup(of);
    arguments[count++] = option_name;
    arguments[count++] = name;
    for (i = 0; i < file_count; i++) {
        snprintf(numbers[i], sizeof numbers[i], "%d", files[i]);
        fcntl(files[i], F_SETFD, 0);
        arguments[count++] = option_file;
        arguments[count++] = numbers[i];
    }
    if (folder) {
        arguments[count++] = option_output;
        arguments[count++] = strdup(folder);
    }
    arguments[count] = NULL;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    dup2(input, 0);
    dup2(output, 1);
    execv(program, arguments);
    fprintf(stderr, "mate: %s: %s\n", program, strerror(errno));
    _exit(127);
}

int helpers_begin(helpers *it, const char *of, const char *folder, streams *above)
{
    int up[HELPERS][2], down[2], files[HELPERS];
    const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC), low = it->low, count = low + it->high;
    int i, k;
    it->above = above;
    for (i = 0; i < count; i++) {
        int file_count = 0, is_low = i < low;
        if (pipe2(up[i], O_CLOEXEC) != 0 || (is_low && pipe2(down, O_CLOEXEC) != 0)) {
            fprintf(stderr, "mate: collectors: %s\n", strerror(errno));
            return 0;
        }
        for (k = 0; k < low && !is_low; k++)
            if (k % it->high == i - low)
                files[file_count++] = up[k][0];
        it->all[i].process = start(i, of, is_low ? folder : NULL, is_low ? down[0] : nothing, files, file_count,
                                   up[i][1]);
        it->all[i].input = is_low ? down[1] : -1;
        close(up[i][1]);
        if (is_low)
            close(down[0]);
        if (it->all[i].process < 0) {
            fprintf(stderr, "mate: collectors: %s\n", strerror(errno));
            return 0;
        }
    }
    for (i = 0; i < count; i++)
        if (i >= low || count == low)
            streams_add(above, up[i][0], NULL);
        else
            close(up[i][0]);
    close(nothing);
    return 1;
}

int helpers_give(helpers *it, const char *path)
{
    char line[256];
    int tried;
    for (tried = 0; tried < it->low; tried++) {
        const int number = it->next;
        const int size = snprintf(line, sizeof line, "%s\n", path);
        it->next = (it->next + 1) % it->low;
        if (it->all[number].process > 0 && write(it->all[number].input, line, (size_t)size) == size) {
            *array_push(&it->paths) = strdup(path);
            *array_push(&it->given_to) = number;
            return 1;
        }
    }
    return 0;
}

/* Attaches to all that a collector had.  What is below one of the upper layer ends, too, as nothing reads it. */
static void take_back(helpers *it, int number)
{
    size_t i;
    it->all[number].process = 0;
    if (it->all[number].input >= 0)
        close(it->all[number].input);
    it->all[number].input = -1;
    for (i = 0; i < it->paths.count; i++)
        if (it->given_to.items[i] == number)
            (void)streams_attach(it->above, it->paths.items[i]); /* if it fails, that process has ended, too */
}

int helpers_look(helpers *it)
{
    int i, gone = 0;
    for (i = 0; i < it->low + it->high; i++)
        if (it->all[i].process > 0 && waitpid(it->all[i].process, NULL, WNOHANG) == it->all[i].process) {
            take_back(it, i);
            gone++;
        }
    return gone;
}

void helpers_finish(helpers *it)
{
    int i;
    for (i = 0; i < it->low; i++)
        if (it->all[i].input >= 0) {
            close(it->all[i].input);
            it->all[i].input = -1;
        }
}

void helpers_end(helpers *it)
{
    size_t k;
    int i;
    helpers_finish(it);
    for (i = 0; i < it->low + it->high; i++)
        if (it->all[i].process > 0) {
            kill(it->all[i].process, SIGTERM);
            while (waitpid(it->all[i].process, NULL, 0) < 0 && errno == EINTR)
                ;
        }
    for (k = 0; k < it->paths.count; k++)
        free(it->paths.items[k]);
    array_free(&it->paths);
    array_free(&it->given_to);
}
