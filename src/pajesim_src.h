/* pajesim.h in its parts, in reading order: each uses only what stands above it.  amalgamate.sh pastes them into one
 * file; including this one in its place gives the same program, with errors that point at the parts. */

#ifndef PAJESIM_H
#define PAJESIM_H

#include "manual.h"
#include "config.h"
#include "api.h"
#include "api_travel.h"

#endif /* PAJESIM_H */

#if defined(PAJESIM_IMPLEMENTATION) && !defined(PAJESIM__IMPLEMENTED)
#define PAJESIM__IMPLEMENTED

#include "platform.h"
#include "arena.h"
#include "names.h"
#include "tree.h"
#include "table.h"
#include "seen.h"
#include "number.h"
#include "lex.h"
#include "fast.h"
#include "problems.h"
#include "model.h"
#include "definitions.h"
#include "decode.h"
#include "ends.h"
#include "close.h"
#include "resolve.h"
#include "types.h"
#include "containers.h"
#include "entities.h"
#include "links.h"
#include "simulate.h"
#include "begin.h"
#include "ahead.h"
#include "feed.h"
#include "finish.h"
#include "walk.h"
#include "checkpoint.h"
#include "own_fields.h"
#include "index_store.h"
#include "index_take.h"
#include "index_look.h"
#include "held.h"
#include "window.h"

#endif /* PAJESIM_IMPLEMENTATION */
