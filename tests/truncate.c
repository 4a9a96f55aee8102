/* Damaged traces: cut off at every byte, with every line taken out, with bytes changed, fed in pieces.  Whatever is
 * left of a trace must be replayed to an end, with accounts that balance.  Meant to be run under sanitizers.
 *
 *     truncate [-b BYTES] TRACE...
 *
 * Where all of it would replay more than BYTES, only so many cuts and lines are tried, evenly spread. */
#define PAJESIM_IMPLEMENTATION
#include "pajesim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CAPACITY = 1 << 24 };

/* What one replay has told so far.  It is copied along with the image. */
typedef struct {
    uint64_t created, destroyed;
    uint64_t states_opened, halves, links, pending;
    uint64_t closed[6]; /* by kind */
    uint64_t problems[3]; /* by severity */
    uint64_t hash;
    const char *wrong; /* the first invariant that was broken */
} account;

typedef struct {
    pajesim sim;
    void *arena;
    account seen;
} replay;

static void expect(account *seen, int holds, const char *invariant)
{
    if (!holds && !seen->wrong)
        seen->wrong = invariant;
}

/* ------------------------------------------------------------------------------------------------
 * Callbacks
 * --------------------------------------------------------------------------------------------- */

static void hash(account *seen, const void *bytes, size_t size)
{
    const unsigned char *b = bytes;
    size_t i;
    for (i = 0; i < size; i++)
        seen->hash = (seen->hash ^ b[i]) * 1099511628211u;
}

static void hash_text(account *seen, pajesim_text text)
{
    hash(seen, &text.size, sizeof text.size);
    hash(seen, text.bytes, text.size);
}

static void hash_fields(pajesim *sim, account *seen, const pajesim_fields *fields)
{
    pajesim_field field;
    uint32_t i;
    for (i = 0; i < fields->count; i++) {
        expect(seen, pajesim_user_field(sim, fields, i, &field), "every user field can be had");
        hash_text(seen, field.name);
        hash_text(seen, field.text);
    }
}

/* A container's word: 1 while it is alive, and 2 for each of its open states. */
static int created(pajesim *sim, const pajesim_entity *container)
{
    account *seen = pajesim_data(sim);
    uint64_t *word = pajesim_word(sim, container->container);
    expect(seen, *word == 0, "a container is created once");
    *word = 1;
    seen->created++;
    return PAJESIM_GO_ON;
}

static int destroyed(pajesim *sim, const pajesim_entity *container)
{
    account *seen = pajesim_data(sim);
    uint64_t *word = pajesim_word(sim, container->container);
    if (container->container == pajesim_root(sim))
        return PAJESIM_GO_ON;
    expect(seen, *word == 1, "a container is destroyed once, after its states");
    *word = 0;
    seen->destroyed++;
    return PAJESIM_GO_ON;
}

static int state_opened(pajesim *sim, const pajesim_entity *state)
{
    account *seen = pajesim_data(sim);
    *pajesim_word(sim, state->container) += 2;
    seen->states_opened++;
    expect(seen, state->open && pajesim_depth(sim, state->container, state->type) == state->imbrication + 1,
           "imbrication is the depth below");
    return PAJESIM_GO_ON;
}

static int half_link(pajesim *sim, const pajesim_entity *link)
{
    account *seen = pajesim_data(sim);
    seen->halves++;
    expect(seen, link->open, "half a link is open");
    return PAJESIM_GO_ON;
}

static int whole_link(pajesim *sim, const pajesim_entity *link)
{
    account *seen = pajesim_data(sim);
    seen->links++;
    expect(seen, !link->open && link->start_container && link->end_container, "a whole link has both its ends");
    return PAJESIM_GO_ON;
}

static int closed(pajesim *sim, const pajesim_entity *entity)
{
    account *seen = pajesim_data(sim);
    int forward = entity->start <= entity->end;
    expect(seen, !entity->open, "what is closed is not open");
    expect(seen, entity->kind != PAJESIM_EVENT || !(entity->start < entity->end || entity->start > entity->end),
           "an event has one time");
    if (entity->kind == PAJESIM_STATE) {
        uint64_t *word = pajesim_word(sim, entity->container);
        expect(seen, *word >= 2, "a state is closed once");
        *word -= 2;
    }
    seen->closed[entity->kind]++;
    hash(seen, &entity->kind, sizeof entity->kind);
    hash(seen, &entity->imbrication, sizeof entity->imbrication);
    hash(seen, &forward, sizeof forward);
    hash(seen, &entity->start, sizeof entity->start);
    hash(seen, &entity->end, sizeof entity->end);
    hash(seen, &entity->number, sizeof entity->number);
    hash_text(seen, pajesim_name(sim, entity->container));
    hash_text(seen, pajesim_name(sim, entity->type));
    hash_text(seen, pajesim_name(sim, entity->start_container));
    hash_text(seen, pajesim_name(sim, entity->end_container));
    hash_text(seen, entity->value_name);
    hash_text(seen, entity->key);
    hash_fields(sim, seen, &entity->opening);
    hash_fields(sim, seen, &entity->closing);
    return PAJESIM_GO_ON;
}

static int problem(pajesim *sim, const pajesim_problem *what)
{
    account *seen = pajesim_data(sim);
    seen->problems[what->severity]++;
    seen->pending += what->code == PAJESIM_E_LINK_PENDING;
    expect(seen, what->line > 0 && what->bytes.size <= 64 && what->severity != PAJESIM_SILENT,
           "a problem has a line and a severity");
    hash(seen, &what->code, sizeof what->code);
    hash(seen, &what->line, sizeof what->line);
    hash(seen, &what->column, sizeof what->column);
    hash_text(seen, what->bytes);
    return PAJESIM_GO_ON;
}

static const pajesim_callbacks callbacks = {
    .problem = problem, .container_created = created, .container_destroyed = destroyed, .state_set = state_opened,
    .state_pushed = state_opened, .link_started = half_link, .link_ended = half_link, .link_completed = whole_link,
    .closed = closed};

/* ------------------------------------------------------------------------------------------------
 * Replays
 * --------------------------------------------------------------------------------------------- */

static void *get(size_t size)
{
    void *block = malloc(size ? size : 1);
    if (!block) {
        fputs("truncate: out of memory\n", stderr);
        exit(2);
    }
    return block;
}

static void begin(replay *r, int strict)
{
    pajesim_options options;
    memset(&options, 0, sizeof options);
    options.strict = strict;
    memset(&r->seen, 0, sizeof r->seen);
    if (!r->arena)
        r->arena = get(CAPACITY);
    expect(&r->seen, pajesim_init(&r->sim, r->arena, CAPACITY, &options, &callbacks, &r->seen) == PAJESIM_OK,
           "it begins");
}

/* From a block of exactly this size, so that a sanitizer sees who reads beyond it. */
static void feed(replay *r, const char *bytes, size_t size)
{
    char *copy = get(size);
    size_t done, taken = 0;
    memcpy(copy, bytes, size);
    for (done = 0; done < size && !r->seen.wrong; done += taken) {
        pajesim_status status = pajesim_feed(&r->sim, copy + done, size - done, &taken);
        if (status == PAJESIM_OPEN) /* a file that cannot be read */
            status = pajesim_end_file(&r->sim);
        else
            expect(&r->seen, taken == size - done, "all is taken");
        expect(&r->seen, status == PAJESIM_OK, "what is fed is taken");
    }
    free(copy);
}

static void finish(replay *r)
{
    account *seen = &r->seen;
    const pajesim_counts *counts = pajesim_count(&r->sim);
    pajesim_status status = pajesim_finish(&r->sim);
    if (status == PAJESIM_OPEN) { /* the last line, which had no newline, names a file */
        expect(seen, pajesim_end_file(&r->sim) == PAJESIM_OK, "a file ends");
        status = pajesim_finish(&r->sim);
    }
    expect(seen, status == (counts->errors ? PAJESIM_INVALID : PAJESIM_OK), "a trace is invalid if it has errors");
    expect(seen, counts->errors == seen->problems[PAJESIM_ERROR], "every error is told");
    expect(seen, counts->warnings == seen->problems[PAJESIM_WARNING], "every warning is told");
    expect(seen, seen->created == seen->destroyed, "every container is destroyed");
    expect(seen, counts->containers == seen->closed[PAJESIM_CONTAINER], "every container is closed");
    expect(seen, seen->closed[PAJESIM_CONTAINER] == seen->created + 1, "the root is closed, too");
    expect(seen, seen->states_opened == seen->closed[PAJESIM_STATE], "every state is closed");
    expect(seen, counts->states == seen->closed[PAJESIM_STATE], "every state is counted");
    expect(seen, counts->variables == seen->closed[PAJESIM_VARIABLE], "every segment is counted");
    expect(seen, counts->punctual == seen->closed[PAJESIM_EVENT], "every event is counted");
    expect(seen, counts->links == seen->closed[PAJESIM_LINK] && counts->links == seen->links, "every link is counted");
    expect(seen, seen->halves == 2 * seen->links + seen->pending, "every half of a link is matched or given up");
}

/* From the start, in one piece. */
static void replay_all(replay *r, int strict, const char *bytes, size_t size)
{
    begin(r, strict);
    feed(r, bytes, size);
    finish(r);
}

/* ------------------------------------------------------------------------------------------------
 * Damages
 * --------------------------------------------------------------------------------------------- */

typedef struct {
    const char *bytes;
    size_t size;
    int strict;
    size_t budget;
    uint64_t random;
    replay main, other;
    char *image;
    size_t image_room;
    char place[96]; /* what was done to the trace */
} trial;

static size_t below(trial *t, size_t n)
{
    t->random = t->random * 6364136223846793005u + 1442695040888963407u;
    return (size_t)((t->random >> 33) % n);
}

/* The other replay becomes what the main one is. */
static void fork_other(trial *t, size_t size)
{
    if (!t->other.arena)
        t->other.arena = get(CAPACITY);
    t->other.seen = t->main.seen;
    expect(&t->other.seen,
           pajesim_restore(&t->other.sim, t->other.arena, CAPACITY, t->image, size, &callbacks, &t->other.seen) ==
               PAJESIM_OK,
           "an image is restored");
}

static size_t save_main(trial *t)
{
    size_t size = pajesim_image_size(&t->main.sim);
    if (size > t->image_room) {
        free(t->image);
        t->image = get(t->image_room = 2 * size);
    }
    expect(&t->main.seen, pajesim_save(&t->main.sim, t->image, t->image_room) == PAJESIM_OK, "an image is saved");
    return size;
}

static int broken(trial *t, const replay *r, const char *what, size_t at)
{
    if (r->seen.wrong)
        snprintf(t->place, sizeof t->place, "%s %lu", what, (unsigned long)at);
    return r->seen.wrong != NULL;
}

/* The trace in pieces of random sizes tells what it tells as a whole. */
static const char *pieces(trial *t)
{
    static const size_t most[] = {2, 3, 7, 60, 1000, 5000};
    uint64_t whole;
    size_t i, at, piece;
    replay_all(&t->main, t->strict, t->bytes, t->size);
    if (broken(t, &t->main, "as a whole, of bytes", t->size))
        return t->main.seen.wrong;
    whole = t->main.seen.hash;
    for (i = 0; i < sizeof most / sizeof *most; i++) {
        begin(&t->other, t->strict);
        for (at = 0; at < t->size; at += piece) {
            piece = 1 + below(t, most[i]);
            piece = piece < t->size - at ? piece : t->size - at;
            feed(&t->other, t->bytes + at, piece);
        }
        finish(&t->other);
        expect(&t->other.seen, t->other.seen.hash == whole, "pieces tell what the whole tells");
        if (broken(t, &t->other, "in pieces of at most", most[i]))
            return t->other.seen.wrong;
    }
    return NULL;
}

/* Cut off at every byte, and without each line: from an image of what stands before the line. */
static const char *cuts_and_gaps(trial *t)
{
    size_t start, end, cut, image, line = 0, lines = 0, step, cuts = 0;
    for (start = 0; start < t->size; start++)
        lines += t->bytes[start] == '\n';
    step = 1 + t->size / 2 * lines / t->budget;
    begin(&t->main, t->strict);
    for (start = 0; start < t->size; start = end, line++) {
        const char *newline = memchr(t->bytes + start, '\n', t->size - start);
        end = newline ? (size_t)(newline - t->bytes) + 1 : t->size;
        if (line % step == 0) {
            image = save_main(t);
            for (cut = start + (start > 0); cut <= end; cut++) {
                fork_other(t, image);
                feed(&t->other, t->bytes + start, cut - start);
                finish(&t->other);
                if (broken(t, &t->other, "cut off at byte", cut))
                    return t->other.seen.wrong;
                if (cuts++ % 61 == 0) {
                    uint64_t expected = t->other.seen.hash;
                    replay_all(&t->other, t->strict, t->bytes, cut);
                    expect(&t->other.seen, t->other.seen.hash == expected, "a restored image tells the same");
                    if (broken(t, &t->other, "from the start, cut off at byte", cut))
                        return t->other.seen.wrong;
                }
            }
            fork_other(t, image);
            feed(&t->other, t->bytes + end, t->size - end);
            finish(&t->other);
            if (broken(t, &t->other, "without line", line + 1))
                return t->other.seen.wrong;
        }
        feed(&t->main, t->bytes + start, end - start);
        if (broken(t, &t->main, "up to byte", end))
            return t->main.seen.wrong;
    }
    return NULL;
}

/* One byte changed, at random places. */
static const char *changes(trial *t)
{
    static const char telling[] = "\"'#%\n\r\t 0-.e,/\0\377";
    size_t times = t->budget / (t->size + 1), i;
    char *damaged = get(t->size);
    for (i = 0; i < times && i < 500 && t->size; i++) {
        size_t at = below(t, t->size);
        memcpy(damaged, t->bytes, t->size);
        damaged[at] = i % 2 ? telling[below(t, sizeof telling - 1)] : (char)below(t, 256);
        replay_all(&t->other, t->strict, damaged, t->size);
        if (broken(t, &t->other, "changed at byte", at)) {
            free(damaged);
            return t->other.seen.wrong;
        }
    }
    free(damaged);
    return NULL;
}

/* ------------------------------------------------------------------------------------------------ */

static char *load(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    size_t room = 1 << 16, got;
    char *bytes;
    if (!file) {
        perror(path);
        exit(2);
    }
    bytes = get(room);
    for (*size = 0; (got = fread(bytes + *size, 1, room - *size, file)) > 0;)
        if ((*size += got) == room) {
            char *larger = get(room *= 2);
            memcpy(larger, bytes, *size);
            free(bytes);
            bytes = larger;
        }
    fclose(file);
    return bytes;
}

/* Folder and file of a path: files of several folders bear one name. */
static const char *last_two(const char *path)
{
    const char *c, *last = path, *two = path;
    for (c = path; *c; c++)
        if (*c == '/') {
            two = last;
            last = c + 1;
        }
    return two;
}

int main(int argc, char **argv)
{
    static const char *(*const damages[])(trial *) = {pieces, cuts_and_gaps, changes};
    static trial t;
    int first = 1, failed = 0, i;
    size_t d;

    t.budget = 40u << 20;
    if (argc > 2 && strcmp(argv[1], "-b") == 0) {
        t.budget = strtoul(argv[2], NULL, 10);
        first = 3;
    }
    if (first >= argc || !t.budget) {
        fputs("usage: truncate [-b BYTES] TRACE...\n", stderr);
        return 2;
    }
    for (i = first; i < argc; i++) {
        const char *name = last_two(argv[i]);
        char *bytes = load(argv[i], &t.size);
        t.bytes = bytes;
        for (t.strict = 0; t.strict < 2; t.strict++) {
            const char *wrong = NULL;
            t.random = 2026;
            for (d = 0; d < sizeof damages / sizeof *damages && !wrong; d++)
                wrong = damages[d](&t);
            if (wrong)
                printf("FAIL truncate %s %s: %s: not so: %s\n", t.strict ? "strict" : "lenient", name, t.place, wrong);
            else
                printf("PASS truncate %s %s\n", t.strict ? "strict" : "lenient", name);
            failed |= wrong != NULL;
        }
        free(bytes);
    }
    free(t.main.arena);
    free(t.other.arena);
    free(t.image);
    return failed;
}
