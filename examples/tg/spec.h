/* A specification of a tunlet: the language of section 4.5 of the thesis, read into blocks of properties. */
#pragma once

#include "base/array.h"
#include "base/text.h"

/* A place in the file, from 1. */
typedef struct tg_place {
    unsigned line, column;
} tg_place;

typedef struct tg_value {
    int is_given;
    pajesim_text text; /* without the marks of comments and code */
    tg_place place;
} tg_value;

/* Properties of blocks, each with its label. */
#define TG_PROPERTIES(X) \
    X(ID, "id") X(COMMENT, "comment") X(SOURCE, "source") X(TYPE, "type") X(ACTOR_ID, "actorId") \
    X(CONTROLITER, "controliter") X(UTILITY, "utility") X(METHOD, "method") X(CLASS, "class") X(PLACE, "place") \
    X(MIN, "min") X(MAX, "max") X(COMPLETION, "completion") X(EXE, "exe") X(INIC, "inic") X(DEPINIC, "depinic") \
    X(VALUE, "value") X(CUM, "cum") X(DEPENDENCY, "dependency") X(DEF, "def") X(KIND, "kind") \
    X(SYNCFUNCTION, "syncfunction") X(SYNCPLACE, "syncplace") X(COND, "cond") X(IDX, "idx") X(REQ, "req") \
    X(CURRENT, "current") X(NAME, "name") X(INCLUDE, "include")
typedef enum tg_property {
#define TG_PROPERTY(NAME, label) TG_##NAME,
    TG_PROPERTIES(TG_PROPERTY)
#undef TG_PROPERTY
    TG_PROPERTY_COUNT
} tg_property;

typedef struct tg_block tg_block;
typedef array_of(tg_block) tg_blocks;

/* A variable, event, actor, attribute, parameter, function or tuning point. */
struct tg_block {
    tg_place place;
    tg_value values[TG_PROPERTY_COUNT];
    tg_blocks attributes; /* behind ATTRS, of actors, events and points */
    int mark;             /* of check.c: 1: its order is being looked for; 2: it is known */
    int when; /* index of the event with which an attribute is computed; -1: when the iteration is complete */
    /* What split.c finds. */
    const char *merge;             /* of what is cumulative, in C; NULL: it is not */
    tg_value before, share, after; /* of a parameter that collectors sum up: its code before the loop over actors, what
                                      the loop does for one, and what follows */
    pajesim_text index;            /* of that loop */
    int is_needed;                 /* the analyser uses this attribute of what collectors see */
};

typedef struct tg_spec {
    const char *path;
    text_buffer source;
    tg_block head; /* name, comment, include */
    tg_blocks variables, events, actors, iteration, parameters, functions, points;
    array_of(tg_block *) order; /* attributes and parameters, each behind those that it depends on */
    unsigned parts; /* that tg_emit has found */
    unsigned errors;
    text_buffer *reason; /* where messages go while something is tried; NULL: to standard error */
} tg_spec;

/* The arguments of %.*s. */
#define TG_TEXT(text) (int)(text).size, (text).bytes

/* Prints FILE:LINE:COLUMN: and a message on standard error, and counts it if it is an error. */
void tg_error(tg_spec *spec, tg_place place, const char *format, ...) PRINTF_LIKE(3, 4);
void tg_note(const tg_spec *spec, tg_place place, const char *format, ...) PRINTF_LIKE(3, 4);

/* Reads spec->source into blocks; errors are counted. */
void tg_parse(tg_spec *spec);
/* Checks what the blocks say of each other, and puts attributes and parameters in order. */
void tg_check(tg_spec *spec);
/* The name of a tuning point's action in C; NULL: it is none. */
const char *tg_action(const tg_block *point);
/* Find which operation what is cumulative is, so that collectors can do their part of it: of an attribute, an error if
 * there is none where there should be one; of a parameter, a note that says why it is left to the analyser. */
void tg_split_attribute(tg_spec *spec, tg_block *block, const tg_block *actor);
void tg_split_parameter(tg_spec *spec, tg_block *block);
/* Writes the tunlet, in C. */
void tg_emit(tg_spec *spec, text_buffer *out);
/* Frees what it has. */
void tg_free(tg_spec *spec);

/* The first block of that name in a list; NULL: there is none. */
tg_block *tg_find(const tg_blocks *blocks, pajesim_text name);
