/* Tests chunks: a trace is cut at the ends of lines, each chunk is read without what came before, and what lasts of it
 * is fed.  At each boundary everything that can be seen of the simulation is as if the trace had been fed whole.
 * usage: chunks [-v 1] [-n RANDOM] [-s SEED] TRACE...     -v 1: also prints how many chunks suited, and a sum of all
 * that was seen (lib/sum.h) */
#define PAJESIM__CHUNK_PAYS(kept, size) ((void)(kept), (void)(size), 1)
#define PAJESIM_IMPLEMENTATION
#include "pajesim.h"

#include "../fuzz/lines.h"
#include "../fuzz/scene.h"
#include "../lib/claimed.h"
#include "../lib/expect.h"
#include "../lib/sum.h"
#include "chunks_state.h"

#include <ctype.h>

enum { ARENA = 1 << 23, TRACE = 1 << 20, CHUNKS = 64, LITTLE = 1 << 16 };

static uint64_t arena[2][ARENA / 8], base_arena[ARENA / 8], copy[ARENA / 8], memory[1 << 20];
static pajesim sims[2], base;
static char texts[2][TEXT], trace[TRACE + 64];
static size_t trace_size;
/* The chunks of the last trace, the first one, which is fed whole, included. */
static size_t chunk_ends[TRACE];
static uint8_t chunk_suits[TRACE];
static unsigned chunk_count;
static int opened; /* files, by the last trace */
static unsigned fed, whole, stale;
static uint64_t kept; /* bytes of the last chunk, if that suits */

static uint32_t seed = 1;

static uint32_t draw(uint32_t below)
{
    seed = seed * UINT32_C(1664525) + UINT32_C(1013904223);
    return (uint32_t)(((uint64_t)seed * below) >> 32);
}

/* ---- the comparison ---- */

/* What closes of that which began before the chunk, in any order. */
static pajesim_time earliest;
static uint64_t closings[2];

static int closed(pajesim *sim, const pajesim_entity *it)
{
    const double numbers[] = {(double)it->start, (double)it->end, (double)it->number, it->kind, it->imbrication,
                              pajesim_serial(sim, it->container)};
    uint64_t hash = 0, word;
    size_t i;
    for (i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        memcpy(&word, &numbers[i], sizeof word);
        hash = (hash ^ word) * UINT64_C(0x9E3779B97F4A7C15);
        hash ^= hash >> 29;
    }
    if (it->start < earliest)
        *(uint64_t *)pajesim_data(sim) += hash;
    return PAJESIM_GO_ON;
}

static pajesim_callbacks callbacks;

static void feed(pajesim *sim, const char *bytes, size_t size)
{
    size_t taken;
    while (size) {
        pajesim_status status = pajesim_feed(sim, bytes, size, &taken);
        bytes += taken;
        size -= taken;
        if (status == PAJESIM_OPEN) {
            opened = 1;
            pajesim_end_file(sim);
        } else if (status != PAJESIM_OK && status != PAJESIM_PAUSED) {
            EXPECT(status == PAJESIM_OK);
            return;
        }
    }
}

static void compare(const char *name, size_t at)
{
    size_t size, i = 0;
    describe(texts[0], &sims[0]);
    size = text_size;
    describe(texts[1], &sims[1]);
    sum_bytes(texts[1], text_size);
    sum_number(pajesim_used(&sims[1]));
    EXPECT(lost_bytes(&sims[0]) == 0 && lost_bytes(&sims[1]) == 0);
    while (i < size && i < text_size && texts[0][i] == texts[1][i])
        i++;
    if (!fault[0] && (i < size || i < text_size)) {
        size_t from = i < 60 ? 0 : i - 60;
        snprintf(fault, sizeof fault, "%s, at byte %lu: `%.110s`, not `%.110s`", name, (unsigned long)at,
                 texts[1] + from, texts[0] + from);
    }
}

static void attach(pajesim *sim, const pajesim_options *options, uint64_t *block)
{
    callbacks.closed = closed;
    closings[sim - sims] = 0;
    EXPECT(pajesim_init(sim, block, ARENA, options, &callbacks, &closings[sim - sims]) == PAJESIM_OK);
    PAJESIM__STATE(sim)->digests = 1;
}

/* The end of the line at or after `at`. */
static size_t line_end(size_t at)
{
    const char *found = memchr(trace + at, '\n', trace_size - at);
    return found ? (size_t)(found - trace) + 1 : trace_size;
}

/* Begins a link with each key of make_trace: in strict mode those that were used are errors. */
static void use_keys(pajesim *sim)
{
    char text[60];
    unsigned key;
    for (key = 0; key < 80; key++)
        feed(sim, text, (size_t)snprintf(text, sizeof text, "\ng 1000 K m t1 v key%u\n", key));
}

/* Feeds a chunk to a simulation that has no free memory at first, and gets no more than it needs. */
static pajesim_status feed_chunk(pajesim *sim, pajesim_chunk *chunk, const char *bytes)
{
    pajesim_status status;
    EXPECT(pajesim_move(sim, arena[1], pajesim_used(sim)) == PAJESIM_OK);
    while ((status = pajesim_chunk_feed(sim, chunk, bytes)) == PAJESIM_FULL)
        EXPECT(pajesim_move(sim, arena[1], (size_t)pajesim_capacity_needed(sim)) == PAJESIM_OK);
    EXPECT(pajesim_move(sim, arena[1], ARENA) == PAJESIM_OK);
    return status;
}

/* Reads a chunk with some memory, mostly too little, behind which nothing is written. */
static void read_in_memory(const char *bytes, size_t size, size_t capacity)
{
    static uint64_t little[LITTLE / 8];
    pajesim_chunk chunk;
    pajesim_status status;
    memset((unsigned char *)little + capacity, 7, sizeof little - capacity);
    status = pajesim_chunk_read(&chunk, little, capacity, &base, bytes, size);
    EXPECT(status == PAJESIM_FULL || chunk.used <= capacity);
    sum_number((uint64_t)status);
    for (; capacity < sizeof little; capacity++)
        if (((unsigned char *)little)[capacity] != 7)
            fail("a chunk uses memory beyond its own");
}

/* Feeds the trace whole and by chunks that end at about each `apart` bytes, the first of `first` bytes whole. */
static void try_chunks(const char *name, int strict, size_t first, size_t apart)
{
    pajesim_options options;
    size_t at, end;
    memset(&options, 0, sizeof options);
    options.strict = strict;
    options.remembered = 6;
    attach(&sims[0], &options, arena[0]);
    attach(&sims[1], &options, arena[1]);
    at = line_end(first < trace_size ? first : trace_size);
    opened = 0;
    feed(&sims[0], trace, at);
    feed(&sims[1], trace, at);
    EXPECT(pajesim_copy(&base, base_arena, ARENA, &sims[1]) == PAJESIM_OK);
    chunk_ends[0] = at;
    chunk_count = 1;
    for (; at < trace_size && !fault[0]; at = end) {
        pajesim_chunk chunk;
        pajesim before;
        uint64_t closed_before = closings[1];
        pajesim_status status;
        end = line_end(at + apart < trace_size ? at + apart : trace_size - 1);
        EXPECT(pajesim_copy(&before, copy, ARENA, &sims[1]) == PAJESIM_OK);
        if (trace[end - 1] == '\n')
            read_in_memory(trace + at, end - at, draw(LITTLE / 8) * 8);
        status = trace[end - 1] == '\n'
                     ? pajesim_chunk_read(&chunk, memory, sizeof memory, &base, trace + at, end - at)
                     : PAJESIM_FULL;
        earliest = status == PAJESIM_OK ? chunk.least : PAJESIM__TIME_LEAST;
        if (status == PAJESIM_OK)
            status = feed_chunk(&sims[1], &chunk, trace + at);
        else
            whole++;
        stale += status == PAJESIM_STALE;
        fed += status == PAJESIM_OK;
        kept = status == PAJESIM_OK ? pajesim_chunk_kept(&chunk) : 0;
        sum_number(kept);
        sum_number(status == PAJESIM_OK ? chunk.used : 0);
        chunk_suits[chunk_count] = status == PAJESIM_OK;
        chunk_ends[chunk_count++] = end;
        EXPECT(status == PAJESIM_OK || status == PAJESIM_STALE || status == PAJESIM_FULL);
        if (status != PAJESIM_OK) {
            EXPECT(pajesim_copy(&sims[1], arena[1], ARENA, &before) == PAJESIM_OK);
            closings[1] = closed_before;
            feed(&sims[1], trace + at, end - at);
        }
        feed(&sims[0], trace + at, end - at);
        compare(name, end);
    }
    if (strict && !opened) {
        use_keys(&sims[0]);
        use_keys(&sims[1]);
        compare(name, trace_size);
    }
    pajesim_finish(&sims[0]);
    pajesim_finish(&sims[1]);
    compare(name, trace_size);
}

/* ---- an index that is made by chunks ---- */

static uint64_t index_memory[2][ARENA / 8];
static pajesim_index indexes[2];

/* Makes an index with a checkpoint behind each chunk: of the trace as a whole, or by chunks. */
static void make_index(int by_chunks, int strict)
{
    pajesim *sim = &sims[by_chunks];
    pajesim_index *it = &indexes[by_chunks];
    const pajesim_index_options rarely = {UINT64_MAX / 2, 0};
    pajesim_options options;
    const void *bytes;
    unsigned i;
    size_t at = 0, size;
    memset(&options, 0, sizeof options);
    options.strict = strict;
    options.remembered = 6;
    EXPECT(pajesim_init(sim, arena[by_chunks], ARENA, &options, NULL, NULL) == PAJESIM_OK);
    EXPECT(pajesim_index_init(it, index_memory[by_chunks], ARENA, &rarely) == PAJESIM_OK);
    EXPECT(pajesim_index_begin(it, sim) == PAJESIM_OK);
    for (i = 0; i < chunk_count && !fault[0]; at = chunk_ends[i++]) {
        pajesim_chunk chunk;
        if (by_chunks && i && chunk_suits[i]) {
            EXPECT(pajesim_chunk_read(&chunk, memory, sizeof memory, &base, trace + at, chunk_ends[i] - at) ==
                   PAJESIM_OK);
            EXPECT(pajesim_chunk_feed(sim, &chunk, trace + at) == PAJESIM_OK);
        } else {
            feed(sim, trace + at, chunk_ends[i] - at);
        }
        EXPECT(pajesim_index_checkpoint_now(it, sim) == PAJESIM_OK);
    }
    pajesim_index_finish(it, sim);
    bytes = pajesim_index_save(it, &size);
    sum_bytes(bytes, size);
}

/* Both indexes have the same checkpoints, and the same is open there, with the same ends. */
static void compare_indexes(const char *name)
{
    uint32_t i;
    EXPECT(pajesim_index_count(&indexes[0]) == pajesim_index_count(&indexes[1]));
    for (i = 0; i < pajesim_index_count(&indexes[0]) && !fault[0]; i++) {
        pajesim_checkpoint of[2];
        int k;
        for (k = 0; k < 2; k++) {
            pajesim_index_checkpoint(&indexes[k], i, &of[k]);
            closings[k] = 0;
            EXPECT(pajesim_index_restore(&indexes[k], i, &sims[k], arena[k], ARENA, &callbacks, &closings[k]) ==
                   PAJESIM_OK);
        }
        compare(name, (size_t)of[0].offset);
        earliest = -PAJESIM__TIME_LEAST;
        for (k = 0; k < 2; k++)
            EXPECT(pajesim_index_close_open(&indexes[k], i, &sims[k], PAJESIM__TIME_LEAST, -PAJESIM__TIME_LEAST) ==
                   PAJESIM_OK);
        if (!fault[0] && (of[0].offset != of[1].offset || of[0].events != of[1].events ||
                          of[0].greatest < of[1].greatest || of[0].greatest > of[1].greatest ||
                          of[0].least < of[1].least || of[0].least > of[1].least || closings[0] != closings[1]))
            fail("%s: checkpoint %u, at byte %lu, differs", name, (unsigned)i, (unsigned long)of[0].offset);
    }
}

/* ---- traces ---- */

static void add(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    trace_size += (size_t)vsnprintf(trace + trace_size, TRACE - trace_size, format, arguments);
    va_end(arguments);
}

/* Lines of all kinds that a chunk does not suit, or whose error or warning depends on what came before. */
static void add_odd_line(double now, unsigned t, unsigned key)
{
    static const char *const lines_of_all_kinds[] = {
        "7 %g p2 P\n", "6 %g again P m p2\n", "9 %g: U t1 v1\n", "a %g U t1\n",
        "%%EventDef PajePopState z%g\n%%EndEventDef\n",
        "%%EventDef PajeNewEvent y%g\n", "z %g U t1\n", "5 late%g S late\n", "8 %g S p2 late\n",
        "8 %g S p1 \"not closed\n", "f %g W t3 1\n", "8 -1 U t1 v%g\n", "# comment %g \"\n", "h %g K m t1 v1 key1\n",
        "b %g U t5 surplus\n", "7 %g t7 T\n", "i p1 P file%g\n", "0 New%g T N\n", "g %g L m nothing v key\n",
        "c %g E nobody v\n", "e %g W t1 1e308\n", "d %g W t1 nan\n", "8 %g / t1 v\n", "8 %g U 0 v\n",
        "8 %g U t5 'quoted v'\n", "c %g E p1 v surplus\n", "7 %g t7 T\n6 0 t7 T p1 t7\n9 1 U t7 v\n", "h %g\n", "\n"};
    switch (draw(10)) {
    case 0: add("a %g U t%u\n", now, t | 1); break;
    case 1: add("%c %g U t%u v1\n", "89"[key & 1], now - 0.125, t | 1); break;
    case 2: add("g %g K m t%u v key%u\n", now - key, t | 1, key); break;
    case 3: add("k %g K m t%u v%u key%u size note\n", now - key * 0.125, t | 1, t & 4, key); break;
    case 4: add("g %g K m p1 v bad\nk %g K m p1 v bad size note\n", now, now); break;
    case 5: add("g %g K m t1 v twice\ng %g K m t1 v twice\n", now, now); break;
    case 6: add("9 %g U t%u odd%u\n", now, t | 1, key); break; /* a value that is not defined */
    case 7: add("9 %g U t%u odd%u\na %g U t%u\n", now, t | 1, key, now, t | 1); break;
    default: add(lines_of_all_kinds[draw(sizeof lines_of_all_kinds / sizeof *lines_of_all_kinds)], now);
    }
}

/* A trace in which all lines but `odd` of a thousand are valid; `once`: each link has a key of its own. */
static void make_trace(unsigned count, uint32_t odd, int once)
{
    static const char *const names[] = {"a-thread-with-a-long-alias-", "t"};
    unsigned depth[8] = {0}, waiting[24] = {0}, keys[24] = {0}, last_key = 24, i;
    double now = 1;
    trace_size = 0;
    add("%s%s", scene_header, scene_body);
    add("%%EventDef PajeSetVariable l\n%%Time date\n%%Type string\n%%Container string\n%%Value double\n%%Unit string\n"
        "%%EndEventDef\n0 Thread P T\n1 U T U\n4 K M T T K\n3 W T W\n");
    for (i = 0; i < 24; i++) /* links of two types have the same keys */
        keys[i] = i % 12;
    for (i = 0; i < 8; i++) {
        add("6 0 \"a thread with a long name %u\" T p1 %s%u\n", i, names[i & 1], i);
        add("d 0 W %s%u 1\n8 0 U %s%u v%u\na 0 U %s%u\n", names[i & 1], i, names[i & 1], i, i % 4, names[i & 1], i);
    }
    while (count--) {
        const unsigned t = draw(8), v = draw(4), key = draw(12), link = key + (v == 3 ? 12 : 0);
        const char *const name = names[t & 1];
        now += draw(3) ? 0 : 0.125 * draw(5);
        if (draw(1000) < odd) {
            add_odd_line(now, t, key);
            continue;
        }
        switch (draw(14)) {
        case 0: add("8 %g U %s%u v%u\n", now, name, t, v); depth[t] = 1; break;
        case 1: case 2: case 3: add("9 %g U %s%u v%u\n", now, name, t, v); depth[t]++; break;
        case 4: case 5: case 6:
            if (depth[t]) {
                add("a %g U %s%u\n", now, name, t);
                depth[t]--;
            }
            break;
        case 7:
            if (!draw(4)) {
                add("b %g U %s%u\n", now, name, t);
                depth[t] = 0;
            }
            break;
        case 8: add(v ? "d %g W %s%u %u\n" : "l %g W %s%u %u unit\n", now, name, t, v); break;
        case 9: add("%c %g W %s%u %u\n", "ef"[v & 1], now, name, t, v); break;
        case 10: add("c %g E p%u \"a mark\"\n", now, 1 + (v & 1)); break;
        case 11: add("j %g S p%u %s \"why %u\"\n", now, 1 + (v & 1), v ? "R" : "W", v); break;
        default:
            if (!waiting[link])
                keys[link] = once ? last_key++ : key;
            if (v == 3)
                add(waiting[link] ? "k %g L m p1 v key%u size note\n" : "g %g L m p2 v key%u\n", now, keys[link]);
            else
                add(waiting[link] ? "k %g K m %s%u v key%u size note\n" : "g %g K m %s%u v key%u\n", now, name, t,
                    keys[link]);
            waiting[link] = !waiting[link];
        }
    }
}

static void try_cuts(const char *name)
{
    int strict;
    for (strict = 0; strict < 2 && !fault[0]; strict++) {
        size_t header = trace_size / 8 + draw((uint32_t)(trace_size / 3) + 1);
        try_chunks(name, strict, header, 1 + draw(200) + trace_size / 300);
        try_chunks(name, strict, header, trace_size / 5 + 1);
        if (!opened) { /* a trace that includes files has no index */
            make_index(0, strict);
            make_index(1, strict);
            compare_indexes(name);
        }
        try_chunks(name, strict, draw((uint32_t)trace_size), trace_size / 20 + 1);
    }
}

static void read_trace(const char *path)
{
    FILE *file = fopen(path, "rb");
    trace_size = file ? fread(trace, 1, TRACE, file) : 0;
    EXPECT(file && trace_size);
    if (file)
        fclose(file);
}

/* ---- what chunks take for granted ---- */

/* Three links, the last of which waits, so that of others between them nothing need be kept. */
#define LINKS_BEFORE "g 2 K m t1 v a\ng 2 K m t1 v b\nk 3 K m t1 v b 1 1\n"
#define LINKS_AFTER "g 8 K m t1 v c\nk 8 K m t1 v c 1 1\nk 9 K m t1 v a 1 1\n"

/* Behind other lines, so that these are read by the fast path, which does not read the last 64 bytes. */
#define MARKS "c 9 E p1 v\nc 9 E p1 v\nc 9 E p1 v\nc 9 E p1 v\nc 9 E p1 v\nc 9 E p1 v\nc 9 E p1 v\nc 9 E p1 v\n"

/* Two aliases of 17 bytes whose keys have the same words: made for that. */
#define ALIKE_1 " aaaaaaaa\xac\xb3\x7a\x39\xe9\xb5\x52\xa9\xce "
#define ALIKE_2 " aaaaaaaa\xcb\x5d\x7d\x47\x64\xae\xa2\x4e\xad "

static const struct {
    const char *name, *before, *chunk;
    int fits; /* PAJESIM_OK; else it is read or fed for nothing */
} cases[] = {
    {"links", "", LINKS_BEFORE "g 4 K m t1 v d\nk 4 K m t1 v d 1 1\n" LINKS_AFTER, 1},
    {"a link that waits begins again", "g 1 K m t1 v d\n",
     LINKS_BEFORE "g 4 K m t1 v d\nk 4 K m t1 v d 1 1\n" LINKS_AFTER, 0},
    {"a link ends twice", "",
     "g 2 K m t1 v q\nk 3 K m t3 v q 1 1\n" LINKS_BEFORE
     "k 4 K m t1 v d 1 1\ng 4 K m t1 v d\nk 4 K m t3 v d 1 1\n" LINKS_AFTER, 0},
    {"links of another key wait for their start", "k 1 K m t1 v e 1 1\n", LINKS_BEFORE LINKS_AFTER, 1},
    {"a link waits for its start", "k 4 K m t1 v d 1 1\n", LINKS_BEFORE "g 4 K m t1 v d\n" LINKS_AFTER, 0},
    {"links end in another order", "", LINKS_BEFORE "g 2 K m t1 v d\nk 2 K m t1 v d 1 1\n" LINKS_AFTER, 0},
    {"a link ends before one that came before", "g 1 K m t1 v d\nk 5 K m t1 v d 1 1\n",
     LINKS_BEFORE "g 6 K m t1 v d\nk 6 K m t1 v d 1 1\n" LINKS_AFTER, 0},
    {"a link starts twice", "", LINKS_BEFORE "g 4 K m t1 v d\ng 4 K m t1 v d\nk 4 K m t1 v d 1 1\n" LINKS_AFTER, 0},
    {"more words than fields", "", "c 1 E p1 v\nc 2 E p1 v more\nc 3 E p1 v\n", 0},
    {"a link bears two values", "", LINKS_BEFORE "g 4 K m t1 v d\nk 4 K m t1 w d 1 1\n" LINKS_AFTER, 0},
    {"a link ends before it starts", "", LINKS_BEFORE "g 6 K m t1 v d\nk 4 K m t1 v d 1 1\n" LINKS_AFTER, 0},
    {"the earliest time is that of a link", "", LINKS_BEFORE "g -4 K m t1 v d\nk 4 K m t1 v d 1 1\n" LINKS_AFTER, 1},
    {"a state is popped that is not there", "",
     "8 1 U t1 v1\na 1 U t1\n8 2 U t1 v1\na 3 U t1\na 4 U t1\n8 5 U t1 v1\n", 0},
    {"states are not in order", "", "9 1 U t1 v1\n9 5 U t1 v1\na 6 U t1\n9 3 U t1 v1\na 4 U t1\n8 7 U t1 v1\n", 0},
    {"states are not in order at the beginning", "9 5 S p1 R\na 5 S p1\n",
     "9 2 S p1 R\na 3 S p1\n9 6 S p1 R\na 7 S p1\n", 0},
    {"states are in order, of a known value", "",
     "9 1 S p1 R\na 2 S p1\n9 5 S p1 R\na 6 S p1\n9 6 S p1 R\na 6 S p1\n8 7 S p1 R\n" MARKS, 1},
    {"states are not in order, of a known value", "",
     "9 1 S p1 R\na 2 S p1\n9 5 S p1 R\na 6 S p1\n9 3 S p1 R\na 4 S p1\n8 7 S p1 R\n" MARKS, 0},
    {"a state of an unknown value", "",
     "9 1 S p1 R\na 1 S p1\n9 2 S p1 R\n9 3 S p1 odd\na 4 S p1\n8 7 S p1 R\n" MARKS, 0},
    {"a variable is popped", "",
     "9 1 S p1 R\na 1 S p1\nd 1 W t1 1\nd 2 W t1 2\na 3 W t1\nd 4 W t1 5\nd 5 W t1 6\nd 6 W t1 7\n" MARKS, 0},
    {"an event has words of another", "",
     "c 1 E p1 v\nc 2 E p1 v\nc 3 E p1 v more words\nc 4 E p1 v\nc 5 E p1 v\n" MARKS, 0},
    {"a time is no number", "", "c 1 E p1 v\nc x E p1 v\nc 2 E p1 v\n", 0},
    {"a time is no number, of a known event", "", "c 1 E p1 v\nc 1 E p1 v\nc 1x E p1 v\nc 2 E p1 v\n" MARKS, 0},
    {"a file is included", "", "c 1 E p1 v\ni p1 P file\nc 2 E p1 v\n", 0},
    {"a state that was before is closed by the first", "9 0 U t1 v1\n", "8 1 U t1 v1\n8 2 U t1 v2\n8 3 U t1 v1\n", 1},
    {"a state is popped that was before", "9 0 U t1 v1\n", "9 1 U t1 v1\na 1 U t1\na 2 U t1\n9 3 U t1 v1\n", 1},
    {"a variable that was before is changed in place", "d 1 W t1 5\n",
     "d 1 W t1 6\nd 2 W t1 7\nd 3 W t1 8\nd 4 W t1 9\n", 1},
    {"a variable that was before is changed in place twice", "d 1 W t1 5\n",
     "d 1 W t1 6\nd 1 W t1 7\nd 3 W t1 8\nd 4 W t1 9\nd 5 W t1 8\n", 1},
    {"a variable is set to what is no number", "d 1 W t1 5\n",
     "d 2 W t1 6\nd 3 W t1 7\nd 4 W t1 x\nd 5 W t1 9\nd 6 W t1 8\n" MARKS, 0},
    {"what is no number is added to a variable", "d 1 W t1 5\n",
     "d 2 W t1 6\nd 3 W t1 7\ne 4 W t1 x\nd 5 W t1 9\nd 6 W t1 8\n" MARKS, 0},
    {"a variable is set twice at a time", "d 1 W t1 5\n",
     "d 2 W t1 6\nd 3 W t1 7\nd 4 W t1 8\nc 4 E p1 v\nd 4 W t1 9\n" MARKS, 1},
    {"the sum of a variable is no number", "d 1 W t1 5\n",
     "d 2 W t1 6\nd 3 W t1 1.7e308\ne 4 W t1 1.7e308\ne 5 W t1 1.7e308\nd 6 W t1 9\nd 7 W t1 8\nd 8 W t1 8\n" MARKS,
     PAJESIM_VALUE_DECIMALS == PAJESIM_DOUBLE},
    {"the sum of a variable is no number with fixed decimals", "d 1 W t1 5\n",
     "d 2 W t1 6\nd 3 W t1 9e15\ne 4 W t1 9e15\nd 5 W t1 9\nd 6 W t1 8\nd 7 W t1 8\n" MARKS,
     PAJESIM_VALUE_DECIMALS == PAJESIM_DOUBLE},
    {"a value whose name is a quote is no empty one", "5 quote U '\"' \"0 0 0\"\n",
     "9 1 U t1 v1\na 1 U t1\n9 2 U t1 v1\na 2 U t1\n9 3 U t1 \"\"\na 3 U t1\n9 4 U t1 \"\"\na 4 U t1\n"
     "8 7 U t1 v1\n" MARKS, 0},
    {"single quotes", "", "8 1 U t1 v1\n8 2 U t1 v1\n8 3 U t1 'v1'\n8 4 U t1 v1\n", 0},
    {"a container of the same name", "",
     "9 1 U t1 v1\n9 1 U t1 v1\n7 2 t1 T\n6 3 t1 T p1 t1\na 4 U t1\n8 5 U t1 v1\n", 0},
    {"a container is destroyed", "9 0 U t1 v\na 0 U t1\n",
     "9 1 U t1 v\n9 1 U t3 v\n7 2 t1 T\na 3 U t3\n9 4 U t3 v\n", 1},
    {"containers whose aliases have one hash", "6 0 x P m" ALIKE_1 "\n6 0 y P m" ALIKE_2 "\n",
     "9 1 S" ALIKE_1 "R\na 1 S" ALIKE_1 "\n"
     "9 1 S" ALIKE_2 "R\na 1 S" ALIKE_2 "\n"
     "9 2 S" ALIKE_1 "R\na 2 S" ALIKE_1 "\n"
     "9 2 S" ALIKE_1 "R\na 2 S" ALIKE_1 "\n"
     "9 3 S" ALIKE_2 "R\na 3 S" ALIKE_2 "\n"
     "9 3 S" ALIKE_1 "R\na 3 S" ALIKE_1 "\n"
     "9 4 S" ALIKE_2 "R\na 4 S" ALIKE_2 "\n"
     "9 5 S" ALIKE_1 "R\na 5 S" ALIKE_1 "\n"
     "9 5 S" ALIKE_2 "R\na 5 S" ALIKE_2 "\n"
     MARKS, 1},
    {"a definition is not ended", "%EventDef PajeNewEvent q\n", "c 1 E p1 v\nc 2 E p1 v\n", 0},
};

static void try_cases(void)
{
    size_t i, header;
    for (i = 0; i < sizeof cases / sizeof *cases; i++) {
        unsigned before = fed;
        make_trace(0, 0, 0);
        add("%s", cases[i].before);
        header = trace_size;
        add("%s", cases[i].chunk);
        try_chunks(cases[i].name, 0, header - 1, trace_size);
        if (!opened) {
            make_index(0, 0);
            make_index(1, 0);
            compare_indexes(cases[i].name);
        }
        if ((int)(fed - before) != cases[i].fits)
            fail("a chunk was fed by what lasts of it %u times", fed - before);
        report("chunks ", cases[i].name);
    }
}

/* A value that no definition made, and that is forgotten, is made again by a chunk at any place. */
static void values_made_again(void)
{
    size_t header, apart;
    unsigned i;
    make_trace(0, 0, 0);
    add("9 1 U t1 odd\na 1 U t1\n");
    header = trace_size;
    for (i = 0; i < 40; i++) /* which forgets the first one */
        add("9 %u U t3 odd%u\na %u U t3\n", 2 + i, i % 8, 2 + i);
    add("9 50 U t1 odd\na 50 U t1\n9 51 U t1 v1\na 51 U t1\n9 52 U t1 v2\na 53 U t1\n");
    for (apart = 10; apart < 600; apart += 7)
        try_chunks("values made again", 0, header - 1, apart);
    report("chunks ", "values made again");
}

/* The first lines of each container and type last, and the last ones: little of what begins and ends in a chunk. */
static void little_lasts(void)
{
    static const char *const pairs[] = {"9 %u U t1 v1\na %u U t1\n", "8 %u U t1 v1\n8 %u U t1 v2\n",
                                        "9 %u U t1 v1\nb %u U t1\n", "d %u W t1 5\nd %u W t1 6\n",
                                        "d %u W t1 5\ne %u W t1 6\n",
                                        "c %u E p1 v\nc %u E p1 w\n", "g %u K m t1 v link\nk %u K m t3 v link 1 1\n",
                                        "g %u K m t1 v link\nh %u K m t3 v link\n",
                                        "j %u S p1 R why\na %u S p1\n"};
    enum { PAIRS = 500, MOST = 3 };
    pajesim_chunk chunk;
    size_t i, at;
    unsigned k;
    for (i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        make_trace(0, 0, 0);
        at = trace_size;
        for (k = 0; k < PAIRS; k++)
            add(pairs[i], k, k);
        EXPECT(pajesim_init(&base, base_arena, ARENA, NULL, NULL, NULL) == PAJESIM_OK);
        feed(&base, trace, at);
        EXPECT(pajesim_chunk_read(&chunk, memory, sizeof memory, &base, trace + at, trace_size - at) == PAJESIM_OK);
        if (pajesim_chunk_kept(&chunk) * PAIRS > MOST * (trace_size - at))
            fail("%lu of %lu bytes last", (unsigned long)pajesim_chunk_kept(&chunk), (unsigned long)(trace_size - at));
    }
    report("chunks ", "little lasts");
}

/* The time is the last of more than 127 fields, which tests/build.mk allows where times are integers. */
static void many_fields(void)
{
#if PAJESIM_WORDS > 200
    enum { BEFORE = 124 };
    size_t header;
    unsigned i, k;
    make_trace(0, 0, 0);
    add("%%EventDef PajeSetVariable 77\n%% Type string\n%% Container string\n%% Value double\n");
    for (k = 0; k < BEFORE; k++)
        add("%% Field%u int\n", k);
    add("%% Time date\n%%EndEventDef\n");
    header = trace_size;
    for (i = 0; i < 100; i++) {
        add("77 W t1 %u", i);
        for (k = 0; k < BEFORE; k++)
            add(" 0");
        add(" %u\n", i);
    }
    try_chunks("many fields", 0, header - 1, 5000);
    report("chunks ", "many fields");
#endif
}

/* Many states that are open at once, with any memory. */
static void deep(void)
{
    enum { DEPTH = 300 };
    size_t at, capacity;
    unsigned k;
    make_trace(0, 0, 0);
    at = trace_size;
    for (k = 0; k < DEPTH; k++)
        add("9 %u U t1 v1\n", k);
    EXPECT(pajesim_init(&base, base_arena, ARENA, NULL, NULL, NULL) == PAJESIM_OK);
    feed(&base, trace, at);
    for (capacity = LITTLE / 2; capacity < LITTLE; capacity += 8)
        read_in_memory(trace + at, trace_size - at, capacity);
    report("chunks ", "many states in any memory");
}

/* Feeds a chunk of links between others, which suits. */
static void feed_links(const char *name, const char *links)
{
    const unsigned before = fed;
    size_t header;
    make_trace(0, 0, 0);
    add("4 K2 M T T K2\n");
    header = trace_size;
    add("%s%s%s", LINKS_BEFORE, links, LINKS_AFTER);
    try_chunks(name, 0, header - 1, trace_size);
    EXPECT(fed == before + 1 && kept < 200); /* else some were not found, and kept */
    report("chunks ", name);
}

/* Returns the number of the type of links K. */
static uint32_t type_of_links(void)
{
    pajesim__key key = pajesim__key_of("K", 1);
    make_trace(0, 0, 0);
    add("4 K2 M T T K2\n");
    EXPECT(pajesim_init(&base, base_arena, ARENA, NULL, NULL, NULL) == PAJESIM_OK);
    feed(&base, trace, trace_size);
    return pajesim__table_find(&base, &PAJESIM__STATE(&base)->types, &key, 0, 0);
}

/* Links that wait at once, of keys that have the same place in the table: so they are behind one another. */
static void many_links(void)
{
    enum { LINKS = 40 };
    static char links[1 << 13];
    const pajesim__key container = pajesim__key_of("m", 1);
    const uint32_t type = type_of_links();
    unsigned keys[LINKS], count, i;
    size_t size = 0;
    for (i = 0, count = 0; count < LINKS; i++) {
        char text[20];
        const pajesim__key key = pajesim__key_of(text, (uint32_t)sprintf(text, "key%u", i));
        keys[count] = i;
        count += pajesim__chunk_link_hash(&container, type, &key) >> 59 == 7;
    }
    for (i = 0; i < LINKS; i++)
        size += (size_t)sprintf(links + size, "g 4 K m t1 v key%u\ng 4 K2 m t1 v key%u\n", keys[i], keys[i]);
    for (; i > 0; i--)
        size += (size_t)sprintf(links + size, "k 5 K2 m t1 v key%u 1 1\nk 5 K m t1 v key%u 1 1\n", keys[i - 1],
                                keys[i - 1]);
    feed_links("links that wait behind one another", links);
}

/* Two links of one container and type whose keys have the same hash. */
static void links_of_one_hash(void)
{
    static const char word[] = "0123456789abcdef";
    pajesim__half inverse = PAJESIM__MIX2, hash, words[2];
    pajesim__key key;
    char links[200], other[17] = "";
    const uint32_t type = type_of_links();
    uint32_t i, k;
    for (i = 0; i < 6; i++)
        inverse *= 2 - PAJESIM__MIX2 * inverse;
    key = pajesim__key_of(word, 16);
    hash = (key.hi + 16) * PAJESIM__MIX2;
    hash = (key.lo + type) * PAJESIM__MIX1 ^ (hash >> 32 | hash << 32);
    for (i = 0, k = 0; k < 16 && i < 50000000; i++) { /* until it has letters and digits only */
        snprintf(other, sizeof other, "%08x", (unsigned)i);
        memcpy(words, other, 8);
        words[1] = hash ^ (words[0] + type) * PAJESIM__MIX1;
        words[1] = (words[1] >> 32 | words[1] << 32) * inverse - 16;
        memcpy(other, words, 16);
        for (k = 0; k < 16 && isalnum((unsigned char)other[k]); k++) {
        }
    }
    words[0] = pajesim__mix(&key, type, 16);
    key = pajesim__key_of(other, 16);
    EXPECT(k == 16 && words[0] == pajesim__mix(&key, type, 16));
    snprintf(links, sizeof links, "g 4 K m t1 v %s\ng 4 K m t1 v %s\nk 5 K m t1 v %s 1 1\nk 5 K m t1 v %s 1 1\n", word,
             other, word, other);
    feed_links("links whose keys have one hash", links);
}

static void misuse(void)
{
    static const char text[] = "# a comment\n# another";
    pajesim_chunk chunk;
    attach(&sims[0], NULL, arena[0]);
    EXPECT(pajesim_chunk_read(NULL, memory, sizeof memory, &sims[0], text, 12) == PAJESIM_MISUSE);
    EXPECT(pajesim_chunk_read(&chunk, NULL, sizeof memory, &sims[0], text, 12) == PAJESIM_MISUSE);
    EXPECT(pajesim_chunk_read(&chunk, (char *)memory + 4, sizeof memory - 4, &sims[0], text, 12) == PAJESIM_MISUSE);
    EXPECT(pajesim_chunk_read(&chunk, memory, sizeof memory, NULL, text, 12) == PAJESIM_MISUSE);
    EXPECT(pajesim_chunk_read(&chunk, memory, sizeof memory, &sims[0], NULL, 12) == PAJESIM_MISUSE);
    EXPECT(pajesim_chunk_read(&chunk, memory, sizeof memory, &sims[0], text, 0) == PAJESIM_MISUSE);
    EXPECT(pajesim_chunk_read(&chunk, memory, sizeof memory, &sims[0], text, 13) == PAJESIM_MISUSE);
    EXPECT(pajesim_chunk_read(&chunk, memory, sizeof memory, &sims[0], text, 12) == PAJESIM_OK);
    EXPECT(pajesim_copy(NULL, copy, ARENA, &sims[0]) == PAJESIM_MISUSE);
    EXPECT(pajesim_copy(&sims[0], copy, ARENA, &sims[0]) == PAJESIM_MISUSE);
    EXPECT(pajesim_copy(&sims[1], NULL, ARENA, &sims[0]) == PAJESIM_MISUSE);
    EXPECT(pajesim_copy(&sims[1], (char *)copy + 1, ARENA - 1, &sims[0]) == PAJESIM_MISUSE);
    EXPECT(pajesim_copy(&sims[1], copy, ARENA, NULL) == PAJESIM_MISUSE);
    EXPECT(pajesim_copy(&sims[1], copy, pajesim_used(&sims[0]) - 1, &sims[0]) == PAJESIM_FULL);
    EXPECT(pajesim_chunk_feed(NULL, &chunk, text) == PAJESIM_MISUSE);
    EXPECT(pajesim_chunk_feed(&sims[0], NULL, text) == PAJESIM_MISUSE);
    EXPECT(pajesim_chunk_feed(&sims[0], &chunk, NULL) == PAJESIM_MISUSE);
    EXPECT(pajesim_chunk_feed(&sims[0], &chunk, text) == PAJESIM_STALE); /* nothing was fed: a mark may follow */
    feed(&sims[0], "% half a line", 13);
    EXPECT(pajesim_chunk_feed(&sims[0], &chunk, text) == PAJESIM_STALE);
    feed(&sims[0], "\n", 1);
    EXPECT(pajesim_chunk_feed(&sims[0], &chunk, text) == PAJESIM_OK && pajesim_count(&sims[0])->bytes == 26);
    EXPECT(pajesim_count(&sims[0])->lines == 2 && pajesim_chunk_kept(&chunk) == 0);
    pajesim_finish(&sims[0]);
    EXPECT(pajesim_chunk_feed(&sims[0], &chunk, text) == PAJESIM_FINISHED);
    report("chunks ", "misuse");
}

/* A copy has no more memory than it was given, and goes on when it is moved to more. */
static void copy_to_little(void)
{
    char line[80];
    size_t given, taken = 0;
    pajesim_status status = PAJESIM_OK;
    int i;
    attach(&sims[0], NULL, arena[0]);
    feed(&sims[0], scene_header, strlen(scene_header));
    feed(&sims[0], scene_body, strlen(scene_body));
    given = (pajesim_used(&sims[0]) + 7) / 8 * 8;
    memset(copy, 0x5a, sizeof copy);
    EXPECT(pajesim_copy(&sims[1], copy, given, &sims[0]) == PAJESIM_OK);
    for (i = 0; status == PAJESIM_OK && i < 1000; i++) {
        snprintf(line, sizeof line, "6 1 new%d P m new%d\n", i, i);
        status = pajesim_feed(&sims[1], line, strlen(line), &taken);
    }
    EXPECT(status == PAJESIM_FULL && copy[given / 8] == UINT64_C(0x5a5a5a5a5a5a5a5a));
    EXPECT(pajesim_move(&sims[1], copy, sizeof copy) == PAJESIM_OK);
    EXPECT(pajesim_feed(&sims[1], line + taken, strlen(line) - taken, NULL) == PAJESIM_OK);
    report("chunks ", "a copy in little memory");
}

int main(int count, char **names)
{
    unsigned random = 100, i;
    int n = 1;
    int tells = 0; /* by -v 1: how many chunks suited */
    for (; n + 1 < count && names[n][0] == '-'; n += 2)
        if (names[n][1] == 'v')
            tells = names[n + 1][0] == '1';
        else
            *(names[n][1] == 'n' ? &random : &seed) = (unsigned)strtoul(names[n + 1], NULL, 10);
    misuse();
    copy_to_little();
    little_lasts();
    many_fields();
    deep();
    values_made_again();
    try_cases();
    many_links();
    links_of_one_hash();
    for (i = 0; i < random && !fault[0]; i++) {
        char name[40];
        snprintf(name, sizeof name, "random trace %u", i);
        make_trace(100 + draw(400), i % 4 < 2 ? 0 : i % 4 < 3 ? 8 : 40, (int)(i / 4 % 2));
        try_cuts(name);
    }
    if (3 * fed < stale + whole)
        fail("few chunks suit: %u were fed, %u read for nothing, %u stale", fed, whole, stale);
    report("chunks ", "random traces");
    for (i = 0; i < random && !fault[0]; i++) {
        static uint8_t bytes[4000];
        char name[40];
        size_t k;
        snprintf(name, sizeof name, "hostile trace %u", i);
        for (k = 0; k < sizeof bytes; k++)
            bytes[k] = (uint8_t)draw(256);
        trace_size = (size_t)sprintf(trace, "%s%s", scene_header, scene_body);
        trace_size += lines_of(bytes, sizeof bytes / (1 + draw(4)), trace + trace_size, TRACE - trace_size);
        try_cuts(name);
    }
    report("chunks ", "hostile traces");
    for (; n < count; n++) {
        const char *name = strrchr(names[n], '/') ? strrchr(names[n], '/') + 1 : names[n];
        read_trace(names[n]);
        for (i = 0; i < 5 && !fault[0]; i++)
            try_cuts(name);
        report("chunks ", name);
    }
    if (tells) {
        printf("%u were fed, %u read for nothing, %u stale\n", fed, whole, stale);
        print_sum();
    }
    return failed;
}
