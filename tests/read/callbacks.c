/* Tests calls from within callbacks, callbacks that pause or stop the replay, and the end of a simulation. */
#ifndef PAJESIM_HEADER
#define PAJESIM_HEADER "pajesim.h"
#endif
#define PAJESIM_IMPLEMENTATION
#include PAJESIM_HEADER

#include "scene.h"

static void test(const char *name, void (*body)(void))
{
    body();
    report("callbacks ", name);
}

static uint64_t other_arena[4096];

/* ---- from within callbacks ---- */

static int calls;

/* Every call that would change the simulation is refused, and changes nothing. */
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

static int measure(pajesim *it, const pajesim_entity *entity)
{
    (void)entity;
    calls++;
    EXPECT(pajesim_image_size(it) > 0);
    return PAJESIM_GO_ON;
}

/* The state that is shown as it closes is no longer on its stack; measuring an image leaves it alone. */
static void an_image_is_measured_within_callbacks(void)
{
    static const char lines[] = "7 1 S p1 other m1\n8 2 S p1\n7 3 S p1 other m2\n7 4 S p1 R m3\n8 5 S p1\n";
    static unsigned char images[2][sizeof arena];
    pajesim_callbacks callbacks;
    size_t sizes[2], i;
    memset(&callbacks, 0, sizeof callbacks);
    calls = 0;
    for (i = 0; i < 2; i++) {
        begin(NULL, &callbacks);
        EXPECT(feed(lines) == PAJESIM_OK);
        sizes[i] = pajesim_image_size(&sim);
        EXPECT(sizes[i] <= sizeof arena && pajesim_save(&sim, images[i], sizes[i]) == PAJESIM_OK);
        callbacks.closed = callbacks.state_popped = measure;
    }
    EXPECT(calls == 4 && sizes[0] == sizes[1] && memcmp(images[0], images[1], sizes[0]) == 0);
    EXPECT(pajesim_finish(&sim) == PAJESIM_OK);
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

/* Pauses in a last line without a newline, which pajesim_finish reads; the rest is closed as usual. */
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
    callbacks.line = stop_before; /* and pauses in the middle of a line, which finish discards */
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

/* ---- the end ---- */

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
    EXPECT(calls == 7 && pauses == 6); /* three entities, three containers, and the root, with which it finishes */
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

static void finish_at_a_time(void)
{
    pajesim_callbacks callbacks;
    memset(&callbacks, 0, sizeof callbacks);
    callbacks.closed = closed_pausing;
    begin(NULL, &callbacks);
    EXPECT(feed("7 5 S p1 R m\n") == PAJESIM_OK);
    EXPECT(pajesim_finish_at(&sim, 8.25) == PAJESIM_PAUSED && closed_at == 8.25);
    EXPECT(pajesim_finish(&sim) == PAJESIM_PAUSED && closed_at == 8.25); /* the time was given when the event began */
}

int main(void)
{
    test("calls from within callbacks are refused and do no harm", busy_within_callbacks);
    test("queries from within callbacks", queries_within_callbacks);
    test("an image is measured within callbacks", an_image_is_measured_within_callbacks);
    test("stop takes no further line", stop_takes_no_further_line);
    test("stop at a line keeps it from taking effect", stop_at_a_line_keeps_it_from_taking_effect);
    test("stop at the last line", stop_at_the_last_line);
    test("stop at the end of a file", stop_at_the_end_of_a_file);
    test("a line has its own numbers only", a_line_has_its_own_numbers_only);
    test("finish pauses between entities", finish_pauses_between_entities);
    test("finish stops half-way", finish_stops_half_way);
    test("finish at a time", finish_at_a_time);
    return failed;
}
