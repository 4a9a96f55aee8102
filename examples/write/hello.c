/* Writes a small trace with an event of each kind.  usage: hello FILE */
#define _POSIX_C_SOURCE 200809L
#define PAJEWRITE_IMPLEMENTATION
#include "pajewrite.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

/* Identifiers of types, values and containers: any numbers other than 0. */
static const pajewrite_type thread = {1}, activity = {2}, mark = {3}, load = {4}, message = {5};
static const pajewrite_value computing = {1}, waiting = {2}; /* of activity */
static const pajewrite_value checkpoint = {1};               /* of mark */
static const pajewrite_value data = {1};                     /* of message */
static const pajewrite_container alice = {1}, bob = {2};

static void define(pajewrite *w)
{
    pajewrite_header(w);
    pajewrite_define_container_type(w, thread, PAJEWRITE_ROOT_TYPE, "Thread");
    pajewrite_define_state_type(w, activity, thread, "Activity");
    pajewrite_define_value(w, computing, activity, "computing", "0.2 0.7 0.3");
    pajewrite_define_value(w, waiting, activity, "waiting", "0.8 0.2 0.2");
    pajewrite_define_event_type(w, mark, thread, "Mark");
    pajewrite_define_value(w, checkpoint, mark, "checkpoint", NULL);
    pajewrite_define_variable_type(w, load, thread, "Load", "0.2 0.4 0.8");
    pajewrite_define_link_type(w, message, PAJEWRITE_ROOT_TYPE, thread, thread, "Message");
    pajewrite_define_value(w, data, message, "data", NULL);
}

int main(int argc, char **argv)
{
    static char buffer[1 << 16];
    pajewrite_config config = PAJEWRITE_CONFIG;
    pajewrite_variant event_with_note;
    pajewrite_event event = {.kind = PAJEWRITE_NEW_EVENT};
    pajewrite_fields fields;
    pajewrite_file file;
    pajewrite_status status;
    pajewrite w;

    if (argc != 2) {
        fputs("usage: hello FILE\n", stderr);
        return 2;
    }
    pajewrite_file_init(&file, open(argv[1], O_WRONLY | O_CREAT | O_TRUNC, 0644));
    config.sink = pajewrite_to_file;
    config.sink_data = &file;
    config.origin = pajewrite_monotonic(NULL); /* the trace begins at 0 */
    pajewrite_init(&w, buffer, sizeof buffer, &config);
    define(&w);
    event_with_note = pajewrite_define_variant(&w, PAJEWRITE_NEW_EVENT, "Step int, Note string");

    pajewrite_create_container(&w, alice, thread, PAJEWRITE_ROOT, "Alice");
    pajewrite_create_container(&w, bob, thread, PAJEWRITE_ROOT, "Bob");

    /* States form a stack: PAJEWRITE_SCOPE pushes one, and pops it at the end of its block.  Bob waits for a
     * message. */
    pajewrite_set_state(&w, bob, activity, waiting);
    {
        PAJEWRITE_SCOPE(&w, alice, activity, computing);
        pajewrite_set_variable_double(&w, alice, load, 0.75);
        pajewrite_start_link(&w, PAJEWRITE_ROOT, message, data, alice, 1);
    }
    pajewrite_end_link(&w, PAJEWRITE_ROOT, message, data, bob, 1);
    pajewrite_set_state(&w, bob, activity, computing);

    /* An event with user fields. */
    event.time = pajewrite_now(&w);
    event.container = bob;
    event.type = mark;
    event.value = checkpoint;
    fields = pajewrite_fields_of(event_with_note);
    pajewrite_field_int(&fields, 7);
    pajewrite_field_string(&fields, "all is well");
    pajewrite_write(&w, &event, &fields);

    pajewrite_destroy_container(&w, bob, thread);
    pajewrite_destroy_container(&w, alice, thread);

    /* Errors are sticky: finish returns the first error of any call above. */
    status = pajewrite_finish(&w);
    if (status != PAJEWRITE_OK)
        fprintf(stderr, "hello: %s: %s\n", argv[1], pajewrite_status_text(status));
    close(file.descriptor);
    return status != PAJEWRITE_OK;
}
