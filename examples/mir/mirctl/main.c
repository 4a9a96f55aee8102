/* mirctl: asks a program while it runs, and changes it. */
#include "mirctl.h"

#include "base/text.h"
#include "live/clock.h"
#include "trace/categories.h"

#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static const char usage[] =
    "usage: mirctl PROGRAM [OPTION...]      PROGRAM: a process number (started with PAJE_LIVE=@), or the path of a "
    "socket\n"
    "       mirctl poke PROCESS [OPTION...] a process that was not prepared: see mirctl poke --help\n"
    "measures\n"
    "  -r, --region REGION     the metrics of a region: from its beginning to its end\n"
    "  -m, --metric NAME,...   WC_TIME and others of the catalogue (WC_TIME)\n"
    "  -a, --aggregate LIST    average, maximum, minimum, sum, variance (or mean, max, min), all; else the last value\n"
    "  -t, --thread ID         of a thread (more than one -t: of these); else of all\n"
    "  -i, --interval TIME     again after each TIME, such as 1s, 200ms; else once, after one second\n"
    "  -n, --count N           so many times; else until it is interrupted or the program ends\n"
    "tells\n"
    "  --catalog  --snapshot[=STACK]  --sir (PROGRAM may be an ELF file)  --clock (the program's clock against that of "
    "this machine)\n"
    "changes\n"
    "  --set NAME=VALUE   --replace SLOT=CHOICE   --call NAME   --at PLACE   --on/--off CATEGORIES (names, or bits)\n"
    "documents\n"
    "  -d, --document FILE     sends the documents of a file, and prints the replies (-: standard input)\n"
    "  --wait TIME             prints what else comes, for so long\n"
    "  --xml --json --openmetrics   how replies are printed; a table by default\n"
    "  --show                  prints the documents that go over the wire on standard error\n"
    "  --trace[=THREAD]        the trace of the program, or of a thread that has its own, on standard output\n";

enum {
    CATALOG = 256,
    SNAPSHOT,
    SIR,
    CLOCK,
    SET,
    REPLACE,
    CALL,
    AT,
    ON,
    OFF,
    WAIT,
    XML,
    JSON,
    OPENMETRICS,
    SHOW,
    TRACE,
    HELP
};
static const struct option names[] = {{"region", 1, NULL, 'r'},
                                      {"metric", 1, NULL, 'm'},
                                      {"aggregate", 1, NULL, 'a'},
                                      {"thread", 1, NULL, 't'},
                                      {"interval", 1, NULL, 'i'},
                                      {"count", 1, NULL, 'n'},
                                      {"document", 1, NULL, 'd'},
                                      {"catalog", 0, NULL, CATALOG},
                                      {"snapshot", 2, NULL, SNAPSHOT},
                                      {"sir", 0, NULL, SIR},
                                      {"clock", 0, NULL, CLOCK},
                                      {"set", 1, NULL, SET},
                                      {"replace", 1, NULL, REPLACE},
                                      {"call", 1, NULL, CALL},
                                      {"at", 1, NULL, AT},
                                      {"on", 1, NULL, ON},
                                      {"off", 1, NULL, OFF},
                                      {"wait", 1, NULL, WAIT},
                                      {"xml", 0, NULL, XML},
                                      {"json", 0, NULL, JSON},
                                      {"openmetrics", 0, NULL, OPENMETRICS},
                                      {"show", 0, NULL, SHOW},
                                      {"trace", 2, NULL, TRACE},
                                      {"help", 0, NULL, HELP},
                                      {NULL, 0, NULL, 0}};

static document received;
static question asked;
static format how = FORMAT_TABLE;
static int connection, is_shown;
static volatile sig_atomic_t is_interrupted;

static void interrupted(int signal)
{
    (void)signal;
    is_interrupted = 1;
}

NO_RETURN static void misuse(const char *what, const char *why)
{
    fprintf(stderr, "mirctl: %s: %s\n", what, why);
    exit(2);
}

static void ask(const char *text)
{
    if (is_shown)
        fprintf(stderr, "-> %s\n", text);
    send_text(connection, text);
}

/* Prints a text of the program on standard error, fit for a terminal. */
static void tell_text(document_text text)
{
    text_buffer shown = {0};
    text_put_printable(&shown, (pajesim_text){text.bytes, text.size});
    fprintf(stderr, "mirctl: %.*s\n", (int)shown.size, shown.bytes);
    text_free(&shown);
}

/* Receives a document.  Ends the program if it is not there after so long. */
static void reply(int milliseconds)
{
    if (!receive(connection, &received, milliseconds))
        fail("reply", "the program has ended, or does not reply");
    if (is_shown) {
        fflush(stdout);
        const int output = dup(1);
        dup2(2, 1);
        printf("<- ");
        show_raw(&received);
        fflush(stdout);
        dup2(output, 1);
        close(output);
    }
    if (document_is(received.element[1].name, "errors")) {
        const document_text text = received.element[received.element[1].first].text;
        tell_text(text);
        exit(1);
    }
}

long read_time(const char *text)
{
    char *end;
    const double number = strtod(text, &end);
    const double scale = strcmp(end, "ms") == 0           ? 1
                         : strcmp(end, "s") == 0 || !*end ? 1000
                         : strcmp(end, "m") == 0          ? 60000
                                                          : 0;
    if (end == text || !(number > 0) || number > 1e6 || scale == 0)
        misuse(text, "this is no time, such as 1s or 200ms");
    return number * scale < 1 ? 1 : (long)(number * scale);
}

/* Calls for each word of a list. */
static void for_each_word(char *list, void (*take)(char *))
{
    for (char *word = strtok(list, ","); word; word = strtok(NULL, ","))
        take(word);
}

static void take_metric(char *word)
{
    if (asked.metrics == REQUEST_METRICS || strlen(word) >= REQUEST_NAME)
        misuse(word, "too many metrics, or a name that is too long");
    memcpy(asked.metric[asked.metrics++], word, strlen(word) + 1);
}

static void take_function(char *word)
{
    static const char *const short_names[] = {"average", "maximum", "minimum", "sum", "variance"};
    const size_t size = strlen(word);
    if (strcmp(word, "all") == 0) {
        for (asked.functions = 0; asked.functions < REQUEST_FUNCTIONS; asked.functions++)
            asked.function[asked.functions] = (uint8_t)asked.functions;
        return;
    }
    for (uint8_t i = 0; i < REQUEST_FUNCTIONS && asked.functions < REQUEST_FUNCTIONS; i++)
        if ((size >= 3 && strncasecmp(word, short_names[i], size) == 0) || (i == 0 && strcmp(word, "mean") == 0)) {
            asked.function[asked.functions++] = i;
            return;
        }
    misuse(word, "this is not average, maximum, minimum, sum, variance or all");
}

/* Bits of categories: a number, or names of those of `paje trace`. */
static long read_categories(char *list)
{
    static const struct {
        const char *name;
        long bit;
    } categories[] = {
#define CATEGORY(name, NAME, bit, help) {#name, 1L << (bit)},
        TRACE_CATEGORIES(CATEGORY)
#undef CATEGORY
    };
    long bits = 0;
    if (*list && strspn(list, "0123456789") == strlen(list))
        return atol(list);
    for (char *word = strtok(list, ","); word; word = strtok(NULL, ",")) {
        size_t i = 0;
        while (i < sizeof categories / sizeof *categories && strcmp(word, categories[i].name) != 0)
            i++;
        if (i == sizeof categories / sizeof *categories)
            misuse(word, "this is no category: a number, or names as paje trace --help has them");
        bits |= categories[i].bit;
    }
    return bits;
}

/* A text as the value of an attribute. */
static const char *quoted(const char *text)
{
    static char bytes[4][6 * REQUEST_REGION];
    static int next;
    char *to = bytes[next = (next + 1) % 4], *p = to;
    for (; text && *text && p < to + 6 * (REQUEST_REGION - 1); text++)
        p += sprintf(p, *text == '<' ? "&lt;" : *text == '&' ? "&amp;" : *text == '"' ? "&quot;" : "%c", *text);
    *p = 0;
    return to;
}

/* Sends the documents of a file one by one, and prints what is replied to to each. */
static void send_file(const char *name, int wait)
{
    static char bytes[4096];
    FILE *file = strcmp(name, "-") == 0 ? stdin : fopen(name, "r");
    size_t size;
    if (!file)
        fail(name, strerror(errno));
    while ((size = fread(bytes, 1, sizeof bytes - 1, file)) > 0) {
        bytes[size] = 0;
        ask(bytes);
    }
    fclose(file);
    while (receive(connection, &received, wait))
        show_document(&received, how, &asked);
}

static void measure_region(char *const *threads, int thread_count, long interval, long count)
{
    static char text[16384];
    char *p = text;
    p += sprintf(p, "<instrreq activated=\"true\">");
    if (asked.region)
        p += sprintf(p, "<codeRegion from=\"%s\" to=\"%s\"/>", quoted(asked.region), quoted(asked.region));
    for (uint32_t i = 0; i < asked.metrics; i++)
        p += sprintf(p, "<metric name=\"%s\"/>", quoted(asked.metric[i]));
    if (asked.functions || !asked.region) {
        p += sprintf(p, asked.region ? "<measuring>" : "<measuring interval=\"%ld\">",
                     interval > 1000 ? 100 : interval / 10 + 1);
        for (uint32_t i = 0; i < asked.functions; i++)
            p += sprintf(p, "<aggregate function=\"%s\"/>", request_functions[asked.function[i]]);
        p += sprintf(p, "</measuring>");
    }
    for (int i = 0; i < thread_count; i++)
        p += sprintf(p, "<thread id=\"%s\"/>", quoted(threads[i]));
    sprintf(p, asked.region || thread_count ? "</instrreq>" : "<process id=\"*\"/></instrreq>");
    ask(text);
    reply(10000);
    char id[REQUEST_NAME];
    request_copy(id, sizeof id, document_value(&received, 1, "id"));
    sprintf(text, "<ctrlreq action=\"VALUE\"><probe id=\"%s\"/></ctrlreq>", id);
    const int is_screen = how == FORMAT_TABLE && isatty(1) && count != 1;
    for (long i = 0; (count == 0 || i < count) && !is_interrupted; i++) {
        const struct timespec pause = {interval / 1000, interval % 1000 * 1000000};
        nanosleep(&pause, NULL);
        if (is_interrupted)
            break;
        ask(text);
        reply(10000);
        if (is_screen)
            printf("\033[H\033[J");
        show_document(&received, how, &asked);
    }
    if (how == FORMAT_OPENMETRICS)
        printf("# EOF\n");
}

static void copy_trace(const char *thread)
{
    static char bytes[65536];
    ssize_t size;
    snprintf(bytes, sizeof bytes, thread ? "<tracereq thread=\"%s\"/>" : "<tracereq/>", thread ? quoted(thread) : "");
    ask(bytes);
    if (recv(connection, bytes, 8, MSG_PEEK | MSG_WAITALL) == 8 && memcmp(bytes, "<errors>", 8) == 0)
        reply(10000); /* no trace begins so */
    while ((size = read(connection, bytes, sizeof bytes)) > 0)
        if (fwrite(bytes, 1, (size_t)size, stdout) != (size_t)size || fflush(stdout) != 0)
            fail("standard output", strerror(errno));
}

static void tell_clock(void)
{
    clock_offset offset = {0};
    for (int i = 0; i < CLOCK_EXCHANGES; i++) {
        const int64_t sent = clock_local();
        ask("<ping/>");
        reply(10000);
        int64_t remote = 0;
        const document_text text = document_value(&received, 1, "received");
        if (!text.size || !clock_read(text.bytes, text.size, &remote))
            fail("reply", "this is no reply to <ping/>");
        clock_add(&offset, sent, remote, clock_local());
    }
    printf("the program's clock is %.9f s ahead of this one's, to %.9f s\n", (double)offset.offset / 1e9,
           (double)offset.round_trip / 2e9);
}

int main(int argc, char **argv)
{
    char changes[2048] = "", telling[200] = "", *threads[REQUEST_PATHS], *file = NULL;
    const char *target = argv[1], *at = NULL, *traced = NULL;
    long interval = 1000, count = -1;
    int option, thread_count = 0, is_clock = 0, is_trace = 0, wait = 500, has_measures = 0;
    if (argc > 1 && strcmp(argv[1], "poke") == 0)
        return poke(argc - 1, argv + 1);
    if (argc < 2 || strcmp(argv[1], "--help") == 0) {
        fputs(usage, argc < 2 ? stderr : stdout);
        return argc < 2 ? 2 : 0;
    }
    while ((option = getopt_long(argc - 1, argv + 1, "r:m:a:t:i:n:d:", names, NULL)) != -1) {
        char none[] = "", *value = optarg ? optarg : none, *equals = strchr(value, '=');
        char *end = changes + strlen(changes);
        const size_t rest = sizeof changes - strlen(changes);
        if ((option == SET || option == REPLACE) && !equals)
            misuse(value, "NAME=VALUE is expected");
        if (equals && (option == SET || option == REPLACE))
            *equals++ = 0;
        switch (option) {
        case 'r':
            asked.region = value;
            has_measures = 1;
            break;
        case 'm':
            for_each_word(value, take_metric);
            has_measures = 1;
            break;
        case 'a':
            for_each_word(value, take_function);
            has_measures = 1;
            break;
        case 't':
            if (thread_count < REQUEST_PATHS)
                threads[thread_count++] = value;
            break;
        case 'i':
            interval = read_time(value);
            count = count < 0 ? 0 : count;
            break;
        case 'n':
            count = atol(value);
            break;
        case 'd':
            file = value;
            break;
        case CATALOG:
            strcpy(telling, "<catalogreq/>");
            break;
        case SNAPSHOT:
            snprintf(telling, sizeof telling, "<snapshotreq named=\"true\" stack=\"%d\"/>", value ? atoi(value) : 0);
            break;
        case SIR:
            strcpy(telling, "<sirreq><resource in=\"self\"/></sirreq>");
            break;
        case CLOCK:
            is_clock = 1;
            break;
        case SET:
            snprintf(end, rest, "<set name=\"%s\" value=\"%s\"/>", quoted(value), quoted(equals));
            break;
        case REPLACE:
            snprintf(end, rest, "<replace name=\"%s\" with=\"%s\"/>", quoted(value), quoted(equals));
            break;
        case CALL:
            snprintf(end, rest, "<call name=\"%s\"/>", quoted(value));
            break;
        case ON:
        case OFF:
            snprintf(end, rest, "<categories %s=\"%ld\"/>", option == ON ? "on" : "off", read_categories(value));
            break;
        case AT:
            at = value;
            break;
        case WAIT:
            wait = (int)read_time(value);
            break;
        case XML:
            how = FORMAT_XML;
            break;
        case JSON:
            how = FORMAT_JSON;
            break;
        case OPENMETRICS:
            how = FORMAT_OPENMETRICS;
            break;
        case SHOW:
            is_shown = 1;
            break;
        case TRACE:
            is_trace = 1;
            traced = value;
            break;
        case HELP:
            fputs(usage, stdout);
            return 0;
        default:
            fputs(usage, stderr);
            return 2;
        }
    }
    if (!file && !*telling && !is_clock && !is_trace && !*changes && !has_measures) {
        fputs(usage, stderr);
        return 2;
    }
    if (strncmp(telling, "<sirreq>", 8) == 0 && sir_of_file(target))
        return 0;
    received.status = DOCUMENT_BAD; /* nothing is kept of it */
    connection = connect_to(target);
    struct sigaction action = {.sa_handler = interrupted};
    sigaction(SIGINT, &action, NULL);
    if (file)
        send_file(file, wait);
    if (*telling) {
        ask(telling);
        reply(10000);
        show_document(&received, how, &asked);
    }
    if (is_clock)
        tell_clock();
    if (*changes) {
        static char text[4096];
        snprintf(text, sizeof text, "<tunereq id=\"%ld\"%s%s%s>%s</tunereq>", (long)getpid(), at ? " at=\"" : "",
                 at ? quoted(at) : "", at ? "\"" : "", changes);
        ask(text);
        for (char *p = changes; (p = strchr(p, '<')) != NULL; p++) {
            reply(wait > 10000 ? wait : 10000);
            show_document(&received, how, &asked);
        }
    }
    if (has_measures) {
        if (!asked.metrics)
            strcpy(asked.metric[asked.metrics++], "WC_TIME");
        measure_region(threads, thread_count, interval, count < 0 ? 1 : count);
    }
    if (is_trace)
        copy_trace(traced);
    return 0;
}
