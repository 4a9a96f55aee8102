/* examples/paje/chart, and the parts of examples/paje/timeline that know no trace: results that are known exactly. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chart/grid.h"
#include "chart/interval.h"
#include "chart/rows.h"
#include "replay/table.h"
#include "tests/lib/expect.h"
#include "timeline/color.h"
#include "timeline/name.h"
#include "timeline/order.h"

static int is_text(pajesim_text text, const char *expected)
{
    return text.size == strlen(expected) && memcmp(text.bytes, expected, text.size) == 0;
}

/* ---- slices of time */

static int is_at(const time_grid *grid, double width, int64_t low, int64_t high, unsigned doublings)
{
    return grid->width == width && grid->low == low && grid->high == high && grid->doublings == doublings;
}

static void test_fixed_grid(void)
{
    time_grid grid = {.most = 4, .is_fixed = 1, .start = 2, .end = 10}, fine = {.most = 49, .is_fixed = 1, .end = 1};
    static const double times[] = {2, 3.9, 4, 7.9, 8, 10, 11};
    static const int64_t slices[] = {0, 0, 1, 2, 3, 3, 3};
    grid_begin(&grid);
    EXPECT(grid.width == 2 && grid_edge(&grid, 0) == 2 && grid_edge(&grid, 3) == 8 && grid_edge(&grid, 4) == 10);
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        EXPECT(grid_slice(&grid, times[i]) == slices[i]);
    EXPECT(grid_reach(&grid, 99) == 0 && grid.end == 10 && !grid.has_begun && grid_used(&grid) == 4);
    time_grid other = {.most = 4, .width = 1, .has_begun = 1, .begun = 50, .low = 50, .high = 51};
    EXPECT(grid_cover(&grid, &other) == 0 && !grid.has_begun);
    /* 49 times a 49th is less than 1, and the division of some edges by it is, too. */
    grid_begin(&fine);
    EXPECT(grid_edge(&fine, 49) == 1 && grid_slice(&fine, 1) == 48);
    for (int64_t i = 1; i < 49; i++)
        EXPECT(grid_slice(&fine, grid_edge(&fine, i)) == i &&
               grid_slice(&fine, nextafter(grid_edge(&fine, i), -9)) == i - 1);
    report("tool charts: ", "slices of a range that is given");
}

static void test_growing_grid(void)
{
    static const struct {
        double time, width; /* the first time, and the width after it */
    } first[] = {{0, 0x1p-40}, {3, 0x1p-39}, {-3, 0x1p-39}, {1e12, 1}, {1e15, 1}, {2e15, 2}, {-3e15, 4}};
    for (size_t i = 0; i < sizeof first / sizeof *first; i++) {
        time_grid one = {.most = 4};
        EXPECT(grid_used(&one) == 0 && grid_reach(&one, first[i].time) == 0);
        EXPECT(is_at(&one, first[i].width, (int64_t)(first[i].time / first[i].width), one.low, 0));
        EXPECT(one.has_begun == 1 && one.begun == first[i].time && grid_used(&one) == 1);
    }
    time_grid grid = {.most = 4, .width = 2};
    grid_begin(&grid);
    EXPECT(grid_reach(&grid, -3) == 0 && is_at(&grid, 2, -2, -2, 0));
    time_grid before = grid;
    EXPECT(grid_reach(&grid, 5) == 1 && is_at(&grid, 4, -1, 1, 1)); /* five slices of 2, three of 4 */
    EXPECT(grid_target(&grid, &before, 0) == 0 && grid_target(&grid, &before, 1) == -1);
    EXPECT(grid_reach(&grid, 11.5) == 0 && is_at(&grid, 4, -1, 2, 1) && grid_used(&grid) == 4);
    EXPECT(grid_reach(&grid, -4) == 0 && grid_reach(&grid, 0) == 0 && is_at(&grid, 4, -1, 2, 1));
    EXPECT(grid_edge(&grid, 0) == -4 && grid_edge(&grid, 3) == 8);
    EXPECT(grid_slice(&grid, -4) == 0 && grid_slice(&grid, -0.5) == 0 && grid_slice(&grid, 0) == 1 &&
           grid_slice(&grid, 11) == 3 && grid_slice(&grid, 12) == 3);
    before = grid;
    EXPECT(grid_reach(&grid, 12) == 1 && is_at(&grid, 8, -1, 1, 2));
    EXPECT(grid_target(&grid, &before, 0) == 0 && grid_target(&grid, &before, 1) == 1 &&
           grid_target(&grid, &before, 2) == 1 && grid_target(&grid, &before, 3) == 2 &&
           grid_target(&grid, &before, 4) == -1);
    time_grid up = {.most = 4, .width = 1};
    EXPECT(grid_reach(&up, 5) == 0 && grid_reach(&up, 4) == 1 && is_at(&up, 1, 4, 5, 0));
    EXPECT(grid_reach(&up, 7) == 0 && is_at(&up, 1, 4, 7, 0) && grid_slice(&up, 6.5) == 2);
    EXPECT(grid_reach(&up, 4 - 1e-9) == 1 && is_at(&up, 2, 1, 3, 1));
    /* The division by a width that is no power of two may round up to the next slice, also in the first one. */
    time_grid rounded = {.most = 4, .width = 0.025};
    const double before_edge = nextafter(163839 * 0.025, 0);
    EXPECT(grid_reach(&rounded, before_edge) == 0 && grid_edge(&rounded, 0) > before_edge);
    EXPECT(grid_slice(&rounded, before_edge) == 0);
    /* The widths of which a time is less than 10^15. */
    time_grid precise = {.most = 4, .width = 1};
    EXPECT(grid_reach(&precise, 1e15 - 1) == 0 && grid_reach(&precise, 1e15) == 0);
    EXPECT( is_at(&precise, 1, INT64_C(999999999999999), INT64_C(1000000000000000), 0));
    EXPECT(grid_reach(&precise, 1e15 + 2) == 1 &&
           is_at(&precise, 2, INT64_C(499999999999999), INT64_C(500000000000001), 1));
    time_grid wide = {.most = 4, .width = 1};
    EXPECT(grid_reach(&wide, -1) == 0 && grid_reach(&wide, 0x1p64) == 1 && is_at(&wide, 0x1p63, -1, 2, 63));
    time_grid zero = {.most = 4, .width = 1};
    EXPECT(grid_reach(&zero, 0) == 0 && grid_reach(&zero, 0x1p64) == 1 && is_at(&zero, 0x1p63, 0, 2, 63));
    time_grid tiny = {.most = 4};
    EXPECT(grid_reach(&tiny, -1) == 0 && is_at(&tiny, 0x1p-40, -(INT64_C(1) << 40), tiny.low, 0));
    EXPECT(grid_reach(&tiny, 1e300) == 1 && is_at(&tiny, 0x1p995, -1, 2, 1035)); /* 10^300 is 2^996.6 */
    EXPECT(grid_reach(&tiny, 0) == 0 && is_at(&tiny, 0x1p995, -1, 2, 1035));
    time_grid positive = {.most = 4, .width = 1};
    EXPECT(grid_reach(&positive, 1) == 0 && grid_reach(&positive, -0x1p100) == 1);
    EXPECT(is_at(&positive, 0x1p99, -2, 0, 99));
    report("tool charts: ", "slices that become wider while time goes on");
}

/* What happens at an edge is in the slice that begins there, although no double is 0.1. */
static void test_decimal_grid(void)
{
    static const double scales[] = {1, 10, 1000, 1e6, 1e9};
    for (size_t s = 0; s < sizeof scales / sizeof *scales; s++)
        for (int step = 1; step < 40; step++) {
            time_grid grid = {.most = 1000, .width = step / scales[s]};
            time_grid fixed = {.most = 1000, .is_fixed = 1, .start = -700 * step / scales[s],
                               .end = 300 * step / scales[s]};
            grid_begin(&grid);
            grid_begin(&fixed);
            for (int i = -700; i <= 299; i++) { /* the quotients are what reading their decimals gives */
                double edge = i * step / scales[s];
                EXPECT(grid_reach(&grid, edge) <= 1 && grid_multiple(&grid, i) == edge);
                EXPECT(grid_edge(&grid, grid_slice(&grid, edge)) == edge && grid.low == -700 && grid.high == i);
                EXPECT(grid_edge(&fixed, i + 700) == edge && grid_slice(&fixed, edge) == i + 700);
                EXPECT(grid_next_multiple(&grid, edge) == (i + 1) * step / scales[s]);
                EXPECT(grid_next_multiple(&grid, nextafter(edge, -1e9)) == edge);
            }
            time_grid other = {.most = 1000, .width = step / scales[s]};
            grid_begin(&other);
            EXPECT(grid_reach(&other, 299 * step / scales[s]) == 0 && grid_cover(&other, &grid) == 1);
            EXPECT(other.low == -700 && other.high == 299);
            EXPECT(grid_reach(&grid, 300 * step / scales[s]) == 1 && grid.doublings == 1); /* 0.2, 0.4 and so on */
            for (int i = -350; i <= 150; i++)
                EXPECT(grid_edge(&grid, i + 350) == 2 * i * step / scales[s]);
        }
    time_grid third = {.most = 1000, .width = 1.0 / 3}, none = {.most = 2, .width = 1};
    grid_begin(&third);
    grid_begin(&none);
    for (int i = 0; i < 100000; i++)
        EXPECT(grid_next_multiple(&third, i * (1.0 / 3)) > i * (1.0 / 3));
    EXPECT(grid_next_multiple(&none, 1e300) == 1e300 && grid_next_multiple(&none, HUGE_VAL) == HUGE_VAL);
    report("tool charts: ", "slices whose width has few decimals");
}

static void test_covered_grid(void)
{
    time_grid empty = {.most = 4, .width = 1}, one = empty, other = empty;
    EXPECT(grid_cover(&one, &empty) == 0 && !one.has_begun);
    EXPECT(grid_reach(&other, 3) == 0 && grid_reach(&other, 5) == 0);
    EXPECT(grid_cover(&one, &other) == 0 && is_at(&one, 1, 3, 5, 0)); /* one begins there, so that nothing moves */
    EXPECT(grid_reach(&other, 9) == 1 && is_at(&other, 2, 1, 4, 1));
    EXPECT(grid_cover(&one, &other) == 1 && is_at(&one, 2, 1, 4, 1));
    EXPECT(grid_cover(&one, &other) == 0 && is_at(&one, 2, 1, 4, 1));
    time_grid early = {.most = 4, .width = 1}, late = {.most = 4, .width = 1};
    EXPECT(grid_reach(&early, 0) == 0 && grid_reach(&late, 3) == 0 && grid_reach(&late, 2) == 1);
    EXPECT(grid_cover(&early, &late) == 0 && is_at(&early, 1, 0, 3, 0));
    EXPECT(grid_cover(&late, &early) == 1 && is_at(&late, 1, 0, 3, 0));
    time_grid left = {.most = 4, .width = 1}, wide = {.most = 4, .width = 8, .has_begun = 1, .begun = 7};
    EXPECT(grid_reach(&left, -1) == 0 && grid_reach(&left, -3) == 1);
    EXPECT(grid_cover(&left, &wide) == 1 && is_at(&left, 8, -1, 0, 3));
    time_grid near = {.most = 4, .width = 8, .has_begun = 1, .begun = -2, .low = -1}, right = {.most = 4, .width = 1};
    left = (time_grid){.most = 4, .width = 1, .has_begun = 1, .low = -3, .high = -1};
    EXPECT(grid_cover(&left, &near) == 1 && is_at(&left, 8, -1, 0, 3));
    near = (time_grid){.most = 4, .width = 8, .has_begun = 1, .begun = 10, .low = 1, .high = 1};
    EXPECT(grid_reach(&right, 9) == 0 && grid_reach(&right, 12) == 0);
    time_grid before = right;
    EXPECT(grid_cover(&right, &near) == 1 && is_at(&right, 8, 1, 1, 3));
    EXPECT(grid_target(&right, &before, 0) == 0 && grid_target(&right, &before, 3) == 0);
    right = (time_grid){.most = 4, .width = 1, .has_begun = 1, .low = 22, .high = 25};
    near = (time_grid){.most = 4, .width = 8, .has_begun = 1, .begun = 22, .low = 2, .high = 2};
    EXPECT(grid_cover(&right, &near) == 1 && is_at(&right, 8, 2, 3, 3));
    time_grid middle = {.most = 4, .width = 1}, lower = {.most = 4, .width = 1};
    EXPECT(grid_reach(&middle, 3) == 0 && grid_reach(&lower, 3) == 0 && grid_reach(&lower, 2) == 1);
    EXPECT(grid_cover(&middle, &lower) == 1 && is_at(&middle, 1, 2, 3, 0));
    time_grid fresh = {.most = 4}, grown = {.most = 4};
    EXPECT(grid_reach(&grown, 3) == 0 && grid_reach(&grown, 1000) == 1 && grid_cover(&fresh, &grown) == 1);
    EXPECT(is_at(&fresh, grown.width, grown.low, grown.high, grown.doublings) && fresh.begun == 3);
    report("tool charts: ", "slices that cover those of others");
}

/* ---- intervals */

static void test_intervals(void)
{
    static const struct {
        pajesim_kind kind;
        double start, end;
        int is_left;
        double from, to, number;
    } cases[] = {
        {PAJESIM_STATE, 1, 9, 1, 2, 5, 0}, {PAJESIM_STATE, 3, 4, 1, 3, 4, 0}, {PAJESIM_STATE, 0, 2, 1, 2, 2, 0},
        {PAJESIM_STATE, 5, 7, 1, 5, 5, 0}, {PAJESIM_STATE, 0, 1.9, 0, 0, 1.9, 0}, {PAJESIM_STATE, 5.1, 9, 0, 5.1, 9, 0},
        {PAJESIM_VARIABLE, 3, 9, 1, 3, 5, 7}, {PAJESIM_EVENT, 3, 9, 1, 3, 3, 0}, {PAJESIM_EVENT, 1, 4, 0, 1, 1, 0},
        {PAJESIM_STATE, -HUGE_VAL, HUGE_VAL, 1, 2, 5, 0}, {PAJESIM_LINK, 2, 5, 1, 2, 5, 0},
    };
    const interval range = {2, 5, 0}, all = {-HUGE_VAL, HUGE_VAL, 0};
    interval part;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pajesim_entity entity = {.kind = cases[i].kind, .start = cases[i].start, .end = cases[i].end, .number = 7};
        EXPECT(interval_clip(&entity, &range, &part) == cases[i].is_left && part.start == cases[i].from &&
               part.end == cases[i].to && part.number == cases[i].number);
    }
    pajesim_entity endless = {.kind = PAJESIM_STATE, .start = -HUGE_VAL, .end = HUGE_VAL};
    EXPECT(interval_clip(&endless, &all, &part) == 1 && part.start == -1e300 && part.end == 1e300);
    report("tool charts: ", "what lies within a range of time");
}

/* ---- the order of containers */

static const char *behind; /* what is behind names in memory, by turns, and is no part of them */

/* Whether names, in the order of creation, come in this order; of types `types`, or of one. */
static int is_order(const char *names, const char *types, const char *expected)
{
    order_item items[16];
    uint32_t indexes[16];
    char order[256] = "", name[16][32];
    size_t count = 0, at = 0;
    for (const char *from = names; *from; from += strcspn(from, " "), from += *from == ' ', count++) {
        size_t size = strcspn(from, " ");
        memset(name[count], behind[count % 2], sizeof name[count]);
        memcpy(name[count], from, size);
        items[count] = (order_item){{name[count], size}, types ? (uint32_t)types[count] : 0,
                                    (uint32_t)count, (uint32_t)count};
    }
    order_items(items, count, indexes);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < count; k++)
            if (items[k].index == indexes[i])
                at += (size_t)snprintf(order + at, sizeof order - at, i ? " %.*s" : "%.*s", (int)items[k].name.size,
                                       items[k].name.bytes);
    return strcmp(order, expected) == 0;
}

static void test_order(const char *bytes)
{
    behind = bytes;
    EXPECT(is_order("P10 P9 P1", NULL, "P1 P9 P10"));
    EXPECT(is_order("P10 x P9 a P1", NULL, "P1 x P9 a P10")); /* others stay where they are */
    EXPECT(is_order("b a", NULL, "b a") && is_order("a9b a10c a8b", NULL, "a8b a10c a9b"));
    EXPECT(is_order("P010 P9 P09 P00 P0 P08", NULL, "P00 P0 P08 P9 P09 P010"));
    EXPECT(is_order("2-10 10-1 2-9 1-11", NULL, "1-11 2-9 2-10 10-1"));
    EXPECT(is_order("P2/ P1", NULL, "P2/ P1") && is_order("9 08", NULL, "08 9") && is_order("1x 00x", NULL, "00x 1x"));
    EXPECT(is_order("2-9 2-10", NULL, "2-9 2-10") && is_order("2-10 2-9", NULL, "2-9 2-10"));
    EXPECT(is_order("2-1-10 2-1-9", NULL, "2-1-9 2-1-10") && is_order("1x x", NULL, "1x x"));
    EXPECT(is_order("P2 P1", NULL, "P1 P2") && is_order("P0 P1", NULL, "P0 P1") && is_order("P P", NULL, "P P"));
    EXPECT(is_order("2 1", "ab", "2 1") && is_order("3 2 1", "aba", "1 2 3") && is_order("4 3 2 1", "baba", "2 1 4 3"));
    EXPECT(is_order("P2x P1", NULL, "P2x P1") && is_order("P2 P1x P1", NULL, "P1 P1x P2"));
    EXPECT(is_order("x2 2x x1 1x", NULL, "x1 1x x2 2x"));
    EXPECT(is_order("12 11 21", NULL, "11 12 21") && is_order("a1 a", NULL, "a1 a") && is_order("a", NULL, "a"));
    EXPECT(is_order("0/ 1: 9/ 0: 1/", NULL, "0/ 0: 1/ 1: 9/")); /* bytes beside digits */
    EXPECT(is_order("\xc3\x49 y2 \xc3\x48 y1", NULL, "\xc3\x49 y1 \xc3\x48 y2"));
    EXPECT(is_order("", NULL, ""));
    EXPECT(is_order("17 1", NULL, "1 17") && is_order("a2 a17 a1", NULL, "a1 a2 a17"));
}

/* ---- colours */

/* The colour of a field, or -1. */
static long parsed(const char *field, pajesim_kind kind)
{
    color_palette palette = {0};
    uint32_t color = 77;
    int found = palette_from_trace(&palette, (pajesim_text){field, strlen(field)}, kind, &color);
    return found == 1 ? (long)color : color == 77 ? -1 : -2;
}

static void test_colors(void)
{
    static const struct {
        const char *field;
        long color;
    } cases[] = {
        {"00ff7F", 0x00ff7f}, {"09afAF", 0x09afaf}, {"00ff7", -1}, {"00ff7g", -1}, {"/:@G`g", -1}, {"123456", 0x123456},
        {"1234567", -1}, {"1 0 0", 0xff0000}, {"0.5 0.25 0", 0x804000}, {"1 1 1", 0xffffff}, {"2 0 1", 0x020001},
        {"300 -5 1.6", 0xff0002}, {"0 1,0", 0x00ff00}, {"0\t0,1", 0x0000ff}, {" 1,,0  1 ", 0xff00ff}, {"1 0", -1},
        {"1 0 ", -1}, {"1 0 0 x", -1}, {"1 0 0 1 x", 0xff0000}, {"x 0 0", -1}, {"0.5 0.5 0.5 2", 0x808080},
        {"0 0 2", 2}, {"0 2 0", 0x0200}, {"", -1}, {"1", -1}, {"0.2 0.4 0.6 0.5", 0x336699},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        EXPECT(parsed(cases[i].field, PAJESIM_STATE) == cases[i].color);
    EXPECT(parsed("e8e8e8", PAJESIM_LINK) == 0xe8e8e8 && parsed("e8e8e9", PAJESIM_LINK) == -1);
    EXPECT(parsed("e9e8e8", PAJESIM_EVENT) == -1 && parsed("e8e9e8", PAJESIM_VARIABLE) == -1);
    EXPECT(parsed("ffffbb", PAJESIM_EVENT) == -1 && parsed("ffffba", PAJESIM_EVENT) == 0xffffba);
    uint32_t color = 77;
    color_palette palette = {.ignores_trace = 1};
    EXPECT(!palette_from_trace(&palette, (pajesim_text){"00ff00", 6}, PAJESIM_STATE, &color) && color == 77);
    palette = (color_palette){0};
    EXPECT(!palette_from_trace(&palette, (pajesim_text){"12345\0", 6}, PAJESIM_STATE, &color) && color == 77);
    report("tool charts: ", "colours of fields");

    /* The hash, FNV-1a, of a is 3826002220, that of b 3876335077: places 0 and 7 of the ten colours that go first. */
    static const uint32_t list[] = {
        0x4e79a7, 0xf28e2b, 0x59a14f, 0xe15759, 0xb07aa1, 0x76b7b2, 0xedc948, 0xff9da7, 0x9c755f, 0x86bcb6,
        0xa0cbe8, 0xffbe7d, 0x8cd17d, 0xb6992d, 0xd4a6c8, 0x499894, 0xd37295, 0xfabfd2, 0xd7b5a6, 0x79706e,
    };
    static const uint32_t more[] = {0x5374c6, 0xadd279, 0xdf9fd7, 0x39ac99, 0xc69153, 0x8f79d2, 0xa2df9f,
                                    0xac3960}; /* of hues by the golden ratio, as Python's colorsys has them */
    const pajesim_text a = {"a", 1}, b = {"b", 1}, ab = {"ab", 2}, none = {NULL, 0};
    for (size_t i = 0; i < 20; i++)
        EXPECT(palette_for_name(&palette, a) == list[i]);
    for (size_t i = 0; i < sizeof more / sizeof *more; i++)
        EXPECT(palette_for_name(&palette, a) == more[i]);
    palette = (color_palette){0};
    for (size_t i = 0; i < 20; i++)
        EXPECT(palette_for_name(&palette, b) == list[(7 + i) % 10 + (i < 10 ? 0 : 10)]);
    palette = (color_palette){0};
    EXPECT(palette_for_name(&palette, ab) == list[6]); /* 1294271946 */
    palette = (color_palette){0};
    EXPECT(palette_color(&palette, b, (pajesim_text){"010203", 6}, PAJESIM_STATE) == 0x010203 && palette.taken == 0);
    EXPECT(palette_color(&palette, b, none, PAJESIM_STATE) == list[7] && palette.taken == 1 << 7);
    EXPECT(palette_color(&palette, b, (pajesim_text){"ffffff", 6}, PAJESIM_LINK) == list[8]);
    EXPECT(color_luma(0x010203) == 299 + 2 * 587 + 3 * 114 && color_luma(0xffffff) == 255000);
    EXPECT(!palette_option(&palette, "own") && palette.ignores_trace && !palette_option(&palette, "trace") &&
           !palette.ignores_trace && palette_option(&palette, "x") && !palette.ignores_trace);
    report("tool charts: ", "colours of names");
}

/* ---- names */

static void test_names(void)
{
    char long_name[NAME_BYTES + 8], expected[NAME_BYTES + 8];
    text_buffer key = {0};
    for (size_t size = NAME_BYTES - 4; size < NAME_BYTES + 4; size++) {
        memset(long_name, 'x', sizeof long_name);
        memset(expected, 'x', sizeof expected);
        if (size > NAME_BYTES)
            memcpy(expected + NAME_BYTES - 3, "...", 3);
        expected[size < NAME_BYTES ? size : NAME_BYTES] = '\0';
        pajesim_text copy = name_copy((pajesim_text){long_name, size});
        EXPECT(copy.bytes != long_name && is_text(copy, expected));
        name_free(copy);
        pajesim_text found = name_key(&key, 0x01020304, (pajesim_text){long_name, size});
        size_t first = sizeof(uint32_t) + (size < NAME_BYTES ? size : NAME_BYTES);
        EXPECT(found.size == first + (size > NAME_BYTES ? sizeof(uint64_t) : 0));
        EXPECT(memcmp(found.bytes, &(uint32_t){0x01020304}, sizeof(uint32_t)) == 0 && found.bytes[4] == 'x' &&
               found.bytes[first - 1] == 'x');
        text_buffer same = {0}; /* names that differ at their ends only */
        long_name[size - 1] = 'y';
        pajesim_text other = name_key(&same, 0x01020304, (pajesim_text){long_name, size});
        EXPECT(other.size == found.size && memcmp(other.bytes, found.bytes, found.size) != 0);
        text_free(&same);
    }
    for (size_t before = NAME_BYTES - 8; before < NAME_BYTES; before++) { /* two bytes of a character from there on */
        memset(long_name, 'x', sizeof long_name);
        memcpy(long_name + before, "\xc3\xa9", 2);
        pajesim_text copy = name_copy((pajesim_text){long_name, sizeof long_name});
        EXPECT(copy.size == (before == NAME_BYTES - 4 ? NAME_BYTES - 1 : NAME_BYTES));
        name_free(copy);
    }
    memset(long_name, '\xff', sizeof long_name); /* no character */
    pajesim_text copy = name_copy((pajesim_text){long_name, sizeof long_name});
    EXPECT(copy.size == NAME_BYTES && copy.bytes[NAME_BYTES - 4] == '\xff' && copy.bytes[NAME_BYTES - 3] == '.');
    name_free(copy);
    text_free(&key);
    report("tool charts: ", "names are cut between characters");
}

/* ---- rows */

static uint32_t moved_to[32];
static size_t moved_count;

static void note_rows(const uint32_t *to, size_t count)
{
    moved_count = count;
    memcpy(moved_to, to, count * sizeof *to);
}

/* Adds a row, as if a process had handed it over. */
static uint32_t add_named(chart_rows *rows, const char *path, const char *alias, const char *name)
{
    static text_buffer bytes;
    static uint64_t serial;
    text_clear(&bytes);
    paje_put_number(&bytes, 0);
    paje_put_number(&bytes, 1);
    paje_put_text(&bytes, text_of(path));
    paje_put_text(&bytes, text_of(alias));
    paje_put_text(&bytes, text_of(name));
    paje_put_number(&bytes, serial++);
    paje_parcel parcel = {bytes.bytes, bytes.size};
    chart_join_rows(rows, &parcel);
    text_clear(&bytes);
    text_append(&bytes, text_of(path));
    text_putc(&bytes, '\0');
    text_append(&bytes, text_of(alias));
    return (uint32_t)map_find(&rows->known, bytes.bytes, bytes.size);
}

static uint32_t add_row(chart_rows *rows, const char *path)
{
    return add_named(rows, path, "", strrchr(path, '/') + 1);
}

/* Whether a text of `columns` is this one. */
static int is_column(const char *text, size_t columns, const char *expected)
{
    text_buffer column = {0};
    chart_put_column(&column, text_of(text), columns);
    int is_same = is_text(text_view(&column), expected);
    text_free(&column);
    return is_same;
}

static int has_labels(chart_rows *rows, const char *expected)
{
    char labels[512] = "";
    size_t at = 0;
    chart_label_rows(rows);
    for (size_t i = 0; i < rows->items.count; i++)
        at += (size_t)snprintf(labels + at, sizeof labels - at, "%s%.*s", i ? "|" : "",
                               (int)rows->items.items[i].label.size, rows->items.items[i].label.bytes);
    return strcmp(labels, expected) == 0;
}

static int has_paths(const chart_rows *rows, const char *expected)
{
    text_buffer paths = {0};
    for (size_t i = 0; i < rows->items.count; i++) {
        chart_put_path(&paths, &rows->items.items[i]);
        text_putc(&paths, '|');
    }
    int is_same = is_text(text_view(&paths), expected);
    text_free(&paths);
    return is_same;
}

static void test_rows(void)
{
    chart_rows rows = {.depth = 9, .most = 100, .regroup = note_rows};
    static const char *const paths[] = {"/p10", "/p9", "/p1", "/p2", "/p3", "/p4", "/p5"};
    for (size_t i = 0; i < 7; i++)
        EXPECT(add_row(&rows, paths[i]) == i);
    EXPECT(add_row(&rows, "/p3") == 4 && rows.items.count == 7);
    chart_group_rows(&rows, NULL, 7); /* in their order, and none becomes a group */
    EXPECT(has_paths(&rows, "/p1|/p2|/p3|/p4|/p5|/p9|/p10|") && rows.grouped == 0 && rows.groupings == 1);
    EXPECT(moved_count == 7 && moved_to[0] == 6 && moved_to[1] == 5 && moved_to[2] == 0 && moved_to[6] == 4);
    EXPECT(add_row(&rows, "/p9") == 5 && add_row(&rows, "/p1") == 0 && rows.items.count == 7);
    chart_group_rows(&rows, NULL, 3); /* three at least: 3, 3, 1 */
    EXPECT(has_paths(&rows, "/p1 \xe2\x80\xa6 /p3 (3)|/p4 \xe2\x80\xa6 /p9 (3)|/p10|") && rows.grouped == 6);
    EXPECT(moved_to[0] == 0 && moved_to[2] == 0 && moved_to[3] == 1 && moved_to[5] == 1 && moved_to[6] == 2);
    EXPECT(chart_alias(&rows.items.items[0]).size == 0 && add_row(&rows, "/p4") == 1);
    EXPECT(has_labels(&rows, "p1 \xe2\x80\xa6 p3 (3)|p4 \xe2\x80\xa6 p9 (3)|p10"));
    chart_group_rows(&rows, NULL, 2); /* 7 by 2 is 4; 3 + 3 do not fit there; 4, then 5 hold 3 and 3 + 1 */
    EXPECT(has_paths(&rows, "/p1 \xe2\x80\xa6 /p3 (3)|/p4 \xe2\x80\xa6 /p10 (4)|") && rows.grouped == 7);
    chart_group_rows(&rows, NULL, 0); /* one row, as few as there can be */
    EXPECT(has_paths(&rows, "/p1 \xe2\x80\xa6 /p10 (7)|") && rows.items.items[0].members == 7 && rows.groupings == 4);

    /* Eight by 3 are three of 3 at least; 4 is no more than a quarter beyond only from 4 on, so 3, 3, 2. */
    static const struct {
        size_t count, most;
        const char *groups; /* how many containers are in each */
    } sizes[] = {{8, 3, "332"}, {8, 2, "44"}, {16, 5, "4444"}, {25, 7, "55555"}, {26, 7, "4444442"}, {10, 1, "A"},
                 {10, 9, "22222"}, {3, 3, "111"}, {13, 4, "4441"}, {15, 4, "555"}, {17, 2, "98"}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        chart_rows many = {.depth = 9, .most = 100, .regroup = note_rows};
        char path[8], groups[32] = "";
        for (size_t k = 0; k < sizes[i].count; k++) {
            snprintf(path, sizeof path, "/%d", (int)k);
            add_row(&many, path);
        }
        chart_group_rows(&many, NULL, sizes[i].most);
        for (size_t k = 0; k < many.items.count; k++)
            groups[k] = "0123456789A"[many.items.items[k].members];
        EXPECT(strcmp(groups, sizes[i].groups) == 0);
    }

    static const size_t members[] = {4, 5, 1, 6}; /* 8 are too few for two groups; then 10, rather than 9 */
    chart_rows groups = {.depth = 9, .most = 100, .regroup = note_rows};
    for (size_t i = 0; i < 4; i++) {
        const char *const names[] = {"/a", "/b", "/c", "/d"};
        EXPECT(add_row(&groups, names[i]) == i);
        groups.items.items[i].members = members[i];
    }
    chart_group_rows(&groups, NULL, 2);
    EXPECT(groups.items.count == 2 && groups.items.items[0].members == 10 && groups.items.items[1].members == 6);
    groups.items.items[0].members = 2;
    groups.items.items[1].members = 1;
    add_row(&groups, "/e");
    chart_group_rows(&groups, NULL, 3); /* there are no more */
    EXPECT(groups.items.count == 3 && groups.grouped == 2 && groups.items.items[2].members == 1);
    chart_rows two = {.depth = 9, .most = 100, .regroup = note_rows};
    add_row(&two, "/b");
    add_row(&two, "/a");
    two.items.items[0].serial = UINT32_MAX;
    chart_group_rows(&two, NULL, 2);
    EXPECT(has_paths(&two, "/a|/b|"));
    chart_group_rows(&two, NULL, 1);
    EXPECT(has_labels(&two, "a \xe2\x80\xa6 b (2)"));

    chart_rows few = {.depth = 9, .most = 4, .regroup = note_rows};
    static const uint32_t places[] = {0, 1, 2, 3, 2, 3, 2};
    moved_count = 0;
    for (size_t i = 0; i < 7; i++) { /* from the fifth on: half as many before */
        const char *const names[] = {"/a", "/b", "/c", "/d", "/e", "/f", "/g"};
        EXPECT(add_row(&few, names[i]) == places[i]);
    }
    EXPECT(has_paths(&few, "/a \xe2\x80\xa6 /d (4)|/e \xe2\x80\xa6 /f (2)|/g|") && few.grouped == 6);
    report("tool charts: ", "rows are grouped");
}

static void test_labels(void)
{
    chart_rows rows = {.depth = 9, .most = 100, .regroup = note_rows};
    EXPECT(has_labels(&rows, ""));
    add_row(&rows, "/top/a/x");
    EXPECT(has_labels(&rows, "x"));
    add_row(&rows, "/top/a/y");
    EXPECT(has_labels(&rows, "x|y"));
    add_row(&rows, "/top/abc/x");
    EXPECT(has_labels(&rows, "a/x|a/y|abc/x"));
    EXPECT(has_labels(&rows, "a/x|a/y|abc/x"));
    chart_rows alike = {.depth = 9, .most = 100, .regroup = note_rows};
    EXPECT(add_named(&alike, "/h/x", "1", "x") == 0);
    EXPECT(add_named(&alike, "/h/x", "2", "x") == 1);
    EXPECT(add_named(&alike, "/h/x", "1", "x") == 0);
    EXPECT(add_named(&alike, "/h/", "3", "none") == 2);
    EXPECT(has_labels(&alike, "x [1]|x [2]|none [3]") && is_text(chart_alias(&alike.items.items[1]), "2"));
    chart_rows partly = {.depth = 9, .most = 100, .regroup = note_rows}, above = partly;
    add_row(&partly, "/a/x");
    add_row(&partly, "/ab/x");
    add_row(&partly, "/a/y");
    EXPECT(has_labels(&partly, "a/x|ab/x|a/y"));
    add_named(&above, "/a/x", "1", "x");
    add_named(&above, "/a/x", "2", "x");
    add_row(&above, "/a");
    EXPECT(has_labels(&above, "a/x [1]|a/x [2]|a []"));
    report("tool charts: ", "labels of rows");

    EXPECT(is_column("abc", 5, "abc  ") && is_column("abcde", 5, "abcde") && is_column("", 2, "  "));
    EXPECT(is_column("abcdef", 5, "ab\xe2\x80\xa6""ef") && is_column("abcdefg", 6, "ab\xe2\x80\xa6""efg"));
    EXPECT(is_column("\xc3\xa9\xc3\xa8\xc3\xaa", 3, "\xc3\xa9\xc3\xa8\xc3\xaa") &&
           is_column("\xc3\xa9\xc3\xa8\xc3\xaa\xc3\xa9", 3, "\xc3\xa9\xe2\x80\xa6\xc3\xa9"));
    EXPECT(is_column("\xc3\xa9\xc3\xa9xabcd", 5, "\xc3\xa9\xc3\xa9\xe2\x80\xa6""cd"));
    EXPECT(is_column("abc", 1, "\xe2\x80\xa6") && is_column("abc", 2, "\xe2\x80\xa6""c"));
    report("tool charts: ", "texts in columns");
}

static void test_handed_rows(void)
{
    chart_rows from = {.depth = 9, .most = 4, .regroup = note_rows}, to = {.depth = 9, .most = 4, .regroup = note_rows};
    text_buffer bytes = {0};
    EXPECT(add_named(&from, "/b", "1", "b") == 0 && add_row(&from, "/c") == 1);
    from.items.items[0].serial = 7;
    chart_save_rows(&from, &bytes);
    EXPECT(from.items.count == 0 && from.groupings == 0 && from.grouped == 0 && add_row(&from, "/c") == 0);
    EXPECT(add_row(&to, "/a") == 0 && add_row(&to, "/c") == 1);
    paje_parcel parcel = {bytes.bytes, bytes.size};
    const uint32_t *numbers = chart_join_rows(&to, &parcel);
    EXPECT(numbers && parcel.left == 0 && numbers[0] == 2 && numbers[1] == 1 && to.items.count == 3);
    EXPECT(is_text(to.items.items[2].path, "/b") && is_text(to.items.items[2].alias, "1") &&
           is_text(to.items.items[2].name, "b") && to.items.items[2].serial == 7);
    text_clear(&bytes);
    for (size_t i = 0; i < 5; i++) { /* the fifth makes groups */
        const char *const names[] = {"/c", "/d", "/e", "/f", "/g"};
        add_row(&from, names[i]);
    }
    EXPECT(from.groupings == 1 && from.grouped == 4);
    chart_save_rows(&from, &bytes);
    EXPECT(from.groupings == 0 && from.grouped == 0);
    parcel = (paje_parcel){bytes.bytes, bytes.size};
    EXPECT(chart_join_rows(&to, &parcel) == NULL && to.items.count == 3);
    text_clear(&bytes);
    chart_save_rows(&from, &bytes); /* none */
    parcel = (paje_parcel){bytes.bytes, bytes.size};
    EXPECT(chart_join_rows(&to, &parcel) != NULL && parcel.left == 0 && to.items.count == 3);
    text_clear(&bytes);
    add_row(&from, "/x");
    add_row(&from, "/y");
    chart_save_rows(&from, &bytes);
    parcel = (paje_parcel){bytes.bytes, bytes.size};
    EXPECT(chart_join_rows(&to, &parcel) == NULL && to.groupings == 1); /* the second made groups here */
    text_free(&bytes);
    report("tool charts: ", "rows that a process hands over");
}

int main(void)
{
    test_fixed_grid();
    test_growing_grid();
    test_decimal_grid();
    test_covered_grid();
    test_intervals();
    test_order("77");
    test_order("//");
    test_order("7/");
    test_order("/7");
    report("tool charts: ", "the order of containers");
    test_colors();
    test_names();
    test_rows();
    test_labels();
    test_handed_rows();
    return failed > 0;
}
