/* Words that are spelled alike. */
#pragma once

#include "base/platform.h"

/* Keeps, of names that are offered one by one, that which is spelled most like a word. */
typedef struct similar_name {
    const char *word, *name; /* name: NULL while none is alike */
    size_t distance;
} similar_name;

void similar_offer(similar_name *it, const char *name);
