/* A child of a live program has no channel; the parent keeps its own. */
#include "live/live.h"

#include "../lib/expect.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static live l;
static int64_t number = 1;

/* Asks by the other end of the socket.  Returns whether the reply begins like that. */
static int is_replied(int end, const char *request, const char *begin)
{
    char got[4096];
    ssize_t size;
    if (send(end, request, strlen(request), MSG_NOSIGNAL) < 0)
        return 0;
    for (int i = 0; i < 4; i++)
        live_poll(&l);
    size = recv(end, got, sizeof got - 1, MSG_DONTWAIT);
    got[size < 0 ? 0 : size] = 0;
    return strncmp(got, begin, strlen(begin)) == 0;
}

int main(void)
{
    int ends[2], status;
    char where[16];
    live_config config = {.is_polled = 1, .where = where};
    live_region *region;
    pid_t child;
    EXPECT(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    snprintf(where, sizeof where, "fd:%d", ends[1]);
    EXPECT(live_init(&l, &config));
    live_thread_begin(&l, NULL, PAJEWRITE_CONTAINER(1), "main");
    live_knob(&l, "number", &number, LIVE_RANGE(0, 9, 1), NULL);
    region = LIVE_NEW_REGION(&l, "region");
    EXPECT(is_replied(
        ends[0],
        "<instrreq activated=\"true\"><codeRegion from=\"region\" to=\"region\"/><metric name=\"WC_TIME\"/></instrreq>",
        "<probe id=\"p1\"/>"));
    EXPECT(is_replied(ends[0], "<tunereq id=\"1\"><set name=\"number\" value=\"2\"/></tunereq>", ""));
    {
        LIVE_REGION(region);
        child = fork();
        if (child == 0) {
            close(ends[0]);
            live_point(&l, "anywhere"); /* the change was the parent's */
            _exit(number != 1 || l.agent || recv(ends[1], where, 1, MSG_DONTWAIT) >= 0);
        }
        EXPECT(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    if (fork() == 0) { /* the region is left by the child, too */
        LIVE_REGION(region);
        live_end(&l);
        _exit(0);
    }
    {
        LIVE_REGION(region);
        child = fork();
        if (child == 0) {
            live_scope inner;
            live_enter(&inner, region);
            live_leave(&inner);
            _exit(0);
        }
        EXPECT(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    live_point(&l, "anywhere");
    EXPECT(number == 2);
    EXPECT(is_replied(ends[0], "<ping/>", "<pong"));
    EXPECT(is_replied(ends[0], "<ctrlreq action=\"VALUE\"><probe id=\"p1\"/></ctrlreq>", ""));
    live_end(&l);
    while (wait(NULL) > 0)
        ;
    report("fork ", "a child has no channel, the parent keeps its own");
    return failed;
}
