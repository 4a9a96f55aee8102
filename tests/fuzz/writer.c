/* The writer accepts any sequence of calls, with a buffer of any size and a sink that fails: it writes whole lines, as
 * many as it counts.  What the checking mode lets through is read in strict mode without an error, also with gaps, and
 * from a flight recorder.
 *
 * An input is a program: eight bytes of configuration, then calls of six bytes. */
#define PAJEWRITE_CHECK 1
#define PAJEWRITE_KINDS 31
#define PAJEWRITE_IMPLEMENTATION
#include "pajewrite.h"
#define PAJESIM_CACHE 4
#define PAJESIM_IMPLEMENTATION
#include "pajesim.h"

#include "fuzz.h"

enum { ENTRIES = 512, BUFFER = 1 << 14, OUT = 1 << 21 };

static struct {
    char bytes[OUT];
    size_t size;
    unsigned calls, fail_at;
} out;

static pajewrite_status sink(void *data, const char *bytes, size_t size)
{
    (void)data;
    fuzz_expect(size > 0 && bytes[size - 1] == '\n', "the sink is given whole lines");
    out.calls++;
    if (out.fail_at && out.calls >= out.fail_at) {
        fuzz_expect(out.calls == out.fail_at, "a sink that failed is not called again");
        return PAJEWRITE_E_SINK;
    }
    fuzz_expect(out.size + size <= OUT, "a small program writes a small trace");
    memcpy(out.bytes + out.size, bytes, size);
    out.size += size;
    return PAJEWRITE_OK;
}

static uint64_t now;
static pajewrite_status first_status;

static uint64_t clock(void *data)
{
    (void)data;
    return now;
}

/* Names that are hard for some readers.  None is a number, which might be the alias of another. */
static const char *name_of(unsigned n)
{
    static const char *const names[] = {NULL, "", "a", "two words", "\"", "'", "#", "%", "a,b", "tab\there",
                                        "new\nline",
                                        "\xff\xfe", "\x01\x7f", "a\"b'c", "  ", "name"};
    static char wide[700];
    if (n < sizeof names / sizeof *names)
        return names[n];
    n = n * 3 % (sizeof wide - 1);
    memset(wide, 'w', n);
    wide[n] = 0;
    return wide;
}

/* Counts of what is read from the trace; whether a definition was refused for a color that the caller gave it. */
static uint64_t records, bad_errors;
static int refused;
static pajesim_problem bad;

/* Whether the field is the colour of a definition with user fields, whose contents are up to the caller. */
static int is_user_color(const pajesim_problem *problem)
{
    const char *line = out.bytes;
    uint64_t at;
    for (at = 1; at < problem->line; at++)
        line = strchr(line, '\n') + 1;
    return problem->code == PAJESIM_E_COLOR && atoi(line) > PAJEWRITE_TRACE_FILE;
}

static int told_problem(pajesim *sim, const pajesim_problem *problem)
{
    (void)sim;
    if (problem->severity != PAJESIM_ERROR || problem->code == PAJESIM_E_LINK_PENDING)
        return PAJESIM_GO_ON;
    refused |= is_user_color(problem);
    if (!refused) { /* else what the line would have defined is not there */
        bad_errors++;
        bad = *problem;
    }
    return PAJESIM_GO_ON;
}

static int told_record(void)
{
    records++;
    return PAJESIM_GO_ON;
}

static int told_definition(pajesim *sim, const pajesim_definition *definition)
{
    (void)sim, (void)definition;
    return told_record();
}

static int told_line(pajesim *sim, const pajesim_line *line)
{
    (void)sim, (void)line;
    return told_record();
}

static void read_back(int strict, int old_names)
{
    static uint64_t arena[1 << 20];
    static const pajesim_callbacks callbacks = {.problem = told_problem, .definition = told_definition,
                                                .line = told_line};
    pajesim_options options;
    pajesim sim;
    size_t at = 0, taken;
    memset(&options, 0, sizeof options);
    options.strict = strict;
    options.old_names = old_names;
    records = bad_errors = 0;
    refused = 0;
    fuzz_expect(pajesim_init(&sim, arena, sizeof arena, &options, &callbacks, NULL) == PAJESIM_OK, "the reader begins");
    for (; at < out.size; at += taken) {
        pajesim_status status = pajesim_feed(&sim, out.bytes + at, out.size - at, &taken);
        if (status == PAJESIM_OPEN)
            status = pajesim_end_file(&sim);
        fuzz_expect(status == PAJESIM_OK, "the reader reads it to its end");
    }
    pajesim_finish(&sim);
    if (strict && bad_errors) {
        fprintf(stderr, "%.*sline %lu: %s: %.*s\n", (int)out.size, out.bytes, (unsigned long)bad.line, bad.text,
                (int)bad.bytes.size, bad.bytes.bytes);
        fuzz_expect(0, "the checking mode lets nothing through that strict readers refuse");
    }
}

static void call(pajewrite *w, const uint8_t *b, pajewrite_variant *variants)
{
    static const double reals[] = {0, -0.0, 1.5, 1e300, -1e-300, 5e-324, 0.1, 1e22};
    unsigned kind = b[0] % 23;
    pajewrite_event event;
    pajewrite_fields fields;
    pajewrite_variant variant = variants[b[5] & 7];
    memset(&event, 0, sizeof event);
    now += b[1] < 250 ? b[1] : (uint64_t)b[2] << (b[1] - 250) * 8;
    event.kind = (pajewrite_kind)kind;
    event.container = PAJEWRITE_CONTAINER(b[2] & 7);
    event.type = PAJEWRITE_TYPE_IN(b[3] >> 7, b[3] & 7);
    event.value = PAJEWRITE_VALUE(b[4] & 7);
    event.other = PAJEWRITE_CONTAINER(b[3] >> 4 & 7);
    event.of = PAJEWRITE_TYPE(b[4] >> 5);
    event.start_type = PAJEWRITE_TYPE(b[2] >> 5);
    event.end_type = PAJEWRITE_TYPE(b[2] >> 2 & 7);
    event.time = b[5] & 64 ? PAJEWRITE_TIME_NOW : now - (b[5] >> 7) * (uint64_t)(b[4] & 15);
    event.integer = (int64_t)((uint64_t)b[4] << (b[2] >> 3)) - b[5];
    event.real = reals[b[4] & 7];
    event.is_real = b[5] >> 5 & 1;
    event.key = b[4] >> 3;
    event.name = name_of(b[5] & 31);
    event.color = b[1] & 1 ? NULL : "0.1 0.2 0.3";
    switch (kind) {
    case 0:
        pajewrite_enable(w, b[2]);
        break;
    case 20:
        pajewrite_flush(w);
        break;
    case 21: {
        static const char *const lists[] = {"Size int", "Mask hex, Note string", "A double", "", "Size", "1x int",
                                            "Color color", "A int, A int"};
        variants[b[2] & 7] = pajewrite_define_variant(w, (pajewrite_kind)(b[3] % 21), lists[b[4] & 7]);
        break;
    }
    case 22:
        if (b[2] > 250)
            pajewrite_disable(w, b[3]);
        break;
    default:
        if (kind == PAJEWRITE_TRACE_FILE && (!event.name || !*event.name))
            event.name = "other.trace";
        if (b[5] & 16 && variant.number) {
            fields = pajewrite_fields_of(variant);
            if (b[2] & 1)
                pajewrite_field_int(&fields, -5);
            if (b[2] & 2)
                pajewrite_field_hex(&fields, 0xabc);
            if (b[2] & 4)
                pajewrite_field_string(&fields, name_of(b[4]));
            if (b[2] & 8)
                pajewrite_field_double(&fields, b[4] == 255 ? 1e308 * 10 : 2.5);
            event.kind = b[4] & 128 ? event.kind : variant.kind;
            pajewrite_write(w, &event, &fields);
        } else {
            pajewrite_write(w, &event, NULL);
        }
    }
    if (!first_status)
        first_status = pajewrite_get_status(w);
}

/* Definitions and containers of each kind. */
static void define_scene(pajewrite *w)
{
    uint32_t i;
    pajewrite_define_container_type(w, PAJEWRITE_TYPE(1), PAJEWRITE_ROOT_TYPE, "thread");
    pajewrite_define_state_type(w, PAJEWRITE_TYPE(2), PAJEWRITE_TYPE(1), "state");
    pajewrite_define_event_type(w, PAJEWRITE_TYPE(3), PAJEWRITE_TYPE(1), "event");
    pajewrite_define_variable_type(w, PAJEWRITE_TYPE(4), PAJEWRITE_TYPE(1), "variable", NULL);
    pajewrite_define_link_type(w, PAJEWRITE_TYPE(5), PAJEWRITE_ROOT_TYPE, PAJEWRITE_TYPE(1), PAJEWRITE_TYPE(1), "link");
    for (i = 0; i < 6; i++)
        pajewrite_define_value(w, PAJEWRITE_VALUE(i / 2), PAJEWRITE_TYPE(i % 2 ? 2 : 5), "value", NULL);
    for (i = 1; i < 4; i++)
        pajewrite_create_container(w, PAJEWRITE_CONTAINER(i), PAJEWRITE_TYPE(1), PAJEWRITE_ROOT, name_of(i));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static pajewrite_entry table[ENTRIES];
    static char buffer[BUFFER];
    pajewrite w;
    pajewrite_config config = PAJEWRITE_CONFIG;
    pajewrite_variant variants[8];
    pajewrite_counts counts;
    pajewrite_status status;
    size_t at, room;
    int checked, disables = 0;
    if (size < 8 || size > 4096)
        return 0;
    out.size = out.calls = 0;
    out.fail_at = bytes[0] & 16 ? 1 + bytes[7] % 16u : 0;
    first_status = PAJEWRITE_OK;
    now = (uint64_t)bytes[1] << (bytes[2] % 57);
    config.sink = bytes[0] & 32 ? NULL : sink;
    config.clock = clock;
    config.origin = bytes[0] & 64 ? now / 2 : 0;
    config.decimals = bytes[3] % 11;
    config.old_names = bytes[0] & 1;
    config.names = bytes[0] & 2 ? PAJEWRITE_REFUSE : PAJEWRITE_REPLACE;
    config.when_full = (pajewrite_when_full)(bytes[4] % 3);
    config.alias_first = bytes[5] & 7;
    config.alias_step = bytes[5] >> 5;
    checked = (bytes[0] & 4) == 0;
    if (checked || config.when_full == PAJEWRITE_OVERWRITE) {
        config.table = table;
        config.table_entries = bytes[0] & 8 ? 16 + bytes[6] : ENTRIES;
    }
    room = bytes[0] & 128 ? PAJEWRITE_BUFFER_MIN + bytes[6] * 8u : BUFFER;
    memset(variants, 0, sizeof variants);
    status = pajewrite_init(&w, buffer, room, &config);
    fuzz_expect(status == PAJEWRITE_OK || config.when_full == PAJEWRITE_OVERWRITE, "it begins");
    if (status)
        return 0;
    pajewrite_header(&w);
    if (bytes[7] & 128)
        define_scene(&w);
    for (at = 8; at + 6 <= size; at += 6) {
        disables |= bytes[at] % 23 == 0 || bytes[at] % 23 == 22;
        call(&w, bytes + at, variants);
    }
    if (config.when_full == PAJEWRITE_OVERWRITE) {
        out.fail_at = 0;
        status = pajewrite_flight_dump(buffer, room, bytes[7] & 1, NULL, 0, sink, NULL);
        fuzz_expect(status == PAJEWRITE_OK, "a flight recorder can be dumped");
        out.size = out.calls = 0;
    }
    status = pajewrite_finish(&w);
    counts = pajewrite_count(&w);
    fuzz_expect(first_status == PAJEWRITE_OK || status == first_status, "the first problem stays the status");
    if (config.when_full == PAJEWRITE_OVERWRITE) {
        out.size = 0;
        pajewrite_flight_dump(buffer, room, 0, NULL, 0, sink, NULL);
        read_back(!disables && status != PAJEWRITE_E_TABLE_FULL && !counts.dropped, config.old_names);
        return 0;
    }
    read_back(checked && !disables && !(bytes[0] & 8) && !out.fail_at && config.sink, config.old_names);
    if (config.sink && !out.fail_at && !bad_errors && !refused)
        fuzz_expect(counts.written == records, "as many records are read as were counted");
    return 0;
}
