/* The SIR of a file: its functions, by the symbols of ELF (64 bits).  Under `paje trace`, a program that is compiled
 * with -finstrument-functions has states of these names, so requests may refer to them. */
#include "elf.h"
#include "mirctl.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
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

static void put_function(void *data, const elf_symbol *symbol)
{
    (void)data;
    if (symbol->type != STT_FUNC || symbol->name_size >= REQUEST_REGION) /* no request could refer to it */
        return;
    printf("<codeRegion id=\"");
    put_quoted(symbol->name, symbol->name_size);
    printf("\" name=\"");
    put_quoted(symbol->name, symbol->name_size);
    printf("\"/>");
}

int sir_of_file(const char *path)
{
    struct stat about;
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    elf_file elf;
    const char *problem;
    if (file < 0 || fstat(file, &about) != 0 || !S_ISREG(about.st_mode)) {
        if (file >= 0)
            close(file);
        return 0;
    }
    problem = elf_open(&elf, file);
    close(file);
    if (problem)
        fail(path, problem);
    printf("<sir><unit id=\"");
    put_quoted(path, strlen(path));
    printf("\">");
    elf_each(&elf, put_function, NULL);
    printf("</unit></sir>\n");
    return 1;
}
