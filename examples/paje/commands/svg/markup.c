/* Elements of SVG: coordinates, colours, texts, tooltips. */
#include "svg.h"
#include "base/encode.h"
#include "base/unit.h"
#include "base/utf8.h"

#include <math.h>
#include <stdio.h>

/* Writes up to two decimals, as many as are needed; returns where they end. */
static char *put_coordinate(char *at, double number)
{
    char digits[24];
    int count = 0;
    long long hundredths = llround(fmin(fmax(number, -1e7), 1e7) * 100);
    unsigned long long size = (unsigned long long)llabs(hundredths), rest = size % 100;
    if (hundredths < 0)
        *at++ = '-';
    for (size /= 100; size >= 10; size /= 10)
        digits[count++] = (char)('0' + size % 10);
    *at++ = (char)('0' + size);
    while (count > 0)
        *at++ = digits[--count];
    if (rest == 0)
        return at;
    *at++ = '.';
    *at++ = (char)('0' + rest / 10);
    if (rest % 10 != 0)
        *at++ = (char)('0' + rest % 10);
    return at;
}

void svg_add(svg_picture *svg, const char *format, ...)
{
    enum { COORDINATE = 16 }; /* bytes at most */
    va_list arguments;
    va_start(arguments, format);
    char *at = text_reserve(svg->out, COORDINATE * strlen(format));
    for (; *format; format++)
        if (*format == '~')
            at = put_coordinate(at, va_arg(arguments, double));
        else
            *at++ = *format;
    svg->out->size = (size_t)(at - svg->out->bytes);
    va_end(arguments);
}

void svg_add_color(svg_picture *svg, const char *attribute, uint32_t color)
{
    text_putc(svg->out, ' ');
    text_puts(svg->out, attribute);
    text_puts(svg->out, "=\"#");
    for (int shift = 20; shift >= 0; shift -= 4)
        text_putc(svg->out, "0123456789abcdef"[color >> shift & 15]);
    text_putc(svg->out, '"');
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

void svg_add_title(svg_picture *svg, uint32_t type, uint32_t value, double start, double end, uint32_t count,
                   uint32_t fields)
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
    if (fields) {
        text_puts(svg->out, "; ");
        text_put_xml(svg->out, timeline_fields(tl, fields));
    }
    text_puts(svg->out, "</title>");
}

/* The width of the character that begins with this byte, in hundredths of the font size. */
static int byte_width(unsigned char byte)
{
    if (byte < 0x80) {
        if (byte && strchr("ijlI'|.,:;! ", byte))
            return 32;
        if (byte && strchr("ftr()[]-/\"", byte))
            return 39;
        if (byte && strchr("mMwW@%", byte))
            return 95;
        return byte >= 'A' && byte <= 'Z' ? 70 : 62;
    }
    if ((byte & 0xc0) == 0x80) /* within a character */
        return 0;
    return byte < 0xe3 ? 65 : 100; /* from there on: Chinese, Japanese, emoji */
}

void svg_begin(svg_picture *svg, int height)
{
    text_printf(svg->out,
                "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" "
                "width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
                "font-family=\"Helvetica, Arial, Liberation Sans, sans-serif\" fill=\"#111\">\n"
                "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
                svg->width, height, svg->width, height);
}

double svg_text_width(pajesim_text text, double size)
{
    double sum = 0;
    for (size_t i = 0; i < text.size; i++)
        sum += byte_width((unsigned char)text.bytes[i]);
    return sum / 100 * size;
}

int svg_add_text_within(svg_picture *svg, pajesim_text text, double size, double room, int keeps_end)
{
    pajesim_text head = text, tail = {text.bytes + text.size, 0};
    int is_cut = svg_text_width(text, size) > room;
    if (is_cut) {
        double part = (room - size) / (keeps_end ? 2 : 1);
        for (size_t at = head.size = 0; at < text.size;) {
            size_t character = utf8_size(text.bytes + at, text.size - at);
            at += character ? character : 1;
            if (svg_text_width((pajesim_text){text.bytes, at}, size) > part)
                break;
            head.size = at;
        }
        for (size_t at = text.size; keeps_end && at-- > head.size;) {
            pajesim_text longer = {text.bytes + at, text.size - at};
            if (svg_text_width(longer, size) > room - size - svg_text_width(head, size))
                break;
            if (utf8_size(longer.bytes, longer.size) > 0)
                tail = longer;
        }
    }
    text_put_xml(svg->out, head);
    if (is_cut)
        text_puts(svg->out, "\xe2\x80\xa6");
    text_put_xml(svg->out, tail);
    return is_cut;
}

void svg_draw_text(svg_picture *svg, double x, double y, double room, pajesim_text text, double size,
                   const char *attributes)
{
    svg_add(svg, "<text x=\"~\" y=\"~\" font-size=\"~\"", x, y, size);
    text_puts(svg->out, attributes);
    text_putc(svg->out, '>');
    svg_add_text_within(svg, text, size, room, 0);
    text_puts(svg->out, "</text>\n");
}
