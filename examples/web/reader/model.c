/* Which types, values, containers and bands there are, as JSON: those that the page does not know yet. */
#include "reader/web.h"

#include <math.h>
#include <string.h>

static text_buffer text;

static void put_name(pajesim_text name)
{
    text_put_json(&text, name);
}

static void put_types(const view_tree *tree)
{
    text_puts(&text, "\"types\":[");
    for (size_t i = 0; i < tree->types.count; i++) { /* few, and their scales change */
        const view_type *type = &tree->types.items[i];
        text_printf(&text, "%s[", i ? "," : "");
        put_name(type->name);
        text_printf(&text, ",%d,%lu,", (int)type->kind, (unsigned long)type->color);
        text_put_number(&text, type->least);
        text_puts(&text, ",");
        text_put_number(&text, type->most);
        text_puts(&text, "]");
    }
}

static void put_values(const view_tree *tree, size_t from)
{
    text_puts(&text, "],\"values\":[");
    for (size_t i = from; i < tree->values.count; i++) {
        const view_value *value = &tree->values.items[i];
        text_printf(&text, "%s[", i > from ? "," : "");
        put_name(value->name);
        text_printf(&text, ",%lu,%lu]", (unsigned long)value->type, (unsigned long)value->color);
    }
}

static void put_nodes(const view_tree *tree, size_t from)
{
    text_puts(&text, "],\"nodes\":[");
    for (size_t i = from; i < tree->nodes.count; i++) {
        const view_node *node = &tree->nodes.items[i];
        text_printf(&text, "%s[", i > from ? "," : "");
        put_name(node->name);
        text_printf(&text, ",%lu,%lu,", (unsigned long)node->parent, (unsigned long)node->type);
        text_put_number(&text, isfinite(node->start) ? node->start : 0);
        text_puts(&text, "]");
    }
}

uint32_t web_band_node(const view_tree *tree, uint32_t band)
{
    uint32_t node;
    memcpy(&node, map_key(&tree->band_keys, band).bytes, sizeof node);
    return node;
}

static void put_bands(const view_tree *tree, size_t from)
{
    text_puts(&text, "],\"bands\":[");
    for (size_t i = from; i < tree->bands.count; i++)
        text_printf(&text, "%s[%lu,%d,%lu]", i > from ? "," : "", (unsigned long)web_band_node(tree, (uint32_t)i),
                    (int)tree->bands.items[i]->kind, (unsigned long)tree->bands.items[i]->type);
}

/* Returns what comes behind the first ones of each; of types all. */
WEB_EXPORT(web_model) web_result *web_model(uint32_t values, uint32_t nodes, uint32_t bands)
{
    const view_tree *tree = web_input.tree;
    web_color_values();
    text_clear(&text);
    text_puts(&text, "{");
    put_types(tree);
    put_values(tree, values);
    put_nodes(tree, nodes);
    put_bands(tree, bands);
    text_puts(&text, "]}");
    return web_return_text(&text);
}
