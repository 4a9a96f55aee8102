/* The catalogue of metrics. */
#include "metrics.h"

#include <string.h>

/* Times are nanoseconds, and are written in milliseconds. */
#define TIME 6, "ms"
#define COUNT 0, "1"
#define BYTES 0, "B"

const metric_info metrics[METRICS] = {
    {"WC_TIME", METRIC_CLOCK, TIME, "", "wallclock time"},
    {"CPU_TIME", METRIC_CPU, TIME, "", "CPU time of the thread"},
    {"LOADED_CL_TOTAL", METRIC_JAVA, COUNT, "", "classes loaded since the start"},
    {"LOADED_CL_CURR", METRIC_JAVA, COUNT, "", "classes that are loaded"},
    {"UNLOADED_CL", METRIC_JAVA, COUNT, "", "classes unloaded"},
    {"COMP_TIME", METRIC_JAVA, TIME, "", "time of just-in-time compilation"},
    {"GC_COUNT", METRIC_JAVA, COUNT, "", "garbage collections"},
    {"GC_TIME", METRIC_JAVA, TIME, "", "time of garbage collections"},
    {"HEAP_MEM_USAGE", METRIC_HEAP, BYTES, "", "memory that is allocated"},
    {"NON_HEAP_MEM_USAGE", METRIC_NON_HEAP, BYTES, "", "memory that the process occupies beside that"},
    {"NON_FINALIZED_OBJECTS", METRIC_JAVA, COUNT, "", "objects whose finalization is pending"},
    {"THREAD_COUNT", METRIC_THREADS, COUNT, "", "threads that are alive"},
    {"DAEMON_THREAD_COUNT", METRIC_JAVA, COUNT, "", "daemon threads that are alive"},
    {"THREAD_WAITED_COUNT", METRIC_STATE_COUNT, COUNT, "condition semaphore", "waits for a notification"},
    {"THREAD_WAITED_TIME", METRIC_STATE_TIME, TIME, "condition semaphore", "time of waiting for a notification"},
    {"BLOCKED_COUNT", METRIC_STATE_COUNT, COUNT, "lock", "waits for a critical section"},
    {"BLOCKED_TIME", METRIC_STATE_TIME, TIME, "lock", "time of waiting for a critical section"},
    {"NET_SEND", METRIC_STATE_TIME, TIME, "send", "time of sending"},
    {"NET_BYTES_SEND", METRIC_STATE_BYTES, BYTES, "send", "bytes sent"},
    {"NET_BLOCKED_SEND", METRIC_STATE_TIME, TIME, "wait-to-send", "time of waiting to send the first byte"},
    {"NET_RECV", METRIC_STATE_TIME, TIME, "receive", "time of receiving"},
    {"NET_BYTES_RECV", METRIC_STATE_BYTES, BYTES, "receive", "bytes received"},
    {"NET_BLOCKED_RECV", METRIC_STATE_TIME, TIME, "wait-to-receive", "time of waiting for the first byte"},
    {"NET_INIT", METRIC_STATE_TIME, TIME, "connect accept", "time of opening connections"},
    {"NET_END", METRIC_STATE_TIME, TIME, "shutdown", "time of closing connections"},
};

int metric_find(const char *name)
{
    const char *colon = strrchr(name, ':');
    for (int i = 0; i < METRICS; i++)
        if (strcmp(metrics[i].name, colon ? colon + 1 : name) == 0)
            return i;
    return -1;
}

uint32_t metrics_of_state(const char *name, unsigned long size)
{
    uint32_t found = 0;
    for (int i = 0; i < METRICS; i++)
        for (const char *p = metrics[i].states; *p; p += *p == ' ') {
            const unsigned long word = strcspn(p, " ");
            if (word == size && memcmp(p, name, size) == 0)
                found |= UINT32_C(1) << i;
            p += word;
        }
    return found;
}
