/* Tunlets that tg makes of specifications find the same as those written by hand, on random traces.
 * usage: generated [TRACES] */
#include "analyse.h"
#include "record.h"
#include "tunlets/tunlets.h"

#include "base/array.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

extern const tunlet tunlet_generated_workers, tunlet_generated_factoring, tunlet_generated_pipeline, tunlet_cumulative,
    tunlet_generated_cumulative;

enum { ITERATIONS = 20, MOST = 2 * ITERATIONS, PAIRS = 4 };

static uint64_t seed;
static uint32_t draw(uint32_t below)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(seed >> 33) % below;
}

static recorder record;
static array_of(char) trace;

static pajewrite_status keep(void *data, const char *bytes, size_t size)
{
    (void)data;
    array_reserve(&trace, size);
    memcpy(trace.items + trace.count, bytes, size);
    trace.count += size;
    return PAJEWRITE_OK;
}

static void happened(void *data, const application_moment *moment)
{
    (void)data;
    record_moment(&record, moment);
}

static void record_program(int is_dealt)
{
    const application of = {1 + draw(200000), draw(20), draw(100000), 1000 + draw(50000000), happened, NULL};
    int64_t time = draw(1000000), iteration, task_time[APPLICATION_WORKERS];
    int i;
    array_clear(&trace);
    record_begin(&record, RECORD_ALL, 0, keep, NULL);
    for (iteration = 0; iteration < ITERATIONS; iteration++) {
        const int workers = 1 + (int)draw(APPLICATION_WORKERS - 1);
        for (i = 0; i < workers; i++)
            task_time[i] = 100 + draw(100000);
        if (is_dealt)
            time = application_deal(&of, iteration, workers, draw(500), draw(2000000), task_time, time);
        else
            time = application_iterate(&of, iteration, workers, 1 + draw(64), time);
    }
    record_end(&record);
}

/* ---- a pipeline, whose events have other fields */

static void put(const char *format, ...)
{
    char line[256];
    va_list arguments;
    int size;
    va_start(arguments, format);
    size = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    keep(NULL, line, (size_t)size);
}

static void record_pipeline(void)
{
    static const char *const definitions[] = {
        "DefineContainerType 1 Alias string Type string Name string",
        "DefineEventType 2 Alias string Type string Name string",
        "DefineEntityValue 3 Alias string Type string Name string",
        "CreateContainer 4 Time date Alias string Type string Container string Name string",
        "NewEvent 5 Time date Type string Container string Value string Iteration int Actors int",
        ("NewEvent 6 Time date Type string Container string Value string Iteration int Actors int Batch int Items int "
         "Handoff int"),
        "NewEvent 7 Time date Type string Container string Value string Iteration int Actors int Busy int"};
    int iteration, i, time = 0;
    size_t k;
    array_clear(&trace);
    for (k = 0; k < sizeof definitions / sizeof *definitions; k++) {
        char text[256], *word;
        snprintf(text, sizeof text, "%s", definitions[k]);
        word = strtok(text, " ");
        put("%%EventDef Paje%s ", word);
        put("%s\n", strtok(NULL, " "));
        while ((word = strtok(NULL, " "))) {
            put("%% %s ", word);
            put("%s\n", strtok(NULL, " "));
        }
        put("%%EndEventDef\n");
    }
    put("1 P 0 Program\n1 S 0 Stage\n2 A P A\n2 B S B\n");
    put("3 s A IterationStarts\n3 f A IterationFinishes\n3 e B StageEnds\n4 0 p P 0 p\n");
    for (i = 0; i < 20; i++)
        put("4 0 c%d S 0 stage%d\n", i, i);
    for (iteration = 0; iteration < ITERATIONS; iteration++) {
        const int stages = 1 + (int)draw(20), items = 1 + (int)draw(1000);
        put("6 %d.%06d A p s %d %d %u %d %u\n", time / 1000000, time % 1000000, iteration, stages, 1 + draw(300), items,
            draw(100000));
        for (i = 0; i < stages; i++, time++)
            put("7 %d.%06d B c%d e %d %d %u\n", time / 1000000, time % 1000000, i, iteration, stages,
                draw(10) ? draw(10000000) : 0);
        put("5 %d.%06d A p f %d 0\n", time / 1000000, time % 1000000, iteration);
    }
}

/* ---- what a tunlet finds */

typedef struct finding {
    int64_t current, wanted;
    int is_known;
} finding;

static finding found[MOST];
static int count;
static const tunlet *asked;

static int note(const void *state, int64_t *wanted)
{
    const tunlet_point *point = &asked->points[0];
    finding it = {0, 0, 0};
    memcpy(&it.current, (const char *)state + point->current, sizeof it.current);
    it.is_known = point->evaluate(state, &it.wanted);
    if (it.is_known) {
        const int64_t distance = it.wanted > it.current ? it.wanted - it.current : it.current - it.wanted;
        if (distance <= asked->points[0].tolerance) /* or by a condition of its own, as tunlets of tg do */
            it.wanted = it.current;
    }
    if (count < MOST)
        found[count++] = it;
    *wanted = it.wanted;
    return it.is_known;
}

static void decided(void *data, const decision *made)
{
    (void)data, (void)made;
}

/* Runs a tunlet over the trace; returns how many iterations there were. */
static int run(const tunlet *of, finding *to)
{
    static analysis analyser;
    static feed in;
    tunlet_point point = of->points[0];
    tunlet noting = *of;
    const tunlet *one = &noting;
    asked = of;
    count = 0;
    point.evaluate = note;
    noting.points = &point;
    analyse_begin(&analyser, &one, 1, 3, decided, NULL);
    feed_begin(&in, analyser.gathered, 1);
    reader_bytes(&in.reader, trace.items, trace.count);
    feed_end(&in);
    analyse_end(&analyser);
    memcpy(to, found, sizeof found);
    return count;
}

int main(int argc, char **argv)
{
    static const tunlet *const pairs[PAIRS][2] = {{&tunlet_workers, &tunlet_generated_workers},
                                              {&tunlet_factoring, &tunlet_generated_factoring},
                                              {&tunlet_pipeline, &tunlet_generated_pipeline},
                                              {&tunlet_cumulative, &tunlet_generated_cumulative}};
    static finding by_hand[MOST], made[MOST];
    const int traces = argc > 1 ? atoi(argv[1]) : 100;
    int status = 0, pair, i, k;
    for (pair = 0; pair < PAIRS; pair++) {
        int different = 0, known = 0;
        for (i = 0; i < traces; i++) {
            seed = (uint64_t)i * 1000003 + (uint64_t)pair;
            if (pair == 2)
                record_pipeline();
            else
                record_program(pair);
            memset(by_hand, 0, sizeof by_hand);
            memset(made, 0, sizeof made);
            different += run(pairs[pair][0], by_hand) != ITERATIONS;
            different += run(pairs[pair][1], made) != ITERATIONS;
            for (k = 0; k < ITERATIONS; k++) {
                different += by_hand[k].is_known != made[k].is_known || by_hand[k].current != made[k].current ||
                             by_hand[k].wanted != made[k].wanted;
                known += by_hand[k].is_known && by_hand[k].wanted != by_hand[k].current;
            }
        }
        printf("%s mate/%s: made of a specification and by hand: ", different || known < traces ? "FAIL" : "PASS",
               pairs[pair][0]->name);
        printf("%d of %d iterations ask for a change, %d differ\n", known, traces * ITERATIONS, different);
        status |= different || known < traces;
    }
    return status;
}
