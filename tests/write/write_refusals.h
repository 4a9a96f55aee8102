/* Cases of write.c: calls that are refused whether the checking mode is on or not. */
#ifndef TESTS_WRITE_REFUSALS_H
#define TESTS_WRITE_REFUSALS_H

#include "write.h"

/* One call that is refused: checks its status, and that it has no effect. */
static void refused(const char *name, pajewrite_status wanted, uint64_t written)
{
    pajewrite_counts counts = pajewrite_count(&w);
    pajewrite_status status = pajewrite_finish(&w);
    if (status != wanted || counts.refused != 1 || counts.written != written || counts.dropped)
        fail("%s: status %s, %" PRIu64 " refused, %" PRIu64 " written, %" PRIu64 " dropped", name,
             pajewrite_status_text(status), counts.refused, counts.written, counts.dropped);
}

static void refusals(void)
{
    static const char *const names[] = {"a\"b", "a'b", "a%", "#a", "a,b", "\n", "", "a\tb", "\x7f", "\x01"};
    static const char *const colors[] = {"", "red", "1 2", "1 2 3 4 5", "1 2 3 ", "1,2,3", "12345", "1..2 3 4",
                                         " 1 2 3",
                                         "1 2 3\n", "1 . 3", "1  2 3", "12345g",
                                         "0.00000000000000000001 0.00000000000000000002 0.0000000000000000003"};
    static const char *const variants[] = {"Size", "Size integer", "Size int,", "Si ze int", "Size int; X int",
                                           "Size  int", "Size,int", "Size,int A int",
                                           ("A int, B int, C int, D int, E int, F int, G int, H int, I int, J int, "
                                            "K int, L int, M int, N int, O int, P int"),
                                           "\"A\" int", "Size in", "Size intt"};
    static const char *const taken[] = {"A int, A int", "A", "Type string", "Type", "SourceContainer string",
                                        "SourceContainer",
                                        "A int, Value string", "Value"};
    pajewrite_config config;
    pajewrite_fields fields;
    pajewrite_event event;
    static char big[5000];
    uint32_t i;
#define FRESH() (config = config_of(), pajewrite_init(&w, buffer, 2000, &config))
    for (i = 0; i < sizeof names / sizeof *names; i++) {
        config = config_of();
        config.names = PAJEWRITE_REFUSE;
        pajewrite_init(&w, buffer, 2000, &config);
        pajewrite_define_container_type(&w, GROUP, PAJEWRITE_ROOT_TYPE, names[i]);
        refused("name", PAJEWRITE_E_NAME, 0);
    }
    for (i = 0; i < 2; i++) {
        pajewrite_init(&w, buffer, 2000, &config);
        memset(&event, 0, sizeof event);
        event.kind = PAJEWRITE_TRACE_FILE;
        if (i)
            pajewrite_write(&w, &event, NULL);
        else
            pajewrite_trace_file(&w, PAJEWRITE_ROOT, GROUP, NULL);
        refused("no name of a file", PAJEWRITE_E_NAME, 0);
    }
    for (i = 0; i < sizeof colors / sizeof *colors; i++) {
        FRESH();
        pajewrite_define_value(&w, PAJEWRITE_VALUE(1), STATE, "a", colors[i]);
        refused("color", PAJEWRITE_E_COLOR, 0);
    }
    for (i = 0; i < sizeof variants / sizeof *variants; i++) {
        FRESH();
        if (pajewrite_define_variant(&w, PAJEWRITE_PUSH_STATE, variants[i]).number)
            fail("variant %s is accepted", variants[i]);
        refused("variant", PAJEWRITE_E_VARIANT, 0);
    }
    for (i = 0; i < sizeof taken / sizeof *taken; i += 2) { /* the problem names the field */
        const char *problem;
        FRESH();
        if (pajewrite_define_variant(&w, PAJEWRITE_PUSH_STATE, taken[i]).number)
            fail("variant %s is accepted", taken[i]);
        problem = strrchr(pajewrite_problem(&w), ' ');
        if (!problem || strcmp(problem + 1, taken[i + 1]) != 0)
            fail("variant %s: problem: %s", taken[i], pajewrite_problem(&w));
        refused("field name", PAJEWRITE_E_FIELD_NAME, 0);
    }
    FRESH();
    memset(&event, 0, sizeof event);
    event.kind = (pajewrite_kind)77;
    pajewrite_write(&w, &event, NULL);
    refused("kind", PAJEWRITE_E_KIND, 0);
    for (i = 0; i < 2; i++) {
        static const pajewrite_variant none = {0, PAJEWRITE__BEFORE_KINDS, 0};
        FRESH();
        if (i)
            pajewrite_write(&w, NULL, NULL);
        else
            pajewrite_write_ints(&w, NULL, none, NULL, 0);
        refused("no event", PAJEWRITE_E_KIND, 0);
    }
    FRESH();
    memset(big, 'x', sizeof big - 1);
    pajewrite_define_container_type(&w, GROUP, PAJEWRITE_ROOT_TYPE, big);
    refused("long name", PAJEWRITE_E_TOO_LONG, 0);

    FRESH();
    pajewrite_set_variable_double_at(&w, 1, PAJEWRITE_ROOT, GAUGE, strtod("inf", NULL));
    refused("infinity", PAJEWRITE_E_NUMBER, 0);
    FRESH();
    pajewrite_set_variable_double_at(&w, 1, PAJEWRITE_ROOT, GAUGE, strtod("nan", NULL));
    refused("not a number", PAJEWRITE_E_NUMBER, 0);
    config = config_of();
    config.origin = 1000;
    pajewrite_init(&w, buffer, 2000, &config);
    pajewrite_push_state_at(&w, 999, PAJEWRITE_ROOT, STATE, PAJEWRITE_VALUE(1));
    refused("before the origin", PAJEWRITE_E_TIME, 0);

    for (i = 0; i < 5; i++) {
        FRESH();
        fields = pajewrite_fields_of(pajewrite_define_variant(&w, PAJEWRITE_PUSH_STATE, "Size int"));
        memset(&event, 0, sizeof event);
        event.kind = i == 0 ? PAJEWRITE_SET_STATE : PAJEWRITE_PUSH_STATE;
        if (i == 1)
            ;
        else if (i == 4)
            pajewrite_field_string(&fields, big);
        else
            pajewrite_field_int(&fields, 1);
        if (i == 2)
            pajewrite_field_int(&fields, 1);
        if (i == 3)
            memset(&fields.variant, 0, sizeof fields.variant); /* of a refused definition */
        pajewrite_write(&w, &event, &fields);
        refused("fields", PAJEWRITE_E_FIELDS, 1);
    }
    for (i = 0; i < 2; i++) {
        config = config_of();
        config.names = PAJEWRITE_REFUSE;
        pajewrite_init(&w, buffer, 2000, &config);
        fields = pajewrite_fields_of(pajewrite_define_variant(&w, PAJEWRITE_PUSH_STATE,
                                                              i ? "Size double" : "Note string"));
        if (i)
            pajewrite_field_double(&fields, strtod("nan", NULL));
        else
            pajewrite_field_string(&fields, "two\nlines");
        memset(&event, 0, sizeof event);
        event.kind = PAJEWRITE_PUSH_STATE;
        pajewrite_write(&w, &event, &fields);
        refused("a field", i ? PAJEWRITE_E_NUMBER : PAJEWRITE_E_NAME, 1);
    }
    config = config_of();
    config.alias_first = PAJEWRITE_TYPE_MAX;
    pajewrite_init(&w, buffer, 2000, &config);
    if (pajewrite_new_type_in(&w, 31).alias != UINT32_MAX || pajewrite_new_type(&w).alias)
        fail("types beyond the last alias");
    refused("aliases", PAJEWRITE_E_ALIASES, 0);
    FRESH();
    pajewrite_finish(&w);
    pajewrite_push_state_at(&w, 5, PAJEWRITE_ROOT, STATE, PAJEWRITE_VALUE(1));
    if (out.calls || pajewrite_count(&w).written || pajewrite_count(&w).dropped != 1)
        fail("an event after finish is written");
    if (pajewrite_get_status(&w) != PAJEWRITE_E_CLOSED || pajewrite_finish(&w) != PAJEWRITE_E_CLOSED)
        fail("an event after finish is not told");
    FRESH();
    pajewrite_finish(&w);
    pajewrite_define_value(&w, PAJEWRITE_VALUE(1), STATE, "late", NULL);
    if (pajewrite_finish(&w) != PAJEWRITE_E_CLOSED)
        fail("a definition after finish is not told");
    config.sink = NULL;
    pajewrite_init(&w, buffer, 2000, &config);
    pajewrite_push_state_at(&w, 5, PAJEWRITE_ROOT, STATE, PAJEWRITE_VALUE(1));
    if (pajewrite_get_status(&w) || pajewrite_finish(&w) != PAJEWRITE_E_NO_SINK || pajewrite_count(&w).dropped != 1)
        fail("a sink that there is not is not told");
    end_case("refusals");
}

#endif
