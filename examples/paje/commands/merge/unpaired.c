/* Messages of `paje trace` that have one end: they were not received, a process was killed, or the tracer could not
 * follow them.  The merged trace does without them, unless another machine has the other end. */
#include "merge.h"

#include "trace/types.h"

#include <stdio.h>

int merge_note_unpaired(merge *m, const merge_input *input, uint32_t type, int is_start, pajesim_text key)
{
    char alias[12];
    size_t size = key.size;
    snprintf(alias, sizeof alias, "%d", TRACE_MESSAGE_TYPE);
    const merge_type *messages = merge_find_type(m, input, text_of(alias));
    if (!messages || messages->number != type)
        return 1;
    if (input->raw.is_part)
        return 0;
    for (int dots = 0; size > 0 && dots < 2;) /* without tag and number */
        dots += key.bytes[--size] == '.';
    ++*array_at(&m->unpaired.counts, map_add(&m->unpaired.channels, key.bytes, size));
    *(is_start ? &m->unpaired.sent : &m->unpaired.received) += 1;
    return 1;
}

/* Returns the number of the channel that has the most after `before`, in the order of counts and numbers; MAP_NONE. */
static size_t next_channel(const merge_unpaired *it, size_t before)
{
    size_t found = MAP_NONE;
    for (size_t i = 0; i < it->counts.count; i++) {
        uint64_t count = it->counts.items[i];
        int is_after = before == MAP_NONE || count < it->counts.items[before] ||
                       (count == it->counts.items[before] && i > before);
        if (is_after && (found == MAP_NONE || count > it->counts.items[found]))
            found = i;
    }
    return found;
}

void merge_report_unpaired(const merge *m)
{
    enum { SHOWN = 3 };
    const merge_unpaired *it = &m->unpaired;
    text_buffer most = {0};
    size_t channel = MAP_NONE;
    if (!it->channels.used)
        return;
    for (int i = 0; i < SHOWN && (channel = next_channel(it, channel)) != MAP_NONE; i++) {
        text_puts(&most, i ? ", " : "");
        text_append(&most, map_key(&it->channels, channel));
        text_printf(&most, ": %llu", (unsigned long long)it->counts.items[channel]);
    }
    stream_message("messages with one end only are left out: %llu that were sent, %llu that were received "
                   "(by COMMUNICATOR.FROM.TO: %s%s)", (unsigned long long)it->sent, (unsigned long long)it->received,
                   text_string(&most), it->channels.used > SHOWN ? ", ..." : "");
    text_free(&most);
}

void merge_free_unpaired(merge *m)
{
    map_free(&m->unpaired.channels);
    array_free(&m->unpaired.counts);
}
