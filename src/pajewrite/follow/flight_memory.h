/* The memory layout of a flight recorder. */
#pragma once

#include "../api/platform.h"
#include "../format/bytes.h"

#if PAJEWRITE_TABLE
/* The memory holds a header, a header for each segment, the definitions, and the segments.  Each text in it ends where
 * a line begins with '#'; the last byte of the memory is a newline, so that scans of text that changes meanwhile stop.
 * Headers are copied by memcpy, because the memory may have any alignment. */

typedef struct pajewrite__recorder {
    char magic[8];
    uint64_t definitions_size, segment_size, segments;
} pajewrite__recorder;

typedef struct pajewrite__segment {
    uint64_t number; /* ordinal number of the segment, from 1 on; 0: it is empty */
    uint64_t events; /* offset of the end of its snapshot */
    uint64_t before; /* number of records written before it */
} pajewrite__segment;

static const char pajewrite__magic[] = "PajeFly1";

enum { PAJEWRITE__SEGMENTS_MAX = 64 };
typedef char pajewrite__PAJEWRITE_SEGMENTS_is_2_to_64[(PAJEWRITE_SEGMENTS) >= 2 &&
                                                      (PAJEWRITE_SEGMENTS) <= PAJEWRITE__SEGMENTS_MAX ? 1 : -1];

/* Stores the header of a segment after all that the segment holds, and its number last, so that a reader on another
 * core that sees the number sees the rest. */
PAJEWRITE__UNTRACED
static void pajewrite__put_segment(char *note, const pajewrite__segment *segment)
{
    const size_t first = sizeof segment->number;
    memcpy(note + first, (const char *)segment + first, sizeof *segment - first);
    PAJEWRITE__RELEASE();
    memcpy(note, &segment->number, first);
}

PAJEWRITE__UNTRACED
static size_t pajewrite__flight_header_size(size_t segments)
{
    return sizeof(pajewrite__recorder) + segments * sizeof(pajewrite__segment);
}

/* Skips n words without quotes. */
PAJEWRITE__UNTRACED
static const char *pajewrite__skip_words(const char *line, int n)
{
    for (; n && *line != '\n'; line++)
        n -= *line == ' ';
    return line;
}
#endif
