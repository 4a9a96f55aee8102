/* Reads a trace by chunks, in several processes.  Workers read chunks into memory that they share with this process,
 * in turn, each into two slots; this process feeds what lasts of them, in order.  A chunk that does not suit, for
 * instance as it has an error, is fed whole, so that its messages are those of one replay. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS, MAP_NORESERVE */
#include "replay/chunks.h"
#include "base/process.h"
#include "base/stream.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef MAP_NORESERVE
#define MAP_NORESERVE 0
#endif

enum {
    LEAST_TRACE = 1 << 20,         /* bytes: a smaller one is replayed before the processes have started */
    MOST_CHUNK = (4 << 20) + (1 << 16), /* a bit more than what lies between two checkpoints of an index */
    LINE_ROOM = 1 << 16,           /* for the line that lies across the end of a chunk */
    PAGE = 4096,                   /* slots, and the memory within, begin at multiples of it, or of 8 bytes */
    MOST_PROCESSES = 64,
    FILES_EACH = 2,                /* descriptors of the parent for each process */
    SLOTS = 2,                     /* of a worker: it reads a chunk while one waits */
    MOST_FAILURES = 3,             /* chunks in a row that do not suit or pay: then the others will not, either */
    LASTING_COST = 8               /* a line that lasts takes as long as so many that are read in parallel */
};

/* A chunk, in shared memory.  Its bytes follow, then the memory that it is read with. */
typedef struct slot {
    pajesim_chunk chunk;
    uint64_t begin, end; /* in the trace; end 0: it does not suit */
    size_t at;           /* of its first byte */
} slot;

enum { SLOT_HEAD = (sizeof(slot) + 15) / 16 * 16 };

typedef struct worker {
    pid_t process;
    int done, free; /* pipes: the worker writes a byte for each chunk, and reads one for each slot that is free again */
} worker;

typedef struct team {
    paje_run *run;
    int makes_index;
    uint64_t size, chunk_size, count; /* of the trace, of a chunk, of chunks; the first one is fed whole */
    size_t slot_size;
    unsigned char *slots;
    worker *workers;
    uint64_t processes;
    unsigned char *copy; /* of the arena */
    size_t copy_size;
    unsigned failures;
} team;

int paje_chunks_pay(const paje_run *run, int processes)
{
    static const pajesim_callbacks none;
    pajesim_callbacks callbacks = run->callbacks;
    struct stat file;
    callbacks.problem = NULL;
    return processes > 1 && memcmp(&callbacks, &none, sizeof none) == 0 && !run->settings->follow &&
           !run->settings->simulation.parse_only && run->source->file != STDIN_FILENO &&
           fstat(run->source->file, &file) == 0 && S_ISREG(file.st_mode) && file.st_size >= LEAST_TRACE &&
           !paje_is_compressed(run->source->name);
}

static slot *slot_of(const team *it, uint64_t number)
{
    uint64_t own = (number - 1) / it->processes % SLOTS;
    return (slot *)(void *)(it->slots + ((number - 1) % it->processes * SLOTS + own) * it->slot_size);
}

static char *bytes_of(slot *it)
{
    return (char *)it + SLOT_HEAD + it->at;
}

/* ---- a worker */

/* Reads the lines that begin in a chunk. */
static void read_chunk(const team *it, int file, uint64_t number)
{
    slot *to = slot_of(it, number);
    uint64_t from = number * it->chunk_size - 1; /* if this byte ends a line, the next one begins in the chunk */
    char *bytes = (char *)to + SLOT_HEAD, *first, *last;
    size_t capacity = (size_t)it->chunk_size + LINE_ROOM, size = paje_read_at(file, bytes, capacity, from);
    to->end = 0;
    first = memchr(bytes, '\n', size);
    last = size > it->chunk_size ? memchr(bytes + it->chunk_size, '\n', size - (size_t)it->chunk_size) : NULL;
    if (!last && from + size >= it->size) { /* the last line may lack its newline */
        last = bytes + size;
        while (last > bytes && last[-1] != '\n')
            last--;
        last--;
    }
    if (!first || !last || last <= first)
        return;
    to->at = (size_t)(first + 1 - bytes);
    to->begin = from + to->at;
    size = (size_t)(last - first);
    unsigned char *memory = it->slots + ((unsigned char *)to - it->slots) + SLOT_HEAD + capacity;
    if (pajesim_chunk_read(&to->chunk, memory, it->slot_size - SLOT_HEAD - capacity, &it->run->sim, first + 1, size) ==
        PAJESIM_OK)
        to->end = to->begin + size;
}

/* Reads each chunk that is its own. */
static void work(const team *it, uint64_t own, int done, int free)
{
    char word = 0;
    int file = it->run->source->file;
    for (uint64_t number = 1 + own; number < it->count; number += it->processes) {
        if (number > SLOTS * it->processes && read(free, &word, 1) <= 0)
            break;
        read_chunk(it, file, number);
        if (write(done, &word, 1) <= 0)
            break;
    }
}

static void start(team *it, uint64_t number)
{
    worker *to = &it->workers[number];
    int done[2], free[2];
    if (pipe(done) < 0 || pipe(free) < 0)
        stream_fail("no pipe for a process that reads chunks: %s", strerror(errno));
    if ((to->process = fork()) < 0)
        stream_fail("no process to read chunks: %s", strerror(errno));
    if (to->process == 0) {
        for (uint64_t i = 0; i < number; i++) { /* so that each pipe ends with the process that it leads to */
            close(it->workers[i].done);
            close(it->workers[i].free);
        }
        close(done[0]);
        close(free[1]);
        work(it, number, done[1], free[0]);
        _exit(EXIT_OK);
    }
    close(done[1]);
    close(free[0]);
    to->done = done[0];
    to->free = free[1];
}

/* ---- feeding */

/* Makes a copy of the simulation; returns 0 where this takes as long as feeding the chunk. */
static int copy_run(team *it, pajesim *copy)
{
    const pajesim *sim = &it->run->sim;
    size_t used = pajesim_used(sim);
    if (used > it->chunk_size)
        return 0;
    if (used > it->copy_size) {
        free(it->copy);
        it->copy_size = 2 * used;
        it->copy = memory_alloc(it->copy_size, 1);
    }
    return pajesim_copy(copy, it->copy, it->copy_size, sim) == PAJESIM_OK;
}

/* Feeds what lasts of a chunk.  Returns 0 if it does not suit; the simulation is as it was before. */
static int feed_lasting(paje_run *run, slot *from, pajesim *copy, int makes_index)
{
    pajesim_status status = pajesim_chunk_feed(makes_index ? copy : &run->sim, &from->chunk, bytes_of(from));
    if (status != PAJESIM_OK) {
        if (!makes_index)
            pajesim_copy(&run->sim, run->arena, run->capacity, copy);
        return 0;
    }
    while (makes_index && (status = pajesim_chunk_feed(&run->sim, &from->chunk, bytes_of(from))) == PAJESIM_FULL)
        paje_grow_run(run);
    if (status != PAJESIM_OK)
        stream_fail("%s: a part suits a copy of the simulation only", run->source->name);
    return 1;
}

/* Returns 0 if the chunk is to be fed whole. */
static int feed_slot(team *it, slot *from)
{
    static const pajesim_callbacks none;
    paje_run *run = it->run;
    pajesim_callbacks callbacks = run->callbacks;
    pajesim copy;
    if (!from->end || !paje_feed_run_to(run, from->begin) || paje_run_offset(run) != from->begin ||
        !copy_run(it, &copy))
        return 0;
    run->callbacks = none; /* whatever is reported is reported again when the chunk is fed whole */
    int suits = feed_lasting(run, from, &copy, it->makes_index);
    run->callbacks = callbacks;
    if (!suits)
        return 0;
    paje_seek_run(run, from->end);
    return 1;
}

/* Whether so little lasts that reading other chunks meanwhile saves time. */
static int pays(const team *it, const slot *from)
{
    uint64_t kept = pajesim_chunk_kept(&from->chunk), size = from->end - from->begin;
    return LASTING_COST * it->processes * kept <= (it->processes - 1) * size;
}

/* Feeds a chunk.  Returns 0 at the end of the trace, or if it is no use to go on. */
static int feed_chunk(team *it, uint64_t number)
{
    worker *from = &it->workers[(number - 1) % it->processes];
    uint64_t end = (number + 1) * it->chunk_size;
    char word = 0;
    if (process_receive(from->done, &word) <= 0) {
        stream_flush();
        stream_fail("a process that read a part of %s ended early", it->run->source->name);
    }
    int suits = feed_slot(it, slot_of(it, number)), going = 1;
    it->failures = suits && pays(it, slot_of(it, number)) ? 0 : it->failures + 1;
    if (!suits)
        going = paje_feed_run_to(it->run, end < it->size ? end : it->size);
    if (write(from->free, &word, 1) < 0 && errno != EPIPE) /* EPIPE: it has read all of its chunks */
        stream_fail("a pipe to a process that reads chunks: %s", strerror(errno));
    paje_show_run(it->run);
    return going && it->failures < MOST_FAILURES;
}

void paje_feed_chunks(paje_run *run, int processes, void (*checkpoint)(paje_run *run, void *data), void *data)
{
    team it = {.run = run, .makes_index = checkpoint != NULL, .size = run->source->length};
    int going = 1;
    it.processes = process_fitting((size_t)(processes < MOST_PROCESSES ? processes : MOST_PROCESSES), FILES_EACH);
    if (it.processes < 2)
        return;
    it.chunk_size = (it.size / (it.processes * 4) + PAGE) / PAGE * PAGE;
    it.chunk_size = it.chunk_size < MOST_CHUNK ? it.chunk_size : MOST_CHUNK;
    it.count = (it.size + it.chunk_size - 1) / it.chunk_size;
    it.slot_size = (SLOT_HEAD + 3 * (size_t)it.chunk_size + LINE_ROOM + PAGE) / PAGE * PAGE;
    it.slots = mmap(NULL, it.slot_size * SLOTS * (size_t)it.processes, PROT_READ | PROT_WRITE,
                    MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (it.slots == MAP_FAILED || !paje_feed_run_to(run, it.chunk_size))
        return;
    stream_flush();
    it.workers = memory_alloc(it.processes, sizeof *it.workers);
    for (uint64_t i = 0; i < it.processes; i++)
        start(&it, i);
    for (uint64_t number = 1; number < it.count && going; number++) {
        if (checkpoint)
            checkpoint(run, data);
        going = feed_chunk(&it, number);
    }
    for (uint64_t i = 0; i < it.processes; i++) {
        close(it.workers[i].done);
        close(it.workers[i].free);
    }
    for (uint64_t i = 0; i < it.processes; i++)
        while (waitpid(it.workers[i].process, NULL, 0) < 0 && errno == EINTR)
            ;
    paje_expect_unwritten(run->source);
    munmap(it.slots, it.slot_size * SLOTS * (size_t)it.processes);
    free(it.workers);
    free(it.copy);
}
