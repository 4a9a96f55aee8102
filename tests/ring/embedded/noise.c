/* Damages a trace as a bad serial line does: noise SEED KEPT <TRACE >DAMAGED
 *
 * One event line in ten is damaged, in a way that can be detected; KEPT gets the trace without those lines.
 * Definitions and containers are left alone. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned long chance;

static unsigned below(unsigned limit)
{
    chance = (chance * 1664525u + 1013904223u) & 0xffffffff;
    return (unsigned)(chance >> 16) % limit;
}

/* Returns the position of a blank within the line, never its first or last byte. */
static size_t blank(const char *line)
{
    size_t blanks = 0, i;
    for (i = 0; line[i]; i++)
        blanks += line[i] == ' ';
    blanks = below((unsigned)blanks);
    for (i = 0; line[i] != ' ' || blanks--; i++)
        ;
    return i;
}

static void damage(const char *line)
{
    size_t size = strlen(line), at = blank(line);
    switch (below(6)) {
    case 0: /* a blank is lost */
        printf("%.*s%s", (int)at, line, line + at + 1);
        return;
    case 1: /* a bit of a blank flips, which makes a zero byte */
        printf("%.*s%c%s", (int)at, line, '\0', line + at + 1);
        return;
    case 2: /* the highest bit of a digit flips */
        printf("%.*s%c%s", (int)at - 1, line, line[at - 1] | 0x80, line + at);
        return;
    case 3: /* a zero byte is inserted, as by a break */
        printf("%.*s%c%s", (int)at, line, '\0', line + at);
        return;
    case 4: /* many bytes are inserted, without a newline */
        printf("%.*s%*s%s", (int)at, line, 6000, "x", line + at);
        return;
    default: /* the rest of the line is lost, except for its newline */
        printf("%.*s\n", (int)(below((unsigned)size - 1) / 2 + 1), line);
    }
}

int main(int argc, char **argv)
{
    char line[256];
    int events = 0;
    FILE *kept = argc == 3 ? fopen(argv[2], "w") : NULL;
    if (!kept) {
        fputs("usage: noise SEED KEPT <TRACE >DAMAGED\n", stderr);
        return 2;
    }
    chance = strtoul(argv[1], NULL, 10);
    while (fgets(line, sizeof line, stdin)) {
        events = events || strncmp(line, "18 ", 3) == 0; /* PajeSetState: from there on there are no definitions */
        if (!events || below(10)) {
            fputs(line, stdout);
            fputs(line, kept);
        } else if (below(7)) {
            damage(line);
        } else { /* the newline is lost, and with it the next line */
            printf("%.*s", (int)strcspn(line, "\n"), line);
            if (fgets(line, sizeof line, stdin))
                fputs(line, stdout);
        }
    }
    return fclose(kept) != 0;
}
