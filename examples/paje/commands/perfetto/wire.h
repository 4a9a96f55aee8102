/* The wire format of protocol buffers: fields of a message, one behind the other. */
#pragma once

#include "base/text.h"

/* Each function appends a field of that number; wire_put_varint() only a number. */
void wire_put_varint(text_buffer *message, uint64_t number);
void wire_put_number(text_buffer *message, unsigned field, uint64_t number);
void wire_put_fixed(text_buffer *message, unsigned field, uint64_t number);
void wire_put_double(text_buffer *message, unsigned field, double number);
/* As valid UTF-8. */
void wire_put_text(text_buffer *message, unsigned field, pajesim_text text);
void wire_put_message(text_buffer *message, unsigned field, const text_buffer *inner);
