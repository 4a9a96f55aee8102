/* Receives a trace from a serial line, and prints each state of the board as it changes.
 * usage: uart_receiver [-b BAUD] [-o FILE] [LINE]
 *
 * LINE is a tty, a pty, a pipe or a file; standard input by default.  The receiver may be started at any time, and
 * bytes may be lost or damaged on the way.  A damaged line has no effect: it is reported on standard error, and the
 * next line is read.  Events that arrive before their definitions are lost too.  Repeated definitions are ignored. 
 * FILE gets all lines that had an effect.  After a reset of the board a new trace begins, in FILE.1, FILE.2 and so on.
 *
 * A digit that has become another digit is not noticed: the format has no checksums.
 *
 * Exit status: 0 success, 1 something was lost, 2 usage, 3 input or output failed. */
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
static const char *name = "standard input"; /* of the serial line */
static const char *file_name;               /* of the output; may be NULL */
static FILE *file;

/* A record: a line, or a definition with all its lines. */
static char record[LONGEST];
static size_t size;              /* of the record; if greater than LONGEST, the rest was not stored */
static size_t last_line;         /* offset of the last line in the record */
static uint64_t position, lines; /* number of bytes and lines read */
static uint64_t record_lines;    /* number of lines in the record */

/* Definitions that were repeated.  They begin a new trace if the next event shows that the board was reset. */
static char repeated[4 * LONGEST];
static size_t repeated_size;

/* What the callbacks have noted about the record. */
static struct {
    const char *damage, *oddity; /* why it is lost; what is odd about it, though it had an effect */
    char bytes[SHOWN + 1];       /* the damaged bytes */
    int is_repeated, after_reset, is_event;
    pajesim_ref container, type; /* whose state has changed */
    pajesim_time time;
} seen;

/* Consecutive losses for the same reason, reported as one. */
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

static void report_loss(void)
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
        report_loss();
    if (!lost.bytes) {
        lost.position = position - size;
        lost.first = lines - record_lines + 1;
        lost.why = why;
        memcpy(lost.shown, seen.bytes, sizeof seen.bytes);
    }
    lost.bytes += size;
    lost.last = lines;
}

/* ---- callbacks of the simulation */

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
    if (seen.is_repeated || seen.damage) /* later problems of the record follow from the first */
        return PAJESIM_GO_ON;
    switch (p->code) {
    case PAJESIM_E_HEADER_TWICE:
    case PAJESIM_E_TYPE_AGAIN:
    case PAJESIM_E_VALUE_TWICE:
    case PAJESIM_E_CONTAINER_TWICE:
        seen.is_repeated = 1;
        break;
    case PAJESIM_E_TIME_ORDER: /* the damaged time may be that of an earlier line */
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

/* Takes an undefined value for damage if its type has defined values. */
static int new_value(pajesim *s, const pajesim_value_info *value)
{
    uint64_t *defined = pajesim_user_data(s, value->type);
    if (!value->implicit)
        *defined = 1;
    else if (*defined && !seen.damage)
        damaged("value is not defined", value->alias);
    return PAJESIM_GO_ON;
}

/* Detects a reset: otherwise the lines of a board are in order of time. */
static int line(pajesim *s, const pajesim_line *l)
{
    seen.is_event = l->event > PAJESIM_CREATE_CONTAINER;
    seen.after_reset = seen.is_event && repeated_size && repeated_size <= sizeof repeated &&
                       l->time < pajesim_count(s)->last;
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

/* Prints the state that the container is in now. */
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

static void accept(void)
{
    report_loss();
    if (seen.oddity)
        say("byte %" PRIu64 ", line %" PRIu64 ": %s", position - size, lines, seen.oddity);
    if (seen.is_event)
        repeated_size = 0;
    if (seen.container)
        show();
    else if (*record == '#')
        fwrite(record, 1, size, stdout); /* such as `# dropped 3 events from 1.5 to 1.7` */
    store(record, size);
}

/* Begins a new trace after a reset, with the definitions that were repeated. */
static void begin_trace(void)
{
    static char next[FILENAME_MAX];
    static const char *first;
    static unsigned count;
    say("line %" PRIu64 ": the board was reset; a new trace begins", lines);
    if (file) {
        first = first ? first : file_name;
        snprintf(next, sizeof next, "%s.%u", first, ++count);
        open_file(next);
    }
    pajesim_init(&sim, arena, sizeof arena, NULL, &callbacks, NULL);
    pajesim_feed(&sim, repeated, repeated_size, NULL);
    store(repeated, repeated_size);
    repeated_size = 0;
}

static void remember(void)
{
    if (repeated_size + size <= sizeof repeated)
        memcpy(repeated + repeated_size, record, size);
    repeated_size += size;
}

/* Simulates the record.  If it is damaged or repeated, restores the state before it. */
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
        seen.damage = "includes a file, which a serial line cannot carry";
    if ((seen.damage || seen.is_repeated || seen.after_reset) &&
        pajesim_restore(&sim, arena, sizeof arena, image, image_size, &callbacks, NULL) != PAJESIM_OK) {
        say("line %" PRIu64 ": out of memory", lines);
        exit(3);
    }
    if (seen.damage) {
        lose(seen.damage);
    } else if (seen.is_repeated) {
        remember();
    } else if (seen.after_reset) {
        begin_trace();
        memset(&seen, 0, sizeof seen);
        simulate();
    } else {
        accept();
    }
}

static void end_record(const char *damage)
{
    if (damage)
        lose(damage);
    else
        simulate();
    memset(&seen, 0, sizeof seen);
    size = last_line = 0;
    record_lines = 0;
}

static int starts(const char *text)
{
    return strncmp(record + last_line, text, strlen(text)) == 0;
}

/* Ends a definition that lacks its end; its last line begins a new record. */
static void split(void)
{
    size_t first = last_line, rest = size - last_line;
    size = last_line;
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
    if (last_line && (record[last_line] != '%' || starts("%EventDef")))
        split();
    if (starts("%EventDef") || (last_line && !starts("%EndEventDef")))
        last_line = size;
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
        if (count < 0 && errno == EIO && tty) /* the other end of a pty was closed */
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
        lines += size > last_line; /* a last line without a newline */
        record_lines += size > last_line;
        end_record("cut off at the end of the input");
    }
    report_loss();
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
    settings.c_lflag |= ISIG; /* ^C still ends the program if the line is its terminal */
    for (i = 0; baud && strcmp(baud, rates[i].text) != 0;)
        if (++i == sizeof rates / sizeof *rates) {
            say("unknown rate %s; use 9600, 19200, 38400, 57600, 115200 or 230400", baud);
            exit(2);
        }
    if (baud)
        cfsetspeed(&settings, rates[i].speed);
    if (tcsetattr(line, TCSANOW, &settings) != 0)
        fail(name);
}

int main(int argc, char **argv)
{
    struct sigaction on_interrupt = {.sa_handler = interrupt}; /* without SA_RESTART: interrupts read() */
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
