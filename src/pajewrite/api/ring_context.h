/* The context of the ring. */
#pragma once

#include "definitions.h"

struct pajewrite {
    uint8_t text_left;         /* bytes of text in front of the ring that are ready to be read */
    uint8_t quote;             /* within a text: the byte that ends it; 1: none */
    uint8_t kinds_left;        /* kinds of events that the header has still to define */
    uint8_t status;
    uint16_t size, head, tail; /* of the ring, in units: its size; where the next record begins; where draining is */
    uint16_t next;             /* end of the record being written; `size`: the record does not fit */
    uint16_t tag;              /* of the line being drained; 0: none */
    uint16_t entries_left;     /* of the table of definitions, still to be written */
    uint16_t *units;           /* the ring */
    uint16_t *stack_top;       /* of the stack of words, in front of the ring */
    const uint16_t *rom_numbers; /* numbers of a table entry; NULL: numbers come from the ring */
    const char *rom_text;      /* text of a table entry */
    const pajewrite_definition *rom_entry;
    uint32_t enabled, dropped;
#if PAJEWRITE_GAPS
    uint32_t gap_count;        /* dropped, and not reported yet */
    uint64_t gap_first;        /* time of the first of these */
    uint64_t latest;           /* the greatest time so far */
#endif
};
