/* Standard output, and messages on standard error. */
#include "base/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

text_buffer stream_output;
size_t stream_output_limit = 1u << 16;
void (*stream_flush_files)(void);
void (*stream_divert)(text_buffer *output);
void (*stream_before_message)(void);
int stream_is_screen;
static int progress_shown, progress_shared, output_shown;
static const char wipe[] = "\r\033[K"; /* goes to the beginning of the line and clears it */

/* Returns 0, with errno, if writing fails. */
static int write_bytes(int file, const char *bytes, size_t size)
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

/* Writes `before` as it is, then the text, at once: another process may write there as well. */
static int write_printable(int file, const char *before, pajesim_text text)
{
    text_buffer printable = {0};
    text_puts(&printable, before);
    text_put_printable_lines(&printable, text);
    int is_written = write_bytes(file, printable.bytes, printable.size);
    text_free(&printable);
    return is_written;
}

int stream_write(int file, pajesim_text text)
{
    int error = errno, is_plain = stream_is_screen || !isatty(file);
    errno = error; /* isatty() changes it, and the caller may be about to report an error */
    return is_plain ? write_bytes(file, text.bytes, text.size) : write_printable(file, "", text);
}

void stream_begin(void)
{
    for (int file = STDOUT_FILENO; file <= STDERR_FILENO; file++)
        if (fcntl(file, F_GETFD) < 0) {
            int null = open("/dev/null", O_RDONLY); /* writing still fails */
            if (null >= 0 && null != file) {
                dup2(null, file);
                close(null);
            }
        }
}

void stream_end_progress(void)
{
    if (progress_shown)
        write_bytes(STDERR_FILENO, wipe, strlen(wipe));
    progress_shown = 0;
}

void stream_share_progress(void)
{
    progress_shared = 1;
}

void stream_flush(void)
{
    if (stream_flush_files)
        stream_flush_files();
    if (stream_output.size == 0)
        return;
    stream_end_progress();
    if (stream_divert) {
        stream_divert(&stream_output);
        return;
    }
    size_t size = stream_output.size;
    stream_output.size = 0;
    output_shown = 1;
    if (!stream_write(STDOUT_FILENO, (pajesim_text){stream_output.bytes, size})) {
        if (errno == EPIPE)
            exit(EXIT_PIPE);
        stream_fail("standard output: %s", strerror(errno));
    }
}

void stream_end_record(void)
{
    if (stream_output.size >= stream_output_limit)
        stream_flush();
}

void stream_end_line(void)
{
    text_putc(&stream_output, '\n');
    stream_end_record();
}

void stream_write_error(text_buffer *buffer)
{
    if (stream_before_message)
        stream_before_message();
    write_printable(STDERR_FILENO, progress_shown || progress_shared ? wipe : "", text_view(buffer));
    progress_shown = 0;
    buffer->size = 0;
}

static void write_message(const char *format, va_list arguments)
{
    text_buffer message = {0}, line = {0};
    text_vprintf(&message, format, arguments);
    text_puts(&line, program_name);
    text_puts(&line, ": ");
    text_put_printable(&line, text_view(&message));
    text_putc(&line, '\n');
    stream_write_error(&line);
    text_free(&message);
    text_free(&line);
}

void stream_message(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    write_message(format, arguments);
    va_end(arguments);
}

void stream_fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    write_message(format, arguments);
    va_end(arguments);
    exit(EXIT_FAILED);
}

void stream_progress(const char *format, ...)
{
    char line[128];
    va_list arguments;
    if (output_shown && isatty(STDOUT_FILENO))
        return;
    va_start(arguments, format);
    int size = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    stream_end_progress();
    if (size > 0)
        write_bytes(STDERR_FILENO, line, strlen(line));
    progress_shown = 1;
}
