/* The agent: begins with the JVM, or is attached later (`jcmd PID JVMTI.agent_load`); chooses the events of the JVM. */
#include "java.h"

#include <link.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

jvmtiEnv *java_vm;
__thread java_thread java_self;
__thread int java_only;

void java_say(const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fprintf(stderr, "paje trace: %s\n", text);
}

/* ---- options: KEY=VALUE with blanks between them, as of `paje trace` */

static char methods[TRACE_METHODS];
static jint allocations;

static int read_option(const char *key, size_t size, const char *value)
{
    char *end;
    long bytes;
    if (size == 7 && memcmp(key, "methods", size) == 0) {
        const size_t length = strcspn(value, " ");
        if (length >= sizeof methods)
            return 0;
        memcpy(methods, value, length);
        methods[length] = '\0';
        return 1;
    }
    if (size != 11 || memcmp(key, "allocations", size) != 0)
        return 0;
    if (strncmp(value, "off", 3) == 0 && (!value[3] || value[3] == ' ')) {
        allocations = 0;
        return 1;
    }
    bytes = strtol(value, &end, 10);
    allocations = (jint)bytes;
    return bytes > 0 && bytes < 1L << 31 && (!*end || *end == ' ');
}

/* Returns 0 if one is wrong, which it has said then. */
static int read_options(const char *options)
{
    const trace_control *page = trace_get_page();
    const char *at = options ? options : "";
    memcpy(methods, page->methods, sizeof methods);
    allocations = (jint)page->allocations;
    while (*at) {
        const size_t size = strcspn(at, " "), key = strcspn(at, "= ");
        if (size && (at[key] != '=' || !read_option(at, key, at + key + 1))) {
            java_say("options of the agent:%d: `%.*s`: it has to be methods=GLOB,... or allocations=BYTES or off",
                     (int)(at - options) + 1, (int)size, at);
            return 0;
        }
        at += size + (at[size] == ' ');
    }
    return 1;
}

/* ---- the library of the JVM, whose threads are not recorded unless they run Java */

static int note_library(struct dl_phdr_info *about, size_t size, void *data)
{
    const uintptr_t inside = *(const uintptr_t *)data;
    uintptr_t start = UINTPTR_MAX, end = 0;
    size_t i;
    (void)size;
    for (i = 0; i < about->dlpi_phnum; i++)
        if (about->dlpi_phdr[i].p_type == PT_LOAD) {
            const uintptr_t from = about->dlpi_addr + about->dlpi_phdr[i].p_vaddr;
            start = from < start ? from : start;
            end = from + about->dlpi_phdr[i].p_memsz > end ? from + about->dlpi_phdr[i].p_memsz : end;
        }
    if (inside < start || inside >= end)
        return 0;
    trace_runtime_start = start;
    trace_runtime_end = end;
    return 1;
}

/* ---- what the JVM tells */

static int enable(jvmtiEvent event)
{
    return (*java_vm)->SetEventNotificationMode(java_vm, JVMTI_ENABLE, event, NULL) == JVMTI_ERROR_NONE;
}

/* Virtual threads are of Java 21, whose header this need not be compiled with: their capability is behind another one,
 * and their events are extensions. */
static void add_virtual_threads(const jvmtiCapabilities *there, jvmtiCapabilities *added)
{
    jvmtiCapabilities before;
    unsigned char bytes[sizeof before], those[sizeof before];
    size_t bit = 0;
    memset(&before, 0, sizeof before);
    before.can_generate_sampled_object_alloc_events = 1;
    memcpy(bytes, &before, sizeof bytes);
    memcpy(those, there, sizeof those);
    while (bit < 8 * sizeof bytes - 1 && !(bytes[bit / 8] >> bit % 8 & 1))
        bit++;
    bit++;
    memcpy(bytes, added, sizeof bytes);
    bytes[bit / 8] |= (unsigned char)(those[bit / 8] & 1 << bit % 8);
    memcpy(added, bytes, sizeof bytes);
}

static void enable_extension(const jvmtiExtensionEventInfo *event, jvmtiExtensionEvent callback)
{
    if ((*java_vm)->SetExtensionEventCallback(java_vm, event->extension_event_index, callback) == JVMTI_ERROR_NONE)
        enable((jvmtiEvent)event->extension_event_index);
}

static void enable_virtual_threads(void)
{
    jvmtiExtensionEventInfo *events = NULL;
    jint count = 0, i, k;
    if ((*java_vm)->GetExtensionEvents(java_vm, &count, &events) != JVMTI_ERROR_NONE)
        return;
    for (i = 0; i < count; i++) {
        if (strcmp(events[i].id, "com.sun.hotspot.events.VirtualThreadMount") == 0)
            enable_extension(&events[i], java_on_mount);
        else if (strcmp(events[i].id, "com.sun.hotspot.events.VirtualThreadUnmount") == 0)
            enable_extension(&events[i], java_on_unmount);
        (*java_vm)->Deallocate(java_vm, (unsigned char *)events[i].id);
        (*java_vm)->Deallocate(java_vm, (unsigned char *)events[i].short_description);
        for (k = 0; k < events[i].param_count; k++)
            (*java_vm)->Deallocate(java_vm, (unsigned char *)events[i].params[k].name);
        (*java_vm)->Deallocate(java_vm, (unsigned char *)events[i].params);
    }
    (*java_vm)->Deallocate(java_vm, (unsigned char *)events);
}

/* Adds as many of the capabilities that are wanted as there are, and says what is missing. */
static jvmtiCapabilities add_capabilities(int is_late)
{
    const int with_exceptions = !trace_get_page()->no_exceptions;
    jvmtiCapabilities there, added;
    memset(&added, 0, sizeof added);
    if ((*java_vm)->GetPotentialCapabilities(java_vm, &there) != JVMTI_ERROR_NONE)
        return added;
    added.can_generate_garbage_collection_events = there.can_generate_garbage_collection_events;
    added.can_generate_monitor_events = there.can_generate_monitor_events;
    added.can_generate_exception_events = with_exceptions ? there.can_generate_exception_events : 0;
    added.can_generate_sampled_object_alloc_events =
        allocations ? there.can_generate_sampled_object_alloc_events : 0;
    if (!is_late) { /* native methods are bound already otherwise */
        added.can_generate_native_method_bind_events = there.can_generate_native_method_bind_events;
        added.can_generate_early_vmstart = there.can_generate_early_vmstart;
    }
    if (*methods) {
        added.can_generate_all_class_hook_events = there.can_generate_all_class_hook_events;
        added.can_retransform_classes = there.can_retransform_classes;
        added.can_retransform_any_class = there.can_retransform_any_class;
    }
    add_virtual_threads(&there, &added);
    if ((*java_vm)->AddCapabilities(java_vm, &added) != JVMTI_ERROR_NONE)
        memset(&added, 0, sizeof added);
    if (!added.can_generate_monitor_events || (with_exceptions && !added.can_generate_exception_events) ||
        !added.can_generate_garbage_collection_events)
        java_say("this JVM does not tell%s of:%s%s%s", is_late ? ", as the agent is attached late," : "",
                 added.can_generate_monitor_events ? "" : " monitors",
                 added.can_generate_exception_events || !with_exceptions ? "" : " exceptions",
                 added.can_generate_garbage_collection_events ? "" : " collections");
    if (is_late)
        java_say("attached late: Thread.start, notify, park and sleep are not recorded");
    return added;
}

static void enable_all(const jvmtiCapabilities *can)
{
    static const jvmtiEvent always[] = {JVMTI_EVENT_THREAD_START, JVMTI_EVENT_THREAD_END, JVMTI_EVENT_CLASS_PREPARE};
    size_t i;
    for (i = 0; i < sizeof always / sizeof *always; i++)
        enable(always[i]);
    if (can->can_generate_monitor_events) {
        enable(JVMTI_EVENT_MONITOR_WAIT);
        enable(JVMTI_EVENT_MONITOR_WAITED);
        enable(JVMTI_EVENT_MONITOR_CONTENDED_ENTER);
        enable(JVMTI_EVENT_MONITOR_CONTENDED_ENTERED);
    }
    if (can->can_generate_exception_events) {
        enable(JVMTI_EVENT_EXCEPTION);
        enable(JVMTI_EVENT_EXCEPTION_CATCH);
    }
    if (can->can_generate_garbage_collection_events) {
        enable(JVMTI_EVENT_GARBAGE_COLLECTION_START);
        enable(JVMTI_EVENT_GARBAGE_COLLECTION_FINISH);
    }
    if (can->can_generate_native_method_bind_events)
        enable(JVMTI_EVENT_NATIVE_METHOD_BIND);
    if (can->can_generate_sampled_object_alloc_events &&
        (*java_vm)->SetHeapSamplingInterval(java_vm, allocations) == JVMTI_ERROR_NONE)
        enable(JVMTI_EVENT_SAMPLED_OBJECT_ALLOC);
    if (trace_get_page()->beans)
        enable(JVMTI_EVENT_VM_DEATH);
    enable_virtual_threads();
    if (*methods) {
        java_choose_methods(methods);
        enable(JVMTI_EVENT_CLASS_FILE_LOAD_HOOK);
    }
}

/* Begins to record.  Returns what the JVM takes as success or failure. */
static jint begin(JavaVM *vm, const char *options, int is_late)
{
    jvmtiCapabilities can;
    uintptr_t inside;
    if (!trace_get_page()) {
        java_say("this JVM does not run under `paje trace`: nothing is recorded");
        return is_late ? JNI_ERR : JNI_OK;
    }
    if (java_vm) {
        java_say("this JVM is recorded already");
        return is_late ? JNI_ERR : JNI_OK;
    }
    if (!read_options(options))
        return JNI_ERR;
    if ((*vm)->GetEnv(vm, (void **)&java_vm, JVMTI_VERSION_11) != JNI_OK) {
        java_say("this JVM has no JVMTI 11, which Java 11 has: nothing of Java is recorded");
        java_vm = NULL;
        return is_late ? JNI_ERR : JNI_OK;
    }
    memcpy(&inside, &(*vm)->GetEnv, sizeof inside);
    if (!trace_get_page()->shows_jvm)
        dl_iterate_phdr(note_library, &inside);
    java_find_natives((const void *)inside);
    can = add_capabilities(is_late);
    (*java_vm)->SetEventCallbacks(java_vm, &java_callbacks, sizeof java_callbacks);
    enable_all(&can);
    if (!is_late)
        enable(JVMTI_EVENT_VM_INIT);
    return JNI_OK;
}

TRACE_EXPORT JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    (void)reserved;
    return begin(vm, options, 0);
}

TRACE_EXPORT JNIEXPORT jint JNICALL Agent_OnAttach(JavaVM *vm, char *options, void *reserved)
{
    JNIEnv *env;
    (void)reserved;
    if (begin(vm, options, 1) != JNI_OK)
        return JNI_ERR;
    if ((*vm)->GetEnv(vm, (void **)&env, JNI_VERSION_1_6) != JNI_OK)
        return JNI_OK;
    if (*methods) {
        java_define_probe(env);
        java_change_loaded(env);
    }
    java_begin_beans(env);
    return JNI_OK;
}
