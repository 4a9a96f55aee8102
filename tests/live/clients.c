/* Clients that do a live program harm, or try to: those that are killed at any moment, stop, read slowly, send what is
 * no request, or are too many.  The program must go on, and reply to a good one afterwards. usage: clients SOCKET CASE
 * [COUNT [only]]      only: they ask, and change nothing */
#include "live/document.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char *path;
static int only_asks;

static int connect_once(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int file = socket(AF_UNIX, SOCK_STREAM, 0);
    strncpy(address.sun_path, path, sizeof address.sun_path - 1);
    for (int i = 0; connect(file, (struct sockaddr *)&address, sizeof address) != 0; i++) {
        const struct timespec moment = {0, 1000000};
        if (i == 3000) {
            printf("connect: %s\n", strerror(errno));
            exit(1);
        }
        nanosleep(&moment, NULL);
    }
    return file;
}

static void put(int file, const char *text)
{
    (void)!send(file, text, strlen(text), MSG_NOSIGNAL);
}

/* Waits for a document.  Returns 0 if there is none in ten seconds. */
static int get(int file, document *it)
{
    char bytes[4096];
    document_begin(it);
    (void)document_feed(it, "", 0);
    while (it->status == DOCUMENT_MORE) {
        struct pollfd waited = {file, POLLIN, 0};
        ssize_t size = poll(&waited, 1, 10000) > 0 ? recv(file, bytes, sizeof bytes, 0) : 0;
        if (size <= 0)
            return 0;
        (void)document_feed(it, bytes, (size_t)size);
    }
    return it->status == DOCUMENT_WHOLE;
}

static const char *const requests[] = {
    "<catalogreq/>",
    "<snapshotreq named=\"true\" stack=\"9\"/>",
    "<ping id=\"1\"/>",
    "<tunereq id=\"1\"><set name=\"rows\" value=\"16\"/></tunereq>",
    "<instrreq activated=\"true\"><codeRegion from=\"solve\" to=\"solve\"/><metric name=\"WC_TIME\"/><measuring "
    "delivery=\"-1\"/></instrreq>",
    "<instrreq activated=\"true\"><codeRegion from=\"solve\" to=\"solve\"/><metric name=\"CPU_TIME\"/><thread "
    "id=\"*\"/></instrreq>",
    "<instrreq activated=\"true\"><metric name=\"THREAD_COUNT\"/><measuring interval=\"1\" delivery=\"1\"/></instrreq>",
    "<instrreq activated=\"true\"><codeRegion from=\"solve\"/><event/></instrreq>",
    "<ctrlreq action=\"VALUE\"><probe id=\"p1\"/></ctrlreq>",
    "<instrreq activated=\"true",
    "<tracereq/>"};
enum { REQUESTS = sizeof requests / sizeof *requests, TUNES = 3 };

/* A client that asks whatever comes, until it is killed. */
static void ask_for_ever(unsigned seed)
{
    int file = connect_once();
    char bytes[4096];
    srand(seed);
    for (;;) {
        int which = rand() % REQUESTS;
        put(file, requests[only_asks && which == TUNES ? 0 : which]);
        while (recv(file, bytes, sizeof bytes, MSG_DONTWAIT) > 0)
            ;
    }
}

static void killed(int count)
{
    for (int i = 0; i < count; i++) {
        const pid_t child = fork();
        const struct timespec moment = {0, rand() % 1500000};
        if (child == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL); // as a test that is stopped kills the parent only
            ask_for_ever((unsigned)i);
        }
        if (child < 0) { // not -1 to kill(), which means all processes
            perror("clients");
            exit(2);
        }
        nanosleep(&moment, NULL);
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
    }
}

/* Asks for all there is, and reads nothing, or 4 KiB a second; and asks on. */
static void reads_slowly(int seconds, int is_stopped)
{
    int file = connect_once();
    char bytes[512];
    put(file, requests[4]);
    put(file, requests[6]);
    for (int i = 0; i < 8 * seconds; i++) {
        const struct timespec moment = {0, 125000000};
        for (int k = 0; k < 100; k++)
            (void)!send(file, requests[0], strlen(requests[0]), MSG_NOSIGNAL | MSG_DONTWAIT);
        nanosleep(&moment, NULL);
        if (!is_stopped)
            (void)!recv(file, bytes, sizeof bytes, MSG_DONTWAIT);
    }
}

/* What is no request, and too much of everything. */
static void hostile(void)
{
    static const char *const texts[] = {"hello\n",
                                        "<!DOCTYPE a [<!ENTITY b 'c'>]><a/>",
                                        "<a>",
                                        "</a>",
                                        "<sirreq",
                                        "\xff\xfe",
                                        "<instrreq><metric name='&#0;'/></instrreq>",
                                        "<tunereq id='1'><load file='/tmp/evil.so'/></tunereq>",
                                        "<tunereq id='1'><set name='rows' value='1e400'/></tunereq>",
                                        "<tunereq id='1'><set name='rows' value='99999999999999999999'/></tunereq>",
                                        "<ctrlreq action='VALUE'><probe id='/etc/passwd'/></ctrlreq>"};
    static char many[1 << 20];
    document *it = calloc(1, sizeof *it);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        int file = connect_once();
        put(file, texts[i]);
        shutdown(file, SHUT_WR);
        while (recv(file, many, sizeof many, 0) > 0)
            ;
        close(file);
    }
    for (int kind = 0; kind < 3;
         kind++) { /* a million deep, a million elements, a megabyte of text; in pieces, as it takes them */
        int file = connect_once();
        size_t size = 0;
        if (kind)
            put(file, "<a>");
        while (size + 4 < sizeof many)
            size += (size_t)sprintf(many + size, "%s", kind == 0 ? "<a>" : kind == 1 ? "<a/>" : "text ");
        (void)!send(file, many, size, MSG_NOSIGNAL);
        while (recv(file, many, sizeof many, 0) > 0)
            ;
        close(file);
    }
    { /* bytes at random */
        int file = connect_once();
        for (size_t i = 0; i < sizeof many; i++)
            many[i] = "<>/='\" ab&;!-x"[rand() % 14];
        (void)!send(file, many, sizeof many, MSG_NOSIGNAL);
        close(file);
    }
    free(it);
}

/* More clients than there may be: those beyond get errors, and the others stay. */
static int too_many(void)
{
    int files[12], replied = 0, refused = 0;
    document *it = calloc(1, sizeof *it);
    for (int i = 0; i < 12; i++)
        files[i] = connect_once();
    for (int i = 0; i < 12; i++) {
        put(files[i], "<ping/>");
        it->status = DOCUMENT_BAD;
        if (get(files[i], it)) {
            replied += document_is(it->element[1].name, "pong");
            refused += document_is(it->element[1].name, "errors");
        }
    }
    free(it);
    if (replied != 8 || refused != 4)
        printf("%d replied to, %d refused\n", replied, refused);
    return replied == 8 && refused == 4;
}

/* A good client: its request has a reply, and a second one's has, too. */
static int good(void)
{
    document *it = calloc(1, sizeof *it);
    int first = connect_once(), second = connect_once(), is_good;
    it->status = DOCUMENT_BAD;
    put(first,
        "<instrreq activated=\"true\"><codeRegion from=\"solve\" to=\"solve\"/><metric name=\"WC_TIME\"/></instrreq>");
    is_good = get(first, it) && document_is(it->element[1].name, "probe");
    put(second, "<snapshotreq/>");
    it->status = DOCUMENT_BAD;
    is_good = is_good && get(second, it) && document_is(it->element[1].name, "snapshot") && it->elements > 3;
    if (!is_good)
        printf("%s %.*s\n", it->problem, (int)it->element[1].name.size, it->element[1].name.bytes);
    free(it);
    return is_good;
}

int main(int argc, char **argv)
{
    const int count = argc > 3 ? atoi(argv[3]) : 1;
    if (argc < 3)
        return 2;
    path = argv[1];
    only_asks = argc > 4;
    if (strcmp(argv[2], "killed") == 0)
        killed(count);
    else if (strcmp(argv[2], "slow") == 0 || strcmp(argv[2], "stopped") == 0)
        reads_slowly(count, argv[2][1] == 't');
    else if (strcmp(argv[2], "hostile") == 0)
        hostile();
    else if (strcmp(argv[2], "many") == 0)
        return !too_many();
    else
        return !good();
    return 0;
}
