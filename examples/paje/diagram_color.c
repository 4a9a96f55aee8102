/* Colours of types and values: those of the trace, or of a palette. */
#include "diagram.h"

#include <math.h>
#include <string.h>

/* Six hexadecimal digits, or 3 or 4 numbers, of 0 to 1 or of 0 to 255.  Answers 0 if there is none. */
static int parse_color(pajesim_text text, uint32_t *color)
{
    double parts[4] = {0}, scale = 255;
    size_t count = 0;
    uint32_t hex = 0;
    size_t digits = 0;
    for (; digits < text.size && digits < 7 && strchr("0123456789abcdefABCDEF", text.bytes[digits]); digits++) {
        char digit = text.bytes[digits];
        hex = hex << 4 | (uint32_t)(digit <= '9' ? digit - '0' : (digit | 0x20) - 'a' + 10);
    }
    if (digits == 6 && text.size == 6) {
        *color = hex;
        return 1;
    }
    for (size_t at = 0, end; at < text.size && count < 4; at = end + 1) {
        for (end = at; end < text.size && text.bytes[end] != ' ' && text.bytes[end] != '\t' && text.bytes[end] != ',';)
            end++;
        if (end > at && !pajesim_number(text.bytes + at, end - at, &parts[count++]))
            return 0;
    }
    if (count < 3)
        return 0;
    for (size_t i = 0; i < 3; i++)
        if (parts[i] > 1)
            scale = 1;
    *color = 0;
    for (size_t i = 0; i < 3; i++)
        *color = *color << 8 | (uint32_t)(fmin(fmax(parts[i] * scale, 0), 255) + 0.5);
    return 1;
}

int diagram_own_color(pajesim_text text, pajesim_kind kind, uint32_t *color)
{
    uint32_t found;
    if (diagram.own_colors || !parse_color(text, &found) ||
        (kind != PAJESIM_STATE && (found >> 16) + (found >> 8 & 0xff) + (found & 0xff) > 3 * 0xe8))
        return 0;
    *color = found;
    return 1;
}

static uint32_t color_of_hue(double hue, double saturation, double lightness)
{
    uint32_t color = 0;
    for (int i = 0; i < 3; i++) {
        double position = fmod(hue * 12 + (i == 0 ? 0 : i == 1 ? 8 : 4), 12);
        double part = fmax(-1, fmin(fmin(position - 3, 9 - position), 1));
        part = lightness - saturation * fmin(lightness, 1 - lightness) * part;
        color = color << 8 | (uint32_t)(255 * part + 0.5);
    }
    return color;
}

uint32_t diagram_palette_color(pajesim_text name)
{
    static const uint32_t colors[] = {
        0x4e79a7, 0xf28e2b, 0x59a14f, 0xe15759, 0xb07aa1, 0x76b7b2, 0xedc948, 0xff9da7, 0x9c755f, 0x86bcb6,
        0xa0cbe8, 0xffbe7d, 0x8cd17d, 0xb6992d, 0xd4a6c8, 0x499894, 0xd37295, 0xfabfd2, 0xd7b5a6, 0x79706e,
    };
    enum { HALF = 10 };
    static unsigned taken; /* bit of each */
    static uint32_t further;
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < name.size; i++)
        hash = (hash ^ (unsigned char)name.bytes[i]) * 16777619u;
    for (uint32_t i = 0; i < 2 * HALF; i++) {
        uint32_t at = (hash + i) % HALF + (i < HALF ? 0 : HALF);
        if (!(taken >> at & 1)) {
            taken |= 1u << at;
            return colors[at];
        }
    }
    further++;
    return color_of_hue(fmod(further * 0.61803398875, 1), 0.5, 0.45 + 0.1 * (further % 4));
}

uint32_t diagram_color(pajesim_text name, pajesim_text own, pajesim_kind kind)
{
    uint32_t color;
    return diagram_own_color(own, kind, &color) ? color : diagram_palette_color(name);
}
