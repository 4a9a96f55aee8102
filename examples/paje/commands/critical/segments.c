/* The second pass: the pieces of the path, each container's states in the stays that the first pass has found. */
#include "critical.h"

#include <math.h>

/* A stay on a container, or a link to it. */
typedef struct stage {
    size_t serial; /* of the container */
    int is_link;
    size_t class;  /* of a link; those of both passes are the same */
    double from, to;
} stage;

static array_of(stage) stages;

static struct {
    size_t at;       /* the present stage */
    double mark;     /* what is before it is printed */
    size_t sender;   /* a name: of the last stay; ACTIVE_NONE: none */
    hash_map wanted; /* serial numbers of the containers of all stages */
    array_of(size_t) places, generations, names; /* of these */
    size_t serials;
} now;

static void add_stage(const critical_piece *piece)
{
    size_t class = critical_key_class(piece->key), serial = critical_key_container(piece->key);
    *array_push(&stages) = (stage){serial, class != ACTIVE_NONE, class, piece->from, piece->to};
    size_t number = map_add(&now.wanted, &serial, sizeof serial);
    *array_at(&now.places, number) = ACTIVE_NONE;
    *array_at(&now.names, number) = ACTIVE_NONE;
}

/* ---- output */

static void put_name(size_t name, pajesim_text (*part)(size_t name))
{
    text_put_csv(&stream_output, name == ACTIVE_NONE ? text_of("") : part(name));
}

typedef struct row {
    double from, to;
    size_t name, class, sender; /* sender: of a link; else ACTIVE_NONE */
} row;

static row held; /* not printed yet, as the next one may go on with it; from > to: none */

static void print_held(pajesim *sim)
{
    if (held.from > held.to)
        return;
    const active_class *it = held.class == ACTIVE_NONE ? NULL : active_class_at(held.class);
    text_put_number(&stream_output, held.from);
    text_puts(&stream_output, ",");
    text_put_number(&stream_output, held.to);
    text_puts(&stream_output, ",");
    text_put_number(&stream_output, held.to - held.from);
    text_puts(&stream_output, ",");
    put_name(held.name, active_path);
    text_printf(&stream_output, ",%s,", it ? pajesim_kind_name(it->kind) : "");
    text_put_csv(&stream_output, it ? pajesim_name(sim, it->type) : text_of(""));
    text_puts(&stream_output, ",");
    text_put_csv(&stream_output, it ? active_value(held.class) : text_of(""));
    text_puts(&stream_output, ",");
    put_name(held.sender, active_path);
    text_puts(&stream_output, ",");
    put_name(held.name, active_alias);
    text_puts(&stream_output, ",");
    put_name(held.sender, active_alias);
    stream_end_line();
}

static void print(pajesim *sim, row next)
{
    int is_cut = next.from < critical_options.start || next.to > critical_options.end;
    next.from = fmax(next.from, critical_options.start);
    next.to = fmin(next.to, critical_options.end);
    if (next.to < next.from || (is_cut && !(next.to > next.from)))
        return;
    if (next.name == held.name && next.class == held.class && next.sender == held.sender && next.from <= held.to &&
        next.from >= held.to) {
        held.to = next.to;
        return;
    }
    print_held(sim);
    held = next;
}

static pajesim *simulation; /* for print_part() */
static size_t printed_name;

static void print_part(size_t place, size_t class, double from, double to)
{
    (void)place;
    print(simulation, (row){from, to, printed_name, class, ACTIVE_NONE});
}

/* Prints a stay up to a time, as far as that is known by now. */
static void go_on(pajesim *sim, const stage *it, double time)
{
    size_t number = map_find(&now.wanted, &it->serial, sizeof it->serial);
    size_t place = now.places.items[number];
    simulation = sim;
    printed_name = now.names.items[number];
    if (place != ACTIVE_NONE)
        critical_walk(place, &now.mark, fmin(time, it->to), print_part);
}

/* Prints stages that end before `time`. */
static void pass(pajesim *sim, double time)
{
    for (; now.at < stages.count && stages.items[now.at].to < time; now.at++) {
        const stage *it = &stages.items[now.at];
        size_t number = map_find(&now.wanted, &it->serial, sizeof it->serial);
        if (it->is_link)
            print(sim, (row){it->from, it->to, now.names.items[number], it->class, now.sender});
        else
            go_on(sim, it, it->to);
        now.sender = now.names.items[number];
        now.mark = it->to;
    }
}

/* ---- callbacks */

static void add_place(pajesim *sim, pajesim_ref container)
{
    size_t serial = now.serials++, number = map_find(&now.wanted, &serial, sizeof serial);
    if (number == MAP_NONE)
        return;
    now.places.items[number] = active_own_place(sim, container);
    now.names.items[number] = active_name(sim, now.places.items[number]);
}

static int new_type(pajesim *sim, const pajesim_type_info *type)
{
    active_new_type(sim, type);
    return PAJESIM_GO_ON;
}

static int container_created(pajesim *sim, const pajesim_entity *container)
{
    active_created(sim, container->container);
    add_place(sim, container->container);
    return PAJESIM_GO_ON;
}

static int began(pajesim *sim, const pajesim_entity *state)
{
    if (active_has_type(sim, state->type))
        active_began(sim, state);
    return PAJESIM_GO_ON;
}

static int line_read(pajesim *sim, const pajesim_line *line)
{
    const paje_run *run = pajesim_data(sim);
    if (now.at < stages.count && line->event >= PAJESIM_CREATE_CONTAINER && line->event != PAJESIM_TRACE_FILE)
        pass(sim, paje_in_seconds(run->settings, line->time));
    return PAJESIM_GO_ON;
}

static int closed(pajesim *sim, const pajesim_entity *entity)
{
    const stage *it = now.at < stages.count ? &stages.items[now.at] : NULL;
    size_t place = active_own_place(sim, entity->container);
    if (it && !it->is_link && entity->kind == PAJESIM_STATE && active_has_type(sim, entity->type)) {
        size_t number = map_find(&now.wanted, &it->serial, sizeof it->serial);
        if (now.places.items[number] == place)
            go_on(sim, it, entity->end);
    }
    active_closed(sim, entity);
    return PAJESIM_GO_ON;
}

static int no_problem(pajesim *sim, const pajesim_problem *problem)
{
    (void)sim, (void)problem;
    return PAJESIM_GO_ON;
}

static void begin(paje_run *run, int trace)
{
    (void)trace;
    now.mark = stages.count ? stages.items[0].from : 0;
    active_begin(&run->sim);
    add_place(&run->sim, pajesim_root(&run->sim));
}

static void end(paje_run *run, int trace)
{
    (void)trace;
    pass(&run->sim, HUGE_VAL);
    print_held(&run->sim);
}

int critical_print_segments(const paje_settings *settings, const char *name)
{
    paje_settings second = *settings;
    now.sender = ACTIVE_NONE;
    held.from = 1;
    if (critical_found.path)
        critical_for_each(critical_found.path, add_stage);
    active_clear();
    second.callbacks = (pajesim_callbacks){.new_type = new_type, .line = line_read, .problem = no_problem,
                                           .container_created = container_created, .state_set = began,
                                           .state_pushed = began, .closed = closed};
    second.begin = begin;
    second.end = end;
    second.stats = 0;
    second.limit = 1;
    text_puts(&stream_output, "Start,End,Duration,Container,Kind,Type,Value,From,ContainerAlias,FromAlias");
    stream_end_line();
    return paje_replay(&second, name, 0);
}
