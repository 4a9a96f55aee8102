/* A replay small enough for a machine without an operating system: small_replay() returns 0 if all results are right.
 * It needs nothing but the header, and is C99 and C++11. */
#ifndef TESTS_SMALL_H
#define TESTS_SMALL_H

typedef struct {
    unsigned entities[6]; /* by kind */
    unsigned right;       /* numbers and times that are right to the last bit */
} small_sums;

/* volatile memory, where numbers have the precision of a double: x87 registers have more. */
static int small_same(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

static int small_closed(pajesim *sim, const pajesim_entity *entity)
{
    small_sums *sums = (small_sums *)pajesim_data(sim);
    sums->entities[entity->kind]++;
    if (entity->kind == PAJESIM_VARIABLE)
        sums->right += small_same(entity->number, entity->start < 0.2 ? 1234.5 : -1e-3) &&
                       small_same(entity->end, entity->start < 0.2 ? 0.25 : 4.1);
    else if (entity->kind == PAJESIM_STATE)
        sums->right += small_same(entity->start, entity->imbrication ? 1.5 : 1.25) &&
                       small_same(entity->end, entity->imbrication ? 2.75 : 4.1);
    else if (entity->kind == PAJESIM_LINK)
        sums->right += small_same(entity->start, 2.3) && small_same(entity->end, 3.5);
    return PAJESIM_GO_ON;
}

static int small_replay(void)
{
    static const char trace[] =
        "%EventDef PajeDefineContainerType 1\n% Name string\n% Type string\n%EndEventDef\n"
        "%EventDef PajeDefineStateType 2\n% Name string\n% Type string\n%EndEventDef\n"
        "%EventDef PajeDefineVariableType 3\n% Name string\n% Type string\n%EndEventDef\n"
        "%EventDef PajeDefineEventType 4\n% Name string\n% Type string\n%EndEventDef\n"
        "%EventDef PajeDefineLinkType 5\n% Name string\n% Type string\n% StartContainerType string\n"
        "% EndContainerType string\n%EndEventDef\n"
        "%EventDef PajeCreateContainer 6\n% Time date\n% Name string\n% Type string\n% Container string\n%EndEventDef\n"
        "%EventDef PajePushState 7\n% Time date\n% Type string\n% Container string\n% Value string\n%EndEventDef\n"
        "%EventDef PajePopState 8\n% Time date\n% Type string\n% Container string\n%EndEventDef\n"
        "%EventDef PajeSetVariable 9\n% Time date\n% Type string\n% Container string\n% Value double\n%EndEventDef\n"
        "%EventDef PajeNewEvent 10\n% Time date\n% Type string\n% Container string\n% Value string\n%EndEventDef\n"
        "%EventDef PajeStartLink 11\n% Time date\n% Type string\n% Container string\n% StartContainer string\n"
        "% Value string\n% Key string\n%EndEventDef\n"
        "%EventDef PajeEndLink 12\n% Time date\n% Type string\n% Container string\n% EndContainer string\n"
        "% Value string\n% Key string\n%EndEventDef\n"
        "1 P 0\n2 S P\n3 V P\n4 E P\n5 L 0 P P\n"
        "6 0 \"process 1\" P 0\n6 0.5 p2 P 0\n"
        "7 1.25 S p2 a\n7 1.5 S p2 \"b c\"\n8 2.75 S p2\n"
        "9 0.125 V p2 1234.5\n9 0.25 V p2 -1e-3 # a comment\r\n"
        "10 2 E \"process 1\" beep\n11 2.3 L 0 p2 m k\n12 3.5 L 0 \"process 1\" m k\n10 4.1 E p2 beep";
    static uint64_t arena[1 << 13];
    small_sums sums;
    pajesim_options options;
    pajesim_callbacks callbacks;
    pajesim sim;
    size_t i, taken;

    memset(&sums, 0, sizeof sums);
    memset(&options, 0, sizeof options);
    memset(&callbacks, 0, sizeof callbacks);
    options.strict = 1;
    callbacks.closed = small_closed;
    if (pajesim_version() != PAJESIM_VERSION)
        return 1;
    if (pajesim_init(&sim, arena, sizeof arena, &options, &callbacks, &sums) != PAJESIM_OK)
        return 2;
    for (i = 0; i < sizeof trace - 1; i += taken) {
        size_t piece = sizeof trace - 1 - i < 100 ? sizeof trace - 1 - i : 100;
        if (pajesim_feed(&sim, trace + i, piece, &taken) != PAJESIM_OK || taken != piece)
            return 3;
    }
    if (pajesim_finish(&sim) != PAJESIM_OK)
        return 4;
    if (sums.entities[PAJESIM_STATE] != 2 || sums.entities[PAJESIM_VARIABLE] != 2 || sums.entities[PAJESIM_LINK] != 1 ||
        sums.entities[PAJESIM_EVENT] != 2 || sums.entities[PAJESIM_CONTAINER] < 2)
        return 5;
    return sums.right == 5 && small_same(pajesim_count(&sim)->last, 4.1) ? 0 : 6;
}

#endif
