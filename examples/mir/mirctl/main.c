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

/* What the options ask for. */
typedef struct wishes {
    text_buffer changes; /* elements of a <tunereq> */
    int change_count;
    text_buffer telling; /* documents whose replies are printed */
    int telling_count;
    const char *at;      /* place of the changes; NULL: anywhere */
    const char *file;    /* of documents; NULL: none */
    const char *traced;  /* thread; NULL: all */
    const char *threads[REQUEST_PATHS];
    int thread_count;
    int has_sir, is_clock, is_trace, has_measures;
    int wait;            /* milliseconds */
    long interval;       /* milliseconds */
    long count;          /* of measures; 0: without end */
} wishes;

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

/* Reads a whole number that is not negative. */
static long read_count(const char *text)
{
    char *end;
    errno = 0;
    const long number = strtol(text, &end, 10);
    if (end == text || *end || number < 0 || errno)
        misuse(text, "this is no whole number, such as 10");
    return number;
}

/* A text as the value of an attribute. */
static const char *quoted(const char *text)
{
    static char bytes[4][6 * REQUEST_REGION];
    static int next;
    if (strlen(text) >= REQUEST_REGION)
        misuse(text, "this is too long");
    char *to = bytes[next = (next + 1) % 4], *p = to;
    for (; *text; text++)
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

/* The request for the metrics of a region, or of what the threads do. */
static void write_measures(text_buffer *text, const wishes *wanted)
{
    text_printf(text, "<instrreq activated=\"true\"%s>", asked.region && wanted->thread_count ? " own=\"true\"" : "");
    if (asked.region)
        text_printf(text, "<codeRegion from=\"%s\" to=\"%s\"/>", quoted(asked.region), quoted(asked.region));
    for (uint32_t i = 0; i < asked.metrics; i++)
        text_printf(text, "<metric name=\"%s\"/>", quoted(asked.metric[i]));
    if (asked.functions || !asked.region) {
        if (asked.region)
            text_puts(text, "<measuring>");
        else
            text_printf(text, "<measuring interval=\"%ld\">",
                        wanted->interval > 1000 ? 100 : wanted->interval / 10 + 1);
        for (uint32_t i = 0; i < asked.functions; i++)
            text_printf(text, "<aggregate function=\"%s\"/>", request_functions[asked.function[i]]);
        text_puts(text, "</measuring>");
    }
    for (int i = 0; i < wanted->thread_count; i++)
        text_printf(text, "<thread id=\"%s\"/>", quoted(wanted->threads[i]));
    text_puts(text, asked.region || wanted->thread_count ? "</instrreq>" : "<process id=\"*\"/></instrreq>");
}

static void measure(const wishes *wanted)
{
    text_buffer text = {0};
    const struct timespec pause = {wanted->interval / 1000, wanted->interval % 1000 * 1000000};
    if (!asked.metrics)
        strcpy(asked.metric[asked.metrics++], "WC_TIME");
    write_measures(&text, wanted);
    ask(text_string(&text));
    reply(10000);
    char id[REQUEST_NAME];
    request_copy(id, sizeof id, document_value(&received, 1, "id"));
    text_clear(&text);
    text_printf(&text, "<ctrlreq action=\"VALUE\"><probe id=\"%s\"/></ctrlreq>", id);
    const int is_screen = how == FORMAT_TABLE && isatty(1) && wanted->count != 1;
    for (long i = 0; (wanted->count == 0 || i < wanted->count) && !is_interrupted; i++) {
        nanosleep(&pause, NULL);
        if (is_interrupted)
            break;
        ask(text_string(&text));
        reply(10000);
        if (is_screen)
            printf("\033[H\033[J");
        show_document(&received, how, &asked);
    }
    if (how == FORMAT_OPENMETRICS)
        printf("# EOF\n");
    text_free(&text);
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

static void tell(wishes *wanted)
{
    ask(text_string(&wanted->telling));
    for (int i = 0; i < wanted->telling_count; i++) {
        reply(10000);
        show_document(&received, how, &asked);
    }
}

static void change(wishes *wanted)
{
    text_buffer text = {0};
    text_printf(&text, "<tunereq id=\"%ld\"", (long)getpid());
    if (wanted->at)
        text_printf(&text, " at=\"%s\"", quoted(wanted->at));
    text_printf(&text, ">%s</tunereq>", text_string(&wanted->changes));
    ask(text_string(&text));
    text_free(&text);
    for (int i = 0; i < wanted->change_count; i++) {
        reply(wanted->wait > 10000 ? wanted->wait : 10000);
        show_document(&received, how, &asked);
    }
}

/* Adds the change NAME=VALUE, which is called so in a request. */
static void add_pair(wishes *wanted, const char *element, char *pair, const char *value_name)
{
    char *equals = strchr(pair, '=');
    if (!equals)
        misuse(pair, "NAME=VALUE is expected");
    *equals = 0;
    text_printf(&wanted->changes, "<%s name=\"%s\" %s=\"%s\"/>", element, quoted(pair), value_name, quoted(equals + 1));
}

/* Returns 0 if it is none that asks for a change. */
static int read_change(wishes *wanted, int option, char *value)
{
    switch (option) {
    case SET:
        add_pair(wanted, "set", value, "value");
        break;
    case REPLACE:
        add_pair(wanted, "replace", value, "with");
        break;
    case CALL:
        text_printf(&wanted->changes, "<call name=\"%s\"/>", quoted(value));
        break;
    case ON:
    case OFF:
        text_printf(&wanted->changes, "<categories %s=\"%ld\"/>", option == ON ? "on" : "off", read_categories(value));
        break;
    default:
        return 0;
    }
    wanted->change_count++;
    return 1;
}

/* Returns 0 if it is none that asks for measures. */
static int read_measure(wishes *wanted, int option, char *value)
{
    switch (option) {
    case 'r':
        asked.region = value;
        break;
    case 'm':
        for_each_word(value, take_metric);
        break;
    case 'a':
        for_each_word(value, take_function);
        break;
    default:
        return 0;
    }
    wanted->has_measures = 1;
    return 1;
}

/* Returns 0 if it is none that asks for a document. */
static int read_telling(wishes *wanted, int option, char *value)
{
    switch (option) {
    case CATALOG:
        text_puts(&wanted->telling, "<catalogreq/>");
        break;
    case SNAPSHOT:
        text_printf(&wanted->telling, "<snapshotreq named=\"true\" stack=\"%ld\"/>", value ? read_count(value) : 0);
        break;
    case SIR:
        text_puts(&wanted->telling, "<sirreq><resource in=\"self\"/></sirreq>");
        wanted->has_sir = 1;
        break;
    default:
        return 0;
    }
    wanted->telling_count++;
    return 1;
}

/* Returns 0 if there is no such option. */
static int read_other(wishes *wanted, int option, char *value)
{
    switch (option) {
    case AT:
        wanted->at = value;
        return 1;
    case XML:
        how = FORMAT_XML;
        return 1;
    case JSON:
        how = FORMAT_JSON;
        return 1;
    case OPENMETRICS:
        how = FORMAT_OPENMETRICS;
        return 1;
    case 't':
        if (wanted->thread_count == REQUEST_PATHS)
            misuse(value, "these are too many threads");
        wanted->threads[wanted->thread_count++] = value;
        return 1;
    case 'i':
        wanted->interval = read_time(value);
        wanted->count = wanted->count < 0 ? 0 : wanted->count;
        return 1;
    case 'n':
        wanted->count = read_count(value);
        return 1;
    case 'd':
        wanted->file = value;
        return 1;
    case CLOCK:
        wanted->is_clock = 1;
        return 1;
    case WAIT:
        wanted->wait = (int)read_time(value);
        return 1;
    case SHOW:
        is_shown = 1;
        return 1;
    case TRACE:
        wanted->is_trace = 1;
        wanted->traced = value;
        return 1;
    default:
        return 0;
    }
}

/* Reads the options behind the program.  Ends this one where they ask for help, or for nothing. */
static void read_options(wishes *wanted, int argc, char **argv)
{
    int option;
    while ((option = getopt_long(argc, argv, "r:m:a:t:i:n:d:", names, NULL)) != -1) {
        if (option == HELP) {
            fputs(usage, stdout);
            exit(0);
        }
        if (!read_change(wanted, option, optarg) && !read_measure(wanted, option, optarg) &&
            !read_telling(wanted, option, optarg) && !read_other(wanted, option, optarg)) {
            fputs(usage, stderr);
            exit(2);
        }
    }
    if (optind < argc)
        misuse(argv[optind], "this is no option; see mirctl --help");
    if (!wanted->file && !wanted->telling_count && !wanted->is_clock && !wanted->is_trace && !wanted->change_count &&
        !wanted->has_measures) {
        fputs(usage, stderr);
        exit(2);
    }
}

int main(int argc, char **argv)
{
    static wishes wanted = {.wait = 500, .interval = 1000, .count = -1};
    if (argc > 1 && strcmp(argv[1], "poke") == 0)
        return poke(argc - 1, argv + 1);
    if (argc < 2 || strcmp(argv[1], "--help") == 0) {
        fputs(usage, argc < 2 ? stderr : stdout);
        return argc < 2 ? 2 : 0;
    }
    read_options(&wanted, argc - 1, argv + 1);
    if (wanted.count < 0)
        wanted.count = 1;
    if (wanted.has_sir && wanted.telling_count == 1 && sir_of_file(argv[1]))
        return 0;
    received.status = DOCUMENT_BAD; /* nothing is kept of it */
    connection = connect_to(argv[1]);
    struct sigaction action = {.sa_handler = interrupted};
    sigaction(SIGINT, &action, NULL);
    if (wanted.file)
        send_file(wanted.file, wanted.wait);
    if (wanted.telling_count)
        tell(&wanted);
    if (wanted.is_clock)
        tell_clock();
    if (wanted.change_count)
        change(&wanted);
    if (wanted.has_measures)
        measure(&wanted);
    if (wanted.is_trace)
        copy_trace(wanted.traced);
    return 0;
}
