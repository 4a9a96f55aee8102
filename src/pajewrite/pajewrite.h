#include "api/manual.h"

#ifndef PAJEWRITE_H
#define PAJEWRITE_H

#include "api/config.h"
#include "api/guard.h"
#include "api/model.h"
#include "api/definitions.h"
#include "api/track.h"
#if PAJEWRITE_RING
#include "api/ring_context.h"
#else
#include "api/context.h"
#endif
#ifdef PAJEWRITE_DISABLE
#include "api/disabled.h"
#else
#include "api/calls.h"
#if PAJEWRITE_RING
#include "api/ring_calls.h"
#endif
#endif
#include "api/scope.h"
#include "api/host.h"
#include "api/open.h"
#include "api/zones.h"

#endif /* PAJEWRITE_H */

#if defined(PAJEWRITE_IMPLEMENTATION) && !defined(PAJEWRITE__IMPLEMENTED)
#define PAJEWRITE__IMPLEMENTED

/* ---- also where calls are compiled out */

#include "api/platform.h"
#include "host/stream.h"
#include "host/monotonic.h"
#include "host/tsc.h"
#include "host/owner.h"
#include "host/descriptor.h"
#include "host/holes.h"
#include "host/file.h"
#include "host/peer.h"
#include "host/fork.h"
#include "host/map.h"
#include "host/blocks.h"
#include "format/status.h"

#ifndef PAJEWRITE_DISABLE

/* ---- numbers: small ones for microcontrollers, fast ones for all others */

#if PAJEWRITE_RING
#include "format/small_numbers.h"
#else
#include "format/bytes.h"
#include "format/numbers.h"
#endif
#include "format/doubles.h"

/* ---- the rest of the writer, of which there are two */

#if PAJEWRITE_RING

#include "ring/platform.h"
#include "ring/words.h"
#include "ring/record.h"
#include "ring/drain.h"
#include "ring/context.h"

#else

#include "format/times.h"
#include "format/names.h"
#include "format/kinds.h"
#include "core/record.h"
#include "core/definition.h"
#include "core/line.h"
#include "follow/table.h"
#include "follow/check.h"
#include "follow/state.h"
#include "follow/flight_memory.h"
#include "follow/flight.h"
#include "follow/dump.h"
#include "follow/attach.h"
#include "follow/flush.h"
#include "follow/event.h"
#include "follow/finish.h"
#include "calls/forms.h"
#include "calls/any.h"
#include "calls/fast.h"
#include "calls/aliases.h"
#include "calls/fields.h"
#include "calls/window.h"
#include "calls/ints.h"
#include "calls/track.h"
#include "calls/context.h"
#include "calls/open.h"
#include "zones/process.h"
#include "zones/output.h"
#include "zones/open.h"
#include "zones/thread.h"
#include "zones/end.h"
#include "zones/zones.h"

#endif
#endif

#endif /* PAJEWRITE_IMPLEMENTATION */
