/* What was open at the latest checkpoint of an index bears a mark, and its number among all that was open there; when it
 * closes, or changes, the index is told: index_take.h. */
#if PAJESIM_TRAVEL

#define PAJESIM__IS_MARKED(fields) PAJESIM__UNLIKELY((fields) & PAJESIM__MARK)

enum { /* what else there is to know of an end */
    PAJESIM__IS_LOST = 1,     /* a link that never gets its other end */
    PAJESIM__IS_CHANGED = 2,  /* the value of a variable has become another one meanwhile */
    PAJESIM__WAS_IMPLICIT = 4 /* a state's value was not defined yet */
};

/* It closes.  `ref`: of a state its value, of a link the end point that was not known yet; `number`: of a variable. */
PAJESIM__COLD void pajesim__note_end(pajesim *sim, pajesim__line *line, uint32_t ending, pajesim_time time,
                                     pajesim_ref ref, const pajesim_quantity *number);
/* It stays open, or its end is none. */
PAJESIM__COLD void pajesim__note_flag(pajesim *sim, uint32_t ending, uint32_t flag);
#endif
