/* Doubles as text: a short decimal if it is read back as the same double, else 17 digits, correctly rounded. */
#pragma once

#include "bytes.h"
#include "numbers.h"
#include "small_numbers.h"
#include <string.h>

#if PAJEWRITE_RING
#define PAJEWRITE__FOR_DOUBLES(name) pajewrite__small_##name
#else
#define PAJEWRITE__FOR_DOUBLES(name) pajewrite__put_##name
#endif

#if PAJEWRITE_DOUBLE
#include <float.h>
#if DBL_MANT_DIG != 53
#error "double is not the one of 64 bits here: define PAJEWRITE_DOUBLE as 0"
#endif
#endif

#if PAJEWRITE_DOUBLE
/* By its bits, as options such as -ffast-math let compilers take every number for a finite one. */
PAJEWRITE__UNTRACED
static int pajewrite__is_finite(double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return (bits >> 52 & 0x7ff) != 0x7ff;
}

#if defined(FLT_EVAL_METHOD) && FLT_EVAL_METHOD == 0
/* Whether sums and quotients are rounded to the nearest double, which a program may change (fesetround); that of a
 * microcontroller does not. */
PAJEWRITE__UNTRACED
static int pajewrite__rounds_to_nearest(void)
{
#if PAJEWRITE_RING
    return 1;
#else
    const volatile double one = 1, less = DBL_EPSILON / 4, more = DBL_EPSILON / 4 * 3;
    const volatile double low = one + less, high = one + more;
    return low <= 1 && high > 1;
#endif
}
#endif

/* Writes 17 significant digits of mantissa * 2^exponent and returns the power of ten of the first one.  Exact
 * arithmetic in limbs of 9 digits. */
PAJEWRITE__UNTRACED
static int pajewrite__to_17_digits(char *digits, uint64_t mantissa, int exponent)
{
    uint32_t limbs[88], carry; /* 2^-1074 times 10^1074 has 751 digits; the mantissa adds 16 */
    int count = 0, power = 0, i, n, up;
    char all[88 * 9 + 1];
    for (; mantissa; mantissa /= 1000000000u)
        limbs[count++] = (uint32_t)(mantissa % 1000000000u);
    while (exponent != 0) {
        /* multiply by 2^k; or by 5^k, and divide by 10^k, which divides by 2^k */
        int step = exponent > 0 ? (exponent < 29 ? exponent : 29) : (exponent > -12 ? -exponent : 12);
        uint32_t factor = 1;
        for (i = 0; i < step; i++)
            factor *= exponent > 0 ? 2 : 5;
        for (carry = 0, i = 0; i < count; i++) {
            uint64_t product = (uint64_t)limbs[i] * factor + carry;
            carry = (uint32_t)(product / 1000000000u);
            limbs[i] = (uint32_t)(product - (uint64_t)carry * 1000000000u);
        }
        if (carry)
            limbs[count++] = carry;
        power -= exponent > 0 ? 0 : step;
        exponent += exponent > 0 ? -step : step;
    }
    n = (int)(PAJEWRITE__FOR_DOUBLES(u32)(all, limbs[count - 1]) - all);
    for (i = count - 2; i >= 0; i--, n += 9)
        PAJEWRITE__FOR_DOUBLES(nine)(all + n, limbs[i]);
    power += n - 1;
    for (i = n; i < 17; i++)
        all[i] = '0';
    memcpy(digits, all, 17);
    if (n > 17) {
        for (i = 18; i < n && all[i] == '0'; i++)
            ;
        up = all[17] > '5' || (all[17] == '5' && (i < n || (digits[16] & 1)));
        for (i = 16; up && i >= 0; i--) {
            up = digits[i] == '9';
            digits[i] = up ? '0' : (char)(digits[i] + 1);
        }
        if (up) { /* all digits were nines */
            digits[0] = '1';
            power++;
        }
    }
    return power;
}

/* Writes at most 24 bytes. */
PAJEWRITE__UNTRACED
static char *pajewrite__put_double(char *p, double number)
{
    uint64_t bits, mantissa;
    int exponent, power, last;
    char digits[17];
    PAJEWRITE__ASSERT(pajewrite__is_finite(number));
    memcpy(&bits, &number, sizeof bits);
    mantissa = bits & ((UINT64_C(1) << 52) - 1);
    exponent = (int)(bits >> 52 & 0x7ff);
    if (bits >> 63) {
        *p++ = '-';
        number = -number;
    }
    if (!exponent && !mantissa) {
        *p++ = '0';
        return p;
    }
#if defined(FLT_EVAL_METHOD) && FLT_EVAL_METHOD == 0
    /* n and 10^6 are exact, so n / 10^6 is rounded once, as a reader rounds that decimal.  (A constant would be divided
     * by as multiplied by its inverse with -ffast-math, which also makes zeros of numbers without an exponent.) */
    if (exponent && number < 9007199254.0 && pajewrite__rounds_to_nearest()) {
        const volatile double million = 1e6;
        uint64_t n = (uint64_t)(number * 1e6 + 0.5);
        if ((double)n / million == number) {
            uint64_t whole = n / 1000000u;
            uint32_t part = (uint32_t)(n - whole * 1000000u);
            p = PAJEWRITE__FOR_DOUBLES(u64)(p, whole);
            if (part) {
                char nine[9];
                for (PAJEWRITE__FOR_DOUBLES(nine)(nine, part * 1000), last = 8; nine[last] == '0'; last--)
                    ;
                *p++ = '.';
                p = PAJEWRITE__FOR_DOUBLES(bytes)(p, nine, (size_t)last + 1);
            }
            return p;
        }
    }
#endif
    if (exponent)
        mantissa |= UINT64_C(1) << 52;
    else
        exponent = 1;
    power = pajewrite__to_17_digits(digits, mantissa, exponent - 1075);
    for (last = 16; last > 0 && digits[last] == '0'; last--)
        ;
    *p++ = digits[0];
    if (last) {
        *p++ = '.';
        p = PAJEWRITE__FOR_DOUBLES(bytes)(p, digits + 1, (size_t)last);
    }
    *p++ = 'e';
    return PAJEWRITE__FOR_DOUBLES(i64)(p, power);
}

#endif
