/* Definitions of an OTF2 archive: its clock, and its locations in processes on nodes, which become containers. */
#include "otf2.h"

static const uint64_t BILLION = 1000000000;

typedef struct container {
    pajewrite_type type;
    uint32_t alias;
} container;

static uint64_t ticks_per_second, offset, length; /* the first is less than 2^63 */
static hash_map nodes, processes, locations; /* by number */
static array_of(uint32_t) node_containers, process_containers, location_containers;
static hash_map node_names; /* numbers of nodes that have one */
static array_of(pajesim_text) names;
static array_of(container) containers;

static uint32_t create(uint32_t type, uint32_t parent, pajesim_text name)
{
    uint32_t alias = (uint32_t)containers.count + 1;
    *array_push(&containers) = (container){PAJEWRITE_TYPE(type), alias};
    pajewrite_create_container_at(&writer, 0, PAJEWRITE_CONTAINER(alias), PAJEWRITE_TYPE(type),
                                  PAJEWRITE_CONTAINER(parent), write_name(name));
    return alias;
}

/* The number in `KEY NUMBER`. */
static void read_count(pajesim_text text, const char *key, uint64_t *number)
{
    pajesim_text before, behind;
    int64_t found;
    if (!otf2_cut(text, key, &before, &behind))
        return;
    const char *at = behind.bytes;
    if (prv_read_number(&at, behind.bytes + behind.size, &found) && found >= 0)
        *number = (uint64_t)found;
}

/* The name that a definition begins with: `Name: "NAME" <12>, ...`. */
static pajesim_text name_of(pajesim_text rest)
{
    uint64_t number;
    pajesim_text before;
    return otf2_unquote(otf2_first_reference(rest, &number, &before) ? before : rest);
}

/* The number behind the last place of a key: `KEY "NAME" <12>`. */
static int read_reference(pajesim_text rest, const char *key, uint64_t *number)
{
    pajesim_text before, behind, name;
    return otf2_cut(rest, key, &before, &behind) && behind.size > 0 && behind.bytes[0] == '"' &&
           otf2_first_reference(behind, number, &name);
}

static uint32_t node_container(uint64_t number)
{
    size_t used = nodes.used, index = map_add(&nodes, &number, sizeof number);
    uint32_t *it = array_at(&node_containers, index);
    if (nodes.used > used) {
        size_t named = map_find(&node_names, &number, sizeof number);
        *it = create(OTF2_NODE_TYPE, 0, named != MAP_NONE ? names.items[named] : text_of("unknown"));
    }
    return *it;
}

static uint32_t process_container(uint64_t number, pajesim_text name, uint64_t node)
{
    size_t used = processes.used, index = map_add(&processes, &number, sizeof number);
    if (processes.used > used) {
        uint32_t parent = node_container(node);
        *array_at(&process_containers, index) = create(OTF2_PROCESS_TYPE, parent, name);
    }
    return process_containers.items[index];
}

static void take(const input_lines *lines, const otf2_record *it)
{
    uint64_t within = UINT64_MAX;
    (void)lines;
    if (text_is_equal(it->kind, text_of("CLOCK_PROPERTIES"))) {
        read_count(it->rest, "Ticks per Seconds: ", &ticks_per_second);
        read_count(it->rest, "Global Offset: ", &offset);
        read_count(it->rest, "Length: ", &length);
    } else if (text_is_equal(it->kind, text_of("SYSTEM_TREE_NODE"))) {
        pajesim_text name = name_of(it->rest), *kept = array_at(&names, map_add(&node_names, &it->number,
                                                                                sizeof it->number));
        char *copy = memory_alloc(name.size + 1, 1);
        *kept = (pajesim_text){memcpy(copy, name.bytes, name.size), name.size};
    } else if (text_is_equal(it->kind, text_of("LOCATION_GROUP"))) {
        read_reference(it->rest, "Parent: ", &within);
        process_container(it->number, name_of(it->rest), within);
    } else if (text_is_equal(it->kind, text_of("LOCATION"))) {
        read_reference(it->rest, "Group: ", &within);
        uint32_t parent = process_container(within, text_of("unknown"), UINT64_MAX);
        size_t used = locations.used, index = map_add(&locations, &it->number, sizeof it->number);
        if (locations.used > used)
            *array_at(&location_containers, index) = create(OTF2_THREAD_TYPE, parent, name_of(it->rest));
    } else if (text_is_equal(it->kind, text_of("METRIC_MEMBER"))) {
        otf2_define_member(it);
    } else if (text_is_equal(it->kind, text_of("METRIC_INSTANCE"))) {
        otf2_define_instance(it);
    }
}

void otf2_read_definitions(const paje_source *source)
{
    const pajewrite_type node = PAJEWRITE_TYPE(OTF2_NODE_TYPE), process = PAJEWRITE_TYPE(OTF2_PROCESS_TYPE);
    const pajewrite_type thread = PAJEWRITE_TYPE(OTF2_THREAD_TYPE), link = PAJEWRITE_TYPE(OTF2_LINK_TYPE);
    write_begin(9);
    pajewrite_define_container_type(&writer, node, PAJEWRITE_ROOT_TYPE, "Node");
    pajewrite_define_container_type(&writer, process, node, "Process");
    pajewrite_define_container_type(&writer, thread, process, "Thread");
    pajewrite_define_state_type(&writer, PAJEWRITE_TYPE(OTF2_REGION_TYPE), thread, "Region");
    pajewrite_define_link_type(&writer, link, PAJEWRITE_ROOT_TYPE, thread, thread, "Message");
    pajewrite_define_value(&writer, PAJEWRITE_VALUE(1), link, "message", "0.9 0.6 0");
    otf2_print(source, 0, take);
    if (ticks_per_second == 0)
        stream_fail("%s: the archive tells no clock rate (`Ticks per Seconds` of CLOCK_PROPERTIES), or 0",
                    source->name);
}

/* Returns ticks of less than a second as nanoseconds: ticks * BILLION / ticks_per_second, whose product may have more
 * than 64 bits, bit by bit. */
static uint64_t nanoseconds_of(uint64_t ticks)
{
    uint64_t quotient = 0, rest = 0;
    if (ticks <= UINT64_MAX / BILLION)
        return ticks * BILLION / ticks_per_second;
    for (uint64_t bit = UINT64_C(1) << 29; bit > 0; bit >>= 1) {
        rest *= 2;
        quotient = 2 * quotient + rest / ticks_per_second;
        rest %= ticks_per_second;
        if (BILLION & bit) {
            rest += ticks;
            quotient += rest / ticks_per_second;
            rest %= ticks_per_second;
        }
    }
    return quotient;
}

int otf2_time(uint64_t ticks, uint64_t *nanoseconds)
{
    if (ticks < offset)
        return 0;
    uint64_t since = ticks - offset, seconds = since / ticks_per_second, rest = since % ticks_per_second;
    if (seconds > INT64_MAX / BILLION - 1)
        return 0;
    *nanoseconds = seconds * BILLION + nanoseconds_of(rest);
    return 1;
}

int otf2_find_location(uint64_t location, uint32_t *number)
{
    size_t found = map_find(&locations, &location, sizeof location);
    *number = (uint32_t)found;
    return found != MAP_NONE;
}

pajewrite_container otf2_container(uint32_t number)
{
    return PAJEWRITE_CONTAINER(location_containers.items[number]);
}

pajewrite_container otf2_node(uint64_t number)
{
    return PAJEWRITE_CONTAINER(node_container(number));
}

int otf2_find_process(uint64_t number, pajewrite_container *process)
{
    size_t found = map_find(&processes, &number, sizeof number);
    if (found != MAP_NONE)
        *process = PAJEWRITE_CONTAINER(process_containers.items[found]);
    return found != MAP_NONE;
}

void otf2_destroy_containers(uint64_t time)
{
    uint64_t end;
    if (length <= UINT64_MAX - offset && otf2_time(offset + length, &end) && end > time)
        time = end;
    for (size_t i = containers.count; i-- > 0;)
        pajewrite_destroy_container_at(&writer, time, PAJEWRITE_CONTAINER(containers.items[i].alias),
                                       containers.items[i].type);
}
