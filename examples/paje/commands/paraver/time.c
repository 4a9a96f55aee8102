/* Times in nanoseconds, converted from the decimals of the trace: a double has too few digits since 1970. */
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

static moment now, latest; /* of the current line, and the greatest: what is open at the end ends then */
static int decimals;       /* of a nanosecond in the unit of the trace */
static int is_unit_known, is_begun;

void time_begin_line(const pajesim *sim, const pajesim_line *line)
{
    if (line->event < PAJESIM_CREATE_CONTAINER || line->event == PAJESIM_TRACE_FILE)
        return;
    pajesim_text text = pajesim_line_role(sim, line, PAJESIM_TIME);
    now.time = line->time;
    now.is_converted = 0;
    now.size = text.size <= TEXT ? (uint32_t)text.size : 0;
    memcpy(now.text, text.bytes, now.size);
    if (!is_begun || now.time >= latest.time)
        latest = now;
    is_begun = 1;
}

static int64_t round_time(pajesim_time time)
{
    double number = time * pow(10, decimals);
    return number > TIME_MOST ? TIME_MOST : number < -TIME_MOST ? -TIME_MOST : llround(number);
}

/* Types are defined by now, which tell the unit if no option does. */
static void find_unit(pajesim *sim)
{
    if (is_unit_known)
        return;
    decimals = (int)lround(log10(paje_unit_of(pajesim_data(sim))->seconds)) + 9;
    is_unit_known = 1;
}

/* Converts digits with or without a point, if that is exact: most times are such.  Returns 0 for others. */
static int convert_plain(moment *it)
{
    enum { DIGITS = 18 }; /* that fit */
    static const int64_t powers[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000};
    int64_t number = 0;
    uint32_t point = it->size;
    if (it->size == 0 || it->size > DIGITS)
        return 0;
    for (uint32_t i = 0; i < it->size; i++) {
        unsigned digit = (unsigned)it->text[i] - '0';
        if (digit < 10)
            number = number * 10 + (int64_t)digit;
        else if (it->text[i] == '.' && point == it->size && i > 0)
            point = i;
        else
            return 0;
    }
    int missing = decimals - (point < it->size ? (int)(it->size - point) - 1 : 0); /* decimals */
    if (missing < 0 || missing > 9 || number > TIME_MOST / powers[missing])
        return 0;
    it->nanoseconds = number * powers[missing];
    return 1;
}

static int64_t convert(moment *it)
{
    if (!it->is_converted && !convert_plain(it) &&
        (!pajesim_fixed(it->text, it->size, decimals, &it->nanoseconds) || it->nanoseconds > TIME_MOST ||
         it->nanoseconds < -TIME_MOST))
        it->nanoseconds = round_time(it->time);
    it->is_converted = 1;
    return it->nanoseconds;
}

int64_t time_of(pajesim *sim, pajesim_time time)
{
    find_unit(sim);
    if (!(time < now.time) && !(time > now.time))
        return convert(&now);
    if (!(time < latest.time) && !(time > latest.time))
        return convert(&latest);
    return round_time(time);
}

int64_t time_of_option(pajesim *sim, pajesim_time time)
{
    find_unit(sim);
    return round_time(time);
}
