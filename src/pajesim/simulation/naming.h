/* Naming: the identifier, name and colour of a type, value or container, from the line to the record. */
#pragma once

#include "../model/commit.h"
#include "../model/resolve.h"

/* The identifier, name and colour that a line gives, and the blocks reserved for them. */
typedef struct pajesim__naming {
    pajesim__key id;
    uint32_t id_word, name_word, color_word; /* 0: none; name_word 0: the name is the identifier */
    pajesim__offset id_bytes;
    pajesim__table_reservation entry;
    pajesim__text name, color;
} pajesim__naming;

/* Whether the bytes are 3 or 4 numbers between blanks or commas, or RRGGBB in hex (section "Header"). */
static int pajesim__is_color(const unsigned char *bytes, uint32_t size)
{
    uint32_t begin, end, numbers = 0, digits = 0;
    pajesim_quantity number;
    for (begin = 0; begin < size; begin++)
        digits += (bytes[begin] >= '0' && bytes[begin] <= '9') || (bytes[begin] >= 'a' && bytes[begin] <= 'f') ||
                  (bytes[begin] >= 'A' && bytes[begin] <= 'F');
    if (size == 6 && digits == 6)
        return 1;
    for (begin = 0; begin < size; begin = end + 1) {
        for (end = begin; end < size && bytes[end] != ' ' && bytes[end] != '\t' && bytes[end] != ','; end++) {
        }
        if (end > begin) {
            if (!pajesim__read_quantity(bytes, bytes + begin, end - begin, &number))
                return 0;
            numbers++;
        }
    }
    return numbers == 3 || numbers == 4;
}

/* Returns 0 if the colour is invalid, after reporting it.  An empty colour is valid: there is none. */
static int pajesim__color_at(pajesim *sim, pajesim__line *line, uint32_t word)
{
    return !PAJESIM_CHECKS || !word || !PAJESIM__SIZE(line, word) ||
           pajesim__is_color(PAJESIM__WORD(line, word), PAJESIM__SIZE(line, word)) ||
           !pajesim__diagnose(sim, line, PAJESIM_E_COLOR, word);
}

static pajesim__naming pajesim__read_naming(pajesim *sim, pajesim__line *line, const pajesim__definition *definition)
{
    pajesim__naming names;
    memset(&names, 0, sizeof names);
    names.name_word = PAJESIM__FIELD(definition, PAJESIM_NAME);
    names.id_word = PAJESIM__FIELD(definition, PAJESIM_ALIAS);
    names.color_word = PAJESIM__FIELD(definition, PAJESIM_COLOR);
    if (!names.id_word || !PAJESIM__SIZE(line, names.id_word)) /* some emitters write "" for no alias */
        names.id_word = names.name_word;
    names.id = pajesim__key_at(line, names.id_word);
    if (PAJESIM__SIZE(line, names.id_word) == PAJESIM__SIZE(line, names.name_word) &&
        memcmp(PAJESIM__WORD(line, names.id_word), PAJESIM__WORD(line, names.name_word), (size_t)names.id.size) == 0)
        names.name_word = 0;
    if (PAJESIM_CHECKS && pajesim__word_is(line, names.id_word, PAJESIM__LITERAL("(null)")))
        pajesim__diagnose(sim, line, PAJESIM_E_ALIAS_NULL, names.id_word);
    return names;
}

static void pajesim__reserve_display_name(pajesim *sim, pajesim__naming *names, const pajesim__line *line)
{
    if (names->name_word)
        names->name = pajesim__alloc_text(sim, PAJESIM__SIZE(line, names->name_word));
    if (PAJESIM_FIELDS && names->color_word)
        names->color = pajesim__alloc_text(sim, PAJESIM__SIZE(line, names->color_word));
}

static void pajesim__store_display_name(pajesim *sim, const pajesim__naming *names, const pajesim__line *line,
                                        pajesim_ref ref)
{
    PAJESIM__RECORD(sim, ref)->name = names->name;
    PAJESIM__RECORD(sim, ref)->color = names->color;
    if (names->name)
        pajesim__write_text(sim, names->name, PAJESIM__WORD(line, names->name_word),
                            PAJESIM__SIZE(line, names->name_word));
    if (PAJESIM_FIELDS && names->color)
        pajesim__write_text(sim, names->color, PAJESIM__WORD(line, names->color_word),
                            PAJESIM__SIZE(line, names->color_word));
}

static void pajesim__reserve_naming(pajesim *sim, pajesim__naming *names, const pajesim__line *line,
                                    const pajesim__table *table, uint32_t scope)
{
    names->id_bytes = pajesim__alloc_id(sim, &names->id);
    pajesim__reserve_display_name(sim, names, line);
    names->entry = pajesim__table_reserve(sim, table, pajesim__hash(&names->id, scope, 0));
}

static void pajesim__store_naming(pajesim *sim, const pajesim__naming *names, const pajesim__line *line,
                                  pajesim__table *table, pajesim_ref ref, uint32_t scope)
{
    pajesim__init_id(sim, &PAJESIM__RECORD(sim, ref)->id, &names->id, names->id_bytes, scope, 0);
    pajesim__store_display_name(sim, names, line, ref);
    pajesim__table_insert(sim, table, &names->entry, ref);
}
