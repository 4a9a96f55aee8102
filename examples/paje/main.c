/* paje COMMAND [OPTIONS] [FILE]: finds the command and replays the trace with it. */
#include "base/similar.h"
#include "command.h"
#include "describe.h"

#include <errno.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PAJE_COMMAND(name) extern const paje_command command_##name;
#include "command_list.h"
#undef PAJE_COMMAND

const paje_command *const paje_commands[] = {
#define PAJE_COMMAND(name) &command_##name,
#include "command_list.h"
#undef PAJE_COMMAND
};

const size_t paje_command_count = sizeof paje_commands / sizeof *paje_commands;

static void print_help(void)
{
    text_printf(&stream_output, "Usage: paje COMMAND [OPTIONS] [FILE]\n"
                            "Replays traces of the Paj\xc3\xa9 format.\n\nCommands:\n");
    for (size_t i = 0; i < paje_command_count; i++)
        text_printf(&stream_output, "  %-10s %s\n", paje_commands[i]->name, paje_commands[i]->summary);
    text_printf(&stream_output, "\n  paje COMMAND --help  describes one of them\n"
                            "  paje --version       prints the versions of the tool and of its header\n");
}

/* Prints the command lines with which the tests try each command, one a line. */
static void print_trials(void)
{
    for (size_t i = 0; i < paje_command_count; i++)
        for (const char *trial = paje_commands[i]->trials; trial && *trial;) {
            size_t size = strcspn(trial, "\n");
            text_printf(&stream_output, "%s %.*s\n", paje_commands[i]->name, (int)size, trial);
            trial += size + (trial[size] != '\0');
        }
}

void paje_print_version(void)
{
    uint32_t version = pajesim_version();
    text_printf(&stream_output, "paje %s, pajesim.h %lu.%lu.%lu\n", PAJE_VERSION_TEXT, (unsigned long)(version >> 16),
                (unsigned long)(version >> 8 & 0xff), (unsigned long)(version & 0xff));
}

static const paje_command *find_command(const char *name)
{
    for (size_t i = 0; i < paje_command_count; i++)
        if (strcmp(paje_commands[i]->name, name) == 0)
            return paje_commands[i];
    return NULL;
}

/* Says that there is no such command, and which one is spelled alike. */
static NO_RETURN void refuse_command(const char *word)
{
    similar_name alike = {word, NULL, 0};
    for (size_t i = 0; i < paje_command_count; i++)
        similar_offer(&alike, paje_commands[i]->name);
    if (alike.name)
        paje_usage(NULL, "`%s` is no command; did you mean `%s`?", word, alike.name);
    paje_usage(NULL, "`%s` is no command%s", word, word[0] == '-' ? "; options follow it" : "");
}

/* Returns the command that stands in for another program if the tool was called by its name; NULL: it was not. */
static const paje_command *find_alias(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL, *name = slash ? slash + 1 : path;
    for (size_t i = 0; name && i < paje_command_count; i++)
        if (paje_commands[i]->alias && strcmp(paje_commands[i]->alias->name, name) == 0)
            return paje_commands[i];
    return NULL;
}

/* Runs the command of `settings` with the options that follow argv[0]. */
static int run(paje_settings *settings, int argc, char **argv)
{
    const paje_command *command = settings->command;
    settings->callbacks = command->callbacks;
    settings->begin = command->begin;
    settings->end = command->end;
    settings->table = command->table;
    int first = paje_parse_options(argc, argv, settings);
    int traces = command->traces;
    if (argc - first > traces)
        paje_usage(command, "`%s`: one file too many", argv[first + traces]);
    if (traces > 1 && traces != PAJE_ANY && !command->operands && argc - first < traces)
        paje_usage(command, "it takes %d files", traces);
    for (int i = first, inputs = 0; i < argc && !command->operands; i++)
        if (strcmp(argv[i], "-") == 0 && ++inputs > 1)
            paje_usage(command, "standard input is one trace: `-` stands twice");

    int status = EXIT_OK;
    if (command->run)
        status = command->run(settings, argv + first, argc - first);
    for (int i = 0; i < traces && !command->run; i++) {
        const char *name = first + i < argc ? argv[first + i] : "-";
        int one = command->filters & PAJE_FROM_INDEX ? paje_replay_chosen(settings, name, i)
                                                     : paje_replay(settings, name, i);
        status = one > status ? one : status;
    }
    if (command->result)
        status = command->result(status);
    if (settings->alias && settings->alias->result)
        status = settings->alias->result(status);
    stream_flush();
    if (close(STDOUT_FILENO) < 0 && errno != EBADF) /* some file systems report only now that they are full */
        stream_fail("standard output: %s", strerror(errno));
    return status;
}

/* write() returns EPIPE and EFBIG in place of signals; and children are waited for, also where this process was begun
 * by one that ignores theirs. */
static const int own_signals[] = {SIGPIPE, SIGXFSZ, SIGCHLD};
static void (*inherited[sizeof own_signals / sizeof *own_signals])(int);

static void take_signals(void)
{
    for (size_t i = 0; i < sizeof own_signals / sizeof *own_signals; i++)
        inherited[i] = signal(own_signals[i], own_signals[i] == SIGCHLD ? SIG_DFL : SIG_IGN);
}

void paje_give_signals_back(void)
{
    for (size_t i = 0; i < sizeof own_signals / sizeof *own_signals; i++)
        signal(own_signals[i], inherited[i]);
}

int main(int argc, char **argv)
{
    static paje_settings settings;
    program_name = "paje";
    stream_begin();
    setlocale(LC_CTYPE, "C.UTF-8"); /* one ? of a GLOB is one character, whatever the environment; numbers as in C */
    take_signals();
    settings.command = find_alias(argv[0]);
    if (settings.command) {
        settings.alias = settings.command->alias;
        program_name = settings.alias->name;
        return run(&settings, argc, argv);
    }
    if (argc < 2)
        paje_usage(NULL, "a command is needed");
    if (argc > 2 && strcmp(argv[1], "help") == 0) { /* paje help COMMAND */
        static char option[] = "--help";
        argv[1] = argv[2];
        argv[2] = option;
    }
    int help = strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0;
    int version = strcmp(argv[1], "--version") == 0;
    if (help || version || strcmp(argv[1], "--commands") == 0) {
        if (help)
            print_help();
        else if (version)
            paje_print_version();
        else
            print_trials();
        stream_flush();
        return EXIT_OK;
    }

    if (strcmp(argv[1], "--describe") == 0) {
        if (argc != 3 || !paje_describe(argv[2]))
            paje_usage(NULL, "--describe takes man, bash, zsh or fish");
        stream_flush();
        return EXIT_OK;
    }
    settings.command = find_command(argv[1]);
    if (!settings.command)
        refuse_command(argv[1]);
    return run(&settings, argc - 1, argv + 1);
}
