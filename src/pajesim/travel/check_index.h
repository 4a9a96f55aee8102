/* Whether an index that was loaded is sound: its blocks, and what refers to them.  Its images are checked when they are
 * restored. */
#pragma once

#include "index_records.h"

#if PAJESIM_TRAVEL

#define PAJESIM__MARKS UINT32_C(0x4E4F574E) /* the first of some, of which a forger may have used each */
#define PAJESIM__MARK_COUNT 8u

typedef struct pajesim__check_index {
    const pajesim_index *index;
    uint32_t mark;  /* what pajesim__block_head.in_use is of blocks that are not owned yet: each is owned once */
    uint32_t owned; /* number of blocks */
    int sound;
} pajesim__check_index;

static int pajesim__index_holds(pajesim__check_index *check, int holds)
{
    check->sound &= holds != 0;
    return holds;
}

/* Returns a mark that the index has nowhere yet, so that nothing within a block is taken for one; 0: there is none. */
static uint32_t pajesim__unused_mark(const pajesim_index *index)
{
    const uint32_t top = PAJESIM__INDEX->top;
    uint32_t mark, at;
    for (mark = PAJESIM__MARKS; mark < PAJESIM__MARKS + PAJESIM__MARK_COUNT; mark++) {
        for (at = pajesim__first_block(); top - at >= sizeof(pajesim__block_head); at += 8)
            if (PAJESIM__STORED(const pajesim__block_head, at)->in_use == mark)
                break;
        if (top - at < sizeof(pajesim__block_head))
            return mark;
    }
    return 0;
}

/* Goes through the blocks, whose sizes must fill the index.  Marks those in use, and returns how many. */
static uint32_t pajesim__mark_blocks(pajesim__check_index *check)
{
    const pajesim_index *index = check->index;
    const uint32_t top = PAJESIM__INDEX->top;
    uint32_t at, dead = 0, count = 0;
    for (at = pajesim__first_block(); at < top;) {
        pajesim__block_head *head = PAJESIM__STORED(pajesim__block_head, at);
        if (!pajesim__index_holds(check, top - at >= sizeof *head && head->size >= sizeof *head &&
                                             head->size % 8 == 0 && head->size <= top - at))
            return 0;
        if (head->in_use)
            head->in_use = check->mark;
        else
            dead += head->size;
        count += head->in_use != 0;
        at += head->size;
    }
    pajesim__index_holds(check, at == top && dead == PAJESIM__INDEX->dead);
    return count;
}

/* Owns the block at `offset`, which has room for `size` bytes. */
static int pajesim__own(pajesim__check_index *check, uint32_t offset, uint64_t size)
{
    const pajesim_index *index = check->index;
    pajesim__block_head *head;
    if (!pajesim__index_holds(check, offset >= pajesim__first_block() + sizeof *head && offset % 8 == 0 &&
                                         offset <= PAJESIM__INDEX->top && size <= PAJESIM__INDEX->top - offset))
        return 0;
    head = pajesim__head_of(index, offset);
    if (!pajesim__index_holds(check, head->in_use == check->mark && head->size - sizeof *head >= size))
        return 0;
    head->in_use = 1;
    check->owned++;
    return 1;
}

static void pajesim__check_far_records(pajesim__check_index *check, const unsigned char *at, uint32_t left)
{
    while (left && check->sound) {
        const pajesim__far_record *far = pajesim__far_at(at);
        if (!pajesim__index_holds(check, left >= sizeof *far && far->size >= sizeof *far && far->size <= left &&
                                             far->size % 8 == 0) ||
            !pajesim__index_holds(check, (uint64_t)far->alias + far->name + far->color <= far->size - sizeof *far &&
                                             far->tag >= PAJESIM__TYPE && far->tag <= PAJESIM__CONTAINER &&
                                             far->kind >= PAJESIM_CONTAINER && far->kind <= PAJESIM_LINK))
            return;
        at += far->size;
        left -= far->size;
    }
}

static void pajesim__check_named_fields(pajesim__check_index *check, const unsigned char *at, uint32_t size)
{
    const pajesim__named_fields *own = (const pajesim__named_fields *)(const void *)at;
    const pajesim__length *spans = (const pajesim__length *)(const void *)(own + 1);
    uint32_t i;
    if (!size || !pajesim__index_holds(check, size >= sizeof *own) ||
        !pajesim__index_holds(check, sizeof *own + own->count * (uint64_t)PAJESIM__NAMED_SPANS + own->size <= size))
        return;
    for (i = 0; i < own->count; i++, spans += 5)
        pajesim__index_holds(check, (uint64_t)spans[0] + spans[1] <= own->size &&
                                        (uint64_t)spans[2] + spans[3] <= own->size &&
                                        (spans[4] & 0xff) < PAJESIM_ROLE_COUNT &&
                                        spans[4] >> 8 <= PAJESIM_FIELD_COLOR);
}

static void pajesim__check_details(pajesim__check_index *check, pajesim__offset offset)
{
    const pajesim_index *index = check->index;
    const pajesim__end_details *details = PAJESIM__STORED(const pajesim__end_details, offset);
    const unsigned char *records = (const unsigned char *)(details + 1);
    if (!pajesim__own(check, offset, sizeof *details) ||
        !pajesim__index_holds(check, details->records % 8 == 0 &&
                                         sizeof *details + (uint64_t)details->records + details->fields <=
                                             pajesim__head_of(index, offset)->size - sizeof(pajesim__block_head)))
        return;
    pajesim__check_far_records(check, records, details->records);
    pajesim__check_named_fields(check, records + details->records, details->fields);
}

/* Checks an end record; `before`: the end records of the checkpoint before. */
static void pajesim__check_end(pajesim__check_index *check, const pajesim__end_record *end,
                               const pajesim__end_record *before, uint32_t before_count)
{
    const pajesim_index *index = check->index;
    if (!pajesim__index_holds(check, end->earlier <= before_count && (end->order || !end->details)))
        return;
    if (!end->earlier && end->details)
        pajesim__check_details(check, end->details);
    else if (end->earlier)
        pajesim__index_holds(check, end->details == before[end->earlier - 1].details);
    if (check->sound && end->details) /* as many more may be released as there are records */
        pajesim__index_holds(check, PAJESIM__STORED(pajesim__end_details, end->details)->refs-- > 0);
}

static void pajesim__check_checkpoint(pajesim__check_index *check, uint32_t number)
{
    const pajesim_index *index = check->index;
    const pajesim__checkpoint *checkpoint = PAJESIM__CHECKPOINT(number), *before = checkpoint - (number > 0);
    const pajesim__end_record *end_records = PAJESIM__END_RECORDS(number);
    uint32_t i;
    if (!pajesim__own(check, checkpoint->end_records, checkpoint->count * (uint64_t)sizeof *end_records) ||
        !pajesim__own(check, checkpoint->image, checkpoint->image_size) ||
        !pajesim__index_holds(check, checkpoint->top >= sizeof(pajesim__state) &&
                                         before->offset <= checkpoint->offset &&
                                         (!checkpoint->ended || (number && number == PAJESIM__LATEST))))
        return;
    for (i = 0; i < checkpoint->count && check->sound; i++)
        pajesim__check_end(check, &end_records[i], number ? PAJESIM__END_RECORDS(number - 1) : NULL,
                           number ? before->count : 0);
}

/* Adds to the details again what was taken. */
static void pajesim__restore_refs(const pajesim_index *index)
{
    uint32_t number, i;
    for (number = 0; number < PAJESIM__INDEX->count; number++)
        for (i = 0; i < PAJESIM__CHECKPOINT(number)->count; i++)
            if (PAJESIM__END_RECORDS(number)[i].details)
                PAJESIM__STORED(pajesim__end_details, PAJESIM__END_RECORDS(number)[i].details)->refs++;
}

static int pajesim__index_is_sound(const pajesim_index *index, size_t size)
{
    const pajesim__index *store = PAJESIM__INDEX;
    pajesim__check_index check;
    uint32_t number, blocks;
    check.index = index;
    check.owned = 0;
    check.sound = size >= pajesim__first_block() && store->top == size && store->count <= store->capacity &&
                  (store->capacity || !store->directory) && store->complete <= 1 && store->ended <= 1;
    check.mark = check.sound ? pajesim__unused_mark(index) : 0;
    blocks = pajesim__index_holds(&check, check.mark != 0) ? pajesim__mark_blocks(&check) : 0;
    if (check.sound && store->capacity)
        pajesim__own(&check, store->directory, store->capacity * (uint64_t)sizeof(pajesim__checkpoint));
    for (number = 0; number < store->count && check.sound; number++)
        pajesim__check_checkpoint(&check, number);
    if (!check.sound || check.owned != blocks)
        return 0;
    pajesim__restore_refs(index);
    return 1;
}
#endif /* PAJESIM_TRAVEL */
