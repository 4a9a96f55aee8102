/* Where a container is in the tree. */
#include "paje.h"

#include <string.h>

/* Paths of what was destroyed, by ref: a later container of the same ref takes the place of the former, so there are
 * never more of them than there were containers at once. */
static paje_set destroyed;
static paje_buffer *paths;

static void add_name(paje_buffer *buffer, pajesim_text name)
{
    paje_add(buffer, "/", 1);
    for (size_t i = 0, done = 0; i <= name.size; i++)
        if (i == name.size || name.bytes[i] == '/' || name.bytes[i] == '\\') {
            paje_add(buffer, name.bytes + done, i - done);
            paje_add(buffer, "\\", i < name.size);
            done = i;
        }
}

/* From the container up to the root, then down again. */
static void add_path(paje_buffer *buffer, const pajesim *sim, pajesim_ref container)
{
    static paje_buffer above;
    pajesim_ref root = pajesim_root(sim);
    if (container == root)
        paje_add(buffer, "/", 1);
    above.size = 0;
    for (; container && container != root; container = pajesim_parent(sim, container))
        paje_add(&above, (const char *)&container, sizeof container);
    while (above.size > 0) {
        above.size -= sizeof container;
        memcpy(&container, above.bytes + above.size, sizeof container);
        add_name(buffer, pajesim_name(sim, container));
    }
}

void paje_add_path(paje_buffer *buffer, const pajesim *sim, pajesim_ref container)
{
    size_t kept = PAJE_NONE;
    if (!pajesim_parent(sim, container) && container != pajesim_root(sim))
        kept = paje_set_find(&destroyed, &container, sizeof container);
    if (kept != PAJE_NONE)
        paje_add(buffer, paths[kept].bytes, paths[kept].size);
    else
        add_path(buffer, sim, container);
}

int paje_keep_path(pajesim *sim, const pajesim_entity *container)
{
    size_t room = destroyed.room, at = paje_set_add(&destroyed, &container->container, sizeof container->container);
    if (destroyed.room != room) {
        paths = paje_room(paths, destroyed.room * sizeof *paths);
        memset(paths + room, 0, (destroyed.room - room) * sizeof *paths);
    }
    paths[at].size = 0;
    add_path(&paths[at], sim, container->container);
    return PAJESIM_GO_ON;
}
