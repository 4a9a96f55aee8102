/* The calls of paje/Paje.java: the JVM finds them by their names, in the library of the agent. */
#include "java.h"

#include <stdio.h>
#include <string.h>

/* Functions of the core, as pajetrace.h calls them. */
extern unsigned pajetrace_lib_begin(const char *name);
extern void pajetrace_lib_end(unsigned state);
extern void pajetrace_lib_mark(const char *name);
extern void pajetrace_lib_set(const char *name, double value);

enum { TEXT_SIZE = 256 };

/* Copies a text, as much of it as there is room for, without what a name cannot have.  Returns 0 for null. */
static int copy_text(JNIEnv *env, jstring from, char *text)
{
    const char *bytes = from ? (*env)->GetStringUTFChars(env, from, NULL) : NULL;
    if (!bytes)
        return 0;
    snprintf(text, TEXT_SIZE, "%s", bytes);
    (*env)->ReleaseStringUTFChars(env, from, bytes);
    for (; *text; text++)
        if (*text == '"' || (unsigned char)*text < ' ')
            *text = '_';
    return 1;
}

#define CALL(type, name) TRACE_EXPORT JNIEXPORT type JNICALL Java_paje_Paje_##name

CALL(jboolean, recorded)(JNIEnv *env, jclass class)
{
    (void)env;
    (void)class;
    return trace_get_page() ? JNI_TRUE : JNI_FALSE;
}

CALL(jint, beginState)(JNIEnv *env, jclass class, jstring name)
{
    char text[TEXT_SIZE];
    (void)class;
    java_end_exception();
    return trace_is_on(TRACE_USER) && copy_text(env, name, text) ? (jint)pajetrace_lib_begin(text) : 0;
}

CALL(void, endState)(JNIEnv *env, jclass class, jint state)
{
    (void)env;
    (void)class;
    java_end_exception();
    pajetrace_lib_end((unsigned)state);
}

CALL(void, addMark)(JNIEnv *env, jclass class, jstring name)
{
    char text[TEXT_SIZE];
    (void)class;
    if (trace_is_on(TRACE_USER) && copy_text(env, name, text))
        pajetrace_lib_mark(text);
}

CALL(void, setNumber)(JNIEnv *env, jclass class, jstring name, jdouble value)
{
    char text[TEXT_SIZE];
    (void)class;
    if (trace_is_on(TRACE_USER) && copy_text(env, name, text))
        pajetrace_lib_set(text, value);
}

CALL(void, setEvent)(JNIEnv *env, jclass class, jint type, jlong value)
{
    char text[32];
    (void)env;
    (void)class;
    if (!trace_is_on(TRACE_USER))
        return;
    snprintf(text, sizeof text, "event %ld", (long)type);
    pajetrace_lib_set(text, (double)value);
}

/* Ids of Java are no keys of other layers. */
static int make_key(JNIEnv *env, jstring id, char *key)
{
    memcpy(key, "java.", 5);
    return trace_is_on(TRACE_USER) && copy_text(env, id, key + 5);
}

/* Both ends are now: no state has to stand for the call. */
CALL(void, send)(JNIEnv *env, jclass class, jstring id, jlong bytes)
{
    char key[TEXT_SIZE + 5];
    const trace_origin now = trace_get_origin();
    (void)class;
    if (now.container && make_key(env, id, key))
        trace_start_message(key, &now, bytes);
}

CALL(void, receive)(JNIEnv *env, jclass class, jstring id, jlong bytes)
{
    char key[TEXT_SIZE + 5];
    const trace_origin now = trace_get_origin();
    (void)class;
    if (now.container && make_key(env, id, key))
        trace_end_message(key, &now, bytes);
}
