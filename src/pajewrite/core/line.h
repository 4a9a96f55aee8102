/* Writing the line of any event. */
#pragma once

#include "record.h"
#include "../format/doubles.h"
#include "../format/kinds.h"
#include "../format/names.h"

/* Finds the name of an event, and refuses an event that cannot be written at any time.  Returns 1 if it can. */
PAJEWRITE__INLINE int pajewrite__is_writable(pajewrite *w, const pajewrite_event *event,
                                             const pajewrite_fields *fields, pajewrite__text *name)
{
    pajewrite_status refused = PAJEWRITE_OK;
    if (pajewrite__has_name(event->kind) && (event->name || event->kind == PAJEWRITE_TRACE_FILE))
        *name = pajewrite__scan_text(event->name ? event->name : "");
    if (name->replaced && w->config.names == PAJEWRITE_REFUSE)
        refused = PAJEWRITE_E_NAME;
    if (pajewrite__has_color(event->kind) && event->color && !pajewrite__is_color(event->color))
        refused = PAJEWRITE_E_COLOR;
    if (fields) {
        if (fields->variant.kind != event->kind || fields->count != fields->variant.fields ||
            fields->size > PAJEWRITE_FIELDS_SIZE)
            refused = PAJEWRITE_E_FIELDS;
        else if (fields->invalid && w->config.names == PAJEWRITE_REFUSE)
            refused = PAJEWRITE_E_NAME;
        else if (fields->not_finite)
            refused = PAJEWRITE_E_NUMBER;
    }
#if PAJEWRITE_DOUBLE
    if (pajewrite__is_variable(event->kind) && event->is_real && !pajewrite__is_finite(event->real))
        refused = PAJEWRITE_E_NUMBER;
#endif
    if (!refused && pajewrite__has_time(event->kind) && event->time < w->config.origin)
        refused = PAJEWRITE_E_TIME;
    if (refused)
        pajewrite__refuse(w, refused);
    return !refused;
}

/* Writes the line of an event; the table is not looked at.  Returns 1; 0 if the event is dropped or refused;
 * PAJEWRITE__SEGMENT_FULL if a flight recorder has to begin its next segment first. */
PAJEWRITE__UNTRACED
static int pajewrite__write_line(pajewrite *w, const pajewrite_event *event, const pajewrite_fields *fields)
{
    const char *letters = pajewrite__field_letters(event->kind);
    pajewrite__text name = PAJEWRITE__ZERO, color = PAJEWRITE__ZERO;
    size_t size;
    char text[16], *p;

    if (!pajewrite__is_writable(w, event, fields, &name))
        return 0;
    if (w->stopped)
        return pajewrite__drop_after_end(w);
    if (fields && !fields->variant.number) /* their definition was dropped */
        fields = NULL;
    if (pajewrite__has_color(event->kind))
        color = pajewrite__scan_text(event->color ? event->color : PAJEWRITE_GREY);
    name.quoted |= w->quote_all;
    color.quoted |= w->quote_all;
    size = PAJEWRITE__EVENT_SIZE + name.size + color.size + 8 + (fields ? fields->size + 1 : 0);
    if (pajewrite__has_time(event->kind) && event->time - w->second_start >= w->second_ticks)
        pajewrite__new_second(w, event->time);
    if (w->next >= w->limit || pajewrite__free_space(w) < size) {
        int room = pajewrite__make_room(w, size, pajewrite__has_time(event->kind) ? event->time : w->second_start);
        if (room <= 0)
            return room;
    }

    p = pajewrite__put_u32(text, fields ? fields->variant.number : (uint32_t)event->kind);
    p = pajewrite__put_bytes(w->next + 1, text + 1, (size_t)(p - text) - 1);
    for (; *letters; letters++) {
        *p++ = ' ';
        switch (*letters) {
        case 't': p = pajewrite__put_time(w, p, event->time); break;
        case 'y': case 'Y': case 'T': p = pajewrite__put_u32(p, pajewrite__alias(event->type)); break;
        case 'w': p = pajewrite__put_u32(p, pajewrite__alias(event->of)); break;
        case 's': p = pajewrite__put_u32(p, pajewrite__alias(event->start_type)); break;
        case 'e': p = pajewrite__put_u32(p, pajewrite__alias(event->end_type)); break;
        case 'v': case 'V': p = pajewrite__put_u32(p, event->value.alias); break;
        case 'C': case 'D': case 'k': p = pajewrite__put_u32(p, event->container.alias); break;
        case 'P': case 'S': case 'E': p = pajewrite__put_u32(p, event->other.alias); break;
        case 'c': p = pajewrite__put_text(p, &color); break;
        case 'N':
            p = event->name ? pajewrite__put_text(p, &name) :
                pajewrite__put_u32(p, event->kind == PAJEWRITE_DEFINE_VALUE ? event->value.alias :
                                  event->kind == PAJEWRITE_CREATE_CONTAINER ? event->container.alias :
                                                                              pajewrite__alias(event->type));
            break;
        case 'F': p = pajewrite__put_text(p, &name); break;
        case 'K': p = event->name ? pajewrite__put_text(p, &name) : pajewrite__put_u64(p, event->key); break;
        default: /* n, the number of a variable */
#if PAJEWRITE_DOUBLE
            if (event->is_real) {
                p = pajewrite__put_double(p, event->real);
                break;
            }
#endif
            p = pajewrite__put_i64(p, event->integer);
        }
    }
    if (fields)
        p = pajewrite__put_bytes(p, fields->text, fields->size);
    PAJEWRITE__ASSERT((size_t)(p - w->next) < size);
    w->records++;
    pajewrite__commit(w, p, text[0]);
    return 1;
}
