/* Makes a tunlet in C of a specification. */
#include "spec.h"

#include "base/output.h"
#include "base/stream.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static const char usage[] =
    "Usage: tg SPECIFICATION [FILE]\n"
    "Writes the tunlet that is specified, in C, for tunlet.h of examples/mate, to FILE or standard output.\n"
    "Errors have the line and the column; nothing is written then.\n"
    "\n"
    "Exit status: 0; 1 errors in the specification; 2 usage; 3 a file cannot be read or written.\n";

void tg_error(tg_spec *spec, tg_place place, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (spec->reason) { /* the first one */
        if (spec->reason->size == 0)
            text_vprintf(spec->reason, format, arguments);
        va_end(arguments);
        return;
    }
    fprintf(stderr, "%s:%u:%u: error: ", spec->path, place.line, place.column);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    spec->errors++;
}

void tg_note(const tg_spec *spec, tg_place place, const char *format, ...)
{
    va_list arguments;
    fprintf(stderr, "%s:%u:%u: note: ", spec->path, place.line, place.column);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
}

static int fail(const char *path)
{
    fprintf(stderr, "tg: %s: %s\n", path, strerror(errno));
    return 3;
}

/* Reads the specification.  A NUL in it would end it: it is reported. */
static int read_source(tg_spec *spec)
{
    char bytes[4096];
    size_t size;
    FILE *file = fopen(spec->path, "rb");
    int has_failed;
    while (file && (size = fread(bytes, 1, sizeof bytes, file)) > 0)
        text_put(&spec->source, bytes, size);
    has_failed = !file || ferror(file);
    if (file)
        fclose(file);
    if (has_failed)
        return fail(spec->path);
    if (spec->source.size > 0 && memchr(spec->source.bytes, 0, spec->source.size)) {
        fprintf(stderr, "tg: %s: it has a byte 0, so it is no text\n", spec->path);
        return 3;
    }
    return 0;
}

/* Ends the program with a message if the file cannot be written. */
static void write_tunlet(tg_spec *spec, const char *path)
{
    static output_file file;
    text_buffer out = {0};
    tg_emit(spec, &out);
    output_open(&file, path ? path : "/dev/stdout", OUTPUT_WHOLE);
    output_write(&file, &out);
    output_close(&file, 1);
    text_free(&out);
}

int main(int argc, char **argv)
{
    static tg_spec spec;
    int status;
    program_name = "tg";
    stream_begin();
    if (argc == 2 && strcmp(argv[1], "--help") == 0) {
        fputs(usage, stdout);
        return 0;
    }
    if (argc < 2 || argc > 3) {
        fputs(usage, stderr);
        return 2;
    }
    spec.path = argv[1];
    status = read_source(&spec);
    if (status == 0) {
        tg_parse(&spec);
        if (spec.errors == 0) /* else what is missing would be reported again and again */
            tg_check(&spec);
        status = spec.errors > 0;
    }
    if (status == 0)
        write_tunlet(&spec, argv[2]);
    tg_free(&spec);
    return status;
}
