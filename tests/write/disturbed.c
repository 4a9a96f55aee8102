/* pajewrite.h in a program that disturbs it: signal handlers, cancelled threads, a sink that traces, short writes,
 * pipes that are full or left, a context that was never set up.  Each case ends within a minute, or the alarm ends the
 * program. */
#include "disturbed_threads.h"

/* ---- the same context in a signal handler */

static void on_profile_same(int number)
{
    PAJEWRITE_SCOPE(&w, me, state, PAJEWRITE_VALUE(1));
    pajewrite_set_variable(&w, me, gauge, number);
    handled++;
}

/* Takes a while, so that half of the signals come within a call. */
static uint64_t long_clock(void *data)
{
    uint64_t now = pajewrite_monotonic(data), end = now + 1000;
    while (now < end)
        now = pajewrite_monotonic(data);
    return now;
}

static void reentered(int with_table)
{
    static char buffer[1 << 12];
    static pajewrite_entry table[64];
    pajewrite_file file;
    pajewrite_config config = config_of(&file, 0);
    pajewrite_event event = PAJEWRITE__ZERO;
    pajewrite_variant sized;
    pajewrite_track track;
    pajewrite_counts counts;
    uint64_t calls = 0, defined;
    size_t size;
    config.clock = long_clock;
    if (with_table) {
        config.table = table;
        config.table_entries = 64;
    }
    pajewrite_init(&w, buffer, sizeof buffer, &config);
    define(&w);
    sized = pajewrite_define_variant(&w, PAJEWRITE_SET_STATE, "Size int");
    event.kind = sized.kind;
    event.time = PAJEWRITE_TIME_NOW;
    event.container = me;
    event.type = state;
    event.value = PAJEWRITE_VALUE(1);
    pajewrite_create_container(&w, me, thread_type, PAJEWRITE_ROOT, NULL);
    pajewrite_track_init(&track, &w, me, gauge);
    defined = pajewrite_count(&w).written;
    handled = 0;
    every(1000, on_profile_same);
    while (handled < 100) {
        PAJEWRITE_SCOPE(&w, me, state, PAJEWRITE_VALUE(1));
        pajewrite_set_variable(&w, me, gauge, (int64_t)calls);
        pajewrite_write_ints(&w, &event, sized, &event.integer, 1);
        pajewrite_track_set_variable(&track, (int64_t)calls);
        calls += 5;
        long_clock(NULL);
    }
    never();
    calls += 3 * (uint64_t)handled;
    pajewrite_destroy_container(&w, me, thread_type);
    if (pajewrite_finish(&w))
        fail("status: %s", pajewrite_status_text(pajewrite_get_status(&w)));
    close(file.descriptor);
    counts = pajewrite_count(&w);
    size = read_file();
    if (!counts.dropped || counts.dropped == 3 * (uint64_t)handled ||
        counts.written + counts.dropped != calls + defined + 1)
        fail("%llu written, %llu dropped, of %llu", (unsigned long long)counts.written,
             (unsigned long long)counts.dropped, (unsigned long long)(calls + defined + 1));
    if (counts.written > count_events(size) + 40)
        fail("lines are missing");
    if (size < sizeof content)
        replay(size);
    end_case(with_table ? "context entered again by a signal handler, with a table"
                        : "context entered again by a signal handler");
}

/* ---- a sink that traces */

static uint64_t traced_deliveries;

static pajewrite_status tracing_sink(void *data, const char *bytes, size_t size)
{
    (void)data;
    traced_deliveries++;
    memcpy(content + taken, bytes, size);
    taken += size;
    pajewrite_set_variable(&w, me, gauge, 1);
    pajewrite_flush(&w);
    return PAJEWRITE_OK;
}

static void sink_that_traces(void)
{
    static char buffer[1000];
    pajewrite_config config = PAJEWRITE_CONFIG;
    int i;
    taken = 0;
    traced_deliveries = 0;
    config.sink = tracing_sink;
    pajewrite_init(&w, buffer, sizeof buffer, &config);
    define(&w);
    pajewrite_create_container(&w, me, thread_type, PAJEWRITE_ROOT, NULL);
    for (i = 0; i < 1000; i++)
        pajewrite_set_variable(&w, me, gauge, i);
    pajewrite_destroy_container(&w, me, thread_type);
    if (pajewrite_finish(&w) != PAJEWRITE_E_REENTERED || pajewrite_count(&w).dropped != 2 * traced_deliveries)
        fail("%s; %llu dropped of %llu deliveries", pajewrite_problem(&w),
             (unsigned long long)pajewrite_count(&w).dropped, (unsigned long long)traced_deliveries);
    replay(taken);
    end_case("sink that calls its own context");
}

/* ---- contexts that were never set up, or wrongly */

static void off(void)
{
    static pajewrite zeros, from;
    static const pajewrite_definition table[] = {PAJEWRITE_ROM_CONTAINER_TYPE(1, 0, "t")};
    pajewrite_event event = PAJEWRITE__ZERO;
    pajewrite_fields fields = PAJEWRITE__ZERO;
    pajewrite_counts counts;
    pajewrite *z = &zeros;
    int round;
    for (round = 0; round < 2; round++) {
        pajewrite_header(z);
        pajewrite_announce(z, table, 1);
        pajewrite_learn(z, &from);
        define(z);
        pajewrite_create_container(z, me, thread_type, PAJEWRITE_ROOT, NULL);
        pajewrite_destroy_container_at(z, 1, me, thread_type);
        pajewrite_push_state(z, me, state, PAJEWRITE_VALUE(1));
        pajewrite_set_variable_double(z, me, gauge, 1);
        pajewrite_start_link_named(z, me, message, PAJEWRITE_VALUE(1), me, "x");
        event.kind = PAJEWRITE_NEW_EVENT;
        event.time = PAJEWRITE_TIME_NOW;
        pajewrite_write(z, &event, NULL);
        event.kind = PAJEWRITE_DEFINE_VALUE;
        pajewrite_write(z, &event, &fields);
        pajewrite_write(z, NULL, NULL);
        pajewrite_disable(z, 3);
        {
            PAJEWRITE_SCOPE(z, me, state, PAJEWRITE_VALUE(1));
        }
        if (pajewrite_new_type(z).alias || pajewrite_new_container(z).alias || pajewrite_new_value(z).alias ||
            pajewrite_define_variant(z, PAJEWRITE_NEW_EVENT, "A int").number || pajewrite_now(z))
            fail("it hands out something");
        if (pajewrite_flush(z) || pajewrite_finish(z) || pajewrite_get_status(z))
            fail("status: %s", pajewrite_problem(z));
        counts = pajewrite_count(z);
        if (counts.written || counts.dropped || counts.refused)
            fail("something is counted");
        pajewrite_enable(z, UINT32_MAX); /* does not turn it on */
    }
    end_case("context of zeros");
}

/* ---- the checking mode */

static uint64_t slow_clock(void *data)
{
    struct timespec pause = {0, 1000};
    nanosleep(&pause, NULL);
    return pajewrite_monotonic(data);
}

static void *write_into_same(void *data)
{
    int i;
    for (i = 0; i < 1000; i++)
        pajewrite_push_state((pajewrite *)data, me, state, PAJEWRITE_VALUE(1));
    return NULL;
}

static void two_threads(void)
{
    static char buffer[1 << 20];
    pajewrite_config config = PAJEWRITE_CONFIG;
    pthread_t other;
    config.clock = slow_clock;
    config.sink = pajewrite_to_stream;
    pajewrite_init(&w, buffer, sizeof buffer, &config);
    if (pthread_create(&other, NULL, write_into_same, &w))
        exit(3);
    write_into_same(&w);
    pthread_join(other, NULL);
    if (pajewrite_get_status(&w) != PAJEWRITE_E_THREADS)
        fail("status: %s", pajewrite_problem(&w));
    end_case("two threads in one context");
}

/* Threads with a context each that share a counter of aliases: no alias is given out twice. */
enum { SHARING = 4, TAKEN = 50000, SHARED_BUFFER = 4096 };
static uint32_t shared_aliases;
static unsigned char is_taken[SHARING * TAKEN + 1];

static void *take_aliases(void *buffer)
{
    pajewrite_config config = PAJEWRITE_CONFIG;
    pajewrite own;
    int i;
    config.sink = pajewrite_to_stream;
    config.aliases = &shared_aliases;
    pajewrite_init(&own, buffer, SHARED_BUFFER, &config);
    for (i = 0; i < TAKEN; i++)
        __atomic_add_fetch(&is_taken[pajewrite_new_value(&own).alias], 1, __ATOMIC_RELAXED);
    return NULL;
}

static void shared_counter(void)
{
    static char buffers[SHARING][SHARED_BUFFER];
    pthread_t threads[SHARING];
    uint32_t i;
    for (i = 0; i < SHARING; i++)
        if (pthread_create(&threads[i], NULL, take_aliases, buffers[i]))
            exit(3);
    for (i = 0; i < SHARING; i++)
        pthread_join(threads[i], NULL);
    for (i = 1; i <= SHARING * TAKEN && !fault[0]; i++)
        if (is_taken[i] != 1)
            fail("alias %u is given out %u times", i, is_taken[i]);
    end_case("aliases of threads");
}

static void same_key(void)
{
    static const char *const numbers[] = {"17", "0", "18446744073709551615"};
    static const char *const texts[] = {"017", "18446744073709551616", "17 ", "x", ""};
    static const uint64_t keys[] = {17, 0, UINT64_MAX};
    static char buffer[1 << 16];
    static pajewrite_entry table[64];
    pajewrite_config config = PAJEWRITE_CONFIG;
    pajewrite_status status;
    size_t i;
    config.sink = tracing_sink;
    config.table = table;
    config.table_entries = 64;
    for (i = 0; i < sizeof keys / sizeof *keys + sizeof texts / sizeof *texts; i++) {
        const size_t count = sizeof keys / sizeof *keys;
        const char *text = i < count ? numbers[i] : texts[i - count];
        pajewrite_init(&w, buffer, sizeof buffer, &config);
        define(&w);
        pajewrite_create_container(&w, me, thread_type, PAJEWRITE_ROOT, NULL);
        pajewrite_start_link(&w, PAJEWRITE_ROOT, message, PAJEWRITE_VALUE(1), me, i < count ? keys[i] : 17);
        pajewrite_start_link_named(&w, PAJEWRITE_ROOT, message, PAJEWRITE_VALUE(1), me, text);
        status = pajewrite_get_status(&w);
        if (status != (i < count ? PAJEWRITE_E_KEY : PAJEWRITE_OK))
            fail("key \"%s\": %s", text, pajewrite_problem(&w));
    }
    end_case("key that is a number, and its text");
}

/* ---- maps whose memory is gone when the process forks */

static void forgotten_maps(void)
{
    pajewrite_config config = PAJEWRITE_CONFIG;
    int i, answer = 0;
    pid_t child;
    for (i = 0; i < 100; i++) { /* more than a block of them */
        pajewrite_map *map = (pajewrite_map *)malloc(sizeof *map);
        pajewrite *context = (pajewrite *)malloc(sizeof *context);
        char name[100];
        snprintf(name, sizeof name, "build/write-map-%d.trace", i);
        if (pajewrite_map_open(map, name, 4096))
            fail("map %d cannot be opened", i);
        config.next_buffer = pajewrite_map_next_buffer;
        config.next_buffer_data = map;
        pajewrite_init(context, NULL, 0, &config);
        pajewrite_header(context);
        unlink(name);
        if (i % 3 == 0 && pajewrite_finish(context))
            fail("map %d: %s", i, pajewrite_problem(context));
        free(context);
        memset(map, 0x55, sizeof *map);
        free(map);
    }
    fflush(stdout);
    child = fork();
    if (child == 0)
        _exit(0);
    waitpid(child, &answer, 0);
    if (answer)
        fail("the child ends with %d", answer);
    end_case("maps that were freed before a fork");
}

/* ---- a flight recorder that another thread dumps while it is written */

static volatile int recording;

static void *record(void *data)
{
    int64_t i;
    for (i = 0; recording; i++) {
        PAJEWRITE_SCOPE(&w, me, state, PAJEWRITE_VALUE(1));
        pajewrite_set_variable(&w, me, gauge, i * i * i);
    }
    return data;
}

static pajewrite_status into_content(void *data, const char *bytes, size_t size)
{
    (void)data;
    memcpy(content + taken, bytes, size);
    taken += size;
    return PAJEWRITE_OK;
}

static void dumped_meanwhile(size_t size, int rounds)
{
    static char memory[1 << 19];
    static pajewrite_entry table[64];
    pajewrite_config config = PAJEWRITE_CONFIG;
    pthread_t writer;
    int i, whole = 0;
    config.when_full = PAJEWRITE_OVERWRITE;
    config.table = table;
    config.table_entries = 64;
    if (pajewrite_init(&w, memory, size, &config))
        fail("status: %s", pajewrite_problem(&w));
    define(&w);
    pajewrite_create_container(&w, me, thread_type, PAJEWRITE_ROOT, NULL);
    for (i = 0; i < 40; i++) /* which make the snapshots of segments long */
        pajewrite_push_state(&w, me, state, PAJEWRITE_VALUE(1));
    recording = 1;
    if (pthread_create(&writer, NULL, record, NULL))
        exit(3);
    for (i = 0; (i < rounds || !whole) && i < 10 * rounds && !fault[0]; i++) {
        pajewrite_status status;
        taken = 0;
        status = pajewrite_flight_dump(memory, size, 0, NULL, 0, into_content, NULL);
        if (status == PAJEWRITE_OK) {
            whole++;
            replay(taken);
        } else if (status != PAJEWRITE_E_OVERTAKEN) {
            fail("status: %s", pajewrite_status_text(status));
        }
    }
    recording = 0;
    pthread_join(writer, NULL);
    if (!whole)
        fail("every dump was overtaken");
    end_case(size == sizeof memory ? "flight recorder dumped by another thread" :
                                     "small flight recorder dumped by another thread");
}

#ifdef PAJEWRITE_TSC
static void clocks(void)
{
    pajewrite_tsc clock;
    uint64_t start, time, now;
    int i;
    pajewrite_tsc_init(&clock);
    start = pajewrite_monotonic(NULL);
    for (i = 0; i < 100; i++) {
        pajewrite_tsc_init(&clock);
        time = pajewrite_tsc_now(&clock);
        now = pajewrite_monotonic(NULL);
        if (time > now + 100000 || now > time + 1000000)
            fail("clock %d is off by %lld ns", i, (long long)(time - now));
    }
    if (pajewrite_monotonic(NULL) - start > 500000000) /* a calibration each would take a second */
        fail("it takes %llu ns", (unsigned long long)(pajewrite_monotonic(NULL) - start));
    end_case("100 clocks, calibrated once");
}
#endif

int main(int argc, char **argv)
{
    alarm(200);
    dumped_meanwhile((size_t)1 << 19, 300);
    dumped_meanwhile((size_t)1 << 15, 1000);
    if (argc > 1 && strcmp(argv[1], "--recorder") == 0)
        return failed;
    off();
    two_threads();
    shared_counter();
    same_key();
    forgotten_maps();
    sink_that_traces();
    reentered(0);
    reentered(1);
    full_pipe(0);
    full_pipe(1);
    shared_stream();
    left_pipe(0);
    left_pipe(1);
    threads("threads that are cancelled, and a handler", 0, 0, 1);
    threads("threads that are cancelled, O_APPEND", O_APPEND, 0, 1);
    shorten = 1;
    threads("threads whose writes are short", 0, 10000, 1);
    full_disk_of_threads();
    shorten = 0;
    threads("threads that append", O_APPEND, 10000, 1);
#ifdef PAJEWRITE_TSC
    clocks();
#endif
    return failed;
}
