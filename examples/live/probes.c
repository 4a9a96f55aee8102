/* Probes: made, changed and removed by the agent, or by the side program. */
#include "measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void *alloc_cells(size_t size)
{
    void *block;
    if (posix_memalign(&block, 64, size ? size : 64) != 0)
        return NULL;
    memset(block, 0, size);
    return block;
}

static void free_memory(measure_probe *probe)
{
    free(probe->cells);
    free(probe->begun);
    free(probe->begun_values);
    free(probe->first_values);
    probe->cells = NULL;
    probe->begun = NULL;
    probe->begun_values = probe->first_values = NULL;
}

void measure_set_file(measure_probe *probe, int file)
{
    struct stat about;
    probe->file = file;
    probe->is_file_open = 1;
    if (file >= 0 && fstat(file, &about) == 0) {
        probe->device = about.st_dev;
        probe->inode = about.st_ino;
    }
}

int measure_has_file(const measure_probe *probe)
{
    struct stat about;
    return probe->is_file_open && probe->file >= 0 && fstat(probe->file, &about) == 0 &&
           about.st_dev == probe->device && about.st_ino == probe->inode;
}

/* Closes it once: the program may have its number for another one then. */
static void close_file(measure_probe *probe)
{
    if (measure_has_file(probe))
        close(probe->file);
    probe->is_file_open = 0;
}

void measure_free(measure *it)
{
    for (uint32_t i = 0; i < MEASURE_PROBES; i++)
        free_memory(&it->probe[i]);
    for (uint32_t i = 0; i < MEASURE_PLACES; i++)
        free(it->samples[i]);
}

int measure_matches(const measure_place *place, const request_path *path)
{
    int depth = 0;
    for (int level = 0; level < LEVELS; level++) {
        const char *wanted = path->id[level];
        if (!*wanted)
            continue;
        if (strcmp(wanted, "*") != 0 && strcmp(wanted, "?") != 0 &&
            (!place->id[level] || strcmp(wanted, place->id[level]) != 0))
            return 0;
        depth = level + 1;
    }
    return depth;
}

uint32_t measure_first(const measure *it, const measure_probe *probe, uint32_t path, uint32_t place)
{
    const request_path *wanted = &probe->paths[path];
    const int depth = measure_matches(&it->place[place], wanted);
    for (uint32_t other = 0; other < place; other++) {
        int is_same = measure_matches(&it->place[other], wanted) == depth;
        for (int level = 0; is_same && level < depth; level++) {
            const char *a = it->place[other].id[level], *b = it->place[place].id[level];
            is_same = !*wanted->id[level] || (!a && !b) || (a && b && strcmp(a, b) == 0);
        }
        if (is_same)
            return other;
    }
    return place;
}

/* Sets the paths: none with a region means the current one of each level, without one all threads. */
static int set_paths(measure_probe *probe, const request *from, char *problem, size_t size)
{
    int is_current = 0;
    if (from->path_count) {
        memcpy(probe->paths, from->paths, sizeof probe->paths);
        probe->path_count = from->path_count;
    } else if (!probe->path_count) {
        memset(probe->paths, 0, sizeof probe->paths);
        for (int level = 0; level < LEVELS; level++)
            memcpy(probe->paths[0].id[level], probe->has_region ? "?" : "*", 2);
        probe->path_count = 1;
    }
    for (uint32_t i = 0; i < probe->path_count; i++)
        for (int level = 0; level < LEVELS; level++)
            is_current |= strcmp(probe->paths[i].id[level], "?") == 0;
    if (is_current && !probe->has_region) {
        snprintf(problem, size, "\"?\" is the thread that executes a region, and there is no codeRegion");
        return 0;
    }
    probe->is_by_any = probe->has_region && !probe->is_own && !is_current;
    memset(probe->selected, 0, sizeof probe->selected);
    return 1;
}

static int set_metrics(measure *it, measure_probe *probe, const request *from, char *problem, size_t size)
{
    for (uint32_t i = 0; i < from->metric_count; i++) {
        const int found = metric_find(from->metrics[i]);
        const char *lack = found < 0 ? "not in this catalogue" :
                           it->source.lacks(it->source.data, found, probe->has_region);
        if (lack) {
            snprintf(problem, size, "metric %s: %s", from->metrics[i], lack);
            return 0;
        }
        probe->metrics[i] = found;
    }
    if (from->metric_count)
        probe->metric_count = from->metric_count;
    return 1;
}

static void set_measuring(request_measuring *to, const request *from)
{
    if (from->given & 1)
        to->interval = from->measuring.interval;
    if (from->given & 2)
        to->delivery = from->measuring.delivery;
    if (from->given & 4)
        to->duration = from->measuring.duration;
    if (from->given & 8)
        memcpy(to->destination, from->measuring.destination, sizeof to->destination);
    if (from->given & 16) {
        memcpy(to->functions, from->measuring.functions, sizeof to->functions);
        to->function_count = from->measuring.function_count;
    }
}

/* Allocates what the settings need. */
static int set_memory(measure_probe *probe, char *problem, size_t size)
{
    int is_clock_only = 1;
    free_memory(probe);
    for (uint32_t i = 0; i < probe->metric_count; i++)
        is_clock_only &= probe->metrics[i] == METRIC_WC_TIME;
    probe->is_each = probe->measuring.delivery == -1;
    probe->cells = alloc_cells(sizeof *probe->cells * MEASURE_PLACES * probe->metric_count);
    if (probe->has_region && probe->from != MEASURE_NO_REGION && probe->to != MEASURE_NO_REGION &&
        (!is_clock_only || probe->from != probe->to || probe->is_by_any)) {
        probe->begun_width = probe->is_by_any ? MEASURE_PLACES : probe->from == probe->to ? MEASURE_NESTED : 1;
        probe->begun_values =
            calloc((size_t)MEASURE_PLACES * probe->begun_width * probe->metric_count, sizeof(int64_t));
        probe->begun = calloc(MEASURE_PLACES, sizeof *probe->begun);
    }
    if (probe->measuring.duration)
        probe->first_values = calloc((size_t)MEASURE_PLACES * probe->metric_count, sizeof(int64_t));
    if (!probe->cells || (probe->begun_width && (!probe->begun_values || !probe->begun)) ||
        (probe->measuring.duration && !probe->first_values)) {
        snprintf(problem, size, "the program has no memory for a probe");
        return 0;
    }
    return 1;
}

static int set_all(measure *it, measure_probe *probe, const request *from, char *problem, size_t size)
{
    set_measuring(&probe->measuring, from);
    if (!set_paths(probe, from, problem, size) || !set_metrics(it, probe, from, problem, size))
        return 0;
    if (probe->has_region && (probe->measuring.interval || probe->measuring.duration)) {
        snprintf(problem, size,
                 "a code region is measured when it is executed: interval and duration are for requests without");
        return 0;
    }
    if (!probe->has_region && probe->measuring.duration && probe->measuring.interval < probe->measuring.duration) {
        snprintf(problem, size, "a duration needs an interval that is not shorter");
        return 0;
    }
    return set_memory(probe, problem, size);
}

uint32_t measure_add_probe(measure *it, const request *from, char *problem, size_t size)
{
    uint32_t number = 0;
    measure_probe *probe;
    uint32_t epoch;
    while (number < MEASURE_PROBES && it->probe[number].is_used)
        number++;
    if (number == MEASURE_PROBES) {
        snprintf(problem, size, "there are %d probes already, which is the limit", MEASURE_PROBES);
        return number;
    }
    probe = &it->probe[number];
    epoch = probe->epoch;
    free_memory(probe);
    memset(probe, 0, sizeof *probe);
    probe->epoch = epoch + 1;
    probe->measuring = it->defaults;
    probe->has_region = from->has_region;
    probe->is_own = from->is_own;
    probe->has_event = from->has_event;
    probe->from = probe->to = MEASURE_NO_REGION;
    if (from->has_region) {
        const char *const names[] = {from->from, from->to};
        uint32_t *const places[] = {&probe->from, &probe->to};
        for (int i = 0; i < 2; i++)
            if (*names[i] && (*places[i] = it->source.region(it->source.data, names[i])) == MEASURE_NO_REGION) {
                snprintf(problem, size, "there is no region %s", names[i]);
                return MEASURE_PROBES;
            }
        probe->measuring.interval = probe->measuring.duration = 0; /* defaults are for requests without a region */
    }
    if (!set_all(it, probe, from, problem, size)) {
        free_memory(probe);
        return MEASURE_PROBES;
    }
    if (probe->is_each) {
        for (uint32_t i = 0; i < MEASURE_PLACES; i++)
            if (!it->samples[i]) {
                measure_samples *ring = calloc(1, sizeof *ring);
                if (!ring)
                    break;
                __atomic_store_n(&it->samples[i], ring, __ATOMIC_RELEASE);
            }
    }
    snprintf(probe->id, sizeof probe->id, "p%u", (unsigned)++it->next_id);
    probe->is_used = 1;
    return number;
}

static void tell_source(measure *it)
{
    if (it->source.changed)
        it->source.changed(it->source.data);
}

void measure_activate(measure *it, uint32_t number, int is_active, uint64_t now)
{
    measure_probe *probe = &it->probe[number];
    if (probe->is_active == is_active)
        return;
    if (is_active) /* threads read it, and none uses a probe that is not active */
        probe->since = now;
    probe->until = 0;
    probe->next_interval =
        is_active && probe->measuring.interval ? now + (uint64_t)probe->measuring.interval * 1000000 : 0;
    probe->next_delivery =
        is_active && probe->measuring.delivery > 0 ? now + (uint64_t)probe->measuring.delivery * 1000000 : 0;
    __atomic_store_n(&probe->is_active, is_active, __ATOMIC_RELEASE);
    tell_source(it);
}

void measure_reset(measure *it, uint32_t number)
{
    (void)__atomic_fetch_add(&it->probe[number].epoch, 1, __ATOMIC_RELEASE);
}

int measure_change_probe(measure *it, uint32_t number, const request *from, uint64_t now, char *problem, size_t size)
{
    measure_probe *probe = &it->probe[number], before = *probe;
    const int was_active = probe->is_active;
    int is_changed;
    if (probe->has_region) /* what was entered before the change is measured, too; intervals begin with it */
        now = probe->since;
    measure_activate(it, number, 0, now); /* until then threads use what is changed */
    probe->cells = NULL;
    probe->begun = NULL;
    probe->begun_values = probe->first_values = NULL;
    probe->begun_width = 0;
    is_changed = set_all(it, probe, from, problem, size);
    if (is_changed) {
        free_memory(&before);
        measure_reset(it, number);
        if (strcmp(before.measuring.destination, probe->measuring.destination) != 0)
            close_file(probe);
    } else {
        free_memory(probe);
        *probe = before;
        probe->is_active = 0;
    }
    measure_activate(it, number, was_active, now);
    return is_changed;
}

void measure_remove(measure *it, uint32_t number)
{
    measure_activate(it, number, 0, 0);
    close_file(&it->probe[number]);
    it->probe[number].is_used = 0;
    measure_reset(it, number);
}

uint32_t measure_find_probe(const measure *it, document_text id)
{
    uint32_t number = 0;
    while (number < MEASURE_PROBES && !(it->probe[number].is_used && document_is(id, it->probe[number].id)))
        number++;
    return number;
}

measure_wants measure_wanted(const measure *it, uint32_t region)
{
    measure_wants wants = {0, 0, 0};
    for (uint32_t i = 0; i < MEASURE_PROBES; i++) {
        const measure_probe *probe = &it->probe[i];
        if (!probe->is_used || !probe->is_active || !probe->has_region)
            continue;
        if (probe->from == region && probe->to == region)
            wants.both |= UINT64_C(1) << i;
        else if (probe->to == region)
            wants.leave |= UINT64_C(1) << i;
        if (probe->from == region && (probe->to == MEASURE_NO_REGION || probe->begun))
            wants.enter |= UINT64_C(1) << i;
    }
    return wants;
}

uint32_t measure_wanted_metrics(const measure *it)
{
    uint32_t wanted = 0;
    for (uint32_t i = 0; i < MEASURE_PROBES; i++)
        for (uint32_t m = 0; it->probe[i].is_used && it->probe[i].is_active && m < it->probe[i].metric_count; m++)
            if (*metrics[it->probe[i].metrics[m]].states)
                wanted |= UINT32_C(1) << it->probe[i].metrics[m];
    return wanted;
}
