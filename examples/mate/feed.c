#include "feed.h"

#include <string.h>

enum {
    NO_FIELD = 255,
    PART = TUNLET_EVENTS + 1, /* numbers in the byte of a value: 1 + index of an event, or one of these */
    ACTOR_PART = TUNLET_EVENTS + 2,
    READY = TUNLET_EVENTS + 3,
    INTRUSION = TUNLET_EVENTS + 4
};

/* ---- which values are events of tunlets, which containers are actors */

/* Whether it is the name of such an event of a tunlet, "Part workers". */
static int is_part(pajesim_text text, const char *what, const char *owner)
{
    const size_t size = strlen(what);
    return text.size > size && memcmp(text.bytes, what, size) == 0 && text.bytes[size] == ' ' &&
           reader_is((pajesim_text){text.bytes + size + 1, text.size - size - 1}, owner);
}

static int new_value(pajesim *sim, const pajesim_value_info *value)
{
    const feed *it = (const feed *)pajesim_data(sim);
    pajesim_user_word word = 0;
    size_t i, k;
    for (i = 0; i < it->count; i++) {
        const tunlet *of = it->to[i]->of;
        pajesim_user_word number = 0;
        for (k = 0; k < of->event_count; k++)
            if (reader_is(value->name, of->events[k].name))
                number = k + 1;
        if (is_part(value->name, FEED_PART, of->name))
            number = PART;
        else if (is_part(value->name, FEED_ACTOR_PART, of->name))
            number = ACTOR_PART;
        else if (is_part(value->name, FEED_READY, of->name))
            number = READY;
        else if (i == 0 && reader_is(value->name, FEED_INTRUSION))
            number = INTRUSION;
        word |= number << 8 * i;
    }
    *pajesim_user_data(sim, value->ref) = word;
    return PAJESIM_GO_ON;
}

/* Notes that the actors of the stream are known: its one actor, or all of a collector. */
static void is_introduced(feed *it)
{
    size_t i;
    for (i = 0; i < it->count && !it->is_ready; i++)
        gather_ready(it->to[i]);
    it->is_ready = 1;
}

static int container_created(pajesim *sim, const pajesim_entity *container)
{
    feed *it = (feed *)pajesim_data(sim);
    const pajesim_text type = pajesim_name(sim, container->type);
    const uint32_t number = reader_number(pajesim_name(sim, container->container));
    size_t i;
    *pajesim_user_data(sim, container->container) = number + 1;
    for (i = 0; i < it->count; i++)
        if (number < TUNLET_ACTORS && reader_is(type, it->to[i]->of->actor)) {
            uint64_t *word = &it->actors[i][number / 64];
            const uint64_t bit = UINT64_C(1) << number % 64;
            if (!(*word & bit))
                gather_actor(it->to[i], number);
            *word |= bit;
        }
    it->is_collector |= reader_is(type, FEED_COLLECTOR);
    if (!it->is_collector)
        is_introduced(it);
    return PAJESIM_GO_ON;
}

/* ---- events */

static uint8_t find_field(const pajesim *sim, const pajesim_fields *fields, const char *name)
{
    pajesim_field field;
    uint32_t i;
    for (i = 0; i < fields->count && i < NO_FIELD; i++)
        if (pajesim_user_field(sim, fields, i, &field) && reader_is(field.name, name))
            return (uint8_t)i;
    return NO_FIELD;
}

static int read_field(const pajesim *sim, const pajesim_fields *fields, uint8_t index, int64_t *number)
{
    pajesim_field field;
    *number = 0;
    return index != NO_FIELD && pajesim_user_field(sim, fields, index, &field) &&
           pajesim_fixed(field.text.bytes, field.text.size, 0, number);
}

static const feed_layout *layout_of(feed *it, size_t number, uint32_t which, const pajesim_fields *fields)
{
    feed_layout *layout = &it->layouts[number][which];
    size_t i;
    if (layout->definition != fields->definition) {
        const tunlet_event *names = &it->to[number]->of->events[which];
        layout->definition = fields->definition;
        layout->iteration = find_field(&it->reader.sim, fields, "Iteration");
        layout->actors = find_field(&it->reader.sim, fields, "Actors");
        for (i = 0; i < TUNLET_FIELDS && names->fields[i]; i++)
            layout->fields[i] = find_field(&it->reader.sim, fields, names->fields[i]);
    }
    return layout;
}

static void take_event(feed *it, size_t number, uint32_t which, const pajesim_entity *entity)
{
    const feed_layout *layout = layout_of(it, number, which, &entity->opening);
    const tunlet_event *names = &it->to[number]->of->events[which];
    int64_t fields[TUNLET_FIELDS], iteration;
    tunlet_happening happening = {which, 0, entity->start, 0, fields};
    int is_whole = read_field(&it->reader.sim, &entity->opening, layout->iteration, &iteration);
    size_t i;
    happening.actor = (uint32_t)*pajesim_user_data(&it->reader.sim, entity->container) - 1;
    read_field(&it->reader.sim, &entity->opening, layout->actors, &happening.actors);
    for (i = 0; i < TUNLET_FIELDS && names->fields[i]; i++)
        is_whole &= read_field(&it->reader.sim, &entity->opening, layout->fields[i], &fields[i]);
    if (is_whole)
        gather_event(it->to[number], iteration, &happening);
    else
        it->incomplete++;
}

/* Parts are rare, so their fields are found by name. */
static void take_part(feed *it, gathering *to, int is_array, const pajesim_entity *entity)
{
    const tunlet *of = to->of;
    const pajesim_fields *fields = &entity->opening;
    int64_t numbers[TUNLET_PARTS], iteration, actors = 0, done = 0;
    int is_whole = read_field(&it->reader.sim, fields, find_field(&it->reader.sim, fields, "Iteration"), &iteration);
    size_t i, count = 0;
    if (!is_array) {
        is_whole &= read_field(&it->reader.sim, fields, find_field(&it->reader.sim, fields, "Actors"), &actors);
        is_whole &= read_field(&it->reader.sim, fields, find_field(&it->reader.sim, fields, "Done"), &done);
    }
    for (i = 0; i < of->part_count && count < sizeof numbers / sizeof *numbers; i++)
        if (of->parts[i].is_array == is_array)
            is_whole &= read_field(&it->reader.sim, fields, find_field(&it->reader.sim, fields, of->parts[i].name),
                                   &numbers[count++]);
    if (!is_whole)
        it->incomplete++;
    else if (is_array)
        gather_actor_part(to, iteration, (uint32_t)*pajesim_user_data(&it->reader.sim, entity->container) - 1, numbers);
    else
        gather_part(to, iteration, entity->start, actors, done, numbers);
}

static void take_intrusion(feed *it, const pajesim_fields *fields)
{
    static const char *const names[] = {"Tasks", "Events", "Setup", "Monitoring", "Tuning"};
    int64_t *const sums[] = {&it->intrusion.tasks, &it->intrusion.events, &it->intrusion.setup,
                             &it->intrusion.monitoring, &it->intrusion.tuning};
    size_t i;
    for (i = 0; i < sizeof sums / sizeof *sums; i++) {
        int64_t number;
        read_field(&it->reader.sim, fields, find_field(&it->reader.sim, fields, names[i]), &number);
        *sums[i] += number;
    }
}

static int event(pajesim *sim, const pajesim_entity *entity)
{
    feed *it = (feed *)pajesim_data(sim);
    pajesim_user_word word = entity->value ? *pajesim_user_data(sim, entity->value) : 0;
    size_t i;
    it->last = entity->start;
    for (i = 0; word; i++, word >>= 8) {
        const uint32_t number = (uint32_t)word & 255;
        if (number == READY)
            is_introduced(it);
        else if (number == INTRUSION)
            take_intrusion(it, &entity->opening);
        else if (number == PART || number == ACTOR_PART)
            take_part(it, it->to[i], number == ACTOR_PART, entity);
        else if (number)
            take_event(it, i, number - 1, entity);
    }
    return PAJESIM_GO_ON;
}

/* ---- the stream */

void feed_begin(feed *it, gathering *const *to, size_t count)
{
    static const pajesim_callbacks callbacks = {.new_value = new_value, .container_created = container_created,
                                                .event = event};
    size_t i;
    memset(it, 0, sizeof *it);
    memcpy(it->to, to, count * sizeof *to);
    it->count = count;
    for (i = 0; i < count; i++)
        gather_attach(to[i]);
    reader_begin(&it->reader, &callbacks, it);
}

uint64_t feed_end(feed *it)
{
    const uint64_t refused = reader_end(&it->reader);
    size_t i;
    is_introduced(it);
    for (i = 0; i < it->count; i++)
        gather_leave(it->to[i], it->actors[i]);
    return refused;
}
