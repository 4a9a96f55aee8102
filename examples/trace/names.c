/* Names that a program gives at run time: each is defined at its first use, in the context of the thread that uses it.
 *
 * There is no lock, as signal handlers define names, too.  If two threads define one at the same time, each gets an
 * identifier of its own; `paje merge` makes one of both, and puts definitions first. */
#include "process.h"

#include <string.h>

enum { NAMES = 1024, TEXTS = 32768, LONGEST = 200 };
enum { FREE, BEING_DEFINED, DEFINED };

typedef struct defined_name {
    int state; /* atomic */
    trace_name_kind kind;
    uint32_t alias;
    const char *text;
} defined_name;

static defined_name names[NAMES];
static char texts[TEXTS];
static uint32_t texts_size, count;

void trace_forget_names(void)
{
    if (count)
        memset(names, 0, sizeof names);
    count = texts_size = 0;
}

const char *trace_color_of(const char *name)
{
    static const char *const colors[] = {"1f77b4", "ff7f0e", "2ca02c", "d62728", "9467bd", "8c564b",
                                         "e377c2", "bcbd22", "17becf", "aec7e8", "98df8a", "ffbb78"};
    uint32_t hash = 2166136261u;
    for (; *name; name++)
        hash = (hash ^ (unsigned char)*name) * 16777619u;
    hash = (hash ^ hash >> 16) * 2146121005u; /* names that differ in their last letters only have similar hashes */
    return colors[(hash >> 16) % (sizeof colors / sizeof *colors)];
}

static uint32_t define(pajewrite *w, trace_name_kind kind, const char *name)
{
    pajewrite_value value;
    if (kind == TRACE_NAMED_VARIABLE) {
        const pajewrite_type type = pajewrite_new_type(w);
        pajewrite_define_variable_type(w, type, PAJEWRITE_TYPE(TRACE_THREAD_TYPE), name, NULL);
        return type.alias;
    }
    value = pajewrite_new_value(w);
    pajewrite_define_value(w, value, PAJEWRITE_TYPE(kind == TRACE_NAMED_STATE ? TRACE_STATE_TYPE : TRACE_MARK_TYPE),
                           name, trace_color_of(name));
    return value.alias;
}

/* Keeps a copy of the name, as its memory may be unmapped; NULL: there is no room. */
static const char *keep(const char *name, size_t size)
{
    const uint32_t at = __atomic_fetch_add(&texts_size, (uint32_t)size + 1, __ATOMIC_RELAXED);
    if (at + size + 1 > TEXTS)
        return NULL;
    return (const char *)memcpy(texts + at, name, size);
}

uint32_t trace_find_name(pajewrite *w, trace_name_kind kind, const char *name)
{
    const size_t size = strnlen(name, LONGEST);
    uint32_t hash = 2166136261u, i;
    char copy[LONGEST + 1];
    size_t at;
    for (at = 0; at < size; at++)
        hash = (hash ^ (unsigned char)name[at]) * 16777619u;
    memcpy(copy, name, size);
    copy[size] = 0;
    for (i = 0; i < NAMES; i++) {
        defined_name *it = &names[(hash + (uint32_t)kind + i) % NAMES];
        int state = __atomic_load_n(&it->state, __ATOMIC_ACQUIRE);
        if (state == DEFINED) {
            if (it->kind == kind && strcmp(it->text, copy) == 0)
                return it->alias;
            continue;
        }
        if (state == FREE && __atomic_compare_exchange_n(&it->state, &state, BEING_DEFINED, 0, __ATOMIC_ACQUIRE,
                                                         __ATOMIC_RELAXED)) {
            it->text = keep(copy, size);
            it->kind = kind;
            it->alias = it->text ? define(w, kind, copy) : 0;
            it->text = it->text ? it->text : "";
            __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);
            __atomic_store_n(&it->state, DEFINED, __ATOMIC_RELEASE);
            return it->alias;
        }
        return define(w, kind, copy); /* perhaps it is this name that is being defined */
    }
    return 0;
}
