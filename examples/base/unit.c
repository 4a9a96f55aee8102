/* Units of time, and steps of axes. */
#include "base/unit.h"

#include <math.h>

const time_unit *unit_named(pajesim_text name)
{
    static const time_unit units[] = {{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (text_is_equal(name, text_of(units[i].name)))
            return &units[i];
    return NULL;
}

const time_unit *unit_for(double seconds)
{
    static const time_unit units[] = {{"ns", 1e-9}, {"\xc2\xb5s", 1e-6}, {"ms", 1e-3},
                                      {"s", 1},     {"h", 3600},           {"d", 86400}};
    static const double least[] = {0, 1e-6, 1e-3, 1, 3 * 3600, 3 * 86400};
    size_t best = 0;
    for (size_t i = 1; i < sizeof units / sizeof *units; i++)
        if (seconds >= least[i])
            best = i;
    return &units[best];
}

void text_put_duration(text_buffer *text, double seconds, int digits)
{
    const time_unit *unit = unit_for(fabs(seconds) * (1 + 0.5 * pow(10, -digits))); /* not 1000 us, but 1 ms */
    text_printf(text, "%.*g %s", digits, seconds / unit->seconds, unit->name);
}

void text_put_short(text_buffer *text, double number)
{
    static const char large[] = " kMGTPE", small[] = " mun";
    const char *prefix = large;
    double rest = fabs(number);
    for (; rest >= 999.5 && prefix[1]; prefix++)
        rest /= 1000;
    if (rest > 0 && rest < 0.0995)
        for (prefix = small; rest < 0.9995 && prefix[1]; prefix++)
            rest *= 1000;
    text_printf(text, "%.3g", number < 0 ? -rest : rest);
    if (*prefix != ' ')
        text_putc(text, *prefix);
}

double axis_step(double least)
{
    double power = pow(10, floor(log10(least)));
    return least <= power ? power : least <= 2 * power ? 2 * power : least <= 5 * power ? 5 * power : 10 * power;
}

int axis_decimals(double step)
{
    return (int)fmin(fmax(-floor(log10(step) + 1e-9), 0), 12);
}
