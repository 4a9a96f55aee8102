/* A process that was not prepared. */
#include "process.h"
#include "mirctl.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

const char *process_problem(int error)
{
    static char text[300];
    FILE *file = error == EPERM || error == EACCES ? fopen("/proc/sys/kernel/yama/ptrace_scope", "re") : NULL;
    int scope = 0;
    if (file && fscanf(file, "%d", &scope) != 1)
        scope = 0;
    if (file)
        fclose(file);
    if (scope)
        snprintf(text, sizeof text,
                 "the system forbids it: kernel.yama.ptrace_scope is %d (sysctl kernel.yama.ptrace_scope=0 permits it)",
                 scope);
    else if (error == EPERM || error == EACCES)
        snprintf(text, sizeof text, "the system forbids to trace it (a container, or a program with privileges)");
    else
        snprintf(text, sizeof text, "%s", strerror(error));
    return text;
}

int process_read(pid_t id, uint64_t address, void *to, size_t size)
{
    struct iovec here = {to, size}, there = {(void *)(uintptr_t)address, size};
    return process_vm_readv(id, &here, 1, &there, 1, 0) == (ssize_t)size;
}

int process_write(pid_t id, uint64_t address, const void *from, size_t size)
{
    struct iovec here = {(void *)(uintptr_t)from, size}, there = {(void *)(uintptr_t)address, size};
    return process_vm_writev(id, &here, 1, &there, 1, 0) == (ssize_t)size;
}

/* ---- the process ---- */

/* It is of this user in all respects: a program that has changed its user is none that may be changed. */
static void check_user(const char *number)
{
    char path[64], line[256];
    FILE *file;
    unsigned real = 0, effective = 0, saved = 0, tracer = 0, threads = 0;
    char state = 0;
    snprintf(path, sizeof path, "/proc/%.20s/status", number);
    file = fopen(path, "re");
    if (!file)
        fail(number, errno == ENOENT ? "there is no such process" : strerror(errno));
    while (fgets(line, sizeof line, file)) {
        (void)(sscanf(line, "State: %c", &state) == 1 || sscanf(line, "TracerPid: %u", &tracer) == 1 ||
               sscanf(line, "Threads: %u", &threads) == 1 ||
               sscanf(line, "Uid: %u %u %u", &real, &effective, &saved) == 3);
    }
    fclose(file);
    if (real != geteuid() || effective != geteuid() || saved != geteuid())
        fail(number, "the process is another user's");
    if (state == 'Z' || state == 'X')
        fail(number, threads > 1 ? "its main thread has ended: what others still use cannot be found"
                                 : "the process has ended");
    if (tracer)
        fail(number, "the process is traced by another one, such as a debugger or strace");
}

/* Where the process was entered. */
static uint64_t read_entry(const char *number)
{
    char path[64];
    uint64_t pair[2], entry = 0;
    FILE *file;
    snprintf(path, sizeof path, "/proc/%.20s/auxv", number);
    file = fopen(path, "re");
    if (!file)
        fail(path, process_problem(errno));
    while (!entry && fread(pair, sizeof pair, 1, file) == 1)
        entry = pair[0] == AT_ENTRY ? pair[1] : 0;
    fclose(file);
    return entry;
}

void process_open(process *it, const char *number)
{
    char path[64];
    const char *problem;
    uint64_t entry;
    int file;
    if (!*number || strlen(number) > 10 || strspn(number, "0123456789") != strlen(number) || atol(number) < 1)
        fail(number, "the number of a process is expected");
    it->id = (pid_t)atol(number);
    check_user(number);
    snprintf(path, sizeof path, "/proc/%.20s/exe", number);
    file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        fail(number, errno == ENOENT ? "it is a thread of the kernel" : process_problem(errno));
    problem = elf_open(&it->elf, file);
    close(file);
    if (problem)
        fail(path, problem);
    entry = read_entry(number);
    if (!entry)
        fail(number, "the process is just being started, or ended");
    it->bias = entry - it->elf.entry;
}

/* ---- its symbols ---- */

typedef struct search {
    const char *file, *name;
    size_t file_size, name_size;
    int type;
    elf_symbol found;
    unsigned count;
    char text[200]; /* FILE/NAME of those that were found */
} search;

static void compare(void *data, const elf_symbol *symbol)
{
    search *it = data;
    size_t used;
    if (symbol->name_size != it->name_size || memcmp(symbol->name, it->name, it->name_size) != 0 ||
        (symbol->type != it->type && symbol->type != STT_TLS && symbol->type != STT_GNU_IFUNC) ||
        (it->file && (symbol->file_size != it->file_size || memcmp(symbol->file, it->file, it->file_size) != 0)))
        return;
    if (it->count && symbol->value == it->found.value)
        return; /* the same by two tables or versions */
    it->found = *symbol;
    it->count++;
    used = strlen(it->text);
    snprintf(it->text + used, sizeof it->text - used, "%s%.*s%s%.*s", used ? ", " : "", (int)symbol->file_size,
             symbol->file, symbol->file_size ? "/" : "", (int)symbol->name_size, symbol->name);
}

elf_symbol process_find(const process *it, const char *name, int type)
{
    search wanted;
    const char *slash = strrchr(name, '/');
    char problem[300];
    memset(&wanted, 0, sizeof wanted);
    wanted.file = slash ? name : NULL;
    wanted.file_size = slash ? (size_t)(slash - name) : 0;
    wanted.name = slash ? slash + 1 : name;
    wanted.name_size = strlen(wanted.name);
    wanted.type = type;
    elf_each(&it->elf, compare, &wanted);
    if (!wanted.count && it->elf.is_stripped)
        fail(name, "the program has no symbols, as it was stripped: only what it exports is known");
    if (!wanted.count)
        fail(name, type == STT_FUNC ? "the program has no function of this name"
                                    : "the program has no variable of this name outside of functions");
    if (wanted.count > 1) {
        snprintf(problem, sizeof problem, "there is more than one; name the file: %s", wanted.text);
        fail(name, problem);
    }
    if (wanted.found.type != type)
        fail(name, wanted.found.type == STT_TLS ? "each thread has its own (thread-local)"
                                                : "which function it is is decided as the program starts (ifunc)");
    wanted.found.value += it->bias;
    return wanted.found;
}

/* ---- variables ---- */

variable process_variable(const process *it, const char *name)
{
    char bare[512], problem[100];
    const char *colon = strrchr(name, ':');
    variable made = {0, 0, NUMBER_INTEGER};
    elf_symbol symbol;
    size_t expected = 0;
    if (colon && strcmp(colon, ":float") == 0)
        expected = sizeof(float);
    else if (colon && strcmp(colon, ":double") == 0)
        expected = sizeof(double);
    else if (colon && (!colon[1] || colon[1] != ':') && (colon == name || colon[-1] != ':'))
        fail(name, "a type is :float or :double; without one it is an integer of the variable's size");
    if (expected)
        made.type = NUMBER_FLOATING;
    snprintf(bare, sizeof bare, "%.*s", expected ? (int)(colon - name) : (int)strlen(name), name);
    symbol = process_find(it, bare, STT_OBJECT);
    if (symbol.size != 1 && symbol.size != 2 && symbol.size != 4 && symbol.size != 8) {
        snprintf(problem, sizeof problem, "it has %" PRIu64 " bytes, so it is no number", symbol.size);
        fail(name, problem);
    }
    if (expected && symbol.size != expected) {
        snprintf(problem, sizeof problem, "it has %" PRIu64 " bytes, not the %zu of this type", symbol.size, expected);
        fail(name, problem);
    }
    made.address = symbol.value;
    made.size = (size_t)symbol.size;
    return made;
}

int variable_parse(const variable *it, const char *text, unsigned char *bytes)
{
    char *end;
    long long number;
    errno = 0;
    if (it->type == NUMBER_FLOATING) {
        const double value = strtod(text, &end);
        const float single = (float)value;
        if (end == text || *end)
            return 0;
        memcpy(bytes, it->size == sizeof value ? (const void *)&value : (const void *)&single, it->size);
        return 1;
    }
    number = strtoll(text, &end, 0);
    if (errno == ERANGE && *text != '-') { /* the upper half of 64 bits */
        errno = 0;
        number = (long long)strtoull(text, &end, 0);
        if (it->size < 8)
            return 0;
    }
    if (end == text || *end || errno)
        return 0;
    if (it->size < 8 && (number < -(1LL << (8 * it->size - 1)) || number >= 1LL << (8 * it->size)))
        return 0;
    for (size_t i = 0; i < it->size; i++) {
        const uint16_t order = 1;
        const size_t at = *(const unsigned char *)&order ? i : it->size - 1 - i;
        bytes[at] = (unsigned char)((unsigned long long)number >> (8 * i));
    }
    return 1;
}

void variable_print(const variable *it, const unsigned char *bytes, char *text, size_t size)
{
    int8_t i8;
    int16_t i16;
    int32_t i32;
    int64_t i64;
    float single;
    double value;
    if (it->type == NUMBER_FLOATING) {
        memcpy(&single, bytes, sizeof single);
        memcpy(&value, bytes, it->size == sizeof value ? sizeof value : 0);
        snprintf(text, size, "%.17g", it->size == sizeof value ? value : (double)single);
        return;
    }
    memcpy(&i8, bytes, sizeof i8);
    memcpy(&i16, bytes, sizeof i16);
    memcpy(&i32, bytes, sizeof i32);
    memcpy(&i64, bytes, sizeof i64);
    snprintf(text, size, "%" PRId64, it->size == 1 ? i8 : it->size == 2 ? i16 : it->size == 4 ? i32 : i64);
}
