/* Looks at a program: whether a library can be preloaded into it. */
#include "trace.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HEAD = 4096, SCRIPTS = 4 /* as many interpreters the kernel follows */ };

char *trace_find_program(const char *name)
{
    const char *path = getenv("PATH");
    text_buffer found = {0};
    if (strchr(name, '/') || !path) {
        text_puts(&found, name);
        return text_string(&found);
    }
    for (;;) {
        size_t size = strcspn(path, ":");
        struct stat about;
        text_clear(&found);
        text_put(&found, size ? path : ".", size ? size : 1);
        text_putc(&found, '/');
        text_puts(&found, name);
        if (access(text_string(&found), X_OK) == 0 && stat(text_string(&found), &about) == 0 &&
            S_ISREG(about.st_mode))
            return text_string(&found);
        if (!path[size])
            break;
        path += size + 1;
    }
    text_free(&found);
    return NULL;
}

/* The same machine as this program, which is of the same make as the library beside it. */
static const unsigned char *own_ident(uint16_t *machine)
{
    static unsigned char head[sizeof(Elf64_Ehdr)];
    int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    ssize_t size = file < 0 ? -1 : read(file, head, sizeof head);
    if (file >= 0)
        close(file);
    if (size < (ssize_t)sizeof head)
        return NULL;
    memcpy(machine, head + offsetof(Elf64_Ehdr, e_machine), sizeof *machine);
    return head;
}

/* Whether an ELF file names a program that loads its libraries.  `bytes`: its first ones. */
static int has_interpreter(const unsigned char *bytes, size_t size)
{
    size_t i;
    if (bytes[EI_CLASS] == ELFCLASS64) {
        Elf64_Ehdr head;
        memcpy(&head, bytes, sizeof head);
        for (i = 0; i < head.e_phnum && head.e_phoff + (i + 1) * sizeof(Elf64_Phdr) <= size; i++) {
            Elf64_Phdr part;
            memcpy(&part, bytes + head.e_phoff + i * sizeof part, sizeof part);
            if (part.p_type == PT_INTERP)
                return 1;
        }
    } else {
        Elf32_Ehdr head;
        memcpy(&head, bytes, sizeof head);
        for (i = 0; i < head.e_phnum && head.e_phoff + (i + 1) * sizeof(Elf32_Phdr) <= size; i++) {
            Elf32_Phdr part;
            memcpy(&part, bytes + head.e_phoff + i * sizeof part, sizeof part);
            if (part.p_type == PT_INTERP)
                return 1;
        }
    }
    return 0;
}

/* Whether a program is the loader, which takes the name of another one as its argument, and preloads libraries. */
static int is_loader(const char *path)
{
    const char *slash = strrchr(path, '/');
    return strncmp(slash ? slash + 1 : path, "ld-linux", strlen("ld-linux")) == 0;
}

static const char *check_elf(const char *path, const unsigned char *bytes, size_t size, const struct stat *about)
{
    uint16_t own_machine = 0, machine;
    const unsigned char *own = own_ident(&own_machine);
    memcpy(&machine, bytes + offsetof(Elf64_Ehdr, e_machine), sizeof machine);
    if (own && (own[EI_CLASS] != bytes[EI_CLASS] || own[EI_DATA] != bytes[EI_DATA] || machine != own_machine))
        return "is a program for another architecture than paje's: build paje for that one, too";
    if (!has_interpreter(bytes, size) && !is_loader(path))
        return "is linked statically, so nothing can be preloaded: link it with shared libraries";
    if (((about->st_mode & S_ISUID) && about->st_uid != geteuid()) ||
        ((about->st_mode & S_ISGID) && about->st_gid != getegid()))
        return "runs as another user or group (set-user-id), so nothing can be preloaded: trace it as that user, or "
               "trace a copy";
    return NULL;
}

/* Reads the first bytes of a program.  Returns how many; 0: it cannot be read. */
static size_t read_head(const char *path, unsigned char *bytes, struct stat *about)
{
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t size = file < 0 || fstat(file, about) != 0 || !S_ISREG(about->st_mode) ? 0 : read(file, bytes, HEAD);
    if (file >= 0)
        close(file);
    return size > 0 ? (size_t)size : 0;
}

const char *trace_check_program(const char *name)
{
    char *path = trace_find_program(name);
    const char *problem = NULL;
    int scripts;
    for (scripts = 0; path && scripts <= SCRIPTS; scripts++) {
        unsigned char bytes[HEAD + 1] = {0};
        struct stat about;
        size_t size = read_head(path, bytes, &about);
        char *next = NULL;
        if (size >= sizeof(Elf64_Ehdr) && memcmp(bytes, ELFMAG, SELFMAG) == 0) {
            problem = check_elf(path, bytes, size, &about);
        } else if (size > 2 && bytes[0] == '#' && bytes[1] == '!') { /* a script: its interpreter counts */
            const char *line = (const char *)bytes + 2, *start = line + strspn(line, " \t");
            size_t length = strcspn(start, " \t\r\n");
            next = memory_alloc(length + 1, 1);
            memcpy(next, start, length);
            next[length] = '\0';
        }
        free(path);
        path = next;
    }
    free(path);
    return problem;
}
