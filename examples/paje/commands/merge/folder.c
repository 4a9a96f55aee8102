/* Folders among the files of a merge: each stands for the traces in it, in the order of their names, numbers as
 * numbers.  What is no trace is left out, with a message; folders within it are, too. */
#include "merge.h"

#include "trace/control.h"
#include "trace/sample.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

typedef array_of(char *) name_list;

static int is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

/* Compares names, with their numbers as numbers. */
static int compare_names(const void *one, const void *other)
{
    const char *a = *(char *const *)one, *b = *(char *const *)other;
    while (*a && *b) {
        size_t digits[2] = {0, 0};
        if (!is_digit(*a) || !is_digit(*b)) {
            if (*a != *b)
                return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
            a++;
            b++;
            continue;
        }
        for (; *a == '0' && is_digit(a[1]); a++)
            ;
        for (; *b == '0' && is_digit(b[1]); b++)
            ;
        while (is_digit(a[digits[0]]))
            digits[0]++;
        while (is_digit(b[digits[1]]))
            digits[1]++;
        int order = digits[0] == digits[1] ? memcmp(a, b, digits[0]) : digits[0] < digits[1] ? -1 : 1;
        if (order)
            return order;
        a += digits[0];
        b += digits[1];
    }
    return *a || *b ? (*a ? 1 : -1) : strcmp(*(char *const *)one, *(char *const *)other);
}

static int ends_with(const char *name, const char *suffix)
{
    size_t size = strlen(name), end = strlen(suffix);
    return size >= end && strcmp(name + size - end, suffix) == 0;
}

/* The first bytes of a file. */
static const char *read_start(const char *path, size_t *size)
{
    static char bytes[1 << 16];
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    ssize_t got = file < 0 ? -1 : read(file, bytes, sizeof bytes);
    if (got < 0)
        stream_fail("%s: %s", path, strerror(errno));
    close(file);
    *size = (size_t)got;
    return bytes;
}

/* Whether the file is a trace, by its first bytes, as readers judge it. */
static int is_trace(const char *path)
{
    size_t size;
    const char *bytes = read_start(path, &size);
    return !paje_is_no_trace(bytes, size);
}

/* Whether the file begins as results of merge do: with event 1, whose fields stand behind blanks that are its own. */
static int is_result(const char *path)
{
    size_t size;
    const char *bytes = read_start(path, &size), *end = memchr(bytes, '\n', size);
    const char field[] = " 1\n" MERGE_FIELD;
    return end && size > 9 && memcmp(bytes, "%EventDef", 9) == 0 && end - bytes > 2 &&
           size - (size_t)(end - 2 - bytes) >= sizeof field - 1 && memcmp(end - 2, field, sizeof field - 1) == 0;
}

/* Returns why a file of a folder is left out; NULL: it is not; "": without a message. */
static const char *why_not(const char *path, const char *name, const struct stat *output)
{
    struct stat about;
    if (name[0] == '.' || ends_with(name, ".pajeidx"))
        return "";
    if (output_is_part(name))
        return "it is not whole, as paje writes it now, or was killed";
    if (stat(path, &about) != 0) {
        if (errno != ENOENT && errno != ELOOP)
            stream_fail("%s: %s", path, strerror(errno));
        /* Or it has been removed since the folder was read. */
        return lstat(path, &about) == 0 ? "it is a symbolic link to nothing" : "";
    }
    if (output && about.st_dev == output->st_dev && about.st_ino == output->st_ino)
        return S_ISREG(about.st_mode) && is_trace(path) && !is_result(path) ? NULL : ""; /* NULL: one to be merged */
    if (S_ISDIR(about.st_mode))
        return "it is a folder within a folder, which has to be named as well";
    if (!S_ISREG(about.st_mode))
        return "it is no file";
    return is_trace(path) ? NULL : "it is no trace";
}

static void list_folder(name_list *names, const char *folder, const struct stat *output)
{
    DIR *entries = opendir(folder);
    struct dirent *entry;
    size_t first = names->count;
    merge_run run;
    int is_run = merge_is_run(folder, &run);
    if (!entries)
        stream_fail("%s: %s", folder, strerror(errno));
    while ((errno = 0, entry = readdir(entries)) != NULL) {
        text_buffer path = {0};
        text_printf(&path, "%s%s%s", folder, ends_with(folder, "/") ? "" : "/", entry->d_name);
        const char *why = why_not(text_string(&path), entry->d_name, output);
        if (is_run && (strcmp(entry->d_name, TRACE_CONTROL) == 0 || ends_with(entry->d_name, TRACE_SAMPLES)))
            why = ""; /* read with the run */
        if (!why) {
            *array_push(names) = text_string(&path);
            continue;
        }
        if (*why)
            stream_message("%s: %s: it is left out", text_string(&path), why);
        text_free(&path);
    }
    if (errno)
        stream_fail("%s: %s", folder, strerror(errno));
    closedir(entries);
    if (names->count == first)
        stream_fail("%s: there is no trace in it", folder);
    qsort(names->items + first, names->count - first, sizeof *names->items, compare_names);
}

char **merge_list_files(char **operands, int count, const char *output, int *listed)
{
    struct stat about, out;
    name_list names = {0};
    int has_output = output && stat(output, &out) == 0;
    for (int i = 0; i < count; i++) {
        size_t size = strlen(operands[i]) + 1;
        if (strcmp(operands[i], "-") != 0 && stat(operands[i], &about) == 0 && S_ISDIR(about.st_mode))
            list_folder(&names, operands[i], has_output ? &out : NULL);
        else
            *array_push(&names) = memcpy(memory_alloc(size, 1), operands[i], size);
    }
    *listed = (int)names.count;
    return names.items;
}
