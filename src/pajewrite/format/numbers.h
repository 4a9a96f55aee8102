/* Integers as text, fast: compilers turn divisions by constants into multiplications, and the quotients do not depend
 * on each other. */
#pragma once

#include "../api/platform.h"
#include <string.h>

static const char pajewrite__pairs[] =
    "00010203040506070809101112131415161718192021222324252627282930313233343536373839404142434445464748495051525354"
    "55565758596061626364656667686970717273747576777879808182838485868788899091929394959697989900";

/* Two digits; n < 100. */
PAJEWRITE__INLINE char *pajewrite__put_2(char *p, uint32_t n)
{
    PAJEWRITE__ASSERT(n < 100);
    memcpy(p, pajewrite__pairs + n * 2, 2);
    return p + 2;
}

/* One digit or two; n < 100. */
PAJEWRITE__INLINE char *pajewrite__put_1_or_2(char *p, uint32_t n)
{
    memcpy(p, pajewrite__pairs + n * 2 + (n < 10), 2);
    return p + (n < 10 ? 1 : 2);
}

/* n >= 100.  Out of line, because each event would have several copies. */
PAJEWRITE__NOINLINE char *pajewrite__put_u32_long(char *p, uint32_t n)
{
    uint32_t a = n / 100000000u, b = n / 1000000u, c = n / 10000u, d = n / 100u;
    PAJEWRITE__ASSERT(n >= 100);
    if (n < 10000) {
        p = pajewrite__put_1_or_2(p, d);
        return pajewrite__put_2(p, n - d * 100);
    }
    if (n < 1000000) {
        p = pajewrite__put_1_or_2(p, c);
    } else {
        if (n < 100000000) {
            p = pajewrite__put_1_or_2(p, b);
        } else {
            p = pajewrite__put_1_or_2(p, a);
            p = pajewrite__put_2(p, b - a * 100);
        }
        p = pajewrite__put_2(p, c - b * 100);
    }
    p = pajewrite__put_2(p, d - c * 100);
    return pajewrite__put_2(p, n - d * 100);
}

PAJEWRITE__INLINE char *pajewrite__put_u32(char *p, uint32_t n)
{
    if (n < 10) {
        *p = (char)('0' + n);
        return p + 1;
    }
    return n < 100 ? pajewrite__put_2(p, n) : pajewrite__put_u32_long(p, n);
}

/* Nine digits; n < 10^9. */
PAJEWRITE__INLINE void pajewrite__put_nine(char *p, uint32_t n)
{
    uint32_t a = n / 100000000u, b = n / 1000000u, c = n / 10000u, d = n / 100u;
    PAJEWRITE__ASSERT(n < 1000000000u);
    *p = (char)('0' + a);
    pajewrite__put_2(p + 1, b - a * 100);
    pajewrite__put_2(p + 3, c - b * 100);
    pajewrite__put_2(p + 5, d - c * 100);
    pajewrite__put_2(p + 7, n - d * 100);
}

PAJEWRITE__COLD char *pajewrite__put_u64_long(char *p, uint64_t n)
{
    uint64_t high = n / 1000000000u;
    if (high >> 32) {
        p = pajewrite__put_u32(p, (uint32_t)(high / 1000000000u));
        pajewrite__put_nine(p, (uint32_t)(high % 1000000000u));
        p += 9;
    } else {
        p = pajewrite__put_u32(p, (uint32_t)high);
    }
    pajewrite__put_nine(p, (uint32_t)(n % 1000000000u));
    return p + 9;
}

PAJEWRITE__INLINE char *pajewrite__put_u64(char *p, uint64_t n)
{
    return PAJEWRITE__LIKELY(!(n >> 32)) ? pajewrite__put_u32(p, (uint32_t)n) : pajewrite__put_u64_long(p, n);
}

PAJEWRITE__INLINE char *pajewrite__put_i64(char *p, int64_t n)
{
    *p = '-';
    return n < 0 ? pajewrite__put_u64(p + 1, 0 - (uint64_t)n) : pajewrite__put_u64(p, (uint64_t)n);
}
