/* Paths of containers.
 *
 * Short paths are kept, each in the place that the number of its container gives it.  So is the last path, however
 * long: the next one is most often that of the same container, of one in it, beside it or around it.  Else the path of
 * each of many containers within one another would be collected from the root. */
#include "replay/path.h"

#include "base/array.h"

#include <string.h>

/* A container of the last path, from the top down. */
typedef struct level {
    uint32_t serial;
    size_t end; /* of its name in `path` */
} level;

static text_buffer path;
static array_of(level) levels;

enum { KEPT = 512, SHORT = 120 };

/* A short path. */
static struct {
    uint32_t serial, size; /* size 0: none */
    char bytes[SHORT];
} kept[KEPT];

void paje_begin_paths(void)
{
    array_clear(&levels);
    for (size_t i = 0; i < KEPT; i++)
        kept[i].size = 0;
}

static void add_name(pajesim_text name)
{
    text_putc(&path, '/');
    for (size_t i = 0, done = 0; i <= name.size; i++)
        if (i == name.size || name.bytes[i] == '/' || name.bytes[i] == '\\') {
            text_put(&path, name.bytes + done, i - done);
            if (i < name.size)
                text_putc(&path, '\\');
            done = i;
        }
}

static void add_level(const pajesim *sim, pajesim_ref container)
{
    add_name(pajesim_name(sim, container));
    *array_push(&levels) = (level){pajesim_serial(sim, container), path.size};
}

/* Shortens the path to that of a container if it is one of the last two.  Returns whether it is. */
static int go_up(const pajesim *sim, pajesim_ref container)
{
    uint32_t serial = pajesim_serial(sim, container);
    for (size_t i = 0; i < 2 && i < levels.count; i++)
        if (levels.items[levels.count - 1 - i].serial == serial) {
            levels.count -= i;
            path.size = levels.items[levels.count - 1].end;
            return 1;
        }
    return 0;
}

/* Collects the ancestors up to the root, then appends their names downwards. */
static void make_path(const pajesim *sim, pajesim_ref container)
{
    static array_of(pajesim_ref) above;
    pajesim_ref root = pajesim_root(sim);
    text_clear(&path);
    array_clear(&levels);
    array_clear(&above);
    for (; container && container != root; container = pajesim_parent(sim, container))
        *array_push(&above) = container;
    while (above.count > 0)
        add_level(sim, above.items[--above.count]);
}

void paje_put_path(text_buffer *buffer, const pajesim *sim, pajesim_ref container)
{
    if (!container || container == pajesim_root(sim)) {
        text_puts(buffer, container ? "/" : "");
        return;
    }
    const uint32_t serial = pajesim_serial(sim, container), at = serial % KEPT;
    if (kept[at].serial == serial && kept[at].size) {
        text_put(buffer, kept[at].bytes, kept[at].size);
        return;
    }
    if (!go_up(sim, container)) {
        if (go_up(sim, pajesim_parent(sim, container)))
            add_level(sim, container);
        else
            make_path(sim, container);
    }
    text_append(buffer, text_view(&path));
    if (path.size <= SHORT) {
        kept[at].serial = serial;
        kept[at].size = (uint32_t)path.size;
        memcpy(kept[at].bytes, path.bytes, path.size);
    }
}
