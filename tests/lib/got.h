/* What a test has put into a text, and what is expected there. */
#ifndef TESTS_GOT_H
#define TESTS_GOT_H

#include <stdio.h>
#include <string.h>

#include "base/text.h"

static text_buffer got;

/* Whether what was put is that; it is cleared. */
static int is(const char *expected)
{
    int same = strcmp(text_string(&got), expected) == 0;
    if (!same)
        fprintf(stderr, "`%s`, expected `%s`\n", got.bytes, expected);
    text_clear(&got);
    return same;
}

#endif
