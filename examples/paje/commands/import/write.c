/* The trace that is written, through standard output or the file that stands for it. */
#define PAJEWRITE_IMPLEMENTATION
#include "import.h"
#include "timeline/color.h"

#include <stdio.h>

pajewrite writer;

static pajewrite_status sink(void *data, const char *bytes, size_t size)
{
    (void)data;
    text_put(&stream_output, bytes, size);
    if (stream_output.size >= stream_output_limit)
        stream_flush();
    return PAJEWRITE_OK;
}

/* All events have times of their own. */
static uint64_t no_clock(void *data)
{
    (void)data;
    return 0;
}

void write_begin(uint32_t decimals)
{
    static char buffer[1 << 16];
    pajewrite_config config = PAJEWRITE_CONFIG;
    config.sink = sink;
    config.clock = no_clock;
    config.decimals = decimals ? decimals : PAJEWRITE_SECONDS;
    pajewrite_init(&writer, buffer, sizeof buffer, &config);
    pajewrite_header(&writer);
}

void write_end(void)
{
    pajewrite_status status = pajewrite_finish(&writer);
    if (status != PAJEWRITE_OK)
        stream_fail("the trace could not be written: %s", pajewrite_problem(&writer));
}

const char *write_name(pajesim_text name)
{
    enum { LONGEST = 4000 };
    static text_buffer copy;
    text_clear(&copy);
    text_put(&copy, name.bytes, name.size < LONGEST ? name.size : LONGEST);
    for (size_t i = 0; i < copy.size; i++)
        if (copy.bytes[i] == '\0')
            copy.bytes[i] = '_';
    return text_string(&copy);
}

void write_value(pajewrite_value value, pajewrite_type type, pajesim_text name, const uint32_t *color)
{
    static color_palette palette;
    char text[40];
    uint32_t rgb = color ? *color : palette_for_name(&palette, name);
    snprintf(text, sizeof text, "%.3f %.3f %.3f", (rgb >> 16) / 255.0, (rgb >> 8 & 0xff) / 255.0, (rgb & 0xff) / 255.0);
    pajewrite_define_value(&writer, value, type, write_name(name), text);
}
