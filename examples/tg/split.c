/* What is cumulative, `cum: true`, is computed where events are collected, each collector its part: sums, products, the
 * least, the greatest, whether all are true, and what goes with the greatest (section 4.5.6 of the thesis).
 *
 * An attribute of iterations that changes with events of several actors has to be cumulative; its code is one
 * operation.  A parameter may be: what its loop does for an actor is done when that actor has done its part of the
 * iteration, if it needs nothing else.  If it does, the analyser computes it, of what each actor has. */
#include "code.h"

#include "lex_code.h"

/* Removes blanks and comments, so that code can be compared. */
static text_buffer squeezed(pajesim_text code)
{
    text_buffer with_end = {0}, to = {0};
    const char *from, *end;
    tg_code_token token;
    text_append(&with_end, code);
    end = text_string(&with_end);
    do {
        from = end;
        token = tg_lex_code(from, &end);
        if (token != TG_CODE_BLANK && token != TG_CODE_END)
            text_put(&to, from, (size_t)(end - from));
    } while (token != TG_CODE_END);
    text_string(&to);
    text_free(&with_end);
    return to;
}

static text_buffer translated(tg_spec *spec, const tg_context *context, const tg_value *code)
{
    text_buffer text = {0}, to;
    tg_translate(spec, context, code, &text, NULL);
    to = squeezed(text_view(&text));
    text_free(&text);
    return to;
}

/* ---- operations */

/* Behind the bracket that closes the one at `p`; NULL: there is none. */
static const char *behind_bracket(const char *p)
{
    int depth = 0;
    for (; *p; p++) {
        depth += strchr("([{", *p) != NULL;
        depth -= strchr(")]}", *p) != NULL;
        if (depth == 0)
            return p + 1;
    }
    return NULL;
}

/* Whether one of these is outside of brackets. */
static int has_outside(const char *p, const char *bytes)
{
    while (p && *p) {
        if (strncmp(p, "->", 2) == 0)
            p++;
        else if (strchr(bytes, *p))
            return 1;
        p = strchr("([{", *p) ? behind_bracket(p) : p + 1;
    }
    return 0;
}

static int has_member(const char *code, const char *member)
{
    const size_t size = strlen(member);
    for (; (code = strstr(code, member)); code += size)
        if (!strchr("_0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", code[size]) || !code[size])
            return 1;
    return 0;
}

/* Behind a brace at `at`, without that which closes it at the end of the code. */
static const char *skip_brace(char *code, const char *at)
{
    const size_t size = strlen(code);
    if (*at != '{' || behind_bracket(at) != code + size)
        return at;
    code[size - 1] = 0;
    return at + 1;
}

/* Finds the operation of `[if (...)] MEMBER op= ...;`, without blanks, in C; NULL: it is none. */
static const char *find_merge(char *code, const char *member)
{
    static const struct {
        const char *begin, *merge, *not_outside; /* `%`: the member, with its index */
    } forms[] = {{"+=", "TUNLET_SUM", ""},
                 {"-=", "TUNLET_SUM", ""},
                 {"*=", "TUNLET_PRODUCT", ""},
                 {"=%+", "TUNLET_SUM", "?<>=&|^,"},
                 {"=%-", "TUNLET_SUM", "?<>=&|^,"},
                 {"=%&&", "TUNLET_AND", "?|,"},
                 {"=least(%,", "TUNLET_MIN", NULL},
                 {"=greatest(%,", "TUNLET_MAX", NULL},
                 {"=argmax(&%_key,%,", "TUNLET_ARGMAX", NULL}};
    const char *at = skip_brace(code, code), *rest;
    text_buffer whole = {0}; /* the member, with its index */
    const char *merge = NULL;
    size_t size, i;
    if (strncmp(at, "if(", 3) == 0)
        at = behind_bracket(at + 2);
    if (at)
        at = skip_brace(code, at);
    if (!at || strncmp(at, member, strlen(member)) != 0)
        return NULL;
    rest = at + strlen(member);
    if (*rest == '[')
        rest = behind_bracket(rest);
    size = strlen(code);
    if (!rest || code[size - 1] != ';' || strchr(rest, ';') != code + size - 1)
        return NULL;
    text_put(&whole, at, (size_t)(rest - at));
    for (i = 0; i < sizeof forms / sizeof *forms && !merge; i++) {
        const char *form = forms[i].begin, *p = rest, *in = strchr(rest, '(');
        for (; *form; form++) {
            const char *word = *form == '%' ? text_string(&whole) : form;
            const size_t length = *form == '%' ? whole.size : 1;
            if (strncmp(p, word, length) != 0)
                break;
            p += length;
        }
        if (*form || has_member(p, member))
            continue;
        if (forms[i].not_outside ? !has_outside(p, forms[i].not_outside) : behind_bracket(in) == code + size - 1)
            merge = forms[i].merge;
    }
    code[at - code] = 0; /* what is left is the condition */
    if (has_member(code, member))
        merge = NULL;
    text_free(&whole);
    return merge;
}

#define OPERATIONS "+=, -=, *=, or = with fmin, fmax, && or argmax"

void tg_split_attribute(tg_spec *spec, tg_block *block, const tg_block *actor)
{
    const tg_context context = {TG_IN_ATTRIBUTE, block, actor};
    const tg_value *id = &block->values[TG_ID], *cum = &block->values[TG_CUM];
    const tg_block *shared = tg_shared_actor(spec);
    text_buffer code, member = {0};
    if (!shared)
        return; /* it was reported */
    if (!text_is_equal(cum->text, text_of("true"))) {
        if (actor != shared && tg_is_collected(spec, &context))
            tg_error(spec, id->place,
                     "`%.*s` changes with events of the %.*s, of which there are several: `cum: true`, and its code "
                     "is %s",
                     TG_TEXT(id->text), TG_TEXT(shared->values[TG_ID].text), OPERATIONS);
        return;
    }
    code = translated(spec, &context, &block->values[TG_VALUE]);
    text_printf(&member, "s->%.*s_%.*s", TG_TEXT(actor ? actor->values[TG_ID].text : text_of("iter")),
                TG_TEXT(id->text));
    block->merge = find_merge(code.bytes, text_string(&member));
    if (!block->merge)
        tg_error(spec, block->values[TG_VALUE].place,
                 "the code of what is cumulative is one operation on `%.*s`, at most behind an if: %s",
                 TG_TEXT(id->text), OPERATIONS);
    text_free(&code);
    text_free(&member);
}

/* ---- loops of parameters */

/* Code that is read token by token. */
typedef struct cursor {
    const char *at, *end;
} cursor;

/* Skips blanks, and returns the token behind them; it is empty at the end. */
static pajesim_text next_token(cursor *it)
{
    const char *from;
    while (it->at < it->end) {
        from = it->at;
        if (tg_lex_code(from, &it->at) != TG_CODE_BLANK)
            return (pajesim_text){from, (size_t)(it->at - from)};
    }
    return (pajesim_text){it->end, 0};
}

/* Skips these tokens, of which `%` is the name. */
static int skip_tokens(cursor *it, const char *const *words, pajesim_text name)
{
    for (; *words; words++)
        if (!text_is_equal(next_token(it), **words == '%' ? name : text_of(*words)))
            return 0;
    return 1;
}

#define TOKENS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* A part of the code; also what is empty is given. */
static tg_value part_of(const tg_value *code, const char *begin, const char *end)
{
    return (tg_value){1, {begin, (size_t)(end - begin)}, code->place};
}

/* Divides the code of a parameter: what is before a loop over all actors, what that does for one, and what follows; and
 * the loop's limit.  Returns 0 if there is no such loop. */
static int find_loop(tg_block *block, tg_value *limit)
{
    const tg_value *code = &block->values[TG_VALUE];
    cursor it = {code->text.bytes, code->text.bytes + code->text.size};
    pajesim_text token;
    int depth = 0;
    do
        token = next_token(&it);
    while (token.size > 0 && !text_is_equal(token, text_of("for")));
    block->before = part_of(code, code->text.bytes, token.bytes);
    if (!skip_tokens(&it, TOKENS("(", "int"), token))
        return 0;
    block->index = next_token(&it);
    if (!skip_tokens(&it, TOKENS("=", "0", ";", "%", "<"), block->index))
        return 0;
    while ((token = next_token(&it)).size > 0 && *token.bytes != ';') {
        if (!limit->is_given)
            *limit = part_of(code, token.bytes, it.at);
        limit->text.size = (size_t)(it.at - limit->text.bytes);
    }
    if (!skip_tokens(&it, TOKENS("%", "++", ")"), block->index))
        return 0;
    block->share = part_of(code, it.at, it.at);
    do { /* a statement */
        token = next_token(&it);
        if (token.size == 0)
            return 0;
        depth += strchr("([{", *token.bytes) != NULL;
        depth -= strchr(")]}", *token.bytes) != NULL;
    } while (depth > 0 || !strchr(";}", *token.bytes));
    block->share.text.size = (size_t)(it.at - block->share.text.bytes);
    block->after = part_of(code, it.at, it.end);
    return 1;
}

/* What code assigns to a member of the state or a parameter, if it does that alone; else nothing. */
static text_buffer assigned(tg_spec *spec, const tg_context *context, const char *prefix)
{
    text_buffer code = translated(spec, context, &context->owner->values[TG_VALUE]), member = {0}, to = {0};
    text_printf(&member, "%s%.*s=", prefix, TG_TEXT(context->owner->values[TG_ID].text));
    if (code.size > member.size && memcmp(code.bytes, member.bytes, member.size) == 0)
        text_put(&to, code.bytes + member.size, code.size - member.size - (code.bytes[code.size - 1] == ';'));
    text_free(&code);
    text_free(&member);
    return to;
}

/* Whether `text` is a member or parameter of that name. */
static int is_name_of(const text_buffer *text, const char *prefix, const tg_block *block)
{
    const size_t size = strlen(prefix);
    return text->size > size && memcmp(text->bytes, prefix, size) == 0 &&
           text_is_equal((pajesim_text){text->bytes + size, text->size - size}, block->values[TG_ID].text);
}

/* Whether a limit is the number of actors that share the iteration: iter.NAME, to which EVENT.Actors is assigned, or a
 * parameter, to which that is assigned. */
static int is_all(tg_spec *spec, const tg_value *limit)
{
    const tg_block none = {.when = -1};
    const tg_context context = {TG_IN_FUNCTION, &none, NULL};
    text_buffer text = translated(spec, &context, limit);
    int is_it = 0;
    size_t i;
    for (i = 0; i < spec->parameters.count; i++)
        if (is_name_of(&text, "p->", &spec->parameters.items[i])) {
            const tg_context in = {TG_IN_PARAMETER, &spec->parameters.items[i], NULL};
            text_free(&text);
            text = assigned(spec, &in, "p->");
            break;
        }
    for (i = 0; i < spec->iteration.count; i++)
        if (is_name_of(&text, "(double)s->iter_", &spec->iteration.items[i])) {
            const tg_context in = {TG_IN_ATTRIBUTE, &spec->iteration.items[i], NULL};
            text_free(&text);
            text = assigned(spec, &in, "s->iter_");
            is_it = text_is_equal(text_view(&text), text_of("it->actors"));
            break;
        }
    text_free(&text);
    return is_it;
}

void tg_split_parameter(tg_spec *spec, tg_block *block)
{
    const tg_value *id = &block->values[TG_ID];
    const tg_context in_parameter = {TG_IN_PARAMETER, block, NULL}, in_share = {TG_IN_SHARE, block, NULL};
    text_buffer member = {0}, reason = {0}, unused = {0}, code;
    tg_value limit = {0};
    if (!text_is_equal(block->values[TG_CUM].text, text_of("true")) || !tg_shared_actor(spec))
        return;
    spec->reason = &reason;
    if (find_loop(block, &limit)) {
        tg_translate(spec, &in_parameter, &block->before, &unused, NULL);
        tg_translate(spec, &in_parameter, &block->after, &unused, NULL);
        code = translated(spec, &in_share, &block->share);
        text_printf(&member, "s->share_%.*s", TG_TEXT(id->text));
        if (!is_all(spec, &limit))
            tg_error(spec, id->place, "`%.*s` is not known to be the number of all that share the iteration",
                     TG_TEXT(limit.text));
        block->merge = code.bytes ? find_merge(code.bytes, text_string(&member)) : NULL;
        text_free(&code);
    }
    if (!block->merge)
        tg_error(spec, id->place, "it is not `for (int i = 0; i < N; i++) %.*s += TERM;`, or another operation: %s",
                 TG_TEXT(id->text), OPERATIONS);
    spec->reason = NULL;
    if (reason.size > 0) {
        tg_note(spec, id->place, "collectors do not compute `%.*s`, but pass on what each actor has: %s",
                TG_TEXT(id->text), text_string(&reason));
        block->merge = NULL;
    }
    text_free(&member);
    text_free(&reason);
    text_free(&unused);
}
