/* paje COMMAND [OPTIONS] [FILE]: finds the command and hands it the trace. */
#include "paje.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PAJE_PLUGIN(name) extern const paje_plugin paje_##name;
#include "plugins.h"
#undef PAJE_PLUGIN

static const paje_plugin *const plugins[] = {
#define PAJE_PLUGIN(name) &paje_##name,
#include "plugins.h"
#undef PAJE_PLUGIN
};

enum { PLUGIN_COUNT = sizeof plugins / sizeof *plugins };

static void print_help(void)
{
    paje_addf(&paje_output, "Usage: paje COMMAND [OPTIONS] [FILE]\n"
                            "Replays traces of the Paj\xc3\xa9 format.\n\nCommands:\n");
    for (size_t i = 0; i < PLUGIN_COUNT; i++)
        paje_addf(&paje_output, "  %-10s %s\n", plugins[i]->name, plugins[i]->summary);
    paje_addf(&paje_output, "\n  paje COMMAND --help  tells about one of them\n"
                            "  paje --version       tells the versions of the tool and of its header\n");
}

static void print_version(void)
{
    uint32_t version = pajesim_version();
    paje_addf(&paje_output, "paje %s, pajesim.h %lu.%lu.%lu\n", PAJE_VERSION_TEXT, (unsigned long)(version >> 16),
              (unsigned long)(version >> 8 & 0xff), (unsigned long)(version & 0xff));
}

static const paje_plugin *find_plugin(const char *name)
{
    for (size_t i = 0; i < PLUGIN_COUNT; i++)
        if (strcmp(plugins[i]->name, name) == 0)
            return plugins[i];
    return NULL;
}

int main(int argc, char **argv)
{
    signal(SIGPIPE, SIG_IGN); /* write tells */
    if (argc < 2)
        paje_usage(NULL, "a command is needed");
    int help = strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0;
    if (help || strcmp(argv[1], "--version") == 0) {
        if (help)
            print_help();
        else
            print_version();
        paje_flush();
        return PAJE_WELL;
    }

    paje_settings settings;
    memset(&settings, 0, sizeof settings);
    settings.plugin = find_plugin(argv[1]);
    if (!settings.plugin)
        paje_usage(NULL, "`%s` is no command%s", argv[1], argv[1][0] == '-' ? "; options follow it" : "");
    argc--;
    argv++;
    int first = paje_parse_options(argc, argv, &settings);
    int traces = settings.plugin->traces;
    if (argc - first > traces)
        paje_usage(settings.plugin, "`%s`: one file too many", argv[first + traces]);
    if (traces > 1 && traces != PAJE_ANY && !settings.plugin->operands && argc - first < traces)
        paje_usage(settings.plugin, "it takes %d files", traces);

    int status = PAJE_WELL;
    if (settings.plugin->run)
        status = settings.plugin->run(&settings, argv + first, argc - first);
    for (int i = 0; i < traces && !settings.plugin->run; i++) {
        int one = paje_replay(&settings, first + i < argc ? argv[first + i] : "-", i);
        status = one > status ? one : status;
    }
    if (settings.plugin->result)
        status = settings.plugin->result(status);
    paje_flush();
    if (close(STDOUT_FILENO) < 0 && errno != EBADF) /* some file systems tell only now that they are full */
        paje_fail("standard output: %s", strerror(errno));
    return status;
}
