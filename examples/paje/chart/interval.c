/* The part of an entity that lies within -s and -e. */
#include "chart/interval.h"

static double finite(double time)
{
    const double most = 1e300; /* replaces infinity */
    return time > most ? most : time < -most ? -most : time;
}

interval interval_of(const paje_settings *settings)
{
    return (interval){.start = paje_filter_start(settings), .end = paje_filter_end(settings)};
}

int interval_clip(const pajesim_entity *entity, const interval *range, interval *part)
{
    *part = (interval){finite(entity->start), finite(entity->end), 0};
    if (entity->kind == PAJESIM_VARIABLE)
        part->number = entity->number;
    if (entity->kind == PAJESIM_EVENT)
        part->end = part->start;
    if (part->end < range->start || part->start > range->end)
        return 0;
    if (part->start < range->start)
        part->start = range->start;
    if (part->end > range->end)
        part->end = range->end;
    return 1;
}
