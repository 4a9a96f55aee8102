#include "choose.h"

#include "feed.h"
#include "tunlets/tunlets.h"

#include <string.h>

static const struct {
    const char *name;
    const tunlet *of;
} known[] = {{"workers", &tunlet_workers},
             {"workers-as-printed", &tunlet_workers_as_printed},
             {"factoring", &tunlet_factoring},
             {"pipeline", &tunlet_pipeline},
             {"kernels", &tunlet_kernels},
             {"chunk", &tunlet_chunk},
             {"threads", &tunlet_threads},
             {"time", &tunlet_iteration_time}};

int choose(const char *name, const tunlet **list, size_t *count)
{
    size_t i;
    for (i = 0; i < sizeof known / sizeof *known && *count < FEED_TUNLETS; i++)
        if (strcmp(known[i].name, name) == 0) {
            list[(*count)++] = known[i].of;
            return 1;
        }
    return 0;
}
