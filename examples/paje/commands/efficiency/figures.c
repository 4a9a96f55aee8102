/* From times and clocks to what is printed. */
#include "efficiency.h"

#include <math.h>

enum { LEAST_TOLD = 100 }; /* one of so many seconds may be spent in calls whose partners are not told */

int efficiency_is_process(row *it, size_t number)
{
    return it->has_called && it->parts[number].epoch > 0 && sum_of(&it->parts[number].present) > 0 &&
           (number > 0 || it->parts[number].epoch == efficiency.sections.items[0].epoch);
}

/* The share of the time of processes in calls whose partners the trace does not tell: receives if no call has a
 * message, and all calls if there are no collective operations either. */
static double untold_share(void)
{
    double untold = 0, receiving = 0, communicating = 0, present = 0;
    for (size_t i = 0; i < efficiency.rows.count; i++) {
        row *it = &efficiency.rows.items[i];
        if (!it->parts || !efficiency_is_process(it, 0))
            continue;
        untold += sum_of(&it->parts[0].untold);
        receiving += sum_of(&it->parts[0].receiving);
        communicating += sum_of(&it->parts[0].present) - sum_of(&it->parts[0].outside);
        present += sum_of(&it->parts[0].present);
    }
    if (efficiency.received == 0)
        untold = efficiency.operations == 0 ? communicating : untold + receiving;
    return present > 0 ? untold / present : 0;
}

static const char *find_reason(void)
{
    if (efficiency.is_unnumbered_wrong)
        return "collective operations have no numbers, and are not all of all processes";
    if (!(untold_share() * LEAST_TOLD > 1))
        return NULL;
    if (efficiency.outer > 0)
        return "calls that take more than 1 % of the time wait for containers that --container leaves out, or that "
               "have no states";
    return "the trace does not tell for whom calls wait that take more than 1 % of the time";
}

double efficiency_waiting(row *it, const figures *of)
{
    const row_part *part = &it->parts[0];
    double clock = part->is_cut ? fmax(part->clock, of->start + of->ideal) : part->clock;
    return isnan(of->ideal) ? (double)NAN : fmax(clock - part->start - sum_of(&part->outside), 0);
}

/* ---- threads */

static void add_threads(figures *it, size_t number)
{
    uint64_t epoch = efficiency.sections.items[number].epoch;
    size_t without_calls = 0;
    sum busy = {0};
    for (size_t i = 0; i < efficiency.processes.count; i++) {
        process *in = &efficiency.processes.items[i];
        if (!in->has_called)
            continue;
        it->threads += efficiency_threads(in);
        without_calls += in->has_waited != 0;
        if (number > 0 || in->parts[number].epoch == epoch) {
            sum_add_sum(&busy, &in->parts[number].busy);
            it->busy_most = fmax(it->busy_most, in->parts[number].most);
        }
    }
    for (size_t i = 0; i < efficiency.rows.count; i++) {
        row *one = &efficiency.rows.items[i];
        if (!one->parts || one->is_helper || !efficiency.processes.items[one->process].has_called ||
            (number == 0 && one->parts[0].epoch != epoch))
            continue;
        sum_add_sum(&busy, &one->parts[number].busy);
        it->busy_most = fmax(it->busy_most, sum_of(&one->parts[number].busy));
    }
    it->busy = sum_of(&busy);
    if (without_calls == 0)
        it->threads = 0;
}

/* ---- a section */

static void add_row(figures *it, row *one, size_t number, double *clock)
{
    const row_part *part = &one->parts[number];
    double outside = sum_of(&part->outside);
    it->processes++;
    it->useful += outside;
    it->most = fmax(it->most, outside);
    it->calls += part->calls;
    it->messages += part->messages;
    it->bytes += part->bytes;
    if (number > 0)
        return;
    *clock = fmax(*clock, part->clock);
    it->start = fmin(it->start, part->start);
    it->end = fmax(it->end, part->start + sum_of(&part->present));
}

int efficiency_figures(size_t number, figures *it)
{
    const section *in = &efficiency.sections.items[number];
    double clock = -HUGE_VAL;
    *it = (figures){.start = HUGE_VAL, .end = -HUGE_VAL, .stretches = in->stretches};
    for (size_t i = 0; i < efficiency.rows.count; i++)
        if (efficiency.rows.items[i].parts && efficiency_is_process(&efficiency.rows.items[i], number))
            add_row(it, &efficiency.rows.items[i], number, &clock);
    if (it->processes == 0)
        return 0;
    it->runtime = number ? sum_of(&in->runtime) : it->end - it->start;
    it->ideal = number ? sum_of(&in->ideal) : clock - it->start;
    const char *reason = find_reason();
    if (reason) {
        efficiency.reason = reason;
        it->ideal = NAN;
    }
    it->waiting = it->transfer = number > 0 || isnan(it->ideal) ? (double)NAN : 0;
    for (size_t i = 0; i < efficiency.rows.count && number == 0; i++) {
        row *one = &efficiency.rows.items[i];
        if (!one->parts || !efficiency_is_process(one, 0))
            continue;
        double waiting = efficiency_waiting(one, it);
        it->waiting += waiting;
        it->transfer += sum_of(&one->parts[0].present) - sum_of(&one->parts[0].outside) - waiting;
    }
    add_threads(it, number);
    return 1;
}
