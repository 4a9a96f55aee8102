/* What the JVM tells of threads, monitors, exceptions, collections, classes and allocations. */
#include "java.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static trace_defined state_wait = {"Object.wait", "0.92 0.45 0.40", 0};
static trace_defined state_monitor = {"monitor", "0.85 0.15 0.15", 0};
static trace_defined state_exception = {"exception", "0.90 0.10 0.60", 0};
static trace_defined state_virtual = {"virtual thread", "0.60 0.80 0.95", 0};
static trace_defined event_exception = {"exception", "0.90 0.10 0.60", 0};
static trace_defined event_uncaught = {"exception that no Java catches", "0.60 0.00 0.30", 0};
static trace_defined event_class = {"class loaded", "0.55 0.65 0.80", 0};
static trace_defined event_allocation = {"allocation", "0.90 0.60 0.20", 0};

/* ---- states that are open from one callback to another */

trace_scope java_begin(trace_defined *state)
{
    java_end_exception();
    return trace_is_on(TRACE_JAVA) ? trace_begin_defined(state, (const void *)UINTPTR_MAX) : (trace_scope){NULL, 0};
}

void java_end(trace_scope *scope)
{
    java_end_exception();
    trace_end(scope);
    scope->thread = NULL;
}

void java_end_exception(void)
{
    trace_scope *scope = &java_self.exception;
    if (scope->thread) {
        trace_end_open(scope);
        scope->thread = NULL;
    }
}

/* Returns the name of a primitive type, by its letter in signatures; NULL: it is a class. */
static const char *name_of_primitive(char letter)
{
    switch (letter) {
    case 'Z': return "boolean";
    case 'B': return "byte";
    case 'C': return "char";
    case 'S': return "short";
    case 'I': return "int";
    case 'J': return "long";
    case 'F': return "float";
    case 'D': return "double";
    default: return NULL;
    }
}

void java_class_name(jclass class, char *name, size_t size)
{
    char *signature = NULL, *at;
    const char *primitive;
    size_t arrays, length;
    *name = '\0';
    if (!class || (*java_vm)->GetClassSignature(java_vm, class, &signature, NULL) != JVMTI_ERROR_NONE)
        return;
    arrays = strspn(signature, "[");
    primitive = name_of_primitive(signature[arrays]);
    snprintf(name, size, "%s", primitive ? primitive : signature + arrays + (signature[arrays] == 'L'));
    for (at = name; *at; at++)
        *at = *at == '/' ? '.' : *at == '"' || (unsigned char)*at < ' ' ? '_' : *at;
    if (!primitive && at > name && at[-1] == ';')
        *--at = '\0';
    for (length = (size_t)(at - name); arrays && length + 3 <= size; arrays--, length += 2)
        memcpy(name + length, "[]", 3);
    (*java_vm)->Deallocate(java_vm, (unsigned char *)signature);
}

/* ---- threads */

static void forget_thread(void)
{
    java_end_wait(1);
    free(java_self.methods);
    memset(&java_self, 0, sizeof java_self);
}

static void JNICALL on_thread_start(jvmtiEnv *vm, JNIEnv *env, jthread thread)
{
    jvmtiThreadInfo info;
    jvmtiPhase phase;
    char name[512], *at;
    if ((*vm)->GetPhase(vm, &phase) != JVMTI_ERROR_NONE || phase != JVMTI_PHASE_LIVE || java_is_beans(env, thread))
        return; /* a thread of the JVM itself, or of the agent */
    memset(&info, 0, sizeof info);
    forget_thread();
    if ((*vm)->GetThreadInfo(vm, thread, &info) != JVMTI_ERROR_NONE)
        return;
    snprintf(name, sizeof name, "%s", info.name);
    for (at = name; *at; at++)
        *at = *at == '"' || (unsigned char)*at < ' ' ? '_' : *at;
    java_only |= trace_hidden == TRACE_HIDES_ALL;
    if (trace_hidden == TRACE_HIDES_ALL)
        trace_begin_hidden_thread(*name ? name : "no name");
    else if (strcmp(name, "main") != 0 && strcmp(name, "DestroyJavaVM") != 0)
        trace_name_thread_as(name);
    (*vm)->Deallocate(vm, (unsigned char *)info.name);
    (*env)->DeleteLocalRef(env, info.thread_group);
    (*env)->DeleteLocalRef(env, info.context_class_loader);
}

/* A thread may leave the JVM and go on, as another thread of Java later: the one that has run main destroys the JVM. */
static void JNICALL on_thread_end(jvmtiEnv *vm, JNIEnv *env, jthread thread)
{
    (void)vm;
    (void)env;
    (void)thread;
    forget_thread();
    if (java_only) {
        trace_leave_thread();
        trace_hidden = TRACE_HIDES_ALL;
    }
}

/* A virtual thread may go on in another thread, its carrier, than it began in.  So a carrier has a state for it, with
 * which all ends that the virtual thread has begun there. */
void JNICALL java_on_mount(jvmtiEnv *vm, ...)
{
    (void)vm;
    java_self.carries = 1;
    java_self.own_depth = java_self.depth;
    java_self.mounted = java_begin(&state_virtual);
}

void JNICALL java_on_unmount(jvmtiEnv *vm, ...)
{
    const trace_scope nothing = {NULL, 0};
    (void)vm;
    java_end(&java_self.mounted);
    java_self.wait = java_self.monitor = nothing;
    if (java_self.carries)
        java_self.depth = java_self.own_depth;
    java_self.carries = 0;
}

/* ---- monitors */

/* Where the object is not locked, or the time is negative, the call throws at once, and the JVM tells of no end. */
static void JNICALL on_wait(jvmtiEnv *vm, JNIEnv *env, jthread thread, jobject object, jlong milliseconds)
{
    (void)vm;
    (void)thread;
    if (milliseconds < 0 || !java_holds(env, object))
        return;
    java_self.wait = java_begin(&state_wait);
    if (java_self.wait.thread && !java_self.carries)
        java_begin_wait(object);
}

static void JNICALL on_waited(jvmtiEnv *vm, JNIEnv *env, jthread thread, jobject object, jboolean is_timed_out)
{
    (void)vm;
    (void)env;
    (void)thread;
    (void)object;
    java_end(&java_self.wait);
    java_end_wait(is_timed_out);
}

static void JNICALL on_contended(jvmtiEnv *vm, JNIEnv *env, jthread thread, jobject object)
{
    (void)vm;
    (void)env;
    (void)thread;
    (void)object;
    java_self.monitor = java_begin(&state_monitor);
}

static void JNICALL on_entered(jvmtiEnv *vm, JNIEnv *env, jthread thread, jobject object)
{
    (void)vm;
    (void)env;
    (void)thread;
    (void)object;
    java_end(&java_self.monitor);
}

/* ---- exceptions: a state from where one is thrown to where it is caught */

static void JNICALL on_exception(jvmtiEnv *vm, JNIEnv *env, jthread thread, jmethodID method, jlocation at,
                                 jobject exception, jmethodID catcher, jlocation caught_at)
{
    const int is_again = java_self.throws_again;
    char name[256];
    jclass class;
    (void)vm;
    (void)thread;
    (void)method;
    (void)at;
    (void)caught_at;
    java_self.throws_again = 0;
    if (!trace_is_on(TRACE_JAVA))
        return;
    java_end_exception();
    if (!is_again || !catcher) {
        class = (*env)->GetObjectClass(env, exception);
        java_class_name(class, name, sizeof name);
        (*env)->DeleteLocalRef(env, class);
        trace_note(catcher ? &event_exception : &event_uncaught, name, -1);
    }
    if (catcher)
        java_self.exception = java_begin(&state_exception);
}

static void JNICALL on_catch(jvmtiEnv *vm, JNIEnv *env, jthread thread, jmethodID method, jlocation at,
                             jobject exception)
{
    (void)vm;
    (void)env;
    (void)thread;
    (void)method;
    (void)at;
    (void)exception;
    java_end_exception();
}

/* ---- collections, in a container of their own: nothing of JVMTI or JNI may be called here */

static trace_lane collector = {"Collector", "garbage collector", "Collection", "collection of garbage",
                               "0.55 0.35 0.20", NULL, 0, 0};

static void JNICALL on_collection(jvmtiEnv *vm)
{
    (void)vm;
    if (trace_mask && (__atomic_load_n(trace_mask, __ATOMIC_RELAXED) & TRACE_JAVA))
        trace_begin_lane(&collector);
}

static void JNICALL on_collected(jvmtiEnv *vm)
{
    (void)vm;
    trace_end_lane(&collector);
}

/* ---- classes and allocations */

static void JNICALL on_class(jvmtiEnv *vm, JNIEnv *env, jthread thread, jclass class)
{
    char name[256];
    (void)vm;
    (void)env;
    (void)thread;
    if (!trace_is_on(TRACE_JAVA))
        return;
    java_class_name(class, name, sizeof name);
    trace_note(&event_class, name, -1);
}

static void JNICALL on_allocation(jvmtiEnv *vm, JNIEnv *env, jthread thread, jobject object, jclass class, jlong size)
{
    char name[256];
    (void)vm;
    (void)env;
    (void)thread;
    (void)object;
    if (!trace_is_on(TRACE_JAVA))
        return;
    java_class_name(class, name, sizeof name);
    trace_note(&event_allocation, name, size);
}

static void JNICALL on_begin(jvmtiEnv *vm, JNIEnv *env, jthread thread)
{
    (void)vm;
    (void)thread;
    java_define_probe(env);
    java_change_loaded(env);
    java_begin_beans(env);
}

static void JNICALL on_death(jvmtiEnv *vm, JNIEnv *env)
{
    (void)vm;
    java_end_beans(env);
}

const jvmtiEventCallbacks java_callbacks = {
    .VMInit = on_begin,
    .VMDeath = on_death,
    .ThreadStart = on_thread_start,
    .ThreadEnd = on_thread_end,
    .MonitorWait = on_wait,
    .MonitorWaited = on_waited,
    .MonitorContendedEnter = on_contended,
    .MonitorContendedEntered = on_entered,
    .Exception = on_exception,
    .ExceptionCatch = on_catch,
    .GarbageCollectionStart = on_collection,
    .GarbageCollectionFinish = on_collected,
    .ClassPrepare = on_class,
    .SampledObjectAlloc = on_allocation,
    .NativeMethodBind = java_on_bind,
    .ClassFileLoadHook = java_on_class_file,
};
