/* libpajewrite.so (make lib): pajewrite.h compiled once, for other languages and for programs that would rather link
 * than compile it.  Its options are the defaults, but that contexts with a table are checked. */
#define _POSIX_C_SOURCE 200809L
#define PAJEWRITE_CHECK 1
#define PAJEWRITE_API __attribute__((visibility("default"))) extern
#define PAJEWRITE_IMPLEMENTATION
#include "pajewrite.h"

#include <string.h>

/* The size of a struct of pajewrite.h; 0: there is none of that name.  What provides or reads structs without that
 * header compares, and finds out in time that it was written for another version. */
PAJEWRITE_API size_t pajewrite_sizeof(const char *name);
size_t pajewrite_sizeof(const char *name)
{
#define SIZE(type) {#type, sizeof(type)}
    static const struct {
        const char *name;
        size_t size;
    } sizes[] = {
        SIZE(pajewrite), SIZE(pajewrite_type), SIZE(pajewrite_container), SIZE(pajewrite_value),
        SIZE(pajewrite_config), SIZE(pajewrite_entry), SIZE(pajewrite_counts), SIZE(pajewrite_event),
        SIZE(pajewrite_variant), SIZE(pajewrite_fields), SIZE(pajewrite_file), SIZE(pajewrite_map)};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (strcmp(name, sizes[i].name) == 0)
            return sizes[i].size;
    return 0;
}
