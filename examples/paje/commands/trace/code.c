/* What functions the addresses of samples are in, by what code each process had mapped then. */
#include "trace.h"
#include "raw/raw.h"

/* Code of a file in the memory of a process. */
typedef struct mapping {
    uint64_t start, end, offset;
    pajesim_text path;
} mapping;

typedef struct process {
    array_of(mapping) mappings;
    uint64_t generation; /* counts changes of them */
} process;

static hash_map process_numbers;
static array_of(process) processes;
static hash_map addresses; /* process, generation, address */
static array_of(trace_place) places;
static hash_map names; /* of functions */

static process *find_process(uint64_t number)
{
    return array_at(&processes, map_add(&process_numbers, &number, sizeof number));
}

void trace_code_begins(uint64_t number, uint64_t parent)
{
    find_process(number); /* both, as the array may move */
    const process *from = parent == UINT64_MAX ? NULL : find_process(parent);
    process *p = find_process(number);
    array_clear(&p->mappings);
    p->generation++;
    for (size_t i = 0; from && from != p && i < from->mappings.count; i++)
        *array_push(&p->mappings) = from->mappings.items[i];
}

void trace_code_mapped(uint64_t number, uint64_t start, uint64_t end, uint64_t offset, pajesim_text path)
{
    process *p = find_process(number);
    *array_push(&p->mappings) = (mapping){start, end, offset, path};
    p->generation++;
}

/* Returns the mapping that an address is in, the last one of it; NULL: there is none. */
static const mapping *find_mapping(const process *p, uint64_t address)
{
    for (size_t i = p->mappings.count; i-- > 0;)
        if (address >= p->mappings.items[i].start && address < p->mappings.items[i].end)
            return &p->mappings.items[i];
    return NULL;
}

static int is_below(pajesim_text path)
{
    static const char *const files[] = {"libc.so", "libc-", "ld-linux", "libpajetrace"};
    const char *base = path.bytes, *end = path.bytes + path.size;
    for (const char *c = path.bytes; c < end; c++)
        base = *c == '/' ? c + 1 : base;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        size_t size = strlen(files[i]);
        if ((size_t)(end - base) >= size && memcmp(base, files[i], size) == 0)
            return 1;
    }
    return 0;
}

static void put_name(text_buffer *name, const mapping *m, uint64_t address, int is_readable)
{
    if (m->path.size && m->path.bytes[0] == '/' && m->path.bytes[1] != '/') {
        text_buffer place = {0};
        text_printf(&place, "@%.*s+0x%llx", (int)m->path.size, m->path.bytes,
                    (unsigned long long)(address - m->start + m->offset));
        raw_put_function(name, text_view(&place), is_readable);
        text_free(&place);
    } else {
        const int is_named = m->path.size && m->path.bytes[0] == '['; /* [vdso] */
        text_append(name, is_named ? m->path : text_of("code made at run time"));
    }
}

static trace_place look_up(const process *p, uint64_t address, int is_readable)
{
    const mapping *m = find_mapping(p, address);
    trace_place place = {0, 0, 0};
    text_buffer name = {0};
    if (!m)
        return place;
    put_name(&name, m, address, is_readable);
    place.is_code = 1;
    place.is_below = is_below(m->path);
    place.function = (uint32_t)map_add(&names, name.bytes ? name.bytes : "", name.size);
    text_free(&name);
    return place;
}

trace_place trace_find_place(uint64_t number, uint64_t address, int is_readable)
{
    const process *p = find_process(number);
    const uint64_t key[] = {number, p->generation, address};
    const size_t known = addresses.used, index = map_add(&addresses, key, sizeof key);
    if (addresses.used > known)
        *array_at(&places, index) = look_up(p, address, is_readable);
    return places.items[index];
}

pajesim_text trace_function_name(uint32_t function)
{
    return map_key(&names, function);
}

void trace_free_code(void)
{
    for (size_t i = 0; i < processes.count; i++)
        array_free(&processes.items[i].mappings);
    array_free(&processes);
    array_free(&places);
    map_free(&process_numbers);
    map_free(&addresses);
    map_free(&names);
}
