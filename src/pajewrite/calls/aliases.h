/* Aliases and numbers of variants, as a context hands them out. */
#pragma once

#include "../core/record.h"

/* What is counted: each by itself, unless config.aliases counts all. */
enum { PAJEWRITE__TYPES, PAJEWRITE__CONTAINERS, PAJEWRITE__VALUES, PAJEWRITE__VARIANTS };

/* The number of a variant is its alias and this, above the numbers of all events of the header. */
#define PAJEWRITE__BEFORE_VARIANTS 39u

/* Returns the alias that is next, unless another context is faster; 0: none is left. */
PAJEWRITE__UNTRACED
static uint32_t pajewrite__peek_alias(const pajewrite *w, int which)
{
    return w->config.aliases ? PAJEWRITE__LOAD(uint32_t, *w->config.aliases) + 1 : w->alias_next[which];
}

/* Takes an alias, within a call.  Returns 0, and refuses the call, if none up to `max` is left. */
PAJEWRITE__UNTRACED
static uint32_t pajewrite__take_alias(pajewrite *w, int which, uint32_t max)
{
    uint32_t alias = pajewrite__peek_alias(w, which), before = alias - 1;
    while (alias && alias <= max && w->config.aliases &&
           !PAJEWRITE__SWAP_IF(uint32_t, *w->config.aliases, &before, alias))
        alias = before + 1;
    if (!alias || alias > max) {
        pajewrite__refuse(w, PAJEWRITE_E_ALIASES);
        return 0;
    }
    if (!w->config.aliases)
        w->alias_next[which] = w->config.alias_step > max - alias ? 0 : alias + w->config.alias_step;
    return alias;
}

/* Takes the number of a variant; 0: none is left. */
PAJEWRITE__UNTRACED
static uint32_t pajewrite__take_variant(pajewrite *w)
{
    const uint32_t alias = pajewrite__take_alias(w, PAJEWRITE__VARIANTS, UINT32_MAX - PAJEWRITE__BEFORE_VARIANTS);
    return alias ? PAJEWRITE__BEFORE_VARIANTS + alias : 0;
}

/* Leaves out the numbers of variants up to one that a table of definitions has. */
PAJEWRITE__UNTRACED
static void pajewrite__pass_variant(pajewrite *w, uint32_t number)
{
    const uint32_t most = UINT32_MAX - PAJEWRITE__BEFORE_VARIANTS; /* none is handed out beyond */
    uint32_t next;
    while ((next = pajewrite__peek_alias(w, PAJEWRITE__VARIANTS)) != 0 && next <= most &&
           PAJEWRITE__BEFORE_VARIANTS + next <= number)
        pajewrite__take_variant(w);
}
