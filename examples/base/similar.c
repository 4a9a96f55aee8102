/* Words that are spelled alike. */
#include "base/similar.h"

#include <string.h>

enum { LONGEST = 40 };

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* How many letters must be added, left out, replaced, or swapped with the next one, to make one word of the other. */
static size_t distance_of(const char *a, size_t m, const char *b, size_t n)
{
    size_t rows[3][LONGEST + 1], *before = rows[0], *above = rows[1], *row = rows[2];
    for (size_t k = 0; k <= n; k++)
        above[k] = k;
    for (size_t i = 1; i <= m; i++) {
        row[0] = i;
        for (size_t k = 1; k <= n; k++) {
            row[k] = least(least(above[k], row[k - 1]) + 1, above[k - 1] + (a[i - 1] != b[k - 1]));
            if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1])
                row[k] = least(row[k], before[k - 2] + 1);
        }
        size_t *oldest = before;
        before = above;
        above = row;
        row = oldest;
    }
    return above[n];
}

void similar_offer(similar_name *it, const char *name)
{
    size_t m = strlen(it->word), n = strlen(name);
    if (m == 0 || m > LONGEST || n > LONGEST)
        return;
    size_t most = m <= 3 ? 1 : m <= 6 ? 2 : 3, distance = distance_of(it->word, m, name, n);
    if (distance > most || distance >= m || (it->name && distance >= it->distance))
        return;
    it->name = name;
    it->distance = distance;
}
