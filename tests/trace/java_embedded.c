/* A program that creates a JVM itself, without the launcher of the JDK, and runs the main of a class in it.  When the
 * JVM has ended, a thread says so.
 * usage: java_embedded LIBJVM FOLDER CLASS ARGUMENT... */
#include <dlfcn.h>
#include <jni.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static void *end(void *data)
{
    puts("the JVM has ended");
    return data;
}

static int run(JNIEnv *env, int count, char **words)
{
    const jclass class = (*env)->FindClass(env, words[0]);
    const jmethodID method = class ? (*env)->GetStaticMethodID(env, class, "main", "([Ljava/lang/String;)V") : NULL;
    const jobjectArray texts = (*env)->NewObjectArray(env, count - 1, (*env)->FindClass(env, "java/lang/String"), NULL);
    int i;
    for (i = 1; i < count; i++)
        (*env)->SetObjectArrayElement(env, texts, i - 1, (*env)->NewStringUTF(env, words[i]));
    if (method)
        (*env)->CallStaticVoidMethod(env, class, method, texts);
    return method && !(*env)->ExceptionCheck(env) ? 0 : 4;
}

int main(int count, char **words)
{
    jint(JNICALL * create)(JavaVM **, void **, void *) = NULL;
    void *library = count > 3 ? dlopen(words[1], RTLD_NOW) : NULL;
    void *found = library ? dlsym(library, "JNI_CreateJavaVM") : NULL;
    char path[600], fast[] = "-XX:TieredStopAtLevel=1";
    JavaVMOption options[2] = {{path, NULL}, {fast, NULL}};
    JavaVMInitArgs arguments = {JNI_VERSION_1_8, 2, options, JNI_FALSE};
    JavaVM *vm;
    void *env;
    pthread_t last;
    int status;
    if (!found)
        return 2;
    memcpy(&create, &found, sizeof create);
    snprintf(path, sizeof path, "-Djava.class.path=%s", words[2]);
    if (create(&vm, &env, &arguments) != JNI_OK)
        return 3;
    status = run(env, count - 3, words + 3);
    (*vm)->DestroyJavaVM(vm);
    pthread_create(&last, NULL, end, NULL);
    pthread_join(last, NULL);
    return status;
}
