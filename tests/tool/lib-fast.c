/* Preloaded into the tool: its clock runs a thousand times as fast, so that work seems to take seconds. */
#define _GNU_SOURCE
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec *time)
{
    static int64_t start;
    const int64_t second = 1000000000;
    if (syscall(SYS_clock_gettime, clock, time) < 0)
        return -1;
    if (clock == CLOCK_MONOTONIC) {
        int64_t now = (int64_t)time->tv_sec * second + time->tv_nsec;
        start = start ? start : now;
        now = start + (now - start) * 1000;
        time->tv_sec = (time_t)(now / second);
        time->tv_nsec = (long)(now % second);
    }
    return 0;
}
