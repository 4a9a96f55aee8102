/* What the JVM counts of itself: numbers of the beans of java.lang.management, as variables of the process.  A thread
 * of the agent reads them, which the JVM counts neither as a thread of the program nor as a daemon. */
#include "java.h"

#include <string.h>

enum { BEANS = 5, LONGEST = 2000 /* milliseconds that the end of the JVM waits for the thread */ };
static const struct {
    const char *factory, *class, *name;
    int is_long;
} getters[BEANS] = {
    {"getClassLoadingMXBean", "java/lang/management/ClassLoadingMXBean", "getLoadedClassCount", 0},
    {"getClassLoadingMXBean", "java/lang/management/ClassLoadingMXBean", "getUnloadedClassCount", 1},
    {"getCompilationMXBean", "java/lang/management/CompilationMXBean", "getTotalCompilationTime", 1},
    {"getMemoryMXBean", "java/lang/management/MemoryMXBean", "getObjectPendingFinalizationCount", 0},
    {"getThreadMXBean", "java/lang/management/ThreadMXBean", "getDaemonThreadCount", 0},
};
static const char *const names[BEANS] = {"Classes", "Classes unloaded", "Compilation ms", "Pending finalization",
                                         "Daemon threads"};
static trace_variables variables = {names, BEANS, NULL, 0};

static struct {
    jobject bean; /* NULL: this JVM does not have it, as one that only interprets has no compiler */
    jmethodID method;
} found[BEANS];
static jthread reader;
static jrawMonitorID gate; /* is held by the thread that reads, and for what follows */
static int is_ready, is_over, has_none; /* is_ready: they are found; has_none: they will not be */

/* Forgets an exception.  Returns 1 if there was one. */
static int is_thrown(JNIEnv *env)
{
    const int is = (*env)->ExceptionCheck(env);
    if (is)
        (*env)->ExceptionClear(env);
    return is;
}

/* Returns 0 if there are no beans. */
static int find_beans(JNIEnv *env)
{
    const jclass factory = (*env)->FindClass(env, "java/lang/management/ManagementFactory");
    int i;
    if (is_thrown(env) || !factory)
        return 0;
    for (i = 0; i < BEANS; i++) {
        char signature[64] = "()L";
        jmethodID make;
        jclass class;
        jobject bean;
        strcat(strcat(signature, getters[i].class), ";");
        make = (*env)->GetStaticMethodID(env, factory, getters[i].factory, signature);
        class = is_thrown(env) ? NULL : (*env)->FindClass(env, getters[i].class);
        if (is_thrown(env) || !class)
            continue;
        found[i].method = (*env)->GetMethodID(env, class, getters[i].name, getters[i].is_long ? "()J" : "()I");
        bean = is_thrown(env) ? NULL : (*env)->CallStaticObjectMethod(env, factory, make);
        if (!is_thrown(env) && bean)
            found[i].bean = (*env)->NewGlobalRef(env, bean);
        (*env)->DeleteLocalRef(env, bean);
        (*env)->DeleteLocalRef(env, class);
    }
    (*env)->DeleteLocalRef(env, factory);
    return 1;
}

static void read_beans(JNIEnv *env)
{
    int64_t values[BEANS];
    int i;
    for (i = 0; i < BEANS; i++) {
        values[i] = TRACE_NO_VALUE;
        if (found[i].bean)
            values[i] = getters[i].is_long ? (*env)->CallLongMethod(env, found[i].bean, found[i].method)
                                           : (*env)->CallIntMethod(env, found[i].bean, found[i].method);
        if (is_thrown(env))
            values[i] = TRACE_NO_VALUE;
    }
    if (trace_mask && (__atomic_load_n(trace_mask, __ATOMIC_RELAXED) & TRACE_JAVA))
        trace_set_variables(&variables, values);
}

static void JNICALL read_all(jvmtiEnv *vm, JNIEnv *env, void *data)
{
    int has_beans;
    (void)data;
    trace_hidden |= TRACE_JAVA;
    has_beans = find_beans(env);
    if (!has_beans)
        java_say("this JVM has not loaded java.management: beans= records nothing");
    (*vm)->RawMonitorEnter(vm, gate);
    is_ready = has_beans;
    has_none = !has_beans;
    (*vm)->RawMonitorNotifyAll(vm, gate);
    while (has_beans && !is_over) {
        read_beans(env);
        (*vm)->RawMonitorWait(vm, gate, (jlong)trace_get_page()->beans);
    }
    (*vm)->RawMonitorExit(vm, gate);
}

void java_begin_beans(JNIEnv *env)
{
    jclass class;
    jmethodID make;
    jstring name;
    jobject thread = NULL;
    if (!trace_get_page()->beans || reader)
        return;
    class = (*env)->FindClass(env, "java/lang/Thread");
    make = class ? (*env)->GetMethodID(env, class, "<init>", "(Ljava/lang/String;)V") : NULL;
    name = make ? (*env)->NewStringUTF(env, "beans of paje trace") : NULL;
    if (name)
        thread = (*env)->NewObject(env, class, make, name);
    if (!is_thrown(env) && thread)
        reader = (*env)->NewGlobalRef(env, thread);
    if (!reader || (*java_vm)->CreateRawMonitor(java_vm, "beans of paje trace", &gate) != JVMTI_ERROR_NONE ||
        (*java_vm)->RunAgentThread(java_vm, reader, read_all, NULL, JVMTI_THREAD_NORM_PRIORITY) != JVMTI_ERROR_NONE) {
        has_none = 1;
        java_say("this JVM lets the agent have no thread: beans= records nothing");
    }
    (*env)->DeleteLocalRef(env, thread);
    (*env)->DeleteLocalRef(env, name);
    (*env)->DeleteLocalRef(env, class);
}

/* The beans of a JVM that ends at once may not be found yet. */
void java_end_beans(JNIEnv *env)
{
    const uint32_t before = trace_hidden;
    if (!gate)
        return;
    (*java_vm)->RawMonitorEnter(java_vm, gate);
    trace_hidden = TRACE_HIDES_ALL;
    if (!is_ready && !has_none)
        (*java_vm)->RawMonitorWait(java_vm, gate, LONGEST);
    if (is_ready)
        read_beans(env);
    trace_hidden = before;
    is_over = 1;
    (*java_vm)->RawMonitorNotifyAll(java_vm, gate);
    (*java_vm)->RawMonitorExit(java_vm, gate);
}

int java_is_beans(JNIEnv *env, jthread thread)
{
    return reader && (*env)->IsSameObject(env, reader, thread);
}
