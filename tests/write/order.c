/* A model of the order in which a writer's stores become visible to another core, and of what a reader there may see:
 * all orders that a weakly ordered machine allows are tried.  The lines of stores and loads below are those of
 * pajewrite__commit, pajewrite__next_segment, pajewrite__put_segment and pajewrite__ring_write_record on one side, and
 * of pajewrite__text_size, pajewrite__find_texts and pajewrite__ring_make_piece on the other.  Without any one of the
 * fences the model has to find an order that is wrong, so none of them is there in vain.
 *
 * A store becomes visible after earlier ones to the same place, and after all stores before the last fence.  Loads
 * between two fences happen in any order. */
#include <stdio.h>
#include <string.h>

enum { STEPS = 16, PLACES = 8, FENCE = -1 };

typedef struct step {
    int place; /* FENCE: a fence */
    int value; /* of a store */
} step;

typedef struct protocol {
    const char *name;
    int before[PLACES];
    step stores[STEPS], loads[STEPS];
    int store_count, load_count;
    int (*is_right)(const int *seen); /* whether the values of all loads go together */
} protocol;

/* A line of two bytes and its newline, behind which an earlier, longer copy has left bytes. */
enum { FIRST, REST, NEWLINE, FOLLOWING };

static int line_is_right(const int *seen)
{
    return seen[0] == '#' || (seen[2] == 'b' && seen[3] == '\n' && seen[4] == '#');
}

static int newline_is_right(const int *seen)
{
    return seen[0] != '\n' || (seen[2] == 'b' && seen[4] == '#');
}

/* A segment that is begun again: its number, the rest of its header, its text.  The reader looks at the number again in
 * the end. */
enum { NUMBER, HEADER, TEXT, MORE_TEXT };

static int segment_is_right(const int *seen)
{
    const int number = seen[0];
    return number == 0 || seen[6] != number || (seen[2] == number && seen[3] == number && seen[4] == number);
}

/* A record of a ring: two numbers, and where the next one goes.  Its reader is another core or what an interrupt
 * interrupts. */
enum { UNIT, MORE_UNITS = 2, HEAD };

static int ring_is_right(const int *seen)
{
    return seen[0] == 0 || (seen[2] == 1 && seen[3] == 1);
}

static protocol protocols[] = {
    {"line", {'#', 'x', 'x', 'x'},
     {{REST, 'b'}, {FOLLOWING, '#'}, {FENCE, 0}, {NEWLINE, '\n'}, {FENCE, 0}, {FIRST, 'a'}},
     {{FIRST, 0}, {FENCE, 0}, {REST, 0}, {NEWLINE, 0}, {FOLLOWING, 0}},
     6, 5, line_is_right},
    {"newline", {'#', 'x', 'x', 'x'}, /* who looks for newlines only, as in a file after the process died */
     {{REST, 'b'}, {FOLLOWING, '#'}, {FENCE, 0}, {NEWLINE, '\n'}, {FENCE, 0}, {FIRST, 'a'}},
     {{NEWLINE, 0}, {FENCE, 0}, {REST, 0}, {NEWLINE, 0}, {FOLLOWING, 0}},
     6, 5, newline_is_right},
    {"segment", {1, 1, 1, 1},
     {{NUMBER, 0}, {FENCE, 0}, {TEXT, 2}, {MORE_TEXT, 2}, {HEADER, 2}, {FENCE, 0}, {NUMBER, 2}},
     {{NUMBER, 0}, {FENCE, 0}, {HEADER, 0}, {TEXT, 0}, {MORE_TEXT, 0}, {FENCE, 0}, {NUMBER, 0}},
     7, 7, segment_is_right},
    {"ring", {0, 0, 0, 0},
     {{UNIT, 1}, {MORE_UNITS, 1}, {FENCE, 0}, {HEAD, 1}},
     {{HEAD, 0}, {FENCE, 0}, {UNIT, 0}, {MORE_UNITS, 0}},
     4, 4, ring_is_right},
};

static const protocol *tried;
static int memory[PLACES], seen[STEPS], stored[STEPS], loaded[STEPS], wrong;
static unsigned long orders;

/* Whether a step may happen next: it has not, and no earlier step that it waits for is missing. */
static int is_next(const step *steps, const int *done, int at, int same_place_in_order)
{
    int i, fence = 0;
    if (done[at] || steps[at].place == FENCE)
        return 0;
    for (i = at - 1; i >= 0; i--) {
        if (steps[i].place == FENCE)
            fence = 1;
        else if (!done[i] && (fence || (same_place_in_order && steps[i].place == steps[at].place)))
            return 0;
    }
    return 1;
}

static void try_all(int loads_left)
{
    int i;
    if (!loads_left) {
        orders++;
        wrong += !tried->is_right(seen);
        return;
    }
    for (i = 0; i < tried->store_count; i++)
        if (is_next(tried->stores, stored, i, 1)) {
            const int place = tried->stores[i].place, was = memory[place];
            memory[place] = tried->stores[i].value;
            stored[i] = 1;
            try_all(loads_left);
            stored[i] = 0;
            memory[place] = was;
        }
    for (i = 0; i < tried->load_count; i++)
        if (is_next(tried->loads, loaded, i, 1)) {
            seen[i] = memory[tried->loads[i].place];
            loaded[i] = 1;
            try_all(loads_left - 1);
            loaded[i] = 0;
        }
}

static int run(const protocol *p)
{
    int i, loads = 0;
    tried = p;
    memcpy(memory, p->before, sizeof memory);
    for (i = 0; i < p->load_count; i++)
        loads += p->loads[i].place != FENCE;
    wrong = 0;
    try_all(loads);
    return wrong;
}

/* Without the fence at this step; a step that does nothing takes its place. */
static int run_without(const protocol *p, int of_writer, int at)
{
    protocol less = *p;
    step *fence = of_writer ? &less.stores[at] : &less.loads[at];
    fence->place = PLACES - 1;
    return run(&less);
}

int main(void)
{
    size_t i;
    int at, failed = 0, line_needs[STEPS] = {0}; /* the fences of a line, which two protocols share */
    for (i = 0; i < sizeof protocols / sizeof *protocols; i++) {
        const protocol *p = &protocols[i];
        const int is_line = p->stores[0].place == REST;
        int bad;
        for (at = 0; at < p->load_count; at++)
            if (p->loads[at].place == FENCE && !run_without(p, 0, at)) {
                printf("FAIL write/order: %s: the reader's fence %d is not needed\n", p->name, at);
                failed = 1;
            }
        for (at = 0; at < p->store_count; at++) {
            const int needed = p->stores[at].place == FENCE && run_without(p, 1, at);
            line_needs[at] |= is_line && needed;
            if (p->stores[at].place == FENCE && !needed && !(is_line && (i == 0 || line_needs[at]))) {
                printf("FAIL write/order: %s: the writer's fence %d is not needed\n", p->name, at);
                failed = 1;
            }
        }
        orders = 0;
        bad = run(p);
        printf("%s write/order: %s: %lu orders, %d of them wrong\n", bad ? "FAIL" : "PASS", p->name, orders, bad);
        failed |= bad != 0;
    }
    return failed;
}
