/* Layer: functions of programs that are compiled with -finstrument-functions.
 *
 * A function is a state.  Its name here is where its code is, @FILE+0xOFFSET, which `paje trace` replaces by that of
 * the symbol; so nothing is looked up while the program runs, except for the file, at the first call of a function. */
#include "process.h"

#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { FUNCTIONS = 1 << 14, PATH = 512 };

typedef struct function {
    uintptr_t address; /* 0: free */
    uint32_t value;    /* 0: being defined */
} function;

static function functions[FUNCTIONS];
static uint32_t count;

void trace_forget_functions(void)
{
    if (count)
        memset(functions, 0, sizeof functions);
    count = 0;
}

/* ---- where an address is, by /proc/self/maps */

static uintptr_t read_hex(const char **at)
{
    uintptr_t number = 0;
    for (;; ++*at) {
        const char c = **at;
        if (c >= '0' && c <= '9')
            number = number * 16 + (uintptr_t)(c - '0');
        else if (c >= 'a' && c <= 'f')
            number = number * 16 + (uintptr_t)(c - 'a') + 10;
        else
            return number;
    }
}

static char *put_hex(char *p, uintptr_t number)
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

/* Names the address if the line, START-END FLAGS OFFSET DEVICE INODE PATH, has it. */
static int name_by_line(const char *line, uintptr_t address, char *name)
{
    const char *at = line, *path = strchr(line, '/');
    const uintptr_t start = read_hex(&at), end = (at++, read_hex(&at));
    if (address < start || address >= end || !path || strlen(path) >= PATH - 32)
        return 0;
    at += 6; /* the flags */
    *name++ = '@';
    strcpy(name, path);
    name += strlen(path);
    *name++ = '+';
    put_hex(name, address - start + read_hex(&at));
    return 1;
}

static void name_address(uintptr_t address, char *name)
{
    const int file = (int)syscall(SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC);
    char line[PATH + 128];
    size_t size = 0;
    put_hex(name, address);
    while (file >= 0) {
        const long taken = syscall(SYS_read, file, line + size, sizeof line - 1 - size);
        char *newline;
        size += taken > 0 ? (size_t)taken : 0;
        line[size] = 0;
        newline = strchr(line, '\n');
        if (!newline)
            break; /* the end, or a very long path */
        *newline = 0;
        if (name_by_line(line, address, name))
            break;
        size -= (size_t)(newline + 1 - line);
        memmove(line, newline + 1, size);
    }
    if (file >= 0)
        syscall(SYS_close, file);
}

/* ---- values */

static uint32_t define(pajewrite *w, uintptr_t address)
{
    static const char *const colors[] = {"8dd3c7", "ffffb3", "bebada", "fb8072", "80b1d3", "fdb462",
                                         "b3de69", "fccde5", "d9d9d9", "bc80bd", "ccebc5", "ffed6f"};
    const pajewrite_value value = pajewrite_new_value(w);
    char name[PATH];
    name_address(address, name);
    pajewrite_define_value(w, value, PAJEWRITE_TYPE(TRACE_STATE_TYPE), name, colors[value.alias % 12]);
    return value.alias;
}

uint32_t trace_find_function(pajewrite *w, uintptr_t address)
{
    uint32_t i, at = (uint32_t)((uint64_t)address * UINT64_C(0x9e3779b97f4a7c15) >> 50);
    for (i = 0; i < FUNCTIONS; i++, at = (at + 1) % FUNCTIONS) {
        function *it = &functions[at];
        uintptr_t there = __atomic_load_n(&it->address, __ATOMIC_ACQUIRE);
        uint32_t value;
        if (!there && __atomic_compare_exchange_n(&it->address, &there, address, 0, __ATOMIC_ACQ_REL,
                                                  __ATOMIC_ACQUIRE)) {
            __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);
            value = define(w, address);
            __atomic_store_n(&it->value, value, __ATOMIC_RELEASE);
            return value;
        }
        if (there != address)
            continue;
        value = __atomic_load_n(&it->value, __ATOMIC_ACQUIRE);
        return value ? value : define(w, address); /* another thread is defining it */
    }
    return 0;
}

/* ---- what the compiler calls */

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
