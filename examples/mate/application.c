#include "application.h"

#include <stdlib.h>

static int in_order(const void *a, const void *b)
{
    const application_moment *x = (const application_moment *)a, *y = (const application_moment *)b;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    if (x->event != y->event) /* a message is sent before it comes */
        return x->event < y->event ? -1 : 1;
    return x->worker < y->worker ? -1 : x->worker > y->worker;
}

int64_t application_iterate(const application *it, int64_t iteration, int workers, int64_t load, int64_t begin)
{
    application_moment moments[4 * APPLICATION_WORKERS];
    const int64_t bytes = it->bytes / 2 / workers, compute = it->computing * load / workers;
    application_moment at = {begin, APPLICATION_STARTS, -1, iteration, workers, -1, 0};
    int64_t end = begin;
    int count = 0, i;
    it->happened(it->data, &at);
    for (i = 0; i < workers; i++) {
        const int64_t sent = begin + (i + 1) * it->latency, starts = sent + it->byte_time * bytes;
        const int64_t finishes = starts + compute;
        at.worker = i;
        at.actor = -1;
        at.bytes = bytes;
        at.time = sent;
        at.event = APPLICATION_SENDS;
        moments[count++] = at;
        at.time = end = finishes + it->byte_time * bytes;
        at.event = APPLICATION_REPLIES;
        moments[count++] = at;
        at.actor = i;
        at.bytes = 0;
        at.time = starts;
        at.event = APPLICATION_WORKER_STARTS;
        moments[count++] = at;
        at.time = finishes;
        at.event = APPLICATION_WORKER_FINISHES;
        moments[count++] = at;
    }
    qsort(moments, (size_t)count, sizeof *moments, in_order);
    for (i = 0; i < count; i++)
        it->happened(it->data, &moments[i]);
    at = (application_moment){end, APPLICATION_FINISHES, -1, iteration, workers, -1, 0};
    it->happened(it->data, &at);
    return end;
}

double application_time(const application *it, int workers, int64_t load)
{
    return (double)workers * (double)it->latency +
           ((double)it->byte_time * (double)it->bytes + (double)(load * it->computing)) / workers;
}
