/* Parts of a trace, so that several processes can share the work.  With an index each part is replayed on its own, from one
 * of its checkpoints, and a range of time does not take the whole; without, each process replays all of the trace, but
 * listens to its share of the parts only, as callbacks do half of the work.  The output is that of one replay: it comes in
 * the order of the parts. */
#include "paje.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST_BYTES (4u << 20) /* of a part: its output is held in memory until its turn comes */

typedef struct part {
    uint32_t checkpoint;
    uint64_t end;
} part;

/* The whole of it, and its parts. */
typedef struct job {
    const paje_settings *settings;
    const char *name;
    uint64_t most; /* bytes of a part, or some more */
    const pajesim_index *index; /* NULL: there is none, nor what follows */
    double from, to;
    void (*before_rest)(void);
    uint32_t last;  /* checkpoint behind which nothing of it begins */
    int ends;       /* 1: that is the end of the trace */
    part *parts;
    size_t count;
} job;

static uint64_t most_of(uint64_t bytes, int processes)
{
    uint64_t most = bytes / ((uint64_t)processes * 8) + 1;
    return most < MOST_BYTES ? most : MOST_BYTES;
}

/* ---- with an index */

static pajesim_checkpoint checkpoint_of(const job *it, uint32_t number)
{
    pajesim_checkpoint checkpoint = {0};
    pajesim_index_checkpoint(it->index, number, &checkpoint);
    return checkpoint;
}

static void plan(job *it, int processes)
{
    uint32_t first = pajesim_index_before(it->index, it->from), number = first + 1;
    it->last = pajesim_index_after(it->index, it->to);
    it->ends = checkpoint_of(it, it->last).offset == checkpoint_of(it, pajesim_index_count(it->index) - 1).offset;
    uint64_t begin = checkpoint_of(it, first).offset, bytes = checkpoint_of(it, it->last).offset - begin;
    it->most = processes > 1 ? most_of(bytes, processes) : UINT64_MAX;
    it->parts = paje_room(NULL, (it->last - first + 1) * sizeof *it->parts);
    it->parts[0].checkpoint = first;
    for (; number < it->last; number++) {
        uint64_t offset = checkpoint_of(it, number).offset;
        if (offset - begin < it->most)
            continue;
        it->parts[it->count++].end = offset;
        it->parts[it->count].checkpoint = number;
        begin = offset;
    }
    it->parts[it->count++].end = it->ends ? UINT64_MAX : checkpoint_of(it, it->last).offset;
}

/* Answers an exit status, which is that of the trace up to the end of the part. */
static int replay_part(const job *it, size_t number)
{
    static paje_run run;
    const part *now = &it->parts[number];
    uint64_t at;
    paje_open_run_at(&run, it->settings, it->name, it->index, now->checkpoint);
    if (it->settings->plugin->begin)
        it->settings->plugin->begin(&run, 0);
    while ((at = pajesim_count(&run.sim)->bytes) < now->end) {
        uint64_t most = now->end - at;
        if (!paje_feed_run(&run, most < SIZE_MAX ? (size_t)most : SIZE_MAX))
            break;
    }
    if (number + 1 == it->count) {
        if (it->before_rest)
            it->before_rest();
        if (it->ends)
            paje_finish_run(&run);
        else
            while (pajesim_index_rest(it->index, it->last, &run.sim, it->from, it->to) == PAJESIM_FULL)
                paje_grow_run(&run);
    }
    return paje_close_run(&run);
}

/* ---- processes: each does its share of the parts, and writes what came of one when its turn comes */

/* Who is next may write: each process waits for the one before it, in a ring of pipes. */
typedef struct turns {
    int from, to;
    size_t first, step; /* its first part, and from one of its parts to the next */
} turns;

enum { GO_ON = 1, ENOUGH };

/* Waits for its turn, writes, and lets the next one write; answers 0 if a part before was the last, as may be where a
 * trace grows meanwhile. */
static int write_part(const turns *turn, size_t number, int last)
{
    char word = GO_ON;
    ssize_t got = 1;
    if (number > 0)
        while ((got = read(turn->from, &word, 1)) < 0 && errno == EINTR)
            ;
    if (got <= 0)
        exit(PAJE_FAILED); /* it has said why, or share does */
    if (word == GO_ON)
        paje_flush();
    paje_output.size = 0;
    if (last)
        word = ENOUGH;
    while (write(turn->to, &word, 1) < 0 && errno == EINTR)
        ;
    return word == GO_ON;
}

static int work_with_index(const job *it, const turns *turn)
{
    int status = PAJE_WELL;
    for (size_t number = turn->first; number < it->count; number += turn->step) {
        status = replay_part(it, number);
        if (!write_part(turn, number, number + 1 == it->count))
            break;
    }
    return status;
}

static int work_without(const job *it, const turns *turn)
{
    static paje_run run;
    uint64_t at;
    paje_open_run(&run, it->settings, it->name);
    if (it->settings->plugin->begin)
        it->settings->plugin->begin(&run, 0);
    const pajesim_callbacks callbacks = run.callbacks, none = {0};
    int going = 1;
    for (size_t number = 0; going; number++) {
        int mine = number % turn->step == turn->first;
        run.callbacks = mine ? callbacks : none;
        while (going && (at = pajesim_count(&run.sim)->bytes) < (number + 1) * it->most)
            going = paje_feed_run(&run, (size_t)((number + 1) * it->most - at));
        if (mine && !going)
            paje_finish_run(&run);
        if (mine && !write_part(turn, number, !going))
            break;
    }
    return paje_close_run(&run);
}

static int share(const job *it, size_t processes)
{
    int (*pipes)[2] = paje_room(NULL, processes * sizeof *pipes), status = PAJE_WELL;
    pid_t *workers = paje_room(NULL, processes * sizeof *workers);
    paje_flush();
    for (size_t i = 0; i < processes; i++)
        if (pipe(pipes[i]) < 0)
            paje_fail("no pipe for a part: %s", strerror(errno));
    for (size_t i = 0; i < processes; i++) {
        size_t next = (i + 1) % processes;
        if ((workers[i] = fork()) < 0)
            paje_fail("no process for a part: %s", strerror(errno));
        if (workers[i] > 0)
            continue;
        for (size_t k = 0; k < processes; k++) { /* so that who waits for a process hears that it has ended */
            if (k != i)
                close(pipes[k][0]);
            if (k != next)
                close(pipes[k][1]);
        }
        paje_output_room = SIZE_MAX;
        turns turn = {pipes[i][0], pipes[next][1], i, processes};
        _exit(it->index ? work_with_index(it, &turn) : work_without(it, &turn));
    }
    for (size_t i = 0; i < processes; i++) {
        close(pipes[i][0]);
        close(pipes[i][1]);
    }
    for (size_t i = 0; i < processes; i++) {
        int how;
        if (waitpid(workers[i], &how, 0) < 0 || !WIFEXITED(how))
            paje_fail("a process that replayed a part ended early");
        if (WEXITSTATUS(how) > status)
            status = WEXITSTATUS(how);
    }
    free(pipes);
    free(workers);
    return status;
}

static int replay_parts(const paje_settings *settings, const char *name, const paje_index_file *it, double from, double to,
                        int processes, void (*before_rest)(void))
{
    job whole = {settings, name, 0, &it->index, from, to, before_rest, 0, 0, NULL, 0};
    int status = it->had_errors ? PAJE_ERRORS : PAJE_WELL, other;
    plan(&whole, processes);
    if (processes > 1 && whole.count > 1)
        other = share(&whole, (size_t)processes < whole.count ? (size_t)processes : whole.count);
    else
        other = replay_part(&whole, 0);
    free(whole.parts);
    return other > status ? other : status;
}

static int replay_shared(const paje_settings *settings, const char *name, int processes)
{
    job whole = {settings, name, 0, NULL, 0, 0, NULL, 0, 0, NULL, 0};
    struct stat file;
    if (processes < 2 || stat(name, &file) < 0 || !S_ISREG(file.st_mode))
        return paje_replay(settings, name, 0);
    whole.most = most_of((uint64_t)file.st_size, processes);
    return share(&whole, (size_t)processes);
}

int paje_replay_range(const paje_settings *settings, const char *name, double from, double to, int processes,
                      void (*before_rest)(void))
{
    static paje_index_file it;
    const char *why = NULL;
    if (settings->follow || settings->stats || strcmp(name, "-") == 0)
        return paje_replay(settings, name, 0);
    paje_index_state state = paje_load_index(&it, settings, name, 0, NULL, &why);
    paje_refuse_index(&it, state == PAJE_INDEX_PART ? "the trace has grown since" : why);
    int status = state == PAJE_INDEX_WHOLE ? replay_parts(settings, name, &it, from, to, processes, before_rest)
                                           : replay_shared(settings, name, processes);
    paje_flush();
    paje_release_index(&it);
    return status;
}
