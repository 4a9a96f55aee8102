/* Writes a realistic trace of a parallel program to standard output: 74% states pushed and popped, 12% variables, 7%
 * links, 7% events, evenly spread over many threads.  The same arguments give the same bytes on every machine.  The
 * trace is valid in strict mode, and for pj_dump. */
#define _POSIX_C_SOURCE 200809L
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { VALUES = 16, DEPTH_MAX = 8, BUFFER = 1 << 16, LINE = 512 };

typedef struct {
    uint64_t key;
    uint32_t value;
} flight;

static uint64_t size = 1 << 20;    /* -b: bytes, about */
static uint64_t seed = 1;          /* -s */
static uint32_t threads = 512;     /* -c: containers, but for one process for each eight of them */
static uint32_t decimals = 6;      /* -d: of times, 0 to 9 */
static uint32_t in_flight = 256;   /* -l: links that are pending at once */
static int integers;               /* -i: aliases are numbers; without it they are words */
static int quotes;                 /* -q: values of states in quotes */
static const char *line_end = "\n"; /* -r: CRLF */

static char buffer[BUFFER];
static size_t used;
static uint64_t written;

static const char *const state_names[VALUES] = {
    "compute", "MPI_Send", "MPI_Recv", "MPI_Wait", "MPI_Allreduce", "MPI_Barrier", "MPI_Bcast", "idle",
    "read", "write", "assemble", "factorize", "solve", "halo", "checkpoint", "lock"};
static const char *const event_names[VALUES] = {
    "iteration", "converged", "steal", "fault", "signal", "retry", "flush", "migrate",
    "throttle", "wake", "sleep", "submit", "complete", "cancel", "resize", "mark"};

static uint32_t below(uint32_t n)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)(((seed >> 32) * n) >> 32);
}

static void flush(void)
{
    if (fwrite(buffer, 1, used, stdout) != used) {
        perror("generate");
        exit(3);
    }
    used = 0;
}

static void text(const char *s)
{
    size_t n = strlen(s);
    memcpy(buffer + used, s, n);
    used += n;
}

static void number(uint64_t n)
{
    char digits[20];
    size_t i = sizeof digits;
    do
        digits[--i] = (char)('0' + n % 10);
    while (n /= 10);
    memcpy(buffer + used, digits + i, sizeof digits - i);
    used += sizeof digits - i;
}

static void field(uint64_t n)
{
    buffer[used++] = ' ';
    number(n);
}

/* Starts a line: the event's number and its time. */
static void event(uint32_t id, uint64_t ticks)
{
    uint32_t i;
    uint64_t unit = 1;
    for (i = 0; i < decimals; i++)
        unit *= 10;
    number(id);
    field(ticks / unit);
    if (decimals) {
        char *digit = buffer + used + decimals;
        buffer[used] = '.';
        for (ticks %= unit; digit > buffer + used; ticks /= 10)
            *digit-- = (char)('0' + ticks % 10);
        used += decimals + 1;
    }
}

static void end_line(void)
{
    static size_t start;
    text(line_end);
    written += used - start;
    if (used > BUFFER - LINE)
        flush();
    start = used;
}

static void process(uint32_t i)
{
    text(integers ? " " : " rank");
    number(integers ? 1000000 + i : i);
}

static void thread(uint32_t i)
{
    if (integers) {
        field(10 + i);
        return;
    }
    process(i / 8);
    text("-t");
    number(i % 8);
}

/* A type's alias: 1 process, 2 thread, 3 state, 4 variable, 5 event, 6 link. */
static void type(uint32_t i)
{
    static const char *const words[] = {"0", "P", "T", "ST", "VT", "ET", "L"};
    if (integers)
        field(i);
    else {
        text(" ");
        text(words[i]);
    }
}

static void value(const char *const *names, uint32_t i)
{
    if (integers)
        field(i + 1);
    else {
        text(quotes ? " \"" : " ");
        text(names[i]);
        text(quotes ? "\"" : "");
    }
}

static void header(void)
{
    static const char *const events[] = {
        "PajeDefineContainerType 0\n% Alias string\n% Type string\n% Name string",
        "PajeDefineVariableType 1\n% Alias string\n% Type string\n% Name string\n% Color color",
        "PajeDefineStateType 2\n% Alias string\n% Type string\n% Name string",
        "PajeDefineEventType 3\n% Alias string\n% Type string\n% Name string\n% Color color",
        "PajeDefineLinkType 4\n% Alias string\n% Type string\n% StartContainerType string\n% EndContainerType string\n"
        "% Name string",
        "PajeDefineEntityValue 5\n% Alias string\n% Type string\n% Name string\n% Color color",
        "PajeCreateContainer 6\n% Time date\n% Alias string\n% Type string\n% Container string\n% Name string",
        "PajeDestroyContainer 7\n% Time date\n% Type string\n% Name string",
        "PajeSetVariable 8\n% Time date\n% Container string\n% Type string\n% Value double",
        "PajeAddVariable 9\n% Time date\n% Container string\n% Type string\n% Value double",
        "PajeSubVariable 10\n% Time date\n% Container string\n% Type string\n% Value double",
        "PajePushState 12\n% Time date\n% Container string\n% Type string\n% Value string",
        "PajePopState 13\n% Time date\n% Container string\n% Type string",
        "PajeStartLink 15\n% Time date\n% Container string\n% Type string\n% StartContainer string\n% Value string\n"
        "% Key string",
        "PajeEndLink 16\n% Time date\n% Container string\n% Type string\n% EndContainer string\n% Value string\n"
        "% Key string",
        "PajeNewEvent 17\n% Time date\n% Container string\n% Type string\n% Value string"};
    size_t i;
    const char *c;
    for (i = 0; i < sizeof events / sizeof *events; i++) {
        text("%EventDef ");
        for (c = events[i]; *c; c++)
            if (*c == '\n')
                end_line();
            else
                buffer[used++] = *c;
        end_line();
        text("%EndEventDef");
        end_line();
    }
}

static void define_type(uint32_t id, uint32_t alias, uint32_t parent, const char *rest)
{
    number(id);
    type(alias);
    type(parent);
    text(rest);
    end_line();
}

static void define_values(uint32_t of, const char *const *names)
{
    uint32_t i;
    for (i = 0; i < VALUES; i++) {
        number(5);
        value(names, i);
        type(of);
        text(" ");
        text(names[i]);
        text(" \"0.5 0.25 0.125\"");
        end_line();
    }
}

static void definitions(void)
{
    uint32_t i;
    define_type(0, 1, 0, " Process");
    define_type(0, 2, 1, " Thread");
    define_type(2, 3, 2, " State");
    define_type(1, 4, 2, " \"Memory in use\" \"0 0 1\"");
    define_type(3, 5, 2, " Event \"1 0 0\"");
    define_type(4, 6, 0, integers ? " 2 2 Message" : " T T Message");
    define_values(3, state_names);
    define_values(5, event_names);
    for (i = 0; i < threads; i++) {
        if (i % 8 == 0) {
            event(6, 0);
            process(i / 8);
            type(1);
            text(" 0 \"Process ");
            number(i / 8);
            text("\"");
            end_line();
        }
        event(6, 0);
        thread(i);
        type(2);
        process(i / 8);
        text(" \"Thread ");
        number(i / 8);
        text(".");
        number(i % 8);
        text("\"");
        end_line();
    }
}

static void half_link(uint32_t id, uint64_t ticks, const flight *which)
{
    static const char *const names[] = {"eager", "rendezvous"};
    event(id, ticks);
    text(" 0");
    type(6);
    thread(below(threads));
    value(names, which->value);
    field(which->key);
    end_line();
}

static void body(void)
{
    unsigned char *depth = calloc(threads, 1), *was_set = calloc(threads, 1);
    flight *flights = calloc(in_flight + 1, sizeof *flights);
    uint32_t pending = 0, i;
    uint64_t ticks = 0, keys = 0;

    if (!depth || !was_set || !flights) {
        fputs("generate: out of memory\n", stderr);
        exit(3);
    }
    while (written < size) {
        uint32_t kind = below(100);
        ticks += 1 + below(2000);
        i = below(threads);
        if (kind < 74) {
            int push = !depth[i] || (depth[i] < DEPTH_MAX && below(2));
            event(push ? 12 : 13, ticks);
            thread(i);
            type(3);
            if (push)
                value(state_names, below(VALUES));
            depth[i] = (unsigned char)(push ? depth[i] + 1 : depth[i] - 1);
        } else if (kind < 86) {
            event(was_set[i] ? 8 + below(3) : 8, ticks);
            thread(i);
            type(4);
            field(below(100000));
            if (below(2)) {
                text(".");
                number(below(1000));
            }
            was_set[i] = 1;
        } else if (kind < 93) {
            if (pending < in_flight && (!pending || below(2))) {
                flights[pending].key = keys++;
                flights[pending].value = below(2);
                half_link(15, ticks, flights + pending++);
            } else {
                uint32_t which = below(pending);
                half_link(16, ticks, flights + which);
                flights[which] = flights[--pending];
            }
            continue;
        } else {
            event(17, ticks);
            thread(i);
            type(5);
            value(event_names, below(VALUES));
        }
        end_line();
    }
    while (pending)
        half_link(16, ++ticks, flights + --pending);
    for (i = 0; i < threads; i++) {
        event(7, ++ticks);
        type(2);
        thread(i);
        end_line();
        if (i % 8 == 7 || i + 1 == threads) {
            event(7, ++ticks);
            type(1);
            process(i / 8);
            end_line();
        }
    }
    free(depth);
    free(was_set);
    free(flights);
}

int main(int argc, char **argv)
{
    int option;
    while ((option = getopt(argc, argv, "b:s:c:d:l:iqr")) != -1)
        switch (option) {
        case 'b': size = strtoull(optarg, NULL, 10); break;
        case 's': seed = strtoull(optarg, NULL, 10); break;
        case 'c': threads = (uint32_t)strtoul(optarg, NULL, 10); break;
        case 'd': decimals = (uint32_t)strtoul(optarg, NULL, 10); break;
        case 'l': in_flight = (uint32_t)strtoul(optarg, NULL, 10); break;
        case 'i': integers = 1; break;
        case 'q': quotes = 1; break;
        case 'r': line_end = "\r\n"; break;
        default: seed = 0; break;
        }
    if (!seed || !threads || threads > 900000 || !in_flight || decimals > 9 || optind < argc) {
        fputs("usage: generate [-b BYTES] [-s SEED] [-c THREADS] [-d DECIMALS] [-l LINKS] [-i] [-q] [-r]\n"
              "a trace to standard output; -i: numbers as aliases, -q: quoted values, -r: CRLF\n", stderr);
        return 2;
    }
    header();
    definitions();
    body();
    flush();
    return fflush(stdout) ? 3 : 0;
}
