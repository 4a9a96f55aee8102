#include "java.h"
int java_choose_methods(const char *list) { (void)list; return 0; }
void java_change_loaded(JNIEnv *env) { (void)env; }
void java_define_probe(JNIEnv *env) { (void)env; }
void JNICALL java_on_class_file(jvmtiEnv *vm, JNIEnv *env, jclass redefined, jobject loader, const char *name,
                                jobject domain, jint size, const unsigned char *bytes, jint *new_size,
                                unsigned char **new_bytes)
{ (void)vm; (void)env;(void)redefined;(void)loader;(void)name;(void)domain;(void)size;(void)bytes;(void)new_size;(void)new_bytes;}
