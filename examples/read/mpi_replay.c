/* Replays a trace on several machines: dumps it, and prints a profile.
 * usage: mpirun -n 4 mpi_replay TRACE [DUMP] >PROFILE
 *
 * `paje index TRACE` must have made TRACE.pajeidx before, and all hosts must see both files.  A segment is the part of
 * the trace between two checkpoints of the index.  Each rank restores the checkpoint at the start of its next segment,
 * replays the segment, and writes its lines to their place in DUMP, which equals the output of `paje dump TRACE`: the
 * tool's own functions make them.  To place them, ranks tell each other how long their lines are; without DUMP, nothing
 * is exchanged before the end.
 *
 * The profile has a line for each container, state type and value: CONTAINER TYPE VALUE COUNT SECONDS, separated by
 * tabs, as in the columns Container, Type, Value, Count and Total of `paje profile --own --format csv`.  Times are
 * summed up as integer nanoseconds, so the result does not depend on the number of ranks. */
#define _XOPEN_SOURCE 700
#define PAJESIM_IMPLEMENTATION
#include "base/text.h"
#include "replay/dump_line.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <mpi.h>
#include <search.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int rank, ranks;

#if defined(__GNUC__)
__attribute__((noreturn))
#endif
static void fail(int status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "mpi_replay: ");
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "\n");
    va_end(arguments);
    MPI_Abort(MPI_COMM_WORLD, status);
    exit(status);
}

/* ---- the profile: a binary tree of rows, ordered by the creation of their containers */

typedef struct row {
    uint32_t serial;   /* of the container */
    uint32_t key_size; /* the key is the type's alias and the value */
    uint32_t size;     /* of the whole row */
    uint32_t path_size;
    uint64_t count;
    int64_t seconds, nanoseconds;
    char bytes[]; /* key, path, and name of the type, each followed by a tab */
} row;

static void *rows;
static text_buffer gathered; /* all rows of this rank, to be sent */

static int compare(const void *left, const void *right)
{
    const row *a = left, *b = right;
    if (a->serial != b->serial)
        return a->serial < b->serial ? -1 : 1;
    int order = memcmp(a->bytes, b->bytes, a->key_size < b->key_size ? a->key_size : b->key_size);
    return order ? order : (a->key_size > b->key_size) - (a->key_size < b->key_size);
}

/* Appends a name; control bytes become `?`, and the bytes in `escaped` get a backslash. */
static void put_field(text_buffer *to, pajesim_text name, const char *escaped)
{
    for (size_t i = 0; i < name.size; i++) {
        unsigned char byte = (unsigned char)name.bytes[i];
        if (byte && escaped[0] && strchr(escaped, byte))
            text_putc(to, '\\');
        text_putc(to, byte < ' ' || byte == 0x7f ? '?' : name.bytes[i]);
    }
}

static void put_path(text_buffer *to, const pajesim *sim, pajesim_ref container)
{
    if (!pajesim_parent(sim, container))
        return;
    put_path(to, sim, pajesim_parent(sim, container));
    text_putc(to, '/');
    put_field(to, pajesim_name(sim, container), "/\\");
}

static void add(row *to, uint64_t count, int64_t seconds, int64_t nanoseconds)
{
    to->count += count;
    to->seconds += seconds + (to->nanoseconds + nanoseconds) / 1000000000;
    to->nanoseconds = (to->nanoseconds + nanoseconds) % 1000000000;
}

static void insert(const row *it)
{
    row *copy = malloc(it->size);
    if (!copy || !tsearch(memcpy(copy, it, it->size), &rows, compare))
        fail(3, "out of memory");
}

static void profile(const pajesim *sim, const pajesim_entity *state)
{
    static text_buffer at; /* the row to be looked up */
    row head = {.serial = pajesim_serial(sim, state->container)};
    at.size = 0;
    text_put(&at, (const char *)&head, offsetof(row, bytes));
    put_field(&at, pajesim_alias(sim, state->type), "");
    text_putc(&at, '\t');
    put_field(&at, state->value_name, "");
    text_putc(&at, '\t');
    ((row *)(void *)at.bytes)->key_size = (uint32_t)(at.size - offsetof(row, bytes));
    row **found = tfind(at.bytes, &rows, compare);
    if (!found) {
        size_t key = at.size;
        put_path(&at, sim, state->container);
        text_putc(&at, '\t');
        ((row *)(void *)at.bytes)->path_size = (uint32_t)(at.size - key);
        put_field(&at, pajesim_name(sim, state->type), "");
        text_put(&at, "\t\0\0\0\0\0\0", 8);
        at.size -= at.size % 8; /* so that the next row in `gathered` is aligned */
        ((row *)(void *)at.bytes)->size = (uint32_t)at.size;
        insert((row *)(void *)at.bytes);
        found = tfind(at.bytes, &rows, compare);
    }
    double time = state->end - state->start, whole = floor(time);
    if (fabs(time) < 9e18)
        add(*found, 1, (int64_t)whole, (int64_t)llround((time - whole) * 1e9));
}

static void gather_row(const void *node, VISIT visit, int depth)
{
    const row *it = *(row *const *)node;
    (void)depth;
    if (visit == postorder || visit == leaf) /* in order */
        text_put(&gathered, (const char *)it, it->size);
}

static void print_row(const void *node, VISIT visit, int depth)
{
    const row *it = *(row *const *)node;
    const char *path = it->bytes + it->key_size, *type = path + it->path_size, *value = strchr(it->bytes, '\t') + 1;
    (void)depth;
    if (visit == postorder || visit == leaf)
        printf("%.*s%.*s%.*s%llu\t%lld.%09lld\n", (int)it->path_size, path, (int)(strchr(type, '\t') + 1 - type), type,
               (int)(path - value), value, (unsigned long long)it->count, (long long)it->seconds,
               (long long)it->nanoseconds);
}

/* Collects the rows of all ranks in rank 0, which prints them. */
static void reduce(void)
{
    int size, *sizes = calloc((size_t)ranks, sizeof *sizes), *places = calloc((size_t)ranks, sizeof *places);
    size_t total = 0;
    text_buffer all = {0};
    twalk(rows, gather_row);
    size = (int)gathered.size;
    if (!sizes || !places || gathered.size > INT32_MAX)
        fail(3, "the profile is too large: %zu bytes", gathered.size);
    MPI_Gather(&size, 1, MPI_INT, sizes, 1, MPI_INT, 0, MPI_COMM_WORLD);
    for (int i = 0; i < ranks; total += (size_t)sizes[i++])
        places[i] = (int)total;
    if (total > INT32_MAX)
        fail(3, "the profile is too large: %zu bytes", total);
    text_reserve(&all, total);
    MPI_Gatherv(gathered.bytes, size, MPI_BYTE, all.bytes, sizes, places, MPI_BYTE, 0, MPI_COMM_WORLD);
    for (size_t i = rank == 0 ? (size_t)sizes[0] : total; i < total;) {
        row *it = (row *)(void *)(all.bytes + i), **found = tfind(it, &rows, compare);
        if (found)
            add(*found, it->count, it->seconds, it->nanoseconds);
        else
            insert(it);
        i += it->size;
    }
    free(sizes);
    free(places);
    if (rank == 0)
        twalk(rows, print_row);
    if (rank == 0 && (fflush(stdout) || ferror(stdout)))
        fail(3, "standard output: %s", strerror(errno));
}

/* ---- segments */

enum { DECIMALS = 6 }; /* of `paje dump` */

static const char *name; /* of the trace */
static int trace;        /* its descriptor */
static pajesim_index trace_index;
static uint64_t errors;
static int dumps;
static text_buffer lines; /* of the current segment */

static int closed(pajesim *sim, const pajesim_entity *entity)
{
    if (dumps) {
        paje_format_entity(&lines, sim, entity, DECIMALS);
        text_putc(&lines, '\n');
    }
    if (entity->kind == PAJESIM_STATE)
        profile(sim, entity);
    return PAJESIM_GO_ON;
}

static int problem(pajesim *sim, const pajesim_problem *it)
{
    (void)sim;
    errors += it->severity == PAJESIM_ERROR;
    return PAJESIM_GO_ON;
}

static pajesim_checkpoint checkpoint(uint32_t number)
{
    pajesim_checkpoint it = {0};
    pajesim_index_checkpoint(&trace_index, number, &it);
    return it;
}

static void load_index(void)
{
    struct stat status, of_index;
    text_buffer whole = {0};
    text_printf(&whole, "%s.pajeidx", name);
    const char *path = text_string(&whole);
    int file = open(path, O_RDONLY);
    if (file < 0 || fstat(file, &of_index) < 0)
        fail(2, "%s: %s; run `paje index %s` first", path, strerror(errno), name);
    size_t size = (size_t)of_index.st_size, at = 0;
    unsigned char *memory = malloc(size + 8);
    ssize_t got = 1;
    while (memory && at < size && (got = read(file, memory + at, size - at)) > 0)
        at += (size_t)got;
    close(file);
    if (at < size || pajesim_index_load(&trace_index, memory, size, size) != PAJESIM_OK)
        fail(2, "%s: unreadable, or made by another version or machine; run `paje index %s` again", path,
             name);
    /* `paje index` stores the size and modification time of the trace in the label. */
    const uint64_t *label = pajesim_index_label(&trace_index);
    trace = open(name, O_RDONLY);
    if (trace < 0 || fstat(trace, &status) < 0)
        fail(3, "%s: %s", name, strerror(errno));
    uint64_t date = (uint64_t)status.st_mtim.tv_sec * 1000000000u + (uint64_t)status.st_mtim.tv_nsec;
    if (!pajesim_index_complete(&trace_index) || label[0] != (uint64_t)status.st_size || label[1] != date)
        fail(2, "%s: the trace has changed since; run `paje index %s` again", path, name);
    text_free(&whole);
}

/* Returns the number of segments.  The last one ends with the trace, where there may be two checkpoints. */
static uint32_t segments(void)
{
    uint32_t count = pajesim_index_count(&trace_index) - 1;
    while (count > 1 && checkpoint(count - 1).offset == checkpoint(count).offset)
        count--;
    return count ? count : 1;
}

/* Moves the simulation to a larger arena. */
static void grow(pajesim *sim, uint64_t **arena)
{
    size_t size = (size_t)pajesim_capacity_needed(sim) * 3 / 2;
    uint64_t *larger = malloc(size);
    if (!larger || pajesim_move(sim, larger, size) != PAJESIM_OK)
        fail(3, "out of memory: an arena of %zu bytes", size);
    free(*arena);
    *arena = larger;
}

static void replay(uint32_t number, int is_last)
{
    static const pajesim_callbacks callbacks = {.closed = closed, .problem = problem};
    static char piece[1 << 18];
    pajesim_checkpoint from = checkpoint(number), to = checkpoint(number + 1);
    uint64_t *arena = malloc(from.arena);
    pajesim sim;
    if (!arena || pajesim_index_restore(&trace_index, number, &sim, arena, from.arena, &callbacks, NULL) != PAJESIM_OK)
        fail(3, "out of memory: an arena of %zu bytes", from.arena);
    for (uint64_t at = from.offset; is_last || at < to.offset;) {
        size_t size = is_last || to.offset - at > sizeof piece ? sizeof piece : (size_t)(to.offset - at), taken;
        ssize_t got = pread(trace, piece, size, (off_t)at);
        if (got < 0 || (got == 0 && !is_last))
            fail(3, "%s: %s", name, got < 0 ? strerror(errno) : "the file has become shorter");
        if (got == 0)
            break;
        if (pajesim_feed(&sim, piece, (size_t)got, &taken) == PAJESIM_FULL)
            grow(&sim, &arena);
        at += taken;
    }
    if (pajesim_index_check(&trace_index, number + 1, &sim) != PAJESIM_OK)
        fail(2, "%s: the trace was changed since; run `paje index` again", name);
    while (is_last && pajesim_finish(&sim) == PAJESIM_FULL)
        grow(&sim, &arena);
    free(arena);
}

int main(int argc, char **argv)
{
    MPI_File out = MPI_FILE_NULL;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc < 2 || argc > 3)
        fail(2, "usage: mpirun -n RANKS mpi_replay TRACE [DUMP]");
    name = argv[1];
    dumps = argc > 2;
    load_index();
    if (dumps && (MPI_File_open(MPI_COMM_WORLD, argv[2], MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &out) ||
                  MPI_File_set_size(out, 0)))
        fail(3, "%s: cannot be written", argv[2]);

    /* In each round every rank replays one segment; `place` is where the lines of the round begin in the dump. */
    uint64_t place = 0, *sizes = memory_alloc((size_t)ranks, sizeof *sizes);
    for (uint32_t count = segments(), round = 0; round < count; round += (uint32_t)ranks) {
        uint32_t number = round + (uint32_t)rank;
        lines.size = 0;
        if (number < count)
            replay(number, number + 1 == count);
        if (!dumps)
            continue;
        uint64_t size = lines.size, at = place;
        if (size > INT32_MAX)
            fail(3, "the output of one segment exceeds 2 GiB; `paje index --events N` makes shorter segments");
        MPI_Allgather(&size, 1, MPI_UINT64_T, sizes, 1, MPI_UINT64_T, MPI_COMM_WORLD);
        for (int i = 0; i < ranks; place += sizes[i++])
            at += i < rank ? sizes[i] : 0;
        if (size && MPI_File_write_at(out, (MPI_Offset)at, lines.bytes, (int)size, MPI_BYTE, MPI_STATUS_IGNORE))
            fail(3, "%s: cannot be written", argv[2]);
    }
    free(sizes);
    if (dumps && MPI_File_close(&out))
        fail(3, "%s: cannot be written", argv[2]);
    reduce();
    uint64_t all_errors = 0;
    MPI_Allreduce(&errors, &all_errors, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0 && all_errors)
        fprintf(stderr, "mpi_replay: %s has %llu errors; `paje validate` lists them\n", name,
                (unsigned long long)all_errors);
    MPI_Finalize();
    return all_errors > 0;
}
