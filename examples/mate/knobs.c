#include "knobs.h"

#include "base/array.h"

#include <stdio.h>

static int in_order(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

double knobs_median(int64_t *times, int count)
{
    qsort(times, (size_t)count, sizeof *times, in_order);
    return (double)times[count / 2];
}

enum { KINDS = KNOBS_SETTINGS + 2, MOST_ROUNDS = 101, TUNED = KNOBS_SETTINGS, TRACED };

static void print_gain(const char *what, double tuned, double best, double traced)
{
    printf("%s: tuned is %.1f %% under the best fixed setting; to trace, with tunlets, costs %.1f %%\n", what,
           100 * (1 - tuned / best), 100 * (traced / best - 1));
}

void knobs_compare(const knobs_program *program, int rounds)
{
    static int64_t times[KINDS][MOST_ROUNDS];
    double medians[KINDS];
    int round, i, best = 0;
    rounds = rounds > MOST_ROUNDS ? MOST_ROUNDS : rounds;
    for (round = 0; round < rounds; round++) { /* side by side, as the machine changes */
        for (i = 0; i < program->count; i++)
            times[i][round] = program->run(program->data, program->settings[i], 0);
        times[TUNED][round] = program->run(program->data, KNOBS_TUNED, 1);
    }
    for (i = 0; i <= TUNED; i++)
        medians[i] = i < program->count || i == TUNED ? knobs_median(times[i], rounds) : 0;
    for (i = 1; i < program->count; i++)
        best = medians[i] < medians[best] ? i : best;
    for (round = 0; round < rounds; round++)
        times[TRACED][round] = program->run(program->data, program->settings[best], 1);
    medians[TRACED] = knobs_median(times[TRACED], rounds);
    printf("%d rounds, ms      median     least\n", rounds);
    for (i = 0; i < program->count; i++)
        printf("%-10s %6lld %8.2f  %8.2f%s\n", program->knob, (long long)program->settings[i], medians[i] / 1e6,
               (double)times[i][0] / 1e6, i == best ? "  best fixed" : "");
    printf("%-10s tuned  %8.2f  %8.2f\n", program->knob, medians[TUNED] / 1e6, (double)times[TUNED][0] / 1e6);
    printf("best, traced      %8.2f  %8.2f\n", medians[TRACED] / 1e6, (double)times[TRACED][0] / 1e6);
    print_gain("median", medians[TUNED], medians[best], medians[TRACED]);
    print_gain("least", (double)times[TUNED][0], (double)times[best][0], (double)times[TRACED][0]);
}
