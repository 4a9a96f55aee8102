/* Times as text. */
#pragma once

#include "../api/context.h"
#include "numbers.h"

/* Writes any time, with a division. */
PAJEWRITE__UNTRACED
static char *pajewrite__put_any_time(const pajewrite *w, char *p, uint64_t time)
{
    uint64_t ticks = time - w->config.origin, seconds = ticks / w->ticks_per_second;
    p = pajewrite__put_u64(p, seconds);
    if (w->decimals) {
        *p = '.';
        pajewrite__put_nine(p + 1, (uint32_t)(ticks - seconds * w->ticks_per_second) * w->scale);
        p += 1 + w->decimals;
    }
    return p;
}

/* Writes a time in the second of w->prefix, in ticks from its start. */
PAJEWRITE__INLINE char *pajewrite__put_ticks(const pajewrite *w, char *p, uint64_t ticks)
{
    memcpy(p, w->prefix, sizeof w->prefix);
    p += w->prefix_size;
    pajewrite__put_nine(p, (uint32_t)ticks * w->scale);
    return p + w->decimals;
}

PAJEWRITE__INLINE char *pajewrite__put_time(const pajewrite *w, char *p, uint64_t time)
{
    return pajewrite__put_ticks(w, p, time - w->second_start);
}
