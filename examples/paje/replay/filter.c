/* Filters: which entities a command shows, and the unit of their times. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "replay/filter.h"

#include <fnmatch.h>
#include <math.h>
#include <string.h>
#include <sys/mman.h>

#include "base/encode.h"
#include "base/stream.h"
#include "replay/run.h"

/* Whether the filters matched anything so far, in all processes. */
typedef struct findings {
    int is_anything_shown, is_container_found, is_type_found;
    pajesim_counts counts; /* see paje_set_shared_counts() */
} findings;

static findings own_findings, *found = &own_findings;

static const paje_run *run_of(const pajesim *sim)
{
    return pajesim_data(sim);
}

int paje_is_filtered(const paje_settings *settings)
{
    const paje_filter *filter = &settings->filter;
    return filter->has_start || filter->has_end || filter->containers.count || filter->types.count;
}

/* ---- time */

/* Whether a time is that decimal number: such a quotient of whole numbers, the first of up to 15 digits. */
static int is_decimal(double time, double scale, double *whole)
{
    *whole = round(time * scale);
    return fabs(*whole) < 1e15 && *whole / scale == time;
}

/* Divides the decimals of a time, not the double that is closest to them: 338.323277 ms are 0.338323277 s, although the
 * quotient of the doubles is the next one. */
static double divide_time(double time, double divisor)
{
    static double scale = 1; /* of the last time, as most times have as many decimals */
    double whole;
    if (is_decimal(time, scale, &whole))
        return whole / (scale * divisor);
    for (scale = 1; scale * divisor <= 1e22; scale *= 10) /* greater powers of ten are no doubles */
        if (is_decimal(time, scale, &whole))
            return whole / (scale * divisor);
    scale = 1;
    return time / divisor;
}

double paje_in_seconds(const paje_settings *settings, pajesim_time time)
{
    const paje_filter *filter = &settings->filter;
    if (!filter->unit || filter->keeps_unit || filter->unit->seconds >= 1)
        return time;
    return divide_time(time, round(1 / filter->unit->seconds));
}

double paje_filter_start(const paje_settings *settings)
{
    return settings->filter.has_start ? paje_in_seconds(settings, settings->filter.start) : -HUGE_VAL;
}

double paje_filter_end(const paje_settings *settings)
{
    return settings->filter.has_end ? paje_in_seconds(settings, settings->filter.end) : HUGE_VAL;
}

int paje_shows_time(const paje_settings *settings, pajesim_time start, pajesim_time end)
{
    const paje_filter *filter = &settings->filter;
    return !(filter->has_start && end < paje_filter_start(settings)) &&
           !(filter->has_end && start > paje_filter_end(settings));
}

/* ---- names */

int paje_matches(const char *glob, pajesim_text name)
{
    static text_buffer pattern, copy; /* fnmatch() matches no bytes that are not UTF-8, not even by * */
    if (text_is_equal(text_of(glob), name)) /* a name may contain [ or * itself */
        return 1;
    text_clear(&pattern);
    text_put_utf8(&pattern, text_of(glob));
    text_clear(&copy);
    text_put_utf8(&copy, name);
    return !memchr(text_view(&copy).bytes, '\0', copy.size) &&
           fnmatch(text_string(&pattern), text_string(&copy), 0) == 0;
}

static int matches_any(const char *const *globs, size_t count, const pajesim *sim, pajesim_ref ref)
{
    pajesim_text name = pajesim_name(sim, ref), alias = pajesim_alias(sim, ref);
    for (size_t i = 0; i < count; i++)
        if (paje_matches(globs[i], name) || paje_matches(globs[i], alias))
            return 1;
    return 0;
}

static int find_type(paje_choice *choice, const paje_filter *filter, const pajesim *sim, pajesim_ref type)
{
    size_t known = choice->types.used, number = map_add(&choice->types, &type, sizeof type);
    unsigned char *is_chosen = array_at(&choice->type_is_chosen, number);
    if (choice->types.used > known)
        *is_chosen = (unsigned char)matches_any(filter->types.items, filter->types.count, sim, type);
    if (*is_chosen)
        found->is_type_found = 1;
    return *is_chosen;
}

/* All is in the root: only * stands for it, and 0, which is its name, but neither [0], which may be that of a rank, nor
 * an empty GLOB, which only matches containers without a name. */
static int matches_container(const paje_filter *filter, const pajesim *sim, pajesim_ref container)
{
    if (container != pajesim_root(sim))
        return matches_any(filter->containers.items, filter->containers.count, sim, container);
    for (size_t i = 0; i < filter->containers.count; i++)
        if ((*filter->containers.items[i] && paje_matches(filter->containers.items[i], text_of(""))) ||
            text_is_equal(text_of(filter->containers.items[i]), pajesim_name(sim, container)))
            return 1;
    return 0;
}

/* Whether a container or one of its ancestors matches.  Caches the result for all of them. */
static int find_container(paje_choice *choice, const paje_filter *filter, const pajesim *sim, pajesim_ref container)
{
    static array_of(pajesim_ref) path;
    int is_chosen = 0;
    array_clear(&path);
    for (; container; container = pajesim_parent(sim, container)) {
        size_t number = map_find(&choice->containers, &container, sizeof container);
        if (number != MAP_NONE) {
            is_chosen = choice->container_is_chosen.items[number];
            break;
        }
        *array_push(&path) = container;
    }
    while (path.count > 0) {
        container = path.items[--path.count];
        is_chosen = is_chosen || matches_container(filter, sim, container);
        *array_at(&choice->container_is_chosen, map_add(&choice->containers, &container, sizeof container)) =
            (unsigned char)is_chosen;
    }
    if (is_chosen)
        found->is_container_found = 1;
    return is_chosen;
}

int paje_shows_type(const pajesim *sim, pajesim_ref type)
{
    paje_run *run = pajesim_data(sim);
    const paje_filter *filter = &run->settings->filter;
    return filter->types.count == 0 || find_type(&run->choice, filter, sim, type);
}

int paje_shows_container(const pajesim *sim, pajesim_ref container)
{
    paje_run *run = pajesim_data(sim);
    const paje_filter *filter = &run->settings->filter;
    return filter->containers.count == 0 || (container && find_container(&run->choice, filter, sim, container));
}

int paje_shows_at_any_time(const pajesim *sim, const pajesim_entity *entity)
{
    return paje_shows_type(sim, entity->type) &&
           (paje_shows_container(sim, entity->container) ||
            (entity->kind == PAJESIM_LINK && (paje_shows_container(sim, entity->start_container) ||
                                              paje_shows_container(sim, entity->end_container))));
}

int paje_shows(const pajesim *sim, const pajesim_entity *entity)
{
    const paje_settings *settings = run_of(sim)->settings;
    if (!paje_is_filtered(settings))
        return 1;
    if (!paje_shows_at_any_time(sim, entity) ||
        !paje_shows_time(settings, entity->start, entity->open ? HUGE_VAL : entity->end))
        return 0;
    if (!entity->open)
        found->is_anything_shown = 1;
    return 1;
}

/* Notes which of the filters match an entity or one of its containers, whatever the others do: for the message that
 * nothing is shown. */
static void note_matches(const pajesim *sim, const pajesim_entity *entity)
{
    const paje_filter *filter = &run_of(sim)->settings->filter;
    if (filter->types.count > 0 && !found->is_type_found)
        paje_shows_type(sim, entity->type);
    if (filter->containers.count > 0 && !found->is_container_found) {
        paje_shows_container(sim, entity->container);
        paje_shows_container(sim, entity->start_container);
        paje_shows_container(sim, entity->end_container);
    }
}

void paje_free_choice(paje_choice *choice)
{
    map_free(&choice->containers);
    map_free(&choice->types);
    array_free(&choice->container_is_chosen);
    array_free(&choice->type_is_chosen);
}

/* ---- between the simulation and the command */

static int pass(pajesim *sim, const pajesim_entity *entity, int (*callback)(pajesim *sim, const pajesim_entity *entity),
                int is_structure)
{
    const paje_settings *settings = run_of(sim)->settings;
    pajesim_entity converted = *entity;
    converted.start = paje_in_seconds(settings, entity->start);
    converted.end = paje_in_seconds(settings, entity->end);
    note_matches(sim, entity);
    if (!is_structure && !settings->filter.sees_all && !paje_shows(sim, &converted))
        return PAJESIM_GO_ON;
    return callback(sim, &converted);
}

#define PASSED(name)                                                    \
    static int name(pajesim *sim, const pajesim_entity *entity)         \
    {                                                                   \
        return pass(sim, entity, run_of(sim)->filtered.name, 0);        \
    }
PASSED(state_set)
PASSED(state_pushed)
PASSED(state_popped)
PASSED(state_reset)
PASSED(variable_set)
PASSED(variable_updated)
PASSED(link_started)
PASSED(link_ended)
PASSED(link_completed)
PASSED(event)
PASSED(closed)
#undef PASSED

/* Drops what is cached for a destroyed container that had the same ref. */
static int container_created(pajesim *sim, const pajesim_entity *container)
{
    paje_run *run = pajesim_data(sim);
    size_t number = map_find(&run->choice.containers, &container->container, sizeof container->container);
    if (number != MAP_NONE)
        map_remove(&run->choice.containers, number);
    note_matches(sim, container);
    return run->filtered.container_created ? pass(sim, container, run->filtered.container_created, 1) : PAJESIM_GO_ON;
}

static int container_destroyed(pajesim *sim, const pajesim_entity *container)
{
    return pass(sim, container, run_of(sim)->filtered.container_destroyed, 1);
}

void paje_filter_run(paje_run *run)
{
    const paje_filter *filter = &run->settings->filter;
    pajesim_callbacks *callbacks = &run->callbacks;
    if (!paje_is_filtered(run->settings) && (!filter->unit || filter->keeps_unit))
        return;
    run->filtered = run->callbacks;
    callbacks->container_created = container_created;
#define PASS(name) callbacks->name = run->filtered.name ? name : NULL
    PASS(container_destroyed);
    PASS(state_set);
    PASS(state_pushed);
    PASS(state_popped);
    PASS(state_reset);
    PASS(variable_set);
    PASS(variable_updated);
    PASS(link_started);
    PASS(link_ended);
    PASS(link_completed);
    PASS(event);
    PASS(closed);
#undef PASS
}

/* ---- nothing is shown */

void paje_share_filter(void)
{
    void *shared = mmap(NULL, sizeof *found, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared != MAP_FAILED) /* otherwise the parent has nothing to report from */
        found = shared;
}

static void list(text_buffer *text, const char *option, const char *const *globs, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        text_printf(text, "%s%s ", i ? ", " : "", option);
        text_put_printable(text, text_of(globs[i]));
    }
}

void paje_set_shared_counts(const pajesim_counts *counts)
{
    found->counts = *counts;
}

pajesim_counts paje_shared_counts(void)
{
    return found->counts;
}

void paje_note_shown(void)
{
    found->is_anything_shown = 1;
}

int paje_is_nothing_shown(const paje_settings *settings)
{
    return paje_is_filtered(settings) && !found->is_anything_shown;
}

void paje_report_nothing(const paje_settings *settings, const char *name, const pajesim_counts *counts)
{
    const paje_filter *filter = &settings->filter;
    if (counts->bytes == 0)
        stream_message("%s: it is empty", name);
    if (counts->bytes == 0 || !paje_is_nothing_shown(settings))
        return;
    text_buffer why = {0};
    int has_range = filter->has_start || filter->has_end;
    const char *where = has_range ? " in that range" : ""; /* with an index, the rest has not been read */
    if (filter->types.count && !found->is_type_found) {
        text_printf(&why, "no entity%s has a type that matches ", where);
        list(&why, "--type", filter->types.items, filter->types.count);
    } else if (filter->containers.count && !found->is_container_found) {
        text_printf(&why, "no container%s matches ", where);
        list(&why, "--container", filter->containers.items, filter->containers.count);
    } else {
        int is_outside = has_range && ((filter->has_start && filter->start > counts->last) ||
                                       (filter->has_end && filter->end < counts->first));
        text_puts(&why, is_outside ? "the range is outside of the trace" : "no entity matches all of the filters");
        if (has_range)
            text_printf(&why, "%s from %.15g to %.15g", is_outside ? ", which lasts" : "; the trace lasts",
                        counts->first, counts->last);
    }
    stream_message("%s: nothing is shown: %s", name, text_string(&why));
    text_free(&why);
}

void paje_report_no_value(const paje_settings *settings, const char *name, const char *glob)
{
    if (paje_is_filtered(settings))
        stream_message("%s: nothing that the filters choose has a value like `%s`", name, glob);
    else
        stream_message("%s: no value is like `%s` (`paje info --types` lists them)", name, glob);
}
