#include "code.h"

#include <stdio.h>
#include <string.h>

static void put(text_buffer *out, pajesim_text text)
{
    text_append(out, text);
}

static pajesim_text id_of(const tg_block *block)
{
    return block->values[TG_ID].text;
}

static int is_time_or_int(const tg_block *block)
{
    return text_is_equal(block->values[TG_TYPE].text, text_of("int"));
}

static int has_shares(const tg_spec *spec)
{
    size_t i;
    for (i = 0; i < spec->parameters.count; i++)
        if (spec->parameters.items[i].merge)
            return 1;
    return 0;
}

/* ---- the state */

static int is_argmax(const tg_block *block)
{
    return block->merge && strcmp(block->merge, "TUNLET_ARGMAX") == 0;
}

static void put_members(text_buffer *out, const tg_blocks *attributes, pajesim_text owner, int is_array)
{
    size_t i;
    for (i = 0; i < attributes->count; i++) {
        if (is_argmax(&attributes->items[i]))
            text_printf(out, "    int64_t %.*s_%.*s_key;\n", TG_TEXT(owner), TG_TEXT(id_of(&attributes->items[i])));
        text_puts(out, "    int64_t ");
        put(out, owner);
        text_puts(out, "_");
        put(out, id_of(&attributes->items[i]));
        text_puts(out, is_array ? "[TUNLET_ACTORS + 1];\n" : ";\n");
    }
}

static void put_state(const tg_spec *spec, text_buffer *out)
{
    const tg_block *shared = tg_shared_actor(spec);
    size_t i;
    text_puts(out, "typedef struct state {\n");
    for (i = 0; i < spec->actors.count; i++)
        put_members(out, &spec->actors.items[i].attributes, id_of(&spec->actors.items[i]),
                    &spec->actors.items[i] == shared);
    put_members(out, &spec->iteration, text_of("iter"), 0);
    for (i = 0; i < spec->parameters.count; i++)
        if (spec->parameters.items[i].merge)
            text_printf(out, "    int64_t share_%.*s;\n", TG_TEXT(id_of(&spec->parameters.items[i])));
    if (has_shares(spec))
        text_puts(out, "    int64_t has_done[TUNLET_ACTORS]; /* an actor that was begun again does so twice */\n");
    text_puts(out, "} state;\n\ntypedef struct parameters {\n");
    for (i = 0; i < spec->parameters.count; i++) {
        text_puts(out, "    double ");
        put(out, id_of(&spec->parameters.items[i]));
        text_puts(out, ";\n");
    }
    if (spec->parameters.count == 0)
        text_puts(out, "    char unused;\n");
    text_puts(out, "} parameters;\n\n"
                   "/* A place in an array of actors; the last one for a number that is none. */\n"
                   "static inline size_t place(double number)\n"
                   "{\n"
                   "    return number >= 0 && number < TUNLET_ACTORS ? (size_t)number : TUNLET_ACTORS;\n"
                   "}\n\n"
                   "static inline int64_t least(int64_t a, int64_t b)\n"
                   "{\n"
                   "    return a < b ? a : b;\n"
                   "}\n\n"
                   "static inline int64_t greatest(int64_t a, int64_t b)\n"
                   "{\n"
                   "    return a > b ? a : b;\n"
                   "}\n\n"
                   "/* The value that goes with the greatest key; of several the least. */\n"
                   "static inline int64_t argmax(int64_t *key, int64_t value, int64_t other, int64_t of_other)\n"
                   "{\n"
                   "    const int is_other = other > *key || (other == *key && of_other < value);\n"
                   "    *key = greatest(*key, other);\n"
                   "    return is_other ? of_other : value;\n"
                   "}\n\n");
}

/* ---- tables */

static void put_events(const tg_spec *spec, text_buffer *out)
{
    static const char *const roles[][2] = {
        {"begin", "TUNLET_BEGIN"}, {"end", "TUNLET_END"}, {"eval", "TUNLET_DONE"}, {"no", "TUNLET_INSIDE"}};
    size_t i, k;
    text_puts(out, "static const tunlet_event events[] = {\n");
    for (i = 0; i < spec->events.count; i++) {
        const tg_block *event = &spec->events.items[i];
        text_puts(out, "    {\"");
        put(out, id_of(event));
        for (k = 0; k < 3 && !text_is_equal(event->values[TG_CONTROLITER].text, text_of(roles[k][0])); k++)
            ;
        text_printf(out, "\", %s, {", roles[k][1]);
        for (k = 0; k < event->attributes.count; k++) {
            text_puts(out, "\"");
            put(out, id_of(&event->attributes.items[k]));
            text_puts(out, k + 1 < event->attributes.count ? "\", " : "\"");
        }
        text_puts(out, event->attributes.count ? "}},\n" : "NULL}},\n");
    }
    text_puts(out, "};\n\n");
}

/* Whether an attribute changes with events of the actors that share the work. */
static int is_collected(const tg_spec *spec, const tg_block *attribute)
{
    const tg_context context = {TG_IN_ATTRIBUTE, attribute, NULL};
    return tg_is_collected(spec, &context);
}

static void put_part(tg_spec *spec, text_buffer *out, pajesim_text owner, const tg_block *block, const char *kind,
                     const char *merge)
{
    if (is_argmax(block))
        text_printf(out, "    TUNLET_%s(state, %.*s_%.*s_key, TUNLET_MAX),\n", kind, TG_TEXT(owner),
                    TG_TEXT(id_of(block)));
    text_printf(out, "    TUNLET_%s(state, %.*s_%.*s, %s),\n", kind, TG_TEXT(owner), TG_TEXT(id_of(block)), merge);
    spec->parts += is_argmax(block) ? 2 : 1;
}

static void put_cumulative(tg_spec *spec, text_buffer *out, pajesim_text owner, const tg_blocks *blocks)
{
    size_t i;
    for (i = 0; i < blocks->count; i++)
        if (blocks->items[i].merge)
            put_part(spec, out, owner, &blocks->items[i], "ONE", blocks->items[i].merge);
}

/* Attributes of the actors that share the work, as far as the analyser needs them: each of them changes the element
 * with its number alone, and all others are 0, so that sums put them together.  Then what is cumulative. */
static void put_parts(tg_spec *spec, text_buffer *out)
{
    const tg_block *shared = tg_shared_actor(spec);
    size_t i;
    spec->parts = 0;
    text_puts(out, "static const tunlet_part parts[] = {\n");
    for (i = 0; i < shared->attributes.count; i++) {
        const tg_block *attribute = &shared->attributes.items[i];
        const int has_beginning = attribute->merge && strcmp(attribute->merge, "TUNLET_SUM") != 0; /* another than 0 */
        if (has_beginning || (attribute->is_needed && is_collected(spec, attribute)))
            put_part(spec, out, id_of(shared), attribute, "EACH",
                     attribute->merge ? attribute->merge : "TUNLET_SUM");
    }
    for (i = 0; i < spec->actors.count; i++)
        if (&spec->actors.items[i] != shared)
            put_cumulative(spec, out, id_of(&spec->actors.items[i]), &spec->actors.items[i].attributes);
    put_cumulative(spec, out, text_of("iter"), &spec->iteration);
    put_cumulative(spec, out, text_of("share"), &spec->parameters);
    text_printf(out, "%s};\nenum { PARTS = %u };\n\n", spec->parts ? "" : "    {NULL, 0, TUNLET_SUM, 0},\n",
                spec->parts);
}

/* ---- code */

static int is_in(const tg_blocks *all, const tg_block *block)
{
    return all->count > 0 && block >= all->items && block < all->items + all->count;
}

/* Finds which actor has an attribute; NULL: it is one of iterations. */
static const tg_block *actor_of(const tg_spec *spec, const tg_block *block)
{
    size_t i;
    for (i = 0; i < spec->actors.count; i++)
        if (is_in(&spec->actors.items[i].attributes, block))
            return &spec->actors.items[i];
    return NULL;
}

static void put_code(tg_spec *spec, text_buffer *out, const tg_block *block, tg_context_kind kind, tg_property property)
{
    const tg_context context = {kind, block, actor_of(spec, block)};
    text_puts(out, "        ");
    tg_translate(spec, &context, &block->values[property], out, NULL);
    text_puts(out, strchr(";}", out->bytes[out->size - 1]) ? "\n" : ";\n");
}

/* What parameters sum up of an actor, when that has done its part. */
static void put_shares(tg_spec *spec, text_buffer *out)
{
    size_t i;
    for (i = 0; i < spec->parameters.count; i++) {
        const tg_block *block = &spec->parameters.items[i];
        const tg_context context = {TG_IN_SHARE, block, NULL};
        if (!block->merge)
            continue;
        text_puts(out, "        if (!s->has_done[it->actor]) {\n        ");
        tg_translate(spec, &context, &block->share, out, NULL);
        text_puts(out, "\n        }\n");
    }
    if (has_shares(spec))
        text_puts(out, "        s->has_done[it->actor] = 1;\n");
}

/* A parameter of which there are parts: what is before the loop, the parts together, and what is behind it. */
static void put_together(tg_spec *spec, text_buffer *out, const tg_block *block)
{
    static const char *const forms[][3] = {{"TUNLET_SUM", "", " + "}, {"TUNLET_PRODUCT", "", " * "},
                                           {"TUNLET_AND", "", " && "}, {"TUNLET_MIN", "fmin", ", "},
                                           {"TUNLET_MAX", "fmax", ", "}};
    const tg_context context = {TG_IN_PARAMETER, block, NULL};
    const pajesim_text id = id_of(block);
    size_t i = 0;
    while (strcmp(forms[i][0], block->merge) != 0)
        i++;
    text_puts(out, "        ");
    tg_translate(spec, &context, &block->before, out, NULL);
    text_printf(out, "\n        p->%.*s = %s(p->%.*s%s(double)s->share_%.*s);\n        ", TG_TEXT(id), forms[i][1],
                TG_TEXT(id), forms[i][2], TG_TEXT(id));
    tg_translate(spec, &context, &block->after, out, NULL);
    text_puts(out, "\n");
}

static void put_happened(tg_spec *spec, text_buffer *out)
{
    size_t i, k;
    text_puts(out, "static void happened(void *data, const tunlet_happening *it)\n{\n    state *s = (state *)data;\n"
                   "    switch (it->event) {\n");
    for (i = 0; i < spec->events.count; i++) {
        text_printf(out, "    case %zu: /* ", i);
        put(out, id_of(&spec->events.items[i]));
        text_puts(out, " */\n");
        for (k = 0; k < spec->order.count; k++)
            if (spec->order.items[k]->when == (int)i && !is_in(&spec->parameters, spec->order.items[k]))
                put_code(spec, out, spec->order.items[k], TG_IN_ATTRIBUTE, TG_VALUE);
        if (text_is_equal(spec->events.items[i].values[TG_CONTROLITER].text, text_of("eval")))
            put_shares(spec, out);
        text_puts(out, "        break;\n");
    }
    text_puts(out, "    default: break;\n    }\n}\n\n");
}

static void put_functions(tg_spec *spec, text_buffer *out)
{
    size_t i;
    for (i = 0; i < spec->functions.count; i++) {
        const tg_context context = {TG_IN_FUNCTION, &spec->functions.items[i], NULL};
        text_puts(out, "static ");
        tg_translate(spec, &context, &spec->functions.items[i].values[TG_DEF], out, NULL);
        text_puts(out, "\n\n");
    }
}

/* Attributes that wait for the iteration to be complete, then the parameters. */
static void put_compute(tg_spec *spec, text_buffer *out)
{
    size_t i;
    text_puts(out, "static void compute(state *s, parameters *p)\n{\n");
    for (i = 0; i < spec->order.count; i++)
        if (spec->order.items[i]->when < 0 && !is_in(&spec->parameters, spec->order.items[i])) {
            text_puts(out, "    {\n");
            put_code(spec, out, spec->order.items[i], TG_IN_ATTRIBUTE, TG_VALUE);
            text_puts(out, "    }\n");
        }
    for (i = 0; i < spec->order.count; i++) {
        const tg_block *block = spec->order.items[i];
        if (!is_in(&spec->parameters, block))
            continue;
        text_puts(out, "    {\n");
        if (block->merge)
            put_together(spec, out, block);
        else
            put_code(spec, out, block, TG_IN_PARAMETER, TG_VALUE);
        if (is_time_or_int(block)) {
            text_puts(out, "        p->");
            put(out, id_of(block));
            text_puts(out, " = trunc(p->");
            put(out, id_of(block));
            text_puts(out, ");\n");
        }
        text_puts(out, "    }\n");
    }
    text_puts(out, "    (void)s, (void)p;\n}\n\n");
}

/* Each parameter is a value that may be asked for. */
static void put_values(const tg_spec *spec, text_buffer *out)
{
    size_t i;
    for (i = 0; i < spec->parameters.count; i++) {
        text_printf(out, "static int value_%zu(const void *data, double *value)\n{\n", i);
        text_puts(out, "    state complete = *(const state *)data;\n    parameters computed = {0};\n"
                       "    compute(&complete, &computed);\n    *value = computed.");
        put(out, id_of(&spec->parameters.items[i]));
        text_puts(out, ";\n    return 1;\n}\n\n");
    }
    text_puts(out, "static const tunlet_value values[] = {\n");
    for (i = 0; i < spec->parameters.count; i++) {
        text_puts(out, "    {\"");
        put(out, id_of(&spec->parameters.items[i]));
        text_printf(out, "\", value_%zu},\n", i);
    }
    text_printf(out, "%s};\nenum { VALUES = %zu };\n\n", spec->parameters.count ? "" : "    {NULL, NULL},\n",
                spec->parameters.count);
}

static void put_points(tg_spec *spec, text_buffer *out)
{
    size_t i;
    for (i = 0; i < spec->points.count; i++) {
        const tg_block *point = &spec->points.items[i];
        const tg_context context = {TG_IN_FUNCTION, point, NULL};
        text_printf(out, "static int evaluate_%zu(const void *data, int64_t *wanted)\n{\n", i);
        text_puts(out, "    state complete = *(const state *)data, *s = &complete;\n"
                       "    parameters computed = {0}, *p = &computed;\n    double value;\n"
                       "    compute(s, p);\n    value = (double)(");
        tg_translate(spec, &context, &point->values[TG_VALUE], out, NULL);
        text_puts(out, ");\n    if (!(value > -1e15 && value < 1e15))\n        return 0;\n    value = trunc(value);\n"
                       "    *wanted = (");
        if (point->values[TG_COND].is_given)
            tg_translate(spec, &context, &point->values[TG_COND], out, NULL);
        else
            text_puts(out, "1");
        text_puts(out, ") ? (int64_t)value : s->iter_");
        put(out, point->values[TG_CURRENT].text);
        text_puts(out, ";\n    return 1;\n}\n\n");
    }
    text_puts(out, "static const tunlet_point points[] = {\n");
    for (i = 0; i < spec->points.count; i++) {
        const tg_block *point = &spec->points.items[i];
        const tg_value *place = &point->values[TG_SYNCFUNCTION];
        text_puts(out, "    {\"");
        put(out, id_of(point));
        text_printf(out, "\", %ld, %ld, ", tg_number(&point->values[TG_MIN]), tg_number(&point->values[TG_MAX]));
        text_puts(out, "0, offsetof(state, iter_");
        put(out, point->values[TG_CURRENT].text);
        text_printf(out, "), evaluate_%zu, %s, ", i, tg_action(point));
        if (place->is_given && !text_is_equal(place->text, text_of("0"))) {
            text_puts(out, "\"");
            put(out, place->text);
            text_puts(out, "\"");
        } else {
            text_puts(out, "NULL");
        }
        text_printf(out, ", %ld},\n", point->values[TG_IDX].is_given ? tg_number(&point->values[TG_IDX]) : 0);
    }
    text_printf(out, "%s};\nenum { POINTS = %zu };\n\n",
                spec->points.count ? "" : "    {NULL, 0, 0, 0, 0, NULL, TUNLET_SET, NULL, 0},\n",
                spec->points.count);
}

void tg_emit(tg_spec *spec, text_buffer *out)
{
    const tg_block *shared = tg_shared_actor(spec);
    text_buffer code = {0};
    size_t i;
    for (i = 0; i < shared->attributes.count; i++)
        shared->attributes.items[i].is_needed = 0; /* until the code needs it */
    put_happened(spec, &code);
    put_functions(spec, &code);
    put_compute(spec, &code);
    put_values(spec, &code);
    put_points(spec, &code);
    text_puts(out, "/* Made of ");
    text_puts(out, strrchr(spec->path, '/') ? strrchr(spec->path, '/') + 1 : spec->path);
    text_puts(out, " by tg; change that. */\n#include \"tunlet.h\"\n\n#include <math.h>\n#include <stdlib.h>\n\n");
    put_state(spec, out);
    put_events(spec, out);
    put_parts(spec, out);
    text_append(out, text_view(&code));
    text_free(&code);
    text_puts(out, "extern const tunlet tunlet_");
    put(out, spec->head.values[TG_NAME].text);
    text_puts(out, ";\nconst tunlet tunlet_");
    put(out, spec->head.values[TG_NAME].text);
    text_puts(out, " = {\"");
    put(out, spec->head.values[TG_NAME].text);
    text_puts(out, "\", \"");
    put(out, shared->values[TG_CLASS].text);
    text_puts(out, "\", events, sizeof events / sizeof *events, parts, PARTS,\n"
                   "    points, POINTS, values, VALUES, sizeof(state), happened};\n");
}
