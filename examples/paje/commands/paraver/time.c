/* Times in nanoseconds, converted from the decimals of the trace: a double has too few digits since 1970. */
#include "base/digits.h"
#include "paraver.h"

#include <math.h>

enum { TEXT = 40 };

/* A time of the trace, and how a line writes it. */
typedef struct moment {
    pajesim_time time;
    int is_converted;
    int64_t nanoseconds;
    uint32_t size; /* of the text; 0: it does not fit */
    char text[TEXT];
} moment;

static moment moments[2] = {{.time = -HUGE_VAL}, {.time = -HUGE_VAL}};
/* The time of the current line, and the greatest one before: what is open at the end ends at one of them. */
static moment *now = &moments[0], *latest = &moments[1];
static int decimals; /* of a nanosecond in the unit of the trace */
static double scale; /* 10 to that power; 0: the unit is not known yet */

void time_begin_line(const pajesim *sim, const pajesim_line *line)
{
    if (line->event < PAJESIM_CREATE_CONTAINER || line->event == PAJESIM_TRACE_FILE)
        return;
    if (now->time >= latest->time) {
        moment *older = latest;
        latest = now;
        now = older;
    }
    now->time = line->time;
    now->is_converted = scale > 0 && digits_whole(now->time, scale, &now->nanoseconds);
    if (now->is_converted)
        return;
    pajesim_text text = pajesim_line_role(sim, line, PAJESIM_TIME);
    now->size = text.size <= TEXT ? (uint32_t)text.size : 0;
    memcpy(now->text, text.bytes, now->size);
}

static int is_beyond(pajesim_time time)
{
    return time * scale > TIME_MOST || time * scale < -TIME_MOST;
}

static int64_t round_time(pajesim_time time)
{
    return !is_beyond(time) ? llround(time * scale) : time > 0 ? TIME_MOST : -TIME_MOST;
}

/* Types are defined by now, which tell the unit if no option does. */
static void find_unit(pajesim *sim)
{
    if (scale > 0)
        return;
    decimals = (int)lround(log10(paje_unit_of(pajesim_data(sim))->seconds)) + 9;
    scale = pow(10, decimals);
}

static int64_t convert(moment *it)
{
    if (!it->is_converted &&
        (!pajesim_fixed(it->text, it->size, decimals, &it->nanoseconds) || it->nanoseconds > TIME_MOST ||
         it->nanoseconds < -TIME_MOST))
        it->nanoseconds = round_time(it->time);
    it->is_converted = 1;
    return it->nanoseconds;
}

int64_t time_of(pajesim *sim, pajesim_time time)
{
    find_unit(sim);
    if (is_beyond(time))
        paje_tell_range(pajesim_data(sim), TIME_MOST);
    if (!(time < now->time) && !(time > now->time))
        return convert(now);
    if (!(time < latest->time) && !(time > latest->time))
        return convert(latest);
    return round_time(time);
}

int64_t time_of_option(pajesim *sim, pajesim_time time)
{
    find_unit(sim);
    return round_time(time);
}
