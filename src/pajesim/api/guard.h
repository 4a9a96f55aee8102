/* Options that change a struct are part of the names of functions, so that files with different ones do not link: the
 * linker's message says which options the file at hand was compiled with. */
#pragma once

#include "config.h"

/* Each option as a token that can be pasted. */
#if PAJESIM_REFERENCE == 16
#define PAJESIM__REFERENCE_TOKEN 16
#else
#define PAJESIM__REFERENCE_TOKEN 32
#endif
#if PAJESIM_TIME_DECIMALS < 0
#define PAJESIM__TIME_TOKEN double
#else
#define PAJESIM__TIME_TOKEN PAJESIM_TIME_DECIMALS
#endif
#if PAJESIM_VALUE_DECIMALS < 0
#define PAJESIM__VALUE_TOKEN double
#else
#define PAJESIM__VALUE_TOKEN PAJESIM_VALUE_DECIMALS
#endif
#if PAJESIM_TRAVEL
#define PAJESIM__TRAVEL_TOKEN 1
#else
#define PAJESIM__TRAVEL_TOKEN 0
#endif
#if PAJESIM_SIMD > 1
#define PAJESIM__SIMD_TOKEN 2
#elif PAJESIM_SIMD
#define PAJESIM__SIMD_TOKEN 1
#else
#define PAJESIM__SIMD_TOKEN 0
#endif

#define PAJESIM__PASTE(name, reference, time, value, travel, simd, cache) \
    name##__reference_##reference##_time_decimals_##time##_value_decimals_##value##_travel_##travel##_simd_##simd \
        ##_cache_##cache
#define PAJESIM__PASTE_VALUES(name, reference, time, value, travel, simd, cache) \
    PAJESIM__PASTE(name, reference, time, value, travel, simd, cache)
#define PAJESIM__GUARDED(name) \
    PAJESIM__PASTE_VALUES(name, PAJESIM__REFERENCE_TOKEN, PAJESIM__TIME_TOKEN, PAJESIM__VALUE_TOKEN, \
                          PAJESIM__TRAVEL_TOKEN, PAJESIM__SIMD_TOKEN, PAJESIM_CACHE)

/* The functions by which a simulation or a window begins. */
#define pajesim_init PAJESIM__GUARDED(pajesim_init)
#define pajesim_restore PAJESIM__GUARDED(pajesim_restore)
#if PAJESIM_TRAVEL
#define pajesim_index_restore PAJESIM__GUARDED(pajesim_index_restore)
#define pajesim_index_resume PAJESIM__GUARDED(pajesim_index_resume)
#define pajesim_window_init PAJESIM__GUARDED(pajesim_window_init)
#endif
