/* Tests in prose: reading the files of prose/ (see prose/README.md). */
#ifndef TESTS_PROSE_PARSE_H
#define TESTS_PROSE_PARSE_H

#include "prose_text.h"

enum { STRICT = 1, LENIENT = 2 };
enum { NOTHING, HEADER, SCENE };
enum { FILES = 12 };

typedef struct settings {
    int modes, begin, lines, definitions, end, exact;
    int doubles, integers; /* for one kind of numbers only */
    int whole;             /* needs what PAJESIM_SMALL leaves out */
    pajesim_options options;
} settings;

typedef struct test {
    char title[200];
    settings set;
    text trace;
    text log[2]; /* lenient, strict */
    struct {
        char name[100];
        text bytes;
    } files[FILES];
    int file_count;
} test;

static const int is_whole = PAJESIM_CHECKS && PAJESIM_REPAIRS && PAJESIM_FILES && PAJESIM_FIELDS && PAJESIM_TEXTS &&
                            PAJESIM_WORDS >= 32;

static text standard_header, standard_scene;
static int verbose;
static size_t ladder_step = 1, way_step = 1;
static int failed;

static void bad_test(const char *path, const char *title, const char *why)
{
    fprintf(stderr, "prose: %s: %s: %s\n", path, title, why);
    exit(2);
}

/* Parses one option.  Returns 0 if there is no such option. */
static int set_option(settings *set, const char *word, const char *number)
{
    unsigned long value = strtoul(number, NULL, 10);
    static const struct {
        const char *name;
        size_t at;
    } switches[] = {{"lines", offsetof(settings, lines)},
                    {"definitions", offsetof(settings, definitions)},
                    {"end", offsetof(settings, end)},
                    {"exact", offsetof(settings, exact)},
                    {"doubles", offsetof(settings, doubles)},
                    {"integers", offsetof(settings, integers)},
                    {"whole", offsetof(settings, whole)},
                    {"ignore_links", offsetof(settings, options.ignore_links)},
                    {"old_names", offsetof(settings, options.old_names)},
                    {"parse_only", offsetof(settings, options.parse_only)}},
      numbers[] = {{"line_max", offsetof(settings, options.line_max)},
                   {"line_capacity", offsetof(settings, options.line_capacity)},
                   {"remembered", offsetof(settings, options.remembered)},
                   {"file_depth_max", offsetof(settings, options.file_depth_max)}};
    size_t i;
    for (i = 0; i < sizeof switches / sizeof *switches; i++)
        if (!strcmp(word, switches[i].name)) {
            int yes = 1;
            memcpy((char *)set + switches[i].at, &yes, sizeof yes);
            return 1;
        }
    for (i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (!strcmp(word, numbers[i].name) && *number) {
            uint32_t size = (uint32_t)value;
            memcpy((char *)set + numbers[i].at, &size, sizeof size);
            return 1;
        }
    if (!strcmp(word, "strict") || !strcmp(word, "lenient"))
        set->modes = *word == 's' ? STRICT : LENIENT;
    else if (!strcmp(word, "nothing") || !strcmp(word, "header") || !strcmp(word, "scene"))
        set->begin = *word == 'n' ? NOTHING : *word == 'h' ? HEADER : SCENE;
    else
        return 0;
    return 1;
}

static int set_options(settings *set, const char *p)
{
    for (;;) {
        char word[32] = "", number[32] = "";
        p += strspn(p, " ,.");
        if (!*p)
            return 1;
        sscanf(p, "%31[a-z_] %31[0-9]", word, number);
        if (!set_option(set, word, number))
            return 0;
        p += strcspn(p, ",");
    }
}

/* Appends text, in which escapes are resolved.  A log keeps them, as it shows bytes in the same way. */
static void append_escaped(text *to, const char *p, const char *end, int is_log)
{
    for (; p < end; p++) {
        unsigned byte;
        char c = *p;
        if (c != '\\') {
            if ((unsigned char)c >= 0x80 && is_log)
                print(to, "\\x%02x", (unsigned char)c);
            else
                append(to, &c, 1);
        } else if (end - p > 2 && p[1] == '{' && memchr(p, '}', (size_t)(end - p))) {
            char *unit;
            unsigned long times = strtoul(p + 2, &unit, 10);
            const char *close = memchr(p, '}', (size_t)(end - p));
            while (times--)
                append_escaped(to, unit + 1, close, is_log);
            p = close;
        } else if (is_log) {
            append(to, p, 2);
            p++;
        } else if (p[1] == 'x' && sscanf(p + 2, "%2x", &byte) == 1) {
            c = (char)byte;
            append(to, &c, 1);
            p += 3;
        } else {
            p++;
            append(to, *p == 't' ? "\t" : *p == 'r' ? "\r" : *p == 'n' ? "\n" : p, 1);
        }
    }
}

/* A line of a block; a \ at its end joins it with the next. */
static void append_line(text *to, const char *p, const char *end, int is_log)
{
    int joined = end > p && end[-1] == '\\' && !(end > p + 1 && end[-2] == '\\');
    append_escaped(to, p, end - joined, is_log);
    if (!joined)
        append(to, "\n", 1);
}

static void free_test(test *it)
{
    int i;
    clear(&it->trace);
    clear(&it->log[0]);
    clear(&it->log[1]);
    for (i = 0; i < it->file_count; i++)
        clear(&it->files[i].bytes);
}

static void run_test(const char *subject, const test *it);

static void run_file(const char *path)
{
    text source = read_file(path);
    char subject[64];
    const char *p, *stem = strrchr(path, '/');
    settings common;
    test it;
    text *block = NULL;
    int is_log = 0, open = 0, both = 0;

    stem = stem ? stem + 1 : path;
    snprintf(subject, sizeof subject, "%.*s", (int)strcspn(stem, "."), stem);
    memset(&common, 0, sizeof common);
    memset(&it, 0, sizeof it);
    common.modes = STRICT | LENIENT;
    common.begin = SCENE;
    append(&source, "\n", 1);
    for (p = source.bytes;; p += strcspn(p, "\n") + 1) {
        const char *end = p + strcspn(p, "\n");
        int last = *end == 0 && p == end;
        if (block && !last) {
            if (!strncmp(p, "```", 3)) {
                if (both)
                    append(&it.log[1], it.log[0].bytes, it.log[0].size);
                block = NULL;
                both = 0;
            } else {
                append_line(block, p, end, is_log);
            }
        } else if (last || !strncmp(p, "## ", 3)) {
            if (open) {
                if (!it.trace.bytes)
                    bad_test(path, it.title, "it has no trace");
                if (((it.set.modes & STRICT) && !it.log[1].bytes) || ((it.set.modes & LENIENT) && !it.log[0].bytes))
                    bad_test(path, it.title, "it has no log");
                run_test(subject, &it);
            }
            free_test(&it);
            memset(&it, 0, sizeof it);
            if (last)
                break;
            it.set = common;
            open = 1;
            snprintf(it.title, sizeof it.title, "%.*s", (int)(end - p - 3), p + 3);
        } else if (!strncmp(p, "Options: ", 9)) {
            char options[200];
            snprintf(options, sizeof options, "%.*s", (int)(end - p - 9), p + 9);
            if (!set_options(open ? &it.set : &common, options))
                bad_test(path, it.title, options);
        } else if (!strncmp(p, "```", 3)) {
            is_log = !strncmp(p, "```log", 6);
            if (is_log) {
                block = &it.log[!strncmp(p, "```log strict", 13)];
                both = end == p + 6;
            } else if (!strncmp(p, "```file ", 8) && it.file_count < FILES) {
                snprintf(it.files[it.file_count].name, sizeof it.files[0].name, "%.*s", (int)(end - p - 8), p + 8);
                block = &it.files[it.file_count++].bytes;
            } else if (!strncmp(p, "```trace", 8)) {
                block = &it.trace;
            } else {
                bad_test(path, it.title, "a block is neither trace, file nor log");
            }
            append(block, "", 0);
        }
    }
    clear(&source);
}

#endif
