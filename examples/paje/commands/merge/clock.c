/* Corrected times of inputs. */
#include "merge.h"

#include <math.h>
#include <stdlib.h>

#define DELAY_DECAY 0.05 /* share of the passing time by which a delay gets less */

enum { MAX_DECIMALS = 15 };

void merge_note_decimal_count(merge *m, size_t count)
{
    if (count > m->output.decimals)
        m->output.decimals = count > MAX_DECIMALS ? MAX_DECIMALS : count;
}

void merge_note_decimals(merge *m, pajesim_text time)
{
    merge_note_decimal_count(m, merge_decimals_of(time));
}

int merge_put_given(text_buffer *sum, const merge_input *input, pajesim_text text, size_t decimals)
{
    return merge_add_decimals(sum, text, text_of(input->clock.given), decimals);
}

pajesim_time merge_read_time(const merge_input *input, pajesim_text text, pajesim_time time)
{
    static text_buffer sum;
    double given;
    if (!input->clock.given)
        return time;
    if (merge_put_given(&sum, input, text, 0) && pajesim_number(sum.bytes, sum.size, &given))
        return given;
    paje_parse_number(input->clock.given, &given);
    return time + given;
}

/* ---- knots */

uint32_t merge_find_time(const double *times, uint32_t count, double time)
{
    uint32_t low = 0, high = count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (times[middle] > time)
            high = middle;
        else
            low = middle;
    }
    return low;
}

/* Returns where a time is between the first message of a group and the last one, from 0 to 1: so the knots of a group
 * do not depend on when others are. */
double merge_place(const merge *m, const merge_input *input, double time)
{
    const merge_group *group = &m->alignment.groups[input->group];
    return (time - group->first) / group->length;
}

double merge_interpolate(merge *m, const double *values, size_t step, double place)
{
    merge_clocks *clocks = &m->clocks;
    const double *times = clocks->knot_times;
    uint32_t below = clocks->last_knot;
    if (below + 1 >= clocks->knot_count || place < times[below] || place >= times[below + 1])
        clocks->last_knot = below = merge_find_time(times, clocks->knot_count - 1, place);
    double low = times[below], high = times[below + 1];
    double part = place <= low ? 0 : place >= high ? 1 : (place - low) / (high - low);
    return values[below * step] + part * (values[(below + 1) * step] - values[below * step]);
}

/* ---- the correction */

static pajesim_time correct_without_delay(merge *m, const merge_input *input, pajesim_time time)
{
    const merge_clock *clock = &input->clock;
    time += clock->offset;
    if (clock->values)
        time += merge_interpolate(m, clock->values, 1, merge_place(m, input, time));
    return m->clocks.shift + time;
}

/* Returns the delay that is left at a time. */
static double delay_at(const merge_clock *clock, double time)
{
    double delay = clock->delay - (time > clock->delayed_at ? DELAY_DECAY * (time - clock->delayed_at) : 0);
    return delay > 0 ? delay : 0;
}

pajesim_time merge_correct(merge *m, const merge_input *input, pajesim_time time)
{
    time = correct_without_delay(m, input, time);
    return input->clock.delay > 0 ? time + delay_at(&input->clock, time) : time;
}

void merge_delay(merge *m, merge_input *input, pajesim_time time, pajesim_time line_time)
{
    merge_clock *clock = &input->clock;
    pajesim_time undelayed = correct_without_delay(m, input, line_time), delay = time - undelayed;
    if (delay > delay_at(clock, undelayed)) {
        clock->delay = delay;
        clock->delayed_at = undelayed;
    }
}

int merge_is_unchanged(const merge *m, const merge_input *input)
{
    const merge_clock *clock = &input->clock;
    double shift = m->clocks.shift;
    return shift >= 0 && shift <= 0 && clock->offset >= 0 && clock->offset <= 0 && !clock->values &&
           !(clock->delay > 0);
}

/* Other programs, such as pj_dump, drop what begins before 0 without a message, so no correction may move times there
 * that were 0 or later. */
void merge_shift_to_zero(merge *m)
{
    double before = 0, least = 0;
    for (uint32_t i = 0; i < m->input_count; i++)
        if (m->inputs[i].least < HUGE_VAL) { /* it has times */
            before = merge_min(before, m->inputs[i].least);
            least = merge_min(least, merge_correct(m, &m->inputs[i], m->inputs[i].least));
        }
    if (least < before) {
        m->clocks.shift = before - least;
        stream_message("all times moved by %.9f, so that none is before %.9f", m->clocks.shift, before);
    }
}

void merge_report_clock(merge *m, const merge_input *input)
{
    double least = INFINITY, greatest = -INFINITY;
    for (uint32_t knot = 0; input->clock.values && knot < m->clocks.knot_count; knot++) {
        least = merge_min(least, input->clock.offset + input->clock.values[knot]);
        greatest = merge_max(greatest, input->clock.offset + input->clock.values[knot]);
    }
    if (least < greatest)
        stream_message("%s: clock corrected by %.9f to %.9f", input->name, least, greatest);
    else if (!merge_is_unchanged(m, input))
        stream_message("%s: clock corrected by %.9f", input->name, merge_correct(m, input, 0));
}

void merge_free_clocks(merge *m)
{
    free(m->clocks.knot_times);
    for (uint32_t i = 0; i < m->input_count; i++) {
        free(m->inputs[i].clock.values);
        free(m->inputs[i].clock.best);
    }
}
