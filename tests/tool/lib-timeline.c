/* Timelines (examples/paje/timeline) of small traces: what is in them exactly, with small limits as well. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/unit.h"
#include "tests/lib/expect.h"
#include "timeline/timeline.h"

static const char header[] =
    "%EventDef PajeDefineContainerType 0\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n"
    "%EventDef PajeDefineStateType 1\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n"
    "%EventDef PajeDefineEventType 2\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n"
    "%EventDef PajeDefineVariableType 3\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n"
    "%EventDef PajeDefineLinkType 4\n% Alias string\n% Type string\n% StartContainerType string\n"
    "% EndContainerType string\n% Name string\n%EndEventDef\n"
    "%EventDef PajeDefineEntityValue 5\n% Alias string\n% Type string\n% Name string\n% Color color\n%EndEventDef\n"
    "%EventDef PajeCreateContainer 6\n% Time date\n% Alias string\n% Type string\n% Container string\n"
    "% Name string\n%EndEventDef\n"
    "%EventDef PajeDestroyContainer 7\n% Time date\n% Type string\n% Name string\n%EndEventDef\n"
    "%EventDef PajeSetState 10\n% Time date\n% Type string\n% Container string\n% Value string\n%EndEventDef\n"
    "%EventDef PajePushState 11\n% Time date\n% Type string\n% Container string\n% Value string\n%EndEventDef\n"
    "%EventDef PajePopState 12\n% Time date\n% Type string\n% Container string\n%EndEventDef\n"
    "%EventDef PajeSetState 15\n% Time date\n% Type string\n% Container string\n% Value string\n% Note string\n"
    "% Size int\n%EndEventDef\n"
    "%EventDef PajeSetVariable 20\n% Time date\n% Type string\n% Container string\n% Value double\n%EndEventDef\n"
    "%EventDef PajeNewEvent 30\n% Time date\n% Type string\n% Container string\n% Value string\n%EndEventDef\n"
    "%EventDef PajeStartLink 40\n% Time date\n% Type string\n% Container string\n% StartContainer string\n"
    "% Value string\n% Key string\n%EndEventDef\n"
    "%EventDef PajeEndLink 41\n% Time date\n% Type string\n% Container string\n% EndContainer string\n"
    "% Value string\n% Key string\n%EndEventDef\n"
    "%EventDef PajeEndLink 42\n% Time date\n% Type string\n% Container string\n% EndContainer string\n"
    "% Value string\n% Key string\n% Tag string\n%EndEventDef\n";

static const char path[] = "build/tests/tool/lib-timeline.trace";
static timeline tl;
static paje_settings settings;
static text_buffer trace, shown;
static int is_begun; /* what timeline_begin() returned */

/* ---- traces */

static void line(const char *format, ...)
{
    char text[1024];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    text_puts(&trace, text);
    text_putc(&trace, '\n');
}

/* Begins a trace, and a timeline with limits that it does not reach. */
static void start(void)
{
    text_clear(&trace);
    text_puts(&trace, header);
    memset(&tl, 0, sizeof tl);
    tl.most_rows = 1000;
    tl.most_pieces = 100000;
    tl.most_links = 1000;
    settings = (paje_settings){.callbacks = TIMELINE_CALLBACKS};
    settings.filter.sees_all = settings.filter.keeps_unit = 1;
}

static void begin(paje_run *run, int number)
{
    (void)number;
    is_begun = timeline_begin(&tl, run);
}

static void end(paje_run *run, int number)
{
    (void)number;
    timeline_finish(&tl, run);
}

static void begin_first(paje_run *run, int number)
{
    begin(run, number);
    timeline_begin_part(&tl, run, text_of("A"));
}

static void begin_second(paje_run *run, int number)
{
    (void)number;
    timeline_begin_part(&tl, run, text_of("B"));
}

static void replay(void (*at_begin)(paje_run *run, int trace), void (*at_end)(paje_run *run, int trace))
{
    FILE *file = fopen(path, "wb");
    fwrite(trace.bytes, 1, trace.size, file);
    fclose(file);
    settings.begin = at_begin;
    settings.end = at_end;
    EXPECT(paje_replay(&settings, path, 0) == 0);
}

static void run(void)
{
    replay(begin, end);
}

/* Two types of containers, one within the other; a type of each kind for the inner one, Thread. */
static void define_types(void)
{
    line("0 H 0 Host\n0 T H Thread\n1 S T State\n2 E T Mark\n3 V T Power\n4 L 0 T T Message");
}

/* ---- what there is */

static void put_piece(const timeline_lane *lane, const lane_piece *piece)
{
    if (lane->kind == PAJESIM_VARIABLE && piece->exact)
        text_printf(&shown, " %g@", piece->least);
    else if (lane->kind == PAJESIM_VARIABLE)
        text_printf(&shown, " %g..%g,%g@", piece->least, piece->most, piece->sum);
    else
        text_printf(&shown, " %.*s@", (int)value_at(&tl, piece->value)->name.size, value_at(&tl,
            piece->value)->name.bytes);
    text_printf(&shown, "%g-%g", piece->start, piece->end);
    if (!piece->exact)
        text_puts(&shown, "~");
    if (piece->time != piece->end - piece->start)
        text_printf(&shown, "=%g", piece->time);
    if (piece->count != 1)
        text_printf(&shown, "x%u", (unsigned)piece->count);
    if (piece->fields) {
        text_putc(&shown, '\'');
        text_append(&shown, timeline_fields(&tl, piece->fields));
        text_putc(&shown, '\'');
    }
}

/* name*members[start-end] and marks: ? is not shown, + is linked, / is a prefix; then lanes, and nodes within. */
static void put_node(uint32_t at)
{
    const timeline_node *node = node_at(&tl, at);
    text_append(&shown, node->name);
    if (node->members > 1) {
        text_puts(&shown, "..");
        text_append(&shown, node->last_name);
        text_printf(&shown, "*%lu", (unsigned long)node->members);
    }
    text_printf(&shown, "[%g-%g]%s%s%s", node->start, node->end, node->is_shown ? "" : "?", node->is_linked ? "+" : "",
                node->is_prefix ? "/" : "");
    for (const timeline_lane *lane = node->lanes; lane; lane = lane->next) {
        text_putc(&shown, '{');
        text_append(&shown, lane->kind == PAJESIM_EVENT ? text_of("events") : type_at(&tl, lane->type)->name);
        if (lane->kind == PAJESIM_STATE)
            text_printf(&shown, ".%lu", (unsigned long)lane->depth);
        text_puts(&shown, lane->is_constant ? " is" : "");
        for (size_t i = 0; i < lane->pieces.count; i++)
            put_piece(lane, &lane->pieces.items[i]);
        text_putc(&shown, '}');
    }
    if (!node->first)
        return;
    text_putc(&shown, '(');
    for (uint32_t child = node->first; child; child = node_at(&tl, child)->next) {
        EXPECT(node_at(&tl, child)->parent == at && node_at(&tl, child)->level == node->level + 1);
        if (child != node->first)
            text_putc(&shown, ' ');
        put_node(child);
    }
    text_putc(&shown, ')');
}

static const char *tree(void)
{
    text_clear(&shown);
    put_node(0);
    text_putc(&shown, '\0');
    return shown.bytes;
}

/* The values, each as name:type:weight, and the colour if it is the trace's. */
static const char *values(void)
{
    text_clear(&shown);
    for (size_t i = 1; i < tl.values.count; i++) {
        const timeline_value *value = &tl.values.items[i];
        text_printf(&shown, "%s%.*s:%.*s:%g", i > 1 ? " " : "", (int)value->name.size, value->name.bytes,
                    (int)type_at(&tl, value->type)->name.size, type_at(&tl, value->type)->name.bytes, value->weight);
        if (value->has_trace_color)
            text_printf(&shown, ":%06lx", (unsigned long)value->color);
    }
    text_putc(&shown, '\0');
    return shown.bytes;
}

/* The links, each as from>to:type:value@start-end, the number of links, the fields. */
static const char *links(void)
{
    text_clear(&shown);
    for (size_t i = 0; i < tl.links.count; i++) {
        const timeline_link *link = &tl.links.items[i];
        pajesim_text from = node_at(&tl, link->from)->name, to = node_at(&tl, link->to)->name;
        pajesim_text value = value_at(&tl, link->value)->name, type = type_at(&tl, link->type)->name;
        text_printf(&shown, "%s%.*s>%.*s:%.*s:%.*s@%g-%g", i ? " " : "", (int)from.size, from.bytes, (int)to.size,
            to.bytes,
                    (int)type.size, type.bytes, (int)value.size, value.bytes, link->start, link->end);
        if (link->count != 1)
            text_printf(&shown, "x%lu", (unsigned long)link->count);
        if (link->fields) {
            text_putc(&shown, '\'');
            text_append(&shown, timeline_fields(&tl, link->fields));
            text_putc(&shown, '\'');
        }
    }
    text_putc(&shown, '\0');
    return shown.bytes;
}

/* The types, each as name:colour:least..most:count, and what it is of. */
static const char *types(void)
{
    text_clear(&shown);
    for (size_t i = 0; i < tl.types.count; i++) {
        const timeline_type *type = &tl.types.items[i];
        text_printf(&shown, "%s%.*s:%06lx:%g..%g:%llu:%.*s%s", i ? " " : "", (int)type->name.size, type->name.bytes,
                    (unsigned long)type->color, type->least, type->most, (unsigned long long)type->count,
                    (int)type->container_type.size, type->container_type.bytes, type->varies ? "~" : "");
    }
    text_putc(&shown, '\0');
    return shown.bytes;
}

static const char *notes(void)
{
    text_clear(&shown);
    timeline_put_notes(&shown, &tl);
    text_putc(&shown, '\0');
    return shown.bytes;
}

static int is_same(const char *got, const char *expected)
{
    if (strcmp(got, expected) == 0)
        return 1;
    fprintf(stderr, "got:      %s\nexpected: %s\n", got, expected);
    return 0;
}

/* ---- a trace of each kind of entity */

static void put_small_trace(void)
{
    define_types();
    line("5 a S alpha \"1 0 0\"\n5 d S delta \"0 1 0\"\n6 0 h H 0 h\n6 1 t T h t\n6 1 u T h u\n10 1 S t a\n"
         "11 2 S t b\n12 3 S t\n10 4 S t d");
    line("15 1 S u d \"two words\" 7\n20 1 V u 5\n20 3 V u 7\n20 2 V t 0\n30 2.5 E u hit\n40 2 L 0 t m k\n"
         "42 3 L 0 u m k tag");
    line("7 5 T t\n7 6 T u\n7 7 H h");
}

static void test_all(void)
{
    start();
    put_small_trace();
    run();
    EXPECT(is_begun == 1 && is_same(tree(), "0[0-0](h[0-7]("
        "t[1-5]+{State.0 alpha@1-4 delta@4-5}{State.1 b@2-3}{State.8 alpha@2-3=-1x0 b@2-3}{Power 0@2-5} "
        "u[1-6]+{events hit@2.5-2.5}{State.0 delta@1-6'Note: two words, Size: 7'}{Power 5@1-3 7@3-6}))"));
    EXPECT(is_same(values(), "alpha:State:3:ff0000 delta:State:6:00ff00 b:State:1 hit:Mark:1 m:Message:1"));
    EXPECT(is_same(links(), "t>u:Message:m@2-3'Tag: tag'"));
    EXPECT(is_same(types(), "0:b8b8b8:0..0:0: Host:b8b8b8:0..0:0: Thread:b8b8b8:0..0:0: "
        "State:b8b8b8:0..0:4:Host/Thread "
                            "Mark:edc948:0..0:1:Host/Thread Power:59a14f:0..7:3:Host/Thread~ Message:333333:0..0:1:0"));
    EXPECT(tl.first == 0 && tl.last == 7 && !tl.is_instant && tl.seconds == 1 && tl.pieces == 10 && tl.changes == 8);
    EXPECT(tl.containers == 3 && tl.tree.nodes == 4 && tl.tree.rows == 5 && tl.bin == 0 && tl.most_members == 1);
    EXPECT(is_same(notes(), ""));
    report("tool timeline: ", "all of a small trace");
}

/* ---- ranges and filters */

static void keep(const char *container, const char *type)
{
    if (container)
        *array_push(&settings.filter.containers) = container;
    if (type)
        *array_push(&settings.filter.types) = type;
}

static void between(double from, double to)
{
    settings.filter.has_start = !isinf(from);
    settings.filter.has_end = !isinf(to);
    settings.filter.start = from;
    settings.filter.end = to;
}

static void test_filters(void)
{
    static const struct {
        double from, to;
        const char *tree;
        double first, last;
    } ranges[] = {
        {2.25, 2.75, "0[0-0](h[0-7]("
            "t[1-5]+{State.0 alpha@1-4}{State.1 b@2-3}{State.8 b@2-3 alpha@2-3=-1x0}{Power is 0@2-5} "
            "u[1-6]+{events hit@2.5-2.5}{State.0 delta@1-6'Note: two words, Size: 7'}{Power is 5@1-3}))", 2.25, 2.75},
        {-HUGE_VAL, 0.5, "0[0-0](h[0-7])", 0, 0.5},
        {-HUGE_VAL, 1, "0[0-0](h[0-7](t[1-5]{State.0 alpha@1-4} u[1-6]{State.0 delta@1-6'Note: two words, Size: "
            "7'}{Power is 5@1-3}))",
         0, 1},
        {5.5, HUGE_VAL, "0[0-0](h[0-7]/(u[1-6]{State.0 delta@1-6'Note: two words, Size: 7'}{Power is 7@3-6}))", 5.5, 7},
        {8, HUGE_VAL, "0[0-0]", 8, 9}, {-HUGE_VAL, -3, "0[0-0]", -4, -3}, {8, 9.5, "0[0-0]", 8, 9.5},
    };
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        start();
        put_small_trace();
        between(ranges[i].from, ranges[i].to);
        run();
        EXPECT(is_begun == 1 && is_same(tree(), ranges[i].tree));
        EXPECT(tl.first == ranges[i].first && tl.last == ranges[i].last && tl.is_instant == (i == 4));
    }
    start();
    between(2, 2);
    replay(begin, NULL);
    EXPECT(is_begun == 0);
    report("tool timeline: ", "ranges of time");

    start();
    put_small_trace();
    keep("u", NULL);
    run();
    EXPECT(is_same(tree(), "0[0-0](h[0-7]/(u[1-6]{events hit@2.5-2.5}{State.0 delta@1-6'Note: two words, Size: 7'}"
                           "{Power 5@1-3 7@3-6}))"));
    EXPECT(tl.outer_links == 1 && tl.links.count == 0 && tl.first == 0 && tl.last == 7 && tl.containers == 2);
    EXPECT(is_same(notes(), "Left out: links with an end on a container that is not drawn (1).\n"));
    start();
    put_small_trace();
    keep("h", NULL);
    run();
    EXPECT(is_same(links(), "t>u:Message:m@2-3'Tag: tag'") && tl.containers == 3 && tl.outer_links == 0);
    start();
    put_small_trace();
    keep(NULL, "Mark");
    keep(NULL, "Mess*");
    run();
    EXPECT(is_same(tree(), "0[0-0](h[0-7](t[1-5]+ u[1-6]+{events hit@2.5-2.5}))"));
    EXPECT(is_same(values(), "hit:Mark:1 m:Message:1"));
    start();
    line("0 T 0 Thread\n1 S T State\n4 L 0 T T Message\n6 0 o T 0 other\n6 0 a T 0 a\n6 0 b T 0 b\n6 0 c T 0 c");
    line("40 1 L 0 o m k\n41 2 L 0 a m k\n40 1 L 0 a m 2\n41 3 L 0 o m 2\n40 1 L 0 c m 3\n41 3 L 0 b m 3\n"
         "40 2 L 0 a m 4\n41 3 L 0 b m 4\n7 9 T a\n7 8 T b");
    keep("a", NULL);
    keep("b", NULL);
    run();
    EXPECT(is_same(links(), "a>b:Message:m@2-3") && tl.outer_links == 3 && tl.last == 9);
    start();
    line("0 T 0 Thread\n2 E T Mark\n6 1 t T 0 t\n30 1 E t x\n7 2 T t");
    between(-HUGE_VAL, 1);
    run();
    EXPECT(tl.is_instant && tl.first == 1 && tl.last == 2 && is_same(tree(), "0[0-0](t[1-2]{events x@1-1})"));
    start();
    line("0 T 0 Thread\n2 E T Mark\n1 R 0 Root\n6 1 t T 0 t\n30 1 E t x\n10 2 R 0 a\n30 5 E t x\n30 6 E t y\n7 7 T t");
    between(-HUGE_VAL, 5);
    run();
    EXPECT(is_same(tree(), "0[0-0]{Root.0 a@2-7}(t[1-7]{events x@1-1 x@5-5})") && tl.first == 1);
    EXPECT(is_same(values(), "x:Mark:2 a:Root:5"));
    start(); /* 12 of the containers around one are there */
    line("0 T1 0 T1\n6 0 c1 T1 0 c1");
    for (int i = 2; i <= 15; i++)
        line("0 T%d T%d T%d\n6 0 c%d T%d c%d c%d", i, i - 1, i, i, i, i - 1, i);
    keep("c15", NULL);
    run();
    EXPECT(tl.containers == 13 && tl.deep_containers == 1 && text_is_equal(node_at(&tl, 1)->name, text_of("c3")));
    report("tool timeline: ", "filters");
}

/* ---- containers that share rows */

static void put_threads(int count, const char *of, const char *prefix)
{
    for (int i = 0; i < count; i++)
        line("6 0 %s%d T %s %s%d", prefix, i, of, prefix, i);
}

static void test_tree(void)
{
    /* Six rows become three where the fourth one is made; then two more containers, of which the second joins the
     * first. */
    start();
    line("0 T 0 Thread\n1 S T State\n4 L 0 T T M");
    put_threads(6, "0", "t");
    tl.most_rows = 3;
    line("40 0 L 0 t1 m k\n41 1 L 0 t3 m k");
    for (int i = 0; i < 6; i++)
        line("11 %d S t%d v\n12 %d S t%d", i + 1, i, i + 2, i);
    line("6 9 x T 0 x\n11 9 S x w\n12 9.5 S x\n6 9 y T 0 y\n11 9 S y w\n12 9.5 S y");
    line("40 9 L 0 t5 m k\n41 9.5 L 0 y m k");
    for (int i = 0; i < 6; i++)
        line("7 %d T t%d", 10 + i, i);
    run();
    EXPECT(is_same(links(), "t0>t0:M:m@0-1 t4>t4:M:m@9-9.5") && tl.pieces == 8);
    EXPECT(is_same(tree(), "0[0-0](t0..t3*4[0-13]+{State.0 v@1-2 v@2-3 v@3-4 v@4-5} t4..y*4[0-15]+{State.0 v@5-6 "
        "v@6-7 w@9-9.5 w@9-9.5})"));
    EXPECT(tl.tree.nodes == 3 && tl.tree.rows == 2 && tl.tree.group[1] == 4 && tl.containers == 8 &&
        tl.most_members == 4);
    report("tool timeline: ", "siblings share rows");

    /* The level of most rows is merged: of threads here, */
    start();
    line("0 H 0 Host\n0 T H Thread\n1 S T State\n6 0 h H 0 h\n6 0 i H 0 i");
    put_threads(3, "h", "t");
    put_threads(3, "i", "u");
    tl.most_rows = 5;
    for (int i = 0; i < 3; i++)
        line("10 %d S t%d v\n10 %d S u%d v", i, i, i, i);
    line("7 3 H h\n7 3 H i");
    run();
    EXPECT(is_same(tree(), "0[0-0](h[0-3](t0..t1*2[0-3]{State.0 v@0-3 v@1-3} t2[0-3]{State.0 v@2-3}) "
                           "i[0-3](u0..u1*2[0-3]{State.0 v@0-3 v@1-3} u2[0-3]{State.0 v@2-3}))"));
    EXPECT(tl.tree.nodes == 7 && tl.tree.rows == 4 && tl.tree.group[1] == 0 && tl.tree.group[2] == 2);
    /* and of hosts here, though they are fewer; what is within them comes together, the elder one's first. */
    start();
    line("0 H 0 Host\n0 T H Thread\n1 S T State\n1 R H A\n1 Q H B\n1 P H C\n6 0 h H 0 h\n6 0 i H 0 i");
    put_threads(2, "h", "t");
    put_threads(2, "i", "u");
    tl.most_rows = 9;
    line("10 0 S t0 v\n10 0 S t1 v\n10 0 S u0 v\n10 0 S u1 v\n10 1 R h a\n10 1 Q h b\n10 1 P h c\n10 2 R i a\n"
         "10 2 Q i b\n10 2 P i c\n7 3 H h\n7 3 H i");
    run();
    EXPECT(is_same(tree(), "0[0-0](h..i*2[0-3]{A.0 a@1-3 a@2-3}{B.0 b@1-3 b@2-3}{C.0 c@1-3 c@2-3}(t0[0-3]{State.0 "
        "v@0-3} "
                           "t1[0-3]{State.0 v@0-3} u0[0-3]{State.0 v@0-3} u1[0-3]{State.0 v@0-3}))"));
    EXPECT(tl.tree.nodes == 6 && tl.tree.rows == 7 && tl.tree.group[1] == 2 && tl.tree.group[2] == 0);
    report("tool timeline: ", "siblings of the level of most rows");

    /* Siblings of other types are merged where there are none of the same one. */
    start();
    line("0 A 0 A\n0 B 0 B\n0 C 0 C\n1 S A S\n1 T B T\n1 U C U\n6 0 a A 0 a\n6 0 b B 0 b\n6 0 c C 0 c");
    tl.most_rows = 2;
    line("10 0 S a v\n10 1 T b w\n10 2 U c x\n7 3 A a\n7 3 B b\n7 3 C c");
    run();
    EXPECT(is_same(tree(), "0[0-0](a..c*3[0-3]{S.0 v@0-3}{T.0 w@1-3}{U.0 x@2-3})"));
    EXPECT(tl.tree.nodes == 2 && tl.tree.rows == 3 && tl.tree.least_rows == 6 && tl.tree.group[1] == 4 &&
        tl.most_members == 3);
    /* The tenth row of the lowest level, and four merges. */
    start();
    line("0 T1 0 T1\n6 0 c1 T1 0 c1");
    for (int i = 2; i <= 12; i++)
        line("0 T%d T%d T%d", i, i - 1, i);
    for (int i = 2; i <= 11; i++)
        line("6 0 c%d T%d c%d c%d", i, i, i - 1, i);
    line("1 S T12 State");
    tl.most_rows = 3;
    for (int i = 0; i < 40; i++)
        line("6 0 d%d T12 c11 d%d", i, i);
    for (int i = 0; i < 40; i++)
        line("11 %d S d%d v\n12 %d S d%d", i, i, i + 1, i);
    run();
    EXPECT(tl.tree.group[12] == 16 && tl.tree.group[11] == 0 && tl.tree.nodes == 15 && tl.pieces == 40);
    /* Containers that have ended before they share a row; and one that began before its elder sibling. */
    start();
    line("0 T 0 Thread\n1 S T State");
    put_threads(2, "0", "t");
    tl.most_rows = 2;
    line("11 0 S t0 v\n12 1 S t0\n11 0 S t1 v\n12 1 S t1\n7 5 T t0\n7 6 T t1\n6 7 u T 0 u\n11 7 S u v\n12 8 S u\n7 "
        "9 T u");
    run();
    EXPECT(is_same(tree(), "0[0-0](t0..t1*2[0-6]{State.0 v@0-1 v@0-1} u[7-9]{State.0 v@7-8})"));
    EXPECT(timeline_living(&tl, node_at(&tl, 1)) == 11 / 6.0 && timeline_living(&tl, node_at(&tl, 3)) == 1);
    /* How many are there at a time; before the range they do not count. */
    for (int k = 0; k < 3; k++) {
        start();
        line("0 T 0 Thread\n1 S T State");
        tl.most_rows = 1;
        if (k == 1)
            between(1.5, 3.5);
        for (int i = 0; i < 4; i++)
            line("6 %d t%d T 0 t%d\n11 %d S t%d v\n12 %d S t%d\n7 %d T t%d", i, i, i, i, i, i + 1, i,
                 k == 2 ? 4 : i + 1, i);
        run();
        EXPECT(node_at(&tl, 1)->members == (k == 1 ? 3 : 4) &&
               timeline_living(&tl, node_at(&tl, 1)) == (k < 2 ? 1 : 2.5));
    }
    for (int k = 0; k < 2; k++) {
        start();
        line("0 H 0 Host\n0 T H Thread\n1 S H State\n6 0 h H 0 h");
        line(k ? "6 1 x1 H 0 x1\n6 1 x2 H 0 x2\n6 1 x3 H 0 x3" : "6 1 x1 H 0 x1");
        tl.most_rows = 1;
        keep("x*", NULL);
        line("11 1 S x1 v\n12 2 S x1");
        if (k)
            line("11 1 S x2 v\n12 2 S x2");
        line("6 3 x4 T h x4\n1 R T Inner\n11 3 R x4 v\n12 4 R x4");
        run();
        EXPECT(is_same(tree(), k ? "0[0-0](x1..h*4[0-4]{State.0 v@1-2 v@1-2}(x4[3-4]{Inner.0 v@3-4}))" :
            "0[0-0](x1..h*2[0-4]{State.0 v@1-2}(x4[3-4]{Inner.0 v@3-4}))"));
    }
    /* A container within one that shares a row by then. */
    start();
    line("0 H 0 Host\n0 T H Thread\n1 S H State\n6 0 h H 0 h\n6 0 i H 0 i");
    tl.most_rows = 1;
    line("11 0 S h v\n12 1 S h\n11 0 S i v\n12 1 S i\n6 1 x T i x\n7 3 H h\n7 3 H i");
    run();
    EXPECT(is_same(tree(), "0[0-0](h..i*2[0-3]{State.0 v@0-1 v@0-1}(x[1-3]?))"));
    report("tool timeline: ", "siblings of other types");

    /* Nested states become the time of innermost ones; all that is linked stays so. */
    start();
    line("0 T 0 Thread\n1 S T State\n1 R T Other\n4 L 0 T T Message");
    put_threads(3, "0", "t");
    tl.most_rows = 2;
    line("11 0 S t0 a\n11 1 S t0 b\n12 2 S t0\n12 4 S t0\n40 1 L 0 t1 m k\n41 2 L 0 t2 m k");
    line("11 1 S t1 a\n11 2 S t1 b\n12 3 S t1\n12 4 S t1\n11 1 S t2 a\n11 2 S t2 b\n12 5 S t2\n12 6 S t2");
    line("6 6 x T 0 x\n11 6 S x a\n11 7 S x b\n12 8 S x\n12 9 S x\n7 9 T t0");
    run();
    EXPECT(is_same(tree(), "0[0-0](t0..t1*2[0-9]+{State.0 a@0-4 a@1-2=-1x0 a@1-4 b@1-2 a@2-3=-1x0 b@2-3} "
                           "t2..x*2[0-9]+{State.0 a@1-6 a@2-5=-3x0 b@2-5 a@6-9 a@7-8=-1x0 b@7-8})"));
    report("tool timeline: ", "nested states of containers that share a row");
}

/* Whether events and variables are left out at 9 rows, of which one is of states. */
static int drops(int rows, int nested)
{
    start();
    line("0 T 0 Thread\n1 S T State\n2 E T Event\n6 0 t T 0 t\n11 0 S t a");
    if (nested)
        line("11 1 S t b\n12 2 S t");
    line("12 2.5 S t");
    tl.most_rows = (size_t)rows - 1;
    for (int i = 2; i < rows; i++)
        line("3 V%d T V%d\n20 3 V%d t %d", i, i, i, i);
    for (int i = 2; i < rows; i++)
        line("20 4 V%d t %d", i, i);
    line("30 5 E t e\n30 6 E t e\n7 9 T t");
    run();
    return tl.states_only;
}

static void test_dropped(void)
{
    EXPECT(drops(8, 0) == 1 && tl.dropped == 14 && tl.tree.rows == 1); /* six variables twice, two events */
    EXPECT(tl.pieces == 1 && tl.tree.least_rows == 0);
    EXPECT(is_same(tree(), "0[0-0](t[0-9]{State.0 a@0-2.5})"));
    EXPECT(drops(8, 1) == 1 && tl.tree.rows == 1);
    EXPECT(is_same(tree(), "0[0-0](t[0-9]{State.0 a@0-2.5}{State.1 b@1-2}{State.8 a@1-2=-1x0 b@1-2})"));
    EXPECT(is_same(notes(), "Left out, as there are too many rows: events and variables; --type draws those of one "
        "type.\n"));
    EXPECT(drops(9, 0) == 0 && drops(9, 1) == 0 && tl.dropped == 0 && tl.tree.rows == 9 && tl.tree.least_rows == 18);
    report("tool timeline: ", "events and variables of too many rows");
}

/* Containers without rows: as many as there are nodes at most, and more. */
static void test_nodes(void)
{
    static const struct {
        int containers, nodes, members; /* members: of each but the last */
    } cases[] = {{8191, 8191, 1}, {8192, 4096, 2}, {8200, 4100, 2}, {16382, 8191, 2}, {16384, 4096, 4}, {20000,
        5000, 4}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        start();
        line("0 T 0 Thread");
        put_threads(cases[i].containers, "0", "t");
        run();
        EXPECT(tl.tree.nodes == 1 + (size_t)cases[i].nodes && tl.containers == (uint64_t)cases[i].containers);
        int nodes = 0, members = 0, alike = 1;
        for (uint32_t child = node_at(&tl, 0)->first; child; child = node_at(&tl, child)->next) {
            char first[16], last[16];
            snprintf(first, sizeof first, "t%d", members);
            members += (int)node_at(&tl, child)->members;
            snprintf(last, sizeof last, "t%d", members - 1);
            alike &= text_is_equal(node_at(&tl, child)->name, text_of(first)) &&
                     text_is_equal(node_at(&tl, child)->last_name, text_of(last));
            nodes++;
            alike &= (int)node_at(&tl, child)->members == cases[i].members;
        }
        EXPECT(nodes == cases[i].nodes && members == cases[i].containers && alike);
    }
    report("tool timeline: ", "more containers than nodes");

    /* A container joins a sibling of its type if no more than 16 others came between. */
    for (int between_them = 16; between_them < 18; between_them++) {
        start();
        line("0 T 0 Thread\n1 S T State");
        put_threads(2, "0", "t");
        tl.most_rows = 1;
        line("11 0 S t0 v\n12 1 S t0\n11 0 S t1 v\n12 1 S t1\n6 0 x T 0 x");
        for (int i = 0; i < between_them; i++)
            line("0 W%d 0 W%d\n6 0 w%d W%d 0 w%d", i, i, i, i, i);
        line("6 0 y T 0 y");
        run();
        EXPECT(tl.tree.nodes == (size_t)(between_them == 16 ? 19 : 21));
    }
    report("tool timeline: ", "siblings are looked for among the latest");

    /* Two levels too many. */
    start();
    line("0 T1 0 T1\n6 0 c1 T1 0 c1");
    for (int i = 2; i <= 14; i++)
        line("0 T%d T%d T%d\n6 0 c%d T%d c%d c%d\n1 S%d T%d S", i, i - 1, i, i, i, i - 1, i, i, i);
    line("11 0 S12 c12 a\n11 1 S12 c12 b\n12 2 S12 c12\n12 3 S12 c12\n11 4 S14 c14 x\n12 5 S14 c14\n7 9 T1 c1");
    run();
    EXPECT(tl.deep_containers == 2 && tl.tree.nodes == 13 && tl.containers == 14);
    text_clear(&shown);
    for (uint32_t at = 0; (at = node_at(&tl, at)->first) != 0 && !node_at(&tl, at)->lanes;)
        text_clear(&shown);
    EXPECT(node_at(&tl, 12)->level == 12 && node_at(&tl, 12)->members == 3);
    text_clear(&shown);
    put_node(12);
    text_putc(&shown, '\0');
    EXPECT(is_same(shown.bytes, "c12..c12*3[0-9]{S.0 a@0-3 a@1-2=-1x0 b@1-2}{S.0 x@4-5}"));
    EXPECT(is_same(notes(), "14 containers: up to 3 of them share a row.\nContainers more than 12 levels deep are "
        "drawn as parts of their ancestors.\n"));
    report("tool timeline: ", "containers too deep");
}

/* ---- pieces of time */

static int origin; /* of the states below */
static double unit = 1; /* of their times */

/* Whether there is a state in each unit of time, one after the other, in bins of this width, of two values each. */
static int has_bins(double width, int count)
{
    const timeline_lane *lane = node_at(&tl, 1)->lanes;
    int is_right = tl.bin == unit * width && tl.pieces == 2 * (size_t)count && lane->pieces.count == tl.pieces;
    for (size_t i = 0; i < lane->pieces.count && is_right; i++) {
        const lane_piece *piece = &lane->pieces.items[i];
        is_right = !piece->exact && piece->start == unit * (origin + width * (double)(i / 2)) &&
                   piece->end - piece->start == unit * width && piece->time == unit * width / 2 &&
                   piece->count == width / 2;
    }
    return is_right;
}

static void put_states(int count, const char *inner)
{
    line("0 T 0 Thread\n1 S T State\n6 %.16g t T 0 t", unit * origin);
    for (int i = 0; i < count; i++) {
        line("11 %.16g S t %c", unit * (origin + i), "ab"[i % 2]);
        if (inner)
            line("11 %g S t %s\n12 %g S t", i + 0.25, inner, i + 0.75);
        line("12 %.16g S t", unit * (origin + i + 1));
    }
    line("7 %.16g T t", unit * (origin + count));
}

static void test_bins(void)
{
    /* The 1,025th state is the first too many.  Bins of 4 have 514 pieces then, no more than three quarters of the
     * limit, which bins of 2 have.  At the 2,049th state there are 1,026 pieces, and bins of 8 have half as many. */
    static const struct {
        int states;
        double width;
        int bins;
    } cases[] = {{1024, 0, 0}, {1028, 4, 257}, {2048, 4, 512}, {2056, 8, 257}, {2560, 8, 320}};
    for (size_t k = 0, i = 0; k < 3 * sizeof cases / sizeof *cases; k++, i = k / 3) {
        start();
        origin = k % 3 == 1 ? 65536 : k % 3 == 2 ? -65536 : 0;
        unit = k % 3 == 0 ? 1.0 / 64 : 1;
        tl.most_pieces = 1024;
        put_states(cases[i].states, NULL);
        run();
        EXPECT(cases[i].bins ? has_bins(cases[i].width, cases[i].bins) : tl.bin == 0 && tl.pieces == 1024);
        EXPECT(!tl.is_flat && tl.first == unit * origin && tl.last == unit * (origin + cases[i].states));
    }
    EXPECT(is_same(notes(), "What is shorter than 8 s is summed up in bins of that width.\n"));
    origin = 0;
    EXPECT(is_same(values(), "a:State:1280 b:State:1280"));
    report("tool timeline: ", "bins become wider");

    /* The last lines of a large trace tell where it ends, unless filters leave those out. */
    for (int is_filtered = 0; is_filtered < 3; is_filtered++) {
        start();
        tl.most_pieces = 1024;
        const char *all = "*";
        if (is_filtered == 1)
            settings.filter.types.items = &all, settings.filter.types.count = 1;
        settings.filter.has_end = is_filtered == 2;
        settings.filter.end = 10000;
        put_states(10000, NULL);
        run();
        EXPECT(tl.bin == 32 && tl.last == 10000);
        EXPECT(tl.expected == (is_filtered ? -HUGE_VAL : 9997));
    }
    settings.filter.types.count = 0;
    report("tool timeline: ", "bins as wide as the end needs");

    /* Where bins suffice, they are made once four times as many pieces are expected as there may be; of pieces at one
     * instant, nothing is. */
    static const struct {
        int at_once, length;
        double width;
    } expected[] = {{0, 4096, 0}, {0, 4200, 8}, {1, 9000, 0}};
    for (size_t k = 0, i = 0; k < 2 * sizeof expected / sizeof *expected; k++, i = k / 2) {
        start();
        origin = k % 2 ? 65536 : 0;
        tl.most_pieces = 1024;
        tl.bins_suffice = 1;
        line("0 T 0 Thread\n2 E T Event\n6 %d t T 0 t", origin);
        for (int piece = 0; piece < 129; piece++)
            line("30 %d E t v", expected[i].at_once ? origin : origin + 1 + piece);
        for (int piece = 0; piece < 16; piece++) {
            for (int comment = 0; comment < 100 && piece % 8 == 0; comment++)
                line("#%700s", "");
            line("30 %d E t v", origin + expected[i].length);
        }
        run();
        EXPECT(tl.expected == origin + expected[i].length && tl.bin == expected[i].width);
    }
    origin = 0;
    report("tool timeline: ", "bins where many pieces are expected");

    /* Each 17th of many lanes tells how many pieces would be left: here those with short states, of which few are. */
    start();
    tl.most_pieces = 3072;
    line("0 T 0 Thread\n1 S T State");
    put_threads(187, "0", "t");
    for (int lane = 0; lane < 187; lane++)
        if (lane == 0 || lane % 17 != 0)
            line("11 0 S t%d a\n12 4096 S t%d", lane, lane);
    for (int lane = 17; lane < 187; lane += 17)
        for (int piece = 0; piece < 300; piece++)
            line("11 %g S t%d a\n12 %g S t%d", 4096 + piece * 0.01, lane, 4096.005 + piece * 0.01, lane);
    replay(begin, NULL);
    EXPECT(tl.bin == 1 && tl.pieces < 400);
    report("tool timeline: ", "bins by some of many lanes");

    /* Most of what is too many are values of one bin, of which 24 are left, so that the bins need not be wider. */
    for (int k = 0; k < 2; k++) {
        start();
        unit = k ? 1.0 / 64 : 1;
        tl.most_pieces = 1024;
        put_states(1028, NULL);
        trace.size -= strlen(k ? "7 16.0625 T t\n" : "7 1028 T t\n");
        for (int i = 0; i < 513; i++)
            line("11 %.16g S t v%d\n12 %.16g S t", unit * (1028 + i / 256.0), i, unit * (1028 + (i + 1) / 256.0));
        replay(begin, NULL);
        EXPECT(tl.bin == unit * 4 && tl.pieces == 540);
    }
    unit = 1;
    report("tool timeline: ", "too many values of a bin");

    /* With nested states: few bins are left, so that only the innermost states are kept. */
    start();
    tl.most_pieces = 64;
    put_states(64, "c");
    run();
    EXPECT(tl.is_flat && is_same(values(), "a:State:16 c:State:32 b:State:16"));
    EXPECT(node_at(&tl, 1)->lanes && !node_at(&tl, 1)->lanes->next);
    EXPECT(tl.bin == 4 && tl.pieces == 48 && node_at(&tl, 1)->lanes->pieces.count == 48);
    for (size_t i = 0; i < 48; i++) { /* of each bin: a, c, b */
        const lane_piece *piece = &node_at(&tl, 1)->lanes->pieces.items[i];
        EXPECT(piece->start == (double)(4 * (i / 3)) && piece->end == piece->start + 4 && !piece->exact);
        EXPECT(piece->value == 1 + i % 3 && piece->time == (i % 3 == 1 ? 2 : 1) &&
            piece->count == (i % 3 == 1 ? 4 : 2));
    }
    EXPECT(is_same(notes(), "What is shorter than 4 s is summed up in bins of that width.\n"
                            "All states are summed up, the innermost ones only, as there are too many rows.\n"));
    /* A state that covers 16 bins is in one piece, and at last in one for each of them. */
    for (int k = 0; k < 2; k++) {
        start();
        tl.most_pieces = 64;
        put_states(64, "c");
        trace.size -= strlen("7 64 T t\n");
        line("11 64 S t d\n12 128 S t");
        replay(begin, k ? end : NULL);
        EXPECT(tl.bin == 4 && tl.pieces == (k ? 64 : 49));
    }
    /* Five values do not fit, however wide bins are. */
    start();
    tl.most_pieces = 2;
    line("0 T 0 Thread\n1 S T State\n6 0 t T 0 t");
    for (int i = 0; i < 5; i++)
        line("11 %d S t v%d\n12 %d S t", i, i, i + 1);
    run();
    EXPECT(tl.bin == 16 && is_same(tree(), "0[0-0](t[0-5]{State.0 v0@0-16~=1 v1@0-16~=1 v2@0-16~=1 v3@0-16~=1 "
        "v4@0-16~=1})"));
    /* Bins of 1 would be fewer than 128, so that depths are given up for bins of half of that, which are one per
     * state. */
    start();
    tl.most_pieces = 1024;
    line("0 T 0 Thread\n1 S T State\n6 0 t T 0 t");
    for (int i = 0; i < 104; i++) {
        line("11 %d S t a\n11 %d S t a\n11 %d S t a\n11 %d S t a", i, i, i, i);
        line("12 %d S t\n12 %d S t\n12 %d S t\n12 %d S t", i + 1, i + 1, i + 1, i + 1);
    }
    run();
    EXPECT(tl.bin == 0.5 && tl.is_flat && tl.pieces == 208 && is_same(values(), "a:State:104"));
    /* The limit is of all lanes together. */
    start();
    tl.most_pieces = 64;
    line("0 T 0 Thread\n1 S T State");
    put_threads(3, "0", "t");
    for (int i = 0; i < 200; i++)
        line("11 %d S t%d %c\n12 %d S t%d", i, i % 3, "abcd"[i % 4], i + 1, i % 3);
    replay(begin, NULL);
    size_t sum = 0;
    for (uint32_t i = 1; i < 4; i++)
        sum += node_at(&tl, i)->lanes->pieces.count;
    EXPECT(sum == tl.pieces && sum <= 64);
    report("tool timeline: ", "innermost states in bins");
}

/* ---- what has something to show */

static void test_shown(void)
{
    start();
    line("0 T 0 Thread\n3 V T Power\n3 W T Heat\n3 U T Late\n6 0 a T 0 a\n6 0 b T 0 b\n6 0 c T 0 c");
    line("20 0 V a 0\n20 0 V b 0\n20 0 W a -2\n20 50 W a -2\n20 0 U a 3\n20 1 U b 3\n20 1.1 U c 3\n7 100 T a\n"
         "7 100 T b\n7 100 T c");
    run();
    EXPECT(is_same(tree(), "0[0-0](a[0-100]{Heat is -2@0-50 -2@50-100}{Late is 3@0-100} b[0-100]{Late is 3@1-100} "
        "c[0-100]{Late 3@1.1-100})"));
    EXPECT(tl.flat_variables == 2 && tl.empty_containers == 0 && tl.lines == 0 && tl.empty_links == 0);
    EXPECT(is_same(notes(), "Left out: variables that are 0 throughout (2).\n"));
    start();
    line("0 T 0 Thread\n3 V T Power\n3 W T Heat\n6 0 a T 0 a\n6 0 b T 0 b\n20 0 V a 1\n20 5 V a 2\n20 7 V a 1\n"
         "20 0 V b 3\n20 4 V b 2\n20 0 W b 2\n20 4 W b 3\n7 9 T a\n7 9 T b");
    run();
    EXPECT(is_same(tree(), "0[0-0](a[0-9]{Power 1@0-5 2@5-7 1@7-9} b[0-9]{Power 3@0-4 2@4-9}{Heat 2@0-4 3@4-9})"));
    EXPECT(is_same(types(), "0:b8b8b8:0..0:0: Thread:b8b8b8:0..0:0: Power:59a14f:0..3:5:Thread~ "
        "Heat:86bcb6:0..3:2:Thread~"));
    start();
    line("0 T 0 Thread\n3 V T Power\n6 1000 a T 0 a\n20 1010 V a 2\n7 1100 T a");
    run();
    EXPECT(is_same(tree(), "0[0-0](a[1000-1100]{Power 2@1010-1100})"));
    start();
    tl.most_rows = 1;
    line("0 T 0 Thread\n3 V T Power\n6 0 a T 0 a\n6 0 b T 0 b\n20 0 V a 2\n20 0 V b 2\n7 9 T a\n7 9 T b");
    run();
    EXPECT(is_same(tree(), "0[0-0](a..b*2[0-9]{Power 2@0-9 2@0-9})"));
    report("tool timeline: ", "variables that do not vary");

    /* Links of no time: at the beginning of their containers lines of a network; later ones show nothing alone. */
    start();
    line("0 T 0 Thread\n2 E T Mark\n4 L 0 T T Link\n6 0 a T 0 a\n6 1 b T 0 b\n6 1 c T 0 c\n6 2 d T 0 d");
    line("40 1 L 0 b m k\n41 1 L 0 c m k\n40 1 L 0 a m 2\n41 1 L 0 b m 2\n40 3 L 0 b n 3\n41 3 L 0 c n 3");
    line("30 4 E a x\n30 4 E b x\n40 5 L 0 a n 4\n41 5 L 0 b n 4\n7 9 T a\n7 9 T b\n7 9 T c\n7 9 T d");
    run();
    EXPECT(is_same(tree(), "0[0-0](a[0-9]{events x@4-4} b[1-9]{events x@4-4} c[1-9]? d[2-9]?)"));
    EXPECT(is_same(links(), "a>b:Link:m@1-1 a>b:Link:n@5-5") && tl.lines == 1 && tl.empty_links == 1 &&
        tl.empty_containers == 2);
    EXPECT(is_same(values(), "m:Link:1 n:Link:1 x:Mark:2"));
    EXPECT(is_same(notes(), "Left out: containers with nothing to show (2); links between such containers, that "
        "take no time (1); "
                            "lines of the network, which paje platform draws (1).\n"));
    start();
    tl.shows_all = 1;
    line("0 T 0 Thread\n3 V T Power\n4 L 0 T T Link\n6 0 a T 0 a\n6 0 b T 0 b\n20 0 V a 0\n40 0 L 0 a m k\n"
         "41 0 L 0 b m k\n7 9 T a\n7 9 T b");
    run();
    EXPECT(is_same(tree(), "0[0-0](a[0-9]{Power is 0@0-9} b[0-9])") && is_same(links(), "a>b:Link:m@0-0"));
    EXPECT(!timeline_is_platform(&tl));
    report("tool timeline: ", "links that take no time");

    start();
    line("0 T 0 Thread\n3 V T Power\n6 0 a T 0 a\n6 0 b T 0 b\n20 0 V a 7");
    run();
    EXPECT(timeline_is_platform(&tl) && tl.is_instant && tl.first == 0 && tl.last == 1);
    EXPECT(is_same(notes(), "Nothing happens in this trace: paje platform draws its containers and their network.\n"
                            "Left out: containers with nothing to show (1).\n"));
    start();
    line("0 T 0 Thread\n3 V T Power\n6 0 a T 0 a\n20 0 V a 7");
    run();
    EXPECT(!timeline_is_platform(&tl));
    start();
    line("0 T 0 Thread\n3 V T Power\n6 0 a T 0 a\n6 0 b T 0 b\n20 0 V a 7\n20 1 V a 8");
    run();
    EXPECT(!timeline_is_platform(&tl) && tl.changes == 1);
    start();
    line("0 T 0 Thread\n6 1e17 a T 0 a");
    run();
    EXPECT(tl.is_instant && tl.first == 1e17 && tl.last == 1e17 + 1e17 * 0x1p-50);
    start();
    run();
    EXPECT(tl.is_instant && tl.first == 0 && tl.last == 1 && tl.values.items[0].color == TIMELINE_GREY);
    EXPECT(tl.values.items[0].type == 0 && node_at(&tl, 0)->type == 0 && !tl.is_unit_given && tl.seconds == 1);
    settings.filter.unit = unit_named(text_of("ms"));
    memset(&tl, 0, sizeof tl);
    run();
    EXPECT(tl.is_unit_given && tl.seconds == 1e-3);
    report("tool timeline: ", "traces in which nothing happens");

    start();
    line("0 T 0 Thread\n1 S T State\n2 E T Mark\n3 V T Power\n4 L 0 T T Link\n6 0 a T 0 a\n30 1 E a x\n"
         "30 2e150 E a far\n20 1 V a 1e149\n20 2 V a 1e150\n20 3 V a -2e150\n20 4 V a -1e149\n7 9 T a");
    run();
    EXPECT(tl.far_times == 1 && tl.last == 9 && is_same(tree(), "0[0-0](a[0-9]{events x@1-1}{Power 1e+149@1-2 "
        "-1e+149@4-9})"));
    EXPECT(is_same(notes(), "Left out: entities at times beyond 1e150 (1).\n"));
    start();
    line("0 T 0 Thread\n2 E T Mark\n6 -3e150 a T 0 a\n30 -2e150 E a far\n30 5 E a x\n7 9 T a");
    run();
    EXPECT(tl.far_times == 3 && tl.first == 5 && is_same(tree(), "0[0-0](a[-3e+150--3e+150]{events x@5-5})"));
    report("tool timeline: ", "times and values that are too far away");
}

/* ---- links */

static void test_links(void)
{
    /* Five links are between the same containers at about the same times; the first four are one when the last one
     * comes. */
    static const struct {
        const char *second, *links; /* what the second link is */
    } cases[] = {
        {"L a b m", "a>b:Link:m@1.0002-2.0002x5"}, {"L a b n", "a>b:Link:other values@1.0002-2.0002x5"},
        {"L c b m", "a>b:Link:m@1.00022-2.00022x4 c>b:Link:m@1.0001-2.0001'Tag: t'"},
        {"L a c m", "a>b:Link:m@1.00022-2.00022x4 a>c:Link:m@1.0001-2.0001'Tag: t'"},
        {"K a b m", "a>b:Link:m@1.00022-2.00022x4 a>b:Other:m@1.0001-2.0001'Tag: t'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char second[8][4];
        start();
        tl.most_links = 4;
        sscanf(cases[i].second, "%3s %3s %3s %3s", second[0], second[1], second[2], second[3]);
        line("0 T 0 Thread\n4 L 0 T T Link\n4 K 0 T T Other\n6 0 a T 0 a\n6 0 b T 0 b\n6 0 c T 0 c");
        for (int k = 0; k < 5; k++)
            line("40 %g %s 0 %s %s k%d", 1 + k * 1e-4, k == 1 ? second[0] : "L", k == 1 ? second[1] : "a",
                k == 1 ? second[3] : "m", k);
        for (int k = 0; k < 5; k++)
            line("42 %g %s 0 %s %s k%d t", 2 + k * 1e-4, k == 1 ? second[0] : "L", k == 1 ? second[2] : "b",
                k == 1 ? second[3] : "m", k);
        run();
        EXPECT(is_same(links(), cases[i].links));
        EXPECT(tl.link_stride == 1 && tl.link_bin == 0x1p-11);
    }
    report("tool timeline: ", "links at about the same times");

    /* Four links at different times: two are kept, and one of two from then on; of four when these are too many. */
    start();
    tl.most_links = 4;
    line("0 T 0 Thread\n4 L 0 T T Link\n6 0 a T 0 a\n6 0 b T 0 b");
    for (int k = 0; k < 9; k++)
        line("40 %d L 0 a m k%d\n41 %d L 0 b m k%d", k, k, k + 1, k);
    run();
    EXPECT(is_same(links(), "a>b:Link:m@3-4 a>b:Link:m@5-6 a>b:Link:m@6-7 a>b:Link:m@7-8") &&
           tl.link_stride == 4);
    EXPECT(is_same(values(), "m:Link:4") && tl.link_bin == 0.0625);
    EXPECT(is_same(notes(), "Links between the same rows are drawn as one if both of their ends lie within the same "
        "62.5 ms.\nOne link in 4 is drawn.\n"));
    /* Links of several kinds come by turns: each kind is drawn, about as often as it is there. */
    for (int turns = 2; turns <= 8; turns *= 2) {
        int kinds[8] = {0};
        start();
        tl.most_links = 512;
        line("0 T 0 Thread\n4 L 0 T T Link");
        for (int k = 0; k < 2 * turns; k++)
            line("6 0 t%d T 0 t%d", k, k);
        for (int k = 0; k < 4000; k++)
            line("40 %d L 0 t%d m k%d\n41 %d L 0 t%d m k%d", k, k % turns, k, k, turns + k % turns, k);
        run();
        for (size_t i = 0; i < tl.links.count; i++)
            kinds[tl.links.items[i].from - 1]++;
        for (int k = 0; k < turns; k++)
            EXPECT(kinds[k] * turns * 3 > (int)tl.links.count * 2 && kinds[k] * turns * 2 < (int)tl.links.count * 3);
    }
    /* 128 bins of links are as few as can be, also of a range that is a power of two. */
    start();
    tl.most_links = 4;
    line("0 T 0 Thread\n4 L 0 T T Link\n6 0 a T 0 a\n6 0 b T 0 b");
    for (int k = 0; k < 9; k++)
        line("40 %d L 0 a m k%d\n41 %d L 0 b m k%d", k, k, k, k);
    run();
    EXPECT(tl.last == 8 && tl.link_stride == 4 && tl.link_bin == 0.0625);
    report("tool timeline: ", "more links than are kept");
}

/* ---- fields, types, values, parts, notes */

static void test_limits(void)
{
    start();
    line("0 T 0 Thread\n2 E0 T E0\n6 0 t T 0 t");
    for (int i = 1; i < 130; i++)
        line("2 E%d T E%d", i, i);
    for (int i = 0; i < 130; i++)
        line("30 %d E%d t x", i, i);
    run();
    EXPECT(tl.dropped_types == 2 && tl.types.count == 130 && tl.changes == 128 && type_at(&tl, 129)->count == 1);
    EXPECT(is_same(notes(), "Left out: types beyond the first 128 (2).\n"));
    start();
    for (int i = 0; i < 128; i++)
        line("0 T%d 0 T%d\n2 E%d T%d E\n6 0 c%d T%d 0 c%d\n30 1 E%d c%d x", i, i, i, i, i, i, i, i, i);
    run();
    EXPECT(tl.types.count == 1 + 127 + 128 && node_at(&tl, 127)->type == 253 && node_at(&tl, 128)->type == 0);
    start();
    line("0 T 0 Thread\n1 S T State\n6 0 t T 0 t\n11 0 S t u0");
    for (int i = 1; i < 65540; i++)
        line("12 %d S t\n11 %d S t u%d", i, i, i);
    line("12 65540 S t");
    run();
    EXPECT(tl.values.count == 65536 && tl.has_more_values == 1 && tl.values.items[0].weight == 5);
    EXPECT(is_same(notes(), "Values beyond the first 65536 are drawn as one.\n"));
    report("tool timeline: ", "more types and values than are drawn");

    /* 97 bytes of fields each: 10,810 of them and 19 bytes more are 2^20 at least.  In bins there are none any more, so
     * that there is room again. */
    for (int k = 0; k < 2; k++) {
        start();
        tl.most_pieces = k ? 10900 : 100000;
        line("0 T 0 Thread\n1 S T State\n1 R T Other\n6 0 t T 0 t\n15 0 R t long note 1");
        for (int i = 0; i < 11000; i++) {
            line("15 %d S t v %082d 1", i, i);
            if (i == 5000)
                line("15 5000 R t long last 2");
        }
        line("7 11000 T t");
        run();
        const lane_piece *pieces = node_at(&tl, 1)->lanes->pieces.items, *others = node_at(&tl,
            1)->lanes->next->pieces.items;
        char text[128];
        EXPECT(tl.has_more_fields == 1 && others[0].end == 5000);
        EXPECT(text_is_equal(timeline_fields(&tl, others[0].fields), text_of("Note: note, Size: 1")));
        EXPECT(tl.field_ends.count == (k ? 2 : 10811) && tl.bin == (k ? 2 : 0));
        if (k) {
            EXPECT(text_is_equal(timeline_fields(&tl, others[1].fields), text_of("Note: last, Size: 2")));
            continue;
        }
        snprintf(text, sizeof text, "Note: %082d, Size: 1", 10809);
        EXPECT(pieces[10809].fields == 10811 && !pieces[10810].fields && others[1].fields == 0);
        EXPECT(text_is_equal(timeline_fields(&tl, 10811), text_of(text)));
        EXPECT(is_same(notes(), "Tooltips have the user fields of 10811 of the entities; there was no room for "
            "all.\n"));
    }
    /* After 400 bytes there are no more fields. */
    static const size_t notes_of[] = {191, 192, 193, 191};
    start();
    line("%%EventDef PajePushState 16\n%% Time date\n%% Type string\n%% Container string\n%% Value string\n"
         "%% A string\n%% B string\n"
         "%% C string\n%%EndEventDef\n0 T 0 Thread\n1 S T State\n6 0 t T 0 t");
    for (int i = 0; i < 4; i++)
        line("16 %d S t v %0200d %0*d c\n12 %d S t", i, 0, (int)notes_of[i], 0, i + 1);
    run();
    for (int i = 0; i < 4; i++)
        EXPECT(timeline_fields(&tl, node_at(&tl, 1)->lanes->pieces.items[i].fields).size ==
               203 + 5 + notes_of[i] + (notes_of[i] < 192 ? 6 : 0));
    EXPECT(timeline_fields(&tl, 0).size == 0);
    report("tool timeline: ", "more user fields than there is room for");
}

static void test_parts(void)
{
    start();
    line("0 T 0 Thread\n1 S T State\n3 V T Power\n5 a S alpha \"1 0 0\"\n6 0 t T 0 t\n10 1 S t a\n20 1 V t 5\n7 3 T t");
    replay(begin_first, NULL);
    text_clear(&trace);
    text_puts(&trace, header);
    line("0 T 0 Thread\n0 U 0 Other\n1 S T State\n1 R U State\n2 P T Power\n6 0 t T 0 t\n6 1 u U 0 u\n"
         "11 2 S t alpha\n12 5 S t\n11 2 R u x\n12 6 R u\n7 7 T t");
    replay(begin_second, end);
    EXPECT(is_same(tree(), "0[0-0](A[0-3]/(t[0-3]{State.0 alpha@1-3}{Power 5@1-3}) B[0-7](t[0-7]{State.0 alpha@2-5} "
        "u[1-7]{State.0 x@2-6}))"));
    EXPECT(is_same(values(), "alpha:State:5:ff0000 x:State:4") && tl.last == 7);
    for (int k = 0; k < 2; k++) {
        start();
        between(2, 3);
        line("0 T 0 Thread\n2 E T Mark\n6 0 t T 0 t\n6 0 u T 0 u\n7 1 T u\n30 2 E t x\n7 4 T t");
        replay(begin_first, NULL);
        replay(begin_second, end);
    }
    EXPECT(is_same(tree(), "0[0-0](A[0-4]/(t[0-4]{events x@2-2}) B[0-4]/(t[0-4]{events x@2-2}))"));
    report("tool timeline: ", "two traces");
}

static void test_notes(void)
{
    static const struct {
        double bin, link_bin;
        int is_flat;
        const char *notes;
    } bins[] = {
        {0, 0, 1, ""}, {0.25, 0, 0, "What is shorter than 250 ms is summed up in bins of that width.\n"},
        {0.25, 0, 1, "What is shorter than 250 ms is summed up in bins of that width.\n"
                     "All states are summed up, the innermost ones only, as there are too many rows.\n"},
        {0, 0x1p-20, 0, "Links between the same rows are drawn as one if both of their ends lie within the same 954 "
            "ns.\n"},
        {0, 0x1p-23, 0, "Links between the same rows at the same times are drawn as one.\n"},
    };
    for (size_t i = 0; i < sizeof bins / sizeof *bins; i++) {
        tl = (timeline){.first = 5, .last = 5.5, .seconds = 1, .bin = bins[i].bin, .link_bin = bins[i].link_bin,
                        .is_flat = bins[i].is_flat, .changes = 1};
        EXPECT(is_same(notes(), bins[i].notes));
    }
    static const time_unit *units[2];
    units[0] = unit_named(text_of("s"));
    units[1] = unit_named(text_of("ms"));
    tl = (timeline){.last = 3 * 86400, .unit = {.unit = units[0]}};
    EXPECT(is_same(notes(), ""));
    tl.last += 1;
    EXPECT(is_same(notes(), "The times of the trace are taken for seconds; --unit ms, us or ns says otherwise.\n"));
    tl.first = 1;
    EXPECT(is_same(notes(), ""));
    tl.first = 0;
    tl.is_unit_given = 1;
    EXPECT(is_same(notes(), ""));
    tl.is_unit_given = 0;
    tl.unit.reason = "as it says";
    EXPECT(is_same(notes(), ""));
    tl.unit.unit = units[1];
    EXPECT(is_same(notes(), "The times of the trace are taken for ms, as it says; --unit says otherwise.\n"));
    tl = (timeline){.most_members = 2, .containers = 7, .dropped = 3, .link_stride = 2, .deep_containers = 1,
        .deep_states = 4};
    EXPECT(is_same(notes(), "7 containers: up to 2 of them share a row.\n"
        "Left out, as there are too many rows: events and variables; --type draws those of one type.\nOne link in 2 "
            "is drawn.\n"
        "Containers more than 12 levels deep are drawn as parts of their ancestors.\nLeft out: states nested more "
            "than 8 deep (4).\n"));
    report("tool timeline: ", "notes");

    static const struct {
        const char *a, *b, *type;
        int is_noted;
    } colors[] = {{"1 0 0", "1 0 0", "S", 1}, {"1 0 0", "0 1 0", "S", 0}, {"1 0 0", "1 0 0", "R", 0}};
    for (size_t i = 0; i < 3; i++) {
        start();
        line("0 T 0 Thread\n1 S T State\n1 R T Other\n2 E T Mark\n6 0 t T 0 t");
        line("5 a S a \"%s\"\n5 b %s b \"%s\"\n5 c S c \"0 0 1\"\n5 d S d \"0 0 1\"\n5 e E e \"1 1 0\"\n"
             "5 f E f \"1 1 0\"\n5 g R g \"0 1 1\"", colors[i].a, colors[i].type, colors[i].b);
        line("10 0 S t a\n10 1 %s t b\n10 2 S t c\n30 2 E t e\n30 2 E t f\n10 3 R t g\n7 4 T t", colors[i].type);
        run();
        EXPECT(is_same(notes(), colors[i].is_noted ? "Some states have the same colour in the trace; --colors own "
            "tells them apart.\n" : ""));
    }
    report("tool timeline: ", "a note about equal colours");
}

static void test_colors(void)
{
    /* By its hash a is 0, b 7 and z 3 of the first ten colours, Mark 6. */
    static const uint32_t alike[] = {0x4e79a7, 0xff9da7, 0xe15759, 0x00ff00, 0x0000ff, 0xedc948},
        two[] = {0xff0000, 0xff0001};
    for (int k = 0; k < 3; k++) {
        start();
        line("0 T 0 Thread\n1 S T State\n1 R T Other\n2 E T Mark\n5 a S a \"1 0 0\"\n5 b S b \"%s\"\n5 z S z \"1 1 "
            "0\"\n"
             "5 c R c \"0 1 0\"\n5 d R d \"0 0 1\"\n6 0 t T 0 t", k == 1 ? "255 0 1" : "1 0 0");
        line(k == 2 ? "10 0 S t a" : "10 0 S t a\n10 0.5 S t b");
        line("10 0 R t c\n10 1 R t d\n30 1 E t x\n7 1 T t");
        run();
        for (size_t i = 0; i < 6; i++)
            EXPECT(tl.values.items[i + 1].color == (k == 1 && i < 2 ? two[i] : k == 2 && i < 2 ? 0xff0000 : k &&
                i == 2 ? 0xffff00 : alike[i]) &&
                   tl.values.items[i + 1].has_trace_color == (i < 5 && (k || i > 2)));
    }
    report("tool timeline: ", "values that have all the same colour get others");
    timeline_value *mark = value_at(&tl, (uint32_t)--tl.values.count); /* behind the others then */
    mark->color = 1;
    timeline_color_values(&tl, mark->type);
    EXPECT(mark->color == 1);
    tl.values.count++;
    report("tool timeline: ", "what is behind the values stays as it is");
}

static void test_depths(void)
{
    start();
    line("0 T 0 Thread\n1 S T State\n6 0 t T 0 t");
    for (int i = 0; i < 10; i++)
        line("11 %d S t v%d", i, i);
    for (int i = 0; i < 10; i++)
        line("12 %d S t", 10 + i);
    line("7 30 T t");
    run();
    EXPECT(tl.deep_states == 2 && tl.tree.rows == 1 && tl.pieces == 8 + 18);
    EXPECT(is_same(notes(), "Left out: states nested more than 8 deep (2).\n"));
    report("tool timeline: ", "states too deep");
}

/* ---- names */

static const char *named(void (*put)(text_buffer *text, const timeline *of, uint32_t node), uint32_t node)
{
    text_clear(&shown);
    put(&shown, &tl, node);
    text_putc(&shown, '\0');
    return shown.bytes;
}

static const char *neighbours(uint32_t first, uint32_t last, unsigned long members)
{
    text_clear(&shown);
    timeline_put_names(&shown, &tl, first, last, members);
    text_putc(&shown, '\0');
    return shown.bytes;
}

static void test_names(void)
{
    start();
    line("0 C 0 Cluster\n0 H C Host\n0 T H Thread\n1 S T State\n6 0 c C 0 c\n6 0 h H c h\n6 0 i H c i");
    put_threads(1, "h", "t");
    put_threads(2, "i", "u");
    line("10 0 S t0 v\n10 0 S u0 v\n10 0 S u1 v\n7 9 C c");
    run(); /* nodes 1 to 6: c, h, i, t0, u0, u1 */
    EXPECT(is_same(tree(), "0[0-0](c[0-9](h[0-9]/(t0[0-9]{State.0 v@0-9}) i[0-9](u0[0-9]{State.0 v@0-9} "
        "u1[0-9]{State.0 v@0-9})))"));
    EXPECT(is_same(named(timeline_put_name, 1), "c") && is_same(named(timeline_put_name, 4), "h / t0") &&
           is_same(named(timeline_put_name, 2), "h") && is_same(named(timeline_put_name, 6), "u1"));
    EXPECT(is_same(named(timeline_put_path, 4), "c / h / t0") && is_same(named(timeline_put_path, 6), "c / i / u1") &&
           is_same(named(timeline_put_path, 2), "c / h") && is_same(named(timeline_put_path, 1), "c"));
    EXPECT(is_same(neighbours(5, 5, 1), "u0") && is_same(neighbours(5, 6, 2), "u0 \xe2\x80\xa6 u1 (2)"));
    start();
    line("0 H 0 Host\n0 T H Thread\n1 R T State\n6 0 h H 0 h\n6 0 i H 0 i\n6 0 k H 0 k");
    tl.most_rows = 1;
    line("6 0 t T h t\n6 0 u T i u\n10 0 R t v\n10 0 R u v\n7 9 H h\n7 9 H i");
    run(); /* 1: h and i; then k; 4: t and u */
    EXPECT(is_same(named(timeline_put_name, 1), "h \xe2\x80\xa6 i (2)"));
    EXPECT(is_same(named(timeline_put_name, 4), "h \xe2\x80\xa6 i (2) / 2 Thread"));
    EXPECT(is_same(neighbours(1, 3, 3), "h \xe2\x80\xa6 k (3)"));
    report("tool timeline: ", "names");
}

int main(void)
{
    test_all();
    test_filters();
    test_tree();
    test_dropped();
    test_bins();
    test_shown();
    test_links();
    test_parts();
    test_notes();
    test_colors();
    test_depths();
    test_names();
    test_nodes();
    test_limits();
    return failed > 0;
}
