/* Hands the state of a replay from process to process: see replay/relay.h. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS, MAP_NORESERVE */
#include "replay/relay.h"
#include "base/stream.h"
#include "replay/arena.h"
#include "replay/turn.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#ifndef MAP_NORESERVE
#define MAP_NORESERVE 0
#endif

enum {
    ALIGNMENT = 4096,
    HEAD = 1 << 18,      /* bytes that are replayed by each process: event definitions and types */
    LINE_ROOM = 1 << 16, /* for the lines that lie across the ends of a part */
    BLOCK = 1 << 12,
    MOST_FAILURES = 2    /* parts that do not suit, in a row: then the others will not, either */
};

/* What a process hands over.  What settings->before noted follows, then the arena. */
typedef struct relay_state {
    pajesim sim;
    uint64_t offset;
} relay_state;

enum { STATE_SIZE = (sizeof(relay_state) + 15) / 16 * 16 }; /* so that what follows is aligned */

enum { HANDED = 1, TOO_LARGE }; /* words between processes */

/* Sizes of the parts of a few processes, relative to each other, if reading takes 0.4 times as long as replaying: the
 * first process has replayed 2 when the others have read 5, each the part before its own; then they all replay 5. */
enum { FEW = 4, BEFORE_READ = 2, READ = 5 };

/* A part ends with a line. */
typedef struct relay_part {
    uint64_t handed, end; /* offsets in the trace; handed: where the state is handed over */
} relay_part;

static relay_state *state_of(const paje_relay *it, size_t process)
{
    return (relay_state *)(void *)((char *)it->states + process * it->state_size);
}

static void *noted_of(relay_state *state)
{
    return (char *)state + STATE_SIZE;
}

/* Returns where the arena begins. */
static size_t arena_at(const paje_relay *it)
{
    return STATE_SIZE + (it->run->settings->noted_size + 15) / 16 * 16;
}

/* ---- parts */

/* Returns where the first line begins that is not before `offset`. */
static uint64_t line_begin(int file, uint64_t offset)
{
    char block[BLOCK];
    size_t size;
    for (offset--; (size = paje_read_at(file, block, sizeof block, offset)) > 0; offset += size) {
        const char *newline = memchr(block, '\n', size);
        if (newline)
            return offset + (uint64_t)(newline - block) + 1;
    }
    return offset;
}

static void add_part(paje_relay *it, uint64_t handed, uint64_t end)
{
    if ((it->count & (it->count - 1)) == 0) /* a power of 2: there is no room for more */
        it->parts = memory_resize(it->parts, it->count ? 2 * it->count : 1, sizeof *it->parts);
    it->parts[it->count++] = (relay_part){handed < end ? handed : end, end};
}

/* The largest part has `most` bytes at most and what is left of its last line.  All rounds are about equal. */
static void divide(paje_relay *it, uint64_t most)
{
    int file = it->run->source->file;
    uint64_t size = it->run->source->length, unit = most / (BEFORE_READ + READ) + 1;
    uint64_t round = BEFORE_READ + READ * it->processes, rounds = size / (unit * round) + 1;
    unit = size / (rounds * round) + 1;
    for (uint64_t at = 0, handed, end; at < size; at = end) {
        int is_large = it->hands_end && it->count % it->processes == 0;
        end = at + (!it->hands_end ? most : is_large ? (BEFORE_READ + READ) * unit : READ * unit);
        end = end < size ? line_begin(file, end) : size;
        handed = is_large ? line_begin(file, at + BEFORE_READ * unit) : it->count == 0 ? it->head : at;
        add_part(it, handed, end);
    }
}

int paje_begin_relay(paje_relay *it, paje_run *run, size_t processes, uint64_t most)
{
    const paje_settings *settings = run->settings;
    memset(it, 0, sizeof *it);
    it->run = run;
    it->callbacks = run->callbacks;
    it->processes = processes < RELAY_MOST ? processes : RELAY_MOST;
    it->hands_end = it->processes <= FEW;
    it->head = line_begin(run->source->file, most / 4 < HEAD ? most / 4 + 1 : HEAD);
    divide(it, most);
    if (settings->before)
        settings->begin(run, 0);
    paje_change_callbacks(run, settings->before);
    if (it->count <= it->processes || it->head >= it->parts[0].end || !paje_feed_run_to(run, it->head) ||
        paje_run_offset(run) != it->head)
        return 0;
    size_t used = pajesim_used(&run->sim);
    if (pajesim_copy(&it->base, paje_arena(used), used, &run->sim) != PAJESIM_OK)
        return 0;
    it->room = (size_t)most + LINE_ROOM;
    it->state_size = (arena_at(it) + it->room + ALIGNMENT) / ALIGNMENT * ALIGNMENT;
    it->states = mmap(NULL, it->state_size * it->processes, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (it->states == MAP_FAILED)
        return 0;
    it->links = memory_alloc(it->processes, sizeof *it->links);
    for (size_t i = 0; i < it->processes; i++)
        if (socketpair(AF_UNIX, SOCK_STREAM, 0, it->links[i]) < 0)
            stream_fail("no sockets between processes that replay parts: %s", strerror(errno));
    return 1;
}

void paje_enter_relay(paje_relay *it, size_t own)
{
    size_t before = (own + it->processes - 1) % it->processes;
    it->own = own;
    for (size_t i = 0; i < it->processes; i++) { /* so that a socket ends with the process that it leads to */
        if (i != own)
            close(it->links[i][0]);
        if (i != before)
            close(it->links[i][1]);
    }
    paje_source *source = it->run->source, *again = paje_open_trace(source->name, 0);
    if (source->device != again->device || source->inode != again->inode)
        stream_fail("%s: it was replaced while it was read", source->name);
    it->run->source = again;
    it->run->callbacks = it->callbacks;
    if (own == 0) {
        paje_close_source(again);
        free(it->run->arena);
        paje_open_run(it->run, it->run->settings, source->name);
    } else {
        paje_seek_run(it->run, it->head);
    }
    paje_close_source(source);
    it->bytes = memory_alloc(it->room, 1);
    it->memory = memory_alloc(2 * it->room, 1); /* mostly not touched */
}

void paje_leave_relay(paje_relay *it)
{
    for (size_t i = 0; i < it->processes; i++) {
        close(it->links[i][0]);
        close(it->links[i][1]);
    }
}

/* ---- messages */

/* The process that this is for may have ended well, as it has no part left. */
static void tell(int to, char word)
{
    while (send(to, &word, 1, MSG_NOSIGNAL) < 0 && errno == EINTR)
        ;
}

/* ---- states */

/* Hands the state over, for the next part; or, if it is that large, lets the next process feed what is between. */
static void hand_over(paje_relay *it, size_t number)
{
    const paje_settings *settings = it->run->settings;
    relay_state *to = state_of(it, it->own);
    int link = it->links[it->own][0];
    if (number + 1 >= it->count || it->processes == 1)
        return;
    /* The one before was taken: this process waited for the one before it, and so on back to the next one. */
    if (pajesim_copy(&to->sim, (char *)to + arena_at(it), it->state_size - arena_at(it), &it->run->sim) ==
        PAJESIM_OK) {
        if (settings->noted_size)
            memcpy(noted_of(to), settings->noted, settings->noted_size);
        to->offset = paje_run_offset(it->run);
        tell(link, HANDED);
    } else {
        tell(link, TOO_LARGE);
    }
}

/* Continues from the state that was handed over. */
static void continue_from(paje_relay *it, relay_state *from)
{
    paje_run *run = it->run;
    if (run->settings->noted_size)
        memcpy(run->settings->noted, noted_of(from), run->settings->noted_size);
    size_t used = pajesim_used(&from->sim);
    if (used > run->capacity) {
        free(run->arena);
        run->capacity = used + used / 2;
        run->arena = paje_arena(run->capacity);
    }
    pajesim_copy(&run->sim, run->arena, run->capacity, &from->sim);
    paje_free_choice(&run->choice); /* refs that were used before may be used again */
    paje_seek_run(run, from->offset);
}

/* Reads what follows in the part before.  Returns 0 if it does not suit. */
static int read_before(paje_relay *it, pajesim_chunk *chunk, const relay_part *before)
{
    uint64_t size = before->end - before->handed;
    return size > 0 && size <= it->room &&
           paje_read_at(it->run->source->file, it->bytes, (size_t)size, before->handed) == size &&
           it->bytes[size - 1] == '\n' &&
           pajesim_chunk_read(chunk, it->memory, 2 * it->room, &it->base, it->bytes, (size_t)size) == PAJESIM_OK;
}

/* Feeds what lasts of the part before.  Returns 0 if it does not suit, and the simulation is of no use. */
static int feed_before(paje_relay *it, pajesim_chunk *chunk, uint64_t end)
{
    pajesim_status status;
    while ((status = pajesim_chunk_feed(&it->run->sim, chunk, it->bytes)) == PAJESIM_FULL)
        paje_grow_run(it->run);
    if (status == PAJESIM_OK)
        paje_seek_run(it->run, end);
    return status == PAJESIM_OK;
}

void paje_relay_to(paje_relay *it, size_t number)
{
    if (number == 0 || it->processes == 1)
        return;
    size_t process = (it->own + it->processes - 1) % it->processes;
    relay_state *from = state_of(it, process);
    const relay_part *before = &it->parts[number - 1];
    int gets_end = it->hands_end && it->own == 0, link = it->links[process][1], suits = 0;
    pajesim_chunk chunk;
    if (!gets_end && it->failures < MOST_FAILURES) {
        suits = read_before(it, &chunk, before);
        it->failures = suits ? 0 : it->failures + 1;
    }
    if (paje_take_word(link) == HANDED) {
        if (from->offset != (gets_end ? before->end : before->handed))
            stream_fail("%s: it was changed while it was read", it->run->source->name);
        continue_from(it, from);
        if (suits && !feed_before(it, &chunk, before->end))
            continue_from(it, from);
    } else {
        it->failures = MOST_FAILURES; /* reading is of no use */
    }
    (void)paje_feed_run_to(it->run, before->end);
}

int paje_relay_feed(paje_relay *it, size_t number)
{
    const relay_part *part = &it->parts[number];
    int is_end_handed = it->hands_end && it->own + 1 == it->processes;
    int going = paje_feed_run_to(it->run, part->handed);
    if (!is_end_handed)
        hand_over(it, number);
    going = going && paje_feed_run_to(it->run, part->end);
    while (going && number + 1 == it->count) /* what was added meanwhile, and a line without its newline */
        going = paje_feed_run(it->run, SIZE_MAX);
    if (is_end_handed)
        hand_over(it, number);
    return going;
}
