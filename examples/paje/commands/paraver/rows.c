/* Containers as threads, tasks and nodes: the numbers of the header and of records, and the file .row. */
#include "paraver.h"

#define NONE UINT32_MAX

enum { ROOT = 0 };

typedef struct row {
    size_t name, name_size; /* in `names` */
    uint32_t parent;        /* by number; of the root: itself */
    uint32_t task, node;    /* containers that have the chosen types, from here up; NONE: none has */
    unsigned char is_shown, has_children, is_used, is_thread;
    uint32_t task_number, thread_number, cpu; /* from 1 on */
    size_t place, place_size;                 /* in `places` */
} row;

typedef struct task {
    uint32_t container, node, threads;
    uint32_t first; /* of its threads, among all */
} task;

typedef struct node {
    uint32_t container; /* NONE: that of tasks which are in no container */
    uint32_t cpus;
    uint32_t first; /* its first CPU, less 1 */
} node;

static array_of(row) rows;
static text_buffer names, places; /* places: `cpu:application:task:thread:` of each thread */
static array_of(task) tasks;
static array_of(node) nodes;
static array_of(uint32_t) threads; /* containers, task by task */
static array_of(uint32_t) cpus;    /* nodes, CPU by CPU */

int rows_matches(const pajesim *sim, pajesim_ref type, const char *glob)
{
    return paje_matches(glob, pajesim_name(sim, type)) || paje_matches(glob, pajesim_alias(sim, type));
}

static row *add(pajesim *sim, pajesim_ref container)
{
    pajesim_text name = pajesim_name(sim, container);
    if (rows.count == NONE - 1)
        stream_fail("more than 4294967294 containers");
    row *it = array_push(&rows);
    it->name = names.size;
    it->name_size = name.size;
    it->is_shown = (unsigned char)paje_shows_container(sim, container);
    it->task = it->node = NONE;
    text_append(&names, name);
    *pajesim_user_data(sim, container) = rows.count;
    return it;
}

void rows_add_root(pajesim *sim)
{
    add(sim, pajesim_root(sim));
}

void rows_add(pajesim *sim, pajesim_ref container, row_options *options)
{
    row *it = add(sim, container);
    uint32_t number = (uint32_t)rows.count - 1;
    pajesim_ref type = pajesim_type_of(sim, container);
    it->parent = (uint32_t)*pajesim_user_data(sim, pajesim_parent(sim, container)) - 1;
    row *parent = &rows.items[it->parent];
    parent->has_children = 1;
    int is_task = options->task && rows_matches(sim, type, options->task);
    int is_node = options->node && rows_matches(sim, type, options->node);
    it->task = is_task ? number : parent->task;
    it->node = is_node ? number : parent->node;
    options->has_task |= is_task;
    options->has_node |= is_node;
}

uint32_t rows_use(pajesim *sim, pajesim_ref container)
{
    uint64_t known = container ? *pajesim_user_data(sim, container) : 0;
    uint32_t number = known ? (uint32_t)known - 1 : ROOT; /* a late link may end at a container that is forgotten */
    rows.items[number].is_used = 1;
    return number;
}

/* ---- numbers */

static void put_number(text_buffer *text, uint32_t number, char end)
{
    text_put_integer(text, number);
    text_putc(text, end);
}

/* The task of a thread: what --task chooses, else its parent, or itself if that is the root. */
static uint32_t task_of(uint32_t container)
{
    const row *it = &rows.items[container];
    return it->task != NONE ? it->task : it->parent != ROOT ? it->parent : container;
}

/* The node of a task: what --node chooses, else its parent; NONE if that is the root. */
static uint32_t node_of(uint32_t container)
{
    const row *it = &rows.items[container];
    return it->node != NONE ? it->node : it->parent != ROOT ? it->parent : NONE;
}

/* Numbers threads within tasks and tasks, in the order of their containers. */
static void number_tasks(void)
{
    hash_map task_map = {0}, node_map = {0};
    for (uint32_t i = 0; i < rows.count; i++) {
        row *it = &rows.items[i];
        if (!it->is_thread)
            continue;
        uint32_t container = task_of(i), place = node_of(container);
        size_t number = map_add(&task_map, &container, sizeof container);
        task *its_task = array_at(&tasks, number);
        its_task->container = container;
        its_task->node = (uint32_t)map_add(&node_map, &place, sizeof place);
        array_at(&nodes, its_task->node)->container = place;
        it->task_number = (uint32_t)number + 1;
        it->thread_number = ++its_task->threads;
    }
    map_free(&task_map);
    map_free(&node_map);
}

/* Lists threads task by task, and gives each a CPU of its own on the node of its task. */
static void number_cpus(void)
{
    uint32_t before = 0, sum = 0;
    for (size_t i = 0; i < tasks.count; i++) {
        tasks.items[i].first = before;
        before += tasks.items[i].threads;
        nodes.items[tasks.items[i].node].cpus += tasks.items[i].threads;
    }
    for (size_t i = 0; i < nodes.count; i++) {
        nodes.items[i].first = sum;
        sum += nodes.items[i].cpus;
        for (uint32_t k = 0; k < nodes.items[i].cpus; k++)
            *array_push(&cpus) = (uint32_t)i;
        nodes.items[i].cpus = 0;
    }
    for (uint32_t i = 0; i < rows.count; i++) {
        const row *it = &rows.items[i];
        if (it->is_thread)
            *array_at(&threads, tasks.items[it->task_number - 1].first + it->thread_number - 1) = i;
    }
    for (size_t i = 0; i < threads.count; i++) {
        row *it = &rows.items[threads.items[i]];
        node *place = &nodes.items[tasks.items[it->task_number - 1].node];
        it->cpu = place->first + ++place->cpus;
        it->place = places.size;
        put_number(&places, it->cpu, ':');
        text_puts(&places, "1:");
        put_number(&places, it->task_number, ':');
        put_number(&places, it->thread_number, ':');
        it->place_size = places.size - it->place;
    }
}

void rows_number(void)
{
    int is_any = 0;
    for (size_t i = 0; i < rows.count; i++) {
        row *it = &rows.items[i];
        it->is_thread = it->is_used || (it->is_shown && !it->has_children && i != ROOT);
        is_any |= it->is_thread;
    }
    if (!is_any) /* Paraver needs one */
        rows.items[ROOT].is_thread = 1;
    number_tasks();
    number_cpus();
}

/* ---- text */

void rows_put_header(text_buffer *text)
{
    put_number(text, (uint32_t)nodes.count, '(');
    for (size_t i = 0; i < nodes.count; i++)
        put_number(text, nodes.items[i].cpus, i + 1 < nodes.count ? ',' : ')');
    text_puts(text, ":1:");
    put_number(text, (uint32_t)tasks.count, '(');
    for (size_t i = 0; i < tasks.count; i++) {
        put_number(text, tasks.items[i].threads, ':');
        put_number(text, tasks.items[i].node + 1, i + 1 < tasks.count ? ',' : ')');
    }
}

void rows_put_thread(text_buffer *text, uint32_t container)
{
    const row *it = &rows.items[container];
    text_put(text, places.bytes + it->place, it->place_size);
}

static void put_name(text_buffer *text, uint32_t container)
{
    if (container == NONE)
        text_puts(text, "all");
    else
        labels_put_name(text, (pajesim_text){names.bytes + rows.items[container].name,
                                             rows.items[container].name_size});
}

void rows_put_names(text_buffer *text)
{
    text_printf(text, "LEVEL CPU SIZE %zu\n", cpus.count);
    for (size_t i = 0; i < cpus.count; i++) {
        put_number(text, (uint32_t)i - nodes.items[cpus.items[i]].first + 1, '.');
        put_name(text, nodes.items[cpus.items[i]].container);
        text_putc(text, '\n');
    }
    text_printf(text, "\nLEVEL NODE SIZE %zu\n", nodes.count);
    for (size_t i = 0; i < nodes.count; i++) {
        put_name(text, nodes.items[i].container);
        text_putc(text, '\n');
    }
    text_printf(text, "\nLEVEL THREAD SIZE %zu\n", threads.count);
    for (size_t i = 0; i < threads.count; i++) {
        uint32_t thread = threads.items[i], its_task = tasks.items[rows.items[thread].task_number - 1].container;
        if (its_task != thread) {
            put_name(text, its_task);
            text_putc(text, '/');
        }
        put_name(text, thread);
        text_putc(text, '\n');
    }
    text_printf(text, "\nLEVEL TASK SIZE %zu\n", tasks.count);
    for (size_t i = 0; i < tasks.count; i++) {
        put_name(text, tasks.items[i].container);
        text_putc(text, '\n');
    }
}
