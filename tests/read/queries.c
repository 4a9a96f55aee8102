/* Tests what queries return: trees, open entities, counters, the last problem, identifiers, names, numbers. */
#ifndef PAJESIM_HEADER
#define PAJESIM_HEADER "pajesim.h"
#endif
#define PAJESIM_IMPLEMENTATION
#include PAJESIM_HEADER

#include "scene.h"

static void test(const char *name, void (*body)(void))
{
    body();
    report("queries ", name);
}

static void trees_of_containers_and_types(void)
{
    pajesim_ref process = 0, child;
    begin(NULL, NULL);
    EXPECT(pajesim_first_child(&sim, pajesim_root(&sim)) == container("m"));
    EXPECT(pajesim_first_child(&sim, container("m")) == container("p1"));
    EXPECT(pajesim_next_sibling(&sim, container("p1")) == container("p2"));
    EXPECT(pajesim_next_sibling(&sim, container("p2")) == 0 && pajesim_first_child(&sim, container("p2")) == 0);
    EXPECT(pajesim_first_child(&sim, pajesim_root_type(&sim)) == type("M"));
    for (child = pajesim_first_child(&sim, type("M")); child; child = pajesim_next_sibling(&sim, child))
        if (pajesim_kind_of(&sim, child) == PAJESIM_CONTAINER)
            process = child;
    EXPECT(process == type("P") && pajesim_next_sibling(&sim, process) == type("L"));
    EXPECT(feed("6 2 P p1\n") == PAJESIM_OK);
    EXPECT(container("p1") == 0 && pajesim_first_child(&sim, container("m")) == container("p2"));
    EXPECT(container("p9") == 0 && type("X") == 0 && pajesim_find_value(&sim, type("S"), "X", 1) == 0);
    EXPECT(is(pajesim_name(&sim, 0), "") && pajesim_parent(&sim, 0) == 0 && pajesim_user_data(&sim, 0) == NULL);
    EXPECT(pajesim_first_child(&sim, 0) == 0 && pajesim_next_sibling(&sim, 0) == 0);
    EXPECT(pajesim_first_child(&sim, pajesim_find_value(&sim, type("S"), "R", 1)) == 0);
}

static void open_entities(void)
{
    pajesim_entity open;
    pajesim_ref p1;
    begin(NULL, NULL);
    p1 = container("p1");
    EXPECT(pajesim_depth(&sim, p1, type("S")) == 0 && pajesim_depth(&sim, p1, type("V")) == 0);
    EXPECT(pajesim_depth(&sim, 0, type("S")) == 0 && pajesim_depth(&sim, p1, 0) == 0);
    EXPECT(!pajesim_open_entity(&sim, p1, type("V"), 0, &open));
    EXPECT(feed("7 1 S p1 R a\n7 2 S p1 W b\n9 3 V p1 17\n") == PAJESIM_OK);
    EXPECT(pajesim_depth(&sim, p1, type("S")) == 2 && pajesim_depth(&sim, p1, type("V")) == 1);
    EXPECT(pajesim_depth(&sim, container("p2"), type("S")) == 0 && pajesim_depth(&sim, p1, type("L")) == 0);
    EXPECT(pajesim_open_entity(&sim, p1, type("S"), 0, &open) && open.start == 1 && open.imbrication == 0);
    EXPECT(pajesim_open_entity(&sim, p1, type("S"), 1, &open) && open.start == 2 && is(open.value_name, "W"));
    EXPECT(!pajesim_open_entity(&sim, p1, type("S"), 2, &open));
    EXPECT(pajesim_open_entity(&sim, p1, type("V"), 0, &open) && open.number == 17 && open.kind == PAJESIM_VARIABLE);
}

static uint32_t index_of_sent, index_of_line;
static int64_t read_number[8];
static int events_seen;

static int remember_index(pajesim *it, const pajesim_definition *definition)
{
    pajesim_field field;
    memset(&field, 1, sizeof field);
    EXPECT(pajesim_definition_field(it, definition->ref, 0, &field) && field.text.size == 0);
    if (definition->event == PAJESIM_NEW_EVENT) {
        index_of_sent = pajesim_user_field_index(it, definition->ref, "Sent");
        index_of_line = pajesim_user_field_index(it, definition->ref, "Line");
        EXPECT(pajesim_user_field_index(it, definition->ref, "Sen") == UINT32_MAX);
        EXPECT(pajesim_user_field_index(it, definition->ref, "Sentx") == UINT32_MAX);
        EXPECT(pajesim_user_field_index(it, definition->ref, "Cent") == UINT32_MAX);
        EXPECT(pajesim_user_field_index(it, definition->ref, "Time") == UINT32_MAX); /* the event uses it */
        EXPECT(pajesim_user_field_index(it, 0, "Sent") == UINT32_MAX);
    }
    return PAJESIM_GO_ON;
}

static int read_numbers(pajesim *it, const pajesim_entity *event)
{
    int64_t none = 77, *number = read_number + 2 * events_seen;
    (void)it;
    EXPECT(pajesim_user_field_fixed(&event->opening, index_of_sent, 6, &number[0]) == (events_seen < 2));
    EXPECT(pajesim_user_field_fixed(&event->opening, index_of_line, 0, &number[1]));
    EXPECT(!pajesim_user_field_fixed(&event->opening, event->opening.count, 0, &none) && none == 77);
    EXPECT(!pajesim_user_field_fixed(&event->opening, UINT32_MAX, 0, &none) && none == 77);
    events_seen++;
    return PAJESIM_GO_ON;
}

/* The user fields stand among fields that the event uses. */
static void fields_as_numbers(void)
{
    pajesim_callbacks callbacks;
    memset(&callbacks, 0, sizeof callbacks);
    callbacks.definition = remember_index;
    callbacks.event = read_numbers;
    begin(NULL, &callbacks);
    events_seen = 0;
    EXPECT(feed("%EventDef PajeNewEvent 12\n% Line int\n% Time date\n% Type string\n% Mark string\n% Container string\n"
                "% Sent double\n% Value string\n%EndEventDef\n%EventDef PajeDefineEventType 13\n% Alias string\n"
                "% Type string\n% Name string\n%EndEventDef\n13 E P Sends\n") == PAJESIM_OK);
    EXPECT(index_of_sent == 2 && index_of_line == 0);
    EXPECT(feed("12 7 1 E x p1 0.1234567 a\n12 -8 1 E x p1 4096 a\n12 9 1 E x p1 many a\n") == PAJESIM_OK);
    EXPECT(events_seen == 3 && read_number[0] == 123457 && read_number[1] == 7 && read_number[2] == 4096000000);
    EXPECT(read_number[3] == -8 && read_number[5] == 9 && pajesim_count(&sim)->errors == 0);
}

static int lines_with_numbers;

static int line_of_number(pajesim *it, const pajesim_line *line)
{
    (void)it;
    lines_with_numbers += line->number != 0;
    return PAJESIM_GO_ON;
}

static void counters(void)
{
    const pajesim_counts *counts;
    EXPECT(pajesim_init(&sim, arena, sizeof arena, NULL, NULL, NULL) == PAJESIM_OK);
    EXPECT(pajesim_count(&sim)->first == 0 && pajesim_count(&sim)->last == 0);
    EXPECT(feed(header) == PAJESIM_OK && feed("0 M 0 Machine\n5 5 m M 0 m\n") == PAJESIM_OK);
    EXPECT(pajesim_count(&sim)->first == 5 && pajesim_count(&sim)->last == 5);
    begin(NULL, NULL);
    counts = pajesim_count(&sim);
    EXPECT(counts->bytes == sizeof header + sizeof scene - 2 && counts->lines == lines_before());
    EXPECT(counts->events == 9 && counts->by_event[PAJESIM_CREATE_CONTAINER] == 3);
    EXPECT(counts->first == 0 && counts->last == 1);
    EXPECT(feed("# a comment\n\n7 -3 S p1 R m\n7 9 S p1 R m extra\n7 now S p1 R m\n8 9 S p1\nun") == PAJESIM_OK);
    EXPECT(feed("finished\n9 1 V p2 1\n9 2 V p2 1\n") == PAJESIM_OK);
    counts = pajesim_count(&sim);
    EXPECT(counts->lines == lines_before() + 9 && counts->events == 9 + 5 && counts->first == -3 && counts->last == 9);
    EXPECT(counts->warnings == 1 && counts->errors == 2 && counts->skipped == 0);
    EXPECT(counts->states == 1 && counts->variables == 1 && counts->containers == 0);
    EXPECT(pajesim_line_number(&sim) == lines_before() + 10);
    EXPECT(pajesim_finish(&sim) == PAJESIM_INVALID);
    counts = pajesim_count(&sim);
    EXPECT(counts->states == 2 && counts->variables == 2 && counts->containers == 4 && counts->links == 0);
#if PAJESIM_CHECKS
    {
        pajesim_options options;
        pajesim_callbacks callbacks;
        memset(&options, 0, sizeof options);
        memset(&callbacks, 0, sizeof callbacks);
        options.parse_only = 1;
        callbacks.line = line_of_number;
        begin(&options, &callbacks);
        EXPECT(feed("7 -3 S nobody R m\n8 9 S p1\n") == PAJESIM_OK && lines_with_numbers == 0);
        EXPECT(pajesim_count(&sim)->first == -3 && pajesim_count(&sim)->last == 9 && pajesim_count(&sim)->events == 11);
    }
#endif
}

static void last_problem(void)
{
    pajesim_problem problem;
    begin(NULL, NULL);
    EXPECT(pajesim_last_problem(&sim).code == PAJESIM_E_NONE);
    EXPECT(feed("7 1 S p9 R m\n7 1 S p1 R m\n") == PAJESIM_OK);
    problem = pajesim_last_problem(&sim);
    EXPECT(problem.code == PAJESIM_E_CONTAINER_UNKNOWN && problem.severity == PAJESIM_ERROR);
    EXPECT(problem.line == lines_before() + 1 && problem.column == 7 && problem.depth == 0 && is(problem.bytes, "p9"));
    EXPECT(!strcmp(problem.text, "container does not exist"));
}

/* Identifiers that differ only in their scope or in the middle, or that are used again. */
static void many_identifiers(void)
{
    enum { MANY = 300 };
    static const char links[] =
        "%EventDef PajeStartLink 20\n% Time date\n% Type string\n% Container string\n% StartContainer string\n"
        "% Value string\n% Key string\n%EndEventDef\n%EventDef PajeEndLink 21\n% Time date\n% Type string\n"
        "% Container string\n% EndContainer string\n% Value string\n% Key string\n%EndEventDef\n";
    static uint64_t large[1 << 18];
    pajesim_options options;
    char lines[200], first[40], second[40];
    int i, round;
    memset(&options, 0, sizeof options);
    options.strict = PAJESIM_CHECKS;
    EXPECT(pajesim_init(&sim, large, sizeof large, &options, NULL, NULL) == PAJESIM_OK);
    EXPECT(feed(header) == PAJESIM_OK && feed(scene) == PAJESIM_OK);
    EXPECT(feed(links) == PAJESIM_OK);
    for (i = 0; i < 2 * MANY; i++) { /* close to each other */
        sprintf(lines, i < MANY ? "1 T%d P t\n" : "3 K%d M P P l\n", i % MANY);
        EXPECT(feed(lines) == PAJESIM_OK);
    }
    for (i = 0; i < MANY; i++) {
        sprintf(lines, "4 R T%d %d \"0 0 0\"\n4 \"in the midst %03d it differs\" S %d \"0 0 0\"\n", i, i, i, i);
        EXPECT(feed(lines) == PAJESIM_OK);
        sprintf(lines, "4 v K%d v \"0 0 0\"\n20 4 K%d m p1 v key\n", i, i);
        EXPECT(feed(lines) == PAJESIM_OK);
    }
    for (i = 0; i < MANY; i++) {
        int size = sprintf(first, "T%d", i), width = sprintf(second, "in the midst %03d it differs", i);
        pajesim_ref one = pajesim_find_type(&sim, first, (size_t)size), value = pajesim_find_value(&sim, one, "R", 1);
        sprintf(lines, "%d", i);
        EXPECT(value && is(pajesim_name(&sim, value), lines) && pajesim_parent(&sim, value) == one);
        EXPECT(pajesim_first_child(&sim, value) == 0);
        EXPECT(is(pajesim_name(&sim, pajesim_find_value(&sim, type("S"), second, (size_t)width)), lines));
        EXPECT(pajesim_find_value(&sim, one, second, (size_t)width) == 0);
    }
    for (round = 0; round < 2; round++) /* strict: once is enough */
        for (i = 0; i < MANY; i++) {
            sprintf(lines, "5 2 c%d P m c\n6 3 P c%d\n", i, i);
            EXPECT(feed(lines) == PAJESIM_OK);
        }
    EXPECT(pajesim_count(&sim)->errors == 2 * (PAJESIM_CHECKS ? MANY : 0));
    for (i = 0; i < MANY; i++) {
        sprintf(lines, "21 5 K%d m p2 v key\n", i);
        EXPECT(feed(lines) == PAJESIM_OK && pajesim_count(&sim)->links == (uint64_t)i + 1);
    }
}

enum { TYPES = 1500 };

static unsigned number_of_closed;

static int in_order(pajesim *it, const pajesim_entity *entity)
{
    char alias[20];
    if (entity->kind == PAJESIM_STATE) {
        sprintf(alias, "t%u", number_of_closed++);
        EXPECT(is(pajesim_alias(it, entity->type), alias));
    }
    return PAJESIM_GO_ON;
}

/* States of many types that begin in any order are found by their types, and end in the order of these. */
static void many_types(void)
{
    static const unsigned steps[] = {1, 7, 667, 1499}; /* TYPES has no divisor in common with them */
    static uint64_t large[1 << 17];
    pajesim_callbacks callbacks;
    pajesim_entity open;
    char text[60], alias[20];
    size_t k;
    unsigned i;
    memset(&callbacks, 0, sizeof callbacks);
    callbacks.closed = in_order;
    begin(NULL, &callbacks);
    EXPECT(pajesim_move(&sim, large, sizeof large) == PAJESIM_OK);
    for (i = 0; i < TYPES; i++) {
        sprintf(text, "1 t%u P T\n", i);
        EXPECT(feed(text) == PAJESIM_OK);
    }
    for (k = 0; k < sizeof steps / sizeof *steps && !fault[0]; k++) {
        EXPECT(feed("5 1 p P m \"A process\"\n") == PAJESIM_OK);
        for (i = 0; i < TYPES; i++) {
            sprintf(text, "7 %u t%u p R mark\n", 1 + i * steps[k] % TYPES, i * steps[k] % TYPES);
            EXPECT(feed(text) == PAJESIM_OK);
        }
        for (i = 0; i < TYPES; i++) {
            sprintf(alias, "t%u", i);
            EXPECT(pajesim_open_entity(&sim, container("p"), type(alias), 0, &open) && open.start == 1 + i &&
                   pajesim_depth(&sim, container("p"), type(alias)) == 1);
        }
        number_of_closed = 0;
        EXPECT(feed("6 2000 P p\n") == PAJESIM_OK && number_of_closed == TYPES);
    }
}

static void names_of_things(void)
{
    EXPECT(!strcmp(pajesim_event_name(PAJESIM_PUSH_STATE), "PajePushState"));
    EXPECT(!strcmp(pajesim_event_name(PAJESIM_TRACE_FILE), "PajeTraceFile"));
    EXPECT(!strcmp(pajesim_event_name(PAJESIM_UNKNOWN_EVENT), ""));
    EXPECT(!strcmp(pajesim_event_name((pajesim_event)1000), ""));
    EXPECT(!strcmp(pajesim_event_name(PAJESIM_EVENT_COUNT), ""));
    EXPECT(!strcmp(pajesim_kind_name(PAJESIM_CONTAINER), "Container"));
    EXPECT(!strcmp(pajesim_kind_name(PAJESIM_LINK), "Link"));
    EXPECT(!strcmp(pajesim_kind_name(PAJESIM_STATE), "State") && !strcmp(pajesim_kind_name(PAJESIM_EVENT), "Event"));
    EXPECT(!strcmp(pajesim_kind_name(PAJESIM_VARIABLE), "Variable") && !strcmp(pajesim_kind_name((pajesim_kind)0), ""));
    EXPECT(!strcmp(pajesim_problem_text(PAJESIM_E_NONE), "no problem"));
    EXPECT(!strcmp(pajesim_problem_text(PAJESIM_E_TIME), "time is not a number"));
    EXPECT(!strcmp(pajesim_problem_text(PAJESIM_E_COUNT), "unknown problem"));
    EXPECT(!strcmp(pajesim_problem_text((pajesim_code)-1), "unknown problem"));
    EXPECT(pajesim_version() == PAJESIM_VERSION);
}

static void numbers(void)
{
    double number = 7;
    int64_t fixed = 7;
    EXPECT(!pajesim_fixed("1", (size_t)1 << 31, 0, &fixed) && fixed == 7); /* a text of this length is no number, and is
                                                                            * not parsed */
    EXPECT(!pajesim_number("x", 1, &number) && !pajesim_number("", 0, &number) && number == 7);
    EXPECT(pajesim_number("2.5x", 3, &number) && number == 2.5);
    EXPECT(pajesim_number("-1e-3", 5, &number) && number == -1e-3);
}

int main(void)
{
    test("trees of containers and types", trees_of_containers_and_types);
    test("user fields as numbers, by an index that is looked up once", fields_as_numbers);
    test("open entities", open_entities);
    test("counters", counters);
    test("the last problem", last_problem);
    test("many identifiers", many_identifiers);
    test("many types", many_types);
    test("names of events, kinds and problems", names_of_things);
    test("numbers", numbers);
    return failed;
}
