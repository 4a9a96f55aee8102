/* Integers as text in little code, for microcontrollers: no division instruction is needed. */
#pragma once

#include "../api/platform.h"

/* ---- numbers as text */

/* Writes a number that ends before p; returns its start. */
PAJEWRITE__NOINLINE char *pajewrite__small_digits(char *p, uint32_t n)
{
    while (n > 9) { /* q becomes n / 10 */
        uint32_t q = (n >> 1) + (n >> 2);
        q += q >> 4;
        q += q >> 8;
        q += q >> 16;
        q >>= 3;
        n -= q * 10;
        if (n > 9) {
            n -= 10;
            q++;
        }
        *--p = (char)('0' + n);
        n = q;
    }
    *--p = (char)('0' + n);
    return p;
}

/* Divides the 64-bit number `high`:`*low` by `by`, where high < by.  Stores the quotient in `*low`, returns the
 * remainder. */
PAJEWRITE__UNTRACED
static uint32_t pajewrite__small_divide(uint32_t high, uint32_t *low, uint32_t by)
{
    uint32_t n = *low, rest = high, i = 32;
    PAJEWRITE__ASSERT(high < by);
#ifdef __GNUC__
    __asm__("" : "+r"(by)); /* keeps gcc from deriving two more constants from it */
#endif
    if (high < by >> 16) { /* the upper half of the quotient is 0 */
        rest = high << 16 | n >> 16;
        n <<= 16;
        i = 16;
    }
    do {
        uint32_t less;
        rest = rest * 2 + (n >> 31);
        n *= 2;
        less = rest - by;
        if (less <= rest) {
            rest = less;
            n++;
        }
    } while (--i);
    *low = n;
    return rest;
}

#if PAJEWRITE__HAS_VARIABLES || PAJEWRITE__HAS_LINKS || PAJEWRITE_FIELDS_SIZE || PAJEWRITE_DOUBLE
PAJEWRITE__UNTRACED
static char *pajewrite__small_long(char *p, uint32_t low, uint32_t high, uint32_t is_signed)
{
    uint32_t negative = is_signed & high >> 31;
    if (negative) {
        high = ~high + !low;
        low = 0 - low;
    }
    while (high) {
        uint32_t rest = pajewrite__small_divide(0, &high, 10);
        *--p = (char)('0' + pajewrite__small_divide(rest, &low, 10));
    }
    p = pajewrite__small_digits(p, low);
    if (negative)
        *--p = '-';
    return p;
}
#endif

#if PAJEWRITE_DOUBLE
PAJEWRITE__UNTRACED
static char *pajewrite__small_bytes(char *p, const char *text, size_t size)
{
    while (size--)
        *p++ = *text++;
    return p;
}

PAJEWRITE__UNTRACED
static char *pajewrite__small_i64(char *p, int64_t n)
{
    char text[24], *t = pajewrite__small_long(text + 24, (uint32_t)n, (uint32_t)((uint64_t)n >> 32), 1);
    return pajewrite__small_bytes(p, t, (size_t)(text + 24 - t));
}

/* Below 2^63. */
PAJEWRITE__UNTRACED
static char *pajewrite__small_u64(char *p, uint64_t n) { return pajewrite__small_i64(p, (int64_t)n); }
PAJEWRITE__UNTRACED
static char *pajewrite__small_u32(char *p, uint32_t n) { return pajewrite__small_i64(p, n); }
PAJEWRITE__UNTRACED
static void pajewrite__small_nine(char *p, uint32_t n)
{
    char text[10];
    pajewrite__small_bytes(p, pajewrite__small_digits(text + 10, n + 1000000000u) + 1, 9);
}
#endif
