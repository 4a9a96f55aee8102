/* A program with two kernels for one task, in a slot: which is faster depends on how many cells are active. */
#include "base/platform.h"
#include "knobs.h"
#include "self.h"
#include "tunlets/tunlets.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char usage[] =
    "Usage: kernels [OPTIONS]\n"
    "Changes the cells of a field that are active, few or many of them, by one of two kernels.\n"
    "\n"
    "  -k, --kernel=NAME  all or list, always; default: tuned\n"
    "  -o, --output=F     write the trace of the run that tunes itself\n"
    "  -c, --compare=N    N rounds of each kernel and tuned: what tuning gains, and what it costs, in CPU time\n"
    "  -h, --help         print this\n";

enum { CELLS = 1 << 19, ITERATIONS = 480, BLOCK = 60, TRIALS = 5 };
enum { FEW, MANY }; /* loads */
enum { STARTS, FINISHES, DONE }; /* of tunlets/kernels.c */

static double cells[CELLS];
static double is_active[CELLS]; /* 0 or 1 */
static int32_t list[CELLS];
static int active;

static void visit_all(void)
{
    int i;
    for (i = 0; i < CELLS; i++)
        cells[i] += is_active[i] * (1 - 0.5 * cells[i]);
}

static void visit_list(void)
{
    int i;
    for (i = 0; i < active; i++)
        cells[list[i]] += 1 - 0.5 * cells[list[i]];
}

static const live_choice choices[] = {{"all", visit_all}, {"list", visit_list}};
static live_function kernel = visit_all;

/* Every `step`-th cell is active, in an order that memory does not like. */
static void activate(int step)
{
    int i;
    memset(is_active, 0, sizeof is_active);
    active = CELLS / step;
    for (i = 0; i < active; i++) {
        list[i] = (int32_t)((int64_t)i * 7919 % active * step);
        is_active[list[i]] = 1;
    }
}

static int64_t cpu_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* What a cell of the list costs, in thousandths of one of all. */
static int64_t measure_ratio(void)
{
    int64_t times[2][TRIALS], i, k;
    activate(4);
    for (i = 0; i < TRIALS; i++)
        for (k = 0; k < 2; k++) {
            const int64_t begin = cpu_now();
            choices[k].function();
            times[k][i] = cpu_now() - begin;
        }
    return (int64_t)(knobs_median(times[1], TRIALS) / active * 1000 / (knobs_median(times[0], TRIALS) / CELLS));
}

static const char *output;
static self_sum ended;

static int load(int64_t iteration) { return iteration / BLOCK % 2 ? MANY : FEW; }

static void run(int64_t setting, int is_traced, int64_t *times)
{
    static self it;
    const tunlet *const tunlets[] = {&tunlet_kernels};
    const self_config config = {tunlets, 1, 1, DECIDE_USUAL, !is_traced, setting == KNOBS_TUNED ? output : NULL};
    const int64_t ratio = is_traced ? measure_ratio() : 0;
    live_function ignored = choices[0].function;
    int64_t iteration;
    memset(cells, 0, sizeof cells);
    kernel = choices[setting == KNOBS_TUNED ? 0 : setting].function;
    self_begin(&it, &config);
    self_slot(&it, "Kernel", setting == KNOBS_TUNED ? &kernel : &ignored, choices, 2);
    self_ready(&it);
    for (iteration = 0; iteration < ITERATIONS; iteration++) {
        int64_t fields[4] = {0, CELLS, 0, ratio}, start;
        if (iteration % BLOCK == 0)
            activate(load(iteration) == MANY ? 2 : 1000);
        times[iteration] = -cpu_now();
        self_point(&it);
        fields[0] = kernel == choices[1].function;
        fields[2] = active;
        start = self_now();
        self_event(&it, STARTS, SELF_MAIN, start, iteration, 1, fields);
        kernel();
        if (is_traced) {
            self_state(&it, 0, start, self_now());
            self_event(&it, DONE, 0, self_now(), iteration, 1, NULL);
        }
        self_event(&it, FINISHES, SELF_MAIN, self_now(), iteration, 0, NULL);
        times[iteration] += cpu_now();
    }
    self_point(&it);
    ended = self_end(&it);
}

int main(int argc, char **argv)
{
    static const struct option options[] = {{"kernel", required_argument, NULL, 'k'},
                                            {"output", required_argument, NULL, 'o'},
                                            {"compare", required_argument, NULL, 'c'},
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    static int64_t times[ITERATIONS];
    const knobs_program program = {"kernel", {0, 1}, 2, ITERATIONS, {[FEW] = "few", [MANY] = "many"}, load, run};
    int64_t fixed = KNOBS_TUNED, time = 0;
    double sum = 0;
    int rounds = 0, option, i;
    while ((option = getopt_long(argc, argv, "k:o:c:h", options, NULL)) != -1)
        switch (option) {
        case 'k':
            for (fixed = 0; fixed < 2 && strcmp(optarg, choices[fixed].name) != 0; fixed++)
                ;
            if (fixed < 2)
                break;
            fprintf(stderr, "kernels: there is no kernel `%s`: all, list\n", optarg);
            return 2;
        case 'o': output = optarg; break;
        case 'c': rounds = atoi(optarg); break;
        case 'h': fputs(usage, stdout); return 0;
        default: fputs(usage, stderr); return 2;
        }
    if (rounds > 0) {
        knobs_compare(&program, rounds);
        return 0;
    }
    run(fixed, fixed == KNOBS_TUNED, times);
    for (i = 0; i < ITERATIONS; i++)
        time += times[i];
    for (i = 0; i < CELLS; i++)
        sum += cells[i];
    printf("result %.6f\n%.2f ms of CPU, %llu decisions\n", sum, (double)time / 1e6,
           (unsigned long long)ended.decisions);
    self_print(&ended);
    return 0;
}
