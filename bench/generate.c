/* Writes a realistic trace of a parallel program to standard output: by default 74% states pushed and popped, 12%
 * variables, 7% links, 7% events, evenly spread over many threads.  The same options give the same bytes on every
 * machine.  The trace is valid in strict mode, and for pj_dump. */
#define _POSIX_C_SOURCE 200809L
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TYPES = 7, NAMES = 16, EVENTS = 18, FIELDS_MAX = 24, BUFFER = 1 << 16, USER_FIELDS_MAX = 12 };

typedef struct {
    uint64_t key;
    uint32_t value;
} flight;

static const char *const styles[] = {"words", "integers", "hex", "long", NULL};
enum { WORDS, INTEGERS, HEX, LONG };

static const char usage[] =
    "usage: generate [OPTION]...: a trace to standard output\n"
    "  -b BYTES    about so many (1048576)\n"
    "  -s SEED     another gives another trace (1)\n"
    "  -c THREADS  containers, and a process more for each eight of them (512)\n"
    "  -m S,V,L    per cent of states, variables, links; the rest are events (74,12,7)\n"
    "  -a STYLE    of aliases: words, integers, hex, or long: more than 16 bytes (words)\n"
    "  -d N        decimals of times, 0 to 9 (6)\n"
    "  -k N        depth of the stacks of states (8)\n"
    "  -v N        values of the type of the states (16)\n"
    "  -l N        links that are in flight at once, at most (256)\n"
    "  -e N        definitions of each event, each with its fields in another order (1)\n"
    "  -u N        user fields of each event, 0 to 12 (0)\n"
    "  -w BYTES    size of each user field (8)\n"
    "  -n N        per cent of lines with a comment behind (0)\n"
    "  -q          quotes around values and user fields\n"
    "  -r          CRLF\n"
    "  -t          tabs, one or two, for blanks\n";

static uint64_t size = 1 << 20, seed = 1;
static uint32_t threads = 512, states = 74, variables = 12, links = 7, style = WORDS, decimals = 6, depth_max = 8,
                values = NAMES, in_flight = 256, definitions_of_each = 1, user_fields, user_size = 8, comments;
static int quotes, tabs;
static const char *line_end = "\n";

/* The current line: its words, one after the other. */
static char *line;
static size_t line_size, begins[FIELDS_MAX + 1];
static uint32_t fields;
static uint64_t written;

static const char *const state_names[NAMES] = {
    "compute", "MPI_Send", "MPI_Recv", "MPI_Wait", "MPI_Allreduce", "MPI_Barrier", "MPI_Bcast", "idle",
    "read", "write", "assemble", "factorize", "solve", "halo", "checkpoint", "lock"};
static const char *const event_names[NAMES] = {
    "iteration", "converged", "steal", "fault", "signal", "retry", "flush", "migrate",
    "throttle", "wake", "sleep", "submit", "complete", "cancel", "resize", "mark"};
static const char *const link_names[] = {"eager", "rendezvous"};

static uint32_t below(uint32_t n)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)(((seed >> 32) * n) >> 32);
}

static void put(const char *bytes, size_t n)
{
    if (fwrite(bytes, 1, n, stdout) != n) {
        perror("generate");
        exit(3);
    }
    written += n;
}

static void put_text(const char *s) { put(s, strlen(s)); }

/* ---- words of a line */

static void add(const char *bytes, size_t n)
{
    memcpy(line + line_size, bytes, n);
    line_size += n;
}

static void text(const char *s) { add(s, strlen(s)); }

static void number(uint64_t n)
{
    char digits[20];
    size_t i = sizeof digits;
    do
        digits[--i] = (char)('0' + n % 10);
    while (n /= 10);
    add(digits + i, sizeof digits - i);
}

static void hex(uint64_t n)
{
    uint32_t shift = 48;
    text("0x");
    while (shift)
        line[line_size++] = "0123456789abcdef"[n >> (shift -= 4) & 15];
}

static void field(void) { begins[fields++] = line_size; }

static void field_text(const char *s)
{
    field();
    text(s);
}

static void field_number(uint64_t n)
{
    field();
    number(n);
}

static void add_decimals(uint64_t n, uint32_t count)
{
    char *digit = line + line_size + count;
    line[line_size] = '.';
    for (; digit > line + line_size; n /= 10)
        *digit-- = (char)('0' + n % 10);
    line_size += count + 1;
}

static void field_time(uint64_t ticks)
{
    uint64_t unit = 1;
    uint32_t i;
    for (i = 0; i < decimals; i++)
        unit *= 10;
    field_number(ticks / unit);
    if (decimals)
        add_decimals(ticks % unit, decimals);
}

static void field_process(uint32_t i)
{
    field_text(style == LONG ? "cluster.example.org/rank" : style == WORDS ? "rank" : "");
    if (style == HEX)
        hex(0x7f0000000000 + (uint64_t)i * 4096);
    else
        number(style == INTEGERS ? 5000000 + i : i);
}

static void field_thread(uint32_t i)
{
    if (style == INTEGERS) {
        field_number(10 + i);
    } else if (style == HEX) {
        field();
        hex(0x550000000000 + (uint64_t)i * 832);
    } else {
        field_process(i / 8);
        text(style == LONG ? "/thread" : "-t");
        number(i % 8);
    }
}

/* 1 process, 2 thread, 3 state, 4 variable, 5 event, 6 link. */
static void field_type(uint32_t i)
{
    static const char *const words[TYPES] = {"0", "P", "T", "ST", "VT", "ET", "L"};
    if (style == INTEGERS)
        field_number(i);
    else
        field_text(words[i]);
}

static void value_name(const char *const *names, uint32_t i)
{
    text(names[i % NAMES]);
    if (i >= NAMES)
        number(i / NAMES);
}

static void field_value(const char *const *names, uint32_t i)
{
    if (style == INTEGERS) {
        field_number(i + 1);
        return;
    }
    field_text(quotes ? "\"" : "");
    value_name(names, i);
    text(quotes ? "\"" : "");
}

static void field_name(const char *what, uint32_t i, uint32_t of)
{
    field_text(what);
    number(i);
    if (of) {
        text(".");
        number(of - 1);
    }
    text("\"");
}

static void add_user_fields(void)
{
    uint32_t i, n;
    for (i = 0; i < user_fields; i++) {
        field_text(quotes ? "\"" : "");
        for (n = 0; n < user_size; n++)
            line[line_size++] = quotes && n % 8 == 7 ? ' ' : (char)('a' + below(26));
        text(quotes ? "\"" : "");
    }
}

static void put_blank(void)
{
    put_text(tabs ? below(8) ? "\t" : "\t\t" : " ");
}

/* Writes the line in the order of the k-th definition of its event, whose fields begin with the k-th. */
static void end_line(uint32_t event, uint32_t k)
{
    char id[16];
    uint32_t i;
    begins[fields] = line_size;
    put(id, (size_t)snprintf(id, sizeof id, "%u", (unsigned)(event + EVENTS * k)));
    for (i = 0; i < fields; i++) {
        uint32_t from = (i + k) % fields;
        put_blank();
        put(line + begins[from], begins[from + 1] - begins[from]);
    }
    if (comments && below(100) < comments)
        put_text(" # what the program was told here");
    put_text(line_end);
    line_size = fields = 0;
}

static void end_event(uint32_t event)
{
    add_user_fields();
    end_line(event, definitions_of_each > 1 ? below(definitions_of_each) : 0);
}

/* ---- the trace */

static void define(uint32_t event, const char *name, const char *of_it)
{
    char of_event[256];
    uint32_t k, i;
    for (k = 0; k < (event < 6 ? 1 : definitions_of_each); k++) {
        const char *list[FIELDS_MAX];
        char users[USER_FIELDS_MAX][24], *c;
        strcpy(of_event, of_it);
        fields = 0;
        for (c = strtok(of_event, ","); c; c = strtok(NULL, ","))
            list[fields++] = c;
        for (i = 0; event > 7 && i < user_fields; i++) {
            snprintf(users[i], sizeof users[i], "Detail%u string", (unsigned)i);
            list[fields++] = users[i];
        }
        put_text("%EventDef ");
        put_text(name);
        put_text(" ");
        number(event + EVENTS * k);
        put(line, line_size);
        line_size = 0;
        put_text(line_end);
        for (i = 0; i < fields; i++) {
            put_text("% ");
            put_text(list[(i + k) % fields]);
            put_text(line_end);
        }
        put_text("%EndEventDef");
        put_text(line_end);
    }
    fields = 0;
}

static void header(void)
{
    define(0, "PajeDefineContainerType", "Alias string,Type string,Name string");
    define(1, "PajeDefineVariableType", "Alias string,Type string,Name string,Color color");
    define(2, "PajeDefineStateType", "Alias string,Type string,Name string");
    define(3, "PajeDefineEventType", "Alias string,Type string,Name string,Color color");
    define(4, "PajeDefineLinkType",
           "Alias string,Type string,StartContainerType string,EndContainerType string,Name string");
    define(5, "PajeDefineEntityValue", "Alias string,Type string,Name string,Color color");
    define(6, "PajeCreateContainer", "Time date,Alias string,Type string,Container string,Name string");
    define(7, "PajeDestroyContainer", "Time date,Type string,Name string");
    define(8, "PajeSetVariable", "Time date,Container string,Type string,Value double");
    define(9, "PajeAddVariable", "Time date,Container string,Type string,Value double");
    define(10, "PajeSubVariable", "Time date,Container string,Type string,Value double");
    define(12, "PajePushState", "Time date,Container string,Type string,Value string");
    define(13, "PajePopState", "Time date,Container string,Type string");
    define(15, "PajeStartLink",
           "Time date,Container string,Type string,StartContainer string,Value string,Key string");
    define(16, "PajeEndLink", "Time date,Container string,Type string,EndContainer string,Value string,Key string");
    define(17, "PajeNewEvent", "Time date,Container string,Type string,Value string");
}

static void define_type(uint32_t event, uint32_t alias, uint32_t parent, const char *name, const char *color)
{
    field_type(alias);
    field_type(parent);
    if (event == 4) {
        field_type(2);
        field_type(2);
    }
    field_text(name);
    if (color)
        field_text(color);
    end_line(event, 0);
}

static void define_values(uint32_t of, const char *const *names, uint32_t count)
{
    uint32_t i;
    for (i = 0; i < count; i++) {
        field_value(names, i);
        field_type(of);
        field();
        value_name(names, i);
        field_text("\"0.5 0.25 0.125\"");
        end_line(5, 0);
    }
}

static void definitions(void)
{
    uint32_t i;
    define_type(0, 1, 0, "Process", NULL);
    define_type(0, 2, 1, "Thread", NULL);
    define_type(2, 3, 2, "State", NULL);
    define_type(1, 4, 2, "\"Memory in use\"", "\"0 0 1\"");
    define_type(3, 5, 2, "Event", "\"1 0 0\"");
    define_type(4, 6, 0, "Message", NULL);
    define_values(3, state_names, values);
    define_values(5, event_names, NAMES);
    for (i = 0; i < threads; i++) {
        if (i % 8 == 0) {
            field_time(0);
            field_process(i / 8);
            field_type(1);
            field_text("0");
            field_name("\"Process ", i / 8, 0);
            end_line(6, 0);
        }
        field_time(0);
        field_thread(i);
        field_type(2);
        field_process(i / 8);
        field_name("\"Thread ", i / 8, 1 + i % 8);
        end_line(6, 0);
    }
}

static void half_link(uint32_t event, uint64_t ticks, const flight *which)
{
    field_time(ticks);
    field_text("0");
    field_type(6);
    field_thread(below(threads));
    field_value(link_names, which->value);
    field_number(which->key);
    end_event(event);
}

static void body(void)
{
    uint32_t *depth = calloc(threads, sizeof *depth);
    unsigned char *falls = calloc(threads, 1), *was_set = calloc(threads, 1);
    flight *flights = calloc(in_flight + 1u, sizeof *flights);
    uint32_t pending = 0, i;
    uint64_t ticks = 0, keys = 0;

    if (!depth || !falls || !was_set || !flights) {
        fputs("generate: out of memory\n", stderr);
        exit(3);
    }
    while (written < size) {
        uint32_t kind = below(100), event;
        ticks += 1 + below(2000);
        if (kind - states - variables < links) { /* between half of the links that may be in flight and all of them */
            if (pending < in_flight && (pending <= in_flight / 2 || below(2))) {
                flights[pending].key = keys++;
                flights[pending].value = below(2);
                half_link(15, ticks, flights + pending++);
            } else {
                uint32_t which = below(pending);
                half_link(16, ticks, flights + which);
                flights[which] = flights[--pending];
            }
            continue;
        }
        i = below(threads);
        field_time(ticks);
        field_thread(i);
        if (kind < states) { /* stacks grow to the top and shrink to the bottom, with steps back in between */
            falls[i] = (unsigned char)(depth[i] == depth_max || (depth[i] && falls[i]));
            event = depth[i] && depth[i] < depth_max && !below(4) ? 12 + !falls[i] : 12u + falls[i];
            depth[i] += event == 12 ? 1 : -1u;
            field_type(3);
            if (event == 12)
                field_value(state_names, below(values));
        } else if (kind < states + variables) {
            event = was_set[i] ? 8 + below(3) : 8;
            was_set[i] = 1;
            field_type(4);
            field_number(below(100000));
            if (below(2))
                add_decimals(below(1000), 3);
        } else {
            event = 17;
            field_type(5);
            field_value(event_names, below(NAMES));
        }
        end_event(event);
    }
    while (pending)
        half_link(16, ++ticks, flights + --pending);
    for (i = 0; i < threads; i++) {
        field_time(++ticks);
        field_type(2);
        field_thread(i);
        end_line(7, 0);
        if (i % 8 == 7 || i + 1 == threads) {
            field_time(++ticks);
            field_type(1);
            field_process(i / 8);
            end_line(7, 0);
        }
    }
    free(depth);
    free(falls);
    free(was_set);
    free(flights);
}

static int refuse(void)
{
    fputs(usage, stderr);
    return 2;
}

static uint32_t count_of(const char *argument) { return (uint32_t)strtoul(argument, NULL, 10); }

int main(int argc, char **argv)
{
    static char buffer[BUFFER];
    int option;
    while ((option = getopt(argc, argv, "b:s:c:m:a:d:k:v:l:e:u:w:n:qrt")) != -1)
        switch (option) {
        case 'b': size = strtoull(optarg, NULL, 10); break;
        case 's': seed = strtoull(optarg, NULL, 10); break;
        case 'c': threads = count_of(optarg); break;
        case 'm':
            if (sscanf(optarg, "%u,%u,%u", &states, &variables, &links) != 3)
                return refuse();
            break;
        case 'a':
            for (style = 0; styles[style] && strcmp(styles[style], optarg) != 0; style++) {
            }
            break;
        case 'd': decimals = count_of(optarg); break;
        case 'k': depth_max = count_of(optarg); break;
        case 'v': values = count_of(optarg); break;
        case 'l': in_flight = count_of(optarg); break;
        case 'e': definitions_of_each = count_of(optarg); break;
        case 'u': user_fields = count_of(optarg); break;
        case 'w': user_size = count_of(optarg); break;
        case 'n': comments = count_of(optarg); break;
        case 'q': quotes = 1; break;
        case 'r': line_end = "\r\n"; break;
        case 't': tabs = 1; break;
        default: return refuse();
        }
    if (optind < argc || !seed || !threads || threads > 4000000 || !styles[style] || decimals > 9 || !depth_max ||
        !values || !in_flight || !definitions_of_each || definitions_of_each > 1000000 ||
        user_fields > USER_FIELDS_MAX || !user_size || user_size > 1 << 24 || states > 100 || variables > 100 ||
        links > 100 || states + variables + links > 100)
        return refuse();
    line = malloc((size_t)USER_FIELDS_MAX * user_size + 1024);
    if (!line) {
        fputs("generate: out of memory\n", stderr);
        return 3;
    }
    setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
    header();
    definitions();
    body();
    free(line);
    if (fflush(stdout) == 0)
        return 0;
    perror("generate");
    return 3;
}
