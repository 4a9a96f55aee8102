/* Moving a simulation, and images of it. */

/* What an image begins with. */
typedef struct pajesim__image {
    uint32_t magic;
    uint32_t version;
    uint32_t layout; /* differs where images cannot be exchanged */
    uint32_t size;   /* of what follows */
    uint64_t checksum;
} pajesim__image;

/* Of sizes, and of options that are not as by default. */
static uint32_t pajesim__layout(void)
{
    const uint32_t sizes =
        (uint32_t)sizeof(pajesim__state) << 16 | (uint32_t)(sizeof(pajesim__container) << 8 | sizeof(pajesim__type));
    const uint32_t numbers = (PAJESIM_TIME_DECIMALS + 1) * 20 + PAJESIM_VALUE_DECIMALS + 1;
    const uint32_t left_out = !PAJESIM_CHECKS + 2 * !PAJESIM_REPAIRS + 4 * !PAJESIM_FILES + 8 * !PAJESIM_FIELDS;
    return sizes ^ (numbers * 16 + left_out) * UINT32_C(0x9E3779B1);
}

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
    return sizeof(pajesim__image) + (size_t)PAJESIM__CONST_STATE->top;
}

PAJESIM_API pajesim_status pajesim_save(const pajesim *sim, void *image, size_t size)
{
    pajesim__image head;
    if (!sim || !image)
        return PAJESIM_MISUSE;
    if (sim->busy)
        return PAJESIM_BUSY;
    if (size < pajesim_image_size(sim))
        return PAJESIM_FULL;
    head.magic = PAJESIM__MAGIC;
    head.version = PAJESIM_VERSION;
    head.layout = pajesim__layout();
    head.size = PAJESIM__CONST_STATE->top;
    head.checksum = pajesim__checksum(sim->arena, (size_t)head.size);
    memcpy(image, &head, sizeof head);
    memcpy((unsigned char *)image + sizeof head, sim->arena, (size_t)head.size);
    return PAJESIM_OK;
}

PAJESIM_API pajesim_status pajesim_restore(pajesim *sim, void *arena, size_t capacity, const void *image, size_t size,
                                           const pajesim_callbacks *callbacks, void *data)
{
    pajesim__image head;
    const unsigned char *bytes;
    if (!sim || !arena || !pajesim__is_aligned(arena) || !image)
        return PAJESIM_MISUSE;
    if (size < sizeof head)
        return PAJESIM_FOREIGN;
    memcpy(&head, image, sizeof head);
    bytes = (const unsigned char *)image + sizeof head;
    if (head.magic != PAJESIM__MAGIC || head.version != PAJESIM_VERSION || head.layout != pajesim__layout() ||
        head.size < sizeof(pajesim__state) || head.size != size - sizeof head ||
        head.checksum != pajesim__checksum(bytes, (size_t)head.size))
        return PAJESIM_FOREIGN;
    pajesim__adopt_host(sim, arena, capacity, callbacks, data);
    sim->needed = head.size;
    if (sim->capacity < head.size)
        return PAJESIM_FULL;
    memcpy(arena, bytes, (size_t)head.size);
    return PAJESIM_OK;
}
