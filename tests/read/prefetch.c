/* With many containers, what a line needs has been prefetched when the line is simulated: for each kind of line, each
 * kind of address.  PAJESIM__PREFETCH records addresses here; a callback looks up those of each line before its effect.
 * Tests of results cannot see a prefetch that is missing: it only costs time. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static void record_prefetch(const void *address);
#define PAJESIM__PREFETCH(address) record_prefetch(address)
#define PAJESIM__PREFETCH_LOG2 8u
#define PAJESIM_IMPLEMENTATION
#include "pajesim.h"

#if !PAJESIM__BLOCKS
static void record_prefetch(const void *address)
{
    (void)address;
}

int main(void)
{
    printf("SKIP prefetch: this processor has no SSE2 (nothing to install)\n");
    return 0;
}
#else

enum { CONTAINERS = 4096, LINES = 40000, DEEP = 32, RECENT = 64 * 6 };

/* What a line needs. */
enum need { TABLE_SLOT, CONTAINER_ID, CONTAINER_SLOTS, SLOT, STACK_TOP, STACK_BOTTOM, NEEDS };
static const char *const need_names[NEEDS] = {"place in the table", "container's identifier", "container's slots",
                                              "slot", "top of the stack", "bottom of the stack"};
enum kind { PUSH, POP, VARIABLE, END_LINK, DESTROY, KINDS };
static const char *const kind_names[KINDS] = {"PajePushState", "PajePopState", "PajeSetVariable", "PajeEndLink",
                                              "PajeDestroyContainer"};

static uintptr_t recent[RECENT]; /* cache lines, the latest ones */
static unsigned next_recent, needed[KINDS][NEEDS], fetched[KINDS][NEEDS];
static int watching;

static uintptr_t cache_line(const void *address)
{
    return (uintptr_t)address / 64;
}

static void record_prefetch(const void *address)
{
    recent[next_recent++ % RECENT] = cache_line(address);
}

static void look_up(enum kind kind, enum need need, const void *address)
{
    int i;
    needed[kind][need]++;
    for (i = 0; i < RECENT; i++)
        if (recent[i] == cache_line(address)) {
            fetched[kind][need]++;
            return;
        }
}

static int line(pajesim *sim, const pajesim_line *at)
{
    pajesim_text name, type_name;
    pajesim__key key;
    pajesim_ref ref;
    const pajesim__table *table = &PAJESIM__STATE(sim)->containers;
    const pajesim__container *container;
    const pajesim__slot *slot;
    enum kind kind;
    if (!watching)
        return PAJESIM_GO_ON;
    switch (at->event) {
    case PAJESIM_PUSH_STATE: kind = PUSH; break;
    case PAJESIM_POP_STATE: kind = POP; break;
    case PAJESIM_SET_VARIABLE: kind = VARIABLE; break;
    case PAJESIM_END_LINK: kind = END_LINK; break;
    case PAJESIM_DESTROY_CONTAINER: kind = DESTROY; break;
    default: return PAJESIM_GO_ON;
    }
    name = pajesim_line_role(sim, at, kind == DESTROY    ? PAJESIM_NAME
                                      : kind == END_LINK ? PAJESIM_END_CONTAINER
                                                         : PAJESIM_CONTAINER_FIELD);
    key = pajesim__key_of(name.bytes, (uint32_t)name.size);
    ref = pajesim_find_container(sim, name.bytes, name.size);
    container = PAJESIM__CONTAINER_AT(sim, ref);
    look_up(kind, TABLE_SLOT, PAJESIM__AT(sim, const pajesim__entry, table->entries) +
                                  pajesim__table_home(pajesim__hash(&key, 0, 0), table->log2));
    look_up(kind, CONTAINER_ID, &container->record.id);
    look_up(kind, CONTAINER_SLOTS, &container->slot_count);
    if (kind == END_LINK)
        return PAJESIM_GO_ON;
    slot = PAJESIM__AT(sim, const pajesim__slot, container->slots);
    if (kind != DESTROY) {
        type_name = pajesim_line_role(sim, at, PAJESIM_TYPE);
        slot += PAJESIM__TYPE_AT(sim, pajesim_find_type(sim, type_name.bytes, type_name.size))->slot;
    }
    look_up(kind, SLOT, &slot->open);
    if (kind != VARIABLE && slot->open.stack.depth < slot->open.stack.capacity)
        look_up(kind, STACK_TOP,
                PAJESIM__AT(sim, const pajesim__frame, slot->open.stack.frames) + slot->open.stack.depth -
                    (kind != PUSH));
    if (kind == DESTROY)
        look_up(kind, STACK_BOTTOM, PAJESIM__BYTES(sim, slot->open.stack.frames));
    return PAJESIM_GO_ON;
}

static char trace[8 << 20];
static size_t size;
static uint64_t arena[1 << 21];

static void add(const char *format, unsigned container, unsigned number)
{
    size += (size_t)sprintf(trace + size, format, container, number);
}

static void feed(pajesim *sim)
{
    size_t taken;
    if (pajesim_feed(sim, trace, size, &taken) != PAJESIM_OK || taken != size || pajesim_count(sim)->errors)
        printf("FAIL prefetch: the trace is not taken as a whole: %s\n", pajesim_last_problem(sim).text);
    size = 0;
}

static unsigned random_below(unsigned limit)
{
    static uint64_t state = 88172645463325252;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned)(state >> 32) % limit;
}

static const char header[] =
    "%EventDef PajeDefineContainerType 0\n% Name string\n% Type string\n%EndEventDef\n"
    "%EventDef PajeDefineStateType 1\n% Name string\n% Type string\n%EndEventDef\n"
    "%EventDef PajeDefineVariableType 2\n% Name string\n% Type string\n%EndEventDef\n"
    "%EventDef PajeDefineLinkType 3\n% Name string\n% Type string\n% StartContainerType string\n"
    "% EndContainerType string\n%EndEventDef\n"
    "%EventDef PajeCreateContainer 4\n% Time date\n% Name string\n% Type string\n% Container string\n%EndEventDef\n"
    "%EventDef PajeDestroyContainer 5\n% Time date\n% Type string\n% Name string\n%EndEventDef\n"
    "%EventDef PajePushState 6\n% Time date\n% Type string\n% Container string\n% Value string\n%EndEventDef\n"
    "%EventDef PajePopState 7\n% Time date\n% Type string\n% Container string\n%EndEventDef\n"
    "%EventDef PajeSetVariable 8\n% Time date\n% Type string\n% Container string\n% Value double\n%EndEventDef\n"
    "%EventDef PajeEndLink 9\n% Time date\n% Type string\n% Container string\n% EndContainer string\n% Value string\n"
    "% Key string\n%EndEventDef\n"
    "0 P 0\n1 S P\n2 V P\n1 T P\n3 L 0 P P\n";

/* Returns how many slots a container is behind its place in the table. */
static unsigned behind_its_place(const pajesim *sim, unsigned number)
{
    char name[20];
    const pajesim__table *table = &PAJESIM__CONST_STATE(sim)->containers;
    const pajesim__entry *entries = PAJESIM__AT(sim, const pajesim__entry, table->entries);
    const pajesim__key key = pajesim__key_of(name, (uint32_t)sprintf(name, "c%u", number));
    const pajesim_ref ref = pajesim_find_container(sim, name, key.size);
    const uint32_t mask = (UINT32_C(1) << table->log2) - 1;
    const uint32_t home = pajesim__table_home(pajesim__hash(&key, 0, 0), table->log2);
    unsigned behind = 0;
    while (behind < mask && entries[(home + behind) & mask].offset != ref)
        behind++;
    return behind;
}

/* States of those containers alone that are two slots behind their places, or more. */
static int finds_those_behind_their_places(pajesim *sim)
{
    unsigned i, times;
    memset(needed, 0, sizeof needed);
    memset(fetched, 0, sizeof fetched);
    for (times = 0; times < 50; times++)
        for (i = 0; i < CONTAINERS; i++)
            if (behind_its_place(sim, i) > 1)
                add(times % 2 ? "7 3 S c%u\n" : "6 3 S c%u x\n", i, 0);
    feed(sim);
    return needed[PUSH][CONTAINER_ID] > 100 && fetched[PUSH][CONTAINER_ID] >= 0.9 * needed[PUSH][CONTAINER_ID];
}

/* How many states of that type a container has. */
static unsigned depth_of(const pajesim *sim, const char *name, const char *type_name)
{
    const pajesim_ref container = pajesim_find_container(sim, name, strlen(name));
    const pajesim_ref type = pajesim_find_type(sim, type_name, strlen(type_name));
    const pajesim__slot *slots = PAJESIM__AT(sim, const pajesim__slot, PAJESIM__CONTAINER_AT(sim, container)->slots);
    return slots[PAJESIM__TYPE_AT(sim, type)->slot].open.stack.depth;
}

/* Lines with a word too many, of which nothing is prefetched, have their own types, not those of lines before them. */
static int keeps_apart_what_is_not_prefetched(pajesim *sim)
{
    const unsigned before[2] = {depth_of(sim, "c7", "S"), depth_of(sim, "c7", "T")};
    unsigned i, added[2] = {0, 0};
    for (i = 0; i < 3000; i++) {
        static const char *const formats[] = {"6 3 S c%u x\n", "6 3 T c%u y\n", "6 3 S c%u x more\n",
                                              "6 3 T c%u y more\n"};
        const unsigned which = random_below(4);
        add(formats[which], 7, 0);
        added[which % 2]++;
    }
    feed(sim);
    return depth_of(sim, "c7", "S") == before[0] + added[0] && depth_of(sim, "c7", "T") == before[1] + added[1];
}

/* Leaves numbers on the stack where the next call has its variables. */
static void fill_stack(void)
{
    volatile unsigned char bytes[1 << 16];
    unsigned i;
    for (i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(i % 4 == 0 ? 64 : 0);
}

/* Containers become so many that prefetching pays between two lines of a block, where a comment interrupts it. */
static int begins_within_a_block(void)
{
    static pajesim sim;
    unsigned i;
    if (pajesim_init(&sim, arena, sizeof arena, NULL, NULL, NULL) != PAJESIM_OK)
        return 0;
    size += (size_t)sprintf(trace, "%s", header);
    for (i = 0; i < 1000; i++)
        add(i % 3 ? "4 0 c%u P 0\n" : "4 0 c%u P 0\n# a comment\n", i, 0);
    fill_stack();
    if (pajesim_feed(&sim, trace, size, NULL) != PAJESIM_OK)
        return 0;
    size = 0;
    return pajesim_last_problem(&sim).code == PAJESIM_E_NONE;
}

int main(void)
{
    static pajesim sim;
    static unsigned before[2][KINDS][NEEDS];
    pajesim_callbacks callbacks;
    unsigned i, k, failed = !begins_within_a_block();
    printf("%s prefetch begins within a block%s\n", failed ? "FAIL" : "PASS",
           failed ? ": lines of a block that was not prefetched are refused; see pajesim__run_lines" : "");
    size = 0;
    unsigned char *aligned = (unsigned char *)arena;
    aligned += 64 - (uintptr_t)aligned % 64;
    memset(&callbacks, 0, sizeof callbacks);
    callbacks.line = line;
    if (pajesim_init(&sim, aligned, sizeof arena - 64, NULL, &callbacks, NULL) != PAJESIM_OK)
        return printf("FAIL prefetch: pajesim_init\n"), 1;
    size += (size_t)sprintf(trace, "%s", header);
    for (i = 0; i < CONTAINERS; i++)
        add("4 0 c%u P 0\n", i, 0);
    for (i = 0; i < CONTAINERS * DEEP; i++)
        add(i % 2 ? "6 1 S c%u x\n" : "6 1 T c%u y\n", i / 2 % CONTAINERS, 0);
    feed(&sim);
    watching = 1;
    for (i = 0; i < LINES; i++) {
        static const char *const formats[] = {"6 2 S c%u x\n", "7 2 S c%u\n", "8 2 V c%u %u\n", "6 2 T c%u y\n"};
        add(formats[i % 4], random_below(CONTAINERS), i);
        if (i % 8 == 0)
            add("9 2 L 0 c%u x k%u\n", random_below(CONTAINERS), i);
    }
    feed(&sim);
    memcpy(before[0], needed, sizeof needed);
    memcpy(before[1], fetched, sizeof fetched);
    i = !finds_those_behind_their_places(&sim);
    failed |= i;
    printf("%s prefetch containers that are behind their places%s\n", i ? "FAIL" : "PASS",
           i ? ": not fetched; see pajesim__prefetch_container" : "");
    i = !keeps_apart_what_is_not_prefetched(&sim);
    failed |= i;
    printf("%s prefetch lines with a word too many%s\n", i ? "FAIL" : "PASS",
           i ? ": they have types of other lines; see pajesim__add_target" : "");
    memcpy(needed, before[0], sizeof needed);
    memcpy(fetched, before[1], sizeof fetched);
    for (i = 0; i < CONTAINERS / 2; i++)
        add("5 4 P c%u\n", i * 1663 % CONTAINERS, 0);
    feed(&sim);
    for (i = 0; i < KINDS; i++)
        for (k = 0; k < NEEDS; k++) {
            if (!needed[i][k])
                continue;
            if (fetched[i][k] >= 0.9 * needed[i][k]) {
                printf("PASS prefetch %s: %s\n", kind_names[i], need_names[k]);
                continue;
            }
            failed = 1;
            printf("FAIL prefetch %s: %s: fetched for %u lines of %u; see src/pajesim/run/prefetch.h\n", kind_names[i],
                   need_names[k], fetched[i][k], needed[i][k]);
        }
    return (int)failed;
}
#endif
