/* Colours of types and values: those of the trace's Color fields, or of a palette. */
#pragma once

#include "pajesim.h"

/* Colours are 0xRRGGBB. */
typedef struct color_palette {
    int ignores_trace;   /* 1: the trace's colours are not used */
    uint32_t taken;      /* a bit for each colour of the list that was given out */
    unsigned more_count; /* colours beyond the list */
} color_palette;

/* The argument of the option --colors: trace or own.  Returns NULL, or what is wrong with it. */
const char *palette_option(color_palette *palette, const char *argument);
#define PALETTE_HELP "trace: those of the trace, where it has any; own: distinct ones in any case"

/* The colour that a Color field says.  Returns 0 if it says none, or one too pale to be seen on white (of states any is
 * taken, as they have frames), or if the palette ignores the trace. */
int palette_from_trace(const color_palette *palette, pajesim_text field, pajesim_kind kind, uint32_t *color);
/* A colour for a name: the same one in each trace, unless another name of this trace has it already. */
uint32_t palette_for_name(color_palette *palette, pajesim_text name);
/* The colour of the field, else one for the name. */
uint32_t palette_color(color_palette *palette, pajesim_text name, pajesim_text field, pajesim_kind kind);

/* Perceived brightness (Rec. 601): 0 to 255000. */
uint32_t color_luma(uint32_t color);
