/* Tests in prose: a run of a test, and the log that its callbacks write. */
#ifndef TESTS_PROSE_LOG_H
#define TESTS_PROSE_LOG_H

#include "prose_parse.h"

/* A way to run a test that must not make a difference. */
typedef struct way {
    const char *name;
    size_t piece;   /* bytes fed at once; 0: all */
    int by_line;    /* feeds line by line */
    int pause;      /* every callback pauses */
    int move;       /* moves to another block after each feed */
    int restore;    /* is saved and restored in another block after each feed */
    int compare;    /* refused lines and lines that do not fit must leave the arena unchanged */
    int stop;       /* a callback stops at every line, which is then done from an image */
    int crlf, numbered, cut, blanks; /* cut: without the last newline; blanks: with blanks after it */
    int silent;     /* no callbacks at all */
    int climb;      /* begins with too little memory, and moves to the size needed */
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
    {.name = "without callbacks", .silent = 1},
    {.name = "stopped at every line", .by_line = 1, .stop = 1},
    {.name = "growing line by line", .by_line = 1, .compare = 1, .climb = 1},
    {.name = "growing in pieces of 5", .piece = 5, .climb = 1},
};
enum { WAYS = sizeof ways / sizeof *ways };

typedef struct run {
    pajesim sim; /* the data of the simulation is the run */
    const test *it;
    const way *how;
    int strict;
    unsigned char *arena;
    size_t capacity;
    text log;
    int muted;     /* while the header and scene are fed */
    int finishing; /* 2: reported */
    size_t before; /* lines before the trace */
    int depth;
    const char *names[40]; /* positions in the files that are open */
    int called;    /* a callback was made since the last feed */
    int stopping;  /* at the next line */
    uint64_t problems[3];
    uint64_t closed[PAJESIM_LINK + 1];
    int refused, accepted; /* the fed line: number of errors, and of other callbacks */
    unsigned char *image;  /* the arena before the line */
    size_t image_size;
    char fault[300];       /* an invariant that was broken, other than the log */
} run;

/* The problems and events seen in all runs, by mode. */
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

/* Shows a word as it is, in quotes if it holds blanks or control bytes. */
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

/* Prints a number with as few digits as identify it. */
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

/* Prints an integer of so many decimals with as few of them as identify it. */
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
    if (pajesim_user_field_named(&r->sim, fields, "a name that no field has", &field))
        fault(r, "a user field was found that does not exist");
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

static int callback_result(const run *r)
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
        return callback_result(r);
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
    return callback_result(r);
}

/* Whether the Value of an event is the number of a variable. */
static int has_number(pajesim_event event)
{
#define ROW(code, name, kind, required, optional, function) \
    (event == PAJESIM_##code && (kind) == PAJESIM_VARIABLE && ((required) >> PAJESIM_VALUE & 1)) ||
    return PAJESIM_EVENTS(ROW) 0;
#undef ROW
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
        return callback_result(r);
    seen_event[r->strict][line->event] = 1;
    if (!r->it->set.lines)
        return callback_result(r);
    print(&r->log, "line %s", *pajesim_event_name(line->event) ? pajesim_event_name(line->event) : "unknown");
    for (i = 0; pajesim_line_field(sim, line, i, &field); i++) {
        print(&r->log, "%s", i ? ", " : ": ");
        show(r, field.name, 0);
        print(&r->log, " ");
        if (field.role == PAJESIM_TIME) {
            show_time(r, "", line->time);
        } else if (field.role == PAJESIM_VALUE && has_number(line->event)) {
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
    return callback_result(r);
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
        return callback_result(r);
    }
    expected = r->strict ? table[problem->code].strict : table[problem->code].lenient;
    if (expected != problem->severity)
        fault(r, "%s is reported as %s", table[problem->code].name, severities[problem->severity]);
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
        fault(r, "%s is reported in a file of depth %u, and %d are open", table[problem->code].name, problem->depth,
              r->depth);
    if (r->muted)
        fault(r, "what precedes the trace has a problem: %s, line %d", table[problem->code].name, (int)problem->line);
    /* HEADER_OPEN refers to an earlier line */
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
    return callback_result(r);
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
        type->parent != pajesim_parent(sim, type->ref) || *pajesim_user_data(sim, type->ref) != 0 ||
        pajesim_find_type(sim, type->alias.bytes, type->alias.size) != type->ref)
        fault(r, "queries and new_type differ about %.*s", (int)type->alias.size, type->alias.bytes);
    if (r->muted)
        return callback_result(r);
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
    return callback_result(r);
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
        return callback_result(r);
    show_ref(r, "new_value ", value->ref);
    print(&r->log, " ");
    show(r, value->name, 1);
    show_ref(r, " of ", value->type);
    show_color(r, value->color);
    print(&r->log, "%s\n", value->implicit ? " implicit" : "");
    return callback_result(r);
}

/* Checks that an entity has only the members of its kind, whatever was shown before it. */
static int is_clean(const pajesim_entity *it)
{
    int has_value = it->kind == PAJESIM_STATE || it->kind == PAJESIM_EVENT || it->kind == PAJESIM_LINK;
    return (has_value || (!it->value && !it->value_name.size)) && (it->kind == PAJESIM_STATE || !it->imbrication) &&
           (it->kind == PAJESIM_VARIABLE || it->number == 0) && it->value_name.bytes && it->key.bytes &&
           (it->kind == PAJESIM_LINK || (!it->key.size && !it->start_container && !it->end_container));
}

/* Logs an entity: kind, then times; `open`: only its start. */
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
        return callback_result(r);
    print(&r->log, "%s", name);
    show_entity(r, it);
    return callback_result(r);
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
        return callback_result(r);
    show_ref(r, "state_reset ", it->container);
    show_ref(r, " ", it->type);
    show_time(r, " at ", it->start);
    show_fields(r, " then ", &it->closing);
    print(&r->log, "\n");
    return callback_result(r);
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
        return callback_result(r);
    print(&r->log, "closed ");
    show_kind(r, it->kind);
    show_entity(r, it);
    return callback_result(r);
}

static int on_finished(pajesim *sim)
{
    run *r = run_of(sim);
    if (r->finishing != 1)
        fault(r, "finished was called out of time");
    r->finishing = 2;
    return callback_result(r);
}

static const pajesim_callbacks callbacks = {
    on_definition,   on_line,         on_problem,      on_new_type,    on_new_value, on_container_created,
    on_container_destroyed, on_state_set, on_state_pushed, on_state_popped, on_state_reset, on_variable_set,
    on_variable_updated, on_link_started, on_link_ended, on_link_completed, on_event, on_closed, on_finished};
static const pajesim_callbacks no_callbacks;

#endif
