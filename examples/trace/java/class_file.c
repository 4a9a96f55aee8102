/* Class files: the constant pool, methods, and what is copied as it is. */
#include "class_file.h"

#include <stdlib.h>
#include <string.h>

/* ---- reading and writing */

uint32_t class_get(class_reader *it, size_t size)
{
    const unsigned char *bytes = class_skip(it, size);
    uint32_t number = 0;
    size_t i;
    for (i = 0; bytes && i < size; i++)
        number = number << 8 | bytes[i];
    return number;
}

const unsigned char *class_skip(class_reader *it, size_t size)
{
    const unsigned char *at = it->at;
    if (it->has_failed || (size_t)(it->end - it->at) < size) {
        it->has_failed = 1;
        return NULL;
    }
    it->at += size;
    return at;
}

void class_put_bytes(class_writer *it, const void *bytes, size_t size)
{
    if (it->has_failed)
        return;
    if (it->capacity - it->size < size) {
        const size_t capacity = 2 * it->capacity + size + 1024;
        unsigned char *larger = (unsigned char *)realloc(it->bytes, capacity);
        if (!larger) {
            it->has_failed = 1;
            return;
        }
        it->bytes = larger;
        it->capacity = capacity;
    }
    if (size)
        memcpy(it->bytes + it->size, bytes, size);
    it->size += size;
}

static void to_bytes(unsigned char *bytes, size_t size, uint32_t number)
{
    for (; size; number >>= 8)
        bytes[--size] = (unsigned char)number;
}

void class_put(class_writer *it, size_t size, uint32_t number)
{
    unsigned char bytes[4];
    to_bytes(bytes, size, number);
    class_put_bytes(it, bytes, size);
}

void class_set(class_writer *it, size_t at, size_t size, uint32_t number)
{
    if (!it->has_failed)
        to_bytes(it->bytes + at, size, number);
}

/* ---- the constant pool */

enum { UTF8 = 1, LONG = 5, DOUBLE = 6, CLASS = 7, METHOD = 10, NAME_AND_TYPE = 12 };

/* How many bytes follow the tag; -1: it is none. */
static int size_of_entry(uint32_t tag)
{
    static const signed char sizes[] = {-1, 2, -1, 4, 4, 8, 8, 2, 2, 4, 4, 4, 4, -1, -1, 3, 2, 4, 4, 2, 2};
    return tag < sizeof sizes ? sizes[tag] : -1;
}

static int read_pool(class_file *it, class_reader *in)
{
    uint32_t i;
    for (i = 1; i < it->count; i++) {
        const uint32_t at = (uint32_t)(in->at - it->bytes), tag = class_get(in, 1);
        const int size = size_of_entry(tag);
        if (size < 0 || in->has_failed)
            return 0;
        it->pool[i] = at;
        if (tag == UTF8)
            class_skip(in, class_get(in, 2));
        else
            class_skip(in, (size_t)size);
        i += tag == LONG || tag == DOUBLE; /* they take two numbers, both within the count */
    }
    return !in->has_failed && i == it->count;
}

/* Reads a member of an entry, of two bytes; 0: it is no entry of that tag. */
static uint32_t member(const class_file *it, uint32_t number, uint32_t tag, size_t at)
{
    const unsigned char *entry = number < it->count && it->pool[number] ? it->bytes + it->pool[number] : NULL;
    return entry && *entry == tag ? (uint32_t)entry[at] << 8 | entry[at + 1] : 0;
}

class_text class_text_of(const class_file *it, uint32_t number)
{
    class_text text = {NULL, 0};
    if (number < it->count && it->pool[number] && it->bytes[it->pool[number]] == UTF8) {
        text.size = member(it, number, UTF8, 1);
        text.bytes = (const char *)it->bytes + it->pool[number] + 3;
    }
    return text;
}

int class_is_text(const class_file *it, uint32_t number, const char *text)
{
    const class_text found = class_text_of(it, number);
    return found.bytes && found.size == strlen(text) && memcmp(found.bytes, text, found.size) == 0;
}

int class_is_constructor_call(const class_file *it, uint32_t number, uint32_t *of_class)
{
    *of_class = member(it, number, METHOD, 1);
    return class_is_text(it, member(it, member(it, number, METHOD, 3), NAME_AND_TYPE, 1), "<init>");
}

static void put_text(class_writer *out, const char *text)
{
    class_put(out, 1, UTF8);
    class_put(out, 2, (uint32_t)strlen(text));
    class_put_bytes(out, text, strlen(text));
}

static void put_entry(class_writer *out, uint32_t tag, uint32_t one, uint32_t two)
{
    class_put(out, 1, tag);
    class_put(out, 2, one);
    if (tag != CLASS)
        class_put(out, 2, two);
}

/* In the order of POOL_FRAMES and so on. */
static void put_added(class_writer *out, uint32_t first)
{
    put_text(out, "StackMapTable");
    put_text(out, CLASS_PROBE);
    put_entry(out, CLASS, first + POOL_PROBE, 0);
    put_text(out, "begin");
    put_text(out, "end");
    put_text(out, "(I)V");
    put_entry(out, NAME_AND_TYPE, first + POOL_BEGIN, first + POOL_TYPE);
    put_entry(out, NAME_AND_TYPE, first + POOL_END, first + POOL_TYPE);
    put_entry(out, METHOD, first + POOL_PROBE_CLASS, first + POOL_BEGIN_NAMED);
    put_entry(out, METHOD, first + POOL_PROBE_CLASS, first + POOL_END_NAMED);
    put_text(out, "java/lang/Throwable");
    put_entry(out, CLASS, first + POOL_THROWABLE, 0);
}

/* ---- members */

static void skip_attributes(class_reader *in)
{
    uint32_t count = class_get(in, 2);
    for (; count && !in->has_failed; count--) {
        class_skip(in, 2);
        class_skip(in, class_get(in, 4));
    }
}

static void skip_members(class_reader *in)
{
    uint32_t count = class_get(in, 2);
    for (; count && !in->has_failed; count--) {
        class_skip(in, 6);
        skip_attributes(in);
    }
}

/* Copies a method, or changes its code.  Returns 1 if it has. */
static int copy_method(const class_file *it, class_reader *in, const class_choice *choice, class_writer *out)
{
    const unsigned char *head = class_skip(in, 6);
    const uint32_t name = head ? (uint32_t)head[2] << 8 | head[3] : 0;
    const class_text text = class_text_of(it, name);
    const class_text class_name = class_text_of(it, member(it, it->this_class, CLASS, 1));
    uint32_t count = class_get(in, 2), is_changed = 0;
    if (!head)
        return 0;
    class_put_bytes(out, head, 6);
    class_put(out, 2, count);
    for (; count && !in->has_failed; count--) {
        const unsigned char *start = in->at;
        const uint32_t attribute = class_get(in, 2), size = class_get(in, 4);
        const unsigned char *content = class_skip(in, size);
        int number = 0;
        if (!content)
            return 0;
        if (!is_changed && text.bytes && class_name.bytes && class_is_text(it, attribute, "Code"))
            number = choice->choose(choice->data, class_name, text);
        if (number > 0 && number <= CLASS_MOST_NUMBERS) {
            const size_t before = out->size;
            const class_reader code = {content, content + size, 0};
            class_put(out, 2, attribute);
            if (class_change_code(it, code, class_is_text(it, name, "<init>"), number, out)) {
                is_changed = 1;
                continue;
            }
            out->size = before;
        }
        class_put_bytes(out, start, (size_t)(in->at - start));
    }
    return (int)is_changed;
}

/* Returns how many methods are changed, if the file is one that is understood. */
static uint32_t change(class_file *it, class_reader *in, const class_choice *choice, class_writer *out)
{
    const unsigned char *start;
    uint32_t count, changed = 0;
    if (!read_pool(it, in) || it->count + POOL_ADDED > 0xffff)
        return 0;
    class_put_bytes(out, it->bytes, 8);
    class_put(out, 2, it->count + POOL_ADDED);
    class_put_bytes(out, it->bytes + 10, (size_t)(in->at - it->bytes) - 10);
    put_added(out, it->count);
    start = in->at;
    class_skip(in, 2);
    it->this_class = class_get(in, 2);
    it->super_class = class_get(in, 2);
    class_skip(in, 2 * (size_t)class_get(in, 2));
    skip_members(in);
    count = class_get(in, 2);
    if (in->has_failed)
        return 0;
    class_put_bytes(out, start, (size_t)(in->at - start));
    for (; count && !in->has_failed; count--)
        changed += (uint32_t)copy_method(it, in, choice, out);
    start = in->at;
    skip_attributes(in);
    if (in->has_failed || in->at != in->end)
        return 0;
    class_put_bytes(out, start, (size_t)(in->at - start));
    return changed;
}

unsigned char *class_change(const unsigned char *bytes, size_t size, const class_choice *choice, size_t *new_size)
{
    class_reader in = {bytes, bytes + size, 0};
    class_writer out = {NULL, 0, 0, 0};
    class_file it = {bytes, size, 0, NULL, 0, 0, 0};
    uint32_t changed = 0;
    if (class_get(&in, 4) != 0xcafebabe)
        return NULL;
    class_skip(&in, 2);
    it.version = class_get(&in, 2);
    it.count = class_get(&in, 2);
    if (!in.has_failed && it.count)
        it.pool = (uint32_t *)calloc(it.count, sizeof *it.pool);
    if (it.pool)
        changed = change(&it, &in, choice, &out);
    free(it.pool);
    if (!changed || out.has_failed) {
        free(out.bytes);
        return NULL;
    }
    *new_size = out.size;
    return out.bytes;
}
