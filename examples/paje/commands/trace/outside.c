/* The trace of a program that cannot be traced from within: when it began and ended. */
#define PAJEWRITE_API static
#define PAJEWRITE_TABLE 0
#define PAJEWRITE_IMPLEMENTATION
#include "trace.h"
#include "pajewrite.h"
#include "trace/types.h"

/* What samples of the program need: which thread they are of. */
static void write_number(pajewrite *w, pajewrite_variant numbered, uint64_t begin, pajewrite_container thread,
                         int64_t number)
{
    pajewrite_event event = {.kind = PAJEWRITE_NEW_EVENT, .time = begin, .container = thread};
    event.type = PAJEWRITE_TYPE(TRACE_NUMBER_TYPE);
    event.value = PAJEWRITE_VALUE(TRACE_ONLY_VALUE);
    pajewrite_define_state_type(w, PAJEWRITE_TYPE(TRACE_SAMPLED_TYPE), PAJEWRITE_TYPE(TRACE_THREAD_TYPE), "Sampled");
    pajewrite_define_event_type(w, event.type, PAJEWRITE_TYPE(TRACE_THREAD_TYPE), "Thread number");
    pajewrite_define_value(w, event.value, event.type, "number", NULL);
    pajewrite_write_ints(w, &event, numbered, &number, 1);
}

void trace_write_outside(const trace_folder *folder, const char *program, long process, uint64_t begin, uint64_t end)
{
    const pajewrite_container container = PAJEWRITE_CONTAINER(1), thread = PAJEWRITE_CONTAINER(2);
    const pajewrite_type state = PAJEWRITE_TYPE(TRACE_STATE_TYPE);
    const char *slash = strrchr(program, '/');
    pajewrite_config config = PAJEWRITE_CONFIG;
    text_buffer path = {0}, name = {0};
    pajewrite_map map;
    pajewrite w;
    text_printf(&path, "%s/1-%ld.raw", folder->name, process);
    text_printf(&name, "%s %ld", slash ? slash + 1 : program, process);
    if (!pajewrite_map_open(&map, text_string(&path), 8192)) {
        config.next_buffer = pajewrite_map_next_buffer;
        config.next_buffer_data = &map;
        config.origin = folder->control->origin;
        pajewrite_init(&w, NULL, 0, &config);
        pajewrite_header(&w);
        pajewrite_variant numbered = pajewrite_define_variant(&w, PAJEWRITE_NEW_EVENT, "Number int");
        pajewrite_define_container_type(&w, PAJEWRITE_TYPE(TRACE_PROCESS_TYPE), PAJEWRITE_ROOT_TYPE, "Process");
        pajewrite_define_container_type(&w, PAJEWRITE_TYPE(TRACE_THREAD_TYPE), PAJEWRITE_TYPE(TRACE_PROCESS_TYPE),
                                        "Thread");
        pajewrite_define_state_type(&w, state, PAJEWRITE_TYPE(TRACE_THREAD_TYPE), "State");
        pajewrite_define_value(&w, PAJEWRITE_VALUE(1), state, "running", "0.70 0.88 0.70");
        pajewrite_create_container_at(&w, begin, container, PAJEWRITE_TYPE(TRACE_PROCESS_TYPE), PAJEWRITE_ROOT,
                                      text_string(&name));
        pajewrite_create_container_at(&w, begin, thread, PAJEWRITE_TYPE(TRACE_THREAD_TYPE), container, "main");
        if (folder->control->sampler)
            write_number(&w, numbered, begin, thread, process);
        pajewrite_push_state_at(&w, begin, thread, state, PAJEWRITE_VALUE(1));
        pajewrite_pop_state_at(&w, end, thread, state);
        pajewrite_destroy_container_at(&w, end, thread, PAJEWRITE_TYPE(TRACE_THREAD_TYPE));
        pajewrite_destroy_container_at(&w, end, container, PAJEWRITE_TYPE(TRACE_PROCESS_TYPE));
        pajewrite_finish(&w);
    }
    text_free(&path);
    text_free(&name);
}
