/* examples/base: arrays, maps, texts, UTF-8, units, against plain ways to do the same. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/encode.h"
#include "base/map.h"
#include "base/text.h"
#include "base/unit.h"
#include "base/utf8.h"
#include "tests/lib/draw.h"
#include "tests/lib/tell.h"

/* ---- arrays */

static void test_arrays(void)
{
    typedef struct item {
        int a;
        char b[13];
    } item;
    array_of(item) items = {0};
    array_of(uint32_t) far = {0};
    int same = 1, zeroed = 1;
    for (int i = 0; i < 10000; i++) {
        item *it = array_push(&items);
        zeroed &= it->a == 0 && it->b[12] == 0;
        it->a = i;
        it->b[12] = 'x';
    }
    for (int i = 0; i < 10000; i++)
        same &= items.items[i].a == i;
    tell("an array keeps what was pushed", same && items.count == 10000 && items.capacity >= 10000);
    array_clear(&items);
    zeroed &= array_push(&items)->a == 0;
    tell("what is pushed is zeroed, also where something was before", zeroed);
    *array_at(&far, 77) = 5;
    zeroed = far.count == 78;
    for (size_t i = 0; i < 77; i++)
        zeroed &= far.items[i] == 0;
    tell("array_at extends by zeros", zeroed && far.items[77] == 5 && *array_at(&far, 77) == 5 && far.count == 78);
    array_reserve(&far, 1000);
    tell("array_reserve makes no items", far.count == 78 && far.capacity >= 1078);
    array_free(&items);
    array_free(&far);
    tell("an array that was freed is empty", !items.items && !items.count && !far.capacity);
}

/* ---- maps: against a table of what is in them, by number of the key */

enum { KEYS = 3000 };

static size_t make_key(char key[64], unsigned number)
{
    size_t size = (size_t)snprintf(key, 64, "%u", number);
    for (unsigned i = 0; i < number % 40; i++)
        key[size++] = (char)(i % 3 ? 0 : 0xff); /* keys are any bytes */
    return size;
}

static void test_maps(void)
{
    static size_t number_of[KEYS];
    hash_map map = {0};
    array_of(unsigned) keys = {0};
    char key[64];
    size_t used = 0;
    int right = map_find(&map, "x", 1) == MAP_NONE;
    for (unsigned i = 0; i < KEYS; i++)
        number_of[i] = MAP_NONE;
    for (int i = 0; i < 200000; i++) {
        unsigned one = (unsigned)draw(KEYS);
        size_t size = make_key(key, one), known = number_of[one];
        right &= map_find(&map, key, size) == known;
        if (i % 3 < 2) {
            size_t number = map_add(&map, key, size);
            right &= known == MAP_NONE || known == number;
            used += known == MAP_NONE;
            if (known == MAP_NONE)
                right &= number <= keys.count && (number == keys.count || keys.items[number] == KEYS);
            *array_at(&keys, number) = one;
            number_of[one] = number;
            right &= map_key(&map, number).size == size && memcmp(map_key(&map, number).bytes, key, size) == 0;
        } else if (known != MAP_NONE) {
            map_remove(&map, known);
            keys.items[known] = KEYS;
            number_of[one] = MAP_NONE;
            used--;
        }
        right &= map.used == used;
    }
    tell("a map finds what was added, and no more what was removed", right && used > 0);
    map_clear(&map);
    tell("a map that was cleared is empty, and counts from 0",
         map_find(&map, "1", 1) == MAP_NONE && !map_add(&map, "", 0) && !map_find(&map, NULL, 0));
    tell("the empty key is a key", map_find(&map, "", 0) == 0);
    map_free(&map);

    hash_map numbers = {0};
    right = 1;
    for (uint64_t i = 0; i < 100000; i++) { /* multiples of a power of two, as offsets are */
        uint64_t offset = i << 20;
        right &= map_add(&numbers, &offset, sizeof offset) == i;
    }
    tell("numbers are given in the order of the keys", right && numbers.used == 100000);
    size_t longest = 0, run = 0;
    for (size_t i = 0; i < numbers.slot_count; i++) {
        run = numbers.slots[i].number ? run + 1 : 0;
        longest = run > longest ? run : longest;
    }
    tell("they are spread over the slots", longest < 300);
    map_free(&numbers);
    uint64_t first = map_hash("a", 1);
    tell("hashes tell bytes and sizes apart", first == map_hash("a", 1) && first != map_hash("b", 1) &&
                                                  map_hash("\0", 1) != map_hash("\0\0", 2) && map_hash("", 0) != first);
    int spread = 1;
    for (size_t size = 1; size <= 50; size++)
        for (size_t at = 0; at < size; at++) {
            char bytes[64] = {0};
            uint64_t before = map_hash(bytes, size);
            bytes[at] = 1;
            spread &= map_hash(bytes, size) != before && (map_hash(bytes, size) ^ before) >> 32 != 0;
        }
    tell("hashes tell apart where a byte differs", spread);
    printf("NOTE %016llx\n", (unsigned long long)first); /* another one in the next run */
}

/* ---- texts and UTF-8 */

static void test_texts(void)
{
    text_buffer text = {0};
    tell("a text is empty at first", text_view(&text).size == 0 && strcmp(text_string(&text), "") == 0);
    text_puts(&text, "one");
    text_putc(&text, ',');
    text_append(&text, text_of(" two"));
    text_printf(&text, " %d", 3);
    tell("pieces of a text",
         text_is_equal(text_view(&text), text_of("one, two 3")) && strlen(text_string(&text)) == 10);
    text_clear(&text);
    for (int i = 0; i < 5000; i++)
        text_printf(&text, "%0200d", i);
    tell("a long text", text.size == 1000000 && memcmp(text.bytes + 999996, "4999", 4) == 0);
    text_clear(&text);
    text_put_printable(&text, (pajesim_text){"a\n\t\x1b[\xc2\x9b\xc3\xa9", 9});
    tell("control bytes are shown as such", strcmp(text_string(&text), "a\\n\\t\\x1b[\\xc2\\x9b\xc3\xa9") == 0);
    int fit = 1;
    for (uint32_t character = 0; character < 0x110000; character++) {
        char bytes[4];
        size_t size = utf8_encode(bytes, character);
        int stays = character >= 0x20 && !(character >= 0x7f && character <= 0x9f) &&
                    !(character >= 0xd800 && character <= 0xdfff) && !(character >= 0x2028 && character <= 0x202e) &&
                    !(character >= 0x2066 && character <= 0x2069);
        int is_blank = character == '\n' || character == '\t';
        text_clear(&text);
        text_put_printable(&text, (pajesim_text){bytes, size});
        fit &= stays ? text.size == size && memcmp(text.bytes, bytes, size) == 0
                     : text.size == (is_blank ? 2 : 4 * size) && text.bytes[0] == '\\';
        text_clear(&text);
        text_put_printable_lines(&text, (pajesim_text){bytes, size});
        fit &= text.size == (stays || is_blank ? size : 4 * size);
    }
    tell("every character is shown, or as its bytes", fit);
    fit = 1;
    for (int i = 0; i < 100000; i++) { /* bytes of all sorts, half of them those that begin and continue characters */
        static const unsigned char often[] = {0x9b, 0xc2, 0xe2, 0x80, 0xae, 0x1b, 0xf0, 0xc3};
        char bytes[6];
        for (int k = 0; k < 6; k++)
            bytes[k] = (char)(draw(2) ? often[draw(8)] : draw(256));
        text_clear(&text);
        text_put_printable(&text, (pajesim_text){bytes, 6});
        for (size_t at = 0; at < text.size;) {
            size_t size = utf8_size(text.bytes + at, text.size - at);
            uint32_t character = size ? utf8_next(text.bytes, text.size, &at) : 0;
            fit &= character >= 0x20 && !(character >= 0x7f && character < 0xa0) &&
                   !(character >= 0x2028 && character <= 0x202e) && !(character >= 0x2066 && character <= 0x2069);
            at += !size;
        }
    }
    tell("whatever the bytes are, what is shown is UTF-8 without controls", fit);
    tell("texts are compared by bytes", text_compare(text_of("ab"), text_of("b")) < 0 &&
                                            text_compare(text_of("ab"), text_of("a")) > 0 &&
                                            text_compare((pajesim_text){NULL, 0}, text_of("")) == 0);
    text_free(&text);

    int right = 1;
    for (uint32_t character = 0; character < 0x110000; character++) {
        char bytes[4];
        size_t at = 0, size = utf8_encode(bytes, character);
        int is_surrogate = character >= 0xd800 && character < 0xe000;
        right &= utf8_size(bytes, size) == (is_surrogate ? 0 : size);
        right &= utf8_next(bytes, size, &at) == (is_surrogate ? UTF8_REPLACEMENT : character);
        right &= at == (is_surrogate ? 1 : size);
        for (size_t less = 1; less < size; less++)
            right &= utf8_size(bytes, less) == 0;
    }
    tell("each character in UTF-8, there and back", right);
    static const char *const wrong[] = {"\x80", "\xc0\x80", "\xc1\xbf", "\xe0\x9f\xbf", "\xed\xa0\x80",
                                        "\xf0\x8f\xbf\xbf",
                                        "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        right &= utf8_size(wrong[i], strlen(wrong[i])) == 0;
    tell("what is no UTF-8", right);
}

/* ---- units and axes */

static void test_units(void)
{
    text_buffer text = {0};
    const time_unit *ms = unit_named(text_of("ms"));
    tell("units by name",
         ms && !(fabs(ms->seconds - 1e-3) > 0) && !unit_named(text_of("m")) && !unit_named(text_of("")));
    text_put_duration(&text, 0.0025, 3);
    text_puts(&text, ", ");
    text_put_duration(&text, 90, 3);
    text_puts(&text, ", ");
    text_put_duration(&text, -4e-9, 3);
    text_puts(&text, ", ");
    text_put_duration(&text, 7200 * 2, 3);
    tell("durations in units that fit", strcmp(text_string(&text), "2.5 ms, 90 s, -4 ns, 4 h") == 0);
    text_free(&text);
    static const struct {
        double seconds;
        const char *name;
    } first[] = {{1e-6, "\xc2\xb5s"}, {1e-3, "ms"}, {1, "s"}, {3 * 3600, "h"}, {3 * 86400, "d"}};
    int right = 1;
    for (size_t i = 0; i < sizeof first / sizeof *first; i++)
        right &= strcmp(unit_for(first[i].seconds)->name, first[i].name) == 0 &&
                 strcmp(unit_for(first[i].seconds * (1 - 1e-9))->name, i ? first[i - 1].name : "ns") == 0;
    tell("each unit from its first duration on", right);
    right = 1;
    for (double least = 1.3e-9; least < 1e9; least *= 1.37) {
        double step = axis_step(least), scaled = step / pow(10, floor(log10(step) + 1e-9));
        right &= step >= least * (1 - 1e-12) && step < 2.5 * least * (1 + 1e-12);
        right &= fabs(scaled - 1) < 1e-9 || fabs(scaled - 2) < 1e-9 || fabs(scaled - 5) < 1e-9;
    }
    tell("steps of axes are 1, 2 or 5 times a power of ten", right);
    tell("and have so many decimals", axis_decimals(0.5) == 1 && axis_decimals(0.02) == 2 && axis_decimals(100) == 0);
}

/* ---- numbers and tables */

/* Digits from the first one that is not 0 to the last one, of a number without an exponent. */
static size_t significant(const char *text)
{
    size_t digits = 0, zeros = 0;
    for (text += strspn(text, "-0."); *text && *text != 'e'; text++) {
        if (*text == '.')
            continue;
        zeros = *text == '0' ? zeros + 1 : 0;
        digits++;
    }
    return digits - zeros;
}

/* Whether a number reads back as it was, from no more digits than it needs. */
static int is_shortest(double number)
{
    static text_buffer text;
    char naive[40];
    text_clear(&text);
    text_put_number(&text, number);
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(naive, sizeof naive, "%.*g", digits, number);
        double read = strtod(naive, NULL);
        if (memcmp(&read, &number, sizeof read) == 0)
            break;
    }
    double read = strtod(text_string(&text), NULL);
    return memcmp(&read, &number, sizeof read) == 0 && significant(text_string(&text)) <= significant(naive) &&
           (strchr(naive, 'e') || strcmp(text_string(&text), naive) == 0);
}

/* Whether a span is written as that. */
static int is_span(double start, double end, double expected)
{
    static text_buffer text;
    text_clear(&text);
    text_put_span(&text, start, end);
    double read = strtod(text_string(&text), NULL);
    return memcmp(&read, &expected, sizeof read) == 0;
}

static void test_spans(void)
{
    int right = is_span(0.1, 0.3, 0.2) && is_span(1e-10, 3e-10, 2e-10) && is_span(-0.1, 0.2, 0.3);
    int doubles = 0; /* some have 15 digits by chance */
    for (int i = 0; i < 20000; i++) {
        double start = (double)draw(UINT64_C(1) << 53) / 9e15, end = start + (double)draw(UINT64_C(1) << 53) / 7e15;
        doubles += is_span(start, end, end - start);
        double first = (double)draw(1000000), last = first + (double)draw(1000000);
        right &= is_span(first / 1e13, last / 1e13, (last - first) / 1e13);
    }
    tell("spans are the difference of decimals, or of doubles that have more digits", right && doubles > 19900);
}

static void test_numbers(void)
{
    static const double scales[] = {1, 10, 1e3, 1e6, 1e9, 1e12};
    int shortest = is_shortest(0) && is_shortest(1e-9) && is_shortest(-999999.999999999) && is_shortest(1e6);
    int quoted = 1;
    for (int i = 0; i < 20000; i++) {
        double number = (double)draw(UINT64_C(1) << draw(54)) / scales[draw(6)];
        shortest &= is_shortest(number > 0 && draw(2) ? -number : number);
        shortest &= is_shortest(number + (double)draw(1000) / 1e3);
    }
    tell("numbers have the fewest digits that read back", shortest);
    for (int byte = 0; byte < 256; byte++)
        for (size_t at = 0; at < 9; at++) {
            text_buffer text = {0};
            char bytes[] = "abcdefgh,";
            size_t size = at < 8 ? 8 : 9;
            bytes[at] = (char)byte;
            text_put_csv(&text, (pajesim_text){bytes, size});
            int needs = byte && strchr(",\"\r\n", byte) ? 1 : byte == 0;
            quoted &= (text.bytes[0] == '"') == needs;
            int is_plain = byte >= ' ' && byte < 0x7f && !strchr("\"&'<>\\", byte);
            quoted &= utf8_plain(bytes, size) == (is_plain ? size : at);
            text_free(&text);
        }
    tell("a byte is special wherever it stands", quoted);
}

int main(void)
{
    program_name = "base";
    test_arrays();
    test_spans();
    test_numbers();
    test_maps();
    test_texts();
    test_units();
    return failed;
}
