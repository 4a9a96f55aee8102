/* paje merge accepts any traces.  Its output can be parsed without an error if its inputs can; with --apart, it is as
 * valid as each of them, and has the same names: of containers, types and values, and of the entities that have them.
 *
 * The first byte of an input chooses the options; the rest are the traces, each of which ends with a byte 0xff and
 * begins with a header and a scene. */
#include "tool.h"
#include "scene.h"

enum { FILES = 4, NAMES = 8192 };

/* ---- the names in a trace: hashes of the rows of `paje csv`, without times, numbers and identifiers */

typedef struct names {
    uint64_t rows[NAMES];
    size_t count;
} names;

static names before, after;
static char folder[64], table[128];
static const char *const tables[] = {"containers", "states", "events", "variables"};
static const int chosen_columns[] = {
    1 << 0 | 1 << 2 | 1 << 3 | 1 << 5, /* of containers: path, name, type, parent */
    1 << 0 | 1 << 2 | 1 << 8,          /* of states: container, type, value */
    1 << 0 | 1 << 2 | 1 << 5,          /* of events: the same */
    1 << 0 | 1 << 2,                   /* of variables: container, type */
};

static void remove_tables(void)
{
    for (int i = 0; i < 4; i++) {
        snprintf(table, sizeof table, "%s/%s.csv", folder, tables[i]);
        unlink(table);
    }
    snprintf(table, sizeof table, "%s/links.csv", folder);
    unlink(table);
    rmdir(folder);
}

static void make_folder(void)
{
    tool_folder(folder);
    atexit(remove_tables);
}

static int compare(const void *a, const void *b)
{
    const uint64_t one = *(const uint64_t *)a, two = *(const uint64_t *)b;
    return (one > two) - (one < two);
}

/* Adds the names in one table. */
static void add_rows(names *it, int number)
{
    int quoted = 0, column = 0, c;
    uint64_t hash = 0;
    FILE *file;
    snprintf(table, sizeof table, "%s/%s.csv", folder, tables[number]);
    file = fopen(table, "rb");
    fuzz_expect(file != NULL, "there is a table");
    while ((c = getc(file)) != EOF) {
        quoted ^= c == '"';
        if (c == ',' && !quoted)
            column++;
        if (chosen_columns[number] >> column & 1)
            hash = (hash ^ (uint64_t)c) * 0x100000001b3u;
        if (c == '\n' && !quoted) {
            if (it->count < NAMES)
                it->rows[it->count++] = hash * 4 + (uint64_t)number;
            hash = 0;
            column = 0;
        }
    }
    fclose(file);
}

/* Adds the names in a trace.  Returns whether it could be read. */
static int add_names(names *it, const char *path, int file)
{
    const char *arguments[] = {"csv", "--strict", "-d", folder, path, NULL};
    lseek(file, 0, SEEK_SET);
    if (tool_run(arguments, -1) != 0)
        return 0;
    for (int i = 0; i < 4; i++)
        add_rows(it, i);
    return 1;
}

/* Sorts names and leaves out those that come again. */
static void sort_names(names *it)
{
    size_t kept = 0;
    qsort(it->rows, it->count, sizeof *it->rows, compare);
    for (size_t i = 0; i < it->count; i++)
        if (!kept || it->rows[kept - 1] != it->rows[i])
            it->rows[kept++] = it->rows[i];
    it->count = kept;
}

/* ---- */

/* Returns the exit status of a command that reads a trace: one that simulates, or one that only parses. */
static int tool_check(int simulates, const char *path, int file)
{
    const char *arguments[] = {simulates ? "validate" : "parse", path, NULL};
    lseek(file, 0, SEEK_SET);
    return tool_run(arguments, -1);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char *const options[] = {"--lenient", "--strict", "--align", "--apart", "-z"};
    const char *arguments[TOOL_ARGUMENTS + 1] = {"merge", NULL};
    char paths[FILES + 1][64];
    int files[FILES + 1], count = 0, status, apart, i;
    uint8_t chosen;
    if (size < 1)
        return 0;
    chosen = bytes[0];
    arguments[1] = options[chosen % 5];
    bytes++;
    size--;
    files[FILES] = tool_file(paths[FILES], sizeof paths[FILES]);
    while (count < FILES && (size > 0 || !count)) {
        const uint8_t *end = size ? (const uint8_t *)memchr(bytes, 0xff, size) : NULL;
        size_t part = end ? (size_t)(end - bytes) : size;
        files[count] = tool_file(paths[count], sizeof paths[count]);
        tool_write(files[count], scene_header, sizeof scene_header - 1);
        tool_write(files[count], scene_body, sizeof scene_body - 1);
        tool_write(files[count], bytes, part);
        arguments[2 + count] = paths[count];
        count++;
        bytes += part + (end != NULL);
        size -= part + (end != NULL);
    }
    status = tool_run(arguments, files[FILES]);
    apart = !strcmp(arguments[1], "--apart");
    for (i = 0; i < count && !status; i++)
        status = tool_check(apart, paths[i], files[i]);
    if (status == 0)
        fuzz_expect(tool_check(apart, paths[FILES], files[FILES]) == 0,
                    "what is merged of good traces is a good trace");
    if (status == 0 && apart) {
        if (!folder[0])
            make_folder();
        before.count = after.count = 0;
        for (i = 0; i < count && !status; i++)
            status = !add_names(&before, paths[i], files[i]);
        if (status == 0 && add_names(&after, paths[FILES], files[FILES]) && before.count < NAMES) {
            sort_names(&before);
            sort_names(&after);
            fuzz_expect(before.count == after.count &&
                            !memcmp(before.rows, after.rows, before.count * sizeof *before.rows),
                        "the names are those of the inputs");
        }
    }
    for (i = 0; i < count; i++)
        close(files[i]);
    close(files[FILES]);
    return 0;
}
