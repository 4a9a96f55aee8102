/* Specifications of tunlets, of any bytes: tg reads, checks and translates them, or reports what is wrong. */
#include "tg/code.h"

#include "fuzz.h"

#include <stdarg.h>

static unsigned reported;

/* Messages are formatted, and counted. */
static void report(const tg_spec *spec, tg_place place, const char *format, va_list arguments)
{
    char text[1 << 12];
    fuzz_expect(place.line >= 1 && place.column >= 1, "a message has a line and a column");
    fuzz_expect(place.line <= spec->source.size + 1, "the line of a message is one of the file");
    fuzz_expect(vsnprintf(text, sizeof text, format, arguments) > 0, "a message has a text");
    reported++;
}

void tg_error(tg_spec *spec, tg_place place, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    report(spec, place, format, arguments);
    va_end(arguments);
    spec->errors++;
}

void tg_note(const tg_spec *spec, tg_place place, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    report(spec, place, format, arguments);
    va_end(arguments);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    tg_spec spec;
    text_buffer out = {0};
    if (size > 0 && memchr(bytes, 0, size))
        return 0; /* tg refuses it before it is read */
    memset(&spec, 0, sizeof spec);
    spec.path = "input.tunlet";
    text_put(&spec.source, (const char *)bytes, size);
    tg_parse(&spec);
    if (spec.errors == 0)
        tg_check(&spec);
    fuzz_expect(spec.errors <= reported, "each error is reported");
    reported = 0;
    if (spec.errors == 0) {
        tg_emit(&spec, &out);
        fuzz_expect(spec.errors == 0, "what was checked is translated without an error");
        fuzz_expect(out.size > 0 && !memchr(out.bytes, 0, out.size), "a tunlet is a text");
    }
    text_free(&out);
    tg_free(&spec);
    return 0;
}
