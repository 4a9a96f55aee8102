/* The two forms of each event: at the time of the clock, and _at a time. */
#pragma once

#include "../api/context.h"
#include "../api/platform.h"
#include "../core/record.h"

/* The categories that are enabled in all contexts. */
static uint32_t pajewrite__enabled_everywhere = UINT32_MAX;

PAJEWRITE__INLINE int pajewrite__is_enabled(const pajewrite *w, pajewrite_type type)
{
    uint32_t enabled = PAJEWRITE__LOAD_RELAXED(&w->enabled);
    PAJEWRITE__MASK_RELAXED(enabled, &pajewrite__enabled_everywhere);
    return PAJEWRITE__LIKELY(enabled >> (type.alias >> 27) & 1) != 0;
}

/* Refuses an event of a kind that PAJEWRITE_KINDS leaves out: readers could not tell what its line is. */
PAJEWRITE__COLD void pajewrite__refuse_kind(pajewrite *w)
{
    if (!pajewrite__enter(w))
        return;
    pajewrite__refuse(w, PAJEWRITE_E_KIND);
    pajewrite__end_call(w);
}

/* Calls a function that writes an event of a kind, which is a constant. */
#define PAJEWRITE__CALL_IF_PRESENT(w, kind, call) \
    do { \
        if (PAJEWRITE__PRESENT >> (kind) & 1) \
            call; \
        else \
            pajewrite__refuse_kind(w); \
    } while (0)

/* Defines the public functions NAME and NAME_at, of a function that reads the clock if `now` is 1. */
#define PAJEWRITE__LIST(...) __VA_ARGS__
#define PAJEWRITE__FORMS(name, parameters, function, kind, ...) \
    PAJEWRITE_API void pajewrite_##name(pajewrite *w, PAJEWRITE__LIST parameters) \
    { \
        if (pajewrite__is_enabled(w, type)) \
            PAJEWRITE__CALL_IF_PRESENT(w, kind, function(w, kind, 1, 0, __VA_ARGS__)); \
    } \
    PAJEWRITE_API void pajewrite_##name##_at(pajewrite *w, uint64_t time, PAJEWRITE__LIST parameters) \
    { \
        if (pajewrite__is_enabled(w, type)) \
            PAJEWRITE__CALL_IF_PRESENT(w, kind, function(w, kind, 0, time, __VA_ARGS__)); \
    }
