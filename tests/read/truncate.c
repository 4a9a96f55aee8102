/* Damaged traces: cut off at every byte, without each line, with bytes changed, fed in pieces.  What is left of a trace
 * must be replayed to its end, with accounts that balance.  Meant to be run under sanitizers.
 *
 *     truncate [-b BYTES] TRACE...
 *
 * If that would replay more than BYTES, only some cuts and lines are tried, evenly spread. */
#define PAJESIM_IMPLEMENTATION
#include "pajesim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/account.h"

enum { CAPACITY = 1 << 24 };

typedef struct {
    pajesim sim;
    void *arena;
    account seen;
} replay;

/* ------------------------------------------------------------------------------------------------
 * Replays
 * --------------------------------------------------------------------------------------------- */

static pajesim_options options;

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
    options.strict = strict;
    memset(&r->seen, 0, sizeof r->seen);
    if (!r->arena)
        r->arena = get(CAPACITY);
    expect(&r->seen, pajesim_init(&r->sim, r->arena, CAPACITY, &options, &account_callbacks, &r->seen) == PAJESIM_OK,
           "it begins");
}

/* Feeds from a block of exactly this size, so that a sanitizer detects reads beyond it. */
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
    pajesim_status status = pajesim_finish(&r->sim);
    if (status == PAJESIM_OPEN) { /* the last line, without a newline, includes a file */
        expect(seen, pajesim_end_file(&r->sim) == PAJESIM_OK, "a file ends");
        status = pajesim_finish(&r->sim);
    }
    balance(seen, pajesim_count(&r->sim), &options, status);
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
    char place[96]; /* the damage */
} trial;

static size_t below(trial *t, size_t n)
{
    t->random = t->random * 6364136223846793005u + 1442695040888963407u;
    return (size_t)((t->random >> 33) % n);
}

/* Copies the main replay to the other one. */
static void fork_other(trial *t, size_t size)
{
    if (!t->other.arena)
        t->other.arena = get(CAPACITY);
    t->other.seen = t->main.seen;
    expect(&t->other.seen,
           pajesim_restore(&t->other.sim, t->other.arena, CAPACITY, t->image, size, &account_callbacks,
                           &t->other.seen) ==
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

/* A trace in pieces of random sizes gives the same callbacks as a whole. */
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

/* Cuts the trace off at every byte, and leaves out each line, from an image of the trace before the line. */
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

/* Changes single bytes at random places. */
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

/* Returns folder and file of a path, as files of several folders have the same name. */
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
