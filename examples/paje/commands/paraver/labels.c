/* States, event types and their values: numbers of records, and the file .pcf. */
#include "paraver.h"
#include "timeline/color.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

static const double MOST_INTEGER = 9.2e18; /* below 2^63 */

/* Numbers of event types: those of states, of events and of variables are distinguished, as users choose by them. */
static const uint32_t first_event_type[] = {
    [PAJESIM_STATE] = 900000001, [PAJESIM_EVENT] = 910000001, [PAJESIM_VARIABLE] = 920000001
};

/* The states that Paraver knows by number; others have numbers from 100 on. */
static const struct {
    const char *name;
    uint32_t color;
} known_states[] = {
    {"Idle", 0x75c3ff},           {"Running", 0x0000ff},           {"Not created", 0xffffff},
    {"Waiting a message", 0xff0000}, {"Blocking Send", 0xff00ae},  {"Synchronization", 0xb30000},
    {"Test/Probe", 0x00ff00},     {"Scheduling and Fork/Join", 0xffff00}, {"Wait/WaitAll", 0xeb0000},
    {"Blocked", 0x00a200},        {"Immediate Send", 0xff00ff},    {"Immediate Receive", 0x6464b1},
    {"I/O", 0xacae29},            {"Group Communication", 0xff901a}, {"Tracing Disabled", 0x02ffb1},
    {"Others", 0xc0e000},
};
enum { KNOWN_STATES = sizeof known_states / sizeof *known_states, FIRST_STATE = 100 };

typedef struct label {
    size_t name, size; /* in `names` */
} label;

typedef struct value {
    label label;
    uint32_t color;
    int has_color;
    uint32_t number; /* within its type, from 1 on */
    uint32_t state;  /* + 1; 0: not known yet */
    uint32_t next;   /* of its type; 0: none */
} value;

typedef struct type {
    label label;
    pajesim_kind kind;
    label event;     /* its number in records, and a colon */
    uint32_t number; /* among those of its kind */
    int is_used;
    uint32_t first, last; /* values; 0: none */
    uint32_t decimals;
    double greatest; /* of a variable, without its sign */
    double scale;    /* of its values in records; 0: not known yet */
} type;

typedef struct state {
    label label;
    uint32_t color;
} state;

static text_buffer names;
static array_of(type) types;
static uint32_t counts[PAJESIM_LINK + 1];
static hash_map type_names; /* kind and name */
static hash_map value_names; /* type and name */
static array_of(value) values; /* the first one is not used */
static array_of(uint32_t) value_indexes; /* by number in value_names */
static hash_map state_names;
static array_of(state) states; /* from FIRST_STATE on */
static struct {
    int is_set;
    uint32_t color;
} known_colors[KNOWN_STATES]; /* of the trace */
static color_palette palette;

static label keep(pajesim_text name)
{
    label it = {names.size, name.size};
    text_append(&names, name);
    return it;
}

static pajesim_text text_of_label(label it)
{
    return (pajesim_text){names.bytes ? names.bytes + it.name : "", it.size};
}

/* ---- types */

static uint32_t event_type(const type *it)
{
    return first_event_type[it->kind] + it->number;
}

void labels_add_type(pajesim *sim, const pajesim_type_info *info)
{
    static text_buffer key;
    java_add_type(info);
    if (info->kind != PAJESIM_STATE && info->kind != PAJESIM_EVENT && info->kind != PAJESIM_VARIABLE)
        return;
    type *it = array_push(&types);
    it->kind = info->kind;
    it->number = counts[info->kind]++;
    *pajesim_user_data(sim, info->ref) = types.count;
    text_clear(&key);
    text_putc(&key, (char)info->kind);
    text_append(&key, info->name);
    size_t known_names = type_names.used;
    map_add(&type_names, key.bytes, key.size);
    it->label = keep(info->name);
    if (type_names.used == known_names) { /* another type has the name: the alias tells them apart */
        static text_buffer longer;
        text_clear(&longer);
        text_puts(&longer, " (");
        text_append(&longer, info->alias);
        text_putc(&longer, ')');
        it->label.size += keep(text_view(&longer)).size;
    }
    text_clear(&key);
    text_put_integer(&key, event_type(it));
    text_putc(&key, ':');
    it->event = keep(text_view(&key));
}

uint32_t labels_type(pajesim *sim, pajesim_ref ref)
{
    return (uint32_t)*pajesim_user_data(sim, ref) - 1;
}

/* ---- values */

static uint32_t add_value(pajesim *sim, type *of, pajesim_ref ref, pajesim_text name)
{
    if (values.count == 0)
        *array_push(&values) = (value){.next = 0};
    uint32_t index = (uint32_t)values.count;
    value *added = array_push(&values);
    added->label = keep(name);
    added->has_color = ref && palette_from_trace(&palette, pajesim_color(sim, ref), PAJESIM_STATE, &added->color);
    added->number = of->last ? values.items[of->last].number + 1 : 1;
    if (of->last)
        values.items[of->last].next = index;
    else
        of->first = index;
    of->last = index;
    return index;
}

uint32_t labels_value(pajesim *sim, uint32_t of, pajesim_ref ref, pajesim_text name)
{
    static text_buffer key;
    uint64_t found = ref ? *pajesim_user_data(sim, ref) : 0;
    if (found)
        return (uint32_t)found;
    text_clear(&key);
    text_put(&key, (const char *)&of, sizeof of);
    text_append(&key, name);
    size_t used = value_names.used, number = map_add(&value_names, key.bytes, key.size);
    uint32_t *index = array_at(&value_indexes, number);
    if (value_names.used > used)
        *index = add_value(sim, &types.items[of], ref, name);
    if (ref)
        *pajesim_user_data(sim, ref) = *index;
    return *index;
}

pajesim_text labels_name(uint32_t index)
{
    return text_of_label(values.items[index].label);
}

uint32_t labels_number(uint32_t index)
{
    return values.items[index].number;
}

/* ---- states */

static int is_same_but_case(const char *one, pajesim_text other)
{
    size_t size = strlen(one);
    for (size_t i = 0; i < size && size == other.size; i++) {
        char a = one[i], b = other.bytes[i];
        if ((a >= 'A' && a <= 'Z' ? a | 0x20 : a) != (b >= 'A' && b <= 'Z' ? b | 0x20 : b))
            return 0;
    }
    return size == other.size;
}

static uint32_t find_state(const value *it)
{
    pajesim_text name = text_of_label(it->label);
    if (java_state(name) >= 0)
        return (uint32_t)java_state(name);
    for (uint32_t i = 0; i < KNOWN_STATES; i++)
        if (is_same_but_case(known_states[i].name, name)) {
            if (it->has_color && !known_colors[i].is_set)
                known_colors[i].color = it->color;
            known_colors[i].is_set |= it->has_color;
            return i;
        }
    size_t used = state_names.used, number = map_add(&state_names, name.bytes, name.size);
    state *found = array_at(&states, number);
    if (state_names.used > used)
        *found = (state){it->label, it->has_color ? it->color : palette_for_name(&palette, name)};
    return FIRST_STATE + (uint32_t)number;
}

uint32_t labels_state(uint32_t index)
{
    value *it = &values.items[index];
    if (!it->state)
        it->state = find_state(it) + 1;
    return it->state - 1;
}

/* ---- variables */

/* Decimals that a number needs, as many as LABEL_PRECISION. */
static uint32_t count_decimals(double number)
{
    static text_buffer text;
    text_clear(&text);
    text_put_number(&text, number);
    const char *bytes = text_string(&text), *exponent = strchr(bytes, 'e'), *point = strchr(bytes, '.');
    const char *end = exponent ? exponent : bytes + strlen(bytes);
    long decimals = point ? (long)(end - point) - 1 : 0;
    if (exponent)
        decimals -= strtol(exponent + 1, NULL, 10);
    return decimals < 0 ? 0 : decimals > LABEL_PRECISION ? LABEL_PRECISION + 1 : (uint32_t)decimals;
}

int labels_note_number(uint32_t of, double number)
{
    type *it = &types.items[of];
    if (!(fabs(number) <= DBL_MAX))
        return 0;
    if (fabs(number) > it->greatest)
        it->greatest = fabs(number);
    if (it->decimals <= LABEL_PRECISION && (number < floor(number) || number > floor(number))) {
        uint32_t decimals = count_decimals(number);
        if (decimals > it->decimals)
            it->decimals = decimals;
    }
    return 1;
}

/* Decimals with which the values of a variable are written: so many that the greatest one fits 63 bits. */
static uint32_t precision_of(const type *it)
{
    uint32_t decimals = it->decimals < LABEL_PRECISION ? it->decimals : LABEL_PRECISION;
    while (decimals > 0 && it->greatest * pow(10, decimals) > MOST_INTEGER)
        decimals--;
    return decimals;
}

void labels_report(const char *name)
{
    text_buffer which = {0};
    size_t count = 0;
    for (size_t i = 0; i < types.count; i++) {
        const type *it = &types.items[i];
        if (it->kind != PAJESIM_VARIABLE || !it->is_used ||
            (it->decimals <= precision_of(it) && it->greatest <= MOST_INTEGER))
            continue;
        if (count++ < 3) {
            text_puts(&which, count > 1 ? ", " : "");
            text_put_printable(&which, text_of_label(it->label));
        }
    }
    if (count)
        stream_message("%s: values are rounded to at most %d decimals and 63 bits, as Paraver has integers: %.*s%s",
                       name, LABEL_PRECISION, (int)which.size, which.bytes, count > 3 ? ", ..." : "");
    text_free(&which);
}

void labels_put_event(text_buffer *text, uint32_t of, int64_t bits)
{
    type *it;
    if (of >= JAVA_BASE) {
        java_put_event(text, of, bits);
        return;
    }
    it = &types.items[of];
    it->is_used = 1;
    if (it->kind == PAJESIM_VARIABLE) {
        double number;
        if (!(it->scale > 0))
            it->scale = pow(10, precision_of(it));
        memcpy(&number, &bits, sizeof number);
        number *= it->scale;
        bits = number > MOST_INTEGER ? INT64_MAX : number < -MOST_INTEGER ? -INT64_MAX : llround(number);
    }
    text_append(text, text_of_label(it->event));
    text_put_integer(text, bits);
}

/* ---- the file */

void labels_put_name(text_buffer *text, pajesim_text name)
{
    size_t before = text->size, blanks = 0;
    for (size_t i = 0; i < name.size; i++) {
        int is_blank = (unsigned char)name.bytes[i] <= ' ';
        text_putc(text, is_blank ? ' ' : name.bytes[i]);
        blanks += (size_t)is_blank;
    }
    if (blanks == name.size) {
        text->size = before;
        text_puts(text, "\"\"");
    }
}

static void put_state(text_buffer *text, uint32_t number, pajesim_text name)
{
    text_printf(text, "%-4lu ", (unsigned long)number);
    labels_put_name(text, name);
    text_putc(text, '\n');
}

static void put_color(text_buffer *text, uint32_t number, uint32_t color)
{
    text_printf(text, "%-4lu {%u,%u,%u}\n", (unsigned long)number, (unsigned)(color >> 16),
                (unsigned)(color >> 8 & 0xff), (unsigned)(color & 0xff));
}

static void put_type(text_buffer *text, const type *it)
{
    text_printf(text, "\n\nEVENT_TYPE\n0    %lu    ", (unsigned long)event_type(it));
    labels_put_name(text, text_of_label(it->label));
    text_putc(text, '\n');
    if (it->kind == PAJESIM_VARIABLE) {
        if (precision_of(it))
            text_printf(text, "PRECISION %lu\n", (unsigned long)precision_of(it));
        return;
    }
    text_puts(text, it->kind == PAJESIM_STATE ? "VALUES\n0    End\n" : "VALUES\n");
    for (uint32_t i = it->first; i; i = values.items[i].next)
        put_state(text, values.items[i].number, text_of_label(values.items[i].label));
}

void labels_put_all(text_buffer *text)
{
    text_puts(text, "DEFAULT_OPTIONS\n\nLEVEL               THREAD\nUNITS               NANOSEC\n"
                    "LOOK_BACK           100\nSPEED               1\nFLAG_ICONS          ENABLED\n"
                    "NUM_OF_STATE_COLORS 1000\nYMAX_SCALE          37\n\n\n"
                    "DEFAULT_SEMANTIC\n\nTHREAD_FUNC         State As Is\n\n\nSTATES\n");
    for (uint32_t i = 0; i < KNOWN_STATES; i++)
        put_state(text, i, text_of(known_states[i].name));
    for (uint32_t i = 0; i < states.count; i++)
        put_state(text, FIRST_STATE + i, text_of_label(states.items[i].label));
    text_puts(text, "\n\nSTATES_COLOR\n");
    for (uint32_t i = 0; i < KNOWN_STATES; i++)
        put_color(text, i, known_colors[i].is_set ? known_colors[i].color : known_states[i].color);
    for (uint32_t i = 0; i < states.count; i++)
        put_color(text, FIRST_STATE + i, states.items[i].color);
    for (size_t i = 0; i < types.count; i++)
        if (types.items[i].is_used)
            put_type(text, &types.items[i]);
    java_put_labels(text);
}
