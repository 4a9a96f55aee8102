/* Replies to requests. */
#include "reply.h"
#include "report.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- instrumentation and control ---- */

/* Refuses a destination that no file may have. */
static int check_destination(const reply *it, const request *from, char *problem, size_t size)
{
    const char *uri = from->measuring.destination;
    if (!(from->given & 8) || !*uri)
        return 1;
    if (strncmp(uri, "file:", 5) != 0)
        snprintf(problem, size, "destination %.60s: only file: is possible here", uri);
    else if (!it->folder)
        snprintf(problem, size, "destination %.60s: the program has named no folder for files", uri);
    else
        return 1;
    return 0;
}

static void reply_instrument(reply *it, const request *from, uint32_t client, markup *to)
{
    char problem[200] = "";
    uint32_t number;
    const uint64_t now = it->now(it->data);
    if (!check_destination(it, from, problem, sizeof problem)) {
        markup_error(to, problem);
        return;
    }
    if (!from->metric_count && !from->has_event) { /* new defaults */
        const request_measuring *new = &from->measuring;
        request_measuring *defaults = &it->measure.defaults;
        defaults->interval = from->given & 1 ? new->interval : defaults->interval;
        defaults->delivery = from->given & 2 ? new->delivery : defaults->delivery;
        defaults->duration = from->given & 4 ? new->duration : defaults->duration;
        if (from->given & 8)
            memcpy(defaults->destination, new->destination, sizeof defaults->destination);
        if (from->given & 16) {
            memcpy(defaults->functions, new->functions, sizeof defaults->functions);
            defaults->function_count = new->function_count;
        }
        markup_put(to, "<measurement/>\n");
        return;
    }
    if (from->has_event && (!it->trace || !from->has_region)) {
        markup_error(to, it->trace ? "<event> needs a codeRegion"
                                  : "<event>: this is a side program, which reads a trace already");
        return;
    }
    number = measure_add_probe(&it->measure, from, problem, sizeof problem);
    if (number == MEASURE_PROBES) {
        markup_error(to, problem);
        return;
    }
    it->measure.probe[number].owner = client;
    it->measure.probe[number].is_held = from->flush == 0;
    it->measure.probe[number].is_awaited = from->is_activated;
    for (uint32_t i = 0; i < MEASURE_PROBES && from->flush == 1; i++)
        if (it->measure.probe[i].is_used && it->measure.probe[i].is_held) {
            it->measure.probe[i].is_held = 0;
            measure_activate(&it->measure, i, it->measure.probe[i].is_awaited, now);
        }
    if (from->flush && from->is_activated)
        measure_activate(&it->measure, number, 1, now);
    markup_print(to, "<probe id=\"%s\"/>\n", it->measure.probe[number].id);
}

static void control_probe(reply *it, const request *from, uint32_t number, markup *to)
{
    measure_probe *probe = &it->measure.probe[number];
    const uint64_t now = it->now(it->data);
    char problem[200];
    if ((from->metric_count || from->has_measuring || from->path_count) &&
        (!check_destination(it, from, problem, sizeof problem) ||
         !measure_change_probe(&it->measure, number, from, now, problem, sizeof problem))) {
        markup_error(to, problem);
        return;
    }
    if (from->action == ACTION_ACTIVATE || from->action == ACTION_DEACTIVATE) {
        probe->is_awaited = from->action == ACTION_ACTIVATE;
        if (!probe->is_held)
            measure_activate(&it->measure, number, probe->is_awaited, now);
    } else if (from->action == ACTION_RESET) {
        measure_reset(&it->measure, number);
    }
    markup_print(to, "<probe id=\"%s\"/>\n", probe->id);
    if (from->action == ACTION_REMOVE)
        measure_remove(&it->measure, number);
}

static void reply_control(reply *it, const document *from, const request *asked, markup *to)
{
    uint32_t probes[MEASURE_PROBES], count = 0;
    for (uint32_t i = from->element[1].first; i; i = from->element[i].next) {
        uint32_t number;
        if (!document_is(from->element[i].name, "probe"))
            continue;
        number = measure_find_probe(&it->measure, document_value(from, i, "id"));
        if (number == MEASURE_PROBES || count == MEASURE_PROBES) {
            char problem[200];
            snprintf(problem, sizeof problem, "%u:%u: there is no probe %.*s", (unsigned)from->element[i].line,
                     (unsigned)from->element[i].column, (int)document_value(from, i, "id").size,
                     document_value(from, i, "id").bytes);
            markup_error(to, problem);
            return;
        }
        probes[count++] = number;
    }
    for (uint32_t i = 0; i < count; i++) {
        const measure_probe *probe = &it->measure.probe[probes[i]];
        if (asked->action != ACTION_VALUE)
            control_probe(it, asked, probes[i], to);
        else if (!probe->has_region && !probe->measuring.interval)
            measure_now(&it->measure, probes[i], it->now(it->data));
    }
    if (asked->action == ACTION_VALUE)
        report_probes(to, &it->measure, probes, count);
}

/* ---- what there is ---- */

/* Writes what is behind `begin` to a new file.  Returns 0, after an error in its place, if that cannot be. */
static int write_out(const reply *it, document_text out, size_t begin, markup *to)
{
    char uri[256], problem[400];
    int file = -1;
    request_copy(uri, sizeof uri, out);
    errno = EACCES;
    if (it->folder && out.size < sizeof uri && strncmp(uri, "file:", 5) == 0)
        file = reply_open_file(it->folder, uri);
    if (file >= 0) {
        errno = ENOSPC; /* if it writes less than all */
        const int is_written = write(file, to->bytes + begin, to->size - begin) == (ssize_t)(to->size - begin);
        const int error = errno;
        if (close(file) == 0 && is_written)
            return 1;
        errno = is_written ? errno : error;
    }
    to->size = begin;
    to->is_cut = 0;
    snprintf(problem, sizeof problem, "out %.200s: %s", uri,
             !it->folder ? "the program has named no folder for files" :
             errno == EACCES ? "only file: of a file of the folder is possible here" : strerror(errno));
    markup_error(to, problem);
    return 0;
}

static void reply_sir(const reply *it, const document *from, markup *to)
{
    const char *file = NULL, *name;
    const size_t begin = to->size;
    int line = 0;
    for (uint32_t i = from->element[1].first; i; i = from->element[i].next) {
        const document_text in = document_value(from, i, "in");
        if (!document_is(in, "") && !document_is(in, "file:self") && !document_is(in, "self")) {
            char problem[200];
            snprintf(problem, sizeof problem,
                     "%u:%u: %.*s: a program tells its own regions, \"self\"; ask mirctl --sir for a file",
                     (unsigned)from->element[i].line, (unsigned)from->element[i].column,
                     in.size > 80 ? 80 : (int)in.size, in.bytes);
            markup_error(to, problem);
            return;
        }
    }
    markup_put(to, "<sir><unit id=\"self\">");
    for (uint32_t i = 0; (name = it->region(it->data, i, &file, &line)) != NULL; i++) {
        markup_put(to, "<codeRegion");
        markup_attribute(to, "id", name);
        markup_attribute(to, "name", name);
        markup_attribute(to, "file", file);
        if (file)
            markup_print(to, " line=\"%d\"", line);
        markup_put(to, "/>");
    }
    markup_put(to, "</unit></sir>\n");
    for (uint32_t i = from->element[1].first; i; i = from->element[i].next)
        if (document_value(from, i, "out").size && !write_out(it, document_value(from, i, "out"), begin, to))
            return;
}

static void reply_catalog(const reply *it, markup *to)
{
    const char *name, *file;
    int line;
    markup_put(to, "<catalog>");
    for (int i = 0; i < METRICS; i++) {
        const char *lack = it->measure.source.lacks(it->measure.source.data, i, 0);
        if (lack && it->measure.source.lacks(it->measure.source.data, i, 1))
            continue;
        markup_put(to, "<metric");
        markup_attribute(to, "name", metrics[i].name);
        markup_attribute(to, "unit", metrics[i].unit);
        markup_attribute(to, "description", metrics[i].description);
        markup_put(to, "/>");
    }
    for (uint32_t i = 0; (name = it->region(it->data, i, &file, &line)) != NULL; i++) {
        markup_put(to, "<codeRegion");
        markup_attribute(to, "id", name);
        markup_put(to, "/>");
    }
    if (it->catalog)
        it->catalog(it->data, to);
    markup_put(to, "</catalog>\n");
}

static void reply_ping(const reply *it, const document *from, markup *to)
{
    char text[REQUEST_NAME];
    const uint64_t now = it->now(it->data);
    markup_put(to, "<pong");
    for (int i = 0; i < 2; i++) {
        const document_text value = document_value(from, 1, i ? "time" : "id");
        request_copy(text, sizeof text, value);
        markup_attribute(to, i ? "time" : "id", value.bytes ? text : NULL);
    }
    markup_put(to, " received=\"");
    markup_fixed(to, (int64_t)now, 9);
    markup_put(to, "\"/>\n");
}

void reply_document(reply *it, document *from, uint32_t client, markup *to)
{
    request asked;
    if (from->status == DOCUMENT_BAD || !request_read(from, &asked)) {
        markup_error(to, from->problem);
        return;
    }
    switch (asked.kind) {
    case REQUEST_NONE:
        break;
    case REQUEST_SIR:
        reply_sir(it, from, to);
        break;
    case REQUEST_SNAPSHOT:
        reply_snapshot(it, asked.named, asked.stack, to);
        break;
    case REQUEST_INSTRUMENT:
        reply_instrument(it, &asked, client, to);
        break;
    case REQUEST_CONTROL:
        reply_control(it, from, &asked, to);
        break;
    case REQUEST_TUNE:
        if (it->tune)
            it->tune(it->data, from, client, to);
        else
            markup_error(to, "<tunereq>: this is a side program; only the program itself can be changed");
        break;
    case REQUEST_TRACE:
        if (it->trace)
            it->trace(it->data, from, client, to);
        else
            markup_error(to, "<tracereq>: there is no trace to be sent here");
        break;
    case REQUEST_CATALOG:
        reply_catalog(it, to);
        break;
    case REQUEST_PING:
        reply_ping(it, from, to);
        break;
    }
}

/* ---- delivery ---- */

int reply_open_file(const char *folder, const char *uri)
{
    const char *name = uri + strcspn(uri, ":") + 1;
    int at, file;
    while (name[0] == '/' && (name[1] == '/' || !strchr(name + 1, '/')))
        name++;
    if (strncmp(name, folder, strlen(folder)) == 0 && name[strlen(folder)] == '/')
        name += strlen(folder) + 1;
    if (!*name || strchr(name, '/') || strcmp(name, ".") == 0 || strcmp(name, "..") == 0) {
        errno = EACCES;
        return -1;
    }
    at = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (at < 0)
        return -1;
    file = openat(at, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0600);
    close(at);
    return file;
}

/* Hands the document of a probe to who asked for it, or adds it to a file. */
static void deliver_document(reply *it, uint32_t number, const markup *text, reply_deliver deliver)
{
    measure_probe *probe = &it->measure.probe[number];
    if (text->is_cut) {
        (void)__atomic_fetch_add(&probe->missed, 1, __ATOMIC_RELAXED);
    } else if (!*probe->measuring.destination) {
        if (!deliver(it->data, probe->owner, text->bytes, text->size))
            (void)__atomic_fetch_add(&probe->missed, 1, __ATOMIC_RELAXED);
    } else {
        if (!probe->is_file_open) {
            measure_set_file(probe, reply_open_file(it->folder, probe->measuring.destination));
            if (probe->file < 0) {
                char line[400], problem[300];
                markup error = {line, 0, sizeof line, 0};
                snprintf(problem, sizeof problem, "probe %s: destination %.100s: %s", probe->id,
                         probe->measuring.destination, errno == EACCES ? "not a file of the folder" : strerror(errno));
                markup_error(&error, problem);
                (void)deliver(it->data, probe->owner, error.bytes, error.size);
            }
        }
        if (!measure_has_file(probe) || write(probe->file, text->bytes, text->size) != (ssize_t)text->size)
            (void)__atomic_fetch_add(&probe->missed, 1, __ATOMIC_RELAXED);
    }
}

static void deliver_probe(reply *it, uint32_t number, reply_deliver deliver)
{
    static char bytes[DOCUMENT_SIZE];
    markup text = {bytes, 0, sizeof bytes, 0};
    report_probes(&text, &it->measure, &number, 1);
    deliver_document(it, number, &text, deliver);
}

/* Delivers the values that are delivered each time that they are measured. */
static void deliver_samples(reply *it, reply_deliver deliver)
{
    const uint32_t places = __atomic_load_n(&it->measure.places, __ATOMIC_ACQUIRE);
    measure_sample sample;
    uint64_t last[MEASURE_PROBES]; /* of a probe without region: the threads are measured at the same time */
    memset(last, 0xff, sizeof last);
    for (uint32_t place = 0; place < places; place++)
        while (measure_fetch(&it->measure, place, &sample)) {
            const measure_probe *probe = &it->measure.probe[sample.probe];
            char bytes[1024];
            markup text = {bytes, 0, sizeof bytes, 0};
            if (!probe->is_used || probe->epoch != sample.epoch)
                continue;
            if (!probe->has_region || probe->measuring.function_count) {
                if (last[sample.probe] != sample.time)
                    deliver_probe(it, sample.probe, deliver);
                last[sample.probe] = sample.time;
                continue;
            }
            report_sample(&text, &it->measure, &sample);
            deliver_document(it, sample.probe, &text, deliver);
        }
}

void reply_tick(reply *it, uint64_t now, reply_deliver deliver)
{
    int has_more = 1;
    while (has_more) { /* each time by itself, as documents have the last values */
        has_more = measure_tick(&it->measure, now);
        deliver_samples(it, deliver);
    }
    for (uint32_t number = 0; number < MEASURE_PROBES; number++) {
        measure_probe *probe = &it->measure.probe[number];
        const uint64_t step = probe->measuring.delivery > 0 ? (uint64_t)probe->measuring.delivery * 1000000 : 0;
        if (!probe->is_used || !probe->is_active || !probe->next_delivery || probe->next_delivery > now)
            continue;
        probe->next_delivery += step * (1 + (now - probe->next_delivery) / step); /* what it slept through is one */
        if (!probe->has_region && !probe->measuring.interval)
            measure_now(&it->measure, number, now);
        deliver_probe(it, number, deliver);
    }
}

uint64_t reply_next(const reply *it)
{
    return measure_next(&it->measure);
}

void reply_forget(reply *it, uint32_t client)
{
    for (uint32_t number = 0; number < MEASURE_PROBES; number++)
        if (it->measure.probe[number].is_used && it->measure.probe[number].owner == client)
            measure_remove(&it->measure, number);
}
