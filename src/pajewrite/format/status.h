/* Version and status as text. */
#pragma once

#include "../api/platform.h"

PAJEWRITE__API uint32_t pajewrite_version(void) { return PAJEWRITE_VERSION; }

#ifndef __AVR__ /* left out on AVR, where the texts would be in RAM */
PAJEWRITE__API const char *pajewrite_status_text(pajewrite_status status)
{
    /* One array of texts, each ended by NUL.  String literals of their own would be merged with those of the program,
     * and a firmware that uses any of these would be linked with all of them. */
    static const char texts[] =
        "no problem\0"
#define PAJEWRITE__X(code, text) text "\0"
        PAJEWRITE_PROBLEMS(PAJEWRITE__X)
#undef PAJEWRITE__X
        "unknown problem";
    const char *text = texts;
    uint32_t left = (uint32_t)status < PAJEWRITE__STATUS_COUNT ? (uint32_t)status : (uint32_t)PAJEWRITE__STATUS_COUNT;
    while (left)
        left -= !*text++;
    return text;
}
#endif
