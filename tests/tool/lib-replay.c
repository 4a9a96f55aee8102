/* examples/paje/replay: what its files decide by themselves, against what is written here or plain ways. */
#define _POSIX_C_SOURCE 200809L /* dup, fileno */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/stream.h"
#include "replay/begun.h"
#include "replay/collective.h"
#include "replay/dump_line.h"
#include "replay/ending.h"
#include "replay/part.h"
#include "replay/path.h"
#include "replay/problem.h"
#include "replay/progress.h"
#include "replay/run.h"
#include "tests/lib/draw.h"
#include "tests/lib/got.h"
#include "tests/lib/tell.h"

/* ---- a simulation without a file */

static const char header[] =
    "%EventDef PajeDefineContainerType 0\n% Alias string\n% Type string\n% Name string\n"
    "%EndEventDef\n%EventDef PajeCreateContainer 1\n% Time date\n% Alias string\n% Type string\n"
    "% Container string\n% Name string\n%EndEventDef\n%EventDef PajeDefineEventType 2\n"
    "% Alias string\n% Type string\n% Name string\n%EndEventDef\n";

static paje_settings settings;
static paje_source source;
static paje_run run;

static void feed(const char *lines)
{
    size_t size = strlen(lines);
    while (size > 0) {
        size_t taken;
        if (pajesim_feed(&run.sim, lines, size, &taken) == PAJESIM_FULL)
            paje_grow_run(&run);
        lines += taken;
        size -= taken;
    }
}

static void begin(void)
{
    free(run.arena);
    memset(&run, 0, sizeof run);
    memset(&settings, 0, sizeof settings);
    source.name = (char *)(uintptr_t) "t.trace";
    run.settings = &settings;
    run.source = &source;
    run.capacity = (size_t)pajesim_arena_min(&settings.simulation);
    run.arena = memory_alloc(run.capacity, 1);
    pajesim_init(&run.sim, run.arena, run.capacity, &settings.simulation, &run.callbacks, &run);
    feed(header);
}

/* ---- sets of states, against all of them one by one */

enum { STATES = 40 };

static int is_before(const begun_key *a, const begun_key *b)
{
    return a->start < b->start ||
           (!(a->start > b->start) && (a->rank < b->rank || (a->rank == b->rank && a->depth < b->depth)));
}

static begun_key any_key(void) { return (begun_key){(double)draw(4), (uint32_t)draw(3), (uint32_t)draw(3)}; }

static void test_sets(void)
{
    int right = 1;
    for (int round = 0; round < 60; round++) {
        begun_set set = {0};
        begun_number in[STATES];
        size_t count = 0, most = draw(2) ? BEGUN_FEW + 1 : STATES - 1;
        for (int step = 0; step < 400; step++) {
            begun_key key = any_key();
            size_t same = 0;
            while (same < count &&
                   (is_before(&begun_at(in[same])->key, &key) || is_before(&key, &begun_at(in[same])->key)))
                same++;
            if (same == count && count < most && draw(5) > 1) {
                in[count] = begun_new(key);
                begun_at(in[count])->kinds = 1 + (uint32_t)draw(7);
                begun_insert(&set, in[count++]);
            } else if (count && draw(3) == 0) {
                size_t at = draw(count);
                begun_remove(&set, in[at]);
                begun_free(in[at]);
                in[at] = in[--count];
            }
            int kind = (int)draw(BEGUN_KINDS);
            begun_number before = 0, from = 0;
            key = any_key();
            for (size_t i = 0; i < count; i++) {
                const begun_state *one = begun_at(in[i]);
                if (!(one->kinds >> kind & 1))
                    continue;
                if (is_before(&one->key, &key) && (!before || is_before(&begun_at(before)->key, &one->key)))
                    before = in[i];
                if (!is_before(&one->key, &key) && (!from || is_before(&one->key, &begun_at(from)->key)))
                    from = in[i];
            }
            right &=
                begun_before(&set, kind, key) == before && begun_from(&set, kind, key) == from && set.count == count;
            right &= begun_between(&set, kind, key.start, key.start) == 0;
            double to = key.start + (double)draw(3);
            key.rank = key.depth = 0;
            from = begun_from(&set, kind, key);
            right &= begun_between(&set, kind, key.start, to) == (from && begun_at(from)->key.start < to ? from : 0);
        }
        for (; count > 0; count--) {
            begun_remove(&set, in[count - 1]);
            begun_free(in[count - 1]);
        }
        right &= !set.has_trees && !set.count && begun_states.count <= STATES + 1;
    }
    begun_clear();
    begun_key key = {1, 0, 0};
    tell("sets of states find the one before a key, and the first from it on", right);
    tell("a number is given again when it is free, and from 1 on",
         begun_new(key) == 1 && begun_new(key) == 2 && (begun_free(1), begun_new(key) == 1) && begun_new(key) == 3);
    begun_clear();
}

/* ---- the beginnings of files */

static void test_beginnings(void)
{
    static const struct {
        const char *bytes;
        int is_none;
    } files[] = {{"", 0},
                 {"\n", 0},
                 {"# comment\n", 0},
                 {"#\n \t\r\n", 0},
                 {"%EventDef", 0},
                 {" \t% \tEventDef x\n", 0},
                 {"\xef\xbb\xbf%EventDef\n", 0},
                 {"\xef\xbb\xbf", 0},
                 {"\xef\xbb\xbf# x", 0},
                 {"\xef\xbb", 1},
                 {"x", 1},
                 {"x\n%EventDef\n", 0},
                 {"x\n#\n", 1},
                 {"#\nx", 1},
                 {"%EventDe\n", 1},
                 {"%", 0},
                 {"% Name string\n", 1},
                 {"# %EventDef\nx\n", 1},
                 {"x %EventDef\n", 1},
                 {"%%EventDef\n", 1},
                 {"  x", 1},
                 {" \n\n  %EventDef\n", 0},
                 {"\x1f\x8b", 0},
                 {"\x1f", 1},
                 {"\xfd"
                  "7zXZ",
                  1},
                 {"\x28\xb5\x2f\xfd", 0},
                 {"\x28\xb5\x2f\xfe", 1}};
    int right = paje_is_no_trace("\0", 1) &&
                !paje_is_no_trace("\xfd"
                                  "7zXZ\0",
                                  6) &&
                !paje_is_no_trace("#\n%EventDefx", 9 + 2) && !paje_is_no_trace("%EventDef", 8) &&
                !paje_is_no_trace("\xef\xbb\xbfx", 3) && !paje_is_no_trace(" x", 1) &&
                paje_is_no_trace("% \0EventDef", 11);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        right &= paje_is_no_trace(files[i].bytes, strlen(files[i].bytes)) == files[i].is_none;
    tell("whether the beginning of a file is that of a trace", right);
}

/* ---- the unit of times */

static const char *unit_of(const char *comments)
{
    begin();
    paje_read_comments(&run, comments, strlen(comments));
    return run.comments.unit ? run.comments.unit->name : "";
}

static const char *unit_of_types(const char *const *types)
{
    char line[100];
    begin();
    for (int i = 0; types[i]; i++) {
        snprintf(line, sizeof line, i % 2 ? "0 t%d t%d \"%s\"\n" : "0 t%d %d \"%s\"\n", i, i % 2 ? i - 1 : 0, types[i]);
        feed(line);
    }
    return paje_guess_unit(&run).unit->name;
}

static const char *unit_of_time(const char *time)
{
    char line[100];
    begin();
    snprintf(line, sizeof line, "0 h 0 h\n1 %s a h 0 a\n", time);
    feed(line);
    return paje_guess_unit(&run).unit->name;
}

static void test_units(void)
{
    static const char *const comments[][2] = {{"# unit: ms", "ms"},
                                              {"#unit us\n", "us"},
                                              {"# UNITS are Nanoseconds", "ns"},
                                              {"# Unit of times: s\n# unit: ms\n", "ms"},
                                              {"# unit of all the timestamps is in microsecond", "us"},
                                              {"# time unit for times: Milliseconds", "ms"},
                                              {"# ms unit", ""},
                                              {"# unit tests for us", ""},
                                              {"# unite: ms", ""},
                                              {"# unit second", "s"},
                                              {"# unit Second", "s"},
                                              {"# unit seconds", "s"},
                                              {"# unit sEcond", ""},
                                              {"# unit secondss", ""},
                                              {"# unit", ""},
                                              {"# unit: ", ""},
                                              {"x\n# unit ms", "ms"},
                                              {"x unit ms", ""},
                                              {"#\n\n#unit: us", "us"},
                                              {"# SimGrid", "s"},
                                              {"# simgrid, unit ms", "s"},
                                              {"# by simgrid\n# unit ms\n", "ms"},
                                              {"# unit ms\n# SimGrid", "ms"},
                                              {"# units[us]", "us"},
                                              {"# unit AZaz ms", ""},
                                              {"# unit:m{s", ""},
                                              {"# unit @ms", "ms"},
                                              {"# unit `ms", "ms"},
                                              {"# unit [ms{", "ms"},
                                              {"# unit of\n# ms", ""},
                                              {"# unit of in of is are ms", "ms"}};
    int right = 1;
    for (size_t i = 0; i < sizeof comments / sizeof *comments; i++)
        right &= strcmp(unit_of(comments[i][0]), comments[i][1]) == 0;
    begin();
    paje_read_comments(&run, "# unit: ms", 9); /* the last byte is not there */
    tell("units by comments", right && !run.comments.unit && run.comments_read == UINT64_MAX);
    static const char *const types[][6] = {{"ms", "Scheduler", "Memory Manager", "x", "Memory Node", NULL},
                                           {"ms", "Scheduler State", "Memory Node", "Memory Manager", NULL},
                                           {"s", "Scheduler State", "Memory Node", "Scheduler", NULL},
                                           {"s", "Memory Node", "Memory Manager", NULL},
                                           {"s", "Machine", "Scheduler", "Machine state", NULL},
                                           {"s", "x", NULL},
                                           {"s", NULL}};
    right = 1;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        right &= strcmp(unit_of_types(types[i] + 1), types[i][0]) == 0;
    static const struct {
        const char *types[4], *reason;
    } reasons[] = {{{"Machine", "Scheduler", "Machine state"}, "which Batsim writes"},
                   {{"MSG_PROCESS", "HOST", "LINK"}, "which SimGrid writes"},
                   {{"HOST", "bandwidth", "LINK"}, "which SimGrid writes"},
                   {{"Memory Node", "Scheduler", "Memory Manager"}, "which StarPU writes"},
                   {{"HOST", "bandwidth"}, NULL}};
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++) {
        unit_of_types(reasons[i].types);
        const char *reason = paje_guess_unit(&run).reason;
        right &= reason && reasons[i].reason ? strcmp(reason, reasons[i].reason) == 0 : !reason && !reasons[i].reason;
    }
    tell("units by types", right);
    for (int more = 0; more < 2; more++) {
        begin();
        feed("0 a 0 Machine\n0 b 0 Scheduler\n");
        for (int i = 2; i < 4095 + more; i++) {
            char line[32];
            snprintf(line, sizeof line, "0 t%d 0 t%d\n", i, i);
            feed(line);
        }
        feed("0 c 0 \"Machine state\"\n");
        tell(more ? "units by types: not by more" : "units by 4,096 types",
             (paje_guess_unit(&run).reason == NULL) == more);
    }
    static const char *const first[][2] = {{"0", "s"},       {"1e9", "s"},    {"4.0999e9", "s"},   {"4.2e9", "s"},
                                           {"9.9e11", "s"},  {"1e12", "ms"},  {"4.0999e12", "ms"}, {"1.7e15", "us"},
                                           {"1.7e18", "ns"}, {"4.2e18", "s"}, {"4.1e12", "s"}};
    right = 1;
    for (size_t i = 0; i < sizeof first / sizeof *first; i++)
        right &= strcmp(unit_of_time(first[i][0]), first[i][1]) == 0;
    unit_of_time("1e9");
    const char *reason = paje_guess_unit(&run).reason;
    unit_of_time("999999999");
    tell("units by the first time",
         right && reason && strcmp(reason, "since 1970 as it seems") == 0 && !paje_guess_unit(&run).reason);
    begin();
    right = paje_nanoseconds(&run, 1.5e-9) == 2 && paje_nanoseconds(&run, -1.5e-9) == -2 &&
            paje_nanoseconds(&run, 1.4e-9) == 1 && paje_nanoseconds(&run, -1.4e-9) == -1 &&
            paje_nanoseconds(&run, 0) == 0 && paje_nanoseconds(&run, 8.5e9) == INT64_C(8500000000000000000);
    run.has_told_range = 1;
    right &= paje_nanoseconds(&run, 9e9) == INT64_C(9000000000000000000) &&
             paje_nanoseconds(&run, 1e300) == INT64_C(9000000000000000000) &&
             paje_nanoseconds(&run, -1e10) == INT64_C(-9000000000000000000);
    begin();
    settings.filter.unit = unit_named(text_of("us"));
    tell("times in nanoseconds", right && paje_nanoseconds(&run, 2.5) == 2500);
    settings.filter.has_start = settings.filter.has_end = 1;
    settings.filter.start = 3;
    settings.filter.end = 5;
    right = paje_is_filtered(&settings) && paje_shows_time(&settings, 1e-6, 3e-6) &&
            !paje_shows_time(&settings, 1e-6, 2.9e-6) && paje_shows_time(&settings, 5e-6, 9e-6) &&
            !paje_shows_time(&settings, 5.1e-6, 9e-6) && !(paje_in_seconds(&settings, 3) < 3e-6) &&
            !(paje_in_seconds(&settings, 3) > 3e-6);
    settings.filter.keeps_unit = 1;
    right &=
        paje_shows_time(&settings, 1, 3) && !paje_shows_time(&settings, 1, 2.9) && !paje_shows_time(&settings, 5.1, 9);
    settings.filter.has_start = 0;
    right &= paje_is_filtered(&settings) && isinf(paje_filter_start(&settings)) && !isinf(paje_filter_end(&settings));
    settings.filter.has_start = 1, settings.filter.has_end = 0;
    right &= paje_is_filtered(&settings) && isinf(paje_filter_end(&settings)) && !isinf(paje_filter_start(&settings));
    settings.filter.has_start = 0;
    tell("the range of time", right && !paje_is_filtered(&settings) && paje_shows_time(&settings, -9, -9));
}

/* ---- names */

static void test_names(void)
{
    static const struct {
        const char *value;
        paje_call call;
    } calls[] = {{"MPI_Barrier", CALL_ALL},
                 {"PMPI_ALLREDUCE", CALL_ALL},
                 {"action_bcast", CALL_FROM_ROOT},
                 {"barrier", CALL_ALL},
                 {"barriers", CALL_PLAIN},
                 {"barrie", CALL_PLAIN},
                 {"MPI_Allgather", CALL_ALL},
                 {"MPI_Allgatherv", CALL_ALL},
                 {"MPI_Reduce", CALL_TO_ROOT},
                 {"MPI_Reduce_scatter_block", CALL_ALL},
                 {"MPI_Reduce_s", CALL_PLAIN},
                 {"MPI_", CALL_PLAIN},
                 {"", CALL_PLAIN},
                 {"MPI_MPI_Bcast", CALL_PLAIN},
                 {"MPI_Scan", CALL_SCAN},
                 {"MPI_Exscan", CALL_SCAN},
                 {"MPI_Waitall", CALL_RECEIVES},
                 {"MPI_Wai", CALL_PLAIN},
                 {"MPI_Isend", CALL_PLAIN},
                 {"MPI_Init_thread", CALL_BEGINS},
                 {"MPI_Finalize", CALL_ENDS},
                 {"MPI_Finalized", CALL_PLAIN},
                 {"MPI_Comm_split", CALL_UNTOLD},
                 {"MPI_Gatherv", CALL_TO_ROOT},
                 {"MPI_Scatter", CALL_FROM_ROOT}};
    int right = 1;
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        right &= paje_call_of(text_of(calls[i].value)) == calls[i].call;
    tell("calls of MPI", right && paje_is_collective(CALL_ALL) && paje_is_collective(CALL_SCAN) &&
                             !paje_is_collective(CALL_RECEIVES) && !paje_is_collective(CALL_UNTOLD) &&
                             paje_call_of((pajesim_text){"recvs", 4}) == CALL_RECEIVES);
    tell("names that match", paje_matches("a*", text_of("abc")) && !paje_matches("a*", text_of("ba")) &&
                                 paje_matches("[x", text_of("[x")) && paje_matches("*", (pajesim_text){"a\xff", 2}) &&
                                 !paje_matches("*", (pajesim_text){"a\0b", 3}) && paje_matches("*", text_of("")) &&
                                 !paje_matches("", text_of("a")) && paje_matches("[0-9]?", text_of("1x")));
    static const uint64_t parts[][2] = {{1, 1}, {2, 9}, {2, 10}, {10, 10}, {7, 123}, {0, 0}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        paje_put_part(&got, parts[i][0], parts[i][1]);
    tell("names of parts", is(".1-of-1.2-of-9.02-of-10.10-of-10.007-of-123"));
}

/* ---- paths and lines of a dump */

enum { CONTAINERS = 1300 };

static void test_paths(void)
{
    static char names[CONTAINERS + 1][40], line[400];
    static pajesim_ref refs[CONTAINERS + 1];
    static size_t parents[CONTAINERS + 1];
    begin();
    paje_begin_paths();
    feed("0 h 0 h\n2 e h event\n");
    for (size_t i = 1; i <= CONTAINERS; i++) {
        parents[i] = i > 1 ? (draw(3) ? i - 1 : draw(i)) : 0;
        if (i % 12 == 1)
            parents[i] = draw(2) && i > 1 ? 1 : 0;
        snprintf(names[i], sizeof names[i],
                 i % 4   ? "%zu"
                 : i % 8 ? "a/%zu\\\\"
                         : "/%zu-a-name-of-thirty-bytes-or-so",
                 i);
        /* a type within itself is not there, so the types are as deep as the containers */
        char type[16], above[16], parent[16];
        snprintf(type, sizeof type, "h%zu", i);
        snprintf(above, sizeof above, parents[i] ? "h%zu" : "0", parents[i]);
        snprintf(parent, sizeof parent, parents[i] ? "c%zu" : "0", parents[i]);
        snprintf(line, sizeof line, "0 %s %s %s\n1 0 c%zu %s %s \"%s\"\n", type, above, type, i, type, parent,
                 names[i]);
        feed(line);
        char alias[16];
        snprintf(alias, sizeof alias, "c%zu", i);
        refs[i] = pajesim_find_container(&run.sim, alias, strlen(alias));
    }
    int right = 1, long_paths = 0;
    text_buffer expected = {0};
    for (int i = 0; i < 20000; i++) {
        size_t at = draw(3) ? draw(CONTAINERS) + 1 : (size_t)(i % CONTAINERS) + 1, above[CONTAINERS], depth = 0;
        text_clear(&expected);
        for (size_t k = at; k; k = parents[k])
            above[depth++] = k;
        while (depth-- > 0) {
            text_putc(&expected, '/');
            pajesim_text name = pajesim_name(&run.sim, refs[above[depth]]);
            for (size_t k = 0; k < name.size; k++)
                text_printf(&expected, name.bytes[k] == '/' || name.bytes[k] == '\\' ? "\\%c" : "%c", name.bytes[k]);
        }
        paje_put_path(&got, &run.sim, refs[at]);
        right &= text_is_equal(text_view(&got), text_view(&expected)) && refs[at];
        long_paths += got.size > 120;
        text_clear(&got);
    }
    paje_put_path(&got, &run.sim, pajesim_root(&run.sim));
    paje_put_path(&got, &run.sim, 0);
    tell("paths of containers", right && is("/") && long_paths > 100);

    pajesim_ref type = pajesim_find_type(&run.sim, "e", 1);
    right = type != 0;
    for (size_t size = 0; size < 40; size++) {
        char text[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", plain[100];
        pajesim_entity entity = {.kind = PAJESIM_EVENT, .type = type, .container = refs[1], .start = 1.5, .end = 1.5};
        entity.value_name = (pajesim_text){text + 3, size};
        snprintf(plain, sizeof plain, "Event, 1, event, 1.500000, %.*s", (int)size, text + 3);
        paje_format_entity(&got, &run.sim, &entity, 6);
        right &= is(plain);
    }
    paje_format_number(&got, 0.1, PAJE_EXACT);
    paje_format_number(&got, -0.0, PAJE_EXACT);
    paje_format_number(&got, 1.0 / 3, PAJE_EXACT);
    paje_format_number(&got, -2.5, 0);
    tell("lines of a dump", right && is(", 0.1, 0, 0.33333333333333331, -2"));
    text_free(&expected);
}

/* ---- problems */

static int admit(pajesim_code code, pajesim_severity severity, const char *name)
{
    pajesim_problem problem;
    memset(&problem, 0, sizeof problem);
    problem.code = code;
    problem.severity = severity;
    problem.bytes = text_of(name);
    return paje_admits_problem(&run, &problem, 2);
}

static int admit_error(pajesim_code code, const char *name) { return admit(code, PAJESIM_ERROR, name); }

static void test_problems(void)
{
    pajesim_problem problem;
    memset(&problem, 0, sizeof problem);
    begin();
    problem.line = 12;
    problem.severity = PAJESIM_ERROR;
    problem.text = "wrong";
    paje_format_problem(&got, &run, &problem);
    problem.severity = PAJESIM_WARNING;
    problem.column = 3;
    problem.bytes = text_of("a\tb");
    text_puts(&got, "\n");
    paje_format_problem(&got, &run, &problem);
    tell("a problem as a line", is("t.trace:12:1: error: wrong\nt.trace:12:3: warning: wrong: `a\\tb`"));

    settings.limit = 3;
    int right = 1;
    for (int i = 0; i < 5; i++)
        right &= admit(PAJESIM_E_EVENT_UNKNOWN, PAJESIM_WARNING, "9") == (i < 2);
    for (int i = 0; i < 3; i++)
        right &= admit_error(PAJESIM_E_TYPE_UNKNOWN, "a") == (i == 0);
    right &= admit_error(PAJESIM_E_CONTAINER_UNKNOWN, "a") && !admit_error(PAJESIM_E_CONTAINER_UNKNOWN, "a");
    right &= admit_error(PAJESIM_E_TYPE_UNKNOWN, "b") && !admit_error(PAJESIM_E_TYPE_UNKNOWN, "c") &&
             !admit_error(PAJESIM_E_LINK_PENDING, "a") && !admit_error(PAJESIM_E_TYPE_UNKNOWN, "b");
    paje_put_omitted(&got, &run, 2);
    text_buffer expected = {0};
    const char *type = pajesim_problem_text(PAJESIM_E_TYPE_UNKNOWN),
               *container = pajesim_problem_text(PAJESIM_E_CONTAINER_UNKNOWN);
    text_printf(&expected, "t.trace: warning: 3 more times: %s\nt.trace: error: 2 more times: %s: `a`\n",
                pajesim_problem_text(PAJESIM_E_EVENT_UNKNOWN), type);
    text_printf(&expected, "t.trace: error: 1 more times: %s: `a`\nt.trace: error: 1 more times: %s: `b`\n", container,
                type);
    text_puts(&expected, "t.trace: error: 2 more errors; --limit=0 prints all\n"
                         "t.trace: with -z, links that never get their other ends are no errors\n");
    right &= is(text_string(&expected));
    tell("problems up to a limit, and what was not shown", right && !run.tally.shown && !run.tally.names.used);

    right = admit_error(PAJESIM_E_HEADER_TWICE, "") && admit_error(PAJESIM_E_EVENT_UNKNOWN, "7") &&
            admit_error(PAJESIM_E_HEADER_LINE, "") && !admit_error(PAJESIM_E_EVENT_UNKNOWN, "8") &&
            !admit_error(PAJESIM_E_EVENT_UNKNOWN, "8") && !admit_error(PAJESIM_E_EVENT_UNKNOWN, "7");
    paje_put_omitted(&got, &run, 2);
    const char *event = pajesim_problem_text(PAJESIM_E_EVENT_UNKNOWN);
    text_clear(&expected);
    text_printf(&expected, "t.trace: error: 1 times: %s: `7`\nt.trace: error: 2 times: %s: `8`\n", event, event);
    right &= is(text_string(&expected));
    right &= admit_error(PAJESIM_E_HEADER_WORDS, "") && !admit_error(PAJESIM_E_EVENT_UNKNOWN, "9");
    paje_put_omitted(&got, &run, 2);
    text_clear(&got);
    tell("events whose definition was refused have had their error", right);
    settings.limit = 0;
    right = 1;
    for (int i = 0; i < 9; i++)
        right &= admit_error(PAJESIM_E_TYPE_UNKNOWN, "a");
    right &= admit_error(PAJESIM_E_HEADER_OLD_NAME, "x");
    paje_put_omitted(&got, &run, 2);
    tell("without a limit all are shown", is("t.trace: -n accepts field names of older versions\n") && right);
    text_free(&expected);
}

/* ---- the end of a trace */

/* What is found in a file with an event in each of `lines` lines, then `comments` bytes of comments, and `last`. */
static double end_of(int lines, size_t comments, const char *last)
{
    FILE *file = tmpfile();
    paje_source trace = {0};
    fprintf(file, "%s%%EventDef PajeNewEvent 30\n%% Type string\n%% Time date\n%% Container string\n%% Value string\n"
            "%%EndEventDef\n0 H 0 Host\n2 E H Mark\n1 0 h H 0 h\n", header);
    for (int i = 0; i < lines; i++)
        fprintf(file, "30 E %d.5 h a-value-of-some-length\n", i);
    for (; comments > 0; comments--)
        fputs(comments % 64 ? "#" : "\n", file);
    fputs(last, file);
    fflush(file);
    trace.file = fileno(file);
    trace.length = (uint64_t)ftell(file);
    double end = paje_find_end(&trace);
    fclose(file);
    return end;
}

static int is_unknown(double end) { return end < 0 && isinf(end); }

static void test_endings(void)
{
    int right = end_of(8000, 0, "") < 7992.6 && end_of(8000, 0, "") > 7992.4;
    right &= end_of(8000, 0, "30 E 1e30 h wrong\n") < 7993.6;
    right &= end_of(8000, 0, "30 E 9") < 7992.6 && end_of(8000, 0, "30 E 9") > 7992.4;
    tell("the end: the least of eight times, of whole lines", right);
    const char *far = "30 E 1e30 nix a\n30 E 1e30 nix b\n30 E 1e30 nix c\n30 E 1e30 nix d\n30 E 1e30 nix e\n"
                      "30 E 1e30 nix f\n30 E 1e30 nix g\n30 E 1e30 nix h\n";
    tell("the end: not much later than the middle lets expect",
         end_of(8000, 0, far) > 7999 && end_of(8000, 0, far) < 40000);
    tell("the end: no large file", is_unknown(end_of(800, 0, "")));
    tell("the end: comments hide it", is_unknown(end_of(8000, 65600, "")) && is_unknown(end_of(0, 200000, "")));
    tell("the end: a few times only", is_unknown(end_of(0, 262146, "30 E 1 h x\n")));
}

/* ---- progress */

/* What is shown of a work that began some seconds ago, at byte `first`, and was shown last at `shown`. */
static const char *progress_of(paje_progress it, double seconds, double shown, uint64_t done)
{
    static char text[200];
    FILE *file = tmpfile();
    int kept = dup(STDERR_FILENO);
    it.began = clock_seconds() - seconds;
    it.last = clock_seconds() - shown;
    dup2(fileno(file), STDERR_FILENO);
    paje_show_progress(&it, done);
    stream_end_progress();
    dup2(kept, STDERR_FILENO);
    close(kept);
    rewind(file);
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    return text;
}

static void test_progress(void)
{
    static const struct {
        uint64_t first, total, done; /* in MB */
        const char *text;
    } works[] = {{0, 100, 20, " 20 %  20 MB  2 MB/s  40 s left"},
                 {10, 110, 30, " 20 %  20 MB  2 MB/s  40 s left"},
                 {0, 100, 100, "100 %  100 MB  10 MB/s  0 s left"},
                 {0, 100, 101, "101 MB  10 MB/s"},
                 {0, 0, 20, "20 MB  2 MB/s"},
                 {10, 20, 10, "0 MB  0 MB/s"},
                 {20, 20, 20, "0 MB  0 MB/s"},
                 {0, 218, 20, "  9 %  20 MB  2 MB/s  99 s left"},
                 {0, 221, 20, "  9 %  20 MB  2 MB/s  2 min left"},
                 {0, 10000, 20, "  0 %  20 MB  2 MB/s  83 min left"}};
    int right = 1;
    for (size_t i = 0; i < sizeof works / sizeof *works; i++) {
        paje_progress it = {1, "", 0, 0, works[i].first * 1000000, works[i].total * 1000000};
        const char *text = progress_of(it, 10, 10, works[i].done * 1000000);
        size_t size = strlen(works[i].text);
        if (strncmp(text, works[i].text, size) != 0 || strcmp(text + size, "\r\033[K") != 0) {
            right = 0;
            fprintf(stderr, "`%s`, expected `%s`\n", text, works[i].text);
        }
    }
    tell("progress: share, size, speed, what is left", right);
    paje_progress shown = {1, "writing: ", 0, 0, 0, 0}, hidden = {0, "", 0, 0, 0, 0};
    tell("progress: after a second, and four times in each",
         !*progress_of(shown, 0.9, 9, 5) && !*progress_of(shown, 9, 0.2, 5) && !*progress_of(hidden, 9, 9, 5) &&
             strcmp(progress_of(shown, 1.1, 0.3, 5), "writing: 0 MB  0 MB/s\r\033[K") == 0);
}

int main(void)
{
    program_name = "base";
    test_sets();
    test_beginnings();
    test_units();
    test_names();
    test_paths();
    test_problems();
    test_endings();
    test_progress();
    free(run.arena);
    text_free(&got);
    return failed;
}
