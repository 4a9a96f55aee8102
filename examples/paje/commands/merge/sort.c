/* Sorts a file whose lines are out of order in time, as when threads share it and each delivers its buffer when it is
 * full.
 *
 * Such a file consists of runs of lines that are in order.  They are found, and merged into a copy.  Definitions come
 * first, those of types before those of values; a container is created before its first event and destroyed after its
 * last one; lines of the same time keep their order; a comment stays in front of the line that follows it.
 *
 * A file is sorted only if it has to be: if time goes back, and it is one of several, or that is so on one container
 * and type, or in the file a container is used before it is created or after it is destroyed; and a raw file of `paje
 * trace` always, as something is different in its copy.  Several processes can sort, each other inputs. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "merge.h"
#include "base/mapping.h"
#include "base/process.h"
#include "raw/raw.h"

#include <errno.h>
#include <fcntl.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Whole lines of the file, in order of time. */
typedef struct run {
    size_t start, end;
    uint64_t line; /* number of the first */
    double time;   /* of the first; of all of them if `fixed` */
    int is_fixed;
    int is_alone; /* a creation or destruction: its time may change */
    int is_early; /* its time is before the one that its line tells */
} run;

typedef struct creation {
    size_t run;      /* that its line is alone in; MAP_NONE: it was not read yet */
    size_t end;      /* the run that its destruction is in; MAP_NONE: it was not read yet */
    double earliest; /* when the container has to exist */
    double last;     /* latest time of an event */
    double ended;    /* the time of its destruction, as it is written; INFINITY: it was not read yet */
    size_t parent;   /* its number among creations, MAP_NONE: none */
    double previous; /* when a container of the same identifier ended */
    size_t inner;    /* containers in it whose times are not known yet */
} creation;

/* What became of an input, and how many bytes of it are done.  Processes share these. */
typedef struct outcome {
    merge_copy copy;
    int is_cut; /* the last line has no end */
    uint64_t done;
} outcome;

/* All inputs. */
typedef struct job {
    outcome *outcomes;
    uint32_t *next; /* the input that comes next */
    uint32_t count;
    uint64_t total; /* bytes */
    paje_progress progress;
} job;

typedef struct sorter {
    merge_splitter in;
    hash_map pairs;   /* container and type */
    array_of(double) latest;
    text_buffer key;
    array_of(run) runs;
    hash_map containers; /* by identifier; numbers index `current` */
    array_of(size_t) current; /* of the runs: number of its creation; before: where it is, see `place` */
    array_of(creation) creations;
    pajesim_text last; /* identifier that was looked for last; of the runs */
    size_t last_index; /* in `current` */
    merge_raw *raw; /* NULL: it is no raw file */
    job *work;
    uint64_t *done; /* bytes, as progress shows them */
} sorter;

/* ---- progress */

enum phase { CHECKING, COMPARING, FINDING, COPYING, PHASES };

static void show_all(job *work)
{
    uint64_t done = 0;
    if (!work->progress.is_shown)
        return;
    for (uint32_t i = 0; i < work->count; i++)
        done += __atomic_load_n(&work->outcomes[i].done, __ATOMIC_RELAXED);
    paje_show_progress(&work->progress, done);
}

/* Shows how far a file is, as though each phase took as long. */
static void show(const sorter *s, enum phase phase, size_t at)
{
    enum { STEP = 1 << 18 };
    uint64_t done = ((uint64_t)phase * s->in.size + (at < s->in.size ? at : s->in.size)) / PHASES;
    if (done < *s->done + STEP)
        return;
    __atomic_store_n(s->done, done, __ATOMIC_RELAXED);
    show_all(s->work);
}

typedef int line_function(sorter *s, size_t start, uint64_t number, merge_line_class class, const pajesim_text *words,
                          size_t end);

/* Calls `line` for each line, with the comments in front of it.  Stops when that returns 0. */
static void for_each_line(sorter *s, enum phase phase, line_function *line)
{
    size_t start = 0; /* of the comments */
    uint64_t number = 1, first = 1;
    merge_begin_split(&s->in);
    for (size_t at = 0, end; at < s->in.size; at = end, number++) {
        pajesim_text words[MERGE_SPLIT_WORDS];
        show(s, phase, at);
        end = merge_line_end(&s->in, at);
        if (merge_is_comment(&s->in, at, end) && end < s->in.size)
            continue;
        merge_line_class class = merge_split_line(&s->in, at, end, words, MERGE_SPLIT_WORDS);
        if (!line(s, start, first, class, words, end))
            return;
        start = end;
        first = number + 1;
    }
}

enum { MOST_LEVELS = 1000 }; /* of containers within each other: where they are deeper, less is put right */

/* ---- whether a file has to be sorted */

enum place { NOWHERE, IN_ROOT, IN_FIRST }; /* of a container; IN_FIRST: in the first of `containers`, and so on */

static size_t pair_of(sorter *s, const pajesim_text *words)
{
    text_clear(&s->key);
    text_append(&s->key, words[MERGE_TYPE_WORD]);
    text_putc(&s->key, 0);
    text_append(&s->key, words[MERGE_CONTAINER_WORD]);
    size_t before = s->pairs.count, index = map_add(&s->pairs, s->key.bytes, s->key.size);
    if (index == before)
        *array_at(&s->latest, index) = -INFINITY;
    return index;
}

/* Whether a line has a time. */
static int is_at_a_time(sorter *s, size_t start, size_t end, pajesim_text words[MERGE_SPLIT_WORDS])
{
    if (merge_is_comment(&s->in, start, end))
        return 0;
    const merge_line_class class = merge_split_line(&s->in, start, end, words, MERGE_TIME_WORD + 1);
    return class >= MERGE_CREATION;
}

/* Whether time goes back at all. */
static int goes_back(sorter *s)
{
    merge_latest latest = {{0}, 0, 0}; /* not before `greatest` */
    const char *stop = s->in.bytes + s->in.size;
    double greatest = -INFINITY;
    merge_begin_split(&s->in);
    for (size_t at = 0, end; at < s->in.size; at = end) {
        pajesim_text words[MERGE_SPLIT_WORDS];
        merge_plain plain;
        show(s, CHECKING, at);
        const char *first = merge_find_plain_time(&s->in, at);
        end = merge_line_end(&s->in, at);
        if (first && merge_is_next(&latest, first, stop)) {
            merge_go_to_next(&latest, first);
            continue;
        }
        int is_plain = first && merge_read_plain(first, stop, &plain);
        if (!is_plain && !is_at_a_time(s, at, end, words))
            continue;
        double time = is_plain ? merge_read_time(s->in.input, (pajesim_text){first, plain.size},
                                                 merge_plain_number(&plain))
                               : merge_time_of(&s->in, words[MERGE_TIME_WORD]);
        if (latest.size)
            greatest = merge_max(greatest, merge_read_latest(s->in.input, &latest));
        if (time < greatest)
            return 1;
        greatest = merge_max(time, greatest);
        merge_set_latest(&latest, first, is_plain ? plain.size : 0);
    }
    return 0;
}

static size_t add_container(sorter *s, pajesim_text identifier)
{
    return map_add(&s->containers, identifier.bytes, identifier.size);
}

static int is_root(pajesim_text identifier)
{
    return identifier.size == 0 || merge_is_root(identifier);
}

/* Whether a word names no container that is there.  What a container is in ends it, too. */
static int is_missing(const sorter *s, pajesim_text identifier)
{
    if (is_root(identifier))
        return 0;
    size_t index = map_find(&s->containers, identifier.bytes, identifier.size);
    for (int level = 0; index != MAP_NONE && level < MOST_LEVELS; level++) {
        const size_t place = s->current.items[index];
        if (place < IN_FIRST)
            return place == NOWHERE;
        index = place - IN_FIRST;
    }
    return index == MAP_NONE;
}

static void note_creation(sorter *s, const pajesim_text *words)
{
    const pajesim_text parent = words[MERGE_CONTAINER_WORD];
    const size_t outer = is_root(parent) ? MAP_NONE : map_find(&s->containers, parent.bytes, parent.size);
    *array_at(&s->current, add_container(s, words[MERGE_END_WORD])) = outer == MAP_NONE ? IN_ROOT : IN_FIRST + outer;
}

/* Stores NaN in latest.items[0] where time goes back so that the file is invalid. */
static int find_disorder(sorter *s, size_t start, uint64_t number, merge_line_class class,
                                 const pajesim_text *words, size_t end)
{
    (void)start, (void)number, (void)end;
    int is_disorder = (class == MERGE_CREATION && is_missing(s, words[MERGE_CONTAINER_WORD])) ||
                      (class == MERGE_DESTRUCTION && is_missing(s, words[MERGE_END_WORD]));
    if (class == MERGE_CREATION)
        note_creation(s, words);
    if (class == MERGE_DESTRUCTION)
        *array_at(&s->current, add_container(s, words[MERGE_END_WORD])) = NOWHERE;
    if (is_disorder)
        s->latest.items[0] = NAN;
    if (class != MERGE_EVENT)
        return !is_disorder;
    double time = merge_time_of(&s->in, words[MERGE_TIME_WORD]);
    size_t pair = pair_of(s, words); /* may move latest.items */
    double *latest = &s->latest.items[pair];
    if (time < *latest || is_missing(s, words[MERGE_CONTAINER_WORD]) || is_missing(s, words[MERGE_START_WORD]) ||
        is_missing(s, words[MERGE_END_WORD])) {
        s->latest.items[0] = NAN;
        return 0;
    }
    *latest = merge_max(time, *latest);
    return 1;
}

/* `is_alone`: it is merged with no other, which could have events on the same containers. */
static int must_be_sorted(sorter *s, int is_alone)
{
    static const pajesim_text none[MERGE_SPLIT_WORDS];
    if (!goes_back(s))
        return 0;
    if (!is_alone)
        return 1;
    pair_of(s, none);
    s->latest.items[0] = -INFINITY;
    for_each_line(s, COMPARING, find_disorder);
    return isnan(s->latest.items[0]);
}

/* ---- runs */

/* Lines that follow each other are often of one container, as a thread writes them. */
static creation *creation_of(sorter *s, pajesim_text identifier)
{
    if (identifier.size == 0)
        return NULL;
    if (!text_is_equal(identifier, s->last)) {
        size_t index = map_find(&s->containers, identifier.bytes, identifier.size);
        if (index == MAP_NONE)
            return NULL;
        s->last = identifier;
        s->last_index = index;
    }
    return &s->creations.items[s->current.items[s->last_index]];
}

/* Puts a destruction behind what happens at a time, and those of what the container is in behind it. */
static void end_behind(sorter *s, creation *it, double time)
{
    time = nextafter(time, INFINITY);
    for (int level = 0; level < MOST_LEVELS; level++) {
        it->last = merge_max(it->last, time);
        if (it->end != MAP_NONE && s->runs.items[it->end].time < time)
            s->runs.items[it->end].time = time;
        creation *parent = it->parent == MAP_NONE ? NULL : &s->creations.items[it->parent];
        if (parent && parent->end != MAP_NONE && it->end != MAP_NONE && parent->end < it->end)
            time = nextafter(time, INFINITY);
        if (!parent || parent->last >= time)
            return;
        it = parent;
    }
}

/* Notes an event on a container, which may be created by a line that comes later.  Returns its number among creations;
 * MAP_NONE: it is on none. */
static size_t note_use(sorter *s, pajesim_text identifier, double time)
{
    creation *it = creation_of(s, identifier);
    if (identifier.size == 0)
        return MAP_NONE;
    if (!it || (it->end != MAP_NONE && time > s->runs.items[it->end].time)) { /* on one that is created below */
        const double previous = it ? it->last : -INFINITY;
        *array_at(&s->current, add_container(s, identifier)) = s->creations.count;
        it = array_push(&s->creations);
        *it = (creation){MAP_NONE, MAP_NONE, time, time, INFINITY, MAP_NONE, previous, 0};
    }
    it->earliest = merge_min(it->earliest, time);
    it->last = merge_max(it->last, time);
    if (it->end != MAP_NONE && s->runs.items[it->end].time == time)
        end_behind(s, it, time);
    return (size_t)(it - s->creations.items);
}

/* Whether a container is another one or in it, by numbers; so it is said of what is very deep, too. */
static int is_within(const sorter *s, size_t number, size_t other)
{
    int level = 0;
    for (; number != MAP_NONE && number != other && level < MOST_LEVELS; level++)
        number = s->creations.items[number].parent;
    return number != MAP_NONE;
}

/* What a container is in lasts as long. */
static void let_parent_last(sorter *s, size_t number)
{
    const creation *it = &s->creations.items[number];
    if (it->parent == MAP_NONE)
        return;
    creation *parent = &s->creations.items[it->parent];
    parent->last = merge_max(parent->last, it->last);
    if (parent->end == MAP_NONE)
        return;
    const double end = s->runs.items[parent->end].time;
    if (it->ended <= end && (end < it->last || (end == it->last && parent->end < it->end)))
        end_behind(s, parent, it->last);
}

static void add_creation(sorter *s, const pajesim_text *words, double time)
{
    const size_t parent = note_use(s, words[MERGE_CONTAINER_WORD], time);
    creation *same = creation_of(s, words[MERGE_END_WORD]);
    if (same && same->run == MAP_NONE) { /* it is before its first event, also where that has the same time */
        same->run = s->runs.count - 1;
        same->earliest = nextafter(merge_min(same->earliest, time), -INFINITY);
        same->last = merge_max(same->last, time);
        const size_t number = (size_t)(same - s->creations.items);
        same->parent = is_within(s, parent, number) ? MAP_NONE : parent;
        let_parent_last(s, number);
        return;
    }
    creation it = {s->runs.count - 1, MAP_NONE, time, time, INFINITY, parent, same ? same->last : -INFINITY, 0};
    size_t index = add_container(s, words[MERGE_END_WORD]);
    *array_at(&s->current, index) = s->creations.count;
    *array_push(&s->creations) = it;
}

/* Returns when a container can be destroyed: not before its last event. */
static double end_creation(sorter *s, pajesim_text identifier, double time)
{
    size_t number = note_use(s, identifier, time);
    if (number == MAP_NONE)
        return time;
    s->creations.items[number].ended = time;
    let_parent_last(s, number);
    return s->creations.items[number].last;
}

static int add_to_runs(sorter *s, size_t start, uint64_t number, merge_line_class class, const pajesim_text *words,
                       size_t end)
{
    run *last = s->runs.count ? &s->runs.items[s->runs.count - 1] : NULL;
    double time = class == MERGE_UNTIMED ? -INFINITY : class == MERGE_VALUE ? -DBL_MAX : NAN;
    if (class >= MERGE_CREATION)
        time = merge_time_of(&s->in, words[MERGE_TIME_WORD]);
    if (last && (class == MERGE_INCLUDING || isnan(time))) { /* it stays behind the line before it */
        last->end = end;
        return 1;
    }
    if (class == MERGE_EVENT)
        for (int role = MERGE_CONTAINER_WORD; role <= MERGE_END_WORD; role++)
            note_use(s, words[role], time);
    if (class == MERGE_DESTRUCTION)
        time = end_creation(s, words[MERGE_END_WORD], time);
    int is_fixed = class != MERGE_EVENT;
    int is_alone = class == MERGE_CREATION || class == MERGE_DESTRUCTION;
    if (!last || last->is_alone || is_fixed != last->is_fixed || time < s->latest.items[0] || is_alone ||
        (is_fixed && !(time <= s->latest.items[0]))) {
        last = array_push(&s->runs);
        *last = (run){start, end, number, isnan(time) ? -INFINITY : time, is_fixed, is_alone, 0};
    }
    last->end = end;
    s->latest.items[0] = last->is_fixed ? last->time : time;
    if (class == MERGE_CREATION)
        add_creation(s, words, time);
    creation *ended = class == MERGE_DESTRUCTION ? creation_of(s, words[MERGE_END_WORD]) : NULL;
    if (ended)
        ended->end = s->runs.count - 1;
    return 1;
}

static int compare_runs(const void *one, const void *other)
{
    const run *a = one, *b = other;
    if (a->time < b->time || a->time > b->time)
        return a->time < b->time ? -1 : 1;
    return a->start < b->start ? -1 : a->start > b->start;
}

static double time_of_creation(const creation *it)
{
    return merge_max(it->earliest, it->previous);
}

/* Containers exist as early as those in them, so the times of these are found first. */
static void find_times_of_creations(sorter *s)
{
    array_of(size_t) ready = {0};
    creation *items = s->creations.items;
    for (size_t i = 0; i < s->creations.count; i++)
        if (items[i].parent != MAP_NONE)
            items[items[i].parent].inner++;
    for (size_t i = 0; i < s->creations.count; i++)
        if (items[i].inner == 0)
            *array_push(&ready) = i;
    for (size_t i = 0; i < ready.count; i++) {
        const creation *it = &items[ready.items[i]];
        if (it->parent == MAP_NONE)
            continue;
        creation *parent = &items[it->parent];
        double time = time_of_creation(it);
        if (parent->run != MAP_NONE && parent->run > it->run) /* its line is behind: also at the same time */
            time = nextafter(time, -INFINITY);
        parent->earliest = merge_min(parent->earliest, time);
        if (--parent->inner == 0)
            *array_push(&ready) = it->parent;
    }
    array_free(&ready);
    for (size_t i = 0; i < s->creations.count; i++)
        if (items[i].run != MAP_NONE) {
            run *it = &s->runs.items[items[i].run];
            it->is_early = time_of_creation(&items[i]) < it->time;
            it->time = time_of_creation(&items[i]);
        }
}

static void find_runs(sorter *s)
{
    array_clear(&s->latest);
    *array_at(&s->latest, 0) = -INFINITY;
    map_clear(&s->containers);
    for_each_line(s, FINDING, add_to_runs);
    find_times_of_creations(s);
    qsort(s->runs.items, s->runs.count, sizeof *s->runs.items, compare_runs);
}

/* ---- merging the runs */

typedef array_of(run) run_heap; /* what is left of runs, the earliest first */

static void sift_down(run_heap *heap, size_t at)
{
    run item = heap->items[at];
    for (size_t child; (child = 2 * at + 1) < heap->count; at = child) {
        if (child + 1 < heap->count && compare_runs(&heap->items[child + 1], &heap->items[child]) < 0)
            child++;
        if (compare_runs(&heap->items[child], &item) >= 0)
            break;
        heap->items[at] = heap->items[child];
    }
    heap->items[at] = item;
}

static void push_run(run_heap *heap, const run *new)
{
    size_t at = heap->count;
    *array_push(heap) = *new;
    for (; at > 0 && compare_runs(new, &heap->items[(at - 1) / 2]) < 0; at = (at - 1) / 2)
        heap->items[at] = heap->items[(at - 1) / 2];
    heap->items[at] = *new;
}

/* Copies a line and its number.  Blank ones are left out: blocks of raw files end with many. */
static void put_line(const sorter *s, size_t start, size_t end, uint64_t number, text_buffer *copy,
                     text_buffer *numbers)
{
    pajesim_text line = {s->in.bytes + start, end - start};
    if (line.bytes[0] == '\n' || (s->raw && !merge_change_raw(s->raw, start, &line)))
        return;
    text_append(copy, line);
    if (line.bytes[line.size - 1] != '\n')
        text_putc(copy, '\n');
    text_put(numbers, (const char *)&number, sizeof number);
}

/* Copies the first line of a run, with the comments in front of it and the lines that stay behind it, and notes the
 * numbers of all of them. */
static void copy_line(const sorter *s, run *from, text_buffer *copy, text_buffer *numbers)
{
    size_t at = from->start, looked = 0; /* no line with a time follows the comments before `looked` */
    int has_line = 0;
    while (at < from->end) {
        size_t end = merge_line_end(&s->in, at);
        if (!merge_is_comment(&s->in, at, end)) {
            if (has_line && !from->is_fixed && merge_has_time(&s->in, at, end, &from->time))
                break;
            has_line = 1;
        } else if (has_line && !from->is_fixed && at >= looked) { /* it belongs to the line that follows, if any */
            size_t next = end;
            while (next < from->end && merge_is_comment(&s->in, next, merge_line_end(&s->in, next)))
                next = merge_line_end(&s->in, next);
            if (next < from->end && merge_has_time(&s->in, next, merge_line_end(&s->in, next), &from->time))
                break;
            looked = next;
        }
        put_line(s, at, end, from->is_early && has_line ? from->line | MERGE_EARLY : from->line, copy, numbers);
        from->line++;
        at = end;
    }
    from->start = at;
}

/* Writes what was gathered behind the copies that are there already. */
static void write_copies(merge_copies *copies, const char *name, text_buffer *text, text_buffer *numbers)
{
    copies->size += text->size;
    copies->number_count += numbers->size / sizeof(uint64_t);
    merge_write_file(copies->lines, name, text);
    merge_write_file(copies->numbers, name, numbers);
}

static void write_sorted(sorter *s, merge_copies *copies, const char *name)
{
    enum { PIECE = 1 << 16 };
    run_heap heap = {0};
    text_buffer text = {0}, lines = {0};
    size_t done = 0;
    for (size_t next = 0; next < s->runs.count || heap.count > 0;) {
        while (next < s->runs.count &&
               (heap.count == 0 || compare_runs(&s->runs.items[next], &heap.items[0]) < 0))
            push_run(&heap, &s->runs.items[next++]);
        copy_line(s, &heap.items[0], &text, &lines);
        if (heap.items[0].start == heap.items[0].end)
            heap.items[0] = heap.items[--heap.count];
        if (heap.count > 0)
            sift_down(&heap, 0);
        if (text.size >= PIECE) {
            show(s, COPYING, done += text.size);
            write_copies(copies, name, &text, &lines);
        }
    }
    if (s->raw)
        text_append(&text, text_view(&s->raw->ends));
    write_copies(copies, name, &text, &lines);
    text_free(&text);
    text_free(&lines);
    array_free(&heap);
}

static void free_sorter(sorter *s)
{
    map_free(&s->pairs);
    map_free(&s->containers);
    merge_free_split(&s->in);
    array_free(&s->latest);
    array_free(&s->runs);
    array_free(&s->current);
    array_free(&s->creations);
    text_free(&s->key);
}

/* Leaves out a byte order mark: the line behind it may get another place. */
static void skip_mark(merge_splitter *in)
{
    static const char mark[] = {'\xef', '\xbb', '\xbf'};
    if (in->size < sizeof mark || memcmp(in->bytes, mark, sizeof mark) != 0)
        return;
    in->bytes += sizeof mark;
    in->size -= sizeof mark;
}

static mapping *map_input(const merge_input *input)
{
    int file = open(input->path ? input->path : input->name, O_RDONLY | O_NOCTTY);
    if (file < 0)
        stream_fail("%s: %s", input->name, strerror(errno));
    mapping *it = mapping_open(file, input->name);
    if (!it && errno)
        stream_fail("%s: it cannot be mapped: %s", input->name, strerror(errno));
    close(file);
    return it;
}

static void sort_input(const merge_input *input, merge_copies *copies, int is_alone, job *work,
                       outcome *result)
{
    sorter s;
    mapping *mapped = map_input(input);
    if (!mapped)
        return;
    memset(&s, 0, sizeof s);
    s.in.input = input;
    s.in.bytes = mapped->bytes;
    s.in.size = mapped->size;
    s.work = work;
    s.done = &result->done;
    skip_mark(&s.in);
    merge_raw raw = {0};
    if (input->is_raw) {
        s.raw = &raw;
        raw.are_names_mangled = input->raw.are_names_mangled;
        merge_read_raw(&raw, s.in.bytes, s.in.size);
    }
    if (s.raw || must_be_sorted(&s, is_alone)) {
        find_runs(&s);
        if (copies->lines < 0) {
            copies->lines = merge_make_file(input->name, work->total);
            copies->numbers = merge_make_file(input->name, work->total);
        }
        result->copy = (merge_copy){copies->lines, copies->numbers, copies->size, 0, copies->number_count};
        write_sorted(&s, copies, input->name);
        result->copy.size = copies->size - result->copy.start;
        result->is_cut = s.in.bytes[s.in.size - 1] != '\n'; /* in the copy it has an end, or is left out */
    }
    free_sorter(&s);
    merge_free_raw(&raw);
    mapping_close(mapped);
}

/* Sorts inputs until there are no more; `*next` is the one that comes next. */
static void work_on(const merge *m, merge_copies *copies, job *work)
{
    for (uint32_t i; (i = __atomic_fetch_add(work->next, 1, __ATOMIC_RELAXED)) < m->input_count;) {
        sort_input(&m->inputs[i], copies, m->input_count == 1, work, &work->outcomes[i]);
        __atomic_store_n(&work->outcomes[i].done, m->inputs[i].size, __ATOMIC_RELAXED);
        show_all(work);
    }
    raw_free_symbols();
}

/* Ends the program if a process has not ended as it should. */
static void wait_for(pid_t process, job *work)
{
    int status = 0;
    pid_t ended;
    while ((ended = waitpid(process, &status, work->progress.is_shown ? WNOHANG : 0)) <= 0) {
        static const struct timespec pause = {0, 100000000};
        if (ended < 0 && errno != EINTR)
            stream_fail("a process that sorts: %s", strerror(errno));
        show_all(work);
        if (ended == 0)
            nanosleep(&pause, NULL);
    }
    if (!WIFEXITED(status))
        stream_fail("a process that sorts ended early");
    if (WEXITSTATUS(status) != EXIT_OK)
        exit(WEXITSTATUS(status)); /* it has said why */
}

/* Each process has files of its own, so that it can write one copy behind the other. */
static void share(const merge *m, uint32_t processes, job *work)
{
    pid_t *workers = memory_alloc(processes, sizeof *workers);
    stream_flush();
    for (uint32_t i = 0; i < processes; i++) {
        merge_copies copies = {merge_make_file(m->inputs[0].name, work->total),
                               merge_make_file(m->inputs[0].name, work->total), 0, 0};
        workers[i] = fork();
        if (workers[i] < 0)
            stream_fail("no process to sort: %s", strerror(errno));
        if (workers[i] > 0)
            continue;
        work->progress.is_shown = 0; /* the parent shows it */
        work_on(m, &copies, work);
        _exit(EXIT_OK);
    }
    for (uint32_t i = 0; i < processes; i++)
        wait_for(workers[i], work);
    free(workers);
}

void merge_sort_inputs(merge *m, uint64_t processes)
{
    size_t size = sizeof(uint32_t) * 2 + m->input_count * sizeof(outcome);
    job work = {0};
    merge_copies copies = {-1, -1, 0, 0};
    for (uint32_t i = 0; i < m->input_count; i++)
        work.total += m->inputs[i].size;
    work.outcomes = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (work.outcomes == MAP_FAILED)
        stream_fail("no memory to sort: %s", strerror(errno));
    work.next = (uint32_t *)(void *)(work.outcomes + m->input_count);
    work.count = m->input_count;
    for (uint32_t i = 0; i < m->input_count; i++)
        work.outcomes[i].copy.lines = -1;
    work.progress = paje_begin_progress("sorting: ", 0, work.total);
    if (processes > m->input_count)
        processes = m->input_count;
    processes = process_fitting((size_t)processes, 2); /* each has two files for copies */
    if (processes > 1)
        share(m, (uint32_t)processes, &work);
    else
        work_on(m, &copies, &work);
    stream_end_progress();
    for (uint32_t i = 0; i < m->input_count; i++) {
        m->inputs[i].copy = work.outcomes[i].copy;
        if (work.outcomes[i].is_cut)
            stream_message("%s: the last line has no end: was it cut when the program died?", m->inputs[i].name);
    }
    munmap(work.outcomes, size);
}
