/* A reader of one stream, whose arena grows as needed.  Times are integer nanoseconds, so that sums do not depend on
 * their order; the cache is small, as there is a reader for each stream. */
#pragma once

#define PAJESIM_TIME_DECIMALS 9
#define PAJESIM_VALUE_DECIMALS 6
#define PAJESIM_CACHE 16
#define PAJESIM_TRAVEL 0
#include "pajesim.h"

enum { READER_LINKS = 8, READER_WORD = 12 };

typedef struct reader {
    pajesim sim; /* first: callbacks have its address */
    void *arena;
    pajesim_callbacks callbacks;
    /* Links are left out: their other ends are in the streams of other actors, so that the simulation would wait for
     * these for ever, and its memory grow. */
    char links[READER_LINKS][READER_WORD]; /* first words of their lines */
    size_t link_sizes[READER_LINKS], link_count;
    char word[READER_WORD]; /* the first word of a line, as far as it has come */
    size_t word_size;
    int in_line;            /* behind that word */
    int is_link;            /* in a line that is left out */
} reader;

/* Begins; `it` must stay where it is.  `data`: pajesim_data in callbacks.  Ends the program if there is no memory. */
void reader_begin(reader *it, const pajesim_callbacks *callbacks, void *data);
/* Takes bytes, in pieces of any size.  Bad lines are refused and counted.  Other files, which a line may name, are not
 * read. */
void reader_bytes(reader *it, const char *bytes, size_t size);
/* Ends the stream; returns how many lines were refused. */
uint64_t reader_end(reader *it);

/* Whether a text is that. */
int reader_is(pajesim_text text, const char *string);
/* The number that a name ends with, 0 if it ends with none. */
uint32_t reader_number(pajesim_text name);
/* The integer of a user field; 0 if it has none. */
int64_t reader_field(const pajesim *sim, const pajesim_fields *fields, const char *name);
