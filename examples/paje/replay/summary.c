/* The summary of a trace that `null` and `parse` print. */
#include "replay/summary.h"
#include "base/stream.h"

static void print(const char *name, uint64_t number)
{
    text_printf(&stream_output, "%-24s %llu\n", name, (unsigned long long)number);
}

void paje_print_summary(const paje_run *run, const uint64_t *entities)
{
    const pajesim_counts *counts = pajesim_count(&run->sim);
    print("lines", counts->lines);
    print("events", counts->events);
    for (int event = 1; event < PAJESIM_EVENT_COUNT; event++)
        if (counts->by_event[event])
            text_printf(&stream_output, "  %-22s %llu\n", pajesim_event_name((pajesim_event)event),
                        (unsigned long long)counts->by_event[event]);
    print("skipped", counts->skipped);
    if (!run->settings->simulation.parse_only) {
        print("Container", entities ? entities[PAJESIM_CONTAINER] : counts->containers);
        print("State", entities ? entities[PAJESIM_STATE] : counts->states);
        print("Event", entities ? entities[PAJESIM_EVENT] : counts->punctual);
        print("Variable", entities ? entities[PAJESIM_VARIABLE] : counts->variables);
        print("Link", entities ? entities[PAJESIM_LINK] : counts->links);
    }
    print("warnings", counts->warnings);
    print("errors", counts->errors + run->file_errors);
    text_printf(&stream_output, "%-24s %.15g\n", "first time", paje_in_seconds(run->settings, counts->first));
    text_printf(&stream_output, "%-24s %.15g\n", "last time", paje_in_seconds(run->settings, counts->last));
    print("arena bytes used", pajesim_used(&run->sim));
    text_printf(&stream_output, "%-24s %.6f\n%-24s %.1f\n", "seconds", run->seconds, "MB/s",
                run->seconds > 0 ? 1e-6 * (double)counts->bytes / run->seconds : 0.0);
}
