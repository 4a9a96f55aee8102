/* Definitions as a constant table, which a microcontroller keeps in flash. */
#pragma once

#include "model.h"

/* All definitions, containers and variants (see "User fields") as one constant table.  Aliases are plain numbers up to
 * 32767.  Texts are written unchanged, so they must have none of " ' % # , and no control byte.
 *
 *     static const pajewrite_definition table[] PAJEWRITE_ROM = {
 *         PAJEWRITE_ROM_CONTAINER_TYPE(TASK, 0, "Task"),
 *         PAJEWRITE_ROM_STATE_TYPE(STATE, TASK, "Task state"),
 *         PAJEWRITE_ROM_VALUE(RUNNING, STATE, "running", "33cc33"),
 *         PAJEWRITE_ROM_CONTAINER(MAIN, TASK, 0, "main")
 *     };
 */
typedef struct pajewrite_definition {
    uint16_t tag, numbers[5]; /* numbers in the order in which they are written */
#ifdef __AVR__
    char text[PAJEWRITE_ROM_TEXT_SIZE];
#else
    const char *text;
#endif
} pajewrite_definition;

#define PAJEWRITE_ROM_CONTAINER_TYPE(type, parent, name) \
    PAJEWRITE__ROM(PAJEWRITE_DEFINE_CONTAINER_TYPE, PAJEWRITE__TYPE_LINE, type, parent, 0, 0, 0, name)
#define PAJEWRITE_ROM_STATE_TYPE(type, of, name) \
    PAJEWRITE__ROM(PAJEWRITE_DEFINE_STATE_TYPE, PAJEWRITE__TYPE_LINE, type, of, 0, 0, 0, name)
#define PAJEWRITE_ROM_EVENT_TYPE(type, of, name) \
    PAJEWRITE__ROM(PAJEWRITE_DEFINE_EVENT_TYPE, PAJEWRITE__TYPE_LINE, type, of, 0, 0, 0, name)
#define PAJEWRITE_ROM_VARIABLE_TYPE(type, of, name, color) \
    PAJEWRITE__ROM(PAJEWRITE_DEFINE_VARIABLE_TYPE, PAJEWRITE__VALUE_LINE, type, of, 0, 0, 0, name "\0" color)
#define PAJEWRITE_ROM_LINK_TYPE(type, of, start, end, name) \
    PAJEWRITE__ROM(PAJEWRITE_DEFINE_LINK_TYPE, PAJEWRITE__LINK_TYPE_LINE, type, of, start, end, 0, name)
#define PAJEWRITE_ROM_VALUE(value, type, name, color) \
    PAJEWRITE__ROM(PAJEWRITE_DEFINE_VALUE, PAJEWRITE__VALUE_LINE, value, type, 0, 0, 0, name "\0" color)
/* A container that exists from the beginning, time 0 (the origin). */
#define PAJEWRITE_ROM_CONTAINER(container, type, parent, name) \
    PAJEWRITE__ROM(PAJEWRITE_CREATE_CONTAINER, PAJEWRITE__CREATE_LINE, 0, 0, container, type, parent, name)
/* A variant, by a number from 40 to 99 that no other variant has.  Example with two user fields:
 * PAJEWRITE_ROM_VARIANT(40, PAJEWRITE_PUSH_STATE, PAJEWRITE_ROM_FIELD("Size int") PAJEWRITE_ROM_FIELD("Mark string"));
 * calls use `static const pajewrite_variant sized = {40, PAJEWRITE_PUSH_STATE, 2};`, whose last member is the number of
 * fields. */
#define PAJEWRITE_ROM_VARIANT(number, kind, fields) \
    PAJEWRITE__ROM(number, PAJEWRITE__VARIANT_LINE, (kind) + PAJEWRITE__ROM_HAS(kind), 0, 0, 0, 0, fields)
#define PAJEWRITE_ROM_FIELD(field) "% " field "\n"

/* A table entry has the units of a record; a unit is twice its number.  On AVR, "size of array is negative" means that
 * the text does not fit: C would leave out the NUL at its end without a warning. */
#ifdef __AVR__
#define PAJEWRITE__ROM_FITS(text) (0 * sizeof(char[sizeof(text) > PAJEWRITE_ROM_TEXT_SIZE ? -1 : 1]))
#else
#define PAJEWRITE__ROM_FITS(text) 0
#endif
/* In a ring, the same message means that PAJEWRITE_KINDS leaves the kind out: there is no line for the entry. */
#if PAJEWRITE_RING
#define PAJEWRITE__ROM_HAS(number) \
    (0 * sizeof(char[(number) >= 32 || (PAJEWRITE__PRESENT >> ((number) & 31) & 1) ? 1 : -1]))
#else
#define PAJEWRITE__ROM_HAS(number) 0
#endif
#define PAJEWRITE__ROM(number, line, a, b, c, d, e, text) \
    {2 * PAJEWRITE__TAG(number, line) + PAJEWRITE__ROM_FITS(text) + PAJEWRITE__ROM_HAS(number), \
     {2u * (a), 2u * (b), 2u * (c), 2u * (d), 2u * (e)}, text}

/* The tag of a record: the event's number, and its line in pajewrite__ring_words, whose name is given whole: a part of
 * it, such as END, may be a macro of the program. */
#define PAJEWRITE__TAG(number, line) ((uint32_t)(number) << 7 | (uint32_t)(line))
#define PAJEWRITE__NUMBER_OF(tag) ((tag) >> 7)
#define PAJEWRITE__LINE_OF(tag) ((tag) & 63u)
#define PAJEWRITE__FIELDS 64u

/* Indices of lines in pajewrite__ring_words. */
enum {
    PAJEWRITE__END_LINE = 1,
    PAJEWRITE__STATE_LINE,
    PAJEWRITE__TYPE_LINE,
    PAJEWRITE__VALUE_LINE,
    PAJEWRITE__CREATE_LINE,
    PAJEWRITE__HEADER_LINE = 10, /* within the words this index would be a newline */
    PAJEWRITE__WORDS = 25 + 6 * (PAJEWRITE__HAS_VARIABLES | PAJEWRITE__HAS_LINKS),
    PAJEWRITE__VARIABLE_LINE,
    PAJEWRITE__TEXT_LINE = PAJEWRITE__WORDS + 2 * PAJEWRITE__HAS_VARIABLES,
    PAJEWRITE__LINK_TYPE_LINE,
    PAJEWRITE__LINK_LINE,
    PAJEWRITE__NAMED_LINK_LINE,
    PAJEWRITE__GAP_LINE = PAJEWRITE__TEXT_LINE + 3 * PAJEWRITE__HAS_LINKS + PAJEWRITE_GAPS,
    PAJEWRITE__VARIANT_LINE = PAJEWRITE__GAP_LINE + (PAJEWRITE_FIELDS_SIZE > 0),
    PAJEWRITE__KIND_WORDS
};
