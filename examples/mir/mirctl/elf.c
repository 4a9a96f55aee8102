/* The symbols of an ELF file.  Whatever the file says about sizes is tested. */
#include "elf.h"

#include <elf.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

/* Whether `size` bytes at an offset are within the file. */
static int is_within(const elf_file *it, uint64_t at, uint64_t size)
{
    return at <= it->size && size <= it->size - at;
}

static int read_section(const elf_file *it, uint64_t number, Elf64_Shdr *section)
{
    Elf64_Ehdr header;
    memcpy(&header, it->bytes, sizeof header);
    if (number >= header.e_shnum)
        return 0;
    memcpy(section, it->bytes + header.e_shoff + number * sizeof *section, sizeof *section);
    return 1;
}

const char *elf_open(elf_file *it, int descriptor)
{
    struct stat about;
    Elf64_Ehdr header;
    Elf64_Shdr section;
    memset(it, 0, sizeof *it);
    if (fstat(descriptor, &about) != 0 || about.st_size <= (off_t)sizeof header)
        return "this is not an ELF file of 64 bits";
    it->size = (size_t)about.st_size;
    it->bytes = mmap(NULL, it->size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (it->bytes == MAP_FAILED || memcmp(it->bytes, ELFMAG "\2", SELFMAG + 1) != 0)
        return "this is not an ELF file of 64 bits";
    memcpy(&header, it->bytes, sizeof header);
    if (header.e_shnum && (header.e_shentsize != sizeof section ||
                           !is_within(it, header.e_shoff, (uint64_t)header.e_shnum * sizeof section)))
        return "the file has no sections that could be read";
    it->entry = header.e_entry;
    it->machine = header.e_machine;
    it->is_stripped = 1;
    for (uint64_t i = 0; read_section(it, i, &section); i++)
        if (section.sh_type == SHT_SYMTAB)
            it->is_stripped = 0;
    return NULL;
}

/* Hands over the symbols of a table. */
static void take_table(const elf_file *it, const Elf64_Shdr *table, const Elf64_Shdr *names,
                       void (*take)(void *, const elf_symbol *), void *data)
{
    const char *file = "";
    size_t file_size = 0;
    if (!is_within(it, table->sh_offset, table->sh_size) || !is_within(it, names->sh_offset, names->sh_size))
        return;
    for (uint64_t at = 0; table->sh_size - at >= sizeof(Elf64_Sym); at += sizeof(Elf64_Sym)) {
        Elf64_Sym entry;
        elf_symbol symbol;
        memcpy(&entry, it->bytes + table->sh_offset + at, sizeof entry);
        if (entry.st_name >= names->sh_size)
            continue;
        symbol.name = it->bytes + names->sh_offset + entry.st_name;
        symbol.name_size = strnlen(symbol.name, names->sh_size - entry.st_name);
        symbol.value = entry.st_value;
        symbol.size = entry.st_size;
        symbol.type = ELF64_ST_TYPE(entry.st_info);
        if (symbol.type == STT_FILE) {
            file = symbol.name;
            file_size = symbol.name_size;
        }
        if (symbol.type == STT_FILE || entry.st_shndx == SHN_UNDEF || !symbol.name_size)
            continue;
        symbol.file = ELF64_ST_BIND(entry.st_info) == STB_LOCAL ? file : "";
        symbol.file_size = *symbol.file ? file_size : 0;
        take(data, &symbol);
    }
}

void elf_each(const elf_file *it, void (*take)(void *data, const elf_symbol *symbol), void *data)
{
    Elf64_Shdr table, names;
    for (uint64_t i = 0; read_section(it, i, &table); i++)
        if (table.sh_type == (it->is_stripped ? SHT_DYNSYM : SHT_SYMTAB) && read_section(it, table.sh_link, &names))
            take_table(it, &table, &names, take, data);
}
