/* The flight recorder: a ring of segments, each of which begins with a snapshot of what is open. */
#pragma once

#include "flight_memory.h"
#include "state.h"
#include "../core/line.h"

#if PAJEWRITE_TABLE
PAJEWRITE__UNTRACED
static char *pajewrite__segment_header_at(const pajewrite *w, uint32_t segment)
{
    return w->flight + pajewrite__flight_header_size(segment);
}

PAJEWRITE__UNTRACED
static void pajewrite__flight_sizes(const pajewrite *w, size_t size, size_t *definitions, size_t *segment)
{
    size_t head = pajewrite__flight_header_size(PAJEWRITE_SEGMENTS) + 1, rest = size > head ? size - head : 0;
    *definitions = w->config.definitions_size ? w->config.definitions_size : rest / 4;
    *segment = rest > *definitions ? (rest - *definitions) / (PAJEWRITE_SEGMENTS) : 0;
}

PAJEWRITE__UNTRACED
static int pajewrite__flight_fits(const pajewrite *w, size_t size)
{
    size_t definitions, segment;
    pajewrite__flight_sizes(w, size, &definitions, &segment);
    return w->following && definitions >= PAJEWRITE_BUFFER_MIN && segment >= PAJEWRITE_BUFFER_MIN;
}

/* Lays out the memory: w->size bytes at w->buffer, or those of config.next_buffer. */
PAJEWRITE__UNTRACED
static void pajewrite__flight_begin(pajewrite *w)
{
    pajewrite__recorder head;
    pajewrite__segment note = {1, 0, 0};
    size_t definitions, segment;
    if (w->config.next_buffer) {
        size_t size = w->size;
        w->buffer = NULL;
        pajewrite__next_buffer(w, size);
        if (w->stopped)
            return;
    }
    pajewrite__flight_sizes(w, w->size, &definitions, &segment);
    memcpy(head.magic, pajewrite__magic, sizeof head.magic);
    head.definitions_size = definitions;
    head.segment_size = segment;
    head.segments = PAJEWRITE_SEGMENTS;
    w->flight = w->buffer;
    w->other_buffer = w->flight + pajewrite__flight_header_size(PAJEWRITE_SEGMENTS);
    w->buffer = w->other_buffer + definitions;
    w->size = segment;
    w->other_size = definitions;
    *w->other_buffer = '#';
    w->other_next = w->other_buffer;
    memset(w->flight, 0, (size_t)(w->other_buffer - w->flight));
    pajewrite__set_next(w, w->buffer);
    pajewrite__set_limit(w);
    pajewrite__put_segment(pajewrite__segment_header_at(w, 0), &note);
    w->segments = 1;
    w->buffer[segment * (PAJEWRITE_SEGMENTS)] = '\n';
    PAJEWRITE__RELEASE();
    memcpy(w->flight, &head, sizeof head);
}

PAJEWRITE__UNTRACED
static void pajewrite__flight_end(pajewrite *w)
{
    w->next = w->other_buffer + w->other_size + w->size * (PAJEWRITE_SEGMENTS) + 1;
    w->buffer = w->flight;
    w->flight = NULL;
}

/* Returns the offset of the last line, which creates a container, and counts it. */
PAJEWRITE__UNTRACED
static int64_t pajewrite__flight_creation(pajewrite *w)
{
    const char *line = w->next - 1;
    while (line > w->buffer && line[-1] != '\n')
        line--;
    w->creations++;
    return line - w->flight;
}

/* Copies the lines that create live containers from the previous segment.  They fit, because they fitted there. */
PAJEWRITE__UNTRACED
static void pajewrite__copy_creations(pajewrite *w, const char *line, const char *last, uint32_t creations)
{
    w->creations = 0;
    while (creations && line < last) {
        const char *end = pajewrite__after_line(line), *digit = pajewrite__skip_words(line, 2);
        uint32_t alias = 0;
        pajewrite_entry *e;
        if (end > last) /* in a child process, where mapped memory is zeros */
            break;
        for (; *digit >= '0' && *digit <= '9'; digit++)
            alias = alias * 10 + (uint32_t)(*digit - '0');
        e = pajewrite__find_container(w, alias);
        if (e && e->number.integer == line - w->flight) {
            creations--;
            if (pajewrite__is_alive(e)) {
                pajewrite__commit(w, pajewrite__put_bytes(w->next + 1, line + 1, (size_t)(end - line) - 2), *line);
                e->number.integer = pajewrite__flight_creation(w);
            }
        }
        line = end;
    }
}

/* Writes open states, from the bottom of their stacks and with their start times, and variables.  If they do not fit,
 * no line does that comes next, which ends the trace. */
PAJEWRITE__UNTRACED
static void pajewrite__copy_open(pajewrite *w)
{
    size_t i;
    for (i = 0; i < w->config.table_entries; i++) {
        const pajewrite_entry *pair = &w->config.table[i];
        pajewrite_event event = PAJEWRITE__ZERO;
        uint32_t depth;
        if (pair->tag != PAJEWRITE__PAIR_ENTRY ||
            (pair->container && !pajewrite__is_alive(pajewrite__find_container(w, pair->container))))
            continue;
        event.container.alias = pair->container;
        event.type.alias = pair->type;
        event.kind = PAJEWRITE_PUSH_STATE;
        if (w->has_gaps && pajewrite__depends_on_dropped(w, &event))
            continue;
        for (depth = 0; depth < pair->value; depth++) {
            const pajewrite_entry *level = pajewrite__find(w, PAJEWRITE__LEVEL_ENTRY, pair->container, pair->type,
                                                           depth);
            PAJEWRITE__ASSERT(level);
            event.time = level->time;
            event.value.alias = level->value;
            pajewrite__write_line(w, &event, NULL);
        }
        if (pair->flags & PAJEWRITE__IS_SET) {
            event.time = pair->time;
            pajewrite__make_set_event(&event, pair);
            pajewrite__write_line(w, &event, NULL);
        }
    }
}

/* Begins the next segment, which replaces the oldest one, with a snapshot.  Until the snapshot is complete, the segment
 * counts as empty. */
PAJEWRITE__UNTRACED
static void pajewrite__next_segment(pajewrite *w)
{
    const char *before = w->buffer, *last = w->next;
    uint32_t place = (uint32_t)(w->segments % (PAJEWRITE_SEGMENTS));
    char *note = pajewrite__segment_header_at(w, place);
    uint32_t creations = w->creations, prefix_size = w->prefix_size, second_ticks = w->second_ticks;
    pajewrite__segment segment = PAJEWRITE__ZERO;
    uint64_t second = w->second_start;
    char prefix[sizeof w->prefix];
    PAJEWRITE__ASSERT(!w->is_defining);
    memcpy(prefix, w->prefix, sizeof prefix);
    memcpy(note, &segment.number, sizeof segment.number);
    PAJEWRITE__RELEASE();
    segment.before = w->delivered = w->records;
    w->buffer = w->other_buffer + w->other_size + place * w->size;
    pajewrite__set_next(w, w->buffer);
    pajewrite__set_limit(w);
    pajewrite__copy_creations(w, before, last, creations);
    pajewrite__copy_open(w);
    /* The prefix holds the second of the event that comes next. */
    memcpy(w->prefix, prefix, sizeof prefix);
    w->prefix_size = prefix_size;
    w->second_start = second;
    w->second_ticks = second_ticks;
    w->records = w->delivered = segment.before;
    segment.events = (uint64_t)(w->next - w->buffer);
    segment.number = ++w->segments;
    pajewrite__put_segment(note, &segment);
}

/* Writes the line of an event; begins the next segment and retries if this one is full.  Returns 0 if the event is
 * dropped or refused. */
PAJEWRITE__UNTRACED
static int pajewrite__write_retry(pajewrite *w, const pajewrite_event *event, const pajewrite_fields *fields)
{
    int written = pajewrite__write_line(w, event, fields);
    if (written >= 0)
        return written;
    pajewrite__next_segment(w);
    written = pajewrite__write_line(w, event, fields);
    if (written < 0) {
        w->delivered = w->records;
        pajewrite__fail(w, PAJEWRITE_E_SNAPSHOT);
    }
    return written > 0;
}
#else
#define pajewrite__flight_fits(w, size) 0
#define pajewrite__flight_begin(w) ((void)0)
#endif
