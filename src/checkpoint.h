/* Moving a simulation, and images of it. */

/* What an image begins with. */
typedef struct pajesim__image {
    uint32_t magic;
    uint32_t version;
    uint32_t layout; /* differs where images cannot be exchanged */
    uint32_t size;   /* of what follows */
    uint64_t checksum;
#if PAJESIM_TRAVEL
    uint64_t top; /* of the arena: what follows leaves out zeros */
#endif
} pajesim__image;

#if PAJESIM_TRAVEL
#define PAJESIM__TOP(head) ((head)->top)
#define PAJESIM__NOT_WHOLE PAJESIM_DAMAGED
#else
#define PAJESIM__TOP(head) ((head)->size)
#define PAJESIM__NOT_WHOLE PAJESIM_FOREIGN
#endif

/* Of sizes and places, and of options that are not as by default. */
static uint32_t pajesim__layout(void)
{
    const uint32_t sizes = (uint32_t)sizeof(pajesim__state) << 16 ^ (uint32_t)PAJESIM__BEFORE_CONTAINER_ID << 24 ^
                           (uint32_t)(sizeof(pajesim__container) << 8 | sizeof(pajesim__type));
    const uint32_t numbers = (PAJESIM_TIME_DECIMALS + 1) * 20 + PAJESIM_VALUE_DECIMALS + 1;
    const uint32_t left_out = !PAJESIM_CHECKS + 2 * !PAJESIM_REPAIRS + 4 * !PAJESIM_FILES + 8 * !PAJESIM_FIELDS +
                              16 * !PAJESIM_TRAVEL;
    return sizes ^ (numbers * 32 + left_out) * UINT32_C(0x9E3779B1);
}

static uint64_t pajesim__sum_up(uint64_t sum, uint64_t word)
{
    sum = (sum ^ word) * PAJESIM__MIX1;
    return sum ^ (sum >> 29);
}

/* Every change of one word changes it.  Four sums, which a processor does side by side, become one. */
static uint64_t pajesim__checksum(const unsigned char *bytes, size_t size)
{
    uint64_t a = size, b = 0, c = 0, d = 0;
    size_t i = 0;
    for (; !PAJESIM_SMALL && i + 32 <= size; i += 32) {
        a = pajesim__sum_up(a, pajesim__load64(bytes + i));
        b = pajesim__sum_up(b, pajesim__load64(bytes + i + 8));
        c = pajesim__sum_up(c, pajesim__load64(bytes + i + 16));
        d = pajesim__sum_up(d, pajesim__load64(bytes + i + 24));
    }
    if (!PAJESIM_SMALL)
        a = pajesim__sum_up(pajesim__sum_up(pajesim__sum_up(a, b), c), d);
    for (; i + 8 <= size; i += 8)
        a = pajesim__sum_up(a, pajesim__load64(bytes + i));
    for (; i < size; i++) /* unreached: only on machines where 64-bit integers lie at multiples of 4 bytes */
        a = (a ^ bytes[i]) * UINT64_C(0x100000001B3);
    return a ^ (a >> 32);
}

static pajesim__image pajesim__image_of(uint32_t magic, uint32_t top, const unsigned char *bytes, size_t size)
{
    pajesim__image head;
    head.magic = magic;
    head.version = PAJESIM_VERSION;
    head.layout = pajesim__layout();
    head.size = (uint32_t)size;
    head.checksum = pajesim__checksum(bytes, size);
#if PAJESIM_TRAVEL
    head.top = top;
    head.checksum += head.top;
#else
    (void)top;
#endif
    return head;
}

/* `size` is that of the head, too. */
static pajesim_status pajesim__check_image(uint32_t magic, const pajesim__image *head, const unsigned char *bytes,
                                           size_t size)
{
    uint64_t checksum = head->checksum;
    if (head->magic != magic || head->version != PAJESIM_VERSION || head->layout != pajesim__layout())
        return PAJESIM_FOREIGN;
#if PAJESIM_TRAVEL
    checksum -= head->top;
#endif
    return PAJESIM__TOP(head) >= sizeof(pajesim__state) && head->size == size - sizeof *head &&
                   checksum == pajesim__checksum(bytes, (size_t)head->size)
               ? PAJESIM_OK
               : PAJESIM__NOT_WHOLE;
}

/* ---- what is not alive is zero, and words of zeros are left out ---- */

#if PAJESIM_TRAVEL
/* Clears the free blocks, but for where they lead, and the states that were popped. */
static void pajesim__scrub(const pajesim *sim)
{
    pajesim_ref ref;
    uint32_t size_class;
    for (ref = PAJESIM__CONST_STATE->root; ref; ref = pajesim__next_container(sim, ref)) {
        const pajesim__container *container = PAJESIM__CONTAINER_AT(ref);
        const pajesim__slot *slots = PAJESIM__AT(const pajesim__slot, container->slots);
        pajesim_ref type = container->slot_count ? PAJESIM__TYPE_AT(container->was)->tree.first : 0;
        for (; type; type = PAJESIM__TYPE_AT(type)->tree.next)
            if (PAJESIM__THING(type)->kind == PAJESIM_STATE && PAJESIM__TYPE_AT(type)->slot < container->slot_count) {
                const pajesim__slot *slot = &slots[PAJESIM__TYPE_AT(type)->slot];
                memset(PAJESIM__AT(pajesim__frame, slot->open.stack.frames) + slot->open.stack.depth, 0,
                       (slot->open.stack.room - slot->open.stack.depth) * sizeof(pajesim__frame));
            }
    }
    for (size_class = 0; size_class < PAJESIM__CLASSES; size_class++) {
        size_t size = (size_t)pajesim__class_size(size_class);
        pajesim__offset offset = PAJESIM__CONST_STATE->free_list[size_class];
        while (offset) {
            memset(PAJESIM__BYTES(offset) + sizeof offset, 0, size - sizeof offset);
            memcpy(&offset, PAJESIM__BYTES(offset), sizeof offset);
        }
    }
}

/* A stretch of zeros, then one of other words, of 8 bytes each, and perhaps single zeros between them; what is left of the
 * last word comes at the end. */
typedef struct pajesim__stretch {
    uint32_t zeros, others;
} pajesim__stretch;

/* Answers the size; `to` may be NULL. */
static size_t pajesim__pack(const pajesim *sim, unsigned char *to)
{
    const unsigned char *from = sim->arena, *end = from + (PAJESIM__CONST_STATE->top & ~UINT32_C(7)), *begin;
    size_t rest = PAJESIM__CONST_STATE->top & 7, packed = 0;
    pajesim__stretch stretch;
    pajesim__scrub(sim);
    while (from < end) {
        uint64_t word;
        for (begin = from; from < end && !pajesim__load64(from); from += 8) {
        }
        stretch.zeros = (uint32_t)((size_t)(from - begin) / 8);
        packed += sizeof stretch;
        for (begin = from; from < end; from += 8, packed += 8) {
            word = pajesim__load64(from);
            if (!word && (end - from == 8 || !pajesim__load64(from + 8)))
                break;
            if (to)
                memcpy(to + packed, &word, sizeof word);
        }
        stretch.others = (uint32_t)((size_t)(from - begin) / 8);
        if (to)
            memcpy(to + packed - (from - begin) - sizeof stretch, &stretch, sizeof stretch);
    }
    if (to)
        memcpy(to + packed, from, rest);
    return packed + rest;
}

/* Answers 0 if that is not what was packed. */
static int pajesim__unpack(const unsigned char *from, size_t packed, unsigned char *to, size_t size)
{
    size_t words = size / 8, i = 0;
    pajesim__stretch stretch;
    while (i < words) {
        if (packed < sizeof stretch)
            return 0;
        memcpy(&stretch, from, sizeof stretch);
        from += sizeof stretch;
        packed -= sizeof stretch;
        if (stretch.zeros > words - i || stretch.others > words - i - stretch.zeros || stretch.others > packed / 8 ||
            stretch.zeros + stretch.others == 0)
            return 0;
        memset(to + 8 * i, 0, 8 * (size_t)stretch.zeros);
        i += stretch.zeros;
        memcpy(to + 8 * i, from, 8 * (size_t)stretch.others);
        i += stretch.others;
        from += 8 * (size_t)stretch.others;
        packed -= 8 * (size_t)stretch.others;
    }
    if (packed != size % 8)
        return 0;
    memcpy(to + 8 * words, from, packed);
    return 1;
}
#else
static size_t pajesim__pack(const pajesim *sim, unsigned char *to)
{
    if (to)
        memcpy(to, sim->arena, (size_t)PAJESIM__CONST_STATE->top);
    return (size_t)PAJESIM__CONST_STATE->top;
}

static int pajesim__unpack(const unsigned char *from, size_t packed, unsigned char *to, size_t size)
{
    (void)packed;
    memcpy(to, from, size);
    return 1;
}
#endif

PAJESIM_API pajesim_status pajesim_move(pajesim *sim, void *arena, size_t capacity)
{
    if (!sim || !arena || !pajesim__is_aligned(arena))
        return PAJESIM_MISUSE;
    if (sim->busy)
        return PAJESIM_BUSY;
    if (capacity < PAJESIM__STATE->top) {
        sim->needed = PAJESIM__STATE->top;
        return PAJESIM_FULL;
    }
    if (arena != sim->arena)
        memcpy(arena, sim->arena, (size_t)PAJESIM__STATE->top);
    sim->arena = (unsigned char *)arena;
    sim->capacity = PAJESIM__MIN(capacity, (size_t)PAJESIM__CAPACITY_MAX);
    return PAJESIM_OK;
}

PAJESIM_API size_t pajesim_image_size(const pajesim *sim)
{
    return sizeof(pajesim__image) + pajesim__pack(sim, NULL);
}

/* What it takes at most when it is packed: stretches begin with two zeros, but the first, and the last. */
static size_t pajesim__most_packed(const pajesim *sim)
{
    return (size_t)PAJESIM__CONST_STATE->top + 16;
}

PAJESIM_API pajesim_status pajesim_save(const pajesim *sim, void *image, size_t size)
{
    unsigned char *bytes;
    pajesim__image head;
    size_t packed;
    if (!sim || !image)
        return PAJESIM_MISUSE;
    if (sim->busy)
        return PAJESIM_BUSY;
    if (size < sizeof head + pajesim__most_packed(sim) && size < pajesim_image_size(sim))
        return PAJESIM_FULL;
    bytes = (unsigned char *)image + sizeof head;
    packed = pajesim__pack(sim, bytes);
    head = pajesim__image_of(PAJESIM__MAGIC, PAJESIM__CONST_STATE->top, bytes, packed);
    memcpy(image, &head, sizeof head);
    return PAJESIM_OK;
}

/* Begins a simulation with what was packed. */
static pajesim_status pajesim__begin_again(pajesim *sim, void *arena, size_t capacity, const unsigned char *bytes,
                                           size_t packed, pajesim__size top, const pajesim_callbacks *callbacks,
                                           void *data)
{
    pajesim__adopt_host(sim, arena, capacity, callbacks, data);
    sim->needed = top;
    if (sim->capacity < top)
        return PAJESIM_FULL;
    return pajesim__unpack(bytes, packed, (unsigned char *)arena, (size_t)top) ? PAJESIM_OK : PAJESIM_DAMAGED;
}

PAJESIM_API pajesim_status pajesim_restore(pajesim *sim, void *arena, size_t capacity, const void *image, size_t size,
                                           const pajesim_callbacks *callbacks, void *data)
{
    pajesim__image head;
    const unsigned char *bytes;
    pajesim_status status;
    if (!sim || !arena || !pajesim__is_aligned(arena) || !image)
        return PAJESIM_MISUSE;
    if (size < sizeof head)
        return PAJESIM_FOREIGN;
    memcpy(&head, image, sizeof head);
    bytes = (const unsigned char *)image + sizeof head;
    status = pajesim__check_image(PAJESIM__MAGIC, &head, bytes, size);
    if (status != PAJESIM_OK)
        return status;
    return pajesim__begin_again(sim, arena, capacity, bytes, (size_t)head.size, (pajesim__size)PAJESIM__TOP(&head),
                                callbacks, data);
}
