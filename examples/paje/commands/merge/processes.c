/* The last pass by several processes. */
#include "merge.h"

#include "base/process.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

static int work(merge *m, const paje_settings *settings, paje_ring ring, size_t own, size_t processes)
{
    if (own > 0 && paje_begin_progress("", 0, 1).is_shown) /* the first one shows it */
        stream_share_progress();
    merge_enter_mixed(m, own);
    merge_enter_share(m, paje_enter_ring(ring, own, processes), own, processes);
    return merge_run_pass(m, settings);
}

int merge_share_pass(merge *m, const paje_settings *settings, uint64_t most)
{
    size_t count = merge_cut(m), processes = most < count ? (size_t)most : count;
    processes = process_fitting(processes, 2); /* each has two ends of a pipe */
    merge_begin_mixed(m, processes);
    if (processes < 2)
        return merge_run_pass(m, settings);
    pid_t *workers = memory_alloc(processes, sizeof *workers);
    stream_flush();
    paje_ring ring = paje_open_ring(processes);
    for (size_t i = 0; i < processes; i++) {
        if ((workers[i] = fork()) < 0)
            stream_fail("no process to merge: %s", strerror(errno));
        if (workers[i] == 0)
            _exit(work(m, settings, ring, i, processes));
    }
    paje_leave_ring(ring, processes);
    int status = paje_wait_for_workers(workers, processes);
    free(workers);
    return status;
}
