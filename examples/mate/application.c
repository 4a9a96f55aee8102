#include "application.h"

#include "base/memory.h"

#include <math.h>
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
    application_moment at = {begin, APPLICATION_STARTS, -1, iteration, workers, -1, 0, 0, 0, 0, 0, 0};
    int64_t end = begin;
    int count = 0, i;
    it->happened(it->data, &at);
    for (i = 0; i < workers; i++) {
        const int64_t sent = begin + (i + 1) * it->latency, starts = sent + it->byte_time * bytes;
        const int64_t finishes = starts + compute;
        at.worker = at.message = i;
        at.actor = -1;
        at.bytes = bytes;
        at.tasks = 0;
        at.time = sent;
        at.event = APPLICATION_SENDS;
        moments[count++] = at;
        at.time = end = finishes + it->byte_time * bytes;
        at.event = APPLICATION_REPLIES;
        moments[count++] = at;
        at.actor = i;
        at.bytes = 0;
        at.tasks = 1;
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
    at = (application_moment){end, APPLICATION_FINISHES, -1, iteration, workers, -1, 0, 0, 0, 0, 0, 0};
    it->happened(it->data, &at);
    return end;
}

double application_time(const application *it, int workers, int64_t load)
{
    return (double)workers * (double)it->latency +
           ((double)it->byte_time * (double)it->bytes + (double)(load * it->computing)) / workers;
}

/* ---- chunks */

int application_chunks(int64_t tasks, int workers, int64_t spread, int64_t *chunks, int capacity)
{
    const double more = (double)spread * 1e-6 * sqrt((double)workers / 2);
    int count = 0, batch, i;
    for (batch = 0; batch < APPLICATION_BATCHES && tasks > 0; batch++) {
        int64_t chunk = (int64_t)((double)tasks / ((batch == 0 ? 1 + more : 2 + more) * workers));
        chunk = chunk < 1 ? 1 : chunk; /* the formula comes to 0 with few tasks */
        for (i = 0; i < workers && tasks >= chunk; i++, tasks -= chunk)
            if (count++ < capacity)
                chunks[count - 1] = chunk;
    }
    for (; tasks > 0; tasks--)
        if (count++ < capacity)
            chunks[count - 1] = 1;
    return count;
}

int64_t application_deal(const application *it, int64_t iteration, int workers, int64_t tasks, int64_t spread,
                         const int64_t *task_time, int64_t begin)
{
    const int chunk_count = application_chunks(tasks, workers, spread, NULL, 0);
    int64_t *chunks = (int64_t *)memory_alloc((size_t)chunk_count, sizeof *chunks);
    application_moment *moments =
        (application_moment *)memory_alloc(4 * (size_t)(chunk_count + workers), sizeof *moments);
    int64_t is_free[APPLICATION_WORKERS] = {begin}, end = begin, sent = begin;
    application_moment at = {begin, APPLICATION_STARTS, -1, iteration, workers, -1, 0, 0, 0, spread, 0, 0};
    int count = 0, i, k;
    application_chunks(tasks, workers, spread, chunks, chunk_count);
    it->happened(it->data, &at);
    for (i = 0; i < workers; i++)
        is_free[i] = begin;
    for (k = 0; k < chunk_count; k++) {
        int first = 0;
        for (i = 1; i < workers; i++)
            if (is_free[i] < is_free[first])
                first = i;
        sent = (sent > is_free[first] ? sent : is_free[first]) + it->latency; /* the master sends one at a time */
        at = (application_moment){sent, APPLICATION_SENDS, -1, iteration, workers, first, chunks[k] * it->bytes, k, 0,
                                  0, 0, 0};
        moments[count++] = at;
        at.event = APPLICATION_WORKER_STARTS;
        at.actor = first;
        at.tasks = chunks[k];
        moments[count++] = at;
        at.time = is_free[first] = sent + chunks[k] * task_time[first];
        at.event = APPLICATION_WORKER_FINISHES;
        moments[count++] = at;
        at.event = APPLICATION_REPLIES;
        at.actor = -1;
        moments[count++] = at;
    }
    for (i = 0; i < workers; i++)
        end = is_free[i] > end ? is_free[i] : end;
    for (i = 0; i < workers; i++)
        moments[count++] = (application_moment){.time = end, .event = APPLICATION_WORKER_ENDS, .actor = i,
                                                .iteration = iteration, .workers = workers, .worker = i};
    qsort(moments, (size_t)count, sizeof *moments, in_order);
    for (i = 0; i < count; i++)
        it->happened(it->data, &moments[i]);
    at = (application_moment){end, APPLICATION_FINISHES, -1, iteration, workers, -1, 0, 0, 0, 0, 0, 0};
    it->happened(it->data, &at);
    free(chunks);
    free(moments);
    return end;
}
