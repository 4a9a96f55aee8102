/* The offset of a program's clock against that of who asks, by ping: of some exchanges, that with the least round trip
 * counts, and the offset is right to half of that. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <time.h>

enum { CLOCK_EXCHANGES = 8 };

typedef struct clock_offset {
    int64_t offset, round_trip; /* ns */
    int exchanges;
} clock_offset;

static inline int64_t clock_local(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* One exchange: sent and received by the clock of who asks, `remote` by that of who replies. */
static inline void clock_add(clock_offset *it, int64_t sent, int64_t remote, int64_t received)
{
    if (it->exchanges++ && received - sent >= it->round_trip)
        return;
    it->round_trip = received - sent;
    it->offset = remote - (sent + (received - sent) / 2);
}

/* Reads seconds with up to nine decimals as nanoseconds.  Returns 0 if it is no such number. */
static inline int clock_read(const char *bytes, size_t size, int64_t *time)
{
    int decimals = -1;
    int64_t number = 0;
    for (size_t i = 0; i < size; i++) {
        if (bytes[i] == '.' && decimals < 0)
            decimals = 0;
        else if (bytes[i] < '0' || bytes[i] > '9' || number > INT64_MAX / 10 - 9 || decimals == 9)
            return 0;
        else {
            number = number * 10 + (bytes[i] - '0');
            decimals += decimals >= 0;
        }
    }
    for (decimals = decimals < 0 ? 0 : decimals; decimals < 9; decimals++)
        number *= 10;
    *time = number;
    return size > 0;
}
