/* What code a process has mapped, for samples.  A signal handler reads it; another one that comes
 * meanwhile goes on without. */
#include "maps.h"
#include "samples.h"

#include <string.h>

enum {
    RANGES = 1024,
    PATH = 512,
    LINE = 96 + PATH,
    SOON = 100000000, /* nanoseconds, where an address is not known */
    LATER = 1000000000
};

typedef struct range {
    uintptr_t start, end;
    uint64_t hash; /* of what else its line has */
} range;

static range ranges[RANGES];
static uint32_t count;
static uint64_t last_read;
static int is_reading;

void trace_forget_code(void)
{
    count = 0;
    last_read = 0;
    is_reading = 0;
}

static const range *find(uintptr_t address)
{
    uint32_t i = __atomic_load_n(&count, __ATOMIC_ACQUIRE);
    while (i-- > 0)
        if (address >= ranges[i].start && address < ranges[i].end)
            return &ranges[i];
    return NULL;
}

int trace_is_code(uintptr_t address)
{
    return find(address) != NULL;
}

typedef struct code_reading {
    trace_thread *t;
    uint64_t since; /* from when on what is new may have been there */
} code_reading;

/* Writes down a mapping if it is of code and new. */
static int note(void *context, const trace_mapping *mapping)
{
    const code_reading *reading = context;
    trace_thread *t = reading->t;
    const range *known = find(mapping->start);
    const size_t path_size = strlen(mapping->path);
    uint64_t hash = 14695981039346656037u;
    char *p;
    if (count >= RANGES)
        return 0;
    if (!mapping->is_code)
        return 1;
    for (const char *c = mapping->rest; *c; c++)
        hash = (hash ^ (unsigned char)*c) * 1099511628211u;
    if (known && known->start == mapping->start && known->end == mapping->end && known->hash == hash)
        return 1;
    if (path_size > PATH || !(p = trace_reserve_line(t, LINE)))
        return 1;
    *p = 'M';
    p = trace_put_hex(p + 1, reading->since);
    p = trace_put_hex(p, (uint64_t)trace_the_process.number);
    p = trace_put_hex(p, mapping->start);
    p = trace_put_hex(p, mapping->end);
    p = trace_put_hex(p, mapping->offset);
    *p++ = ' ';
    memcpy(p, mapping->path, path_size);
    trace_end_line(t, p + path_size);
    ranges[count] = (range){mapping->start, mapping->end, hash};
    __atomic_store_n(&count, count + 1, __ATOMIC_RELEASE);
    return 1;
}

void trace_read_code(trace_thread *t, uint64_t time, int is_known)
{
    static char text[8192];
    const uint64_t last = __atomic_load_n(&last_read, __ATOMIC_RELAXED);
    code_reading reading = {t, last ? last : trace_page->origin};
    if ((last && time < last + (is_known ? LATER : SOON)) ||
        __atomic_exchange_n(&is_reading, 1, __ATOMIC_ACQUIRE))
        return;
    trace_read_maps(text, sizeof text, note, &reading);
    __atomic_store_n(&last_read, time, __ATOMIC_RELAXED);
    __atomic_store_n(&is_reading, 0, __ATOMIC_RELEASE);
}
