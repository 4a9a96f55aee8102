/* Records in the buffer: reserving space, committing, delivering to the sink. */
#pragma once

#include "../api/platform.h"
#include "../api/context.h"
#include "../api/host.h"
#include "../format/bytes.h"
#include "../format/times.h"

/* Maximum size of an event of numbers: its number, time, four aliases, a key, blanks and the newline. */
#define PAJEWRITE__EVENT_SIZE 96
/* A return value: the flight recorder has to begin its next segment. */
enum { PAJEWRITE__SEGMENT_FULL = -1 };
/* Maximum size of the comment that reports a gap. */
#define PAJEWRITE__GAP_SIZE 96
/* Bytes behind a record that copies of fixed size may overwrite, including the '#' that follows it. */
#define PAJEWRITE__SLACK 32

/* Bits of w->mode. */
enum {
    PAJEWRITE__FOLLOWING = 1, /* the table is in use */
    PAJEWRITE__BUSY = 2       /* a call is under way */
};

/* Values of w->torn. */
enum { PAJEWRITE__TORN_RECORD = 1, PAJEWRITE__TORN_COMMENT };

/* Returns a number for the thread that calls, in the checking mode. */
#if PAJEWRITE_CHECK && PAJEWRITE_POSIX
PAJEWRITE__NOINLINE uintptr_t pajewrite__caller(void)
{
    const pthread_t self = pthread_self();
    uintptr_t number = 0;
    memcpy(&number, &self, sizeof self < sizeof number ? sizeof self : sizeof number);
    return number;
}
#define PAJEWRITE__SET_CALLER(w) PAJEWRITE__STORE_WORD(uintptr_t, (w)->caller, pajewrite__caller())
#define PAJEWRITE__IS_CALLER(w) (PAJEWRITE__LOAD(uintptr_t, (w)->caller) == pajewrite__caller())
#else
#define PAJEWRITE__SET_CALLER(w) ((void)0)
#define PAJEWRITE__IS_CALLER(w) 1
#endif

/* Each call that changes the context marks it as busy.  A signal handler that interrupts it, or a sink that it calls,
 * finds the mark, and its own calls are dropped.  Plain stores are enough: a handler that comes before the mark ends
 * before it is set, and everything else is read after that. */
PAJEWRITE__INLINE void pajewrite__begin_call(pajewrite *w)
{
    w->mode |= PAJEWRITE__BUSY;
    PAJEWRITE__SET_CALLER(w);
    PAJEWRITE__BARRIER();
}

PAJEWRITE__INLINE void pajewrite__end_call(pajewrite *w)
{
    PAJEWRITE__BARRIER();
    w->mode &= ~(uint32_t)PAJEWRITE__BUSY;
}

PAJEWRITE__INLINE int pajewrite__is_busy(const pajewrite *w)
{
    return (PAJEWRITE__LOAD(uint32_t, w->mode) & PAJEWRITE__BUSY) != 0;
}

/* Drops an event because another call is under way. */
PAJEWRITE__COLD void pajewrite__drop_reentered(pajewrite *w)
{
    (void)PAJEWRITE__ADD(uint32_t, w->reentered, 1);
    if (!PAJEWRITE__IS_CALLER(w) && !w->status)
        w->status = PAJEWRITE_E_THREADS;
}

/* Begins a call that is no event.  Returns 0 if it must do nothing: the context is off, or another call is under way,
 * which the status reports because the trace may be invalid without what is missing. */
PAJEWRITE__NOINLINE int pajewrite__enter(pajewrite *w)
{
    if (!w->clock)
        return 0;
    if (pajewrite__is_busy(w)) {
        pajewrite__drop_reentered(w);
        if (!w->status)
            w->status = PAJEWRITE_E_REENTERED;
        return 0;
    }
    pajewrite__begin_call(w);
    return 1;
}

PAJEWRITE__COLD void pajewrite__refuse(pajewrite *w, pajewrite_status status)
{
    if (!w->status)
        w->status = status;
    w->refused++;
}

PAJEWRITE__COLD void pajewrite__fail(pajewrite *w, pajewrite_status status)
{
    if (!w->status)
        w->status = status;
    w->stopped = (uint32_t)status;
    w->limit = w->buffer;
    w->dropped += w->records - w->delivered;
    w->records = w->delivered;
}

/* Drops a record written after a failure or after pajewrite_finish.  Returns 0. */
PAJEWRITE__COLD int pajewrite__drop_after_end(pajewrite *w)
{
    if (!w->status)
        w->status = PAJEWRITE_E_CLOSED;
    w->dropped++;
    return 0;
}

/* Sets where the next record begins.  Until it is committed, readers of the memory see a comment there. */
PAJEWRITE__INLINE void pajewrite__set_next(pajewrite *w, char *next)
{
    PAJEWRITE__ASSERT(next >= w->buffer && (size_t)(next - w->buffer) < w->size);
    *next = '#';
    PAJEWRITE__BARRIER();
    w->next = next;
}

PAJEWRITE__INLINE size_t pajewrite__free_space(const pajewrite *w)
{
    return w->size - PAJEWRITE__SLACK - (size_t)(w->next - w->buffer);
}

/* Sets the limit below which events are written without further checks; none are while stopped or blocked. */
PAJEWRITE__UNTRACED
static void pajewrite__set_limit(pajewrite *w)
{
    w->limit = w->buffer;
    if (!w->stopped && !w->blocked)
        w->limit += w->size - PAJEWRITE__SLACK - PAJEWRITE__EVENT_SIZE + 1;
}

/* Switches a flight recorder from events to definitions, or back. */
PAJEWRITE__UNTRACED
static void pajewrite__switch_area(pajewrite *w)
{
    char *buffer = w->buffer, *next = w->next;
    size_t size = w->size;
    w->buffer = w->other_buffer;
    w->next = w->other_next;
    w->size = w->other_size;
    w->other_buffer = buffer;
    w->other_next = next;
    w->other_size = size;
    w->is_defining ^= 1;
    pajewrite__set_limit(w);
}

/* Commits the record at w->next by storing its first byte last.  `end`: where its newline goes; bytes beyond it, left
 * by copies of fixed size, are made a comment first.  Stores become visible in this order to readers of the memory of a
 * flight recorder, or of a mapped file: a line that begins with its first byte is complete.  (In a child process,
 * mapped memory is zeros.) */
PAJEWRITE__INLINE void pajewrite__commit(pajewrite *w, char *end, char first)
{
    char *start = w->next;
    PAJEWRITE__ASSERT((*start == '#' || !*start) && end > start && (size_t)(end + 1 - w->buffer) < w->size);
    end[1] = '#';
    PAJEWRITE__PUBLISH(char, *end, '\n');
    PAJEWRITE__PUBLISH(char, *start, first);
    PAJEWRITE__BARRIER();
    w->next = end + 1;
}

/* Whether a line is the first of a record: it begins with a digit, or is %EventDef. */
PAJEWRITE__UNTRACED
static int pajewrite__begins_record(const char *line)
{
    return (*line >= '0' && *line <= '9') || (*line == '%' && line[1] == 'E' && line[2] == 'v');
}

/* Counts the records that begin among some lines. */
PAJEWRITE__UNTRACED
static uint64_t pajewrite__records_in(const char *bytes, const char *end)
{
    uint64_t records = 0;
    while (bytes < end) {
        records += (uint64_t)pajewrite__begins_record(bytes);
        while (bytes < end && *bytes++ != '\n')
            ;
    }
    return records;
}

/* Returns in what bytes end that were taken up to `rest`, in the line that begins at `line`. */
PAJEWRITE__UNTRACED
static uint32_t pajewrite__torn_part(const char *line, const char *rest)
{
    if (line == rest)
        return 0;
    return (*line >= '0' && *line <= '9') || *line == '%' ? PAJEWRITE__TORN_RECORD : PAJEWRITE__TORN_COMMENT;
}

/* Moves what waits to the front of the buffer, in place of what was taken. */
PAJEWRITE__UNTRACED
static void pajewrite__move_to_front(pajewrite *w)
{
    const size_t size = (size_t)(w->next - w->buffer);
    char *front = w->buffer - w->taken;
    memmove(front, w->buffer, size);
    w->buffer = front;
    w->size += w->taken;
    w->taken = 0;
    pajewrite__set_next(w, front + size);
    pajewrite__set_limit(w);
}

/* Whether half of the buffer is free, all of it in one piece then. */
PAJEWRITE__UNTRACED
static int pajewrite__is_half_free(pajewrite *w)
{
    if (pajewrite__free_space(w) + w->taken < (w->size + w->taken) / 2)
        return 0;
    if (w->taken)
        pajewrite__move_to_front(w);
    return 1;
}

/* So many bytes are moved at any time; more only if an eighth as many were taken, as moving much for each few that a
 * slow peer takes would cost far more than the events do. */
#ifndef PAJEWRITE__MOVED_FREELY
#define PAJEWRITE__MOVED_FREELY 65536u
#endif

/* Offers the lines in the buffer.  The records that were taken are counted, not those that wait, which may be many. */
PAJEWRITE__UNTRACED
static void pajewrite__offer(pajewrite *w)
{
    const size_t size = (size_t)(w->next - w->buffer);
    const size_t taken = size ? w->config.offer(w->config.sink_data, w->buffer, size) : 0;
    const char *rest, *line, *first = w->buffer;
    if (taken > size) {
        pajewrite__fail(w, PAJEWRITE_E_SINK);
        return;
    }
    if (!taken)
        return;
    line = rest = w->buffer + taken;
    if (w->torn)
        first = pajewrite__after_line(first);
    w->delivered += (w->torn == PAJEWRITE__TORN_RECORD) + pajewrite__records_in(first, rest);
    while (line > w->buffer && line[-1] != '\n')
        line--;
    if (line > w->buffer || !w->torn) /* else all that was taken is within the torn line */
        w->torn = pajewrite__torn_part(line, rest);
    w->delivered -= w->torn == PAJEWRITE__TORN_RECORD;
    w->buffer += taken;
    w->size -= taken;
    w->taken += taken;
    if (size - taken <= PAJEWRITE__MOVED_FREELY || w->taken >= (size - taken) / 8)
        pajewrite__move_to_front(w);
}

/* Delivers the lines in the buffer to the sink. */
PAJEWRITE__UNTRACED
static void pajewrite__deliver(pajewrite *w)
{
    size_t size = (size_t)(w->next - w->buffer);
    pajewrite_status status = PAJEWRITE_OK;
    if (w->stopped || w->config.next_buffer || w->flight) {
        w->delivered = w->records;
        return;
    }
    if (w->config.offer) {
        pajewrite__offer(w);
        return;
    }
    if (size)
        status = w->config.sink ? w->config.sink(w->config.sink_data, w->buffer, size) : PAJEWRITE_E_NO_SINK;
    pajewrite__set_next(w, w->buffer);
    w->blocked = 0;
    pajewrite__set_limit(w);
    if (status)
        pajewrite__fail(w, status);
    w->delivered = w->records;
}

/* Gets the next buffer, of at least `needed` bytes; 0: the trace is complete.  Bytes in a buffer count as delivered. */
PAJEWRITE__UNTRACED
static void pajewrite__next_buffer(pajewrite *w, size_t needed)
{
    size_t used = w->buffer ? (size_t)(w->next - w->buffer) : 0, size = 0;
    char *buffer = w->config.next_buffer(w->config.next_buffer_data, used, needed, &size);
    if (buffer || size != PAJEWRITE_E_FORKED)
        w->delivered = w->records;
    if (needed && buffer && size >= needed) {
        w->buffer = buffer;
        w->size = size;
        pajewrite__set_next(w, buffer);
        pajewrite__set_limit(w);
    } else {
        w->buffer = w->next; /* config.next_buffer has been given the number of bytes used */
        if (needed || size)
            pajewrite__fail(w, size > 0 && size < PAJEWRITE__STATUS_COUNT ? (pajewrite_status)size : PAJEWRITE_E_SINK);
    }
}

/* Writes the comment that reports a gap. */
PAJEWRITE__UNTRACED
static void pajewrite__write_gap(pajewrite *w)
{
    char *p = w->next;
    p = pajewrite__put_bytes(p + 1, " dropped ", 9);
    p = pajewrite__put_u64(p, w->gap_count);
    p = pajewrite__put_bytes(p, " events from ", 13);
    p = pajewrite__put_any_time(w, p, w->gap_first);
    p = pajewrite__put_bytes(p, " to ", 4);
    p = pajewrite__put_any_time(w, p, w->gap_last);
    pajewrite__commit(w, p, '#');
    w->gap_count = 0;
}

PAJEWRITE__UNTRACED
static void pajewrite__drop(pajewrite *w, uint64_t time)
{
    w->dropped++;
    if (!w->gap_count || time < w->gap_first)
        w->gap_first = time;
    if (!w->gap_count++ || time > w->gap_last)
        w->gap_last = time;
}

/* While events are dropped, offers the lines in the buffer again now and then, and ends the gap if half of that is
 * free; where lines may have to be written before the next event, as that begins. */
PAJEWRITE__UNTRACED
static void pajewrite__offer_again(pajewrite *w, uint64_t time)
{
    if (++w->untried < 64 && time - w->tried < w->ticks_per_second / 10000 + 1)
        return;
    w->tried = time;
    w->untried = 0;
    pajewrite__offer(w);
    if (w->stopped || !pajewrite__is_half_free(w))
        return;
    if (w->following || w->undefined) {
        w->settles = 1;
        return;
    }
    w->blocked = 0;
    pajewrite__set_limit(w);
    if (w->gap_count)
        pajewrite__write_gap(w);
}

/* Handles a full segment of a flight recorder, or its full definitions.  Returns 0 or PAJEWRITE__SEGMENT_FULL. */
PAJEWRITE__UNTRACED
static int pajewrite__make_segment_room(pajewrite *w, size_t size, uint64_t time)
{
    if (w->is_defining) {
        if (!w->status)
            w->status = PAJEWRITE_E_DEFINITIONS;
        pajewrite__drop(w, time);
    } else if (size > w->size - PAJEWRITE__SLACK) {
        pajewrite__refuse(w, PAJEWRITE_E_TOO_LONG);
    } else {
        return PAJEWRITE__SEGMENT_FULL;
    }
    return 0;
}

/* Reserves `size` bytes, by delivering the buffer if necessary.  Returns 1; 0 if the record is dropped or refused;
 * PAJEWRITE__SEGMENT_FULL if a flight recorder has to begin its next segment first. */
PAJEWRITE__COLD int pajewrite__make_room(pajewrite *w, size_t size, uint64_t time)
{
    if (w->stopped)
        return pajewrite__drop_after_end(w);
    if (w->flight)
        return pajewrite__make_segment_room(w, size, time);
    if (w->is_defining) /* definitions that are kept */
        return 0;
    if (!w->blocked && pajewrite__free_space(w) < size) {
        if (w->config.next_buffer) {
            pajewrite__next_buffer(w, size + PAJEWRITE__SLACK);
        } else if (size > w->size + w->taken - PAJEWRITE__SLACK) {
            pajewrite__refuse(w, PAJEWRITE_E_TOO_LONG);
            return 0;
        } else if (w->config.when_full == PAJEWRITE_FLUSH || w->config.offer) {
            pajewrite__deliver(w);
            w->tried = time;
            w->untried = 0;
        }
    } else if (w->blocked && w->config.offer) {
        pajewrite__offer_again(w, time);
    }
    if (w->stopped || w->blocked || pajewrite__free_space(w) < size) {
        w->blocked = 1;
        w->limit = w->buffer;
        pajewrite__drop(w, time);
        return 0;
    }
    return 1;
}

/* Updates the prefix when another second begins.  Returns 0, and refuses the call, if the time is before the origin. */
PAJEWRITE__COLD int pajewrite__new_second(pajewrite *w, uint64_t time)
{
    char *end;
    uint64_t ticks = time - w->config.origin, seconds = ticks / w->ticks_per_second;
    if (time < w->config.origin) {
        pajewrite__refuse(w, PAJEWRITE_E_TIME);
        return 0;
    }
    end = pajewrite__put_u64(w->prefix, seconds);
    if (w->decimals)
        *end++ = '.';
    w->prefix_size = (uint32_t)(end - w->prefix);
    w->second_start = w->config.origin + seconds * w->ticks_per_second;
    w->second_ticks = UINT64_MAX - w->second_start < w->ticks_per_second ?
        (uint32_t)(UINT64_MAX - w->second_start) + 1 : w->ticks_per_second;
    return 1;
}
