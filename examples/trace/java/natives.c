/* Native methods of the JDK, of which the JVM tells when it binds them: a wrapper is bound in place of each. */
#include "java.h"

#include <dlfcn.h>
#include <string.h>

static trace_defined state_start = {"Thread.start", "0.95 0.80 0.30", 0};
static trace_defined state_notify = {"Object.notify", "0.95 0.55 0.15", 0};
static trace_defined state_notify_all = {"Object.notifyAll", "0.95 0.65 0.15", 0};
static trace_defined state_park = {"park", "0.95 0.60 0.50", 0};
static trace_defined state_sleep = {"sleep", "0.75 0.75 0.75", 0};

static void (JNICALL *next_start)(JNIEnv *, jobject);
static void (JNICALL *next_notify)(JNIEnv *, jobject);
static void (JNICALL *next_notify_all)(JNIEnv *, jobject);
static void (JNICALL *next_park)(JNIEnv *, jobject, jboolean, jlong);
static void (JNICALL *next_sleep)(JNIEnv *, jclass, jlong);
static void (JNICALL *next_set_name)(JNIEnv *, jobject, jstring);
static jboolean (JNICALL *holds_lock)(JNIEnv *, jclass, jobject); /* of the JVM; NULL: it has none */

static void JNICALL wrap_start(JNIEnv *env, jobject thread)
{
    trace_scope scope = java_begin(&state_start);
    next_start(env, thread);
    java_end(&scope);
}

static void JNICALL wrap_notify(JNIEnv *env, jobject object)
{
    trace_scope scope = java_begin(&state_notify);
    next_notify(env, object);
    java_notified(env, object, 0);
    java_end(&scope);
}

static void JNICALL wrap_notify_all(JNIEnv *env, jobject object)
{
    trace_scope scope = java_begin(&state_notify_all);
    next_notify_all(env, object);
    java_notified(env, object, 1);
    java_end(&scope);
}

/* What waits in java.util.concurrent waits here. */
static void JNICALL wrap_park(JNIEnv *env, jobject unsafe, jboolean is_absolute, jlong time)
{
    trace_scope scope = java_begin(&state_park);
    next_park(env, unsafe, is_absolute, time);
    java_end(&scope);
}

static void JNICALL wrap_sleep(JNIEnv *env, jclass class, jlong time)
{
    trace_scope scope = java_begin(&state_sleep);
    next_sleep(env, class, time);
    java_end(&scope);
}

/* Threads name themselves as a rule; a name that another thread gives is not seen. */
static void JNICALL wrap_set_name(JNIEnv *env, jobject thread, jstring name)
{
    jthread self = NULL;
    next_set_name(env, thread, name);
    if (!trace_is_on(TRACE_JAVA) || (*java_vm)->GetCurrentThread(java_vm, &self) != JVMTI_ERROR_NONE)
        return;
    if (self && (*env)->IsSameObject(env, self, thread)) {
        const char *text = (*env)->GetStringUTFChars(env, name, NULL);
        if (text && !strpbrk(text, "\"\n\r"))
            trace_name_thread_as(text);
        if (text)
            (*env)->ReleaseStringUTFChars(env, name, text);
    }
    (*env)->DeleteLocalRef(env, self);
}

/* ---- binding */

/* `symbol`: of the JVM; methods that are bound before others can be asked for their names are known by it. */
#define WRAPS(class, name, symbol, function) \
    {class, name, symbol, NULL, &next_##function, sizeof next_##function, (void (*)(void))wrap_##function}
static struct {
    const char *class, *name, *symbol;
    void *address; /* of the symbol */
    void *next;
    size_t size;
    void (*wrapper)(void);
} wrapped[] = {
    WRAPS("Ljava/lang/Thread;", "start0", "JVM_StartThread", start),
    WRAPS("Ljava/lang/Object;", "notify", "JVM_MonitorNotify", notify),
    WRAPS("Ljava/lang/Object;", "notifyAll", "JVM_MonitorNotifyAll", notify_all),
    WRAPS("Ljdk/internal/misc/Unsafe;", "park", NULL, park),
    WRAPS("Ljava/lang/Thread;", "sleep", NULL, sleep),       /* up to Java 18 */
    WRAPS("Ljava/lang/Thread;", "sleep0", NULL, sleep),      /* up to Java 21 */
    WRAPS("Ljava/lang/Thread;", "sleepNanos0", NULL, sleep), /* from Java 22 on */
    WRAPS("Ljava/lang/Thread;", "setNativeName", "JVM_SetNativeThreadName", set_name),
};
enum { WRAPPED = sizeof wrapped / sizeof *wrapped };

void java_find_natives(const void *inside)
{
    Dl_info about;
    void *library = dladdr(inside, &about) && about.dli_fname ? dlopen(about.dli_fname, RTLD_NOW | RTLD_NOLOAD) : NULL;
    void *symbol;
    size_t i;
    for (i = 0; library && i < WRAPPED; i++)
        wrapped[i].address = wrapped[i].symbol ? dlsym(library, wrapped[i].symbol) : NULL;
    symbol = library ? dlsym(library, "JVM_HoldsLock") : NULL;
    memcpy(&holds_lock, &symbol, sizeof symbol);
}

int java_holds(JNIEnv *env, jobject object)
{
    return !holds_lock || holds_lock(env, NULL, object);
}

static void wrap(size_t i, void *address, void **use)
{
    memcpy(wrapped[i].next, &address, wrapped[i].size);
    memcpy(use, &wrapped[i].wrapper, sizeof *use);
}

static int is_of_class(jmethodID method, const char *wanted)
{
    jclass class = NULL;
    char *signature = NULL;
    int is_same = 0;
    if ((*java_vm)->GetMethodDeclaringClass(java_vm, method, &class) == JVMTI_ERROR_NONE &&
        (*java_vm)->GetClassSignature(java_vm, class, &signature, NULL) == JVMTI_ERROR_NONE) {
        is_same = strcmp(signature, wanted) == 0;
        (*java_vm)->Deallocate(java_vm, (unsigned char *)signature);
    }
    return is_same;
}

void JNICALL java_on_bind(jvmtiEnv *vm, JNIEnv *env, jthread thread, jmethodID method, void *address, void **use)
{
    jvmtiPhase phase;
    char *name = NULL;
    size_t i;
    (void)env;
    (void)thread;
    for (i = 0; i < WRAPPED; i++)
        if (wrapped[i].address && wrapped[i].address == address) {
            wrap(i, address, use);
            return;
        }
    if ((*vm)->GetPhase(vm, &phase) != JVMTI_ERROR_NONE || (phase != JVMTI_PHASE_START && phase != JVMTI_PHASE_LIVE) ||
        (*vm)->GetMethodName(vm, method, &name, NULL, NULL) != JVMTI_ERROR_NONE)
        return;
    for (i = 0; i < WRAPPED; i++)
        if (strcmp(name, wrapped[i].name) == 0 && is_of_class(method, wrapped[i].class)) {
            wrap(i, address, use);
            break;
        }
    (*vm)->Deallocate(vm, (unsigned char *)name);
}
