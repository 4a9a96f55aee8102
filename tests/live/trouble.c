/* What a live program may do to itself and its surroundings: it goes to another folder, has no descriptors left, closes
 * all of them, executes others, or is started in odd environments. */
#include "live/measure.h"

#include "../lib/expect.h"

/* The agent may ask for a thread as soon as it has a place, before live_thread_begin goes on. */
static uint32_t add_place_and_ask(measure *it, const measure_place *place)
{
    const uint32_t number = measure_add_place(it, place);
    EXPECT(number < MEASURE_PLACES &&
           it->source.value(it->source.data, metric_find("CPU_TIME"), number, 0) >= 0);
    return number;
}
#define measure_add_place add_place_and_ask
#include "live/live.c"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static live l;
static char folder[] = "/tmp/live-trouble-XXXXXX";
static int accepted, is_full;

/* In place of that of the library: counts. */
int accept4(int file, __SOCKADDR_ARG address, socklen_t *size, int flags)
{
    int got = -1;
    accepted++;
    errno = EMFILE;
    if (!is_full)
        got = accept(file, address, size);
    if (got >= 0 && (flags & SOCK_CLOEXEC))
        fcntl(got, F_SETFD, FD_CLOEXEC);
    return got;
}

static void pause_for(long milliseconds)
{
    const struct timespec moment = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    nanosleep(&moment, NULL);
}

static int connect_to(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const int file = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    strncpy(address.sun_path, path, sizeof address.sun_path - 1);
    EXPECT(connect(file, (struct sockaddr *)&address, sizeof address) == 0);
    return file;
}

/* Whether a program at the other end replies within ten seconds. */
static int is_replied(int file)
{
    char got[64] = "";
    const struct timeval limit = {10, 0};
    setsockopt(file, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    return send(file, "<ping/>", 7, MSG_NOSIGNAL) == 7 && recv(file, got, sizeof got - 1, 0) > 0 &&
           strncmp(got, "<pong", 5) == 0;
}

static int begin(const char *where)
{
    live_config config = {.where = where};
    return live_init(&l, &config);
}

static int count_files(void)
{
    int count = 0;
    for (int i = 0; i < 256; i++)
        count += fcntl(i, F_GETFD) >= 0;
    return count;
}

/* How many descriptors a program has that is executed without fork's handlers, as popen does. */
static int count_inherited(void)
{
    FILE *pipe = popen("ls /proc/self/fd | wc -l", "r");
    int count = 0;
    EXPECT(pipe && fscanf(pipe, "%d", &count) == 1);
    if (pipe)
        pclose(pipe);
    return count;
}

static void another_folder(void)
{
    int file;
    EXPECT(chdir(folder) == 0 && mkdir("sub", 0700) == 0 && begin("unix:socket"));
    EXPECT(chdir("sub") == 0);
    file = open("socket", O_CREAT | O_WRONLY, 0600); /* of the program's own */
    close(file);
    live_end(&l);
    EXPECT(access("socket", F_OK) == 0 && access("../socket", F_OK) != 0);
    EXPECT(unlink("socket") == 0 && chdir("..") == 0 && begin("unix:socket"));
    EXPECT(unlink("socket") == 0);
    file = open("socket", O_CREAT | O_WRONLY, 0600); /* in its place */
    close(file);
    live_end(&l);
    EXPECT(access("socket", F_OK) == 0 && unlink("socket") == 0);
}

static void executed_programs(void)
{
    const int before = count_inherited();
    int client;
    EXPECT(begin("unix:socket"));
    client = connect_to("socket");
    EXPECT(is_replied(client) && count_inherited() == before);
    close(client);
    live_end(&l);
}

static void no_descriptors(void)
{
    int client, waits;
    EXPECT(begin("unix:socket"));
    is_full = 1;
    accepted = 0;
    client = connect_to("socket");
    waits = connect_to("socket");
    pause_for(300);
    EXPECT(accepted >= 1 && accepted < 100);
    is_full = 0;
    EXPECT(is_replied(client) && is_replied(waits));
    close(client);
    close(waits);
    live_end(&l);
}

/* A program that closes all it knows, and opens files of its own, which get the same numbers. */
static void all_closed(void)
{
    int client, files[64], kept = 0;
    char name[32], byte;
    struct stat about;
    client = fork();
    if (client == 0) {
        EXPECT(begin("unix:socket"));
        client = fcntl(connect_to("socket"), F_DUPFD_CLOEXEC, 200);
        EXPECT(is_replied(client));
        for (int i = 3; i < 200; i++)
            close(i);
        for (int i = 0; i < 64; i++) {
            snprintf(name, sizeof name, "file-%d", i);
            files[i] = open(name, O_CREAT | O_RDWR, 0600);
            kept += write(files[i], "x", 1) == 1 && lseek(files[i], 0, SEEK_SET) == 0;
        }
        (void)!send(client, "<catalogreq/>", 13, MSG_NOSIGNAL);
        pause_for(100);
        live_end(&l);
        for (int i = 0; i < 64; i++)
            EXPECT(fstat(files[i], &about) == 0 && about.st_size == 1 && read(files[i], &byte, 1) == 1);
        EXPECT(kept == 64);
        _exit(failed);
    }
    EXPECT(waitpid(client, &kept, 0) == client && WIFEXITED(kept) && WEXITSTATUS(kept) == 0);
    EXPECT(system("rm -f file-* socket") == 0);
}

static void environments(void)
{
    char path[256];
    setenv("XDG_RUNTIME_DIR", "/nowhere/at/all", 1);
    EXPECT(!begin("@") && strstr(l.problem, "/nowhere/at/all/paje-live: No such file"));
    snprintf(path, sizeof path, "/tmp/%0150d", 1);
    setenv("XDG_RUNTIME_DIR", path, 1);
    EXPECT(!begin("@") && strstr(l.problem, "too long for sockets"));
    setenv("XDG_RUNTIME_DIR", "/proc/self", 1);
    EXPECT(!begin("@") && strstr(l.problem, "/proc/self/paje-live"));
    setenv("XDG_RUNTIME_DIR", folder, 1);
    EXPECT(begin("@"));
    snprintf(path, sizeof path, "%s/paje-live/%d", folder, (int)getpid());
    EXPECT(access(path, F_OK) == 0);
    live_end(&l);
    EXPECT(access(path, F_OK) != 0);
    snprintf(path, sizeof path, "%s/paje-live", folder);
    rmdir(path);
    setenv("XDG_RUNTIME_DIR", "", 1); /* as if it were not set */
    unsetenv("TMPDIR");
    EXPECT(begin("@"));
    snprintf(path, sizeof path, "/tmp/paje-live-%lu/%d", (unsigned long)geteuid(), (int)getpid());
    EXPECT(access(path, F_OK) == 0);
    live_end(&l);
    snprintf(path, sizeof path, "@%s/%090d", folder, 1);
    EXPECT(!begin(path) && strstr(l.problem, "too long for sockets"));
}

/* Half a document does not delay others, and nothing is left of a thousand clients. */
static void many_clients(void)
{
    const int before = count_files();
    int half, good;
    EXPECT(begin("unix:socket"));
    half = connect_to("socket");
    EXPECT(send(half, "<instrreq activated=\"true\"><metric na", 37, MSG_NOSIGNAL) == 37);
    for (int i = 0; i < 1000; i++) {
        const int client = connect_to("socket");
        (void)!send(client, "<catalogreq/><snapshotreq", 25, MSG_NOSIGNAL);
        close(client);
    }
    good = connect_to("socket");
    EXPECT(is_replied(good));
    close(good);
    close(half);
    live_end(&l);
    EXPECT(count_files() == before);
}

/* ---- events ---- */

static char written[1 << 16];
static size_t written_size;

static pajewrite_status keep(void *data, const char *bytes, size_t size)
{
    (void)data;
    if (size < sizeof written - written_size) {
        memcpy(written + written_size, bytes, size);
        written_size += size;
        written[written_size] = 0;
    }
    return PAJEWRITE_OK;
}

/* How many bytes of the trace an execution takes. */
static size_t write_region(pajewrite *w, live_region *region)
{
    const size_t before = written_size;
    {
        LIVE_REGION(region);
    }
    pajewrite_flush(w);
    return written_size - before;
}

/* <event/> has a region traced while its probe is there; one that the program traces stays so. */
static void events(void)
{
    static char buffer[8192];
    pajewrite w;
    pajewrite_config config = PAJEWRITE_CONFIG;
    int ends[2];
    char where[16];
    live_config of = {.where = where, .is_polled = 1, .writer = &w, .state = {2}};
    live_region *traced, *other;
    config.sink = keep;
    pajewrite_init(&w, buffer, sizeof buffer, &config);
    EXPECT(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    snprintf(where, sizeof where, "fd:%d", ends[1]);
    EXPECT(live_init(&l, &of));
    live_thread_begin(&l, &w, PAJEWRITE_CONTAINER(1), "main");
    traced = LIVE_NEW_REGION(&l, "traced");
    other = LIVE_NEW_REGION(&l, "other");
    live_trace_region(traced, 1);
    for (int is_asked = 0; is_asked < 2; is_asked++) {
        static const char asks[] = "<instrreq activated=\"true\"><codeRegion from=\"traced\"/><event/></instrreq>"
                                   "<instrreq activated=\"true\"><codeRegion from=\"other\"/><event/></instrreq>";
        static const char removes[] = "<ctrlreq action=\"REMOVE\"><probe id=\"p1\"/><probe id=\"p2\"/></ctrlreq>";
        const char *const text = is_asked ? removes : asks;
        if (!is_asked)
            EXPECT(write_region(&w, traced) > 0 && write_region(&w, other) == 0);
        EXPECT(send(ends[0], text, strlen(text), 0) == (ssize_t)strlen(text));
        for (int i = 0; i < 3; i++)
            live_poll(&l);
        EXPECT(write_region(&w, traced) > 0 && (write_region(&w, other) > 0) == !is_asked);
    }
    pajewrite_finish(&w);
    live_end(&l);
    close(ends[0]);
}

static int calls;

static void called(void)
{
    calls++;
}

/* Sends a request by an end of a socket, and returns how often the replies have a word; -1: they end. */
static int count_replied(int end, const char *asked, const char *word)
{
    static char got[65536];
    ssize_t size;
    int count = 0;
    (void)!send(end, asked, strlen(asked), MSG_NOSIGNAL);
    for (int i = 0; i < 3; i++) {
        live_poll(&l);
        live_point(&l, "here");
    }
    live_poll(&l);
    size = recv(end, got, sizeof got - 1, MSG_DONTWAIT);
    got[size < 0 ? 0 : size] = 0;
    for (const char *at = got; (at = strstr(at, word)); at++)
        count++;
    return size == 0 ? -1 : count;
}

/* What does not fit is refused, and leaves nothing behind. */
static void limits(void)
{
    static char buffer[16384], text[8192], quotes[63 * 6 + 1]; /* a name as long as any in a reply */
    static pajewrite_entry table[64];
    pajewrite w;
    pajewrite_config config = PAJEWRITE_CONFIG;
    int ends[2];
    char where[16];
    live_config of = {.where = where, .is_polled = 1, .writer = &w, .state = {2}};
    config.offer = live_offer;
    config.when_full = PAJEWRITE_DROP;
    config.table = table;
    config.table_entries = sizeof table / sizeof *table;
    config.definitions_size = 4096;
    for (int i = 0; i < 63; i++)
        strcat(quotes, "&quot;");
    for (int round = 0; round < 2; round++) {
        pid_t child;
        int status;
        pajewrite_init(&w, buffer, sizeof buffer, &config);
        EXPECT(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
        snprintf(where, sizeof where, "fd:%d", ends[1]);
        EXPECT(live_init(&l, &of));
        live_call(&l, "called", called);
        strcpy(text, "<tunereq id=\"1\">");
        for (int i = 0; i < LIVE_INSERTED + 1; i++)
            strcat(text, "<insert name=\"here\" call=\"called\"/>");
        calls = 0;
        EXPECT(count_replied(ends[0], strcat(text, "</tunereq>"), "status=\"applied\"") == LIVE_INSERTED);
        EXPECT(calls == 3 * LIVE_INSERTED);
        EXPECT(count_replied(ends[0], "<tunereq id=\"2\"><insert name=\"here\" call=\"called\"/></tunereq>",
                             "status=\"refused\" reason=\"not now\"") == 1);
        EXPECT(count_replied(ends[0], "<tunereq id=\"3\"><remove name=\"here\" call=\"called\"/></tunereq>",
                             "applied") == 1 && l.pending == 0);
        snprintf(text, sizeof text, "<tunereq id=\"%s\" expires=\"0\"><insert call=\"called\" name=\"%s\"/></tunereq>",
                 quotes, quotes);
        EXPECT(count_replied(ends[0], text, "status=\"expired\"/>") == 1);
        if (round == 0) { /* the mail is full: the client gets a refusal in place of the trace, and sees its end */
            strcpy(text, "<tunereq id=\"1\" at=\"nowhere\">");
            for (int i = 0; i < 64; i++)
                strcat(text, "<call name=\"called\"/>");
            (void)count_replied(ends[0], strcat(text, "</tunereq><tracereq/>"), "tuned");
        } else { /* nothing takes it any more: a child has no part in it, nor has the program after live_end */
            EXPECT(send(ends[0], "<tracereq/>", 11, 0) == 11);
            for (int i = 0; i < 3; i++)
                live_poll(&l);
            child = fork();
            if (child == 0)
                _exit(fcntl(ends[1], F_GETFD) >= 0);
            EXPECT(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
        }
        if (round == 1)
            live_end(&l);
        EXPECT(count_replied(ends[0], "", "tuned") == -1);
        if (round == 0)
            live_end(&l);
        pajewrite_finish(&w);
        close(ends[0]);
    }
}

static void test(const char *name, void (*body)(void))
{
    body();
    report("trouble ", name);
}

int main(void)
{
    EXPECT(mkdtemp(folder) != NULL);
    test("a program that goes to another folder removes its own socket only", another_folder);
    test("programs that it executes have no descriptor of it", executed_programs);
    test("without descriptors left, it rests, and replies later", no_descriptors);
    test("descriptors that the program closed, and has for others, are left alone", all_closed);
    test("folders that are missing, unwritable, or too long", environments);
    test("half a document, and a thousand clients", many_clients);
    test("<event/> traces a region while it is asked for, and leaves others as the program wants", events);
    test("what does not fit is refused, and leaves no descriptor behind", limits);
    EXPECT(chdir("/") == 0 && rmdir(strcat(strcpy((char[64]){0}, folder), "/sub")) == 0 && rmdir(folder) == 0);
    return failed;
}
