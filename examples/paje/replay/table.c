/* What several processes hand over: problems, and tables. */
#include "replay/table.h"
#include "base/stream.h"
#include "replay/arena.h"
#include "replay/problem.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- what is handed over */

void paje_put_number(text_buffer *to, uint64_t number)
{
    text_put(to, (const char *)&number, sizeof number);
}

void paje_put_text(text_buffer *to, pajesim_text text)
{
    paje_put_number(to, text.size);
    text_append(to, text);
}

uint64_t paje_take_number(paje_parcel *from)
{
    uint64_t number;
    paje_take(from, &number, sizeof number);
    return number;
}

pajesim_text paje_take_text(paje_parcel *from)
{
    size_t size = (size_t)paje_take_number(from);
    pajesim_text text = {from->at, size < from->left ? size : from->left};
    from->at += text.size;
    from->left -= text.size;
    return text;
}

size_t paje_add_type(hash_map *types, size_t above, pajesim_text alias, pajesim_text name)
{
    static text_buffer key;
    text_clear(&key);
    text_put(&key, (const char *)&above, sizeof above);
    text_append(&key, alias);
    text_putc(&key, '\0');
    text_append(&key, name);
    return map_add(types, key.bytes, key.size);
}

void paje_save_types(const hash_map *types, text_buffer *to)
{
    paje_put_number(to, types->used);
    for (size_t i = 0; i < types->used; i++)
        paje_put_text(to, map_key(types, i));
}

size_t *paje_join_types(hash_map *types, paje_parcel *from)
{
    static text_buffer key;
    size_t count = (size_t)paje_take_number(from), above;
    size_t *numbers = memory_alloc_zero(count + 1, sizeof *numbers);
    for (size_t i = 0; i < count; i++) {
        text_clear(&key);
        text_append(&key, paje_take_text(from));
        memcpy(&above, key.bytes, sizeof above);
        above = above == MAP_NONE ? MAP_NONE : numbers[above];
        memcpy(key.bytes, &above, sizeof above);
        numbers[i] = map_add(types, key.bytes, key.size);
    }
    return numbers;
}

/* ---- what is noted */

static uint32_t epoch = 1; /* in the upper half of a word */

void paje_next_epoch(void)
{
    epoch++;
}

uint32_t paje_noted(pajesim *sim, pajesim_ref of)
{
    uint64_t word = *pajesim_user_data(sim, of);
    return word >> 32 == epoch ? (uint32_t)word : 0;
}

void paje_note(pajesim *sim, pajesim_ref of, uint32_t number)
{
    *pajesim_user_data(sim, of) = (uint64_t)epoch << 32 | number;
}

void paje_renote(pajesim *sim, pajesim_ref of, const uint32_t *to)
{
    uint64_t word = *pajesim_user_data(sim, of);
    if (word >> 32 == epoch - 1 && (uint32_t)word > 0)
        paje_note(sim, of, to[(uint32_t)word - 1] + 1);
}

/* ---- a process */

static text_buffer problems; /* of its present part */

/* Keeps a problem for the parent, which knows how many were shown before. */
static int keep_problem(pajesim *sim, const pajesim_problem *problem)
{
    static text_buffer line;
    text_clear(&line);
    paje_format_problem(&line, pajesim_data(sim), problem);
    paje_put_number(&problems, (uint64_t)problem->code);
    paje_put_number(&problems, (uint64_t)problem->severity);
    paje_put_text(&problems, problem->bytes);
    paje_put_text(&problems, text_view(&line));
    return PAJESIM_GO_ON;
}

paje_settings paje_settings_of_parts(const paje_settings *settings)
{
    paje_settings own = *settings;
    own.callbacks.problem = keep_problem;
    own.is_part = 1;
    if (settings->table) {
        own.begin = settings->table->begin;
        own.end = NULL;
    }
    return own;
}

void paje_begin_part(size_t number)
{
    epoch = (uint32_t)number + 2; /* other than those of all parts before, and of the parent */
}

static text_buffer kept; /* the simulation as it was when paje_keep_simulation was called */

/* Hands over the simulation after the end of the trace: types, values and counts are left in it. */
static void put_simulation(const pajesim *sim, text_buffer *to)
{
    if (kept.size) {
        text_append(to, text_view(&kept));
        return;
    }
    size_t size = pajesim_image_size(sim);
    paje_put_number(to, size);
    if (pajesim_save(sim, text_reserve(to, size), size) != PAJESIM_OK)
        stream_fail("the simulation cannot be handed over");
    to->size += size;
}

void paje_keep_simulation(const paje_run *run)
{
    if (run->settings->table && !kept.size)
        put_simulation(&run->sim, &kept);
}

void paje_save_part(paje_run *run, text_buffer *to, int is_last)
{
    paje_put_number(to, (uint64_t)is_last);
    paje_put_text(to, text_view(&problems));
    text_clear(&problems);
    if (run->settings->table)
        run->settings->table->save(run, to);
    if (run->settings->table && is_last)
        put_simulation(&run->sim, to);
}

void paje_send_part(int to, const text_buffer *part)
{
    uint64_t size = part->size;
    if (stream_write(to, (pajesim_text){(const char *)&size, sizeof size}) && stream_write(to, text_view(part)))
        return;
    if (errno == EPIPE) /* the parent has failed, or replays the trace itself */
        exit(EXIT_FAILED);
    stream_fail("a pipe to the process that joins parts: %s", strerror(errno));
}

/* ---- the parent */

void paje_begin_parts(paje_run *run, const paje_settings *settings, const char *name)
{
    paje_open_run(run, settings, name);
    if (!settings->table)
        return;
    paje_read_source(run->source);
    paje_read_comments(run, run->source->bytes, run->source->size);
    if (settings->begin)
        settings->begin(run, 0);
}

/* Reads bytes; returns 0 at the end. */
static int receive(int from, char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t got = read(from, bytes, size);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            stream_fail("a pipe from a process that replayed a part: %s", strerror(errno));
        if (got == 0)
            return 0;
        bytes += got;
        size -= (size_t)got;
    }
    return 1;
}

static void join_problems(paje_run *run, pajesim_text bytes, text_buffer *messages)
{
    paje_parcel from = {bytes.bytes, bytes.size};
    while (from.left > 0) {
        pajesim_problem problem = {.code = (pajesim_code)paje_take_number(&from)};
        problem.severity = (pajesim_severity)paje_take_number(&from);
        problem.bytes = paje_take_text(&from);
        pajesim_text line = paje_take_text(&from);
        if (!paje_admits_problem(run, &problem, PAJE_SHOWN_WARNINGS))
            continue;
        text_append(messages, line);
        text_putc(messages, '\n');
    }
}

static void take_simulation(paje_run *run, pajesim_text image)
{
    pajesim_status status;
    while ((status = pajesim_restore(&run->sim, run->arena, run->capacity, image.bytes, image.size, &run->callbacks,
                                     run)) == PAJESIM_FULL) {
        run->capacity = (size_t)pajesim_capacity_needed(&run->sim);
        free(run->arena);
        run->arena = paje_arena(run->capacity);
    }
    if (status != PAJESIM_OK)
        stream_fail("the simulation of a process cannot be taken over");
}

/* Joins a part: returns 1 if it is the last one, 0 if others follow, -1 if one process has to replay the trace. */
static int join_part(paje_parts *it, paje_parcel part)
{
    const paje_settings *settings = it->run->settings;
    int is_last = paje_take_number(&part) != 0;
    join_problems(it->run, paje_take_text(&part), &it->messages);
    if (settings->table && !settings->table->join(&part))
        return -1;
    if (settings->table && is_last)
        take_simulation(it->run, paje_take_text(&part));
    if (!settings->table && it->messages.size)
        stream_write_error(&it->messages);
    if (!settings->table && is_last && !stream_write(it->printed, text_of("\n")) && errno != EPIPE)
        stream_fail("a pipe to a process that replayed a part: %s", strerror(errno));
    return is_last;
}

paje_joined paje_join_parts(paje_parts *it)
{
    text_buffer received = {0};
    paje_progress progress = paje_begin_progress("", 0, it->bytes);
    uint64_t size;
    int state = 0;
    progress.is_shown &= it->is_shown;
    for (size_t done = 0; state == 0 && receive(it->from, (char *)&size, sizeof size);) {
        text_clear(&received);
        if (!receive(it->from, text_reserve(&received, (size_t)size), (size_t)size))
            break;
        state = join_part(it, (paje_parcel){received.bytes, (size_t)size});
        done += done < it->count;
        paje_show_progress(&progress, (uint64_t)((double)it->bytes * (double)done / (double)it->count));
    }
    stream_end_progress();
    text_free(&received);
    return state > 0 ? PAJE_JOINED_ALL : state < 0 ? PAJE_NOT_JOINED : PAJE_JOINED_SOME;
}

void paje_end_table(paje_parts *it)
{
    paje_run *run = it->run;
    const paje_settings *settings = run->settings;
    if (it->messages.size)
        stream_write_error(&it->messages);
    if (settings->end)
        settings->end(run, 0);
}

int paje_replay_alone(paje_run *run)
{
    text_buffer dropped = {0};
    paje_settings settings = *run->settings;
    settings.table->save(run, &dropped);
    text_free(&dropped);
    paje_next_epoch();
    settings.begin = NULL;
    return paje_replay(&settings, run->source->name, 0);
}
