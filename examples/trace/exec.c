/* Layer: programs that a process executes with another environment are traced, too: what `paje trace` has set is put
 * into it again; and so is the link from the parent, if the process was spawned.  There is no memory but the stack, as
 * the calls may be those of a child of vfork. */
#include "trace.h"

#include <spawn.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PRELOAD "LD_PRELOAD"

/* NAME=VALUE, as this process has it; empty: nothing is traced. */
static char own_run[600], own_preload[4096];

static void copy(char *to, size_t size, const char *name)
{
    const char *value = getenv(name);
    const size_t length = strlen(name);
    if (!value || length + strlen(value) + 2 > size)
        return;
    memcpy(to, name, length);
    to[length] = '=';
    strcpy(to + length + 1, value);
}

__attribute__((constructor)) static void begin(void)
{
    copy(own_run, sizeof own_run, TRACE_RUN);
    copy(own_preload, sizeof own_preload, PRELOAD);
}

/* Returns the index of a variable; that of the NULL at the end: it is not there. */
static size_t find(char *const *environment, const char *name)
{
    const size_t length = strlen(name);
    size_t i = 0;
    while (environment[i] && !(strncmp(environment[i], name, length) == 0 && environment[i][length] == '='))
        i++;
    return i;
}

static int is_complete(char *const *environment)
{
    const char *preload = environment ? environment[find(environment, PRELOAD)] : NULL;
    return !*own_run || !*own_preload ||
           (preload && strstr(preload, TRACE_LIBRARY) && environment[find(environment, TRACE_RUN)]);
}

/* How many pointers, and how many bytes for LD_PRELOAD, complete() needs. */
static size_t count(char *const *environment)
{
    size_t i = 0;
    while (environment && environment[i])
        i++;
    return i + 4;
}

static size_t measure(char *const *environment)
{
    const char *preload = environment ? environment[find(environment, PRELOAD)] : NULL;
    return strlen(own_preload) + (preload ? strlen(preload) : 0) + 1;
}

/* Copies the environment and completes it; the libraries that it preloads itself come last. */
static void complete(char *const *from, char **to, char *preload, char *parent)
{
    const char *others = from ? from[find(from, PRELOAD)] : NULL;
    size_t i, n = 0;
    strcpy(preload, own_preload);
    if (others && !strstr(others, TRACE_LIBRARY) && others[sizeof PRELOAD]) {
        strcat(preload, ":");
        strcat(preload, others + sizeof PRELOAD);
    }
    for (i = 0; from && from[i]; i++)
        if (strncmp(from[i], PRELOAD "=", sizeof PRELOAD) != 0 &&
            strncmp(from[i], TRACE_RUN "=", sizeof TRACE_RUN) != 0 &&
            strncmp(from[i], TRACE_PARENT "=", sizeof TRACE_PARENT) != 0)
            to[n++] = from[i];
    to[n++] = preload;
    to[n++] = own_run;
    if (*parent)
        to[n++] = parent;
    to[n] = NULL;
}

/* A function whose last argument is an environment. */
#define EXECUTES(is_spawn, name, parameters, arguments, environment, ...) \
    TRACE_NEXT(int, name, parameters) \
    TRACE_EXPORT int name parameters \
    { \
        char parent[TRACE_PARENT_SIZE]; \
        int is_stranger, result; \
        TRACE_FIND(name); \
        trace_start_spawn(is_spawn, parent); \
        is_stranger = trace_start_exec(); \
        if (!*parent && is_complete(environment)) { \
            result = next_##name arguments; \
        } else { \
            char *completed[count(environment)], preload[measure(environment)]; \
            complete(environment, completed, preload, parent); \
            result = next_##name(__VA_ARGS__, completed); \
        } \
        if (result) \
            trace_fail_exec(is_stranger); \
        return result; \
    }

EXECUTES(0, execve, (const char *path, char *const *words, char *const *environment), (path, words, environment),
         environment, path, words)
EXECUTES(0, execvpe, (const char *file, char *const *words, char *const *environment), (file, words, environment),
         environment, file, words)
EXECUTES(0, fexecve, (int file, char *const *words, char *const *environment), (file, words, environment), environment,
         file, words)
EXECUTES(1, posix_spawn, (pid_t *restrict process, const char *restrict path,
                       const posix_spawn_file_actions_t *restrict actions, const posix_spawnattr_t *restrict attributes,
                       char *const *restrict words, char *const *restrict environment),
         (process, path, actions, attributes, words, environment), environment, process, path, actions, attributes,
         words)
EXECUTES(1, posix_spawnp, (pid_t *restrict process, const char *restrict file,
                        const posix_spawn_file_actions_t *restrict actions,
                        const posix_spawnattr_t *restrict attributes, char *const *restrict words,
                        char *const *restrict environment),
         (process, file, actions, attributes, words, environment), environment, process, file, actions, attributes,
         words)

/* These take the environment of the process, from which it may have removed what is needed. */
TRACE_EXPORT int execv(const char *path, char *const *words)
{
    return execve(path, words, environ);
}

TRACE_EXPORT int execvp(const char *file, char *const *words)
{
    return execvpe(file, words, environ);
}

enum { MOST_WORDS = 65536 };

/* Those whose words are arguments: `execute` gets them as an array. */
#define LISTS(name, execute) \
    TRACE_EXPORT int name(const char *path, const char *word, ...) \
    { \
        va_list rest; \
        size_t n = 1, i; \
        va_start(rest, word); \
        while (n < MOST_WORDS && va_arg(rest, char *)) \
            n++; \
        va_end(rest); \
        { \
            char *words[n + 1]; \
            words[0] = (char *)(uintptr_t)word; \
            va_start(rest, word); \
            for (i = 1; i <= n; i++) \
                words[i] = va_arg(rest, char *); \
            execute; \
            va_end(rest); \
        } \
        return -1; \
    }
LISTS(execl, execve(path, words, environ))
LISTS(execlp, execvpe(path, words, environ))
LISTS(execle, execve(path, words, va_arg(rest, char *const *)))
