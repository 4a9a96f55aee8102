/* Paths of containers. */
#include "replay/path.h"

#include <string.h>

#include "base/array.h"
#include "base/map.h"

/* Paths of destroyed containers by ref.  A container with the same ref replaces the former one, so there are never more
 * of them than containers that existed at once. */
static hash_map destroyed;
static array_of(text_buffer) paths;

static void add_name(text_buffer *buffer, pajesim_text name)
{
    text_putc(buffer, '/');
    for (size_t i = 0, done = 0; i <= name.size; i++)
        if (i == name.size || name.bytes[i] == '/' || name.bytes[i] == '\\') {
            text_put(buffer, name.bytes + done, i - done);
            if (i < name.size)
                text_putc(buffer, '\\');
            done = i;
        }
}

/* Collects the ancestors up to the root, then appends their names downwards. */
static void add_path(text_buffer *buffer, const pajesim *sim, pajesim_ref container)
{
    static text_buffer above;
    pajesim_ref root = pajesim_root(sim);
    if (container == root)
        text_putc(buffer, '/');
    above.size = 0;
    for (; container && container != root; container = pajesim_parent(sim, container))
        text_put(&above, (const char *)&container, sizeof container);
    while (above.size > 0) {
        above.size -= sizeof container;
        memcpy(&container, above.bytes + above.size, sizeof container);
        add_name(buffer, pajesim_name(sim, container));
    }
}

void paje_put_path(text_buffer *buffer, const pajesim *sim, pajesim_ref container)
{
    size_t kept = MAP_NONE;
    if (!pajesim_parent(sim, container) && container != pajesim_root(sim))
        kept = map_find(&destroyed, &container, sizeof container);
    if (kept != MAP_NONE)
        text_put(buffer, paths.items[kept].bytes, paths.items[kept].size);
    else
        add_path(buffer, sim, container);
}

int paje_keep_path(pajesim *sim, const pajesim_entity *container)
{
    size_t number = map_add(&destroyed, &container->container, sizeof container->container);
    text_buffer *path = array_at(&paths, number);
    text_clear(path);
    add_path(path, sim, container->container);
    return PAJESIM_GO_ON;
}
