#include "spec.h"

#include "lex.h"

#include <stdio.h>
#include <string.h>

typedef struct parser {
    tg_spec *spec;
    const char *from, *begin, *end; /* of the current token */
    const char *counted;            /* up to where lines were counted */
    unsigned line;
    const char *line_begin;
    tg_token token;
} parser;

static tg_place place_of(parser *it, const char *at)
{
    const char *p;
    for (p = it->counted; p < at; p++)
        if (*p == '\n') {
            it->line++;
            it->line_begin = p + 1;
        }
    it->counted = at;
    return (tg_place){it->line, (unsigned)(at - it->line_begin) + 1};
}

static pajesim_text text(const parser *it)
{
    return (pajesim_text){it->begin, (size_t)(it->end - it->begin)};
}

/* Makes a word that has a meaning of its own a token of its own, with the words of a section that follow. */
static void find_keyword(parser *it)
{
    static const char *const blocks[] = {"variable", "event", "actor", "func", "function", "point"};
    static const char *const sections[][3] = {
        {"TUNLET"}, {"ENDTUNLET"}, {"MEASURE", "POINTS"}, {"VARIABLES", "AND", "VALUES"}, {"EVENTS"}, {"ACTORS"},
        {"ITERATION", "INFORMATION"}, {"MODEL", "PARAMETERS"}, {"PERFORMANCE", "FUNCTIONS"},
        {"PERFORMANCE", "FUNCTION"}, {"TUNING", "POINTS"}, {"ATTRS"}};
    pajesim_text word = text(it);
    size_t i, k;
    for (i = 0; i < sizeof sections / sizeof *sections; i++) {
        const char *begin = it->begin, *end = it->end;
        for (k = 0; k < 3 && sections[i][k]; k++) {
            if (k > 0 && tg_lex(end, &begin, &end) != TG_TOKEN_WORD)
                break;
            if (!text_is_equal((pajesim_text){begin, (size_t)(end - begin)}, text_of(sections[i][k])))
                break;
        }
        if (k == 3 || !sections[i][k]) {
            it->token = TG_TOKEN_SECTION;
            it->end = end;
            return;
        }
    }
    if (word.size > 3 && memcmp(word.bytes, "end", 3) == 0)
        word = (pajesim_text){word.bytes + 3, word.size - 3};
    for (i = 0; i < sizeof blocks / sizeof *blocks; i++)
        if (text_is_equal(word, text_of(blocks[i])))
            it->token = TG_TOKEN_BLOCK;
}

static void next(parser *it)
{
    do {
        it->from = it->end;
        it->token = tg_lex(it->from, &it->begin, &it->end);
        if (it->token == TG_TOKEN_WORD)
            find_keyword(it);
        if (it->token == TG_TOKEN_LABEL && strncmp(it->begin, "ATTRS", 5) == 0)
            it->token = TG_TOKEN_SECTION; /* with a colon, as it is also printed */
        if (it->token != TG_TOKEN_BAD)
            continue;
        if (it->begin[0] == '/' && (it->begin[1] == '*' || it->begin[1] == '#')) {
            tg_error(it->spec, place_of(it, it->begin), "%s has no end: `%c/`",
                     it->begin[1] == '*' ? "a comment" : "code", it->begin[1]);
            it->end += strlen(it->end);
        } else {
            tg_error(it->spec, place_of(it, it->begin), "`%.1s` begins nothing", it->begin);
        }
    } while (it->token == TG_TOKEN_BAD);
}

static int is(const parser *it, tg_token token, const char *word)
{
    return it->token == token && text_is_equal(text(it), text_of(word));
}

/* Whether it is a section; its words may have any blanks between them. */
static int is_section(const parser *it, const char *words)
{
    const char *p = it->begin;
    if (it->token != TG_TOKEN_SECTION)
        return 0;
    for (; *words; words++) {
        if (*words == ' ')
            while (p < it->end && strchr(" \t\r\n", *p))
                p++;
        else if (p == it->end || *p++ != *words)
            return 0;
    }
    return p == it->end;
}

static const char *const labels[] = {
#define TG_PROPERTY(NAME, label) label,
    TG_PROPERTIES(TG_PROPERTY)
#undef TG_PROPERTY
};

/* ---- properties */

static void read_value(parser *it, tg_value *value)
{
    const char *end = it->begin;
    value->is_given = 1;
    value->place = place_of(it, it->begin);
    if (it->token == TG_TOKEN_COMMENT || it->token == TG_TOKEN_CODE) {
        value->text = (pajesim_text){it->begin + 2, (size_t)(it->end - it->begin) - 4};
        next(it);
        return;
    }
    value->text.bytes = it->begin;
    while (it->token == TG_TOKEN_WORD || it->token == TG_TOKEN_COMMA) {
        end = it->end;
        next(it);
    }
    value->text.size = (size_t)(end - value->text.bytes);
}

/* Reads `label: value` into the block.  `allowed`: properties that it may have. */
static void read_property(parser *it, tg_block *block, const tg_property *allowed, const char *what)
{
    const tg_place place = place_of(it, it->begin);
    pajesim_text label = text(it);
    int i;
    while (label.size && strchr(": \t", label.bytes[label.size - 1]))
        label.size--;
    next(it);
    for (i = 0; allowed[i] != TG_PROPERTY_COUNT; i++)
        if (text_is_equal(label, text_of(labels[allowed[i]]))) {
            tg_value *value = &block->values[allowed[i]];
            if (value->is_given)
                tg_error(it->spec, place, "`%.*s` is given twice", TG_TEXT(label));
            read_value(it, value);
            return;
        }
    tg_error(it->spec, place, "%s has no property `%.*s`", what, TG_TEXT(label));
    {
        tg_value unused;
        read_value(it, &unused);
    }
}

#define LIST(...) ((const tg_property[]){__VA_ARGS__, TG_PROPERTY_COUNT})

/* Attributes, each of which begins with its id. */
static void read_attributes(parser *it, tg_blocks *to, const tg_property *allowed, const char *what)
{
    while (it->token == TG_TOKEN_LABEL) {
        tg_block *block;
        if ((it->begin[0] == 'i' && it->begin[1] == 'd' && strchr(": \t", it->begin[2])) || to->count == 0) {
            block = array_push(to);
            block->place = place_of(it, it->begin);
        }
        read_property(it, &to->items[to->count - 1], allowed, what);
    }
}

static void need(parser *it, const tg_block *block, const char *what, const tg_property *needed)
{
    int i;
    for (i = 0; needed[i] != TG_PROPERTY_COUNT; i++)
        if (!block->values[needed[i]].is_given)
            tg_error(it->spec, block->place, "%s needs `%s:`", what, labels[needed[i]]);
}

#define ATTRIBUTE LIST(TG_ID, TG_COMMENT, TG_TYPE, TG_INIC, TG_DEPINIC, TG_VALUE, TG_CUM, TG_DEPENDENCY)

static void need_attributes(parser *it, const tg_blocks *blocks, const char *what)
{
    size_t i;
    for (i = 0; i < blocks->count; i++)
        need(it, &blocks->items[i], what, LIST(TG_ID, TG_TYPE, TG_VALUE));
}

/* ---- blocks */

typedef struct block_kind {
    const char *begin, *other, *end, *other_end, *what;
    const tg_property *allowed, *needed, *attributes;
} block_kind;

static int begins(const parser *it, const block_kind *kind)
{
    return is(it, TG_TOKEN_BLOCK, kind->begin) || (kind->other && is(it, TG_TOKEN_BLOCK, kind->other));
}

static int is_attributes(const parser *it)
{
    return it->token == TG_TOKEN_SECTION && strncmp(it->begin, "ATTRS", 5) == 0;
}

static void read_block(parser *it, tg_blocks *to, const block_kind *kind)
{
    tg_block *block = array_push(to);
    block->place = place_of(it, it->begin);
    next(it);
    while (it->token == TG_TOKEN_LABEL)
        read_property(it, block, kind->allowed, kind->what);
    if (kind->attributes && is_attributes(it)) {
        next(it);
        read_attributes(it, &block->attributes, kind->attributes, "an attribute");
    }
    need(it, block, kind->what, kind->needed);
    if (is(it, TG_TOKEN_BLOCK, kind->end) || (kind->other_end && is(it, TG_TOKEN_BLOCK, kind->other_end)))
        next(it);
    else
        tg_error(it->spec, place_of(it, it->begin), "%s ends with `%s`, not with `%.*s`", kind->what, kind->end,
                 TG_TEXT(text(it)));
}

/* Skips what does not belong where it is, up to something that may. */
static void skip(parser *it, const char *expected)
{
    const tg_place place = place_of(it, it->begin);
    if (it->token == TG_TOKEN_END)
        tg_error(it->spec, place, "the specification ends where %s should be", expected);
    else
        tg_error(it->spec, place, "%s should be here, not `%.*s`", expected, TG_TEXT(text(it)));
    while (it->token != TG_TOKEN_END && it->token != TG_TOKEN_SECTION && it->token != TG_TOKEN_BLOCK)
        next(it); /* also what belongs to it: values, comments, code */
}

static void read_blocks(parser *it, tg_blocks *to, const block_kind *kind)
{
    while ((it->token != TG_TOKEN_SECTION || is_attributes(it)) && it->token != TG_TOKEN_END) {
        if (begins(it, kind)) {
            read_block(it, to, kind);
            continue;
        }
        skip(it, kind->begin);
        while (it->token != TG_TOKEN_END && (it->token != TG_TOKEN_SECTION || is_attributes(it)) && !begins(it, kind))
            next(it);
    }
}

static void expect(parser *it, const char *section, const char *other)
{
    if (it->token == TG_TOKEN_END && it->spec->errors > 0)
        return; /* one missing end is enough */
    if (!is_section(it, section) && !(other && is_section(it, other))) {
        skip(it, section);
        while (it->token != TG_TOKEN_END && !is_section(it, section) && !(other && is_section(it, other)))
            next(it);
    }
    if (it->token != TG_TOKEN_END)
        next(it);
}

void tg_parse(tg_spec *spec)
{
    const block_kind variable = {"variable", NULL, "endvariable", NULL, "a variable",
                                 LIST(TG_ID, TG_COMMENT, TG_SOURCE, TG_TYPE, TG_ACTOR_ID),
                                 LIST(TG_ID, TG_TYPE, TG_ACTOR_ID), NULL};
    const block_kind event = {"event", NULL, "endevent", NULL, "an event",
                              LIST(TG_ID, TG_COMMENT, TG_ACTOR_ID, TG_CONTROLITER, TG_UTILITY, TG_METHOD, TG_CLASS,
                                   TG_PLACE),
                              LIST(TG_ID, TG_ACTOR_ID, TG_CONTROLITER), LIST(TG_ID)};
    const block_kind actor = {"actor", NULL, "endactor", NULL, "an actor",
                              LIST(TG_ID, TG_COMMENT, TG_MIN, TG_MAX, TG_COMPLETION, TG_CLASS, TG_EXE),
                              LIST(TG_ID, TG_MAX, TG_CLASS), ATTRIBUTE};
    const block_kind function = {"function", "func", "endfunction", "endfunc", "a function", LIST(TG_COMMENT, TG_DEF),
                                 LIST(TG_DEF), NULL};
    const block_kind point = {"point", NULL, "endpoint", NULL, "a tuning point",
                              LIST(TG_ID, TG_COMMENT, TG_VALUE, TG_KIND, TG_SYNCFUNCTION, TG_SYNCPLACE, TG_COND, TG_IDX,
                                   TG_REQ, TG_PLACE, TG_MIN, TG_MAX, TG_CURRENT),
                              LIST(TG_ID, TG_VALUE, TG_KIND, TG_CURRENT, TG_MIN, TG_MAX), LIST(TG_ID)};
    parser it = {.spec = spec};
    it.end = it.counted = it.line_begin = text_string(&spec->source);
    it.line = 1;
    next(&it);
    expect(&it, "TUNLET", NULL);
    spec->head.place = (tg_place){1, 1};
    while (it.token == TG_TOKEN_LABEL)
        read_property(&it, &spec->head, LIST(TG_NAME, TG_COMMENT, TG_INCLUDE), "a tunlet");
    need(&it, &spec->head, "a tunlet", LIST(TG_NAME));
    expect(&it, "MEASURE POINTS", NULL);
    expect(&it, "VARIABLES AND VALUES", NULL);
    read_blocks(&it, &spec->variables, &variable);
    expect(&it, "EVENTS", NULL);
    read_blocks(&it, &spec->events, &event);
    expect(&it, "ACTORS", NULL);
    read_blocks(&it, &spec->actors, &actor);
    expect(&it, "ITERATION INFORMATION", NULL);
    read_attributes(&it, &spec->iteration, ATTRIBUTE, "an attribute of iterations");
    expect(&it, "MODEL PARAMETERS", NULL);
    read_attributes(&it, &spec->parameters, ATTRIBUTE, "a parameter");
    expect(&it, "PERFORMANCE FUNCTIONS", "PERFORMANCE FUNCTION");
    read_blocks(&it, &spec->functions, &function);
    expect(&it, "TUNING POINTS", NULL);
    read_blocks(&it, &spec->points, &point);
    expect(&it, "ENDTUNLET", NULL);
    if (it.token != TG_TOKEN_END)
        tg_error(spec, place_of(&it, it.begin), "nothing may follow ENDTUNLET");
    {
        size_t i;
        for (i = 0; i < spec->actors.count; i++)
            need_attributes(&it, &spec->actors.items[i].attributes, "an attribute");
    }
    need_attributes(&it, &spec->iteration, "an attribute of iterations");
    need_attributes(&it, &spec->parameters, "a parameter");
}

static void free_blocks(tg_blocks *blocks)
{
    size_t i;
    for (i = 0; i < blocks->count; i++)
        array_free(&blocks->items[i].attributes);
    array_free(blocks);
}

void tg_free(tg_spec *spec)
{
    tg_blocks *const all[] = {&spec->variables, &spec->events,    &spec->actors, &spec->iteration,
                              &spec->parameters, &spec->functions, &spec->points};
    size_t i;
    for (i = 0; i < sizeof all / sizeof *all; i++)
        free_blocks(all[i]);
    array_free(&spec->order);
    text_free(&spec->source);
}
