#include "link_key.h"

#include "base/text.h"

pajesim_text link_key(const pajesim_entity *link)
{
    static text_buffer key;
    text_clear(&key);
    text_put(&key, (const char *)&link->container, sizeof link->container);
    text_put(&key, (const char *)&link->type, sizeof link->type);
    text_append(&key, link->key);
    return (pajesim_text){key.bytes, key.size};
}
