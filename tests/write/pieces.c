/* What the ready-made sinks hand to the system at once: whole lines, as many as a pipe takes without mixing them with
 * those of others, and no part of a definition; and where a file ends when a part was written only. */
#define _POSIX_C_SOURCE 200809L
#include <sys/types.h>
#include <unistd.h>
#include <sys/uio.h>
static ssize_t test_write(int descriptor, const void *bytes, size_t size);
static ssize_t test_pwrite(int descriptor, const void *bytes, size_t size, off_t at);
static ssize_t test_writev(int descriptor, const struct iovec *pieces, int number);
static int test_ftruncate(int descriptor, off_t size);
#define write test_write
#define writev test_writev
#define pwrite test_pwrite
#define ftruncate test_ftruncate
#define PAJEWRITE_IMPLEMENTATION
#include "pajewrite.h"
#undef write
#undef writev
#undef pwrite
#undef ftruncate

#include "../lib/expect.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE = 1 << 16, CALLS = 1 << 14 };
static const char path[] = "build/write-pieces.trace";
static char bytes[SIZE], content[2 * SIZE];
static size_t sizes[CALLS], count, total;
static size_t room; /* how many bytes the system takes until the disk is full */
static int is_recorded;

/* What the system says then: how many bytes it took, or that it failed, and why, seldom or always. */
static ssize_t then_taken = -1;
static int then_error = ENOSPC, asked;

static void (*meanwhile)(void); /* what another thread does while the system refuses, once */

static void end_case(const char *name) { report("write/pieces: ", name); }

static ssize_t refuse(void)
{
    asked++;
    errno = asked > 5 ? ENOSPC : then_error;
    return asked > 5 ? -1 : then_taken;
}

static ssize_t test_write(int descriptor, const void *from, size_t size)
{
    if (is_recorded) {
        sizes[count++ % CALLS] = size;
        total += size;
        return (ssize_t)size;
    }
    size = size < room ? size : room;
    room -= size;
    if (size)
        return write(descriptor, from, size);
    return refuse();
}

/* A peer's piece; a map writes several at once. */
static ssize_t test_writev(int descriptor, const struct iovec *pieces, int number)
{
    return number > 1 ? writev(descriptor, pieces, number)
                      : test_write(descriptor, pieces->iov_base, pieces->iov_len);
}

static ssize_t test_pwrite(int descriptor, const void *from, size_t size, off_t at)
{
    size = size < room ? size : room;
    room -= size;
    if (size)
        return pwrite(descriptor, from, size, at);
    if (meanwhile) {
        void (*const then)(void) = meanwhile;
        meanwhile = NULL;
        room = SIZE;
        then();
        errno = ENOSPC;
        return -1;
    }
    return refuse();
}

/* What is cut off is room again. */
static int test_ftruncate(int descriptor, off_t size)
{
    struct stat about;
    if (!fstat(descriptor, &about) && about.st_size > size)
        room += (size_t)(about.st_size - size);
    return ftruncate(descriptor, size);
}

static uint32_t below(uint32_t end)
{
    static uint64_t state = 1;
    state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (uint32_t)(state >> 33) % end;
}

/* Appends a line of that many bytes with its newline, which begins with some text. */
static size_t add_line(size_t at, const char *begin, size_t length)
{
    memset(bytes + at, 'x', length);
    memcpy(bytes + at, begin, strlen(begin));
    bytes[at + length - 1] = '\n';
    return at + length;
}

/* Makes lines, and definitions of some lines; returns their size. */
static size_t make_lines(int has_definitions)
{
    size_t size = 0;
    while (size < SIZE - 3 * PIPE_BUF && below(30)) {
        const uint32_t lines = has_definitions && !below(4) ? 1 + below(5) : 0;
        uint32_t i;
        if (lines) {
            size = add_line(size, "%EventDef", 10 + below(30));
            for (i = 0; i < lines; i++)
                size = add_line(size, "% A", 5 + below(30));
            size = add_line(size, "%EndEventDef", 13);
        } else {
            static const uint32_t around[] = {20, 50, PIPE_BUF / 2, PIPE_BUF, 2 * PIPE_BUF};
            const uint32_t most = around[below(20) ? below(2) : below(5)];
            size = add_line(size, below(9) ? "12" : "#", 3 + below(most));
        }
    }
    return size;
}

/* Returns the size of the line, or definition, at an offset. */
static size_t unit_at(size_t at, size_t size)
{
    size_t end = at;
    do
        end = (size_t)((char *)memchr(bytes + end, '\n', size - end) - bytes) + 1;
    while (end < size && bytes[end] == '%' && strncmp(bytes + end, "%EventDef", 9));
    return end - at;
}

/* Each piece has as many whole units as fit, or one.  `cut`: a unit that does not fit is cut at PIPE_BUF. */
static void expect_pieces(size_t size, int cut)
{
    size_t at = 0, i;
    EXPECT(count <= CALLS && total == size);
    for (i = 0; i < count && !fault[0]; i++) {
        size_t wanted = 0, unit;
        while (at + wanted < size && wanted + (unit = unit_at(at + wanted, size)) <= PIPE_BUF)
            wanted += unit;
        if (!wanted)
            wanted = cut ? PIPE_BUF : unit_at(at, size);
        if (sizes[i] != wanted)
            fail("a piece of %zu bytes at %zu of %zu, expected %zu", sizes[i], at, size, wanted);
        at += sizes[i];
    }
}

static void pieces(void)
{
    pajewrite_file file;
    pajewrite_peer peer;
    int ends[2], round;
    if (pipe(ends)) {
        fail("no pipe");
        end_case("pipes");
        return;
    }
    is_recorded = 1;
    EXPECT(pajewrite_file_init(&file, ends[1]) == PAJEWRITE_OK && pajewrite_peer_init(&peer, ends[1]) == PAJEWRITE_OK);
    for (round = 0; round < 500 && !fault[0]; round++) {
        size_t size = make_lines(1);
        count = total = 0;
        EXPECT(pajewrite_to_file(&file, bytes, size) == PAJEWRITE_OK);
        expect_pieces(size, 0);
        size = make_lines(0);
        count = total = 0;
        EXPECT(pajewrite_to_peer(&peer, bytes, size) == size);
        expect_pieces(size, 1);
    }
    /* Exactly as much as a pipe takes, one byte more, and a definition that begins in the last bytes. */
    for (round = -1; round <= 12; round++) {
        size_t size = add_line(add_line(0, "12", 100), "12", (size_t)(PIPE_BUF - 100 + (round < 2 ? round : 0)));
        if (round >= 2)
            size = add_line(size, "%EventDef", (size_t)round);
        count = total = 0;
        EXPECT(pajewrite_to_file(&file, bytes, size) == PAJEWRITE_OK);
        if (round < 2 || round > 9)
            expect_pieces(size, 0);
        EXPECT(total == size);
    }
    is_recorded = 0;
    close(ends[0]);
    close(ends[1]);
    end_case("what a pipe takes at once");
}

/* A disk that is full after each number of bytes: the file has the whole lines and definitions that fit, wherever it
 * began. */
static void full_disks(int appends)
{
    size_t size = 0, begin, free_bytes;
    size = add_line(size, "12", 7);
    size = add_line(size, "12", 1 + 4);
    size = add_line(size, "%EventDef", 15); /* of a definition nothing is left, or all */
    size = add_line(size, "% A", 8);
    size = add_line(size, "%EndEventDef", 20);
    size = add_line(size, "12", 30);
    for (begin = 0; begin <= 9; begin += 9)
        for (free_bytes = 0; free_bytes <= 2 * size + 1 && !fault[0]; free_bytes++) {
            int descriptor = open(path, O_RDWR | O_CREAT | O_TRUNC | (appends ? O_APPEND : 0), 0600);
            size_t whole = free_bytes % size, now;
            const size_t before = free_bytes / size * size; /* of deliveries that fit */
            pajewrite_file file;
            pajewrite_status first, second;
            if (begin && write(descriptor, "# begins\n", begin) != (ssize_t)begin)
                fail("no file");
            room = free_bytes;
            EXPECT(pajewrite_file_init(&file, descriptor) == PAJEWRITE_OK);
            first = pajewrite_to_file(&file, bytes, size);
            second = pajewrite_to_file(&file, bytes, size);
            while (whole && bytes[whole - 1] != '\n')
                whole--;
            if (whole > 12 && whole < 55)
                whole = 12;
            now = (size_t)pread(descriptor, content, sizeof content, 0);
            if (free_bytes >= 2 * size)
                whole = 0;
            if (now != begin + before + whole || memcmp(content + begin + before, bytes, whole))
                fail("%zu bytes are free: the file has %zu, not %zu", free_bytes, now, begin + before + whole);
            EXPECT(first == (free_bytes < size ? PAJEWRITE_E_SINK : PAJEWRITE_OK));
            EXPECT(second == (free_bytes < 2 * size ? PAJEWRITE_E_SINK : PAJEWRITE_OK));
            EXPECT(lseek(descriptor, 0, SEEK_CUR) == (off_t)now); /* what another writer adds follows */
            close(descriptor);
        }
    unlink(path);
    end_case(appends ? "a full disk, appended to" : "a full disk");
}

static pajewrite_file shared;
static char behind[100];

static void write_behind(void) { EXPECT(pajewrite_to_file(&shared, behind, sizeof behind) == PAJEWRITE_OK); }

/* What is written behind a place that the disk then has no room for moves up, also where it cannot be read by the
 * descriptor; no definition of an event is cut. */
static void behind_a_full_disk(int flags)
{
    static const size_t ends[] = {11, 24, 60, 83}; /* of what may stay of a delivery */
    size_t size = 0, free_bytes, i;
    size = add_line(size, "12", 11);
    size = add_line(size, "12", 13);
    size = add_line(size, "%EventDef", 12);
    size = add_line(size, "% A", 11);
    size = add_line(size, "%EndEventDef", 13);
    size = add_line(size, "12", 23);
    EXPECT(size == ends[3]);
    memset(behind, '7', sizeof behind);
    behind[sizeof behind - 1] = '\n';
    for (free_bytes = 0; free_bytes < size && !fault[0]; free_bytes++) {
        size_t whole = 0, now;
        int reader;
        EXPECT(pajewrite_file_init(&shared, open(path, flags | O_CREAT | O_TRUNC, 0600)) == PAJEWRITE_OK);
        room = free_bytes;
        meanwhile = write_behind;
        EXPECT(pajewrite_to_file(&shared, bytes, size) == PAJEWRITE_E_SINK);
        EXPECT(pajewrite_to_file(&shared, bytes, size) == PAJEWRITE_E_SINK);
        for (i = 0; i < 4 && ends[i] <= free_bytes; i++)
            whole = ends[i];
        reader = open(path, O_RDONLY);
        now = (size_t)read(reader, content, sizeof content);
        close(reader);
        if (now != whole + sizeof behind || memcmp(content, bytes, whole) ||
            memcmp(content + whole, behind, sizeof behind))
            fail("%zu bytes are free: the file has %zu, not %zu", free_bytes, now, whole + sizeof behind);
        EXPECT(lseek(shared.descriptor, 0, SEEK_CUR) == (off_t)now);
        close(shared.descriptor);
    }
    unlink(path);
    end_case(flags == O_RDWR ? "behind a full disk" : "behind a full disk, without reading");
}

/* What the system says when it takes no more: whether it is asked again, and at once. */
static void refusals(void)
{
    static const struct {
        ssize_t taken;
        int error, asks, waits;
    } says[] = {{-1, ENOSPC, 1, 0}, {-1, EIO, 1, 0},    {-1, EINTR, 6, 0},
                {-1, EAGAIN, 6, 1}, {0, EAGAIN, 1, 0}, {0, EINTR, 1, 0}, {0, 0, 1, 0}};
    const size_t size = add_line(0, "12", 30);
    size_t i;
    for (i = 0; i < sizeof says / sizeof *says; i++) {
        int descriptor = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
        struct timespec begin, end;
        pajewrite_file file;
        then_taken = says[i].taken;
        then_error = says[i].error;
        asked = 0;
        room = 3;
        EXPECT(pajewrite_file_init(&file, descriptor) == PAJEWRITE_OK);
        clock_gettime(CLOCK_MONOTONIC, &begin);
        EXPECT(pajewrite_to_file(&file, bytes, size) == PAJEWRITE_E_SINK);
        clock_gettime(CLOCK_MONOTONIC, &end);
        if (asked != says[i].asks)
            fail("%zd, error %d: asked %d times", says[i].taken, says[i].error, asked);
        if (says[i].waits && (end.tv_sec - begin.tv_sec) * 1000000000 + end.tv_nsec - begin.tv_nsec < 5 * 50000)
            fail("error %d: asked again at once", says[i].error);
        close(descriptor);
    }
    then_taken = -1;
    then_error = ENOSPC;
    unlink(path);
    end_case("when a file takes no more");
}

int main(void)
{
    pieces();
    refusals();
    full_disks(0);
    full_disks(1);
    behind_a_full_disk(O_RDWR);
    behind_a_full_disk(O_WRONLY);
    return failed != 0;
}
