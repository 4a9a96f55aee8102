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
#endif
