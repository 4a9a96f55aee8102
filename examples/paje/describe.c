/* The manual page and the completion of shells, from the tables of commands and options. */
#include "describe.h"
#include "command.h"

#include <string.h>

static text_buffer *const out = &stream_output;

static int has_letter(const paje_option *option)
{
    return option->key < 256;
}

static int takes_path(const paje_option *option)
{
    static const char *const paths[] = {"FILE", "FOLDER", "DIR", "OUT"};
    for (size_t i = 0; option->argument && i < sizeof paths / sizeof *paths; i++)
        if (strcmp(option->argument, paths[i]) == 0)
            return 1;
    return 0;
}

/* ---- manual page */

/* Appends text in which nothing means anything to troff. */
static void put_roff(const char *text)
{
    int begins_line = 1;
    for (; *text; text++) {
        if (begins_line && (*text == '.' || *text == '\''))
            text_puts(out, "\\&");
        begins_line = *text == '\n';
        switch (*text) {
        case '\\': text_puts(out, "\\e"); break;
        case '-': text_puts(out, "\\-"); break;
        case '\'': text_puts(out, "\\(aq"); break;
        case '`': text_puts(out, "\\(ga"); break;
        case '^': text_puts(out, "\\(ha"); break;
        case '~': text_puts(out, "\\(ti"); break;
        default: text_putc(out, *text);
        }
    }
}

static void put_roff_option(const paje_option *option)
{
    text_puts(out, ".TP\n");
    if (has_letter(option))
        text_printf(out, "\\fB\\-%c\\fR, ", option->key);
    text_puts(out, "\\fB\\-\\-");
    put_roff(option->name);
    text_puts(out, "\\fR");
    if (option->argument) {
        text_puts(out, paje_argument_is_optional(option) ? "\\fI" : "=\\fI");
        put_roff(option->argument);
        text_puts(out, "\\fR");
    }
    text_putc(out, '\n');
    put_roff(option->help);
    text_putc(out, '\n');
}

static void put_roff_command(const paje_command *command)
{
    text_puts(out, ".SS \"paje ");
    put_roff(command->name);
    text_puts(out, " [OPTIONS] ");
    put_roff(paje_operands(command));
    text_puts(out, "\"\n");
    put_roff(command->summary);
    text_puts(out, ".\n");
    if (command->details) {
        text_puts(out, ".PP\n.nf\n");
        put_roff(command->details);
        text_puts(out, "\n.fi\n");
    }
    const paje_option *option;
    for (size_t i = 0; (option = paje_option_at(command, i)) != NULL; i++)
        if (!paje_is_common(option))
            put_roff_option(option);
}

static void print_man(void)
{
    text_printf(out,
                ".\\\" Made from the help of paje by `make install`.\n"
                ".TH PAJE 1 \"\" \"paje %s\" \"User Commands\"\n.SH NAME\n"
                "paje \\- checks, analyses, draws and converts traces of the Paj\\('e format\n.SH SYNOPSIS\n"
                ".B paje\n.I COMMAND\n[\\fIOPTIONS\\fR] [\\fIFILE\\fR]\n.SH DESCRIPTION\n"
                "Each command replays one trace or several.  A file that is absent or \\- is standard input;\n"
                "traces that gzip, xz or zstd compressed are read as they are.\n.SH COMMANDS\n",
                PAJE_VERSION_TEXT);
    for (size_t i = 0; i < paje_command_count; i++)
        put_roff_command(paje_commands[i]);
    text_puts(out, ".SH \"OPTIONS OF EVERY COMMAND\"\n");
    const paje_option *option;
    for (size_t i = 0; (option = paje_option_at(paje_commands[0], i)) != NULL; i++)
        if (paje_is_common(option))
            put_roff_option(option);
    text_puts(out, ".SH \"EXIT STATUS\"\n0 success, perhaps with warnings; 1 the trace has errors; 2 usage;\n"
                   "3 input, output or memory failed; 141 the reader of the output has gone.\n"
                   ".SH \"SEE ALSO\"\n.BR pj_dump (1),\n.BR vite (1)\n");
}

/* ---- completion */

static void put_option_words(const paje_option *option)
{
    if (has_letter(option))
        text_printf(out, "-%c ", option->key);
    text_printf(out, "--%s ", option->name);
}

static void print_bash(void)
{
    text_puts(out, "# Completion of paje for bash.\n_paje()\n{\n"
                   "    local current=${COMP_WORDS[COMP_CWORD]} words=\n"
                   "    COMPREPLY=()\n    if [ \"$COMP_CWORD\" = 1 ]; then\n        words='");
    for (size_t i = 0; i < paje_command_count; i++)
        text_printf(out, "%s ", paje_commands[i]->name);
    text_puts(out, "--help --version'\n        COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n        return\n"
                   "    fi\n    [[ $current == -* ]] || return\n    case ${COMP_WORDS[1]} in\n");
    for (size_t i = 0; i < paje_command_count; i++) {
        const paje_option *option;
        text_printf(out, "    %s) words='", paje_commands[i]->name);
        for (size_t k = 0; (option = paje_option_at(paje_commands[i], k)) != NULL; k++)
            put_option_words(option);
        text_puts(out, "' ;;\n");
    }
    text_puts(out, "    esac\n    COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n}\n"
                   "complete -o default -o bashdefault -F _paje paje\n");
}

/* Appends text within single quotes of a shell; `special` gets a backslash before each of its characters. */
static void put_quoted(const char *text, const char *special, const char *quote)
{
    for (; *text; text++) {
        if (*text == '\'') {
            text_puts(out, quote);
            continue;
        }
        if (strchr(special, *text))
            text_putc(out, '\\');
        text_putc(out, *text == '\n' ? ' ' : *text);
    }
}

static void put_zsh(const char *text, const char *special)
{
    put_quoted(text, special, "'\\''");
}

static void put_zsh_option(const paje_option *option)
{
    if (has_letter(option))
        text_printf(out, "        '(-%c --%s)'{-%c%s,--%s%s}'[", option->key, option->name, option->key,
                    option->argument ? "+" : "", option->name, option->argument ? "=" : "");
    else
        text_printf(out, "        '--%s%s[", option->name,
                    paje_argument_is_optional(option) ? "=-" : option->argument ? "=" : "");
    put_zsh(option->help, "[]\\:");
    text_puts(out, "]");
    if (option->argument) {
        text_puts(out, paje_argument_is_optional(option) ? "::" : ":");
        put_zsh(option->argument, "[]\\:");
        text_puts(out, takes_path(option) ? ":_files" : ": ");
    }
    text_puts(out, "' \\\n");
}

static void print_zsh(void)
{
    text_puts(out, "#compdef paje\n# Completion of paje for zsh.\n_paje() {\n    local -a commands=(\n");
    for (size_t i = 0; i < paje_command_count; i++) {
        text_printf(out, "        '%s:", paje_commands[i]->name);
        put_zsh(paje_commands[i]->summary, "\\:");
        text_puts(out, "'\n");
    }
    text_puts(out, "    )\n    if (( CURRENT == 2 )); then\n        _describe command commands\n"
                   "        return\n    fi\n    local command=${words[2]}\n    shift words\n    (( CURRENT-- ))\n"
                   "    case $command in\n");
    for (size_t i = 0; i < paje_command_count; i++) {
        const paje_option *option;
        text_printf(out, "    (%s) _arguments -s -S \\\n", paje_commands[i]->name);
        for (size_t k = 0; (option = paje_option_at(paje_commands[i], k)) != NULL; k++)
            put_zsh_option(option);
        text_puts(out, "        '*:file:_files' ;;\n");
    }
    text_puts(out, "    esac\n}\n_paje \"$@\"\n");
}

static void put_fish_text(const char *text)
{
    put_quoted(text, "\\", "\\'");
}

static void print_fish(void)
{
    text_puts(out, "# Completion of paje for fish.\ncomplete -c paje -n __fish_use_subcommand -f\n");
    for (size_t i = 0; i < paje_command_count; i++) {
        const paje_command *command = paje_commands[i];
        const paje_option *option;
        text_printf(out, "complete -c paje -n __fish_use_subcommand -a %s -d '", command->name);
        put_fish_text(command->summary);
        text_puts(out, "'\n");
        for (size_t k = 0; (option = paje_option_at(command, k)) != NULL; k++) {
            text_printf(out, "complete -c paje -n '__fish_seen_subcommand_from %s'", command->name);
            if (has_letter(option))
                text_printf(out, " -s %c", option->key);
            text_printf(out, " -l %s%s%s -d '", option->name,
                        option->argument && !paje_argument_is_optional(option) ? " -r" : "",
                        option->argument && !takes_path(option) ? " -f" : "");
            put_fish_text(option->help);
            text_puts(out, "'\n");
        }
    }
}

int paje_describe(const char *name)
{
    static const struct {
        const char *name;
        void (*print)(void);
    } descriptions[] = {{"man", print_man}, {"bash", print_bash}, {"zsh", print_zsh}, {"fish", print_fish}};
    for (size_t i = 0; i < sizeof descriptions / sizeof *descriptions; i++)
        if (strcmp(descriptions[i].name, name) == 0) {
            descriptions[i].print();
            return 1;
        }
    return 0;
}
