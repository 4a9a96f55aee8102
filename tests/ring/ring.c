/* The ring of pajewrite.h: the same calls give the same bytes as the linear writer; interrupts may write at any moment,
 * and their lines come out whole and in order of time; drops are reported exactly; in rings of every size.
 * tests/ring/ring.sh links it with linear.c. */
#define _POSIX_C_SOURCE 200809L
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>

/* Calls the interrupts wherever they are not masked and it matters. */
static volatile sig_atomic_t masked;
static void (*volatile let_in)(void);
static void unmask(unsigned saved)
{
    masked = (int)saved;
    if (!masked && let_in)
        let_in();
}
#define FENCE __asm__ volatile("" ::: "memory")
#define PAJEWRITE_ENTER(saved) \
    do { unmask((unsigned)masked); (saved) = (unsigned)masked; masked = 1; FENCE; } while (0)
#define PAJEWRITE_LEAVE(saved) do { FENCE; unmask(saved); } while (0)
#define PAJEWRITE__IN_PARTS 1
#define PAJEWRITE_BARRIER() do { FENCE; unmask((unsigned)masked); } while (0)
#define PAJEWRITE_NOW() read_clock()
#define PAJEWRITE_DECIMALS DECIMALS
#define PAJEWRITE_RING 1
#include "calls.h"
#include "../lib/expect.h"

static void end_case(const char *name)
{
    char test[40];
    snprintf(test, sizeof test, "ring/%d.%d ", (int)PAJEWRITE_HZ, DECIMALS);
    report(test, name);
}

static uint32_t seed;
static uint32_t below(uint32_t n) { return hash(seed++) % n; }

/* A clock that advances by up to `pace`, and sometimes jumps.  Interrupts of its reader get later times. */
static uint64_t ticks, pace;
uint64_t read_clock(void)
{
    uint64_t now;
    if (pace)
        ticks += 1 + hash((uint32_t)ticks + 1) % pace + (hash((uint32_t)ticks + 2) % 64 ? 0 : pace * 1000);
    now = ticks;
    unmask((unsigned)masked);
    return now;
}

static void set_clock(uint64_t time, uint64_t step)
{
    ticks = time;
    pace = step;
}

static pajewrite w;
static char *ring; /* of exactly its size, for the address sanitizer */
static char out[1 << 20], expected[1 << 20];
static size_t size; /* of `out` */

static void begin(size_t ring_size)
{
    free(ring);
    ring = (char *)malloc(ring_size);
    memset(ring, 0x55, ring_size);
    size = 0;
    if (pajewrite_init(&w, ring, ring_size, NULL))
        fail("a ring of %zu bytes is refused", ring_size);
}

static void put(char c)
{
    if (size < sizeof out - 1)
        out[size++] = c;
    out[size] = 0;
}

/* Takes up to `most` bytes, one by one or in blocks. */
static void drain(size_t most)
{
    while (most) {
        if (below(2)) {
            int c = pajewrite_next_byte(&w);
            if (c < 0)
                return;
            put((char)c);
            most--;
        } else {
            char bytes[100];
            size_t i, asked = 1 + below(sizeof bytes), block = pajewrite_read(&w, bytes, asked < most ? asked : most);
            if (!block)
                return;
            for (i = 0; i < block; i++)
                put(bytes[i]);
            most -= block;
        }
    }
}

static void announce(void) { pajewrite_announce(&w, table, ENTRIES); }

static void compare(size_t expected_size, const char *what)
{
    size_t i = 0;
    if (size == expected_size && !memcmp(out, expected, size))
        return;
    while (i < size && i < expected_size && out[i] == expected[i])
        i++;
    while (i && out[i - 1] != '\n')
        i--;
    fail("%s: at byte %zu of %zu/%zu: %.40s, expected %.40s", what, i, size, expected_size, out + i, expected + i);
}

/* ---- the same calls, the same bytes, in rings of every size */

static void test_announce(void)
{
    size_t ring_size, bytes;
    set_clock(7, 0);
    bytes = linear_announce(expected, sizeof expected);
    for (ring_size = PAJEWRITE_BUFFER_MIN; ring_size < 500 && !fault[0]; ring_size++) {
        char name[32];
        set_clock(7, 0);
        begin(ring_size);
        announce();
        while (size < bytes)
            drain(1 + below(60));
        drain(SIZE_MAX);
        snprintf(name, sizeof name, "ring of %zu", ring_size);
        compare(bytes, name);
    }
    end_case("announced as by the linear writer, in rings of any size");
}

static void drain_within(void)
{
    let_in = NULL;
    drain(SIZE_MAX);
    let_in = drain_within;
}

/* An interrupt drains at each step of an announcement, after that of a part of the table. */
static void test_announced_again(void)
{
    size_t bytes;
    set_clock(7, 0);
    bytes = linear_announce(expected, sizeof expected);
    begin(PAJEWRITE_BUFFER_MIN);
    pajewrite_announce(&w, table, ENTRIES - 1);
    drain(SIZE_MAX);
    size = 0;
    set_clock(7, 0);
    let_in = drain_within;
    announce();
    let_in = NULL;
    drain(SIZE_MAX);
    compare(bytes, "again");
    end_case("announced again, while interrupts drain");
}

static void test_same(void)
{
    static const uint64_t starts[] = {0, PAJEWRITE_HZ - 1, (uint64_t)PAJEWRITE_HZ * 86400 * 36500};
    size_t ring_size, bytes;
    uint32_t n, start;
    for (start = 0; start < 3; start++) {
        uint64_t step = start == 1 ? 1 : PAJEWRITE_HZ / 3 + 2;
        set_clock(starts[start], step);
        bytes = linear_calls(1000, 28, expected, sizeof expected - 1);
        if (!bytes)
            fail("the linear writer failed");
        expected[bytes] = 0;
        for (ring_size = 130; ring_size < 400 && !fault[0]; ring_size += 1 + start) {
            char name[32];
            set_clock(starts[start], step);
            begin(ring_size);
            for (n = 0; n < 1000; n++) {
                call(&w, n, 28);
                drain(SIZE_MAX);
            }
            snprintf(name, sizeof name, "ring of %zu", ring_size);
            compare(bytes, name);
        }
    }
    end_case("the same calls give the same bytes");
}

/* ---- drops are reported */

static const char *next_line(const char *p) { return strchr(p, '\n') + 1; }

static int same_word(const char *a, const char *b)
{
    size_t n = strcspn(a, " \n");
    return n == strcspn(b, " \n") && !memcmp(a, b, n);
}

static const char *word(const char *line, int n)
{
    for (; n; n--)
        line = strchr(line, ' ') + 1;
    return line;
}

static void test_drops(void)
{
    size_t ring_size, bytes;
    uint32_t n, all = 0;
    set_clock(0, PAJEWRITE_HZ / 100 + 2);
    bytes = linear_calls(2000, 15, expected, sizeof expected - 1);
    expected[bytes] = 0;
    for (ring_size = 130; ring_size < 400 && !fault[0]; ring_size++) {
        const char *line, *due = expected;
        uint32_t dropped = 0;
        set_clock(0, PAJEWRITE_HZ / 100 + 2);
        begin(ring_size);
        for (n = 0; n < 2000; n++) {
            call(&w, n, 15);
            if (n % 128 < 96)
                drain(below(80));
        }
        drain(SIZE_MAX);
        for (line = out; *line && !fault[0]; line = next_line(line)) {
            if (*line != '#') {
                if (strncmp(line, due, (size_t)(next_line(due) - due)))
                    fail("ring of %zu: %.60s, expected %.60s", ring_size, line, due);
                due = next_line(due);
            } else {
                uint32_t gap = (uint32_t)strtoul(word(line, 2), NULL, 10);
                dropped += gap;
                if (!gap || !same_word(word(line, 5), word(due, 1)))
                    fail("ring of %zu: %.60s before %.60s", ring_size, line, due);
                for (; gap > 1 && *due; gap--)
                    due = next_line(due);
                if (!*due || !same_word(word(line, 7), word(due, 1)))
                    fail("ring of %zu: %.60s to %.60s", ring_size, line, due);
                else
                    due = next_line(due);
            }
        }
        if (*due || dropped != pajewrite_count(&w).dropped)
            fail("ring of %zu: told %u, dropped %u", ring_size, dropped, (unsigned)pajewrite_count(&w).dropped);
        all += dropped;
    }
    if (!all)
        fail("nothing was dropped");
    end_case("drops are reported exactly");
}

/* ---- interrupts */

static volatile sig_atomic_t level, signalled;
static uint32_t written[3], chance, drained_within;

/* The events of the main program (0) and of interrupts of two priorities, numbered. */
static void write_one(void)
{
    pajewrite_container c = PAJEWRITE_CONTAINER((uint32_t)level + 1);
    uint32_t n = written[level]++;
    if (n % 3)
        pajewrite_push_state(&w, c, PAJEWRITE_TYPE(STATE), PAJEWRITE_VALUE(n));
    else
        pajewrite_set_variable(&w, c, PAJEWRITE_TYPE(LEVEL), n);
}

static void interrupt_now(void)
{
    if (level == 2 || below(chance))
        return;
    level++;
    if (drained_within && level == 2) { /* the UART's */
        drain(below(9));
    } else {
        write_one();
        if (!below(4))
            write_one();
    }
    level--;
}

/* Checks that lines and gaps are in order of time, that the numbers of each writer ascend, that missing ones are
 * reported, and that definitions are whole. */
static void check_interrupted(size_t ring_size)
{
    uint32_t next[3] = {0, 0, 0}, lines = 0, told = 0;
    int defining = 0;
    double time = 0;
    const char *p;
    for (p = out; *p && !fault[0]; p = next_line(p)) {
        char copy[128], expected_line[128];
        size_t n = (size_t)(next_line(p) - p);
        snprintf(copy, sizeof copy, "%.*s", (int)n, p);
        if (*p == '%') {
            defining = strncmp(p, "%EndEventDef", 12) != 0;
        } else if (defining) {
            fail("ring of %zu: within a definition: %s", ring_size, copy);
        } else if (*p == '#') {
            double from = strtod(word(p, 5), NULL), to = strtod(word(p, 7), NULL);
            told += (uint32_t)strtoul(word(p, 2), NULL, 10);
            if (from < time || to < from)
                fail("ring of %zu: before %f: %s", ring_size, time, copy);
            time = to;
        } else if (atoi(p) == PAJEWRITE_PUSH_STATE || atoi(p) == PAJEWRITE_SET_VARIABLE) {
            unsigned kind, c, type, value;
            double now;
            char stamp[40];
            lines++;
            if (sscanf(p, "%u %39s %u %u %u", &kind, stamp, &c, &type, &value) != 5 || c < 1 || c > 3) {
                fail("ring of %zu: broken line: %s", ring_size, copy);
                break;
            }
            now = strtod(stamp, NULL);
            snprintf(expected_line, sizeof expected_line, "%u %s %u %u %u\n", kind, stamp, c, type, value);
            if (strcmp(copy, expected_line) || kind != (value % 3 ? PAJEWRITE_PUSH_STATE : PAJEWRITE_SET_VARIABLE))
                fail("ring of %zu: broken line: %s", ring_size, copy);
            if (now < time || value < next[c - 1])
                fail("ring of %zu: out of order, %f, %u: %s", ring_size, time, next[c - 1], copy);
            time = now;
            next[c - 1] = value + 1;
        }
    }
    if (told != pajewrite_count(&w).dropped || lines + told != written[0] + written[1] + written[2])
        fail("ring of %zu: %u lines, %u told, %u dropped, written %u", ring_size, lines, told,
             (unsigned)pajewrite_count(&w).dropped, written[0] + written[1] + written[2]);
}

static void test_interrupts(void)
{
    size_t ring_size;
    uint32_t n, inner = 0;
    for (ring_size = PAJEWRITE_BUFFER_MIN; ring_size < 300 && !fault[0]; ring_size++) {
        int busy = ring_size % 2; /* then more is written than drained, and nothing can be announced */
        set_clock(0, PAJEWRITE_HZ / 1000 + 2);
        begin(ring_size);
        memset(written, 0, sizeof written);
        chance = busy ? 3 + below(20) : 50 + below(150);
        drained_within = ring_size % 3 == 0;
        let_in = interrupt_now;
        for (n = 0; n < 300; n++) {
            write_one();
            if (n % 64 < 48 && !drained_within)
                drain(below(60));
            if (n % 100 == 99 && !busy && !drained_within)
                announce();
        }
        let_in = NULL;
        drain(SIZE_MAX);
        check_interrupted(ring_size);
        inner += written[2];
    }
    if (inner < 1000)
        fail("only %u nested interrupts", inner);
    end_case("interrupts at every step, two levels deep");
}

/* Interrupts at random moments. */
static volatile sig_atomic_t pending[3], running[3];

static void handle(int priority)
{
    int was = level;
    if (masked || running[priority] || level > priority) {
        pending[priority] = 1;
        return;
    }
    pending[priority] = 0;
    running[priority] = 1;
    level = priority;
    signalled++;
    if (priority == 2)
        drain(below(200));
    else
        write_one();
    level = was;
    running[priority] = 0;
}

static void handle_pending(void)
{
    if (pending[2])
        handle(2);
    if (pending[1])
        handle(1);
}

static void on_signal(int signal) { handle(signal == SIGALRM ? 1 : 2); }

static void set_timers(long microseconds)
{
    struct itimerval every;
    every.it_interval.tv_sec = every.it_value.tv_sec = 0;
    every.it_interval.tv_usec = every.it_value.tv_usec = microseconds;
    setitimer(ITIMER_REAL, &every, NULL);
    every.it_interval.tv_usec = every.it_value.tv_usec = microseconds ? microseconds + 13 : 0;
    setitimer(ITIMER_VIRTUAL, &every, NULL);
}

static void test_signals(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESTART;
    sigaction(SIGALRM, &action, NULL);
    sigaction(SIGVTALRM, &action, NULL);
    memset(written, 0, sizeof written);
    set_clock(0, PAJEWRITE_HZ / 1000 + 2);
    begin(200);
    let_in = handle_pending;
    set_timers(37);
    while (size < sizeof out / 2 && signalled < 1000)
        write_one();
    set_timers(0);
    let_in = NULL;
    handle_pending();
    drain(SIZE_MAX);
    check_interrupted(200);
    if (!signalled)
        fail("no signal came");
    end_case("signals at any moment");
}

/* ---- limits */

/* Counts what lets interrupts in: once before they are masked, and once after. */
static int times_masked;
static void count_masked(void) { times_masked++; }

static void test_limits(void)
{
    static const pajewrite_variant sized = {SIZED, PAJEWRITE_PUSH_STATE, 1};
    char name[100];
    size_t i, lines = 0;
    pajewrite_event event;
    pajewrite_fields fields;
    memset(name, 'n', sizeof name);
    name[99] = 0;
    if (pajewrite_init(&w, expected, PAJEWRITE_BUFFER_MIN - 1, NULL) != PAJEWRITE_E_MISUSE ||
        pajewrite_init(&w, expected, 66000, NULL) != PAJEWRITE_E_MISUSE ||
        pajewrite_init(&w, expected, SIZE_MAX / 2 + 201, NULL) != PAJEWRITE_E_MISUSE ||
        pajewrite_init(&w, NULL, 1000, NULL) != PAJEWRITE_E_MISUSE)
        fail("an impossible ring is taken");
    pajewrite_set_state(&w, PAJEWRITE_CONTAINER(1), PAJEWRITE_TYPE(1), PAJEWRITE_VALUE(1));
    if (pajewrite_next_byte(&w) >= 0 || pajewrite_count(&w).dropped != 1)
        fail("something is in no ring");
    begin(PAJEWRITE_BUFFER_MIN);
    set_clock(0, 0);
    pajewrite_create_container(&w, PAJEWRITE_CONTAINER(1), PAJEWRITE_TYPE(1), PAJEWRITE_ROOT, name);
    if (pajewrite_get_status(&w) != PAJEWRITE_E_TOO_LONG || pajewrite_count(&w).dropped != 1)
        fail("a line that is longer than the ring is not refused");
    drain(SIZE_MAX);
    if (strncmp(out, "# dropped 1 events from 0", 25) || strlen(out) != size)
        fail("written: %s", out);
    size = 0;
    pajewrite_disable(&w, 1u << 3);
    pajewrite_set_state(&w, PAJEWRITE_CONTAINER(1), PAJEWRITE_TYPE_IN(3, 1), PAJEWRITE_VALUE(1));
    pajewrite_set_variable(&w, PAJEWRITE_CONTAINER(1), PAJEWRITE_TYPE_IN(3, 1), -1);
    {
        PAJEWRITE_SCOPE(&w, PAJEWRITE_CONTAINER(1), PAJEWRITE_TYPE_IN(3, 1), PAJEWRITE_VALUE(1));
        pajewrite_enable(&w, 1u << 3); /* what was not pushed is not popped */
    }
    drain(SIZE_MAX);
    if (size)
        fail("written: %s", out);
    pajewrite_disable(&w, ~(1u << 3));
    {
        PAJEWRITE_SCOPE(&w, PAJEWRITE_CONTAINER(1), PAJEWRITE_TYPE_IN(3, 1), PAJEWRITE_VALUE(1));
    }
    drain(SIZE_MAX);
    for (i = 0; i < size; i++)
        lines += out[i] == '\n';
    if (lines != 2)
        fail("a scope has other lines than two: %s", out);
    begin(PAJEWRITE_BUFFER_MIN);
    {
        PAJEWRITE_SCOPE(&w, PAJEWRITE_CONTAINER(1), PAJEWRITE_TYPE_IN(3, 1), PAJEWRITE_VALUE(1));
        pajewrite_disable(&w, 1u << 3); /* what was pushed is popped */
    }
    drain(SIZE_MAX);
    if (strncmp(out, "19 0", 4) || !strstr(out, " 1 1 1\n20 0") || strcmp(out + size - 5, " 1 1\n"))
        fail("a scope that is disabled within is not left: %s", out);
    let_in = count_masked; /* interrupts may call these, too */
    pajewrite_enable(&w, 1u << 3);
    pajewrite_disable(&w, 1u << 4);
    pajewrite_count(&w);
    let_in = NULL;
    if (times_masked != 6)
        fail("categories are changed, or drops counted, while interrupts may change them");
    begin(PAJEWRITE_BUFFER_MIN);
    memset(&event, 0, sizeof event);
    event.kind = PAJEWRITE_DEFINE_VALUE;
    pajewrite_write(&w, &event, NULL);
    drain(SIZE_MAX);
    if (size || pajewrite_get_status(&w) != PAJEWRITE_E_KIND || pajewrite_count(&w).dropped != 1)
        fail("a definition is taken for an event: %s", out);
    for (i = 1; i <= 8; i++) {
        begin(PAJEWRITE_BUFFER_MIN);
        event.kind = (pajewrite_kind)(PAJEWRITE_END_LINK + i);
        pajewrite_write(&w, &event, NULL);
        drain(SIZE_MAX);
        if (size || pajewrite_get_status(&w) != PAJEWRITE_E_KIND)
            fail("a kind that is none is taken for an event: %s", out);
    }
    begin(PAJEWRITE_BUFFER_MIN);
    event.kind = PAJEWRITE_DEFINE_VALUE;
    pajewrite_write(&w, &event, NULL);
    event.kind = PAJEWRITE_SET_STATE;
    fields = pajewrite_fields_of(sized);
    pajewrite_write(&w, &event, &fields);
    if (pajewrite_count(&w).dropped != 2)
        fail("fields of another kind are taken");
    event.kind = PAJEWRITE_PUSH_STATE;
    pajewrite_write(&w, &event, &fields);
    pajewrite_field_string(&fields, name);
    pajewrite_write(&w, &event, &fields);
    drain(SIZE_MAX);
    if (size || pajewrite_count(&w).dropped != 4)
        fail("no field, or one that is too long, is taken: %s", out);
    pajewrite_enable(&w, 1u << 3);
    pajewrite_pop_state(&w, PAJEWRITE_CONTAINER(1), PAJEWRITE_TYPE_IN(3, 1));
    drain(SIZE_MAX);
    if (strncmp(out, "20 0", 4) || strcmp(word(out, 2), "1 1\n"))
        fail("written: %s", out);
    begin(65535);
    announce();
    drain(SIZE_MAX);
    compare(linear_announce(expected, sizeof expected), "the largest ring");
    end_case("limits");
}

/* After it was full, it takes events again, when it is drained. */
static void test_full(void)
{
    uint32_t round, n;
    set_clock(0, 0);
    begin(PAJEWRITE_BUFFER_MIN);
    for (round = 1; round < 5; round++) {
        for (n = 0; pajewrite_count(&w).dropped < round; n++)
            pajewrite_push_state(&w, PAJEWRITE_CONTAINER(n), PAJEWRITE_TYPE(STATE), PAJEWRITE_VALUE(1));
        size = 0;
        drain(SIZE_MAX);
        if (n < 3 || (strstr(out, "dropped") != NULL) != PAJEWRITE_GAPS)
            fail("round %u: %u events, %s", round, n, out);
        size = 0;
        pajewrite_push_state(&w, PAJEWRITE_CONTAINER(7), PAJEWRITE_TYPE(STATE), PAJEWRITE_VALUE(2));
        drain(SIZE_MAX);
        if (strncmp(out, "19 0", 4) || strcmp(word(out, 2), "7 2 2\n"))
            fail("round %u: after it was full: %s", round, out);
        if (pajewrite_get_status(&w))
            fail("round %u: status %d", round, (int)pajewrite_get_status(&w));
    }
    end_case(PAJEWRITE_GAPS ? "a ring that was full" : "a ring that was full, and tells no gaps");
}

/* A ring may begin at any address: its words do at even ones, and nothing around it is written. */
static void test_addresses(void)
{
    enum { AROUND = 8 };
    static uint64_t area[AROUND + PAJEWRITE_BUFFER_MIN / sizeof(uint64_t)];
    char *const bytes = (char *)area;
    size_t first, i;
    set_clock(0, 0);
    for (first = AROUND; first < 2 * AROUND; first++) {
        memset(area, 0x55, sizeof area);
        if (pajewrite_init(&w, bytes + first, PAJEWRITE_BUFFER_MIN, NULL) || (uintptr_t)w.units % 2)
            fail("%zu: words at %p", first, (void *)w.units);
        while (!pajewrite_count(&w).dropped)
            pajewrite_push_state(&w, PAJEWRITE_CONTAINER(1), PAJEWRITE_TYPE(STATE), PAJEWRITE_VALUE(1));
        size = 0;
        drain(SIZE_MAX);
        for (i = 0; i < sizeof area; i++)
            if ((i < first || i >= first + PAJEWRITE_BUFFER_MIN) && bytes[i] != 0x55)
                fail("%zu: byte %zu is written", first, i);
    }
    end_case("a ring at any address");
}

/* ---- time */

/* Compares a time with nanoseconds, truncated; where a tick is not a whole number of them, it may be one more. */
static void test_time(void)
{
    uint32_t n, before = 0;
    for (n = 0; n < 400000 && !fault[0]; n++) {
        uint32_t tick = n < 200000 ? (uint32_t)((uint64_t)n * PAJEWRITE_HZ / 200000) : below(PAJEWRITE_HZ);
        uint32_t nanoseconds = (uint32_t)((uint64_t)tick * 1000000000 / PAJEWRITE_HZ), more;
        char room[32] = "", exact[2][32];
        const char *text = pajewrite__ring_time(room + sizeof room - 1, tick, 0) + 1; /* after the seconds */
        for (more = 0; more < 2; more++) {
            snprintf(exact[more], sizeof exact[more], ".%09u", nanoseconds + more);
            exact[more][DECIMALS ? DECIMALS + 1 : 0] = 0;
        }
        if (strcmp(text, exact[0]) && (1000000000 % PAJEWRITE_HZ == 0 || strcmp(text, exact[1])))
            fail("tick %u is shown as %s, expected %s", tick, text, exact[0]);
        if (n < 200000 && DECIMALS == 9) {
            uint32_t shown = (uint32_t)atoi(text + 1);
            if (shown < before)
                fail("tick %u is shown as %s, after %u", tick, text, before);
            before = shown;
        }
    }
    end_case("ticks are shown exactly");
}

/* A clock that goes back below 0, or is beyond 2^32 seconds: the time is wrong, but nothing else is written over. */
static void test_late_time(void)
{
    const size_t places = PAJEWRITE_DECIMALS ? PAJEWRITE_DECIMALS + 1 : 0;
    uint32_t n;
    for (n = 0; n < 100000 && !fault[0]; n++) {
        const uint32_t low = n & 1 ? below(1 << 30) * 4 + below(4) : 0 - below(1000);
        const uint32_t more = n < 8 ? 0 : below(UINT32_MAX - PAJEWRITE_HZ);
        const uint32_t high = n & 2 ? UINT32_MAX : PAJEWRITE_HZ + more;
        char room[48] = "";
        char *const end = room + 32, *const p = pajewrite__ring_time(end, low, high);
        if (p < room + 11 || memcmp(end, "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 16) ||
            strspn(p, "0123456789.") != (size_t)(end - p) ||
            (places && *(end - places) != '.'))
            fail("%u:%u ticks are shown as %.48s", high, low, p);
    }
    end_case("times that are too late");
}

int main(void)
{
    uint64_t unit = 1;
    int n;
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (n = DECIMALS; n; n--)
        unit *= 10;
    test_time();
    if (DECIMALS < 9)
        test_late_time();
    test_full();
    test_addresses();
    if (!PAJEWRITE_GAPS)
        return failed > 0;
    if (unit == PAJEWRITE_HZ) { /* with what the linear writer can do, too */
        test_announce();
        test_announced_again();
        test_same();
        test_drops();
    }
    test_interrupts();
    test_signals();
    test_limits();
    free(ring);
    return failed > 0;
}
