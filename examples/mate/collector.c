/* collector: reads the traces of workers, and writes what a tunlet needs of each iteration, as a trace. */
#define _GNU_SOURCE
#include "choose.h"
#include "record.h"
#include "reduce.h"
#include "streams.h"
#include "tunlets/tunlets.h"

#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char usage[] =
    "Usage: collector [OPTIONS] >TRACE\n"
    "Attaches to the live programs whose sockets are named on standard input, a path in a line, and writes what a\n"
    "tunlet needs of each iteration, for `mate` or another collector.  Ends when standard input and all traces have\n"
    "ended.\n"
    "\n"
    "  -t, --tunlet=NAME   " CHOOSE_NAMES "\n"
    "  -n, --name=NAME     of the collector in the trace\n"
    "  -f, --file=NUMBER   read a trace from this descriptor, which was inherited; may be repeated\n"
    "  -o, --output=FOLDER keep the traces there, a file for each process\n"
    "  -h, --help          print this\n";

typedef struct run {
    gathering gathered;
    gathering *to[1];
    reduction reduced;
    streams streams;
    pajewrite_file out;
    char line[256];
    size_t size;      /* of what there is of a line */
    int has_ended;    /* standard input has */
} run;

static void completed(gathering *gathered, const gather_iteration *complete)
{
    reduce_iteration(&((run *)gathered->data)->reduced, complete, gathered->covered);
}

/* Attaches to the programs that standard input names. */
static void read_paths(run *it)
{
    const ssize_t size = read(0, it->line + it->size, sizeof it->line - it->size);
    char *end;
    if (size < 0 && errno == EINTR)
        return;
    it->has_ended = size <= 0;
    it->size += size > 0 ? (size_t)size : 0;
    while ((end = (char *)memchr(it->line, '\n', it->size))) {
        *end++ = 0;
        (void)streams_attach(&it->streams, it->line); /* if it fails, the program has ended */
        it->size -= (size_t)(end - it->line);
        memmove(it->line, end, it->size);
    }
    if (it->size == sizeof it->line) {
        fprintf(stderr, "collector: a path of more than %zu bytes\n", sizeof it->line - 1);
        exit(2);
    }
}

static void serve(run *it)
{
    struct pollfd files[1024];
    nfds_t first = 0, count;
    if (!it->has_ended)
        files[first++] = (struct pollfd){0, POLLIN, 0};
    count = streams_wait(&it->streams, files + first, 1000);
    if (poll(files, first + count, -1) < 0)
        return;
    streams_read(&it->streams, files + first, count);
    if (first && files[0].revents)
        read_paths(it);
}

int main(int argc, char **argv)
{
    static const struct option options[] = {{"tunlet", required_argument, NULL, 't'},
                                            {"name", required_argument, NULL, 'n'},
                                            {"file", required_argument, NULL, 'f'},
                                            {"output", required_argument, NULL, 'o'},
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    static run it;
    const tunlet *tunlets[FEED_TUNLETS] = {&tunlet_workers};
    const char *name = "collector", *output = NULL;
    int files[64], file_count = 0, option, i;
    size_t count = 0;
    while ((option = getopt_long(argc, argv, "t:n:f:o:h", options, NULL)) != -1)
        switch (option) {
        case 't':
            if (count > 0 || !choose(optarg, tunlets, &count)) {
                fprintf(stderr, "collector: --tunlet takes one of " CHOOSE_NAMES ", not `%s`\n", optarg);
                return 2;
            }
            break;
        case 'n': name = optarg; break;
        case 'f':
            if (file_count < 64)
                files[file_count++] = atoi(optarg);
            break;
        case 'o': output = optarg; break;
        case 'h': fputs(usage, stdout); return 0;
        default: fputs(usage, stderr); return 2;
        }
    if (optind < argc) {
        fputs(usage, stderr);
        return 2;
    }
    signal(SIGPIPE, SIG_IGN);
    signal(SIGINT, SIG_IGN);
    gather_begin(&it.gathered, tunlets[0], 1, completed, &it);
    it.to[0] = &it.gathered;
    pajewrite_file_init(&it.out, 1);
    reduce_begin(&it.reduced, tunlets[0], name, pajewrite_to_file, &it.out);
    streams_begin(&it.streams, it.to, 1, output);
    for (i = 0; i < file_count; i++)
        streams_add(&it.streams, files[i], NULL);
    while ((!it.has_ended || streams_open(&it.streams) > 0) &&
           pajewrite_get_status(&it.reduced.writer) == PAJEWRITE_OK)
        serve(&it);
    streams_end(&it.streams);
    reduce_intrusion(&it.reduced, &it.streams.intrusion);
    if (reduce_end(&it.reduced) != PAJEWRITE_OK) {
        record_tell(&it.reduced.writer, name);
        return 1; /* mostly, the reader has gone */
    }
    gather_free(&it.gathered);
    return 0;
}
