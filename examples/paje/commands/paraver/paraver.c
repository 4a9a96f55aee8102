/* paje paraver: a trace for Paraver, in its three files. */
#include "paraver.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

#define FULL (1u << 16)

enum { SIZE = PAJE_LONG_ONLY, TAG, STATES, TASK, NODE, MEMORY };
enum { PRV, PCF, ROW, FILES };

/* A number that --size or --tag chooses, or that has one of the usual names. */
typedef struct link_field {
    const char *name; /* of the option; NULL: the usual ones */
    const char *const *usual;
    int is_known; /* a link has it */
} link_field;

static const char *const sizes[] = {"Size", "size", "Bytes", "bytes", "Length", "length", NULL};
static const char *const tags[] = {"Tag", "tag", NULL};
static struct {
    const char *base, *states;
    int has_states; /* --states chooses a type */
    link_field size, tag;
    row_options rows;
} options = {.size = {.usual = sizes}, .tag = {.usual = tags}};

static output_file files[FILES];
static char *base; /* without .prv */
static text_buffer text;
static uint64_t orders, links, backward;
static int64_t first_time = INT64_MAX, last_time = INT64_MIN; /* of all records, and of what ends without one */

/* ---- records */

uint64_t next_order(void)
{
    return ++orders;
}

void note_end(int64_t time)
{
    if (time > last_time)
        last_time = time;
}

void add_record(record it)
{
    if (it.time < first_time)
        first_time = it.time;
    note_end(it.time);
    if (it.kind == RECORD_STATE || it.kind == RECORD_LINK)
        note_end(it.more);
    if (it.kind == RECORD_LINK && it.more < first_time)
        first_time = it.more;
    spool_add(base, &it);
}

int is_in_range(pajesim *sim, int64_t start, int64_t end)
{
    const paje_filter *filter = &((const paje_run *)pajesim_data(sim))->settings->filter;
    return !(filter->has_start && end < time_of_option(sim, filter->start)) &&
           !(filter->has_end && start > time_of_option(sim, filter->end));
}

/* ---- callbacks */

static int line(pajesim *sim, const pajesim_line *next)
{
    time_begin_line(sim, next);
    return PAJESIM_GO_ON;
}

static int new_type(pajesim *sim, const pajesim_type_info *type)
{
    labels_add_type(sim, type);
    return PAJESIM_GO_ON;
}

static int container_created(pajesim *sim, const pajesim_entity *container)
{
    rows_add(sim, container->container, &options.rows);
    return PAJESIM_GO_ON;
}

/* The first state type of a type of containers in which there is a state, and which --states chooses, becomes that of
 * the state records. */
static int opened(pajesim *sim, const pajesim_entity *state)
{
    uint64_t *chosen = pajesim_user_data(sim, pajesim_type_of(sim, state->container));
    if (!*chosen && paje_shows_type(sim, state->type) &&
        (!options.states || rows_matches(sim, state->type, options.states))) {
        *chosen = state->type;
        options.has_states = 1;
    }
    stacks_open(sim, state);
    return PAJESIM_GO_ON;
}

static int changed(pajesim *sim, const pajesim_entity *segment)
{
    stacks_begin_segment(sim, segment);
    return PAJESIM_GO_ON;
}

static int link_started(pajesim *sim, const pajesim_entity *link)
{
    stacks_note_link(sim, link, 1);
    return PAJESIM_GO_ON;
}

static int link_ended(pajesim *sim, const pajesim_entity *link)
{
    stacks_note_link(sim, link, 0);
    return PAJESIM_GO_ON;
}

static int read_field(const pajesim *sim, const pajesim_entity *link, const char *name, int64_t *number)
{
    pajesim_field field;
    return (pajesim_user_field_named(sim, &link->opening, name, &field) &&
            pajesim_fixed(field.text.bytes, field.text.size, 0, number)) ||
           (pajesim_user_field_named(sim, &link->closing, name, &field) &&
            pajesim_fixed(field.text.bytes, field.text.size, 0, number));
}

/* Finds a number among the user fields of a link, or takes its value; 0 if there is none. */
static int64_t find_field(const pajesim *sim, const pajesim_entity *link, link_field *it)
{
    const char *const only[] = {it->name, NULL};
    int64_t number;
    for (const char *const *at = it->name ? only : it->usual; *at; at++)
        if (read_field(sim, link, *at, &number) ||
            (it->name && strcmp(it->name, "Value") == 0 &&
             pajesim_fixed(link->value_name.bytes, link->value_name.size, 0, &number))) {
            it->is_known = 1;
            return number;
        }
    return 0;
}

static void add_link(pajesim *sim, const pajesim_entity *link)
{
    int64_t start, end;
    stacks_take_link(sim, link, &start, &end);
    if (!paje_shows(sim, link))
        return;
    backward += end < start;
    links++;
    record it = {.time = start, .order = next_order(), .more = end, .kind = RECORD_LINK,
                 .who = rows_use(sim, link->start_container)};
    add_record(it);
    it = (record){.time = start, .order = next_order(), .kind = RECORD_SIZE, .who = rows_use(sim, link->end_container),
                  .more = find_field(sim, link, &options.size)};
    add_record(it);
    it = (record){.time = start, .order = next_order(), .kind = RECORD_TAG,
                  .more = find_field(sim, link, &options.tag)};
    add_record(it);
}

static void add_event(pajesim *sim, const pajesim_entity *event)
{
    if (!paje_shows(sim, event))
        return;
    uint32_t type = labels_type(sim, event->type);
    int64_t value;
    uint32_t java = java_type(event->value_name, &value);
    add_record((record){.time = time_of(sim, event->start), .order = next_order(), .kind = RECORD_EVENT,
                        .more = labels_number(labels_value(sim, type, event->value, event->value_name)),
                        .who = rows_use(sim, event->container), .what = type & WHAT_MOST});
    for (int is_end = 0; is_end < 2 && java; is_end++)
        add_record((record){.time = time_of(sim, event->start), .order = next_order(), .kind = RECORD_EVENT,
                            .more = is_end ? 0 : value, .who = rows_use(sim, event->container),
                            .what = java & WHAT_MOST});
}

/* No record says when a container ends: the length of the trace does. */
static void end_container(pajesim *sim, const pajesim_entity *container)
{
    const paje_filter *filter = &((const paje_run *)pajesim_data(sim))->settings->filter;
    if (!paje_shows(sim, container))
        return;
    int64_t end = time_of(sim, container->end);
    if (filter->has_end && end > time_of_option(sim, filter->end))
        end = time_of_option(sim, filter->end);
    note_end(end);
}

static int closed(pajesim *sim, const pajesim_entity *entity)
{
    switch (entity->kind) {
    case PAJESIM_CONTAINER: end_container(sim, entity); break;
    case PAJESIM_STATE: stacks_close(sim, entity); break;
    case PAJESIM_EVENT: add_event(sim, entity); break;
    case PAJESIM_VARIABLE: stacks_end_segment(sim, entity); break;
    case PAJESIM_LINK: add_link(sim, entity); break;
    }
    return PAJESIM_GO_ON;
}

/* ---- the files */

static int64_t origin; /* in the trace, of the times that are written */

static void put_integer(int64_t number, char end)
{
    text_put_integer(&text, number);
    text_putc(&text, end);
}

/* Records come by time, so that several have the same. */
static void put_time(int64_t time)
{
    static struct {
        int64_t time;
        size_t size; /* 0: there is none yet */
        char text[24];
    } last;
    if (last.size == 0 || last.time != time) {
        size_t from = text.size;
        put_integer(time - origin, ':');
        last.time = time;
        last.size = text.size - from;
        memcpy(last.text, text.bytes + from, last.size);
    } else {
        text_put(&text, last.text, last.size);
    }
}

/* Writes a record.  Events of a thread and time share a line. */
static void write_record(const record *it)
{
    static record event; /* of the line that is not ended */
    static int64_t link_end;
    if (event.kind == RECORD_EVENT && it && it->kind == RECORD_EVENT && it->who == event.who &&
        it->time == event.time) {
        text_putc(&text, ':');
        labels_put_event(&text, it->what, it->more);
        return;
    }
    if (event.kind == RECORD_EVENT)
        text_putc(&text, '\n');
    event.kind = RECORD_STATE;
    if (text.size >= FULL)
        output_write(&files[PRV], &text);
    if (!it)
        return;
    if (it->kind == RECORD_STATE || it->kind == RECORD_EVENT || it->kind == RECORD_LINK) {
        text_puts(&text, it->kind == RECORD_STATE ? "1:" : it->kind == RECORD_EVENT ? "2:" : "3:");
        rows_put_thread(&text, it->who);
        put_time(it->time);
    }
    switch (it->kind) {
    case RECORD_STATE:
        put_integer(it->more - origin, ':');
        put_integer(it->what, '\n');
        break;
    case RECORD_EVENT:
        labels_put_event(&text, it->what, it->more);
        event = *it;
        break;
    case RECORD_LINK: /* logical and physical times are the same */
        put_time(it->time);
        link_end = it->more - origin;
        break;
    case RECORD_SIZE:
        rows_put_thread(&text, it->who);
        put_integer(link_end, ':');
        put_integer(link_end, ':');
        put_integer(it->more, ':');
        break;
    case RECORD_TAG: put_integer(it->more, '\n'); break;
    }
}

/* Paraver's times begin at 0.  Those of a trace are kept unless they are negative, or since 1970. */
static void choose_origin(const char *name)
{
    const int64_t three_years = INT64_C(100000000000000000);
    if (first_time == INT64_MAX) { /* there is no record */
        first_time = 0;
        note_end(0);
    }
    if (first_time >= 0 && first_time < three_years)
        return;
    origin = first_time;
    stream_message("%s: it begins at %s%lld.%09lld s, which is 0 in %s.prv", name, origin < 0 ? "-" : "",
                   llabs((long long)origin) / 1000000000, llabs((long long)origin) % 1000000000, base);
}

static void put_header(const paje_run *run)
{
    struct stat status;
    struct tm date;
    char day[40] = "";
    if (fstat(run->source->file, &status) < 0)
        stream_fail("%s: its date: %s", run->source->name, strerror(errno));
    if (gmtime_r(&status.st_mtime, &date))
        strftime(day, sizeof day, "%d/%m/%Y at %H:%M", &date);
    text_printf(&text, "#Paraver (%s):", day);
    put_integer(last_time - origin, '_');
    text_puts(&text, "ns:");
    rows_put_header(&text);
    text_putc(&text, '\n');
}

static void open_file(int file, const char *ending)
{
    text_buffer name = {0};
    text_printf(&name, "%s%s", base, ending);
    output_open(&files[file], text_string(&name), OUTPUT_WHOLE);
    text_free(&name);
}

static void begin(paje_run *run, int trace)
{
    (void)trace;
    if (!options.base)
        paje_usage(run->settings->command, "it needs a name for its files: -o BASE");
    text_buffer name = {0};
    size_t size = strlen(options.base);
    if (size > 4 && strcmp(options.base + size - 4, ".prv") == 0)
        size -= 4;
    text_put(&name, options.base, size);
    base = text_string(&name);
    open_file(PRV, ".prv");
    open_file(PCF, ".pcf");
    open_file(ROW, ".row");
    rows_add_root(&run->sim);
}

static void tell_field(const char *name, const link_field *it, const char *option)
{
    if (it->name && !it->is_known && links > 0)
        stream_message("%s: no link has a user field `%s` that is a number (%s)", name, it->name, option);
}

static void tell_type(const char *name, const char *glob, int is_found, const char *what)
{
    if (glob && !is_found)
        stream_message("%s: no %s has a type like `%s`", name, what, glob);
}

static void end(paje_run *run, int trace)
{
    const char *name = run->source->name;
    (void)trace;
    choose_origin(name);
    rows_number();
    put_header(run);
    spool_take(base, write_record);
    write_record(NULL);
    output_write(&files[PRV], &text);
    labels_put_all(&text);
    output_write(&files[PCF], &text);
    rows_put_names(&text);
    output_write(&files[ROW], &text);
    output_close(files, FILES);
    stacks_report(name);
    labels_report(name);
    tell_type(name, options.states, options.has_states, "state");
    tell_type(name, options.rows.task, options.rows.has_task, "container");
    tell_type(name, options.rows.node, options.rows.has_node, "container");
    tell_field(name, &options.size, "--size");
    tell_field(name, &options.tag, "--tag");
    if (backward)
        stream_message("%s: %llu links end before they start, and so do their communications", name,
                       (unsigned long long)backward);
}

static const char *option(int key, const char *argument, paje_settings *settings)
{
    (void)settings;
    switch (key) {
    case 'o': options.base = argument; return *argument ? NULL : "no name";
    case STATES: options.states = argument; break;
    case TASK: options.rows.task = argument; break;
    case NODE: options.rows.node = argument; break;
    case SIZE: options.size.name = argument; break;
    case TAG: options.tag.name = argument; break;
    case MEMORY: return paje_parse_size(argument, &spool_size) ? NULL : "no size";
    }
    return NULL;
}

static const paje_option option_table[] = {
    {'o', "output", "BASE", "writes BASE.prv, BASE.pcf and BASE.row"},
    {STATES, "states", "GLOB", "state types of state records; default: the first in use by each type of containers"},
    {TASK, "task", "GLOB", "types of containers that are tasks; default: the parents of threads"},
    {NODE, "node", "GLOB", "types of containers that are nodes; default: the parents of tasks"},
    {SIZE, "size", "FIELD", "user field of links, or `Value`: the size of a message; default: Size, Bytes or Length"},
    {TAG, "tag", "FIELD", "user field of links, or `Value`: the tag of a message; default: Tag"},
    {MEMORY, "memory", "SIZE", "of records that are sorted at once; default: 4M"},
    {0, NULL, NULL, NULL},
};

const paje_command command_paraver = {
    .name = "paraver",
    .summary = "Writes a trace for Paraver: BASE.prv, .pcf and .row",
    .details = "Containers without containers in them, and others in which something happens, are threads; their\n"
               "parents are tasks, and the parents of these are nodes.  What is in no container but the root is a\n"
               "task of its own.  Each thread has a CPU of its own.\n\n"
               "The innermost state is a state record: 0 to 15 if it has the name of a state of Paraver's, else from\n"
               "100 on.  Types of states (from 900000001 on), events (910000001) and variables (920000001) are event\n"
               "types: a state begins with its value, and ends with 0.  Values of variables have up to 9 decimals,\n"
               "which the .pcf says (PRECISION).  Links are communications.  Left out are user fields, except for\n"
               "sizes and tags, types and values of links, and when containers begin and end.  Times are nanoseconds,\n"
               "rounded to the nearest.  Java of `paje trace` has the types and values of Extrae, too.  What memory\n"
               "has no room for is in a file beside BASE meanwhile, of up to four times the size of the trace.",
    .traces = 1,
    .trials = "-o OUT FILE\n-o OUT --container * --unit ms --size Mark -s 1 -e 4 FILE",
    .filters = PAJE_FILTERS | PAJE_SEES_ALL | PAJE_KEEPS_UNIT,
    .options = option_table,
    .option = option,
    .callbacks = {.line = line, .new_type = new_type, .container_created = container_created, .state_set = opened,
                  .state_pushed = opened, .variable_set = changed, .variable_updated = changed,
                  .link_started = link_started, .link_ended = link_ended, .closed = closed},
    .begin = begin,
    .end = end,
};
