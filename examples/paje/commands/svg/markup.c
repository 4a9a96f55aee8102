/* Elements of SVG: coordinates, colours, texts, tooltips. */
#include "svg.h"
#include "base/encode.h"
#include "base/unit.h"
#include "base/utf8.h"

#include <math.h>
#include <stdio.h>

/* Appends up to two decimals, as many as are needed. */
static void add_coordinate(svg_picture *svg, double number)
{
    char text[40];
    long long hundredths = llround(fmin(fmax(number, -1e7), 1e7) * 100), size = llabs(hundredths);
    int length = snprintf(text, sizeof text, "%s%lld.%02lld", hundredths < 0 ? "-" : "", size / 100, size % 100);
    while (text[length - 1] == '0')
        length--;
    length -= text[length - 1] == '.';
    text_put(svg->out, text, (size_t)length);
}

void svg_add(svg_picture *svg, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    for (;;) {
        size_t size = strcspn(format, "~");
        text_put(svg->out, format, size);
        if (!format[size])
            break;
        add_coordinate(svg, va_arg(arguments, double));
        format += size + 1;
    }
    va_end(arguments);
}

void svg_add_color(svg_picture *svg, const char *attribute, uint32_t color)
{
    text_printf(svg->out, " %s=\"#%06lx\"", attribute, (unsigned long)color);
}


/* Appends a time with enough digits to find it in the trace. */
static void add_time(svg_picture *svg, double time)
{
    const timeline *tl = &svg->tl;
    double span = tl->last - tl->first;
    const time_unit *unit = unit_for(span * tl->seconds);
    double size = unit->seconds / tl->seconds;
    int decimals = (int)fmin(fmax(6 - floor(log10(span / size)), 0), 15);
    text_buffer *out = svg->out;
    size_t start = out->size;
    text_printf(out, "%.*f", decimals, time / size);
    if (decimals) {
        while (svg->out->bytes[svg->out->size - 1] == '0')
            svg->out->size--;
        svg->out->size -= svg->out->bytes[svg->out->size - 1] == '.';
    }
    if (svg->out->size == start + 2 && memcmp(svg->out->bytes + start, "-0", 2) == 0)
        text_puts(svg->out, "0");
    text_printf(svg->out, " %s", unit->name);
}

void svg_add_title(svg_picture *svg, uint32_t type, uint32_t value, double start, double end, uint32_t count)
{
    const timeline *tl = &svg->tl;
    if (!svg->has_titles)
        return;
    text_puts(svg->out, "<title>");
    text_put_xml(svg->out, type_at(tl, type)->name);
    text_puts(svg->out, ": ");
    text_put_xml(svg->out, value_at(tl, value)->name);
    if (count > 1)
        text_printf(svg->out, ", %lu of them", (unsigned long)count);
    text_puts(svg->out, ", ");
    add_time(svg, start);
    if (end > start || end < start) {
        text_puts(svg->out, " to ");
        add_time(svg, end);
        text_puts(svg->out, ": ");
        add_time(svg, end - start);
    }
    text_puts(svg->out, "</title>");
}

double svg_text_width(pajesim_text text, double size)
{
    double sum = 0;
    for (size_t i = 0; i < text.size; i++) {
        unsigned char byte = (unsigned char)text.bytes[i];
        if ((byte & 0xc0) == 0x80) /* within a character */
            continue;
        if (byte && strchr("ijltfrI.,:;'|!()[]/ -", byte))
            sum += 0.33;
        else if (byte && strchr("mwMW@%", byte))
            sum += 0.9;
        else if (byte >= 'A' && byte <= 'Z')
            sum += 0.7;
        else
            sum += byte < 0xe3 ? 0.56 : 1; /* from there on: Chinese, Japanese, emoji */
    }
    return sum * size;
}

/* Appends the text, or as much of it as fits and an ellipsis. */
static void add_text_within(svg_picture *svg, pajesim_text text, double size, double room)
{
    pajesim_text part = text;
    if (svg_text_width(text, size) > room)
        for (size_t at = part.size = 0; at < text.size;) {
            size_t character = utf8_size(text.bytes + at, text.size - at);
            at += character ? character : 1;
            if (svg_text_width((pajesim_text){text.bytes, at}, size) > room - size)
                break;
            part.size = at;
        }
    text_put_xml(svg->out, part);
    if (part.size < text.size)
        text_puts(svg->out, "\xe2\x80\xa6");
}

void svg_draw_text(svg_picture *svg, double x, double y, double room, pajesim_text text, double size,
                   const char *attributes)
{
    svg_add(svg, "<text x=\"~\" y=\"~\" font-size=\"~\"", x, y, size);
    text_puts(svg->out, attributes);
    text_putc(svg->out, '>');
    add_text_within(svg, text, size, room);
    text_puts(svg->out, "</text>\n");
}
