/* The code of a method: calls of the probe where it begins, before each return, and in a handler of all exceptions that
 * nothing else catches.
 *
 *     sipush NUMBER; invokestatic begin                  in front of all; in a constructor, behind its call of another
 *     sipush NUMBER; invokestatic end; return            in place of each return
 *     sipush -NUMBER; invokestatic end; athrow           the handler, behind all
 *
 * So instructions move: branches, switches (whose padding depends on where they are), handlers, frames of the stack map
 * and tables of debuggers are adapted.  A branch to a return goes to the call in front of it.  The
 * handler is for all that follows the first call; in a constructor, nothing may handle an object that is not
 * initialized, which it is once another constructor was called. */
#include "class_file.h"

#include <stdlib.h>
#include <string.h>

enum { CALL_SIZE = 6, HANDLER_SIZE = CALL_SIZE + 1, MOST = 65535 };
enum {
    TABLESWITCH = 0xaa, LOOKUPSWITCH = 0xab, RETURNS = 0xac, RETURN = 0xb1, INVOKESPECIAL = 0xb7, INVOKESTATIC = 0xb8,
    NEW = 0xbb, ATHROW = 0xbf, WIDE = 0xc4, IINC = 0x84, SIPUSH = 0x11, GOTO_W = 0xc8, JSR_W = 0xc9
};
#define NOWHERE UINT32_MAX

typedef struct code {
    const class_file *file;
    const unsigned char *bytes; /* instructions */
    uint32_t size;
    uint32_t *places; /* where each instruction is afterwards; NOWHERE: none begins there; the last one: their end */
    uint32_t new_size; /* without the handler */
    uint32_t entry;    /* in front of which instruction the probe is called first */
    int number;
} code;

static int is_return(uint32_t operation)
{
    return operation >= RETURNS && operation <= RETURN;
}

/* Sizes of operations 0 to 0xc9; 0: it depends. */
static uint32_t size_of_operation(uint32_t operation)
{
    static const char sizes[] =
        "1111111111111111" "2323322222" "1111111111111111111111111111" "22222"
        "1111111111111111111111111111111111111111111111111111111111111111111111111" "3" "11111111111111111111"
        "3333333333333333" "2" "00" "111111" "3333333" "55" "3" "2" "3" "1" "1" "3" "3" "1" "1" "0" "4" "33" "55";
    return operation < sizeof sizes - 1 ? (uint32_t)(sizes[operation] - '0') : NOWHERE;
}

static uint32_t get4(const unsigned char *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static int32_t get_signed(const unsigned char *bytes, size_t size)
{
    if (size == 2)
        return (int16_t)(uint16_t)(bytes[0] << 8 | bytes[1]);
    return (int32_t)get4(bytes);
}

/* How many bytes of padding follow the operation of a switch. */
static uint32_t padding_at(uint32_t place)
{
    return (0u - (place + 1)) & 3;
}

/* Size of a switch without its padding; 0: it is damaged. */
static uint32_t size_of_switch(const code *it, uint32_t at)
{
    const uint32_t start = at + 1 + padding_at(at);
    uint64_t count;
    if (start > it->size || it->size - start < 12)
        return 0;
    if (it->bytes[at] == TABLESWITCH) {
        const int64_t low = get_signed(it->bytes + start + 4, 4), high = get_signed(it->bytes + start + 8, 4);
        if (low > high)
            return 0;
        count = 3 + (uint64_t)(high - low + 1);
    } else {
        if (get_signed(it->bytes + start + 4, 4) < 0)
            return 0;
        count = 2 + 2 * (uint64_t)get4(it->bytes + start + 4);
    }
    return count <= (it->size - start) / 4 ? 1 + 4 * (uint32_t)count : 0;
}

/* Size of the instruction at a place, as it is; 0: it is damaged. */
static uint32_t size_at(const code *it, uint32_t at)
{
    uint32_t size = size_of_operation(it->bytes[at]);
    if (size == NOWHERE)
        return 0;
    if (it->bytes[at] == WIDE)
        size = at + 1 < it->size && it->bytes[at + 1] == IINC ? 6 : 4;
    else if (size == 0 && (size = size_of_switch(it, at)) != 0)
        size += padding_at(at);
    return size <= it->size - at ? size : 0;
}

/* Finds where all instructions are afterwards. */
static int place_all(code *it)
{
    uint32_t at, place = 0, size;
    memset(it->places, 0xff, (it->size + 1) * sizeof *it->places);
    for (at = 0; at < it->size; at += size) {
        const uint32_t operation = it->bytes[at];
        size = size_at(it, at);
        if (!size)
            return 0;
        if (at == it->entry)
            place += CALL_SIZE;
        it->places[at] = place;
        place += is_return(operation) ? CALL_SIZE + size : size;
        if (operation == TABLESWITCH || operation == LOOKUPSWITCH)
            place = it->places[at] + size - padding_at(at) + padding_at(it->places[at]);
    }
    it->places[it->size] = it->new_size = place;
    return place + HANDLER_SIZE <= MOST;
}

/* Where an old place is afterwards; NOWHERE: no instruction begins there. */
static uint32_t place_of(const code *it, uint32_t at)
{
    return at <= it->size ? it->places[at] : NOWHERE;
}

/* In a constructor, finds the call of another one: the first that is not of an object made by `new` before it. */
static int find_constructor_call(code *it)
{
    uint32_t at, made = 0;
    for (at = 0; at < it->size; at += size_at(it, at)) {
        uint32_t of_class;
        if (it->bytes[at] == NEW)
            made++;
        if (it->bytes[at] != INVOKESPECIAL ||
            !class_is_constructor_call(it->file, (uint32_t)it->bytes[at + 1] << 8 | it->bytes[at + 2], &of_class))
            continue;
        if (!made) {
            it->entry = at + 3;
            return it->entry < it->size &&
                   (of_class == it->file->this_class || of_class == it->file->super_class);
        }
        made--;
    }
    return 0;
}

/* ---- instructions */

static void put_call(const code *it, int number, uint32_t call, class_writer *out)
{
    class_put(out, 1, SIPUSH);
    class_put(out, 2, (uint32_t)number);
    class_put(out, 1, INVOKESTATIC);
    class_put(out, 2, it->file->count + call);
}

/* Puts the distance to where a branch goes.  `from`, `place`: of its instruction, before and afterwards. */
static int put_branch(const code *it, uint32_t from, uint32_t place, const unsigned char *distance, size_t size,
                      class_writer *out)
{
    const int64_t target = (int64_t)from + get_signed(distance, size);
    int64_t moved;
    if (target < 0 || target >= it->size || it->places[target] == NOWHERE)
        return 0;
    moved = (int64_t)it->places[target] - place;
    if (size == 2 && (moved < INT16_MIN || moved > INT16_MAX))
        return 0;
    class_put(out, size, (uint32_t)moved);
    return 1;
}

static int put_switch(const code *it, uint32_t at, class_writer *out)
{
    const uint32_t place = it->places[at], padding = padding_at(place), operation = it->bytes[at];
    const unsigned char *from = it->bytes + at + 1 + padding_at(at);
    const uint32_t words = (size_of_switch(it, at) - 1) / 4;
    uint32_t i;
    class_put(out, 1, operation);
    class_put_bytes(out, "\0\0\0", padding);
    for (i = 0; i < words; i++, from += 4) {
        const int is_target = i == 0 || (operation == TABLESWITCH ? i > 2 : i > 1 && i % 2 == 1);
        if (!is_target)
            class_put_bytes(out, from, 4);
        else if (!put_branch(it, at, place, from, 4, out))
            return 0;
    }
    return 1;
}

static int put_instruction(const code *it, uint32_t at, uint32_t size, class_writer *out)
{
    const uint32_t operation = it->bytes[at];
    if (operation == TABLESWITCH || operation == LOOKUPSWITCH)
        return put_switch(it, at, out);
    if ((operation >= 0x99 && operation <= 0xa8) || (operation >= 0xc6 && operation <= JSR_W)) {
        class_put(out, 1, operation);
        return put_branch(it, at, it->places[at], it->bytes + at + 1, operation >= GOTO_W ? 4 : 2, out);
    }
    if (is_return(operation))
        put_call(it, it->number, POOL_CALL_END, out);
    class_put_bytes(out, it->bytes + at, size);
    return 1;
}

static int put_instructions(const code *it, class_writer *out)
{
    uint32_t at, size;
    class_put(out, 4, it->new_size + HANDLER_SIZE);
    for (at = 0; at < it->size; at += size) {
        size = size_at(it, at);
        if (at == it->entry)
            put_call(it, it->number, POOL_CALL_BEGIN, out);
        if (!put_instruction(it, at, size, out))
            return 0;
    }
    put_call(it, -it->number, POOL_CALL_END, out);
    class_put(out, 1, ATHROW);
    return 1;
}

/* The handler of the probe is the last one, so that those of the method come first. */
static int put_handlers(const code *it, class_reader *in, class_writer *out)
{
    uint32_t count = class_get(in, 2);
    if (count == MOST)
        return 0;
    class_put(out, 2, count + 1);
    for (; count; count--) {
        const uint32_t start = place_of(it, class_get(in, 2)), end = place_of(it, class_get(in, 2));
        const uint32_t handler = place_of(it, class_get(in, 2)), type = class_get(in, 2);
        if (in->has_failed || start == NOWHERE || end == NOWHERE || handler >= it->new_size)
            return 0;
        class_put(out, 2, start);
        class_put(out, 2, end);
        class_put(out, 2, handler);
        class_put(out, 2, type);
    }
    class_put(out, 2, it->places[it->entry]);
    class_put(out, 2, it->new_size);
    class_put(out, 2, it->new_size);
    class_put(out, 2, 0);
    return 1;
}

/* ---- frames of the stack map */

/* Copies types of a frame.  `at`: where it is. */
static int put_types(const code *it, uint32_t at, uint32_t count, class_reader *in, class_writer *out)
{
    for (; count && !in->has_failed; count--) {
        const uint32_t tag = class_get(in, 1);
        uint32_t place;
        if (tag > 8 || (tag == 6 && at >= it->entry)) /* 6: this, not initialized */
            return 0;
        class_put(out, 1, tag);
        if (tag == 7) {
            class_put(out, 2, class_get(in, 2));
        } else if (tag == 8) { /* an object that is not initialized, by where it was made */
            place = place_of(it, class_get(in, 2));
            if (place >= it->new_size)
                return 0;
            class_put(out, 2, place);
        }
    }
    return !in->has_failed;
}

/* Kinds of frames: those of `same` and of one item have a short form for small distances. */
static int put_frame(const code *it, uint32_t kind, uint32_t at, uint32_t distance, class_reader *in, class_writer *out)
{
    if (kind < 64 || kind == 251) {
        class_put(out, 1, distance < 64 ? distance : 251);
        if (distance >= 64)
            class_put(out, 2, distance);
        return 1;
    }
    if (kind < 128 || kind == 247) {
        class_put(out, 1, distance < 64 ? 64 + distance : 247);
        if (distance >= 64)
            class_put(out, 2, distance);
        return put_types(it, at, 1, in, out);
    }
    if (kind < 247)
        return 0;
    class_put(out, 1, kind);
    class_put(out, 2, distance);
    if (kind == 255) {
        uint32_t count = class_get(in, 2), i;
        for (i = 0; i < 2; i++) { /* locals, and the stack */
            class_put(out, 2, count);
            if (!put_types(it, at, count, in, out))
                return 0;
            if (i == 0)
                count = class_get(in, 2);
        }
        return !in->has_failed;
    }
    return put_types(it, at, kind > 251 ? kind - 251 : 0, in, out);
}

/* Puts the stack map: that of the method, if `in` is not NULL, and the frame of the handler. */
static int put_frames(const code *it, class_reader *in, class_writer *out)
{
    const uint32_t count = in ? class_get(in, 2) : 0;
    const size_t start = out->size;
    uint32_t at = NOWHERE, last = NOWHERE, i; /* NOWHERE is in front of the first one */
    if (count == MOST)
        return 0;
    class_put(out, 2, it->file->count + POOL_FRAMES);
    class_put(out, 4, 0);
    class_put(out, 2, count + 1);
    for (i = 0; i < count; i++) {
        const uint32_t kind = class_get(in, 1);
        const uint32_t distance = kind < 64 ? kind : kind < 128 ? kind - 64 : class_get(in, 2);
        uint32_t place;
        at += distance + 1;
        place = place_of(it, at);
        if (in->has_failed || place >= it->new_size || !put_frame(it, kind, at, place - (last + 1), in, out))
            return 0;
        last = place;
    }
    class_put(out, 1, 255); /* the handler: nothing is known of variables; an exception is on the stack */
    class_put(out, 2, it->new_size - (last + 1));
    class_put(out, 2, 0);
    class_put(out, 2, 1);
    class_put(out, 1, 7);
    class_put(out, 2, it->file->count + POOL_THROWABLE_CLASS);
    class_set(out, start + 2, 4, (uint32_t)(out->size - start - 6));
    return !in || in->at == in->end;
}

/* ---- tables of debuggers */

/* Copies a table whose rows of `size` bytes begin with a place, and have a size behind it if `are_ranges`. */
static int put_table(const code *it, uint32_t name, class_reader in, uint32_t size, int are_ranges, class_writer *out)
{
    uint32_t count = class_get(&in, 2);
    class_put(out, 2, name);
    class_put(out, 4, 2 + count * size);
    class_put(out, 2, count);
    for (; count; count--) {
        const uint32_t at = class_get(&in, 2), place = place_of(it, at);
        uint32_t left = size - 2;
        const unsigned char *rest;
        if (in.has_failed || place == NOWHERE)
            return 0;
        class_put(out, 2, place);
        if (are_ranges) {
            const uint32_t end = place_of(it, at + class_get(&in, 2));
            if (end == NOWHERE)
                return 0;
            class_put(out, 2, end - place);
            left -= 2;
        }
        rest = class_skip(&in, left);
        if (!rest)
            return 0;
        class_put_bytes(out, rest, left);
    }
    return in.at == in.end;
}

/* Puts the attributes of the code; those that are not known here are left out, as they may have places. */
static int put_attributes(const code *it, class_reader *in, class_writer *out)
{
    const size_t start = out->size;
    uint32_t count = class_get(in, 2), put = 0, has_frames = 0;
    class_put(out, 2, 0);
    for (; count && !in->has_failed; count--) {
        const uint32_t name = class_get(in, 2), size = class_get(in, 4);
        const unsigned char *content = class_skip(in, size);
        class_reader inside = {content, content ? content + size : content, 0};
        const size_t before = out->size;
        int is_put = 0;
        if (!content)
            return 0;
        if (class_is_text(it->file, name, "StackMapTable") && it->file->version >= 50) {
            if (has_frames || !put_frames(it, &inside, out))
                return 0;
            has_frames = 1;
            put++;
            continue;
        }
        if (class_is_text(it->file, name, "LineNumberTable"))
            is_put = put_table(it, name, inside, 4, 0, out);
        else if (class_is_text(it->file, name, "LocalVariableTable") ||
                 class_is_text(it->file, name, "LocalVariableTypeTable"))
            is_put = put_table(it, name, inside, 10, 1, out);
        if (!is_put)
            out->size = before;
        put += (uint32_t)is_put;
    }
    if (!has_frames && it->file->version >= 50) {
        if (!put_frames(it, NULL, out))
            return 0;
        put++;
    }
    class_set(out, start, 2, put);
    return !in->has_failed && in->at == in->end;
}

int class_change_code(const class_file *file, class_reader in, int is_constructor, int number, class_writer *out)
{
    code it = {file, NULL, 0, NULL, 0, 0, number};
    const uint32_t stack = class_get(&in, 2), variables = class_get(&in, 2);
    const size_t start = out->size;
    int is_done = 0;
    it.size = class_get(&in, 4);
    it.bytes = class_skip(&in, it.size);
    if (!it.bytes || !it.size || it.size > MOST || stack >= MOST - 1)
        return 0;
    it.places = (uint32_t *)malloc((it.size + 1) * sizeof *it.places);
    if (it.places && place_all(&it) && (!is_constructor || (find_constructor_call(&it) && place_all(&it)))) {
        class_put(out, 4, 0);
        class_put(out, 2, stack ? stack + 1 : 2);
        class_put(out, 2, variables);
        is_done = put_instructions(&it, out) && put_handlers(&it, &in, out) && put_attributes(&it, &in, out);
        class_set(out, start, 4, (uint32_t)(out->size - start - 4));
    }
    free(it.places);
    return is_done;
}
