/* Runs tunlets over the trace of a program: what they decide, and whether that is what was decided while it ran. */
#include "analyse.h"
#include "choose.h"
#include "recorded.h"
#include "report.h"
#include "tunlets/tunlets.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

static const char usage[] =
    "Usage: analyser [OPTIONS] [TRACE]\n"
    "Prints what tunlets decide for the program that wrote the trace; without TRACE, that of standard input.\n"
    "\n"
    "  -t, --tunlet=NAME   " CHOOSE_NAMES "; may be repeated\n"
    "  -s, --persist=N     iterations in a row that have to ask for a change, 1 to 15; default: 3\n"
    "      --values        print what tunlets compute of each iteration, too\n"
    "      --replay        compare with the decisions that the trace has recorded; the first that differs ends it\n"
    "      --report        print how well the actors were used, too, by their states within iterations, for the first\n"
    "                      tunlet: speedup (time in states / time), efficiency (speedup / actors), imbalance (of an\n"
    "                      iteration: how much more than the mean the busiest has)\n"
    "  -h, --help          print this\n"
    "\n"
    "Exit status: 0; 1 a decision differs, or lines were refused; 2 usage; 3 the trace cannot be read.\n";

typedef array_of(decision) decisions;

static void valued(void *data, const tunlet_value *which, const gather_iteration *of, double value)
{
    (void)data;
    printf("iteration %3lld: %s is %.9g\n", (long long)of->number, which->name, value);
}

static void decided(void *data, const decision *made)
{
    *array_push((decisions *)data) = *made;
}

static void print(const char *knob, int64_t iteration, int64_t from, int64_t to)
{
    printf("iteration %3lld: %s %lld -> %lld\n", (long long)iteration, knob, (long long)from, (long long)to);
}

/* Compares the decisions with those of the trace.  Returns 1 if all are the same. */
static int compare(const decisions *made, const recorded *old)
{
    size_t i;
    for (i = 0; i < made->count || i < old->found.count; i++) {
        const decision *a = i < made->count ? &made->items[i] : NULL;
        const recorded_decision *b = i < old->found.count ? &old->found.items[i] : NULL;
        if (a && b && strncmp(a->knob, b->knob, sizeof b->knob - 1) == 0 && a->iteration == b->iteration &&
            a->from == b->from && a->to == b->to) {
            print(a->knob, a->iteration, a->from, a->to);
            continue;
        }
        fprintf(stderr, "analyser: decision %zu differs: ", i + 1);
        if (b)
            fprintf(stderr, "recorded is %s %lld -> %lld in iteration %lld, ", b->knob, (long long)b->from,
                    (long long)b->to, (long long)b->iteration);
        else
            fprintf(stderr, "none is recorded, ");
        if (a)
            fprintf(stderr, "here it is %s %lld -> %lld in iteration %lld\n", a->knob, (long long)a->from,
                    (long long)a->to, (long long)a->iteration);
        else
            fprintf(stderr, "here is none\n");
        return 0;
    }
    return 1;
}

/* Reads a trace, or standard input where `path` is NULL.  Returns 0 after a message if it cannot. */
static int read_trace(const char *path, reader *to)
{
    static char bytes[1 << 16];
    FILE *file = path ? fopen(path, "rb") : stdin;
    size_t size;
    int has_failed;
    while (file && (size = fread(bytes, 1, sizeof bytes, file)) > 0)
        reader_bytes(to, bytes, size);
    has_failed = !file || ferror(file);
    if (has_failed)
        fprintf(stderr, "analyser: %s: %s\n", path ? path : "standard input", strerror(errno));
    if (file)
        fclose(file);
    return !has_failed;
}

/* What is wanted beside the decisions. */
typedef enum wanted { VALUES = 1, REPLAY = 2, REPORT = 4 } wanted;

static int run(const tunlet *const *tunlets, size_t count, int persistence, unsigned wants, const char *path)
{
    const int is_replay = (wants & REPLAY) != 0;
    static report used;
    static analysis of;
    static feed in;
    static recorded old;
    decisions made = {0};
    const char *why = analyse_begin(&of, tunlets, count, persistence, decided, &made);
    uint64_t refused;
    size_t i;
    int status = 0;
    if (why) {
        fprintf(stderr, "analyser: %s\n", why);
        return 2;
    }
    of.valued = wants & VALUES ? valued : NULL;
    feed_begin(&in, of.gathered, count);
    recorded_begin(&old, &of);
    if (is_replay && !read_trace(path, &old.reader)) /* first: what was given up was so after its events */
        return 3;
    reader_end(&old.reader);
    report_begin(&used, tunlets[0]);
    if (wants & REPORT && !read_trace(path, &used.reader))
        return 3;
    reader_end(&used.reader);
    if (!read_trace(path, &in.reader))
        return 3;
    refused = feed_end(&in);
    for (i = 0; i < count; i++) /* what waits for an iteration that will never be complete */
        gather_end(of.gathered[i]);
    for (i = 0; i < made.count && !is_replay; i++)
        print(made.items[i].knob, made.items[i].iteration, made.items[i].from, made.items[i].to);
    if (is_replay && !compare(&made, &old))
        status = 1;
    for (i = 0; i < count; i++) {
        const gathering *const it = &of.analysts[i].gathered;
        size_t decisions_of = 0, k;
        for (k = 0; k < made.count; k++)
            decisions_of += made.items[k].of == tunlets[i];
        printf("%s: %llu iterations", tunlets[i]->name, (unsigned long long)it->complete);
        if (it->given_up || it->late || it->ignored)
            printf("; given up: %llu; events too late: %llu; of actors beyond %d: %llu",
                   (unsigned long long)it->given_up, (unsigned long long)it->late, TUNLET_ACTORS - 1,
                   (unsigned long long)it->ignored);
        printf("; decisions: %zu\n", decisions_of);
    }
    if (wants & REPORT)
        report_print(&used);
    fflush(stdout);
    if (refused || in.incomplete)
        fprintf(stderr,
                "analyser: %llu lines were refused, %llu events had not all fields: `paje validate` has the lines\n",
                (unsigned long long)refused, (unsigned long long)in.incomplete);
    array_free(&made);
    array_free(&old.found);
    analyse_end(&of);
    return status || refused || in.incomplete;
}

int main(int argc, char **argv)
{
    static const struct option options[] = {{"tunlet", required_argument, NULL, 't'},
                                            {"persist", required_argument, NULL, 's'},
                                            {"values", no_argument, NULL, 'v'},
                                            {"replay", no_argument, NULL, 'r'},
                                            {"report", no_argument, NULL, 'u'},
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    const tunlet *tunlets[FEED_TUNLETS] = {&tunlet_workers};
    size_t count = 0;
    unsigned wants = 0;
    int persistence = DECIDE_USUAL, option;
    while ((option = getopt_long(argc, argv, "t:s:h", options, NULL)) != -1)
        switch (option) {
        case 't':
            if (!choose(optarg, tunlets, &count)) {
                fprintf(stderr, "analyser: there is no tunlet `%s`, or there are too many; see --help\n", optarg);
                return 2;
            }
            break;
        case 's':
            if (!decide_read_persistence(optarg, &persistence)) {
                fprintf(stderr, "analyser: --persist takes a number from 1 to %d, not `%s`\n", DECIDE_MOST, optarg);
                return 2;
            }
            break;
        case 'v': wants |= VALUES; break;
        case 'r': wants |= REPLAY; break;
        case 'u': wants |= REPORT; break;
        case 'h': fputs(usage, stdout); return 0;
        default: fputs(usage, stderr); return 2;
        }
    if (argc - optind > 1) {
        fputs(usage, stderr);
        return 2;
    }
    if (wants & (REPLAY | REPORT) && optind == argc) {
        fputs("analyser: --replay and --report read TRACE twice, so it has to be named\n", stderr);
        return 2;
    }
    return run(tunlets, count ? count : 1, persistence, wants, argv[optind]);
}
