/* Lines of a file that is mapped, split without the reader, as only a few words of each are needed. */
#include "merge.h"

#include <math.h>

static int is_blank(char byte)
{
    static const char blanks[256] = {[' '] = 1, ['\t'] = 1, ['\r'] = 1};
    return blanks[(unsigned char)byte];
}

/* Returns the next word of a line, without its quotes; empty at the end. */
static pajesim_text next_word(const char **next, const char *end)
{
    const char *at = *next;
    while (at < end && is_blank(*at))
        at++;
    const char *start = at, *quote;
    if (at < end && (*at == '"' || *at == '\'') && (quote = memchr(at + 1, *at, (size_t)(end - at - 1))) != NULL) {
        *next = quote + 1;
        return (pajesim_text){start + 1, (size_t)(quote - start - 1)};
    }
    while (at < end && !is_blank(*at))
        at++;
    *next = at;
    return (pajesim_text){start, (size_t)(at - start)};
}

size_t merge_line_end(const merge_splitter *s, size_t start)
{
    if (s->bytes[start] == '\n') /* blocks of raw files end with many */
        return start + 1;
    const char *newline = memchr(s->bytes + start, '\n', s->size - start);
    return newline ? (size_t)(newline + 1 - s->bytes) : s->size;
}

int merge_is_comment(const merge_splitter *s, size_t start, size_t end)
{
    if (s->bytes[start] >= '0' && s->bytes[start] <= '9')
        return 0;
    while (start < end && (is_blank(s->bytes[start]) || s->bytes[start] == '\n'))
        start++;
    return start == end || s->bytes[start] == '#';
}

double merge_time_of(const merge_splitter *s, pajesim_text word)
{
    double time;
    merge_plain plain;
    if (word.size > 0 && merge_read_plain(word.bytes, word.bytes + word.size, &plain))
        time = merge_plain_number(&plain);
    else if (!pajesim_number(word.bytes, word.size, &time))
        return NAN;
    return merge_read_time(s->input, word, time);
}

/* ---- event definitions */

static size_t find_definition(const merge_splitter *s, pajesim_text word)
{
    size_t number = merge_short_number(word.bytes, word.size);
    return number < MERGE_SHORT_NUMBERS ? s->indices[number] : map_find(&s->numbers, word.bytes, word.size);
}

/* Returns 0 if that number is defined already: the first definition counts, for the reader as well. */
static int add_definition(merge_splitter *s, pajesim_text name, pajesim_text number)
{
    static const struct {
        const char *name;
        merge_line_class class;
    } classes[] = {{"PajeCreateContainer", MERGE_CREATION}, {"PajeDestroyContainer", MERGE_DESTRUCTION},
                   {"PajeTraceFile", MERGE_INCLUDING}};
    size_t used = s->numbers.used, index = map_add(&s->numbers, number.bytes, number.size);
    if (s->numbers.used == used)
        return 0;
    merge_layout *new = array_at(&s->layouts, index);
    size_t short_number = merge_short_number(number.bytes, number.size);
    if (short_number < MERGE_SHORT_NUMBERS)
        s->indices[short_number] = index;
    memset(new, 0, sizeof *new);
    memset(new->roles, MERGE_SPLIT_WORDS, sizeof new->roles);
    new->class = MERGE_EVENT;
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        if (text_is_equal(name, text_of(classes[i].name)))
            new->class = classes[i].class;
    if (name.size > 10 && memcmp(name.bytes, "PajeDefine", 10) == 0)
        new->class = text_is_equal(name, text_of("PajeDefineEntityValue")) ? MERGE_VALUE : MERGE_UNTIMED;
    return 1;
}

static void set_role(merge_layout *its, uint8_t position, merge_word_role role)
{
    its->roles[its->at[role]] = MERGE_SPLIT_WORDS;
    its->roles[position] = (uint8_t)role;
    its->at[role] = position;
}

/* The names of fields, and older ones, as the reader knows them: of two with the same role the first counts. */
static void add_field(merge_splitter *s, pajesim_text name, uint8_t position)
{
    enum { NAME = MERGE_SPLIT_WORDS, ALIAS };
    static const struct {
        const char *name;
        uint8_t role;
    } roles[] = {{"Time", MERGE_TIME_WORD}, {"Type", MERGE_TYPE_WORD}, {"EntityType", MERGE_TYPE_WORD},
                 {"ContainerType", MERGE_TYPE_WORD}, {"NewContainerType", MERGE_TYPE_WORD},
                 {"Container", MERGE_CONTAINER_WORD}, {"StartContainer", MERGE_START_WORD},
                 {"SourceContainer", MERGE_START_WORD}, {"EndContainer", MERGE_END_WORD},
                 {"DestContainer", MERGE_END_WORD}, {"Name", NAME}, {"NewName", NAME}, {"Alias", ALIAS},
                 {"NewType", ALIAS}, {"NewValue", ALIAS}, {"NewContainer", ALIAS}};
    merge_layout *last = &s->layouts.items[s->layouts.count - 1];
    size_t i = 0;
    while (i < sizeof roles / sizeof *roles && !text_is_equal(name, text_of(roles[i].name)))
        i++;
    if (i == sizeof roles / sizeof *roles)
        return;
    /* A container has its identifier in Alias, or else in Name; a destruction has it in Name, or else in Container. */
    uint8_t role = roles[i].role, best = last->class == MERGE_CREATION ? ALIAS : NAME;
    uint8_t other = last->class == MERGE_CREATION ? NAME : MERGE_CONTAINER_WORD;
    if (last->class == MERGE_CREATION || last->class == MERGE_DESTRUCTION) {
        if (role == best ? !last->has_identifier : role == other && !last->at[MERGE_END_WORD])
            set_role(last, position, MERGE_END_WORD);
        last->has_identifier |= role == best;
        if (role == other || role >= MERGE_START_WORD)
            return;
    }
    if (role < MERGE_SPLIT_WORDS && !last->at[role])
        set_role(last, position, (merge_word_role)role);
}

/* Reads a line that begins with %.  `fields`: how many fields the definition has had so far. */
static void read_definition(merge_splitter *s, const char *at, const char *end, uint8_t *fields)
{
    pajesim_text first = next_word(&at, end), second;
    if (first.size == 1)
        first = next_word(&at, end);
    else
        first = (pajesim_text){first.bytes + 1, first.size - 1};
    second = next_word(&at, end);
    if (text_is_equal(first, text_of("EventDef"))) {
        pajesim_text number = next_word(&at, end);
        *fields = add_definition(s, second, number) ? 0 : PAJESIM_WORDS; /* with these no field is added */
    } else if (second.size > 0 && s->layouts.count > 0 && *fields < PAJESIM_WORDS) {
        add_field(s, first, ++*fields);
    }
}

/* Splits the line of an event into the words that are needed, the first `count` roles.  Returns its class. */
static merge_line_class split(const merge_splitter *s, const char *at, const char *end,
                              pajesim_text words[MERGE_SPLIT_WORDS], int count)
{
    size_t index = find_definition(s, next_word(&at, end));
    memset(words, 0, MERGE_SPLIT_WORDS * sizeof *words);
    if (index == MAP_NONE)
        return MERGE_OTHER;
    const merge_layout *its = &s->layouts.items[index];
    uint8_t last = 0;
    for (int role = 0; role < count; role++)
        last = its->at[role] > last ? its->at[role] : last;
    for (uint8_t position = 1; position <= last; position++) {
        pajesim_text word = next_word(&at, end);
        if (its->roles[position] < MERGE_SPLIT_WORDS)
            words[its->roles[position]] = word;
    }
    return its->class >= MERGE_CREATION && !its->at[MERGE_TIME_WORD] ? MERGE_OTHER : its->class;
}

void merge_begin_split(merge_splitter *s)
{
    map_clear(&s->numbers);
    array_clear(&s->layouts);
    for (size_t i = 0; i < MERGE_SHORT_NUMBERS; i++)
        s->indices[i] = MAP_NONE;
    s->fields = 0;
}

merge_line_class merge_split_line(merge_splitter *s, size_t start, size_t end,
                                  pajesim_text words[MERGE_SPLIT_WORDS], int roles)
{
    const char *word = s->bytes + start, *stop = s->bytes + end;
    if (stop > word && stop[-1] == '\n')
        stop--;
    while (word < stop && is_blank(*word))
        word++;
    if (word == stop || *word != '%')
        return split(s, word, stop, words, roles);
    memset(words, 0, MERGE_SPLIT_WORDS * sizeof *words);
    read_definition(s, word, stop, &s->fields);
    return MERGE_UNTIMED;
}

const char *merge_find_plain_time(const merge_splitter *s, size_t start)
{
    const char *at = NULL, *end = s->bytes + s->size;
    size_t number = merge_read_short_number(s->bytes + start, end, &at);
    size_t index = number < MERGE_SHORT_NUMBERS ? s->indices[number] : MAP_NONE;
    const merge_layout *its = index == MAP_NONE ? NULL : &s->layouts.items[index];
    return its && its->class == MERGE_EVENT && its->at[MERGE_TIME_WORD] == 1 ? at : NULL;
}

int merge_has_time(const merge_splitter *s, size_t start, size_t end, double *time)
{
    pajesim_text words[MERGE_SPLIT_WORDS];
    merge_plain plain;
    const char *first = merge_find_plain_time(s, start);
    if (first && merge_read_plain(first, s->bytes + s->size, &plain)) {
        *time = merge_read_time(s->input, (pajesim_text){first, plain.size}, merge_plain_number(&plain));
        return 1;
    }
    const char *stop = s->bytes + end - (s->bytes[end - 1] == '\n');
    merge_line_class class = split(s, s->bytes + start, stop, words, MERGE_TIME_WORD + 1);
    *time = class == MERGE_EVENT ? merge_time_of(s, words[MERGE_TIME_WORD]) : NAN;
    return !isnan(*time);
}

void merge_free_split(merge_splitter *s)
{
    map_free(&s->numbers);
    array_free(&s->layouts);
}
