/* A part of libpajesim.so: all entities of one kind as arrays, a column for each of their members, for data frames.
 * The callbacks fill them during a replay; other languages read them afterwards, in place.
 *
 *     pajesim_columns *columns = pajesim_columns_new(PAJESIM_STATE, 1);
 *     pajesim_init(&sim, arena, capacity, &options, pajesim_columns_callbacks(), columns);
 *     ...                                        feed, finish
 *     pajesim_columns_end(columns);
 *     for (i = 0; pajesim_columns_get(columns, i, &column); i++)
 *         ...
 *     pajesim_columns_free(columns);             frees the arrays as well
 *
 * Names are codes: the place of the text in a dictionary, in which each text is once.  When memory runs out, the
 * callbacks stop the replay, and pajesim_columns_end returns 0. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct pajesim_columns pajesim_columns;

typedef enum pajesim_column_form { PAJESIM_DOUBLES, PAJESIM_INTEGERS, PAJESIM_CODES } pajesim_column_form;

typedef struct pajesim_column {
    pajesim_text name;
    pajesim_column_form form;
    const void *data;     /* double; int32_t; codes: int32_t, -1 where there is none */
    uint64_t rows;
    const char *texts;    /* codes: all texts of the dictionary, one behind the other */
    const uint64_t *ends; /* where each of them ends */
    uint64_t count;       /* of texts */
} pajesim_column;

/* Returns NULL if there is no such kind, or no memory.  `with_fields`: a column for each user field too, called
 * opening.NAME or closing.NAME, of numbers if each of its texts is one, else of codes. */
PAJESIM_API pajesim_columns *pajesim_columns_new(int kind, int with_fields);
PAJESIM_API const pajesim_callbacks *pajesim_columns_callbacks(void);
/* To be called after the replay.  Returns 0 if there was not enough memory. */
PAJESIM_API int pajesim_columns_end(pajesim_columns *columns);
/* Stores a column, which stays where it is until pajesim_columns_free; returns 0 if there is none of that index. */
PAJESIM_API int pajesim_columns_get(const pajesim_columns *columns, uint32_t index, pajesim_column *column);
/* Returns the first error of the trace, NULL if there was none. */
PAJESIM_API const pajesim_problem *pajesim_columns_problem(const pajesim_columns *columns);
PAJESIM_API void pajesim_columns_free(pajesim_columns *columns);

/* ---- dictionaries */

typedef struct dictionary {
    char *texts;
    uint64_t *ends;
    struct slot {
        uint32_t hash, code; /* code + 1; 0: free */
    } *slots;
    uint64_t size, room; /* bytes of texts, and of what is allocated for them */
    uint32_t count, capacity, slot_count;
} dictionary;

#define NO_CODE (-1)
#define NO_MEMORY (-2)

static uint64_t text_start(const dictionary *it, uint32_t code)
{
    return code ? it->ends[code - 1] : 0;
}

static int grow_slots(dictionary *it)
{
    uint32_t count = it->slot_count ? 2 * it->slot_count : 64;
    struct slot *slots = calloc(count, sizeof *slots);
    if (!slots)
        return 0;
    for (uint32_t i = 0; i < it->slot_count; i++)
        if (it->slots[i].code) {
            uint32_t at = it->slots[i].hash & (count - 1);
            while (slots[at].code)
                at = (at + 1) & (count - 1);
            slots[at] = it->slots[i];
        }
    free(it->slots);
    it->slots = slots;
    it->slot_count = count;
    return 1;
}

/* Makes room for another text of `size` bytes. */
static int grow_texts(dictionary *it, size_t size)
{
    if (it->count == it->capacity) {
        uint32_t capacity = it->capacity ? 2 * it->capacity : 64;
        uint64_t *ends = capacity > INT32_MAX ? NULL : realloc(it->ends, capacity * sizeof *ends);
        if (!ends)
            return 0;
        it->ends = ends;
        it->capacity = capacity;
    }
    if (size > it->room - it->size) {
        uint64_t room = 2 * it->room + size + 1024;
        char *texts = realloc(it->texts, (size_t)room);
        if (!texts)
            return 0;
        it->texts = texts;
        it->room = room;
    }
    return 1;
}

/* `seed`: where the dictionary lies, which differs from run to run, so that a trace cannot be made of texts of one
 * hash. */
static uint32_t hash_of(const dictionary *seed, const char *bytes, size_t size)
{
    uint64_t hash = ((uintptr_t)seed ^ size) * UINT64_C(0x9e3779b97f4a7c15), word = 0;
    hash ^= hash >> 32;
    for (; size >= sizeof word; bytes += sizeof word, size -= sizeof word) {
        memcpy(&word, bytes, sizeof word);
        hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 32;
    }
    word = 0;
    if (size)
        memcpy(&word, bytes, size);
    hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    hash = (hash ^ hash >> 32) * UINT64_C(0xd6e8feb86659fd93);
    return (uint32_t)(hash >> 32);
}

/* Returns the code of a text, which is added if it is not there yet; or NO_MEMORY. */
static int32_t code_of(dictionary *it, pajesim_text text)
{
    uint32_t hash = hash_of(it, text.bytes, text.size);
    if (it->count >= it->slot_count / 2 && !grow_slots(it))
        return NO_MEMORY;
    uint32_t at = hash & (it->slot_count - 1);
    for (; it->slots[at].code; at = (at + 1) & (it->slot_count - 1)) {
        uint32_t code = it->slots[at].code - 1;
        uint64_t start = text_start(it, code);
        if (it->slots[at].hash == hash && it->ends[code] - start == text.size &&
            (text.size == 0 || memcmp(it->texts + start, text.bytes, text.size) == 0))
            return (int32_t)code;
    }
    if (!grow_texts(it, text.size))
        return NO_MEMORY;
    if (text.size)
        memcpy(it->texts + it->size, text.bytes, text.size);
    it->size += text.size;
    it->ends[it->count++] = it->size;
    it->slots[at] = (struct slot){hash, it->count};
    return (int32_t)it->count - 1;
}

static void free_dictionary(dictionary *it)
{
    free(it->texts);
    free(it->ends);
    free(it->slots);
}

/* ---- columns */

typedef struct column {
    const char *name;       /* of a user field: NULL */
    pajesim_column_form form;
    union {
        void *any;
        double *doubles;
        int32_t *integers;
    } data;
    dictionary *dictionary; /* of codes */
    /* A user field has a dictionary of its own, and these. */
    dictionary own;
    char *field; /* "opening.NAME" */
    size_t field_size;
} column;

enum { CONTAINERS, TYPES, VALUES, NAMES, ALIASES, KEYS, DICTIONARIES };
#define COLUMNS_PER_KIND 12
#define PREFIX 8 /* bytes of "opening." and "closing." */

/* The codes of a container: several may have one path. */
typedef struct place {
    int32_t path, alias;
} place;

struct pajesim_columns {
    pajesim_kind kind;
    int with_fields, failed;
    uint64_t rows, capacity;
    column **columns; /* those of the kind, then those of user fields */
    uint32_t count, fixed, room;
    dictionary dictionaries[DICTIONARIES];
    place *places; /* of the containers so far; the user's word of one is its number, from 1 */
    uint32_t place_count, place_room;
    char *path; /* being composed */
    size_t path_room;
    pajesim_problem problem; /* the first error */
    char problem_bytes[64];
};

/* The columns of each kind, in the order in which they are put into a row. */
static const struct {
    const char *name;
    pajesim_column_form form;
    int dictionary;
} layout[][COLUMNS_PER_KIND] = {
#define OF(kind_name) {"container", PAJESIM_CODES, CONTAINERS}, {"type", PAJESIM_CODES, TYPES}, \
                      {"start", PAJESIM_DOUBLES, 0}
#define END {"end", PAJESIM_DOUBLES, 0}
#define VALUE {"value", PAJESIM_CODES, VALUES}
#define ALIAS {"container_alias", PAJESIM_CODES, ALIASES}
    [PAJESIM_CONTAINER] = {OF(container), END, {"name", PAJESIM_CODES, NAMES}, {"alias", PAJESIM_CODES, ALIASES},
                           {"parent", PAJESIM_CODES, CONTAINERS}},
    [PAJESIM_STATE] = {OF(state), END, {"imbrication", PAJESIM_INTEGERS, 0}, VALUE, ALIAS},
    [PAJESIM_EVENT] = {OF(event), VALUE, ALIAS},
    [PAJESIM_VARIABLE] = {OF(variable), END, {"value", PAJESIM_DOUBLES, 0}, ALIAS},
    [PAJESIM_LINK] = {OF(link), END, VALUE, {"start_container", PAJESIM_CODES, CONTAINERS},
                      {"end_container", PAJESIM_CODES, CONTAINERS}, {"key", PAJESIM_CODES, KEYS}, ALIAS,
                      {"start_container_alias", PAJESIM_CODES, ALIASES},
                      {"end_container_alias", PAJESIM_CODES, ALIASES}},
#undef OF
#undef END
#undef VALUE
#undef ALIAS
};

static size_t item_size(pajesim_column_form form)
{
    return form == PAJESIM_DOUBLES ? sizeof(double) : sizeof(int32_t);
}

static int grow_rows(pajesim_columns *it)
{
    uint64_t capacity = it->capacity ? 2 * it->capacity : 1024;
    for (uint32_t i = 0; i < it->count; i++) {
        void *data = realloc(it->columns[i]->data.any, (size_t)capacity * item_size(it->columns[i]->form));
        if (!data)
            return 0;
        it->columns[i]->data.any = data;
    }
    it->capacity = capacity;
    return 1;
}

/* Adds a column without rows; returns NULL if there is no memory. */
static column *add_column(pajesim_columns *it, pajesim_column_form form)
{
    if (it->count == it->room) {
        uint32_t room = it->room + COLUMNS_PER_KIND;
        column **columns = realloc(it->columns, room * sizeof *columns);
        if (!columns)
            return NULL;
        it->columns = columns;
        it->room = room;
    }
    column *added = calloc(1, sizeof *added);
    if (!added)
        return NULL;
    it->columns[it->count++] = added;
    added->form = form;
    return added;
}

/* Returns the column of a user field, which is added if it is not there yet; the rows so far have no code in it.
 * Fields come in the same order in most lines, so `*next`, behind the column of the last one, is tried first. */
static column *field_column(pajesim_columns *it, const char *prefix, pajesim_text name, uint32_t *next)
{
    uint32_t fields = it->count - it->fixed;
    for (uint32_t i = 0; i < fields; i++) {
        uint32_t index = it->fixed + (*next - it->fixed + i) % fields;
        column *here = it->columns[index];
        if (here->field_size == PREFIX + name.size && memcmp(here->field, prefix, PREFIX) == 0 &&
            memcmp(here->field + PREFIX, name.bytes, name.size) == 0) {
            *next = index + 1;
            return here;
        }
    }
    column *added = add_column(it, PAJESIM_CODES);
    if (!added)
        return NULL;
    added->dictionary = &added->own;
    added->data.any = malloc((size_t)it->capacity * sizeof(int32_t));
    added->field = malloc(PREFIX + name.size);
    if (!added->data.any || !added->field)
        return NULL;
    memset(added->data.any, 0xff, ((size_t)it->rows + 1) * sizeof(int32_t)); /* NO_CODE, also in the new row */
    memcpy(added->field, prefix, PREFIX);
    memcpy(added->field + PREFIX, name.bytes, name.size);
    added->field_size = PREFIX + name.size;
    *next = it->count;
    return added;
}

/* ---- rows */

/* Returns the code of a name that the user's word of its ref keeps; `text` is the name. */
static int32_t kept_code(pajesim *sim, dictionary *it, pajesim_ref ref, pajesim_text text)
{
    pajesim_user_word *word = pajesim_user_data(sim, ref);
    if (*word)
        return (int32_t)(*word - 1);
    int32_t code = code_of(it, text);
    if (code >= 0)
        *word = (pajesim_user_word)code + 1;
    return code;
}

/* Returns the path of a container, as the commands of the tool print it: /Host one/Thread one.  It is written backwards
 * from the end of a buffer, up to the root, so that the depth of the tree does not matter.  No bytes: no memory. */
static pajesim_text path_of(pajesim_columns *it, const pajesim *sim, pajesim_ref container)
{
    pajesim_ref root = pajesim_root(sim);
    size_t size = 0;
    for (pajesim_ref one = container; one && one != root; one = pajesim_parent(sim, one))
        size += 2 * pajesim_name(sim, one).size + 1;
    if (size + 1 > it->path_room) {
        char *path = realloc(it->path, 2 * size + 64);
        if (!path)
            return (pajesim_text){NULL, 0};
        it->path = path;
        it->path_room = 2 * size + 64;
    }
    char *end = it->path + it->path_room, *at = end;
    for (; container && container != root; container = pajesim_parent(sim, container)) {
        pajesim_text name = pajesim_name(sim, container);
        for (size_t i = name.size; i-- > 0;) {
            *--at = name.bytes[i];
            if (*at == '/' || *at == '\\')
                *--at = '\\';
        }
        *--at = '/';
    }
    if (at == end)
        *--at = '/';
    return (pajesim_text){at, (size_t)(end - at)};
}

/* Returns a new place, or NULL if there is no memory. */
static place *add_place(pajesim_columns *it)
{
    if (it->place_count == it->place_room) {
        uint32_t room = it->place_room ? 2 * it->place_room : 64;
        place *places = room > INT32_MAX ? NULL : realloc(it->places, room * sizeof *places);
        if (!places)
            return NULL;
        it->places = places;
        it->place_room = room;
    }
    return &it->places[it->place_count++];
}

static place place_of(pajesim_columns *it, pajesim *sim, pajesim_ref container)
{
    const place none = {NO_CODE, NO_CODE}, failed = {NO_MEMORY, NO_MEMORY};
    pajesim_user_word word;
    if (!container)
        return none;
    if ((word = *pajesim_user_data(sim, container)) != 0)
        return it->places[word - 1];
    pajesim_text path = path_of(it, sim, container);
    place *added = path.size ? add_place(it) : NULL;
    if (!added)
        return failed;
    added->path = code_of(&it->dictionaries[CONTAINERS], path);
    added->alias = code_of(&it->dictionaries[ALIASES], pajesim_alias(sim, container));
    *pajesim_user_data(sim, container) = (pajesim_user_word)it->place_count;
    return *added;
}

static int32_t value_code(pajesim_columns *it, pajesim *sim, const pajesim_entity *entity)
{
    dictionary *values = &it->dictionaries[VALUES];
    return entity->value ? kept_code(sim, values, entity->value, entity->value_name)
                         : code_of(values, entity->value_name);
}

static void put_code(pajesim_columns *it, uint32_t *index, int32_t code)
{
    if (code == NO_MEMORY)
        it->failed = 1;
    it->columns[(*index)++]->data.integers[it->rows] = code;
}

static void put_number(pajesim_columns *it, uint32_t *index, double number)
{
    it->columns[(*index)++]->data.doubles[it->rows] = number;
}

static void put_fields(pajesim_columns *it, const pajesim *sim, const char *prefix, const pajesim_fields *fields,
                       uint32_t *next)
{
    pajesim_field field;
    for (uint32_t i = 0; pajesim_user_field(sim, fields, i, &field); i++) {
        column *here = field_column(it, prefix, field.name, next);
        if (!here) {
            it->failed = 1;
            return;
        }
        int32_t *code = &here->data.integers[it->rows];
        if (*code == NO_CODE) /* of fields with the same name the first one counts */
            *code = code_of(here->dictionary, field.text);
        if (*code == NO_MEMORY)
            it->failed = 1;
    }
}

static void put_link(pajesim_columns *it, pajesim *sim, const pajesim_entity *link, uint32_t *index, int32_t alias)
{
    const place from = place_of(it, sim, link->start_container), to = place_of(it, sim, link->end_container);
    put_code(it, index, value_code(it, sim, link));
    put_code(it, index, from.path);
    put_code(it, index, to.path);
    put_code(it, index, code_of(&it->dictionaries[KEYS], link->key));
    put_code(it, index, alias);
    put_code(it, index, from.alias);
    put_code(it, index, to.alias);
}

static int closed(pajesim *sim, const pajesim_entity *entity)
{
    pajesim_columns *it = pajesim_data(sim);
    dictionary *in = it->dictionaries;
    uint32_t index = 0, next = it->fixed;
    if (entity->kind != it->kind)
        return PAJESIM_GO_ON;
    const place on = place_of(it, sim, entity->container);
    if (it->rows == it->capacity && !grow_rows(it)) {
        it->failed = 1;
        return PAJESIM_STOP;
    }
    put_code(it, &index, on.path);
    put_code(it, &index, kept_code(sim, &in[TYPES], entity->type, pajesim_name(sim, entity->type)));
    put_number(it, &index, entity->start);
    if (entity->kind != PAJESIM_EVENT)
        put_number(it, &index, entity->end);
    switch (entity->kind) {
    case PAJESIM_CONTAINER:
        put_code(it, &index, code_of(&in[NAMES], pajesim_name(sim, entity->container)));
        put_code(it, &index, on.alias);
        put_code(it, &index, place_of(it, sim, pajesim_parent(sim, entity->container)).path);
        break;
    case PAJESIM_STATE:
        put_code(it, &index, (int32_t)entity->imbrication);
        put_code(it, &index, value_code(it, sim, entity));
        put_code(it, &index, on.alias);
        break;
    case PAJESIM_EVENT:
        put_code(it, &index, value_code(it, sim, entity));
        put_code(it, &index, on.alias);
        break;
    case PAJESIM_VARIABLE:
        put_number(it, &index, entity->number);
        put_code(it, &index, on.alias);
        break;
    case PAJESIM_LINK:
        put_link(it, sim, entity, &index, on.alias);
        break;
    }
    for (; index < it->count; index++)
        it->columns[index]->data.integers[it->rows] = NO_CODE;
    if (it->with_fields) {
        put_fields(it, sim, "opening.", &entity->opening, &next);
        put_fields(it, sim, "closing.", &entity->closing, &next);
    }
    if (it->failed)
        return PAJESIM_STOP;
    it->rows++;
    return PAJESIM_GO_ON;
}

static int problem(pajesim *sim, const pajesim_problem *found)
{
    pajesim_columns *it = pajesim_data(sim);
    if (found->severity == PAJESIM_ERROR && !it->problem.text) {
        it->problem = *found;
        if (it->problem.bytes.size > sizeof it->problem_bytes)
            it->problem.bytes.size = sizeof it->problem_bytes;
        if (it->problem.bytes.size)
            memcpy(it->problem_bytes, found->bytes.bytes, it->problem.bytes.size);
        it->problem.bytes.bytes = it->problem_bytes;
    }
    return PAJESIM_GO_ON;
}

/* ---- numbers in user fields */

/* Whether a text is a number that its double tells as well: no zeros in front, no more digits than a double has. */
static int is_number(pajesim_text text, double *number)
{
    size_t at = text.size && text.bytes[0] == '-', digits = 0;
    if (text.size - at > 1 && text.bytes[at] == '0' && text.bytes[at + 1] >= '0' && text.bytes[at + 1] <= '9')
        return 0;
    if (at == text.size || text.bytes[at] < '0' || text.bytes[at] > '9')
        return 0;
    while (at < text.size && text.bytes[at] >= '0' && text.bytes[at] <= '9') {
        at++;
        digits++;
    }
    return digits <= 15 && pajesim_number(text.bytes, text.size, number);
}

/* Makes a column of numbers of one of codes, if all its texts are numbers.  Returns 0 if there is no memory. */
static int turn_into_numbers(column *it, uint64_t rows)
{
    dictionary *from = &it->own;
    double *numbers = malloc(((size_t)from->count + 1) * sizeof *numbers), *doubles;
    uint32_t code = 0;
    if (!numbers)
        return 0;
    for (; code < from->count; code++) {
        uint64_t start = text_start(from, code);
        if (!is_number((pajesim_text){from->texts + start, (size_t)(from->ends[code] - start)}, &numbers[code]))
            break;
    }
    if (code == from->count) {
        if (!(doubles = malloc(((size_t)rows + 1) * sizeof *doubles))) {
            free(numbers);
            return 0;
        }
        for (uint64_t row = 0; row < rows; row++)
            doubles[row] = it->data.integers[row] < 0 ? (double)NAN : numbers[it->data.integers[row]];
        free(it->data.any);
        free_dictionary(from);
        memset(from, 0, sizeof *from);
        it->data.doubles = doubles;
        it->form = PAJESIM_DOUBLES;
    }
    free(numbers);
    return 1;
}

/* ---- the interface */

pajesim_columns *pajesim_columns_new(int kind, int with_fields)
{
    pajesim_columns *it = kind < PAJESIM_CONTAINER || kind > PAJESIM_LINK ? NULL : calloc(1, sizeof *it);
    if (!it)
        return NULL;
    it->kind = (pajesim_kind)kind;
    it->with_fields = with_fields;
    for (int i = 0; i < COLUMNS_PER_KIND && layout[kind][i].name; i++) {
        column *added = add_column(it, layout[kind][i].form);
        if (!added) {
            pajesim_columns_free(it);
            return NULL;
        }
        added->name = layout[kind][i].name;
        added->dictionary = &it->dictionaries[layout[kind][i].dictionary];
    }
    it->fixed = it->count;
    return it;
}

const pajesim_callbacks *pajesim_columns_callbacks(void)
{
    static const pajesim_callbacks callbacks = {.problem = problem, .closed = closed};
    return &callbacks;
}

int pajesim_columns_end(pajesim_columns *columns)
{
    for (uint32_t i = columns->fixed; i < columns->count && !columns->failed; i++)
        if (columns->columns[i]->form == PAJESIM_CODES && !turn_into_numbers(columns->columns[i], columns->rows))
            columns->failed = 1;
    return !columns->failed;
}

int pajesim_columns_get(const pajesim_columns *columns, uint32_t index, pajesim_column *view)
{
    if (index >= columns->count)
        return 0;
    const column *it = columns->columns[index];
    memset(view, 0, sizeof *view);
    view->name = it->name ? (pajesim_text){it->name, strlen(it->name)} : (pajesim_text){it->field, it->field_size};
    view->form = it->form;
    view->data = it->data.any;
    view->rows = columns->rows;
    if (it->form == PAJESIM_CODES) {
        view->texts = it->dictionary->texts;
        view->ends = it->dictionary->ends;
        view->count = it->dictionary->count;
    }
    return 1;
}

const pajesim_problem *pajesim_columns_problem(const pajesim_columns *columns)
{
    return columns->problem.text ? &columns->problem : NULL;
}

void pajesim_columns_free(pajesim_columns *columns)
{
    if (!columns)
        return;
    for (uint32_t i = 0; i < columns->count; i++) {
        free(columns->columns[i]->data.any);
        free(columns->columns[i]->field);
        free_dictionary(&columns->columns[i]->own);
        free(columns->columns[i]);
    }
    for (int i = 0; i < DICTIONARIES; i++)
        free_dictionary(&columns->dictionaries[i]);
    free(columns->columns);
    free(columns->places);
    free(columns->path);
    free(columns);
}
