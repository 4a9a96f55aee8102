#include "decide.h"

#include <stdlib.h>

enum { REFUSED = 64 };

static int64_t median(const int64_t *numbers, int count)
{
    int64_t sorted[DECIDE_MOST] = {0};
    int i, k;
    for (i = 0; i < count; i++) {
        for (k = i; k > 0 && sorted[k - 1] > numbers[i]; k--)
            sorted[k] = sorted[k - 1];
        sorted[k] = numbers[i];
    }
    return sorted[count / 2];
}

int decide(decider *it, const tunlet_point *point, int64_t current, int64_t wanted, int64_t *value)
{
    const int64_t bounded = wanted < it->min ? it->min : wanted > it->max ? it->max : wanted;
    const int64_t distance = bounded > current ? bounded - current : current - bounded;
    if (it->is_pending && current != it->pending && ++it->waited < REFUSED)
        return 0; /* iterations that had begun before */
    it->is_pending = 0;
    if (current != it->current || distance <= point->tolerance ||
        (it->count > 0 && (bounded > current) != (it->wanted[0] > current)))
        it->count = 0;
    it->current = current;
    if (distance <= point->tolerance)
        return 0;
    it->wanted[it->count++] = bounded;
    if (it->count < it->persistence)
        return 0;
    *value = median(it->wanted, it->count);
    it->count = 0;
    it->pending = *value;
    it->is_pending = 1;
    it->waited = 0;
    return 1;
}

int decide_read_persistence(const char *text, int *persistence)
{
    char *end;
    const long number = strtol(text, &end, 10);
    if (end == text || *end || number < 1 || number > DECIDE_MOST)
        return 0;
    *persistence = (int)number;
    return 1;
}
