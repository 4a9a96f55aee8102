/* Each command of paje takes any trace, and ends with one of its exit statuses.
 *
 * The first byte of an input chooses one of the command lines for tests that the commands name (`paje --commands`), or
 * all of them if it is 0xff; the second whether a header and a scene stand before the trace, which is the rest. */
#include "tool.h"
#include "scene.h"

#include "command.h"

enum { WORDS = 512 };
#define OUTPUT "/dev/shm/fuzz-output"

/* Trial `number` of all commands, NULL behind the last; the command that it is of goes to `*of`. */
static const char *find_trial(size_t number, const paje_command **of)
{
    for (size_t i = 0; i < paje_command_count; i++)
        for (const char *trial = paje_commands[i]->trials; trial; number--) {
            *of = paje_commands[i];
            if (number == 0)
                return trial;
            if ((trial = strchr(trial, '\n')) != NULL)
                trial++;
        }
    return NULL;
}

static void run_trial(const paje_command *command, const char *trial, const char *path)
{
    const char *arguments[TOOL_ARGUMENTS + 1] = {command->name};
    char words[WORDS];
    size_t size = strcspn(trial, "\n");
    int count = 1;
    fuzz_expect(size < sizeof words, "a trial is short");
    memcpy(words, trial, size);
    words[size] = '\0';
    for (char *word = strtok(words, " "); word; word = strtok(NULL, " ")) {
        fuzz_expect(count < TOOL_ARGUMENTS, "a trial has few words");
        arguments[count++] = strcmp(word, "FILE") == 0 ? path : strcmp(word, "OUT") == 0 ? OUTPUT : word;
    }
    tool_run(arguments, -1);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    const paje_command *command = NULL;
    const char *trial;
    char path[64];
    size_t count = 0, i;
    int file;
    if (size < 2)
        return 0;
    while (find_trial(count, &command))
        count++;
    file = tool_file(path, sizeof path);
    if (!(bytes[1] & 1))
        tool_write(file, scene_header, sizeof scene_header - 1);
    if (!(bytes[1] & 2))
        tool_write(file, scene_body, sizeof scene_body - 1);
    tool_write(file, bytes + 2, size - 2);
    for (i = 0; i < count; i++) {
        trial = find_trial(i, &command);
        if (bytes[0] == 0xff || bytes[0] % count == i)
            run_trial(command, trial, path);
    }
    close(file);
    return 0;
}
