/* What there was in a trace, as `null` and `parse` print it. */
#include "paje.h"

static void print(const char *name, uint64_t number)
{
    paje_addf(&paje_output, "%-24s %llu\n", name, (unsigned long long)number);
}

void paje_print_summary(const paje_run *run)
{
    const pajesim_counts *counts = pajesim_count(&run->sim);
    print("lines", counts->lines);
    print("events", counts->events);
    for (int event = 1; event < PAJESIM_EVENT_COUNT; event++)
        if (counts->by_event[event])
            paje_addf(&paje_output, "  %-22s %llu\n", pajesim_event_name((pajesim_event)event),
                      (unsigned long long)counts->by_event[event]);
    print("skipped", counts->skipped);
    if (!run->settings->simulation.parse_only) {
        print("Container", counts->containers);
        print("State", counts->states);
        print("Event", counts->punctual);
        print("Variable", counts->variables);
        print("Link", counts->links);
    }
    print("warnings", counts->warnings);
    print("errors", counts->errors + run->file_errors);
    paje_addf(&paje_output, "%-24s %.15g\n%-24s %.15g\n", "first time", counts->first, "last time", counts->last);
    print("arena bytes used", pajesim_used(&run->sim));
    paje_addf(&paje_output, "%-24s %.6f\n%-24s %.1f\n", "seconds", run->seconds, "MB/s",
              run->seconds > 0 ? 1e-6 * (double)counts->bytes / run->seconds : 0.0);
}
