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
    while (turn->parent >= 0 && write(turn->parent, &word, 1) < 0 && errno == EINTR)
        ;
    while ((sent = write(turn->to, &word, 1)) < 0 && errno == EINTR)
        ;
    if (sent < 0 && errno != EPIPE) /* EPIPE: the next process has no part left */
        stream_fail("a pipe between processes that replay parts: %s", strerror(errno));
}

/* Hands over what a part adds to the table. */
static void send_table(paje_run *run, paje_turn *turn, size_t number, int is_last)
{
    static text_buffer part;
    text_clear(&part);
    paje_save_table_part(run, &part, is_last);
    wait_for_turn(turn, number);
    if (!turn->is_over)
        paje_send_table_part(turn->table, &part);
}

/* Writes what a part has printed. */
static void write_output(paje_run *run, paje_turn *turn, size_t number, int is_last)
{
    if (turn)
        wait_for_turn(turn, number);
    if (!turn || !turn->is_over) {
        if (turn)
            stream_flush();
        if (is_last && run->settings->end)
            run->settings->end(run, run->trace);
        if (turn)
            stream_flush();
    }
}

void paje_write_part(paje_run *run, paje_turn *turn, size_t number, int is_last)
{
    if (turn && turn->table >= 0)
        send_table(run, turn, number, is_last);
    else
        write_output(run, turn, number, is_last);
    if (turn) {
        stream_output.size = 0;
        turn->is_over |= is_last;
        pass_turn(turn);
    }
}
