/* Both traces as one picture, each from its first event on: as paje svg draws them, one below the other. */
#include "commands/svg/svg.h"
#include "diff.h"

static svg_picture picture = {.out = &stream_output, .width = 1000, .height = 900};

static struct {
    int is_known;
    double time; /* of the first event; 0 with -s or -e, as these are times of the traces */
} origin;

static pajesim_entity shifted(const pajesim_entity *entity)
{
    pajesim_entity copy = *entity;
    copy.start -= origin.time;
    copy.end -= origin.time;
    return copy;
}

static int line_read(pajesim *sim, const pajesim_line *line)
{
    const paje_run *run = pajesim_data(sim);
    const paje_filter *filter = &run->settings->filter;
    if (!origin.is_known && line->event >= PAJESIM_CREATE_CONTAINER && line->event != PAJESIM_TRACE_FILE) {
        origin.is_known = 1;
        origin.time = filter->has_start || filter->has_end ? 0 : line->time;
    }
    return PAJESIM_GO_ON;
}

static int container_created(pajesim *sim, const pajesim_entity *container)
{
    pajesim_entity copy = shifted(container);
    return timeline_container_created(sim, &copy);
}

static int closed(pajesim *sim, const pajesim_entity *entity)
{
    pajesim_entity copy = shifted(entity);
    if (entity->kind == PAJESIM_CONTAINER && entity->container == pajesim_root(sim)) /* it begins at 0 */
        return PAJESIM_GO_ON;
    return timeline_closed(sim, &copy);
}

static void begin(paje_run *run, int trace)
{
    text_buffer name = {0};
    origin.is_known = 0;
    origin.time = 0;
    picture.title = diff_options.title;
    if (diff_options.has_format)
        paje_usage(run->settings->command, "-o and --svg draw a picture, but --format is for tables");
    if (trace == 0) {
        svg_limit(&picture);
        if (!timeline_begin(&picture.tl, run))
            paje_usage(run->settings->command, "the end, -e, is not after the start, -s");
        if (diff_options.output)
            svg_open_file(diff_options.output, 1);
    }
    text_printf(&name, "%c: %s", 'A' + trace, run->source->name);
    timeline_begin_part(&picture.tl, run, text_view(&name));
    text_free(&name);
}

static void end(paje_run *run, int trace)
{
    static const time_unit *told_unit;
    paje_compare_unit(run, &told_unit);
    if (trace == 0)
        return;
    timeline_finish(&picture.tl, run);
    svg_draw(&picture);
}

void diff_draw(paje_settings *settings)
{
    settings->callbacks = (pajesim_callbacks){.new_type = timeline_new_type, .new_value = timeline_new_value,
                                              .line = line_read, .container_created = container_created,
                                              .closed = closed};
    settings->begin = begin;
    settings->end = end;
    settings->filter.keeps_unit = 1;
}
