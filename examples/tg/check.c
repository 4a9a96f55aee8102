#include "code.h"
#include "tunlet.h"

#include <string.h>

static int is_one_of(const tg_value *value, const char *const *list)
{
    for (; *list; list++)
        if (text_is_equal(value->text, text_of(*list)))
            return 1;
    return 0;
}

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* Refuses a value that is given and not in the list. */
static void need_word(tg_spec *spec, const tg_value *value, const char *label, const char *const *list)
{
    text_buffer known = {0};
    size_t i;
    if (!value->is_given || is_one_of(value, list))
        return;
    for (i = 0; list[i]; i++)
        text_printf(&known, "%s%s", i ? ", " : "", list[i]);
    tg_error(spec, value->place, "`%s` is one of %s, not `%.*s`", label, text_string(&known), TG_TEXT(value->text));
    text_free(&known);
}

static void check_name(tg_spec *spec, const tg_value *id)
{
    size_t i;
    for (i = 0; i < id->text.size; i++) {
        const char c = id->text.bytes[i];
        if (!(c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (i > 0 && c >= '0' && c <= '9')))
            break;
    }
    if (i < id->text.size || i == 0)
        tg_error(spec, id->place, "an id is a name of letters, digits and _, not `%.*s`", TG_TEXT(id->text));
}

static void check_names(tg_spec *spec, const tg_blocks *blocks)
{
    size_t i, k;
    for (i = 0; i < blocks->count; i++) {
        const tg_value *id = &blocks->items[i].values[TG_ID];
        if (!id->is_given)
            continue;
        check_name(spec, id);
        for (k = 0; k < i; k++)
            if (text_is_equal(blocks->items[k].values[TG_ID].text, id->text))
                tg_error(spec, id->place, "`%.*s` is there twice, first in line %u", TG_TEXT(id->text),
                         blocks->items[k].values[TG_ID].place.line);
    }
}

/* ---- measure points */

static void check_variables(tg_spec *spec)
{
    size_t i;
    check_names(spec, &spec->variables);
    for (i = 0; i < spec->variables.count; i++) {
        const tg_value *values = spec->variables.items[i].values;
        need_word(spec, &values[TG_TYPE], "type", WORDS("int", "short", "float", "double", "char", "string"));
        need_word(spec, &values[TG_SOURCE], "source", WORDS("asFuncParamValue", "asVarValue", "asFuncReturnValue",
                                                             "asConstValue", "asFuncParamPointerValue"));
        if (!tg_find(&spec->actors, values[TG_ACTOR_ID].text))
            tg_error(spec, values[TG_ACTOR_ID].place, "there is no actor `%.*s`", TG_TEXT(values[TG_ACTOR_ID].text));
    }
}

static void check_event_attributes(tg_spec *spec, const tg_block *event)
{
    size_t i;
    check_names(spec, &event->attributes);
    for (i = 0; i < event->attributes.count; i++) {
        const tg_value *id = &event->attributes.items[i].values[TG_ID];
        const tg_block *variable = tg_find(&spec->variables, id->text);
        if (is_one_of(id, WORDS("Iteration", "Actors", "timestamp", "id")))
            tg_error(spec, id->place, "each event has `%.*s` without its being named here", TG_TEXT(id->text));
        else if (!variable)
            tg_error(spec, id->place, "there is no variable `%.*s`", TG_TEXT(id->text));
        else if (!text_is_equal(variable->values[TG_ACTOR_ID].text, event->values[TG_ACTOR_ID].text))
            tg_error(spec, id->place, "the variable `%.*s` is not of the actor that has this event", TG_TEXT(id->text));
        else if (!text_is_equal(variable->values[TG_TYPE].text, text_of("int")) &&
                 !text_is_equal(variable->values[TG_TYPE].text, text_of("short")))
            tg_error(spec, id->place, "the variable `%.*s` is no int: events carry integers", TG_TEXT(id->text));
    }
    if (event->attributes.count > TUNLET_FIELDS)
        tg_error(spec, event->place, "an event has at most %d attributes", (int)TUNLET_FIELDS);
}

static void check_events(tg_spec *spec)
{
    static const char *const needed[] = {"begin", "end", "eval"};
    unsigned found[3] = {0};
    size_t i, k;
    check_names(spec, &spec->events);
    if (spec->events.count > TUNLET_EVENTS)
        tg_error(spec, spec->events.items[TUNLET_EVENTS].place, "a tunlet has at most %d events", (int)TUNLET_EVENTS);
    for (i = 0; i < spec->events.count; i++) {
        const tg_block *event = &spec->events.items[i];
        const tg_value *values = event->values, *role = &values[TG_CONTROLITER];
        const tg_block *actor = tg_find(&spec->actors, values[TG_ACTOR_ID].text);
        if (!actor)
            tg_error(spec, values[TG_ACTOR_ID].place, "there is no actor `%.*s`", TG_TEXT(values[TG_ACTOR_ID].text));
        need_word(spec, role, "controliter", WORDS("begin", "end", "eval", "no"));
        need_word(spec, &values[TG_UTILITY], "utility", WORDS("always", "addable", "removable"));
        need_word(spec, &values[TG_PLACE], "place", WORDS("entry", "exit"));
        for (k = 0; k < 3; k++)
            found[k] += (unsigned)text_is_equal(role->text, text_of(needed[k]));
        if (text_is_equal(role->text, text_of("eval")) && actor && actor != tg_shared_actor(spec))
            tg_error(spec, role->place, "`eval` is an event of the actor of which there are several");
        check_event_attributes(spec, event);
    }
    for (k = 0; k < 3; k++)
        if (found[k] == 0)
            tg_error(spec, (tg_place){1, 1}, "there is no event with `controliter: %s`%s", needed[k],
                     k == 2 ? ", with which an actor ends its part of an iteration" : "");
}

static void check_actors(tg_spec *spec)
{
    unsigned shared = 0;
    size_t i;
    check_names(spec, &spec->actors);
    for (i = 0; i < spec->actors.count; i++) {
        const tg_block *actor = &spec->actors.items[i];
        const long max = tg_number(&actor->values[TG_MAX]);
        if (max < 1 || max > TUNLET_ACTORS)
            tg_error(spec, actor->values[TG_MAX].place, "`max` is a number from 1 to %d", (int)TUNLET_ACTORS);
        shared += (unsigned)(max > 1);
        check_name(spec, &actor->values[TG_CLASS]);
    }
    if (shared != 1)
        tg_error(spec, (tg_place){1, 1},
                 "the work of an iteration is divided among one kind of actor, with `max` above 1; there are %u",
                 shared);
}

/* ---- attributes and parameters */

static int is_none(const tg_value *value)
{
    return !value->is_given || text_is_equal(value->text, text_of("none")) || value->text.size == 0;
}

/* Puts a block into the order, behind what it depends on.  `actor`: that has the attribute, or NULL. */
static void place(tg_spec *spec, tg_block *block, const tg_block *actor, int is_parameter)
{
    const tg_value *dependency = &block->values[TG_DEPENDENCY];
    tg_block *other = NULL;
    if (block->mark == 2)
        return;
    if (block->mark == 1) {
        tg_error(spec, dependency->place, "`%.*s` depends on itself", TG_TEXT(block->values[TG_ID].text));
        return;
    }
    block->mark = 1;
    block->when = -1;
    if (!is_none(dependency)) {
        const tg_block *event = tg_find(&spec->events, dependency->text);
        if (is_parameter)
            other = tg_find(&spec->parameters, dependency->text);
        else
            other = tg_find(actor ? &actor->attributes : &spec->iteration, dependency->text);
        if (event && !is_parameter)
            block->when = (int)(event - spec->events.items);
        else if (event)
            tg_error(spec, dependency->place,
                     "a parameter is computed when the iteration is complete, not with an event");
        else if (!other)
            tg_error(spec, dependency->place, "there is no %s `%.*s`",
                     is_parameter ? "parameter" : "event or attribute", TG_TEXT(dependency->text));
    }
    if (other) {
        place(spec, other, actor, is_parameter);
        block->when = other->when;
    }
    block->mark = 2;
    *array_push(&spec->order) = block;
}

/* Whether code assigns 0, or there is none. */
static int is_zero(const tg_value *code)
{
    size_t size = code->text.size, begin;
    while (size > 0 && strchr(" \t\r\n;", code->text.bytes[size - 1]))
        size--;
    for (begin = size; begin > 0 && !strchr("= \t\r\n", code->text.bytes[begin - 1]); begin--)
        ;
    return is_none(code) || is_one_of(&(tg_value){1, {code->text.bytes + begin, size - begin}, code->place},
                                      WORDS("0", "0.0"));
}

/* `inic` cannot be but what it is without. */
static void check_beginning(tg_spec *spec, const tg_block *block, int is_parameter)
{
    const tg_value *inic = &block->values[TG_INIC], *depinic = &block->values[TG_DEPINIC];
    if (!is_zero(inic))
        tg_error(spec, inic->place, "%s begins with 0, or with what does not change its operation: no other `inic`",
                 is_parameter ? "a parameter" : "an attribute");
    if (!is_none(depinic))
        tg_error(spec, depinic->place, "`inic` depends on nothing");
}

static void check_types(tg_spec *spec, const tg_block *block, int is_parameter)
{
    const tg_value *values = block->values;
    if (is_parameter)
        need_word(spec, &values[TG_TYPE], "type", WORDS("int", "float", "double"));
    else if (values[TG_TYPE].is_given && !is_one_of(&values[TG_TYPE], WORDS("int", "time")))
        tg_error(spec, values[TG_TYPE].place,
                 "an attribute is an int, or a time in nanoseconds, not a `%.*s`, whose sums "
                 "depend on their order: compute it in MODEL PARAMETERS", TG_TEXT(values[TG_TYPE].text));
    need_word(spec, &values[TG_CUM], "cum", WORDS("true", "false"));
    check_beginning(spec, block, is_parameter);
}

/* Checks the code of an attribute or parameter.  An attribute whose code needs what other actors have comes to wait for
 * the iteration to be complete. */
static void check_code(tg_spec *spec, tg_block *block, const tg_block *actor, int is_parameter)
{
    const tg_context context = {is_parameter ? TG_IN_PARAMETER : TG_IN_ATTRIBUTE, block, actor};
    const tg_block *own = block->when >= 0
                              ? tg_find(&spec->actors, spec->events.items[block->when].values[TG_ACTOR_ID].text)
                              : NULL;
    unsigned char *uses = (unsigned char *)memory_alloc_zero(spec->actors.count + 1, 1);
    text_buffer unused = {0};
    size_t i;
    tg_translate(spec, &context, &block->values[TG_VALUE], &unused, uses);
    for (i = 0; i <= spec->actors.count && own; i++) {
        const int is_iteration = i == spec->actors.count; /* which the other actor's events tell */
        const tg_block *other = is_iteration ? NULL : &spec->actors.items[i];
        if (!uses[i] || (is_iteration ? own != tg_shared_actor(spec) : other == own || other == actor))
            continue;
        tg_note(spec, block->values[TG_VALUE].place,
                "`%.*s` needs what the %.*s has, so it is computed when the iteration is complete",
                TG_TEXT(block->values[TG_ID].text),
                TG_TEXT(is_iteration ? text_of("iteration") : other->values[TG_ID].text));
        block->when = -1;
        tg_translate(spec, &context, &block->values[TG_VALUE], &unused, NULL);
        break;
    }
    text_free(&unused);
    free(uses);
}

static void place_attributes(tg_spec *spec, tg_blocks *blocks, const tg_block *actor, int is_parameter)
{
    size_t i;
    check_names(spec, blocks);
    for (i = 0; i < blocks->count; i++) {
        check_types(spec, &blocks->items[i], is_parameter);
        place(spec, &blocks->items[i], actor, is_parameter);
    }
}

static void check_attributes(tg_spec *spec, tg_blocks *blocks, const tg_block *actor)
{
    size_t i;
    for (i = 0; i < blocks->count; i++) {
        const unsigned errors = spec->errors;
        check_code(spec, &blocks->items[i], actor, 0);
        if (spec->errors == errors)
            tg_split_attribute(spec, &blocks->items[i], actor);
    }
}

/* There may be too many for the lines of collectors. */
static void check_parts(tg_spec *spec)
{
    text_buffer unused = {0};
    if (spec->errors == 0)
        tg_emit(spec, &unused);
    if (spec->parts > TUNLET_PARTS)
        tg_error(spec, (tg_place){1, 1},
                 "collectors pass on %u attributes of actors and cumulative ones; %d is the most", spec->parts,
                 (int)TUNLET_PARTS);
    text_free(&unused);
}

/* ---- functions and tuning points */

/* Tuning actions, as the thesis names them here and there. */
static const struct {
    const char *name, *in_code;
} actions[] = {{"SetVariableValue", "TUNLET_SET"},     {"ReplaceFunction", "TUNLET_REPLACE"},
               {"InsertFunctionCall", "TUNLET_INSERT"}, {"RemoveFunctionCall", "TUNLET_REMOVE"},
               {"RemoveFuncCall", "TUNLET_REMOVE"},     {"OneTimeFunctionCall", "TUNLET_CALL"},
               {"OneTimeFuncCall", "TUNLET_CALL"},      {"OnTimeFuncCall", "TUNLET_CALL"},
               {"FunctionParamChange", "TUNLET_PARAM"}, {"FuncParamChange", "TUNLET_PARAM"},
               {"LoadLibrary", "TUNLET_LOAD"}};

const char *tg_action(const tg_block *point)
{
    size_t i;
    for (i = 0; i < sizeof actions / sizeof *actions; i++)
        if (text_is_equal(point->values[TG_KIND].text, text_of(actions[i].name)))
            return actions[i].in_code;
    return NULL;
}

static int is_number(const tg_value *value)
{
    return value->is_given && tg_number(value) >= 0;
}

static void check_action(tg_spec *spec, const tg_block *point)
{
    const tg_value *kind = &point->values[TG_KIND], *place = &point->values[TG_SYNCFUNCTION];
    const char *action = tg_action(point);
    if (!kind->is_given)
        return; /* it was reported */
    if (!action) {
        tg_error(spec, kind->place, "`kind` is SetVariableValue, ReplaceFunction, InsertFunctionCall, "
                                    "RemoveFunctionCall, OneTimeFunctionCall, FunctionParamChange or LoadLibrary, "
                                    "not `%.*s`",
                 TG_TEXT(kind->text));
        return;
    }
    if (strcmp(action, "TUNLET_PARAM") == 0 && !is_number(&point->values[TG_IDX]))
        tg_error(spec, kind->place, "a parameter has a number: `idx:`");
    if ((strcmp(action, "TUNLET_INSERT") == 0 || strcmp(action, "TUNLET_REMOVE") == 0) &&
        (!place->is_given || text_is_equal(place->text, text_of("0"))))
        tg_error(spec, kind->place, "a call is inserted at a place: `syncfunction:`, the name of a live_point");
}

static void check_points(tg_spec *spec)
{
    size_t i;
    text_buffer unused = {0};
    check_names(spec, &spec->points);
    for (i = 0; i < spec->functions.count; i++) {
        const tg_context context = {TG_IN_FUNCTION, &spec->functions.items[i], NULL};
        tg_translate(spec, &context, &spec->functions.items[i].values[TG_DEF], &unused, NULL);
    }
    for (i = 0; i < spec->points.count; i++) {
        const tg_block *point = &spec->points.items[i];
        const tg_context context = {TG_IN_FUNCTION, point, NULL};
        tg_translate(spec, &context, &point->values[TG_VALUE], &unused, NULL);
        if (point->values[TG_COND].is_given)
            tg_translate(spec, &context, &point->values[TG_COND], &unused, NULL);
        check_action(spec, point);
        if (tg_number(&point->values[TG_MIN]) < 0 || tg_number(&point->values[TG_MAX]) < 0)
            tg_error(spec, point->place, "`min` and `max` are numbers");
        if (!tg_find(&spec->iteration, point->values[TG_CURRENT].text))
            tg_error(spec, point->values[TG_CURRENT].place,
                     "`current` is the attribute of iterations with the value that "
                     "the iteration ran with; there is no `%.*s`", TG_TEXT(point->values[TG_CURRENT].text));
    }
    text_free(&unused);
}

void tg_check(tg_spec *spec)
{
    size_t i;
    check_name(spec, &spec->head.values[TG_NAME]);
    check_actors(spec);
    check_variables(spec);
    check_events(spec);
    for (i = 0; i < spec->actors.count; i++)
        place_attributes(spec, &spec->actors.items[i].attributes, &spec->actors.items[i], 0);
    place_attributes(spec, &spec->iteration, NULL, 0);
    place_attributes(spec, &spec->parameters, NULL, 1);
    for (i = 0; i < spec->actors.count; i++)
        check_attributes(spec, &spec->actors.items[i].attributes, &spec->actors.items[i]);
    check_attributes(spec, &spec->iteration, NULL);
    for (i = 0; i < spec->parameters.count; i++)
        check_code(spec, &spec->parameters.items[i], NULL, 1);
    for (i = 0; i < spec->parameters.count && spec->errors == 0; i++)
        tg_split_parameter(spec, &spec->parameters.items[i]);
    check_points(spec);
    check_parts(spec);
}
