/* The catalogue of metrics. */
#include "metrics.h"

#include <string.h>

/* Times are nanoseconds, and are written in milliseconds. */
#define TIME 6, "ms"
#define COUNT 0, "1"
#define BYTES 0, "B"

const metric_info metrics[METRICS] = {
    {"WC_TIME", METRIC_CLOCK, TIME, "", "wallclock time", 0},
    {"CPU_TIME", METRIC_CPU, TIME, "", "CPU time of the thread", 0},
    {"LOADED_CL_TOTAL", METRIC_EVENT_COUNT, COUNT, "class loaded", "classes loaded since main", 1},
    {"LOADED_CL_CURR", METRIC_VARIABLE, COUNT, "Classes", "classes that are loaded", 1},
    {"UNLOADED_CL", METRIC_VARIABLE, COUNT, "Classes unloaded", "classes unloaded", 1},
    {"COMP_TIME", METRIC_VARIABLE, TIME, "Compilation ms", "time of just-in-time compilation", 1},
    {"GC_COUNT", METRIC_STATE_COUNT, COUNT, "collection of garbage", "garbage collections", 1},
    {"GC_TIME", METRIC_STATE_TIME, TIME, "collection of garbage", "time of garbage collections", 1},
    {"HEAP_MEM_USAGE", METRIC_HEAP, BYTES, "", "memory that is allocated", 0},
    {"NON_HEAP_MEM_USAGE", METRIC_NON_HEAP, BYTES, "", "memory that the process occupies beside that", 0},
    {"NON_FINALIZED_OBJECTS", METRIC_VARIABLE, COUNT, "Pending finalization", "objects whose finalization is pending",
     1},
    {"THREAD_COUNT", METRIC_THREADS, COUNT, "", "threads that are alive", 0},
    {"DAEMON_THREAD_COUNT", METRIC_VARIABLE, COUNT, "Daemon threads", "daemon threads that are alive", 1},
    {"THREAD_WAITED_COUNT", METRIC_STATE_COUNT, COUNT, "condition,semaphore", "waits for a notification", 0},
    {"THREAD_WAITED_TIME", METRIC_STATE_TIME, TIME, "condition,semaphore", "time of waiting for a notification", 0},
    {"BLOCKED_COUNT", METRIC_STATE_COUNT, COUNT, "lock", "waits for a critical section", 0},
    {"BLOCKED_TIME", METRIC_STATE_TIME, TIME, "lock", "time of waiting for a critical section", 0},
    {"NET_SEND", METRIC_STATE_TIME, TIME, "send", "time of sending", 0},
    {"NET_BYTES_SEND", METRIC_STATE_BYTES, BYTES, "send", "bytes sent", 0},
    {"NET_BLOCKED_SEND", METRIC_STATE_TIME, TIME, "wait-to-send", "time of waiting to send the first byte", 0},
    {"NET_RECV", METRIC_STATE_TIME, TIME, "receive", "time of receiving", 0},
    {"NET_BYTES_RECV", METRIC_STATE_BYTES, BYTES, "receive", "bytes received", 0},
    {"NET_BLOCKED_RECV", METRIC_STATE_TIME, TIME, "wait-to-receive", "time of waiting for the first byte", 0},
    {"NET_INIT", METRIC_STATE_TIME, TIME, "connect,accept", "time of opening connections", 0},
    {"NET_END", METRIC_STATE_TIME, TIME, "shutdown", "time of closing connections", 0},
};

int metric_find(const char *name)
{
    const char *colon = strrchr(name, ':');
    for (int i = 0; i < METRICS; i++)
        if (strcmp(metrics[i].name, colon ? colon + 1 : name) == 0)
            return i;
    return -1;
}

static int is_named(const metric_info *metric, const char *name, unsigned long size)
{
    for (const char *p = metric->states; *p; p += *p == ',') {
        const unsigned long word = strcspn(p, ",");
        if (word == size && memcmp(p, name, size) == 0)
            return 1;
        p += word;
    }
    return 0;
}

uint32_t metrics_of(metric_kind kind, const char *name, unsigned long size)
{
    uint32_t found = 0;
    for (int i = 0; i < METRICS; i++)
        if (metrics[i].kind == kind && is_named(&metrics[i], name, size))
            found |= UINT32_C(1) << i;
    return found;
}

uint32_t metrics_of_state(const char *name, unsigned long size)
{
    return metrics_of(METRIC_STATE_TIME, name, size) | metrics_of(METRIC_STATE_COUNT, name, size) |
           metrics_of(METRIC_STATE_BYTES, name, size);
}
