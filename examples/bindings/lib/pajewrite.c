/* libpajewrite.so (make lib): pajewrite.h compiled for other languages, and for C programs that prefer to link it.  Its
 * options are the defaults, except that contexts with a table are checked (PAJEWRITE_CHECK), and that it has the zones:
 * all libraries of a process that link it trace into one file. */
#define _POSIX_C_SOURCE 200809L
#define PAJEWRITE_CHECK 1
#define PAJEWRITE_ZONES 1
#define PAJEWRITE_API __attribute__((visibility("default"))) extern
#define PAJEWRITE_IMPLEMENTATION
#include "pajewrite.h"

#include <string.h>

/* Returns the size of a struct of pajewrite.h, 0 if there is none of that name.  Bindings compare it with the size of
 * their own declaration, and so detect a library of another version. */
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

/* What has the options in its name (see PAJEWRITE__GUARDED) under the plain name, for languages that read no header. */
#undef pajewrite_init
#undef pajewrite_open
#undef pajewrite_announce
#undef pajewrite_fields_of
#undef pajewrite_write_ints
#undef pajewrite_write
PAJEWRITE_API pajewrite_status pajewrite_init(pajewrite *w, void *buffer, size_t size, const pajewrite_config *config);
pajewrite_status pajewrite_init(pajewrite *w, void *buffer, size_t size, const pajewrite_config *config)
{
    return PAJEWRITE__GUARDED(pajewrite_init)(w, buffer, size, config);
}

PAJEWRITE_API pajewrite *pajewrite_open(pajewrite_trace *trace, const char *path);
pajewrite *pajewrite_open(pajewrite_trace *trace, const char *path)
{
    return PAJEWRITE__GUARDED(pajewrite_open)(trace, path);
}

PAJEWRITE_API void pajewrite_announce(pajewrite *w, const pajewrite_definition *table, size_t entries);
void pajewrite_announce(pajewrite *w, const pajewrite_definition *table, size_t entries)
{
    PAJEWRITE__GUARDED(pajewrite_announce)(w, table, entries);
}

PAJEWRITE_API pajewrite_fields pajewrite_fields_of(pajewrite_variant variant);
pajewrite_fields pajewrite_fields_of(pajewrite_variant variant)
{
    return PAJEWRITE__GUARDED(pajewrite_fields_of)(variant);
}

PAJEWRITE_API void pajewrite_write(pajewrite *w, const pajewrite_event *event, const pajewrite_fields *fields);
void pajewrite_write(pajewrite *w, const pajewrite_event *event, const pajewrite_fields *fields)
{
    PAJEWRITE__GUARDED(pajewrite_write)(w, event, fields);
}

PAJEWRITE_API void pajewrite_write_ints(pajewrite *w, const pajewrite_event *event, pajewrite_variant variant,
                                        const int64_t *numbers, uint32_t count);
void pajewrite_write_ints(pajewrite *w, const pajewrite_event *event, pajewrite_variant variant,
                          const int64_t *numbers, uint32_t count)
{
    PAJEWRITE__GUARDED(pajewrite_write_ints)(w, event, variant, numbers, count);
}
