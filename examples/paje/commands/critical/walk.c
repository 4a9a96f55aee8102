/* In which state a place spends its time. */
#include "critical.h"

#include <math.h>

static array_of(begun_number) on; /* the states that are on from the mark to the present, the last one first */

void critical_walk(size_t place, double *mark, double time, critical_part *part)
{
    begun_set *open = &active_places.items[place].open;
    if (!(time > *mark))
        return;
    array_clear(&on);
    for (begun_number at = begun_before(open, 0, (begun_key){time, 0, 0}); at;
         at = begun_before(open, 0, begun_at(at)->key)) {
        *array_push(&on) = at;
        if (begun_at(at)->key.start <= *mark)
            break;
    }
    size_t class = ACTIVE_NONE;
    for (size_t i = on.count; i-- > 0;) {
        const begun_state *state = begun_at(on.items[i]);
        if (state->key.start > *mark) {
            if (*mark > -HUGE_VAL)
                part(place, class, *mark, state->key.start);
            *mark = state->key.start;
        }
        class = state->class;
    }
    if (*mark > -HUGE_VAL)
        part(place, class, *mark, time);
    if (*mark > -HUGE_VAL || open->count)
        *mark = time;
}
