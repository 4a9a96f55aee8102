/* Cases of index.c: the ends of links that are open at a checkpoint. */
#ifndef TESTS_INDEX_ENDS_H
#define TESTS_INDEX_ENDS_H

#include "seconds.h"

/* Where simulations are restored. */
static uint64_t other[BLOCK / 8];

static unsigned links;

static int linked(pajesim *it, const pajesim_entity *entity)
{
    pajesim_text name = pajesim_name(it, entity->end_container);
    EXPECT(entity->kind != PAJESIM_LINK || pajesim_kind_of(it, entity->end_container) == PAJESIM_CONTAINER);
    EXPECT(name.size != 11 || (pajesim_parent(it, entity->end_container) == pajesim_root(it) &&
                               pajesim_type_of(it, entity->end_container) == pajesim_find_type(it, "P", 1) &&
                               pajesim_start_of(it, entity->end_container) == 2));
    links += entity->kind == PAJESIM_LINK && name.size == 11 && memcmp(name.bytes, "comes later", 11) == 0;
    links += entity->kind == PAJESIM_LINK && entity->end_container == pajesim_root(it) ? 10 : 0;
    return PAJESIM_GO_ON;
}

/* An index in which what comes later is said to have another size is refused, whatever its checksum. */
static unsigned forge_sizes(pajesim_index *index)
{
    static const uint32_t wrong[] = {0, 8, UINT32_MAX - 7, UINT32_MAX};
    unsigned tried = 0;
    uint32_t number, i, k;
    for (number = 0; number < pajesim_index_count(index); number++)
        for (i = 0; i < PAJESIM__CHECKPOINT(number)->count; i++) {
            const pajesim__offset at = PAJESIM__END_RECORDS(number)[i].details;
            pajesim__end_details *details = PAJESIM__STORED(pajesim__end_details, at);
            pajesim__far_record *far = (pajesim__far_record *)(void *)(details + 1);
            const uint32_t was = at && details->records ? far->size : 0;
            for (k = 0; was && k < sizeof wrong / sizeof *wrong; k++, tried++) {
                pajesim_index copy;
                const void *bytes;
                size_t saved;
                far->size = wrong[k];
                bytes = pajesim_index_save(index, &saved);
                memcpy(other, bytes, saved);
                EXPECT(pajesim_index_load(&copy, other, sizeof other, saved) == PAJESIM_DAMAGED);
                far->size = was;
            }
        }
    return tried;
}

static unsigned misplaced;

static int with_container(pajesim *it, const pajesim_entity *entity)
{
    misplaced += entity->kind == PAJESIM_LINK && entity->end_container != pajesim_root(it);
    return PAJESIM_GO_ON;
}

/* An index that says that a link ends at a type, or at a value, shows that it ends at the root. */
static void forge_tags(pajesim_index *index)
{
    const pajesim_callbacks callbacks = of_closed(with_container);
    uint32_t i, at;
    for (i = 0; i < PAJESIM__CHECKPOINT(1)->count; i++) {
        const pajesim__offset offset = PAJESIM__END_RECORDS(1)[i].details;
        pajesim__end_details *details = PAJESIM__STORED(pajesim__end_details, offset);
        pajesim__far_record *far = NULL;
        for (at = 0; offset && at < details->records; at += far->size)
            far = (pajesim__far_record *)(void *)((unsigned char *)(details + 1) + at);
        if (!far)
            continue;
        EXPECT(far->tag == PAJESIM__CONTAINER);
        for (far->tag = PAJESIM__TYPE; far->tag < PAJESIM__CONTAINER; far->tag++) {
            misplaced = 0;
            EXPECT(pajesim_index_restore(index, 1, &sim, other, sizeof other, &callbacks, NULL) == PAJESIM_OK);
            EXPECT(pajesim_index_close_open(index, 1, &sim, 0, 10) == PAJESIM_OK && misplaced == 0);
        }
    }
}

/* With exactly the memory that it needs, the rest reports a link that ends at a container of this type. */
static void link_to(const char *type, const char *end, unsigned wanted)
{
    static const char before[] =
        "%EventDef PajeDefineLinkType 6\n% Alias string\n% Type string\n% StartContainerType string\n"
        "% EndContainerType string\n% Name string\n%EndEventDef\n"
        "%EventDef PajeStartLink 7\n% Time date\n% Type string\n"
        "% Container string\n% StartContainer string\n% Value string\n% Key string\n%EndEventDef\n"
        "%EventDef PajeEndLink 8\n% Time date\n% Type string\n% Container string\n% EndContainer string\n"
        "% Value string\n% Key string\n%EndEventDef\n";
    static const char behind[] = "2 2 0123456789abcdefgh P 0 \"comes later\"\n";
    const pajesim_callbacks callbacks = of_closed(linked);
    pajesim_status status;
    pajesim_checkpoint it;
    char line[100];
    size_t size, used;
    links = 0;
    begin(NULL, NULL);
    EXPECT(pajesim_feed(&sim, header, sizeof header - 1, NULL) == PAJESIM_OK);
    EXPECT(pajesim_feed(&sim, before, sizeof before - 1, NULL) == PAJESIM_OK);
    size = (size_t)sprintf(line, "6 L 0 P %s Link\n7 1 L 0 p v k\n", type);
    EXPECT(pajesim_feed(&sim, line, size, NULL) == PAJESIM_OK);
    EXPECT(pajesim_index_checkpoint_now(&idx, &sim) == PAJESIM_OK && pajesim_index_checkpoint(&idx, 1, &it));
    EXPECT(pajesim_feed(&sim, behind, sizeof behind - 1, NULL) == PAJESIM_OK);
    size = (size_t)sprintf(line, "8 3 L 0 %s v k\n", end);
    EXPECT(pajesim_feed(&sim, line, size, NULL) == PAJESIM_OK);
    EXPECT(pajesim_index_finish(&idx, &sim) == PAJESIM_OK);
    EXPECT(forge_sizes(&idx) > 0 || wanted == 10); /* there is nothing to be known of the root */
    forge_tags(&idx);
    EXPECT(pajesim_index_restore(&idx, 1, &sim, other, it.arena - 1, &callbacks, NULL) == PAJESIM_FULL &&
           pajesim_capacity_needed(&sim) == it.arena);
    for (size = 0;; size = (size_t)pajesim_capacity_needed(&sim)) {
        EXPECT(pajesim_index_restore(&idx, 1, &sim, other, it.arena, &callbacks, NULL) == PAJESIM_OK);
        used = pajesim_used(&sim);
        size = size ? size : used;
        EXPECT(pajesim_move(&sim, other, size) == PAJESIM_OK);
        status = pajesim_index_close_open(&idx, 1, &sim, 0, 10);
        if (status != PAJESIM_FULL || pajesim_capacity_needed(&sim) <= size || fault[0])
            break;
        EXPECT(links == 0);
    }
    EXPECT(status == PAJESIM_OK && links == wanted && size > used);
}

static void ends_of_links(void)
{
    link_to("P", "0123456789abcdefgh", 1); /* it does not exist yet */
    link_to("0", "0", 10);
}

static unsigned depth_of_end;

static int deep(pajesim *it, const pajesim_entity *entity)
{
    pajesim_ref ref = entity->kind == PAJESIM_LINK ? entity->end_container : 0;
    for (; ref; ref = pajesim_parent(it, ref))
        depth_of_end++;
    return PAJESIM_GO_ON;
}

/* A link ends deep inside of containers that come later.  If there are too many to store, no checkpoint is kept where
 * it was open. */
static void deep_ends(void)
{
    static const char before[] =
        "%EventDef PajeDefineLinkType 6\n% Alias string\n% Type string\n% StartContainerType string\n"
        "% EndContainerType string\n% Name string\n%EndEventDef\n"
        "%EventDef PajeStartLink 7\n% Time date\n% Type string\n"
        "% Container string\n% StartContainer string\n% Value string\n% Key string\n%EndEventDef\n"
        "%EventDef PajeEndLink 8\n% Time date\n% Type string\n% Container string\n% EndContainer string\n"
        "% Value string\n% Key string\n%EndEventDef\n6 L 0 P P Link\n7 1 L 0 p v k\n";
    const pajesim_callbacks callbacks = of_closed(deep);
    static const int depths[] = {1, 10, 100, 250, 1000}; /* 250: more than half of what is stored at most */
    char line[100];
    size_t at;
    int i;
    for (at = 0; at < sizeof depths / sizeof *depths; at++) {
        const int depth = depths[at];
        begin(NULL, NULL);
        EXPECT(pajesim_feed(&sim, header, sizeof header - 1, NULL) == PAJESIM_OK);
        EXPECT(pajesim_feed(&sim, before, sizeof before - 1, NULL) == PAJESIM_OK);
        EXPECT(pajesim_index_checkpoint_now(&idx, &sim) == PAJESIM_OK && pajesim_index_count(&idx) == 2);
        for (i = 0; i < depth; i++) {
            size_t size = i ? (size_t)sprintf(line, "2 2 c%d P c%d inner\n", i, i - 1)
                            : (size_t)sprintf(line, "2 2 c0 P 0 outer\n");
            EXPECT(pajesim_feed(&sim, line, size, NULL) == PAJESIM_OK);
        }
        EXPECT(pajesim_feed(&sim, line, (size_t)sprintf(line, "8 3 L 0 c%d v k\n", i - 1), NULL) == PAJESIM_OK);
        EXPECT(pajesim_index_count(&idx) == (depth < 1000 ? 2 : 1));
        EXPECT(pajesim_index_finish(&idx, &sim) == PAJESIM_OK);
        depth_of_end = 0;
        EXPECT(pajesim_index_restore(&idx, 1, &sim, other, sizeof other, &callbacks, NULL) == PAJESIM_OK);
        EXPECT(pajesim_index_close_open(&idx, 1, &sim, 0, 10) == PAJESIM_OK);
        EXPECT(depth_of_end == (depth < 1000 ? (unsigned)depth + 1 : 0));
        if (depth < 1000) /* a simulation that is elsewhere is refused */
            EXPECT(pajesim_index_restore(&idx, 0, &sim, other, sizeof other, &callbacks, NULL) == PAJESIM_OK &&
                   pajesim_index_close_open(&idx, 1, &sim, 0, 10) == PAJESIM_STALE);
    }
}

#endif
