/* The scope of a state, in C and in C++: however its block is left, the state is popped.
 * usage: scope LANGUAGE   LANGUAGE is part of the names of the cases */
#define _POSIX_C_SOURCE 200809L
#define PAJEWRITE_IMPLEMENTATION
#include "pajewrite.h"
#include <stdio.h>

static const pajewrite_type state = {1};
static const pajewrite_container thread = {1};
static const pajewrite_value outer = {1}, inner = {2};
static pajewrite w;
static char buffer[4096];

/* The lines written, a letter for each: the value of a pushed state, `-` for a pop. */
static const char *lines(void)
{
    static char letters[64];
    size_t count = 0;
    const char *line = buffer;
    while (line < w.next && count < sizeof letters - 1) {
        unsigned kind = 0, value = 0;
        sscanf(line, "%u %*s %*u %*u %u", &kind, &value);
        letters[count++] = kind == PAJEWRITE_PUSH_STATE ? (char)('0' + value) : kind == PAJEWRITE_POP_STATE ? '-' : '?';
        line = (const char *)memchr(line, '\n', sizeof buffer) + 1;
    }
    letters[count] = 0;
    return letters;
}

static void leave_by_end(void)
{
    PAJEWRITE_SCOPE(&w, thread, state, outer);
    {
        PAJEWRITE_SCOPE(&w, thread, state, inner);
        pajewrite_push_state(&w, thread, state, PAJEWRITE_VALUE(3));
    }
    {
        PAJEWRITE_SCOPE(&w, thread, state, inner);
    }
}

/* `continue` and `break` are those of the loop around the scope. */
static void leave_by_continue(void)
{
    int i, rounds = 0;
    for (i = 0; i < 3; i++) {
        PAJEWRITE_SCOPE(&w, thread, state, outer);
        if (i == 1)
            continue;
        rounds++;
    }
    if (rounds != 2)
        pajewrite_push_state(&w, thread, state, PAJEWRITE_VALUE(9));
}

static void leave_by_break(void)
{
    int i;
    for (i = 0; i < 1000; i++) {
        PAJEWRITE_SCOPE(&w, thread, state, outer);
        {
            PAJEWRITE_SCOPE(&w, thread, state, inner);
            if (i == 1)
                break;
        }
    }
    if (i != 1)
        pajewrite_push_state(&w, thread, state, PAJEWRITE_VALUE(9));
    switch (i) {
    default: {
        PAJEWRITE_SCOPE(&w, thread, state, inner);
        break;
    }
    }
}

static int leave_by_return_of(int n)
{
    {
        PAJEWRITE_SCOPE(&w, thread, state, outer);
        {
            PAJEWRITE_SCOPE(&w, thread, state, inner);
            if (n == 1)
                return 1;
        }
    }
    {
        PAJEWRITE_SCOPE(&w, thread, state, inner);
        return 2;
    }
}

static void leave_by_return(void)
{
    leave_by_return_of(1);
    leave_by_return_of(2);
}

static void leave_by_goto(void)
{
    int again = 1;
once_more: {
    PAJEWRITE_SCOPE(&w, thread, state, outer);
    {
        PAJEWRITE_SCOPE(&w, thread, state, inner);
        if (again--)
            goto once_more;
    }
}
}

static void two_calls(void)
{
    pajewrite_entered entered = pajewrite_enter(&w, thread, state, outer);
    pajewrite_leave(&entered);
}

static void disable_inside(void)
{
    {
        PAJEWRITE_SCOPE(&w, thread, state, outer);
        pajewrite_disable(&w, UINT32_MAX);
    }
    {
        PAJEWRITE_SCOPE(&w, thread, state, inner);
        pajewrite_enable(&w, UINT32_MAX); /* what was not pushed is not popped */
    }
}

#ifdef __cplusplus
static void throw_through(void)
{
    PAJEWRITE_SCOPE(&w, thread, state, outer);
    pajewrite_scope guard(&w, thread, state, inner);
    throw 1;
}

static void leave_by_exception(void)
{
    try {
        PAJEWRITE_SCOPE(&w, thread, state, outer);
        throw_through();
    } catch (int) {
        pajewrite_push_state(&w, thread, state, PAJEWRITE_VALUE(3));
    }
}
#endif

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
        const char *lines;
    } cases[] = {{"end", leave_by_end, "123-2--"},
                 {"continue", leave_by_continue, "1-1-1-"},
                 {"break", leave_by_break, "12--12--2-"},
                 {"return", leave_by_return, "12--12--2-"},
                 {"goto", leave_by_goto, "12--12--"},
                 {"two calls", two_calls, "1-"},
                 {"category disabled inside", disable_inside, "1-"},
#ifdef __cplusplus
                 {"exception", leave_by_exception, "112---3"},
#endif
    };
    size_t i;
    int failed = 0;
    for (i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *seen;
        pajewrite_init(&w, buffer, sizeof buffer, NULL);
        cases[i].run();
        seen = lines();
        if (strcmp(seen, cases[i].lines) == 0) {
            printf("PASS write/scope in %s: %s\n", argc > 1 ? argv[1] : "C", cases[i].name);
        } else {
            printf("FAIL write/scope in %s: %s: %s in place of %s\n", argc > 1 ? argv[1] : "C", cases[i].name, seen,
                   cases[i].lines);
            failed = 1;
        }
    }
    return failed;
}
