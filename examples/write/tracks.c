/* Solves a system of equations, traced by tracks: each binds a container and a type once, which makes its many events
 * cheap.  usage: tracks FILE [UNKNOWNS] */
#define _POSIX_C_SOURCE 200809L
#define PAJEWRITE_IMPLEMENTATION
#include "pajewrite.h"

#include <stdio.h>
#include <stdlib.h>

enum { THREAD = 1, PHASE, CHANGED, MAIN = 1, SWEEP = 1, CHECK, MOST = 100000 };

static double x[MOST + 2];

/* Moves each unknown towards the mean of its neighbours.  Returns how many changed much. */
static long sweep(long count)
{
    long changed = 0;
    for (long i = 1; i <= count; i++) {
        double before = x[i];
        x[i] = (x[i - 1] + x[i + 1] + 1.0 / (double)i) / 2;
        changed += x[i] - before > 1e-3;
    }
    return changed;
}

int main(int argc, char **argv)
{
    static pajewrite_trace trace;
    pajewrite_track phase, changes;
    long count = argc > 2 ? atol(argv[2]) : 100, changed = 1, sweeps = 0;
    if (argc < 2 || count < 1 || count > MOST) {
        fputs("usage: tracks FILE [UNKNOWNS]\n", stderr);
        return 2;
    }
    pajewrite *w = pajewrite_open(&trace, argv[1]);
    pajewrite_define_container_type(w, PAJEWRITE_TYPE(THREAD), PAJEWRITE_ROOT_TYPE, "Thread");
    pajewrite_define_state_type(w, PAJEWRITE_TYPE(PHASE), PAJEWRITE_TYPE(THREAD), "Phase");
    pajewrite_define_value(w, PAJEWRITE_VALUE(SWEEP), PAJEWRITE_TYPE(PHASE), "sweep", "0.2 0.7 0.3");
    pajewrite_define_value(w, PAJEWRITE_VALUE(CHECK), PAJEWRITE_TYPE(PHASE), "check", "0.8 0.5 0.2");
    pajewrite_define_variable_type(w, PAJEWRITE_TYPE(CHANGED), PAJEWRITE_TYPE(THREAD), "Changed", "0.2 0.4 0.8");
    pajewrite_create_container(w, PAJEWRITE_CONTAINER(MAIN), PAJEWRITE_TYPE(THREAD), PAJEWRITE_ROOT, "main");

    /* Once for each container and type, after which a call names neither. */
    pajewrite_track_init(&phase, w, PAJEWRITE_CONTAINER(MAIN), PAJEWRITE_TYPE(PHASE));
    pajewrite_track_init(&changes, w, PAJEWRITE_CONTAINER(MAIN), PAJEWRITE_TYPE(CHANGED));
    while (changed) {
        pajewrite_track_push_state(&phase, PAJEWRITE_VALUE(SWEEP));
        changed = sweep(count);
        pajewrite_track_pop_state(&phase);
        pajewrite_track_push_state(&phase, PAJEWRITE_VALUE(CHECK));
        pajewrite_track_set_variable(&changes, changed);
        sweeps++;
        pajewrite_track_pop_state(&phase);
    }
    pajewrite_destroy_container(w, PAJEWRITE_CONTAINER(MAIN), PAJEWRITE_TYPE(THREAD));
    printf("%ld sweeps, %.6f\n", sweeps, x[count / 2 + 1]);
    pajewrite_status status = pajewrite_close(&trace);
    if (status) {
        fprintf(stderr, "tracks: %s: %s\n", argv[1], pajewrite_status_text(status));
        return 1;
    }
    return 0;
}
