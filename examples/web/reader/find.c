/* Finds the next entity of a value, or the next change of a band, in the whole trace. */
#include "reader/web.h"

static view_search search;

/* Begins to search from an instant for a value whose name has that part (in the request, ended by NUL), or for a change
 * of a band.  web_found() says what came of it. */
WEB_EXPORT(web_find) void web_find(double from, int back, uint32_t band)
{
    view_tree *tree = web_input.tree;
    view_stop_scan(&web_input);
    text_free(&search.name);
    search = (view_search){.what = VIEW_VALUES, .back = back, .from = from};
    if (band < tree->bands.count) {
        search.what = VIEW_CHANGES;
        search.of_band = tree->bands.items[band];
        search.of_node = web_band_node(tree, band);
    } else {
        text_puts(&search.name, (const char *)web_request);
    }
    if (!view_find(&search, &web_input.readers[VIEW_WHOLE].store, web_input.index != NULL))
        view_scan(&web_input, &search);
}

/* Returns as JSON whether the search goes on, and what was found: node, band and time. */
WEB_EXPORT(web_found) web_result *web_found(void)
{
    static text_buffer text;
    const view_tree *tree = web_input.tree;
    text_clear(&text);
    text_printf(&text, "{\"searching\":%d,\"found\":%d", web_input.state == VIEW_SCANNING, search.found);
    if (search.found) {
        uint32_t band = 0;
        while (band < tree->bands.count && tree->bands.items[band] != search.band)
            band++;
        text_printf(&text, ",\"node\":%lu,\"band\":%lu,\"time\":", (unsigned long)search.node, (unsigned long)band);
        text_put_number(&text, search.start);
    }
    text_puts(&text, "}");
    return web_return_text(&text);
}
