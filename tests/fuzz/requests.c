/* Requests about a trace: documents, well formed or not, between states that begin and end.
 *
 * An input is lines.  `+TR`: thread T enters region R (any bytes), `-T`: it leaves
 * its innermost one; all else is bytes of documents.  Two readers are fed, the second one in pieces: their replies are
 * alike, and are documents themselves. */
#include "mir/engine/feed.h"

#include "fuzz.h"

static const char header[] =
    "%EventDef PajeDefineContainerType 0\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n"
    "%EventDef PajeDefineStateType 1\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n"
    "%EventDef PajeCreateContainer 2\n% Time date\n% Alias string\n% Type string\n% Container string\n% Name string\n"
    "%EndEventDef\n%EventDef PajePushState 4\n% Time date\n% Type string\n% Container string\n% Value string\n"
    "%EndEventDef\n%EventDef PajePopState 5\n% Time date\n% Type string\n% Container string\n%EndEventDef\n"
    "0 P 0 Process\n0 T P Thread\n1 S T Activity\n2 0 p1 P 0 one\n2 0 p2 P 0 two\n"
    "2 0 a T p1 a\n2 0 b T p1 b\n2 0 c T p2 c\n2 0 d T p2 d\n";
static const char *const regions[] = {"solve", "exchange", "lock", "send"};

typedef struct side {
    feed *feed;
    document document;
    int is_closed; /* a document was malformed */
    char text[1 << 18];
    size_t size;
} side;
static side sides[2], *current;

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

static void feed_documents(side *it, const char *bytes, size_t size, size_t piece)
{
    size_t at = 0;
    while (!it->is_closed) {
        markup to = {it->text + it->size, 0, sizeof it->text - it->size, 0};
        at += document_feed(&it->document, bytes + at, piece < size - at ? piece : size - at);
        if (it->document.status == DOCUMENT_MORE && at == size)
            return;
        if (it->document.status == DOCUMENT_MORE)
            continue;
        reply_document(feed_reply(it->feed), &it->document, 1, &to);
        it->size += to.size;
        it->is_closed = it->document.status == DOCUMENT_BAD || to.is_cut;
        if (!it->is_closed)
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
    fuzz_expect(!reply.elements || it->size == sizeof it->text || it->is_closed, "the last reply is whole");
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    const size_t pieces[2] = {SIZE_MAX, size ? 1 + bytes[0] % 7u : 1};
    uint32_t time = 0;
    for (int i = 0; i < 2; i++) {
        sides[i].feed = feed_new();
        feed_set_delivery(sides[i].feed, deliver);
        sides[i].document.status = DOCUMENT_BAD;
        document_begin(&sides[i].document);
        sides[i].is_closed = 0;
        sides[i].size = 0;
        feed_read(sides[i].feed, header, sizeof header - 1);
    }
    for (size_t at = 0; at < size;) {
        const uint8_t *end = memchr(bytes + at, '\n', size - at);
        const size_t length = (end ? (size_t)(end - bytes) + 1 : size) - at;
        char line[64];
        line[0] = 0;
        if (length > 2 && (bytes[at] == '+' || bytes[at] == '-')) {
            time += length * 10;
            if (bytes[at] == '+')
                snprintf(line, sizeof line, "4 %u.%03u S %c %s\n", time / 1000, time % 1000, 'a' + bytes[at + 1] % 4,
                         regions[bytes[at + 2] % 4]);
            else
                snprintf(line, sizeof line, "5 %u.%03u S %c\n", time / 1000, time % 1000, 'a' + bytes[at + 1] % 4);
        }
        for (int i = 0; i < 2; i++) {
            current = &sides[i];
            if (*line)
                feed_read(current->feed, line, strlen(line));
            else
                feed_documents(current, (const char *)bytes + at, length, pieces[i]);
        }
        at += length;
    }
    for (int i = 0; i < 2; i++) {
        current = &sides[i];
        feed_finish(current->feed);
        check_replies(current);
    }
    fuzz_expect(sides[0].size == sides[1].size && memcmp(sides[0].text, sides[1].text, sides[0].size) == 0,
                "replies do not depend on the pieces");
    for (int i = 0; i < 2; i++)
        feed_free(sides[i].feed);
    return 0;
}
