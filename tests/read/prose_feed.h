/* Tests in prose: feeding a trace in every way that must not make a difference. */
#ifndef TESTS_PROSE_FEED_H
#define TESTS_PROSE_FEED_H

#include "../lib/claimed.h"
#include "prose_log.h"

static const pajesim_callbacks *callbacks_of(const run *r)
{
    return r->how->silent ? &no_callbacks : &callbacks;
}

/* Moves the simulation to a block of this size; overwrites the old block. */
static pajesim_status move_to(run *r, size_t capacity)
{
    unsigned char *block = get(capacity);
    pajesim_status status;
    memset(block, 0x5a, capacity);
    status = pajesim_move(&r->sim, block, capacity);
    if (status != PAJESIM_OK) {
        free(block);
        return status;
    }
    memset(r->arena, 0xa5, r->capacity);
    free(r->arena);
    r->arena = block;
    r->capacity = capacity;
    return status;
}

/* Saves the simulation, from the second byte of a block on. */
static unsigned char *save(run *r, size_t *size)
{
    unsigned char *image;
    pajesim_status status;
    *size = pajesim_image_size(&r->sim);
    image = get(*size + 1);
    status = pajesim_save(&r->sim, image + 1, *size); /* an image may have any alignment */
    if (status != PAJESIM_OK)
        fault(r, "save returns %d", status);
    return image;
}

/* Restores an image, which takes more memory than it needs afterwards, into an arena of the run's capacity. */
static pajesim_status restore_into(run *r, unsigned char *arena, const void *image, size_t size)
{
    const size_t room = r->capacity + r->capacity / 16 + 64;
    unsigned char *wide = get(room);
    pajesim_status status = pajesim_restore(&r->sim, wide, room, image, size, callbacks_of(r), r);
    if (status == PAJESIM_OK)
        status = pajesim_move(&r->sim, arena, r->capacity);
    memset(wide, 0xa5, room);
    free(wide);
    return status;
}

/* Restores it at another address, into a new struct. */
static void restore(run *r, unsigned char *image, size_t size)
{
    unsigned char *block = get(r->capacity);
    pajesim_status status;
    memset(r->arena, 0xa5, r->capacity);
    free(r->arena);
    memset(&r->sim, 0xa5, sizeof r->sim);
    memset(block, 0x5a, r->capacity);
    status = restore_into(r, block, image + 1, size);
    if (status != PAJESIM_OK)
        fault(r, "restore returns %d", status);
    memset(image, 0xa5, size + 1);
    r->arena = block;
}

static void revive(run *r)
{
    size_t size;
    unsigned char *image = save(r, &size);
    restore(r, image, size);
    free(image);
}

/* Copies the arena, to compare it if the next line is refused. */
static void remember(run *r)
{
    free(r->image);
    r->image_size = pajesim_used(&r->sim);
    r->image = get(r->image_size);
    memcpy(r->image, r->arena, r->image_size);
    r->refused = r->accepted = 0;
}

/* Checks that only position (with the carried part of a line), counters and last problem have changed. */
static void compare(run *r, const char *what)
{
    const size_t from = offsetof(pajesim__state, carry_size), to = sizeof(pajesim__state);
    pajesim__state state, now;
    size_t carry, i;
    memcpy(&state, r->image, sizeof state);
    carry = (size_t)state.carry * PAJESIM__UNIT;
    memcpy(&now, r->arena, sizeof now);
    if (PAJESIM_SMALL && now.carry != state.carry) /* every line is carried, in a buffer that has grown for it */
        return;
    if (pajesim_used(&r->sim) != r->image_size) {
        fault(r, "%s changed the arena's use from %u to %u bytes", what, (unsigned)r->image_size,
              (unsigned)pajesim_used(&r->sim));
        return;
    }
    for (i = 0; i < r->image_size; i++)
        if ((i < from || i >= to) && (i < carry || i >= carry + state.carry_capacity) &&
            r->image[i] != r->arena[i]) {
            fault(r, "%s changed the arena's byte %u", what, (unsigned)i);
            return;
        }
}

enum { FEED, END_FILE, FINISH };

static pajesim_status call(run *r, int what, const char *bytes, size_t size, size_t *taken)
{
    *taken = 0;
    r->called = 0;
    return what == FEED ? pajesim_feed(&r->sim, bytes, size, taken)
                        : what == END_FILE ? pajesim_end_file(&r->sim) : pajesim_finish(&r->sim);
}

/* After PAJESIM_FULL: with one byte less than needed it is full again, and needs the same; then moves to the size
 * needed. */
static int climb(run *r, int what, const char *bytes, size_t size)
{
    uint64_t needed = pajesim_capacity_needed(&r->sim);
    size_t taken, before = r->log.size;
    pajesim_status status;
    if (r->how->compare && what == FEED)
        compare(r, "a line that does not fit");
    if (needed <= r->capacity || needed > 1 << 24) {
        fault(r, "full with %u bytes, and needs %u", (unsigned)r->capacity, (unsigned)needed);
        return 0;
    }
    if (needed - 1 > r->capacity) {
        move_to(r, (size_t)needed - 1);
        status = call(r, what, bytes, size, &taken);
        if (status != PAJESIM_FULL || pajesim_capacity_needed(&r->sim) != needed || taken || r->log.size != before) {
            fault(r, "needs %u bytes, but returns %d with one less, and needs %u", (unsigned)needed, status,
                  (unsigned)pajesim_capacity_needed(&r->sim));
            return 0;
        }
    }
    status = move_to(r, (size_t)needed);
    if (status != PAJESIM_OK)
        fault(r, "move to the %u bytes needed returns %d", (unsigned)needed, status);
    return 1;
}

/* A line at which a callback stops has no effect.  Returns whether there was one; refused lines are done. */
static int stop_before(run *r, const char *bytes, size_t size)
{
    size_t image_size, taken, before = r->log.size;
    unsigned char *image = save(r, &image_size);
    pajesim_status status;
    remember(r);
    r->stopping = 1;
    status = call(r, FEED, bytes, size, &taken);
    r->stopping = 0;
    if (status == PAJESIM_STOPPED) {
        compare(r, "a line at which it was stopped");
        if ((taken && *bytes != '\xef') || r->log.size != before) /* a byte order mark does not belong to the line */
            fault(r, "a line at which it was stopped took %u bytes, and %u of log", (unsigned)taken,
                  (unsigned)(r->log.size - before));
        restore(r, image, image_size);
    } else if (status != PAJESIM_OK || taken != size) {
        fault(r, "returns %d, and took %u bytes of %u", status, (unsigned)taken, (unsigned)size);
    }
    free(image);
    return status == PAJESIM_STOPPED;
}

static void feed_file(run *r, const char *bytes, size_t size);
static text dress(const test *it, const way *how, const text *plain);

static void include_file(run *r)
{
    pajesim_text name = pajesim_file(&r->sim);
    int i;
    print(&r->log, "open ");
    show(r, name, 0);
    print(&r->log, "\n");
    for (i = 0; i < r->it->file_count; i++)
        if (strlen(r->it->files[i].name) == name.size && !memcmp(r->it->files[i].name, name.bytes, name.size))
            break;
    r->names[r->depth++] = i < r->it->file_count ? r->it->files[i].name : "missing";
    if (i < r->it->file_count) {
        text dressed = dress(r->it, r->how, &r->it->files[i].bytes);
        feed_file(r, dressed.bytes, dressed.size);
        clear(&dressed);
    }
    for (;;) {
        size_t taken;
        pajesim_status status = call(r, END_FILE, NULL, 0, &taken);
        if (status == PAJESIM_OK)
            break;
        if (status == PAJESIM_OPEN)
            include_file(r);
        else if (status == PAJESIM_FULL ? !climb(r, END_FILE, NULL, 0) : status != PAJESIM_PAUSED) {
            fault(r, "end_file returns %d", status);
            break;
        }
    }
    print(&r->log, "end %s\n", r->names[--r->depth]);
    r->accepted = 1; /* at the line that includes it */
}

/* Feeds one piece, in a block of exactly its size, until all of it is taken. */
static void feed_piece(run *r, const char *bytes, size_t size)
{
    char *block = get(size);
    size_t at = 0;
    int full = 0;
    memcpy(block, bytes, size);
    while (at < size && !r->fault[0]) {
        size_t taken;
        pajesim_status status = call(r, FEED, block + at, size - at, &taken);
        if (taken > size - at) {
            fault(r, "took %u bytes of %u", (unsigned)taken, (unsigned)(size - at));
            break;
        }
        if (status == PAJESIM_OK && taken != size - at)
            fault(r, "returns OK, but took %u bytes of %u", (unsigned)taken, (unsigned)(size - at));
        if (status == PAJESIM_FULL && full && r->how->by_line && !PAJESIM_SMALL) /* and again for the carried part */
            fault(r, "full again with the %u bytes that it needed", (unsigned)r->capacity);
        full = status == PAJESIM_FULL;
        if (full && !climb(r, FEED, block + at + taken, size - at - taken))
            break;
        if (status == PAJESIM_PAUSED && (!r->called || !r->how->pause))
            fault(r, "paused, but no callback did so");
        if (status == PAJESIM_OK && r->called && r->how->pause)
            fault(r, "a callback paused, but feed returns OK");
        if ((status == PAJESIM_PAUSED || status == PAJESIM_OPEN) && taken && block[at + taken - 1] != '\n')
            fault(r, "returns %d before the end of a line", status);
        at += taken;
        if (status == PAJESIM_OPEN)
            include_file(r);
        else if (status != PAJESIM_OK && status != PAJESIM_PAUSED && status != PAJESIM_FULL) {
            fault(r, "feed returns %d", status);
            break;
        }
    }
    memset(block, 0xa5, size);
    free(block);
}

static void feed_file(run *r, const char *bytes, size_t size)
{
    size_t at = 0;
    while (at < size && !r->fault[0]) {
        size_t piece = r->how->piece && r->how->piece < size - at ? r->how->piece : size - at;
        if (r->how->by_line) {
            const char *end = memchr(bytes + at, '\n', size - at);
            piece = end ? (size_t)(end - bytes) + 1 - at : size - at;
        }
        if (r->how->compare)
            remember(r);
        if (!r->how->stop || stop_before(r, bytes + at, piece))
            feed_piece(r, bytes + at, piece);
        if (r->how->compare && r->refused && !r->accepted && !r->fault[0] && bytes[at] != '%')
            compare(r, "a refused line");
        if (r->how->move)
            move_to(r, r->capacity);
        if (r->how->restore)
            revive(r);
        at += piece;
    }
}

/* Returns the trace in the form for this way.  Lines keep their columns: numbers are padded with blanks. */
static text dress(const test *it, const way *how, const text *plain)
{
    text dressed = {NULL, 0, 0};
    size_t i;
    append(&dressed, "", 0);
    for (i = 0; i < plain->size; i++) {
        if (plain->bytes[i] == '\n' && how->crlf)
            append(&dressed, "\r", 1);
        append(&dressed, plain->bytes + i, 1);
    }
    if (how->cut && plain == &it->trace)
        dressed.size--;
    for (i = 0; i < 50 && how->blanks && plain == &it->trace; i++)
        append(&dressed, " ", 1);
    if (how->numbered && it->set.begin != NOTHING) {
        const char *definition = standard_header.bytes;
        int number;
        for (number = 40; (definition = strstr(definition, "%EventDef ")) != NULL; number++, definition++) {
            char name[40], digits[40];
            size_t size, at, before;
            sscanf(definition, "%%EventDef %*s %39s", name);
            size = strlen(name);
            snprintf(digits, sizeof digits, "%-*d", (int)size, number);
            for (at = 0; at + size < dressed.size; at++) {
                if (memcmp(dressed.bytes + at, name, size) || !isspace((unsigned char)dressed.bytes[at + size]))
                    continue;
                for (before = at; before && strchr(" \t", dressed.bytes[before - 1]); before--)
                    ;
                if (!before || dressed.bytes[before - 1] == '\n' || (plain == &standard_header && before < at))
                    memcpy(dressed.bytes + at, digits, size);
            }
        }
    }
    return dressed;
}

static void finish(run *r)
{
    pajesim_status status;
    const pajesim_counts *counts;
    size_t taken;
    int full = 0;
    r->finishing = 1;
    for (;;) {
        status = call(r, FINISH, NULL, 0, &taken);
        if (status == PAJESIM_OPEN) {
            include_file(r);
        } else if (status == PAJESIM_FULL) {
            if (full)
                fault(r, "finish is full again with what it needed");
            if (r->fault[0] || !climb(r, FINISH, NULL, 0))
                return;
        } else if (status != PAJESIM_PAUSED || !r->how->pause) {
            break;
        }
        full = status == PAJESIM_FULL;
        if (r->how->move && r->finishing == 1)
            move_to(r, r->capacity);
        if (r->how->restore && r->finishing == 1)
            revive(r);
    }
    counts = pajesim_count(&r->sim);
    if (status != PAJESIM_OK && status != PAJESIM_INVALID)
        fault(r, "finish returns %d", status);
    if ((status == PAJESIM_INVALID) != (counts->errors != 0))
        fault(r, "finish returns %d, and there were %u errors", status, (unsigned)counts->errors);
    if (!r->how->silent && r->finishing != 2)
        fault(r, "finished was not called");
    if (!r->how->silent &&
        (counts->errors != r->problems[PAJESIM_ERROR] || counts->warnings != r->problems[PAJESIM_WARNING]))
        fault(r, "counts %u errors and %u warnings, but told %u and %u", (unsigned)counts->errors,
              (unsigned)counts->warnings, (unsigned)r->problems[PAJESIM_ERROR], (unsigned)r->problems[PAJESIM_WARNING]);
    if (!r->how->silent &&
        (counts->containers != r->closed[PAJESIM_CONTAINER] || counts->states != r->closed[PAJESIM_STATE] ||
         counts->punctual != r->closed[PAJESIM_EVENT] || counts->variables != r->closed[PAJESIM_VARIABLE] ||
         counts->links != r->closed[PAJESIM_LINK]))
        fault(r, "closed other numbers of entities than it counts");
    if (pajesim_feed(&r->sim, "x\n", 2, NULL) != PAJESIM_FINISHED)
        fault(r, "takes more after finish");
    print(&r->log, "finished%s", status == PAJESIM_INVALID ? " INVALID" : "");
    if (counts->errors)
        print(&r->log, ", %u error%s", (unsigned)counts->errors, counts->errors > 1 ? "s" : "");
    if (counts->warnings)
        print(&r->log, ", %u warning%s", (unsigned)counts->warnings, counts->warnings > 1 ? "s" : "");
    print(&r->log, "\n");
}

/* No block of the arena is lost. */
static void expect_nothing_lost(run *r)
{
    const size_t lost = r->fault[0] ? 0 : lost_bytes(&r->sim);
    if (lost)
        fault(r, "%u bytes of the arena are lost", (unsigned)lost);
}

/* Feeds the header and scene, then the trace.  `capacity` 0: enough.  Returns how much of the arena was used. */
static size_t simulate(run *r, const test *it, const way *how, int strict, size_t capacity, const unsigned char *image,
                       size_t image_size)
{
    pajesim_options options = it->set.options;
    text trace = dress(it, how, &it->trace);
    size_t used;
    pajesim_status status;

    memset(r, 0, sizeof *r);
    append(&r->log, "", 0);
    r->it = it;
    r->how = how;
    r->strict = strict;
    options.strict = strict;
    r->capacity = capacity ? capacity : 1 << 15;
    r->arena = get(r->capacity);
    memset(r->arena, 0x5a, r->capacity);
    r->before = (it->set.begin != NOTHING ? count_lines(&standard_header) : 0) +
                (it->set.begin == SCENE ? count_lines(&standard_scene) : 0);
    if (image) {
        status = restore_into(r, r->arena, image, image_size);
    } else {
        status = pajesim_init(&r->sim, r->arena, r->capacity, &options, callbacks_of(r), r);
        r->muted = 1;
        if (status == PAJESIM_OK && it->set.begin != NOTHING) {
            text header = dress(it, how, &standard_header), scene = dress(it, how, &standard_scene);
            feed_file(r, header.bytes, header.size);
            if (it->set.begin == SCENE)
                feed_file(r, scene.bytes, scene.size);
            clear(&header);
            clear(&scene);
        }
        r->muted = 0;
    }
    if (status != PAJESIM_OK)
        fault(r, "%s returns %d", image ? "restore" : "init", status);
    if (!r->fault[0])
        feed_file(r, trace.bytes, trace.size);
    expect_nothing_lost(r);
    if (!r->fault[0])
        finish(r);
    expect_nothing_lost(r);
    used = pajesim_used(&r->sim);
    clear(&trace);
    return used;
}

static void end_run(run *r)
{
    free(r->arena);
    free(r->image);
    clear(&r->log);
}

#endif
