/* Reads the trace in small steps, so that keys need not wait: from its beginning to its end; and, with the checkpoints
 * of an index, the part of it that is on the screen. */
#include "view.h"
#include "base/clock.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Shares of the memory: that of each arena, of nodes, of the index, of each store. */
enum { ARENA_SHARE = 4, NODE_SHARE = 6, INDEX_SHARE = 8, STORE_SHARE = 8, NODE_BYTES = 1024, LINKS = 8 };
enum { USUAL_MEMORY = 512 << 20, LEAST_MEMORY = 16 << 20 };
enum { MUCH = 32 << 20 /* bytes of the trace that take a while to read */ };
static const double stale_seconds = 0.5; /* until a part is read again because the trace has grown */

/* ---- callbacks */

static view_reader *reader_of(const pajesim *sim)
{
    return pajesim_data(sim);
}

int view_is_chosen(const pajesim *sim, const pajesim_entity *entity)
{
    return entity->kind == PAJESIM_CONTAINER ? paje_shows_container(sim, entity->container) : paje_shows(sim, entity);
}

static int container_created(pajesim *sim, const pajesim_entity *container)
{
    view_tree *tree = reader_of(sim)->store.tree;
    if (!view_is_chosen(sim, container))
        return PAJESIM_GO_ON;
    view_node_of(tree, sim, reader_of(sim)->store.which, container->container);
    return PAJESIM_GO_ON;
}

/* Makes bands of entities that may stay open to the end. */
static int opened(pajesim *sim, const pajesim_entity *entity)
{
    view_tree *tree = reader_of(sim)->store.tree;
    int which = reader_of(sim)->store.which;
    if (!view_is_chosen(sim, entity))
        return PAJESIM_GO_ON;
    uint32_t node = view_node_of(tree, sim, which, entity->container);
    if (node == VIEW_NO_NODE)
        return PAJESIM_GO_ON;
    view_band *band = view_band_of(tree, node, entity->kind, view_type_of(tree, sim, which, entity->type));
    band->depth = entity->imbrication > band->depth ? entity->imbrication : band->depth;
    if (entity->kind == PAJESIM_VARIABLE)
        view_note_number(tree, band, entity->number);
    return PAJESIM_GO_ON;
}

static int add(pajesim *sim, const pajesim_entity *entity)
{
    if (view_is_chosen(sim, entity))
        view_store_add(&reader_of(sim)->store, sim, entity);
    return PAJESIM_GO_ON;
}

/* Problems are only counted. */
static int problem(pajesim *sim, const pajesim_problem *it)
{
    (void)sim, (void)it;
    return PAJESIM_GO_ON;
}

static const pajesim_callbacks view_callbacks = {
    .problem = problem, .container_created = container_created, .state_set = opened, .state_pushed = opened,
    .variable_set = opened, .variable_updated = opened, .closed = add,
};

/* ---- the whole */

static int is_own(const view_input *input)
{
    return input->index == &input->own_index;
}

/* The simulation that extends the index; NULL: the index is complete. */
static const pajesim *extender_of(const view_input *input)
{
    return is_own(input)         ? &input->readers[VIEW_WHOLE].run.sim
           : input->ahead.arena ? &input->ahead.sim
                                : NULL;
}

static void borrow_run(view_input *input, paje_run *run)
{
    run->settings = &input->settings;
    run->source = input->readers[VIEW_WHOLE].run.source; /* for messages */
}

/* Extends an index from its last checkpoint on: the trace has grown since. */
static void extend_index(view_input *input)
{
    pajesim_index *index = &input->index_file.index;
    pajesim_checkpoint last = {0};
    paje_run *run = &input->ahead;
    pajesim_index_checkpoint(index, pajesim_index_count(index) - 1, &last);
    borrow_run(input, run);
    run->capacity = last.arena;
    run->arena = paje_arena(last.arena);
    if (pajesim_index_resume(index, &run->sim, run->arena, run->capacity, NULL, NULL) == PAJESIM_OK)
        input->index = index;
}

static void begin_index(view_input *input)
{
    size_t size = input->memory / INDEX_SHARE;
    paje_index_file *it = &input->index_file;
    paje_index_state state = paje_load_index(it, &input->settings, input->name, 0, NULL, &input->why);
    if (state == PAJE_INDEX_PART) { /* load it again, with memory to extend it */
        paje_release_index(it);
        state = paje_load_index(it, &input->settings, input->name, size, NULL, &input->why);
    }
    if (state == PAJE_INDEX_WHOLE)
        input->index = &it->index;
    else if (state == PAJE_INDEX_PART)
        extend_index(input);
    if (input->index)
        return;
    paje_release_index(it);
    if (pajesim_index_init(&input->own_index, memory_alloc(size, 1), size, NULL) == PAJESIM_OK &&
        pajesim_index_begin(&input->own_index, &input->readers[VIEW_WHOLE].run.sim) == PAJESIM_OK)
        input->index = &input->own_index;
}

/* 95 % of what is free, as Pajé takes. */
static size_t free_memory(void)
{
    uint64_t size = memory_available() / 20 * 19;
    size = size < SIZE_MAX / 2 ? size : SIZE_MAX / 2;
    return size > LEAST_MEMORY ? (size_t)size : LEAST_MEMORY;
}

void view_begin_input(view_input *input, const paje_settings *settings, const char *name, size_t memory,
                      const color_palette *palette)
{
    memset(input, 0, sizeof *input);
    view_tree *tree = input->tree = memory_alloc_zero(1, sizeof *tree);
    tree->palette = *palette;
    input->settings = *settings;
    input->name = name;
    input->memory = memory ? memory : USUAL_MEMORY;
    if (!memory)
        memory = free_memory();
    if (input->memory > memory)
        input->memory = memory;
    size_t pieces = input->memory / STORE_SHARE / sizeof(lane_piece);
    tree->most_nodes = memory / NODE_SHARE / NODE_BYTES;
    view_begin_tree(tree);
    for (int i = 0; i < VIEW_STORES; i++) {
        input->readers[i].input = input;
        view_begin_store(&input->readers[i].store, tree, i, pieces, pieces / LINKS);
    }
    if (!input->settings.arena)
        input->settings.arena = memory / ARENA_SHARE;
}

void view_open_input(view_input *input)
{
    struct stat status;
    view_reader *whole = &input->readers[VIEW_WHOLE];
    input->settings.filter.has_start = input->settings.filter.has_end = 0; /* the window may move anywhere */
    paje_open_run(&whole->run, &input->settings, input->name);
    whole->run.progress.is_shown = 0; /* the terminal is the screen */
    borrow_run(input, &input->readers[VIEW_PART].run);
    whole->run.callbacks = view_callbacks;
    paje_filter_run(&whole->run);
    whole->store.sim = &whole->run.sim;
    input->is_file = fstat(whole->run.source->file, &status) == 0 && S_ISREG(status.st_mode) &&
                     whole->run.source->begin == 0;
    if (input->is_file)
        begin_index(input);
}

/* Takes a checkpoint when one is due. */
static void step(view_input *input, pajesim *sim)
{
    if (input->is_index_full)
        return;
    pajesim_status status = pajesim_index_step(input->index, sim);
    input->is_index_full = status == PAJESIM_FULL; /* it stays as it is */
    if (status != PAJESIM_OK && status != PAJESIM_FULL)
        input->index = NULL; /* not supported: the trace includes other files */
}

/* Feeds a block of the file, up to `end`.  PAJESIM_STALE: nothing is left. */
static pajesim_status feed_block(paje_run *run, uint64_t end)
{
    static char bytes[1 << 16];
    uint64_t at = pajesim_count(&run->sim)->bytes;
    size_t most = end - at < sizeof bytes ? (size_t)(end - at) : sizeof bytes, taken = 0;
    ssize_t size = pread(run->source->file, bytes, most, (off_t)at);
    if (size <= 0)
        return PAJESIM_STALE;
    pajesim_status status = pajesim_feed(&run->sim, bytes, (size_t)size, &taken);
    if (status != PAJESIM_FULL)
        return status;
    paje_grow_run(run);
    return PAJESIM_OK;
}

/* Extends the index that was loaded.  Returns 0 if nothing is left to read. */
static int read_ahead(view_input *input)
{
    if (!input->index || is_own(input) || !input->ahead.arena)
        return 0;
    pajesim_status status = feed_block(&input->ahead, UINT64_MAX);
    if (status == PAJESIM_OK)
        step(input, &input->ahead.sim);
    return status == PAJESIM_OK;
}

/* Notes the last bytes that were read. */
static void note_last(view_input *input, const paje_source *source)
{
    size_t size = source->size < sizeof input->last ? source->size : sizeof input->last;
    if (size == 0 || source->includer)
        return;
    memcpy(input->last, source->bytes + source->size - size, size);
    input->last_size = size;
    input->last_end = source->consumed;
}

/* Whether other bytes are there by now. */
static int is_written_over(const view_input *input, const paje_source *source)
{
    char bytes[sizeof input->last];
    const size_t size = input->last_size;
    return input->last_end == source->consumed &&
           paje_read_at(source->file, bytes, size, input->last_end - size) == size &&
           memcmp(bytes, input->last, size) != 0;
}

/* Returns 0 if nothing can be read at once. */
static int read_whole(view_input *input)
{
    paje_run *run = &input->readers[VIEW_WHOLE].run;
    struct pollfd file = {run->source->file, POLLIN, 0};
    if (run->source->at == run->source->size && poll(&file, 1, 0) == 0)
        return 0;
    input->at_end = !paje_feed_run(run, SIZE_MAX);
    note_last(input, run->source);
    if (input->index && is_own(input))
        step(input, &run->sim);
    return !input->at_end;
}

/* Notes how long the file is, unless it is an included one that a program decompresses, and whether it was truncated,
 * and perhaps written again: what it becomes then may be another trace, which is not the rest of this one when it is
 * longer.  So nothing more is read. */
static void check_size(view_input *input)
{
    struct stat status;
    paje_source *source = input->readers[VIEW_WHOLE].run.source;
    if (!input->is_file || fstat(source->file, &status) < 0 || !S_ISREG(status.st_mode))
        return;
    source->length = (uint64_t)status.st_size;
    if (source->length < source->consumed ||
        (input->at_end && source->length > source->consumed && is_written_over(input, source)))
        input->is_cut = input->at_end = 1;
    if (input->at_end && source->length == source->consumed && paje_is_replaced(input->name, source->file))
        input->is_replaced = 1;
}

/* ---- the part */

static void stop_loading(view_input *input)
{
    input->state = VIEW_NOTHING;
    input->readers[VIEW_PART].store.sim = NULL;
}

/* Whether the part ends at a checkpoint.  That checkpoint may have been dropped since; then the next one will do.  Of
 * two at the same place, the second one comes after a last line without newline, which the part does not simulate. */
static int is_at_checkpoint(const view_input *input, uint32_t *number)
{
    pajesim_checkpoint at, before;
    *number = pajesim_index_at(input->index, input->goal);
    if (!pajesim_index_checkpoint(input->index, *number, &at) || at.offset != input->goal)
        return 0;
    if (*number > 0 && pajesim_index_checkpoint(input->index, *number - 1, &before) && before.offset == at.offset)
        --*number;
    return 1;
}

/* Restores the simulation of the part at a checkpoint.  Returns 0 if that fails. */
static int restore(view_input *input, uint32_t number, const pajesim_callbacks *callbacks)
{
    paje_run *run = &input->readers[VIEW_PART].run;
    pajesim_checkpoint at;
    if (!pajesim_index_checkpoint(input->index, number, &at))
        return 0;
    if (run->capacity < at.arena) {
        run->capacity = at.arena;
        free(run->arena);
        run->arena = paje_arena(at.arena);
    }
    run->callbacks = *callbacks;
    paje_free_choice(&run->choice); /* the image has other refs */
    paje_filter_run(run);
    return pajesim_index_restore(input->index, number, &run->sim, run->arena, run->capacity, &run->callbacks, run) ==
           PAJESIM_OK;
}

/* Where a part up to a checkpoint ends: behind the last one of a growing trace, at what has been read by now. */
static uint64_t end_at(view_input *input, uint32_t number)
{
    pajesim_checkpoint at = {0};
    input->is_front = number + 1 >= pajesim_index_count(input->index) && !pajesim_index_complete(input->index);
    pajesim_index_checkpoint(input->index, number, &at);
    if (extender_of(input))
        input->loaded_at = pajesim_count(extender_of(input))->bytes;
    return input->is_front ? input->loaded_at : at.offset;
}

/* Makes known what is open at a checkpoint: perhaps no line behind it tells of that. */
static void know_open(pajesim *sim)
{
    for (pajesim_ref at = pajesim_root(sim); at;) {
        pajesim_entity entity;
        pajesim_ref type = pajesim_first_child(sim, pajesim_type_of(sim, at));
        for (; type; type = pajesim_next_sibling(sim, type)) {
            uint32_t depth = pajesim_kind_of(sim, type) == PAJESIM_CONTAINER ? 0 : pajesim_depth(sim, at, type);
            if (depth && pajesim_open_entity(sim, at, type, depth - 1, &entity))
                opened(sim, &entity);
        }
        pajesim_ref next = pajesim_first_child(sim, at);
        while (!next && at) {
            next = pajesim_next_sibling(sim, at);
            at = pajesim_parent(sim, at);
        }
        at = next;
    }
}

static void ask_part(view_input *input, double from, double to)
{
    view_reader *part = &input->readers[VIEW_PART];
    uint32_t first = pajesim_index_before(input->index, from);
    stop_loading(input);
    view_empty_store(&part->store, from, to);
    if (!restore(input, first, &view_callbacks))
        return;
    part->store.sim = &part->run.sim;
    know_open(&part->run.sim);
    input->begun_at = pajesim_count(&part->run.sim)->bytes;
    input->goal = end_at(input, pajesim_index_after(input->index, to));
    input->state = VIEW_LOADING;
    input->since = clock_seconds();
}

/* Goes on without the index: what was read of the trace is not what it was made of. */
static void refuse_index(view_input *input)
{
    stop_loading(input);
    input->index = NULL;
    input->why = "the trace was changed since";
}

/* Adds what is open where the part ends, with the ends that the index knows; at the end of the trace it is open. */
static void end_part(view_input *input)
{
    view_reader *part = &input->readers[VIEW_PART];
    uint32_t number;
    if (is_at_checkpoint(input, &number)) {
        pajesim_status status;
        while ((status = pajesim_index_close_open(input->index, number, &part->run.sim, part->store.from,
                                                  part->store.to)) == PAJESIM_FULL)
            paje_grow_run(&part->run);
        if (status == PAJESIM_STALE) {
            refuse_index(input);
            return;
        }
        part->store.sim = NULL;
    }
    part->store.front = view_last_time(input);
    input->state = VIEW_LOADED;
}

/* Feeds a block of the part.  Returns 0 when it has reached its goal. */
static int feed_part(view_input *input)
{
    view_reader *part = &input->readers[VIEW_PART];
    if (pajesim_count(&part->run.sim)->bytes >= input->goal)
        return 0;
    if (feed_block(&part->run, input->goal) != PAJESIM_OK) { /* the file was truncated, or includes others */
        stop_loading(input);
        input->index = NULL;
    }
    return 1;
}

static void read_part(view_input *input)
{
    view_reader *part = &input->readers[VIEW_PART];
    if (!feed_part(input))
        end_part(input);
    else
        part->store.front = pajesim_count(&part->run.sim)->last;
}

/* ---- a search: from one checkpoint to the next, until no other stretch can have a nearer match */

static int consider(pajesim *sim, const pajesim_entity *entity)
{
    view_input *input = reader_of(sim)->input;
    if (view_is_chosen(sim, entity))
        view_consider(input->search, input->tree, sim, VIEW_PART, entity);
    return PAJESIM_GO_ON;
}

static const pajesim_callbacks scan_callbacks = {
    .problem = problem, .state_set = consider, .state_pushed = consider, .variable_set = consider,
    .variable_updated = consider, .event = consider,
};

static void scan_stretch(view_input *input, uint32_t number)
{
    input->checkpoint = number;
    input->goal = input->begun_at = end_at(input, number + 1);
    input->state = restore(input, number, &scan_callbacks) ? VIEW_SCANNING : VIEW_NOTHING;
}

void view_scan(view_input *input, view_search *search)
{
    stop_loading(input);
    input->search = search;
    if (!search->back) {
        scan_stretch(input, pajesim_index_before(input->index, search->from));
        return;
    }
    uint32_t after = pajesim_index_after(input->index, search->from);
    scan_stretch(input, after ? after - 1 : 0);
}

void view_stop_scan(view_input *input)
{
    if (input->state == VIEW_SCANNING)
        input->state = VIEW_NOTHING;
}

static void scan(view_input *input)
{
    const view_search *search = input->search;
    pajesim_checkpoint at = {0};
    uint32_t next = input->checkpoint + 1;
    if (feed_part(input))
        return;
    uint32_t number;
    if (is_at_checkpoint(input, &number) &&
        pajesim_index_check(input->index, number, &input->readers[VIEW_PART].run.sim) == PAJESIM_STALE) {
        refuse_index(input);
        return;
    }
    pajesim_index_checkpoint(input->index, search->back ? input->checkpoint : next, &at);
    int is_best = search->found && (search->back ? at.greatest < search->start : at.least > search->start);
    int is_last = search->back ? input->checkpoint == 0 : next + 1 >= pajesim_index_count(input->index);
    if (is_best || is_last)
        input->state = VIEW_NOTHING;
    else
        scan_stretch(input, search->back ? input->checkpoint - 1 : next);
}

/* ---- what is on the screen */

/* How many bytes of the trace must be read to know a range. */
static uint64_t bytes_for(const view_input *input, double from, double to)
{
    pajesim_checkpoint begin = {0}, end = {0};
    pajesim_index_checkpoint(input->index, pajesim_index_before(input->index, from), &begin);
    pajesim_index_checkpoint(input->index, pajesim_index_after(input->index, to), &end);
    return end.offset > begin.offset ? end.offset - begin.offset : 0;
}

static int is_covered(const view_input *input, double start, double end)
{
    const view_store *store = &input->readers[VIEW_PART].store;
    return (input->state == VIEW_LOADING || input->state == VIEW_LOADED) && store->from <= start && end <= store->to;
}

int view_is_stale(const view_input *input)
{
    const pajesim *extender = extender_of(input);
    return input->state == VIEW_LOADED && (input->is_front || input->readers[VIEW_PART].store.sim) && extender &&
           input->loaded_at < pajesim_count(extender)->bytes && clock_seconds() - input->since > stale_seconds;
}

void view_ask(view_input *input, double start, double end, double width)
{
    const view_store *whole = &input->readers[VIEW_WHOLE].store, *part = &input->readers[VIEW_PART].store;
    /* A part about as long as the known trace would have the same bins. */
    int is_fine = whole->bin <= width / 2 || 2 * (end - start) > whole->front - whole->first;
    int is_beyond = !is_own(input) && end > whole->front && !input->at_end;
    if (!input->index || (is_fine && !is_beyond) || input->state == VIEW_SCANNING)
        return;
    int is_near = part->to - part->from < 4 * (end - start); /* a shorter part would not show more */
    if (is_covered(input, start, end) && (input->state == VIEW_LOADING ? is_near : !view_is_stale(input)) &&
        (is_near || part->bin <= width / 2))
        return;
    uint64_t bytes = bytes_for(input, start, end);
    if (is_fine && start < whole->front && bytes > MUCH) /* the other reader will get there */
        return;
    double margin = bytes > MUCH ? 0 : end - start;
    ask_part(input, start - margin, end + margin);
}

/* ---- both */

static void note_front(view_input *input)
{
    view_reader *whole = &input->readers[VIEW_WHOLE];
    const pajesim_counts *counts = pajesim_count(&whole->run.sim);
    whole->store.front = counts->events ? counts->last : -HUGE_VAL;
}

int view_read(view_input *input, double seconds)
{
    double until = clock_seconds() + seconds;
    int more = 1;
    while (more && clock_seconds() < until) {
        int is_loading = input->state == VIEW_LOADING || input->state == VIEW_SCANNING;
        if (input->state == VIEW_LOADING)
            read_part(input);
        else if (is_loading)
            scan(input);
        if (is_loading && input->goal - input->begun_at <= MUCH)
            continue;
        check_size(input);
        more = (!input->is_cut && read_ahead(input) + read_whole(input) > 0) || is_loading;
    }
    note_front(input);
    if (!more)
        check_size(input);
    return more;
}

void view_read_all(view_input *input)
{
    struct pollfd file = {input->readers[VIEW_WHOLE].run.source->file, POLLIN, 0};
    while (!input->at_end)
        if (!view_read(input, 1))
            poll(&file, 1, -1);
    paje_finish_run(&input->readers[VIEW_WHOLE].run); /* a last line without newline counts, too */
    note_front(input);
}

int view_waits_for(const view_input *input)
{
    return input->is_file || input->at_end ? -1 : input->readers[VIEW_WHOLE].run.source->file;
}

const view_store *view_best_store(const view_input *input, double start, double end)
{
    const view_store *whole = &input->readers[VIEW_WHOLE].store, *part = &input->readers[VIEW_PART].store;
    int is_better = input->state == VIEW_LOADED ? part->bin < whole->bin || whole->front < end : whole->front < start;
    return is_covered(input, start, end) && is_better ? part : whole;
}

double view_first_time(const view_input *input)
{
    const pajesim_counts *counts = pajesim_count(&input->readers[VIEW_WHOLE].run.sim);
    return counts->events ? counts->first : 0;
}

double view_last_time(const view_input *input)
{
    const view_store *whole = &input->readers[VIEW_WHOLE].store;
    pajesim_checkpoint last;
    double time = whole->front;
    if (input->index && !is_own(input) &&
        pajesim_index_checkpoint(input->index, pajesim_index_count(input->index) - 1, &last))
        time = fmax(time, last.greatest);
    if (input->index && extender_of(input) && pajesim_count(extender_of(input))->events)
        time = fmax(time, pajesim_count(extender_of(input))->last);
    return time;
}
