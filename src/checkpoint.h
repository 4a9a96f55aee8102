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

/* Of sizes, and of options that are not as by default. */
static uint32_t pajesim__layout(void)
{
    const uint32_t sizes =
        (uint32_t)sizeof(pajesim__state) << 16 | (uint32_t)(sizeof(pajesim__container) << 8 | sizeof(pajesim__type));
    const uint32_t numbers = (PAJESIM_TIME_DECIMALS + 1) * 20 + PAJESIM_VALUE_DECIMALS + 1;
    const uint32_t left_out = !PAJESIM_CHECKS + 2 * !PAJESIM_REPAIRS + 4 * !PAJESIM_FILES + 8 * !PAJESIM_FIELDS +
                              16 * !PAJESIM_TRAVEL;
    return sizes ^ (numbers * 32 + left_out) * UINT32_C(0x9E3779B1);
}

/* Every change of one word changes it. */
static uint64_t pajesim__checksum(const unsigned char *bytes, size_t size)
{
    uint64_t sum = size;
    size_t i;
    for (i = 0; i + 8 <= size; i += 8) {
        sum = (sum ^ pajesim__load64(bytes + i)) * PAJESIM__MIX1;
        sum ^= sum >> 29;
    }
    for (; i < size; i++)
        sum = (sum ^ bytes[i]) * UINT64_C(0x100000001B3);
    return sum ^ (sum >> 32);
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

/* What an image takes at most. */
#define PAJESIM__MOST_PACKED(top) (2 * (size_t)(top) + 64)

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
                if (slot->open.stack.room > slot->open.stack.depth)
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

/* A stretch of zeros, then one of other words, of 8 bytes each; what is left of the last word comes at the end. */
typedef struct pajesim__stretch {
    uint32_t zeros, others;
} pajesim__stretch;

/* Answers the size; `to` may be NULL. */
static size_t pajesim__pack(const pajesim *sim, unsigned char *to)
{
    const unsigned char *from = sim->arena;
    size_t size = (size_t)PAJESIM__CONST_STATE->top, words = size / 8, i = 0, begin, packed = 0;
    pajesim__stretch stretch;
    pajesim__scrub(sim);
    while (i < words) {
        for (begin = i; i < words && !pajesim__load64(from + 8 * i); i++) {
        }
        stretch.zeros = (uint32_t)(i - begin);
        for (begin = i; i < words && (pajesim__load64(from + 8 * i) || (i + 1 < words && pajesim__load64(from + 8 * i + 8)));
             i++) {
        }
        stretch.others = (uint32_t)(i - begin);
        if (to) {
            memcpy(to + packed, &stretch, sizeof stretch);
            memcpy(to + packed + sizeof stretch, from + 8 * begin, 8 * (i - begin));
        }
        packed += sizeof stretch + 8 * (i - begin);
    }
    if (to)
        memcpy(to + packed, from + 8 * words, size % 8);
    return packed + size % 8;
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

PAJESIM_API pajesim_status pajesim_save(const pajesim *sim, void *image, size_t size)
{
    pajesim__image head;
    unsigned char *bytes;
    size_t packed;
    if (!sim || !image)
        return PAJESIM_MISUSE;
    if (sim->busy)
        return PAJESIM_BUSY;
    if (!PAJESIM_TRAVEL || size < PAJESIM__MOST_PACKED(PAJESIM__CONST_STATE->top)) { /* else it fits for sure */
        packed = pajesim__pack(sim, NULL);
        if (size < sizeof head + packed)
            return PAJESIM_FULL;
    }
    bytes = (unsigned char *)image + sizeof head;
    packed = pajesim__pack(sim, bytes);
    head = pajesim__image_of(PAJESIM__MAGIC, PAJESIM__CONST_STATE->top, bytes, packed);
    memcpy(image, &head, sizeof head);
    return PAJESIM_OK;
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
    pajesim__adopt_host(sim, arena, capacity, callbacks, data);
    sim->needed = (pajesim__size)PAJESIM__TOP(&head);
    if (sim->capacity < sim->needed)
        return PAJESIM_FULL;
    return pajesim__unpack(bytes, (size_t)head.size, (unsigned char *)arena, (size_t)sim->needed) ? PAJESIM_OK
                                                                                                  : PAJESIM_DAMAGED;
}
