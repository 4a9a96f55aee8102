/* Numbers: text to doubles and to integers, and back, compared with the C library and with long division.
 *
 * An input is text; its first bytes are also used as the bits of a double. */
#define PAJESIM_IMPLEMENTATION
#include "pajesim.h"
#define PAJEWRITE_IMPLEMENTATION
#include "pajewrite.h"

#include "fuzz.h"
#include "../../examples/paje/replay/dump_line.c"

static int same_bits(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

/* [+-] digits [. digits] [e [+-] digits], with a digit before or after the point. */
static int is_number(const char *p)
{
    size_t digits;
    p += *p == '-' || *p == '+';
    digits = strspn(p, "0123456789");
    p += digits;
    if (*p == '.') {
        size_t more = strspn(p + 1, "0123456789");
        digits += more;
        p += 1 + more;
    }
    if (!digits)
        return 0;
    if ((*p | 0x20) == 'e') {
        p++;
        p += *p == '-' || *p == '+';
        digits = strspn(p, "0123456789");
        if (!digits)
            return 0;
        p += digits;
    }
    return !*p;
}

/* Returns the number in units of 10^-decimals, halves rounded away from zero, digit by digit; 0 beyond 64 bits. */
static int fixed(const char *p, int decimals, int64_t *number)
{
    char digits[600];
    long count = 0, whole, exponent = 0, i;
    uint64_t sum = 0;
    int minus = *p == '-', point = 0;
    p += *p == '-' || *p == '+';
    for (whole = 0; *p && (*p | 0x20) != 'e'; p++)
        if (*p == '.') {
            point = 1;
        } else {
            digits[count++] = *p;
            whole += !point;
        }
    if (*p) {
        exponent = strtol(p + 1, NULL, 10);
        exponent = exponent > 100000 ? 100000 : exponent < -100000 ? -100000 : exponent;
    }
    whole += exponent + decimals;
    for (i = 0; i < whole; i++) {
        uint64_t digit = i < count ? (uint64_t)(digits[i] - '0') : 0;
        if (i >= count && !sum)
            break;
        if (sum > (INT64_MAX - digit) / 10)
            return 0;
        sum = sum * 10 + digit;
    }
    if (whole >= 0 && whole < count && digits[whole] >= '5' && sum++ == INT64_MAX)
        return 0;
    *number = minus ? -(int64_t)sum : (int64_t)sum;
    return 1;
}

static void read_text(const char *text, size_t size)
{
    double read = 0.5;
    int valid = is_number(text) && strlen(text) == size, decimals;
    fuzz_expect(pajesim_number(text, size, &read) == valid, "what is a number is read as one, and nothing else");
    fuzz_expect(same_bits(read, valid ? strtod(text, NULL) : 0.5), "it is read as the nearest double");
    for (decimals = 0; decimals <= 18; decimals++) {
        int64_t integer = 77, expected = 77;
        int fits = valid && fixed(text, decimals, &expected);
        fuzz_expect(pajesim_fixed(text, size, decimals, &integer) == fits, "what fits 64 bits is read as an integer");
        fuzz_expect(integer == (fits ? expected : 77), "it is read as the nearest integer");
    }
}

static void write_double(double number)
{
    static text_buffer line;
    char text[400];
    double read = 0;
    int precision;
    if (!(number - number == 0)) /* infinite or NaN: it is refused */
        return;
    *pajewrite__put_double(text, number) = 0;
    fuzz_expect(same_bits(strtod(text, NULL), number), "a double that is written is read by the C library");
    fuzz_expect(pajesim_number(text, strlen(text), &read) && same_bits(read, number), "and by the reader");
    fuzz_expect(strlen(text) <= 24, "in 24 bytes");
    for (precision = 0; precision <= 12; precision++) {
        line.size = 0;
        paje_format_number(&line, number, precision);
        text_put(&line, "", 1);
        snprintf(text, sizeof text, ", %.*f", precision, number);
        fuzz_expect(!strcmp(line.bytes, text), "the tool prints it as printf does");
    }
    line.size = 0;
    paje_format_number(&line, number, PAJE_EXACT);
    text_put(&line, "", 1);
    read = strtod(line.bytes + 2, NULL);
    fuzz_expect(read <= number && read >= number, "exactly, it is the same");
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char text[512];
    double number;
    if (size >= sizeof text)
        return 0;
    if (size)
        memcpy(text, bytes, size);
    text[size] = 0;
    read_text(text, size);
    if (size >= sizeof number) {
        memcpy(&number, bytes, sizeof number);
        write_double(number);
    }
    return 0;
}
