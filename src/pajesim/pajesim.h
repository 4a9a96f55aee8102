/* The parts of pajesim.h.  src/amalgamate.sh pastes them into one file; this file may be included in its place, so that
 * errors and debuggers point at the parts. */

#ifndef PAJESIM_H
#define PAJESIM_H

#include "api/manual.h"
#include "api/config.h"
#include "api/guard.h"
#include "api/types.h"
#include "api/events.h"
#include "api/problems.h"
#include "api/api.h"
#include "api/travel.h"
#include "api/chunks.h"

#endif /* PAJESIM_H */

#if defined(PAJESIM_IMPLEMENTATION) && !defined(PAJESIM__IMPLEMENTED)
#define PAJESIM__IMPLEMENTED

#include "memory/platform.h"
#include "memory/simd.h"
#include "memory/arena.h"
#include "memory/identifiers.h"
#include "memory/critbit.h"
#include "memory/table.h"
#include "memory/used_ids.h"

#include "text/line.h"
#include "text/lex.h"
#include "text/cut.h"
#include "text/scan.h"
#include "text/number.h"

#include "model/state.h"
#include "model/model.h"
#include "model/cache.h"
#include "model/problems.h"
#include "model/files.h"
#include "model/events.h"
#include "model/definition.h"
#include "model/commit.h"
#include "model/header.h"
#include "model/fields.h"
#include "model/resolve.h"

#include "simulation/watch.h"
#include "simulation/entity.h"
#include "simulation/evict.h"
#include "simulation/close.h"
#include "simulation/naming.h"
#include "simulation/types.h"
#include "simulation/values.h"
#include "simulation/containers.h"
#include "simulation/place.h"
#include "simulation/states.h"
#include "simulation/links.h"
#include "simulation/trace_file.h"
#include "simulation/simulate.h"

#include "run/lifecycle.h"
#include "run/line_step.h"
#include "run/prefetch.h"
#include "run/batch.h"
#include "run/carry.h"
#include "run/digest.h"
#include "run/feed.h"
#include "run/finish.h"

#include "travel/walk.h"
#include "travel/check_blocks.h"
#include "travel/check_image.h"
#include "travel/image.h"
#include "travel/index_store.h"
#include "travel/index_records.h"
#include "travel/check_index.h"
#include "travel/index_query.h"
#include "travel/index_build.h"
#include "travel/budget.h"
#include "travel/part.h"
#include "travel/window.h"
#include "travel/chunk_tracks.h"
#include "travel/chunk_links.h"
#include "travel/chunk_plain.h"
#include "travel/chunk.h"

#endif /* PAJESIM_IMPLEMENTATION */
