/* Copies and keys of names. */
#include "timeline/name.h"
#include "base/map.h"
#include "base/utf8.h"

#include <stdlib.h>

pajesim_text name_copy(pajesim_text name)
{
    static const char ellipsis[] = "...";
    size_t size = name.size;
    if (size > NAME_BYTES)
        for (size_t at = size = 0; at <= NAME_BYTES - strlen(ellipsis);) {
            size_t character = utf8_size(name.bytes + at, name.size - at);
            size = at;
            at += character ? character : 1;
        }
    text_buffer copy = {0};
    text_put(&copy, name.bytes, size);
    if (size < name.size)
        text_puts(&copy, ellipsis);
    return (pajesim_text){memory_resize(copy.bytes, copy.size, 1), copy.size};
}

void name_free(pajesim_text copy)
{
    free((void *)(uintptr_t)copy.bytes);
}

pajesim_text name_key(text_buffer *buffer, uint32_t scope, pajesim_text name)
{
    text_clear(buffer);
    text_put(buffer, (const char *)&scope, sizeof scope);
    text_put(buffer, name.bytes, name.size < NAME_BYTES ? name.size : NAME_BYTES);
    if (name.size > NAME_BYTES) { /* names of C++ functions may differ behind that only */
        const uint64_t hash = map_hash(name.bytes, name.size);
        text_put(buffer, (const char *)&hash, sizeof hash);
    }
    return text_view(buffer);
}
