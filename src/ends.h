/* What was open at a checkpoint of an index bears a mark; when it closes, or changes, the index is told: index.h. */
#if PAJESIM_TRAVEL

#define PAJESIM__IS_MARKED(fields) PAJESIM__UNLIKELY((fields) & PAJESIM__MARK)

/* What is open is named by where it is: a container by its ref; a state and the segment of a variable by container, type
 * and depth; a link by its offset. */
typedef struct pajesim__open {
    pajesim_ref ref, type;
    uint32_t depth;
} pajesim__open;

typedef enum pajesim__fate { PAJESIM__CLOSED, PAJESIM__LOST, PAJESIM__CHANGED } pajesim__fate;

/* `other`: of a link, the end point that was not known yet. */
PAJESIM__COLD void pajesim__note(pajesim *sim, pajesim__line *line, pajesim__open open, pajesim__fate fate,
                                 pajesim_time time, pajesim_ref other);

static pajesim__open pajesim__open_of(pajesim_ref ref, pajesim_ref type, uint32_t depth)
{
    pajesim__open open;
    open.ref = ref;
    open.type = type;
    open.depth = depth;
    return open;
}

/* What closes a state or a variable leaves it to these at once, if that bears a mark, and gets it back without: so it has
 * nothing to remember where there is none. */
static void pajesim__close_state(pajesim *sim, pajesim__line *line, pajesim_ref container, pajesim_ref type,
                                 pajesim__slot *slot, pajesim_time time);
static void pajesim__close_variable(pajesim *sim, pajesim__line *line, pajesim_ref container, pajesim_ref type,
                                    pajesim__slot *slot, pajesim_time time);

PAJESIM__COLD void pajesim__tell_state(pajesim *sim, pajesim__line *line, pajesim_ref container, pajesim_ref type,
                                       pajesim__slot *slot, pajesim_time time)
{
    uint32_t depth = slot->open.stack.depth++;
    pajesim__note(sim, line, pajesim__open_of(container, type, depth), PAJESIM__CLOSED, time, 0);
    PAJESIM__AT(pajesim__frame, slot->open.stack.frames)[depth].fields &= (pajesim__offset)~PAJESIM__MARK;
    pajesim__close_state(sim, line, container, type, slot, time);
}

PAJESIM__COLD void pajesim__tell_variable(pajesim *sim, pajesim__line *line, pajesim_ref container, pajesim_ref type,
                                          pajesim__slot *slot, pajesim_time time)
{
    pajesim__note(sim, line, pajesim__open_of(container, type, 0), PAJESIM__CLOSED, time, 0);
    slot->open.variable.fields &= (pajesim__offset)~PAJESIM__MARK;
    pajesim__close_variable(sim, line, container, type, slot, time);
}
#endif
