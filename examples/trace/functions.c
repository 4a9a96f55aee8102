/* Layer: functions of programs that are compiled with -finstrument-functions.
 *
 * A function is a state.  Its name here is where its code is, @FILE+0xOFFSET, which `paje trace` replaces by that of
 * the symbol; so nothing is looked up while the program runs, except for the file, at the first call of a function.
 * Constructs, which are parts of functions, are in the same table: @NAME FILE+0xOFFSET. */
#include "maps.h"
#include "process.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>

enum { FUNCTIONS = 1 << 14, PATH = 512, NAME = 48 /* of a construct, at most */ };
#define ADDRESS(key) ((uintptr_t)((key) & ((UINT64_C(1) << 56) - 1)))

static trace_function functions[FUNCTIONS];
static uint32_t count;
uint32_t trace_unloads;
static uintptr_t program_begin, program_end; /* the code that is never unloaded */

void trace_forget_functions(void)
{
    if (count)
        memset(functions, 0, sizeof functions);
    count = 0;
}

/* ---- where an address is */

static char *put_hex(char *p, uint64_t number)
{
    int shift = 60;
    *p++ = '0';
    *p++ = 'x';
    while (shift && !(number >> shift))
        shift -= 4;
    for (; shift >= 0; shift -= 4)
        *p++ = "0123456789abcdef"[number >> shift & 15];
    *p = 0;
    return p;
}

static char *put_part(char *p, const trace_construct *part)
{
    if (!part)
        return p;
    strcpy(p, part->name);
    p += strlen(p);
    *p++ = ' ';
    return p;
}

typedef struct unnamed {
    uintptr_t address;
    const trace_construct *part;
    char *name; /* to be written */
} unnamed;

/* Where the program's code is mapped, which stays so, as to read the system's list of mappings takes 30 us. */
static struct {
    int state; /* 0: not known; 1: being noted; 2: known */
    uintptr_t start, end;
    uint64_t offset;
    char path[PATH];
} program;

static void put_place(const unnamed *it, const char *path, uint64_t offset)
{
    char *name = it->name;
    *name++ = '@';
    name = put_part(name, it->part);
    strcpy(name, path);
    name += strlen(name);
    *name++ = '+';
    put_hex(name, offset);
}

/* Names the address if it is in this mapping, of a file; else the next one is wanted. */
static int name_by_mapping(void *context, const trace_mapping *mapping)
{
    const unnamed *wanted = context;
    int unknown = 0;
    if (wanted->address < mapping->start || wanted->address >= mapping->end || *mapping->path != '/' ||
        strlen(mapping->path) >= PATH - NAME - 32)
        return 1;
    put_place(wanted, mapping->path, wanted->address - mapping->start + mapping->offset);
    if (wanted->address >= program_begin && wanted->address < program_end &&
        __atomic_compare_exchange_n(&program.state, &unknown, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
        program.start = mapping->start;
        program.end = mapping->end;
        program.offset = mapping->offset;
        strcpy(program.path, mapping->path);
        __atomic_store_n(&program.state, 2, __ATOMIC_RELEASE);
    }
    return 0;
}

static void name_address(uintptr_t address, const trace_construct *part, char *name)
{
    unnamed wanted = {address, part, name};
    char text[PATH + 128];
    if (__atomic_load_n(&program.state, __ATOMIC_ACQUIRE) == 2 && address >= program.start && address < program.end) {
        put_place(&wanted, program.path, address - program.start + program.offset);
        return;
    }
    put_hex(put_part(name, part), address);
    trace_read_maps(text, sizeof text, name_by_mapping, &wanted);
}

/* ---- values */

static uint32_t hash_text(const char *text)
{
    uint32_t hash = 2166136261u;
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 16777619u;
    return hash;
}

/* `color`: NULL: any. */
static uint32_t define(pajewrite *w, uint32_t type, const char *name, const char *color)
{
    static const char *const colors[] = {"8dd3c7", "ffffb3", "bebada", "80b1d3", "b3de69", "fccde5", "d9d9d9",
                                         "ccebc5", "ffed6f", "fb8072", "bc80bd", "fdb462"}; /* as calls of MPI last */
    static uint32_t defined; /* so that the first functions of a process have different colours */
    const pajewrite_value value = pajewrite_new_value(w);
    pajewrite_define_value(w, value, PAJEWRITE_TYPE(type), name,
                           color ? color : colors[__atomic_fetch_add(&defined, 1, __ATOMIC_RELAXED) % 12]);
    return value.alias;
}

static uint32_t define_at(pajewrite *w, uint32_t type, uintptr_t address)
{
    char name[PATH];
    name_address(address, NULL, name);
    return define(w, type, name, NULL);
}

static uint32_t define_part(pajewrite *w, uintptr_t address, const trace_construct *part)
{
    char name[PATH];
    if (!address)
        return define(w, TRACE_STATE_TYPE, part->name, part->color);
    name_address(address, part, name);
    return define(w, TRACE_STATE_TYPE, name, part->color);
}

/* Names a function, unless it has that name already. */
static void name_function(pajewrite *w, trace_function *it, const trace_construct *part)
{
    const uint32_t now = __atomic_load_n(&trace_unloads, __ATOMIC_ACQUIRE);
    uint32_t place, is_off;
    char name[PATH];
    name_address(ADDRESS(it->key), part, name);
    place = hash_text(name);
    if (place != it->place) {
        is_off = part || trace_is_chosen(name) ? TRACE_RECORDED : TRACE_NOT_CHOSEN;
        it->place = place;
        it->calls = it->time = 0;
        __atomic_store_n(&it->is_off, is_off, __ATOMIC_RELAXED);
        __atomic_store_n(&it->value, is_off ? (uint32_t)TRACE_RUNNING :
                                     part ? define_part(w, ADDRESS(it->key), part) :
                                            define(w, TRACE_STATE_TYPE, name, NULL), __ATOMIC_RELEASE);
    }
    __atomic_store_n(&it->unloads, now, __ATOMIC_RELEASE);
}

/* Whether no library was unloaded since a function was named that may have been in it. */
static int is_current(const trace_function *it)
{
    return __atomic_load_n(&it->unloads, __ATOMIC_RELAXED) == __atomic_load_n(&trace_unloads, __ATOMIC_RELAXED) ||
           (ADDRESS(it->key) >= program_begin && ADDRESS(it->key) < program_end) || !ADDRESS(it->key);
}

trace_function *trace_find_function(pajewrite *w, uintptr_t address, const trace_construct *part)
{
    const uint64_t key = trace_function_key(address, part);
    uint32_t i, at = (uint32_t)((address >> 4) + (key >> 56)) % FUNCTIONS; /* neighbours share pages of memory */
    for (i = 0; i < FUNCTIONS; i++, at = (at + 1) % FUNCTIONS) {
        trace_function *it = &functions[at];
        uint64_t there = __atomic_load_n(&it->key, __ATOMIC_ACQUIRE);
        if (there == key) {
            if (!is_current(it) && __atomic_load_n(&it->value, __ATOMIC_ACQUIRE))
                name_function(w, it, part); /* again, as another library may be at its place now */
            return it;
        }
        if (!there && __atomic_compare_exchange_n(&it->key, &there, key, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
            __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);
            name_function(w, it, part);
            return it;
        }
        if (there == key) /* another thread was faster */
            return it;
    }
    return NULL;
}

uint32_t trace_function_value(pajewrite *w, const trace_function *function, const trace_construct *part)
{
    const uint32_t value = __atomic_load_n(&function->value, __ATOMIC_ACQUIRE);
    if (value)
        return value; /* else another thread is naming it */
    return part ? define_part(w, ADDRESS(function->key), part) : define_at(w, TRACE_STATE_TYPE, ADDRESS(function->key));
}

/* ---- throttle */

int trace_count_call(trace_function *function, uint64_t time)
{
    const uint64_t calls = __atomic_load_n(&function->calls, __ATOMIC_RELAXED) + 1;
    const uint64_t sum = __atomic_load_n(&function->time, __ATOMIC_RELAXED) + time;
    uint32_t is_on = TRACE_RECORDED;
    __atomic_store_n(&function->calls, calls, __ATOMIC_RELAXED);
    __atomic_store_n(&function->time, sum, __ATOMIC_RELAXED);
    return calls > trace_page->throttle_calls && sum / calls < trace_page->throttle_time &&
           __atomic_compare_exchange_n(&function->is_off, &is_on, TRACE_THROTTLED, 0, __ATOMIC_RELAXED,
                                       __ATOMIC_RELAXED);
}

void trace_mark_left_out(pajewrite *w, pajewrite_container thread, const trace_function *function)
{
    const pajewrite_type type = PAJEWRITE_TYPE(TRACE_LEFT_OUT_TYPE);
    __atomic_add_fetch(&trace_page->functions_left_out, 1, __ATOMIC_RELAXED);
    pajewrite_new_event(w, thread, type, PAJEWRITE_VALUE(define_at(w, TRACE_LEFT_OUT_TYPE, ADDRESS(function->key))));
}

/* ---- what the program calls */

static int note_program(struct dl_phdr_info *info, size_t size, void *data)
{
    int i;
    (void)size, (void)data;
    for (i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_LOAD && (info->dlpi_phdr[i].p_flags & PF_X)) {
            program_begin = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
            program_end = program_begin + info->dlpi_phdr[i].p_memsz;
        }
    return 1; /* the first one is the program */
}

__attribute__((constructor)) static void begin(void)
{
    dl_iterate_phdr(note_program, NULL);
}

TRACE_NEXT(int, dlclose, (void *))
TRACE_EXPORT int dlclose(void *library)
{
    int status;
    TRACE_FIND(dlclose);
    status = next_dlclose(library);
    __atomic_add_fetch(&trace_unloads, 1, __ATOMIC_RELEASE);
    return status;
}

TRACE_EXPORT void __cyg_profile_func_enter(void *code, void *site);
TRACE_EXPORT void __cyg_profile_func_exit(void *code, void *site);

TRACE_EXPORT void __cyg_profile_func_enter(void *code, void *site)
{
    (void)site;
    if (trace_is_on(TRACE_FUNCTIONS))
        trace_enter_function((uintptr_t)code, __builtin_frame_address(0));
}

TRACE_EXPORT void __cyg_profile_func_exit(void *code, void *site)
{
    (void)site;
    if (trace_is_on(TRACE_FUNCTIONS))
        trace_exit_function((uintptr_t)code);
}
