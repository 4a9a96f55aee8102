/* Processes write in turn. */
#include "replay/turn.h"
#include "base/stream.h"
#include "replay/table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { GO_ON = 1, ENOUGH };

/* It may be over: an earlier part was the last one, as the trace grows meanwhile. */
static void wait_for_turn(paje_turn *turn, size_t number)
{
    char word = GO_ON;
    ssize_t got = 1;
    if (number > 0)
        while ((got = read(turn->from, &word, 1)) < 0 && errno == EINTR)
            ;
    if (got < 0)
        stream_fail("a pipe between processes that replay parts: %s", strerror(errno));
    if (got == 0)
        exit(EXIT_FAILED); /* the process before, or the parent, prints why */
    turn->is_over = word == ENOUGH;
}

static void pass_turn(const paje_turn *turn)
{
    char word = turn->is_over ? ENOUGH : GO_ON;
    ssize_t sent;
    while ((sent = write(turn->to, &word, 1)) < 0 && errno == EINTR)
        ;
    if (sent < 0 && errno != EPIPE) /* EPIPE: the next process has no part left */
        stream_fail("a pipe between processes that replay parts: %s", strerror(errno));
}

/* Waits until the parent has printed the problems, as what `end` says comes behind them. */
static void wait_for_parent(const paje_turn *turn)
{
    char word;
    ssize_t got;
    while ((got = read(turn->printed, &word, 1)) < 0 && errno == EINTR)
        ;
    if (got < 0)
        stream_fail("a pipe between processes that replay parts: %s", strerror(errno));
    if (got == 0)
        exit(EXIT_FAILED); /* the parent prints why */
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
    wait_for_turn(turn, number);
    if (!turn->is_over) {
        paje_send_part(turn->parent, &part);
        if (!settings->table) {
            stream_flush();
            if (is_last)
                wait_for_parent(turn);
            if (is_last && settings->end)
                settings->end(run, run->trace);
            stream_flush();
        }
    }
    stream_output.size = 0;
    turn->is_over |= is_last;
    pass_turn(turn);
}
