/* Cases of travel.c: images that no simulation has saved, whose checksums are right. */
#ifndef TESTS_TRAVEL_FORGED_H
#define TESTS_TRAVEL_FORGED_H

#include "travel_trace.h"

#define ARENA (16u << 20)

/* Where simulations are, and where they are restored. */
static unsigned char *arena, *other;

/* An invalid packed checkpoint is refused, even with a valid checksum. */
static void unpack(void)
{
    static const struct {
        uint32_t words[6]; /* zeros, others, then these */
        size_t packed;
        int good;
    } images[] = {
        {{1, 1, 5, 6, 0, 0}, 16, 1}, {{2, 0, 0, 0, 0, 0}, 8, 1},  {{1, 0, 0, 1, 7, 8}, 24, 1},
        {{1, 1, 5, 6, 0, 0}, 12, 0}, {{1, 1, 5, 6, 0, 0}, 4, 0},  {{1, 1, 5, 6, 0, 0}, 20, 0},
        {{3, 0, 0, 0, 0, 0}, 8, 0},  {{2, 1, 5, 6, 0, 0}, 16, 0}, {{1, 2, 5, 6, 7, 8}, 24, 0},
        {{0, 0, 1, 1, 7, 8}, 24, 0}, {{1, 0, 0, 0, 0, 0}, 8, 0}};
    uint64_t words[2];
    size_t i;
    for (i = 0; i < sizeof images / sizeof *images; i++) {
        words[0] = words[1] = 99;
        EXPECT(pajesim__unpack((const unsigned char *)images[i].words, images[i].packed, (unsigned char *)words,
                               sizeof words) == images[i].good);
        EXPECT(!images[i].good || words[0] == 0);
    }
    report("travel ", "what is packed wrongly");
}

/* An image in which something is open in a slot whose type does not exist yet is refused, whatever its checksum. */
static void slots_of_types_to_come(void)
{
    static const char definitions[] =
        "%EventDef PajeDefineContainerType 0\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n"
        "%EventDef PajeDefineStateType 1\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n"
        "%EventDef PajeCreateContainer 2\n% Time date\n% Alias string\n% Type string\n% Container string\n"
        "% Name string\n%EndEventDef\n"
        "%EventDef PajeSetState 3\n% Time date\n% Type string\n% Container string\n% Value string\n%EndEventDef\n"
        "0 P 0 P\n2 0 c P 0 c\n";
    uint32_t types, i, k, tried = 0;
    for (types = 1; types <= 20; types++) {
        const pajesim__type *declared;
        pajesim__container *container;
        pajesim__slot *slots;
        pajesim sim, copy;
        unsigned char *image;
        pajesim_ref ref;
        pajesim_init(&sim, arena, ARENA, NULL, NULL, NULL);
        pajesim_feed(&sim, definitions, sizeof definitions - 1, NULL);
        for (i = 1; i <= types; i++) {
            char lines[100];
            const int size = snprintf(lines, sizeof lines, "1 T%u P T%u\n3 1 T%u c value\n", i, i, i);
            EXPECT(pajesim_feed(&sim, lines, (size_t)size, NULL) == PAJESIM_OK);
        }
        ref = pajesim_find_container(&sim, "c", 1);
        container = PAJESIM__CONTAINER_AT(&sim, ref);
        slots = PAJESIM__AT(&sim, pajesim__slot, container->slots);
        declared = PAJESIM__TYPE_AT(&sim, container->declared_type);
        image = room(pajesim_image_size(&sim) + 100);
        for (i = declared->of.slots; i < container->slot_count; i++)
            for (k = 0; k < sizeof slots[i].open; k++, tried++) {
                unsigned char *byte = (unsigned char *)&slots[i].open + k;
                size_t size;
                *byte = 1;
                size = pajesim_image_size(&sim);
                pajesim_save(&sim, image, size);
                EXPECT(pajesim_restore(&copy, other, ARENA, image, size, NULL, NULL) == PAJESIM_DAMAGED);
                *byte = 0;
            }
        pajesim_save(&sim, image, pajesim_image_size(&sim));
        EXPECT(pajesim_restore(&copy, other, ARENA, image, pajesim_image_size(&sim), NULL, NULL) == PAJESIM_OK);
        free(image);
    }
    EXPECT(tried > 0);
    report("travel ", "slots of types to come");
}

/* Whether the image of a simulation is refused. */
static int is_damaged(pajesim *sim)
{
    const size_t size = pajesim_image_size(sim);
    unsigned char *image = room(size);
    pajesim copy;
    pajesim_status status = pajesim_save(sim, image, size);
    EXPECT(status == PAJESIM_OK);
    status = pajesim_restore(&copy, other, ARENA, image, size, NULL, NULL);
    EXPECT(status == PAJESIM_OK || status == PAJESIM_DAMAGED);
    free(image);
    return status == PAJESIM_DAMAGED;
}

/* An image in which a type or a container has another one before it, or last in it, than there is, is refused. */
static void forged_trees(void)
{
    static const char lines[] =
        "%EventDef PajeDefineContainerType 0\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n"
        "%EventDef PajeCreateContainer 2\n% Time date\n% Alias string\n% Type string\n% Container string\n"
        "% Name string\n%EndEventDef\n"
        "0 P 0 P\n0 Q 0 Q\n0 R P R\n2 0 a P 0 a\n2 0 b P 0 b\n2 0 c R a c\n";
    pajesim sim;
    pajesim_ref refs[8];
    size_t i, k, m;
    pajesim_init(&sim, arena, ARENA, NULL, NULL, NULL);
    pajesim_feed(&sim, lines, sizeof lines - 1, NULL);
    refs[0] = pajesim_root(&sim);
    refs[1] = pajesim_root_type(&sim);
    for (i = 0; i < 3; i++) {
        refs[2 + i] = pajesim_find_container(&sim, &"abc"[i], 1);
        refs[5 + i] = pajesim_find_type(&sim, &"PQR"[i], 1);
    }
    for (i = 0; i < 8; i++)
        for (m = 0; m < 2; m++)
            for (k = 0; k < 9; k++) {
                pajesim__tree *tree = pajesim__tree_of(&sim, refs[i]);
                pajesim_ref *members[] = {&tree->last, &tree->previous}; /* which saving does not look at */
                const pajesim_ref was = *members[m], now = k < 8 ? refs[k] : 0;
                if (now == was)
                    continue;
                *members[m] = now;
                EXPECT(is_damaged(&sim));
                *members[m] = was;
            }
    PAJESIM__TYPE_AT(&sim, refs[6])->slot ^= 1; /* a type of containers has none */
    EXPECT(is_damaged(&sim));
    PAJESIM__TYPE_AT(&sim, refs[6])->slot ^= 1;
    PAJESIM__TYPE_AT(&sim, refs[6])->of.slots ^= 1;
    EXPECT(is_damaged(&sim));
    PAJESIM__TYPE_AT(&sim, refs[6])->of.slots ^= 1;
    EXPECT(!is_damaged(&sim));
    report("travel ", "forged trees");
}

/* An image with a pending link that is not on its container, ends nowhere, or is of another kind is refused. */
static void forged_links(void)
{
    static const char lines[] =
        "%EventDef PajeDefineContainerType 0\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n"
        "%EventDef PajeDefineLinkType 1\n% Alias string\n% Type string\n% StartContainerType string\n"
        "% EndContainerType string\n% Name string\n%EndEventDef\n"
        "%EventDef PajeCreateContainer 2\n% Time date\n% Alias string\n% Type string\n% Container string\n"
        "% Name string\n%EndEventDef\n"
        "%EventDef PajeStartLink 3\n% Time date\n% Type string\n% Container string\n% StartContainer string\n"
        "% Value string\n% Key string\n%EndEventDef\n"
        "0 P 0 P\n1 L 0 P P L\n2 0 a P 0 a\n2 0 b P 0 b\n3 1 L 0 a v k1\n3 1 L 0 b v k2\n3 2 L 0 b v k3\n";
    pajesim sim;
    pajesim_ref refs[6] = {0};
    pajesim__offset link_at, previous = 0;
    size_t i, m;
    unsigned count = 0;
    pajesim_init(&sim, arena, ARENA, NULL, NULL, NULL);
    pajesim_feed(&sim, lines, sizeof lines - 1, NULL);
    refs[1] = pajesim_root(&sim);
    refs[2] = pajesim_root_type(&sim);
    refs[3] = pajesim_find_container(&sim, "a", 1);
    refs[4] = pajesim_find_type(&sim, "P", 1);
    refs[5] = pajesim_find_type(&sim, "L", 1);
    for (link_at = PAJESIM__CONTAINER_AT(&sim, refs[1])->links; link_at; count++) {
        pajesim__link *link = PAJESIM__AT(&sim, pajesim__link, link_at);
        EXPECT(link->previous == previous);
        previous = link_at;
        for (i = 0; i < 6; i++) {
            pajesim_ref *members[] = {&link->previous, &link->id.scope, &link->id.subscope, &link->end_point};
            for (m = 0; m < 4; m++) {
                const pajesim_ref was = *members[m];
                if (refs[i] == was)
                    continue;
                *members[m] = refs[i];
                EXPECT(is_damaged(&sim));
                *members[m] = was;
            }
        }
        link_at = link->next;
    }
    EXPECT(count == 3 && !is_damaged(&sim));
    report("travel ", "forged links");
}

/* An image in which user fields have a name that another one has, or none, is refused. */
static void forged_names(void)
{
    static const char lines[] = "%EventDef PajeNewEvent 5\n% Time date\n% Type string\n% Container string\n"
                                "% Value string\n% One int\n% Two int\n% Three int\n%EndEventDef\n";
    const pajesim__key number = pajesim__key_of((const unsigned char *)"5", 1);
    pajesim sim;
    pajesim__text *names;
    pajesim__offset found;
    size_t i, k;
    pajesim_init(&sim, arena, ARENA, NULL, NULL, NULL);
    pajesim_feed(&sim, lines, sizeof lines - 1, NULL);
    found = pajesim__table_find(&sim, &PAJESIM__STATE(&sim)->definitions, &number, 0, 0);
    EXPECT(found && PAJESIM__DEFINITION_AT(&sim, found)->user_names == 3);
    names = PAJESIM__AT(&sim, pajesim__text, PAJESIM__DEFINITION_AT(&sim, found)->names);
    for (i = 0; i < 3; i++)
        for (k = 0; k < 3; k++) {
            const pajesim__text was = names[i];
            names[i] = k == i ? ARENA - 8 : names[k];
            EXPECT(is_damaged(&sim));
            names[i] = was;
        }
    EXPECT(!is_damaged(&sim));
    report("travel ", "forged names of user fields");
}

/* An image with a definition that has a field beyond its last one, or lacks one that its event needs, is refused. */
static void forged_definitions(void)
{
    static const char lines[] = "%EventDef PajeSetState 5\n% Time date\n% Type string\n% Container string\n"
                                "% Value string\n% Own int\n%EndEventDef\n";
    const pajesim__key number = pajesim__key_of((const unsigned char *)"5", 1);
    pajesim sim;
    pajesim__definition *definition;
    uint32_t role, required = 0;
    pajesim_init(&sim, arena, ARENA, NULL, NULL, NULL);
    pajesim_feed(&sim, lines, sizeof lines - 1, NULL);
    definition = PAJESIM__DEFINITION_AT(
        &sim, pajesim__table_find(&sim, &PAJESIM__STATE(&sim)->definitions, &number, 0, 0));
    for (role = 1; role < PAJESIM_ROLE_COUNT; role++) {
        const uint32_t was = definition->word[role];
        definition->word[role] = (uint8_t)(definition->count + 1);
        EXPECT(is_damaged(&sim));
        definition->word[role] = 0;
        EXPECT(is_damaged(&sim) == (was != 0));
        definition->word[role] = (uint8_t)(was % definition->count + 1); /* which has another role */
        EXPECT(is_damaged(&sim));
        required += was != 0;
        definition->word[role] = (uint8_t)was;
    }
    EXPECT(required == 4 && !is_damaged(&sim));
    report("travel ", "forged definitions");
}

/* An image with a value that more states have than it counts is refused. */
static void forged_counts(void)
{
    static const char lines[] =
        "%EventDef PajeDefineContainerType 0\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n"
        "%EventDef PajeDefineStateType 1\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n"
        "%EventDef PajeCreateContainer 2\n% Time date\n% Alias string\n% Type string\n% Container string\n"
        "% Name string\n%EndEventDef\n"
        "%EventDef PajePushState 3\n% Time date\n% Type string\n% Container string\n% Value string\n"
        "%EndEventDef\n0 P 0 P\n1 S P S\n2 0 a P 0 a\n3 1 S a v\n3 2 S a v\n";
    pajesim sim;
    pajesim_entity entity;
    pajesim__value *value;
    pajesim_init(&sim, arena, ARENA, NULL, NULL, NULL);
    pajesim_feed(&sim, lines, sizeof lines - 1, NULL);
    EXPECT(pajesim_open_entity(&sim, pajesim_find_container(&sim, "a", 1), pajesim_find_type(&sim, "S", 1), 0,
                               &entity));
    value = PAJESIM__VALUE_AT(&sim, entity.value);
    EXPECT(value->refs == 2 && !is_damaged(&sim));
    for (value->refs = 0; value->refs < 2; value->refs++)
        EXPECT(is_damaged(&sim));
    report("travel ", "forged counts of states");
}

/* An image with a value of what is no type, or of another type than that in which it is found, is refused, also where
 * the table of values has been made again for that. */
static void forged_values(void)
{
    static const char lines[] =
        "%EventDef PajeDefineContainerType 0\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n"
        "%EventDef PajeDefineStateType 1\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n"
        "%EventDef PajeCreateContainer 2\n% Time date\n% Alias string\n% Type string\n% Container string\n"
        "% Name string\n%EndEventDef\n"
        "%EventDef PajeDefineEntityValue 3\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n"
        "%EventDef PajeDefineVariableType 4\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n"
        "0 P 0 P\n1 S P S\n1 T P T\n4 V P V\n2 0 a P 0 a\n3 v S v\n3 w T w\n";
    const pajesim__table_reservation nothing = {0, 0};
    pajesim sim;
    pajesim__table *values;
    pajesim__record *record;
    pajesim_ref refs[9] = {0}, type, value;
    size_t i, k;
    pajesim_init(&sim, arena, ARENA, NULL, NULL, NULL);
    EXPECT(pajesim_feed(&sim, lines, sizeof lines - 1, NULL) == PAJESIM_OK);
    values = &PAJESIM__STATE(&sim)->values;
    type = refs[1] = pajesim_find_type(&sim, "S", 1);
    value = refs[2] = pajesim_find_value(&sim, type, "v", 1);
    refs[3] = pajesim_find_type(&sim, "T", 1);
    refs[4] = pajesim_find_value(&sim, refs[3], "w", 1);
    refs[5] = pajesim_find_type(&sim, "V", 1);
    refs[6] = pajesim_root(&sim);
    refs[7] = type + PAJESIM__MARK_STEP;
    refs[8] = ARENA - 16;
    record = PAJESIM__RECORD(&sim, value);
    for (i = 0; i < 9; i++)
        for (k = 0; k < 9; k++) { /* in the first i of which, by its identifier, and in k, as it says */
            pajesim__table_remove(&sim, values, value);
            record->id.scope = refs[i];
            record->parent = refs[k];
            pajesim__table_insert(&sim, values, &nothing, value);
            EXPECT(is_damaged(&sim) == (i != k || (refs[i] != type && refs[i] != refs[3])));
        }
    report("travel ", "forged types of values");
}

/* An image whose simulation is in a state that there is not is refused. */
static void forged_states(void)
{
    pajesim sim;
    pajesim__state *state;
    pajesim_init(&sim, arena, ARENA, NULL, NULL, NULL);
    state = PAJESIM__STATE(&sim);
    EXPECT(!is_damaged(&sim));
#define FORGED(member, wrong) \
    do { \
        const pajesim__state was = *state; \
        state->member = wrong; \
        EXPECT(is_damaged(&sim)); \
        *state = was; \
    } while (0)
    FORGED(cut, PAJESIM__IN_LONG_LINE + 1);
    FORGED(stage, PAJESIM__FINISHED + 1);
    FORGED(bom_state, 4);
    FORGED(line_capacity, 15);
    FORGED(depth, 1);
    FORGED(problem.code, PAJESIM_E_COUNT);
    FORGED(problem.severity, (pajesim_severity)(PAJESIM_ERROR + 1));
    FORGED(problem.size, sizeof state->problem.bytes + 1);
    FORGED(carry_size, state->carry_capacity);
    if (PAJESIM_REPAIRS)
        FORGED(remembered, 0);
#undef FORGED
    EXPECT(!is_damaged(&sim));
    report("travel ", "forged states of a simulation");
}

/* An image whose trace goes on though its root is destroyed is refused. */
static void forged_end(void)
{
    pajesim sim;
    pajesim_init(&sim, arena, ARENA, NULL, NULL, NULL);
    EXPECT(pajesim_finish(&sim) == PAJESIM_OK && !is_damaged(&sim));
    PAJESIM__STATE(&sim)->stage = PAJESIM__CLOSING;
    EXPECT(is_damaged(&sim));
    PAJESIM__STATE(&sim)->stage = PAJESIM__READING;
    EXPECT(is_damaged(&sim));
    report("travel ", "forged ends");
}

/* An image whose last definition is not ended, but is in the list of those that are, or has the number of one of them,
 * is refused. */
static void forged_open_definition(void)
{
    static const char lines[] = "%EventDef PajeTraceFile 7\n% Container string\n% Type string\n% Filename string\n"
                                "%EndEventDef\n7 0 0 file\n";
    static const char open[] = "%EventDef PajeDefineContainerType 8\n% Alias string\n";
    pajesim sim;
    pajesim__state *state;
    pajesim__definition *definition;
    pajesim__file *file;
    pajesim_init(&sim, arena, ARENA, NULL, NULL, NULL);
    EXPECT(pajesim_feed(&sim, lines, sizeof lines - 1, NULL) == PAJESIM_OPEN);
    EXPECT(pajesim_feed(&sim, open, sizeof open - 1, NULL) == PAJESIM_OK && !is_damaged(&sim));
    state = PAJESIM__STATE(&sim);
    file = PAJESIM__AT(&sim, pajesim__file, state->file);
    file->definitions = state->defining;
    EXPECT(is_damaged(&sim));
    file->definitions = 0;
    definition = PAJESIM__DEFINITION_AT(&sim, state->defining);
    definition->id.lo--; /* 7 */
    EXPECT(!is_damaged(&sim)); /* in another file */
    definition->id.scope = 0;
    EXPECT(is_damaged(&sim));
    report("travel ", "forged definitions that are not ended");
}

/* An image in which a block in use is said to be free is refused. */
static void forged_free_lists(void)
{
    static const char lines[] =
        "%EventDef PajeDefineContainerType 0\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n";
    pajesim sim;
    uint32_t i;
    pajesim_init(&sim, arena, ARENA, NULL, NULL, NULL);
    pajesim_feed(&sim, lines, sizeof lines - 1, NULL);
    for (i = 0; i < PAJESIM__CLASSES; i++) {
        pajesim__offset *list = &PAJESIM__STATE(&sim)->heap.free_list[i], was = *list;
        *list = pajesim_root(&sim);
        EXPECT(is_damaged(&sim));
        *list = was;
    }
    report("travel ", "forged free lists");
}

/* An image whose queue of destroyed containers has another first or last one than there is is refused. */
static void forged_queues(void)
{
    static const char definitions[] =
        "%EventDef PajeDefineContainerType 0\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n"
        "%EventDef PajeCreateContainer 2\n% Time date\n% Alias string\n% Type string\n% Container string\n"
        "% Name string\n%EndEventDef\n"
        "%EventDef PajeDestroyContainer 3\n% Time date\n% Type string\n% Name string\n%EndEventDef\n"
        "0 P 0 P\n2 0 a P 0 a\n2 0 b P 0 b\n2 0 c P 0 c\n";
    static const char ends[] = "3 1 P a\n3 1 P b\n";
    pajesim sim;
    pajesim__queue *queue, was;
    size_t i;
    if (!PAJESIM_REPAIRS) /* nothing is queued */
        return;
    pajesim_init(&sim, arena, ARENA, NULL, NULL, NULL);
    EXPECT(pajesim_feed(&sim, definitions, sizeof definitions - 1, NULL) == PAJESIM_OK);
    queue = &PAJESIM__STATE(&sim)->destroyed;
    EXPECT(!queue->count && !is_damaged(&sim));
    queue->first = pajesim_find_container(&sim, "c", 1);
    EXPECT(is_damaged(&sim));
    queue->first = 0;
    EXPECT(pajesim_feed(&sim, ends, sizeof ends - 1, NULL) == PAJESIM_OK);
    was = *queue;
    EXPECT(was.count == 2 && was.first != was.last && !is_damaged(&sim));
    for (i = 0; i < 5; i++) {
        *queue = was;
        if (i == 0)
            queue->last = was.first;
        else if (i == 1)
            queue->last = 0;
        else if (i == 2)
            queue->first = was.last;
        else
            queue->count = i == 3 ? 1 : 3;
        EXPECT(is_damaged(&sim));
    }
    *queue = was;
    queue->count = 1; /* the next one is left over */
    queue->last = was.first;
    EXPECT(is_damaged(&sim));
    report("travel ", "forged queues");
}

/* An image that is within another number of files than it says, or in one without a name, is refused. */
static void forged_files(void)
{
    static const char lines[] = "%EventDef PajeTraceFile 7\n% Container string\n% Type string\n% Filename string\n"
                                "%EndEventDef\n%EventDef PajeDefineContainerType 0\n% Alias string\n% Type string\n"
                                "% Name string\n%EndEventDef\n0 P 0 P\n7 0 0 file\n";
    pajesim sim;
    pajesim__state *state;
    pajesim__file *file;
    pajesim_init(&sim, arena, ARENA, NULL, NULL, NULL);
    EXPECT(pajesim_feed(&sim, lines, sizeof lines - 1, NULL) == PAJESIM_OPEN);
    EXPECT(pajesim_feed(&sim, "\n", 1, NULL) == PAJESIM_OK && !is_damaged(&sim));
    state = PAJESIM__STATE(&sim);
    file = PAJESIM__AT(&sim, pajesim__file, state->file);
    EXPECT(state->depth == 1 && file->name);
    for (state->depth = 0; state->depth < 4; state->depth += 2)
        EXPECT(is_damaged(&sim));
    state->depth = 1;
    state->next_file = state->file;
    EXPECT(is_damaged(&sim));
    state->next_file = 0;
    file->definitions = pajesim_root(&sim);
    EXPECT(is_damaged(&sim));
    file->definitions = 0;
    file->importer = state->file;
    EXPECT(is_damaged(&sim));
    file->importer = 0;
    file->name = 0;
    EXPECT(is_damaged(&sim));
    report("travel ", "forged files");
}

#endif
