/* The linear writer, to compare the ring with: tests/ring/ring.sh links it with ring.c. */
#define _POSIX_C_SOURCE 200809L
#include "calls.h"

typedef struct memory { char *bytes; size_t size, room; } memory;

static pajewrite_status to_memory(void *data, const char *bytes, size_t size)
{
    memory *m = (memory *)data;
    if (size > m->room - m->size)
        return PAJEWRITE_E_SINK;
    memcpy(m->bytes + m->size, bytes, size);
    m->size += size;
    return PAJEWRITE_OK;
}

static uint64_t now(void *data)
{
    (void)data;
    return read_clock();
}

static void begin(pajewrite *w, memory *m, char *out, size_t room)
{
    static char buffer[4096];
    pajewrite_config config = PAJEWRITE_CONFIG;
    m->bytes = out;
    m->size = 0;
    m->room = room;
    config.sink = to_memory;
    config.sink_data = m;
    config.clock = now;
    config.decimals = DECIMALS ? DECIMALS : PAJEWRITE_SECONDS;
    pajewrite_init(w, buffer, sizeof buffer, &config);
}

size_t linear_announce(char *out, size_t room)
{
    pajewrite w;
    memory m;
    begin(&w, &m, out, room);
    pajewrite_announce(&w, table, ENTRIES);
    return pajewrite_finish(&w) ? 0 : m.size;
}

size_t linear_calls(uint32_t calls, uint32_t drawn, char *out, size_t room)
{
    pajewrite w;
    memory m;
    uint32_t n;
    begin(&w, &m, out, room);
    for (n = 0; n < calls; n++)
        call(&w, n, drawn);
    return pajewrite_finish(&w) ? 0 : m.size;
}
