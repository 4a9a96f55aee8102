/* Dumping a flight recorder, from its memory alone. */
#pragma once

#include "flight_memory.h"
#include "../api/calls.h"
#include "../format/kinds.h"

#if PAJEWRITE_TABLE
enum { PAJEWRITE__NOTED = 64 };

/* The texts of the trace, in order: definitions, then segments. */
typedef struct pajewrite__dump_texts {
    const char **text;
    size_t *size;
    uint32_t room, count;                   /* room: for how many segments */
    uint32_t links, link[PAJEWRITE__NOTED]; /* how many variants of link events there are; numbers of the first ones */
    uint64_t starts;                        /* a bit for each of them, 1: of PAJEWRITE_START_LINK */
} pajewrite__dump_texts;

/* The position of a line in the texts. */
typedef struct pajewrite__position {
    uint32_t text;
    size_t offset;
} pajewrite__position;

PAJEWRITE__UNTRACED
static const char *pajewrite__line_at(const pajewrite__dump_texts *texts, const pajewrite__position *place)
{
    return texts->text[place->text] + place->offset;
}

PAJEWRITE__UNTRACED
static int pajewrite__is_before(const pajewrite__position *a, const pajewrite__position *b)
{
    return a->text < b->text || (a->text == b->text && a->offset < b->offset);
}

/* Advances to the next line; past the last one, place->text is `count`. */
PAJEWRITE__UNTRACED
static void pajewrite__next_line(const pajewrite__dump_texts *texts, pajewrite__position *place)
{
    const char *line = pajewrite__line_at(texts, place);
    place->offset += (size_t)(pajewrite__after_line(line) - line);
    if (place->offset >= texts->size[place->text]) {
        place->offset = 0;
        place->text++;
    }
}

/* Returns the size of the complete lines of a text.  A line is complete once its first byte is seen; the rest of it is
 * read after that byte.  The lines of the definition of an event count when its last one, %EndEventDef, is there. */
PAJEWRITE__UNTRACED
static size_t pajewrite__text_size(const char *text, size_t size)
{
    size_t i, line = 0, complete = 0;
    while (line < size && PAJEWRITE__LOAD(char, text[line]) != '#') {
        const char *start = text + line;
        PAJEWRITE__ACQUIRE();
        for (i = line; i < size && text[i] != '\n'; i++)
            ;
        if (i == size)
            break;
        line = i + 1;
        if (*start != '%' || (start[1] == 'E' && start[2] == 'n'))
            complete = line;
    }
    return complete;
}

/* Whether the definitions contain a variant of this kind and number. */
PAJEWRITE__UNTRACED
static int pajewrite__has_variant(const pajewrite__dump_texts *texts, pajewrite_kind kind, uint32_t number)
{
    char definition[64];
    size_t size, i;
    size = (size_t)(pajewrite__put_event_def(definition, kind, number) - definition);
    for (i = 0; i + size <= texts->size[0]; i++)
        if (pajewrite__equal_bytes(texts->text[0] + i, definition, size))
            return 1;
    return 0;
}

PAJEWRITE__UNTRACED
static uint32_t pajewrite__read_u32(const char *digits)
{
    uint32_t number = 0;
    for (; *digits >= '0' && *digits <= '9'; digits++)
        number = number * 10 + (uint32_t)(*digits - '0');
    return number;
}

/* Notes the variants of link events, of which there are few, so that the definitions are not read for each line. */
PAJEWRITE__UNTRACED
static void pajewrite__note_link_variants(pajewrite__dump_texts *texts)
{
    const char *line = texts->text[0], *last = line + texts->size[0];
    char definition[2][64];
    size_t size[2], i;
    for (i = 0; i < 2; i++) /* without the number, which is 0 here, and the newline */
        size[i] = (size_t)(pajewrite__put_event_def(definition[i], i ? PAJEWRITE_START_LINK : PAJEWRITE_END_LINK, 0) -
                           definition[i]) - 2;
    for (; line < last; line = pajewrite__after_line(line))
        for (i = 0; i < 2; i++) {
            if (size[i] >= (size_t)(last - line) || !pajewrite__equal_bytes(line, definition[i], size[i]) ||
                pajewrite__read_u32(line + size[i]) < PAJEWRITE__AFTER_KINDS)
                continue;
            if (texts->links < PAJEWRITE__NOTED) {
                texts->link[texts->links] = pajewrite__read_u32(line + size[i]);
                texts->starts |= (uint64_t)i << texts->links;
            }
            texts->links++;
        }
}

/* Returns the number of a line's event; for variants of link events, PAJEWRITE_START_LINK or PAJEWRITE_END_LINK. */
PAJEWRITE__UNTRACED
static uint32_t pajewrite__kind_of(const pajewrite__dump_texts *texts, const char *line)
{
    const uint32_t number = pajewrite__read_u32(line);
    uint32_t i;
    if (number < PAJEWRITE__AFTER_KINDS)
        return number;
    for (i = 0; i < texts->links && i < PAJEWRITE__NOTED; i++)
        if (texts->link[i] == number)
            return texts->starts >> i & 1 ? PAJEWRITE_START_LINK : PAJEWRITE_END_LINK;
    if (texts->links > PAJEWRITE__NOTED && pajewrite__has_variant(texts, PAJEWRITE_START_LINK, number))
        return PAJEWRITE_START_LINK;
    if (texts->links > PAJEWRITE__NOTED && pajewrite__has_variant(texts, PAJEWRITE_END_LINK, number))
        return PAJEWRITE_END_LINK;
    return number;
}

/* Returns the length of a word, up to a blank, its closing quote or the end of the line. */
PAJEWRITE__UNTRACED
static size_t pajewrite__word_length(const char *word)
{
    const char last = *word == '"' ? '"' : ' ';
    size_t size = 0;
    while (word[size] != '\n' && (word[size] != last || !size))
        size++;
    return size;
}

/* How many words to skip to the next of the three that identify a link: container, type, key. */
static const int pajewrite__link_words[] = {2, 1, 3};

PAJEWRITE__UNTRACED
static uint32_t pajewrite__link_hash(const char *line)
{
    uint32_t hash = 0;
    size_t i, at, size;
    for (i = 0; i < 3; i++) {
        line = pajewrite__skip_words(line, pajewrite__link_words[i]);
        size = pajewrite__word_length(line);
        for (at = 0; at < size; at++)
            hash = (hash ^ (unsigned char)line[at]) * 16777619u; /* FNV-1 */
    }
    return hash ^ hash >> 16;
}

PAJEWRITE__UNTRACED
static int pajewrite__same_link(const char *a, const char *b)
{
    size_t i, size;
    for (i = 0; i < 3; i++) {
        a = pajewrite__skip_words(a, pajewrite__link_words[i]);
        b = pajewrite__skip_words(b, pajewrite__link_words[i]);
        size = pajewrite__word_length(a);
        if (size != pajewrite__word_length(b) || !pajewrite__equal_bytes(a, b, size))
            return 0;
    }
    return 1;
}

/* A hash table of ends of links whose other end has not been found: their lines.  Load factor at most 1/2. */
typedef struct pajewrite__ends {
    const char **halves;
    size_t mask, count;
} pajewrite__ends;

/* Finds the end, of this kind, of the link in `line`, or the free slot where it belongs. */
PAJEWRITE__UNTRACED
static const char **pajewrite__find_end(const pajewrite__ends *ends, pajewrite__dump_texts *texts, uint32_t kind,
                                        const char *line)
{
    size_t at = pajewrite__link_hash(line) & ends->mask;
    for (; ends->halves[at]; at = (at + 1) & ends->mask)
        if (pajewrite__kind_of(texts, ends->halves[at]) == kind && pajewrite__same_link(ends->halves[at], line))
            break;
    return ends->halves + at;
}

/* Removes an end, and shifts back entries that probed past it. */
PAJEWRITE__UNTRACED
static void pajewrite__remove_end(pajewrite__ends *ends, const char **place)
{
    size_t gap = (size_t)(place - ends->halves), at = gap;
    PAJEWRITE__ASSERT(*place && ends->count);
    while (at = (at + 1) & ends->mask, ends->halves[at]) {
        size_t home = pajewrite__link_hash(ends->halves[at]) & ends->mask;
        if (((at - home) & ends->mask) >= ((at - gap) & ends->mask)) {
            ends->halves[gap] = ends->halves[at];
            gap = at;
        }
    }
    ends->halves[gap] = NULL;
    ends->count--;
}

/* Removes from the table the ends whose other end is in the lines from a position on.  If `add` is 1, adds the ends
 * found there that have no match yet, and stops at the line where the table is full. */
PAJEWRITE__UNTRACED
static void pajewrite__match_ends(pajewrite__dump_texts *texts, pajewrite__ends *ends, int add,
                                  pajewrite__position *place)
{
    for (; place->text < texts->count && (add || ends->count); pajewrite__next_line(texts, place)) {
        const char *line = pajewrite__line_at(texts, place), **end;
        uint32_t kind = pajewrite__kind_of(texts, line);
        if (kind != PAJEWRITE_START_LINK && kind != PAJEWRITE_END_LINK)
            continue;
        end = pajewrite__find_end(ends, texts, PAJEWRITE_START_LINK + PAJEWRITE_END_LINK - kind, line);
        if (*end)
            pajewrite__remove_end(ends, end);
        else if (add && !*(end = pajewrite__find_end(ends, texts, kind, line))) {
            if (ends->count > ends->mask / 2)
                return;
            *end = line;
            ends->count++;
        }
    }
}

/* Writes a comment line, `# number text`, unless the number is 0. */
PAJEWRITE__UNTRACED
static pajewrite_status pajewrite__write_comment(uint64_t number, const char *text, pajewrite_sink sink,
                                                 void *sink_data)
{
    char line[96], *p;
    if (!number)
        return PAJEWRITE_OK;
    p = pajewrite__put_string(line, "# ");
    p = pajewrite__put_u64(p, number);
    p = pajewrite__put_string(p, text);
    return sink(sink_data, line, (size_t)(p - line));
}

/* Finds the texts, in order.  Returns 0 if the memory is damaged. */
PAJEWRITE__UNTRACED
static int pajewrite__find_texts(const char *memory, size_t size, pajewrite__dump_texts *texts,
                                 pajewrite__segment *oldest)
{
    pajewrite__recorder head;
    pajewrite__segment note;
    uint64_t newest = 0, number, number_after, count, i;
    const char *segments;
    memcpy(&head, memory, sizeof head);
    if (!pajewrite__equal_bytes(head.magic, pajewrite__magic, sizeof head.magic) || !head.segments ||
        head.segments > texts->room)
        return 0;
    i = pajewrite__flight_header_size((size_t)head.segments) + 1;
    size -= i < size ? (size_t)i : size;
    if (head.definitions_size > size || head.segment_size > (size - head.definitions_size) / head.segments)
        return 0;
    texts->text[0] = memory + pajewrite__flight_header_size((size_t)head.segments);
    texts->size[0] = pajewrite__text_size(texts->text[0], (size_t)head.definitions_size);
    texts->count = 1;
    segments = texts->text[0] + head.definitions_size;
    for (i = 0; i < head.segments; i++) {
        memcpy(&note, memory + pajewrite__flight_header_size((size_t)i), sizeof note);
        if (note.number && (note.number - 1) % head.segments != i)
            return 0;
        if (note.number > newest)
            newest = note.number;
    }
    PAJEWRITE__ACQUIRE();
    count = newest < head.segments ? newest : head.segments;
    for (number = newest - count + 1; count; number++, count--) {
        const char *text;
        size_t whole, skipped;
        i = (number - 1) % head.segments;
        memcpy(&note, memory + pajewrite__flight_header_size((size_t)i), sizeof note);
        if (note.number != number)
            continue;
        PAJEWRITE__ACQUIRE();
        memcpy(&note, memory + pajewrite__flight_header_size((size_t)i), sizeof note); /* the rest, after the number */
        text = segments + i * head.segment_size;
        whole = pajewrite__text_size(text, (size_t)head.segment_size);
        PAJEWRITE__ACQUIRE(); /* the writer takes the number away before it writes over the text */
        memcpy(&number_after, memory + pajewrite__flight_header_size((size_t)i), sizeof number_after);
        if (number_after != number)
            continue;
        if (texts->count == 1)
            *oldest = note;
        skipped = texts->count == 1 ? 0 : (size_t)note.events;
        if (note.events > whole)
            return 0;
        if (skipped < whole) {
            texts->text[texts->count] = text + skipped;
            texts->size[texts->count++] = whole - skipped;
        }
    }
    return newest > 0;
}

/* Copies the lines from one position to another, except the ends of links that are in the table, which it counts. */
PAJEWRITE__UNTRACED
static pajewrite_status pajewrite__copy_lines(pajewrite__dump_texts *texts, const pajewrite__ends *ends,
                                             pajewrite__position place, pajewrite__position to, uint64_t *left_out,
                                             pajewrite_sink sink, void *sink_data)
{
    pajewrite_status status = PAJEWRITE_OK;
    while (!status && pajewrite__is_before(&place, &to)) {
        const char *begin = pajewrite__line_at(texts, &place), *line = begin;
        const uint32_t text = place.text;
        uint64_t half = 0;
        while (!half && place.text == text && pajewrite__is_before(&place, &to)) {
            line = pajewrite__line_at(texts, &place);
            half = ends->count && *pajewrite__find_end(ends, texts, pajewrite__kind_of(texts, line), line);
            pajewrite__next_line(texts, &place);
            line = half ? line : pajewrite__after_line(line);
        }
        *left_out += half;
        if (begin < line)
            status = sink(sink_data, begin, (size_t)(line - begin));
    }
    return status;
}

/* The arguments of pajewrite_flight_dump. */
typedef struct pajewrite__dump {
    const char *memory;
    size_t size;
    int keep_halves;
    char *scratch;
    size_t scratch_size;
    pajewrite_sink sink;
    void *sink_data;
} pajewrite__dump;

PAJEWRITE__NOINLINE pajewrite_status pajewrite__dump_into(const pajewrite__dump *dump, const char **text,
                                                          size_t *text_size, uint32_t room)
{
    const char *few[32];
    pajewrite__ends ends = PAJEWRITE__ZERO;
    pajewrite__dump_texts texts = PAJEWRITE__ZERO;
    pajewrite__segment oldest = PAJEWRITE__ZERO, now = PAJEWRITE__ZERO;
    pajewrite_sink sink = dump->sink;
    void *sink_data = dump->sink_data;
    pajewrite_status status;
    pajewrite__position place = {1, 0};
    uint64_t left_out = 0;
    texts.text = text;
    texts.size = text_size;
    texts.room = room;
    if (!pajewrite__find_texts(dump->memory, dump->size, &texts, &oldest))
        return PAJEWRITE_E_RECORDER;
    pajewrite__note_link_variants(&texts);
    ends.halves = few;
    ends.mask = sizeof few / sizeof *few - 1;
    if (dump->scratch_size >= 2 * sizeof few) {
        size_t skipped = (0 - (size_t)(uintptr_t)dump->scratch) % sizeof *few;
        ends.halves = (const char **)(void *)(dump->scratch + skipped);
        while (2 * ends.mask + 1 < (dump->scratch_size - skipped) / sizeof *few)
            ends.mask += ends.mask + 1;
    }
    status = texts.size[0] ? sink(sink_data, texts.text[0], texts.size[0]) : PAJEWRITE_OK;
    if (!status)
        status = pajewrite__write_comment(oldest.before, " records before these were written over\n", sink, sink_data);
    while (!status && place.text < texts.count) {
        pajewrite__position all = {1, 0}, to = place;
        memset(ends.halves, 0, (ends.mask + 1) * sizeof *few);
        ends.count = 0;
        if (dump->keep_halves) {
            to.text = texts.count;
        } else {
            pajewrite__match_ends(&texts, &ends, 1, &to);
            pajewrite__match_ends(&texts, &ends, 0, &all);
        }
        status = pajewrite__copy_lines(&texts, &ends, place, to, &left_out, sink, sink_data);
        place = to;
    }
    if (!status)
        status = pajewrite__write_comment(left_out, " ends of links without the other end were left out\n", sink,
                                          sink_data);
    PAJEWRITE__ACQUIRE(); /* whether it is still what was read, after reading it */
    if (!status)
        pajewrite__find_texts(dump->memory, dump->size, &texts, &now);
    return status || now.number == oldest.number ? status : PAJEWRITE_E_OVERTAKEN;
}

/* The texts are on the stack, which may be that of a signal handler: 8 KB, of which the system and lazy binding take 6
 * where registers are wide.  So there is room for as many as this program's recorders have, if that suffices. */
PAJEWRITE__NOINLINE pajewrite_status pajewrite__dump_few(const pajewrite__dump *dump)
{
    const char *text[(PAJEWRITE_SEGMENTS) + 1];
    size_t size[(PAJEWRITE_SEGMENTS) + 1];
    return pajewrite__dump_into(dump, text, size, PAJEWRITE_SEGMENTS);
}

PAJEWRITE__NOINLINE pajewrite_status pajewrite__dump_many(const pajewrite__dump *dump)
{
    const char *text[PAJEWRITE__SEGMENTS_MAX + 1];
    size_t size[PAJEWRITE__SEGMENTS_MAX + 1];
    return pajewrite__dump_into(dump, text, size, PAJEWRITE__SEGMENTS_MAX);
}

PAJEWRITE__API pajewrite_status pajewrite_flight_dump(const void *memory, size_t size, int keep_halves, void *scratch,
                                                     size_t scratch_size, pajewrite_sink sink, void *sink_data)
{
    pajewrite__dump dump = PAJEWRITE__ZERO;
    pajewrite__recorder head;
    if (!memory || size < sizeof head)
        return PAJEWRITE_E_RECORDER;
    memcpy(&head, memory, sizeof head);
    dump.memory = (const char *)memory;
    dump.size = size;
    dump.keep_halves = keep_halves;
    dump.scratch = (char *)scratch;
    dump.scratch_size = scratch_size;
    dump.sink = sink;
    dump.sink_data = sink_data;
    return head.segments <= (PAJEWRITE_SEGMENTS) ? pajewrite__dump_few(&dump) : pajewrite__dump_many(&dump);
}
#endif
