/* paje info: the definitions, types and containers of a trace, and how many entities of each type there are. */
#include "paje.h"

#include <stdlib.h>
#include <string.h>

enum { TYPES = PAJE_LONG_ONLY, CONTAINERS };

static int what; /* 0: all of it; TYPES or CONTAINERS: pj_dump's table */

/* A type, a container, or a value.  The roots have index 0, which is what the user's word of every ref is at first. */
typedef struct node {
    pajesim_text name, alias;
    size_t parent; /* of a value its type */
    size_t type;   /* of a container */
    pajesim_kind kind;
    pajesim_time start, end;
    uint64_t entities;
} node;

/* What was collected, in order of appearance; `sorted`, at the end, by parent, then as pj_dump keeps children: by the
 * identifier of the container's type, then by their own. */
typedef struct nodes {
    node *at;
    size_t count, room;
    size_t *sorted;
    size_t *first; /* of node i's children in `sorted`; they end where those of node i + 1 begin */
} nodes;

static nodes types, containers, values;
static paje_set known_values; /* type and identifier of each of `values` */
static paje_buffer definitions;

static pajesim_text copy(pajesim_text text)
{
    char *bytes = paje_room(NULL, text.size);
    memcpy(bytes, text.bytes, text.size);
    return (pajesim_text){bytes, text.size};
}

static node *add_node(nodes *list, pajesim_text name, pajesim_text alias)
{
    if (list->count == list->room) {
        list->room += list->room / 2 + 64;
        list->at = paje_room(list->at, list->room * sizeof *list->at);
    }
    node *it = memset(&list->at[list->count++], 0, sizeof *it);
    it->name = copy(name);
    it->alias = copy(alias);
    return it;
}

/* ---- collecting */

static size_t index_of(pajesim *sim, pajesim_ref ref)
{
    return (size_t)*pajesim_word(sim, ref);
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
    paje_add(&definitions, "  ", 2);
    paje_add_text(&definitions, it->name);
    paje_add(&definitions, " ", 1);
    paje_add_text(&definitions, it->number);
    for (uint32_t i = 0; pajesim_definition_field(sim, it->ref, i, &field); i++) {
        paje_addf(&definitions, i ? ", " : ": ");
        paje_add_text(&definitions, field.name);
        if (field.role == PAJESIM_USER_FIELD)
            paje_addf(&definitions, " (user)");
    }
    paje_add(&definitions, "\n", 1);
    return PAJESIM_GO_ON;
}

static int new_type(pajesim *sim, const pajesim_type_info *type)
{
    *pajesim_word(sim, type->ref) = types.count;
    node *it = add_node(&types, type->name, type->alias);
    it->kind = type->kind;
    it->parent = index_of(sim, type->parent);
    return PAJESIM_GO_ON;
}

static void add_value(size_t type, pajesim_text name, pajesim_text alias)
{
    static paje_buffer key;
    key.size = 0;
    paje_addf(&key, "%zu ", type);
    paje_add_text(&key, alias);
    if (paje_set_add(&known_values, key.bytes, key.size) == values.count)
        add_node(&values, name, alias)->parent = type;
}

static int new_value(pajesim *sim, const pajesim_value_info *value)
{
    add_value(index_of(sim, value->type), value->name, value->alias);
    return PAJESIM_GO_ON;
}

static int container_created(pajesim *sim, const pajesim_entity *container)
{
    *pajesim_word(sim, container->container) = containers.count;
    node *it = add_node(&containers, pajesim_name(sim, container->container),
                        pajesim_alias(sim, container->container));
    it->parent = index_of(sim, pajesim_parent(sim, container->container));
    it->type = index_of(sim, container->type);
    it->start = container->start;
    return PAJESIM_GO_ON;
}

static int closed(pajesim *sim, const pajesim_entity *entity)
{
    size_t type = index_of(sim, entity->type);
    types.at[type].entities++;
    if (entity->kind == PAJESIM_CONTAINER)
        containers.at[index_of(sim, entity->container)].end = entity->end;
    else if (entity->kind != PAJESIM_VARIABLE && !entity->value)
        add_value(type, entity->value_name, entity->value_name);
    return PAJESIM_GO_ON;
}

/* ---- sorting */

static const nodes *being_sorted;

static int compare_texts(pajesim_text a, pajesim_text b)
{
    int order = memcmp(a.bytes, b.bytes, a.size < b.size ? a.size : b.size);
    return order ? order : (a.size > b.size) - (a.size < b.size);
}

static int compare(const void *left, const void *right)
{
    size_t l = *(const size_t *)left, r = *(const size_t *)right;
    const node *a = &being_sorted->at[l], *b = &being_sorted->at[r];
    int order = (a->parent > b->parent) - (a->parent < b->parent);
    if (!order && a->type != b->type)
        order = compare_texts(types.at[a->type].alias, types.at[b->type].alias);
    if (!order)
        order = compare_texts(a->alias, b->alias);
    return order ? order : (l > r) - (l < r);
}

/* `roots` nodes at the start are nobody's children. */
static void sort(nodes *list, size_t parents, size_t roots)
{
    size_t count = list->count - roots;
    list->sorted = paje_room(NULL, count * sizeof *list->sorted);
    list->first = paje_room(NULL, (parents + 1) * sizeof *list->first);
    for (size_t i = 0; i < count; i++)
        list->sorted[i] = i + roots;
    being_sorted = list;
    qsort(list->sorted, count, sizeof *list->sorted, compare);
    size_t at = 0;
    for (size_t parent = 0; parent <= parents; parent++) {
        while (at < count && list->at[list->sorted[at]].parent < parent)
            at++;
        list->first[parent] = at;
    }
}

/* ---- a stack of nodes to visit, in place of a recursion as deep as the trace likes */

typedef struct visit {
    size_t node, depth;
} visit;

static struct {
    visit *at;
    size_t count, room;
} stack;

static void push(size_t one, size_t depth)
{
    if (stack.count == stack.room) {
        stack.room += stack.room / 2 + 64;
        stack.at = paje_room(stack.at, stack.room * sizeof *stack.at);
    }
    stack.at[stack.count++] = (visit){one, depth};
}

/* The next to visit; answers 0 when all were. */
static int pop(visit *next)
{
    if (stack.count == 0)
        return 0;
    *next = stack.at[--stack.count];
    return 1;
}

static void push_children(const nodes *list, size_t parent, size_t depth)
{
    for (size_t i = list->first[parent + 1]; i-- > list->first[parent];)
        push(list->sorted[i], depth);
}

/* ---- pj_dump's tables, in the order of its walk */

static void print(const char *before, pajesim_text text)
{
    paje_addf(&paje_output, "%s", before);
    paje_add_text(&paje_output, text);
}

static void print_type_row(const node *type)
{
    print("", types.at[type->parent].name);
    print(", ", type->name);
    paje_addf(&paje_output, ", %s", pajesim_kind_name(type->kind));
    paje_end_line();
}

static void print_value_rows(size_t type)
{
    for (size_t i = values.first[type]; i < values.first[type + 1]; i++) {
        print("", types.at[type].name);
        print(", ", values.at[values.sorted[i]].name);
        paje_addf(&paje_output, ", Value");
        paje_end_line();
    }
}

static void print_type_table(void)
{
    visit next;
    paje_addf(&paje_output, "Parent, Name, Nature");
    paje_end_line();
    push(0, 0);
    while (pop(&next)) {
        for (size_t i = types.first[next.node + 1]; i-- > types.first[next.node];) {
            size_t child = types.sorted[i];
            print_type_row(&types.at[child]);
            print_value_rows(child);
            push(child, 0);
        }
    }
}

static void print_container_rows(size_t one)
{
    const node *container = &containers.at[one];
    print("", containers.at[container->parent].name);
    print(", ", container->name);
    print(", ", types.at[container->type].name);
    paje_addf(&paje_output, ", Container");
    paje_end_line();
    for (size_t i = types.first[container->type]; i < types.first[container->type + 1]; i++) {
        const node *type = &types.at[types.sorted[i]];
        if (type->kind == PAJESIM_CONTAINER)
            continue;
        print("", container->name);
        print(", ", type->name);
        print(", ", type->name);
        paje_addf(&paje_output, ", %s", pajesim_kind_name(type->kind));
        paje_end_line();
    }
}

static void print_container_table(void)
{
    visit next;
    paje_addf(&paje_output, "Parent, Name, Type, Nature");
    paje_end_line();
    push(0, 0);
    while (pop(&next)) {
        print_container_rows(next.node);
        for (size_t i = containers.first[next.node]; i < containers.first[next.node + 1]; i++)
            push(containers.sorted[i], 0);
    }
}

/* ---- all of it, to read */

static void indent(size_t depth)
{
    paje_addf(&paje_output, "%*s", (int)(2 + 2 * (depth < 60 ? depth : 60)), "");
}

static void print_name(const node *it)
{
    paje_add_text(&paje_output, it->name);
    if (compare_texts(it->name, it->alias) != 0)
        print(" = ", it->alias);
}

static void print_type_tree(void)
{
    visit next;
    paje_addf(&paje_output, "Types (name = alias), with their entities and values\n");
    push(0, 0);
    while (pop(&next)) {
        const node *type = &types.at[next.node];
        indent(next.depth);
        print_name(type);
        paje_addf(&paje_output, ": %s, %llu", pajesim_kind_name(type->kind), (unsigned long long)type->entities);
        for (size_t i = values.first[next.node]; i < values.first[next.node + 1]; i++) {
            paje_addf(&paje_output, i == values.first[next.node] ? "; " : ", ");
            print_name(&values.at[values.sorted[i]]);
        }
        paje_end_line();
        push_children(&types, next.node, next.depth + 1);
    }
}

static void print_container_tree(void)
{
    visit next;
    paje_addf(&paje_output, "Containers (name = alias), with their type, start and end\n");
    push(0, 0);
    while (pop(&next)) {
        const node *container = &containers.at[next.node];
        indent(next.depth);
        print_name(container);
        print(": ", types.at[container->type].name);
        paje_addf(&paje_output, ", %.15g to %.15g", container->start, container->end);
        paje_end_line();
        push_children(&containers, next.node, next.depth + 1);
    }
}

static void end(paje_run *run, int trace)
{
    (void)run;
    (void)trace;
    sort(&types, types.count, 1);
    sort(&values, types.count, 0);
    sort(&containers, containers.count, 1);
    if (what == TYPES) {
        print_type_table();
    } else if (what == CONTAINERS) {
        print_container_table();
    } else {
        paje_addf(&paje_output, "Event definitions\n");
        paje_add(&paje_output, definitions.bytes, definitions.size);
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
    {TYPES, "types", NULL, "print the table of pj_dump --type-hierarchy in place of all that"},
    {CONTAINERS, "containers", NULL, "print the table of pj_dump --entity-hierarchy in place of all that"},
    {0, NULL, NULL, NULL},
};

const paje_plugin paje_info = {
    .name = "info",
    .summary = "Prints the definitions, the tree of types, their counts, and the tree of containers",
    .traces = 1,
    .options = option_table,
    .option = option,
    .callbacks = {.definition = definition, .new_type = new_type, .new_value = new_value,
                  .container_created = container_created, .closed = closed},
    .begin = begin,
    .end = end,
};
