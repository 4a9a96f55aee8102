/* Options that change a struct are part of the names of functions, so that files with different ones do not link. */
#pragma once

#include "config.h"

/* Each option as a token that can be pasted. */
#if PAJEWRITE_RING
#define PAJEWRITE__RING_TOKEN 1
#else
#define PAJEWRITE__RING_TOKEN 0
#endif
#if PAJEWRITE_TABLE
#define PAJEWRITE__TABLE_TOKEN 1
#else
#define PAJEWRITE__TABLE_TOKEN 0
#endif
#if PAJEWRITE_DOUBLE
#define PAJEWRITE__DOUBLE_TOKEN 1
#else
#define PAJEWRITE__DOUBLE_TOKEN 0
#endif
#if PAJEWRITE_GAPS
#define PAJEWRITE__GAPS_TOKEN 1
#else
#define PAJEWRITE__GAPS_TOKEN 0
#endif
#if PAJEWRITE_TEXTS
#define PAJEWRITE__TEXTS_TOKEN 1
#else
#define PAJEWRITE__TEXTS_TOKEN 0
#endif
#if PAJEWRITE__HAS_STATES
#define PAJEWRITE__STATES_TOKEN 1
#else
#define PAJEWRITE__STATES_TOKEN 0
#endif
#if PAJEWRITE__HAS_EVENTS
#define PAJEWRITE__EVENTS_TOKEN 1
#else
#define PAJEWRITE__EVENTS_TOKEN 0
#endif
#if PAJEWRITE__HAS_VARIABLES
#define PAJEWRITE__VARIABLES_TOKEN 1
#else
#define PAJEWRITE__VARIABLES_TOKEN 0
#endif
#if PAJEWRITE__HAS_LINKS
#define PAJEWRITE__LINKS_TOKEN 1
#else
#define PAJEWRITE__LINKS_TOKEN 0
#endif
#if PAJEWRITE__HAS_FILES
#define PAJEWRITE__FILES_TOKEN 1
#else
#define PAJEWRITE__FILES_TOKEN 0
#endif

#define PAJEWRITE__PASTE(name, ring, table, gaps, texts, doubles, files, links, variables, events, states, \
                         fields_size) \
    name##__ring_##ring##_table_##table##_gaps_##gaps##_texts_##texts##_double_##doubles##_kinds_##files##links \
        ##variables##events##states##_fields_size_##fields_size
#define PAJEWRITE__PASTE_VALUES(name, ring, table, gaps, texts, doubles, files, links, variables, events, states, \
                                fields_size) \
    PAJEWRITE__PASTE(name, ring, table, gaps, texts, doubles, files, links, variables, events, states, fields_size)
#define PAJEWRITE__GUARDED(name) \
    PAJEWRITE__PASTE_VALUES(name, PAJEWRITE__RING_TOKEN, PAJEWRITE__TABLE_TOKEN, PAJEWRITE__GAPS_TOKEN, \
                            PAJEWRITE__TEXTS_TOKEN, PAJEWRITE__DOUBLE_TOKEN, PAJEWRITE__FILES_TOKEN, \
                            PAJEWRITE__LINKS_TOKEN, PAJEWRITE__VARIABLES_TOKEN, PAJEWRITE__EVENTS_TOKEN, \
                            PAJEWRITE__STATES_TOKEN, PAJEWRITE_FIELDS_SIZE)

/* The functions without which no context, event, fields or table of definitions can be used. */
#ifndef PAJEWRITE_DISABLE
#define pajewrite_init PAJEWRITE__GUARDED(pajewrite_init)
#define pajewrite_open PAJEWRITE__GUARDED(pajewrite_open)
#define pajewrite_announce PAJEWRITE__GUARDED(pajewrite_announce)
#define pajewrite_fields_of PAJEWRITE__GUARDED(pajewrite_fields_of)
#define pajewrite_write_ints PAJEWRITE__GUARDED(pajewrite_write_ints)
#define pajewrite_write PAJEWRITE__GUARDED(pajewrite_write)
#define pajewrite__ring_put PAJEWRITE__GUARDED(pajewrite__ring_put)
#endif
