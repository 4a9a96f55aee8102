/* Types, values and containers, as pj_dump prints them. */
#include "dump.h"

#include <stdlib.h>

typedef struct value {
    pajesim_ref type;
    const char *alias, *name; /* alias: the identifier */
} value;

static array_of(value) values;
static hash_map known_values; /* type and alias */
static int has_alias;         /* the line defines something with an alias */

void dump_note_alias(const pajesim *sim, const pajesim_line *line)
{
    has_alias = pajesim_line_role(sim, line, PAJESIM_ALIAS).size > 0;
}

void dump_note_type(pajesim *sim, const pajesim_type_info *type)
{
    *pajesim_user_data(sim, type->ref) = (pajesim_user_word)has_alias;
}

void dump_note_value(pajesim_ref type, pajesim_text alias, pajesim_text name)
{
    static text_buffer key;
    text_clear(&key);
    text_put(&key, (const char *)&type, sizeof type);
    text_append(&key, alias);
    size_t known = known_values.used;
    map_add(&known_values, key.bytes, key.size);
    if (known_values.used == known)
        return;
    value *it = array_push(&values);
    it->type = type;
    it->alias = dump_copy(alias);
    it->name = dump_copy(name);
}

static int compare_values(const void *a, const void *b)
{
    const value *x = a, *y = b;
    return x->type != y->type ? (x->type < y->type ? -1 : 1) : dump_compare(x->alias, y->alias);
}

/* ---- types, each before those in it, from the first or from the last one on */

typedef array_of(pajesim_ref) types;

static pajesim_ref next_type(types *stack)
{
    return stack->items[--stack->count];
}

static void put_name(text_buffer *text, const pajesim *sim, pajesim_ref ref)
{
    text_append(text, pajesim_name(sim, ref));
}

void dump_print_type_graph(pajesim *sim)
{
    static const char *const shapes[] = {
        [PAJESIM_CONTAINER] = "folder", [PAJESIM_STATE] = "rectangle", [PAJESIM_EVENT] = "oval",
        [PAJESIM_VARIABLE] = "plaintext", [PAJESIM_LINK] = "rarrow",
    };
    static types stack;
    text_buffer *out = &stream_output;
    text_puts(out, "digraph PajeTypes {\n");
    *array_push(&stack) = pajesim_root_type(sim);
    while (stack.count > 0) {
        pajesim_ref type = next_type(&stack);
        size_t count = 0;
        const pajesim_ref *inner = NULL;
        text_putc(out, '"');
        put_name(out, sim, type);
        text_printf(out, "\" [shape=%s, label=\"", shapes[pajesim_kind_of(sim, type)]);
        put_name(out, sim, type);
        text_puts(out, " (");
        if (type == pajesim_root_type(sim) || *pajesim_user_data(sim, type))
            text_append(out, pajesim_alias(sim, type));
        text_puts(out, ")\"];");
        stream_end_line();
        if (pajesim_kind_of(sim, type) == PAJESIM_CONTAINER)
            inner = dump_types_of(sim, type, &count);
        for (size_t i = count; i-- > 0;) {
            text_putc(out, '"');
            put_name(out, sim, type);
            text_puts(out, "\" -> \"");
            put_name(out, sim, inner[i]);
            text_puts(out, "\";");
            stream_end_line();
            *array_push(&stack) = inner[i];
        }
    }
    text_puts(out, "}");
    stream_end_line();
}

void dump_put_types(text_buffer *text, pajesim *sim)
{
    static types stack;
    text_puts(text, "Parent, Name, Nature\n");
    if (values.count)
        qsort(values.items, values.count, sizeof *values.items, compare_values);
    *array_push(&stack) = pajesim_root_type(sim);
    while (stack.count > 0) {
        pajesim_ref parent = next_type(&stack);
        size_t count;
        const pajesim_ref *inner = dump_types_of(sim, parent, &count);
        for (size_t i = count; i-- > 0;) {
            pajesim_kind kind = pajesim_kind_of(sim, inner[i]);
            put_name(text, sim, parent);
            text_puts(text, ", ");
            put_name(text, sim, inner[i]);
            text_printf(text, ", %s\n", pajesim_kind_name(kind));
            for (size_t k = 0; k < values.count; k++) {
                if (values.items[k].type != inner[i])
                    continue;
                put_name(text, sim, inner[i]);
                text_printf(text, ", %s, Value\n", values.items[k].name);
            }
            if (kind == PAJESIM_CONTAINER)
                *array_push(&stack) = inner[i];
        }
    }
}

/* ---- containers */

static int depth_of(const pajesim *sim, pajesim_ref type)
{
    int depth = 0;
    while ((type = pajesim_parent(sim, type)) != 0)
        depth++;
    return depth;
}

void dump_print_containers(const pajesim *sim)
{
    size_t count;
    const size_t *order = dump_containers(sim, DUMP_BY_NAME, &count);
    for (size_t i = 0; i < count; i++) {
        const dump_container *it = dump_container_at(order[i]);
        int depth = depth_of(sim, it->type);
        text_printf(&stream_output, "reportContainer |%*.*s%s (%s)", depth, depth, "| ", it->name, it->name);
        stream_end_line();
    }
}

void dump_put_entities(text_buffer *text, pajesim *sim)
{
    size_t count;
    const size_t *order = dump_containers(sim, DUMP_BY_TYPE, &count);
    text_puts(text, "Parent, Name, Type, Nature\n");
    for (size_t i = 0; i < count; i++) {
        const dump_container *it = dump_container_at(order[i]);
        size_t inner_count;
        const pajesim_ref *inner = dump_types_of(sim, it->type, &inner_count);
        text_printf(text, "%s, %s, ", dump_container_at(it->parent)->name, it->name);
        put_name(text, sim, it->type);
        text_puts(text, ", Container\n");
        for (size_t k = 0; k < inner_count; k++) {
            pajesim_kind kind = pajesim_kind_of(sim, inner[k]);
            if (kind == PAJESIM_CONTAINER)
                continue;
            text_printf(text, "%s, ", it->name);
            put_name(text, sim, inner[k]);
            text_puts(text, ", ");
            put_name(text, sim, inner[k]);
            text_printf(text, ", %s\n", pajesim_kind_name(kind));
        }
    }
}
