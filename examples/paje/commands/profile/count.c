/* What is counted of an entity: its part within -s and -e. */
#include "profile.h"

static const double most_time = 1e300; /* replaces infinity */

void profile_add_to_slice(slice *to, sum *time, double duration, double number)
{
    profile_add(time, duration);
    if (number != 0)
        profile_add(&to->integral, duration * number);
}

static double finite(double time)
{
    return time > most_time ? most_time : time < -most_time ? -most_time : time;
}

int profile_clip(const pajesim_entity *entity, interval *part)
{
    *part = (interval){finite(entity->start), finite(entity->end), 0};
    if (entity->kind == PAJESIM_VARIABLE)
        part->number = entity->number;
    if (entity->kind == PAJESIM_EVENT)
        part->end = part->start;
    if (part->end < profile_options.start || part->start > profile_options.end)
        return 0;
    if (part->start < profile_options.start)
        part->start = profile_options.start;
    if (part->end > profile_options.end)
        part->end = profile_options.end;
    return 1;
}

void profile_count(row *it, const pajesim_entity *entity, const interval *part)
{
    double duration = part->end - part->start;
    double measure = entity->kind == PAJESIM_VARIABLE ? entity->number : duration;
    if (it->all.count == 0 || measure < it->least)
        it->least = measure;
    if (it->all.count == 0 || measure > it->greatest)
        it->greatest = measure;
    it->all.count++;
    profile_add_to_slice(&it->all, &it->all.total, duration, part->number);
    if (entity->kind == PAJESIM_STATE)
        profile_add(&it->all.exclusive, duration);
    if (profile_options.slices)
        profile_add_to_slices(it, part, (int)entity->kind, 1);
}
