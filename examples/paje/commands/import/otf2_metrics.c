/* Metrics of an OTF2 archive, which become variables: of the location that records them, or of their scope; in the
 * unit that their definition tells. */
#include "otf2.h"

#include <math.h>

/* A value counts base^exponent of the unit. */
typedef struct scale {
    int is_binary;
    int64_t exponent;
} scale;

typedef enum scope_kind { OF_RECORDER, OF_LOCATION, OF_PROCESS, OF_NODE, OF_OTHERS } scope_kind;

/* The owner of the metrics of an instance. */
typedef struct scope {
    scope_kind kind;
    uint64_t number;
} scope;

static hash_map members, instances; /* by number */
static array_of(scale) scales;
static array_of(scope) scopes;
static hash_map variables; /* defined when they are used first; by member and type of container */
static uint64_t of_others;

/* `..., Base: DECIMAL, Exponent: -3, Unit: "s" <9>` */
void otf2_define_member(const otf2_record *it)
{
    pajesim_text before, behind;
    scale *scaled = array_at(&scales, map_add(&members, &it->number, sizeof it->number));
    *scaled = (scale){0, 0};
    if (!otf2_cut(it->rest, ", Exponent: ", &before, &behind))
        return;
    const char *at = behind.bytes;
    if (!prv_read_number(&at, behind.bytes + behind.size, &scaled->exponent))
        scaled->exponent = 0;
    scaled->is_binary = otf2_cut(before, ", Base: ", &before, &behind) && text_is_equal(behind, text_of("BINARY"));
}

/* `Class: 0, Recorder: "NAME" <0>, Scope: LOCATION_GROUP "NAME" <1>` */
void otf2_define_instance(const otf2_record *it)
{
    static const char *const words[] = {", Scope: LOCATION \"", ", Scope: LOCATION_GROUP \"",
                                        ", Scope: SYSTEM_TREE_NODE \""};
    pajesim_text before, behind;
    scope found = {OF_OTHERS, 0};
    for (int i = 0; i < 3; i++)
        if (otf2_cut(it->rest, words[i], &before, &behind) && otf2_last_reference(behind, &found.number, &before))
            found.kind = (scope_kind)(OF_LOCATION + i);
    if (found.kind == OF_NODE)
        otf2_node(found.number);
    *array_at(&scopes, map_add(&instances, &it->number, sizeof it->number)) = found;
}

/* The owner of metrics: `Metric: 0, 2 Values: ...`. */
static scope scope_of(pajesim_text rest)
{
    static const char word[] = "Metric: ";
    const char *at = rest.bytes + sizeof word - 1, *end = rest.bytes + rest.size;
    int64_t number;
    if (rest.size < sizeof word || memcmp(rest.bytes, word, sizeof word - 1) != 0 ||
        !prv_read_number(&at, end, &number))
        return (scope){OF_RECORDER, 0};
    uint64_t metric = (uint64_t)number;
    size_t found = map_find(&instances, &metric, sizeof metric);
    return found == MAP_NONE ? (scope){OF_RECORDER, 0} : scopes.items[found];
}

/* The container of a scope, and its type.  Returns 0 if it is not known. */
static int find_container(scope of, uint32_t location, pajewrite_container *container, uint32_t *type)
{
    *type = of.kind == OF_PROCESS ? OTF2_PROCESS_TYPE : of.kind == OF_NODE ? OTF2_NODE_TYPE : OTF2_THREAD_TYPE;
    if (of.kind == OF_PROCESS)
        return otf2_find_process(of.number, container);
    if (of.kind == OF_NODE)
        *container = otf2_node(of.number);
    else if (of.kind == OF_RECORDER || otf2_find_location(of.number, &location))
        *container = otf2_container(location);
    else
        return 0;
    return 1;
}

/* The variable of a metric of containers of a type. */
static pajewrite_type variable_of(uint64_t member, uint32_t type, pajesim_text name)
{
    const uint64_t key[] = {member, type};
    size_t used = variables.used, index = map_add(&variables, key, sizeof key);
    const pajewrite_type variable = PAJEWRITE_TYPE(OTF2_FIRST_METRIC + index);
    if (variables.used > used)
        pajewrite_define_variable_type(&writer, variable, PAJEWRITE_TYPE(type), write_name(otf2_unquote(name)), NULL);
    return variable;
}

/* A number in its unit.  It is divided where the exponent is negative, as 10^-3 is no double. */
static double in_unit(double number, scale by)
{
    int exponent = by.exponent < -9999 ? -9999 : by.exponent > 9999 ? 9999 : (int)by.exponent;
    if (by.is_binary)
        return ldexp(number, exponent);
    return exponent < 0 ? number / pow(10, -exponent) : number * pow(10, exponent);
}

/* Takes a value apart, `NAME <0>; DOUBLE; 72.5)`, from behind the reference; returns 0 if there is none. */
static int find_value(pajesim_text *left, pajesim_text *value)
{
    const char *at = left->bytes, *end = left->bytes + left->size;
    const char *type = memchr(at, ';', left->size);
    const char *begin = type ? memchr(type + 1, ';', (size_t)(end - type - 1)) : NULL;
    const char *close = begin ? memchr(begin, ')', (size_t)(end - begin)) : NULL;
    if (!close)
        return 0;
    while (begin < close && (*begin == ';' || *begin == ' '))
        begin++;
    *value = (pajesim_text){begin, (size_t)(close - begin)};
    *left = (pajesim_text){close, (size_t)(end - close)};
    return 1;
}

static void set(uint64_t time, pajewrite_container container, pajewrite_type variable, pajesim_text value, scale by,
                double number)
{
    int64_t integer;
    const char *digits = value.bytes, *end = digits + value.size;
    if (by.exponent == 0 && prv_read_number(&digits, end, &integer) && digits == end)
        pajewrite_set_variable_at(&writer, time, container, variable, integer);
    else
        pajewrite_set_variable_double_at(&writer, time, container, variable, in_unit(number, by));
}

/* `Metric: 0, 2 Values: ("NAME" <0>; DOUBLE; 72.5), ("NAME" <1>; UINT64; 3)` */
void otf2_change_metrics(const input_lines *lines, const otf2_record *it, uint32_t location, uint64_t time)
{
    pajesim_text left = it->rest, name, value;
    pajewrite_container container;
    uint64_t member;
    uint32_t type;
    int count = 0;
    const scope of = scope_of(left);
    if (of.kind == OF_OTHERS) {
        of_others++;
        return;
    }
    if (!find_container(of, location, &container, &type)) {
        lines_report(lines, it->kind.bytes, left.bytes, left.size, "a metric of an unknown location");
        return;
    }
    for (; otf2_first_reference(left, &member, &name); count++) {
        const char *behind = name.bytes + name.size;
        left = (pajesim_text){behind, (size_t)(left.bytes + left.size - behind)};
        if (!find_value(&left, &value))
            break;
        size_t found = map_find(&members, &member, sizeof member);
        const scale by = found == MAP_NONE ? (scale){0, 0} : scales.items[found];
        double number;
        if (!pajesim_number(value.bytes, value.size, &number) || !isfinite(in_unit(number, by)))
            lines_report(lines, it->kind.bytes, value.bytes, value.size, "no value of a metric");
        else
            set(time, container, variable_of(member, type, name), value, by, number);
    }
    if (count == 0)
        lines_report(lines, it->kind.bytes, it->rest.bytes, it->rest.size, "no value of a metric");
}

void otf2_report_metrics(const char *name)
{
    if (of_others)
        stream_message("%s: %llu METRIC of groups of locations are left out", name, (unsigned long long)of_others);
}
