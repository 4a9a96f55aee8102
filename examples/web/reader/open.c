/* Opens the trace, reads on, and tells how far it is. */
#include "reader/web.h"
#include "replay/guess.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

view_input web_input;
uint32_t *web_request;
web_result web_answer;

static paje_settings settings;
static color_palette palette;
static int is_finished;

web_result *web_return_text(const text_buffer *text)
{
    web_answer = (web_result){text->bytes, (uint32_t)text->size};
    return &web_answer;
}

/* Returns a block of so many words for the next request. */
WEB_EXPORT(web_room) uint32_t *web_room(uint32_t words)
{
    web_request = memory_resize(web_request, words, sizeof *web_request);
    return web_request;
}

/* Opens TRACE within a budget of memory; the callbacks of its index are those of `paje index`. */
WEB_EXPORT(web_open) void web_open(double memory)
{
    view_begin_input(&web_input, &settings, "TRACE", (size_t)memory, &palette);
    view_open_input(&web_input);
}

/* Reads for so long.  Returns 1 if more can be read at once. */
WEB_EXPORT(web_read) int web_read(double seconds)
{
    return view_read(&web_input, seconds);
}

/* Ends a trace that will not grow: what is open ends, and the index is complete. */
WEB_EXPORT(web_finish) void web_finish(void)
{
    view_input *input = &web_input;
    paje_run *run = &input->readers[VIEW_WHOLE].run;
    if (is_finished || !input->at_end)
        return;
    is_finished = 1;
    input->is_index_full = 1; /* no other checkpoint is taken */
    if (input->index == &input->own_index) {
        pajesim_status status;
        size_t size = input->memory / 8;
        while ((status = pajesim_index_finish(input->index, &run->sim)) == PAJESIM_FULL && size < INDEX_MOST / 2) {
            size *= 2;
            pajesim_index_move(input->index, memory_alloc(size, 1), size);
        }
        if (status == PAJESIM_OK || status == PAJESIM_INVALID)
            return;
        input->index = NULL;
    }
    paje_finish_run(run);
}

static void put_number(text_buffer *text, const char *name, double number)
{
    text_printf(text, ",\"%s\":", name);
    text_put_number(text, isfinite(number) ? number : 0);
}

static void put_text(text_buffer *text, const char *name, const char *value)
{
    text_printf(text, ",\"%s\":", name);
    text_put_json(text, text_of(value ? value : ""));
}

/* Returns how far the trace was read, and what is known of it, as JSON. */
WEB_EXPORT(web_status) web_result *web_status(void)
{
    static text_buffer text;
    const view_input *input = &web_input;
    const view_reader *whole = &input->readers[VIEW_WHOLE], *part = &input->readers[VIEW_PART];
    const pajesim_counts *counts = pajesim_count(&whole->run.sim);
    text_clear(&text);
    text_printf(&text, "{\"finished\":%d,\"atEnd\":%d,\"loading\":%d,\"indexed\":%d", is_finished, input->at_end,
                input->state == VIEW_LOADING, input->index != NULL);
    put_number(&text, "first", view_first_time(input));
    put_number(&text, "last", view_last_time(input));
    put_number(&text, "front", whole->store.front);
    put_number(&text, "bytes", (double)counts->bytes);
    put_number(&text, "size", (double)whole->run.source->length);
    put_number(&text, "events", (double)counts->events);
    put_number(&text, "errors", (double)counts->errors);
    put_number(&text, "warnings", (double)counts->warnings);
    put_number(&text, "missing", (double)whole->run.file_errors);
    put_number(&text, "bin", whole->store.bin);
    put_number(&text, "partBin", part->store.bin);
    put_number(&text, "checkpoints", input->index ? pajesim_index_count(input->index) : 0);
    put_number(&text, "leftOut", (double)input->tree->left_out);
    put_number(&text, "linksLeftOut", (double)whole->store.links_left_out);
    text_printf(&text, ",\"noTrace\":%d,\"cut\":%d", whole->run.source->is_no_trace, input->is_cut);
    paje_unit_guess unit = paje_guess_unit(&whole->run);
    put_number(&text, "seconds", unit.unit ? unit.unit->seconds : 1);
    put_text(&text, "unitReason", unit.reason);
    put_text(&text, "why", input->why);
    text_puts(&text, "}");
    return web_return_text(&text);
}

/* Uses the index of TRACE.pajeidx from now on, in place of the one that is made meanwhile.  Returns 0 if a part is
 * being read, and nothing is done: call it again later. */
WEB_EXPORT(web_use_index) int web_use_index(void)
{
    view_input *input = &web_input;
    if (input->state == VIEW_LOADING || input->state == VIEW_SCANNING)
        return 0;
    if (paje_load_index(&input->index_file, &settings, "TRACE", 0, NULL, &input->why) == PAJE_INDEX_WHOLE)
        input->index = &input->index_file.index;
    return 1;
}

/* Returns the index as bytes to be kept, for commands. */
WEB_EXPORT(web_index) web_result *web_index(void)
{
    size_t size = 0;
    web_answer = (web_result){NULL, 0};
    if (web_input.index) {
        web_answer.bytes = pajesim_index_save(web_input.index, &size);
        web_answer.size = (uint32_t)size;
    }
    return &web_answer;
}
