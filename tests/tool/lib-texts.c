/* examples/base: notations, numbers, spelling and sums, to the byte, against what is written here or plain ways. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/block.h"
#include "base/digits.h"
#include "base/encode.h"
#include "base/similar.h"
#include "base/sum.h"
#include "base/unit.h"
#include "base/utf8.h"
#include "tests/lib/draw.h"
#include "tests/lib/got.h"
#include "tests/lib/tell.h"

/* ---- notations */

static void put_mysql(text_buffer *buffer, pajesim_text text) { text_put_sql(buffer, text, 1); }

static void put_sql(text_buffer *buffer, pajesim_text text) { text_put_sql(buffer, text, 0); }

/* A notation: its quotes, the bytes that it changes, and what these become. */
typedef struct notation {
    void (*put)(text_buffer *buffer, pajesim_text text);
    const char *quote, *special;
    const char *format;                       /* of a byte that is special, once or twice */
    const char *control, *nul, *noncharacter; /* of other bytes below 0x20 */
} notation;

static const notation notations[] = {
    {text_put_json, "\"", "\"\\", "\\%c", "\\u%04x", "\\u%04x", "\xef\xbf\xbe"},
    {text_put_xml, "", "\t\"'<>&", "&#%u;", "\xef\xbf\xbd", "\xef\xbf\xbd", "\xef\xbf\xbd"},
    {put_sql, "'", "'", "%c%c", "%c", "\xef\xbf\xbd", "\xef\xbf\xbe"},
    {put_mysql, "'", "'\\", "%c%c", "%c", "\xef\xbf\xbd", "\xef\xbf\xbe"},
    {text_put_sql_csv, "\"", "\"", "%c%c", "%c", "\xef\xbf\xbd", "\xef\xbf\xbe"},
    {text_put_utf8, "", "", "", "%c", "%c", "\xef\xbf\xbe"},
};

#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-security"
#pragma GCC diagnostic ignored "-Wformat-extra-args"
#endif

static void put_expected(text_buffer *to, const notation *as, unsigned byte)
{
    int is_json = as->put == text_put_json;
    if (byte >= 0x80)
        text_puts(to, UTF8_REPLACEMENT_TEXT);
    else if (byte && strchr(as->special, (int)byte))
        text_printf(to, as->format, byte, byte);
    else if (byte < 0x20 || (is_json && (byte == 0x7f || byte == '<')))
        text_printf(to, byte ? as->control : as->nul, byte);
    else
        text_putc(to, (char)byte);
}

static void test_notations(void)
{
    static const char odd[] = "x\xc3\xa9\\\xe2\x82\xac\xef\xbf\xbe\xf0\x9f\x98\x80\xc3"; /* the last one is cut */
    text_buffer expected = {0};
    int right = 1;
    for (size_t i = 0; i < sizeof notations / sizeof *notations; i++) {
        const notation *as = &notations[i];
        for (unsigned byte = 0; byte < 256; byte++) {
            char bytes[] = "ab?cdef\"\xa9\xa9\xa9"; /* what is behind the text must not matter */
            bytes[2] = (char)byte;
            text_clear(&expected);
            text_printf(&expected, "%sab", as->quote);
            put_expected(&expected, as, byte);
            text_printf(&expected, "c%s", as->quote);
            text_clear(&got);
            as->put(&got, (pajesim_text){bytes, 4});
            right &= text_is_equal(text_view(&got), text_view(&expected));
            text_clear(&got);
            bytes[3] = (char)byte;
            text_clear(&expected);
            text_puts(&expected, as->quote);
            put_expected(&expected, as, byte); /* two equal bytes are no character */
            put_expected(&expected, as, byte);
            text_puts(&expected, as->quote);
            as->put(&got, (pajesim_text){bytes + 2, 2});
            right &= text_is_equal(text_view(&got), text_view(&expected));
        }
        int doubled = strchr(as->special, '\\') != NULL;
        text_clear(&expected);
        text_printf(&expected, "%sx\xc3\xa9%s\xe2\x82\xac%s\xf0\x9f\x98\x80\xef\xbf\xbd%s", as->quote,
                    doubled ? "\\\\" : "\\", as->noncharacter, as->quote);
        char bytes[sizeof odd + 1];
        memcpy(bytes, odd, sizeof odd);
        bytes[sizeof odd - 1] = '\xa9';
        text_clear(&got);
        as->put(&got, (pajesim_text){bytes, sizeof odd - 1});
        right &= text_is_equal(text_view(&got), text_view(&expected));
        text_clear(&got);
        as->put(&got, (pajesim_text){NULL, 0});
        text_clear(&expected);
        text_printf(&expected, "%s%s", as->quote, as->quote);
        right &= text_is_equal(text_view(&got), text_view(&expected));
        text_clear(&got);
    }
    tell("each byte in JSON, XML, SQL and UTF-8", right);
    text_put_xml(&got, text_of("\xef\xbf\xbd\xef\xbf\xbf\xef\xbe\xbf"));
    tell("of characters at the end of the plane XML has two not", is("\xef\xbf\xbd\xef\xbf\xbd\xef\xbe\xbf"));

    static const char often[] = ",\"-+.z\xff\n\r\x2c~";
    right = 1;
    for (size_t size = 0; size <= 20; size++)
        for (size_t at = 0; at < size; at++)
            for (size_t k = 0; k < sizeof often; k++) {
                char block[40], *bytes = block + 16, plain[48];
                size_t n = 0;
                memset(block, 'm', sizeof block);
                memset(block, 'n', 16);
                bytes[size] = ','; /* behind the text */
                bytes[at] = often[k];
                int is_quoted = memchr(",\"\n\r", often[k], 5) != NULL; /* and NUL */
                if (is_quoted)
                    plain[n++] = '"';
                for (size_t j = 0; j < size; j++) {
                    plain[n++] = bytes[j];
                    if (bytes[j] == '"')
                        plain[n++] = '"';
                }
                if (is_quoted)
                    plain[n++] = '"';
                text_puts(&got, "(");
                text_put_csv(&got, (pajesim_text){bytes, size});
                right &= got.size == n + 1 && memcmp(got.bytes + 1, plain, n) == 0;
                text_clear(&got);
            }
    text_clear(&got);
    text_put_csv(&got, (pajesim_text){NULL, 0});
    tell("fields of CSV", right && got.size == 0);
    text_free(&expected);
}

/* ---- texts */

static void test_texts(void)
{
    static const char blank[] = "                                                                ";
    int right = 1;
    for (int size = 0; size < 140; size++) {
        text_printf(&got, "%.*s%s%s", size < 64 ? size : 64, blank, size < 64 ? "" : blank, size > 128 ? "!" : "");
        right &= got.size == (size < 64    ? (size_t)size
                              : size > 128 ? 129u
                                           : 128u) &&
                 memchr(got.bytes, '\0', got.size) == NULL;
        text_clear(&got);
        text_printf(&got, "%*s", size, "");
        right &= got.size == (size_t)size && memchr(got.bytes, '\0', got.size) == NULL;
        text_clear(&got);
    }
    text_printf(&got, "%c", '1');
    tell("a text is printed whole, whatever its size", is("1") && right);
    text_put_character(&got, 'a');
    text_put_character(&got, 0xe9);
    text_put_character(&got, 0x20ac);
    text_put_character(&got, 0x1f600);
    tell("characters are put", is("a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"));
    text_free(&got);
    tell("a text that was freed is empty", !got.bytes && !got.size && !got.capacity);
    text_reserve(&got, 300);
    text_reserve(&got, 400000);
    tell("what is reserved is there", got.capacity >= 400000 && got.size == 0);
    text_put_printable(&got, (pajesim_text){"\xc3\xa9"
                                            "a\"\xc3\xa9\x01\x9b\"b\x02",
                                            3});
    text_puts(&got, "|");
    text_put_printable(&got, (pajesim_text){"a\xc3\xa9", 2});
    text_puts(&got, "|");
    text_put_printable_lines(&got, (pajesim_text){"\"\n\t\r", 4});
    text_put_printable_lines(&got, (pajesim_text){NULL, 0});
    tell("nothing behind a text is shown", is("\xc3\xa9"
                                              "a|a\\xc3|\"\n\t\\x0d"));
    tell("a text comes before those that begin with it", text_compare(text_of("a"), text_of("ab")) < 0 &&
                                                             text_compare(text_of("ab"), text_of("a")) > 0 &&
                                                             text_compare(text_of("a"), text_of("a")) == 0);
    size_t at = 1;
    right = utf8_next("a\xc3\xa9", 2, &at) == UTF8_REPLACEMENT && at == 2;
    tell("a character ends with the text", right);
    array_of(char) none = {0};
    array_reserve(&none, 0);
    tell("an array without items", none.items && none.count == 0);
    array_free(&none);
}

/* ---- numbers */

static int is_number(double number, const char *expected)
{
    text_put_number(&got, number);
    return is(expected);
}

static int is_span(double start, double end, const char *expected)
{
    text_put_span(&got, start, end);
    return is(expected);
}

static void test_numbers(void)
{
    tell("numbers without decimals",
         is_number(0, "0") && is_number(-0.0, "0") && is_number(1, "1") && is_number(-1, "-1") && is_number(10, "10") &&
             is_number(999999, "999999") && is_number(1e6, "1000000") && is_number(-1e6, "-1000000") &&
             is_number(999999999999999, "999999999999999") && is_number(-999999999999999, "-999999999999999") &&
             is_number(1e15, "1e+15") && is_number(1234567890123456, "1234567890123456") && is_number(1e300, "1e+300"));
    tell("numbers with decimals",
         is_number(0.5, "0.5") && is_number(-0.5, "-0.5") && is_number(1e-9, "0.000000001") &&
             is_number(-1e-9, "-0.000000001") && is_number(1e-10, "1e-10") &&
             is_number(0.1 + 0.2, "0.30000000000000004") && is_number(1.0 / 3, "0.3333333333333333") &&
             is_number(999999.999999999, "999999.999999999") && is_number(-999999.999999999, "-999999.999999999") &&
             is_number(1234567.5, "1234567.5") && is_number(1234567.1, "1234567.1") &&
             is_number(-1234567.123456789, "-1234567.123456789") && is_number(1234567.00025, "1234567.00025") &&
             is_number(1234567.0002, "1234567.0002") && is_number(2097152.0000000005, "2097152.0000000005") &&
             is_number(4503599627370495.5, "4503599627370495.5") &&
             is_number(1048576.00000000025, "1048576.0000000002") && is_number(12345678901234.25, "12345678901234.25"));
    tell("numbers at the ends", is_number(DBL_MAX, "1.7976931348623157e+308") &&
                                    is_number(HUGE_VAL, "1.7976931348623157e+308") &&
                                    is_number(-HUGE_VAL, "-1.7976931348623157e+308") && is_number(NAN, "null") &&
                                    is_number(5e-324, "4.94065645841247e-324"));
    tell("spans", is_span(0.2, 0.3, "0.1") && is_span(0.3, 0.1, "-0.2") && is_span(-0.1, 0.2, "0.3") &&
                      is_span(1.0 / 3, 0.5, "0.16666666666666669") && is_span(0.5, 1.0 / 3, "-0.16666666666666669") &&
                      is_span(0.1, 1e15, "999999999999999.9") && is_span(1e15, 1e15 + 1, "1") &&
                      is_span(1e-25, 3e-25, "1.9999999999999998e-25") && is_span(1e-10, 0.3, "0.2999999999") &&
                      is_span(1234567.1, 1234567.4, "0.3") && is_span(-1234567.1, -1234567.4, "-0.3") &&
                      is_span(1234567.4, 0.1, "-1234567.3") && is_span(1e-20, 3e-20, "2e-20"));
    text_put_times(&got, 0.1, -0.2);
    text_puts(&got, ";");
    text_put_times(&got, 1.5, 1e7 + 0.25);
    text_puts(&got, ";");
    text_put_times(&got, 1e7, 0.25);
    tell("two times and their span", is("0.1,-0.2,-0.3;1.5,10000000.25,9999998.75;10000000,0.25,-9999999.75"));
    static const int64_t whole[] = {0, 1, -1, 9, 10, 99, 100, -100, 12345678, 123456789, INT64_MAX, INT64_MIN};
    int right = 1;
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++) {
        char plain[32];
        snprintf(plain, sizeof plain, "%lld", (long long)whole[i]);
        text_put_integer(&got, whole[i]);
        right &= is(plain);
    }
    tell("whole numbers", right);

    right = digits_count(0) == 1 && digits_count(UINT64_MAX) == 20;
    uint64_t power = 1;
    for (int digits = 1; digits <= 20; digits++, power *= digits < 20 ? 10 : 1) {
        if (digits < 20)
            right &= digits_count(power) == digits && digits_count(10 * power - 1) == digits;
        for (int i = 0; i < 100; i++) {
            char plain[64], at[64];
            uint64_t number = draw(UINT64_MAX) >> draw(64), rest = number;
            int size = snprintf(plain, sizeof plain, "%040llu", (unsigned long long)number);
            for (int k = 0; k < digits; k++)
                rest /= 10;
            memset(at, '.', sizeof at);
            right &= digits_write(at + 32, number, digits) == rest && at[32] == '.' && at[31 - digits] == '.' &&
                     memcmp(at + 32 - digits, plain + size - digits, (size_t)digits) == 0;
        }
    }
    tell("digits", right);
    int64_t count = 0;
    tell("whole numbers of a unit",
         digits_whole(0.001, 1e9, &count) && count == 1000000 && digits_whole(-0.003, 1e3, &count) && count == -3 &&
             digits_whole(999999999999999, 1, &count) && count == INT64_C(999999999999999) &&
             !digits_whole(1e15, 1, &count) && digits_whole(-999999999999999, 1, &count) &&
             count == INT64_C(-999999999999999) && !digits_whole(-1e15, 1, &count) && !digits_whole(1.25, 10, &count) &&
             !digits_whole(-1.26, 10, &count) && !digits_whole(NAN, 1, &count));
}

static void test_units(void)
{
    static const struct {
        double number;
        const char *text;
    } numbers[] = {{0, "0"},           {1, "1"},          {-2.5, "-2.5"},    {999, "999"},        {999.4, "999"},
                   {999.5, "1k"},      {1000, "1k"},      {98.1e6, "98.1M"}, {-98.1e6, "-98.1M"}, {1e9, "1G"},
                   {1e12, "1T"},       {1e15, "1P"},      {2e18, "2E"},      {1e20, "100E"},      {1e21, "1e+03E"},
                   {0.0995, "0.0995"}, {0.0994, "99.4m"}, {0.5, "0.5"},      {-0.0025, "-2.5m"},  {1.5e-6, "1.5u"},
                   {7e-9, "7n"},       {7e-12, "0.007n"}, {0.9996e-3, "1m"}, {0.9994e-3, "999u"}};
    int right = 1;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        text_put_short(&got, numbers[i].number);
        right &= is(numbers[i].text);
    }
    tell("numbers with prefixes", right);
    static const struct {
        double seconds;
        int digits;
        const char *text;
    } durations[] = {{0, 3, "0 ns"},
                     {999e-9, 3, "999 ns"},
                     {0.9994e-3, 3, "999 \xc2\xb5s"},
                     {0.99955e-3, 3, "1 ms"},
                     {0.9996e-3, 3, "1 ms"},
                     {-0.9996e-3, 3, "-1 ms"},
                     {0.9999e-3, 4, "999.9 \xc2\xb5s"},
                     {0.99996e-3, 4, "1 ms"},
                     {0.95, 3, "950 ms"},
                     {10799, 5, "10799 s"},
                     {10800, 3, "3 h"},
                     {259200, 3, "3 d"},
                     {864000, 3, "10 d"}};
    right = 1;
    for (size_t i = 0; i < sizeof durations / sizeof *durations; i++) {
        text_put_duration(&got, durations[i].seconds, durations[i].digits);
        right &= is(durations[i].text);
    }
    tell("durations of three and more digits", right);
    static const double steps[][2] = {{1, 1},  {1.5, 2}, {2, 2},   {3, 5},   {5, 5},
                                      {6, 10}, {10, 10}, {20, 20}, {50, 50}, {51, 100}};
    right = 1;
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        right &= fabs(axis_step(steps[i][0]) - steps[i][1]) < 1e-9;
    tell("steps of axes are not below", right);
    right = 1;
    for (int decimals = 0; decimals <= 15; decimals++)
        for (int i = 1; i <= 5; i += i == 2 ? 3 : 1)
            right &= axis_decimals(i * pow(10, -decimals)) == (decimals < 12 ? decimals : 12);
    tell("decimals of axes", right && axis_decimals(10) == 0 && axis_decimals(2000) == 0);
}

/* ---- spelling */

/* The distance by its definition. */
static size_t plain_distance(const char *a, size_t m, const char *b, size_t n)
{
    if (m == 0 || n == 0)
        return m + n;
    size_t least = plain_distance(a, m - 1, b, n) + 1, other = plain_distance(a, m, b, n - 1) + 1;
    least = other < least ? other : least;
    other = plain_distance(a, m - 1, b, n - 1) + (a[m - 1] != b[n - 1]);
    least = other < least ? other : least;
    if (m > 1 && n > 1 && a[m - 1] == b[n - 2] && a[m - 2] == b[n - 1]) {
        other = plain_distance(a, m - 2, b, n - 2) + 1;
        least = other < least ? other : least;
    }
    return least;
}

static const char *best_of(const char *word, const char *first, const char *second)
{
    similar_name it = {word, NULL, 0};
    similar_offer(&it, first);
    similar_offer(&it, second);
    return it.name ? it.name : "";
}

static void test_spelling(void)
{
    int right = 1, alike = 0;
    for (int i = 0; i < 4000; i++) {
        char words[2][8];
        for (int k = 0; k < 2; k++) {
            size_t size = draw(7) + (k == 0);
            for (size_t j = 0; j < size; j++)
                words[k][j] = (char)('a' + draw(3));
            words[k][size] = '\0';
        }
        size_t m = strlen(words[0]), distance = plain_distance(words[0], m, words[1], strlen(words[1]));
        int is_alike = distance < m && distance <= (m <= 3 ? 1u : m <= 6 ? 2u : 3u);
        similar_name it = {words[0], NULL, 0};
        similar_offer(&it, words[1]);
        right &= is_alike ? it.name == words[1] && it.distance == distance : !it.name;
        alike += is_alike;
    }
    tell("words are as far apart as their definition says", right && alike > 500);
    static const char forty[] = "abcdefghijklmnopqrstuvwxyzabcdefghijklmn",
                      more[] = "abcdefghijklmnopqrstuvwxyzabcdefghijklmno";
    tell("the first of the best is suggested",
         strcmp(best_of("state", "stats", "stave"), "stats") == 0 &&
             strcmp(best_of("state", "stabs", "stave"), "stave") == 0 &&
             strcmp(best_of("state", "stave", "stabs"), "stave") == 0 && strcmp(best_of("", "a", "b"), "") == 0 &&
             strcmp(best_of(forty, more, forty + 1), forty + 1) == 0 && strcmp(best_of(more, forty, forty), "") == 0 &&
             strcmp(best_of(forty + 1, more, forty), forty) == 0);
}

/* ---- sums */

#ifdef __SIZEOF_INT128__
__extension__ typedef __int128 wide;

static void test_sums(void)
{
    int right = 1;
    for (int i = 0; i < 20000; i++) { /* whole numbers, whose sums are exact in 128 bits */
        sum first = {0, 0, 0}, second = {0, 0, 0};
        wide exact = 0;
        for (uint64_t count = draw(12) + 1; count > 0; count--) {
            int64_t base = (int64_t)draw(UINT64_C(1) << 53);
            wide number = (wide)(draw(2) ? base : -base) * ((wide)1 << draw(60));
            exact += number;
            sum_add(draw(2) ? &first : &second, (double)number);
        }
        sum_add_sum(&first, &second);
        double total = sum_of(&first);
        right &= !(total < (double)exact) && !(total > (double)exact);
    }
    tell("sums are exact, in any order", right);
    static const double tiny = 1e-40, half = DBL_EPSILON / 2;
    static const double signs[] = {1, -1};
    right = 1;
    for (int i = 0; i < 4; i++) {
        sum it = {0, 0, 0};
        double sign = signs[i / 2], rest = signs[i % 2] * tiny, next = sign * (1 + 2 * half);
        sum_add(&it, sign);
        sum_add(&it, sign * half);
        sum_add(&it, rest);
        double total = sum_of(&it), expected = i == 0 || i == 3 ? next : sign;
        right &= !(total < expected) && !(total > expected);
    }
    tell("what is tiny tells where a half is rounded to", right);
    sum endless = {0, 0, 0}, it = {1, 0, 0};
    sum_add(&endless, HUGE_VAL);
    sum_add(&endless, 1);
    sum_add_sum(&it, &endless);
    tell("an infinite sum", isinf(sum_of(&endless)) && isinf(sum_of(&it)) && !sum_is_finite(&it));
}
#else
static void test_sums(void) { tell("sums", 1); }
#endif

/* ---- blocks */

static void test_blocks(void)
{
    static const char some[] = "09/: \t,=\"'(\x7f\x80\xff";
    int right = 1;
    for (int round = 0; round < 2000; round++) {
        char bytes[BLOCK_BYTES + 1], other[BLOCK_BYTES], one = some[draw(sizeof some)];
        uint32_t found = 0, below = 0, digits = 0, same = 0;
        for (int i = 0; i < BLOCK_BYTES; i++) {
            bytes[i + 1] = some[draw(sizeof some)];
            other[i] = draw(2) ? bytes[i + 1] : one;
            found |= (uint32_t)(bytes[i + 1] == one) << i;
            below |= (uint32_t)((unsigned char)bytes[i + 1] <= (unsigned char)one) << i;
            digits |= (uint32_t)(bytes[i + 1] >= '0' && bytes[i + 1] <= '9') << i;
            same |= (uint32_t)(bytes[i + 1] == other[i]) << i;
        }
        block16 loaded = block_load(bytes + 1);
        right &= block_find(loaded, one) == found && block_up_to(loaded, one) == below &&
                 block_same(loaded, block_load(other)) == same && (block_digits(loaded) & BLOCK_ALL) == digits &&
                 (!found || (found & (~found + 1)) == UINT32_C(1) << block_first(found));
    }
    tell("blocks", right);
}

int main(void)
{
    program_name = "base";
    test_blocks();
    test_notations();
    test_texts();
    test_numbers();
    test_units();
    test_spelling();
    test_sums();
    text_free(&got);
    return failed;
}
