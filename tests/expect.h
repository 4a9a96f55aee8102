/* Cases of a test: EXPECT notes the first thing in a case that is not so; report tells what came of the case. */
#include <stdio.h>

static int failed;
static char fault[400];

#define EXPECT(condition) \
    do { \
        if (!(condition) && !fault[0]) \
            snprintf(fault, sizeof fault, "line %d: %s", __LINE__, #condition); \
    } while (0)

static void report(const char *test, const char *name)
{
    if (fault[0])
        printf("FAIL %s %s: %s\n", test, name, fault);
    else
        printf("PASS %s %s\n", test, name);
    failed |= fault[0] != 0;
    fault[0] = 0;
}
