/* mirctl poke: variables and calls of a process that was not prepared. */
#include "guard.h"
#include "mirctl.h"

#include "live/markup.h"

#include <elf.h>
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static const char usage[] =
    "usage: mirctl poke PROCESS [OPTION...]    a process of this user, which needs no preparation but its symbols\n"
    "  --get NAME              a variable outside of functions: an integer; NAME:float, NAME:double\n"
    "  --set NAME=VALUE        changes it; FILE/NAME: that of a source file, if there are several\n"
    "  --call NAME[:N,...]     calls a function once, with up to 6 integers; needs --at\n"
    "  --at NAME               all this where a thread enters this function next, in that thread\n"
    "  --wait TIME             how long it may take until then, and a call (10s)\n"
    "  --xml --json            how replies are printed; a table by default\n"
    "Nothing is changed if the function is not entered in time.  --at and --call: x86-64 only.\n";

enum { GET = 256, SET, CALL, AT, WAIT, XML, JSON, HELP };
static const struct option names[] = {{"get", 1, NULL, GET},   {"set", 1, NULL, SET}, {"call", 1, NULL, CALL},
                                      {"at", 1, NULL, AT},     {"wait", 1, NULL, WAIT}, {"xml", 0, NULL, XML},
                                      {"json", 0, NULL, JSON}, {"help", 0, NULL, HELP}, {NULL, 0, NULL, 0}};

void change_report(int channel, const change *it, const outcome *how)
{
    char bytes[2048], number[64];
    markup text = {bytes, 0, sizeof bytes - 1, 0};
    const int is_got = it->kind == CHANGE_GET && strcmp(how->status, "applied") == 0;
    markup_put(&text, is_got ? "<variable" : "<tuned");
    if (!is_got)
        markup_print(&text, " id=\"%ld\"", (long)getpid());
    markup_attribute(&text, "name", it->name);
    if (is_got) {
        variable_print(&it->of, how->before, number, sizeof number);
        markup_attribute(&text, "value", number);
    } else {
        markup_attribute(&text, "status", how->status);
        markup_attribute(&text, "reason", *how->reason ? how->reason : NULL);
    }
    if (it->kind != CHANGE_GET && strcmp(how->status, "applied") == 0) {
        if (it->kind == CHANGE_SET) {
            variable_print(&it->of, how->before, number, sizeof number);
            markup_attribute(&text, "old", number);
            variable_print(&it->of, it->bytes, number, sizeof number);
            markup_attribute(&text, "new", number);
        } else {
            snprintf(number, sizeof number, "%lld", (long long)how->result);
            markup_attribute(&text, "result", number);
        }
    }
    if (how->stopped >= 0) {
        snprintf(number, sizeof number, "%.6f", how->stopped);
        markup_attribute(&text, "stopped", number);
    }
    markup_put(&text, "/>\n");
    for (size_t at = 0; at < text.size;) {
        const ssize_t sent = send(channel, bytes + at, text.size - at, MSG_NOSIGNAL);
        if (sent <= 0 && errno != EINTR)
            return;
        at += sent > 0 ? (size_t)sent : 0;
    }
}

static void misuse(const char *what, const char *why)
{
    fprintf(stderr, "mirctl poke: %s: %s\n", what, why);
    exit(2);
}

static void read_arguments(const process *in, change *it, char *text)
{
    char *colon = strrchr(text, ':'), *end;
    size_t count = 0;
    if (colon && colon > text && colon[-1] == ':') /* of a name of C++ */
        colon = NULL;
    if (colon)
        *colon = 0;
    it->function = process_find(in, text, STT_FUNC).value;
    for (char *word = colon ? strtok(colon + 1, ",") : NULL; word; word = strtok(NULL, ",")) {
        errno = 0;
        if (count == CHANGE_ARGUMENTS)
            misuse(text, "a call has at most 6 arguments");
        it->arguments[count++] = strtoll(word, &end, 0);
        if (*end || end == word || errno)
            misuse(word, "an argument is an integer");
    }
}

/* Prints what comes.  Returns 1 if something was not possible. */
static int print_replies(int channel, size_t count, format how)
{
    static document received;
    static const question none;
    int is_refused = 0;
    received.status = DOCUMENT_BAD; /* nothing is kept of it */
    for (size_t i = 0; i < count; i++) {
        document_text status;
        if (!receive(channel, &received, -1))
            fail("poke", "the process that traces was ended");
        if (document_is(received.element[1].name, "errors")) {
            const document_text text = received.element[received.element[1].first].text;
            fprintf(stderr, "mirctl poke: %.*s\n", (int)text.size, text.bytes);
            return 1;
        }
        status = document_value(&received, 1, "status");
        is_refused |= status.bytes && !document_is(status, "applied");
        show_document(&received, how, &none);
        fflush(stdout);
    }
    return is_refused;
}

int poke(int argc, char **argv)
{
    static process in;
    static change changes[GUARD_CHANGES];
    size_t count = 0;
    format how = FORMAT_TABLE;
    const char *at = NULL;
    long wait = 10000;
    int option, channel[2], has_call = 0, is_refused;
    pid_t guard;
    uint64_t entry;
    if (argc < 2 || strcmp(argv[1], "--help") == 0) {
        fputs(usage, argc < 2 ? stderr : stdout);
        return argc < 2 ? 2 : 0;
    }
    process_open(&in, argv[1]);
    while ((option = getopt_long(argc - 1, argv + 1, "", names, NULL)) != -1) {
        change *it = &changes[count];
        char *equals = option == SET ? strchr(optarg, '=') : NULL;
        if (option == SET && !equals)
            misuse(optarg, "NAME=VALUE is expected");
        if (equals)
            *equals++ = 0;
        switch (option) {
        case GET:
        case SET:
        case CALL:
            if (++count == GUARD_CHANGES)
                misuse(optarg, "too many changes at once");
            it->kind = option == GET ? CHANGE_GET : option == SET ? CHANGE_SET : CHANGE_CALL;
            it->name = optarg;
            if (option == CALL)
                read_arguments(&in, it, optarg);
            else
                it->of = process_variable(&in, optarg);
            has_call |= option == CALL;
            if (equals && !variable_parse(&it->of, equals, it->bytes))
                misuse(equals, "this is no value of this variable: a number that fits it is expected");
            break;
        case AT:
            at = optarg;
            break;
        case WAIT:
            wait = read_time(optarg);
            break;
        case XML:
        case JSON:
            how = option == XML ? FORMAT_XML : FORMAT_JSON;
            break;
        case HELP:
            fputs(usage, stdout);
            return 0;
        default:
            fputs(usage, stderr);
            return 2;
        }
    }
    if (!count || optind < argc - 1) {
        fputs(usage, stderr);
        return 2;
    }
    if (has_call && !at)
        misuse("--call", "needs --at FUNCTION: anywhere else the process may hold a lock that the call waits for");
    entry = at ? process_find(&in, at, STT_FUNC).value : 0;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, channel) != 0)
        fail("poke", strerror(errno));
    if (!at) {
        for (size_t i = 0; i < count; i++)
            change_at_once(channel[1], &in, &changes[i]);
        return print_replies(channel[0], count, how);
    }
    switch (guard = fork()) {
    case -1:
        fail("poke", strerror(errno));
        break;
    case 0: /* cleans up, whatever happens to its parent */
        close(channel[0]);
        setsid();
        guard_run(channel[1], &in, entry, changes, count, (int)wait);
        _exit(0);
    default:
        close(channel[1]);
    }
    is_refused = print_replies(channel[0], count, how);
    waitpid(guard, NULL, 0); /* the process is not traced any more */
    return is_refused;
}
