/* UTF-8. */
#include "base/utf8.h"

int utf8_continues(char byte)
{
    return ((unsigned char)byte & 0xc0) == 0x80;
}

size_t utf8_size(const char *bytes, size_t size)
{
    unsigned char lead = (unsigned char)bytes[0], next = size > 1 ? (unsigned char)bytes[1] : 0;
    if (lead < 0x80)
        return 1;
    if (lead < 0xc2 || lead > 0xf4 || (next & 0xc0) != 0x80)
        return 0;
    if (lead < 0xe0)
        return 2;
    if (size < 3 || !utf8_continues(bytes[2]) || (lead == 0xe0 && next < 0xa0) ||
        (lead == 0xed && next > 0x9f)) /* too long a form; a surrogate */
        return 0;
    if (lead < 0xf0)
        return 3;
    if (size < 4 || !utf8_continues(bytes[3]) || (lead == 0xf0 && next < 0x90) || (lead == 0xf4 && next > 0x8f))
        return 0;
    return 4;
}

size_t utf8_plain(const char *bytes, size_t size)
{
#define FOUR(at) [at] = 1, [at + 1] = 1, [at + 2] = 1, [at + 3] = 1
#define SIXTEEN(at) FOUR(at), FOUR(at + 4), FOUR(at + 8), FOUR(at + 12)
#define THIRTY_TWO(at) SIXTEEN(at), SIXTEEN(at + 16)
    static const unsigned char others[256] = {
        ['"'] = 1, ['&'] = 1, ['\''] = 1, ['<'] = 1, ['>'] = 1, ['\\'] = 1, [0x7f] = 1, THIRTY_TWO(0),
        THIRTY_TWO(0x80), THIRTY_TWO(0xa0), THIRTY_TWO(0xc0), THIRTY_TWO(0xe0)};
    return utf8_until(bytes, size, others);
}

uint32_t utf8_next(const char *bytes, size_t size, size_t *at)
{
    const char *here = bytes + *at;
    size_t length = utf8_size(here, size - *at);
    unsigned char lead = (unsigned char)here[0];
    uint32_t character = length == 0 ? UTF8_REPLACEMENT : length == 1 ? lead : lead & (0x7fu >> length);
    for (size_t i = 1; i < length; i++)
        character = character << 6 | ((unsigned char)here[i] & 0x3fu);
    *at += length ? length : 1;
    return character;
}

size_t utf8_encode(char bytes[4], uint32_t character)
{
    static const unsigned leads[] = {0, 0, 0xc0, 0xe0, 0xf0};
    size_t size = character < 0x80 ? 1 : character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;
    for (size_t i = size; i-- > 1; character >>= 6)
        bytes[i] = (char)(0x80 | (character & 0x3f));
    bytes[0] = (char)(leads[size] | character);
    return size;
}
