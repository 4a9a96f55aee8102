/* pajewrite.h, read back by pajesim.h in strict mode: the events read are those of the calls, whatever the names,
 * numbers, times and buffers are.
 *
 * usage: write            the cases
 *        write --trace    writes a trace of every kind of event, for other readers */
#define _POSIX_C_SOURCE 200809L
#ifndef PAJEWRITE_CHECK
#define PAJEWRITE_CHECK 1
#endif
#include "write_buffers.h"
#include "write_checking.h"
#include "write_kinds.h"

static void round_trips(void)
{
    uint32_t i;
    for (i = 0; i < 120 && !fault[0]; i++) {
        pajewrite_config config = config_of();
        pajewrite_status status;
        seed = i;
        config.decimals = i % 11;
        config.origin = i % 3 ? spread() >> 8 : 0;
        config.old_names = i % 7 == 6;
        config.alias_first = i % 5 ? 1 + below(1000) : 0;
        config.alias_step = below(4);
        if (i % 4 > 1) { /* the checking mode must accept all of it */
            config.table = table;
            config.table_entries = 1000;
        }
        pajewrite_init(&w, buffer, i % 2 ? sizeof buffer : 512, &config);
        run_program(&w, i, 1500);
        status = pajewrite_finish(&w);
        if (status)
            fail("status: %s", pajewrite_status_text(status));
        if (pajewrite_count(&w).written != call_count + definitions)
            fail("%zu events, %" PRIu64 " counted", call_count, pajewrite_count(&w).written);
        replay(out.bytes, out.size, 1, config.old_names);
    }
    end_case("round trip");
}

/* The whole header, with both kinds of names. */
static void old_names(void)
{
    static const char *const old[] = {"ContainerType", "EntityType", "SourceContainer", "DestContainer",
                                      "SourceContainerType", "DestContainerType"};
    char field[64];
    int names;
    size_t i;
    for (names = 0; names < 2; names++) {
        pajewrite_config config = config_of();
        config.old_names = names;
        pajewrite_init(&w, buffer, sizeof buffer, &config);
        pajewrite_header(&w);
        pajewrite_finish(&w);
        out.bytes[out.size] = 0;
        for (i = 0; i < sizeof old / sizeof *old; i++) {
            snprintf(field, sizeof field, "%% %s string\n", old[i]);
            if (!strstr(out.bytes, field) != !names)
                fail("field %s, old_names %d", old[i], names);
        }
    }
    end_case("old names");
}

static void extreme_times(void)
{
    static const uint64_t times[] = {0, 1, 999999999, 1000000000, 1000000001, 4294967295, 4294967296,
                                     UINT64_C(18446744073000000000), UINT64_MAX - 1, UINT64_MAX};
    uint32_t decimals, origin, i, back;
    for (decimals = 1; decimals <= 10; decimals++)
        for (origin = 0; origin < 10; origin++) {
            pajewrite_config config = config_of();
            program p;
            memset(&p, 0, sizeof p);
            forget_calls();
            config.decimals = decimals;
            config.origin = p.origin = times[origin];
            if (pajewrite_init(&w, buffer, sizeof buffer, &config)) {
                if (times[origin] <= UINT64_MAX - 1000000000) /* less than a second below 2^64 ticks */
                    fail("origin %" PRIu64 " is refused", times[origin]);
                continue;
            }
            p.decimals = w.decimals;
            pajewrite_header(&w);
            pajewrite_define_container_type(&w, GROUP, PAJEWRITE_ROOT_TYPE, "group");
            expect("PajeDefineContainerType Alias=1 Type=0 Name=group");
            for (back = 0; back < 2; back++) /* the format asks for no order among creations */
                for (i = origin; i < 10; i++) {
                    uint32_t alias = 1 + i + 10 * back;
                    p.time = times[back ? 9 - (i - origin) : i];
                    pajewrite_create_container_at(&w, p.time, PAJEWRITE_CONTAINER(alias), GROUP, PAJEWRITE_ROOT, NULL);
                    expect("PajeCreateContainer Time=%s Alias=%u Type=1 Container=0 Name=%u", time_text(&p), alias,
                           alias);
                }
            if (pajewrite_finish(&w))
                fail("status: %s", pajewrite_status_text(pajewrite_get_status(&w)));
            replay(out.bytes, out.size, 1, 0);
        }
    end_case("extreme times");
}

/* Every number of decimals from an integer, compared with division. */
static void decimals(void)
{
    uint64_t n;
    char text[16], wanted[32];
    for (n = 0; n < 1000000000; n += n % 1000 < 3 ? 1 : 89) {
        uint32_t rest = (uint32_t)n;
        int i;
        pajewrite__put_nine(text, (uint32_t)n);
        for (i = 9; i--; rest /= 10)
            if (text[i] != (char)('0' + rest % 10))
                fail("%" PRIu64 " is written as %.9s", n, text);
    }
    for (n = 0; n <= UINT32_MAX && !fault[0]; n += n < 200000 ? 1 : 1 + n / 5000) {
        *pajewrite__put_u32(text, (uint32_t)n) = 0;
        snprintf(wanted, sizeof wanted, "%" PRIu64, n);
        if (strcmp(text, wanted) != 0)
            fail("%" PRIu64 " is written as %s", n, text);
    }
    for (n = 0; n < 100000 && !fault[0]; n++) {
        char wide[32];
        uint64_t number = n < 10 ? UINT64_MAX - n : n < 20 ? (UINT64_C(1) << 32) - 5 + n - 10 : spread();
        *pajewrite__put_u64(wide, number) = 0;
        snprintf(wanted, sizeof wanted, "%" PRIu64, number);
        if (strcmp(wide, wanted) != 0)
            fail("%s is written as %s", wanted, wide);
        *pajewrite__put_i64(wide, (int64_t)number) = 0;
        snprintf(wanted, sizeof wanted, "%" PRId64, (int64_t)number);
        if (strcmp(wide, wanted) != 0)
            fail("%s is written as %s", wanted, wide);
    }
    end_case("decimals");
}

static void doubles(void)
{
    static const double given[] = {0.0, -0.0, 0.1, 0.3, 1e22, 1e23, 5e-324, 2.2250738585072014e-308,
                                   1.7976931348623157e308,
                                   9007199254740993.0, 9007199253.999999, 0.000001, 0.0000005, 123456.789, 9.5, 1e15,
                                   9.999999999999999e22, 4.35, 2.5e-7, 99999999999999990.0, 9.9999999999999995e-1,
                                   1e-14, 1e-79, 1e-305, /* 17 nines, rounded up */
                                   5e-300, 2e-299, 3e-284}; /* another digit, then 16 nines */
    uint32_t i;
    char text[64];
    for (i = 0; i < 60000 && !fault[0]; i++) {
        double number = i < 2 * sizeof given / sizeof *given ? (i & 1 ? -given[i / 2] : given[i / 2]) : random_double();
        double ours, theirs;
        size_t size = (size_t)(pajewrite__put_double(text, number) - text);
        text[size] = 0;
        theirs = strtod(text, NULL);
        if (size > 24)
            fail("%s has %zu bytes", text, size);
        if (!pajesim_number(text, size, &ours) || memcmp(&ours, &number, sizeof ours) != 0 ||
            memcmp(&theirs, &number, sizeof ours) != 0)
            fail("%.17g is written as %s", number, text);
    }
    *pajewrite__put_double(text, 2251799813685247.25) = 0; /* a tie, rounded to the even digit */
    if (strcmp(text, "2.2517998136852472e15") != 0)
        fail("2251799813685247.25 is written as %s", text);
    *pajewrite__put_double(text, 1556966734616013056.0) = 0; /* more than a tie */
    if (strcmp(text, "1.5569667346160131e18") != 0)
        fail("1556966734616013056 is written as %s", text);
#if defined(FLT_EVAL_METHOD) && FLT_EVAL_METHOD == 0 /* decimals are written without an exponent */
    *pajewrite__put_double(text, -123456.789) = 0;
    if (strcmp(text, "-123456.789") != 0)
        fail("-123456.789 is written as %s", text);
#endif
    end_case("doubles");
}

/* Functions that only return something. */
static void queries(void)
{
    pajewrite_config config = config_of();
    int status;
    if (pajewrite_version() != PAJEWRITE_VERSION)
        fail("it is of version %lx", (unsigned long)pajewrite_version());
    for (status = 0; strcmp(pajewrite_status_text((pajewrite_status)status), "unknown problem") != 0; status++)
        if (strlen(pajewrite_status_text((pajewrite_status)status)) < 8 || status > 100)
            fail("status %d is called %s", status, pajewrite_status_text((pajewrite_status)status));
    if (status < 20 || strcmp(pajewrite_status_text((pajewrite_status)-1), "unknown problem") != 0)
        fail("there are %d texts", status);
    config.alias_first = 5;
    config.alias_step = 3;
    pajewrite_init(&w, buffer, sizeof buffer, &config);
    if (pajewrite_new_value(&w).alias != 5 || pajewrite_new_value(&w).alias != 8)
        fail("new values have other aliases");
    pajewrite_finish(&w);
    end_case("queries");
}

static void categories(void)
{
    pajewrite_config config = config_of();
    config.disabled = UINT32_C(1) << 31;
    pajewrite_init(&w, buffer, sizeof buffer, &config);
    pajewrite_new_event_at(&w, 1, PAJEWRITE_ROOT, MARK, PAJEWRITE_VALUE(1)); /* category 31 */
    {
        PAJEWRITE_SCOPE(&w, PAJEWRITE_ROOT, STATE, PAJEWRITE_VALUE(1)); /* category 1: 2 lines */
        {
            PAJEWRITE_SCOPE(&w, PAJEWRITE_ROOT, STATE, PAJEWRITE_VALUE(1));
            pajewrite_disable(&w, UINT32_MAX); /* a pushed state is popped: 2 lines more */
        }
        {
            PAJEWRITE_SCOPE(&w, PAJEWRITE_ROOT, STATE, PAJEWRITE_VALUE(1));
            pajewrite_push_state_at(&w, 2, PAJEWRITE_ROOT, STATE, PAJEWRITE_VALUE(1));
            pajewrite_set_variable_double_at(&w, 2, PAJEWRITE_ROOT, GAUGE, 1);
            pajewrite_start_link_named_at(&w, 2, PAJEWRITE_ROOT, LINK, PAJEWRITE_VALUE(1), PAJEWRITE_ROOT, "x");
            pajewrite_enable(&w, UINT32_C(1) << 1);
        }
    }
    pajewrite_set_variable_at(&w, 3, PAJEWRITE_ROOT, GAUGE, 1); /* category 0: disabled */
    pajewrite_push_state_at(&w, 3, PAJEWRITE_ROOT, STATE, PAJEWRITE_VALUE(1));
    pajewrite_finish(&w);
    if (records_of(out.bytes, out.size) != 5 || pajewrite_count(&w).written != 5 || pajewrite_count(&w).dropped)
        fail("%zu lines: %.*s", records_of(out.bytes, out.size), (int)out.size, out.bytes);
    end_case("categories and scopes");
}

/* pajewrite_write of each kind, while its category is disabled and when it is enabled again. */
static void categories_of_kinds(void)
{
    pajewrite_event event = PAJEWRITE__ZERO;
    pajewrite_config config = config_of();
    int kind;
    pajewrite_init(&w, buffer, sizeof buffer, &config);
    event.type = PAJEWRITE_TYPE_IN(7, 1);
    event.value = PAJEWRITE_VALUE(1);
    event.name = "name";
    for (kind = PAJEWRITE_DEFINE_CONTAINER_TYPE; kind < PAJEWRITE__AFTER_KINDS; kind++) {
        const uint64_t before = pajewrite_count(&w).written;
        const int is_switchable = kind >= PAJEWRITE_SET_STATE && kind <= PAJEWRITE_END_LINK;
        event.kind = (pajewrite_kind)kind;
        pajewrite_disable(&w, UINT32_C(1) << 7);
        pajewrite_write(&w, &event, NULL);
        if (pajewrite_count(&w).written != before + !is_switchable)
            fail("kind %d while it is disabled: %" PRIu64 " lines", kind, pajewrite_count(&w).written - before);
        pajewrite_enable(&w, UINT32_C(1) << 7);
        pajewrite_write(&w, &event, NULL);
        if (pajewrite_count(&w).written != before + !is_switchable + 1)
            fail("kind %d: %" PRIu64 " lines", kind, pajewrite_count(&w).written - before);
    }
    pajewrite_finish(&w);
    end_case("categories of each kind");
}

/* Categories are disabled in all contexts at once; what a context has disabled itself stays so. */
static void categories_everywhere(void)
{
    pajewrite_config config = config_of();
    config.disabled = UINT32_C(1) << 31;
    pajewrite_init(&w, buffer, sizeof buffer, &config);
    {
        PAJEWRITE_SCOPE(&w, PAJEWRITE_ROOT, STATE, PAJEWRITE_VALUE(1)); /* 2 lines */
        pajewrite_disable_everywhere(UINT32_C(1) << 1);
        {
            PAJEWRITE_SCOPE(&w, PAJEWRITE_ROOT, STATE, PAJEWRITE_VALUE(1));
        }
        pajewrite_push_state_at(&w, 2, PAJEWRITE_ROOT, STATE, PAJEWRITE_VALUE(1));
        pajewrite_set_variable_at(&w, 3, PAJEWRITE_ROOT, GAUGE, 1); /* category 0: 1 line */
    }
    pajewrite_disable_everywhere(UINT32_MAX);
    pajewrite_enable(&w, UINT32_C(1) << 1); /* to no avail */
    pajewrite_set_variable_at(&w, 4, PAJEWRITE_ROOT, GAUGE, 1);
    pajewrite_new_event_at(&w, 4, PAJEWRITE_ROOT, MARK, PAJEWRITE_VALUE(1));
    pajewrite_enable_everywhere(UINT32_MAX);
    pajewrite_set_variable_at(&w, 5, PAJEWRITE_ROOT, GAUGE, 1); /* 1 line */
    pajewrite_new_event_at(&w, 5, PAJEWRITE_ROOT, MARK, PAJEWRITE_VALUE(1)); /* category 31 */
    pajewrite_finish(&w);
    if (records_of(out.bytes, out.size) != 4)
        fail("%zu lines: %.*s", records_of(out.bytes, out.size), (int)out.size, out.bytes);
    end_case("categories of all contexts");
}

#if PAJEWRITE_POSIX
/* Where no clock is given, its ticks are those of the context, also after that was moved. */
static void usual_clock(void)
{
    uint64_t second = 1;
    uint32_t decimals;
    for (decimals = 0; decimals <= 10 && !fault[0]; decimals++) {
        pajewrite_config config = PAJEWRITE_CONFIG;
        pajewrite moved;
        uint64_t before, now, after, scale;
        config.sink = pajewrite_to_stream; /* of which nothing is asked */
        config.decimals = decimals ? decimals : PAJEWRITE_SECONDS;
        if (decimals == 10)
            config.decimals = 0;
        scale = 1000000000 / second;
        before = pajewrite_monotonic(NULL) / scale;
        pajewrite_init(&w, buffer, sizeof buffer, &config);
        moved = w;
        memset(&w, 0, sizeof w);
        now = pajewrite_now(&moved);
        after = pajewrite_monotonic(NULL) / scale;
        if (now < before || now > after)
            fail("%" PRIu64 ", not from %" PRIu64 " to %" PRIu64, now, before, after);
        second *= decimals < 9 ? 10 : 1;
    }
    end_case("the clock of a context for which none is given");
}
#endif

#ifdef PAJEWRITE_TSC
/* Lets this many intervals pass between two readings of the true time. */
static void pass(pajewrite_tsc *clock, uint64_t intervals)
{
    uint64_t time = (clock->interval * clock->rate >> 32) * intervals;
    clock->ticks -= clock->interval * intervals;
    clock->time -= time;
    clock->monotonic -= time;
}

/* Sets up a clock that is compared every half second already. */
static void set_up(pajewrite_tsc *clock)
{
    pajewrite_tsc_init(clock);
    clock->interval *= 64;
}

/* Reads the clock, which is off by so many nanoseconds at most. */
static uint64_t expect_now(pajewrite_tsc *clock, uint64_t tolerance)
{
    const uint64_t before = pajewrite_monotonic(NULL), now = pajewrite_tsc_now(clock);
    const uint64_t after = pajewrite_monotonic(NULL);
    if (now + tolerance < before || now > after + tolerance)
        fail("the clock is off by %" PRId64 " ns", (int64_t)(now - before));
    return now;
}

/* A counter of one tick a nanosecond that was not read for seconds; the clock is ahead, so that it is not set. */
static void tsc_not_read(void)
{
    uint64_t n;
    for (n = 0; n < 8 && !fault[0]; n++) {
        pajewrite_tsc clock;
        const uint64_t hour = UINT64_C(3600000000000);
        uint64_t passed, now, after, begun;
        set_up(&clock);
        clock.rate = UINT64_C(1) << 32;
        passed = clock.interval + (n << 31) + (n << 20);
        clock.ticks -= passed;
        clock.monotonic -= passed;
        clock.time = begun = pajewrite_monotonic(NULL) + hour;
        after = clock.ticks;
        now = pajewrite_tsc_now(&clock) - begun;
        after = __builtin_ia32_rdtsc() - after;
        if (now + 100 < passed || now > after + 100) /* of nanoseconds, by which a rate of 32 bits is off */
            fail("%" PRIu64 " ns pass, not %" PRIu64 " to %" PRIu64, now, passed, after);
    }
    end_case("time stamp counter that was not read for long");
}

/* A clock that is off is corrected within half a second, and not beyond that if it is not read for minutes. */
static void tsc_corrected(void)
{
    static const int off[] = {-900000, -300000, 900000}; /* by more than a millisecond it is set */
    uint64_t i;
    for (i = 0; i < sizeof off / sizeof *off && !fault[0]; i++) {
        const uint64_t intervals = 240;
        pajewrite_tsc clock;
        uint64_t time;
        set_up(&clock);
        time = (clock.interval * clock.rate >> 32) * intervals;
        pass(&clock, 2);
        clock.time += (uint64_t)off[i];
        pajewrite_tsc_now(&clock);
        clock.ticks -= clock.interval * intervals;
        clock.time -= time;
        clock.monotonic -= time;
        expect_now(&clock, 100000);
    }
    end_case("time stamp counter that is corrected, and then not read for long");
}

/* Where a machine is suspended, the counter may begin again, or jump ahead, while the time goes on. */
static void tsc_begun_again(void)
{
    static const int off[] = {-900000, 0, 900000};
    uint64_t i, n;
    for (i = 0; i < 6; i++)
        for (n = 1; n < 60 && !fault[0]; n += 7) {
            const uint64_t passed = UINT64_C(1000000000) * n;
            pajewrite_tsc clock;
            uint64_t now;
            set_up(&clock);
            if (i < 3)
                clock.ticks += clock.interval + clock.interval / 4 + (UINT64_C(1) << n);
            else
                clock.ticks -= UINT64_C(1) << (40 + n / 4);
            clock.monotonic -= passed;
            clock.time += (uint64_t)off[i % 3] - passed;
            now = expect_now(&clock, 1000000);
            if (pajewrite_tsc_now(&clock) < now)
                fail("the clock goes back behind %" PRIu64 " ns", now);
        }
    end_case("time stamp counter that begins again");
}

/* Where the host of a virtual machine is suspended, the time may jump ahead of the counter: the clock follows. */
static void tsc_jumped_ahead(void)
{
    uint64_t n;
    for (n = 2; n < 16 && !fault[0]; n++) {
        const uint64_t jump = UINT64_C(1000000000) << n;
        pajewrite_tsc clock;
        uint64_t passed, part;
        int i;
        set_up(&clock);
        part = clock.interval / 4 * 3;
        passed = part * clock.rate >> 32;
        clock.time -= jump + passed;
        clock.monotonic -= jump + passed;
        clock.ticks -= part;
        for (i = 0; i < 6 && !fault[0]; i++) { /* every second one is a comparison */
            clock.ticks -= part;
            clock.time -= passed;
            clock.monotonic -= passed;
            expect_now(&clock, 1000000);
        }
    }
    end_case("time that jumps ahead of the time stamp counter");
}

/* The rate of a clock that is set up is off by what the two readings were, which are ten milliseconds apart.  Others
 * are off by something else: links between their contexts would end before they start. */
static void tsc_at_first(void)
{
    static const int off[] = {-1, 1};
    uint64_t i, n;
    for (i = 0; i < 2; i++)
        for (n = 1; n < 128 && !fault[0]; n++) {
            pajewrite_tsc clock;
            uint64_t now, before, after, passed;
            pajewrite_tsc_init(&clock);
            passed = (clock.interval >> 1) * n; /* up to half a second */
            clock.ticks -= passed;
            passed = passed * clock.rate >> 32;
            clock.time -= passed;
            clock.monotonic -= passed;
            clock.rate += (uint64_t)off[i] * (clock.rate / 100000);
            before = pajewrite_monotonic(NULL);
            now = pajewrite_tsc_now(&clock);
            after = pajewrite_monotonic(NULL);
            if (now + 500 < before || now > after + 500)
                fail("%" PRIu64 " ns later the clock is off by %" PRId64 " ns", passed, (int64_t)(now - before));
        }
    end_case("time stamp counter at first");
}

/* Where the rate since the first clock of the process is not the usual one, as the machine was suspended in between,
 * the next clock measures its own. */
static void tsc_set_up_late(void)
{
    static const int seconds[] = {-1000, 1000};
    uint64_t i;
    for (i = 0; i < 2; i++) {
        pajewrite_tsc clock;
        uint64_t passed;
        pajewrite_tsc_init(&clock);
        pajewrite__tsc_first.monotonic += (uint64_t)(seconds[i] * INT64_C(1000000000));
        set_up(&clock);
        pajewrite__tsc_first.monotonic -= (uint64_t)(seconds[i] * INT64_C(1000000000));
        passed = clock.interval * clock.rate >> 32;
        clock.ticks -= clock.interval;
        clock.time -= passed;
        clock.monotonic -= passed;
        expect_now(&clock, 1000000);
        if (clock.rate - (pajewrite__tsc_first.rate / 100 * 99) > pajewrite__tsc_first.rate / 50)
            fail("its rate is %" PRIu64 ", not %" PRIu64, clock.rate, pajewrite__tsc_first.rate);
    }
    end_case("time stamp counter that is set up after the machine was suspended");
}

/* The comparisons become as rare as every half second. */
static void tsc_intervals(void)
{
    pajewrite_tsc clock;
    uint64_t i, last, longest;
    pajewrite_tsc_init(&clock);
    longest = clock.interval * 64;
    for (i = 0; i < 10 && !fault[0]; i++) {
        last = clock.interval;
        clock.ticks -= last + 1;
        clock.time -= last * clock.rate >> 32;
        clock.monotonic -= last * clock.rate >> 32;
        pajewrite_tsc_now(&clock);
        if (clock.interval != (last < longest ? last * 2 : last))
            fail("%" PRIu64 " ticks follow an interval of %" PRIu64, clock.interval, last);
    }
    end_case("time stamp counter: intervals");
}

static void tsc(void)
{
    /* The clock lags far behind, as after a sleep; it was not read for 10 seconds; it is ahead, or behind. */
    static const int off[] = {-20000000, 0, 50000, -50000};
    pajewrite_tsc clock;
    uint64_t last = 0, now = 0, i;
    set_up(&clock);
    if (clock.interval / 64 != (UINT64_C(7812500) << 32) / clock.rate)
        fail("half a second has %" PRIu64 " ticks, at a rate of %" PRIu64, clock.interval, clock.rate);
    for (i = 0; i < sizeof off / sizeof *off && !fault[0]; i++) {
        uint64_t end = pajewrite_monotonic(NULL) + 300000000;
        while (last < end && !fault[0]) {
            now = pajewrite_tsc_now(&clock);
            if (now < last)
                fail("the clock goes back by %" PRIu64 " ns", last - now);
            last = now;
        }
        pass(&clock, i == 1 ? 20 : 2);
        clock.time += (uint64_t)off[i];
        now = pajewrite_tsc_now(&clock);
        clock.ticks += clock.interval; /* the counter of another core is behind */
        last = pajewrite_tsc_now(&clock);
        if (last < now)
            fail("the clock goes back by %" PRIu64 " ns on another core", now - last);
        clock.ticks -= clock.interval;
        expect_now(&clock, 100000);
    }
    end_case("time stamp counter");
}
#endif

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--trace") == 0) {
        pajewrite_config config = config_of();
        config.sink = pajewrite_to_stream;
        config.sink_data = stdout;
        pajewrite_init(&w, buffer, sizeof buffer, &config);
        without_files = 1;
        run_program(&w, argc > 2 ? strtoull(argv[2], NULL, 10) : 1, 3000);
        return pajewrite_finish(&w) != PAJEWRITE_OK;
    }
    decimals();
    doubles();
    round_trips();
    old_names();
    extreme_times();
    extreme_numbers();
    ways();
    hostile_names();
    user_fields();
    buffer_sizes();
    room_sizes();
    refusals();
    queries();
    categories();
    categories_of_kinds();
    categories_everywhere();
    finishing();
#if PAJEWRITE_CHECK
    checking();
    out_of_order();
    ends_of_containers();
    ends_in_each_slot();
    learning();
    ended_elsewhere();
    values_used();
    values_known();
#else
    made_again();
#endif
    gaps();
    gap_of_definitions();
    dropping();
    debts(60 * DEBTS);
    debts(20 * DEBTS);
    after_dropped();
    gap_of_links();
    gap_of_links_in_full_table();
    gap_of_old_link();
    finish_dropping();
    gap_of_variants();
    gap_in_announcement();
    learned_gap();
    full_table();
    halves_of_links();
#if PAJEWRITE_POSIX
    usual_clock();
#endif
#ifdef PAJEWRITE_TSC
    tsc();
    tsc_not_read();
    tsc_corrected();
    tsc_begun_again();
    tsc_jumped_ahead();
    tsc_at_first();
    tsc_set_up_late();
    tsc_intervals();
#endif
    return failed != 0;
}
