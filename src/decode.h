/* A line's words to the fields of its event: by its definition, in whatever order that has them. */

/* Word of the line that holds a role; 0 (the event's number) where the definition has none such. */
#define PAJESIM__FIELD(definition, role) ((uint32_t)(definition)->at[role])

/* The same of the time, of the events that have one: in a definition of a type, say, a field Time is the user's own. */
static uint32_t pajesim__time_word(const pajesim__definition *definition)
{
    return definition->event >= PAJESIM_CREATE_CONTAINER && definition->event <= PAJESIM_END_LINK
               ? PAJESIM__FIELD(definition, PAJESIM_TIME)
               : 0;
}

static pajesim_text pajesim__line_word(const pajesim__line *line, uint32_t word)
{
    return pajesim__view((const char *)PAJESIM__WORD(line, word), PAJESIM__SIZE(line, word));
}

PAJESIM__INLINE pajesim__key pajesim__key_at(const pajesim__line *line, uint32_t word)
{
    return pajesim__key_of_word(PAJESIM__WORD(line, word), PAJESIM__SIZE(line, word), line->wide);
}

/* Of the event's number. */
PAJESIM__INLINE pajesim__key pajesim__number_key(const pajesim__line *line)
{
#if PAJESIM__SSE2 && PAJESIM_REFERENCE != 16
    return pajesim__key_of_number(PAJESIM__WORD(line, 0), PAJESIM__SIZE(line, 0), line->wide);
#else
    return pajesim__key_at(line, 0);
#endif
}

PAJESIM__COLD int pajesim__line_answered(pajesim *sim, pajesim__line *line, int answer)
{
    pajesim__answer(sim, answer);
    if (answer == PAJESIM_STOP)
        line->outcome = PAJESIM__NOT_NOW;
    return answer != PAJESIM_STOP;
}

/* Makes the `line` callback; answers 0 if that keeps the line from taking effect. */
PAJESIM__INLINE int pajesim__show_line(pajesim *sim, pajesim__line *line, const pajesim__definition *definition)
{
    int answer;
    line->shown.event = (pajesim_event)definition->event;
    line->shown.count = definition->count;
    answer = sim->callbacks->line(sim, &line->shown);
    return PAJESIM__LIKELY(answer == PAJESIM_GO_ON) || pajesim__line_answered(sim, line, answer);
}

#define PAJESIM__SHOWN 2 /* sim->loud */

static int pajesim__ready_loud(pajesim *sim, pajesim__line *line)
{
    int takes = PAJESIM_SMALL || sim->takes || sim->top != PAJESIM__STATE->top;
    if (PAJESIM__UNLIKELY(takes && !pajesim__room(sim))) {
        sim->needed = sim->top;
        line->outcome = PAJESIM__NO_ROOM;
        return 0;
    }
    if (sim->callbacks->line && PAJESIM__LIKELY(line->shown.definition) &&
        !pajesim__show_line(sim, line, PAJESIM__DEFINITION_AT(line->shown.definition)))
        return 0;
    if (takes)
        pajesim__keep(sim);
    if (PAJESIM__UNLIKELY(line->gives_up))
        pajesim__give_up_definition(sim, PAJESIM_E_HEADER_OPEN);
    if (PAJESIM__UNLIKELY(line->warnings))
        pajesim__tell_warnings(sim, line);
    return 1;
}

PAJESIM__SHARED int pajesim__ready(pajesim *sim, pajesim__line *line, const pajesim__definition *definition)
{
    if (PAJESIM__LIKELY(!sim->loud))
        return 1;
    if (!PAJESIM_SMALL && PAJESIM__LIKELY(sim->loud == PAJESIM__SHOWN))
        return pajesim__show_line(sim, line, definition);
    return pajesim__ready_loud(sim, line);
}

/* ---- user fields ---- */

/* Kept by an open entity: the user fields of the line that opened it. */
typedef struct pajesim__fields {
    pajesim__offset definition;
    pajesim__length count, size; /* of the bytes, which follow the spans, which follow this */
} pajesim__fields;

/* Where they do not stand side by side. */
static void pajesim__find_user_fields(const pajesim *sim, pajesim__line *line, const pajesim__definition *definition)
{
    uint32_t i, n = 0;
    for (i = 0; i < definition->count; i++)
        if (pajesim__is_user_field(definition, PAJESIM__ROLE_OF(definition, i))) {
            line->users[2 * n] = line->spans[2 * i + 2];
            line->users[2 * n + 1] = line->spans[2 * i + 3];
            n++;
        }
    line->users_found = 1;
}

/* Of the line at hand. */
PAJESIM__SHARED void pajesim__user_fields(const pajesim *sim, pajesim__line *line, pajesim_fields *view)
{
    const pajesim__definition *definition = PAJESIM__DEFINITION_AT(line->shown.definition);
    uint32_t first = PAJESIM__FIELD(definition, PAJESIM_USER_FIELD);
    if (PAJESIM__UNLIKELY(definition->users && !first && !line->users_found))
        pajesim__find_user_fields(sim, line, definition);
    view->count = definition->users;
    view->definition = line->shown.definition;
    view->text = line->shown.text;
    view->spans = first ? line->spans + 2 * first : line->users;
}

/* The same in an entity, where there are any; `view` is that of none as yet. */
PAJESIM__INLINE void pajesim__show_user_fields(const pajesim *sim, pajesim__line *line, pajesim_fields *view)
{
    if (PAJESIM_FIELDS && PAJESIM__UNLIKELY(PAJESIM__DEFINITION_AT(line->shown.definition)->users))
        pajesim__user_fields(sim, line, view);
}

/* `view` is that of none as yet. */
PAJESIM__SHARED void pajesim__kept_fields(const pajesim *sim, pajesim__offset offset, pajesim_fields *view)
{
    const pajesim__fields *kept;
    if (!PAJESIM_FIELDS || PAJESIM__LIKELY(!(offset & (pajesim__offset)~PAJESIM__MARK)))
        return;
    kept = PAJESIM__AT(const pajesim__fields, offset & (pajesim__offset)~PAJESIM__MARK);
    view->count = kept->count;
    view->definition = kept->definition;
    view->spans = (const pajesim__length *)(const void *)(kept + 1);
    view->text = (const char *)(view->spans + 2 * view->count);
}

static pajesim__size pajesim__fields_size(uint32_t count, uint32_t size)
{
    return (pajesim__size)sizeof(pajesim__fields) + count * (pajesim__size)(2 * sizeof(pajesim__length)) + size;
}

static pajesim__offset pajesim__take_room_for_fields(pajesim *sim, pajesim__line *line)
{
    pajesim_fields view;
    uint32_t i, size = 0;
    pajesim__user_fields(sim, line, &view);
    for (i = 0; i < view.count; i++)
        size += view.spans[2 * i + 1];
    return pajesim__take(sim, pajesim__fields_size(view.count, size));
}

/* Answers 0 where the line has no user fields. */
PAJESIM__INLINE pajesim__offset pajesim__take_fields(pajesim *sim, pajesim__line *line,
                                                     const pajesim__definition *definition)
{
    return PAJESIM_FIELDS && PAJESIM__UNLIKELY(definition->users) ? pajesim__take_room_for_fields(sim, line) : 0;
}

static void pajesim__put_fields(pajesim *sim, pajesim__line *line, pajesim__offset offset)
{
    pajesim_fields view;
    pajesim__fields *kept;
    pajesim__length *spans;
    unsigned char *bytes;
    uint32_t i;
    if (!PAJESIM_FIELDS || PAJESIM__LIKELY(!offset))
        return;
    pajesim__user_fields(sim, line, &view);
    kept = PAJESIM__AT(pajesim__fields, offset);
    kept->definition = view.definition;
    kept->count = (pajesim__length)view.count;
    kept->size = 0;
    spans = (pajesim__length *)(void *)(kept + 1);
    bytes = (unsigned char *)(spans + 2 * view.count);
    for (i = 0; i < view.count; i++) {
        spans[2 * i] = kept->size;
        spans[2 * i + 1] = view.spans[2 * i + 1];
        memcpy(bytes + kept->size, view.text + view.spans[2 * i], view.spans[2 * i + 1]);
        kept->size = (pajesim__length)(kept->size + view.spans[2 * i + 1]);
    }
    PAJESIM__DEFINITION_AT(kept->definition)->bearers++;
}

static void pajesim__give_fields(pajesim *sim, pajesim__offset offset)
{
    const pajesim__fields *kept;
    pajesim__definition *definition;
    if (!PAJESIM_FIELDS || PAJESIM__LIKELY(!offset) || offset == PAJESIM__MARK)
        return;
    offset &= (pajesim__offset)~PAJESIM__MARK;
    kept = PAJESIM__AT(const pajesim__fields, offset);
    definition = PAJESIM__DEFINITION_AT(kept->definition);
    if (--definition->bearers == 0 && definition->ended)
        pajesim__free_definition(sim, kept->definition);
    pajesim__give(sim, offset, pajesim__fields_size(kept->count, kept->size));
}

/* ---- queries ---- */

/* Fills in what the definition says of its `index`th field. */
static void pajesim__describe_field(const pajesim *sim, const pajesim__definition *definition, uint32_t index,
                                    pajesim_field *field)
{
    uint32_t role = PAJESIM__ROLE_OF(definition, index), own = 0, i;
    field->role = (pajesim_role)role;
    field->type = (pajesim_field_type)PAJESIM__TYPE_OF(definition, index);
    field->text = pajesim__view("", 0);
    if (role != PAJESIM_USER_FIELD) {
        field->name = pajesim__nth(pajesim__role_names, role - 1);
        return;
    }
    for (i = 0; i < index; i++)
        own += PAJESIM__ROLE_OF(definition, i) == PAJESIM_USER_FIELD;
    field->name = PAJESIM_FIELDS ? pajesim__text_at(sim, PAJESIM__AT(const pajesim__text, definition->names)[own])
                                 : pajesim__view("", 0);
}

PAJESIM_API int pajesim_definition_field(const pajesim *sim, pajesim_ref definition, uint32_t index, pajesim_field *field)
{
    if (!definition || index >= PAJESIM__DEFINITION_AT(definition)->count)
        return 0;
    pajesim__describe_field(sim, PAJESIM__DEFINITION_AT(definition), index, field);
    return 1;
}

PAJESIM_API int pajesim_line_field(const pajesim *sim, const pajesim_line *line, uint32_t index, pajesim_field *field)
{
    if (!pajesim_definition_field(sim, line->definition, index, field))
        return 0;
    field->text = pajesim__view(line->text + line->spans[2 * index + 2], line->spans[2 * index + 3]);
    return 1;
}

#if PAJESIM_TRAVEL
/* User fields that bring their names along, as those in an index and in a window do: for each 5 numbers in `spans`, name,
 * text, and what it is. */
static int pajesim__own_field(const pajesim_fields *fields, uint32_t index, pajesim_field *field)
{
    const pajesim__length *spans = fields->spans + 5 * index;
    field->name = pajesim__view(fields->text + spans[0], spans[1]);
    field->text = pajesim__view(fields->text + spans[2], spans[3]);
    field->role = (pajesim_role)(spans[4] & 0xff);
    field->type = (pajesim_field_type)(spans[4] >> 8);
    return 1;
}
#endif

PAJESIM_API int pajesim_user_field(const pajesim *sim, const pajesim_fields *fields, uint32_t index, pajesim_field *field)
{
    const pajesim__definition *definition;
    uint32_t i, left = index;
    if (index >= fields->count)
        return 0;
#if PAJESIM_TRAVEL
    if (!fields->definition)
        return pajesim__own_field(fields, index, field);
#endif
    definition = PAJESIM__DEFINITION_AT(fields->definition);
    for (i = 0; !pajesim__is_user_field(definition, PAJESIM__ROLE_OF(definition, i)) || left--; i++) {
    }
    pajesim__describe_field(sim, definition, i, field);
    field->text = pajesim__view(fields->text + fields->spans[2 * index], fields->spans[2 * index + 1]);
    return 1;
}

PAJESIM_API int pajesim_user_field_named(const pajesim *sim, const pajesim_fields *fields, const char *name,
                                         pajesim_field *field)
{
    uint32_t i;
    pajesim_field candidate;
    for (i = 0; pajesim_user_field(sim, fields, i, &candidate); i++) {
        size_t same = 0;
        while (same < candidate.name.size && name[same] && name[same] == candidate.name.bytes[same])
            same++;
        if (same == candidate.name.size && !name[same]) {
            *field = candidate;
            return 1;
        }
    }
    return 0;
}

PAJESIM_API pajesim_text pajesim_line_role(const pajesim *sim, const pajesim_line *line, pajesim_role role)
{
    uint32_t word = 0;
    if (role > PAJESIM_USER_FIELD && role < PAJESIM_ROLE_COUNT)
        word = PAJESIM__DEFINITION_AT(line->definition)->at[role];
    return word ? pajesim__view(line->text + line->spans[2 * word], line->spans[2 * word + 1]) : pajesim__view("", 0);
}

PAJESIM_API const char *pajesim_event_name(pajesim_event event)
{
    uint32_t index = (uint32_t)event - 1;
    return index < PAJESIM_EVENT_COUNT - 1 ? pajesim__nth(pajesim__event_names, index).bytes : "";
}

PAJESIM_API const char *pajesim_kind_name(pajesim_kind kind)
{
    static const char *const names[] = {"", "Container", "State", "Event", "Variable", "Link"};
    return (uint32_t)kind < sizeof names / sizeof *names ? names[kind] : "";
}

#if PAJESIM__DOUBLES
PAJESIM_API int pajesim_number(const char *bytes, size_t size, double *number)
{
    return size <= UINT32_MAX && pajesim__number((const unsigned char *)bytes, (uint32_t)size, number);
}
#endif

PAJESIM_API int pajesim_fixed(const char *bytes, size_t size, int decimals, int64_t *number)
{
    if (size >> 15 >> 15 >> 1) /* as 31, which size_t may not have */
        return 0;
    return pajesim__fixed((const unsigned char *)bytes, (uint32_t)size, decimals, number);
}
