#include "code.h"

#include "lex_code.h"

#include <stdlib.h>
#include <string.h>

long tg_number(const tg_value *value)
{
    long number = 0;
    size_t i;
    if (value->text.size == 0 || value->text.size > 8)
        return -1;
    for (i = 0; i < value->text.size; i++) {
        if (value->text.bytes[i] < '0' || value->text.bytes[i] > '9')
            return -1;
        number = number * 10 + (value->text.bytes[i] - '0');
    }
    return number;
}

const tg_block *tg_shared_actor(const tg_spec *spec)
{
    size_t i;
    for (i = 0; i < spec->actors.count; i++)
        if (tg_number(&spec->actors.items[i].values[TG_MAX]) > 1)
            return &spec->actors.items[i];
    return NULL;
}

tg_block *tg_find(const tg_blocks *blocks, pajesim_text name)
{
    size_t i;
    for (i = 0; i < blocks->count; i++)
        if (blocks->items[i].values[TG_ID].is_given && text_is_equal(blocks->items[i].values[TG_ID].text, name))
            return &blocks->items[i];
    return NULL;
}

int tg_is_collected(const tg_spec *spec, const tg_context *context)
{
    const int when = context->owner->when;
    return context->kind == TG_IN_SHARE ||
           (context->kind == TG_IN_ATTRIBUTE && when >= 0 &&
            tg_find(&spec->actors, spec->events.items[when].values[TG_ACTOR_ID].text) == tg_shared_actor(spec));
}

/* ---- walking over the code */

typedef struct walk {
    tg_spec *spec;
    const tg_context *context;
    const tg_value *code;
    char *text; /* the code, with a NUL behind it */
    const char *from, *end; /* of the current token */
    tg_code_token token;
    text_buffer *out;
    unsigned char *uses;
    array_of(pajesim_text) locals; /* names that the code declares */
    const char *arguments;         /* to be put behind the next bracket; NULL: none */
    text_buffer key;               /* such arguments */
} walk;

static pajesim_text current(const walk *it)
{
    return (pajesim_text){it->from, (size_t)(it->end - it->from)};
}

static tg_place here(const walk *it)
{
    tg_place place = it->code->place;
    const char *p;
    place.column += 2; /* slash and hash */
    for (p = it->text; p < it->from; p++) {
        place.column++;
        if (*p == '\n') {
            place.line++;
            place.column = 1;
        }
    }
    return place;
}

static void next(walk *it)
{
    it->from = it->end;
    it->token = tg_lex_code(it->from, &it->end);
}

static int is(const walk *it, const char *text)
{
    return text_is_equal(current(it), text_of(text));
}

/* Whether numbers are integers here. */
static int is_exact(const walk *it)
{
    return it->context->kind == TG_IN_ATTRIBUTE || it->context->kind == TG_IN_SHARE;
}

/* Reports what makes a real number, where there should be none. */
static void refuse_real(walk *it)
{
    if (it->context->kind == TG_IN_SHARE)
        tg_error(it->spec, here(it), "its terms are real numbers, whose sum depends on the order");
    else if (strchr("/%", *it->from))
        tg_error(it->spec, here(it),
                 "attributes are sums and times, which are not divided: do so in MODEL PARAMETERS");
    else
        tg_error(it->spec, here(it), "attributes are integers, and `%.*s` is none: compute it in MODEL PARAMETERS",
                 TG_TEXT(current(it)));
}

static void copy(walk *it)
{
    text_append(it->out, current(it));
    next(it);
}

static void skip_blanks(walk *it)
{
    while (it->token == TG_CODE_BLANK)
        copy(it);
}

static int is_one_of(pajesim_text name, const char *const *list)
{
    for (; *list; list++)
        if (text_is_equal(name, text_of(*list)))
            return 1;
    return 0;
}

static const char *const type_names[] = {"int", "short", "long", "float", "double", "char", NULL};
static const char *const known_names[] = {"if", "else", "for", "while", "do", "return", "break", "continue", NULL};
static const char *const real_names[] = {"sqrt", "pow", "exp", "log", "log2", "floor", "ceil", "trunc", "fabs", NULL};
/* Functions, with their names in C for integers, and for real numbers. */
static const char *const both_names[][3] = {
    {"fmin", "least", "fmin"}, {"fmax", "greatest", "fmax"}, {"abs", "llabs", "fabs"}};

/* Notes the names that the code declares: those behind a type, and behind commas up to the semicolon. */
static void find_locals(walk *it)
{
    const char *end = it->text, *from;
    tg_code_token token, before = TG_CODE_OTHER;
    int is_type = 0, in_declaration = 0, depth = 0;
    for (;;) {
        from = end;
        token = tg_lex_code(from, &end);
        if (token == TG_CODE_END)
            return;
        if (token == TG_CODE_BLANK)
            continue;
        depth += (token == TG_CODE_OPEN) - (token == TG_CODE_CLOSE);
        if (token == TG_CODE_NAME) {
            const pajesim_text name = {from, (size_t)(end - from)};
            if (is_type || (in_declaration == depth + 1 && before == TG_CODE_OTHER))
                *array_push(&it->locals) = name;
            if (is_type)
                in_declaration = depth + 1;
            is_type = is_one_of(name, type_names);
        } else {
            is_type = 0;
            if (token == TG_CODE_SEMICOLON || token == TG_CODE_CLOSE)
                in_declaration = 0;
        }
        before = token == TG_CODE_OTHER && *from == ',' ? TG_CODE_OTHER : TG_CODE_BLANK;
    }
}

static int is_local(const walk *it, pajesim_text name)
{
    size_t i;
    for (i = 0; i < it->locals.count; i++)
        if (text_is_equal(it->locals.items[i], name))
            return 1;
    return 0;
}

/* Refuses an assignment to something that is not the owner of the code. */
static void check_assignment(walk *it, const tg_block *target, tg_place place, pajesim_text name)
{
    const tg_value *own = &it->context->owner->values[TG_ID];
    skip_blanks(it);
    if ((it->token == TG_CODE_ASSIGN || is(it, "++") || is(it, "--")) && target != it->context->owner)
        tg_error(it->spec, place, "the code of `%.*s` assigns `%.*s`", TG_TEXT(own->text),
                 TG_TEXT(name));
}

/* ---- names */

static pajesim_text attribute_name(walk *it)
{
    pajesim_text name = current(it);
    do { /* the dot and blanks */
        name.bytes++;
        name.size--;
    } while (strchr(" \t\r\n", *name.bytes));
    return name;
}

static void put_member(walk *it, pajesim_text owner, pajesim_text name)
{
    text_puts(it->out, is_exact(it) ? "s->" : "(double)s->");
    text_append(it->out, owner);
    text_puts(it->out, "_");
    text_append(it->out, name);
}

static void translate_tokens(walk *it, char until);

/* Checks what code that collectors run takes of an actor that shares the work: its own, of its own events. */
static void check_collected(walk *it, const tg_block *attribute, tg_place place, pajesim_text name,
                            const text_buffer *index)
{
    const tg_context context = {TG_IN_ATTRIBUTE, attribute, NULL};
    if (!text_is_equal(text_view(index), text_of("(int64_t)it->actor")))
        tg_error(it->spec, place, "it needs `%.*s` of other actors, whose events may go elsewhere", TG_TEXT(name));
    else if (attribute && !tg_is_collected(it->spec, &context))
        tg_error(it->spec, place, "it needs `%.*s`, which is not known where these events are collected",
                 TG_TEXT(name));
}

/* ACTOR[index].attribute */
static void translate_actor(walk *it, const tg_block *actor)
{
    const tg_place place = here(it);
    const pajesim_text owner = actor->values[TG_ID].text;
    const int is_shared = actor == tg_shared_actor(it->spec);
    text_buffer index = {0}, *out = it->out;
    tg_block *attribute;
    pajesim_text name;
    next(it);
    while (it->token == TG_CODE_BLANK)
        next(it);
    if (!is(it, "[")) {
        tg_error(it->spec, place, "which `%.*s`? `%.*s[0]` or another index", TG_TEXT(owner),
                 TG_TEXT(owner));
        return;
    }
    next(it);
    it->out = &index;
    translate_tokens(it, ']');
    it->out = out;
    while (it->token == TG_CODE_BLANK)
        next(it);
    if (it->token != TG_CODE_DOT) {
        tg_error(it->spec, place, "an attribute of `%.*s` is missing: .NAME", TG_TEXT(owner));
        text_free(&index);
        return;
    }
    name = attribute_name(it);
    attribute = tg_find(&actor->attributes, name);
    if (!attribute)
        tg_error(it->spec, here(it), "the actor `%.*s` has no attribute `%.*s`", TG_TEXT(owner),
                 TG_TEXT(name));
    put_member(it, owner, name);
    if (is_shared) {
        text_puts(it->out, "[place((double)(");
        text_append(it->out, text_view(&index));
        text_puts(it->out, "))]");
    }
    if (is_shared && tg_is_collected(it->spec, it->context))
        check_collected(it, attribute, place, name, &index);
    else if (is_shared && attribute)
        attribute->is_needed = 1;
    else if (it->context->kind == TG_IN_SHARE)
        tg_error(it->spec, place, "it needs what the %.*s has", TG_TEXT(owner));
    if (it->uses)
        it->uses[actor - it->spec->actors.items] = 1;
    next(it);
    check_assignment(it, attribute, place, name);
    text_free(&index);
}

/* iter.attribute */
static void translate_iteration(walk *it)
{
    const tg_place place = here(it);
    const tg_block *attribute;
    pajesim_text name;
    next(it);
    while (it->token == TG_CODE_BLANK)
        next(it);
    if (it->token != TG_CODE_DOT) {
        tg_error(it->spec, place, "an attribute of iterations is missing: iter.NAME");
        return;
    }
    name = attribute_name(it);
    attribute = tg_find(&it->spec->iteration, name);
    if (!attribute)
        tg_error(it->spec, here(it), "ITERATION INFORMATION has no attribute `%.*s`", TG_TEXT(name));
    put_member(it, text_of("iter"), name);
    if (it->context->kind == TG_IN_SHARE)
        tg_error(it->spec, place, "it needs `iter.%.*s`", TG_TEXT(name));
    if (it->uses && attribute != it->context->owner)
        it->uses[it->spec->actors.count] = 1;
    next(it);
    check_assignment(it, attribute, place, name);
}

/* EVENT.attribute, in code that runs with this event. */
static void translate_event(walk *it, const tg_block *event)
{
    const tg_place place = here(it);
    const pajesim_text owner = event->values[TG_ID].text;
    const int index = (int)(event - it->spec->events.items);
    pajesim_text name;
    size_t i;
    next(it);
    while (it->token == TG_CODE_BLANK)
        next(it);
    if (it->token != TG_CODE_DOT) {
        tg_error(it->spec, place, "an attribute of the event `%.*s` is missing: .NAME", TG_TEXT(owner));
        return;
    }
    name = attribute_name(it);
    if (it->context->kind != TG_IN_ATTRIBUTE || it->context->owner->when != index)
        tg_error(it->spec, place, "`%.*s` is not what this depends on, so its attributes are not known here",
                 TG_TEXT(owner));
    for (i = 0; i < event->attributes.count; i++)
        if (text_is_equal(event->attributes.items[i].values[TG_ID].text, name))
            break;
    if (text_is_equal(name, text_of("timestamp"))) {
        text_puts(it->out, "it->time");
    } else if (text_is_equal(name, text_of("Actors"))) {
        text_puts(it->out, "it->actors");
    } else if (text_is_equal(name, text_of("id"))) {
        const tg_block *actor = tg_find(&it->spec->actors, event->values[TG_ACTOR_ID].text);
        if (actor && actor != tg_shared_actor(it->spec))
            tg_error(it->spec, here(it), "`%.*s.id` is the number of the %.*s, of which there is one", TG_TEXT(owner),
                     TG_TEXT(actor->values[TG_ID].text));
        text_puts(it->out, "(int64_t)it->actor");
    } else if (i < event->attributes.count) {
        text_printf(it->out, "it->fields[%zu]", i);
    } else {
        tg_error(it->spec, here(it), "the event `%.*s` has no attribute `%.*s`", TG_TEXT(owner),
                 TG_TEXT(name));
    }
    next(it);
}

/* Whether a function of the specification has that name. */
static int is_function(const tg_spec *spec, pajesim_text name)
{
    size_t i;
    for (i = 0; i < spec->functions.count; i++) {
        const tg_value *def = &spec->functions.items[i].values[TG_DEF];
        const char *p = def->text.bytes, *end = p + def->text.size;
        while (p < end && strchr(" \t\r\n", *p))
            p++;
        while (p < end && !strchr(" \t\r\n", *p)) /* the type */
            p++;
        while (p < end && strchr(" \t\r\n", *p))
            p++;
        if ((size_t)(end - p) > name.size && memcmp(p, name.bytes, name.size) == 0 &&
            strchr(" \t\r\n(", p[name.size]))
            return 1;
    }
    return 0;
}

/* A call of a function of the specification, or, where `is_definition`, its name and parameters. */
static void translate_function(walk *it, int is_definition)
{
    copy(it);
    skip_blanks(it);
    if (is(it, "("))
        it->arguments = is_definition ? "const state *s, parameters *p" : "s, p";
}

/* Puts the arguments that all functions have behind the bracket that was copied. */
static void put_arguments(walk *it)
{
    if (!it->arguments)
        return;
    skip_blanks(it);
    text_puts(it->out, it->arguments);
    if (!is(it, ")"))
        text_puts(it->out, ", ");
    it->arguments = NULL;
}

/* argmax(KEY, VALUE) of a cumulative attribute, whose key is a member of the state beside it. */
static void translate_argmax(walk *it)
{
    const tg_block *owner = it->context->owner, *actor = it->context->actor;
    const pajesim_text id = owner->values[TG_ID].text, of = actor ? actor->values[TG_ID].text : text_of("iter");
    if (it->context->kind != TG_IN_ATTRIBUTE || !text_is_equal(owner->values[TG_CUM].text, text_of("true")) ||
        actor == tg_shared_actor(it->spec))
        tg_error(it->spec, here(it), "`argmax` is over several actors: of an attribute of iterations, `cum: true`");
    text_clear(&it->key);
    text_printf(&it->key, "&s->%.*s_%.*s_key, s->%.*s_%.*s", TG_TEXT(of), TG_TEXT(id), TG_TEXT(of), TG_TEXT(id));
    it->arguments = text_string(&it->key);
    copy(it);
}

/* Translates a name that C has for real numbers alone.  Returns 0 for other names. */
static int translate_both(walk *it)
{
    size_t i;
    for (i = 0; i < sizeof both_names / sizeof *both_names; i++)
        if (is(it, both_names[i][0])) {
            text_puts(it->out, both_names[i][is_exact(it) ? 1 : 2]);
            next(it);
            return 1;
        }
    return 0;
}

/* Translates, in the code for one actor, the parameter itself and the index of the loop.  Returns 0 for other names. */
static int translate_share(walk *it)
{
    const tg_block *owner = it->context->owner;
    if (it->context->kind != TG_IN_SHARE)
        return 0;
    if (text_is_equal(current(it), owner->index))
        text_puts(it->out, "(int64_t)it->actor");
    else if (text_is_equal(current(it), owner->values[TG_ID].text))
        text_printf(it->out, "s->share_%.*s", TG_TEXT(owner->values[TG_ID].text));
    else
        return 0;
    next(it);
    return 1;
}

static void translate_name(walk *it)
{
    const pajesim_text name = current(it);
    const tg_block *block;
    if (translate_share(it) || (!is_local(it, name) && translate_both(it)))
        return;
    if (is_function(it->spec, name)) {
        if (is_exact(it))
            refuse_real(it);
        translate_function(it, is_local(it, name));
    } else if (it->context->kind == TG_IN_FUNCTION && it->context->owner->values[TG_ID].is_given &&
               text_is_equal(name, it->context->owner->values[TG_ID].text)) {
        text_puts(it->out, "value"); /* what the knob should be */
        next(it);
    } else if (is_one_of(name, type_names)) {
        text_puts(it->out, is_exact(it) ? "int64_t" : "double");
        next(it);
    } else if (text_is_equal(name, text_of("argmax"))) {
        translate_argmax(it);
    } else if (is_one_of(name, known_names) || is_local(it, name)) {
        copy(it);
    } else if (is_one_of(name, real_names)) {
        if (is_exact(it))
            refuse_real(it);
        copy(it);
    } else if (text_is_equal(name, text_of("true")) || text_is_equal(name, text_of("false"))) {
        text_puts(it->out, name.bytes[0] == 't' ? "1" : "0");
        next(it);
    } else if ((block = tg_find(&it->spec->actors, name))) {
        translate_actor(it, block);
    } else if (text_is_equal(name, text_of("iter"))) {
        translate_iteration(it);
    } else if ((block = tg_find(&it->spec->events, name))) {
        translate_event(it, block);
    } else if (!is_exact(it) && (block = tg_find(&it->spec->parameters, name))) {
        const tg_place place = here(it);
        text_puts(it->out, "p->");
        copy(it);
        if (it->context->kind == TG_IN_PARAMETER)
            check_assignment(it, block, place, name);
    } else {
        if (tg_find(&it->spec->parameters, name))
            tg_error(it->spec, here(it),
                     it->context->kind == TG_IN_SHARE
                         ? "it needs the parameter `%.*s`"
                         : "the parameter `%.*s` is computed when the iteration is complete, later than this",
                     TG_TEXT(name));
        else
            tg_error(it->spec, here(it), "`%.*s` is not declared", TG_TEXT(name));
        next(it);
    }
}

/* (int) in real numbers: what is behind the point is cut off. */
static int translate_cast(walk *it)
{
    const char *end = it->end;
    const char *type_end, *close_end;
    if (is_exact(it) || !is(it, "(") || tg_lex_code(end, &type_end) != TG_CODE_NAME ||
        !text_is_equal((pajesim_text){end, (size_t)(type_end - end)}, text_of("int")) ||
        tg_lex_code(type_end, &close_end) != TG_CODE_CLOSE || *type_end != ')')
        return 0;
    text_puts(it->out, "(double)(int64_t)");
    it->end = close_end;
    next(it);
    return 1;
}

/* Whether it is what makes real numbers: a division, 0.5, 1e6. */
static int is_real(pajesim_text token)
{
    size_t i;
    if (strchr("/%", *token.bytes))
        return 1;
    for (i = 0; i < token.size && strchr("0123456789.eExX", *token.bytes); i++)
        if (token.bytes[i] == '.' || (token.bytes[1] != 'x' && strchr("eE", token.bytes[i])))
            return 1;
    return 0;
}

static void translate_tokens(walk *it, char until)
{
    char open[64];
    int depth = 0;
    while (it->token != TG_CODE_END) {
        const char byte = *it->from;
        if (it->token == TG_CODE_CLOSE) {
            const char opening = byte == ')' ? '(' : byte == ']' ? '[' : '{';
            if (depth == 0 && byte == until) {
                next(it);
                return;
            }
            if (depth == 0 || open[depth - 1] != opening) {
                tg_error(it->spec, here(it), "`%c` closes nothing", byte);
                next(it);
                continue;
            }
            depth--;
            copy(it);
        } else if (it->token == TG_CODE_OPEN) {
            if (translate_cast(it))
                continue;
            if (depth == (int)sizeof open) {
                tg_error(it->spec, here(it), "more than 64 brackets within each other");
                return;
            }
            open[depth++] = byte;
            copy(it);
            put_arguments(it);
        } else if (it->token == TG_CODE_NAME) {
            translate_name(it);
        } else if ((it->token == TG_CODE_OTHER || it->token == TG_CODE_ASSIGN) && is_exact(it) &&
                   is_real(current(it))) {
            refuse_real(it);
            next(it);
        } else {
            copy(it);
        }
    }
    if (depth > 0 || until)
        tg_error(it->spec, here(it), "`%c` is not closed", depth > 0 ? open[depth - 1] : '[');
}

void tg_translate(tg_spec *spec, const tg_context *context, const tg_value *code, text_buffer *out,
                  unsigned char *uses)
{
    walk it = {.spec = spec, .context = context, .code = code, .out = out, .uses = uses};
    const size_t begin = out->size;
    it.text = (char *)memory_alloc(code->text.size + 1, 1);
    memcpy(it.text, code->text.bytes, code->text.size);
    it.text[code->text.size] = 0;
    it.end = it.text;
    find_locals(&it);
    next(&it);
    skip_blanks(&it);
    out->size = begin;
    translate_tokens(&it, 0);
    while (out->size > begin && strchr(" \t\r\n", out->bytes[out->size - 1]))
        out->size--;
    array_free(&it.locals);
    text_free(&it.key);
    free(it.text);
}
