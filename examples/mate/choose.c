#include "choose.h"

#include "feed.h"
#include "tunlets/tunlets.h"

#include <dlfcn.h>
#include <stdio.h>
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

/* Loads FOLDER/NAME.so, which has tunlet_NAME.  Returns NULL after a message if it cannot. */
static const tunlet *load(const char *path)
{
    const char *name = strrchr(path, '/') + 1;
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const tunlet *of = NULL;
    char symbol[256];
    snprintf(symbol, sizeof symbol, "tunlet_%.*s", (int)strcspn(name, "."), name);
    if (library)
        of = (const tunlet *)dlsym(library, symbol);
    if (!of)
        fprintf(stderr, "%s\n", dlerror());
    else if (of->part_count > TUNLET_PARTS)
        fprintf(stderr, "%s: more than %d parts\n", path, (int)TUNLET_PARTS);
    return of && of->part_count <= TUNLET_PARTS ? of : NULL;
}

int choose(const char *name, const tunlet **list, size_t *count)
{
    size_t i;
    if (strchr(name, '/') && *count < FEED_TUNLETS) {
        list[*count] = load(name);
        return list[*count] && ++*count;
    }
    for (i = 0; i < sizeof known / sizeof *known && *count < FEED_TUNLETS; i++)
        if (strcmp(known[i].name, name) == 0) {
            list[(*count)++] = known[i].of;
            return 1;
        }
    return 0;
}
