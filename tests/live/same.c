/* A program and a side program that reads its trace: the same requests have the same replies, byte for byte.  Random
 * regions of three threads, by a clock of the test, each on its own turn. */
#include "live/agent.h"
#include "mir/engine/feed.h"

#include "../lib/expect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { THREADS = 3, REGIONS = 5 };
static const pajewrite_type process = {1}, thread = {2}, activity = {3};
static const char *const names[REGIONS] = {"solve", "exchange", "lock", "send", "condition"};

static uint64_t ticks;
static live l;
static live_region *regions[REGIONS];
static feed *side;
static int channel_end;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static unsigned seed;

static uint64_t tick(void *data)
{
    (void)data;
    return ticks;
}

static pajewrite_status to_side(void *data, const char *bytes, size_t size)
{
    (void)data;
    EXPECT(feed_read(side, bytes, size));
    return PAJEWRITE_OK;
}

static unsigned dice(unsigned sides)
{
    seed = seed * 1103515245 + 12345;
    return (seed >> 16) % sides;
}

static char program_text[1 << 20], side_text[1 << 20];

/* Asks both, and compares. */
static void ask(const char *text)
{
    static document asked;
    markup to = {side_text, 0, sizeof side_text - 1, 0};
    size_t size = 0;
    ssize_t more;
    EXPECT(send(channel_end, text, strlen(text), 0) == (ssize_t)strlen(text));
    for (int i = 0; i < 3; i++)
        live_poll(&l);
    while ((more = recv(channel_end, program_text + size, sizeof program_text - size, MSG_DONTWAIT)) > 0)
        size += (size_t)more;
    program_text[size] = 0;
    asked.status = DOCUMENT_BAD;
    document_begin(&asked);
    (void)document_feed(&asked, text, strlen(text));
    reply_document(feed_reply(side), &asked, 1, &to);
    side_text[to.size] = 0;
    if (!size || strcmp(program_text, side_text) != 0)
        fail("seed %u: %s: the program: %s, the side program: %s", seed, text, program_text, side_text);
}

/* The threads do what the test says, one at a time. */
static struct { int thread, region; } command; /* region -1: leaves the innermost one, -2: ends */

static void *run(void *argument)
{
    const int self = (int)(intptr_t)argument;
    static char buffers[THREADS][1024];
    pajewrite w;
    pajewrite_config config = PAJEWRITE_CONFIG;
    live_scope scopes[8];
    int depth = 0;
    char name[16];
    config.sink = to_side;
    config.clock = tick;
    pajewrite_init(&w, buffers[self], sizeof buffers[self], &config);
    snprintf(name, sizeof name, "thread %d", self);
    live_thread_begin(&l, &w, PAJEWRITE_CONTAINER((uint32_t)self + 2), name);
    pthread_mutex_lock(&lock);
    for (int is_over = 0; !is_over;) {
        while (command.thread != self)
            pthread_cond_wait(&changed, &lock);
        is_over = command.region == -2;
        if (command.region >= 0)
            live_enter(&scopes[depth++], regions[command.region]);
        else if (command.region == -1)
            live_leave(&scopes[--depth]);
        else
            while (depth)
                live_leave(&scopes[--depth]);
        pajewrite_flush(&w);
        command.thread = -1;
        pthread_cond_broadcast(&changed);
    }
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void order(int thread_number, int region)
{
    pthread_mutex_lock(&lock);
    command.thread = thread_number;
    command.region = region;
    pthread_cond_broadcast(&changed);
    while (command.thread != -1)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
}

/* A random request of probes, or of their values. */
static const char *draw_request(void)
{
    static const char *const metrics_here[] = {"WC_TIME", "BLOCKED_TIME", "BLOCKED_COUNT", "NET_SEND",
                                               "THREAD_WAITED_COUNT"};
    static const char *const paths[] = {"",
                                        "<thread id=\"?\"/>",
                                        "<process id=\"?\"/>",
                                        "<process id=\"1\"><thread id=\"?\"/></process>",
                                        "<thread id=\"3\"/><thread id=\"2\"/>",
                                        "<process id=\"*\"/>",
                                        "<process id=\"*\"><thread id=\"*\"/></process>"};
    static char text[2000];
    char *p = text;
    const char *const from = names[dice(REGIONS)], *const to = dice(3) ? from : names[dice(REGIONS)];
    if (dice(2)) {
        static const char *const actions[] = {"VALUE", "VALUE",      "VALUE",    "VALUE",
                                              "RESET", "DEACTIVATE", "ACTIVATE", "REMOVE"};
        p += sprintf(p, "<ctrlreq action=\"%s\"><probe id=\"p%u\"/>", actions[dice(8)], 1 + dice(12));
        sprintf(p, dice(3) ? "</ctrlreq>" : "<probe id=\"p%u\"/></ctrlreq>", 1 + dice(12));
        return text;
    }
    p += sprintf(p, "<instrreq activated=\"true\"%s><codeRegion", dice(4) ? "" : " own=\"true\"");
    if (dice(8))
        p += sprintf(p, " from=\"%s\"", from);
    p += sprintf(p, dice(8) || !strchr(text, '=') || !strstr(text, "from") ? " to=\"%s\"/>" : "/>", to);
    for (unsigned i = 0; i <= dice(3); i++)
        p += sprintf(p, "<metric name=\"%s\"/>", metrics_here[dice(5)]);
    if (dice(2)) {
        p += sprintf(p, "<measuring>");
        for (int i = 0; i < REQUEST_FUNCTIONS; i++)
            if (!i || dice(2))
                p += sprintf(p, "<aggregate function=\"%s\"/>", request_functions[(unsigned)i]);
        p += sprintf(p, "</measuring>");
    }
    sprintf(p, "%s</instrreq>", paths[dice(7)]);
    return text;
}

static void run_one(unsigned number)
{
    static char buffer[4096];
    pajewrite w;
    pajewrite_config settings = PAJEWRITE_CONFIG;
    pthread_t threads[THREADS];
    char where[16];
    int ends[2], depth[THREADS] = {0};
    live_config config = {.writer = &w,
                          .state = activity,
                          .clock = tick,
                          .process = "1",
                          .process_name = "same",
                          .is_polled = 1,
                          .where = where};
    seed = number;
    ticks = 1000;
    side = feed_new();
    EXPECT(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    channel_end = ends[0];
    snprintf(where, sizeof where, "fd:%d", ends[1]);
    settings.sink = to_side;
    settings.clock = tick;
    pajewrite_init(&w, buffer, sizeof buffer, &settings);
    pajewrite_header(&w);
    pajewrite_define_container_type(&w, process, PAJEWRITE_ROOT_TYPE, "Process");
    pajewrite_define_container_type(&w, thread, process, "Thread");
    pajewrite_define_state_type(&w, activity, thread, "Region");
    pajewrite_create_container(&w, PAJEWRITE_CONTAINER(1), process, PAJEWRITE_ROOT, "same");
    for (uint32_t i = 0; i < THREADS; i++) {
        char name[16];
        snprintf(name, sizeof name, "thread %u", (unsigned)i);
        pajewrite_create_container(&w, PAJEWRITE_CONTAINER(2 + i), thread, PAJEWRITE_CONTAINER(1), name);
    }
    EXPECT(live_init(&l, &config));
    for (int i = 0; i < REGIONS; i++) {
        regions[i] = live_new_region(&l, names[i], "same.c", i);
        live_trace_region(regions[i], 1);
    }
    pajewrite_flush(&w);
    command.thread = -1;
    for (int i = 0; i < THREADS; i++) {
        pthread_create(&threads[i], NULL, run, (void *)(intptr_t)i);
        order(i, -3); /* in this order they begin */
    }
    for (int i = 0; i < REGIONS; i++) { /* so that all metrics are known to both */
        order(0, i);
        order(0, -1);
    }
    for (int step = 0; step < 300 && !fault[0]; step++) {
        const int self = (int)dice(THREADS);
        ticks += 1 + (dice(4) ? dice(100000) : dice(3) * 1000000000u);
        if (dice(5) == 0)
            ask(draw_request());
        else if (depth[self] && (depth[self] == 6 || dice(2)))
            order(self, -1), depth[self]--;
        else
            order(self, (int)dice(REGIONS)), depth[self]++;
    }
    ask("<snapshotreq named=\"true\" stack=\"5\"/>");
    for (int i = 0; i < THREADS; i++) {
        order(i, -2);
        pthread_join(threads[i], NULL);
    }
    live_end(&l);
    close(ends[0]);
    feed_free(side);
}

int main(int argc, char **argv)
{
    const unsigned count = argc > 1 ? (unsigned)atoi(argv[1]) : 100;
    for (unsigned i = 1; i <= count && !fault[0]; i++)
        run_one(i);
    report("same ", "a program and a side program reply alike to random requests");
    return failed;
}
