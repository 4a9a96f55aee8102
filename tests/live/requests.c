/* Requests and their replies: every example of the paper, as it is printed and as it was meant, and the rules around
 * them, of a trace that has the entities of the paper's example.
 * usage: replies [FILE]   FILE: all replies are written there, one a line, for xmllint */
#include "live/report.h"
#include "mir/engine/feed.h"

#include "../lib/expect.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char header[] =
    "%EventDef PajeDefineContainerType 0\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n"
    "%EventDef PajeDefineStateType 1\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n"
    "%EventDef PajeCreateContainer 2\n% Time date\n% Alias string\n% Type string\n% Container string\n% Name string\n"
    "%EndEventDef\n%EventDef PajeDestroyContainer 3\n% Time date\n% Name string\n% Type string\n%EndEventDef\n"
    "%EventDef PajePushState 4\n% Time date\n% Type string\n% Container string\n% Value string\n%EndEventDef\n"
    "%EventDef PajePopState 5\n% Time date\n% Type string\n% Container string\n%EndEventDef\n"
    "%EventDef PajePopState 6\n% Time date\n% Type string\n% Container string\n% Bytes int\n%EndEventDef\n"
    "0 C 0 Communicator\n0 P C Process\n0 T P Thread\n1 S T Activity\n";

static feed *reader;
static document asked;
static char text[DOCUMENT_SIZE];
static FILE *replies;

static void add(const char *lines)
{
    const char *first;
    EXPECT(feed_read(reader, lines, strlen(lines)) && feed_errors(reader, &first) == 0);
}

/* Communicators c1 (processes p2 with 3 threads and p1 with 4) and c2 (p3 with 5). */
static void begin(void)
{
    static const struct { const char *process, *communicator; int threads; } processes[] = {
        {"p2", "c1", 3}, {"p1", "c1", 4}, {"p3", "c2", 5}};
    char line[100];
    reader = feed_new();
    add(header);
    add("2 0 c1 C 0 world\n2 0 c2 C 0 others\n");
    for (int i = 0; i < 3; i++) {
        snprintf(line, sizeof line, "2 0 %s P %s \"Process %s\"\n", processes[i].process, processes[i].communicator,
                 processes[i].process);
        add(line);
        for (int k = 0; k < processes[i].threads; k++) {
            snprintf(line, sizeof line, "2 0 %s.%d T %s \"thread %d\"\n", processes[i].process, k, processes[i].process,
                     k);
            add(line);
        }
    }
}

static void end(void)
{
    feed_free(reader);
}

/* Asks, and compares the replies, which follow each other without newlines. */
static void ask_at(int line, const char *wanted, const char *expected)
{
    size_t taken = 0;
    markup to = {text, 0, sizeof text - 1, 0};
    asked.status = DOCUMENT_BAD;
    document_begin(&asked);
    for (;;) {
        taken += document_feed(&asked, wanted + taken, strlen(wanted) - taken);
        if (asked.status == DOCUMENT_MORE && !asked.elements && to.size)
            break;
        if (asked.status == DOCUMENT_MORE)
            document_refuse(&asked, asked.line, asked.column, "the document is not whole");
        reply_document(feed_reply(reader), &asked, 1, &to);
        if (asked.status == DOCUMENT_BAD)
            break;
        document_begin(&asked);
    }
    if (replies)
        fwrite(text, 1, to.size, replies);
    for (size_t from = 0, size = to.size; from <= size; from++)
        if (text[from] == '\n') {
            memmove(text + from, text + from + 1, size - from);
            to.size--;
            from--;
            size--;
        }
    text[to.size] = 0;
    if (strcmp(text, expected) != 0)
        fail("line %d: %s is replied to %s, not %s", line, wanted, text, expected);
}
#define ASK(request, expected) ask_at(__LINE__, request, expected)
#define ERROR(message) "<errors><error>" message "</error></errors>"

static void examples_as_printed(void)
{
    begin();
    ASK("<sirreq>\n  <resource in=\"http://www.fictive.com/mmul.c\" out=\"file:///home/clovis/mmul.c\">\n"
        "  <resource in=\"ftp://anonymous@fictive.com/prototypes.h\">\n</sirreq>\n",
        ERROR("4:1: &lt;resource&gt; of 3:3 is not closed"));
    ASK("<snapshotrequest named=\"true\" stack=\"3\">", ERROR("1:41: the document is not whole"));
    ASK("<instrreq><process id=\"P1\">\n  <thread=\"*\">\n</process>.",
        ERROR("2:10: an attribute, &gt; or /&gt; is expected in &lt;thread"));
    ASK("<instrreq>\n  <codeRegion from=\"c1\"/>\n  <metric name=\"BLOCKED_COUNT\"/>\n  <measuring\n    "
        "delivery=\"1000\"\n"
        "    destination=\"file:///tmp/foo.txt\"\n    <aggregate function=\"MAXIMUM\"/>\n",
        ERROR("7:5: an attribute, &gt; or /&gt; is expected in &lt;measuring"));
    ASK("<instrreq><metric name=\"BLOCKED_COUNT\"/><thread=\"1045\"/><thread=\"1032\"/></instrreq>",
        ERROR("1:48: an attribute, &gt; or /&gt; is expected in &lt;thread"));
    ASK("<ctrlreq>\n  <probe id=\"p2\"/><action type=\"VALUE\">\n</ctrlreq>",
        ERROR("3:1: &lt;action&gt; of 2:19 is not closed"));
    ASK("<snapshotrequest named=\"true\" stack=\"3\"/>", ERROR("1:1: &lt;snapshotrequest&gt; is no request"));
    end();
}

static void examples_as_meant(void)
{
    begin();
    add("4 1 S p2.0 wait\n4 2 S p2.0 getNextEvent\n");
    ASK("<sirreq>\n  <resource in=\"http://www.fictive.com/mmul.c\" out=\"file:///home/clovis/mmul.c\"/>\n</sirreq>\n",
        ERROR("2:3: http://www.fictive.com/mmul.c: a program tells its own regions, &quot;self&quot;; ask mirctl --sir "
              "for a file"));
    ASK("<sirreq><resource in=\"self\"/></sirreq>",
        "<sir><unit id=\"self\"><codeRegion id=\"wait\" name=\"wait\"/><codeRegion id=\"getNextEvent\" "
        "name=\"getNextEvent\"/></unit></sir>");
    ASK("<snapshotreq named=\"true\" stack=\"3\"/>",
        "<snapshot><communicator id=\"c1\" name=\"world\"><process id=\"p2\" name=\"Process p2\">"
        "<thread id=\"p2.0\" name=\"thread 0\" master=\"true\"><stack>getNextEvent</stack><stack>wait</stack></thread>"
        "<thread id=\"p2.1\" name=\"thread 1\"></thread><thread id=\"p2.2\" name=\"thread 2\"></thread></process>"
        "<process id=\"p1\" name=\"Process p1\"><thread id=\"p1.0\" name=\"thread 0\"></thread>"
        "<thread id=\"p1.1\" name=\"thread 1\"></thread><thread id=\"p1.2\" name=\"thread 2\"></thread>"
        "<thread id=\"p1.3\" name=\"thread 3\"></thread></process></communicator><communicator id=\"c2\" "
        "name=\"others\">"
        "<process id=\"p3\" name=\"Process p3\"><thread id=\"p3.0\" name=\"thread 0\"></thread>"
        "<thread id=\"p3.1\" name=\"thread 1\"></thread><thread id=\"p3.2\" name=\"thread 2\"></thread>"
        "<thread id=\"p3.3\" name=\"thread 3\"></thread><thread id=\"p3.4\" name=\"thread "
        "4\"></thread></process></communicator></snapshot>");
    /* section 6: the compact document, and that of a maximum */
    ASK("<instrreq>\n  <metric name=\"THREAD_COUNT\" />\n  <communicator id=\"c1\"><process id=\"*\" "
        "/></communicator>\n"
        "  <communicator id=\"c2\"><process id=\"*\" /></communicator>\n</instrreq>",
        "<probe id=\"p1\"/>");
    ASK("<ctrlreq><probe id=\"p1\"/><action type=\"VALUE\"/></ctrlreq>",
        "<measurement><measurement><measurement processId=\"p2\" value=\"3\"/><measurement processId=\"p1\" "
        "value=\"4\"/></measurement>"
        "<measurement><measurement processId=\"p3\" value=\"5\"/></measurement></measurement>");
    ASK("<instrreq><metric name=\"THREAD_COUNT\"/><measuring><aggregate function=\"MAXIMUM\"/></measuring>"
        "<communicator id=\"c1\"><process id=\"*\"/></communicator><communicator id=\"c2\"><process "
        "id=\"*\"/></communicator></instrreq>"
        "<ctrlreq action=\"VALUE\"><probe id=\"p2\"/></ctrlreq>",
        "<probe id=\"p2\"/><measurement communicatorId=\"c2\" processId=\"p3\" value=\"5\"/>");
    /* section 5 */
    ASK("<ctrlreq>\n  <probe id=\"p1\"/> <probe id=\"p2\"/> <action type=\"REMOVE\"/>\n</ctrlreq>",
        "<probe id=\"p1\"/><probe id=\"p2\"/>");
    ASK("<ctrlreq>\n  <probe id=\"p2\"/><action type=\"VALUE\"/>\n</ctrlreq>", ERROR("2:3: there is no probe p2"));
    ASK("<instrreq activated=\"true\"><metric name=\"WC_TIME\"/></instrreq>", "<probe id=\"p3\"/>");
    ASK("<ctrlreq>\n  <probe id=\"p3\"/>\n  <action type=\"RESET\"/>\n  <metric name=\"NET_SEND\"/> <!-- NET_SEND "
        "means time spent "
        "sending messages -->\n  <measuring interval=\"4000\"/>\n  <communicator id=\"cb\"/>\n</ctrlreq>",
        ERROR("metric NET_SEND: the trace has no state of such a name (see README.md)"));
    add("4 3 S p1.0 send\n6 4 S p1.0 100\n");
    ASK("<ctrlreq>\n  <probe id=\"p3\"/>\n  <action type=\"RESET\"/>\n  <metric name=\"NET_SEND\"/>\n"
        "  <measuring interval=\"4000\"/>\n  <communicator id=\"c1\"/>\n</ctrlreq>", "<probe id=\"p3\"/>");
    end();
}

/* Section 4: the difference between one value of a process and one of each of its threads. */
static void a_process_and_its_threads(void)
{
    begin();
    ASK("<instrreq activated=\"true\"><codeRegion from=\"c1\" to=\"c1\"/><metric name=\"WC_TIME\"/>"
        "<measuring><aggregate function=\"SUM\"/></measuring><process id=\"?\"/></instrreq>", "<probe id=\"p1\"/>");
    ASK("<instrreq activated=\"true\"><codeRegion from=\"c1\" to=\"c1\"/><metric name=\"WC_TIME\"/>"
        "<process id=\"p1\"><thread id=\"?\"/></process></instrreq>", "<probe id=\"p2\"/>");
    ASK("<instrreq activated=\"true\"><codeRegion from=\"c1\" to=\"c1\"/><metric name=\"WC_TIME\"/></instrreq>",
        "<probe id=\"p3\"/>");
    ASK("<instrreq activated=\"true\"><codeRegion from=\"c1\"/><metric name=\"WC_TIME\"/></instrreq>",
        "<probe id=\"p4\"/>");
    ASK("<instrreq activated=\"true\"><codeRegion to=\"c1\"/><metric name=\"WC_TIME\"/></instrreq>",
        "<probe id=\"p5\"/>");
    add("4 1 S p1.0 c1\n4 1.5 S p1.1 c1\n5 1.75 S p1.0\n5 2 S p1.1\n4 2 S p3.0 c1\n5 2.125 S p3.0\n");
    ASK("<ctrlreq action=\"VALUE\"><probe id=\"p1\"/></ctrlreq>", "<measurement value=\"1375\"/>");
    ASK("<ctrlreq action=\"VALUE\"><probe id=\"p2\"/></ctrlreq>",
        "<measurement><measurement threadId=\"p1.0\" value=\"750\"/><measurement threadId=\"p1.1\" "
        "value=\"500\"/></measurement>");
    ASK("<ctrlreq action=\"VALUE\"><probe id=\"p3\"/></ctrlreq>",
        "<measurement><measurement communicatorId=\"c1\"><measurement processId=\"p1\"><measurement threadId=\"p1.0\" "
        "value=\"750\"/>"
        "<measurement threadId=\"p1.1\" value=\"500\"/></measurement></measurement>"
        "<measurement communicatorId=\"c2\" processId=\"p3\" threadId=\"p3.0\" value=\"125\"/></measurement>");
    ASK("<ctrlreq action=\"VALUE\"><probe id=\"p1\"/><probe id=\"p2\"/></ctrlreq>",
        "<measurement><measurement probeId=\"p1\" value=\"1375\"/><measurement probeId=\"p2\">"
        "<measurement threadId=\"p1.0\" value=\"750\"/><measurement threadId=\"p1.1\" "
        "value=\"500\"/></measurement></measurement>");
    ASK("<ctrlreq action=\"VALUE\"><probe id=\"p4\"/></ctrlreq>",
        "<measurement><measurement communicatorId=\"c1\"><measurement processId=\"p1\"><measurement threadId=\"p1.0\" "
        "value=\"1000\"/>"
        "<measurement threadId=\"p1.1\" value=\"1500\"/></measurement></measurement>"
        "<measurement communicatorId=\"c2\" processId=\"p3\" threadId=\"p3.0\" value=\"2000\"/></measurement>");
    ASK("<ctrlreq action=\"RESET\"><probe id=\"p1\"/></ctrlreq><ctrlreq action=\"VALUE\"><probe id=\"p1\"/></ctrlreq>",
        "<probe id=\"p1\"/><measurement/>");
    add("4 3 S p1.0 c1\n5 3.5 S p1.0\n");
    ASK("<ctrlreq action=\"VALUE\"><probe id=\"p1\"/></ctrlreq>", "<measurement value=\"500\"/>");
    ASK("<ctrlreq action=\"VALUE\"><probe id=\"p5\"/></ctrlreq>",
        "<measurement><measurement communicatorId=\"c1\"><measurement processId=\"p1\"><measurement threadId=\"p1.0\" "
        "value=\"3500\"/>"
        "<measurement threadId=\"p1.1\" value=\"2000\"/></measurement></measurement>"
        "<measurement communicatorId=\"c2\" processId=\"p3\" threadId=\"p3.0\" value=\"2125\"/></measurement>");
    end();
}

/* Section 4: with ?, a thread is measured when it executes the region; with * all are when any does. */
static void by_any_and_by_itself(void)
{
    begin();
    add("4 0 S p1.0 lock\n5 0.5 S p1.0\n");
    ASK("<instrreq activated=\"true\"><codeRegion from=\"c1\" to=\"c1\"/><metric name=\"BLOCKED_COUNT\"/>"
        "<measuring><aggregate function=\"MAXIMUM\"/></measuring><thread id=\"p2.0\"/><thread id=\"p1.0\"/></instrreq>",
        "<probe id=\"p1\"/>");
    ASK("<instrreq activated=\"true\"><codeRegion from=\"c1\" to=\"c1\"/><metric name=\"BLOCKED_COUNT\"/>"
        "<thread id=\"?\"/></instrreq>", "<probe id=\"p2\"/>");
    add("4 1 S p3.0 c1\n4 1 S p1.0 lock\n5 2 S p1.0\n4 2 S p1.0 lock\n5 3 S p1.0\n5 4 S p3.0\n");
    ASK("<ctrlreq action=\"VALUE\"><probe id=\"p1\"/></ctrlreq>",
        "<measurement threadId=\"p1.0\" value=\"2\"/>");
    ASK("<ctrlreq action=\"VALUE\"><probe id=\"p2\"/></ctrlreq>", "<measurement threadId=\"p3.0\" value=\"0\"/>");
    /* the region within itself: each execution by itself, and the outer one with the inner */
    add("4 5 S p3.0 c1\n4 6 S p3.0 c1\n4 6 S p3.0 lock\n5 6 S p3.0\n5 7 S p3.0\n4 7 S p3.0 lock\n5 7 S p3.0\n");
    ASK("<ctrlreq action=\"VALUE\"><probe id=\"p2\"/></ctrlreq>", "<measurement threadId=\"p3.0\" value=\"1\"/>");
    add("5 8 S p3.0\n");
    ASK("<ctrlreq action=\"VALUE\"><probe id=\"p2\"/></ctrlreq>", "<measurement threadId=\"p3.0\" value=\"2\"/>");
    end();
}

/* Threads that are selected by their numbers, but measured by what they do themselves. */
static void by_own(void)
{
    begin();
    ASK("<instrreq activated=\"true\" own=\"true\"><codeRegion from=\"c1\" to=\"c1\"/><metric name=\"WC_TIME\"/>"
        "<measuring><aggregate function=\"MINIMUM\"/><aggregate function=\"SUM\"/></measuring>"
        "<thread id=\"p2.0\"/><thread id=\"p1.0\"/></instrreq>",
        "<probe id=\"p1\"/>");
    ASK("<instrreq activated=\"true\" own=\"true\"><codeRegion from=\"c1\" to=\"c1\"/><metric name=\"BLOCKED_COUNT\"/>"
        "<thread id=\"p3.0\"/></instrreq>", "<probe id=\"p2\"/>");
    add("4 1 S p1.0 c1\n4 1.25 S p3.0 c1\n4 1.25 S p1.0 lock\n5 1.5 S p1.0\n5 1.5 S p3.0\n5 2 S p1.0\n");
    add("4 3 S p2.0 c1\n4 3 S p3.0 c1\n4 3 S p3.0 lock\n5 3.5 S p3.0\n5 3.5 S p2.0\n5 7 S p3.0\n");
    ASK("<ctrlreq action=\"VALUE\"><probe id=\"p1\"/></ctrlreq>",
        "<measurement><measurement threadId=\"p2.0\" value=\"500\"/><measurement value=\"1500\"/></measurement>");
    ASK("<ctrlreq action=\"VALUE\"><probe id=\"p2\"/></ctrlreq>", "<measurement value=\"1\"/>");
    end();
}

static void regions_from_and_to(void)
{
    begin();
    ASK("<instrreq activated=\"true\"><codeRegion from=\"a\" to=\"b\"/><metric name=\"WC_TIME\"/><metric "
        "name=\"BLOCKED_TIME\"/></instrreq>",
        "<probe id=\"p1\"/>");
    add("4 1 S p1.0 a\n5 2 S p1.0\n4 3 S p1.0 lock\n5 3.25 S p1.0\n4 4 S p1.0 b\n5 5 S p1.0\n4 6 S p1.0 b\n5 7 S "
        "p1.0\n");
    ASK("<ctrlreq action=\"VALUE\"><probe id=\"p1\"/></ctrlreq>",
        "<measurement communicatorId=\"c1\"><measurement processId=\"p1\"><measurement threadId=\"p1.0\">"
        "<measurement value=\"4000\"/><measurement value=\"250\"/></measurement></measurement></measurement>");
    end();
}

static char delivered[4096];

static int take(void *data, uint32_t client, const char *bytes, size_t size)
{
    (void)data;
    EXPECT(client == 1 && strlen(delivered) + size < sizeof delivered);
    strncat(delivered, bytes, size);
    if (replies)
        fwrite(bytes, 1, size, replies);
    return 1;
}

static void delivery(void)
{
    begin();
    feed_set_delivery(reader, take);
    ASK("<instrreq activated=\"true\"><codeRegion from=\"c1\" to=\"c1\"/><metric name=\"WC_TIME\"/>"
        "<measuring delivery=\"-1\"/></instrreq>", "<probe id=\"p1\"/>");
    delivered[0] = 0;
    add("4 1 S p1.0 c1\n5 2 S p1.0\n4 2 S p1.0 c1\n5 2.25 S p1.0\n4 3 S p1.1 c1\n");
    if (strcmp(delivered,
               "<measurement communicatorId=\"c1\" processId=\"p1\" threadId=\"p1.0\" value=\"1000\"/>\n"
               "<measurement communicatorId=\"c1\" processId=\"p1\" threadId=\"p1.0\" value=\"250\"/>\n") != 0)
        fail("delivered: %s", delivered);
    ASK("<ctrlreq action=\"REMOVE\"><probe id=\"p1\"/></ctrlreq>", "<probe id=\"p1\"/>");
    /* each second, of what there was by then */
    ASK("<instrreq activated=\"true\"><codeRegion from=\"c1\" to=\"c1\"/><metric name=\"WC_TIME\"/>"
        "<measuring delivery=\"1000\"><aggregate function=\"SUM\"/></measuring></instrreq>", "<probe id=\"p2\"/>");
    delivered[0] = 0;
    add("4 3 S p1.2 c1\n5 3.5 S p1.2\n4 3.5 S p1.2 c1\n5 3.75 S p1.2\n4 4.5 S p1.2 c1\n5 4.75 S p1.2\n4 5.5 S p1.2 "
        "c1\n");
    if (strcmp(delivered, "<measurement value=\"750\"/>\n<measurement value=\"1000\"/>\n") != 0)
        fail("delivered: %s", delivered);
    ASK("<ctrlreq action=\"DEACTIVATE\"><probe id=\"p2\"/></ctrlreq>", "<probe id=\"p2\"/>");
    delivered[0] = 0;
    add("4 8 S p1.3 c1\n5 9 S p1.3\n");
    EXPECT(!*delivered);
    ASK("<ctrlreq action=\"VALUE\"><probe id=\"p2\"/></ctrlreq>", "<measurement value=\"1000\"/>");
    end();
}

static void intervals_and_durations(void)
{
    begin();
    feed_set_delivery(reader, take);
    add("4 0 S p1.0 lock\n5 0 S p1.0\n");
    ASK("<instrreq activated=\"true\"><metric name=\"BLOCKED_COUNT\"/><measuring interval=\"1000\"><aggregate "
        "function=\"MAXIMUM\"/>"
        "<aggregate function=\"SUM\"/></measuring><process id=\"p1\"/></instrreq>",
        "<probe id=\"p1\"/>");
    ASK("<instrreq activated=\"true\"><metric name=\"BLOCKED_COUNT\"/><measuring interval=\"2000\" duration=\"500\"/>"
        "<process id=\"p1\"/></instrreq>", "<probe id=\"p2\"/>");
    add("4 0.5 S p1.0 lock\n5 0.5 S p1.0\n4 1.5 S p1.1 lock\n5 1.5 S p1.1\n4 2.25 S p1.0 lock\n5 2.25 S p1.0\n4 3 S "
        "p1.0 x\n");
    /* at 1 s: 2; at 2 s: 3; at 3 s: 4 */
    ASK("<ctrlreq action=\"VALUE\"><probe id=\"p1\"/></ctrlreq>",
        "<measurement><measurement processId=\"p1\" value=\"4\"/><measurement value=\"9\"/></measurement>");
    ASK("<ctrlreq action=\"VALUE\"><probe id=\"p2\"/></ctrlreq>",
        "<measurement value=\"1\"/>"); /* between 2 and 2.5 s */
    end();
}

/* Several intervals may pass between two events: each is delivered by itself and once, with what there was by then,
 * also of two requests; a thread that begins later does not count. */
static void each_interval(void)
{
    begin();
    feed_set_delivery(reader, take);
    ASK("<instrreq activated=\"true\"><metric name=\"THREAD_COUNT\"/><measuring interval=\"1000\" delivery=\"-1\"/>"
        "<process id=\"p2\"/><process id=\"p3\"/></instrreq>", "<probe id=\"p1\"/>");
    ASK("<instrreq activated=\"true\"><metric name=\"THREAD_COUNT\"/><measuring interval=\"2000\" delivery=\"-1\"/>"
        "<process id=\"p1\"/><process id=\"p2\"/></instrreq>", "<probe id=\"p2\"/>");
    delivered[0] = 0;
    add("2 2.5 p2.9 T p2 late\n3 3.5 p2.9 T\n4 4 S p1.0 x\n");
#define TWO(a, b) "<measurement><measurement value=\"" a "\"/><measurement value=\"" b "\"/></measurement>\n"
    if (strcmp(delivered, TWO("3", "5") TWO("4", "3") TWO("3", "5") TWO("4", "5") TWO("3", "5") TWO("4", "3")) != 0)
        fail("delivered: %s", delivered);
    end();
}

/* A probe that is changed has its intervals from then on: none of those since it began are made up for. */
static void changed_intervals(void)
{
    begin();
    feed_set_delivery(reader, take);
    add("4 0 S p1.0 lock\n5 0 S p1.0\n");
    ASK("<instrreq activated=\"true\"><metric name=\"BLOCKED_COUNT\"/><measuring interval=\"1000\"/>"
        "<process id=\"p1\"/></instrreq>", "<probe id=\"p1\"/>");
    add("4 8.5 S p1.0 x\n");
    ASK("<ctrlreq action=\"ACTIVATE\"><probe id=\"p1\"/><measuring><aggregate function=\"SUM\"/></measuring></ctrlreq>",
        "<probe id=\"p1\"/>");
    add("5 10 S p1.0\n");
    ASK("<ctrlreq action=\"VALUE\"><probe id=\"p1\"/></ctrlreq>", "<measurement value=\"1\"/>"); /* at 9.5 s */
    end();
}

static void rules(void)
{
    begin();
    ASK("<instrreq><measuring/></instrreq>", ERROR("1:11: &lt;measuring&gt; needs an attribute or an aggregate"));
    ASK("<instrreq/>", ERROR("1:1: &lt;instrreq&gt; needs a metric or an event"));
    ASK("<instrreq><measuring interval=\"-5\"/></instrreq>",
        ERROR("1:22: interval=&quot;-5&quot;: this is not an integer from 0 to 1000000000000"));
    ASK("<instrreq><measuring delivery=\"1e400\"/></instrreq>",
        ERROR("1:22: delivery=&quot;1e400&quot;: this is not an integer from -1 to 1000000000000"));
    ASK("<instrreq><metric name=\"GC_COUNT\"/></instrreq>", ERROR("metric GC_COUNT: not in this catalogue"));
    ASK("<instrreq><metric name=\"CPU_TIME\"/></instrreq>", ERROR("metric CPU_TIME: a trace does not have it"));
    ASK("<instrreq><metric name=\"apart:WC_TIME\"/></instrreq>", "<probe id=\"p1\"/>");
    ASK("<instrreq><event/></instrreq>", ERROR("&lt;event&gt;: this is a side program, which reads a trace already"));
    ASK("<instrreq><metric/></instrreq>", ERROR("1:11: &lt;metric&gt; needs the attribute name"));
    ASK("<instrreq><metric name=\"x\" y=\"1\"/></instrreq>", ERROR("1:28: &lt;metric&gt; has no attribute y"));
    ASK("<instrreq><thread id=\"1\"/><metric name=\"x\"/></instrreq>",
        ERROR("1:27: &lt;metric&gt; stands too late or twice in &lt;instrreq&gt;"));
    ASK("<instrreq><metric name=\"WC_TIME\"/><thread id=\"?\"/></instrreq>",
        ERROR("&quot;?&quot; is the thread that executes a region, and there is no codeRegion"));
    ASK("<instrreq>x</instrreq>", ERROR("1:1: &lt;instrreq&gt; has no text"));
    ASK("<ctrlreq><probe id=\"p1\"/></ctrlreq>", ERROR("1:1: &lt;ctrlreq&gt; needs an action"));
    ASK("<ctrlreq action=\"VALUE\"/>", ERROR("1:1: &lt;ctrlreq&gt; needs probe"));
    ASK("<ctrlreq action=\"GET\"><probe id=\"p1\"/></ctrlreq>",
        ERROR("1:10: action=&quot;GET&quot;: this is not VALUE, ACTIVATE, DEACTIVATE, RESET or REMOVE"));
    ASK("<sirreq/>", ERROR("1:1: &lt;sirreq&gt; needs resource"));
    ASK("<tunereq id=\"1\"><set name=\"n\" value=\"1\"/></tunereq>",
        ERROR("&lt;tunereq&gt;: this is a side program; only the program itself can be changed"));
    ASK("<instrreq><metric name=\"WC_TIME\"/><measuring destination=\"file:///etc/passwd\"/></instrreq>",
        ERROR("destination file:///etc/passwd: the program has named no folder for files"));
    ASK("<instrreq><metric name=\"WC_TIME\"/><measuring destination=\"http://a/b\"/></instrreq>",
        ERROR("destination http://a/b: only file: is possible here"));
    /* new defaults; held back until a request that is flushed */
    ASK("<instrreq><measuring><aggregate function=\"SUM\"/></measuring></instrreq>", "<measurement/>");
    ASK("<instrreq flush=\"false\" activate=\"true\"><codeRegion from=\"c1\" to=\"c1\"/><metric "
        "name=\"WC_TIME\"/></instrreq>",
        "<probe id=\"p2\"/>");
    add("4 1 S p1.0 c1\n5 2 S p1.0\n");
    ASK("<ctrlreq action=\"VALUE\"><probe id=\"p2\"/></ctrlreq>", "<measurement/>");
    ASK("<instrreq flush=\"true\"><metric name=\"WC_TIME\"/></instrreq>", "<probe id=\"p3\"/>");
    add("4 3 S p1.0 c1\n5 5 S p1.0\n");
    ASK("<ctrlreq action=\"VALUE\"><probe id=\"p2\"/></ctrlreq>", "<measurement value=\"2000\"/>");
    ASK("<ping id=\"a&lt;\"/>", "<pong id=\"a&lt;\" received=\"5\"/>");
    end();
}

/* Snapshots of a trace that has sites and nodes, by whatever name: each level once, with what is in it. */
static void sites_and_nodes(void)
{
    reader = feed_new();
    add("%EventDef PajeDefineContainerType 0\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n"
        "%EventDef PajeDefineStateType 1\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n"
        "%EventDef PajeCreateContainer 2\n% Time date\n% Alias string\n% Type string\n% Container string\n"
        "% Name string\n%EndEventDef\n"
        "%EventDef PajeDestroyContainer 3\n% Time date\n% Name string\n% Type string\n%EndEventDef\n"
        "%EventDef PajePushState 4\n% Time date\n% Type string\n% Container string\n% Value string\n%EndEventDef\n"
        "0 G 0 \"Grid site\"\n0 N G Hostname\n0 P N MPI_RANK\n0 T P Thread\n1 S T State\n"
        "2 0 s1 G 0 Porto\n2 0 n1 N s1 paje-1\n2 0 n2 N s1 paje-2\n2 0 s2 G 0 Grenoble\n2 0 n3 N s2 ida-1\n"
        "2 0 r0 P n1 0\n2 0 t0 T r0 main\n2 0 t1 T r0 second\n2 0 r1 P n3 1\n2 0 t2 T r1 main\n"
        "2 0 r2 P n2 2\n2 0 t3 T r2 main\n4 1 S t2 running\n4 2 S t2 solve\n");
    ASK("<snapshotreq named=\"true\" stack=\"2\"/>",
        "<snapshot><site id=\"s1\" name=\"Porto\"><node id=\"n1\" name=\"paje-1\"><process id=\"r0\" name=\"0\">"
        "<thread id=\"t0\" name=\"main\" master=\"true\"></thread><thread id=\"t1\" name=\"second\"></thread>"
        "</process>"
        "</node><node id=\"n2\" name=\"paje-2\"><process id=\"r2\" name=\"2\"><thread id=\"t3\" name=\"main\"></thread>"
        "</process></node></site><site id=\"s2\" name=\"Grenoble\"><node id=\"n3\" name=\"ida-1\"><process id=\"r1\" "
        "name=\"1\"><thread id=\"t2\" name=\"main\"><stack>solve</stack><stack>running</stack></thread></process>"
        "</node></site></snapshot>");
    add("3 3 t3 T\n3 3 r2 P\n3 3 n2 N\n");
    ASK("<snapshotreq/>",
        "<snapshot><site id=\"s1\"><node id=\"n1\"><process id=\"r0\"><thread id=\"t0\" master=\"true\"></thread>"
        "<thread id=\"t1\"></thread></process></node></site><site id=\"s2\"><node id=\"n3\"><process id=\"r1\">"
        "<thread id=\"t2\"></thread></process></node></site></snapshot>");
    ASK("<instrreq><metric name=\"THREAD_COUNT\"/><site id=\"*\"/></instrreq>"
        "<ctrlreq action=\"VALUE\"><probe id=\"p1\"/></ctrlreq>",
        "<probe id=\"p1\"/><measurement><measurement siteId=\"s1\" value=\"2\"/><measurement siteId=\"s2\" "
        "value=\"1\"/></measurement>");
    end();
}

/* A snapshot has names of functions of C++ as a request wants them: whole. */
static void long_names(void)
{
#define FORTY "std::vector<int, std::allocator<int> >::"
#define ESCAPED "std::vector&lt;int, std::allocator&lt;int&gt; &gt;::"
    reader = feed_new();
    add(header);
    add("2 0 c C 0 c\n2 0 p P c p\n2 0 t T p t\n4 1 S t \"" FORTY FORTY FORTY FORTY "size\"\n");
    ASK("<snapshotreq stack=\"1\"/>",
        "<snapshot><communicator id=\"c\"><process id=\"p\"><thread id=\"t\" master=\"true\"><stack>" ESCAPED ESCAPED
            ESCAPED ESCAPED "size</stack></thread></process></communicator></snapshot>");
    end();
}

/* Metrics of Java are those of a trace that has such states and events. */
static void java(void)
{
    begin();
    ASK("<instrreq><metric name=\"GC_COUNT\"/></instrreq>", ERROR("metric GC_COUNT: not in this catalogue"));
    add("%EventDef PajeDefineEventType 8\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n"
        "%EventDef PajeNewEvent 7\n% Time date\n% Type string\n% Container string\n% Value string\n%EndEventDef\n"
        "8 E T Happenings\n4 1 S p1.0 \"collection of garbage\"\n5 1.5 S p1.0\n7 1.5 E p2.1 \"class loaded\"\n"
        "7 1.75 E p2.1 \"class loaded\"\n4 2 S p1.0 \"collection of garbage\"\n5 2.25 S p1.0\n");
    ASK("<instrreq><metric name=\"GC_COUNT\"/><metric name=\"GC_TIME\"/><metric name=\"LOADED_CL_TOTAL\"/><process "
        "id=\"p1\"/><process id=\"p2\"/></instrreq><ctrlreq action=\"VALUE\"><probe id=\"p1\"/></ctrlreq>",
        "<probe id=\"p1\"/><measurement><measurement><measurement value=\"2\"/><measurement value=\"750\"/>"
        "<measurement value=\"0\"/></measurement><measurement><measurement value=\"0\"/><measurement value=\"0\"/>"
        "<measurement value=\"2\"/></measurement></measurement>");
    ASK("<instrreq><metric name=\"COMP_TIME\"/></instrreq>", ERROR("metric COMP_TIME: not in this catalogue"));
    /* variables: of a process, and of a thread; one that no state or event of the name has */
    add("%EventDef PajeDefineVariableType 9\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n"
        "%EventDef PajeSetVariable 10\n% Time date\n% Type string\n% Container string\n% Value double\n%EndEventDef\n"
        "9 V P \"Compilation ms\"\n9 D P \"Daemon threads\"\n"
        "10 3 V p1 27\n10 3 V p2 9000000000000000000\n10 3 D p3 7\n10 4 D p3 8\n"
        "4 4 S p1.0 Classes\n5 4 S p1.0\n7 4 E p1.0 Classes\n");
    ASK("<ctrlreq action=\"REMOVE\"><probe id=\"p1\"/></ctrlreq>", "<probe id=\"p1\"/>");
    ASK("<instrreq><metric name=\"COMP_TIME\"/><metric name=\"DAEMON_THREAD_COUNT\"/><process id=\"p1\"/><process "
        "id=\"p3\"/></instrreq><ctrlreq action=\"VALUE\"><probe id=\"p2\"/></ctrlreq>",
        "<probe id=\"p2\"/>"
        "<measurement><measurement><measurement value=\"27\"/><measurement value=\"0\"/></measurement>"
        "<measurement><measurement value=\"0\"/><measurement value=\"8\"/></measurement></measurement>");
    ASK("<instrreq><metric name=\"LOADED_CL_CURR\"/></instrreq>",
        ERROR("metric LOADED_CL_CURR: not in this catalogue"));
    ASK("<instrreq><codeRegion from=\"Classes\"/><metric name=\"COMP_TIME\"/></instrreq>",
        ERROR("metric COMP_TIME: is measured at intervals or when it is asked for, not by regions"));
    add("3 5 p1.0 T\n3 5 p1.1 T\n3 5 p1.2 T\n3 5 p1.3 T\n3 5 p1 P\n");
    feed_finish(reader); /* what has ended has what it had */
    ASK("<instrreq><metric name=\"COMP_TIME\"/><process id=\"p1\"/></instrreq>"
        "<ctrlreq action=\"VALUE\"><probe id=\"p3\"/></ctrlreq>",
        "<probe id=\"p3\"/><measurement value=\"27\"/>");
    end();
}

/* Destinations: a file of the folder, and nothing else. */
static void destinations(void)
{
    char folder[] = "/tmp/replies-XXXXXX", path[64], line[200];
    FILE *file;
    begin();
    feed_set_delivery(reader, take);
    EXPECT(mkdtemp(folder) != NULL);
    feed_reply(reader)->folder = folder;
    delivered[0] = 0;
    EXPECT(reply_open_file(folder, "file:///etc/passwd") < 0 && reply_open_file(folder, "file:../x") < 0 &&
           reply_open_file(folder, "file:..") < 0 && reply_open_file(folder, "file:/") < 0 &&
           reply_open_file(folder, "file:") < 0);
    snprintf(path, sizeof path, "%s/link", folder);
    EXPECT(symlink("/tmp/replies-nothing", path) == 0 && reply_open_file(folder, "file:link") < 0 && errno == EEXIST);
    unlink(path);
    ASK("<instrreq activated=\"true\"><codeRegion from=\"c1\" to=\"c1\"/><metric name=\"WC_TIME\"/>"
        "<measuring delivery=\"1000\" destination=\"file:values.xml\"><aggregate "
        "function=\"SUM\"/></measuring></instrreq>"
        "<instrreq activated=\"true\"><codeRegion from=\"c1\" to=\"c1\"/><metric name=\"WC_TIME\"/>"
        "<measuring delivery=\"1000\" destination=\"file:///etc/passwd\"/></instrreq>",
        "<probe id=\"p1\"/><probe id=\"p2\"/>");
    add("4 0.5 S p1.0 c1\n5 0.75 S p1.0\n4 1 S p1.0 c1\n5 2 S p1.0\n");
    if (strcmp(
            delivered,
            "<errors><error>probe p2: destination file:///etc/passwd: not a file of the folder</error></errors>\n") !=
        0)
        fail("%s", delivered);
    ASK("<sirreq><resource in=\"self\" out=\"file:///etc/passwd\"/></sirreq>",
        ERROR("out file:///etc/passwd: only file: of a file of the folder is possible here"));
    ASK("<sirreq><resource in=\"self\" out=\"http://a/b\"/></sirreq>",
        ERROR("out http://a/b: only file: of a file of the folder is possible here"));
    ASK("<sirreq><resource in=\"self\" out=\"file:sir.xml\"/></sirreq>",
        "<sir><unit id=\"self\"><codeRegion id=\"c1\" name=\"c1\"/></unit></sir>");
    snprintf(path, sizeof path, "%s/sir.xml", folder);
    file = fopen(path, "r");
    EXPECT(file && fgets(line, sizeof line, file) && strstr(line, "<sir><unit id=\"self\"><codeRegion id=\"c1\""));
    if (file)
        fclose(file);
    unlink(path);
    snprintf(path, sizeof path, "%s/values.xml", folder);
    file = fopen(path, "r");
    EXPECT(file && fgets(line, sizeof line, file) && strcmp(line, "<measurement value=\"250\"/>\n") == 0);
    if (file)
        fclose(file);
    unlink(path);
    rmdir(folder);
    end();
}

/* Counts the bytes of a file of the folder, and removes it; -1: it is not there. */
static long bytes_of(const char *folder, const char *name)
{
    char path[64];
    struct stat about;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return stat(path, &about) == 0 && unlink(path) == 0 ? (long)about.st_size : -1;
}

/* The file of a destination is closed once, and where another destination is given; what has its descriptor then, as
 * the program closed all that it had, is left alone. */
static void destinations_change(void)
{
    static const char executed[] = "4 %d.5 S p1.0 c1\n5 %d.75 S p1.0\n4 %d S p1.0 c1\n5 %d.5 S p1.0\n";
    char folder[] = "/tmp/replies-XXXXXX", path[64], line[100];
    int file, own = -1;
    begin();
    feed_set_delivery(reader, take);
    EXPECT(mkdtemp(folder) != NULL);
    feed_reply(reader)->folder = folder;
    delivered[0] = 0;
    ASK("<instrreq activated=\"true\"><codeRegion from=\"c1\" to=\"c1\"/><metric name=\"WC_TIME\"/>"
        "<measuring delivery=\"1000\" destination=\"file:one\"><aggregate function=\"SUM\"/></measuring></instrreq>",
        "<probe id=\"p1\"/>");
    for (int i = 0; i < 6; i += 2) {
        snprintf(line, sizeof line, executed, i, i, i + 1, i + 1);
        add(line);
        if (i == 0)
            ASK("<ctrlreq action=\"ACTIVATE\"><probe id=\"p1\"/><measuring destination=\"file:two\"/></ctrlreq>",
                "<probe id=\"p1\"/>");
        if (i == 2) {
            file = feed_reply(reader)->measure.probe[0].file;
            snprintf(path, sizeof path, "%s/own", folder);
            own = open(path, O_CREAT | O_WRONLY, 0600);
            EXPECT(dup2(own, file) == file && close(own) == 0);
            own = file;
        }
    }
    ASK("<ctrlreq action=\"REMOVE\"><probe id=\"p1\"/><probe id=\"p1\"/></ctrlreq>",
        "<probe id=\"p1\"/><probe id=\"p1\"/>");
    EXPECT(fcntl(own, F_GETFD) >= 0 && close(own) == 0);
    EXPECT(bytes_of(folder, "one") > 0 && bytes_of(folder, "two") > 0 && bytes_of(folder, "own") == 0);
    ASK("<instrreq activated=\"true\"><codeRegion from=\"c1\" to=\"c1\"/><metric name=\"WC_TIME\"/>"
        "<measuring delivery=\"1000\" destination=\"file:three\"><aggregate function=\"SUM\"/></measuring></instrreq>",
        "<probe id=\"p2\"/>");
    snprintf(line, sizeof line, executed, 6, 6, 8, 8);
    add(line);
    file = feed_reply(reader)->measure.probe[0].file;
    EXPECT(fcntl(file, F_GETFD) >= 0);
    ASK("<ctrlreq action=\"REMOVE\"><probe id=\"p2\"/></ctrlreq>", "<probe id=\"p2\"/>");
    EXPECT(fcntl(file, F_GETFD) < 0 && bytes_of(folder, "three") > 0 && rmdir(folder) == 0);
    end();
}

/* The variance of integers is that of two passes, however large they are and however they are merged. */
static void variance(void)
{
    for (int round = 0; round < 300; round++) {
        static measure_place place;
        static measure one;
        static const measure_source none;
        static int64_t values[1000];
        measure_values all = {0};
        request from;
        char problem[100];
        const int64_t size = INT64_C(1) << rand() % 50, offset = round % 3 == 0 ? 0 : (int64_t)rand() << rand() % 12;
        const int count = 1 + rand() % 1000;
        long double mean = 0, squares = 0, got;
        int64_t exact = 0;
        memset(&one, 0, sizeof one);
        measure_init(&one, &none, 0);
        for (int i = 0; i < 3; i++)
            measure_add_place(&one, &place);
        memset(&from, 0, sizeof from);
        from.metric_count = 1;
        strcpy(from.metrics[0], "WC_TIME");
        from.has_region = 1;
        one.source.region = NULL;
        one.probe[0].is_used = 1;
        (void)problem;
        one.probe[0].cells = aligned_alloc(64, sizeof(measure_cell) * MEASURE_PLACES);
        memset(one.probe[0].cells, 0, sizeof(measure_cell) * MEASURE_PLACES);
        one.probe[0].metric_count = one.probe[0].path_count = 1;
        one.probe[0].has_region = 1;
        one.probe[0].to = 1;
        strcpy(one.probe[0].paths[0].id[LEVEL_THREAD], "?");
        for (int i = 0; i < count; i++) {
            values[i] = (round % 2 ? -1 : 1) *
                        (offset + (int64_t)(((uint64_t)rand() << 31 | (uint64_t)rand()) % (uint64_t)size));
            exact += values[i];
            measure_leave(&one, 1, 1, (uint32_t)i % 3, 0, (uint64_t)values[i]);
        }
        for (uint32_t i = 0; i < 3; i++) {
            const measure_values more = measure_read(&one, 0, 0, i);
            measure_merge(&all, &more);
        }
        mean = (long double)exact / count;
        for (int i = 0; i < count; i++)
            squares += ((long double)values[i] - mean) * ((long double)values[i] - mean);
        got = (long double)measure_variance(&all);
        EXPECT(all.count == (uint64_t)count && all.sum == exact);
        if (fabsl(got - squares / count) > 1e-12L * (squares / count) + 1e-12L)
            fail("round %d: %.20Lg, not %.20Lg", round, got, squares / count);
        measure_free(&one);
    }
}

static void numbers(void)
{
    static const struct { int64_t number; int decimals; const char *text; } fixed[] = {
        {0, 6, "0"}, {1, 6, "0.000001"}, {-1500000, 6, "-1.5"}, {12500000, 6, "12.5"}, {100, 0, "100"}, {10, 1, "1"},
        {INT64_MIN, 0, "-9223372036854775808"}, {INT64_MAX, 6, "9223372036854.775807"}};
    static const double reals[] = {0.1, 1.0 / 3, 1e22, 123456.789, 1e-7, 5e-324, 1.7976931348623157e308, -2.5, 100, 1};
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++) {
        markup to = {text, 0, sizeof text - 1, 0};
        markup_fixed(&to, fixed[i].number, fixed[i].decimals);
        text[to.size] = 0;
        if (strcmp(text, fixed[i].text) != 0)
            fail("%s, not %s", text, fixed[i].text);
    }
    for (size_t i = 0; i < sizeof reals / sizeof *reals; i++) {
        markup to = {text, 0, sizeof text - 1, 0};
        markup_double(&to, reals[i]);
        text[to.size] = 0;
        if (strtod(text, NULL) != reals[i] || strspn(text, "-.0123456789") != strlen(text))
            fail("%s is not %.17g", text, reals[i]);
    }
}

static void test(const char *name, void (*body)(void))
{
    body();
    report("requests ", name);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        replies = fopen(argv[1], "w");
    test("the paper's examples as they are printed are refused, with line and column", examples_as_printed);
    test("the paper's examples as they were meant", examples_as_meant);
    test("a process and its threads", a_process_and_its_threads);
    test("threads that execute a region, and all when any does", by_any_and_by_itself);
    test("threads that are selected, each by its own executions", by_own);
    test("from one region to another", regions_from_and_to);
    test("delivery", delivery);
    test("intervals and durations", intervals_and_durations);
    test("each interval by itself, and once", each_interval);
    test("intervals of a probe that is changed", changed_intervals);
    test("rules, defaults and flushing", rules);
    test("metrics of Java", java);
    test("snapshots: sites and nodes", sites_and_nodes);
    test("snapshots: long names", long_names);
    test("destinations are files of one folder", destinations);
    test("destinations that change, and descriptors that are others' by then", destinations_change);
    test("the variance is that of two passes", variance);
    test("numbers", numbers);
    if (replies)
        fclose(replies);
    return failed;
}
