/* Runs the tests of prose/: traces, and the logs of callbacks that they must give (see prose/README.md).
 *
 *     prose [-v] [-l STEP] FILE.md ...
 *
 * -v shows what was expected and what was seen.  -l sets the step of the arena ladder in bytes; by default it is 1, so
 * every capacity is tried.  header.trace and scene.trace are read from the folder of the first file. */
#ifndef PAJESIM_HEADER
#define PAJESIM_HEADER "pajesim.h"
#endif
#define PAJESIM_IMPLEMENTATION
#include PAJESIM_HEADER

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------
 * Texts that grow
 * --------------------------------------------------------------------------------------------- */

typedef struct text {
    char *bytes; /* with a NUL behind them */
    size_t size, room;
} text;

static void *get(size_t size)
{
    void *block = malloc(size ? size : 1);
    if (!block) {
        fputs("prose: out of memory\n", stderr);
        exit(2);
    }
    return block;
}

static void append(text *to, const char *bytes, size_t size)
{
    if (to->size + size + 1 > to->room) {
        char *wider;
        to->room = 2 * (to->size + size + 1);
        wider = get(to->room);
        if (to->size)
            memcpy(wider, to->bytes, to->size);
        free(to->bytes);
        to->bytes = wider;
    }
    memcpy(to->bytes + to->size, bytes, size);
    to->size += size;
    to->bytes[to->size] = 0;
}

static void print(text *to, const char *format, ...)
{
    char bytes[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(bytes, sizeof bytes, format, arguments);
    va_end(arguments);
    append(to, bytes, strlen(bytes));
}

static void clear(text *it)
{
    free(it->bytes);
    memset(it, 0, sizeof *it);
}

static text read_file(const char *path)
{
    text it = {NULL, 0, 0};
    char piece[4096];
    size_t size;
    FILE *file = fopen(path, "rb");
    if (!file) {
        fprintf(stderr, "prose: cannot read %s\n", path);
        exit(2);
    }
    append(&it, "", 0);
    while ((size = fread(piece, 1, sizeof piece, file)) > 0)
        append(&it, piece, size);
    fclose(file);
    return it;
}

static size_t count_lines(const text *it)
{
    size_t lines = 0, i;
    for (i = 0; i < it->size; i++)
        lines += it->bytes[i] == '\n';
    return lines;
}

/* ------------------------------------------------------------------------------------------------
 * Tests as they are written
 * --------------------------------------------------------------------------------------------- */

enum { STRICT = 1, LENIENT = 2 };
enum { NOTHING, HEADER, SCENE };
enum { FILES = 12 };

typedef struct settings {
    int modes, begin, lines, definitions, end, exact;
    int doubles, integers; /* it is about the one kind of numbers only */
    int whole;             /* it needs what PAJESIM_SMALL leaves out */
    pajesim_options options;
} settings;

typedef struct test {
    char title[200];
    settings set;
    text trace;
    text log[2]; /* lenient, strict */
    struct {
        char name[100];
        text bytes;
    } files[FILES];
    int file_count;
} test;

static const int is_whole = PAJESIM_CHECKS && PAJESIM_REPAIRS && PAJESIM_FILES && PAJESIM_FIELDS && PAJESIM_TEXTS &&
                            PAJESIM_WORDS >= 32;

static text standard_header, standard_scene;
static int verbose;
static size_t ladder_step = 1;
static int failed;

static void bad_test(const char *path, const char *title, const char *why)
{
    fprintf(stderr, "prose: %s: %s: %s\n", path, title, why);
    exit(2);
}

/* One option; answers 0 if there is none such. */
static int set_option(settings *set, const char *word, const char *number)
{
    unsigned long value = strtoul(number, NULL, 10);
    static const struct {
        const char *name;
        size_t at;
    } switches[] = {{"lines", offsetof(settings, lines)},
                    {"definitions", offsetof(settings, definitions)},
                    {"end", offsetof(settings, end)},
                    {"exact", offsetof(settings, exact)},
                    {"doubles", offsetof(settings, doubles)},
                    {"integers", offsetof(settings, integers)},
                    {"whole", offsetof(settings, whole)},
                    {"ignore_links", offsetof(settings, options.ignore_links)},
                    {"old_names", offsetof(settings, options.old_names)},
                    {"parse_only", offsetof(settings, options.parse_only)}},
      numbers[] = {{"line_max", offsetof(settings, options.line_max)},
                   {"line_room", offsetof(settings, options.line_room)},
                   {"kept", offsetof(settings, options.kept)},
                   {"depth_max", offsetof(settings, options.depth_max)}};
    size_t i;
    for (i = 0; i < sizeof switches / sizeof *switches; i++)
        if (!strcmp(word, switches[i].name)) {
            int yes = 1;
            memcpy((char *)set + switches[i].at, &yes, sizeof yes);
            return 1;
        }
    for (i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (!strcmp(word, numbers[i].name) && *number) {
            uint32_t size = (uint32_t)value;
            memcpy((char *)set + numbers[i].at, &size, sizeof size);
            return 1;
        }
    if (!strcmp(word, "strict") || !strcmp(word, "lenient"))
        set->modes = *word == 's' ? STRICT : LENIENT;
    else if (!strcmp(word, "nothing") || !strcmp(word, "header") || !strcmp(word, "scene"))
        set->begin = *word == 'n' ? NOTHING : *word == 'h' ? HEADER : SCENE;
    else
        return 0;
    return 1;
}

static int set_options(settings *set, const char *p)
{
    for (;;) {
        char word[32] = "", number[32] = "";
        p += strspn(p, " ,.");
        if (!*p)
            return 1;
        sscanf(p, "%31[a-z_] %31[0-9]", word, number);
        if (!set_option(set, word, number))
            return 0;
        p += strcspn(p, ",");
    }
}

/* Appends what is written with escapes.  A log keeps them, as it shows bytes in the same way. */
static void append_escaped(text *to, const char *p, const char *end, int is_log)
{
    for (; p < end; p++) {
        unsigned byte;
        char c = *p;
        if (c != '\\') {
            if ((unsigned char)c >= 0x80 && is_log)
                print(to, "\\x%02x", (unsigned char)c);
            else
                append(to, &c, 1);
        } else if (end - p > 2 && p[1] == '{' && memchr(p, '}', (size_t)(end - p))) {
            char *unit;
            unsigned long times = strtoul(p + 2, &unit, 10);
            const char *close = memchr(p, '}', (size_t)(end - p));
            while (times--)
                append_escaped(to, unit + 1, close, is_log);
            p = close;
        } else if (is_log) {
            append(to, p, 2);
            p++;
        } else if (p[1] == 'x' && sscanf(p + 2, "%2x", &byte) == 1) {
            c = (char)byte;
            append(to, &c, 1);
            p += 3;
        } else {
            p++;
            append(to, *p == 't' ? "\t" : *p == 'r' ? "\r" : *p == 'n' ? "\n" : p, 1);
        }
    }
}

/* A line of a block; a \ at its end joins it with the next. */
static void append_line(text *to, const char *p, const char *end, int is_log)
{
    int joined = end > p && end[-1] == '\\' && !(end > p + 1 && end[-2] == '\\');
    append_escaped(to, p, end - joined, is_log);
    if (!joined)
        append(to, "\n", 1);
}

static void free_test(test *it)
{
    int i;
    clear(&it->trace);
    clear(&it->log[0]);
    clear(&it->log[1]);
    for (i = 0; i < it->file_count; i++)
        clear(&it->files[i].bytes);
}

static void run_test(const char *subject, const test *it);

static void run_file(const char *path)
{
    text source = read_file(path);
    char subject[64];
    const char *p, *stem = strrchr(path, '/');
    settings common;
    test it;
    text *block = NULL;
    int is_log = 0, open = 0, both = 0;

    stem = stem ? stem + 1 : path;
    snprintf(subject, sizeof subject, "%.*s", (int)strcspn(stem, "."), stem);
    memset(&common, 0, sizeof common);
    memset(&it, 0, sizeof it);
    common.modes = STRICT | LENIENT;
    common.begin = SCENE;
    append(&source, "\n", 1);
    for (p = source.bytes;; p += strcspn(p, "\n") + 1) {
        const char *end = p + strcspn(p, "\n");
        int last = *end == 0 && p == end;
        if (block && !last) {
            if (!strncmp(p, "```", 3)) {
                if (both)
                    append(&it.log[1], it.log[0].bytes, it.log[0].size);
                block = NULL;
                both = 0;
            } else {
                append_line(block, p, end, is_log);
            }
        } else if (last || !strncmp(p, "## ", 3)) {
            if (open) {
                if (!it.trace.bytes)
                    bad_test(path, it.title, "it has no trace");
                if (((it.set.modes & STRICT) && !it.log[1].bytes) || ((it.set.modes & LENIENT) && !it.log[0].bytes))
                    bad_test(path, it.title, "it has no log");
                run_test(subject, &it);
            }
            free_test(&it);
            memset(&it, 0, sizeof it);
            if (last)
                break;
            it.set = common;
            open = 1;
            snprintf(it.title, sizeof it.title, "%.*s", (int)(end - p - 3), p + 3);
        } else if (!strncmp(p, "Options: ", 9)) {
            char options[200];
            snprintf(options, sizeof options, "%.*s", (int)(end - p - 9), p + 9);
            if (!set_options(open ? &it.set : &common, options))
                bad_test(path, it.title, options);
        } else if (!strncmp(p, "```", 3)) {
            is_log = !strncmp(p, "```log", 6);
            if (is_log) {
                block = &it.log[!strncmp(p, "```log strict", 13)];
                both = end == p + 6;
            } else if (!strncmp(p, "```file ", 8) && it.file_count < FILES) {
                snprintf(it.files[it.file_count].name, sizeof it.files[0].name, "%.*s", (int)(end - p - 8), p + 8);
                block = &it.files[it.file_count++].bytes;
            } else if (!strncmp(p, "```trace", 8)) {
                block = &it.trace;
            } else {
                bad_test(path, it.title, "a block is neither trace, file nor log");
            }
            append(block, "", 0);
        }
    }
    clear(&source);
}

/* ------------------------------------------------------------------------------------------------
 * A run of a test: the log that it gives
 * --------------------------------------------------------------------------------------------- */

/* A way to run that must make no difference. */
typedef struct way {
    const char *name;
    size_t piece;   /* bytes a feed; 0: all */
    int by_line;    /* a line a feed */
    int pause;      /* every callback pauses */
    int move;       /* after each feed into another block */
    int restore;    /* after each feed from an image, into another block */
    int compare;    /* refused lines and lines that do not fit leave the arena as it was */
    int stop;       /* at every line; then it is done after all, from an image */
    int crlf, numbered, cut, blanks; /* cut: without the last newline; blanks: some behind it */
    int deaf;       /* no callbacks at all */
    int climb;      /* begins with too little memory, and moves to what is needed */
} way;

static const way ways[] = {
    {.name = "fed whole"},
    {.name = "in pieces of 1", .piece = 1},
    {.name = "in pieces of 2", .piece = 2},
    {.name = "in pieces of 3", .piece = 3},
    {.name = "in pieces of 7", .piece = 7},
    {.name = "in pieces of 16", .piece = 16},
    {.name = "in pieces of 61", .piece = 61},
    {.name = "in pieces of 64", .piece = 64},
    {.name = "in pieces of 65", .piece = 65},
    {.name = "in pieces of 1023", .piece = 1023},
    {.name = "followed by blanks", .blanks = 1},
    {.name = "line by line", .by_line = 1, .compare = 1},
    {.name = "paused", .pause = 1},
    {.name = "paused, in pieces of 5", .piece = 5, .pause = 1},
    {.name = "moved after every line", .by_line = 1, .move = 1},
    {.name = "moved after every 5 bytes", .piece = 5, .move = 1},
    {.name = "restored after every line", .by_line = 1, .restore = 1},
    {.name = "restored after every 5 bytes", .piece = 5, .restore = 1},
    {.name = "with CRLF", .crlf = 1},
    {.name = "with CRLF, in pieces of 1", .piece = 1, .crlf = 1},
    {.name = "with numbered events", .numbered = 1},
    {.name = "without the last newline", .cut = 1},
    {.name = "without callbacks", .deaf = 1},
    {.name = "stopped at every line", .by_line = 1, .stop = 1},
    {.name = "growing line by line", .by_line = 1, .compare = 1, .climb = 1},
    {.name = "growing in pieces of 5", .piece = 5, .climb = 1},
};
enum { WAYS = sizeof ways / sizeof *ways };

typedef struct run {
    pajesim sim; /* its data is the run */
    const test *it;
    const way *how;
    int strict;
    unsigned char *arena;
    size_t capacity;
    text log;
    int muted;     /* while what precedes the trace is fed */
    int finishing; /* 2: told the end */
    size_t before; /* lines before the trace */
    int depth;
    const char *names[40]; /* of the files that are open */
    int called;    /* a callback was made since the last feed */
    int stopping;  /* at the next line */
    uint64_t problems[3];
    uint64_t closed[PAJESIM_LINK + 1];
    int refused, accepted; /* the line that was fed: errors, and signs of life */
    unsigned char *image;  /* the arena before the line */
    size_t image_size;
    char fault[300];       /* a promise that was broken, other than by the log */
} run;

/* What was seen in all runs: by mode. */
static unsigned char seen_problem[2][PAJESIM_E_COUNT][3];
static unsigned char seen_event[2][PAJESIM_EVENT_COUNT];

static void fault(run *r, const char *format, ...)
{
    va_list arguments;
    if (r->fault[0])
        return;
    va_start(arguments, format);
    vsnprintf(r->fault, sizeof r->fault, format, arguments);
    va_end(arguments);
}

/* A word is shown as it is; what holds blanks or bytes that cannot be seen is quoted. */
static void show(run *r, pajesim_text it, int always_quoted)
{
    size_t i;
    int quoted = always_quoted || it.size == 0;
    for (i = 0; i < it.size; i++)
        quoted |= (unsigned char)it.bytes[i] <= ' ' || it.bytes[i] == 0x7f;
    if (quoted)
        append(&r->log, "\"", 1);
    for (i = 0; i < it.size; i++) {
        unsigned char c = (unsigned char)it.bytes[i];
        if (c == '\t' || c == '\r' || c == '\\')
            print(&r->log, "\\%c", c == '\t' ? 't' : c == '\r' ? 'r' : '\\');
        else if (c < ' ' || c >= 0x7f)
            print(&r->log, "\\x%02x", c);
        else
            append(&r->log, &it.bytes[i], 1);
    }
    if (quoted)
        append(&r->log, "\"", 1);
}

/* As few digits as name this very number. */
static void show_number(run *r, const char *before, double number)
{
    char digits[40];
    int precision;
    for (precision = 15; precision <= 17; precision++) {
        snprintf(digits, sizeof digits, "%.*g", precision, number);
        if (strtod(digits, NULL) == number)
            break;
    }
    print(&r->log, "%s%s", before, digits);
}

/* An integer of so many decimals: as few of these as name it. */
static void show_fixed(run *r, const char *before, int64_t number, int decimals)
{
    char digits[40];
    int width = decimals + 1 + (number < 0);
    char *end = digits + snprintf(digits, sizeof digits, "%0*lld", width, (long long)number), *point = end - decimals;
    while (end > point && end[-1] == '0')
        end--;
    print(&r->log, "%s%.*s", before, (int)(point - digits), digits);
    if (end > point)
        print(&r->log, ".%.*s", (int)(end - point), point);
}

static void show_time(run *r, const char *before, pajesim_time time)
{
    if (PAJESIM_TIME_DECIMALS == PAJESIM_DOUBLE)
        show_number(r, before, (double)time);
    else
        show_fixed(r, before, (int64_t)time, PAJESIM_TIME_DECIMALS);
}

static void show_quantity(run *r, const char *before, pajesim_quantity quantity)
{
    if (PAJESIM_VALUE_DECIMALS == PAJESIM_DOUBLE)
        show_number(r, before, (double)quantity);
    else
        show_fixed(r, before, (int64_t)quantity, PAJESIM_VALUE_DECIMALS);
}

static void show_ref(run *r, const char *before, pajesim_ref ref)
{
    print(&r->log, "%s", before);
    if (ref)
        show(r, pajesim_alias(&r->sim, ref), 0);
    else
        print(&r->log, "none");
}

static void show_kind(run *r, pajesim_kind kind)
{
    const char *name = pajesim_kind_name(kind);
    print(&r->log, "%c%s", tolower((unsigned char)*name), *name ? name + 1 : "");
}

static void show_color(run *r, pajesim_text color)
{
    if (!color.size)
        return;
    print(&r->log, " color ");
    show(r, color, 0);
}

static void show_fields(run *r, const char *before, const pajesim_fields *fields)
{
    pajesim_field field, same;
    uint32_t i;
    for (i = 0; i < fields->count; i++) {
        char name[128];
        if (!pajesim_user_field(&r->sim, fields, i, &field)) {
            fault(r, "user field %u of %u is not there", i, fields->count);
            return;
        }
        print(&r->log, "%s", i ? ", " : before);
        show(r, field.name, 0);
        print(&r->log, " ");
        show(r, field.text, 0);
        snprintf(name, sizeof name, "%.*s", (int)field.name.size, field.name.bytes);
        if (!pajesim_user_field_named(&r->sim, fields, name, &same) || same.name.size != field.name.size)
            fault(r, "user field %s is not found by its name", name);
    }
    if (pajesim_user_field_named(&r->sim, fields, "nobody calls one so", &field))
        fault(r, "there is a user field that nobody has");
    if (pajesim_user_field(&r->sim, fields, fields->count, &field))
        fault(r, "there is a user field beyond the last");
}

/* ---- callbacks ---- */

static run *run_of(pajesim *sim)
{
    run *r = pajesim_data(sim);
    r->called = 1;
    return r;
}

static int answer(const run *r)
{
    return r->how->pause ? PAJESIM_PAUSE : PAJESIM_GO_ON;
}

static int on_definition(pajesim *sim, const pajesim_definition *definition)
{
    run *r = run_of(sim);
    pajesim_field field;
    uint32_t i;
    r->accepted = 1;
    if (r->muted || !r->it->set.definitions)
        return answer(r);
    print(&r->log, "definition ");
    show(r, definition->number, 0);
    print(&r->log, " ");
    show(r, definition->name, 0);
    if (!definition->event)
        print(&r->log, " unknown");
    else if (strlen(pajesim_event_name(definition->event)) != definition->name.size ||
             memcmp(pajesim_event_name(definition->event), definition->name.bytes, definition->name.size))
        fault(r, "a definition has another name than its event");
    for (i = 0; pajesim_definition_field(sim, definition->ref, i, &field); i++) {
        static const char *const types[] = {"date", "double", "float", "int", "hex", "string", "color"};
        print(&r->log, "%s", i ? ", " : ": ");
        show(r, field.name, 0);
        print(&r->log, " %s", types[field.type]);
    }
    if (i != definition->fields)
        fault(r, "the definition has %u fields, and says it has %u", i, definition->fields);
    print(&r->log, "\n");
    return answer(r);
}

static int on_line(pajesim *sim, const pajesim_line *line)
{
    run *r = run_of(sim);
    pajesim_field field;
    uint32_t i;
    if (r->stopping)
        return PAJESIM_STOP;
    r->accepted = 1;
    if (r->muted)
        return answer(r);
    seen_event[r->strict][line->event] = 1;
    if (!r->it->set.lines)
        return answer(r);
    print(&r->log, "line %s", *pajesim_event_name(line->event) ? pajesim_event_name(line->event) : "unknown");
    for (i = 0; pajesim_line_field(sim, line, i, &field); i++) {
        print(&r->log, "%s", i ? ", " : ": ");
        show(r, field.name, 0);
        print(&r->log, " ");
        if (field.role == PAJESIM_TIME) {
            show_time(r, "", line->time);
        } else if (field.role == PAJESIM_VALUE && line->event >= PAJESIM_SET_VARIABLE &&
                   line->event <= PAJESIM_SUB_VARIABLE) {
            show_quantity(r, "", line->number);
        } else {
            show(r, field.text, 0);
        }
        if (field.role != PAJESIM_USER_FIELD && pajesim_line_role(sim, line, field.role).bytes != field.text.bytes)
            fault(r, "a field is not found by its role");
    }
    if (i != line->count)
        fault(r, "the line has %u fields, and says it has %u", i, line->count);
    print(&r->log, "\n");
    return answer(r);
}

static int on_problem(pajesim *sim, const pajesim_problem *problem)
{
    run *r = run_of(sim);
    static const char *const severities[] = {"silent", "warning", "error"};
    static const struct {
        const char *name;
        pajesim_severity strict, lenient;
        const char *text;
    } table[] = {
#define ROW(code, when_strict, when_lenient, its_text) \
    {#code, PAJESIM_##when_strict, PAJESIM_##when_lenient, its_text},
        PAJESIM_PROBLEMS(ROW)
#undef ROW
    };
    pajesim_problem last = pajesim_last_problem(sim);
    pajesim_severity expected;
    if ((unsigned)problem->code >= PAJESIM_E_COUNT || (unsigned)problem->severity > PAJESIM_ERROR) {
        fault(r, "a problem's code or severity is none");
        return answer(r);
    }
    expected = r->strict ? table[problem->code].strict : table[problem->code].lenient;
    if (expected != problem->severity)
        fault(r, "%s is told as %s", table[problem->code].name, severities[problem->severity]);
    if (strcmp(problem->text, PAJESIM_TEXTS ? table[problem->code].text : "") ||
        strcmp(problem->text, pajesim_problem_text(problem->code)))
        fault(r, "%s has another text", table[problem->code].name);
    if (last.code != problem->code || last.line != problem->line || last.column != problem->column ||
        last.severity != problem->severity || last.bytes.size != problem->bytes.size ||
        memcmp(last.bytes.bytes, problem->bytes.bytes, last.bytes.size))
        fault(r, "pajesim_last_problem is another than %s", table[problem->code].name);
    if (problem->bytes.size > 64)
        fault(r, "%s has more than 64 bytes", table[problem->code].name);
    if (problem->depth != (uint32_t)r->depth)
        fault(r, "%s is told in a file of depth %u, and %d are open", table[problem->code].name, problem->depth,
              r->depth);
    if (r->muted)
        fault(r, "what precedes the trace has a problem: %s, line %d", table[problem->code].name, (int)problem->line);
    /* HEADER_OPEN is of an earlier line */
    r->refused |= problem->severity == PAJESIM_ERROR && problem->code != PAJESIM_E_HEADER_OPEN;
    r->problems[problem->severity]++;
    seen_problem[r->strict][problem->code][problem->severity] = 1;
    print(&r->log, "%s ", severities[problem->severity]);
    if (r->depth)
        print(&r->log, "%s:%d", r->names[r->depth - 1], (int)problem->line);
    else
        print(&r->log, "%d", (int)problem->line - (int)r->before);
    if (problem->column)
        print(&r->log, ":%u", problem->column);
    print(&r->log, " %s", table[problem->code].name);
    if (problem->bytes.size) {
        print(&r->log, " ");
        show(r, problem->bytes, 0);
    }
    print(&r->log, "\n");
    return answer(r);
}

static int same(pajesim_text a, pajesim_text b)
{
    return a.size == b.size && !memcmp(a.bytes, b.bytes, a.size);
}

static int on_new_type(pajesim *sim, const pajesim_type_info *type)
{
    run *r = run_of(sim);
    r->accepted = 1;
    if (!same(type->name, pajesim_name(sim, type->ref)) || !same(type->alias, pajesim_alias(sim, type->ref)) ||
        !same(type->color, pajesim_color(sim, type->ref)) || type->kind != pajesim_kind_of(sim, type->ref) ||
        type->parent != pajesim_parent(sim, type->ref) || *pajesim_word(sim, type->ref) != 0 ||
        pajesim_find_type(sim, type->alias.bytes, type->alias.size) != type->ref)
        fault(r, "queries and new_type differ about %.*s", (int)type->alias.size, type->alias.bytes);
    if (r->muted)
        return answer(r);
    print(&r->log, "new_type ");
    show_kind(r, type->kind);
    show_ref(r, " ", type->ref);
    print(&r->log, " ");
    show(r, type->name, 1);
    show_ref(r, " in ", type->parent);
    if (type->kind == PAJESIM_LINK) {
        show_ref(r, " from ", type->start_type);
        show_ref(r, " to ", type->end_type);
    }
    show_color(r, type->color);
    print(&r->log, "\n");
    return answer(r);
}

static int on_new_value(pajesim *sim, const pajesim_value_info *value)
{
    run *r = run_of(sim);
    r->accepted = 1;
    if (!same(value->name, pajesim_name(sim, value->ref)) || !same(value->alias, pajesim_alias(sim, value->ref)) ||
        !same(value->color, pajesim_color(sim, value->ref)) || value->type != pajesim_parent(sim, value->ref) ||
        pajesim_kind_of(sim, value->ref) != pajesim_kind_of(sim, value->type) ||
        pajesim_find_value(sim, value->type, value->alias.bytes, value->alias.size) != value->ref)
        fault(r, "queries and new_value differ about %.*s", (int)value->alias.size, value->alias.bytes);
    if (r->muted)
        return answer(r);
    show_ref(r, "new_value ", value->ref);
    print(&r->log, " ");
    show(r, value->name, 1);
    show_ref(r, " of ", value->type);
    show_color(r, value->color);
    print(&r->log, "%s\n", value->implicit ? " implicit" : "");
    return answer(r);
}

/* Whether an entity has nothing that its kind has not, whatever was shown before it. */
static int is_clean(const pajesim_entity *it)
{
    int has_value = it->kind == PAJESIM_STATE || it->kind == PAJESIM_EVENT || it->kind == PAJESIM_LINK;
    return (has_value || (!it->value && !it->value_name.size)) && (it->kind == PAJESIM_STATE || !it->imbrication) &&
           (it->kind == PAJESIM_VARIABLE || it->number == 0) && it->value_name.bytes && it->key.bytes &&
           (it->kind == PAJESIM_LINK || (!it->key.size && !it->start_container && !it->end_container));
}

/* An entity: what it is, then when; `open` says whether it is about its start only. */
static void show_entity(run *r, const pajesim_entity *it)
{
    pajesim_text alias = pajesim_alias(&r->sim, it->container);
    pajesim_ref found = pajesim_find_container(&r->sim, alias.bytes, alias.size);
    if (it->kind != PAJESIM_CONTAINER && found != it->container && found != pajesim_root(&r->sim))
        fault(r, "an entity's container is not found by its identifier");
    if (pajesim_kind_of(&r->sim, it->type) != it->kind)
        fault(r, "an entity is of another kind than its type");
    if (it->value && !same(pajesim_name(&r->sim, it->value), it->value_name))
        fault(r, "an entity's value is called otherwise");
    if (it->open && it->end != it->start)
        fault(r, "an open entity has an end");
    if (!is_clean(it))
        fault(r, "an entity has what its kind has not");
    if ((it->kind == PAJESIM_EVENT || it->kind == PAJESIM_LINK) && pajesim_depth(&r->sim, it->container, it->type))
        fault(r, "an event or a link is on a stack");
    show_ref(r, " ", it->container);
    if (it->kind == PAJESIM_CONTAINER) {
        if (pajesim_type_of(&r->sim, it->container) != it->type)
            fault(r, "a container's type is another one");
        if (pajesim_start_of(&r->sim, it->container) != it->start)
            fault(r, "a container's start is another one");
        if (it->open) {
            print(&r->log, " ");
            show(r, pajesim_name(&r->sim, it->container), 1);
        }
        show_ref(r, " of ", it->type);
        show_ref(r, " in ", pajesim_parent(&r->sim, it->container));
    } else {
        show_ref(r, " ", it->type);
    }
    if (it->kind == PAJESIM_VARIABLE)
        show_quantity(r, " ", it->number);
    if (it->kind == PAJESIM_LINK) {
        print(&r->log, " key ");
        show(r, it->key, 0);
        print(&r->log, " value");
    }
    if ((it->kind == PAJESIM_STATE || it->kind == PAJESIM_EVENT || it->kind == PAJESIM_LINK)) {
        print(&r->log, " ");
        show(r, it->value_name, 0);
        if (!it->value)
            print(&r->log, " undefined");
    }
    if (it->kind == PAJESIM_STATE)
        print(&r->log, " depth %u", it->imbrication);
    if (it->kind == PAJESIM_LINK) {
        if (it->start_container) {
            show_ref(r, " from ", it->start_container);
            show_time(r, " at ", it->start);
        }
        if (it->end_container) {
            show_ref(r, " to ", it->end_container);
            show_time(r, " at ", it->end);
        }
    } else if (it->kind == PAJESIM_EVENT || it->open) {
        show_time(r, " at ", it->start);
    } else {
        show_time(r, " from ", it->start);
        show_time(r, " to ", it->end);
    }
    show_fields(r, " with ", &it->opening);
    show_fields(r, it->opening.count ? ", then " : " then ", &it->closing);
    print(&r->log, "\n");
}

static int entry(pajesim *sim, const char *name, const pajesim_entity *it)
{
    run *r = run_of(sim);
    r->accepted = 1;
    if (r->muted || (r->finishing && it->kind == PAJESIM_CONTAINER && !it->open && !r->it->set.end))
        return answer(r);
    print(&r->log, "%s", name);
    show_entity(r, it);
    return answer(r);
}

#define ENTRY(name) \
    static int on_##name(pajesim *sim, const pajesim_entity *it) { return entry(sim, #name, it); }
ENTRY(container_created)
ENTRY(container_destroyed)
ENTRY(state_set)
ENTRY(state_pushed)
ENTRY(state_popped)
ENTRY(variable_set)
ENTRY(variable_updated)
ENTRY(link_started)
ENTRY(link_ended)
ENTRY(link_completed)
ENTRY(event)

static int on_state_reset(pajesim *sim, const pajesim_entity *it)
{
    run *r = run_of(sim);
    r->accepted = 1;
    if (r->muted)
        return answer(r);
    show_ref(r, "state_reset ", it->container);
    show_ref(r, " ", it->type);
    show_time(r, " at ", it->start);
    show_fields(r, " then ", &it->closing);
    print(&r->log, "\n");
    return answer(r);
}

static int on_closed(pajesim *sim, const pajesim_entity *it)
{
    run *r = run_of(sim);
    r->accepted = 1;
    if (it->kind >= PAJESIM_CONTAINER && it->kind <= PAJESIM_LINK)
        r->closed[it->kind]++;
    if (it->open)
        fault(r, "an entity is closed and open");
    if (r->muted || (r->finishing && it->kind == PAJESIM_CONTAINER && !r->it->set.end))
        return answer(r);
    print(&r->log, "closed ");
    show_kind(r, it->kind);
    show_entity(r, it);
    return answer(r);
}

static int on_finished(pajesim *sim)
{
    run *r = run_of(sim);
    if (r->finishing != 1)
        fault(r, "finished was called out of time");
    r->finishing = 2;
    return answer(r);
}

static const pajesim_callbacks callbacks = {
    on_definition,   on_line,         on_problem,      on_new_type,    on_new_value, on_container_created,
    on_container_destroyed, on_state_set, on_state_pushed, on_state_popped, on_state_reset, on_variable_set,
    on_variable_updated, on_link_started, on_link_ended, on_link_completed, on_event, on_closed, on_finished};
static const pajesim_callbacks no_callbacks;

/* ------------------------------------------------------------------------------------------------
 * Feeding
 * --------------------------------------------------------------------------------------------- */

static const pajesim_callbacks *callbacks_of(const run *r)
{
    return r->how->deaf ? &no_callbacks : &callbacks;
}

/* The simulation moves into a block of this size; what was its block is spoiled. */
static pajesim_status move_to(run *r, size_t capacity)
{
    unsigned char *block = get(capacity);
    pajesim_status status;
    memset(block, 0x5a, capacity);
    status = pajesim_move(&r->sim, block, capacity);
    if (status != PAJESIM_OK) {
        free(block);
        return status;
    }
    memset(r->arena, 0xa5, r->capacity);
    free(r->arena);
    r->arena = block;
    r->capacity = capacity;
    return status;
}

/* The simulation becomes an image, from the second byte of a block on. */
static unsigned char *save(run *r, size_t *size)
{
    unsigned char *image;
    pajesim_status status;
    *size = pajesim_image_size(&r->sim);
    image = get(*size + 1);
    status = pajesim_save(&r->sim, image + 1, *size); /* an image may lie anywhere */
    if (status != PAJESIM_OK)
        fault(r, "save answers %d", status);
    return image;
}

/* It comes back from there at another address, in a new struct. */
static void restore(run *r, unsigned char *image, size_t size)
{
    unsigned char *block = get(r->capacity);
    pajesim_status status;
    memset(r->arena, 0xa5, r->capacity);
    free(r->arena);
    memset(&r->sim, 0xa5, sizeof r->sim);
    memset(block, 0x5a, r->capacity);
    status = pajesim_restore(&r->sim, block, r->capacity, image + 1, size, callbacks_of(r), r);
    if (status != PAJESIM_OK)
        fault(r, "restore answers %d", status);
    memset(image, 0xa5, size + 1);
    r->arena = block;
}

static void revive(run *r)
{
    size_t size;
    unsigned char *image = save(r, &size);
    restore(r, image, size);
    free(image);
}

/* Remembers the arena, to compare it when the line that comes is refused. */
static void remember(run *r)
{
    free(r->image);
    r->image_size = pajesim_used(&r->sim);
    r->image = get(r->image_size);
    memcpy(r->image, r->arena, r->image_size);
    r->refused = r->accepted = 0;
}

/* Nothing but position (with it the piece of a line that is carried over), counters and last problem has changed. */
static void compare(run *r, const char *what)
{
    const size_t from = offsetof(pajesim__state, carry_size), to = sizeof(pajesim__state);
    pajesim__state state, now;
    size_t carry, i;
    memcpy(&state, r->image, sizeof state);
    carry = (size_t)state.carry * PAJESIM__UNIT;
    memcpy(&now, r->arena, sizeof now);
    if (PAJESIM_SMALL && now.carry != state.carry) /* every line goes by way of the carry, which it has widened */
        return;
    if (pajesim_used(&r->sim) != r->image_size) {
        fault(r, "%s changed the arena's use from %u to %u bytes", what, (unsigned)r->image_size,
              (unsigned)pajesim_used(&r->sim));
        return;
    }
    for (i = 0; i < r->image_size; i++)
        if ((i < from || i >= to) && (i < carry || i >= carry + state.carry_room) &&
            r->image[i] != r->arena[i]) {
            fault(r, "%s changed the arena's byte %u", what, (unsigned)i);
            return;
        }
}

enum { FEED, END_FILE, FINISH };

static pajesim_status call(run *r, int what, const char *bytes, size_t size, size_t *taken)
{
    *taken = 0;
    r->called = 0;
    return what == FEED ? pajesim_feed(&r->sim, bytes, size, taken)
                        : what == END_FILE ? pajesim_end_file(&r->sim) : pajesim_finish(&r->sim);
}

/* After PAJESIM_FULL: with one byte less than needed it is full again, and says the same; then to what is needed. */
static int climb(run *r, int what, const char *bytes, size_t size)
{
    uint64_t needed = pajesim_needed(&r->sim);
    size_t taken, before = r->log.size;
    pajesim_status status;
    if (r->how->compare && what == FEED)
        compare(r, "a line that does not fit");
    if (needed <= r->capacity || needed > 1 << 24) {
        fault(r, "full with %u bytes, and needs %u", (unsigned)r->capacity, (unsigned)needed);
        return 0;
    }
    if (needed - 1 > r->capacity) {
        move_to(r, (size_t)needed - 1);
        status = call(r, what, bytes, size, &taken);
        if (status != PAJESIM_FULL || pajesim_needed(&r->sim) != needed || taken || r->log.size != before) {
            fault(r, "needs %u bytes, but answers %d with one less, and needs %u", (unsigned)needed, status,
                  (unsigned)pajesim_needed(&r->sim));
            return 0;
        }
    }
    status = move_to(r, (size_t)needed);
    if (status != PAJESIM_OK)
        fault(r, "move to the %u bytes needed answers %d", (unsigned)needed, status);
    return 1;
}

/* A line at which a callback stops takes no effect.  Answers whether there was one: refused lines are done. */
static int stop_before(run *r, const char *bytes, size_t size)
{
    size_t image_size, taken, before = r->log.size;
    unsigned char *image = save(r, &image_size);
    pajesim_status status;
    remember(r);
    r->stopping = 1;
    status = call(r, FEED, bytes, size, &taken);
    r->stopping = 0;
    if (status == PAJESIM_STOPPED) {
        compare(r, "a line at which it was stopped");
        if ((taken && *bytes != '\xef') || r->log.size != before) /* a byte order mark is none of the line */
            fault(r, "a line at which it was stopped took %u bytes, and %u of log", (unsigned)taken,
                  (unsigned)(r->log.size - before));
        restore(r, image, image_size);
    } else if (status != PAJESIM_OK || taken != size) {
        fault(r, "answers %d, and took %u bytes of %u", status, (unsigned)taken, (unsigned)size);
    }
    free(image);
    return status == PAJESIM_STOPPED;
}

static void feed_file(run *r, const char *bytes, size_t size);
static text dress(const test *it, const way *how, const text *plain);

static void include_file(run *r)
{
    pajesim_text name = pajesim_file(&r->sim);
    int i;
    print(&r->log, "open ");
    show(r, name, 0);
    print(&r->log, "\n");
    for (i = 0; i < r->it->file_count; i++)
        if (strlen(r->it->files[i].name) == name.size && !memcmp(r->it->files[i].name, name.bytes, name.size))
            break;
    r->names[r->depth++] = i < r->it->file_count ? r->it->files[i].name : "missing";
    if (i < r->it->file_count) {
        text dressed = dress(r->it, r->how, &r->it->files[i].bytes);
        feed_file(r, dressed.bytes, dressed.size);
        clear(&dressed);
    }
    for (;;) {
        size_t taken;
        pajesim_status status = call(r, END_FILE, NULL, 0, &taken);
        if (status == PAJESIM_OK)
            break;
        if (status == PAJESIM_OPEN)
            include_file(r);
        else if (status == PAJESIM_FULL ? !climb(r, END_FILE, NULL, 0) : status != PAJESIM_PAUSED) {
            fault(r, "end_file answers %d", status);
            break;
        }
    }
    print(&r->log, "end %s\n", r->names[--r->depth]);
    r->accepted = 1; /* by the line that includes it */
}

/* One piece, in a block of its own of just its size, until all of it is taken. */
static void feed_piece(run *r, const char *bytes, size_t size)
{
    char *block = get(size);
    size_t at = 0;
    int full = 0;
    memcpy(block, bytes, size);
    while (at < size && !r->fault[0]) {
        size_t taken;
        pajesim_status status = call(r, FEED, block + at, size - at, &taken);
        if (taken > size - at) {
            fault(r, "took %u bytes of %u", (unsigned)taken, (unsigned)(size - at));
            break;
        }
        if (status == PAJESIM_OK && taken != size - at)
            fault(r, "answers OK, but took %u bytes of %u", (unsigned)taken, (unsigned)(size - at));
        if (status == PAJESIM_FULL && full && r->how->by_line && !PAJESIM_SMALL) /* there, once more for the carry */
            fault(r, "full again with the %u bytes that it needed", (unsigned)r->capacity);
        full = status == PAJESIM_FULL;
        if (full && !climb(r, FEED, block + at + taken, size - at - taken))
            break;
        if (status == PAJESIM_PAUSED && (!r->called || !r->how->pause))
            fault(r, "paused, but no callback did so");
        if (status == PAJESIM_OK && r->called && r->how->pause)
            fault(r, "a callback paused, but feed answers OK");
        if ((status == PAJESIM_PAUSED || status == PAJESIM_OPEN) && taken && block[at + taken - 1] != '\n')
            fault(r, "answers %d before the end of a line", status);
        at += taken;
        if (status == PAJESIM_OPEN)
            include_file(r);
        else if (status != PAJESIM_OK && status != PAJESIM_PAUSED && status != PAJESIM_FULL) {
            fault(r, "feed answers %d", status);
            break;
        }
    }
    memset(block, 0xa5, size);
    free(block);
}

static void feed_file(run *r, const char *bytes, size_t size)
{
    size_t at = 0;
    while (at < size && !r->fault[0]) {
        size_t piece = r->how->piece && r->how->piece < size - at ? r->how->piece : size - at;
        if (r->how->by_line) {
            const char *end = memchr(bytes + at, '\n', size - at);
            piece = end ? (size_t)(end - bytes) + 1 - at : size - at;
        }
        if (r->how->compare)
            remember(r);
        if (!r->how->stop || stop_before(r, bytes + at, piece))
            feed_piece(r, bytes + at, piece);
        if (r->how->compare && r->refused && !r->accepted && !r->fault[0] && bytes[at] != '%')
            compare(r, "a refused line");
        if (r->how->move)
            move_to(r, r->capacity);
        if (r->how->restore)
            revive(r);
        at += piece;
    }
}

/* The trace as this way wants it.  Lines keep their columns: the numbers are filled up with blanks. */
static text dress(const test *it, const way *how, const text *plain)
{
    text dressed = {NULL, 0, 0};
    size_t i;
    append(&dressed, "", 0);
    for (i = 0; i < plain->size; i++) {
        if (plain->bytes[i] == '\n' && how->crlf)
            append(&dressed, "\r", 1);
        append(&dressed, plain->bytes + i, 1);
    }
    if (how->cut && plain == &it->trace)
        dressed.size--;
    for (i = 0; i < 50 && how->blanks && plain == &it->trace; i++)
        append(&dressed, " ", 1);
    if (how->numbered && it->set.begin != NOTHING) {
        const char *definition = standard_header.bytes;
        int number;
        for (number = 40; (definition = strstr(definition, "%EventDef ")) != NULL; number++, definition++) {
            char name[40], digits[40];
            size_t size, at, before;
            sscanf(definition, "%%EventDef %*s %39s", name);
            size = strlen(name);
            snprintf(digits, sizeof digits, "%-*d", (int)size, number);
            for (at = 0; at + size < dressed.size; at++) {
                if (memcmp(dressed.bytes + at, name, size) || !isspace((unsigned char)dressed.bytes[at + size]))
                    continue;
                for (before = at; before && strchr(" \t", dressed.bytes[before - 1]); before--)
                    ;
                if (!before || dressed.bytes[before - 1] == '\n' || (plain == &standard_header && before < at))
                    memcpy(dressed.bytes + at, digits, size);
            }
        }
    }
    return dressed;
}

static void finish(run *r)
{
    pajesim_status status;
    const pajesim_counts *counts;
    size_t taken;
    int full = 0;
    r->finishing = 1;
    for (;;) {
        status = call(r, FINISH, NULL, 0, &taken);
        if (status == PAJESIM_OPEN) {
            include_file(r);
        } else if (status == PAJESIM_FULL) {
            if (full)
                fault(r, "finish is full again with what it needed");
            if (r->fault[0] || !climb(r, FINISH, NULL, 0))
                return;
        } else if (status != PAJESIM_PAUSED || !r->how->pause) {
            break;
        }
        full = status == PAJESIM_FULL;
        if (r->how->move && r->finishing == 1)
            move_to(r, r->capacity);
        if (r->how->restore && r->finishing == 1)
            revive(r);
    }
    counts = pajesim_count(&r->sim);
    if (status != PAJESIM_OK && status != PAJESIM_INVALID)
        fault(r, "finish answers %d", status);
    if ((status == PAJESIM_INVALID) != (counts->errors != 0))
        fault(r, "finish answers %d, and there were %u errors", status, (unsigned)counts->errors);
    if (!r->how->deaf && r->finishing != 2)
        fault(r, "finished was not called");
    if (!r->how->deaf &&
        (counts->errors != r->problems[PAJESIM_ERROR] || counts->warnings != r->problems[PAJESIM_WARNING]))
        fault(r, "counts %u errors and %u warnings, but told %u and %u", (unsigned)counts->errors,
              (unsigned)counts->warnings, (unsigned)r->problems[PAJESIM_ERROR], (unsigned)r->problems[PAJESIM_WARNING]);
    if (!r->how->deaf &&
        (counts->containers != r->closed[PAJESIM_CONTAINER] || counts->states != r->closed[PAJESIM_STATE] ||
         counts->punctual != r->closed[PAJESIM_EVENT] || counts->variables != r->closed[PAJESIM_VARIABLE] ||
         counts->links != r->closed[PAJESIM_LINK]))
        fault(r, "closed other numbers of entities than it counts");
    if (pajesim_feed(&r->sim, "x\n", 2, NULL) != PAJESIM_FINISHED)
        fault(r, "takes more after finish");
    print(&r->log, "finished%s", status == PAJESIM_INVALID ? " INVALID" : "");
    if (counts->errors)
        print(&r->log, ", %u error%s", (unsigned)counts->errors, counts->errors > 1 ? "s" : "");
    if (counts->warnings)
        print(&r->log, ", %u warning%s", (unsigned)counts->warnings, counts->warnings > 1 ? "s" : "");
    print(&r->log, "\n");
}

/* What precedes the trace, then the trace.  `capacity` 0: enough.  Answers how much of the arena was used. */
static size_t simulate(run *r, const test *it, const way *how, int strict, size_t capacity, const unsigned char *image,
                       size_t image_size)
{
    pajesim_options options = it->set.options;
    text trace = dress(it, how, &it->trace);
    size_t used;
    pajesim_status status;

    memset(r, 0, sizeof *r);
    append(&r->log, "", 0);
    r->it = it;
    r->how = how;
    r->strict = strict;
    options.strict = strict;
    r->capacity = capacity ? capacity : 1 << 15;
    r->arena = get(r->capacity);
    memset(r->arena, 0x5a, r->capacity);
    r->before = (it->set.begin != NOTHING ? count_lines(&standard_header) : 0) +
                (it->set.begin == SCENE ? count_lines(&standard_scene) : 0);
    if (image) {
        status = pajesim_restore(&r->sim, r->arena, r->capacity, image, image_size, callbacks_of(r), r);
    } else {
        status = pajesim_init(&r->sim, r->arena, r->capacity, &options, callbacks_of(r), r);
        r->muted = 1;
        if (status == PAJESIM_OK && it->set.begin != NOTHING) {
            text header = dress(it, how, &standard_header), scene = dress(it, how, &standard_scene);
            feed_file(r, header.bytes, header.size);
            if (it->set.begin == SCENE)
                feed_file(r, scene.bytes, scene.size);
            clear(&header);
            clear(&scene);
        }
        r->muted = 0;
    }
    if (status != PAJESIM_OK)
        fault(r, "%s answers %d", image ? "restore" : "init", status);
    if (!r->fault[0])
        feed_file(r, trace.bytes, trace.size);
    if (!r->fault[0])
        finish(r);
    used = pajesim_used(&r->sim);
    clear(&trace);
    return used;
}

static void end_run(run *r)
{
    free(r->arena);
    free(r->image);
    clear(&r->log);
}

/* ------------------------------------------------------------------------------------------------
 * All runs of a test
 * --------------------------------------------------------------------------------------------- */

static void complain(const char *subject, const test *it, int strict, const char *how, const char *why)
{
    printf("FAIL prose %s: %s: %s, %s: %s\n", subject, it->title, strict ? "strict" : "lenient", how, why);
    failed++;
}

/* Whether a run gave the log that it should, and kept all other promises. */
static int judge(const char *subject, const run *r, const char *how)
{
    const text *expected = &r->it->log[r->strict];
    const char *a = expected->bytes, *b = r->log.bytes;
    char why[700];
    int line = 1;
    if (r->fault[0]) {
        complain(subject, r->it, r->strict, how, r->fault);
        if (verbose)
            printf("---- seen\n%s----\n", r->log.bytes);
        return 0;
    }
    if (r->how->deaf || (expected->size == r->log.size && !memcmp(a, b, r->log.size)))
        return 1;
    while (*a && strcspn(a, "\n") == strcspn(b, "\n") && !strncmp(a, b, strcspn(a, "\n") + 1)) {
        a += strcspn(a, "\n") + 1;
        b += strcspn(b, "\n") + 1;
        line++;
    }
    snprintf(why, sizeof why, "log line %d should be \"%.*s\", is \"%.*s\"", line, (int)strcspn(a, "\n"), a,
             (int)strcspn(b, "\n"), b);
    complain(subject, r->it, r->strict, how, why);
    if (verbose)
        printf("---- expected\n%s---- seen\n%s----\n", expected->bytes, r->log.bytes);
    return 0;
}

/* Every capacity from that of an image on, by steps, up to the one that is enough. */
static int climb_ladder(const char *subject, const test *it, int strict, const unsigned char *image, size_t size,
                        size_t low, size_t high)
{
    static const way rungs[2] = {{.by_line = 1, .compare = 1, .climb = 1}, {.piece = 5, .climb = 1}};
    size_t capacity, i = 0;
    for (capacity = low; capacity < high; capacity += ladder_step, i++) {
        char how[60];
        run r;
        int good;
        snprintf(how, sizeof how, "with an arena of %u bytes", (unsigned)capacity);
        simulate(&r, it, &rungs[i % 2], strict, capacity, image, size);
        good = judge(subject, &r, how);
        end_run(&r);
        if (!good)
            return 0;
    }
    return 1;
}

/* The capacities at which the ladder of a test begins: that of the image before its trace, taken by the way. */
static unsigned char *image_before_trace(const test *it, int strict, size_t *size, size_t *used)
{
    static const way plain = {.name = ""};
    pajesim_options options = it->set.options;
    unsigned char *image;
    run r;
    memset(&r, 0, sizeof r);
    r.it = it;
    r.how = &plain;
    r.strict = strict;
    r.muted = 1;
    r.capacity = 1 << 15;
    r.arena = get(r.capacity);
    options.strict = strict;
    pajesim_init(&r.sim, r.arena, r.capacity, &options, &callbacks, &r);
    if (it->set.begin != NOTHING)
        feed_file(&r, standard_header.bytes, standard_header.size);
    if (it->set.begin == SCENE)
        feed_file(&r, standard_scene.bytes, standard_scene.size);
    *size = pajesim_image_size(&r.sim);
    *used = pajesim_used(&r.sim);
    image = get(*size);
    pajesim_save(&r.sim, image, *size);
    end_run(&r);
    return image;
}

/* Whether a way makes sense for a test. */
static int applies(const test *it, const way *how)
{
    size_t size = it->trace.size, line;
    if (how->blanks) { /* they are one line more: what is told at the end is told there */
        const char *log = it->log[it->set.modes == LENIENT ? 0 : 1].bytes; /* strict has all of these errors */
        return size && it->trace.bytes[size - 1] == '\n' && !strstr(log, "LINK_PENDING") && !strstr(log, "HEADER_OPEN");
    }
    if (it->set.exact)
        return !how->crlf && !how->numbered && !how->cut;
    if (how->numbered)
        return it->set.begin != NOTHING && !it->set.definitions;
    if (!how->cut)
        return 1;
    if (size < 2 || it->trace.bytes[size - 1] != '\n')
        return 0;
    for (line = size - 1; line && it->trace.bytes[line - 1] != '\n'; line--)
        ;
    return strncmp(it->trace.bytes + line, "DestroyContainer", 16) != 0; /* whose log differs when finishing */
}

static void run_test(const char *subject, const test *it)
{
    const int integers = PAJESIM_TIME_DECIMALS != PAJESIM_DOUBLE && PAJESIM_VALUE_DECIMALS != PAJESIM_DOUBLE;
    int strict, good = 1;
    if ((it->set.doubles && integers) || (it->set.integers && !integers) || (it->set.whole && !is_whole))
        return;
    for (strict = 0; strict < 2; strict++) {
        size_t w, used = 0, size, before;
        unsigned char *image;
        int well = 1;
        if (!(it->set.modes & (strict ? STRICT : LENIENT)) || (strict && !PAJESIM_CHECKS))
            continue;
        for (w = 0; w < WAYS && well; w++) {
            pajesim_options options = it->set.options;
            size_t high;
            run r;
            options.strict = strict;
            if (!applies(it, &ways[w]))
                continue;
            high = simulate(&r, it, &ways[w], strict, ways[w].climb ? pajesim_arena_min(&options) : 0, NULL, 0);
            used = high > used ? high : used;
            well = judge(subject, &r, ways[w].name);
            end_run(&r);
        }
        if (well) {
            image = image_before_trace(it, strict, &size, &before);
            well = climb_ladder(subject, it, strict, image, size, before, used);
            free(image);
        }
        good &= well;
    }
    if (good)
        printf("PASS prose %s: %s\n", subject, it->title);
}

/* From no bytes at all: what precedes the traces, at every capacity. */
static void climb_from_zero(void)
{
    static const way by_line = {.by_line = 1, .climb = 1};
    test it;
    int strict, good = 1;
    memset(&it, 0, sizeof it);
    snprintf(it.title, sizeof it.title, "from an arena of no bytes to the whole scene");
    it.set.begin = SCENE;
    append(&it.trace, "", 0);
    append(&it.log[0], "finished\n", 9);
    append(&it.log[1], "finished\n", 9);
    for (strict = 0; strict < 1 + PAJESIM_CHECKS && good; strict++) {
        pajesim_options options;
        size_t least, capacity, enough;
        uint64_t room[64]; /* aligned, and more than none */
        pajesim sim;
        run r;
        memset(&options, 0, sizeof options);
        options.strict = strict;
        least = pajesim_arena_min(&options);
        for (capacity = 0; capacity < least && good; capacity++) {
            void *arena = capacity < sizeof room ? room : get(capacity);
            if (pajesim_init(&sim, arena, capacity, &options, &callbacks, NULL) != PAJESIM_FULL ||
                pajesim_needed(&sim) != least) {
                complain("ladder", &it, strict, "below pajesim_arena_min", "init does not answer FULL and that");
                good = 0;
            }
            if (arena != room)
                free(arena);
        }
        enough = simulate(&r, &it, &by_line, strict, 0, NULL, 0);
        good = good && judge("ladder", &r, "at once");
        end_run(&r);
        for (capacity = least; capacity < enough && good; capacity += ladder_step) {
            char how[60];
            snprintf(how, sizeof how, "with an arena of %u bytes", (unsigned)capacity);
            simulate(&r, &it, &by_line, strict, capacity, NULL, 0);
            good = judge("ladder", &r, how);
            end_run(&r);
        }
    }
    free_test(&it);
    if (good)
        printf("PASS prose ladder: from an arena of no bytes to the whole scene\n");
}

/* Every problem of the table was told, in each mode with the severity that the table says; and every event was seen. */
static void check_completeness(void)
{
    static const struct {
        const char *name;
        pajesim_severity severity[2];
    } table[] = {
#define ROW(code, when_strict, when_lenient, its_text) {#code, {PAJESIM_##when_lenient, PAJESIM_##when_strict}},
        PAJESIM_PROBLEMS(ROW)
#undef ROW
    };
    int strict, i;
    for (i = PAJESIM_E_NONE + 1; i < PAJESIM_E_COUNT; i++) {
        int good = 1;
        for (strict = 0; strict < 2; strict++)
            if (table[i].severity[strict] != PAJESIM_SILENT && !seen_problem[strict][i][table[i].severity[strict]]) {
                printf("FAIL prose every problem: %s: no test tells it when %s\n", table[i].name,
                       strict ? "strict" : "lenient");
                failed++;
                good = 0;
            }
        if (good)
            printf("PASS prose every problem: %s\n", table[i].name);
    }
    for (i = PAJESIM_UNKNOWN_EVENT + 1; i < PAJESIM_EVENT_COUNT; i++)
        for (strict = 0; strict < 2; strict++)
            if (!seen_event[strict][i]) {
                printf("FAIL prose every event: %s: no test has one when %s\n",
                       pajesim_event_name((pajesim_event)i), strict ? "strict" : "lenient");
                failed++;
            }
}

static text read_beside(const char *file, const char *name)
{
    const char *slash = strrchr(file, '/');
    char path[1000];
    snprintf(path, sizeof path, "%.*s%s", slash ? (int)(slash + 1 - file) : 0, file, name);
    return read_file(path);
}

int main(int count, char **arguments)
{
    int first = 1, all, i;
    setvbuf(stdout, NULL, _IOLBF, 1 << 12); /* so that a crash keeps what was told before */
    for (; first < count && arguments[first][0] == '-'; first++)
        if (!strcmp(arguments[first], "-v"))
            verbose = 1;
        else if (!strcmp(arguments[first], "-l") && first + 1 < count)
            ladder_step = (size_t)strtoul(arguments[++first], NULL, 10);
        else
            first = count;
    if (first >= count || !ladder_step) {
        fputs("usage: prose [-v] [-l STEP] FILE.md ...\n", stderr);
        return 2;
    }
    standard_header = read_beside(arguments[first], "header.trace");
    standard_scene = read_beside(arguments[first], "scene.trace");
    all = count - first > 5; /* a few files alone need not show everything */
    for (i = first; i < count; i++)
        if (!strstr(arguments[i], "README"))
            run_file(arguments[i]);
    if (all) {
        climb_from_zero();
        if (is_whole)
            check_completeness();
    }
    clear(&standard_header);
    clear(&standard_scene);
    return failed != 0;
}
