/* libpajesim.so (make lib): pajesim.h compiled with its default options, for other languages, and for C programs that
 * prefer to link it. */
#define PAJESIM_API __attribute__((visibility("default"))) extern
#define PAJESIM_IMPLEMENTATION
#include "pajesim.h"

#include "columns.h"

#include <string.h>

/* Returns the size of a struct of pajesim.h, 0 if there is none of that name.  Bindings compare it with the size of
 * their own declaration, and so detect a library of another version. */
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
        SIZE(pajesim_value_info), SIZE(pajesim_callbacks), SIZE(pajesim_options), SIZE(pajesim_counts),
        SIZE(pajesim_column)};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (strcmp(name, sizes[i].name) == 0)
            return sizes[i].size;
    return 0;
}

/* The functions whose names tell the options of pajesim.h, under plain names too: for languages that read no header. */
#undef pajesim_init
#undef pajesim_restore
PAJESIM_API pajesim_status pajesim_init(pajesim *sim, void *arena, size_t capacity, const pajesim_options *options,
                                        const pajesim_callbacks *callbacks, void *data);
PAJESIM_API pajesim_status pajesim_restore(pajesim *sim, void *arena, size_t capacity, const void *image, size_t size,
                                           const pajesim_callbacks *callbacks, void *data);

pajesim_status pajesim_init(pajesim *sim, void *arena, size_t capacity, const pajesim_options *options,
                            const pajesim_callbacks *callbacks, void *data)
{
    return PAJESIM__GUARDED(pajesim_init)(sim, arena, capacity, options, callbacks, data);
}

pajesim_status pajesim_restore(pajesim *sim, void *arena, size_t capacity, const void *image, size_t size,
                               const pajesim_callbacks *callbacks, void *data)
{
    return PAJESIM__GUARDED(pajesim_restore)(sim, arena, capacity, image, size, callbacks, data);
}

#if PAJESIM_TRAVEL
#undef pajesim_index_restore
#undef pajesim_index_resume
#undef pajesim_window_init
PAJESIM_API pajesim_status pajesim_index_restore(const pajesim_index *index, uint32_t number, pajesim *sim, void *arena,
                                                 size_t capacity, const pajesim_callbacks *callbacks, void *data);
PAJESIM_API pajesim_status pajesim_index_resume(pajesim_index *index, pajesim *sim, void *arena, size_t capacity,
                                                const pajesim_callbacks *callbacks, void *data);
PAJESIM_API pajesim_status pajesim_window_init(pajesim_window *window, void *memory, size_t size, pajesim_index *index,
                                               const pajesim_options *options, pajesim_read read, void *data);

pajesim_status pajesim_index_restore(const pajesim_index *index, uint32_t number, pajesim *sim, void *arena,
                                     size_t capacity, const pajesim_callbacks *callbacks, void *data)
{
    return PAJESIM__GUARDED(pajesim_index_restore)(index, number, sim, arena, capacity, callbacks, data);
}

pajesim_status pajesim_index_resume(pajesim_index *index, pajesim *sim, void *arena, size_t capacity,
                                    const pajesim_callbacks *callbacks, void *data)
{
    return PAJESIM__GUARDED(pajesim_index_resume)(index, sim, arena, capacity, callbacks, data);
}

pajesim_status pajesim_window_init(pajesim_window *window, void *memory, size_t size, pajesim_index *index,
                                   const pajesim_options *options, pajesim_read read, void *data)
{
    return PAJESIM__GUARDED(pajesim_window_init)(window, memory, size, index, options, read, data);
}
#endif
