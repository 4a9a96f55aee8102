/* Which functions are recorded, by their names: only where the setting `functions` asks for it, as names are looked up
 * while the program runs then, at the first call of each function. */
#include "process.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Whether a name matches a pattern of `size` bytes, with * for any text and ? for any character. */
static int matches(const char *pattern, size_t size, const char *name)
{
    const char *const end = pattern + size, *star = NULL, *from = name;
    for (; *name; name++)
        if (pattern < end && *pattern == '*') {
            star = ++pattern;
            from = name--;
        } else if (pattern < end && (*pattern == '?' || *pattern == *name)) {
            pattern++;
        } else if (star) {
            pattern = star;
            name = from++;
        } else {
            return 0;
        }
    while (pattern < end && *pattern == '*')
        pattern++;
    return pattern == end;
}

int trace_is_in_list(const char *pattern, const char *name)
{
    int is_any_needed = 0, is_any_found = 0;
    while (*pattern) {
        const size_t size = strcspn(pattern, ",");
        if (*pattern == '!' && matches(pattern + 1, size - 1, name))
            return 0;
        if (*pattern != '!') {
            is_any_needed = 1;
            is_any_found |= matches(pattern, size, name);
        }
        pattern += size + (pattern[size] == ',');
    }
    return is_any_found || !is_any_needed;
}

typedef struct image {
    const unsigned char *bytes;
    size_t size;
} image;

/* Returns what is at a place of the file; NULL: it is not within. */
static const void *at(const image *it, uint64_t offset, uint64_t size)
{
    return offset <= it->size && size <= it->size - offset ? it->bytes + offset : NULL;
}

/* Returns where a byte of the file is when it is loaded. */
static uint64_t loaded_at(const image *it, const Elf64_Ehdr *head, uint64_t offset)
{
    const Elf64_Phdr *parts = (const Elf64_Phdr *)at(it, head->e_phoff, head->e_phnum * sizeof *parts);
    uint32_t i;
    for (i = 0; parts && i < head->e_phnum; i++)
        if (parts[i].p_type == PT_LOAD && offset - parts[i].p_offset < parts[i].p_filesz)
            return offset - parts[i].p_offset + parts[i].p_vaddr;
    return offset;
}

/* Returns the name of the function at a place, by one table of symbols; NULL: it has none there. */
static const char *find_in(const image *it, const Elf64_Shdr *table, const Elf64_Shdr *texts, uint64_t place)
{
    const Elf64_Sym *symbols = (const Elf64_Sym *)at(it, table->sh_offset, table->sh_size);
    const char *names = (const char *)at(it, texts->sh_offset, texts->sh_size);
    uint64_t i;
    if (!symbols || !names || !texts->sh_size || names[texts->sh_size - 1])
        return NULL;
    for (i = 0; i < table->sh_size / sizeof *symbols; i++)
        if (ELF64_ST_TYPE(symbols[i].st_info) == STT_FUNC && symbols[i].st_value == place &&
            symbols[i].st_name < texts->sh_size)
            return names + symbols[i].st_name;
    return NULL;
}

static const char *find_symbol(const image *it, uint64_t offset)
{
    const Elf64_Ehdr *head = (const Elf64_Ehdr *)at(it, 0, sizeof *head);
    const Elf64_Shdr *sections = NULL;
    const char *found = NULL;
    uint32_t i;
    if (head && memcmp(head->e_ident, ELFMAG, SELFMAG) == 0 && head->e_ident[EI_CLASS] == ELFCLASS64)
        sections = (const Elf64_Shdr *)at(it, head->e_shoff, head->e_shnum * sizeof *sections);
    for (i = 0; sections && !found && i < head->e_shnum; i++)
        if ((sections[i].sh_type == SHT_SYMTAB || sections[i].sh_type == SHT_DYNSYM) &&
            sections[i].sh_link < head->e_shnum)
            found = find_in(it, &sections[i], &sections[sections[i].sh_link], loaded_at(it, head, offset));
    return found;
}

/* `path` ends before its offset, which `plus` is in front of. */
static int is_chosen_at(const char *path, const char *plus, uint64_t offset)
{
    const int before = errno, file = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
    const char *name = NULL, *slash = strrchr(path, '/');
    struct stat about;
    image it = {NULL, 0};
    char place[600];
    int result;
    if (file >= 0 && fstat(file, &about) == 0 && about.st_size > 0) {
        void *bytes = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, file, 0);
        if (bytes != MAP_FAILED)
            it = (image){(const unsigned char *)bytes, (size_t)about.st_size};
    }
    if (file >= 0)
        syscall(SYS_close, file);
    if (it.bytes)
        name = find_symbol(&it, offset);
    if (!name) { /* FILE+0xOFFSET, as in the trace */
        strcpy(place, slash ? slash + 1 : path);
        strcat(place, plus);
        name = place;
    }
    result = trace_is_in_list(trace_page->functions, name);
    if (it.bytes)
        munmap((void *)(uintptr_t)it.bytes, it.size);
    errno = before;
    return result;
}

int trace_is_chosen(const char *place)
{
    const char *plus = strrchr(place, '+'), *digit;
    char path[560];
    uint64_t offset = 0;
    if (!*trace_page->functions)
        return 1;
    if (*place != '@' || !plus || (size_t)(plus - place) > sizeof path)
        return trace_is_in_list(trace_page->functions, place);
    memcpy(path, place + 1, (size_t)(plus - place - 1));
    path[plus - place - 1] = 0;
    for (digit = plus + 3; *digit; digit++) /* behind +0x */
        offset = offset * 16 + (uint64_t)(*digit <= '9' ? *digit - '0' : *digit - 'a' + 10);
    return is_chosen_at(path, plus, offset);
}
