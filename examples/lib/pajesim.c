/* libpajesim.so (make lib): pajesim.h compiled once, with its default options, for other languages and for programs
 * that would rather link than compile it. */
#define PAJESIM_API __attribute__((visibility("default"))) extern
#define PAJESIM_IMPLEMENTATION
#include "pajesim.h"

#include <string.h>

/* The size of a struct of pajesim.h; 0: there is none of that name.  What provides or reads structs without that
 * header compares, and finds out in time that it was written for another version. */
PAJESIM_API size_t pajesim_sizeof(const char *name);
size_t pajesim_sizeof(const char *name)
{
#define SIZE(type) {#type, sizeof(type)}
    static const struct {
        const char *name;
        size_t size;
    } sizes[] = {
#if PAJESIM_TRAVEL
        SIZE(pajesim_index_options), SIZE(pajesim_index), SIZE(pajesim_checkpoint), SIZE(pajesim_window),
#endif
        SIZE(pajesim), SIZE(pajesim_text), SIZE(pajesim_ref), SIZE(pajesim_problem), SIZE(pajesim_definition),
        SIZE(pajesim_field), SIZE(pajesim_fields), SIZE(pajesim_line), SIZE(pajesim_entity), SIZE(pajesim_type_info),
        SIZE(pajesim_value_info), SIZE(pajesim_callbacks), SIZE(pajesim_options), SIZE(pajesim_counts)};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (strcmp(name, sizes[i].name) == 0)
            return sizes[i].size;
    return 0;
}
