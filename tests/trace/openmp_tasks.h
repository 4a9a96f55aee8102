/* Tasks whose data the library reads or writes, too, or copies by a function of the program; for openmp_program.c. */
#pragma once

static void detach(void)
{
    omp_event_handle_t event = (omp_event_handle_t)0;
    int is_fulfilled = 0;
    COUNT(task);
#pragma omp task detach(event) shared(is_fulfilled)
    {
#pragma omp atomic write
        is_fulfilled = 1;
        omp_fulfill_event(event);
    }
    COUNT(taskwait);
#pragma omp taskwait
    if (!is_fulfilled)
        exit(9);
}

static void reduce(void)
{
    long sum = 0, product = 1;
#pragma omp taskloop num_tasks(4) reduction(+ : sum)
    for (long i = 0; i < 100; i++)
        sum += i;
    counts[kind_task] += 4;
    COUNT(taskgroup);
#pragma omp taskgroup task_reduction(* : product)
    for (int i = 1; i <= 5; i++) {
#pragma omp task in_reduction(* : product)
        {
            COUNT(task);
            product *= i;
        }
    }
    if (sum != 4950 || product != 120)
        exit(9);
}

#ifdef __clang__ /* has no tasks with data of variable size */
#define LENGTH(size) 1000
#else
#define LENGTH(size) (size)
#endif
static void copy(int size)
{
    char text[LENGTH(size)];
    _Alignas(64) char aligned[64];
    memset(text, 'x', (size_t)size);
    memset(aligned, 'y', sizeof aligned);
    for (int i = 0; i < 10; i++) {
        text[0] = (char)i;
#pragma omp task firstprivate(text, aligned) if (i % 3)
        {
            COUNT(task);
            if (text[0] != i || text[size - 1] != 'x' || aligned[63] != 'y' || (uintptr_t)aligned % 64)
                exit(9);
            text[size - 1] = 'z';
        }
    }
    COUNT(taskwait);
#pragma omp taskwait
    for (unsigned long long k = 0; k < 1; k++) {
        long sum = 0;
#pragma omp taskloop firstprivate(text) num_tasks(3) shared(sum)
        for (unsigned long long i = 0; i < 3; i++) {
            COUNT(task);
#pragma omp atomic
            sum += text[size - 1];
        }
        if (sum != 3 * 'x')
            exit(9);
    }
}
