/* Runs the tests of prose/: traces, and the logs of callbacks that they must give (see prose/README.md).
 *
 *     prose [-v] [-l STEP] [-w STEP] FILE.md ...
 *
 * -v shows what was expected and what was seen.  -l sets the step of the arena ladder in bytes; by default it is 1, so
 * every capacity is tried.  -w sets the step in the list of ways to feed a trace, likewise.  header.trace and
 * scene.trace are read from the folder of the first file. */
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

#include "prose_feed.h"

static void complain(const char *subject, const test *it, int strict, const char *how, const char *why)
{
    printf("FAIL prose %s: %s: %s, %s: %s\n", subject, it->title, strict ? "strict" : "lenient", how, why);
    failed++;
}

/* Checks that a run has the expected log, and that all invariants hold. */
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
    if (r->how->silent || (expected->size == r->log.size && !memcmp(a, b, r->log.size)))
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

/* Runs with every capacity from that of an image on, by steps, up to the one that suffices. */
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

/* Returns the lowest capacity of a test's ladder: that of the image before its trace. */
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

/* Returns whether a way makes sense for a test. */
static int applies(const test *it, const way *how)
{
    size_t size = it->trace.size, line;
    if (how->blanks) { /* the included file is one line longer: errors at the end are reported there */
        const char *log = it->log[it->set.modes == LENIENT ? 0 : 1].bytes; /* strict mode has all of these errors */
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
    return strncmp(it->trace.bytes + line, "DestroyContainer", 16) != 0; /* its log differs at the end */
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
        for (w = 0; w < WAYS && well; w += way_step) {
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

/* Runs the header and scene with every capacity from 0 on. */
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
        uint64_t room[64]; /* aligned, and not empty */
        pajesim sim;
        run r;
        memset(&options, 0, sizeof options);
        options.strict = strict;
        least = pajesim_arena_min(&options);
        for (capacity = 0; capacity < least && good; capacity++) {
            void *arena = capacity < sizeof room ? room : get(capacity);
            if (pajesim_init(&sim, arena, capacity, &options, &callbacks, NULL) != PAJESIM_FULL ||
                pajesim_capacity_needed(&sim) != least) {
                complain("ladder", &it, strict, "below pajesim_arena_min", "init does not return FULL and that");
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

/* Checks that every problem of the table occurred, in each mode with the severity of the table, and every event. */
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
    setvbuf(stdout, NULL, _IOLBF, 1 << 12); /* a crash then keeps the earlier output */
    for (; first < count && arguments[first][0] == '-'; first++)
        if (!strcmp(arguments[first], "-v"))
            verbose = 1;
        else if (!strcmp(arguments[first], "-l") && first + 1 < count)
            ladder_step = (size_t)strtoul(arguments[++first], NULL, 10);
        else if (!strcmp(arguments[first], "-w") && first + 1 < count)
            way_step = (size_t)strtoul(arguments[++first], NULL, 10);
        else
            first = count;
    if (first >= count || !ladder_step || !way_step) {
        fputs("usage: prose [-v] [-l STEP] [-w STEP] FILE.md ...\n", stderr);
        return 2;
    }
    standard_header = read_beside(arguments[first], "header.trace");
    standard_scene = read_beside(arguments[first], "scene.trace");
    all = count - first > 5; /* a few files alone need not cover everything */
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
