/* The layer of Java: an agent that the JVM loads, by the interface JVMTI.  Its parts share this. */
#pragma once

#include "trace/trace.h"

#include <jni.h>
#include <jvmti.h>

extern jvmtiEnv *java_vm; /* the interface; NULL: there is no JVM yet */

enum { JAVA_DEPTH = 1024 };
typedef struct java_method {
    int number;
    trace_scope scope;
} java_method;

/* What of a thread is open.  Scopes of what one callback begins and another one ends. */
typedef struct java_thread {
    trace_scope wait, monitor, exception, mounted;
    struct java_waiter *waiter; /* it waits for an object */
    int carries;                /* 1: a virtual thread is mounted on it */
    int throws_again;           /* 1: what is thrown next was thrown before: a method that is recorded has caught it */
    uint32_t own_depth;         /* of methods of the thread itself, while it carries one */
    uint32_t depth;             /* of methods; those from JAVA_DEPTH on are not recorded */
    java_method *methods;       /* JAVA_DEPTH; NULL: it has called none */
} java_thread;
extern __thread java_thread java_self;
/* 1: the calling thread is recorded only while it is a thread of Java; not so one of a program that has attached it. */
extern __thread int java_only;

/* Begins a state that another callback ends, or nothing if Java is not recorded. */
trace_scope java_begin(trace_defined *state);
/* Ends a state; an exception that is open ends with it. */
void java_end(trace_scope *scope);
/* Ends an exception that nothing has caught, as the thread does something else. */
void java_end_exception(void);

/* A message on standard error, which begins with "paje trace: ". */
void java_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* ---- events.c */

extern const jvmtiEventCallbacks java_callbacks;
/* A virtual thread goes on in the calling thread, and leaves it: extensions of JVMTI. */
void JNICALL java_on_mount(jvmtiEnv *vm, ...);
void JNICALL java_on_unmount(jvmtiEnv *vm, ...);
/* Copies the name of a class, as in the source (`byte[]`). */
void java_class_name(jclass class, char *name, size_t size);

/* ---- beans.c: what the JVM counts of itself */

/* Begins to read that, as often as the page has it, in a thread of the agent; once the JVM can. */
void java_begin_beans(JNIEnv *env);
/* Reads it for the last time. */
void java_end_beans(JNIEnv *env);
/* Whether this is the thread that reads it, which is none of the program. */
int java_is_beans(JNIEnv *env, jthread thread);

/* ---- natives.c: native methods of the JDK that are wrapped */

/* Looks up what is known by a symbol of the JVM.  `inside`: any address in its library. */
void java_find_natives(const void *inside);
/* Whether the calling thread has locked an object; 1 also where the JVM cannot be asked. */
int java_holds(JNIEnv *env, jobject object);
void JNICALL java_on_bind(jvmtiEnv *vm, JNIEnv *env, jthread thread, jmethodID method, void *address, void **use);

/* ---- waiters.c: which thread has notified which */

/* The calling thread is about to wait for an object, which it has locked; and has waited, if it has begun to. */
void java_begin_wait(jobject object);
void java_end_wait(int is_timed_out);
/* The calling thread has notified one or all threads that wait for an object, which it has locked. */
void java_notified(JNIEnv *env, jobject object, int are_all);

/* ---- methods.c: methods that are recorded, by changed classes */

/* Notes the list of methods, for which classes are changed from then on. */
void java_choose_methods(const char *list);
/* Changes classes that are loaded already. */
void java_change_loaded(JNIEnv *env);
/* Defines the class that changed ones call; once the JVM can. */
void java_define_probe(JNIEnv *env);
void JNICALL java_on_class_file(jvmtiEnv *vm, JNIEnv *env, jclass redefined, jobject loader, const char *name,
                                jobject domain, jint size, const unsigned char *bytes, jint *new_size,
                                unsigned char **new_bytes);
