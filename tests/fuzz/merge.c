/* paje merge takes any traces, and what it writes can be parsed without an error if its inputs can; apart, they are as
 * valid together as each by itself.
 *
 * The first byte of an input chooses the options; the rest are the traces, each of which ends with a byte 0xff and begins
 * with a header and a scene. */
#include "tool.h"
#include "scene.h"

enum { FILES = 4 };

/* The exit status of a command that reads a trace: of one that simulates, or of one that only parses. */
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
        fuzz_expect(tool_check(apart, paths[FILES], files[FILES]) == 0, "what is merged of good traces is a good trace");
    for (i = 0; i < count; i++)
        close(files[i]);
    close(files[FILES]);
    return 0;
}
