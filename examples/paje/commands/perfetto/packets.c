/* Packets of a Perfetto trace.  Field numbers are those of the public .proto files, named beside them. */
#include "commands/perfetto/perfetto.h"
#include "commands/perfetto/wire.h"

/* Clocks: times are the nanoseconds since the packet before, as most of them fit into two or three bytes then.  One
 * that goes back is the time itself, of the clock in which the trace is. */
enum { BOOTTIME = 6, DELTAS = 64, SEQUENCE = 1, CLEARED = 1, NEEDS_STATE = 2 };

static text_buffer packet, event, interned, inner;
static int64_t last; /* time of the last packet in DELTAS */
static uint64_t before_zero;
static hash_map field_names;
static uint64_t event_names, categories;

static void write_packet(void)
{
    wire_put_message(&stream_output, 1, &packet); /* Trace.packet */
    stream_end_record();
}

static void put_clock(text_buffer *snapshot, uint64_t clock, int is_incremental)
{
    inner.size = 0;
    wire_put_number(&inner, 1, clock); /* ClockSnapshot.Clock.clock_id */
    wire_put_number(&inner, 2, 0);     /* timestamp */
    if (is_incremental)
        wire_put_number(&inner, 3, 1); /* is_incremental */
    wire_put_message(snapshot, 1, &inner);
}

void packets_begin(void)
{
    event.size = packet.size = inner.size = 0;
    last = 0;
    wire_put_number(&packet, 10, SEQUENCE); /* TracePacket.trusted_packet_sequence_id */
    wire_put_number(&packet, 13, CLEARED);  /* sequence_flags */
    wire_put_number(&packet, 87, 1);        /* first_packet_on_sequence */
    wire_put_number(&inner, 58, DELTAS);    /* TracePacketDefaults.timestamp_clock_id */
    wire_put_message(&packet, 59, &inner);  /* trace_packet_defaults */
    put_clock(&event, BOOTTIME, 0);
    put_clock(&event, DELTAS, 1);
    wire_put_number(&event, 2, BOOTTIME);   /* ClockSnapshot.primary_trace_clock */
    wire_put_message(&packet, 6, &event);   /* clock_snapshot */
    write_packet();
}

uint64_t packets_before_zero(void)
{
    return before_zero;
}

void packet_put_track(const packet_track *track)
{
    enum { EXPLICIT = 3, NO_MERGE = 2 };
    inner.size = packet.size = 0;
    wire_put_number(&inner, 1, track->uuid); /* TrackDescriptor.uuid */
    wire_put_text(&inner, 2, track->name);   /* name */
    if (track->parent)
        wire_put_number(&inner, 5, track->parent); /* parent_uuid */
    if (track->is_counter)
        wire_put_text(&inner, 8, text_of("")); /* counter, an empty CounterDescriptor */
    else
        wire_put_number(&inner, 11, EXPLICIT); /* child_ordering: by rank */
    wire_put_number(&inner, 12, track->rank);  /* sibling_order_rank */
    if (track->description.size)
        wire_put_text(&inner, 14, track->description); /* description */
    wire_put_number(&inner, 15, NO_MERGE); /* sibling_merge_behavior: names need not be different */
    wire_put_message(&packet, 60, &inner); /* TracePacket.track_descriptor */
    write_packet();
}

/* ---- events */

void event_begin(int type, uint64_t track)
{
    event.size = interned.size = 0;
    wire_put_number(&event, 9, (uint64_t)type); /* TrackEvent.type */
    wire_put_number(&event, 11, track);         /* track_uuid */
}

/* Defines a name in this packet; later ones refer to it by its number. */
static void intern(unsigned field, uint64_t number, pajesim_text name)
{
    inner.size = 0;
    wire_put_number(&inner, 1, number); /* iid, of each of the messages */
    wire_put_text(&inner, 2, name);     /* name */
    wire_put_message(&interned, field, &inner);
}

/* The user's word of a value is the number of its name.  A value that is not defined is no part of the simulation, and
 * there may be any number of them: the event has its name. */
void event_put_name(pajesim *sim, const pajesim_entity *entity)
{
    if (!entity->value) {
        wire_put_text(&event, 23, entity->value_name); /* TrackEvent.name */
        return;
    }
    pajesim_user_word *number = pajesim_user_data(sim, entity->value);
    if (!*number) {
        *number = (pajesim_user_word)++event_names;
        intern(2, *number, entity->value_name); /* InternedData.event_names */
    }
    wire_put_number(&event, 10, *number); /* TrackEvent.name_iid */
}

void event_put_category(pajesim_text name, uint64_t *number)
{
    if (!*number) {
        *number = ++categories;
        intern(1, *number, name); /* InternedData.event_categories */
    }
    wire_put_number(&event, 3, *number); /* TrackEvent.category_iids */
}

/* Whether a field is a whole number that fits into 64 bits for sure. */
static int parse_integer(pajesim_text text, int64_t *number)
{
    size_t sign = text.size > 0 && text.bytes[0] == '-';
    *number = 0;
    for (size_t i = sign; i < text.size; i++) {
        if (i - sign == 18 || text.bytes[i] < '0' || text.bytes[i] > '9')
            return 0;
        *number = *number * 10 + (text.bytes[i] - '0');
    }
    if (sign)
        *number = -*number;
    return text.size > sign;
}

/* Numbers as such where the field is declared so. */
static void put_field(text_buffer *annotation, const pajesim_field *field)
{
    int is_real = field->type == PAJESIM_FIELD_DOUBLE || field->type == PAJESIM_FIELD_FLOAT ||
                  field->type == PAJESIM_FIELD_DATE;
    int64_t integer;
    double real;
    if (field->type == PAJESIM_FIELD_INT && parse_integer(field->text, &integer))
        wire_put_number(annotation, 4, (uint64_t)integer); /* DebugAnnotation.int_value */
    else if (is_real && pajesim_number(field->text.bytes, field->text.size, &real))
        wire_put_double(annotation, 5, real); /* double_value */
    else
        wire_put_text(annotation, 6, field->text); /* string_value */
}

static int has_field(const pajesim *sim, const pajesim_fields *fields, pajesim_text name)
{
    pajesim_field field;
    for (uint32_t at = 0; pajesim_user_field(sim, fields, at, &field); at++)
        if (text_is_equal(field.name, name))
            return 1;
    return 0;
}

void event_put_fields(const pajesim *sim, const pajesim_fields *fields, const pajesim_fields *before)
{
    static text_buffer annotation, name;
    pajesim_field field;
    for (uint32_t at = 0; paje_next_field(sim, fields, &at, &field);) {
        name.size = 0;
        text_append(&name, field.name);
        if (before && has_field(sim, before, field.name))
            text_puts(&name, " (end)");
        size_t known = field_names.used, number = map_add(&field_names, name.bytes, name.size) + 1;
        if (field_names.used > known)
            intern(3, number, text_view(&name)); /* InternedData.debug_annotation_names */
        annotation.size = 0;
        wire_put_number(&annotation, 1, number); /* DebugAnnotation.name_iid */
        put_field(&annotation, &field);
        wire_put_message(&event, 4, &annotation); /* TrackEvent.debug_annotations */
    }
}

void event_put_number(double number)
{
    const double most = 9007199254740992; /* 2^53: what is whole and smaller takes fewer bytes as an integer */
    if (number > -most && number < most && number == (double)(int64_t)number)
        wire_put_number(&event, 30, (uint64_t)(int64_t)number); /* TrackEvent.counter_value */
    else
        wire_put_double(&event, 44, number); /* double_counter_value */
}

void event_put_flow(uint64_t flow, int terminates)
{
    wire_put_fixed(&event, terminates ? 48 : 47, flow); /* TrackEvent.terminating_flow_ids, flow_ids */
}

void event_end(int64_t nanoseconds)
{
    packet.size = 0;
    if (nanoseconds < 0) {
        before_zero++;
        nanoseconds = 0;
    }
    if (nanoseconds >= last) {
        wire_put_number(&packet, 8, (uint64_t)(nanoseconds - last)); /* TracePacket.timestamp */
        last = nanoseconds;
    } else {
        wire_put_number(&packet, 8, (uint64_t)nanoseconds);
        wire_put_number(&packet, 58, BOOTTIME); /* timestamp_clock_id */
    }
    wire_put_number(&packet, 10, SEQUENCE);
    if (interned.size)
        wire_put_message(&packet, 12, &interned); /* interned_data */
    wire_put_number(&packet, 13, NEEDS_STATE);
    wire_put_message(&packet, 11, &event); /* track_event */
    write_packet();
}
