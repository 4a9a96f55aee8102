/* Sorts a file whose lines are out of order in time, as when threads share it and each delivers its buffer when it is
 * full.
 *
 * Such a file consists of runs of lines that are in order.  They are found, and merged into a copy.  Definitions come
 * first; a container is created before its first event and destroyed after its last one; lines of the same time keep
 * their order; a comment stays in front of the line that follows it.
 *
 * A file is sorted only if it has to be: if time goes back, and it is one of several, or that is so on one container and
 * type, or in the file a container is used before it is created or after it is destroyed.  Lines are split here without the
 * reader, because only a few words of each are needed. */
#include "merge.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum line_class { OTHER, UNTIMED, INCLUDING, CREATION, DESTRUCTION, EVENT };

enum { WORDS = 5, SHORT_NUMBERS = 110 };
enum word_role { TIME, TYPE, CONTAINER, START, END }; /* END: also where a container's own identifier is */

/* Where the words of an event are: 1 + index; 0: there is none. */
typedef struct layout {
    enum line_class class;
    uint8_t at[WORDS];
} layout;

/* Whole lines of the file, in order of time. */
typedef struct run {
    size_t start, end;
    uint64_t line; /* number of the first */
    double time;   /* of the first; of all of them if `fixed` */
    int is_fixed;
    int is_alone; /* a creation, whose time is not known yet */
} run;

typedef struct creation {
    size_t run;      /* that its line is alone in; MAP_NONE: it was not read yet */
    double earliest; /* when the container has to exist */
    double last;     /* latest time of an event */
    size_t parent;   /* its number among creations, MAP_NONE: none */
    double previous; /* when a container of the same identifier ended */
} creation;

typedef struct sorter {
    const char *bytes;
    size_t size;
    hash_map numbers; /* of event definitions */
    size_t indices[SHORT_NUMBERS]; /* of those that have one or two digits; MAP_NONE: there is none */
    array_of(layout) layouts;
    int is_ambiguous; /* an event number is defined twice, so definitions cannot all come first */
    hash_map pairs;   /* container and type */
    array_of(double) latest;
    text_buffer key;
    array_of(run) runs;
    hash_map containers; /* by identifier; numbers index `current` */
    array_of(size_t) current; /* of the runs: number of its creation; before: whether it is there */
    array_of(creation) creations;
} sorter;

static int is_blank(char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\r';
}

/* Returns the next word of a line, without its quotes; empty at the end. */
static pajesim_text next_word(const char **at, const char *end)
{
    while (*at < end && is_blank(**at))
        ++*at;
    const char *start = *at;
    if (start < end && (*start == '"' || *start == '\'')) {
        const char *quote = memchr(start + 1, *start, (size_t)(end - start - 1));
        if (quote) {
            *at = quote + 1;
            return (pajesim_text){start + 1, (size_t)(quote - start - 1)};
        }
    }
    while (*at < end && !is_blank(**at))
        ++*at;
    return (pajesim_text){start, (size_t)(*at - start)};
}

/* Returns the offset behind the line at `start`. */
static size_t line_end(const sorter *s, size_t start)
{
    const char *newline = memchr(s->bytes + start, '\n', s->size - start);
    return newline ? (size_t)(newline + 1 - s->bytes) : s->size;
}

/* Whether a line is blank, or a comment. */
static int is_comment(const sorter *s, size_t start, size_t end)
{
    while (start < end && (is_blank(s->bytes[start]) || s->bytes[start] == '\n'))
        start++;
    return start == end || s->bytes[start] == '#';
}

static double time_of(pajesim_text word)
{
    double time;
    return pajesim_number(word.bytes, word.size, &time) ? time : NAN;
}

/* ---- event definitions */

/* Returns 0 to 109 for a number of one or two digits, else SHORT_NUMBERS. */
static size_t short_number(pajesim_text word)
{
    size_t number = 0;
    if (word.size == 0 || word.size > 2)
        return SHORT_NUMBERS;
    for (size_t i = 0; i < word.size; i++) {
        if (word.bytes[i] < '0' || word.bytes[i] > '9')
            return SHORT_NUMBERS;
        number = 10 * number + (size_t)(word.bytes[i] - '0');
    }
    return number + (word.size == 2 ? 10 : 0);
}

static size_t find_definition(const sorter *s, pajesim_text word)
{
    size_t number = short_number(word);
    return number < SHORT_NUMBERS ? s->indices[number] : map_find(&s->numbers, word.bytes, word.size);
}

static void add_definition(sorter *s, pajesim_text name, pajesim_text number)
{
    static const struct {
        const char *name;
        enum line_class class;
    } classes[] = {{"PajeCreateContainer", CREATION}, {"PajeDestroyContainer", DESTRUCTION},
                   {"PajeTraceFile", INCLUDING}};
    size_t used = s->numbers.used, index = map_add(&s->numbers, number.bytes, number.size);
    layout *new = array_at(&s->layouts, index);
    if (short_number(number) < SHORT_NUMBERS)
        s->indices[short_number(number)] = index;
    s->is_ambiguous |= s->numbers.used == used;
    memset(new, 0, sizeof *new);
    new->class = EVENT;
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        if (text_is_equal(name, text_of(classes[i].name)))
            new->class = classes[i].class;
    if (name.size > 10 && memcmp(name.bytes, "PajeDefine", 10) == 0)
        new->class = UNTIMED;
}

static void add_field(sorter *s, pajesim_text name, uint8_t position)
{
    static const struct {
        const char *name;
        enum word_role role;
    } roles[] = {{"Time", TIME}, {"Type", TYPE}, {"EntityType", TYPE}, {"ContainerType", TYPE},
                 {"Container", CONTAINER},
                 {"StartContainer", START}, {"SourceContainer", START}, {"EndContainer", END}, {"DestContainer", END}};
    layout *last = &s->layouts.items[s->layouts.count - 1];
    for (size_t i = 0; i < sizeof roles / sizeof *roles; i++)
        if (text_is_equal(name, text_of(roles[i].name)))
            last->at[roles[i].role] = position;
    /* A container has its identifier in Alias, or else in Name. */
    if ((last->class == CREATION && text_is_equal(name, text_of("Alias"))) ||
        ((last->class == CREATION || last->class == DESTRUCTION) && !last->at[END] &&
         text_is_equal(name, text_of("Name"))))
        last->at[END] = position;
}

/* Reads a line that begins with %.  `fields`: how many fields the definition has had so far. */
static void read_definition(sorter *s, const char *at, const char *end, uint8_t *fields)
{
    pajesim_text first = next_word(&at, end), second;
    if (first.size == 1)
        first = next_word(&at, end);
    else
        first = (pajesim_text){first.bytes + 1, first.size - 1};
    second = next_word(&at, end);
    if (text_is_equal(first, text_of("EventDef"))) {
        pajesim_text number = next_word(&at, end);
        add_definition(s, second, number);
        *fields = 0;
    } else if (second.size > 0 && s->layouts.count > 0 && *fields < 250) {
        add_field(s, first, ++*fields);
    }
}

/* Splits the line of an event into the words that are needed, the first `count` roles.  Returns its class. */
static enum line_class split(const sorter *s, const char *at, const char *end, pajesim_text words[WORDS], int count)
{
    size_t index = find_definition(s, next_word(&at, end));
    memset(words, 0, WORDS * sizeof *words);
    if (index == MAP_NONE)
        return OTHER;
    const layout *its = &s->layouts.items[index];
    uint8_t last = 0;
    for (int role = 0; role < count; role++)
        last = its->at[role] > last ? its->at[role] : last;
    for (uint8_t position = 1; position <= last; position++) {
        pajesim_text word = next_word(&at, end);
        for (int role = 0; role < count; role++)
            if (its->at[role] == position)
                words[role] = word;
    }
    return its->class >= CREATION && !its->at[TIME] ? OTHER : its->class;
}

/* Calls `line` for each line, with the comments in front of it and the first `roles` words.  Stops when that returns
 * 0. */
static void for_each_line(sorter *s, int roles, int (*line)(sorter *, size_t start, uint64_t number, enum line_class,
                                                 const pajesim_text *words, size_t end))
{
    size_t start = 0; /* of the comments */
    uint64_t number = 1, first = 1;
    uint8_t fields = 0;
    map_clear(&s->numbers);
    array_clear(&s->layouts);
    for (size_t i = 0; i < SHORT_NUMBERS; i++)
        s->indices[i] = MAP_NONE;
    s->is_ambiguous = 0;
    for (size_t at = 0, end; at < s->size; at = end, number++) {
        pajesim_text words[WORDS];
        end = line_end(s, at);
        if (is_comment(s, at, end) && end < s->size)
            continue;
        const char *text = s->bytes + at, *stop = s->bytes + end;
        if (stop > text && stop[-1] == '\n')
            stop--;
        const char *word = text;
        while (word < stop && is_blank(*word))
            word++;
        enum line_class class = UNTIMED;
        if (word < stop && *word == '%') {
            memset(words, 0, sizeof words);
            read_definition(s, word, stop, &fields);
        } else {
            class = split(s, word, stop, words, roles);
        }
        if (!line(s, start, first, class, words, end))
            return;
        start = end;
        first = number + 1;
    }
}

/* ---- whether a file has to be sorted */

static size_t pair_of(sorter *s, const pajesim_text *words)
{
    text_clear(&s->key);
    text_append(&s->key, words[TYPE]);
    text_putc(&s->key, 0);
    text_append(&s->key, words[CONTAINER]);
    size_t before = s->pairs.count, index = map_add(&s->pairs, s->key.bytes, s->key.size);
    if (index == before)
        *array_at(&s->latest, index) = -INFINITY;
    return index;
}

/* Both store NaN in latest.items[0] where they find disorder: time going back at all, or so that the file is invalid.
 * Else it holds the greatest time so far. */
static int find_disorder(sorter *s, size_t start, uint64_t number, enum line_class class, const pajesim_text *words,
                         size_t end)
{
    (void)start, (void)number, (void)end;
    if (class != EVENT)
        return 1;
    double time = time_of(words[TIME]);
    if (time < s->latest.items[0]) {
        s->latest.items[0] = NAN;
        return 0;
    }
    s->latest.items[0] = merge_max(time, s->latest.items[0]);
    return 1;
}

/* Whether a word names no container that is there. */
static int is_missing(const sorter *s, pajesim_text identifier)
{
    if (identifier.size == 0 || (identifier.size == 1 && identifier.bytes[0] == '0'))
        return 0;
    size_t index = map_find(&s->containers, identifier.bytes, identifier.size);
    return index == MAP_NONE || !s->current.items[index];
}

static int find_disorder_of_pair(sorter *s, size_t start, uint64_t number, enum line_class class,
                                 const pajesim_text *words, size_t end)
{
    (void)start, (void)number, (void)end;
    if (class == CREATION || class == DESTRUCTION)
        *array_at(&s->current, map_add(&s->containers, words[END].bytes, words[END].size)) = class == CREATION;
    if (class != EVENT)
        return 1;
    double time = time_of(words[TIME]);
    size_t pair = pair_of(s, words); /* may move latest.items */
    double *latest = &s->latest.items[pair];
    if (time < *latest || is_missing(s, words[CONTAINER]) || is_missing(s, words[START]) || is_missing(s, words[END])) {
        s->latest.items[0] = NAN;
        return 0;
    }
    *latest = merge_max(time, *latest);
    return 1;
}

/* `is_alone`: it is merged with no other, which could have events on the same containers. */
static int must_be_sorted(sorter *s, int is_alone)
{
    static const pajesim_text none[WORDS];
    pair_of(s, none);
    for_each_line(s, TIME + 1, find_disorder);
    if (!isnan(s->latest.items[0]))
        return 0;
    if (!is_alone)
        return !s->is_ambiguous;
    s->latest.items[0] = -INFINITY;
    for_each_line(s, WORDS, find_disorder_of_pair);
    return isnan(s->latest.items[0]) && !s->is_ambiguous;
}

/* ---- runs */

static creation *creation_of(sorter *s, pajesim_text identifier)
{
    size_t index = map_find(&s->containers, identifier.bytes, identifier.size);
    return identifier.size == 0 || index == MAP_NONE ? NULL : &s->creations.items[s->current.items[index]];
}

/* Notes an event on a container, which may be created by a line that comes later. */
static void note_use(sorter *s, pajesim_text identifier, double time)
{
    creation *it = creation_of(s, identifier);
    if (!it && identifier.size > 0) {
        *array_at(&s->current, map_add(&s->containers, identifier.bytes, identifier.size)) = s->creations.count;
        it = array_push(&s->creations);
        *it = (creation){MAP_NONE, time, time, MAP_NONE, -INFINITY};
    }
    if (it) {
        it->earliest = merge_min(it->earliest, time);
        it->last = merge_max(it->last, time);
    }
}

static void add_creation(sorter *s, const pajesim_text *words, double time)
{
    const creation *parent = creation_of(s, words[CONTAINER]), *same = creation_of(s, words[END]);
    creation it = {s->runs.count - 1, time, time, parent ? (size_t)(parent - s->creations.items) : MAP_NONE,
                   same ? same->last : -INFINITY};
    if (same && same->run == MAP_NONE) {
        it.earliest = merge_min(same->earliest, time);
        it.last = merge_max(same->last, time);
        it.previous = -INFINITY;
    }
    size_t index = map_add(&s->containers, words[END].bytes, words[END].size);
    *array_at(&s->current, index) = s->creations.count;
    *array_push(&s->creations) = it;
}

/* Returns when a container can be destroyed: not before its last event. */
static double end_creation(sorter *s, pajesim_text identifier, double time)
{
    creation *it = creation_of(s, identifier);
    if (!it)
        return time;
    it->last = merge_max(it->last, time);
    if (it->parent != MAP_NONE) {
        creation *parent = &s->creations.items[it->parent];
        parent->last = merge_max(parent->last, it->last);
    }
    return it->last;
}

static int add_to_runs(sorter *s, size_t start, uint64_t number, enum line_class class, const pajesim_text *words,
                       size_t end)
{
    run *last = s->runs.count ? &s->runs.items[s->runs.count - 1] : NULL;
    double time = class == UNTIMED ? -INFINITY : class >= CREATION ? time_of(words[TIME]) : NAN;
    if (last && (class == INCLUDING || isnan(time))) { /* it stays behind the line before it */
        last->end = end;
        return 1;
    }
    if (class == EVENT)
        for (int role = CONTAINER; role <= END; role++)
            note_use(s, words[role], time);
    if (class == DESTRUCTION)
        time = end_creation(s, words[END], time);
    int is_fixed = class != EVENT;
    if (!last || last->is_alone || is_fixed != last->is_fixed || time < s->latest.items[0] || class == CREATION ||
        (is_fixed && !(time <= s->latest.items[0]))) {
        last = array_push(&s->runs);
        *last = (run){start, end, number, isnan(time) ? -INFINITY : time, is_fixed, class == CREATION};
    }
    last->end = end;
    s->latest.items[0] = last->is_fixed ? last->time : time;
    if (class == CREATION)
        add_creation(s, words, time);
    return 1;
}

static int compare_runs(const void *one, const void *other)
{
    const run *a = one, *b = other;
    if (a->time < b->time || a->time > b->time)
        return a->time < b->time ? -1 : 1;
    return a->start < b->start ? -1 : a->start > b->start;
}

static void find_runs(sorter *s)
{
    array_clear(&s->latest);
    *array_at(&s->latest, 0) = -INFINITY;
    map_clear(&s->containers);
    for_each_line(s, WORDS, add_to_runs);
    for (size_t i = s->creations.count; i-- > 0;) { /* containers within others first */
        const creation *it = &s->creations.items[i];
        double time = merge_max(it->earliest, it->previous);
        if (it->run == MAP_NONE)
            continue;
        s->runs.items[it->run].time = time;
        if (it->parent != MAP_NONE) {
            creation *parent = &s->creations.items[it->parent];
            parent->earliest = merge_min(parent->earliest, time);
        }
    }
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

/* Copies the first line of a run, with the comments in front of it and the lines that stay behind it, and notes the
 * numbers of all of them. */
static void copy_line(const sorter *s, run *from, text_buffer *copy, text_buffer *numbers)
{
    size_t at = from->start;
    int has_line = 0;
    while (at < from->end) {
        size_t end = line_end(s, at);
        if (!is_comment(s, at, end)) {
            pajesim_text words[WORDS];
            const char *stop = s->bytes + end - (s->bytes[end - 1] == '\n');
            if (has_line && !from->is_fixed) {
                enum line_class class = split(s, s->bytes + at, stop, words, WORDS);
                double time = class == EVENT ? time_of(words[TIME]) : NAN;
                if (!isnan(time)) {
                    from->time = time;
                    break;
                }
            }
            has_line = 1;
        } else if (has_line && !from->is_fixed) { /* it belongs to the line that follows, whatever that is */
            size_t next = end;
            while (next < from->end && is_comment(s, next, line_end(s, next)))
                next = line_end(s, next);
            if (next < from->end) {
                pajesim_text words[WORDS];
                size_t stop = line_end(s, next);
                enum line_class class = split(s, s->bytes + next, s->bytes + stop - (s->bytes[stop - 1] == '\n'),
                                              words, WORDS);
                double time = class == EVENT ? time_of(words[TIME]) : NAN;
                if (!isnan(time)) {
                    from->time = time;
                    break;
                }
            }
        }
        text_put(copy, s->bytes + at, end - at);
        if (s->bytes[end - 1] != '\n')
            text_putc(copy, '\n');
        text_put(numbers, (const char *)&from->line, sizeof from->line);
        from->line++;
        at = end;
    }
    from->start = at;
}

static void write_sorted(const sorter *s, int copy, int numbers, const char *name)
{
    enum { PIECE = 1 << 16 };
    run_heap heap = {0};
    text_buffer text = {0}, lines = {0};
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
            merge_write_file(copy, name, &text);
            merge_write_file(numbers, name, &lines);
        }
    }
    merge_write_file(copy, name, &text);
    merge_write_file(numbers, name, &lines);
    text_free(&text);
    text_free(&lines);
    array_free(&heap);
}

static void free_sorter(sorter *s)
{
    map_free(&s->numbers);
    map_free(&s->pairs);
    map_free(&s->containers);
    array_free(&s->layouts);
    array_free(&s->latest);
    array_free(&s->runs);
    array_free(&s->current);
    array_free(&s->creations);
    text_free(&s->key);
}

static void sort_input(merge_input *input, int is_alone)
{
    const char *path = input->path ? input->path : input->name;
    sorter s;
    struct stat status;
    int file = open(path, O_RDONLY | O_NOCTTY);
    if (file < 0 || fstat(file, &status) < 0)
        stream_fail("%s: %s", input->name, strerror(errno));
    memset(&s, 0, sizeof s);
    s.size = (size_t)status.st_size;
    void *mapped = s.size ? mmap(NULL, s.size, PROT_READ, MAP_PRIVATE, file, 0) : NULL;
    close(file);
    if (mapped == MAP_FAILED)
        stream_fail("%s: it cannot be mapped: %s", input->name, strerror(errno));
    if (!mapped)
        return;
    s.bytes = mapped;
    if (must_be_sorted(&s, is_alone)) {
        find_runs(&s);
        int copy = merge_make_file(input->name);
        input->numbers = merge_make_file(input->name);
        write_sorted(&s, copy, input->numbers, input->name);
        merge_set_file(input, copy);
    }
    free_sorter(&s);
    munmap(mapped, s.size);
}

void merge_sort_inputs(merge *m)
{
    for (uint32_t i = 0; i < m->input_count; i++)
        sort_input(&m->inputs[i], m->input_count == 1);
}
