/* Times in decimals, which are compared as whole numbers as long as all have as many decimals. */
#include "merge.h"

#include <math.h>

/* Reads digits; `*whole` goes on with them. */
static const char *read_digits(const char *at, const char *end, uint64_t *whole)
{
    uint64_t number = *whole;
    for (unsigned digit; at < end && (digit = (unsigned)*at - '0') <= 9; at++)
        number = 10 * number + digit;
    *whole = number;
    return at;
}

int merge_read_plain(const char *bytes, const char *end, merge_plain *time)
{
    enum { DIGITS = 18 }; /* as many fit in 64 bits */
    uint64_t whole = 0;
    const char *point = read_digits(bytes, end, &whole), *at = point;
    size_t decimals = 0;
    if (at == bytes)
        return 0;
    if (at < end && *at == '.') {
        at = read_digits(point + 1, end, &whole);
        decimals = (size_t)(at - point - 1);
        if (decimals == 0)
            return 0;
    }
    size_t size = (size_t)(at - bytes);
    if (size > DIGITS + 1 || (decimals == 0 && size > DIGITS) || (at < end && *at != ' '))
        return 0;
    *time = (merge_plain){whole, (uint32_t)size, (uint32_t)decimals};
    return 1;
}

void merge_set_latest(merge_latest *latest, const char *bytes, size_t size)
{
    memset(latest, 0, sizeof *latest);
    if (size > 0 && size < BLOCK_BYTES) {
        memcpy(latest->text, bytes, size);
        latest->size = (uint32_t)size;
        latest->digits = block_digits(block_load(latest->text));
    }
}

double merge_latest_number(const merge_latest *latest)
{
    merge_plain plain = {0};
    merge_read_plain(latest->text, latest->text + latest->size, &plain);
    return merge_plain_number(&plain);
}

/* Below 2^53 both numbers are exact, so their quotient is rounded once. */
double merge_plain_number(const merge_plain *time)
{
    static const double powers[] = {1,   1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8, 1e9,
                                    1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18};
    if (time->whole <= UINT64_C(1) << 53)
        return (double)time->whole / powers[time->decimals];
    char text[32], *at = text + sizeof text; /* the number again, with a point */
    double number = NAN;
    uint64_t left = time->whole;
    for (uint32_t i = 0; left || i <= time->decimals; i++, left /= 10) {
        if (i == time->decimals && i > 0)
            *--at = '.';
        *--at = (char)('0' + left % 10);
    }
    pajesim_number(at, (size_t)(text + sizeof text - at), &number);
    return number;
}

pajesim_time merge_read_latest(const merge_input *input, const merge_latest *latest)
{
    return merge_read_time(input, (pajesim_text){latest->text, latest->size}, merge_latest_number(latest));
}
