/* Progress: a line on standard error. */
#include "replay/progress.h"
#include "base/clock.h"
#include "base/stream.h"

#include <sys/stat.h>
#include <unistd.h>

#define WAIT_SECONDS 1.0
#define BETWEEN_SECONDS 0.25

static int is_pipe(int file)
{
    struct stat status;
    return fstat(file, &status) == 0 && (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode));
}

paje_progress paje_begin_progress(const char *what, uint64_t first, uint64_t total)
{
    paje_progress it = {0, what, 0, 0, first, total};
    it.is_shown = isatty(STDERR_FILENO) && !is_pipe(STDOUT_FILENO);
    if (it.is_shown)
        it.began = clock_seconds();
    return it;
}

void paje_show_progress(paje_progress *it, uint64_t done)
{
    const double most_seconds = 100; /* minutes above it */
    if (!it->is_shown)
        return;
    double now = clock_seconds();
    if (now - it->began < WAIT_SECONDS || now - it->last < BETWEEN_SECONDS)
        return;
    it->last = now;
    double megabytes = 1e-6 * (double)(done - it->first), speed = megabytes / (now - it->began);
    if (done <= it->total && speed > 0) {
        double left = 1e-6 * (double)(it->total - done) / speed;
        double share = 100 * (double)(done - it->first) / (double)(it->total - it->first);
        stream_progress("%s%3.0f %%  %.0f MB  %.0f MB/s  %.0f %s left", it->what, share, megabytes, speed,
                        left < most_seconds ? left : left / 60, left < most_seconds ? "s" : "min");
    } else {
        stream_progress("%s%.0f MB  %.0f MB/s", it->what, megabytes, speed);
    }
}
