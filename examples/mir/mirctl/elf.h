/* The symbols of an ELF file of 64 bits. */
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef struct elf_file {
    const char *bytes;
    size_t size;
    uint64_t entry;  /* of the program, as the file has it */
    int machine;     /* EM_X86_64 and others */
    int is_stripped; /* it has the symbols of its dynamic table only */
} elf_file;

typedef struct elf_symbol {
    const char *name, *file; /* file: of the source, if it is local to that; else empty.  Neither ends with NUL */
    size_t name_size, file_size;
    uint64_t value, size;
    int type; /* STT_OBJECT, STT_FUNC and others */
} elf_symbol;

/* Maps a file.  Returns why it cannot be read; NULL: it can. */
const char *elf_open(elf_file *it, int descriptor);
/* Hands over each symbol that the file defines. */
void elf_each(const elf_file *it, void (*take)(void *data, const elf_symbol *symbol), void *data);
