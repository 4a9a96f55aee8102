/* User fields that bring their names along: those that an index or a window holds outlive definitions. */
#if PAJESIM_TRAVEL

typedef struct pajesim__own {
    uint32_t count, size; /* of the bytes, which follow the spans, which follow this */
} pajesim__own;

#define PAJESIM__OWN_SPANS (5 * sizeof(pajesim__length))

/* How many bytes they take. */
static uint32_t pajesim__own_size(const pajesim *sim, const pajesim_fields *fields)
{
    uint32_t size = sizeof(pajesim__own), i;
    pajesim_field field;
    for (i = 0; pajesim_user_field(sim, fields, i, &field); i++)
        size += (uint32_t)(PAJESIM__OWN_SPANS + field.name.size + field.text.size);
    return size;
}

static pajesim__length pajesim__put_own_text(pajesim__own *own, unsigned char *bytes, pajesim_text text)
{
    pajesim__length at = own->size;
    memcpy(bytes + at, text.bytes, text.size);
    own->size += (uint32_t)text.size;
    return at;
}

static void pajesim__put_own(pajesim__own *own, const pajesim *sim, const pajesim_fields *fields)
{
    pajesim__length *spans = (pajesim__length *)(void *)(own + 1);
    unsigned char *bytes = (unsigned char *)spans + fields->count * PAJESIM__OWN_SPANS;
    pajesim_field field;
    own->size = 0;
    for (own->count = 0; pajesim_user_field(sim, fields, own->count, &field); own->count++, spans += 5) {
        spans[0] = pajesim__put_own_text(own, bytes, field.name);
        spans[1] = (pajesim__length)field.name.size;
        spans[2] = pajesim__put_own_text(own, bytes, field.text);
        spans[3] = (pajesim__length)field.text.size;
        spans[4] = (pajesim__length)field.role | (pajesim__length)field.type << 8;
    }
}

/* A view that pajesim_user_field reads without a definition. */
static pajesim_fields pajesim__own_view(const pajesim__own *own)
{
    pajesim_fields view;
    view.count = own->count;
    view.definition = 0;
    view.spans = (const pajesim__length *)(const void *)(own + 1);
    view.text = (const char *)(view.spans + 5 * own->count);
    return view;
}
#endif /* PAJESIM_TRAVEL */
