/* The index of a trace, which lies beside it. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "replay/index.h"
#include "base/output.h"
#include "base/stream.h"
#include "replay/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DIGEST_BYTES = 4096, DIGEST_BLOCKS = 64 };

/* Words of the label that an index is saved with. */
enum { SIZE, DATE, DIGEST, OPTIONS };
enum { STRICT = 1, OLD_NAMES = 2, IGNORE_LINKS = 4, HAD_ERRORS = 256, ALL_DEFINED = 512 };

static uint64_t options_of(const paje_settings *settings)
{
    const pajesim_options *options = &settings->simulation;
    return (options->strict ? STRICT : 0) | (options->old_names ? OLD_NAMES : 0) |
           (options->ignore_links ? IGNORE_LINKS : 0);
}

/* A digest of samples of the first `size` bytes of a file: all of it if it is short, else blocks evenly spread over it,
 * of which the first is its head and the last its tail.  Returns 0, with errno, if it cannot be read. */
static int read_digest(int file, uint64_t size, uint64_t *result)
{
    unsigned char bytes[DIGEST_BYTES];
    uint64_t digest = size, words[2], blocks = (size + sizeof bytes - 1) / sizeof bytes;
    int is_short = blocks <= DIGEST_BLOCKS;
    for (uint64_t i = 0; i < (is_short ? blocks : DIGEST_BLOCKS); i++) {
        uint64_t from = is_short ? i * sizeof bytes : (size - sizeof bytes) / (DIGEST_BLOCKS - 1) * i;
        uint64_t left = size - from;
        ssize_t got;
        do
            got = pread(file, bytes, left < sizeof bytes ? (size_t)left : sizeof bytes, (off_t)from);
        while (got < 0 && errno == EINTR);
        if (got < 0)
            return 0;
        memset(bytes + got, 0, sizeof bytes - (size_t)got);
        for (size_t k = 0; k < sizeof bytes; k += sizeof words) {
            memcpy(words, bytes + k, sizeof words);
            digest = (digest ^ words[0]) * 0x9e3779b97f4a7c15u;
            digest = (digest ^ digest >> 32 ^ words[1]) * 0xff51afd7ed558ccdu;
            digest ^= digest >> 29;
        }
    }
    *result = digest;
    return 1;
}

static char *name_of(const char *trace)
{
    text_buffer name = {0};
    text_printf(&name, "%s.pajeidx", trace);
    return text_string(&name);
}

static unsigned char *map(size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        stream_fail("no memory for an index of %zu bytes", size);
    return memory;
}

/* Reads an index from its file.  Returns NULL, or why the file is no index. */
static const char *read_index(paje_index_file *it, int file, size_t capacity)
{
    struct stat status;
    if (fstat(file, &status) < 0)
        return strerror(errno);
    if (!S_ISREG(status.st_mode))
        return "it is no regular file";
    size_t size = (size_t)status.st_size;
    if (size == 0)
        return "it is empty";
    it->size = size > capacity ? size : capacity;
    it->memory = map(it->size);
    for (size_t at = 0; at < size;) { /* not mapped: it may be truncated meanwhile */
        ssize_t got = read(file, it->memory + at, size - at);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got < 0 ? strerror(errno) : "it is cut short";
        at += (size_t)got;
    }
    switch (pajesim_index_load(&it->index, it->memory, it->size, size)) {
    case PAJESIM_OK: return NULL;
    case PAJESIM_DAMAGED: return "it is damaged";
    default: return "it is no index, or one of another version or machine";
    }
}

/* Returns NULL if the index belongs to the trace, or why it does not. */
static const char *check_index(paje_index_file *it, const paje_settings *settings, int trace, paje_index_state *state)
{
    const uint64_t *label = pajesim_index_label(&it->index);
    struct stat status;
    if (fstat(trace, &status) < 0)
        return strerror(errno);
    uint64_t size = (uint64_t)status.st_size, digest;
    if (!read_digest(trace, label[SIZE], &digest))
        return strerror(errno);
    if (size < label[SIZE] || digest != label[DIGEST])
        return "it is of another trace";
    if (size == label[SIZE] && paje_date_of(&status) != label[DATE])
        return "the trace was changed since";
    if ((label[OPTIONS] & ~(uint64_t)(HAD_ERRORS | ALL_DEFINED)) != options_of(settings))
        return "it was made with other options (--strict, -n, -z)";
    it->had_errors = (label[OPTIONS] & HAD_ERRORS) != 0;
    it->has_implicit = (label[OPTIONS] & ALL_DEFINED) == 0;
    *state = size == label[SIZE] && pajesim_index_complete(&it->index) ? PAJE_INDEX_WHOLE : PAJE_INDEX_PART;
    return NULL;
}

paje_index_state paje_load_index(paje_index_file *it, const paje_settings *settings, const char *trace, size_t capacity,
                                 const pajesim_index_options *options, const char **why)
{
    paje_index_state state = PAJE_INDEX_ABSENT;
    memset(it, 0, sizeof *it);
    it->name = name_of(trace);
    *why = NULL;
    int file = open(it->name, O_RDONLY | O_NOCTTY | O_NONBLOCK); /* which does not wait for the writer of a pipe */
    int of = -1;
    struct stat status;
    if (file < 0)
        *why = errno == ENOENT ? NULL : strerror(errno);
    else if (stat(trace, &status) == 0 && !S_ISREG(status.st_mode)) /* to open a pipe would disturb its writer */
        *why = "the trace is no regular file";
    else if ((of = open(trace, O_RDONLY | O_NOCTTY)) < 0)
        *why = strerror(errno);
    else if (!(*why = read_index(it, file, capacity)))
        *why = check_index(it, settings, of, &state);
    if (state != PAJE_INDEX_ABSENT && capacity == 0 && fstat(file, &status) == 0) /* else it is written */
        output_note_input(&status, it->name);
    if (file >= 0)
        close(file);
    if (of >= 0)
        close(of);
    if (state == PAJE_INDEX_ABSENT && capacity) {
        if (it->memory)
            munmap(it->memory, it->size);
        it->size = capacity;
        it->memory = map(capacity);
        pajesim_index_init(&it->index, it->memory, capacity, options);
    }
    return state;
}

int paje_grow_index(paje_index_file *it, uint64_t size)
{
    size = size < 2 * (uint64_t)it->size ? 2 * (uint64_t)it->size : size;
    size = size < INDEX_MOST ? size : INDEX_MOST;
    if (size <= it->size)
        return 0;
    unsigned char *memory = map((size_t)size);
    pajesim_index_move(&it->index, memory, (size_t)size);
    munmap(it->memory, it->size);
    it->memory = memory;
    it->size = (size_t)size;
    return 1;
}

/* Refuses a trace whose beginning is another one than when its index was saved, or loaded, as that would then hold what
 * is nowhere in the trace, with a digest that fits. */
static void expect_same_beginning(const paje_index_file *it, const uint64_t *label, int file)
{
    uint64_t digest;
    if (!read_digest(file, label[SIZE], &digest))
        stream_fail("%s: %s", it->name, strerror(errno));
    if (digest != label[DIGEST])
        stream_fail("%s is not completed: the trace was changed while it was read", it->name);
}

size_t paje_save_index(paje_index_file *it, const paje_settings *settings, int file)
{
    uint64_t *label = pajesim_index_label(&it->index);
    struct stat status;
    if (fstat(file, &status) < 0)
        stream_fail("%s: %s", it->name, strerror(errno));
    if (label[SIZE])
        expect_same_beginning(it, label, file);
    pajesim_checkpoint last = {0};
    pajesim_index_checkpoint(&it->index, pajesim_index_count(&it->index) - 1, &last);
    label[SIZE] = last.offset;
    label[DATE] = paje_date_of(&status);
    if (!read_digest(file, last.offset, &label[DIGEST]))
        stream_fail("%s: %s", it->name, strerror(errno));
    label[OPTIONS] = options_of(settings) | (it->had_errors ? HAD_ERRORS : 0) |
                     (it->has_implicit ? 0 : ALL_DEFINED);

    static output_file out;
    text_buffer bytes = {0};
    bytes.bytes = (char *)(uintptr_t)pajesim_index_save(&it->index, &bytes.size);
    size_t size = bytes.size;
    if (stat(it->name, &status) == 0 && !S_ISREG(status.st_mode))
        stream_fail("%s: no regular file, so the index cannot be there: remove it", it->name);
    output_open(&out, it->name, OUTPUT_WHOLE);
    output_write(&out, &bytes);
    output_close(&out, 1);
    return size;
}

void paje_release_index(paje_index_file *it)
{
    if (it->memory)
        munmap(it->memory, it->size);
    free(it->name);
    memset(it, 0, sizeof *it);
}

void paje_refuse_index(const paje_index_file *it, const char *why)
{
    if (why)
        stream_message("%s is not used: %s; `paje index` renews it", it->name, why);
}
