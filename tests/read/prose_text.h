/* Growable text of the tests in prose. */
#ifndef TESTS_PROSE_TEXT_H
#define TESTS_PROSE_TEXT_H

#include <stdlib.h>
#include <string.h>
#include <stdio.h>

typedef struct text {
    char *bytes; /* followed by a NUL */
    size_t size, capacity;
} text;

static void *get(size_t size)
{
    void *block = malloc(size ? size : 1);
    if (!block) {
        fputs("prose: out of memory\n", stderr);
        exit(2);
    }
    return block;
}

static void append(text *to, const char *bytes, size_t size)
{
    if (to->size + size + 1 > to->capacity) {
        char *wider;
        to->capacity = 2 * (to->size + size + 1);
        wider = get(to->capacity);
        if (to->size)
            memcpy(wider, to->bytes, to->size);
        free(to->bytes);
        to->bytes = wider;
    }
    memcpy(to->bytes + to->size, bytes, size);
    to->size += size;
    to->bytes[to->size] = 0;
}

static void print(text *to, const char *format, ...)
{
    char bytes[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(bytes, sizeof bytes, format, arguments);
    va_end(arguments);
    append(to, bytes, strlen(bytes));
}

static void clear(text *it)
{
    free(it->bytes);
    memset(it, 0, sizeof *it);
}

static text read_file(const char *path)
{
    text it = {NULL, 0, 0};
    char piece[4096];
    size_t size;
    FILE *file = fopen(path, "rb");
    if (!file) {
        fprintf(stderr, "prose: cannot read %s\n", path);
        exit(2);
    }
    append(&it, "", 0);
    while ((size = fread(piece, 1, sizeof piece, file)) > 0)
        append(&it, piece, size);
    fclose(file);
    return it;
}

static size_t count_lines(const text *it)
{
    size_t lines = 0, i;
    for (i = 0; i < it->size; i++)
        lines += it->bytes[i] == '\n';
    return lines;
}

#endif
