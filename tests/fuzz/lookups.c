/* The commands that use an index show the same with one as without, byte for byte, and end with the same status.
 *
 * The first byte of an input chooses the distance of checkpoints and the mode; the second what stands before the trace,
 * and whether the index is of its beginning only, or was added to; the next two the instants, and the part, that are
 * looked at; the rest is the trace, or chooses its lines (lines.h). */
#include "tool.h"
#include "lines.h"
#include "scene.h"

enum { PLAN_BYTES = 4, OUTPUT_MAX = 1 << 20, LOOKS = 14, TRACE_MAX = 1 << 16 };

static char folder[64], trace[96], index_name[128];

static void remove_files(void)
{
    unlink(trace);
    unlink(index_name);
    rmdir(folder);
}

static void make_folder(void)
{
    tool_folder(folder);
    snprintf(trace, sizeof trace, "%s/trace", folder);
    snprintf(index_name, sizeof index_name, "%s.pajeidx", trace);
    atexit(remove_files);
}

static void append(const void *bytes, size_t size)
{
    int file = open(trace, O_WRONLY | O_CREAT | O_APPEND, 0600);
    fuzz_expect(file >= 0, "a file can be opened");
    tool_write(file, bytes, size);
    close(file);
}

/* What one look prints: its status, and where its output is. */
typedef struct look {
    int status;
    size_t size;
    char *text;
} look;

/* Looks at the trace: both instants and the part come from the input. */
static void take_looks(look *looks, const char *mode, const char *first, const char *second, const char *part)
{
    const char *const commands[LOOKS][TOOL_ARGUMENTS] = {
        {"at", mode, "--", trace, first},
        {"dump", mode, "-s", first, "-e", second, trace},
        {"dump", mode, "-j", "3", trace},
        {"dump", mode, "-u", "-j", "2", "-s", first, trace},
        {"view", mode, "--once", "-s", first, "-e", second, trace},
        {"at", mode, "--container", "[pt]1", "--", trace, second},
        {"dump", mode, "-u", "-s", first, "-e", second, "--container", "process1", "--container", "t[02]", trace},
        {"dump", mode, "-u", "--part", part, trace},
        {"svg", mode, "-s", first, "-e", second, trace},
        {"html", mode, "-s", second, trace},
        {"html", mode, "-e", first, "--type", "[SLV]*", trace},
        {"profile", mode, "-s", first, "-e", second, trace},
        {"profile", mode, "--own", "--format", "csv", "--depth", "1", "-s", second, trace},
        {"histogram", mode, "--by", "container", "-s", first, "-e", second, trace},
    };
    for (int i = 0; i < LOOKS; i++) {
        int output = memfd_create("output", 0);
        ssize_t size;
        fuzz_expect(output >= 0, "there may be files in memory");
        looks[i].status = tool_run(commands[i], output);
        lseek(output, 0, SEEK_SET);
        looks[i].text = malloc(OUTPUT_MAX);
        fuzz_expect(looks[i].text != NULL, "there is memory");
        size = read(output, looks[i].text, OUTPUT_MAX);
        looks[i].size = size > 0 && size < OUTPUT_MAX ? (size_t)size : 0;
        looks[i].text[looks[i].size] = '\0';
        close(output);
    }
}

static int make_index(const char *mode, const char *events)
{
    const char *const arguments[] = {"index", mode, events, trace, NULL};
    return tool_run(arguments, -1);
}

/* Where they differ, prints the lines. */
static void expect_same(const look *with, const look *without, const char *promise)
{
    const size_t size = with->size < without->size ? with->size : without->size;
    size_t at = 0, line = 0;
    while (at < size && with->text[at] == without->text[at])
        if (with->text[at++] == '\n')
            line = at;
    if (at == with->size && at == without->size && with->status == without->status)
        return;
    fprintf(stderr, "with an index (status %d): %.*s\n", with->status,
            (int)strcspn(with->text + line, "\n"), with->text + line);
    fprintf(stderr, "without (status %d): %.*s\n", without->status,
            (int)strcspn(without->text + line, "\n"), without->text + line);
    fuzz_expect(0, promise);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char *const of_look[LOOKS] = {
        "at shows the same with an index", "dump -s -e shows the same with an index",
        "dump -j shows the same with an index", "dump -j -s shows the same with an index",
        "view shows the same with an index", "at --container shows the same with an index",
        "dump --container shows the same with an index", "dump --part shows the same with an index",
        "svg -s -e shows the same with an index", "html -s shows the same with an index",
        "html -e --type shows the same with an index", "profile -s -e shows the same with an index",
        "profile --own -s shows the same with an index", "histogram -s -e shows the same with an index"};
    static char text[TRACE_MAX];
    const char *mode, *rest = (const char *)bytes + PLAN_BYTES;
    char events[32], first[32], second[32], part[32];
    look without[LOOKS], with[LOOKS];
    size_t begin;
    int status;
    if (size < PLAN_BYTES)
        return 0;
    if (!folder[0])
        make_folder();
    mode = bytes[0] & 0x20 ? "--strict" : "--lenient";
    snprintf(events, sizeof events, "--events=%d", 1 + (bytes[0] & 0x1f));
    snprintf(first, sizeof first, "%g", (bytes[2] < bytes[3] ? bytes[2] : bytes[3]) / 8.0 - 1);
    snprintf(second, sizeof second, "%g", (bytes[2] < bytes[3] ? bytes[3] : bytes[2]) / 8.0 - 1);
    snprintf(part, sizeof part, "%d/%d", 1 + bytes[3] % (1 + bytes[2] % 9), 1 + bytes[2] % 9);
    unlink(trace);
    unlink(index_name);
    if (!(bytes[1] & 1))
        append(scene_header, sizeof scene_header - 1);
    if (!(bytes[1] & 2))
        append(scene_body, sizeof scene_body - 1);
    size -= PLAN_BYTES;
    if (bytes[1] & 16) {
        size = lines_of((const uint8_t *)rest, size, text, sizeof text);
        rest = text;
    }
    begin = bytes[1] & 4 ? size / 2 : size;
    append(rest, begin);
    status = make_index(mode, events);
    append(rest + begin, size - begin);
    if (bytes[1] & 8)
        status = make_index(mode, events);
    if (status < 2) {
        take_looks(with, mode, first, second, part);
        unlink(index_name);
        take_looks(without, mode, first, second, part);
        for (int i = 0; i < LOOKS; i++) {
            expect_same(&with[i], &without[i], of_look[i]);
            free(with[i].text);
            free(without[i].text);
        }
    }
    return 0;
}
