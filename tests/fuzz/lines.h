/* Lines of a trace made of arbitrary bytes, behind the header and body of scene.h: what containers, links, types and
 * values there are changes all the time, and most lines are valid. */
#ifndef FUZZ_LINES_H
#define FUZZ_LINES_H

#include "fuzz.h"

#include <stdarg.h>

typedef struct lines {
    const uint8_t *bytes; /* that choose what comes next */
    size_t left;
    double now;
    int sorted;
    char *text;
    size_t size, room;
} lines;

static unsigned lines__draw(lines *it, unsigned below)
{
    if (!it->left)
        return 0;
    it->left--;
    return *it->bytes++ % below;
}

static void lines__add(lines *it, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (it->room - it->size > 200)
        it->size += (size_t)vsnprintf(it->text + it->size, it->room - it->size, format, arguments);
    va_end(arguments);
}

/* Defines what the scene lacks: threads in processes, with states and links; values; a type within threads. */
static void lines__define(lines *it)
{
    static const char *const definitions[] = {
        "0 Thread P T", "1 \"Thread state\" T U", "4 Call M T T K", "4 Note 0 P T N", "0 Fiber T F", "4 Jump 0 T F J",
        "5 \"Value at last\" S v0 \"1 0 1\"", "5 \"Another value\" D v1 \"0 1 1\"", "5 v2 U v2 \"1 1 1\"",
        "5 \"Letter at last\" K v3 \"1 0.5 1\""};
    lines__add(it, "%s\n", definitions[lines__draw(it, sizeof definitions / sizeof *definitions)]);
}

static void lines__event(lines *it)
{
    const double now = it->sorted || lines__draw(it, 5) ? it->now : it->now - lines__draw(it, 24) * 0.125;
    const unsigned p = lines__draw(it, 5), t = lines__draw(it, 4), v = lines__draw(it, 4), key = lines__draw(it, 9);
    const char *const in = p & 1 ? "m" : "0", *const why = v ? "for a reason" : "";
    switch (lines__draw(it, 24)) {
    case 0: lines__add(it, "6 %g process%u P m p%u\n", now, t, p); break;
    case 1: lines__add(it, "7 %g p%u P\n", now, p); break;
    case 2: case 3: lines__add(it, "6 %g \"thread %u\" T p%u t%u\n", now, v, p, t); break;
    case 4: lines__add(it, "7 %g t%u T\n", now, t); break;
    case 5: lines__add(it, "6 %g \"a fiber with a long name\" F t%u f%u-with-a-long-alias\n", now, t, t); break;
    case 6: lines__add(it, "7 %g f%u-with-a-long-alias F\n", now, t); break;
    case 7: lines__add(it, "8 %g %c p%u v%u\n", now, "SD"[v & 1], p, v); break;
    case 8: lines__add(it, "9 %g %c p%u v%u\n", now, "SD"[v & 1], p, v); break;
    case 9: lines__add(it, "j %g S p%u v%u \"%s\"\n", now, p, v, why); break;
    case 10: lines__add(it, "a %g %c p%u\n", now, "SD"[v & 1], p); break;
    case 11: lines__add(it, "9 %g U t%u v%u\n", now, t, v); break;
    case 12: lines__add(it, "%c %g U t%u\n", "ab"[v & 1], now, t); break;
    case 13: lines__add(it, "%c %g V p%u %u\n", "def"[v % 3], now, p, key); break;
    case 14: lines__add(it, "d %g V p%u %u\ne %g V p%u 1\n", now, p, key, now, p); break;
    case 15: lines__add(it, "c %g E p%u v%u\n", now, p, v); break;
    case 16: lines__add(it, "g %g L m p%u v%u key%u\n", now, p, v, key); break;
    case 17: lines__add(it, "h %g L m p%u v%u key%u\n", now, t, v, key); break;
    case 18: lines__add(it, "k %g L m p%u v%u key%u %u \"%s\"\n", now, t, v, key, key, why); break;
    case 19: lines__add(it, "g %g K m t%u v%u key%u\n", now, t, v, key); break;
    case 20: lines__add(it, "h %g K m t%u v%u key%u\n", now, p & 3, v, key); break;
    case 21: lines__add(it, "g %g N 0 p%u note key%u\ng %g J 0 t%u leap key%u\n", now, p, key, now, t, key); break;
    case 22: lines__add(it, "h %g N 0 t%u note key%u\n", now, t, key); break;
    default: lines__add(it, "h %g J %s f%u-with-a-long-alias leap key%u\n", now, in, t, key);
    }
    it->now += lines__draw(it, 3) ? 0.125 * lines__draw(it, 4) : 0;
}

/* Writes lines to [text, text + room), as the bytes say; returns their size. */
static size_t lines_of(const uint8_t *bytes, size_t size, char *text, size_t room)
{
    lines it = {bytes, size, 0, 0, text, 0, room};
    unsigned how = lines__draw(&it, 64), begin = lines__draw(&it, 8), i;
    it.now = begin == 7 ? -3 : 0;
    it.sorted = how & 1;
    for (i = 0; i < begin; i++)
        lines__define(&it);
    while (it.left && it.size + 1000 < room) {
        unsigned what = lines__draw(&it, 16);
        if (what == 0)
            lines__define(&it);
        else if (what == 1)
            lines__add(&it, "# a comment at %g\n\n", it.now);
        else if (!(how & 2) || what > 12) /* or hardly any events, so that much lies between their times */
            lines__event(&it);
    }
    if (how & 4) /* no time any more */
        for (i = 0; i < 12; i++)
            lines__add(&it, how & 8 ? "# %u\n" : "5 value%u S value%u \"0 0 0\"\n", i, i);
    return it.size - ((how & 16) && it.size > 0); /* perhaps without the last newline */
}

#endif
