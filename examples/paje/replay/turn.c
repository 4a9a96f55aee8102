/* Processes write in turn. */
#include "replay/turn.h"
#include "base/process.h"
#include "base/stream.h"
#include "replay/table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { GO_ON = 1, ENOUGH };

paje_ring paje_open_ring(size_t processes)
{
    paje_ring ring = memory_alloc(processes, sizeof *ring);
    for (size_t i = 0; i < processes; i++)
        if (pipe(ring[i]) < 0)
            stream_fail("no pipe for a part: %s", strerror(errno));
    return ring;
}

paje_turn paje_enter_ring(paje_ring ring, size_t own, size_t processes)
{
    size_t next = (own + 1) % processes;
    for (size_t k = 0; k < processes; k++) {
        if (k != own)
            close(ring[k][0]);
        if (k != next)
            close(ring[k][1]);
    }
    return (paje_turn){.from = ring[own][0], .to = ring[next][1], .parent = -1, .printed = -1};
}

void paje_leave_ring(paje_ring ring, size_t processes)
{
    for (size_t i = 0; i < processes; i++) {
        close(ring[i][0]);
        close(ring[i][1]);
    }
    free(ring);
}

int paje_wait_for_workers(const pid_t *workers, size_t processes)
{
    int status = EXIT_OK;
    for (size_t i = 0; i < processes; i++) {
        int how;
        if (waitpid(workers[i], &how, 0) < 0)
            stream_fail("a process that replayed a part: %s", strerror(errno));
        if (!WIFEXITED(how))
            stream_fail("a process that replayed a part ended early");
        if (WEXITSTATUS(how) > status)
            status = WEXITSTATUS(how);
    }
    return status;
}

char paje_take_word(int from)
{
    char word = 0;
    int got = process_receive(from, &word);
    if (got < 0 && errno != ECONNRESET)
        stream_fail("a pipe between processes that replay parts: %s", strerror(errno));
    if (got <= 0)
        exit(EXIT_FAILED); /* the process before, or the parent, prints why */
    return word;
}

/* It may be over: an earlier part was the last one, as the trace grows meanwhile. */
void paje_wait_for_turn(paje_turn *turn, size_t number)
{
    turn->is_over = number > 0 && paje_take_word(turn->from) == ENOUGH;
}

void paje_pass_turn(const paje_turn *turn)
{
    char word = turn->is_over ? ENOUGH : GO_ON;
    ssize_t sent;
    while ((sent = write(turn->to, &word, 1)) < 0 && errno == EINTR)
        ;
    if (sent < 0 && errno != EPIPE) /* EPIPE: the next process has no part left */
        stream_fail("a pipe between processes that replay parts: %s", strerror(errno));
}

void paje_write_part(paje_run *run, paje_turn *turn, size_t number, int is_last)
{
    static text_buffer part;
    const paje_settings *settings = run->settings;
    if (!turn) {
        if (is_last && settings->end)
            settings->end(run, run->trace);
        return;
    }
    text_clear(&part);
    paje_save_part(run, &part, is_last);
    paje_wait_for_turn(turn, number);
    if (!turn->is_over) {
        paje_send_part(turn->parent, &part);
        if (!settings->table) {
            stream_flush();
            if (is_last) /* what `end` says comes behind the problems, which the parent prints */
                paje_take_word(turn->printed);
            if (is_last && settings->end)
                settings->end(run, run->trace);
            stream_flush();
        }
    }
    stream_output.size = 0;
    turn->is_over |= is_last;
    paje_pass_turn(turn);
}
