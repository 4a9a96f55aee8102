/* Replays traces, whole and with random damage, in random pieces, and prints a digest of all callbacks and of the image
 * at the end.  tests/read/fast.sh compares the digests of builds with different options.
 *
 *     fast [-m MACHINE] ROUNDS TRACE...       MACHINE: what pajesim__detect_cpu would return
 *
 * The trace `words` is generated: events with user fields that are hard to tokenize. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wunused-function"
#endif
#define PAJESIM_API static
#define PAJESIM_IMPLEMENTATION
#include "pajesim.h"

enum { SIZE_MAX_READ = 8 << 20, ARENA = 64 << 20 };

static uint64_t digest, seed;
static int machine;

static uint32_t below(uint32_t n)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)(((seed >> 32) * n) >> 32);
}

static void mix(const void *bytes, size_t size)
{
    const unsigned char *p = (const unsigned char *)bytes;
    size_t i;
    for (i = 0; i < size; i++)
        digest = (digest ^ p[i]) * UINT64_C(0x100000001B3);
}

static void mix_number(uint64_t number) { mix(&number, sizeof number); }
static void mix_time(pajesim_time time) { mix(&time, sizeof time); }

static void mix_text(pajesim_text text)
{
    mix_number(text.size);
    mix(text.bytes, text.size);
}

static int entity(pajesim *sim, const pajesim_entity *e)
{
    pajesim_field field;
    uint32_t i;
    mix_number((uint64_t)e->kind << 32 | e->imbrication);
    mix_number((uint64_t)e->container << 32 | e->type);
    mix_number((uint64_t)e->start_container << 32 | e->end_container);
    mix_time(e->start);
    mix_time(e->end);
    mix(&e->number, sizeof e->number);
    mix_text(e->value_name);
    mix_text(e->key);
    for (i = 0; pajesim_user_field(sim, &e->opening, i, &field); i++)
        mix_text(field.text);
    for (i = 0; pajesim_user_field(sim, &e->closing, i, &field); i++)
        mix_text(field.text);
    return PAJESIM_GO_ON;
}

static int line(pajesim *sim, const pajesim_line *l)
{
    uint32_t i;
    (void)sim;
    mix_number((uint64_t)l->event << 32 | l->count);
    mix_time(l->time);
    for (i = 0; i <= l->count; i++)
        mix_text((pajesim_text){l->text + l->spans[2 * i], l->spans[2 * i + 1]});
    return PAJESIM_GO_ON;
}

static int problem(pajesim *sim, const pajesim_problem *p)
{
    (void)sim;
    mix_number((uint64_t)p->code << 32 | (uint64_t)p->severity << 8 | p->depth);
    mix_number(p->line);
    mix_number(p->column);
    mix_text(p->bytes);
    return PAJESIM_GO_ON;
}

/* Feeds pieces of up to `piece` bytes, each in a block of its own, so that sanitizers detect reads beyond it. */
static void replay(const unsigned char *bytes, size_t size, int strict, uint32_t piece, uint32_t line_max)
{
    static uint64_t arena[ARENA / 8];
    static const pajesim_callbacks callbacks = {
        .line = line, .problem = problem, .closed = entity, .state_pushed = entity, .variable_updated = entity,
        .link_started = entity, .container_created = entity};
    pajesim_options options;
    pajesim sim;
    memset(&options, 0, sizeof options);
    options.strict = strict;
    options.line_max = line_max;
    options.remembered = below(4);
    if (pajesim_init(&sim, arena, sizeof arena, &options, &callbacks, NULL) != PAJESIM_OK)
        exit(3);
#if PAJESIM_SIMD > 1
    sim.cpu = machine;
#endif
    while (size) {
        uint32_t part = piece < 2 ? piece : 1 + below(piece);
        unsigned char *copy;
        size_t taken;
        if (part > size || !part)
            part = (uint32_t)size;
        copy = malloc(part);
        if (!copy)
            exit(3);
        memcpy(copy, bytes, part);
        if (pajesim_feed(&sim, copy, part, &taken) == PAJESIM_OPEN)
            pajesim_end_file(&sim);
        free(copy);
        bytes += taken;
        size -= taken;
    }
    while (pajesim_finish(&sim) == PAJESIM_OPEN)
        pajesim_end_file(&sim);
    mix(arena, pajesim_used(&sim));
}

/* Puts bytes that have a meaning in other places. */
static void damage(unsigned char *bytes, size_t size)
{
    static const char what[] = " \t\r\n\n#\"'%\0\x01\x80\xff 0123456789.-e/:";
    uint32_t n = 1 + (uint32_t)size / 200;
    while (n--) {
        uint32_t at = below((uint32_t)size);
        bytes[at] = (unsigned char)what[below(sizeof what - 1)];
    }
}

static size_t put(unsigned char *to, const char *text)
{
    size_t size = strlen(text);
    memcpy(to, text, size);
    return size;
}

/* Writes a user field of many letters, or of letters and blanks in quotes, that crosses borders of 64 bytes and 1
 * KiB. */
static size_t put_long(unsigned char *to)
{
    uint32_t quoted = below(2), size = 1 + below(below(4) ? 80 : 1200), i;
    for (i = 0; i < size; i++)
        to[i] = quoted && !below(9) ? (unsigned char)" \t#'%\r\0\x80"[below(8)] : (unsigned char)('a' + below(26));
    if (quoted)
        to[0] = to[size] = '"';
    return size + quoted;
}

/* Begins with each field at each offset modulo 64, after a line that begins a new block.  Then random lines: half of
 * them are plain, one in eight is likely to be malformed, and the others are unusual but valid. */
static size_t put_words(unsigned char *bytes, size_t room)
{
    static const char *const fields[] = {
        /* valid */
        "a", "\"\"", "\"a b\"", "\" \"", "\"#\"", "\"' %\"", "it's", "a%b", "a!&$", "\x01", "\"a\tb\"", "\xff",
        /* malformed, or only seemingly so */
        "a\"b", "a\"b\"", "\"a\"b", "\"a\"\"b\"", "\"open", "\"", "\"\"\"", "\"a#\"b", "\"a\"'b'", "\"a\"#b", "'a b'",
        "'a", "''", "%a", "%", "a#b", "#", "# it's", "# \"a", "# \"\" \""};
    static const char *const gaps[] = {" ", " ", " ", "  ", "\t", " \t", "\r", " \r ", ""};
    static const char *const ends[] = {"\n",          "\r\n",   " \n",          "\t\r\n",     "#\n", " # a b\n",
                                       "\t## it\r\n", "\r\r\n", " # \"a\"\n", " # don't\n", "\n\n \n#a\n\r\n"};
    enum { FIELDS = sizeof fields / sizeof *fields, ENDS = sizeof ends / sizeof *ends };
    unsigned char *p = bytes;
    char number[8];
    uint32_t users, i;
    for (users = 0; users < 10; users++) {
        snprintf(number, sizeof number, "%u", 10 + users);
        p += put(p, "%EventDef PajeNewEvent ");
        p += put(p, number);
        p += put(p, "\n% Time date\n% Type string\n% Container string\n% Value string\n");
        for (i = 0; i < users; i++) {
            number[0] = (char)('a' + i);
            number[1] = 0;
            p += put(p, "% ");
            p += put(p, number);
            p += put(p, " string\n");
        }
        p += put(p, "%EndEventDef\n");
    }
    p += put(p, "%EventDef PajeDefineContainerType 1\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n"
                "%EventDef PajeDefineEventType 2\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n"
                "%EventDef PajeDefineEntityValue 3\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n"
                "%EventDef PajeCreateContainer 4\n% Time date\n% Alias string\n% Type string\n% Container string\n"
                "% Name string\n%EndEventDef\n1 T 0 thread\n2 E T event\n3 V E value\n4 0 c T 0 c\n");
    for (i = 0; i < FIELDS * 64; i++) {
        p += put(p, "\"\n13 1 E c V ");
        memset(p, 'a', i % 64 + 1);
        p += i % 64 + 1;
        p += put(p, " ");
        p += put(p, fields[i / 64]);
        p += put(p, " a\n13 1 E c V a b c\n13 1 E c V abc def ghi\n12 1 E c V abcd efgh\n");
    }
    while ((size_t)(p - bytes) + 20000 < room) {
        uint32_t kind = below(8), odd = kind < 4;
        users = below(10);
        snprintf(number, sizeof number, "%u", 10 + users);
        p += put(p, odd && !below(4) ? gaps[below(8)] : "");
        p += put(p, number);
        p += put(p, odd && !below(4) ? "  1.5\tE\r\"c\" \"V\"" : " 1 E c V");
        for (i = 0; i < users; i++) {
            p += put(p, gaps[below(!odd ? 1 : kind ? 8 : 9)]);
            p += odd && !below(12) ? put_long(p) : put(p, fields[below(!odd ? 1 : kind ? 12 : FIELDS)]);
        }
        p += put(p, ends[below(odd ? ENDS : 1)]);
    }
    return (size_t)(p - bytes);
}

/* Containers with a few names are created and destroyed, types are defined, and events, states and links refer to all
 * of them all the time, whether they exist or not: what was looked up ahead of a line may be stale when the line is
 * simulated. */
static size_t put_lives(unsigned char *bytes, size_t room)
{
    static const char *const lines[] = {
        "1 %u c%u T 0 c%u\n", "1 %u c%u T c%u x\n", "2 %u T c%u\n", "2 %u T c%u\n", "3 %u E%u c%u V\n",
        "12 %u E%u c%u V\n", "3 %u \"\" c%u V\n", "\"\" %u T c%u V\n", "30 %u L c0 V %u x c1 c%u\n",
        "4 %u S c%u V%u\n", "4 %u S c%u V%u\n", "5 %u S c%u\n", "6 %u L c0 c%u V %u\n", "7 %u L c0 c%u V %u\n",
        "6 %u M 0 c%u V %u\n", "7 %u M 0 c%u V %u\n"};
    unsigned char *p = bytes;
    uint32_t time, types = 0;
    p += put(p, "%EventDef PajeCreateContainer 1\n% Time date\n% Alias string\n% Type string\n% Container string\n"
                "% Name string\n%EndEventDef\n"
                "%EventDef PajeDestroyContainer 2\n% Time date\n% Type string\n% Name string\n%EndEventDef\n"
                "%EventDef PajeNewEvent 3\n% Time date\n% Type string\n% Container string\n% Value string\n"
                "%EndEventDef\n"
                "%EventDef PajePushState 4\n% Time date\n% Type string\n% Container string\n% Value string\n"
                "%EndEventDef\n"
                "%EventDef PajePopState 5\n% Time date\n% Type string\n% Container string\n%EndEventDef\n"
                "%EventDef PajeStartLink 6\n% Time date\n% Type string\n% Container string\n% StartContainer string\n"
                "% Value string\n% Key string\n%EndEventDef\n"
                "%EventDef PajeEndLink 7\n% Time date\n% Type string\n% Container string\n% EndContainer string\n"
                "% Value string\n% Key string\n%EndEventDef\n"
                "%EventDef PajeDefineContainerType 8\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n"
                "%EventDef PajeDefineEventType 9\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n"
                "%EventDef PajeDefineStateType 10\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n"
                "%EventDef PajeDefineLinkType 11\n% Alias string\n% Type string\n% StartContainerType string\n"
                "% EndContainerType string\n% Name string\n%EndEventDef\n"
                "%EventDef PajeStartLink 30\n% Time date\n% Type string\n% Container string\n% Value string\n"
                "% Key string\n% User string\n% EndContainer string\n% StartContainer string\n%EndEventDef\n"
                "%EventDef PajeNewEvent '\"'\n% Time date\n% Type string\n% Container string\n% Value string\n"
                "%EndEventDef\n"
                "8 T 0 T\n9 '\"' T quote\n10 S T S\n11 L T T T L\n11 M 0 T T M\n");
    for (time = 0; (size_t)(p - bytes) + 200 < room; time++) {
        const char *line_format = lines[below(sizeof lines / sizeof *lines)];
        unsigned first = below(6), second = below(6);
        p += sprintf((char *)p, line_format, (unsigned)time, first, second);
        if (!below(500))
            p += sprintf((char *)p, "9 E%u T E\n", (unsigned)types++);
        if (!below(500)) /* the definitions of the next events change, too */
            p += sprintf((char *)p, "%%EventDef PajeNewEvent %u\n%% Time date\n%% Type string\n%% Container string\n"
                                    "%% Value string\n%%EndEventDef\n", 12 + (unsigned)types);
    }
    return (size_t)(p - bytes);
}

int main(int argc, char **argv)
{
    static unsigned char bytes[SIZE_MAX_READ], damaged[SIZE_MAX_READ];
    int first = 1, rounds, i, r;
    if (argc > 2 && strcmp(argv[1], "-m") == 0) {
        machine = atoi(argv[2]);
        first = 3;
    }
    if (argc < first + 2 || (rounds = atoi(argv[first])) < 1) {
        fputs("usage: fast [-m MACHINE] ROUNDS TRACE...\n", stderr);
        return 2;
    }
    for (i = first + 1; i < argc; i++) {
        int words = strcmp(argv[i], "words") == 0, made = words || strcmp(argv[i], "lives") == 0;
        FILE *file = made ? NULL : fopen(argv[i], "rb");
        size_t size = file ? fread(bytes, 1, sizeof bytes, file) : 0;
        if (!file && !made)
            return 3;
        if (file)
            fclose(file);
        digest = UINT64_C(0xcbf29ce484222325);
        seed = UINT64_C(88172645463325252);
        if (made)
            size = words ? put_words(bytes, 1 << 20) : put_lives(bytes, 1 << 18);
        for (r = 0; r < 2 * rounds; r++) {
            uint32_t piece = r < 2 ? 0 : 1u << below(18), line_max = r & 2 ? 20 + below(100) : 0;
            memcpy(damaged, bytes, size);
            if (r > 1)
                damage(damaged, size);
            replay(damaged, size, r & 1, piece, line_max);
        }
        printf("%016llx %s\n", (unsigned long long)digest, argv[i]);
    }
    return 0;
}
