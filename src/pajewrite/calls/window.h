/* Times of events that follow each other closely: what times of one window of a million ticks begin with is made once,
 * so that six digits are left for each event.  Only with 9 decimals. */
#pragma once

#include "fast.h"

/* Makes the window that this time is in.  Returns 0 if there is none; nothing is refused then.  Where events are
 * farther apart than a window, each needs it. */
PAJEWRITE__NOINLINE int pajewrite__new_window(pajewrite *w, uint64_t time)
{
    uint32_t start, digits;
    char *p;
    if (w->decimals != 9 || w->stopped || time < w->config.origin ||
        (time - w->second_start >= w->second_ticks && !pajewrite__new_second(w, time)))
        return 0;
    digits = (uint32_t)(time - w->second_start) / 1000000;
    start = digits * 1000000;
    memcpy(w->window, w->prefix, sizeof w->window);
    p = w->window + w->prefix_size;
    *p = (char)('0' + digits / 100);
    pajewrite__put_2(p + 1, digits % 100);
    w->window_size = w->prefix_size + 3;
    w->window_start = w->second_start + start;
    w->window_ticks = w->second_ticks - start < 1000000 ? w->second_ticks - start : 1000000;
    return 1;
}

/* Makes the window that is `ticks` after the start of this one.  Returns the ticks in the new one;
 * PAJEWRITE__NO_TICKS: there is none.  The time is not passed, so that no register has to keep it. */
PAJEWRITE__COLD uint64_t pajewrite__next_window(pajewrite *w, uint64_t ticks)
{
    const uint64_t time = w->window_start + ticks;
    return pajewrite__new_window(w, time) ? time - w->window_start : PAJEWRITE__NO_TICKS;
}

/* Writes the time that is `ticks` after the window's start. */
PAJEWRITE__INLINE char *pajewrite__put_window_time(const pajewrite *w, char *p, uint64_t ticks)
{
    const uint32_t hundreds = (uint32_t)ticks / 100, tens_of_thousands = hundreds / 100;
    PAJEWRITE__ASSERT(ticks < w->window_ticks);
    memcpy(p, w->window, sizeof w->window);
    p = pajewrite__put_2(p + w->window_size, tens_of_thousands);
    p = pajewrite__put_2(p, hundreds - tens_of_thousands * 100);
    return pajewrite__put_2(p, (uint32_t)ticks - hundreds * 100);
}
