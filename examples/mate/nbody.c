/* Bodies that attract each other, in two dimensions, by a master and workers (mw.h): one that computes, and one that
 * sleeps as long as the other would take on machines that nothing else uses. */
#include "base/platform.h"
#include "mw.h"

#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char usage[] =
    "Usage: nbody [OPTIONS]\n"
    "Moves bodies that attract each other, by a master and workers; `mate nbody` tunes it.\n"
    "\n"
    "  -i, --iterations=N  default: 400\n"
    "  -b, --bodies=N      default: 512\n"
    "  -w, --workers=N     at first; default: 1\n"
    "  -m, --most=N        workers that are begun, 1 to 127; default: 25\n"
    "  -x, --spread=N      of chunks, in millionths; 0, the default: equal ones\n"
    "  -p, --pattern=NAME  load: even (1), step (4 times from the middle on; default), ladder (1, 2, 4, 4, 2, 1\n"
    "                      times), blocks (of four, three of load 1 and one of 64)\n"
    "  -S, --sleep=US      sleep so long in an iteration of load 1, of all workers together, in place of computing\n"
    "  -l, --latency=US    that the master computes for a message; default: 0\n"
    "  -k, --slow=N        worker N (from 0) takes four times as long in the middle half of the iterations\n"
    "  -q, --quiet         print the result only\n"
    "  -h, --help          print this\n";

typedef struct body {
    double x, y, dx, dy, mass;
} body;

typedef struct pull {
    double x, y;
} pull;

typedef struct bodies {
    body *all;
    pull *pulls;
    int64_t count, iterations;
    int64_t sleep, slow;
    const char *pattern;
    int64_t (*load)(const struct bodies *it, int64_t iteration);
} bodies;

/* ---- load */

static int64_t even(const bodies *it, int64_t iteration) { return (void)it, (void)iteration, 1; }
static int64_t step(const bodies *it, int64_t iteration) { return iteration < it->iterations / 2 ? 1 : 4; }
static int64_t blocks(const bodies *it, int64_t iteration) { return iteration * 12 / it->iterations % 4 < 3 ? 1 : 64; }
static int64_t ladder(const bodies *it, int64_t iteration)
{
    static const int64_t loads[] = {1, 2, 4, 4, 2, 1};
    return loads[iteration * 6 / it->iterations];
}

static const struct {
    const char *name;
    int64_t (*load)(const bodies *it, int64_t iteration);
} patterns[] = {{"even", even}, {"step", step}, {"ladder", ladder}, {"blocks", blocks}};

static int64_t load(void *data, int64_t iteration)
{
    const bodies *it = (const bodies *)data;
    return it->load(it, iteration);
}

/* ---- what the framework calls */

static void initialize(bodies *it)
{
    int64_t i;
    it->all = (body *)calloc((size_t)it->count, sizeof *it->all);
    it->pulls = (pull *)calloc((size_t)it->count, sizeof *it->pulls);
    if (!it->all || !it->pulls) {
        fprintf(stderr, "nbody: no memory for %lld bodies\n", (long long)it->count);
        exit(3);
    }
    for (i = 0; i < it->count; i++) { /* a spiral */
        const double turn = (double)i;
        it->all[i].x = turn * cos(turn);
        it->all[i].y = turn * sin(turn);
        it->all[i].mass = 1 + (double)(i % 7);
    }
}

static const void *partition(void *data, const mw_piece *piece, size_t *size)
{
    const bodies *it = (const bodies *)data;
    (void)piece;
    *size = (size_t)it->count * sizeof *it->all;
    return it->all;
}

static pull pull_of(const body *all, int64_t count, int64_t i)
{
    pull sum = {0, 0};
    int64_t k;
    for (k = 0; k < count; k++) {
        const double x = all[k].x - all[i].x, y = all[k].y - all[i].y, square = x * x + y * y + 1;
        const double force = all[k].mass / (square * sqrt(square));
        sum.x += force * x;
        sum.y += force * y;
    }
    return sum;
}

static void rest(int64_t ns)
{
    struct timespec time = {(time_t)(ns / 1000000000), (long)(ns % 1000000000)};
    nanosleep(&time, NULL);
}

static int is_slow(const bodies *it, const mw_piece *piece)
{
    return piece->worker == it->slow && piece->iteration >= it->iterations / 4 &&
           piece->iteration < it->iterations * 3 / 4;
}

static void compute(void *data, const mw_piece *piece, const void *input, size_t size, void *results)
{
    const bodies *it = (const bodies *)data;
    const body *all = (const body *)input;
    const int64_t times = it->load(it, piece->iteration) * (is_slow(it, piece) ? 4 : 1);
    pull *to = (pull *)results;
    int64_t i, again;
    for (again = it->sleep ? times : 1; again <= times; again++)
        for (i = 0; i < piece->count; i++)
            to[i] = pull_of(all, (int64_t)(size / sizeof *all), piece->first + i);
    if (it->sleep)
        rest(it->sleep * times * piece->count / it->count);
}

static void take(void *data, const mw_piece *piece, const void *results)
{
    bodies *it = (bodies *)data;
    memcpy(it->pulls + piece->first, results, (size_t)piece->count * sizeof *it->pulls);
}

static void finish(void *data, int64_t iteration)
{
    bodies *it = (bodies *)data;
    int64_t i;
    (void)iteration;
    for (i = 0; i < it->count; i++) {
        it->all[i].dx += it->pulls[i].x * 0.01;
        it->all[i].dy += it->pulls[i].y * 0.01;
        it->all[i].x += it->all[i].dx * 0.01;
        it->all[i].y += it->all[i].dy * 0.01;
    }
}

/* A number of which each bit depends on where all bodies are. */
static uint64_t result_of(const bodies *it)
{
    uint64_t sum = UINT64_C(14695981039346656037), bits;
    int64_t i;
    int k;
    for (i = 0; i < it->count; i++)
        for (k = 0; k < 2; k++) {
            memcpy(&bits, k ? &it->all[i].y : &it->all[i].x, sizeof bits);
            sum = (sum ^ bits) * UINT64_C(1099511628211);
        }
    return sum;
}

static int64_t number(const char *option, const char *text, int64_t least, int64_t most)
{
    char *end;
    const long long value = strtoll(text, &end, 10);
    if (end == text || *end || value < least || value > most) {
        fprintf(stderr, "nbody: --%s takes a number from %lld to %lld, not `%s`\n", option, (long long)least,
                (long long)most, text);
        exit(2);
    }
    return value;
}

int main(int argc, char **argv)
{
    static const struct option options[] = {{"iterations", required_argument, NULL, 'i'},
                                            {"bodies", required_argument, NULL, 'b'},
                                            {"workers", required_argument, NULL, 'w'},
                                            {"most", required_argument, NULL, 'm'},
                                            {"spread", required_argument, NULL, 'x'},
                                            {"pattern", required_argument, NULL, 'p'},
                                            {"sleep", required_argument, NULL, 'S'},
                                            {"latency", required_argument, NULL, 'l'},
                                            {"slow", required_argument, NULL, 'k'},
                                            {"quiet", no_argument, NULL, 'q'},
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    bodies it = {.count = 512, .iterations = 400, .slow = -1, .load = step};
    mw_program program = {.most = 25, .workers = 1, .result_size = sizeof(pull), .partition = partition,
                          .compute = compute, .take = take, .finish = finish, .load = load, .data = &it};
    mw_report report;
    int is_quiet = 0, option, status;
    size_t i;
    while ((option = getopt_long(argc, argv, "i:b:w:m:x:p:S:l:k:qh", options, NULL)) != -1)
        switch (option) {
        case 'i': it.iterations = number("iterations", optarg, 1, INT64_MAX / 100); break;
        case 'b': it.count = number("bodies", optarg, 1, 1000000); break;
        case 'w': program.workers = number("workers", optarg, 1, 127); break;
        case 'm': program.most = (int)number("most", optarg, 1, 127); break;
        case 'x': program.spread = number("spread", optarg, 0, 10000000); break;
        case 'p':
            for (i = 0; i < sizeof patterns / sizeof *patterns && strcmp(optarg, patterns[i].name) != 0; i++)
                ;
            if (i == sizeof patterns / sizeof *patterns) {
                fprintf(stderr, "nbody: there is no pattern `%s`: even, step, ladder, blocks\n", optarg);
                return 2;
            }
            it.load = patterns[i].load;
            break;
        case 'S': it.sleep = 1000 * number("sleep", optarg, 1, 1000000000); break;
        case 'l': program.latency = 1000 * number("latency", optarg, 0, 1000000000); break;
        case 'k': it.slow = number("slow", optarg, 0, 126); break;
        case 'q': is_quiet = 1; break;
        case 'h': fputs(usage, stdout); return 0;
        default: fputs(usage, stderr); return 2;
        }
    if (optind < argc) {
        fputs(usage, stderr);
        return 2;
    }
    if (program.most < program.workers)
        program.most = (int)program.workers;
    program.iterations = it.iterations;
    program.items = it.count;
    initialize(&it);
    status = mw_run(&program, &argc, &argv, &report);
    if (status > 0) {
        printf("result %016llx\n", (unsigned long long)result_of(&it));
        if (!is_quiet)
            printf("%.6f s, %lld workers at the end; pieces sent: %llu, received: %llu; workers begun again: %llu\n",
                   (double)report.time / 1e9, (long long)report.workers, (unsigned long long)report.sent,
                   (unsigned long long)report.received, (unsigned long long)report.begun_again);
        if (report.sent != report.received) {
            fprintf(stderr, "nbody: pieces were lost\n");
            status = -1;
        }
    }
    free(it.all);
    free(it.pulls);
    return status < 0;
}
