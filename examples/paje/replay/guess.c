/* The unit of a trace's times, from its comments, its types and its first time. */
#include "replay/guess.h"
#include "base/stream.h"
#include "replay/run.h"

#include <math.h>

static const char *const full_names[] = {"seconds", "milliseconds", "microseconds", "nanoseconds"};
static const char *const short_names[] = {"s", "ms", "us", "ns"};
enum { UNITS = sizeof short_names / sizeof *short_names };

static const time_unit *unit_at(int number)
{
    return unit_named(text_of(short_names[number]));
}

static const char *full_name(const time_unit *unit)
{
    int number = 0;
    while (number + 1 < UNITS && unit != unit_at(number))
        number++;
    return full_names[number];
}

/* ---- comments */

static int is_letter(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
}

/* The next word of letters at `*at` or behind; empty at the end. */
static pajesim_text next_word(pajesim_text line, size_t *at)
{
    while (*at < line.size && !is_letter(line.bytes[*at]))
        ++*at;
    size_t start = *at;
    while (*at < line.size && is_letter(line.bytes[*at]))
        ++*at;
    return (pajesim_text){line.bytes + start, *at - start};
}

static int is_word(pajesim_text word, const char *lower)
{
    size_t size = strlen(lower);
    if (word.size != size)
        return 0;
    for (size_t i = 0; i < size; i++)
        if ((word.bytes[i] | 0x20) != lower[i])
            return 0;
    return 1;
}

static int find_unit(pajesim_text word)
{
    for (int i = 0; i < UNITS; i++) {
        pajesim_text full = text_of(full_names[i]);
        if (is_word(word, full_names[i]) || is_word(word, short_names[i]) ||
            (word.size + 1 == full.size && (word.bytes[0] | 0x20) == full.bytes[0] &&
             memcmp(word.bytes + 1, full.bytes + 1, word.size - 1) == 0)) /* "second" */
            return i;
    }
    return -1;
}

static int is_filling(pajesim_text word)
{
    static const char *const words[] = {"of", "for", "the", "all", "time", "times", "timestamps", "is", "are", "in"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (is_word(word, words[i]))
            return 1;
    return 0;
}

/* Finds "unit" with the name of one behind it, as in "# unit of times: ms", or the name of an emitter. */
static void read_comment(paje_unit_guess *told, pajesim_text line)
{
    int is_unit = 0;
    if (line.size > 3 && memcmp(line.bytes, "\xef\xbb\xbf", 3) == 0) /* a byte order mark, in the first line */
        line = (pajesim_text){line.bytes + 3, line.size - 3};
    if (line.size == 0 || line.bytes[0] != '#')
        return;
    for (size_t at = 0; at < line.size;) {
        pajesim_text word = next_word(line, &at);
        int unit = is_unit && word.size > 0 ? find_unit(word) : -1;
        is_unit = is_word(word, "unit") || is_word(word, "units") || (is_unit && is_filling(word));
        if (unit >= 0)
            *told = (paje_unit_guess){unit_at(unit), "which a comment says"};
        else if (!told->unit && is_word(word, "simgrid"))
            *told = (paje_unit_guess){unit_at(0), "which SimGrid writes"};
        else
            continue;
        return;
    }
}

void paje_read_comments(paje_run *run, const char *bytes, size_t size)
{
    run->comments_read = UINT64_MAX;
    for (size_t at = 0; at < size;) {
        const char *end = memchr(bytes + at, '\n', size - at);
        size_t line = end ? (size_t)(end - bytes) - at : size - at;
        read_comment(&run->comments, (pajesim_text){bytes + at, line});
        at += line + 1;
    }
}

/* A line that has not ended yet is kept, and read with what comes. */
static void read_piece(paje_run *run, const char *bytes, size_t size)
{
    text_buffer *line = &run->comment;
    for (size_t at = 0; at < size;) {
        const char *end = memchr(bytes + at, '\n', size - at);
        size_t more = end ? (size_t)(end - bytes) - at : size - at;
        text_put(line, bytes + at, more);
        if (end) {
            read_comment(&run->comments, text_view(line));
            text_clear(line);
        }
        at += more + 1;
    }
}

void paje_read_new_comments(paje_run *run)
{
    const paje_source *source = run->source;
    uint64_t begin = source->consumed - source->size;
    if (source->includer || run->comments_read >= PAJE_SOURCE_BYTES || run->comments_read >= source->consumed)
        return;
    size_t known = run->comments_read > begin ? (size_t)(run->comments_read - begin) : 0;
    uint64_t left = PAJE_SOURCE_BYTES - run->comments_read;
    size_t size = source->size - known;
    read_piece(run, source->bytes + known, size < left ? size : (size_t)left);
    run->comments_read = source->consumed;
}

/* ---- types */

/* Names of types by which an emitter is known: all of them must be there. */
static const struct {
    const char *types[3];
    int unit;
    const char *reason;
} emitters[] = {
    {{"Memory Node", "Memory Manager", "Scheduler"}, 1, "which StarPU writes"},
    {{"Memory Node", "Memory Manager", "Scheduler State"}, 1, "which StarPU writes"},
    {{"Machine", "Scheduler", "Machine state"}, 0, "which Batsim writes"},
    {{"MSG_PROCESS", "HOST", "LINK"}, 0, "which SimGrid writes"},
    {{"HOST", "LINK", "bandwidth"}, 0, "which SimGrid writes"},
};
enum { EMITTERS = sizeof emitters / sizeof *emitters, MOST_TYPES = 4096 };

static paje_unit_guess guess_from_types(const pajesim *sim)
{
    unsigned char found[EMITTERS] = {0};
    pajesim_ref root = pajesim_root_type(sim), type = pajesim_first_child(sim, root);
    for (int count = 0; type && count < MOST_TYPES; count++) {
        pajesim_text name = pajesim_name(sim, type);
        for (int i = 0; i < EMITTERS; i++)
            for (int k = 0; k < 3; k++)
                if (text_is_equal(name, text_of(emitters[i].types[k])))
                    found[i] |= (unsigned char)(1 << k);
        pajesim_ref next = pajesim_first_child(sim, type);
        while (!next && type != root) {
            next = pajesim_next_sibling(sim, type);
            type = next ? type : pajesim_parent(sim, type);
        }
        type = type == root ? 0 : next;
    }
    for (int i = 0; i < EMITTERS; i++)
        if (found[i] == 7)
            return (paje_unit_guess){unit_at(emitters[i].unit), emitters[i].reason};
    return (paje_unit_guess){NULL, NULL};
}

/* ---- all of it */

paje_unit_guess paje_guess_unit(const paje_run *run)
{
    const double since_2001 = 1e9, since_2100 = 4.1e9; /* seconds since 1970 */
    paje_unit_guess guess = run->comments;
    read_comment(&guess, text_view(&run->comment)); /* as far as it goes: it may be the last line */
    if (guess.unit)
        return guess;
    guess = guess_from_types(&run->sim);
    double first = pajesim_count(&run->sim)->first;
    for (int i = 0; i < UNITS && !guess.unit; i++) {
        double seconds = first * unit_at(i)->seconds;
        if (seconds >= since_2001 && seconds < since_2100)
            guess = (paje_unit_guess){unit_at(i), "since 1970 as it seems"};
    }
    if (!guess.unit)
        guess.unit = unit_at(0);
    return guess;
}

const time_unit *paje_unit_of(paje_run *run)
{
    if (run->settings->filter.unit)
        return run->settings->filter.unit;
    paje_unit_guess guess = paje_guess_unit(run);
    if (!run->has_told_unit && guess.unit != unit_at(0))
        stream_message("%s: its times are taken for %s, %s; --unit s, ms, us or ns says otherwise", run->source->name,
                       full_name(guess.unit), guess.reason);
    run->has_told_unit = 1;
    return guess.unit;
}

int64_t paje_nanoseconds(paje_run *run, pajesim_time time)
{
    if (!(run->unit_nanoseconds > 0)) /* by now the types are defined that tell it */
        run->unit_nanoseconds = round(1e9 * paje_unit_of(run)->seconds);
    double size = time * run->unit_nanoseconds;
    if (!(size > -9e18 && size < 9e18)) {
        paje_tell_range(run, 9e18);
        return size > 0 ? INT64_C(9000000000000000000) : INT64_C(-9000000000000000000);
    }
    return (int64_t)(size < 0 ? size - 0.5 : size + 0.5);
}

void paje_tell_range(paje_run *run, double nanoseconds)
{
    if (!run->has_told_range)
        stream_message("%s: it has times that are more than %g s from 0, and are written as that: nanoseconds hold no "
                       "more; --unit ms, us or ns tells that they are no seconds",
                       run->source->name, nanoseconds / 1e9);
    run->has_told_range = 1;
}

void paje_suggest_unit(const paje_run *run)
{
    paje_unit_guess guess = paje_guess_unit(run);
    if (!run->settings->filter.unit && guess.unit != unit_at(0))
        stream_message("%s: its times are %s, %s, and printed as they are; --unit %s prints seconds", run->source->name,
                       full_name(guess.unit), guess.reason, guess.unit->name);
}

void paje_compare_unit(const paje_run *run, const time_unit **told)
{
    paje_unit_guess guess = paje_guess_unit(run);
    if (!guess.reason || run->settings->filter.unit)
        return;
    if (*told && *told != guess.unit)
        stream_message("%s: its times are %s, %s, but those of a trace before it %s: none are converted",
                       run->source->name, full_name(guess.unit), guess.reason, full_name(*told));
    *told = guess.unit;
}
