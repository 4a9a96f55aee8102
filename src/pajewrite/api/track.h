/* Tracks: a container and a type that are bound once. */
#pragma once

#include "model.h"

#if !PAJEWRITE_RING
#ifdef __cplusplus
extern "C" {
#endif

/* The container and the type of many events, with their text as it is in each line.  All members are private.  A track
 * of zeros is off: its calls do nothing. */
typedef struct pajewrite_track {
    pajewrite *w;
    pajewrite_container container;
    pajewrite_type type;
    uint32_t size; /* of the text: a blank, the container, a blank, the type */
    char text[24];
} pajewrite_track;

#ifdef __cplusplus
}
#endif
#endif
