/* Options that change a struct are part of the names of functions, so that files with different ones do not link.  In
 * shared libraries, each of which has a copy of the header, they keep a dynamic linker, which takes the first function
 * of a name for all, from mixing those that would write beyond a struct or into the trace of other options. */
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
                         fields_size, major, minor) \
    name##__ring_##ring##_table_##table##_gaps_##gaps##_texts_##texts##_double_##doubles##_kinds_##files##links \
        ##variables##events##states##_fields_size_##fields_size##_version_##major##_##minor
#define PAJEWRITE__PASTE_VALUES(name, ring, table, gaps, texts, doubles, files, links, variables, events, states, \
                                fields_size, major, minor) \
    PAJEWRITE__PASTE(name, ring, table, gaps, texts, doubles, files, links, variables, events, states, fields_size, \
                     major, minor)
#define PAJEWRITE__GUARDED(name) \
    PAJEWRITE__PASTE_VALUES(name, PAJEWRITE__RING_TOKEN, PAJEWRITE__TABLE_TOKEN, PAJEWRITE__GAPS_TOKEN, \
                            PAJEWRITE__TEXTS_TOKEN, PAJEWRITE__DOUBLE_TOKEN, PAJEWRITE__FILES_TOKEN, \
                            PAJEWRITE__LINKS_TOKEN, PAJEWRITE__VARIABLES_TOKEN, PAJEWRITE__EVENTS_TOKEN, \
                            PAJEWRITE__STATES_TOKEN, PAJEWRITE_FIELDS_SIZE, PAJEWRITE_VERSION_MAJOR, \
                            PAJEWRITE_VERSION_MINOR)

/* The functions without which no context, header, event, fields, table of definitions or zone can be used. */
#ifndef PAJEWRITE_DISABLE
#define pajewrite_init PAJEWRITE__GUARDED(pajewrite_init)
#define pajewrite_open PAJEWRITE__GUARDED(pajewrite_open)
#define pajewrite_announce PAJEWRITE__GUARDED(pajewrite_announce)
#define pajewrite_header PAJEWRITE__GUARDED(pajewrite_header)
#define pajewrite_fields_of PAJEWRITE__GUARDED(pajewrite_fields_of)
#define pajewrite_field_int PAJEWRITE__GUARDED(pajewrite_field_int)
#define pajewrite_field_hex PAJEWRITE__GUARDED(pajewrite_field_hex)
#define pajewrite_field_string PAJEWRITE__GUARDED(pajewrite_field_string)
#define pajewrite_field_double PAJEWRITE__GUARDED(pajewrite_field_double)
#define pajewrite_write_ints PAJEWRITE__GUARDED(pajewrite_write_ints)
#define pajewrite_write PAJEWRITE__GUARDED(pajewrite_write)
#define pajewrite__ring_put PAJEWRITE__GUARDED(pajewrite__ring_put)
#define pajewrite_begin PAJEWRITE__GUARDED(pajewrite_begin)
#define pajewrite_end PAJEWRITE__GUARDED(pajewrite_end)
#define pajewrite_here PAJEWRITE__GUARDED(pajewrite_here)
#define pajewrite_here_container PAJEWRITE__GUARDED(pajewrite_here_container)
#define pajewrite__enter_zone PAJEWRITE__GUARDED(pajewrite__enter_zone)
#define pajewrite__leave_zone PAJEWRITE__GUARDED(pajewrite__leave_zone)
#define pajewrite__mark PAJEWRITE__GUARDED(pajewrite__mark)
#define pajewrite__plot PAJEWRITE__GUARDED(pajewrite__plot)
#define pajewrite__plot_shared PAJEWRITE__GUARDED(pajewrite__plot_shared)
#define pajewrite__message_out PAJEWRITE__GUARDED(pajewrite__message_out)
#define pajewrite__message_in PAJEWRITE__GUARDED(pajewrite__message_in)
#endif
