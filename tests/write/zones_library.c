/* A library that traces by zones, for tests/write/zones.sh: loaded twice under two names, and unloaded; or, with MAIN,
 * the program that does so.  With SIGNAL, it handles signals, and raises that one.  With small user fields, it writes
 * one that is too long for them, but not for those of other libraries. */
#define _GNU_SOURCE
#define PAJEWRITE_ZONES 1
#ifndef MAIN
#define PAJEWRITE_IMPLEMENTATION
#include "pajewrite.h"
#include <stdlib.h>
#include <string.h>
PAJEWRITE_MAIN(TRACE);
void *library(void *rounds);
void *library(void *rounds)
{
    long i;
    PAJEWRITE_ZONE(NAME);
    PAJEWRITE_ZONE("of both");
    for (i = 0; i < *(long *)rounds; i++) {
        PAJEWRITE_ZONE("round");
        PAJEWRITE_PLOT_SHARED("plot of both", i);
    }
#if PAJEWRITE_KINDS & PAJEWRITE_FILES /* which the header of a trace does not define by default */
    pajewrite_trace_file(pajewrite_here(), pajewrite_here_container(), PAJEWRITE_TYPE(2), "other.trace");
#endif
#if PAJEWRITE_FIELDS_SIZE < 100
    {
        struct {
            pajewrite_fields fields;
            char behind[400];
        } text;
        char longer[101] = "";
        memset(longer, 'x', 100);
        memset(&text, 0, sizeof text);
        text.fields =
            pajewrite_fields_of(pajewrite_define_variant(pajewrite_here(), PAJEWRITE_POP_STATE, "Text string"));
        pajewrite_field_string(&text.fields, longer);
        for (i = 0; i < 400; i++)
            if (text.behind[i])
                abort();
    }
#endif
#ifdef SIGNAL
    pajewrite_flush_at_signals();
    raise(SIGNAL);
#endif
    return NULL;
}
#else
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#if MAIN == 2
#define PAJEWRITE_IMPLEMENTATION
#include "pajewrite.h"
PAJEWRITE_MAIN("zones.%p.trace");
#else
#define PAJEWRITE_ZONE(name) (void)name
#endif

static void *call(const char *path, long *rounds, pthread_t *thread)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    void *(*function)(void *) = NULL;
    if (library)
        *(void **)&function = dlsym(library, "library");
    if (!function || pthread_create(thread, NULL, function, rounds)) {
        puts(dlerror());
        return NULL;
    }
    function(rounds);
    return library;
}

int main(int argc, char **argv)
{
    static long rounds = 1000;
    pthread_t one, two;
    int i;
    PAJEWRITE_ZONE("main");
    for (i = 0; i < 10 && argc > 2; i++) {
        void *a = call(argv[1], &rounds, &one), *b = call(argv[2], &rounds, &two);
        if (!a || !b)
            return 1;
        pthread_join(one, NULL);
        pthread_join(two, NULL);
        dlclose(i % 2 ? a : b);
        dlclose(i % 2 ? b : a);
    }
    return 0;
}
#endif
