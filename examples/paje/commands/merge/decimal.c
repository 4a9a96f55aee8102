/* Sums of decimals without rounding: a double has no nanoseconds of seconds since 1970. */
#include "merge.h"

enum { WHOLE = 20, DECIMALS = 30, DIGITS = WHOLE + DECIMALS };

typedef struct decimal {
    int is_negative;
    size_t decimals;
    unsigned char digits[DIGITS];
} decimal;

static int is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

/* The exponent at the end of a number, 0 without one; a number that is none is left to the caller. */
static long exponent_of(pajesim_text text)
{
    enum { MOST = 1000000 }; /* beyond any room */
    const char *at = text.bytes, *end = at + text.size;
    long exponent = 0;
    while (at < end && *at != 'e' && *at != 'E')
        at++;
    at += at < end;
    int is_negative = at < end && *at == '-';
    at += at < end && (*at == '-' || *at == '+');
    for (; at < end && is_digit(*at); at++)
        if (exponent < MOST)
            exponent = 10 * exponent + (*at - '0');
    return is_negative ? -exponent : exponent;
}

size_t merge_decimals_of(pajesim_text number)
{
    const char *point = memchr(number.bytes, '.', number.size);
    size_t count = 0;
    while (point && point + count + 1 < number.bytes + number.size && is_digit(point[count + 1]))
        count++;
    long decimals = (long)count - exponent_of(number);
    return decimals > 0 ? (size_t)decimals : 0;
}

/* Reads a number.  Returns 0 if it has more digits than there is room for. */
static int read(pajesim_text text, decimal *it)
{
    const char *at = text.bytes, *end = at + text.size;
    memset(it, 0, sizeof *it);
    it->is_negative = at < end && *at == '-';
    at += at < end && (*at == '-' || *at == '+');
    size_t whole = 0;
    while (at + whole < end && is_digit(at[whole]))
        whole++;
    it->decimals = merge_decimals_of(text);
    long place = WHOLE - (long)whole - exponent_of(text); /* of the next digit */
    for (; at < end && (is_digit(*at) || *at == '.'); at++) {
        if (*at == '.')
            continue;
        if (*at != '0' && (place < 0 || place >= DIGITS))
            return 0;
        if (*at != '0')
            it->digits[place] = (unsigned char)(*at - '0');
        place++;
    }
    return it->decimals <= DECIMALS;
}

/* Adds to digits those of another number, or takes away those of one that is not greater.  Returns what is carried. */
static int add(decimal *to, const decimal *other, int is_less)
{
    int carry = 0;
    for (size_t i = DIGITS; i-- > 0;) {
        int digit = is_less ? to->digits[i] - other->digits[i] - carry : to->digits[i] + other->digits[i] + carry;
        carry = digit < 0 || digit > 9;
        to->digits[i] = (unsigned char)(digit < 0 ? digit + 10 : digit > 9 ? digit - 10 : digit);
    }
    return carry;
}

int merge_add_decimals(text_buffer *sum, pajesim_text a, pajesim_text b, size_t least)
{
    decimal one, other, *greater = &one, *less = &other;
    if (!read(a, &one) || !read(b, &other))
        return 0;
    if (memcmp(one.digits, other.digits, DIGITS) < 0) {
        greater = &other;
        less = &one;
    }
    if (add(greater, less, greater->is_negative != less->is_negative))
        return 0;
    size_t decimals = one.decimals > other.decimals ? one.decimals : other.decimals, first = 0;
    decimals = decimals > least ? decimals : least;
    while (first < WHOLE - 1 && greater->digits[first] == 0)
        first++;
    static const unsigned char zero[DIGITS];
    text_clear(sum);
    if (greater->is_negative && memcmp(greater->digits, zero, DIGITS) != 0)
        text_putc(sum, '-');
    for (size_t i = first; i < WHOLE + decimals; i++) {
        if (i == WHOLE)
            text_putc(sum, '.');
        text_putc(sum, (char)('0' + greater->digits[i]));
    }
    return 1;
}
