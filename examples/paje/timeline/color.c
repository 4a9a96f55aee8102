/* Colours of the trace, and of the palette. */
#include "timeline/color.h"

#include <math.h>
#include <string.h>

const char *palette_option(color_palette *palette, const char *argument)
{
    palette->ignores_trace = strcmp(argument, "own") == 0;
    return palette->ignores_trace || strcmp(argument, "trace") == 0 ? NULL : "must be trace or own";
}

/* Six hexadecimal digits and nothing else. */
static int parse_hexadecimal(pajesim_text text, uint32_t *color)
{
    uint32_t sum = 0;
    for (size_t i = 0; i < text.size; i++) {
        char digit = text.bytes[i];
        if (digit == '\0' || !strchr("0123456789abcdefABCDEF", digit))
            return 0;
        sum = sum << 4 | (uint32_t)(digit <= '9' ? digit - '0' : (digit | 0x20) - 'a' + 10);
    }
    *color = sum;
    return text.size == 6;
}

/* 3 or 4 numbers, of 0 to 1 or of 0 to 255, between blanks or commas. */
static int parse_numbers(pajesim_text text, uint32_t *color)
{
    double parts[4] = {0}, scale = 255;
    size_t count = 0;
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

static int is_pale(uint32_t color)
{
    return (color >> 16) + (color >> 8 & 0xff) + (color & 0xff) > 3 * 0xe8;
}

int palette_from_trace(const color_palette *palette, pajesim_text field, pajesim_kind kind, uint32_t *color)
{
    uint32_t found;
    if (palette->ignores_trace || (!parse_hexadecimal(field, &found) && !parse_numbers(field, &found)) ||
        (kind != PAJESIM_STATE && is_pale(found)))
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

uint32_t palette_for_name(color_palette *palette, pajesim_text name)
{
    static const uint32_t colors[] = {
        0x4e79a7, 0xf28e2b, 0x59a14f, 0xe15759, 0xb07aa1, 0x76b7b2, 0xedc948, 0xff9da7, 0x9c755f, 0x86bcb6,
        0xa0cbe8, 0xffbe7d, 0x8cd17d, 0xb6992d, 0xd4a6c8, 0x499894, 0xd37295, 0xfabfd2, 0xd7b5a6, 0x79706e,
    };
    enum { STRONG = 10 }; /* colours of the first row, which go first */
    const double golden_ratio = 0.61803398875;
    uint32_t hash = 2166136261u; /* FNV-1a: of the name alone, so that each run gives the same colour */
    for (size_t i = 0; i < name.size; i++)
        hash = (hash ^ (unsigned char)name.bytes[i]) * 16777619u;
    for (uint32_t i = 0; i < 2 * STRONG; i++) {
        uint32_t at = (hash + i) % STRONG + (i < STRONG ? 0 : STRONG);
        if (!(palette->taken >> at & 1)) {
            palette->taken |= 1u << at;
            return colors[at];
        }
    }
    unsigned count = ++palette->more_count;
    return color_of_hue(count * golden_ratio, 0.5, 0.45 + 0.1 * (count % 4));
}

uint32_t palette_color(color_palette *palette, pajesim_text name, pajesim_text field, pajesim_kind kind)
{
    uint32_t color;
    return palette_from_trace(palette, field, kind, &color) ? color : palette_for_name(palette, name);
}

uint32_t color_luma(uint32_t color)
{
    return 299 * (color >> 16) + 587 * (color >> 8 & 0xff) + 114 * (color & 0xff);
}
