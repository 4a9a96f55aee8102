#include "analyse.h"

#include <string.h>

static void completed(gathering *gathered, const gather_iteration *complete)
{
    analyst *it = (analyst *)gathered->data;
    const tunlet *of = gathered->of;
    size_t i;
    if (it->of->evaluated)
        it->of->evaluated(it->of->data, complete, 0);
    for (i = 0; i < of->value_count && it->of->valued; i++) {
        double value;
        if (of->values[i].evaluate(complete->state, &value))
            it->of->valued(it->of->data, &of->values[i], complete, value);
    }
    for (i = 0; i < of->point_count; i++) {
        const tunlet_point *point = &of->points[i];
        int64_t current, wanted, value;
        memcpy(&current, (const char *)complete->state + point->current, sizeof current);
        if (point->evaluate(complete->state, &wanted) &&
            decide(&it->deciders[i], point, current, wanted, &value)) {
            const decision made = {of, point, point->knob, complete->number, complete->last, current, value};
            it->of->decided(it->of->data, &made);
        }
    }
    if (it->of->evaluated)
        it->of->evaluated(it->of->data, complete, 1);
}

static void lost(gathering *gathered, int64_t first, int64_t last)
{
    const analysis *it = ((const analyst *)gathered->data)->of;
    if (it->lost)
        it->lost(it->data, gathered->of, first, last);
}

/* Whether another tunlet, or another point of this one, has the knob. */
static int is_claimed(const tunlet *const *tunlets, size_t last, size_t point)
{
    const char *knob = tunlets[last]->points[point].knob;
    size_t i, k;
    for (i = 0; i <= last; i++)
        for (k = 0; k < (i < last ? tunlets[i]->point_count : point); k++)
            if (strcmp(tunlets[i]->points[k].knob, knob) == 0)
                return 1;
    return 0;
}

static void limit(decider *it, int64_t min, int64_t max)
{
    it->min = min > it->min ? min : it->min;
    it->max = max < it->max ? max : it->max;
}

const char *analyse_begin(analysis *it, const tunlet *const *tunlets, size_t count, int persistence,
                          void (*decided)(void *data, const decision *decision), void *data)
{
    size_t i, k;
    memset(it, 0, sizeof *it);
    if (count > FEED_TUNLETS)
        return "more than eight tunlets";
    if (persistence < 1 || persistence > DECIDE_MOST)
        return "the persistence is not 1 to 15";
    for (i = 0; i < count; i++) {
        if (tunlets[i]->event_count > TUNLET_EVENTS || tunlets[i]->point_count > ANALYSE_POINTS)
            return "a tunlet with more than 32 events or 8 points";
        for (k = 0; k < tunlets[i]->point_count; k++)
            if (is_claimed(tunlets, i, k))
                return "two tunlets turn the same knob";
    }
    it->count = count;
    it->decided = decided;
    it->data = data;
    for (i = 0; i < count; i++) {
        analyst *at = &it->analysts[i];
        at->of = it;
        for (k = 0; k < ANALYSE_POINTS; k++)
            at->deciders[k] = (decider){.persistence = persistence, .min = INT64_MIN, .max = INT64_MAX};
        for (k = 0; k < tunlets[i]->point_count; k++)
            limit(&at->deciders[k], tunlets[i]->points[k].min, tunlets[i]->points[k].max);
        gather_begin(&at->gathered, tunlets[i], 0, completed, at);
        at->gathered.lost = lost;
        it->gathered[i] = &at->gathered;
    }
    return NULL;
}

void analyse_limit(analysis *it, const char *knob, int64_t min, int64_t max)
{
    size_t i, k;
    for (i = 0; i < it->count; i++)
        for (k = 0; k < it->analysts[i].gathered.of->point_count; k++)
            if (strcmp(it->analysts[i].gathered.of->points[k].knob, knob) == 0)
                limit(&it->analysts[i].deciders[k], min, max);
}

void analyse_lose(analysis *it, const char *name, int64_t first, int64_t last)
{
    size_t i;
    for (i = 0; i < it->count; i++)
        if (strcmp(it->analysts[i].gathered.of->name, name) == 0)
            gather_lose(&it->analysts[i].gathered, first, last);
}

void analyse_end(analysis *it)
{
    size_t i;
    for (i = 0; i < it->count; i++)
        gather_free(&it->analysts[i].gathered);
}
