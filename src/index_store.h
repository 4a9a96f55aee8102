/* The block of an index: checkpoints of a trace, and when what was open at them closed.
 *
 * It begins with the head of an image, so that it is what is saved.  Behind its directory of checkpoints come blocks one
 * after the other; when the last has been taken, what is still in use is moved together.  A checkpoint has an image, and
 * for each thing that is open there, in the order in which pajesim__walk_on comes to them, an ending.  The endings of a
 * thing that is open at several checkpoints are chained, the latest one first; when it closes all of them are filled in. */
#if PAJESIM_TRAVEL

#define PAJESIM__INDEX_MAGIC UINT32_C(0x50414A49)

typedef struct pajesim__ending {
    pajesim_time time;
    uint32_t order;          /* of completion; 0: it is still open */
    uint32_t earlier;        /* at the checkpoint before, + 1; 0: it was not open there */
    pajesim__offset closing; /* 0: there is nothing more to know */
    uint32_t flags;          /* ends.h */
} pajesim__ending;

/* What an image of an earlier time cannot know of an end. */
typedef struct pajesim__closing {
    pajesim_quantity number; /* of a variable */
    uint32_t bearers;        /* endings */
    uint32_t serial;         /* of a link's other end */
    uint32_t fields;         /* size of the user fields, which follow; behind them */
    uint32_t value;          /* come the name of a value that is defined by now, */
    uint32_t alias, name;    /* and of that other end what it is called */
} pajesim__closing;

typedef struct pajesim__checkpoint {
    uint64_t offset, events;
    pajesim_time greatest; /* before it */
    pajesim_time least;    /* from it to the next one */
    pajesim__offset image, endings;
    uint32_t image_size, count, top;
    uint32_t ended; /* the last line, which has no line end, is done */
} pajesim__checkpoint;

typedef struct pajesim__index {
    uint32_t top;  /* nothing lies beyond it, */
    uint32_t dead; /* and so much below it is not in use any more */
    pajesim__offset directory;
    uint32_t count, room;
    uint32_t order; /* of the last end */
    uint32_t complete;
    uint32_t ended;         /* the last line, which has no line end, is done */
    uint32_t automatic;     /* checkpoints are as far apart as their size suggests */
    uint64_t bytes, events; /* between checkpoints */
    struct {
        uint64_t bytes, events; /* of the trace, when there was no room for one */
    } failed;
    uint64_t label[4];
} pajesim__index;

/* Before each block. */
typedef struct pajesim__block_head {
    uint32_t size;   /* of both */
    uint32_t in_use; /* 0: no; while blocks are moved, where it goes */
} pajesim__block_head;

#define PAJESIM__STORED(type, offset) ((type *)(void *)(index->memory + (offset)))
#define PAJESIM__INDEX PAJESIM__STORED(pajesim__index, sizeof(pajesim__image))
#define PAJESIM__CHECKPOINT(number) (PAJESIM__STORED(pajesim__checkpoint, PAJESIM__INDEX->directory) + (number))
#define PAJESIM__LATEST (PAJESIM__INDEX->count - 1)
#define PAJESIM__ENDINGS(number) PAJESIM__STORED(pajesim__ending, PAJESIM__CHECKPOINT(number)->endings)

static pajesim__offset pajesim__first_block(void)
{
    return (pajesim__offset)(sizeof(pajesim__image) + sizeof(pajesim__index));
}

static size_t pajesim__block_size(size_t size)
{
    return (sizeof(pajesim__block_head) + size + 7) & ~(size_t)7;
}

static pajesim__block_head *pajesim__head_of(const pajesim_index *index, pajesim__offset offset)
{
    return PAJESIM__STORED(pajesim__block_head, offset) - 1;
}

/* Gives a block back. */
static void pajesim__store_give(pajesim_index *index, pajesim__offset offset)
{
    pajesim__block_head *head;
    if (!offset)
        return;
    head = pajesim__head_of(index, offset);
    head->in_use = 0;
    PAJESIM__INDEX->dead += head->size;
}

/* Where a block goes. */
static pajesim__offset pajesim__moved(const pajesim_index *index, pajesim__offset offset)
{
    return offset ? pajesim__head_of(index, offset)->in_use : 0;
}

/* Moves what is in use together. */
static void pajesim__compact(pajesim_index *index)
{
    pajesim__index *it = PAJESIM__INDEX;
    uint32_t at, to = pajesim__first_block(), size, number, i;
    for (at = to; at < it->top; at += size) {
        pajesim__block_head *head = PAJESIM__STORED(pajesim__block_head, at);
        size = head->size;
        if (head->in_use) {
            head->in_use = to + (uint32_t)sizeof *head;
            to += size;
        }
    }
    for (number = 0; number < it->count; number++) {
        pajesim__checkpoint *checkpoint = PAJESIM__CHECKPOINT(number);
        pajesim__ending *endings = PAJESIM__ENDINGS(number);
        for (i = 0; i < checkpoint->count; i++)
            endings[i].closing = pajesim__moved(index, endings[i].closing);
        checkpoint->image = pajesim__moved(index, checkpoint->image);
        checkpoint->endings = pajesim__moved(index, checkpoint->endings);
    }
    it->directory = pajesim__moved(index, it->directory);
    for (at = pajesim__first_block(); at < it->top; at += size) {
        const pajesim__block_head *head = PAJESIM__STORED(const pajesim__block_head, at);
        size = head->size;
        if (head->in_use)
            memmove(index->memory + head->in_use - sizeof *head, head, size);
    }
    it->top = to;
    it->dead = 0;
}

static void pajesim__release_closing(pajesim_index *index, pajesim__offset offset)
{
    if (offset && --PAJESIM__STORED(pajesim__closing, offset)->bearers == 0)
        pajesim__store_give(index, offset);
}

/* A checkpoint goes: the one behind it takes over its chains and what it knows of times. */
static void pajesim__drop_checkpoint(pajesim_index *index, uint32_t number)
{
    pajesim__index *it = PAJESIM__INDEX;
    pajesim__checkpoint *gone = PAJESIM__CHECKPOINT(number);
    const pajesim__ending *endings = PAJESIM__ENDINGS(number);
    uint32_t i;
    if (number < PAJESIM__LATEST) {
        pajesim__ending *later = PAJESIM__ENDINGS(number + 1);
        for (i = 0; i < gone[1].count; i++)
            if (later[i].earlier)
                later[i].earlier = endings[later[i].earlier - 1].earlier;
    }
    if (number && gone->least < gone[-1].least)
        gone[-1].least = gone->least;
    for (i = 0; i < gone->count; i++)
        pajesim__release_closing(index, endings[i].closing);
    pajesim__store_give(index, gone->endings);
    pajesim__store_give(index, gone->image);
    it->count--;
    memmove(gone, gone + 1, (it->count - number) * sizeof *gone);
}

/* Every other checkpoint goes, never the first, nor the latest one but when there is no other.  Answers 0 if there is
 * nothing left that could go. */
static int pajesim__thin(pajesim_index *index)
{
    pajesim__index *it = PAJESIM__INDEX;
    uint32_t number = it->count;
    if (number <= 1)
        return 0;
    if (number == 2) {
        pajesim__drop_checkpoint(index, 1);
        return 1;
    }
    it->bytes *= 2;
    it->events *= 2;
    while (number > 2) {
        number -= 2;
        pajesim__drop_checkpoint(index, number);
    }
    return 1;
}

/* A block of the index, for which checkpoints go and blocks move if need be; 0: there is no room for it. */
static pajesim__offset pajesim__store_take(pajesim_index *index, size_t size)
{
    pajesim__index *it = PAJESIM__INDEX;
    size_t whole = pajesim__block_size(size);
    pajesim__block_head *head;
    while (index->capacity - it->top < whole) {
        int worth = it->dead >= whole && it->dead >= it->top / 4;
        if (!worth && pajesim__thin(index))
            continue;
        if (!it->dead)
            return 0;
        pajesim__compact(index);
    }
    head = PAJESIM__STORED(pajesim__block_head, it->top);
    memset((char *)(head + 1) + size, 0, whole - sizeof *head - size); /* it is saved, too */
    head->size = (uint32_t)whole;
    head->in_use = 1;
    it->top += head->size;
    return it->top - head->size + (pajesim__offset)sizeof *head;
}
#endif /* PAJESIM_TRAVEL */
