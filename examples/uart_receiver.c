/* Receives a trace from a serial line, and tells live which states the board is in:
 *
 *     uart_receiver [-b BAUD] [-o FILE] [LINE]     LINE: a tty, a pty, a pipe or a file; without it: standard input
 *
 * It may be started at any time, and bytes may be lost or damaged on the way.  A line that is damaged has no effect:
 * what was lost is told on standard error, and the next line goes on.  What comes before its definitions is lost as
 * well; definitions that come again are no news.  FILE gets what was taken, for `paje`.  When the board begins anew, so
 * does the trace: it goes to FILE.1, FILE.2 and so on.
 *
 * What cannot be told is a digit that became another digit: the format has no check sums.
 *
 * Exit status: 0 well, 1 something was lost, 2 usage, 3 input or output failed. */
#define _DEFAULT_SOURCE /* for cfmakeraw and the higher rates */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>
#define PAJESIM_IMPLEMENTATION
#include "pajesim.h"

enum { LONGEST = 4096, SHOWN = 40 };

static uint64_t arena[1 << 17], image[1 << 17];
static pajesim sim;
static const char *name = "standard input"; /* of the line */
static const char *file_name;                 /* NULL: none */
static FILE *file;

/* A record: a line, or a definition with all its lines. */
static char record[LONGEST];
static size_t size;              /* of the record; more than LONGEST: what is beyond is not kept */
static size_t begun;             /* where its last line begins */
static uint64_t position, lines; /* how many were read */
static uint64_t record_lines;

/* Definitions that have come again, in case that the board has begun anew. */
static char again[4 * LONGEST];
static size_t again_size;

/* What the simulation has said of the record. */
static struct {
    const char *damage, *oddity;
    char bytes[SHOWN + 1]; /* that are damaged */
    int again, anew, event;
    pajesim_ref container, type; /* whose state has changed */
    pajesim_time time;
} seen;

/* Losses that follow each other for the same reason are told as one. */
static struct {
    uint64_t position, bytes, first, last; /* first, last: lines */
    uint64_t total, places;
    const char *why;
    char shown[SHOWN + 1];
} lost;

static void say(const char *format, ...)
{
    va_list arguments;
    fflush(stdout);
    fprintf(stderr, "uart_receiver: %s: ", name);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
}

static void fail(const char *what)
{
    fprintf(stderr, "uart_receiver: %s: %s\n", what, strerror(errno));
    exit(3);
}

static void tell_loss(void)
{
    if (!lost.bytes)
        return;
    say("byte %" PRIu64 ", lines %" PRIu64 " to %" PRIu64 ": lost %" PRIu64 " bytes: %s%s%s", lost.position, lost.first,
        lost.last, lost.bytes, lost.why, *lost.shown ? ": " : "", lost.shown);
    lost.total += lost.bytes;
    lost.places++;
    lost.bytes = 0;
}

static void lose(const char *why)
{
    if (lost.bytes && strcmp(why, lost.why) != 0)
        tell_loss();
    if (!lost.bytes) {
        lost.position = position - size;
        lost.first = lines - record_lines + 1;
        lost.why = why;
        memcpy(lost.shown, seen.bytes, sizeof seen.bytes);
    }
    lost.bytes += size;
    lost.last = lines;
}

/* ---- what the simulation says */

static void damaged(const char *how, pajesim_text what)
{
    size_t i;
    seen.damage = how;
    for (i = 0; i < what.size && i < SHOWN; i++)
        seen.bytes[i] = (char)((unsigned char)what.bytes[i] < ' ' ? '?' : what.bytes[i]);
}

static int problem(pajesim *s, const pajesim_problem *p)
{
    (void)s;
    if (seen.again || seen.damage) /* the rest follows from that */
        return PAJESIM_GO_ON;
    switch (p->code) {
    case PAJESIM_E_HEADER_TWICE:
    case PAJESIM_E_TYPE_AGAIN:
    case PAJESIM_E_VALUE_TWICE:
    case PAJESIM_E_CONTAINER_TWICE:
        seen.again = 1;
        break;
    case PAJESIM_E_TIME_ORDER: /* perhaps by the fault of an earlier line, whose time was damaged */
    case PAJESIM_E_DESTROY_ORDER:
    case PAJESIM_E_DESTROY_INNER:
    case PAJESIM_E_LINK_BACKWARD:
        seen.oddity = p->text;
        break;
    case PAJESIM_E_EVENT_UNKNOWN:
    case PAJESIM_E_HEADER_OUTSIDE:
    case PAJESIM_E_HEADER_END:
    case PAJESIM_E_TYPE_UNKNOWN:
    case PAJESIM_E_CONTAINER_UNKNOWN:
        damaged("not defined (yet)", p->bytes);
        break;
    default:
        damaged(p->text, p->bytes);
    }
    return PAJESIM_GO_ON;
}

/* Of a type that has defined values, others are damaged. */
static int new_value(pajesim *s, const pajesim_value_info *value)
{
    uint64_t *defined = pajesim_word(s, value->type);
    if (!value->implicit)
        *defined = 1;
    else if (*defined && !seen.damage)
        damaged("value is not defined", value->alias);
    return PAJESIM_GO_ON;
}

/* A board's lines are in order of time, unless it has begun anew. */
static int line(pajesim *s, const pajesim_line *l)
{
    seen.event = l->event > PAJESIM_CREATE_CONTAINER;
    seen.anew = seen.event && again_size && again_size <= sizeof again && l->time < pajesim_count(s)->last;
    return PAJESIM_GO_ON;
}

static int changed(pajesim *s, const pajesim_entity *state)
{
    (void)s;
    seen.container = state->container;
    seen.type = state->type;
    seen.time = state->open ? state->start : state->end;
    return PAJESIM_GO_ON;
}

static const pajesim_callbacks callbacks = {
    .line = line, .problem = problem, .new_value = new_value,
    .state_set = changed, .state_pushed = changed, .state_popped = changed, .state_reset = changed};

/* The state that the container is in now. */
static void show(void)
{
    pajesim_text who = pajesim_name(&sim, seen.container), what = pajesim_name(&sim, seen.type);
    uint32_t depth = pajesim_depth(&sim, seen.container, seen.type);
    pajesim_entity state;
    printf("%15.9f  %-16.*s %-12.*s ", seen.time, (int)who.size, who.bytes, (int)what.size, what.bytes);
    if (depth && pajesim_open_entity(&sim, seen.container, seen.type, depth - 1, &state))
        printf("%-16.*s since %.9f\n", (int)state.value_name.size, state.value_name.bytes, state.start);
    else
        puts("-");
}

/* ---- records */

static void open_file(const char *path)
{
    if (file && fclose(file) != 0)
        fail(file_name);
    file_name = path;
    if (!(file = fopen(path, "w")))
        fail(path);
}

static void store(const char *bytes, size_t count)
{
    if (file && fwrite(bytes, 1, count, file) != count)
        fail(file_name);
}

static void keep(void)
{
    tell_loss();
    if (seen.oddity)
        say("byte %" PRIu64 ", line %" PRIu64 ": %s", position - size, lines, seen.oddity);
    if (seen.event)
        again_size = 0;
    if (seen.container)
        show();
    else if (*record == '#')
        fwrite(record, 1, size, stdout); /* such as `# dropped 3 events from 1.5 to 1.7` */
    store(record, size);
}

/* Of what was known only that remains which has come again. */
static void begin_anew(void)
{
    static char next[FILENAME_MAX];
    static const char *first;
    static unsigned count;
    say("line %" PRIu64 ": the board has begun anew", lines);
    if (file) {
        first = first ? first : file_name;
        snprintf(next, sizeof next, "%s.%u", first, ++count);
        open_file(next);
    }
    pajesim_init(&sim, arena, sizeof arena, NULL, &callbacks, NULL);
    pajesim_feed(&sim, again, again_size, NULL);
    store(again, again_size);
    again_size = 0;
}

static void remember(void)
{
    if (again_size + size <= sizeof again)
        memcpy(again + again_size, record, size);
    again_size += size;
}

/* Simulates the record; where anything is wrong with it, all is as if it had not come. */
static void simulate(void)
{
    size_t image_size = pajesim_image_size(&sim), i;
    pajesim_status status = pajesim_save(&sim, image, sizeof image);
    for (i = 0; i < size; i++)
        if (!record[i] || record[i] == 127 || ((unsigned char)record[i] < ' ' && !strchr("\t\r\n", record[i])))
            seen.damage = "control byte";
    if (status == PAJESIM_OK && !seen.damage)
        status = pajesim_feed(&sim, record, size, NULL);
    if (status == PAJESIM_FULL) {
        say("line %" PRIu64 ": out of memory", lines);
        exit(3);
    }
    if (status != PAJESIM_OK && !seen.damage)
        seen.damage = "names a file, which cannot come this way";
    if (seen.damage || seen.again || seen.anew)
        pajesim_restore(&sim, arena, sizeof arena, image, image_size, &callbacks, NULL);
    if (seen.damage) {
        lose(seen.damage);
    } else if (seen.again) {
        remember();
    } else if (seen.anew) {
        begin_anew();
        memset(&seen, 0, sizeof seen);
        simulate();
    } else {
        keep();
    }
}

static void end_record(const char *damage)
{
    if (damage)
        lose(damage);
    else
        simulate();
    memset(&seen, 0, sizeof seen);
    size = begun = 0;
    record_lines = 0;
}

static int starts(const char *text)
{
    return strncmp(record + begun, text, strlen(text)) == 0;
}

/* What was begun is a definition, and its last line is none of it. */
static void split(void)
{
    size_t first = begun, rest = size - begun;
    size = begun;
    position -= rest;
    lines--;
    record_lines--;
    end_record("definition lacks its end");
    memmove(record, record + first, rest);
    size = rest;
    position += rest;
    lines++;
    record_lines = 1;
}

static void take_byte(char c)
{
    if (size < LONGEST)
        record[size] = c;
    size++;
    position++;
    if (c != '\n')
        return;
    lines++;
    record_lines++;
    if (size > LONGEST) {
        end_record("line is too long");
        return;
    }
    if (begun && (record[begun] != '%' || starts("%EventDef")))
        split();
    if (starts("%EventDef") || (begun && !starts("%EndEventDef")))
        begun = size;
    else
        end_record(NULL);
}

/* ---- the line */

static volatile sig_atomic_t interrupted;

static void interrupt(int number) { interrupted = number; }

static void receive(int line, int tty)
{
    char bytes[LONGEST];
    ssize_t i, count;
    while (!interrupted && (count = read(line, bytes, sizeof bytes)) != 0) {
        if (count < 0 && errno == EIO && tty) /* its other end was closed */
            break;
        if (count < 0 && errno != EINTR)
            fail(name);
        for (i = 0; i < count; i++)
            take_byte(bytes[i]);
        if (fflush(stdout) != 0)
            fail("standard output");
        if (file && fflush(file) != 0)
            fail(file_name);
    }
    if (size) {
        lines += size > begun; /* without its end */
        record_lines += size > begun;
        end_record("cut off by the end");
    }
    tell_loss();
}

static void set_up_tty(int line, const char *baud)
{
    static const struct { const char *text; speed_t speed; } rates[] = {
        {"9600", B9600},   {"19200", B19200},   {"38400", B38400},
        {"57600", B57600}, {"115200", B115200}, {"230400", B230400}};
    struct termios settings;
    size_t i;
    if (tcgetattr(line, &settings) != 0)
        fail(name);
    cfmakeraw(&settings);
    settings.c_lflag |= ISIG; /* where it is the terminal, ^C ends it */
    for (i = 0; baud && strcmp(baud, rates[i].text) != 0;)
        if (++i == sizeof rates / sizeof *rates) {
            say("%s is no rate that is known: 9600, 19200, 38400, 57600, 115200 or 230400", baud);
            exit(2);
        }
    if (baud)
        cfsetspeed(&settings, rates[i].speed);
    if (tcsetattr(line, TCSANOW, &settings) != 0)
        fail(name);
}

int main(int argc, char **argv)
{
    struct sigaction on_interrupt = {.sa_handler = interrupt}; /* read() returns then */
    const char *baud = NULL;
    int option, line = STDIN_FILENO, tty;

    while ((option = getopt(argc, argv, "b:o:")) != -1) {
        if (option == 'b')
            baud = optarg;
        else if (option == 'o')
            file_name = optarg;
        else
            break;
    }
    if (option != -1 || argc > optind + 1) {
        fputs("usage: uart_receiver [-b BAUD] [-o FILE] [LINE]\n", stderr);
        return 2;
    }
    if (optind < argc) {
        name = argv[optind];
        if ((line = open(name, O_RDONLY | O_NOCTTY)) < 0)
            fail(name);
    }
    if ((tty = isatty(line)) != 0)
        set_up_tty(line, baud);
    if (file_name)
        open_file(file_name);
    sigaction(SIGINT, &on_interrupt, NULL);
    pajesim_init(&sim, arena, sizeof arena, NULL, &callbacks, NULL);
    receive(line, tty);
    say("%" PRIu64 " bytes, of which %" PRIu64 " were lost, in %" PRIu64 " places", position, lost.total, lost.places);
    if (file && fclose(file) != 0)
        fail(file_name);
    return lost.places > 0;
}
