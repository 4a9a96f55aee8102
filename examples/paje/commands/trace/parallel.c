/* Parallel programs: which MPI a command is run with. */
#include "trace.h"
#include "base/mapping.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

static const char openmpi[] = "openmpi", mpich[] = "mpich";

/* Tells the MPI by the name of a library of it: MPICH and its relatives have libmpich, or libmpi.so.12 by agreement. */
static const char *mpi_of_library(const char *name)
{
    if (strncmp(name, "libmpi", 6) != 0)
        return NULL;
    return strncmp(name, "libmpich", 8) == 0 || strcmp(name, "libmpi.so.12") == 0 || strstr(name, "fort.so.12")
               ? mpich : openmpi;
}

/* An ELF file in memory. */
typedef struct elf_file {
    const unsigned char *bytes;
    size_t size;
    Elf64_Ehdr head;
} elf_file;

static int read_part(const elf_file *file, size_t number, Elf64_Phdr *part)
{
    uint64_t offset = file->head.e_phoff + number * sizeof *part;
    if (offset > file->size || file->size - offset < sizeof *part)
        return 0;
    memcpy(part, file->bytes + offset, sizeof *part);
    return part->p_offset <= file->size && part->p_filesz <= file->size - part->p_offset;
}

/* Returns the text at an address; NULL: it is not within the file. */
static const char *text_at(const elf_file *file, uint64_t address)
{
    Elf64_Phdr part;
    for (size_t i = 0; i < file->head.e_phnum && read_part(file, i, &part); i++)
        if (part.p_type == PT_LOAD && address >= part.p_vaddr && address - part.p_vaddr < part.p_filesz) {
            const char *text = (const char *)file->bytes + part.p_offset + (address - part.p_vaddr);
            return memchr(text, 0, (size_t)((const char *)file->bytes + file->size - text)) ? text : NULL;
        }
    return NULL;
}

/* Finds an entry of the dynamic section, the `number`th with that tag. */
static int find_entry(const elf_file *file, const Elf64_Phdr *dynamic, int64_t tag, size_t number, uint64_t *value)
{
    for (uint64_t at = 0; at + sizeof(Elf64_Dyn) <= dynamic->p_filesz; at += sizeof(Elf64_Dyn)) {
        Elf64_Dyn entry;
        memcpy(&entry, file->bytes + dynamic->p_offset + at, sizeof entry);
        if (entry.d_tag == tag && number-- == 0) {
            *value = entry.d_un.d_val;
            return 1;
        }
    }
    return 0;
}

static const char *mpi_of_file(const elf_file *file)
{
    Elf64_Phdr part;
    for (size_t i = 0; i < file->head.e_phnum && read_part(file, i, &part); i++) {
        uint64_t strings, name;
        if (part.p_type != PT_DYNAMIC || !find_entry(file, &part, DT_STRTAB, 0, &strings))
            continue;
        for (size_t k = 0; find_entry(file, &part, DT_NEEDED, k, &name); k++) {
            const char *text = text_at(file, strings + name), *mpi = text ? mpi_of_library(text) : NULL;
            if (mpi)
                return mpi;
        }
    }
    return NULL;
}

/* Tells the MPI by the libraries that a program needs. */
static const char *mpi_of_program(const char *path)
{
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    mapping *mapped = descriptor < 0 ? NULL : mapping_open(descriptor, path);
    elf_file file = {0};
    const char *mpi = NULL;
    if (descriptor >= 0)
        close(descriptor);
    if (!mapped)
        return NULL;
    if (mapped->size >= sizeof file.head) {
        file.bytes = (const unsigned char *)mapped->bytes;
        file.size = mapped->size;
        memcpy(&file.head, mapped->bytes, sizeof file.head);
        if (memcmp(mapped->bytes, ELFMAG, SELFMAG) == 0 && file.head.e_ident[EI_CLASS] == ELFCLASS64 &&
            file.head.e_phentsize == sizeof(Elf64_Phdr))
            mpi = mpi_of_file(&file);
    }
    mapping_close(mapped);
    return mpi;
}

/* Tells the MPI of a program that starts others, by its name, which is often a link to the one that is meant. */
static const char *mpi_of_launcher(const char *path)
{
    static const char *const names[] = {"mpirun", "mpiexec", "orterun", "prterun"};
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    char real[PATH_MAX];
    size_t i = 0;
    while (i < sizeof names / sizeof *names && strncmp(name, names[i], strlen(names[i])) != 0)
        i++;
    if (i == sizeof names / sizeof *names || !realpath(path, real))
        return NULL;
    if (strstr(real, "openmpi") || strstr(real, "orterun") || strstr(real, "prterun"))
        return openmpi;
    return strstr(real, "mpich") || strstr(real, "hydra") ? mpich : NULL;
}

/* Tells the MPI by a word of a command: a program that needs one, or a launcher. */
static const char *mpi_of_word(const char *word, int is_launcher)
{
    char *path = trace_find_program(word);
    const char *mpi = !path ? NULL : is_launcher ? mpi_of_launcher(path) : mpi_of_program(path);
    free(path);
    return mpi;
}

/* Tells the MPI by the words of a text for a shell. */
static const char *mpi_of_text(const char *text, size_t size)
{
    static const char between[] = " \t\r\n;&|()'\"`$";
    const char *mpi = NULL;
    for (int is_launcher = 0; !mpi && is_launcher < 2; is_launcher++)
        for (size_t at = 0, length; !mpi && at < size; at += length + 1) {
            char word[PATH_MAX];
            for (length = 0; at + length < size && text[at + length] && !strchr(between, text[at + length]); length++)
                ;
            if (length && length < sizeof word) {
                memcpy(word, text + at, length);
                word[length] = '\0';
                mpi = mpi_of_word(word, is_launcher);
            }
        }
    return mpi;
}

/* Tells the MPI by what a script says: its first bytes are enough for what starts a job. */
static const char *mpi_of_script(const char *path)
{
    static char bytes[1 << 16];
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t size = descriptor < 0 ? 0 : read(descriptor, bytes, sizeof bytes);
    if (descriptor >= 0)
        close(descriptor);
    return size > 2 && bytes[0] == '#' && bytes[1] == '!' ? mpi_of_text(bytes, (size_t)size) : NULL;
}

const char *trace_find_mpi(char **command)
{
    const char *mpi = NULL;
    for (size_t i = 0; !mpi && command[i]; i++) /* what needs an MPI is surer than what starts it */
        mpi = mpi_of_word(command[i], 0);
    if (!mpi && (getenv("OMPI_COMM_WORLD_RANK") || getenv("PMIX_RANK")))
        mpi = openmpi;
    else if (!mpi && (getenv("PMI_RANK") || getenv("MPI_LOCALRANKID")))
        mpi = mpich;
    if (!mpi)
        mpi = mpi_of_word(command[0], 1);
    for (size_t i = 1; !mpi && command[i]; i++)
        mpi = mpi_of_text(command[i], strlen(command[i]));
    for (size_t i = 0; !mpi && command[i]; i++) {
        char *path = trace_find_program(command[i]);
        mpi = path ? mpi_of_script(path) : NULL;
        free(path);
    }
    return mpi;
}
