/* The tracepoints of bench/lttng.c; LTTng reads this file several times. */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER pajewrite_bench
#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "bench/lttng.h"

#if !defined(BENCH_LTTNG_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define BENCH_LTTNG_H

#include <lttng/tracepoint.h>
#include <stdint.h>

LTTNG_UST_TRACEPOINT_EVENT(pajewrite_bench, enter, LTTNG_UST_TP_ARGS(uint32_t, region),
                           LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(uint32_t, region, region)))
LTTNG_UST_TRACEPOINT_EVENT(pajewrite_bench, leave, LTTNG_UST_TP_ARGS(uint32_t, region),
                           LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(uint32_t, region, region)))

#endif

#include <lttng/tracepoint-event.h>
