/* Number parsing: decimal text to fixed-point integers and to doubles. */
#pragma once

#include "../api/api.h"
#include "../memory/simd.h"

#define PAJESIM__DOUBLES (PAJESIM_TIME_DECIMALS < 0 || PAJESIM_VALUE_DECIMALS < 0)

/* Parses [+-] digits [. digits] [e [+-] digits], with a digit before or after the point, in units of 10^-decimals,
 * rounded to nearest, halves away from zero.  Returns 0 and leaves *out alone for any other text, and for numbers
 * beyond -INT64_MAX to INT64_MAX. */
static int pajesim__fixed(const unsigned char *p, uint32_t n, int decimals, int64_t *out)
{
    const unsigned char *end = p + n, *digits;
    uint64_t m = 0;
    int32_t kept = decimals, exponent = 0; /* kept: digits before the rounding position, appended zeros included */
    uint32_t count = 0;
    int minus = 0, exponent_minus = 0, point = 0;

    if (p < end && (*p == '-' || *p == '+'))
        minus = *p++ == '-';
    for (digits = p; p < end; p++) {
        if (*p >= '0' && *p <= '9') {
            count++;
            kept += !point;
        } else if (*p != '.' || point++) {
            break;
        }
    }
    if (!count)
        return 0;
    if (p < end && (*p | 0x20) == 'e') {
        p++;
        if (p < end && (*p == '-' || *p == '+'))
            exponent_minus = *p++ == '-';
        if (p == end)
            return 0;
        for (; p < end && *p >= '0' && *p <= '9'; p++)
            if (exponent < 100000000)
                exponent = exponent * 10 + (*p - '0');
    }
    if (p != end)
        return 0;

    kept += exponent_minus ? -exponent : exponent;
    for (; kept >= 0 && (count || m); kept--) {
        uint32_t digit = 0;
        if (count) {
            digits += *digits == '.';
            digit = (uint32_t)(*digits++ - '0');
            count--;
        }
        if (!kept) { /* the first digit after the rounding position */
            m += digit >= 5;
            break;
        }
        if (m >> 60) /* ten times m would exceed 63 bits */
            return 0;
        m = m * 10 + digit;
    }
    if (m >> 63)
        return 0;
    *out = minus ? -(int64_t)m : (int64_t)m;
    return 1;
}

#if PAJESIM__DOUBLES
#include <float.h>
#if DBL_MANT_DIG != 53
#error "double has not 64 bits here: define PAJESIM_TIME_DECIMALS and PAJESIM_VALUE_DECIMALS, or PAJESIM_SMALL"
#endif

/* Decimal text to double, correctly rounded for any text.
 *
 * There are three paths, each exact in its range, so that they agree: up to 16 plain characters, one division of two
 * exact doubles; up to 19 digits and small exponents, one product or quotient of 128 bits; anything else, a long
 * division.  The last two use integers only and end in pajesim__nearest, the only place that rounds. */

/* 1 if doubles are computed in double precision.  The registers of x87 round to 64 bits first. */
#if defined(__FLT_EVAL_METHOD__)
#define PAJESIM__DOUBLE_DIVISION (__FLT_EVAL_METHOD__ == 0 || __FLT_EVAL_METHOD__ == 1)
#elif defined(_M_X64) || defined(_M_ARM64)
#define PAJESIM__DOUBLE_DIVISION 1
#else
#define PAJESIM__DOUBLE_DIVISION 0
#endif

/* 5^k, as far as 64 bits hold it. */
#define PAJESIM__FIVES 27
static const uint64_t pajesim__powers_of_five[PAJESIM__FIVES + 1] = {
    1, 5, 25, 125, 625, 3125, 15625, 78125, 390625, 1953125, 9765625, 48828125, 244140625, 1220703125, 6103515625,
    30517578125, 152587890625, 762939453125, 3814697265625, 19073486328125, 95367431640625, 476837158203125,
    2384185791015625, 11920928955078125, 59604644775390625, 298023223876953125, 1490116119384765625,
    7450580596923828125
};

/* floor((2^128 - 1) / d) - 2^64, where d is 5^k shifted until its bit 63 is set. */
static const uint64_t pajesim__reciprocal[PAJESIM__FIVES + 1] = {
    0xFFFFFFFFFFFFFFFF, 0x9999999999999999, 0x47AE147AE147AE14, 0x0624DD2F1A9FBE76, 0xA36E2EB1C432CA57,
    0x4F8B588E368F0846, 0x0C6F7A0B5ED8D36B, 0xAD7F29ABCAF48578, 0x5798EE2308C39DF9, 0x12E0BE826D694B2E,
    0xB7CDFD9D7BDBAB7D, 0x5FD7FE17964955FD, 0x19799812DEA11197, 0xC25C268497681C26, 0x6849B86A12B9B01E,
    0x203AF9EE756159B2, 0xCD2B297D889BC2B6, 0x70EF54646D496892, 0x2725DD1D243ABA0E, 0xD83C94FB6D2AC34A,
    0x79CA10C9242235D5, 0x2E3B40A0E9B4F7DD, 0xE392010175EE5962, 0x82DB34012B25144E, 0x357C299A88EA76A5,
    0xEF2D0F5DA7DD8AA2, 0x8C240C4AECB13BB5, 0x3CE9A36F23C0FC90
};

/* Returns the high half of a * b, and its low half in *low. */
PAJESIM__INLINE uint64_t pajesim__multiply128(uint64_t a, uint64_t b, uint64_t *low)
{
#ifdef __SIZEOF_INT128__
    __extension__ typedef unsigned __int128 wide;
    wide product = (wide)a * b;
    *low = (uint64_t)product;
    return (uint64_t)(product >> 64);
#else
    uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
    uint64_t right = a0 * b0;
    uint64_t middle = a1 * b0 + (right >> 32); /* neither sum overflows: (2^32 - 1)^2 + 2 (2^32 - 1) < 2^64 */
    uint64_t cross = a0 * b1 + (uint32_t)middle;
    *low = (cross << 32) | (uint32_t)right;
    return a1 * b1 + (middle >> 32) + (cross >> 32);
#endif
}

/* Returns the bits of the double nearest to m * 2^e, ties to even; m is not 0.  Callers that dropped bits below those
 * of m set its lowest bit (a sticky bit): m then has 62 bits or more, so that this bit lies far below the last one
 * kept. */
PAJESIM__INLINE uint64_t pajesim__nearest(uint64_t m, int e)
{
    const uint64_t infinity = (uint64_t)0x7FF << 52, half = (uint64_t)1 << 63;
    int shift = 64 - (int)pajesim__bit_width(m);
    int drop = 11; /* 64 bits, of which a double keeps 53 */
    int biased = e - shift + 63 + 1023;
    uint64_t bits, rest;
    m <<= shift;
    if (biased < 1) { /* subnormal: fewer bits are kept */
        drop += 1 - biased;
        biased = 1;
        if (drop > 64)
            return 0; /* less than half of the least double */
    }
    if (biased > 2046)
        return infinity;
    bits = drop < 64 ? m >> drop : 0;
    rest = m << (64 - drop);
    bits += rest > half || (rest == half && (bits & 1));
    /* The highest bit of a normal number adds 1 to the exponent.  So does a carry, also from the subnormal to the
     * normal numbers, and from the largest finite number to infinity. */
    return ((uint64_t)(biased - 1) << 52) + bits;
}

/* Returns the bits of the double nearest to m * 10^k, for m > 0 and |k| <= PAJESIM__FIVES. */
static uint64_t pajesim__scaled(uint64_t m, int k)
{
    uint64_t five = pajesim__powers_of_five[k < 0 ? -k : k], high, low, estimate, quotient, rest;
    int shift = 64 - (int)pajesim__bit_width(m), shift5 = 64 - (int)pajesim__bit_width(five);
    m <<= shift;
    five <<= shift5;
    if (k >= 0) {
        high = pajesim__multiply128(m, five, &low); /* at least 2^126 */
        return pajesim__nearest(high | (low != 0), k + 64 - shift - shift5);
    }
    /* The quotient m * 2^63 / five, between 2^62 and 2^64, with its remainder: algorithm 4 of Moeller and Granlund,
     * "Improved division by invariant integers".  The estimate is exact or 1 too high, never too low, because neither
     * half of the dividend exceeds 2^63 and `five` is at least 2^63: so the last step of algorithm 4 is left out. */
    high = m >> 1;
    low = m << 63;
    quotient = pajesim__multiply128(pajesim__reciprocal[-k], high, &estimate);
    estimate += low;
    quotient += high + (estimate < low) + 1;
    rest = low - quotient * five;
    if (rest > estimate) {
        quotient--;
        rest += five;
    }
    return pajesim__nearest(quotient | (rest != 0), k - 63 - shift + shift5);
}

/* A natural number of at most 2560 bits, the lowest limb first; the highest one is not 0. */
typedef struct pajesim__big {
    uint32_t size;
    uint32_t limb[80];
} pajesim__big;

static void pajesim__big_multiply(pajesim__big *b, uint32_t factor, uint32_t addend)
{
    uint64_t carry = addend;
    uint32_t i;
    for (i = 0; i < b->size; i++) {
        carry += (uint64_t)b->limb[i] * factor;
        b->limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry)
        b->limb[b->size++] = (uint32_t)carry;
}

static void pajesim__big_multiply_fives(pajesim__big *b, int k)
{
    for (; k > 13; k -= 13)
        pajesim__big_multiply(b, (uint32_t)pajesim__powers_of_five[13], 0);
    pajesim__big_multiply(b, (uint32_t)pajesim__powers_of_five[k], 0);
}

static void pajesim__big_shift(pajesim__big *b, uint32_t bits)
{
    uint32_t limbs = bits / 32;
    memmove(b->limb + limbs, b->limb, b->size * sizeof b->limb[0]);
    memset(b->limb, 0, limbs * sizeof b->limb[0]);
    b->size += limbs;
    pajesim__big_multiply(b, (uint32_t)1 << (bits % 32), 0);
}

static uint32_t pajesim__big_bits(const pajesim__big *b)
{
    return 32 * (b->size - 1) + pajesim__bit_width(b->limb[b->size - 1]);
}

/* Subtracts b from a and returns 1; returns 0 if a < b. */
static uint32_t pajesim__big_subtract(pajesim__big *a, const pajesim__big *b)
{
    uint64_t borrow = 0;
    uint32_t i = a->size;
    if (a->size < b->size)
        return 0;
    if (a->size == b->size) {
        while (i > 0 && a->limb[i - 1] == b->limb[i - 1])
            i--;
        if (i > 0 && a->limb[i - 1] < b->limb[i - 1])
            return 0;
    }
    for (i = 0; i < a->size; i++) {
        uint64_t difference = (uint64_t)a->limb[i] - (i < b->size ? b->limb[i] : 0) - borrow;
        a->limb[i] = (uint32_t)difference;
        borrow = difference >> 63;
    }
    while (a->size > 0 && a->limb[a->size - 1] == 0)
        a->size--;
    return 1;
}

/* Returns the bits of the double nearest to the `count` digits at p, which may contain a point; the first digit is not
 * 0, and the last one has the weight 10^k.  The number is a fraction of two big integers, which are divided bit by
 * bit. */
static uint64_t pajesim__number_long(const unsigned char *p, uint32_t count, int64_t k)
{
    /* The midpoint of two adjacent doubles has at most 768 significant digits.  Further digits matter only if one of
     * them is not 0, so a single digit 1 stands for all of them. */
    const uint32_t max_digits = 768;
    pajesim__big numerator, denominator;
    uint32_t kept, piece = 0, scale = 1, numerator_bits, denominator_bits;
    uint64_t quotient = 0;
    int e;

    if (k + count > 309) /* at least 10^309 */
        return (uint64_t)0x7FF << 52;
    if (k + count < -323) /* less than 10^-324, so less than half of the least double, 4.9e-324 */
        return 0;

    numerator.size = 0;
    for (kept = 0; kept < count && kept < max_digits; p++) {
        if (*p == '.')
            continue;
        piece = piece * 10 + (uint32_t)(*p - '0');
        scale *= 10;
        kept++;
        if (scale == 1000000000) {
            pajesim__big_multiply(&numerator, scale, piece);
            piece = 0;
            scale = 1;
        }
    }
    pajesim__big_multiply(&numerator, scale, piece);
    k += count - kept;
    for (; kept < count; p++) {
        if (*p == '.')
            continue;
        kept++;
        if (*p != '0') {
            pajesim__big_multiply(&numerator, 10, 1);
            k--;
            break;
        }
    }

    /* The numerator has at most 769 digits, or is at most 10^309; the denominator is at most 5^(769 + 323): both are
     * less than 2^2556. */
    denominator.size = 1;
    denominator.limb[0] = 1;
    e = (int)k;
    if (e > 0)
        pajesim__big_multiply_fives(&numerator, e);
    else
        pajesim__big_multiply_fives(&denominator, -e);

    /* Equal lengths make the quotient lie between 1/2 and 2. */
    numerator_bits = pajesim__big_bits(&numerator);
    denominator_bits = pajesim__big_bits(&denominator);
    e += (int)numerator_bits - (int)denominator_bits;
    if (numerator_bits < denominator_bits)
        pajesim__big_shift(&numerator, denominator_bits - numerator_bits);
    else
        pajesim__big_shift(&denominator, numerator_bits - denominator_bits);
    for (e++; !(quotient >> 63); e--) {
        quotient = quotient << 1 | pajesim__big_subtract(&numerator, &denominator);
        pajesim__big_multiply(&numerator, 2, 0);
    }
    return pajesim__nearest(quotient | (numerator.size != 0), e);
}

/* Loads of four and eight bytes, little-endian on any machine; compilers make one instruction of each. */
PAJESIM__INLINE uint64_t pajesim__little32(const unsigned char *p)
{
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

PAJESIM__INLINE uint64_t pajesim__little64(const unsigned char *p)
{
    return pajesim__little32(p) | pajesim__little32(p + 4) << 32;
}

#define PAJESIM__EACH(byte) ((byte) * (uint64_t)0x0101010101010101)

/* Whether any of the eight bytes exceeds 9. */
PAJESIM__INLINE int pajesim__has_non_digit(uint64_t a)
{
    return (((a + PAJESIM__EACH(0x7F - 9)) | a) & PAJESIM__EACH(0x80)) != 0;
}

/* Converts eight bytes of 0 to 9, the lowest one being the first digit, in three steps that combine neighbours. */
PAJESIM__INLINE uint64_t pajesim__parse_eight(uint64_t a)
{
    a = (a * (1 + (10 << 8)) >> 8) & 0x00FF00FF00FF00FF;
    a = (a * (1 + (100 << 16)) >> 16) & 0x0000FFFF0000FFFF;
    return a * (1 + ((uint64_t)10000 << 32)) >> 32;
}

/* Returns 1 at the place of the lowest of the eight bytes that equals `byte`; 0 if none does.  (Borrows set false bits
 * only above the first match.) */
PAJESIM__INLINE uint64_t pajesim__byte_equal(uint64_t a, uint64_t byte)
{
    a ^= PAJESIM__EACH(byte);
    a = (a - PAJESIM__EACH(1)) & ~a & PAJESIM__EACH(0x80);
    return (a & (0 - a)) >> 7;
}

/* Returns the number of bytes above the place `one`: a table lookup in the highest byte of a product. */
PAJESIM__INLINE uint32_t pajesim__bytes_above(uint64_t one)
{
    return (uint32_t)(one * 0x0706050403020100 >> 56);
}

/* Removes the byte at the place `one`, moves the lower bytes up, and puts 0 in the lowest place. */
PAJESIM__INLINE uint64_t pajesim__remove_byte(uint64_t a, uint64_t one)
{
    uint64_t below = a & (one - 1);
    return (a & ((0 - one) << 8)) | below << 8;
}

/* Skips digits and appends them to *m, modulo 2^64. */
PAJESIM__INLINE const unsigned char *pajesim__digits(const unsigned char *p, const unsigned char *end, uint64_t *m)
{
    uint64_t sum = *m;
    while (end - p >= 8) {
        uint64_t a = pajesim__little64(p) ^ PAJESIM__EACH('0');
        if (pajesim__has_non_digit(a))
            break;
        sum = sum * 100000000 + pajesim__parse_eight(a);
        p += 8;
    }
    for (; p < end && *p >= '0' && *p <= '9'; p++)
        sum = sum * 10 + (uint64_t)(*p - '0');
    *m = sum;
    return p;
}

/* Parses any text of one byte or more: the general path of pajesim__number. */
static int pajesim__number_any(const unsigned char *p, uint32_t n, double *out)
{
    const unsigned char *end = p + n, *first, *last, *point = NULL;
    uint64_t m = 0, sign = 0, bits = 0;
    int64_t k = 0; /* the number is m * 10^k; neither the size of the text nor the capped exponent overflows k */
    uint32_t count;

    if (p < end && (*p == '-' || *p == '+'))
        sign = (uint64_t)(*p++ == '-') << 63;
    first = p;
    p = pajesim__digits(p, end, &m);
    if (p < end && *p == '.') {
        point = p;
        p = pajesim__digits(p + 1, end, &m);
        k = point + 1 - p;
    }
    last = p;
    count = (uint32_t)(last - first) - (point != NULL);
    if (count == 0)
        return 0;
    if (p < end && (*p == 'e' || *p == 'E')) {
        int64_t exponent = 0;
        int minus = 0;
        p++;
        if (p < end && (*p == '-' || *p == '+'))
            minus = *p++ == '-';
        if (p == end)
            return 0;
        for (; p < end && *p >= '0' && *p <= '9'; p++)
            if (exponent < 100000000000)
                exponent = exponent * 10 + (*p - '0');
        k += minus ? -exponent : exponent;
    }
    if (p != end)
        return 0;

    if (count > 19) { /* m may have overflowed */
        while (first < last && (*first == '0' || *first == '.'))
            first++;
        count = (uint32_t)(last - first) - (point != NULL && first < point);
    }
    if (count > 19) {
        /* The number lies between m and m + 1 of its first 19 digits; if both have the same nearest double, so has the
         * number. */
        const unsigned char *digit = first;
        int64_t k19 = k + count - 19;
        uint32_t i;
        m = 0;
        for (i = 0; i < 19; digit++)
            if (*digit != '.') {
                m = m * 10 + (uint64_t)(*digit - '0');
                i++;
            }
        if (k19 < -PAJESIM__FIVES || k19 > PAJESIM__FIVES ||
            (bits = pajesim__scaled(m, (int)k19)) != pajesim__scaled(m + 1, (int)k19))
            bits = pajesim__number_long(first, count, k);
    } else if (m == 0) {
        bits = 0;
    } else if (k >= -PAJESIM__FIVES && k <= PAJESIM__FIVES) {
        bits = pajesim__scaled(m, (int)k);
    } else {
        while (*first == '0' || *first == '.') {
            count -= *first == '0';
            first++;
        }
        bits = pajesim__number_long(first, count, k);
    }
    bits |= sign;
    memcpy(out, &bits, sizeof bits);
    return 1;
}

#if PAJESIM__DOUBLE_DIVISION
static const double pajesim__powers_of_ten[16] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                  1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
#endif

/* Parses [+-] digits [. digits] [e [+-] digits], with a digit before or after the point, to the nearest double; returns
 * 0 and leaves *out alone for any other text.  Up to 16 bytes of digits, perhaps with a point, are parsed here: no
 * branch depends on the digits, and hardly any on their number.  pajesim__number_any parses the rest. */
static int pajesim__number(const unsigned char *p, uint32_t n, double *out)
{
    const uint64_t zeros = PAJESIM__EACH('0');
    uint64_t high = 0, low, point, m;
    uint32_t k = 0;

    /* Right-align the values of the digits in 16 bytes, with zeros before them. */
    if (n - 8 <= 8) {
        low = pajesim__little64(p + n - 8) ^ zeros;
        high = (pajesim__little64(p) ^ zeros) << 4 * (16 - n) << 4 * (16 - n);
    } else if (n - 4 < 4) {
        low = pajesim__little32(p) | pajesim__little32(p + n - 4) << 8 * (n - 4);
        low = (low ^ zeros) << 8 * (8 - n);
    } else if (n - 2 < 2) {
        low = (uint64_t)(p[0] | p[1] << 8 | p[n - 1] << 8 * (n - 1));
        low = (low ^ zeros) << 8 * (8 - n);
    } else if (n == 1 && p[0] != '.') {
        low = (p[0] ^ zeros) << 56;
    } else {
        return n > 0 && pajesim__number_any(p, n, out);
    }

    /* Remove the first point, and move what precedes it up by a byte. */
    if ((point = pajesim__byte_equal(high, '.' ^ '0')) != 0) {
        k = 8 + pajesim__bytes_above(point);
        high = pajesim__remove_byte(high, point);
    } else if ((point = pajesim__byte_equal(low, '.' ^ '0')) != 0) {
        k = pajesim__bytes_above(point);
        low = pajesim__remove_byte(low, point) | high >> 56;
        high <<= 8;
    }
    if (PAJESIM__UNLIKELY(pajesim__has_non_digit(high) | pajesim__has_non_digit(low)))
        return pajesim__number_any(p, n, out);
    m = pajesim__parse_eight(high) * 100000000 + pajesim__parse_eight(low);

#if PAJESIM__DOUBLE_DIVISION
    /* There is one rounding: of the quotient if there is a point, since then 15 digits are less than 2^53, else of
     * m. */
    *out = (double)(int64_t)m / pajesim__powers_of_ten[k];
#else
    m = m ? pajesim__scaled(m, -(int)k) : 0;
    memcpy(out, &m, sizeof m);
#endif
    return 1;
}

/* pajesim__number for a word of a line.  Memory is readable from `readable` on, so that up to 16 bytes in front of the
 * word's end may be loaded at once. */
PAJESIM__INLINE int pajesim__number_in_line(const unsigned char *readable, const unsigned char *p, uint32_t n,
                                            double *out)
{
#if PAJESIM__SIMD && PAJESIM__DOUBLE_DIVISION
    static const unsigned char mask[32] = {0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,
                                           0,   0,   0,   0,   0,   255, 255, 255, 255, 255, 255,
                                           255, 255, 255, 255, 255, 255, 255, 255, 255, 255};
    /* Divisors, by the number of bytes up to and including the point; 0: there is no point. */
    static const double tens[17] = {1e0, 1e15, 1e14, 1e13, 1e12, 1e11, 1e10, 1e9, 1e8,
                                    1e7, 1e6,  1e5,  1e4,  1e3,  1e2,  1e1,  1e0};
    const unsigned char *end = p + n;
    pajesim__bytes16 digits, after_point;
    uint32_t point;
    uint64_t high = 0, low = 0;
    if (PAJESIM__UNLIKELY(n - 2 > 14 || (size_t)(end - readable) < 16))
        return pajesim__number(p, n, out);
    /* Right-align the values of the digits, with zeros before them. */
    digits = pajesim__load16(end - 16) - pajesim__splat16('0');
    digits &= pajesim__load16(mask + n);
    /* Remove the last point, and move what precedes it up by a byte. */
    point = PAJESIM__LAST16(pajesim__bitmap16(pajesim__compare16(digits, (unsigned char)('.' - '0'), 0)));
    after_point = pajesim__load16(mask + 16 - point);
    digits = (after_point & digits) | (~after_point & pajesim__up_one_byte(digits));
    if (PAJESIM__UNLIKELY(!pajesim__combine_digits(digits, &high, &low)))
        return pajesim__number(p, n, out);
    *out = (double)(int64_t)(high * 100000000 + low) / tens[point];
    return 1;
#else
    (void)readable;
    return pajesim__number(p, n, out);
#endif
}

#undef PAJESIM__EACH
#endif /* PAJESIM__DOUBLES */

/* Parses a time of a line; `readable` as in pajesim__number_in_line. */
PAJESIM__INLINE int pajesim__read_time(const unsigned char *readable, const unsigned char *p, uint32_t n,
                                       pajesim_time *time)
{
#if PAJESIM_TIME_DECIMALS < 0
    return pajesim__number_in_line(readable, p, n, time);
#else
    (void)readable;
    return pajesim__fixed(p, n, PAJESIM_TIME_DECIMALS, time);
#endif
}

/* Parses the value of a variable. */
PAJESIM__INLINE int pajesim__read_quantity(const unsigned char *readable, const unsigned char *p, uint32_t n,
                                           pajesim_quantity *quantity)
{
#if PAJESIM_VALUE_DECIMALS < 0
    return pajesim__number_in_line(readable, p, n, quantity);
#else
    (void)readable;
    return pajesim__fixed(p, n, PAJESIM_VALUE_DECIMALS, quantity);
#endif
}

/* Adds a and b; returns 0 if the sum overflows. */
PAJESIM__INLINE int pajesim__add_quantities(pajesim_quantity a, pajesim_quantity b, pajesim_quantity *sum)
{
#if PAJESIM_VALUE_DECIMALS >= 0
    if (b > 0 ? a > INT64_MAX - b : a < -INT64_MAX - b)
        return 0;
#endif
    *sum = a + b;
    return 1;
}

#if PAJESIM__DOUBLES
PAJESIM_API int pajesim_number(const char *bytes, size_t size, double *number)
{
    return size <= UINT32_MAX && pajesim__number((const unsigned char *)bytes, (uint32_t)size, number);
}
#endif

PAJESIM_API int pajesim_fixed(const char *bytes, size_t size, int decimals, int64_t *number)
{
    if (size >> 15 >> 15 >> 1) /* a shift by 31, which a size_t of 16 bits does not allow in one step */
        return 0;
    return pajesim__fixed((const unsigned char *)bytes, (uint32_t)size, decimals, number);
}
