/* Definitions of events. */
#pragma once

#include "record.h"
#include "../format/bytes.h"
#include "../format/kinds.h"

/* Commits the lines of a part of an event definition. */
PAJEWRITE__UNTRACED
static void pajewrite__commit_lines(pajewrite *w, const char *line, size_t size)
{
    const char *last = line + size;
    while (line < last) {
        const char *end = pajewrite__after_line(line);
        pajewrite__commit(w, pajewrite__put_bytes(w->next + 1, line + 1, (size_t)(end - line) - 2), *line);
        line = end;
    }
}

#if PAJEWRITE_TABLE
/* Keeps the lines of a part of an event definition, for config.offer. */
PAJEWRITE__UNTRACED
static void pajewrite__keep_lines(pajewrite *w, const char *line, size_t size)
{
    const char *last = line + size;
    while (line < last) {
        const char *end = pajewrite__after_line(line);
        w->kept[w->kept_used] = 'D';
        pajewrite__put_bytes(w->kept + w->kept_used + 1, line, (size_t)(end - line));
        w->kept_used += (size_t)(end - line) + 1;
        line = end;
    }
}
#endif

/* Writes an event definition.  Its lines are committed one by one, but delivered together.  `user`: lines of user
 * fields.  Returns 1 if it is written. */
PAJEWRITE__UNTRACED
static int pajewrite__write_definition(pajewrite *w, pajewrite_kind kind, uint32_t number, const char *user,
                                       size_t user_size)
{
    static const char last[] = "%EndEventDef\n";
    char text[512], *p = text;
    const char *letters;
    size_t first_size, size;
    int fits;
    p = pajewrite__put_event_def(p, kind, number);
    for (letters = pajewrite__field_letters(kind); *letters; letters++) {
        const pajewrite__field *field = pajewrite__fields;
        while (field->letter != *letters)
            field++;
        p = pajewrite__put_string(p, "% ");
        p = pajewrite__put_string(p, w->config.old_names && field->old ? field->old : field->name);
        *p++ = ' ';
        p = pajewrite__put_string(p, field->type);
        *p++ = '\n';
    }
    first_size = (size_t)(p - text);
    size = first_size + user_size + sizeof last - 1;
    if (w->flight)
        pajewrite__switch_area(w);
    fits = (w->next < w->limit && pajewrite__free_space(w) >= size) ||
           pajewrite__make_room(w, size, w->config.origin) > 0;
    if (fits) {
        pajewrite__commit_lines(w, text, first_size);
        pajewrite__commit_lines(w, user, user_size);
        pajewrite__commit_lines(w, last, sizeof last - 1);
    }
#if PAJEWRITE_TABLE
    if (w->kept && w->kept_size - w->kept_used > size + 32) { /* one byte more for each line */
        pajewrite__keep_lines(w, text, first_size);
        pajewrite__keep_lines(w, user, user_size);
        pajewrite__keep_lines(w, last, sizeof last - 1);
    } else if (w->kept) {
        w->kept_lost = 1;
    }
#endif
    w->records += (uint32_t)fits;
    if (w->flight)
        pajewrite__switch_area(w);
    return fits;
}

/* Writes the definitions of the header that were dropped.  Returns 0 if the buffer is full; the rest is still missing
 * then. */
PAJEWRITE__UNTRACED
static int pajewrite__define_missing(pajewrite *w)
{
    enum { PAJEWRITE__MOST = 192 }; /* bytes of one */
    char *kept = w->kept;
    uint32_t kind;
    w->kept = NULL; /* which has them */
    for (kind = 0; w->undefined >> kind; kind++) {
        if (!(w->undefined >> kind & 1))
            continue;
        if (w->config.offer && pajewrite__free_space(w) < PAJEWRITE__MOST)
            pajewrite__deliver(w);
        if (w->stopped || (w->config.offer && pajewrite__free_space(w) < PAJEWRITE__MOST))
            break;
        if (pajewrite__write_definition(w, (pajewrite_kind)kind, kind, "", 0))
            w->undefined &= ~(UINT32_C(1) << kind);
    }
    w->kept = kept;
    return !w->undefined;
}
