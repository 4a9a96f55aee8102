/* Class files, which the layer of Java changes: any bytes.  What becomes of a class is one that can be changed again,
 * with the same methods (or more: numbers of entries behind the last one become valid); only what the format cannot
 * hold stays as it is. */
#include "fuzz.h"
#include "../../examples/trace/java/class_file.c"
#include "../../examples/trace/java/class_code.c"

enum { LARGE = 20000 /* of a class that may become too large */ };

/* `data`: how many methods with code there were. */
static int choose_all(void *data, class_text class_name, class_text method)
{
    int *count = (int *)data;
    fuzz_expect(class_name.bytes && method.bytes, "a method has a class and a name");
    return 1 + (*count)++ % CLASS_MOST_NUMBERS;
}

static int choose_half(void *data, class_text class_name, class_text method)
{
    return choose_all(data, class_name, method) % 2 ? 7 : 0;
}

/* Whether there may be a number that has no room to grow, such as that of a stack of 65,534. */
static int has_great_number(const uint8_t *bytes, size_t size)
{
    for (size_t i = 1; i < size; i++)
        if (bytes[i - 1] == 0xff && bytes[i] >= 0xf0)
            return 1;
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
    int count = 0, again = 0;
    const class_choice all = {choose_all, &count}, half = {choose_half, &count}, those = {choose_all, &again};
    size_t new_size = 0, last_size = 0;
    uint8_t *bytes = (uint8_t *)malloc(size ? size : 1), *changed, *last; /* nothing behind the end is read */
    if (size)
        memcpy(bytes, input, size);
    free(class_change(bytes, size, &half, &new_size));
    count = 0;
    changed = class_change(bytes, size, &all, &new_size);
    free(bytes);
    if (!changed)
        return 0;
    fuzz_expect(count > 0, "a class that was changed has a method that was chosen");
    last = class_change(changed, new_size, &those, &last_size);
    fuzz_expect(last || new_size > LARGE || has_great_number(input, size), "what was changed is a class");
    fuzz_expect(again >= count || new_size > LARGE, "it has the same methods");
    free(last);
    free(changed);
    return 0;
}
