/* Traces in memory for travel.c: of files, and random ones. */
#ifndef TESTS_TRAVEL_TRACE_H
#define TESTS_TRAVEL_TRACE_H

#include "travel_log.h"

typedef struct trace {
    const char *name;
    char *bytes;
    size_t size;
} trace;

static size_t read_trace(void *data, uint64_t offset, const void **bytes, size_t most)
{
    const trace *it = data;
    size_t left = it->size - (size_t)offset;
    *bytes = it->bytes + offset;
    return left < most ? left : most;
}

static void *room(size_t size)
{
    void *block = malloc(size);
    if (!block)
        exit(3);
    return block;
}

static trace make_trace(uint32_t number)
{
    /* Keys of one word, of two, and longer ones, and those just beside. */
    static const char *const names[8] = {"p", "p1", "p-seven", "p--eight", "p-fifteen-bytes", "p-sixteen--bytes",
                                         "p-seventeen-bytes", "p-a-longer-name-of-a-container"};
    static char name[40];
    trace it = {name, NULL, 0};
    uint32_t lines = 200 + draw(400), i, key = 0;
    double now = 20;
    int sorted = number % 3 == 0;
    snprintf(name, sizeof name, "random %u", (unsigned)number);
    it.bytes = room(sizeof header + lines * 120);
    it.size = sizeof header - 1;
    memcpy(it.bytes, header, it.size);
    for (i = 0; i < lines; i++) {
        char *to = it.bytes + it.size;
        uint32_t g = draw(3), v = draw(6);
        const char *const p = names[draw(8)], *const q = names[draw(8)];
        double time = sorted || draw(4) ? now : now - draw(40) * 0.25;
        now += draw(3) ? draw(5) * 0.125 : 0;
        switch (draw(24)) {
        case 0:
            to += sprintf(to, "5 %g g%u G 0 \"Group %u\" %s", time, g, g, draw(2) ? "me" : "\"\"");
            break;
        case 1: case 2: case 3:
            to += sprintf(to, "5 %g %s P g%u \"A process with a long name %u.%s\" you", time, p, g, i, p);
            break;
        case 4: to += sprintf(to, "6 %g P %s over", time, p); break;
        case 5:
            if (draw(8) == 0)
                to += sprintf(to, "6 %g G g%u \"all over\"", time, g);
            break;
        case 6: case 7: to += sprintf(to, "7 %g %c %s v%u", time, "ST"[draw(2)], p, v); break;
        case 8: to += sprintf(to, "8 %g S %s d first\\%u \"a why of several words\"", time, p, i); break;
        case 9: case 10: to += sprintf(to, "9 %g %c %s", time, "ST"[draw(2)], p); break;
        case 11: to += sprintf(to, "10 %g S %s \"done in line %u\"", time, p, i); break;
        case 12: to += sprintf(to, "11 %g T %s a-value-with-a-long-name-%u", time, p, v); break;
        case 13: to += sprintf(to, "12 %g %c %s", time, "ST"[draw(2)], p); break;
        case 14: case 15:
            to += sprintf(to, "13 %g V %s %u KB", time, p, draw(100));
            if (draw(2))
                to += sprintf(to, "\n14 %g V %s %u", time, p, draw(100));
            break;
        case 16:
            to += v & 1 ? sprintf(to, "14 %g W g%u 1", time, g) : sprintf(to, "14 %g V %s 1", time, p);
            break;
        case 17: to += sprintf(to, "15 %g E %s mark%u", time, p, v); break;
        case 18: case 19:
            key = draw(3) ? key + 1 : draw(key + 1);
            to += sprintf(to, "16 %g L 0 %s hello k%u %u", time, p, key, i);
            break;
        case 20: case 21:
            if (draw(4))
                to += sprintf(to, "17 %g L 0 %s hello k%u late", time, q, draw(2) ? key : key + 1);
            else
                to += sprintf(to, "17 %g L 0 \"thread %u\" hello k%u late", time, v, key);
            break;
        case 22:
            if (draw(6) == 0)
                to += sprintf(to, "4 v%u %c \"Value %u at last\" \"0 1 0.%u\"", v, "ST"[draw(2)], v, v);
            else if (draw(6) == 0) /* a type and a container that no earlier checkpoint has */
                to += sprintf(to, "0 t%u P Thread\n5 %g \"thread %u\" t%u %s Thread me", v, time, v, v, p);
            break;
        default:
            to += sprintf(to, "%u %g M g%u %s inner \"a key that is longer than words %u\" x", 16 + draw(2), time, g,
                          p, v);
        }
        *to++ = '\n';
        it.size = (size_t)(to - it.bytes);
    }
    it.size -= number & 1; /* without the last newline */
    return it;
}

static trace load(const char *name)
{
    trace it = {NULL, NULL, 0};
    FILE *file = fopen(name, "rb");
    long size;
    if (!file) {
        perror(name);
        exit(3);
    }
    fseek(file, 0, SEEK_END);
    size = ftell(file);
    rewind(file);
    it.name = name;
    it.size = (size_t)size;
    it.bytes = room(it.size + 1);
    if (fread(it.bytes, 1, it.size, file) != it.size)
        exit(3);
    fclose(file);
    return it;
}

#endif
