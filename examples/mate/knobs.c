#include "knobs.h"

#include "base/array.h"

#include <stdio.h>

static int in_order(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

double knobs_median(int64_t *times, int64_t count)
{
    qsort(times, (size_t)count, sizeof *times, in_order);
    return (double)times[count / 2];
}

enum { MOST_ROUNDS = 101 };

/* What a setting takes under each load, and in all, in ns. */
typedef struct sums {
    double of[KNOBS_LOADS], all;
} sums;

/* `times`: of all rounds, one after the other. */
static sums sum_up(const knobs_program *program, const int64_t *times, int rounds)
{
    sums sum = {{0}, 0};
    int64_t of_rounds[MOST_ROUNDS], i;
    int round;
    for (i = 0; i < program->iterations; i++) {
        double median;
        for (round = 0; round < rounds; round++)
            of_rounds[round] = times[round * program->iterations + i];
        median = knobs_median(of_rounds, rounds);
        sum.of[program->load(i)] += median;
        sum.all += median;
    }
    return sum;
}

static void print_row(const knobs_program *program, const char *setting, const sums *sum, const char *note)
{
    int i;
    printf("%-16s", setting);
    for (i = 0; i < KNOBS_LOADS && program->loads[i]; i++)
        printf(" %10.1f", sum->of[i] / 1e6);
    printf(" %10.1f%s\n", sum->all / 1e6, note);
}

static void print_sums(const knobs_program *program, const sums *fixed, int best, const sums *tuned,
                       const sums *traced, const sums *bound)
{
    char name[64];
    int i;
    for (i = 0; i < program->count; i++) {
        const int64_t setting = program->settings[i];
        if (setting < KNOBS_PAIR)
            snprintf(name, sizeof name, "%s %lld", program->knob, (long long)setting);
        else
            snprintf(name, sizeof name, "%s %lld, %lld", program->knob, (long long)(setting / KNOBS_PAIR),
                     (long long)(setting % KNOBS_PAIR));
        print_row(program, name, &fixed[i], i == best ? "  best fixed" : "");
    }
    print_row(program, "tuned", tuned, "");
    print_row(program, "switched at once", bound, "");
    print_row(program, "best, traced", traced, "");
    printf("tuned: %.1f %% less than the best fixed setting; switched at once among these: %.1f %% less\n"
           "to trace and decide, where nothing is turned: %+.1f %%\n",
           100 * (1 - tuned->all / fixed[best].all), 100 * (1 - bound->all / fixed[best].all),
           100 * (traced->all / fixed[best].all - 1));
}

void knobs_compare(const knobs_program *program, int rounds)
{
    sums fixed[KNOBS_SETTINGS], bound = {{0}, 0}, tuned, traced, again;
    int64_t *times[KNOBS_SETTINGS + 1];
    const int count = program->count;
    int round, i, k, best = 0;
    rounds = rounds > MOST_ROUNDS ? MOST_ROUNDS : rounds;
    if (count < 1) /* nothing to compare with */
        return;
    for (i = 0; i <= count; i++)
        times[i] = (int64_t *)memory_alloc((size_t)rounds * (size_t)program->iterations, sizeof *times[i]);
    for (round = 0; round < rounds; round++) /* side by side, as the machine changes */
        for (i = 0; i <= count; i++)
            program->run(i < count ? program->settings[i] : KNOBS_TUNED, i == count,
                         times[i] + round * program->iterations);
    for (i = 0; i < count; i++) {
        fixed[i] = sum_up(program, times[i], rounds);
        best = fixed[i].all < fixed[best].all ? i : best;
    }
    tuned = sum_up(program, times[count], rounds);
    for (round = 0; round < rounds; round++) /* the best one once more beside it */
        for (i = 0; i <= 1; i++)
            program->run(program->settings[best], i, times[i] + round * program->iterations);
    again = sum_up(program, times[0], rounds);
    traced = sum_up(program, times[1], rounds);
    traced.all *= fixed[best].all / again.all;
    for (k = 0; k < KNOBS_LOADS && program->loads[k]; k++) {
        traced.of[k] *= fixed[best].of[k] / again.of[k];
        bound.of[k] = fixed[0].of[k];
        for (i = 1; i < count; i++)
            bound.of[k] = fixed[i].of[k] < bound.of[k] ? fixed[i].of[k] : bound.of[k];
        bound.all += bound.of[k];
    }
    printf("%2d rounds, ms   ", rounds);
    for (k = 0; k < KNOBS_LOADS && program->loads[k]; k++)
        printf(" %10s", program->loads[k]);
    puts("        all");
    print_sums(program, fixed, best, &tuned, &traced, &bound);
    for (i = 0; i <= count; i++)
        free(times[i]);
}
