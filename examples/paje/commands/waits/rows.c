/* The sums. */
#include "waits.h"

enum { MOST_ROWS = 200000 };

static hash_map keys;
waits_rows_array waits_rows;

/* Beyond MOST_ROWS, one row of each pattern stands for all others. */
static waits_row *row_of(waits_pattern pattern, size_t container, size_t partner, size_t class)
{
    size_t key[] = {pattern, container, partner, class};
    size_t number = map_find(&keys, key, sizeof key);
    if (number != MAP_NONE)
        return &waits_rows.items[number];
    if (keys.used >= MOST_ROWS && container != ACTIVE_NONE)
        return row_of(pattern, ACTIVE_NONE, ACTIVE_NONE, ACTIVE_NONE);
    waits_row *row = array_at(&waits_rows, map_add(&keys, key, sizeof key));
    row->pattern = pattern;
    row->container = container;
    row->partner = partner;
    row->class = class;
    return row;
}

void waits_add(waits_pattern pattern, size_t container, size_t partner, size_t class, double start, double end)
{
    start = start < waits_options.start ? waits_options.start : start;
    end = end > waits_options.end ? waits_options.end : end;
    if (!(end > start))
        return;
    waits_row *row = row_of(pattern, container, partner, class);
    row->count++;
    sum_add(&row->total, end - start);
    if (end - start > row->most)
        row->most = end - start;
}
