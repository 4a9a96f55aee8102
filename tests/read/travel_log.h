/* The tests of travel in time: a log of all callbacks, and a generated trace with all kinds of events. */
#ifndef TESTS_TRAVEL_LOG_H
#define TESTS_TRAVEL_LOG_H

/* ---- a log with one line for each callback */

typedef struct entry {
    char *text;
    pajesim_time start, end;
} entry;

typedef struct log_of {
    entry *entries;
    size_t count, room;
} log_of;

static char line[1 << 16];
static size_t at;

static void put(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    at += (size_t)vsnprintf(line + at, sizeof line - at, format, arguments);
    va_end(arguments);
    if (at >= sizeof line)
        at = sizeof line - 1;
}

static void put_text(const char *name, pajesim_text text)
{
    put(" %s=%.*s", name, (int)text.size, text.bytes);
}

static void put_fields(const pajesim *sim, const char *name, const pajesim_fields *fields)
{
    pajesim_field field;
    uint32_t i;
    for (i = 0; pajesim_user_field(sim, fields, i, &field); i++) {
        int64_t number = -1, same = -1;
        put(" %s:%.*s(%d,%d)=%.*s", name, (int)field.name.size, field.name.bytes, (int)field.role, (int)field.type,
            (int)field.text.size, field.text.bytes);
        if (pajesim_user_field_fixed(fields, i, 3, &number) !=
                pajesim_fixed(field.text.bytes, field.text.size, 3, &same) || number != same)
            put(" is another number");
    }
}

/* A container with its type, and what it is in. */
static void put_container(const pajesim *sim, const char *name, pajesim_ref ref)
{
    pajesim_ref type;
    put(" %s", name);
    for (; ref; ref = pajesim_parent(sim, ref)) {
        put(" %u", (unsigned)pajesim_serial(sim, ref));
        put_text("alias", pajesim_alias(sim, ref));
        put_text("name", pajesim_name(sim, ref));
        put(" %.17g:", (double)pajesim_start_of(sim, ref));
        for (type = pajesim_type_of(sim, ref); type; type = pajesim_parent(sim, type))
            put(" %.*s %d,", (int)pajesim_name(sim, type).size, pajesim_name(sim, type).bytes,
                (int)pajesim_kind_of(sim, type));
    }
}

static void end_line(log_of *log, pajesim_time start, pajesim_time end)
{
    if (log->count == log->room) {
        log->room = 2 * log->room + 1024;
        log->entries = realloc(log->entries, log->room * sizeof *log->entries);
        if (!log->entries)
            exit(3);
    }
    sum_bytes(line, at);
    log->entries[log->count].text = strcpy(malloc(at + 1), line);
    log->entries[log->count].start = start;
    log->entries[log->count++].end = end;
    at = 0;
}

static void clear(log_of *log)
{
    while (log->count)
        free(log->entries[--log->count].text);
}

static int put_entity(pajesim *sim, const char *what, const pajesim_entity *e)
{
    log_of *log = pajesim_data(sim);
    put("%s %s", what, pajesim_kind_name(e->kind));
    put(" %.17g %.17g %d", (double)e->start, (double)e->end, e->open);
    put_container(sim, "of", e->container);
    put_text("type", pajesim_name(sim, e->type));
    put_text("alias", pajesim_alias(sim, e->type));
    if (e->kind == PAJESIM_CONTAINER) {
        put_container(sim, "in", pajesim_parent(sim, e->container));
        put(" %.17g", (double)pajesim_start_of(sim, e->container));
    }
    if (e->kind == PAJESIM_STATE)
        put(" %u", (unsigned)e->imbrication);
    if (e->kind == PAJESIM_VARIABLE)
        put(" %.17g", (double)e->number);
    put_text("value", e->value_name);
    put_text("defined", pajesim_alias(sim, e->value));
    put_text("color", pajesim_color(sim, e->value));
    if (e->kind == PAJESIM_LINK) {
        put_container(sim, "from", e->start_container);
        put_container(sim, "to", e->end_container);
        put_text("key", e->key);
    }
    put_fields(sim, "opening", &e->opening);
    put_fields(sim, "closing", &e->closing);
    end_line(log, e->start, e->end);
    return PAJESIM_GO_ON;
}

static int closed(pajesim *sim, const pajesim_entity *e)
{
    return put_entity(sim, "closed", e);
}

#define ENTRY(name) \
    static int name(pajesim *sim, const pajesim_entity *e) \
    { \
        return put_entity(sim, #name, e); \
    }
ENTRY(container_created)
ENTRY(container_destroyed)
ENTRY(state_set)
ENTRY(state_pushed)
ENTRY(state_popped)
ENTRY(state_reset)
ENTRY(variable_set)
ENTRY(variable_updated)
ENTRY(link_started)
ENTRY(link_ended)
ENTRY(link_completed)
ENTRY(event)

static int definition(pajesim *sim, const pajesim_definition *it)
{
    put("definition %u", (unsigned)it->fields);
    put_text("name", it->name);
    put_text("number", it->number);
    end_line(pajesim_data(sim), 0, 0);
    return PAJESIM_GO_ON;
}

static int new_type(pajesim *sim, const pajesim_type_info *it)
{
    put("type %d", (int)it->kind);
    put_text("name", it->name);
    put_text("alias", it->alias);
    put_text("color", it->color);
    end_line(pajesim_data(sim), 0, 0);
    return PAJESIM_GO_ON;
}

static int new_value(pajesim *sim, const pajesim_value_info *it)
{
    put("value %d", it->implicit);
    put_text("name", it->name);
    put_text("alias", it->alias);
    put_text("color", it->color);
    end_line(pajesim_data(sim), 0, 0);
    return PAJESIM_GO_ON;
}

static int problem(pajesim *sim, const pajesim_problem *it)
{
    put("problem %d %d %lu %lu", (int)it->code, (int)it->severity, (unsigned long)it->line, (unsigned long)it->column);
    put_text("bytes", it->bytes);
    end_line(pajesim_data(sim), 0, 0);
    return PAJESIM_GO_ON;
}

static int finished(pajesim *sim)
{
    const pajesim_counts *counts = pajesim_count(sim);
    put("finished %lu %lu %lu %.17g %.17g", (unsigned long)counts->events, (unsigned long)counts->errors,
        (unsigned long)counts->warnings, (double)counts->first, (double)counts->last);
    end_line(pajesim_data(sim), 0, 0);
    return PAJESIM_GO_ON;
}

static pajesim_callbacks all, only_closed;

static void set_callbacks(void)
{
    all.definition = definition;
    all.problem = problem;
    all.new_type = new_type;
    all.new_value = new_value;
    all.container_created = container_created;
    all.container_destroyed = container_destroyed;
    all.state_set = state_set;
    all.state_pushed = state_pushed;
    all.state_popped = state_popped;
    all.state_reset = state_reset;
    all.variable_set = variable_set;
    all.variable_updated = variable_updated;
    all.link_started = link_started;
    all.link_ended = link_ended;
    all.link_completed = link_completed;
    all.event = event;
    all.closed = closed;
    all.finished = finished;
    only_closed.closed = closed;
}

/* Compares `log` from `from` on with `count` entries of `expected` from `expected_from` on. */
static void expect_same(const char *what, const log_of *log, const log_of *expected, size_t expected_from)
{
    size_t i;
    for (i = 0; !fault[0] && (i < log->count || i + expected_from < expected->count); i++) {
        const char *is = i < log->count ? log->entries[i].text : "nothing";
        const char *should = i + expected_from < expected->count ? expected->entries[i + expected_from].text
                                                                 : "nothing";
        if (strcmp(is, should) != 0)
            snprintf(fault, sizeof fault, "%s: entry %lu is `%.140s`, not `%.140s`", what, (unsigned long)i, is,
                     should);
    }
}

static uint32_t seed = 1;

static uint32_t draw(uint32_t below)
{
    seed = seed * UINT32_C(1664525) + UINT32_C(1013904223);
    return (uint32_t)(((uint64_t)seed * below) >> 32);
}

/* ---- a generated trace with all kinds of events */

static const char header[] =
    "%EventDef PajeDefineContainerType 0\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n"
    "%EventDef PajeDefineStateType 1\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n"
    "%EventDef PajeDefineVariableType 2\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n"
    "%EventDef PajeDefineLinkType 3\n% Alias string\n% Type string\n% StartContainerType string\n"
    "% EndContainerType string\n% Name string\n%EndEventDef\n"
    "%EventDef PajeDefineEntityValue 4\n% Alias string\n% Type string\n% Name string\n% Color color\n%EndEventDef\n"
    "%EventDef PajeCreateContainer 5\n% Time date\n% Alias string\n% Type string\n% Container string\n% Name string\n"
    "% Owner string\n%EndEventDef\n"
    "%EventDef PajeDestroyContainer 6\n% Time date\n% Type string\n% Name string\n% Reason string\n%EndEventDef\n"
    "%EventDef PajePushState 7\n% Time date\n% Type string\n% Container string\n% Value string\n%EndEventDef\n"
    "%EventDef PajePushState 8\n% Time date\n% Type string\n% Container string\n% Value string\n% Mark string\n"
    "% Why string\n%EndEventDef\n"
    "%EventDef PajePopState 9\n% Time date\n% Type string\n% Container string\n%EndEventDef\n"
    "%EventDef PajePopState 10\n% Time date\n% Type string\n% Container string\n% Done string\n%EndEventDef\n"
    "%EventDef PajeSetState 11\n% Time date\n% Type string\n% Container string\n% Value string\n%EndEventDef\n"
    "%EventDef PajeResetState 12\n% Time date\n% Type string\n% Container string\n%EndEventDef\n"
    "%EventDef PajeSetVariable 13\n% Time date\n% Type string\n% Container string\n% Value double\n% Unit string\n"
    "%EndEventDef\n"
    "%EventDef PajeAddVariable 14\n% Time date\n% Type string\n% Container string\n% Value double\n%EndEventDef\n"
    "%EventDef PajeNewEvent 15\n% Time date\n% Type string\n% Container string\n% Value string\n%EndEventDef\n"
    "%EventDef PajeStartLink 16\n% Time date\n% Type string\n% Container string\n% StartContainer string\n"
    "% Value string\n% Key string\n% Size int\n%EndEventDef\n"
    "%EventDef PajeEndLink 17\n% Time date\n% Type string\n% Container string\n% EndContainer string\n"
    "% Value string\n% Key string\n% Late string\n%EndEventDef\n"
    "%EventDef PajeDefineEventType 18\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n"
    "0 G 0 Group\n0 P G Process\n1 S P \"Process state\"\n1 T P Task\n2 V P Memory\n2 W G Power\n18 E P Mark\n"
    "3 L 0 P P Message\n3 M G P P \"Inner message\"\n4 d S Defined \"0 0 1\"\n";

#endif
