/* States and variables of a container that several files create, as all have the root, where more than one of these
 * files writes states or sets variables of a type: in the merged trace each file may end those of another one.  That is
 * right if the files tell of one thing by turns, and wrong if things of several machines have one name, so a message
 * names the first such container. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS, MAP_NORESERVE */
#include "merge.h"

#include <errno.h>
#include <sys/mman.h>

void merge_clear_shared(merge *m)
{
    array_clear(&m->mixed.shared);
    text_clear(&m->mixed.names);
    m->mixed.reached = 0;
}

void merge_note_shared(merge *m, merge_container *container, pajesim_text name)
{
    merge_mixed *mixed = &m->mixed;
    container->is_shared = 1;
    container->writers = mixed->reached;
    mixed->reached += container->type->lasting_types;
    *array_push(&mixed->shared) = (merge_shared){container->type, mixed->names.size, name.size};
    text_append(&mixed->names, name);
}

void merge_begin_mixed(merge *m, size_t processes)
{
    merge_mixed *mixed = &m->mixed;
    for (size_t i = 0; i < mixed->shared.count; i++)
        mixed->count += mixed->shared.items[i].type->lasting_types;
    if (!mixed->count)
        return;
    mixed->processes = processes;
    mixed->size = mixed->count * processes * sizeof *mixed->writers;
    mixed->writers = mmap(NULL, mixed->size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mixed->writers == MAP_FAILED)
        stream_fail("no memory for what several files write on one container, %zu bytes: %s", mixed->size,
                    strerror(errno));
    mixed->own = mixed->writers;
}

static void add_writers(merge_writers *all, uint32_t least, uint32_t greatest)
{
    if (!all->least || least < all->least)
        all->least = least;
    if (greatest > all->greatest)
        all->greatest = greatest;
}

void merge_note_writer(merge *m, const merge_input *input, const merge_container *container, const merge_type *type)
{
    size_t slot = container->writers + type->lasting_number;
    if (slot < m->mixed.count)
        add_writers(&m->mixed.own[slot], input->index + 1, input->index + 1);
}

void merge_note_early(merge *m, const merge_container *container, const merge_input *input)
{
    for (size_t i = 0; i < 64 && container->early >> i; i++) {
        size_t slot = container->writers + i;
        if (container->early >> i & 1 && slot < m->mixed.count)
            add_writers(&m->mixed.own[slot], input->index + 1, input->index + 1);
    }
}

/* Adds what all processes have noted, up to the first of so many lasting types that has several writers.  Returns
 * these; NULL: none has. */
static const merge_writers *find_mixed(const merge_mixed *mixed, size_t first, uint32_t count)
{
    for (size_t slot = first; slot < first + count; slot++) {
        merge_writers *all = &mixed->writers[slot];
        for (size_t i = 1; i < mixed->processes; i++) {
            merge_writers other = mixed->writers[i * mixed->count + slot];
            if (other.least)
                add_writers(all, other.least, other.greatest);
        }
        if (all->least != all->greatest)
            return all;
    }
    return NULL;
}

void merge_report_mixed(const merge *m)
{
    const merge_mixed *mixed = &m->mixed;
    const merge_writers *first = NULL;
    merge_shared shared = {0};
    size_t slot = 0, others = 0;
    for (size_t i = 0; mixed->writers && i < mixed->shared.count; i++) {
        uint32_t count = mixed->shared.items[i].type->lasting_types;
        const merge_writers *found = slot + count <= mixed->count ? find_mixed(mixed, slot, count) : NULL;
        slot += count;
        if (found && first) {
            others++;
        } else if (found) {
            first = found;
            shared = mixed->shared.items[i];
        }
    }
    if (!first)
        return;
    text_buffer name = {0}, more = {0};
    text_put_printable(&name, (pajesim_text){mixed->names.bytes + shared.name, shared.size});
    if (others)
        text_printf(&more, ", and of %zu more", others);
    int is_root = shared.type == &m->types.root;
    stream_message("several files write states or variables of the %s%s, such as %s and %s%s: these are mixed as they "
                   "come%s",
                   is_root ? "root, " : "container ", text_string(&name), m->inputs[first->least - 1].name,
                   m->inputs[first->greatest - 1].name, text_string(&more),
                   is_root && !others ? "" : "; --apart keeps containers of different files apart");
    text_free(&name);
    text_free(&more);
}

void merge_free_mixed(merge *m)
{
    array_free(&m->mixed.shared);
    text_free(&m->mixed.names);
    if (m->mixed.writers)
        munmap(m->mixed.writers, m->mixed.size);
}
