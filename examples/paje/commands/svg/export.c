/* Where a picture goes that is not printed: a file of SVG, or of PDF or PNG, which rsvg-convert makes of it.  A table
 * goes into a file as it is. */
#include "svg.h"
#include "base/output.h"
#include "base/process.h"

#include <errno.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

static const char converter[] = "rsvg-convert";

static output_file file;
static const char *format; /* of rsvg-convert; NULL: the file has the picture as it is */
static text_buffer whole;  /* the picture, until it is converted */

static void write_picture(text_buffer *output)
{
    if (format)
        text_append(&whole, text_view(output));
    else
        output_write(&file, output);
    text_clear(output);
}

void svg_open_file(const char *name, int is_picture)
{
    static const char *const formats[] = {"pdf", "png"};
    const char *end = strrchr(name, '.');
    for (size_t i = 0; is_picture && i < sizeof formats / sizeof *formats; i++)
        if (end && strcasecmp(end + 1, formats[i]) == 0)
            format = formats[i];
    output_open(&file, name, OUTPUT_PAGE);
    stream_divert = write_picture;
}

/* Starts the converter, which reads from a pipe and writes the file.  Returns its process; `*input` is the pipe. */
static pid_t start_converter(int *input)
{
    int ends[2];
    char name[sizeof converter], option[] = "--format", kind[4], zoom[] = "--zoom=2", all[] = "--unlimited";
    memcpy(name, converter, sizeof name);
    memcpy(kind, format, sizeof kind);
    char *arguments[] = {name, option, kind, all, strcmp(format, "png") == 0 ? zoom : NULL, NULL};
    pid_t process = process_pipe(ends) ? process_start(arguments, ends[0], file.file) : 0;
    if (process == 0)
        stream_fail("%s: %s: %s; it makes PDF and PNG (install librsvg2-bin), a name that ends with .svg needs none",
                    file.name, converter, strerror(errno));
    close(ends[0]);
    *input = ends[1];
    return process;
}

static void convert(void)
{
    int input;
    pid_t process = start_converter(&input);
    int is_written = stream_write(input, text_view(&whole)), error = errno;
    close(input);
    int status = process_wait(process);
    if (status)
        stream_fail("%s: %s failed, with status %d; a name that ends with .svg needs none", file.name, converter,
                    status);
    if (!is_written)
        stream_fail("%s: %s: %s", file.name, converter, strerror(error));
    struct stat made;
    if (fstat(file.file, &made) == 0 && S_ISREG(made.st_mode) && made.st_size == 0)
        stream_fail("%s: %s has written nothing; a name that ends with .svg needs none", file.name, converter);
    text_free(&whole);
}

void svg_close_file(void)
{
    if (!file.name)
        return;
    stream_flush();
    stream_divert = NULL;
    if (format)
        convert();
    output_close(&file, 1);
}
