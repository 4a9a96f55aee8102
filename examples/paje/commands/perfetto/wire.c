/* The wire format of protocol buffers. */
#include "commands/perfetto/wire.h"
#include "base/encode.h"

enum { VARINT = 0, FIXED64 = 1, BYTES = 2 };
enum { MOST_VARINT = 10, MOST_TAG = 5 };

/* Seven bits a byte, the lowest ones first; the highest bit says that another byte follows. */
static char *write_varint(char *at, uint64_t number)
{
    for (; number >= 0x80; number >>= 7)
        *at++ = (char)(number | 0x80);
    *at++ = (char)number;
    return at;
}

static void finish(text_buffer *message, const char *end)
{
    message->size = (size_t)(end - message->bytes);
}

void wire_put_varint(text_buffer *message, uint64_t number)
{
    finish(message, write_varint(text_reserve(message, MOST_VARINT), number));
}

void wire_put_number(text_buffer *message, unsigned field, uint64_t number)
{
    char *at = text_reserve(message, MOST_TAG + MOST_VARINT);
    if (field < 0x10 && number < 0x80) { /* most often */
        at[0] = (char)(field << 3 | VARINT);
        at[1] = (char)number;
        message->size += 2;
        return;
    }
    at = write_varint(at, field << 3 | VARINT);
    finish(message, write_varint(at, number));
}

void wire_put_fixed(text_buffer *message, unsigned field, uint64_t number)
{
    char *at = write_varint(text_reserve(message, MOST_TAG + 8), field << 3 | FIXED64);
    for (int i = 0; i < 8; i++)
        *at++ = (char)(number >> 8 * i & 0xff);
    finish(message, at);
}

void wire_put_double(text_buffer *message, unsigned field, double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    wire_put_fixed(message, field, bits);
}

static void begin_bytes(text_buffer *message, unsigned field, size_t size)
{
    char *at = write_varint(text_reserve(message, MOST_TAG + MOST_VARINT), field << 3 | BYTES);
    finish(message, write_varint(at, size));
}

void wire_put_text(text_buffer *message, unsigned field, pajesim_text text)
{
    static text_buffer valid;
    valid.size = 0;
    text_put_utf8(&valid, text);
    wire_put_message(message, field, &valid);
}

void wire_put_message(text_buffer *message, unsigned field, const text_buffer *inner)
{
    begin_bytes(message, field, inner->size);
    text_put(message, inner->bytes, inner->size);
}
