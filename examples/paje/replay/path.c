/* Paths of containers. */
#include "replay/path.h"

#include <string.h>

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
void paje_put_path(text_buffer *buffer, const pajesim *sim, pajesim_ref container)
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
