/* Traces OpenMP tasks: the Mandelbrot set, with a task for each block of lines.  usage: openmp FILE [BLOCKS] */
#define _POSIX_C_SOURCE 200809L
#define PAJEWRITE_IMPLEMENTATION
#include "pajewrite.h"

#include <fcntl.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { WIDTH = 256, LINES = 4, LIMIT = 500 };

static const pajewrite_type thread = {1}, activity = {2}, points = {3};
static const pajewrite_value region = {1}, creating = {2}, waiting = {3}, task = {4}; /* of activity */

/* The writer of one thread; no other thread uses it. */
typedef struct {
    pajewrite w;
    pajewrite_container container;
    char buffer[1 << 16];
} writer;

static writer *writers;

static writer *writer_of_thread(void) { return &writers[omp_get_thread_num()]; }

static int inside(double x, double y)
{
    double a = x, b = y;
    for (int i = 0; i < LIMIT; i++) {
        double next = a * a - b * b + x;
        b = 2 * a * b + y;
        a = next;
        if (a * a + b * b > 4)
            return 0;
    }
    return 1;
}

/* Tasks are tied (the default), so a task that waits resumes in the same thread, and the states of a thread nest. */
static void do_block(int block, int blocks)
{
    writer *me = writer_of_thread();
    PAJEWRITE_SCOPE(&me->w, me->container, activity, task);
    int count = 0;
    for (int line = block * LINES; line < (block + 1) * LINES; line++)
        for (int column = 0; column < WIDTH; column++)
            count += inside(-2.0 + 3.0 * column / WIDTH, -1.2 + 2.4 * line / (blocks * LINES));
    pajewrite_add_variable(&me->w, me->container, points, count);
}

static void begin(const pajewrite_config *config)
{
    writer *me = writer_of_thread();
    char name[32];
    pajewrite_init(&me->w, me->buffer, sizeof me->buffer, config);
    me->container = PAJEWRITE_CONTAINER(omp_get_thread_num() + 1);
    snprintf(name, sizeof name, "thread %d", omp_get_thread_num());
    pajewrite_create_container(&me->w, me->container, thread, PAJEWRITE_ROOT, name);
    pajewrite_set_variable(&me->w, me->container, points, 0);
}

static int end(void)
{
    writer *me = writer_of_thread();
    pajewrite_destroy_container(&me->w, me->container, thread);
    return pajewrite_finish(&me->w) != PAJEWRITE_OK;
}

int main(int argc, char **argv)
{
    static char buffer[4096];
    pajewrite_config config = PAJEWRITE_CONFIG;
    pajewrite_file file;
    pajewrite w;
    int blocks = argc > 2 ? atoi(argv[2]) : 64, failed = 0;

    writers = malloc((size_t)omp_get_max_threads() * sizeof *writers);
    if (argc < 2 || !writers) {
        fputs("usage: openmp FILE [BLOCKS]\n", stderr);
        return 2;
    }
    pajewrite_file_init(&file, open(argv[1], O_WRONLY | O_CREAT | O_TRUNC, 0644));
    config.sink = pajewrite_to_file;
    config.sink_data = &file;
    config.origin = pajewrite_monotonic(NULL);

    /* A writer of its own puts the definitions into the file before the threads start. */
    pajewrite_init(&w, buffer, sizeof buffer, &config);
    pajewrite_header(&w);
    pajewrite_define_container_type(&w, thread, PAJEWRITE_ROOT_TYPE, "Thread");
    pajewrite_define_state_type(&w, activity, thread, "Activity");
    pajewrite_define_value(&w, region, activity, "parallel region", "0.8 0.8 0.8");
    pajewrite_define_value(&w, creating, activity, "creating tasks", "0.9 0.7 0.1");
    pajewrite_define_value(&w, waiting, activity, "waiting for tasks", "0.8 0.2 0.2");
    pajewrite_define_value(&w, task, activity, "task", "0.2 0.7 0.3");
    pajewrite_define_variable_type(&w, points, thread, "Points in the set", NULL);
    failed += pajewrite_finish(&w) != PAJEWRITE_OK;

#pragma omp parallel reduction(+ : failed)
    {
        writer *me = writer_of_thread();
        begin(&config);
        pajewrite_push_state(&me->w, me->container, activity, region);
#pragma omp single nowait
        {
            {
                PAJEWRITE_SCOPE(&me->w, me->container, activity, creating);
                for (int block = 0; block < blocks; block++) {
#pragma omp task firstprivate(block)
                    do_block(block, blocks);
                }
            }
            {
                PAJEWRITE_SCOPE(&me->w, me->container, activity, waiting);
#pragma omp taskwait
            }
        }
#pragma omp barrier /* the other threads execute tasks while they wait here */
        pajewrite_pop_state(&me->w, me->container, activity);
        failed += end();
    }
    if (failed)
        fprintf(stderr, "openmp: %s could not be written\n", argv[1]);
    free(writers);
    close(file.descriptor);
    return failed != 0;
}
