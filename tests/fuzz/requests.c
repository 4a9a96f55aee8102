/* Requests: documents, well formed or not, between regions that begin and end, to side programs and to a program.
 *
 * An input is lines.  `+TR`: thread T enters region R (any bytes), `-T`: it leaves
 * its innermost one, `*P`: the program reaches a live_point; all else is bytes of documents.  Two side programs are
 * fed, the second one in pieces: their replies are alike, and are documents themselves.  The program runs on from input
 * to input, each of which is a client that goes at the end: nothing may be left of it.
 *
 * Built with LIVE_SMALL: limits that are reached.  At the end the number of documents is printed. */
#include "live/agent.h"
#include "mir/engine/feed.h"

#include "fuzz.h"

#include <sys/socket.h>

static const char header[] =
    "%EventDef PajeDefineContainerType 0\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n"
    "%EventDef PajeDefineStateType 1\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n"
    "%EventDef PajeCreateContainer 2\n% Time date\n% Alias string\n% Type string\n% Container string\n% Name string\n"
    "%EndEventDef\n%EventDef PajePushState 4\n% Time date\n% Type string\n% Container string\n% Value string\n"
    "%EndEventDef\n%EventDef PajePopState 5\n% Time date\n% Type string\n% Container string\n%EndEventDef\n"
    "0 P 0 Process\n0 T P Thread\n1 S T Activity\n2 0 p1 P 0 one\n2 0 p2 P 0 two\n"
    "2 0 a T p1 a\n2 0 b T p1 b\n2 0 c T p2 c\n2 0 d T p2 d\n";
static const char *const regions[] = {"solve", "exchange", "lock", "send"};
static uint64_t documents, whole;

typedef struct side {
    feed *feed; /* NULL: the program */
    reply *reply;
    document document;
    char text[1 << 16];
    size_t size;
} side;
static side sides[3], *current;

static int deliver(void *data, uint32_t client, const char *bytes, size_t size)
{
    (void)data;
    (void)client;
    if (size > sizeof current->text - current->size)
        return 0;
    memcpy(current->text + current->size, bytes, size);
    current->size += size;
    return 1;
}

static void begin_document(side *it)
{
    it->document.status = DOCUMENT_BAD; /* nothing is kept */
    document_begin(&it->document);
}

/* Feeds a line.  What is behind an error in it is left out. */
static void feed_documents(side *it, const char *bytes, size_t size, size_t piece)
{
    size_t at = 0;
    for (;;) {
        markup to = {it->text + it->size, 0, sizeof it->text - it->size, 0};
        at += document_feed(&it->document, bytes + at, piece < size - at ? piece : size - at);
        if (it->document.status == DOCUMENT_MORE && at == size)
            return;
        if (it->document.status == DOCUMENT_MORE)
            continue;
        documents += it == sides;
        whole += it == sides && it->document.status == DOCUMENT_WHOLE;
        reply_document(it->reply, &it->document, 1, &to);
        it->size += to.size;
        if (to.is_cut)
            it->size = 0;
        if (it->document.status == DOCUMENT_BAD) {
            begin_document(it);
            return;
        }
        document_begin(&it->document);
    }
}

/* What was replied is whole documents. */
static void check_replies(const side *it)
{
    static document reply;
    size_t at = 0;
    reply.status = DOCUMENT_BAD;
    document_begin(&reply);
    for (;;) {
        at += document_feed(&reply, it->text + at, it->size - at);
        if (reply.status == DOCUMENT_MORE && at == it->size)
            break;
        if (reply.status == DOCUMENT_BAD && strstr(reply.problem, "more than"))
            return; /* a reply may have more elements than a request */
        fuzz_expect(reply.status == DOCUMENT_WHOLE, reply.problem);
        document_begin(&reply);
    }
    fuzz_expect(!reply.elements, "the last reply is whole");
}

/* ---- the program ---- */

static uint64_t ticks;
static live l;
static live_region *region[4];
static live_scope scopes[8];
static size_t depth;
static int64_t number = 2, other = 4;
static live_function slot;
static unsigned calls;

static uint64_t tick(void *data)
{
    (void)data;
    return ticks;
}

static void call(void)
{
    calls++;
}

static void print_count(void)
{
    fprintf(stderr, "%llu documents, %llu of them well formed\n", (unsigned long long)documents,
            (unsigned long long)whole);
}

static void begin_program(void)
{
    int ends[2];
    char where[16];
    live_config config = {.is_polled = 1, .where = where, .clock = tick, .process = "p1", .process_name = "one"};
    fuzz_expect(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0, "a socket");
    snprintf(where, sizeof where, "fd:%d", ends[1]);
    fuzz_expect(live_init(&l, &config), "the program begins");
    live_thread_begin(&l, NULL, PAJEWRITE_CONTAINER(1), "main");
    for (int i = 0; i < 4; i++)
        region[i] = LIVE_NEW_REGION(&l, regions[i]);
    live_knob(&l, "number", &number, LIVE_RANGE(0, 9, 2), "iteration");
    live_knob(&l, "call:1", &other, LIVE_RANGE(INT64_MIN, INT64_MAX, 3), NULL);
    live_knob_reverts(&l, "call:1");
    live_slot(&l, "slot", &slot, LIVE_CHOICES({"call", call}, {"none", NULL}), "iteration");
    live_call(&l, "call", call);
    sides[2].reply = l.agent->feed;
    atexit(print_count);
}

static void go_on(void)
{
    reply_tick(l.agent->feed, ticks, deliver);
    tune_report(l.agent, ticks);
    for (size_t at = 0; at < l.agent->client[0]->queued;) { /* what was sent */
        const size_t size = l.agent->client[0]->queued;
        (void)deliver(NULL, 1, l.agent->client[0]->queue, size);
        at += size;
    }
    l.agent->client[0]->queued = 0;
}

static void step_program(const uint8_t *line, size_t length)
{
    ticks += length * 10000000;
    if (*line == '+' && depth < 8)
        live_enter(&scopes[depth++], region[line[2] % 4]);
    else if (*line == '-' && depth)
        live_leave(&scopes[--depth]);
    else if (*line == '*')
        live_point(&l, line[1] % 2 ? "iteration" : "elsewhere");
    go_on();
    fuzz_expect(number >= 0 && number < 10 && number % 2 == 0, "a knob is within its range");
}

/* The client has gone: nothing of it is left. */
static void end_client(void)
{
    while (depth)
        live_leave(&scopes[--depth]);
    reply_forget(l.agent->feed, 1);
    tune_forget(l.agent, 1);
    live_point(&l, "iteration");
    l.agent->inserted_count = 0;
    for (int i = 0; i < AGENT_MAIL; i++) /* changes for points of other names */
        if (l.agent->mail[i].state == MAIL_POSTED)
            l.agent->mail[i].expires = 1;
    go_on();
    for (int i = 0; i < AGENT_MAIL; i++)
        fuzz_expect(l.agent->mail[i].state == MAIL_FREE, "no change waits any more");
    for (int i = 0; i < 4; i++)
        fuzz_expect(!region[i]->on && !region[i]->both && !region[i]->enter && !region[i]->leave,
                    "all regions are off");
    for (int i = 0; i < MEASURE_PROBES; i++)
        fuzz_expect(!l.agent->feed->measure.probe[i].is_used, "no probe is left");
    fuzz_expect(other == 4 || other == 4 - (4 + 2) % 3, "a knob has gone back");
    l.pending = 0; /* of what was inserted */
    memset(&l.agent->feed->measure.defaults, 0, sizeof l.agent->feed->measure.defaults);
    l.agent->feed->measure.next_id = 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    const size_t pieces[3] = {SIZE_MAX, size ? 1 + bytes[0] % 7u : 1, SIZE_MAX};
    uint32_t time = 0;
    if (!l.agent)
        begin_program();
    for (int i = 0; i < 3; i++) {
        if (i < 2) {
            sides[i].feed = feed_new();
            sides[i].reply = feed_reply(sides[i].feed);
            feed_set_delivery(sides[i].feed, deliver);
            feed_read(sides[i].feed, header, sizeof header - 1);
        }
        begin_document(&sides[i]);
        sides[i].size = 0;
    }
    for (size_t at = 0; at < size;) {
        const uint8_t *end = memchr(bytes + at, '\n', size - at);
        const size_t length = (end ? (size_t)(end - bytes) + 1 : size) - at;
        const int is_event = length > 2 && (bytes[at] == '+' || bytes[at] == '-' || bytes[at] == '*');
        char line[64];
        line[0] = 0;
        time += is_event ? (uint32_t)length * 10 : 0;
        if (is_event && bytes[at] == '+')
            snprintf(line, sizeof line, "4 %u.%03u S %c %s\n", time / 1000, time % 1000, 'a' + bytes[at + 1] % 4,
                     regions[bytes[at + 2] % 4]);
        else if (is_event && bytes[at] == '-')
            snprintf(line, sizeof line, "5 %u.%03u S %c\n", time / 1000, time % 1000, 'a' + bytes[at + 1] % 4);
        for (int i = 0; i < 3; i++) {
            current = &sides[i];
            if (!is_event)
                feed_documents(current, (const char *)bytes + at, length, pieces[i]);
            else if (i == 2)
                step_program(bytes + at, length);
            else if (*line)
                feed_read(current->feed, line, strlen(line));
        }
        at += length;
    }
    for (int i = 0; i < 3; i++) {
        current = &sides[i];
        if (i < 2)
            feed_finish(current->feed);
        else
            end_client();
        check_replies(current);
    }
    if (getenv("SHOW_REPLIES"))
        for (int i = 0; i < 3; i++)
            fprintf(stderr, "---- %d\n%.*s", i, (int)sides[i].size, sides[i].text);
    fuzz_expect(sides[0].size == sides[1].size && memcmp(sides[0].text, sides[1].text, sides[0].size) == 0,
                "replies do not depend on the pieces");
    for (int i = 0; i < 2; i++)
        feed_free(sides[i].feed);
    return 0;
}
