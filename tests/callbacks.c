/* What a trace and a log beside each other cannot show: answers of the functions, calls from within callbacks, words of
 * the user, images that are damaged, arguments that are wrong. */
#ifndef PAJESIM_HEADER
#define PAJESIM_HEADER "pajesim.h"
#endif
#define PAJESIM_IMPLEMENTATION
#include PAJESIM_HEADER

#include "expect.h"

#include <stdlib.h>
#include <string.h>

static void test(const char *name, void (*body)(void))
{
    body();
    report("callbacks", name);
}

static const char header[] =
    "%EventDef PajeDefineContainerType 0\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n"
    "%EventDef PajeDefineStateType 1\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n"
    "%EventDef PajeDefineVariableType 2\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n"
    "%EventDef PajeDefineLinkType 3\n% Alias string\n% Type string\n% StartContainerType string\n"
    "% EndContainerType string\n% Name string\n%EndEventDef\n"
    "%EventDef PajeDefineEntityValue 4\n% Alias string\n% Type string\n% Name string\n% Color color\n%EndEventDef\n"
    "%EventDef PajeCreateContainer 5\n% Time date\n% Alias string\n% Type string\n% Container string\n% Name string\n"
    "%EndEventDef\n"
    "%EventDef PajeDestroyContainer 6\n% Time date\n% Type string\n% Name string\n%EndEventDef\n"
    "%EventDef PajePushState 7\n% Time date\n% Type string\n% Container string\n% Value string\n% Mark string\n"
    "%EndEventDef\n"
    "%EventDef PajePopState 8\n% Time date\n% Type string\n% Container string\n%EndEventDef\n"
    "%EventDef PajeSetVariable 9\n% Time date\n% Type string\n% Container string\n% Value double\n%EndEventDef\n"
    "%EventDef PajeTraceFile 10\n% Type string\n% Container string\n% Filename string\n%EndEventDef\n";
static const char scene[] =
    "0 M 0 Machine\n0 P M Process\n1 S P \"Process State\"\n2 V P Memory\n3 L M P P Message\n4 R S Running \"0 1 0\"\n"
    "5 0 m M 0 \"Machine 1\"\n5 0.5 p1 P m \"Process 1\"\n5 1 p2 P m \"Process 2\"\n";

static uint64_t arena[4096], other_arena[4096];
static pajesim sim;

/* Lines of header and scene. */
static uint64_t lines_before(void)
{
    uint64_t lines = 0;
    const char *p;
    for (p = header; *p; p++)
        lines += *p == '\n';
    for (p = scene; *p; p++)
        lines += *p == '\n';
    return lines;
}

static pajesim_status feed(const char *lines)
{
    return pajesim_feed(&sim, lines, strlen(lines), NULL);
}

static void begin(const pajesim_options *options, const pajesim_callbacks *callbacks)
{
    EXPECT(pajesim_init(&sim, arena, sizeof arena, options, callbacks, &failed) == PAJESIM_OK);
    EXPECT(feed(header) == PAJESIM_OK);
    EXPECT(feed(scene) == PAJESIM_OK);
}

static int is(pajesim_text text, const char *expected)
{
    return text.size == strlen(expected) && !memcmp(text.bytes, expected, text.size);
}

static pajesim_ref container(const char *alias)
{
    return pajesim_find_container(&sim, alias, strlen(alias));
}

static pajesim_ref type(const char *alias)
{
    return pajesim_find_type(&sim, alias, strlen(alias));
}

/* ---- from within callbacks ---- */

static int calls;

/* Everything that would change the simulation is refused, and changes nothing. */
static int try_all(pajesim *it)
{
    static unsigned char image[sizeof arena];
    size_t taken = 99;
    calls++;
    EXPECT(it == &sim && pajesim_data(it) == &failed);
    EXPECT(pajesim_feed(it, "8 9 S p1\n", 9, &taken) == PAJESIM_BUSY && taken == 0);
    EXPECT(pajesim_finish(it) == PAJESIM_BUSY);
    EXPECT(pajesim_finish_at(it, 1) == PAJESIM_BUSY);
    EXPECT(pajesim_end_file(it) == PAJESIM_BUSY);
    EXPECT(pajesim_move(it, other_arena, sizeof other_arena) == PAJESIM_BUSY);
    EXPECT(pajesim_save(it, image, sizeof image) == PAJESIM_BUSY);
    return PAJESIM_GO_ON;
}

#define TRY_ALL(name, argument) \
    static int try_in_##name(pajesim *it, const argument *view) \
    { \
        (void)view; \
        return try_all(it); \
    }
TRY_ALL(definition, pajesim_definition)
TRY_ALL(line, pajesim_line)
TRY_ALL(problem, pajesim_problem)
TRY_ALL(type, pajesim_type_info)
TRY_ALL(value, pajesim_value_info)
TRY_ALL(entity, pajesim_entity)

static void busy_within_callbacks(void)
{
    pajesim_callbacks callbacks = {
        try_in_definition, try_in_line,   try_in_problem, try_in_type,   try_in_value,  try_in_entity, try_in_entity,
        try_in_entity,     try_in_entity, try_in_entity,  try_in_entity, try_in_entity, try_in_entity, try_in_entity,
        try_in_entity,     try_in_entity, try_in_entity,  try_in_entity, try_all};
    calls = 0;
    begin(NULL, &callbacks);
    EXPECT(feed("7 1 S p1 R m1\n7 2 S p1 other m2\n8 3 S p1\n8 3 S p2\n9 3 V p1 1\n10 P p1 file\n") == PAJESIM_OPEN);
    EXPECT(feed("9 4 V p1 2\n") == PAJESIM_OK);
    EXPECT(pajesim_end_file(&sim) == PAJESIM_OK);
    EXPECT(pajesim_finish(&sim) == PAJESIM_INVALID);
    EXPECT(pajesim_count(&sim)->errors == 1 && pajesim_count(&sim)->states == 2);
    EXPECT(pajesim_count(&sim)->variables == 2 && pajesim_count(&sim)->containers == 4);
    EXPECT(calls > 40);
}

static pajesim_ref state_container;

static int query_in_push(pajesim *it, const pajesim_entity *state)
{
    pajesim_entity open;
    pajesim_field field;
    pajesim_ref process = state->container, machine = pajesim_parent(it, process);
    calls++;
    state_container = process;
    EXPECT(is(pajesim_name(it, process), "Process 1") && is(pajesim_alias(it, process), "p1"));
    EXPECT(is(pajesim_name(it, machine), "Machine 1") && pajesim_parent(it, machine) == pajesim_root(it));
    EXPECT(pajesim_parent(it, pajesim_root(it)) == 0 && is(pajesim_alias(it, pajesim_root(it)), "0"));
    EXPECT(pajesim_type_of(it, process) == type("P") && pajesim_type_of(it, pajesim_root(it)) == pajesim_root_type(it));
    EXPECT(pajesim_kind_of(it, process) == PAJESIM_CONTAINER && pajesim_kind_of(it, state->type) == PAJESIM_STATE);
    EXPECT(pajesim_kind_of(it, state->value) == PAJESIM_STATE && pajesim_parent(it, state->value) == state->type);
    EXPECT(pajesim_find_value(it, state->type, "R", 1) == state->value && is(state->value_name, "Running"));
    EXPECT(is(pajesim_color(it, state->value), "0 1 0") && is(pajesim_color(it, state->type), ""));
    EXPECT(pajesim_start_of(it, process) == 0.5);
    EXPECT(pajesim_line_number(it) == lines_before() + 1);
    EXPECT(pajesim_depth(it, process, state->type) == 1);
    EXPECT(pajesim_open_entity(it, process, state->type, 0, &open) && open.value == state->value && open.open);
    EXPECT(pajesim_user_field_named(it, &open.opening, "Mark", &field) && is(field.text, "m1"));
    EXPECT(!pajesim_open_entity(it, process, state->type, 1, &open));
    return PAJESIM_GO_ON;
}

static void queries_within_callbacks(void)
{
    pajesim_callbacks callbacks;
    memset(&callbacks, 0, sizeof callbacks);
    callbacks.state_pushed = query_in_push;
    calls = 0;
    begin(NULL, &callbacks);
    EXPECT(feed("7 1 S p1 R m1\n") == PAJESIM_OK);
    EXPECT(calls == 1 && state_container == container("p1"));
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
    EXPECT(is(pajesim_name(&sim, 0), "") && pajesim_parent(&sim, 0) == 0 && pajesim_word(&sim, 0) == NULL);
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

static int words_told;

static int word_of_type(pajesim *it, const pajesim_type_info *info)
{
    EXPECT(*pajesim_word(it, info->ref) == 0);
    *pajesim_word(it, info->ref) = 100;
    return PAJESIM_GO_ON;
}

static int word_of_value(pajesim *it, const pajesim_value_info *info)
{
    *pajesim_word(it, info->ref) = UINT64_C(0x123456789abcdef0);
    return PAJESIM_GO_ON;
}

static int word_of_container(pajesim *it, const pajesim_entity *created)
{
    EXPECT(*pajesim_word(it, created->container) == 0);
    *pajesim_word(it, created->container) = 7;
    return PAJESIM_GO_ON;
}

static int word_at_the_end(pajesim *it, const pajesim_entity *destroyed)
{
    words_told++;
    if (destroyed->container != pajesim_root(it))
        EXPECT(*pajesim_word(it, destroyed->container) == 8);
    return PAJESIM_GO_ON;
}

static void words_survive_move_and_restore(void)
{
    static unsigned char image[sizeof arena];
    pajesim_callbacks callbacks;
    pajesim_ref p1, type_of_states, value;
    size_t size;
    memset(&callbacks, 0, sizeof callbacks);
    callbacks.new_type = word_of_type;
    callbacks.new_value = word_of_value;
    callbacks.container_created = word_of_container;
    callbacks.container_destroyed = word_at_the_end;
    words_told = 0;
    begin(NULL, &callbacks);
    p1 = container("p1");
    type_of_states = type("S");
    value = pajesim_find_value(&sim, type_of_states, "R", 1);
    EXPECT(pajesim_move(&sim, other_arena, sizeof other_arena) == PAJESIM_OK);
    memset(arena, 0xa5, sizeof arena);
    EXPECT(container("p1") == p1 && *pajesim_word(&sim, p1) == 7);
    (*pajesim_word(&sim, p1))++;
    (*pajesim_word(&sim, container("p2")))++;
    (*pajesim_word(&sim, container("m")))++;
    size = pajesim_image_size(&sim);
    EXPECT(size <= sizeof image && pajesim_save(&sim, image, size) == PAJESIM_OK);
    memset(&sim, 0xa5, sizeof sim);
    memset(other_arena, 0xa5, sizeof other_arena);
    EXPECT(pajesim_restore(&sim, arena, sizeof arena, image, size, &callbacks, &failed) == PAJESIM_OK);
    EXPECT(*pajesim_word(&sim, p1) == 8 && *pajesim_word(&sim, type_of_states) == 100);
    EXPECT(*pajesim_word(&sim, value) == UINT64_C(0x123456789abcdef0) && is(pajesim_name(&sim, value), "Running"));
    EXPECT(pajesim_data(&sim) == &failed);
    EXPECT(feed("7 1 S p1 R m\n6 2 P p1\n") == PAJESIM_OK);
    EXPECT(pajesim_finish(&sim) == PAJESIM_OK && words_told == 4);
}

/* ---- pausing and stopping ---- */

static int stop_now(pajesim *it, const pajesim_entity *state)
{
    (void)it;
    calls++;
    return state->start == 2 ? PAJESIM_STOP : PAJESIM_GO_ON;
}

static void stop_takes_no_further_line(void)
{
    static const char lines[] = "7 1 S p1 a m\n7 2 S p1 b m\n7 3 S p1 c m\n";
    pajesim_callbacks callbacks;
    size_t taken;
    memset(&callbacks, 0, sizeof callbacks);
    callbacks.state_pushed = stop_now;
    calls = 0;
    begin(NULL, &callbacks);
    EXPECT(pajesim_feed(&sim, lines, sizeof lines - 1, &taken) == PAJESIM_STOPPED && taken == 26);
    EXPECT(pajesim_feed(&sim, lines + 26, 13, &taken) == PAJESIM_STOPPED && taken == 0);
    EXPECT(calls == 2 && pajesim_depth(&sim, container("p1"), type("S")) == 2);
    EXPECT(pajesim_finish(&sim) == PAJESIM_OK);
    EXPECT(pajesim_count(&sim)->states == 2 && pajesim_count(&sim)->last == 2);
}

static int stop_before(pajesim *it, const pajesim_line *line)
{
    (void)it;
    calls++;
    return line->time > 1 ? PAJESIM_STOP : PAJESIM_GO_ON;
}

static void stop_at_a_line_keeps_it_from_taking_effect(void)
{
    static const char lines[] = "7 1 S p1 a m\n7 2 S p1 b m surplus\n7 3 S p1 c m\n";
    pajesim_callbacks callbacks;
    size_t taken;
    int piece;
    memset(&callbacks, 0, sizeof callbacks);
    callbacks.line = stop_before;
    for (piece = 0; piece < 2; piece++) {
        size_t at = 0;
        pajesim_status status = PAJESIM_OK;
        begin(NULL, &callbacks);
        calls = 0;
        while (status == PAJESIM_OK && at < sizeof lines - 1) {
            status = pajesim_feed(&sim, lines + at, piece ? 1 : sizeof lines - 1, &taken);
            at += taken;
        }
        EXPECT(status == PAJESIM_STOPPED && calls == 2);
        EXPECT(piece ? at < 34 : at == 13);
        EXPECT(pajesim_depth(&sim, container("p1"), type("S")) == 1 && pajesim_count(&sim)->warnings == 0);
        EXPECT(pajesim_finish_at(&sim, 1.5) == PAJESIM_OK);
        EXPECT(pajesim_count(&sim)->by_event[PAJESIM_PUSH_STATE] == 1 && pajesim_count(&sim)->last == 1);
    }
}

/* The same of a last line that has no newline, so that it is pajesim_finish that comes to it; all else is closed. */
static void stop_at_the_last_line(void)
{
    pajesim_callbacks callbacks;
    memset(&callbacks, 0, sizeof callbacks);
    callbacks.line = stop_before;
    begin(NULL, &callbacks);
    EXPECT(feed("7 1 S p1 a m\n7 2 S p1 b m") == PAJESIM_OK);
    EXPECT(pajesim_finish(&sim) == PAJESIM_OK && pajesim_finish(&sim) == PAJESIM_FINISHED);
    EXPECT(pajesim_count(&sim)->states == 1 && pajesim_count(&sim)->containers == 4);
}

static int stop_at_a_problem(pajesim *it, const pajesim_problem *problem)
{
    (void)it;
    return problem->code == PAJESIM_E_HEADER_OPEN ? PAJESIM_STOP : PAJESIM_GO_ON;
}

static void stop_at_the_end_of_a_file(void)
{
    pajesim_callbacks callbacks;
    memset(&callbacks, 0, sizeof callbacks);
    callbacks.problem = stop_at_a_problem;
    begin(NULL, &callbacks);
    EXPECT(feed("10 P p1 file\n") == PAJESIM_OPEN);
    EXPECT(feed("%EventDef PajePopState 30\n") == PAJESIM_OK);
    EXPECT(pajesim_end_file(&sim) == PAJESIM_STOPPED && feed("7 2 S p1 a m\n") == PAJESIM_STOPPED);
    EXPECT(pajesim_finish(&sim) == PAJESIM_INVALID && pajesim_count(&sim)->containers == 4);
    begin(NULL, &callbacks);
    EXPECT(feed("%EventDef PajePopState 30\n") == PAJESIM_OK);
    EXPECT(pajesim_finish(&sim) == PAJESIM_INVALID && pajesim_count(&sim)->containers == 4);
    callbacks.line = stop_before; /* and in the middle of one, which finish leaves */
    begin(NULL, &callbacks);
    EXPECT(feed("10 P p1 file\n") == PAJESIM_OPEN && feed("7 1 S p1 a m\n7 2 S p1 b m\n") == PAJESIM_STOPPED);
    EXPECT(pajesim_end_file(&sim) == PAJESIM_STOPPED && pajesim_file(&sim).size == 4);
    EXPECT(pajesim_finish(&sim) == PAJESIM_OK && pajesim_file(&sim).size == 0 && pajesim_count(&sim)->states == 1);
}

static int check_line(pajesim *it, const pajesim_line *line)
{
    (void)it;
    calls += line->event == PAJESIM_SET_VARIABLE ? line->number == 5 && line->time == 1
             : line->event == PAJESIM_PUSH_STATE ? line->number == 0 && line->time == 2
                                                 : line->number == 0 && line->time == 0;
    return PAJESIM_GO_ON;
}

static void a_line_has_its_own_numbers_only(void)
{
    pajesim_callbacks callbacks;
    memset(&callbacks, 0, sizeof callbacks);
    callbacks.line = check_line;
    begin(NULL, &callbacks);
    calls = 0;
    EXPECT(feed("9 1 V p1 5\n7 2 S p1 a m\n0 X P more\n") == PAJESIM_OK && calls == 3);
}

static pajesim_time closed_at;

static int closed_pausing(pajesim *it, const pajesim_entity *entity)
{
    (void)it;
    calls++;
    closed_at = entity->end;
    return PAJESIM_PAUSE;
}

static int closed_stopping(pajesim *it, const pajesim_entity *entity)
{
    (void)it;
    calls++;
    return entity->kind == PAJESIM_STATE ? PAJESIM_STOP : PAJESIM_GO_ON;
}

static void finish_pauses_between_entities(void)
{
    pajesim_callbacks callbacks;
    int pauses = 0;
    memset(&callbacks, 0, sizeof callbacks);
    callbacks.closed = closed_pausing;
    begin(NULL, &callbacks);
    EXPECT(feed("7 1 S p1 R m\n9 3 V p2 1\n7 2 S p1 R m\n") == PAJESIM_OK);
    calls = 0;
    while (pajesim_finish_at(&sim, 10) == PAJESIM_PAUSED) {
        pauses++;
        EXPECT(calls == pauses && closed_at == 10);
        EXPECT(pajesim_move(&sim, pauses & 1 ? other_arena : arena, sizeof arena) == PAJESIM_OK);
    }
    EXPECT(calls == 7 && pauses == 6); /* three entities, three containers, and the root, with which it is finished */
    EXPECT(pajesim_finish(&sim) == PAJESIM_FINISHED && feed("x\n") == PAJESIM_FINISHED);
}

static void finish_stops_half_way(void)
{
    pajesim_callbacks callbacks;
    memset(&callbacks, 0, sizeof callbacks);
    callbacks.closed = closed_stopping;
    begin(NULL, &callbacks);
    EXPECT(feed("7 1 S p1 R m\n7 1 S p2 R m\n") == PAJESIM_OK);
    calls = 0;
    EXPECT(pajesim_finish(&sim) == PAJESIM_STOPPED && calls == 1);
    EXPECT(pajesim_finish(&sim) == PAJESIM_FINISHED && calls == 1);
}

/* ---- memory ---- */

static void arena_min_is_exact(void)
{
    static const pajesim_options options[] = {
        {.strict = 0},      {.strict = PAJESIM_CHECKS}, {.parse_only = PAJESIM_CHECKS}, {.line_room = 16},
        {.line_room = 10000}, {.kept = 1000}, {.depth_max = 99}};
    size_t i;
    for (i = 0; i < sizeof options / sizeof *options; i++) {
        size_t least = pajesim_arena_min(&options[i]);
        unsigned char *exact = malloc(least);
        EXPECT(exact != NULL && least > 100 && least < sizeof arena);
        if (!exact)
            return;
        EXPECT(pajesim_init(&sim, exact, least - 1, &options[i], NULL, NULL) == PAJESIM_FULL);
        EXPECT(pajesim_needed(&sim) == least);
        EXPECT(pajesim_init(&sim, exact, least, &options[i], NULL, NULL) == PAJESIM_OK);
        EXPECT(pajesim_used(&sim) <= least && feed("# a comment\n") == PAJESIM_OK);
        EXPECT(pajesim_finish(&sim) == PAJESIM_OK);
        free(exact);
    }
    EXPECT(pajesim_arena_min(NULL) == pajesim_arena_min(&options[0]));
}

static void what_lies_beyond_the_use_is_untouched(void)
{
    size_t i;
    memset(arena, 0x77, sizeof arena);
    begin(NULL, NULL);
    EXPECT(feed("7 1 S p1 R m\n8 2 S p1\n6 3 P p1\n") == PAJESIM_OK);
    for (i = pajesim_used(&sim); i < sizeof arena; i++)
        EXPECT(((unsigned char *)arena)[i] == 0x77);
}

static void move_to_smaller_and_larger(void)
{
    size_t used;
    begin(NULL, NULL);
    used = pajesim_used(&sim);
    EXPECT(pajesim_move(&sim, other_arena, used - 1) == PAJESIM_FULL && pajesim_needed(&sim) == used);
    EXPECT(container("p1") != 0);
    EXPECT(pajesim_move(&sim, other_arena, used) == PAJESIM_OK);
    EXPECT(feed("5 2 \"a container that takes some more of the arena than is free\" P m x\n") == PAJESIM_FULL);
    EXPECT(pajesim_move(&sim, other_arena, sizeof other_arena) == PAJESIM_OK); /* as realloc does, in place */
    EXPECT(feed("5 2 \"a container that takes some more of the arena than is free\" P m x\n") == PAJESIM_OK);
    EXPECT(pajesim_finish(&sim) == PAJESIM_OK && pajesim_count(&sim)->containers == 5);
}

/* ---- images ---- */

static size_t make_image(unsigned char **image)
{
    size_t size;
    begin(NULL, NULL);
    EXPECT(feed("7 1 S p1 R m\n7 2 S p1 W m\n9 3 V p1 17\n8 4 S") == PAJESIM_OK); /* in the middle of a line */
    size = pajesim_image_size(&sim);
    *image = malloc(size);
    if (!*image)
        exit(2);
    EXPECT(pajesim_save(&sim, *image, size - 1) == PAJESIM_FULL);
    EXPECT(pajesim_save(&sim, *image, size) == PAJESIM_OK);
    return size;
}

static void image_of_the_middle_of_a_line(void)
{
    unsigned char *image;
    size_t size = make_image(&image), used = pajesim_used(&sim);
    pajesim_counts before = *pajesim_count(&sim);
    EXPECT(pajesim_restore(&sim, other_arena, used - 1, image, size, NULL, NULL) == PAJESIM_FULL);
    EXPECT(pajesim_needed(&sim) == used);
    EXPECT(pajesim_restore(&sim, other_arena, used, image, size, NULL, NULL) == PAJESIM_OK);
    EXPECT(memcmp(pajesim_count(&sim), &before, sizeof before) == 0 && pajesim_used(&sim) == used);
    EXPECT(feed(" p1\n") == PAJESIM_OK && pajesim_count(&sim)->states == 1);
    EXPECT(pajesim_line_number(&sim) == lines_before() + 5);
    EXPECT(pajesim_finish(&sim) == PAJESIM_OK);
    free(image);
}

static int is_refusal(pajesim_status status)
{
    return status == PAJESIM_FOREIGN || status == PAJESIM_DAMAGED;
}

static void damaged_images_are_foreign(void)
{
    unsigned char *image, *longer;
    size_t size = make_image(&image), i;
    pajesim_status status = PAJESIM_FOREIGN;
    for (i = 0; i < size && is_refusal(status); i++) {
        static const unsigned char masks[] = {1, 0x80, 0xff};
        unsigned char mask = masks[i % 3];
        image[i] ^= mask;
        status = pajesim_restore(&sim, other_arena, sizeof other_arena, image, size, NULL, NULL);
        image[i] ^= mask;
    }
    EXPECT(is_refusal(status));
    for (i = 0; i < size && is_refusal(status); i += 1 + i / 16) {
        unsigned char *cut = malloc(i ? i : 1);
        if (!cut)
            exit(2);
        memcpy(cut, image, i);
        status = pajesim_restore(&sim, other_arena, sizeof other_arena, cut, i, NULL, NULL);
        free(cut);
    }
    EXPECT(is_refusal(status));
    longer = malloc(size + 1);
    if (!longer)
        exit(2);
    memcpy(longer, image, size);
    longer[size] = 0;
    EXPECT(pajesim_restore(&sim, other_arena, sizeof other_arena, longer, size + 1, NULL, NULL) == PAJESIM_DAMAGED);
    memset(longer, 0, size);
    EXPECT(pajesim_restore(&sim, other_arena, sizeof other_arena, longer, size, NULL, NULL) == PAJESIM_FOREIGN);
    EXPECT(pajesim_restore(&sim, other_arena, sizeof other_arena, image, size, NULL, NULL) == PAJESIM_OK);
    free(longer);
    free(image);
}

/* ---- arguments ---- */

static void misuse(void)
{
    unsigned char *crooked = (unsigned char *)arena + 1;
    static const pajesim_options checked[] = {{.strict = 1}, {.parse_only = 1}};
    size_t taken = 99, i;
    char image[8];
    for (i = 0; i < 2; i++) /* what was left out cannot be had */
        EXPECT(pajesim_init(&sim, arena, sizeof arena, &checked[i], NULL, NULL) ==
               (PAJESIM_CHECKS ? PAJESIM_OK : PAJESIM_MISUSE));
    EXPECT(pajesim_init(NULL, arena, sizeof arena, NULL, NULL, NULL) == PAJESIM_MISUSE);
    EXPECT(pajesim_init(&sim, NULL, sizeof arena, NULL, NULL, NULL) == PAJESIM_MISUSE);
    EXPECT(pajesim_init(&sim, crooked, sizeof arena - 8, NULL, NULL, NULL) == PAJESIM_MISUSE);
    begin(NULL, NULL);
    EXPECT(pajesim_feed(NULL, "x", 1, NULL) == PAJESIM_MISUSE);
    EXPECT(pajesim_feed(&sim, NULL, 1, &taken) == PAJESIM_MISUSE && taken == 0);
    EXPECT(pajesim_feed(&sim, NULL, 0, &taken) == PAJESIM_OK && taken == 0);
    EXPECT(pajesim_feed(&sim, "x", 0, NULL) == PAJESIM_OK);
    EXPECT(pajesim_end_file(NULL) == PAJESIM_MISUSE && pajesim_end_file(&sim) == PAJESIM_MISUSE);
    EXPECT(pajesim_finish(NULL) == PAJESIM_MISUSE && pajesim_finish_at(NULL, 1) == PAJESIM_MISUSE);
    EXPECT(pajesim_move(NULL, arena, sizeof arena) == PAJESIM_MISUSE);
    EXPECT(pajesim_move(&sim, NULL, sizeof arena) == PAJESIM_MISUSE);
    EXPECT(pajesim_move(&sim, (unsigned char *)other_arena + 4, sizeof arena - 8) == PAJESIM_MISUSE);
    EXPECT(pajesim_save(NULL, image, sizeof image) == PAJESIM_MISUSE);
    EXPECT(pajesim_save(&sim, NULL, 100000) == PAJESIM_MISUSE);
    EXPECT(pajesim_restore(NULL, other_arena, sizeof other_arena, image, 8, NULL, NULL) == PAJESIM_MISUSE);
    EXPECT(pajesim_restore(&sim, NULL, 8, image, 8, NULL, NULL) == PAJESIM_MISUSE);
    EXPECT(pajesim_restore(&sim, other_arena, sizeof other_arena, NULL, 8, NULL, NULL) == PAJESIM_MISUSE);
}

static void finish_at_a_time(void)
{
    pajesim_callbacks callbacks;
    memset(&callbacks, 0, sizeof callbacks);
    callbacks.closed = closed_pausing;
    begin(NULL, &callbacks);
    EXPECT(feed("7 5 S p1 R m\n") == PAJESIM_OK);
    EXPECT(pajesim_finish_at(&sim, 8.25) == PAJESIM_PAUSED && closed_at == 8.25);
    EXPECT(pajesim_finish(&sim) == PAJESIM_PAUSED && closed_at == 8.25); /* the time was given when it began */
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

/* No state is shared: two simulations of the same lines, fed in turns, are the same. */
static void two_at_once(void)
{
    static const char lines[] = "7 1 S p1 R m\n7 2 S p2 \"another value\" m\n8 3 S p1\n";
    pajesim second;
    size_t i;
    begin(NULL, NULL);
    EXPECT(pajesim_init(&second, other_arena, sizeof other_arena, NULL, NULL, NULL) == PAJESIM_OK);
    EXPECT(pajesim_feed(&second, header, sizeof header - 1, NULL) == PAJESIM_OK);
    EXPECT(pajesim_feed(&second, scene, sizeof scene - 1, NULL) == PAJESIM_OK);
    for (i = 0; i < sizeof lines - 1; i++) {
        EXPECT(pajesim_feed(&sim, lines + i, 1, NULL) == PAJESIM_OK);
        EXPECT(pajesim_feed(&second, lines + i, 1, NULL) == PAJESIM_OK);
    }
    EXPECT(pajesim_used(&sim) == pajesim_used(&second));
    EXPECT(!memcmp(pajesim_count(&sim), pajesim_count(&second), sizeof(pajesim_counts)));
    EXPECT(pajesim_finish(&sim) == PAJESIM_OK && pajesim_finish(&second) == PAJESIM_OK);
}

/* Identifiers that differ in what they are unique within, or in their middle, or that come again. */
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
    EXPECT(!pajesim_fixed("1", (size_t)1 << 31, 0, &fixed) && fixed == 7); /* as long a text is no number, and not read */
    EXPECT(!pajesim_number("x", 1, &number) && !pajesim_number("", 0, &number) && number == 7);
    EXPECT(pajesim_number("2.5x", 3, &number) && number == 2.5);
    EXPECT(pajesim_number("-1e-3", 5, &number) && number == -1e-3);
}

int main(void)
{
    test("calls from within callbacks are refused and do no harm", busy_within_callbacks);
    test("queries from within callbacks", queries_within_callbacks);
    test("trees of containers and types", trees_of_containers_and_types);
    test("open entities", open_entities);
    test("words survive move and restore", words_survive_move_and_restore);
    test("stop takes no further line", stop_takes_no_further_line);
    test("stop at a line keeps it from taking effect", stop_at_a_line_keeps_it_from_taking_effect);
    test("stop at the last line", stop_at_the_last_line);
    test("stop at the end of a file", stop_at_the_end_of_a_file);
    test("a line has its own numbers only", a_line_has_its_own_numbers_only);
    test("finish pauses between entities", finish_pauses_between_entities);
    test("finish stops half-way", finish_stops_half_way);
    test("finish at a time", finish_at_a_time);
    test("pajesim_arena_min is exact", arena_min_is_exact);
    test("what lies beyond the use is untouched", what_lies_beyond_the_use_is_untouched);
    test("move to smaller and larger", move_to_smaller_and_larger);
    test("an image of the middle of a line", image_of_the_middle_of_a_line);
    test("damaged images are foreign", damaged_images_are_foreign);
    test("misuse", misuse);
    test("counters", counters);
    test("the last problem", last_problem);
    test("two simulations at once", two_at_once);
    test("many identifiers", many_identifiers);
    test("names of events, kinds and problems", names_of_things);
    test("numbers", numbers);
    return failed;
}
