/* Cases of write.c: what the checking mode refuses, and what a context learns from another.
 * With PAJEWRITE_CHECK=0: what is let through. */
#ifndef TESTS_WRITE_CHECKING_H
#define TESTS_WRITE_CHECKING_H

#include "write_refusals.h"

#if PAJEWRITE_CHECK
/* The checking mode refuses what a strict reader refuses: any calls, with few handles. */
static pajewrite_event random_call(uint64_t *time)
{
    static const pajewrite_type types[] = {{0}, {1}, {2}, {3}, {4}, {5}, {6}, {7}, {8}, {9}};
    static const char *const names[] = {NULL, "1", "2", "3", "name", "00"};
    static const char *const keys[] = {NULL, NULL, "a", "b"};
    pajewrite_event event;
    memset(&event, 0, sizeof event);
    event.kind = (pajewrite_kind)(PAJEWRITE_DEFINE_CONTAINER_TYPE + (below(3) ? 6 + below(12) : below(8)));
    event.type = types[below(10)];
    event.of = types[below(4)];
    event.start_type = types[below(4)];
    event.end_type = types[below(4)];
    event.container.alias = below(7);
    event.other.alias = below(7);
    event.value.alias = 1 + below(3);
    event.integer = below(9);
    event.key = below(6);
    event.name = event.kind == PAJEWRITE_START_LINK || event.kind == PAJEWRITE_END_LINK ? keys[below(4)]
                                                                                        : names[below(6)];
    if (event.kind == PAJEWRITE_DEFINE_VALUE) { /* not all readers refuse identifiers that were used before, so there
                                                 * are none here */
        event.value.alias += 3;
        event.name = below(2) ? "5" : "name";
    }
    *time += below(3);
    event.time = *time - (below(10) ? 0 : below(4));
    return event;
}

static char *accepted;
static size_t accepted_size, accepted_room;
static int read_accepted(pajesim *sim, const pajesim_line *line)
{
    pajesim_field field;
    uint32_t i;
    if (accepted_size + 1000 > accepted_room) {
        accepted_room = accepted_room * 2 + 4096;
        accepted = (char *)realloc(accepted, accepted_room);
        if (!accepted)
            exit(3);
    }
    accepted_size += (size_t)snprintf(accepted + accepted_size, 100, "%s", pajesim_event_name(line->event));
    for (i = 0; i < line->count && pajesim_line_field(sim, line, i, &field); i++)
        accepted_size += (size_t)snprintf(accepted + accepted_size, 100, " %.*s", (int)field.text.size,
                                          field.text.bytes);
    accepted_size += (size_t)snprintf(accepted + accepted_size, 2, "\n");
    return PAJESIM_GO_ON;
}

static uint64_t told; /* problems that count as errors, and others */
static int read_error(pajesim *sim, const pajesim_problem *problem)
{
    (void)sim;
    if (problem->severity == PAJESIM_ERROR && problem->code != PAJESIM_E_LINK_PENDING && told++ == 0 && !wants_errors)
        fail("line %" PRIu64 ": %s: %.*s", problem->line, problem->text, (int)problem->bytes.size,
             problem->bytes.bytes);
    return PAJESIM_GO_ON;
}

/* The lines of a trace that a strict reader accepts, as text. */
static void accept_lines(const char *bytes, size_t size)
{
    static uint64_t arena[1 << 17];
    pajesim_callbacks callbacks;
    pajesim_options options;
    pajesim sim;
    memset(&callbacks, 0, sizeof callbacks);
    memset(&options, 0, sizeof options);
    options.strict = 1;
    callbacks.line = read_accepted;
    callbacks.problem = read_error;
    accepted_size = 0;
    told = 0;
    pajesim_init(&sim, arena, sizeof arena, &options, &callbacks, NULL);
    if (pajesim_feed(&sim, bytes, size, NULL) != PAJESIM_OK)
        fail("pajesim_feed fails");
    pajesim_finish(&sim);
}

static void checking(void)
{
    uint32_t i, j, refused_calls = 0, accepted_calls = 0;
    for (i = 0; i < 3000 && !fault[0]; i++) {
        char *of_strict = NULL;
        size_t size_strict = 0;
        int checks;
        for (checks = 0; checks < 2; checks++) {
            uint64_t time = 10;
            pajewrite_config config = config_of();
            config.table = checks ? table : NULL;
            config.table_entries = 1000;
            seed = i;
            pajewrite_init(&w, buffer, sizeof buffer, &config);
            pajewrite_header(&w);
            pajewrite_define_container_type(&w, PAJEWRITE_TYPE(1), PAJEWRITE_ROOT_TYPE, "group");
            pajewrite_define_container_type(&w, PAJEWRITE_TYPE(2), PAJEWRITE_TYPE(1), "thread");
            for (j = 0; j < 150; j++) {
                pajewrite_event event = random_call(&time);
                pajewrite_write(&w, &event, NULL);
            }
            refused_calls += (uint32_t)pajewrite_count(&w).refused;
            pajewrite_flush(&w);
            wants_errors = !checks;
            accept_lines(out.bytes, out.size);
            wants_errors = 0;
            if (!checks) {
                size_strict = accepted_size;
                of_strict = (char *)malloc(size_strict + 1);
                memcpy(of_strict, accepted, size_strict + 1);
            } else if (accepted_size != size_strict || memcmp(accepted, of_strict, size_strict) != 0) {
                size_t k = 0, from = 0;
                while (k < size_strict && k < accepted_size && accepted[k] == of_strict[k])
                    from = accepted[k++] == '\n' ? k : from;
                fail("seed %u: of the same calls, strict readers accept %.70s; let through is %.70s", i,
                     of_strict + from, accepted + from);
            }
            accepted_calls += checks ? (uint32_t)pajewrite_count(&w).written : 0;
        }
        free(of_strict);
    }
    if (!fault[0]) {
        pajewrite_config config = config_of();
        config.table = table;
        config.table_entries = 1000;
        pajewrite_init(&w, buffer, sizeof buffer, &config);
        pajewrite_define_state_type(&w, PAJEWRITE_TYPE(1), PAJEWRITE_ROOT_TYPE, "state");
        pajewrite_define_value(&w, PAJEWRITE_VALUE(5), PAJEWRITE_TYPE(1), "a", NULL);
        pajewrite_define_value(&w, PAJEWRITE_VALUE(6), PAJEWRITE_TYPE(1), "5", NULL);
        refused("name that is an alias", PAJEWRITE_E_VALUE, 2);
        config = config_of();
        config.table = table;
        config.table_entries = 1000;
        pajewrite_init(&w, buffer, sizeof buffer, &config);
        pajewrite_define_event_type(&w, PAJEWRITE_TYPE(1), PAJEWRITE_ROOT_TYPE, "event");
        pajewrite_new_event(&w, PAJEWRITE_ROOT, PAJEWRITE_TYPE(1), PAJEWRITE_VALUE(7));
        pajewrite_define_value(&w, PAJEWRITE_VALUE(7), PAJEWRITE_TYPE(1), "late", NULL);
        refused("value after its use", PAJEWRITE_E_VALUE, 2);
    }
    if (!fault[0] && (refused_calls < 1000 || accepted_calls < 1000))
        fail("%u calls refused, %u accepted", refused_calls, accepted_calls);
    end_case("checking mode refuses what a strict reader refuses");
}

/* Begins a checked trace of two containers, with a state that was pushed at 10, and a link. */
static void begin_checked(void)
{
    pajewrite_config config = config_of();
    config.table = table;
    config.table_entries = 1000;
    pajewrite_init(&w, buffer, sizeof buffer, &config);
    pajewrite_header(&w);
    pajewrite_define_container_type(&w, PAJEWRITE_TYPE(1), PAJEWRITE_ROOT_TYPE, "thread");
    pajewrite_define_state_type(&w, PAJEWRITE_TYPE(2), PAJEWRITE_TYPE(1), "state");
    pajewrite_define_link_type(&w, PAJEWRITE_TYPE(3), PAJEWRITE_ROOT_TYPE, PAJEWRITE_TYPE(1), PAJEWRITE_TYPE(1),
                               "link");
    pajewrite_create_container_at(&w, 0, PAJEWRITE_CONTAINER(1), PAJEWRITE_TYPE(1), PAJEWRITE_ROOT, "a");
    pajewrite_create_container_at(&w, 0, PAJEWRITE_CONTAINER(2), PAJEWRITE_TYPE(1), PAJEWRITE_ROOT, "b");
    pajewrite_push_state_at(&w, 10, PAJEWRITE_CONTAINER(1), PAJEWRITE_TYPE(2), PAJEWRITE_VALUE(1));
    pajewrite_start_link_at(&w, 10, PAJEWRITE_ROOT, PAJEWRITE_TYPE(3), PAJEWRITE_VALUE(1), PAJEWRITE_CONTAINER(1), 7);
}

/* Expects that one more call is refused, with this status. */
static void refused_next(const char *name, pajewrite_status wanted)
{
    pajewrite_counts counts = pajewrite_count(&w);
    if (pajewrite_get_status(&w) != wanted || counts.refused != 1 || counts.dropped)
        fail("%s: status %s, %" PRIu64 " refused", name, pajewrite_status_text(pajewrite_get_status(&w)),
             counts.refused);
}

/* Keys that are written alike are the same key to readers. */
static void same_key(const char *first, const char *second)
{
    pajewrite_event event = PAJEWRITE__ZERO;
    begin_checked();
    event.kind = PAJEWRITE_START_LINK;
    event.type.alias = 3;
    event.value.alias = event.other.alias = 1;
    event.time = 11;
    event.name = first;
    pajewrite_write(&w, &event, NULL);
    event.name = second;
    pajewrite_write(&w, &event, NULL);
    refused_next("a key that is written as another one", PAJEWRITE_E_KEY);
}

static void out_of_order(void)
{
    const pajewrite_type state = PAJEWRITE_TYPE(2), link = PAJEWRITE_TYPE(3);
    begin_checked();
    pajewrite_push_state_at(&w, 9, PAJEWRITE_CONTAINER(1), state, PAJEWRITE_VALUE(1));
    refused_next("an event before the last", PAJEWRITE_E_ORDER);
    begin_checked();
    pajewrite_destroy_container_at(&w, 9, PAJEWRITE_CONTAINER(1), PAJEWRITE_TYPE(1));
    refused_next("an end before the last event", PAJEWRITE_E_ORDER);
    begin_checked();
    pajewrite_create_container_at(&w, 20, PAJEWRITE_CONTAINER(3), PAJEWRITE_TYPE(1), PAJEWRITE_ROOT, "c");
    pajewrite_destroy_container_at(&w, 19, PAJEWRITE_CONTAINER(3), PAJEWRITE_TYPE(1));
    refused_next("an end before the beginning", PAJEWRITE_E_ORDER);
    begin_checked();
    pajewrite_define_container_type(&w, PAJEWRITE_TYPE(4), PAJEWRITE_ROOT_TYPE, "0");
    refused_next("the name of the root type", PAJEWRITE_E_TYPE);
    begin_checked();
    pajewrite_end_link_at(&w, 11, PAJEWRITE_ROOT, link, PAJEWRITE_VALUE(2), PAJEWRITE_CONTAINER(2), 7);
    refused_next("another value at the end of a link", PAJEWRITE_E_VALUE);
    begin_checked();
    pajewrite_start_link_at(&w, 11, PAJEWRITE_ROOT, link, PAJEWRITE_VALUE(1), PAJEWRITE_CONTAINER(1), 7);
    refused_next("the start of a link once more", PAJEWRITE_E_KEY);
    same_key("a,b", "a\nb");
    same_key("", "_");
    begin_checked();
    pajewrite_end_link_at(&w, 11, PAJEWRITE_ROOT, link, PAJEWRITE_VALUE(1), PAJEWRITE_CONTAINER(2), 7);
    pajewrite_start_link_at(&w, 12, PAJEWRITE_ROOT, link, PAJEWRITE_VALUE(1), PAJEWRITE_CONTAINER(1), 8);
    pajewrite_end_link_at(&w, 10, PAJEWRITE_ROOT, link, PAJEWRITE_VALUE(1), PAJEWRITE_CONTAINER(2), 8);
    refused_next("a link that is complete before the last one", PAJEWRITE_E_ORDER);
    begin_checked();
    pajewrite_end_link_at(&w, 11, PAJEWRITE_ROOT, link, PAJEWRITE_VALUE(1), PAJEWRITE_CONTAINER(2), 7);
    pajewrite_push_state_at(&w, 10, PAJEWRITE_CONTAINER(1), state, PAJEWRITE_VALUE(1));
    if (pajewrite_finish(&w) || pajewrite_count(&w).refused)
        fail("good calls: status %s", pajewrite_status_text(pajewrite_get_status(&w)));
    end_case("checking mode refuses what goes back in time");
}

/* Begins a checked trace of a process with two threads, and another one; in the second thread are two states. */
static void begin_threads(void)
{
    uint32_t i;
    pajewrite_config config = config_of();
    config.table = table;
    config.table_entries = 1000;
    config.when_full = PAJEWRITE_DROP; /* so that each state is known */
    pajewrite_init(&w, buffer, sizeof buffer, &config);
    pajewrite_define_container_type(&w, GROUP, PAJEWRITE_ROOT_TYPE, "process");
    pajewrite_define_container_type(&w, THREAD, GROUP, "thread");
    pajewrite_define_state_type(&w, STATE, THREAD, "state");
    pajewrite_define_event_type(&w, MARK, THREAD, "mark");
    pajewrite_create_container_at(&w, 0, PAJEWRITE_CONTAINER(1), GROUP, PAJEWRITE_ROOT, "process");
    for (i = 2; i < 4; i++)
        pajewrite_create_container_at(&w, 0, PAJEWRITE_CONTAINER(i), THREAD, PAJEWRITE_CONTAINER(1), "thread");
    pajewrite_create_container_at(&w, 0, PAJEWRITE_CONTAINER(4), GROUP, PAJEWRITE_ROOT, "process");
    pajewrite_push_state_at(&w, 5, PAJEWRITE_CONTAINER(3), STATE, PAJEWRITE_VALUE(1));
    pajewrite_push_state_at(&w, 10, PAJEWRITE_CONTAINER(3), STATE, PAJEWRITE_VALUE(1));
    pajewrite_new_event_at(&w, 7, PAJEWRITE_CONTAINER(3), MARK, PAJEWRITE_VALUE(1));
}

static void ends_of_containers(void)
{
    size_t entries;
    begin_threads();
    pajewrite_destroy_container_at(&w, 9, PAJEWRITE_CONTAINER(3), THREAD);
    refused_next("an end before the last event of a state", PAJEWRITE_E_ORDER);
    begin_threads();
    pajewrite_destroy_container_at(&w, 6, PAJEWRITE_CONTAINER(1), GROUP);
    refused_next("an end before the last event within", PAJEWRITE_E_ORDER);
    begin_threads();
    pajewrite_destroy_container_at(&w, 3, PAJEWRITE_CONTAINER(2), THREAD);
    pajewrite_destroy_container_at(&w, 6, PAJEWRITE_CONTAINER(1), GROUP);
    refused_next("an end before the last event of who is left within", PAJEWRITE_E_ORDER);
    begin_threads();
    pajewrite_destroy_container_at(&w, 11, PAJEWRITE_CONTAINER(1), GROUP);
    pajewrite_new_event_at(&w, 12, PAJEWRITE_CONTAINER(2), MARK, PAJEWRITE_VALUE(1));
    refused_next("an event on what ended with its parent", PAJEWRITE_E_CONTAINER);
    begin_threads();
    pajewrite_destroy_container_at(&w, 11, PAJEWRITE_CONTAINER(2), THREAD);
    entries = w.entries;
    pajewrite_new_event_at(&w, 11, PAJEWRITE_CONTAINER(3), MARK, PAJEWRITE_VALUE(1));
    pajewrite_destroy_container_at(&w, 11, PAJEWRITE_CONTAINER(3), THREAD);
    if (pajewrite_get_status(&w) || w.entries != entries - 4)
        fail("the end of a container with two pairs and two states leaves %zu entries of %zu", w.entries, entries);
    entries = w.entries;
    pajewrite_destroy_container_at(&w, 11, PAJEWRITE_CONTAINER(1), GROUP);
    if (pajewrite_finish(&w) || w.entries != entries || count_lines("17 ") != 4)
        fail("%zu containers end: status %s", count_lines("17 "), pajewrite_status_text(pajewrite_get_status(&w)));
    end_case("a container ends with all that is in it, and not before");
}

/* The last event of what is within a container is found in whatever slot of the table it is. */
static void ends_in_each_slot(void)
{
    enum { SLOTS = 16 };
    uint32_t i, found = 0;
    for (i = 2; i < 300; i++) {
        pajewrite_config config = config_of();
        config.table = table;
        config.table_entries = SLOTS;
        pajewrite_init(&w, buffer, sizeof buffer, &config);
        pajewrite_define_container_type(&w, GROUP, PAJEWRITE_ROOT_TYPE, "process");
        pajewrite_define_container_type(&w, THREAD, GROUP, "thread");
        pajewrite_define_state_type(&w, STATE, THREAD, "state");
        pajewrite_create_container_at(&w, 0, PAJEWRITE_CONTAINER(1), GROUP, PAJEWRITE_ROOT, "process");
        pajewrite_create_container_at(&w, 0, PAJEWRITE_CONTAINER(i), THREAD, PAJEWRITE_CONTAINER(1), "thread");
        pajewrite_set_state_at(&w, 10, PAJEWRITE_CONTAINER(i), STATE, PAJEWRITE_VALUE(1));
        found |= UINT32_C(1) << (pajewrite__find(&w, PAJEWRITE__PAIR_ENTRY, i, pajewrite__alias(STATE), 0) - table);
        pajewrite_destroy_container_at(&w, 5, PAJEWRITE_CONTAINER(1), GROUP);
        if (pajewrite_get_status(&w) != PAJEWRITE_E_ORDER)
            fail("container %u ends before its last event", i);
        pajewrite_finish(&w);
    }
    if (!(found & 1) || !(found >> (SLOTS - 1)))
        fail("it was in slots %x only", found);
    end_case("a container ends not before what is in it, wherever that is in the table");
}

/* Two contexts of one trace, each in a thread of its own: each may use what it has learned from the other. */
static pajewrite learned;
static pajewrite_variant tagged;

static void *use_what_was_learned(void *data)
{
    const pajewrite_container process = {1}, thread = {3};
    pajewrite_variant variant = pajewrite_define_variant(&learned, PAJEWRITE_NEW_EVENT, "Tag hex");
    pajewrite_fields fields = pajewrite_fields_of(tagged);
    pajewrite_event event;
    uint32_t i;
    pajewrite_create_container_at(&learned, 2, thread, THREAD, process, "of the other");
    pajewrite_field_int(&fields, 1);
    memset(&event, 0, sizeof event);
    event.kind = PAJEWRITE_NEW_EVENT;
    event.container = thread;
    event.type = MARK;
    event.time = 3;
    event.value.alias = 1;
    pajewrite_write(&learned, &event, &fields);
    fields = pajewrite_fields_of(variant);
    pajewrite_field_hex(&fields, 1);
    pajewrite_write(&learned, &event, &fields);
    for (i = 0; i < 1000; i++) {
        pajewrite_push_state_at(&learned, 10 + i, thread, STATE, PAJEWRITE_VALUE(1));
        pajewrite_end_link_at(&learned, 10 + i, process, LINK, PAJEWRITE_VALUE(1), thread, i);
        if (i % 2)
            pajewrite_pop_state_at(&learned, 10 + i, thread, STATE);
    }
    pajewrite_push_state_at(&learned, 2500, process, PAJEWRITE_TYPE(77), PAJEWRITE_VALUE(1));
    pajewrite_flush(&learned);
    return data;
}

static void learning(void)
{
    static pajewrite_entry tables[2][1000];
    static char second[1 << 12];
    const pajewrite_container process = {1}, thread = {2}, other = {3};
    FILE *stream = tmpfile();
    pajewrite_config config = config_of();
    pajewrite_file file;
    pthread_t writing;
    uint32_t i, refusal;
    if (!stream)
        exit(3);
    pajewrite_file_init(&file, fileno(stream));
    config.sink = pajewrite_to_file;
    config.sink_data = &file;
    config.table_entries = 1000;
    config.alias_step = 2;
    config.alias_first = 1;
    config.table = tables[0];
    pajewrite_init(&w, buffer, 4096, &config);
    config.alias_first = 2;
    config.table = tables[1];
    pajewrite_header(&w);
    pajewrite_define_container_type(&w, GROUP, PAJEWRITE_ROOT_TYPE, "process");
    pajewrite_define_container_type(&w, THREAD, GROUP, "thread");
    pajewrite_define_state_type(&w, STATE, THREAD, "state");
    pajewrite_define_state_type(&w, PAJEWRITE_TYPE(77), GROUP, "state of a process");
    pajewrite_define_event_type(&w, MARK, THREAD, "mark");
    pajewrite_define_link_type(&w, LINK, GROUP, THREAD, THREAD, "link");
    pajewrite_define_value(&w, PAJEWRITE_VALUE(1), STATE, "value", NULL);
    tagged = pajewrite_define_variant(&w, PAJEWRITE_NEW_EVENT, "Size int");
    pajewrite_define_variant(&w, PAJEWRITE_SET_STATE, "Size int");
    pajewrite_create_container_at(&w, 1, process, GROUP, PAJEWRITE_ROOT, "process");
    pajewrite_create_container_at(&w, 1, thread, THREAD, process, "of the one");
    for (i = 200; i < 220; i++)
        pajewrite_define_container_type(&w, PAJEWRITE_TYPE(i), GROUP, NULL);
    pajewrite_flush(&w);

    for (refusal = 0; refusal < 6; refusal++) { /* with (except for 0) and without what was learned */
        static const pajewrite_status wanted[2][6] = {
            {PAJEWRITE_E_CONTAINER, PAJEWRITE_OK, PAJEWRITE_OK, PAJEWRITE_E_TYPE, PAJEWRITE_E_CONTAINER,
             PAJEWRITE_E_TYPE},
            {PAJEWRITE_OK, PAJEWRITE_E_TYPE, PAJEWRITE_E_CONTAINER, PAJEWRITE_E_VALUE, PAJEWRITE_E_MISMATCH,
             PAJEWRITE_E_TYPE}};
        int learns;
        for (learns = 0; learns < 2; learns++) {
            pajewrite_config apart = config;
            apart.sink = to_memory;
            apart.sink_data = &out;
            pajewrite_init(&learned, second, sizeof second, &apart);
            if (learns)
                pajewrite_learn(&learned, &w);
            switch (refusal) {
            case 0: pajewrite_push_state_at(&learned, 5, thread, STATE, PAJEWRITE_VALUE(1)); break;
            case 1: pajewrite_define_container_type(&learned, GROUP, PAJEWRITE_ROOT_TYPE, "twice"); break;
            case 2:
                pajewrite_define_container_type(&learned, PAJEWRITE_TYPE(8), PAJEWRITE_ROOT_TYPE, "new");
                pajewrite_create_container_at(&learned, 5, process, PAJEWRITE_TYPE(8), PAJEWRITE_ROOT, "twice");
                break;
            case 3: pajewrite_define_value(&learned, PAJEWRITE_VALUE(1), STATE, "twice", NULL); break;
            case 4: pajewrite_push_state_at(&learned, 5, process, STATE, PAJEWRITE_VALUE(1)); break;
            default: pajewrite_define_state_type(&learned, PAJEWRITE_TYPE(9), STATE, "of a state");
            }
            if (pajewrite_get_status(&learned) != wanted[learns][refusal])
                fail("call %u, %s: status %s", refusal, learns ? "learned" : "not learned",
                     pajewrite_status_text(pajewrite_get_status(&learned)));
        }
    }

    config.table_entries = 16;
    pajewrite_init(&learned, second, sizeof second, &config);
    pajewrite_learn(&learned, &w);
    if (pajewrite_get_status(&learned) != PAJEWRITE_E_TABLE_FULL)
        fail("learned more than there is room for: status %s", pajewrite_status_text(pajewrite_get_status(&learned)));
    config.table_entries = 1000;
    pajewrite_init(&learned, second, sizeof second, &config);
    pajewrite_learn(&learned, &w);
    if (pthread_create(&writing, NULL, use_what_was_learned, NULL))
        exit(3);
    for (i = 0; i < 1000; i++) {
        pajewrite_push_state_at(&w, 10 + i, thread, STATE, PAJEWRITE_VALUE(1));
        pajewrite_start_link_at(&w, 10 + i, process, LINK, PAJEWRITE_VALUE(1), thread, i);
        if (i % 2)
            pajewrite_pop_state_at(&w, 10 + i, thread, STATE);
    }
    pthread_join(writing, NULL);
    pajewrite_learn(&w, &learned);
    pajewrite_start_link_at(&w, 3000, process, LINK, PAJEWRITE_VALUE(1), other, 3000);
    pajewrite_end_link_at(&w, 3000, process, LINK, PAJEWRITE_VALUE(1), other, 3000);
    pajewrite_flush(&w); /* before anything that it uses is destroyed */
    if (pajewrite_finish(&learned) || pajewrite_finish(&w))
        fail("status: %s, %s", pajewrite_status_text(pajewrite_get_status(&learned)),
             pajewrite_status_text(pajewrite_get_status(&w)));
    rewind(stream);
    out.size = fread(out.bytes, 1, out.room, stream);
    fclose(stream);
    replay(out.bytes, out.size, 0, 0);
    if (count_lines("16 ") != 3 || count_lines("17 ") != 3 || count_lines("21 ") != 1)
        fail("%zu containers are created, %zu destroyed, %zu states reset", count_lines("16 "), count_lines("17 "),
             count_lines("21 "));
    end_case("what another context has defined is learned");
}

/* A context that has learned that a container is destroyed closes nothing of it, nor of what it had created in it. */
static void ended_elsewhere(void)
{
    static pajewrite_entry second_table[100];
    static char second[1 << 12];
    const pajewrite_container process = {1}, thread = {2};
    pajewrite_config config = config_of();
    config.table = table;
    config.table_entries = 100;
    pajewrite_init(&w, buffer, 4096, &config);
    pajewrite_header(&w);
    pajewrite_define_container_type(&w, GROUP, PAJEWRITE_ROOT_TYPE, "process");
    pajewrite_define_container_type(&w, THREAD, GROUP, "thread");
    pajewrite_define_state_type(&w, STATE, GROUP, "state");
    pajewrite_define_value(&w, PAJEWRITE_VALUE(1), STATE, "value", NULL);
    pajewrite_create_container_at(&w, 1, process, GROUP, PAJEWRITE_ROOT, "process");
    pajewrite_flush(&w);
    config.table = second_table;
    pajewrite_init(&learned, second, sizeof second, &config);
    pajewrite_learn(&learned, &w);
    pajewrite_push_state_at(&learned, 2, process, STATE, PAJEWRITE_VALUE(1));
    pajewrite_create_container_at(&learned, 3, thread, THREAD, process, "thread");
    pajewrite_flush(&learned);
    pajewrite_destroy_container_at(&w, 5, process, GROUP);
    pajewrite_flush(&w);
    pajewrite_learn(&learned, &w);
    if (pajewrite_finish(&learned) || pajewrite_finish(&w))
        fail("status: %s, %s", pajewrite_status_text(pajewrite_get_status(&learned)),
             pajewrite_status_text(pajewrite_get_status(&w)));
    replay(out.bytes, out.size, 0, 0);
    if (count_lines("17 ") != 1 || count_lines("21 "))
        fail("%zu containers are destroyed, %zu states reset", count_lines("17 "), count_lines("21 "));
    end_case("what another context has destroyed is learned");
}

/* A value that is defined stays known, however many others are used without a definition. */
/* A value is known when it is used, by whatever kind of event, and cannot be defined then. */
static void values_used(void)
{
    static const pajewrite_kind kinds[] = {PAJEWRITE_SET_STATE, PAJEWRITE_PUSH_STATE, PAJEWRITE_NEW_EVENT,
                                           PAJEWRITE_START_LINK, PAJEWRITE_END_LINK};
    const pajewrite_type type = {9};
    size_t i;
    for (i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        pajewrite_config config = config_of();
        pajewrite_event event = PAJEWRITE__ZERO;
        config.table = table;
        config.table_entries = 1000;
        pajewrite_init(&w, buffer, sizeof buffer, &config);
        pajewrite_define_container_type(&w, THREAD, PAJEWRITE_ROOT_TYPE, "thread");
        pajewrite_create_container_at(&w, 0, PAJEWRITE_CONTAINER(1), THREAD, PAJEWRITE_ROOT, NULL);
        if (kinds[i] < PAJEWRITE_NEW_EVENT)
            pajewrite_define_state_type(&w, type, PAJEWRITE_ROOT_TYPE, "state");
        else if (kinds[i] == PAJEWRITE_NEW_EVENT)
            pajewrite_define_event_type(&w, type, PAJEWRITE_ROOT_TYPE, "event");
        else
            pajewrite_define_link_type(&w, type, PAJEWRITE_ROOT_TYPE, THREAD, THREAD, "link");
        event.kind = kinds[i];
        event.time = 1;
        event.type = type;
        event.value = PAJEWRITE_VALUE(5);
        event.other = PAJEWRITE_CONTAINER(1);
        pajewrite_write(&w, &event, NULL);
        if (pajewrite_get_status(&w))
            fail("kind %d: %s", (int)kinds[i], pajewrite_problem(&w));
        pajewrite_define_value(&w, PAJEWRITE_VALUE(5), type, "late", NULL);
        if (pajewrite_finish(&w) != PAJEWRITE_E_VALUE)
            fail("a value that was used by kind %d is defined: %s", (int)kinds[i], pajewrite_problem(&w));
    }
    end_case("checked, a value that is used is known");
}

static void values_known(void)
{
    uint32_t i;
    pajewrite_config config = config_of();
    config.table = table;
    config.table_entries = 40;
    pajewrite_init(&w, buffer, sizeof buffer, &config);
    pajewrite_header(&w);
    pajewrite_define_container_type(&w, THREAD, PAJEWRITE_ROOT_TYPE, "thread");
    pajewrite_define_state_type(&w, STATE, THREAD, "state");
    pajewrite_define_value(&w, PAJEWRITE_VALUE(1), STATE, "value", NULL);
    pajewrite_create_container_at(&w, 0, PAJEWRITE_CONTAINER(1), THREAD, PAJEWRITE_ROOT, NULL);
    for (i = 0; i < 100; i++)
        pajewrite_set_state_at(&w, i, PAJEWRITE_CONTAINER(1), STATE, PAJEWRITE_VALUE(100 + i));
    if (pajewrite_get_status(&w))
        fail("status: %s", pajewrite_problem(&w));
    pajewrite_define_value(&w, PAJEWRITE_VALUE(1), STATE, "another", NULL);
    if (pajewrite_finish(&w) != PAJEWRITE_E_VALUE)
        fail("a value is defined twice: %s", pajewrite_problem(&w));
    end_case("checked, a value that is defined stays known");
}

#else

/* A container that was destroyed is created again under its identifier, as some tracers do; another one lives on. */
static void made_again(void)
{
    uint32_t i;
    size_t entries = 0;
    pajewrite_config config = config_of();
    config.table = table;
    config.table_entries = 100;
    pajewrite_init(&w, buffer, sizeof buffer, &config);
    pajewrite_header(&w);
    pajewrite_create_container_at(&w, 0, PAJEWRITE_CONTAINER(3), GROUP, PAJEWRITE_ROOT, "another process");
    for (i = 0; i < 9; i++) {
        pajewrite_create_container_at(&w, i, PAJEWRITE_CONTAINER(1), GROUP, PAJEWRITE_ROOT, "process");
        pajewrite_create_container_at(&w, i, PAJEWRITE_CONTAINER(2), THREAD, PAJEWRITE_CONTAINER(1), "thread");
        pajewrite_push_state_at(&w, i, PAJEWRITE_CONTAINER(2), STATE, PAJEWRITE_VALUE(1));
        pajewrite_new_event_at(&w, i, PAJEWRITE_CONTAINER(2), MARK, PAJEWRITE_VALUE(1));
        if (i % 2)
            pajewrite_destroy_container_at(&w, i, PAJEWRITE_CONTAINER(2), THREAD);
        pajewrite_destroy_container_at(&w, i, PAJEWRITE_CONTAINER(1), GROUP);
        if (i && w.entries != entries)
            fail("%zu entries, %zu before", w.entries, entries);
        entries = w.entries;
    }
    if (pajewrite_finish(&w) || count_lines("17 ") != 9 + 4 + 1)
        fail("%zu containers end: status %s", count_lines("17 "), pajewrite_status_text(pajewrite_get_status(&w)));
    end_case("unchecked, a container is made again");
}
#endif

#endif
