/* An external sort.  Records that come in order, as most do, are a run of their own.  Of the others what fits memory is
 * sorted there; full memories are written to a file that has no name, as sorted runs.  All runs are merged at the
 * end. */
#include "paraver.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    MOST_RUNS = 512,     /* then they are merged into one */
    RUN_RECORDS = 1 << 8 /* that are read at once, of each run: 8 KB */
};

size_t spool_size = 1 << 22;

/* A run: records in a file, of which some are in memory. */
typedef struct run {
    int file;
    off_t at, end; /* of what is not read yet, in bytes */
    record *records;
    size_t next, count;
} run;

static run ordered = {.file = -1}; /* what came in order; its last records are in memory */
static record newest;              /* of these */
static record *memory;             /* the others */
static size_t count, most;
static int file = -1;
static off_t written;
static run runs[MOST_RUNS];
static size_t run_count;
static size_t heap[MOST_RUNS]; /* runs, the one with the first record on top */

static int compare(const void *one, const void *two)
{
    const record *a = one, *b = two;
    if (a->time != b->time)
        return a->time < b->time ? -1 : 1;
    if ((a->kind == RECORD_STATE) != (b->kind == RECORD_STATE))
        return a->kind == RECORD_STATE ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

static NO_RETURN void fail(const char *beside, const char *what)
{
    stream_fail("%s: a file beside it, to sort records: %s: %s; write where there is room for it", beside, what,
                strerror(errno));
}

static int open_file(const char *beside)
{
    text_buffer path = {0};
    text_printf(&path, "%s.XXXXXX", beside);
    int opened = mkstemp(text_string(&path));
    if (opened < 0)
        fail(beside, "it cannot be made");
    if (unlink(text_string(&path)) < 0) { /* nothing is left of it, however the program ends */
        int error = errno;
        unlink(text_string(&path)); /* it may be possible by now */
        errno = error;
        fail(beside, "it cannot be unlinked");
    }
    text_free(&path);
    return opened;
}

static void write_all(const char *beside, int to, const void *bytes, size_t size)
{
    if (!stream_write(to, (pajesim_text){bytes, size}))
        fail(beside, "it cannot be written");
}

/* ---- merging */

static void read_run(const char *beside, run *it)
{
    size_t left = (size_t)(it->end - it->at), size = RUN_RECORDS * sizeof *it->records, got = 0;
    if (size > left)
        size = left;
    while (got < size) {
        ssize_t some = pread(it->file, (char *)it->records + got, size - got, it->at + (off_t)got);
        if (some == 0)
            errno = EIO;
        if (some <= 0 && errno != EINTR)
            fail(beside, "it cannot be read");
        got += some > 0 ? (size_t)some : 0;
    }
    it->at += (off_t)size;
    it->next = 0;
    it->count = size / sizeof *it->records;
}

static void open_run(const char *beside, run *it)
{
    it->records = memory_alloc(RUN_RECORDS, sizeof *it->records);
    read_run(beside, it);
}

static int is_before(size_t one, size_t two)
{
    const run *a = &runs[heap[one]], *b = &runs[heap[two]];
    return compare(&a->records[a->next], &b->records[b->next]) < 0;
}

static void sink(size_t at, size_t size)
{
    for (;;) {
        size_t least = at;
        for (size_t child = 2 * at + 1; child <= 2 * at + 2 && child < size; child++)
            if (is_before(child, least))
                least = child;
        if (least == at)
            return;
        size_t moved = heap[at];
        heap[at] = heap[least];
        heap[least] = moved;
        at = least;
    }
}

/* Goes on to the next record; returns 0 behind the last one. */
static int advance(const char *beside, run *it)
{
    if (++it->next == it->count && it->at < it->end)
        read_run(beside, it);
    return it->next < it->count;
}

/* Merges the runs, and `aside`, which is compared with the first of them alone as it has most records. */
static void merge_runs(const char *beside, run *aside, void (*take)(const record *it))
{
    size_t size = run_count;
    for (size_t i = 0; i < size; i++) {
        heap[i] = i;
        if (!runs[i].records)
            open_run(beside, &runs[i]);
    }
    for (size_t i = size / 2; i-- > 0;)
        sink(i, size);
    for (int is_left = aside->count > 0; is_left || size > 0;) {
        run *first = &runs[heap[0]];
        if (is_left && (size == 0 || compare(&aside->records[aside->next], &first->records[first->next]) < 0)) {
            take(&aside->records[aside->next]);
            is_left = advance(beside, aside);
        } else {
            take(&first->records[first->next]);
            if (!advance(beside, first))
                heap[0] = heap[--size];
            sink(0, size);
        }
    }
    for (size_t i = 0; i < run_count; i++)
        free(runs[i].records);
    run_count = 0;
}

/* ---- many runs become one */

static struct {
    const char *beside;
    int file;
    size_t count;
    record records[RUN_RECORDS];
} merged;

static void write_merged(void)
{
    write_all(merged.beside, merged.file, merged.records, merged.count * sizeof *merged.records);
    merged.count = 0;
}

static void take_merged(const record *it)
{
    merged.records[merged.count++] = *it;
    if (merged.count == RUN_RECORDS)
        write_merged();
}

static void make_one_run(const char *beside)
{
    merged.beside = beside;
    merged.file = open_file(beside);
    merge_runs(beside, &(run){.file = -1}, take_merged);
    write_merged();
    close(file);
    file = merged.file;
    runs[run_count++] = (run){.file = file, .end = written};
}

/* ---- memory */

/* What records are sorted by, and where they are. */
typedef struct place {
    uint64_t key; /* twice the time since the first one; 1 more behind states */
    size_t at;
} place;

/* Sorts places by 11 bits of their keys; those that are alike stay in their order. */
static void sort_digit(const place *from, place *to, unsigned shift)
{
    enum { DIGITS = 1 << 11 };
    size_t ends[DIGITS] = {0}, sum = 0;
    for (size_t i = 0; i < count; i++)
        ends[from[i].key >> shift & (DIGITS - 1)]++;
    for (size_t i = 0; i < DIGITS; i++) {
        size_t here = ends[i];
        ends[i] = sum;
        sum += here;
    }
    for (size_t i = 0; i < count; i++)
        to[ends[from[i].key >> shift & (DIGITS - 1)]++] = from[i];
}

/* Sorts what is in memory: by keys as numbers, then the few of one key that are not in order. */
static void sort_memory(void)
{
    int64_t first = INT64_MAX, last = INT64_MIN;
    place *places = memory_alloc(count + 1, sizeof *places), *others = memory_alloc(count + 1, sizeof *others);
    record *sorted = memory_alloc(most, sizeof *sorted);
    for (size_t i = 0; i < count; i++) {
        first = memory[i].time < first ? memory[i].time : first;
        last = memory[i].time > last ? memory[i].time : last;
    }
    for (size_t i = 0; i < count; i++)
        places[i] = (place){2 * ((uint64_t)memory[i].time - (uint64_t)first) + (memory[i].kind != RECORD_STATE), i};
    uint64_t most_key = count > 0 ? 2 * ((uint64_t)last - (uint64_t)first) + 1 : 0;
    for (unsigned shift = 0; shift < 64 && most_key >> shift > 0; shift += 11) {
        place *swapped = places;
        sort_digit(places, others, shift);
        places = others;
        others = swapped;
    }
    for (size_t i = 0; i < count; i++)
        sorted[i] = memory[places[i].at];
    for (size_t i = 0, end; i < count; i = end) {
        int is_sorted = 1;
        for (end = i + 1; end < count && places[end].key == places[i].key; end++)
            is_sorted &= sorted[end - 1].order <= sorted[end].order;
        if (!is_sorted)
            qsort(&sorted[i], end - i, sizeof *sorted, compare);
    }
    free(places);
    free(others);
    free(memory);
    memory = sorted;
}

/* Writes what is in memory as a run. */
static void write_run(const char *beside)
{
    if (file < 0)
        file = open_file(beside);
    if (run_count == MOST_RUNS)
        make_one_run(beside);
    sort_memory();
    write_all(beside, file, memory, count * sizeof *memory);
    runs[run_count++] = (run){.file = file, .at = written, .end = written + (off_t)(count * sizeof *memory)};
    written += (off_t)(count * sizeof *memory);
    count = 0;
}

/* Writes what is in memory of those that came in order. */
static void write_ordered(const char *beside)
{
    if (ordered.file < 0)
        ordered.file = open_file(beside);
    write_all(beside, ordered.file, ordered.records, ordered.count * sizeof *ordered.records);
    ordered.end += (off_t)(ordered.count * sizeof *ordered.records);
    ordered.count = 0;
}

void spool_add(const char *beside, const record *it)
{
    if (!memory) {
        const size_t each = 2 * (sizeof *memory + sizeof(place)); /* while it is sorted */
        most = spool_size < each ? 1 : spool_size / each;
        memory = memory_alloc(most, sizeof *memory);
        ordered.records = memory_alloc(most, sizeof *memory);
        newest = *it;
    }
    if (compare(&newest, it) <= 0) {
        if (ordered.count == most)
            write_ordered(beside);
        newest = ordered.records[ordered.count++] = *it;
    } else {
        if (count == most)
            write_run(beside);
        memory[count++] = *it;
    }
}

void spool_take(const char *beside, void (*take)(const record *it))
{
    if (ordered.file >= 0) {
        write_ordered(beside);
        free(ordered.records);
        open_run(beside, &ordered);
    }
    if (run_count > 0 && count > 0)
        write_run(beside);
    if (count > 0) {
        sort_memory();
        runs[run_count++] = (run){.records = memory, .count = count};
    } else {
        free(memory);
    }
    merge_runs(beside, &ordered, take);
    free(ordered.records);
    if (file >= 0)
        close(file);
    if (ordered.file >= 0)
        close(ordered.file);
}
