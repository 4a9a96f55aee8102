/* The SIR of a file: its functions, by the symbols of ELF (64 bits).  Under `paje trace`, a program that is compiled
 * with -finstrument-functions has states of these names, so requests may refer to them. */
#include "mirctl.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static void put_quoted(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        const unsigned char c = (unsigned char)text[i];
        if (c == '<' || c == '&' || c == '"')
            printf("&%s;", c == '<' ? "lt" : c == '&' ? "amp" : "quot");
        else
            putchar(c < 32 || c > 126 ? '?' : c);
    }
}

/* Whether `size` bytes at an offset are within the file. */
static int is_within(size_t file_size, uint64_t at, uint64_t size)
{
    return at <= file_size && size <= file_size - at;
}

/* Writes the functions of a table of symbols. */
static void put_functions(const char *bytes, size_t size, const Elf64_Shdr *table, const Elf64_Shdr *names)
{
    if (!is_within(size, table->sh_offset, table->sh_size) || !is_within(size, names->sh_offset, names->sh_size))
        return;
    for (uint64_t at = 0; at + sizeof(Elf64_Sym) <= table->sh_size; at += sizeof(Elf64_Sym)) {
        Elf64_Sym symbol;
        const char *name;
        size_t length;
        memcpy(&symbol, bytes + table->sh_offset + at, sizeof symbol);
        if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_shndx == SHN_UNDEF ||
            symbol.st_name >= names->sh_size)
            continue;
        name = bytes + names->sh_offset + symbol.st_name;
        length = strnlen(name, names->sh_size - symbol.st_name);
        if (!length || length >= REQUEST_NAME) /* no request could refer to it */
            continue;
        printf("<codeRegion id=\"");
        put_quoted(name, length);
        printf("\" name=\"");
        put_quoted(name, length);
        printf("\"/>");
    }
}

int sir_of_file(const char *path)
{
    struct stat about;
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    const char *bytes;
    Elf64_Ehdr header;
    Elf64_Shdr sections[2];
    size_t size;
    int kind = SHT_DYNSYM;
    if (file < 0 || fstat(file, &about) != 0 || !S_ISREG(about.st_mode)) {
        if (file >= 0)
            close(file);
        return 0;
    }
    size = (size_t)about.st_size;
    bytes = size > sizeof header ? mmap(NULL, size, PROT_READ, MAP_PRIVATE, file, 0) : MAP_FAILED;
    close(file);
    if (bytes == MAP_FAILED || memcmp(bytes, ELFMAG "\2", SELFMAG + 1) != 0)
        fail(path, "this is not an ELF file of 64 bits");
    memcpy(&header, bytes, sizeof header);
    if (header.e_shentsize != sizeof *sections ||
        !is_within(size, header.e_shoff, (uint64_t)header.e_shnum * sizeof *sections))
        fail(path, "the file has no sections that could be read");
    printf("<sir><unit id=\"");
    put_quoted(path, strlen(path));
    printf("\">");
    for (int pass = 0; pass < 2; pass++) /* the dynamic symbols only if there are no others */
        for (uint64_t i = 0; i < header.e_shnum; i++) {
            memcpy(&sections[0], bytes + header.e_shoff + i * sizeof *sections, sizeof *sections);
            if (pass == 0 && sections[0].sh_type == SHT_SYMTAB)
                kind = SHT_SYMTAB;
            if (pass == 0 || sections[0].sh_type != (uint32_t)kind || sections[0].sh_link >= header.e_shnum)
                continue;
            memcpy(&sections[1], bytes + header.e_shoff + sections[0].sh_link * sizeof *sections, sizeof *sections);
            put_functions(bytes, size, &sections[0], &sections[1]);
        }
    printf("</unit></sir>\n");
    return 1;
}
