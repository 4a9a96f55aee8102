#include "report.h"

#include <stdio.h>
#include <string.h>

/* The user words of values: 1 + the event of the tunlet; of containers: 1 + the number of the actor. */
static int new_value(pajesim *sim, const pajesim_value_info *value)
{
    const tunlet *of = ((const report *)pajesim_data(sim))->of;
    size_t i;
    *pajesim_user_data(sim, value->ref) = 0;
    for (i = 0; i < of->event_count; i++)
        if (reader_is(value->name, of->events[i].name))
            *pajesim_user_data(sim, value->ref) = i + 1;
    return PAJESIM_GO_ON;
}

static int container_created(pajesim *sim, const pajesim_entity *container)
{
    const report *it = (const report *)pajesim_data(sim);
    const uint32_t number = reader_number(pajesim_name(sim, container->container));
    const int is_actor = reader_is(pajesim_name(sim, container->type), it->of->actor) && number < TUNLET_ACTORS;
    *pajesim_user_data(sim, container->container) = is_actor ? number + 1 : 0;
    return PAJESIM_GO_ON;
}

static void end_iteration(report *it, int64_t time)
{
    int64_t longest = 0, i;
    for (i = 0; i < it->actors; i++) {
        it->all_busy += (double)it->busy[i];
        longest = it->busy[i] > longest ? it->busy[i] : longest;
    }
    it->longest += (double)longest * (double)it->actors;
    it->actor_time += (double)(time - it->begin) * (double)it->actors;
    it->time += time - it->begin;
    it->iterations++;
    it->actors = 0;
}

static int event(pajesim *sim, const pajesim_entity *entity)
{
    report *it = (report *)pajesim_data(sim);
    const pajesim_user_word word = entity->value ? *pajesim_user_data(sim, entity->value) : 0;
    const tunlet_role role = word ? it->of->events[word - 1].role : TUNLET_INSIDE;
    if (role == TUNLET_BEGIN) {
        const int64_t actors = reader_field(sim, &entity->opening, "Actors");
        it->begin = entity->start;
        it->actors = actors > 0 && actors <= TUNLET_ACTORS ? actors : 0;
        memset(it->busy, 0, sizeof it->busy);
    } else if (role == TUNLET_END && it->actors > 0) {
        end_iteration(it, entity->start);
    }
    return PAJESIM_GO_ON;
}

static int closed(pajesim *sim, const pajesim_entity *entity)
{
    report *it = (report *)pajesim_data(sim);
    if (entity->kind == PAJESIM_STATE && entity->imbrication == 0 && *pajesim_user_data(sim, entity->container) > 0)
        it->busy[*pajesim_user_data(sim, entity->container) - 1] += entity->end - entity->start;
    return PAJESIM_GO_ON;
}

void report_begin(report *it, const tunlet *of)
{
    static const pajesim_callbacks callbacks = {.new_value = new_value, .container_created = container_created,
                                                .event = event, .closed = closed};
    memset(it, 0, sizeof *it);
    it->of = of;
    reader_begin(&it->reader, &callbacks, it);
}

void report_print(const report *it)
{
    const double time = (double)it->time;
    if (!(it->all_busy > 0)) {
        printf("%s: no states of actors (%s) in iterations that are whole\n", it->of->name, it->of->actor);
        return;
    }
    printf("%s: %lld iterations in %.6f s, of %.2f actors on average: speedup %.2f, efficiency %.1f %%; "
           "imbalance %.1f %%\n",
           it->of->name, (long long)it->iterations, time / 1e9, it->actor_time / time, it->all_busy / time,
           100 * it->all_busy / it->actor_time, 100 * (it->longest / it->all_busy - 1));
}
