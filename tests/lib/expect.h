/* Cases of a test: the first failure of each is kept, and printed by report with the result of the case. */
#ifndef TESTS_EXPECT_H
#define TESTS_EXPECT_H

#include <stdarg.h>
#include <stdio.h>

static int failed; /* how many cases */
static char fault[1024];

static void fail(const char *format, ...)
{
    va_list list;
    if (fault[0])
        return;
    va_start(list, format);
    vsnprintf(fault, sizeof fault, format, list);
    va_end(list);
}

#define EXPECT(condition) ((condition) ? (void)0 : fail("line %d: %s", __LINE__, #condition))

/* `test`: what is printed before the name, such as "window ". */
static void report(const char *test, const char *name)
{
    printf(fault[0] ? "FAIL %s%s: %s\n" : "PASS %s%s%s\n", test, name, fault);
    failed += fault[0] != 0;
    fault[0] = 0;
}

#endif
