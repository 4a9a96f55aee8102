/* Names of functions, by the symbols of the ELF files that hold their code. */
#include "raw/raw.h"

#include "base/array.h"
#include "base/map.h"
#include "base/mapping.h"

#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct symbol {
    uint64_t start, size;
    uint32_t name; /* offset in the strings */
} symbol;

typedef struct module {
    mapping *file;              /* NULL: it cannot be read, or is no ELF file of 64 bits */
    const unsigned char *bytes; /* of the file */
    size_t size;
    const char *strings;
    size_t strings_size;
    array_of(symbol) symbols; /* by their start */
    raw_lines *lines; /* NULL: not read yet */
} module;

static hash_map paths;
static array_of(module) modules;

/* Whether `count` items of `size` bytes are within the file. */
static int fits(const module *m, uint64_t offset, uint64_t count, uint64_t size)
{
    return offset <= m->size && count <= (m->size - offset) / size;
}

static int compare_symbols(const void *a, const void *b)
{
    const symbol *first = a, *second = b;
    return (first->start > second->start) - (first->start < second->start);
}

static void read_symbols(module *m, const Elf64_Shdr *table, const Elf64_Shdr *strings)
{
    if (!fits(m, table->sh_offset, table->sh_size, 1) || !fits(m, strings->sh_offset, strings->sh_size, 1))
        return;
    m->strings = (const char *)m->bytes + strings->sh_offset;
    m->strings_size = strings->sh_size;
    for (uint64_t i = 0; i < table->sh_size / sizeof(Elf64_Sym); i++) {
        Elf64_Sym one;
        memcpy(&one, m->bytes + table->sh_offset + i * sizeof one, sizeof one);
        if (ELF64_ST_TYPE(one.st_info) == STT_FUNC && one.st_value && one.st_name < m->strings_size)
            *array_push(&m->symbols) = (symbol){one.st_value, one.st_size, one.st_name};
    }
    if (m->symbols.count)
        qsort(m->symbols.items, m->symbols.count, sizeof *m->symbols.items, compare_symbols);
}

/* Reads .symtab, or .dynsym of a stripped file. */
static void read_sections(module *m, const Elf64_Ehdr *head)
{
    static const uint32_t kinds[] = {SHT_SYMTAB, SHT_DYNSYM};
    if (!fits(m, head->e_shoff, head->e_shnum, sizeof(Elf64_Shdr)))
        return;
    for (size_t kind = 0; kind < 2; kind++)
        for (uint32_t i = 0; i < head->e_shnum && !m->symbols.count; i++) {
            Elf64_Shdr table, strings;
            memcpy(&table, m->bytes + head->e_shoff + i * sizeof table, sizeof table);
            if (table.sh_type != kinds[kind] || table.sh_link >= head->e_shnum)
                continue;
            memcpy(&strings, m->bytes + head->e_shoff + table.sh_link * sizeof strings, sizeof strings);
            read_symbols(m, &table, &strings);
        }
}

/* Files stay mapped until the end: their strings are used. */
static void open_module(module *m, const char *path)
{
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    mapping *mapped = file < 0 ? NULL : mapping_open(file, path);
    Elf64_Ehdr head;
    if (file >= 0)
        close(file);
    if (!mapped)
        return;
    if (mapped->size > sizeof head)
        memcpy(&head, mapped->bytes, sizeof head);
    if (mapped->size <= sizeof head || memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
        head.e_ident[EI_CLASS] != ELFCLASS64) {
        mapping_close(mapped);
        return;
    }
    m->file = mapped;
    m->bytes = (const unsigned char *)mapped->bytes;
    m->size = mapped->size;
    read_sections(m, &head);
}

/* Returns where a byte of the file is when it is loaded, relative to its first one. */
static uint64_t loaded_at(const module *m, uint64_t offset)
{
    Elf64_Ehdr head;
    memcpy(&head, m->bytes, sizeof head);
    for (uint32_t i = 0; i < head.e_phnum && fits(m, head.e_phoff, i + 1u, sizeof(Elf64_Phdr)); i++) {
        Elf64_Phdr part;
        memcpy(&part, m->bytes + head.e_phoff + i * sizeof part, sizeof part);
        if (part.p_type == PT_LOAD && offset >= part.p_offset && offset - part.p_offset < part.p_filesz)
            return offset - part.p_offset + part.p_vaddr;
    }
    return offset;
}

/* Returns the last symbol that starts at that place or before, if the place is in it; NULL: there is none. */
static const symbol *find_symbol(const module *m, uint64_t place)
{
    size_t low = 0, high = m->symbols.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (m->symbols.items[middle].start <= place)
            low = middle + 1;
        else
            high = middle;
    }
    const symbol *found = low ? &m->symbols.items[low - 1] : NULL;
    return found && place - found->start < found->size + !found->size ? found : NULL;
}

/* ---- where functions begin that have no symbol: by the table for unwinding, .eh_frame_hdr, which stays in files */

static uint32_t short_at(const module *m, uint64_t offset)
{
    uint32_t number = 0;
    if (fits(m, offset, 1, sizeof number))
        memcpy(&number, m->bytes + offset, sizeof number);
    return number;
}

/* Returns the begin of the function that a place is in, both as the file is loaded; the place itself if that is not
 * known.  `head`: the table, pairs of function and what is known of it, both relative to the table. */
static uint64_t find_begin(const module *m, const Elf64_Phdr *head, uint64_t place)
{
    enum { USUAL = 0x3b031b01, AS_PAIRS = 12 }; /* version 1, and the encodings that linkers choose */
    const uint64_t at = head->p_offset;
    uint32_t low = 0, high = short_at(m, at + 8);
    if (short_at(m, at) != USUAL || !fits(m, at + AS_PAIRS, high, 8))
        return place;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (head->p_vaddr + (uint64_t)(int32_t)short_at(m, at + AS_PAIRS + middle * UINT64_C(8)) <= place)
            low = middle + 1;
        else
            high = middle;
    }
    if (low) {
        const uint64_t pair = at + AS_PAIRS + (low - 1) * UINT64_C(8);
        const uint64_t begin = head->p_vaddr + (uint64_t)(int32_t)short_at(m, pair);
        const uint64_t about = at + (uint64_t)(int32_t)short_at(m, pair + 4); /* size, common part, begin, length */
        if (place - begin < short_at(m, about + 12))
            return begin;
    }
    return place;
}

static uint64_t begin_of(const module *m, uint64_t place)
{
    Elf64_Ehdr head;
    memcpy(&head, m->bytes, sizeof head);
    for (uint32_t i = 0; i < head.e_phnum && fits(m, head.e_phoff, i + 1u, sizeof(Elf64_Phdr)); i++) {
        Elf64_Phdr part;
        memcpy(&part, m->bytes + head.e_phoff + i * sizeof part, sizeof part);
        if (part.p_type == PT_GNU_EH_FRAME)
            return find_begin(m, &part, place);
    }
    return place;
}

/* A place, FILE+0xOFFSET, and what is there. */
typedef struct located {
    module *file;
    pajesim_text path;
    uint64_t at; /* as the file is loaded, if it can be read */
    const symbol *function; /* NULL: it has no name */
} located;

static located locate(pajesim_text place)
{
    const char *path = place.bytes, *end = path + place.size, *plus = end;
    while (plus > path && *plus != '+')
        plus--;
    if (plus == path) /* no place that was recorded */
        plus = end;
    text_buffer name = {0};
    text_put(&name, path, (size_t)(plus - path));
    size_t known = paths.used, number = map_add(&paths, name.bytes ? name.bytes : "", name.size);
    located it = {array_at(&modules, number), {path, (size_t)(plus - path)}, 0, NULL};
    if (paths.used > known)
        open_module(it.file, text_string(&name));
    text_free(&name);
    it.at = plus < end ? strtoull(plus + 1, NULL, 16) : 0;
    if (it.file->bytes && plus < end) {
        it.at = loaded_at(it.file, it.at);
        it.function = find_symbol(it.file, it.at);
    }
    return it;
}

/* Puts the name of a function; strings end within the file, or it is damaged. */
static void put_symbol(text_buffer *to, const located *it, int is_readable)
{
    const char *text = it->file->strings + it->function->name;
    text_buffer name = {0};
    text_put(&name, text, strnlen(text, it->file->strings_size - it->function->name));
    if (!is_readable || !raw_put_readable(to, text_string(&name)))
        text_append(to, text_view(&name));
    text_free(&name);
}

/* FILE+0xAT, without its folder. */
static void put_without_name(text_buffer *to, pajesim_text path, uint64_t at)
{
    const char *end = path.bytes + path.size, *file = end;
    while (file > path.bytes && file[-1] != '/')
        file--;
    text_put(to, file, (size_t)(end - file));
    text_printf(to, "+0x%llx", (unsigned long long)at);
}

void raw_put_function(text_buffer *to, pajesim_text place, int is_readable)
{
    const located it = locate((pajesim_text){place.bytes + 1, place.size - 1});
    if (it.function)
        put_symbol(to, &it, is_readable);
    else
        put_without_name(to, it.path, it.file->bytes ? begin_of(it.file, it.at) : it.at);
}

/* Finds the line of the source that a call is in, by the place that it returns to. */
static int find_line(const located *it, pajesim_text *file, uint32_t *line)
{
    if (!it->file->bytes || !it->at)
        return 0;
    if (!it->file->lines)
        it->file->lines = raw_read_lines(it->file->bytes, it->file->size);
    return raw_find_line(it->file->lines, it->at - 1, file, line);
}

void raw_put_place(text_buffer *to, pajesim_text place, int is_readable)
{
    const located it = locate(place);
    pajesim_text file;
    uint32_t line;
    if (find_line(&it, &file, &line)) {
        const char *end = file.bytes + file.size, *name = end;
        while (name > file.bytes && name[-1] != '/')
            name--;
        for (; name < end; name++)
            text_putc(to, *name == '"' || *name == '\n' ? '_' : *name);
        text_printf(to, ":%u", line);
    } else if (it.function) {
        put_symbol(to, &it, is_readable);
        text_printf(to, "+0x%llx", (unsigned long long)(it.at - it.function->start));
    } else {
        put_without_name(to, it.path, it.at);
    }
}

void raw_free_symbols(void)
{
    for (size_t i = 0; i < modules.count; i++) {
        array_free(&modules.items[i].symbols);
        if (modules.items[i].lines)
            raw_free_lines(modules.items[i].lines);
        if (modules.items[i].file)
            mapping_close(modules.items[i].file);
    }
    array_free(&modules);
    map_free(&paths);
}
