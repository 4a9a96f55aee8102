/* Each command of paje takes any trace, and ends with one of its exit statuses.
 *
 * The first byte of an input chooses the command with its options, and the second whether a header and a scene stand
 * before the trace, which is the rest. */
#include "tool.h"
#include "scene.h"

static const char *const commands[][8] = {
    {"dump", "-u"}, {"dump", "--strict"}, {"dump", "-i", "-h", "-s", "2", "-e", "7"}, {"dump", "-a", "5", "-l", "15"},
    {"dump", "--container", "p", "--type", "S"}, {"validate"}, {"validate", "--strict"}, {"info"}, {"null"}, {"parse"},
    {"profile"}, {"profile", "--format", "json", "--slices", "3", "--own"}, {"profile", "-s", "1", "-e", "4", "--depth", "2"},
    {"svg"}, {"svg", "--width", "300", "--height", "60", "--unit", "ns"}, {"svg", "-s", "1", "-e", "4", "--colors", "own"},
    {"html"}, {"html", "--rows", "10", "--type", "S"}, {"sql"}, {"sql", "--dialect", "mysql", "--batch", "2"},
    {"sql", "--dialect", "postgresql"}, {"csv", "-u", "-d", "/dev/shm/fuzz-csv"}, {"chrome"}, {"chrome", "-t", "ms"},
    {"dump", "--arena", "20K"}, {"merge", "--apart"}};

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    const char *arguments[TOOL_ARGUMENTS + 1] = {NULL};
    char path[64];
    size_t i;
    int file;
    if (size < 2)
        return 0;
    for (i = 0; i < 8; i++)
        arguments[i] = commands[bytes[0] % (sizeof commands / sizeof *commands)][i];
    for (i = 0; arguments[i]; i++) {
    }
    file = tool_file(path, sizeof path);
    if (!(bytes[1] & 1))
        tool_write(file, scene_header, sizeof scene_header - 1);
    if (!(bytes[1] & 2))
        tool_write(file, scene_body, sizeof scene_body - 1);
    tool_write(file, bytes + 2, size - 2);
    arguments[i] = path;
    tool_run(arguments, -1);
    close(file);
    return 0;
}
