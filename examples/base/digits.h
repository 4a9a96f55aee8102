/* Digits of numbers. */
#pragma once

#include "base/platform.h"

#include <string.h>

static const uint64_t digits_powers[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000,
                                         10000000000, 100000000000, 1000000000000, 10000000000000, 100000000000000,
                                         1000000000000000, 10000000000000000, 100000000000000000,
                                         1000000000000000000, 10000000000000000000u};

/* How many digits a number has.  gcc and clang need no loop, whose exit would be mispredicted. */
static inline int digits_count(uint64_t number)
{
#if defined(__GNUC__)
    int bits = 64 - __builtin_clzll(number | 1), least = bits * 1233 >> 12; /* log10(2) */
    return least + (number >= digits_powers[least]) + (number == 0);
#else
    int digits = 1;
    while (digits < 20 && number >= digits_powers[digits])
        digits++;
    return digits;
#endif
}

static inline void digits_write_two(char *at, uint32_t number)
{
    static const char pairs[] = "00010203040506070809101112131415161718192021222324252627282930313233343536373839"
                                "40414243444546474849505152535455565758596061626364656667686970717273747576777879"
                                "8081828384858687888990919293949596979899";
    memcpy(at, pairs + 2 * number, 2);
}

static inline void digits_write_four(char *at, uint32_t number)
{
    digits_write_two(at, number / 100);
    digits_write_two(at + 2, number % 100);
}

/* Writes the last `count` digits of a number so that they end at `at`; returns the digits before them.  Several digits
 * at a time take fewer divisions, which do not wait for each other. */
static inline uint64_t digits_write(char *at, uint64_t number, int count)
{
    for (; count >= 8; count -= 8, number /= 100000000) {
        uint32_t eight = (uint32_t)(number % 100000000);
        digits_write_four(at -= 4, eight % 10000);
        digits_write_four(at -= 4, eight / 10000);
    }
    if (count & 4) {
        digits_write_four(at -= 4, (uint32_t)(number % 10000));
        number /= 10000;
    }
    if (count & 2) {
        digits_write_two(at -= 2, (uint32_t)(number % 100));
        number /= 100;
    }
    if (count & 1) {
        at[-1] = (char)('0' + number % 10);
        number /= 10;
    }
    return number;
}

/* Fast path: most times of traces are whole numbers of a unit, such as the nanosecond, of less than 16 digits.  That
 * count and a scale that is a power of ten are exact doubles, so their quotient is the double that the decimals read
 * back as.  Returns 0 for other numbers. */
static inline int digits_whole(double number, double scale, int64_t *count)
{
    double scaled = number * scale;
    if (!(scaled < 1e15 && scaled > -1e15))
        return 0;
    *count = (int64_t)(scaled + (number < 0 ? -0.5 : 0.5));
    return !((double)*count / scale < number) && !((double)*count / scale > number);
}
