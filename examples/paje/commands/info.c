/* paje info: prints the definitions, types and containers of a trace, and the number of entities of each type. */
#include "command.h"

#include <stdlib.h>
#include <string.h>

enum { TYPES = PAJE_LONG_ONLY, CONTAINERS };

static int what; /* 0: everything; TYPES or CONTAINERS: that table of pj_dump */

/* A type, a container or a value.  Its index is kept in the user's word of its ref.  The roots have index 0, as that
 * word is 0 at first. */
typedef struct node {
    pajesim_text name, alias;
    size_t parent; /* of a value its type */
    size_t type;   /* of a container */
    pajesim_kind kind;
    pajesim_time start, end;
    uint64_t entities;
    int is_shown; /* chosen, or leads to what is */
} node;

/* Nodes in order of appearance.  `sorted` has their indexes by parent, then in pj_dump's order: by identifier of the
 * container's type, then by their own. */
typedef struct nodes {
    array_of(node) all;
    size_t *sorted;
    size_t *first; /* children of node i are sorted[first[i]] to sorted[first[i + 1] - 1] */
} nodes;

static nodes types, containers, values;
static hash_map known_values; /* type and identifier of each of `values` */
static text_buffer definitions;

static pajesim_text copy(pajesim_text text)
{
    char *bytes = memory_alloc(text.size, 1);
    memcpy(bytes, text.bytes, text.size);
    return (pajesim_text){bytes, text.size};
}

static node *add_node(nodes *list, pajesim_text name, pajesim_text alias)
{
    node *it = array_push(&list->all);
    it->name = copy(name);
    it->alias = copy(alias);
    return it;
}

/* ---- collecting */

static size_t index_of(pajesim *sim, pajesim_ref ref)
{
    return (size_t)*pajesim_user_data(sim, ref);
}

static void begin(paje_run *run, int trace)
{
    (void)trace;
    const pajesim *sim = &run->sim;
    pajesim_ref type = pajesim_root_type(sim), root = pajesim_root(sim);
    add_node(&types, pajesim_name(sim, type), pajesim_alias(sim, type))->kind = PAJESIM_CONTAINER;
    add_node(&containers, pajesim_name(sim, root), pajesim_alias(sim, root));
}

static int definition(pajesim *sim, const pajesim_definition *it)
{
    pajesim_field field;
    text_puts(&definitions, "  ");
    text_put_printable(&definitions, it->name);
    text_putc(&definitions, ' ');
    text_put_printable(&definitions, it->number);
    for (uint32_t i = 0; pajesim_definition_field(sim, it->ref, i, &field); i++) {
        text_printf(&definitions, i ? ", " : ": ");
        text_put_printable(&definitions, field.name);
        if (field.role == PAJESIM_USER_FIELD)
            text_printf(&definitions, " (user)");
    }
    text_putc(&definitions, '\n');
    return PAJESIM_GO_ON;
}

static int new_type(pajesim *sim, const pajesim_type_info *type)
{
    *pajesim_user_data(sim, type->ref) = types.all.count;
    node *it = add_node(&types, type->name, type->alias);
    it->is_shown = paje_shows_type(sim, type->ref);
    it->kind = type->kind;
    it->parent = index_of(sim, type->parent);
    return PAJESIM_GO_ON;
}

static void add_value(size_t type, pajesim_text name, pajesim_text alias)
{
    static text_buffer key;
    key.size = 0;
    text_printf(&key, "%zu ", type);
    text_append(&key, alias);
    if (map_add(&known_values, key.bytes, key.size) == values.all.count)
        add_node(&values, name, alias)->parent = type;
}

static int new_value(pajesim *sim, const pajesim_value_info *value)
{
    add_value(index_of(sim, value->type), value->name, value->alias);
    return PAJESIM_GO_ON;
}

static int container_created(pajesim *sim, const pajesim_entity *container)
{
    *pajesim_user_data(sim, container->container) = containers.all.count;
    node *it = add_node(&containers, pajesim_name(sim, container->container),
                        pajesim_alias(sim, container->container));
    it->parent = index_of(sim, pajesim_parent(sim, container->container));
    it->type = index_of(sim, container->type);
    it->start = container->start;
    return PAJESIM_GO_ON;
}

static int closed(pajesim *sim, const pajesim_entity *entity)
{
    if (entity->kind == PAJESIM_CONTAINER)
        containers.all.items[index_of(sim, entity->container)].end = entity->end;
    if (!paje_shows(sim, entity))
        return PAJESIM_GO_ON;
    size_t type = index_of(sim, entity->type);
    types.all.items[type].entities++;
    containers.all.items[index_of(sim, entity->container)].is_shown = 1;
    if (entity->kind != PAJESIM_CONTAINER && entity->kind != PAJESIM_VARIABLE && !entity->value)
        add_value(type, entity->value_name, entity->value_name);
    return PAJESIM_GO_ON;
}

/* ---- sorting */

static const nodes *being_sorted;

static int compare(const void *left, const void *right)
{
    size_t l = *(const size_t *)left, r = *(const size_t *)right;
    const node *a = &being_sorted->all.items[l], *b = &being_sorted->all.items[r];
    int order = (a->parent > b->parent) - (a->parent < b->parent);
    if (!order && a->type != b->type)
        order = text_compare(types.all.items[a->type].alias, types.all.items[b->type].alias);
    if (!order)
        order = text_compare(a->alias, b->alias);
    return order ? order : (l > r) - (l < r);
}

/* The first `roots` nodes have no parent. */
static void sort(nodes *list, size_t parents, size_t roots)
{
    size_t count = list->all.count - roots;
    list->sorted = memory_alloc(count, sizeof *list->sorted);
    list->first = memory_alloc((parents + 1), sizeof *list->first);
    for (size_t i = 0; i < count; i++)
        list->sorted[i] = i + roots;
    being_sorted = list;
    qsort(list->sorted, count, sizeof *list->sorted, compare);
    size_t at = 0;
    for (size_t parent = 0; parent <= parents; parent++) {
        while (at < count && list->all.items[list->sorted[at]].parent < parent)
            at++;
        list->first[parent] = at;
    }
}

/* ---- a stack of nodes to visit; recursion might be as deep as the trace demands */

typedef struct visit {
    size_t node, depth;
} visit;

static array_of(visit) stack;

static void push(size_t one, size_t depth)
{
    *array_push(&stack) = (visit){one, depth};
}

/* Returns 0 when no node is left to visit. */
static int pop(visit *next)
{
    if (stack.count == 0)
        return 0;
    *next = stack.items[--stack.count];
    return 1;
}

static void push_children(const nodes *list, size_t parent, size_t depth)
{
    for (size_t i = list->first[parent + 1]; i-- > list->first[parent];)
        if (list->all.items[list->sorted[i]].is_shown)
            push(list->sorted[i], depth);
}

/* ---- pj_dump's tables, in its order */

static void print(const char *before, pajesim_text text)
{
    text_printf(&stream_output, "%s", before);
    text_append(&stream_output, text);
}

static void print_type_row(const node *type)
{
    print("", types.all.items[type->parent].name);
    print(", ", type->name);
    text_printf(&stream_output, ", %s", pajesim_kind_name(type->kind));
    stream_end_line();
}

static void print_value_rows(size_t type)
{
    for (size_t i = values.first[type]; i < values.first[type + 1]; i++) {
        print("", types.all.items[type].name);
        print(", ", values.all.items[values.sorted[i]].name);
        text_printf(&stream_output, ", Value");
        stream_end_line();
    }
}

static void print_type_table(void)
{
    visit next;
    text_printf(&stream_output, "Parent, Name, Nature");
    stream_end_line();
    push(0, 0);
    while (pop(&next)) {
        for (size_t i = types.first[next.node + 1]; i-- > types.first[next.node];) {
            size_t child = types.sorted[i];
            if (!types.all.items[child].is_shown)
                continue;
            print_type_row(&types.all.items[child]);
            print_value_rows(child);
            push(child, 0);
        }
    }
}

static void print_container_rows(size_t one)
{
    const node *container = &containers.all.items[one];
    print("", containers.all.items[container->parent].name);
    print(", ", container->name);
    print(", ", types.all.items[container->type].name);
    text_printf(&stream_output, ", Container");
    stream_end_line();
    for (size_t i = types.first[container->type]; i < types.first[container->type + 1]; i++) {
        const node *type = &types.all.items[types.sorted[i]];
        if (type->kind == PAJESIM_CONTAINER || !type->is_shown)
            continue;
        print("", container->name);
        print(", ", type->name);
        print(", ", type->name);
        text_printf(&stream_output, ", %s", pajesim_kind_name(type->kind));
        stream_end_line();
    }
}

static void print_container_table(void)
{
    visit next;
    text_printf(&stream_output, "Parent, Name, Type, Nature");
    stream_end_line();
    push(0, 0);
    while (pop(&next)) {
        print_container_rows(next.node);
        for (size_t i = containers.first[next.node]; i < containers.first[next.node + 1]; i++)
            if (containers.all.items[containers.sorted[i]].is_shown)
                push(containers.sorted[i], 0);
    }
}

/* ---- trees for human readers */

static void indent(size_t depth)
{
    text_printf(&stream_output, "%*s", (int)(2 + 2 * (depth < 60 ? depth : 60)), "");
}

static void print_text(const char *before, pajesim_text text)
{
    text_puts(&stream_output, before);
    text_put_printable(&stream_output, text);
}

static void print_name(const node *it)
{
    print_text("", it->name);
    if (text_compare(it->name, it->alias) != 0)
        print_text(" = ", it->alias);
}

static void print_type_tree(void)
{
    visit next;
    text_printf(&stream_output, "Types (name = alias), with their entities and values\n");
    push(0, 0);
    while (pop(&next)) {
        const node *type = &types.all.items[next.node];
        indent(next.depth);
        print_name(type);
        text_printf(&stream_output, ": %s, %llu", pajesim_kind_name(type->kind), (unsigned long long)type->entities);
        for (size_t i = values.first[next.node]; i < values.first[next.node + 1]; i++) {
            text_printf(&stream_output, i == values.first[next.node] ? "; " : ", ");
            print_name(&values.all.items[values.sorted[i]]);
        }
        stream_end_line();
        push_children(&types, next.node, next.depth + 1);
    }
}

static void print_container_tree(void)
{
    visit next;
    text_printf(&stream_output, "Containers (name = alias), with their type, start and end\n");
    push(0, 0);
    while (pop(&next)) {
        const node *container = &containers.all.items[next.node];
        indent(next.depth);
        print_name(container);
        print_text(": ", types.all.items[container->type].name);
        text_printf(&stream_output, ", %.15g to %.15g", container->start, container->end);
        stream_end_line();
        push_children(&containers, next.node, next.depth + 1);
    }
}

/* Marks all ancestors of shown nodes.  Parents come before their children. */
static void show_parents(nodes *list)
{
    for (size_t i = list->all.count; i-- > 1;)
        if (list->all.items[i].is_shown)
            list->all.items[list->all.items[i].parent].is_shown = 1;
}

static void end(paje_run *run, int trace)
{
    (void)trace;
    paje_suggest_unit(run);
    show_parents(&types);
    show_parents(&containers);
    sort(&types, types.all.count, 1);
    sort(&values, types.all.count, 0);
    sort(&containers, containers.all.count, 1);
    if (what == TYPES) {
        print_type_table();
    } else if (what == CONTAINERS) {
        print_container_table();
    } else {
        text_printf(&stream_output, "Event definitions\n");
        text_put(&stream_output, definitions.bytes, definitions.size);
        print_type_tree();
        print_container_tree();
    }
}

static const char *option(int key, const char *argument, paje_settings *settings)
{
    (void)argument;
    (void)settings;
    what = key;
    return NULL;
}

static const paje_option option_table[] = {
    {TYPES, "types", NULL, "print the table of pj_dump --type-hierarchy instead"},
    {CONTAINERS, "containers", NULL, "print the table of pj_dump --entity-hierarchy instead"},
    {0, NULL, NULL, NULL},
};

const paje_command command_info = {
    .name = "info",
    .summary = "Prints the definitions, the tree of types, their counts, and the tree of containers",
    .details = "Filters choose the entities that are counted, and the types and containers that are printed, with\n"
               "those that lead to them.",
    .traces = 1,
    .trials = "FILE\n--types FILE\n--containers FILE\n--container p --type S -s 2 FILE\n--unit ms FILE",
    .filters = PAJE_FILTERS | PAJE_SEES_ALL,
    .options = option_table,
    .option = option,
    .callbacks = {.definition = definition, .new_type = new_type, .new_value = new_value,
                  .container_created = container_created, .closed = closed},
    .begin = begin,
    .end = end,
};
