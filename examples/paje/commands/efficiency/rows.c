/* Rows, the processes that they belong to, and their times and ideal clocks in each section. */
#include "efficiency.h"

#include <math.h>

efficiency_data efficiency;

/* The row and the process of a place of active.h. */
typedef struct place_rows {
    uint32_t row_generation, process_generation;
    size_t row, process;
} place_rows;
static array_of(place_rows) places;

static size_t free_row = ACTIVE_NONE, free_process = ACTIVE_NONE;

void efficiency_begin_rows(void)
{
    section *range = array_push(&efficiency.sections);
    range->class = ACTIVE_NONE;
    efficiency_open(range, efficiency.start);
}

double efficiency_time(double time)
{
    return fmin(fmax(time, efficiency.start), efficiency.end);
}

/* ---- processes */

static pajesim_ref container_of_process(const pajesim *sim, pajesim_ref container)
{
    pajesim_ref parent = pajesim_parent(sim, container);
    return !parent || parent == pajesim_root(sim) ? container : parent;
}

static size_t process_of(pajesim *sim, pajesim_ref container)
{
    size_t place = active_own_place(sim, container_of_process(sim, container));
    place_rows *at = array_at(&places, place);
    uint32_t generation = active_places.items[place].generation + 1; /* never 0 */
    if (at->process_generation == generation)
        return at->process;
    if (free_process == ACTIVE_NONE) {
        array_push(&efficiency.processes)->next_free = ACTIVE_NONE;
        free_process = efficiency.processes.count - 1;
    }
    process *it = &efficiency.processes.items[free_process];
    at->process = free_process;
    at->process_generation = generation;
    free_process = it->next_free;
    *it = (process){.parts = memory_alloc_zero(efficiency.section_count, sizeof *it->parts)};
    return at->process;
}

size_t efficiency_threads(process *in)
{
    if (in->epoch != efficiency.sections.items[0].epoch) {
        in->epoch = efficiency.sections.items[0].epoch;
        in->threads_most = in->threads;
    }
    return in->threads_most;
}

static void change_threads(process *in, int by, double real)
{
    const section *range = &efficiency.sections.items[0];
    size_t most = efficiency_threads(in);
    in->threads += (size_t)by;
    if (real <= range->start || (range->is_open && real <= efficiency.end && in->threads > most))
        in->threads_most = in->threads;
}

/* ---- rows */

enum { CALLS = 1, HAS_CALLER = 2 };
static array_of(unsigned char) callers; /* by the serial numbers of containers: CALLS, and of processes HAS_CALLER */

static int is_noted(const pajesim *sim, pajesim_ref container, int what)
{
    uint32_t serial = pajesim_serial(sim, container);
    return serial < callers.count && (callers.items[serial] & what);
}

void efficiency_note_caller(const pajesim *sim, pajesim_ref container)
{
    *array_at(&callers, pajesim_serial(sim, container)) |= CALLS;
    *array_at(&callers, pajesim_serial(sim, container_of_process(sim, container))) |= HAS_CALLER;
}

static size_t new_row(pajesim *sim, pajesim_ref container)
{
    const paje_run *run = pajesim_data(sim);
    size_t number = free_row, owner = process_of(sim, container);
    uint32_t generation = 0;
    process *in = &efficiency.processes.items[owner];
    if (number == ACTIVE_NONE) {
        number = efficiency.rows.count;
        (void)array_push(&efficiency.rows);
    } else {
        free_row = efficiency.rows.items[number].next_free;
        generation = efficiency.rows.items[number].generation;
    }
    double real = paje_in_seconds(run->settings, pajesim_start_of(sim, container)), start = efficiency_time(real);
    efficiency.rows.items[number] =
        (row){.container = container, .name = ACTIVE_NONE, .process = owner, .generation = generation, .last = start,
              .is_helper = in->communicating > 0, .operation = ACTIVE_NONE,
              .parts = memory_alloc_zero(efficiency.section_count, sizeof(row_part))};
    efficiency.rows.items[number].is_apart =
        callers.count > 0 && !is_noted(sim, container_of_process(sim, container), HAS_CALLER);
    if (efficiency.slice > 0 && is_noted(sim, container, CALLS)) {
        efficiency.rows.items[number].has_called = in->has_called = 1;
        efficiency.rows.items[number].name = active_name(sim, active_own_place(sim, container));
    }
    if (!efficiency.rows.items[number].is_helper)
        change_threads(in, 1, real);
    return number;
}

size_t efficiency_row_of(pajesim *sim, pajesim_ref container)
{
    size_t place = active_own_place(sim, container);
    if (place == ACTIVE_NONE || !paje_shows_container(sim, container))
        return ACTIVE_NONE;
    uint32_t generation = active_places.items[place].generation + 1;
    if (array_at(&places, place)->row_generation == generation)
        return places.items[place].row;
    size_t number = new_row(sim, container);
    place_rows *at = array_at(&places, place);
    at->row_generation = generation;
    at->row = number;
    return number;
}

size_t efficiency_row_at(pajesim *sim, pajesim_ref container)
{
    size_t place = active_place_of(sim, container);
    if (place == ACTIVE_NONE || !active_has_states(sim, active_places.items[place].container))
        return ACTIVE_NONE;
    return efficiency_row_of(sim, active_places.items[place].container);
}

/* Adds the times of a thread that has ended to those of its process. */
static void end_thread(row *it)
{
    process *in = &efficiency.processes.items[it->process];
    for (size_t i = 0; i < efficiency.sections.count && !it->is_helper; i++) {
        process_part *part = &in->parts[i];
        double busy = sum_of(&it->parts[i].busy);
        if (i == 0 && it->parts[i].epoch != efficiency.sections.items[i].epoch)
            continue;
        if (i == 0 && part->epoch != it->parts[i].epoch)
            *part = (process_part){.epoch = it->parts[i].epoch};
        sum_add(&part->busy, busy);
        part->most = fmax(part->most, busy);
    }
}

void efficiency_container_ended(pajesim *sim, const pajesim_entity *container)
{
    size_t place = active_own_place(sim, container->container);
    if (place >= places.count)
        return;
    uint32_t generation = active_places.items[place].generation + 1;
    const place_rows *at = &places.items[place];
    if (at->row_generation == generation) {
        row *it = &efficiency.rows.items[at->row];
        efficiency_advance(it, efficiency_time(container->end));
        it->container = 0;
        if (!it->is_helper)
            change_threads(&efficiency.processes.items[it->process], -1, container->end);
        if (!it->has_called) {
            end_thread(it);
            free(it->parts);
            *it = (row){.next_free = free_row, .generation = it->generation + 1};
            free_row = at->row;
        }
    }
    if (at->process_generation == generation && !efficiency.processes.items[at->process].has_called) {
        free(efficiency.processes.items[at->process].parts);
        efficiency.processes.items[at->process] = (process){.next_free = free_process};
        free_process = at->process;
    }
}

/* ---- times and clocks */

row_part *efficiency_part(row *it, size_t number)
{
    section *in = &efficiency.sections.items[number];
    row_part *part = &it->parts[number];
    if (part->epoch == in->epoch)
        return part;
    if (number == 0)
        *part = (row_part){0}; /* a range that begins again forgets what was before */
    part->epoch = in->epoch;
    part->start = part->clock = fmax(in->start, it->last);
    return part;
}

void efficiency_advance(row *it, double time)
{
    for (size_t i = 0; i < efficiency.sections.count && time > it->last; i++) {
        if (!efficiency.sections.items[i].is_open)
            continue;
        row_part *part = efficiency_part(it, i);
        double span = time - fmax(it->last, efficiency.sections.items[i].start);
        int is_present = i == 0 || part->depth > 0;
        if (!(span > 0))
            continue;
        if (is_present)
            sum_add(&part->present, span);
        if (it->communicating > 0) {
            if (is_present && it->call >= CALL_UNTOLD)
                sum_add(&part->untold, span);
            if (is_present && it->call == CALL_RECEIVES)
                sum_add(&part->receiving, span);
            continue;
        }
        part->clock += span;
        if (is_present)
            sum_add(&part->outside, span);
        if (is_present && it->waiting == 0)
            sum_add(&part->busy, span);
    }
    it->last = fmax(it->last, time);
}

void efficiency_mark(row *it, mark *marks)
{
    for (size_t i = 0; i < efficiency.sections.count; i++)
        marks[i] = efficiency.sections.items[i].is_open
                       ? (mark){efficiency.sections.items[i].epoch, efficiency_part(it, i)->clock} : (mark){0, 0};
}

void efficiency_follow(row *it, const mark *marks)
{
    for (size_t i = 0; i < efficiency.sections.count && !efficiency.is_over; i++)
        if (efficiency.sections.items[i].is_open && marks[i].epoch == efficiency.sections.items[i].epoch) {
            row_part *part = efficiency_part(it, i);
            part->clock = fmax(part->clock, marks[i].clock);
        }
}

void efficiency_join(mark *marks, const mark *more)
{
    for (size_t i = 0; i < efficiency.sections.count; i++)
        if (more[i].epoch > marks[i].epoch || (more[i].epoch == marks[i].epoch && more[i].clock > marks[i].clock))
            marks[i] = more[i];
}

/* ---- sections */

void efficiency_open(section *it, double time)
{
    it->is_open = 1;
    it->epoch++;
    it->start = it->ideal_end = time;
}

void efficiency_cut_range(double time)
{
    for (size_t i = 0; i < efficiency.rows.count && efficiency.sections.items[0].is_open; i++) {
        row *it = &efficiency.rows.items[i];
        if (!it->container)
            continue;
        efficiency_advance(it, time);
        if (!efficiency_cut_operation(i))
            efficiency_part(it, 0)->is_cut = 1;
    }
}

void efficiency_close_range(double time)
{
    section *range = &efficiency.sections.items[0];
    efficiency_cut_range(time);
    range->is_open = 0;
}

void efficiency_enter_phase(row *it, size_t number, double real)
{
    section *phase = &efficiency.sections.items[number];
    if (it->is_apart)
        return;
    if (it->parts[number].depth > 0) {
        it->parts[number].depth++;
        return;
    }
    if (phase->inside++ == 0) {
        efficiency_open(phase, efficiency_time(real));
        phase->began = real;
    }
    efficiency_part(it, number)->depth = 1;
}

void efficiency_leave_phase(row *it, size_t number, double real)
{
    section *phase = &efficiency.sections.items[number];
    if (it->parts[number].depth == 0 || --it->parts[number].depth > 0)
        return;
    phase->ideal_end = fmax(phase->ideal_end, efficiency_part(it, number)->clock);
    if (--phase->inside > 0)
        return;
    phase->is_open = 0;
    phase->stretches += real >= efficiency.start && phase->began <= efficiency.end;
    sum_add(&phase->runtime, efficiency_time(real) - phase->start);
    sum_add(&phase->ideal, phase->ideal_end - phase->start);
}
