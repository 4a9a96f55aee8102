/* Traces of Paraver.  Records are in order of the times at which they begin; ends of states, and messages, which
 * records tell in advance, wait in a heap until their time has come. */
#include "import.h"

enum { STATE_FIELDS = 7, EVENT_FIELDS = 5, MESSAGE_FIELDS = 14 };
enum { CPU, APPLICATION, TASK, THREAD, TIME, STATE_END, STATE };
enum { PHYSICAL_SEND = 5, RECEIVER, LOGICAL_RECEIVE = 10, PHYSICAL_RECEIVE, SIZE, TAG };

/* The end of a state, or an end of a message. */
typedef struct waiting {
    uint64_t time, order;
    uint32_t thread;
    uint32_t ends;          /* of the thread, when the state began */
    uint64_t key;           /* of a message; 0: of a state */
    int is_start;           /* 1: where the message is sent */
    int64_t size, tag;
    int64_t logical;        /* when the program sends or receives it */
} waiting;

typedef struct import {
    const input_lines *lines;
    const prv_options *options;
    prv_model model;
    const char *line, *fields_at[MESSAGE_FIELDS]; /* the current line, and where its fields begin */
    array_of(waiting) heap;
    hash_map depth_keys; /* thread and event type */
    array_of(uint32_t) depths;
    array_of(int64_t) pairs;
    uint64_t orders, keys, last, backward, backward_line, left_out;
    pajewrite_variant sent, received;
} import;

static void define(const import *it)
{
    const pajewrite_type application = PAJEWRITE_TYPE(PRV_APPLICATION_TYPE), task = PAJEWRITE_TYPE(PRV_TASK_TYPE);
    const pajewrite_type thread = PAJEWRITE_TYPE(PRV_THREAD_TYPE), message = PAJEWRITE_TYPE(PRV_LINK_TYPE);
    pajewrite_define_container_type(&writer, application, PAJEWRITE_ROOT_TYPE, "Application");
    pajewrite_define_container_type(&writer, task, application, "Task");
    pajewrite_define_container_type(&writer, thread, task, "Thread");
    pajewrite_define_state_type(&writer, PAJEWRITE_TYPE(PRV_STATE_TYPE), thread, "State");
    pajewrite_define_link_type(&writer, message, PAJEWRITE_ROOT_TYPE, thread, thread, "Communication");
    pajewrite_define_value(&writer, PAJEWRITE_VALUE(1), message, "message", "0.9 0.6 0");
    if (it->options->has_cpus)
        pajewrite_define_variable_type(&writer, PAJEWRITE_TYPE(PRV_CPU_TYPE), thread, "CPU", NULL);
}

/* ---- containers: applications, then tasks, then threads are numbered from 1 on */

static pajewrite_container application_container(size_t number)
{
    return PAJEWRITE_CONTAINER(number + 1);
}

static pajewrite_container task_container(const import *it, size_t number)
{
    return PAJEWRITE_CONTAINER(it->model.applications.count + number + 1);
}

static pajewrite_container thread_container(const import *it, size_t number)
{
    return PAJEWRITE_CONTAINER(it->model.applications.count + it->model.tasks.count + number + 1);
}

/* The name of an object: that of .row, else one of its numbers. */
static const char *name_of(pajesim_text row, const char *what, uint32_t first, uint32_t second, uint32_t third)
{
    static text_buffer text;
    if (row.size > 0)
        return write_name(row);
    text_clear(&text);
    text_printf(&text, "%s %lu", what, (unsigned long)first);
    if (second)
        text_printf(&text, ".%lu", (unsigned long)second);
    if (third)
        text_printf(&text, ".%lu", (unsigned long)third);
    return text_string(&text);
}

static void create_thread(const import *it, size_t number, const prv_task *task)
{
    pajesim_text name = labels_row(PRV_THREAD, number), of = labels_row(PRV_TASK, it->model.threads.items[number].task);
    uint32_t within = task->application < it->model.applications.count
                          ? it->model.threads.items[number].task -
                                it->model.applications.items[task->application].first + 1
                          : 0;
    if (of.size > 0 && name.size > of.size + 1 && memcmp(name.bytes, of.bytes, of.size) == 0 &&
        name.bytes[of.size] == '/') /* as `paje paraver` writes it */
        name = (pajesim_text){name.bytes + of.size + 1, name.size - of.size - 1};
    pajewrite_create_container_at(&writer, 0, thread_container(it, number), PAJEWRITE_TYPE(PRV_THREAD_TYPE),
                                  task_container(it, it->model.threads.items[number].task),
                                  name_of(name, "Thread", task->application + 1, within,
                                          (uint32_t)number - task->first + 1));
}

static void create_containers(import *it)
{
    const prv_model *model = &it->model;
    pajewrite_variant placed = pajewrite_define_variant(&writer, PAJEWRITE_CREATE_CONTAINER, "Node string");
    for (uint32_t i = 0; i < model->applications.count; i++)
        pajewrite_create_container_at(&writer, 0, application_container(i), PAJEWRITE_TYPE(PRV_APPLICATION_TYPE),
                                      PAJEWRITE_ROOT, name_of(labels_row(PRV_APPL, i), "Application", i + 1, 0, 0));
    for (uint32_t i = 0; i < model->tasks.count; i++) {
        const prv_task *task = &model->tasks.items[i];
        uint32_t within = i - model->applications.items[task->application].first + 1;
        pajewrite_fields fields = pajewrite_fields_of(placed);
        pajesim_text node = task->node ? labels_row(PRV_NODE, task->node - 1) : text_of("");
        enum { NODE_BYTES = 200 };
        node.size = node.size < NODE_BYTES ? node.size : NODE_BYTES;
        pajewrite_field_string(&fields, name_of(node, "Node", task->node, 0, 0));
        pajewrite_event event = {.kind = PAJEWRITE_CREATE_CONTAINER, .container = task_container(it, i),
                                 .type = PAJEWRITE_TYPE(PRV_TASK_TYPE),
                                 .other = application_container(task->application),
                                 .name = name_of(labels_row(PRV_TASK, i), "Task", task->application + 1, within, 0)};
        pajewrite_write(&writer, &event, task->node ? &fields : NULL);
        for (uint32_t k = 0; k < task->threads; k++)
            create_thread(it, task->first + k, task);
    }
}

static void destroy_containers(const import *it, uint64_t time)
{
    const prv_model *model = &it->model;
    for (size_t i = model->threads.count; i-- > 0;)
        pajewrite_destroy_container_at(&writer, time, thread_container(it, i), PAJEWRITE_TYPE(PRV_THREAD_TYPE));
    for (size_t i = model->tasks.count; i-- > 0;)
        pajewrite_destroy_container_at(&writer, time, task_container(it, i), PAJEWRITE_TYPE(PRV_TASK_TYPE));
    for (size_t i = model->applications.count; i-- > 0;)
        pajewrite_destroy_container_at(&writer, time, application_container(i), PAJEWRITE_TYPE(PRV_APPLICATION_TYPE));
}

/* ---- ends that wait */

static int is_before(const waiting *a, const waiting *b)
{
    return a->time < b->time || (a->time == b->time && a->order < b->order);
}

static void swap(import *it, size_t one, size_t other)
{
    waiting kept = it->heap.items[one];
    it->heap.items[one] = it->heap.items[other];
    it->heap.items[other] = kept;
}

static void push(import *it, waiting added)
{
    added.order = it->orders++;
    *array_push(&it->heap) = added;
    for (size_t at = it->heap.count - 1; at > 0 && is_before(&it->heap.items[at], &it->heap.items[(at - 1) / 2]);
         at = (at - 1) / 2)
        swap(it, at, (at - 1) / 2);
}

static waiting pop(import *it)
{
    waiting first = it->heap.items[0];
    it->heap.items[0] = it->heap.items[--it->heap.count];
    for (size_t at = 0;;) {
        size_t least = at;
        for (size_t child = 2 * at + 1; child <= 2 * at + 2 && child < it->heap.count; child++)
            if (is_before(&it->heap.items[child], &it->heap.items[least]))
                least = child;
        if (least == at)
            return first;
        swap(it, at, least);
        at = least;
    }
}

static void write_message(const import *it, const waiting *end)
{
    const int64_t sent[] = {end->size, end->tag, end->logical};
    pajewrite_event event = {.kind = end->is_start ? PAJEWRITE_START_LINK : PAJEWRITE_END_LINK, .time = end->time,
                             .type = PAJEWRITE_TYPE(PRV_LINK_TYPE), .container = PAJEWRITE_ROOT,
                             .value = PAJEWRITE_VALUE(1), .other = thread_container(it, end->thread), .key = end->key};
    pajewrite_write_ints(&writer, &event, end->is_start ? it->sent : it->received, end->is_start ? sent : &end->logical,
                         end->is_start ? 3 : 1);
}

/* Writes the ends before a time. */
static void write_ends(import *it, uint64_t time)
{
    while (it->heap.count > 0 && it->heap.items[0].time < time) {
        waiting end = pop(it);
        it->last = end.time > it->last ? end.time : it->last;
        prv_thread *thread = &it->model.threads.items[end.thread];
        if (end.key) {
            write_message(it, &end);
        } else if (thread->is_open && thread->ends == end.ends) {
            pajewrite_pop_state_at(&writer, end.time, thread_container(it, end.thread), PAJEWRITE_TYPE(PRV_STATE_TYPE));
            thread->is_open = 0;
        }
    }
}

static void note_backward(import *it)
{
    if (it->backward++ == 0)
        it->backward_line = it->lines->number;
}

static void pass_time(import *it, uint64_t time)
{
    if (time >= it->last) {
        it->last = time;
        write_ends(it, time);
    } else {
        note_backward(it);
    }
}

/* ---- fields of a record */

static int refuse(const import *it, const char *at, const char *end, const char *what)
{
    size_t size = 0;
    while (at + size < end && at[size] != ':')
        size++;
    lines_report(it->lines, it->line, at, size, what);
    return 0;
}

/* Reads so many numbers with colons between them; `*at` is behind the kind of the record.  Returns 0 after a
 * message. */
static int read_fields(import *it, const char **at, const char *end, int64_t *fields, int count)
{
    for (int i = 0; i < count; i++) {
        if (*at == end || **at != ':')
            return refuse(it, *at, end, "the record has too few fields");
        it->fields_at[i < MESSAGE_FIELDS ? i : 0] = ++*at;
        if (!prv_read_number(at, end, &fields[i]))
            return refuse(it, *at, end, "no number of 63 bits");
        if (*at < end && **at != ':')
            return refuse(it, it->fields_at[i], end, "no number");
    }
    return 1;
}

/* Finds the thread of three fields, the first of which is `application`.  Returns 0 after a message. */
static int find_thread(const import *it, const char *end, const int64_t *fields, int application, uint32_t *found)
{
    const prv_model *model = &it->model;
    const int64_t *numbers = fields + application;
    if (numbers[0] < 1 || (uint64_t)numbers[0] > model->applications.count)
        return refuse(it, it->fields_at[application], end, "the header has no such application");
    const prv_application *in = &model->applications.items[numbers[0] - 1];
    if (numbers[1] < 1 || numbers[1] > in->tasks)
        return refuse(it, it->fields_at[application + 1], end, "the header has no such task");
    const prv_task *task = &model->tasks.items[in->first + (uint32_t)numbers[1] - 1];
    if (numbers[2] < 1 || numbers[2] > task->threads)
        return refuse(it, it->fields_at[application + 2], end, "the header has no such thread");
    *found = task->first + (uint32_t)numbers[2] - 1;
    return 1;
}

static int check_times(const import *it, const char *end, const int64_t *fields, const int *which, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (fields[which[i]] < 0)
            return refuse(it, it->fields_at[which[i]], end, "a negative time");
    return 1;
}

static void note_cpu(import *it, uint32_t number, const int64_t *fields)
{
    prv_thread *thread = &it->model.threads.items[number];
    if (!it->options->has_cpus || fields[CPU] <= 0 || (uint32_t)fields[CPU] == thread->cpu)
        return;
    thread->cpu = (uint32_t)fields[CPU];
    pajewrite_set_variable_at(&writer, (uint64_t)fields[TIME], thread_container(it, number),
                              PAJEWRITE_TYPE(PRV_CPU_TYPE), thread->cpu);
}

/* ---- records */

static void read_state(import *it, const char *at, const char *end)
{
    static const int times[] = {TIME};
    int64_t fields[STATE_FIELDS];
    uint32_t number = 0;
    if (!read_fields(it, &at, end, fields, STATE_FIELDS) || !find_thread(it, end, fields, APPLICATION, &number) ||
        !check_times(it, end, fields, times, 1))
        return;
    if (fields[STATE_END] < fields[TIME] && fields[STATE_END] != -1) {
        refuse(it, it->fields_at[STATE_END], end, "the state ends before it begins");
        return;
    }
    pass_time(it, (uint64_t)fields[TIME]);
    note_cpu(it, number, fields);
    prv_thread *thread = &it->model.threads.items[number];
    pajewrite_set_state_at(&writer, (uint64_t)fields[TIME], thread_container(it, number),
                           PAJEWRITE_TYPE(PRV_STATE_TYPE), labels_find_state(fields[STATE]));
    thread->is_open = 1;
    thread->ends++;
    if (fields[STATE_END] >= 0) /* -1: up to the next one */
        push(it, (waiting){.time = (uint64_t)fields[STATE_END], .thread = number, .ends = thread->ends});
}

static uint32_t *depth_of(import *it, uint32_t thread, uint32_t type)
{
    const uint32_t key[] = {thread, type};
    return array_at(&it->depths, map_add(&it->depth_keys, key, sizeof key));
}

static void write_event(import *it, uint32_t thread, uint64_t time, int64_t number, int64_t value)
{
    uint32_t index = labels_find_type((uint64_t)number, it->options);
    const prv_type *type = labels_type_at(index);
    pajewrite_container container = thread_container(it, thread);
    uint32_t *depth;
    switch (type->kind) {
    case PRV_VARIABLE:
        if (type->scale > 1)
            pajewrite_set_variable_double_at(&writer, time, container, type->type, (double)value / type->scale);
        else
            pajewrite_set_variable_at(&writer, time, container, type->type, value);
        return;
    case PRV_EVENT:
        pajewrite_new_event_at(&writer, time, container, type->type, labels_find_value(index, value));
        return;
    case PRV_STACK:
    case PRV_STATE: break;
    }
    depth = depth_of(it, thread, index);
    if (value == 0 && *depth == 0)
        return; /* it was outside already */
    if (value == 0) /* the only one, if it is no stack: ViTE does not know PajeResetState */
        pajewrite_pop_state_at(&writer, time, container, type->type);
    else if (type->kind == PRV_STACK)
        pajewrite_push_state_at(&writer, time, container, type->type, labels_find_value(index, value));
    else
        pajewrite_set_state_at(&writer, time, container, type->type, labels_find_value(index, value));
    *depth = value == 0 ? *depth - 1 : type->kind == PRV_STACK ? *depth + 1 : 1;
}

static void read_event(import *it, const char *at, const char *end)
{
    static const int times[] = {TIME};
    int64_t fields[EVENT_FIELDS], pair[2] = {0};
    uint32_t number = 0;
    if (!read_fields(it, &at, end, fields, EVENT_FIELDS) || !find_thread(it, end, fields, APPLICATION, &number) ||
        !check_times(it, end, fields, times, 1))
        return;
    array_clear(&it->pairs);
    do {
        if (!read_fields(it, &at, end, pair, 2))
            return;
        if (pair[0] < 0) {
            refuse(it, it->fields_at[0], end, "a negative event type");
            return;
        }
        *array_push(&it->pairs) = pair[0];
        *array_push(&it->pairs) = pair[1];
    } while (at < end);
    pass_time(it, (uint64_t)fields[TIME]);
    note_cpu(it, number, fields);
    for (size_t i = 0; i < it->pairs.count; i += 2)
        write_event(it, number, (uint64_t)fields[TIME], it->pairs.items[i], it->pairs.items[i + 1]);
}

static void add_message(import *it, waiting end)
{
    if (end.time >= it->last) {
        push(it, end);
    } else {
        note_backward(it);
        write_message(it, &end);
    }
}

static void read_message(import *it, const char *at, const char *end)
{
    static const int times[] = {TIME, PHYSICAL_SEND, LOGICAL_RECEIVE, PHYSICAL_RECEIVE};
    int64_t fields[MESSAGE_FIELDS];
    uint32_t sender = 0, receiver = 0;
    if (!read_fields(it, &at, end, fields, MESSAGE_FIELDS) || !find_thread(it, end, fields, APPLICATION, &sender) ||
        !find_thread(it, end, fields, RECEIVER + 1, &receiver) || !check_times(it, end, fields, times, 4))
        return;
    it->keys++;
    add_message(it, (waiting){.time = (uint64_t)fields[PHYSICAL_SEND], .thread = sender, .key = it->keys, .is_start = 1,
                              .size = fields[SIZE], .tag = fields[TAG], .logical = fields[TIME]});
    add_message(it, (waiting){.time = (uint64_t)fields[PHYSICAL_RECEIVE], .thread = receiver, .key = it->keys,
                              .logical = fields[LOGICAL_RECEIVE]});
}

static void read_line(import *it, pajesim_text line)
{
    const char *at = line.bytes + 1, *end = line.bytes + line.size;
    it->line = line.bytes;
    if (line.size == 0)
        return;
    switch (line.bytes[0]) {
    case '1': read_state(it, at, end); break;
    case '2': read_event(it, at, end); break;
    case '3': read_message(it, at, end); break;
    case '4': it->left_out++; break;
    case '#': break; /* how the trace was made */
    case 'c': case 'C': case 'i': case 'I': break; /* communicators */
    default: refuse(it, line.bytes, end, "no record of Paraver: it begins with none of 1, 2, 3"); break;
    }
}

void prv_import(input_lines *lines, const prv_options *options)
{
    import it;
    pajesim_text line;
    memset(&it, 0, sizeof it);
    it.lines = lines;
    it.options = options;
    do
        if (!lines_next(lines, &line))
            return;
    while (line.size > 0 && line.bytes[0] != '#'); /* some begin with `new format` */
    prv_read_header(&it.model, lines, line);
    write_begin(it.model.decimals);
    define(&it);
    create_containers(&it);
    it.sent = pajewrite_define_variant(&writer, PAJEWRITE_START_LINK, "Size int, Tag int, LogicalSend int");
    it.received = pajewrite_define_variant(&writer, PAJEWRITE_END_LINK, "LogicalReceive int");
    while (lines_next(lines, &line))
        read_line(&it, line);
    write_ends(&it, UINT64_MAX);
    destroy_containers(&it, it.model.length > it.last ? it.model.length : it.last);
    write_end();
    if (it.backward)
        stream_message("%s:%llu: records are not in order of time, here and %llu times more; `paje merge` sorts the "
                       "result", lines->name, (unsigned long long)it.backward_line,
                       (unsigned long long)it.backward - 1);
    if (it.left_out)
        stream_message("%s: %llu records of global operations (4) are left out", lines->name,
                       (unsigned long long)it.left_out);
}
