/* Methods that are recorded: classes that have some of the list are changed when they are loaded, so that these call
 * the probe where they begin and end. */
#include "java.h"

#include "class_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *list;
static int is_ready; /* atomic; 1: the class that changed ones call is there */
static trace_defined *methods[CLASS_MOST_NUMBERS + 1];
static int last_number; /* atomic */

/* ---- what changed methods call */

static void JNICALL begin_method(JNIEnv *env, jclass class, jint number)
{
    java_thread *self = &java_self;
    const uint32_t depth = self->depth++;
    (void)env;
    (void)class;
    if (!self->methods)
        self->methods = (java_method *)calloc(JAVA_DEPTH, sizeof *self->methods);
    if (depth >= JAVA_DEPTH || !self->methods)
        return;
    self->methods[depth].number = number;
    self->methods[depth].scope = java_begin(methods[number]);
}

/* A method that was not begun in this thread is one of a virtual thread, which has left another carrier. */
static void JNICALL end_method(JNIEnv *env, jclass class, jint number)
{
    java_thread *self = &java_self;
    const uint32_t least = self->carries ? self->own_depth : 0;
    uint32_t depth = self->depth;
    (void)env;
    (void)class;
    self->throws_again = number < 0;
    number = number < 0 ? -number : number;
    if (depth > JAVA_DEPTH || !self->methods) {
        self->depth -= depth > 0;
        return;
    }
    while (depth > least && self->methods[depth - 1].number != number)
        depth--;
    if (depth > least) {
        self->depth = depth - 1;
        java_end(&self->methods[depth - 1].scope);
    }
}

/* The class file of the probe. */
static class_writer make_probe(void)
{
    static const char *const texts[] = {CLASS_PROBE, "java/lang/Object", "begin", "end", "(I)V"};
    class_writer out = {NULL, 0, 0, 0};
    uint32_t i;
    class_put(&out, 4, 0xcafebabe);
    class_put(&out, 4, 52);
    class_put(&out, 2, 8);
    for (i = 0; i < 5; i++) {
        class_put(&out, 1, 1);
        class_put(&out, 2, (uint32_t)strlen(texts[i]));
        class_put_bytes(&out, texts[i], strlen(texts[i]));
    }
    for (i = 1; i <= 2; i++) { /* entries 6 and 7: the classes of texts 1 and 2 */
        class_put(&out, 1, 7);
        class_put(&out, 2, i);
    }
    class_put(&out, 2, 0x1031); /* public final super synthetic */
    class_put(&out, 2, 6);
    class_put(&out, 2, 7);
    class_put(&out, 4, 0); /* no interfaces, no fields */
    class_put(&out, 2, 2);
    for (i = 3; i <= 4; i++) {
        class_put(&out, 2, 0x0109); /* public static native */
        class_put(&out, 2, i);
        class_put(&out, 2, 5);
        class_put(&out, 2, 0);
    }
    class_put(&out, 2, 0);
    return out;
}

void java_define_probe(JNIEnv *env)
{
    static char begin_name[] = "begin", end_name[] = "end", type[] = "(I)V";
    void (JNICALL *begin)(JNIEnv *, jclass, jint) = begin_method, (JNICALL *end)(JNIEnv *, jclass, jint) = end_method;
    JNINativeMethod natives[] = {{begin_name, type, NULL}, {end_name, type, NULL}};
    class_writer probe;
    jclass class;
    if (!list)
        return;
    memcpy(&natives[0].fnPtr, &begin, sizeof begin);
    memcpy(&natives[1].fnPtr, &end, sizeof end);
    probe = make_probe();
    class = probe.has_failed ? NULL : (*env)->DefineClass(env, CLASS_PROBE, NULL, (const jbyte *)probe.bytes,
                                                          (jsize)probe.size);
    if (class && (*env)->RegisterNatives(env, class, natives, 2) == JNI_OK) {
        __atomic_store_n(&is_ready, 1, __ATOMIC_RELEASE);
    } else {
        (*env)->ExceptionClear(env);
        java_say("methods are not recorded, as the JVM refuses the class that they would call");
    }
    free(probe.bytes);
}

/* ---- choosing */

/* CLASS.METHOD, as in the source.  Returns 0 if it is too long. */
static int make_name(char *name, size_t size, class_text class_name, class_text method)
{
    size_t i;
    if (class_name.size + method.size + 2 > size)
        return 0;
    for (i = 0; i < class_name.size; i++)
        name[i] = class_name.bytes[i] == '/' ? '.' : class_name.bytes[i];
    name[i] = '.';
    memcpy(name + i + 1, method.bytes, method.size);
    name[i + 1 + method.size] = '\0';
    for (; *name; name++)
        if (*name == '"' || (unsigned char)*name < ' ')
            *name = '_';
    return 1;
}

static int choose(void *data, class_text class_name, class_text method)
{
    char name[512], *copy;
    trace_defined *it;
    int number;
    (void)data;
    if (!make_name(name, sizeof name, class_name, method) || !trace_is_in_list(list, name))
        return 0;
    number = __atomic_add_fetch(&last_number, 1, __ATOMIC_RELAXED);
    if (number == CLASS_MOST_NUMBERS + 1)
        java_say("methods from the %dth on are not recorded", CLASS_MOST_NUMBERS + 1);
    if (number > CLASS_MOST_NUMBERS)
        return 0;
    it = (trace_defined *)calloc(1, sizeof *it + strlen(name) + 1);
    if (!it)
        return 0;
    copy = (char *)(it + 1);
    strcpy(copy, name);
    it->name = copy;
    it->color = trace_color_of(copy);
    methods[number] = it;
    return number;
}

void java_choose_methods(const char *patterns)
{
    list = patterns;
}

/* ---- changing */

void JNICALL java_on_class_file(jvmtiEnv *vm, JNIEnv *env, jclass redefined, jobject loader, const char *name,
                                jobject domain, jint size, const unsigned char *bytes, jint *new_size,
                                unsigned char **new_bytes)
{
    const class_choice choice = {choose, NULL};
    unsigned char *changed, *result = NULL;
    size_t changed_size = 0;
    (void)env;
    (void)redefined;
    (void)loader;
    (void)domain;
    if (!__atomic_load_n(&is_ready, __ATOMIC_ACQUIRE) || (name && strcmp(name, CLASS_PROBE) == 0))
        return;
    changed = class_change(bytes, (size_t)size, &choice, &changed_size);
    if (changed && changed_size <= INT32_MAX &&
        (*vm)->Allocate(vm, (jlong)changed_size, &result) == JVMTI_ERROR_NONE) {
        memcpy(result, changed, changed_size);
        *new_bytes = result;
        *new_size = (jint)changed_size;
    }
    free(changed);
}

static int has_chosen_method(jclass class)
{
    char name[256], full[512];
    jmethodID *of_class = NULL;
    jboolean can_change = JNI_FALSE;
    jint count = 0, i;
    int is_chosen = 0;
    if ((*java_vm)->IsModifiableClass(java_vm, class, &can_change) != JVMTI_ERROR_NONE || !can_change ||
        (*java_vm)->GetClassMethods(java_vm, class, &count, &of_class) != JVMTI_ERROR_NONE)
        return 0;
    java_class_name(class, name, sizeof name);
    for (i = 0; i < count && !is_chosen; i++) {
        char *method = NULL;
        if ((*java_vm)->GetMethodName(java_vm, of_class[i], &method, NULL, NULL) != JVMTI_ERROR_NONE)
            continue;
        snprintf(full, sizeof full, "%s.%s", name, method);
        is_chosen = trace_is_in_list(list, full);
        (*java_vm)->Deallocate(java_vm, (unsigned char *)method);
    }
    (*java_vm)->Deallocate(java_vm, (unsigned char *)of_class);
    return is_chosen;
}

void java_change_loaded(JNIEnv *env)
{
    jclass *classes = NULL;
    jint count = 0, i;
    if (!__atomic_load_n(&is_ready, __ATOMIC_ACQUIRE) ||
        (*java_vm)->GetLoadedClasses(java_vm, &count, &classes) != JVMTI_ERROR_NONE)
        return;
    for (i = 0; i < count; i++) {
        if (has_chosen_method(classes[i]))
            (*java_vm)->RetransformClasses(java_vm, 1, &classes[i]);
        (*env)->DeleteLocalRef(env, classes[i]);
    }
    (*java_vm)->Deallocate(java_vm, (unsigned char *)classes);
}
