/* A summary of a replay: a hash over every callback, and accounts that must balance at the end.  The callbacks can
 * pause and stop the replay.  Include it after pajesim.h; the data of the simulation is the account. */
#ifndef TESTS_ACCOUNT_H
#define TESTS_ACCOUNT_H

typedef struct account {
    uint64_t created, destroyed;
    uint64_t states_opened, halves, links, pending;
    uint64_t closed[6];   /* by kind */
    uint64_t problems[3]; /* by severity */
    uint64_t hash;
    uint64_t calls;
    uint64_t pauses;     /* for each call modulo 64 a bit: whether it pauses */
    uint64_t stop_at;    /* the call that stops; 0: none */
    int stopped;
    int reported_late;   /* a problem was reported that refers to an earlier line */
    const char *wrong;   /* the first invariant that was broken */
} account;

static void expect(account *seen, int holds, const char *invariant)
{
    if (!holds && !seen->wrong)
        seen->wrong = invariant;
}

/* ---- the hash ---- */

static void hash_word(account *seen, uint64_t word)
{
    seen->hash = (seen->hash ^ word) * UINT64_C(0x9E3779B97F4A7C15);
    seen->hash ^= seen->hash >> 29;
}

static void hash_text(account *seen, pajesim_text text)
{
    size_t i;
    hash_word(seen, text.size);
    for (i = 0; i + 8 <= text.size; i += 8) {
        uint64_t word;
        memcpy(&word, text.bytes + i, 8);
        hash_word(seen, word);
    }
    for (; i < text.size; i++)
        hash_word(seen, (unsigned char)text.bytes[i]);
}

/* Hashes the bits of a time; both zeros hash alike, and NaN is skipped. */
static void hash_time(account *seen, pajesim_time time)
{
    uint64_t word;
    memcpy(&word, &time, sizeof word);
    hash_word(seen, word);
}

static void hash_quantity(account *seen, pajesim_quantity quantity)
{
    uint64_t word;
    memcpy(&word, &quantity, sizeof word);
    hash_word(seen, word);
}

static void hash_fields(pajesim *sim, account *seen, const pajesim_fields *fields)
{
    pajesim_field field;
    uint32_t i;
    for (i = 0; i < fields->count; i++) {
        int is = pajesim_user_field(sim, fields, i, &field);
        expect(seen, is, "every user field can be had");
        if (!is)
            break;
        hash_text(seen, field.name);
        hash_text(seen, field.text);
    }
    expect(seen, !pajesim_user_field(sim, fields, fields->count, &field), "there are no more user fields");
}

static void hash_entity(pajesim *sim, account *seen, const pajesim_entity *entity)
{
    hash_word(seen, (uint64_t)entity->kind << 32 | entity->imbrication);
    hash_time(seen, entity->start);
    hash_time(seen, entity->end);
    hash_quantity(seen, entity->number);
    hash_text(seen, pajesim_name(sim, entity->container));
    hash_text(seen, pajesim_name(sim, entity->type));
    hash_text(seen, pajesim_name(sim, entity->start_container));
    hash_text(seen, pajesim_name(sim, entity->end_container));
    hash_text(seen, entity->value_name);
    hash_text(seen, entity->key);
    hash_fields(sim, seen, &entity->opening);
    hash_fields(sim, seen, &entity->closing);
}

/* ---- callbacks ---- */

/* Returns what a callback returns; `which` distinguishes callbacks in the hash. */
static int callback_result(account *seen, uint64_t which)
{
    hash_word(seen, which);
    seen->calls++;
    if (seen->calls == seen->stop_at) {
        seen->stopped = 1;
        return PAJESIM_STOP;
    }
    return seen->pauses >> (seen->calls & 63) & 1 ? PAJESIM_PAUSE : PAJESIM_GO_ON;
}

static int told_definition(pajesim *sim, const pajesim_definition *definition)
{
    account *seen = (account *)pajesim_data(sim);
    pajesim_field field;
    uint32_t i;
    hash_text(seen, definition->name);
    hash_text(seen, definition->number);
    for (i = 0; i < definition->fields; i++) {
        int is = pajesim_definition_field(sim, definition->ref, i, &field);
        expect(seen, is, "every field can be had");
        if (!is)
            break;
        hash_text(seen, field.name);
        hash_word(seen, (uint64_t)field.role << 32 | (uint64_t)field.type);
    }
    return callback_result(seen, 1);
}

static int told_line(pajesim *sim, const pajesim_line *line)
{
    account *seen = (account *)pajesim_data(sim);
    pajesim_field field;
    uint32_t i;
    hash_word(seen, (uint64_t)line->event);
    hash_time(seen, line->time);
    hash_quantity(seen, line->number);
    for (i = 0; i < line->count; i++) {
        int is = pajesim_line_field(sim, line, i, &field);
        expect(seen, is, "every field of a line can be had");
        if (!is)
            break;
        hash_text(seen, field.text);
    }
    return callback_result(seen, 2);
}

static int told_problem(pajesim *sim, const pajesim_problem *problem)
{
    account *seen = (account *)pajesim_data(sim);
    seen->problems[problem->severity]++;
    seen->pending += problem->code == PAJESIM_E_LINK_PENDING;
    seen->reported_late |= problem->code == PAJESIM_E_LINK_PENDING || problem->code == PAJESIM_E_HEADER_OPEN ||
                  problem->code == PAJESIM_E_HEADER_NESTED;
    expect(seen, problem->line > 0 && problem->bytes.size <= 64 && problem->severity != PAJESIM_SILENT,
           "a problem has a line and a severity");
    hash_word(seen, (uint64_t)problem->code << 32 | problem->column);
    hash_word(seen, problem->line << 8 | problem->depth);
    hash_text(seen, problem->bytes);
    return callback_result(seen, 3);
}

static int told_type(pajesim *sim, const pajesim_type_info *type)
{
    account *seen = (account *)pajesim_data(sim);
    expect(seen, pajesim_find_type(sim, type->alias.bytes, type->alias.size) == type->ref,
           "a type is found by its alias");
    hash_text(seen, type->name);
    hash_text(seen, type->alias);
    hash_text(seen, type->color);
    hash_text(seen, pajesim_alias(sim, type->parent));
    hash_text(seen, pajesim_alias(sim, type->start_type));
    hash_text(seen, pajesim_alias(sim, type->end_type));
    return callback_result(seen, 4);
}

static int told_value(pajesim *sim, const pajesim_value_info *value)
{
    account *seen = (account *)pajesim_data(sim);
    expect(seen, pajesim_find_value(sim, value->type, value->alias.bytes, value->alias.size) == value->ref,
           "a value is found by its alias");
    hash_text(seen, value->name);
    hash_text(seen, value->alias);
    hash_text(seen, value->color);
    hash_text(seen, pajesim_alias(sim, value->type));
    return callback_result(seen, 5);
}

/* The word of a container: 1 while it exists, plus 2 for each of its open states. */
static int told_created(pajesim *sim, const pajesim_entity *container)
{
    account *seen = (account *)pajesim_data(sim);
    pajesim_user_word *word = pajesim_user_data(sim, container->container);
    expect(seen, *word == 0, "a container is created once");
    *word = 1;
    seen->created++;
    hash_entity(sim, seen, container);
    return callback_result(seen, 6);
}

static int told_destroyed(pajesim *sim, const pajesim_entity *container)
{
    account *seen = (account *)pajesim_data(sim);
    pajesim_user_word *word = pajesim_user_data(sim, container->container);
    if (container->container == pajesim_root(sim))
        return callback_result(seen, 7);
    expect(seen, *word == 1, "a container is destroyed once, after its states");
    *word = 0;
    seen->destroyed++;
    return callback_result(seen, 8);
}

static int told_state(pajesim *sim, const pajesim_entity *state)
{
    account *seen = (account *)pajesim_data(sim);
    pajesim_entity top;
    *pajesim_user_data(sim, state->container) += 2;
    seen->states_opened++;
    expect(seen, state->open && pajesim_depth(sim, state->container, state->type) == state->imbrication + 1,
           "imbrication is the depth below");
    expect(seen, pajesim_open_entity(sim, state->container, state->type, state->imbrication, &top) &&
                     top.value == state->value,
           "an open state can be asked for");
    hash_entity(sim, seen, state);
    return callback_result(seen, 9);
}

static int told_popped(pajesim *sim, const pajesim_entity *state)
{
    account *seen = (account *)pajesim_data(sim);
    hash_entity(sim, seen, state);
    return callback_result(seen, 10);
}

static int told_reset(pajesim *sim, const pajesim_entity *state)
{
    account *seen = (account *)pajesim_data(sim);
    expect(seen, pajesim_depth(sim, state->container, state->type) == 0, "nothing is open after a reset");
    hash_entity(sim, seen, state);
    return callback_result(seen, 11);
}

static int told_variable(pajesim *sim, const pajesim_entity *segment)
{
    account *seen = (account *)pajesim_data(sim);
    expect(seen, segment->open && pajesim_depth(sim, segment->container, segment->type) == 1, "a variable is set");
    hash_entity(sim, seen, segment);
    return callback_result(seen, 12);
}

static int told_half(pajesim *sim, const pajesim_entity *link)
{
    account *seen = (account *)pajesim_data(sim);
    seen->halves++;
    expect(seen, link->open, "half a link is open");
    hash_entity(sim, seen, link);
    return callback_result(seen, 13);
}

static int told_whole(pajesim *sim, const pajesim_entity *link)
{
    account *seen = (account *)pajesim_data(sim);
    seen->links++;
    expect(seen, !link->open && link->start_container && link->end_container, "a whole link has both its ends");
    hash_entity(sim, seen, link);
    return callback_result(seen, 14);
}

static int told_event(pajesim *sim, const pajesim_entity *event)
{
    account *seen = (account *)pajesim_data(sim);
    hash_entity(sim, seen, event);
    return callback_result(seen, 15);
}

static int told_closed(pajesim *sim, const pajesim_entity *entity)
{
    account *seen = (account *)pajesim_data(sim);
    expect(seen, !entity->open, "what is closed is not open");
    expect(seen, entity->kind != PAJESIM_EVENT || !(entity->start < entity->end || entity->start > entity->end),
           "an event has one time");
    if (entity->kind == PAJESIM_STATE) {
        pajesim_user_word *word = pajesim_user_data(sim, entity->container);
        expect(seen, *word >= 2, "a state is closed once");
        *word -= 2;
    }
    seen->closed[entity->kind]++;
    hash_entity(sim, seen, entity);
    return callback_result(seen, 16);
}

static int told_finished(pajesim *sim)
{
    return callback_result((account *)pajesim_data(sim), 17);
}

static const pajesim_callbacks account_callbacks = {
    told_definition, told_line, told_problem, told_type, told_value, told_created, told_destroyed, told_state,
    told_state, told_popped, told_reset, told_variable, told_variable, told_half, told_half, told_whole, told_event,
    told_closed, told_finished};

/* ---- the balance, after a replay that finished without being stopped ---- */

static void balance(account *seen, const pajesim_counts *counts, const pajesim_options *options, pajesim_status status)
{
    expect(seen, status == (counts->errors ? PAJESIM_INVALID : PAJESIM_OK), "a trace is invalid if it has errors");
    expect(seen, counts->errors == seen->problems[PAJESIM_ERROR], "every error is reported");
    expect(seen, counts->warnings == seen->problems[PAJESIM_WARNING], "every warning is reported");
    expect(seen, seen->created == seen->destroyed, "every container is destroyed");
    expect(seen, counts->containers == seen->closed[PAJESIM_CONTAINER], "every container is closed");
    expect(seen, seen->closed[PAJESIM_CONTAINER] == seen->created + !options->parse_only, "the root is closed, too");
    expect(seen, seen->states_opened == seen->closed[PAJESIM_STATE], "every state is closed");
    expect(seen, counts->states == seen->closed[PAJESIM_STATE], "every state is counted");
    expect(seen, counts->variables == seen->closed[PAJESIM_VARIABLE], "every segment is counted");
    expect(seen, counts->punctual == seen->closed[PAJESIM_EVENT], "every event is counted");
    expect(seen, counts->links == seen->closed[PAJESIM_LINK] && counts->links == seen->links, "every link is counted");
    expect(seen, options->ignore_links || seen->halves == 2 * seen->links + seen->pending,
           "every half of a link is matched or given up");
}

#endif
