/* Categories that are switched while the program works; for openmp_program.c. */
#pragma once

static trace_control *map_page(void)
{
    char path[600];
    int file;
    snprintf(path, sizeof path, "%s/" TRACE_CONTROL, getenv(TRACE_RUN));
    file = open(path, O_RDWR);
    return (trace_control *)mmap(NULL, sizeof(trace_control), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
}

static volatile int is_over;

static void *switch_often(void *data)
{
    trace_control *page = map_page();
    (void)data;
    for (int i = 0; i < number; i++) {
        __atomic_xor_fetch(&page->mask, i % 2 ? TRACE_OMP : TRACE_OMP | TRACE_TASK_LINKS, __ATOMIC_RELAXED);
        usleep(900);
    }
    is_over = 1;
    return NULL;
}

static void switches(void)
{
    pthread_t thread;
    puts("switches");
    if (!getenv(TRACE_RUN))
        return;
    pthread_create(&thread, NULL, switch_often, NULL);
    while (!is_over) {
        seen_count = 0;
        share();
        share_tasks();
        nest();
    }
    pthread_join(thread, NULL);
}

/* Switches OpenMP off, or on again. */
static void switch_once(void)
{
    static trace_control *page;
    if (!page)
        page = map_page();
    __atomic_xor_fetch(&page->mask, TRACE_OMP, __ATOMIC_RELAXED);
}

/* The same in a region of two threads, which meet here without OpenMP. */
static void meet_and_switch(void)
{
    static int met, turns;
    const int turn = __atomic_load_n(&turns, __ATOMIC_ACQUIRE);
    if (__atomic_add_fetch(&met, 1, __ATOMIC_ACQ_REL) % 2 == 0) {
        switch_once();
        __atomic_add_fetch(&turns, 1, __ATOMIC_RELEASE);
    }
    while (__atomic_load_n(&turns, __ATOMIC_ACQUIRE) == turn)
        sched_yield();
}

static void do_little(void)
{
#pragma omp critical(named)
    work(10);
#pragma omp task
    work(10);
#pragma omp taskwait
}

static void count_little(void)
{
    COUNT(critical), COUNT(task), COUNT(taskwait);
    do_little();
}

/* What begins while OpenMP is switched off is not in the trace; what has begun before ends at its time. */
static void switches_once(void)
{
    long kept[KIND_COUNT];
    run_regions(NULL);
    switch_once();
    memcpy(kept, counts, sizeof kept);
    do_all();
    memcpy(counts, kept, sizeof kept);
    switch_once();
    run_regions(NULL);

    COUNT(parallel);
#pragma omp parallel num_threads(2)
    {
        COUNT(implicit_task);
        count_little();
        meet_and_switch(); /* off */
        do_little();
        meet_and_switch();
        count_little();
        meet_and_switch(); /* off, also at the end */
    }
#pragma omp parallel num_threads(2)
    {
        do_little();
        meet_and_switch(); /* on in a region whose begin was not recorded */
        count_little();
        COUNT(barrier);
#pragma omp barrier
        meet_and_switch();
    }
    switch_once();
    run_regions(NULL);
    print_counts();
}
