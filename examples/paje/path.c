/* Where a container is in the tree. */
#include "paje.h"

#include <string.h>

/* Paths of what was destroyed, by ref: a later container of the same ref takes the place of the former, so there are
 * never more of them than there were containers at once. */
static paje_set destroyed;
static paje_buffer *paths;

static void reverse(char *bytes, size_t size)
{
    for (size_t i = 0; i < size / 2; i++) {
        char byte = bytes[i];
        bytes[i] = bytes[size - 1 - i];
        bytes[size - 1 - i] = byte;
    }
}

/* From the container up to the root each name comes last byte first; all is turned round in the end. */
static void add_path(paje_buffer *buffer, const pajesim *sim, pajesim_ref container)
{
    size_t start = buffer->size;
    pajesim_ref root = pajesim_root(sim);
    if (container == root)
        paje_add(buffer, "/", 1);
    for (; container && container != root; container = pajesim_parent(sim, container)) {
        pajesim_text name = pajesim_name(sim, container);
        for (size_t i = name.size; i-- > 0;) {
            paje_add(buffer, name.bytes + i, 1);
            if (name.bytes[i] == '/' || name.bytes[i] == '\\')
                paje_add(buffer, "\\", 1);
        }
        paje_add(buffer, "/", 1);
    }
    reverse(buffer->bytes + start, buffer->size - start);
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
