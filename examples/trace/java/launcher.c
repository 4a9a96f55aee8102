/* Hands the agent to the JVM that the launcher creates.
 *
 * All variables by which the JVM takes options make it print a line.  So the launcher's own look-up of the function
 * that creates a JVM is redirected: in the table of its library, libjli.so, the address of dlsym becomes that of
 * `look_up`.  Where that is not possible, JAVA_TOOL_OPTIONS is set, and the line is printed. */
#include "java.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef jint (JNICALL *creator)(JavaVM **, void **, void *);
static creator next_create;
static char agent_option[600];

/* The thread that creates the JVM is `main`, and begins here: what the JVM does to begin is its own. */
static jint JNICALL create_vm(JavaVM **vm, void **env, void *data)
{
    JavaVMInitArgs arguments = *(JavaVMInitArgs *)data;
    JavaVMOption *options = (JavaVMOption *)calloc((size_t)arguments.nOptions + 1, sizeof *options);
    jint result;
    if (trace_get_page()->shows_jvm)
        trace_name_thread_as("main");
    else
        trace_begin_hidden_thread("main");
    java_only = !trace_get_page()->shows_jvm;
    if (!options)
        return next_create(vm, env, data);
    memcpy(options, arguments.options, (size_t)arguments.nOptions * sizeof *options);
    options[arguments.nOptions++].optionString = agent_option;
    arguments.options = options;
    trace_hidden |= TRACE_JAVA;
    result = next_create(vm, env, &arguments);
    trace_hidden &= ~(uint32_t)TRACE_JAVA;
    free(options);
    return result;
}

static void *look_up(void *library, const char *name)
{
    void *found = dlsym(library, name);
    creator own = create_vm;
    if (found && strcmp(name, "JNI_CreateJavaVM") == 0) {
        memcpy(&next_create, &found, sizeof found);
        memcpy(&found, &own, sizeof found);
    }
    return found;
}

/* ---- the table of libjli.so */

typedef struct library_tables {
    const ElfW(Sym) *symbols;
    const char *texts;
    const ElfW(Rela) *relocations[2];
    size_t counts[2];
    int is_found;
} library_tables;

static void replace(uintptr_t place)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    void *start = (void *)(place & ~(uintptr_t)(page - 1));
    void *(*own)(void *, const char *) = look_up;
    if (mprotect(start, page, PROT_READ | PROT_WRITE) == 0)
        memcpy((void *)place, &own, sizeof own); /* it stays writable, as it may be on a page with what is written */
}

/* Addresses in the dynamic section are those in memory. */
static int find_tables(struct dl_phdr_info *about, library_tables *it)
{
    const ElfW(Dyn) *entry = NULL;
    size_t i;
    for (i = 0; i < about->dlpi_phnum; i++)
        if (about->dlpi_phdr[i].p_type == PT_DYNAMIC)
            entry = (const ElfW(Dyn) *)(about->dlpi_addr + about->dlpi_phdr[i].p_vaddr);
    for (; entry && entry->d_tag != DT_NULL; entry++)
        switch (entry->d_tag) {
        case DT_SYMTAB: it->symbols = (const ElfW(Sym) *)entry->d_un.d_ptr; break;
        case DT_STRTAB: it->texts = (const char *)entry->d_un.d_ptr; break;
        case DT_JMPREL: it->relocations[0] = (const ElfW(Rela) *)entry->d_un.d_ptr; break;
        case DT_PLTRELSZ: it->counts[0] = entry->d_un.d_val / sizeof(ElfW(Rela)); break;
        case DT_RELA: it->relocations[1] = (const ElfW(Rela) *)entry->d_un.d_ptr; break;
        case DT_RELASZ: it->counts[1] = entry->d_un.d_val / sizeof(ElfW(Rela)); break;
        default: break;
        }
    return it->symbols && it->texts;
}

static int redirect(struct dl_phdr_info *about, size_t size, void *data)
{
    const char *slash = strrchr(about->dlpi_name, '/');
    library_tables it;
    size_t table, i;
    (void)size;
    memset(&it, 0, sizeof it);
    if (!slash || strcmp(slash, "/libjli.so") != 0 || !find_tables(about, &it))
        return 0;
    for (table = 0; table < 2; table++)
        for (i = 0; it.relocations[table] && i < it.counts[table]; i++) {
            const ElfW(Rela) *relocation = &it.relocations[table][i];
            if (ELF64_R_SYM(relocation->r_info) && /* a slot, not a relative address */
                strcmp(it.texts + it.symbols[ELF64_R_SYM(relocation->r_info)].st_name, "dlsym") == 0) {
                replace(about->dlpi_addr + relocation->r_offset);
                *(int *)data = 1;
            }
        }
    return 0;
}

__attribute__((constructor)) static void begin(void)
{
    static const char tool_options[] = "JAVA_TOOL_OPTIONS";
    Dl_info about;
    int is_redirected = 0;
    if (!trace_get_page() || !dladdr(&java_vm, &about) || !about.dli_fname)
        return;
    if (strchr(about.dli_fname, '=') || /* what is behind that would be options */
        (size_t)snprintf(agent_option, sizeof agent_option, "-agentpath:%s", about.dli_fname) >= sizeof agent_option)
        strcpy(agent_option, "-agentlib:pajetrace-java"); /* is found by its name, as it is loaded */
    dl_iterate_phdr(redirect, &is_redirected);
    if (!is_redirected) {
        const char *before = getenv(tool_options);
        char *both;
        if (before && strstr(before, agent_option))
            return; /* a program that creates a JVM itself; the user has named the agent */
        both = (char *)malloc((before ? strlen(before) : 0) + sizeof agent_option + 2);
        if (both) {
            sprintf(both, "%s%s%s", agent_option, before ? " " : "", before ? before : "");
            setenv(tool_options, both, 1);
            free(both);
        }
    }
}
