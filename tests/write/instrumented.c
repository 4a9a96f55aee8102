/* Every function is a state: by -finstrument-functions, whose hook calls the writer.  Functions of the writer itself
 * must not call the hook, neither those of its macros.  Prints the trace. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#define PAJEWRITE_ZONES 1
#define PAJEWRITE_IMPLEMENTATION
#include "pajewrite.h"
#include <stdio.h>

PAJEWRITE_MAIN("off");

static pajewrite w;
static unsigned depth, deepest, entered, strangers;
int work(int n);

#ifdef __cplusplus
extern "C" {
#endif
void __cyg_profile_func_enter(void *function, void *caller) __attribute__((no_instrument_function));
void __cyg_profile_func_exit(void *function, void *caller) __attribute__((no_instrument_function));

void __cyg_profile_func_enter(void *function, void *caller)
{
    (void)caller;
    if (++depth > deepest)
        deepest = depth;
    if (depth > 1 && function != (void *)(uintptr_t)&work)
        strangers++;
    entered++;
    if (depth < 50) { /* else it never ends */
        PAJEWRITE_SCOPE(&w, PAJEWRITE_ROOT, PAJEWRITE_TYPE(1), PAJEWRITE_VALUE(1));
        pajewrite_set_variable_double(&w, PAJEWRITE_ROOT, PAJEWRITE_TYPE(2), depth);
        PAJEWRITE_ZONE("function");
        PAJEWRITE_MARK("mark");
        PAJEWRITE_PLOT_SHARED("depth", depth);
    }
}

void __cyg_profile_func_exit(void *function, void *caller)
{
    (void)function, (void)caller;
    depth--;
}
#ifdef __cplusplus
}
#endif

int work(int n) { return n ? work(n - 1) : 0; }

int main(void)
{
    static char buffer[4096];
    pajewrite_config config = PAJEWRITE_CONFIG;
    config.sink = pajewrite_to_stream;
    config.sink_data = stdout;
    pajewrite_init(&w, buffer, sizeof buffer, &config);
    work(3);
    pajewrite_finish(&w);
    pajewrite_begin("/dev/null");
    work(3);
    pajewrite_end();
    return deepest != 5 || strangers || entered != 9;
}
