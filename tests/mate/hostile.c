/* A program that is no good: it listens in a folder as a live program does, and replies to requests with documents and
 * traces that are damaged at random, or with any bytes.  Ends when COUNT connections have gone, or nothing comes.
 * usage: hostile FOLDER TRACE SEED COUNT
 *        hostile - TRACE SEED COUNT    prints the trace with COUNT damages */
#include "base/platform.h"

#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { MOST = 1 << 16 };
static char trace[MOST], reply[MOST];
static size_t trace_size;
static uint64_t seed;

static uint32_t draw(uint32_t below)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(seed >> 33) % below;
}

static const char *const numbers[] = {"0", "-1", "9223372036854775807", "-9223372036854775808", "127", "128",
                                      "99999999999999999999", "1e300", "", "nan"};
static const char *const documents[] = {
    "<snapshot><process id=\"p\"><thread id=\"1\" master=\"true\"></thread></process></snapshot>\n", "<snapshot/>\n",
    "<catalog><knob name=\"NOptWorkers\" low=\"1\" high=\"8\" at=\"iteration\" value=\"1\"/></catalog>\n",
    "<catalog><slot name=\"NOptWorkers\"><choice name=\"a\"/><choice name=\"b\"/></slot><slot name=\"Spread\"/>"
    "<call name=\"\"/></catalog>\n",
    "<tuned id=\"1\" name=\"NOptWorkers\" status=\"applied\" old=\"1\" new=\"2\"/>\n",
    "<tuned status=\"refused\"/>\n", "<errors><error>no</error></errors>\n", "<a><b><c><d>\n"};

/* Replaces some words of a text by numbers, and some bytes by others.  Returns how long it is then. */
static size_t damage(const char *from, size_t size, uint32_t times)
{
    size_t i, at, end, length;
    memcpy(reply, from, size);
    for (i = 0; i < times && size > 0; i++) {
        const char *number = numbers[draw(sizeof numbers / sizeof *numbers)];
        at = end = draw((uint32_t)size);
        if (draw(3) == 0) {
            reply[at] = (char)draw(256);
            continue;
        }
        while (end < size && !memchr(" \"\n", reply[end], 3))
            end++;
        while (at > 0 && !memchr(" \"\n", reply[at - 1], 3))
            at--;
        length = strlen(number);
        if (size - (end - at) + length > sizeof reply)
            continue;
        memmove(reply + at + length, reply + end, size - end);
        memcpy(reply + at, number, length);
        size = size - (end - at) + length;
    }
    return size;
}

/* Replies to what came.  Returns 0 if the connection is to end. */
static int serve(int file)
{
    char request[4096];
    const ssize_t size = recv(file, request, sizeof request - 1, 0);
    const char *text = NULL;
    size_t length;
    if (size <= 0)
        return 0;
    request[size] = 0;
    if (strstr(request, "tracereq")) {
        const size_t from = draw(2) ? 0 : draw((uint32_t)trace_size);
        length = damage(trace, trace_size, draw(100));
        if (from < length)
            (void)send(file, reply + from, length - from, MSG_NOSIGNAL | MSG_DONTWAIT);
        return draw(3) != 0;
    }
    if (draw(3) == 0)
        text = documents[draw(sizeof documents / sizeof *documents)];
    else if (strstr(request, "snapshotreq"))
        text = documents[0];
    else if (strstr(request, "catalogreq"))
        text = documents[2 + draw(2)];
    else
        text = documents[4 + draw(4)];
    length = damage(text, strlen(text), draw(3) ? 0 : draw(4));
    (void)send(file, reply, length, MSG_NOSIGNAL | MSG_DONTWAIT);
    return draw(20) != 0;
}

int main(int argc, char **argv)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct pollfd files[64] = {{0, 0, 0}};
    FILE *file = argc == 5 ? fopen(argv[2], "rb") : NULL;
    nfds_t count = 1, i;
    int gone = 0;
    if (!file)
        return 2;
    trace_size = fread(trace, 1, sizeof trace / 2, file);
    fclose(file);
    seed = strtoull(argv[3], NULL, 10);
    if (strcmp(argv[1], "-") == 0) {
        trace_size = damage(trace, trace_size, (uint32_t)atoi(argv[4]));
        return fwrite(reply, 1, trace_size, stdout) != trace_size;
    }
    files[0] = (struct pollfd){socket(AF_UNIX, SOCK_STREAM, 0), POLLIN, 0};
    snprintf(address.sun_path, sizeof address.sun_path, "%.80s/%ld", argv[1], (long)getpid());
    if (bind(files[0].fd, (struct sockaddr *)&address, sizeof address) != 0 || listen(files[0].fd, 8) != 0) {
        perror(address.sun_path);
        return 3;
    }
    while (gone < atoi(argv[4]) && poll(files, count, 300) > 0) {
        if (files[0].revents && count < 64)
            files[count++] = (struct pollfd){accept(files[0].fd, NULL, NULL), POLLIN, 0};
        for (i = 1; i < count; i++)
            if (files[i].revents && !serve(files[i].fd)) {
                close(files[i].fd);
                files[i--] = files[--count];
                gone++;
            }
    }
    unlink(address.sun_path);
    return 0;
}
