/* Programs that start a JVM: the layer of Java is loaded into these only. */
#include "process.h"

#include <dlfcn.h>
#include <string.h>

/* The launcher has its code in a library, which is looked for by the one function that all releases of it have.  It
 * starts the JVM in a thread of its own and waits for that: the thread in which it began is not recorded, unless those
 * of the JVM are.  Returns its name; NULL: it is as in other programs. */
const char *trace_load_java(void)
{
    Dl_info about;
    char path[512];
    size_t folder;
    if (!trace_is_on(TRACE_JAVA) || !dlsym(RTLD_DEFAULT, "JLI_Launch"))
        return NULL;
    if (dladdr(&trace_the_process, &about) && about.dli_fname && strrchr(about.dli_fname, '/')) {
        folder = (size_t)(strrchr(about.dli_fname, '/') + 1 - about.dli_fname);
        if (folder + sizeof TRACE_JAVA_LIBRARY <= sizeof path) {
            memcpy(path, about.dli_fname, folder);
            memcpy(path + folder, TRACE_JAVA_LIBRARY, sizeof TRACE_JAVA_LIBRARY);
            if (dlopen(path, RTLD_NOW)) {
                trace_hidden = trace_page->shows_jvm ? 0 : TRACE_HIDES_ALL;
                return "launcher";
            }
        }
    }
    __atomic_add_fetch(&trace_page->no_java, 1, __ATOMIC_RELAXED);
    return NULL;
}
