/* Code of a specification, whose names of events, attributes and parameters become those of the tunlet in C. */
#pragma once

#include "spec.h"

/* Where the code stands, which tells what it may use. */
typedef enum tg_context_kind {
    TG_IN_ATTRIBUTE, /* of an actor or of iterations: integers; runs with an event, or when the iteration is complete */
    TG_IN_PARAMETER, /* of the model, in functions and in points: real numbers; runs when the iteration is complete */
    TG_IN_FUNCTION,
    TG_IN_SHARE /* what a parameter sums up of one actor: integers; runs when the actor has done its part */
} tg_context_kind;

typedef struct tg_context {
    tg_context_kind kind;
    const tg_block *owner; /* whose code it is */
    const tg_block *actor; /* that has the attribute; NULL: iterations */
} tg_context;

/* Appends the code in C to `out`; reports what is wrong in it.  Stores in `uses`, unless it is NULL, a 1 for each actor
 * whose attributes it uses. */
void tg_translate(tg_spec *spec, const tg_context *context, const tg_value *code, text_buffer *out,
                  unsigned char *uses);

/* The actor that shares the work of an iteration, of which there may be several; NULL: there is none. */
const tg_block *tg_shared_actor(const tg_spec *spec);
/* Whether code runs with an event of that actor, so that collectors run it. */
int tg_is_collected(const tg_spec *spec, const tg_context *context);
/* The number of a property; -1: it is none. */
long tg_number(const tg_value *value);
