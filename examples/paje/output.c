/* Bytes that grow, standard output, and messages. */
#include "paje.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

paje_buffer paje_output;
size_t paje_output_room = 1u << 16;
void (*paje_flush_files)(void);
void (*paje_before_message)(void);
static int progress_shown;

/* Answers 0, with errno, if that is not possible. */
static int write_all(int file, const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t written = write(file, bytes, size);
        if (written > 0) {
            bytes += written;
            size -= (size_t)written;
        } else if (written < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
            struct pollfd ready = {file, POLLOUT, 0};
            poll(&ready, 1, -1);
        } else if (written < 0 && errno != EINTR) {
            return 0;
        }
    }
    return 1;
}

void *paje_room(void *block, size_t size)
{
    void *room = realloc(block, size ? size : 1);
    if (!room) { /* also none for a message */
        char line[64];
        int length = snprintf(line, sizeof line, "paje: no memory for %zu bytes\n", size);
        write_all(STDERR_FILENO, line, (size_t)length);
        exit(PAJE_FAILED);
    }
    return room;
}

void paje_release(paje_buffer *buffer)
{
    free(buffer->bytes);
    memset(buffer, 0, sizeof *buffer);
}

pajesim_text paje_text(const paje_buffer *buffer)
{
    return (pajesim_text){buffer->bytes ? buffer->bytes : "", buffer->size};
}

char *paje_reserve(paje_buffer *buffer, size_t size)
{
    if (!buffer->bytes || size > buffer->room - buffer->size) {
        size_t room = buffer->size + size + buffer->room / 2 + 256;
        if (room < buffer->size + size)
            paje_fail("no memory for so long a text");
        buffer->bytes = paje_room(buffer->bytes, room);
        buffer->room = room;
    }
    return buffer->bytes + buffer->size;
}

void paje_add(paje_buffer *buffer, const char *bytes, size_t size)
{
    if (size == 0) /* perhaps of no bytes at all */
        return;
    memcpy(paje_reserve(buffer, size), bytes, size);
    buffer->size += size;
}

void paje_add_text(paje_buffer *buffer, pajesim_text text)
{
    paje_add(buffer, text.bytes, text.size);
}

/* Of ASCII, or one of U+0080 to U+009F, which has two bytes. */
static int is_of_control(pajesim_text text, size_t at)
{
    unsigned char byte = (unsigned char)text.bytes[at];
    unsigned char first = byte == 0xc2 || at == 0 ? byte : (unsigned char)text.bytes[at - 1];
    unsigned char second = byte != 0xc2 ? byte : at + 1 < text.size ? (unsigned char)text.bytes[at + 1] : 0;
    return byte < 0x20 || byte == 0x7f || (first == 0xc2 && second >= 0x80 && second < 0xa0);
}

void paje_add_printable(paje_buffer *buffer, pajesim_text text)
{
    for (size_t i = 0; i < text.size; i++) {
        unsigned char byte = (unsigned char)text.bytes[i];
        if (byte == '\n')
            paje_add(buffer, "\\n", 2);
        else if (byte == '\t')
            paje_add(buffer, "\\t", 2);
        else if (is_of_control(text, i))
            paje_addf(buffer, "\\x%02x", byte);
        else
            paje_add(buffer, text.bytes + i, 1);
    }
}

void paje_add_formatted(paje_buffer *buffer, const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    size_t room = 64;
    int size = vsnprintf(paje_reserve(buffer, room), room, format, arguments);
    if (size >= (int)room) {
        room = (size_t)size + 1;
        size = vsnprintf(paje_reserve(buffer, room), room, format, again);
    }
    va_end(again);
    if (size > 0)
        buffer->size += (size_t)size;
}

void paje_addf(paje_buffer *buffer, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    paje_add_formatted(buffer, format, arguments);
    va_end(arguments);
}

void paje_end_progress(void)
{
    if (progress_shown)
        write_all(STDERR_FILENO, "\r\033[K", 4);
    progress_shown = 0;
}

void paje_flush(void)
{
    if (paje_flush_files)
        paje_flush_files();
    if (paje_output.size == 0)
        return;
    paje_end_progress();
    size_t size = paje_output.size;
    paje_output.size = 0;
    if (!write_all(STDOUT_FILENO, paje_output.bytes, size)) {
        if (errno == EPIPE)
            exit(PAJE_FAILED); /* whoever read it has seen enough: `paje dump | head` */
        paje_fail("standard output: %s", strerror(errno));
    }
}

void paje_write(int file, const char *name, paje_buffer *buffer)
{
    size_t size = buffer->size;
    buffer->size = 0;
    if (size > 0 && !write_all(file, buffer->bytes, size))
        paje_fail("%s: %s", name, strerror(errno));
}

void paje_end_line(void)
{
    paje_add(&paje_output, "\n", 1);
    if (paje_output.size >= paje_output_room)
        paje_flush();
}

void paje_complain(paje_buffer *buffer)
{
    if (paje_before_message)
        paje_before_message();
    paje_end_progress();
    write_all(STDERR_FILENO, buffer->bytes, buffer->size);
    buffer->size = 0;
}

static void complain(const char *format, va_list arguments)
{
    paje_buffer line = {0};
    paje_add(&line, "paje: ", 6);
    paje_add_formatted(&line, format, arguments);
    paje_add(&line, "\n", 1);
    paje_complain(&line);
    paje_release(&line);
}

void paje_message(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    complain(format, arguments);
    va_end(arguments);
}

void paje_fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    complain(format, arguments);
    va_end(arguments);
    exit(PAJE_FAILED);
}

void paje_progress(const char *format, ...)
{
    char line[128];
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    paje_end_progress();
    if (size > 0)
        write_all(STDERR_FILENO, line, strlen(line));
    progress_shown = 1;
}
