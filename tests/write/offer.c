/* Sinks that do not wait (config.offer): whatever a slow, sleeping or dead peer took is a valid trace, and all that it
 * did not take is counted. */
#define _POSIX_C_SOURCE 200809L
#include <stddef.h>
static size_t moved_freely = 65536; /* so much is moved in the buffer at any time; more only if that pays */
#define PAJEWRITE__MOVED_FREELY moved_freely
#include "write.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

/* How a sink in memory takes what it is offered. */
static struct {
    uint32_t patience; /* one of so many offers is taken, and a part of it; 0: all */
    size_t begin;      /* bytes that are taken without delay: the definitions */
    size_t die_at;     /* fails when so many bytes are taken; 0: never */
    size_t most;       /* takes no more bytes of an offer; 0: any number */
    int offers;
} peer;

static size_t slow(void *data, const char *bytes, size_t size)
{
    memory *m = (memory *)data;
    size_t taken = size;
    peer.offers++;
    if (peer.die_at && m->size >= peer.die_at)
        return PAJEWRITE_OFFER_FAILED;
    if (peer.patience && m->size >= peer.begin)
        taken = below(peer.patience) ? 0 : below(3) ? below((uint32_t)size + 1) : size;
    if (peer.most && taken > peer.most)
        taken = peer.most;
    if (m->size + taken > m->room) {
        m->room = (m->size + taken) * 2;
        m->bytes = (char *)realloc(m->bytes, m->room);
    }
    if (taken)
        memcpy(m->bytes + m->size, bytes, taken);
    m->size += taken;
    return taken;
}

static pajewrite_config offer_config(int has_table)
{
    pajewrite_config config = config_of();
    config.sink = NULL;
    config.offer = slow;
    if (has_table) {
        config.table = table;
        config.table_entries = 1000;
    }
    memset(&peer, 0, sizeof peer);
    return config;
}

/* The sum of the gaps that comments tell. */
static uint64_t told_drops(void)
{
    uint64_t sum = 0;
    const char *at = out.bytes;
    while (at < out.bytes + out.size) {
        if (!strncmp(at, "# dropped ", 10))
            sum += strtoull(at + 10, NULL, 10);
        at = (const char *)memchr(at, '\n', (size_t)(out.bytes + out.size - at));
        if (!at++)
            break;
    }
    return sum;
}

static void end_slow(uint64_t number, pajewrite_status wanted)
{
    pajewrite_counts counts;
    pajewrite_finish(&w);
    counts = pajewrite_count(&w);
    if (pajewrite_get_status(&w) != wanted)
        fail("%" PRIu64 ": status %s", number, pajewrite_status_text(pajewrite_get_status(&w)));
    if (counts.written < records_of(out.bytes, out.size) - (out.size && out.bytes[out.size - 1] != '\n') ||
        counts.written > records_of(out.bytes, out.size))
        fail("%" PRIu64 ": %zu records taken, %" PRIu64 " counted", number, records_of(out.bytes, out.size),
             counts.written);
}

static void slow_peers(void)
{
    uint64_t number, dropped = 0, gaps = 0;
    for (number = 0; number < 300 && !fault[0]; number++) {
        pajewrite_config config = offer_config(1);
        uint64_t repaired, events;
        steady = number % 2;
        pending_links_pass = !steady;
        flushes = number % 3 == 0;
        peer.patience = 1 + (uint32_t)number % 60;
        peer.begin = 6000;
        moved_freely = number % 4 < 2 ? 65536 : 0;
        pajewrite_init(&w, buffer, 7000 + 30 * (number % 200), &config);
        run_program(&w, number, 2000);
        peer.patience = 0; /* it wakes up */
        pajewrite_flush(&w);
        pajewrite_flush(&w);
        events = call_count + definitions;
        dropped += pajewrite_count(&w).dropped;
        gaps += told_drops() != 0;
        if (told_drops() != pajewrite_count(&w).dropped)
            fail("%" PRIu64 ": %" PRIu64 " dropped, %" PRIu64 " told", number, pajewrite_count(&w).dropped,
                 told_drops());
        repaired = pajewrite_count(&w).written + pajewrite_count(&w).dropped - events;
        if (repaired > events)
            fail("%" PRIu64 ": less is counted than was written", number);
        end_slow(number, PAJEWRITE_OK);
        replay(out.bytes, out.size, 0, 0);
    }
    flushes = steady = pending_links_pass = 0;
    moved_freely = 65536;
    if (!fault[0] && (dropped < 1000 || gaps < 50))
        fail("%" PRIu64 " dropped, in %" PRIu64 " traces", dropped, gaps);
    end_case("offer: slow peers");
}

#include "offer_pieces.h"

/* A peer that dies, or is asleep at the end: what it took is valid up to its last whole line. */
static void dead_peers(void)
{
    uint64_t number;
    for (number = 0; number < 200 && !fault[0]; number++) {
        pajewrite_config config = offer_config(1);
        int sleeps = number % 4 == 0;
        pending_links_pass = 1;
        peer.patience = 1 + (uint32_t)number % 9;
        peer.begin = 6000;
        peer.die_at = sleeps ? 0 : 6000 + 131 * (size_t)number;
        moved_freely = number % 8 < 4 ? 65536 : 0;
        pajewrite_init(&w, buffer, 8000, &config);
        run_program(&w, number, 1000);
        if (sleeps)
            peer.patience = UINT32_MAX;
        pajewrite_finish(&w);
        if (sleeps || peer.die_at > out.size || pajewrite_get_status(&w) != PAJEWRITE_OK)
            end_slow(number, sleeps || peer.die_at > out.size ? PAJEWRITE_OK : PAJEWRITE_E_SINK);
        while (out.size && out.bytes[out.size - 1] != '\n')
            out.size--;
        replay(out.bytes, out.size, 0, 0);
    }
    pending_links_pass = 0;
    moved_freely = 65536;
    end_case("offer: dead and sleeping peers");
}

/* Peers come and go; what each of them took is a trace by itself. */
static void attached_peers(void)
{
    uint64_t number, attached = 0;
    for (number = 0; number < 200 && !fault[0]; number++) {
        static program p;
        pajewrite_config config = offer_config(1);
        uint32_t i, at = 0;
        pending_links_pass = 1;
        config.definitions_size = 24000;
        peer.patience = number % 2 ? UINT32_MAX : 3; /* 1: not one is there at first */
        peer.die_at = number % 4 == 2 ? 20000 : 0;
        moved_freely = number % 8 < 4 ? 65536 : 0;
        pajewrite_init(&w, buffer, sizeof buffer, &config);
        memset(&p, 0, sizeof p);
        seed = number;
        p.w = &w;
        p.origin = p.time = w.config.origin;
        p.decimals = w.decimals;
        p.next_container = 1;
        p.next_key = 1;
        forget_calls();
        pajewrite_header(&w);
        define(&p);
        create(&p, 0, GROUP, PAJEWRITE_ROOT);
        for (i = 0; i < 6000 && !fault[0]; i++) {
            step(&p);
            if (!below(3000) || i == 4000) {
                while (out.size && out.bytes[out.size - 1] != '\n')
                    out.size--;
                if (out.size)
                    replay(out.bytes, out.size, 0, 0);
                out.size = 0;
                peer.begin = SIZE_MAX; /* it takes all at first */
                if (pajewrite_attach(&w, &out) != PAJEWRITE_OK)
                    fail("%" PRIu64 ": attached: %s", number, pajewrite_status_text(pajewrite_get_status(&w)));
                peer.begin = 0;
                peer.patience = 1 + below(9);
                peer.die_at = below(2) ? 30000 + below(10000) : 0;
                attached++;
                at = i;
            }
        }
        peer.patience = 0;
        pajewrite_flush(&w);
        pajewrite_flush(&w);
        pajewrite_finish(&w);
        while (out.size && out.bytes[out.size - 1] != '\n')
            out.size--;
        if (at && out.size < 5000)
            fail("%" PRIu64 ": %zu bytes only since the last peer came", number, out.size);
        replay(out.bytes, out.size, 0, 0);
    }
    pending_links_pass = 0;
    moved_freely = 65536;
    if (attached < 200 && !fault[0])
        fail("%" PRIu64 " peers only", attached);
    end_case("attach: peers that come and go");
}

#include "offer_attach.h"

static uint64_t time_now;
static uint64_t test_clock(void *data)
{
    (void)data;
    return time_now;
}

/* What was dropped before another peer came is not told to that one. */
static void attached_after_gap(void)
{
    pajewrite_config config = offer_config(1);
    pajewrite_counts before;
    int i;
    config.definitions_size = 2400;
    peer.patience = UINT32_MAX;
    out.size = 0;
    pajewrite_init(&w, buffer, 6000, &config);
    pajewrite_header(&w);
    pajewrite_define_variable_type(&w, GAUGE, PAJEWRITE_ROOT_TYPE, "gauge", NULL);
    for (i = 0; i < 1000; i++)
        pajewrite_set_variable(&w, PAJEWRITE_ROOT, GAUGE, i);
    if (pajewrite_count(&w).dropped < 500)
        fail("%" PRIu64 " dropped", pajewrite_count(&w).dropped);
    peer.patience = 0;
    out.size = 0;
    before = pajewrite_count(&w);
    if (pajewrite_attach(&w, &out) != PAJEWRITE_OK)
        fail("attached: %s", pajewrite_status_text(pajewrite_get_status(&w)));
    if (pajewrite_count(&w).dropped != before.written + before.dropped) /* the last peer took nothing */
        fail("%" PRIu64 " dropped", pajewrite_count(&w).dropped);
    pajewrite_set_variable(&w, PAJEWRITE_ROOT, GAUGE, 7);
    if (pajewrite_finish(&w) != PAJEWRITE_OK || told_drops())
        fail("%" PRIu64 " are told, status %s", told_drops(), pajewrite_status_text(pajewrite_get_status(&w)));
    replay(out.bytes, out.size, 0, 0);
    end_case("attach: a gap of the last peer");
}

/* While nothing is taken, bytes are offered again after 64 events or 100 microseconds. */
static void patience(void)
{
    pajewrite_config config = offer_config(0);
    int i, before;
    config.clock = test_clock;
    time_now = 1;
    pajewrite_init(&w, buffer, 4096, &config);
    pajewrite_header(&w);
    pajewrite_flush(&w);
    peer.patience = UINT32_MAX;
    seed = 1;
    for (i = 0; i < 200; i++)
        pajewrite_set_variable(&w, PAJEWRITE_ROOT, GAUGE, 1);
    before = peer.offers;
    for (i = 0; i < 6400; i++)
        pajewrite_set_variable(&w, PAJEWRITE_ROOT, GAUGE, 1);
    if (peer.offers - before < 98 || peer.offers - before > 101)
        fail("%d offers in 6400 events", peer.offers - before);
    before = peer.offers;
    for (i = 0; i < 100; i++, time_now += 50000)
        pajewrite_set_variable(&w, PAJEWRITE_ROOT, GAUGE, 1);
    if (peer.offers - before < 32 || peer.offers - before > 51)
        fail("%d offers in 5 ms", peer.offers - before);
    time_now += 1000000;
    pajewrite_set_variable(&w, PAJEWRITE_ROOT, GAUGE, 1);
    before = peer.offers;
    time_now += 100000;
    pajewrite_set_variable(&w, PAJEWRITE_ROOT, GAUGE, 1);
    if (peer.offers != before)
        fail("an offer after 100 microseconds");
    time_now++;
    pajewrite_set_variable(&w, PAJEWRITE_ROOT, GAUGE, 1);
    if (peer.offers != before + 1)
        fail("no offer after more than 100 microseconds");
    pajewrite_finish(&w);
    end_case("offer: how often");
}

/* Nothing is offered after finish, so that offers all that is taken, in pieces or after a gap. */
static void finished(size_t most, int drops)
{
    pajewrite_config config = offer_config(1);
    int i;
    peer.patience = drops ? UINT32_MAX : 0;
    out.size = 0;
    pajewrite_init(&w, buffer, 16384, &config);
    pajewrite_header(&w);
    pajewrite_define_variable_type(&w, GAUGE, PAJEWRITE_ROOT_TYPE, "gauge", NULL);
    for (i = 0; i < (drops ? 2000 : 200); i++)
        pajewrite_set_variable(&w, PAJEWRITE_ROOT, GAUGE, i);
    peer.patience = 0;
    peer.most = most;
    pajewrite_finish(&w);
    if (told_drops() != pajewrite_count(&w).dropped || (told_drops() != 0) != drops)
        fail("%" PRIu64 " dropped, %" PRIu64 " told", pajewrite_count(&w).dropped, told_drops());
    if (records_of(out.bytes, out.size) != pajewrite_count(&w).written)
        fail("%zu records taken, %" PRIu64 " counted", records_of(out.bytes, out.size), pajewrite_count(&w).written);
    replay(out.bytes, out.size, 0, 0);
    end_case(drops ? "offer: finish offers the rest after a gap" : "offer: finish offers the rest in pieces");
}

/* After a gap lines are collected in the buffer as before it, also where a table repairs what was lost. */
static void after_gap(int has_table)
{
    pajewrite_config config = offer_config(has_table);
    int i, before;
    peer.patience = UINT32_MAX;
    pajewrite_init(&w, buffer, 16384, &config);
    pajewrite_header(&w);
    pajewrite_define_variable_type(&w, GAUGE, PAJEWRITE_ROOT_TYPE, "gauge", NULL);
    for (i = 0; i < 2000; i++)
        pajewrite_set_variable(&w, PAJEWRITE_ROOT, GAUGE, i);
    peer.patience = 0;
    for (i = 0; i < 200; i++)
        pajewrite_set_variable(&w, PAJEWRITE_ROOT, GAUGE, i);
    before = peer.offers;
    for (i = 0; i < 100; i++)
        pajewrite_set_variable(&w, PAJEWRITE_ROOT, GAUGE, i);
    if (peer.offers > before + 1)
        fail("%d offers for 100 events", peer.offers - before);
    pajewrite_finish(&w);
    if (told_drops() != pajewrite_count(&w).dropped || !told_drops())
        fail("%" PRIu64 " dropped, %" PRIu64 " told", pajewrite_count(&w).dropped, told_drops());
    replay(out.bytes, out.size, 0, 0);
    end_case(has_table ? "offer: after a gap, with a table" : "offer: after a gap");
}

/* A gap ends when half of the buffer is free, also where the last bytes that were taken are few, and not moved. */
static void half_free(void)
{
    enum { HALF = 2048 };
    size_t left;
    for (moved_freely = 0; moved_freely < 65536; moved_freely += 65535)
        for (left = HALF - 300; left < HALF + 100; left += 3) {
            pajewrite_config config = offer_config(0);
            uint64_t before;
            pajewrite_init(&w, buffer, 2 * HALF, &config);
            pajewrite_header(&w);
            pajewrite_flush(&w);
            peer.patience = UINT32_MAX;
            while (!pajewrite_count(&w).dropped)
                pajewrite_set_variable(&w, PAJEWRITE_ROOT, GAUGE, 1);
            peer.patience = 0;
            peer.most = (size_t)(w.next - w.buffer) - left - 150;
            pajewrite_flush(&w);
            peer.most = 150;
            pajewrite_flush(&w);
            before = pajewrite_count(&w).dropped;
            peer.patience = UINT32_MAX;
            pajewrite_set_variable(&w, PAJEWRITE_ROOT, GAUGE, 1);
            EXPECT((pajewrite_count(&w).dropped == before) == (left <= HALF - PAJEWRITE__SLACK));
            pajewrite_finish(&w);
        }
    moved_freely = 65536;
    end_case("offer: a gap ends when half of the buffer is free");
}

/* A peer that takes nothing at first misses a part of the header, for which the buffer is too small, and gets it later.
 * What waits is offered again also where all events are on a container whose creation was dropped. */
static void late_peer(int has_table)
{
    pajewrite_config config = offer_config(has_table);
    int i;
    peer.patience = UINT32_MAX;
    pajewrite_init(&w, buffer, 1024, &config);
    pajewrite_header(&w);
    pajewrite_define_container_type(&w, PAJEWRITE_TYPE(1), PAJEWRITE_ROOT_TYPE, "process");
    pajewrite_create_container(&w, PAJEWRITE_CONTAINER(1), PAJEWRITE_TYPE(1), PAJEWRITE_ROOT, "run");
    peer.patience = 0;
    for (i = 0; i < 20000; i++)
        pajewrite_set_variable(&w, PAJEWRITE_CONTAINER(has_table), GAUGE, i);
    if (has_table ? out.size < 1500 : pajewrite_count(&w).written < 19000)
        fail("%" PRIu64 " written, %zu bytes", pajewrite_count(&w).written, out.size);
    pajewrite_finish(&w);
    if (told_drops() != pajewrite_count(&w).dropped)
        fail("%" PRIu64 " dropped, %" PRIu64 " told", pajewrite_count(&w).dropped, told_drops());
    end_case(has_table ? "offer: a peer that is late, with a table" : "offer: a peer that is late");
}

static void misuse(void)
{
    pajewrite_config config = offer_config(0);
    config.sink = to_memory;
    if (pajewrite_init(&w, buffer, sizeof buffer, &config) != PAJEWRITE_E_MISUSE)
        fail("a sink and an offer are accepted");
    config = offer_config(1);
    config.when_full = PAJEWRITE_OVERWRITE;
    if (pajewrite_init(&w, buffer, sizeof buffer, &config) != PAJEWRITE_E_MISUSE)
        fail("a flight recorder with an offer is accepted");
    config = offer_config(1);
    config.definitions_size = PAJEWRITE_BUFFER_MIN - 1;
    if (pajewrite_init(&w, buffer, sizeof buffer, &config) != PAJEWRITE_E_MISUSE)
        fail("too little for definitions is accepted");
    config.definitions_size = sizeof buffer - PAJEWRITE_BUFFER_MIN + 1;
    if (pajewrite_init(&w, buffer, sizeof buffer, &config) != PAJEWRITE_E_MISUSE)
        fail("definitions that leave too little are accepted");
    config.definitions_size--;
    if (pajewrite_init(&w, buffer, sizeof buffer, &config) != PAJEWRITE_OK)
        fail("definitions that leave enough are refused");
    end_case("offer: misuse");
}

/* ---- sockets and pipes */

static struct {
    int descriptor;
    size_t die_at;  /* closes after so many bytes; 0: never */
    long pause;     /* nanoseconds after each read */
} reader;

static void *read_all(void *unused)
{
    struct timespec pause = {0, 0};
    pause.tv_nsec = reader.pause;
    for (;;) {
        ssize_t size;
        if (out.room < out.size + 65536) {
            out.room = out.size * 2 + 65536;
            out.bytes = (char *)realloc(out.bytes, out.room);
        }
        size = read(reader.descriptor, out.bytes + out.size, 4096);
        if (size <= 0)
            break;
        out.size += (size_t)size;
        if (reader.die_at && out.size >= reader.die_at)
            break;
        if (pause.tv_nsec && out.size > 8000)
            nanosleep(&pause, NULL);
    }
    close(reader.descriptor);
    return unused;
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void connected(const char *name, int is_socket, long pause, size_t die_at)
{
    static pajewrite_peer to;
    int ends[2], i;
    pthread_t thread;
    double longest = 0;
    pajewrite_counts counts;
    pajewrite_config config = config_of();
    if (is_socket ? socketpair(AF_UNIX, SOCK_STREAM, 0, ends) : pipe(ends))
        exit(3);
    reader.descriptor = ends[0];
    reader.pause = pause;
    reader.die_at = die_at;
    if (pajewrite_peer_init(&to, ends[1]) != PAJEWRITE_OK)
        fail("it is not accepted");
    config.sink = NULL;
    config.offer = pajewrite_to_peer;
    config.sink_data = &to;
    config.table = table;
    config.table_entries = 1000;
    pajewrite_init(&w, buffer, sizeof buffer, &config);
    pajewrite_header(&w);
    pajewrite_define_container_type(&w, THREAD, PAJEWRITE_ROOT_TYPE, "Thread");
    pajewrite_define_state_type(&w, STATE, THREAD, "State");
    pajewrite_define_value(&w, PAJEWRITE_VALUE(1), STATE, "one", NULL);
    pajewrite_create_container(&w, PAJEWRITE_CONTAINER(1), THREAD, PAJEWRITE_ROOT, "thread");
    pajewrite_flush(&w);
    if (pthread_create(&thread, NULL, read_all, NULL))
        exit(3);
    errno = 1234;
    for (i = 0; i < 100000; i++) {
        double before = i % 16 ? 0 : seconds(), taken;
        pajewrite_push_state(&w, PAJEWRITE_CONTAINER(1), STATE, PAJEWRITE_VALUE(1));
        pajewrite_pop_state(&w, PAJEWRITE_CONTAINER(1), STATE);
        taken = i % 16 ? 0 : seconds() - before;
        longest = taken > longest ? taken : longest;
    }
    if (errno != 1234)
        fail("errno has changed");
    for (i = 0; i < 4000 && !die_at && w.next > w.buffer; i++) {
        struct timespec moment = {0, 1000000};
        pajewrite_flush(&w);
        nanosleep(&moment, NULL);
    }
    pajewrite_flush(&w);
    pajewrite_finish(&w);
    counts = pajewrite_count(&w);
    if (!die_at)
        close(ends[1]);
    pthread_join(thread, NULL);
    if (die_at)
        close(ends[1]);
    if (pajewrite_get_status(&w) != (die_at ? PAJEWRITE_E_SINK : PAJEWRITE_OK))
        fail("status: %s", pajewrite_status_text(pajewrite_get_status(&w)));
    if (counts.written + counts.dropped < 200000)
        fail("%" PRIu64 " written and %" PRIu64 " dropped", counts.written, counts.dropped);
    if (longest > 1)
        fail("a call waited for %.3f s", longest);
    while (die_at && out.size && out.bytes[out.size - 1] != '\n')
        out.size--;
    if (!die_at && counts.written != records_of(out.bytes, out.size))
        fail("%" PRIu64 " written, %zu arrived", counts.written, records_of(out.bytes, out.size));
    replay(out.bytes, out.size, 0, 0);
    end_case(name);
}

/* Returns how many records were taken whole. */
static uint64_t whole_records(void)
{
    const char *at = out.bytes, *end;
    uint64_t sum = 0;
    while (out.size && (end = (const char *)memchr(at, '\n', out.size - (size_t)(at - out.bytes))) != NULL) {
        sum += (*at >= '0' && *at <= '9') || !strncmp(at, "%End", 4);
        at = end + 1;
    }
    return sum;
}

static size_t taken_at[3], offers;

/* Takes so many bytes of the first offers, and none of others. */
static size_t some(void *data, const char *bytes, size_t size)
{
    const size_t most = offers < 3 ? taken_at[offers++] : 0, taken = most < size ? most : size;
    peer.patience = 0;
    peer.most = taken;
    return taken ? slow(data, bytes, size) : 0;
}

/* Writes definitions, a gap and what is behind it, to a peer that takes some bytes of each offer. */
static void write_gap_to(size_t first, size_t second, size_t third)
{
    pajewrite_config config = offer_config(1);
    int i;
    out.size = offers = 0;
    taken_at[0] = taken_at[1] = taken_at[2] = 0;
    config.offer = some;
    config.definitions_size = 8000;
    pajewrite_init(&w, buffer, 14000, &config);
    pajewrite_header(&w);
    pajewrite_define_variable_type(&w, GAUGE, PAJEWRITE_ROOT_TYPE, "Gauge", NULL);
    for (i = 0; !pajewrite_count(&w).dropped; i++) {
        offers = 3;
        pajewrite_set_variable(&w, PAJEWRITE_ROOT, GAUGE, i);
    }
    offers = 0;
    taken_at[0] = first;
    taken_at[1] = second;
    taken_at[2] = third;
    pajewrite_flush(&w);
}

/* A peer that goes away within the comment on a gap, and one that comes then. */
static void counted(void)
{
    size_t cut;
    for (cut = 0; cut < 60 && !fault[0]; cut++) {
        uint64_t before;
        write_gap_to(SIZE_MAX, cut, cut % 3);
        pajewrite_finish(&w);
        EXPECT(pajewrite_count(&w).written == whole_records());
        write_gap_to(SIZE_MAX, SIZE_MAX, SIZE_MAX);
        before = whole_records();
        EXPECT(pajewrite_count(&w).written == before);
        out.size = offers = 0;
        EXPECT(pajewrite_attach(&w, &out) == PAJEWRITE_OK && whole_records() > 10);
        EXPECT(pajewrite_count(&w).written == before + whole_records());
    }
    end_case("what peers took is counted exactly");
}

/* Returns how a name of so many bytes ends: in an empty buffer, or in one whose first bytes were taken, but are not
 * free yet. */
static pajewrite_counts long_name(size_t length, int is_taken)
{
    static char name[4097];
    pajewrite_config config = offer_config(0);
    memset(name, 'n', length);
    name[length] = 0;
    out.size = offers = 0;
    memset(taken_at, 0, sizeof taken_at);
    taken_at[0] = (size_t)is_taken * 100;
    config.offer = some;
    pajewrite_init(&w, buffer, sizeof name - 1, &config);
    if (is_taken) {
        pajewrite_header(&w);
        pajewrite_flush(&w);
        EXPECT(w.taken == 100);
    }
    pajewrite_define_container_type(&w, PAJEWRITE_TYPE(1), PAJEWRITE_ROOT_TYPE, name);
    return pajewrite_count(&w);
}

static void long_names(void)
{
    size_t length, refused = 0;
    moved_freely = 0;
    for (length = 3700; length < 4096; length++) {
        const pajewrite_counts empty = long_name(length, 0), other = long_name(length, 1);
        EXPECT(other.refused == empty.refused && other.refused + other.dropped == 1);
        refused += empty.refused;
    }
    moved_freely = 65536;
    EXPECT(refused && refused < 300);
    end_case("names that fit when all is taken are not refused");
}

/* pajewrite_to_file waits for a pipe that says EAGAIN. */
static void waiting(void)
{
    pajewrite_config config = config_of();
    pajewrite_file file;
    pthread_t thread;
    int ends[2], i;
    if (pipe(ends) || fcntl(ends[1], F_SETFL, O_NONBLOCK))
        exit(3);
    reader.descriptor = ends[0];
    reader.pause = 1000000;
    reader.die_at = 0;
    pajewrite_file_init(&file, ends[1]);
    config.sink = pajewrite_to_file;
    config.sink_data = &file;
    pajewrite_init(&w, buffer, sizeof buffer, &config);
    if (pthread_create(&thread, NULL, read_all, NULL))
        exit(3);
    pajewrite_header(&w);
    pajewrite_define_variable_type(&w, GAUGE, PAJEWRITE_ROOT_TYPE, "Gauge", NULL);
    for (i = 0; i < 20000; i++)
        pajewrite_set_variable(&w, PAJEWRITE_ROOT, GAUGE, i);
    if (pajewrite_finish(&w) != PAJEWRITE_OK)
        fail("status: %s", pajewrite_status_text(pajewrite_get_status(&w)));
    close(ends[1]);
    pthread_join(thread, NULL);
    if (pajewrite_count(&w).dropped || records_of(out.bytes, out.size) != pajewrite_count(&w).written)
        fail("%zu of %" PRIu64 " records arrived", records_of(out.bytes, out.size), pajewrite_count(&w).written);
    replay(out.bytes, out.size, 0, 0);
    end_case("a pipe that says EAGAIN does not end tracing");
}

static void no_peer(void)
{
    static pajewrite_peer to;
    int file = open("/dev/null", O_WRONLY);
    const size_t nothing = PAJEWRITE_OFFER_FAILED;
    if (pajewrite_peer_init(&to, file) != PAJEWRITE_E_SINK || pajewrite_to_peer(&to, "x", 1) != nothing ||
        pajewrite_peer_init(&to, -1) != PAJEWRITE_E_SINK || pajewrite_to_peer(&to, "x", 1) != nothing)
        fail("it is accepted");
    close(file);
    end_case("what is neither a socket nor a pipe");
    if (pajewrite_to_peer(NULL, "x", 1) != PAJEWRITE_OFFER_FAILED)
        fail("NULL is accepted");
    end_case("a peer that has not come yet");
}

static void one_byte(void)
{
    static pajewrite_peer to;
    int ends[2];
    if (pipe(ends) || pajewrite_peer_init(&to, ends[1]) != PAJEWRITE_OK || pajewrite_to_peer(&to, "\n", 1) != 1 ||
        pajewrite_to_peer(&to, "\n", 1) != 1)
        fail("it is refused");
    close(ends[0]);
    close(ends[1]);
    end_case("a pipe that takes a byte");
}

int main(void)
{
    slow_peers();
    header_in_pieces();
    events_in_pieces();
    long_repair();
    large_buffer();
    dead_peers();
    attached_peers();
    attached_after_gap();
    attached_after_refusal();
    attached_to_full_buffer();
    kept_no_more();
    refused_peers();
    patience();
    finished(700, 0);
    finished(700, 1);
    after_gap(0);
    half_free();
    after_gap(1);
    late_peer(0);
    late_peer(1);
    misuse();
    connected("a socket", 1, 0, 0);
    connected("a socket whose reader is slow", 1, 2000000, 0);
    connected("a socket whose reader dies", 1, 0, 300000);
    connected("a pipe", 0, 0, 0);
    connected("a pipe whose reader is slow", 0, 2000000, 0);
    connected("a pipe whose reader dies", 0, 0, 300000);
    waiting();
    no_peer();
    one_byte();
    counted();
    long_names();
    return failed != 0;
}
