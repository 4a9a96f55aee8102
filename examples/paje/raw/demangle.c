/* Readable names of C++ functions, by the C++ library of the machine, where there is one: a program in C++ that was
 * traced has loaded it, too.  Nothing is linked for it. */
#include "raw/raw.h"

#include "base/stream.h"

#include <dlfcn.h>
#include <stdlib.h>

/* Before glibc 2.34 they are in a library that is not linked, and so NULL. */
#pragma weak dlopen
#pragma weak dlsym

typedef char *demangler(const char *name, char *buffer, size_t *size, int *status);

static demangler *find_demangler(void)
{
    static const char *const libraries[] = {"libstdc++.so.6", "libc++abi.so.1"};
    static demangler *found;
    static int is_looked_up;
    void *library = NULL;
    if (is_looked_up)
        return found;
    is_looked_up = 1;
    if (dlopen && dlsym) {
        for (size_t i = 0; i < sizeof libraries / sizeof *libraries && !library; i++)
            library = dlopen(libraries[i], RTLD_LAZY);
        void *function = library ? dlsym(library, "__cxa_demangle") : NULL;
        memcpy(&found, &function, sizeof found);
    }
    if (!found)
        stream_message("names of C++ functions are as in the file (c++filt shows them readably): neither %s nor %s can "
                       "be loaded", libraries[0], libraries[1]);
    return found;
}

int raw_put_readable(text_buffer *to, const char *name)
{
    demangler *function = strncmp(name, "_Z", 2) == 0 ? find_demangler() : NULL;
    int status = 0;
    char *readable = function ? function(name, NULL, NULL, &status) : NULL;
    if (!readable)
        return 0;
    for (char *p = readable; *p; p++)
        text_putc(to, *p == '"' ? '\'' : *p); /* a name in a trace has no quote */
    free(readable);
    return 1;
}
