/* A program whose functions are traced, and libraries (-DLIBRARY=FUNCTION) that it loads in turn.
 * usage: functions LIBRARY OTHER TURNS */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef LIBRARY
int LIBRARY(int n);
int LIBRARY(int n)
{
    return n * 2;
}
#else
static jmp_buf back;

static int fibonacci(int n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

static void jump(int n)
{
    if (n == 0)
        longjmp(back, 1);
    jump(n - 1);
    puts("unreached");
}

static void jumps(int times)
{
    volatile int i;
    for (i = 0; i < times; i++)
        if (!setjmp(back))
            jump(5);
}

static int descend(int n)
{
    return n ? 1 + descend(n - 1) : 0;
}

static void *in_thread(void *data)
{
    return fibonacci(10) == 55 ? data : NULL;
}

static int loads(const char *path, const char *name, int times)
{
    int sum = 0, i;
    for (i = 0; i < times; i++) {
        void *library = dlopen(path, RTLD_NOW);
        int (*function)(int);
        *(void **)&function = library ? dlsym(library, name) : NULL;
        if (!function)
            exit(9);
        sum += function(i);
        dlclose(library);
    }
    return sum;
}

static int return_it(int n)
{
    return n;
}

/* A call keeps errno, also where the file of its function cannot be opened to look for its name. */
static int keeps_errno(void)
{
    struct rlimit before, none;
    int error;
    getrlimit(RLIMIT_NOFILE, &before);
    none = before;
    none.rlim_cur = 3;
    setrlimit(RLIMIT_NOFILE, &none);
    errno = 0;
    error = return_it(1) == 1 ? errno : -1;
    setrlimit(RLIMIT_NOFILE, &before);
    return error == 0;
}

int main(int argc, char **argv)
{
    pthread_t threads[4];
    int i;
    if (argc != 4)
        return 2;
    if (!keeps_errno())
        return 3;
    jumps(100);
    for (i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, in_thread, argv);
    for (i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    for (i = 0; i < atoi(argv[3]); i++)
        printf("%d ", loads(argv[1], "in_library", 10) + loads(argv[2], "in_other", 9));
    printf("%d %d\n", fibonacci(12), descend(5000));
    fflush(stdout);
    if (fork() == 0)
        return fibonacci(5) - 5;
    wait(NULL);
    return 0;
}
#endif
