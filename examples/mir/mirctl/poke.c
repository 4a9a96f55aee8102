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

typedef struct {
    change changes[GUARD_CHANGES];
    size_t count;
    const char *at; /* NULL: at once */
    int wait;       /* ms */
    format how;
} options;

static void add_change(const process *in, options *asked, change_kind kind, char *text)
{
    change *it = &asked->changes[asked->count];
    char *equals = kind == CHANGE_SET ? strchr(text, '=') : NULL;
    if (kind == CHANGE_SET && !equals)
        misuse(text, "NAME=VALUE is expected");
    if (++asked->count == GUARD_CHANGES)
        misuse(text, "too many changes at once");
    if (equals)
        *equals++ = 0;
    it->kind = kind;
    it->name = text;
    if (kind == CHANGE_CALL)
        read_arguments(in, it, text);
    else
        it->of = process_variable(in, text);
    if (equals && !variable_parse(&it->of, equals, it->bytes))
        misuse(equals, "this is no value of this variable: a number that fits it is expected");
}

/* Returns the exit status if there is nothing to do, -1 otherwise. */
static int read_options(const process *in, options *asked, int argc, char **argv)
{
    int option, has_call = 0;
    while ((option = getopt_long(argc, argv, "", names, NULL)) != -1)
        switch (option) {
        case GET:
            add_change(in, asked, CHANGE_GET, optarg);
            break;
        case SET:
            add_change(in, asked, CHANGE_SET, optarg);
            break;
        case CALL:
            add_change(in, asked, CHANGE_CALL, optarg);
            has_call = 1;
            break;
        case AT:
            asked->at = optarg;
            break;
        case WAIT:
            asked->wait = (int)read_time(optarg);
            break;
        case XML:
        case JSON:
            asked->how = option == XML ? FORMAT_XML : FORMAT_JSON;
            break;
        case HELP:
            fputs(usage, stdout);
            return 0;
        default:
            fputs(usage, stderr);
            return 2;
        }
    if (!asked->count || optind < argc) {
        fputs(usage, stderr);
        return 2;
    }
    if (has_call && !asked->at)
        misuse("--call", "needs --at FUNCTION: anywhere else the process may hold a lock that the call waits for");
    return -1;
}

/* Makes the changes in a process of its own, which cleans up whatever happens to its parent.  Returns as `poke`. */
static int change_at_entry(const process *in, const options *asked, const int channel[2])
{
    const uint64_t entry = process_find(in, asked->at, STT_FUNC).value;
    const pid_t guard = fork();
    int is_refused;
    if (guard == -1)
        fail("poke", strerror(errno));
    if (guard == 0) {
        close(channel[0]);
        setsid();
        guard_run(channel[1], in, entry, asked->changes, asked->count, asked->wait);
        _exit(0);
    }
    close(channel[1]);
    is_refused = print_replies(channel[0], asked->count, asked->how);
    waitpid(guard, NULL, 0); /* the process is not traced any more */
    return is_refused;
}

int poke(int argc, char **argv)
{
    static process in;
    static options asked = {.wait = 10000, .how = FORMAT_TABLE};
    int channel[2], status;
    if (argc < 2 || strcmp(argv[1], "--help") == 0) {
        fputs(usage, argc < 2 ? stderr : stdout);
        return argc < 2 ? 2 : 0;
    }
    process_open(&in, argv[1]);
    status = read_options(&in, &asked, argc - 1, argv + 1);
    if (status >= 0)
        return status;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, channel) != 0)
        fail("poke", strerror(errno));
    if (asked.at)
        return change_at_entry(&in, &asked, channel);
    for (size_t i = 0; i < asked.count; i++)
        change_at_once(channel[1], &in, &asked.changes[i]);
    return print_replies(channel[0], asked.count, asked.how);
}
