/* A user of the reader, compiled apart from its implementation, with other flags of the compiler: nothing around its
 * structs is written to, and all of a trace is seen.  Times and values are integers: some flags allow no doubles. */
#include "pajesim.h"

#include <stdio.h>
#include <string.h>

static const char trace[] =
    "%EventDef PajeDefineContainerType 1\n% Name string\n% Type string\n%EndEventDef\n"
    "%EventDef PajeDefineStateType 2\n% Name string\n% Type string\n%EndEventDef\n"
    "%EventDef PajeCreateContainer 3\n% Time date\n% Name string\n% Type string\n% Container string\n%EndEventDef\n"
    "%EventDef PajeSetState 4\n% Time date\n% Type string\n% Container string\n% Value string\n%EndEventDef\n"
    "1 P 0\n2 S P\n3 0 a P 0\n3 0 b P 0\n"
    "4 1 S a x\n4 1 S b x\n4 2 S a y\n4 2 S b y\n4 3 S a z\n4 3 S b z\n";

static struct {
    unsigned char before[64];
    pajesim sim;
    unsigned char between[64];
    pajesim_index index;
    unsigned char behind[64];
    pajesim_window window;
    unsigned char after[64];
} all;
static uint64_t arena[1 << 12], block[1 << 14], window_block[1 << 14];

static int closed(pajesim *sim, const pajesim_entity *entity)
{
    int *states = (int *)pajesim_data(sim);
    *states += entity->kind == PAJESIM_STATE && entity->end - entity->start == 1000000000;
    return PAJESIM_GO_ON;
}

static size_t read_trace(void *data, uint64_t offset, const void **bytes, size_t most)
{
    size_t left = sizeof trace - 1 - (size_t)offset;
    (void)data;
    *bytes = trace + offset;
    return left < most ? left : most;
}

static int is_clear(const unsigned char *bytes)
{
    size_t i;
    for (i = 0; i < 64; i++)
        if (bytes[i] != 0xA5)
            return 0;
    return 1;
}

#define EXPECT(what) \
    if (!(what)) \
    return fprintf(stderr, "apart: not so: %s\n", #what), 1

int main(void)
{
    pajesim_callbacks callbacks;
    int states = 0, shown = 0;
    memset(&callbacks, 0, sizeof callbacks);
    callbacks.closed = closed;
    memset(&all, 0xA5, sizeof all);
    EXPECT(pajesim_version() == PAJESIM_VERSION);
    EXPECT(pajesim_init(&all.sim, arena, sizeof arena, NULL, &callbacks, &states) == PAJESIM_OK);
    EXPECT(pajesim_index_init(&all.index, block, sizeof block, NULL) == PAJESIM_OK);
    EXPECT(pajesim_index_begin(&all.index, &all.sim) == PAJESIM_OK);
    EXPECT(pajesim_feed(&all.sim, trace, sizeof trace - 1, NULL) == PAJESIM_OK);
    EXPECT(pajesim_index_finish(&all.index, &all.sim) == PAJESIM_OK);
    EXPECT(states == 4 && pajesim_count(&all.sim)->states == 6);
    EXPECT(pajesim_window_init(&all.window, window_block, sizeof window_block, &all.index, NULL, read_trace, NULL) ==
           PAJESIM_OK);
    EXPECT(pajesim_window_show(&all.window, 0, 4000000000, &callbacks, &shown) == PAJESIM_OK);
    EXPECT(shown == 4);
    EXPECT(is_clear(all.before) && is_clear(all.between) && is_clear(all.behind) && is_clear(all.after));
    return 0;
}
