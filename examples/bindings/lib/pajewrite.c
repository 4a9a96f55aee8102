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

/* Returns what has stopped a context, or PAJEWRITE_E_TABLE_FULL if it no longer checks what it has a table for, or
 * PAJEWRITE_OK.  An earlier problem, which the status keeps, hides these. */
PAJEWRITE_API pajewrite_status pajewrite_condition(const pajewrite *w);
pajewrite_status pajewrite_condition(const pajewrite *w)
{
    if (w->stopped)
        return w->stopped == PAJEWRITE_E_CLOSED ? PAJEWRITE_OK : (pajewrite_status)w->stopped;
    return w->config.table && !w->following ? PAJEWRITE_E_TABLE_FULL : PAJEWRITE_OK;
}

/* What has the options in its name (see PAJEWRITE__GUARDED) under the plain name, for languages that read no header. */
#undef pajewrite_init
#undef pajewrite_open
#undef pajewrite_announce
#undef pajewrite_fields_of
#undef pajewrite_write_ints
#undef pajewrite_write
#undef pajewrite_header
#undef pajewrite_field_int
#undef pajewrite_field_hex
#undef pajewrite_field_string
#undef pajewrite_field_double
#undef pajewrite_begin
#undef pajewrite_end
#undef pajewrite_here
#undef pajewrite_here_container
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

PAJEWRITE_API void pajewrite_header(pajewrite *w);
void pajewrite_header(pajewrite *w) { PAJEWRITE__GUARDED(pajewrite_header)(w); }

PAJEWRITE_API void pajewrite_field_int(pajewrite_fields *fields, int64_t number);
void pajewrite_field_int(pajewrite_fields *fields, int64_t number)
{
    PAJEWRITE__GUARDED(pajewrite_field_int)(fields, number);
}

PAJEWRITE_API void pajewrite_field_hex(pajewrite_fields *fields, uint64_t number);
void pajewrite_field_hex(pajewrite_fields *fields, uint64_t number)
{
    PAJEWRITE__GUARDED(pajewrite_field_hex)(fields, number);
}

PAJEWRITE_API void pajewrite_field_string(pajewrite_fields *fields, const char *text);
void pajewrite_field_string(pajewrite_fields *fields, const char *text)
{
    PAJEWRITE__GUARDED(pajewrite_field_string)(fields, text);
}

PAJEWRITE_API void pajewrite_field_double(pajewrite_fields *fields, double number);
void pajewrite_field_double(pajewrite_fields *fields, double number)
{
    PAJEWRITE__GUARDED(pajewrite_field_double)(fields, number);
}

PAJEWRITE_API pajewrite_status pajewrite_begin(const char *path);
pajewrite_status pajewrite_begin(const char *path) { return PAJEWRITE__GUARDED(pajewrite_begin)(path); }

PAJEWRITE_API pajewrite_status pajewrite_end(void);
pajewrite_status pajewrite_end(void) { return PAJEWRITE__GUARDED(pajewrite_end)(); }

PAJEWRITE_API pajewrite *pajewrite_here(void);
pajewrite *pajewrite_here(void) { return PAJEWRITE__GUARDED(pajewrite_here)(); }

PAJEWRITE_API pajewrite_container pajewrite_here_container(void);
pajewrite_container pajewrite_here_container(void) { return PAJEWRITE__GUARDED(pajewrite_here_container)(); }
