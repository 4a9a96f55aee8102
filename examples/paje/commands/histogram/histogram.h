/* paje histogram: what its files share.
 *
 * bins.c counts durations in fine bins, series.c chooses the bins that are shown, print.c writes tables and CSV, draw.c
 * the picture, histogram.c is the command. */
#pragma once

#include "base/sum.h"
#include "command.h"

/* Fine bins hold numbers of the same first three digits: bin 900 * e + d - 100 begins at d * 10^(e-2), d from 100 to
 * 999. */
enum { FINE = 900, LEAST_EXPONENT = -330, MOST_EXPONENT = 309 };

typedef struct fine_bin {
    uint64_t count;
    sum time;
} fine_bin;

typedef struct histogram {
    pajesim_kind kind;
    pajesim_text type, value; /* value: or the path of the container; empty for all of a type */
    pajesim_text alias;       /* of the container; else empty */
    int has_twin;             /* another container has that path, too */
    uint32_t type_number;
    uint64_t count, zeros, negative; /* negative: of links that end before they start */
    sum time, negative_time;
    double least, most;
    int64_t lowest, highest; /* fine bins in use; lowest > highest: none is */
    fine_bin *decades[MOST_EXPONENT - LEAST_EXPONENT]; /* each FINE bins, or NULL */
} histogram;

/* A bin that is shown: fine bins from `first` to before `end`. */
typedef struct shown_bin {
    int64_t first, end;
    uint64_t count;
    double time;
} shown_bin;

typedef array_of(shown_bin) shown_bins;
typedef array_of(histogram) histograms_array;

extern histograms_array histograms;

/* ---- bins.c */

typedef enum histogram_key { HISTOGRAM_TYPE, HISTOGRAM_VALUE, HISTOGRAM_CONTAINER } histogram_key;
extern histogram_key histogram_by;
extern const char *histogram_value; /* a glob; NULL: all */
int histogram_closed(pajesim *sim, const pajesim_entity *entity);
void histogram_save(paje_run *run, text_buffer *to);
int histogram_join(paje_parcel *from);
/* The time at which a fine bin begins. */
double histogram_edge(int64_t bin);
/* The value that a share of all is not greater than, rounded down to three digits; NAN if it is negative. */
double histogram_percentile(const histogram *it, double share);
/* States first, then by time. */
void histogram_sort(void);
const fine_bin *histogram_fine(const histogram *it, int64_t bin);

/* ---- series.c */

/* Chooses at most `most` bins, whose edges have one to three digits. */
void histogram_choose(const histogram *it, size_t most, shown_bins *bins);

/* ---- print.c, draw.c */

/* The value, or the path of the container, with its alias if that is needed to tell it apart. */
void histogram_put_value(text_buffer *to, const histogram *it);
enum { HISTOGRAM_PERCENTILES = 6 };
extern const double histogram_shares[HISTOGRAM_PERCENTILES]; /* 0.05 to 0.99 */
void histogram_print_table(size_t most_bins);
void histogram_print_csv(size_t most_bins);
typedef struct histogram_picture {
    const char *title; /* NULL: none */
    int width;
    size_t most_bins;
    double seconds;     /* in the unit of the times */
    const char *reason; /* how that is known; NULL: by --unit, or nothing tells it */
} histogram_picture;
void histogram_draw(const histogram_picture *how);
