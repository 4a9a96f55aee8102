/* Compares pajesim_number with strtod (correctly rounded in glibc), bit for bit, and with known bits; and pajesim_fixed
 * with decimal arithmetic on text.  The argument is the number of random texts of each shape, in hundred thousands
 * (default 1).
 *
 * A build with -U__SIZEOF_INT128__ tests the multiplication in parts; one with -U__FLT_EVAL_METHOD__
 * -D__FLT_EVAL_METHOD__=2 tests the path for machines whose doubles have excess precision. */
#ifdef PAJESIM_TEST_HEADER
#include PAJESIM_TEST_HEADER
#else
#define PAJESIM_IMPLEMENTATION
#include "pajesim.h"
#endif
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROOM 1200 /* of most texts */
static const double untouched = 0x1.91eb851eb851fp+1;

static struct {
    const char *name;
    unsigned long texts, failed;
    char why[256];
} group;
static int any_failed;

static void begin(const char *name)
{
    group.name = name;
    group.texts = group.failed = 0;
}

static void end(void)
{
    if (group.failed)
        printf("FAIL number/%s: %lu of %lu texts, the first: %s\n", group.name, group.failed, group.texts, group.why);
    else
        printf("PASS number/%s\n", group.name);
    any_failed |= group.failed != 0;
}

static uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* Returns the expected result of pajesim_fixed: shifts and rounds the digits as text, and compares with the maximum as
 * text. */
static int fixed_as_text(const char *text, size_t size, int decimals, int64_t *number)
{
    static char digits[1 << 21];
    const char *p = text + (*text == '-' || *text == '+'), *end = text + size;
    long count = 0, exponent = 0, kept, i;
    int up, point = 0;
    for (; p < end && (*p | 0x20) != 'e'; p++) {
        if (*p == '.') {
            point = 1;
        } else {
            exponent -= point;
            if (count || *p != '0')
                digits[count++] = *p;
        }
    }
    if (p < end) { /* texts are copied, so that sanitizers detect reads beyond the end */
        char copy[40];
        double given;
        snprintf(copy, sizeof copy, "%.*s", (int)(end - p - 1), p + 1);
        given = strtod(copy, NULL);
        exponent += given > 1e9 ? 1000000000 : given < -1e9 ? -1000000000 : (long)given;
    }
    kept = count + exponent + decimals;
    if (count && kept > 30)
        return 0;
    if (!count || kept < 0)
        kept = count = 0;
    up = kept < count && digits[kept] >= '5';
    for (i = count; i < kept; i++)
        digits[i] = '0';
    memmove(digits + 1, digits, (size_t)kept);
    digits[0] = '0';
    for (i = kept; up; i--) {
        up = digits[i] == '9';
        digits[i] = up ? '0' : (char)(digits[i] + 1);
    }
    digits[kept + 1] = 0;
    for (p = digits; *p == '0'; p++) {
    }
    if (strlen(p) > 19 || (strlen(p) == 19 && strcmp(p, "9223372036854775807") > 0))
        return 0;
    *number = *text == '-' ? -(int64_t)strtoull(p, NULL, 10) : (int64_t)strtoull(p, NULL, 10);
    return 1;
}

/* `place` is a copy of the text, with other bytes behind it. */
static void expect_fixed(const char *place, const char *text, size_t size, int valid)
{
    int decimals = (int)(group.texts / 2 % 19), result;
    int64_t x = 42, expected = 42;
    valid = valid && fixed_as_text(text, size, decimals, &expected);
    result = pajesim_fixed(place, size, decimals, &x);
    if ((result != valid || x != expected) && !group.failed++)
        snprintf(group.why, sizeof group.why, "%.*s gives %d %" PRId64 " with %d decimals, not %d %" PRId64,
                 size < 100 ? (int)size : 100, text, result, x, decimals, valid, expected);
}

/* What follows a text: a digit. */
static char follows = '7';

/* Parses `text` at the end of its block, then at the start of it, so that a sanitizer detects reads outside; it is
 * surrounded by digits, which must not matter. */
static void expect_bits(const char *text, size_t size, int valid, uint64_t bits)
{
    static char *block;
    static size_t room;
    int at_start;
    if (size + 40 > room) {
        room = size + 40;
        free(block);
        block = (char *)malloc(room);
        if (!block)
            exit(2);
    }
    for (at_start = 0; at_start < 2; at_start++) {
        char *place = at_start ? block : block + room - size;
        double x = untouched;
        int result;
        memset(at_start ? place + size : place - 40, '7', 40);
        if (at_start)
            place[size] = follows;
        memcpy(place, text, size);
        result = pajesim_number(place, size, &x);
        group.texts++;
        if (result != valid || bits_of(x) != bits) {
            if (!group.failed++)
                snprintf(group.why, sizeof group.why, "%.*s%s gives %d %016" PRIx64 ", not %d %016" PRIx64,
                         size < 100 ? (int)size : 100, text, size < 100 ? "" : "...", result, bits_of(x), valid, bits);
            break;
        }
    }
    expect_fixed(block, text, size, valid);
}

static void expect(const char *text, int valid)
{
    expect_bits(text, strlen(text), valid, bits_of(valid ? strtod(text, NULL) : untouched));
}

/* The grammar as a table of states: 0 start, 1 sign, 2 digits, 3 point alone, 4 point after digits, 5 digits after the
 * point, 6 e, 7 sign of the exponent, 8 digits of the exponent, 9 refused. */
static int is_number(const char *text, size_t size)
{
    static const unsigned char next[10][5] = { /* digit point sign e other */
        { 2, 3, 1, 9, 9 }, { 2, 3, 9, 9, 9 }, { 2, 4, 9, 6, 9 }, { 5, 9, 9, 9, 9 }, { 5, 9, 9, 6, 9 },
        { 5, 9, 9, 6, 9 }, { 8, 9, 7, 9, 9 }, { 8, 9, 9, 9, 9 }, { 8, 9, 9, 9, 9 }, { 9, 9, 9, 9, 9 }
    };
    unsigned state = 0;
    size_t i;
    for (i = 0; i < size; i++) {
        char c = text[i];
        int column = c >= '0' && c <= '9' ? 0 : c == '.' ? 1 : c == '+' || c == '-' ? 2 : c == 'e' || c == 'E' ? 3 : 4;
        state = next[state][column];
    }
    return state == 2 || state == 4 || state == 5 || state == 8;
}

static uint64_t seed = UINT64_C(88172645463325252);

static uint64_t any(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

static uint32_t below(uint32_t n)
{
    return (uint32_t)((any() >> 32) * n >> 32);
}

static double any_double(void)
{
    uint64_t bits = any() & ~((uint64_t)1 << 63);
    double x;
    if (bits >> 52 == 0x7FF)
        bits ^= (uint64_t)1 << 52;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static char *put_digits(char *p, uint32_t count)
{
    while (count--)
        *p++ = (char)('0' + below(10));
    return p;
}

/* ------------------------------------------------------------------------------------------------------------------ */

static void grammar(void)
{
    static const char alphabet[] = "09.-+eE /";
    static const char *const before[] = { "", "1234", "12345678901", ".1234567890123456" };
    static const char *const refused[] = {
        "", ".", "+", "-", "e5", ".e5", "+.", "-.e1", "1e", "1e+", "1e-", "1.e", "..", "1..", "1.2.3", "--1", "+-1",
        " 1", "1 ", "\t1", "1\n", "0x10", "0x1p3", "1p3", "inf", "INF", "-inf", "infinity", "nan", "NaN", "nan(1)",
        "1f", "1.0f", "1.5d", "1l", "1,5", "1'000", "1_000", "1e5.5", "1e5e5", "1e 5", "12345678901234567890x",
        "x12345678901234567890",
        "1234567.1234567.", "12345678:", "1234567/", "123456789012345678901234567890.1234567890.", "(null)", "\"1\""
    };
    static const char *const accepted[] = {
        "0", "-0", "+0", "00", "0.0", ".4", "5.", "-.4", "+5.", "5.e1", ".5e1", "1E5", "1e+5", "1e-05", "007",
        "0000000000000",
        "00000000000000000000000000000000000000000000000000.10000000000000000000000000000000000000000000000",
        "-000000000000000000000000000000000000000000000000000000001e00000000000000000000000000000000000001"
    };
    char text[64];
    double x = untouched;
    size_t i, j;
    int c;

    begin("refused");
    for (i = 0; i < sizeof refused / sizeof refused[0]; i++)
        expect(refused[i], 0);
    expect_bits("1\0", 2, 0, bits_of(untouched));
    expect_bits("\0", 1, 0, bits_of(untouched));
    if (pajesim_number(NULL, 0, &x) || bits_of(x) != bits_of(untouched)) {
        group.failed++;
        strcpy(group.why, "NULL of size 0 is taken");
    }
    end();

    begin("accepted");
    for (i = 0; i < sizeof accepted / sizeof accepted[0]; i++)
        expect(accepted[i], 1);
    end();

    begin("every-short-text");
    for (i = 0; i < sizeof before / sizeof before[0]; i++) {
        uint32_t code;
        for (code = 0; code < 59049; code++) { /* 9^5; shorter texts are those that end at a blank */
            size_t size = strlen(before[i]);
            uint32_t rest = code;
            memcpy(text, before[i], size);
            for (j = 0; j < 5 && alphabet[rest % 9] != ' '; j++, rest /= 9)
                text[size++] = alphabet[rest % 9];
            text[size] = 0;
            expect(text, is_number(text, size));
        }
    }
    end();

    begin("every-byte-everywhere");
    for (i = 1; i <= 24; i++)
        for (j = 0; j < i; j++)
            for (c = 0; c < 512; c++) { /* all values, in a text without a point, and with one in it */
                memcpy(text, "314159265358979323846264", i);
                text[i] = 0;
                if (c >= 256)
                    text[i / 2] = '.';
                text[j] = (char)(c & 255);
                if (is_number(text, i))
                    expect(text, 1);
                else
                    expect_bits(text, i, 0, bits_of(untouched));
            }
    end();
}

static void known(void)
{
    static const struct {
        const char *text;
        uint64_t bits;
    } hard[] = {
        { "0", 0x0000000000000000 },
        { "-0", 0x8000000000000000 },
        { "0e99999", 0x0000000000000000 },
        { "-0.000e-99999", 0x8000000000000000 },
        { "1e23", 0x44B52D02C7E14AF6 },
        { "8.5e22", 0x44B1FFDBF6B2B2EB },
        { "9007199254740991", 0x433FFFFFFFFFFFFF },
        { "9007199254740992", 0x4340000000000000 },
        { "9007199254740993", 0x4340000000000000 },
        { "9007199254740994", 0x4340000000000001 },
        { "9007199254740995", 0x4340000000000002 },
        { "9007199254740993.0000000000000000000000000000000001", 0x4340000000000001 },
        { "9007199254740992.9999999999999999999999999999999999", 0x4340000000000000 },
        { "18446744073709551615", 0x43F0000000000000 },
        { "18446744073709551616", 0x43F0000000000000 },
        { "1844674407370955161.5", 0x43B999999999999A },
        { "9999999999999999999", 0x43E158E460913D00 },
        { "9999999999999999999e27", 0x497C06A5EC5433C6 },
        { "9999999999999999999e-27", 0x3E45798EE2308C3A },
        { "9999999999999999999e28", 0x49B18427B3B4A05C },
        { "9999999999999999999e-28", 0x3E112E0BE826D695 },
        { "10000000000000000000e-27", 0x3E45798EE2308C3A },
        { "1.0e-27", 0x3A53CE9A36F23C10 },
        { "1e-28", 0x3A1FB0F6BE506019 },
        { "1e27", 0x4589D971E4FE8402 },
        { "1e28", 0x45C027E72F1F1281 },
        { "2.2250738585072011e-308", 0x000FFFFFFFFFFFFF },
        { "2.2250738585072012e-308", 0x0010000000000000 },
        { "2.2250738585072014e-308", 0x0010000000000000 },
        { "4.9406564584124654e-324", 0x0000000000000001 },
        { "5e-324", 0x0000000000000001 },
        { "3e-324", 0x0000000000000001 },
        { "2.4703282292062327e-324", 0x0000000000000000 },
        { "2.4703282292062328e-324", 0x0000000000000001 },
        { "7.4109846876186981e-324", 0x0000000000000001 },
        { "7.4109846876186982e-324", 0x0000000000000002 },
        { "1e-323", 0x0000000000000002 },
        { "1e-324", 0x0000000000000000 },
        { "6.631236846766476e-316", 0x0000000008000000 },
        { "3.237883913302901e-319", 0x000000000000FFFF },
        { "8.442911973260991817129021e-309", 0x0006123400000001 },
        { "1.7976931348623157e308", 0x7FEFFFFFFFFFFFFF },
        { "1.7976931348623158e308", 0x7FEFFFFFFFFFFFFF },
        { "1.7976931348623159e308", 0x7FF0000000000000 },
        { "1e308", 0x7FE1CCF385EBC8A0 },
        { "1e309", 0x7FF0000000000000 },
        { "-1e400", 0xFFF0000000000000 },
        { "0.1e310", 0x7FF0000000000000 },
        { "1e999999999999", 0x7FF0000000000000 },
        { "1e-999999999999", 0x0000000000000000 },
        { "1e18446744073709551617", 0x7FF0000000000000 },
        { "-1e-18446744073709551617", 0x8000000000000000 },
        { "0.000000000000000000000000000001e30", 0x3FF0000000000000 },
        { "1000000000000000000000000000000e-30", 0x3FF0000000000000 },
        { "7.2057594037927933e16", 0x4370000000000000 },
        { "6929495644600919.5", 0x43389E56EE5E7A58 },
        { "6929495644600920.5", 0x43389E56EE5E7A58 },
        { "3.518437208883201171875e13", 0x42C0000000000002 },
        { "1.00000000000000011102230246251565404236316680908203125", 0x3FF0000000000000 },
        { "1.00000000000000011102230246251565404236316680908203124", 0x3FF0000000000000 },
        { "1.00000000000000011102230246251565404236316680908203126", 0x3FF0000000000001 },
        { "1.00000000000000033306690738754696212708950042724609375", 0x3FF0000000000002 },
        { "0.500000000000000166533453693773481063544750213623046875", 0x3FE0000000000002 }
    };
    size_t i;
    begin("hard-cases");
    for (i = 0; i < sizeof hard / sizeof hard[0]; i++)
        expect_bits(hard[i].text, strlen(hard[i].text), 1, hard[i].bits);
    end();
}

/* Computes the exact decimal digits of m * 2^e; *k is the power of ten of the last one. */
static size_t exact_digits(uint64_t m, int e, char *text, int *k)
{
    uint32_t piece[120]; /* of 9 digits, the lowest first */
    uint32_t count = 0, i;
    size_t size;
    for (; m; m /= 1000000000)
        piece[count++] = (uint32_t)(m % 1000000000);
    *k = e < 0 ? e : 0;
    for (; e != 0; e += e < 0 ? 1 : -1) { /* 2^-1 = 5 / 10 */
        uint64_t carry = 0;
        for (i = 0; i < count; i++) {
            carry += (uint64_t)piece[i] * (e < 0 ? 5 : 2);
            piece[i] = (uint32_t)(carry % 1000000000);
            carry /= 1000000000;
        }
        if (carry)
            piece[count++] = (uint32_t)carry;
    }
    size = (size_t)sprintf(text, "%" PRIu32, piece[count - 1]);
    for (i = count - 1; i-- > 0;)
        size += (size_t)sprintf(text + size, "%09" PRIu32, piece[i]);
    return size;
}

/* The number halfway between the finite double of these bits and the next one, and its neighbours. */
static void halfway(uint64_t bits)
{
    static char text[4 * ROOM];
    int biased = (int)(bits >> 52), k;
    uint64_t m = (bits & (((uint64_t)1 << 52) - 1)) | (uint64_t)(biased > 0) << 52;
    size_t size = exact_digits(2 * m + 1, (biased > 0 ? biased : 1) - 1076, text, &k);
    size_t last = size, zeros = below(2) ? below(20) : below(2000);

    sprintf(text + size, "e%d", k);
    expect_bits(text, strlen(text), 1, bits + (bits & 1));
    expect(text, 1);
    /* above: a 1 far to the right, after a point as well */
    memset(text + size, '0', zeros);
    sprintf(text + size + zeros, ".1e%d", k - (int)zeros);
    expect_bits(text, strlen(text), 1, bits + 1);
    sprintf(text + size + zeros, "1e%d", k - (int)zeros - 1);
    expect_bits(text, strlen(text), 1, bits + 1);
    /* with a point, and with zeros before and after */
    memmove(text + 4, text, size + zeros + 1);
    memcpy(text, "000.", 4);
    sprintf(text + size + zeros + 5, "00000e%d", k + (int)size);
    expect_bits(text, strlen(text), 1, bits + 1);
    /* below: one less, then nines */
    memmove(text, text + 4, size);
    while (text[last - 1] == '0')
        text[--last] = '9';
    text[last - 1]--;
    memset(text + last, '9', size - last + zeros);
    sprintf(text + size + zeros, "e%d", k - (int)zeros);
    expect_bits(text, strlen(text), 1, bits);
}

static void halves(uint32_t times)
{
    static const uint64_t edges[] = {
        0, 1, 2, 3, 0x000FFFFFFFFFFFFF, 0x000FFFFFFFFFFFFE, 0x0010000000000000, 0x0010000000000001, 0x001FFFFFFFFFFFFF,
        0x0020000000000000, 0x3FEFFFFFFFFFFFFF, 0x3FF0000000000000, 0x433FFFFFFFFFFFFF, 0x4340000000000000,
        0x7FDFFFFFFFFFFFFF, 0x7FE0000000000000, 0x7FEFFFFFFFFFFFFE, 0x7FEFFFFFFFFFFFFF
    };
    size_t i;
    begin("halfway");
    for (i = 0; i < sizeof edges / sizeof edges[0]; i++)
        halfway(edges[i]);
    for (i = 0; i < times; i++) {
        halfway(bits_of(any_double()));
        halfway((bits_of(any_double()) & 0x007FFFFFFFFFFFFF) + 0x3FC0000000000000); /* 0.1 to 16 */
        halfway(any() >> (12 + below(52)));                                         /* subnormal */
    }
    end();
}

static void lengths(uint32_t times)
{
    static char text[2 * ROOM];
    const size_t huge = 1000000;
    char *many = (char *)malloc(huge + 32);
    uint32_t length, i;
    if (!many)
        exit(2);

    begin("1-to-1100-digits");
    for (length = 1; length <= 1100; length++)
        for (i = 0; i < times; i++) {
            uint32_t point = below(length + 1);
            char *p = put_digits(text, length - point);
            *p++ = '.';
            p = put_digits(p, point);
            switch (i % 4) {
            case 0: *p = 0; break;
            case 1: sprintf(p, "e%d", (int)below(700) - 350); break;
            case 2: sprintf(p, "e%d", (int)point - (int)length); break;
            case 3: sprintf(p, "e%d", (int)point - (int)length - 300 - (int)below(30)); break;
            }
            expect(text, 1);
        }
    end();

    begin("zeros-before-a-zero");
    follows = '0';
    for (length = 1; length <= 60; length++)
        for (i = 0; i <= length; i++) {
            sprintf(text, "%0*d.%0*d", (int)(length - i + 1), 0, (int)i, 0);
            expect(text, 1);
            text[length - i] = 0;
            expect(text, length > i);
        }
    follows = '7';
    end();

    begin("10000-and-1000000-digits");
    for (length = 10000; length <= huge; length *= 100) {
        *put_digits(many, length) = 0;
        expect(many, 1); /* infinity */
        many[1] = '.';
        expect(many, 1);
        sprintf(many + length, "e-320");
        expect(many, 1);
        many[length] = 0;
        memset(many, '0', length); /* 0.000...0001e... */
        many[1] = '.';
        sprintf(many + length - 1, "1");
        expect(many, 1);
        sprintf(many + length, "e%" PRIu32, length + 5);
        expect(many, 1);
        memset(many, '0', length); /* 1000...000e-... */
        many[0] = '1';
        sprintf(many + length, "e-%" PRIu32, length + 5);
        expect(many, 1);
        memset(many, '0', length); /* halfway, then zeros, then 1 */
        memcpy(many, "9007199254740993.", 17);
        many[length] = 0;
        expect_bits(many, length, 1, 0x4340000000000000);
        many[length - 1] = '1';
        expect_bits(many, length, 1, 0x4340000000000001);
    }
    free(many);
    end();
}

static void powers(void)
{
    static const char *const heads[] = {
        "1", "2", "3", "5", "7", "9", "17976931348623157", "22250738585072014", "49406564584124654", "9007199254740993",
        "9999999999999999", "9999999999999999999", "1844674407370955161", "1844674407370955162", "9223372036854775807",
        "9223372036854775808", "1000000000000000000", "10000000000000000001", "18446744073709551615",
        "18446744073709551616"
    };
    char text[64];
    size_t i;
    int k;
    begin("powers-of-ten");
    for (i = 0; i < sizeof heads / sizeof heads[0]; i++)
        for (k = -400; k <= 400; k++) {
            sprintf(text, "%s%se%d", k & 1 ? "-" : "", heads[i], k);
            expect(text, 1);
            sprintf(text, "%c.%se%d", heads[i][0], heads[i] + 1, k);
            expect(text, 1);
        }
    end();
}

static void shape_time6(char *t) { sprintf(t, "%.6f", (double)(any() >> (12 + below(40))) * 1e-6); }
static void shape_time9(char *t) { sprintf(t, "%" PRIu32 ".%09" PRIu32, below(1u << below(24)), below(1000000000)); }
static void shape_integer(char *t) { sprintf(t, "%s%" PRIu64, below(4) ? "" : "-", any() >> below(64)); }
static void shape_shortest(char *t) { sprintf(t, "%.*g", 15 + (int)below(3), any_double()); }
static void shape_unit(char *t) { sprintf(t, "%.*f", (int)below(25), (double)(any() >> 11) * 0x1p-53 * 100); }
static void shape_science(char *t) { sprintf(t, "%.*e", (int)below(20), (double)(any() >> 11) * 0x1p-40); }
static void shape_medium(char *t) { sprintf(t, "%" PRIu64 "e%d", any() >> below(64), (int)below(61) - 30); }

/* The 17 to 22 first digits of a number halfway between two doubles, the last one perhaps raised. */
static void shape_near_halfway(char *t)
{
    int k;
    uint32_t digits = 17 + below(6);
    size_t size = exact_digits(((any() >> 11) | (uint64_t)1 << 53) | 1, (int)below(210) - 100, t, &k);
    if (size > digits) {
        t[digits] = (char)(t[digits] + (t[digits] < '9' ? (int)below(2) : 0));
        sprintf(t + digits + 1, "e%d", k + (int)size - (int)digits - 1);
    } else {
        sprintf(t + size, "e%d", k);
    }
}

static void shape_digits(char *t)
{
    char *p = t;
    if (!below(3))
        *p++ = below(2) ? '-' : '+';
    p = put_digits(p, below(24));
    if (below(2))
        *p++ = '.';
    p = put_digits(p, 1 + below(24));
    *p = 0;
    if (!below(3))
        sprintf(p, "%c%s%" PRIu32, below(2) ? 'e' : 'E', below(3) ? "-" : below(2) ? "+" : "", below(1u << below(9)));
}

static void random_texts(unsigned long times)
{
    static const struct {
        const char *name;
        void (*make)(char *text);
    } shapes[] = {
        { "random-6-decimals", shape_time6 },
        { "random-9-decimals", shape_time9 },
        { "random-integers", shape_integer },
        { "random-doubles", shape_shortest },
        { "random-fixed", shape_unit },
        { "random-scientific", shape_science },
        { "random-19-digits", shape_medium },
        { "random-near-halfway", shape_near_halfway },
        { "random-digits", shape_digits }
    };
    char text[ROOM];
    unsigned long i;
    size_t s;
    for (s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
        begin(shapes[s].name);
        for (i = 0; i < times; i++) {
            shapes[s].make(text);
            expect(text, 1);
        }
        end();
    }
}

int main(int argc, char **argv)
{
    unsigned long times = argc > 1 ? strtoul(argv[1], NULL, 10) : 1;
    grammar();
    known();
    powers();
    halves(500);
    lengths(4);
    random_texts(times * 100000);
    return any_failed;
}
